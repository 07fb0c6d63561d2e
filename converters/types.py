"""Types of values between ONNX's messages and what is known of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onnx import TypeProto

from hybridonnx.errors import ConversionError
from hybridonnx.ops import Dim, Shape, Spec, SymbolicDim

from .values import dtype_of_type, type_proto


class Sizes:
    """Names for free sizes, and back: expressions of names go through ONNX as names of their text."""

    def __init__(self) -> None:
        self._dims: dict[str, SymbolicDim] = {}

    def name(self, dim: SymbolicDim) -> str:
        """The name that stands for a size."""
        self._dims.setdefault(str(dim), dim)
        return str(dim)

    def dim(self, name: str) -> Dim:
        """The size that a name stands for, `None` for a name that ONNX has made up."""
        return self._dims.get(name)


def type_of(spec: Spec, sizes: Sizes) -> TypeProto:
    """The type of a value of known dtype."""
    shape = spec.shape
    dims = None if shape is None else [sizes.name(d) if isinstance(d, SymbolicDim) else d for d in shape]
    return type_proto(spec.dtype, None if dims is None else tuple(dims))


def spec_of(proto: TypeProto, size: Callable[[str], Dim]) -> Spec:
    """What a type tells; `size` gives what a name of a free size stands for."""
    try:
        dtype = dtype_of_type(proto)
    except ConversionError:
        return Spec()
    if not proto.HasField("tensor_type"):
        return Spec(None if dtype is None else (), dtype)
    tensor = proto.tensor_type
    if not tensor.HasField("shape"):
        return Spec(None, dtype)
    return Spec(tuple(_dim(d, size) for d in tensor.shape.dim), dtype)


def _dim(dim: Any, size: Callable[[str], Dim]) -> Dim:
    if dim.HasField("dim_value"):
        return int(dim.dim_value)
    return size(dim.dim_param) if dim.dim_param else None


def merged(inferred: Spec, hint: Spec) -> Spec:
    """What ONNX infers of a value, and where that is nothing what was known before."""
    dtype = inferred.dtype if inferred.dtype is not None else hint.dtype
    return Spec(_merged_shape(inferred.shape, hint.shape), dtype)


def _merged_shape(shape: Shape | None, hint: Shape | None) -> Shape | None:
    if shape is None or hint is None or len(shape) != len(hint):
        return hint if shape is None else shape
    return tuple(b if a is None else a for a, b in zip(shape, hint, strict=True))
