"""Models train beside inputs, results and values in between whose element types MXNet lacks."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import hybridonnx as mx
from hybridonnx import autograd, nd
from hybridonnx.ndarray.ndarray import NDArray

F32 = TensorProto.FLOAT
WHOLE = ["INT16", "UINT16", "UINT32", "UINT64", "INT4", "UINT4", "STRING"]
ROUNDED = ["BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ"]
COMPLEX = ["COMPLEX64", "COMPLEX128"]


def network(nodes, kind, inputs, outputs):
    """A block that multiplies `x` and the parameter `w` to `p`; others are of the element type."""

    def typed(names):
        return [helper.make_tensor_value_info(n, F32 if n in ("x", "y") else kind, [3]) for n in names]

    made = [helper.make_node(op, takes, gives, **attributes) for op, takes, gives, attributes in nodes]
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "w"], ["p"]), *made],
        "graph",
        typed(inputs),
        typed(outputs),
        [numpy_helper.from_array(np.float32([1, 1, 2]), "w")],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return mx.onnx.import_to_gluon(proto.SerializeToString())


def gradients(net, hybrid, *others):
    """Those of the first output's sum, by `x` and `w`, at which `x` is (1, 2, 1)."""
    net.hybridize(hybrid)
    x = nd.array([1, 2, 1])
    x.attach_grad()
    with autograd.record():
        y = net(x, *others)
        (y[0] if isinstance(y, list) else y).sum().backward()
    return x.grad.asnumpy().tolist(), net.collect_params()["w"].grad().asnumpy().tolist()


def array(kind):
    """Ones and a zero, or texts."""
    if kind == TensorProto.STRING:
        return NDArray(np.array(["1", "0", "1"], object))
    return NDArray(np.array([1, 0, 1]).astype(helper.tensor_dtype_to_np_dtype(kind)))


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("name", WHOLE + ROUNDED + COMPLEX)
def test_an_input_that_is_a_result(name, hybrid):
    kind = getattr(TensorProto, name)
    net = network([("Identity", ["p"], ["y"], {}), ("Identity", ["i"], ["z"], {})], kind, "xi", "yz")
    assert gradients(net, hybrid, array(kind)) == ([1, 1, 2], [1, 2, 1])


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("name", WHOLE + ROUNDED)
def test_results_of_parameters(name, hybrid):
    """A result that the loss does not read has no part in the gradient."""
    kind = getattr(TensorProto, name)
    net = network([("Identity", ["p"], ["y"], {}), ("Cast", ["p"], ["z"], {"to": kind})], kind, "x", "yz")
    assert gradients(net, hybrid) == ([1, 1, 2], [1, 2, 1])


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("name", WHOLE + ROUNDED)
def test_values_that_are_rounded(name, hybrid):
    """Whole numbers and texts have no slope; coarse floating-point numbers pass it on, as in PyTorch."""
    kind, times = getattr(TensorProto, name), 2 if name in ROUNDED else 1
    nodes = [("Cast", ["p"], ["q"], {"to": kind}), ("Cast", ["q"], ["r"], {"to": F32})]
    net = network([*nodes, ("Add", ["p", "r"], ["y"], {})], kind, "x", "y")
    assert gradients(net, hybrid) == ([times, times, 2 * times], [times, 2 * times, times])


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("name", WHOLE[:4] + ROUNDED[:1])
def test_parts_of_an_input(name, hybrid):
    """One part of a node with several is read, the others are results or are not read."""
    kind = getattr(TensorProto, name)
    nodes = [
        ("Split", ["i"], ["a", "b", "c"], {"num_outputs": 3}),
        ("Cast", ["a"], ["f"], {"to": F32}),
        ("Mul", ["p", "f"], ["y"], {}),
        ("Concat", ["c", "b", "a"], ["z"], {"axis": 0}),
    ]
    net = network(nodes, kind, "xi", "yz")
    assert gradients(net, hybrid, array(kind)) == ([1, 1, 2], [1, 2, 1])


@pytest.mark.parametrize("name", WHOLE + ROUNDED + COMPLEX)
def test_zeros(name):
    data = array(getattr(TensorProto, name))
    zeros = nd.zeros_like(data)
    assert zeros.dtype == data.dtype
    assert zeros.asnumpy().tolist() == [""] * 3 if name == "STRING" else not zeros.asnumpy().any()
