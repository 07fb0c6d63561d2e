"""A partition of a graph as one session, and its gradient as another, which takes values of the first."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..autograd.scopes import state
from ..autograd.tape import Recorded, TapeNode
from ..context import Context, current_context
from ..errors import ConversionError, MXNetError, without_places
from ..ndarray.ndarray import NDArray
from ..ndarray.watch import overwrite
from ..ops import Noise, Spec
from ..symbol.compose import Outputs
from ..symbol.cut import cut
from ..symbol.gradient import gradients, updates
from ..symbol.graph import VARIABLE, Entry, Node, copied, moved, topological
from ..symbol.infer import Specs, infer
from ..symbol.symbol import Symbol
from .blocks import block_size
from .device import Device
from .device_session import StepOnDevice
from .forms import Kept
from .measured import Operator, operators_of
from .parts import unused
from .session import StepSession
from .shared import Shared, shared, structure

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


class UnsupportedOperators(Exception):  # noqa: N818  (it says what is to be done, not what is wrong)
    """Nodes of a partition that ONNX Runtime cannot run or differentiate, and why."""

    def __init__(self, nodes: Iterable[Node], reason: str) -> None:
        super().__init__(reason)
        self.nodes = set(nodes)


class Partition:
    """The entries `outputs` as a function of arrays of certain shapes for the variables `names`.

    On the tape it is one operator. `requires_grad` says for which of the variables there may be gradients,
    and `originals` gives the node that each node was copied from, by which draws are looked up. `make_plan`
    runs gradients that are differentiated themselves.
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
    ) -> None:
        self.outputs = Outputs(outputs)
        self.names = list(names)
        self.training = training
        self.specs = specs
        self.originals = originals
        self.make_plan = make_plan
        self.device = device
        self.expanded = True
        """Whether `get_symbol` shows its operators."""
        entries = infer(self.outputs, specs, partial=True)
        changes = updates(self.outputs) if training and updating else []
        changes = [(name, value) for name, value in changes if not value.outputs[0].node.is_variable]
        places = {name: i for i, name in enumerate(self.names)}
        self._states = [places[name] for name, _ in changes]
        results = [*outputs, *(value.outputs[0] for _, value in changes)]
        backward = _Backward(self, entries, requires_grad)
        self.backward = backward if backward.outputs else None
        numbers = {entry: i for i, entry in enumerate(dict.fromkeys([*results, *backward.saved]))}
        self._results = [numbers[entry] for entry in results]
        self._saved = [numbers[entry] for entry in backward.saved]
        own = set(topological(outputs))
        self._session = _session(list(numbers), specs, training, lambda n: n if n in own else None, device)
        self._args = [(name, places[name]) for name in self._session.inputs]
        self._noise = [(n, originals.get(n.node, n.node)) for n in self._session.noise]

    def __call__(self, args: Sequence[NDArray], draws: Draws) -> list[NDArray]:
        """The outputs, recorded if `autograd` records."""
        feeds = {name: args[i]._data for name, i in self._args}
        for noise, node in self._noise:
            feeds[noise.name] = np.asarray(noise.of(draws[node]), order="C")
        values = self._session(feeds)
        arrays = [values[i] for i in self._results]
        count = len(self.outputs.outputs)
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

    def __init__(self, partition: Partition, saved: Sequence[Any], draws: Draws) -> None:
        self._partition = partition
        self._saved = saved
        self._draws = draws

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        """The sweep's question, answered by the backward session."""
        backward = self._partition.backward
        if backward is None:
            return [None] * len(inputs)
        heads = dy if isinstance(dy, tuple) else (dy,)
        return backward(inputs, heads, self._saved, self._draws)

    def symbolic(self, inputs: Sequence[Entry], name: str) -> list[Entry]:
        """The graph's outputs as entries, computed from entries; of one node if it is not to be expanded."""
        if not self._partition.expanded:
            node = Node("_CachedOp", name, {}, inputs)
            node.stored_outputs = len(self._partition.outputs.outputs)
            return [Entry(node, i) for i in range(node.stored_outputs)]
        by_name = dict(zip(self._partition.names, inputs, strict=True))
        nodes = topological(self._partition.outputs.outputs)
        replaced = {node: by_name[node.name] for node in nodes if node.is_variable}
        copies = copied(nodes, replaced)
        return [moved(entry, copies, replaced) for entry in self._partition.outputs.outputs]


