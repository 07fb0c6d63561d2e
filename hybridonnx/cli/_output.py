"""What commands print: text that any terminal, file or pipe can take."""

from __future__ import annotations

import re
import sys
from typing import Any, TextIO

__all__ = ["print_error", "print_text"]

_TITLE = r"(?m)^[A-Za-z][\w -]*:"
_TROUBLE = r"PROBLEM|CHANGED|not counted|cannot be written|first divergence|not all agree|not all of"
"""What stands out on a terminal."""
_LONG = 300
"""Words of more letters are cut on a terminal, where they would fill it."""
_KEPT = 100
"""Letters that are kept at both ends of such a word."""


def print_text(text: str, whole: bool = False) -> None:
    """Print what a command answers: in colours on a terminal, as plain text elsewhere.

    Args:
        text: The text.
        whole: Whether nothing of it may be changed, as in JSON.
    """
    if sys.stdout is None or not text:
        return
    if whole:
        _write_whole(sys.stdout, text)
    elif not sys.stdout.isatty():
        print(_encodable(text, sys.stdout))
    else:
        _print_colours(_encodable(_readable(text), sys.stdout))
    sys.stdout.flush()


def print_error(text: str) -> None:
    """Print a sentence to stderr.

    Args:
        text: The sentence.
    """
    if sys.stderr is None:
        return
    text = _readable(text) if sys.stderr.isatty() else text
    print(_encodable(text, sys.stderr), file=sys.stderr)


def _write_whole(stream: TextIO, text: str) -> None:
    """Write JSON, whose own escapes say what the stream cannot."""
    if _encodable(text, stream) != text:
        text = "".join(c if c.isascii() else _escaped(c) for c in text)
    print(text, file=stream)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _encodable(text: str, stream: TextIO) -> str:
    """The text with escapes for what a stream cannot write, such as names of files that are not UTF-8."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _readable(text: str) -> str:
    """The text for a terminal: long words are cut, and what would steer the terminal is escaped."""
    text = re.sub(rf"\S{{{_LONG + 1},}}", _cut, text)
    return "".join(c if c.isprintable() or c in "\n\t" else _visible(c) for c in text)


def _cut(match: re.Match[str]) -> str:
    word = match[0]
    return f"{word[:_KEPT]}…({len(word) - 2 * _KEPT:,} letters)…{word[-_KEPT:]}"


def _visible(character: str) -> str:
    """A character that is not printed; what is merely another kind of space stays."""
    return character if character.isspace() and ord(character) > 0x9F else ascii(character)[1:-1]


def _print_colours(text: str) -> None:
    from rich.console import Console
    from rich.text import Text

    shown: Any = Text(text)
    shown.highlight_regex(_TITLE, "bold")
    shown.highlight_regex(_TROUBLE, "red")
    Console(highlight=False).print(shown, soft_wrap=True)
