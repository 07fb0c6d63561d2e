"""Branches that are always taken, and functions, join the graph around them under names of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper, parser
from onnx.reference import ReferenceEvaluator
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidGraph, RuntimeException

import hybridonnx as mx
from hybridonnx.converters import from_onnx
from hybridonnx.errors import ConversionError
from hybridonnx.symbol.execute import execute

NAMES = ("a", "b", "w", "w_1", "If_0", "z/a")
"""Few, so that scopes clash, and some that look as if an importer had made them up."""
MODELS = 300


def graph(nodes, name, outputs, weights=None, inputs=()) -> Any:
    return helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, (2,)) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in (weights or {}).items()],
    )


def model(main, functions=()) -> Any:
    domains = [helper.make_opsetid("", 18), *[helper.make_opsetid("own", 1)] * bool(functions)]
    return helper.make_model(main, opset_imports=domains, ir_version=8, functions=list(functions))


def in_onnx_runtime(proto, x):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})


def imported(proto, x):
    symbol, arguments, states = from_onnx.import_model(proto)
    return [y.asnumpy() for y in execute(symbol, {**arguments, **states, "x": mx.nd.array(x)})]


def branch(value):
    nodes = [helper.make_node("Add", ["x", "w"], ["sum"], name="add")]
    return graph(nodes, "branch", ["sum"], {"w": np.array([value], "float32")})


def test_two_branches_with_an_initializer_of_one_name():
    nodes = [
        helper.make_node("If", ["c"], ["a"], then_branch=branch(10), else_branch=branch(0)),
        helper.make_node("If", ["c"], ["b"], then_branch=branch(3), else_branch=branch(0)),
        helper.make_node("Sub", ["a", "b"], ["y"]),
    ]
    proto = model(graph(nodes, "main", ["y"], {"c": np.array(True)}, ["x"]))
    x = np.array([1, 2], "float32")
    assert in_onnx_runtime(proto, x)[0].tolist() == [7, 7]
    assert imported(proto, x)[0].tolist() == [7, 7]
    symbol, arguments, _ = from_onnx.import_model(proto)
    assert {name: value.asnumpy().tolist() for name, value in arguments.items()} == {"w": [10], "w_1": [3]}
    assert len(set(symbol.get_internals().list_outputs())) == len(symbol.get_internals().list_outputs())


def test_a_sparse_initializer_of_a_branch_is_refused():
    inner = branch(1)
    inner.sparse_initializer.add()
    nodes = [helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=branch(0))]
    with pytest.raises(ConversionError, match="dense initializers"):
        from_onnx.import_model(model(graph(nodes, "main", ["y"], {"c": np.array(True)}, ["x"])))


def test_a_parameter_keeps_its_value_beside_constants_that_imports_make_up():
    nodes = [
        helper.make_node("Tile", ["x", "twice"], ["t"], name="p"),
        helper.make_node("Add", ["t", "p_const0"], ["y"], name="add"),
    ]
    weights = {"p_const0": np.array([5, 6, 7, 8], "float32"), "twice": np.array([2])}
    proto = model(graph(nodes, "main", ["y"], weights, ["x"]))
    x = np.array([1, 2], "float32")
    np.testing.assert_array_equal(imported(proto, x)[0], in_onnx_runtime(proto, x)[0])


# ---- a search


def constant(name, array) -> Any:
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.asarray(array)))


class Scope:
    """A random graph in the making, with the names that it sees and those that it has."""

    def __init__(self, rng, depth, visible, functions=True):
        self.rng, self.depth, self.functions = rng, depth, functions
        self.outer = list(visible)
        self.own: list[str] = []
        self.nodes: list[Any] = []
        self.weights: dict[str, Any] = {}

    def name(self):
        """A name that this graph may give to a value: not one that it sees already."""
        free = [name for name in NAMES if name not in self.own and name not in self.outer]
        name = (
            str(self.rng.choice(free)) if free else f"v{len(self.own)}_{self.depth}_{self.rng.integers(9999)}"
        )
        self.own.append(name)
        return name

    def value(self):
        return str(self.rng.choice([*self.outer, *self.own]))

    def condition(self):
        """A constant condition: an initializer, a Constant node, or computed from one."""
        name, truth = f"c{self.rng.integers(1 << 30)}", bool(self.rng.integers(2))
        if self.rng.integers(2):
            self.constant(name, np.array(truth))
        else:
            self.nodes.append(constant(name, np.array(truth)))
        if self.rng.integers(3):
            return name
        self.nodes.append(helper.make_node("Not", [name], [f"{name}n"]))
        return f"{name}n"

    def constant(self, name, array):
        """An initializer; in the body of a function, which cannot have them, a node."""
        if self.functions or self.depth > 1:
            self.weights[name] = array
        else:
            self.nodes.append(constant(name, array))

    def fill(self):
        for _ in range(int(self.rng.integers(1, 3))):
            self.constant(self.name(), self.rng.integers(-4, 5, 2).astype("float32"))
        for _ in range(int(self.rng.integers(1, 4))):
            self.step()
        return self

    def step(self):
        kind = int(self.rng.integers(4))
        if kind == 0 and self.depth < 3:
            branches = [self.branch() for _ in range(2)]
            results = [self.name() for _ in range(2)]
            self.nodes.append(
                helper.make_node(
                    "If", [self.condition()], results, then_branch=branches[0], else_branch=branches[1]
                )
            )
        elif kind == 1 and self.functions:
            self.nodes.append(
                helper.make_node("Blend", [self.value(), self.value()], [self.name()], domain="own")
            )
        else:
            op_type = str(self.rng.choice(["Add", "Sub", "Max"]))
            name = f"n{len(self.nodes)}"
            self.nodes.append(
                helper.make_node(op_type, [self.value(), self.value()], [self.name()], name=name)
            )

    def branch(self):
        inner = Scope(self.rng, self.depth + 1, [*self.outer, *self.own], self.functions).fill()
        results = [str(name) for name in self.rng.choice(inner.own, 2, replace=False)]
        return graph(inner.nodes, "branch", results, inner.weights)


def blend(rng):
    """A function of the model with branches inside."""
    scope = Scope(rng, 1, ["p", "q"], functions=False)
    scope.step()
    condition = scope.condition()
    branches = [scope.branch() for _ in range(2)]
    scope.nodes.append(
        helper.make_node("If", [condition], ["r", "s"], then_branch=branches[0], else_branch=branches[1])
    )
    return helper.make_function("own", "Blend", ["p", "q"], ["r"], scope.nodes, [helper.make_opsetid("", 18)])


def random_model(rng) -> Any:
    scope = Scope(rng, 0, ["x"]).fill()
    while not any(node.op_type in ("If", "Blend") for node in scope.nodes):
        scope.step()
    results = [
        name for node in scope.nodes for name in node.output if node.op_type not in ("Constant", "Not")
    ]
    return model(graph(scope.nodes, "main", results, scope.weights, ["x"]), [blend(rng)])


def expected(proto, x):
    """What ONNX Runtime gives, or ONNX's evaluator where it refuses names that valid models may repeat."""
    try:
        return in_onnx_runtime(proto, x)
    except (Fail, InvalidGraph, RuntimeException):  # the last is ONNX Runtime 1.20's
        return ReferenceEvaluator(proto).run(None, {"x": x})


