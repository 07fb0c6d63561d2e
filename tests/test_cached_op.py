"""`nd.CachedOp`: a Symbol called with arrays."""

from __future__ import annotations

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, nd, sym
from hybridonnx.errors import MXNetError


def layer():
    return sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")


def arrays(rows=2):
    rng = np.random.default_rng(rows)
    return [nd.array(rng.standard_normal(shape)) for shape in ((rows, 4), (3, 4), (3,))]


def expected(x, w, b):
    return x.asnumpy() @ w.asnumpy().T + b.asnumpy()


@pytest.mark.parametrize(
    "flags",
    [(), [("static_alloc", True)], {"static_alloc": "True", "static_shape": 1}, [("inline_limit", 2)]],
)
def test_calls(flags):
    cached = nd.CachedOp(layer(), flags)
    for rows in (2, 5, 2):
        xs = arrays(rows)
        np.testing.assert_allclose(cached(*xs).asnumpy(), expected(*xs), rtol=1e-5)


def test_weights_may_change_between_calls():
    cached, xs = nd.CachedOp(layer()), arrays()
    for _ in range(3):
        np.testing.assert_allclose(cached(*xs).asnumpy(), expected(*xs), rtol=1e-5)
        xs[1][:] = xs[1] * 2


def test_several_outputs_are_a_list():
    xs = arrays()
    single = layer()
    y, doubled = nd.CachedOp(sym.Group([single, single * 2]))(*xs)
    np.testing.assert_allclose(y.asnumpy() * 2, doubled.asnumpy())


def test_recorded():
    cached, xs = nd.CachedOp(layer()), arrays()
    for x in xs:
        x.attach_grad()
    with autograd.record():
        y = cached(*xs)
    y.backward()
    np.testing.assert_allclose(xs[1].grad.asnumpy(), np.tile(xs[0].asnumpy().sum(0), (3, 1)), rtol=1e-5)
    np.testing.assert_allclose(xs[2].grad.asnumpy(), [2, 2, 2])


def test_training_changes_states():
    normalized = sym.BatchNorm(sym.var("x"), name="bn", momentum=0.5)
    x = np.random.default_rng(0).standard_normal((6, 3)).astype("float32")
    states = [nd.ones(3), nd.zeros(3), nd.zeros(3), nd.ones(3)]
    cached = nd.CachedOp(normalized)
    cached(nd.array(x), *states)
    assert not states[2].asnumpy().any()
    with autograd.record():
        cached(nd.array(x), *states)
    np.testing.assert_allclose(states[2].asnumpy(), x.mean(0) / 2, rtol=1e-4, atol=1e-6)


def test_out():
    xs, out = arrays(), nd.zeros((2, 3))
    assert nd.CachedOp(layer())(*xs, out=out) is out
    np.testing.assert_allclose(out.asnumpy(), expected(*xs), rtol=1e-5)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("a Symbol is required, got int", lambda: nd.CachedOp(5)),
        ("got 'static_aloc'. Did you mean static_alloc", lambda: nd.CachedOp(layer(), [("static_aloc", 1)])),
        ("x, fc_weight, fc_bias are required, got NDArray", lambda: nd.CachedOp(layer())(nd.ones((2, 4)))),
        ("are required, got int, int, int", lambda: nd.CachedOp(layer())(1, 2, 3)),
        (r"out of shapes \[\(2, 3\)\]", lambda: nd.CachedOp(layer())(*arrays(), out=nd.zeros((2, 2)))),
    ],
)
def test_what_does_not_fit_is_refused(message, call):
    with pytest.raises(MXNetError, match=message):
        call()


def test_names():
    assert mx.nd.CachedOp is mx.ndarray.CachedOp
    assert "CachedOp" in dir(nd)
