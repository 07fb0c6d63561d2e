"""Tapes that come again and again, as those of training do: the gradient of one becomes a session.

A tape is known by its operators, how they are connected, and the shapes and dtypes of the arrays. When it has
been swept some times its whole gradient is compiled, so that a step no longer runs it operator by operator.
"""

from __future__ import annotations

import importlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .. import config
from .._locks import new_lock, no_fork
from .._profile import profile
from ..autograd.tape import Entry, Leaf, TapeNode
from ..errors import MXNetError, without_places
from ..ops import Array, Operator
from ._base import ArrayBase
from .invoke import ReferenceKernels
from .np_shape import is_np_shape

logger = logging.getLogger("hybridonnx")

OFTEN = 8
"""After so many sweeps a tape is compiled, which takes about as long as they did."""
_FEW, _MANY = 3, 2000
"""From how many nodes on, and up to how many, a tape may be compiled."""
_MOST_TAPES, _MOST_PROGRAMS = 256, 32
"""How many structures are remembered, and how many programs."""

Place: TypeAlias = tuple[int, int]
"""The number of a node, and of one of its outputs."""


class Source(NamedTuple):
    """Where a value of a tape is: an output of a node, or what it took."""

    node: int
    is_output: bool
    number: int


class Tape(NamedTuple):
    """Executions in their order, with numbers for them and for the variables that they begin with."""

    nodes: list[TapeNode]
    sources: list[list[Source]]
    """The inputs of each. What is one array has one source."""
    variables: dict[Leaf, Source]
    """Where each is taken first."""
    heads: list[Place]
    """The outputs whose gradients are given."""
    wanted: list[Entry]
    """The entries whose gradients are asked for."""
    training: bool

    def array(self, source: Source) -> Array:
        """A value."""
        node: Any = self.nodes[source.node]
        array: Array = (node.outputs if source.is_output else node.arrays)[source.number]
        return array

    def asked(self) -> list[Source]:
        """Where the values of the entries are whose gradients are asked for."""
        places: dict[Any, int] = {node: i for i, node in enumerate(self.nodes)}
        return [
            self.variables[node] if node in self.variables else Source(places[node], True, output)
            for node, output in self.wanted
        ]


Program: TypeAlias = Callable[[Tape, Sequence[Array]], Sequence[Array | None] | None]
"""From a tape of one structure and the heads' gradients to those wanted, `None` where there is none; nothing
if a sweep has to tell what is wrong."""


class _Known:
    """What is known of tapes of one structure."""

    def __init__(self, tape: Tape) -> None:
        self._operators = [node.op for node in tape.nodes]
        """Kept, as the structure has their ids."""
        self.is_refused = False
        self.sweeps = 0
        self.program: Program | None = None


_known: OrderedDict[Any, _Known] = OrderedDict()
_lock = new_lock()


def tape_gradients(
    nodes: Sequence[Any], heads: Mapping[Entry, ArrayBase], wanted: Sequence[Entry] | None, training: bool
) -> dict[Entry, Any] | None:
    """The gradients of the entries `wanted`, by default of all variables, as one session gives them.

    Nothing if a sweep has to. `nodes` are a tape and its variables, `heads` the gradients to begin with. What
    is not in the result has no gradient.
    """
    if not _FEW <= len(nodes) <= _MANY or profile.operators or ReferenceKernels._scopes.innermost is not None:
        return None
    if config.EAGER() == "numpy" or config.DETERMINISM():
        return None
    read = _read(nodes, heads, wanted, training)
    program = None if read is None else _program(*read)
    if read is None or program is None:
        return None
    tape = read[0]
    gradients = program(tape, [dy._data for dy in heads.values()])
    if gradients is None:
        return None
    dense = ArrayBase.dense
    return {
        entry: dense._on_tape(dx, tape.nodes[source.node].ctx, None)
        for entry, source, dx in zip(tape.wanted, tape.asked(), gradients, strict=True)
        if dx is not None
    }


