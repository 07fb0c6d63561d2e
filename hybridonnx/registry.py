"""Tables of classes by name: how to register a class, give it other names, and create one by its name."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from .errors import RequirementError, suggest

__all__ = ["get_alias_func", "get_create_func", "get_register_func", "get_registry"]

_Class = TypeVar("_Class", bound=type)

_tables: dict[type, dict[str, type]] = {}


def get_registry(base_class: type) -> dict[str, type]:
    """The classes that are registered below a base class.

    Args:
        base_class: The base class.

    Returns:
        A new dict: classes by their names in lower case.
    """
    return dict(_tables.get(base_class, {}))


def share(base_class: type, table: dict[str, Any]) -> None:
    """Have a table that a module keeps by itself be the one of its base class."""
    _tables[base_class] = table


def get_register_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """A function that registers subclasses: `register(klass, name=None)`, also a decorator.

    Args:
        base_class: What is registered must be a subclass.
        nickname: What such a class is called in messages.

    Returns:
        The function. It raises `RequirementError`, an AssertionError, for other classes.
    """
    table = _tables.setdefault(base_class, {})

    def register(klass: _Class, name: str | None = None) -> _Class:
        if not (isinstance(klass, type) and issubclass(klass, base_class)):
            raise RequirementError(
                f"register: a subclass of {base_class.__name__} is required, got {klass!r}."
            )
        name = (klass.__name__ if name is None else name).lower()
        before = table.get(name)
        if before is not None:
            warnings.warn(
                f"New {nickname} {klass.__module__}.{klass.__name__} registered with name {name} is "
                f"overriding existing {nickname} {before.__module__}.{before.__name__}",
                UserWarning,
                stacklevel=2,
            )
        table[name] = klass
        return klass

    register.__doc__ = f"Register {nickname} to the {nickname} factory"
    return register


def get_alias_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """A function that makes a decorator of names: `@alias("rnd", "random")`.

    Args:
        base_class: What is registered must be a subclass.
        nickname: What such a class is called in messages.

    Returns:
        The function.
    """
    register = get_register_func(base_class, nickname)

    def alias(*aliases: str) -> Callable[[_Class], _Class]:
        def give_names(klass: _Class) -> _Class:
            for name in aliases:
                register(klass, name)
            return klass

        return give_names

    return alias


def get_create_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """A function that creates an object by its class's name, from its text, or gives an object back.

    Args:
        base_class: The class above those that are registered.
        nickname: What such a class is called in messages, and the keyword for its name.

    Returns:
        The function: `create("name", …)`, `create(nickname="name", …)`, `create('["name", {…}]')`,
        `create({nickname: "name", …})` or `create(object)`. It raises `RequirementError`, an AssertionError,
        for what is not registered.
    """
    table = _tables.setdefault(base_class, {})

    def alone(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if args or kwargs:
            raise RequirementError(f"create: no arguments are taken beside a {nickname} that has its own.")

    def create(*args: Any, **kwargs: Any) -> Any:
        name, args = (args[0], args[1:]) if args else (kwargs.pop(nickname), args)
        if isinstance(name, base_class):
            alone(args, kwargs)
            return name
        if isinstance(name, dict):
            return create(**name)
        if not isinstance(name, str):
            raise RequirementError(f"create: the name of a {nickname} is required, got {name!r}.")
        if name.startswith("["):
            alone(args, kwargs)
            name, kwargs = json.loads(name)
            return create(name, **kwargs)
        if name.startswith("{"):
            alone(args, kwargs)
            return create(**json.loads(name))
        if name.lower() not in table:
            near = suggest(name.lower(), table)
            raise RequirementError(f"create: {name} is not registered as a {nickname}.{near}")
        return table[name.lower()](*args, **kwargs)

    create.__doc__ = f"A {nickname} from its name and arguments, from text, or the object itself."
    return create
