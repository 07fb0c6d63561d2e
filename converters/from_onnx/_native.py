"""Nodes of a model that stay what they are: operators `_onnx_<Operator>` with the node inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onnx import NodeProto, TensorProto, ValueInfoProto, checker

from hybridonnx.dtypes import DType
from hybridonnx.errors import ConversionError
from hybridonnx.ops import in_onnxruntime, onnx_name

from ..inference import sentence
from ..onnx_nodes import text_of
from ..opsets import ir_version, plain, signature
from ..subgraphs import captured, uses
from ..values import to_tensor, value_info
from ._model_info import ModelInfo

_MOST_ELEMENTS = 4096
"""Constants up to this many elements go into the text of a node."""
_LEARNED = "fcV"
"""Kinds of numbers that are no integers; V are those of ml_dtypes, of whose integers weights are made."""
_OPERANDS = frozenset({"roi", "scales", "ratio", "x_scale", "y_scale"})
"""Inputs of floating-point numbers on which shapes or the meaning depend, so that no one trains them."""


def reason_against(info: ModelInfo, node: NodeProto) -> str:
    """Why a node cannot stay what it is, or nothing."""
    unknown = why_unknown(info, node)
    if unknown or any(attribute.HasField("g") for attribute in node.attribute):
        return unknown  # what it takes from around its graphs is checked with the whole model
    context = checker.C.CheckerContext()
    context.ir_version = ir_version(info.model.opset or 1)
    context.opset_imports = {plain(d): v for d, v in info.model.opsets.items()}
    try:
        checker.check_node(node, context)
    except checker.ValidationError as exc:
        return f"{node.op_type}: a valid node is required. ONNX says: {sentence(exc, node.op_type)}"
    return ""


def why_unknown(info: ModelInfo, node: NodeProto) -> str:
    """Why ONNX does not know a node's operator, or one in its graphs, or nothing."""
    domain = plain(node.domain)
    try:
        signature(node.op_type, info.model.opsets.get(domain, 0), domain)
    except ConversionError as exc:
        foreign = plain(node.domain) and in_onnxruntime(node.op_type, domain)
        return "" if foreign else str(exc)
    inner = [n for attribute in node.attribute if attribute.HasField("g") for n in attribute.g.node]
    return next(filter(None, (why_unknown(info, n) for n in inner)), "")


def native(F: Any, info: ModelInfo, node: NodeProto, entry: Any) -> list[Any]:
    """The node's outputs by its own operator, `None` for those that it leaves out.

    `entry(name)` gives the symbol of a value. Small constants that no one trains become a part of the node.
    """
    node = _with_constants(info, node)
    names = list(dict.fromkeys(filter(None, uses(node))))
    inside = [name for name in names if name in node.input and _is_operand(info, node, name)]
    arguments = [name for name in names if name not in inside]
    constants = [_tensor(info, name) for name in inside]
    outputs = [declaration(info, name) for name in node.output if name]
    text = text_of(node, arguments, constants, outputs, info.model.opsets)
    function = getattr(F, onnx_name(node.op_type, plain(node.domain)))
    symbol = function(*map(entry, arguments), model=text, num_args=len(arguments), num_outputs=len(outputs))
    results = iter([symbol[i] for i in range(len(outputs))])
    return [next(results) if name else None for name in node.output]


def _with_constants(info: ModelInfo, node: NodeProto) -> NodeProto:
    """A node whose graphs have the small constants from outside, as shapes may depend on them."""
    if not any(attribute.HasField("g") for attribute in node.attribute):
        return node
    copy = NodeProto()
    copy.CopyFrom(node)
    for attribute in copy.attribute:
        if attribute.HasField("g"):
            names = [name for name in captured(attribute.g) if _is_operand(info, node, name)]
            attribute.g.initializer.extend(_tensor(info, name) for name in names)
    return copy


def _is_operand(info: ModelInfo, node: NodeProto, name: str) -> bool:
    """Whether a value is a small constant that no one trains."""
    if not info.is_constant(name):
        return False
    shape, dtype = info.shape(name), info.dtype(name)
    if shape is None or dtype is None or info.count(name) > _MOST_ELEMENTS:
        return False
    return not _is_weight(dtype, len(shape)) or bool(_OPERANDS & set(_parameters(info, node, name)))


def _is_weight(dtype: DType, rank: int) -> bool:
    """Whether networks learn such constants: real numbers, and matrices of bytes, as quantized ones are."""
    return dtype.kind in _LEARNED or (rank > 1 and dtype.itemsize == 1 and dtype.kind != "b")


def _parameters(info: ModelInfo, node: NodeProto, name: str) -> Sequence[str]:
    """What the operator calls the inputs that a value is."""
    domain = plain(node.domain)
    try:
        kind = signature(node.op_type, info.model.opsets.get(domain, 0), domain)
    except ConversionError:  # ONNX Runtime's own
        return ()
    return [kind.input(i).name for i, source in enumerate(node.input) if source == name]


def _tensor(info: ModelInfo, name: str) -> TensorProto:
    return to_tensor(name, info.constant(name))


def declaration(info: ModelInfo, name: str) -> ValueInfoProto:
    """What is known of an output in every run: sizes that have names may become others."""
    dims, dtype = info.shape(name), info.dtype(name)
    if dtype is None:
        return ValueInfoProto(name=name)
    sizes = None if dims is None else tuple(d if isinstance(d, int) else None for d in dims)
    known: ValueInfoProto = value_info(name, dtype, sizes)
    return known
