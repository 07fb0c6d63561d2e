"""Changes of dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..attrs import DTypeName
from ..dtypes import DType, as_dtype
from ..errors import DTypeError
from ._operator import Array, Operator
from ._registry import operator

_SMALL = (np.dtype("int8"), np.dtype("uint8"))


def cast(data: Array, dtype: DType) -> Array:
    """`data` in another dtype as C casts it: towards zero, small whole numbers by their last bits."""
    with np.errstate(invalid="ignore", over="ignore"):
        if data.dtype.kind == "f" and dtype in _SMALL:
            data = data.astype(np.int32)
        return data.astype(dtype)


@operator("Cast", "_npi_cast", "_npx_cast", "cast")
class Cast(Operator):
    """`data` of any shape as `dtype`, real numbers truncated towards zero to whole ones."""

    elementwise: ClassVar[bool] = True
    dtype: DTypeName

    def infer_dtype(self, data: DType | None) -> DType:
        return as_dtype(self.dtype)

    def forward(self, data: Array) -> Array:
        return cast(data, as_dtype(self.dtype))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._cast_like(dy, data),)


@operator("_cast_like")
class CastLike(Operator):
    """`data` of any shape in the dtype of `like`."""

    inputs: ClassVar[tuple[str, ...]] = ("data", "like")

    def infer_input_dtypes(self, data: Any, like: Any) -> Sequence[DType | None]:
        return data, like

    def infer_dtype(self, data: DType | None, like: DType | None) -> DType | None:
        return like

    def forward(self, data: Array, like: Array) -> Array:
        return data if data.dtype == like.dtype else cast(data, like.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, like: Any) -> Sequence[Any]:
        return F._cast_like(dy, data), None


@operator("amp_cast")
class AmpCast(Operator):
    """`data` of any shape as `dtype` if it holds real numbers, else unchanged."""

    mixes_precision: ClassVar[bool] = True
    elementwise: ClassVar[bool] = True
    dtype: DTypeName

    def infer_dtype(self, data: DType | None) -> DType | None:
        return as_dtype(self.dtype) if data is not None and data.kind == "f" else data

    def forward(self, data: Array) -> Array:
        return cast(data, as_dtype(self.dtype)) if data.dtype.kind == "f" else data

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._cast_like(dy, data),)


@operator("amp_multicast")
class AmpMulticast(Operator):
    """The inputs, of any shapes, all in the widest real dtype among them (with cast_narrow the narrowest)."""

    mixes_precision: ClassVar[bool] = True
    variadic: ClassVar[str] = "num_outputs"
    num_outputs: int
    cast_narrow: bool = False

    def input_names(self) -> tuple[str, ...]:
        return tuple(f"data_{i}" for i in range(self.num_outputs))

    def output_names(self) -> tuple[str, ...]:
        return tuple(f"output{i}" for i in range(self.num_outputs))

    def infer_shape(self, *shapes: Any) -> Any:
        return list(shapes)

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        whole = [d for d in dtypes if d is not None and d.kind != "f"]
        if whole:
            raise DTypeError(f"amp_multicast: real numbers are required, got {whole[0]}.")
        return dtypes

    def infer_dtype(self, *dtypes: DType | None) -> DType | None:
        found = [d for d in dtypes if d is not None]
        if len(found) < len(dtypes):
            return None
        choose = min if self.cast_narrow else max
        return choose(found, key=lambda d: d.itemsize)

    def forward(self, *data: Array) -> tuple[Array, ...]:
        dtype = self.infer_dtype(*(x.dtype for x in data))
        assert dtype is not None  # the arrays have dtypes
        return tuple(cast(x, dtype) for x in data)

    def gradient(self, F: Any, dy: Any, y: Any, *data: Any) -> Sequence[Any]:
        dys = dy if isinstance(dy, tuple) else (dy,)
        return [F._cast_like(g, x) for g, x in zip(dys, data, strict=True)]
