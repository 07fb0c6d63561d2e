"""Multiply-adds of ONNX graphs, against numbers that are worked out by hand."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import hybridonnx as mx
from hybridonnx import gluon, nd, sym
from hybridonnx.converters.multiply_adds import UNCOUNTED, is_read
from hybridonnx.errors import MXNetError
from hybridonnx.onnx.inspection import inspect
from hybridonnx.onnx.weights import odd_weights

F = TensorProto.FLOAT


def model(nodes, inputs, outputs=("y",), weights=(), opset=20, infos=()):
    """A model of nodes; inputs and weights are shapes by name, or arrays."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, F, shape) for name, shape in dict(inputs).items()],
        [helper.make_tensor_value_info(name, F, None) for name in outputs],
        [
            onnx.numpy_helper.from_array(w if isinstance(w, np.ndarray) else np.zeros(w, np.float32), name)
            for name, w in dict(weights).items()
        ],
        value_info=infos,
    )
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports)


def node(op_type, *inputs, outputs=("y",), **attributes):
    return helper.make_node(op_type, list(inputs), list(outputs), name=op_type.lower(), **attributes)


BY_HAND = {
    # 2 items × 8 channels × 5 × 4 places, each 6 channels × 3 × 2 numbers
    "Conv": ([node("Conv", "x", "w")], {"x": (2, 6, 7, 5)}, {"w": (8, 6, 3, 2)}, 2 * 8 * 5 * 4 * 6 * 3 * 2),
    # in 2 groups each output sees half of the channels; stride 2 and padding leave 4 × 3 places
    "grouped Conv": (
        [node("Conv", "x", "w", group=2, strides=[2, 2], pads=[1, 1, 1, 1])],
        {"x": (1, 6, 7, 5)},
        {"w": (8, 3, 3, 3)},
        8 * 4 * 3 * 3 * 9,
    ),
    # every number of the input is multiplied with a whole kernel for each of 4 channels
    "ConvTranspose": (
        [node("ConvTranspose", "x", "w", strides=[2, 2])],
        {"x": (1, 3, 5, 6)},
        {"w": (3, 4, 2, 2)},
        3 * 5 * 6 * 4 * 4,
    ),
    "Gemm": ([node("Gemm", "x", "w", transA=1, transB=1)], {"x": (7, 2)}, {"w": (3, 7)}, 2 * 3 * 7),
    "MatMul": ([node("MatMul", "x", "w")], {"x": (4, 2, 5, 7)}, {"w": (7, 3)}, 4 * 2 * 5 * 7 * 3),
    "product of vectors": ([node("MatMul", "x", "w")], {"x": (7,)}, {"w": (7,)}, 7),
    # 9 steps × 2 items × 4 gates × (5 inputs + 3 states) × 3 states, in both directions
    "LSTM": (
        [node("LSTM", "x", "w", "r", outputs=["y"], hidden_size=3, direction="bidirectional")],
        {"x": (9, 2, 5)},
        {"w": (2, 12, 5), "r": (2, 12, 3)},
        2 * 9 * 2 * 4 * (5 + 3) * 3,
    ),
    "GRU": (
        [node("GRU", "x", "w", "r", hidden_size=4)],
        {"x": (9, 2, 5)},
        {"w": (1, 12, 5), "r": (1, 12, 4)},
        9 * 2 * 3 * (5 + 4) * 4,
    ),
    # softmax(q kᵀ) v over 2 items × 3 heads of 5 queries and 6 keys with 8 numbers each
    "attention of products": (
        [
            node("Transpose", "k", outputs=["t"], perm=[0, 1, 3, 2]),
            node("MatMul", "q", "t", outputs=["s"]),
            node("Softmax", "s", outputs=["p"]),
            node("MatMul", "p", "v"),
        ],
        {"q": (2, 3, 5, 8), "k": (2, 3, 6, 8), "v": (2, 3, 6, 8)},
        {},
        2 * (2 * 3 * 5 * 6 * 8),
    ),
    "Einsum": (
        [node("Einsum", "x", "w", equation="b...i,ij->b...j")],
        {"x": (2, 3, 4, 5)},
        {"w": (5, 6)},
        2 * 3 * 4 * 5 * 6,
    ),
    "none": ([node("Relu", "x")], {"x": (2, 3)}, {}, 0),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name):
    nodes, inputs, weights, expected = BY_HAND[name]
    content = inspect(model(nodes, inputs, weights=weights))
    assert not content.uncounted
    assert content.total_multiply_adds() == expected


