"""`-symbol.json`: a graph as text and numbers, read from every version since 0.8, written as by 1.9.1.

What the operators mean is not known here: names and attributes stay text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

from ..errors import FormatError

VERSION = 10901
"""The version of MXNet that written files name: 1.9.1."""

Reference: TypeAlias = tuple[int, int, int]
"""The number of a node, of one of its outputs, and of the version of a variable that operators change."""

_VARIABLE = "null"
_DEEPEST = 32
_LARGEST = 1 << 31


@dataclass(slots=True)
class GraphNode:
    """A variable or an operator with its attributes as text."""

    op: str
    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    inputs: list[Reference] = field(default_factory=list)
    subgraphs: list[Graph] = field(default_factory=list)
    dependencies: list[int] = field(default_factory=list)
    """Nodes that must run before this one, although it takes nothing of theirs."""
    outputs: int | None = 1
    """The number of outputs, hidden ones included; `None` if the file does not tell."""

    @property
    def is_variable(self) -> bool:
        """Whether the node is an input of the graph rather than an operator."""
        return self.op == _VARIABLE


@dataclass(slots=True)
class Graph:
    """Nodes in the order of their execution, and those of their outputs that are the graph's."""

    nodes: list[GraphNode] = field(default_factory=list)
    heads: list[Reference] = field(default_factory=list)
    version: int | None = VERSION
    """The version of MXNet that wrote the file, `None` if the file does not tell (before 0.9)."""
    np_shape: bool = False
    """Whether it was written under NumPy's shape semantics, in which a size of 0 is not an unknown one."""


# ---- reading


def read(text: str | bytes) -> Graph:
    """The graph that a file holds. Raises `FormatError`, naming the node, for anything that is not one."""
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        value = json.loads(decoded, strict=False)
    except UnicodeDecodeError as exc:
        raise FormatError(f"symbol.json: not UTF-8 text, from byte {exc.start} on.") from None
    except RecursionError:
        raise FormatError("symbol.json: the nesting is too deep for a graph.") from None
    except ValueError as exc:
        raise FormatError(f"symbol.json: not valid JSON: {exc}.") from None
    return _graph(value, "symbol.json", 0)


def _graph(value: Any, where: str, depth: int) -> Graph:
    if depth > _DEEPEST:
        raise FormatError(f"{where}: subgraphs inside each other are {_DEEPEST} at most.")
    _expect(isinstance(value, dict), where, "an object with nodes and heads", value)
    listed = _list(value.get("nodes"), where, "nodes")
    attributes = value.get("attrs")
    graph = Graph(version=_number(attributes, "mxnet_version", where))
    graph.np_shape = bool(_number(attributes, "is_np_shape", where))
    for index, item in enumerate(listed):
        graph.nodes.append(_node(item, index, graph.nodes, len(listed), where, depth))
    for index, outputs in enumerate(_row_lengths(value.get("node_row_ptr"), len(listed))):
        graph.nodes[index].outputs = outputs
    heads = _list(value.get("heads"), where, "heads")
    _expect(bool(heads), where, "heads with at least one output", heads)
    for head in heads:
        graph.heads.append(_reference(head, graph.nodes, len(listed), f"{where}: heads"))
    for index in _list(value.get("arg_nodes", []), where, "arg_nodes"):
        known = _is_count(index) and index < len(listed) and graph.nodes[index].is_variable
        _expect(known, where, "arg_nodes with the numbers of variables", index)
    return graph


def _node(
    item: Any, index: int, before: Sequence[GraphNode], count: int, where: str, depth: int
) -> GraphNode:
    here = f"{where}: node {index}"
    _expect(isinstance(item, dict), here, "an object", item)
    name = _string(item.get("name"), here, "a name")
    here = f"{where}: node {index} ({name[:80]!r})"
    op = _string(item.get("op"), here, "an operator name in op")
    node = GraphNode(op, name, _attributes(item, here), outputs=1 if op == _VARIABLE else None)
    for reference in _list(item.get("inputs", []), here, "inputs"):
        node.inputs.append(_reference(reference, before, count, here))
    _expect(not (node.is_variable and node.inputs), here, "a variable without inputs", node.inputs)
    for dependency in _list(item.get("control_deps", []), here, "control_deps"):
        node.dependencies.append(_reference([dependency, 0], before, count, here)[0])
    for i, subgraph in enumerate(_list(item.get("subgraphs", []), here, "subgraphs")):
        node.subgraphs.append(_graph(subgraph, f"{here}: subgraph {i}", depth + 1))
    return node


def _attributes(item: dict[str, Any], here: str) -> dict[str, str]:
    """The attributes under the keys of all ages: `param` (0.8) beside `attr` (0.8 to 0.12) or `attrs`."""
    merged: dict[str, str] = {}
    written = next((k for k in reversed(item) if k in ("attr", "attrs")), None)
    for key in ("param", written):
        entries = item.get(key, {}) if key else {}
        _expect(isinstance(entries, dict), here, f"an object in {key}", entries)
        for name, text in entries.items():
            _string(name, here, f"text in {key}")
            merged[name] = _string(text, here, f"text as attribute {name[:80]}")
    return merged


def _reference(value: Any, before: Sequence[GraphNode], count: int, here: str) -> Reference:
    numbers = value if isinstance(value, list) else []
    shaped = len(numbers) in (2, 3) and all(map(_is_count, numbers))
    _expect(shaped, here, "references as [node, output] or [node, output, version]", value)
    node, output = numbers[0], numbers[1]
    _expect(node < count, here, f"a reference to one of {count} nodes", node)
    _expect(node < len(before), here, "references to earlier nodes only", node)
    outputs = before[node].outputs
    _expect(outputs is None or output < outputs, here, f"one of the outputs of node {node}", output)
    return node, output, numbers[2] if len(numbers) == 3 else 0


