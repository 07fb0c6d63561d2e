"""`mx.onnx.check`: what an export would write, against what it writes, and everything in its way at once."""

from __future__ import annotations

import json
from collections import Counter

import onnx
import pytest

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.attrs import text
from hybridonnx.converters.opsets import DEFAULT
from hybridonnx.converters.to_onnx import lower_operator
from hybridonnx.converters.to_onnx._survey import survey
from hybridonnx.gluon import nn
from hybridonnx.ops import Spec
from hybridonnx.symbol.compose import Outputs
from hybridonnx.symbol.graph import VARIABLE, Entry, Node
from tests.test_operators import FAMILIES


def in_files(op):
    return not (op.not_in_onnx or op.training or (op.draws() and op.noise == "other"))


CASES = [case for cases in FAMILIES.values() for case in cases[::5] if in_files(case.operator())]


def described(case):
    op = case.operator()
    return f"{op.names[0]}-{json.dumps({k: text(v) for k, v in op.attributes().items()}, default=str)}"


@pytest.mark.parametrize("case", CASES, ids=described)
def test_says_what_is_written(case):
    op = case.operator()
    specs = [Spec(array.shape, array.dtype) for array in case.arrays(case.dtypes[0])]
    names = op.input_names()
    node = Node(
        op.names[0],
        "node",
        {name: text(value) for name, value in op.attributes().items()},
        [Entry(Node(VARIABLE, name), 0) for name in names],
        op.subgraphs,
    )
    outputs = Outputs([Entry(node, i) for i in range(op.visible())])
    (row,) = survey(outputs, dict(zip(names, specs, strict=True)), {}, DEFAULT)[0].nodes
    model = lower_operator(op, specs, opset=DEFAULT, noise_inputs=False).model
    written = Counter(item.op_type for item in model.graph.node)
    surplus = written - Counter(row.written)
    assert not Counter(row.written) - written
    assert set(surplus) <= {"Identity"}  # copies for the outputs' names


@pytest.fixture
def graph():
    """A Symbol with an operator that nobody knows, one without an ONNX form, and one that needs sizes."""
    x = sym.var("data")
    y = sym.Convolution(x, kernel=(3, 3), num_filter=4, name="conv")
    y = sym.relu(y, name="unknown")
    y = sym.exp(y, name="behind")
    y = sym.broadcast_add(y, sym.sample_gamma(sym.abs(x, name="abs"), x, name="gamma"), name="sum")
    graph = json.loads(y.tojson())
    for node in graph["nodes"]:
        if node["name"] == "unknown":
            node["op"] = "_contrib_Unheard"
    params = {"conv_weight": nd.ones((4, 3, 3, 3)), "conv_bias": nd.ones((4,))}
    return sym.load_json(json.dumps(graph)), params


def test_all_problems_at_once(graph):
    support = mx.onnx.check(*graph, [("n", 3, 8, 8)])
    assert not support.ok()
    rows = {node.name: node for node in support.nodes}
    assert rows["conv"].written == ("Conv",)
    assert rows["conv"].problem == ""
    assert rows["behind"].written == ("Exp",)
    assert rows["abs"].written == ("Abs",)
    assert "no operator has this name" in rows["unknown"].problem
    assert "a distribution that ONNX does not have" in rows["gamma"].problem
    assert set(support.problems()) == {rows["unknown"].problem, rows["gamma"].problem}
    shown = str(support)
    assert "2 of 6 nodes cannot be written:" in shown
    assert "(node gamma)" in shown
    assert "get_internals" in shown
    with pytest.raises(mx.errors.ConversionError, match=r"(?s)Unheard.*gamma"):
        mx.onnx.export_model(*graph, [("n", 3, 8, 8)])


def test_sizes_that_a_lowering_needs_are_named():
    x = sym.var("data")
    y = sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="avg", pooling_convention="full")
    support = mx.onnx.check(y, {}, [(1, 2, "h", "w")])
    ((problem, names),) = support.problems().items()
    assert names == [y.name]
    assert "size" in problem
    assert mx.onnx.check(y, {}, [(1, 2, 9, 9)]).ok()


def test_blocks_files_and_what_an_export_then_writes(tmp_path):
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(2), nn.Flatten(), nn.Dense(3)
    )
    net.initialize()
    shape = ("batch", 3, 8, 8)
    net(nd.ones((1, 3, 8, 8)))
    support = mx.onnx.check(net, input_shapes=[shape])
    assert support.ok()
    assert str(support).endswith("all 6 nodes can be written")
    path = mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[shape])
    written = Counter(node.op_type for node in onnx.load(path).graph.node)
    assert Counter(name for node in support.nodes for name in node.written) == written
    net.hybridize()
    net(nd.ones((1, 3, 8, 8)))
    net.export(str(tmp_path / "net"))
    files = (tmp_path / "net-symbol.json", tmp_path / "net-0000.params")
    assert mx.onnx.check(*files, [shape]).nodes == support.nodes


def test_what_depends_on_the_unknown_says_so():
    x = sym.var("data")
    y = sym.reshape(sym.sin(x, name="unknown"), shape=(-3, -2), name="behind")
    graph = sym.load_json(y.tojson().replace('"op": "sin"', '"op": "_contrib_Unheard"'))
    rows = {node.name: node.problem for node in mx.onnx.check(graph, {}, [(2, 3, 4)]).nodes}
    assert rows["behind"] == "not known before what it reads can be written"
