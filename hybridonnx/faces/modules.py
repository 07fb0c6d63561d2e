"""Modules that show functions of an object: `nd.np`, `sym.np`, `nd.npx` and `sym.npx`."""

from __future__ import annotations

from typing import Any

from .._lazy import Access


def namespace(module: str, functions: Any, *names: str) -> Access:
    """`__getattr__` and `__dir__` of a module that shows an object's functions beside `names` of its own."""

    def find(name: str) -> Any:
        if name == "__all__":
            return shown()
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(functions, name)

    def shown() -> list[str]:
        public = {name for name in dir(functions) if not name.startswith("_")}
        return sorted({*names, *public} - {"binary"})

    return find, shown
