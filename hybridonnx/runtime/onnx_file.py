"""ONNX files read for blocks. The converters are loaded when the first one is."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..ndarray.ndarray import NDArray
from ..symbol.symbol import Symbol


class OnnxModel(NamedTuple):
    """An ONNX model in MXNet's operators."""

    symbol: Symbol
    values: dict[str, NDArray]
    """The arrays of its parameters and auxiliary states."""
    inputs: list[str]
    """The names of its inputs in the model's order, those included that nothing reads."""
    outputs: list[str]
    """What the model calls its outputs."""


def read(source: Any) -> OnnxModel:
    """The model of a file, of a file's bytes, or a ModelProto."""
    from ..converters import from_onnx

    model = from_onnx.load(source)
    values = {name: NDArray(array) for name, array in model.arrays.items()}
    return OnnxModel(model.symbol, values, model.inputs, model.outputs)
