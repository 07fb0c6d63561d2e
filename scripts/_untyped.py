"""Public arguments whose type says nothing: how many of all are `Any`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from scripts import _surface


class Argument(NamedTuple):
    """One argument of a public function or method that is written in a file."""

    path: str
    name: str
    annotation: str

    def says_nothing(self) -> bool:
        """Whether the type is, or contains, `Any`, or the optimizers' name for it."""
        return re.search(r"\b(Any|State)\b", self.annotation) is not None

    def is_of_numpy(self) -> bool:
        """Whether the function is one of mx.np or mx.npx."""
        return re.search(r"\.(numpy|npx?)(_|\.)", self.path) is not None


def arguments() -> Iterator[Argument]:
    """Every argument of every public function and method; operators' have types from their schema."""
    met: set[Any] = set()
    for public in _surface.names():
        for path, function in functions(public):
            if function not in met and not hasattr(function, "__signature__"):
                met.add(function)
                for p in inspect.signature(function).parameters.values():
                    if p.name not in ("self", "cls"):
                        yield Argument(path, p.name, str(p.annotation))


def functions(public: _surface.Public) -> Iterator[tuple[str, Any]]:
    """The function that a public name is, or the special methods of a class beside its public ones."""
    value = public.value
    if inspect.isfunction(value) or inspect.ismethod(value):
        yield public.path, inspect.unwrap(getattr(value, "__func__", value))
    elif inspect.isclass(value) and _surface.is_ours(value):
        for name, method in vars(value).items():
            if name.startswith("__") and inspect.isfunction(method):
                yield f"{public.path}.{name}", method


def share(chosen: Callable[[Argument], bool]) -> float:
    """The share of the chosen public arguments whose type says nothing."""
    listed = [argument for argument in arguments() if chosen(argument)]
    return sum(a.says_nothing() for a in listed) / len(listed)


if __name__ == "__main__":
    listed = list(arguments())
    untyped = [a for a in listed if a.says_nothing()]
    for argument in untyped:
        print(f"{argument.path}: {argument.name}: {argument.annotation}")
    print(f"{len(untyped)} of {len(listed)}: {share(lambda _: True):.1%}")
