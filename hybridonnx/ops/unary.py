"""Elementwise operators of one array: rounding, powers, exponentials, trigonometry, special functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from ..errors import DTypeError
from . import _special
from ._operator import Array, Operator
from ._registry import operator
from ._rows import Rule, Unary, row, rule_facets, unary
from ._special import BERNOULLI as BERNOULLI
from ._special import ERFINV_CENTRE as ERFINV_CENTRE
from ._special import ERFINV_TAIL as ERFINV_TAIL
from ._special import cot_pi_derivative as cot_pi_derivative

_CONSTANT = "it is piecewise constant"
_LN2, _LN10 = math.log(2), math.log(10)
_TWO_BY_ROOT_PI = 2 / math.sqrt(math.pi)
_DEGREES = 180 / math.pi


def smooth(
    name: str, fn: Callable[[Array], Array], rule: Rule | str, *aliases: str, doc: str = ""
) -> type[Operator]:
    """A function of real numbers. As in MXNet, whole numbers go through float32 and are truncated again."""

    def kernel(data: Array) -> Array:
        if data.dtype.kind == "f":
            return fn(data).astype(data.dtype, copy=False)
        return fn(data.astype(np.float32)).astype(data.dtype)

    return row(Unary, (name, *aliases), doc, fn=staticmethod(kernel), takes_bool=False, **rule_facets(rule))


def exact(
    name: str, fn: Callable[[Array], Array], rule: Rule | str, *aliases: str, doc: str = ""
) -> type[Operator]:
    """A function that gives whole numbers for whole numbers, and any number in its own dtype."""
    return row(Unary, (name, *aliases), doc, fn=staticmethod(fn), takes_bool=False, **rule_facets(rule))


def rounding(name: str, fn: Callable[[Array], Array], *aliases: str, doc: str = "") -> type[Operator]:
    """A function to a whole number, which leaves whole numbers as they are."""

    def kernel(data: Array) -> Array:
        return fn(data) if data.dtype.kind == "f" else data

    return row(
        Unary, (name, *aliases), doc, fn=staticmethod(kernel), takes_bool=False, **rule_facets(_CONSTANT)
    )


# ---- sign and rounding


def sign_kernel(data: Array) -> Array:
    """-1, 0 or 1; 0 for NaN, as MXNet has it."""
    return ((data > 0).astype(np.int8) - (data < 0).astype(np.int8)).astype(data.dtype)


def _round(data: Array) -> Array:
    """To the nearest whole number, halves away from zero."""
    whole = np.trunc(data)
    return np.where(abs(data - whole) >= 0.5, whole + np.copysign(1, data).astype(data.dtype), whole)


def _rint(data: Array) -> Array:
    """To the nearest whole number, halves down; not to even, as elsewhere."""
    low, high = np.floor(data), np.ceil(data)
    return np.where(data - low > high - data, high, low)


exact("negative", np.negative, lambda F, dy, y, x: (-dy,), "_sparse_negative")
exact("abs", np.abs, lambda F, dy, y, x: (dy * F.sign(x),), "_sparse_abs")
exact("sign", sign_kernel, _CONSTANT, "_sparse_sign")
rounding("round", _round, "_sparse_round")
rounding("rint", _rint, "_sparse_rint")
rounding("fix", np.trunc, "_sparse_fix")
rounding("trunc", np.trunc, "_sparse_trunc")
rounding("ceil", np.ceil, "_sparse_ceil")
rounding("floor", np.floor, "_sparse_floor")


def _straight_through(name: str, fn: Callable[[Array], Array], *aliases: str, doc: str = "") -> None:
    """A step function whose gradient passes as if it were not there, for training quantized nets."""
    row(
        Unary,
        (name, *aliases),
        doc,
        fn=staticmethod(fn),
        takes_bool=False,
        **rule_facets(lambda F, dy, y, x: (dy,)),
    )


_straight_through("_contrib_sign_ste", sign_kernel, "_sparse__contrib_sign_ste")
_straight_through(
    "_contrib_round_ste", lambda x: _round(x) if x.dtype.kind == "f" else x, "_sparse__contrib_round_ste"
)

# ---- powers and roots

exact("square", np.square, lambda F, dy, y, x: (dy * x * 2,), "_sparse_square")
smooth("sqrt", np.sqrt, lambda F, dy, y, x: (dy * 0.5 / y,), "_sparse_sqrt")
smooth("rsqrt", lambda x: 1 / np.sqrt(x), lambda F, dy, y, x: (dy * (y * y * y) * -0.5,), "_sparse_rsqrt")
smooth("cbrt", np.cbrt, lambda F, dy, y, x: (dy / (y * y * 3),), "_sparse_cbrt")
smooth("rcbrt", lambda x: 1 / np.cbrt(x), lambda F, dy, y, x: (dy * F.square(y * y) * (-1 / 3),))
smooth("reciprocal", np.reciprocal, lambda F, dy, y, x: (-dy * y * y,))

# ---- exponentials and logarithms

smooth("exp", np.exp, lambda F, dy, y, x: (dy * y,), "_sparse_exp")
smooth("expm1", np.expm1, lambda F, dy, y, x: (dy * F.exp(x),), "_sparse_expm1")
smooth("log", np.log, lambda F, dy, y, x: (dy / x,), "_sparse_log")
smooth("log10", np.log10, lambda F, dy, y, x: (dy / (x * _LN10),), "_sparse_log10")
smooth("log2", np.log2, lambda F, dy, y, x: (dy / (x * _LN2),), "_sparse_log2")
smooth("log1p", np.log1p, lambda F, dy, y, x: (dy / (x + 1),), "_sparse_log1p")

# ---- trigonometry

smooth("sin", np.sin, lambda F, dy, y, x: (dy * F.cos(x),), "_sparse_sin")
smooth("cos", np.cos, lambda F, dy, y, x: (-dy * F.sin(x),), "_sparse_cos")
smooth("tan", np.tan, lambda F, dy, y, x: (dy * (y * y + 1),), "_sparse_tan")
smooth("arcsin", np.arcsin, lambda F, dy, y, x: (dy * F.rsqrt(1 - x * x),), "_sparse_arcsin")
smooth("arccos", np.arccos, lambda F, dy, y, x: (-dy * F.rsqrt(1 - x * x),), "_sparse_arccos")
smooth("arctan", np.arctan, lambda F, dy, y, x: (dy / (x * x + 1),), "_sparse_arctan")
smooth("sinh", np.sinh, lambda F, dy, y, x: (dy * F.cosh(x),), "_sparse_sinh")
smooth("cosh", np.cosh, lambda F, dy, y, x: (dy * F.sinh(x),), "_sparse_cosh")
smooth("tanh", np.tanh, lambda F, dy, y, x: (dy * (1 - y * y),), "_sparse_tanh")
smooth("arcsinh", np.arcsinh, lambda F, dy, y, x: (dy * F.rsqrt(x * x + 1),), "_sparse_arcsinh")
smooth("arccosh", np.arccosh, lambda F, dy, y, x: (dy * F.rsqrt(x * x - 1),), "_sparse_arccosh")
smooth("arctanh", np.arctanh, lambda F, dy, y, x: (dy / (1 - x * x),), "_sparse_arctanh")
smooth("degrees", np.degrees, lambda F, dy, y, x: (dy * _DEGREES,), "_sparse_degrees")
smooth("radians", np.radians, lambda F, dy, y, x: (dy * (1 / _DEGREES),), "_sparse_radians")

# ---- special functions


def _polygamma(F: Any, dy: Any, x: Any, order: int) -> Any:
    return dy * F._polygamma(x, order=order)


smooth("erf", _special.erf, lambda F, dy, y, x: (dy * F.exp(-x * x) * _TWO_BY_ROOT_PI,), "_npx_erf")
smooth("erfinv", _special.erfinv, lambda F, dy, y, x: (dy * F.exp(y * y) / _TWO_BY_ROOT_PI,), "_npx_erfinv")
smooth(
    "gamma",
    _special.gamma,
    lambda F, dy, y, x: (_polygamma(F, dy * y, x, 0),),
    "_npx_gamma",
    "_sparse_gamma",
)
smooth(
    "gammaln",
    _special.gammaln,
    lambda F, dy, y, x: (_polygamma(F, dy, x, 0),),
    "_npx_gammaln",
    "_sparse_gammaln",
)


@operator("_polygamma")
class Polygamma(Operator):
    """The digamma function of `data` of any shape, or its derivative of that `order`."""

    elementwise = True
    takes_bool = False
    order: int = 0

    def forward(self, data: Array) -> Array:
        return _special.polygamma(data, self.order).astype(data.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (_polygamma(F, dy, data, self.order + 1),)


# ---- activations


def _sigmoid(data: Array) -> Array:
    half = data.dtype.type(0.5)
    result: Array = np.tanh(data * half) * half + half
    return result


exact("relu", lambda x: np.maximum(x, 0), lambda F, dy, y, x: (dy * (y > 0),), "_sparse_relu")
smooth("sigmoid", _sigmoid, lambda F, dy, y, x: (dy * y * (1 - y),), "_sparse_sigmoid")
smooth("softsign", lambda x: x / (1 + abs(x)), lambda F, dy, y, x: (dy / F.square(F.abs(x) + 1),))


@operator("hard_sigmoid")
class HardSigmoid(Operator):
    """`alpha * data + beta`, cut off at 0 and 1, for `data` of any shape."""

    elementwise = True
    alpha: float = 0.2
    beta: float = 0.5

    def infer_dtype(self, data: Any) -> Any:
        return _floats_only("hard_sigmoid", data)

    def forward(self, data: Array) -> Array:
        alpha, beta = data.dtype.type(self.alpha), data.dtype.type(self.beta)
        result: Array = np.clip(alpha * data + beta, 0, 1)
        return result

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (dy * ((y > 0) * (y < 1)) * self.alpha,)


def _floats_only(owner: str, dtype: Any) -> Any:
    if dtype is not None and dtype.kind != "f":
        raise DTypeError(f"{owner}: real numbers are required, got {dtype}. Cast with astype('float32').")
    return dtype


@operator("clip", "_npi_clip", "_sparse_clip")
class Clip(Operator):
    """`data` of any shape, with values above `a_max` made `a_max` and those below `a_min` made `a_min`."""

    elementwise = True
    takes_bool = False
    a_min: float
    a_max: float

    def limits(self, dtype: Any) -> tuple[Array, Array]:
        """Both limits in a dtype, truncated and cut off to its range if it is one of whole numbers."""
        pair = np.array([self.a_min, self.a_max])
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            pair = np.clip(np.trunc(pair), float(info.min), float(info.max))
            pair = np.array([min(int(v), int(info.max)) for v in pair])
        low, high = pair.astype(dtype)
        return low, high

    def forward(self, data: Array) -> Array:
        low, high = self.limits(data.dtype)
        if low <= high:
            result: Array = np.clip(data, low, high)
            return result
        return np.where(data > high, high, np.where(data < low, low, data))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (dy * F.broadcast_equal(data, y),)


@operator("smooth_l1", "_npx_smooth_l1")
class SmoothL1(Operator):
    """`(s·data)² / 2` where `|data| < 1/s²`, else `|data| - 0.5/s²`, with s = `scalar`; any shape."""

    elementwise = True
    takes_bool = False
    scalar: float = 1.0

    def bound(self) -> float:
        """Where the parabola ends and the straight lines begin."""
        return 1 / self.scalar**2 if self.scalar else math.inf

    def forward(self, data: Array) -> Array:
        x = data if data.dtype.kind == "f" else data.astype(np.float32)
        size = abs(x)
        parabola = x * x * x.dtype.type(0.5 * self.scalar**2)
        y = np.where(size < self.bound(), parabola, size - x.dtype.type(0.5 * self.bound()))
        return y.astype(data.dtype, copy=False)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (dy * F.clip(data * self.scalar**2, a_min=-1.0, a_max=1.0),)


@operator("_contrib_quadratic")
class Quadratic(Operator):
    """`a * data² + b * data + c` for `data` of any shape."""

    elementwise = True
    takes_bool = False
    a: float = 0.0
    b: float = 0.0
    c: float = 0.0

    def forward(self, data: Array) -> Array:
        x = data if data.dtype.kind == "f" else data.astype(np.float32)
        a, b, c = (x.dtype.type(v) for v in (self.a, self.b, self.c))
        return np.asarray((a * x + b) * x + c).astype(data.dtype, copy=False)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (dy * (data * (2 * self.a) + self.b),)


# ---- identities, losses and constants

unary("logical_not", lambda x: (x == 0).astype(x.dtype), _CONSTANT, takes_bool=False)
unary("_copy", lambda x: x, lambda F, dy, y, x: (dy,), "identity")
unary("_copyto", lambda x: x, lambda F, dy, y, x: (dy,), "_npi_copyto")
unary("BlockGrad", lambda x: x, "it stops gradients", "_sparse_stop_gradient", "stop_gradient")
unary("ones_like", np.ones_like, "it is constant")
unary("zeros_like", np.zeros_like, "it is constant", "_sparse_zeros_like")
unary("make_loss", lambda x: x, lambda F, dy, y, x: (F.ones_like(x),), "_sparse_make_loss", outputs=("loss",))


@operator("MakeLoss")
class MakeLoss(Operator):
    """`data` of any shape, unchanged; its gradient is `grad_scale`, whatever the gradient of the output."""

    elementwise = True
    grad_scale: float = 1.0
    valid_thresh: float = 0.0
    normalization: Literal["batch", "null", "valid"] = "null"

    by: ClassVar[dict[str, Callable[..., Any]]] = {
        "null": lambda F, one, valid: one,
        "batch": lambda F, one, valid: one / F.sum(one, axis=(0,), keepdims=True),
        "valid": lambda F, one, valid: one / F._maximum_scalar(F.sum(valid), scalar=1.0),
    }

    def infer_dtype(self, data: Any) -> Any:
        return _floats_only("MakeLoss", data)

    def forward(self, data: Array) -> Array:
        return data

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        one, valid = F.ones_like(data), data > self.valid_thresh
        return (self.by[self.normalization](F, one, valid) * self.grad_scale,)
