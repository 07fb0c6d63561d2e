"""What numbers a Symbol takes as inputs: indices, lengths, probabilities; read off the operators that do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..converters.limits import Limit, below, up_to
from ..errors import MXNetError
from ..ops import Dim, Spec, SymbolicDim
from ..symbol.graph import Node
from ..symbol.infer import Specs, infer
from ..symbol.symbol import Symbol

_MOST_AXES = 64
"""No array has more."""
_THROUGH = frozenset(
    """
    BlockGrad Cast Concat Flatten Reshape SliceChannel SwapAxis _copy _npi_concatenate _npi_stack abs
    amp_cast broadcast_like broadcast_to cast_storage clip concat expand_dims identity repeat reshape
    reshape_like reverse slice slice_axis slice_like squeeze stack tile transpose
    """.split()
)
"""Operators that hand on elements of their inputs."""


@dataclass(frozen=True)
class _Call:
    """A node, and what is known of what it takes."""

    node: Node
    specs: Specs

    def size(self, place: int, axis: int) -> int | SymbolicDim | None:
        """The size of an input's axis."""
        shape = self.specs.get(self.node.inputs[place], Spec()).shape
        return shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None

    def least(self, place: int, count: Dim) -> Limit | None:
        """The limit of an index that goes into each of so many axes."""
        is_count = isinstance(count, int) and count <= _MOST_AXES
        sizes = [self.size(place, axis) for axis in range(int(count or 0))] if is_count else []
        numbers = [size for size in sizes if isinstance(size, int)]
        if len(sizes) == 1 or not numbers or len(numbers) < len(sizes):
            return below(sizes[0]) if len(sizes) == 1 else None
        return below(min(numbers))


def symbol_limits(symbol: Symbol, known: Mapping[str, Spec]) -> dict[str, list[Limit]]:
    """The limits of a graph's inputs.

    Args:
        symbol: The graph.
        known: What is known of its variables, parameters too.

    Returns:
        All limits of each variable by name, in terms of the names of free sizes.
    """
    try:
        specs = infer(symbol, known, partial=True)
    except MXNetError:  # whoever runs it tells what is wrong
        specs = {}
    limits: dict[str, list[Limit]] = {}
    sources: dict[Node, set[str]] = {}
    for node in symbol.get_internals().nodes():
        if node.is_variable:
            sources[node] = {node.name}
            continue
        names = node.op.input_names()
        rules = _RULES.get(node.op.names[0], {})
        for place, entry in enumerate(node.inputs):
            what = names[place] if place < len(names) else ""
            rule = rules.get(what) or _ANYWHERE.get(what)
            limit = rule(_Call(node, specs)) if rule is not None and sources[entry.node] else None
            if limit is not None:
                for name in sources[entry.node]:
                    limits.setdefault(name, []).append(limit)
        through = node.op.names[0] in _THROUGH
        sources[node] = set().union(*(sources[entry.node] for entry in node.inputs)) if through else set()
    return limits


# ---- rules

_Rule: TypeAlias = Callable[[_Call], Limit | None]
_RULES: dict[str, dict[str, _Rule]] = {}
"""By operator and the input's name."""
_ANYWHERE: dict[str, _Rule] = {
    "sequence_length": lambda call: up_to(call.size(0, getattr(call.node.op, "axis", 0))),
    "condition": lambda call: Limit(0, 1),
    "mask": lambda call: Limit(0, 1),
}
"""By the input's name alone."""


def _rule(what: str, *operators: str) -> Callable[[_Rule], _Rule]:
    def register(rule: _Rule) -> _Rule:
        for operator in operators:
            _RULES.setdefault(operator, {})[what] = rule
        return rule

    return register


def _always(limit: Limit, *operators: str) -> None:
    _rule("data", *operators)(lambda call: limit)


@_rule("data", "Embedding")
def _words(call: _Call) -> Limit | None:
    return below(call.node.op.input_dim)


@_rule("indices", "one_hot")
def _classes(call: _Call) -> Limit | None:
    return below(call.node.op.depth)


@_rule("indices", "take")
def _rows(call: _Call) -> Limit | None:
    return below(call.size(0, call.node.op.axis))


@_rule("index", "pick")
def _places(call: _Call) -> Limit | None:
    return below(call.size(0, -1 if call.node.op.axis is None else call.node.op.axis))


@_rule("indices", "batch_take")
def _columns(call: _Call) -> Limit | None:
    return below(call.size(0, -1))


@_rule("label", "softmax_cross_entropy")
def _labels(call: _Call) -> Limit | None:
    return below(call.size(0, -1))


@_rule("indices", "gather_nd")
def _tuples(call: _Call) -> Limit | None:
    return call.least(0, call.size(1, 0))


@_rule("index_vector", "_contrib_index_copy")
def _copied(call: _Call) -> Limit | None:
    return below(call.size(0, 0))


@_rule("sequence_length", "RNN")
def _steps(call: _Call) -> Limit | None:
    return up_to(call.size(0, 0))


@_rule("length", "softmax", "log_softmax", "softmin")
def _lengths(call: _Call) -> Limit | None:
    return up_to(call.size(0, call.node.op.axis))


@_rule("label", "CTCLoss")
def _texts(call: _Call) -> Limit | None:
    size = call.size(0, -1)
    return None if size is None else Limit(1, size - 1)


@_rule("rois", "ROIPooling", "_contrib_ROIAlign")
def _boxes(call: _Call) -> Limit | None:
    """The first of five numbers is an image's, so that all are small."""
    return below(call.size(0, 0))


_always(Limit(0.01, 1, whole=False), "log", "log10", "log2", "rsqrt", "rcbrt", "reciprocal")
_always(Limit(0.0, 4.0, whole=False), "sqrt", "gamma", "gammaln")
_always(Limit(-0.99, 0.99, whole=False), "arccos", "arcsin", "arctanh", "erfinv", "log1p")
_always(Limit(1.01, 4.0, whole=False), "arccosh")
_rule("grid", "BilinearSampler")(lambda call: Limit(-1.0, 1.0, whole=False))
