"""Initializers against what real MXNet wrote and set (oracle/initializer.json) and against their formulas."""

from __future__ import annotations

import gc
import inspect
import json
import logging
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import initializer as init
from hybridonnx.gluon import nn
from hybridonnx.gluon.parameter import Constant, ParameterDict

FACTS = json.loads((Path(__file__).parent / "oracle" / "initializer.json").read_text())


def error_of(call):
    """The names of the classes of the error that a call raises."""
    try:
        call()
    except Exception as exc:  # noqa: BLE001  (of any type)
        return [c.__name__ for c in type(exc).__mro__]
    return []


def values_of(initializer, shape, name="a_weight", seed=3):
    """The values that an initializer gives an array."""
    mx.random.seed(seed)
    array = mx.nd.zeros(shape)
    initializer(init.InitDesc(name), array)
    return array.asnumpy()


@pytest.mark.parametrize("text", FACTS["texts"])
def test_text_is_mxnets(text):
    assert eval(text).dumps() == FACTS["texts"][text]


@pytest.mark.parametrize("text", FACTS["texts"])
def test_text_makes_an_equal_initializer(text):
    initializer = eval(text)
    if type(initializer) is init.Initializer:
        pytest.skip("the base is not registered")
    again = init.create(initializer.dumps())
    assert again == initializer
    assert hash(again) == hash(initializer)
    assert again != init.Uniform(0.123)


@pytest.mark.parametrize(
    "effect", FACTS["effects"], ids=lambda e: f"{e[0]} {e[1]} {e[2]} {tuple(e[3])}".replace("/", "_")
)
def test_values_are_mxnets(effect):
    text, name, described, shape, expected = effect
    array = mx.nd.full(tuple(shape), 7)
    if described != "legacy":
        name = init.InitDesc(name, None if described is None else {"__init__": described})
    with warnings.catch_warnings():
        if described == "legacy":
            warnings.simplefilter("ignore", DeprecationWarning)
        if isinstance(expected, str):
            assert expected in error_of(lambda: eval(text)(name, array))
            return
        eval(text)(name, array)
    np.testing.assert_allclose(array.asnumpy().ravel(), expected, rtol=1e-6)


@pytest.mark.parametrize("name", FACTS["signatures"])
def test_constructors_take_what_mxnets_take(name):
    parameters = inspect.signature(getattr(init, name)).parameters.values()
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    assert str(inspect.Signature(plain)) == FACTS["signatures"][name]


def moments(values):
    """Mean, variance and fourth moment over the square of the variance, of many draws."""
    centred = values.astype(np.float64) - values.mean()
    return values.mean(), (centred**2).mean(), (centred**4).mean() / (centred**2).mean() ** 2


UNIFORM, NORMAL = 1.8, 3.0


@pytest.mark.parametrize(
    ("initializer", "shape", "variance", "kurtosis"),
    [
        (init.Uniform(), (200, 300), 0.07**2 / 3, UNIFORM),
        (init.Uniform(2), (200, 300), 4 / 3, UNIFORM),
        (init.Normal(), (200, 300), 1e-4, NORMAL),
        (init.Normal(3), (200, 300), 9, NORMAL),
        (init.Xavier(), (100, 200, 2, 3), 3 / (3 * 900), UNIFORM),
        (init.Xavier(factor_type="in", magnitude=2), (100, 200, 2, 3), 2 / (3 * 1200), UNIFORM),
        (init.Xavier("gaussian", "in"), (100, 200, 2, 3), 3 / 1200, NORMAL),
        (init.Xavier("gaussian", "out", 2), (100, 200, 2, 3), 2 / 600, NORMAL),
        (init.Xavier("gaussian"), (200, 300), 3 / 250, NORMAL),
        (init.MSRAPrelu(), (200, 300), 2 / (1 + 0.25**2) / 250, NORMAL),
        (init.MSRAPrelu("in", 0), (200, 300), 2 / 300, NORMAL),
    ],
)
def test_draws_have_the_distribution(initializer, shape, variance, kurtosis):
    mean, second, fourth = moments(values_of(initializer, shape))
    count = math.prod(shape)
    assert abs(mean) < 5 * math.sqrt(variance / count)
    assert second == pytest.approx(variance, rel=5 * math.sqrt((kurtosis - 1) / count))
    assert fourth == pytest.approx(kurtosis, rel=0.1)


def test_uniform_draws_stay_within_the_bounds():
    values = values_of(init.Uniform(0.5), (300, 300))
    assert -0.5 <= values.min() < -0.499
    assert 0.499 < values.max() < 0.5


