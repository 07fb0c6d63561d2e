"""Graphs inside of operators, such as a loop's body, as functions of their variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any

from .. import name
from ..autograd.scopes import Scope
from ..context import current_context
from ..errors import MXNetError
from ..ndarray.ndarray import NDArray
from ..ops import Array, Operator, Spec
from .compose import Outputs, single
from .cut import cut
from .execute import Execution
from .gradient import F, gradients, updates
from .graph import VARIABLE, Entry, Node, copied, moved, topological, with_one_variable_each
from .infer import infer, operator_of


class Body(Outputs):
    """The outputs of a graph as a function of the variables `names`, by default those that it has.

    `training` says in which mode it runs; `None`: in that of the operator that has it. A loop over the parts
    of arrays begins with the last ones if its body is `from_last`.
    """

    def __init__(
        self,
        outputs: Sequence[Entry],
        names: Sequence[str] | None = None,
        training: bool | None = None,
        from_last: bool = False,
    ) -> None:
        super().__init__(with_one_variable_each(outputs))
        self.from_last = from_last
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
        if not self._drawn:
            return self
        return Body([*self.outputs, *self._drawn], self.names, self.training, self.from_last)

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
    def _random(self) -> dict[bool, list[Node]]:
        return {}

    def random_nodes(self, training: bool) -> list[Node]:
        """The nodes that draw in this mode, in the order in which they do."""
        mode = self._mode(training)
        if mode not in self._random:
            nodes = [node for node in self.nodes if not node.is_variable and _draws_in(node, mode)]
            self._random[mode] = sorted(nodes, key=attrgetter("serial"))
        return self._random[mode]

    def draws_early(self, training: bool) -> bool:
        """Whether there are draws, all of which can be made before it runs."""
        nodes = self.random_nodes(training)
        return bool(nodes) and all(node.op.in_mode(self._mode(training)).draws() for node in nodes)

    def sources(self, inputs: Sequence[Spec], training: bool) -> list[tuple[Operator, list[Spec]]]:
        """The operators that draw, in their order, each with the specs of its inputs."""
        specs = infer(self, dict(zip(self.names, inputs, strict=True)), partial=True)
        mode = self._mode(training)
        return [
            (operator_of(node, specs).in_mode(mode), [specs[entry] for entry in node.inputs])
            for node in self.random_nodes(training)
        ]

    def by_node(self, noise: Sequence[Any], training: bool) -> dict[Node, Any]:
        """What was drawn before, by the nodes that it is for: a list for a loop."""
        result: dict[Node, Any] = {}
        rest = list(noise)
        for node in self.random_nodes(training) if noise else ():
            count = node.op.in_mode(self._mode(training)).noise_count()
            result[node] = rest[:count] if node.subgraphs else rest[0]
            rest = rest[count:]
        return result

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

    def run(self, arrays: Sequence[Array], training: bool, noise: Sequence[Any] = ()) -> list[Array]:
        """The outputs, computed on the kernels; `noise` was drawn before."""
        ctx = current_context()
        values = {n: NDArray._on_tape(x, ctx, None) for n, x in zip(self.names, arrays, strict=True)}
        with Scope(False, self._mode(training)):
            return [y._data for y in self._execution(values, ctx, self.by_node(noise, training))]

    def gradient(self, training: bool, numbers: Sequence[int] | None = None) -> Body:
        """From the inputs, the outputs' gradients and the drawn values to the inputs' gradients.

        `numbers` are those of the outputs that have gradients, drawn values counted among them.
        """
        outputs = self._with_draws.outputs
        graph = Outputs([outputs[i] for i in (range(len(self.outputs)) if numbers is None else numbers)])
        heads = [Node(VARIABLE, f"_head{i}") for i in range(len(graph.outputs))]
        entries = [self.variables.get(n) or Entry(Node(VARIABLE, n), 0) for n in self.names]
        symbols = [Outputs.broadcasting([Entry(node, 0)]) for node in heads]
        grads = gradients(graph, entries, symbols, self._mode(training))
        values = [
            F.zeros_like(Outputs.broadcasting([entry])) if grad is None else grad
            for entry, grad in zip(entries, grads, strict=True)
        ]
        results = [single("gradient", symbol) for symbol in values]
        return self._silent(results, [node.name for node in heads], training)

    # ---- composition

    def trace(
        self,
        names: Sequence[str],
        build: Callable[..., Sequence[Any]],
        training: bool,
        from_last: bool = False,
    ) -> Body:
        """The graph of `build(F, *symbols)` with variables of these names."""
        variables = [Outputs.broadcasting([Entry(Node(VARIABLE, n), 0)]) for n in names]
        with name.Prefix("_loop_"):
            outputs = [single("trace", symbol) for symbol in build(F, *variables)]
        return Body(outputs, names, self._mode(training), from_last)

    def __call__(self, *symbols: Any) -> list[Any]:
        """The outputs as symbols, computed from symbols."""
        if len(symbols) != len(self.names):
            raise MXNetError(f"body: {len(self.names)} symbols are required, got {len(symbols)}.")
        values = {n: single("body", s) for n, s in zip(self.names, symbols, strict=True)}
        replaced = {entry.node: values[n] for n, entry in self.variables.items()}
        copies = copied(self.nodes, replaced)
        return [Outputs.broadcasting([moved(entry, copies, replaced)]) for entry in self.outputs]


def _draws(node: Node) -> bool:
    """Whether a node draws in some mode."""
    if node.subgraphs:
        return any(graph.draws for graph in node.subgraphs)
    return bool(node.op.noise)


def _draws_in(node: Node, training: bool) -> bool:
    """Whether a node draws in this mode."""
    if node.subgraphs:
        return any(graph.random_nodes(training) for graph in node.subgraphs)
    return bool(node.op.in_mode(training).draws())
