"""Packages whose names are loaded when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, TypeAlias

Access: TypeAlias = tuple[Callable[[str], Any], Callable[[], list[str]]]
"""What a module calls `__getattr__` and `__dir__`."""


def is_reloaded(function: Callable[..., Any], again: Callable[..., Any]) -> bool:
    """Whether a function is another of the same lines: an import that was interrupted makes it anew."""
    codes = [getattr(each, "__code__", None) for each in (function, again)]
    places = {(code.co_filename, code.co_firstlineno, code.co_qualname) for code in codes if code is not None}
    return function is again or (len(places) == 1 and None not in codes)


def lazy_package(package: str, **names: Any) -> Access:
    """`__getattr__` and `__dir__` of a package, or of a module whose `__all__` has names from above it.

    `names` are the fields of `LazyPackage`.
    """
    content = LazyPackage(package, **names)
    return content.find, content.names


def lazy_module(
    module: str, value: Callable[[str], Any], names: Callable[[], Iterable[str]], *own: str
) -> Access:
    """`__getattr__` and `__dir__` of a module that shows the value of each of some names beside its `own`."""

    def find(name: str) -> Any:
        if name == "__all__":
            return shown()
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return value(name)

    def shown() -> list[str]:
        return sorted({*own, *(name for name in names() if not name.startswith("_"))})

    return find, shown


def mirror(module: str, source: str) -> Access:
    """`__getattr__` and `__dir__` of a module that shows what a package does, but for modules."""

    def names() -> Iterator[str]:
        package = import_module(source)
        return (name for name in dir(package) if not isinstance(getattr(package, name), ModuleType))

    return lazy_module(module, lambda name: getattr(import_module(source), name), names)


@dataclass
class LazyPackage:
    """The names that a package shows, and where they are defined."""

    package: str
    modules: Sequence[str] = ()
    """Modules of the package all of whose `__all__` it shows."""
    single: Mapping[str, str] = field(default_factory=dict)
    """Single names to their modules, relative to the package; `module:name` where the name differs there."""
    submodules: Sequence[str] = ()
    """Modules and packages that are shown themselves."""
    operators: str = ""
    """A module of the package whose `operators` has all that is left."""

    def find(self, name: str) -> Any:
        """What the package calls `name`, which is remembered there; `__all__` is every name."""
        if name == "__all__":
            return self.names()
        if name in self.submodules:
            return import_module(f"{self.package}.{name}")  # which sets the name
        value = self._defined(name)
        setattr(sys.modules[self.package], name, value)
        return value

    def _defined(self, name: str) -> Any:
        if name in self.single:
            module, _, other = self.single[name].partition(":")
            return getattr(import_module(module, self.package), other or name)
        if name.startswith("__") or self._is_module(name):  # `from . import` asks here first
            raise self._missing(name)
        for module in self._defining() if not name.startswith("_") else ():
            if name in module.__all__:
                return getattr(module, name)
        if self.operators:
            return getattr(self._operators(), name)
        raise self._missing(name)

    def _is_module(self, name: str) -> bool:
        is_package = hasattr(sys.modules[self.package], "__path__")
        plain = name.isidentifier()  # names of foreign operators have dots
        return is_package and plain and find_spec(f"{self.package}.{name}") is not None

    def _missing(self, name: str) -> AttributeError:
        return AttributeError(f"module {self.package!r} has no attribute {name!r}")

    def _defining(self) -> Iterator[Any]:
        return (import_module(f"{self.package}.{module}") for module in self.modules)

    def _operators(self) -> Any:
        return import_module(f"{self.package}.{self.operators}").operators

    def names(self) -> list[str]:
        """Every name that the package shows."""
        own = vars(sys.modules[self.package]).get("__all__", ())  # of a module
        names = {
            *own,
            *self.single,
            *self.submodules,
            *(n for module in self._defining() for n in module.__all__),
        }
        if self.operators:
            names |= {n for n in dir(self._operators()) if not n.startswith("__")}
        return sorted(n for n in names if n.startswith("__") or not n.startswith("_"))
