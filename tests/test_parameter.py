"""Parameters, constants and their dictionaries against what real MXNet shows (oracle/gluon.json)."""

from __future__ import annotations

import copy
import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import gluon
from hybridonnx.gluon import nn
from tests.gluon_facts import check, names


@pytest.mark.parametrize("name", names("parameter"))
def test_as_in_mxnet(name, tmp_path):
    check("parameter", name, tmp_path)


def test_rows_of_row_sparse_parameters():
    p = mx.gluon.Parameter("w", shape=(3, 2), stype="row_sparse", init=mx.init.Uniform(1))
    p.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    values = p.row_sparse_data(mx.nd.arange(3)).asnumpy()
    for rows in (p.row_sparse_data(mx.nd.array([2, 0, 0])), *p.list_row_sparse_data(mx.nd.array([0, 2]))):
        assert rows.stype == "row_sparse"
        assert rows.indices.asnumpy().tolist() == [0, 2]
        assert np.array_equal(rows.data.asnumpy(), values[[0, 2]])
    assert p.var().attr("__storage_type__") == "1"


def test_gradients_reach_parameters_through_their_rows():
    p = mx.gluon.Parameter("w", shape=(6, 2), stype="row_sparse", grad_stype="row_sparse", init="ones")
    p.initialize()
    data = np.array([[0, 1, 0, 0, 2, 0], [0, 0, 0, 0, 3, 0]], np.float32)
    with mx.autograd.record():
        y = mx.nd.sparse.dot(mx.nd.array(data).tostype("csr"), p.row_sparse_data(mx.nd.array([4, 1, 4])))
    y.backward()
    assert p.grad().stype == "row_sparse"
    assert np.array_equal(p.grad().asnumpy(), data.T @ np.ones((2, 2)))


def test_values_are_drawn_anew_on_every_initialization():
    p = mx.gluon.Parameter("w", shape=(50,))
    mx.random.seed(1)
    p.initialize()
    first = p.data().asnumpy()
    p.initialize(force_reinit=True)
    assert not np.array_equal(first, p.data().asnumpy())
    assert np.abs(first).max() <= 0.07
    mx.random.seed(1)
    p.initialize(force_reinit=True)
    assert np.array_equal(first, p.data().asnumpy())


def test_contexts_begin_with_the_same_values_in_memory_of_their_own():
    p = mx.gluon.Parameter("w", shape=(3,))
    p.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    one, two = p.list_data()
    assert np.array_equal(one.asnumpy(), two.asnumpy())
    one[:] = 9
    assert not np.array_equal(one.asnumpy(), two.asnumpy())
    source = mx.nd.ones((3,))
    p.set_data(source)
    source[:] = 5
    assert two.asnumpy().tolist() == [1, 1, 1]


def test_loaded_values_are_copies():
    source = mx.nd.ones((2,))
    d = mx.gluon.ParameterDict()
    d.get("w")
    d.load_dict({"w": source})
    source[:] = 5
    assert d["w"].data().asnumpy().tolist() == [1, 1]


def test_copies_are_independent():
    p = mx.gluon.Parameter("w", shape=(2,), init="ones")
    p.initialize()
    again = copy.deepcopy(p)
    again.set_data(mx.nd.zeros((2,)))
    with mx.autograd.record():
        y = (again.data() * 3 + p.data()).sum()
    y.backward()
    assert p.data().asnumpy().tolist() == [1, 1]
    assert (again.grad().asnumpy().tolist(), p.grad().asnumpy().tolist()) == ([3, 3], [1, 1])


def _named(**kwargs):
    return mx.gluon.Parameter("net_w", **kwargs)


