"""Symbol files of strangers: refused with the fault's node or byte, or read, in little time and memory."""

from __future__ import annotations

import json
import time
import tracemalloc
from pathlib import Path

import pytest

import hybridonnx as mx
import hybridonnx.symbol as sym
from hybridonnx.errors import MXNetError
from tests.hostile_graphs import graphs, verdicts
from tests.verdicts import FINE

FILES = sorted((Path(__file__).parent / "oracle" / "json").glob("*-symbol.json"))
SECONDS = 1.0
EXTRA = 64 << 20


def node(op, name, inputs=(), **more):
    return {"op": op, "name": name, "inputs": [list(i) for i in inputs], **more}


def graph(*nodes, heads=None, version=10901, **more):
    attrs = {} if version is None else {"attrs": {"mxnet_version": ["int", version]}}
    return {"nodes": list(nodes), "heads": heads or [[len(nodes) - 1, 0, 0]], **attrs, **more}


def one(op, version=10901, **attrs):
    """A graph with one operator on one variable."""
    return graph(X, node(op, "n", [(0, 0)], attrs=attrs), version=version)


X = node("null", "x")
DIGITS = "9" * 5000
FAULTS = {
    # text
    "nothing": ("", "not valid JSON"),
    "zeros": (b"\0" * 100, "not valid JSON"),
    "no UTF-8": (b'{"nodes": "\xff"}', "byte 11"),
    "UTF-16": ("{}".encode("utf-16"), "UTF-8 text"),
    "cut": (json.dumps(graph(X))[:-1], "not valid JSON"),
    "two texts": (json.dumps(graph(X)) * 2, "not valid JSON"),
    "lists 10 000 deep": ("[" * 10_000, "nesting is too deep"),
    "objects 10 000 deep": ('{"nodes":' * 10_000, "nesting is too deep"),
    "nodes 10 000 deep": ('{"nodes":' + "[" * 10_000 + "]" * 10_000 + "}", "nesting is too deep"),
    "a number of 5000 digits": (f'{{"nodes": [], "heads": [[{DIGITS}, 0]]}}', "not valid JSON"),
    "NaN": ('{"nodes": [], "heads": NaN}', "a list in heads"),
    "half a character": (graph(node("null", "\ud800")), "valid Unicode"),
    "a string": ('"graph"', "an object with nodes and heads"),
    "null": ("null", "an object with nodes and heads"),
    # the graph
    "no nodes": ({"heads": [[0, 0, 0]]}, "a list in nodes"),
    "nodes by name": ({"nodes": {"x": X}, "heads": [[0, 0]]}, "a list in nodes"),
    "no heads": ({"nodes": [X]}, "a list in heads"),
    "heads empty": ({"nodes": [X], "heads": []}, "at least one output"),
    "head beyond": (graph(X, heads=[[1, 0, 0]]), "one of 1 nodes is required, got 1"),
    "head far beyond": (graph(X, heads=[[1 << 62, 0, 0]]), r"references as \[node, output\]"),
    "head before": (graph(X, heads=[[-1, 0, 0]]), r"references as \[node, output\]"),
    "head's output": (graph(X, heads=[[0, 7, 0]]), "one of the outputs of node 0"),
    "head of text": (graph(X, heads=[["0", "0"]]), r"references as \[node, output\]"),
    "head of a fraction": (graph(X, heads=[[0.5, 0]]), r"references as \[node, output\]"),
    "head of four": (graph(X, heads=[[0, 0, 0, 0]]), r"references as \[node, output\]"),
    "version of text": (graph(X, version=None, attrs={"mxnet_version": "new"}), "a version such as"),
    "version below 0": (graph(X, version=-1), "a version such as"),
    "huge version": (graph(X, version=1 << 62), "a version such as"),
    "arg_nodes beyond": (graph(X, arg_nodes=[9]), "the numbers of variables"),
    "arg_nodes of an operator": (
        graph(X, node("relu", "r", [(0, 0)]), arg_nodes=[1]),
        "numbers of variables",
    ),
    # nodes
    "node of a number": (graph(3), "node 0: an object is required, got 3"),
    "no name": (graph({"op": "null", "inputs": []}), "node 0: a name"),
    "name of a number": (graph(node("null", 7)), "node 0: a name"),
    "no operator": (graph({"name": "x", "inputs": []}), r"node 0 \('x'\): an operator name"),
    "operator of a list": (graph(node(["relu"], "x")), r"node 0 \('x'\): an operator name"),
    "cycle": (graph(node("relu", "r", [(1, 0)]), node("relu", "q", [(0, 0)])), "node 0 .*earlier nodes only"),
    "own output": (graph(node("relu", "r", [(0, 0)])), "node 0 .*earlier nodes only"),
    "forward reference": (graph(X, node("relu", "r", [(2, 0)]), X), "node 1 .*earlier nodes only"),
    "input beyond": (graph(X, node("relu", "r", [(5, 0)])), "node 1 .*one of 2 nodes is required, got 5"),
    "input before": (graph(X, node("relu", "r", [(-1, 0)])), "node 1 .*references as"),
    "input's output": (graph(X, node("relu", "r", [(0, 1)])), "node 1 .*outputs of node 0"),
    "operator's output": (
        graph(X, node("relu", "r", [(0, 0)]), node("relu", "q", [(1, 4)])),
        "output 4 of node 1",
    ),
    "inputs of a variable": (graph(X, node("null", "y", [(0, 0)])), "node 1 .*a variable without inputs"),
    "inputs by name": (
        graph(X, {"op": "relu", "name": "r", "inputs": {"data": 0}}),
        "node 1 .*a list in inputs",
    ),
    "dependency beyond": (graph(X, node("relu", "r", [(0, 0)], control_deps=[9])), "node 1 .*one of 2 nodes"),
    "subgraph of a number": (graph(X, node("_loop", "r", [(0, 0)], subgraphs=[3])), "subgraph 0: an object"),
    "subgraph's head": (
        graph(X, node("_loop", "r", [(0, 0)], subgraphs=[graph(X, heads=[[4, 0]])])),
        "node 1 .*subgraph 0: heads",
    ),
    # attributes
    "attributes in a list": (graph(node("null", "x", attrs=[])), "an object in attrs is required"),
    "attribute of a number": (graph(node("null", "x", attrs={"a": 1})), "node 0 .*text as attribute a"),
    "attribute of a list": (graph(node("null", "x", attr={"a": []})), "node 0 .*text as attribute a"),
    "parameter of a number": (graph(node("null", "x", param={"a": 1})), "node 0 .*text as attribute a"),
    "value of no kind": (one("Activation", act_type="rellu"), "act_type must be one of"),
    "required attribute": (one("Convolution", num_filter="1", version=800), "kernel is required"),
    "code": (one("Convolution", kernel="(9**9**9,)", num_filter="1", version=800), "kernel must be a tuple"),
    "a call": (one("Convolution", kernel="__import__('os')", num_filter="1", version=800), "must be a tuple"),
    "100 000 brackets": (
        one("Convolution", kernel="(" * 100_000, num_filter="1", version=800),
        "must be a tuple",
    ),
    "100 000 signs": (
        one("Convolution", kernel="-" * 100_000, num_filter="1", version=800),
        "must be a tuple",
    ),
    "a tuple of 200 000": (
        one("Convolution", kernel="(" + "1," * 200_000 + ")", num_filter="1", version=800),
        "must be a tuple",
    ),
    "attribute of 5000 digits": (one("topk", k=DIGITS), "k must be an integer"),
    "an infinite share": (one("Dropout", p="1e999"), r"p must lie in \[0, 1\]"),
    "no number": (one("Dropout", p="nan"), r"p must lie in \[0, 1\]"),
    "range without end": (
        graph(node("_arange", "r", attrs={"start": "0", "stop": "inf"})),
        "a step that leads",
    ),
    "range of 1e600": (
        graph(node("_arange", "r", attrs={"start": "0", "stop": "1e300", "step": "1e-300"})),
        "a step that leads",
    ),
    "a billion inputs": (one("Concat", num_args="1000000000"), "'n' has 1 inputs, so num_args"),
    "a billion inputs, old": (one("Concat", num_args="1000000000", version=800), "'n' has 1 inputs"),
    "a billion terms": (one("add_n", num_args="1000000000"), "'n' has 1 inputs"),
    "a billion outputs": (one("SliceChannel", num_outputs="1000000000"), "at most 65536"),
    "a billion sections": (one("_split_v2", indices="(0,)", sections="1000000000"), "at most 65536"),
    "a billion outputs of an unknown operator": (
        graph(X, node("Nobody", "n", [(0, 0)]), node_row_ptr=[0, 1, 1 << 30]),
        "at most 65536 outputs, got",
    ),
    "output of a billion": (
        graph(X, node("Nobody", "n", [(0, 0)]), heads=[[1, 1 << 30]]),
        "at most 65536 outputs, got",
    ),
    "no outputs": (one("SliceChannel", num_outputs="0"), "num_outputs of at least 1"),
    "outputs below 0": (one("SliceChannel", num_outputs="-5"), "num_outputs of at least 1"),
}
USED = {
    # these load, as real MXNet's do or because nothing is known of the operator, and are refused in use
    "unknown operator": (one("Nobody", a="1"), "Nobody: no operator has this name"),
    "unregistered operator": (one("Custom", op_type="nobody"), "got 'nobody'.*mx.operator.register"),
    "operator without a type": (one("Custom"), "got ''"),
    "too many inputs": (graph(X, node("relu", "r", [(0, 0)] * 5)), "got 5 inputs"),
    "too few inputs": (graph(X, node("elemwise_add", "r", [(0, 0)])), "got 1 input"),
    "sizes beyond": (graph(node("null", "x", attrs={"__shape__": f"({DIGITS},)"})), "a shape such as"),
    "shape of text": (graph(node("null", "x", attrs={"__shape__": "wide"})), "a shape such as"),
    "shape of 200 000 axes": (
        graph(node("null", "x", attrs={"__shape__": "(" + "1," * 200_000 + ")"})),
        "a shape",
    ),
    "type flag": (graph(node("null", "x", attrs={"__dtype__": "99"})), "a flag among"),
    "type flag of 5000 digits": (graph(node("null", "x", attrs={"__dtype__": DIGITS})), "dtype: one of"),
    "type flag of another script": (graph(node("null", "x", attrs={"__dtype__": "²"})), "dtype: one of"),
}


