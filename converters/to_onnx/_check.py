"""Checks of lowered graphs by ONNX itself, which adds the shapes that it infers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from onnx import ModelProto, ValueInfoProto, checker, shape_inference

from hybridonnx.errors import ConversionError
from hybridonnx.ops import without_symbols

from ..elements import Array
from ..inference import infer_shapes, sentence
from ..values import to_tensor, value_info
from ._model import Lowered

_SMALL = 1024


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
    return replace(lowered, message=model.SerializeToString())


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
