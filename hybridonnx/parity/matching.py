"""Which values of two models are one, where their names differ: by their numbers, and by their place.

A value of the second model has the numbers of the first's as long as nothing before it is at fault. Behind a
fault nothing has, up to the end of the model. What comes next there is matched by its place: it is computed
from the same values and has the same shape; and it is right if what follows has the first's numbers again
once the first's value is put in its stead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..converters.quantization import Grid
from ..dtypes import DType
from ..ops import Array
from .models import Arrays, File, Graph
from .rounding import Border, rounded

_CLOSE = 1e-3
"""How far the marks of one value in two models may be apart, of its size."""
_AT_ONCE = 64
"""So many values of the second model are asked for in one run."""
_TRIES = 8
"""How many values are tried at a place."""


class Mark(NamedTuple):
    """What tells a value from others without keeping it."""

    shape: tuple[int, ...]
    size: float
    sums: tuple[float, float, float]

    def is_close(self, other: Mark | None) -> bool:
        """Whether both are of one value, up to rounding."""
        if other is None or self.shape != other.shape:
            return False
        near = _CLOSE * max(self.size, other.size, 1e-12)
        return bool(np.all(np.abs(np.subtract(self.sums, other.sums)) <= near))


def mark(x: object) -> Mark | None:
    """The mark of a value; `None` for what is too plain to be told from others."""
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "fV" or x.size < 2:
        return None
    flat = np.asarray(x, np.float64).ravel()
    flat = np.where(np.isfinite(flat), flat, 0.0)
    size = float(np.sqrt(np.mean(flat**2)))
    if not size:
        return None
    waves = np.arange(flat.size)
    sums = (flat.mean(), np.mean(flat * np.cos(0.7 * waves)), np.mean(flat * np.sin(1.9 * waves + 1)))
    return Mark(x.shape, size, tuple(float(s) * np.sqrt(flat.size) for s in sums))


class Pair(NamedTuple):
    """A value of the first model and the one of the second that it is."""

    name: str
    other: str
    dtype: DType
    """The second model's."""
    grid: Grid | None = None
    """The numbers that it can be there, if it is quantized."""

    def border(self) -> Border:
        """What the second model has of it."""
        return Border(self.dtype, self.grid)


def by_marks(
    marks: dict[str, Mark], second: Graph | File, others: Arrays, rest: Sequence[str]
) -> Iterator[Pair]:
    """Values that have the same numbers where both models run from their inputs.

    Args:
        marks: Those of the first model's values; what is matched is taken out.
        second: The second model.
        others: Its inputs by name.
        rest: Those of its values that may match.
    """
    for names in _chunks(rest):
        for other, result in second.all(others, names).items():
            name = _like(mark(result), marks)
            if name is not None:
                del marks[name]
                yield Pair(name, other, result.dtype)


def by_place(
    models: tuple[Graph, Graph | File],
    pairs: Sequence[Pair],
    exact: Mapping[str, Array],
    inputs: Mapping[str, tuple[str, Array]],
    end: Pair,
) -> list[Pair]:
    """Values between known ones and `end`, which is at fault.

    Args:
        models: Both.
        pairs: What is known.
        exact: The first model's values by name; those that are not there are not matched.
        inputs: The second model's inputs by the first's names: their names and arrays.
        end: The value at fault.
    """
    first, second = models
    known = {pair.name: pair.other for pair in pairs}
    left = [name for name in first.between([end.name], known) if name in exact and name not in known]
    others = [name for name in second.between([end.other], known.values()) if name not in known.values()]
    if not left or not others or end.name not in exact:
        return []
    return _Segment(models, pairs, exact, inputs, end).matches(left, others)


