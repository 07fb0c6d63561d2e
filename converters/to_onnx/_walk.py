"""The walk over a Symbol's nodes that lowers each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from hybridonnx.dtypes import DType, float32
from hybridonnx.errors import ConversionError, MXNetError, ShapeError, UnknownOperatorError, suggest
from hybridonnx.ops import Operator, Spec
from hybridonnx.symbol.compose import Outputs
from hybridonnx.symbol.graph import Entry, Node, topological
from hybridonnx.symbol.infer import infer

from ..values import Array
from ._graph import Graph, NeedsShape, Value
from ._registry import find


class Noise(NamedTuple):
    """An input of a lowered graph that takes the draws of one random operator."""

    name: str
    op: Operator
    specs: tuple[Spec, ...]
    """The operator's inputs: what `op.draw` needs beside a generator."""
    node: Node


@dataclass
class Walk:
    """Lowers what a Symbol's outputs need, node by node."""

    graph: Graph
    training: bool
    noise_inputs: bool
    """Whether random operators take their draws as inputs of the graph; else ONNX draws."""
    values: dict[Entry, Value] = field(default_factory=dict)
    noise: list[Noise] = field(default_factory=list)
    serials: list[int] = field(default_factory=list)
    """Those of the nodes that `noise` is for."""
    origins: Origins | None = None
    """Where sizes come from that are not known yet."""

    def variable(self, node: Node, spec: Spec) -> Value:
        """Make a variable of the Symbol a value of the graph, under its name."""
        value = Value(self.graph, spec.dtype, spec.shape, node.name)
        self.values[Entry(node, 0)] = value
        return value

    def lower(self, node: Node, specs: Mapping[Entry, Spec]) -> None:
        """Add the ONNX nodes for one node of the Symbol."""
        op: Operator = node.op.in_mode(self.training)
        inputs = [self.values.get(entry) for entry in node.inputs]
        outputs = [specs.get(Entry(node, i), Spec()) for i in range(len(op.output_names()))]
        if not inputs:
            op = op.with_inferred_shape(outputs)
            self.graph.sources = lambda: self._sources(Entry(node, 0))
        self.graph.scope, self.graph.operator = node.name, (op.names[0], outputs)
        self.graph.subgraphs = node.subgraphs
        if op.draws():
            given = tuple(specs.get(entry, Spec()) for entry in node.inputs)
            inputs.append(self._noise(node, op, given))
        lowering = find(type(op))
        assert lowering is not None  # `refuse` has looked
        results = lowering(self.graph, op, *inputs)
        for i, value in enumerate(results if isinstance(results, tuple | list) else (results,)):
            _agree(op, i, value, outputs[i])
            self.values[Entry(node, i)] = value
            if value.node is not None and not value.wish:
                value.wish = f"{node.name}_{op.output_names()[i]}"

    def inline(self, graph: Graph, symbol: Outputs, values: Mapping[str, Value]) -> list[Value]:
        """Lower a Symbol, such as a loop's body, into `graph`, with values for its variables."""
        specs = infer(symbol, {n: Spec(v.shape, v.dtype) for n, v in values.items()}, partial=True)
        inner = Walk(graph, self.training, self.noise_inputs, noise=self.noise, serials=self.serials)
        scope, operator = graph.scope, graph.operator
        for node in needed(symbol.outputs, self.training):
            if node.is_variable:
                inner.values[Entry(node, 0)] = values[node.name]
                continue
            with node.named():
                inner.lower(node, specs)
        graph.scope, graph.operator = scope, operator
        return [inner.values[entry] for entry in symbol.outputs]

    def _noise(self, node: Node, op: Operator, inputs: tuple[Spec, ...]) -> Value:
        """What a random operator takes beside its inputs: an input of the graph, or ONNX's own draws."""
        sizes, dtype = noise_sizes(op, inputs)
        if self.noise_inputs:
            if self.graph.parent is not None:
                raise ConversionError(
                    f"{op.names[0]}: draws inside of a loop are not supported. Draw before it."
                )
            taken = [noise.name for noise in self.noise]
            name = f"{node.name}_noise"
            while name in taken:  # a block that is used twice repeats its nodes' names
                name += "_"
            shape = tuple(size if isinstance(size, int) else None for size in sizes)
            value = Value(self.graph, dtype, shape, name)
            self.noise.append(Noise(name, op, inputs, node))
            self.serials.append(node.serial)
            self.graph.inputs.append(value)
            return value
        g, draw = self.graph, "RandomUniform" if op.noise == "uniform" else "RandomNormal"
        known = [size for size in sizes if isinstance(size, int)]
        if len(known) == len(sizes):
            return g.node(draw, [], attributes={"dtype": dtype, "shape": known})
        places = [size if isinstance(size, int) else (self._input(node, size[0]), size[1]) for size in sizes]
        parts = [[place] if isinstance(place, int) else g.size_of(*place) for place in places]
        like = g.Full(g.Concat(*parts, axis=0), 0, dtype)
        return g.node(f"{draw}Like", [like], attributes={"dtype": dtype})

    def order_noise(self) -> None:
        """Have the draws made in the order of the nodes' making, which is that of eager calls."""
        order = sorted(range(len(self.noise)), key=self.serials.__getitem__)
        self.noise = [self.noise[i] for i in order]
        self.graph.inputs = [self.graph.inputs[i] for i in order]

    def _sources(self, entry: Entry) -> list[int | tuple[Value, int]]:
        """The sizes of an output that no input tells: numbers, or a graph's input and the axis."""
        found: list[int | tuple[Value, int]] = []
        for size in [] if self.origins is None else self.origins.sizes(entry):
            if isinstance(size, int):
                found.append(size)
            elif size[0] in self.values:
                found.append((self.values[size[0]], size[1]))
        return found

    def _input(self, node: Node, index: int) -> Value:
        return self.values[node.inputs[index]]


