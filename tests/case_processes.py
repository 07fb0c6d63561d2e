"""Work in child processes, which may crash or hang: either is a result, and the work behind it goes on."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

JOBS_OF_A_CHILD = 600
"""After which another takes its place, as memory that sessions had is not all given back."""


class Job(NamedTuple):
    """One case in one mode."""

    case: int
    mode: str


class _Child:
    """A process that has what its parent had when it began, and takes one job after another."""

    def __init__(self, work: Callable[[Job], str]) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, work), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | None = None
        self.left = JOBS_OF_A_CHILD
        self.deadline = 0.0

    def give(self, job: Job, timeout: float) -> None:
        self.job = job
        self.left -= 1
        self.deadline = time.monotonic() + timeout
        self.pipe.send(job)

    def end(self) -> int | None:
        self.process.kill()
        self.process.join()
        self.pipe.close()
        return self.process.exitcode


def run_jobs(
    jobs: Iterable[Job], work: Callable[[Job], str], processes: int, timeout: float
) -> Iterator[tuple[Job, str]]:
    """The results of jobs, in the order in which they are done."""
    left = iter(jobs)
    job = next(left, None)
    children: list[_Child] = []
    try:
        while job is not None or children:
            while job is not None and len(children) < processes:
                children.append(_Child(work))
                children[-1].give(job, timeout)
                job = next(left, None)
            nearest = min(child.deadline for child in children) - time.monotonic()
            ready = wait([child.pipe for child in children], max(nearest, 0))
            for child in list(children):
                result = _result(child, child.pipe in ready, timeout)
                if result is None:
                    continue
                assert child.job is not None
                yield child.job, result
                if job is not None and child.left and not child.pipe.closed:
                    child.give(job, timeout)
                    job = next(left, None)
                else:
                    children.remove(child)
                    if not child.pipe.closed:
                        child.end()
    finally:
        for child in children:
            child.end()


def _result(child: _Child, is_ready: bool, timeout: float) -> str | None:
    """What a child says, what became of it, or `None` while it works."""
    if is_ready:
        try:
            return str(child.pipe.recv())
        except (EOFError, ConnectionResetError):
            child.process.join()
            code = child.end()
            name = signal.Signals(-code).name if code and code < 0 else f"exit status {code}"
            return f"Crash: {name}"
    if time.monotonic() >= child.deadline:
        child.end()
        return f"Timeout: more than {timeout:g} s"
    return None


def _serve(pipe: Connection, work: Callable[[Job], str]) -> None:
    os.environ.setdefault("HYBRIDONNX_THREADS", "1")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        pipe.send(work(job))
