"""Scan out of ONNX models: imported, it computes what ONNX Runtime computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

import hybridonnx as mx
from hybridonnx.converters import from_onnx
from hybridonnx.errors import ConversionError
from hybridonnx.symbol.execute import execute

T, N, C = 5, 3, 4


def declared(**shapes: Any) -> list[Any]:
    return [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]


def model(nodes, inputs, outputs, **weights: Any) -> Any:
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "main", declared(**inputs), declared(**dict.fromkeys(outputs)), tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def body(nodes, inputs, outputs, **weights: Any) -> Any:
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()]
    return helper.make_graph(nodes, "body", declared(**inputs), declared(**dict.fromkeys(outputs)), tensors)


def feeds(**shapes: Any) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    return {name: rng.normal(size=shape).astype("float32") for name, shape in shapes.items()}


def check(proto: Any, values: dict[str, Any]) -> Any:
    """The imported Symbol, whose numbers are ONNX Runtime's, in memory and out of a file."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    expected = session.run(None, values)
    symbol, arguments, states = from_onnx.import_model(proto)
    arrays = {**arguments, **states, **{name: mx.nd.array(value) for name, value in values.items()}}
    for graph in (symbol, mx.sym.load_json(symbol.tojson())):
        for y, e in zip(execute(graph, arrays), expected, strict=True):
            assert y.shape == (e.shape or (1,))
            np.testing.assert_allclose(y.asnumpy().reshape(e.shape), e, rtol=1e-5, atol=1e-6)
    return symbol


def node(op: str, *names: str, **attributes: Any) -> Any:
    """A node from its inputs, "->" and its outputs."""
    at = names.index("->")
    return helper.make_node(op, names[:at], names[at + 1 :], **attributes)


def running_sum(**attributes: Any) -> Any:
    """h = h * w + x, with a weight from outside."""
    inner = body(
        [
            node("Mul", "h", "w", "->", "hw"),
            node("Add", "hw", "x", "->", "new"),
            node("Neg", "new", "->", "y"),
        ],
        {"h": (N, C), "x": (N, C)},
        ["new", "y"],
    )
    return node("Scan", "h0", "xs", "->", "last", "ys", body=inner, num_scan_inputs=1, **attributes)


