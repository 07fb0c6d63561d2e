"""Element types and tensors between NumPy and ONNX."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper

from hybridonnx.dtypes import DType
from hybridonnx.errors import ConversionError

Array: TypeAlias = NDArray[Any]

_CODES: dict[DType, int] = {
    np.dtype(name): code
    for name, code in {
        "float32": TensorProto.FLOAT,
        "float64": TensorProto.DOUBLE,
        "float16": TensorProto.FLOAT16,
        "int8": TensorProto.INT8,
        "int16": TensorProto.INT16,
        "int32": TensorProto.INT32,
        "int64": TensorProto.INT64,
        "uint8": TensorProto.UINT8,
        "uint16": TensorProto.UINT16,
        "uint32": TensorProto.UINT32,
        "uint64": TensorProto.UINT64,
        "bool": TensorProto.BOOL,
        "complex64": TensorProto.COMPLEX64,
        "complex128": TensorProto.COMPLEX128,
    }.items()
}
_DTYPES: dict[int, DType] = {code: dtype for dtype, code in _CODES.items()}
_TYPE_STRINGS: dict[str, DType] = {
    f"tensor({TensorProto.DataType.Name(code).lower()})": dtype for code, dtype in _DTYPES.items()
}


def elem_type(dtype: Any) -> int:
    """ONNX's number for a NumPy dtype."""
    code = _CODES.get(np.dtype(dtype))
    if code is None:
        raise ConversionError(f"ONNX has no element type {np.dtype(dtype)}.")
    return code


def dtype_of(code: int) -> DType:
    """The NumPy dtype of one of ONNX's element types."""
    dtype = _DTYPES.get(code)
    if dtype is None:
        known = code in TensorProto.DataType.values()
        name = TensorProto.DataType.Name(code) if known else str(code)
        raise ConversionError(
            f"ONNX: element type {name} is not supported, as NumPy lacks it. "
            "Convert the model to float32 or float16 first."
        )
    return dtype


def dtype_of_type_string(text: str) -> DType | None:
    """The dtype of `tensor(float)` and the like; `None` for sequences, optionals and types NumPy lacks."""
    return _TYPE_STRINGS.get(text)


def to_tensor(name: str, array: Array) -> TensorProto:
    """`array` as ONNX writes it, its bytes inside."""
    array = np.asarray(array)
    tensor = TensorProto(name=name, data_type=elem_type(array.dtype), dims=array.shape)
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    tensor.raw_data = little.tobytes()
    return tensor


def value_info(name: str, dtype: Any, shape: tuple[int | str | None, ...] | None) -> Any:
    """The declaration of a graph's input or output; sizes may be names, or `None` if nothing is known."""
    return helper.make_tensor_value_info(name, elem_type(dtype), shape)
