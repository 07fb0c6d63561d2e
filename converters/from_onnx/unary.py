"""Imports of the elementwise operators of one array."""

from __future__ import annotations

import math
from typing import Any

from hybridonnx.dtypes import is_floating
from hybridonnx.errors import ConversionError

from ..notes import gradient_factor
from ._arithmetic import number, numeric
from ._registry import imports

_SAME: dict[str, tuple[str, tuple[int, ...]]] = {
    "Neg": ("negative", (1, 6, 13)),
    "Abs": ("abs", (1, 6, 13)),
    "Ceil": ("ceil", (1, 6, 13)),
    "Floor": ("floor", (1, 6, 13)),
    "Sqrt": ("sqrt", (1, 6, 13)),
    "Reciprocal": ("reciprocal", (1, 6, 13)),
    "Exp": ("exp", (1, 6, 13)),
    "Log": ("log", (1, 6, 13)),
    "Sin": ("sin", (7, 22)),
    "Cos": ("cos", (7, 22)),
    "Tan": ("tan", (7, 22)),
    "Asin": ("arcsin", (7, 22)),
    "Acos": ("arccos", (7, 22)),
    "Atan": ("arctan", (7, 22)),
    "Sinh": ("sinh", (9, 22)),
    "Cosh": ("cosh", (9, 22)),
    "Asinh": ("arcsinh", (9, 22)),
    "Acosh": ("arccosh", (9, 22)),
    "Atanh": ("arctanh", (9, 22)),
    "Tanh": ("tanh", (1, 6, 13)),
    "Erf": ("erf", (9, 13)),
    "Relu": ("relu", (1, 6, 13, 14)),
    "Sigmoid": ("sigmoid", (1, 6, 13)),
    "Softsign": ("softsign", (1, 22)),
    "BitwiseNot": ("_npi_bitwise_not", (18,)),
}
"""ONNX's name to MXNet's, and the versions; they do the same."""


def _same(onnx_name: str, name: str, versions: tuple[int, ...]) -> None:
    @imports(onnx_name, versions=versions)
    def function(F: Any, x: Any) -> Any:
        return getattr(F, name)(x)


for _onnx_name, (_name, _versions) in _SAME.items():
    _same(_onnx_name, _name, _versions)


@imports("Sign", versions=(9, 13))
def sign(F: Any, x: Any) -> Any:
    """MXNet's is 0 for NaN."""
    dtype = F.dtype(x)
    if dtype is not None and not is_floating(dtype):
        return F.sign(x)
    return F.where(F._equal(x, x), F.sign(x), x)


@imports("Identity", versions=(1, 13, 14, 16, 19, 21, 23, 24, 25))
def identity(F: Any, x: Any, *, note: str = "") -> Any:
    """The same value, with a gradient of its own where an export of ours tells one."""
    factor = gradient_factor(note)
    if factor is None:
        return x
    return F._contrib_gradientmultiplier(x, scalar=factor) if factor else F.BlockGrad(x)


@imports("Round", versions=(11, 22))
def round_half_even(F: Any, x: Any) -> Any:
    """MXNet has rounding of halves away from zero and down, ONNX to even."""
    low = F.floor(x)
    rest = x - low
    return low + F.where(rest == 0.5, F._mod_scalar(low, scalar=2.0), rest > 0.5)


@imports("HardSigmoid", versions=(1, 6, 22))
def hard_sigmoid(F: Any, x: Any, *, alpha: float = 0.2, beta: float = 0.5) -> Any:
    """The same in MXNet."""
    return F.hard_sigmoid(x, alpha=alpha, beta=beta)


@imports("Not", versions=(1,))
def logical_not(F: Any, x: Any) -> Any:
    """Whether it is 0."""
    return F.logical_not(numeric(F, x))


@imports("IsNaN", versions=(9, 13, 20))
def is_nan(F: Any, x: Any) -> Any:
    """Only NaN differs from itself."""
    return F._not_equal(x, x)


@imports("IsInf", versions=(10, 20))
def is_inf(F: Any, x: Any, *, detect_negative: int = 1, detect_positive: int = 1) -> Any:
    """Equal to one infinity, or in size to both."""
    if detect_negative and detect_positive:
        return F.abs(x) == math.inf
    if not detect_negative and not detect_positive:
        return F.zeros_like(x)
    return x == (math.inf if detect_positive else -math.inf)


@imports("Clip", versions=(1, 6))
def clip_to_attributes(F: Any, x: Any, *, min: float = -math.inf, max: float = math.inf) -> Any:
    """Limits as attributes; ONNX's own, float32's largest numbers, limit nothing."""
    limit = 3.4e38
    return _clip(F, x, None if min < -limit else min, None if max > limit else max)


@imports("Clip", versions=(11, 12, 13))
def clip(F: Any, x: Any, min: Any = None, max: Any = None) -> Any:
    """Limits as inputs, which may be computed."""
    low, high = (None if limit is None else number(F, limit) for limit in (min, max))
    if (min is None) == (low is None) and (max is None) == (high is None):
        return _clip(F, x, low, high)
    if min is not None:
        x = F.broadcast_maximum(x, min)
    return x if max is None else F.broadcast_minimum(x, max)


def _clip(F: Any, x: Any, low: float | None, high: float | None) -> Any:
    if low is not None and high is not None:
        if math.isnan(low) or math.isnan(high):
            raise ConversionError(f"Clip: limits other than NaN are required, got {low} and {high}.")
        return F.clip(x, a_min=min(low, high), a_max=high)
    if low is not None:
        return F._maximum_scalar(x, scalar=low)
    return x if high is None else F._minimum_scalar(x, scalar=high)
