"""Graphs to and from the text of `-symbol.json`, with what old files lack put right.

`formats.symbol_json` knows the text; what takes knowledge of operators is done here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from .. import config
from ..errors import FormatError, MXNetError
from ..formats import symbol_json
from ..formats.symbol_json import Graph, GraphNode
from ..ndarray.np_shape import is_np_shape
from ..ops import Operator, find
from .compose import HIDDEN_KEYS, Outputs, input_variable, tell_initializers
from .graph import Entry, Node, copy, is_operator, moved, topological
from .infer import NO_AXES, has_scalars
from .subgraph import Body

_BEFORE_VERSIONS = 800
"""The version that files without one are taken for."""
_LISTS_ALL_INPUTS = 900
"""The version since which files list every input of an operator, auxiliary states included."""


def to_json(symbol: Outputs, remove_amp_cast: bool = True) -> str:
    """The text of a `-symbol.json` file, without casts that mixed precision has inserted."""
    whole = _without_casts(symbol) if remove_amp_cast else symbol
    order = topological(whole.outputs)
    as_numpy = is_np_shape() or has_scalars(order)
    nodes, heads = _nodes(order, whole.outputs)
    if as_numpy:
        nodes = _with_scalars(nodes, not is_np_shape())
    return symbol_json.write_nodes(nodes, heads, as_numpy, config.MXNET_VERSION())


def _without_casts(symbol: Outputs) -> Outputs:
    """The graph in which the operators take what was cast for mixed precision as it was before."""
    nodes = topological(symbol.outputs)
    casts = {n for n in nodes if not n.is_variable and n.is_known and n.op.mixes_precision}
    if not casts:
        return symbol
    copies: dict[Node, Node] = {}
    for node in nodes:
        copies[node] = copy(node, [moved(_before_casts(entry, casts), copies) for entry in node.inputs])
    return Outputs([moved(entry, copies) for entry in symbol.outputs])


def _before_casts(entry: Entry, casts: Set[Node]) -> Entry:
    while entry.node in casts:
        entry = entry.node.inputs[entry.output]
    return entry


def _nodes(
    order: Sequence[Node], outputs: Iterable[Entry]
) -> tuple[Iterator[GraphNode], list[symbol_json.Reference]]:
    """The nodes of a graph one at a time, and its heads."""
    numbers = {node: number for number, node in enumerate(order)}

    def written(node: Node) -> GraphNode:
        versions = node.versions or (0,) * len(node.inputs)
        inputs = [
            (numbers[entry.node], entry.output, version)
            for entry, version in zip(node.inputs, versions, strict=True)
        ]
        subgraphs = [_subgraph(subgraph, node) for subgraph in node.subgraphs]
        return GraphNode(node.op_name, node.name, node.attrs, inputs, subgraphs, outputs=node.counted())

    return map(written, order), [(numbers[node], output, node.changes) for node, output in outputs]


def _subgraph(subgraph: Body, node: Node) -> Graph:
    if not subgraph.is_written:
        raise MXNetError(
            f"tojson: a graph without gradients of loops is required, got {node.name}. Write the one before."
        )
    nodes, heads = _nodes(topological(subgraph.outputs), subgraph.outputs)
    return Graph([*nodes], heads)


def from_json(text: str | bytes) -> list[Entry]:
    """The outputs of the graph that a `-symbol.json` file holds. Raises `FormatError` if it holds none."""
    graph = symbol_json.read(text)
    if is_np_shape() and not graph.np_shape:
        _keep_unknown(graph)
    if graph.np_shape and not is_np_shape():
        _keep_scalars(graph)
    if graph.np_shape or is_np_shape():
        _take_numpys(graph)
    return _entries(graph, graph.version or _BEFORE_VERSIONS)


def _take_numpys(graph: Graph) -> None:
    """Name the operators that the nodes' stand for under NumPy's shape semantics."""
    for node in graph.nodes:
        cls = _operator(node)
        if cls is not None and cls.under_np_shape:
            node.op = cls.under_np_shape
        for subgraph in node.subgraphs:
            _take_numpys(subgraph)


def _keep_unknown(graph: Graph) -> None:
    """Write variables' unknown sizes, 0 in the file, as NumPy's semantics have them, -1."""
    for node in graph.nodes:
        text = node.attributes.get("__shape__")
        if text is not None and node.is_variable:
            node.attributes["__shape__"] = _opened(text)


def _opened(text: str) -> str:
    return f"[{','.join(size if size != '0' else '-1' for size in re.findall(r'-?[0-9]+', text))}]"


def _variables(graph: Graph) -> Iterator[GraphNode]:
    """The variables that tell their shape, those of graphs inside of nodes included."""
    for node in graph.nodes:
        if node.is_variable and "__shape__" in node.attributes:
            yield node
        for subgraph in node.subgraphs:
            yield from _variables(subgraph)


def _keep_scalars(graph: Graph) -> None:
    """Write shapes without axes so that MXNet's own semantics do not take them for unknown ones."""
    for node in _variables(graph):
        if node.attributes["__shape__"].strip() == "()":
            node.attributes["__shape__"] = NO_AXES


