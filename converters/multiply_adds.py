"""How many multiplications with an addition an ONNX graph takes: those of convolutions and matrix products.

There is one rule for each operator that has them, under `@counts`; `_NONE` names those that have none. What
is in neither is named in the result, as is a node whose sizes are not known: nothing is left out silently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    inliner,
    numpy_helper,
    shape_inference,
)

from .elements import Array
from .from_onnx import short
from .inference import infer_shapes, sentence
from .inspection import Sizes, inner_graphs, operator_name, sizes_of
from .values import to_tensor

Shape: TypeAlias = tuple[int, ...]


UNKNOWN_SIZES = "its sizes are not known before it runs"
"""How the reason ends why a node is not counted whose rule lacks a size."""
_UNKNOWN_ROUNDS = "how often it runs its graph is known only when it does"


@dataclass
class Count:
    """What was counted, and what could not be."""

    by_operator: Counter[str] = field(default_factory=Counter)
    uncounted: dict[str, list[str]] = field(default_factory=dict)
    """The nodes that are left out, by the reason."""

    def add(self, other: Count, times: int = 1) -> None:
        """Add what a graph inside of a node takes each time that it runs."""
        self.by_operator.update({name: times * count for name, count in other.by_operator.items()})
        for reason, names in other.uncounted.items():
            self.uncounted.setdefault(reason, []).extend(names)

    def leave_out(self, reason: str, node: NodeProto) -> None:
        """Name a node that is not counted."""
        self.uncounted.setdefault(reason, []).append(node.name or next(iter(node.output), node.op_type))


class _UnknownError(Exception):
    """A number that a rule needs is not known before the graph runs."""


class Call:
    """A node with the sizes of what it takes and gives."""

    def __init__(self, node: NodeProto, shapes: Mapping[str, Sizes | None], constants: Mapping[str, int]):
        self.node, self._shapes, self._constants = node, shapes, constants

    def input(self, index: int) -> Shape:
        """The sizes of an input."""
        return self._sizes(self.node.input[index] if index < len(self.node.input) else "")

    def has(self, index: int) -> bool:
        """Whether there is such an input."""
        return index < len(self.node.input) and bool(self.node.input[index])

    def output(self) -> Shape:
        """The sizes of the first output."""
        return self._sizes(self.node.output[0])

    def constant(self, index: int) -> int:
        """The number that an input always is."""
        name = self.node.input[index]
        if name not in self._constants:
            raise _UnknownError(f"{self.node.op_type}: {_UNKNOWN_ROUNDS}")
        return self._constants[name]

    def attribute(self, name: str, default: Any) -> Any:
        """An attribute's value."""
        found = next((a for a in self.node.attribute if a.name == name), None)
        return default if found is None else helper.get_attribute_value(found)

    def _sizes(self, name: str) -> Shape:
        shape = self._shapes.get(name)
        if shape is None or not all(isinstance(size, int) for size in shape):
            raise _UnknownError(f"{self.node.op_type}: {UNKNOWN_SIZES}")
        return tuple(size for size in shape if isinstance(size, int))


Rule: TypeAlias = Callable[[Call], int]
_RULES: dict[str, Rule] = {}


def counts(*operators: str) -> Callable[[Rule], Rule]:
    """Say what nodes of these operators take; a domain other than ONNX's own goes before the name."""

    def register(rule: Rule) -> Rule:
        _RULES.update(dict.fromkeys(operators, rule))
        return rule

    return register


@counts("Conv", "ConvInteger", "DeformConv", "com.microsoft.FusedConv")
def _convolution(call: Call) -> int:
    return prod(call.output()) * prod(call.input(1)[1:])


@counts("QLinearConv")
def _quantized_convolution(call: Call) -> int:
    return prod(call.output()) * prod(call.input(3)[1:])


@counts("ConvTranspose")
def _transposed_convolution(call: Call) -> int:
    return prod(call.input(0)) * prod(call.input(1)[1:])


@counts("Gemm", "com.microsoft.FusedGemm", "com.microsoft.QGemm")
def _gemm(call: Call) -> int:
    return prod(call.output()) * call.input(0)[0 if call.attribute("transA", 0) else 1]


@counts("MatMul", "MatMulInteger", "QLinearMatMul", "com.microsoft.FusedMatMul")
def _matrix_product(call: Call) -> int:
    return prod(call.output()) * call.input(0)[-2 if call.attribute("transA", 0) else -1]


@counts("com.microsoft.MatMulNBits")
def _packed_matrix_product(call: Call) -> int:
    return prod(call.input(0)) * int(call.attribute("N", 0))


@counts("AffineGrid")
def _affine_grid(call: Call) -> int:
    return prod(call.output()) * call.input(0)[-1]


@counts("RNN", "GRU", "LSTM")
def _recurrence(call: Call) -> int:
    steps_and_items = prod(call.input(0)[:2])
    return steps_and_items * (prod(call.input(1)) + prod(call.input(2)))


