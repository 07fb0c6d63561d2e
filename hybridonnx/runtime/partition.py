"""A partition of a graph and its gradient as two sessions, between which what the gradient needs is kept."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..autograd.scopes import state
from ..autograd.tape import Leaf, Recorded, TapeNode
from ..context import Context, current_context
from ..errors import ConversionError, MXNetError
from ..ndarray.ndarray import NDArray
from ..ndarray.watch import written
from ..ops import Array, Spec
from ..symbol.compose import Outputs
from ..symbol.cut import cut
from ..symbol.gradient import gradients, updates
from ..symbol.graph import VARIABLE, Entry, Node, copied, moved, topological
from ..symbol.infer import Specs, infer
from ..symbol.symbol import Symbol
from .session import ValueSession

Noise = Mapping[Node, Array]
"""What random operators have drawn."""


class UnsupportedOperators(Exception):  # noqa: N818  (it says what is to be done, not what is wrong)
    """Nodes of a partition that ONNX Runtime cannot run or differentiate, and why."""

    def __init__(self, nodes: Iterable[Node], reason: str) -> None:
        super().__init__(reason)
        self.nodes = set(nodes)


class Partition:
    """The entries `outputs` as a function of arrays of certain shapes for the variables `names`.

    On the tape it is one operator. `wanted` says for which of the variables there may be gradients, and
    `originals` gives the node that each node was copied from, by which draws are told.
    """

    def __init__(
        self,
        outputs: Sequence[Entry],
        names: Sequence[str],
        specs: Mapping[str, Spec],
        wanted: Sequence[bool],
        training: bool,
        updating: bool,
        originals: Mapping[Node, Node],
    ) -> None:
        self.outputs = Outputs(outputs)
        self.names = list(names)
        self.training = training
        self._specs = specs
        self._originals = originals
        entries = infer(self.outputs, specs, partial=True)
        changes = updates(self.outputs) if training and updating else []
        changes = [(name, value) for name, value in changes if not value.outputs[0].node.is_variable]
        self._states = [self.names.index(name) for name, _ in changes]
        results = [*outputs, *(value.outputs[0] for _, value in changes)]
        backward = _Backward(self, entries, wanted)
        self._backward = backward if backward.found else None
        kept = backward.kept
        places = {entry: i for i, entry in enumerate(dict.fromkeys([*results, *kept]))}
        self._results = [places[entry] for entry in results]
        self._kept = [places[entry] for entry in kept]
        own = set(topological(outputs))
        self._session, lowered = _session(list(places), specs, training, lambda n: n if n in own else None)
        self._taken = [(name, self.names.index(name)) for name in lowered.inputs]
        self._noise = [(n.name, originals.get(n.node, n.node)) for n in lowered.noise]
        self._values = _Values()

    def __call__(self, args: Sequence[NDArray], noise: Noise) -> list[NDArray]:
        """The outputs, recorded if `autograd` records."""
        feeds = {name: self._values.of(name, args[i]) for name, i in self._taken}
        for name, node in self._noise:
            feeds[name] = ValueSession.value(noise[node])
        found = self._session(feeds)
        arrays = [ValueSession.array(found[i]) for i in self._results]
        count = len(self.outputs.outputs)
        for index, value in zip(self._states, arrays[count:], strict=True):
            target = args[index]._data
            target[...] = value
            written(target)
        ctx: Context = args[0]._ctx if args else current_context()
        entries = [x._entry for x in args] if state.recording else []
        if entries.count(None) == len(entries):
            return [NDArray._on_tape(y, ctx, None) for y in arrays[:count]]
        execution = _Execution(self, [found[i] for i in self._kept], noise)
        node = TapeNode(execution, entries, [x._data for x in args], arrays[:count], ctx)
        return [NDArray._on_tape(y, ctx, (node, i)) for i, y in enumerate(arrays[:count])]

    def gradients(self, args: Sequence[NDArray], heads: Sequence[NDArray], kept: Sequence[Any]) -> list[Any]:
        """The gradients of the variables, `None` where there is none, from those of the outputs."""
        if self._backward is None:
            return [None] * len(args)
        return self._backward(args, heads, kept, self._values)

    def differentiable_gradients(
        self, args: Sequence[NDArray], heads: Sequence[NDArray], noise: Noise
    ) -> list[Any]:
        """The same, recorded: computed anew from the variables, by a graph that has gradients itself."""
        if self._backward is None:
            return [None] * len(args)
        return self._backward.recorded(args, heads, noise)


class _Execution(Recorded):
    """One execution of a partition."""

    def __init__(self, partition: Partition, kept: Sequence[Any], noise: Noise) -> None:
        self._partition = partition
        self._kept = kept
        self._noise = noise

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        """The sweep's question, answered by the backward session."""
        heads = dy if isinstance(dy, tuple) else (dy,)
        if state.recording:
            return self._partition.differentiable_gradients(inputs, heads, self._noise)
        return self._partition.gradients(inputs, heads, self._kept)

    def symbolic(self, inputs: Sequence[Entry]) -> list[Entry]:
        """The graph's outputs as entries, computed from entries."""
        given = dict(zip(self._partition.names, inputs, strict=True))
        nodes = topological(self._partition.outputs.outputs)
        replaced = {node: given[node.name] for node in nodes if node.is_variable}
        copies = copied(nodes, replaced)
        return [moved(entry, copies, replaced) for entry in self._partition.outputs.outputs]


