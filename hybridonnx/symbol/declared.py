"""What an ONNX model says of its inputs and constants, as attributes of their variables.

MXNet's own `__shape__` refuses nothing: blocks of MXNet run at other shapes. What was computed of a model's
declared sizes when it was imported is right for these alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ..attrs import Ints, coerce
from ..errors import MXNetError, ShapeError
from .graph import Node

SHAPE_KEY = "__onnx_shape__"
"""The attribute's name; in its text -1 is a free size."""

CONSTANT = {"__constant__": "True"}
"""The attribute of a variable that is no parameter of the model, so that training leaves it as it is."""

Declared: TypeAlias = tuple[int | None, ...]
"""A shape in which a size that is `None` is free."""
InputShape: TypeAlias = Sequence[int | str | None]
InputShapes: TypeAlias = Mapping[str, InputShape] | Sequence[InputShape | None]
"""What a caller says of inputs, by name or in order: `None` is the size of the file, a name a free one."""


def shape_attributes(sizes: Sequence[object] | None) -> dict[str, str]:
    """The attributes of an input's variable; sizes that are no integers are free."""
    if sizes is None:
        return {}
    text = ", ".join(str(size if isinstance(size, int) else -1) for size in sizes)
    return {SHAPE_KEY: f"({text},)" if len(sizes) == 1 else f"({text})"}


def constant_names(nodes: Iterable[Node]) -> set[str]:
    """The variables among these nodes that are constants."""
    return {node.name for node in nodes if node.is_variable and node.attrs.keys() >= CONSTANT.keys()}


def declared_shape(node: Node) -> Declared | None:
    """The shape that a variable has to have, `None` if it may have any."""
    text = node.attrs.get(SHAPE_KEY)
    if text is None:
        return None
    try:
        sizes: tuple[int, ...] = coerce(Ints, text)
    except ValueError:
        raise ShapeError(
            f"{SHAPE_KEY}: a shape such as (-1, 3) is required of {node.name[:80]!r}, got {text[:100]!r}."
        ) from None
    return tuple(None if size < 0 else size for size in sizes)


def declared_shapes(nodes: Iterable[Node]) -> dict[str, Declared]:
    """The shapes that the variables among these nodes have to have, by name."""
    shapes = [(node.name, declared_shape(node)) for node in nodes if node.is_variable]
    return {name: shape for name, shape in shapes if shape is not None}


def shapes_in_order(
    owner: str, names: Sequence[str], shapes: Sequence[InputShape | None], error: type[MXNetError]
) -> dict[str, InputShape]:
    """The shapes by name of inputs in this order; one input may have its shape alone. Raises `error`."""
    listed: list[Any] = list(shapes)
    if len(names) == 1 and any(item is None or isinstance(item, int | str) for item in listed):
        listed = [tuple(listed)]
    if len(listed) != len(names):
        raise error(
            f"{owner}: a shape for each of the inputs {', '.join(names) or '(none)'} is required in "
            f"input_shapes, got {len(listed)}."
        )
    return {name: shape for name, shape in zip(names, listed, strict=True) if shape is not None}


def require_declared(
    owner: str, name: str, declared: Declared, shape: Sequence[object], open_fits: bool = False
) -> None:
    """Raise `ShapeError` unless a shape is as declared: of that rank, with the sizes that are not free.

    With `open_fits` a size that is no integer may yet turn out to be the declared one.
    """
    if len(shape) == len(declared) and all(
        d is None or (size == d if isinstance(size, int) else open_fits)
        for d, size in zip(declared, shape, strict=True)
    ):
        return
    free = " Export the model with that size free to use it with others." if None not in declared else ""
    raise ShapeError(
        f"{owner}: input {name!r} of shape {_show(declared)} is required, as the ONNX model says, "
        f"got {_show(shape)}.{free}"
    )


def _show(shape: Sequence[object]) -> str:
    sizes = ["any" if size is None else str(size) for size in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
