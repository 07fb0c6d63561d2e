"""Quantized ONNX models: what is quantized in them, and forms of them in which that can be measured.

Where operators hand integers to each other, as QLinearConv does, the form has DequantizeLinear and
QuantizeLinear of one scale between them. That changes no number, and values there can be compared, or set.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

from hybridonnx.ops import Array

from .from_onnx import read
from .subgraphs import Names

_OUTPUT_SCALES = {
    **dict.fromkeys(("QLinearConv", "QLinearMatMul", "QLinearAdd", "QLinearMul"), 6),
    **dict.fromkeys(("QGemm", "QLinearWhere"), 7),
    **dict.fromkeys(("QLinearAveragePool", "QLinearGlobalAveragePool", "QLinearLeakyRelu"), 3),
    **dict.fromkeys(("QLinearSigmoid", "QLinearSoftmax", "QLinearReduceMean"), 3),
    "QLinearConcat": 0,
}
"""Which input is the scale of what an operator gives; the next one is the zero point."""
_WEIGHTS = {
    "DequantizeLinear": (0,),
    "QLinearConv": (3,),
    "DynamicQuantizeMatMul": (1,),
    **dict.fromkeys(("QLinearMatMul", "QLinearAdd", "QLinearMul", "QGemm"), (0, 3)),
    **dict.fromkeys(("MatMulInteger", "ConvInteger", "MatMulIntegerToFloat"), (0, 1)),
}
"""Which inputs may be quantized weights."""
_ROUNDED = ("QuantizeLinear", "DynamicQuantizeLinear", "DynamicQuantizeMatMul", "MatMulNBits")
"""Operators whose first input is rounded."""
_PACKED = "MatMulNBits"
"""The operator whose weights may be two to a byte, and which rounds its data if its products are of int8."""
_OF_INT8 = 4
_KINDS = re.compile(r"Q[A-Z]\w*|\w*[Qq]uantize\w*|\w+Integer\w*|MatMulNBits|GatherBlockQuantized")
_KNOWN = {*_OUTPUT_SCALES, *_WEIGHTS, "QuantizeLinear", "DynamicQuantizeLinear", _PACKED}
_LIMITS: dict[int, tuple[int, int]] = {
    TensorProto.INT8: (-128, 127),
    TensorProto.UINT8: (0, 255),
    TensorProto.INT16: (-32768, 32767),
    TensorProto.UINT16: (0, 65535),
    TensorProto.INT4: (-8, 7),
    TensorProto.UINT4: (0, 15),
}
_MOVED = 1 / 3
"""The part of a weight's elements that move by a step: twice what rounding does, root mean square."""


class Grid(NamedTuple):
    """The numbers that a quantized value can be."""

    scale: float
    """The step from one to the next."""
    zero: int
    """The integer that stands for 0."""
    low: int
    """The least integer."""
    high: int

    def range(self) -> tuple[float, float]:
        """The least number and the largest one."""
        return (self.low - self.zero) * self.scale, (self.high - self.zero) * self.scale

    def rounded(self, x: Array) -> Array:
        """The nearest of them to each number, in float64."""
        places = np.clip(np.rint(np.asarray(x, np.float64) / self.scale) + self.zero, self.low, self.high)
        return np.asarray((places - self.zero) * self.scale)


def is_quantized(source: str | bytes | ModelProto) -> bool:
    """Whether a model computes with quantized values."""
    return any(_KINDS.fullmatch(node.op_type) for node in read(source).proto.graph.node)


