"""What numbers an ONNX model takes as inputs: indices, lengths, probabilities, as its nodes tell.

An input is followed through nodes that hand its elements on, plus a constant or times one, to those whose
results are errors or nonsense for other numbers. There is a rule for each of these under `@limits`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, helper, inliner

from hybridonnx.errors import MXNetError
from hybridonnx.ops import SymbolicDim

from .from_onnx import Model, ModelInfo, Source, in_words, read
from .inspection import inner_graphs
from .opsets import plain

Bound: TypeAlias = float | SymbolicDim
Dims: TypeAlias = Sequence[int | SymbolicDim | None]
_MOST_AXES = 64
"""No array has more."""


@dataclass(frozen=True)
class Limit:
    """From where to where the elements of an input may be, which some node takes as `scale * x + shift`."""

    low: Bound
    high: Bound
    whole: bool = True
    """Whether they are integers, of whatever dtype."""
    scale: float = 1
    shift: tuple[float, float] = (0, 0)
    """The least and the largest number that is added."""

    def bounds(self, sizes: Mapping[str, int]) -> tuple[float, float]:
        """The least and the largest element where free sizes are these; infinite where they do not tell."""
        low, high = (_number(bound, sizes) for bound in (self.low, self.high))
        if low is None or high is None:
            return -math.inf, math.inf
        ends = sorted(((low - self.shift[0]) / self.scale, (high - self.shift[1]) / self.scale))
        return ends[0], ends[1]


def _number(bound: Bound, sizes: Mapping[str, int]) -> float | None:
    if not isinstance(bound, SymbolicDim):
        return bound
    return bound.value(sizes) if bound.names() <= sizes.keys() else None


def below(size: int | SymbolicDim | None) -> Limit | None:
    """The limit of an index into an axis; none where its size is not known."""
    return None if size is None else Limit(0, size - 1)


def up_to(size: int | SymbolicDim | None) -> Limit | None:
    """The limit of a length within an axis."""
    return None if size is None else Limit(1, size)


def input_limits(source: Source, shapes: Mapping[str, Sequence[int | str]]) -> dict[str, list[Limit]]:
    """The limits of a model's inputs, as far as its nodes tell them.

    Args:
        source: The model; it need not be one that can be imported.
        shapes: The shapes of its inputs, with names for free sizes.

    Returns:
        All limits of each input by name, in terms of the names of free sizes.
    """
    try:
        with in_words():
            model = read(source)
            _inline(model)
            info = ModelInfo(model, shapes=shapes)
    except MXNetError:  # ONNX Runtime, which runs it, may know better
        return {}
    return _Walk(info, list(shapes)).limits


def _inline(model: Model) -> None:
    if model.proto.functions:
        proto = ModelProto()
        proto.CopyFrom(model.proto)
        model.proto = inliner.inline_local_functions(proto)
        model.opsets = {plain(item.domain): int(item.version) for item in model.proto.opset_import}


# ---- following inputs


@dataclass(frozen=True)
class _Trace:
    """A value whose elements are an input's, times `scale` and plus something."""

    input: str
    scale: float = 1
    shift: tuple[float, float] = (0, 0)

    def moved(self, low: float, high: float) -> _Trace:
        return replace(self, shift=(self.shift[0] + low, self.shift[1] + high))

    def scaled(self, factor: float) -> _Trace:
        return _Trace(self.input, self.scale * factor, (self.shift[0] * factor, self.shift[1] * factor))


_FIRST = frozenset(
    """
    Abs Cast CastLike Ceil Clip Dropout Expand Flatten Floor Gather GatherElements GatherND Identity Pad
    Relu Reshape Round ScatterElements ScatterND Slice Split Squeeze Tile TopK Transpose Unsqueeze
    """.split()
)
"""Operators that hand on elements of their first input."""
_ANY = frozenset(["Concat", "Max", "Min"])
"""Operators that hand on elements of each input."""


