"""Networks of the zoo, and faults planted in ONNX models, one in each, that leave every shape as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import onnx
import onnxruntime as ort
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

import hybridonnx as mx
from hybridonnx import gluon
from hybridonnx.gluon.model_zoo import vision

ZOO = {
    "alexnet": 67,
    "densenet": 224,
    "mobilenet0.25": 64,
    "mobilenetv2_0.25": 64,
    "resnet18_v1": 64,
    "resnet18_v2": 64,
    "resnet50_v1": 64,
    "resnet50_v2": 64,
    "squeezenet1.1": 224,
    "vgg11_bn": 64,
}
"""Networks, and the size of their images."""


def zoo(name: str) -> tuple[gluon.HybridBlock, np.ndarray]:
    """A network of the zoo with values that keep signals at their size, and an input."""
    rng = np.random.RandomState(0)
    if name == "densenet":  # a narrow one: windows of its last pooling need the large images
        net: gluon.HybridBlock = vision.DenseNet(16, 8, [2, 4, 6, 4], classes=10)
    else:
        net = vision.get_model(name, classes=10)
    net.initialize(mx.init.MSRAPrelu())
    x = rng.standard_normal((1, 3, ZOO[name], ZOO[name])).astype("float32")
    net.hybridize()
    net(mx.nd.array(x))
    for key, param in net.collect_params().items():
        if key.endswith(("gamma", "running_var")):
            param.set_data(mx.nd.array(rng.uniform(0.5, 1.5, param.shape)))
        elif key.endswith(("beta", "running_mean", "bias")):
            param.set_data(mx.nd.array(rng.normal(0, 0.2, param.shape)))
    return net, x


class Fault(NamedTuple):
    """A model with one fault."""

    kind: str
    value: str
    """The first value that is wrong."""
    model: ModelProto
    node: str
    """A node between the values before it and that one: its name, or its operator without one."""


def shows(right: ModelProto, fault: Fault, x: np.ndarray) -> bool:
    """Whether the first value that is wrong is another one: it is not where a weight meets nothing but 0."""
    return not np.array_equal(_value(right, fault.value, x), _value(fault.model, fault.value, x))


def _value(model: ModelProto, name: str, x: np.ndarray) -> np.ndarray:
    """A value inside of a model, in ONNX Runtime."""
    copy = ModelProto()
    copy.CopyFrom(model)
    if name not in {output.name for output in copy.graph.output}:
        copy.graph.output.add(name=name)
    session = ort.InferenceSession(copy.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run([name], {session.get_inputs()[0].name: x})[0])


Plant = Callable[[ModelProto, int, np.random.RandomState], str | None]
"""Changes a copy of the model at a node; the name of the first wrong value, `None` if it does not fit."""

_PLANTS: dict[str, Plant] = {}


def plant(function: Plant) -> Plant:
    """Add a kind of fault."""
    _PLANTS[function.__name__] = function
    return function


def faults(model: ModelProto, count: int, seed: int = 0) -> Iterator[Fault]:
    """So many faults, of all kinds in turn, at nodes drawn at random."""
    rng = np.random.RandomState(seed)
    kinds = list(_PLANTS)
    done, tries = 0, 0
    while done < count and tries < 100 * count:
        kind = kinds[tries % len(kinds)]
        tries += 1
        order = rng.permutation(len(model.graph.node))
        for i in order[:60]:
            copy = ModelProto()
            copy.CopyFrom(model)
            value = _PLANTS[kind](copy, int(i), rng)
            if value is not None:
                done += 1
                maker = next(node for node in copy.graph.node if value in node.output)
                yield Fault(kind, value, copy, maker.op_type)
                break


# ---- weights


def _weight(model: ModelProto, name: str) -> TensorProto | None:
    return next((t for t in model.graph.initializer if t.name == name), None)


def _change(model: ModelProto, name: str, change: Callable[[np.ndarray], np.ndarray], least: int = 2) -> bool:
    tensor = _weight(model, name)
    if tensor is None or tensor.data_type not in (TensorProto.FLOAT, TensorProto.FLOAT16):
        return False
    array = numpy_helper.to_array(tensor).copy()
    if array.size < least or not array.any():
        return False
    tensor.CopyFrom(numpy_helper.from_array(change(array).astype(array.dtype), name))
    return True


def _heavy(node: NodeProto) -> bool:
    return node.op_type in ("Conv", "Gemm", "MatMul", "ConvTranspose")


@plant
def weight_larger_by_a_hundredth(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    return node.output[0] if _heavy(node) and _change(model, node.input[1], lambda w: w * 1.01) else None


@plant
def one_element_of_a_weight(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    def change(w: np.ndarray) -> np.ndarray:
        w.reshape(-1)[np.abs(w).argmax()] *= 1.01
        return w

    node = model.graph.node[i]
    return node.output[0] if _heavy(node) and _change(model, node.input[1], change) else None


@plant
def transposed_kernel(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    if node.op_type != "Conv":
        return None
    tensor = _weight(model, node.input[1])
    if tensor is None or len(tensor.dims) != 4 or tensor.dims[2] != tensor.dims[3] or tensor.dims[2] < 2:
        return None
    return node.output[0] if _change(model, node.input[1], lambda w: w.transpose(0, 1, 3, 2)) else None


@plant
def bias(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    if node.op_type not in ("Conv", "Gemm", "BatchNormalization") or len(node.input) < 3:
        return None
    changed = _change(model, node.input[2], lambda b: b * 1.01)
    return node.output[0] if changed else None


@plant
def scale(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    changed = node.op_type == "BatchNormalization" and _change(model, node.input[1], lambda x: x * 0.99)
    return node.output[0] if changed else None


@plant
def swapped_channels(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    def change(x: np.ndarray) -> np.ndarray:
        x[[0, 1]] = x[[1, 0]]
        return x

    node = model.graph.node[i]
    fits = node.op_type == "BatchNormalization"
    return node.output[0] if fits and _change(model, node.input[3], change) else None


# ---- attributes


def _attribute(node: NodeProto, name: str) -> onnx.AttributeProto | None:
    return next((a for a in node.attribute if a.name == name), None)


@plant
def epsilon(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    attribute = _attribute(node, "epsilon")
    if attribute is None:
        return None
    attribute.f = attribute.f * 10
    return node.output[0]


@plant
def pads_off_by_one(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    attribute = _attribute(node, "pads")
    if node.op_type not in ("Conv", "AveragePool") or attribute is None or not attribute.ints[0]:
        return None
    half = len(attribute.ints) // 2
    attribute.ints[0] -= 1
    attribute.ints[half] += 1
    return node.output[0]


@plant
def kind_of_pooling(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    other = {"GlobalAveragePool": "GlobalMaxPool", "MaxPool": "AveragePool", "AveragePool": "MaxPool"}
    if node.op_type not in other:
        return None
    node.op_type = other[node.op_type]
    for name in ("count_include_pad", "storage_order", "dilations"):
        attribute = _attribute(node, name)
        if attribute is not None:
            node.attribute.remove(attribute)
    return node.output[0]


@plant
def kind_of_activation(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    if node.op_type != "Relu":
        return None
    node.op_type = "LeakyRelu"
    node.attribute.append(helper.make_attribute("alpha", 0.01))
    return node.output[0]


@plant
def bound_of_clip(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    if node.op_type != "Clip" or len(node.input) < 3:
        return None
    model.graph.initializer.append(numpy_helper.from_array(np.float32(0.9), "another_bound"))
    node.input[2] = "another_bound"
    return node.output[0]


# ---- the graph


@plant
def swapped_inputs(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    if node.op_type not in ("Concat", "Sub", "Div") or len(node.input) < 2:
        return None
    shapes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in _inferred(model)}
    first, second = node.input[0], node.input[1]
    if shapes.get(first) != shapes.get(second) or first == second:
        return None
    node.input[0], node.input[1] = second, first
    return node.output[0]


def _inferred(model: ModelProto) -> list[onnx.ValueInfoProto]:
    graph = onnx.shape_inference.infer_shapes(model).graph
    return [*graph.value_info, *graph.input, *graph.output]


@plant
def missing_residual(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    weights = {t.name for t in model.graph.initializer}
    if node.op_type != "Add" or weights.intersection(node.input):
        return None
    node.op_type = "Identity"
    del node.input[1:]
    return node.output[0]


@plant
def missing_activation(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    if node.op_type not in ("Relu", "Sigmoid", "Clip"):
        return None
    node.op_type = "Identity"
    del node.input[1:], node.attribute[:]
    return node.output[0]


@plant
def rows_for_columns(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    if node.op_type not in ("Relu", "BatchNormalization"):
        return None
    inner = helper.make_node("Transpose", [node.input[0]], ["turned"], name="turn", perm=[0, 1, 3, 2])
    shapes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in _inferred(model)}
    shape = shapes.get(node.input[0], [])
    if len(shape) != 4 or shape[2] != shape[3] or shape[2] < 2:
        return None
    node.input[0] = "turned"
    model.graph.node.insert(i, inner)
    return model.graph.node[i + 1].output[0]


@plant
def half_precision(model: ModelProto, i: int, rng: np.random.RandomState) -> str | None:
    node = model.graph.node[i]
    if not (_heavy(node) or node.op_type in ("Add", "BatchNormalization")):
        return None
    value = node.output[0]
    dtypes = {v.name: v.type.tensor_type.elem_type for v in _inferred(model)}
    if value in {output.name for output in model.graph.output} or dtypes.get(value) == TensorProto.FLOAT16:
        return None
    node.output[0] = f"{value}_before"
    casts = [
        helper.make_node(
            "Cast", [f"{value}_before"], [f"{value}_half"], name="to_half", to=TensorProto.FLOAT16
        ),
        helper.make_node("Cast", [f"{value}_half"], [value], name="from_half", to=TensorProto.FLOAT),
    ]
    for k, cast in enumerate(casts):
        model.graph.node.insert(i + 1 + k, cast)
    return value
