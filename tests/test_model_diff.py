"""What `mx.onnx.diff` says of models with differences that were put into one of them."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper, parser

import hybridonnx as mx
from hybridonnx.errors import FormatError, MissingFileError, MXNetError
from hybridonnx.gluon import nn

CHAIN = """
<ir_version: 8, opset_import: ["" : 18]>
chain (float[N, 3, 8, 8] data) => (float[N, 5] y)
<float[4, 3, 3, 3] w0, float[4] b0, float[4, 4, 3, 3] w1, float[4] b1, float[4, 4, 3, 3] w2, float[64, 5] w3>
{
    c0 = Conv<kernel_shape = [3, 3]> (data, w0, b0)
    r0 = Relu(c0)
    c1 = Conv<kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (r0, w1, b1)
    r1 = Relu(c1)
    s = Sub(r1, r0)
    c2 = Conv<kernel_shape = [3, 3]> (s, w2)
    f = Flatten(c2)
    y = MatMul(f, w3)
}
"""
BRANCH = """
<ir_version: 8, opset_import: ["" : 18]>
branch (bool flag, float[N] x) => (float[N] y)
<float[1] w>
{
    a = Mul(x, w)
    y = If (flag) <
        then_branch = one () => (float[N] t) { t0 = Relu(a) t = Add(t0, w) },
        else_branch = two () => (float[N] e) { e = Neg(a) }
    >
}
"""


def model(text=CHAIN, seed=0):
    """A model of ONNX's text, with numbers for its weights."""
    proto = parser.parse_model(text)
    rng = np.random.default_rng(seed)
    for info in proto.graph.value_info:
        shape = [size.dim_value for size in info.type.tensor_type.shape.dim]
        values = rng.standard_normal(shape).astype(np.float32)
        proto.graph.initializer.append(numpy_helper.from_array(values, info.name))
    del proto.graph.value_info[:]
    return proto


def node(proto, output):
    return next(n for n in proto.graph.node if output in n.output)


def weight(proto, name):
    return next(t for t in proto.graph.initializer if t.name == name)


def set_weight(proto, name, array):
    weight(proto, name).CopyFrom(numpy_helper.from_array(array, name))


def renumbered(proto, start=0):
    """The same graph whose values and nodes have numbers for names, from `start` on."""
    result = onnx.ModelProto()
    result.CopyFrom(proto)
    names: dict[str, str] = {}

    def rename(graph):
        for each in graph.node:
            each.name = ""
            for field in (each.input, each.output):
                field[:] = [names.setdefault(n, str(start + len(names))) if n else "" for n in field]
            for attribute in each.attribute:
                rename(attribute.g)
        for item in (*graph.input, *graph.output, *graph.initializer):
            item.name = names.setdefault(item.name, str(start + len(names)))

    rename(result.graph)
    return result


def summary(diff):
    """What is different, in short."""
    nodes = [(n.kind, n.operator, [c.what for c in n.changes]) for n in diff.nodes]
    return [c.what for c in diff.changes], nodes, [(w.kind, w.first or w.second) for w in diff.weights]


NOTHING: tuple[list, list, list] = ([], [], [])


# ---- faults: what is done to a model, and all that may be said of it


def other_pads(m):
    node(m, "c1").attribute[1].ints[:] = [0, 0, 1, 1]
    return [], [("changed", "Conv", ["pads"])], []


def other_first_node(m):
    node(m, "c0").attribute[0].ints[:] = [1, 1]
    return [], [("changed", "Conv", ["kernel_shape"])], []


def two_attributes(m):
    node(m, "c0").attribute.append(helper.make_attribute("strides", [2, 2]))
    node(m, "c2").attribute.append(helper.make_attribute("strides", [2, 2]))
    return [], [("changed", "Conv", ["strides"])] * 2, []


def swapped_inputs(m):
    node(m, "s").input[:] = reversed(node(m, "s").input)
    return [], [("changed", "Sub", ["input 0", "input 1"])], []


