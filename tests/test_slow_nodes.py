"""Nodes that ONNX Runtime is slow at, which hybridized graphs spell out: docs/onnxruntime.md."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx.converters.to_onnx import Local, lower, lower_operator
from hybridonnx.ops import Spec, find

X = mx.sym.var("x")


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    ("shape", "axes", "is_product"),
    [
        ((900, 7), 0, True),
        ((30, 40, 8), (0, 1), True),
        ((30, 40, 8), (-3, -2), True),
        ((30, 40, 8), (1, 0), True),
        ((30, 40, 8), (0, 2), False),
        ((30, 40, 8), 2, False),
        ((5000,), 0, False),
        ((4, 2000), 0, False),
        ((20, 20), 0, False),
    ],
)
def test_sums_over_first_axes_of_hybridized_networks_are_products(shape, axes, is_product, keepdims, rng):
    x = rng.standard_normal(shape).astype("float32")
    symbol = mx.sym.sum(X, axis=axes, keepdims=keepdims)
    local = lower(symbol, {"x": Spec(shape, x.dtype)}, {}, local=Local()).model
    assert ("MatMul" in {node.op_type for node in local.graph.node}) == is_product
    block = mx.gluon.SymbolBlock(symbol, [X])
    block.hybridize()
    y = block(mx.nd.array(x)).asnumpy()
    expected = x.sum(axes, keepdims=keepdims, dtype="float64")
    np.testing.assert_allclose(y, expected.reshape(y.shape), rtol=1e-5, atol=1e-4)
    assert y.shape == (expected.shape or (1,))
    x.flat[:3] = np.nan, np.inf, -np.inf
    expected = x.sum(axes, keepdims=keepdims).reshape(y.shape)
    np.testing.assert_allclose(block(mx.nd.array(x)).asnumpy(), expected, rtol=1e-5, atol=1e-4)


def test_softplus_of_hybridized_networks_keeps_its_digits():
    x = np.concatenate([np.linspace(-87, 87, 4001), [0, -0.0, 1e-30, -1e-30, 1e38, -1e38]]).astype("float32")
    exact = np.logaddexp(0, x.astype("float64"))
    softened = mx.sym.Activation(X, act_type="softrelu")
    for symbol, expected in ((softened, exact), (-mx.sym.log(mx.sym.sigmoid(-X)), exact)):
        block = mx.gluon.SymbolBlock(symbol, [X])
        block.hybridize()
        y = block(mx.nd.array(x)).asnumpy()
        np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-38)
        odd = block(mx.nd.array([np.nan, np.inf, -np.inf])).asnumpy()
        np.testing.assert_array_equal(odd, [np.nan, np.inf, 0])
    specs = {"x": Spec((3,), x.dtype)}
    local, file = lower(softened, specs, {}, local=Local()).model, lower(softened, specs, {}).model
    assert "Softplus" not in {node.op_type for node in local.graph.node}
    assert [node.op_type for node in file.graph.node] == ["Softplus"]


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("_pool_grad", {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)}),
        ("_put_along_axis", {"axis": None}),
    ],
)
def test_scattered_gradients_are_not_copied_into_their_shape(name, attributes, rng):
    """ONNX Runtime copies what it gives another shape at last, which who runs it can see for nothing."""
    op, x = find(name).make(attributes), rng.standard_normal((2, 3, 9, 8)).astype("float32")
    if name == "_pool_grad":
        arrays = [rng.standard_normal((2, 3, 5, 4)).astype("float32"), x]
    else:
        arrays = [rng.standard_normal(7).astype("float32"), rng.permutation(x.size)[:7], x]
    lowered = lower_operator(op, [Spec(a.shape, a.dtype) for a in arrays], local=Local(views=True))
    assert [node.op_type for node in lowered.model.graph.node][-1] == "ScatterElements"
    session = ort.InferenceSession(lowered.model.SerializeToString())
    named = zip(op.input_names(), arrays, strict=True)
    (y,) = session.run(None, {key: array for key, array in named if key in lowered.inputs})
    (shape,) = lowered.views.values()
    np.testing.assert_allclose(y.reshape(shape), op.forward(*arrays), rtol=1e-6)
