"""Steps of optimizers as operators: what they write, against real MXNet (oracle/update.json)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from hybridonnx.ops import steps
from hybridonnx.test_utils import Case
from tests import snippets
from tests.test_operators import FAMILIES, stored
from tests.update_snippets import SNIPPETS

FACTS = json.loads((Path(__file__).parent / "oracle" / "update.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", SNIPPETS, ids=lambda text: text.splitlines()[-1])
def test_call_gives_and_leaves_what_mxnet_does(text):
    snippets.check(text, FACTS[text], mx=mx)


BY_POWERS = ("lamb_update_phase1", "mp_lamb_update_phase1", "_multi_lamb_update", "_multi_mp_lamb_update")
"""Their powers of beta, and norms, are MXNet's up to the last bit."""


def wide_cases() -> list:
    """The steps in float32 and float64; of rates that are float32 arrays MXNet has products in float32."""
    return [
        pytest.param(family, case, dtype, id=f"{case}-{dtype}")
        for family in ("update", "multi_update")
        for case in FAMILIES[family]
        for dtype in case.dtypes
        if case.formula is None and case.op.endswith("update") and case.op not in BY_POWERS
        if dtype == "float32" or (dtype == "float64" and not case.op.startswith("preloaded"))
    ]


@pytest.mark.parametrize(("family", "case", "dtype"), wide_cases())
def test_every_bit_is_mxnets(family: str, case: Case, dtype: str):
    op = case.operator()
    inputs = [mx.nd.array(a, dtype=a.dtype) for a in case.arrays(dtype)]
    result = getattr(mx.nd._internal, case.op)(*inputs, **case.attributes)
    states = [x for x, name in zip(inputs, op.input_names(), strict=True) if name in op.aux_names()]
    arrays = [*(result if isinstance(result, list) else [result]), *states]
    for i, array in enumerate(arrays):
        expected = stored(family)[f"{case.key()}.{dtype}.out.{i}"]
        np.testing.assert_array_equal(array.asnumpy(), expected, err_msg=f"array {i}")


@pytest.mark.parametrize(("family", "case", "dtype"), wide_cases()[::5])
def test_parts_of_large_weights_are_stepped_like_the_whole(family, case, dtype, monkeypatch):
    monkeypatch.setattr(steps, "PART", 6)
    test_every_bit_is_mxnets(family, case, dtype)


OF_ONE_SHAPE = [
    c for c in FAMILIES["update"] if c.op.endswith("update") and len({x.shape for x in c.inputs}) == 1
]


@pytest.mark.parametrize("case", [c for c in OF_ONE_SHAPE if 0 not in c.inputs[0].shape][::3], ids=str)
def test_a_number_is_stepped_like_a_vector_of_one(case):
    def step(shape: tuple[int, ...]) -> list[np.ndarray]:
        inputs = [mx.np.array(a.ravel()[0], dtype=a.dtype).reshape(shape) for a in case.arrays()]
        results = getattr(mx.nd._internal, case.op)(*inputs, **case.attributes)
        return [x.asnumpy() for x in [*(results if isinstance(results, list) else [results]), *inputs]]

    for number, vector in zip(step(()), step((1,)), strict=True):
        assert number.shape == ()
        np.testing.assert_array_equal(number, vector[0])


OPTIMIZERS = [
    ("sgd", {"wd": 0.1}, "sgd_update", 0, {"wd": 0.1}),
    ("sgd", {"momentum": 0.9, "wd": 0.1}, "sgd_mom_update", 1, {"momentum": 0.9, "wd": 0.1}),
    ("nag", {"momentum": 0.9, "wd": 0.1}, "nag_mom_update", 1, {"momentum": 0.9, "wd": 0.1}),
    ("signum", {"momentum": 0.9, "wd_lh": 0.1}, "signum_update", 1, {"momentum": 0.9, "wd_lh": 0.1}),
    ("rmsprop", {}, "rmsprop_update", 1, {"gamma1": 0.9}),
    ("ftrl", {"wd": 0.1}, "ftrl_update", 2, {"wd": 0.1}),
    ("ftml", {}, "ftml_update", 3, {"t": 1}),
]


