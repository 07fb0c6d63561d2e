"""Models with free sizes: exported once, run at many sizes, each time compared with the kernels."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidArgument, RuntimeException

import hybridonnx as mx
import hybridonnx.symbol as sym
from hybridonnx.converters import to_onnx
from hybridonnx.errors import ConversionError, MXNetError
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ops import Spec, SymbolicDim
from hybridonnx.ops import known as known_shape
from hybridonnx.runtime.compile import CompiledGraph
from hybridonnx.symbol.execute import execute
from hybridonnx.symbol.infer import infer

F32 = np.dtype("float32")


def exported(symbol, shapes):
    """A session of the model; sizes that are text are free."""
    specs = {
        name: Spec(tuple(SymbolicDim.named(d) if isinstance(d, str) else d for d in shape), F32)
        for name, shape in shapes.items()
    }
    model = to_onnx.check(to_onnx.lower(symbol, specs, {}), {}).model
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run(session, arrays):
    read = [i.name for i in session.get_inputs()]
    return session.run(None, {name: arrays[name] for name in read})


def on_kernels(symbol, arrays):
    return [y.asnumpy() for y in execute(symbol, {name: NDArray(a) for name, a in arrays.items()})]


def filled(shapes, sizes, seed=0):
    """Inputs with these sizes for the free ones."""
    rng = np.random.default_rng(seed)
    return {
        name: rng.uniform(-1, 1, [sizes.get(d, d) for d in shape]).astype(F32)
        for name, shape in shapes.items()
    }


# ---- sizes that are expressions of the inputs'


def test_a_size_that_happens_to_look_like_another():
    """b - 1 was taken for a, as sizes were told apart by consecutive numbers."""
    ones = sym.ones((0, 0))
    shorter = sym.slice_axis(sym.var("x"), axis=1, begin=1, end=None)
    session = exported(sym.Group([shorter + ones, sym.sum(ones)]), {"x": ("a", "b")})
    for a, b in ((3, 6), (1, 5), (4, 2)):
        x = np.ones((a, b), F32)
        total, count = session.run(None, {"x": x})
        np.testing.assert_array_equal(total, np.full((a, b - 1), 2, F32))
        assert count == a * (b - 1)
    assert [o.shape for o in session.get_outputs()] == [["a", "b - 1"], [1]]


def test_sizes_do_not_depend_on_the_order_of_nodes():
    """`ones` was refused where it came before the input that has its sizes."""
    session = exported(sym.ones((0, 0)) + sym.var("x"), {"x": ("a", "b")})
    for shape in ((2, 3), (1, 1)):
        np.testing.assert_array_equal(
            session.run(None, {"x": np.ones(shape, F32)})[0], np.full(shape, 2, F32)
        )


def test_rounded_sizes_are_computed():
    ones = sym.ones((0, 0, 0))
    pooled = sym.Pooling(sym.var("x"), kernel=(3,), stride=(2,), pool_type="max", pooling_convention="full")
    session = exported(sym.Group([pooled + ones, sym.shape_array(ones)]), {"x": ("n", 2, "w")})
    for n, w in ((1, 3), (2, 4), (3, 8), (1, 9)):
        assert session.run(None, {"x": np.zeros((n, 2, w), F32)})[1].tolist() == [n, 2, -(-(w - 3) // 2) + 1]


def test_sizes_that_free_ones_do_not_tell_are_refused():
    """Which of two names is the broadcast's size is known only when it runs."""
    either = sym.broadcast_add(sym.var("x"), sym.var("y"))
    with pytest.raises(ConversionError, match=r"_ones: fixed input shapes are required.*\(\?,\)"):
        exported(either + sym.ones((0,)), {"x": ("a",), "y": ("b",)})


def test_inputs_of_one_name_have_one_size():
    rows = sym.concat(sym.var("x"), sym.var("y"), dim=0)
    session = exported(rows + sym.ones((0, 0)), {"x": ("n", 2), "y": ("n", 2)})
    assert session.get_outputs()[0].shape == ["2*n", 2]
    arrays = {name: np.ones((3, 2), F32) for name in "xy"}
    np.testing.assert_array_equal(session.run(None, arrays)[0], np.full((6, 2), 2, F32))


