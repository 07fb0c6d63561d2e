"""What all commands made with click have: `--json`, `--debug`, answers, exit codes, errors and progress."""

from __future__ import annotations

import functools
import json
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import click

from .._json import json_text
from ..errors import MXNetError
from ..parity.progress import LISTENER
from ._isolated import run_isolated, wanted
from ._output import print_error, print_text

__all__ = ["Answer", "ExitCode", "Words", "command", "step"]

_PATIENCE = 1.0
"""Seconds before a terminal is told what is being done."""
_PROGRESS = "hybridonnx.progress"


class ExitCode(IntEnum):
    """What a command tells the shell."""

    FINE = 0
    NO = 1
    """The work is done, and the answer is no: not equal, not exportable, not healthy."""
    WRONG_USE = 2
    FAILED = 3
    """A file is bad, a package is missing, or the work could not be done."""
    INTERRUPTED = 130


@dataclass(frozen=True)
class Answer:
    """What a command found out."""

    text: str
    """For people."""
    data: Any
    """For programs: what JSON can say, or a text in JSON."""
    yes: bool = True
    """Whether the answer is yes; otherwise the exit code is `ExitCode.NO`."""

    def document(self) -> Any:
        """The data, of which JSON is made.

        Returns:
            It, parsed if it is a text.
        """
        return json.loads(self.data) if isinstance(self.data, str) else self.data


class Words(list[str]):
    """A command and its arguments, as the shell has them."""


def command(function: Callable[..., Answer]) -> click.Command:
    """Make a command of a function, which is called as its module is and has click's decorators.

    Args:
        function: It takes the options by name. `MXNetError` and `OSError` become one sentence and
            `ExitCode.FAILED`, as does whatever else it raises; click's own exceptions become
            `ExitCode.WRONG_USE`. What it does is told by `step`.

    Returns:
        The command. Its help is the module's docstring.
    """
    name = function.__name__
    doc = sys.modules[function.__module__].__doc__ or ""

    @click.option("--debug", is_flag=True, help="Show where an error comes from.")
    @click.option("as_json", "--json", is_flag=True, help="Print one JSON document.")
    @functools.wraps(function)
    def callback(as_json: bool, debug: bool, **options: Any) -> int:
        title = f"hybridonnx {name}"
        limits = wanted(options)
        if limits is not None:
            return run_isolated(title, click.get_current_context().find_object(Words) or [], limits, as_json)
        try:
            with _Progress() as progress, warnings.catch_warnings():
                click.get_current_context().meta[_PROGRESS] = progress
                warnings.showwarning = functools.partial(_show_warning, title)
                token = LISTENER.set(progress.say)  # what the functions of `mx` say of how far they are
                try:
                    answer = function(**options)
                finally:
                    LISTENER.reset(token)
            text = json_text(answer.document(), ascii=False) if as_json else answer.text
        except (BrokenPipeError, click.ClickException):
            raise
        except Exception as exc:  # noqa: BLE001  # a sentence for each; --debug tells more
            return _failed(title, exc, as_json, debug)
        print_text(text, as_json)
        return ExitCode.FINE if answer.yes else ExitCode.NO

    return click.command(name, help=_paragraphs(doc), context_settings=_SETTINGS)(callback)


_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


def step(text: str) -> None:
    """Say what a command does now, which a terminal shows once the command has taken a second.

    Args:
        text: As in "reading model.onnx".
    """
    context = click.get_current_context(silent=True)
    progress = None if context is None else context.meta.get(_PROGRESS)
    if progress is not None:
        progress.say(text)


def _paragraphs(doc: str) -> str:
    """A docstring for click, which would fill the lines of paragraphs that are examples."""
    return "\n\n".join(f"\b\n{part}" if "\n    " in f"\n{part}" else part for part in doc.split("\n\n"))


def _failed(title: str, exc: Exception, as_json: bool, debug: bool) -> ExitCode:
    """Say in one sentence what went wrong."""
    text = _sentence(title, exc)
    if debug:
        traceback.print_exception(exc)
    print_error(f"{title}: {text}")
    if as_json:
        print_text(json.dumps({"error": text}, ensure_ascii=False), as_json)
    return ExitCode.FAILED


def _sentence(title: str, exc: Exception) -> str:
    """What an error says; the command, with which many begin, is said before it."""
    if isinstance(exc, OSError) and exc.strerror:
        return f"{'' if exc.filename is None else f'{os.fsdecode(exc.filename)}: '}{exc.strerror}."
    text = " ".join([str(exc), *getattr(exc, "__notes__", ())]).strip()
    if isinstance(exc, MXNetError | OSError | MemoryError):
        return text.removeprefix(f"{title.rpartition(' ')[2]}: ") or f"{type(exc).__name__}."
    if isinstance(exc, ImportError):
        return f"{text.rstrip('.')}; hybridonnx doctor tells what is wrong with packages."
    text = f"{text}{'' if text.endswith(('.', '?', '!')) else '.'}"
    return (
        f"{type(exc).__name__}: {text} This is a fault of hybridonnx; --debug shows where. Please report it."
    )


def _show_warning(title: str, message: Warning | str, *_: Any) -> None:
    print_error(f"{title}: warning: {message}")


class _Progress:
    """A line at the bottom of a terminal that says what is being done, once that takes long."""

    def __init__(self) -> None:
        self._text = "at work"
        self._status: Any = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(_PATIENCE, self._show) if sys.stderr.isatty() else None

    def __enter__(self) -> _Progress:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def say(self, text: str) -> None:
        """Show another text."""
        with self._lock:
            self._text = text
            if self._status is not None:
                self._status.update(text)

    def _show(self) -> None:
        from rich.console import Console

        with self._lock:
            if self._timer is not None:
                self._status = Console(stderr=True).status(self._text)
                self._status.start()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._status is not None:
                self._status.stop()
