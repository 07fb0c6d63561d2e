"""Loops and branches for `mxnet` and `hybridonnx`: functions of `F`, which is `nd` or `sym`, and inputs."""

import json
import re
from typing import Any

import numpy as np


def cell(F, x, h, c, w):
    """Two states, two outputs in lists, a matrix from outside."""

    def body(part, states):
        h, c = states
        new = F.tanh(part + F.FullyConnected(h, w, no_bias=True, num_hidden=3)) * c
        after = c * part + h
        return [new + after, [new * after]], [new, after]

    outputs, states = F.contrib.foreach(body, x, [h, c])
    return [outputs[0], outputs[1][0], *states]


def copies(F, x, s):
    """An output that is the state, a state that is an output, one that stays, parts as they are."""
    outputs, states = F.contrib.foreach(
        lambda part, states: ([part, states[0] * states[2]], [states[0] + part, states[1], part]),
        x,
        [s, s * 2, s * 3],
    )
    return [*outputs, *states]


def outside(F, x, s, z):
    """What is computed outside: once for two uses, two outputs of one operator, and after the loop again."""
    twice = s * 2
    parts = F.split(z, num_outputs=2, axis=0)
    outputs, state = F.contrib.foreach(
        lambda part, state: (part * twice + parts[1], state * twice + parts[0]), x, s
    )
    return [F.broadcast_add(outputs, twice), state]


def rows(F, x, s, w):
    """A loop in a loop; the inner one takes from outside of both."""
    above = w * 0.5

    def inner(row, state):
        return row * state + above, state + row * w

    def outer(matrix, states):
        outputs, state = F.contrib.foreach(inner, matrix, states[0])
        return outputs, [state, states[1] + F.tanh(above)]

    outputs, states = F.contrib.foreach(outer, x, [s, s * 0.1])
    return [outputs, *states]


def several(F, x, y, s):
    """Two arrays, no output or no state."""
    outputs, _ = F.contrib.foreach(lambda parts, _: (parts[0] * F.sin(parts[1]), []), [x, y], [])
    _, state = F.contrib.foreach(lambda part, state: ([], F.cos(state) * part), outputs, s)
    return [outputs, state]


def count(F, i, x, w):
    """A condition on one variable, two outputs, fewer steps than there may be."""
    outputs, states = F.contrib.while_loop(
        lambda i, x: i < 3.5,
        lambda i, x: ([x * w, F.broadcast_add(x, i)], [i + 1, F.tanh(x * w) + 1]),
        [i, x],
        max_iterations=6,
    )
    return [F.slice_axis(y, axis=0, begin=0, end=4) for y in outputs] + list(states)


def all_steps(F, i, x):
    """A loop that ends by the most steps, whose body takes what the condition takes, no outputs."""
    most = i + 100
    _, states = F.contrib.while_loop(
        lambda i, x: i < most,
        lambda i, x: ([], [i + F.tanh(most), F.broadcast_mul(x, i)]),
        [i, x],
        max_iterations=3,
    )
    return list(states)


def branch(F, p, x, w):
    """A condition, outputs nested in a list, values from outside."""
    above = F.exp(x)
    outputs = F.contrib.cond(F.sum(p) > 0, lambda: [x * w, [above]], lambda: [above - w, [F.sin(x)]])
    return [outputs[0], outputs[1][0]]


def branches(F, x, s, w):
    """A branch in a loop."""

    def body(part, state):
        y = F.contrib.cond(F.sum(part) > 0, lambda: part * state, lambda: part + F.tanh(w))
        return y, state + y

    outputs, state = F.contrib.foreach(body, x, s)
    return [outputs, state]


def search(F, x, w):
    """A loop of unknown length in a loop."""

    def body(row, total):
        _, (n, last) = F.contrib.while_loop(
            lambda n, v: F.sum(F.abs(v)) < 10,
            lambda n, v: ([], [n + 1, v * 2]),
            [start, row * w],
            max_iterations=6,
        )
        return [n, last], total + n

    start = F.sum(w) * 0
    outputs, total = F.contrib.foreach(body, x, start + 1)
    return [*outputs, total]


