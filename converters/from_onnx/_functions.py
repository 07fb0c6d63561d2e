"""`F` of the import functions: every function of `sym`, and what is known statically of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import NodeProto, helper

from hybridonnx.dtypes import DType, as_dtype, container_of, is_floating
from hybridonnx.errors import ConversionError, DTypeError
from hybridonnx.ops import NumericShape, Spec, SymbolicDim, onnx_name
from hybridonnx.symbol import everything
from hybridonnx.symbol.declared import CONSTANT
from hybridonnx.symbol.graph import VARIABLE, Entry, Node
from hybridonnx.symbol.infer import NO_AXES
from hybridonnx.symbol.symbol import Broadcasting

from ..elements import Array
from ..onnx_nodes import text_of
from ._inner import Known
from ._model_info import Dims, ModelInfo
from ._native import declaration
from ._places import title
from ._vectors import Size, Vector


class Functions:
    """What import functions get as `F`.

    `F.<operator>(…)` makes a symbol, arithmetic on symbols broadcasts. Of a symbol `x` `F.shape(x)` and
    `F.dtype(x)` tell what is known, and `F.value(x)` the NumPy array if it is constant.
    """

    def __init__(self, info: ModelInfo) -> None:
        self._info = info
        self._specs: dict[Entry, Spec] = {}
        self._inferred: dict[tuple[int, tuple[Spec, ...]], tuple[object, tuple[Spec, ...]]] = {}
        """What operators gave for inputs: networks repeat their layers."""
        self._names: dict[Entry, str] = {}
        """The ONNX values that entries stand for."""
        self._entries: dict[str, Entry] = {}
        """What stands for ONNX values."""
        self.arrays: dict[str, Array] = {}
        """The values of the variables that stand for constants."""
        self._node: NodeProto | None = None
        self._variables: dict[str, Broadcasting] = {}
        self.rulers: dict[str, Broadcasting] = {}
        """By their texts, sizes that arrays were made for."""
        self._holders: dict[str, tuple[Broadcasting, int]] = {}
        """By the texts of free sizes, values that have them."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(everything.F, name)
        setattr(self, name, function)
        return function

    # ---- what is known

    def shape(self, x: Broadcasting) -> NumericShape | None:
        """The sizes of a value, `None` for each unknown one, or `None` if even the rank is unknown."""
        dims = self.dims(x)
        return None if dims is None else tuple(d if isinstance(d, int) else None for d in dims)

    def dims(self, x: Broadcasting) -> Dims | None:
        """Like `shape`, with expressions of the model's free sizes: compare them by `same`."""
        (entry,) = x.outputs
        known = self._info.shape(self._names[entry]) if entry in self._names else None
        shape = self.spec(entry).shape
        if known is None or shape is None or len(known) != len(shape):
            return shape if shape is not None else known
        return tuple(a if isinstance(a, int) or b is None else b for a, b in zip(shape, known, strict=True))

    def rank(self, x: Broadcasting) -> int:
        """The number of axes; a `ConversionError` if it is unknown."""
        shape = self.shape(x)
        if shape is None:
            raise ConversionError("a value of known rank is required. Give the inputs' shapes in the model.")
        return len(shape)

    def dtype(self, x: Broadcasting) -> DType | None:
        """The dtype that the symbol has, if it is known."""
        return self.spec(x.outputs[0]).dtype

    def known(self, x: Broadcasting) -> Known:
        """What ONNX infers of an input of the node."""
        name = self._names[x.outputs[0]]
        return Known(self.dims(x), self._info.dtype(name))

    def name(self, x: Broadcasting) -> str:
        """What the model calls a value, or nothing."""
        return self._names.get(x.outputs[0], "")

    def is_of_integers(self) -> bool:
        """Whether the node tells engines that they may compute on integers, and has to stay for that."""
        return self._node is not None and self._info.is_of_integers(self._node)

    def named(self, name: str) -> Broadcasting | None:
        """The value that the model calls so, if it was computed before."""
        if name not in self._entries and self._info.is_constant(name):
            return self.constant(name)
        entry = self._entries.get(name)
        return None if entry is None else Broadcasting([entry])

    def value(self, x: Any) -> Array | None:
        """The array that a value is in every run, `None` if it is computed."""
        name = self._names.get(x.outputs[0])
        if name is None or not self._info.is_constant(name):
            return None
        return self._info.constant(name)

    def operand(self, x: Any) -> Vector | None:
        """What is known of the values of a small vector or number: numbers, and expressions of free sizes."""
        name = self._names.get(x.outputs[0])
        return None if name is None else self._info.vector(name)

    def holder(self, size: SymbolicDim) -> tuple[Broadcasting, int] | None:
        """A value that has a free size, and the axis; `None` if no value before the node has it."""
        return self._holders.get(size.text)

    def depends_on_values(self, size: Size | None) -> bool:
        """Whether the sizes of the inputs do not tell a size."""
        return self._info.depends_on_values(size)

    def result(self, i: int = 0) -> Dims | None:
        """What is known of the shape of the node's `i`-th output."""
        outputs = () if self._node is None else self._node.output
        return self._info.shape(outputs[i]) if i < len(outputs) else None

    def result_dtype(self, i: int = 0) -> DType | None:
        """What ONNX infers of the dtype of the node's `i`-th output."""
        outputs = () if self._node is None else self._node.output
        return self._info.dtype(outputs[i]) if i < len(outputs) else None

    def not_tensors(self) -> list[str]:
        """The names of the node's inputs and outputs that are sequences or optionals."""
        names = () if self._node is None else (*self._node.input, *self._node.output)
        return [name for name in names if name in self._info.others]

    def outputs(self) -> int:
        """How many outputs the node has."""
        return 0 if self._node is None else len(self._node.output)

    def const(self, value: Any, dtype: Any = None) -> Broadcasting:
        """A constant that the model does not have, as a new parameter, which does not train."""
        owner = "const" if self._node is None else title(self._node)
        name = self._info.names.new(f"{owner}_const")
        self._info.add_constant(name, np.asarray(value, dtype))
        return self.constant(name)

    def fits(self, count: int, dtype: DType) -> bool:
        """Whether the model may ask for so many elements before it runs; they are taken from what is left."""
        return self._info.model.budget.takes(count * dtype.itemsize, count)

    def node(self, op_type: str, *inputs: Broadcasting, **attributes: Any) -> Broadcasting:
        """A node of ONNX's own, of the model's opset, with one output: that of the node that is imported."""
        names = [f"x{i}" for i in range(len(inputs))]
        proto = helper.make_node(op_type, names, ["y"], **attributes)
        output = declaration(self._info, "" if self._node is None else self._node.output[0])
        output.name = "y"
        text = text_of(proto, names, (), [output], self._info.model.opsets)
        function = getattr(self, onnx_name(op_type))
        result: Broadcasting = function(*inputs, model=text, num_args=len(inputs), num_outputs=1)
        return result

    def weight(self, role: str, value: Array) -> Broadcasting:
        """A new parameter that trains, for what the model has in an attribute."""
        owner = "layer" if self._node is None else title(self._node)
        name = self._info.names.new(f"{owner}_{role}")
        self._info.add_constant(name, value, is_weight=True)
        return self.constant(name)

    # ---- what the walk does

    def begin(self, node: NodeProto) -> None:
        """Say which node is being imported."""
        self._node = node

    def variable(self, name: str) -> Broadcasting:
        """An input of the model as a symbol."""
        variable = self._new_variable(name, Spec(self._info.shape(name), self._info.dtype(name)))
        self._hold(variable.outputs[0], name)
        return variable

    def constant(self, name: str) -> Broadcasting:
        """A constant of the model as a symbol: a variable with a value."""
        if name not in self._variables:
            array = self._info.constant(name)
            try:
                as_dtype(array.dtype)
            except DTypeError:
                raise ConversionError(f"constant {name}: MXNet has no dtype {array.dtype}.") from None
            self.arrays[name] = array
            self._new_variable(name, Spec(array.shape, array.dtype))
        return self._variables[name]

    def constant_inside(self, name: str, inside: ModelInfo) -> Broadcasting:
        """A constant of a graph inside of a node as a symbol out here, under its name if that is free."""
        own = self._info.names.main(name)
        self._info.add_constant(own, inside.constant(name), inside.is_weight(name))
        return self.constant(own)

    def _new_variable(self, name: str, spec: Spec) -> Broadcasting:
        attributes = _stored(spec)
        if not self._info.is_weight(name) and name in self.arrays and is_floating(self.arrays[name].dtype):
            attributes |= CONSTANT
        entry = Entry(Node(VARIABLE, name, attributes), 0)
        self._specs[entry] = spec
        self._names[entry], self._entries[name] = name, entry
        self._variables[name] = Broadcasting([entry])
        return self._variables[name]

    def call_it(self, entry: Entry, name: str) -> None:
        """Let an entry stand for a value of the model."""
        self._names.setdefault(entry, name)
        self._entries[name] = entry
        self._hold(entry, name)

    def _hold(self, entry: Entry, name: str) -> None:
        """Take note of the free sizes of a value."""
        dims = self._info.shape(name) or ()
        for axis, size in enumerate(dims):
            if isinstance(size, SymbolicDim) and size.text not in self._holders:
                self._holders[size.text] = Broadcasting([entry]), axis

    def spec(self, entry: Entry) -> Spec:
        """What MXNet's operators tell of an entry."""
        if entry not in self._specs:
            for node in self._unknown(entry.node):
                self._infer(node)
        return self._specs[entry]

    def _unknown(self, node: Node) -> list[Node]:
        """The nodes up to this one of which nothing was inferred yet, inputs first."""
        order: list[Node] = []
        stack, visited = [(node, False)], set()
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif node not in visited and Entry(node, 0) not in self._specs:
                visited.add(node)
                stack.append((node, True))
                stack += [(entry.node, False) for entry in reversed(node.inputs)]
        return order

    def _infer(self, node: Node) -> None:
        if node.is_variable:  # one that an import function left out
            self._specs[Entry(node, 0)] = Spec()
            return
        inputs = tuple([self._specs[entry] for entry in node.inputs])
        key = id(node.op), inputs  # equal operators are one object, kept beside
        if key not in self._inferred:
            self._inferred[key] = node.op, node.op.infer(inputs)[1]  # whose errors name the file's node
        _, outputs = self._inferred[key]
        self._specs.update((Entry(node, i), spec) for i, spec in enumerate(outputs))


def entries(result: Any) -> Sequence[Entry]:
    """The outputs that an import function returned: a symbol, or several."""
    if isinstance(result, tuple | list):
        return [entry for item in result for entry in item.outputs]
    outputs: Sequence[Entry] = result.outputs
    return outputs


def _stored(spec: Spec) -> dict[str, str]:
    """What a variable says of itself where MXNet would take it for another one."""
    if container_of(spec.dtype):
        return {"__dtype__": container_of(spec.dtype)}
    return {"__shape__": NO_AXES} if spec.shape == () else {}
