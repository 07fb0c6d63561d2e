"""The processes that train together, called workers as in MXNet, and what they do in common, over MPI.

All of them do the same in the same order. Whoever waits longer than `HYBRIDONNX_TIMEOUT` seconds raises an
error that tells which of the others are missing, and an error that nobody catches ends the whole job.
"""

from __future__ import annotations

import atexit
import mmap
import os
import socket
import struct
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any
from zlib import crc32

import numpy as np

from .. import config
from .._locks import new_lock, no_fork
from ..dtypes import is_bfloat16
from ..errors import MXNetError, RequirementError
from ..ops import Array

LARGEST = 25 << 20
"""Bytes that one sum of MPI's has at most: of more, others could not go on before it is through."""
RECORDS = "HYBRIDONNX_LAUNCH_RECORDS"
"""The variable with the folder in which `hybridonnx launch` reads who waits for what."""
RECORD_BYTES = 512
WAITING = "waiting for"
"""How the record of a worker begins that waits for the others."""
_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
_AT_ONCE, _SOON = 0.0005, 0.05
"""Seconds for which a wait asks again at once, and for which it does after a short pause."""
_SHORT, _LONG = 0.0001, 0.001
_ANNOUNCED = 0.25
"""After this share of the time that a wait may take the others are told, so that they know who is missing."""
_NOTE = struct.Struct("=iqi")
"""An announcement: the channel, the number of the operation in it, and the length of its name."""
_NOTE_BYTES = 256
_LISTENING = 0.5
"""Seconds after which a wait asks, again and again, whether one of the others has ended."""
_END = "its end"
"""What a worker announces when its program is through."""
_FAILED = 13
"""The exit code of a job that an error of a worker has ended."""
_STARTED_BY_OTHERS = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS")

_lock = new_lock()
_known: list[Workers] = []


def workers() -> Workers:
    """All workers of this job; one alone where no `mpiexec` has started the process.

    Raises:
        RequirementError: mpi4py, or an MPI that it finds, is not installed.
    """
    with no_fork(), _lock:
        if not _known:
            _known.append(Workers(_mpi()))
        return _known[0]


def _mpi() -> Any:
    """The module MPI of mpi4py, which begins to take part in the job when it is imported."""
    record("starting")
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as exc:  # RuntimeError: it finds no library
        raise RequirementError(
            f"kvstore: the packages mpi4py and mpich are required for several workers: {exc}. "
            'pip install "hybridonnx[mpi]".'
        ) from exc
    started = max((int(os.environ.get(name) or 1) for name in _STARTED_BY_OTHERS), default=1)
    if started > MPI.COMM_WORLD.size == 1:
        raise RequirementError(
            f"kvstore: the mpiexec of the MPI that mpi4py uses is required, got {started} processes of "
            "another one, which do not know each other. This one is "
            f"{MPI.Get_library_version().split(chr(10))[0]}; `hybridonnx launch` finds its mpiexec."
        )
    record("started")
    return MPI


def record(text: str) -> None:
    """Tell `hybridonnx launch`, if it has started this process, what it is doing."""
    memory = _Record.memory()
    if memory is not None:
        line = f"{os.getpid()} {text}".encode()[: RECORD_BYTES - 1]
        memory[:RECORD_BYTES] = line.ljust(RECORD_BYTES, b"\0")


class _Record:
    """The file that is shared with the process that watches this one, as memory: a kill leaves it whole."""

    _memory: mmap.mmap | None = None
    _process = 0

    @classmethod
    def memory(cls) -> mmap.mmap | None:
        """It, if there is one; processes that this one forks have none."""
        if not cls._process:
            cls._process = os.getpid()
            folder, rank = os.environ.pop(RECORDS, ""), next(filter(None, map(os.environ.get, _RANKS)), "")
            if rank.isdigit() and os.path.isdir(folder):  # it is not on other machines
                with open(os.path.join(folder, rank), "w+b") as file:
                    file.truncate(RECORD_BYTES)
                    cls._memory = mmap.mmap(file.fileno(), RECORD_BYTES)
        return cls._memory if cls._process == os.getpid() else None


class Pending:
    """An operation of all workers that goes on."""

    def __init__(self, owner: Workers, what: str, requests: Sequence[Any], keeps: Sequence[Any] = ()) -> None:
        self.owner, self.what, self.number = owner, what, owner.count()
        self._requests = list(requests)
        self._keeps = keeps
        """Arrays that MPI reads or writes meanwhile."""
        self._testing = new_lock()

    @property
    def is_through(self) -> bool:
        """Whether it was through when it was asked last."""
        return not self._requests

    def is_done(self) -> bool:
        """Whether it is through; asking makes it go on."""
        if self._requests:
            with self._testing:  # MPI does not allow that two threads ask for one
                self._requests = [request for request in self._requests if not request.Test()]
        return not self._requests

    def wait(self) -> None:
        """Wait until it is through. Raises `MXNetError` if that takes too long."""
        if not self.is_done():
            self.owner.wait(self)