def written(content):
    return content if isinstance(content, str | bytes) else json.dumps(content)


class Watched:
    """A scope that takes little time, and little memory beside a file."""

    def __init__(self, content):
        self.size = len(content)

    def __enter__(self):
        tracemalloc.start()
        self.start = time.process_time()

    def __exit__(self, *_):
        seconds = time.process_time() - self.start
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak <= 2 * self.size + EXTRA
        assert seconds <= SECONDS


@pytest.fixture(autouse=True, scope="module")
def families():
    """The operators are loaded before time is taken."""
    sym.relu(sym.var("x"))


def test_there_are_enough():
    assert len(FAULTS) + len(USED) >= 60


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_told(fault):
    content, message = FAULTS[fault]
    text = written(content)
    with Watched(text), pytest.raises(MXNetError, match=message) as caught:
        sym.load_json(text)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("fault", USED)
def test_faults_are_told_in_use(fault):
    content, message = USED[fault]
    net = sym.load_json(written(content))
    net.list_arguments(), net.list_auxiliary_states(), net.list_outputs(), net.get_internals()
    assert sym.load_json(net.tojson()).tojson() == net.tojson()
    with Watched(written(content)), pytest.raises(MXNetError, match=message) as caught:
        [net.infer_shape(), net.infer_type()]
    assert str(caught.value).count("In node") == 1