class Quantization:
    """What is quantized in a model."""

    def __init__(self, source: str | bytes | ModelProto) -> None:
        """Read a model.

        Args:
            source: The file, its bytes, or a model that is parsed already.
        """
        container = read(source, whole=True)
        self._model = model = ModelProto()
        model.CopyFrom(container.proto)
        for tensor in model.graph.initializer:
            if tensor.data_location == TensorProto.EXTERNAL:
                tensor.CopyFrom(numpy_helper.from_array(container.array(tensor), tensor.name))
        self.operators = Counter(node.op_type for node in model.graph.node if _KINDS.fullmatch(node.op_type))
        """How many nodes of each operator compute with quantized values."""
        self._tensors = {tensor.name: tensor for tensor in model.graph.initializer}
        self.added: set[str] = set()
        """The names of nodes that `model` has and the file has not."""
        self._separate()

    def unknown(self) -> list[str]:
        """The operators whose rounding `moved` knows nothing of."""
        return [name for name in self.operators if name not in _KNOWN]

    def bits(self) -> list[int]:
        """How many bits weights have."""
        sizes = {high - low for low, high in (_LIMITS[self._tensors[n].data_type] for n in self._weights())}
        return sorted({*(int(size + 1).bit_length() - 1 for size in sizes), *self._packed().values()})

    def model(self) -> ModelProto:
        """The model, with all values that are compared in it."""
        return self._model

    def grids(self) -> dict[str, Grid]:
        """The numbers that values can be: those that are dequantized, and those that all readers quantize."""
        graph = self._model.graph
        users: dict[str, list[NodeProto]] = {}
        for node in graph.node:
            for name in node.input:
                users.setdefault(name, []).append(node)
        outputs = {item.name for item in graph.output}
        rounded = {
            node.output[0] for node in graph.node if node.op_type in (*_OUTPUT_SCALES, "QuantizeLinear")
        }
        known: dict[str, Grid | None] = {}
        for node in graph.node:
            if node.op_type == "DequantizeLinear" and node.input[0] in rounded:
                known[node.output[0]] = self._grid(node)
            if node.op_type == "QuantizeLinear" and _is_alone(node.input[0], users, outputs):
                known[node.input[0]] = self._grid(node)
        return {name: grid for name, grid in known.items() if grid is not None}

    def moved(self, seed: int) -> ModelProto:
        """The model with what is rounded moved at random, by a step at most."""
        rng = np.random.default_rng(seed)
        model = ModelProto()
        model.CopyFrom(self._model)
        weights, packed = self._weights(), self._packed()
        for tensor in model.graph.initializer:
            if tensor.name in weights or tensor.name in packed:
                _move(tensor, packed.get(tensor.name, 0), rng)
        names = Names(model.graph)
        nodes = [n for node in model.graph.node for n in self._shaken(node, names, rng)]
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        return model

    # ---- the form

    def _separate(self) -> None:
        """Put floating-point numbers between operators that hand integers to each other."""
        graph = self._model.graph
        names = Names(graph)
        readers = {node.input[0]: node for node in graph.node if node.op_type == "DequantizeLinear"}
        moved = {
            node.output[0]: [*node.input[k : k + 2]]
            for node in graph.node
            if (k := _OUTPUT_SCALES.get(node.op_type, 99)) + 1 < len(node.input)
        }
        again: dict[str, str] = {}
        nodes: list[NodeProto] = []
        for node in graph.node:
            if node.op_type == "DequantizeLinear" and node.input[0] in moved:
                continue
            node.input[:] = [again.get(name, name) for name in node.input]
            nodes.append(node)
            value = node.output[0] if node.output else ""
            if value in moved:
                reader = readers.get(value)
                base = re.sub(r"_quantized$|_QuantizeLinear_Output$", "", value)
                real = names.main(base) if reader is None else reader.output[0]
                again[value] = names.main(f"{value}_again")
                by, own = moved[value], (f"{value}_real", f"{value}_again")
                self.added |= {*own}
                nodes.append(reader or helper.make_node("DequantizeLinear", [value, *by], [real], own[0]))
                nodes.append(helper.make_node("QuantizeLinear", [real, *by], [again[value]], own[1]))
        copy = GraphProto(node=nodes)
        del graph.node[:]
        graph.node.extend(copy.node)

    # ---- what is rounded

    def _grid(self, node: NodeProto) -> Grid | None:
        """The numbers of what a node rounds to, or makes real; `None` where it has several scales."""
        scale = self._tensors.get(node.input[1])
        zero = self._tensors.get(node.input[2]) if len(node.input) > 2 else None
        if scale is None or (len(node.input) > 2 and zero is None):
            return None
        step = numpy_helper.to_array(scale)
        kind = TensorProto.UINT8 if zero is None else zero.data_type
        if step.size != 1 or kind not in _LIMITS:
            return None
        place = 0 if zero is None else int(numpy_helper.to_array(zero).astype(np.int64).ravel()[0])
        return Grid(float(step.ravel()[0]), place, *_LIMITS[kind])

    def _weights(self) -> set[str]:
        """The names of initializers with quantized numbers."""
        places = (
            node.input[k]
            for node in self._model.graph.node
            for k in _WEIGHTS.get(node.op_type, ())
            if k < len(node.input)
        )
        known = {name: self._tensors[name] for name in places if name in self._tensors}
        return {name for name, tensor in known.items() if tensor.data_type in _LIMITS and tensor.dims}

    def _packed(self) -> dict[str, int]:
        """The bits of each number in initializers with packed ones."""
        nodes = [node for node in self._model.graph.node if node.op_type == _PACKED]
        return {node.input[1]: _number(node, "bits", 4) for node in nodes if node.input[1] in self._tensors}

    def _shaken(self, node: NodeProto, names: Names, rng: np.random.Generator) -> Iterator[NodeProto]:
        """A node, with what it rounds moved."""
        if node.op_type == "DequantizeLinear" and node.input[0] not in self._tensors:
            result, scale = node.output[0], node.input[1]
            node.output[0] = names.main(f"{result}_still")
            yield node
            if self._is_one(scale):
                yield from _noise(node.output[0], scale, result, names, rng)
            else:
                yield helper.make_node("Identity", [node.output[0]], [result])
            return
        is_exact = node.op_type == _PACKED and _number(node, "accuracy_level", 0) != _OF_INT8
        if node.op_type in _ROUNDED and node.input[0] not in self._tensors and not is_exact:
            x, scale = node.input[0], node.input[1] if node.op_type == "QuantizeLinear" else ""
            if not scale:
                scale = names.main(f"{x}_step")
                outputs = [names.main(f"{x}_rounded"), scale, names.main(f"{x}_zero")]
                yield helper.make_node("DynamicQuantizeLinear", [x], outputs)
            if self._is_one(scale):
                node.input[0] = names.main(f"{x}_moved")
                yield from _noise(x, scale, node.input[0], names, rng)
        yield node

    def _is_one(self, scale: str) -> bool:
        """Whether a scale is one for all elements, as those that are computed are."""
        return scale not in self._tensors or int(np.prod(self._tensors[scale].dims)) == 1


