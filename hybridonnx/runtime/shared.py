"""Sessions of training that graphs of one structure share: scripts make the same network again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import config
from .._locks import new_lock, no_fork
from ..ndarray.np_shape import is_np_shape
from ..ops import Operator, Spec
from ..symbol.declared import SHAPE_KEY
from ..symbol.graph import Entry, Node
from .device_session import StepOnDevice
from .session import StepSession

_MOST = 32
"""How many sessions are kept, which nothing may use any more."""
_MOST_BYTES = 1 << 20
"""Of the inputs: a session keeps memory for what it computed, and these are small ones."""


class Shared(NamedTuple):
    """A session, and what the graph was like that it was made of."""

    session: StepSession | StepOnDevice
    lowered: Any
    names: Sequence[str]
    """The names of the operators of that graph, in topological order."""
    noise: Sequence[int]
    """Which of the operators the noise is for."""


_sessions: OrderedDict[Hashable, Shared] = OrderedDict()
_lock = new_lock()


def shared(key: Hashable, make: Callable[[], Shared]) -> Shared:
    """The session for a key, made now if there is none; each is its own if the key is `None`."""
    if key is None:
        return make()
    with no_fork(), _lock:
        known = _sessions.get(key)
        if known is not None:
            _sessions.move_to_end(key)
            return known
    made = make()
    with no_fork(), _lock:
        _sessions[key] = made
        while len(_sessions) > _MOST:
            _sessions.popitem(last=False)
    return made


def structure(
    nodes: Sequence[Node],
    outputs: Sequence[Entry],
    specs: Mapping[str, Spec],
    training: bool,
    device: Hashable = None,
) -> Hashable:
    """What tells graphs apart but the names of operators; `None` if more than that does, or it is large.

    `nodes` are in topological order.
    """
    parts: list[Hashable] = []
    places: dict[Node, int] = {}
    size = 0
    for node in nodes:
        places[node] = len(parts)
        if node.is_variable:
            shape, dtype = specs[node.name]
            size += specs[node.name].bytes({}, free=_MOST_BYTES)
            parts.append((node.name, shape, dtype))
            continue
        if not node.is_known or node.subgraphs or node.op.stateful or SHAPE_KEY in node.attrs:
            return None
        parts.append((identity(node.op), *((places[entry.node], entry.output) for entry in node.inputs)))
    if size > _MOST_BYTES:
        return None
    ends = tuple((places[entry.node], entry.output) for entry in outputs)
    return tuple(parts), ends, training, is_np_shape(), config.THREADS(), config.PROFILE(), device


def identity(op: Operator) -> tuple[type, str]:
    """The operator and its attributes; those that are equal to it may differ, in the sign of a zero."""
    known: tuple[type, str] | None = op.__dict__.get("_structure")
    if known is None:
        known = op.__dict__["_structure"] = (type(op), repr(op))
    return known
