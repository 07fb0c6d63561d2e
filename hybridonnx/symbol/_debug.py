"""Graphs as text for people."""

from __future__ import annotations

from collections.abc import Iterator

from .compose import Outputs
from .graph import Entry, Node, topological


def debug_str(symbol: Outputs) -> str:
    """The outputs, the variables, and each operator with its inputs and attributes."""
    lines = ["Symbol Outputs:"]
    lines += [f"\toutput[{i}]={_entry(entry)}" for i, entry in enumerate(symbol.outputs)]
    for node in topological(symbol.outputs):
        if node.is_variable:
            lines.append(f"Variable:{node.name}")
        else:
            lines += ["-" * 20, *_operator(node)]
    return "\n".join(lines) + "\n"


def _operator(node: Node) -> Iterator[str]:
    yield f"Op:{node.op_name}, Name={node.name}"
    if node.inputs:
        yield "Inputs:"
        versions = node.versions or (0,) * len(node.inputs)
        for i, (entry, version) in enumerate(zip(node.inputs, versions, strict=True)):
            yield f"\targ[{i}]={_entry(entry)} version={version}"
    if node.attrs:
        yield "Attrs:"
        for key in sorted(node.attrs):
            yield f"\t{key}={node.attrs[key]}"


def _entry(entry: Entry) -> str:
    return f"{entry.node.name}({entry.output})"
