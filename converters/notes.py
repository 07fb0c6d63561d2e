"""What the `doc_string`s of exported files say beside ONNX, for which it has no words."""

from __future__ import annotations

import re

CONSTANT = "constant"
"""Of an initializer that is no parameter, so that it does not train when it is read."""

_GRADIENT = re.compile(r"gradient times (\S+)")


def gradient_note(factor: float) -> str:
    """Of a node that gives what it takes, whose gradient is multiplied by a factor."""
    return f"gradient times {factor!r}"


def gradient_factor(note: str) -> float | None:
    """The factor that a note tells; None if it tells none."""
    match = _GRADIENT.fullmatch(note)
    try:
        return None if match is None else float(match[1])
    except ValueError:
        return None