def noise_sizes(op: Operator, inputs: Sequence[Spec]) -> tuple[list[int | tuple[int, int]], DType]:
    """The sizes of an operator's noise, numbers or the input and axis that has them, and its dtype.

    Where inputs have unknown sizes, the operator is asked for noise twice, with sizes that nothing else has.
    """
    free = [
        (i, axis) for i, spec in enumerate(inputs) for axis, d in enumerate(spec.shape or ()) if d is None
    ]
    first, second = (_drawn(op, inputs, free, start) for start in (_PROBE, 2 * _PROBE))
    by_probe = {_PROBE + k: place for k, place in enumerate(free)}
    sizes: list[int | tuple[int, int]] = []
    for a, b in zip(first.shape, second.shape, strict=True):
        if a != b and (b - a != _PROBE or a not in by_probe):
            raise NeedsShape(f"{op.names[0]}: fixed input shapes are required to draw. Give every size.")
        sizes.append(a if a == b else by_probe[a])
    return sizes, first.dtype


_PROBE = 61


def _drawn(op: Operator, inputs: Sequence[Spec], free: Sequence[tuple[int, int]], start: int) -> Array:
    sizes = {place: start + k for k, place in enumerate(free)}
    specs = [
        Spec(tuple(sizes.get((i, axis), d) for axis, d in enumerate(spec.shape)), spec.dtype)
        if spec.shape is not None
        else spec
        for i, spec in enumerate(inputs)
    ]
    try:
        return op.draw(np.random.default_rng(0), *specs)
    except ShapeError:
        raise NeedsShape(
            f"{op.names[0]}: fixed input shapes are required to draw. Give every size."
        ) from None


