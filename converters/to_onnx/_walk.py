"""The walk over a Symbol's nodes that lowers each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hybridonnx.dtypes import float32, is_bfloat16
from hybridonnx.errors import ConversionError, MXNetError, UnknownOperatorError, suggest, without_places
from hybridonnx.ops import Dim, Operator, Shape, Spec, SymbolicDim, show, sizes, without_symbols
from hybridonnx.symbol.compose import Outputs
from hybridonnx.symbol.graph import Entry, Node, topological
from hybridonnx.symbol.infer import Specs, infer
from hybridonnx.symbol.subgraph import Body

from ..elements import Array
from ._graph import Graph, Local, NeedsShape, Output, Value
from ._registry import find, find_custom
from ._symbolic_dims import complete_sizes, vector


class NoiseInput(NamedTuple):
    """An input of a lowered graph that takes the draws of one random operator."""

    name: str
    op: Operator
    specs: tuple[Spec, ...]
    """The operator's inputs: what `op.draw` needs beside a generator."""
    node: Node
    part: int | None = None
    """Which of the arrays that it draws, if these are several."""

    def of(self, noise: Any) -> Any:
        """What the input takes of all that the operator has drawn."""
        return noise if self.part is None else noise[self.part]


WAY_OUT = "Replace them, or cut the graph before them with get_internals."
"""What to do about operators that ONNX does not have."""


