"""Lowered graphs as ONNX models."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hybridonnx._version import __version__
from hybridonnx.errors import ConversionError
from hybridonnx.ops import ONNX_PREFIX, Dim, NumericShape, Spec, SymbolicDim, sizes
from hybridonnx.symbol.declared import constant_names
from hybridonnx.symbol.graph import Node, topological

from .. import messages, notes
from ..elements import Array, is_plain
from ..opsets import DEFAULT, check_opset, ir_version
from ..unused import UsedNames
from ._fusions import fuse
from ._graph import Local, Value
from ._layout import Recipe, arrange
from ._onnxruntime import guard
from ._walk import NoiseInput, Traced, trace
from ._write import GraphWriter

PRODUCER = "hybridonnx"
PROTOBUF_LIMIT = (1 << 31) - (1 << 24)


@dataclass(frozen=True)
class Lowered:
    """An ONNX model with what its user must know."""

    message: bytes
    """The model as protobuf's message."""
    op_types: tuple[str, ...]
    """The operators of its nodes, and of those in graphs inside of nodes."""
    input_shapes: tuple[NumericShape | None, ...]
    """Those of all inputs, of noise as well."""
    inputs: tuple[str, ...]
    """The graph's inputs, noise not included."""
    outputs: tuple[str, ...]
    parameters: Mapping[str, Spec]
    """The initializers that are parameters of the Symbol, but those whose memory is not what files have."""
    noise: tuple[NoiseInput, ...] = ()
    """Further inputs, which take the draws of random operators."""
    views: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The shapes in which outputs are to be seen that the model gives in another."""
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    """What makes the values of initializers that are made of the Symbol's parameters."""

    @cached_property
    def model(self) -> Any:
        """The model as onnx's `ModelProto`, which nobody may change."""
        from onnx import ModelProto  # here alone: sessions take the message, and the import takes long

        return ModelProto.FromString(self.message)


def lower(
    symbol: Any,
    inputs: Mapping[str, Spec],
    params: Mapping[str, Array],
    *,
    opset: int | None = None,
    training: bool = False,
    outputs: Sequence[str] | None = None,
    embed: bool = True,
    noise_inputs: bool = False,
    keep_inputs: bool = True,
    local: Local | None = None,
    unused_inputs: bool = False,
) -> Lowered:
    """The Symbol as an ONNX model. It is not checked here; `check` does that.

    A variable is an input if `inputs` has it, else a parameter. Sizes of inputs may be names (`SymbolicDim`),
    which are free dimensions of the model; those of one name are equal. Unknown ones may all differ: they are
    called `batch` on the first axis of the only input whose first size is free, else by input and axis.

    Without an `opset` it is the usual one, or the oldest that has ONNX's own nodes in the graph.

    With `embed=False` the parameters' values stay outside: they are declared as external data, and whoever
    runs the model hands them over (`SessionOptions.add_external_initializers`).
    With `noise_inputs` the draws of random operators are inputs; otherwise ONNX draws.
    With `keep_inputs=False` inputs whose values no node reads, such as those that give a size, are left out.
    `local` tells how a graph is lowered that runs here.
    With `unused_inputs` there may be inputs that no variable of the Symbol stands for.
    """
    nodes = topological(symbol.outputs)
    opset = check_opset(_own_opset(nodes) if opset is None else opset)
    names = list(outputs if outputs is not None else symbol.list_outputs())
    with np.errstate(all="ignore"):  # numbers that a dtype does not hold are infinite, as in kernels
        traced = trace(symbol, inputs, params, opset, training, names, noise_inputs, local, unused_inputs)
        recipes = _optimize(traced, params, local)
        constants = constant_names(nodes) if local is None else ()
        return _assemble(traced, keep_inputs, params, embed, constants, recipes)


def _own_opset(nodes: Iterable[Node]) -> int:
    """The usual opset, or the oldest that has ONNX's own nodes in a graph as they are."""
    operators = [node.op for node in nodes if node.op_name.startswith(ONNX_PREFIX)]
    if not operators:
        return DEFAULT
    from ..onnx_nodes import oldest

    return max(DEFAULT, *(oldest(op.model) for op in operators))


