"""What every node of a file says, held to ONNX's schemas before any code of operators reads it.

ONNX's own shape inference, its inliner and its reference take attributes as they come: an axis far outside, a
negative count or an attribute of another type makes them crash, hang, or fill the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from math import prod
from typing import NamedTuple, TypeAlias

from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, defs

from hybridonnx.errors import FormatError, MXNetError, suggest

from ..opsets import plain, versions
from ._places import located, short

_DEEPEST = 30
"""Graphs inside of graphs, those in the functions that are called among them."""
_MOST_NODES = 20_000
_MOST_COPIES = 32
"""A model has at most so many nodes when its functions are written out, and so many times its own more."""
_MOST_AXES = 64
"""NumPy's arrays have no more."""
_INT32 = 1 << 31

_NUMBERS = {
    getattr(defs.OpSchema.AttrType, name): number
    for name, number in AttributeProto.AttributeType.items()
    if number
}
"""ONNX's numbers of what schemas call the types of attributes."""
_FIELDS = {
    AttributeProto.INT: "i",
    AttributeProto.FLOAT: "f",
    AttributeProto.STRING: "s",
    AttributeProto.TENSOR: "t",
    AttributeProto.GRAPH: "g",
    AttributeProto.SPARSE_TENSOR: "sparse_tensor",
    AttributeProto.TYPE_PROTO: "tp",
}
_AXES = frozenset(
    {"axes", "axis", "batch_axis", "new_axis", "perm", "scan_input_axes", "scan_output_axes", "time_axis"}
)
_COUNTS = frozenset(
    {
        *("batch_dims", "chunk_size", "hidden_size", "kv_num_heads", "max_gram_length", "max_skip_count"),
        *("min_gram_length", "n_targets", "num_heads", "num_outputs", "num_scan_inputs", "output_height"),
        *("output_padding", "output_shape", "output_width", "p", "pooled_shape", "q_num_heads"),
        *("rotary_embedding_dim", "sample_size", "sampling_ratio", "shape", "size", "targets"),
    }
)
_POSITIVE = frozenset(
    {"blocksize", "dilations", "group", "kernel_shape", "num_groups", "offset_group", "strides"}
)
_ANY = frozenset(
    {
        *("cats_int64s", "class_ids", "classlabels_int64s", "classlabels_ints", "default_int64", "end"),
        *("ends", "ignore_index", "imputed_value_int64s", "int64_vocabulary", "keys_int64s", "pool_int64s"),
        *("replaced_value_int64", "seed", "start", "starts", "value_int", "value_ints", "values_int64s"),
    }
)
"""Attributes that are values, or places that may lie far behind the end."""
_TYPES = frozenset(
    {"dtype", "output_datatype", "output_dtype", "precision", "softmax_precision", "stash_type", "to"}
)
"""Attributes that are element types."""
_BY_AXES = frozenset({"dilations", "kernel_shape", "pooled_shape", "strides", "output_padding"}) | _AXES
"""Attributes that have a number for each axis."""


_TERM = rb"\s*(?:[A-Za-z]\s*)*(?:\.\.\.\s*(?:[A-Za-z]\s*)*)?"
_TEXTS = {
    ("Einsum", "equation"): re.compile(rb"%b(?:,%b)*(?:->%b)?" % (_TERM, _TERM, _TERM)),
}
"""What the texts of attributes have to look like."""


class _Attribute(NamedTuple):
    """What ONNX says of an attribute."""

    kind: int
    least: int
    most: int
    longest: int | None


class _Form(NamedTuple):
    """What ONNX says of an operator."""

    attributes: Mapping[str, _Attribute]
    inputs: int
    """So many at least, of nodes with graphs inside; the walk tells what is wrong with others."""
    named: frozenset[int]
    """The places of inputs that have to have names."""
    all_named: int
    """The place from which on all have to."""
    outputs: int


_Key: TypeAlias = tuple[str, str, str]
"""The domain, the name and the overload of a function."""


class _Extent(NamedTuple):
    nodes: int
    depth: int


