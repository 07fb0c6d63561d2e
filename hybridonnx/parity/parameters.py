"""The parameters of two models, compared exactly: a hint at why a layer errs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ops import Array
from .difference import unit_of
from .distances import distance
from .models import File, Graph
from .results import ParameterDifference
from .rounding import rounded


def different(
    first: Graph | File, mine: Sequence[str], second: Graph | File, theirs: Sequence[str]
) -> tuple[ParameterDifference, ...]:
    """The parameters that are others in the second model, where that has them in no coarser dtype.

    Args:
        first: The first model.
        mine: Its parameters, by name.
        second: The second model.
        theirs: Those that may be them where names differ; of these the first of a parameter's shape is it.
    """
    pairs = _pairs(first, mine, second, theirs)
    rows = (_compared(a, b, first.parameter(a), second.parameter(b)) for a, b in pairs)
    return tuple(row for row in rows if row is not None)


def _pairs(
    first: Graph | File, mine: Sequence[str], second: Graph | File, theirs: Sequence[str]
) -> Iterator[tuple[str, str]]:
    known = set(second.parameters())
    rest = [name for name in theirs if name not in mine]
    for name in mine:
        if name in known:
            yield name, name
            continue
        shape = first.parameter(name).shape
        other = next((o for o in rest if second.parameter(o).shape in (shape, shape[::-1])), None)
        if other is not None:
            rest.remove(other)
            yield name, other


def _compared(name: str, other: str, expected: Array, result: Array) -> ParameterDifference | None:
    """In what a parameter is another one, if it is."""
    if result.shape != expected.shape and result.shape == expected.shape[::-1]:
        result = result.T  # as other exporters write matrices
    if result.shape != expected.shape:
        note = f"shape {expected.shape} is required, got {result.shape}"
        return ParameterDifference(name, other, result.shape, str(result.dtype), result.size, note=note)
    if result.dtype != expected.dtype:
        if not (unit_of(result.dtype) and unit_of(expected.dtype)):
            return None  # quantized
        expected = rounded(expected, result.dtype)
    known = distance(expected, result)
    if not known.count:
        return None
    return ParameterDifference(
        name,
        other,
        result.shape,
        str(result.dtype),
        result.size,
        known.count,
        known.largest,
        known.index,
        *known.values,
    )
