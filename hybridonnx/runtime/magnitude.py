"""How large a graph's values can get, so that what overflows and becomes NaN is known beforehand.

ONNX Runtime's MaxPool loses NaN, and passing it through costs a second pool. Where parameters are constants
and inputs are bounded, the values before a pool are bounded too, and there is no NaN to pass through. Nor is
there where they were integers, whatever the inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from ..dtypes import float32
from ..ops import Array, Operator
from ..symbol.graph import Entry, Node, topological

_LARGEST_INPUT = 1e6
"""The Euclidean norm of an input up to which the bounds hold."""
_LARGEST_SQUARE = np.float32(_LARGEST_INPUT * _LARGEST_INPUT)
_LARGEST_VALUE = 1e30
"""Bounds up to this one are far enough from float32's largest number for every order of the sums."""


class BoundedValues(NamedTuple):
    """Values that are finite, and so not NaN, as long as some inputs are bounded."""

    entries: frozenset[Entry]
    inputs: tuple[int, ...]
    """The inputs that must be bounded, by index."""


class Magnitude(NamedTuple):
    """What is known of the size of a value's elements."""

    bound: float
    """No element's absolute value is larger; infinity where that is not known."""
    array: Array | None = None
    """The value, if it is a constant."""


_DEQUANTIZED = "_onnx_DequantizeLinear"

_Rule = Callable[..., float]
_RULES: dict[str, _Rule] = {}
"""For an operator, the bound of its first output, from the magnitudes of its inputs."""


def _rule(*names: str) -> Callable[[_Rule], _Rule]:
    def register(function: _Rule) -> _Rule:
        _RULES.update(dict.fromkeys(names, function))
        return function

    return register


@_rule("Convolution", "FullyConnected")
def _products(op: Any, data: Magnitude, weight: Magnitude, *bias: Magnitude) -> float:
    """Sums of products with the rows of a constant weight, (O, ...) in every layout."""
    if weight.array is None:
        return inf
    rows = np.abs(weight.array).reshape(len(weight.array), -1).sum(1, dtype=np.float64)
    return data.bound * float(rows.max(initial=0)) + _sum(op, *bias)


@_rule("BatchNorm")
def _normalized(op: Any, data: Magnitude, *statistics: Magnitude) -> float:
    gamma, beta, mean, var = (None if s.array is None else s.array.astype(np.float64) for s in statistics)
    if gamma is None or beta is None or mean is None or var is None:
        return inf
    scale = (1 if op.fix_gamma else np.abs(gamma)) / np.sqrt(var + op.eps)
    return float((scale * (data.bound + np.abs(mean)) + np.abs(beta)).max(initial=0))


@_rule("elemwise_add", "elemwise_sub", "broadcast_add", "broadcast_sub", "add_n")
def _sum(op: Any, *inputs: Magnitude) -> float:
    return sum(x.bound for x in inputs)


@_rule("Flatten", "Reshape", "transpose", "_copy", "Concat", "relu", "broadcast_maximum")
def _largest(op: Any, *inputs: Magnitude) -> float:
    return max((x.bound for x in inputs), default=0.0)


@_rule("Dropout")
def _scaled(op: Any, data: Magnitude) -> float:
    return data.bound / (1 - op.p) if op.p < 1 else inf


@_rule("sigmoid", "tanh")
def _at_most_one(op: Any, x: Magnitude) -> float:
    return 1 + 0 * x.bound


@_rule("Activation")
def _activation(op: Any, data: Magnitude) -> float:
    return data.bound if op.act_type in ("relu", "softsign") else 1 + data.bound


@_rule("LeakyReLU")
def _rectified(op: Any, data: Magnitude, *gamma: Magnitude) -> float:
    slope = _largest(op, *gamma) if op.act_type == "prelu" else abs(op.mean_slope())
    return (data.bound + 2) * max(2.0, slope)


@_rule("Pooling")
def _windows(op: Any, data: Magnitude) -> float:
    """Maxima and means, unless a window may have nothing of the data."""
    stride, pad = op.window()
    inside = op.pooling_convention == "valid" or all(
        s + p <= k for s, p, k in zip(stride, pad, op.kernel, strict=True)
    )
    return data.bound if op.pool_type in ("avg", "max") and inside and not op.global_pool else inf


@_rule(_DEQUANTIZED)
def _integers(op: Any, *inputs: Magnitude) -> float:
    """The largest difference of integers of 8 bits in steps, if a zero point tells that they are such."""
    node = op.node
    scale, zero = (node.constants.get(name) for name in (*node.inputs[1:], "")[:2])
    if not isinstance(scale, np.ndarray) or not isinstance(zero, np.ndarray) or zero.dtype.itemsize != 1:
        return inf
    return 255 * float(np.abs(scale).max(initial=0))


# ---- the walk


def bounded_values(symbol: Any, parameters: Mapping[str, Array], inputs: Sequence[str]) -> BoundedValues:
    """The bounded ones of the values that pools read, in prediction with these parameters."""
    entries = [node.inputs[0] for node in topological(symbol.outputs) if _loses_nan(node)]
    known = magnitudes(entries, parameters, inputs)
    bounded = [e for e in entries if e in known and known[e].bound <= _LARGEST_VALUE]
    names = {node.name for node in _ancestors(bounded) if node.is_variable}
    return BoundedValues(frozenset(bounded), tuple(i for i, name in enumerate(inputs) if name in names))


def _ancestors(entries: Sequence[Entry]) -> set[Node]:
    """The nodes that bounds are computed from, which are not those behind integers."""
    result: set[Node] = set()
    stack = [entry.node for entry in entries]
    while stack:
        node = stack.pop()
        if node not in result:
            result.add(node)
            if node.is_variable or node.op.names[0] != _DEQUANTIZED:
                stack += [entry.node for entry in node.inputs]
    return result


def _loses_nan(node: Node) -> bool:
    return node.op_name in ("Pooling", "Pooling_v1") and getattr(node.op, "pool_type", "") == "max"


def is_bounded(array: Array) -> bool:
    """Whether the bounds hold for an input: not if it has NaN, nor if windows of it may be empty."""
    return array.dtype == float32 and array.size > 0 and bool(np.vdot(array, array) <= _LARGEST_SQUARE)


def magnitudes(
    entries: Sequence[Entry], parameters: Mapping[str, Array], inputs: Sequence[str]
) -> dict[Entry, Magnitude]:
    """What is known of the values that some entries need, each operator's first output only."""
    result: dict[Entry, Magnitude] = {}
    for node in topological(entries):
        if node.is_variable:
            result[Entry(node, 0)] = _variable(None if node.name in inputs else parameters[node.name])
            continue
        op: Operator = node.op.in_mode(False)
        rule = _RULES.get(op.names[0])
        operands = [result.get(entry, Magnitude(inf)) for entry in node.inputs]
        with np.errstate(all="ignore"):
            result[Entry(node, 0)] = _magnitude(inf if rule is None else rule(op, *operands))
    return result


def _variable(array: Array | None) -> Magnitude:
    """An input, or a parameter."""
    if array is None:
        return Magnitude(_LARGEST_INPUT)
    if array.dtype != float32 or not array.size:
        return Magnitude(inf)
    return _magnitude(float(np.abs(array).max()), array)


def _magnitude(bound: float, array: Array | None = None) -> Magnitude:
    return Magnitude(bound if bound < inf else inf, array)  # NaN says that nothing is known, too
