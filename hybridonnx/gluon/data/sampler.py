"""Orders in which the elements of a dataset are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..._locks import no_fork
from ...ops import drawing, generator

__all__ = [
    "BatchSampler",
    "FilterSampler",
    "IntervalSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SplitSampler",
]

LAST_BATCH = ("keep", "discard", "rollover")
"""What may become of a last batch with too few elements."""


class Sampler:
    """Indices, anew for each iteration. Subclasses define `__iter__` and `__len__`."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__}: a subclass with __iter__ is required.")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__}: a subclass with __len__ is required.")


class SequentialSampler(Sampler):
    """The `length` indices from `start`, in order."""

    def __init__(self, length: int, start: int = 0) -> None:
        self._length = length
        self._start = start

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._start, self._start + self._length))

    def __len__(self) -> int:
        return self._length


class RandomSampler(Sampler):
    """The indices from 0 in random order, drawn from the generator that `mx.random.seed` starts."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __iter__(self) -> Iterator[Any]:
        with no_fork(), drawing():
            rng = generator()
            return iter(rng.permutation(self._length))

    def __len__(self) -> int:
        return self._length


class FilterSampler(Sampler):
    """The indices of those elements of a dataset for which `fn` is true."""

    def __init__(self, fn: Callable[..., object], dataset: Any) -> None:
        self._indices = [i for i in range(len(dataset)) if fn(dataset[i])]

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class IntervalSampler(Sampler):
    """Every `interval`-th index, and with `rollover` then the others, round by round."""

    def __init__(self, length: int, interval: int, rollover: bool = True) -> None:
        if not 1 <= interval <= length:
            raise AssertionError(
                f"IntervalSampler: an interval from 1 to the length {length} is required, got {interval}."
            )
        self._length = length
        self._interval = interval
        self._rollover = rollover

    def __iter__(self) -> Iterator[int]:
        rounds = range(self._interval if self._rollover else 1)
        return (i for start in rounds for i in range(start, self._length, self._interval))

    def __len__(self) -> int:
        return self._length if self._rollover else -(-self._length // self._interval)


class SplitSampler(Sampler):
    """The indices of one of `num_parts` parts of `length` elements, such as each worker has one.

    Parts are neighbours in a row, of which the first have one element more if they cannot be equal; with
    `even_size` all have as many, and elements of the first part fill the last ones. `repeat` gives all of
    them so often, and `shuffle` in random order, drawn from the generator that `mx.random.seed` starts.
    GluonNLP has it so.
    """

    def __init__(
        self,
        length: int,
        num_parts: int = 1,
        part_index: int = 0,
        even_size: bool = False,
        repeat: int = 1,
        shuffle: bool = True,
    ) -> None:
        if not 1 <= num_parts <= length:
            raise AssertionError(
                f"SplitSampler: a number of parts from 1 to the length {length} is required, got {num_parts}."
            )
        if not 0 <= part_index < num_parts:
            raise AssertionError(
                f"SplitSampler: a part from 0 to {num_parts - 1} is required, got {part_index}. It is the "
                "worker's rank, as num_parts is the number of workers."
            )
        if repeat < 1:
            raise AssertionError(f"SplitSampler: 1 or more is required as repeat, got {repeat}.")
        each, more = divmod(length, num_parts)
        if even_size and more:
            begin = (each + 1) * part_index
            self._indices = [i % length for i in range(begin, begin + each + 1)]
        else:
            begin = each * part_index + min(part_index, more)
            self._indices = [*range(begin, begin + each + (part_index < more))]
        self._repeat = repeat
        self._shuffle = shuffle

    def __iter__(self) -> Iterator[Any]:
        indices = self._indices * self._repeat
        if not self._shuffle:
            return iter(indices)
        with no_fork(), drawing():
            return iter(generator().permutation(indices))

    def __len__(self) -> int:
        return len(self._indices) * self._repeat


class BatchSampler(Sampler):
    """Lists of `batch_size` indices of another sampler.

    What is too few for a batch at the end is a smaller one ("keep"), is dropped ("discard"), or begins the
    next iteration ("rollover").
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, last_batch: str = "keep") -> None:
        if last_batch not in LAST_BATCH:
            raise ValueError(
                f"last_batch must be one of 'keep', 'discard', or 'rollover', but got {last_batch}"
            )
        if batch_size < 1:
            raise ValueError(f"BatchSampler: a batch size of 1 or more is required, got {batch_size}.")
        self._sampler = sampler
        self._batch_size = batch_size
        self._last_batch = last_batch
        self._left: list[Any] = []

    def __iter__(self) -> Iterator[list[Any]]:
        batch, self._left = self._left, []
        for index in self._sampler:
            batch.append(index)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if batch and self._last_batch == "keep":
            yield batch
        elif self._last_batch == "rollover":
            self._left = batch

    def __len__(self) -> int:
        count = len(self._sampler)  # type: ignore[arg-type]  # any sampler has a length
        if self._last_batch == "keep":
            return -(-count // self._batch_size)
        return (count + len(self._left)) // self._batch_size
