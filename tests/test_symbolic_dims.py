"""Expressions of named sizes: their normal form, what they answer, and what they become in ONNX."""

from __future__ import annotations

import operator
import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import hybridonnx.symbol as sym
from hybridonnx.converters import to_onnx
from hybridonnx.converters.to_onnx._graph import Graph, Value
from hybridonnx.converters.values import to_tensor, value_info
from hybridonnx.errors import ShapeError
from hybridonnx.ops import Spec, SymbolicDim
from hybridonnx.ops._shapes import alike, broadcast, differ, unify
from hybridonnx.ops._symbolic import UndecidedError, larger, positive_part, smaller
from hybridonnx.ops.slice import extent
from hybridonnx.symbol.infer import infer

a, b, c = map(SymbolicDim.named, "abc")
F32 = np.dtype("float32")
SIZES = [dict(zip("abc", sizes, strict=True)) for sizes in product((0, 1, 2, 3, 7, 12), repeat=3)]


# ---- the normal form


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (a + 1 - 1, "a"),
        (b + a, "a + b"),
        (2 * a * b - 3 - a * b, "a*b - 3"),
        ((a + b) * (a - b), "a*a - b*b"),
        (4 * a // 2, "2*a"),
        ((2 * a + 3) // 2, "a + 1"),
        ((4 * a + 6) // 8, "(a + 1)//2"),
        (a // 2 // 3, "a//6"),
        ((a // 2 + 1) // 3, "(a + 2)//6"),
        (-(-a // 2), "a - (a//2)"),
        (a * b * c // (a * c), "b"),
        ((a * b - b) // (a - 1), "b"),
        (a // b, "a//b"),
        (a % 2, "a - 2*(a//2)"),
        (positive_part(2 * a - 10), "2*max(a - 5, 0)"),
        (positive_part(positive_part(a - 2) - 3), "max(a - 5, 0)"),
        (smaller(a, 5), "a - max(a - 5, 0)"),
        (SymbolicDim.named("height / 2") * 2, "2*'height / 2'"),
        (np.int64(2) + a, "a + 2"),
    ],
)
def test_texts(expression, text):
    assert expression.text == text


def test_results_without_names_are_integers():
    assert [a - a, (a + 1) - a, 0 * a, a // a, (2 * a) % 2, positive_part(-a), positive_part(a - a + 3)] == [
        *(0, 1, 0, 1, 0),
        *(0, 3),
    ]


def test_equal_expressions_are_one_key():
    assert {a * (b + 1): "x"}[a + b * a] == "x"
    assert len({a + b, b + a, a + b + 0, a, b}) == 3
    assert SymbolicDim.named("my size").name == "my size"
    assert str(SymbolicDim.named("my size")) == "my size"
    assert differ(SymbolicDim.named("a + 1"), a + 1) is False
    assert not alike((SymbolicDim.named("a + 1"),), (a + 1,))


# ---- questions


def test_what_holds_for_every_size_is_answered():
    assert a == a
    assert a + 2 > 1
    assert a >= 0
    assert a != a + 1
    assert a - 1 < a
    assert a + b >= b
    assert a - a // 2 >= 0
    assert smaller(a, 5) <= a
    assert bool(a + 1)
    assert a is not None
    assert None not in (a, 1)
    assert a != "a"


@pytest.mark.parametrize(
    "question",
    [
        lambda: a == b,
        lambda: a == 1,
        lambda: a != 0,
        lambda: a < 3,
        lambda: 1 in (a, 2),
        lambda: a or 2,
        lambda: max(a, 2),
        lambda: min(a, b),
        lambda: range(a),
        lambda: [0] * a,
        lambda: slice(1, None).indices(a),
        lambda: np.zeros((2, a)),
        lambda: np.array([a], np.int64),
        lambda: int(a),
        lambda: a / 2,
        lambda: 1.5 * a,
        lambda: Fraction(1, 2) * a,
        lambda: a**2,
        lambda: 5 % a,
        lambda: round(a),
    ],
)
def test_what_depends_on_the_size_is_undecided(question):
    with pytest.raises(UndecidedError):
        question()


OPERATIONS = (
    operator.add,
    operator.sub,
    operator.mul,
    lambda x, y: x // (y if isinstance(y, int) and y else 3),
    lambda x, y: x % (y if isinstance(y, int) and y else 2),
    larger,
    smaller,
)


def grown(rng, depth):
    """A random expression, and what computes it from sizes."""
    if not depth or rng.random() < 0.2:
        name = rng.choice("abc")
        number = rng.randrange(-3, 7)
        if rng.random() < 0.3:
            return number, lambda sizes: number
        return SymbolicDim.named(name), lambda sizes: sizes[name]
    operation = rng.choice(OPERATIONS)
    (x, fx), (y, fy) = grown(rng, depth - 1), grown(rng, depth - 1)
    if operation in OPERATIONS[3:5] and not isinstance(y, int):
        y, fy = 3, lambda sizes: 3
    return operation(x, y), lambda sizes: operation(fx(sizes), fy(sizes))


def drawn(count, depth=4):
    """Random expressions that are no plain integers."""
    rng = random.Random(0)
    expressions: list[Any] = []
    while len(expressions) < count:
        try:
            expression, function = grown(rng, depth)
        except UndecidedError:  # too long
            continue
        if isinstance(expression, SymbolicDim):
            expressions.append((expression, function))
    return expressions


def test_values_are_those_of_integers():
    for expression, function in drawn(300):
        for sizes in SIZES:
            assert expression.value(sizes) == function(sizes), (expression, sizes)


def test_bounds_and_answers_hold_for_every_size():
    answers = 0
    expressions = drawn(150, 3)
    for (x, fx), (y, fy) in zip(expressions, expressions[::-1], strict=True):
        assert all(x.least <= fx(sizes) <= x.most for sizes in SIZES)
        for question in (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge):
            try:
                answer = question(x, y)
            except UndecidedError:
                continue
            answers += 1
            assert all(question(fx(sizes), fy(sizes)) == answer for sizes in SIZES), (x, y)
    assert answers > 50


def test_onnx_computes_the_same():
    """Also of negative numbers, which ONNX divides otherwise."""
    expressions = [expression for expression, _ in drawn(60)]
    g = Graph()
    x = Value(g, F32, (None, None, None), "x")
    g.named_sizes = {name: (x, axis) for axis, name in enumerate("abc")}
    total = g.Concat(*(to_onnx._symbolic_dims.expression(g, e) for e in expressions), axis=0)
    total.name = "sizes"
    writer = to_onnx._write.GraphWriter(["x", "sizes"])
    nodes = map(onnx.NodeProto.FromString, writer.write(g, [total]))
    proto = onnx.GraphProto(name="sizes", node=nodes)
    proto.input.append(value_info("x", F32, ("a", "b", "c")))
    proto.output.append(value_info("sizes", np.int64, (60,)))
    proto.initializer.extend(to_tensor(name, constant) for name, constant in writer.constants.items())
    model = onnx.helper.make_model(proto, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=8)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for sizes in SIZES:
        (values,) = session.run(None, {"x": np.zeros(list(sizes.values()), F32)})
        assert values.tolist() == [expression.value(sizes) for expression in expressions], sizes


# ---- shapes


def test_shapes_of_several_arrays():
    assert broadcast("x", (a, 1, 3), (1, b, 3)) == (a, b, 3)
    assert broadcast("x", (a, 5), (a, b)) == (a, 5)
    assert broadcast("x", (a,), (b,)) == (None,)
    assert broadcast("x", (a,), (None,)) == (None,)
    assert unify("x", (a, None, b + 1), (None, b, c)) == (a, b, c)
    assert unify("x", (a, b), (4, None)) == (4, b)
    with pytest.raises(ShapeError, match=r"x: equal shapes are required, got \(a,\) and \(a \+ 1,\)"):
        unify("x", (a,), (a + 1,))


def test_slices_take_as_many_as_of_a_range():
    bounds = (None, -5, -2, -1, 0, 1, 2, 6)
    for start, stop, step in product(bounds, bounds, (1, 2, 3, -1, -2)):
        length: Any = extent(a, slice(start, stop, step))
        for size in range(9):
            count = len(range(*slice(start, stop, step).indices(size)))
            assert (length if isinstance(length, int) else length.value({"a": size})) == count


def test_inference_over_a_graph():
    x, y = sym.var("x"), sym.var("y")
    pooled = sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max")
    flat = sym.reshape(sym.transpose(pooled, axes=(0, 2, 3, 1)), shape=(0, -1))
    ones = sym.ones((0, 0))
    symbol = sym.concat(flat + ones, y, dim=1)
    known = {"x": Spec((a, 3, b, 8), F32), "y": Spec((None, c), F32)}
    specs = infer(symbol, known, partial=True)
    assert specs[ones.outputs[0]].shape == (a, b // 2 * 12)
    assert specs[y.outputs[0]].shape == (a, c)
    assert specs[symbol.outputs[0]].shape == (a, b // 2 * 12 + c)


def test_a_name_may_turn_out_to_be_a_number():
    x = sym.var("x")
    relu = sym.relu(x)
    symbol = sym.broadcast_add(relu, x) + sym.ones((4, 0))
    specs = infer(symbol, {"x": Spec((a, b), F32)}, partial=True)
    assert specs[relu.outputs[0]].shape == (a, b)
    assert specs[symbol.outputs[0]].shape == (4, b)