def _read(
    nodes: Sequence[Any], heads: Mapping[Entry, ArrayBase], wanted: Sequence[Entry] | None, training: bool
) -> tuple[Tape, Any] | None:
    """The tape with its values' places, and what tells it from others; nothing if it is none to compile."""
    own = [node for node in nodes if type(node) is TapeNode]
    places: dict[Any, int] = {node: i for i, node in enumerate(own)}
    ends = [*heads, *(wanted or ())]
    if any(node in places and node.op.not_differentiable for node, _ in ends):  # of which nothing is kept
        return None
    if not all(type(dy._data) is np.ndarray and node in places for (node, _), dy in heads.items()):
        return None  # a variable may be its own head
    reading = _Reading(places)
    if not all(map(reading.add, own)):
        return None
    leaves, variables = reading.leaves, reading.variables
    asked: list[Entry] = [(leaf, 0) for leaf in leaves] if wanted is None else list(wanted)
    asked = [entry for entry in asked if entry[0] in leaves or entry[0] in places]
    first = [(places[node], output) for node, output in heads]
    last = [(places[node], output) if node in places else leaves[node] for node, output in asked]
    by_leaf = {leaf: source for leaf, (source, _) in zip(leaves, variables, strict=True)}
    tape = Tape(own, reading.sources, by_leaf, first, asked, training)
    return tape, (training, is_np_shape(), tuple(reading.structure), tuple(first), tuple(last))


class _Reading:
    """The nodes of a tape one after the other, with what is known of it so far."""

    def __init__(self, places: Mapping[Any, int]) -> None:
        self._places = places
        self.sources: list[list[Source]] = []
        self.leaves: dict[Leaf, int] = {}
        self.variables: list[tuple[Source, Array]] = []
        """Where each leaf is taken first, and what it was."""
        self.structure: list[Any] = []

    def add(self, node: Any) -> bool:
        """Read a node; false if it runs code of users, or a graph, or not all of its arrays are NumPy's."""
        places, structure, plain, op = self._places, self.structure, np.ndarray, node.op
        if not isinstance(op, Operator) or op.stateful or op.graphs or op.stores_gradient():
            return False
        place, taken = places[node], []
        structure += id(op), tuple([y.shape for y in node.outputs])
        # nothing is kept of what has no derivative: only the sweep asks whether that is allowed
        for number, (entry, array) in enumerate(zip(node.inputs, node.arrays, strict=False)):
            if type(array) is not plain:
                return False
            source, is_one = Source(place, False, number), False
            if entry is None:
                structure.append(None)
            elif type(entry[0]) is TapeNode:
                other, output = entry
                structure += places[other], output
                if output < len(other.outputs) and other.outputs[output] is array:
                    source, is_one = Source(places[other], True, output), True
            else:
                leaf = self.leaves.setdefault(entry[0], len(self.leaves))
                structure.append(-1 - leaf)
                if leaf == len(self.variables):
                    self.variables.append((source, array))
                elif self.variables[leaf][1] is array:
                    source, is_one = self.variables[leaf][0], True
            structure += ("one",) if is_one else (array.shape, array.dtype.num)
            taken.append(source)
        self.sources.append(taken)
        return True


def _program(tape: Tape, structure: Any) -> Program | None:
    """What was compiled of such tapes, or is now, as this one comes often; nothing if it is to be swept."""
    with no_fork(), _lock:
        known = _known.get(structure)
        if known is None:
            known = _known[structure] = _Known(tape)
            if len(_known) > _MOST_TAPES:
                _known.popitem(last=False)
        _known.move_to_end(structure)
        if known.program is not None or known.is_refused:
            return known.program
        known.sweeps += 1
        if known.sweeps <= OFTEN:
            return None
        module = importlib.import_module(f"{__package__.partition('.')[0]}.runtime.tape_gradient")
        try:
            known.program = module.TapeGradient(tape)
        except MXNetError as exc:
            logger.debug("backward: %s", without_places(exc))
            known.is_refused = True
            return None
        compiled = [key for key, other in _known.items() if other.program is not None]
        if len(compiled) > _MOST_PROGRAMS:
            del _known[compiled[0]]
        return known.program
