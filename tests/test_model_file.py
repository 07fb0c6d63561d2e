"""Blocks saved whole, and layers as cells, against what real MXNet shows (oracle/gluon.json)."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import FormatError
from hybridonnx.gluon import nn, rnn
from tests.gluon_facts import FACTS, check, names

OTHERWISE = {"other_trees_are_refused"}


@pytest.mark.parametrize("name", [n for n in names("model_file") if n not in OTHERWISE])
def test_as_in_mxnet(name, tmp_path):
    check("model_file", name, tmp_path)


@pytest.mark.parametrize("name", names("unfused"))
def test_cells_are_mxnets(name, tmp_path):
    check("unfused", name, tmp_path)


def network(*units):
    """Dense layers of these units."""
    net = nn.HybridSequential()
    net.add(*[nn.Dense(n, in_units=4) for n in units])
    return net


@pytest.fixture
def saved(tmp_path):
    net = network(4, 4)
    net.initialize()
    net.hybridize()
    net(mx.nd.ones((2, 4)))
    net.save(str(tmp_path / "net"))
    return net, tmp_path


def test_other_trees_are_refused(saved):
    _, folder = saved
    with pytest.raises(FileNotFoundError):
        network(4, 4).load(str(folder / "nothing"))
    with pytest.raises(
        FormatError, match=r"net-model.json: an entry dense3 is required .*\.2, got dense1, dense2"
    ):
        network(4, 4, 4).load(str(folder / "net"))
    with pytest.raises(AssertionError, match="shape"):
        network(4, 3).load(str(folder / "net"))
    other = nn.HybridSequential()
    other.add(nn.Dense(4, in_units=4), nn.Conv2D(4, 3))
    with pytest.raises(FormatError, match="an entry conv2d2 is required"):
        other.load(str(folder / "net"))
    assert FACTS["model_file.other_trees_are_refused"][0]["error"][0] == "FileNotFoundError"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"hybridsequential0": 3}', '{"hybridsequential0": {}}']
)
def test_damaged_trees_are_refused_and_change_nothing(saved, text):
    _, folder = saved
    other = network(4, 4)
    other.initialize()
    before = other[0].weight.data().asnumpy()
    (folder / "net-model.json").write_text(text)
    with pytest.raises(FormatError, match=r"net-model\.json"):
        other.load(str(folder / "net"))
    np.testing.assert_array_equal(other[0].weight.data().asnumpy(), before)


def test_graphs_in_the_file_are_graphs(saved):
    net, folder = saved
    entry = json.loads((folder / "net-model.json").read_text())["hybridsequential0"]
    graph = mx.sym.load_json(entry["symbol"])
    assert mx.sym.load_json(entry["inputs"][0]).name == "data"
    values = {p.name: p.data() for p in net.collect_params().values()}
    x = mx.nd.ones((3, 4))
    np.testing.assert_allclose(graph.eval(data=x, **values)[0].asnumpy(), net(x).asnumpy(), rtol=1e-6)


def test_a_loaded_block_can_be_trained_and_exported(saved):
    net, folder = saved
    other = network(4, 4)
    other.load(str(folder / "net"))
    x = mx.nd.ones((3, 4))
    np.testing.assert_array_equal(other(x).asnumpy(), net(x).asnumpy())
    trainer = mx.gluon.Trainer(other.collect_params(), "sgd", {"learning_rate": 0.1})
    with mx.autograd.record():
        loss = (other(x) ** 2).mean()
    loss.backward()
    trainer.step(1)
    assert (other(x) ** 2).mean().asscalar() < loss.asscalar()
    other.export(str(folder / "exported"))
    assert (folder / "exported-symbol.json").exists()


def test_recurrent_layers_are_saved_whole(tmp_path):
    def layers():
        net = nn.HybridSequential()
        net.add(rnn.LSTM(3, input_size=4), nn.Dense(2, in_units=3, flatten=False))
        return net

    net, x = layers(), mx.nd.ones((5, 2, 4))
    net.initialize()
    net.hybridize()
    y = net(x).asnumpy()
    net.save(str(tmp_path / "net"))
    other = layers()
    other.load(str(tmp_path / "net"))
    np.testing.assert_array_equal(other(x).asnumpy(), y)
