"""The layers of two models side by side: which values are one, how far off they are, what each layer adds.

Values of one name are one, if their shapes agree. Values of other names, as in a model that another program
wrote, are one where their numbers are. What a layer adds by itself shows when the second model's nodes
between two such values take the first model's: an error further up does not reach it, and its own remains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..dtypes import DType
from ..ops import Array
from .models import Arrays, File, Graph
from .report import Difference, Exact, Layer, difference
from .rounding import Expectation, Reference, rounded

_BUDGET = 256 << 20
"""Bytes of values that are compared at once."""
_CLOSE = 1e-3
"""How far the marks of one value in two models may be apart, of its size."""


class _Mark(NamedTuple):
    """What tells a value from others without keeping it."""

    shape: tuple[int, ...]
    size: float
    sums: tuple[float, float, float]

    def is_close(self, other: _Mark) -> bool:
        """Whether both are of one value, up to rounding."""
        near = _CLOSE * max(self.size, other.size, 1e-12)
        return self.shape == other.shape and bool(np.all(np.abs(np.subtract(self.sums, other.sums)) <= near))


def _mark(x: Array) -> _Mark | None:
    """The mark of a value; `None` for what is too plain to be told from others."""
    if x.dtype.kind not in "fV" or x.size < 2:
        return None
    flat = np.asarray(x, np.float64).ravel()
    flat = np.where(np.isfinite(flat), flat, 0.0)
    size = float(np.sqrt(np.mean(flat**2)))
    if not size:
        return None
    waves = np.arange(flat.size)
    sums = (flat.mean(), np.mean(flat * np.cos(0.7 * waves)), np.mean(flat * np.sin(1.9 * waves + 1)))
    return _Mark(x.shape, size, tuple(float(s) * np.sqrt(flat.size) for s in sums))


class _Pair(NamedTuple):
    """A value of the first model and the one of the second that it is."""

    name: str
    other: str
    dtype: DType
    """The second model's."""


def compare(reference: Reference, second: Graph | File, inputs: Arrays, others: Arrays) -> list[Layer]:
    """The layers that both models have, in the first one's order.

    Args:
        reference: The first model.
        second: The second one.
        inputs: The first model's inputs by name.
        others: The second model's.
    """
    pairs, whole = _pairs(reference, second, inputs, others)
    return [
        Layer(own, whole.get(own.name), tuple(nodes))
        for own, nodes in _own(reference, second, inputs, others, pairs)
    ]


# ---- the whole models


def _pairs(
    reference: Reference, second: Graph | File, inputs: Arrays, others: Arrays
) -> tuple[list[_Pair], dict[str, Difference]]:
    """The values that are one, and how far they are off where both models run from their inputs."""
    values = set(second.values())
    pairs: list[_Pair] = []
    whole: dict[str, Difference] = {}
    marks: dict[str, _Mark] = {}
    places: dict[str, int] = {}
    for batch in _batches(reference.run(inputs)):
        named = [item for item in batch if item.name in values]
        results = second.all(others, [item.name for item in named]) if named else {}
        for item in batch:
            places[item.name] = len(places)
            result = results.get(item.name)
            if result is not None and result.shape == item.exact.shape:
                pairs.append(_Pair(item.name, item.name, result.dtype))
                whole[item.name] = _difference(item, result)
            else:
                mark = _mark(item.exact)
                if mark is not None:
                    marks[item.name] = mark
    taken = {pair.other for pair in pairs}
    rest = [name for name in second.values() if name not in taken]
    if marks and rest:
        renamed = dict(_by_marks(marks, second, others, rest))
        for batch in _batches(item for item in reference.run(inputs) if item.name in renamed):
            results = second.all(others, [renamed[item.name] for item in batch])
            for item in batch:
                result = results[renamed[item.name]]
                pairs.append(_Pair(item.name, renamed[item.name], result.dtype))
                whole[item.name] = _difference(item, result)
    return sorted(pairs, key=lambda pair: places[pair.name]), whole


def _by_marks(
    marks: dict[str, _Mark], second: Graph | File, others: Arrays, rest: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Values of other names that have the same numbers."""
    for names in _chunks(rest, 64):
        for other, result in second.all(others, names).items():
            mark = _mark(result) if isinstance(result, np.ndarray) else None
            name = next((n for n, m in marks.items() if mark is not None and m.is_close(mark)), None)
            if name is not None:
                del marks[name]
                yield name, other


def _chunks(names: Sequence[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(names), size):
        yield list(names[start : start + size])


def _batches(items: Iterator[Expectation]) -> Iterator[list[Expectation]]:
    """Values that fit into memory together."""
    batch: list[Expectation] = []
    size = 0
    for item in items:
        batch.append(item)
        size += 4 * item.exact.nbytes
        if size > _BUDGET:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _difference(item: Expectation, result: Array) -> Difference:
    return difference(item.name, rounded(item.exact, item.dtype), result, Exact(item.exact, item.bound))


# ---- what each layer adds


def _own(
    reference: Reference, second: Graph | File, inputs: Arrays, others: Arrays, pairs: Sequence[_Pair]
) -> Iterator[tuple[Difference, list[str]]]:
    """What the second model's nodes err from the first's values on, with the nodes."""
    by_name = {pair.name: pair for pair in pairs}
    borders = {pair.other for pair in pairs}
    sources = {pair.other: second.sources([pair.other], borders) for pair in pairs}
    last = {source: other for other, needs in sources.items() for source in needs}
    given: Arrays = dict(others)
    entries = {name: pair.dtype for name, pair in by_name.items()}
    for batch in _batches(item for item in reference.run(inputs, entries) if item.name in by_name):
        for item in batch:
            pair = by_name[item.name]
            given[pair.other] = rounded(item.exact, pair.dtype)
        wanted = [by_name[item.name].other for item in batch]
        results = second.part(wanted, _needed(given, sources, wanted))
        for item in batch:
            other = by_name[item.name].other
            yield _difference(item, results[other]), second.makers([other], borders)
        for other in wanted:
            for source in sources[other]:
                if last[source] == other:
                    given.pop(source, None)


def _needed(given: Arrays, sources: Mapping[str, set[str]], wanted: Sequence[str]) -> Arrays:
    names = {name for other in wanted for name in sources[other]}
    return {name: array for name, array in given.items() if name in names}