def test_draws_have_sizes_that_are_expressions():
    noise = sym.random.uniform(low=3, high=4, shape=(0, 0))
    shorter = sym.slice_axis(sym.var("x"), axis=1, begin=2, end=None)
    session = exported(sym.Group([shorter + noise, sym.shape_array(noise)]), {"x": ("a", "b")})
    total, shape = session.run(None, {"x": np.zeros((2, 7), F32)})
    assert shape.tolist() == [2, 5]
    assert total.min() >= 3
    assert total.max() < 4
    assert len(np.unique(total)) == 10


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_root_of_a_free_size(dtype):
    """A free size of 70,000 does not fit into float16, its root does."""
    tol = 1e-3 if dtype == "float16" else 1e-6
    symbol = sym.contrib.div_sqrt_dim(sym.cast(sym.var("x"), dtype=dtype))
    session = exported(symbol, {"x": ("n", "d")})
    for shape in ((2, 3), (1, 1), (3, 70_000), (2, 0), (0, 4)):
        arrays = {"x": np.ones(shape, F32)}
        (y,) = run(session, arrays)
        assert y.dtype == dtype
        np.testing.assert_allclose(y, on_kernels(symbol, arrays)[0], rtol=tol)


def test_a_session_for_all_batch_sizes():
    ones = sym.ones((0, 0))
    symbol = sym.Group([sym.concat(sym.var("x"), sym.var("y"), dim=0) + ones, sym.sum(ones)])
    graph = CompiledGraph(symbol, ["x", "y"], {})
    for a, b in ((2, 3), (1, 1), (5, 1), (1, 6)):
        total, count = graph([NDArray(np.ones((n, 4), F32)) for n in (a, b)])
        np.testing.assert_array_equal(total.asnumpy(), np.full((a + b, 4), 2, F32))
        assert count.asscalar() == 4 * (a + b)
    assert len(graph._programs) == 1