class _Backward:
    """The gradients of a partition as a session of their own."""

    def __init__(self, partition: Partition, entries: Specs, requires_grad: Sequence[bool]) -> None:
        self._partition = partition
        outputs = partition.outputs.outputs
        variables = {node.name: node for node in topological(outputs) if node.is_variable}
        self._heads = unused("_head", len(outputs), partition.names)
        heads = [Node(VARIABLE, name) for name in self._heads]
        indices = [i for i, name in enumerate(partition.names) if requires_grad[i] and name in variables]
        visited: list[tuple[int, Node]] = []
        try:
            values = gradients(
                partition.outputs,
                [Entry(variables[partition.names[i]], 0) for i in indices],
                [Symbol([Entry(node, 0)]) for node in heads],
                partition.training,
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
        self._specs = dict(partition.specs)
        self._specs.update((h, entries[e]) for h, e in zip(self._heads, outputs, strict=True))
        self._plans = Kept()
        if self.outputs:
            self._compile(entries, _Origins(visited))

    def _compile(self, entries: Specs, origins: _Origins) -> None:
        partition = self._partition
        border = _border(self.outputs, set(topological(partition.outputs.outputs)))
        names = dict(zip(border, unused("_saved", len(border), [*self._specs]), strict=True))
        specs = {**self._specs, **{name: entries[entry] for entry, name in names.items()}}
        results, originals = cut(self.outputs, {e: Node(VARIABLE, name) for e, name in names.items()})

        def origin(node: Node) -> Node | None:
            return origins.of(originals.get(node, node))

        self._session = _session(results, specs, partition.training, origin, partition.device, views=True)
        inputs = set(self._session.inputs)
        self.saved = [entry for entry in border if names[entry] in inputs]
        self._saved_names = [names[entry] for entry in self.saved]
        self._args = [(name, i) for i, name in enumerate(partition.names) if name in inputs]
        self._head_inputs = [(name, i) for i, name in enumerate(self._heads) if name in inputs]

    def __call__(
        self, args: Sequence[NDArray], heads: Sequence[NDArray], saved: Sequence[Any], draws: Draws
    ) -> list[Any]:
        """The gradients of the variables, `None` where there is none, from those of the outputs.

        When `autograd` records, they are computed anew from the variables, by a graph that has gradients.
        """
        values = self._recorded(args, heads, draws) if state.recording else self._run(args, heads, saved)
        by_variable: list[Any] = [None] * len(args)
        for i, value in zip(self._indices, values, strict=True):
            by_variable[i] = value
        return by_variable

    def _run(self, args: Sequence[NDArray], heads: Sequence[NDArray], saved: Sequence[Any]) -> list[NDArray]:
        feeds = {name: args[i]._data for name, i in self._args}
        feeds.update((name, heads[i]._data) for name, i in self._head_inputs)
        feeds.update(zip(self._saved_names, saved, strict=True))
        results = zip(self._indices, self._session(feeds), strict=True)
        return [NDArray._on_tape(value, args[i]._ctx, None) for i, value in results]

    def _recorded(self, args: Sequence[NDArray], heads: Sequence[NDArray], draws: Draws) -> list[NDArray]:
        variables = [*args, *heads]
        plan = self._differentiable(variables)
        originals = self._partition.originals.items()
        return plan(variables, {node: draws[original] for node, original in originals if original in draws})

    def _differentiable(self, variables: Sequence[NDArray]) -> _Function:
        """The gradients as a graph that is differentiated in turn, for sizes that are known."""
        requires_grad = tuple([x._entry is not None for x in variables])
        key = requires_grad, *[x._data.shape for x in variables]
        plan: _Function | None = self._plans.used(key)
        if plan is None:
            partition = self._partition
            names = [*partition.names, *self._heads]
            specs = {n: Spec(x._data.shape, x._data.dtype) for n, x in zip(names, variables, strict=True)}
            plan = partition.make_plan(
                Outputs(self.outputs),
                names,
                specs,
                requires_grad,
                partition.training,
                False,
                partition.device,
            )
            self._plans.keep(key, plan)
        return plan


class _Origins:
    """Which node of the forward graph a node of the gradient graph was made for."""

    def __init__(self, visited: Sequence[tuple[int, Node]]) -> None:
        self._starts = [serial for serial, _ in visited]
        self._nodes = [node for _, node in visited]

    def of(self, node: Node) -> Node | None:
        """The node that was differentiated when `node` was made, if one was."""
        index = bisect_right(self._starts, node.serial)
        return self._nodes[index - 1] if index else None


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


def _operators(
    names: Sequence[str], nodes: Sequence[Node], origin: Callable[[Node], Node | None]
) -> dict[str, Operator]:
    """What the nodes of a lowered graph are made for, by their names there: operators, or their gradients."""
    made: dict[str, Operator] = {}
    for name, node in zip(names, nodes, strict=True):
        source = origin(node)
        if source is None or source.name == node.name:
            made |= operators_of([node]) if node.subgraphs else {}
            made[name] = Operator(node.op_name, node.name)
        else:
            made[name] = Operator(f"_backward_{source.op_name}", f"{source.name}_backward")
    return made


class _Use(NamedTuple):
    """A session for one graph, of which there may be others with that session."""

    session: StepSession | StepOnDevice
    inputs: Sequence[str]
    noise: Sequence[Any]
    operators: Callable[[], Mapping[str, Operator]]
    """What the profiler asks for."""
    views: Sequence[tuple[int, tuple[int, ...]]]
    """Which outputs the session gives in other shapes than theirs, and these."""

    def __call__(self, feeds: dict[str, Any]) -> list[Any]:
        """The outputs for the inputs by name."""
        outputs = self.session(feeds, self.operators)
        for i, shape in self.views:
            outputs[i] = outputs[i].reshape(shape)
        return outputs


def _session(
    outputs: Sequence[Entry],
    specs: Mapping[str, Spec],
    training: bool,
    origin: Callable[[Node], Node | None],
    device: Device | None,
    views: bool = False,
) -> _Use:
    """A session that computes `outputs`; `origin` gives the node that is at fault if there can be none.

    With `views` those that have another shape at last may be views of what it gives.
    """
    nodes = topological(outputs)
    operators = [node for node in nodes if not node.is_variable]
    key = structure(nodes, outputs, specs, training, device)
    known = shared(
        None if key is None else (key, views),
        lambda: _made(outputs, nodes, specs, training, origin, device, views),
    )
    places = {name: i for i, name in enumerate(known.lowered.outputs)}
    return _Use(
        known.session,
        known.lowered.inputs,
        [n._replace(node=operators[i]) for n, i in zip(known.lowered.noise, known.noise, strict=True)],
        lambda: _operators(known.names, operators, origin),
        [(places[name], shape) for name, shape in known.lowered.views.items()],
    )


def _made(
    outputs: Sequence[Entry],
    nodes: Sequence[Node],
    specs: Mapping[str, Spec],
    training: bool,
    origin: Callable[[Node], Node | None],
    device: Device | None,
    views: bool,
) -> Shared:
    """The session, lowered and compiled."""
    from ..converters import to_onnx

    variables = {node.name for node in nodes if node.is_variable}
    operators = [node for node in nodes if not node.is_variable]
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
            local=to_onnx.Local(views=views, block=block_size() if device is None else 0),
        )
    except ConversionError as exc:
        origins = map(origin, [exc.node] if exc.node else operators)
        raise UnsupportedOperators(filter(None, origins), without_places(exc)) from exc
    try:
        session = StepSession(lowered) if device is None else StepOnDevice(device, lowered)
    except MXNetError as exc:
        raise UnsupportedOperators(filter(None, map(origin, operators)), without_places(exc)) from exc
    places = {node: i for i, node in enumerate(operators)}
    names = [node.name for node in operators]
    return Shared(session, lowered, names, [places[noise.node] for noise in lowered.noise])
