"""Lowered graphs as ONNX models: assembled, checked, and written to files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto, checker, helper, shape_inference

from hybridonnx._version import __version__
from hybridonnx.errors import ConversionError
from hybridonnx.ops import ONNX_PREFIX, Dim, Spec, SymbolicDim, sizes, without_symbols
from hybridonnx.symbol.declared import constant_names
from hybridonnx.symbol.graph import topological

from .. import notes
from ..inference import infer_shapes, sentence
from ..onnx_nodes import oldest
from ..opsets import DEFAULT, check_opset, ir_version
from ..values import Array, elem_type, is_plain, to_tensor, value_info
from ._fusions import fuse
from ._graph import Local, Value
from ._onnxruntime import guard
from ._walk import NoiseInput, Traced, trace
from ._write import GraphWriter

PRODUCER = "hybridonnx"
PROTOBUF_LIMIT = (1 << 31) - (1 << 24)
_SMALL = 1024


@dataclass(frozen=True)
class Lowered:
    """An ONNX model with what its user must know."""

    model: ModelProto
    inputs: tuple[str, ...]
    """The graph's inputs, noise not included."""
    outputs: tuple[str, ...]
    parameters: Mapping[str, Spec]
    """The initializers that are parameters of the Symbol, but those whose memory is not what files have."""
    noise: tuple[NoiseInput, ...] = ()
    """Further inputs, which take the draws of random operators."""
    views: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The shapes in which outputs are to be seen that the model gives in another."""


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
    opset = check_opset(_own_opset(symbol) if opset is None else opset)
    names = list(outputs if outputs is not None else symbol.list_outputs())
    with np.errstate(all="ignore"):  # numbers that a dtype does not hold are infinite, as in kernels
        traced = trace(symbol, inputs, params, opset, training, names, noise_inputs, local, unused_inputs)
        lowered = _assemble(traced, keep_inputs, params)
    constants = constant_names(topological(symbol.outputs))
    for tensor in lowered.model.graph.initializer if constants else ():
        if tensor.name in constants:
            tensor.doc_string = notes.CONSTANT
    return embedded(lowered, params) if embed else lowered


def _own_opset(symbol: Any) -> int:
    """The usual opset, or the oldest that has ONNX's own nodes in a graph as they are."""
    operators = [node.op for node in topological(symbol.outputs) if node.op_name.startswith(ONNX_PREFIX)]
    return max([DEFAULT, *(oldest(op.model) for op in operators)])


def _assemble(traced: Traced, keep_inputs: bool, params: Mapping[str, Array]) -> Lowered:
    # in a file parameters stay as they are
    fuse(traced.graph, traced.results, traced.parameters.values() if traced.graph.exact else ())
    guard(traced.graph, traced.results)
    writer = GraphWriter([*traced.inputs, *traced.parameters, *traced.names, *(n.name for n in traced.noise)])
    proto = writer.write(traced.graph, traced.results, PRODUCER)
    read = _names_read(proto) | set(traced.names)
    inputs = {name: value for name, value in traced.inputs.items() if keep_inputs or name in read}
    for name, value in inputs.items():
        proto.input.append(_declaration(name, value, traced.shapes[name]))
    for noise, value in zip(traced.noise, traced.graph.inputs, strict=True):
        sizes = (
            None
            if value.shape is None
            else [SymbolicDim.named(f"{noise.name}_{i}") for i in range(value.rank)]
        )
        proto.input.append(_declaration(noise.name, value, sizes))
    declared = {info.name: info for info in proto.input}
    for name, value in zip(traced.names, traced.results, strict=True):
        proto.output.append(declared.get(name) or _declaration(name, value, traced.shapes[name]))
    for name, value in writer.constants.items():
        assert value.constant is not None
        proto.initializer.append(to_tensor(name, value.constant, notes.CONSTANT))
    used = _used(traced, proto)
    parameters = {name: spec for name, spec in used.items() if is_plain(spec.dtype)}
    proto.initializer.extend(to_tensor(name, params[name]) for name in used if name not in parameters)
    proto.initializer.extend(_declared(name, spec) for name, spec in parameters.items())
    return Lowered(
        _model(proto, traced.graph.opset, traced.graph.domains),
        tuple(inputs),
        tuple(traced.names),
        parameters,
        tuple(traced.noise),
        traced.views,
    )


def _declaration(name: str, value: Value, names: Sequence[Dim] | None) -> Any:
    """An input or output with names for the sizes that are free."""
    if value.shape is None:
        return value_info(name, value.dtype, None)
    free = names or [None] * len(value.shape)
    shape = [
        size if size is not None or other is None else str(other)
        for size, other in zip(value.shape, free, strict=True)
    ]
    return value_info(name, value.dtype, tuple(shape))


def _used(traced: Traced, proto: GraphProto) -> dict[str, Spec]:
    """The parameters that the written graph needs."""
    used = _names_read(proto)
    return {name: Spec(value.shape, value.dtype) for name, value in traced.parameters.items() if name in used}


def _names_read(proto: GraphProto) -> set[str]:
    names = {output.name for output in proto.output}
    for node in proto.node:
        names.update(node.input)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                names |= _names_read(attribute.g)
    return names