def validate(proto: ModelProto, title: str) -> None:
    """Hold a model's graph and functions to ONNX's schemas.

    Args:
        proto: The model.
        title: What the model is called.

    Raises:
        FormatError: If attributes are of no operator, of another type, or outside of their range; if graphs
            are nested too deep, or functions call themselves or write out too many nodes; or if a tensor has
            sizes that no array has.
    """
    bodies = (proto.graph, *proto.functions)
    own = sum(1 for body in bodies for _ in _nested(body.node, title))
    validation = _Validation(title, _MOST_NODES + _MOST_COPIES * own)
    opsets = _opsets(proto)
    for function in _callees_first(proto, title):
        inner = {**opsets, **_opsets(function)}
        validation.extents[_key_of(function)] = validation.extent(function.node, inner, inside=True)
    validation.extent(proto.graph.node, opsets)
    for info in (*proto.graph.initializer, *proto.graph.input, *proto.graph.output):
        validate_sizes(info)


@dataclass
class _Validation:
    """What is known of a model's functions while its nodes are looked at."""

    title: str
    most: int
    """So many nodes at most, functions written out."""
    extents: dict[_Key, _Extent] = field(default_factory=dict)

    def extent(self, nodes: Iterable[NodeProto], opsets: Mapping[str, int], inside: bool = False) -> _Extent:
        """The extent of nodes that are as ONNX says; `inside` of a function attributes may be its own."""
        count, depth = 0, 0
        for node, level in _nested(nodes, self.title):
            call = self.extents.get((node.domain, node.op_type, node.overload))
            inner = call or _Extent(1, 0)
            count, depth = count + inner.nodes, max(depth, level + inner.depth)
            if depth > _DEEPEST:
                raise _too_deep(self.title)
            if count > self.most:
                raise FormatError(
                    f"{self.title}: at most {self.most} nodes are required, functions written out, got more."
                )
            try:
                _validate_node(node, None if call else _form_of(node, opsets), inside)
            except MXNetError as exc:
                exc.args = (f"{self.title}: {exc}",)
                raise located(exc, node) from None
        return _Extent(count, depth)


def _too_deep(title: str) -> FormatError:
    return FormatError(f"{title}: at most {_DEEPEST} graphs inside of each other are required, got more.")


def _nested(nodes: Iterable[NodeProto], title: str) -> Iterator[tuple[NodeProto, int]]:
    """Nodes with those of the graphs in them, and how deep these are."""
    stack = [(nodes, 0)]
    while stack:
        body, level = stack.pop()
        if level > _DEEPEST:
            raise _too_deep(title)
        for node in body:
            yield node, level
            for attribute in node.attribute:
                if attribute.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS):
                    graphs = (attribute.g, *attribute.graphs)
                    stack += [(graph.node, level + 1) for graph in graphs]


# ---- functions


def _opsets(proto: ModelProto | FunctionProto) -> dict[str, int]:
    return {plain(item.domain): int(item.version) for item in proto.opset_import}


def _key_of(function: FunctionProto) -> _Key:
    return function.domain, function.name, function.overload


def _callees_first(proto: ModelProto, title: str) -> list[FunctionProto]:
    """The functions, each behind those that it calls."""
    functions = {_key_of(function): function for function in proto.functions}
    calls: TopologicalSorter[_Key] = TopologicalSorter()
    for key, function in functions.items():
        called = {(n.domain, n.op_type, n.overload) for n, _ in _nested(function.node, title)}
        calls.add(key, *(called & functions.keys()))
    try:
        return [functions[key] for key in calls.static_order()]
    except CycleError as exc:
        names = " → ".join(short(name) for _, name, _ in exc.args[1][:5])
        raise FormatError(
            f"{title}: functions that do not call themselves are required, got {names}."
        ) from None


# ---- attributes


def _form_of(node: NodeProto, opsets: Mapping[str, int]) -> _Form | None:
    """What ONNX says of a node's operator; `None` of those that it does not know.

    Of an operator that is newer than the model's opset it is what its first version has, as the walk may
    take it for that.
    """
    domain = plain(node.domain)
    known = versions(node.op_type, domain)
    return _form(node.op_type, domain, max(opsets.get(domain, 0), min(known))) if known else None


