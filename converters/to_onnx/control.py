"""Loops and branches as ONNX nodes whose bodies are the operators' own graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridonnx.ops import NumericShape, Shape, Spec
from hybridonnx.ops.control import Cond, ForEach, OpenCond, OpenWhileLoop, WhileLoop

from ._graph import Graph, NeedsShape, Output, Value
from ._recurrence import scan
from ._registry import lowers
from ._symbolic_dims import complete_sizes, output_sizes, vector


def _inlined(b: Graph, body: Any, values: Sequence[Value], noise: Sequence[Value] = ()) -> list[Value]:
    """The outputs of a body, each a value of its own: neither an input nor another output."""
    return [b.Identity(y) for y in b.inline(body, dict(zip(body.names, values, strict=True)), noise)]


def _listed(results: Any) -> Sequence[Value]:
    """A node's outputs, which are a value if there is but one."""
    return results if isinstance(results, tuple) else (results,)


def _graphs(g: Graph, op: ForEach | WhileLoop | Cond) -> list[Any]:
    """The operator's graphs; when training, drawn values are outputs, too."""
    op.require_constant_states()
    return [graph.with_draws() if op.training else graph for graph in op.subgraphs]


@lowers(ForEach)
def foreach(g: Graph, op: ForEach, *inputs: Value) -> Sequence[Value | None]:
    op.require_constant_states()
    data = op.split(inputs)[0]
    lengths = [None if x.shape is None else x.shape[0] for x in data]
    if 0 in lengths:
        return _no_steps(g, op, inputs)
    if any(lengths):
        return _steps(g, op, inputs)
    try:
        return _steps_if_any(g, op, inputs)
    except NeedsShape:
        if g.exact:
            raise
        return _steps(g, op, inputs)  # which ONNX Runtime refuses to run for a length of 0


def _steps_if_any(g: Graph, op: ForEach, inputs: Sequence[Value]) -> Sequence[Value | None]:
    """The same where the length may be 0, which ONNX Runtime's Scan refuses."""
    outputs: list[Sequence[Value | None]] = []

    def branch(build: Callable[..., Sequence[Value | None]]) -> Graph:
        def results(b: Graph) -> Sequence[Value]:
            outputs.append(build(b, op, inputs))
            return [value for value in outputs[-1] if value is not None]

        return g.body([], results)

    graphs = branch(_no_steps), branch(_steps)
    data = op.split(inputs)[0]
    empty = g.Equal(g.size_of(data[0], 0), [0])
    values = iter(
        _listed(g.If(empty, outputs=len(graphs[0].results), then_branch=graphs[0], else_branch=graphs[1]))
    )
    results = [None if value is None else next(values) for value in outputs[1]]
    for result, inner in zip(results, outputs[1], strict=True):
        if result is not None and inner is not None:
            result.dtype = inner.dtype
    return results


def _stacked(g: Graph, op: ForEach) -> list[int]:
    """Those of the outputs that have a value for each step, if anything takes them."""
    Y, S = op.num_out_data, len(op.in_state_locs)
    hidden = range(op.num_outputs, len(op.output_names()))
    drawn = hidden[: len(hidden) - S]
    return [i for i in (*range(Y), *hidden) if g.reads(i) and (op.training or i not in drawn)]


def _steps(g: Graph, op: ForEach, inputs: Sequence[Value]) -> list[Value | None]:
    """The outputs of a loop of at least one step."""
    count = op.num_args - 1
    data, states, rest = op.split(inputs[:count])
    columns = [*[_column(g, x) for x in data], *inputs[count:]]
    D, S, Y, stacks = len(data), len(states), op.num_out_data, _stacked(g, op)
    graph = op.subgraphs[0]
    whole = graph.with_draws() if op.training and any(i >= op.num_outputs for i in stacks) else graph

    def build(b: Graph, *values: Value) -> Sequence[Value]:
        now, parts, noise = values[:S], values[S : S + D], values[S + D :]
        outputs = _inlined(b, whole, op.arranged(parts, now, rest), noise)
        last = len(op.output_names()) - S
        steps = [outputs[i] if i < last else b.Identity(now[i - last]) for i in stacks]
        return [*outputs[Y : Y + S], *steps]

    results = scan(g, build, states, columns, len(stacks), graph.from_last)
    by_number = dict(zip([*range(Y, Y + S), *stacks], results, strict=True))
    return [by_number.get(i) for i in range(len(op.output_names()))]


def _no_steps(g: Graph, op: ForEach, inputs: Sequence[Value]) -> list[Value | None]:
    """The outputs of a loop over nothing."""
    Y, stacks = op.num_out_data, _stacked(g, op)
    results: list[Value | None] = [None] * len(op.output_names())
    for i in stacks:
        results[i] = g.Full(vector(g, [0, *output_sizes(g, i)[1:]]), 0, g.output(i).dtype)
    for i, state in enumerate(op.split(inputs)[1]):
        results[Y + i] = g.Identity(state)
    return results


def _column(g: Graph, x: Value) -> Value:
    """Data whose parts have an axis: MXNet has no arrays without one."""
    return g.Unsqueeze(x, [1]) if x.rank == 1 else x


