"""Faults planted in quantized ONNX models, one in each, that leave every shape as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, numpy_helper

from tests.parity_faults import Fault

Plant = Callable[[ModelProto, NodeProto], str | None]
"""Changes a copy of the model at a node; what it changed, `None` if it does not fit."""
_PLANTS: dict[str, Plant] = {}
_WEIGHT = {"QLinearConv": 3, "QLinearMatMul": 3, "QGemm": 3, "MatMulInteger": 1, "ConvInteger": 1}
_WEIGHT |= {"DequantizeLinear": 0}
_SCALE = {"QLinearConv": 4, "QLinearMatMul": 4, "QGemm": 4, "DequantizeLinear": 1}


def plant(function: Plant) -> Plant:
    """Add a kind of fault."""
    _PLANTS[function.__name__] = function
    return function


def faults(model: ModelProto, count: int, seed: int = 0) -> Iterator[Fault]:
    """So many faults of all kinds in turn, at nodes drawn at random."""
    rng = np.random.RandomState(seed)
    for i in range(count):
        kind, function = [*_PLANTS.items()][i % len(_PLANTS)]
        for place in rng.permutation(len(model.graph.node)):
            copy = ModelProto()
            copy.CopyFrom(model)
            what = function(copy, copy.graph.node[place])
            if what is not None:
                yield Fault(kind, what, copy, copy.graph.node[place].name)
                break


def change(model: ModelProto, name: str, function: Callable[[np.ndarray], np.ndarray]) -> str | None:
    """Change an initializer in its dtype; its name if that made a difference."""
    tensor = next((t for t in model.graph.initializer if t.name == name), None)
    if tensor is None:
        return None
    before = numpy_helper.to_array(tensor)
    after = function(before.copy())
    if before.dtype.kind in "iu":
        limits = np.iinfo(before.dtype)
        after = np.clip(after, limits.min, limits.max)
    after = after.astype(before.dtype)
    tensor.CopyFrom(numpy_helper.from_array(after, name))
    return None if np.array_equal(before, after) else name


def _weight(model: ModelProto, node: NodeProto) -> str | None:
    """The quantized weight of a node."""
    k = _WEIGHT.get(node.op_type)
    tensor = next((t for t in model.graph.initializer if k is not None and t.name == node.input[k]), None)
    is_weight = tensor is not None and tensor.data_type != TensorProto.INT32 and len(tensor.dims) > 1
    return tensor.name if tensor is not None and is_weight else None


@plant
def scale_of_a_weight(model: ModelProto, node: NodeProto) -> str | None:
    if _weight(model, node) is None or node.op_type not in _SCALE:
        return None
    return change(model, node.input[_SCALE[node.op_type]], lambda s: s * 1.3)


@plant
def zero_point_of_a_weight(model: ModelProto, node: NodeProto) -> str | None:
    if _weight(model, node) is None or node.op_type not in _SCALE:
        return None
    return change(model, node.input[_SCALE[node.op_type] + 1], lambda z: z.astype(int) + 12)


@plant
def swapped_weights(model: ModelProto, node: NodeProto) -> str | None:
    """The first half of the rows with the second half."""
    weight = _weight(model, node)
    return None if weight is None else change(model, weight, lambda w: np.roll(w, len(w) // 2, axis=0))


@plant
def turned_weight(model: ModelProto, node: NodeProto) -> str | None:
    weight = _weight(model, node)
    return None if weight is None else change(model, weight, lambda w: w[..., ::-1])


@plant
def too_small_a_scale(model: ModelProto, node: NodeProto) -> str | None:
    """Of a value and of all that reads it."""
    return change(model, node.input[1], lambda s: s / 3) if node.op_type == "QuantizeLinear" else None


@plant
def another_scale_to_dequantize(model: ModelProto, node: NodeProto) -> str | None:
    return _own_copy(model, node, 1, lambda s: s * 1.2)


@plant
def another_zero_point_to_dequantize(model: ModelProto, node: NodeProto) -> str | None:
    return _own_copy(
        model, node, 2, lambda z: np.where(z.astype(int) > 50, z.astype(int) - 20, z.astype(int) + 20)
    )


def _own_copy(
    model: ModelProto, node: NodeProto, k: int, function: Callable[[np.ndarray], np.ndarray]
) -> str | None:
    if node.op_type != "DequantizeLinear" or any(t.name == node.input[0] for t in model.graph.initializer):
        return None
    tensor = next(t for t in model.graph.initializer if t.name == node.input[k])
    copy = onnx.TensorProto()
    copy.CopyFrom(tensor)
    copy.name = node.input[k] = f"{tensor.name}_another"
    model.graph.initializer.append(copy)
    return change(model, copy.name, function)