def test_random_nested_branches_and_functions():
    for seed in range(MODELS):
        proto = random_model(np.random.default_rng(seed))
        x = np.random.default_rng(seed).integers(-3, 4, 2).astype("float32")
        for a, b in zip(imported(proto, x), expected(proto, x), strict=True):
            np.testing.assert_array_equal(a, b, err_msg=str(seed))


# ---- branches of other shapes


OTHER_SHAPES = """
    one = Constant <value = int64[1] {1}> ()
    zero = Constant <value = int64[1] {0}> ()
    y = If (p) <
        then_branch = a () => (double[A, 3] u) { s = Sin (x) u = Mul (s, x) },
        else_branch = b () => (double[B, 3] v) { part = Slice (x, zero, one, zero) v = Exp (part) }>
    z = Tanh (y)
"""


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("rows", [4, "R"])
@pytest.mark.parametrize("p", [True, False])
def test_branches_may_give_other_shapes(rows, p, hybrid, tmp_path):
    head = f"main (double[{rows}, 3] x, bool p) => (double[A, B] z)"
    proto = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> {head} {{ {OTHER_SHAPES} }}')
    proto.graph.output[0].type.tensor_type.ClearField("shape")
    net = mx.onnx.import_to_gluon(proto)
    path = mx.onnx.export_model(
        net, str(tmp_path / "m.onnx"), input_shapes=[(rows, 3), ()], in_types=["float64", "bool"]
    )
    value = np.linspace(-1, 1, 12).reshape(4, 3)
    y = value * np.sin(value) if p else np.exp(value[:1])
    slope = np.sin(value) + value * np.cos(value) if p else np.exp(value) * (np.arange(4) == 0)[:, None]
    slope[: len(y)] *= 1 - np.tanh(y) ** 2
    for block in (net, mx.onnx.import_to_gluon(path)):
        block.hybridize(hybrid)
        x = mx.nd.array(value, dtype="float64")
        x.attach_grad()
        with mx.autograd.record():
            z = block(x, mx.nd.array(p, dtype="bool"))
        z.backward()
        np.testing.assert_allclose(z.asnumpy(), np.tanh(y), rtol=1e-12)
        np.testing.assert_allclose(x.grad.asnumpy(), slope, rtol=1e-12)


