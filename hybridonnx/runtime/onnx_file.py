"""ONNX files read for blocks. The converters are loaded when the first one is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from ..ndarray.ndarray import NDArray
from ..symbol.symbol import Symbol

Sizes: TypeAlias = tuple[int | None, ...]
"""A shape in which a size that is `None` is free."""


class ValueType(NamedTuple):
    """What a model says of an input or an output."""

    sizes: tuple[object, ...] | None
    """Numbers, the names of free sizes, or `None` where nothing is known."""
    dtype: str


class OnnxModel(NamedTuple):
    """An ONNX model in MXNet's operators."""

    symbol: Symbol
    values: dict[str, NDArray]
    """The arrays of its parameters and auxiliary states."""
    inputs: list[str]
    """The names of its inputs in the model's order, those included that nothing reads."""
    outputs: list[str]
    """What the model calls its outputs."""
    shapes: dict[str, Sizes | None]
    """The shapes that the model says its inputs have; `None` is free."""
    types: dict[str, ValueType]
    """What is known of the inputs and outputs."""


def read(source: Any, input_shapes: Any = None) -> OnnxModel:
    """The model of a file, of a file's bytes, or a ModelProto."""
    from ..converters import from_onnx

    model = from_onnx.load(source, input_shapes)
    values = {name: NDArray(array) for name, array in model.arrays.items()}
    shapes = {name: _sizes(dims) for name, dims in model.shapes.items()}
    types = {name: ValueType(*known) for name, known in model.types.items()}
    return OnnxModel(model.symbol, values, model.inputs, model.outputs, shapes, types)


def _sizes(dims: Sequence[object] | None) -> Sizes | None:
    return None if dims is None else tuple(d if isinstance(d, int) else None for d in dims)
