"""What is known of a model's values before anything is converted: constants and static shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
    checker,
    defs,
    helper,
    shape_inference,
)

from hybridonnx.dtypes import DType, is_native
from hybridonnx.errors import ConversionError, FormatError, MXNetError

from ..inference import infer_shapes
from ..opsets import plain, signature
from ..subgraphs import Names, splice
from ..values import Array, dtype_of, dtype_of_type, elem_type, to_tensor, value_info
from ._definitions import with_definitions
from ._guards import guarded
from ._reader import Model

Dims: TypeAlias = tuple[int | str | None, ...]
"""Sizes of a value: a number, the name of a free dimension, or `None`."""

_SMALL = 4096
"""Constants up to this many elements take part in shape inference with their values."""
_MOST_FOLDED = 1 << 28
"""No folded constant has more elements: a small file must not fill the memory."""


class ModelInfo:
    """Constants by name, and shapes and dtypes of all values, of a model whose constant nodes are folded.

    `constants` are those that a graph inside of another one takes from there.
    """

    def __init__(self, model: Model, constants: Mapping[str, Array] | None = None) -> None:
        self.model = model
        self.constants: dict[str, Array] = dict(constants or {})
        self.tensors: dict[str, TensorProto] = {t.name: t for t in model.proto.graph.initializer}
        self.dims: dict[str, Dims | None] = {}
        self.dtypes: dict[str, DType] = {}
        self.others: set[str] = set()
        """The values that are sequences, optionals and the like."""
        self.nodes: list[NodeProto] = list(model.proto.graph.node)
        self.names = Names(model.proto.graph)
        self._refuse_sparse(model.proto.graph)
        self._refuse_types(model.proto.graph)
        self._study()

    def _study(self) -> None:
        while True:
            self._infer()
            if not self._fold():
                return

    def inline(self, op_types: Iterable[str]) -> None:
        """Put ONNX's own definitions in place of these operators."""
        chosen = set(op_types)
        self.nodes = [_spelled_out(n, self.model.opset) if n.op_type in chosen else n for n in self.nodes]
        self.nodes = with_definitions(infer_shapes(self._light()), chosen, self.model.opset)
        self.names.add(self.nodes)
        self._study()

    def is_constant(self, name: str) -> bool:
        """Whether the value is the same in every run."""
        return name in self.constants or name in self.tensors

    def constant(self, name: str) -> Array:
        """The value of a constant."""
        if name not in self.constants:
            self.constants[name] = self.model.array(self.tensors[name])
        return self.constants[name]

    def count(self, name: str) -> int:
        """How many elements a value of known shape has; free sizes count as 1."""
        return _count(self.shape(name) or ())

    def shape(self, name: str) -> Dims | None:
        """The sizes of a value as far as they are known."""
        if name in self.constants:
            return self.constants[name].shape
        if name in self.tensors:
            return tuple(self.tensors[name].dims)
        return self.dims.get(name)

    def dtype(self, name: str) -> DType | None:
        """The dtype of a value if it is known."""
        if name in self.constants:
            return self.constants[name].dtype
        if name in self.tensors:
            return dtype_of(self.tensors[name].data_type)
        return self.dtypes.get(name)

    # ---- shapes

    def _infer(self) -> None:
        """Let ONNX infer what it can, on a copy without weights."""
        light = self._light()
        try:
            inferred = infer_shapes(light)
        except (shape_inference.InferenceError, checker.ValidationError, RuntimeError) as exc:
            raise FormatError(f"{self.model.title}: the model is invalid. ONNX says: {exc}") from None
        for info in (*inferred.graph.input, *inferred.graph.value_info, *inferred.graph.output):
            self._learn(info)

    def _light(self) -> ModelProto:
        proto = self.model.proto
        light = ModelProto(ir_version=max(proto.ir_version, 4), opset_import=proto.opset_import)
        light.functions.extend(proto.functions)
        graph = light.graph
        graph.name = proto.graph.name or "graph"
        graph.node.extend(self.nodes)
        graph.output.extend(proto.graph.output)
        graph.value_info.extend(proto.graph.value_info)
        graph.input.extend(i for i in proto.graph.input if not self.is_constant(i.name))
        for name in {**self.tensors, **self.constants}:
            shape, dtype = self.shape(name), self.dtype(name)
            if dtype is not None and dtype.kind in "iub" and shape is not None and _count(shape) <= _SMALL:
                graph.initializer.append(to_tensor(name, self.constant(name)))
            elif dtype is not None:
                graph.input.append(value_info(name, dtype, shape))
        return light

    def _learn(self, info: ValueInfoProto) -> None:
        tensor = info.type.tensor_type
        if not info.type.HasField("tensor_type"):
            if info.type.WhichOneof("value"):
                self.others.add(info.name)
            dtype = dtype_of_type(info.type)
            if dtype is not None:
                self.dtypes[info.name], self.dims[info.name] = dtype, ()
            return
        if tensor.elem_type and tensor.elem_type in TensorProto.DataType.values():
            try:
                self.dtypes[info.name] = dtype_of(tensor.elem_type)
            except ConversionError:  # whoever needs the value reports it
                return
        if tensor.HasField("shape"):
            self.dims[info.name] = tuple(_dim(d) for d in tensor.shape.dim)

    # ---- constants

    def _fold(self) -> bool:
        """Take constant nodes out. Whether new nodes came in, of which more may become known."""
        nodes: list[NodeProto] = []
        entered = False
        for node in self.nodes:
            branch = self._branch(node)
            if branch is not None:
                nodes += self._spliced(node, branch)
                entered = True
            elif not self._located(node):
                nodes.append(node)
        self.nodes = nodes
        return entered

    def _located(self, node: NodeProto) -> bool:
        try:
            return self._folded(node)
        except MXNetError as exc:
            raise located(exc, node) from None

    def _folded(self, node: NodeProto) -> bool:
        if node.domain not in ("", "ai.onnx") or not node.output:
            return False
        if node.op_type in _READ and len(node.input) == _READ_INPUTS[node.op_type]:
            value = _READ[node.op_type](self, node)
            if value is not None:
                self.constants[node.output[0]] = value
                return True
        if not _may_fold(node, self.model.opset) or not all(self.is_constant(n) for n in node.input if n):
            return False
        inputs = {name: self.constant(name) for name in node.input if name}
        if not self._affordable(node, inputs):
            raise ConversionError(
                f"{node.op_type}: a constant of at most {_MOST_FOLDED} elements is required, "
                "got a larger one."
            )
        results = evaluate(node, self.model.opset, inputs)
        if results is None:
            return False
        self.constants.update((n, r) for n, r in zip(node.output, results, strict=False) if n)
        return True

    def _affordable(self, node: NodeProto, inputs: dict[str, Array]) -> bool:
        schema = signature(node.op_type, self.model.opset).schema
        types = {name: _type(array) for name, array in inputs.items()}
        data = {n: to_tensor(n, a) for n, a in inputs.items() if a.size <= _SMALL}
        version = self.model.opset
        try:
            inferred = shape_inference.infer_node_outputs(
                schema, node, types, data, opset_imports=[helper.make_opsetid("", version)], ir_version=8
            )
        except (shape_inference.InferenceError, checker.ValidationError, RuntimeError):
            return True  # evaluation reports it
        shapes = [tuple(_dim(d) for d in t.tensor_type.shape.dim) for t in inferred.values()]
        return all(_count(shape) <= _MOST_FOLDED for shape in shapes)

    def _branch(self, node: NodeProto) -> GraphProto | None:
        """The branch that an `If` with a constant condition always takes, or that says what both say."""
        if node.op_type != "If" or plain(node.domain) or not node.input:
            return None
        if not self.is_constant(node.input[0]):
            return guarded(node, self.nodes, lambda n: self.constant(n) if self.is_constant(n) else None)
        name = "then_branch" if bool(self.constant(node.input[0])) else "else_branch"
        return next((a.g for a in node.attribute if a.name == name), None)

    def _spliced(self, node: NodeProto, branch: GraphProto) -> list[NodeProto]:
        """The nodes of a branch in place of its `If`; its outputs get the names of the `If`'s."""
        self._refuse_sparse(branch)
        nodes, tensors = splice(node, title(node), branch, self.names)
        self.tensors.update(tensors)
        return nodes

    def _refuse_types(self, graph: GraphProto) -> None:
        """Raise one error that names all tensors and inputs of types that there are no arrays of."""
        codes = {t.name: t.data_type for t in graph.initializer}
        types = {i.name: i.type.tensor_type.elem_type for i in graph.input}
        codes |= {name: code for name, code in types.items() if code}
        reasons: dict[str, list[str]] = {}
        for name, code in codes.items():
            reasons.setdefault(_why_unknown(code), []).append(name)
        reasons.pop("", None)
        if reasons:
            lines = [f"  {', '.join(names)}: {why}" for why, names in reasons.items()]
            raise ConversionError(f"{self.model.title}: values of unknown types:\n" + "\n".join(lines))

    def _refuse_sparse(self, graph: GraphProto) -> None:
        if graph.sparse_initializer:
            raise ConversionError(
                f"{self.model.title}: dense initializers are required, got sparse ones. Convert them first."
            )


