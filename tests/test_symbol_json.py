"""Graphs in files: written to the byte as MXNet 1.9.1 writes them, read from every version, or refused."""

from __future__ import annotations

import copy
import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hybridonnx.symbol as sym
from hybridonnx.errors import AttributeValueError, FormatError, MXNetError, UnknownOperatorError
from hybridonnx.formats import symbol_json
from hybridonnx.formats.files import write_atomically
from hybridonnx.name import NameManager

ORACLE = Path(__file__).parent / "oracle"
FILES = sorted((ORACLE / "json").glob("*-symbol.json"))
UPGRADES = [
    pytest.param(case, version, id=f"{case['graph']['nodes'][-1]['name']}-{version}")
    for case in json.loads((ORACLE / "upgrades.json").read_text())
    for version in case["versions"]
]


@pytest.fixture(autouse=True)
def names():
    """Names are counted from 0 in each test."""
    with NameManager() as manager:
        yield manager


def node(op, name, inputs=(), **more):
    return {"op": op, "name": name, "inputs": [list(i) for i in inputs], **more}


def graph(*nodes, heads=None, **more):
    """A file's content; the last node is the output unless `heads` are given."""
    return {"nodes": list(nodes), "heads": heads or [[len(nodes) - 1, 0, 0]], **more}


X = node("null", "x")


# ---- writing


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_of_mxnet_are_written_back_to_the_byte(path):
    text = path.read_text(encoding="utf-8")
    assert symbol_json.write(symbol_json.read(text)) == text
    assert sym.load(path).tojson() == text


def test_composed_graphs_are_written_as_by_mxnet():
    data = sym.var("data", shape=(0, 6), dtype="float32", lr_mult=2, __note__='a "quoted"\tπ\\n')
    parts = sym.split(data, num_outputs=3, axis=1, name="parts")
    total = sym.broadcast_add(parts[0], parts[2], name="total")
    fc = sym.FullyConnected(parts[1], num_hidden=2, name="fc", ctx_group="dev1")
    group = sym.Group([total, parts[1], sym.SoftmaxOutput(fc, name="softmax"), data])
    assert group.tojson() == (ORACLE / "json" / "heads-symbol.json").read_text(encoding="utf-8")


def test_more_than_ten_items_stand_on_a_line_each():
    few, many = ([sym.var(f"x{i}") for i in range(count)] for count in (10, 11))
    assert '"heads": [[0, 0, 0], [1, 0, 0]' in sym.Group(few).tojson()
    assert '"heads": [\n    [0, 0, 0], \n    [1, 0, 0], \n' in sym.Group(many).tojson()


def test_five_characters_are_escaped():
    text = sym.var("x", __a__='"\\\n\r\t\b\x01/é\u2028').tojson()
    assert '"__a__": "\\"\\\\\\n\\r\\t\b\x01/é\u2028"' in text
    assert sym.load_json(text).attr("__a__") == '"\\\n\r\t\b\x01/é\u2028'


def test_the_version_is_a_parameter():
    assert '["int", 10500]' in symbol_json.write(symbol_json.read(json.dumps(graph(X))), version=10500)


def test_casts_for_mixed_precision_are_left_out():
    cast = sym.amp_cast(sym.relu(sym.var("a"), name="r"), dtype="float16", name="c")
    parts = sym.amp_multicast(cast, sym.var("b"), num_outputs=2, name="m")
    total = sym.elemwise_add(parts[0], parts[1], name="p")
    nodes = json.loads(total.tojson())["nodes"]
    assert [n["name"] for n in nodes] == ["a", "r", "b", "p"]
    assert nodes[3]["inputs"] == [[1, 0, 0], [2, 0, 0]]
    assert len(json.loads(total.tojson(remove_amp_cast=False))["nodes"]) == 6
    assert [n["name"] for n in json.loads(cast.tojson())["nodes"]] == ["a", "r", "c"]


# ---- old files