ERRORS = [
    (lambda: _named().data(), RuntimeError, r"'net_w' has not been initialized. Call initialize\(\)"),
    (
        lambda: _named(shape=(2, 0)).initialize(),
        ValueError,
        r"'net_w' because it has invalid shape: \(2, 0\)",
    ),
    (lambda: _named(grad_req="foo"), AssertionError, "must be 'write', 'add' or 'null', got 'foo'"),
    (lambda: _named(dtype="float33"), TypeError, "got 'float33'. Did you mean float32"),
    (lambda: _named(stype="sparse"), AssertionError, "must be one of default, row_sparse, csr, got 'sparse'"),
    (
        lambda: _initialized().set_data(mx.nd.ones((2,))),
        AssertionError,
        r"agrees with \(2, 3\) is required, got \(2,\)",
    ),
    (lambda: _initialized(grad_req="null").grad(), RuntimeError, "'net_w' because grad_req='null'"),
    (
        lambda: _initialized().data(mx.cpu(1)),
        RuntimeError,
        r"not initialized on context cpu\(1\).*only.*\[cpu\(0\)\]",
    ),
    (
        lambda: _initialized().row_sparse_data(mx.nd.array([0])),
        RuntimeError,
        r"requires stype='row_sparse'.*data\(\)",
    ),
    (lambda: _dict().get("w", shape=(3, 3)), AssertionError, "for attribute 'shape': desired.*vs stored"),
    (lambda: _dict().get_constant("c"), KeyError, "No constant named 'net_c'"),
    (lambda: _dict().load_dict({}), AssertionError, "'net_w' is missing.*Set allow_missing=True"),
    (
        lambda: _dict().load_dict({"net_w": mx.nd.ones((2,))}),
        AssertionError,
        r"\(2, 3\) is required, got \(2,\)",
    ),
    (
        lambda: _dict().load_dict({"net_w": mx.nd.ones((2, 3), dtype="float64")}),
        AssertionError,
        "float32 is required, got float64. Set cast_dtype=True",
    ),
    (
        lambda: _dict().load_dict({f"net_{c}": mx.nd.ones((2, 3)) for c in "wabcdefghi"}),
        AssertionError,
        "'net_a' loaded is not present.*Set ignore_extra=True",
    ),
    (lambda: _dict().save("f", strip_prefix="foo_"), ValueError, "'foo_' is to be stripped.*'net_w'"),
]


def _initialized(**kwargs):
    p = _named(shape=(2, 3), **kwargs)
    p.initialize()
    return p


def _dict():
    d = mx.gluon.ParameterDict("net_")
    d.get("w", shape=(2, 3))
    return d


