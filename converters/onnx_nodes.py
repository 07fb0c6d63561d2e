"""Nodes of ONNX models that stand in graphs as they are: their text, inference, and models of them alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from google.protobuf import json_format  # type: ignore[import-untyped]
from onnx import (
    AttributeProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    TensorProto,
    ValueInfoProto,
    checker,
    helper,
    numpy_helper,
    shape_inference,
    version_converter,
)

from hybridonnx.dtypes import DType, float32, name_of
from hybridonnx.errors import ConversionError, FormatError, ShapeError
from hybridonnx.ops import Array, Spec, node_text, show
from hybridonnx.ops import known as is_numeric

from . import translations as translations
from .inference import infer_shapes, sentence
from .opsets import DEFAULT, OLDEST, NeedsOpset, ir_version, newest, signature, versions
from .subgraphs import mentioned, nodes_of, rename_uses
from .types import Sizes, merged, spec_of, type_of
from .versions import AnotherError, fits, means_the_same, translated

_INVALID = (shape_inference.InferenceError, checker.ValidationError, RuntimeError)
_CACHE = 4096


def text_of(
    node: NodeProto,
    arguments: Sequence[str],
    constants: Iterable[TensorProto],
    outputs: Sequence[ValueInfoProto],
    opsets: Mapping[str, int],
) -> str:
    """The text of a node whose inputs are `arguments` and `constants`; `outputs` are those that it gives.

    The names of values become numbers, so that equal nodes have equal texts.
    """
    inside = set(mentioned(node))
    x, y = _stem("x", inside), _stem("y", inside)
    names = {name: f"{x}{i}" for i, name in enumerate(dict.fromkeys(filter(None, [*node.input, *arguments])))}
    used = {domain: opsets.get(domain, 1) for domain in sorted({"", *_domains(node)})}
    model = ModelProto(ir_version=_ir_version(opsets), opset_import=_imports(used))
    graph = model.graph
    graph.name = node.op_type
    copy = graph.node.add()
    copy.CopyFrom(node)
    for field in ("name", "doc_string", "metadata_props"):
        if field in copy.DESCRIPTOR.fields_by_name:  # older versions of ONNX lack the last one
            copy.ClearField(field)
    rename_uses(copy, names)
    copy.output[:] = [f"{y}{i}" if name else "" for i, name in enumerate(node.output)]
    for tensor in constants:
        graph.initializer.add().CopyFrom(tensor)
        graph.initializer[-1].name = names[tensor.name]
    graph.input.extend(ValueInfoProto(name=names[name]) for name in arguments)
    by_name = {info.name: info for info in outputs}
    for i, name in enumerate(node.output):
        if name:
            graph.output.add().CopyFrom(by_name.get(name, ValueInfoProto()))
            graph.output[-1].name = f"{y}{i}"
    text: str = json_format.MessageToJson(model, indent=None)
    return text


def _stem(wish: str, names: Iterable[str]) -> str:
    """A beginning for numbered names that none of `names` has."""
    while any(name.startswith(wish) and name[len(wish) :].isdecimal() for name in names):
        wish += "_"
    return wish


def _domains(node: NodeProto) -> Iterator[str]:
    yield node.domain
    for attribute in node.attribute:
        for inner in attribute.g.node if attribute.HasField("g") else ():
            yield from _domains(inner)


def _ir_version(opsets: Mapping[str, int]) -> int:
    return ir_version(min(opsets.get("", 13), newest()))


def _imports(opsets: Mapping[str, int]) -> list[OperatorSetIdProto]:
    return [OperatorSetIdProto(domain=domain, version=version) for domain, version in opsets.items()]


@lru_cache(_CACHE)
def model_of(text: str) -> ModelProto:
    """The model that a text is. It is shared: copy it before a change."""
    try:
        model: ModelProto = json_format.Parse(text, ModelProto())
    except json_format.ParseError as exc:
        raise FormatError(f"model: an ONNX model as JSON is required, got {text[:80]!r}: {exc}") from None
    return model


def hints(text: str) -> list[Spec]:
    """What is known of the outputs whatever the inputs are."""
    return [spec_of(output.type, lambda _: None) for output in model_of(text).graph.output]


def typed(text: str, inputs: Sequence[Spec], sizes: Sizes) -> ModelProto:
    """The model with inputs of these dtypes, which are known, and shapes."""
    model = ModelProto()
    model.CopyFrom(model_of(text))
    for info, spec in zip(model.graph.input, inputs, strict=True):
        info.type.CopyFrom(type_of(spec, sizes))
    return model


def infer(text: str, inputs: Sequence[Spec]) -> list[Spec]:
    """All that ONNX, or else the text, tells of the outputs. Raises `ShapeError` if the inputs do not fit."""
    known, sizes = hints(text), Sizes()
    complete = all(spec.dtype is not None for spec in inputs)
    model = typed(text, [Spec(s.shape, s.dtype or float32) for s in inputs], sizes)
    for output in model.graph.output:
        output.ClearField("type")
    node = model.graph.node[0]
    try:
        inferred = infer_shapes(model, strict=complete and not _is_foreign(node, model))
    except _INVALID as exc:
        if not complete or not all(is_numeric(spec.shape) for spec in inputs):
            return known  # ONNX takes some unknown sizes for 0
        raise ShapeError(
            f"{node.op_type}: inputs that fit are required, got {_texts(inputs) or 'none'}. ONNX says: "
            f"{sentence(exc, node.op_type)}"
        ) from None
    specs = [spec_of(output.type, sizes.dim) for output in inferred.graph.output]
    if node.domain == "com.microsoft" and node.op_type in _OWN_INFERENCE:
        specs = _OWN_INFERENCE[node.op_type](node, inputs)
    if not complete:  # the dtypes are those of inputs that were made up
        specs = [Spec(spec.shape) for spec in specs]
    return [merged(spec, hint) for spec, hint in zip(specs, known, strict=True)]


def _inferred_product(node: NodeProto, inputs: Sequence[Spec]) -> list[Spec]:
    """What MatMulNBits gives."""
    shape = inputs[0].shape
    columns = next(attribute.i for attribute in node.attribute if attribute.name == "N")
    return [Spec(None if shape is None else (*shape[:-1], columns), inputs[0].dtype)]


_OWN_INFERENCE = {"MatMulNBits": _inferred_product}
"""Operators of ONNX Runtime's of which ONNX infers nothing."""


