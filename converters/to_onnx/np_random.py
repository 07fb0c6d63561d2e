"""Lowerings of mx.np's random draws: functions of a draw, which arrives as their last input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hybridonnx.ops.np_random import LEAST, Draws, NumpyBernoulli, NumpyChoice, Reparametrized

from ._graph import Graph, Value
from ._registry import lowers

Standard = Callable[[Graph, Value], Value]


def _as_least(g: Graph, noise: Value) -> Value:
    """The draws, none of which is 0."""
    return g.Max(noise, np.array(LEAST, noise.dtype))


def _exponential(g: Graph, noise: Value) -> Value:
    draws: Value = -g.Log(1.0 - _as_least(g, noise))
    return draws


def _logistic(g: Graph, noise: Value) -> Value:
    u = _as_least(g, noise)
    draws: Value = g.Log(u) - g.Log(1.0 - u)
    return draws


def _moved(g: Graph, standard: Value, loc: Any, scale: Any) -> Value:
    draws: Value = standard * scale + loc
    return draws


def _scaled(g: Graph, standard: Value, scale: Any) -> Value:
    draws: Value = standard * scale
    return draws


def _between(g: Graph, noise: Value, low: Any, high: Any) -> Value:
    draws: Value = noise * (high - low) + low
    return draws


def _inputs(g: Graph, op: Draws, inputs: tuple[Value, ...]) -> tuple[Value, list[Any]]:
    """The noise and the parameters, in the dtype that is computed in."""
    *arrays, noise = (g.Cast(x, op.wide()) for x in inputs)
    return noise, op.values(arrays)


def _reparametrized(name: str, standard: Standard, formula: Callable[..., Value]) -> None:
    @lowers(name)
    def lowering(g: Graph, op: Reparametrized, *inputs: Value) -> tuple[Value, Value]:
        noise, parameters = _inputs(g, op, inputs)
        draws = standard(g, noise)
        values = formula(g, draws, *parameters)
        return g.Cast(values, g.output().dtype), g.Identity(draws)


def _drawn(name: str, formula: Callable[..., Value]) -> None:
    @lowers(name)
    def lowering(g: Graph, op: Draws, *inputs: Value) -> Value:
        noise, parameters = _inputs(g, op, inputs)
        return g.Cast(formula(g, noise, *parameters), g.output().dtype)


_TABLE: dict[str, tuple[Standard, Callable[..., Value]]] = {
    "normal": (lambda g, z: z, _moved),
    "normal_n": (lambda g, z: z, _moved),
    "gumbel": (lambda g, u: -g.Log(_exponential(g, u)), _moved),
    "logistic": (_logistic, _moved),
    "exponential": (_exponential, _scaled),
    "rayleigh": (lambda g, u: g.Sqrt(_exponential(g, u) * 2.0), _scaled),
    "weibull": (lambda g, u: g.Log(_exponential(g, u)), lambda g, x, a: g.Exp(x / a)),
    "pareto": (_exponential, lambda g, x, a: g.Exp(x / a) - 1.0),
}
for _name, (_standard, _formula) in _TABLE.items():
    _reparametrized(f"_npi_{_name}", _standard, _formula)
_drawn("_npi_uniform", _between)
_drawn("_npi_uniform_n", _between)
_drawn("_npi_powerd", lambda g, u, a: g.Pow(1.0 - u, 1.0 / a))


@lowers(NumpyBernoulli)
def bernoulli(g: Graph, op: NumpyBernoulli, *inputs: Value) -> Value:
    noise, (chance,) = _inputs(g, op, inputs)
    if not isinstance(chance, Value):
        logit = np.clip(-chance, -700, 700)
        chance = np.asarray(1 / (1 + np.exp(logit)) if op.is_logit else chance, noise.dtype)
    elif op.is_logit:
        chance = g.Sigmoid(chance)
    return g.Cast(g.Less(noise, chance), g.output().dtype)


@lowers(NumpyChoice)
def choice(g: Graph, op: NumpyChoice, *inputs: Value) -> Value:
    *arrays, noise = inputs
    if op.replace and not op.weighted:
        if op.a is not None:
            return g.Cast(g.Min(g.Floor(noise * float(op.a)), float(op.a - 1)), np.int64)
        count = g.Cast(g.Squeeze(g.size_of(arrays[0], 0), [0]), np.float64)
        return g.Cast(g.Min(g.Floor(noise * count), count - 1.0), np.int64)
    chances = g.Cast(arrays[-1], np.float64) if op.weighted else None
    if op.replace:
        assert chances is not None
        total = g.CumSum(chances, np.array(0, np.int64))
        last = g.Slice(total, [-1], [1 << 40], [0])
        below = g.LessOrEqual(total, g.Unsqueeze(noise, [-1]) * last)
        count = g.ReduceSum(g.Cast(below, np.int64), [noise.rank], keepdims=0)
        return g.Min(count, g.Squeeze(g.size_of(chances, 0), [0]) - np.array(1, np.int64))
    keys = noise if chances is None else -g.Log(1.0 - noise) / chances
    chosen = int(np.prod(op.size or (), dtype=np.int64))
    _, order = g.TopK(keys, chosen, largest=0)
    return g.Reshape(order, list(op.size or ()))
