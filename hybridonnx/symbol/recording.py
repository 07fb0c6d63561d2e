"""What was recorded to compute an array, as a symbol."""

from __future__ import annotations

import itertools
from typing import Any

from ..attrs import text
from ..autograd.function import Function
from ..autograd.tape import Recorded, TapeNode, recorded
from ..errors import MXNetError
from ..ndarray.ndarray import NDArray
from .graph import VARIABLE, Entry, Node
from .symbol import Symbol


def get_symbol(x: NDArray) -> Symbol:
    """What was recorded to compute an array, as a symbol; arrays that nothing computed are variables."""
    if x._entry is None:
        raise MXNetError("get_symbol: the array was not computed from variables while recording.")
    entries: dict[Any, list[Entry]] = {}
    """The outputs by node of the tape, or by the id of an array that nothing computed."""

    def entry_of(tape_entry: Any, array: Any = None) -> Entry:
        key = tape_entry[0] if tape_entry else object() if array is None else id(array)
        if key not in entries:
            entries[key] = [Entry(Node(VARIABLE, f"var{len(entries)}"), 0)]
        return entries[key][tape_entry[1] if tape_entry else 0]

    nodes = [node for node in recorded([x._entry]) if isinstance(node, TapeNode)]
    for i, node in enumerate(nodes):
        inputs = [entry_of(e, a) for e, a in itertools.zip_longest(node.inputs, node.arrays or ())]
        if isinstance(node.op, Recorded):
            entries[node] = node.op.symbolic(inputs, f"node_{i}")
            continue
        attributes = _attributes(node.op)
        symbolic = Node(node.op.names[0], f"node_{i}", attributes, inputs, node.op.subgraphs)
        entries[node] = [Entry(symbolic, k) for k in range(symbolic.count())]
    return Symbol([entry_of(x._entry)])


def _attributes(op: Any) -> dict[str, str]:
    """The attributes that are not the default, as text."""
    if isinstance(op, Function):
        raise MXNetError(f"get_symbol: operators are required, got the Function {type(op).__name__}.")
    defaults = {name: attribute.default for name, attribute in op.schema().items()}
    return {name: text(value) for name, value in op.attributes().items() if value != defaults[name]}
