"""`import_model` and what else can be read from an ONNX file."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.symbol.declared import InputShapes
from hybridonnx.symbol.symbol import Symbol

from ._reader import Source, in_words, read
from ._walk import Imported, walk


def load(source: Source, input_shapes: InputShapes | None = None) -> Imported:
    """A model as a Symbol with NumPy arrays."""
    with _uncollected():
        model = read(source)
        with in_words():
            return walk(model, input_shapes)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without Python's search for garbage in between, which looks through all that an import makes so far."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def import_model(
    model_file: Source, input_shapes: InputShapes | None = None
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """The Symbol of an ONNX model, its parameters, and its auxiliary states.

    `input_shapes` gives sizes that the file leaves free, by the inputs' names or in their order: integers,
    names, or `None` for what the file says. What follows from them becomes constant.
    """
    imported = load(model_file, input_shapes)
    states = set(imported.symbol.list_auxiliary_states())
    arrays = {name: NDArray(array) for name, array in imported.arrays.items()}
    used = [name for name in imported.symbol.list_inputs() if name in arrays]
    arg_params = {name: arrays[name] for name in used if name not in states}
    return imported.symbol, arg_params, {name: arrays[name] for name in used if name in states}


def get_model_metadata(model_file: Source) -> dict[str, list[tuple[str, tuple[int, ...]]]]:
    """The names and shapes of a model's inputs and outputs; a free size is 0."""
    with in_words():
        graph = read(model_file).proto.graph
        constants = {tensor.name for tensor in graph.initializer}
        inputs = [_declared(info) for info in graph.input if info.name not in constants]
        return {"input_tensor_data": inputs, "output_tensor_data": [_declared(i) for i in graph.output]}


def _declared(info: Any) -> tuple[str, tuple[int, ...]]:
    return info.name, tuple(int(dim.dim_value) for dim in info.type.tensor_type.shape.dim)