class Origins:
    """Where unknown sizes inside of a graph come from: which input has them, and on which axis.

    As for noise, shapes are inferred twice, with sizes for the unknown ones that nothing else has.
    """

    def __init__(self, symbol: Outputs, nodes: Sequence[Node], specs: Mapping[str, Spec]) -> None:
        self._symbol, self._specs = symbol, specs
        self._variables = {node.name: Entry(node, 0) for node in nodes if node.is_variable}
        self._free = [
            (name, axis)
            for name, spec in specs.items()
            for axis, d in enumerate(spec.shape or ())
            if d is None and name in self._variables
        ]
        self._inferred: tuple[Mapping[Entry, Spec], Mapping[Entry, Spec]] | None = None

    def sizes(self, entry: Entry) -> list[int | tuple[Entry, int]]:
        """The sizes of an entry: numbers, or the input and the axis; none if that cannot be told."""
        try:
            self._inferred = self._inferred or (self._with(_PROBE), self._with(2 * _PROBE))
        except ShapeError:  # such as where two unknown sizes are one
            return []
        first, second = (specs[entry].shape or () for specs in self._inferred)
        by_probe = {_PROBE + k: place for k, place in enumerate(self._free)}
        sizes: list[int | tuple[Entry, int]] = []
        for a, b in zip(first, second, strict=True):
            if a is None or b is None or (a != b and (b - a != _PROBE or a not in by_probe)):
                return []
            name, axis = by_probe.get(a, ("", 0))
            sizes.append(a if a == b else (self._variables[name], axis))
        return sizes

    def _with(self, start: int) -> Mapping[Entry, Spec]:
        """All specs, with the unknown sizes of the inputs counted from `start`."""
        known = dict(self._specs)
        for k, (name, axis) in enumerate(self._free):
            shape = list(known[name].shape or ())
            shape[axis] = start + k
            known[name] = Spec(tuple(shape), known[name].dtype)
        return infer(self._symbol, known, partial=True)


def _agree(op: Operator, index: int, value: Value, spec: Spec) -> None:
    """Hold a lowering to what was inferred, and give its value the shape."""
    if value.dtype is None:
        value.dtype = spec.dtype
    elif spec.dtype is not None and value.dtype != spec.dtype:
        raise ConversionError(
            f"{op.names[0]}: output {index} has the dtype {spec.dtype} in MXNet, but {value.dtype} in ONNX. "
            "Please report the model."
        )
    if value.node is not None and spec.shape is not None:
        value.shape = spec.shape


# ---- which nodes


def needed(outputs: Sequence[Entry], training: bool) -> list[Node]:
    """The nodes that the outputs depend on, inputs before users; labels count only when training."""
    order: list[Node] = []
    seen: set[Node] = set()
    stack = [(node, False) for node, _ in reversed(outputs)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(n, False) for n in reversed(_uses(node, training)) if n not in seen]
    return order


def _uses(node: Node, training: bool) -> list[Node]:
    if node.is_variable:
        return []
    sources = [n for n, _ in node.inputs]
    try:
        op = node.op
    except MXNetError:  # `refuse` reports it
        return sources
    labels = () if training else op.labels
    if not labels:
        return sources
    return [n for n, name in zip(sources, op.input_names(), strict=False) if name not in labels]


def refuse(nodes: Iterable[Node], noise_inputs: bool) -> None:
    """Raise one error that names every operator that ONNX cannot have, with the nodes."""
    reasons: dict[str, list[str]] = {}
    for node in _with_subgraphs(nodes):
        reason = "" if node.is_variable else refusal(node, noise_inputs)
        if reason:
            reasons.setdefault(reason, []).append(node.name)
    if reasons:
        lines = [f"  {reason} ({_nodes(names)})" for reason, names in reasons.items()]
        raise ConversionError(
            "ONNX cannot express these operators:\n" + "\n".join(lines) + "\n"
            "Replace them, or cut the graph before them with get_internals."
        )


