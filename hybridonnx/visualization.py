"""A symbol's layers as a table, and its graph as a drawing by Graphviz."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from .dtypes import DTypeLike
from .symbol.symbol import Symbol

__all__ = ["plot_network", "print_summary"]

Size = int | None
Specs = dict[str, tuple[Size, ...]]

_PARAMETERS = {"weight", "bias", "gamma", "beta", "parameters"}
"""What operators call those of their inputs that training changes."""
_WEIGHTS = (
    "_weight",
    "_bias",
    "_beta",
    "_gamma",
    "_moving_var",
    "_moving_mean",
    "_running_var",
    "_running_mean",
)
"""How the names of variables end that drawings have no nodes for."""
_INPUT, _OTHER = "#8dd3c7", "#fccde5"
_COLORS = {
    "Convolution": "#fb8072",
    "FullyConnected": "#fb8072",
    "BatchNorm": "#bebada",
    "Activation": "#ffffb3",
    "LeakyReLU": "#ffffb3",
    "Pooling": "#80b1d3",
    "Concat": "#fdb462",
    "Flatten": "#fdb462",
    "Reshape": "#fdb462",
}


def print_summary(
    symbol: Symbol,
    shape: Mapping[str, Sequence[int]] | None = None,
    line_length: int = 120,
    positions: Sequence[float] = (0.44, 0.64, 0.74, 1.0),
) -> None:
    """Print a table of the layers: the output's shape without the batch, parameters, and what comes before.

    Args:
        symbol: The symbol.
        shape: The shapes of the inputs; without them the table has neither shapes nor counts.
        line_length: Characters of a line.
        positions: Where the columns end, as parts of the line or as characters.

    Raises:
        TypeError: If it is no symbol.
        ValueError: If the shapes do not tell all others.
    """
    if not isinstance(symbol, Symbol):
        raise TypeError(f"print_summary: symbol must be Symbol, got {type(symbol).__name__}.")
    nodes = json.loads(symbol.tojson())["nodes"]
    shapes = {} if shape is None else _shapes(symbol, shape)
    counts = _parameters(symbol, shape or {})
    ends = [int(line_length * p) for p in positions] if positions[-1] <= 1 else [int(p) for p in positions]
    print("_" * line_length)
    print(_row(["Layer (type)", "Output Shape", "Param #", "Previous Layer"], ends))
    print("=" * line_length)
    total: dict[str, int] = {}
    for index, node in enumerate(nodes):
        if node["op"] == "null" and index > 0:
            continue
        owned = counts.get(node["name"], {})
        total |= owned
        size = "x".join(str(s) for s in shapes.get(_output(node), ())[1:])
        before = [nodes[i]["name"] for i, *_ in node["inputs"] if nodes[i]["op"] != "null" or i == 0]
        title = f"{node['name']}({node['op']})"
        print(_row([title, size, sum(owned.values()), before[0] if before else ""], ends))
        for name in before[1:]:
            print(_row(["", "", "", name], ends))
        print(("=" if index == len(nodes) - 1 else "_") * line_length)
    print(f"Total params: {sum(total.values())}")
    print("_" * line_length)


def _row(fields: Sequence[object], ends: Sequence[int]) -> str:
    """The fields, each cut or filled to where its column ends."""
    line = ""
    for field, end in zip(fields, ends, strict=True):
        line = f"{line}{field}"[:end].ljust(end)
    return line


def _output(node: Mapping[str, Any]) -> str:
    """The name that the only output of a node of a file has."""
    name: str = node["name"]
    return name if node["op"] == "null" else f"{name}_output"


def _shapes(symbol: Symbol, shape: Mapping[str, Sequence[int]]) -> Specs:
    """The shape of each entry by its name."""
    internals = symbol.get_internals()
    _, outputs, _ = internals.infer_shape(**shape)
    if outputs is None:
        raise ValueError(f"Input shape is incomplete: those of all inputs are required, got {dict(shape)}.")
    return dict(zip(internals.list_outputs(), outputs, strict=True))


def _parameters(symbol: Symbol, shape: Mapping[str, Sequence[int]]) -> dict[str, dict[str, int]]:
    """The elements of each parameter by layer, as far as their shapes are known."""
    arguments, _, _ = symbol.infer_shape_partial(**shape)
    sizes = dict(zip(symbol.list_arguments(), arguments or (), strict=False))
    counts: dict[str, dict[str, int]] = {}
    for node in symbol.nodes():
        if not node.is_variable:
            roles = zip(node.op.input_names(), node.inputs, strict=False)
            names = [e.node.name for role, e in roles if role in _PARAMETERS and e.node.is_variable]
            counts[node.name] = {n: prod(sizes[n]) for n in names if n not in shape and sizes.get(n)}
    return counts


def plot_network(
    symbol: Symbol,
    title: str = "plot",
    save_format: str = "pdf",
    shape: Mapping[str, Sequence[int]] | None = None,
    dtype: Mapping[str, DTypeLike] | None = None,
    node_attrs: Mapping[str, str] | None = None,
    hide_weights: bool = True,
) -> Any:
    """Draw the graph by the package `graphviz`: a node for each layer and input, an edge for each array.

    Args:
        symbol: The symbol.
        title: The drawing's name.
        save_format: The format that the drawing's `render` writes.
        shape: The shapes of the inputs, to have shapes without the batch at the edges.
        dtype: The types of the inputs, to have types at the edges.
        node_attrs: Graphviz's attributes for the nodes, over those that they have.
        hide_weights: Whether variables whose names end like weights' and moving averages' are left out.

    Returns:
        The drawing, a `graphviz.Digraph`.

    Raises:
        ImportError: If the package is not installed.
        TypeError: If it is no symbol.
        ValueError: If the shapes do not tell all others.
    """
    if not isinstance(symbol, Symbol):
        raise TypeError(f"plot_network: symbol must be a Symbol, got {type(symbol).__name__}.")
    shapes = None if shape is None else _shapes(symbol, shape)
    types = None if dtype is None else _types(symbol, dtype)
    nodes = json.loads(symbol.tojson())["nodes"]
    drawing = _drawing(title, save_format)
    hidden = {node["name"] for node in nodes if hide_weights and _is_weight(node)}
    for node in nodes:
        if not _is_weight(node):  # one that is not hidden is made by its edges
            drawing.node(name=node["name"], label=_label(node), **_look(node, node_attrs or {}))
    for node in nodes:
        for index, output, *_ in node["inputs"]:
            source = nodes[index]
            if source["name"] not in hidden:
                label = _edge(source, output, shapes, types)
                ends = {"tail_name": node["name"], "head_name": source["name"]}
                drawing.edge(**ends, dir="back", arrowtail="open", label=label)
    return drawing


def _drawing(title: str, save_format: str) -> Any:
    try:
        from graphviz import Digraph
    except ImportError:
        raise ImportError(
            "plot_network: the package graphviz is required, and not installed. Run `pip install graphviz`."
        ) from None
    return Digraph(name=title, format=save_format)


def _is_weight(node: Mapping[str, Any]) -> bool:
    """Whether a node is a variable named like a weight or a moving average."""
    return node["op"] == "null" and str(node["name"]).endswith(_WEIGHTS)


def _look(node: Mapping[str, Any], chosen: Mapping[str, str]) -> dict[str, str]:
    """Graphviz's attributes of a node: the user's before ours, but for the color, and inputs' shape."""
    size = {"fixedsize": "true", "width": "1.3", "height": "0.8034"}
    look = {"shape": "box", **size, "style": "filled", **chosen}
    if node["op"] == "null":
        return {**look, "shape": "oval", "fillcolor": _INPUT}
    return {**look, "fillcolor": _COLORS.get(node["op"], _OTHER)}