def _texts(inputs: Sequence[Spec]) -> str:
    return ", ".join(f"{show(spec.shape)} {spec.dtype and name_of(spec.dtype)}" for spec in inputs[:8])


def _is_foreign(node: NodeProto, model: ModelProto) -> bool:
    """Whether ONNX does not know the operator."""
    opsets = {item.domain: item.version for item in model.opset_import}
    try:
        signature(node.op_type, opsets.get(node.domain, 1), node.domain)
    except ConversionError:
        return True
    return False


def runnable(text: str, inputs: Sequence[Spec]) -> bytes:
    """The model for inputs of known dtypes, as ONNX Runtime reads it: of no newer opset than it needs."""
    model = typed(text, inputs, Sizes())
    for item in model.opset_import:
        if not item.domain and item.version > DEFAULT and not _is_foreign(model.graph.node[0], model):
            item.version = max(DEFAULT, oldest(text, tuple([spec.dtype for spec in inputs])))
            model.ir_version = ir_version(item.version)
    for output, spec in zip(model.graph.output, infer(text, inputs), strict=True):
        if spec.dtype is not None:
            output.type.CopyFrom(type_of(Spec(None, spec.dtype), Sizes()))
    return bytes(model.SerializeToString())


def reference(text: str) -> Any:
    """ONNX's own implementation of the node, as a function of feeds by name to the outputs."""
    from onnx.reference import ReferenceEvaluator  # which takes a while to load

    evaluator = ReferenceEvaluator(model_of(text))

    def run(arrays: Sequence[Array]) -> list[Any]:
        feeds = dict(zip(evaluator.input_names, arrays, strict=True))
        return list(evaluator.run(None, feeds))

    return run


# ---- versions


def at(text: str, opset: int, inputs: Sequence[Spec]) -> ModelProto:
    """The node as a model of another opset. Raises `NeedsOpset` if the operator is another one there.

    The model is shared: copy it before a change.
    """
    model = _at(text, opset, tuple(inputs))
    if model is None:
        raise _refusal(text, opset, tuple(inputs))
    return model


