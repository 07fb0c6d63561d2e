"""Imports of joining and splitting."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError
from hybridonnx.ops import same

from ._registry import ML, Const, imports
from .reshape import ints


@imports("Concat", versions=(4, 11, 13))
def concat(F: Any, *inputs: Any, axis: int) -> Any:
    """The same operator; inputs without elements add nothing."""
    filled = [x for x in inputs if not _is_empty(F.shape(x), axis)] or list(inputs[:1])
    return filled[0] if len(filled) == 1 else F.Concat(*filled, dim=axis)


@imports("FeatureVectorizer", versions=(1,), domain=ML)
def feature_vectorizer(F: Any, *inputs: Any, inputdimensions: tuple[int, ...] = ()) -> Any:
    """Columns side by side, in float32; a vector is a row."""
    matrices = [F.expand_dims(x, axis=0) if F.rank(x) == 1 else x for x in inputs]
    shapes = [F.shape(x) for x in matrices]
    if [shape[1] for shape in shapes if len(shape) == 2] != list(inputdimensions):
        raise ConversionError(
            f"FeatureVectorizer: matrices of as many columns as inputdimensions {inputdimensions} says are "
            f"required, got {shapes}."
        )
    numbers = [x if F.dtype(x) == np.float32 else F.Cast(x, dtype="float32") for x in matrices]
    return concat(F, *numbers, axis=1)


def _is_empty(shape: Any, axis: int) -> bool:
    return shape is not None and len(shape) > 0 and shape[axis] == 0


@imports("Concat", versions=(1,))
def concat_by_default(F: Any, *inputs: Any, axis: int = 1) -> Any:
    """The version that has a default."""
    return concat(F, *inputs, axis=axis)


@imports("Split", versions=(2, 11))
def split_by_attribute(F: Any, data: Any, *, axis: int = 0, split: tuple[int, ...] | None = None) -> Any:
    """The sizes are an attribute."""
    return split_by_sizes(F, data, split, axis=axis)


@imports("Split", versions=(13, 18))
def split_by_sizes(
    F: Any, data: Any, split: Const = None, *, axis: int = 0, num_outputs: int | None = None
) -> Any:
    """Equal parts are SliceChannel's; without sizes the last part may be smaller."""
    count = num_outputs or F.outputs()
    sizes = None if split is None else ints(split)
    if count == 1:
        return data
    if sizes is None:
        total = (F.dims(data) or (None,) * F.rank(data))[axis]
        if isinstance(total, int) and total % count:
            each = -(-total // count)
            sizes = (each,) * (count - 1) + (total - each * (count - 1),)
        elif num_outputs is not None and (total is None or not same(total // count * count, total)):
            raise ConversionError(f"Split: a size that {count} divides is required, got {total}.")
    if sizes is None or len(set(sizes)) == 1:
        return F.SliceChannel(data, num_outputs=count, axis=axis)
    if min(sizes) < 0:
        raise ConversionError(f"Split: sizes from 0 up are required, got {sizes}.")
    return F._split_v2(data, indices=(0, *accumulate(sizes[:-1])), axis=axis)
