"""What libraries' own loaders take from `gluon.data.dataloader`: batches made by a pool of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import Any

from ...context import Context, cpu_pinned
from ...ndarray.ndarray import NDArray

_worker_dataset: Any = None
"""The data set of a worker process."""


def _worker_initializer(dataset: Any, *_: object) -> None:
    """Give a worker process its data set."""
    global _worker_dataset
    _worker_dataset = dataset


def _worker_fn(samples: Iterable[Any], batchify_fn: Callable[..., Any], dataset: Any = None) -> bytes:
    """A batch of a worker process, pickled for the process that waits for it."""
    rows = _worker_dataset if dataset is None else dataset
    return bytes(ForkingPickler.dumps(batchify_fn([rows[i] for i in samples])))


def _thread_worker_fn(samples: Iterable[Any], batchify_fn: Callable[..., Any], dataset: Any) -> Any:
    """A batch of a worker thread."""
    return batchify_fn([dataset[i] for i in samples])


def _as_in_context(data: Any, ctx: Context) -> Any:
    """Arrays, in lists or not, on a context."""
    if isinstance(data, NDArray):
        return data.as_in_context(ctx)
    if isinstance(data, list | tuple):
        return [_as_in_context(item, ctx) for item in data]
    return data


class _MultiWorkerIter:
    """Batches in the order of their samplers, made by a pool of `multiprocessing`.

    Subclasses of libraries override `_push_next`, which orders one more batch. Without a `dataset` workers
    are processes of this program, and answer with pickled batches.
    """

    def __init__(
        self,
        worker_pool: Any,
        batchify_fn: Callable[..., Any],
        batch_sampler: Iterable[Sequence[Any]],
        pin_memory: bool = False,
        pin_device_id: int = 0,
        worker_fn: Callable[..., Any] = _worker_fn,
        prefetch: int = 0,
        dataset: Any = None,
        data_loader: Any = None,
        timeout: float = 120,
    ) -> None:
        self._worker_pool, self._worker_fn = worker_pool, worker_fn
        self._batchify_fn, self._batch_sampler = batchify_fn, batch_sampler
        self._pin_memory, self._pin_device_id = pin_memory, pin_device_id
        self._dataset, self._data_loader, self._timeout = dataset, data_loader, timeout
        self._data_buffer: dict[int, Any] = {}
        self._sent_idx = self._rcvd_idx = 0
        self._iter = iter(batch_sampler)
        for _ in range(prefetch):
            self._push_next()

    def __len__(self) -> int:
        return len(self._batch_sampler)  # type: ignore[arg-type]  # any sampler has a length

    def _push_next(self) -> None:
        """Order the next batch, if there is one."""
        samples = next(self._iter, None)
        if samples is None:
            return
        arguments = (samples, self._batchify_fn, self._dataset)
        self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(self._worker_fn, arguments)
        self._sent_idx += 1

    def __next__(self) -> Any:
        self._push_next()
        if self._rcvd_idx == self._sent_idx:
            raise StopIteration
        batch = self._data_buffer.pop(self._rcvd_idx).get(self._timeout)
        self._rcvd_idx += 1
        if self._dataset is None:
            batch = ForkingPickler.loads(batch)  # of a process of this program's
        return _as_in_context(batch, cpu_pinned(self._pin_device_id)) if self._pin_memory else batch

    next = __next__

    def __iter__(self) -> Iterator[Any]:
        return self
