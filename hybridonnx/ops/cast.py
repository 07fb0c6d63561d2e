"""Changes of dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..attrs import DTypeName
from ..dtypes import DType, as_dtype, is_bfloat16
from ._containers import zeros
from ._operator import Array, Operator, Spec
from ._registry import operator

_SMALL = (np.dtype("int8"), np.dtype("uint8"))


def cast(data: Array, dtype: DType) -> Array:
    """`data` in another dtype as C casts it: towards zero, small integers by their last bits."""
    with np.errstate(invalid="ignore", over="ignore"):
        if data.dtype.kind == "f" and dtype in _SMALL:
            data = data.astype(np.int32)
        return data.astype(dtype)


@operator("Cast", "_npi_cast", "_npx_cast", "cast")
class Cast(Operator):
    """`data` in another dtype, as C casts it.

    Floating-point numbers are truncated towards zero on the way to integers, of which int8 and uint8 keep the
    last bits of what they cannot hold. bool is True for everything but zero.

    Inputs:
        data: An array of any shape and dtype.

    Attributes:
        dtype: The output's dtype.

    Returns:
        The shape of data.

    ONNX: Cast, by way of int32 from floating-point numbers to int8 or uint8; Identity if data has the dtype.
    """

    widens_bfloat16: ClassVar[bool] = False
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
    """`data` cast to the dtype of another array.

    Inputs:
        data: An array of any shape.
        like: An array of any shape, of which only the dtype matters.

    Returns:
        The shape of data.

    ONNX: Cast.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "like")
    takes_extensions: ClassVar[bool] = True
    widens_bfloat16: ClassVar[bool] = False

    def infer_input_dtypes(self, data: Any, like: Any) -> Sequence[DType | None]:
        return data, like

    def infer_dtype(self, data: DType | None, like: DType | None) -> DType | None:
        return like

    def passes_on(self, inputs: Sequence[Spec]) -> bool:
        return inputs[0].dtype == inputs[1].dtype

    def forward(self, data: Array, like: Array) -> Array:
        if data.dtype == like.dtype:
            return data
        return zeros(like) if like.dtype.hasobject else cast(data, like.dtype)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, like: Any) -> Sequence[Any]:
        return F._cast_like(dy, data), None


@operator("_widened")
class Widened(Operator):
    """`data` in a dtype that slopes are computed in.

    Inputs:
        data: An array of any shape and dtype.

    Returns:
        The shape of data; float16 becomes float32, what is no floating-point number float64.

    ONNX: Cast; Identity of float32 and float64.
    """

    elementwise: ClassVar[bool] = True

    def infer_dtype(self, data: DType | None) -> DType | None:
        if data is None or data in (np.float32, np.float64):
            return data
        return np.dtype(np.float32 if data.kind == "f" else np.float64)

    def forward(self, data: Array) -> Array:
        return data.astype(self.infer_dtype(data.dtype))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._cast_like(dy, data),)


@operator("_zero_of_integers")
class ZeroOfIntegers(Operator):
    """`data` if it is of floating-point numbers, else zeros: gradients of what is not smooth in integers.

    Inputs:
        data: An array of any shape.

    Returns:
        The shape of data.

    ONNX: Identity of floating-point numbers, else Sub.
    """

    elementwise: ClassVar[bool] = True

    def forward(self, data: Array) -> Array:
        return data if data.dtype.kind == "f" else np.zeros_like(data)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._zero_of_integers(dy),)


_MIXED = (np.dtype("float16"), np.dtype("float32"))


def _is_mixed(dtype: DType | None) -> bool:
    """Whether mixed precision computes in a dtype; it leaves any other as it is."""
    return dtype is not None and (dtype in _MIXED or is_bfloat16(dtype))


@operator("amp_cast")
class AmpCast(Operator):
    """The cast that mixed precision inserts: float16, bfloat16 and float32 in another dtype, others stay.

    Inputs:
        data: An array of any shape and dtype.

    Attributes:
        dtype: The floating-point dtype to compute in.

    Returns:
        The shape of data.

    ONNX: Cast; Identity of other dtypes.
    """

    mixes_precision: ClassVar[bool] = True
    widens_bfloat16: ClassVar[bool] = False
    elementwise: ClassVar[bool] = True
    dtype: DTypeName

    def infer_dtype(self, data: DType | None) -> DType | None:
        return as_dtype(self.dtype) if _is_mixed(data) else data

    def forward(self, data: Array) -> Array:
        return cast(data, as_dtype(self.dtype)) if _is_mixed(data.dtype) else data

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._cast_like(dy, data),)


@operator("amp_multicast")
class AmpMulticast(Operator):
    """float16, bfloat16 and float32 inputs cast to one dtype, the widest, before an operator that takes one.

    Inputs:
        *data: Any number of arrays of any shapes; those of other dtypes stay as they are.

    Attributes:
        num_outputs: The number of inputs, and of outputs; counted in a call, so that it need not be given.
        cast_narrow: Whether the narrowest dtype is chosen in place of the widest.

    Returns:
        The shapes of the inputs, as many outputs as there are inputs.

    ONNX: Cast of each input; Identity of those that have the dtype.
    """

    mixes_precision: ClassVar[bool] = True
    widens_bfloat16: ClassVar[bool] = False
    variadic: ClassVar[str] = "num_outputs"
    num_outputs: int
    cast_narrow: bool = False

    def input_names(self) -> tuple[str, ...]:
        return tuple(f"data_{i}" for i in range(self.num_outputs))

    def output_names(self) -> tuple[str, ...]:
        return tuple(f"output{i}" for i in range(self.num_outputs))

    def infer_shape(self, *shapes: Any) -> Any:
        return list(shapes)

    def infer_early(self, *shapes: Any) -> Any:
        return shapes

    def infer_back(self, outputs: Any, inputs: Any) -> Any:
        return outputs

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        return dtypes

    def infer_dtype(self, *dtypes: DType | None) -> list[DType | None]:
        mixed = [d for d in dtypes if d is not None and _is_mixed(d)]
        choose = min if self.cast_narrow else max
        complete = all(d is not None for d in dtypes)  # `None in dtypes` holds for float64
        chosen = choose(mixed, key=lambda d: d.itemsize) if mixed and complete else None
        return [chosen if d is None or _is_mixed(d) else d for d in dtypes]

    def forward(self, *data: Array) -> tuple[Array, ...]:
        dtypes = self.infer_dtype(*(x.dtype for x in data))
        return tuple(x if d is None else cast(x, d) for x, d in zip(data, dtypes, strict=True))

    def gradient(self, F: Any, dy: Any, y: Any, *data: Any) -> Sequence[Any]:
        dys = dy if isinstance(dy, tuple) else (dy,)
        return [F._cast_like(g, x) for g, x in zip(dys, data, strict=True)]
