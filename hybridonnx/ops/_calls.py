"""Calls of operators: which arguments are inputs, and which attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import ArgumentError, MXNetError, RequirementError, suggest
from ._operator import Operator

_TRUE = ("True", "true", "1")
"""What attributes that are true may be as text."""


def bind(
    cls: type[Operator], args: Sequence[Any], kwargs: Mapping[str, Any], is_input: Callable[[Any], bool]
) -> tuple[list[Any], dict[str, Any]]:
    """A call's inputs (`None` where one is left out, trailing ones cut) and attributes.

    Positional arguments are the inputs in their order, then the attributes in theirs.
    """
    if cls.variadic:
        return _bind_variadic(cls, args, kwargs, is_input)
    order = _positions(cls, args, kwargs)
    names = (*order, *cls.schema())
    if any(map(is_input, args[len(order) :])):
        raise ArgumentError(
            f"{cls.names[0]}: at most {len(order)} inputs ({', '.join(order)}) are possible, got {len(args)}."
        )
    if len(args) > len(names):
        raise ArgumentError(
            f"{cls.names[0]}: at most {len(names)} positional arguments ({', '.join(names)}) are possible, "
            f"got {len(args)}."
        )
    arguments = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name in arguments:
            raise ArgumentError(f"{cls.names[0]}: {name} is given twice, by position and by name.")
        arguments[name] = value
    inputs = [arguments.pop(name, None) for name in cls.inputs]
    for name, value in zip(cls.inputs, inputs, strict=True):
        if value is not None and not is_input(value):
            raise RequirementError(
                f"{cls.names[0]}: input {name} must be an array or a symbol, as the other inputs, "
                f"got {type(value).__name__}."
            )
    for name, value in arguments.items():
        if is_input(value):
            raise RequirementError(
                f"{cls.names[0]}: has no input {name!r}; it has {', '.join(cls.inputs)}."
                f"{suggest(name, cls.inputs)}"
            )
    while inputs and inputs[-1] is None:
        inputs.pop()
    return inputs, arguments


def options_by_name(
    cls: type[Operator], args: Sequence[Any], kwargs: dict[str, Any], options: Sequence[str]
) -> Sequence[Any]:
    """The positional arguments but for those behind the attributes, which `kwargs` gets as these options."""
    count = len(cls.inputs) + len(cls.schema())
    if cls.variadic or not count < len(args) <= count + len(options):
        return args
    for name, value in zip(options, args[count:], strict=False):
        if name in kwargs:
            raise ArgumentError(f"{cls.names[0]}: {name} is given twice, by position and by name.")
        kwargs[name] = value
    return args[:count]


def _positions(cls: type[Operator], args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[str, ...]:
    """The inputs in the order of positional arguments; one that is left out may stand among them as None."""
    if any(arg is None for arg in args):
        return cls.inputs
    skipped = {n for name, skip in cls.skips.items() if str(kwargs.get(name)) in _TRUE for n in skip}
    return tuple(n for n in cls.inputs if n not in skipped)


def _bind_variadic(
    cls: type[Operator], args: Sequence[Any], kwargs: Mapping[str, Any], is_input: Callable[[Any], bool]
) -> tuple[list[Any], dict[str, Any]]:
    if len(args) == 1 and isinstance(args[0], list | tuple):
        args = args[0]
    attributes = dict(kwargs)
    inputs = list(args)
    inputs += [
        attributes.pop(f"arg{i}")
        for i in range(len(inputs), len(attributes) + len(inputs))
        if f"arg{i}" in attributes
    ]
    for i, value in enumerate(inputs):
        if not is_input(value):
            raise RequirementError(
                f"{cls.names[0]}: input {i} must be an array or a symbol, as the other inputs, "
                f"got {type(value).__name__}; attributes are given by name."
            )
    if attributes.get(cls.variadic) is None:
        attributes[cls.variadic] = cls.count_of(len(inputs))
    count = attributes[cls.variadic]
    if cls.counted_inputs(int(count)) != len(inputs):
        raise MXNetError(f"{cls.names[0]}: {cls.variadic} is {count}, but {len(inputs)} inputs were given.")
    return inputs, attributes
