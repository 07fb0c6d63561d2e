"""Arithmetic of two arrays as mx.np has it: dtypes are promoted, quotients of integers are float32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..dtypes import DType
from ..errors import DTypeError
from . import binary  # the operators that these are other forms of
from ._arithmetic import modulo, power
from ._operator import Array, record
from ._rows import Broadcasting, Rule, row, rule_facets, variant
from ._slopes import times_slope, widened

__all__ = ["Promoting", "binary", "promoted"]

_CONSTANT = "it is piecewise constant"
_LN2 = float(np.log(2))


def promoted(owner: str, a: DType, b: DType) -> DType:
    """The dtype that two are computed in: floating-point before integers before bool, then the wider one."""
    if a == b:
        return a
    ranks = [("biuf".index(d.kind) - (d.kind == "u"), d.itemsize) for d in (a, b)]
    if ranks[0] == ranks[1]:
        raise DTypeError(
            f"{owner}: dtypes of which one holds the other's are required, got {a} and {b}. Cast with astype."
        )
    return a if ranks[0] > ranks[1] else b


@record
class Promoting(Broadcasting):
    """A function of the elements of two arrays, of one dtype or of dtypes that are promoted.

    Inputs:
        lhs: The first operand, of any shape.
        rhs: The second operand; each axis, counted from the last, is as long as that of lhs, unless one of
            the two has length 1 or is absent.
    """

    takes_bool: ClassVar[bool] = True
    quotient: ClassVar[bool] = False
    """Whether what is computed of integers is float32."""

    def infer_input_dtypes(self, lhs: DType | None, rhs: DType | None) -> Sequence[DType | None]:
        if lhs is None or rhs is None:
            known = lhs or rhs
            return known, known
        return lhs, rhs

    def infer_dtype(self, lhs: DType | None, rhs: DType | None) -> DType | None:
        if lhs is None or rhs is None:
            return None
        return self.dtype_for(lhs, rhs)

    def dtype_for(self, lhs: DType, rhs: DType) -> DType:
        """The dtype that is computed in."""
        dtype = promoted(self.names[0], lhs, rhs)
        if dtype.kind == "b" and not self.takes_bool:
            raise DTypeError(f"{self.names[0]}: numbers are required, got bool. Cast with astype.")
        return np.dtype("float32") if self.quotient and dtype.kind != "f" else dtype

    def forward(self, lhs: Array, rhs: Array) -> Array:
        dtype = (
            lhs.dtype
            if lhs.dtype == rhs.dtype and lhs.dtype.kind == "f"
            else self.dtype_for(lhs.dtype, rhs.dtype)
        )
        a, b = lhs.astype(dtype, copy=False), rhs.astype(dtype, copy=False)
        return np.asarray(self.fn(a, b)).astype(dtype, copy=False)

    def gradient(self, F: Any, dy: Any, y: Any, lhs: Any, rhs: Any) -> Sequence[Any]:
        if getattr(y, "dtype", None) == np.bool_:
            return None, None
        if getattr(lhs, "dtype", 0) == getattr(rhs, "dtype", 1) == getattr(dy, "dtype", 2):
            return self.rule(F, dy, y, lhs, rhs)
        shares = self.rule(F, dy, y, F._cast_like(lhs, y), F._cast_like(rhs, y))
        return [None if s is None else F._cast_like(s, x) for s, x in zip(shares, (lhs, rhs), strict=True)]


def promoting(
    name: str,
    fn: Callable[[Array, Array], Array],
    rule: Rule | str,
    doc: str,
    base: type[Promoting] = Promoting,
    **facets: Any,
) -> None:
    """An operator of two arrays that broadcast and are promoted. `rule(F, dy, y, lhs, rhs)`."""
    row(base, (name,), doc, fn=staticmethod(fn), **rule_facets(rule), **facets)


def _power_rule(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    m, n = widened(F, a), widened(F, b)
    return times_slope(F, dy, n * m ** (n - 1), a), times_slope(F, dy, F._power_log(m, n), a)


def _quotient_rule(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    share = dy / b
    return share, -share * a / b


promoting(
    "_npi_add",
    np.add,
    lambda F, dy, y, a, b: (dy, dy),
    """The sum lhs + rhs of two arrays that broadcast and are promoted; of bool whether either is true.

    ONNX: Add, Cast; Or.
    """,
)
promoting(
    "_npi_subtract",
    np.subtract,
    lambda F, dy, y, a, b: (dy, -dy),
    """The difference lhs - rhs of two arrays that broadcast and are promoted.

    ONNX: Sub, Cast.
    """,
    takes_bool=False,
)
promoting(
    "_npi_multiply",
    np.multiply,
    lambda F, dy, y, a, b: (dy * b, dy * a),
    """The product lhs * rhs of two arrays that broadcast and are promoted; of bool whether both are true.

    ONNX: Mul, Cast; And.
    """,
)
promoting(
    "_npi_true_divide",
    np.true_divide,
    _quotient_rule,
    """The quotient lhs / rhs of two arrays that broadcast and are promoted; of integers in float32.

    ONNX: Div, Cast.
    """,
    quotient=True,
)
promoting(
    "_npi_mod",
    modulo,
    lambda F, dy, y, a, b: (dy, -dy * F.floor(a / b)),
    """The remainder of lhs / rhs, with the divisor's sign, of two arrays that broadcast and are promoted.

    Where the divisor is zero the remainder is 0, of floating-point numbers as well.

    ONNX: Mod, with Equal and Where for divisors of zero, and Add for the sign.
    """,
    takes_bool=False,
)
promoting(
    "_npi_power",
    power,
    _power_rule,
    """The power lhs ** rhs of two arrays that broadcast and are promoted.

    Powers of integers are computed in float64 and truncated.

    ONNX: Pow, Cast.
    """,
    takes_bool=False,
)


def _copysign_rule(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    one = F.ones_like(a)
    return dy * F._npi_copysign(one, a) * F._npi_copysign(one, b), None


promoting(
    "_npi_copysign",
    np.copysign,
    _copysign_rule,
    """The size of lhs with the sign of rhs, for two arrays that broadcast.

    ONNX: Reciprocal, Add, Less, Xor, Where and Mul.
    """,
    takes_bool=False,
)
promoting(
    "_npi_ldexp",
    lambda a, b: a * np.exp2(b),
    lambda F, dy, y, a, b: (dy * F._rpower_scalar(b, scalar=2.0), dy * y * _LN2),
    """The product lhs * 2 ** rhs, for two arrays that broadcast.

    ONNX: Pow and Mul.
    """,
    takes_ints=False,
    takes_bool=False,
)


# ---- of floating-point numbers of one dtype


def _arctan2_rule(F: Any, dy: Any, y: Any, a: Any, b: Any) -> Sequence[Any]:
    square = a * a + b * b
    return dy * b / square, -dy * a / square


row(
    Broadcasting,
    ("_npi_arctan2",),
    """The angle of the point (x2, x1), for two arrays that broadcast.

    Inputs:
        x1: The second coordinate, of any shape.
        x2: The first coordinate, of x1's dtype, of a shape that broadcasts with x1's.

    Returns:
        The shape that both broadcast to; angles in [-π, π].

    ONNX: Atan of the quotient, with Less, Equal and Where for the other half of the plane.
    """,
    depth=1,
    fn=staticmethod(np.arctan2),
    inputs=("x1", "x2"),
    takes_ints=False,
    **rule_facets(_arctan2_rule),
)
variant("_npi_hypot", "broadcast_hypot", inputs="x1 x2", takes_ints=False)


# ---- of integers


@record
class Bits(Broadcasting):
    """A function of the bits of two arrays of bool or integers, of one dtype."""

    def infer_dtype(self, lhs: DType | None, rhs: DType | None) -> DType | None:
        if lhs is not None and lhs.kind == "f":
            raise DTypeError(f"{self.names[0]}: bool or integers are required, got {lhs}. Cast with astype.")
        return lhs


for _name, _fn, _word, _onnx in (
    ("and", np.bitwise_and, "in both of", "BitwiseAnd, and And of bool"),
    ("or", np.bitwise_or, "in either of", "BitwiseOr, and Or of bool"),
    ("xor", np.bitwise_xor, "in just one of", "BitwiseXor, and Xor of bool"),
):
    row(
        Bits,
        (f"_npi_bitwise_{_name}",),
        f"The bits that are set {_word} lhs and rhs, for two arrays that broadcast.\n\nONNX: {_onnx}.",
        depth=1,
        fn=staticmethod(_fn),
        takes_bool=True,
        **rule_facets(_CONSTANT),
    )
row(
    Bits,
    ("_npi_lcm",),
    """The least common multiple of lhs and rhs, for two arrays of integers that broadcast.

    ONNX: none; ONNX has no common divisors.
    """,
    depth=1,
    fn=staticmethod(np.lcm),
    not_in_onnx="ONNX has no common divisors",
    **rule_facets(_CONSTANT),
)
