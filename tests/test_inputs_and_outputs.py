"""Inputs and outputs keep their names and their order from an ONNX file to a block and back."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import hybridonnx as mx
from hybridonnx import symbol as sym
from hybridonnx.errors import MXNetError
from hybridonnx.gluon import HybridBlock, SymbolBlock
from hybridonnx.symbol.symbol import var

MODELS = 150


def model(nodes, inputs, outputs, weights=None) -> Any:
    def declared(names):
        return [helper.make_tensor_value_info(name, TensorProto.FLOAT, (2,)) for name in names]

    tensors = [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()]
    graph = helper.make_graph(nodes, "test", declared(inputs), declared(outputs), tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def session(source):
    return onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"])


def called(net, arrays):
    outputs = net(*map(mx.nd.array, arrays))
    return [y.asnumpy() for y in (outputs if isinstance(outputs, list) else [outputs])]


@pytest.mark.parametrize("read", [mx.onnx.import_to_gluon, lambda path: SymbolBlock.imports(path, [])])
def test_inputs_in_the_order_of_the_file(tmp_path, read):
    path = str(tmp_path / "m.onnx")
    nodes = [helper.make_node("Neg", ["b"], ["n"]), helper.make_node("Add", ["n", "a"], ["y"])]
    onnx.save(model(nodes, ["a", "b", "unused"], ["y"]), path)
    net = read(path)
    (y,) = called(net, np.array([[1, 1], [10, 10], [0, 0]], "float32"))
    assert y.tolist() == [-9, -9]
    again = mx.onnx.export_model(net, str(tmp_path / "n.onnx"), input_shapes=[(2,), (2,), (2,)])
    assert [i.name for i in session(again).get_inputs()] == ["a", "b", "unused"]
    assert [o.name for o in session(again).get_outputs()] == ["y"]


def test_names_give_another_order(tmp_path):
    path = str(tmp_path / "m.onnx")
    onnx.save(model([helper.make_node("Sub", ["a", "b"], ["y"])], ["a", "b", "unused"], ["y"]), path)
    for names in (["b", "a"], ["b", "a", "unused"]):
        net = SymbolBlock.imports(path, names)
        assert called(net, [np.array([i, i], "float32") for i in range(len(names))])[0].tolist() == [1, 1]
    for names in (["a"], ["a", "b", "c"]):
        with pytest.raises(MXNetError, match="the inputs a, b, unused are required by name"):
            SymbolBlock.imports(path, names)


def random_model(rng) -> Any:
    """Few nodes over inputs that come in any order or not at all; inputs and weights may be outputs."""
    inputs = [f"in{i}" for i in rng.permutation(4)]
    weights = {f"w{i}": rng.standard_normal(2).astype("float32") for i in range(2)}
    values, nodes = [*inputs, *weights], []
    for i in range(int(rng.integers(1, 5))):
        op_type = str(rng.choice(["Sub", "Div", "Neg", "Identity"]))
        sources = [str(name) for name in rng.choice(values, 1 if op_type in ("Neg", "Identity") else 2)]
        # some names as exported files have them, some as MXNet numbers outputs, some that look made up
        name = str(rng.choice([f"y{i}", f"y{i}_output", f"node{i}_output0", "const", f"in0_{i}"]))
        name = name if name not in values else f"z{i}"
        nodes.append(helper.make_node(op_type, sources, [name], name=str(rng.choice(["", f"n{i}"]))))
        values.append(name)
    outputs = [str(name) for name in rng.choice(values, int(rng.integers(1, 5)), replace=False)]
    return model(nodes, inputs, outputs, weights)


def test_random_models_there_and_back(tmp_path):
    for seed in range(MODELS):
        rng = np.random.default_rng(seed)
        proto = random_model(rng)
        path = str(tmp_path / "m.onnx")
        onnx.save(proto, path)
        original = session(path)
        inputs, outputs = [i.name for i in proto.graph.input], [o.name for o in proto.graph.output]
        arrays = [rng.uniform(1, 2, 2).astype("float32") for _ in inputs]
        expected = original.run(None, dict(zip(inputs, arrays, strict=True)))
        net = mx.onnx.import_to_gluon(path)
        for a, b in zip(called(net, arrays), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, err_msg=str(seed))
        again = session(
            mx.onnx.export_model(net, str(tmp_path / "n.onnx"), input_shapes=[(2,)] * len(inputs))
        )
        assert [i.name for i in again.get_inputs()] == inputs, seed
        assert [o.name for o in again.get_outputs()] == outputs, seed
        for a, b in zip(again.run(None, dict(zip(inputs, arrays, strict=True))), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, err_msg=str(seed))
        net.hybridize()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of inputs that nothing reads
            for a, b in zip(called(net, arrays), expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6, err_msg=str(seed))


class Three(HybridBlock):
    """Reads its last input first and the second not at all."""

    def hybrid_forward(self, F, x, y, z):
        return F.negative(z) + x


def test_a_block_exports_its_signature(tmp_path):
    net = Three()
    path = str(tmp_path / "net.onnx")
    shapes = {"data2": (2, 3), "data0": (2, 3), "data1": (7,)}
    types = {"data1": "int32", "data0": "float32", "data2": "float32"}
    mx.onnx.export_model(net, path, input_shapes=shapes, in_types=types)
    declared = session(path).get_inputs()
    assert [(i.name, i.shape, i.type) for i in declared] == [
        ("data0", [2, 3], "tensor(float)"),
        ("data1", [7], "tensor(int32)"),
        ("data2", [2, 3], "tensor(float)"),
    ]
    x, y, z = np.full((2, 3), 1, "float32"), np.zeros(7, "int32"), np.full((2, 3), 10, "float32")
    (difference,) = session(path).run(None, {"data0": x, "data1": y, "data2": z})
    np.testing.assert_array_equal(difference, x - z)
    assert mx.onnx.verify(net, path, {"data2": z, "data1": y, "data0": x}).ok(0)
    assert mx.onnx.verify(net, path).ok(0)
    assert mx.onnx.verify(net, shapes=[(2, 3), (7,), (2, 3)]).ok(0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: mx.onnx.export_model(Three(), "m.onnx", input_shapes=dict.fromkeys("xyz", (2,))),
            "got x, y, z",
        ),
        (lambda: mx.onnx.verify(Three(), inputs={"x": 1, "y": 1, "z": 1}), "data0, data1, data2 is required"),
    ],
)
def test_names_that_a_block_does_not_have(call, message):
    with pytest.raises(MXNetError, match=message):
        call()


def test_a_block_with_a_label_is_compared_without(tmp_path):
    graph = sym.SoftmaxOutput(sym.FullyConnected(var("data"), num_hidden=3, name="fc"), var("label"))
    net = SymbolBlock(graph, [var("data"), var("label")])
    net.initialize()
    path = str(tmp_path / "net.onnx")
    mx.onnx.export_model(net, path, input_shapes=[(2, 4), (2,)])
    assert [i.name for i in session(path).get_inputs()] == ["data"]
    assert mx.onnx.verify(net, path).ok(1e-5)


def test_nested_inputs_are_compared():
    cell = mx.gluon.rnn.LSTMCell(3, input_size=2)
    cell.initialize()
    x, h, c = (np.full((1, size), size, "float32") for size in (2, 3, 3))
    cell.hybridize()
    cell(mx.nd.array(x), [mx.nd.array(h), mx.nd.array(c)])
    report = mx.onnx.verify(cell, inputs=[x, h, c])
    assert report.ok(1e-5), report
    assert len(report.call) == len(report.outputs) == 3
