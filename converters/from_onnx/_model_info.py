"""What is known of a model's values before anything is converted: constants and static shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from math import prod
from typing import TypeAlias

import numpy as np
from onnx import (
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

from hybridonnx.dtypes import DType, is_floating, is_native
from hybridonnx.errors import ConversionError, FormatError, MXNetError
from hybridonnx.ops import Spec, SymbolicDim, alike
from hybridonnx.symbol.declared import InputShapes

from .. import notes
from ..elements import Array, dtype_of
from ..inference import infer_shapes, sentence
from ..opsets import plain
from ..subgraphs import Names, splice, write_constants_in
from ..types import spec_of, type_of
from ..values import dtype_of_type, to_tensor
from ._definitions import with_definitions
from ._folding import SMALL, folded, has_graphs, inferred
from ._free_sizes import FreeSizes
from ._guards import guarded
from ._narrowing import narrowed
from ._places import located, short, title
from ._reader import Model
from ._result_sizes import Sizes, depends_on_values, result_sizes
from ._vectors import LONGEST, Call, Size, Vector, follow, follows, of_array

Dims: TypeAlias = Sizes
"""Sizes of a value: a number, an expression of free sizes, or `None`."""

_MOST_ROUNDS = 64
"""More rounds of inference than any model's nested branches need."""
_WITH_ZERO = 3
"""How many inputs DequantizeLinear has with a zero point."""


