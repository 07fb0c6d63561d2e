"""The way to commands that need the extra `cli`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["call"]


def call(words: Sequence[str], module: str = "", completes: bool = False) -> int:
    """Run a command that is made with click, if that is installed.

    Args:
        words: The command and its arguments.
        module: A module of this package that has the command, where that is not called so.
        completes: Whether a shell asks for completions.

    Returns:
        The exit code, which is 3 without click.
    """
    try:
        from ._root import run
    except ModuleNotFoundError as exc:
        if exc.name not in ("click", "rich"):
            raise
        print(
            f"hybridonnx {words[0]}: the package {exc.name} is required, which is not installed; "
            'pip install "hybridonnx[cli]".',
            file=sys.stderr,
        )
        return 3
    return run(words, module, completes)