@pytest.mark.parametrize(("name", "options", "op", "states", "attributes"), OPTIMIZERS)
def test_optimizers_take_the_operators_step(name, options, op, states, attributes):
    rng = np.random.default_rng(0)
    weight, grad = (mx.nd.array(rng.standard_normal((6, 5))) for _ in range(2))
    other, kept = weight.copy(), [mx.nd.zeros((6, 5)) for _ in range(states)]
    mx.optimizer.get_updater(mx.optimizer.create(name, learning_rate=0.1, **options))(0, grad, weight)
    getattr(mx.nd, op)(other, grad, *kept, lr=0.1, out=other, **attributes)
    np.testing.assert_array_equal(weight.asnumpy(), other.asnumpy())


def test_the_gradient_stays():  # MXNet's AdamW leaves it rescaled
    w, g, m, v = (mx.nd.ones((2, 2)) for _ in range(4))
    mx.nd.contrib.adamw_update(w, g, m, v, 3.0, lr=0.1, eta=1.0, out=w)
    np.testing.assert_array_equal(g.asnumpy(), np.ones((2, 2)))


@pytest.mark.parametrize("scale", [0.0, float("inf"), float("nan")])
def test_adamw_changes_nothing_after_an_overflow(scale):
    w, g, m, v, out = (mx.nd.full((2, 2), value) for value in (1, 2, 3, 4, 5))
    mx.nd.contrib.adamw_update(w, g, m, v, scale, lr=0.1, eta=1.0, out=out)
    assert [x.asnumpy()[0, 0] for x in (w, g, m, v, out)] == [1, 2, 3, 4, 1]


def test_the_copy_in_float32_is_stepped_by_lambs_second_phase():  # MXNet's stays
    w, master, one = mx.nd.ones(3, dtype="float16"), mx.nd.ones(3), mx.nd.ones(1)
    for _ in range(2):
        mx.nd.mp_lamb_update_phase2(w, mx.nd.ones(3), one, one, master, lr=0.25, out=w)
    np.testing.assert_array_equal(master.asnumpy(), np.full(3, 0.5, np.float32))
    np.testing.assert_array_equal(w.asnumpy(), np.full(3, 0.5, np.float16))


def test_a_weight_on_the_tape_is_not_written():
    w = mx.nd.ones(3)
    w.attach_grad()
    with mx.autograd.record(), pytest.raises(MXNetError, match="Inplace operations"):
        mx.nd.sgd_update(w, mx.nd.ones(3), lr=0.1, out=w)


def test_a_step_is_not_differentiated():
    w = mx.nd.ones(3)
    w.attach_grad()
    with mx.autograd.record():
        y = mx.nd.sgd_update(w * 2, mx.nd.ones(3), lr=0.1)
    with pytest.raises(MXNetError, match="sgd_update: cannot be differentiated"):
        y.backward()


def test_an_executor_keeps_the_states():
    step = mx.sym.sgd_mom_update(mx.sym.var("w"), mx.sym.var("g"), mx.sym.var("m"), lr=0.5, momentum=0.5)
    assert step.list_arguments() == ["w", "g"]
    assert step.list_auxiliary_states() == ["m"]
    one = mx.nd.ones(2)
    executor = step.bind(mx.cpu(), {"w": one, "g": one.copy()}, aux_states={"m": mx.nd.zeros(2)})
    outputs = [executor.forward(is_train=train)[0].asnumpy()[0] for train in (False, True)]
    assert outputs == [0.5, 0.25]
    assert executor.aux_dict["m"].asnumpy()[0] == -0.75


