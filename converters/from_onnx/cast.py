"""Imports of changes of dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto

from ..elements import dtype_of
from ._registry import imports


@imports("Cast", versions=(1,))
def cast_by_name(F: Any, x: Any, *, to: str) -> Any:
    """The version that names the dtype."""
    return cast(F, x, to=TensorProto.DataType.Value(to.upper()))


@imports("Cast", versions=(6, 9, 13, 19, 21, 23, 24, 25, 28))
def cast(F: Any, x: Any, *, to: int, saturate: int = 1, round_mode: str = "up") -> Any:
    """To bool it is a comparison, as other values that are bool in ONNX are."""
    dtype = dtype_of(to)
    if dtype == np.bool_:
        return x if F.dtype(x) == np.bool_ else x != 0
    return F.Cast(x, dtype=dtype.name)