def one_element(m):
    array = numpy_helper.to_array(weight(m, "w1")).copy()
    array[2, 1, 0, 2] += 0.5
    set_weight(m, "w1", array)
    return [], [], [("changed", "w1")]


def all_elements(m):
    for name in ("w0", "b0", "w1", "b1", "w2", "w3"):
        set_weight(m, name, numpy_helper.to_array(weight(m, name)) * np.float32(1.01))
    return [], [], [("changed", name) for name in ("w0", "b0", "w1", "b1", "w2", "w3")]


def other_shape(m):
    set_weight(m, "w3", np.ones((64, 6), np.float32))
    return [], [], [("changed", "w3")]


def other_dtype(m):
    set_weight(m, "w3", numpy_helper.to_array(weight(m, "w3")).astype(np.float16))
    return [], [], [("changed", "w3")]


def inserted(m):
    node(m, "c2").input[0] = "t"
    m.graph.node.insert(5, helper.make_node("Relu", ["s"], ["t"]))
    return [], [("changed", "Conv", ["input 0"]), ("added", "Relu", [])], []


def removed(m):
    node(m, "s").input[0] = "c1"
    m.graph.node.remove(node(m, "r1"))
    return [], [("removed", "Relu", []), ("changed", "Sub", ["input 0"])], []


def other_operator(m):
    node(m, "r1").op_type = "LeakyRelu"
    return [], [("removed", "Relu", []), ("changed", "Sub", ["input 0"]), ("added", "LeakyRelu", [])], []


def without_bias(m):
    del node(m, "c1").input[2:]
    m.graph.initializer.remove(weight(m, "b1"))
    return [], [("changed", "Conv", ["input 2"])], [("removed", "b1")]


def other_opset(m):
    m.opset_import[0].version = 19
    return ["opset of ONNX"], [], []


def metadata(m):
    m.metadata_props.add(key="classes", value="cat dog")
    return ["metadata classes"], [], []


def other_input(m):
    m.graph.input[0].type.tensor_type.shape.dim[2].dim_value = 9
    return ["input data"], [], []


def more_outputs(m):
    m.graph.output.add().CopyFrom(helper.make_tensor_value_info("r0", 1, None))
    return ["output"], [], []


