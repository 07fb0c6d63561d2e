"""Elementwise operators of one array: rounding, powers, exponentials, trigonometry, special functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from ..errors import DTypeError, ShapeError
from . import _special, _storage
from ._containers import zeros
from ._operator import Array, Operator, record
from ._registry import operator
from ._rows import Rule, Unary, row, rule_facets, unary
from ._shapes import Shape
from ._slopes import computed_wide, times_slope, widened
from ._special import BERNOULLI as BERNOULLI
from ._special import ERFINV_CENTRE as ERFINV_CENTRE
from ._special import ERFINV_TAIL as ERFINV_TAIL
from ._special import cot_pi_derivative as cot_pi_derivative

_CONSTANT = "it is piecewise constant"
_LN2, _LN10 = math.log(2), math.log(10)
_TWO_BY_ROOT_PI = 2 / math.sqrt(math.pi)
_DEGREES = 180 / math.pi


@record
class Smooth(Unary):
    """A function of floating-point numbers, differentiated by its slope."""

    takes_bool: ClassVar[bool] = False
    slope: ClassVar[staticmethod[..., Any]]

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        slope = self.slope(F, widened(F, y), widened(F, data))
        return (times_slope(F, dy, slope, data),)


def smooth(
    name: str,
    fn: Callable[[Array], Array],
    slope: Callable[..., Any],
    *aliases: str,
    doc: str = "",
    saves: float = 0.0,
) -> type[Operator]:
    """A function of floating-point numbers. Integers go through float64 and are truncated, as in MXNet.

    `slope(F, y, x)` is the derivative, which is computed in float64 of integers, too.
    """

    def kernel(data: Array) -> Array:
        if data.dtype.kind == "f":
            return fn(data).astype(data.dtype, copy=False)
        return fn(data.astype(np.float64)).astype(data.dtype)

    facets: dict[str, Any] = {"fn": staticmethod(kernel), "slope": staticmethod(slope), "saves": saves}
    return row(Smooth, (name, *aliases), doc, **facets)


def exact(
    name: str,
    fn: Callable[[Array], Array],
    rule: Rule | str,
    *aliases: str,
    doc: str = "",
    by_output: bool = False,
) -> type[Operator]:
    """A function that gives integers for integers, and any number in its own dtype.

    `by_output` says that the rule asks for the output alone.
    """
    facets = {"takes_bool": False, "by_output": by_output, **rule_facets(rule)}
    return row(Unary, (name, *aliases), doc, fn=staticmethod(fn), **facets)


def rounding(name: str, fn: Callable[[Array], Array], *aliases: str, doc: str = "") -> type[Operator]:
    """A function to an integer, which leaves integers as they are."""

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
    """To the nearest integer, halves away from zero."""
    integer = np.trunc(data)
    return np.where(abs(data - integer) >= 0.5, integer + np.copysign(1, data).astype(data.dtype), integer)


def _rint(data: Array) -> Array:
    """To the nearest integer, halves down; not to even, as elsewhere."""
    low, high = np.floor(data), np.ceil(data)
    return np.where(data - low > high - data, high, low)


exact(
    "negative",
    np.negative,
    lambda F, dy, y, x: (-dy,),
    "_sparse_negative",
    doc="Each element times -1.\n\nONNX: Neg.",
)
exact(
    "abs",
    np.abs,
    lambda F, dy, y, x: (dy * F.sign(x),),
    "_sparse_abs",
    doc="The absolute value of each element.\n\nONNX: Abs.",
)
exact(
    "sign",
    sign_kernel,
    _CONSTANT,
    "_sparse_sign",
    doc="""-1, 0 or 1 by the sign of each element; 0 for NaN.

    ONNX: Greater, Less and Sub; Sign for integers.
    """,
)
rounding(
    "round",
    _round,
    "_sparse_round",
    doc="""The nearest integer to each element, halves rounded away from zero.

    ONNX: Floor of Abs, with GreaterOrEqual and Sign.
    """,
)
rounding(
    "rint",
    _rint,
    "_sparse_rint",
    doc="""The nearest integer to each element, halves rounded down, not to even.

    ONNX: Floor, Ceil and Where.
    """,
)
rounding(
    "fix",
    np.trunc,
    "_sparse_fix",
    doc="Each element without its fraction, which is what `trunc` gives.\n\nONNX: Floor, Ceil and Where.",
)
rounding(
    "trunc",
    np.trunc,
    "_sparse_trunc",
    doc="""The nearest integer to each element that is no farther from zero.

    ONNX: Floor, Ceil and Where.
    """,
)
rounding("ceil", np.ceil, "_sparse_ceil", doc="The least integer not below each element.\n\nONNX: Ceil.")
rounding(
    "floor", np.floor, "_sparse_floor", doc="The greatest integer not above each element.\n\nONNX: Floor."
)


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


_straight_through(
    "_contrib_sign_ste",
    sign_kernel,
    "_sparse__contrib_sign_ste",
    doc="""The sign of each element, through which the gradient passes unchanged.

    ONNX: Greater, Less and Sub.
    """,
)
_straight_through(
    "_contrib_round_ste",
    lambda x: _round(x) if x.dtype.kind == "f" else x,
    "_sparse__contrib_round_ste",
    doc="""Each element rounded as `round` does, through which the gradient passes unchanged.

    ONNX: Floor of Abs, with GreaterOrEqual and Sign.
    """,
)

# ---- powers and roots

exact(
    "square",
    np.square,
    lambda F, dy, y, x: (dy * x * 2,),
    "_sparse_square",
    doc="The square of each element.\n\nONNX: Mul.",
)
smooth(
    "sqrt",
    np.sqrt,
    lambda F, y, x: 0.5 / y,
    "_sparse_sqrt",
    doc="The square root of each element.\n\nONNX: Sqrt.",
)
smooth(
    "rsqrt",
    lambda x: 1 / np.sqrt(x),
    lambda F, y, x: -0.5 / (F.sqrt(x) * x),
    "_sparse_rsqrt",
    doc="The reciprocal of the square root of each element.\n\nONNX: Sqrt and Reciprocal.",
)
smooth(
    "cbrt",
    np.cbrt,
    lambda F, y, x: 1 / (y * y * 3),
    "_sparse_cbrt",
    doc="The cube root of each element, with its sign.\n\nONNX: Pow of Abs, with Sign.",
)
smooth(
    "rcbrt",
    lambda x: 1 / np.cbrt(x),
    lambda F, y, x: (-1 / 3) / (F.cbrt(x) * x),
    doc="The reciprocal of the cube root of each element.\n\nONNX: Pow of Abs, with Sign and Reciprocal.",
)
smooth(
    "reciprocal",
    np.reciprocal,
    lambda F, y, x: -1 / F.square(x),
    doc="1 divided by each element.\n\nONNX: Reciprocal.",
)

# ---- exponentials and logarithms

smooth(
    "exp",
    np.exp,
    lambda F, y, x: y,
    "_sparse_exp",
    doc="e to the power of each element.\n\nONNX: Exp.",
)
smooth(
    "expm1",
    np.expm1,
    lambda F, y, x: F.exp(x),
    "_sparse_expm1",
    doc="exp(x) - 1 of each element x, exact near 0 too.\n\nONNX: Exp and Sub; Tanh and Div near 0.",
)
smooth(
    "log",
    np.log,
    lambda F, y, x: 1 / x,
    "_sparse_log",
    doc="The natural logarithm of each element.\n\nONNX: Log.",
)
smooth(
    "log10",
    np.log10,
    lambda F, y, x: (1 / _LN10) / x,
    "_sparse_log10",
    doc="The logarithm to base 10 of each element.\n\nONNX: Log and Mul.",
)
smooth(
    "log2",
    np.log2,
    lambda F, y, x: (1 / _LN2) / x,
    "_sparse_log2",
    doc="The logarithm to base 2 of each element.\n\nONNX: Log and Mul.",
)
smooth(
    "log1p",
    np.log1p,
    lambda F, y, x: 1 / (x + 1),
    "_sparse_log1p",
    doc="log(1 + x) of each element x, exact near 0 too.\n\nONNX: Add and Log; Mul and Div near 0.",
)

# ---- trigonometry

smooth(
    "sin",
    np.sin,
    lambda F, y, x: F.cos(x),
    "_sparse_sin",
    doc="The sine of each element, in radians.\n\nONNX: Sin.",
)
smooth(
    "cos",
    np.cos,
    lambda F, y, x: -F.sin(x),
    "_sparse_cos",
    doc="The cosine of each element, in radians.\n\nONNX: Cos.",
)
smooth(
    "tan",
    np.tan,
    lambda F, y, x: y * y + 1,
    "_sparse_tan",
    doc="The tangent of each element, in radians.\n\nONNX: Tan.",
)
smooth(
    "arcsin",
    np.arcsin,
    lambda F, y, x: F.rsqrt(1 - x * x),
    "_sparse_arcsin",
    doc="The angle in [-pi/2, pi/2] whose sine each element is; NaN outside of [-1, 1].\n\nONNX: Asin.",
)
smooth(
    "arccos",
    np.arccos,
    lambda F, y, x: -F.rsqrt(1 - x * x),
    "_sparse_arccos",
    doc="The angle in [0, pi] whose cosine each element is; NaN outside of [-1, 1].\n\nONNX: Acos.",
)
smooth(
    "arctan",
    np.arctan,
    lambda F, y, x: 1 / (x * x + 1),
    "_sparse_arctan",
    doc="The angle in (-pi/2, pi/2) whose tangent each element is.\n\nONNX: Atan.",
)
smooth(
    "sinh",
    np.sinh,
    lambda F, y, x: F.cosh(x),
    "_sparse_sinh",
    doc="The hyperbolic sine of each element.\n\nONNX: Sinh.",
)
smooth(
    "cosh",
    np.cosh,
    lambda F, y, x: F.sinh(x),
    "_sparse_cosh",
    doc="The hyperbolic cosine of each element.\n\nONNX: Cosh.",
)
smooth(
    "tanh",
    np.tanh,
    lambda F, y, x: 1 - y * y,
    "_sparse_tanh",
    doc="The hyperbolic tangent of each element.\n\nONNX: Tanh.",
)
smooth(
    "arcsinh",
    np.arcsinh,
    lambda F, y, x: F.rsqrt(x * x + 1),
    "_sparse_arcsinh",
    doc="The inverse of the hyperbolic sine at each element.\n\nONNX: Asinh.",
)
smooth(
    "arccosh",
    np.arccosh,
    lambda F, y, x: F.rsqrt(x * x - 1),
    "_sparse_arccosh",
    doc="The inverse, from 0 up, of the hyperbolic cosine at each element; NaN below 1.\n\nONNX: Acosh.",
)
smooth(
    "arctanh",
    np.arctanh,
    lambda F, y, x: 1 / (1 - x * x),
    "_sparse_arctanh",
    doc="The inverse of the hyperbolic tangent at each element; NaN outside of [-1, 1].\n\nONNX: Atanh.",
)
smooth(
    "degrees",
    np.degrees,
    lambda F, y, x: _DEGREES,
    "_sparse_degrees",
    doc="Each element, an angle in radians, in degrees.\n\nONNX: Mul.",
)
smooth(
    "radians",
    np.radians,
    lambda F, y, x: F.ones_like(x) * (1 / _DEGREES),  # of x: a second derivative is 0
    "_sparse_radians",
    doc="Each element, an angle in degrees, in radians.\n\nONNX: Mul.",
)

# ---- special functions


smooth(
    "erf",
    _special.erf,
    lambda F, y, x: F.exp(-x * x) * _TWO_BY_ROOT_PI,
    "_npx_erf",
    doc="The error function of each element.\n\nONNX: Erf.",
    saves=40.0,
)
smooth(
    "erfinv",
    _special.erfinv,
    lambda F, y, x: F.exp(y * y) / _TWO_BY_ROOT_PI,
    "_npx_erfinv",
    doc="""The inverse of the error function at each element; infinite at -1 and 1, NaN outside of them.

    ONNX: Log, Sqrt and a polynomial of Mul and Add.
    """,
    saves=200.0,
)
smooth(
    "gamma",
    _special.gamma,
    lambda F, y, x: F._polygamma(x, order=0) * y,
    "_npx_gamma",
    "_sparse_gamma",
    doc="""The gamma function of each element; infinite at 0, NaN at negative integers.

    ONNX: Exp and Log of an asymptotic series; Sin for its reflection at the left.
    """,
)
smooth(
    "gammaln",
    _special.gammaln,
    lambda F, y, x: F._polygamma(x, order=0),
    "_npx_gammaln",
    "_sparse_gammaln",
    doc="""The logarithm of the gamma function's absolute value at each element.

    ONNX: Log of an asymptotic series; Sin for its reflection at the left.
    """,
)


@operator("_polygamma")
class Polygamma(Operator):
    """The digamma function of each element, or its derivative of some order.

    Inputs:
        data: An array of any shape.

    Attributes:
        order: The order of the derivative; 0 is digamma itself.

    Returns:
        The shape of data.

    ONNX: Pow and ReduceSum of an asymptotic series; Sin for its reflection at the left.
    """

    elementwise = True
    takes_bool = False
    order: int = 0

    def forward(self, data: Array) -> Array:
        return _special.polygamma(data, self.order).astype(data.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (dy * F._polygamma(data, order=self.order + 1),)


# ---- activations


def _sigmoid(data: Array) -> Array:
    """To the last bits also where it is near 0, which tanh would not be."""
    result: Array = 1 / (1 + np.exp(-data))
    return result


exact(
    "relu",
    lambda x: np.maximum(x, 0),
    lambda F, dy, y, x: (dy * F._minimum_scalar(F.ceil(y), scalar=1.0),),  # NaN at NaN
    "_sparse_relu",
    doc="Each element that is positive, and 0 in place of the others.\n\nONNX: Relu.",
    by_output=True,
)
smooth(
    "sigmoid",
    _sigmoid,
    lambda F, y, x: y * (1 - y),
    "_sparse_sigmoid",
    doc="1 / (1 + exp(-x)) of each element x.\n\nONNX: Sigmoid.",
    saves=0.4,
)
smooth(
    "softsign",
    lambda x: x / (1 + abs(x)),
    lambda F, y, x: 1 / F.square(F.abs(x) + 1),
    doc="x / (1 + abs(x)) of each element x.\n\nONNX: Softsign.",
)


@operator("hard_sigmoid")
class HardSigmoid(Operator):
    """`alpha * data + beta`, cut off at 0 and 1.

    Inputs:
        data: An array of any shape, of floating-point numbers.

    Attributes:
        alpha: The slope.
        beta: The value at 0.

    Returns:
        The shape of data.

    ONNX: HardSigmoid.
    """

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
        raise DTypeError(
            f"{owner}: floating-point numbers are required, got {dtype}. Cast with astype('float32')."
        )
    return dtype


@operator("clip", "_npi_clip", "_sparse_clip")
class Clip(Operator):
    """Each element moved to the nearer of two limits if it lies outside of them.

    Inputs:
        data: An array of any shape.

    Attributes:
        a_min: The lower limit; for integers truncated and cut off to their dtype's range.
        a_max: The upper limit, likewise.

    Returns:
        The shape of data.

    ONNX: Clip.
    """

    elementwise = True
    takes_bool = False
    stores = _storage.where_zero_stays
    a_min: float
    a_max: float

    def limits(self, dtype: Any) -> tuple[Array, Array]:
        """Both limits in a dtype, truncated and cut off to its range if it is one of integers."""
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
        return (dy * F._cast_like(F._npi_equal(data, y), dy),)  # bool, if it is kept, is a quarter of data


@operator("smooth_l1", "_npx_smooth_l1")
class SmoothL1(Operator):
    """The smooth L1 loss of each element: a parabola near 0, a straight line beyond 1 / scalar ** 2.

    That is (scalar * x) ** 2 / 2 for abs(x) < 1 / scalar ** 2, else abs(x) - 0.5 / scalar ** 2.

    Inputs:
        data: An array of any shape.

    Attributes:
        scalar: How steep the parabola is, and so how near 0 it ends; for integers truncated.
        is_int: Accepted for MXNet's sake; without effect.

    Returns:
        The shape of data.

    ONNX: Abs, Less, Mul, Sub and Where.
    """

    elementwise = True
    takes_bool = False
    scalar: float = 1.0
    is_int: bool = True

    def parts(self, dtype: Any) -> tuple[float, float]:
        """The parabola's factor, and where it ends and the straight lines begin."""
        scalar = self.scalar if dtype.kind == "f" else math.trunc(self.scalar)
        return 0.5 * scalar**2, 1 / scalar**2 if scalar else math.inf

    def forward(self, data: Array) -> Array:
        x = data if data.dtype.kind == "f" else data.astype(np.float32)
        size = abs(x)
        factor, bound = self.parts(data.dtype)
        parabola = x * x * x.dtype.type(factor)
        y = np.where(size < bound, parabola, size - x.dtype.type(0.5 * bound))
        return y.astype(data.dtype, copy=False)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (dy * F.clip(data * self.scalar**2, a_min=-1.0, a_max=1.0),)


