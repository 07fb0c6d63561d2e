"""Optimised models of sessions, kept on the disk for the next process that runs the same graph.

    <HYBRIDONNX_CACHE>/<graph>/<weights>/model.onnx     what ONNX Runtime made of the lowered graph
                                         weights.bin    the weights, as its kernels like them; mapped
                                         entry.json     sizes and times of both, and the model's digest

`graph` is a digest of all that a lowered graph depends on but the weights: where there is no such folder,
nobody reads the weights to their end. An entry is made in a folder of another name, and has its own name when
it is complete and has given the same outputs as the session that it was made of, bit for bit.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from .. import config
from .._json import json_text
from .._locks import new_lock
from ..ops import Array
from .environment import environment, processor, processors

__all__ = ["Place", "graph_digest"]

logger = logging.getLogger("hybridonnx")
_Session = TypeVar("_Session")

MODEL, WEIGHTS, ENTRY = "model.onnx", "weights.bin", "entry.json"
_NEW = ".new-"
"""How the names of folders begin whose entries are not complete."""
_SCHEMA = "1"
_GROUP, _PIECE = 4 << 20, 16 << 20
"""Bytes of weights that one digest has at least, and at most."""
_LOWERING = frozenset({"autograd", "converters", "ndarray", "ops", "runtime", "symbol"})
"""The folders of the package that make a graph what it is in a session."""
_READERS = 4
"""Threads that make digests."""
_WORTH_THREADS = 1 << 20
"""Bytes of weights from which on they do."""
_SHARE = 4
"""One entry may have this part of the cache."""
_STALE = 3600.0
"""Seconds after which what a process has not completed is nobody's."""
_DELAY, _PAUSE = 2.0, 0.05
"""Seconds from the first call until an entry is made, and between looks at whether the program ends."""
_LARGEST_ENTRY = 1 << 16
_writing = new_lock()
"""Held by the thread that makes an entry: one at a time."""


def graph_digest(parts: Iterable[str]) -> str:
    """A digest of these texts, of the package, of ONNX Runtime and of the processor."""
    value = sha256()
    for part in (*_machine(), *parts):
        text = part.encode("utf-8", "surrogateescape")
        value.update(b"%d " % len(text) + text)
    return value.hexdigest()


@cache
def _machine() -> tuple[str, ...]:
    """What the same graph may be optimised differently for."""
    versions = environment()
    del versions["processors"]
    return (_SCHEMA, json_text(versions), _onnx(), processor(), _package())


def _onnx() -> str:
    """The version of onnx, which is not imported: that takes as long as a small network's lowering."""
    spec = find_spec("onnx")
    for folder in (spec and spec.submodule_search_locations) or ():
        with suppress(OSError):
            return (Path(folder) / "version.py").read_text("utf-8", "replace")
    return ""


def _package() -> str:
    """The modules that lower by size and time, as those who work on the package do not change its version."""
    root = str(Path(__file__).parents[1])
    modules, folders = [], [root]
    while folders:
        folder = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    state = entry.stat()
                    modules.append(f"{entry.path} {state.st_size} {state.st_mtime_ns}")
                elif (entry.name in _LOWERING or folder != root) and entry.is_dir():
                    folders.append(entry.path)
    return sha256("\n".join(sorted(modules)).encode("utf-8", "surrogateescape")).hexdigest()