FAULTS = [
    other_pads, other_first_node, two_attributes, swapped_inputs, one_element, all_elements, other_shape,
    other_dtype, inserted, removed, without_bias, other_opset, metadata, other_input, more_outputs,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
def test_a_difference_is_told_and_nothing_else(fault):
    first, second = model(), model()
    expected = fault(second)
    diff = mx.onnx.diff(first, second)
    assert summary(diff) == expected, diff
    assert not diff.equal
    assert not diff.renames


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
def test_a_difference_is_told_in_a_file_that_was_numbered_anew(fault):
    first, second = model(), model()
    expected = fault(second)
    changes, nodes, weights = summary(mx.onnx.diff(first, renumbered(second)))
    assert (changes, nodes) == expected[:2]
    assert [kind for kind, _ in weights] == [kind for kind, _ in expected[2]]


def test_an_operator_that_took_the_place_of_another():
    first, second = model(), model()
    node(second, "r1").op_type = "LeakyRelu"
    assert summary(mx.onnx.diff(first, second)) == ([], [("changed", "Relu", ["operator"])], [])
    diff = mx.onnx.diff(first, renumbered(second))
    assert summary(diff) == other_operator(model()), diff


@pytest.mark.parametrize("text", [CHAIN, BRANCH])
def test_what_is_equal(text):
    first = model(text)
    assert summary(mx.onnx.diff(first, model(text))) == NOTHING
    renamed = mx.onnx.diff(first, renumbered(model(text)))
    assert renamed.equal, renamed
    assert renamed.renames
    assert "are equal but for names" in str(renamed)
    shifted = mx.onnx.diff(renumbered(first, 10), renumbered(model(text), 12))
    assert shifted.equal, shifted


def test_numbers_that_are_shifted_in_a_network_that_was_trained_anew():
    """A name then stands for another node of the same kind, and for another weight."""
    first, second = renumbered(model(seed=1), 10), renumbered(model(seed=2), 12)
    diff = mx.onnx.diff(first, second)
    assert not diff.nodes, diff
    assert [w.kind for w in diff.weights] == ["changed"] * 6
    assert all(w.first_type == w.second_type for w in diff.weights)


def test_equal_branches_are_told_apart_by_their_names():
    text = """
    <ir_version: 8, opset_import: ["" : 18]>
    g (float[N, 3] x) => (float[N, 3] y) <float[1] w>
    { a = Mul(x, w) b = Mul(x, w) c = Relu(a) d = Relu(b) y = Add(c, d) }
    """
    first, second = model(text), model(text)
    node(second, "c").op_type = "Neg"
    diff = mx.onnx.diff(first, second)
    assert summary(diff) == ([], [("changed", "Relu", ["operator"])], [])
    assert diff.nodes[0].first == "c"


def parallel(seed=0, blocks=3):
    """Blocks with two branches of the same operators and shapes, and one around them."""
    nodes: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []
    x = "data"
    rng = np.random.default_rng(seed)

    def conv(x, y, size):
        name = f"w{len(weights)}"
        weights.append(numpy_helper.from_array(rng.standard_normal((4, size, 1, 1)).astype(np.float32), name))
        nodes.append(helper.make_node("Conv", [x, name], [f"{y}_c"]))
        nodes.append(helper.make_node("Relu", [f"{y}_c"], [y]))
        return y

    for i in range(blocks):
        size = 4 if x == "data" else 12
        ends = [conv(conv(x, f"{i}_{k}_a", size), f"{i}_{k}_b", 4) for k in range(2)]
        ends.append(conv(x, f"{i}_2", size))
        x = f"{i}"
        nodes.append(helper.make_node("Concat", ends, [x], axis=1))
    inputs = [helper.make_tensor_value_info("data", 1, ["N", 4, 8, 8])]
    outputs = [helper.make_tensor_value_info(x, 1, ["N", 12, 8, 8])]
    return helper.make_model(helper.make_graph(nodes, "parallel", inputs, outputs, weights))


@pytest.mark.parametrize("shift", [None, 0, 1, 4, 9])
def test_every_node_of_a_network_with_equal_branches(shift):
    """Also where it was trained anew, and numbers stand for other values of the same kind."""
    first, second = parallel(1), parallel(2)
    if shift is not None:
        first, second = renumbered(first, 10), renumbered(second, 10 + shift)
    assert not mx.onnx.diff(first, second).nodes
    for place, each in enumerate(second.graph.node):
        if each.op_type == "Relu":  # which has no attributes
            continue
        before = onnx.NodeProto()
        before.CopyFrom(each)
        planted = {"Conv": ("auto_pad", "SAME_UPPER"), "Concat": ("axis", 2)}[each.op_type]
        kept = [a for a in before.attribute if a.name != planted[0]]
        del each.attribute[:]
        each.attribute.extend([*kept, helper.make_attribute(*planted)])
        diff = mx.onnx.diff(first, second)
        assert summary(diff)[1] == [("changed", each.op_type, [planted[0]])], f"{place}: {diff}"
        assert all(w.kind == "changed" and w.first_type == w.second_type for w in diff.weights)
        each.CopyFrom(before)


def test_a_node_inside_of_a_branch():
    first, second = model(BRANCH), model(BRANCH)
    body = next(a.g for a in node(second, "y").attribute if a.name == "then_branch")
    body.node[1].op_type = "Sub"
    assert summary(mx.onnx.diff(first, second)) == ([], [("changed", "Add", ["operator"])], [])
    del body.node[0]
    body.node[0].input[0] = "a"
    _, nodes, _ = summary(mx.onnx.diff(first, second))
    assert ("removed", "Relu", []) in nodes


def test_what_only_looks_different():
    """Attributes that say the default, constants as nodes, and other names of free sizes."""
    first, second = model(), model()
    node(second, "f").attribute.append(helper.make_attribute("axis", 1))
    tensor = weight(second, "w3")
    constant = helper.make_node("Constant", [], ["w3"], value=tensor)
    second.graph.initializer.remove(tensor)
    second.graph.node.insert(0, constant)
    for item in (*second.graph.input, *second.graph.output):
        item.type.tensor_type.shape.dim[0].dim_param = "batch"
    second.producer_name, second.doc_string = "another", "text"
    diff = mx.onnx.diff(first, second)
    assert summary(diff) == NOTHING, diff
    assert [c.what for c in diff.notes] == ["producer", "text"]


def test_numbers_of_a_weight():
    first, second = model(), model()
    array = numpy_helper.to_array(weight(second, "w1")).copy()
    before = float(array[2, 1, 0, 2])
    array[2, 1, 0, 2] += 0.5
    array[0, 0, 0, 0] -= 0.25
    set_weight(second, "w1", array)
    (row,) = mx.onnx.diff(first, second).weights
    assert (row.count, row.size, row.index) == (2, 144, (2, 1, 0, 2))
    assert row.largest == pytest.approx(0.5)
    assert row.mean == pytest.approx(0.75 / 144)
    assert row.values == pytest.approx((before, before + 0.5))
    assert "2 of 144 elements" in str(row)


@pytest.mark.parametrize(
    ("a", "b", "count", "largest"),
    [
        ([np.nan, 1, np.inf], [np.nan, 1, np.inf], 0, 0),
        ([np.nan, 1, np.inf], [0, 1, -np.inf], 2, np.inf),
        ([0.0, 1], [-0.0, 1], 0, 0),
    ],
)
def test_values_that_are_no_numbers(a, b, count, largest):
    arrays = [{"w": mx.nd.array(values)} for values in (a, b)]
    rows = mx.onnx.diff(*arrays).weights
    assert [(row.count, row.largest) for row in rows] == ([(count, largest)] if count else [])


def test_integers_beyond_float64_differ():
    arrays = [{"w": np.array([2**62 + i], np.int64)} for i in (0, 1)]
    assert [row.count for row in mx.onnx.diff(*arrays).weights] == [1]


def test_another_dtype_says_what_it_costs():
    first, second = model(), model()
    array = numpy_helper.to_array(weight(first, "w3"))
    set_weight(second, "w3", array.astype(np.float16))
    (row,) = mx.onnx.diff(first, second).weights
    assert (row.first_type, row.second_type) == ("float32 (64, 5)", "float16 (64, 5)")
    assert row.largest == pytest.approx(np.abs(array - array.astype(np.float16)).max())


# ---- sources


def block():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.Dense(5))
    net.initialize()
    net.hybridize()
    net(mx.nd.zeros((1, 3, 8, 8)))
    return net