def _why_unknown(code: int) -> str:
    """Why there are no arrays of an element type, or nothing."""
    try:
        dtype_of(code)
    except MXNetError as exc:
        return str(exc)
    return ""


def title(node: NodeProto) -> str:
    """What a node is called: its name, or its first output's."""
    return node.name or next(iter(node.output), node.op_type)


def located(exc: MXNetError, node: NodeProto) -> MXNetError:
    """The error with the node in its message."""
    text = str(exc).rstrip()
    place = title(node) if text.startswith(f"{node.op_type}:") else f"{title(node)} ({node.op_type})"
    exc.args = (f"{text}{'' if text.endswith(('.', '?')) else '.'} In node {place}.",)
    return exc


def _dim(dim: Any) -> int | str | None:
    if dim.HasField("dim_value"):
        return int(dim.dim_value)
    return str(dim.dim_param) or None


def _count(shape: Sequence[int | str | None]) -> int:
    return prod(d for d in shape if isinstance(d, int))


def _type(array: Array) -> TypeProto:
    proto: TypeProto = helper.make_tensor_type_proto(elem_type(array.dtype), array.shape)
    return proto


# ---- single nodes


def _spelled_out(node: NodeProto, opset: int) -> NodeProto:
    """The node with every attribute that has a default: definitions take what is left out for absent."""
    present = {attribute.name for attribute in node.attribute}
    full = NodeProto()
    full.CopyFrom(node)
    for name, attribute in defs.get_schema(node.op_type, opset, "").attributes.items():
        if name not in present and attribute.default_value.type:
            full.attribute.append(attribute.default_value)
    return full


