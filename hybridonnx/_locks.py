"""Locks that outlast a fork, and forks that wait until no other thread is in the middle of something.

A fork copies the memory of a process and one of its threads: a lock that another thread held stays locked in
the child, and what that thread was about to change stays half changed. So there are two means:

    with no_fork(), self._lock:     # a fork of another thread waits for the end of the block
    self._lock = new_lock()         # free in a child, unless the thread that forked holds it

Each thread has a gate, which it holds in such a block, and a fork takes the gates of all others. `no_fork`
comes before locks, so that whoever waits for a lock waits for a thread that goes on. Where users' code runs,
which may fork, the lock comes first: those who wait for it are not inside then.
"""

from __future__ import annotations

import importlib
import logging  # noqa: F401  (first, so that a fork takes its lock after those that are waited for here)
import os
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NoReturn, Protocol

from .errors import MXNetError

PATIENCE = 60.0
"""Seconds that a fork waits at most for other threads; then it goes on, and the child refuses to go on."""
_FIRST, _MOST = 0.05, 1.0
"""Seconds for which a fork keeps threads out at first, and at most: each time twice as long as the last.

Between, it waits as long for the thread inside, which may need something of one that was not let in.
"""
_IMPORTS = 2.0
"""Seconds that a fork waits at most for modules that other threads import: a child could not import them."""


class Forked(Protocol):
    """What has to know that it is in another process now."""

    def forked(self) -> None:
        """Let go of what the process that forked has, such as its threads."""


class _Thread(threading.local):
    """What a thread has of its own."""

    forks = False
    """Whether it is about to fork, or does."""
    alone = False
    """Whether it does so while all others are kept out."""

    def __init__(self) -> None:
        self.gate: Any = threading.RLock()
        """Held while the thread is inside."""
        with _registering:
            _gates.add(self.gate)


_registering: Any = threading.RLock()
"""Held while a thread gets its gate, and by the thread that forks: nobody else enters meanwhile."""
_gates: weakref.WeakSet[Any] = weakref.WeakSet()
_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_followers: weakref.WeakSet[Any] = weakref.WeakSet()
_functions: list[Callable[[], object]] = []
_bootstrap = getattr(importlib, "_bootstrap", None)
_thread = _Thread()


class _State:
    """What all threads ask."""

    closed = False
    """Whether a thread forks."""
    torn = False
    """Whether this process is a copy of one in which a thread was in the middle of something."""


def new_lock() -> Any:
    """A lock that a thread may take several times; in a child it is free, unless its thread has it."""
    lock = threading.RLock()
    _locks.add(lock)
    return lock


def no_fork() -> AbstractContextManager[object]:
    """A `with` block of this thread in which no other thread forks: it waits for the end.

    Raises:
        MXNetError: The process was forked in the middle of such a block.
    """
    gate: AbstractContextManager[object] = _thread.gate
    if _State.closed and not _thread.gate._is_owned():
        with _registering:  # until the fork is done
            pass
    if _State.torn:
        _refuse()
    return gate


def _refuse() -> NoReturn:
    raise MXNetError(
        "A process is required that was forked while no other thread traced, compiled or ran a graph, got "
        f"one where that took longer than {PATIENCE:g} seconds. Fork earlier, or start processes by spawn."
    )


def follow(follower: Forked) -> None:
    """Call `follower.forked()` in each process that is forked while it lives."""
    _followers.add(follower)


def in_children(function: Callable[[], object]) -> None:
    """Call a function in each process that is forked from now on."""
    _functions.append(function)
    _register()


# ---- around a fork


def _before() -> None:
    """Keep all other threads out."""
    if _thread.forks:  # this was registered several times
        return
    _thread.forks = True
    end, seconds = time.monotonic() + PATIENCE, _FIRST
    while not _thread.alone:
        left = end - time.monotonic()
        if left <= 0:
            return
        busy = _take_gates(min(seconds, left))
        if busy is not None:
            if busy.acquire(timeout=min(seconds, left)):
                busy.release()
            seconds = min(2 * seconds, _MOST)
        elif left > PATIENCE - _IMPORTS and _importing():
            _open_gates()
            time.sleep(_FIRST / 10)
        else:
            _thread.alone = True


def _take_gates(seconds: float) -> Any:
    """Take the gates of all other threads; if that takes longer, none, and the one that somebody holds."""
    end, own = time.monotonic() + seconds, _thread.gate
    if not _registering.acquire(timeout=seconds):
        return _registering
    busy = own
    try:
        _State.closed = True
        for gate in [gate for gate in _gates if gate is not own]:
            busy = gate
            if not gate.acquire(timeout=max(end - time.monotonic(), 0)):
                return gate
        busy = None
    finally:
        if busy is not None:
            _open_gates()
    return None


def _importing() -> bool:
    """Whether another thread imports a module, as far as Python tells; its locks are not free in a child."""
    locks = [reference() for reference in list(getattr(_bootstrap, "_module_locks", {}).values())]
    return any(getattr(lock, "owner", None) not in (None, threading.get_ident()) for lock in locks)


def _open_gates() -> None:
    """Let go of the gates that this thread took."""
    with _registering:
        _State.closed = False
        for gate in list(_gates):
            if gate is not _thread.gate and gate._is_owned():
                gate.release()
    while _registering._is_owned():
        _registering.release()


def _after_in_parent() -> None:
    _thread.forks = _thread.alone = False
    _open_gates()


def _after_in_child() -> None:
    _State.closed, _State.torn = False, _State.torn or not _thread.alone
    _thread.forks = _thread.alone = False
    _registering._at_fork_reinit()
    _gates.clear()
    _gates.add(_thread.gate)
    for lock in list(_locks):
        if not lock._is_owned():
            lock._at_fork_reinit()
    for follower in list(_followers):
        follower.forked()
    for function in _functions:
        function()


def _register() -> None:
    """Have forks wait before they do what was registered until now, such as taking locks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_parent=_after_in_parent, after_in_child=_after_in_child)
_register()
