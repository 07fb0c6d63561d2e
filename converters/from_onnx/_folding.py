"""What single nodes give for constants, as far as a model may ask for that much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

import numpy as np
from onnx import (
    AttributeProto,
    NodeProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
    checker,
    helper,
    shape_inference,
)

from hybridonnx.errors import ConversionError

from ..elements import Array, elem_type
from ..opsets import signature
from ..values import dtype_of_type, to_tensor, value_info

SMALL = 4096
"""Constants up to this many elements take part in shape inference with their values."""
_BYTES = 32 << 20
_TIMES = 8
"""What all constants that are folded may take together, and how many times the files themselves more."""
_WORK = 1 << 31
"""About how many multiplications all of them together may take."""
_SLOW = 4096
"""How many multiplications an element takes where ONNX's reference has a loop in Python."""

_FAST = frozenset(
    """
    Abs Acos Acosh Add And Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor
    Cast CastLike Ceil Clip Compress Concat Constant ConstantOfShape Cos Cosh CumSum DepthToSpace
    DequantizeLinear Div DynamicQuantizeLinear Equal Erf Exp Expand EyeLike Flatten Floor Gather
    GatherElements GatherND Greater GreaterOrEqual Identity IsInf IsNaN Less LessOrEqual Log Max
    Mean Min Mod Mul Neg NonZero Not OneHot Or Pad Pow QuantizeLinear Range Reciprocal ReduceL1
    ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
    ReduceSumSquare Relu Reshape Round Shape Sigmoid Sign Sin Sinh Size Slice Softmax SpaceToDepth
    Split Sqrt Squeeze Sub Sum Tan Tanh Tile Transpose Trilu Unique Unsqueeze Where Xor
    """.split()
)
"""Operators that NumPy computes at once."""
_BY_INPUTS = frozenset({"Compress", "NonMaxSuppression", "NonZero", "StringSplit", "Unique"})
"""Operators whose results depend on values, and are at most as large as the inputs, once for each axis."""
_PRODUCTS = frozenset({"Einsum", "Gemm", "MatMul", "MatMulInteger", "QLinearMatMul"})
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


class Budget:
    """What is left of the memory and the time that a model may ask for before it runs."""

    def __init__(self, size: int) -> None:
        """Take the bytes of the model itself."""
        self._bytes, self._work = _BYTES + _TIMES * size, _WORK + _TIMES * size
        self._files: set[Path] = set()

    def add_file(self, path: Path, size: int) -> None:
        """Take the bytes of a file beside the model, once."""
        if path not in self._files:
            self._files.add(path)
            self._bytes += _TIMES * size
            self._work += _TIMES * size

    def takes(self, size: int, work: int) -> bool:
        """Whether there is enough for so many bytes and multiplications, which are gone then."""
        if size > self._bytes or work > self._work:
            return False
        self._bytes -= size
        self._work -= work
        return True


def folded(node: NodeProto, opset: int, inputs: Mapping[str, Array], budget: Budget) -> list[Array] | None:
    """The outputs of one node for constants.

    Args:
        node: The node, of ONNX's own domain.
        opset: The model's.
        inputs: The values of all its inputs.
        budget: What the model may ask for.

    Returns:
        An array for each output; `None` for what ONNX's reference lacks, what is drawn, and what takes too
        much: that stays a node.
    """
    if node.op_type in _DRAWING or has_graphs(node):
        return None
    cost = _cost(node, opset, inputs)
    return evaluate(node, opset, inputs) if cost is not None and budget.takes(*cost) else None


def has_graphs(node: NodeProto) -> bool:
    """Whether there are graphs inside of a node."""
    return any(a.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for a in node.attribute)


def _cost(node: NodeProto, opset: int, inputs: Mapping[str, Array]) -> tuple[int, int] | None:
    """The bytes of a node's outputs, and about how many multiplications these take; `None` if unknown."""
    types = {name: type_of_array(array) for name, array in inputs.items()}
    data = {n: to_tensor(n, a) for n, a in inputs.items() if a.size <= SMALL}
    results = inferred(node, opset, types, data)
    sizes, count = [array.size for array in inputs.values()], 0
    size = 0
    for name in filter(None, node.output):
        elements = _elements(results.get(name))
        if elements is None and node.op_type in _BY_INPUTS:
            elements = sum(array.size * max(array.ndim, 1) for array in inputs.values())
        if elements is None:
            return None
        dtype = dtype_of_type(results[name]) if name in results else None
        size += elements * (8 if dtype is None else max(dtype.itemsize, 1))
        count += elements
    everything = count + sum(sizes)
    if node.op_type in _PRODUCTS:
        return size, everything + int(np.sqrt(float(count) * float(prod(sorted(sizes)[-2:]))))
    return size, everything if node.op_type in _FAST else everything * _SLOW


def _elements(result: TypeProto | None) -> int | None:
    """How many elements a value has, `None` where a size is unknown."""
    if result is None or not result.tensor_type.HasField("shape"):
        return None
    dims = result.tensor_type.shape.dim
    return prod(d.dim_value for d in dims) if all(d.HasField("dim_value") for d in dims) else None


def inferred(
    node: NodeProto, opset: int, types: dict[str, TypeProto], data: dict[str, TensorProto]
) -> dict[str, TypeProto]:
    """What ONNX infers of the outputs of one node; nothing if it cannot, as for inputs without a type."""
    if not types.keys() >= set(filter(None, node.input)):
        return {}
    try:
        schema = signature(node.op_type, opset).schema
        results: dict[str, TypeProto] = shape_inference.infer_node_outputs(
            schema, node, types, data, opset_imports=[helper.make_opsetid("", opset)], ir_version=8
        )
    except (ConversionError, shape_inference.InferenceError, checker.ValidationError, RuntimeError):
        return {}  # whoever needs the node reports it
    return results


def type_of_array(array: Array) -> TypeProto:
    """An array's type in ONNX."""
    proto: TypeProto = helper.make_tensor_type_proto(elem_type(array.dtype), array.shape)
    return proto


def evaluate(node: NodeProto, opset: int, inputs: Mapping[str, Array]) -> list[Array] | None:
    """The outputs of one node by ONNX's own reference implementation, `None` if it has none."""
    from onnx.reference import ReferenceEvaluator  # which takes a while to load

    names: Sequence[str] = [name for name in node.output if name]
    declared = [value_info(name, array.dtype, array.shape) for name, array in inputs.items()]
    graph = helper.make_graph([node], "node", declared, [ValueInfoProto(name=name) for name in names])
    try:
        with np.errstate(all="ignore"):  # infinities and NaN are results like others
            outputs = ReferenceEvaluator(graph, opsets={"": opset}).run(None, dict(inputs))
    except (
        *(ArithmeticError, AttributeError, ImportError, LookupError, MemoryError),
        *(RuntimeError, TypeError, ValueError),
    ):
        return None  # the import function may know more
    if any(value is None or isinstance(value, list | dict) for value in outputs):
        return None  # no arrays: a sequence would become one of a further axis
    by_name = dict(zip(names, map(np.asarray, outputs), strict=True))
    return [by_name.get(name, np.empty(0)) for name in node.output]