@counts("Einsum")
def _einsum(call: Call) -> int:
    """All operands multiplied at once, as the equation says, where an order of products may take less."""
    terms = call.attribute("equation", b"").decode().replace(" ", "").partition("->")[0].split(",")
    sizes: dict[str, int] = {}
    for index, term in enumerate(terms):
        shape = call.input(index)
        before, dots, after = term.partition("...")
        count = len(shape) - len(before) - len(after) if dots else 0
        axes = [*before, *(f".{count - i}" for i in range(count)), *after]
        for axis, size in zip(axes, shape, strict=True):
            sizes[axis] = max(sizes.get(axis, size), size) if size else 0
    return prod(sizes.values()) * (len(terms) - 1)


@counts("Attention")
def _attention(call: Call) -> int:
    """Queries times keys, and the result times values, for every head of the queries."""
    q, k, v = call.input(0), call.input(1), call.input(2)
    if len(q) == 3:
        heads = call.attribute("q_num_heads", 1)
        per_head = q[2] // heads, v[2] // call.attribute("kv_num_heads", heads)
        length, keys = q[1], k[1]
    else:
        heads, length, keys = q[1], q[2], k[2]
        per_head = q[3], v[3]
    past = call.input(4)[2] if call.has(4) else 0
    return int(q[0] * heads * length * (keys + past) * sum(per_head))


_NONE = frozenset(
    """
    Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh AveragePool BatchNormalization Bernoulli
    BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow Cast CastLike Ceil Celu
    CenterCropPad Clip Col2Im Compress Concat ConcatFromSequence Constant ConstantOfShape Cos Cosh
    CumProd CumSum DepthToSpace DequantizeLinear Div Dropout DynamicQuantizeLinear Elu Equal Erf Exp
    Expand EyeLike Flatten Floor Gather GatherElements GatherND Gelu GlobalAveragePool GlobalLpPool
    GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization HammingWindow HannWindow
    HardSigmoid HardSwish Hardmax Identity ImageDecoder InstanceNormalization IsInf IsNaN LRN
    LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax LpNormalization LpPool Max MaxPool
    MaxRoiPool MaxUnpool Mean MeanVarianceNormalization MelWeightMatrix Min Mish Mod Mul Multinomial Neg
    NegativeLogLikelihoodLoss NonMaxSuppression NonZero Not OneHot Optional OptionalGetElement
    OptionalHasElement Or PRelu Pad Pow QuantizeLinear RMSNormalization RandomNormal RandomNormalLike
    RandomUniform RandomUniformLike Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp
    ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare RegexFullMatch Relu Reshape
    Resize ReverseSequence RoiAlign RotaryEmbedding Round Scatter ScatterElements ScatterND Selu
    SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength Shape Shrink
    Sigmoid Sign Sin Sinh Size Slice Softmax SoftmaxCrossEntropyLoss Softplus Softsign SpaceToDepth
    Split SplitToSequence Sqrt Squeeze StringConcat StringNormalizer StringSplit Sub Sum SwiGLU Swish
    Tan Tanh TensorScatter TfIdfVectorizer ThresholdedRelu Tile TopK Transpose Trilu Unique Unsqueeze
    Upsample Where Xor

    ai.onnx.ml.ArrayFeatureExtractor ai.onnx.ml.Binarizer ai.onnx.ml.CastMap ai.onnx.ml.CategoryMapper
    ai.onnx.ml.DictVectorizer ai.onnx.ml.FeatureVectorizer ai.onnx.ml.Imputer ai.onnx.ml.LabelEncoder
    ai.onnx.ml.Normalizer ai.onnx.ml.OneHotEncoder ai.onnx.ml.Scaler ai.onnx.ml.ZipMap

    com.microsoft.BiasGelu com.microsoft.DequantizeLinear com.microsoft.EmbedLayerNormalization
    com.microsoft.FastGelu com.microsoft.Gelu com.microsoft.QLinearAdd com.microsoft.QLinearAveragePool
    com.microsoft.QLinearConcat com.microsoft.QLinearGlobalAveragePool com.microsoft.QLinearLeakyRelu
    com.microsoft.QLinearMul com.microsoft.QLinearSigmoid com.microsoft.QLinearSoftmax
    com.microsoft.QuantizeLinear com.microsoft.QuickGelu com.microsoft.SkipLayerNormalization
    """.split()
)
"""Operators without products of matrices; what they do with single elements, and sums, is not counted."""
UNCOUNTED = frozenset("CausalConvWithState DFT Det LinearAttention STFT".split())
"""Operators of ONNX's own that have products for which there is no rule."""
_MOST_SIZES = 1024
"""Vectors that are longer are not taken for sizes."""
_RUN_GRAPHS = frozenset("If Loop Scan SequenceMap".split())


def is_read(operator: str) -> bool:
    """Whether it is known what an operator takes, or known that there is no rule."""
    return operator in _RULES or operator in _NONE or operator in UNCOUNTED or operator in _RUN_GRAPHS


