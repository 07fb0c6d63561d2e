"""A partition of a graph as one session, and its gradient as another, which takes values of the first."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..autograd.scopes import state
from ..autograd.tape import Receiver, Recorded, TapeNode, refuse_released
from ..context import Context, current_context
from ..errors import MXNetError, without_places
from ..ndarray.ndarray import NDArray
from ..ndarray.watch import overwrite
from ..ops import Noise, Spec
from ..symbol.compose import Outputs
from ..symbol.cut import cut
from ..symbol.gradient import gradients, updates
from ..symbol.graph import VARIABLE, Entry, Node, copied, moved, topological
from ..symbol.infer import Specs, infer
from ..symbol.symbol import Symbol
from .device import Device
from .forms import Kept
from .graph_session import GraphSession, UnsupportedOperators, graph_session
from .mirror import mirrored
from .parts import unused
from .stages import Stages, groups_of, memory_of, receiver_of, write_into

logger = logging.getLogger("hybridonnx")

_LARGE = 1 << 23
"""Bytes of values that are kept for gradients from which on these are computed in parts."""
_MOST_PARTS = 6

Draws = Mapping[Node, Noise]
"""What random operators have drawn."""


class _Function(Protocol):
    """A graph as a function on its variables' arrays."""

    def __call__(self, args: Sequence[NDArray], draws: Draws, /) -> list[NDArray]: ...


MakePlan = Callable[
    [Outputs, Sequence[str], Mapping[str, Spec], Sequence[bool], bool, bool, Any],
    _Function,
]
"""Makes a function of a graph's outputs, its variables' names and specs, and which of them require gradients.

Then whether it trains, whether that updates auxiliary states, and the device that it is for.
"""


class _Graph(NamedTuple):
    """What a partition computes, of which its gradient is made."""

    outputs: Outputs
    names: Sequence[str]
    """The variables."""
    specs: Mapping[str, Spec]
    training: bool
    originals: Mapping[Node, Node]
    make_plan: MakePlan
    device: Device | None
    sizes: Mapping[str, int]


