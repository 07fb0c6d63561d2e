"""Bounds of values, and max pools that need not carry NaN because of them."""

from __future__ import annotations

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.gluon import nn
from hybridonnx.runtime import magnitude
from hybridonnx.runtime.compile import _Variant
from hybridonnx.symbol.execute import execute

ACTIVATIONS = ("relu", "sigmoid", "tanh", "softrelu", "softsign")
RECTIFIERS = ("leaky", "elu", "selu", "gelu", "prelu")


def random_layer(rng, x, y):
    """One of the operators that there are rules for, on two values of one shape, which is the result's."""
    kind = rng.integers(12)
    channels = 4
    if kind == 0:
        return sym.Convolution(
            x, kernel=(3, 3), pad=(1, 1), num_filter=channels, no_bias=bool(rng.integers(2))
        )
    if kind == 1:
        return sym.BatchNorm(x, fix_gamma=bool(rng.integers(2)), use_global_stats=True)
    if kind == 2:
        return sym.Activation(x, act_type=str(rng.choice(ACTIVATIONS)))
    if kind == 3:
        return sym.LeakyReLU(x, act_type=str(rng.choice(RECTIFIERS)), slope=float(rng.uniform(-3, 3)))
    if kind == 4:
        pool_type = str(rng.choice(["max", "avg"]))
        return sym.Pooling(x, kernel=(3, 3), pad=(1, 1), pool_type=pool_type)
    if kind == 5:
        return sym.add_n(x, y, x)
    if kind == 6:
        halves = sym.Concat(x, y, dim=1)
        return sym.Convolution(halves, kernel=(1, 1), num_filter=channels)
    if kind == 7:
        dense = sym.FullyConnected(x, num_hidden=channels * 25)
        return sym.Reshape(dense, shape=(0, channels, 5, 5))
    if kind == 8:
        return sym.broadcast_maximum(sym.transpose(x, axes=(0, 1, 3, 2)), sym.Dropout(y, p=0.5))
    if kind == 9:
        return sym.broadcast_sub(sym.sigmoid(x), sym.relu(y))
    if kind == 10:
        return sym.elemwise_add(sym.tanh(x), sym.identity(y))
    return sym.elemwise_sub(x, y)


@pytest.mark.parametrize("seed", range(40))
def test_no_value_is_larger_than_its_bound(seed, rng):
    rng = np.random.default_rng(seed)
    x = y = sym.var("data")
    for _ in range(int(rng.integers(1, 9))):
        x, y = random_layer(rng, x, y), x
    shape = (2, 4, 5, 5)
    names = x.list_inputs()
    shapes, _, aux = x.infer_shape(data=shape)
    sizes = dict(zip(x.list_arguments(), shapes, strict=True)) | dict(
        zip(x.list_auxiliary_states(), aux, strict=True)
    )
    values = {name: rng.standard_normal(sizes[name]).astype("float32") for name in names}
    values |= {name: np.abs(values[name]) for name in names if name.endswith("_var")}
    data = values.pop("data")
    data *= np.float32(magnitude._LARGEST_INPUT / np.linalg.norm(data))
    if rng.integers(2):
        data[:] = 0
        data[1, 2, 3, 4] = -magnitude._LARGEST_INPUT
    bounds = magnitude.magnitudes(x.outputs, values, ["data"])
    entries = list(bounds)
    arrays = {name: nd.array(value) for name, value in {**values, "data": data}.items()}
    results = execute(sym.Group([sym.Symbol([entry]) for entry in entries]), arrays)
    for entry, result in zip(entries, results, strict=True):
        assert bounds[entry].bound < np.inf, entry.node.op_name
        assert np.abs(result.asnumpy()).max() <= bounds[entry].bound * (1 + 1e-5), entry.node.op_name


def network():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, 3, in_channels=2, activation="relu"),
        nn.MaxPool2D(3, 2),
        nn.Conv2D(3, 1),
        nn.MaxPool2D(2),
    )
    net.initialize(mx.init.Xavier())
    return net


def variants(net):
    (graph,) = net._compiled.values()
    return [key[0] for key in graph._programs]


@pytest.fixture
def pair():
    """A hybridized network with max pools, a function that compares it with the kernels, and an input."""
    net = network()
    x = nd.random.normal(shape=(2, 2, 12, 12))
    net(x)

    def agree(x):
        net.hybridize(False)
        eager = net(x).asnumpy()
        net.hybridize(True)
        hybrid = net(x).asnumpy()
        np.testing.assert_allclose(hybrid, eager, rtol=1e-4, atol=1e-5)
        return hybrid

    return net, agree, x


def pools(net):
    from hybridonnx.converters import to_onnx

    (graph,) = net._compiled.values()
    arrays, form = [np.zeros((2, 2, 12, 12), "float32")], (("data_0", 2, 12, 12),)
    lowered = [
        graph._lower(to_onnx, arrays, form, variant, graph._values())
        for variant in (_Variant.FROZEN, _Variant.BOUNDED)
    ]
    return [[node.op_type for node in item.model.graph.node].count("AveragePool") for item in lowered]


def test_bounded_inputs_need_no_second_pool(pair):
    net, agree, x = pair
    assert np.isfinite(agree(x)).all()
    assert variants(net) == [_Variant.BOUNDED]
    assert pools(net) == [2, 0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e38, 1e7])
def test_other_inputs_take_the_careful_way(pair, value):
    net, agree, x = pair
    x[1, 1, 5, 5] = value
    with np.errstate(all="ignore"):
        agree(x)
    assert variants(net) == [_Variant.FROZEN]


def test_networks_that_may_overflow_take_the_careful_way():
    net = network()
    net[0].weight.data()[:] = 1e25
    net[0].weight.data()[:, 1] = -1e25
    net.hybridize()
    x = nd.full((2, 2, 12, 12), 1e5)
    net(x)
    assert variants(net) == [_Variant.FROZEN]
    assert not np.isfinite(net(x * 1e15).asnumpy()).any()


def test_bounds_follow_the_parameters(pair):
    net, _, x = pair
    net.hybridize()
    net(x)
    net[0].weight.data()[:] = np.nan
    for _ in range(20):  # frozen again after some calls
        assert np.isnan(net(x).asnumpy()).all()
    (graph,) = net._compiled.values()
    assert _Variant.FROZEN in [key[0] for key in graph._programs]
    assert _Variant.BOUNDED not in [key[0] for key in graph._programs]
    net[0].weight.data()[:] = 0.1
    for _ in range(600):
        assert np.isfinite(net(x).asnumpy()).all()
    assert _Variant.BOUNDED in [key[0] for key in graph._programs]


def test_networks_without_max_pools_are_not_checked():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(3, 3, in_channels=2), nn.AvgPool2D(2), nn.GlobalAvgPool2D())
    net.initialize()
    net.hybridize()
    net(nd.ones((1, 2, 8, 8)))
    assert variants(net) == [_Variant.FROZEN]
