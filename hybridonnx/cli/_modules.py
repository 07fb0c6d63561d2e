"""The modules that are commands; what they say of themselves is read without importing them."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).parent


def command_names() -> list[str]:
    """The names of all commands in order."""
    return sorted(path.stem for path in _FOLDER.glob("[!_]*.py"))


def summary(name: str) -> str:
    """What a command does, in a line."""
    return (ast.get_docstring(_source(name)) or "").partition("\n")[0]


def is_plain(name: str) -> bool:
    """Whether a command has `main`, and so needs no other package."""
    return any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in _source(name).body)


def load(name: str) -> ModuleType:
    """A command's module."""
    return import_module(f"{__package__}.{name}")


def _path(name: str) -> Path:
    return _FOLDER / f"{name}.py"


@cache
def _source(name: str) -> ast.Module:
    return ast.parse(_path(name).read_bytes())
