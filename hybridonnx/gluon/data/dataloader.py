"""Batches of a dataset, made by threads ahead of time if there are workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.reduction import ForkingPickler as ForkingPickler
from typing import Any

import numpy as np

from ..._locks import no_fork
from ..._threads import Threads, Work
from ...errors import MXNetError
from ...ndarray.ndarray import NDArray
from ...ops import DrawingFrom, drawing, generator
from ._workers import _as_in_context as _as_in_context
from ._workers import _MultiWorkerIter as _MultiWorkerIter
from ._workers import _thread_worker_fn as _thread_worker_fn
from ._workers import _worker_fn as _worker_fn
from ._workers import _worker_initializer as _worker_initializer
from .batchify import default as default_batchify_fn
from .dataset import Dataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler

__all__ = ["DataLoader", "DataLoaderV1", "default_batchify_fn", "default_mp_batchify_fn"]

default_mp_batchify_fn = default_batchify_fn
"""Workers are threads, which share memory."""


class DataLoader:
    """Batches of a dataset: of `batch_size` samples in order or shuffled, or as samplers say.

    `num_workers` threads make up to `prefetch` batches ahead (twice as many as workers, if not given), in the
    order of the samplers; whoever waits for one longer than `timeout` seconds gets an error. Workers are
    threads whatever `thread_pool` says; `pin_memory` is accepted, and changes nothing. With `auto_reload` the
    first batches of the next iteration are already being made. What transforms draw follows from the seed,
    not from the number of workers. Threads may iterate over it at once, each by an iterator of its own; in a
    forked process it goes on, with threads that begin there.
    """

    def __init__(
        self,
        dataset: Dataset | Sequence[object] | NDArray,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Iterable[int] | None = None,
        last_batch: str | None = None,
        batch_sampler: Iterable[Sequence[int]] | None = None,
        batchify_fn: Callable[..., object] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        prefetch: int | None = None,
        thread_pool: bool = False,
        timeout: float = 120,
        auto_reload: bool = False,
    ) -> None:
        if timeout <= 0:
            raise AssertionError(f"DataLoader: a timeout above 0 seconds is required, got {timeout}.")
        self._dataset = dataset
        if batch_sampler is None:
            batch_sampler = _batches(dataset, batch_size, shuffle, sampler, last_batch)
        else:
            _require_none(batch_size, shuffle, sampler, last_batch)
        self._batch_sampler = batch_sampler
        self._batchify_fn = batchify_fn or default_batchify_fn
        self._num_workers = max(0, num_workers)
        self._prefetch = max(0, 2 * self._num_workers if prefetch is None else int(prefetch))
        self._timeout = timeout
        self._pin_memory, self._pin_device_id = pin_memory, pin_device_id
        self._pool = Threads(self._num_workers, "DataLoader") if self._num_workers else None
        self._auto_reload = auto_reload and self._pool is not None
        self._ready: Iterator[Any] | None = None
        if self._auto_reload:
            self.refresh()

    def __iter__(self) -> Iterator[Any]:
        if self._pool is None:
            return (self._batch(indices, seed) for indices, seed in self._orders())
        if not self._auto_reload:
            return _Ahead(self, self._pool)
        ready, self._ready = self._ready, None
        return self._reloading(ready or _Ahead(self, self._pool))

    def __len__(self) -> int:
        return len(self._batch_sampler)  # type: ignore[arg-type]  # any sampler has a length

    def __getstate__(self) -> dict[str, Any]:
        """What copies take over: not the batches made ahead."""
        return {**self.__dict__, "_ready": None}

    def __del__(self) -> None:
        pool = getattr(self, "_pool", None)
        if pool is not None:
            pool.end()

    def _orders(self) -> Iterator[tuple[Iterable[Any], np.random.SeedSequence]]:
        """For each batch its indices, and a seed, so that the draws do not depend on the workers."""
        with no_fork(), drawing():
            rng = generator()
            seeds = np.random.SeedSequence(int(rng.integers(1 << 63)))
        for indices in self._batch_sampler:
            yield indices, seeds.spawn(1)[0]

    def _batch(self, indices: Iterable[Any], seed: np.random.SeedSequence) -> Any:
        with DrawingFrom(np.random.default_rng(seed)):
            return self._batchify_fn([self._dataset[i] for i in indices])

    def _reloading(self, ready: Iterator[Any]) -> Iterator[Any]:
        yield from ready
        self.refresh()

    def clean(self) -> None:
        """Drop the batches made ahead for the next iteration."""
        self._ready = None

    def refresh(self) -> None:
        """Make batches ahead for the next iteration, anew."""
        self._ready = None if self._pool is None else _Ahead(self, self._pool)


DataLoaderV1 = DataLoader
"""MXNet's loader of before 1.4, which takes fewer arguments."""


class _Ahead:
    """Batches in order, of which workers make some ahead."""

    def __init__(self, loader: DataLoader, pool: Threads) -> None:
        self._loader = loader  # which shuts the pool down when nobody needs it
        self._pool = pool
        self._orders = loader._orders()
        self._futures: deque[Work] = deque()
        for _ in range(loader._prefetch):
            self._order()

    def _order(self) -> None:
        order = next(self._orders, None)
        if order is not None:
            self._futures.append(self._pool.submit(self._loader._batch, *order))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self._order()
        if not self._futures:
            raise StopIteration
        future = self._futures.popleft()
        try:
            return future.result(self._loader._timeout)
        except TimeoutError:
            if future.done():  # the error is the dataset's own
                raise
            raise MXNetError(
                f"DataLoader: a batch within {self._loader._timeout} seconds is required, got none. Raise "
                "timeout, or look for what blocks the dataset or its transforms."
            ) from None


def _batches(
    dataset: Any, batch_size: int | None, shuffle: bool, sampler: Iterable[Any] | None, last_batch: str | None
) -> BatchSampler:
    """Batches of a sampler's indices, or of all in order or shuffled."""
    if batch_size is None:
        raise ValueError("batch_size must be specified unless batch_sampler is specified")
    if sampler is not None and shuffle:
        raise ValueError("shuffle must not be specified if sampler is specified")
    if sampler is None:
        sampler = (RandomSampler if shuffle else SequentialSampler)(len(dataset))
    return BatchSampler(sampler, batch_size, last_batch or "keep")


def _require_none(
    batch_size: int | None, shuffle: bool, sampler: Iterable[Any] | None, last_batch: str | None
) -> None:
    if batch_size is not None or shuffle or sampler is not None or last_batch is not None:
        raise ValueError(
            "batch_size, shuffle, sampler and last_batch must not be specified if batch_sampler is specified."
        )
