"""Arithmetic of an array and a number as mx.np has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import DType
from ..errors import DTypeError
from . import scalar as with_numbers  # the operators that these are other names of
from ._arithmetic import power
from ._operator import Array, Operator
from ._rows import Scalar, row, rule_facets, variant

__all__ = ["power", "with_numbers"]

_CONSTANT = "it is piecewise constant"
_LN2 = float(np.log(2))

for _name, _base in (
    ("add", "_plus"),
    ("subtract", "_minus"),
    ("rsubtract", "_rminus"),
    ("multiply", "_mul"),
    ("mod", "_mod"),
    ("rmod", "_rmod"),
    ("power", "_power"),
    ("rpower", "_rpower"),
):
    variant(f"_npi_{_name}_scalar", f"{_base}_scalar")


# ---- quotients, of integers in float32


def _float(self: Operator, data: DType | None) -> DType | None:
    return data if data is None or data.kind == "f" else np.dtype("float32")


def _quotient(name: str, fn: Callable[[Array, Any], Array], rule: Any, doc: str) -> None:
    row(
        Scalar,
        (name,),
        doc,
        infer_dtype=_float,
        fn=staticmethod(fn),
        gradient=_cast_gradient,
        rule=staticmethod(rule),
    )


def _cast_gradient(self: Any, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
    if getattr(data, "dtype", 0) == getattr(dy, "dtype", 1):
        shares: Sequence[Any] = self.rule(F, dy, y, data, self.scalar)
        return shares
    (share,) = self.rule(F, dy, y, F._cast_like(data, dy), self.scalar)
    return (F._cast_like(share, data),)


_quotient(
    "_npi_true_divide_scalar",
    np.true_divide,
    lambda F, dy, y, x, s: (F._npi_true_divide_scalar(dy, scalar=s),),
    """`data` divided by `scalar`; of integers in float32.

    ONNX: Div.
    """,
)
_quotient(
    "_npi_rtrue_divide_scalar",
    lambda x, s: np.true_divide(s, x),
    lambda F, dy, y, x, s: (-dy * y / x,),
    """`scalar` divided by `data`; of integers in float32.

    ONNX: Div.
    """,
)


# ---- of floating-point numbers


def _of_floats(name: str, fn: Callable[[Array, Any], Array], rule: Any, doc: str, **facets: Any) -> None:
    row(
        Scalar,
        (name,),
        doc,
        fn=staticmethod(fn),
        takes_bool=False,
        **{"takes_ints": False, **facets},
        **rule_facets(rule),
    )


_of_floats(
    "_npi_arctan2_scalar",
    np.arctan2,
    lambda F, dy, y, x, s: (dy * s / (x * x + s * s),),
    """The angle of the point (`scalar`, `data`).

    ONNX: Atan, with Abs, Sign, Reciprocal, Less, Equal and Where.
    """,
)
_of_floats(
    "_npi_rarctan2_scalar",
    lambda x, s: np.arctan2(s, x),
    lambda F, dy, y, x, s: (-dy * s / (x * x + s * s),),
    """The angle of the point (`data`, `scalar`).

    ONNX: Atan, with Abs, Sign, Reciprocal, Less, Equal and Where.
    """,
)
_of_floats(
    "_npi_ldexp_scalar",
    lambda x, s: x * np.exp2(s),
    lambda F, dy, y, x, s: (dy * 2.0**s,),
    """`data` times 2 ** `scalar`.

    ONNX: Mul.
    """,
)
_of_floats(
    "_npi_rldexp_scalar",
    lambda x, s: s * np.exp2(x),
    lambda F, dy, y, x, s: (dy * y * _LN2,),
    """`scalar` times 2 ** `data`.

    ONNX: Pow and Mul.
    """,
)
_of_floats(
    "_npi_copysign_scalar",
    np.copysign,
    lambda F, dy, y, x, s: (
        dy * F._npi_copysign(F.ones_like(x), x) * (1.0 if np.copysign(1, s) > 0 else -1.0),
    ),
    """The size of `data` with the sign of `scalar`.

    ONNX: Reciprocal, Add, Less, Where and Mul.
    """,
    takes_ints=True,
)
_of_floats(
    "_npi_rcopysign_scalar",
    lambda x, s: np.copysign(s, x),
    _CONSTANT,
    """The size of `scalar` with the sign of `data`.

    ONNX: Reciprocal, Add, Less and Where.
    """,
    takes_ints=True,
)


# ---- bits and multiples of integers


def _integers(self: Operator, data: DType | None) -> DType | None:
    if data is not None and data.kind == "f":
        raise DTypeError(f"{self.names[0]}: bool or integers are required, got {data}. Cast with astype.")
    return data


for _name, _fn, _word, _onnx in (
    ("and", np.bitwise_and, "in both of", "BitwiseAnd, and And of bool"),
    ("or", np.bitwise_or, "in either of", "BitwiseOr, and Or of bool"),
    ("xor", np.bitwise_xor, "in just one of", "BitwiseXor, and Xor of bool"),
):
    row(
        Scalar,
        (f"_npi_bitwise_{_name}_scalar",),
        f"The bits that are set {_word} `data` and `scalar`.\n\nONNX: {_onnx}.",
        depth=1,
        infer_dtype=_integers,
        fn=staticmethod(_fn),
        **rule_facets(_CONSTANT),
    )
row(
    Scalar,
    ("_npi_lcm_scalar",),
    """The least common multiple of `data`, of integers, and `scalar`.

    ONNX: none; ONNX has no common divisors.
    """,
    depth=1,
    infer_dtype=_integers,
    fn=staticmethod(np.lcm),
    takes_bool=False,
    not_in_onnx="ONNX has no common divisors",
    **rule_facets(_CONSTANT),
)
