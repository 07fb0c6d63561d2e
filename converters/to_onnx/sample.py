"""Lowerings of random operators: functions of a draw, which arrives as their last input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hybridonnx.ops import Operator
from hybridonnx.ops.sample import MultinomialGradient, SampleMultinomial, Shuffle

from ._graph import Graph, Value
from ._registry import lowers

Formula = Callable[..., Value]


def _uniform(g: Graph, noise: Value, low: Any, high: Any) -> Value:
    draws: Value = noise * (high - low) + low
    return draws


def _normal(g: Graph, noise: Value, loc: Any, scale: Any) -> Value:
    draws: Value = noise * scale + loc
    return draws


def _exponential(g: Graph, noise: Value, lam: Any) -> Value:
    draws: Value = -g.Log(1.0 - noise) / lam
    return draws


def _integers(g: Graph, noise: Value, low: int, high: int) -> Value:
    count = float(high - low)
    return g.Min(g.Floor(g.Cast(noise, np.float64) * count), count - 1) + float(low)


def _draws(g: Graph, noise: Value, *parameters: Any) -> Value:
    return noise


def _by_attributes(name: str, formula: Formula) -> None:
    """The operators that draw by a shape or like an array."""

    @lowers(name)
    def lowering(g: Graph, op: Any, *inputs: Value) -> Value:
        values = formula(g, inputs[-1], *op.parameters())
        return g.Cast(values, g.output().dtype)


def _by_arrays(name: str, formula: Formula) -> None:
    """The operators whose parameters are arrays, for each element of which there are several draws."""

    @lowers(name)
    def lowering(g: Graph, op: Any, *inputs: Value) -> Value:
        *arrays, noise = inputs
        dtype = np.result_type(*(x.dtype for x in inputs if x.dtype is not None))
        new = list(range(arrays[0].rank, arrays[0].rank + len(op.shape)))
        spread = [g.Unsqueeze(g.Cast(x, dtype), new) for x in arrays]
        return g.Cast(formula(g, g.Cast(noise, dtype), *spread), g.output().dtype)


_FORMULAS: dict[str, Formula] = {"uniform": _uniform, "normal": _normal, "exponential": _exponential}
for _name, _formula in _FORMULAS.items():
    _by_attributes(f"_random_{_name}", _formula)
    _by_attributes(f"_random_{_name}_like", _formula)
    _by_arrays(f"_sample_{_name}", _formula)
for _name in ("gamma", "poisson", "negative_binomial", "generalized_negative_binomial"):
    _by_attributes(f"_random_{_name}", _draws)
    _by_attributes(f"_random_{_name}_like", _draws)
_by_attributes("_random_randint", _integers)


# ---- choices


def _rows(g: Graph, data: Value, *others: Value) -> tuple[Value, ...]:
    """Arrays (*batch, *) as matrices with a row for each element of data's batch."""
    axis = data.rank - 1
    return tuple(g.Flatten(x, axis=axis) for x in (data, *others))


@lowers(SampleMultinomial)
def sample_multinomial(g: Graph, op: SampleMultinomial, data: Value, noise: Value) -> Any:
    rows, thresholds = _rows(g, data, noise)
    thresholds = g.Cast(thresholds, rows.dtype)
    total = g.CumSum(rows, np.array(1, np.int64))
    below = g.LessOrEqual(g.Unsqueeze(total, [1]), g.Unsqueeze(thresholds, [2]))
    count = g.ReduceSum(g.Cast(below, np.int64), [2], keepdims=0)
    last = g.size_of(data, -1) - np.array([1], np.int64)
    classes = g.Min(count, last)
    numbers = g.Cast(g.Reshape(classes, g.shape_of(noise)), op.dtype)
    if not op.get_prob:
        return numbers
    logarithms = g.Log(g.GatherElements(rows, classes, axis=1))
    return numbers, g.Reshape(logarithms, g.shape_of(noise))


@lowers(MultinomialGradient)
def multinomial_gradient(g: Graph, op: MultinomialGradient, dy: Value, draws: Value, data: Value) -> Value:
    rows, slopes, numbers = _rows(g, data, dy, draws)
    classes = np.arange(g.sizes(data)[-1])
    hot = g.Equal(g.Unsqueeze(g.Cast(numbers, np.int64), [2]), classes)
    zero = np.array(0, rows.dtype)
    total = g.ReduceSum(g.Where(hot, g.Unsqueeze(slopes, [2]), zero), [1], keepdims=0)
    grad = g.Where(g.Equal(total, zero), zero, total / rows)
    return g.Reshape(grad, g.shape_of(data))


@lowers(Shuffle)
def shuffle(g: Graph, op: Operator, data: Value, noise: Value) -> Value:
    return g.Gather(data, noise, axis=0)
