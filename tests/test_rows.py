"""Which models treat rows one by one, so that those of several requests may be batched."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import hybridonnx as mx
from hybridonnx.gluon import nn, rnn
from hybridonnx.onnx.open_models import model_files, open_model
from hybridonnx.onnx.rows import rows_fault

X = mx.sym.var("data")
NUMBERS = "gives other numbers for rows together than for each"
GRAPHS = {
    "elementwise": (mx.sym.relu(X, name="y"), ("n", 4), ""),
    "softmax over classes": (mx.sym.softmax(X, axis=1, name="y"), ("n", "m"), ""),
    "softmax over rows": (mx.sym.softmax(X, axis=0, name="y"), ("n", 4), NUMBERS),
    "cumulated": (mx.sym.cumsum(X, axis=0, name="y"), ("n", 4), NUMBERS),
    "sorted": (mx.sym.sort(X, axis=0, name="y"), ("n", 4), NUMBERS),
    "turned": (mx.sym.reverse(X, axis=0, name="y"), ("n", 4), NUMBERS),
    "one mean": (mx.sym.mean(X, name="y"), ("n", 4), "has "),
    "twice the rows": (mx.sym.Reshape(X, shape=(-1, 2), name="y"), ("n", 4), "has 6 rows for 3"),
    "fixed": (mx.sym.relu(X, name="y"), (4, 4), "the first size of each input is not free"),
    "square": (mx.sym.relu(X, name="y"), ("n", "n"), "the first size of an input is that of another axis"),
}


def fault_of(path, **options):
    files = model_files(path)
    return rows_fault(open_model(files, 1), files, **options)


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs(name, tmp_path):
    graph, shape, said = GRAPHS[name]
    mx.onnx.export_model(graph, {}, [shape], "float32", str(tmp_path / "m.onnx"))
    fault = fault_of(tmp_path / "m.onnx")
    assert said in fault
    assert bool(fault) == bool(said)


def convolution():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.GlobalAvgPool2D(), nn.Dense(3))
    return net, ("n", 3, 9, 9), "float32"


def embedding():
    net = nn.HybridSequential()
    net.add(nn.Embedding(50, 8), nn.Dense(3))
    return net, ("n", 5), "int64"


BLOCKS = {
    "convolution": (convolution, ""),
    "embedding": (embedding, ""),  # whose numbers have to be in its table
    "rows first": (lambda: (rnn.LSTM(8, 2, layout="NTC"), ("n", "t", 4), "float32"), ""),
    "time first": (lambda: (rnn.LSTM(8, 2, bidirectional=True), ("t", "n", 4), "float32"), NUMBERS),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks(name, tmp_path):
    make, said = BLOCKS[name]
    net, shape, dtype = make()
    net.initialize(mx.init.Xavier())
    mx.onnx.export_model(net, str(tmp_path / "m.onnx"), input_shapes=[shape], in_types=dtype)
    fault = fault_of(tmp_path / "m.onnx")
    assert said in fault
    assert bool(fault) == bool(said)


def test_several_inputs(tmp_path):
    info, float32 = onnx.helper.make_tensor_value_info, onnx.TensorProto.FLOAT
    node = onnx.helper.make_node("Add", ["a", "b"], ["y"])
    for rows, said in ((("n", "n"), ""), (("n", 1), "the first size of each input is not free")):
        shapes = [(size, 3) for size in rows]
        inputs = [info(name, float32, shape) for name, shape in zip("ab", shapes, strict=True)]
        graph = onnx.helper.make_graph([node], "g", inputs, [info("y", float32, ("n", 3))])
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)])
        onnx.save(model, tmp_path / "m.onnx")
        assert fault_of(tmp_path / "m.onnx") == said


def test_files_of_mxnet(tmp_path):
    data = mx.sym.var("data", shape=(0, 3))
    for axis, fault in ((1, ""), (0, f"output y_output {NUMBERS}")):
        mx.nd.save(str(tmp_path / "m-0000.params"), {"arg:w": mx.nd.array(np.ones((1, 1)))})
        graph = mx.sym.broadcast_mul(data, mx.sym.var("w"))
        mx.sym.softmax(graph, axis=axis, name="y").save(str(tmp_path / "m-symbol.json"))
        assert fault_of(tmp_path / "m-symbol.json") == fault
