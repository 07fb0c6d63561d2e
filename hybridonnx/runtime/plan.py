"""A graph ready to run on arrays of certain shapes: in ONNX Runtime, and on kernels where that cannot."""

from __future__ import annotations

import copy
import logging
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._locks import no_fork
from ..autograd.scopes import predict_mode, train_mode
from ..context import current_context
from ..dtypes import name_of
from ..errors import ConversionError
from ..ndarray.invoke import invoke_all
from ..ndarray.ndarray import NDArray
from ..ops import Noise, Spec, UndecidedError, drawing, generator, is_symbolic, is_zero, show
from ..symbol.compose import Outputs
from ..symbol.execute import Step, count_uses, run_steps
from ..symbol.graph import Entry, Node, topological, with_one_variable_each
from ..symbol.infer import Specs, infer, operator_of
from .graph_session import UnsupportedOperators
from .partition import Draws, Partition
from .parts import Part, by_level, levels_of, part_of, results_of
from .session import EMPTY_ARRAYS_END_PROCESS

logger = logging.getLogger("hybridonnx")


class Plan:
    """The outputs of a graph, from an array for each of the variables `names`.

    Where sizes in `specs` are free, `at` gives the plan for sizes that are known.
    `requires_grad` says which of the variables are on the tape. Operators without a lowering, or whose
    gradient has none or is row-sparse, run on their kernels and are recorded one by one; the partitions
    between them run in ONNX Runtime. With `updating`, auxiliary states change when training. `logged` are the
    names of operators on kernels that were logged before, and `sizes` what free sizes are at first.
    """

    def __init__(
        self,
        symbol: Outputs,
        names: Sequence[str],
        specs: Mapping[str, Spec],
        requires_grad: Sequence[bool],
        training: bool,
        updating: bool = True,
        device: Any = None,
        logged: set[str] | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        self._names = list(names)
        self._logged = set() if logged is None else logged
        symbol = Outputs(with_one_variable_each(symbol.outputs))
        self._outputs = symbol.outputs
        self._specs = infer(symbol, specs, partial=True)
        self._free = any(is_symbolic(spec.shape) for spec in specs.values())
        self._training, self._updating, self._device = training, updating, device
        self._sizes = sizes
        self._nodes = sorted(topological(symbol.outputs), key=attrgetter("serial"))
        self._random = self._random_operators(self._specs)
        self.key: Any = None
        """What the owner keeps it by."""
        on_tape = {name for name, required in zip(names, requires_grad, strict=True) if required}
        self._taped: set[Node] = set()
        for node in self._nodes:
            if node.name in on_tape if node.is_variable else any(e.node in self._taped for e in node.inputs):
                self._taped.add(node)
        self._steps = self._compiled(self._refused())
        self._variables = {node.name: Entry(node, 0) for node in self._nodes if node.is_variable}
        self._uses = count_uses(self._steps, self._outputs)

    def __call__(self, args: Sequence[NDArray], draws: Draws | None = None) -> list[NDArray]:
        """The outputs for the variables' arrays; `draws` are those that were made before."""
        noise = self._draw() if draws is None else draws
        arrays = {
            self._variables[name]: value
            for name, value in zip(self._names, args, strict=True)
            if name in self._variables
        }
        device = args[0]._ctx if args else current_context()

        def run(step: _Step, xs: list[NDArray]) -> list[NDArray]:
            with nullcontext() if step.inputs else device:
                return step(xs, noise)

        return run_steps(self._steps, arrays, self._uses.copy(), self._outputs, run)

    def at(self, specs: Mapping[str, Spec]) -> Plan:
        """The same steps for variables of these specs, whose sizes are known."""
        fitted = copy.copy(self)
        if self._random:
            fitted._random = self._random_operators(infer(Outputs(self._outputs), specs, partial=True))
        return fitted

    def stay_whole(self) -> None:
        """Let `get_symbol` show one node in place of the operators, if all of them are one partition."""
        for step in self._steps if len(self._steps) == 1 else ():
            if isinstance(step, _Compiled):
                step.partition.expanded = False

    def on_kernels(self) -> list[str]:
        """The names of the operators that run on kernels."""
        return [step.outputs[0].node.name for step in self._steps if isinstance(step, _Kernel)]

    # ---- draws

    def _random_operators(self, specs: Specs) -> list[tuple[Node, Any, list[Spec]]]:
        """The random operators in the order of their making, each with the specs of its inputs."""
        random = []
        for node in self._nodes:
            if node.is_variable:
                continue
            op = operator_of(node, specs).in_mode(self._training)
            if op.draws():
                random.append((node, op, [specs[entry] for entry in node.inputs]))
        return random

    def _draw(self) -> Draws:
        draws: dict[Node, Noise] = {}
        for node, op, specs in self._random:
            with no_fork(), drawing():
                rng = generator()
                noise = op.draw(rng, *specs)
            many = isinstance(noise, list)
            draws[node] = noise if many else np.asarray(noise, order="C")
        return draws

    # ---- what runs where

    def _refused(self) -> set[Node]:
        """The operators that cannot be in a session."""
        from ..converters import to_onnx

        refused: set[Node] = set()
        reasons: dict[str, list[str]] = {}
        for node in self._nodes:
            if node.is_variable:
                continue
            reason = to_onnx.refusal(node, noise_inputs=True) or self._lacks_arrays(node)
            if reason:
                reasons.setdefault(reason, []).append(node.name)
            alone = node.op.refuses_gradient or node.op.stores_gradient()
            if reason or (alone and node in self._taped):
                refused.add(node)
        for reason, names in reasons.items():
            self._log(names, reason)
        return refused | self._empty() if EMPTY_ARRAYS_END_PROCESS else refused

    def _empty(self) -> set[Node]:
        """The operators that take or give an array without elements, which are no work for kernels."""
        empty = {entry for entry, spec in self._specs.items() if any(map(is_zero, spec.shape or ()))}
        nodes = {entry.node for entry in empty if not entry.node.is_variable}
        return (
            nodes.union(node for node in self._nodes if not empty.isdisjoint(node.inputs)) if empty else nodes
        )

    def _lacks_arrays(self, node: Node) -> str:
        """Why the arrays that a node takes and gives are no values of ONNX Runtime's; empty if they are."""
        from .session import exchanges

        entries = [*node.inputs, *(Entry(node, i) for i in range(node.count()))]
        dtypes = [self._specs[e].dtype for e in entries if e in self._specs]
        lacking = next((d for d in dtypes if not exchanges(d, shared=True)), None)
        return "" if lacking is None else f"ONNX Runtime shares no arrays of {name_of(lacking)}."

    def _compiled(self, refused: set[Node]) -> list[_Step]:
        """The steps, with more and more nodes on their kernels until ONNX Runtime takes the rest.

        What only known sizes would make possible is raised as it is.
        """
        from ..converters.to_onnx import NeedsShape

        while True:
            try:
                return self._planned(refused)
            except UnsupportedOperators as exc:
                if self._free and isinstance(exc.__cause__, NeedsShape | UndecidedError):
                    raise exc.__cause__ from None
                more = self._alike(exc.nodes - refused) - refused
                if not more:
                    raise exc.__cause__ or exc from None
                self._log(sorted(node.name for node in more), str(exc))
                refused = refused | more

    def _alike(self, nodes: set[Node]) -> set[Node]:
        """All nodes that are the same operator on inputs of the same kind: what refuses one refuses them."""

        def kind(node: Node) -> Any:
            inputs = [(e, self._specs[e]) for e in node.inputs]
            return node.op, [(show(spec.shape), spec.dtype, e.node in self._taped) for e, spec in inputs]

        kinds = [kind(node) for node in nodes]
        return {node for node in self._nodes if not node.is_variable and kind(node) in kinds}

    def _log(self, names: Sequence[str], reason: str) -> None:
        """Log once for a graph, whatever shapes it has, what runs on kernels."""
        listing = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        if listing not in self._logged:
            self._logged.add(listing)
            logger.info("hybridize: %s runs on the kernel, between sessions. %s", listing, reason)

    def _planned(self, refused: set[Node]) -> list[_Step]:
        """The steps level by level; raises `UnsupportedOperators` for those not in ONNX Runtime."""
        levels = levels_of(self._nodes, refused)
        results = results_of(self._nodes, self._outputs, levels)
        steps: list[_Step] = []
        for level, nodes in by_level(self._nodes, levels):
            if level % 2:
                self._require_sizes(nodes)
                steps += [_Kernel(node, operator_of(node, self._specs), self._training) for node in nodes]
            else:
                steps.append(self._partition(part_of(results.get(level, []), levels, level)))
        return steps

    def _require_sizes(self, nodes: Sequence[Node]) -> None:
        """Raise if kernels are to make arrays of sizes that are free here."""
        for node in nodes:
            if not node.inputs and any(
                is_symbolic(self._specs[Entry(node, i)].shape) for i in range(node.count())
            ):
                raise ConversionError(f"{node.op_name}: fixed input shapes are required on the kernel.")

    def _partition(self, part: Part) -> _Compiled:
        """A part, which ONNX Runtime computes."""
        names, originals = part.names, part.originals
        specs = {name: self._specs[entry] for name, entry in zip(names, part.inputs, strict=True)}
        requires_grad = [entry.node in self._taped for entry in part.inputs]
        try:
            partition = Partition(
                part.results,
                names,
                specs,
                requires_grad,
                self._training,
                self._updating,
                originals,
                Plan,
                self._device,
                self._sizes,
            )
        except UnsupportedOperators as exc:
            exc.nodes = {originals[node] for node in exc.nodes}
            raise
        return _Compiled(partition, part.inputs, part.outputs)


# ---- steps


class _Step(Step, Protocol):
    """A part of a plan."""

    def __call__(self, args: Sequence[NDArray], draws: Draws) -> list[NDArray]: ...


class _Compiled(NamedTuple):
    """Operators that ONNX Runtime runs."""

    partition: Partition
    inputs: Sequence[Entry]
    outputs: Sequence[Entry]

    def __call__(self, args: Sequence[NDArray], draws: Draws) -> list[NDArray]:
        return self.partition(args, draws)


class _Kernel:
    """One operator that runs on its kernel."""

    def __init__(self, node: Node, op: Any, training: bool) -> None:
        self.inputs = node.inputs
        self.outputs = [Entry(node, i) for i in range(node.count())]
        self._node, self._op = node, op
        self._mode = train_mode if training else predict_mode

    def __call__(self, args: Sequence[NDArray], draws: Draws) -> list[NDArray]:
        with self._node.named(), self._mode():
            return invoke_all(self._op, args, noise=draws.get(self._node))
