"""Sessions end with the last reference to what they belong to, and do not wait for the garbage collector.

It counts objects, not bytes: a session of hundreds of MiB that is part of a cycle stays for long.
"""

import gc
import weakref

import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd
from hybridonnx.gluon import nn
from hybridonnx.runtime import shared
from hybridonnx.runtime.compile import CompiledGraph
from hybridonnx.runtime.partition import Partition
from hybridonnx.runtime.session import ModelSession
from hybridonnx.runtime.started import Started

SHAPE = (2, 3, 8, 8)


@pytest.fixture
def made(monkeypatch):
    """References to what is made of sessions, and of what owns them, while nothing is collected."""
    references = []

    def watch(kind, method):
        original = getattr(kind, method)

        def watched(self, *args, **options):
            references.append(weakref.ref(self))
            return original(self, *args, **options)

        monkeypatch.setattr(kind, method, watched)

    watch(Started, "_start_with")
    watch(CompiledGraph, "__init__")
    watch(Partition, "__init__")
    watch(mx.mod.Module, "__init__")
    monkeypatch.setattr(shared, "_MOST", 0)  # else the last ones of training are kept for the next network
    gc.collect()
    gc.disable()
    yield references
    gc.enable()


def left(references):
    return [reference() for reference in references if reference() is not None]


def images():
    return nd.random.uniform(shape=SHAPE)


def network():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, in_channels=3), nn.BatchNorm(in_channels=4), nn.Activation("relu"))
    net.add(nn.Flatten(), nn.Dense(3, in_units=144))
    net.initialize()
    net.hybridize(static_alloc=True)
    return net


def step(net, trainer):
    with autograd.record():
        loss = net(images()).sum()
    loss.backward()
    trainer.step(len(loss))


def predict(tmp_path):
    net = network()
    net(images()).wait_to_read()
    return net


def train(tmp_path):
    net = predict(tmp_path)
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    for _ in range(2):
        step(net, trainer)
    net(images()).wait_to_read()
    return net, trainer


def second_order(tmp_path):
    net = network()
    x = images()
    x.attach_grad()
    with autograd.record():
        y = net(x).sum()
        (slope,) = autograd.grad(y, [x], create_graph=True)
        total = (slope * slope).sum()
    total.backward()
    return net, x


def loss(tmp_path):
    function = gluon.loss.SoftmaxCrossEntropyLoss()
    function.hybridize()
    scores = nd.ones((4, 5))
    scores.attach_grad()
    with autograd.record():
        value = function(scores, nd.zeros((4,)))
    value.backward()
    return function


def recurrent(tmp_path):
    layer = gluon.rnn.LSTM(5, input_size=4)
    layer.initialize()
    layer.hybridize()
    layer(nd.ones((3, 2, 4))).wait_to_read()
    return layer


def native(tmp_path):
    predict(tmp_path).export(str(tmp_path / "net"))
    files = [str(tmp_path / name) for name in ("net-symbol.json", "net-0000.params")]
    block = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    block.hybridize()
    block(images()).wait_to_read()
    return block


def onnx(tmp_path):
    path = mx.onnx.export_model(predict(tmp_path), str(tmp_path / "net.onnx"), input_shapes=[SHAPE])
    block = gluon.SymbolBlock.imports(path, ["data"])
    block.hybridize()
    block(images()).wait_to_read()
    return block


def session(tmp_path):
    path = mx.onnx.export_model(predict(tmp_path), str(tmp_path / "net.onnx"), input_shapes=[SHAPE])
    model = ModelSession(path)
    model({"data": images().asnumpy()})
    return model


def softmax():
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=3), name="softmax")


def executor(tmp_path):
    bound = softmax().simple_bind(mx.cpu(), data=(2, 5))
    for _ in range(3):
        bound.forward(is_train=True)
        bound.backward()
    return bound


def module(tmp_path):
    fitted = mx.mod.Module(softmax())
    fitted.bind([("data", (2, 5))], [("softmax_label", (2,))])
    fitted.init_params()
    fitted.init_optimizer()
    batch = mx.io.DataBatch([nd.ones((2, 5))], [nd.zeros((2,))])
    fitted.forward(batch, is_train=True)
    fitted.backward()
    fitted.update()
    fitted.forward(batch, is_train=False)
    fitted.get_outputs()[0].wait_to_read()
    fitted.reshape([("data", (4, 5))], [("softmax_label", (4,))])
    return fitted


FLOWS = [predict, train, second_order, loss, recurrent, native, onnx, session, executor, module]


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.__name__)
def test_sessions_end_with_their_owner(made, tmp_path, flow):
    owner = flow(tmp_path)
    assert left(made)
    del owner
    assert not left(made)


def test_the_session_of_former_parameters_ends_at_once(made):
    net = network()
    net(images()).wait_to_read()
    (before,) = [reference for reference in made if isinstance(reference(), Started)]
    net[4].bias.set_data(nd.ones((3,)))
    net(images()).wait_to_read()
    assert before() is None


def test_the_session_of_a_prediction_ends_with_the_first_step(made):
    net = network()
    net(images()).wait_to_read()
    (before,) = [reference for reference in made if isinstance(reference(), Started)]
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    step(net, trainer)
    step(net, trainer)
    assert before() is None