class ModelInfo:
    """Constants by name, and shapes and dtypes of all values, of a model whose constant nodes are folded.

    `constants` are those that a graph inside of another one takes from there, of which `weights` train;
    `shapes` is what the caller says of the inputs.
    """

    def __init__(
        self,
        model: Model,
        constants: Mapping[str, Array] | None = None,
        shapes: InputShapes | None = None,
        weights: Iterable[str] = (),
    ) -> None:
        self.model = model
        self.constants: dict[str, Array] = dict(constants or {})
        self.tensors: dict[str, TensorProto] = {t.name: t for t in model.proto.graph.initializer}
        self.dims: dict[str, Dims | None] = {}
        self.dtypes: dict[str, DType] = {}
        self.others: set[str] = set()
        """The values that are sequences, optionals and the like."""
        self.nodes: list[NodeProto] = list(model.proto.graph.node)
        self._has_integers = any(node.op_type == "QuantizeLinear" for node in self.nodes)
        self.names = Names(model.proto.graph)
        self._refuse_sparse(model.proto.graph)
        self._refuse_types(model.proto.graph)
        inputs = [i for i in model.proto.graph.input if not self.is_constant(i.name)]
        inputs = inputs if shapes is None else narrowed(model.title, inputs, shapes)
        self._inputs = list(map(_with_names, inputs))
        self._free = FreeSizes(self._inputs)
        self._vectors: dict[str, Vector | None] = {}
        self._of_weights = set(weights)
        """The constants that were computed of initializers."""
        self._better: set[str] = set()
        """The values of which more is known than ONNX infers."""
        self._study()

    def _study(self) -> None:
        """Infer and fold until nothing more becomes known."""
        for _ in range(_MOST_ROUNDS):
            self._infer()
            before = len(self._better)
            entered = self._fold()
            graphs = len(self._better) > before and any(map(has_graphs, self.nodes))
            if not entered and not graphs:
                return

    def inline(self, op_types: Iterable[str]) -> None:
        """Put ONNX's own definitions in place of these operators."""
        chosen = set(op_types)
        opsets = self.model.opsets
        self.nodes = [_spelled_out(n, opsets) if n.op_type in chosen else n for n in self.nodes]
        self.nodes = with_definitions(infer_shapes(self._light(), values=False), chosen, opsets)
        self.names.add(self.nodes)
        self._study()

    def replace(self, nodes: Sequence[NodeProto]) -> None:
        """Put other nodes in place of all that there are."""
        self.nodes = list(nodes)
        self.names.add(self.nodes)
        self._study()

    def is_constant(self, name: str) -> bool:
        """Whether the value is the same in every run."""
        return name in self.constants or name in self.tensors

    def is_weight(self, name: str) -> bool:
        """Whether training may change a constant: it is an initializer without a note, or computed of one."""
        tensor = self.tensors.get(name)
        return name in self._of_weights or (tensor is not None and tensor.doc_string != notes.CONSTANT)

    def add_constant(self, name: str, value: Array, is_weight: bool = False) -> None:
        """Take note of a constant."""
        self.constants[name] = value
        self._vectors.pop(name, None)  # which had less
        if is_weight:
            self._of_weights.add(name)

    def constant(self, name: str) -> Array:
        """The value of a constant."""
        if name not in self.constants:
            self.constants[name] = self.model.array(self.tensors[name])
        return self.constants[name]

    def is_of_integers(self, node: NodeProto) -> bool:
        """Whether a node is a DequantizeLinear by which engines see that they may compute on integers.

        There is a QuantizeLinear then. ONNX Runtime takes int8 without a zero point for uint8 in places.
        """
        if node.op_type != "DequantizeLinear" or not self._has_integers:
            return False
        return len(node.input) == _WITH_ZERO or self.dtype(node.input[0]) != np.int8

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

    def depends_on_values(self, size: Size | None) -> bool:
        """Whether the sizes of the inputs do not tell a size."""
        return size is None or (isinstance(size, SymbolicDim) and self._free.has_made_up(size))

    def vector(self, name: str) -> Vector | None:
        """What is known of the values of a small vector or number."""
        if name not in self._vectors and self.is_constant(name):
            shape = self.shape(name) or ()
            short = len(shape) < 2 and _count(shape) <= LONGEST
            self._vectors[name] = of_array(self.constant(name)) if short else None
        return self._vectors.get(name)

    # ---- shapes

    def _infer(self) -> None:
        """Let ONNX infer what it can, on a copy without weights, then with what the file says of the rest.

        What a file says of values inside may hold for the inputs alone that it was made with.
        """
        self._learn_from(self._light())
        graph = self.model.proto.graph
        self._require_types((*graph.value_info, *graph.output))
        foreign = {name for node in self.nodes if plain(node.domain) for name in node.output}
        rest = {
            i.name: i if i.name in foreign else without_numbers(i)
            for i in (*graph.value_info, *graph.output)
            if i.name not in self.dims
        }
        if any(i.type.WhichOneof("value") for i in rest.values()):
            self._learn_from(self._light(rest))

    def _require_types(self, declared: Iterable[ValueInfoProto]) -> None:
        """Raise if the model says another element type of a value than its nodes give."""
        for info in declared:
            dtype, said = self.dtypes.get(info.name), dtype_of_type(info.type)
            if dtype is not None and said is not None and dtype != said:
                raise FormatError(
                    f"{self.model.title}: {short(info.name)} is declared as {said}, but its node gives "
                    f"{dtype}."
                )

    def _learn_from(self, light: ModelProto) -> None:
        self._free.begin()
        try:
            inferred = infer_shapes(light, values=False)
        except (shape_inference.InferenceError, checker.ValidationError, RuntimeError, ValueError) as exc:
            raise FormatError(
                f"{self.model.title}: the model is invalid. ONNX says: {sentence(exc)}"
            ) from None
        for info in (*inferred.graph.input, *inferred.graph.value_info, *inferred.graph.output):
            self._learn(info)

    def _light(self, declared: Mapping[str, ValueInfoProto] | None = None) -> ModelProto:
        """The model without weights, and of the values inside only what is known or `declared`."""
        declared = declared or {}
        proto = self.model.proto
        light = ModelProto(ir_version=max(proto.ir_version, 4), opset_import=proto.opset_import)
        light.functions.extend(proto.functions)
        graph = light.graph
        graph.name = proto.graph.name or "graph"
        graph.node.extend(self.nodes)
        for number, node in enumerate(self.nodes):
            if has_graphs(node):
                write_constants_in(graph.node[number], self._operand)
        outputs = {output.name: output for output in proto.graph.output}
        known = {name: self._declared(name) for name in self._better if name in self.dtypes}
        types = {**{name: _without_names(i) for name, i in declared.items()}, **known}
        graph.output.extend(types.get(name, ValueInfoProto(name=name)) for name in outputs)
        graph.value_info.extend(i for name, i in types.items() if name not in outputs)
        graph.input.extend(self._inputs)
        for name in {**self.tensors, **self.constants}:
            shape, dtype = self.shape(name), self.dtype(name)
            if dtype is not None and dtype.kind in "iub" and shape is not None and _count(shape) <= SMALL:
                graph.initializer.append(to_tensor(name, self.constant(name)))
            elif dtype is not None:
                graph.input.append(ValueInfoProto(name=name, type=self._type(name)))
        return light

    def _operand(self, name: str) -> TensorProto | None:
        """A constant of a few integers, such as axes and sizes are."""
        dtype = self.dtype(name) if self.is_constant(name) else None
        if dtype is None or dtype.kind not in "iub" or self.count(name) > LONGEST:
            return None
        return to_tensor(name, self.constant(name))

    def _declared(self, name: str) -> ValueInfoProto:
        """A value's type, with expressions of sizes as names."""
        return ValueInfoProto(name=name, type=self._type(name))

    def _type(self, name: str) -> TypeProto:
        return type_of(Spec(self.shape(name), self.dtype(name)), self._free.texts())

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
            self.dims[info.name] = tuple(map(self._free.size, tensor.shape.dim))

    # ---- sizes and vectors

    def _call(self, node: NodeProto) -> Call:
        names = node.input
        return Call(
            node,
            [self.vector(name) for name in names],
            [self.shape(name) for name in names],
            [self.dtype(name) for name in names],
            self.model.opset,
        )

    def _follow(self, node: NodeProto) -> bool:
        """Follow sizes through a node. Whether its outputs are constants now, so that it may go."""
        if node.domain not in ("", "ai.onnx"):
            return False
        self._refine(node)
        if not follows(node.op_type) or not any(self._may_be_vector(name) for name in node.output):
            return False
        arrays = {}
        for name, vector in zip(node.output, follow(self._call(node)), strict=False):
            dtype = self.dtype(name)
            vector = vector if vector is None or dtype is None else vector.held(dtype)
            self._vectors[name] = vector
            array = None if vector is None or dtype is None else vector.array(dtype)
            if array is not None and dtype is not None and (dtype.kind in "iub" or not self._is_fixed(node)):
                arrays[name] = array
        self.constants.update(arrays)
        return bool(arrays) and all(name in arrays for name in node.output if name)

    def _is_fixed(self, node: NodeProto) -> bool:
        return all(self.is_constant(name) for name in node.input if name)

    def _may_be_vector(self, name: str) -> bool:
        dims = self.dims.get(name)
        return dims is None or (len(dims) < 2 and _count(dims) <= LONGEST)

    def _refine(self, node: NodeProto) -> None:
        """Tell the sizes of a node's outputs better than ONNX, if they depend on values or better sizes."""
        by_values, is_better = depends_on_values(node.op_type), not self._better.isdisjoint(node.input)
        if not by_values and not is_better:
            return
        dims = [self.dims.get(name) for name in node.output]
        known = [None if d is None else self._free.resolved(d) for d in dims]
        if by_values and not all(map(_is_static, known)):
            own = result_sizes(self._call(node))
            known = [self._free.merged(d, o) for d, o in zip_longest(known, own[: len(known)])]
        if is_better and any(map(self._is_open, known)):
            known = [self._free.merged(d, o) for d, o in zip_longest(known, self._again(node)[: len(known)])]
        for name, before, after in zip(node.output, dims, known, strict=True):
            if name and after is not None and not alike(before, after):
                self.dims[name] = after
                self._better.add(name)

    def _is_open(self, dims: Dims | None) -> bool:
        return dims is None or any(map(self._free.is_open, dims))

    def _again(self, node: NodeProto) -> list[Dims | None]:
        """What ONNX infers of a node's outputs now that more is known of its inputs."""
        types = {name: self._type(name) for name in node.input if name and self.dtype(name) is not None}
        data = {n: to_tensor(n, self.constant(n)) for n in types if self._is_short(n)}
        results = inferred(node, self.model.opset, types, data)
        texts = self._free.texts()
        return [spec_of(results[name], texts.dim).shape if name in results else None for name in node.output]

    def _is_short(self, name: str) -> bool:
        return self.is_constant(name) and self.count(name) <= SMALL

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
            elif not self._better.isdisjoint(node.input):
                self._better.update(node.output)
        self.nodes = nodes
        return entered

    def _located(self, node: NodeProto) -> bool:
        try:
            return self._follow(node) or self._folded(node)
        except MXNetError as exc:
            raise located(exc, node) from None

    def _folded(self, node: NodeProto) -> bool:
        if node.domain not in ("", "ai.onnx") or not node.output:
            return False
        if node.op_type in _READ and len(node.input) == _READ_INPUTS[node.op_type]:
            value = _READ[node.op_type](self, node)
            if value is not None:
                self.add_constant(node.output[0], value, any(map(self.is_weight, node.input)))
                return True
        if not all(self.is_constant(n) for n in node.input if n) or self.is_of_integers(node):
            return False
        if any(map(self._is_matrix, node.input)):
            return False
        inputs = {name: self.constant(name) for name in node.input if name}
        results = folded(node, self.model.opset, inputs, self.model.budget)
        if results is None:
            return False
        for name, result in zip(node.output, results, strict=False):
            if name:
                self.add_constant(name, result, any(map(self.is_weight, inputs)))
        return True

    def _is_matrix(self, name: str) -> bool:
        """Whether training may change a constant of two axes or more, which then keeps its name."""
        dtype = self.dtype(name) if self.is_weight(name) else None
        return is_floating(dtype) and len(self.shape(name) or ()) > 1

    def _branch(self, node: NodeProto) -> GraphProto | None:
        """The branch that an `If` with a constant condition always takes, or that says what both say."""
        if node.op_type != "If" or plain(node.domain) or not node.input:
            return None
        if not self.is_constant(node.input[0]):
            return guarded(node, self.nodes, lambda n: self.constant(n) if self.is_constant(n) else None)
        condition = self.constant(node.input[0])
        if condition.size != 1:
            raise FormatError(
                f"{self.model.title}: If: a condition of one element is required, got {condition.shape}. "
                f"In node {short(title(node))}."
            )
        name = "then_branch" if condition.reshape(-1)[0] else "else_branch"
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


