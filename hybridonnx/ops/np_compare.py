"""Comparisons as mx.np has them, whose results are bool."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import DType
from ._operator import Array, Operator
from ._rows import Broadcasting, Scalar, row, rule_facets

_CONSTANT = "it is piecewise constant"


def _bool(self: Operator, *_: DType | None) -> DType:
    return np.dtype(np.bool_)


def _with_number(self: Any, data: Array) -> Array:
    dtype = self.compared_in(data.dtype)
    return np.asarray(self.fn(data.astype(dtype, copy=False), np.asarray(self.scalar).astype(dtype)))


def _compared_in(self: Any, data: DType) -> DType:
    """The dtype of both: integers are compared with the number itself, in float64."""
    return data if data.kind == "f" else np.dtype("float64")


def _forward(self: Any, lhs: Array, rhs: Array) -> Array:
    return np.asarray(self.fn(lhs, rhs))


for _name, _fn, _phrase, _onnx in (
    ("equal", np.equal, "{} equals {}", "Equal"),
    ("not_equal", np.not_equal, "{} differs from {}", "Equal and Not"),
    ("greater", np.greater, "{} is greater than {}", "Greater"),
    ("greater_equal", np.greater_equal, "{} is at least {}", "GreaterOrEqual"),
    ("less", np.less, "{} is less than {}", "Less"),
    ("less_equal", np.less_equal, "{} is at most {}", "LessOrEqual"),
):
    row(
        Broadcasting,
        (f"_npi_{_name}",),
        f"Whether {_phrase.format('lhs', 'rhs')}, as bool, for arrays that broadcast.\n\nONNX: {_onnx}.",
        depth=1,
        fn=staticmethod(_fn),
        forward=_forward,
        infer_dtype=_bool,
        takes_bool=True,
        **rule_facets(_CONSTANT),
    )
    row(
        Scalar,
        (f"_npi_{_name}_scalar",),
        f"Whether {_phrase.format('data', 'the scalar')}, as bool.\n\n"
        "Attributes:\n    is_int: Without effect: integers are compared with the number itself.\n\n"
        f"ONNX: {_onnx}.",
        depth=1,
        fn=staticmethod(_fn),
        forward=_with_number,
        compared_in=_compared_in,
        infer_dtype=_bool,
        **rule_facets(_CONSTANT),
    )
