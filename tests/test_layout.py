"""Convolutions of known weights in ONNX Runtime's layout of blocks give the numbers of the kernels."""

import collections
from typing import Any, NamedTuple

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from converters.to_onnx._graph import Local
from converters.to_onnx._model import lower
from hybridonnx.ops import Spec
from hybridonnx.runtime import recipes, session
from hybridonnx.runtime.blocks import block_size
from hybridonnx.runtime.recipes import made
from hybridonnx.runtime.session import value_of

BLOCK = block_size()
DOMAIN = "com.microsoft.nchwc"
needs_blocks = pytest.mark.skipif(not BLOCK, reason="this ONNX Runtime has no convolutions in blocks")
float32 = np.dtype("float32")


INPUTS = "data", "other"


def values(symbol, shape, seed=0, rows=None):
    """Values for a graph's variables, where `data` has a shape, and `other` the same but for its rows."""
    rng = np.random.default_rng(seed)
    inputs = {"data": shape, "other": (rows or shape[0], *shape[1:])}
    names = symbol.list_arguments()
    own = {name: size for name, size in inputs.items() if name in names}
    shapes, _, states = symbol.infer_shape(**own)
    names = [*symbol.list_arguments(), *symbol.list_auxiliary_states()]
    arrays = {}
    for name, size in zip(names, [*shapes, *states], strict=True):
        low, high = (0.5, 2.0) if name.endswith(("_gamma", "_var")) else (-1.0, 1.0)
        count = np.prod(size[1:]) if name.endswith("_weight") else 1
        arrays[name] = (rng.uniform(low, high, size) / np.sqrt(count)).astype(float32)
    return arrays


def exact(symbol, arrays):
    """What the graph gives in float64, without ONNX Runtime's convolutions."""
    inside = symbol.get_internals()
    doubles = {name: mx.nd.array(array, dtype="float64") for name, array in arrays.items()}
    states = {name: doubles.pop(name) for name in inside.list_auxiliary_states()}
    return [y.asnumpy() for y in symbol.bind(mx.cpu(), doubles, aux_states=states).forward()]


def lowered(symbol, arrays, free=()):
    """The graph for prediction in blocks; sizes of inputs on axes that are `free` are not known."""
    inputs = {
        name: Spec(tuple(None if i in free else n for i, n in enumerate(arrays[name].shape)), float32)
        for name in INPUTS
        if name in arrays
    }
    weights = {name: array for name, array in arrays.items() if name not in inputs}
    return lower(symbol, inputs, weights, embed=False, local=Local(block=BLOCK))


def run(model, arrays):
    """What ONNX Runtime gives for it."""
    settings = ort.SessionOptions()
    weights = {name: arrays[name] for name in model.parameters} | made(model.recipes)
    held = [*map(value_of, weights.values())]
    if weights:
        settings.add_external_initializers([*weights], held)
    started = ort.InferenceSession(model.message, settings, providers=["CPUExecutionProvider"])
    return started.run(None, {name: arrays[name] for name in model.inputs})


def compare(symbol, shape, free=(), seed=0, rows=None):
    """Compare, and give the operators of the nodes, those in blocks with an asterisk."""
    arrays = values(symbol, shape, seed, rows)
    model = lowered(symbol, arrays, free)
    for y, wanted in zip(run(model, arrays), exact(symbol, arrays), strict=True):
        scale = np.abs(wanted).max(initial=1e-3)
        np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=2e-5 * scale)
    nodes = model.model.graph.node
    return collections.Counter(f"{node.op_type}{'*' * (node.domain == DOMAIN)}" for node in nodes)


