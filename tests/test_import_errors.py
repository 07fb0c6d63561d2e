"""What an import refuses, in one message that names nodes, operators and values, and without warnings."""

from __future__ import annotations

import re
import sys
import warnings

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import hybridonnx as mx
from hybridonnx.errors import BoundsError, ConversionError, FormatError, MXNetError
from hybridonnx.runtime.failures import sentence
from tests.runtimes import plain

F32, I64 = TensorProto.FLOAT, TensorProto.INT64
node = helper.make_node


def model(nodes, inputs, outputs="y", constants=None, functions=(), domains=(), opset=18):
    """A model; inputs are names with element types and shapes."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, *what) for name, what in inputs.items()],
        [helper.make_tensor_value_info(name, F32, None) for name in outputs.split()],
        [numpy_helper.from_array(np.asarray(a), name) for name, a in (constants or {}).items()],
    )
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=opsets, functions=list(functions), ir_version=9)


IMAGE = {"x": (F32, [1, 2, 4, 4])}
ROWS = {"x": (F32, [2, 3])}


def refusal(proto, kind=MXNetError):
    with pytest.raises(kind) as caught:
        mx.onnx.import_model(proto)
    return str(caught.value)


@pytest.mark.parametrize(
    ("proto", "kind", "operator", "name"),
    [
        (model([node("Conv", ["x"], ["y"], name="first")], IMAGE), ConversionError, "Conv", "first"),
        (model([node("Conv", ["x"], ["y"])], IMAGE), ConversionError, "Conv", "node y"),
        (model([node("Relu", ["z"], ["y"], name="early")], IMAGE), FormatError, "Relu", "early"),
        (
            model([node("Gather", ["x", "i"], ["y"], name="rows")], ROWS, constants={"i": np.array([7])}),
            BoundsError,
            "Gather",
            "rows",
        ),
    ],
)
def test_messages_name_node_and_operator_once(proto, kind, operator, name):
    text = refusal(proto, kind)
    assert text.count(operator) == 1
    assert text.count(name) == 1
    assert text.endswith(".")


def test_all_nodes_are_in_one_message():
    nodes = [
        node("Conv", ["x"], ["a"], name="first"),
        node("Relu", ["a"], ["b"], name="behind"),
        node("MatMul", ["x"], ["c"], name="second"),
        node("Foreign", ["x"], ["d"], name="third", domain="elsewhere"),
        node("Sum", ["b", "c", "d"], ["y"], name="last"),
    ]
    text = refusal(model(nodes, IMAGE, domains=["elsewhere"]), ConversionError)
    for part in ("elsewhere.Foreign: 1 x (third)", "Conv: ", "first", "MatMul: ", "second"):
        assert part in text
    assert "behind" not in text
    assert "last" not in text


def test_there_are_not_too_many_messages():
    """A damaged file with many nodes is refused in time, and the message can be read."""
    nodes = [node("Conv", ["x"], [f"a{i}"], name=f"n{i}") for i in range(5000)]
    nodes.append(node("Sum", [f"a{i}" for i in range(5000)], ["y"]))
    text = refusal(model(nodes, IMAGE))
    assert "and 80 more" in text
    assert len(text.splitlines()) < 30


def test_operators_inside_of_functions_are_named():
    body = [node("Foreign", ["a"], ["t"], name="inner", domain="elsewhere"), node("Relu", ["t"], ["b"])]
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("elsewhere", 1)]
    function = helper.make_function("local", "Wrapper", ["a"], ["b"], body, opsets)
    call = node("Wrapper", ["x"], ["y"], name="call", domain="local")
    text = refusal(model([call], ROWS, functions=[function], domains=["local", "elsewhere"]))
    assert "elsewhere.Foreign: 1 x (inner" in text
    assert "Wrapper" not in text


def test_graphs_inside_of_nodes_name_both():
    """The node inside first, and then the one around it."""

    def branch(name, *nodes):
        return helper.make_graph(
            nodes, name, [], [helper.make_tensor_value_info(nodes[-1].output[0], F32, None)]
        )

    wrong = branch("then", node("Foreign", ["x"], ["o"], name="inner", domain="elsewhere"))
    right = branch("else", node("Relu", ["x"], ["p"]))
    choice = node("If", ["c"], ["y"], name="outer", then_branch=wrong, else_branch=right)
    inputs = {**ROWS, "c": (TensorProto.BOOL, [])}
    text = refusal(model([choice], inputs, domains=["elsewhere"]))
    assert text.index("elsewhere.Foreign") < text.index("outer")


def test_values_of_unknown_types_are_named_together():
    proto = model([node("Sum", ["x", "strange", "odd"], ["y"])], {"x": (99, [2])})
    for name in ("strange", "odd"):
        proto.graph.initializer.add(name=name, dims=[2], data_type=99, raw_data=b"12345678")
    text = refusal(proto, ConversionError)
    assert "strange, odd, x: " in text
    assert text.count("element type 99") == 1


def test_a_constant_node_of_an_unknown_type_is_named():
    tensor = onnx.TensorProto(dims=[2], data_type=99, raw_data=b"12345678")
    nodes = [node("Constant", [], ["c"], name="strange", value=tensor), node("Add", ["x", "c"], ["y"])]
    text = refusal(model(nodes, ROWS))
    assert "strange" in text
    assert "Constant" in text


@pytest.mark.parametrize(
    ("proto", "message"),
    [
        (
            model([node("Realu", ["x"], ["y"], name="n")], ROWS),
            r"has:\n  Realu \(Did you mean Relu.*: 1 x \(n\)",
        ),
        (
            model([node("Gelu", ["x"], ["y"], name="n")], ROWS),
            r"Gelu \(of opset 20 and newer, and the model's is 18\): 1 x \(n\)",
        ),
        (
            model(
                [node("Adam", ["x"], ["y"], name="n", domain="ai.onnx.preview.training")],
                ROWS,
                domains=["ai.onnx.preview.training"],
            ),
            "Adam: a valid node is required. ONNX says: .* input size 1 not in range .* In node n",
        ),
        (
            model([node("Relu", ["x"], ["z"])], ROWS),
            "a node, an input or an initializer that gives 'y' is required",
        ),
        (
            model(
                [
                    node("Add", ["x", "b"], ["a"], name="n"),
                    node("Relu", ["a"], ["b"]),
                    node("Neg", ["b"], ["y"]),
                ],
                ROWS,
            ),
            "'b' is used before a node computes it.* In node n",
        ),
        (
            model([node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["y"])], ROWS),
            "one node, input or initializer for each value is required, got several that give y",
        ),
        (
            model([node("Relu", ["x"], ["x"]), node("Neg", ["x"], ["y"])], ROWS),
            "for each value is required, got several that give x",
        ),
        (
            model(
                [node("MatMul", ["x", "w"], ["y"], name="n")],
                ROWS,
                constants={"w": np.ones((4, 2), np.float32)},
            ),
            r"MatMul: .* required, got \(2, 3\) float32, \(4, 2\) float32\. ONNX says: .* In node n",
        ),
        (
            model(
                [node("Add", ["x", "w"], ["y"], name="n")], ROWS, constants={"w": np.ones((2, 3), np.int64)}
            ),
            "Add: inputs that fit are required.* In node n",
        ),
    ],
)
def test_what_no_program_could_run_is_refused_at_import(proto, message):
    """ONNX Runtime refuses these as well."""
    text = refusal(proto)
    assert re.search(message, text, re.DOTALL)
    assert "InferenceError" not in text
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        plain(proto)([np.ones((2, 3), np.float32)])


@pytest.mark.parametrize("source", [None, 5])
def test_what_is_no_model(source):
    with pytest.raises(TypeError, match=f"a file's name.* is required, got {type(source).__name__}"):
        mx.onnx.import_model(source)


# ---- what engines say


def indexed(hybrid):
    nodes = [node("GatherND", ["x", "i"], ["y"], name="rows")]
    net = mx.onnx.import_to_gluon(model(nodes, {**ROWS, "i": (I64, [1, 1])}).SerializeToString())
    net.hybridize(hybrid)
    return net


def test_onnx_runtimes_text_is_in_a_sentence():
    with pytest.raises(
        MXNetError, match=r"^ONNX Runtime could not run the graph: .*rows.*\. Check"
    ) as caught:
        indexed(True)(mx.nd.ones((2, 3)), mx.nd.array([[9]], dtype="int64"))
    text = str(caught.value)
    assert "[ONNXRuntimeError]" not in text
    assert "\n" not in text


POINTS = {"x": (F32, [2, 4]), "i": (I64, [2, 2])}
BEYOND = {
    "Gather": ({"x": (F32, [2, 4]), "i": (I64, [2])}, [1, -5], {"axis": 1}),
    "Gather of a free size": ({"x": (F32, [2, "N"]), "i": (I64, [2])}, [1, -5], {"axis": 1}),
    "GatherElements": (POINTS, [[1, -5], [0, 0]], {"axis": 1}),
    "GatherND": (POINTS, [[1, -5], [0, 0]], {}),
    "ScatterElements": (POINTS, [[1, -5], [0, 0]], {"axis": 1}),
    "ScatterElements that adds": (POINTS, [[1, -5], [0, 0]], {"axis": 1, "reduction": "add"}),
    "ScatterND": (POINTS, [[1, -5], [0, 0]], {}),
    "ScatterND that adds": (POINTS, [[1, -5], [0, 0]], {"reduction": "add"}),
}


@pytest.mark.parametrize("record", [False, True], ids=["predict", "record"])
@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
@pytest.mark.parametrize("title", BEYOND)
def test_indices_beyond_an_axis_are_told_as_the_user_gave_them(title, hybrid, record):
    """With the range that ONNX has, and the node once; ONNX Runtime refuses the same model."""
    inputs, indices, attributes = BEYOND[title]
    op_type = title.split()[0]
    fed = [np.ones((2, 4), np.float32), np.array(indices)]
    if op_type.startswith("Scatter"):
        fed.append(np.ones((2, 2) if "Elements" in op_type else 2, np.float32))
        inputs = {**inputs, "u": (F32, fed[2].shape)}
    proto = model([node(op_type, list(inputs), ["y"], name="rows", **attributes)], inputs)
    with pytest.raises(Exception, match=r"-5|Out of range"):
        plain(proto)(fed)
    net = mx.onnx.import_to_gluon(proto)
    net.hybridize(hybrid)
    scope = mx.autograd.record() if record else mx.autograd.pause()
    with scope, pytest.raises(MXNetError) as caught:
        net(*[mx.nd.array(a, dtype=a.dtype) for a in fed])
    text = str(caught.value)
    assert len(re.findall(r"In node rows\w* \(\w+", text)) == text.count("In node") == 1
    assert re.search(r"-4 to 3 are required.*got -5|idx=-5 .* \[-4,3\]|indi?c?ex?e? = -5|Out of range", text)


def of_steps(op_type):
    """A graph in which a node called `inner` is inside of one called `outer`, with what it is fed."""
    x, rows = helper.make_tensor_value_info("x", F32, [3, 4]), np.array([[1], [5]])
    zero = numpy_helper.from_array(np.array([0]), "zero")
    gathered = [node("Gather", ["x", "j"], ["r"], name="inner"), node("Squeeze", ["r", "zero"], ["o"])]
    row = helper.make_tensor_value_info("o", F32, [4])
    j = helper.make_tensor_value_info("j", I64, [1])
    if op_type == "Scan":
        body = helper.make_graph(gathered, "body", [j], [row])
        nodes = [node("Scan", ["i"], ["y"], name="outer", num_scan_inputs=1, body=body)]
        declared, fed = helper.make_tensor_value_info("i", I64, [2, 1]), rows
    elif op_type == "Loop":
        step = helper.make_tensor_value_info("n", I64, [])
        go, on = (helper.make_tensor_value_info(name, TensorProto.BOOL, []) for name in ("go", "on"))
        nodes = [node("Identity", ["go"], ["on"]), node("Add", ["n", "five"], ["j"]), *gathered]
        body = helper.make_graph(nodes, "body", [step, go], [on, row])
        nodes = [node("Loop", ["i", ""], ["y"], name="outer", body=body)]
        declared, fed = helper.make_tensor_value_info("i", I64, []), np.array(2)
    else:
        branches = {
            f"{name}_branch": helper.make_graph(
                [node("Gather", ["x", "j"], ["r"], name=title), node(kind, ["r"], [name])],
                name,
                [],
                [helper.make_tensor_value_info(name, F32, [1, 4])],
            )
            for name, title, kind in (("then", "inner", "Abs"), ("else", "other", "Neg"))
        }
        nodes = [node("Greater", ["j", "zero"], ["c"]), node("If", ["c"], ["y"], name="outer", **branches)]
        declared, fed = j, np.array([5])
    y = helper.make_tensor_value_info("y", F32, None)
    five = numpy_helper.from_array(np.array([5]), "five")
    graph = helper.make_graph(nodes, "graph", [x, declared], [y], [zero, five])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return proto, [np.ones((3, 4), np.float32), fed]


@pytest.mark.parametrize("record", [False, True], ids=["predict", "record"])
@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
@pytest.mark.parametrize("op_type", ["Scan", "Loop", "If"])
def test_nodes_inside_of_others_are_told_with_these(op_type, hybrid, record):
    """The inner one first, both once, and with the operators that they are here."""
    proto, fed = of_steps(op_type)
    with pytest.raises(Exception, match=r"idx=5 must be within the inclusive range \[-3,2\]"):
        plain(proto)(fed)
    net = mx.onnx.import_to_gluon(proto)
    net.hybridize(hybrid)
    scope = mx.autograd.record() if record else mx.autograd.pause()
    with scope, pytest.raises(MXNetError, match=r"-3 to 2 are required, got 5|idx=5 .*\[-3,2\]") as caught:
        net(*[mx.nd.array(a, dtype=a.dtype) for a in fed])
    text = str(caught.value)
    kind = {"Scan": "_foreach", "Loop": "_open_while_loop", "If": "_cond"}[op_type]
    assert re.search(rf"In node inner \(take.*\. In node outer \({kind}", text)
    assert text.count("In node") == 2
    assert "Non-zero status" not in text


@pytest.mark.parametrize("hybrid", [False, True])
def test_places_in_onnx_runtimes_sources_are_left_out(hybrid):
    nodes = [node("Reshape", ["x", "s"], ["y"], name="wide", allowzero=1)]
    net = mx.onnx.import_to_gluon(model(nodes, {"x": (F32, ["n"]), "s": (I64, [2])}).SerializeToString())
    net.hybridize(hybrid)
    with pytest.raises(MXNetError, match=r"could not run the graph: Reshape.*cannot be reshaped") as caught:
        net(mx.nd.ones(6), mx.nd.array([4, 2], dtype="int64"))
    assert not re.search(r"\.(h|cc):|::|Non-zero|Status", str(caught.value))


@pytest.mark.parametrize(
    ("proto", "inputs", "said"),
    [
        (
            model([node("Clip", ["x", "l"], ["y"], name="n")], {"x": (F32, ["N"]), "l": (F32, ["M"])}),
            [np.ones(3, np.float32), np.ones(2, np.float32)],
            "min should be a scalar",
        ),
        (
            model(
                [node("Slice", ["x", "s", "e"], ["y"], name="n")],
                {"x": (F32, ["N"]), "s": (I64, []), "e": (I64, [1])},
            ),
            [np.ones(3, np.float32), np.array(1), np.array([2])],
            "Starts must be a 1-D array",
        ),
    ],
    ids=["a signature", "a name"],
)
def test_functions_in_onnx_runtimes_sources_are_left_out(proto, inputs, said):
    with pytest.raises(Exception, match=said) as caught:
        plain(proto)(inputs)
    assert re.search(r"\.(h|cc):\d", str(caught.value))  # or there is nothing to leave out
    text = sentence(caught.value)
    assert text.startswith(f"{proto.graph.node[0].op_type} 'n': ")
    assert said in text
    assert not re.search(r"\.(h|cc):|onnxruntime|operator\(\)|Non-zero|Status", text)


def test_a_missing_package_is_an_error_of_ours(monkeypatch):
    """ONNX's reference decodes pictures with Pillow, which may not be there."""
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    proto = model(
        [node("ImageDecoder", ["x"], ["y"], name="decode")], {"x": (TensorProto.UINT8, ["n"])}, opset=20
    )
    proto.graph.output[0].type.tensor_type.elem_type = TensorProto.UINT8
    net = mx.onnx.import_to_gluon(proto.SerializeToString())
    with pytest.raises(MXNetError, match=r"package .* required.*Pillow.*pip"):
        net(mx.nd.array([1, 2, 3], dtype="uint8"))


def test_nothing_warns():
    """Infinities and NaN that are computed at import, or by ONNX's reference, are results like others."""
    constant = np.array([np.nan, np.inf, -1], np.float32)
    nodes = [
        node("Cast", ["c"], ["whole"], to=TensorProto.INT32),
        node("Cast", ["whole"], ["back"], to=F32),
        node("Sqrt", ["c"], ["root"]),
        node("Log", ["c"], ["log"]),
        node("Sum", ["x", "back", "root", "log"], ["y"]),
        node("Einsum", ["x", "x"], ["z"], equation="ij,ij->i"),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net = mx.onnx.import_to_gluon(
            model(nodes, ROWS, "y z", constants={"c": constant}).SerializeToString()
        )
        for hybrid in (False, True):
            net.hybridize(hybrid)
            net(mx.nd.array(np.full((2, 3), 1e30)))
