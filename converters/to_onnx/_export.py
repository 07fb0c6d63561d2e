"""`export_model`: from a Symbol with parameters to a checked ONNX file."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from hybridonnx.dtypes import DType, as_dtype, float32
from hybridonnx.errors import ConversionError
from hybridonnx.ops import Spec

from ..opsets import DEFAULT
from ..values import Array
from ._file import save
from ._graph import NeedsShape
from ._model import Lowered, check, lower
from ._walk import needed

Sizes: TypeAlias = "Sequence[int | str | None]"
_log = logging.getLogger(__name__)


def export_model(
    sym: Any,
    params: Any,
    in_shapes: Any = None,
    in_types: Any = np.float32,
    onnx_file_path: str | os.PathLike[str] = "model.onnx",
    verbose: bool = False,
    dynamic: bool = False,
    dynamic_input_shapes: Any = None,
    run_shape_inference: bool = False,
    input_type: Any = None,
    input_shape: Any = None,
    opset_version: int | None = None,
) -> str:
    """Write a Symbol with its parameters to an ONNX file, and return the file's name.

    `sym` and `params` are a Symbol and arrays by name. Shapes and types are given for each input in the order
    of the Symbol's arguments, or by name; a size may be `None` or a name, which leaves it free.
    With `dynamic` the sizes are those of `dynamic_input_shapes`, or all free.
    `input_shape` and `input_type` are older names of `in_shapes` and `in_types`.
    """
    arrays = arrays_by_name(params)
    names = data_names(sym, arrays)
    shapes = by_input(names, in_shapes if input_shape is None else input_shape, "in_shapes")
    types = _types(names, in_types if input_type is None else input_type)
    if dynamic:
        shapes = _dynamic(names, shapes, dynamic_input_shapes)
    lowered = lower_checked(sym, arrays, shapes, types, opset_version or DEFAULT, run_shape_inference)
    written = save(lowered, arrays, onnx_file_path)
    if verbose:
        _log.info("exported %s: %d nodes, opset %s", written, len(lowered.model.graph.node), opset_version)
    return written


def lower_checked(
    sym: Any,
    params: Mapping[str, Array],
    shapes: Mapping[str, Sizes],
    types: Mapping[str, DType],
    opset: int = DEFAULT,
    values: bool = False,
) -> Lowered:
    """The Symbol as a model that ONNX has checked, its parameters still outside."""
    inputs = {name: _spec(name, shapes[name], types.get(name, float32)) for name in shapes}
    dims = {name: _dim_names(shape) for name, shape in shapes.items()}
    try:
        lowered = lower(sym, inputs, params, opset=opset, embed=False, dim_names=dims)
    except NeedsShape as exc:
        free = [name for name, spec in inputs.items() if None in (spec.shape or ())]
        raise ConversionError(f"{exc} SymbolicDim sizes were given for {', '.join(free)}.") from None
    return check(lowered, params, values)


def data_names(sym: Any, params: Mapping[str, Array]) -> list[str]:
    """The variables that inference reads and that are no parameters: the model's inputs, in order."""
    return [n.name for n in needed(sym.outputs, False) if n.is_variable and n.name not in params]


def arrays_by_name(params: Any) -> dict[str, Array]:
    """Parameters as NumPy arrays, from one mapping or several, with or without `arg:` and `aux:`."""
    found: dict[str, Array] = {}
    for part in params if isinstance(params, list | tuple) else [params or {}]:
        for name, value in part.items():
            plain = name.removeprefix("arg:").removeprefix("aux:")
            found[plain] = value if isinstance(value, np.ndarray) else value.asnumpy()
    return found


def by_input(names: Sequence[str], given: Any, argument: str) -> dict[str, Sizes]:
    """One shape for each input, from a mapping, a list, or one shape for one input."""
    shapes: dict[str, Sizes]
    if isinstance(given, Mapping):
        shapes = {name: tuple(shape) for name, shape in given.items()}
    else:
        listed = [given] if _is_shape(given) else list(given or ())
        if len(listed) < len(names):
            raise ConversionError(
                f"export_model: {argument} with a shape for each of the inputs {', '.join(names)} is "
                f"required, got {len(listed)}. Inputs are the arguments without a value in params."
            )
        shapes = {name: tuple(shape) for name, shape in zip(names, listed, strict=False)}
    missing = [name for name in names if name not in shapes]
    if missing:
        raise ConversionError(
            f"export_model: {argument} with a shape for each input is required, got none for "
            f"{', '.join(missing)}. If these are parameters, give their values in params."
        )
    return shapes


def _is_shape(given: Any) -> bool:
    return isinstance(given, tuple) and all(d is None or isinstance(d, int | np.integer | str) for d in given)


def _types(names: Sequence[str], given: Any) -> dict[str, DType]:
    if isinstance(given, Mapping):
        return {name: as_dtype(given.get(name)) for name in names}
    if isinstance(given, list | tuple):
        if len(given) < len(names):
            raise ConversionError(
                f"export_model: one of in_types for each of the inputs {', '.join(names)} is required, "
                f"got {len(given)}."
            )
        return {name: as_dtype(dtype) for name, dtype in zip(names, given, strict=False)}
    return dict.fromkeys(names, as_dtype(given))


def _dynamic(names: Sequence[str], fixed: Mapping[str, Sizes], given: Any) -> dict[str, Sizes]:
    if given is not None:
        return by_input(names, given, "dynamic_input_shapes")
    return {name: (None,) * len(fixed[name]) for name in names}


def _spec(name: str, shape: Sizes, dtype: DType) -> Spec:
    wrong = [d for d in shape if not (d is None or isinstance(d, str | int | np.integer))]
    if wrong or any(isinstance(d, int | np.integer) and d < 0 for d in shape):
        raise ConversionError(
            f"export_model: a shape of whole numbers, names and None is required for {name}, "
            f"got {tuple(shape)}."
        )
    return Spec(tuple(None if d is None or isinstance(d, str) else int(d) for d in shape), dtype)


def _dim_names(shape: Sizes) -> dict[int, str]:
    return {i: d for i, d in enumerate(shape) if isinstance(d, str)}
