"""ONNX's own definitions of operators by simpler ones, put in the places of nodes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from onnx import FunctionProto, ModelProto, NodeProto, TypeProto, defs, helper, inliner

from ..opsets import plain, signature

_DOMAIN = "hybridonnx.definitions"
"""Where the definitions are local functions of a model until they are inlined."""
_DEFINED = ("", "ai.onnx.preview")
"""The domains whose definitions are used; the nodes in them are of ONNX's own."""


def is_defined(op_type: str, domain: str, opsets: Mapping[str, int]) -> bool:
    """Whether ONNX has a definition of an operator."""
    if domain not in _DEFINED or domain not in opsets:
        return False
    try:
        schema: Any = defs.get_schema(op_type, opsets[domain], domain)
    except defs.SchemaError:
        return False
    return bool(schema.has_function or schema.has_context_dependent_function)


def with_definitions(
    model: ModelProto, op_types: Collection[str], opsets: Mapping[str, int]
) -> list[NodeProto]:
    """The nodes of a model whose shapes are inferred, those of `op_types` replaced by what defines them.

    A definition may depend on the inputs' types: where one is unknown, the node stays. The inliner finds
    definitions by itself from onnx 1.19 on only.
    """
    local = ModelProto()
    local.CopyFrom(model)
    types, opset = _types(model), opsets[""]
    for index, node in enumerate(local.graph.node):
        if node.op_type not in op_types or plain(node.domain) not in _DEFINED:
            continue
        definition = _definition(node, types, opsets)
        if definition is not None and len(node.input) <= len(definition.input):
            definition.domain, definition.name = _DOMAIN, f"{node.op_type}{index}"
            del definition.opset_import[:]
            definition.opset_import.append(helper.make_opsetid("", opset))
            node.domain, node.op_type = definition.domain, definition.name
            local.functions.append(definition)
    local.opset_import.append(helper.make_opsetid(_DOMAIN, 1))
    return list(inliner.inline_local_functions(local).graph.node)


def _definition(
    node: NodeProto, types: Mapping[str, TypeProto], opsets: Mapping[str, int]
) -> FunctionProto | None:
    """The newest definition that there is at these opsets and for inputs of these types."""
    domain = plain(node.domain)
    opset = opsets[domain]
    schema: Any = defs.get_schema(node.op_type, opset, domain)
    fixed: Sequence[int] = schema.function_opset_versions
    versions: Sequence[int] = fixed or schema.context_dependent_function_opset_versions
    version = max((v for v in versions if v <= opset), default=0)
    inputs = [types.get(name) if name else TypeProto() for name in node.input]
    if not version or (not fixed and None in inputs):
        return None
    try:
        if fixed:
            text = schema.get_function_with_opset_version(version)
        else:
            arguments = node.SerializeToString(), [i.SerializeToString() for i in inputs if i is not None]
            text = schema.get_context_dependent_function_with_opset_version(version, *arguments)
    except (RuntimeError, ValueError):  # such as for the graph that SequenceMap has for an attribute
        return None
    definition = FunctionProto.FromString(text)
    newest = opsets[""]
    if domain:  # written for the newest version of ONNX's own operators
        valid = all(_has_what(n, newest) for n in definition.node)
    else:
        valid = all(_has_the_form(n.op_type, version, newest) for n in definition.node)
    return definition if valid and definition.node else None


def _has_the_form(op_type: str, version: int, opset: int) -> bool:
    """Whether a node of one version is one of a newer version, which may add element types and attributes."""
    old, new = (signature(op_type, v) for v in (version, opset))
    same_inputs = [p.name for p in old.inputs] == [p.name for p in new.inputs[: len(old.inputs)]]
    return same_inputs and old.attributes.keys() <= new.attributes.keys()


def _has_what(node: NodeProto, opset: int) -> bool:
    """Whether an operator has the inputs and attributes of a node at an opset."""
    kind = signature(node.op_type, opset)
    room = len(node.input) <= len(kind.inputs) or (bool(kind.inputs) and kind.inputs[-1].variadic)
    return room and {attribute.name for attribute in node.attribute} <= kind.attributes.keys()


def _types(model: ModelProto) -> dict[str, TypeProto]:
    """The types of all values that have one."""
    graph = model.graph
    types = {t.name: helper.make_tensor_type_proto(t.data_type, t.dims) for t in graph.initializer}
    infos = (*graph.input, *graph.value_info, *graph.output)
    types.update((info.name, info.type) for info in infos if info.type.WhichOneof("value"))
    return types
