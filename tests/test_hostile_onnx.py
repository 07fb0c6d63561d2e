"""ONNX models from strangers: imported, or refused in time by an error of ours, whatever they say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper, parser

import hybridonnx as mx
from hybridonnx.errors import FormatError, MXNetError
from tests.hostile_models import ENDED, FINE, Hostile, models, verdicts


def model(
    nodes: list[NodeProto],
    weights: dict[str, object] | None = None,
    functions: tuple[FunctionProto, ...] = (),
    outputs: tuple[str, ...] = ("y",),
    shape: tuple[int, ...] = (4, 4),
) -> ModelProto:
    """A model of an input x with weights."""
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in (weights or {}).items()],
    )
    domains = [helper.make_opsetid("", 18), *([helper.make_opsetid("own", 1)] if functions else [])]
    proto: ModelProto = helper.make_model(graph, opset_imports=domains, functions=functions, ir_version=8)
    return proto


def node(op_type: str, inputs: str, outputs: str, **attributes: object) -> NodeProto:
    proto: NodeProto = helper.make_node(op_type, inputs.split(), outputs.split(), **attributes)
    return proto


def function(name: str, nodes: list[NodeProto]) -> FunctionProto:
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    proto: FunctionProto = helper.make_function("own", name, ["a"], ["b"], nodes, opsets)
    return proto


def doubling_functions() -> ModelProto:
    """Each function calls the one before it twice."""
    functions = [function("f0", [node("Relu", "a", "b")])]
    for k in range(1, 21):
        calls = [
            node(f"f{k - 1}", "a", "m", domain="own"),
            node(f"f{k - 1}", "m", "b", domain="own"),
        ]
        functions.append(function(f"f{k}", calls))
    return model([node("f20", "x", "y", domain="own")], functions=tuple(functions))


def branch() -> GraphProto:
    output = helper.make_tensor_value_info("z", TensorProto.FLOAT, None)
    graph: GraphProto = helper.make_graph([node("Relu", "x", "z")], "b", [], [output])
    return graph


def nested(depth: int) -> ModelProto:
    """Branches in branches."""
    inner = plain = branch()
    for k in range(depth):
        body = [helper.make_node("If", ["c"], [f"z{k}"], then_branch=inner, else_branch=plain)]
        output = helper.make_tensor_value_info(f"z{k}", TensorProto.FLOAT, None)
        inner = helper.make_graph(body, f"b{k}", [], [output])
    return model([node("If", "c", "y", then_branch=inner, else_branch=plain)], {"c": np.array([True])})


def chain(op_type: str, inputs: str, count: int, **attributes: object) -> list[NodeProto]:
    """Nodes one behind the other, whose inputs are written with P for the result before."""
    return [node(op_type, inputs.replace("P", f"v{k}"), f"v{k + 1}", **attributes) for k in range(count)]


def parsed(graph: str) -> ModelProto:
    proto: ModelProto = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18, "own" : 1]> {graph}')
    return proto


BIG = {"s": np.array([1 << 20])}
FOUND: dict[str, Callable[[], ModelProto]] = {
    "an axis far outside": lambda: model([node("Flatten", "x", "y", axis=10**9)]),
    "a negative count of axes": lambda: model(
        [node("GatherND", "x i", "y", batch_dims=-2)], {"i": np.zeros((4, 1), np.int64)}
    ),
    "an axis at the end of int64": lambda: model(
        [node("LayerNormalization", "x w", "y", axis=(1 << 63) - 1, odd=1)], {"w": np.ones(4, np.float32)}
    ),
    "dots twice": lambda: model([node("Einsum", "x x", "y", equation="......ij,jk->ik")]),
    "functions that double": doubling_functions,
    "a function that calls itself": lambda: model(
        [node("f", "x", "y", domain="own")], functions=(function("f", [node("f", "a", "b", domain="own")]),)
    ),
    "branches in branches": lambda: nested(31),
    "two conditions": lambda: model(
        [node("If", "c", "y", then_branch=branch(), else_branch=branch())], {"c": np.array([True, False])}
    ),
    "products of large constants": lambda: model(
        [
            node("ConstantOfShape", "s", "v0"),
            *chain("MatMul", "P P", 2),
            node("ReduceSum", "v2", "t"),
            node("Add", "x t", "y"),
        ],
        {"s": np.array([16_000, 16_000])},
    ),
    "many sums of large constants": lambda: model(
        [node("ConstantOfShape", "s", "v0"), *chain("Add", "P P", 300), node("Add", "x v300", "y")],
        BIG,
        shape=(1,),
    ),
    "many large constants": lambda: model(
        [
            *(node("ConstantOfShape", "s", f"c{k}") for k in range(40)),
            node("Sum", " ".join(f"c{k}" for k in range(40)), "t"),
            node("Add", "x t", "y"),
        ],
        {"s": np.array([1 << 26])},
        shape=(1,),
    ),
    "a picture made large": lambda: model(
        [
            node("Resize", "p  r".replace("  ", " e e "), "q"),
            node("ReduceSum", "q", "t"),
            node("Add", "x t", "y"),
        ],
        {
            "p": np.ones((1, 1, 2, 2), np.float32),
            "e": np.zeros(0, np.float32),
            "r": np.array([1, 1, 14_000, 14_000]),
        },
    ),
    "a constant that doubles": lambda: model(
        [node("ConstantOfShape", "s", "v0"), *chain("Concat", "P P", 18, axis=0), node("Add", "x v18", "y")],
        {"s": np.array([1 << 12])},
        shape=(1,),
    ),
    "operators that nobody knows": lambda: model(
        [
            *(node(f"Operator{k:05}" * 8, "x", f"v{k}") for k in range(2000)),
            node("Sum", " ".join(f"v{k}" for k in range(2000)), "y"),
        ]
    ),
    "a constant without a value": lambda: model([node("Constant", "", "c"), node("Add", "x c", "y")]),
    "a constant of two values": lambda: model(
        [node("Constant", "", "c", value_int=1, value_float=2.0), node("Add", "x c", "y")]
    ),
    "no outputs": lambda: model([node("Relu", "x", "y")], outputs=()),
    "more parts than outputs": lambda: model([node("Split", "x", "y", num_outputs=1 << 30)]),
    "a long window": lambda: model(
        [node("BlackmanWindow", "n", "w"), node("ReduceSum", "w", "t"), node("Add", "x t", "y")],
        {"n": np.array(10**9)},
    ),
    "steps without end": lambda: model(
        [node("GRU", "x w r", "z y", hidden_size=2)],
        {"w": np.zeros((1, 6, 3), np.float32), "r": np.zeros((1, 6, 2), np.float32)},
        shape=(1 << 30, 1, 3),
    ),
    "a vector that is no shape": lambda: parsed(
        """g (seq(float[N]) x, float[1048576] w) => (seq(float[N]) y) {
            a = SequenceMap (x, w) <body = b (float[N] c, float[1048576] d) => (float[N] e) {e = Add (c, d)}>
            y = SequenceMap (a, w) <body = b (float[N] c, float[N] d) => (float[N] e) {e = Add (c, d)}>
        }"""
    ),
    "a sequence of itself": lambda: parsed(
        """g (seq(float[N]) x, float[N] w) => (seq(float[N]) y) {
            y = SequenceMap (y, w) <body = b (float[N] c, float[N] d) => (float[N] e) {e = Add (c, d)}>
        }"""
    ),
    "a sequence of no known type": lambda: parsed(
        """g (seq(float[N]) x, float[N] w) => (unknown, seq(float[N]) y) {
            unknown = own.g (w)
            y = SequenceMap (unknown, w) <body = b (float[N] c, float[N] d) => (float[N] e) {e = Add (c, d)}>
        }"""
    ),
    "names without end": lambda: model([node("Flatten", "x", "y", axis=10**9, name="n" * 10**6)]),
}


def test_models_that_brought_an_import_down():
    """Each crashed, hung, filled the memory or raised an error of another library once."""
    todo = [Hostile(name, make) for name, make in FOUND.items()]
    assert not faults_of(dict(verdicts(todo, ["metadata", "import", "inspect"])))


def test_good_models_at_extremes():
    """A part of what `python -m tests.hostile_models` tries."""
    results = dict(verdicts(models("", 150), ["metadata", "import"]))
    assert len(results) > 500
    assert not {name: result for name, result in results.items() if result not in FINE}


def test_comparisons_of_good_models_at_extremes():
    results = dict(verdicts(models("", 700), ["gluon", "inspect", "verify"]))
    assert len(results) > 180
    assert not faults_of(results)


def faults_of(results: dict[str, str]) -> dict[str, str]:
    """What is at fault, but for what ONNX Runtime does to a process that runs a model."""
    return {
        name: result
        for name, result in results.items()
        if result not in FINE and not (name.startswith("verify ") and result.startswith(ENDED))
    }


@pytest.mark.slow
def test_more_good_models_at_extremes():
    """All of them take two processors an hour."""
    results = dict(verdicts(models("", 10), ["metadata", "import"]))
    assert len(results) > 8_000
    assert not faults_of(results)


@pytest.mark.slow
def test_more_comparisons_of_good_models_at_extremes():
    """What ends a process is an error where it is isolated."""
    chosen = models("", 30)
    results = dict(verdicts(chosen, ["gluon", "inspect", "verify"]))
    assert len(results) > 4_000
    assert not faults_of(results)
    ended = [model for model in chosen if results[f"verify {model.name}"] not in FINE]
    assert not faults_of(dict(verdicts(ended, ["isolated"])))


@pytest.mark.parametrize("beside", [False, True])
def test_large_weights_are_folded_as_far_as_the_file_is_large(beside, tmp_path):
    """64 MB of numbers come of 16 MB of integers, which is more than a small file may ask for."""
    proto = model(
        [node("Cast", "q", "w", to=TensorProto.FLOAT), node("MatMul", "x w", "y")],
        {"q": np.ones((4096, 4096), np.int8)},
        shape=(1, 4096),
    )
    path = str(tmp_path / "m.onnx")
    onnx.save(proto, path, save_as_external_data=beside, location="w.bin")
    symbol, params, _ = mx.onnx.import_model(path)
    assert [op.op_name for op in symbol.nodes() if not op.is_variable] == ["dot"]
    assert {str(array.dtype) for array in params.values()} == {"<class 'numpy.float32'>"}


def broken(text: str, change: Callable[[ModelProto], None]) -> ModelProto:
    proto: ModelProto = parser.parse_model(text)
    change(proto)
    return proto


PLAIN = '<ir_version: 8, opset_import: ["" : 18]> g (float[2, 3] x) => (float[2, 3] y) { y = Relu (x) }'


def retype(proto: ModelProto) -> None:
    proto.graph.output[0].type.tensor_type.elem_type = TensorProto.INT64


def declare_otherwise(proto: ModelProto) -> None:
    proto.graph.node[0].op_type = "Add"
    proto.graph.node[0].input.append("w")
    proto.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, (5,)))
    proto.graph.initializer.append(numpy_helper.from_array(np.ones(3, np.float32), "w"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p.graph.input.append(p.graph.input[0]), "one node, input or initializer for each value"),
        (lambda p: p.graph.node.append(p.graph.node[0]), "one node, input or initializer for each value"),
        (retype, "y is declared as int64, but its node gives float32"),
        (declare_otherwise, r"initializer w is required as it is declared, of type 1 and shape \[5\]"),
        (lambda p: setattr(p, "ir_version", 1 << 40), "version [0-9]+ of ONNX's format or an older one"),
        (lambda p: p.graph.ClearField("output"), "at least one output is required"),
    ],
)
def test_what_onnx_forbids_is_refused(change, message):
    mx.onnx.import_model(broken(PLAIN, lambda p: None))
    with pytest.raises(MXNetError, match=message):
        mx.onnx.import_model(broken(PLAIN, change))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (
            "g (float[2] x) => (float[2] y) { y = Relu (a)  a = Relu (x) }",
            r"'a' is used before a node computes it\. Sort the model's nodes\. In node y \(Relu\)\.",
        ),
        ("g (float[2] x) => (float[2] y) { y = Relu (y) }", "'y' is used before a node computes it"),
        (
            """g (float[2] x, bool c) => (float[2] y) {
                y = If (c) <then_branch = t () => (float[2] a) { a = Neg (b)  b = Relu (x) },
                            else_branch = e () => (float[2] d) { d = Relu (x) }>
            }""",
            r"'b' is used before a node computes it.* In node a \(Neg\)",
        ),
        (
            """g (float[2] x, bool c) => (float[2] y) {
                y = If (c) <then_branch = t () => (float[2] a) { a = Neg (z) },
                            else_branch = e () => (float[2] d) { d = Relu (x) }>
                z = Relu (x)
            }""",
            "a node, an input or an initializer that gives 'z' is required",
        ),
        (
            """g (float[2] x, bool c) => (float[2] y) {
                y = If (c) <then_branch = t () => (float[2] a) { a = Neg (x)  a = Relu (x) },
                            else_branch = e () => (float[2] d) { d = Relu (x) }>
            }""",
            "one node, input or initializer for each value is required, got several that give a",
        ),
        (
            """g (float[2] x) => (float[2] y) { y = own.f (x) }
            <domain: "own", opset_import: ["" : 18]> f (p) => (q) { q = Relu (r)  r = Neg (p) }""",
            "'r' is used before a node computes it",
        ),
        (
            """g (float[2] x) => (float[2] y) { y = own.f (x) }
            <domain: "own", opset_import: ["" : 18]> f (p) => (q) { r = Neg (p) }""",
            "that gives 'q' is required",
        ),
    ],
)
def test_values_are_given_once_and_before_they_are_taken(graph, message):
    with pytest.raises(FormatError, match=message):
        mx.onnx.import_model(parsed(graph))


@pytest.mark.parametrize("text", ["1_6", "٤", " 16", "-4", "+4", "1e1"])
@pytest.mark.parametrize("key", ["offset", "length"])
def test_places_beside_a_model_are_plain_numbers(tmp_path, key, text):
    def store(proto: ModelProto) -> None:
        declare_otherwise(proto)
        del proto.graph.input[1:]
        (tensor,) = proto.graph.initializer
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        entries = {"location": "w.bin", "offset": "4", "length": "12", key: text}
        for name, value in entries.items():
            tensor.external_data.add(key=name, value=value)

    (tmp_path / "w.bin").write_bytes(bytes(64))
    path = tmp_path / "m.onnx"
    path.write_bytes(broken(PLAIN, store).SerializeToString())
    with pytest.raises(FormatError, match=r"no integer|bytes are required"):
        mx.onnx.import_model(str(path))


@pytest.mark.parametrize("location", ["a\0b", "n" * 5000, "../w.bin", "/etc/hostname", "circle"])
def test_odd_places_beside_a_model_are_refused(tmp_path, location):
    def store(proto: ModelProto) -> None:
        declare_otherwise(proto)
        del proto.graph.input[1:]
        (tensor,) = proto.graph.initializer
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=location)

    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    path = tmp_path / "m.onnx"
    path.write_bytes(broken(PLAIN, store).SerializeToString())
    with pytest.raises(FormatError, match=r"inside the model's folder is required|is not there"):
        mx.onnx.import_model(str(path))