def _may_fold(node: NodeProto, opset: int) -> bool:
    try:
        signature(node.op_type, opset)
    except ConversionError:
        return False
    if any(a.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for a in node.attribute):
        return False
    return node.op_type not in _DRAWING


_DRAWING = frozenset(
    {
        "Bernoulli",
        "Multinomial",
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
    }
)
"""Operators whose outputs differ from run to run."""


def evaluate(node: NodeProto, opset: int, inputs: dict[str, Array]) -> list[Array] | None:
    """The outputs of one node by ONNX's own reference implementation, `None` if it has none."""
    from onnx.reference import ReferenceEvaluator  # which takes a while to load

    names = [name for name in node.output if name]
    declared = [value_info(name, array.dtype, array.shape) for name, array in inputs.items()]
    graph = helper.make_graph([node], "node", declared, [ValueInfoProto(name=name) for name in names])
    try:
        with np.errstate(all="ignore"):  # infinities and NaN are results like others
            outputs = ReferenceEvaluator(graph, opsets={"": opset}).run(None, inputs)
    except (ArithmeticError, AttributeError, ImportError, LookupError, RuntimeError, TypeError, ValueError):
        return None  # the import function may know more
    if any(value is None or isinstance(value, list | dict) for value in outputs):
        return None  # no arrays: a sequence would become one of a further axis
    by_name = dict(zip(names, map(np.asarray, outputs), strict=True))
    return [by_name.get(name, np.empty(0)) for name in node.output]


def _constant_node(info: ModelInfo, node: NodeProto) -> Array | None:
    (attribute,) = node.attribute
    if attribute.name == "value":
        return info.model.array(attribute.t)
    value = helper.get_attribute_value(attribute)
    dtype = {"value_float": "f4", "value_floats": "f4", "value_int": "i8", "value_ints": "i8"}
    if attribute.name not in dtype:
        raise ConversionError(f"Constant: MXNet has no {attribute.name}.")
    return np.array(value, dtype[attribute.name])


def _static_shape(info: ModelInfo, node: NodeProto) -> Array | None:
    shape = info.shape(node.input[0])
    if shape is None:
        return None
    limits = {a.name: a.i for a in node.attribute}
    part = shape[limits.get("start", 0) : limits.get("end")]
    return np.array(part, np.int64) if all(isinstance(d, int) for d in part) else None


def _static_size(info: ModelInfo, node: NodeProto) -> Array | None:
    shape = info.shape(node.input[0])
    if shape is None or not all(isinstance(d, int) for d in shape):
        return None
    return np.array(_count(shape), np.int64)


def _cast_like(info: ModelInfo, node: NodeProto) -> Array | None:
    dtype = info.dtype(node.input[1])
    if dtype is None or not is_native(dtype) or not info.is_constant(node.input[0]):
        return None
    return info.constant(node.input[0]).astype(dtype)


_READ = {"CastLike": _cast_like, "Constant": _constant_node, "Shape": _static_shape, "Size": _static_size}
"""Operators that are constant although no input need be."""
_READ_INPUTS = {"CastLike": 2, "Constant": 0, "Shape": 1, "Size": 1}
