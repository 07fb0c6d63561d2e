"""What ONNX Runtime raises, in our words: the node is named as MXNet's graph names it."""

from __future__ import annotations

import re

from onnxruntime.capi import onnxruntime_pybind11_state as ort_state

from ..errors import MXNetError
from .measured import Names

FAILURES: tuple[type[Exception], ...] = (
    RuntimeError,
    ValueError,
    *(item for item in vars(ort_state).values() if isinstance(item, type) and issubclass(item, Exception)),
)
"""What ONNX Runtime raises: its own exceptions, which have no base class in common, and two of Python's."""
_LONGEST = 1000
"""What ONNX Runtime says is cut at so many letters: it repeats names and texts of the file."""


def failed(
    exc: Exception, names: Names | None = None, remedy: str = "; hybridize(active=False) tells more"
) -> MXNetError:
    """The error for a run that ONNX Runtime refuses, with the node if `names` tells it."""
    return MXNetError(
        f"ONNX Runtime could not run the graph: {sentence(exc, names)} Check that the inputs' shapes and "
        f"values fit what it names{remedy}."
    )


def sentence(exc: Exception, names: Names | None = None) -> str:
    """What ONNX Runtime says, in one line, without the numbers of its errors and places in its sources.

    The nodes, of loops and in them, are those of MXNet's graph if `names` tells these.
    """
    text = _PLACE.sub("", _CODE.sub("", " ".join(str(exc).split())))
    nodes = []
    while match := _NODE.match(text):
        nodes.append((match[1], match[2]))
        text = text[match.end() :]
    text = (text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…").rstrip(".") + "."
    if names is None:
        return "".join(f"{kind} {name!r}: " if name else f"{kind}: " for kind, name in nodes) + text
    made_for = [names.of(name, kind) for kind, name in reversed(nodes) if name]
    places = dict.fromkeys(f" In node {operator.node} ({operator.name})." for operator in made_for)
    return "".join([*(f"{kind}: " for kind, _ in nodes[-1:]), text, *places])


_CODE = re.compile(r"^\[ONNXRuntimeError\] : \d+ : ")
_NODE = re.compile(
    r"(?:\w+ : )?Non-zero status code returned while running (\S+) node\. Name:'([^']*)' Status Message: "
)
_SIGNATURE = r"[^()]*(?:operator\(\)[^()]*)?\((?:[^()]|\([^()]*\))*\) (?:const )?(?:\[with [^\]]*\] )?"
_PLACE = re.compile(rf"/\S+\.(?:h|cc|cpp):\d+ {_SIGNATURE}|(?<!\S)\w+\.(?:h|cc|cpp):\d+ \w+ ")
"""A path with a function's signature, or the names of a file and a function."""
