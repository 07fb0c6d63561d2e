"""Objects pickle and copy after they were used: copies compute the same, and go their own way."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd, sym
from hybridonnx.gluon import nn, rnn

COPIES = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "deepcopy": copy.deepcopy}  # noqa: S301  (our own)
X = nd.array(np.random.default_rng(0).normal(size=(2, 3, 8, 8)))


@pytest.fixture(params=COPIES.values(), ids=COPIES)
def copied(request):
    return request.param


def network(hybrid=True):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation("relu"), nn.Dropout(0.3), nn.Dense(5))
    net.initialize(mx.init.Xavier())
    if hybrid:
        net.hybridize(static_alloc=True)
    return net


def train(net, trainer, steps):
    mx.random.seed(4)
    for _ in range(steps):
        with autograd.record():
            loss = (net(X) ** 2).sum()
        loss.backward()
        trainer.step(2)
    return loss.asscalar()


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_training_goes_on_in_a_copy(copied, hybrid, optimizer, monkeypatch):
    if not hybrid:  # what was compiled for either differs in the last bits
        monkeypatch.setenv("MXNET_ENFORCE_DETERMINISM", "1")
    net = network(hybrid)
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.01})
    train(net, trainer, 3)
    for _ in range(6):
        net(X)  # until the parameters are frozen into a session
    other, its_trainer = copied((net, trainer))
    want = net(X).asnumpy()
    assert train(other, its_trainer, 3) == train(net, trainer, 3)
    np.testing.assert_array_equal(other(X).asnumpy(), net(X).asnumpy())  # both went on for three steps
    assert np.abs(net(X).asnumpy() - want).max() > 1e-4
    train(other, its_trainer, 1)
    assert np.abs(other(X).asnumpy() - net(X).asnumpy()).max() > 1e-5  # and one of them for another


def blocks(tmp_path):
    net = network()
    net(X)
    net.export(str(tmp_path / "m"))
    mx.onnx.export_model(net, str(tmp_path / "m.onnx"), input_shapes=[("batch", 3, 8, 8)])
    native = gluon.SymbolBlock.imports(
        str(tmp_path / "m-symbol.json"), ["data"], str(tmp_path / "m-0000.params")
    )
    return [network(False), net, native, gluon.SymbolBlock.imports(str(tmp_path / "m.onnx"), [])]


def test_blocks(copied, tmp_path):
    for net in blocks(tmp_path):
        for hybrid in (False, True):
            net.hybridize(hybrid)
            with autograd.record():
                net(X).sum().backward()
            want = net(X).asnumpy()
            other = copied(net)
            np.testing.assert_allclose(other(X).asnumpy(), want, rtol=1e-5, atol=1e-6)
            assert not {*map(id, net.collect_params().values())} & {*map(id, other.collect_params().values())}
            for p in other.collect_params().values():
                p.set_data(nd.zeros(p.shape))
            np.testing.assert_array_equal(net(X).asnumpy(), want)
            assert not other(X).asnumpy().any()


def test_recurrent_blocks(copied):
    layer = rnn.LSTM(4)
    layer.initialize()
    layer.hybridize()
    x = nd.array(np.random.default_rng(1).normal(size=(3, 2, 4)))
    layer(x)  # which tells the sizes
    np.testing.assert_array_equal(copied(layer)(x).asnumpy(), layer(x).asnumpy())


def test_executors(copied):
    executor = (sym.var("a") ** 2).bind(mx.cpu(), {"a": nd.array([1.0, -3.0])}, {"a": nd.zeros(2)})
    executor.forward(is_train=True)
    executor.backward(nd.ones(2))
    other = copied(executor)
    assert other.grad_dict["a"].asnumpy().tolist() == [2, -6]
    other.forward(is_train=True, a=nd.array([2.0, 4.0]))
    other.backward(nd.ones(2))
    assert other.grad_dict["a"].asnumpy().tolist() == [4, 8]
    assert executor.grad_dict["a"].asnumpy().tolist() == [2, -6]


@pytest.mark.parametrize("workers", [0, 2])
def test_loaders(copied, workers, tmp_path):
    loader = gluon.data.DataLoader(
        gluon.data.ArrayDataset(np.arange(8.0)), 4, num_workers=workers, auto_reload=workers > 0
    )
    list(loader)
    for each in (copied(loader), loader):
        assert [b.asnumpy().tolist() for b in each] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    path = str(tmp_path / "r.rec")
    with mx.recordio.MXIndexedRecordIO(path[:-3] + "idx", path, "w") as file:
        for key in range(3):
            file.write_idx(key, bytes([key]))
    dataset = gluon.data.RecordFileDataset(path)
    assert dataset[1] == copied(dataset)[1] == b"\x01"