@lru_cache(4096)
def _form(op_type: str, domain: str, opset: int) -> _Form | None:
    try:
        schema = defs.get_schema(op_type, opset, domain)
    except defs.SchemaError:
        return None
    attributes = {
        name: _Attribute(_NUMBERS[a.type], *_range(op_type, name), _MOST_AXES if name in _BY_AXES else None)
        for name, a in schema.attributes.items()
    }
    has_graphs = any(a.kind == AttributeProto.GRAPH for a in attributes.values())
    options = [parameter.option for parameter in schema.inputs]
    named = frozenset(i for i, option in enumerate(options) if option == _SINGLE)
    several = len(options) - 1 if not has_graphs and options[-1:] == [_VARIADIC] else _INT32
    return _Form(attributes, schema.min_input if has_graphs else 0, named, several, schema.max_output)


_SINGLE, _VARIADIC = defs.OpSchema.FormalParameterOption.Single, defs.OpSchema.FormalParameterOption.Variadic


def _range(op_type: str, name: str) -> tuple[int, int]:
    """The least and the largest integer that an attribute may be."""
    if name in _AXES or (op_type, name) == ("GatherND", "batch_dims"):
        return (0 if name == "batch_dims" else -_MOST_AXES), _MOST_AXES
    if name in _ANY or (op_type, name) in _MAY_BE_ANY:
        return -1 << 63, (1 << 63) - 1
    if name in _GRAMS:
        return 0, _MOST_GRAMS
    if name in _FLAGS:
        return 0, 1
    least = 1 if name in _POSITIVE else 0 if name in _COUNTS else -_INT32
    return (-1 if (op_type, name) in _MAY_BE_MINUS_ONE else least), _INT32 - 1


_MOST_GRAMS = 1 << 16
"""Words of a sequence of words, and between two of them: ONNX Runtime tries each number up to these."""
_GRAMS = frozenset({"max_gram_length", "max_skip_count", "min_gram_length"})

_FLAGS = frozenset(
    """
    align_corners allowzero antialias broadcast ceil_mode center_point_box count_include_pad
    detect_negative detect_positive exclude_outside exclusive fmod input_forget interleaved inverse
    is_case_sensitive is_causal is_test keepdims largest layout linear_before_reset multi_class
    noop_with_empty_axes one_class onesided output_sequence periodic reverse saturate
    select_last_index sorted spatial storage_order training_mode transA transB upper zeros
    """.split()
)
"""Attributes that are yes or no: of other numbers some readers say yes, and others no."""

_MAY_BE_MINUS_ONE = frozenset({("Reshape", "shape"), ("TopK", "k")})
_MAY_BE_ANY = frozenset({("Reshape", "shape")})


def _validate_node(node: NodeProto, form: _Form | None, inside: bool) -> None:
    known = None if form is None else form.attributes
    names = set()
    for attribute in node.attribute:
        if attribute.name in names:
            raise _refusal(node, attribute, "one value is required, got two")
        names.add(attribute.name)
        if attribute.ref_attr_name:
            if not inside:
                raise _refusal(node, attribute, "a value is required, got a function's attribute")
        else:
            _validate_value(node, attribute)
        if known is not None:
            _validate_attribute(node, attribute, known)
    if form is not None:
        _validate_ends(node, form)


def _validate_ends(node: NodeProto, form: _Form) -> None:
    """Hold the numbers of inputs and outputs to what ONNX says, as far as its inference relies on them."""
    if len(node.input) < form.inputs:
        raise FormatError(
            f"{node.op_type}: {form.inputs} inputs at least are required, got {len(node.input)}."
        )
    for place, name in enumerate(node.input):
        if not name and (place in form.named or place >= form.all_named):
            raise FormatError(f"{node.op_type}: a name is required of input {place}, got none.")
    if len(node.output) > form.outputs:
        raise FormatError(
            f"{node.op_type}: {form.outputs} outputs at most are required, got {len(node.output)}."
        )
    if node.op_type == "Split":
        count = next((a.i for a in node.attribute if a.name == "num_outputs"), len(node.output))
        if count != len(node.output):
            raise FormatError(f"Split: num_outputs {count} outputs are required, got {len(node.output)}.")


