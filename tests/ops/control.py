"""Cases of loops and branches, whose graphs are traced from Python functions."""

import numpy as np

import hybridonnx as mx
from hybridonnx.test_utils import Case

FLOATS = ("float32", "float64")
S = mx.sym
BY_CONDITION = {"infer": "the condition says which shape the output has"}
BY_VALUES = {"infer": "values say how many steps there are"}


def traced(function, *inputs):
    """The Case of the operator that `function` adds to variables x0, x1, ...

    `inputs` are shapes or arrays by the variables' names, or in the order of the function's parameters.
    """
    named = {f"x{i}": value for i, value in enumerate(inputs)}
    with mx.name.NameManager():
        result = function(*map(S.var, named))
        outputs = [y for part in flat(result) for y in part]
    (node,) = {y.outputs[0].node for y in outputs}
    arguments = [named[entry.node.name] for entry in node.inputs]
    return Case(node.op_name, arguments, **node.attrs, subgraphs=node.subgraphs)


def flat(value):
    return [item for part in value for item in flat(part)] if isinstance(value, list | tuple) else [value]


def foreach(body, data, states):
    return S.contrib.foreach(body, data, states)


def stack(steps):
    return [np.stack(column) for column in zip(*steps, strict=True)]


def running(x, s):
    """Sums, and a state that doubles."""
    outputs = []
    for part in x:
        outputs.append(part + s)
        s = s * 2
    return np.stack(outputs), s


def cells(x, h, c, w):
    """A small recurrent cell with two states and a matrix that every step takes."""
    steps = []
    for part in x:
        h, c = np.tanh(part + h @ w.T) * c, c * part + h
        steps.append((h + c, h * c))
    return (*stack(steps), h, c)


def cell(x, h, c, w):
    def body(part, states):
        h, c = states
        new = S.tanh(part + S.FullyConnected(h, w, no_bias=True, num_hidden=3)) * c
        after = c * part + h
        return [new + after, [new * after]], [new, after]

    return foreach(body, x, [h, c])


def counted(i, x, w):
    """As many products as `i` is below 3.5, at most 5."""
    i, x = i.copy(), x.copy()
    steps: list = []
    while i[0] < 3.5 and len(steps) < 5:
        steps.append((x * w, x + i))
        i, x = i + 1, x * w + 1
    zeros = [np.zeros_like(x)] * (5 - len(steps))
    columns = zip(*steps, strict=True) if steps else ((), ())
    return (*[np.stack([*column, *zeros]) for column in columns], i, x)


def count(i, x, w):
    return S.contrib.while_loop(
        lambda i, x: i < 3.5,
        lambda i, x: ([x * w, S.broadcast_add(x, i)], [i + 1, x * w + 1]),
        [i, x],
        max_iterations=5,
    )


def opened(case, **attributes):
    """The case of the loop whose outputs have a part for each step that is taken."""
    own = {**case.attributes, **attributes}
    return Case("_open_while_loop", case.inputs, **own)


def counted_only(i, x, w):
    """What `counted` gives without the zeros."""
    *stacks, last, x = counted(i, x, w)
    steps = min(5, max(0, int(np.ceil(3.5 - i[0]))))
    return (*[y[:steps] for y in stacks], last, x)


def grow(n, x, w):
    """Three times the variable's sine below it."""
    return S.contrib.while_loop(
        lambda n, x: n < 3,
        lambda n, x: ([], [n + 1, S.concat(x, S.broadcast_mul(S.sin(x), w), dim=0)]),
        [n, x],
        max_iterations=9,
    )


def grown(n, x, w):
    for _ in range(3):
        x = np.concatenate([x, np.sin(x) * w])
    return n + 3, x


def halved(n):
    """Until the number is 1, halves and the number of steps."""
    steps = 0
    while n[0] > 1:
        n, steps = n // 2, steps + 1
    return n, np.array([steps], n.dtype)


def branch(p, x, w):
    return S.contrib.cond(p, lambda: [x * w, S.sin(w)], lambda: [S.exp(x), x - w])


def branched(p, x, w):
    return (x * w, np.sin(w)) if p[0] else (np.exp(x), x - w)


def open_branch(p, x):
    """Branches of other shapes."""
    case = traced(lambda p, x: S.contrib.cond(p, lambda: S.sin(x), lambda: S.sum(x, axis=0)), p, x)
    return Case("_open_cond", case.inputs, **case.attributes).but(
        formula=lambda p, x: np.sin(x) if p[0] else x.sum(0), no=BY_CONDITION
    )