class Workers:
    """The workers of a job and an order of operations, which all of them follow.

    It is for one thread at a time.
    """

    def __init__(self, mpi: Any, first: Workers | None = None) -> None:
        self._mpi = mpi
        self._comm = mpi.COMM_WORLD.Dup()
        self.rank: int = self._comm.rank
        """The number of this process."""
        self.size: int = self._comm.size
        """How many there are."""
        self._numbers = 0
        self._first: Workers = first or self
        self._channels: list[Workers] = [] if first is None else first._channels
        self._channel = len(self._channels)
        self._channels.append(self)
        if first is not None:
            return
        self._notes = mpi.COMM_WORLD.Dup()
        self._sent: list[Any] = []
        self._heard: dict[tuple[int, int], tuple[int, str]] = {}
        """By channel and rank the last operation that it waits for, or that it came to before its end."""
        machine = mpi.COMM_WORLD.Split_type(mpi.COMM_TYPE_SHARED)
        self.local_rank, self.local_size = int(machine.rank), int(machine.size)
        machine.Free()
        self.timeout = config.TIMEOUT()
        if self.size > 1:
            sys.excepthook = _ending(self, sys.excepthook)
            atexit.register(self._announce_end)

    def apart(self) -> Workers:
        """The same workers with an order of their own: its operations may come between any others."""
        return Workers(self._mpi, self._first)

    def count(self) -> int:
        """The number of the next operation."""
        self._numbers += 1
        return self._numbers

    # ---- operations

    def barrier(self, what: str = "barrier") -> None:
        """Wait until all workers have come here."""
        if self.size > 1:
            self.agree(what)

    def agree(self, what: str) -> None:
        """Raise `MXNetError` unless all workers are about to do the same."""
        if self.size == 1:
            return
        code = crc32(what.encode())
        ends = np.array([code, -code], np.int64)
        self._reduce(what, ends, self._mpi.MIN)
        if ends[0] == -ends[1]:
            return
        texts = [text.decode() for text in self.gather(what, what.encode(), agreed=True)]
        raise MXNetError(
            "kvstore: all workers are required to do the same in the same order, got "
            + "; ".join(f"rank {rank}: {text}" for rank, text in enumerate(texts[:8]))
            + ("; …" if len(texts) > 8 else "")
            + "."
        )

    def sum(self, what: str, array: Array) -> Array:
        """The sum of the workers' arrays, which are of one shape and dtype; it may be the array itself."""
        self.agree(f"{what}, {array.dtype} of shape {array.shape}")
        if self.size == 1:
            return array
        kind = array.dtype
        wide = array.astype(np.float32) if kind == np.float16 or is_bfloat16(kind) else array
        total = np.ascontiguousarray(wide.view(np.uint8) if kind.kind == "b" else wide)
        self._reduce(what, total, self._mpi.SUM)
        return total.astype(kind, copy=False).reshape(array.shape)

    def maximum(self, what: str, array: Array) -> None:
        """Write the largest of the workers' numbers into an array."""
        if self.size > 1:
            self._reduce(what, array, self._mpi.MAX)

    def _reduce(self, what: str, array: Array, operation: Any) -> None:
        request = self._comm.Iallreduce(self._mpi.IN_PLACE, array, operation)
        self._through(what, [request], array)

    def begin_sum(self, what: str, source: Array, target: Array) -> Pending:
        """Begin to write the sum of flat arrays into another one."""
        if self.size == 1:
            target[:] = source
            return Pending(self, what, [])
        step = max(1, LARGEST // source.itemsize)
        requests = [
            self._comm.Iallreduce(source[i : i + step], target[i : i + step], self._mpi.SUM)
            for i in range(0, source.size, step)
        ]
        return Pending(self, what, requests, (source, target))

    def begin_gather(self, what: str, source: Array, target: Array) -> Pending:
        """Begin to write the arrays of all workers into an array with an axis for them in front."""
        if self.size == 1:
            target[0] = source
            return Pending(self, what, [])
        source, own = _bytes_of(source), _bytes_of(target)
        return Pending(self, what, [self._comm.Iallgather(source, own)], (source, target))

    def begin_exchange(self, what: str, source: Array, target: Array) -> Pending:
        """Begin to send each worker its row of an array, and to receive one of each."""
        if self.size == 1:
            target[:] = source
            return Pending(self, what, [])
        given, taken = _bytes_of(source), _bytes_of(target)
        return Pending(self, what, [self._comm.Ialltoall(given, taken)], (source, target))

    def broadcast(self, what: str, array: Array, root: int = 0) -> None:
        """Write the array of one worker into those of all others, contiguous ones of its shape and dtype."""
        self.agree(f"{what}, {array.dtype} of shape {array.shape}, from rank {root}")
        if self.size == 1 or not array.size:
            return
        memory = _bytes_of(array)
        step = LARGEST
        for i in range(0, memory.size, step):
            self._through(what, [self._comm.Ibcast(memory[i : i + step], root)], memory)

    def gather(self, what: str, content: bytes, agreed: bool = False) -> list[bytes]:
        """The bytes of all workers, by rank."""
        if not agreed:
            self.agree(what)
        if self.size == 1:
            return [content]
        sizes = np.empty(self.size, np.int64)
        own = np.array([len(content)], np.int64)
        self._through(what, [self._comm.Iallgather(own, sizes)], own)
        ends = np.cumsum(sizes)
        source, target = np.frombuffer(content, np.uint8), np.empty(int(ends[-1]), np.uint8)
        places = sizes.tolist(), (ends - sizes).tolist()
        request = self._comm.Iallgatherv(source, [target, places, self._mpi.BYTE])
        self._through(what, [request], source, target)
        return [target[end - size : end].tobytes() for size, end in zip(sizes, ends, strict=True)]

    def _through(self, what: str, requests: Sequence[Any], *keeps: Any) -> None:
        Pending(self, what, requests, keeps).wait()

    # ---- waiting

    def wait(self, pending: Pending) -> None:
        """Wait until an operation is through. Raises `MXNetError` if that takes longer than the timeout."""
        begun, limit, announced, heard = time.monotonic(), self._first.timeout, False, _LISTENING
        record(f"{WAITING} {pending.what}")
        while not pending.is_done():
            waited = time.monotonic() - begun
            if waited > heard:
                heard = waited + _LISTENING
                self._listen()
            if waited > limit or self._ended(pending):
                self._give_up(pending, waited)
            if waited > limit * _ANNOUNCED and not announced:
                announced = True
                self._announce(pending.number, pending.what)
            time.sleep(0 if waited < _AT_ONCE else _SHORT if waited < _SOON else _LONG)
        record(f"after {pending.what}")

    def _announce(self, number: int, what: str) -> None:
        """Tell all others what this worker waits for."""
        name = what.encode()[: _NOTE_BYTES - _NOTE.size]
        note = _NOTE.pack(self._channel, number, len(name)) + name
        first = self._first
        first._sent = [(request, kept) for request, kept in first._sent if not request.Test()]
        for rank in range(self.size):
            if rank != self.rank:
                first._sent.append((first._notes.Isend([note, self._mpi.BYTE], rank), note))

    def _announce_end(self) -> None:
        """Tell all others that this worker comes to nothing any more."""
        record("its end")
        for channel in self._channels:
            channel._announce(channel._numbers, _END)

    def _ended(self, pending: Pending) -> bool:
        """Whether a worker has ended that did not come to an operation."""
        return any(
            name == _END and channel == self._channel and number < pending.number
            for (channel, _), (number, name) in self._first._heard.items()
        )

    def _listen(self) -> None:
        """Take note of what others have announced."""
        first, status = self._first, self._mpi.Status()
        while first._notes.Iprobe(status=status):
            buffer = bytearray(_NOTE_BYTES)
            first._notes.Recv([buffer, self._mpi.BYTE], status.Get_source())
            channel, number, length = _NOTE.unpack_from(buffer)
            name = buffer[_NOTE.size : _NOTE.size + length].decode(errors="replace")
            first._heard[channel, status.Get_source()] = number, name

    def _give_up(self, pending: Pending, waited: float) -> None:
        """Raise the error for an operation that not all workers have come to."""
        self._listen()
        heard, others = self._first._heard, [rank for rank in range(self.size) if rank != self.rank]
        missing = [r for r in others if heard.get((self._channel, r), (0, ""))[0] < pending.number]
        known = {
            rank: name for (_, rank), (_, name) in sorted(heard.items(), reverse=True) if rank in missing
        }
        told = [
            f"rank {rank} {'has come to' if name == _END else 'waits for'} {name}"
            for rank, name in known.items()
        ]
        which = ("rank " if len(missing) == 1 else "ranks ") + ", ".join(map(str, missing[:16]))
        raise MXNetError(
            f"kvstore: all {self.size} workers are required at {pending.what} within "
            f"{self._first.timeout:g} seconds, but {which if missing else 'somebody'} did not come; rank "
            f"{self.rank} has waited for {waited:.1f}. "
            + (f"Meanwhile {'; '.join(told)}. " if told else "")
            + f"Look for what holds it up, or raise {config.TIMEOUT.name}."
        )

    def end(self, code: int = _FAILED) -> None:
        """End the processes of all workers."""
        sys.stdout.flush()
        sys.stderr.flush()
        self._comm.Abort(code)


def _bytes_of(array: Array) -> Array:
    """The memory of a contiguous array."""
    return array.reshape(-1).view(np.uint8)


_Hook = Callable[[type[BaseException], BaseException, TracebackType | None], Any]


def _ending(job: Workers, before: _Hook) -> _Hook:
    """What shows an error that nobody caught, and ends the job: the others would wait for this worker."""

    process = os.getpid()

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if os.getpid() != process:  # one that it has forked, whose end is its own
            before(kind, error, trace)
            return
        try:
            where = f"rank {job.rank} of {job.size} on {socket.gethostname()}:\n"
            if before is sys.__excepthook__:  # at once, as others may write as well
                sys.stderr.write(where + "".join(traceback.format_exception(kind, error, trace)))
            else:
                sys.stderr.write(where)
                before(kind, error, trace)
        except Exception:  # noqa: BLE001  (whatever a hook does, the others must not wait)
            traceback.print_exc()
        record(f"an error that ended the job: {kind.__name__}")
        job.end()

    return hook
