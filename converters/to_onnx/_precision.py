"""Graphs in half precision: which operators compute in float16, and the casts between them and the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from hybridonnx.attrs import text
from hybridonnx.dtypes import DType, float32
from hybridonnx.errors import ConversionError, suggest
from hybridonnx.ops import Operator, Spec
from hybridonnx.symbol.compose import Outputs
from hybridonnx.symbol.graph import Entry, Node, copy, entry_name
from hybridonnx.symbol.infer import Specs, infer

from ..elements import Array
from ._walk import needed

Precision: TypeAlias = Literal["float32", "mixed", "float16"]

_HALVED = frozenset(
    "Convolution Deconvolution Embedding FullyConnected RNN _rnn_param_concat batch_dot dot".split()
)
"""Operators whose time is spent on products or on reading weights: they compute in float16 whatever comes."""
_NEUTRAL = frozenset(
    "Activation BatchNorm BlockGrad Concat Crop Dropout Flatten LeakyReLU Pad Pooling Reshape "
    "SequenceLast SequenceMask SequenceReverse SliceChannel SwapAxis UpSampling "
    "_contrib_AdaptiveAvgPooling2D _contrib_BilinearResize2D _contrib_div_sqrt_dim _copy _div_scalar "
    "_maximum _maximum_scalar _minimum _minimum_scalar _minus_scalar _mul_scalar _plus_scalar "
    "_rminus_scalar _split_v2 abs add_n broadcast_add broadcast_axis broadcast_like broadcast_maximum "
    "broadcast_minimum broadcast_mul broadcast_sub broadcast_to clip depth_to_space elemwise_add "
    "elemwise_mul elemwise_sub expand_dims hard_sigmoid max min negative ones_like pick relu repeat "
    "reshape_like reverse sigmoid slice slice_axis slice_like space_to_depth squeeze stack take tanh tile "
    "transpose where zeros_like".split()
)
"""Operators that compute in the type of what they read."""
_ROUNDING = frozenset(
    "GroupNorm InstanceNorm L2Normalization LRN LayerNorm SoftmaxActivation SoftmaxOutput _power_scalar "
    "_rdiv_scalar broadcast_div elemwise_div erf exp log_softmax mean norm reciprocal rsqrt softmax softmin "
    "sqrt square sum".split()
)
"""Operators whose sums or ranges suffer from float16: `mixed` leaves them in float32."""
_EXACT_INPUTS = {
    "BatchNorm": (1, 2, 3, 4),
    "Embedding": (0,),
    "SequenceLast": (1,),
    "SequenceMask": (1,),
    "SequenceReverse": (1,),
    "pick": (1,),
    "softmax": (1,),
    "take": (1,),
    "where": (0,),
}
"""Inputs that are statistics, indices, lengths or conditions: float16 counts to 2,048 only."""
_float16 = np.dtype("float16")
_LARGEST, _SMALLEST = float(np.finfo(np.float16).max), 6e-8


def reduced(
    symbol: Outputs,
    inputs: Mapping[str, Spec],
    params: Mapping[str, Array],
    precision: Precision,
    keep: Collection[str] = (),
) -> tuple[Outputs, dict[str, Array]]:
    """A graph that computes in float16 where that is asked for, and its parameters.

    The outputs keep their types. Nodes whose names or operators are in `keep` stay in float32, and so do
    those whose parameters or scalars float16 does not hold.
    """
    if precision not in get_args(Precision):
        raise ConversionError(
            f"export_model: precision must be one of {', '.join(get_args(Precision))}, got {precision!r}."
        )
    nodes = needed(symbol.outputs, False)
    _require_known(keep, nodes)
    if precision == "float32":
        return symbol, dict(params)
    known = {name: Spec(array.shape, array.dtype) for name, array in params.items()}
    specs = infer(symbol, {**known, **inputs}, partial=True)
    reduction = _Reduction(specs, params, _NEUTRAL | (_ROUNDING if precision == "float16" else frozenset()))
    reduction.decide(nodes, keep)
    return reduction.graph(nodes, symbol.outputs), reduction.parameters()


def _require_known(keep: Collection[str], nodes: Sequence[Node]) -> None:
    names = {name for node in nodes if not node.is_variable for name in (node.name, node.op_name)}
    for name in keep:
        if name not in names:
            raise ConversionError(
                f"export_model: keep must name nodes or operators of the graph, got {name!r}."
                f"{suggest(name, names)}"
            )


class _Reduction:
    """The types of a graph's values, decided node by node, and then the graph with these types."""

    def __init__(self, specs: Specs, params: Mapping[str, Array], neutral: frozenset[str]) -> None:
        self._specs, self._params, self._neutral = specs, params, neutral
        self._dtypes: dict[Entry, DType | None] = {entry: spec.dtype for entry, spec in specs.items()}
        self._reads: dict[Node, list[DType | None]] = {}
        """The types in which each node reads its inputs."""
        self._readers: dict[Entry, list[tuple[Node, int]]] = {}
        self._constants: dict[Node, None] = {}
        """The neutral nodes that read parameters alone, which compute in what is read of them."""
        self._casts: dict[tuple[Entry, DType], Entry] = {}
        self._copies: dict[Node, Node] = {}

    # ---- what each node computes in

    def decide(self, nodes: Sequence[Node], keep: Collection[str]) -> None:
        """Choose the types that the nodes read and give: first those of data, then those of constants."""
        operators = [node for node in nodes if not node.is_variable]
        for node in operators:
            for i, entry in enumerate(node.inputs):
                self._readers.setdefault(entry, []).append((node, i))
        for node in operators:
            is_open = node.name not in keep and node.op_name not in keep
            if is_open and node.op.names[0] in self._neutral and all(map(self._is_constant, node.inputs)):
                self._constants[node] = None
            else:
                self._compute(node, is_open and self._may_be_half(node))
        for node in reversed(self._constants):
            types = {dtype for i in range(node.count()) for dtype in self._types_read(Entry(node, i))}
            self._compute(node, types == {_float16} and self._fits(node))

    def _compute(self, node: Node, is_half: bool) -> None:
        op: Operator = node.op.in_mode(False)
        dtype = _float16 if is_half else float32
        exact = _EXACT_INPUTS.get(op.names[0], ()) if is_half else ()
        reads = [
            dtype if self._specs[entry].dtype == float32 and i not in exact else self._dtypes[entry]
            for i, entry in enumerate(node.inputs)
        ]
        self._reads[node] = reads
        results = op.infer_dtype(*reads)
        for i in range(node.count()):
            self._dtypes[Entry(node, i)] = results[i] if isinstance(results, list) else results

    def _may_be_half(self, node: Node) -> bool:
        """Whether an operator that takes float16 reads only that, or is one that is to compute in it."""
        name = node.op.names[0]
        exact = _EXACT_INPUTS.get(name, ())
        entries = [entry for i, entry in enumerate(node.inputs) if i not in exact]
        if any(self._specs[entry].dtype != float32 for entry in entries):
            return False
        data = [self._dtypes[entry] for entry in entries if not self._is_constant(entry)]
        follows = name in self._neutral and bool(data) and set(data) == {_float16}
        return (name in _HALVED or follows) and self._fits(node)

    def _fits(self, node: Node) -> bool:
        """Whether float16 holds what the node has of constants."""
        scalar = abs(float(getattr(node.op, "scalar", 0.0)))
        if scalar > _LARGEST or 0 < scalar < _SMALLEST:
            return False
        arrays = [self._params[entry.node.name] for entry in node.inputs if self._is_parameter(entry)]
        return all(not a.size or a.dtype != float32 or np.abs(a).max() <= _LARGEST for a in arrays)

    def _is_parameter(self, entry: Entry) -> bool:
        return entry.node.is_variable and entry.node.name in self._params

    def _is_constant(self, entry: Entry) -> bool:
        return self._is_parameter(entry) or entry.node in self._constants

    def _types_read(self, entry: Entry) -> set[DType | None]:
        """The types in which nodes read a value."""
        return {self._reads[node][i] for node, i in self._readers.get(entry, ()) if node in self._reads}

    # ---- the graph

    def parameters(self) -> dict[str, Array]:
        """The parameters in the types that the nodes read; in float32 if not all read float16."""
        halved = self._halved()
        return {n: array.astype(_float16) if n in halved else array for n, array in self._params.items()}

    def _halved(self) -> set[str]:
        return {
            entry.node.name
            for entry in self._readers
            if self._is_parameter(entry) and self._types_read(entry) == {_float16}
        }

    def graph(self, nodes: Sequence[Node], outputs: Sequence[Entry]) -> Outputs:
        """The graph with casts where a node reads another type than there is."""
        halved = self._halved()
        for node in nodes:
            if node.is_variable:
                self._copies[node] = node
                if node.name in halved:
                    self._dtypes[Entry(node, 0)] = _float16
            else:
                pairs = zip(node.inputs, self._reads[node], strict=True)
                self._copies[node] = copy(node, [self._cast(entry, dtype) for entry, dtype in pairs])
        return Outputs([self._cast(entry, self._specs[entry].dtype) for entry in outputs])

    def _cast(self, entry: Entry, dtype: DType | None) -> Entry:
        if entry.node not in self._copies:  # a label, which only training reads
            return entry
        moved = Entry(self._copies[entry.node], entry.output)
        if dtype is None or self._dtypes[entry] == dtype or self._specs[entry].dtype != float32:
            return moved
        if (entry, dtype) not in self._casts:
            attrs: dict[str, Any] = {"dtype": text(dtype)}
            node = Node("Cast", f"{entry_name(entry)}_{dtype.name}", attrs, [moved])
            self._casts[entry, dtype] = Entry(node, 0)
        return self._casts[entry, dtype]
