"""Loops out of ONNX models, as operators whose bodies are graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridonnx.errors import ConversionError
from hybridonnx.symbol.graph import Entry
from hybridonnx.symbol.subgraph import Body
from hybridonnx.symbol.symbol import Broadcasting

from ._inner import Convert, InnerGraph, Known
from ._registry import imports


@imports("Scan", versions=(9, 11, 16, 19, 21, 23, 24, 25))
def scan(
    F: Any,
    *inputs: Any,
    body: Convert,
    num_scan_inputs: int,
    scan_input_axes: Sequence[int] = (),
    scan_input_directions: Sequence[int] = (),
    scan_output_axes: Sequence[int] = (),
    scan_output_directions: Sequence[int] = (),
) -> Any:
    """A loop over the first axis, to which data and outputs are turned."""
    S = len(inputs) - num_scan_inputs
    states, data = inputs[:S], inputs[S:]
    axes = _axes(F, data, scan_input_axes)
    parts = [_part(F.known(x), axis) for x, axis in zip(data, axes, strict=True)]
    graph = body([*map(F.known, states), *parts])
    graph.outputs = _results(F, graph, S)
    columns = [
        _turned(F, x, axis, back)
        for x, axis, back in zip(data, axes, _each(scan_input_directions, data), strict=True)
    ]
    stacks, last = _foreach(F, graph, columns, states)
    shapes = graph.dims[S:]
    stacks = [F.reshape(y, shape=(-1,)) if dims == () else y for y, dims in zip(stacks, shapes, strict=True)]
    to, backward = _each(scan_output_axes, stacks), _each(scan_output_directions, stacks)
    ranks = [None if dims is None else len(dims) + 1 for dims in shapes]
    return [*last, *map(_returned, [F] * len(stacks), stacks, to, ranks, backward)]


def _foreach(
    F: Any, graph: InnerGraph, data: Sequence[Any], states: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """The outputs of all steps and the last states of a loop whose body gives the next states first."""
    S = len(states)
    body = Body([*graph.outputs[S:], *graph.outputs[:S]])
    own = dict(zip(graph.inputs, [*states, *data], strict=True))
    state_names = graph.inputs[:S]
    data_names = [name for name in graph.inputs[S:] if name in body.names]
    if not data_names:
        raise ConversionError("Scan: a body is required that uses an input which is scanned, got none.")
    rest = [name for name in body.names if name not in own]
    result = F._foreach(
        *[own[name] for name in (*data_names, *state_names)],
        *[graph.around[name] for name in rest],
        subgraphs=(body,),
        num_args=1 + len(body.names),
        num_outputs=body.results,
        num_out_data=body.results - S,
        in_state_locs=tuple(map(body.names.index, state_names)),
        in_data_locs=tuple(map(body.names.index, data_names)),
        remain_locs=tuple(map(body.names.index, rest)),
    )
    outputs = [Broadcasting([entry]) for entry in result.outputs]
    return outputs[: body.results - S], outputs[body.results - S :]


def _results(F: Any, graph: InnerGraph, S: int) -> list[Entry]:
    """The outputs of a body, each of a node of its own, and states that use what they were before.

    MXNet's loops know a variable by its use in the body.
    """
    used = Body(graph.outputs).names
    results: list[Entry] = []
    for i, entry in enumerate(graph.outputs):
        symbol = Broadcasting([entry])
        if i < S and graph.inputs[i] not in used:
            symbol = F.reshape_like(symbol, F.var(graph.inputs[i]))
        elif entry.node.is_variable or entry.node in [result.node for result in results]:
            symbol = F.identity(symbol)
        results += symbol.outputs
    return results


# ---- axes and directions


def _each(values: Sequence[int], items: Sequence[Any]) -> Sequence[int]:
    """One value for each item, 0 without any."""
    return values or [0] * len(items)


def _axes(F: Any, data: Sequence[Any], axes: Sequence[int]) -> list[int]:
    return [axis % F.rank(x) if axis else 0 for x, axis in zip(data, _each(axes, data), strict=True)]


def _part(known: Known, axis: int) -> Known:
    """What is known of one step's part."""
    dims = known.dims
    return known if dims is None else Known((*dims[:axis], *dims[axis + 1 :]), known.dtype)


def _turned(F: Any, x: Any, axis: int, back: int) -> Any:
    """Data whose steps come in order along the first axis."""
    if axis:
        x = F.transpose(x, axes=(axis, *(i for i in range(F.rank(x)) if i != axis)))
    return F.flip(x, axis=0) if back else x


def _returned(F: Any, y: Any, axis: int, rank: int | None, back: int) -> Any:
    """An output of all steps along an axis, in the order that the node says."""
    y = F.flip(y, axis=0) if back else y
    if not axis:
        return y
    if rank is None:
        raise ConversionError("Scan: outputs of known rank are required to move their axis, got others.")
    order = list(range(1, rank))
    order.insert(axis % rank, 0)
    return F.transpose(y, axes=tuple(order))
