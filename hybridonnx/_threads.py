"""Threads that work ahead of whoever asks for results, in each process its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from ._locks import follow
from .errors import MXNetError


def counts_references() -> bool:
    """Whether Python counts who holds an object: without its global lock, counts of others' may be behind."""
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


class Threads:
    """So many threads, made when there is work; copies, and processes that are forked, have others."""

    def __init__(self, count: int, name: str) -> None:
        self.count, self.name = count, name
        self.ended = False
        self._begin()
        follow(self)

    def _begin(self) -> None:
        self._executor: ThreadPoolExecutor | None = None
        self.process = object()
        """Another one in each process."""

    def forked(self) -> None:
        """Leave the threads to the process that has them."""
        self._begin()

    def __getstate__(self) -> dict[str, Any]:
        """What copies take over: not the threads."""
        return {"count": self.count, "name": self.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Threads.__init__(self, **state)

    def __del__(self) -> None:
        self.end()

    def submit(self, function: Callable[..., Any], *args: Any, repeats: bool = True) -> Work:
        """Have a thread call a function, which `repeats` if it may be called again where it was cut off."""
        if self._executor is None:
            if self.ended:
                raise MXNetError(f"{self.name}: an iterator that has not ended is required.")
            self._executor = ThreadPoolExecutor(self.count, self.name)
        return Work(self, self._executor, function, args, repeats)

    def end(self) -> None:
        """Begin no more work, and let the threads end."""
        self.ended = True
        executor, self._executor = getattr(self, "_executor", None), None
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)


class Work:
    """A call that a thread makes; in a forked process, where that is not, whoever asks for it."""

    def __init__(
        self,
        threads: Threads,
        executor: ThreadPoolExecutor,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        repeats: bool,
    ) -> None:
        self._threads, self._process = threads, threads.process
        self._function, self._args, self._repeats = function, args, repeats
        self._outcome: tuple[Any, BaseException | None] | None = None
        self._future: Future[Any] = executor.submit(self._run)

    def _run(self) -> Any:
        try:
            value = self._function(*self._args)
        except BaseException as exc:
            self._outcome = None, exc
            raise
        self._outcome = value, None
        return value

    @property
    def is_elsewhere(self) -> bool:
        """Whether it was begun in another process, whose threads are not here."""
        return self._process is not self._threads.process

    def result(self, timeout: float | None = None) -> Any:
        """What the function gives, or raises; `TimeoutError` if that takes longer.

        Raises:
            MXNetError: It was cut off by a fork, and may not be called again.
        """
        if not self.is_elsewhere:
            return self._future.result(timeout)
        if self._outcome is None:
            if not self._repeats:
                raise MXNetError(
                    f"{self._threads.name}: an iterator of this process is required, got one that was at "
                    "work in another one when that forked. Call reset() first."
                )
            return self._run()
        value, error = self._outcome
        if error is not None:
            raise error
        return value

    def done(self) -> bool:
        """Whether it has been made."""
        return self._outcome is not None or (not self.is_elsewhere and self._future.done())

    def end(self) -> None:
        """Do not begin it, or wait until it has been made."""
        if not self.is_elsewhere and not self._future.cancel():
            self._future.exception()