def _with_names(info: ValueInfoProto) -> ValueInfoProto:
    """An input's declaration in which every free size has a name."""
    named = ValueInfoProto()
    named.CopyFrom(info)
    for axis, dim in enumerate(named.type.tensor_type.shape.dim):
        if not dim.dim_param and (not dim.HasField("dim_value") or dim.dim_value < 0):
            dim.dim_param = f"{info.name}_{axis}"
    return named


def _without_names(info: ValueInfoProto) -> ValueInfoProto:
    """A declaration without the names of free sizes: exporters let users give any to outputs."""
    if not any(dim.dim_param for dim in info.type.tensor_type.shape.dim):
        return info
    plain_ = ValueInfoProto()
    plain_.CopyFrom(info)
    for dim in plain_.type.tensor_type.shape.dim:
        if dim.dim_param:
            dim.Clear()
    return plain_


def without_numbers(info: ValueInfoProto) -> ValueInfoProto:
    """A declaration of the element type and the number of axes alone."""
    bare = ValueInfoProto()
    bare.CopyFrom(info)
    for dim in bare.type.tensor_type.shape.dim:
        dim.Clear()
    return bare


def _is_static(dims: Dims | None) -> bool:
    return dims is not None and all(isinstance(d, int) for d in dims)


def _count(shape: Sequence[object]) -> int:
    return prod(d for d in shape if isinstance(d, int))