# ---- functions of the model

SLOPE = """
    <domain: "own", opset_import: ["" : 18]>
    slope <alpha: float = 0.25, axis> (u) => (v) {
        z = LeakyRelu <alpha: float = @alpha> (u)
        v = Softmax <axis: int = @axis> (z)
    }
"""


@pytest.mark.parametrize(
    "main",
    [
        "y = own.slope <axis = 1> (x)",
        "y = own.slope <axis = 0, alpha = 0.5> (x)",
        """z = ReduceMax <keepdims = 0> (x)
           c = Less (z, z)
           y = If (c) <
               then_branch = one () => (float[2, 4] a) { a = Neg (x) },
               else_branch = two () => (float[2, 4] b) { b = own.slope <axis = 0> (x) }>""",
        "y = own.twice (x)",
    ],
)
def test_calls_may_leave_attributes_to_the_functions_defaults(main):
    twice = """
        <domain: "own", opset_import: ["" : 18, "own" : 1]>
        twice <alpha: float = 0.75> (u) => (v) {
            a = own.slope <axis = 1> (u)
            b = own.slope <axis = 1, alpha: float = @alpha> (u)
            v = Sub (a, b)
        }
    """
    head = '<ir_version: 10, opset_import: ["" : 18, "own" : 1]>'
    proto = parser.parse_model(f"{head} main (float[2, 4] x) => (float[2, 4] y) {{ {main} }} {SLOPE} {twice}")
    x = np.linspace(-2, 1, 8, dtype="float32").reshape(2, 4)
    np.testing.assert_allclose(imported(proto, x)[0], in_onnx_runtime(proto, x)[0], rtol=1e-6, atol=1e-7)


def of_opset(opset, body):
    return parser.parse_model(
        f'<ir_version: 10, opset_import: ["" : 18, "own" : 1]> main (float[2, 4] x) => (float[2, 4] y)'
        f'{{ y = own.f (x) }} <domain: "own", opset_import: ["" : {opset}]> f (u) => (v) {{ {body} }}'
    )


@pytest.mark.parametrize(
    ("opset", "body", "formula"),
    [
        (13, "z = Relu (u) v = Neg (z)", lambda x: -np.maximum(x, 0)),
        (20, "v = Relu (u)", lambda x: np.maximum(x, 0)),
        (11, "z = ReduceSum <axes = [0]> (u) v = Add (u, z)", lambda x: x + x.sum(0)),
        (11, "v = Softmax <axis = 0> (u)", lambda x: np.exp(x) / np.exp(x).sum()),  # over all axes until 13
    ],
)
def test_functions_of_another_opset_mean_what_they_say(opset, body, formula):
    x = np.linspace(-2, 1, 8, dtype="float32").reshape(2, 4)
    np.testing.assert_allclose(imported(of_opset(opset, body), x)[0], formula(x), rtol=1e-5, atol=1e-6)


def test_functions_of_a_newer_opset_than_the_model_are_refused():
    with pytest.raises(ConversionError, match=r"the model's opset 18 are required.*got f of opset 20"):
        from_onnx.import_model(of_opset(20, "v = Gelu (u)"))