@lru_cache(_CACHE)  # a conversion takes some 40 ms
def _at(text: str, opset: int, inputs: tuple[Spec, ...]) -> ModelProto | None:
    model = model_of(text)
    node = model.graph.node[0]
    own = _opset(model) or opset
    if node.domain or own == opset:
        return model
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    specs = {info.name: spec for info, spec in zip(model.graph.input, inputs, strict=True)}
    specs |= {name: Spec(array.shape, array.dtype) for name, array in constants.items()}
    try:
        nodes = translated(node, own, opset, constants, specs)
    except (AnotherError, ConversionError):
        return _converted(model, typed(text, inputs, Sizes()), opset)
    result = ModelProto()
    result.CopyFrom(model)
    result.ir_version = ir_version(opset)
    for item in result.opset_import:
        item.version = item.version if item.domain else opset
    del result.graph.node[:]
    result.graph.node.extend(nodes)
    return result


def _converted(model: ModelProto, declared: ModelProto, opset: int) -> ModelProto | None:
    """What ONNX's version converter makes of a model, `None` if that is no model of the opset."""
    if any(node.op_type == "Scan" for node in nodes_of(model.graph)):
        return None  # it gets other axes
    try:
        converted: ModelProto = version_converter.convert_version(declared, opset)
        valid = all(fits(node, signature(node.op_type, opset)) for node in nodes_of(converted.graph))
    except (*_INVALID, ConversionError, TypeError):
        return None
    return converted if valid else None


def _refusal(text: str, opset: int, inputs: tuple[Spec, ...]) -> ConversionError:
    """The error for a node that an opset has not: with the nearest one that has it."""
    model = model_of(text)
    node, own = model.graph.node[0], _opset(model)
    others = (*range(opset + 1, newest() + 1), *range(opset - 1, OLDEST - 1, -1))
    nearest = next((version for version in others if _at(text, version, inputs) is not None), 0)
    if not nearest:
        return ConversionError(
            f"{node.op_type}: opset {own}, which is not written any more, is required, as the operator is "
            f"another one from {OLDEST} on."
        )
    missing = not node.domain and min(versions(node.op_type)) > opset
    why = f"{opset} has no such operator" if missing else f"the operator is another one at {opset}"
    return NeedsOpset(f"{node.op_type}: opset {nearest} is required, as {why}.", nearest)


def _opset(model: ModelProto) -> int:
    return next((int(item.version) for item in model.opset_import if not item.domain), 0)


@lru_cache(_CACHE)
def oldest(text: str, dtypes: tuple[DType | None, ...] = ()) -> int:
    """The oldest opset from the usual one on that has the node as it is, with inputs of these dtypes."""
    model = model_of(text)
    node, own = model.graph.node[0], _opset(model)
    names = [info.name for info in model.graph.input]
    known = dict(zip(names, dtypes, strict=False))
    return next((v for v in range(DEFAULT, own) if _is_same(node, own, v) and _takes(node, v, known)), own)


def _is_same(node: NodeProto, own: int, opset: int) -> bool:
    """Whether a node means the same at both opsets, with all that its subgraphs have."""
    if node.domain:
        return True
    try:
        same = means_the_same(node, signature(node.op_type, own), signature(node.op_type, opset))
    except ConversionError:
        return False
    graphs = [a.g for a in node.attribute if a.HasField("g")]
    return same and all(_is_same(inner, own, opset) for g in graphs for inner in g.node)


def _takes(node: NodeProto, opset: int, dtypes: Mapping[str, DType | None]) -> bool:
    """Whether an opset's version of an operator has the inputs' element types."""
    if node.domain:
        return True
    kind = signature(node.op_type, opset)
    given = [(kind.elements(kind.input(i)), dtypes.get(name)) for i, name in enumerate(node.input)]
    return all(not allowed or dtype is None or name_of(dtype) in allowed for allowed, dtype in given)


def values_of(node: NodeProto, opset: int) -> dict[str, Any] | None:
    """The values of all attributes of a node of ONNX's own, defaults among them; `None` if one is a graph.

    What else no value stands for, such as a type, is `None` as well.
    """
    schema = signature(node.op_type, opset).schema
    defaults = [a.default_value for a in schema.attributes.values() if a.default_value.type]
    values: dict[str, Any] = {}
    for attribute in (*defaults, *node.attribute):
        if attribute.type not in _VALUES:
            return None
        values[attribute.name] = _value(attribute)
    return values


_VALUES = (
    AttributeProto.INT,
    AttributeProto.INTS,
    AttributeProto.FLOAT,
    AttributeProto.FLOATS,
    AttributeProto.STRING,
    AttributeProto.STRINGS,
    AttributeProto.TENSOR,
)