@dataclass(eq=False, repr=False)
class Walk:
    """Lowers what a Symbol's outputs need, node by node."""

    graph: Graph
    training: bool
    noise_inputs: bool
    """Whether random operators take their draws as inputs of the graph; else ONNX draws."""
    finite: Collection[Entry] = ()
    """Values that are known to be finite."""
    inside: bool = False
    """Whether the nodes are those of a body, which runs any number of times."""
    read: Collection[Entry] = ()
    """What nodes or the outputs take."""
    drawn: Mapping[Node, Any] = field(default_factory=dict)
    """Values for the draws of a body's nodes, a list for each that has a graph."""
    values: dict[Entry, Value] = field(default_factory=dict)
    widened: dict[int, tuple[Value, Value]] = field(default_factory=dict)
    """Values of bfloat16, by their identity, each with the same in float32."""
    noise: list[NoiseInput] = field(default_factory=list)
    serials: list[int] = field(default_factory=list)
    """Those of the nodes that `noise` is for."""

    def variable(self, node: Node, spec: Spec) -> Value:
        """Make a variable of the Symbol a value of the graph, under its name."""
        value = Value(self.graph, spec.dtype, without_symbols(spec.shape), node.name)
        self.values[Entry(node, 0)] = value
        return value

    def lower(self, node: Node, specs: Mapping[Entry, Spec]) -> None:
        """Add the ONNX nodes for one node of the Symbol."""
        op: Operator = node.op.in_mode(self.training)
        inputs = [self.values.get(entry) for entry in node.inputs]
        inferred = [specs.get(Entry(node, i), Spec()) for i in range(len(op.output_names()))]
        outputs = [Output(without_symbols(spec.shape), spec.dtype) for spec in inferred]
        if not inputs:
            op = op.with_inferred_shape([Spec(*output) for output in outputs])
        self.graph.scope, self.graph.operator = node.name, (op.names[0], outputs)
        self.graph.output_shapes = [spec.shape for spec in inferred]
        self.graph.subgraphs = node.subgraphs
        self.graph.read = [Entry(node, i) in self.read for i in range(len(inferred))]
        self.graph.finite = all(entry in self.finite for entry in node.inputs)
        if op.draws():
            inputs += self._noise(node, op, [specs.get(entry, Spec()) for entry in node.inputs])
        lowering = find_custom(op) or find(type(op))
        assert lowering is not None  # `refuse` has looked
        if op.widens_bfloat16:
            inputs = [self._wide(value) for value in inputs]
            self.graph.operator = op.names[0], [*map(_wide_output, outputs)]
        results = lowering(self.graph, op, *inputs)
        for i, value in enumerate(results if isinstance(results, tuple | list) else (results,)):
            if value is None:  # nothing takes it
                continue
            if op.widens_bfloat16 and is_bfloat16(outputs[i].dtype):
                value = self.graph.Cast(value, outputs[i].dtype)
            _agree(op, i, value, outputs[i])
            self.values[Entry(node, i)] = value
            if value.node is not None and not value.wish:
                value.wish = f"{node.name}_{op.output_names()[i]}"

    def _wide(self, value: Value | None) -> Value | None:
        """A value that is not bfloat16: one cast for all that takes it."""
        if value is None or not is_bfloat16(value.dtype):
            return value
        if id(value) not in self.widened:
            self.widened[id(value)] = value, self.graph.Cast(value, float32)
        return self.widened[id(value)][1]

    def inline(
        self, graph: Graph, symbol: Body, values: Mapping[str, Value], noise: Sequence[Value] = ()
    ) -> list[Value]:
        """Lower a loop's body or a branch into `graph`, with values for its variables and its draws."""
        known = {name: Spec(graph.name_sizes(value, name), value.dtype) for name, value in values.items()}
        specs = infer(symbol, known, partial=True)
        training = self.training if symbol.training is None else symbol.training
        nodes = needed(symbol.outputs, training)
        drawn = symbol.by_node(noise, self.training)
        inner = Walk(
            graph,
            training,
            self.noise_inputs,
            inside=True,
            read=_inputs_of(nodes, symbol.outputs),
            drawn=drawn,
        )
        scope, operator, shapes, read = graph.scope, graph.operator, graph.output_shapes, graph.read
        for node in nodes:
            if node.is_variable:
                inner.values[Entry(node, 0)] = values[node.name]
                continue
            with node.named():
                inner.lower(node, specs)
        graph.scope, graph.operator, graph.output_shapes, graph.read = scope, operator, shapes, read
        return [inner.values[entry] for entry in symbol.outputs]

    def _noise(self, node: Node, op: Operator, inputs: Sequence[Spec]) -> list[Value]:
        """What a random operator takes beside its inputs: inputs of the graph, or ONNX's own draws.

        A loop takes them for its body's operators, which ask by themselves for ONNX's own.
        """
        if node in self.drawn:
            noise: list[Value] = self.drawn[node] if node.subgraphs else [self.drawn[node]]
            return noise
        if self.noise_inputs and self.inside:
            raise ConversionError(
                f"{op.names[0]}: draws inside of a while_loop or cond are not supported. Draw before it."
            )
        if not self.noise_inputs:
            return [] if node.subgraphs else [self._onnxs_draws(op, self._noise_spec(node, op, inputs))]
        spec = self._noise_spec(node, op, inputs)
        if isinstance(spec, list):
            return [self._noise_input(node, op, inputs, s, i) for i, s in enumerate(spec)]
        return [self._noise_input(node, op, inputs, spec, None)]

    def _noise_input(
        self, node: Node, op: Operator, inputs: Sequence[Spec], spec: Spec, part: int | None
    ) -> Value:
        names = [noise.name for noise in self.noise]
        name = f"{node.name}_noise{'' if part is None else part}"
        while name in names:  # a block that is used twice repeats its nodes' names
            name += "_"
        value = Value(self.graph, spec.dtype, without_symbols(spec.shape), name)
        self.noise.append(NoiseInput(name, op, tuple(inputs), node, part))
        self.serials.append(node.serial)
        self.graph.inputs.append(value)
        return value

    def _onnxs_draws(self, op: Operator, spec: Spec) -> Value:
        shape, dtype = spec
        g, draw = self.graph, "RandomUniform" if op.noise == "uniform" else "RandomNormal"
        sizes = vector(g, complete_sizes(g, shape))
        if isinstance(sizes, list):
            return g.node(draw, [], attributes={"dtype": dtype, "shape": sizes})
        return g.node(f"{draw}Like", [g.Full(sizes, 0, dtype)], attributes={"dtype": dtype})

    def _noise_spec(self, node: Node, op: Operator, inputs: Sequence[Spec]) -> Any:
        """The shape of the draws, in sizes of the operator's inputs, or without any of the graph's."""
        g, known = self.graph, []
        for entry, spec in zip(node.inputs, inputs, strict=True):
            value = self.values.get(entry)
            known.append(Spec(spec.shape if value is None else g.name_sizes(value, "size"), spec.dtype))
        if known:
            return op.noise_spec(op.infer(known)[1], *known)
        dtypes = [output.dtype for output in g.operator[1]]
        return op.noise_spec([*map(Spec, g.output_shapes, dtypes)])

    def order_noise(self) -> None:
        """Have the draws made in the order of the nodes' making, which is that of eager calls."""
        order = sorted(range(len(self.noise)), key=self.serials.__getitem__)
        self.noise = [self.noise[i] for i in order]
        self.graph.inputs = [self.graph.inputs[i] for i in order]


