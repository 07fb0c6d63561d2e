"""Layers against what real MXNet shows, writes and computes (oracle/gluon_nn.json, .npz)."""

from __future__ import annotations

import inspect
import json
import re
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.gluon import nn
from hybridonnx.gluon.block import Block
from hybridonnx.gluon.contrib import nn as cnn
from hybridonnx.gluon.hybrid_block import HybridBlock
from hybridonnx.name import NameManager

FOLDER = Path(__file__).parent / "oracle"
FACTS = json.loads((FOLDER / "gluon_nn.json").read_text())
ARRAYS = np.load(FOLDER / "gluon_nn.npz")
BLOCKS = FACTS["layers"] | FACTS["models"]
HYBRID = [key for key, fact in BLOCKS.items() if "symbol" in fact]
RUN = [key for key in BLOCKS if f"{key}.out" in ARRAYS]
TRAINED = [key for key in BLOCKS if f"{key}.train.out" in ARRAYS]
NEAR: Any = {"rtol": 1e-4, "atol": 2e-5}


def values(name, shape):
    """The numbers that the oracle used for this name and shape."""
    draw = np.random.RandomState(zlib.crc32(f"{name} {tuple(shape)}".encode()))
    low, high = (0.5, 1.5) if name.endswith("var") else (-1.0, 1.0)
    return draw.uniform(low, high, shape).astype(np.float32)


def data_of(key):
    shape = BLOCKS[key]["shape"]
    if shape == "indices":
        return mx.nd.array([[1, 0, 9], [3, 3, 1]])
    return mx.nd.array(values("data", shape))


def half(block, *children):
    """The block, cast to float16."""
    if children:
        block.add(*children)
    block.cast("float16")
    return block


def evaluated(text):
    """What an expression of a layer gives, with names numbered anew."""
    with NameManager():
        return eval(text, {"nn": nn, "cnn": cnn, "mx": mx, "np": np, "half": half})


def block_of(key):
    """The block of a fact."""
    if "layer" in BLOCKS[key]:
        return evaluated(BLOCKS[key]["layer"])
    scope = {"nn": nn, "cnn": cnn, "mx": mx}
    with NameManager():
        exec(BLOCKS[key]["source"], scope)
    return scope["net"]


def filled(key):
    """The block with the oracle's parameters."""
    net = block_of(key)
    net.initialize()
    net(data_of(key))
    for name, param in net.collect_params().items():
        param.set_data(mx.nd.array(values(name, param.shape)))
    return net


def described(param):
    init = param.init if isinstance(param.init, str) or param.init is None else param.init.dumps()
    return [list(param.shape), np.dtype(param.dtype).name, param.grad_req, init]


@pytest.mark.parametrize("key", BLOCKS)
def test_looks_like_mxnets(key):
    fact, net = BLOCKS[key], block_of(key)
    assert repr(net) == fact["repr"]
    assert net.name == fact["name"]
    assert {name: described(p) for name, p in net.collect_params().items()} == fact["params"]


@pytest.mark.parametrize("key", BLOCKS)
def test_data_completes_shapes(key):
    fact, net = BLOCKS[key], block_of(key)
    net.initialize()
    net(data_of(key))
    assert repr(net) == fact["initialized"]
    assert {name: list(p.shape) for name, p in net.collect_params().items()} == fact["known"]


@pytest.mark.parametrize("key", HYBRID)
def test_traces_to_the_file_that_mxnet_writes(key):
    net = block_of(key)
    net.initialize()
    net(data_of(key))
    assert net(mx.sym.var("data")).tojson() == BLOCKS[key]["symbol"]


@pytest.mark.parametrize("key", RUN)
@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_predicts_what_mxnet_predicts(key, hybrid):
    net = filled(key)
    if hybrid:
        quietly_hybridized(net)
    np.testing.assert_allclose(net(data_of(key)).asnumpy(), ARRAYS[f"{key}.out"], **NEAR)


def quietly_hybridized(net):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="All children")
        net.hybridize()


@pytest.mark.parametrize("key", TRAINED)
@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_trains_as_mxnet_trains(key, hybrid):
    net, x = filled(key), data_of(key)
    if hybrid:
        quietly_hybridized(net)
    indices = BLOCKS[key]["shape"] == "indices"  # which have no gradient
    if not indices:
        x.attach_grad()
    with mx.autograd.record():
        y = net(x)
    head = values("head", y.shape)
    y.backward(mx.nd.array(head))
    arrays = {"out": y} if indices else {"out": y, "grad.data": x.grad}
    for name, param in net.collect_params().items():
        if param.grad_req == "null":
            arrays[f"value.{name}"] = param.data()
        else:
            arrays[f"grad.{name}"] = param.grad()
    for name, array in arrays.items():
        if not differs(key, name):
            expected = ARRAYS[f"{key}.train.{name}"]
            np.testing.assert_allclose(array.asnumpy(), expected, rtol=1e-3, atol=1e-4, err_msg=name)


