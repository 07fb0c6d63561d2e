"""Blocks against what real MXNet shows (oracle/gluon.json)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from tests.gluon_facts import check, names


@pytest.mark.parametrize("name", names("block"))
def test_as_in_mxnet(name, tmp_path):
    check("block", name, tmp_path)


class Net(mx.gluon.Block):
    """Two layers and a parameter."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.a = mx.gluon.nn.Dense(3, in_units=2)
            self.b = mx.gluon.nn.Dense(1, in_units=3)
            self.w = self.params.get("w", shape=(1,))

    def forward(self, x):
        return self.b(self.a(x)) * self.w.data()


@pytest.fixture
def net():
    block = Net(prefix="net_")
    block.initialize()
    return block


def test_saved_and_loaded_values_are_the_same(net, tmp_path):
    x = mx.nd.random.normal(shape=(4, 2))
    net.save_parameters(tmp_path / "f")
    other = Net(prefix="other_")
    other.load_parameters(tmp_path / "f")
    assert np.array_equal(net(x).asnumpy(), other(x).asnumpy())
    third = Net()
    third.load_dict(mx.nd.load(tmp_path / "f"))
    assert np.array_equal(net(x).asnumpy(), third(x).asnumpy())


def test_a_failed_save_leaves_the_old_file(net, tmp_path):
    net.save_parameters(tmp_path / "f")
    before = (tmp_path / "f").read_bytes()
    with pytest.raises(MXNetError):
        Net().save_parameters(tmp_path / "f")
    assert (tmp_path / "f").read_bytes() == before


def test_loading_tells_everything_that_goes_wrong(net, tmp_path):
    net.save_parameters(tmp_path / "f")
    less, more = mx.gluon.nn.Sequential(), Net()
    less.add(mx.gluon.nn.Dense(3, in_units=2))
    with pytest.raises(ValueError, match=r"'w' loaded from file.*f' is not present.*Set ignore_extra=True"):
        less.load_parameters(tmp_path / "f", allow_missing=True)
    more.c = mx.gluon.nn.Dense(1)
    with pytest.raises(
        AssertionError, match=r"'c.weight' is missing in file.*'w', 'a.weight'.*allow_missing=True"
    ):
        more.load_parameters(tmp_path / "f")
    mx.nd.save(tmp_path / "list", [mx.nd.ones((1,))])
    with pytest.raises(MXNetError, match="a file of named arrays is required"):
        net.load_parameters(tmp_path / "list")
    with pytest.raises(FileNotFoundError):
        net.load_parameters(tmp_path / "nothing")
    with pytest.raises(AssertionError, match=r"on \[cpu\(1\)\]: it is initialized on \[cpu\(0\)\] already"):
        net.load_parameters(tmp_path / "f", ctx=mx.cpu(1))


def test_threads_make_blocks_in_scopes_of_their_own():
    def make(k):
        nets = [Net(prefix=f"t{k}_") for _ in range(20)]
        return all(list(n.collect_params()) == names_of(f"t{k}_") for n in nets)

    def names_of(prefix):
        layers = [f"{prefix}dense{i}_{p}" for i in (0, 1) for p in ("weight", "bias")]
        return [f"{prefix}w", *layers]

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(make, range(16)))


def test_moving_to_another_context(net):
    x = mx.nd.ones((1, 2))
    expected = net(x).asnumpy()
    net.reset_ctx(mx.cpu(1))
    assert np.array_equal(net(x.as_in_context(mx.cpu(1))).asnumpy(), expected)
    with pytest.raises(MXNetError, match=r"cpu\(0\)"):
        net(x)


def test_a_hook_may_be_a_scope(net):
    shapes = []
    with net.register_forward_hook(lambda block, x, y: shapes.append(y.shape)):
        net(mx.nd.ones((3, 2)))
    net(mx.nd.ones((3, 2)))
    assert shapes == [(3, 1)]


def test_operator_hooks_reach_children():
    net, calls = mx.gluon.nn.Sequential(), []
    net.add(mx.gluon.nn.Dense(3, in_units=2), mx.gluon.nn.Dense(1, in_units=3))
    net.initialize()
    net[0].hybridize()
    net.register_op_hook(lambda name, op, array: calls.append((op, array.shape)))
    net(mx.nd.ones((2, 2)))
    assert calls == [("FullyConnected", (2, 3))]


def test_warnings_name_the_list(net):
    net.layers = [mx.gluon.nn.Dense(1)]
    with pytest.warns(UserWarning, match=r'"Net.layers" holds blocks.*register_child'):
        net.collect_params()