def _wide_output(spec: Output) -> Output:
    """What an output is before it is rounded to bfloat16."""
    return Output(spec.shape, float32) if is_bfloat16(spec.dtype) else spec


def _agree(op: Operator, index: int, value: Value, spec: Output) -> None:
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


# ---- which nodes and entries


def _inputs_of(nodes: Iterable[Node], outputs: Iterable[Entry]) -> set[Entry]:
    """The entries that are inputs of nodes, or outputs."""
    return {*outputs, *(entry for node in nodes for entry in node.inputs)}


def needed(outputs: Sequence[Entry], training: bool) -> list[Node]:
    """The nodes that the outputs depend on, inputs before users; labels count only when training."""
    order: list[Node] = []
    visited: set[Node] = set()
    stack = [(node, False) for node, _ in reversed(outputs)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node not in visited:
            visited.add(node)
            stack.append((node, True))
            stack += [(n, False) for n in reversed(_uses(node, training)) if n not in visited]
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


def refuse(nodes: Iterable[Node], noise_inputs: bool, custom: bool = False) -> None:
    """Raise one error that names every operator that ONNX cannot have, with the nodes."""
    reasons: dict[str, list[str]] = {}
    for node in _with_subgraphs(nodes):
        reason = "" if node.is_variable else _refusal(node, noise_inputs, custom)
        if reason:
            reasons.setdefault(reason, []).append(node.name)
    if reasons:
        lines = [f"  {reason} ({nodes_text(names)})" for reason, names in reasons.items()]
        raise ConversionError(
            "\n".join(["ONNX cannot express these operators:", *lines, WAY_OUT]),
        )


def _with_subgraphs(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        for symbol in node.subgraphs:
            yield from _with_subgraphs(topological(symbol.outputs))


def refusal(node: Node, noise_inputs: bool, custom: bool = False) -> str:
    """Why an operator, or one in the graphs that it runs, cannot be lowered, or nothing.

    With `custom` users' own lowerings count.
    """
    reasons = (_refusal(n, noise_inputs, custom) for n in _with_subgraphs([node]) if not n.is_variable)
    return next(filter(None, reasons), "")


def _refusal(node: Node, noise_inputs: bool, custom: bool) -> str:
    try:
        op = node.op
    except UnknownOperatorError as exc:
        return without_places(exc)
    if custom and find_custom(op):
        return ""
    if op.not_in_onnx:
        return f"{op.names[0]}: {op.not_in_onnx}"
    if find(type(op)) is None:
        return f"{op.names[0]}: has no lowering"
    if op.noise == "other" and op.draws() and not noise_inputs:
        return f"{op.names[0]}: ONNX has no such distribution"
    return ""


def nodes_text(names: Sequence[str]) -> str:
    """Some nodes' names as errors have them."""
    listing = ", ".join(names[:5])
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"node{'s' if len(names) > 1 else ''} {listing}{more}"


# ---- the whole graph


class Traced(NamedTuple):
    """A Symbol as a graph, before it is written."""

    graph: Graph
    results: list[Value]
    inputs: dict[str, Value]
    parameters: dict[str, Value]
    noise: list[NoiseInput]
    names: list[str]
    """The outputs' names."""
    shapes: dict[str, Shape | None]
    """The inputs' and outputs' shapes by name, free sizes as names and expressions of them."""
    views: dict[str, tuple[int, ...]]
    """The shapes in which outputs are to be seen that are written in another."""
    rows: dict[Value, Dim]
    """For blocks, the first sizes of what the Symbol's nodes give, free ones as names and expressions."""


def trace(
    symbol: Outputs,
    inputs: Mapping[str, Spec],
    params: Mapping[str, Array],
    opset: int,
    training: bool,
    names: Sequence[str],
    noise_inputs: bool,
    local: Local | None = None,
    unused_inputs: bool = False,
) -> Traced:
    """Lower the whole Symbol."""
    nodes = needed(symbol.outputs, training)
    refuse(nodes, noise_inputs, custom=local is None)
    walk, nodes, specs, variables, known = start(
        symbol, inputs, params, opset, training, noise_inputs, local, unused_inputs, nodes
    )
    for node in nodes:
        if not node.is_variable:
            lower_node(walk, node, specs)
    walk.order_noise()
    results = [_result(walk, entry, name) for entry, name in zip(symbol.outputs, names, strict=True)]
    bare = _bare(results) if local is not None and local.views else results
    named, final = name_outputs(walk.graph, bare, names, variables)
    shapes = {name: specs[entry].shape for name, entry in zip(final, symbol.outputs, strict=True)}
    seen = {name: sizes(y.dims) for name, y, x in zip(final, results, bare, strict=True) if x is not y}
    shapes.update((name, x.shape) for name, x in zip(final, bare, strict=True) if name in seen)
    return Traced(
        walk.graph,
        named,
        {name: variables[name] for name in inputs if name in variables},
        {name: value for name, value in variables.items() if name not in inputs},
        walk.noise,
        final,
        {**shapes, **{name: known[name].shape for name in inputs if name in variables}},
        seen,
        {
            value: shape[0]
            for entry, value in (walk.values.items() if local is not None and local.block else ())
            if (shape := specs.get(entry, Spec()).shape)
        },
    )


_SAME_ELEMENTS = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten"})


def _bare(results: Sequence[Value]) -> list[Value]:
    """The results without what gives them another shape at last, which ONNX Runtime copies an output for."""
    bare: list[Value] = []
    taken = set(map(id, results))
    for result in results:
        value = result
        while value.node is not None and value.node.op_type in _SAME_ELEMENTS and _is_known(value):
            source = value.node.inputs[0]
            if source is None or source.node is None or not _is_known(source):
                break
            value = source
        bare.append(result if id(value) in taken else value)
        taken.add(id(value))
    return bare


def _is_known(value: Value) -> bool:
    return value.shape is not None and None not in value.shape


class Start(NamedTuple):
    """A walk before its first node."""

    walk: Walk
    nodes: list[Node]
    specs: Specs
    variables: dict[str, Value]
    known: dict[str, Spec]
    """The inputs and parameters, each free size with a name."""


def start(
    symbol: Outputs,
    inputs: Mapping[str, Spec],
    params: Mapping[str, Array],
    opset: int,
    training: bool = False,
    noise_inputs: bool = False,
    local: Local | None = None,
    unused_inputs: bool = False,
    nodes: list[Node] | None = None,
) -> Start:
    """Infer a Symbol's shapes, and make its variables values of a graph; `nodes` are those it needs."""
    nodes = needed(symbol.outputs, training) if nodes is None else nodes
    unused = _unused(inputs, nodes, symbol, unused_inputs)
    known = _specs(nodes, inputs, params)
    known |= {name: Spec(inputs[name].shape, inputs[name].dtype or float32) for name in unused}
    known |= _with_names({name: spec for name, spec in known.items() if name in inputs})
    specs = infer(symbol, known, partial=True)
    own = local or Local()
    walk = Walk(Graph(opset), training, noise_inputs, own.finite, read=_inputs_of(nodes, symbol.outputs))
    walk.graph.inliner = walk.inline
    walk.graph.exact = local is not None
    walk.graph.block = 0 if params else own.block  # weights that are known come into blocks at last
    variables = {node.name: walk.variable(node, specs[Entry(node, 0)]) for node in nodes if node.is_variable}
    for name in unused:
        variables[name] = Value(walk.graph, known[name].dtype, without_symbols(known[name].shape), name)
    walk.graph.named_sizes = _named_sizes(variables, known)
    return Start(walk, nodes, specs, variables, known)


_LONGEST = 200
"""What other code says is cut at so many letters."""


def lower_node(walk: Walk, node: Node, specs: Mapping[Entry, Spec]) -> None:
    """Lower one node; errors tell which."""
    try:
        walk.lower(node, specs)
    except MXNetError as exc:
        if not isinstance(exc, NeedsShape):
            node.locate(exc)
        exc.node = node
        raise
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as exc:
        inputs = ", ".join(show(specs.get(entry, Spec()).shape) for entry in node.inputs) or "none"
        error = ConversionError(
            f"{node.op_name}: inputs {inputs} with these attributes cannot be written: {type(exc).__name__}: "
            f"{str(exc)[:_LONGEST]}"
        )
        node.locate(error)
        error.node = node
        raise error from exc
    except Exception as exc:
        exc.add_note(node.described())
        raise


def _with_names(specs: Mapping[str, Spec]) -> dict[str, Spec]:
    """The inputs' specs with a name for each free size that has none, as each may differ from all others.

    `batch` is the first axis of the only input whose first size is free, others are called by input and axis.
    """
    names = {text for spec in specs.values() for text in map(str, spec.shape or ())}
    open_first = [name for name, spec in specs.items() if spec.shape and not isinstance(spec.shape[0], int)]
    result = {}
    for name, spec in specs.items():
        shape = list(spec.shape or ())
        for axis, size in enumerate(shape):
            if size is None:
                wish = "batch" if axis == 0 and open_first == [name] else f"{name}_{axis}"
                while wish in names:
                    wish += "_"
                names.add(wish)
                shape[axis] = SymbolicDim.named(wish)
        result[name] = Spec(None if spec.shape is None else tuple(shape), spec.dtype)
    return result


def _named_sizes(variables: Mapping[str, Value], specs: Mapping[str, Spec]) -> dict[str, tuple[Value, int]]:
    """For each name of a size an input that has it, and on which axis."""
    return {
        size.name: (value, axis)
        for name, value in reversed(list(variables.items()))
        for axis, size in enumerate(specs[name].shape or ())
        if isinstance(size, SymbolicDim) and size.name
    }


def _result(walk: Walk, entry: Entry, name: str) -> Value:
    node, index = entry
    value = walk.values.get(entry)
    if value is None:
        error = ConversionError(
            f"{node.op_name}: output {index} of {node.name} serves training only, so that a model for "
            "inference cannot give it. Take another output."
        )
        error.node = node
        raise error
    return value


def _unused(inputs: Mapping[str, Spec], nodes: Sequence[Node], symbol: Outputs, allowed: bool) -> list[str]:
    """The inputs that are no variables of the graph, of which these nodes are needed."""
    if inputs.keys() <= {node.name for node in nodes if node.is_variable}:
        return []
    names = {node.name: None for node in needed(symbol.outputs, True) if node.is_variable}
    unused = [name for name in inputs if name not in names]
    if unused and not allowed:
        raise ConversionError(
            f"ONNX: a name of one of the graph's variables ({', '.join(list(names)[:5])}, ...) is required, "
            f"got {unused[0]}.{suggest(unused[0], names)}"
        )
    return unused


def _specs(nodes: Sequence[Node], inputs: Mapping[str, Spec], params: Mapping[str, Array]) -> dict[str, Spec]:
    specs, missing = {}, []
    names = [node.name for node in nodes if node.is_variable]
    for name in names:
        if name in inputs:
            specs[name] = Spec(inputs[name].shape, inputs[name].dtype or float32)
        elif name in params:
            specs[name] = Spec(params[name].shape, params[name].dtype)
        else:
            missing.append(name)
    if missing:
        raise ConversionError(
            f"ONNX: a shape for each input and a value for each parameter are required, got neither for "
            f"{', '.join(missing)}. Inputs are given by shape, parameters by array."
        )
    return specs


def name_outputs(
    graph: Graph, results: Sequence[Value], names: Sequence[str], variables: Mapping[str, Value]
) -> tuple[list[Value], list[str]]:
    """Values that carry the outputs' names; a value that has a name already gets a copy where it must."""
    named: list[Value] = []
    final: dict[str, None] = {}
    graph.scope = ""
    for value, wish in zip(results, names, strict=True):
        name, number = wish, 0
        while name in final or (name in variables and variables[name] is not value):
            number += 1
            name = f"{wish}_{number}"
        if value.name != name:
            if value.name or value.node is None or value.graph is not graph:
                value = graph.node("Identity", [value])
            value.name = name
        named.append(value)
        final[name] = None
    return named, list(final)
