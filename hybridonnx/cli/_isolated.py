"""`--isolated`: a command again, in a process of its own with limits, for models of strangers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from ..parity.isolation import Isolation, death, ended, python, timed
from ._options import POSITIVE
from ._output import print_error, print_text

__all__ = ["begin", "isolation_options", "run_isolated", "wanted"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_GB = 1 << 30
_DEFAULT = Isolation()
_FAILED, _INTERRUPTED = 3, 130
_here = False
"""Whether this is such a process."""


def isolation_options(function: _Function) -> _Function:
    """Give a command that runs models `--isolated` and its limits, which `wanted` takes away again.

    Args:
        function: The command's function.

    Returns:
        It, with the options.
    """
    for option in (
        click.option(
            "--max-seconds",
            type=POSITIVE,
            default=_DEFAULT.seconds,
            show_default=True,
            help="With --isolated: the longest time.",
        ),
        click.option(
            "--max-memory",
            type=POSITIVE,
            default=_DEFAULT.memory / _GB,
            show_default=True,
            metavar="GB",
            help="With --isolated: the most memory.",
        ),
        click.option(
            "--isolated",
            is_flag=True,
            help="Run the model in a process of its own, which may crash, hang or run out of memory.",
        ),
    ):
        function = option(function)
    return function


def wanted(options: dict[str, Any]) -> Isolation | None:
    """The limits that a command line asks for; `None` if it asks for none, or they are held by now.

    Args:
        options: All options by name, which lose these.

    Returns:
        The limits.
    """
    if "isolated" not in options:
        return None
    isolated, memory, seconds = (options.pop(name) for name in ("isolated", "max_memory", "max_seconds"))
    return Isolation(max(int(memory * _GB), 1), seconds) if isolated and not _here else None


def begin(memory: int, seconds: float) -> None:
    """Hold this process to limits; the first thing that it does.

    Args:
        memory: As `Isolation` has it.
        seconds: As `Isolation` has it.
    """
    global _here
    _here = True
    Isolation(memory, seconds).hold()


def run_isolated(title: str, words: Sequence[str], limits: Isolation, as_json: bool) -> int:
    """Run a command line in a process of its own, which prints what there is to say.

    Args:
        title: What errors begin with.
        words: The command and its arguments.
        limits: Those of the process.
        as_json: Whether an error is printed as JSON as well.

    Returns:
        The exit code.
    """
    code = (
        f"from {__name__} import begin; begin({limits.memory}, {limits.seconds}); "
        f"from {__package__} import main; sys.exit(main({[*words]!r}))"
    )
    sys.stdout.flush()
    process = subprocess.Popen(python(code))
    try:
        with ended(process), timed(process, limits.seconds) as expired:
            result = process.wait()
    except KeyboardInterrupt:
        return _INTERRUPTED
    if result >= 0 and not expired.is_set():
        return result
    text = f"{death(result, expired.is_set(), limits)}. Its limits were {limits.told()}."
    print_error(f"{title}: {text}")
    if as_json:
        print_text(json.dumps({"error": text}, ensure_ascii=False), as_json)
    return _FAILED