@pytest.mark.skipif(onnx.defs.onnx_opset_version() < 23, reason="Attention is newer")
@pytest.mark.parametrize("axes", [3, 4])
def test_attention(axes):
    """4 heads of 8 numbers for queries, 2 heads for 6 keys, values with 5 numbers."""
    shapes = {"q": (2, 4, 7, 8), "k": (2, 2, 6, 8), "v": (2, 2, 6, 5)}
    attributes = {}
    if axes == 3:
        shapes = {name: (n, length, heads * size) for name, (n, heads, length, size) in shapes.items()}
        attributes = {"q_num_heads": 4, "kv_num_heads": 2}
    content = inspect(model([node("Attention", *shapes, **attributes)], shapes, opset=23))
    assert content.total_multiply_adds() == 2 * 4 * 7 * 6 * (8 + 5)


def test_free_sizes():
    dense = model([node("MatMul", "x", "w")], {"x": ("n", None, 5)}, weights={"w": (5, 3)})
    content = inspect(dense)
    assert content.free_sizes == ["n", "x_1"]
    assert content.sizes == {"n": 1, "x_1": 1}
    assert content.total_multiply_adds() == 15
    assert inspect(dense, sizes={"n": 4, "x_1": 2}).total_multiply_adds() == 8 * 15
    assert inspect(dense, shapes=[(4, 2, 5)]).total_multiply_adds() == 8 * 15
    with pytest.raises(MXNetError, match="names of free sizes are required in sizes, got m; there are"):
        inspect(dense, sizes={"m": 1})


def test_sizes_that_a_graph_cannot_have():
    conv = model([node("Conv", "x", "w")], {"x": (1, 2, "n")}, weights={"w": (4, 2, 3)})
    assert "(the graph may be counted with other numbers for its free sizes)" in str(inspect(conv))
    assert inspect(conv, sizes={"n": 5}).total_multiply_adds() == 4 * 3 * 6


def test_what_a_file_says_of_other_sizes_is_not_believed():
    """An exporter wrote the sizes of its example, of 3 items, beside a free size."""
    infos = [helper.make_tensor_value_info("h", F, (3, 5))]
    nodes = [node("Relu", "x", outputs=["h"]), node("MatMul", "h", "w")]
    dense = model(nodes, {"x": ("n", 5)}, weights={"w": (5, 2)}, infos=infos)
    assert inspect(dense, sizes={"n": 7}).total_multiply_adds() == 7 * 10


def test_sizes_are_followed_through_shapes():
    """The rows of a product are what a graph computes from its input's shape."""
    nodes = [
        node("Shape", "x", outputs=["s"]),
        node("Slice", "s", "zero", "one", outputs=["n"]),
        node("Mul", "n", "two", outputs=["rows"]),
        node("Concat", "rows", "five", outputs=["shape"], axis=0),
        node("Reshape", "x", "shape", outputs=["h"]),
        node("MatMul", "h", "w"),
    ]
    weights = {name: np.int64([k]) for name, k in {"zero": 0, "one": 1, "two": 2, "five": 5}.items()}
    content = inspect(model(nodes, {"x": ("n", 10)}, weights={**weights, "w": (5, 3)}), sizes={"n": 3})
    assert not content.uncounted
    assert content.total_multiply_adds() == 3 * 2 * 5 * 3


def test_what_is_not_counted_is_named():
    nodes = [
        node("Det", "x", outputs=["d"]),
        node("MultiHeadAttention", "x", outputs=["m"], domain="com.microsoft"),
        node("NonZero", "x", outputs=["i"]),
        node("Cast", "i", outputs=["f"], to=F),
        node("MatMul", "f", "w"),
    ]
    content = inspect(model(nodes, {"x": (3, 3)}, weights={"w": (3, 3)}))
    assert content.uncounted == {
        "Det: there is no rule for it": ["det"],
        "com.microsoft.MultiHeadAttention: there is no rule for it": ["multiheadattention"],
        "MatMul: its sizes are not known before it runs": ["matmul"],
    }
    assert "multiply-adds: unknown" in str(content)
    assert "not counted: Det: there is no rule for it (det)" in str(content)


def test_every_operator_of_onnx_is_read():
    schemas = onnx.defs.get_all_schemas_with_history()
    names = {schema.name for schema in schemas if schema.domain == ""}
    assert not sorted(name for name in names if not is_read(name))
    assert all(is_read(name) for name in UNCOUNTED)