@lowers(WhileLoop, OpenWhileLoop)
def while_loop(g: Graph, op: WhileLoop, *inputs: Value) -> list[Value]:
    cond, func = _graphs(g, op)
    cond = op.subgraphs[0]
    Y, V = op.num_out_data, len(op.func_var_locs)

    def replaced(values: Sequence[Value]) -> list[Value]:
        current = list(inputs)
        for index, value in zip(op.variables, values, strict=True):
            current[index] = value
        return current

    def holds(b: Graph, current: Sequence[Value]) -> Value:
        (value,) = _inlined(b, cond, [current[i] for i in op.cond_input_locs])
        return _truth(b, value)

    def build(b: Graph, _: Value, __: Value, steps: Value, *values: Value) -> Sequence[Value]:
        current = replaced(values)
        outputs = _inlined(b, func, [current[i] for i in op.func_input_locs])
        going = holds(b, replaced(outputs[Y : Y + V]))
        return [going, steps + 1, *outputs[Y : Y + V], *outputs[:Y], *outputs[Y + V :]]

    variables = [inputs[i] for i in op.variables]
    shapes = [v.shape for v in variables]
    if not op.is_steady:
        shapes = list(map(_at_all_steps, shapes, g.output_shapes[Y:]))
    step = [Spec((), np.dtype("int64")), Spec((), np.dtype("bool")), Spec((1,), np.dtype("int32"))]
    body = g.body([*step, *map(Spec, shapes, [v.dtype for v in variables])], build)
    first = g.const(np.zeros(1, np.int32))
    most = g.const(np.array(op.max_iterations, np.int64))
    results = g.Loop(most, holds(g, inputs), first, *variables, outputs=1 + func.results, body=body)
    results = _listed(results)
    parts = body.results[1:]
    for value, part in zip(results, parts, strict=True):
        value.dtype = part.dtype
    steps, last, stacks = results[0], results[1 : 1 + V], results[1 + V :]
    for value, shape in zip(last, shapes, strict=True):
        value.shape = shape
    fitted = _fitted if op.is_open else _padded
    whole = [fitted(g, stack, i, op.max_iterations) for i, stack in enumerate(stacks[:Y])]
    return [*whole, *last, steps, *stacks[Y:]]


def _at_all_steps(first: NumericShape | None, shape: Shape | None) -> NumericShape | None:
    """The shape of a variable at all steps, whose sizes may change, from its first and what is inferred."""
    if first is None or shape is None:
        return None
    return tuple([None if size is None else own for own, size in zip(first, shape, strict=True)])


def _truth(g: Graph, value: Value) -> Value:
    """A condition of one element as a scalar."""
    return g.Reshape(g.Cast(value, np.bool_), g.const(np.zeros(0, np.int64)))


def _padded(g: Graph, stack: Value, output: int, length: int) -> Value:
    """A stack of one value for each step with zeros for the steps that were not taken."""
    sizes = output_sizes(g, output)[1:]
    rest = vector(g, sizes)
    if isinstance(rest, list):  # sizes that are written can be read again
        zeros = g.Full([length, *rest], 0, stack.dtype)
        first: Value = g.Slice(g.Concat(stack, zeros, axis=0), [0], [length], [0])
        return first
    steps = g.size_of(stack, 0)
    zeros = g.Full(g.Concat(length - steps, rest, axis=0), 0, stack.dtype)
    result: Value = g.Concat(_reshaped(g, stack, steps, rest), zeros, axis=0)
    return result


def _fitted(g: Graph, stack: Value, output: int, _: int) -> Value:
    """A stack of one value for each step, of the sizes that it has of no steps, too."""
    shape = g.output_shapes[output]
    try:
        rest = vector(g, complete_sizes(g, shape and shape[1:]))
    except NeedsShape:
        if g.exact:
            raise
        return stack  # as ONNX Runtime gives it
    return stack if isinstance(rest, list) else _reshaped(g, stack, g.size_of(stack, 0), rest)


def _reshaped(g: Graph, stack: Value, steps: Value, rest: Value) -> Value:
    """A stack with its sizes: of no steps ONNX Runtime makes one whose free sizes are 0."""
    result: Value = g.Reshape(stack, g.Concat(steps, rest, axis=0), allowzero=1)
    return result


@lowers(Cond, OpenCond)
def cond(g: Graph, op: Cond, *inputs: Value) -> list[Value]:
    _, *branches = _graphs(g, op)
    (value,) = _inlined(g, op.subgraphs[0], [inputs[i] for i in op.cond_input_locs])
    holds = _truth(g, value)
    locs = op.then_input_locs, op.else_input_locs
    counts = [branch.results - op.num_outputs for branch in branches]
    outputs = [g.output(op.num_outputs + 1 + i) for i in range(sum(counts))]
    graphs = []
    for number, branch in enumerate(branches):

        def build(b: Graph, number: int = number, branch: Any = branch) -> Sequence[Value]:
            values = _inlined(b, branch, [inputs[i] for i in locs[number]])
            visible, draws = values[: op.num_outputs], values[op.num_outputs :]
            zeros = [_zeros(b, o) for o in (outputs[counts[0] :] if number == 0 else outputs[: counts[0]])]
            return [*visible, *([*draws, *zeros] if number == 0 else [*zeros, *draws])]

        graphs.append(g.body([], build))
    results = g.If(holds, outputs=op.num_outputs + sum(counts), then_branch=graphs[0], else_branch=graphs[1])
    results = _listed(results)
    for result, inner in zip(results, graphs[0].results, strict=True):
        result.dtype = inner.dtype
    branch = g.Reshape(g.Cast(holds, np.int32), [1])
    return [*results[: op.num_outputs], branch, *results[op.num_outputs :]]


def _zeros(b: Graph, output: Output) -> Value:
    value = b.const(np.zeros(b.sizes(output), output.dtype))
    identity: Value = b.Identity(value)
    return identity
