"""`hybridonnx` as a click group, whose commands are imported when they are called."""

from __future__ import annotations

import json
import traceback
from collections.abc import Sequence
from typing import Any

import click

from ._command import ExitCode, Words
from ._modules import command_names, is_plain, load, summary
from ._output import print_error, print_text

_UNKNOWN = {"ignore_unknown_options": True, "allow_extra_args": True, "allow_interspersed_args": False}


class PackageError(click.ClickException):
    """A command cannot be loaded, as packages that it needs are broken or not there."""

    def __init__(self, name: str, exc: Exception) -> None:
        text = str(exc).strip().partition("\n")[0].rstrip(".")
        super().__init__(
            f"packages that can be imported are required, got {type(exc).__name__}: {text}; "
            f"hybridonnx doctor tells what is wrong with them."
        )
        self.name = name


class _Root(click.Group):
    """All commands; those that are plain take their arguments as they stand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return command_names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in command_names():
            return None
        if is_plain(cmd_name):
            return _plain(cmd_name)
        return made_in(cmd_name, cmd_name)


def made_in(module: str, name: str) -> click.Command:
    """The command that a module makes.

    Args:
        module: The module's name in this package.
        name: The command's.

    Returns:
        The command.
    """
    try:
        made = getattr(load(module), name)
    except Exception as exc:  # packages that do not fit each other raise anything
        raise PackageError(name, exc) from exc
    assert isinstance(made, click.Command)
    return made


def _plain(name: str) -> click.Command:
    """A command that reads its arguments itself; files are what the tab key completes."""

    def callback(arguments: Sequence[str]) -> int:
        code: int = load(name).main([*arguments])
        return code

    files = click.Argument(["arguments"], nargs=-1, type=click.Path())
    return click.Command(name, _UNKNOWN, callback, [files], short_help=summary(name), add_help_option=False)


def root() -> click.Group:
    """All commands.

    Returns:
        The group that has them.
    """
    return _Root("hybridonnx")


def run(words: Sequence[str], module: str = "", completes: bool = False) -> int:
    """Run a command, or answer a shell that asks for completions.

    Args:
        words: The command and its arguments.
        module: A module of this package that has the command, where that is not called so.
        completes: Whether a shell asks for completions.

    Returns:
        The exit code.
    """
    made: click.Command = root()
    rest, title = [*words], "hybridonnx"
    if completes:
        made.main(rest, prog_name=title)
    try:
        if module:
            made, rest, title = made_in(module, words[0]), rest[1:], f"hybridonnx {words[0]}"
        with made.make_context(
            title, rest, obj=Words(words)
        ) as context:  # `main` would say of its own how it ends
            result: Any = made.invoke(context)
    except click.exceptions.Exit as exc:
        return exc.exit_code
    except PackageError as exc:
        if "--debug" in words:
            traceback.print_exception(exc.__cause__)
        return _refused(f"hybridonnx {exc.name}", exc.message, "--json" in words, ExitCode.FAILED)
    except click.ClickException as exc:
        path = "hybridonnx" if getattr(exc, "ctx", None) is None else exc.ctx.command_path  # type: ignore[attr-defined]
        text = exc.format_message()
        message = f"{text}{'' if text.endswith(('.', '?')) else '.'} {path} --help tells more."
        return _refused(path, message, "--json" in words, ExitCode.WRONG_USE)
    return int(result or 0)


def _refused(title: str, message: str, as_json: bool, code: ExitCode) -> ExitCode:
    """Say why a command does not run."""
    print_error(f"{title}: {message}")
    if as_json:
        print_text(json.dumps({"error": message}), whole=True)
    return code
