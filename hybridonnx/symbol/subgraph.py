"""Graphs inside of operators, such as a loop's body, as functions of their variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from .. import name
from ..autograd.scopes import Scope
from ..context import current_context
from ..errors import MXNetError
from ..ndarray.ndarray import NDArray
from ..ops import Array, Spec
from .compose import Outputs, single
from .cut import cut
from .execute import Execution
from .gradient import F, gradients, updates
from .graph import VARIABLE, Entry, Node, copied, moved, topological
from .infer import infer


class Body(Outputs):
    """The outputs of a graph as a function of the variables `names`, by default those that it has.

    `training` says in which mode it runs; `None`: in that of the operator that has it.
    """

    def __init__(
        self, outputs: Sequence[Entry], names: Sequence[str] | None = None, training: bool | None = None
    ) -> None:
        super().__init__(outputs)
        self.nodes = topological(self.outputs)
        self.variables = {node.name: Entry(node, 0) for node in self.nodes if node.is_variable}
        self.names = tuple(self.variables if names is None else names)
        self.training = training

    def __repr__(self) -> str:
        operators = [node for node in self.nodes if not node.is_variable]
        return f"<Body of {len(operators)} operators on {', '.join(self.names)}>"

    @property
    def results(self) -> int:
        """The number of outputs."""
        return len(self.outputs)

    @property
    def is_written(self) -> bool:
        """Whether a file can say in which order the variables are."""
        return self.names == tuple(self.variables)

    # ---- what is drawn

    @cached_property
    def _drawn(self) -> list[Entry]:
        """The outputs of operators that draw in some mode."""
        drawing = [node for node in self.nodes if not node.is_variable and _draws(node)]
        return [Entry(node, i) for node in drawing for i in range(node.count())]

    @property
    def draws(self) -> int:
        """How many values inside are drawn, or computed by operators that draw."""
        return len(self._drawn)

    @cached_property
    def _with_draws(self) -> Body:
        return Body([*self.outputs, *self._drawn], self.names, self.training) if self._drawn else self

    def with_draws(self) -> Body:
        """The graph whose last outputs are the drawn values."""
        return self._with_draws

    def without_draws(self, training: bool) -> Body:
        """The graph in this mode whose last inputs are the drawn values."""
        return self._silent(self.outputs, (), training)

    def _silent(self, outputs: Sequence[Entry], more: Sequence[str], training: bool) -> Body:
        variables = {entry: Node(VARIABLE, f"_draw{i}") for i, entry in enumerate(self._drawn)}
        results, _ = cut(outputs, variables)
        names = [*self.names, *more, *[node.name for node in variables.values()]]
        return Body(results, names, self._mode(training))

    def _mode(self, training: bool) -> bool:
        return training if self.training is None else self.training

    @cached_property
    def _changing(self) -> str:
        changed = [state for state, value in updates(self) if not value.outputs[0].node.is_variable]
        inner = (graph.changing() for node in self.nodes for graph in node.subgraphs)
        return next(filter(None, (*changed, *inner)), "")

    def changing(self) -> str:
        """The name of a variable that training changes, or nothing."""
        return self._changing

    # ---- what it computes

    def infer_specs(
        self, inputs: Sequence[Spec], outputs: Sequence[Spec] = ()
    ) -> tuple[list[Spec], list[Spec]]:
        """All that can be known of inputs and outputs from what is known of them."""
        known = dict(zip(self.names, inputs, strict=True))
        specs = infer(self, known, partial=True, outputs=outputs)
        entries = self.variables
        inferred = [specs[entries[n]] if n in entries else spec for n, spec in known.items()]
        return inferred, [specs[entry] for entry in self.outputs]

    @cached_property
    def _execution(self) -> Execution:
        return Execution(self)

    def run(self, arrays: Sequence[Array], training: bool) -> list[Array]:
        """The outputs, computed on the kernels."""
        ctx = current_context()
        values = {n: NDArray._on_tape(x, ctx, None) for n, x in zip(self.names, arrays, strict=True)}
        with Scope(False, self._mode(training)):
            return [y._data for y in self._execution(values, ctx)]

    def gradient(self, training: bool) -> Body:
        """From the inputs, the outputs' gradients and the drawn values to the inputs' gradients."""
        heads = [Node(VARIABLE, f"_head{i}") for i in range(len(self.outputs))]
        entries = [self.variables.get(n) or Entry(Node(VARIABLE, n), 0) for n in self.names]
        symbols = [Outputs.broadcasting([Entry(node, 0)]) for node in heads]
        grads = gradients(self, entries, symbols, self._mode(training))
        outputs = [
            F.zeros_like(Outputs.broadcasting([entry])) if grad is None else grad
            for entry, grad in zip(entries, grads, strict=True)
        ]
        results = [single("gradient", symbol) for symbol in outputs]
        return self._silent(results, [node.name for node in heads], training)

    # ---- composition

    def trace(self, names: Sequence[str], build: Callable[..., Sequence[Any]], training: bool) -> Body:
        """The graph of `build(F, *symbols)` with variables of these names."""
        variables = [Outputs.broadcasting([Entry(Node(VARIABLE, n), 0)]) for n in names]
        with name.Prefix("_loop_"):
            outputs = [single("trace", symbol) for symbol in build(F, *variables)]
        return Body(outputs, names, self._mode(training))

    def __call__(self, *symbols: Any) -> list[Any]:
        """The outputs as symbols, computed from symbols."""
        if len(symbols) != len(self.names):
            raise MXNetError(f"body: {len(self.names)} symbols are required, got {len(symbols)}.")
        values = {n: single("body", s) for n, s in zip(self.names, symbols, strict=True)}
        replaced = {entry.node: values[n] for n, entry in self.variables.items()}
        copies = copied(self.nodes, replaced)
        return [Outputs.broadcasting([moved(entry, copies, replaced)]) for entry in self.outputs]


def _draws(node: Node) -> bool:
    return bool(node.op.noise) or any(graph.draws for graph in node.subgraphs)
