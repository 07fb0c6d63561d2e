"""The reference executor: a graph run operator by operator on the kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from ..context import Context
from ..errors import MXNetError, suggest
from ..ndarray.invoke import invoke_all
from ..ndarray.ndarray import NDArray
from ..ops import Spec
from .compose import Outputs
from .graph import Entry, Node, topological
from .infer import Specs, infer


def execute(symbol: Outputs, values: Mapping[str, NDArray], ctx: Context | None = None) -> list[NDArray]:
    """The outputs' arrays, from an array for each variable by name.

    Operators run one by one in the order of their making, so that draws come in the order of eager calls, and
    are recorded if `autograd` records; intermediate arrays are let go of after their last use. `ctx` is the
    device of what is made of no inputs.
    """
    nodes = sorted(topological(symbol.outputs), key=attrgetter("serial"))
    uses = Counter(entry for node in nodes for entry in node.inputs)
    uses.update(symbol.outputs)
    run = _Run(nodes, values, ctx, uses)
    for node in nodes:
        run.step(node)
    return [run.arrays[entry] for entry in symbol.outputs]


class _Run:
    """The arrays that are alive while a graph runs."""

    def __init__(
        self,
        nodes: Sequence[Node],
        values: Mapping[str, NDArray],
        ctx: Context | None,
        uses: Counter[Entry],
    ) -> None:
        self.nodes, self.values, self.ctx, self.uses = nodes, values, ctx, uses
        self.arrays: dict[Entry, NDArray] = {}
        self.specs: Specs | None = None

    def step(self, node: Node) -> None:
        """Run one node, or take a variable's array."""
        if node.is_variable:
            self.arrays[Entry(node, 0)] = self._value(node)
            return
        with node.named():
            found = invoke_all(self._operator(node), [self.arrays[e] for e in node.inputs], self.ctx)
        for i, array in enumerate(found):
            if self.uses[Entry(node, i)]:
                self.arrays[Entry(node, i)] = array
        for entry in node.inputs:
            self.uses[entry] -= 1
            if not self.uses[entry]:
                self.arrays.pop(entry, None)

    def _value(self, node: Node) -> NDArray:
        value = self.values.get(node.name)
        if value is None:
            raise MXNetError(
                f"execute: an array is required for the variable {node.name}."
                f"{suggest(node.name, self.values)}"
            )
        return value

    def _operator(self, node: Node) -> Any:
        """The node's operator; one without inputs takes sizes that it does not tell from their use."""
        if node.inputs:
            return node.op
        outputs = node.op.infer(())[1]
        if all(spec.shape is not None and None not in spec.shape for spec in outputs):
            return node.op
        if self.specs is None:
            known = {name: Spec(array.shape, array._data.dtype) for name, array in self.values.items()}
            self.specs = infer(Outputs([Entry(n, 0) for n in self.nodes]), known, partial=True)
        return node.op.with_inferred_shape([self.specs[Entry(node, i)] for i in range(node.count())])
