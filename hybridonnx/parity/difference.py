"""How far values of two models are apart: in units in the last place, and beside what rounding can do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from ..dtypes import DType
from ..ops import Array
from .distances import gaps

_FEW_ULPS = 4.0
"""Up to how many units in the last place values agree."""
_LEAST = 1e-45
"""The least unit in the last place: of numbers below that all digits are lost."""
DECADES = (-10, 6)
"""The powers of ten between which the histogram has its bins."""
BINS = 4
"""How many bins a power of ten has."""
PERCENTS = (50, 90, 99)
"""The percentiles that reports have."""


class Verdict(StrEnum):
    """What a difference is."""

    AGREES = "agrees"
    """Equal, or within a few units in the last place."""
    ROUNDING = "rounding"
    """Within what rounding can do to this graph at these inputs."""
    QUANTIZED = "as quantized"
    """Within what the steps of a quantized model can do."""
    FAULT = "fault"
    """More than rounding can do."""


ORDER = list(Verdict)
BUT = {Verdict.ROUNDING: " but for rounding", Verdict.QUANTIZED: " but for what is quantized"}
"""What is to be added where two models are said to agree."""


@dataclass(frozen=True)
class Difference:
    """How far a value of the second model is from the first's."""

    name: str
    shape: tuple[int, ...]
    absolute: float
    """The largest difference."""
    relative: float
    """The largest difference over the largest magnitude of the first model's value."""
    verdict: Verdict = Verdict.AGREES
    other: str = ""
    """What the second model calls the value."""
    dtype: str = ""
    """The second model's element type."""
    size: int = 0
    """Elements, of all samples."""
    mean: float = 0.0
    """The mean absolute difference."""
    ulps: float = 0.0
    """The largest difference in units of the last place of the first model's element."""
    share: float = 0.0
    """The largest difference over the bound of what rounding can do to that element."""
    mismatches: int = 0
    """Elements beyond the bound."""
    index: tuple[int, ...] | None = None
    """The element that is farthest from its bound, or farthest off if all are within."""
    bound: float | None = None
    """How far off rounding can put that element; `None` where anything may come out."""
    expected: float | None = None
    """The first model's value there."""
    result: float | None = None
    """The second model's value there."""
    histogram: tuple[int, ...] = ()
    """How many elements are at which share of their bounds: from 1e-10 to 1e6, four bins to a decade."""
    note: str = ""
    """What there is to say beside."""

    def ok(self, tol: float | None = None) -> bool:
        """Whether it is rounding at most; with `tol`, whether the relative difference is within it."""
        return self.verdict is not Verdict.FAULT if tol is None else self.relative <= tol

    def percentile(self, percent: float) -> float:
        """The share of their bounds that so many percent of the elements stay below."""
        counts = np.cumsum(self.histogram)
        if not counts.size or not counts[-1]:
            return 0.0
        place = int(np.searchsorted(counts, counts[-1] * percent / 100))
        return float(min(10.0 ** (DECADES[0] + place / BINS), self.share))

    def __str__(self) -> str:
        return (
            f"{self.name:<40} {self.shape!s:<20} {self.absolute:9.2e} {self.relative:9.2e} {self.ulps:9.3g} "
            f"{self.share:9.2e} {self.verdict}{f': {self.note}' if self.note else ''}"
        )


PART = 1 << 15
"""So many elements are judged at once."""


class Exact(NamedTuple):
    """What a value should be."""

    value: Array
    """In float64 where it is a floating-point number."""
    bound: Any
    """How far off each element may be by rounding; infinite where anything may come out."""
    step: Any = 0.0
    """How much farther the second model's quantization may put it."""

    def allowed(self) -> Array:
        """How far off each element may be in all."""
        return np.asarray(np.add(self.bound, self.step))


def difference(name: str, expected: Array, result: Array, exact: Exact | None = None) -> Difference:
    """Compare two values.

    Args:
        name: What the value is called.
        expected: The first model's.
        result: The second's. Of another shape it differs infinitely.
        exact: What both should be; without it they should be equal.
    """
    shape, dtype = result.shape, str(result.dtype)
    if expected.shape != shape:
        note = f"shape {expected.shape} is required, got {shape}"
        return Difference(name, shape, np.inf, np.inf, Verdict.FAULT, dtype=dtype, share=np.inf, note=note)
    if not result.size:
        return Difference(name, shape, 0.0, 0.0, dtype=dtype)
    if result.dtype.kind not in "biufV" or expected.dtype.kind not in "biufV":
        return _of_texts(name, expected, result)
    parts = [_part(*part) for part in _parts(expected, result, exact)]
    share, off = max(part.share for part in parts), max(part.off for part in parts)
    first = 0 if share > 1 else 1  # the element that is farthest beyond its bound, or else farthest off
    worst = max(range(len(parts)), key=lambda k: parts[k][first])
    place = worst * PART + parts[worst].places[first]
    index = tuple(map(int, np.unravel_index(place, shape)))
    beyond, counted = sum(part.beyond for part in parts), sum(part.counted for part in parts)
    is_rounding = not any(part.is_quantized for part in parts)
    return Difference(
        name,
        shape,
        off,
        off / max(*(part.size for part in parts), 1e-6),
        _verdict(beyond, all(part.few for part in parts), is_rounding),
        dtype=dtype,
        size=result.size,
        mean=sum(part.total for part in parts) / counted if counted else float("inf"),
        ulps=max(part.ulps for part in parts),
        share=share,
        mismatches=beyond,
        index=index,
        bound=_bound_at(exact, index, shape),
        expected=float(expected[index]),
        result=float(result[index]),
        histogram=tuple(map(sum, zip(*(part.histogram for part in parts), strict=True))),
    )


