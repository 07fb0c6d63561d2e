"""Special functions that ONNX lacks, composed of nodes in float64, to float32's accuracy or better."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hybridonnx.ops.unary import BERNOULLI, ERFINV_CENTRE, ERFINV_TAIL, cot_pi_derivative

from ._graph import Graph, Value

_float64 = np.dtype("float64")
_NEAR_POLE = 1e-20
"""Below this only the pole at 0 counts, and its side: `1 - z` does not tell it."""
_SHIFT = 8
"""Arguments are moved up by this, to where the asymptotic series hold."""


def _horner(x: Value, coefficients: Any) -> Value:
    """A polynomial, the highest coefficient first."""
    result: Any = float(coefficients[0])
    for c in coefficients[1:]:
        result = x * result + float(c)
    assert isinstance(result, Value)
    return result


def erfinv(g: Graph, x: Value) -> Value:
    """Giles' approximation in single precision, so not for float64; infinite at ±1."""
    if x.dtype == _float64:
        single: Value = g.via(np.float32, lambda v: erfinv(g, v), x)
        return single

    def function(z: Value) -> Value:
        w = -g.Log((1.0 - z) * (z + 1.0))
        near = g.Less(w, 5.0)
        root = g.Sqrt(g.Where(near, np.float64(5), w))
        centre, tail = _horner(w - 2.5, ERFINV_CENTRE), _horner(root - 3.0, ERFINV_TAIL)
        y = z * g.Where(near, centre, tail)
        end = g.Where(g.Less(z, 0.0), np.float64(-np.inf), np.float64(np.inf))
        return g.Where(g.Equal(g.Abs(z), 1.0), end, y)

    return g.via(_float64, function, x)


def _steps(g: Graph, z: Value, count: int) -> Value:
    """`z`, `z + 1`, … along a new last axis."""
    return g.Unsqueeze(z, [-1]) + np.arange(count, dtype=_float64)


def _sin_pi(g: Graph, z: Value) -> Value:
    """sin(πz), precise for large z and 0 where z is an integer."""
    rest = z - g.Floor(z * 0.5) * 2.0
    integral = g.Equal(rest, g.Floor(rest))
    return g.Where(integral, np.float64(0), g.Sin(rest * math.pi))


def _gammaln_right(g: Graph, z: Value) -> Value:
    """The logarithm of gamma for z ≥ 1/2, by Stirling's series."""
    small = g.Less(z, float(_SHIFT))
    up = g.Where(small, z + float(_SHIFT), z)
    product = g.ReduceProd(_steps(g, g.Where(small, z, np.float64(1)), _SHIFT), [-1], keepdims=0)
    correction = g.Where(small, g.Log(product), np.float64(0))
    inverse = g.Reciprocal(up)
    scales = [b / (2 * k * (2 * k - 1)) for k, b in enumerate(BERNOULLI[:6], 1)]
    series = _horner(inverse * inverse, scales[::-1]) * inverse
    log = g.Log(up)
    main = (up - 0.5) * log - up
    y = main + (0.5 * math.log(2 * math.pi)) + series - correction
    return g.Where(g.Greater(z, 1e15), z * (g.Log(z) - 1.0), y)


def _is_pole(g: Graph, z: Value) -> Value:
    return g.And(g.LessOrEqual(z, 0.0), g.Equal(z, g.Floor(z)))


def _is_tiny(g: Graph, z: Value) -> Value:
    return g.Less(g.Abs(z), _NEAR_POLE)


def gammaln(g: Graph, x: Value) -> Value:
    """The logarithm of gamma's absolute value, by reflection left of 1/2."""

    def function(z: Value) -> Value:
        right = g.Greater(z, 0.5)
        positive = _gammaln_right(g, g.Where(right, z, 1.0 - z))
        sine = g.Where(right, np.float64(1), g.Abs(_sin_pi(g, z)))
        y = g.Where(right, positive, math.log(math.pi) - g.Log(sine) - positive)
        y = g.Where(_is_pole(g, z), np.float64(np.inf), y)
        return g.Where(_is_tiny(g, z), -g.Log(g.Abs(z)), y)

    return g.via(_float64, function, x)


def _held(g: Graph, y: Value) -> Value:
    """The same numbers where none is below 1, without their gradient in files that are read again."""
    return g.Floor(y * 2.0**52) * 2.0**-52


def gamma(g: Graph, x: Value) -> Value:
    """Gamma, by reflection left of 1/2."""

    def function(z: Value) -> Value:
        right = g.Greater(z, 0.5)
        positive = g.Exp(_gammaln_right(g, g.Where(right, z, 1.0 - z)))
        mirror = g.Where(right, np.float64(1), _sin_pi(g, z) * positive)
        y = g.Where(right, positive, math.pi / mirror)
        integral = g.And(g.Equal(z, g.Floor(z)), g.Less(z, 20.0))
        y = y + g.Where(integral, g.Round(y) - _held(g, y), np.float64(0))
        poles = g.And(_is_pole(g, z), g.Less(z, 0.0))
        y = g.Where(poles, np.float64(np.nan), y)
        return g.Where(_is_tiny(g, z), g.Reciprocal(z), y)

    return g.via(_float64, function, x)


def polygamma(g: Graph, x: Value, order: int) -> Value:
    """The derivative of that order of digamma, by reflection left of 1/2."""

    def function(z: Value) -> Value:
        right = g.Greater(z, 0.5)
        positive = _polygamma_right(g, g.Where(right, z, 1.0 - z), order)
        angle = g.Where(right, np.float64(0.5), z - g.Floor(z)) * math.pi
        cot = cot_pi_derivative(order)
        term = _horner(g.Cos(angle) / g.Sin(angle), cot.coef[::-1]) * math.pi
        reflected = (-positive if order % 2 else positive) - term
        y = g.Where(right, positive, reflected)
        pole = g.Pow(g.Reciprocal(-z), order + 1.0) * float(math.factorial(order))
        y = g.Where(_is_tiny(g, z), pole, y)
        at_pole = np.float64(np.nan if order % 2 == 0 else np.inf)
        return g.Where(_is_pole(g, z), at_pole, y)

    return g.via(_float64, function, x)


def _polygamma_right(g: Graph, z: Value, order: int) -> Value:
    count = 12 + 2 * order
    lift = g.ReduceSum(g.Pow(_steps(g, z, count), -(order + 1.0)), [-1], keepdims=0)
    up = z + float(count)
    inverse = g.Reciprocal(up)
    if order:
        start = (
            g.Pow(inverse, float(order)) * (inverse * (0.5 * order) + 1.0) * float(math.factorial(order - 1))
        )
    else:
        start = inverse * 0.5 - g.Log(up)
    scales = [
        b * math.factorial(2 * k + order - 1) / math.factorial(2 * k) for k, b in enumerate(BERNOULLI, 1)
    ]
    square = inverse * inverse
    series = _horner(square, scales[::-1]) * square
    if order:
        series = series * g.Pow(inverse, float(order))
    total: Value = start + series + lift * float(math.factorial(order))
    return total if order % 2 else -total
