"""What models are compared on: arrays of the caller's, or numbers that suit what the graph does with them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..converters.to_onnx import by_name, is_shape
from ..errors import ConversionError
from ..ndarray.ndarray import NDArray
from ..ops import Array, Spec
from ..symbol.graph import Node
from .models import Arrays, Graph, Runnable

_FREE = 2
"""The size of an axis that nothing tells."""
_THROUGH = (
    "Cast",
    "identity",
    "_copy",
    "Reshape",
    "reshape",
    "expand_dims",
    "squeeze",
    "transpose",
    "slice_axis",
    "slice",
    "Flatten",
    "BlockGrad",
)
"""Operators that hand an index or a length on as it is."""


def samples_of(
    first: Runnable, second: Runnable, inputs: Any, shapes: Any, count: int, seed: int
) -> list[Arrays]:
    """The samples that two models are compared on.

    Args:
        first: The model whose inputs they are.
        second: The other one, which may tell what the first does not.
        inputs: Arrays by name or in order; the name of an `.npz` file of such; an iterable of several, such
            as a DataLoader, of which `count` are taken; `None` to draw `count`.
        shapes: The shapes of inputs whose sizes are free.
        count: How many samples.
        seed: Of what is drawn.
    """
    names = list(first.inputs)
    if inputs is None:
        known = by_name(names, shapes, is_shape)
        return list(_drawn(first, second, known, count, np.random.default_rng(seed)))
    return [_named(names, parts(sample, len(names))) for sample in samples_in(inputs, count)]


def samples_in(inputs: Any, count: int) -> list[Any]:
    """The samples that a caller gives, each as arrays by name or in order: `count` at most of an iterable."""
    if isinstance(inputs, str | os.PathLike):
        return [_file(inputs)]
    if not _is_several(inputs):
        return [inputs]
    several = list(islice(inputs, count))
    if not several:
        raise ConversionError("verify: one sample at least is required, got none.")
    return several


def _is_several(inputs: Any) -> bool:
    """Whether it gives samples one after the other: no arrays, no list and no table of them."""
    return isinstance(inputs, Iterable) and not (
        isinstance(inputs, Mapping | Sequence | np.ndarray) or hasattr(inputs, "asnumpy")
    )


def parts(sample: Any, count: int) -> Any:
    """The inputs of a sample; what is beyond them is labels."""
    return sample[:count] if isinstance(sample, list | tuple) else sample


def _file(path: str | os.PathLike[str]) -> dict[str, Array]:
    file = Path(path)
    if file.suffix != ".npz" or not file.is_file():
        raise ConversionError(f"verify: the name of an .npz file of inputs is required, got {file}.")
    with np.load(file, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _named(names: Sequence[str], inputs: Any) -> Arrays:
    by_input = by_name(names, inputs, is_array)
    arrays = {name: as_array(value) for name, value in by_input.items()}
    missing = [name for name in names if name not in arrays]
    if missing:
        raise ConversionError(f"verify: an array for each input is required, got none for {missing[0]}.")
    return arrays


def is_array(value: Any) -> bool:
    """Whether a value is one input, not several in order."""
    return not isinstance(value, list | tuple)


def as_array(value: Any) -> Array:
    """An input in NumPy's form."""
    return np.asarray(value.asnumpy() if isinstance(value, NDArray) else value)


# ---- drawn


def _drawn(
    first: Runnable, second: Runnable, shapes: Mapping[str, Any], count: int, rng: np.random.Generator
) -> Iterator[Arrays]:
    others = dict(zip(first.inputs, second.inputs.values(), strict=False))
    others.update(second.inputs)
    graph = first.reference()
    for _ in range(count):
        sample: Arrays = {}
        for name, spec in first.inputs.items():
            other = others.get(name, Spec())
            shape = next((s for s in (shapes.get(name), spec.shape, other.shape) if s is not None), None)
            if shape is None:
                raise ConversionError(
                    f"verify: a shape is required for input {name}. Give inputs, or shapes."
                )
            sizes = tuple(d if isinstance(d, int) else _FREE for d in shape)
            dtype = spec.dtype or other.dtype or np.dtype(np.float32)
            limits = None if graph is None else _limits(graph, name)
            sample[name] = _numbers(rng, sizes, dtype, limits)
        yield sample


def _numbers(
    rng: np.random.Generator, sizes: tuple[int, ...], dtype: Any, limits: tuple[int, int] | None
) -> Array:
    if limits is not None:
        return np.asarray(rng.integers(limits[0], limits[1] + 1, sizes)).astype(dtype)
    if dtype.kind in "fV":
        return np.asarray(rng.standard_normal(sizes)).astype(dtype)
    return np.asarray(rng.integers(0, 2, sizes)).astype(dtype)


def _limits(graph: Graph, name: str) -> tuple[int, int] | None:
    """The least and the largest number that an input may have where it is an index, a length or a mask."""
    found = [limits for node, i in _uses(graph, name) if (limits := _limits_of(graph, node, i)) is not None]
    if not found:
        return None
    return max(low for low, _ in found), min(high for _, high in found)


def _uses(graph: Graph, name: str) -> Iterator[tuple[Node, int]]:
    """The nodes that take a variable, as which input; through nodes that hand it on."""
    nodes = graph.symbol.get_internals().nodes()
    sources = {node for node in nodes if node.is_variable and node.name == name}
    for node in nodes:
        for i, entry in enumerate(node.inputs):
            if entry.node in sources:
                yield node, i
                if i == 0 and node.op_name in _THROUGH:
                    sources.add(node)


def _limits_of(graph: Graph, node: Node, place: int) -> tuple[int, int] | None:
    name, names = node.op.names[0], node.op.input_names()
    what = names[place] if place < len(names) else ""
    if name == "Embedding" and what == "data":
        return 0, node.op.input_dim - 1
    if name == "one_hot":
        return 0, node.op.depth - 1
    if what == "sequence_length":
        return 1, 2
    if what in ("condition", "mask"):
        return 0, 1
    if name == "take" and what == "indices":
        rows = graph.params.get(node.inputs[0].node.name)
        return None if rows is None else (0, rows.shape[node.op.axis] - 1)
    return None
