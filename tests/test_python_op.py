"""The older custom operators: `NumpyOp` and `NDArrayOp`, objects that are called with symbols."""

from __future__ import annotations

import numpy as np
import pytest

from hybridonnx import cpu, nd, onnx, operator, sym
from hybridonnx.errors import ConversionError, MXNetError
from hybridonnx.gluon import SymbolBlock

X = np.random.default_rng(0).standard_normal((4, 3)).astype("float32")
LABELS = np.array([0, 2, 1, 1], "float32")


class NumpySoftmax(operator.NumpyOp):
    """Softmax with the gradient of its cross entropy."""

    def __init__(self):
        super().__init__(False)

    def list_arguments(self):
        return ["data", "label"]

    def list_outputs(self):
        return ["output"]

    def infer_shape(self, in_shape):
        return [in_shape[0], (in_shape[0][0],)], [in_shape[0]]

    def forward(self, in_data, out_data):
        x, y = in_data[0], out_data[0]
        assert type(x) is type(y) is np.ndarray
        y[:] = np.exp(x - x.max(axis=1, keepdims=True))
        y /= y.sum(axis=1, keepdims=True)

    def backward(self, out_grad, in_data, out_data, in_grad):
        assert out_grad == []
        labels, dx = in_data[1].astype(int), in_grad[0]
        dx[:] = out_data[0]
        dx[np.arange(len(labels)), labels] -= 1


class Square(operator.NDArrayOp):
    """The second power."""

    def forward(self, in_data, out_data):
        out_data[0][:] = in_data[0] * in_data[0]

    def backward(self, out_grad, in_data, out_data, in_grad):
        in_grad[0][:] = in_data[0] * 2 * out_grad[0]


def softmax(x):
    y = np.exp(x)
    return y / y.sum(1, keepdims=True)


def test_softmax_of_numpy():
    net = NumpySoftmax()(data=sym.var("x") * 2, name="soft")
    assert net.list_arguments() == ["x", "soft_label"]
    assert net.list_outputs() == ["soft_output"]
    assert net.infer_shape(x=X.shape) == ([(4, 3), (4,)], [(4, 3)], [])
    executor = net.simple_bind(cpu(), x=X.shape)
    y = executor.forward(is_train=True, x=nd.array(X), soft_label=nd.array(LABELS))[0]
    np.testing.assert_allclose(y.asnumpy(), softmax(X * 2), rtol=1e-5)
    executor.backward()
    expected = 2 * (softmax(X * 2) - np.eye(3)[LABELS.astype(int)])
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_power_of_arrays():
    net = Square()(sym.var("x"), name="square")
    executor = net.simple_bind(cpu(), x=X.shape)
    y = executor.forward(is_train=True, x=nd.array(X))[0]
    np.testing.assert_allclose(y.asnumpy(), X**2)
    executor.backward(nd.ones(X.shape) * 3)
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), 6 * X, rtol=1e-6)


@pytest.mark.parametrize("kind", [operator.NumpyOp, operator.NDArrayOp])
def test_without_methods_it_is_the_identity(kind):
    """Its gradient is 1, whatever that of its output."""
    executor = kind()(sym.var("x")).simple_bind(cpu(), x=X.shape)
    assert (executor.forward(is_train=True, x=nd.array(X))[0].asnumpy() == X).all()
    executor.backward(nd.ones(X.shape) * 3)
    assert (executor.grad_dict["x"].asnumpy() == 1).all()


def test_one_object_serves_many_nodes_and_a_block():
    square = Square()
    net = square(square(sym.var("x")))
    assert net.name.startswith("_ndarray")
    block = SymbolBlock(net, [sym.var("x")])
    for _ in range(2):
        np.testing.assert_allclose(block(nd.array(X)).asnumpy(), X**4, rtol=1e-5)
        block.hybridize()


def test_inputs_are_read_only_for_numpy():
    class Writes(operator.NumpyOp):
        def forward(self, in_data, out_data):
            in_data[0][:] = 0

    executor = Writes()(sym.var("x")).simple_bind(cpu(), x=X.shape)
    with pytest.raises(MXNetError, match="read-only"):
        executor.forward(x=nd.array(X))[0].asnumpy()


def test_what_it_cannot_be(tmp_path):
    with pytest.raises(MXNetError):
        Square()(nd.ones((2, 2)))
    with pytest.raises(ConversionError, match="runs Python code"):
        onnx.export_model(Square()(sym.var("x")), {}, [(2, 2)], [np.float32], str(tmp_path / "x.onnx"))
