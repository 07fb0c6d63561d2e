"""The public surface: every name that a user reaches from the root, with the names of its arguments."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "hybridonnx"
STORED = ROOT / "tests/data/public_surface.txt"
CALLED = ("__init__", "__call__")
"""The methods that users call by the name of the class or the object."""


class Public(NamedTuple):
    """One public name, and what it is."""

    path: str
    value: Any
    owner: type | None = None
    """The class whose attribute it is."""


def modules() -> dict[str, ModuleType]:
    """Every public module by its full name: the root, and what is a module among the names of one."""
    reached: dict[str, ModuleType] = {}
    queue = [importlib.import_module(PACKAGE)]
    while queue:
        module = queue.pop()
        if module.__name__ not in reached:
            reached[module.__name__] = module
            values = [getattr(module, name) for name in module.__all__]
            queue += [v for v in values if isinstance(v, ModuleType) and v.__name__.startswith(PACKAGE)]
    return dict(sorted(reached.items()))


def names() -> Iterator[Public]:
    """Every public name; classes are followed by their attributes where they are first met."""
    met: set[type] = set()
    public = {id(getattr(m, n)) for m in modules().values() for n in m.__all__}
    for path, module in modules().items():
        for name in sorted(module.__all__):
            value = getattr(module, name)
            yield Public(f"{path}.{name}", value)
            if inspect.isclass(value) and value.__module__.startswith(PACKAGE) and value not in met:
                met.add(value)
                shown = [c for c in value.__mro__ if c is not value and id(c) in public]
                bases = [c for c in value.__mro__ if is_ours(c) and not any(issubclass(p, c) for p in shown)]
                yield from (Public(f"{path}.{name}.{n}", v, value) for n, v in attributes(value, bases))


def is_ours(cls: type) -> bool:
    """Whether a class is the project's own."""
    return cls.__module__.startswith(PACKAGE)


def attributes(cls: type, bases: list[type]) -> Iterator[tuple[str, Any]]:
    """The public attributes of a class that it, or one of its private bases, defines and does not refuse."""
    defined = {n for c in bases for n in vars(c)}
    for name in sorted(n for n in defined if not n.startswith("_") or n in CALLED):
        if hasattr(cls, name):  # what a base has and a class refuses is none of its names
            yield name, getattr(cls, name)


def described(public: Public) -> str:
    """One line of the list."""
    value = public.value
    if isinstance(value, ModuleType):
        return f"{public.path}: module {value.__name__}"
    if inspect.isclass(value):
        return f"{public.path}: class"
    if callable(value):
        return f"{public.path}({', '.join(arguments(value))})"
    return f"{public.path}: {'attribute' if public.owner else type(value).__name__}"


def arguments(function: Any) -> list[str]:
    """The arguments' names, those of any number with their stars, those with a default with `=`.

    Those of NumPy's own functions and of built-in ones are left out, which depend on their version.
    """
    if hasattr(function, "numpy_function"):
        return ["..."]
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of built-in functions
        return ["..."]
    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        stars.get(p.kind, "") + p.name + ("" if p.default is inspect.Parameter.empty else "=")
        for p in parameters
        if p.name != "self"
    ]


def text() -> str:
    """The whole list."""
    return "".join(f"{described(public)}\n" for public in names())


if __name__ == "__main__":
    STORED.write_text(text(), encoding="utf-8")
