"""The ONNX graph that lowerings build: `g.Conv(x, w, strides=(1, 1))` adds a node and gives its output."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from hybridonnx.dtypes import BY_NAME, DType, container_of, name_of
from hybridonnx.errors import ConversionError
from hybridonnx.ops import NumericShape, Shape, Spec, SymbolicDim, without_symbols

from ..elements import Array, dtype_of, dtype_of_type_string, elem_type
from ..messages import AttributeKind
from ..opsets import DEFAULT, Parameter, Signature, check_opset, refusal, signature
from ._kernels import computed_in
from ._nodes import NeedsShape as NeedsShape
from ._nodes import Node as Node
from ._nodes import Value as Value
from ._operator_builder import OperatorBuilder
from ._shapes import node_shapes

_int64 = np.dtype("int64")


END = (1 << 63) - 1
"""An end of slices behind all elements."""
REVERSED_END = -END
"""One in front of all elements, of slices that go backwards."""
_MOST_ELEMENTS = 1 << 27
"""A constant that is made of numbers in attributes has so many at most."""


def require_few(*sizes: int | SymbolicDim | None) -> None:
    """Refuse a constant that attributes or sizes of inputs ask for, before its numbers are made.

    Args:
        sizes: The constant's; those that are no numbers do not count.

    Raises:
        ConversionError: If it has more elements than are written.
    """
    elements = prod(size for size in sizes if isinstance(size, int))
    if elements > _MOST_ELEMENTS:
        raise ConversionError(
            f"A constant of at most {_MOST_ELEMENTS:,} elements is written, got {elements:,}. Take an input."
        )


def iota(count: int) -> Array:
    """0, 1, 2 and so on, `count` of them. Raises `ConversionError` if they are too many to be written."""
    require_few(count)
    return np.arange(count)


class Local(NamedTuple):
    """How a graph is lowered that runs here, in place of kernels, and goes into no file."""

    finite: Collection[Any] = ()
    """Entries of the Symbol's graph that are finite: NaN passes through the nodes that ONNX Runtime loses it
    in, but need not where all inputs are among these."""
    views: bool = False
    """Whether outputs may have another shape, which is a view for who runs the model, and else a copy."""
    block: int = 0
    """On the processor, how many channels ONNX Runtime's convolutions take at once; 0 for no such ones."""


class Output(NamedTuple):
    """What lowerings see of an inferred output: sizes that are not integers are `None` to them."""

    shape: NumericShape | None
    dtype: DType | None


