"""SymbolBlocks against what real MXNet shows (oracle/gluon.json); precision, ONNX files, errors."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from hybridonnx.runtime import compile
from tests.gluon_facts import check, names


@pytest.mark.parametrize("name", names("symbol_block"))
def test_as_in_mxnet(name, tmp_path):
    check("symbol_block", name, tmp_path)


@pytest.fixture
def net():
    """A trained-looking net of (N, 1, 4, 4), hybridized."""
    nn = mx.gluon.nn
    block = nn.HybridSequential(prefix="net_")
    with block.name_scope():
        block.add(nn.Conv2D(2, 3), nn.BatchNorm(), nn.Dense(3, activation="relu"), nn.Dense(2))
    block.initialize(mx.init.Normal(1))
    block.hybridize()
    block(mx.nd.ones((1, 1, 4, 4)))
    return block


@pytest.fixture
def data():
    return mx.nd.random.normal(shape=(5, 1, 4, 4))


def near(output, expected, tolerance=1e-5):
    np.testing.assert_allclose(output.asnumpy(), expected.asnumpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 0.03), ("float64", 1e-5)])
def test_other_precisions(net, data, tmp_path, dtype, tolerance, hybrid):
    expected = net(data)
    symbol, params = net.export(str(tmp_path / "m"))
    again = mx.gluon.SymbolBlock.imports(symbol, ["data"], params)
    again.cast(dtype)
    again.hybridize(hybrid)
    output = again(data.astype(dtype))
    assert output.dtype == np.dtype(dtype)
    near(output.astype("float32"), expected, tolerance)
    for p in again.collect_params().values():
        is_single = dtype == "float16" and "batchnorm" in p.name
        assert p.data().dtype == (np.float32 if is_single else np.dtype(dtype))


def test_onnx_files(net, data, tmp_path):
    symbol, params = net.export(str(tmp_path / "m"))
    path = mx.onnx.export_model(symbol, params, [(5, 1, 4, 4)], np.float32, str(tmp_path / "m.onnx"))
    block = mx.gluon.SymbolBlock.imports(path, ["data"])
    expected = net(data)
    near(block(data), expected)
    assert set(block.collect_params()) == set(net.collect_params())
    block.hybridize()
    near(block(data), expected)
    block.export(str(tmp_path / "n"))
    again = mx.gluon.SymbolBlock.imports(
        str(tmp_path / "n-symbol.json"), ["data"], str(tmp_path / "n-0000.params")
    )
    near(again(data), expected)
    block = mx.gluon.SymbolBlock.imports(tmp_path / "m.onnx", "data", ctx=mx.cpu(1))
    near(block(data.as_in_context(mx.cpu(1))), expected)


def test_what_onnx_files_refuse(net, tmp_path):
    symbol, params = net.export(str(tmp_path / "m"))
    path = mx.onnx.export_model(symbol, params, [(5, 1, 4, 4)], np.float32, str(tmp_path / "m.onnx"))
    with pytest.raises(AssertionError, match="the inputs data are required by name, got image"):
        mx.gluon.SymbolBlock.imports(path, ["image"])
    with pytest.raises(ValueError, match="has its parameters inside"):
        mx.gluon.SymbolBlock.imports(path, ["data"], params)


def test_labels_are_explained(tmp_path):
    out = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    mx.sym.SoftmaxOutput(out, name="softmax").save(str(tmp_path / "s.json"))
    mx.nd.save(str(tmp_path / "p"), {"arg:fc_weight": mx.nd.ones((2, 3)), "arg:fc_bias": mx.nd.zeros((2,))})
    with pytest.raises(
        AssertionError, match=r"softmax_label.*only training uses.*\['data', 'softmax_label'\]"
    ):
        mx.gluon.SymbolBlock.imports(str(tmp_path / "s.json"), ["data"], str(tmp_path / "p"))


def test_errors_say_what_to_do(net, data, tmp_path):
    symbol, params = net.export(str(tmp_path / "m"))
    imports = mx.gluon.SymbolBlock.imports
    with pytest.raises(AssertionError, match=r"names of the graph's variables.*'dat'.*Did you mean data"):
        imports(symbol, ["dat"], params)
    with pytest.raises(AssertionError, match=r"data.*is missing"):
        imports(symbol, [], params)
    with pytest.raises(FileNotFoundError, match="nothing"):
        imports(str(tmp_path / "nothing"), ["data"], params)
    block = imports(symbol, ["data"])
    for hybrid in (False, True):
        block.hybridize(hybrid)
        with pytest.raises(MXNetError, match=r"has not been initialized. Call initialize\(\)"):
            block(data)
    block = imports(symbol, ["data"], params)
    with pytest.raises(MXNetError, match="net_dense0_fwd"):
        block(mx.nd.ones((1, 1, 6, 6)))
    with pytest.raises(ValueError, match="an array for each input is required, data, got 2"):
        block(data, data)


def test_one_session_serves_all_batch_sizes(net, data, tmp_path, monkeypatch):
    expected = net(data)
    files = net.export(str(tmp_path / "m"))
    block = mx.gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    calls: list[Any] = []
    make = counted(calls, compile.CompiledGraph._make_program)
    monkeypatch.setattr(compile.CompiledGraph, "_make_program", make)
    block.hybridize()
    for size in (5, 1, 3, 5):
        near(block(data[:size]), expected[:size])
    assert len(calls) == 1


def counted(calls, method):
    def call(self, *args):
        calls.append(args)
        return method(self, *args)

    return call


def test_surgery_shares_parameters_and_trains_them(net, data):
    graph = net(mx.sym.var("data")).get_internals()
    features = mx.gluon.SymbolBlock(
        graph["net_dense0_fwd_output"], mx.sym.var("data"), params=net.collect_params()
    )
    full = mx.gluon.nn.HybridSequential()
    full.add(features, mx.gluon.nn.Dense(1, in_units=3))
    full[1].initialize()
    full.hybridize()
    before = net(data).asnumpy()
    with mx.autograd.record():
        loss = (full(data) ** 2).sum()
    loss.backward()
    weight = net[0].weight
    assert features.collect_params()["net_conv0_weight"] is weight
    gradient = weight.grad().asnumpy()
    weight.data()[:] = weight.data() - weight.grad() * 0.1
    assert np.abs(gradient).max() > 0
    assert not np.allclose(net(data).asnumpy(), before)


def test_deep_copies(net, data, tmp_path):
    files = net.export(str(tmp_path / "m"))
    block = mx.gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    block.hybridize()
    expected = block(data)
    again = copy.deepcopy(block)
    for p in again.collect_params().values():
        p.data()[:] = 0
    assert not again(data).asnumpy().any()
    near(block(data), expected)
    again.export(str(tmp_path / "n"))
    assert (tmp_path / "n-symbol.json").read_text() == (tmp_path / "m-symbol.json").read_text()