def _optimize(traced: Traced, params: Mapping[str, Array], local: Local | None) -> dict[str, Recipe]:
    """Rewrite a graph for ONNX Runtime, and tell what makes the parameters that it takes beside its own."""
    parameters = traced.parameters if local is not None else {}  # in a file they stay as they are
    fuse(traced.graph, traced.results, parameters.values())
    recipes: dict[Value, Recipe] = {}
    if local is not None and local.block and parameters:
        known = {value: params[name] for name, value in parameters.items()}
        names = UsedNames(*_names(traced))
        recipes = arrange(traced.graph, traced.results, known, traced.rows, local.block, names)
    guard(traced.graph, traced.results)
    traced.parameters.update((value.name, value) for value in recipes)
    return {value.name: recipe for value, recipe in recipes.items()}


def _assemble(
    traced: Traced,
    keep_inputs: bool,
    params: Mapping[str, Array],
    embed: bool,
    constants: Collection[str],
    recipes: Mapping[str, Recipe],
) -> Lowered:
    writer = GraphWriter(_names(traced))
    nodes = writer.write(traced.graph, traced.results)
    read = writer.read | set(traced.names)
    inputs = {name: value for name, value in traced.inputs.items() if keep_inputs or name in read}
    noise = dict(zip((noise.name for noise in traced.noise), traced.graph.inputs, strict=True))
    declared = {name: _declaration(name, value, traced.shapes[name]) for name, value in inputs.items()}
    declared |= {
        name: _declaration(name, value, _names_of_sizes(name, value)) for name, value in noise.items()
    }
    outputs = [
        declared.get(name) or _declaration(name, value, traced.shapes[name])
        for name, value in zip(traced.names, traced.results, strict=True)
    ]
    used = {name: Spec(value.shape, value.dtype) for name, value in traced.parameters.items() if name in read}
    parameters = {name: spec for name, spec in used.items() if is_plain(spec.dtype)}
    if embed:
        _require_room(parameters)
        inside = {**params, **{name: recipe.value() for name, recipe in recipes.items() if name in used}}
    else:
        inside = {name: params[name] for name in used if name not in parameters}
    initializers = [
        *(messages.tensor(name, value, notes.CONSTANT) for name, value in writer.constants.items()),
        *(_parameter(name, spec, inside, constants) for name, spec in used.items()),
    ]
    graph = messages.graph(nodes, PRODUCER, initializers, declared.values(), outputs)
    opsets = {"": traced.graph.opset, **traced.graph.domains}
    return Lowered(
        messages.model(graph, ir_version(traced.graph.opset), PRODUCER, __version__, opsets),
        tuple(writer.op_types),
        tuple(value.shape for value in (*inputs.values(), *noise.values())),
        tuple(inputs),
        tuple(traced.names),
        {name: spec for name, spec in parameters.items() if name not in recipes},
        tuple(traced.noise),
        traced.views,
        {} if embed else recipes,
    )


def _names(traced: Traced) -> list[str]:
    """Those of values that have one."""
    return [*traced.inputs, *traced.parameters, *traced.names, *(noise.name for noise in traced.noise)]


def _declaration(name: str, value: Value, names: Sequence[Dim] | None) -> bytes:
    """An input or output with names for the sizes that are free."""
    if value.shape is None:
        return messages.value_info(name, value.dtype, None)
    free = names or [None] * len(value.shape)
    shape = [
        size if size is not None or other is None else str(other)
        for size, other in zip(value.shape, free, strict=True)
    ]
    return messages.value_info(name, value.dtype, shape)


def _names_of_sizes(name: str, value: Value) -> Sequence[Dim] | None:
    """Names for the sizes of noise."""
    return None if value.shape is None else [SymbolicDim.named(f"{name}_{i}") for i in range(value.rank)]


def _parameter(name: str, spec: Spec, inside: Mapping[str, Array], constants: Collection[str]) -> bytes:
    """A parameter with its bytes if these are to be `inside`, else declared as data of another file."""
    note = notes.CONSTANT if name in constants else ""
    if name in inside:
        return messages.tensor(name, inside[name], note)
    return messages.outside_tensor(name, spec.dtype, sizes(spec.shape or ()), "parameters", note)


def _require_room(parameters: Mapping[str, Spec]) -> None:
    """Refuse parameters above protobuf's limit in one message."""
    size = sum(spec.bytes({}) for spec in parameters.values())
    if size > PROTOBUF_LIMIT:
        raise ConversionError(
            f"ONNX: parameters below 2 GB are required in one message, got {size} bytes. "
            "Export to a file, which puts them beside it."
        )


def little(array: Array) -> Array:
    """The array in memory as files have it."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def weight(lowered: Lowered) -> int:
    """How many bytes the parameters have."""
    return sum(spec.bytes({}) for spec in lowered.parameters.values())
