"""Scan, Loop and If out of ONNX models, as operators that run graphs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError
from hybridonnx.symbol.graph import Entry
from hybridonnx.symbol.subgraph import Body
from hybridonnx.symbol.symbol import Broadcasting

from ._inner import Convert, InnerGraph, Known, are_equal, require_tensors, separate
from ._loop import Steps, body_at_all_steps, first_steps, flag, number, steps_of
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
    require_tensors(F, "Scan")
    axes = _axes(F, data, scan_input_axes)
    parts = [_part(F.known(x), axis) for x, axis in zip(data, axes, strict=True)]
    graph = body([*map(F.known, states), *parts])
    graph.outputs = separate(F, _of_numbers(F, graph, S, parts), graph.inputs[:S])
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


def _of_numbers(F: Any, graph: InnerGraph, states: int, parts: Sequence[Known]) -> Sequence[Entry]:
    """The outputs of a body whose steps of vectors are numbers; MXNet's have an axis, which is squeezed."""
    names = [name for name, part in zip(graph.inputs[states:], parts, strict=True) if part.dims == ()]
    if not names:
        return graph.outputs
    symbol = Broadcasting(list(graph.outputs))
    outputs: Sequence[Entry] = symbol(**{name: F._np_squeeze(F.var(name)) for name in names}).outputs
    return outputs


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


# ---- loops of any length


@imports("Loop", versions=(1, 11, 13, 16, 19, 21, 23, 24, 25))
def loop(F: Any, m: Any = None, cond: Any = None, *variables: Any, body: Convert) -> Any:
    """A `_while_loop` of the number of steps, the condition if it may fail, and the node's variables.

    MXNet's has room for the most steps, and variables of one size: where it cannot say the loop, it is one
    of our own.
    """
    require_tensors(F, "Loop")
    graph, steady = body_at_all_steps(F, body, variables)
    V = len(variables)
    graph.outputs = graph.outputs[: 1 + max(V, F.outputs())]
    steps = steps_of(F, m, cond, graph, V, steady)
    step, going, *names = graph.inputs
    first, after = [number(F, 0)], [F.var(step) + 1]
    states = [step]
    if steps.ends or steps.going is not None:
        states.append(going)
        first.append(flag(F, number(F, 1) if steps.going is None else steps.going))
        after.append(flag(F, Broadcasting([graph.outputs[0]])))
    else:
        graph.around[going] = flag(F, number(F, 1))
    states += names
    for i, (x, entry) in enumerate(zip(variables, graph.outputs[1 : 1 + V], strict=True)):
        first.append(_typed(F, x, i))
        after.append(_typed(F, Broadcasting([entry]), i))
    entries = [*[y.outputs[0] for y in after], *graph.outputs[1 + V :]]
    results = separate(F, entries, states)
    func = Body([*results[len(states) :], *results[: len(states)]])
    stacks, last = _while_loop(F, graph, func, steps, dict(zip(states, first, strict=True)))
    dims = graph.dims[1 + V : len(graph.outputs)]
    if steps.as_mxnets and not steps.exact:
        stacks = [first_steps(F, y, last[0], steps.most) for y in stacks]
    stacks = [F.reshape(y, shape=(-1,)) if d == () else y for y, d in zip(stacks, dims, strict=True)]
    return [*last[len(states) - V :], *stacks]


def _while_loop(
    F: Any, graph: InnerGraph, func: Body, steps: Steps, states: dict[str, Any]
) -> tuple[list[Any], list[Any]]:
    """The outputs of all steps and the last values of the variables, whose first ones are `states`."""
    names = list(states)
    holds, most = F.var(names[0]) >= 0, f"{names[0]}-most"
    if steps.trips is not None:
        holds = F.broadcast_lesser(F.var(names[0]), F.var(most))
    if names[1:2] == graph.inputs[1:2]:
        going = F.cast(F.var(names[1]), dtype="int64")
        holds = going if steps.trips is None else F.broadcast_mul(F.cast(holds, dtype="int64"), going)
    test = Body(holds.outputs)
    outer = {**graph.around, most: steps.trips, **states}
    inputs = list(dict.fromkeys([*test.names, *func.names]))
    if steps.as_mxnets:
        operator = F._while_loop
    else:
        operator = partial(F._open_while_loop, steady=steps.steady)
    result = operator(
        *[outer[name] for name in inputs],
        subgraphs=(test, func),
        num_args=2 + len(inputs),
        num_outputs=func.results,
        num_out_data=func.results - len(names),
        max_iterations=steps.most,
        cond_input_locs=tuple(map(inputs.index, test.names)),
        func_input_locs=tuple(map(inputs.index, func.names)),
        func_var_locs=tuple(map(func.names.index, names)),
    )
    outputs = [Broadcasting([entry]) for entry in result.outputs]
    return outputs[: func.results - len(names)], outputs[func.results - len(names) :]


def _typed(F: Any, x: Any, output: int) -> Any:
    """A value that is the node's output, as bool if it is one in ONNX."""
    return flag(F, x) if F.result_dtype(output) == np.bool_ else x


# ---- branches


@imports("If", versions=(1, 11, 13, 16, 19, 21, 23, 24, 25))
def branches(F: Any, cond: Any, *, then_branch: Convert, else_branch: Convert) -> Any:
    """A `_cond`, whose branches take values from outside alone, or one whose outputs may differ in shape."""
    require_tensors(F, "If")
    graphs = [then_branch([]), else_branch([])]
    same_shapes = all(map(are_equal, graphs[0].dims, graphs[1].dims))
    holds = F.var("condition")
    # MXNet has float32 for conditions and nothing else
    test = F.cast(holds, dtype="float32") if same_shapes else F.identity(holds)
    bodies = [Body(test.outputs)]
    for graph in graphs:
        results = [_typed(F, Broadcasting([entry]), i) for i, entry in enumerate(graph.outputs)]
        bodies.append(Body(separate(F, [y.outputs[0] for y in results], [])))
    inputs: dict[Entry, Any] = {cond.outputs[0]: cond}
    locs: list[tuple[int, ...]] = [(0,)]
    for graph, body in zip(graphs, bodies[1:], strict=True):
        outer = [graph.around[name] for name in body.names]
        inputs.update((x.outputs[0], x) for x in outer)
        locs.append(tuple(list(inputs).index(x.outputs[0]) for x in outer))
    operator = F._cond if same_shapes else F._open_cond
    result = operator(
        *inputs.values(),
        subgraphs=tuple(bodies),
        num_args=3 + len(inputs),
        num_outputs=len(graphs[0].outputs),
        cond_input_locs=locs[0],
        then_input_locs=locs[1],
        else_input_locs=locs[2],
    )
    return [Broadcasting([entry]) for entry in result.outputs]


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