def _row_lengths(pointers: Any, count: int) -> Iterator[int | None]:
    """The nodes' numbers of outputs, from the row pointers if those are sound."""
    sound = (
        isinstance(pointers, list)
        and len(pointers) == count + 1
        and all(map(_is_count, pointers))
        and all(a <= b for a, b in pairwise(pointers))
    )
    if sound:
        yield from (b - a for a, b in pairwise(pointers))


def _number(attributes: Any, key: str, where: str) -> int | None:
    entry = attributes.get(key) if isinstance(attributes, dict) else None
    if entry is None:
        return None
    typed = isinstance(entry, list) and len(entry) == 2 and _is_count(entry[1])
    required = (
        'a version such as ["int", 10901]'
        if key == "mxnet_version"
        else f'a flag such as ["int", 1] in {key}'
    )
    _expect(typed, where, required, entry)
    number: int = entry[1]
    return number


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST


def _list(value: Any, where: str, key: str) -> list[Any]:
    _expect(isinstance(value, list), where, f"a list in {key}", value)
    items: list[Any] = value
    return items


def _string(value: Any, where: str, required: str) -> str:
    _expect(isinstance(value, str), where, required, value)
    text: str = value
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise FormatError(f"{where}: valid Unicode is required, got half a surrogate pair.") from None
    return text


def _expect(holds: bool, where: str, required: str, value: Any) -> None:
    if not holds:
        raise FormatError(f"{where}: {required} is required, got {_excerpt(value)}.")


def _excerpt(value: Any) -> str:
    if isinstance(value, dict | list) and value:
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if isinstance(value, str):
        value = value[:80]
    return repr(value)[:100]


# ---- writing


def write(graph: Graph, version: int = VERSION) -> str:
    """The text that MXNet writes for this graph, to the byte; `version` is the one it names."""
    return write_nodes(graph.nodes, graph.heads, graph.np_shape, version)


def write_nodes(
    nodes: Iterable[GraphNode], heads: Iterable[Reference], np_shape: bool = False, version: int = VERSION
) -> str:
    """The same of a graph whose nodes come one at a time: many at once cost Python's garbage collector."""
    return "".join(_write_nodes(nodes, heads, {"is_np_shape": 1} if np_shape else {}, version, ""))


def _write_nodes(
    nodes: Iterable[GraphNode],
    heads: Iterable[Reference],
    flags: Mapping[str, int],
    version: int | None,
    margin: str,
) -> Iterator[str]:
    inner = margin + "  "
    variables, pointers, separator = [], ["0"], ""
    total = 0
    yield "{\n" + inner + '"nodes": [\n'
    for i, node in enumerate(nodes):
        yield separator
        yield from _write_node(node, inner + "  ")
        separator = ", \n"
        total += 1 if node.outputs is None else node.outputs
        pointers.append(str(total))
        if node.is_variable:
            variables.append(str(i))
    yield "\n" if separator else ""
    yield inner + "], \n" + inner + '"arg_nodes": ' + _array(variables, inner)
    yield ", \n" + inner + '"node_row_ptr": ' + _array(pointers, inner)
    yield ", \n" + inner + '"heads": ' + _array([_triple(h) for h in heads], inner)
    if version is not None:
        pairs = [f'"{key}": ["int", {number}]' for key, number in {**flags, "mxnet_version": version}.items()]
        yield ", \n" + inner + '"attrs": ' + _object(pairs, inner)
    yield "\n" + margin + "}"


def _write_node(node: GraphNode, margin: str) -> Iterator[str]:
    inner = margin + "  "
    yield margin + "{\n" + inner + f'"op": {_quoted(node.op)}, \n'
    yield inner + f'"name": {_quoted(node.name)}, \n'
    if node.attributes:
        yield inner + '"attrs": ' + _write_attributes(node.attributes, inner) + ", \n"
    yield inner + '"inputs": ' + _array([_triple(i) for i in node.inputs], inner)
    if node.dependencies:
        yield ", \n" + inner + '"control_deps": ' + _array([str(d) for d in node.dependencies], inner)
    if node.subgraphs:
        yield ", \n" + inner + '"subgraphs": [\n'
        for i, subgraph in enumerate(node.subgraphs):
            yield inner + "  "
            yield from _write_nodes(subgraph.nodes, subgraph.heads, {}, None, inner + "  ")
            yield ", \n" if i + 1 < len(node.subgraphs) else "\n"
        yield inner + "]"
    yield "\n" + margin + "}"


def _write_attributes(attributes: dict[str, str], margin: str) -> str:
    return _object([f"{_quoted(key)}: {_quoted(attributes[key])}" for key in sorted(attributes)], margin)


def _object(pairs: list[str], margin: str) -> str:
    """A single pair stands on one line, more on a line each."""
    if len(pairs) == 1:
        return "{" + pairs[0] + "}"
    inner = margin + "  "
    return "{\n" + ", \n".join(inner + pair for pair in pairs) + "\n" + margin + "}"


def _array(items: list[str], margin: str) -> str:
    """Up to ten items stand on one line, more on a line each."""
    if len(items) <= 10:
        return "[" + ", ".join(items) + "]"
    return "[\n" + ", \n".join(margin + "  " + item for item in items) + "\n" + margin + "]"


def _triple(reference: Reference) -> str:
    return f"[{reference[0]}, {reference[1]}, {reference[2]}]"


_ESCAPED = re.compile(r'[\\"\n\r\t]')
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def _quoted(text: str) -> str:
    """A string as MXNet escapes it: five characters and no others."""
    return '"' + (text.translate(_ESCAPES) if _ESCAPED.search(text) else text) + '"'
