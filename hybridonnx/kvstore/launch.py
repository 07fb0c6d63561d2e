"""Starting workers: `hybridonnx launch` runs MPI's `mpiexec`, and tells which worker has ended a job."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import IO, Any

from .. import config
from ..errors import RequirementError
from .workers import RECORDS, WAITING

__all__ = ["launch"]

RESTART = "HYBRIDONNX_RESTART"
"""The environment variable that tells a script how often its job was started again."""
_ENDED = re.compile(rb"PID (\d+) RUNNING AT")
"""What MPICH says of the process that a job has ended with."""
_KEPT = 1 << 14
"""Bytes of what was printed last."""


def launch(
    command: Sequence[str],
    workers: int,
    hostfile: str | None = None,
    restarts: int = 0,
    environment: Mapping[str, str] | None = None,
) -> int:
    """Run a command in several processes that know each other, and wait for all of them.

    Args:
        command: The program and its arguments.
        workers: How many processes there are.
        hostfile: A file with the names of machines, one a line; this one alone by default.
        restarts: How often all processes are started again after one has failed.
        environment: The variables of the processes, by default those of this one.

    Returns:
        The exit code: 0 if all processes ended with it.

    Raises:
        RequirementError: There is no `mpiexec`.
    """
    if workers < 1:
        raise RequirementError(f"launch: at least one worker is required, got {workers}.")
    mpiexec = _mpiexec()
    variables = dict(os.environ if environment is None else environment)
    variables.setdefault(config.THREADS.name, str(_threads(workers if hostfile is None else 1)))
    arguments = [mpiexec, "-n", str(workers), *_hosts(mpiexec, hostfile), *command]
    for attempt in range(restarts + 1):
        code = _run(arguments, variables | {RESTART: str(attempt)})
        if not code or attempt == restarts or code == 128 + signal.SIGTERM:
            break
        _say(f"the job is started again, {restarts - attempt - 1} more times after this at most.")
    return code


def _threads(workers: int) -> int:
    """How many threads of ONNX Runtime each worker has, so that they are as many as there are processors."""
    return max(1, len(os.sched_getaffinity(0)) // workers) if hasattr(os, "sched_getaffinity") else 1


def _mpiexec() -> str:
    """The program that starts processes of the MPI that mpi4py finds: the package mpich's, if it is there."""
    try:
        files = metadata.files("mpich") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = Path(str(file.locate()))
        if path.stem == "mpiexec" and path.suffix in ("", ".exe") and path.exists():
            return str(path.resolve())
    found = shutil.which("mpiexec")
    if found is None:
        raise RequirementError(
            'launch: mpiexec is required, which the package mpich has: pip install "hybridonnx[mpi]".'
        )
    return found


def _hosts(mpiexec: str, hostfile: str | None) -> list[str]:
    if hostfile is None:
        return []
    if not os.path.exists(hostfile):
        raise RequirementError(f"launch: a file with names of machines is required, got {hostfile!r}.")
    told = subprocess.run([mpiexec, "--version"], capture_output=True, check=False).stdout
    return ["--hostfile" if b"Open MPI" in told or b"OpenRTE" in told else "-f", hostfile]


def _run(arguments: Sequence[str], variables: Mapping[str, str]) -> int:
    """The exit code of a job; a line tells of the worker that has ended it."""
    with tempfile.TemporaryDirectory(prefix="hybridonnx-launch-") as folder:
        process = subprocess.Popen(
            arguments,
            env={**variables, RECORDS: folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        copies = [_Copy(process.stdout, sys.stdout), _Copy(process.stderr, sys.stderr)]
        with _Forwarding(process):
            code = process.wait()
        for copy in copies:
            copy.thread.join()
        code = 128 - code if code < 0 else code
        if code:
            _tell(folder, b"".join(copy.last for copy in copies), code)
        return code


class _Copy:
    """What a process prints, as this one's own, and the last of it."""

    def __init__(self, source: IO[bytes] | None, target: Any) -> None:
        assert source is not None
        self.last = b""
        self._source, self._target = source, getattr(target, "buffer", None)
        self.thread = threading.Thread(target=self._go, daemon=True)
        self.thread.start()

    def _go(self) -> None:
        while part := os.read(self._source.fileno(), 1 << 16):
            self.last = (self.last + part)[-_KEPT:]
            try:
                if self._target is not None:
                    self._target.write(part)
                    self._target.flush()
            except (OSError, ValueError):  # nobody reads any more
                self._target = None


class _Forwarding:
    """Hands the request to end on to a process, for as long as the `with` block lasts."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._before: Any = None

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, lambda *_: self._process.terminate())

    def __exit__(self, kind: object, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGTERM, self._before)
        if kind is not None:  # an interruption, which mpiexec of the same terminal has got as well
            self._process.terminate()
            self._process.wait()


def _tell(folder: str, output: bytes, code: int) -> None:
    """Say what the workers of this machine did last, those first that have ended the job."""
    records = _records(folder)
    ended = _ENDED.search(output)
    pid = None if ended is None else int(ended[1])
    at_fault = [
        rank for rank, (process, text) in records.items() if process == pid or "ended the job" in text
    ]
    if code == signal.SIGKILL:  # that is how mpiexec ends the others, too, of which it may name one
        at_work = [rank for rank, (_, text) in records.items() if not text.startswith(WAITING)]
        if at_work and all(records[rank][1].startswith(WAITING) for rank in at_fault):
            at_fault = at_work
    for rank in at_fault:
        process, text = records[rank]
        _say(f"rank {rank} (process {process}) has ended the job, exit code {code}; its last: {text}.")
    for rank, (_, text) in records.items():
        if rank not in at_fault:
            _say(f"rank {rank} was at this: {text}.")


def _records(folder: str) -> dict[int, tuple[int, str]]:
    """The process of each worker of this machine, and what it said last."""
    records = {}
    for name in sorted(os.listdir(folder), key=lambda name: (len(name), name)):
        with open(os.path.join(folder, name), "rb") as file:
            text = file.read().rstrip(b"\0").decode(errors="replace")
        process, _, what = text.partition(" ")
        if name.isdigit() and process.isdigit():
            records[int(name)] = int(process), what
    return records


def _say(text: str) -> None:
    print(f"hybridonnx launch: {text}", file=sys.stderr, flush=True)