def test_mxnets_models_beside_each_other(tmp_path):
    net = block()
    prefix = str(tmp_path / "net")
    net.export(prefix)
    files = f"{prefix}-symbol.json", f"{prefix}-0000.params"
    assert mx.onnx.diff(net, files).equal
    assert mx.onnx.diff(files[0], net).equal
    symbol, args, aux = mx.model.load_checkpoint(prefix, 0)
    text = symbol.tojson().replace('"kernel": "(3, 3)"', '"kernel": "(2, 2)"')
    args["net_dense0_bias"] = args["net_dense0_bias"] + 1
    diff = mx.onnx.diff(net, (mx.sym.load_json(text), args, aux))
    assert summary(diff) == ([], [("changed", "Convolution", ["kernel"])], [("changed", "net_dense0_bias")])


def test_one_of_mxnets_beside_its_file(tmp_path):
    net = block()
    path = mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[("batch", 3, 8, 8)])
    assert mx.onnx.diff(net, path).equal
    assert mx.onnx.diff(path, net).equal
    proto = onnx.load(path)
    norm = next(n for n in proto.graph.node if n.op_type == "BatchNormalization")
    next(a for a in norm.attribute if a.name == "epsilon").f = 1e-3
    diff = mx.onnx.diff(net, proto.SerializeToString())
    assert summary(diff) == ([], [("changed", "BatchNormalization", ["epsilon"])], [])


