"""Loops and branches as ONNX nodes whose bodies are the operators' own graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridonnx.ops import Spec
from hybridonnx.ops.control import Cond, ForEach, WhileLoop

from ._graph import Graph, Output, Value
from ._recurrence import scan
from ._registry import lowers
from ._symbolic_dims import output_sizes, vector


def _inlined(b: Graph, body: Any, values: Sequence[Value]) -> list[Value]:
    """The outputs of a body, each a value of its own: neither an input nor another output."""
    return [b.Identity(y) for y in b.inline(body, dict(zip(body.names, values, strict=True)))]


def _graphs(g: Graph, op: ForEach | WhileLoop | Cond) -> list[Any]:
    """The operator's graphs; when training, drawn values are outputs, too."""
    op.require_constant_states()
    return [graph.with_draws() if op.training else graph for graph in op.subgraphs]


@lowers(ForEach)
def foreach(g: Graph, op: ForEach, *inputs: Value) -> list[Value]:
    (body,) = _graphs(g, op)
    data, states, rest = op.split(inputs)
    if any(x.shape is not None and x.shape[0] == 0 for x in data):
        return _no_steps(g, op, states)
    columns = [_column(g, x) for x in data]
    S, Y = len(states), op.num_out_data

    def build(b: Graph, *values: Value) -> Sequence[Value]:
        now, parts = values[:S], values[S:]
        outputs = _inlined(b, body, op.arranged(parts, now, rest))
        return [*outputs[Y : Y + S], *outputs[:Y], *outputs[Y + S :]]

    count = body.results - S
    results = scan(g, build, states, columns, count, False)
    return [*results[S : S + Y], *results[:S], *results[S + Y :]]


def _no_steps(g: Graph, op: ForEach, states: Sequence[Value]) -> list[Value]:
    """The outputs of a loop over nothing, which ONNX Runtime's Scan refuses."""
    shapes = [g.output(i) for i in range(len(op.output_names()))]
    Y, S = op.num_out_data, len(states)
    stacks = [_zeros(g, o) for o in (*shapes[:Y], *(shapes[Y + S :] if op.training else ()))]
    return [*stacks[:Y], *map(g.Identity, states), *stacks[Y:]]


def _column(g: Graph, x: Value) -> Value:
    """Data whose parts have an axis: MXNet has no arrays without one."""
    return g.Unsqueeze(x, [1]) if x.rank == 1 else x


@lowers(WhileLoop)
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
    step = [Spec((), np.dtype("int64")), Spec((), np.dtype("bool")), Spec((1,), np.dtype("int32"))]
    body = g.body([*step, *[Spec(v.shape, v.dtype) for v in variables]], build)
    first = g.const(np.zeros(1, np.int32))
    most = g.const(np.array(op.max_iterations, np.int64))
    results = g.Loop(most, holds(g, inputs), first, *variables, outputs=1 + func.results, body=body)
    results = results if isinstance(results, tuple) else (results,)
    parts = body.results[1:]
    for value, part in zip(results, parts, strict=True):
        value.dtype = part.dtype
    steps, last, stacks = results[0], results[1 : 1 + V], results[1 + V :]
    for value, variable in zip(last, variables, strict=True):
        value.shape = variable.shape
    numbers = [*range(Y), *range(Y + V + 1, Y + V + 1 + len(stacks) - Y)]
    whole = [_padded(g, s, i, op.max_iterations) for s, i in zip(stacks, numbers, strict=True)]
    return [*whole[:Y], *last, steps, *whole[Y:]]


def _truth(g: Graph, value: Value) -> Value:
    """A condition of one element as a scalar."""
    return g.Reshape(g.Cast(value, np.bool_), g.const(np.zeros(0, np.int64)))


def _padded(g: Graph, stack: Value, output: int, length: int) -> Value:
    """A stack of one value for each step with zeros for the steps that were not taken."""
    sizes = output_sizes(g, output)[1:]
    rest = vector(g, sizes)
    steps = g.Slice(g.Shape(stack), [0], [1], [0])
    if not isinstance(rest, list):  # of no steps ONNX Runtime makes a stack whose free sizes are 0
        stack = g.Reshape(stack, g.Concat(steps, rest, axis=0), allowzero=int(g.opset >= 14))
    zeros = g.Full(g.Concat(length - steps, rest, axis=0), 0, stack.dtype)
    result: Value = g.Concat(stack, zeros, axis=0)
    return result


@lowers(Cond)
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
    results = results if isinstance(results, tuple) else (results,)
    for result, inner in zip(results, graphs[0].results, strict=True):
        result.dtype = inner.dtype
    branch = g.Reshape(g.Cast(holds, np.int32), [1])
    return [*results[: op.num_outputs], branch, *results[op.num_outputs :]]


def _zeros(b: Graph, output: Output) -> Value:
    value = b.const(np.zeros(b.sizes(output), output.dtype))
    identity: Value = b.Identity(value)
    return identity
