"""Sessions of ONNX Runtime in the process that runs them: a fork leaves their threads behind."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from .._locks import follow, in_children, no_fork


class Started:
    """What runs a session, which is started anew in a process forked from the one that had it.

    A session of one thread goes on there: it has none to lose, as a fork waits for runs.
    """

    _session: Any = None
    """`None` after a fork, until it is used."""

    def _start_with(self, start: Callable[[Any], Any], settings: Callable[[], Any]) -> None:
        self._start, self._settings = start, settings
        self._restart()
        follow(self)

    def _restart(self) -> Any:
        """The session, started now."""
        settings = self._settings()
        self._has_threads = settings.intra_op_num_threads != 1
        with no_fork():
            session = self._session = self._start(settings)
        return session

    def forked(self) -> None:
        """Leave the session to the process that started it, if it has threads there."""
        if self._has_threads and self._session is not None:
            keep_forever(self._session)
            self._session = None


def keep_forever(session: Any) -> None:
    """Have a session never end: its end would wait for threads that this process does not have."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(session))


def _exit_without_ends() -> None:
    """End this process, when it ends, before the ends of C++ libraries.

    That of ONNX Runtime waits for the thread that its import starts, which is another process's. Where C's
    library has no `on_exit`, nothing changes.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "on_exit"):  # what is registered last runs first, and gets the status
        for name in ("_exit", "fcloseall"):
            library.on_exit(ctypes.cast(getattr(library, name), ctypes.c_void_p), None)


in_children(_exit_without_ends)