class Graph(OperatorBuilder):
    """A graph being built for one opset.

    `g.<OnnxOp>(*inputs, outputs=1, **attributes)` adds a node of any operator of ONNX and returns its output,
    or with `outputs` above 1 a tuple. What opsets write differently is a method of `OperatorBuilder`.

    Inputs are `Value`s, `None` for an absent optional one, or constants: a number takes the element type that
    the operator asks for beside the other inputs, a list of integers is int64, an array stays as it is.
    An attribute that is `None` is left out; element types may be given as NumPy dtypes.
    """

    def __init__(self, opset: int = DEFAULT, parent: Graph | None = None):
        self.opset = check_opset(opset)
        self.parent = parent
        self.nodes: list[Node] = []
        self.inputs: list[Value] = []
        self.results: list[Value] = []
        self.scope = ""
        """The name of the MXNet node that is being lowered."""
        self.operator: tuple[str, Sequence[Output]] = ("", ())
        """The MXNet operator that is being lowered, and its inferred outputs."""
        self.output_shapes: Sequence[Shape | None] = ()
        """The shapes of these outputs with the expressions of names that inference has for sizes."""
        self.read: Sequence[bool] = ()
        """Which of these outputs anything takes, or all of them if it is empty."""
        self.named_sizes: dict[str, tuple[Value, int]] = {} if parent is None else dict(parent.named_sizes)
        """For each name of a size a value that has it, and on which axis."""
        self.domains: dict[str, int] = {} if parent is None else parent.domains
        """The domains of foreign nodes, with their versions."""
        self.subgraphs: Sequence[Any] = () if parent is None else parent.subgraphs
        """The Symbols inside the MXNet node that is being lowered."""
        self.exact: bool = parent is not None and parent.exact
        """Whether the graph runs here in place of kernels: NaN must pass through nodes that lose it."""
        self.block: int = 0 if parent is None else parent.block
        """How many channels ONNX Runtime's convolutions take at once, if the graph runs here and is given its
        weights with each call; 0 elsewhere."""
        self.finite = False
        """Whether the inputs of the MXNet node that is being lowered are known to be finite."""
        self.inliner: Callable[..., list[Value]] | None = None if parent is None else parent.inliner
        self._constants: dict[Any, Value] = {}
        self._arrays: dict[Any, Array] = {} if parent is None else parent._arrays
        self._shapes: dict[int, Value] = {}

    # ---- nodes

    def __getattr__(self, op_type: str) -> Callable[..., Any]:
        if op_type.startswith("_"):
            raise AttributeError(op_type)
        signature(op_type, self.opset)

        def add(*inputs: Any, outputs: int = 1, **attributes: Any) -> Any:
            return self.node(op_type, inputs, outputs, attributes)

        return add

    def node(
        self,
        op_type: str,
        inputs: Sequence[Any],
        outputs: int = 1,
        attributes: dict[str, Any] | None = None,
        domain: str = "",
    ) -> Any:
        """Add a node of any domain: what `g.<OnnxOp>` does, with everything spelled out.

        Where an element type has no kernel, inputs are cast to one that has, and outputs back.
        """
        kind = signature(op_type, self.opset, domain)
        values, types = self._inputs(kind, inputs)
        others = {} if domain else self._computed_in(kind, types)
        if others:
            values = [self._cast(v, kind.input(i).type, types, others) for i, v in enumerate(values)]
        written = {
            name: self._attribute(kind, name, value)
            for name, value in (attributes or {}).items()
            if value is not None
        }
        node = Node(op_type, domain, values, written, self.scope)
        node.signature = kind
        for index in range(outputs):
            value = Value(self, self._dtype(kind, index, values, written))
            self._check_type(kind, Signature.output, index, value.dtype)
            value.node, value.index = node, index
            node.outputs.append(value)
        self.nodes.append(node)
        results = [self._cast(v, kind.output(v.index).type, others, types) for v in node.outputs]
        return results[0] if outputs == 1 else tuple(results)

    def _cast(self, x: Any, parameter: str, types: Mapping[str, DType], others: Mapping[str, DType]) -> Any:
        """An input or output whose type parameter is in both: from the one's element type to the other's."""
        if x is None or parameter not in types or parameter not in others or x.dtype != types[parameter]:
            return x
        return self.Cast(x, others[parameter])

    def _computed_in(self, kind: Signature, types: Mapping[str, DType]) -> dict[str, DType]:
        """The element types to compute in instead; raises if one that ONNX does not take has none."""
        others = computed_in(kind, types)
        for name, dtype in types.items():
            if name in others:
                self._check_digits(dtype, others[name])
            else:
                at = next(i for i, p in enumerate(kind.inputs) if p.type == name)
                self._check_type(kind, Signature.input, at, dtype)
        return others

    def _check_type(
        self, kind: Signature, side: Callable[[Signature, int], Parameter], index: int, dtype: DType | None
    ) -> None:
        """Raise if an input or output does not have the element type at this opset."""
        parameter = side(kind, index)
        allowed = kind.elements(parameter)
        if not allowed or dtype is None or container_of(dtype) or (name := name_of(dtype)) in allowed:
            return
        verb, names = "takes" if side is Signature.input else "gives", ", ".join(sorted(allowed))
        raise refusal(
            f"{kind.op_type}: ONNX at opset {self.opset} {verb} {names} as {parameter.name}, got {name}.",
            kind,
            lambda newer: name in newer.elements(side(newer, index)),
            self.opset,
            "Cast around it.",
        )

    def foreign(
        self,
        op_type: str,
        domain: str,
        inputs: Sequence[Value | None],
        specs: Sequence[Spec],
        version: int = 1,
        **attributes: Any,
    ) -> tuple[Value, ...]:
        """Add a node of a domain that is not ONNX's own, whose outputs are as `specs` says."""
        self.domains[domain] = version
        return tuple(self._add(Node(op_type, domain, list(inputs), attributes, self.scope), specs))

    def spliced(self, model: Any, inputs: Sequence[Value], outputs: Sequence[Spec]) -> tuple[Value, ...]:
        """Add the nodes of onnx's `ModelProto` with these values for its inputs.

        Its outputs are as `outputs` says.
        """
        from ._splice import spliced  # it needs onnx, as does who has such a model

        return spliced(self, model, inputs, outputs)

    def _add(self, node: Node, outputs: Sequence[Spec]) -> list[Value]:
        """Add a node without a look at what ONNX says of its operator, with outputs of these specs."""
        for index, (shape, dtype) in enumerate(outputs):
            value = Value(self, dtype, without_symbols(shape))
            value.node, value.index = node, index
            node.outputs.append(value)
        self.nodes.append(node)
        return node.outputs

    def node_shapes(self, node: Node) -> Sequence[NumericShape | None]:
        """What is known of the shapes of a node's outputs."""
        return node_shapes(node, self.opset)

    def _inputs(self, kind: Signature, inputs: Sequence[Any]) -> tuple[list[Value | None], dict[str, DType]]:
        """The inputs as values, and the element types that the type parameters are bound to."""
        types: dict[str, DType] = {}
        first: DType | None = None
        for index, item in enumerate(inputs):
            if isinstance(item, Value) and item.dtype is not None:
                types.setdefault(kind.input(index).type, item.dtype)
                first = first or item.dtype
        values: list[Value | None] = []
        for index, item in enumerate(inputs):
            if item is None or isinstance(item, Value):
                values.append(item)
                continue
            dtype = types.get(kind.input(index).type)
            values.append(self.const(item, dtype or self._default(kind, index, first)))
        while values and values[-1] is None:
            values.pop()
        return values, types

    def _default(self, kind: Signature, index: int, first: DType | None) -> DType | None:
        """The dtype of a number where no other input tells: the first input's, if that is possible."""
        allowed = kind.elements(kind.input(index))
        if not allowed or (first is not None and name_of(first) in allowed):
            return first
        name = "int64" if "int64" in allowed else min(allowed & BY_NAME.keys(), default=None)
        return first if name is None else BY_NAME[name]

    def _dtype(
        self, kind: Signature, index: int, inputs: list[Value | None], attributes: dict[str, Any]
    ) -> DType | None:
        name = kind.output(index).type
        fixed = dtype_of_type_string(name)
        if fixed is not None:
            return fixed
        for position, value in enumerate(inputs):
            if value is not None and value.dtype is not None and kind.input(position).type == name:
                dtype: DType = value.dtype
                return dtype
        return _dtype_by_attribute(kind.op_type, attributes)

    def _attribute(self, kind: Signature, name: str, value: Any) -> Any:
        attribute_type = kind.attributes.get(name)
        if attribute_type is None:
            raise refusal(
                f"{kind.op_type}: ONNX at opset {self.opset} has the attributes "
                f"{', '.join(kind.attributes) or 'none'}, got {name}.",
                kind,
                lambda newer: name in newer.attributes,
                self.opset,
            )
        try:
            return _CONVERT[attribute_type](value)
        except (TypeError, ValueError, KeyError):
            required = f"must be of ONNX's type {attribute_type.name}"
            raise ConversionError(f"{kind.op_type}: attribute {name} {required}, got {value!r}.") from None

    # ---- what lowerings ask

    def const(self, value: Any, dtype: DType | None = None) -> Value:
        """A constant; equal ones are stored once. Numbers and lists take `dtype`, arrays keep their own.

        Graphs inside of each other have one array, but values of their own: `x * y` is a node of x's graph.
        """
        array = _constant(value, dtype)
        key = (array.dtype, array.shape, array.tobytes())
        if key not in self._constants:
            constant = Value(self, array.dtype, array.shape)
            constant.constant = self._arrays.setdefault(key, array)
            self._constants[key] = constant
        return self._constants[key]

    def shape_of(self, x: Value) -> Value:
        """The sizes of `x` as an int64 vector: a constant if all are known."""
        if x.shape is not None and None not in x.shape:
            return self.const(list(x.shape))
        if id(x) not in self._shapes:
            self._shapes[id(x)] = self.node("Shape", [x])
        return self._shapes[id(x)]

    def size_of(self, x: Value, axis: int) -> Value:
        """One size of `x` as an int64 vector of length 1: a constant if it is known."""
        if x.shape is not None and x.shape[axis] is not None:
            return self.const([x.shape[axis]])
        return self.Slice(self.shape_of(x), [axis], [axis + 1 if axis != -1 else x.rank], [0])

    def count_of(self, x: Value) -> Value:
        """How many elements `x` has, as an int64 vector of length 1: a constant if that is known."""
        if x.shape is not None and None not in x.shape:
            return self.const([prod(self.sizes(x))])
        return self.ReduceProd(self.shape_of(x), [0])

    def name_sizes(self, x: Value, wish: str) -> Shape | None:
        """The shape of `x` with a new name for each size that is unknown."""
        if x.shape is None:
            return None
        shape: list[int | SymbolicDim] = []
        for axis, size in enumerate(x.shape):
            if size is not None:
                shape.append(size)
                continue
            name = f"{wish}_{axis}"
            while name in self.named_sizes:
                name += "_"
            self.named_sizes[name] = x, axis
            shape.append(SymbolicDim.named(name))
        return tuple(shape)

    def sizes(self, x: Value | Output) -> tuple[int, ...]:
        """The sizes of `x`; the graph is lowered again with fixed shapes if one is unknown (`NeedsShape`)."""
        known = () if x.shape is None else tuple(d for d in x.shape if d is not None)
        if x.shape is None or len(known) != len(x.shape):
            raise NeedsShape(f"{self.operator[0]}: fixed input shapes are required.")
        return known

    def output(self, i: int = 0) -> Output:
        """What is known of the `i`-th output of the operator being lowered."""
        return self.operator[1][i]

    def via(self, dtype: Any, function: Callable[..., Any], *inputs: Any) -> Any:
        """`function(*inputs)` computed in `dtype`: inputs are cast to it, results back to the first's dtype.

        Use it where a dtype has too little room, or several nodes lack a kernel: a single one `node` casts.
        float64 is refused where its digits would be lost: a hybridized graph then runs the operator on its
        kernel.
        """
        back = next(x.dtype for x in inputs if isinstance(x, Value))
        self._check_digits(back, np.dtype(dtype))
        result = function(*(self.Cast(x, dtype) if isinstance(x, Value) else x for x in inputs))
        if isinstance(result, tuple):
            return tuple(self.Cast(y, back) for y in result)
        return self.Cast(result, back)

    def _check_digits(self, dtype: DType, other: DType) -> None:
        """Raise if float64 would be computed in float32."""
        if dtype == np.float64 and other == np.float32:
            raise ConversionError(
                f"{self.operator[0]}: ONNX Runtime has no kernel of it for float64, and float32 would lose "
                "digits. Cast to float32 where that is enough."
            )

    def reads(self, i: int) -> bool:
        """Whether anything takes the `i`-th output of the operator being lowered."""
        return not self.read or self.read[i]

    def inline(self, symbol: Any, values: Mapping[str, Value], noise: Sequence[Value] = ()) -> list[Value]:
        """The outputs of a Symbol lowered into this graph, with values for its variables and its draws."""
        assert self.inliner is not None  # the walk sets it
        return self.inliner(self, symbol, values, noise)

    def body(self, inputs: Sequence[Spec], build: Callable[..., Sequence[Value]]) -> Graph:
        """A graph for an attribute such as Loop's `body`: `build(graph, *values)` gives its outputs.

        `build` may use values of this graph as well.
        """
        graph = Graph(self.opset, self)
        graph.scope, graph.operator = self.scope, self.operator
        graph.output_shapes, graph.read = self.output_shapes, self.read
        graph.inputs = [Value(graph, spec.dtype, without_symbols(spec.shape)) for spec in inputs]
        graph.results = list(build(graph, *graph.inputs))
        return graph


