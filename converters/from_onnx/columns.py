"""Imports of sums of columns."""

from __future__ import annotations

from typing import Any

from hybridonnx.errors import ConversionError

from ._registry import Const, imports
from .reshape import ints


@imports("Col2Im", versions=(18,))
def col2im(
    F: Any,
    data: Any,
    image_shape: Const,
    block_shape: Const,
    *,
    dilations: tuple[int, ...] = (),
    pads: tuple[int, ...] = (),
    strides: tuple[int, ...] = (),
) -> Any:
    """MXNet pads as much after an axis as before it."""
    half = len(pads) // 2
    if pads[:half] != pads[half:]:
        raise ConversionError(
            f"Col2Im: pads that are the same before and after each axis are required, got {pads}."
        )
    window = {"kernel": ints(block_shape), "stride": strides, "dilate": dilations, "pad": pads[:half]}
    return F.col2im(data, output_size=ints(image_shape), **window)
