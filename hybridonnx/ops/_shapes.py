"""Shape arithmetic in which a size may be unknown (`None`), and so may the rank (a shape that is `None`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from ..errors import ShapeError

Dim: TypeAlias = int | None
Shape: TypeAlias = tuple[Dim, ...]


def known(shape: Shape | None) -> bool:
    """Whether the rank and every size is known."""
    return shape is not None and None not in shape


def sizes(shape: Shape) -> tuple[int, ...]:
    """A shape all of whose sizes are known, typed so."""
    if None in shape:
        raise ShapeError(f"a complete shape is required, got {show(shape)}.")
    return tuple(d for d in shape if d is not None)


def show(shape: Shape | None) -> str:
    """A shape for people: `(2, ?, 3)`, or `unknown`."""
    if shape is None:
        return "unknown"
    inner = ", ".join("?" if d is None else str(d) for d in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def size(shape: Shape) -> Dim:
    """The number of elements, unknown if any size is (and none is 0)."""
    if 0 in shape:
        return 0
    return None if None in shape else prod(d for d in shape if d is not None)


def axis_index(owner: str, axis: int, rank: int) -> int:
    """`axis`, possibly negative, as an index of a shape with `rank` axes."""
    if not -rank <= axis < rank:
        raise ShapeError(f"{owner}: axis must lie in [{-rank}, {rank - 1}] for {rank} axes, got {axis}.")
    return axis % rank


def axis_indices(owner: str, axes: Sequence[int] | None, rank: int, exclude: bool = False) -> tuple[int, ...]:
    """The sorted axes that `axes` names, or with `exclude` those that it does not; all if it names none."""
    if not axes:
        return tuple(range(rank))
    found = {axis_index(owner, axis, rank) for axis in axes}
    if len(found) != len(axes):
        raise ShapeError(f"{owner}: axes must differ from each other, got {tuple(axes)}.")
    return tuple(i for i in range(rank) if (i in found) != exclude)


def unify(owner: str, *shapes: Shape | None) -> Shape | None:
    """The one shape that all of `shapes` are partial knowledge of. Raises `ShapeError` if there is none."""
    merged: Shape | None = None
    for shape in shapes:
        if shape is None:
            continue
        if merged is None:
            merged = shape
        elif len(merged) != len(shape) or any(
            a is not None and b is not None and a != b for a, b in zip(merged, shape, strict=True)
        ):
            given = " and ".join(show(s) for s in shapes if s is not None)
            raise ShapeError(f"{owner}: equal shapes are required, got {given}.")
        else:
            merged = tuple(b if a is None else a for a, b in zip(merged, shape, strict=True))
    return merged


def broadcast(owner: str, *shapes: Shape) -> Shape:
    """NumPy's broadcast of `shapes`. An unknown size against 1 or an unknown one stays unknown."""
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(_broadcast_dim(owner, dims, shapes) for dims in zip(*padded, strict=True))


def _broadcast_dim(owner: str, dims: tuple[Dim, ...], shapes: tuple[Shape, ...]) -> Dim:
    fixed = {d for d in dims if d is not None and d != 1}
    if len(fixed) > 1:
        raise ShapeError(
            f"{owner}: shapes that broadcast are required, got {' and '.join(map(show, shapes))}; "
            "sizes must be equal or 1, counted from the last axis."
        )
    if fixed:
        return fixed.pop()
    return None if None in dims else 1