def body(rows):
    """The product of a state with a matrix, as a graph inside of a node."""
    state = helper.make_tensor_value_info("state", F, (rows, 4))
    after = helper.make_tensor_value_info("after", F, (rows, 4))
    return state, after, node("MatMul", "state", "w", outputs=["after"])


def test_loops_and_branches():
    state, after, product = body(2)
    count = helper.make_tensor_value_info("i", TensorProto.INT64, ())
    flag = helper.make_tensor_value_info("c", TensorProto.BOOL, ())
    same = helper.make_tensor_value_info("same", TensorProto.BOOL, ())
    keep = node("Identity", "c", outputs=["same"])
    rounds = helper.make_graph([keep, product], "body", [count, flag, state], [same, after])
    loop = node("Loop", "most", "", "x", body=rounds)
    weights = {"w": (4, 4), "most": np.array(6)}
    assert inspect(model([loop], {"x": (2, 4)}, weights=weights)).total_multiply_adds() == 6 * 2 * 16
    cheap = helper.make_graph([node("Identity", "x", outputs=["a"])], "cheap", [], [vi("a")])
    dear = helper.make_graph([node("MatMul", "x", "w", outputs=["b"])], "dear", [], [vi("b")])
    choice = node("If", "yes", then_branch=cheap, else_branch=dear)
    weights = {"w": (4, 4), "yes": np.ones((), bool)}
    assert inspect(model([choice], {"x": (2, 4)}, weights=weights)).total_multiply_adds() == 2 * 16
    scan = helper.make_graph(
        [node("MatMul", "row", "w", outputs=["z"])],
        "scan",
        [helper.make_tensor_value_info("row", F, (2, 4))],
        [vi("z")],
    )
    scanned = node("Scan", "x", body=scan, num_scan_inputs=1)
    assert inspect(model([scanned], {"x": (5, 2, 4)}, weights={"w": (4, 4)})).total_multiply_adds() == 5 * 32


def vi(name):
    return helper.make_tensor_value_info(name, F, (2, 4))


def test_graphs_of_mxnet(tmp_path):
    """A convolution and a dense layer: 2 × 4 × 6 × 6 places of 27 numbers, and 2 × 5 of 144."""
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Conv2D(4, 3, in_channels=3), gluon.nn.Dense(5, in_units=144))
    net.initialize()
    net.hybridize()
    net(nd.zeros((1, 3, 8, 8)))
    expected = 2 * 4 * 36 * 27 + 2 * 5 * 144
    content = inspect(net, shapes=[("n", 3, 8, 8)], sizes={"n": 2})
    assert content.total_multiply_adds() == expected
    assert content.operators == {"Convolution": 1, "FullyConnected": 1}
    assert sum(item.bytes for item in content.parameters) == 4 * (4 * 27 + 4 + 5 * 144 + 5)
    symbol, params = net.export(str(tmp_path / "net"))
    content = inspect(symbol, params, shapes={"data": (2, 3, 8, 8)})
    assert content.total_multiply_adds() == expected
    assert content.outputs[0].shape == (2, 5)
    assert "shapes of these inputs are required" in str(inspect(symbol, params))
    path = mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[("n", 3, 8, 8)])
    assert inspect(path, sizes={"n": 2}).total_multiply_adds() == expected
    assert inspect(path, count=False).multiply_adds == {}


def test_weights_that_are_odd(tmp_path):
    a = np.float32([1, 1e-40, -1e-41, 0])
    b = np.float32([np.inf, np.nan, np.nan, 1])
    params = {"a": nd.array(a), "b": nd.array(b), "c": nd.ones((2,)), "h": nd.array([6e-8], dtype="float16")}
    rows = {row.name: row[1:] for row in odd_weights(sym.var("a"), params)}
    assert rows == {"a": (4, 2, 0, 0), "b": (4, 0, 1, 2)}
    stored = model([node("Add", "x", "a")], {"x": (4,)}, weights={"a": a})
    assert [str(row) for row in odd_weights(stored)] == ["a: 2 denormal of 4 numbers"]
    nd.save(str(tmp_path / "p.params"), {f"arg:{name}": array for name, array in params.items()})
    sym.var("a").save(str(tmp_path / "s.json"))
    files = str(tmp_path / "s.json"), str(tmp_path / "p.params")
    assert [row.name for row in odd_weights(*files)] == ["a", "b"]
