"""What several nodes compute as the one node that ONNX or ONNX Runtime has for it.

Networks spell out the norm of a layer, Gelu, and the hard forms of sigmoid and swish. ONNX Runtime knows some
spellings; here is what recognizes the others. Nodes are replaced where nothing else reads what is between
them, so what a gradient or an output needs stays as it is. Numbers change by rounding alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import inf, isclose, pi, sqrt
from typing import NamedTuple

import numpy as np

from hybridonnx.ops import Spec

from ._graph import Graph
from ._nodes import Node, Value, bodies, reduced_axes, scalar
from ._readers import Readers

_float32 = np.dtype("float32")
_DIGITS = 3e-7
"""How far numbers may be from those of a formula, relatively: float32 has no more digits."""

Build = Callable[[Graph], Value]
"""Adds nodes to a graph, by its methods: those of `x * y` would go to that of x, which may be another one."""


class _Match(NamedTuple):
    """Nodes that one value takes the place of."""

    last: Node
    """The node whose output it is."""
    build: Build


def fuse(graph: Graph, results: Sequence[Value], parameters: Iterable[Value] = ()) -> None:
    """Replace the nodes, subgraphs included, that are one operator together.

    Args:
        graph: The graph that changes.
        results: Its outputs.
        parameters: Values that are the same in each run, of which ONNX Runtime may compute others once.
    """
    parameters = list(parameters)
    for node in list(graph.nodes):
        for body in bodies(node):
            fuse(body, body.results, parameters)
    if not any(node.op_type in _FINDERS and not node.domain for node in graph.nodes):
        return
    readers = Readers(graph, results, parameters)
    builds: dict[Node, Build] = {}
    for node in readers.nodes:
        find = None if node.domain else _FINDERS.get(node.op_type)
        match = find and find(graph, node, readers)
        if match:
            builds[match.last] = match.build
    if builds:
        _rewrite(graph, builds)


def _rewrite(graph: Graph, builds: Mapping[Node, Build]) -> None:
    nodes, graph.nodes = graph.nodes, []
    for node in nodes:
        if node in builds:
            graph.scope = node.scope
            builds[node](graph)
            new = graph.nodes.pop()
            node.op_type, node.domain, node.signature = new.op_type, new.domain, new.signature
            node.inputs, node.attributes = new.inputs, new.attributes
        graph.nodes.append(node)


# ---- nodes and numbers


def _node(value: Value | None, *op_types: str) -> Node | None:
    """The node that gives a value, if it is one of these operators."""
    node = None if value is None else value.node
    return node if node is not None and node.op_type in op_types and not node.domain else None


def _is(number: float | None, expected: float) -> bool:
    return number is not None and isclose(number, expected, rel_tol=_DIGITS)


def _have_one_rank(a: Value, b: Value) -> bool:
    """Whether no number between two values has more axes than the first, which the second would have too."""
    return a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape)


# ---- polynomials in x and in a curve, which is a function of x, however they are written

_Powers = tuple[int, int]
"""Of x and of the curve."""
_Polynomial = dict[_Powers, float]
_MOST_POWER = 4
_MOST_NODES = 12


class _Terms:
    """Values as polynomials in x and in a curve, with the nodes in between."""

    def __init__(self, x: Value, curve: Value | None = None):
        self.nodes: set[Node] = set()
        self._known: dict[int, _Polynomial] = {id(x): {(1, 0): 1.0}}
        if curve is not None:
            self._known[id(curve)] = {(0, 1): 1.0}

    def of(self, value: Value | None) -> _Polynomial | None:
        """The coefficients by powers, without those that are 0, or `None` if a value is no polynomial."""
        if value is None:
            return None
        if id(value) in self._known:
            return self._known[id(value)]
        number = scalar(value)
        if number is not None:
            return {(0, 0): number}
        node = _node(value, "Add", "Div", "Mul", "Pow", "Sub")
        if node is None or len(self.nodes) == _MOST_NODES:
            return None
        self.nodes.add(node)
        a, b = map(self.of, node.inputs)
        terms = None if a is None or b is None else _combined(node.op_type, a, b)
        if terms is not None:
            self._known[id(value)] = terms
        return terms


def _combined(op_type: str, a: _Polynomial, b: _Polynomial) -> _Polynomial | None:
    if op_type == "Add" or op_type == "Sub":
        sign = 1 if op_type == "Add" else -1
        total = {key: a.get(key, 0.0) + sign * b.get(key, 0.0) for key in (*a, *b)}
        return {key: factor for key, factor in total.items() if factor}
    if op_type == "Mul":
        return _product(a, b)
    if b.keys() != {(0, 0)}:
        return None
    number = b[0, 0]
    if op_type == "Div":
        return {key: factor / number for key, factor in a.items()} if number else None
    if number not in (2, 3):
        return None
    square = _product(a, a)
    return square if number == 2 or square is None else _product(square, a)


def _product(a: _Polynomial, b: _Polynomial) -> _Polynomial | None:
    terms: _Polynomial = {}
    for (i, j), factor in a.items():
        for (k, m), other in b.items():
            if i + k > _MOST_POWER or j + m > 1:
                return None
            terms[i + k, j + m] = terms.get((i + k, j + m), 0.0) + factor * other
    return terms


def _equal(a: _Polynomial | None, b: _Polynomial) -> bool:
    return a is not None and a.keys() == b.keys() and all(_is(a[key], b[key]) for key in a)


def _arguments(value: Value) -> list[Value]:
    """A value and those that it is computed from as polynomials are: one of them may be x."""
    values = [value]
    for item in values:
        node = _node(item, "Add", "Div", "Mul", "Pow", "Sub")
        if node is not None and len(values) < _MOST_NODES:
            values += [v for v in node.inputs if v is not None and v.constant is None and v not in values]
    return values


# ---- Gelu: x / 2 + x / 2 * curve

_GELU: _Polynomial = {(1, 0): 0.5, (1, 1): 0.5}
_INSIDE: dict[str, _Polynomial] = {
    "Erf": {(1, 0): sqrt(0.5)},
    "Tanh": {(1, 0): sqrt(2 / pi), (3, 0): sqrt(2 / pi) * 0.044715},
}


def _gelu(g: Graph, node: Node, readers: Readers) -> _Match | None:
    data, curve = node.inputs[0], node.outputs[0]
    if data is None or data.dtype != _float32 or (node.op_type == "Tanh" and not _has_approximation(g)):
        return None
    inner, start, choice = {node}, node, readers.only(node)
    nan = None if choice is None else _nan_of(choice, data)
    if choice is not None and nan is not None:  # where the product with x is NaN anyway
        inner |= {choice, nan}
        start, curve = choice, choice.outputs[0]
    for x in _arguments(data):
        terms = _Terms(x)
        if not _equal(terms.of(data), _INSIDE[node.op_type]):
            continue
        for last in readers.after(start, 5):
            whole = _Terms(x, curve)
            if _equal(whole.of(last.outputs[0]), _GELU) and _have_one_rank(x, last.outputs[0]):
                between = (inner | terms.nodes | whole.nodes) - {last}
                build = partial(gelu, x=x, curve=node.op_type)
                return _Match(last, build) if readers.are_between(between, last) else None
    return None


def _nan_of(node: Node, data: Value) -> Node | None:
    """The IsNaN by which a node chooses `data` where that is NaN."""
    nan = _node(node.inputs[0], "IsNaN") if node.op_type == "Where" and not node.domain else None
    chosen = nan is not None and nan.inputs[0] is data and node.inputs[1] is data
    return nan if chosen else None


def _has_approximation(g: Graph) -> bool:
    """Whether there is a node for Gelu by tanh. ONNX Runtime makes none of several for the processor."""
    return g.opset >= 20 or g.exact


def gelu(g: Graph, x: Value, curve: str = "Erf") -> Value:
    """Gelu, by its node or in the form of which ONNX Runtime makes one node.

    Args:
        x: Data of floating-point numbers.
        curve: "Erf", or for data of float32 "Tanh", the approximation.
    """
    if g.opset >= 20 and x.dtype != np.float64:
        return g.Gelu(x, approximate="none" if curve == "Erf" else "tanh")
    if curve == "Erf":  # with this quotient alone
        return g.Mul(g.Mul(x, 0.5), g.Add(g.Erf(g.Div(x, sqrt(2))), 1.0))
    return g.foreign("FastGelu", "com.microsoft", [x], [Spec(x.shape, x.dtype)])[0]


# ---- HardSigmoid, and its product with x


def _hard_sigmoid(g: Graph, node: Node, readers: Readers) -> _Match | None:
    """A line that is cut at 0 and at some height, divided by that height; also multiplied by x."""
    data, (low, high) = node.inputs[0], [scalar(v) for v in (*node.inputs[1:], None, None)[:2]]
    if data is None or data.dtype != _float32 or low != 0 or high is None or not 0 < high < inf:
        return None
    curve = node.outputs[0]
    for x in reversed(_arguments(data)):
        line = _Terms(x)
        terms = line.of(data) or {}
        if not line.nodes or (1, 0) not in terms or not terms.keys() <= {(0, 0), (1, 0)}:
            continue
        slope, offset = terms[1, 0] / high, terms.get((0, 0), 0.0) / high
        for last in (node, *readers.after(node, 2)):
            whole = _Terms(x, curve)
            result = whole.of(last.outputs[0])
            swish = _equal(result, {(1, 1): 1 / high})
            between = ({node} | line.nodes | whole.nodes) - {last}
            if (
                (swish or _equal(result, {(0, 1): 1 / high}))
                and _have_one_rank(x, last.outputs[0])
                and readers.are_between(between, last)
            ):
                return _Match(last, partial(_hard, x=x, slope=slope, offset=offset, swish=swish))
    return None


def _hard(g: Graph, x: Value, slope: float, offset: float, swish: bool) -> Value:
    y = g.HardSigmoid(x, alpha=slope, beta=offset)
    return g.Mul(x, y) if swish else y


# ---- norms of layers


class _Centred(NamedTuple):
    """A value less its mean along the last axis."""

    data: Value
    nodes: frozenset[Node]


def _mean(value: Value | None) -> Node | None:
    """The node that gives a value, if it is a mean along the last axis, which stays."""
    node = _node(value, "ReduceMean")
    if node is None or node.inputs[0] is None or not node.attributes.get("keepdims", 1):
        return None
    axes = reduced_axes(node)
    return node if axes is not None and axes == [node.inputs[0].rank - 1] else None


def _centred(value: Value | None) -> _Centred | None:
    node = _node(value, "Sub")
    if node is None or node.inputs[0] is None:
        return None
    mean = _mean(node.inputs[1])
    if mean is None or mean.inputs[0] is not node.inputs[0]:
        return None
    return _Centred(node.inputs[0], frozenset({node, mean}))


def _squared(value: Value | None) -> Value | None:
    """What a value is the square of."""
    node = _node(value, "Mul", "Pow")
    if node is None:
        return None
    a, b = node.inputs
    return a if a is b or (node.op_type == "Pow" and scalar(b) == 2) else None


def _layer_norm(g: Graph, node: Node, readers: Readers) -> _Match | None:
    """Data divided by the root of the mean of its squares and eps, with what else a norm of layers does."""
    if node.op_type == "Pow" and scalar(node.inputs[1]) not in (0.5, -0.5):
        return None
    shifted = _node(node.inputs[0], "Add")
    if shifted is None or node.outputs[0].dtype != _float32:
        return None
    variance, eps = shifted.inputs
    if scalar(eps) is None:
        variance, eps = eps, variance
    mean, number = _mean(variance), scalar(eps)
    data = None if mean is None else _squared(mean.inputs[0])
    quotient = _quotient(node, readers)
    if mean is None or data is None or number is None or quotient is None:
        return None
    square = _node(mean.inputs[0], "Mul", "Pow")
    numerator, last, inner = quotient
    between = {node, shifted, mean, *inner} | ({square} if square is not None else set())
    centred, same = _centred(data), _centred(numerator)
    if centred is None or same is None or centred.data is not same.data:
        if numerator is not data or not readers.are_between(between, last):
            return None
        return _Match(last, partial(_root_mean_square, x=data, eps=number))
    x, count = centred.data, (centred.data.shape or (None,))[-1]
    if g.opset < 17 or count is None or count < 2:
        return None
    between |= centred.nodes | same.nodes
    vectors: list[Value] = []
    for op_type in ("Mul", "Add"):
        following = readers.only(last)
        vector = _vector(following, op_type, last.outputs[0], count)
        if following is None or vector is None:
            break
        between.add(last)
        last = following
        vectors.append(vector)
    if not _have_one_rank(x, last.outputs[0]) or not readers.are_between(between, last):
        return None
    return _Match(last, partial(_normalization, x=x, vectors=vectors, count=count, eps=number))


def _quotient(root: Node, readers: Readers) -> tuple[Value, Node, set[Node]] | None:
    """What is divided by a root, the node that does so, and what is between them."""
    value, last, inner = root.outputs[0], readers.only(root), set[Node]()
    if root.op_type == "Pow" and scalar(root.inputs[1]) == -0.5:
        return _other_factor(value, last, inner)
    if last is not None and _node(last.outputs[0], "Div") and last.inputs[1] is value:
        numerator = last.inputs[0]
        if numerator is not None and not _is(scalar(numerator), 1):
            return numerator, last, inner
    elif last is None or not _node(last.outputs[0], "Reciprocal"):
        return None
    inner.add(last)
    return _other_factor(last.outputs[0], readers.only(last), inner)


def _other_factor(
    inverse: Value, last: Node | None, inner: set[Node]
) -> tuple[Value, Node, set[Node]] | None:
    """What is multiplied by an inverse, as `_quotient` gives it."""
    if last is None or not _node(last.outputs[0], "Mul"):
        return None
    a, b = last.inputs
    numerator = a if b is inverse else b
    return (numerator, last, inner) if numerator is not None else None


def _vector(node: Node | None, op_type: str, value: Value, count: int) -> Value | None:
    """The other input of an operator that is a vector along the last axis."""
    if node is None or node.domain or node.op_type != op_type or value.shape is None:
        return None
    a, b = node.inputs
    other = a if b is value else b
    shape = None if other is None else other.shape
    if not shape or shape[-1] != count or any(size != 1 for size in shape[:-1]):
        return None
    return other if len(shape) <= len(value.shape) else None


def _normalization(g: Graph, x: Value, vectors: Sequence[Value], count: int, eps: float) -> Value:
    if not vectors:
        vectors = [g.const(np.ones(count, x.dtype))]
    flat = [v if v.rank == 1 else g.Reshape(v, [-1]) for v in vectors]
    return g.LayerNormalization(x, *flat, axis=-1, epsilon=eps)


def _root_mean_square(g: Graph, x: Value, eps: float) -> Value:
    return g.Div(x, g.Sqrt(g.Add(g.ReduceMean(g.Pow(x, 2.0), [-1]), eps)))


# ---- batch norms behind dense layers
#
# ONNX Runtime makes them a part of a Conv, but not of a Gemm.


def _dense_with_norm(g: Graph, node: Node, readers: Readers) -> _Match | None:
    """A batch norm of known numbers behind a product with a known weight."""
    dense = _node(node.inputs[0], "Gemm")
    if dense is None or readers.only(dense) is not node or node.attributes.get("training_mode"):
        return None
    plain = {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0} | dense.attributes
    if not plain.pop("transB") or plain != {"alpha": 1.0, "beta": 1.0, "transA": 0}:
        return None
    if len(node.outputs) > 1 or not readers.are_known((*dense.inputs[1:], *node.inputs[1:])):
        return None
    return _Match(node, partial(_product_with_norm, dense=dense, norm=node))


def _product_with_norm(g: Graph, dense: Node, norm: Node) -> Value:
    x, weight, bias = (*dense.inputs, None)[:3]
    _, gamma, beta, mean, var = norm.inputs
    scale = g.Div(gamma, g.Sqrt(g.Add(var, norm.attributes.get("epsilon", 1e-5))))
    shift = mean if bias is None else g.Sub(mean, bias)
    weight = g.Mul(weight, g.Unsqueeze(scale, [1]))
    return g.Gemm(x, weight, g.Sub(beta, g.Mul(shift, scale)), transB=1)


# ---- the gradient of a picked log-softmax
#
# That is -exp(y) * dy, where y is the log-softmax, and dy more where it was picked. By the rules of both it
# is an array of zeros and dy, less a product with the sums of that.


def _picked_log_softmax(g: Graph, node: Node, readers: Readers) -> _Match | None:
    """The difference of an array that has one number in each row, and a product with its sums along rows."""
    zeros, index, picked = node.inputs
    axis, plain = node.attributes.get("axis", 0), not node.attributes.get("reduction")
    if g.opset < 16 or not plain or index is None or picked is None or not _is_zero(zeros):
        return None
    if picked.shape is None or index.shape is None or not picked.shape[axis] == index.shape[axis] == 1:
        return None
    total, last = _sum_and_difference(node, readers)
    product = None if last is None or last.inputs[0] is not node.outputs[0] else _node(last.inputs[1], "Mul")
    if total is None or last is None or product is None or not total.attributes.get("keepdims", 1):
        return None
    if reduced_axes(total) != [axis % len(picked.shape)]:
        return None
    a, b = product.inputs
    sums = total.outputs[0]
    probabilities = a if b is sums else b if a is sums else None
    if (
        probabilities is None
        or not _node(probabilities, "Exp")
        or probabilities.shape != node.outputs[0].shape
    ):
        return None
    if not readers.are_between({node, total, product}, last):
        return None
    return _Match(last, partial(_scattered, node=node, probabilities=probabilities))


def _is_zero(value: Value | None) -> bool:
    """Whether a value is an array of zeros."""
    fill = _node(value, "ConstantOfShape")
    return fill is not None and not np.any(fill.attributes.get("value", 0))


def _sum_and_difference(node: Node, readers: Readers) -> tuple[Node | None, Node | None]:
    """The ReduceSum and the Sub that read a node, if nothing else does."""
    every = readers.of(node)
    by_type = {reader.op_type: reader for reader in every if reader is not None and not reader.domain}
    return (by_type.get("ReduceSum"), by_type.get("Sub")) if len(every) == 2 else (None, None)


def _scattered(g: Graph, node: Node, probabilities: Value) -> Value:
    _, index, picked = node.inputs
    product = g.Mul(probabilities, g.Neg(picked))
    return g.ScatterElements(product, index, picked, axis=node.attributes.get("axis", 0), reduction="add")


_FINDERS: dict[str, Callable[[Graph, Node, Readers], _Match | None]] = {
    "BatchNormalization": _dense_with_norm,
    "Clip": _hard_sigmoid,
    "Erf": _gelu,
    "Pow": _layer_norm,
    "ScatterElements": _picked_log_softmax,
    "Sqrt": _layer_norm,
    "Tanh": _gelu,
}
"""By the operator that the search starts at."""