def loop_in_branch(F, p, x):
    """A loop in a branch."""

    def loop():
        _, x1 = F.contrib.while_loop(lambda v: F.sum(v) < 50, lambda v: ([], v * 1.5), x, max_iterations=9)
        return x1

    return [F.contrib.cond(p, loop, lambda: F.sqrt(x))]


_POSITIVE = np.array([0.5], np.float32)
_NEGATIVE = np.array([-0.5], np.float32)
_ZERO = np.array([0], np.float32)

GRAPHS: dict[str, tuple[Any, dict[str, Any]]] = {
    "cell": (cell, {"x": (4, 2, 3), "h": (2, 3), "c": (2, 3), "w": (3, 3)}),
    "copies": (copies, {"x": (3, 2), "s": (2,)}),
    "outside": (outside, {"x": (3, 2), "s": (2,), "z": (4,)}),
    "rows": (rows, {"x": (2, 3, 2), "s": (2,), "w": (2,)}),
    "several": (several, {"x": (3, 2), "y": (3, 2), "s": (2,)}),
    "vector": (several, {"x": (3,), "y": (3,), "s": (1,)}),
    "count": (count, {"i": _ZERO, "x": (2, 2), "w": (2, 2)}),
    "all_steps": (all_steps, {"i": _ZERO, "x": (2, 2)}),
    "then": (branch, {"p": _POSITIVE, "x": (2, 3), "w": (2, 3)}),
    "else": (branch, {"p": _NEGATIVE, "x": (2, 3), "w": (2, 3)}),
    "branches": (branches, {"x": (4, 3), "s": (3,), "w": (3,)}),
    "search": (search, {"x": (3, 2), "w": (2,)}),
    "loop_then": (loop_in_branch, {"p": _POSITIVE, "x": np.array([[1, 2], [3, 4]], np.float32)}),
    "loop_else": (loop_in_branch, {"p": _ZERO, "x": np.array([[1, 2], [3, 4]], np.float32)}),
}


def inputs(name):
    """The arrays of a graph by name."""
    rng = np.random.RandomState(len(name))
    values = GRAPHS[name][1]
    return {
        k: rng.uniform(-1.5, 1.5, v).astype("float32") if isinstance(v, tuple) else v
        for k, v in values.items()
    }


def symbol(mx, name):
    """A graph as a symbol."""
    function, shapes = GRAPHS[name]
    with mx.name.NameManager():
        return mx.sym.Group(function(mx.sym, **{k: mx.sym.var(k) for k in shapes}))


def heads(outputs):
    """Gradients of the outputs."""
    return [np.cos(np.arange(y.size, dtype=np.float32)).reshape(y.shape) + 0.5 for y in outputs]


def computed(mx, graph, values):
    """Outputs and gradients of a symbol by an executor, as name to array."""
    args = {k: mx.nd.array(v) for k, v in values.items()}
    executor = graph.bind(mx.cpu(), args, {k: mx.nd.zeros_like(x) for k, x in args.items()})
    outputs = executor.forward(is_train=True)
    executor.backward([mx.nd.array(h) for h in heads(outputs)])
    return _named(outputs, executor.grad_dict)


def recorded(mx, name):
    """Outputs and gradients of the same as a function of arrays."""
    args = {k: mx.nd.array(v) for k, v in inputs(name).items()}
    for x in args.values():
        x.attach_grad()
    with mx.autograd.record():
        outputs = GRAPHS[name][0](mx.nd, **args)
    mx.autograd.backward(outputs, [mx.nd.array(h) for h in heads(outputs)])
    return _named(outputs, {k: x.grad for k, x in args.items()})


def _named(outputs, gradients):
    results = {f"output{i}": y.asnumpy() for i, y in enumerate(outputs)}
    return {**results, **{f"gradient of {k}": g.asnumpy() for k, g in gradients.items()}}


def text(graph):
    """The text of a file without the numbers of subgraphs, which go on through a process."""

    def unnumbered(node):
        if isinstance(node, dict):
            return {
                k: re.sub(r"\d+(?=\$|$)", "", v) if k == "__subgraph_name__" else unnumbered(v)
                for k, v in node.items()
            }
        return [unnumbered(item) for item in node] if isinstance(node, list) else node

    return json.dumps(unnumbered(json.loads(graph.tojson())))
