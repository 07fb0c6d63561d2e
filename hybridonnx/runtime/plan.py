"""A graph ready to run on arrays of certain shapes: in ONNX Runtime, and on kernels where that cannot."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..autograd.scopes import predict_mode, train_mode
from ..context import current_context
from ..ndarray.invoke import invoke_all
from ..ndarray.ndarray import NDArray
from ..ops import Array, Drawing, Spec
from ..symbol.compose import Outputs
from ..symbol.cut import cut
from ..symbol.graph import VARIABLE, Entry, Node, copied, moved, topological
from ..symbol.infer import infer
from .partition import Noise, Partition, UnsupportedOperators

logger = logging.getLogger("hybridonnx")


class Plan:
    """The outputs of a graph, from an array for each of the variables `names`.

    `wanted` says which of the variables are on the tape. Operators without a lowering, or whose gradient has
    none, run on their kernels and are recorded one by one; the partitions between them run in ONNX Runtime.
    With `updating`, auxiliary states change when training. `told` are the names of operators on kernels that
    were logged before.
    """

    def __init__(
        self,
        symbol: Outputs,
        names: Sequence[str],
        specs: Mapping[str, Spec],
        wanted: Sequence[bool],
        training: bool,
        updating: bool = True,
        told: set[str] | None = None,
    ) -> None:
        self._names = list(names)
        self._told = set() if told is None else told
        symbol = _merged(symbol)
        self._outputs = symbol.outputs
        self._specs = infer(symbol, specs, partial=True)
        self._training, self._updating = training, updating
        self._nodes = sorted(topological(symbol.outputs), key=attrgetter("serial"))
        self._random = self._draws()
        on_tape = {name for name, taped in zip(names, wanted, strict=True) if taped}
        self._taped: set[Node] = set()
        for node in self._nodes:
            if node.name in on_tape if node.is_variable else any(e.node in self._taped for e in node.inputs):
                self._taped.add(node)
        self._steps = self._compiled(self._refused())
        self._variables = {node.name: Entry(node, 0) for node in self._nodes if node.is_variable}
        self._uses = Counter(entry for step in self._steps for entry in step.inputs)
        self._uses.update(symbol.outputs)

    def __call__(self, args: Sequence[NDArray], noise: Noise | None = None) -> list[NDArray]:
        """The outputs for the variables' arrays; `noise` are draws that were made before."""
        noise = self._draw() if noise is None else noise
        arrays = {
            self._variables[name]: value
            for name, value in zip(self._names, args, strict=True)
            if name in self._variables
        }
        uses = self._uses.copy()
        device = args[0]._ctx if args else current_context()
        for step in self._steps:
            with nullcontext() if step.inputs else device:
                found = step([arrays[entry] for entry in step.inputs], noise)
            arrays.update(zip(step.outputs, found, strict=True))
            uses.subtract(step.inputs)
            for entry in step.inputs:
                if not uses[entry]:
                    arrays.pop(entry, None)
        return [arrays[entry] for entry in self._outputs]

    def on_kernels(self) -> list[str]:
        """The names of the operators that run on kernels."""
        return [step.outputs[0].node.name for step in self._steps if isinstance(step, _Kernel)]

    # ---- draws

    def _draws(self) -> list[tuple[Node, Any, list[Spec]]]:
        """The random operators in the order of their making, each with the specs of its inputs."""
        found = []
        for node in self._nodes:
            if node.is_variable:
                continue
            op = self._operator(node).in_mode(self._training)
            if op.draws():
                found.append((node, op, [self._specs[entry] for entry in node.inputs]))
        return found

    def _draw(self) -> Noise:
        found: dict[Node, Array] = {}
        for node, op, specs in self._random:
            with Drawing() as rng:
                found[node] = np.ascontiguousarray(op.draw(rng, *specs))
        return found

    # ---- what runs where

    def _refused(self) -> set[Node]:
        """The operators that cannot be in a session."""
        from ..converters import to_onnx

        found: set[Node] = set()
        reasons: dict[str, list[str]] = {}
        for node in self._nodes:
            if node.is_variable:
                continue
            reason = to_onnx.refusal(node, noise_inputs=True)
            if reason:
                reasons.setdefault(reason, []).append(node.name)
            if reason or (node.op.refuses_gradient and node in self._taped):
                found.add(node)
        for reason, names in reasons.items():
            self._tell(names, reason)
        return found

    def _compiled(self, refused: set[Node]) -> list[_Step]:
        """The steps, with more and more nodes on their kernels until ONNX Runtime takes the rest."""
        while True:
            try:
                return self._planned(refused)
            except UnsupportedOperators as exc:
                more = exc.nodes - refused
                if not more:
                    raise exc.__cause__ or exc from None
                self._tell(sorted(node.name for node in more), str(exc))
                refused = refused | more

    def _tell(self, names: Sequence[str], reason: str) -> None:
        """Log once for a graph, whatever shapes it has, what runs on kernels."""
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        if shown not in self._told:
            self._told.add(shown)
            logger.info("hybridize: %s runs on the kernel, between sessions. %s", shown, reason)

    def _planned(self, refused: set[Node]) -> list[_Step]:
        """The steps level by level; raises `UnsupportedOperators` for those not in ONNX Runtime."""
        levels = _levels(self._nodes, refused)
        used: dict[Entry, set[int]] = {}  # by which levels, of which -1 stands for the outputs
        for node in self._nodes:
            for entry in node.inputs:
                used.setdefault(entry, set()).add(levels[node])
        for entry in self._outputs:
            used.setdefault(entry, set()).add(-1)
        steps: list[_Step] = []
        for level in sorted({levels[node] for node in self._nodes if not node.is_variable}):
            nodes = [node for node in self._nodes if levels[node] == level and not node.is_variable]
            if level % 2:
                steps += [_Kernel(node, self._operator(node), self._training) for node in nodes]
                continue
            inside = set(nodes)
            outputs = [entry for entry, users in used.items() if entry.node in inside and users - {level}]
            steps.append(self._partition(outputs, levels, level))
        return steps

    def _operator(self, node: Node) -> Any:
        """The node's operator; one without inputs with the sizes that the graph around tells."""
        if node.inputs:
            return node.op
        return node.op.with_inferred_shape([self._specs[Entry(node, i)] for i in range(node.count())])

    def _partition(self, outputs: list[Entry], levels: Mapping[Node, int], level: int) -> _Compiled:
        """What ONNX Runtime computes of one level, from variables and the other levels' results."""
        inside = {e.node for e in outputs}
        inputs: dict[Entry, None] = {}
        waiting = list(inside)
        while waiting:
            for entry in waiting.pop().inputs:
                if entry.node.is_variable or levels[entry.node] != level:
                    inputs[entry] = None
                elif entry.node not in inside:
                    inside.add(entry.node)
                    waiting.append(entry.node)
        taken = {entry: f"_from{i}" for i, entry in enumerate(inputs) if not entry.node.is_variable}
        names = [taken.get(entry) or entry.node.name for entry in inputs]
        cut_outputs, originals = cut(outputs, {e: Node(VARIABLE, name) for e, name in taken.items()})
        specs = {name: self._specs[entry] for name, entry in zip(names, inputs, strict=True)}
        wanted = [entry.node in self._taped for entry in inputs]
        try:
            made = Partition(cut_outputs, names, specs, wanted, self._training, self._updating, originals)
        except UnsupportedOperators as exc:
            exc.nodes = {originals[node] for node in exc.nodes}
            raise
        return _Compiled(made, list(inputs), outputs)