@pytest.mark.parametrize("output_axis", [0, 1, -1])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("backward", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_axes_and_directions(axis, output_axis, backward):
    shape = [N, C]
    shape.insert(axis % 3, T)
    scan = running_sum(
        scan_input_axes=[axis],
        scan_output_axes=[output_axis],
        scan_input_directions=backward[:1],
        scan_output_directions=backward[1:],
    )
    w = np.linspace(0.5, 1, C, dtype="float32")
    proto = model([scan], {"h0": (N, C), "xs": tuple(shape)}, ["last", "ys"], w=w)
    symbol = check(proto, feeds(h0=(N, C), xs=shape))
    assert "w" in symbol.list_arguments()


def test_computed_values_from_outside_and_constants_of_one_name():
    inner = body(
        [
            node("Reshape", "x", "sizes", "->", "flat"),
            node("MatMul", "flat", "w", "->", "wx"),
            node("Add", "wx", "outside", "->", "sum"),
            node("Mul", "h", "k", "->", "hk"),
            node("Add", "hk", "sum", "->", "new"),
            node("Identity", "new", "->", "y"),
        ],
        {"h": (1, C), "x": (2, 2)},
        ["new", "y"],
        w=np.arange(C * C, dtype="float32").reshape(C, C) / 9,
        sizes=np.array([1, -1]),
    )
    nodes = [
        node("Mul", "a", "w", "->", "outside"),
        node("Scan", "h0", "xs", "->", "last", "ys", body=inner, num_scan_inputs=1),
        node("Add", "ys", "outside", "->", "z"),
    ]
    values = feeds(a=(C,), h0=(1, C), xs=(T, 2, 2))
    shapes = {name: value.shape for name, value in values.items()}
    constants = {"w": np.full(C, 3, "float32"), "k": np.array([0.5], "float32")}
    symbol = check(model(nodes, shapes, ["last", "z"], **constants), values)
    assert {"w", "w_1", "k"} <= set(symbol.list_arguments())


def test_scalars_that_are_scanned():
    inner = body(
        [node("Add", "h", "x", "->", "new"), node("Mul", "new", "x", "->", "y")],
        {"h": (), "x": ()},
        ["new", "y"],
    )
    nodes = [
        node("ReduceSum", "a", "->", "h0", keepdims=0),
        node("Scan", "h0", "xs", "->", "last", "ys", body=inner, num_scan_inputs=1),
    ]
    check(model(nodes, {"a": (C,), "xs": (T,)}, ["last", "ys"]), feeds(a=(C,), xs=(T,)))


def test_variables_and_data_without_use_and_outputs_that_are_inputs():
    inner = body(
        [
            node("Neg", "x", "->", "new"),
            node("Identity", "h", "->", "g"),
            node("Identity", "new", "->", "same"),
            node("Identity", "x", "->", "z"),  # without which ONNX Runtime gives zeros
        ],
        {"h": (N,), "forgotten": (N,), "x": (N,), "unread": (C,)},
        ["g", "new", "same", "z"],
    )
    scan = node("Scan", "h0", "k0", "xs", "us", "->", "h", "k", "y", "z", body=inner, num_scan_inputs=2)
    values = feeds(h0=(N,), k0=(N,), xs=(T, N), us=(T, C))
    values["k0"][0] = np.nan
    shapes = {name: value.shape for name, value in values.items()}
    check(model([scan], shapes, ["h", "k", "y", "z"]), values)


def test_a_scan_in_a_scan_takes_values_from_both_graphs_around():
    inner = body(
        [
            node("Mul", "s", "w", "->", "sw"),
            node("Add", "sw", "part", "->", "t"),
            node("Add", "t", "h", "->", "new"),
        ],
        {"s": (N,), "part": (N,)},
        ["new"],
    )
    outer = body(
        [
            node("Scan", "h", "x", "->", "new_h", body=inner, num_scan_inputs=1),
            node("Identity", "new_h", "->", "y"),
        ],
        {"h": (N,), "x": (C, N)},
        ["new_h", "y"],
    )
    scan = node("Scan", "h0", "xs", "->", "last", "ys", body=outer, num_scan_inputs=1)
    w = np.array([0.1, 0.2, 0.3], "float32")
    proto = model([scan], {"h0": (N,), "xs": (T, C, N)}, ["last", "ys"], w=w)
    check(proto, feeds(h0=(N,), xs=(T, C, N)))


def test_a_body_that_reads_no_data_is_refused():
    inner = body([node("Neg", "h", "->", "new")], {"h": (N,), "x": (N,)}, ["new"])
    scan = node("Scan", "h0", "xs", "->", "last", body=inner, num_scan_inputs=1)
    with pytest.raises(ConversionError, match="which is scanned"):
        from_onnx.import_model(model([scan], {"h0": (N,), "xs": (T, N)}, ["last"]))


class Net(mx.gluon.HybridBlock):
    """Two cells over a sequence, by foreach."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = mx.gluon.nn.Dense(C, flatten=False, in_units=C)

    def hybrid_forward(self, F, x, h):
        def step(part, state):
            new = F.tanh(self.dense(part) + state * 0.5)
            return new * 2, new

        ys, last = F.contrib.foreach(step, x, h)
        return F.concat(ys, F.expand_dims(last, axis=0), dim=0)


def test_foreach_comes_back_and_can_be_trained(tmp_path):
    net = Net()
    net.initialize()
    net.hybridize()
    x, h = (mx.nd.array(value) for value in feeds(x=(T, N, C), h=(N, C)).values())
    expected = net(x, h)
    net.export(str(tmp_path / "m"))
    mx.onnx.export_model(
        str(tmp_path / "m-symbol.json"),
        str(tmp_path / "m-0000.params"),
        [x.shape, h.shape],
        np.float32,
        str(tmp_path / "m.onnx"),
    )
    back = mx.onnx.import_to_gluon(str(tmp_path / "m.onnx"), ctx=mx.cpu())
    grads = []
    for block in (net, back):
        with mx.autograd.record():
            y = block(x, h)
            y.square().sum().backward()
        np.testing.assert_allclose(y.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)
        grads.append({p.shape: p.grad().asnumpy() for p in block.collect_params().values()})
    assert grads[0].keys() == grads[1].keys() == {(C, C), (C,)}
    for shape, grad in grads[0].items():
        np.testing.assert_allclose(grads[1][shape], grad, rtol=1e-4, atol=1e-5)
