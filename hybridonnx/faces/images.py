"""The modules of operators on images, `nd.npx.image` and `sym.npx.image`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._lazy import Access
from ..ops import load_all

_PREFIX = "_image_"


def images(module: str, operator: Callable[[str], Callable[..., Any]]) -> Access:
    """`__getattr__` and `__dir__` of a module that shows the operators on images as `operator` makes them."""

    def find(name: str) -> Any:
        if name == "__all__":
            return shown()
        if name.startswith("_") or _PREFIX + name not in load_all():
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return operator(_PREFIX + name)

    def shown() -> list[str]:
        return sorted(name.removeprefix(_PREFIX) for name in load_all() if name.startswith(_PREFIX))

    return find, shown