@operator("_contrib_quadratic")
class Quadratic(Operator):
    """`a * x ** 2 + b * x + c` of each element x.

    Inputs:
        data: An array of any shape.

    Attributes:
        a: The coefficient of the square.
        b: The coefficient of the element itself.
        c: The constant term.

    Returns:
        The shape of data.

    ONNX: Mul and Add.
    """

    elementwise = True
    takes_bool = False
    a: float = 0.0
    b: float = 0.0
    c: float = 0.0

    def forward(self, data: Array) -> Array:
        x = data if data.dtype.kind == "f" else data.astype(np.float32)
        a, b, c = (x.dtype.type(v) for v in (self.a, self.b, self.c))
        return np.asarray((a * x + b) * x + c).astype(data.dtype, copy=False)

    @computed_wide  # truncated as a product, not as a slope
    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (dy * (data * (2 * self.a) + self.b),)


@operator("_contrib_div_sqrt_dim")
class DivSqrtDim(Operator):
    """`data` divided by the square root of the size of its last axis, as attention scales its queries.

    Inputs:
        data: An array of at least one axis, of floating-point numbers.

    Returns:
        The shape of data.

    ONNX: Div.
    """

    takes_ints = False  # MXNet divides them by the root without its fraction

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs

    def infer_shape(self, data: Shape) -> Shape:
        if not data:
            raise ShapeError("_contrib_div_sqrt_dim: data of at least 1 axis is required, got ().")
        return data

    def forward(self, data: Array) -> Array:
        result: Array = data / data.dtype.type(math.sqrt(data.shape[-1]))
        return result

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._contrib_div_sqrt_dim(dy),)