def _refusal(node: NodeProto, attribute: AttributeProto, text: str) -> FormatError:
    return FormatError(f"{short(node.op_type)}: attribute {short(attribute.name)}: {text}.")


def _validate_value(node: NodeProto, attribute: AttributeProto) -> None:
    """Hold an attribute's value to the type that it says to have."""
    field = _FIELDS.get(attribute.type)
    if attribute.type == AttributeProto.UNDEFINED or attribute.type not in _KINDS:
        raise _refusal(node, attribute, "one of ONNX's types is required, got none")
    if field in ("g", "t", "tp", "sparse_tensor") and not attribute.HasField(field):
        raise _refusal(node, attribute, f"a {_KINDS[attribute.type]} is required, got none")
    for tensor in (attribute.t, *attribute.tensors):
        validate_sizes(tensor)


_KINDS = {number: name for name, number in AttributeProto.AttributeType.items()}


def validate_sizes(tensor: TensorProto | ValueInfoProto) -> None:
    """Hold the sizes of a tensor, or those that a declaration says, to what an array can have.

    Raises:
        FormatError: If there are too many, or one is negative, or the elements are too many to count.
    """
    if isinstance(tensor, TensorProto):
        dims = list(tensor.dims)
    else:  # where exporters write -1 for a size that is free
        dims = [max(dim.dim_value, 1) for dim in tensor.type.tensor_type.shape.dim]
    if len(dims) > _MOST_AXES or any(d < 0 for d in dims) or prod(dims) >= 1 << 60:
        got = short(str(dims[: _MOST_AXES + 1]))
        raise FormatError(
            f"tensor {short(tensor.name) or 'without a name'}: at most {_MOST_AXES} sizes of at least 0 that "
            f"multiply to less than 2^60 are required, got {got}."
        )


def _validate_attribute(node: NodeProto, attribute: AttributeProto, known: Mapping[str, _Attribute]) -> None:
    """Hold an attribute to what ONNX says of it."""
    rule = known.get(attribute.name)
    if rule is None:
        names = sorted(known)
        raise FormatError(
            f"{node.op_type}: attribute {short(attribute.name)} is not supported, known are "
            f"{', '.join(names) or 'none'}.{suggest(short(attribute.name), names)}"
        )
    if attribute.type != rule.kind:
        got = _KINDS.get(attribute.type, "another")
        raise _refusal(node, attribute, f"{_KINDS[rule.kind]} is required, got {got}")
    if attribute.type == AttributeProto.INT and not attribute.ref_attr_name:
        _validate_integers(node, attribute, rule, (attribute.i,))
        if attribute.name in _TYPES and attribute.i not in TensorProto.DataType.values():
            raise _refusal(
                node, attribute, f"ONNX's number of an element type is required, got {attribute.i}"
            )
        if attribute.name in ("dtype", "to") and not attribute.i:
            raise _refusal(node, attribute, "an element type is required, got none")
    elif attribute.type == AttributeProto.INTS:
        _validate_integers(node, attribute, rule, attribute.ints)
    pattern = _TEXTS.get((node.op_type, attribute.name))
    if pattern is not None and not attribute.ref_attr_name and not pattern.fullmatch(attribute.s):
        got = short(attribute.s.decode(errors="replace"))
        raise _refusal(node, attribute, f"a text as ONNX describes it is required, got {got!r}")


def _validate_integers(
    node: NodeProto, attribute: AttributeProto, rule: _Attribute, values: Iterable[int]
) -> None:
    least, most = rule.least, rule.most
    wrong = next((value for value in values if not least <= value <= most), None)
    if wrong is not None:
        raise _refusal(node, attribute, f"integers from {least} to {most} are required, got {wrong}")
    if rule.longest is not None and len(attribute.ints) > rule.longest:
        raise _refusal(node, attribute, f"a number for each axis is required, got {len(attribute.ints)}")