def _value(attribute: AttributeProto) -> Any:
    value = helper.get_attribute_value(attribute)
    if attribute.type == AttributeProto.TENSOR:
        return numpy_helper.to_array(value)
    if attribute.type == AttributeProto.STRINGS:
        return [item.decode() for item in value]
    return value.decode() if isinstance(value, bytes) else value


# ---- bfloat16


_FLOAT, _BFLOAT16 = TensorProto.FLOAT, TensorProto.BFLOAT16
_ROUNDS = frozenset({"BitCast", "Cast", "CastLike", "QuantizeLinear"})
"""Operators whose results are of another rounding than that at the end, or of the bits themselves."""


@lru_cache(_CACHE)
def in_float32(text: str) -> str | None:
    """The text of the same node on float32 for bfloat16, `None` if its results rounded are not the node's."""
    model = ModelProto()
    model.CopyFrom(model_of(text))
    node = model.graph.node[0]
    if node.domain or node.op_type in _ROUNDS or any(a.HasField("g") for a in node.attribute):
        return None
    for tensor in model.graph.initializer:
        _widen(tensor)
    for output in model.graph.output:
        if output.type.tensor_type.elem_type == _BFLOAT16:
            output.type.tensor_type.elem_type = _FLOAT
    for attribute in node.attribute:
        _widen(attribute.t)
        if attribute.name in _ELEMENT_TYPES and attribute.i == _BFLOAT16:
            attribute.i = _FLOAT
    wide: str = json_format.MessageToJson(model, indent=None)
    return wide


_ELEMENT_TYPES = frozenset({"dtype", "output_datatype", "output_dtype", "softmax_precision", "stash_type"})
"""Attributes that are ONNX's numbers of element types."""


def _widen(tensor: TensorProto) -> None:
    """Make a tensor of bfloat16 one of float32."""
    if tensor.data_type == _BFLOAT16:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(float32), tensor.name))


# ---- engines


def is_as_onnx(text: str) -> bool:
    """Whether ONNX Runtime, where it has a kernel, gives for the node what ONNX says."""
    node = model_of(text).graph.node[0]
    values = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return not any(differs(node, values) for differs in _AGAINST_ONNX.get(node.op_type, ()))


def _places_corners_by_sizes(node: NodeProto, values: dict[str, Any]) -> bool:
    """ONNX has the corners at scale x size, ONNX Runtime at the size of the result, which is rounded down."""
    scales = len(node.input) > 2 and node.input[2] != ""
    return scales and values.get("coordinate_transformation_mode") == b"align_corners"


def _has_output_shape(node: NodeProto, _: dict[str, Any]) -> bool:
    """ONNX counts indices in the result before it is padded, ONNX Runtime in the one that is asked for."""
    return len(node.input) > 2 and node.input[2] != ""


_AGAINST_ONNX: dict[str, tuple[Callable[[NodeProto, dict[str, Any]], bool], ...]] = {
    "MaxUnpool": (_has_output_shape,),
    "Resize": (_places_corners_by_sizes,),
}
"""Forms of operators that ONNX Runtime computes otherwise than ONNX says."""


def takes_all_values(text: str) -> bool:
    """Whether ONNX Runtime takes all values that ONNX has results for."""
    return model_of(text).graph.node[0].op_type not in _PARTIAL


def without_values(text: str) -> str:
    """A text for which ONNX Runtime has a kernel if it has one for this, and of which there are few.

    Of scales and zero points only the dtypes matter.
    """
    model = model_of(text)
    node = model.graph.node[0]
    if node.op_type not in _QUANTIZING or node.domain:
        return text
    kinds = {tensor.name: tensor.data_type for tensor in model.graph.initializer}
    return _bare(node.op_type, _opset(model) or DEFAULT, tuple(kinds.get(name, 0) for name in node.input))


@lru_cache(_CACHE)
def _bare(op_type: str, opset: int, kinds: tuple[int, ...]) -> str:
    """The text of a node with constants of these element types, where these are not 0."""
    parts = [np.zeros((), helper.tensor_dtype_to_np_dtype(kind)) if kind else True for kind in kinds]
    return node_text(op_type, parts, opset, {})


_QUANTIZING = frozenset({"QuantizeLinear", "DequantizeLinear"})
_PARTIAL = frozenset({"MelWeightMatrix"})
"""Operators whose kernels refuse some values: an upper edge that meets the end of the spectrum."""
