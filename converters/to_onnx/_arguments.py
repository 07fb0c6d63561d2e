"""What callers say of a model's inputs: shapes, dtypes and the like, by name or in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from hybridonnx.dtypes import DType, as_dtype
from hybridonnx.errors import ConversionError
from hybridonnx.ops import Dim, Spec, SymbolicDim

Sizes: TypeAlias = "Sequence[int | str | None]"


def by_name(names: Sequence[str], values: Any, is_one: Callable[[Any], bool]) -> dict[str, Any]:
    """The value for each name, from a mapping, a list in the names' order, or one value alone."""
    if isinstance(values, Mapping):
        return dict(values)
    return dict(zip(names, in_order(values, is_one), strict=False))


def in_order(values: Any, is_one: Callable[[Any], bool]) -> list[Any]:
    """The values of a mapping or a list in its order, or one value alone."""
    if isinstance(values, Mapping):
        return list(values.values())
    return [values] if values is not None and is_one(values) else list(values or ())


def is_shape(value: Any) -> bool:
    """Whether this is a shape, rather than a list of them."""
    return isinstance(value, tuple) and all(d is None or isinstance(d, int | np.integer | str) for d in value)


def shapes_by_input(names: Sequence[str], shapes: Any, argument: str) -> dict[str, Sizes]:
    """A shape for each input, from a mapping, a list, or one shape for one input."""
    sizes: dict[str, Sizes] = {name: tuple(shape) for name, shape in by_name(names, shapes, is_shape).items()}
    missing = [name for name in names if name not in sizes]
    if missing and not isinstance(shapes, Mapping):
        raise ConversionError(
            f"export_model: {argument} with a shape for each of the inputs {', '.join(names)} is "
            f"required, got {len(sizes)}. Inputs are the arguments without a value in params."
        )
    if missing:
        raise ConversionError(
            f"export_model: {argument} with a shape for each input is required, got none for "
            f"{', '.join(missing)}. If these are parameters, give their values in params."
        )
    return {**{name: sizes[name] for name in names}, **sizes}  # in the inputs' order


def dtypes_by_input(names: Sequence[str], dtypes: Any) -> dict[str, DType]:
    """A dtype for each input, from a mapping, a list, or one dtype for all."""
    if not isinstance(dtypes, Mapping | list | tuple):
        return dict.fromkeys(names, as_dtype(dtypes))
    if not isinstance(dtypes, Mapping) and len(dtypes) < len(names):
        raise ConversionError(
            f"export_model: one of in_types for each of the inputs {', '.join(names)} is required, "
            f"got {len(dtypes)}."
        )
    known = by_name(names, dtypes, lambda value: False)
    return {name: as_dtype(known.get(name)) for name in names}


def spec(name: str, shape: Sizes, dtype: DType) -> Spec:
    """The spec of an input."""
    wrong = [d for d in shape if not (d is None or isinstance(d, str | int | np.integer))]
    if wrong or any(isinstance(d, int | np.integer) and d < 0 for d in shape):
        raise ConversionError(
            f"export_model: a shape of sizes from 0 on, names and None is required for {name}, "
            f"got {tuple(shape)}."
        )
    return Spec(tuple(map(_dim, shape)), dtype)


def _dim(size: int | str | None) -> Dim:
    if isinstance(size, str):
        return SymbolicDim.named(size) if size else None
    return None if size is None else int(size)
