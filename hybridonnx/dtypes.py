"""Element types: NumPy dtypes, MXNet's type flags, and their names."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from .errors import DTypeError, suggest

DType: TypeAlias = np.dtype[Any]
DTypeLike: TypeAlias = str | type[np.generic] | type[bool] | type[int] | type[float] | np.dtype[Any]
"""What users may say for a dtype: a name, a type of NumPy's or Python's, or a dtype."""

FLAGS: dict[int, DType] = {
    0: np.dtype("float32"),
    1: np.dtype("float64"),
    2: np.dtype("float16"),
    3: np.dtype("uint8"),
    4: np.dtype("int32"),
    5: np.dtype("int8"),
    6: np.dtype("int64"),
    7: np.dtype("bool"),
}
"""Type flag of MXNet's files to NumPy dtype."""

BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in FLAGS.values()}
_FLAG_OF: dict[DType, int] = {dtype: flag for flag, dtype in FLAGS.items()}

float32: DType = FLAGS[0]


def as_dtype(dtype: DTypeLike | None) -> DType:
    """The NumPy dtype of a name, a type or a dtype; `None` is float32. Raises `DTypeError` if unsupported."""
    if dtype is None:
        return float32
    candidate: DType | None
    try:
        candidate = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        candidate = None
    if candidate is None or candidate not in _FLAG_OF:
        near = suggest(str(dtype)[:80], BY_NAME)
        raise DTypeError(f"dtype: one of {', '.join(BY_NAME)} is required, got {repr(dtype)[:80]}.{near}")
    return candidate


def flag_of(dtype: DType) -> int:
    """MXNet's type flag of a dtype."""
    return _FLAG_OF[as_dtype(dtype)]