class _Backward:
    """The gradients of a partition as a session of their own."""

    def __init__(self, partition: Partition, entries: Specs, wanted: Sequence[bool]) -> None:
        self._partition = partition
        outputs = partition.outputs.outputs
        variables = {node.name: node for node in topological(outputs) if node.is_variable}
        self._heads = _unused("_head", len(outputs), partition.names)
        heads = [Node(VARIABLE, name) for name in self._heads]
        places = [i for i, name in enumerate(partition.names) if wanted[i] and name in variables]
        visited: list[tuple[int, Node]] = []
        try:
            found = gradients(
                partition.outputs,
                [Entry(variables[partition.names[i]], 0) for i in places],
                [Symbol([Entry(node, 0)]) for node in heads],
                partition.training,
                visited,
            )
        except MXNetError as exc:
            raise UnsupportedOperators([exc.node], str(exc)) from exc
        pairs = [(i, g.outputs[0]) for i, g in zip(places, found, strict=True) if g is not None]
        self._places = [i for i, _ in pairs]
        self.found = [entry for _, entry in pairs]
        self.kept: list[Entry] = []
        """The entries of the forward graph that the session takes."""
        self._specs = dict(partition._specs)
        self._specs.update((h, entries[e]) for h, e in zip(self._heads, outputs, strict=True))
        self._plans: dict[tuple[bool, ...], Any] = {}
        if self.found:
            self._compile(entries, _Origins(visited))

    def _compile(self, entries: Specs, origins: _Origins) -> None:
        partition = self._partition
        border = _border(self.found, set(topological(partition.outputs.outputs)))
        given = dict(zip(border, _unused("_kept", len(border), [*self._specs]), strict=True))
        specs = {**self._specs, **{name: entries[entry] for entry, name in given.items()}}
        results, originals = cut(self.found, {e: Node(VARIABLE, name) for e, name in given.items()})

        def origin(node: Node) -> Node | None:
            return origins.of(originals.get(node, node))

        self._session, lowered = _session(results, specs, partition.training, origin)
        read = set(lowered.inputs)
        self.kept = [entry for entry in border if given[entry] in read]
        self._taken = [(name, i) for i, name in enumerate(partition.names) if name in read]
        self._given = [(name, i) for i, name in enumerate(self._heads) if name in read]
        self._kept = [given[entry] for entry in self.kept]

    def __call__(
        self, args: Sequence[NDArray], heads: Sequence[NDArray], kept: Sequence[Any], values: _Values
    ) -> list[Any]:
        feeds = {name: values.of(name, args[i]) for name, i in self._taken}
        feeds.update((name, ValueSession.value(heads[i]._data)) for name, i in self._given)
        feeds.update(zip(self._kept, kept, strict=True))
        found: list[Any] = [None] * len(args)
        for i, value in zip(self._places, self._session(feeds), strict=True):
            found[i] = NDArray._on_tape(ValueSession.array(value), args[i]._ctx, None)
        return found

    def recorded(self, args: Sequence[NDArray], heads: Sequence[NDArray], noise: Noise) -> list[Any]:
        """The gradients computed from the variables alone, on the tape."""
        given = [*args, *heads]
        plan = self._differentiable(tuple([x._entry is not None for x in given]))
        originals = self._partition._originals.items()
        draws = {node: noise[original] for node, original in originals if original in noise}
        found: list[Any] = [None] * len(args)
        for i, value in zip(self._places, plan(given, draws), strict=True):
            found[i] = value
        return found

    def _differentiable(self, wanted: tuple[bool, ...]) -> Any:
        """The gradients as a graph that is differentiated in turn."""
        from .plan import Plan

        if wanted not in self._plans:
            names = [*self._partition.names, *self._heads]
            training = self._partition.training
            self._plans[wanted] = Plan(
                Outputs(self.found), names, self._specs, wanted, training, updating=False
            )
        return self._plans[wanted]


