"""Names that NumPy had when MXNet was written, and that NumPy 2 has no more: for scripts as they are.

    import hybridonnx.old_numpy       # np.float, np.Inf, np.product … are there from now on

With HYBRIDONNX_OLD_NUMPY=1, or `hybridonnx run --old-numpy script.py`, `hybridonnx.as_mxnet` does that. It
changes NumPy for the whole process. What NumPy still has stays NumPy's; what changed its meaning stays so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["NAMES"]


def _asscalar(a: Any) -> Any:
    return np.asarray(a).item()


def _asfarray(a: Any, dtype: Any = np.float64) -> Any:
    return np.asarray(a, dtype if np.issubdtype(dtype, np.inexact) else np.float64)


def _in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    return np.isin(np.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def _msort(a: Any) -> Any:
    return np.sort(a, axis=0)


def _of_bytes(fromstring: Callable[..., Any]) -> Callable[..., Any]:
    """`np.fromstring` that takes the bytes of numbers, too, as it did."""

    def function(string: Any, dtype: Any = float, count: int = -1, *, sep: str = "", like: Any = None) -> Any:
        if sep:
            return fromstring(string, dtype, count, sep=sep)
        data = string.encode("latin-1") if isinstance(string, str) else string
        return np.frombuffer(data, dtype, count).copy()

    return function


def _of_parts(save: Callable[..., Any]) -> Callable[..., Any]:
    """`np.save` that takes a list of arrays of several shapes, too, as it did: it holds these as objects."""

    def function(file: Any, arr: Any, allow_pickle: bool = True, **more: Any) -> None:
        if allow_pickle and isinstance(arr, list | tuple) and len({np.shape(part) for part in arr}) > 1:
            parts = np.empty(len(arr), object)
            parts[:] = arr
            arr = parts
        save(file, arr, allow_pickle, **more)

    return function


NAMES: dict[str, Any] = {
    "float": float,
    "int": int,
    "object": object,
    "str": str,
    "complex": complex,
    "unicode": str,
    "float_": np.float64,
    "complex_": np.complex128,
    "string_": np.bytes_,
    "unicode_": np.str_,
    "int0": np.intp,
    "uint0": np.uintp,
    "Inf": np.inf,
    "Infinity": np.inf,
    "infty": np.inf,
    "PINF": np.inf,
    "NINF": -np.inf,
    "NaN": np.nan,
    "NAN": np.nan,
    "PZERO": 0.0,
    "NZERO": -0.0,
    "math": math,
    "product": np.prod,
    "cumproduct": np.cumprod,
    "sometrue": np.any,
    "alltrue": np.all,
    "round_": np.round,
    "row_stack": np.vstack,
    "trapz": getattr(np, "trapezoid", None),  # which NumPy 1 has under that name
    "mat": np.asmatrix,
    "in1d": _in1d,
    "msort": _msort,
    "asscalar": _asscalar,
    "asfarray": _asfarray,
}
"""What is set where NumPy has no such name."""


def _restore() -> None:
    present = vars(np)
    for name, value in NAMES.items():
        if name not in present:
            setattr(np, name, value)
    for name, wrap in (("fromstring", _of_bytes), ("save", _of_parts)):
        present_one = getattr(np, name)
        if not hasattr(present_one, "__hybridonnx__"):
            function = wrap(present_one)
            function.__hybridonnx__ = True  # type: ignore[attr-defined]
            setattr(np, name, function)


_restore()