def test_numbers_of_a_graph_are_no_parameters(tmp_path):
    y = mx.sym.broadcast_mul(mx.sym.var("x") + 2, mx.sym.var("w"))
    params = {"w": mx.nd.ones(3)}
    path = mx.onnx.export_model(y, params, [("n", 3)], onnx_file_path=str(tmp_path / "m.onnx"))
    assert len(onnx.load(path).graph.initializer) == 2
    assert mx.onnx.diff(params, path).equal


def test_an_output_that_only_one_node_has():
    text = """
    <ir_version: 8, opset_import: ["" : 18]>
    g (float[N, 3] x) => (float[N, 3] y) { a, m = Dropout(x) b = Clip(a, , ) y = Add(b, b) }
    """
    first, second = model(text), model(text)
    node(first, "a").output[1] = ""
    node(second, "b").input[:] = ["a", "", "x"]
    diff = mx.onnx.diff(first, second)
    assert summary(diff) == ([], [("changed", "Clip", ["input 2"])], [])


def test_parameters_alone(tmp_path):
    net = block()
    path = mx.onnx.export_model(net, str(tmp_path / "net.onnx"), input_shapes=[("batch", 3, 8, 8)])
    params = str(tmp_path / "net.params")
    net.save_parameters(params)
    arrays = {name: param.data() for name, param in net.collect_params().items()}
    assert mx.onnx.diff(arrays, path).equal
    named = mx.onnx.diff(params, path)  # which calls them by their places in the block
    assert named.equal, named
    assert len(named.renames) == 8


def test_weights_beside_the_file(tmp_path):
    first = model()
    onnx.save(model(), tmp_path / "a.onnx", save_as_external_data=True, size_threshold=0, location="a.data")
    assert mx.onnx.diff(first, tmp_path / "a.onnx").equal


def test_json():
    first, second = model(), model()
    other_pads(second)
    set_weight(second, "b0", np.full(4, np.inf, np.float32))
    data = json.loads(mx.onnx.diff(first, second).to_json())
    assert data["equal"] is False
    assert data["nodes"][0]["changes"] == [
        {"what": "pads", "first": "(1, 1, 1, 1)", "second": "(0, 0, 1, 1)"}
    ]
    assert data["weights"][0]["largest"] == "inf"


def test_a_text_is_not_endless():
    first, second = model(), model()
    operators = [helper.make_node("Relu", [a], [b]) for a, b in pairwise(["s", *map(str, range(99)), "t"])]
    for place, each in enumerate(operators):
        second.graph.node.insert(5 + place, each)
    node(second, "c2").input[0] = "t"
    text = str(mx.onnx.diff(first, second))
    assert "100 only in the second" in text
    assert "… and 61 more" in text


def test_what_is_refused(tmp_path):
    with pytest.raises(FormatError, match="an ONNX file is required"):
        mx.onnx.diff(str(tmp_path / "none.onnx"), model())
    with pytest.raises(TypeError, match="ModelProto is required, got int"):
        mx.onnx.diff(1, model())
    block().export(str(tmp_path / "net"))
    (tmp_path / "net-0000.params").rename(tmp_path / "other.params")
    with pytest.raises(MissingFileError, match="Give both files as a tuple"):
        mx.onnx.diff(str(tmp_path / "net-symbol.json"), model())
    for epoch in (1, 2):
        (tmp_path / f"net-000{epoch}.params").write_bytes((tmp_path / "other.params").read_bytes())
    with pytest.raises(MXNetError, match=r"got net-0001\.params, net-0002\.params"):
        mx.onnx.diff(str(tmp_path / "net-symbol.json"), model())