def _model(proto: GraphProto, opset: int, domains: Mapping[str, int]) -> ModelProto:
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, v) for d, v in domains.items())]
    return ModelProto(
        ir_version=ir_version(opset),
        producer_name=PRODUCER,
        producer_version=__version__,
        opset_import=imports,
        graph=proto,
    )


# ---- parameters inside and outside


def _declared(name: str, spec: Spec, location: str = "parameters") -> TensorProto:
    """A tensor whose bytes are elsewhere."""
    tensor = TensorProto(name=name, data_type=elem_type(spec.dtype), dims=sizes(spec.shape or ()))
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    return tensor


def embedded(lowered: Lowered, params: Mapping[str, Array]) -> Lowered:
    """The same model with the parameters' values inside. Raises `ConversionError` above protobuf's limit."""
    if weight(lowered) > PROTOBUF_LIMIT:
        raise ConversionError(
            f"ONNX: parameters below 2 GB are required in one message, got {weight(lowered)} bytes. "
            "Export to a file, which puts them beside it."
        )
    model = ModelProto()
    model.CopyFrom(lowered.model)
    for tensor in model.graph.initializer:
        if tensor.name in lowered.parameters:
            tensor.ClearField("data_location")
            tensor.ClearField("external_data")
            tensor.raw_data = little(params[tensor.name]).tobytes()
    return replace(lowered, model=model)


def little(array: Array) -> Array:
    """The array in memory as files have it."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def weight(lowered: Lowered) -> int:
    """How many bytes the parameters have."""
    return sum(map(byte_size, lowered.parameters.values()))


def byte_size(spec: Spec) -> int:
    """How many bytes a parameter has."""
    assert spec.dtype is not None
    return prod(sizes(spec.shape or ())) * spec.dtype.itemsize


# ---- checks


def check(lowered: Lowered, params: Mapping[str, Array], values: bool = False) -> Lowered:
    """The model with the shapes of its outputs, and with `values` of everything in between.

    ONNX infers all shapes, strictly, and then checks the model. Both work on a copy without weights.
    """
    light = _light(lowered, params)
    computed = {name for node in light.graph.node for name in node.output}
    for output in light.graph.output:
        if output.name in computed and output.type.HasField("tensor_type"):
            # or inference would not give the inputs' names to free sizes
            output.type.tensor_type.ClearField("shape")
    try:
        inferred = infer_shapes(light, strict=True)
        model = _with_shapes(lowered, inferred, values)
        del light.graph.output[:]
        light.graph.output.extend(filter(_has_shape, model.graph.output))  # the others are right as well
        checker.check_model(light)
    except (checker.ValidationError, shape_inference.InferenceError) as exc:
        raise ConversionError(
            f"ONNX: the exported model is invalid. ONNX says: {sentence(exc)} Please report the model."
        ) from exc
    return replace(lowered, model=model)


def _has_shape(output: ValueInfoProto) -> bool:
    """Whether an output is not a tensor of unknown rank, which ONNX's checker takes for a mistake."""
    return not output.type.HasField("tensor_type") or output.type.tensor_type.HasField("shape")


def _light(lowered: Lowered, params: Mapping[str, Array]) -> ModelProto:
    """The model with its parameters as inputs, but small integers, which shapes may come from, inside."""
    light = ModelProto()
    light.CopyFrom(lowered.model)
    initializers = []
    for tensor in light.graph.initializer:
        spec = lowered.parameters.get(tensor.name)
        if spec is None:
            initializers.append(tensor)
        elif spec.dtype is not None and spec.dtype.kind in "iu" and params[tensor.name].size <= _SMALL:
            initializers.append(to_tensor(tensor.name, params[tensor.name]))
        else:
            light.graph.input.append(value_info(tensor.name, spec.dtype, without_symbols(spec.shape)))
    del light.graph.initializer[:]
    light.graph.initializer.extend(initializers)
    return light


def _with_shapes(lowered: Lowered, inferred: ModelProto, values: bool) -> ModelProto:
    model = ModelProto()
    model.CopyFrom(lowered.model)
    for mine, theirs in zip(model.graph.output, inferred.graph.output, strict=True):
        _join(mine, theirs)
    if values:
        model.graph.value_info.extend(inferred.graph.value_info)
    return model


def _join(mine: ValueInfoProto, theirs: ValueInfoProto) -> None:
    """Add what ONNX inferred of an output's shape to what MXNet's operators tell. They must not disagree."""
    if not theirs.type.tensor_type.HasField("shape"):
        return
    dims, others = mine.type.tensor_type.shape.dim, theirs.type.tensor_type.shape.dim
    if not mine.type.tensor_type.HasField("shape"):
        mine.type.tensor_type.shape.CopyFrom(theirs.type.tensor_type.shape)
    elif len(dims) != len(others) or any(
        a.HasField("dim_value") and b.HasField("dim_value") and a.dim_value != b.dim_value
        for a, b in zip(dims, others, strict=True)
    ):
        shapes = [[d.dim_value or d.dim_param for d in shape] for shape in (dims, others)]
        raise ConversionError(
            f"ONNX: output {mine.name} has the shape {shapes[0]} in MXNet, but {shapes[1]} by its nodes. "
            "Please report the model."
        )
    for dim, other in zip(dims, others, strict=True):
        if other.HasField("dim_value") or not dim.WhichOneof("value"):
            dim.CopyFrom(other)
        if dim.dim_param.startswith("unk__"):  # a name that inference made up
            dim.ClearField("dim_param")