@pytest.mark.parametrize(("case", "version"), UPGRADES)
def test_old_files_become_what_mxnet_makes_of_them(case, version):
    document = copy.deepcopy(case["graph"])
    if version != 800:
        document["attrs"] = {"mxnet_version": ["int", version]}
    assert sym.load_json(json.dumps(document)).tojson() == case["want"]


def test_attributes_of_all_ages():
    text = json.dumps(graph(node("null", "x", param={"a": "1", "b": "1"}, attr={"b": "2"})))
    assert symbol_json.read(text).nodes[0].attributes == {"a": "1", "b": "2"}


def test_unknown_operators_are_kept():
    document = graph(
        X,
        node("Nobody", "n", [(0, 0)], attrs={"k": "v"}),
        heads=[[1, 1, 0]],
        node_row_ptr=[0, 1, 3],
        attrs={"mxnet_version": ["int", 10901]},
    )
    net = sym.load_json(json.dumps(document))
    assert net.list_outputs() == ["n_output1"]
    assert net.get_internals().list_outputs() == ["x", "n_output0", "n_output1"]
    assert json.loads(net.tojson())["nodes"][1]["attrs"] == {"k": "v"}
    with pytest.raises(UnknownOperatorError, match="Nobody: no operator has this name") as caught:
        net.infer_shape(x=(1,))
    assert str(caught.value).endswith(" In node n (Nobody of x).")


def test_unknown_attributes_are_kept():
    document = graph(X, node("Activation", "act", [(0, 0)], attrs={"act_type": "relu", "novel": "1"}))
    assert sym.load_json(json.dumps(document)).attr("novel") == "1"


def test_subgraphs_are_kept():
    document = graph(X, node("_loop", "loop", [(0, 0)], subgraphs=[graph(X, node("relu", "r", [(0, 0)]))]))
    written = json.loads(sym.load_json(json.dumps(document)).tojson())
    inner = written["nodes"][1]["subgraphs"][0]
    assert [n["op"] for n in inner["nodes"]] == ["null", "relu"]
    assert "attrs" not in inner


# ---- what is refused

DAMAGED = [
    ("[]", "an object with nodes and heads"),
    ("{", "not valid JSON"),
    ("", "not valid JSON"),
    (b"\xff\xfe", "not UTF-8 text"),
    ("[" * 100_000, "nesting is too deep"),
    (graph(heads=[[0, 0]]), "one of 0 nodes"),
    ({"nodes": [X]}, "a list in heads"),
    ({"nodes": [X], "heads": []}, "at least one output"),
    ({"nodes": {"x": X}, "heads": [[0, 0]]}, "a list in nodes"),
    (graph(X, heads=[[3, 0]]), "heads: a reference to one of 1 nodes is required, got 3"),
    (graph(X, heads=[[0, 1]]), "one of the outputs of node 0"),
    (graph(X, heads=[[0]]), r"references as \[node, output\]"),
    (graph(X, heads=[[0, 0, 0, 0]]), r"references as \[node, output\]"),
    (graph(X, heads=[[-1, 0]]), r"references as \[node, output\]"),
    (graph(X, heads=[[True, 0]]), r"references as \[node, output\]"),
    (graph(X, heads=[[0, 0, 1 << 40]]), r"references as \[node, output\]"),
    (graph("x"), "node 0: an object is required, got 'x'"),
    (graph({"op": "null", "inputs": []}), "node 0: a name"),
    (graph({"op": 3, "name": "x", "inputs": []}), r"node 0 \('x'\): an operator name in op"),
    (graph(node("null", "x", attrs=None)), "an object in attrs is required, got None"),
    (graph(node("null", "x", attrs={"a": 1})), "text as attribute a is required, got 1"),
    (graph(node("null", "\ud800")), "valid Unicode"),
    (graph(X, node("null", "y", [(0, 0)])), "a variable without inputs"),
    (graph(node("relu", "r", [(1, 0)]), X), r"node 0 \('r'\): references to earlier nodes only"),
    (graph(node("relu", "r", [(0, 0)])), "references to earlier nodes only"),
    (graph(X, node("relu", "r", [(0, 0)], control_deps=[7])), "one of 2 nodes"),
    (graph(X, node("relu", "r", [(0, 0)], subgraphs=[3])), "subgraph 0: an object"),
    (graph(X, arg_nodes=[7]), "arg_nodes with the numbers of variables"),
    (graph(X, arg_nodes={"a": 1}), "a list in arg_nodes is required, got an object of 1"),
    (graph(X, attrs={"mxnet_version": "new"}), "a version such as"),
    (graph(X, node("relu", "r", [(0, 0)]), heads=[[1, 5]]), "'heads' takes output 5 of node 1"),
]


