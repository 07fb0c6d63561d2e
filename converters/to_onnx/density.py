"""Lowerings of densities: their logarithms, computed in float64 as the kernels do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridonnx.ops.density import LARGE, RepeatBehind, SumBehind, UniformDensity, added_axes

from ._graph import Graph, Value
from ._registry import lowers
from ._special import gammaln
from ._symbolic_dims import sizes_of, vector
from .unary import log1p

_LOG_ROOT = 0.5 * math.log(2 * math.pi)


@lowers(RepeatBehind)
def repeat_behind(g: Graph, op: RepeatBehind, data: Value, like: Value) -> Value:
    axes = added_axes(like.rank, data.rank, op.last_axes)
    return g.Expand(g.Unsqueeze(data, axes), vector(g, sizes_of(like)))


@lowers(SumBehind)
def sum_behind(g: Graph, op: SumBehind, data: Value, like: Value) -> Value:
    shape = like.shape or (None,) * like.rank
    axes = op.axes(data.rank, shape)
    return g.ReduceSum(data, axes, keepdims=int(data.rank == like.rank)) if axes else g.Identity(data)


@lowers(UniformDensity)
def uniform(g: Graph, op: UniformDensity, sample: Value, *ends: Value) -> Value:
    low, high = _wide(g, op, sample, ends)
    values = -g.Log(high - low) if op.is_log else g.Reciprocal(high - low)
    return g.Cast(g.Expand(values, vector(g, sizes_of(sample))), sample.dtype)


def _wide(g: Graph, op: Any, sample: Value, parameters: Sequence[Value]) -> list[Value]:
    """Parameters in float64, with the axes that the sample alone has."""
    return [
        g.Unsqueeze(g.Cast(p, np.float64), added_axes(sample.rank, p.rank, op.last_axes)) for p in parameters
    ]


# ---- logarithms of densities


def _normal(g: Graph, sample: Value, mu: Value, sigma: Value) -> Any:
    z = (sample - mu) / sigma
    return z * z * -0.5 - g.Log(sigma) - _LOG_ROOT


def _gamma(g: Graph, sample: Value, alpha: Value, beta: Value) -> Any:
    powers = alpha * g.Log(beta) + (alpha - 1.0) * g.Log(sample)
    return powers - beta * sample - gammaln(g, alpha)


def _exponential(g: Graph, sample: Value, lam: Value) -> Any:
    return g.Log(lam) - lam * sample


def _dirichlet(g: Graph, sample: Value, alpha: Value) -> Any:
    terms = (alpha - 1.0) * g.Log(sample) - gammaln(g, alpha)
    keep = int(sample.rank == 1)  # one point has a density of shape (1,)
    axis = [sample.rank - 1]
    total = g.ReduceSum(alpha, axis, keepdims=keep)
    return g.ReduceSum(terms, axis, keepdims=keep) + gammaln(g, total)


def _poisson(g: Graph, sample: Value, lam: Value) -> Any:
    return sample * g.Log(lam) - gammaln(g, sample + 1.0) - lam


def _log_ways(g: Graph, x: Value, k: Value) -> Value:
    """The logarithm of Γ(x + k) / (Γ(x + 1) Γ(k)) in float64, by the kernel's series where one is large."""
    one = x + 1.0
    large, small = g.Max(one, k), g.Min(one, k)
    step = small - 1.0
    total = large + step
    rise = (total - 0.5) * log1p(g, step / large) + step * (g.Log(large) - 1.0)
    rise = rise + (g.Reciprocal(total) - g.Reciprocal(large)) * (1 / 12)
    series = g.And(g.Greater(large, LARGE), g.Greater(total * 2.0, large))
    series = g.And(series, g.Less(large, math.inf))
    return g.Where(series, rise, gammaln(g, total) - gammaln(g, large)) - gammaln(g, small)


def _negative_binomial(g: Graph, sample: Value, k: Value, p: Value) -> Any:
    return _log_ways(g, sample, k) + k * g.Log(p) + sample * g.Log(1.0 - p)


def _generalized_negative_binomial(g: Graph, sample: Value, mu: Value, alpha: Value) -> Any:
    k, spread = g.Reciprocal(alpha), mu * alpha
    return _log_ways(g, sample, k) + sample * g.Log(spread) - (sample + k) * log1p(g, spread)


def _density(name: str, formula: Callable[..., Any]) -> None:

    @lowers(f"_random_pdf_{name}")
    def lowering(g: Graph, op: Any, sample: Value, *parameters: Value) -> Value:
        values = formula(g, g.Cast(sample, np.float64), *_wide(g, op, sample, parameters))
        return g.Cast(values if op.is_log else g.Exp(values), sample.dtype)


for _formula in (
    _normal,
    _gamma,
    _exponential,
    _dirichlet,
    _poisson,
    _negative_binomial,
    _generalized_negative_binomial,
):
    _density(_formula.__name__[1:], _formula)