class _Reading:
    """The digest of arrays by name. Other threads read large ones from now on, while this one goes on."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays = arrays
        self._digests: list[Future[bytes]] = []
        groups = list(_groups(arrays.values()))
        if sum(piece.size for group in groups for piece in group) < _WORTH_THREADS:
            return
        pool = ThreadPoolExecutor(min(_READERS, processors()))
        try:
            self._digests = [pool.submit(_group_digest, group) for group in groups]
        except RuntimeError:  # there are no new threads
            self.cancel()
        pool.shutdown(wait=False)

    def digest(self) -> str:
        """The digest, once it is there."""
        digests = [future.result() for future in self._digests]
        return _combined(self._arrays, digests) if digests else _weights_digest(self._arrays)

    def cancel(self) -> None:
        """Leave the rest unread."""
        for future in self._digests:
            future.cancel()
        self._digests = []


def _weights_digest(arrays: Mapping[str, Array]) -> str:
    """A digest of arrays by name."""
    return _combined(arrays, map(_group_digest, _groups(arrays.values())))


def _combined(arrays: Mapping[str, Array], digests: Iterable[bytes]) -> str:
    value = sha256()
    for name, array in arrays.items():
        value.update(f"{name} {array.dtype.str} {array.dtype.name} {array.shape}\n".encode())
    value.update(b"".join(digests))
    return value.hexdigest()


def _group_digest(group: Sequence[Array]) -> bytes:
    value = sha256()
    for piece in group:
        value.update(piece.data)
    return value.digest()


def _groups(arrays: Iterable[Array]) -> Iterator[list[Array]]:
    """The bytes of arrays in groups of about one size, each the work of one thread."""
    group: list[Array] = []
    size = 0
    for array in arrays:
        memory = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        for start in range(0, memory.size, _PIECE):
            group.append(memory[start : start + _PIECE])
            size += group[-1].size
            if size >= _GROUP:
                yield group
                group, size = [], 0
    if group:
        yield group


_off = ContextVar("off", default=False)


@contextmanager
def nothing_kept() -> Iterator[None]:
    """A scope in which models are tried that nobody calls again: none is kept or looked for."""
    token = _off.set(True)
    try:
        yield
    finally:
        _off.reset(token)


class Place:
    """Where the optimised model of one graph with its weights is kept, or would be."""

    def __init__(self, folder: Path, weights: Mapping[str, Array], reading: _Reading) -> None:
        self._folder, self._weights, self._reading = folder, weights, reading

    @classmethod
    def of(cls, parts: Callable[[], Iterable[str]], weights: Mapping[str, Array]) -> Place | None:
        """The place of a graph of which `parts` tell all but the weights; `None` if there is to be none."""
        root = None if _off.get() else _root()
        if root is None or any(array.dtype.hasobject for array in weights.values()):
            return None
        if sum(array.nbytes for array in weights.values()) > _limit() // _SHARE:
            return None
        reading = _Reading(weights)
        try:
            return cls(root / graph_digest(parts()), weights, reading)
        except BaseException:
            reading.cancel()
            raise

    def open(self, start: Callable[[str], _Session]) -> _Session | None:
        """The session of the optimised model, if there is a whole one that is this user's.

        If the graph's folder has but one model, its session starts while the weights are read, and is left
        where it turns out that they are others.

        Args:
            start: Starts the session of a file.
        """
        entries = self._entries()
        if len(entries) == 1:
            entry = entries[0]
            session = start(str(entry / MODEL)) if _is_whole(entry) else None
            if session is None or self._reading.digest() != entry.name:
                self._reading.cancel()
                return None
        elif entries and _is_whole(entry := self._folder / self._reading.digest()):
            session = start(str(entry / MODEL))
        else:
            self._reading.cancel()
            return None
        with suppress(OSError):
            os.utime(entry / ENTRY)  # it was used
        return session

    def _entries(self) -> list[Path]:
        """The folders of what is kept of the graph; none if another user may write there."""
        if not self._is_own():
            return []
        with suppress(OSError):  # it is gone since
            return [entry for entry in self._folder.iterdir() if not entry.name.startswith(_NEW)]
        return []

    def _is_own(self) -> bool:
        """Whether nobody but this user can write into the cache and the graph's folder in it."""
        return _is_own(self._folder.parent) and _is_own(self._folder)

    def keep(self, write: Callable[[Path], bool], is_valid: Callable[[], bool]) -> None:
        """Have another thread make an entry.

        Args:
            write: Writes the model and its weights into a folder, and tells whether they are right.
            is_valid: Whether the weights are still what they were, and nothing has trained since.
        """
        # Python waits for it at its end
        thread = threading.Thread(target=self._keep, args=(write, is_valid), name="hybridonnx-cache")
        with suppress(RuntimeError):  # there are no new threads: the next process makes its own
            thread.start()

    def _keep(self, write: Callable[[Path], bool], is_valid: Callable[[], bool]) -> None:
        new: Path | None = None
        try:
            _let_begin()
            if not is_valid():
                return
            with _writing:
                _be_patient()
                # one by one, as folders that are made on the way get any mode
                self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._folder.mkdir(mode=0o700, exist_ok=True)
                if not self._is_own():
                    logger.info("cache: %s is not this user's alone", self._folder)
                    return
                # in turn, as Python starts no threads any more when it ends
                entry = self._folder / _weights_digest(self._weights)
                if _is_whole(entry):  # another process was faster
                    return
                new = Path(tempfile.mkdtemp(prefix=_NEW, dir=self._folder))
                if not write(new):
                    logger.info("cache: a model is not kept, as it gives other numbers once it is stored")
                elif not is_valid():
                    logger.info("cache: a model is not kept, as its parameters have changed")
                else:
                    _complete(new)
                    shutil.rmtree(entry, ignore_errors=True)  # it is not whole
                    os.rename(new, entry)
                _prune(self._folder.parent)
        except Exception as exc:  # noqa: BLE001  (a full disk, a model that is refused: the next process makes its own)
            logger.info("cache: a model is not kept: %s", exc)
        finally:
            if new is not None:
                shutil.rmtree(new, ignore_errors=True)


