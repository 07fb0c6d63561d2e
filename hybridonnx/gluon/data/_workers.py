"""What libraries' own loaders take from `gluon.data.dataloader`: batches made by a pool of workers."""

from __future__ import annotations

import os
import signal
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import TimeoutError as PoolTimeoutError
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

from ...context import Context, cpu_pinned
from ...errors import MXNetError
from ...formats.files import ScratchFolder
from ...ndarray.ndarray import NDArray

_POLL = 0.05
"""Seconds between looks at the workers while a batch is awaited."""
_PATIENCE = 2.0
"""Seconds for which nobody may take orders after a worker was killed."""
_START = 10.0
"""Seconds for which nobody may be at work then: a pool starts another process."""
_SHOWN = 8
"""How many samples of a batch an error names."""

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


def _begun(note: str, worker_fn: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """What `worker_fn` gives in a worker process, which notes first that it has begun."""
    Path(note).write_text(str(os.getpid()))
    return worker_fn(*arguments)


class _Watched:
    """The processes of a pool, and which batches they have begun: a killed one cannot tell any more."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._folder = ScratchFolder()
        weakref.finalize(self, self._folder.close)
        self._known: dict[int, Any] = {}
        self._orders: dict[int, tuple[Any, Sequence[Any]]] = {}
        """The results that are not there yet, and their samples, by the numbers of batches."""
        self._stuck_since: float | None = None
        self._mute_since: float | None = None

    def __contains__(self, batch: int) -> bool:
        return batch in self._orders

    def _note(self, batch: int) -> str:
        return os.path.join(self._folder.path, str(batch))

    def order(self, batch: int, samples: Any, worker_fn: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """Have a worker call a function for a batch."""
        self._see()
        result = self._pool.apply_async(_begun, (self._note(batch), worker_fn, arguments))
        self._orders[batch] = result, samples
        return result

    def _see(self) -> None:
        """Know the processes that the pool has now."""
        self._known.update((process.pid, process) for process in list(self._pool._pool))

    def _ended(self) -> dict[int, int]:
        """The exit codes of the processes that have ended."""
        self._see()
        return {pid: p.exitcode for pid, p in self._known.items() if p.exitcode is not None}

    def _killed(self) -> dict[int, int]:
        """Those of the processes that did not end by themselves."""
        return {pid: code for pid, code in self._ended().items() if code}

    def get(self, batch: int, timeout: float) -> Any:
        """The batch. Raises `MXNetError` if the worker that made it was killed, or if that took too long."""
        result, samples = self._orders[batch]
        end = time.monotonic() + timeout
        while not result.ready():
            result.wait(min(_POLL, max(end - time.monotonic(), 0)))
            late = time.monotonic() >= end
            if not result.ready():
                self._check(batch, samples, late)
        del self._orders[batch]
        Path(self._note(batch)).unlink(missing_ok=True)
        return result.get()

    def _check(self, batch: int, samples: Any, late: bool) -> None:
        """Raise if a batch will not come any more, or is late."""
        ended = self._ended()
        worker = self._worker_of(batch)
        shown = ", ".join(map(str, list(samples)[:_SHOWN])) + (", …" if len(samples) > _SHOWN else "")
        missing = f"DataLoader: batch {batch} (samples {shown}) is required, got none, as"
        if worker in ended:
            self._orders[batch][0].wait(10 * _POLL)  # it may have answered before
            if not self._orders[batch][0].ready():
                raise MXNetError(
                    f"{missing} worker process {worker} {_ended(ended[worker])} while it made it."
                )
            return
        killed = self._killed()
        if killed and (self._is_mute() or (worker is None and self._is_stuck())):
            pid, code = next(iter(killed.items()))
            how = _ended(code)
            raise MXNetError(f"{missing} worker process {pid} {how}, and no other can.")
        if late and killed:
            raise MXNetError(f"{missing} no worker made it in time after one of them was killed.")
        if late:
            raise PoolTimeoutError(f"{missing} no worker made it in time. Raise timeout.")

    def _worker_of(self, batch: int) -> int | None:
        """The process that has begun a batch, if one has."""
        try:
            return int(Path(self._note(batch)).read_text() or 0) or None
        except FileNotFoundError:
            return None

    def _is_stuck(self) -> bool:
        """Whether an order that no worker has begun will not be: one had it, or the queue's key, and died.

        A worker that lives gives the key back with its order, and begins that.
        """
        has_key = _is_free(self._keys()[0])
        present = {process.pid for process in list(self._pool._pool) if process.exitcode is None}
        at_work = {self._worker_of(b) for b, (result, _) in self._orders.items() if not result.ready()}
        if has_key and at_work & present:
            self._stuck_since = None
            return False
        now = time.monotonic()
        self._stuck_since = self._stuck_since or now
        return now - self._stuck_since > (_START if has_key else _PATIENCE)

    def _keys(self) -> list[Any]:
        """What is needed to take orders, and to answer them."""
        queues = [getattr(self._pool, "_inqueue", None), getattr(self._pool, "_outqueue", None)]
        return [getattr(queue, name, None) for queue, name in zip(queues, ("_rlock", "_wlock"), strict=True)]

    def _is_mute(self) -> bool:
        """Whether nobody can answer: a worker that was killed as it answered has the key to that queue."""
        if _is_free(self._keys()[1]):
            self._mute_since = None
            return False
        now = time.monotonic()
        self._mute_since = self._mute_since or now
        return now - self._mute_since > _PATIENCE

    def finish(self) -> None:
        """Leave a pool that can be ended: `terminate` waits for keys, which a killed process may have."""
        if self._killed():
            answer = self._pool.apply_async(os.getpid)
            answer.wait(_PATIENCE)
            for key in self._keys() if not answer.ready() else ():
                if not _is_free(key):
                    with suppress(ValueError):
                        key.release()


def _is_free(key: Any) -> bool:
    """Whether nobody has a key, or there is none."""
    if key is None:
        return True
    free: bool = key.acquire(block=False)
    if free:
        key.release()
    return free


def _ended(code: int) -> str:
    """How a process ended, by its exit code."""
    if code >= 0:
        return f"ended with exit code {code}"
    return f"was killed by {signal.Signals(-code).name}" + (
        " (is there too little memory?)" if -code == signal.SIGKILL else ""
    )


class _MultiWorkerIter:
    """Batches in the order of their samplers, made by a pool of `multiprocessing`.

    Subclasses of libraries override `_push_next`, which orders one more batch. Without a `dataset` workers
    are processes of this program, and answer with pickled batches; one that is killed ends the iteration with
    an error that names its batch.
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
        workers = getattr(worker_pool, "_pool", None) or [None]
        of_processes = all(isinstance(worker, BaseProcess) for worker in workers)
        self._watched = _Watched(worker_pool) if of_processes else None
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
        if self._watched is None:
            order = self._worker_pool.apply_async(self._worker_fn, arguments)
        else:
            order = self._watched.order(self._sent_idx, samples, self._worker_fn, arguments)
        self._data_buffer[self._sent_idx] = order
        self._sent_idx += 1

    def __next__(self) -> Any:
        self._push_next()
        if self._rcvd_idx == self._sent_idx:
            if self._watched is not None:
                self._watched.finish()
            raise StopIteration
        batch = self._received(self._data_buffer.pop(self._rcvd_idx))
        self._rcvd_idx += 1
        if self._dataset is None:
            batch = ForkingPickler.loads(batch)  # of a process of this program's
        return _as_in_context(batch, cpu_pinned(self._pin_device_id)) if self._pin_memory else batch

    def _received(self, order: Any) -> Any:
        """The batch that was ordered; if its worker was killed, there are no more."""
        if self._watched is None or self._rcvd_idx not in self._watched:  # a subclass ordered it
            return order.get(self._timeout)
        try:
            return self._watched.get(self._rcvd_idx, self._timeout)
        except MXNetError:
            self._iter, self._sent_idx = iter(()), self._rcvd_idx
            self._data_buffer.clear()
            self._watched.finish()
            raise

    next = __next__

    def __iter__(self) -> Iterator[Any]:
        return self
