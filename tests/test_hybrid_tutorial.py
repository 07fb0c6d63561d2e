"""What MXNet's tutorial on hybrid networks promises."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import gluon
from hybridonnx.gluon import nn
from samples.tutorial_network import TutorialNetwork

ORACLE = Path(__file__).resolve().parent / "oracle"


class Net(TutorialNetwork):
    """The tutorial's network, which may print its input."""

    def __init__(self, verbose=False, **kwargs):
        super().__init__(**kwargs)
        self.verbose = verbose

    def hybrid_forward(self, F, x, fc3_weight):
        if self.verbose:
            print(x)
        return super().hybrid_forward(F, x, fc3_weight)


@pytest.fixture
def batch():
    mx.random.seed(42)
    return mx.nd.random.normal(shape=(16, 1, 28, 28))


def network(**kwargs):
    mx.random.seed(42)
    net = Net(**kwargs)
    net.initialize()
    return net


def same(a, b, tolerance=1e-5):
    a, b = a.asnumpy(), b.asnumpy()
    assert a.shape == b.shape
    assert np.abs(a - b).max() <= tolerance * np.abs(b).max()


def test_prints_arrays_until_hybridized_then_a_symbol_once(batch, capsys):
    net = network(verbose=True)
    eager = [net(batch), net(batch)]
    printed = capsys.readouterr().out
    assert printed.count("<NDArray 16x1x28x28 @cpu(0)>") == 2
    assert "Symbol" not in printed
    net.hybridize()
    first = net(batch)
    assert capsys.readouterr().out == "<Symbol data>\n"
    second = net(batch)
    assert capsys.readouterr().out == ""
    for y in (eager[1], first, second):
        same(y, eager[0])


@pytest.mark.parametrize(
    "options", [{}, {"static_alloc": True}, {"static_alloc": True, "static_shape": True}]
)
def test_same_numbers_with_every_option_and_batch_size(batch, options):
    net = network()
    expected = net(batch)
    net.hybridize(**options)
    for size in (16, 3, 16, 1):
        for _ in range(3):
            same(net(batch[:size]), expected[:size])


def test_static_alloc_reuses_memory_only_when_nobody_holds_it(batch):
    net = network()
    net.hybridize(static_alloc=True, static_shape=True)
    output = net(batch)
    before = output.asnumpy()
    for _ in range(3):
        net(batch * 2)
    assert np.array_equal(output.asnumpy(), before)
    del output
    addresses = {net(batch)._data.ctypes.data for _ in range(6)}
    assert len(addresses) <= 2


def test_exported_symbol_is_real_mxnets_byte_for_byte(batch, tmp_path, monkeypatch):
    with mx.name.NameManager():
        net = network()
    net.hybridize()
    net(batch)
    net.export(str(tmp_path / "model"), epoch=1)
    assert (tmp_path / "model-symbol.json").read_bytes() == (
        ORACLE / "json" / "lenet-symbol.json"
    ).read_bytes()


def test_exported_and_imported_again(batch, tmp_path):
    net = network()
    net.hybridize()
    expected = net(batch)
    files = net.export(str(tmp_path / "model"), epoch=1)
    assert [Path(f).name for f in files] == ["model-symbol.json", "model-0001.params"]
    again = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    same(again(batch), expected)
    again.hybridize()
    same(again(batch), expected)


@pytest.mark.oracle
def test_real_mxnet_reads_both_files_and_gives_the_same_numbers(batch, tmp_path, oracle):
    net = network()
    net.hybridize()
    expected = net(batch)
    net.export(str(tmp_path / "model"), epoch=1)
    np.save(tmp_path / "in.npy", batch.asnumpy())
    code = (
        "import mxnet as mx, numpy as np\n"
        "net = mx.gluon.SymbolBlock.imports('model-symbol.json', ['data'], 'model-0001.params')\n"
        "np.save('out.npy', net(mx.nd.array(np.load('in.npy'))).asnumpy())\n"
    )
    subprocess.run([oracle, "-c", code], cwd=tmp_path, check=True)
    same(mx.nd.array(np.load(tmp_path / "out.npy")), expected)


def test_children_must_be_hybrid():
    class Plain(gluon.Block):
        pass

    net = nn.HybridSequential()
    with pytest.raises(ValueError, match=r"Children of HybridBlock must also be HybridBlock.*Plain"):
        net.add(Plain())
    with pytest.raises(ValueError, match="child 'inner'"):
        net.inner = Plain()


def test_a_plain_block_hybridizes_its_children(batch):
    class Outer(gluon.Block):
        def __init__(self):
            super().__init__()
            self.net = network()

        def forward(self, x):
            return self.net(x) * 2

    outer = Outer()
    expected = outer(batch)
    outer.hybridize()
    same(outer(batch), expected)
    assert outer.net._compiled is not None


