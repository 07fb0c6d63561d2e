"""Inputs for runs whose time is measured: given ones, or drawn as `verify` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..converters.elements import dtype_of_type_string
from ..converters.limits import input_limits
from ..converters.to_onnx import by_name, is_shape
from ..errors import AttributeValueError, ConversionError
from ..ops import Array
from ..parity.drawing import numbers, require_few
from ..parity.inputs import as_array, is_array
from ..runtime.session import ModelSession

Shapes: TypeAlias = Mapping[str, Sequence[int | str]]
"""The sizes of each input; free ones are names."""


def feeds(
    what: str,
    source: str | bytes,
    session: ModelSession,
    inputs: Any,
    shapes: Any,
    sizes: Mapping[str, int] | None,
    batch_size: int | None,
    seed: int,
) -> dict[str, Array]:
    """An array for each input of a model, whose `source` the session is of.

    Free sizes are those of `sizes` by their names; a first one `batch_size`, or 1 where nothing tells it.
    """
    names = list(session.inputs)
    if inputs is not None:
        arrays: dict[str, Array] = by_name(names, inputs, is_array)
        _require(what, "inputs", names, arrays)
        return arrays
    declared = declared_sizes(what, session, shapes)
    known = _known(what, declared, sizes or {}, batch_size)
    rng = np.random.default_rng(seed)
    limits = input_limits(source, {n: tuple(shape) for n, shape in declared.items()})
    shapes_of = {
        name: tuple(_size(what, name, i, d, known) for i, d in enumerate(shape))
        for name, shape in declared.items()
    }
    require_few(what, shapes_of)
    result = {}
    for name, (text, _) in session.inputs.items():
        shape = shapes_of[name]
        dtype = dtype_of_type_string(text)
        if dtype is None:
            raise ConversionError(
                f"{what}: inputs are required, as none can be drawn for {name} of type {text}."
            )
        result[name] = numbers(rng, f"{what}: {name}", shape, dtype, limits.get(name, ()), known)
    return result


def declared_sizes(what: str, session: ModelSession, shapes: Any) -> Shapes:
    """The sizes of a model's inputs: those of `shapes`, else those that it says.

    Free ones without a name are called by input and axis.
    """
    names = list(session.inputs)
    known = by_name(names, shapes, is_shape)
    strange = [name for name in known if name not in names]
    if strange:
        raise AttributeValueError(
            f"{what}: shapes of the inputs {', '.join(names)} are required, got one of {strange[0]}."
        )
    return {
        name: tuple(
            f"{name}_{i}" if d is None or d == "" else d for i, d in enumerate(known.get(name, shape))
        )
        for name, (_, shape) in session.inputs.items()
    }


def has_free_rows(declared: Shapes) -> bool:
    """Whether an input's first size is free."""
    return any(shape and not isinstance(shape[0], int) for shape in declared.values())


def arrays_of(inputs: Any) -> Any:
    """Inputs as ONNX Runtime takes them, by name or in order."""
    if isinstance(inputs, Mapping):
        return {name: as_array(value) for name, value in inputs.items()}
    return [as_array(value) for value in inputs] if isinstance(inputs, list | tuple) else [as_array(inputs)]


def signature(shapes: Any, arrays: Any) -> tuple[Any, Any]:
    """The shapes and types that a model of MXNet's is exported for."""
    if arrays is None:
        return shapes, "float32"
    if isinstance(arrays, Mapping):
        return {n: a.shape for n, a in arrays.items()}, {n: a.dtype for n, a in arrays.items()}
    return [a.shape for a in arrays], [a.dtype for a in arrays]


def _require(what: str, argument: str, names: Sequence[str], values: Mapping[str, object]) -> None:
    missing = [name for name in names if name not in values]
    if missing or len(values) > len(names):
        raise AttributeValueError(
            f"{what}: {argument} for {', '.join(names)} are required, got {', '.join(values) or 'none'}."
        )


def _known(
    what: str,
    declared: Shapes,
    sizes: Mapping[str, int],
    batch_size: int | None,
) -> dict[str, int]:
    """The free sizes that are known, by name: where a first one is the batch size, its name is everywhere."""
    free = {d: None for shape in declared.values() for d in shape if isinstance(d, str)}
    strange = [name for name in sizes if name not in free]
    if strange:
        names = f"names of free sizes, {', '.join(free)}," if free else "no sizes"
        raise AttributeValueError(f"{what}: {names} are required, as the model has them, got {strange[0]}.")
    firsts = [shape[0] for shape in declared.values() if shape]
    rows = {d: 1 if batch_size is None else batch_size for d in firsts if isinstance(d, str)}
    return {**rows, **sizes} if batch_size is None else {**sizes, **rows}


def _size(what: str, name: str, axis: int, size: int | str, known: Mapping[str, int]) -> int:
    if not isinstance(size, str):
        return int(size)
    if size not in known:
        raise AttributeValueError(
            f"{what}: a size is required for {size}, axis {axis} of input {name}, which the model leaves "
            f"free. Give sizes={{'{size}': …}}, inputs or shapes."
        )
    return known[size]
