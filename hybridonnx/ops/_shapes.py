"""Shape arithmetic in which a size may be an expression of named sizes, or unknown (`None`).

The rank may be unknown too (a shape that is `None`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from ..errors import ShapeError
from ._symbolic import SymbolicDim, UndecidedError, same

Dim: TypeAlias = int | SymbolicDim | None
Shape: TypeAlias = tuple[Dim, ...]
NumericShape: TypeAlias = tuple[int | None, ...]
"""A shape whose sizes are integers or unknown."""


def known(shape: Shape | None) -> bool:
    """Whether the rank is known and every size an integer."""
    return shape is not None and all(isinstance(d, int) for d in shape)


def sizes(shape: Shape) -> tuple[int, ...]:
    """A shape all of whose sizes are known, typed so."""
    numbers = tuple(d for d in shape if isinstance(d, int))
    if len(numbers) != len(shape):
        raise ShapeError(f"a complete shape is required, got {show(shape)}.")
    return numbers


def is_symbolic(shape: Shape | None) -> bool:
    """Whether a size is an expression of names."""
    return shape is not None and any(isinstance(d, SymbolicDim) for d in shape)


def without_symbols(shape: Shape | None) -> NumericShape | None:
    """The shape with `None` for the sizes that are expressions."""
    return None if shape is None else tuple(None if isinstance(d, SymbolicDim) else d for d in shape)


def alike(a: Shape | None, b: Shape | None) -> bool:
    """Whether the same is known of two shapes."""
    if a is b:
        return True
    return a is not None and b is not None and len(a) == len(b) and all(map(same, a, b))


def show(shape: Shape | None) -> str:
    """A shape for people: `(2, ?, 3)`, or `unknown`."""
    if shape is None:
        return "unknown"
    inner = ", ".join("?" if d is None else str(d) for d in shape)
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def size(shape: Sequence[Dim]) -> Dim:
    """The number of elements, unknown if any size is (and none is 0)."""
    if any(is_zero(d) for d in shape):
        return 0
    return None if None in shape else prod(d for d in shape if d is not None)


def times(size: Dim, factor: int) -> Dim:
    """A size times a number."""
    return 0 if factor == 0 else None if size is None else size * factor


def over(size: Dim, divisor: int) -> Dim:
    """A size divided by a number, rounded down."""
    return None if size is None else size // divisor


# ---- questions about sizes, answered yes only where the answer is the same for every size


def is_zero(size: Dim) -> bool:
    """Whether a size is 0."""
    return isinstance(size, int) and size == 0


def differ(a: Dim, b: Dim) -> bool:
    """Whether two sizes are certain to be different."""
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    return a is not None and b is not None and _certain(lambda: a != b)


def below(a: Dim, b: Dim) -> bool:
    """Whether the first size is certain to be less than the second."""
    return a is not None and b is not None and _certain(lambda: a < b)


def _certain(answer: Callable[[], bool]) -> bool:
    try:
        return answer()
    except UndecidedError:
        return False


def decided(shape: Callable[[], Shape | None]) -> Shape | None:
    """A shape that is computed; `None` where it depends on what an expression's names stand for."""
    try:
        return shape()
    except UndecidedError:
        return None


# ---- axes


def axis_index(owner: str, axis: int, rank: int) -> int:
    """`axis`, possibly negative, as an index of a shape with `rank` axes."""
    if not -rank <= axis < rank:
        raise ShapeError(f"{owner}: axis must lie in [{-rank}, {rank - 1}] for {rank} axes, got {axis}.")
    return axis % rank


def axis_indices(owner: str, axes: Sequence[int] | None, rank: int, exclude: bool = False) -> tuple[int, ...]:
    """The sorted axes that `axes` names, or with `exclude` those that it does not; all if it names none."""
    if not axes:
        return tuple(range(rank))
    indices = {axis_index(owner, axis, rank) for axis in axes}
    if len(indices) != len(axes):
        raise ShapeError(f"{owner}: axes must differ from each other, got {tuple(axes)}.")
    return tuple(i for i in range(rank) if (i in indices) != exclude)


# ---- shapes of several arrays


def unify(owner: str, *shapes: Shape | None) -> Shape | None:
    """The one shape that all of `shapes` are partial knowledge of. Raises `ShapeError` if there is none."""
    merged: Shape | None = None
    for shape in shapes:
        if shape is None:
            continue
        if merged is None:
            merged = shape
        elif len(merged) != len(shape) or any(map(differ, merged, shape)):
            known_shapes = " and ".join(show(s) for s in shapes if s is not None)
            raise ShapeError(f"{owner}: equal shapes are required, got {known_shapes}.")
        else:
            merged = tuple(map(_plainer, merged, shape))
    return merged


def _plainer(a: Dim, b: Dim) -> Dim:
    """Of two ways to know one size the better: an integer, or the shorter expression."""
    if a is None or isinstance(b, int):
        return b
    if b is None or isinstance(a, int):
        return a
    return min(a, b, key=lambda d: (len(d.text), d.text))


def require_axes(owner: str, data: Shape, count: int = 1) -> None:
    """Raise `ShapeError` if `data` has fewer axes than `count`."""
    if len(data) < count:
        raise ShapeError(f"{owner}: data of {count} or more axes is required, got {show(data)}.")


def require_repeats(owner: str, name: str, shape: Shape, target: Shape) -> None:
    """Raise `ShapeError` unless the input of that name, of this shape, broadcasts to `target`."""
    pairs = zip(reversed(shape), reversed(target), strict=False)
    if len(shape) > len(target) or any(differ(a, 1) and differ(a, b) for a, b in pairs):
        raise ShapeError(
            f"{owner}: {name} of a shape that broadcasts to {show(target)} is required, got {show(shape)}."
        )


def broadcast(owner: str, *shapes: Shape) -> Shape:
    """NumPy's broadcast of `shapes`. An unknown size against 1 or an unknown one stays unknown."""
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(_broadcast_dim(owner, dims, shapes) for dims in zip(*padded, strict=True))


def _broadcast_dim(owner: str, dims: tuple[Dim, ...], shapes: tuple[Shape, ...]) -> Dim:
    fixed = {d for d in dims if isinstance(d, int) and d != 1}
    if len(fixed) > 1:
        raise ShapeError(
            f"{owner}: shapes that broadcast are required, got {' and '.join(map(show, shapes))}; "
            "sizes must be equal or 1, counted from the last axis."
        )
    if fixed:
        return fixed.pop()
    free = {None if d is None else d.text: d for d in dims if not isinstance(d, int)}
    if len(free) > 1:  # either of two expressions may be 1
        return None
    return next(iter(free.values()), 1)
