"""Runs the code in a page of the documentation: `python -m tests.pages docs/start.md`.

A page runs from its top in a new folder of its own, and its blocks share their names:

    ```python       runs
    ```console      runs the lines that begin with `$ `; the others are what these print
    ```text         is what the block before it prints

Where shown output has `…`, any characters may stand, and where a line is `…` alone, any lines. A block that
must not run, or that is no code, says why in a comment on the line before it: `<!-- not run: why -->`. What a
page needs and readers have, such as files of their own, is Python in `<!-- run:` … `-->`, where `repository`
is the folder of the project. Sphinx's directives are passed over.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import onnx
import onnxruntime

from hybridonnx import autograd, gluon, nd, optimizer, sym
from hybridonnx import onnx as models

PRELOADED = onnx, onnxruntime, autograd, gluon.nn, models, nd, optimizer, sym
"""What nearly every page loads, so that the process they are forked from has it."""
ROOT = Path(__file__).resolve().parents[1]
START = re.compile(r"^(?P<fence>`{3,})(?P<language>[\w-]*|\{.*)\s*$")
NOT_RUN = re.compile(r"^<!-- not run: (?P<reason>.+) -->$")
LIMIT = 600
"""Seconds for a page."""


class PageError(Exception):
    """A block failed, or printed something else than the page shows."""


class Block(NamedTuple):
    """A part of a page: its language, its lines, and the number of the first."""

    language: str
    text: str
    line: int
    not_run: str = ""
    """Why it is not run."""


def pages() -> list[Path]:
    """Every page whose code runs: the README and all below docs, but for what Sphinx's build makes there."""
    below = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(page for page in below if page.parent.name != "reference")]


def shown(page: Path) -> str:
    """The page's name from the project's folder."""
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name


def blocks(page: Path) -> list[Block]:
    """The blocks of code in a page, and what it runs unseen."""
    return list(_blocks(page.read_text(encoding="utf-8").splitlines()))


def _blocks(lines: list[str]) -> Iterator[Block]:
    numbered = iter(enumerate(lines, 1))
    reason = ""
    for number, line in numbered:
        end = None
        if line == "<!-- run:":
            language, end = "unseen", "-->"
        elif opened := START.match(line):
            language, end = opened["language"], opened["fence"]
        if end is not None:
            inside = []
            for _, inner in numbered:
                if inner == end:
                    break
                inside.append(inner)
            else:
                raise PageError(f"line {number}: the block has no end.")
            if not language.startswith("{"):
                yield Block(language, "\n".join(inside), number + 1, reason)
        said = NOT_RUN.match(line)
        reason = said["reason"] if said else ""


# ---- running


def run(page: Path, folder: Path) -> None:
    """Run a page in a folder, and raise a `PageError` at the first block that does not do what it shows."""
    scope: dict[str, Any] = {"__name__": "__main__", "repository": ROOT}
    printed: str | None = None
    with contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("error")
        for block in blocks(page):
            where = f"{shown(page)}, line {block.line}"
            if block.not_run:
                printed = None
            elif block.language in ("python", "unseen"):
                printed = _python(block, page, scope, where)
            elif block.language == "console":
                _console(block, where)
                printed = None
            elif block.language == "text" and printed is not None:
                _compare(block.text, printed, where)
                printed = None
            else:
                raise PageError(
                    f"{where}: python, console, or text behind what prints it is required, got "
                    f"{block.language or 'no language'!r}. Say why it is not run: <!-- not run: … -->"
                )


def _python(block: Block, page: Path, scope: dict[str, Any], where: str) -> str:
    """What a block prints."""
    out = io.StringIO()
    text = "\n" * (block.line - 1) + block.text  # so that tracebacks have the page's lines
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(text, str(page), "exec"), scope)
        except BaseException as exc:
            raise PageError(f"{where}: {traceback.format_exc()}\nprinted: {out.getvalue()}") from exc
    return out.getvalue()


def _console(block: Block, where: str) -> None:
    """Run the commands of a block, and compare what they print."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    python_path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    environment = {**os.environ, "PATH": path, "PYTHONPATH": python_path}
    for command, expected in _commands(block.text):
        done = subprocess.run(
            command, shell=True, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )
        if done.returncode:
            raise PageError(f"{where}: {command} gave {done.returncode}:\n{done.stdout}{done.stderr}")
        if expected:
            _compare(expected, done.stdout, where)


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command with what the page shows of its output."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def _compare(expected: str, printed: str, where: str) -> None:
    if not matches(expected, printed):
        raise PageError(f"{where}: the page shows\n{expected}\nand the block before it prints\n{printed}")


def matches(expected: str, printed: str) -> bool:
    """Whether a text is what is expected, where `…` is any characters, and alone in a line any lines."""
    rows = [line.rstrip() for line in expected.strip("\n").splitlines()]
    patterns = [
        r"(?:.*\n)*" if row == "…" else ".*".join(map(re.escape, row.split("…"))) + r"\n" for row in rows
    ]
    text = "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())
    return re.fullmatch("".join(patterns), text) is not None


# ---- processes


def fault(page: Path) -> str:
    """What is wrong with a page, run in a process of its own; nothing if all is well."""
    fast = "forkserver" in get_all_start_methods()
    context: Any = get_context("forkserver" if fast else "spawn")
    if fast:
        context.set_forkserver_preload([__name__])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        reader, writer = context.Pipe(duplex=False)
        process = context.Process(target=_send, args=(writer, page, Path(folder)))
        process.start()
        writer.close()
        try:
            if not reader.poll(LIMIT):
                return f"{shown(page)}: it took longer than {LIMIT} seconds."
            said: str = reader.recv()
        except EOFError:
            return f"{shown(page)}: the process ended by itself."
        finally:
            process.terminate()
            process.join()
        return said


def _send(writer: Connection, page: Path, folder: Path) -> None:
    try:
        run(page, folder)
    except PageError as exc:
        writer.send(str(exc))
    else:
        writer.send("")


if __name__ == "__main__":
    faults = [said for name in sys.argv[1:] if (said := fault(Path(name).resolve()))]
    print("\n".join(faults) or "every block does what the page shows")
    sys.exit(bool(faults))
