"""Subgraphs in place of the nodes that have them, without two values of one name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto, helper


class Names:
    """The names that a model uses. A value that moves into the main graph keeps its name if it is free there.

    A name that is made up is in no subgraph either, as what stands there is visible in the subgraphs inside.
    """

    def __init__(self, graph: GraphProto) -> None:
        self._main = {*defined(graph), *(output.name for output in graph.output)}
        self._anywhere = set(_mentioned(graph))

    def add(self, nodes: Iterable[NodeProto]) -> None:
        """Take note of nodes that came into the main graph under names that were new there."""
        graph = GraphProto(node=nodes)
        self._main.update(defined(graph))
        self._anywhere.update(_mentioned(graph))

    def main(self, wish: str) -> str:
        """The name `wish` in the main graph, with a number if it has that name already."""
        name = wish if wish not in self._main else self._numbered(f"{wish}_", 1)
        self._main.add(name)
        self._anywhere.add(name)
        return name

    def new(self, stem: str) -> str:
        """A name that nothing has: `stem` with a number."""
        name = self._numbered(stem, 0)
        self._main.add(name)
        self._anywhere.add(name)
        return name

    def _numbered(self, stem: str, number: int) -> str:
        while f"{stem}{number}" in self._anywhere or f"{stem}{number}" in self._main:
            number += 1
        return f"{stem}{number}"


def splice(
    node: NodeProto, title: str, graph: GraphProto, names: Names
) -> tuple[list[NodeProto], dict[str, TensorProto]]:
    """The nodes that compute the outputs of `node` as its subgraph `graph` does, and their initializers."""
    renamed = {name: names.main(name) for name in dict.fromkeys(defined(graph))}
    nodes = []
    for inner in graph.node:
        copy = NodeProto()
        copy.CopyFrom(inner)
        copy.output[:] = [renamed.get(name, name) for name in inner.output]
        rename_uses(copy, renamed)
        nodes.append(copy)
    for i, (result, output) in enumerate(zip(graph.output, node.output, strict=True)):
        if output:
            source = renamed.get(result.name, result.name)
            nodes.append(helper.make_node("Identity", [source], [output], name=f"{title}_{i}"))
    return nodes, {renamed[tensor.name]: tensor for tensor in graph.initializer}


def write_out_initializers(nodes: Iterable[NodeProto]) -> None:
    """Make the initializers of all subgraphs Constant nodes, as ONNX's inliner renames only their uses."""
    for node in nodes:
        for graph in subgraphs(node):
            constants = [helper.make_node("Constant", [], [t.name], value=t) for t in graph.initializer]
            nodes_inside = GraphProto(node=[*constants, *graph.node]).node
            del graph.initializer[:], graph.node[:]
            graph.node.extend(nodes_inside)
            write_out_initializers(graph.node)


def write_constants_in(node: NodeProto, constants: Callable[[str], TensorProto | None]) -> None:
    """Give a node's subgraphs the constants from outside that ONNX's inference does not see there."""
    for graph in subgraphs(node):
        own = set(defined(graph))
        for inner in graph.node:
            write_constants_in(inner, lambda name, own=own: None if name in own else constants(name))  # type: ignore[misc]
        names = dict.fromkeys(name for inner in graph.node for name in inner.input if name not in own)
        graph.initializer.extend(filter(None, map(constants, names)))


def defined(graph: GraphProto) -> Iterator[str]:
    """The names of the values that a graph itself has, those of its subgraphs not among them."""
    for item in (*graph.input, *graph.initializer):
        yield item.name
    for node in graph.node:
        yield from filter(None, node.output)


def captured(graph: GraphProto) -> list[str]:
    """The names of the values that a graph and the subgraphs inside take from outside."""
    own = set(defined(graph))
    names = [output.name for output in graph.output]
    for node in graph.node:
        names += node.input
        names += (name for inner in subgraphs(node) for name in captured(inner))
    return [name for name in dict.fromkeys(names) if name and name not in own]


def uses(node: NodeProto) -> list[str]:
    """The names of the values that a node takes, in its subgraphs as well."""
    return [*node.input, *(name for graph in subgraphs(node) for name in captured(graph))]


def rename_uses(node: NodeProto, renamed: Mapping[str, str]) -> None:
    """Follow new names in a node's inputs, and where its subgraphs use values from around them."""
    node.input[:] = [renamed.get(name, name) for name in node.input]
    for graph in subgraphs(node):
        hidden = set(defined(graph))
        visible = {name: new for name, new in renamed.items() if name not in hidden}
        for inner in graph.node:
            rename_uses(inner, visible)
        for output in graph.output:
            output.name = visible.get(output.name, output.name)


def renamed(attribute: AttributeProto, names: Callable[[str], str]) -> AttributeProto:
    """An attribute in which all values of its graphs, their own and those from outside, have other names."""
    copy = AttributeProto()
    copy.CopyFrom(attribute)
    _rename_inside(copy, names)
    return copy


def _rename_inside(attribute: AttributeProto, names: Callable[[str], str]) -> None:
    for graph in _graphs(attribute):
        for info in (*graph.input, *graph.output, *graph.initializer, *graph.value_info):
            info.name = names(info.name)
        for node in graph.node:
            node.input[:] = map(names, node.input)
            node.output[:] = map(names, node.output)
            for inner in node.attribute:
                _rename_inside(inner, names)


def captured_inside(attribute: AttributeProto) -> list[str]:
    """The names of the values that the graphs of an attribute take from outside."""
    return [name for graph in _graphs(attribute) for name in captured(graph)]


def nodes_of(graph: GraphProto | FunctionProto) -> Iterator[NodeProto]:
    """The nodes of a graph, or of a function, and of the subgraphs inside."""
    for node in graph.node:
        yield node
        for inner in subgraphs(node):
            yield from nodes_of(inner)


def subgraphs(node: NodeProto) -> Iterator[GraphProto]:
    """The graphs that a node has for attributes."""
    for attribute in node.attribute:
        yield from _graphs(attribute)


def _graphs(attribute: AttributeProto) -> Iterator[GraphProto]:
    if attribute.type == AttributeProto.GRAPH:
        yield attribute.g
    yield from attribute.graphs


def _mentioned(graph: GraphProto) -> Iterator[str]:
    """Every name of a value in a graph and in the subgraphs inside."""
    yield from defined(graph)
    for output in graph.output:
        yield output.name
    for node in graph.node:
        yield from node.input
        yield from mentioned(node)


def mentioned(node: NodeProto) -> Iterator[str]:
    """Every name of a value in the subgraphs of a node."""
    for graph in subgraphs(node):
        yield from _mentioned(graph)