def _types(symbol: Symbol, dtype: Mapping[str, DTypeLike]) -> dict[str, Any]:
    """The type of each entry by its name."""
    internals = symbol.get_internals()
    _, types, _ = internals.infer_type(**dtype)
    if types is None:
        raise ValueError(f"Input type is incomplete: those of all inputs are required, got {dict(dtype)}.")
    return dict(zip(internals.list_outputs(), types, strict=True))


def _label(node: Mapping[str, Any]) -> str:
    """What stands in a node: its name, or the operator with what matters of its attributes."""
    kind, attrs = node["op"], node.get("attrs", {})
    if kind in ("Convolution", "Pooling"):
        window = f"{_sizes(attrs.get('kernel', '()'))}/{_sizes(attrs.get('stride', '1'))}"
        if kind == "Pooling":
            return f"Pooling\n{attrs.get('pool_type', 'max')}, {window}"
        return f"Convolution\n{window}, {attrs['num_filter']}"
    if kind == "FullyConnected":
        return f"FullyConnected\n{attrs['num_hidden']}"
    if kind == "Activation":
        return f"Activation\n{attrs.get('act_type', '')}"
    if kind == "LeakyReLU":
        return f"LeakyReLU\n{attrs.get('act_type', 'Leaky')}"
    label: str = attrs.get("op_type", node["name"]) if kind == "Custom" else node["name"]
    return label


def _sizes(text: str) -> str:
    """`(5, 5)` as 5x5."""
    return "x".join(size.strip() for size in text.strip("()[]").split(",") if size.strip())


def _edge(node: Mapping[str, Any], output: int, shapes: Specs | None, types: Mapping[str, Any] | None) -> str:
    """What stands at the edge of a node's output: its shape without the batch, its type."""
    key = _output(node)
    known = shapes if shapes is not None else types
    if known is not None and key not in known:
        key = f"{key}{output}"
    label = "" if shapes is None else "x".join(str(size) for size in shapes.get(key, ())[1:])
    return label if types is None else f"{label}({types[key].__name__})"
