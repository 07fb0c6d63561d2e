"""Scopes of threads: `with` blocks that bring back what held before them, wherever an interrupt comes.

They take effect by one assignment and end by one, as `autograd.scopes` tells.
"""

from __future__ import annotations

import threading
from typing import Any, ClassVar


class Innermost(threading.local):
    """The scopes of one kind that a thread is in."""

    innermost: Any = None
    """The innermost scope, what holds in it, and the scopes around it in the same form."""


class Scope:
    """What ends so. Subclasses begin by `_scopes.innermost = self, what holds, _scopes.innermost`."""

    __slots__ = ()
    _scopes: ClassVar[Innermost]

    def __exit__(self, *_: object) -> None:
        inner = self._scopes.innermost
        while inner is not None and inner[0] is not self:  # blocks inside of it that could not end
            inner = inner[2]
        if inner is not None:
            self._scopes.innermost = inner[2]
