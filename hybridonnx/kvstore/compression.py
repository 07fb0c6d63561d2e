"""Gradients in fewer bits for the way between workers: `set_gradient_compression`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import AttributeValueError, MXNetError, suggest
from ..ops import Array
from .workers import Pending, Workers

_TYPES = ("2bit", "fp16")
_CODES = 4
"""How many elements a byte has."""
_FEW = 4
"""Up to how many workers each gets all codes: beyond that they are more bytes than sums."""
_SHIFTS = np.arange(0, 8, 2, dtype=np.uint8)


class Summing(NamedTuple):
    """A sum that goes on: `finish` waits for it, and writes it into the array that it is for."""

    pending: Pending
    rest: Array | None
    """What is to be the residual when the sum counts."""
    finish: Callable[[], None]


class Compression:
    """How float32 arrays are sent.

    Args:
        params: `type` is "2bit" or "fp16"; `threshold`, of "2bit" alone, is above 0, by default 0.5.

    Raises:
        MXNetError: They are others.
    """

    def __init__(self, params: Mapping[str, object]) -> None:
        settings = dict(params)
        kind = settings.pop("type", None)
        if kind not in _TYPES:
            raise AttributeValueError(
                f"Gradient compression: a type among {', '.join(_TYPES)} is required, got {kind!r}."
            )
        self.kind = str(kind)
        names = ["threshold"] if kind == "2bit" else []
        for name in settings:
            if name not in names:
                raise AttributeValueError(
                    f"Gradient compression: {', '.join(['type', *names])} are required, got {name!r}."
                    f"{suggest(name, names)}"
                )
        threshold: Any = settings.get("threshold", 0.5)
        try:
            self.threshold = np.float32(threshold)
        except (TypeError, ValueError):
            self.threshold = np.float32(0)
        if kind == "2bit" and not self.threshold > 0:
            raise MXNetError(
                f"Gradient compression: a threshold greater than 0 is required, got {threshold!r}."
            )

    @property
    def keeps_rest(self) -> bool:
        """Whether what was not sent is added to the next gradient."""
        return self.kind == "2bit"

    def begin(self, group: Workers, what: str, source: Array, target: Array, rest: Array | None) -> Summing:
        """Begin to write the sum over workers into a flat array; `rest` is the residual, if there is one."""
        if self.kind == "fp16":
            return _in_halves(group, what, source, target)
        assert rest is not None
        codes, left = self._quantized(source, rest)
        begin = _all_codes if group.size <= _FEW else _parts_of_codes
        pending, count = begin(group, what, codes)

        def finish() -> None:
            np.multiply(count(), self.threshold, out=target, casting="unsafe")

        return Summing(pending, left, finish)

    def _quantized(self, gradient: Array, rest: Array) -> tuple[Array, Array]:
        """For each element 1, -1 or 0 thresholds, as it is with the rest, and what is left then."""
        total = gradient + rest
        codes: Array = np.subtract(total >= self.threshold, total <= -self.threshold, dtype=np.int8)
        return codes, total - codes * self.threshold


def _all_codes(group: Workers, what: str, codes: Array) -> tuple[Pending, Callable[[], Array]]:
    """Send all codes to all workers, each of which adds them up."""
    packed = _packed(codes)
    everyone = np.empty((group.size, packed.size), np.uint8)
    pending = group.begin_gather(what, packed, everyone)

    def count() -> Array:
        pending.wait()
        return _counted(everyone, codes.size)

    return pending, count


def _parts_of_codes(group: Workers, what: str, codes: Array) -> tuple[Pending, Callable[[], Array]]:
    """Send each worker a part of the codes, which it adds up for all."""
    part = -(-codes.size // (group.size * _CODES)) * _CODES
    padded = np.zeros(group.size * part, np.int8)
    padded[: codes.size] = codes
    given = _packed(padded).reshape(group.size, -1)
    taken = np.empty_like(given)
    pending = group.begin_exchange(what, given, taken)

    def count() -> Array:
        pending.wait()
        own = _counted(taken, part)
        everyone = np.empty((group.size, part), own.dtype)
        group.begin_gather(what, own, everyone).wait()
        return everyone.reshape(-1)[: codes.size]

    return pending, count


def _counted(rows: Array, count: int) -> Array:
    """The sums of the workers' codes, in the fewest bytes."""
    total: Array = np.zeros(count, np.int8 if len(rows) <= np.iinfo(np.int8).max else np.int16)
    for row in rows:
        total += _unpacked(row, count)
    return total


def _packed(codes: Array) -> Array:
    """Codes from -1 to 1 as bytes of four each."""
    padded = np.zeros(-(-codes.size // _CODES) * _CODES, np.uint8)
    padded[: codes.size] = codes + np.int8(1)
    packed: Array = np.bitwise_or.reduce(padded.reshape(-1, _CODES) << _SHIFTS, axis=1)
    return packed


def _unpacked(packed: Array, count: int) -> Array:
    """The codes in such bytes."""
    codes: Array = (packed[:, None] >> _SHIFTS & 3).astype(np.int8).reshape(-1)[:count]
    return codes - np.int8(1)


def _in_halves(group: Workers, what: str, source: Array, target: Array) -> Summing:
    """Each worker adds up its part of all arrays in float32, and sends it to all: it is rounded twice."""
    part = -(-source.size // group.size)
    given = np.zeros((group.size, part), np.float16)
    with np.errstate(over="ignore"):  # what is too large is infinite for everyone
        given.reshape(-1)[: source.size] = source
    taken = np.empty_like(given)
    pending = group.begin_exchange(what, given, taken)

    def finish() -> None:
        pending.wait()
        with np.errstate(over="ignore", invalid="ignore"):
            own = taken.sum(axis=0, dtype=np.float32).astype(np.float16)
        everyone = np.empty_like(given)
        group.begin_gather(what, own, everyone).wait()
        target[:] = everyone.reshape(-1)[: source.size]

    return Summing(pending, None, finish)