def conv(x, filters, kernel=(3, 3), **attributes):
    attributes = {"pad": tuple(k // 2 for k in kernel)} | attributes
    return mx.sym.Convolution(x, kernel=kernel, num_filter=filters, **attributes)


def norm(x, **attributes):
    return mx.sym.BatchNorm(x, **{"fix_gamma": False, **attributes})


data = mx.sym.var("data")


@needs_blocks
@pytest.mark.parametrize("no_bias", [False, True])
@pytest.mark.parametrize(
    ("channels", "filters", "group", "in_blocks"),
    [
        (1, 16, 1, True),
        (3, 5, 1, True),
        (12, 24, 1, True),
        (16, 1, 1, True),
        (20, 40, 1, True),
        (48, 33, 1, True),
        (30, 16, 1, False),
        (64, 96, 2, True),
        (24, 48, 2, False),
        (32, 32, 32, True),
        (20, 20, 20, True),
        (18, 18, 18, False),
        (16, 32, 16, False),
    ],
)
def test_convolutions(channels, filters, group, in_blocks, no_bias):
    for options in ({}, {"stride": (2, 1), "dilate": (1, 2), "pad": (0, 2)}, {"kernel": (1, 1)}):
        y = conv(data, filters, num_group=group, no_bias=no_bias, **options)
        nodes = compare(y, (2, channels, 9, 11))
        assert nodes["Conv*"] == in_blocks
        assert nodes["ReorderInput*"] == (in_blocks and (group > 1 or channels >= BLOCK))


@needs_blocks
@pytest.mark.parametrize("filters", [16, 20])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: mx.sym.relu(x),
        lambda x: mx.sym.sigmoid(x),
        lambda x: mx.sym.tanh(x),
        lambda x: mx.sym.LeakyReLU(x, act_type="leaky", slope=0.3),
        lambda x: mx.sym.clip(x, -0.5, 0.75),
        lambda x: mx.sym.hard_sigmoid(x, alpha=0.3, beta=0.4),
    ],
    ids=["relu", "sigmoid", "tanh", "leaky", "clip", "hard_sigmoid"],
)
def test_norms_sums_and_activations_are_parts_of_convolutions(filters, function):
    first = function(norm(conv(data, filters)))
    second = function(norm(conv(first, filters)) + first)
    nodes = compare(second, (2, 32, 8, 7))
    assert nodes == {"ReorderInput*": 1, "Conv*": 2, "ReorderOutput*": 1}


@needs_blocks
def test_what_others_read_stays_as_it_is():
    first = conv(data, 16, name="first")
    scaled = norm(first)
    nodes = compare(mx.sym.Group([mx.sym.relu(scaled), first, scaled]), (1, 16, 6, 6))
    assert nodes == {"ReorderInput*": 1, "Conv*": 2, "Relu": 1, "ReorderOutput*": 3}


@needs_blocks
@pytest.mark.parametrize(
    "pool",
    [
        {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1), "pool_type": "max"},
        {"kernel": (3, 2), "stride": (2, 2), "pool_type": "max", "pooling_convention": "full"},
        {"kernel": (2, 3), "stride": (1, 2), "pad": (1, 0), "pool_type": "avg"},
        {"kernel": (2, 2), "pad": (1, 1), "pool_type": "avg", "count_include_pad": False},
        {"global_pool": True, "pool_type": "max"},
        {"global_pool": True, "pool_type": "avg"},
    ],
    ids=str,
)
def test_pooling(pool):
    y = conv(mx.sym.Pooling(conv(data, 20), **pool), 32, kernel=(1, 1))
    nodes = compare(y, (2, 16, 9, 10))
    assert nodes["Conv*"] == 2


@needs_blocks
def test_channels_are_joined_in_blocks_if_these_are_whole():
    for filters, plain in ((32, 0), (20, 2)):
        parts = [mx.sym.relu(conv(data, filters, kernel=(k, k))) for k in (1, 3)]
        nodes = compare(conv(mx.sym.concat(*parts, dim=1), 16), (2, 16, 6, 5))
        assert nodes["Concat"] == 1
        assert nodes["ReorderOutput*"] == 1 + plain


@needs_blocks
def test_sums_of_other_shapes_and_products():
    x = conv(data, 32)
    gate = mx.sym.sigmoid(conv(mx.sym.Pooling(x, global_pool=True, pool_type="avg"), 32, kernel=(1, 1)))
    compare(conv(mx.sym.broadcast_mul(x, gate) + x, 16), (2, 16, 6, 6))
    nodes = compare(x * mx.sym.sigmoid(conv(data, 32)), (2, 16, 6, 6))
    assert nodes == {"ReorderInput*": 1, "Conv*": 2, "Mul": 1, "ReorderOutput*": 1}
    compare(mx.sym.broadcast_add(x, conv(data, 32, kernel=(6, 6), pad=(0, 0))), (2, 16, 6, 6))


@needs_blocks
def test_channels_that_come_last_leave_blocks_so():
    nodes = compare(mx.sym.transpose(conv(data, 20), axes=(0, 2, 3, 1)), (2, 16, 5, 6))
    assert nodes == {"ReorderInput*": 1, "Conv*": 1, "ReorderOutput*": 1}
    compare(mx.sym.transpose(conv(data, 20), axes=(0, 3, 2, 1)), (2, 16, 5, 6))


@needs_blocks
def test_free_sizes():
    first = mx.sym.relu(norm(conv(data, 32)))
    second = mx.sym.relu(norm(conv(first, 32)) + first)
    nodes = compare(second, (3, 16, 6, 6), free=[0])
    assert nodes == {"ReorderInput*": 1, "Conv*": 2, "ReorderOutput*": 1}, "the sum is a part of one"
    assert compare(second, (3, 16, 6, 6), free=[2, 3])["Conv*"] == 0, "one of a sum's sizes could be 1"
    assert compare(first, (3, 16, 6, 6), free=[0, 2, 3])["Conv*"] == 1


