"""Random nested loops and branches for `mxnet` and `hybridonnx`: functions of `F`, which is `nd` or `sym`.

A program works on vectors of one width and matrices of such rows. Each of its statements adds some of both to
those that are there; bodies and branches are programs by themselves, which see all that is around them.
"""

import numpy as np

from tests.control_graphs import heads

WIDTH = 3
SHAPES = {"x": (3, WIDTH), "y": (3, WIDTH), "z": (2, WIDTH), "a": (WIDTH,), "b": (WIDTH,), "w": (WIDTH,)}
"""The inputs beside `i`, a counter that begins with 0."""


class Sight:
    """How many vectors there are, and the lengths of the matrices."""

    def __init__(self, vectors, lengths):
        self.vectors, self.lengths = vectors, list(lengths)

    def copy(self):
        return Sight(self.vectors, self.lengths)


def numbers(rng, count, most=2):
    """Some of the first integers, each once."""
    return rng.permutation(count)[: rng.randint(1, min(count, most) + 1)].tolist()


def mixed(F, sign, v, u):
    """A vector of two that stays small."""
    return F.tanh(v * 0.6 + F.sin(u) * sign)


# ---- statements, each a function that is made of draws and run on values


def arithmetic(rng, sight, depth):
    i, j = rng.randint(sight.vectors, size=2)
    kind, sign = rng.randint(3), rng.choice([-0.7, 0.8])
    sight.vectors += 1

    def run(F, vectors, matrices, counter):
        v, u = vectors[i], vectors[j]
        vectors.append([mixed(F, sign, v, u), F.exp(v * 0.3) - u * sign, v * u + F.square(v) * sign][kind])

    return run


def reduction(rng, sight, depth):
    i, name = rng.randint(len(sight.lengths)), rng.choice(["mean", "max", "sum"])
    sight.vectors += 1

    def run(F, vectors, matrices, counter):
        vectors.append(F.tanh(getattr(F, name)(matrices[i], axis=0)))

    return run


def foreach(rng, sight, depth):
    length = sight.lengths[rng.randint(len(sight.lengths))]
    same = [k for k, other in enumerate(sight.lengths) if other == length]
    data = [same[k] for k in numbers(rng, len(same))]
    states = numbers(rng, sight.vectors)
    inner = Sight(sight.vectors + len(data) + len(states), sight.lengths)
    statements = block(rng, inner, depth - 1)
    several = rng.randint(2)
    sight.vectors += len(states)
    sight.lengths += [length] * (1 + several)

    def run(F, vectors, matrices, counter):
        def body(parts, variables):
            last = result(F, statements, [*vectors, *parts, *variables], matrices, counter)
            for part in parts:
                last = mixed(F, 0.5, last, part)
            new = [mixed(F, 0.4, last, v * (0.5 + k)) for k, v in enumerate(variables)]
            return [last * parts[0], last + variables[0]][: 1 + several], new

        outputs, last = F.contrib.foreach(body, [matrices[k] for k in data], [vectors[k] for k in states])
        matrices += outputs
        vectors += last

    return run


def while_loop(rng, sight, depth):
    states = numbers(rng, sight.vectors)
    inner = Sight(sight.vectors + len(states), sight.lengths)
    statements = block(rng, inner, depth - 1)
    steps, room, limit = rng.randint(1, 4), rng.randint(2), rng.choice([None, 0.5, 2.0])
    stacked = limit is None and bool(rng.randint(2))
    sight.vectors += len(states)
    sight.lengths += [int(steps)] * stacked

    def run(F, vectors, matrices, counter):
        def holds(i, *variables):
            if limit is None:
                return i < steps - 0.5
            below = (i < steps - 0.5) * (F.sum(F.square(variables[0])) < limit)
            return (i < 0.5) + below * (i > 0.5)

        def func(i, *variables):
            last = result(F, statements, [*vectors, *variables], matrices, counter)
            new = [mixed(F, -0.9, v * (1.5 - k), last) for k, v in enumerate(variables)]
            return [last * variables[0]] if stacked else [], [i + 1, *new]

        variables = [counter, *[vectors[k] for k in states]]
        outputs, last = F.contrib.while_loop(holds, func, variables, max_iterations=int(steps + room))
        matrices += [F.slice_axis(y, axis=0, begin=0, end=int(steps)) for y in outputs]
        vectors += last[1:]

    return run


def cond(rng, sight, depth):
    i, j, limit = rng.randint(sight.vectors), rng.randint(sight.vectors), rng.uniform(-0.5, 0.5)
    branches = [block(rng, sight.copy(), depth - 1) for _ in range(2)]
    sight.vectors += 1

    def run(F, vectors, matrices, counter):
        def branch(number):
            last = result(F, branches[number], vectors, matrices, counter)
            return last * (0.9 - number) + vectors[j] * 0.3

        vectors.append(F.contrib.cond(F.sum(vectors[i]) > limit, lambda: branch(0), lambda: branch(1)))

    return run


PLAIN, NESTED = (arithmetic, reduction), (foreach, while_loop, cond)


def block(rng, sight, depth):
    """Statements, one of which has a graph if `depth` is above 0; the last one gives a vector."""
    kinds = [PLAIN[rng.randint(len(PLAIN))] for _ in range(rng.randint(1, 3))]
    if depth > 0:
        kinds.insert(rng.randint(len(kinds) + 1), NESTED[rng.randint(len(NESTED))])
    kinds.append(arithmetic)
    return [kind(rng, sight, depth) for kind in kinds]


def result(F, statements, vectors, matrices, counter):
    """The last vector of statements, whose other results nobody sees outside."""
    vectors, matrices = list(vectors), list(matrices)
    for statement in statements:
        statement(F, vectors, matrices, counter)
    return vectors[-1]


def program(seed):
    """The function of `F` and inputs by name, which gives a list of arrays."""
    rng = np.random.RandomState(seed)
    lengths = [shape[0] for shape in SHAPES.values() if len(shape) == 2]
    sight = Sight(len(SHAPES) - len(lengths), lengths)
    statements = [statement for depth in (2, 3) for statement in block(rng, sight, depth)]

    def function(F, i, **inputs):
        vectors = [inputs[k] for k, shape in SHAPES.items() if len(shape) == 1]
        matrices = [inputs[k] for k, shape in SHAPES.items() if len(shape) == 2]
        for statement in statements:
            statement(F, vectors, matrices, i)
        return [*vectors[len(SHAPES) - len(lengths) :], *matrices[len(lengths) :]]

    return function


def inputs(seed):
    """The arrays of a program by name."""
    rng = np.random.RandomState(seed)
    values = {k: rng.uniform(-1.2, 1.2, shape).astype("float32") for k, shape in SHAPES.items()}
    return {"i": np.zeros(1, np.float32), **values}


def recorded(mx, seed):
    """Outputs and gradients of a program on arrays, by name."""
    args = {k: mx.nd.array(v) for k, v in inputs(seed).items()}
    for x in args.values():
        x.attach_grad()
    with mx.autograd.record():
        outputs = program(seed)(mx.nd, **args)
    mx.autograd.backward(outputs, [mx.nd.array(h) for h in heads(outputs)])
    results = {f"output{k}": y.asnumpy() for k, y in enumerate(outputs)}
    return {**results, **{f"gradient of {k}": x.grad.asnumpy() for k, x in args.items() if k != "i"}}


def symbol(mx, seed):
    """A program as a symbol."""
    with mx.name.NameManager():
        return mx.sym.Group(program(seed)(mx.sym, **{k: mx.sym.var(k) for k in ("i", *SHAPES)}))
