"""Random models that compute sizes from their inputs' shapes, and use them wherever a size may stand."""

from __future__ import annotations

import random
from math import prod
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper

from tests.drafts import FAILURES, Draft, session
from tests.runtimes import newest_opset

OPSETS = range(13, newest_opset() + 1)
SIZES = (
    {"N": 2, "T": 3, "M": 5},
    {"N": 1, "T": 7, "M": 2},
    {"N": 7, "T": 1, "M": 1},
    {"N": 3, "T": 2, "M": 7},
    {"N": 1, "T": 1, "M": 1},
    {"N": 0, "T": 4, "M": 2},
    {"N": 2, "T": 0, "M": 3},
)
_FAR = 2**63 - 1
_MOST_ELEMENTS = 6000
_MOST_NUMBER = 1 << 20


class UnfitError(Exception):
    """A node that does not fit at most sizes."""


class Grower(Draft):
    """A random model that grows node by node; what each node gives at all sizes is known."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        super().__init__(self.rng.choice(OPSETS), x=["N", "T", 4], y=["M", "T"], k=[2])
        self.integers.add("k")
        noise = np.random.default_rng(seed)
        self.runs = [self._inputs(noise, sizes) for sizes in SIZES]
        self.values = {name: [run[name] for run in self.runs] for name in self.inputs}
        """What each value is at all sizes, `None` where it cannot be computed."""
        self.numbers, self.vectors, self.data = [], [], ["x", "y"]
        for x in self.data:
            self.vectors.append(self.node("Shape", x))
            self.numbers += [self.size(x, i) for i in range(2)]
        if self.rng.random() < 0.15:
            self.vectors.append("k")

    def _inputs(self, noise, sizes):
        shapes = {name: [sizes.get(d, d) for d in shape] for name, shape in self.inputs.items()}
        return {
            name: noise.integers(0, 4, shape)
            if name in self.integers
            else noise.standard_normal(shape).astype(np.float32)
            for name, shape in shapes.items()
        }

    # ---- nodes

    def const(self, value, dtype="int64"):
        name = super().const(value, dtype)
        self.values[name] = [np.array(value, dtype)] * len(self.runs)
        return name

    def node(self, op_type, *inputs, outputs=1, **attributes):
        names = [x if isinstance(x, str) else self.const(x) for x in inputs]
        count = len(self.nodes)
        results = super().node(op_type, *names, outputs=outputs, **attributes)
        try:
            listed = self._results(self.nodes[-1])
        except UnfitError:
            del self.nodes[count:]
            raise
        self.values.update(zip(self.nodes[-1].output, listed, strict=True))
        return results

    def _results(self, node):
        """What a node's outputs are at all sizes, by ONNX Runtime."""
        names = list(dict.fromkeys(_reads(node)))
        known = [[self.values[name][i] for name in names] for i in range(len(self.runs))]
        first = next(row for row in known if all(v is not None for v in row))
        declared = [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), [None] * v.ndim)
            for n, v in zip(names, first, strict=True)
        ]
        outputs = [helper.make_empty_tensor_value_info(name) for name in node.output]
        graph = helper.make_graph([node], "g", declared, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        try:
            run = session(model.SerializeToString())
        except FAILURES as exc:
            raise UnfitError from exc
        rows = [_outputs(run, dict(zip(names, row, strict=True)), len(node.output)) for row in known]
        if node.op_type == "Reshape":
            rows = [
                [None] if row[0] is None or _copies(*values) else row
                for row, values in zip(rows, self._operands(node), strict=True)
            ]
        if sum(row[0] is not None for row in rows) < 3:
            raise UnfitError
        return list(zip(*rows, strict=True))

    def _operands(self, node):
        return zip(*(self.values[name] for name in node.input), strict=True)

    def each(self, name):
        """What a value is wherever it can be computed."""
        return [v for v in self.values[name] if v is not None]

    def within(self, name, low, high):
        """Whether a value's elements are in a range at all sizes."""
        return all(np.all((v >= low) & (v <= high)) for v in self.each(name))

    def grow(self, count):
        """Add nodes until there are `count` more operators, or nothing fits."""
        used: list[str] = []
        for _ in range(4 * count):
            rule = self.rng.choice(_NUMBER_RULES if len(used) < count // 2 else _RULES)
            try:
                rule(self)
            except UnfitError:
                continue
            used.append(rule.__name__)
            if len(used) >= count:
                break
        return used

    # ---- choices

    def pick(self, names):
        """One of the values, the newest rather than the oldest."""
        if not names:
            raise UnfitError
        return names[-1 - min(int(self.rng.expovariate(0.35)), len(names) - 1)]

    def pick_with_axes(self):
        """One of the arrays that is no number, and how many axes it has."""
        x = self.pick(self.data)
        rank = self.each(x)[0].ndim
        if not rank:
            raise UnfitError
        return x, rank

    def number(self, low=-_MOST_NUMBER, high=_MOST_NUMBER):
        """A number that is computed and stays in a range, or a constant."""
        if low > high:
            raise UnfitError
        fit = [name for name in self.numbers if self.within(name, low, high)]
        if fit and self.rng.random() < 0.85:
            return self.pick(fit)
        return self.const(self.rng.randint(max(low, -3), min(high, 8)))

    def operand(self, low=-_MOST_NUMBER, high=_MOST_NUMBER):
        """A number or a vector."""
        fit = [name for name in self.vectors if self.within(name, low, high)]
        return self.pick(fit) if fit and self.rng.random() < 0.35 else self.number(low, high)

    def keep(self, name):
        """Enter a value among those that later nodes may take."""
        kinds = {v.dtype.kind for v in self.each(name)}
        ranks = {v.ndim for v in self.each(name)}
        if max(v.size for v in self.each(name)) > _MOST_ELEMENTS:
            raise UnfitError
        if kinds == {"i"} and ranks <= {0, 1}:
            if not self.within(name, -_MOST_NUMBER, _MOST_NUMBER):
                raise UnfitError
            (self.numbers if ranks == {0} else self.vectors).append(name)
        elif kinds == {"f"}:
            self.data.append(name)

    def finished(self):
        """The model with the values that nothing reads as its outputs."""
        read = {name for node in self.nodes for name in _reads(node)}
        free = [name for name in (*self.data, *self.numbers, *self.vectors) if name not in read]
        chosen = [name for name in free if name not in self.inputs][-5:]
        if not chosen:
            raise UnfitError
        needed = set(chosen)
        nodes: list[NodeProto] = []
        for node in reversed(self.nodes):
            if not needed.isdisjoint(node.output):
                nodes.insert(0, node)
                needed.update(_reads(node))
        self.nodes = nodes
        made = [name for node in nodes for name in node.output if name]
        self.runs = [
            run for i, run in enumerate(self.runs) if all(self.values[name][i] is not None for name in made)
        ]
        self.tensors = [t for t in self.tensors if t.name in needed]
        self.inputs = {name: shape for name, shape in self.inputs.items() if name in needed}
        return self.model(*chosen)


def _reads(node):
    """What a node reads, in its graphs as well."""
    inner = [n for a in node.attribute if a.HasField("g") for n in a.g.node]
    return [name for n in (node, *inner) for name in n.input if name]


def _copies(data, shape):
    """Whether a size that is 0 stands for another one of the data, as ONNX has it."""
    return any(s == 0 and i < data.ndim and data.shape[i] != 0 for i, s in enumerate(shape))


def _outputs(run, feeds, count):
    if any(value is None for value in feeds.values()):
        return [None] * count
    try:
        return run.run(None, feeds)
    except FAILURES:
        return [None] * count


_NUMBER_RULES: list[Any] = []
_RULES: list[Any] = []


def numeric(function):
    """A rule that gives sizes."""
    _NUMBER_RULES.append(function)
    _RULES.append(function)
    return function


def using(function):
    """A rule that uses sizes."""
    _RULES.extend([function] * 3)
    return function


# ---- rules of sizes


@numeric
def shape(g):
    limits = {}
    if g.opset >= 15:
        limits = {name: g.rng.randint(-3, 3) for name in ("start", "end") if g.rng.random() < 0.4}
    g.keep(g.node("Shape", g.pick(g.data), **limits))


@numeric
def one_size(g):
    x, rank = g.pick_with_axes()
    g.keep(g.node("Gather", g.node("Shape", x), g.rng.randint(-rank, rank - 1)))


@numeric
def count(g):
    g.keep(g.node("Size", g.pick(g.data)))


@numeric
def element(g):
    x = g.pick(g.vectors)
    shortest = min(v.size for v in g.each(x))
    if not shortest:
        raise UnfitError
    places = [g.rng.randint(-shortest, shortest - 1) for _ in range(g.rng.randint(1, 3))]
    g.keep(g.node("Gather", x, g.rng.choice([places[0], places])))


@numeric
def part(g):
    start, end = (g.rng.choice([-_FAR, -5, -2, -1, 0, 1, 2, 3, 99]) for _ in range(2))
    step = g.rng.choice([1, 1, 2, -1, -2])
    g.keep(g.node("Slice", g.pick(g.vectors), [start], [end], [g.rng.choice([0, -1])], [step]))


@numeric
def arithmetic(g):
    op_type = g.rng.choice(["Add", "Sub", "Mul", "Mul", "Sub", "Min", "Max"])
    g.keep(g.node(op_type, g.operand(), g.operand()))


@numeric
def division(g):
    op_type = g.rng.choice(["Div", "Div", "Mod"])
    divisor = g.operand(1) if g.rng.random() < 0.9 else g.const(-2)
    attributes = {"fmod": g.rng.randint(0, 1)} if op_type == "Mod" else {}
    g.keep(g.node(op_type, g.operand(), divisor, **attributes))


@numeric
def sign(g):
    g.keep(g.node(g.rng.choice(["Neg", "Abs", "Sign"]), g.operand()))


@numeric
def limits(g):
    g.keep(g.node("Clip", g.operand(), g.const(g.rng.randint(0, 2)), g.const(g.rng.randint(2, 6))))


@numeric
def choice(g):
    names = ["Equal", "Less", "Greater"] + ["LessOrEqual", "GreaterOrEqual"] * (g.opset >= 16)
    condition = g.node(g.rng.choice(names), g.operand(), g.operand())
    if g.rng.random() < 0.3:
        other = g.node(g.rng.choice(names), g.operand(), g.operand())
        condition = g.node(g.rng.choice(["And", "Or", "Xor"]), condition, other)
    if g.rng.random() < 0.2:
        condition = g.node("Not", condition)
    g.keep(g.node("Where", condition, g.operand(), g.operand()))


@numeric
def rounded(g):
    x = g.node("Cast", g.operand(), to=g.rng.choice([TensorProto.FLOAT] * 3 + [TensorProto.DOUBLE]))
    dtype = g.each(x)[0].dtype
    for _ in range(g.rng.randint(1, 2)):
        by = g.const(g.rng.choice([0.5, 0.25, 2.0, 1.5, 3.0, 0.3, 0.7, -1.0]), dtype)
        x = g.node(g.rng.choice(["Mul", "Div", "Mul", "Add"]), x, by)
    if g.rng.random() < 0.7:
        x = g.node(g.rng.choice(["Floor", "Ceil", "Round"]), x)
    g.keep(g.node("Cast", x, to=TensorProto.INT64))


@numeric
def cast(g):
    narrow = g.rng.choice([TensorProto.INT32, TensorProto.INT32, TensorProto.BOOL, TensorProto.UINT8])
    g.keep(g.node("Cast", g.node("Cast", g.operand(0), to=narrow), to=TensorProto.INT64))


@numeric
def joined(g):
    parts = [g.operand() for _ in range(g.rng.randint(1, 4))]
    parts = [g.node("Unsqueeze", p, [0]) if g.each(p)[0].ndim == 0 else p for p in parts]
    g.keep(g.node("Concat", *parts, axis=g.rng.choice([0, -1])))


@numeric
def scalar_or_vector(g):
    x = g.operand()
    if g.each(x)[0].ndim == 0:
        g.keep(g.rng.choice([lambda: g.node("Reshape", x, [-1]), lambda: g.node("Unsqueeze", x, [0])])())
    else:
        g.keep(g.rng.choice([lambda: g.node("Squeeze", x), lambda: g.node("Reshape", x, [-1])])())


@numeric
def reduced(g):
    op_type = g.rng.choice(["ReduceProd", "ReduceMax", "ReduceMin", "ReduceSum"])
    g.keep(g.node(op_type, g.pick(g.vectors), keepdims=g.rng.randint(0, 1)))


@numeric
def filled_vector(g):
    value = helper.make_tensor("v", TensorProto.INT64, [1], [g.rng.randint(-1, 3)])
    g.keep(g.node("ConstantOfShape", g.node("Unsqueeze", g.number(0, 6), [0]), value=value))


@numeric
def spread_vector(g):
    g.keep(g.node("Expand", g.operand(), g.node("Unsqueeze", g.number(1, 6), [0])))


@numeric
def counted(g):
    step = g.rng.choice([1, 1, 2, -1, -3])
    g.keep(g.node("Range", g.number(-9, 30), g.number(-9, 30), step))


@numeric
def split_vector(g):
    x = g.pick(g.vectors)
    first = g.rng.randint(0, 2)
    lengths = {v.size for v in g.each(x)}
    if len(lengths) > 1 or max(lengths) < first:
        raise UnfitError
    for name in g.node("Split", x, [first, max(lengths) - first], outputs=2):
        g.keep(name)


@numeric
def replaced(g):
    x = g.pick(g.vectors)
    update = g.node("Unsqueeze", g.number(), [0])
    if g.rng.random() < 0.5:
        g.keep(g.node("ScatterElements", x, [g.rng.randint(-1, 1)], update))
    else:
        g.keep(g.node("ScatterND", x, [[g.rng.randint(0, 1)]], update))


@numeric
def part_by_sizes(g):
    x = g.pick(g.vectors)
    start, end = (g.node("Unsqueeze", g.number(-4, 9), [0]) for _ in range(2))
    g.keep(g.node("Slice", x, start, end))


@numeric
def element_by_size(g):
    x = g.pick(g.vectors)
    shortest = min(v.size for v in g.each(x))
    g.keep(g.node("Gather", x, g.number(-shortest, shortest - 1)))


@numeric
def default_for_minus_one(g):
    x = g.pick(g.vectors)
    ones = g.node(
        "ConstantOfShape", g.node("Shape", x), value=helper.make_tensor("v", TensorProto.INT64, [1], [1])
    )
    g.keep(g.node("Where", g.node("Equal", x, g.const(-1)), ones, x))


@numeric
def branch(g):
    """What torch.squeeze becomes: a choice by whether a size is 1."""
    pool = g.rng.choice([g.numbers, g.vectors])
    first, second = g.pick(pool), g.pick(pool)
    graphs = [
        helper.make_graph(
            [helper.make_node(op_type, [x], [name])],
            name,
            [],
            [helper.make_empty_tensor_value_info(name)],
        )
        for op_type, x, name in (("Neg", first, "then_y"), ("Identity", second, "else_y"))
    ]
    condition = g.node("Equal", g.number(), g.number())
    g.keep(g.node("If", condition, then_branch=graphs[0], else_branch=graphs[1]))


@numeric
def repeated_vector(g):
    g.keep(g.node("Tile", g.pick(g.vectors), [g.rng.randint(1, 2)]))


# ---- uses of sizes


def _target(g, x):
    """A shape whose parts divide the elements wherever there are any."""
    totals = [v.size if v is not None else 0 for v in g.values[x]]
    parts, done = [], [1] * len(totals)
    for _ in range(g.rng.randint(0, 2)):
        fit = [
            name
            for name in g.numbers
            if all(
                v is None or total == 0 or (v > 0 and total % (d * int(v)) == 0)
                for v, total, d in zip(g.values[name], totals, done, strict=True)
            )
        ]
        if not fit:
            break
        parts.append(g.pick(fit))
        done = [
            d * max(int(v), 1) if v is not None else d for d, v in zip(done, g.values[parts[-1]], strict=True)
        ]
    return parts


@using
def reshaped(g):
    x = g.pick(g.data)
    parts = [*_target(g, x), g.const(-1)]
    if g.rng.random() < 0.3:
        rest = g.node("Size", x)
        for p in parts[:-1]:
            if not g.within(p, 1, _MOST_NUMBER):
                raise UnfitError
            rest = g.node("Div", rest, p)
        parts[-1] = rest
    if g.rng.random() < 0.2:
        parts.append(g.const(1))
    head = parts.pop()
    parts.insert(g.rng.randint(0, len(parts)), head)
    g.keep(g.node("Reshape", x, g.vector(*parts)))


@using
def expanded(g):
    x = g.pick(g.data)
    dims = [g.number(0, 9) for _ in range(g.rng.randint(1, 4))]
    if prod(max(int(v.max()) for v in g.each(d)) for d in dims) > 300:
        raise UnfitError
    if g.rng.random() < 0.7:
        axis = g.rng.choice([0, 1])
        x = g.node("Unsqueeze", g.node("ReduceSum", x, keepdims=0), [0, 1][: 1 + axis]) if axis else x
    g.keep(g.node("Expand", x, g.vector(*dims)))


@using
def sliced(g):
    x = g.pick(g.data)
    rank = g.each(x)[0].ndim
    axes = g.rng.sample(range(rank), min(rank, g.rng.randint(1, 2)))
    if not axes:
        raise UnfitError
    starts, ends = ([g.rng.choice([g.number(), g.number(), g.const(e)]) for _ in axes] for e in (0, 99))
    steps = [g.rng.choice([1, 1, 1, 2, -1, -2]) for _ in axes]
    axes = [axis - rank * g.rng.randint(0, 1) for axis in axes]
    g.keep(g.node("Slice", x, g.vector(*starts), g.vector(*ends), axes, steps))


@using
def tiled(g):
    x = g.pick(g.data)
    rank = g.each(x)[0].ndim
    counts = [g.rng.choice([g.number(0, 7), g.const(1), g.const(2)]) for _ in range(rank)]
    if not counts or max(v.size for v in g.each(x)) > 300 or rank > 3:
        raise UnfitError
    g.keep(g.node("Tile", x, g.vector(*counts)))


@using
def padded(g):
    x = g.pick(g.data)
    rank = g.each(x)[0].ndim
    modes = ["constant", "constant", "edge", "reflect"] + ["wrap"] * (g.opset >= 19)
    mode = g.rng.choice(modes)
    low = -1 if mode == "constant" else 0
    pads = g.vector(*(g.rng.choice([g.number(low, 7), g.const(0)]) for _ in range(2 * rank)))
    value = g.const(0.5, "float32")
    g.keep(
        g.node("Pad", x, pads, value, mode=mode) if mode == "constant" else g.node("Pad", x, pads, mode=mode)
    )


@using
def resized(g):
    x = g.pick(g.data)
    rank = g.each(x)[0].ndim
    if not 1 <= rank <= 4:
        raise UnfitError
    own = [g.node("Gather", g.node("Shape", x), i) for i in range(rank)]
    axis = g.rng.randrange(rank)
    by_sizes = g.rng.random() < 0.6
    transformations = ["asymmetric", "half_pixel"] + ["align_corners"] * by_sizes
    options = {
        "mode": g.rng.choice(["nearest", "linear"]) if rank in (2, 4) else "nearest",
        "coordinate_transformation_mode": g.rng.choice(transformations),
        "nearest_mode": "floor",
    }
    if by_sizes:
        own[axis] = g.number(1, 12)
        g.keep(g.node("Resize", x, "", "", g.vector(*own), **options))
    else:
        scales = [1.0] * rank
        scales[axis] = g.rng.choice([2.0, 0.5, 1.5, 0.7, 0.3, 3.0])
        g.keep(g.node("Resize", x, "", g.const(scales, "float32"), **options))


@using
def best(g):
    x, rank = g.pick_with_axes()
    axis = g.rng.randrange(-rank, rank)
    size = g.node("Gather", g.node("Shape", x), axis)
    k = g.rng.choice([g.number(0, 9), g.node("Min", size, g.number(0, 9))])
    options = {"axis": axis, "largest": g.rng.randint(0, 1)}
    values, places = g.node("TopK", x, g.node("Unsqueeze", k, [0]), outputs=2, **options)
    g.keep(values)
    g.keep(g.node("Cast", places, to=TensorProto.FLOAT))


@using
def split(g):
    x, rank = g.pick_with_axes()
    axis = g.rng.randrange(-rank, rank)
    if g.opset >= 18 and g.rng.random() < 0.4:
        parts = g.node("Split", x, axis=axis, num_outputs=2, outputs=2)
    else:
        size = g.node("Gather", g.node("Shape", x), axis)
        first = g.rng.choice([lambda: g.number(0, 7), lambda: g.node("Div", size, 2)])()
        parts = g.node("Split", x, g.vector(first, g.node("Sub", size, first)), axis=axis, outputs=2)
    for name in parts:
        g.keep(name)


@using
def positions(g):
    floats = g.rng.random() < 0.3
    first, last = g.number(-5, 40), g.number(-5, 40)
    step = g.const(g.rng.choice([1, 1, 2, -1]))
    if floats:
        first, last, step = (g.node("Cast", p, to=TensorProto.FLOAT) for p in (first, last, step))
    counted = g.node("Range", first, last, step)
    g.keep(counted if floats else g.node("Cast", counted, to=TensorProto.FLOAT))


@using
def filled(g):
    dims = [g.number(0, 8) for _ in range(g.rng.randint(0, 3))]
    target = g.vector(*dims) if dims else g.const([])
    value = helper.make_tensor("v", TensorProto.FLOAT, [1], [g.rng.choice([0.0, -1.5])])
    g.keep(g.node("ConstantOfShape", target, value=value))


def _indices(g, size):
    """Numbers that count in an axis, from its beginning or its end."""
    counted = g.node("Range", 0, g.number(0, 9), 1)
    inside = g.node("Mod", counted, g.node("Max", size, 1))
    return inside if g.rng.random() < 0.6 else g.node("Sub", g.node("Neg", inside), 1)


@using
def gathered(g):
    x, rank = g.pick_with_axes()
    axis = g.rng.randrange(-rank, rank)
    size = g.node("Gather", g.node("Shape", x), axis)
    indices = g.rng.choice(
        [lambda: _indices(g, size), lambda: g.node("Sub", size, 1), lambda: g.number(-1, 3)]
    )()
    g.keep(g.node("Gather", x, indices, axis=axis))


@using
def scattered(g):
    x = g.pick(g.data)
    rank = g.each(x)[0].ndim
    if rank != 1:
        x, rank = g.node("Reshape", x, [-1]), 1
    indices = _indices(g, g.node("Size", x))
    updates = g.node("Cast", g.node("Range", 0, g.node("Size", indices), 1), to=TensorProto.FLOAT)
    if any(
        len(set((v % max(w.size, 1)).tolist())) < v.size
        for v, w in zip(g.each(indices), g.each(x), strict=False)
    ):
        raise UnfitError  # which update counts is not said
    g.keep(g.node("ScatterElements", x, indices, updates, axis=0))


@using
def one_hot(g):
    indices = g.node("Range", g.const(-2), g.number(0, 9), 1)
    depth = g.number(1, 9)
    values = g.const(g.rng.choice([[0.0, 1.0], [-2.0, 3.0]]), "float32")
    g.keep(g.node("OneHot", indices, depth, values, axis=g.rng.choice([0, 1, -1])))


@using
def masked(g):
    x, rank = g.pick_with_axes()
    size = g.node("Gather", g.node("Shape", x), rank - 1)
    mask = g.node("Less", g.node("Range", 0, size, 1), g.number(0, 9))
    g.keep(g.node("Where", mask, x, g.const(-1.0, "float32")))


@using
def triangle(g):
    if g.opset >= 14:
        g.keep(g.node("Trilu", g.pick(g.data), g.number(-3, 5), upper=g.rng.randint(0, 1)))


@using
def chosen(g):
    x = g.node("Reshape", g.pick(g.data), [-1])
    places = g.node("Reshape", g.node("NonZero", g.node("Relu", x)), [-1])
    some = g.node("Gather", x, places)
    g.keep(some)
    g.keep(g.node("Size", places))
    op_type = g.rng.choice(["ReduceMax", "ReduceMin", "ReduceProd", "ReduceLogSumExp", "ReduceL2"])
    g.keep(g.node(op_type, some, keepdims=g.rng.randint(0, 1)))


@using
def selected(g):
    x = g.node("Reshape", g.pick(g.data), [-1])
    mask = g.node("Less", g.node("Range", 0, g.node("Size", x), 1), g.number(0, 20))
    g.keep(g.node("Compress", x, mask))


@using
def gathered_points(g):
    x = g.pick(g.data)
    if g.each(x)[0].ndim < 2 or any(v.shape[0] == 0 for v in g.each(x)):
        raise UnfitError
    places = _indices(g, g.node("Gather", g.node("Shape", x), 0))
    g.keep(g.node("GatherND", x, g.node("Unsqueeze", places, [1])))


@using
def written_points(g):
    x = g.pick(g.data)
    rank = g.each(x)[0].ndim
    if rank < 2:
        raise UnfitError
    size = g.node("Gather", g.node("Shape", x), 0)
    count = g.node("Min", size, g.number(0, 6))
    places = g.node("Unsqueeze", g.node("Range", 0, count, 1), [1])
    rest = g.node("Slice", g.node("Shape", x), [1], [99])
    shape = g.node("Concat", g.node("Unsqueeze", count, [0]), rest, axis=0)
    g.keep(g.node("ScatterND", x, places, g.node("Expand", g.const(7.0, "float32"), shape)))


@using
def identity(g):
    rows, columns = g.number(1, 8), g.number(1, 8)
    g.keep(g.node("EyeLike", g.node("ConstantOfShape", g.vector(rows, columns)), k=g.rng.randint(-2, 2)))


@using
def fractions(g):
    first, last = (g.node("Cast", g.number(-5, 20), to=TensorProto.FLOAT) for _ in range(2))
    g.keep(g.node("Range", first, last, g.const(g.rng.choice([0.5, 0.75, -0.5]), "float32")))


@using
def padded_axes(g):
    if g.opset < 18:
        raise UnfitError
    x, rank = g.pick_with_axes()
    pads = g.vector(*(g.rng.choice([g.number(-1, 7), g.const(0)]) for _ in range(2)))
    g.keep(g.node("Pad", x, pads, g.const(-2.0, "float32"), [g.rng.randrange(-rank, rank)]))


@using
def product(g):
    x, y = g.pick(g.data), g.pick(g.data)
    rank = g.each(y)[0].ndim
    order = [*range(rank - 2), rank - 1, rank - 2] if rank > 1 else [0]
    g.keep(g.node("MatMul", x, g.node("Transpose", y, perm=order)))


@using
def plain(g):
    x = g.pick(g.data)
    rank = g.each(x)[0].ndim
    rules = [
        lambda: g.node("Relu", x),
        lambda: g.node("Concat", x, g.pick(g.data), axis=g.rng.randrange(rank)),
        lambda: g.node("Add", x, g.pick(g.data)),
        lambda: g.node("Transpose", x, perm=g.rng.sample(range(rank), rank)),
        lambda: g.node("Unsqueeze", x, [g.rng.randrange(rank + 1)]),
        lambda: g.node("Squeeze", g.node("Unsqueeze", x, [0, 2]), [0]),
        lambda: g.node("Flatten", x, axis=g.rng.randint(-rank, rank)),
        lambda: g.node("ReduceSum", x, [g.rng.randrange(rank)], keepdims=g.rng.randint(0, 1)),
        lambda: g.node("CumSum", x, g.rng.randrange(rank)),
        lambda: g.node("MaxPool", x, kernel_shape=[2], strides=[2]),
        lambda: g.node("Mul", x, g.node("Cast", g.number(), to=TensorProto.FLOAT)),
    ]
    if not rank:
        raise UnfitError
    g.keep(g.rng.choice(rules)())