_BY_ATTRIBUTE: dict[str, tuple[str, str]] = {
    "Cast": ("to", ""),
    "RandomNormal": ("dtype", "float32"),
    "RandomUniform": ("dtype", "float32"),
    "Multinomial": ("dtype", "int32"),
    "HannWindow": ("output_datatype", "float32"),
    "HammingWindow": ("output_datatype", "float32"),
    "BlackmanWindow": ("output_datatype", "float32"),
    "MelWeightMatrix": ("output_datatype", "float32"),
    "EyeLike": ("dtype", ""),
    "RandomNormalLike": ("dtype", ""),
    "RandomUniformLike": ("dtype", ""),
    "Bernoulli": ("dtype", ""),
    "QuantizeLinear": ("output_dtype", "uint8"),
}
"""Operators whose output's element type an attribute tells: its name, and what it is without."""


def _dtype_by_attribute(op_type: str, attributes: dict[str, Any]) -> DType | None:
    if op_type == "ConstantOfShape":
        value = attributes.get("value")
        return np.dtype("float32" if value is None else value.dtype)
    name, default = _BY_ATTRIBUTE.get(op_type, ("", ""))
    if attributes.get(name):
        return dtype_of(attributes[name])
    return np.dtype(default) if default else None


def _constant(value: Any, dtype: DType | None) -> Array:
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    if isinstance(value, list | tuple):
        integers = all(isinstance(v, int | np.integer) for v in value)
        return np.array(value, _int64 if integers else dtype or np.dtype("float32"))
    if isinstance(value, bool | int | float):
        if dtype is not None and dtype.kind in "iu" and isinstance(value, float) and not value.is_integer():
            raise ConversionError(f"ONNX: an integer is required as a constant of {dtype}, got {value}.")
        return np.array(value, dtype)
    raise ConversionError(f"ONNX: a value, a number or an array is required as input, got {value!r}.")


