"""What the protocol of KServe and Triton calls element types."""

from __future__ import annotations

from ..dtypes import DType, as_dtype
from ..errors import MXNetError
from ..onnx.inspection import Declaration

BYTES = "BYTES"
"""Texts."""
DATATYPES: dict[str, str] = {
    "bool": "BOOL",
    "uint8": "UINT8",
    "uint16": "UINT16",
    "uint32": "UINT32",
    "uint64": "UINT64",
    "int8": "INT8",
    "int16": "INT16",
    "int32": "INT32",
    "int64": "INT64",
    "float16": "FP16",
    "bfloat16": "BF16",
    "float32": "FP32",
    "float64": "FP64",
    "string": BYTES,
}
"""Our names to theirs."""


def datatype_of(owner: str, item: Declaration) -> str:
    """What the protocol calls the type of an input or output.

    Raises:
        MXNetError: If it has no name for it.
    """
    datatype = DATATYPES.get(item.dtype)
    if datatype is None:
        raise MXNetError(
            f"{owner}: {item.name} as one of {', '.join(DATATYPES)} is required, got {item.dtype}. Let the "
            "model take and give one of these."
        )
    return datatype


def dtype_named(datatype: str) -> DType:
    """The dtype of arrays of a datatype; that of Python's objects for texts."""
    name = next(ours for ours, theirs in DATATYPES.items() if theirs == datatype)
    return as_dtype("object" if datatype == BYTES else name)
