"""Operators under the names that users call them by: the groups of `nd` and `sym`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any, NamedTuple

from .._lazy import Access
from ..errors import UnknownOperatorError, suggest
from ._operator import Operator
from ._registry import find, from_index, load_all, lookup
from ._signature import Usage, help_text, signature_of

GROUPS: dict[str, tuple[str, ...]] = {
    "": ("",),
    "_internal": ("", "_", "_random_"),
    "contrib": ("_contrib_",),
    "image": ("_image_",),
    "linalg": ("_linalg_",),
    "op": ("",),
    "random": ("_random_", "_sample_"),
    "sparse": ("_sparse_", ""),
}
"""Groups to the prefixes that the registered names of their operators have; dir shows those of the first."""


class Frontend(NamedTuple):
    """One of `nd` and `sym`: what its functions are called on, and how they call an operator."""

    name: str
    package: str
    usage: Usage
    function: Callable[[type[Operator], str], Callable[..., Any]]
    """A new function of one operator, by the name that users call it by."""
    hints: Mapping[str, str]
    """What to do about names that only the other frontend has."""


class Namespace:
    """The operators of one group as functions of a frontend, made when they are first asked for.

    Those for users have signatures and help texts, which rules and library code do without (`for_users`).
    """

    def __init__(self, frontend: Frontend, group: str = "", for_users: bool = True) -> None:
        self.__name__ = f"{frontend.name}.{group}" if group else frontend.name
        self._frontend = frontend
        self._module = f"{frontend.package}.{group}" if group else frontend.package
        self._prefixes = GROUPS[group]
        self._for_users = for_users

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        cls = self.operator(name)
        function = self._frontend.function(cls, name)
        if self._for_users:
            describe(function, cls, self._frontend.usage)
        function.__name__ = function.__qualname__ = name
        function.__module__ = self._module
        setattr(self, name, function)
        return function

    def operator(self, name: str) -> type[Operator]:
        """The operator that the group calls `name`."""
        for look in (from_index, lookup):  # to look for what is not there takes long
            for prefix in self._prefixes:
                cls = look(prefix + name)
                if cls is not None:
                    return cls
        hint = self._frontend.hints.get(name) or suggest(name, dir(self))
        raise UnknownOperatorError(f"{self.__name__}.{name}: no operator has this name.{hint}")

    def __dir__(self) -> list[str]:
        names = [n.removeprefix(self._prefixes[0]) for n in load_all() if n.startswith(self._prefixes[0])]
        return sorted(n for n in names if not n.startswith("_"))

    def access(self, own: Sequence[str] = ()) -> Access:
        """`__getattr__` and `__dir__` of the module that shows the group, beside names of its own."""

        def lookup(name: str) -> Any:
            if name == "__all__":
                return names()
            if name.startswith("__"):
                raise AttributeError(f"module {self._module!r} has no attribute {name!r}")
            function: Callable[..., Any] = getattr(self, name)
            setattr(sys.modules[self._module], name, function)
            return function

        def names() -> list[str]:
            return sorted({*dir(self), *own})

        return lookup, names


def describe(function: Callable[..., Any], cls: type[Operator], usage: Usage) -> None:
    """Give a function the signature and the help text of the operator that it calls."""
    function.__doc__ = help_text(cls, usage)
    function.__signature__ = signature_of(cls, usage)  # type: ignore[attr-defined]


class FluentMethod:
    """An operator as a method: its function takes the place of this object when it is first asked for."""

    def __init__(self, name: str, owner: type, frontend: Frontend) -> None:
        self._name = name
        self._owner = owner
        self._frontend = frontend

    def __get__(self, instance: object, _: type) -> Any:
        name, owner, frontend = self._name, self._owner, self._frontend
        cls = find(name)
        method = frontend.function(cls, name)
        describe(method, cls, frontend.usage)
        method.__signature__ = _of_method(method.__signature__)  # type: ignore[attr-defined]
        method.__name__, method.__qualname__ = name, f"{owner.__name__}.{name}"
        method.__module__ = owner.__module__
        setattr(owner, name, method)
        return getattr(owner if instance is None else instance, name)


def _of_method(signature: Signature) -> Signature:
    """The signature with `self` for the first input."""
    receiver = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    parameters = list(signature.parameters.values())
    variadic = parameters[0].kind is Parameter.VAR_POSITIONAL
    return signature.replace(parameters=[receiver, *parameters[0 if variadic else 1 :]])