@needs_blocks
def test_sums_of_batches_of_different_sizes():
    """Free first sizes of two inputs: those of a sum need not be the same."""
    a, b = (conv(mx.sym.var(name), 32, name=f"conv_{name}") for name in ("data", "other"))
    symbol = mx.sym.relu(mx.sym.broadcast_add(a, b))
    arrays = {"data": (4, 16, 6, 6), "other": (1, 16, 6, 6)}
    shapes, _, _ = symbol.infer_shape(**arrays)
    rng = np.random.default_rng(0)
    arrays = {
        n: rng.standard_normal(s).astype(float32)
        for n, s in zip(symbol.list_arguments(), shapes, strict=True)
    }
    inputs = {name: arrays.pop(name) for name in ("data", "other")}
    block = mx.gluon.SymbolBlock(symbol, [mx.sym.var(name) for name in inputs])
    block.initialize()
    for name, parameter in block.collect_params().items():
        parameter.set_data(mx.nd.array(arrays[name]))
    block.hybridize()
    x, y = map(mx.nd.array, inputs.values())
    for rows in ((4, 4), (4, 1), (1, 4), (2, 2)):
        given = [mx.nd.concat(*[v[:1]] * n, dim=0) for v, n in zip((x, y), rows, strict=True)]
        weights = {n: a.astype("float64") for n, a in arrays.items()}
        values = dict(zip(inputs, [v.astype("float64") for v in given], strict=True))
        wanted = symbol.bind(
            mx.cpu(), {**values, **{n: mx.nd.array(w, dtype="float64") for n, w in weights.items()}}
        )
        np.testing.assert_allclose(
            block(*given).asnumpy(), wanted.forward()[0].asnumpy(), rtol=1e-4, atol=1e-4
        )


@needs_blocks
def test_networks_that_resize_are_left_to_onnxruntime():
    y = mx.sym.contrib.BilinearResize2D(conv(data, 32), height=9, width=8)
    assert compare(y, (1, 16, 5, 6))["Conv*"] == 0


@needs_blocks
@pytest.mark.parametrize("layout", ["NCW", "NCDHW"])
def test_other_ranks(layout):
    rank = len(layout) - 2
    y = conv(data, 32, kernel=(3,) * rank, layout=layout)
    assert compare(y, (2, 16, *[6] * rank))["Conv*"] == 0


@needs_blocks
def test_weights_that_are_computed_are_left_to_onnxruntime():
    weight = mx.sym.var("conv_weight", shape=(32, 16, 3, 3)) * 2
    y = mx.sym.Convolution(data, weight, kernel=(3, 3), num_filter=32, no_bias=True)
    assert compare(y, (1, 16, 5, 6))["Conv*"] == 0


@needs_blocks
def test_weights_out_of_order():
    y = mx.sym.relu(norm(conv(data, 32)))
    arrays = values(y, (2, 16, 6, 6))
    wanted = exact(y, arrays)
    weight = next(name for name in arrays if name.endswith("_weight"))
    arrays[weight] = np.asfortranarray(arrays[weight])
    np.testing.assert_allclose(run(lowered(y, arrays), arrays), wanted, rtol=1e-4, atol=1e-4)


@needs_blocks
def test_norms_that_float32_does_not_hold():
    y = norm(conv(data, 16), name="norm", eps=1e-30)
    arrays = values(y, (1, 16, 4, 4))
    arrays["norm_moving_var"][:] = 0
    arrays["norm_gamma"][:8] = 1e30
    assert not np.isfinite(run(lowered(y, arrays), arrays)[0][:, :8]).any()


@needs_blocks
@pytest.mark.parametrize("copies", [True, False])
def test_weights_in_blocks_stay_for_as_long_as_they_are_needed(copies, monkeypatch):
    """Where ONNX Runtime has its own, what was written goes, and others have the memory."""
    assert recipes.copies_initializers()
    monkeypatch.setattr(session, "copies_initializers", lambda: copies)
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Conv2D(512, 3, in_channels=512), mx.gluon.nn.BatchNorm(in_channels=512))
    net.initialize(mx.init.Xavier())
    x = mx.nd.random.uniform(shape=(1, 512, 5, 5))
    wanted = net(x).asnumpy()
    net.hybridize()
    with monkeypatch.context() as patch:
        patch.setenv("HYBRIDONNX_CACHE", "0")
        first = net(x).asnumpy()
    garbage = [np.full(512 * 512 * 9, np.nan, float32) for _ in range(4)]
    np.testing.assert_array_equal(net(x).asnumpy(), first)
    np.testing.assert_allclose(first, wanted, rtol=1e-4, atol=1e-5)
    assert len(garbage) == 4