def test_products_of_many_free_axes():
    """A result with two free sizes is reshaped to sizes that are computed."""
    symbol = sym.dot(sym.var("x"), sym.var("y"), transpose_b=True)
    session = exported(symbol, {"x": ("a", "b", 3), "y": ("c", 2, 3)})
    for a, b, c in ((1, 4, 2), (3, 1, 1), (2, 5, 3)):
        arrays = filled({"x": (a, b, 3), "y": (c, 2, 3)}, {})
        expected = np.tensordot(arrays["x"], arrays["y"], (2, 2))
        np.testing.assert_allclose(session.run(None, arrays)[0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize(
    "size",
    [
        {"scale_height": 2, "scale_width": 3},
        {"scale_height": 1.5, "scale_width": 0.7},
        {"height": 7, "scale_width": 2},
    ],
    ids=str,
)
def test_images_of_free_size_resized_by_scales(size, align_corners):
    symbol = sym.contrib.BilinearResize2D(sym.var("x"), mode="size", align_corners=align_corners, **size)
    session = exported(symbol, {"x": ("n", 2, "h", "w")})
    for n, h, w in ((1, 4, 5), (3, 7, 6), (2, 3, 11)):
        arrays = filled({"x": (n, 2, h, w)}, {})
        np.testing.assert_allclose(run(session, arrays)[0], on_kernels(symbol, arrays)[0], atol=1e-5)


@pytest.mark.parametrize("step", [-3, -2, -1, 2])
def test_slices_of_an_axis_of_free_size(step):
    """Backwards from before the first element there is nothing; ONNX's own Slice would start at the first."""
    x, bounds = sym.var("x"), list(product((None, -3, -2, -1, 0, 2), (None, -5, -3, -1, 0, 1)))
    cuts = [sym.slice(x, begin=(begin,), end=(end,), step=(step,)) for begin, end in bounds]
    session = exported(sym.Group(cuts), {"x": ("n",)})
    for n in range(1, 6):
        values = np.arange(n, dtype=F32)
        for y, (begin, end) in zip(session.run(None, {"x": values}), bounds, strict=True):
            assert y.tolist() == values[begin:end:step].tolist(), (n, begin, end)


# ---- random graphs

NAMES = ("a", "b", "c")
PROBES = ({"a": 14, "b": 6, "c": 10}, {"a": 9, "b": 16, "c": 11}, {"a": 12, "b": 15, "c": 8})
"""Sizes at which a graph must be one of MXNet's; shapes that agree at all of them may be joined."""
MOST_ELEMENTS = 400_000


class Grower:
    """Grows a graph from inputs with free sizes, operator by operator."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names = NAMES[: self.rng.choice((2, 3))]
        self.shapes = {"x": self.drawn_shape()}
        if self.rng.random() < 0.5:
            self.shapes["y"] = self.drawn_shape()
        self.pool = [(sym.var(name), *self.shapes_of(sym.var(name))) for name in self.shapes]
        self.used: Counter[str] = Counter()

    def drawn_shape(self):
        rank = self.rng.choice((1, 2, 2, 3, 3, 4))
        sizes = [self.rng.choice((*self.names, *self.names, 1, 2, 3)) for _ in range(rank)]
        free = [d for d in sizes if isinstance(d, str)]
        return tuple(sizes) if free else (self.names[0], *sizes[1:])

    def shapes_of(self, symbol):
        """The shape at each of the probes; raises `MXNetError` where the graph is none of MXNet's."""
        shapes = []
        for sizes in PROBES:
            known = {n: Spec(tuple(sizes.get(d, d) for d in s), F32) for n, s in self.shapes.items()}
            shape: Any = infer(symbol, known, partial=True)[symbol.outputs[0]].shape
            if not known_shape(shape) or 0 in shape or prod(shape) > MOST_ELEMENTS:
                raise MXNetError("no shape to go on with")
            shapes.append(shape)
        return shapes

    def grow(self, count):
        """The graph: the last value, some on the way, and the arrays made without inputs."""
        creators = []
        for _ in range(20 * count):
            operator = self.rng.choice(OPERATORS)
            try:
                result = operator(self, *self.rng.choice(self.pool[-4:]))
                if result is None:
                    continue
                value, *creator = result if isinstance(result, tuple) else (result,)
                self.pool.append((value, *self.shapes_of(value)))
            except MXNetError:
                continue
            if creator:
                creators += [value, sym.sum(creator[0])]
            self.used[operator.__name__] += 1
            if sum(self.used.values()) == count:
                break
        middle = self.rng.choice(self.pool)[0]
        return sym.Group([self.pool[-1][0], sym.identity(middle), *creators[-4:]])

    def partner(self, shapes):
        """A value of the same shape wherever the graph runs, as far as the probes tell."""
        return self.rng.choice([value for value, *own in self.pool if own == list(shapes)])

    def axis(self, shapes):
        return self.rng.randrange(len(shapes[0]))


OPERATORS: list[Callable[..., Any]] = []


def operator(function):
    OPERATORS.append(function)
    return function


@operator
def unary(g, x, *shapes):
    return g.rng.choice((sym.relu, sym.abs, sym.sin, sym.zeros_like, sym.ones_like, lambda v: v * 2 - 1))(x)


@operator
def sliced(g, x, *shapes):
    begin, end = g.rng.choice(((1, None), (2, None), (0, -1), (-3, None), (1, -1), (0, 3), (-4, -1)))
    return sym.slice_axis(x, axis=g.axis(shapes), begin=begin, end=end)


@operator
def strided(g, x, *shapes):
    cuts = [
        g.rng.choice(
            ((None, None, 1), (1, None, 2), (None, None, -1), (None, 5, 1), (-6, -1, 3), (-2, None, -2))
        )
        for _ in shapes[0]
    ]
    begin, end, step = zip(*cuts, strict=True)
    return sym.slice(x, begin=begin, end=end, step=step)


@operator
def joined(g, x, *shapes):
    return sym.concat(x, g.partner(shapes), dim=g.axis(shapes))


@operator
def stacked(g, x, *shapes):
    return sym.stack(x, g.partner(shapes), axis=g.axis(shapes)) if len(shapes[0]) < 4 else None


@operator
def split(g, x, *shapes):
    parts = sym.split_v2(x, (0, 2), axis=g.axis(shapes))
    return g.rng.choice((parts[0], parts[1]))


@operator
def halved(g, x, *shapes):
    return sym.split(x, num_outputs=2, axis=g.axis(shapes))[g.rng.randrange(2)]


@operator
def reshaped(g, x, *shapes):
    codes = (
        (-1,),
        (0, -1),
        (-1, 0),
        (-3, -2),
        (0, -3),
        (-2, 1),
        (0, 0, -1),
        (-4, -1, 2, -2),
        (-1, 2),
        (0, -2),
    )
    return sym.reshape(x, shape=g.rng.choice(codes), reverse=g.rng.random() < 0.2)


@operator
def transposed(g, x, *shapes):
    return (
        sym.swapaxes(x, dim1=g.axis(shapes), dim2=g.axis(shapes))
        if g.rng.random() < 0.5
        else sym.transpose(x)
    )


@operator
def added(g, x, *shapes):
    return x + g.partner(shapes)


@operator
def broadcast(g, x, *shapes):
    other = sym.sum(x, axis=g.axis(shapes), keepdims=True)
    return sym.tanh(g.rng.choice((sym.broadcast_mul, sym.broadcast_maximum, sym.broadcast_like))(other, x))


@operator
def reduced(g, x, *shapes):
    if len(shapes[0]) < 2:
        return None
    reduction = g.rng.choice((sym.sum, sym.mean, sym.max))
    return sym.tanh(reduction(x, axis=g.axis(shapes), keepdims=g.rng.random() < 0.4))


@operator
def tiled(g, x, *shapes):
    return sym.tile(x, reps=tuple(g.rng.choice((1, 1, 2)) for _ in range(g.rng.choice((1, len(shapes[0]))))))


@operator
def repeated(g, x, *shapes):
    return sym.repeat(x, repeats=2, axis=g.rng.choice((g.axis(shapes), g.axis(shapes), None)))


@operator
def expanded(g, x, *shapes):
    return sym.expand_dims(x, axis=g.axis(shapes)) if len(shapes[0]) < 4 else None


@operator
def padded(g, x, *shapes):
    widths = (0, 0, 0, 0, g.rng.choice((0, 1)), g.rng.choice((1, 2)), 1, 0)
    return sym.pad(x, mode="constant", pad_width=widths, constant_value=1)


@operator
def pooled(g, x, *shapes):
    spatial = len(shapes[0]) - 2
    if spatial < 1:
        return None
    pooling = sym.Pooling(
        x,
        kernel=(g.rng.choice((2, 3)),) * spatial,
        stride=(g.rng.choice((1, 2)),) * spatial,
        pad=(g.rng.choice((0, 1)),) * spatial,
        pool_type="max",
        pooling_convention=g.rng.choice(("valid", "full")),
    )
    return sym.tanh(pooling)  # a window of padding alone has the lowest number


@operator
def multiplied(g, x, *shapes):
    if len(shapes[0]) == 2:
        return sym.tanh(sym.dot(x, g.partner(shapes), transpose_b=True))
    if len(shapes[0]) == 3:
        return sym.tanh(sym.batch_dot(x, g.partner(shapes), transpose_a=True))
    return None


@operator
def with_ones(g, x, *shapes):
    creator = g.rng.choice((sym.ones, sym.zeros))((0,) * len(shapes[0]))
    return x + creator, creator


@operator
def with_range(g, x, *shapes):
    creator = sym.arange(1, step=0.5, repeat=g.rng.choice((1, 2)), infer_range=True)
    return (x + creator, creator) if len(shapes[0]) == 1 else None


@operator
def backward(g, x, *shapes):
    """Sizes that run backward through other operators."""
    creator = sym.ones((0,) * len(shapes[0]))
    return sym.sqrt(creator * 2) * x, creator


@operator
def with_draws(g, x, *shapes):
    creator = sym.random.uniform(shape=(0,) * len(shapes[0]))
    return x + creator * 0, creator * 0


@operator
def arranged(g, x, *shapes):
    steps = sym.contrib.arange_like(x, axis=len(shapes[0]) - 1)
    return sym.broadcast_add(x, steps)


@operator
def cut_like(g, x, *shapes):
    axis = g.axis(shapes)
    return sym.slice_like(x, sym.slice_axis(x, axis=axis, begin=1, end=None), axes=(axis,))


def tried(seed: int, operators: int, counts: Counter[str]) -> list[str]:
    """Export one random graph and run it at ten sizes; what differs."""
    grower = Grower(seed)
    symbol = grower.grow(operators)
    shapes = {name: shape for name, shape in grower.shapes.items() if name in symbol.list_inputs()}
    counts.update(grower.used)
    counts["graphs"] += 1
    try:
        session = exported(symbol, shapes)
    except ConversionError as exc:
        counts["refused"] += 1
        counts[f"refused: {str(exc)[:60]}"] += 1
        return []
    wrong = []
    for attempt in range(10):
        sizes = {name: grower.rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 12)) for name in NAMES}
        if attempt in (0, 1):
            sizes = dict.fromkeys(NAMES, 1 if attempt == 0 else 8)
        arrays = filled(shapes, sizes, seed)
        try:
            expected = on_kernels(symbol, arrays)
        except MXNetError:  # the graph is none of MXNet's at these sizes
            counts["not of MXNet"] += 1
            continue
        empty = has_empty(symbol, arrays)
        counts["runs with an empty array" if empty else "runs"] += 1
        difference = compared(session, arrays, expected, empty)
        if difference:
            wrong.append(f"seed {seed}, {operators} operators, {shapes} at {sizes}: {difference}")
    return wrong


