"""Writes library_imports.json: the names of MXNet that published libraries import and use.

Run it with the oracle environment's Python and a folder that has a folder for each library, as
`pip install --no-deps --target FOLDER/gluoncv gluoncv==0.10.5` makes it:

    python tests/data/library_imports.py FOLDER

Names that MXNet 1.9.1 does not have either are left out: they are other versions', or typing errors.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

ROOT = "mxnet"
LIBRARIES = {
    "gluoncv": "gluoncv==0.10.5",
    "gluonnlp": "gluonnlp==0.10.0",
    "gluonts": "gluonts==0.9.9",
    "sockeye": "sockeye==2.3.24",
    "d2l": "d2l==0.17.6",
    "d2lzh": "d2lzh==1.0.0",
    "mxboard": "mxboard==0.1.0",
    "keras-mxnet": "keras-mxnet==2.2.4.3",
}
_HYBRID = "F"
"""The argument of hybrid_forward that stands for mxnet.nd or mxnet.sym."""


class _Names(ast.NodeVisitor):
    """The dotted names of MXNet in a file, by what it imports."""

    def __init__(self) -> None:
        self.bound = {_HYBRID: f"{ROOT}.nd"}
        self.names: set[str] = set()

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name.split(".")[0] == ROOT:
                self.names.add(alias.name)
                self.bound[alias.asname or ROOT] = alias.name if alias.asname else ROOT

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or not node.module or node.module.split(".")[0] != ROOT:
            return
        self.names.add(node.module)
        for alias in node.names:
            if alias.name != "*":
                self.names.add(f"{node.module}.{alias.name}")
                self.bound[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self.bound:
            self.names.add(".".join([self.bound[inner.id], *reversed(parts)]))
        self.generic_visit(node)


def _sources(folder: Path) -> Iterator[ast.Module]:
    for path in sorted(folder.rglob("*.py")):
        try:
            yield ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            print(f"{path}: no Python 3")


def resolve(name: str) -> Any:
    """The object of a dotted name; `AttributeError` or `ImportError` if there is none."""
    root, *parts = name.split(".")
    found = importlib.import_module(root)
    path = root
    for part in parts:
        path = f"{path}.{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            found = importlib.import_module(path)
    return found


def _exists(name: str) -> bool:
    try:
        resolve(name)
    except (AttributeError, ImportError):
        return False
    return True


def main() -> None:
    """Write the file, a line for each library."""
    warnings.simplefilter("ignore")
    lines = []
    for library, version in LIBRARIES.items():
        names: set[str] = set()
        for tree in _sources(Path(sys.argv[1]) / library):
            visitor = _Names()
            visitor.visit(tree)
            names |= visitor.names
        named = sorted(name.removeprefix(f"{ROOT}.") for name in names if name != ROOT and _exists(name))
        print(f"{version}: {len(named)} of {len(names)}")
        lines.append(f"{json.dumps(version)}: {json.dumps(named)}")
    path = Path(__file__).with_suffix(".json")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
