"""Lowerings of changes of dtype."""

from __future__ import annotations

import numpy as np

from hybridonnx.dtypes import DType
from hybridonnx.ops.cast import AmpCast, AmpMulticast, Cast, CastLike, Widened, ZeroOfIntegers

from ._graph import Graph, Value
from ._registry import lowers


def _as(g: Graph, data: Value, dtype: DType | None) -> Value:
    """Floating-point numbers become small integers by way of int32: ONNX leaves open what is out of range."""
    if data.dtype is not None and data.dtype.kind == "f" and dtype in (np.dtype("int8"), np.dtype("uint8")):
        data = g.Cast(data, np.int32)
    return g.Cast(data, dtype)


@lowers(Cast, AmpCast, Widened)
def cast(g: Graph, op: Cast | Widened, data: Value) -> Value:
    return _as(g, data, op.infer_dtype(data.dtype))


@lowers(CastLike)
def cast_like(g: Graph, op: CastLike, data: Value, like: Value) -> Value:
    return _as(g, data, like.dtype)


@lowers(ZeroOfIntegers)
def zero_of_integers(g: Graph, op: ZeroOfIntegers, data: Value) -> Value:
    return g.Identity(data) if data.dtype.kind == "f" else g.Sub(data, data)


@lowers(AmpMulticast)
def amp_multicast(g: Graph, op: AmpMulticast, *data: Value) -> tuple[Value, ...]:
    dtypes = op.infer_dtype(*(x.dtype for x in data))
    return tuple(_as(g, x, dtype) for x, dtype in zip(data, dtypes, strict=True))