def _with_scalars(nodes: Iterable[GraphNode], opens: bool) -> Iterator[GraphNode]:
    """Nodes whose shapes are written as NumPy's semantics have them; with `opens` they are in MXNet's own."""
    for node in nodes:
        for subgraph in node.subgraphs:
            subgraph.nodes = [*_with_scalars(subgraph.nodes, opens)]
        text = node.attributes.get("__shape__") if node.is_variable else None
        if text is not None:
            node.attributes = _with_scalar_shape(node.attributes, text, opens)
        yield node


def _with_scalar_shape(attributes: Mapping[str, str], text: str, opens: bool) -> dict[str, str]:
    result = {**attributes, "__shape__": "()" if text == NO_AXES else text}
    if opens and text.strip() in ("()", "None"):
        del result["__shape__"]
    elif opens and text != NO_AXES and "0" in re.findall(r"-?[0-9]+", text):
        result["__shape__"] = _opened(text)
    return result


def _entries(graph: Graph, version: int) -> list[Entry]:
    operators = [_operator(node) for node in graph.nodes]
    if version < symbol_json.VERSION:
        for node, cls in zip(graph.nodes, operators, strict=True):
            _upgrade_hidden_keys(node, cls, graph.nodes)
            if cls is not None:
                node.attributes = cls.upgraded(node.attributes, version)
    nodes: list[Node] = []
    for node, cls in zip(graph.nodes, operators, strict=True):
        nodes.append(_make_node(node, cls, nodes, version))
    return [_checked(nodes, node, output, "heads") for node, output, _ in graph.heads]


def _operator(node: GraphNode) -> type[Operator] | None:
    """The operator's class; `None` for variables, and for operators that are not known yet."""
    return None if node.is_variable or not is_operator(node.op, node.attributes) else find(node.op)


def _upgrade_hidden_keys(node: GraphNode, cls: type[Operator] | None, nodes: Sequence[GraphNode]) -> None:
    """Move `lr_mult` to `__lr_mult__`, and an operator's `weight_lr_mult` to its variable weight."""
    for key in list(node.attributes):
        hidden = next((h for h in HIDDEN_KEYS if key == h or key.endswith(f"_{h}")), None)
        if hidden is None or (cls is not None and key in cls.schema()):
            continue
        if key == hidden:
            node.attributes[f"__{hidden}__"] = node.attributes.pop(key)
        elif cls is not None:
            _move_to_input(node, cls, key, hidden, nodes)


def _move_to_input(
    node: GraphNode, cls: type[Operator], key: str, hidden: str, nodes: Sequence[GraphNode]
) -> None:
    owner = key.removesuffix(f"_{hidden}")
    if owner in cls.inputs and cls.inputs.index(owner) < len(node.inputs):
        variable = nodes[node.inputs[cls.inputs.index(owner)][0]]
        if variable.is_variable:
            variable.attributes[f"__{hidden}__"] = node.attributes.pop(key)


def _make_node(node: GraphNode, cls: type[Operator] | None, before: Sequence[Node], version: int) -> Node:
    inputs = [_checked(before, number, output, node.name) for number, output, _ in node.inputs]
    subgraphs = [Body(_entries(subgraph, version)) for subgraph in node.subgraphs]
    result = Node(cls.names[0] if cls else node.op, node.name, node.attributes, inputs, subgraphs)
    result.stored_outputs = node.outputs
    if cls is not None:
        _require_counts(result, cls)
    elif node.outputs is not None:
        _require_few(result, node.outputs)
    versions = [number for _, _, number in node.inputs]
    if cls is not None and version < _LISTS_ALL_INPUTS:
        missing = result.op.input_names()[len(inputs) :]
        result.complete([input_variable(result.op, node.name, name, node.attributes) for name in missing])
        versions += [0] * len(missing)
        tell_initializers(result.op, result.inputs)
    result.versions = tuple(versions) if any(versions) else ()
    return result


_MOST_OUTPUTS = 1 << 16


def _require_counts(node: Node, cls: type[Operator]) -> None:
    """Hold the attributes that count inputs and outputs to what there is, before names are made for them."""
    count = getattr(node.op, cls.variadic) if cls.variadic else 0
    inputs = cls.counted_inputs(count) if cls.variadic else 0
    if count < 0 or not 0 <= inputs <= len(node.inputs):
        raise FormatError(
            f"symbol.json: {node.name[:80]!r} has {len(node.inputs)} inputs, so {cls.variadic} of that "
            f"number is required, got {count}."
        )
    outputs = getattr(node.op, cls.output_count) if cls.output_count else 0
    _require_few(node, outputs)


def _require_few(node: Node, outputs: int) -> None:
    if outputs > _MOST_OUTPUTS:
        raise FormatError(
            f"symbol.json: {node.name[:80]!r} may have at most {_MOST_OUTPUTS} outputs, got {outputs}."
        )


def _checked(nodes: Sequence[Node], number: int, output: int, user: str) -> Entry:
    node = nodes[number]
    if node.is_known and output >= node.count():
        raise FormatError(
            f"symbol.json: {user!r} takes output {output} of node {number} ({node.name!r}), which has "
            f"{node.count()}."
        )
    if not node.is_known and output >= node.count():  # the file does not tell how many there are
        _require_few(node, output + 1)
        node.stored_outputs = output + 1
    return Entry(node, output)