def test_a_changed_parameter_is_never_served_from_a_stale_session(batch):
    net = network()
    net.hybridize()
    net(batch)
    weight = net.fc3_weight
    row = weight.data()[0]
    changes = [
        lambda: weight.set_data(mx.nd.ones((10, 84))),
        lambda: row.__setitem__(slice(None), 3),
        lambda: weight.data().__imul__(2),
        lambda: weight.data().reshape((-1,)).__setitem__(5, 7),
        lambda: weight.initialize(mx.init.One(), force_reinit=True),
        lambda: mx.nd.broadcast_add(weight.data(), mx.nd.ones((1,)), out=weight.data()),
    ]
    for change in [*changes, *changes]:
        change()
        hybrid = net(batch)
        net.hybridize(False)
        eager = net(batch)
        same(hybrid, eager)
        net.hybridize()
        net(batch)
        for _ in range(10):
            same(net(batch), eager)


def test_safe_from_many_threads(batch):
    net = network()
    expected = net(batch).asnumpy()
    for options in ({}, {"static_alloc": True}, {"static_alloc": True, "static_shape": True}):
        net.hybridize(**options)
        wrong: list[int] = []

        def run(size, net=net, wrong=wrong):
            for _ in range(20):
                got = net(batch[:size]).asnumpy()
                if np.abs(got - expected[:size]).max() > 1e-4:
                    wrong.append(size)

        threads = [threading.Thread(target=run, args=(size,)) for size in (16, 1, 7, 16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


# ---- symbols and arrays differ


class Inspect(gluon.HybridBlock):
    """Calls a function of F and the input."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def hybrid_forward(self, F, x, *args):
        return self.function(F, x, *args)


def hybridized(function):
    net = Inspect(function)
    net.hybridize()
    return net


ELEMENTWISE = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "mod": lambda a, b: a % b,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "lesser": lambda a, b: a < b,
    "lesser_equal": lambda a, b: a <= b,
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_arithmetic_broadcasts_on_arrays_not_on_symbols(name):
    a, b = mx.nd.array([[1.0, 2, 3], [4, 5, 6]]), mx.nd.array([[2.0], [5]])
    function = ELEMENTWISE[name]
    arrays = function(a, b)
    assert arrays.shape == (2, 3)
    named = getattr(mx.nd, f"broadcast_{name}")(a, b)
    assert np.array_equal(arrays.asnumpy(), named.asnumpy())
    with pytest.raises(mx.MXNetError, match=f"broadcast_{name}"):
        hybridized(lambda F, x, y: function(x, y))(a, b)
    again = hybridized(lambda F, x, y: getattr(F, f"broadcast_{name}")(x, y))(a, b)
    assert np.array_equal(again.asnumpy(), named.asnumpy())
    same_shape = hybridized(lambda F, x, y: function(x, y))(a, a)
    assert np.array_equal(same_shape.asnumpy(), function(a, a).asnumpy())


def test_what_symbols_lack():
    x = mx.sym.var("x")
    with pytest.raises(AttributeError, match="'Symbol' object has no attribute 'shape'"):
        x.shape  # noqa: B018
    with pytest.raises(mx.MXNetError, match="asnumpy"):
        x.asnumpy()
    with pytest.raises(AttributeError, match="array"):
        mx.sym.array([1, 2])
    parts = mx.sym.split(x, num_outputs=3, axis=0, name="parts")
    assert parts[0].list_outputs() == ["parts_output0"]


@pytest.mark.parametrize("symbol_method", ["__iadd__", "__isub__", "__imul__", "__itruediv__", "__imod__"])
def test_in_place_operators_are_refused_on_symbols(symbol_method):
    from hybridonnx.base import NotImplementedForSymbol

    with pytest.raises(NotImplementedForSymbol) as raised:
        getattr(mx.sym.var("x"), symbol_method)(1)
    assert isinstance(raised.value, mx.MXNetError)
    assert isinstance(raised.value, NotImplementedError)


def test_creation_and_slicing_work_in_both():
    def function(F, x):
        constant = F.ones((2, 3)) + F.zeros((2, 3)) + F.full((2, 3), 4.0)
        part = F.slice(x, begin=(0, 1), end=(2, 4))
        return constant * part + F.slice_axis(x, axis=1, begin=-3, end=None)

    x = mx.nd.arange(8).reshape((2, 4))
    eager = Inspect(function)(x)
    assert np.array_equal(hybridized(function)(x).asnumpy(), eager.asnumpy())
    assert np.array_equal(eager.asnumpy(), x.asnumpy()[:, 1:] * 5 + x.asnumpy()[:, 1:])
