"""Tracing and compiling are not interrupted by Python's garbage collector, which is as it was afterwards."""

import gc
import threading

import pytest

import hybridonnx as mx
from hybridonnx._collection import no_collection
from hybridonnx.errors import MXNetError


class Layer(mx.gluon.HybridBlock):
    """A layer that takes note of whether garbage is collected while it is traced."""

    def __init__(self, fails=False):
        super().__init__()
        self.fails, self.collected = fails, []

    def hybrid_forward(self, F, x):
        self.collected.append(gc.isenabled())
        return F.reshape(x, shape=(7, 0)) if self.fails else F.relu(x)


@pytest.fixture(autouse=True)
def enabled():
    assert gc.isenabled()
    yield
    gc.enable()


def first_call(layer):
    layer.hybridize()
    return layer(mx.nd.array([[-1.0, 2.0]])).asnumpy()


@pytest.mark.parametrize("train", [False, True])
def test_nothing_is_collected_while_a_block_is_traced(train):
    layer = Layer()
    with mx.autograd.record(train):
        assert first_call(layer).tolist() == [[0.0, 2.0]]
    assert layer.collected == [False]
    assert gc.isenabled()


def test_errors_leave_it_enabled():
    with pytest.raises(MXNetError):
        first_call(Layer(fails=True))
    assert gc.isenabled()


def test_who_has_disabled_it_keeps_it_disabled():
    gc.disable()
    first_call(Layer())
    assert not gc.isenabled()


def test_the_last_of_several_threads_enables_it():
    inside, leave = threading.Event(), threading.Event()

    def work():
        with no_collection:
            inside.set()
            leave.wait(30)

    thread = threading.Thread(target=work)
    with no_collection:
        thread.start()
        assert inside.wait(30)
    assert not gc.isenabled()
    leave.set()
    thread.join(30)
    assert gc.isenabled()
