"""Functions that blocks call before and after `forward`."""

from __future__ import annotations

from typing import Any, Self


class HookHandle:
    """A registered hook, which `detach` removes, as does the end of a `with` block."""

    def __init__(self) -> None:
        self._hooks: dict[int, Any] = {}

    def attach(self, hooks_dict: dict[int, Any], hook: Any) -> None:
        """Register a hook among those of a block."""
        if self._hooks:
            raise AssertionError("HookHandle: it has a hook already; make another one.")
        self._hooks = hooks_dict
        hooks_dict[id(self)] = hook

    def detach(self) -> None:
        """Remove the hook."""
        self._hooks.pop(id(self), None)
        self._hooks = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.detach()