def differs(key, name):
    """Whether MXNet's value is none to compare with."""
    if "SELU" in key and name == "grad.data":
        return True  # MXNet's gradient takes the scale twice; see the formula below
    return name.startswith("value.") and name.endswith("gamma")  # MXNet writes 1 into a gamma that is fixed


def test_selu_has_the_gradient_of_its_formula():
    net, x = nn.SELU(), mx.nd.array([-2.0, -0.5, 0.5, 3.0])
    x.attach_grad()
    with mx.autograd.record():
        y = net(x)
    y.backward()
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    slopes = np.where(x.asnumpy() > 0, scale, scale * alpha * np.exp(x.asnumpy()))
    np.testing.assert_allclose(x.grad.asnumpy(), slopes, rtol=1e-6)


@pytest.mark.parametrize("key", HYBRID)
def test_exported_files_compute_the_same(key, tmp_path):
    net, x = filled(key), data_of(key)
    expected = net(x).asnumpy()
    net.hybridize()
    net(x)
    net.export(str(tmp_path / "net"))
    again = nn.SymbolBlock.imports(
        str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
    )
    np.testing.assert_allclose(again(x).asnumpy(), expected, **NEAR)


@pytest.mark.parametrize("text", FACTS["reprs"])
def test_text_is_mxnets(text):
    shown = repr(evaluated(text))
    # The dtype of a parameter is always a class here; MXNet keeps what it was given.
    assert shown == FACTS["reprs"][text]


def error_of(text):
    """The error that an expression raises."""
    try:
        evaluated(text)
    except Exception as exc:  # noqa: BLE001  (of any type)
        return exc
    return None


@pytest.mark.parametrize("text", FACTS["mistakes"])
def test_mistakes_raise_mxnets_errors(text):
    error = error_of(text)
    assert FACTS["mistakes"][text] in [c.__name__ for c in type(error).__mro__]
    assert str(error)


@pytest.mark.parametrize("name", FACTS["signatures"])
def test_constructors_take_what_mxnets_take(name):
    layer = getattr(nn, name, None) or getattr(cnn, name)
    parameters = inspect.signature(layer).parameters.values()
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    text = re.sub(r"<[\w.]*?(\w+) object at \w+>", r"\1", str(inspect.Signature(plain)))
    assert text == FACTS["signatures"][name]


def test_all_names_can_be_imported():
    names: dict[str, Any] = {}
    exec("from hybridonnx.gluon.nn import *\nfrom hybridonnx.gluon.contrib.nn import *", names)
    assert {"Dense", "HybridBlock", "SymbolBlock", "Conv3DTranspose", "Swish", "HybridConcurrent"} <= set(
        names
    )
    assert names["Block"] is Block
    assert set(FACTS["signatures"]) <= set(names)
    assert not hasattr(nn, "Foo")
    assert not hasattr(cnn, "Foo")


# ---- containers


def layers(kind):
    net = kind(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(2), nn.Activation("relu"), nn.Dense(3))
    return net


@pytest.mark.parametrize("kind", [nn.Sequential, nn.HybridSequential])
def test_containers_are_sequences(kind):
    net = layers(kind)
    assert len(net) == 3
    assert list(net) == [net[0], net[1], net[2]]
    assert net[-1] is net[2]
    part = net[1:]
    assert type(part) is kind
    assert list(part) == [net[1], net[2]]
    assert part.prefix == net.prefix
    assert len(net[5:]) == 0
    with pytest.raises(IndexError):
        net[3]
    with pytest.raises(TypeError):
        net["0"]


def test_sequential_of_hybrid_blocks_advises_the_hybrid_one():
    with pytest.warns(UserWarning, match="Consider using HybridSequential"):
        layers(nn.Sequential).hybridize()


def test_sequential_with_eager_blocks_hybridizes_quietly():
    net = layers(nn.Sequential)
    net.add(nn.Lambda("relu"))
    net.initialize()
    before = net(mx.nd.ones((2, 4))).asnumpy()
    net.hybridize()
    np.testing.assert_allclose(net(mx.nd.ones((2, 4))).asnumpy(), before, rtol=1e-5)
    nn.Sequential().hybridize()