def has_empty(symbol, arrays) -> bool:
    """Whether an array on the way has no elements, which MXNet takes for an unknown shape."""
    specs = infer(symbol, {name: Spec(a.shape, a.dtype) for name, a in arrays.items()}, partial=True)
    return any(0 in (spec.shape or ()) for spec in specs.values())


def compared(session, arrays, expected, empty) -> str:
    """What is different from the kernels' results, or nothing.

    Of what has empty arrays only the shapes are compared: ONNX Runtime refuses to reshape them with -1, and
    leaves what sums over nothing as it was in memory.
    """
    try:
        results = run(session, arrays)
    except (Fail, InvalidArgument, RuntimeException) as exc:
        return "" if empty else str(exc)[:300]
    for y, z in zip(results, expected, strict=True):
        if y.shape != z.shape:
            return f"shape {y.shape}, on kernels {z.shape}"
        if not empty and not np.allclose(y, z, rtol=1e-4, atol=1e-4 * max(1.0, np.abs(z).max(initial=0))):
            return f"differs by {np.abs(y - z).max()}"
    return ""


def sweep(seeds) -> Counter[str]:
    counts: Counter[str] = Counter()
    wrong = [line for seed in seeds for line in tried(seed, 2 + seed % 9, counts)]
    assert not wrong, "\n".join(wrong[:10])
    return counts