class Partition:
    """The entries `outputs` as a function of arrays of certain shapes for the variables `names`.

    On the tape it is one operator. `requires_grad` says for which of the variables there may be gradients,
    and `originals` gives the node that each node was copied from, by which draws are looked up. `make_plan`
    runs gradients that are differentiated themselves. `sizes` are what free sizes are at first, by name, by
    which memory is reckoned.
    """

    def __init__(
        self,
        outputs: Sequence[Entry],
        names: Sequence[str],
        specs: Mapping[str, Spec],
        requires_grad: Sequence[bool],
        training: bool,
        updating: bool,
        originals: Mapping[Node, Node],
        make_plan: MakePlan,
        device: Device | None = None,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        graph = self.graph = _Graph(
            Outputs(outputs), list(names), specs, training, originals, make_plan, device, sizes or {}
        )
        self.expanded = True
        """Whether `get_symbol` shows its operators."""
        entries = infer(graph.outputs, specs, partial=True)
        changes = updates(graph.outputs) if training and updating else []
        changes = [(name, value) for name, value in changes if not value.outputs[0].node.is_variable]
        places = {name: i for i, name in enumerate(names)}
        self._states = [places[name] for name, _ in changes]
        results = [*outputs, *(value.outputs[0] for _, value in changes)]
        backward = _Backward(graph, entries, requires_grad)
        self.backward = backward if backward.outputs else None
        numbers = {entry: i for i, entry in enumerate(dict.fromkeys([*results, *backward.saved]))}
        self._results = [numbers[entry] for entry in results]
        self._saved = [numbers[entry] for entry in backward.saved]
        own = set(topological(outputs))
        self._session = graph_session(
            list(numbers), specs, training, lambda n: n if n in own else None, device, views=True
        )
        self._args = [(name, places[name]) for name in self._session.inputs]
        self._noise = [(n, originals.get(n.node, n.node)) for n in self._session.noise]

    def __call__(self, args: Sequence[NDArray], draws: Draws) -> list[NDArray]:
        """The outputs, recorded if `autograd` records."""
        feeds = {name: args[i]._data for name, i in self._args}
        for noise, node in self._noise:
            feeds[noise.name] = np.asarray(noise.of(draws[node]), order="C")
        values = self._session(feeds)
        arrays = [values[i] for i in self._results]
        count = len(self.graph.outputs.outputs)
        for index, value in zip(self._states, arrays[count:], strict=True):
            overwrite(args[index]._data, value)
        ctx: Context = args[0]._ctx if args else current_context()
        entries = [x._entry for x in args] if state.recording else []
        if entries.count(None) == len(entries):
            return [NDArray._on_tape(y, ctx, None) for y in arrays[:count]]
        execution = _Execution(self, [values[i] for i in self._saved], draws)
        node = TapeNode(execution, entries, [x._data for x in args], arrays[:count], ctx)
        return [NDArray._on_tape(y, ctx, (node, i)) for i, y in enumerate(arrays[:count])]


class _Execution(Recorded):
    """One execution of a partition, with the values that its gradient takes."""

    def __init__(self, partition: Partition, saved: list[Any], draws: Draws) -> None:
        self._partition = partition
        self._saved = saved
        self._draws = draws

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        """The sweep's question, answered by the backward session."""
        backward = self._partition.backward
        if backward is None:
            return [None] * len(inputs)
        heads = dy if isinstance(dy, tuple) else (dy,)
        return backward(inputs, heads, self._saved, self._draws, self.is_last)

    def symbolic(self, inputs: Sequence[Entry], name: str) -> list[Entry]:
        """The graph's outputs as entries, computed from entries; of one node if it is not to be expanded."""
        graph = self._partition.graph
        outputs = graph.outputs.outputs
        if not self._partition.expanded:
            node = Node("_CachedOp", name, {}, inputs)
            node.stored_outputs = len(outputs)
            return [Entry(node, i) for i in range(node.stored_outputs)]
        by_name = dict(zip(graph.names, inputs, strict=True))
        nodes = topological(outputs)
        replaced = {node: by_name[node.name] for node in nodes if node.is_variable}
        copies = copied(nodes, replaced)
        return [moved(entry, copies, replaced) for entry in outputs]


class _Backward:
    """The gradients of a partition as a session of their own."""

    def __init__(self, graph: _Graph, entries: Specs, requires_grad: Sequence[bool]) -> None:
        self._graph = graph
        outputs = graph.outputs.outputs
        variables = {node.name: node for node in topological(outputs) if node.is_variable}
        self._heads = unused("_head", len(outputs), graph.names)
        heads = [Node(VARIABLE, name) for name in self._heads]
        indices = [i for i, name in enumerate(graph.names) if requires_grad[i] and name in variables]
        visited: list[tuple[int, Node]] = []
        try:
            values = gradients(
                graph.outputs,
                [Entry(variables[graph.names[i]], 0) for i in indices],
                [Symbol([Entry(node, 0)]) for node in heads],
                graph.training,
                visited,
            )
        except MXNetError as exc:
            raise UnsupportedOperators([exc.node], without_places(exc)) from exc
        pairs = [(i, g.outputs[0]) for i, g in zip(indices, values, strict=True) if g is not None]
        self._indices = [i for i, _ in pairs]
        """Which of the variables have gradients, in the order of `outputs`."""
        self.outputs = [entry for _, entry in pairs]
        self.saved: list[Entry] = []
        """The entries of the forward graph that the session takes."""
        self._specs = dict(graph.specs)
        self._specs.update((h, entries[e]) for h, e in zip(self._heads, outputs, strict=True))
        self._plans = Kept()
        self._staged: tuple[Sequence[int], Stages | None] | None = None
        """The groups of gradients that others wait for, and the sessions that give one after another."""
        if self.outputs:
            self._compile(entries, _Origins(visited))

    def _compile(self, entries: Specs, origins: _Origins) -> None:
        graph = self._graph
        inside = set(topological(graph.outputs.outputs))
        masks = _masks(self.outputs, inside, entries)
        entries = {**entries, **masks}
        border, again = self._kept(inside.union(entry.node for entry in masks), entries)
        names = dict(zip(border, unused("_saved", len(border), [*self._specs]), strict=True))
        specs = {**self._specs, **{name: entries[entry] for entry, name in names.items()}}
        variables = {entry: Node(VARIABLE, name) for entry, name in names.items()}
        results, originals = cut(self.outputs, variables)

        def origin(node: Node) -> Node | None:
            original = originals.get(node, node)
            return original if original in inside else origins.of(original)

        self._stages = partial(Stages, results, specs=specs, training=graph.training, origin=origin)
        session = None
        if graph.device is None:
            clones = {node: clone for clone, node in originals.items()}
            sizes = Counter[Node]()
            for entry, node in [*variables.items(), *((entry, clones[entry.node]) for entry in again)]:
                sizes[node] += entries[entry].bytes(graph.sizes)
            session = self._in_parts(results, sizes)
        self._session: GraphSession | Stages = session or graph_session(
            results, specs, graph.training, origin, graph.device, views=True
        )
        inputs = set(self._session.inputs)
        self.saved = [entry for entry in border if names[entry] in inputs]
        self._saved_names = [names[entry] for entry in self.saved]
        self._args = [(name, i) for i, name in enumerate(graph.names) if name in inputs]
        self._head_inputs = [(name, i) for i, name in enumerate(self._heads) if name in inputs]
        if again:
            _log_mirrored(self.saved, again, entries, graph.sizes)

    def _kept(self, forward: set[Node], specs: Specs) -> tuple[list[Entry], list[Entry]]:
        """What is kept of the nodes `forward`, and what gradients ask for, too, but is computed again."""
        border = _border(self.outputs, forward)
        mirror = mirrored(forward, border, specs, self._graph.sizes, self._graph.training)
        if not mirror.nodes:
            return border, []
        kept = dict.fromkeys([*mirror.kept, *_border(self.outputs, forward - mirror.nodes)])
        return [*kept], [entry for entry in border if entry not in kept]

    def _in_parts(self, results: Sequence[Entry], sizes: Mapping[Node, int]) -> Stages | None:
        """Sessions that run in turn, if what they take of these nodes, in bytes, is large."""
        most = max(_LARGE, sum(sizes.values()) // _MOST_PARTS)
        groups = groups_of(results, sizes, most)
        if max(groups) == 0:
            return None
        available = frozenset([*self._specs, *(node.name for node in sizes if node.is_variable)])
        try:
            return self._stages(groups, available=available)
        except (KeyError, UnsupportedOperators) as exc:
            logger.info("backward: all gradients are computed at once. %s", exc)
            return None

    def __call__(
        self,
        args: Sequence[NDArray],
        heads: Sequence[NDArray],
        saved: list[Any],
        draws: Draws,
        is_last: bool = False,
    ) -> list[Any]:
        """The gradients of the variables, `None` where there is none, from those of the outputs.

        When `autograd` records, they are computed anew from the variables, by a graph that has gradients.
        The last time `saved` is emptied.
        """
        if state.recording:
            values = self._recorded(args, heads, draws)
        else:
            values = self._run(args, heads, saved, is_last)
        by_variable: list[Any] = [None] * len(args)
        for i, value in zip(self._indices, values, strict=True):
            by_variable[i] = value
        return by_variable

    def _run(
        self, args: Sequence[NDArray], heads: Sequence[NDArray], saved: list[Any], is_last: bool
    ) -> list[NDArray]:
        if len(saved) < len(self._saved_names):  # a sweep before this one has used them, and was interrupted
            refuse_released()
        feeds = {name: args[i]._data for name, i in self._args}
        feeds.update((name, heads[i]._data) for name, i in self._head_inputs)
        feeds.update(zip(self._saved_names, saved, strict=True))
        if is_last:
            saved.clear()
        receivers = [receiver_of(args[i]) for i in self._indices]
        if any(receivers) and self._graph.device is None:
            gradients = self._received(feeds, receivers, is_last)
        elif isinstance(self._session, Stages):
            memory = [memory_of(args[i]) for i in self._indices]
            gradients = self._session(feeds, receivers, is_last, memory)
        else:
            gradients = self._session(feeds)
        results = zip(self._indices, gradients, strict=True)
        return [NDArray._on_tape(value, args[i]._ctx, None) for i, value in results]

    def _received(
        self, feeds: dict[str, Any], receivers: Sequence[Receiver | None], is_last: bool
    ) -> list[Any]:
        """The gradients, written where their receivers have them, one group of these after another."""
        last = max(receiver.group for receiver in receivers if receiver is not None)
        groups = tuple([last if receiver is None else receiver.group for receiver in receivers])
        if groups[0] == last == min(groups):
            return self._written(feeds, receivers, is_last)
        if self._staged is None or self._staged[0] != groups:
            try:
                self._staged = groups, self._stages(groups, available=frozenset(feeds))
            except (KeyError, UnsupportedOperators) as exc:
                logger.info("backward: the gradients of all groups are computed at once. %s", exc)
                self._staged = groups, None
        stages = self._staged[1]
        if stages is None:
            return self._written(feeds, receivers, is_last)
        return stages(feeds, receivers, is_last)

    def _written(
        self, feeds: dict[str, Any], receivers: Sequence[Receiver | None], is_last: bool
    ) -> list[Any]:
        if isinstance(self._session, Stages):
            return self._session(feeds, receivers, is_last)
        return write_into(self._session, feeds, receivers)

    def _recorded(self, args: Sequence[NDArray], heads: Sequence[NDArray], draws: Draws) -> list[NDArray]:
        variables = [*args, *heads]
        plan = self._differentiable(variables)
        originals = self._graph.originals.items()
        return plan(variables, {node: draws[original] for node, original in originals if original in draws})

    def _differentiable(self, variables: Sequence[NDArray]) -> _Function:
        """The gradients as a graph that is differentiated in turn, for sizes that are known."""
        requires_grad = tuple([x._entry is not None for x in variables])
        key = requires_grad, *[x._data.shape for x in variables]
        plan: _Function | None = self._plans.used(key)
        if plan is None:
            graph = self._graph
            names = [*graph.names, *self._heads]
            specs = {n: Spec(x._data.shape, x._data.dtype) for n, x in zip(names, variables, strict=True)}
            plan = graph.make_plan(
                Outputs(self.outputs),
                names,
                specs,
                requires_grad,
                graph.training,
                False,
                graph.device,
            )
            self._plans.keep(key, plan)
        return plan


def _log_mirrored(
    kept: Sequence[Entry], again: Sequence[Entry], specs: Specs, sizes: Mapping[str, int]
) -> None:
    """Log what is kept for gradients and what is computed again."""
    held, spared = (sum(specs[e].bytes(sizes) for e in entries) // 1024 for entries in (kept, again))
    logger.info(
        "backward: %s of %s KiB are kept for gradients; what %d operators give is computed again.",
        f"{held:,}",
        f"{held + spared:,}",
        len({entry.node for entry in again}),
    )


class _Origins:
    """Which node of the forward graph a node of the gradient graph was made for."""

    def __init__(self, visited: Sequence[tuple[int, Node]]) -> None:
        self._starts = [serial for serial, _ in visited]
        self._nodes = [node for _, node in visited]

    def of(self, node: Node) -> Node | None:
        """The node that was differentiated when `node` was made, if one was."""
        index = bisect_right(self._starts, node.serial)
        return self._nodes[index - 1] if index else None


_COMPARISONS = frozenset(
    f"_npi_{name}{suffix}"
    for name in ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
    for suffix in ("", "_scalar")
)


def _masks(outputs: Sequence[Entry], inside: set[Node], specs: Specs) -> Specs:
    """The comparisons of values of the nodes `inside` that are kept in place of what is larger.

    That is what `outputs` are computed from through them alone.
    """
    comparisons: list[Node] = []
    readers: dict[Entry, set[Node | None]] = {entry: {None} for entry in outputs}
    for node in topological(outputs):
        if node.is_variable or node in inside:
            continue
        if node.op_name in _COMPARISONS and all(entry.node in inside for entry in node.inputs):
            comparisons.append(node)
        for entry in node.inputs:
            readers.setdefault(entry, set()).add(node)
    masks: dict[Entry, Spec] = {}
    for node in comparisons:
        shapes = {specs[entry].shape for entry in node.inputs}
        computed = [entry for entry in node.inputs if not entry.node.is_variable]
        if len(shapes) == 1 and any(readers[e] == {node} and _is_wide(specs[e]) for e in computed):
            masks[Entry(node, 0)] = Spec(shapes.pop(), np.dtype(np.bool_))
    return masks


def _is_wide(spec: Spec) -> bool:
    return spec.dtype is not None and spec.dtype.itemsize > 1


def _border(outputs: Sequence[Entry], inside: set[Node]) -> list[Entry]:
    """The entries of operators in `inside` that `outputs` are computed from."""
    border: dict[Entry, None] = {}
    for entry in outputs:
        if entry.node in inside and not entry.node.is_variable:
            border[entry] = None
    for node in topological(outputs):
        if node not in inside:
            border.update((e, None) for e in node.inputs if e.node in inside and not e.node.is_variable)
    return list(border)