@pytest.mark.parametrize("kind", ["uniform", "normal"])
@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4), (4, 3, 2), (2, 3, 2, 2), (4,)])
def test_orthogonal_rows_or_columns_are_orthogonal(kind, shape):
    matrix = values_of(init.Orthogonal(2, kind), shape).reshape(shape[0], -1).astype(np.float64)
    product = matrix @ matrix.T if matrix.shape[0] <= matrix.shape[1] else matrix.T @ matrix
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-5)


@pytest.mark.parametrize("initializer", [init.Uniform(), init.Normal(), init.Orthogonal(), init.Xavier()])
def test_seed_repeats_draws(initializer):
    first = values_of(initializer, (4, 5))
    np.testing.assert_array_equal(values_of(initializer, (4, 5)), first)
    assert not np.array_equal(values_of(initializer, (4, 5), seed=4), first)


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32"])
def test_other_dtypes_are_filled(dtype):
    array = mx.nd.zeros((3, 4), dtype=dtype)
    init.Uniform(100)(init.InitDesc("a_weight"), array)
    assert array.dtype == np.dtype(dtype).type
    assert np.abs(array.asnumpy()).max() > 1


def test_quantized_weights_are_integers_of_a_byte():
    values = values_of(init.Uniform(), (100, 100), "a_weight_quantize")
    assert values.min() == -127
    assert values.max() == 127
    np.testing.assert_array_equal(values, np.round(values))


def test_fused_rnn_sets_each_gate_in_the_order_in_which_they_lie():
    class Numbered(init.Initializer):
        def __init__(self):
            super().__init__()
            self.calls = []

        def _init_weight(self, name, arr):
            self.calls.append((str(name), arr.shape))
            arr[:] = len(self.calls)

        _init_bias = _init_weight

    numbered = Numbered()
    values = values_of(init.FusedRNN(numbered, 3, 1, "gru"), (3 * 3 * (2 + 3 + 2),))
    gates = [f"l0_{part}_{gate}" for part in ("i2h", "h2h") for gate in "rzo"]
    expected = [(f"{g}_weight", (3, 2 if "i2h" in g else 3)) for g in gates]
    assert numbered.calls == expected + [(f"{g}_bias", (3,)) for g in gates]
    counts = [math.prod(shape) for _, shape in numbered.calls]
    np.testing.assert_array_equal(values, np.repeat(np.arange(1, 13), counts))


def test_fused_rnn_without_initializer_takes_the_default():
    array = mx.nd.zeros((84,))
    init.FusedRNN(None, 3, 1, "lstm")(init.InitDesc("a_weight", global_init=init.Constant(4)), array)
    assert (array.asnumpy()[:60] == 4).all()
    with pytest.raises(mx.MXNetError, match="default initializer"):
        init.FusedRNN(None, 3, 1, "lstm")(init.InitDesc("a_weight"), array)


def test_fused_rnn_refuses_what_does_not_fit():
    with pytest.raises(mx.MXNetError, match="2 layers of 3 units is required, got 50"):
        values_of(init.FusedRNN(init.Zero(), 3, 2, "gru"), (50,))
    with pytest.raises(mx.MXNetError, match="mode"):
        init.FusedRNN(init.Zero(), 3, 2, "foo")


def test_registered_classes_have_names(monkeypatch):
    monkeypatch.setattr(init, "_registered", dict(init._registered))

    @init.register
    class Seven(init.Initializer):
        def _init_weight(self, name, arr):
            arr[:] = 7

    @init.alias("acht", "huit")
    class Eight(init.Initializer):
        pass

    assert type(init.create("seven")) is type(init.create("SEVEN")) is Seven
    assert type(init.create("acht")) is type(init.create("huit")) is Eight
    with pytest.raises(AssertionError, match="eight is not registered"):
        init.create("eight")
    with pytest.warns(UserWarning, match="overriding existing initializer"):
        init.register(type("Seven", (init.Initializer,), {}))
    with pytest.raises(TypeError, match="subclass of Initializer is required"):
        init.register(3)  # type: ignore[type-var]


@pytest.mark.parametrize("value", [None, 3, lambda name, array: None])
def test_create_refuses_what_is_no_initializer(value):
    with pytest.raises(AssertionError, match="an Initializer or the name of one is required"):
        init.create(value)


@pytest.mark.parametrize("text", ["[", '["uniform"]', "[1, {}]", '["uniform", 3]', "[" * 100000])
def test_create_refuses_damaged_text(text):
    with pytest.raises(mx.MXNetError, match="create: text such as"):
        init.create(text)