class Call:
    """A node, and what is known of what it takes."""

    def __init__(self, node: NodeProto, info: ModelInfo, shapes: Mapping[str, Dims]) -> None:
        self._node, self._info, self._shapes = node, info, shapes

    def shape(self, index: int) -> Dims | None:
        """The sizes of an input as far as they are known."""
        name = self._name(index)
        return self._shapes[name] if name in self._shapes else self._info.shape(name)

    def size(self, index: int, axis: int) -> int | SymbolicDim | None:
        """The size of an input's axis."""
        shape = self.shape(index)
        return shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None

    def least(self, index: int, axes: range) -> Limit | None:
        """The limit of an index that goes into each of these axes."""
        if len(axes) > _MOST_AXES:
            return None
        sizes = [self.size(index, axis) for axis in axes]
        known = [size for size in sizes if isinstance(size, int)]
        if len(sizes) == 1 or not known or len(known) < len(sizes):
            return below(sizes[0]) if len(sizes) == 1 else None
        return below(min(known))

    def constant(self, index: int) -> Any:
        """An input's value if it is always the same."""
        name = self._name(index)
        return self._info.constant(name) if name and self._info.is_constant(name) else None

    def is_real(self, index: int) -> bool:
        """Whether an input has floating-point numbers."""
        dtype = self._info.dtype(self._name(index))
        return dtype is not None and dtype.kind in "fV"

    def attribute(self, name: str, default: Any) -> Any:
        """An attribute's value."""
        found = next((a for a in self._node.attribute if a.name == name), None)
        return default if found is None else helper.get_attribute_value(found)

    def _name(self, index: int) -> str:
        return self._node.input[index] if index < len(self._node.input) else ""


class _Walk:
    """The nodes of a model in their order, with the values that are made of inputs."""

    def __init__(self, info: ModelInfo, inputs: Sequence[str]) -> None:
        self._info = info
        self._traces: dict[str, list[_Trace]] = {name: [_Trace(name)] for name in inputs}
        self._shapes: dict[str, Dims] = {}
        """Those of the constants of inner graphs."""
        self.limits: dict[str, list[Limit]] = {}
        self._nodes(info.nodes)

    def _nodes(self, nodes: Iterable[NodeProto]) -> None:
        for node in nodes:
            call = Call(node, self._info, self._shapes)
            rules = _RULES.get(node.op_type, {})
            for i, name in enumerate(node.input):
                limit = rules[i](call) if name in self._traces and i in rules else None
                if limit is not None:
                    self._note(limit, self._traces[name])
            for attribute, graph in inner_graphs(node):
                self._inner(node, attribute, graph)
            traces = self._handed_on(node, call)
            if traces:
                self._traces.update(dict.fromkeys(filter(None, node.output), traces))

    def _note(self, limit: Limit, traces: Sequence[_Trace]) -> None:
        for trace in traces:
            self.limits.setdefault(trace.input, []).append(
                replace(limit, scale=trace.scale, shift=trace.shift)
            )

    def _inner(self, node: NodeProto, attribute: str, graph: GraphProto) -> None:
        """Follow values into a graph that a node runs."""
        self._shapes.update({t.name: tuple(t.dims) for t in graph.initializer})
        outside = list(node.input)[1:] if node.op_type == "Loop" else list(node.input)
        names = [item.name for item in graph.input]
        inside = names[1:] if node.op_type == "Loop" else names
        for name, source in zip(inside, outside, strict=False):
            if source in self._traces:
                self._traces[name] = self._traces[source]
        self._nodes(graph.node)

    def _handed_on(self, node: NodeProto, call: Call) -> list[_Trace]:
        """What a node's outputs are made of."""
        names, op_type = list(node.input), node.op_type
        if op_type in _FIRST:
            return self._traces.get(names[0], [])
        if op_type in _ANY or op_type == "Where":
            return [t for name in names[op_type == "Where" :] for t in self._traces.get(name, [])]
        if op_type not in ("Add", "Sub", "Mul", "Neg"):
            return []
        places = [i for i, name in enumerate(names) if name in self._traces]
        if len(places) != 1:
            return []
        traces, place = self._traces[names[places[0]]], places[0]
        other = np.asarray([-1.0]) if op_type == "Neg" else call.constant(1 - place)
        if other is None or not other.size or other.dtype.kind not in "fiu":
            return []
        low, high = float(other.min()), float(other.max())
        if not np.isfinite([low, high]).all():
            return []
        if op_type == "Add":
            return [t.moved(low, high) for t in traces]
        if op_type == "Sub":
            return [t.moved(-high, -low) if place == 0 else t.scaled(-1).moved(low, high) for t in traces]
        return [t.scaled(low) for t in traces] if low == high and low else []


# ---- rules

Rule: TypeAlias = Callable[[Call], Limit | None]
_RULES: dict[str, dict[int, Rule]] = {}


