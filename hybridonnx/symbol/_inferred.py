"""`infer_shape` and `infer_type` as MXNet's users call them and read their results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ..dtypes import as_dtype
from ..errors import MXNetError, suggest
from ..ndarray.np_shape import is_np_shape
from ..ops import Shape, Spec
from .graph import Entry
from .infer import closed_shape, infer, open_shape

Lists: TypeAlias = tuple[list[Any], list[Any], list[Any]]


def infer_shape(symbol: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The shapes of arguments, outputs and auxiliary states, or three times `None`."""
    shapes = _open_shapes(symbol, args, kwargs)
    if all(_known(shape) for part in shapes for shape in part):
        return _closed(shapes)
    missing = [
        f"{name}: {closed_shape(shape)}"
        for name, shape in zip(symbol.list_arguments(), shapes[0], strict=True)
        if not _known(shape)
    ]
    _warn("shape", f"(sizes of {-1 if is_np_shape() else 0} are unknown)", missing)
    return None, None, None


def infer_shape_partial(symbol: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Lists:
    """The shapes as far as they can be inferred."""
    return _closed(_open_shapes(symbol, args, kwargs))


def _open_shapes(symbol: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Lists:
    shapes = _values_by_name("infer_shape", symbol, args, kwargs)
    known = {name: Spec(_checked_shape(name, shape)) for name, shape in shapes.items()}
    return _lists(symbol, known, lambda spec: spec.shape)


def _closed(shapes: Lists) -> Lists:
    arguments, outputs, states = ([closed_shape(shape) for shape in part] for part in shapes)
    return arguments, outputs, states


def _known(shape: Shape | None) -> bool:
    least = 0 if is_np_shape() else 1
    return shape is not None and all(isinstance(size, int) and size >= least for size in shape)


def infer_type(symbol: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The dtypes of arguments, outputs and auxiliary states, or three times `None`."""
    types = infer_type_partial(symbol, args, kwargs)
    if all(dtype is not None for part in types for dtype in part):
        return types
    names = symbol.list_arguments()
    _warn("type", "", [name for name, dtype in zip(names, types[0], strict=True) if dtype is None])
    return None, None, None


def infer_type_partial(symbol: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Lists:
    """The dtypes as far as they can be inferred."""
    types = _values_by_name("infer_type", symbol, args, kwargs)
    known = {name: Spec(None, as_dtype(dtype)) for name, dtype in types.items() if dtype is not None}
    return _lists(symbol, known, lambda spec: spec.dtype and spec.dtype.type)


def _values_by_name(
    method: str, symbol: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """What is known of variables, by name. Positional values go with the arguments in order."""
    if args and kwargs:
        raise ValueError(f"Symbol.{method}: values are given either by position or by name, not both.")
    if args:
        names = symbol.list_arguments()
        if len(args) > len(names):
            raise MXNetError(f"Symbol.{method}: {len(names)} arguments at most, got {len(args)} values.")
        return {name: value for name, value in zip(names, args, strict=False) if value is not None}
    names = symbol.list_inputs()
    known = set(names)
    for name in kwargs:
        if name not in known:
            raise MXNetError(
                f"Symbol.{method}: no variable is named {name!r}, only {', '.join(names[:10])}"
                f"{', …' if len(names) > 10 else ''}.{suggest(name, names)}"
            )
    return dict(kwargs)


def _checked_shape(name: str, shape: Any) -> Any:
    if not isinstance(shape, tuple | list):
        raise TypeError(f"Symbol.infer_shape: a tuple is required as the shape of {name}, got {shape!r}.")
    return open_shape(shape)


def _lists(symbol: Any, known: Mapping[str, Spec], value: Callable[[Spec], Any]) -> Lists:
    specs = infer(symbol, known, partial=True)
    arguments, states = symbol._variables(False), symbol._variables(True)
    return (
        [value(specs[Entry(node, 0)]) for node in arguments],
        [value(specs[entry]) for entry in symbol.outputs],
        [value(specs[Entry(node, 0)]) for node in states],
    )


def _warn(what: str, note: str, missing: Sequence[str]) -> None:
    lines = "".join(f"\n\t{name}" for name in missing)
    message = f"Cannot decide {what} for the following arguments{note and ' '}{note}."
    warnings.warn(f"{message} Consider providing them as input:{lines}", stacklevel=4)
