"""The rules for shapes of nodes tell at least what ONNX's own inference does, and never anything else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from hybridonnx.converters.opsets import DEFAULT, signature
from hybridonnx.converters.to_onnx import Graph, Local, Value, _graph, _onnx_shapes, _shapes, lower_operator
from hybridonnx.converters.to_onnx._nodes import Node, bodies
from hybridonnx.errors import MXNetError
from hybridonnx.ops import NumericShape, Spec, SymbolicDim
from tests.special_values import cases

Shapes = Sequence[NumericShape | None]


def disagreements(ours: Shapes, theirs: Shapes) -> list[tuple[Any, Any]]:
    """The outputs of which ONNX knows what the rules do not, or something else."""

    def tells(a: NumericShape | None, b: NumericShape | None) -> bool:
        return b is None or (
            a is not None and len(a) == len(b) and all(y in (None, x) for x, y in zip(a, b, strict=True))
        )

    assert len(ours) == len(theirs)
    return [(a, b) for a, b in zip(ours, theirs, strict=True) if not tells(a, b)]


# ---- all that lowerings ask for


class Watch:
    """Asks both for each node whose shapes a lowering asks for."""

    def __init__(self) -> None:
        self.rules: Counter[str] = Counter()
        self.others: Counter[str] = Counter()

    def __call__(self, node: Node, opset: int) -> Shapes:
        if node.signature is None or bodies(node) or any(v and v.dtype is None for v in node.inputs):
            return _shapes.node_shapes(node, opset)
        rule = _shapes._RULES.get(node.op_type)
        ours = rule(node) if rule else None
        theirs = _onnx_shapes.node_shapes(node, opset)
        if ours is None:
            self.others[node.op_type] += 1
            return theirs
        self.rules[node.op_type] += 1
        wrong = disagreements(ours, theirs)
        inputs = [v and (v.shape, v.constant) for v in node.inputs]
        assert not wrong, f"{node.op_type} {node.attributes} of {inputs}: {wrong}"
        return ours


def known(shape: tuple[int, ...], _: int) -> Any:
    return shape


def batched(shape: tuple[int, ...], i: int) -> Any:
    return tuple(SymbolicDim.named(f"n{i}") if axis == 0 else size for axis, size in enumerate(shape))


def free(shape: tuple[int, ...], i: int) -> Any:
    return tuple(SymbolicDim.named(f"n{i}_{axis}") for axis in range(len(shape)))


@pytest.mark.parametrize("sizes", [known, batched, free])
@pytest.mark.parametrize(
    "most", [pytest.param(1, id="few"), pytest.param(20, id="many", marks=pytest.mark.slow)]
)
def test_rules_tell_what_onnx_does_of_all_lowerings(sizes, most, monkeypatch):
    watch = Watch()
    monkeypatch.setattr(_graph, "node_shapes", watch)
    runs: Counter[str] = Counter()
    for _, case in cases():
        if runs[case.op] == most:
            continue
        runs[case.op] += 1
        specs = [Spec(sizes(x.shape, i), x.dtype) for i, x in enumerate(case.arrays("float32"))]
        for local in (Local(), None):
            try:
                lower_operator(case.operator(), specs, local=local)
            except MXNetError:  # it has no lowering
                continue
    assert len(watch.rules) > 40
    assert watch.others.total() < watch.rules.total() / 20


# ---- nodes of any sizes and attributes


def constant(numbers: Any) -> Any:
    return np.array(numbers, np.int64)


def pick(rng: np.random.Generator, *values: Any) -> Any:
    return values[rng.integers(len(values))]


def shape_of(rng: np.random.Generator, rank: int | None = None) -> list[int]:
    return [int(size) for size in rng.choice([0, 1, 2, 3, 5], rng.integers(5) if rank is None else rank)]


def axes_of(rng: np.random.Generator, rank: int) -> list[int]:
    count = rng.integers(rank + 1)
    return [int(a) - (rank if rng.random() < 0.4 else 0) for a in rng.permutation(rank)[:count]]


def elementwise(rng):
    shape = shape_of(rng)
    others = [[pick(rng, size, 1) for size in shape[rng.integers(len(shape) + 1) :]] for _ in range(2)]
    return ("Add", others, {}) if rng.random() < 0.5 else ("Max", [shape, *others], {})


def where(rng):
    _, (a, b, *_), _ = elementwise(rng)
    return "Where", [np.array(True), a, b], {}


def reshape(rng):
    shape = shape_of(rng)
    target = [int(s) for s in rng.permutation(shape)] + [1] * rng.integers(2)
    for i in range(len(target)):
        if rng.random() < 0.3:
            target[i] = 0
    if target and rng.random() < 0.5:
        target[rng.integers(len(target))] = -1
    return "Reshape", [shape, constant(target)], {}


def transpose(rng):
    shape = shape_of(rng)
    return "Transpose", [shape], pick(rng, {}, {"perm": tuple(map(int, rng.permutation(len(shape))))})


def squeeze(rng):
    shape = [pick(rng, 1, 1, size) for size in shape_of(rng)]
    axes = [a for a in axes_of(rng, len(shape)) if shape[a] == 1 or rng.random() < 0.1]
    return "Squeeze", [shape, constant(axes)] if axes else [shape], {}


def unsqueeze(rng):
    shape = shape_of(rng)
    count = int(rng.integers(3))
    return "Unsqueeze", [shape, constant(axes_of(rng, len(shape) + count)[:count])], {}


def strided(rng):
    shape = [size or 4 for size in shape_of(rng)]  # of 0 elements onnx 1.20 has some left
    axes = axes_of(rng, len(shape))
    bounds = [[int(pick(rng, -9, -2, -1, 0, 1, 2, 9, 2**63 - 1, 1 - 2**63)) for _ in axes] for _ in range(2)]
    steps = [int(pick(rng, 1, 1, 2, -1, -2)) for _ in axes]
    inputs = [shape, *map(constant, bounds), constant(axes), constant(steps)]
    return "Slice", inputs[: pick(rng, 4, 5)], {}


def pad(rng):
    shape = shape_of(rng)
    return "Pad", [shape, constant(rng.integers(-1, 3, 2 * len(shape)))], {}


def concat(rng):
    shape = shape_of(rng, int(rng.integers(1, 4)))
    axis = int(rng.integers(-len(shape), len(shape)))
    others = [[*shape] for _ in range(rng.integers(1, 3))]
    for other in others:
        other[axis] = int(rng.integers(4))
    return "Concat", [shape, *others], {"axis": axis}


def split(rng):
    parts = [int(size) for size in rng.integers(0, 3, rng.integers(1, 4))]
    shape = shape_of(rng, int(rng.integers(1, 4)))
    axis = int(rng.integers(-len(shape), len(shape)))
    shape[axis] = sum(parts) + int(rng.random() < 0.1)
    return "Split", [shape, constant(parts)], {"axis": axis}, len(parts)


def split_evenly(rng):
    count, each = map(int, rng.integers(1, 4, 2))
    return "Split", [[2, count * each]], {"axis": 1, "num_outputs": count}, count


def gather(rng):
    shape = shape_of(rng, int(rng.integers(1, 4)))
    return "Gather", [shape, shape_of(rng, 2)], {"axis": int(rng.integers(-len(shape), len(shape)))}


def gather_nd(rng):
    shape = [2, *shape_of(rng, 3)]
    batch = int(rng.integers(2))
    return "GatherND", [shape, [2, 3, int(rng.integers(1, 4))]], {"batch_dims": batch}


def reduced(rng):
    shape = shape_of(rng)
    inputs: list[Any] = [shape, constant(axes_of(rng, len(shape)))]
    noop = {"noop_with_empty_axes": int(rng.integers(2))}
    return "ReduceSum", inputs[: pick(rng, 1, 2, 2)], {"keepdims": int(rng.integers(2)), **noop}


def arg_max(rng):
    shape = shape_of(rng, int(rng.integers(1, 4)))
    axis = int(rng.integers(-len(shape), len(shape)))
    return "ArgMax", [shape], {"axis": axis, "keepdims": int(rng.integers(2))}


def top_k(rng):
    return "TopK", [[4, *shape_of(rng, 2), 5], constant([rng.integers(6)])], {"axis": pick(rng, 0, -1)}, 2


def matmul(rng):
    batch, inner = shape_of(rng, int(rng.integers(3))), int(rng.integers(1, 4))
    a, b = [*batch, 3, inner], [*batch[rng.integers(len(batch) + 1) :], inner, 5]
    return "MatMul", [pick(rng, a, a, [inner]), pick(rng, b, b, [inner])], {}


def gemm(rng):
    flags = {"transA": int(rng.integers(2)), "transB": int(rng.integers(2))}
    a, b = [3, 4], [4, 5]
    return "Gemm", [a[:: -1 if flags["transA"] else 1], b[:: -1 if flags["transB"] else 1]], flags


def conv(rng):
    axes = int(rng.integers(1, 4))
    kernel = [int(k) for k in rng.integers(1, 4, axes)]
    attributes = {
        "kernel_shape": tuple(kernel),
        "strides": tuple(map(int, rng.integers(1, 4, axes))),
        "dilations": tuple(map(int, rng.integers(1, 3, axes))),
        "pads": tuple(map(int, rng.integers(0, 3, 2 * axes))),
    }
    if rng.random() < 0.2:
        del attributes["pads"]
    return "Conv", [[2, 3, *map(int, rng.integers(5, 9, axes))], [4, 3, *kernel]], attributes


def expand(rng):
    _, (a, b, *_), _ = elementwise(rng)
    return "Expand", [a, constant(b)], {}


def flatten(rng):
    shape = shape_of(rng)
    return "Flatten", [shape], {"axis": int(rng.integers(-len(shape), len(shape) + 1))}


def shape(rng):
    bounds = {"start": int(rng.integers(-4, 4)), "end": int(rng.integers(-4, 4))}
    return "Shape", [shape_of(rng)], pick(rng, {}, bounds)


def span(rng):
    start, limit, delta = rng.integers(-5, 6, 3)
    return "Range", [np.int64(start), np.int64(limit), np.int64(delta or 1)], {}


def lstm(rng):
    direction = pick(rng, "forward", "reverse", "bidirectional")
    many = 2 if direction == "bidirectional" else 1
    weights = [[many, 16, 3], [many, 16, 4]]
    return "LSTM", [[5, 2, 3], *weights], {"hidden_size": 4, "direction": direction}, 3


def batch_norm(rng):
    shape = [2, 3, *shape_of(rng, int(rng.integers(3)))]
    training = int(rng.integers(2))
    count = 3 if training else 1
    return "BatchNormalization", [shape, [3], [3], [3], [3]], {"training_mode": training}, count


NODES: list[Callable[[np.random.Generator], Any]] = [
    *(elementwise, where, reshape, transpose, squeeze, unsqueeze, strided, pad, concat, split, split_evenly),
    *(gather, gather_nd, reduced, arg_max, top_k, matmul, gemm, conv, expand, flatten, shape, span, lstm),
    batch_norm,
]


def node_of(op_type: str, inputs: Sequence[Any], attributes: dict[str, Any], outputs: int = 1) -> Node:
    """A node of values of these shapes, and of constants."""
    g = Graph(DEFAULT)
    integers = {"Gather": (1,), "GatherND": (1,)}.get(op_type, ())
    values: list[Value | None] = []
    for i, item in enumerate(inputs):
        if isinstance(item, np.ndarray | np.generic):
            values.append(g.const(np.asarray(item)))
        else:
            values.append(Value(g, np.dtype("int64" if i in integers else "float32"), tuple(item)))
    node = Node(op_type, "", values, attributes, "")
    node.signature = signature(op_type, DEFAULT)
    node.outputs = [Value(g, np.dtype("float32")) for _ in range(outputs)]
    return node


def hidden(rng: np.random.Generator, inputs: Sequence[Any], rate: float) -> list[Any]:
    """The inputs with some sizes unknown."""
    return [
        item
        if isinstance(item, np.ndarray | np.generic)
        else [None if rng.random() < rate else size for size in item]
        for item in inputs
    ]


@pytest.mark.parametrize("make", NODES, ids=lambda make: make.__name__)
def test_rules_tell_what_onnx_does_of_any_node(make):
    rng = np.random.default_rng(1)
    answers = 0
    for _ in range(150):
        op_type, inputs, *rest = make(rng)
        whole = None
        for rate in (0.0, 0.2, 0.5, 1.0):
            node = node_of(op_type, hidden(rng, inputs, rate), *rest)
            ours, theirs = _shapes._RULES[op_type](node), _onnx_shapes.node_shapes(node, DEFAULT)
            if rate == 0:
                whole = ours
            if ours is None:
                continue
            answers += 1
            text = (
                f"{op_type} {rest} of {[v and (v.shape, v.constant) for v in node.inputs]}: {ours}, {theirs}"
            )
            assert not disagreements(ours, theirs), text
            # what the rules know beyond is so once every size is known
            assert whole is None or not disagreements(whole, ours), text
    assert answers > 300


@pytest.mark.parametrize("step", [-2, -1, 1, 2])
@pytest.mark.parametrize("bound", [-5, -1, 0, 1, 5])
def test_slices_of_no_elements_have_none(bound, step):
    inputs = [[3, 0], *(constant([number]) for number in (bound, -bound, 1, step))]
    assert _shapes._RULES["Slice"](node_of("Slice", inputs, {})) == [(3, 0)]


@pytest.mark.parametrize("op_type", ["Relu", "Softmax", "Cast", "Abs", "CumSum", "Clip"])
def test_elementwise_nodes_keep_shapes_of_unknown_rank_unknown(op_type):
    node = node_of(op_type, [(2, 3)], {})
    assert node.inputs[0] is not None
    node.inputs[0].shape = None
    assert _shapes.node_shapes(node, DEFAULT) == [None]


def test_other_nodes_are_left_to_onnx():
    attributes = {"kernel_shape": (2, 2), "strides": (2, 2)}
    assert _shapes.node_shapes(node_of("MaxPool", [(1, 3, 6, 8)], attributes), DEFAULT) == [(1, 3, 3, 4)]