def _is_alone(value: str, users: Mapping[str, Sequence[NodeProto]], outputs: Collection[str]) -> bool:
    """Whether a value is quantized wherever it is read."""
    return value not in outputs and all(user.op_type == "QuantizeLinear" for user in users[value])


def _noise(x: str, scale: str, result: str, names: Names, rng: np.random.Generator) -> Iterator[NodeProto]:
    """Nodes that move a value by a step at most."""
    part, off = names.main(f"{x}_part"), names.main(f"{x}_off")
    seed = float(rng.integers(1 << 20))
    yield helper.make_node("RandomUniformLike", [x], [part], low=-1.0, high=1.0, seed=seed)
    yield helper.make_node("Mul", [part, scale], [off])
    yield helper.make_node("Add", [x, off], [result])


def _number(node: NodeProto, name: str, default: int) -> int:
    """An attribute that is a whole number."""
    return next((int(attribute.i) for attribute in node.attribute if attribute.name == name), default)


def _moved(values: Array, limits: tuple[int, int], rng: np.random.Generator) -> Array:
    """Integers of which a part is moved by one, within limits."""
    steps = rng.choice([-1, 0, 1], values.shape, p=[_MOVED / 2, 1 - _MOVED, _MOVED / 2])
    return np.asarray(np.clip(values + steps, *limits))


def _move(tensor: TensorProto, bits: int, rng: np.random.Generator) -> None:
    """Move a part of a tensor's integers by one. If they are packed they have so many `bits`, and else 0."""
    values = numpy_helper.to_array(tensor)
    whole = values.astype(np.int32)
    if bits:
        largest = (1 << bits) - 1
        parts = [_moved(whole >> i & largest, (0, largest), rng) << i for i in range(0, 8, bits)]
        moved = np.bitwise_or.reduce(parts)
    else:
        moved = _moved(whole, _LIMITS[tensor.data_type], rng)
    tensor.CopyFrom(numpy_helper.from_array(moved.astype(values.dtype), tensor.name))
