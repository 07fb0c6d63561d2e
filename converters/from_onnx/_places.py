"""What errors call the nodes of a model."""

from __future__ import annotations

import re

from onnx import NodeProto

from hybridonnx.errors import MXNetError

_LONGEST = 200
"""Names from a file are cut at so many letters in messages."""


def title(node: NodeProto) -> str:
    """What a node is called: its name, or its first output's."""
    return node.name or next(iter(node.output), node.op_type)


def short(text: str) -> str:
    """A text from a file, cut if it is long."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def shortened(text: str) -> str:
    """A message in which what has no spaces is cut if it is long."""
    return _LONG.sub(lambda match: short(match[0]), text)


_LONG = re.compile(rf"\S{{{_LONGEST + 1},}}")


def located(exc: MXNetError, node: NodeProto) -> MXNetError:
    """The error with the node in its message."""
    text = str(exc).rstrip()
    name = short(title(node))
    place = name if text.startswith(f"{node.op_type}:") else f"{name} ({short(node.op_type)})"
    exc.args = (f"{text}{'' if text.endswith(('.', '?')) else '.'} In node {place}.",)
    return exc