@pytest.mark.parametrize(("call", "error", "message"), ERRORS)
def test_errors_say_what_to_do(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_long_lists_of_names_are_shortened():
    d = mx.gluon.ParameterDict()
    d.get("w")
    values = {f"v{i}": mx.nd.ones((1,)) for i in range(20)}
    with pytest.raises(AssertionError, match=r"'v0', 'v1', 'v2', \.\.\., 'v16', 'v17', 'v18', 'v19'\."):
        d.load_dict(values)


@pytest.mark.parametrize("value", [np.array([[0.1, 0.2]]), [[0.1, 0.2]], mx.nd.array([[0.1, 0.2]])])
def test_constants_are_float32_whatever_digits_they_are_given_with(value):
    params = mx.gluon.ParameterDict("net_")
    constant = params.get_constant("anchors", value)
    assert (
        params.get_constant("anchors", value)
        is params.get_constant("anchors", np.array([[0.1, 0.2]]))
        is constant
    )
    constant.initialize()
    assert constant.data().dtype == np.float32
    np.testing.assert_array_equal(constant.data().asnumpy(), np.array([[0.1, 0.2]], np.float32))
    for other in ([[0.1, 0.3]], [0.1, 0.2], [[0.1]]):
        with pytest.raises(AssertionError, match="already exists"):
            params.get_constant("anchors", np.array(other))


# ---- memory


def _trained(hybrid):
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    net.initialize()
    if hybrid:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam")
    for _ in range(2):
        with mx.autograd.record():
            loss = net(mx.nd.ones((2, 3))).sum()
        loss.backward()
        trainer.step(2)
    return net


def _imported(tmp_path):
    _trained(True).export(str(tmp_path / "net"))
    files = str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
    net = gluon.SymbolBlock.imports(*files)
    net.hybridize()
    net(mx.nd.ones((2, 3)))
    return net


@pytest.mark.parametrize("kind", ["eager", "hybridized", "imported"])
def test_a_block_frees_its_weights_at_once(kind, tmp_path):
    net = _imported(tmp_path) if kind == "imported" else _trained(kind == "hybridized")
    gc.collect()
    weights = [weakref.ref(p.data()) for p in net.collect_params().values()]
    gc.disable()
    try:
        del net
        assert [w() for w in weights] == [None] * len(weights)
    finally:
        gc.enable()


def test_prediction_needs_no_memory_for_gradients():
    net = nn.Dense(1000, in_units=1000)
    tracemalloc.start()
    try:
        net.initialize()
        net(mx.nd.ones((1, 1000)))
        used = tracemalloc.get_traced_memory()[0]
        assert 4e6 <= used < 6e6  # the weights, and no second array of their size
        gradient = net.weight.grad()
        assert tracemalloc.get_traced_memory()[0] >= used + 3.9e6  # what else was let go of is not counted
    finally:
        tracemalloc.stop()
    assert gradient is net.weight.grad()
    assert not gradient.asnumpy().any()


def test_copies_have_the_gradients():
    net = _trained(False)
    twin = copy.deepcopy(net)
    for a, b in zip(net.collect_params().values(), twin.collect_params().values(), strict=True):
        if a.grad_req != "null":
            assert np.array_equal(a.grad().asnumpy(), b.grad().asnumpy())
            assert a.grad() is not b.grad()
    assert any(p.grad().asnumpy().any() for p in twin.collect_params().values() if p.grad_req != "null")


class Scaled(gluon.Parameter):
    """A parameter that takes over the fields of another one, as those written for MXNet do."""

    def __init__(self, parameter, scale=2.0):
        p = parameter
        self._deferred_init = p._deferred_init
        super().__init__(
            p.name, p.grad_req, p._shape, p.dtype, init=p.init, allow_deferred_init=p._allow_deferred_init
        )
        self._var, self._data, self._grad = p._var, p._data, p._grad
        self._ctx_list, self._ctx_map, self._trainer = p._ctx_list, p._ctx_map, p._trainer
        self.scale = scale

    def data(self, ctx=None):
        return self._check_and_get(self._data, ctx) * self.scale


def scaled_dense(known, initialized):
    net = nn.Dense(3, in_units=2 if known else 0, use_bias=False)
    if initialized:
        net.initialize("ones")
    weight = Scaled(net.weight)
    net.params._params[weight.name] = net._reg_params["weight"] = weight
    net.__dict__["weight"] = weight
    if not initialized:
        net.initialize("ones")
    return net


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize(("known", "initialized"), [(True, True), (True, False), (False, False)])
def test_blocks_ask_subclasses_for_their_values(hybridized, known, initialized):
    net = scaled_dense(known, initialized)
    net.hybridize(hybridized)
    x = mx.nd.array([[1.0, 2.0]])
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    assert net(x).asnumpy().tolist() == [[6, 6, 6]]
    with mx.autograd.record():
        y = net(x)
    y.backward()
    assert net.weight.grad().asnumpy().tolist() == [[2, 4]] * 3  # by the scale and the input
    trainer.step(1)
    assert net.weight.list_data()[0].asnumpy().tolist() == [[0, -1]] * 3
    assert net(x).asnumpy().tolist() == [[-4, -4, -4]]
    net.weight.scale = 3.0
    assert net(x).asnumpy().tolist() == [[-6, -6, -6]]


def test_fields_that_subclasses_take_over():
    p = gluon.Parameter("w", shape=(2, 0), allow_deferred_init=True)
    assert p._deferred_init == ()
    assert p._grad is None
    assert p._ctx_list is None
    p.initialize(init="ones")
    assert p._deferred_init[0] == "ones"
    assert p._deferred_init[1] == [mx.cpu()]
    q = gluon.Parameter("w", shape=(2, 3), allow_deferred_init=True)
    q._deferred_init = p._deferred_init
    q._finish_deferred_init()
    assert q.data().asnumpy().tolist() == [[1, 1, 1]] * 2
    assert q._deferred_init == ()
    assert [x.shape for x in q._grad] == [(2, 3)]
    assert q._ctx_list == [mx.cpu()]
    q._grad = [mx.nd.full((2, 3), 7)]
    assert q.grad().asnumpy().tolist() == [[7, 7, 7]] * 2
    assert q._check_and_get(q._data, list) is q._data
    with pytest.raises(mx.MXNetError, match="not initialized on context cpu"):
        q._check_and_get(q._data, mx.cpu(1))


def test_dictionaries_take_mappings():
    params, w = gluon.ParameterDict("a_"), gluon.Parameter("b_w", shape=(1,))
    params.update({"b_w": w})
    assert params["b_w"] is w
    with pytest.raises(mx.MXNetError, match="same name 'b_w'"):
        params.update({"b_w": gluon.Parameter("b_w", shape=(1,))})