def test_parts_share_parameters():
    net = layers(nn.HybridSequential)
    net.initialize()
    x = mx.nd.ones((2, 4))
    np.testing.assert_array_equal(net[1:](net[0](x)).asnumpy(), net(x).asnumpy())


# ---- what the facts above do not show


def test_dropout_zeros_and_scales_in_training_alone():
    mx.random.seed(1)
    net, x = nn.Dropout(0.25), mx.nd.ones((100, 100))
    np.testing.assert_array_equal(net(x).asnumpy(), x.asnumpy())
    with mx.autograd.train_mode():
        y = net(x).asnumpy()
    assert set(np.unique(y)) == {0, np.float32(1 / 0.75)}
    assert (y == 0).mean() == pytest.approx(0.25, abs=0.03)


def test_dropout_draws_once_along_axes():
    net = nn.Dropout(0.5, axes=(1,))
    with mx.autograd.train_mode():
        y = net(mx.nd.ones((50, 7))).asnumpy()
    assert (y == y[:, :1]).all()
    assert 0 < y[:, 0].mean() < 2


@pytest.mark.parametrize("hybrid", [False, True])
def test_dropout_gradient_is_its_mask(hybrid):
    net, x = nn.Dropout(0.5), mx.nd.ones((20, 20))
    if hybrid:
        net.hybridize()
    x.attach_grad()
    with mx.autograd.record():
        y = net(x)
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), y.asnumpy())


def test_batchnorm_keeps_float32_for_float16_data():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(3, 3), nn.BatchNorm())
    net.initialize()
    net.cast("float16")
    y = net(mx.nd.ones((2, 2, 5, 5), dtype="float16"))
    assert y.dtype == np.float16
    assert {np.dtype(p.dtype).name for p in net[1].collect_params().values()} == {"float32"}
    net[1].cast("float64")
    assert {np.dtype(p.dtype).name for p in net[1].collect_params().values()} == {"float64"}


def test_dense_computes_in_its_dtype():
    net = nn.Dense(3, dtype="float64", in_units=2)
    net.initialize()
    assert net(mx.nd.ones((1, 2), dtype="float64")).dtype == np.float64


def test_sparse_embedding_looks_rows_up():
    net = cnn.SparseEmbedding(5, 3)
    net.initialize()
    rows = net(mx.nd.array([4, 0])).asnumpy()
    np.testing.assert_array_equal(rows, net.weight.row_sparse_data(mx.nd.arange(5)).asnumpy()[[4, 0]])


def test_lambdas_take_several_inputs():
    a, b = mx.nd.array([1.0, 2.0]), mx.nd.array([3.0, 5.0])
    assert nn.Lambda("broadcast_add")(a, b).asnumpy().tolist() == [4, 7]
    assert nn.HybridLambda("broadcast_mul")(a, b).asnumpy().tolist() == [3, 10]
    both = nn.HybridLambda(lambda F, x, y: F.concat(x, y, dim=0))
    both.hybridize()
    assert both(a, b).asnumpy().tolist() == [1, 2, 3, 5]


def test_pixel_shuffle_moves_channels_into_space():
    x = np.arange(2 * 12 * 2 * 3 * 2, dtype=np.float32).reshape(2, 12, 2, 3, 2)
    flat = cnn.PixelShuffle2D((2, 3))(mx.nd.array(x[..., 0])).asnumpy()
    expected = x[..., 0].reshape(2, 2, 2, 3, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(2, 2, 4, 9)
    np.testing.assert_array_equal(flat, expected)
    deep = cnn.PixelShuffle3D((2, 1, 3))(mx.nd.array(x)).asnumpy()
    expected = x.reshape(2, 2, 2, 1, 3, 2, 3, 2).transpose(0, 1, 5, 2, 6, 3, 7, 4).reshape(2, 2, 4, 3, 6)
    np.testing.assert_array_equal(deep, expected)
    with pytest.raises(AssertionError, match="2 factors are required"):
        cnn.PixelShuffle2D((1, 2, 3))


def test_layers_may_be_subclassed():
    class Doubled(nn.Dense):
        def hybrid_forward(self, F, x, weight, bias=None):
            return super().hybrid_forward(F, x, weight * 2, bias)

    net = Doubled(2, in_units=2, use_bias=False, weight_initializer="ones")
    net.initialize()
    assert net(mx.nd.ones((1, 2))).asnumpy().tolist() == [[4, 4]]
    net.hybridize()
    assert net(mx.nd.ones((1, 2))).asnumpy().tolist() == [[4, 4]]
    assert isinstance(net, HybridBlock)