def limits(index: int, *operators: str) -> Callable[[Rule], Rule]:
    """Say what numbers these operators take as an input; ONNX's own and other domains have one name each."""

    def register(rule: Rule) -> Rule:
        for operator in operators:
            _RULES.setdefault(operator, {})[index] = rule
        return rule

    return register


def _always(index: int, limit: Limit, *operators: str) -> None:
    limits(index, *operators)(lambda call: limit)


@limits(1, "Gather", "GatherElements", "ScatterElements", "Scatter")
def _indices(call: Call) -> Limit | None:
    return below(call.size(0, call.attribute("axis", 0)))


@limits(1, "GatherND", "ScatterND")
def _tuples(call: Call) -> Limit | None:
    count, first = call.size(1, -1), call.attribute("batch_dims", 0)
    return call.least(0, range(first, first + count)) if isinstance(count, int) else None


@limits(0, "OneHot")
def _classes(call: Call) -> Limit | None:
    depth = call.constant(1)
    return below(int(np.ravel(depth)[0])) if depth is not None and np.size(depth) == 1 else None


@limits(1, "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def _labels(call: Call) -> Limit | None:
    return below(call.size(0, 1))


@limits(4, "LSTM", "GRU", "RNN")
def _steps(call: Call) -> Limit | None:
    return up_to(call.size(0, 1 if call.attribute("layout", 0) else 0))


@limits(1, "ReverseSequence")
def _lengths(call: Call) -> Limit | None:
    return up_to(call.size(0, call.attribute("time_axis", 0)))


@limits(1, "TopK")
def _count(call: Call) -> Limit | None:
    return up_to(call.size(0, call.attribute("axis", -1)))


@limits(6, "Attention")
def _keys(call: Call) -> Limit | None:
    return up_to(call.size(1, -2))


@limits(0, "EmbedLayerNormalization")
def _words(call: Call) -> Limit | None:
    return below(call.size(2, 0))


@limits(1, "EmbedLayerNormalization")
def _segments(call: Call) -> Limit | None:
    return below(call.size(4, 0))


@limits(3, "RotaryEmbedding")
def _positions(call: Call) -> Limit | None:
    shape = call.shape(1)
    return below(shape[0]) if shape is not None and len(shape) == 2 else None


@limits(1, "RotaryEmbedding")
def _own_positions(call: Call) -> Limit | None:
    """Those of ONNX Runtime's own operator, whose second input has integers."""
    return None if call.is_real(1) else below(call.size(2, 0))


@limits(2, "RoiAlign")
def _images(call: Call) -> Limit | None:
    return below(call.size(0, 0))


@limits(1, "Div", "Mod")
def _divisors(call: Call) -> Limit | None:
    """Integers are not divided by 0: the process may end."""
    return None if call.is_real(1) else Limit(1, 3)


@limits(1, "Pow")
@limits(0, "Pow")
def _powers(call: Call) -> Limit | None:
    exponent = call.constant(1)
    whole = exponent is not None and bool(np.all(exponent == np.rint(exponent)))
    return None if whole or not call.is_real(0) else Limit(0.01, 3, whole=False)


_always(0, Limit(0.01, 1, whole=False), "Log", "Bernoulli")
_always(0, Limit(0.0, 4.0, whole=False), "Sqrt")
_always(0, Limit(-0.99, 0.99, whole=False), "Acos", "Asin", "Atanh")
_always(0, Limit(1.01, 4.0, whole=False), "Acosh")
_always(1, Limit(-1.0, 1.0, whole=False), "GridSample")
_always(1, Limit(0.0, 8.0, whole=False), "RoiAlign")
_always(2, Limit(1.0, 2.0, whole=False), "Resize")
_always(0, Limit(1, 3), "Loop", "ConstantOfShape", "BlackmanWindow", "HammingWindow", "HannWindow")
_always(1, Limit(1, 2), "Tile", "CenterCropPad")
_always(3, Limit(2, 8), "Resize")
_always(1, Limit(2, 5), "OneHot", "Range")
_always(0, Limit(0, 1), "Range")
_always(2, Limit(1, 1), "Range")
_always(1, Limit(0, 0), "Slice", "CumSum", "CumProd", "Squeeze", "Unsqueeze", "SequenceAt")
_always(2, Limit(1, 3), "Slice", "NonMaxSuppression")
_always(4, Limit(1, 1), "Slice")
_always(1, Limit(1, 1), "Expand")
