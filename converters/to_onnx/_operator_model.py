"""One operator as a model, without a Symbol around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridonnx.ops import Array, Operator, Spec
from hybridonnx.symbol.compose import Outputs
from hybridonnx.symbol.graph import VARIABLE, Entry, Node, made_of

from ..opsets import DEFAULT
from ._graph import Local
from ._model import Lowered, lower


def lower_operator(
    op: Operator,
    specs: Sequence[Spec],
    *,
    opset: int = DEFAULT,
    noise_inputs: bool = True,
    local: Local | None = None,
    hidden: bool = False,
    weights: Mapping[str, Array] | None = None,
) -> Lowered:
    """A model of one operator, in its mode, with inputs called as the operator calls them.

    Its outputs are those that the operator shows, and with `hidden` the others too, called `output0`,
    `output1`, …  The values of `weights`, inputs by name, stay outside, as those of parameters do.
    """
    names = op.input_names()
    variables = [Entry(Node(VARIABLE, name), 0) for name in names]
    node = made_of(op, op.names[0], variables)
    count = len(op.output_names()) if hidden else op.visible()
    return lower(
        Outputs([Entry(node, i) for i in range(count)]),
        {name: spec for name, spec in zip(names, specs, strict=True) if name not in (weights or {})},
        weights or {},
        opset=opset,
        training=op.training,
        outputs=[f"output{i}" for i in range(count)],
        noise_inputs=noise_inputs,
        local=local,
        embed=weights is None,
    )
