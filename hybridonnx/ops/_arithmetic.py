"""Kernels of arithmetic on two arrays, or an array and a number, with MXNet's rules for integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._operator import Array


def mean_of(data: Array, axes: tuple[int, ...]) -> Array:
    """The mean over some axes, which stay with size 1; NaN if nothing lies along them."""
    if data.size:
        mean: Array = data.mean(axes, keepdims=True)
        return mean
    return np.full([1 if i in axes else d for i, d in enumerate(data.shape)], np.nan, data.dtype)


def divide(a: Array, b: Array) -> Array:
    """The quotient; of integers truncated towards zero, and 0 where the divisor is."""
    if a.dtype.kind == "f":
        quotient: Array = np.divide(a, b)
        return quotient
    floor: Array = np.floor_divide(a, b)
    if a.dtype.kind == "u":
        return floor
    inexact = (floor * b != a) & (b != 0)
    rounded: Array = floor + (inexact & ((a < 0) != (b < 0))).astype(a.dtype)
    return rounded


def modulo(a: Array, b: Array) -> Array:
    """The remainder with the sign of the divisor, and 0 where the divisor is."""
    rest: Array = np.mod(a, b)
    return np.where(b == 0, rest.dtype.type(0), rest)


def power(a: Array, b: Array) -> Array:
    """The power; of integers computed in float64 and truncated."""
    return _in_float64(np.power, a, b)


def power_log(a: Array, b: Array) -> Array:
    """The power times the logarithm of its base; of integers computed in float64 and truncated."""
    return _in_float64(lambda x, y: np.power(x, y) * np.log(x), a, b)


def hypot(a: Array, b: Array) -> Array:
    """The square root of the sum of the squares; of integers truncated."""
    return _in_float64(np.hypot, a, b)


def _in_float64(function: Any, a: Array, b: Array) -> Array:
    if a.dtype.kind == "f":
        result: Array = function(a, b)
        return result
    exact: Array = function(a.astype(np.float64), b.astype(np.float64))
    return exact.astype(a.dtype)
