"""Lowerings of activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hybridonnx.ops.activation import SELU_ALPHA, SELU_SCALE, Activation, LeakyReLU, PReluSlope

from ._fusions import gelu
from ._graph import Graph, Value
from ._registry import lowers
from .unary import expm1, log1p

_float64 = np.dtype("float64")


def _softrelu(g: Graph, x: Value) -> Value:
    """Softplus without overflow; ONNX Runtime has the node for float32 alone."""
    if x.dtype == _float64:
        return log1p(g, g.Exp(-g.Abs(x))) + g.Max(x, 0.0)
    return g.Softplus(x)


def _softsign(g: Graph, x: Value) -> Value:
    if x.dtype == _float64:
        return x / (g.Abs(x) + 1.0)
    return g.Softsign(x)


_FUNCTIONS: dict[str, Callable[[Graph, Value], Value]] = {
    "relu": lambda g, x: g.Relu(x),
    "sigmoid": lambda g, x: g.Sigmoid(x),
    "softrelu": _softrelu,
    "softsign": _softsign,
    "tanh": lambda g, x: g.Tanh(x),
}


@lowers(Activation)
def activation(g: Graph, op: Activation, data: Value) -> Value:
    return _FUNCTIONS[op.act_type](g, data)


# ---- leaky ones


def _slopes(g: Graph, gamma: Value, rank: int) -> Value:
    """gamma with the axes that broadcast against data (N, C, *spatial)."""
    if gamma.rank == 1:
        return gamma if rank <= 2 else g.Reshape(gamma, [-1] + [1] * (rank - 2))
    return g.Unsqueeze(gamma, list(range(gamma.rank, rank)))


@lowers(PReluSlope)
def prelu_slope(g: Graph, op: PReluSlope, gamma: Value, data: Value) -> Value:
    slopes = _slopes(g, gamma, data.rank)
    return g.Unsqueeze(slopes, list(range(data.rank - slopes.rank)))


def _minus(g: Graph, x: Value) -> Value:
    """exp(x) - 1 where x is negative, else 0."""
    return expm1(g, g.Min(x, 0.0))


def _leaky(g: Graph, op: LeakyReLU, x: Value) -> Value:
    if x.dtype == _float64:
        return g.Max(x, 0.0) + g.Min(x, 0.0) * op.mean_slope()
    return g.LeakyRelu(x, alpha=op.mean_slope())


def _elu(g: Graph, op: LeakyReLU, x: Value) -> Value:
    if x.dtype == _float64:
        return g.Max(x, 0.0) + _minus(g, x) * op.slope
    return g.Elu(x, alpha=op.slope)


def _selu(g: Graph, op: LeakyReLU, x: Value) -> Value:
    if x.dtype == _float64:
        return (g.Max(x, 0.0) + _minus(g, x) * SELU_ALPHA) * SELU_SCALE
    return g.Selu(x)


_CURVES: dict[str, Callable[[Graph, LeakyReLU, Value], Value]] = {
    "leaky": _leaky,
    "elu": _elu,
    "selu": _selu,
    "gelu": lambda g, op, x: gelu(g, x),
}


@lowers(LeakyReLU)
def leaky_relu(g: Graph, op: LeakyReLU, data: Value, other: Value | None = None) -> Any:
    if op.act_type in _CURVES:
        return _CURVES[op.act_type](g, op, data)
    if op.act_type == "prelu":
        assert other is not None  # gamma
        slopes = _slopes(g, other, data.rank)
        if data.dtype == _float64:
            return g.Where(g.Greater(data, 0.0), data, data * slopes)
        return g.PRelu(data, slopes)
    if other is None:
        zeros = g.Full(g.shape_of(data), 0.0, data.dtype)
        return _leaky(g, op, data), zeros
    slope = other * (op.upper_bound - op.lower_bound) + op.lower_bound
    slope = g.Cast(slope, data.dtype)
    return g.Where(g.Greater(data, 0.0), data, data * slope), slope