def test_a_hybridized_block_keeps_the_states():
    class Step(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, w, g, m):
            return F.sgd_mom_update(w * 1.0, g, m, lr=0.5, momentum=0.5)

    net, one, mom = Step(), mx.nd.ones(2), mx.nd.zeros(2)
    net.hybridize()
    outputs = [net(one, one, mom).asnumpy()[0] for _ in range(2)]
    assert outputs == [0.5, 0.25]
    assert mom.asnumpy()[0] == -0.75


def test_what_keeps_states_is_not_exported():
    step = mx.sym.sgd_mom_update(mx.sym.var("w"), mx.sym.var("g"), mx.sym.var("m"), lr=0.5)
    with pytest.raises(MXNetError, match="changes its states in place"):
        mx.onnx.export_model(step, {}, in_shapes=[(2,)] * 3, in_types="float32")


def test_symbols_come_back_from_files():
    arrays = [mx.sym.var(name) for name in "abcdef"]
    step = mx.sym.multi_sgd_mom_update(*arrays, lrs=(0.1, 0.2), wds=(0, 0), momentum=0.5, num_weights=2)
    again = mx.sym.load_json(step.tojson())
    assert again.list_auxiliary_states() == ["c", "f"]
    assert again.list_arguments() == ["a", "b", "d", "e"]
    assert len(again.list_outputs()) == 2
    shapes, outputs, states = again.infer_shape(a=(2, 3), d=(4,))
    assert (shapes, outputs, states) == ([(2, 3), (2, 3), (4,), (4,)], [(2, 3), (4,)], [(2, 3), (4,)])


def test_adamw_as_a_symbol_takes_a_number():
    w, g, m, v = (mx.sym.var(name) for name in "wgmv")
    step = mx.sym.contrib.adamw_update(w, g, m, v, 0.5, lr=0.1, eta=1.0)
    assert step.list_arguments() == ["w", "g"]
    arrays = {"w": mx.nd.ones(2), "g": mx.nd.ones(2)}
    states = {"m": mx.nd.zeros(2), "v": mx.nd.zeros(2)}
    out = step.bind(mx.cpu(), arrays, aux_states=states).forward()[0]
    expected = mx.nd.contrib.adamw_update(
        *arrays.values(), mx.nd.zeros(2), mx.nd.zeros(2), 0.5, lr=0.1, eta=1.0
    )
    np.testing.assert_array_equal(out.asnumpy(), expected.asnumpy())


MESSAGES = [
    (
        "mx.nd.multi_sgd_update(x, x, lrs=(1, 2), wds=(0,), num_weights=1)",
        "lrs of 1 values is required.*got 2",
    ),
    ("mx.nd.multi_sgd_update(x, x, x, lrs=(1,), wds=(0,), num_weights=1)", "num_weights is 1, but 3 inputs"),
    ("mx.nd.sparse.adagrad_update(x, x, x, lr=1, wd=0.1)", "wd=0 is required, got 0.1"),
    ("mx.nd._internal._set_value(src=1)", "_set_value: an array as out is required"),
    ("mx.nd.contrib.group_adagrad_update(x, x, x, lr=1)", "two axes or more is required"),
    ("mx.nd.fill_element_0index(x, x, x)", "lhs of two axes is required"),
    ("mx.nd._internal._onehot_encode(x, x)", "rhs of two axes is required"),
]


@pytest.mark.parametrize(("text", "message"), MESSAGES)
def test_messages_say_what_is_required(text, message):
    with pytest.raises(MXNetError, match=message):
        eval(text, {"mx": mx, "x": mx.nd.ones(3)})


def test_ftrl_shows_nan():  # in z, which is in no bound then
    weight, gradient = mx.nd.ones(2), mx.nd.array([np.nan, 1])
    new = mx.nd.ftrl_update(weight, gradient, mx.nd.zeros(2), mx.nd.zeros(2), lr=0.1)
    np.testing.assert_array_equal(np.isnan(new.asnumpy()), [True, False])