def test_random_graphs():
    counts = sweep(range(60))
    assert counts["graphs"] == 60
    assert counts["runs"] > 200, counts
    assert counts["refused"] <= 0.05 * counts["graphs"], counts


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_random_graphs(part):
    counts = sweep(range(1000 + 300 * part, 1300 + 300 * part))
    assert counts["refused"] <= 0.05 * counts["graphs"], counts


@mx.util.use_np
class RowsTimes(mx.gluon.HybridBlock):
    """Products of elements, of which either may have one row."""

    def hybrid_forward(self, F, x, y):
        return F.np.einsum("ij,ij->ij", x, y)


@mx.util.use_np
def test_a_free_size_may_be_1_beside_a_larger_one(rng):
    net = RowsTimes()
    net.hybridize()
    for rows, others in ((2, 2), (1, 2), (5, 1), (5, 5), (1, 4)):
        x, y = (rng.standard_normal((n, 3)).astype("float32") for n in (rows, others))
        np.testing.assert_allclose(net(mx.np.array(x), mx.np.array(y)).asnumpy(), x * y, rtol=1e-6)


def test_a_free_size_beside_a_fixed_one_is_refused_where_it_may_be_1():
    rows = sym.var("x").as_np_ndarray()
    y = sym.np.einsum("ij,ij->ij", rows, sym.var("y").as_np_ndarray())
    with pytest.raises(to_onnx.NeedsShape, match="fixed input shapes are required"):
        exported(y, {"x": ("rows", 3), "y": (2, 3)})
    session = exported(y, {"x": ("rows", 3), "y": (1, 3)})
    x, one = np.ones((4, 3), F32), np.full((1, 3), 2, F32)
    np.testing.assert_array_equal(run(session, {"x": x, "y": one})[0], np.full((4, 3), 2))