def multiply_adds(
    model: ModelProto, shapes: Mapping[str, Sequence[int]], array: Callable[[TensorProto], Array]
) -> Count:
    """Count the multiply-adds of a model for inputs of these shapes.

    `array` gives the values of initializers that lie outside of the model, of which sizes may be made.
    """
    proto = ModelProto()
    proto.CopyFrom(inliner.inline_local_functions(model) if model.functions else model)
    for tensor in proto.graph.initializer:
        if tensor.data_location == TensorProto.EXTERNAL:
            tensor.CopyFrom(_without_file(tensor, array))
    if _fix(proto.graph, shapes):
        _forget_sizes(proto.graph)
    try:
        proto = infer_shapes(proto)
    except (shape_inference.InferenceError, RuntimeError, ValueError) as exc:
        return Count(uncounted={f"ONNX infers no sizes: {sentence(exc)[:_LONGEST]}": ["the whole graph"]})
    return _counted(proto.graph, {}, {})


_LONGEST = 200
"""What ONNX says is cut at so many letters."""


def _without_file(tensor: TensorProto, array: Callable[[TensorProto], Array]) -> TensorProto:
    """A tensor whose values are inside if they may be sizes, or nowhere."""
    if tensor.data_type == TensorProto.INT64 and prod(tensor.dims) <= _MOST_SIZES:
        return to_tensor(tensor.name, array(tensor))
    return TensorProto(name=tensor.name, data_type=tensor.data_type, dims=tensor.dims)


def _fix(graph: GraphProto, shapes: Mapping[str, Sequence[int]]) -> bool:
    """Give the inputs the shapes that are counted for; whether that changes any."""
    changed = False
    for info in graph.input:
        if info.name in shapes:
            changed |= sizes_of(info) != tuple(shapes[info.name])
            info.type.tensor_type.shape.Clear()
            for size in shapes[info.name]:
                info.type.tensor_type.shape.dim.add(dim_value=size)
    return changed


def _forget_sizes(graph: GraphProto) -> None:
    """Remove what a model says of results, which may be so for other sizes alone."""
    del graph.value_info[:]
    for info in graph.output:
        if info.type.HasField("tensor_type"):
            info.type.tensor_type.ClearField("shape")
    for node in graph.node:
        for _, inner in inner_graphs(node):
            del inner.value_info[:]


def _counted(graph: GraphProto, outer: Mapping[str, Sizes | None], known: Mapping[str, int]) -> Count:
    infos: list[ValueInfoProto] = [*graph.input, *graph.value_info, *graph.output]
    shapes = {**outer, **{info.name: sizes_of(info) for info in infos}}
    shapes.update({tensor.name: tuple(tensor.dims) for tensor in graph.initializer})
    constants = {**known, **_constants(graph)}
    total = Count()
    for node in graph.node:
        name = operator_name(node)
        call = Call(node, shapes, constants)
        try:
            if name in _RULES:
                total.by_operator[name] += _RULES[name](call)
            elif name in _RUN_GRAPHS:
                _add_graphs(total, call, shapes, constants)
            elif name not in _NONE:
                total.leave_out(f"{name}: there is no rule for it", node)
        except _UnknownError as exc:
            total.leave_out(str(exc), node)
        except (ArithmeticError, LookupError, TypeError, ValueError):  # sizes of fewer axes, or none
            total.leave_out(f"{short(name)}: its inputs do not fit it", node)
    return total


def _constants(graph: GraphProto) -> dict[str, int]:
    """The single whole numbers of a graph by name."""
    tensors = {t.name: t for t in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].name == "value":
            tensors[node.output[0]] = node.attribute[0].t
    singles = {name: t for name, t in tensors.items() if prod(t.dims) == 1 and t.data_type == t.INT64}
    result = {}
    for name, tensor in singles.items():
        with suppress(TypeError, ValueError):  # it has other elements than its sizes say
            result[name] = int(numpy_helper.to_array(tensor).item())
    return result


def _add_graphs(
    total: Count, call: Call, shapes: Mapping[str, Sizes | None], constants: Mapping[str, int]
) -> None:
    """Add what the graphs inside of a node take: a loop's as often as it runs, of branches the dearer one."""
    parts = [_counted(graph, shapes, constants) for _, graph in inner_graphs(call.node)]
    parts.sort(key=lambda part: part.by_operator.total(), reverse=True)
    for part in parts[1:]:
        part.by_operator.clear()
    for part in parts:
        costs = any(part.by_operator.values())
        total.add(part, _rounds(call) if costs else 1)


def _rounds(call: Call) -> int:
    """How often a node runs its graph; at most, where the graph may end it."""
    if call.node.op_type == "If":
        return 1
    if call.node.op_type == "Loop" and call.has(0):
        return call.constant(0)
    if call.node.op_type == "Scan":
        first = len(call.node.input) - call.attribute("num_scan_inputs", 1)
        axes = call.attribute("scan_input_axes", [0])
        return call.input(first)[axes[0]]
    raise _UnknownError(f"{call.node.op_type}: {_UNKNOWN_ROUNDS}")