# ---- identities, losses and constants

unary(
    "logical_not",
    lambda x: (x == 0).astype(x.dtype),
    _CONSTANT,
    takes_bool=False,
    doc="1 where an element is 0, and 0 elsewhere, in the dtype of data.\n\nONNX: Equal, with Cast.",
)
unary(
    "_copy",
    lambda x: x,
    lambda F, dy, y, x: (dy,),
    "identity",
    takes_extensions=True,
    stores=_storage.as_first,
    doc="A copy of `data`.\n\nONNX: Identity.",
)
unary(
    "_copyto",
    lambda x: x,
    lambda F, dy, y, x: (dy,),
    "_npi_copyto",
    doc="A copy of `data`, by the name for one to another device.\n\nONNX: Identity.",
)
unary(
    "BlockGrad",
    lambda x: x,
    "it stops gradients",
    "_sparse_stop_gradient",
    "stop_gradient",
    doc="`data` as it is, through which no gradient flows back.\n\nONNX: Identity.",
)
unary(
    "ones_like",
    np.ones_like,
    "it is constant",
    doc="1 in the shape and dtype of `data`.\n\nONNX: ConstantOfShape.",
)
unary(
    "zeros_like",
    zeros,
    "it is constant",
    "_sparse_zeros_like",
    takes_extensions=True,
    stores=_storage.nothing,
    doc="0 in the shape and dtype of `data`.\n\nONNX: ConstantOfShape.",
)
unary(
    "make_loss",
    lambda x: x,
    lambda F, dy, y, x: (F.ones_like(x),),
    "_sparse_make_loss",
    outputs=("loss",),
    ignores_head=True,
    doc="`data` as it is, whose gradient is 1, whatever that of the output.\n\nONNX: Identity.",
)


@operator("MakeLoss")
class MakeLoss(Operator):
    """`data` as it is, whose gradient is `grad_scale`, whatever that of the output.

    Inputs:
        data: An array of any shape, of floating-point numbers.

    Attributes:
        grad_scale: The gradient, before it is normalized.
        valid_thresh: What an element must exceed to be valid.
        normalization: What the gradient is divided by: "null" nothing, "batch" the size of the first axis,
            "valid" the number of valid elements, or 1 if there are none.

    Returns:
        The shape of data.

    ONNX: Identity.
    """

    elementwise = True
    ignores_head = True
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
