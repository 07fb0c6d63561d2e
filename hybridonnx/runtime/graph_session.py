"""A graph of a training step, or of its gradient, as one session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import ConversionError, MXNetError, without_places
from ..ops import Array, Spec
from ..symbol.compose import Outputs
from ..symbol.graph import Entry, Node, topological
from .blocks import block_size_on
from .device import Device
from .device_session import StepOnDevice
from .measured import Operator, operators_of
from .session import StepSession
from .shared import Shared, shared, structure

Origin = Callable[[Node], Node | None]
"""From a node of the graph to the one that is at fault if ONNX Runtime cannot run it."""


class UnsupportedOperators(Exception):  # noqa: N818  (it says what is to be done, not what is wrong)
    """Nodes of a partition that ONNX Runtime cannot run or differentiate, and why."""

    def __init__(self, nodes: Iterable[Node], reason: str) -> None:
        super().__init__(reason)
        self.nodes = set(nodes)


class GraphSession(NamedTuple):
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
        return self._viewed(self.session(feeds, self.operators))

    def into(self, feeds: dict[str, Any], targets: Mapping[int, Array]) -> list[Any]:
        """The outputs, of which some are written into arrays: those are in their places.

        It is for sessions on the processor.
        """
        assert isinstance(self.session, StepSession)
        outputs = self._viewed(self.session.into(feeds, targets, self.operators))
        for i, target in targets.items():
            outputs[i] = target
        return outputs

    def _viewed(self, outputs: list[Any]) -> list[Any]:
        for i, shape in self.views:
            outputs[i] = outputs[i].reshape(shape)
        return outputs


def graph_session(
    outputs: Sequence[Entry],
    specs: Mapping[str, Spec],
    training: bool,
    origin: Origin,
    device: Device | None,
    views: bool = False,
    in_arena: bool = False,
) -> GraphSession:
    """A session that computes `outputs`; `origin` gives the node that is at fault if there can be none.

    With `views` those that have another shape at last may be views of what it gives. Sessions that run
    `in_arena` take memory from one place, which is for those that run one after another.
    """
    nodes = topological(outputs)
    operators = [node for node in nodes if not node.is_variable]
    key = structure(nodes, outputs, specs, training, device)
    known = shared(
        None if key is None else (key, views, in_arena),
        lambda: _made(outputs, nodes, specs, training, origin, device, views, in_arena),
    )
    places = {name: i for i, name in enumerate(known.lowered.outputs)}
    return GraphSession(
        known.session,
        known.lowered.inputs,
        [n._replace(node=operators[i]) for n, i in zip(known.lowered.noise, known.noise, strict=True)],
        lambda: _operators(known.names, operators, origin),
        [(places[name], shape) for name, shape in known.lowered.views.items()],
    )


def _operators(names: Sequence[str], nodes: Sequence[Node], origin: Origin) -> dict[str, Operator]:
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


def _made(
    outputs: Sequence[Entry],
    nodes: Sequence[Node],
    specs: Mapping[str, Spec],
    training: bool,
    origin: Origin,
    device: Device | None,
    views: bool,
    in_arena: bool,
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
            local=to_onnx.Local(views=views, block=block_size_on(device)),
        )
    except ConversionError as exc:
        origins = map(origin, [exc.node] if exc.node else operators)
        raise UnsupportedOperators(filter(None, origins), without_places(exc)) from exc
    try:
        session = StepSession(lowered, in_arena) if device is None else StepOnDevice(device, lowered)
    except MXNetError as exc:
        raise UnsupportedOperators(filter(None, map(origin, operators)), without_places(exc)) from exc
    places = {node: i for i, node in enumerate(operators)}
    names = [node.name for node in operators]
    return Shared(session, lowered, names, [places[noise.node] for noise in lowered.noise])
