"""One operator as a model, without a Symbol around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hybridonnx.ops._registry import Operator, Spec

from ..opsets import DEFAULT
from ._model import Lowered, lower


@dataclass(eq=False)
class _Node:
    name: str
    op: Operator | None = None
    inputs: list[tuple[_Node, int]] = field(default_factory=list)

    @property
    def op_name(self) -> str:
        return "null" if self.op is None else self.op.names[0]

    @property
    def is_variable(self) -> bool:
        return self.op is None


@dataclass(frozen=True)
class _Graph:
    outputs: list[tuple[_Node, int]]


def lower_operator(
    op: Operator, specs: Sequence[Spec], *, opset: int = DEFAULT, noise_inputs: bool = True
) -> Lowered:
    """A model of one operator, in its mode, with inputs called as the operator calls them.

    Its outputs are those that the operator shows, called `output0`, `output1`, …
    """
    names = op.input_names()
    variables = [_Node(name) for name in names]
    node = _Node(op.names[0], op, [(v, 0) for v in variables])
    count = op.visible()
    return lower(
        _Graph([(node, i) for i in range(count)]),
        dict(zip(names, specs, strict=True)),
        {},
        opset=opset,
        training=op.training,
        outputs=[f"output{i}" for i in range(count)],
        noise_inputs=noise_inputs,
    )
