"""What cannot be imported of a model, gathered so that one error tells all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from onnx import NodeProto
from onnx import __version__ as version

from hybridonnx.errors import ConversionError, MXNetError

from ..subgraphs import uses
from ._places import located, title

_MOST = 100
"""After so many errors no more nodes are looked at."""
_SHOWN = 20


@dataclass
class Failures:
    """Nodes that cannot be imported, and why."""

    model: str
    """What the model is called."""
    refused: dict[str, list[str]] = field(default_factory=dict)
    """Operators that nothing can say, with the nodes that are such."""
    errors: list[MXNetError] = field(default_factory=list)
    """What is wrong with single nodes."""
    lost: set[str] = field(default_factory=set)
    """The values that nothing computes therefore."""

    def refuse(self, node: NodeProto, operator: Callable[[NodeProto], str]) -> None:
        """Note that nothing can say a node's operator, which the function has more words for."""
        name = operator(node) if len(self.refused) < _SHOWN else node.op_type  # which is not shown
        self.refused.setdefault(name, []).append(title(node))
        self.lost.update(node.output)

    def add(self, node: NodeProto, exc: MXNetError) -> None:
        """Note what is wrong with a node."""
        self.errors.append(located(exc, node))
        self.lost.update(node.output)
        if len(self.errors) >= _MOST:
            self.report()

    def hides(self, node: NodeProto) -> bool:
        """Whether nothing can be said of a node, as values that it reads are lost."""
        if not self.lost or self.lost.isdisjoint([*uses(node), *node.output]):
            return False
        self.lost.update(node.output)
        return True

    def report(self) -> None:
        """Raise an error if anything failed: the only one itself, or else one that has the text of all."""
        if len(self.errors) == 1 and not self.refused:
            raise self.errors[0]
        lines = []
        if self.refused:
            lines.append(f"unsupported operators, which neither onnx {version} nor ONNX Runtime has:")
            refused = [*self.refused.items()]
            lines += [f"  {why}: {len(n)} x ({', '.join(n[:5])})" for why, n in refused[:_SHOWN]]
            lines += _more(refused)
            lines.append("  Write the model with others, or with functions that say what these do.")
        if self.errors:
            lines.append("nodes that do not fit:")
            lines += [f"  {exc}" for exc in self.errors[:_SHOWN]]
            lines += _more(self.errors)
        if lines:
            kinds = {type(exc) for exc in self.errors} | ({ConversionError} if self.refused else set())
            kind = kinds.pop() if len(kinds) == 1 else ConversionError
            raise kind(f"{self.model}: " + "\n".join(lines))


def _more(items: Sequence[object]) -> list[str]:
    return [f"  and {len(items) - _SHOWN} more"] if len(items) > _SHOWN else []