class _Segment:
    """The values of both models between known ones and one that is at fault."""

    def __init__(
        self,
        models: tuple[Graph, Graph | File],
        pairs: Sequence[Pair],
        exact: Mapping[str, Array],
        inputs: Mapping[str, tuple[str, Array]],
        end: Pair,
    ) -> None:
        self._first, self._second = models
        self._exact, self._end = exact, end
        self._marks = {name: sign for name, x in exact.items() if (sign := mark(x)) is not None}
        self._names = {name: other for name, (other, _) in inputs.items()}
        self._values = dict(inputs.values())
        for pair in pairs:
            self._names[pair.name] = pair.other
            if pair.name in exact and pair != end:
                self._values[pair.other] = rounded(exact[pair.name], pair.dtype)

    def matches(self, left: list[str], others: list[str]) -> list[Pair]:
        """Which of the second model's values `others` are which of the first's `left`, both in order."""
        pairs: list[Pair] = []
        while left and others:
            several = list(self._by_numbers(left, others)) or self._by_place(left, others)
            if not several:
                break
            for pair in several:
                left.remove(pair.name)
                others.remove(pair.other)
                self._names[pair.name] = pair.other
                self._values[pair.other] = rounded(self._exact[pair.name], pair.dtype)
            pairs += several
        return pairs

    def _by_numbers(self, left: Sequence[str], others: Sequence[str]) -> Iterator[Pair]:
        marks = {name: self._marks[name] for name in left if name in self._marks}
        for other, result in self._results(others, self._values):
            name = _like(mark(result), marks)
            if name is not None:
                del marks[name]
                yield Pair(name, other, result.dtype)

    def _by_place(self, left: Sequence[str], others: Sequence[str]) -> list[Pair]:
        """The value that makes those behind it right, if there is one."""
        candidates = sorted(self._candidates(left, others), key=lambda item: item[0])
        for _, pair in candidates[:_TRIES]:
            trial = {**self._values, pair.other: rounded(self._exact[pair.name], pair.dtype)}
            if self._is_right(pair, trial, left, others):
                return [pair]
        return []

    def _candidates(self, left: Sequence[str], others: Sequence[str]) -> Iterator[tuple[float, Pair]]:
        """Values of one shape that are computed from the same ones, and how far apart they are."""
        places: dict[frozenset[str], list[str]] = {}
        borders = [*self._names]
        for name in left:
            sources = self._first.sources([name], borders)
            places.setdefault(frozenset(self._names.get(s, "") for s in sources), []).append(name)
        near = [(other, self._needs(other, self._values)) for other in others[:_AT_ONCE]]
        fits = {other: places[needs] for other, needs in near if needs in places}
        for other, result in self._results(list(fits), self._values):
            for name in fits[other]:
                required = self._exact[name]
                if result.shape == required.shape and result.dtype.kind == required.dtype.kind:
                    yield _apart(required, result), Pair(name, other, result.dtype)

    def _is_right(self, pair: Pair, trial: Arrays, left: Sequence[str], others: Sequence[str]) -> bool:
        behind = [o for o in others if o != pair.other and pair.other in self._needs(o, trial)]
        marks = {name: self._marks[name] for name in left if name in self._marks and name != pair.name}
        if pair.other in self._needs(self._end.other, trial):
            behind = [*behind[: _AT_ONCE - 1], self._end.other]
        for other, result in self._results(behind[:_AT_ONCE], trial):
            sign = mark(result)
            if other == self._end.other:
                if sign is not None and sign.is_close(self._marks.get(self._end.name)):
                    return True
            elif _like(sign, marks) is not None:
                return True
        return False

    def _needs(self, other: str, values: Iterable[str]) -> frozenset[str]:
        return frozenset(self._second.sources([other], set(values)))

    def _results(self, others: Sequence[str], values: Arrays) -> Iterator[tuple[str, Array]]:
        for names in _chunks(others):
            needs = self._second.sources(names, set(values))
            yield from self._second.part(names, {name: values[name] for name in needs}).items()


def _like(sign: Mark | None, marks: Mapping[str, Mark]) -> str | None:
    """The name of the value that has a mark."""
    return None if sign is None else next((name for name, m in marks.items() if m.is_close(sign)), None)


def _apart(x: Array, y: Array) -> float:
    """How far two values are apart, of the first one's size."""
    a, b = (np.nan_to_num(np.asarray(v, np.float64)) for v in (x, y))
    return float(np.linalg.norm(a - b)) / max(float(np.linalg.norm(a)), 1e-300)


def _chunks(names: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(names), _AT_ONCE):
        yield list(names[start : start + _AT_ONCE])
