"""The command line: `hybridonnx <command> …`, where each module of this package is a command.

A module that is put here is a command; no list names it. The first line of its docstring is its help, and all
of it is shown by `hybridonnx <command> --help`. It has one of

- `main(arguments: list[str]) -> int`, which gives the exit code, for what must work wherever hybridonnx does;
- a click command that `@command` of `_command.py` makes of the function that is called as the module is. It
  calls public functions of `mx` alone and returns an `Answer`, which has text and data. `--json`, `--debug`,
  errors, warnings, progress and exit codes (`ExitCode`) are `_command`'s; `inspect.py` is a short example.
  Such commands need the extra `cli`.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence

from .._version import __version__
from ._extra import call
from ._modules import command_names, is_plain, load, summary

__all__ = ["main"]

_COMPLETION = "_HYBRIDONNX_COMPLETE"
"""The environment variable by which a shell asks for completions."""
_EPILOG = f"""
hybridonnx <command> --help tells more of a command. All but im2rec, launch, path, rec2idx, and run with
Python, take --json, which prints one JSON document, and --debug, which tells where an error comes from.

Exit codes: 0 fine; 1 the answer is no; 2 wrong arguments; 3 a file is bad, or the work failed; 130 Ctrl-C.

Completion of words by the tab key, in bash (or zsh_source, fish_source):
    eval "$({_COMPLETION}=bash_source hybridonnx)"
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: The command and its arguments; those of the process by default.

    Returns:
        The exit code, which is 2 if there is no such command, and 130 if the user interrupts it.
    """
    words = [*(sys.argv[1:] if arguments is None else arguments)] or ["--help"]
    try:
        code = _run(words)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has enough
        _discard_output()
        return 0
    except KeyboardInterrupt:
        _say(f"{words[0]}: interrupted.")
        return 130
    except OSError as exc:  # what is printed cannot be written
        _discard_output()
        _say(f"{words[0]}: {exc.strerror or exc}.")
        return 3
    return code


def _say(text: str) -> None:
    """Print how a command ended; on a terminal in a line of its own, after ^C."""
    if sys.stderr is not None:
        print(f"{chr(10) * sys.stderr.isatty()}hybridonnx {text}", file=sys.stderr)


def _discard_output() -> None:
    """Write what is left nowhere, as Python would complain of it at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _run(words: Sequence[str]) -> int:
    name, rest = words[0], [*words[1:]]
    if _COMPLETION in os.environ:
        return call(words, completes=True)
    if name == "--version":
        print(__version__)
        return 0
    if name in ("-h", "--help"):
        print(_usage())
        return 0
    names = command_names()
    if name not in names:
        nearest = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean {nearest[0]}?" if nearest else f"there are {', '.join(names)}."
        print(f"hybridonnx: no command {name!r}; {hint}", file=sys.stderr)
        return 2
    if not is_plain(name):
        return call(words)
    module = load(name)
    if rest in (["-h"], ["--help"]):
        print(module.__doc__)
        return 0
    code: int = module.main(rest)
    return code


def _usage() -> str:
    rows = [f"  {name:<10}{summary(name)}" for name in command_names()]
    return "\n".join(["hybridonnx <command> …", "", *rows, _EPILOG.rstrip()])