class _Part(NamedTuple):
    """What is told of some of the elements."""

    share: float
    off: float
    places: tuple[int, int]
    """Where the largest share is, and what is farthest off."""
    size: float
    """The largest finite number."""
    total: float
    """The sum of what they are off, those that are infinitely so left out."""
    counted: int
    ulps: float
    few: bool
    beyond: int
    is_quantized: bool
    """Whether quantization alone accounts for one."""
    histogram: tuple[int, ...]


def _parts(
    expected: Array, result: Array, exact: Exact | None
) -> Iterator[tuple[Array, Array, Exact | None, float]]:
    """So many elements at once that what is calculated with them stays in a processor's cache."""
    unit = unit_of(expected.dtype)
    if result.size <= PART:
        yield expected.reshape(-1), result.reshape(-1), _flat(exact, result.shape), unit
        return
    a, b, flat = expected.reshape(-1), result.reshape(-1), _flat(exact, result.shape)
    for start in range(0, b.size, PART):
        part = slice(start, start + PART)
        some = None if flat is None else Exact(*(x[part] if np.ndim(x) else x for x in flat))
        yield a[part], b[part], some, unit


def _flat(exact: Exact | None, shape: tuple[int, ...]) -> Exact | None:
    """Its arrays with one axis; numbers stay."""
    if exact is None:
        return None
    return Exact(*(np.broadcast_to(x, shape).reshape(-1) if np.ndim(x) else x for x in exact))


def _part(expected: Array, result: Array, exact: Exact | None, unit: float) -> _Part:
    a, b = np.asarray(expected, np.float64), np.asarray(result, np.float64)
    off = gaps(a, b)
    finite = np.where(np.isfinite(a), np.abs(a), 0.0)
    ulps = np.zeros(off.shape)
    np.divide(off, np.maximum(unit * finite, _LEAST) if unit else 1.0, out=ulps, where=off > 0)
    share = np.where(off > 0, np.inf, 0.0) if exact is None else _shares(exact, off, b)
    is_quantized = (
        exact is not None
        and bool(np.any(exact.step))
        and bool((_shares(exact._replace(step=0.0), off, b) > 1).any())
    )
    places = int(share.argmax()), int(off.argmax())
    counted = off[np.isfinite(off)]
    return _Part(
        float(share[places[0]]),
        float(off[places[1]]),
        places,
        float(finite.max()),
        float(counted.sum()),
        counted.size,
        float(ulps.max()),
        bool((ulps <= _FEW_ULPS if unit else off == 0).all()),
        int((share > 1).sum()),
        is_quantized,
        _histogram(share),
    )


def _verdict(beyond: int, few: bool, is_rounding: bool) -> Verdict:
    if beyond:
        return Verdict.FAULT
    if not is_rounding:
        return Verdict.QUANTIZED
    return Verdict.AGREES if few else Verdict.ROUNDING


def _shares(exact: Exact, off: Array, result: Array) -> Array:
    """How far elements are from what they should be, or from the first model's, over their bounds."""
    off = np.minimum(off, gaps(np.asarray(exact.value, np.float64), result))
    bounds = np.broadcast_to(np.asarray(exact.allowed(), np.float64), off.shape)
    with np.errstate(all="ignore"):
        return np.where((off == 0) | np.isposinf(bounds), 0.0, off / bounds)


def _bound_at(exact: Exact | None, index: tuple[int, ...], shape: tuple[int, ...]) -> float | None:
    """How far off an element may be."""
    bound = 0.0 if exact is None else float(np.broadcast_to(exact.allowed(), shape)[index])
    return bound if np.isfinite(bound) else None


def _of_texts(name: str, expected: Array, result: Array) -> Difference:
    other = np.asarray(expected.astype(str) != result.astype(str))
    off = float(other.any())
    verdict = Verdict.FAULT if off else Verdict.AGREES
    return Difference(
        name, result.shape, off, off, verdict, size=result.size, mismatches=int(other.sum()), share=off
    )


def _histogram(share: Array) -> tuple[int, ...]:
    low, high = DECADES
    bins = (high - low) * BINS
    with np.errstate(all="ignore"):
        places = np.floor((np.log10(share.ravel()) - low) * BINS)
    counts = np.bincount(np.clip(np.nan_to_num(places, posinf=bins), 0, bins - 1).astype(int), minlength=bins)
    return tuple(map(int, counts))


def together(differences: Sequence[Difference]) -> Difference:
    """The differences of one value in several samples as one."""
    if len(differences) == 1:
        return differences[0]
    worst = max(differences, key=lambda d: (ORDER.index(d.verdict), d.share, d.absolute))
    size = sum(d.size for d in differences)
    return replace(
        worst,
        absolute=max(d.absolute for d in differences),
        relative=max(d.relative for d in differences),
        ulps=max(d.ulps for d in differences),
        share=max(d.share for d in differences),
        mean=sum(d.mean * d.size for d in differences) / max(size, 1),
        size=size,
        mismatches=sum(d.mismatches for d in differences),
        histogram=tuple(map(sum, zip(*(d.histogram for d in differences if d.histogram), strict=True))),
    )


def unit_of(dtype: DType) -> float:
    """The distance from 1 to the next number of a dtype; 0 of integers."""
    if dtype.kind not in "fV" or "int" in dtype.name:
        return 0.0
    one = np.ones((), dtype)
    bits = one.view(f"u{dtype.itemsize}")  # NumPy has no `finfo` of bfloat16, float8 and the like
    return float((bits + bits.dtype.type(1)).view(dtype)) - 1
