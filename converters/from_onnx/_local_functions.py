"""The bodies of a model's own functions, in the places of the nodes that call them."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import ModelProto, NodeProto, inliner

from hybridonnx.errors import ConversionError

from ..opsets import plain
from ..subgraphs import nodes_of, write_out_initializers
from ._reader import Model
from ._validation import validate


def inline_local(model: Model) -> None:
    """Put the bodies of the model's own functions in their places."""
    if not model.proto.functions:
        return
    proto = ModelProto()
    proto.CopyFrom(model.proto)
    _write_defaults(proto)
    for function in proto.functions:
        write_out_initializers(function.node)
    try:
        model.proto = inliner.inline_local_functions(proto, convert_version=True)
    except RuntimeError as exc:  # of versions alone
        raise ConversionError(_of_other_opsets(proto, model)) from exc
    validate(model.proto, model.title)  # with the attributes that the calls gave
    model.opsets = {plain(item.domain): int(item.version) for item in model.proto.opset_import}


def _write_defaults(proto: ModelProto) -> None:
    """Give calls the attributes that they leave to the function's defaults, which ONNX's inliner forgets."""
    functions = {(f.domain, f.name, f.overload): f for f in proto.functions}
    for node in _all_nodes(proto):
        function = functions.get((node.domain, node.op_type, node.overload))
        if function is not None:
            given = {attribute.name for attribute in node.attribute}
            node.attribute.extend(a for a in function.attribute_proto if a.name not in given)


def _all_nodes(proto: ModelProto) -> Iterator[NodeProto]:
    yield from nodes_of(proto.graph)
    for function in proto.functions:
        yield from nodes_of(function)


def _of_other_opsets(proto: ModelProto, model: Model) -> str:
    """Why functions cannot be inlined whose operators are of another opset than the model's."""
    opset = model.opsets.get("", 0)
    others = [
        f"{function.name} of opset {item.version}"
        for function in proto.functions
        for item in function.opset_import
        if not plain(item.domain) and item.version != opset
    ]
    return (
        f"{model.title}: functions of the model's opset {opset} are required, or such as ONNX converts "
        f"to it, got {', '.join(others) or 'others'}."
    )
