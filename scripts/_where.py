"""Prints file:line of every facet of an operator, or what of MXNet's operators is not here."""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hybridonnx import ops
from hybridonnx.errors import UnknownOperatorError

ROOT = Path(__file__).resolve().parents[1]
METHODS = (
    "input_names",
    "infer_inputs",
    "infer_shape",
    "infer_back",
    "infer_input_dtypes",
    "infer_dtype",
    "noise_spec",
    "draw",
    "forward",
    "gradient",
    "updated",
)
"""The facets that are methods of the class."""


class Location(NamedTuple):
    """Where one facet stands."""

    facet: str
    file: str
    line: int
    note: str = ""

    def __str__(self) -> str:
        path = Path(self.file).resolve()
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        return f"{self.facet:<20}{shown}:{self.line}{self.note and '   '}{self.note}"


def in_class(op: type[ops.Operator]) -> Iterator[Location]:
    """The class or the table row, and the methods that the class or its family defines."""
    yield Location("class", *op.location, ", ".join(op.names))
    for name in METHODS:
        owner = next(cls for cls in op.__mro__ if name in vars(cls))
        if owner is ops.Operator:
            continue
        row = {"forward": "fn", "gradient": "rule"}.get(name, "")
        if row in vars(op):
            yield Location(name, *op.location, f"{row} of the row")
        elif not (name == "gradient" and op.not_differentiable):
            function = inspect.unwrap(vars(owner)[name])
            yield Location(name, *start(function), "" if owner is op else f"of {owner.__name__}")


def start(function: Callable[..., Any]) -> tuple[str, int]:
    """File and line of a function."""
    return function.__code__.co_filename, function.__code__.co_firstlineno


def lowering(op: type[ops.Operator]) -> Iterator[Location]:
    """The function that writes the operator as ONNX; where a row makes it, the row."""
    from hybridonnx.converters.to_onnx import _registry as lowerings

    function = lowerings.find(op)
    if function is None:
        return
    if "<" in function.__qualname__:  # a lambda, or local to the function that the row calls
        yield from mentions(op, "converters/to_onnx", "lowering")
    else:
        yield Location("lowering", *start(function), function.__name__)


def importers(op: type[ops.Operator]) -> Iterator[Location]:
    """The functions that make the operator out of ONNX nodes."""
    return mentions(op, "converters/from_onnx", "importer")


def cases(op: type[ops.Operator]) -> Iterator[Location]:
    """The tests' data."""
    return mentions(op, "tests/ops", "Case")


def mentions(op: type[ops.Operator], folder: str, facet: str) -> Iterator[Location]:
    """The functions, and the lines outside of any, that name the operator in a folder's files."""
    for path in sorted((ROOT / folder).glob("[!_]*.py")):
        for statement in ast.parse(path.read_bytes()).body:
            lines = sorted({node.lineno for node in named(statement, op.names)})
            if lines and isinstance(statement, ast.FunctionDef):
                yield Location(facet, str(path), statement.lineno, statement.name)
            else:
                yield from (Location(facet, str(path), line) for line in lines)


def named(node: ast.AST, names: tuple[str, ...]) -> Iterator[Any]:
    """The nodes that are one of the names: as text, among other operators' names, or as F.name.

    The value of an attribute is no name.
    """
    if isinstance(node, ast.keyword) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Attribute) and node.attr in names and ast.unparse(node.value) == "F":
        yield node
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        words = node.value.split()
        if not set(words).isdisjoint(names) and all(word in ops.load_all() for word in words):
            yield node
    for child in ast.iter_child_nodes(node):
        yield from named(child, names)


def report(op: type[ops.Operator]) -> Iterator[str]:
    """One line for each location, or for what is not there and why."""
    yield from map(str, in_class(op))
    if op.not_differentiable:
        yield f"{'gradient':<20}none: {op.not_differentiable}"
    for facet, locations, reason in (
        ("lowering", lowering(op), op.not_in_onnx),
        ("importer", importers(op), ""),
        ("Case", cases(op), ""),
    ):
        lines = [str(location) for location in locations]
        yield from lines or [f"{facet:<20}none{reason and ': '}{reason}"]


def absent() -> Iterator[str]:
    """MXNet's operators that are not here, by the reason."""
    listing = ROOT / "tests" / "oracle" / "operators.json"
    facts = json.loads(listing.read_text(encoding="utf-8"))["operators"]
    reasons: dict[str, list[str]] = {}
    for name, fact in sorted(facts.items()):
        if ops.load_all().keys().isdisjoint([name, *fact["aliases"]]):
            reasons.setdefault(ops.absence(name) or "no reason is written down", []).append(name)
    for reason, names in reasons.items():
        yield f"{len(names)} of {len(facts)}: {reason}"
        yield from textwrap.wrap(" ".join(names), 110, initial_indent="    ", subsequent_indent="    ")


def main(names: list[str]) -> int:
    if names and names[0].startswith("-"):
        print("usage: scripts/where [OPERATOR...]")
        return 2
    if not names:
        print(*absent(), sep="\n")
    for name in names:
        try:
            print(*report(ops.find(name)), sep="\n")
        except UnknownOperatorError as exc:
            print(exc, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
