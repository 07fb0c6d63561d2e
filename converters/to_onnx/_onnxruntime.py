"""Graphs in forms in which ONNX Runtime, whose optimizer changes some numbers, computes what they say.

What is known of its faults stands in `docs/onnxruntime.md`; here is what lowered graphs do about them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import prod

import numpy as np

from hybridonnx.ops import sizes

from ..opsets import signature
from ._graph import Graph
from ._nodes import Node, Value, bodies, reduced_axes
from ._write import live_nodes

AXES_AT = 18
"""From this opset on Pad can name its axes."""


@cache
def erf_of_nan_is_one() -> bool:
    """Whether the version that is loaded has 1 for Erf of NaN, as those up to 1.25.

    What chooses NaN keeps others from making one node of Gelu.
    """
    version = getattr(sys.modules.get("onnxruntime"), "__version__", "1.0")
    return tuple(map(int, version.split(".")[:2])) < (1, 26)


def guard(graph: Graph, results: Sequence[Value]) -> None:
    """Rewrite the nodes, subgraphs included, that ONNX Runtime would replace by something else."""
    pads = _foldable_pads(graph, results)
    parts = list(_with_bodies(graph))
    every = [node for part in parts for node in part.nodes if not node.domain]
    clips, truncates = any(node.op_type == "Clip" for node in every), any(map(_truncates, every))
    columns: set[int] = set()
    for part in parts:
        nodes, part.nodes = part.nodes, []
        for node in nodes:
            part.scope = node.scope
            if node.op_type == "Mul" and not node.domain:
                _guard_reciprocal(part, node)
            if node in pads:
                _guard_pad(part, node)
            elif node.op_type in _NEUTRAL and not node.domain:
                _guard_constant(part, node)
            elif clips and node.op_type == "Relu" and not node.domain:
                _guard_relu(part, node)
            elif truncates and node.op_type == "Cast" and not node.domain:
                _guard_cast(part, node)
            elif node.op_type in _GUARDS and not node.domain:
                _GUARDS[node.op_type](part, node)
            part.nodes.append(node)
        _widen_numbers(part, columns)


def _with_bodies(graph: Graph) -> Iterator[Graph]:
    yield graph
    for node in graph.nodes:
        for body in bodies(node):
            yield from _with_bodies(body)


def _become(g: Graph, node: Node, op_type: str) -> None:
    """Make a node one of another operator without attributes."""
    node.op_type, node.signature, node.attributes = op_type, signature(op_type, g.opset), {}


# ---- Pad
#
# Versions 1.17 to 1.31 (PadFusion, pull request 18136; issue 22177 is a part of it, mended in 1.21) move
# a Pad with zeros into the Conv, MaxPool or AveragePool behind it, also past a Cast. That is right for
# the data of a Conv alone: MaxPool pads with the lowest number, AveragePool with ceil_mode counts other
# elements, either refuses pads as large as its kernel, and the Pad of a Conv's weight becomes one of its
# data. The pool may come next to the Pad only after other nodes are eliminated, so what stands between
# them is no protection. No version does so with a Pad that names its axes, or whose result goes through
# Squeeze.


def _foldable_pads(graph: Graph, results: Sequence[Value]) -> set[Node]:
    """The Pads that could be moved into a node which they may not be moved into."""
    if not any(node.op_type == "Pad" for part in _with_bodies(graph) for node in part.nodes):
        return set()
    users: dict[int, list[tuple[Node, int]]] = {}
    pads = []
    for part in _with_bodies(graph):
        for node in live_nodes(part, results if part is graph else part.results)[0]:
            if node.op_type == "Pad" and _may_be_moved(node):
                pads.append(node)
            for index, value in enumerate(node.inputs):
                users.setdefault(id(value), []).append((node, index))
    return {pad for pad in pads if not _is_data_of_conv(users.get(id(pad.outputs[0]), []))}


def _may_be_moved(node: Node) -> bool:
    """Whether a Pad may turn out to put zeros around spatial axes, and nothing else."""
    if node.attributes["mode"] != "constant" or len(node.inputs) > 3:  # one that has axes is not moved
        return False
    data, pads, value = (*node.inputs, None)[:3]
    if data is None or data.shape is None or len(data.shape) < 3:
        return False
    if value is not None and value.constant is not None and value.constant.tobytes().strip(b"\0"):
        return False
    if pads is None or pads.constant is None:
        return True
    widths = pads.constant.reshape(2, -1)
    return bool((widths >= 0).all() and widths.any() and not widths[:, :2].any())


def _is_data_of_conv(users: Sequence[tuple[Node, int]]) -> bool:
    return bool(users) and all(user.op_type == "Conv" and index == 0 for user, index in users)


def _guard_pad(g: Graph, node: Node) -> None:
    data, pads, value = (*node.inputs, None)[:3]
    assert data is not None
    assert pads is not None
    if g.opset >= AXES_AT:
        # all of them: where a Transpose moves past a Pad, ONNX Runtime permutes the widths of all axes
        node.inputs = [data, pads, value, g.const(np.arange(data.rank))]
        return
    widths = _with_first_axis(g, pads, data.rank)
    padded = g.node("Pad", [g.Unsqueeze(data, [0]), widths, value], attributes=node.attributes)
    _become(g, node, "Squeeze")
    node.inputs = [padded, g.const([0])]


def _with_first_axis(g: Graph, pads: Value, rank: int) -> Value:
    """The widths for an array with one more axis before all others."""
    if pads.constant is not None:
        return g.const(np.pad(pads.constant.reshape(2, rank), ((0, 0), (1, 0))).ravel())
    before, after = (g.Slice(pads, [i], [i + rank], [0]) for i in (0, rank))
    return g.Concat([0], before, [0], after, axis=0)


# ---- arithmetic with 0 and 1
#
# Versions 1.14 to 1.31 (NoopElimination, pull request 13460) leave out the addition of 0 and the
# multiplication by 1, and compare in float32: of float64, 1e-50 counts as 0 and 1 + 1e-9 as 1. They pass
# over Sum.

_NEUTRAL = {"Add": 0.0, "Sub": 0.0, "Mul": 1.0, "Div": 1.0}


def _guard_constant(g: Graph, node: Node) -> None:
    a, b = node.inputs
    if a is None or b is None or a.dtype != np.float64:
        return
    if node.op_type in ("Add", "Mul") and _is_mistaken(a, _NEUTRAL[node.op_type]):
        a, b = b, a
    if not _is_mistaken(b, _NEUTRAL[node.op_type]):
        return
    if node.op_type == "Add" or node.op_type == "Sub":
        node.inputs = [a, b if node.op_type == "Add" else _times(g, b, -1.0)]
        _become(g, node, "Sum")
    else:  # of the one a half, of the other what makes up for it
        node.inputs = [_times(g, a, 0.5), _times(g, b, 2.0 if node.op_type == "Mul" else 0.5)]


def _is_mistaken(value: Value, neutral: float) -> bool:
    """Whether a value is one number that float32 does not, or may not, tell from `neutral`."""
    if value.constant is not None:
        number = value.constant
        return number.size == 1 and number.item() != neutral and np.float32(number.item()) == neutral
    shape = value.shape
    return value.node is None and shape is not None and None not in shape and prod(sizes(shape)) == 1


def _times(g: Graph, value: Value, factor: float) -> Value:
    if value.constant is not None:
        return g.const(value.constant * factor)
    product: Value = g.node("Mul", [value, factor])
    return product


# ---- products with reciprocals
#
# Versions 1.20 to 1.31 make a product with 1 / d a division by d (DivMulFusion; issues 32413, 32414, 32416).
# Where the other factor comes from a node that is eliminated in the same pass, such as an Identity, a Cast
# to the same type, or a product with 1, the division takes the name that is gone, and the model is refused.


def _guard_reciprocal(g: Graph, node: Node) -> None:
    """Make a product with a reciprocal the division that ONNX Runtime makes of it."""
    a, b = node.inputs
    for value, factor in ((a, b), (b, a)):
        divisor = _inverse(factor)
        if divisor is not None:
            _become(g, node, "Div")
            node.inputs = [value, divisor]
            return


def _inverse(value: Value | None) -> Value | None:
    """The d of a value that is 1 / d in floating-point numbers, with the shape of d."""
    if value is None or value.node is None or value.node.op_type != "Div" or value.node.domain:
        return None
    one, divisor = value.node.inputs
    if one is None or one.constant is None or divisor is None or divisor.shape is None:
        return None
    is_one = one.constant.size == 1 and one.constant.item() == 1 and one.constant.ndim <= len(divisor.shape)
    return divisor if is_one and one.constant.dtype.kind == "f" else None


# ---- Relu
#
# Versions 1.20 to 1.31, and likely all before them, refuse a model in which Clip follows a Relu of
# float64: they make the two one (FuseReluClip), and know how for float32 and float16 alone.


def _guard_relu(g: Graph, node: Node) -> None:
    (x,) = node.inputs
    if x is not None and x.dtype == np.float64:
        _become(g, node, "Max")
        node.inputs = [x, g.const(0.0, x.dtype)]


# ---- Cast
#
# Versions up to 1.25 leave out the Cast to integers between floating-point numbers and bool, so that 0.5 is
# true, whatever the level of optimization (RemoveDuplicateCast, issues 11994, 13418 and 28089).


def _truncates(node: Node) -> bool:
    """Whether a node makes integers of floating-point numbers."""
    x, y = node.inputs[:1], node.outputs[0]
    return node.op_type == "Cast" and bool(x) and _kind(x[0]) == "f" and _kind(y) in "iu"


def _kind(value: Value | None) -> str:
    return "" if value is None or value.dtype is None else value.dtype.kind


def _guard_cast(g: Graph, node: Node) -> None:
    (x,) = node.inputs
    if x is not None and _kind(x) in ("i", "u") and _kind(node.outputs[0]) == "b":
        equal = g.node("Equal", [g.Cast(x, np.int64), np.int64(0)])
        _become(g, node, "Not")
        node.inputs = [equal]


# ---- Sigmoid
#
# The kernel for float32 is exact to 1e-7 in absolute terms: below -18 it gives 0, whose logarithm is
# infinite.


def _guard_log(g: Graph, node: Node) -> None:
    (y,) = node.inputs
    if y is None or y.node is None or y.node.op_type != "Sigmoid" or y.dtype != np.float32:
        return
    (x,) = y.node.inputs
    negative = g.node("Neg", [x])
    _become(g, node, "Neg")
    node.inputs = [
        g.node("Add", _summands_of_softplus(g, negative)) if g.exact else g.node("Softplus", [negative])
    ]


# ---- Softplus
#
# The kernel takes three times as long as these nodes, which are as exact.


def _guard_softplus(g: Graph, node: Node) -> None:
    (x,) = node.inputs
    if g.exact and x is not None and x.dtype == np.float32:
        _become(g, node, "Add")
        node.inputs = _summands_of_softplus(g, x)


def _summands_of_softplus(g: Graph, x: Value) -> list[Value | None]:
    """The positive part, and the logarithm of 1 + exp(-|x|) with what rounding that sum has lost."""
    decayed = g.node("Exp", [g.node("Neg", [g.node("Abs", [x])])])
    one = g.const(1.0, x.dtype)
    sum_ = g.node("Add", [decayed, one])
    lost = g.node("Sub", [decayed, g.node("Sub", [sum_, one])])
    return [g.node("Relu", [x]), g.node("Add", [g.node("Log", [sum_]), g.node("Div", [lost, sum_])])]


# ---- MatMul
#
# Versions 1.20 to 1.31, and likely all before them, make a product with a transposed matrix one node
# (MatmulTransposeFusion). Where that matrix stands before a vector, the result is wrong; a vector as a matrix
# of one column is no such case. Up to 1.25 there is no kernel of that node for float64, and the model is
# refused. The Transpose may come next to the MatMul only after other nodes are eliminated, such as an
# Identity, a Reshape to the same shape or an Expand; Squeeze is not, and every vector is made a matrix.
#
# All of these versions also make a product and its multiple by a number one node, whose factor is float32
# (MatMulScaleFusion): of float64 some 8 digits are right. A Squeeze between them prevents that.
#
# None of them broadcasts a matrix over a batch of no matrices on its right.


def _guard_product(g: Graph, node: Node) -> None:
    if _expanded_to_nothing(g, node):
        return
    a, b = node.inputs = [_behind_squeeze(g, value) for value in node.inputs]
    if b is not None and b.shape is not None and b.rank == 1:
        product = g.node("MatMul", [a, g.Unsqueeze(b, [1])])
        _become(g, node, "Squeeze")
        node.inputs = [product, g.const([-1])]
    elif node.outputs[0].dtype == np.float64:
        product = g.node("MatMul", [a, b])
        _become(g, node, "Squeeze")
        node.inputs = [g.Unsqueeze(product, [0]), g.const([0])]


def _behind_squeeze(g: Graph, value: Value | None) -> Value | None:
    if value is None or value.node is None or value.dtype != np.float64:
        return value
    return g.Squeeze(g.Unsqueeze(value, [0]), [0])


# ---- Expand
#
# Versions 1.20 to 1.31, and likely all before them, leave out an Expand of an axis of size 1 to size 0
# (ExpandElimination). They pass over one of a number without axes.


def _guard_expand(g: Graph, node: Node) -> None:
    """Cut what is expanded to size 0 to that size before, where other sizes are free."""
    if _expanded_to_nothing(g, node):
        return
    data, shape = node.inputs[0], node.outputs[0].shape
    if data is None or data.shape is None or shape is None:
        return
    axes = [i - len(shape) for i, d in enumerate(shape) if d == 0 and i >= len(shape) - data.rank]
    if axes:
        none = [0] * len(axes)
        node.inputs[0] = g.Slice(data, none, none, [axis + data.rank for axis in axes])


def _expanded_to_nothing(g: Graph, node: Node) -> bool:
    """Make a node that is known to have no elements an Expand of a number."""
    (result,) = node.outputs
    shape = result.shape
    if shape is None or 0 not in shape or None in shape:
        return False
    node.inputs = [g.const(np.zeros((), result.dtype)), g.const(np.array(shape))]
    _become(g, node, "Expand")
    return True


# ---- ReduceSum
#
# Sums over the first axes take two to eight times as long as a product with a row of ones, and lose twice as
# many digits.

_FEW_SUMMANDS, _FEW, _MOST_SUMMANDS = 8, 1 << 12, 1 << 18
"""What is not worth a product: so few summands of one sum, so few in all; and so many ones are not kept."""


def _guard_sum(g: Graph, node: Node) -> None:
    x, axes = node.inputs[0], reduced_axes(node)
    if not g.exact or x is None or x.dtype != np.float32 or axes is None:
        return
    if sorted(axes) != list(range(len(axes))) or len(axes) == x.rank or None in x.dims:
        return
    shape = sizes(x.dims)
    count, rest = prod(shape[: len(axes)]), prod(shape[len(axes) :])
    if not _FEW_SUMMANDS <= count <= _MOST_SUMMANDS or count * rest < _FEW:
        return
    kept = [1] * len(axes) if node.attributes.get("keepdims", 1) else []
    matrix = g.node("Reshape", [x, g.const(np.array([count, rest], np.int64))])
    total = g.node("MatMul", [g.const(np.ones((1, count), x.dtype)), matrix])
    _become(g, node, "Reshape")
    node.inputs = [total, g.const(np.array([*kept, *shape[len(axes) :]], np.int64))]


_GUARDS: dict[str, Callable[[Graph, Node], object]] = {
    "Expand": _guard_expand,
    "Log": _guard_log,
    "MatMul": _guard_product,
    "ReduceSum": _guard_sum,
    "Softplus": _guard_softplus,
}


# ---- numbers beside columns
#
# Versions up to 1.31 broadcast a number element by element where the last axis of the other side has size 1:
# 30 to 50 times slower than beside other shapes, unless the number has as many axes. The result of a Reduce
# keeps its number: LayerNormalization is recognized by it.

_BROADCAST = frozenset(
    "Add And Div Equal Greater GreaterOrEqual Less LessOrEqual Max Min Mod Mul Or Pow Sub Where".split()
)
_KEEPS_SHAPE = frozenset(
    "Abs Cast Ceil Clip Cos Erf Exp Floor Identity IsNaN Log Neg Not Reciprocal Relu Round Sigmoid Sign Sin "
    "Softplus Sqrt Tanh".split()
)


def _widen_numbers(g: Graph, columns: set[int]) -> None:
    """Give constants of one number as many axes as the columns beside them have.

    `columns` has the ids of values whose last axis may have size 1: to ask others for their shape takes time.
    """
    for node in g.nodes:
        if node.domain or node.op_type.startswith("Reduce"):
            continue
        values = [v for v in node.inputs if v is not None and v.constant is None]
        if node.op_type not in _BROADCAST | _KEEPS_SHAPE:
            columns.update(map(id, node.outputs))
        elif any(id(v) in columns or (v.node is None and _is_column(v)) for v in values):
            columns.update(map(id, node.outputs))
            numbers = len(values) < len(node.inputs)
            if numbers and node.op_type in _BROADCAST and all(map(_is_column, values)):
                rank = max(value.rank for value in values)
                node.inputs = [_with_axes(g, v, rank) for v in node.inputs]


def _with_axes(g: Graph, value: Value | None, rank: int) -> Value | None:
    """`value` with `rank` axes if it is a number, and else as it is."""
    number = None if value is None else value.constant
    if number is None or number.size != 1 or number.ndim >= rank:
        return value
    return g.const(number.reshape((1,) * rank))


def _is_column(value: Value) -> bool:
    shape = value.shape
    return shape is not None and shape[-1:] == (1,)