def nested(x, s, w):
    """A branch in a loop over rows in a loop over matrices."""

    def rows(row, state):
        y = S.contrib.cond(S.sum(row) > 0, lambda: row * state, lambda: row + w)
        return y, state + y

    def matrices(matrix, state):
        outputs, last = foreach(rows, matrix, state)
        return outputs, last * 0.5

    return foreach(matrices, x, s)


def nested_loops(x, s, w):
    outputs = np.empty_like(x)
    for a, matrix in enumerate(x):
        for b, row in enumerate(matrix):
            y = row * s if row.sum() > 0 else row + w
            outputs[a, b], s = y, s + y
        s = s * x.dtype.type(0.5)
    return outputs, s


def searched(x, w):
    """In a loop over rows the number of doublings until a sum is above 10."""
    results = []
    for row in x:
        n, row = np.zeros(1, x.dtype), np.abs(row) * w
        while row.sum() < 10 and n[0] < 6:
            n, row = n + 1, row * 2
        results.append((n, row))
    return stack(results)


def search(x, w):
    def body(row, _):
        _, (n, last) = S.contrib.while_loop(
            lambda n, v: S.sum(v) < 10,
            lambda n, v: ([], [n + 1, v * 2]),
            [S.zeros((1,)), S.abs(row) * w],
            max_iterations=6,
        )
        return [n, last], []

    return foreach(body, x, [])[0]


def only_states(x, s):
    return foreach(lambda part, state: ([], state * part), x, s)


def only_outputs(x, w):
    return foreach(lambda part, _: (part * w, []), x, [])


def pairs(x, y, s):
    return foreach(lambda parts, state: ([parts[0] * parts[1]], state + parts[1]), [x, y], s)


def pair_products(x, y, s):
    return x * y, s + y.sum(0, dtype=y.dtype)


def first(value):
    return np.array([value], np.float32)


CASES = [
    traced(lambda x, s: foreach(lambda part, s: (part + s, s * 2), x, s), (4, 2, 3), (2, 3)).but(
        dtypes=(*FLOATS, "float16", "int32", "int64"), formula=running
    ),
    traced(lambda x, s: foreach(lambda part, s: (part + s, s * 2), x, s), (5,), (1,)).but(
        formula=lambda x, s: running(x[:, None], s)
    ),
    traced(lambda x, s: foreach(lambda part, s: (part + s, s * 2), x, s), (1, 2), (2,)).but(formula=running),
    traced(cell, (4, 2, 3), (2, 3), (2, 3), (3, 3)).but(dtypes=FLOATS, formula=cells),
    traced(only_states, (3, 2), (2,)).but(formula=lambda x, s: s * np.prod(x, 0)),
    traced(only_outputs, (3, 2), (2,)).but(formula=lambda x, w: x * w),
    traced(pairs, (3, 2), (3, 2), (2,)).but(formula=pair_products, dtypes=(*FLOATS, "int32")),
    traced(count, first(0), (2, 2), (2, 2)).but(formula=counted),
    traced(count, first(2), (3,), (3,)).but(formula=counted),
    traced(count, first(4), (3,), (3,)).but(formula=counted),
    traced(count, first(-9), (3, 1), (3, 1)).but(formula=counted),
    traced(
        lambda n, k: S.contrib.while_loop(
            lambda n, k: n > 1,
            lambda n, k: ([], [S.cast(S.floor(S.cast(n, "float64") / 2), "int32"), k + 1]),
            [n, k],
            max_iterations=40,
        ),
        np.array([1000], np.int32),
        np.array([0], np.int32),
    ).but(formula=lambda n, k: halved(n)),
    opened(traced(count, first(0), (2, 2), (2, 2)), steady=True).but(formula=counted_only, no=BY_VALUES),
    opened(traced(count, first(2), (3,), (3,)), steady=True).but(formula=counted_only, no=BY_VALUES),
    opened(traced(count, first(-9), (3, 1), (3, 1))).but(formula=counted_only, no=BY_VALUES),
    opened(traced(grow, first(0), (2, 3), (1,))).but(
        formula=grown,
        no={
            **BY_VALUES,
            "gradient": "variables that change their sizes have no gradients",
            "second": "the same",
            "symbolic": "the same",
        },
    ),
    traced(branch, first(0.5), (2, 3), (2, 3)).but(formula=branched),
    traced(branch, np.array([0], np.int32), (2, 3), (2, 3)).but(formula=branched),
    traced(branch, first(3), (0, 3), (0, 3)).but(formula=branched),
    open_branch(first(1), (2, 3)),
    open_branch(np.array([0], np.int32), (2, 3)),
    traced(nested, (2, 3, 2), (2,), (2,)).but(formula=nested_loops),
    traced(search, (3, 2), (2,)).but(formula=searched),
]