class _Origins:
    """Which node of the forward graph a node of the gradient graph was made for."""

    def __init__(self, visited: Sequence[tuple[int, Node]]) -> None:
        self._starts = [serial for serial, _ in visited]
        self._nodes = [node for _, node in visited]

    def of(self, node: Node) -> Node | None:
        """The node that was differentiated when `node` was made, if one was."""
        index = bisect_right(self._starts, node.serial)
        return self._nodes[index - 1] if index else None


class _Values:
    """Arrays as ONNX Runtime's values over the same memory.

    Those of leaves are kept, as the same parameters come in every step. Others are not, as a value keeps its
    array alive: of each shape of batches the last would stay.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[Array, Any]] = {}

    def of(self, name: str, x: NDArray) -> Any:
        """The value over a variable's array."""
        array = x._data
        lasting = x._entry is not None and isinstance(x._entry[0], Leaf)
        if not (lasting and array.flags.c_contiguous):  # else it is a copy, which does not see later changes
            return ValueSession.value(array)
        known = self._known.get(name)
        if known is None or known[0] is not array:
            known = self._known[name] = (array, ValueSession.value(array))
        return known[1]


def _border(outputs: Sequence[Entry], inside: set[Node]) -> list[Entry]:
    """The entries of operators in `inside` that `outputs` are computed from."""
    found: dict[Entry, None] = {}
    for entry in outputs:
        if entry.node in inside and not entry.node.is_variable:
            found[entry] = None
    for node in topological(outputs):
        if node not in inside:
            found.update((e, None) for e in node.inputs if e.node in inside and not e.node.is_variable)
    return list(found)


def _unused(stem: str, count: int, names: Sequence[str]) -> list[str]:
    """Names for `count` variables that none of `names` has."""
    taken = set(names)
    while any(f"{stem}{i}" in taken for i in range(count)):
        stem += "_"
    return [f"{stem}{i}" for i in range(count)]


def _session(
    outputs: Sequence[Entry],
    specs: Mapping[str, Spec],
    training: bool,
    origin: Callable[[Node], Node | None],
) -> tuple[ValueSession, Any]:
    """A session that computes `outputs`; `origin` tells the node to blame if there can be none."""
    from ..converters import to_onnx

    nodes = topological(outputs)
    variables = {node.name for node in nodes if node.is_variable}
    try:
        lowered = to_onnx.lower(
            Outputs(outputs),
            {name: spec for name, spec in specs.items() if name in variables},
            {},
            training=training,
            outputs=[f"_output{i}" for i in range(len(outputs))],
            embed=False,
            noise_inputs=True,
            keep_inputs=False,
            exact=True,
        )
    except ConversionError as exc:
        blamed = [found for node in ([exc.node] if exc.node else nodes) if (found := origin(node))]
        raise UnsupportedOperators(blamed, str(exc)) from exc
    try:
        return ValueSession(lowered), lowered
    except MXNetError as exc:
        raise UnsupportedOperators(filter(None, map(origin, nodes)), str(exc)) from exc