def test_unknown_operators_name_the_node_when_they_run():
    net = sym.load_json(json.dumps(one("Custom", op_type="nobody")))
    with pytest.raises(MXNetError, match=r"mx.operator.register\('nobody'\)") as caught:
        net.eval(x=mx.nd.ones((1,)))
    assert str(caught.value).count("In node n (Custom") == 1


def inside(text):
    """Read it, and use what it holds."""
    try:
        net = sym.load_json(text)
        net.list_arguments(), net.list_outputs(), net.tojson()
        net.infer_shape_partial()
    except MXNetError as exc:
        return exc
    return net


SMALL = json.dumps(
    graph(
        X,
        node("null", "w"),
        node("FullyConnected", "fc", [(0, 0), (1, 0)], attrs={"num_hidden": "2", "no_bias": "1"}),
    )
)


def test_cut_anywhere():
    for length in range(len(SMALL)):
        assert isinstance(inside(SMALL[:length]), MXNetError)


def test_any_bit_flipped():
    data = SMALL.encode()
    for at in range(len(data)):
        for bit in range(8):
            flipped = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
            inside(flipped)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_any_piece_left_out(path):
    data = path.read_bytes()
    for at in range(0, len(data), 7):
        inside(data[:at] + data[at + 5 :])


def test_many_strings():
    """A file of long names takes memory in proportion."""
    text = json.dumps(graph(X, *[node("relu", "n" * 100_000, [(0, 0)]) for _ in range(100)]))
    with Watched(text):
        net = sym.load_json(text)
    assert len(net.tojson()) < len(text)


def test_repeated_names():
    net = sym.load_json(json.dumps(graph(X, X, node("elemwise_add", "x", [(0, 0), (1, 0)]))))
    assert net.list_arguments() == ["x", "x"]


def test_paths_double_at_each_node():
    """A walk along all paths would never end."""
    nodes = [node("elemwise_add", f"n{i}", [(i, 0), (i, 0)]) for i in range(500)]
    text = json.dumps(graph(X, *nodes))
    net = sym.load_json(text)
    assert net.infer_shape(x=(2,))[1] == [(2,)]


@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.slow)])
def test_attributes_at_extremes(every):
    """Export asks for no memory and time that the numbers in a graph name."""
    todo = graphs()[::every]
    results = dict(verdicts(todo))
    assert len(results) > 6000 // every
    assert not {name: result for name, result in results.items() if result not in FINE}
