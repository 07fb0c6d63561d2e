"""Imports of reshaping, reordering and repeating."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError

from ._registry import Const, Hint, imports

LATER = (19, 21, 23, 24, 25)
"""The versions of shape operators that only added element types."""


def ints(values: Any) -> tuple[int, ...]:
    """A constant vector, or a number, as integers."""
    return tuple(int(v) for v in np.ravel(values))


# ---- reshape


@imports("Reshape", versions=(5, 13, 14, *LATER))
def reshape(F: Any, data: Any, shape: Hint, *, allowzero: int = 0) -> Any:
    """ONNX's 0 and -1 are MXNet's; a shape that is computed is what ONNX infers of the result's."""
    codes = _inferred(F, data) if shape is None else ints(shape)
    if allowzero and 0 in codes and shape is not None:
        raise ConversionError(
            f"Reshape: sizes other than 0 are required, got {codes} with allowzero. MXNet's Reshape takes 0 "
            "for the input's size."
        )
    return F.Reshape(data, shape=codes or (1,))


def _inferred(F: Any, data: Any) -> tuple[int, ...]:
    """The codes for a shape that is not constant."""
    shape, own = F.result(), F.dims(data)
    codes = []
    for i, d in enumerate(shape or ()):
        same = isinstance(d, str) and own is not None and i < len(own) and own[i] == d
        codes.append(d if isinstance(d, int) else 0 if same else -1)
    if shape is not None and any(d == 0 and (own or ())[i : i + 1] != (0,) for i, d in enumerate(shape)):
        raise ConversionError(
            f"Reshape: sizes other than 0 are required, got {shape}, as 0 is another in MXNet."
        )
    if shape is None or codes.count(-1) > 1:
        raise ConversionError(
            f"Reshape: a shape with at most one unknown size is required, got {shape}. "
            "Export the model with fixed shapes, or simplify it first."
        )
    return tuple(codes)


@imports("Flatten", versions=(1, 9, 11, 13, 21, 23, 24, 25))
def flatten(F: Any, data: Any, *, axis: int = 1) -> Any:
    """Axes before `axis` are merged, and those from it on."""
    if axis == 1:
        return F.Flatten(data)
    rank = F.rank(data)
    axis += rank * (axis < 0)
    if axis == 0:
        return F.Reshape(data, shape=(1, -1))
    if axis == rank:
        return F.Reshape(data, shape=(-1, 1))
    for _ in range(axis - 1):
        data = F.Reshape(data, shape=(-3, -2))
    return F.Flatten(data)


@imports("Transpose", versions=(1, 13, 21, 23, 24, 25))
def transpose(F: Any, data: Any, *, perm: tuple[int, ...] | None = None) -> Any:
    """The same operator."""
    return F.transpose(data) if perm is None else F.transpose(data, axes=perm)


@imports("Squeeze", versions=(1, 11))
def squeeze_by_attribute(F: Any, data: Any, *, axes: tuple[int, ...] | None = None) -> Any:
    """The same operator."""
    return squeeze(F, data, axes)


@imports("Squeeze", versions=(13, 21, 23, 24, 25))
def squeeze(F: Any, data: Any, axes: Const = None) -> Any:
    """The same operator; without axes the sizes must be known, as they are part of what it means."""
    if axes is None:
        shape = F.shape(data)
        if shape is None or None in shape:
            raise ConversionError("Squeeze: known sizes are required without axes.")
        axes = [i for i, size in enumerate(shape) if size == 1]
    chosen = ints(axes)
    if not chosen:
        return data
    return F._np_squeeze(data, axis=chosen) if len(chosen) == F.rank(data) else F.squeeze(data, axis=chosen)


@imports("Unsqueeze", versions=(1, 11))
def unsqueeze_by_attribute(F: Any, data: Any, *, axes: tuple[int, ...]) -> Any:
    """A new axis after the other."""
    return unsqueeze(F, data, axes)


@imports("Unsqueeze", versions=(13, 21, 23, 24, 25))
def unsqueeze(F: Any, data: Any, axes: Const) -> Any:
    """A new axis after the other; a scalar has one already in MXNet."""
    rank = F.rank(data)
    chosen = sorted(axis % (rank + len(ints(axes))) for axis in ints(axes))
    if rank == 0:
        return F.Reshape(data, shape=(1,) * len(chosen))
    for axis in chosen:
        data = F.expand_dims(data, axis=axis)
    return data


@imports("Tile", versions=(6, 13))
def tile(F: Any, data: Any, repeats: Const) -> Any:
    """The same operator."""
    return F.tile(data, reps=ints(repeats))


# ---- order


@imports("DepthToSpace", versions=(1, 11, 13))
def depth_to_space(F: Any, data: Any, *, blocksize: int, mode: str = "DCR") -> Any:
    """MXNet has the blocks outside of the channels; the other way it takes a transposition."""
    if mode == "DCR":
        return F.depth_to_space(data, block_size=blocksize)
    split = F.Reshape(data, shape=(0, -4, -1, blocksize**2, 0, 0))
    split = F.Reshape(split, shape=(0, 0, -4, blocksize, blocksize, 0, 0))
    return F.Reshape(F.transpose(split, axes=(0, 1, 4, 2, 5, 3)), shape=(0, 0, -3, -3))


@imports("SpaceToDepth", versions=(1, 13))
def space_to_depth(F: Any, data: Any, *, blocksize: int) -> Any:
    """The same operator."""
    return F.space_to_depth(data, block_size=blocksize)


# ---- shapes as numbers


@imports("Shape", versions=(1, 13, 15, *LATER))
def shape(F: Any, data: Any, *, start: int = 0, end: int | None = None) -> Any:
    """The part of it that is asked for."""
    sizes = F.shape_array(data)
    if start == 0 and end is None:
        return sizes
    return F.slice(sizes, begin=(start,), end=(end,))


@imports("Size", versions=(1, 13, *LATER))
def size(F: Any, data: Any) -> Any:
    """A scalar, which has one axis in MXNet."""
    known = F.shape(data)
    if known is not None and None not in known:
        return F.const(np.array(prod(known), np.int64))
    return F.size_array(data)
