"""Shards done by processes of this machine."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from ..errors import MXNetError
from .job import Job, ShardResult
from .worker import ShardWorker

__all__ = ["in_processes"]

_DEATHS = 5
"""How many processes may die one after another, without a shard that was done in between."""


@dataclass
class _Process:
    """A worker process, and the shard that it does."""

    process: Any
    pipe: Connection
    shard: int | None = None


def in_processes(job: Job, shards: Sequence[int], count: int) -> Iterator[ShardResult]:
    """Do shards in so many processes, or in this one, in any order.

    A process that is killed is replaced, and its shard done again. When this process ends, however that is,
    the others end after the shard that they do.

    Raises:
        MXNetError: What a worker raised; or if processes die again and again.
    """
    if count == 1:
        worker = ShardWorker(job)
        yield from map(worker, shards)
        return
    pool = _Pool(job, list(shards))
    try:
        yield from pool.results(min(count, len(shards)))
    finally:
        pool.close()


class _Pool:
    """Worker processes, each with a pipe of its own, so that one that dies leaves no lock behind."""

    def __init__(self, job: Job, shards: list[int]) -> None:
        self._job = job
        self._left = shards[::-1]
        self._processes: list[_Process] = []
        self._deaths = 0

    def results(self, count: int) -> Iterator[ShardResult]:
        """The results of all shards."""
        for _ in range(count):
            self._start()
        while self._processes:
            for pipe in wait([item.pipe for item in self._processes]):
                item = next(item for item in self._processes if item.pipe is pipe)
                try:
                    answer = item.pipe.recv()
                except (EOFError, OSError):
                    self._replace(item)
                    continue
                if isinstance(answer, Exception):
                    raise answer
                if answer is not None:
                    self._deaths, item.shard = 0, None
                    yield answer
                self._order(item)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would take over locks of libraries
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._job), daemon=True)
        process.start()
        theirs.close()
        self._processes.append(_Process(process, ours))

    def _order(self, item: _Process) -> None:
        """Give a process its next shard, or let it end."""
        if self._left:
            item.shard = self._left.pop()
            with suppress(OSError):  # it died: its pipe tells that next
                item.pipe.send(item.shard)
        else:
            self._processes.remove(item)
            item.pipe.close()
            item.process.join()

    def _replace(self, item: _Process) -> None:
        """Start another process for one that died, and put its shard back."""
        item.process.join()
        item.pipe.close()
        self._processes.remove(item)
        self._deaths += 1
        if item.shard is not None:
            self._left.append(item.shard)
        if self._deaths >= _DEATHS:
            name = "one" if item.shard is None else self._job.shards[item.shard].name
            raise MXNetError(
                f"predict: processes that live are required, but {self._deaths} died one after another, the "
                f"last with exit code {item.process.exitcode} at {name}. What is done stays; a script needs "
                "`if __name__ == '__main__':` around what it does."
            )
        if self._left:
            self._start()

    def close(self) -> None:
        """End all processes."""
        for item in self._processes:
            item.process.kill()
            item.process.join()
            item.pipe.close()


def _serve(pipe: Connection, job: Job) -> None:
    """Do the shards that come, until the other side is gone; the child's own program."""
    try:
        worker = ShardWorker(job)
        pipe.send(None)
        while True:
            pipe.send(worker(pipe.recv()))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        sys.exit(0)
    except MXNetError as exc:
        pipe.send(exc)
    except Exception as exc:  # noqa: BLE001  (the other side tells of it)
        pipe.send(MXNetError(f"predict: {type(exc).__name__}: {exc}"))