def _int(value: Any) -> int:
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return elem_type(value)
    if isinstance(value, float | np.floating | str):
        raise TypeError
    if not -1 << 63 <= value < 1 << 63:
        raise ConversionError(f"an integer of 64 bits is required in an attribute, got {value}.")
    return int(value)


def _float(value: Any) -> float:
    if isinstance(value, str):
        raise TypeError
    return float(value)


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _tuple_of(item: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def convert(value: Any) -> tuple[Any, ...]:
        if isinstance(value, str):
            raise TypeError
        return tuple(map(item, value))

    return convert


def _array(value: Any) -> Array:
    if not isinstance(value, np.ndarray | np.generic):
        raise TypeError
    return np.asarray(value)


def _graph(value: Any) -> Graph:
    if not isinstance(value, Graph):
        raise TypeError
    return value


_CONVERT: dict[Any, Callable[[Any], Any]] = {
    AttributeKind.INT: _int,
    AttributeKind.INTS: _tuple_of(_int),
    AttributeKind.FLOAT: _float,
    AttributeKind.FLOATS: _tuple_of(_float),
    AttributeKind.STRING: _str,
    AttributeKind.STRINGS: _tuple_of(_str),
    AttributeKind.TENSOR: _array,
    AttributeKind.GRAPH: _graph,
}
