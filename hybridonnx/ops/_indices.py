"""What operators on indices share: indices as integers within an axis, and sums by index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from ..attrs import Ints
from ..dtypes import DType
from ..errors import AttributeValueError, BoundsError, MXNetError, ShapeError
from ._operator import Array, Operator
from ._shapes import Shape, axis_index, below, show


class Indexed(Operator):
    """An operator whose inputs have dtypes of their own; those of indices are any."""

    of_one_dtype: ClassVar[tuple[str, ...]] = ()
    """The inputs that have the same dtype."""

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        known = dict(zip(self.input_names(), dtypes, strict=True))
        dtype = self.one_dtype(self.of_one_dtype, [known[name] for name in self.of_one_dtype])
        return [dtype if name in self.of_one_dtype else known[name] for name in known]


def integers(indices: Array) -> Array:
    """Indices truncated to integers; NaN counts as 0."""
    if indices.dtype.kind == "f":
        indices = np.nan_to_num(indices, posinf=2**62, neginf=-(2**62))
    return indices.astype(np.int64)


def within(owner: str, indices: Array, count: int, mode: str, from_end: bool = False) -> Array:
    """Indices in [0, count), those outside of it brought inside by MXNet's mode, or refused.

    With `from_end` the count was added to negative ones before, and errors tell what they were.
    """
    indices = integers(indices)
    if indices.size and not count:
        raise ShapeError(f"{owner}: an axis of size 1 or more is required, got 0.")
    if mode == "clip":
        return np.clip(indices, 0, max(count - 1, 0))
    if mode == "wrap":
        return indices % max(count, 1)
    if np.any((indices < 0) | (indices >= count)):
        if from_end:
            require_inside(owner, np.where(indices < 0, indices - count, indices), count)
        raise MXNetError(
            f"{owner}: indices from 0 to {count - 1} are required, got {indices.min()} to {indices.max()}. "
            "Use mode='clip' or 'wrap' if others may occur."
        )
    return indices


def require_inside(owner: str, indices: Array, count: int, axis: int | None = None) -> None:
    """Raise `BoundsError` for indices beyond `count` elements; negative ones count from the end."""
    beyond = indices[(indices < -count) | (indices >= count)]
    if beyond.size:
        along = "" if axis is None else f" along axis {axis}"
        raise BoundsError(
            f"{owner}: indices from {-count} to {count - 1} are required{along}, got {beyond[0]}."
        )


def add_rows(rows: Array, indices: Array, count: int) -> Array:
    """The sums of those of `rows` (M, *rest) that have one of the `indices` (M,), as (count, *rest)."""
    wide = rows.astype(np.float32) if rows.dtype == np.float16 else rows
    result = np.zeros((count, *rows.shape[1:]), wide.dtype)
    if indices.size:
        order = np.argsort(indices, kind="stable")
        ranked = indices[order]
        starts = np.flatnonzero(np.diff(ranked, prepend=-1))
        result[ranked[starts]] = np.add.reduceat(wide[order], starts, axis=0)
    return result.astype(rows.dtype, copy=False)


def indices_along(indices: Array, axis: int) -> tuple[Array, ...]:
    """Index arrays for all axes from those for one."""
    grid = list(np.ogrid[tuple(slice(d) for d in indices.shape)])
    grid[axis] = indices
    return tuple(grid)


def points(owner: str, indices: Array, shape: Sequence[int]) -> tuple[Array, ...]:
    """The index arrays along the first axes that the rows of `indices` (M, ...) are."""
    coordinates = tuple(integers(indices))
    for axis, (row, count) in enumerate(zip(coordinates, shape, strict=False)):
        require_inside(owner, row, count, axis)
    return coordinates


class Along(Indexed):
    """What `_take_along_axis` and its adjoint share.

    Attributes:
        axis: The axis that the indices are along; None: data as one vector.
        distinct: A promise that the indices of each row differ, so that a scatter has nothing to add.
    """

    axis: int | None = -1
    distinct: bool = False

    def at(self, rank: int) -> int:
        """The axis."""
        return axis_index(self.names[0], self.axis or 0, rank)

    def require_fit(self, data: Shape, indices: Shape) -> None:
        """Raise `ShapeError` unless `data` is at least as long as `indices` along the other axes."""
        if self.axis is None:
            return
        if len(data) != len(indices):
            raise ShapeError(
                f"{self.names[0]}: equal ranks are required, got {show(data)} and {show(indices)}."
            )
        at = self.at(len(data))
        if any(below(a, b) for i, (a, b) in enumerate(zip(data, indices, strict=True)) if i != at):
            raise ShapeError(
                f"{self.names[0]}: indices no longer than data {show(data)} along all axes but {at} are "
                f"required, got {show(indices)}."
            )

    def positions(self, indices: Array, count: int) -> Array:
        """Indices as integers, refused if they are beyond the `count` elements."""
        whole = integers(indices)
        require_inside(self.names[0], whole, count)
        return whole


class Picking(Indexed):
    """What `pick` and its adjoint share.

    Attributes:
        axis: The axis of data that the indices are along; negative ones count from the last.
        keepdims: Whether that axis stays in the output, with size 1.
        mode: For indices outside of the axis: "clip" takes its nearer end, "wrap" counts modulo its size.
    """

    axis: int | None = -1
    keepdims: bool = False
    mode: Literal["clip", "wrap"] = "clip"

    def check(self) -> None:
        if self.axis is None:
            raise AttributeValueError("pick: an axis is required, got None. Flatten data first.")

    def at(self, rank: int) -> int:
        """The axis that is picked from."""
        return axis_index("pick", self.axis or 0, rank)

    def indices(self, data: Array, index: Array) -> Array:
        """The index along the axis, which is kept with size 1."""
        at = self.at(data.ndim)
        index = index if index.ndim == data.ndim else np.expand_dims(index, at)
        return within("pick", index, data.shape[at], self.mode)

    def index_shape(self, data: Shape | None, index: Shape | None) -> Shape | None:
        """The shape that `index` has to have, of as many axes as it has."""
        if data is None or (index is not None and len(index) == len(data)):
            return None if data is None else self._keepdims_shape(data)
        at = self.at(len(data))
        return data[:at] + data[at + 1 :] or (1,)

    def picked(self, data: Shape) -> Shape:
        """The shape of the elements that are picked."""
        at = self.at(len(data))
        return self._keepdims_shape(data) if self.keepdims else (data[:at] + data[at + 1 :]) or (1,)

    def _keepdims_shape(self, data: Shape) -> Shape:
        at = self.at(len(data))
        return (*data[:at], 1, *data[at + 1 :])


class Points(Indexed):
    """What operators on points share: M coordinates of each, into the first M axes.

    Inputs:
        indices: (M, *points): row i holds the points' coordinates along axis i, truncated towards zero;
            negative ones count from the end.
    """

    def selection_shape(self, data: Shape, indices: Shape) -> Shape | None:
        """The shape of what the indices choose; `None` if M is unknown."""
        if len(indices) < 2 or (indices[0] is not None and not 0 < indices[0] <= len(data)):
            raise ShapeError(
                f"{self.names[0]}: indices (M, *points) with M at most {len(data)}, the number of axes, "
                f"are required, got {show(indices)}."
            )
        return None if indices[0] is None else indices[1:] + data[indices[0] :]


class Coordinates(Operator):
    """What coordinates and flat indices are converted by.

    Attributes:
        shape: The shape of the array that the coordinates are in; its first size does not matter.
    """

    not_differentiable = "indices are integers"
    shape: Ints | None = None

    def sizes(self) -> Ints:
        """The shape, which MXNet takes for optional until it is used."""
        if not self.shape:
            raise AttributeValueError(f"{self.names[0]}: a shape is required, got {self.shape}.")
        return self.shape
