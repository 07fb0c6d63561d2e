"""The command line: `hybridonnx <command> …`, where each module of this package is a command.

A command's module has `main(arguments: list[str]) -> int`, which gives the exit code. The first line of its
docstring is its help, all of it is shown by `hybridonnx <command> --help`.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from .._version import __version__

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: The command and its arguments; those of the process by default.

    Returns:
        The exit code: 0, or 2 if there is no such command.
    """
    name, *rest = [*(sys.argv[1:] if arguments is None else arguments)] or ["--help"]
    if name == "--version":
        print(__version__)
        return 0
    if name in ("-h", "--help"):
        print(_usage())
        return 0
    if name not in _names():
        nearest = difflib.get_close_matches(name, _names(), 1)
        hint = f"did you mean {nearest[0]}?" if nearest else f"there are {', '.join(_names())}."
        print(f"hybridonnx: no command {name!r}; {hint}", file=sys.stderr)
        return 2
    module = _command(name)
    if rest in (["-h"], ["--help"]):
        print(module.__doc__)
        return 0
    code: int = module.main(rest)
    return code


def _names() -> list[str]:
    return sorted(module.name for module in iter_modules(__path__) if not module.name.startswith("_"))


def _command(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name}")


def _usage() -> str:
    rows = [f"  {name:<10}{(_command(name).__doc__ or '').splitlines()[0]}" for name in _names()]
    return "\n".join(["hybridonnx <command> …", "", *rows, "", "hybridonnx <command> --help tells more."])