def test_create_suggests_the_nearest_name():
    with pytest.raises(AssertionError, match="Did you mean xavier"):
        init.create("xavir")


def test_name_alone_is_deprecated():
    with pytest.warns(DeprecationWarning, match="InitDesc"):
        init.One()("a_weight", mx.nd.zeros((2,)))
    with (
        pytest.warns(DeprecationWarning, match="InitDesc"),
        pytest.raises(TypeError, match="a name is required"),
    ):
        init.One()(3, mx.nd.zeros((2,)))  # type: ignore[arg-type]


def test_verbose_initializers_log_what_they_did(caplog):
    caplog.set_level(logging.INFO)
    verbose = init.One().set_verbosity(True)
    verbose(init.InitDesc("a_weight"), mx.nd.zeros((2, 3)))
    verbose(init.InitDesc("a_bias"), mx.nd.zeros((2,)))
    verbose(init.InitDesc("b_weight", {"__init__": "zeros"}), mx.nd.zeros((2,)))
    verbose.set_verbosity(True, lambda array: "said")(init.InitDesc("c_weight"), mx.nd.zeros((2,)))
    assert [record.getMessage() for record in caplog.records] == [
        "Initialized a_weight as weight: 1.0",
        "Initialized a_bias as bias: 0.0",
        "Initialized b_weight as zeros: 0.0",
        "Initialized c_weight as weight: said",
    ]


def test_load_logs_what_it_did(caplog):
    caplog.set_level(logging.INFO)
    load = init.Load({"arg:a": mx.nd.ones((2,))}, init.Zero(), verbose=True)
    load("a", mx.nd.zeros((2,)))
    load(init.InitDesc("b_bias"), mx.nd.zeros((2,)))
    messages = [record.getMessage() for record in caplog.records]
    assert messages == ["Initialized a by loading", "Initialized b_bias by default"]


def test_load_reads_files(tmp_path):
    mx.nd.save(str(tmp_path / "a.params"), {"arg:a_weight": mx.nd.full((2,), 3)})
    array = mx.nd.zeros((2,))
    init.Load(str(tmp_path / "a.params"))("a_weight", array)
    assert array.asnumpy().tolist() == [3, 3]


def test_mixed_takes_names_of_initializers():
    array = mx.nd.zeros((2,))
    init.Mixed([".*bias", ".*"], ["zeros", "ones"])(init.InitDesc("a_weight"), array)
    assert array.asnumpy().tolist() == [1, 1]
    with pytest.raises(AssertionError, match="as many initializers as patterns"):
        init.Mixed(["a"], [init.Zero(), init.One()])


# ---- in blocks


def test_own_initializers_outrank_the_default():
    dense = nn.Dense(2, in_units=3, weight_initializer=init.Constant(5), bias_initializer="ones")
    dense.initialize(init.Constant(4))
    assert (dense.weight.data().asnumpy() == 5).all()
    assert (dense.bias.data().asnumpy() == 1).all()


def test_default_reaches_weights_alone():
    dense = nn.Dense(2, in_units=3)
    dense.initialize(init.Constant(4))
    assert (dense.weight.data().asnumpy() == 4).all()
    assert (dense.bias.data().asnumpy() == 0).all()


def test_classes_need_not_be_registered_to_initialize_a_block():
    class Fives(init.Initializer):
        def _init_weight(self, name, arr):
            arr[:] = 5

    dense = nn.Dense(2)
    dense.initialize(Fives())
    dense(mx.nd.ones((1, 3)))
    assert (dense.weight.data().asnumpy() == 5).all()


@pytest.mark.parametrize("size", [3, 5000])
def test_constants_keep_their_values(size):
    values = np.linspace(-1, 1, size).astype(np.float32)
    params = ParameterDict("a_")
    constant = params.get_constant("c", values)
    params.initialize(init.Zero())
    np.testing.assert_array_equal(constant.data().asnumpy(), values)
    text = constant.var().attr("__init__")
    array = mx.nd.zeros((size,))
    init.create(text)._init_weight("c", array)
    np.testing.assert_array_equal(array.asnumpy(), values)
    assert text is not None
    assert len(text) < 1000


def test_large_constants_are_forgotten_with_their_owners():
    constant = Constant("c", np.ones(5000, np.float32))
    text = constant.init.dumps()
    assert init.create(text) is constant.init
    del constant
    gc.collect()
    with pytest.raises(AssertionError, match="not registered"):
        init.create(text)


def test_init_is_a_short_name_of_the_module():
    assert mx.init is init
