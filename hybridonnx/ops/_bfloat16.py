"""Kernels of arrays of bfloat16: they compute in float32, and what they give is rounded once."""

from __future__ import annotations

from collections.abc import Sequence

from ..dtypes import float32, is_bfloat16
from ._operator import Array, Operator


def for_kernel(op: Operator, arrays: Sequence[Array]) -> Sequence[Array]:
    """What the kernel of an operator gets: float32 for bfloat16, unless it knows that."""
    for array in arrays:
        if array.dtype.kind == "V":
            break
    else:
        return arrays
    if not op.widens_bfloat16:
        return arrays
    return [array.astype(float32) if is_bfloat16(array.dtype) else array for array in arrays]
