"""Comparisons and logic; the result is 0 or 1 in the dtype of the input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..dtypes import DType
from . import _storage
from ._operator import Array, Operator
from ._registry import operator
from ._rows import binary, scalar
from ._shapes import Shape, unify

_CONSTANT = "it is piecewise constant"

Kernel = Callable[[Any, Any], Array]


def three(stem: str, fn: Kernel, alias: str, condition: str, onnx: str) -> None:
    """One comparison in its forms: for arrays of one shape, for arrays that broadcast, and for a number.

    `condition` is a phrase with the two operands left open, and `onnx` names what the comparison becomes.
    """
    broadcasting = f"broadcast_{stem}"
    hint = f"Use {broadcasting}, which broadcasts."
    arrays, number = condition.format("lhs", "rhs"), condition.format("data", "the scalar")
    lowered = f"ONNX: {onnx}, then Cast."
    binary(
        f"_{stem}",
        fn,
        _CONSTANT,
        f"_{alias}",
        elementwise=True,
        hint=hint,
        doc=f"1 where {arrays}, else 0, for arrays of one shape, in their dtype.\n\n{lowered}",
    )
    binary(
        broadcasting,
        fn,
        _CONSTANT,
        doc=f"1 where {arrays}, else 0, for arrays that broadcast, in their dtype.\n\n{lowered}",
    )
    scalar(
        f"_{stem}_scalar",
        fn,
        _CONSTANT,
        f"_{alias.replace('_', '')}Scalar",
        stores=_storage.where_zero_stays,
        doc=f"1 where {number}, else 0, in the dtype that the two are compared in.\n\n{lowered}",
    )


three("equal", np.equal, "Equal", "{} equals {}", "Equal")
three("not_equal", np.not_equal, "Not_Equal", "{} differs from {}", "Equal and Not")
three("greater", np.greater, "Greater", "{} is greater than {}", "Greater")
three("greater_equal", np.greater_equal, "Greater_Equal", "{} is at least {}", "GreaterOrEqual")
three("lesser", np.less, "Lesser", "{} is less than {}", "Less")
three("lesser_equal", np.less_equal, "Lesser_Equal", "{} is at most {}", "LessOrEqual")
three("logical_and", np.logical_and, "Logical_And", "{} and {} are both not zero", "Cast to bool, And")
three("logical_or", np.logical_or, "Logical_Or", "{} or {} is not zero", "Cast to bool, Or")
three("logical_xor", np.logical_xor, "Logical_Xor", "exactly one of {} and {} is zero", "Cast to bool, Xor")


@operator("_contrib_allclose")
class AllClose(Operator):
    """1 if all elements of two arrays of one shape are close, that is |a - b| ≤ atol + rtol |b|, else 0.

    As in MXNet every number is close to an infinite b, whatever its sign.

    Inputs:
        a: An array.
        b: An array.

    Attributes:
        rtol: What the difference may be for each unit of b.
        atol: What it may be beside that.
        equal_nan: Whether NaN is close to NaN.

    Returns:
        One number of dtype uint8, without axes.

    ONNX: LessOrEqual, Equal, Or, Not, Cast and ReduceSum.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a", "b")
    not_differentiable: ClassVar[str] = _CONSTANT
    takes_bool: ClassVar[bool] = False
    rtol: float = 1e-5
    atol: float = 1e-8
    equal_nan: bool = True

    def infer_inputs(self, a: Shape | None, b: Shape | None) -> tuple[Shape | None, Shape | None]:
        one = unify(self.names[0], a, b)
        return one, one

    def infer_shape(self, a: Shape, b: Shape) -> Shape:
        return ()

    def infer_dtype(self, *_: DType | None) -> DType:
        return np.dtype("uint8")

    def forward(self, a: Array, b: Array) -> Array:
        x, y = a.astype(np.float64), b.astype(np.float64)
        close = (x == y) | (abs(x - y) <= self.atol + self.rtol * abs(y))
        if self.equal_nan:
            close |= np.isnan(x) & np.isnan(y)
        return np.asarray(close.all()).astype(np.uint8)
