"""What executors show to those who watch them: the arrays around operators, and gradients on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..autograd.sweep import summed
from .graph import Entry, Node


def shown(node: Node, with_inputs: bool) -> Iterator[tuple[str, Entry]]:
    """The names and entries of an operator's outputs, after its inputs; of variables their own names too."""
    for name, entry in zip(node.op.input_names(), node.inputs, strict=True) if with_inputs else ():
        if entry.node.is_variable:
            yield entry.node.name, entry
        yield f"{node.name}_{name}", entry
    for i, name in enumerate(node.op.output_names()):
        yield f"{node.name}_{name}", Entry(node, i)


class WatchedOperator:
    """An operator that shows the gradients of its inputs to `callback(name, array)`."""

    broadcasts = False

    def __init__(self, op: Any, name: str, callback: Callable[[str, Any], Any]) -> None:
        self._op, self._name, self._callback = op, name, callback

    def __getattr__(self, name: str) -> Any:
        return getattr(self._op, name)

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        """The inputs' gradients, each of its input's shape."""
        op = self._op
        gradients = list(op.gradient(F, dy, y, *inputs))
        if op.broadcasts:
            gradients = [g if g is None else summed(F, g, x) for g, x in zip(gradients, inputs, strict=True)]
        names = zip(op.input_names(), gradients, inputs, strict=True)
        pairs = [(g, x) for name, g, x in names if name not in op.aux]
        for i, (g, x) in enumerate(pairs):
            shown = F.zeros_like(x) if g is None else g.detach()
            self._callback(f"{self._name}_backward_output{i if len(pairs) > 1 else ''}", shown)
        return gradients