def _merged(symbol: Outputs) -> Outputs:
    """The same with one variable for each name."""
    nodes = sorted(topological(symbol.outputs), key=attrgetter("serial"))
    variables = [node for node in nodes if node.is_variable]
    first: dict[str, Entry] = {}
    replaced = {node: first.setdefault(node.name, Entry(node, 0)) for node in variables}
    if len(first) == len(variables):
        return symbol
    copies = copied(nodes, replaced)
    return Outputs([moved(entry, copies, replaced) for entry in symbol.outputs])


def _levels(nodes: Sequence[Node], refused: set[Node]) -> dict[Node, int]:
    """A number for each node that is not below those of its inputs: odd for nodes that run on kernels."""
    found: dict[Node, int] = {}
    for node in nodes:
        below = max((found[entry.node] for entry in node.inputs), default=0)
        found[node] = below if node.is_variable else below + (below + (node in refused)) % 2
    return found


# ---- steps


class _Step(Protocol):
    """A part of a plan: from the arrays of some entries to those of others."""

    @property
    def inputs(self) -> Sequence[Entry]: ...
    @property
    def outputs(self) -> Sequence[Entry]: ...
    def __call__(self, args: Sequence[NDArray], noise: Noise) -> list[NDArray]: ...


class _Compiled(NamedTuple):
    """Operators that ONNX Runtime runs."""

    partition: Partition
    inputs: Sequence[Entry]
    outputs: Sequence[Entry]

    def __call__(self, args: Sequence[NDArray], noise: Noise) -> list[NDArray]:
        return self.partition(args, noise)


class _Kernel:
    """One operator that runs on its kernel."""

    def __init__(self, node: Node, op: Any, training: bool) -> None:
        self.inputs = node.inputs
        self.outputs = [Entry(node, i) for i in range(node.count())]
        self._node, self._op = node, op
        self._mode = train_mode if training else predict_mode

    def __call__(self, args: Sequence[NDArray], noise: Noise) -> list[NDArray]:
        with self._node.named(), self._mode():
            return invoke_all(self._op, args, noise=noise.get(self._node))
