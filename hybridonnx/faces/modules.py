"""Modules that show functions of an object or of a group: `np.random`, `np.linalg`, `npx.image`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._lazy import Access, lazy_module
from ..ops import load_all, lookup

_IMAGE = "_image_"


def namespace(module: str, functions: Any, *own: str) -> Access:
    """`__getattr__` and `__dir__` of a module that shows an object's functions beside its `own`."""
    return lazy_module(module, lambda name: getattr(functions, name), lambda: dir(functions), *own)


def images(module: str, operator: Callable[[str], Callable[..., Any]]) -> Access:
    """`__getattr__` and `__dir__` of a module that shows the operators on images as `operator` makes them."""

    def value(name: str) -> Callable[..., Any]:
        if lookup(_IMAGE + name) is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return operator(_IMAGE + name)

    def names() -> list[str]:
        return [name.removeprefix(_IMAGE) for name in load_all() if name.startswith(_IMAGE)]

    return lazy_module(module, value, names)
