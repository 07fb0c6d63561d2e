"""Functions of each element of one array as mx.np has them, among them those whose results are bool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..attrs import DTypeName
from ..dtypes import DType, as_dtype
from ..errors import DTypeError
from . import activation, cast, unary  # the operators that these are other names of
from ._operator import Array, Operator
from ._registry import operator
from ._rows import Unary, row, variant
from ._shapes import Shape

__all__ = ["activation", "cast", "unary"]

_CONSTANT = "it is piecewise constant"

for _name in (
    "arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh degrees exp expm1 fix floor log log10 "
    "log1p log2 negative radians reciprocal rint sign sin sinh sqrt square tan tanh trunc"
).split():
    variant(f"_npi_{_name}", _name, inputs="x")
variant("_npi_absolute", "abs", "_npi_abs", inputs="x")
variant("_npx_relu", "relu")
variant("_npx_sigmoid", "sigmoid")
variant("_np_copy", "_copy", inputs="a")


# ---- truth


def truth(name: str, fn: Callable[[Array], Array], doc: str, takes_bool: bool = False) -> None:
    """A function of each element that gives bool."""
    row(
        Unary,
        (name,),
        f"{doc}\n\nInputs:\n    x: Of any shape.\n\nReturns:\n    bool, the shape of x.",
        inputs=("x",),
        fn=staticmethod(fn),
        infer_dtype=_bool,
        takes_bool=takes_bool,
        not_differentiable=_CONSTANT,
    )


def _bool(self: Operator, *_: DType | None) -> DType:
    return np.dtype(np.bool_)


def _of_floats(fn: Callable[[Array], Any], otherwise: bool = False) -> Callable[[Array], Array]:
    """The function of floating-point numbers; integers are finite, and no numbers that are not."""

    def kernel(x: Array) -> Array:
        return np.asarray(fn(x) if x.dtype.kind == "f" else np.full(x.shape, otherwise))

    return kernel


truth(
    "_npi_logical_not", np.logical_not, "Whether each element is zero.\n\nONNX: Cast, Not.", takes_bool=True
)
truth(
    "_npi_isnan",
    _of_floats(np.isnan),
    "Whether each element is NaN.\n\nONNX: IsNaN; of integers Not and Equal.",
)
truth("_npi_isinf", _of_floats(np.isinf), "Whether each element is infinite.\n\nONNX: Abs, Equal.")
truth(
    "_npi_isposinf", _of_floats(np.isposinf), "Whether each element is infinite and positive.\n\nONNX: Equal."
)
truth(
    "_npi_isneginf", _of_floats(np.isneginf), "Whether each element is infinite and negative.\n\nONNX: Equal."
)
truth("_npi_isfinite", _of_floats(np.isfinite, True), "Whether each element is finite.\n\nONNX: Abs, Less.")


@operator("_npi_bitwise_not")
class BitwiseNot(Operator):
    """The complement of each element: of bool whether it is false, of integers by bits.

    Inputs:
        x: Of bool or integers, of any shape.

    Returns:
        The shape of x.

    ONNX: Not; of integers Sub.
    """

    elementwise = True
    inputs = ("x",)
    not_differentiable = _CONSTANT

    def infer_dtype(self, x: DType | None) -> DType | None:
        if x is not None and x.kind == "f":
            raise DTypeError(f"{self.names[0]}: bool or integers are required, got {x}. Cast with astype.")
        return x

    def forward(self, x: Array) -> Array:
        return np.asarray(np.invert(x))


@operator("_npi_around")
class Around(Operator):
    """Each element rounded to a number of decimals, halves to the even neighbour.

    Inputs:
        x: Of any shape.

    Attributes:
        decimals: How many digits stay behind the point; negative ones before it.

    Returns:
        The shape of x; integers stay as they are.

    ONNX: Mul, Round and Div.
    """

    elementwise = True
    takes_bool = False
    inputs = ("x",)
    not_differentiable = _CONSTANT
    decimals: int = 0

    def forward(self, x: Array) -> Array:
        if x.dtype.kind != "f":
            return x
        scale = x.dtype.type(10.0 ** abs(self.decimals))
        y = np.rint(x * scale) / scale if self.decimals >= 0 else np.rint(x / scale) * scale
        return np.asarray(y, x.dtype)


@operator("_npi_nan_to_num")
class NanToNum(Operator):
    """Each element, with numbers in place of NaN and the infinities.

    Inputs:
        data: Of any shape.

    Attributes:
        copy: Without effect: the input never changes.
        nan: What stands for NaN.
        posinf: What stands for infinity; None: the largest number of the dtype.
        neginf: What stands for minus infinity; None: the lowest.

    Returns:
        The shape of data; integers stay as they are.

    ONNX: IsNaN, Equal and Where.
    """

    elementwise = True
    takes_bool = False
    copy: bool = True
    nan: float = 0.0
    posinf: float | None = None
    neginf: float | None = None

    def limits(self, dtype: DType) -> tuple[float, float]:
        """What stands for the infinities."""
        info = np.finfo(dtype)
        low = float(info.min) if self.neginf is None else self.neginf
        return low, float(info.max) if self.posinf is None else self.posinf

    def forward(self, data: Array) -> Array:
        if data.dtype.kind != "f":
            return data
        low, high = self.limits(data.dtype)
        return np.nan_to_num(data, copy=True, nan=self.nan, posinf=high, neginf=low).astype(data.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F.where(F.abs(data) < float("inf"), dy, F.zeros_like(dy)),)


@operator("_npi_full_like")
class FullLike(Operator):
    """An array of one value with the shape of another array.

    Inputs:
        a: Of any shape; its values do not matter.

    Attributes:
        fill_value: The value.
        ctx: The device of the output; that of a.
        dtype: The output's dtype; None: that of a.

    Returns:
        The shape of a.

    ONNX: ConstantOfShape.
    """

    elementwise = True
    inputs: ClassVar[tuple[str, ...]] = ("a",)
    not_differentiable = "it is constant"
    fill_value: float
    ctx: str = ""
    dtype: DTypeName | None = None

    def infer_shape(self, a: Shape) -> Shape:
        return a

    def infer_dtype(self, a: DType | None) -> DType | None:
        return a if self.dtype is None else as_dtype(self.dtype)

    def forward(self, a: Array) -> Array:
        return np.full(a.shape, np.asarray(self.fill_value), self.infer_dtype(a.dtype))