def _with_subgraphs(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        for symbol in node.subgraphs:
            yield from _with_subgraphs(topological(symbol.outputs))


def refusal(node: Node, noise_inputs: bool) -> str:
    """Why an operator cannot be lowered, or nothing."""
    try:
        op = node.op
    except UnknownOperatorError as exc:
        return str(exc)
    if op.not_in_onnx:
        return f"{op.names[0]}: {op.not_in_onnx}"
    if find(type(op)) is None:
        return f"{op.names[0]}: has no lowering"
    if op.noise == "other" and op.draws() and not noise_inputs:
        return f"{op.names[0]}: ONNX has no such distribution"
    return ""


def _nodes(names: list[str]) -> str:
    shown = ", ".join(names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"node{'s' if len(names) > 1 else ''} {shown}{more}"


# ---- the whole graph


@dataclass
class Traced:
    """A Symbol as a graph, before it is written."""

    graph: Graph
    results: list[Value]
    inputs: dict[str, Value]
    parameters: dict[str, Value]
    noise: list[Noise]
    names: list[str]
    """The outputs' names."""


def trace(
    symbol: Outputs,
    inputs: Mapping[str, Spec],
    params: Mapping[str, Array],
    opset: int,
    training: bool,
    names: Sequence[str],
    noise_inputs: bool,
    exact: bool = False,
    unused_inputs: bool = False,
) -> Traced:
    """Lower the whole Symbol."""
    nodes = needed(symbol.outputs, training)
    refuse(nodes, noise_inputs)
    unused = _unused(inputs, symbol, unused_inputs)
    known = _specs(nodes, inputs, params)
    specs = infer(symbol, known, partial=True)
    walk = Walk(Graph(opset), training, noise_inputs, origins=Origins(symbol, nodes, known))
    walk.graph.inliner = walk.inline
    walk.graph.exact = exact
    found_inputs: dict[str, Value] = {}
    parameters: dict[str, Value] = {}
    for node in nodes:
        try:
            if not node.is_variable:
                walk.lower(node, specs)
                continue
            value = walk.variable(node, specs[Entry(node, 0)])
            (found_inputs if node.name in inputs else parameters)[node.name] = value
        except Exception as exc:
            if not isinstance(exc, NeedsShape):
                exc.add_note(node.described())
            if isinstance(exc, MXNetError):
                exc.node = node
            raise
    for name in unused:
        found_inputs[name] = Value(walk.graph, inputs[name].dtype or float32, inputs[name].shape, name)
    walk.order_noise()
    results = [_result(walk, entry, name) for entry, name in zip(symbol.outputs, names, strict=True)]
    named, final = name_outputs(walk.graph, results, names, {**found_inputs, **parameters})
    ordered = {name: found_inputs[name] for name in inputs if name in found_inputs}
    return Traced(walk.graph, named, ordered, parameters, walk.noise, final)


def _result(walk: Walk, entry: Entry, name: str) -> Value:
    node, index = entry
    value = walk.values.get(entry)
    if value is None:
        raise ConversionError(
            f"{node.op_name}: output {index} of {node.name} serves training only, so that a model for "
            "inference cannot give it. Take another output."
        )
    return value


def _unused(inputs: Mapping[str, Spec], symbol: Outputs, allowed: bool) -> list[str]:
    """The inputs that are no variables of the graph."""
    names = [node.name for node in needed(symbol.outputs, True) if node.is_variable]
    unused = [name for name in inputs if name not in names]
    if unused and not allowed:
        raise ConversionError(
            f"ONNX: a name of one of the graph's variables ({', '.join(names[:5])}, ...) is required, "
            f"got {unused[0]}.{suggest(unused[0], names)}"
        )
    return unused


def _specs(nodes: Sequence[Node], inputs: Mapping[str, Spec], params: Mapping[str, Array]) -> dict[str, Spec]:
    found, missing = {}, []
    names = [node.name for node in nodes if node.is_variable]
    for name in names:
        if name in inputs:
            found[name] = Spec(inputs[name].shape, inputs[name].dtype or float32)
        elif name in params:
            found[name] = Spec(params[name].shape, params[name].dtype)
        else:
            missing.append(name)
    if missing:
        raise ConversionError(
            f"ONNX: a shape for each input and a value for each parameter are required, got neither for "
            f"{', '.join(missing)}. Inputs are given by shape, parameters by array."
        )
    return found


def name_outputs(
    graph: Graph, results: Sequence[Value], names: Sequence[str], taken: Mapping[str, Value]
) -> tuple[list[Value], list[str]]:
    """Values that carry the outputs' names; a value that has a name already gets a copy where it must."""
    named: list[Value] = []
    final: list[str] = []
    graph.scope = ""
    for value, wish in zip(results, names, strict=True):
        name, number = wish, 0
        while name in final or (name in taken and taken[name] is not value):
            number += 1
            name = f"{wish}_{number}"
        if value.name != name:
            if value.name or value.node is None or value.graph is not graph:
                value = graph.node("Identity", [value])
            value.name = name
        named.append(value)
        final.append(name)
    return named, final