KINDS = ["conv"] * 4 + ["norm"] * 3 + ["act"] * 3 + ["sum"] * 3 + ["product", "join", "pool", "gate"]


class Drawn(NamedTuple):
    """A value of a drawn graph."""

    x: Any
    channels: int
    rows: tuple[str, ...] = ("data",)
    """The inputs whose rows it has."""

    def merged(self, function, other):
        return Drawn(function(self.x, other.x), self.channels, tuple(sorted({*self.rows, *other.rows})))


def activated(rng, x):
    name = rng.choice(["relu", "sigmoid", "tanh", "clip", "leaky", "swish"])
    if name == "clip":
        return mx.sym.clip(x, 0, 6)
    if name == "leaky":
        return mx.sym.LeakyReLU(x, act_type="leaky", slope=0.1)
    return x * mx.sym.sigmoid(x) if name == "swish" else getattr(mx.sym, name)(x)


def convolved(rng, x, count):
    """A convolution, with its number of filters."""
    group = int(rng.choice([1, 1, 1, *([count] if count > 1 else []), *([2] if count % 2 == 0 else [])]))
    filters = count if group == count > 1 else 2 * int(rng.choice([2, 4, 8, 12, 16, 24]))
    k = int(rng.choice([1, 3]))
    return conv(x, filters, kernel=(k, k), num_group=group, no_bias=bool(rng.integers(2))), filters


def step(rng, value, other):
    """A value that is computed of one, and maybe of another with as many channels."""
    kind, (x, count, rows) = rng.choice(KINDS), value
    if kind == "sum":
        return value.merged(mx.sym.broadcast_add, other)
    if kind == "product":
        return value.merged(lambda a, b: mx.sym.broadcast_mul(a, mx.sym.tanh(b)), other)
    if kind == "conv":
        x, count = convolved(rng, x, count)
    elif kind == "norm":
        x = norm(x, fix_gamma=bool(rng.integers(2)))
    elif kind == "act":
        x = activated(rng, x)
    elif kind == "join" and rows == other.rows:
        x, count = mx.sym.concat(x, other.x, dim=1), 2 * count
    elif kind == "pool":
        name = str(rng.choice(["max", "avg"]))
        x = mx.sym.Pooling(x, kernel=(3, 3), pad=(1, 1), stride=(1, 1), pool_type=name)
    elif kind == "gate":
        means = mx.sym.Pooling(x, global_pool=True, pool_type="avg")
        x = mx.sym.broadcast_mul(x, mx.sym.sigmoid(conv(means, count, kernel=(1, 1))))
    return Drawn(x, count, rows)


def drawn(seed, most):
    """A graph of up to so many operators, each of what came before, and the shape of its data."""
    rng = np.random.default_rng(seed)
    channels, size = int(rng.choice([1, 3, 8, 16, 20, 32])), int(rng.integers(5, 9))
    values = [Drawn(data, channels)]
    if rng.random() < 0.4:
        values.append(Drawn(mx.sym.var("other"), channels, ("other",)))
        values += [Drawn(conv(value.x, 24), 24, value.rows) for value in values[:]]
    for _ in range(int(rng.integers(2, most))):
        value = values[-1 if rng.random() < 0.7 else int(rng.integers(len(values)))]
        others = [other for other in values if other.channels == value.channels]
        values.append(step(rng, value, others[int(rng.integers(len(others)))]))
    last = [values[-1].x] + [value.x for value in values[1:-1] if rng.random() < 0.1]
    return mx.sym.Group(last), (2, channels, size, size)


def check_drawn(seeds):
    blocked: collections.Counter[str] = collections.Counter()
    for seed in seeds:
        with mx.name.NameManager():
            symbol, shape = drawn(seed, 14)
        try:
            blocked += compare(symbol, shape, [0] if seed % 2 else [], seed, 1 if seed % 3 else None)
        except AssertionError as exc:
            raise AssertionError(f"seed {seed}: {exc}") from exc
    assert blocked["Conv*"] > blocked["Conv"]
    return blocked


@needs_blocks
def test_drawn_graphs():
    blocked = check_drawn(range(200))
    for name in ("ReorderInput*", "ReorderOutput*", "MaxPool*", "AveragePool*", "GlobalAveragePool*"):
        assert blocked[name], f"no {name}"


@needs_blocks
@pytest.mark.slow
def test_many_drawn_graphs():
    check_drawn(range(1000, 9000))