@pytest.mark.parametrize(("content", "message"), DAMAGED, ids=[message for _, message in DAMAGED])
def test_damaged_files_are_refused(content, message):
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    with pytest.raises(FormatError, match=message):
        sym.load_json(text)


def test_nesting_of_subgraphs_is_bounded():
    inner = graph(X)
    for _ in range(40):
        inner = graph(X, node("_loop", "loop", [(0, 0)], subgraphs=[inner]))
    with pytest.raises(FormatError, match="32 at most"):
        sym.load_json(json.dumps(inner))


def test_long_values_are_not_repeated_in_errors():
    with pytest.raises(FormatError) as caught:
        sym.load_json(json.dumps(graph(node("null", "x" * 100_000, attrs=["y" * 100_000]))))
    assert len(str(caught.value)) < 400


def test_attributes_that_do_not_fit_are_told_with_the_node():
    document = graph(X, node("Activation", "act", [(0, 0)], attrs={"act_type": "rellu"}), heads=[[1, 0]])
    with pytest.raises(AttributeValueError, match="act_type must be one of") as caught:
        sym.load_json(json.dumps(document))
    assert str(caught.value).count("In node act (Activation of x)") == 1


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.text(max_size=3) | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def paths(value, path=()):
    """The paths of all values inside `value`."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from paths(inner, (*path, key))


@given(data=st.data())
def test_any_change_of_a_file_is_read_or_refused(data):
    document = json.loads(FILES[0].read_text(encoding="utf-8"))
    path = data.draw(st.sampled_from([p for p in paths(document) if p]))
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = data.draw(VALUES)
    try:
        net = sym.load_json(json.dumps(document))
    except MXNetError:
        return
    assert sym.load_json(net.tojson()).tojson() == net.tojson()


# ---- files


def test_saved_and_loaded(tmp_path):
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc")
    net.save(tmp_path / "net-symbol.json")
    assert sym.load(tmp_path / "net-symbol.json").tojson() == net.tojson()
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(FormatError) as caught:
        sym.load(tmp_path / "bad.json")
    assert f"In file {tmp_path / 'bad.json'}." in caught.value.__notes__


def test_files_are_replaced_as_a_whole(tmp_path):
    target = tmp_path / "file"
    target.write_bytes(b"before")
    target.chmod(0o640)

    def failing():
        yield b"half"
        raise OSError("disk is full")

    with pytest.raises(OSError, match="disk is full"):
        write_atomically(target, failing())
    assert target.read_bytes() == b"before"
    write_atomically(str(target), [b"af", memoryview(b"ter")])
    assert target.read_bytes() == b"after"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(os.name == "nt", reason="links need privileges")
def test_links_are_followed(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", [b"new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_the_version_that_files_name_is_a_setting(monkeypatch):
    monkeypatch.setenv("HYBRIDONNX_MXNET_VERSION", "10700")
    text = sym.exp(sym.var("x")).tojson()
    assert json.loads(text)["attrs"] == {"mxnet_version": ["int", 10700]}
    assert sym.load_json(text).list_arguments() == ["x"]
