"""Requests of many clients as batches of a model."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..errors import MXNetError
from ..ops import Array

Arrays: TypeAlias = Mapping[str, Array]


@dataclass(eq=False)
class _Waiting:
    """A request, and who waits for its results."""

    arrays: Arrays
    rows: int
    form: Any
    """What is the same of requests that go into one batch."""
    due: float
    """Until when it waits for others."""
    result: Future[dict[str, Any]]


class Batcher:
    """Runs a model for requests, those whose rows have the same shapes together, in threads of its own.

    What has come while the model was at work is the next batch; with a delay a request waits for others even
    if the model is free. A batch that fails is run again, request by request, as one may be at fault.

    Args:
        run: The model: the outputs for the inputs.
        most: The most rows of a batch; 0 puts no requests together.
        delay: The longest time, in seconds, that a request waits for others.
        instances: How many batches run at once.
        noted: Is told the rows and the seconds of each batch.
    """

    def __init__(
        self,
        run: Callable[[Arrays], dict[str, Any]],
        most: int,
        delay: float = 0.0,
        instances: int = 1,
        noted: Callable[[int, float], None] = lambda rows, seconds: None,
    ) -> None:
        self._run, self._most, self._delay, self._noted = run, most, delay, noted
        self._waiting: deque[_Waiting] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"batches {i}", daemon=True) for i in range(instances)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, arrays: Arrays) -> Future[dict[str, Any]]:
        """The results of a request, once they are there."""
        rows = len(next(iter(arrays.values()))) if self._most else 1
        form = (
            tuple((name, array.shape[1:]) for name, array in sorted(arrays.items())) if self._most else None
        )
        result: Future[dict[str, Any]] = Future()
        with self._changed:
            if self._closed:
                raise MXNetError("serve: a server that runs is required, got one that has ended.")
            self._waiting.append(_Waiting(arrays, rows, form, time.monotonic() + self._delay, result))
            self._changed.notify()
        return result

    def close(self) -> None:
        """Do what waits, and end the threads."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while batch := self._next():
            self._answer(batch)

    def _next(self) -> list[_Waiting]:
        """The next batch; nothing once the batcher is closed."""
        with self._changed:
            while True:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if not self._waiting:
                    return []
                batch = self._chosen()
                left = batch[0].due - time.monotonic()
                if left <= 0 or self._closed or sum(item.rows for item in batch) >= self._most:
                    for item in batch:
                        self._waiting.remove(item)
                    return batch
                self._changed.wait(left)

    def _chosen(self) -> list[_Waiting]:
        """The request that waits longest, with those that may go with it, in order."""
        first = self._waiting[0]
        batch, rows = [first], first.rows
        if not self._most:
            return batch
        for item in list(self._waiting)[1:]:
            if item.form == first.form:
                if rows + item.rows > self._most:
                    break
                batch.append(item)
                rows += item.rows
        return batch

    def _answer(self, batch: Sequence[_Waiting]) -> None:
        begin = time.perf_counter()
        try:
            parts = self._results(batch)
        except BaseException as exc:  # noqa: BLE001  # who waits is told, and the thread goes on
            if len(batch) == 1:
                batch[0].result.set_exception(exc)
                return
            for item in batch:
                self._answer([item])
            return
        self._noted(sum(item.rows for item in batch), time.perf_counter() - begin)
        for item, results in zip(batch, parts, strict=True):
            item.result.set_result(results)

    def _results(self, batch: Sequence[_Waiting]) -> list[dict[str, Any]]:
        if len(batch) == 1:
            return [self._run(batch[0].arrays)]
        joined = {name: np.concatenate([item.arrays[name] for item in batch]) for name in batch[0].arrays}
        results = self._run(joined)
        ends = np.cumsum([item.rows for item in batch])
        for name, array in results.items():
            if not getattr(array, "ndim", 0) or len(array) != ends[-1]:
                raise MXNetError(f"serve: a row for each of {ends[-1]} rows is required of output {name}.")
        pieces = {name: np.split(array, ends[:-1]) for name, array in results.items()}
        return [{name: pieces[name][i] for name in results} for i in range(len(batch))]