# ---- single nodes


def _spelled_out(node: NodeProto, opsets: Mapping[str, int]) -> NodeProto:
    """The node with every attribute that has a default: definitions take what is left out for absent."""
    present = {attribute.name for attribute in node.attribute}
    full = NodeProto()
    full.CopyFrom(node)
    domain = plain(node.domain)
    for name, attribute in defs.get_schema(node.op_type, opsets[domain], domain).attributes.items():
        if name not in present and attribute.default_value.type:
            full.attribute.append(attribute.default_value)
    return full


def _constant_node(info: ModelInfo, node: NodeProto) -> Array | None:
    if len(node.attribute) != 1:
        names = ", ".join(attribute.name for attribute in node.attribute) or "none"
        raise FormatError(f"Constant: one value is required, got {short(names)}.")
    (attribute,) = node.attribute
    if attribute.name == "value":
        return info.model.array(attribute.t)
    value = helper.get_attribute_value(attribute)
    dtype = {"value_float": "f4", "value_floats": "f4", "value_int": "i8", "value_ints": "i8"}
    if attribute.name not in dtype:
        raise ConversionError(f"Constant: MXNet has no {attribute.name}.")
    return np.array(value, dtype[attribute.name])


def _cast_like(info: ModelInfo, node: NodeProto) -> Array | None:
    dtype = info.dtype(node.input[1])
    if dtype is None or not is_native(dtype) or not info.is_constant(node.input[0]):
        return None
    return info.constant(node.input[0]).astype(dtype)


def _identity(info: ModelInfo, node: NodeProto) -> Array | None:
    return info.constant(node.input[0]) if info.is_constant(node.input[0]) else None


_READ = {"CastLike": _cast_like, "Constant": _constant_node, "Identity": _identity}
"""Operators that are constant although no input need be."""
_READ_INPUTS = {"CastLike": 2, "Constant": 0, "Identity": 1}
