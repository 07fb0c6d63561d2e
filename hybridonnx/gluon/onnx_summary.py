"""Blocks of ONNX models as their users see them: what is inside, and which parameters train."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Protocol

import numpy as np

from ..errors import MXNetError, suggest
from ..ops import ONNX_PREFIX
from ..runtime.onnx_file import ValueType
from ..symbol.symbol import Symbol
from .parameter import Parameter, ParameterDict, brief

_WIDTH = 96


class _Block(Protocol):
    @property
    def params(self) -> ParameterDict: ...


def described(
    block: _Block,
    inputs: Sequence[str],
    outputs: Sequence[str],
    types: Mapping[str, ValueType],
    graph: Symbol,
) -> str:
    """A block in some lines: inputs and outputs as the model has them, operators by kind, parameters."""
    nodes = Counter(node.op_name for node in graph.nodes() if not node.is_variable)
    own = Counter({name.removeprefix(ONNX_PREFIX): n for name, n in nodes.items() if _is_onnx(name)})
    lines = [
        *_listed("inputs", [_typed(name, types.get(name)) for name in inputs]),
        *_listed("outputs", [_typed(name, types.get(name)) for name in outputs]),
        *_counted("operators of MXNet", Counter({n: k for n, k in nodes.items() if not _is_onnx(n)})),
        *_counted("operators of ONNX", own),
        f"  parameters: {_totals(block.params.values())}",
    ]
    return "\n".join([f"{type(block).__name__}(", *lines, ")"])


def _is_onnx(name: str) -> bool:
    return name.startswith(ONNX_PREFIX)


def _typed(name: str, known: ValueType | None) -> str:
    if known is None:
        return name
    sizes = known.sizes
    shape = (
        "of unknown rank" if sizes is None else f"({', '.join('?' if d is None else str(d) for d in sizes)})"
    )
    return f"{name} {shape} {known.dtype}".rstrip()


def _listed(title: str, items: Sequence[str]) -> list[str]:
    """A line for each item, under one title."""
    start = f"  {title}: "
    return [f"{start if i == 0 else ' ' * len(start)}{item}" for i, item in enumerate(items or ["none"])]


def _counted(title: str, counts: Counter[str]) -> list[str]:
    """How many there are of each kind, the most frequent first, in lines that are not too long."""
    if not counts:
        return []
    lines = [f"  {title}: {counts.total()}, which are"]
    for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        word = f"{count} {kind}"
        if len(lines) == 1 or len(lines[-1]) + len(word) + 2 > _WIDTH:
            lines.append(f"    {word}")
        else:
            lines[-1] += f", {word}"
    return lines


def _totals(params: Iterable[Parameter]) -> str:
    """How many numbers parameters have, and how many of them train."""
    shapes = [(prod(p.shape or ()), p.grad_req != "null") for p in params]
    total, trained = sum(n for n, _ in shapes), sum(n for n, trains in shapes if trains)
    arrays = "1 array" if len(shapes) == 1 else f"{len(shapes)} arrays"
    return f"{total:,} numbers in {arrays}, of which {trained:,} numbers train"


def keep_whole_numbers(params: ParameterDict) -> None:
    """Give integers and bools, such as indices and sizes, no gradient: weight decay would change them."""
    for param in params.values():
        if np.dtype(param.dtype).kind in "iub":
            param.grad_req = "null"


def freeze(params: ParameterDict, argument: str, patterns: str | Sequence[str]) -> None:
    """Let the parameters that are named, or whose names match a regular expression, get no gradient."""
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        for name in _matches(params, argument, pattern):
            params[name].grad_req = "null"


def _matches(params: ParameterDict, argument: str, pattern: str) -> list[str]:
    """The names that a name or a regular expression stands for. Raises `MXNetError` if there are none."""
    if pattern in params:
        return [pattern]
    try:
        names = [name for name in params if re.match(pattern, name)]
    except re.error:
        names = []
    if not names and pattern != EVERYTHING:
        raise MXNetError(
            f"{argument}: names of parameters, or regular expressions that match some, are required, got "
            f"{pattern!r}; there are {brief(list(params))}.{suggest(pattern, params)}"
        )
    return names


EVERYTHING = ".*"
"""The regular expression that matches all names, and may match none."""