def _root() -> Path | None:
    """The folder of the cache; `None` if nothing is to be kept, or there is no home."""
    name = config.CACHE()
    path = os.path.expanduser(name)
    return None if name in ("", "0") or path.startswith("~") or _limit() <= 0 else Path(path)


def _limit() -> int:
    """The most bytes that all entries have."""
    return config.CACHE_SIZE() << 20


def _let_begin() -> None:
    """Wait until the program is under way, or ends: what trains after its first call is not to be kept."""
    end = time.monotonic() + _DELAY
    while time.monotonic() < end and threading.main_thread().is_alive():
        time.sleep(_PAUSE)


def _be_patient() -> None:
    """Let other threads go first, where threads have priorities."""
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


def _is_own(folder: Path) -> bool:
    """Whether a folder is there, and nobody but this user can write into it."""
    try:
        state = os.lstat(folder)
    except OSError:
        return False
    if not stat.S_ISDIR(state.st_mode):
        return False
    return not hasattr(os, "geteuid") or (state.st_uid == os.geteuid() and not state.st_mode & 0o022)


def _complete(folder: Path) -> None:
    """Write what tells a whole entry from others."""
    (folder / ENTRY).write_text(json_text(_state(folder)), "utf-8")


def _state(folder: Path) -> dict[str, Any]:
    """What an entry is known by. The weights are not read, as those of a large model take too long."""
    model, weights = folder / MODEL, folder / WEIGHTS
    state: dict[str, Any] = {"sha256": sha256(model.read_bytes()).hexdigest()}
    for path in (model, weights):
        if path.exists():
            here = path.stat()
            state[path.name] = [here.st_size, here.st_mtime_ns]
    return state


def _is_whole(entry: Path) -> bool:
    """Whether an entry is there, and is what was written."""
    if not _is_own(entry):
        return False
    try:
        with (entry / ENTRY).open("rb") as file:
            known = json.loads(file.read(_LARGEST_ENTRY))
        return bool(known == _state(entry))
    except (OSError, ValueError):
        return False


def _prune(root: Path) -> None:
    """Remove what was not used for longest until the rest is small enough, and what nobody completed."""
    entries, now = [], time.time()
    for path in root.glob("*/*"):
        if path.name.startswith(_NEW):
            if now - path.lstat().st_mtime > _STALE:
                shutil.rmtree(path, ignore_errors=True)
        elif (path / ENTRY).is_file():
            size = sum(file.lstat().st_size for file in path.iterdir())
            entries.append(((path / ENTRY).stat().st_mtime, size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= _limit():
            break
        shutil.rmtree(path, ignore_errors=True)
        with suppress(OSError):  # others are in it
            path.parent.rmdir()
        total -= size
