"""MXNET_BACKWARD_DO_MIRROR: what is cheap is computed again for gradients, which stay the same."""

import logging

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd
from hybridonnx.gluon import nn
from hybridonnx.runtime import partition
from hybridonnx.runtime.stages import Stages
from hybridonnx.symbol.infer import infer

SWITCH = "MXNET_BACKWARD_DO_MIRROR"


class Residual(nn.HybridSequential):
    """Its layers' output and its input, added; relu of it."""

    def hybrid_forward(self, F, x):
        return F.relu(super().hybrid_forward(F, x) + x)


def layers():
    return [nn.Conv2D(6, 3, padding=1, in_channels=6, use_bias=False), nn.BatchNorm(in_channels=6)]


def convolutions():
    net = nn.HybridSequential()
    for _ in range(3):
        block = Residual()
        block.add(*layers(), nn.Activation("relu"), *layers())
        net.add(block)
    net.add(nn.MaxPool2D(), nn.Conv2D(4, 3, in_channels=6), nn.LeakyReLU(0.1), nn.Dense(3, in_units=4))
    return net


class Attention(mx.gluon.HybridBlock):
    """Attention with one head, norms of layers and a gelu, as a transformer has them."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.into, self.out = (nn.Dense(n, flatten=False, in_units=12) for n in (36, 12))
            self.wide = nn.Dense(48, flatten=False, in_units=12)
            self.narrow = nn.Dense(12, flatten=False, in_units=48)
            self.first, self.second = nn.LayerNorm(in_channels=12), nn.LayerNorm(in_channels=12)
            self.gelu = nn.GELU()

    def hybrid_forward(self, F, x):
        q, k, v = F.split(self.into(x), 3, axis=-1)
        scores = F.softmax(F.batch_dot(q, k, transpose_b=True) / 12**0.5)
        x = self.first(x + self.out(F.batch_dot(scores, v)))
        return self.second(x + self.narrow(self.gelu(self.wide(x))))


def attention():
    net = nn.HybridSequential()
    net.add(Attention(), Attention())
    return net


NETWORKS = {"convolutions": (convolutions, (4, 6, 6, 6)), "attention": (attention, (3, 5, 12))}


def trained(name, monkeypatch, mirror, hybridize=True, steps=2):
    """Outputs, gradients and parameters of a network after some steps."""
    monkeypatch.setenv(SWITCH, str(mirror))
    make, shape = NETWORKS[name]
    mx.random.seed(5)
    net = make()
    net.initialize(mx.init.Xavier())
    if hybridize:
        net.hybridize()
    x = mx.nd.array(np.random.default_rng(0).standard_normal(shape))
    x.attach_grad()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05})
    for _ in range(steps):
        with autograd.record():
            y = net(x)
            (y * y).sum().backward()
        trainer.step(1)
    params = net.collect_params().values()
    gradients = [p.grad().asnumpy() for p in params if p.grad_req != "null"]
    return [y.asnumpy(), x.grad.asnumpy(), *gradients, *(p.data().asnumpy() for p in params)]


@pytest.fixture
def backwards(monkeypatch):
    """The backward passes that are made."""
    made = []

    class Listed(partition._Backward):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr(partition, "_Backward", Listed)
    return made


def kept(backward):
    """The operators of which something is kept, and the bytes of it all."""
    forward = backward._graph
    specs = infer(forward.outputs, forward.specs, partial=True)
    sizes = [specs[entry].bytes({}) for entry in backward.saved if entry in specs]
    return {entry.node.op_name for entry in backward.saved}, sum(sizes)


def close(actual, expected, tolerance):
    for value, other in zip(actual, expected, strict=True):
        np.testing.assert_allclose(value, other, rtol=tolerance, atol=tolerance * np.abs(other).max())


@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_and_states_stay_the_same(name, monkeypatch):
    eager = trained(name, monkeypatch, 1, hybridize=False)
    plain, mirrored = (trained(name, monkeypatch, mirror) for mirror in (0, 1))
    close(plain, eager, 2e-4)
    close(mirrored, eager, 2e-4)
    close(mirrored, plain, 1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_parts_of_backward_passes_compute_again_what_each_asks_for(name, monkeypatch, backwards):
    plain = trained(name, monkeypatch, 0)
    monkeypatch.setattr(partition, "_LARGE", 1 << 10)
    mirrored = trained(name, monkeypatch, 1)
    assert isinstance(backwards[-1]._session, Stages)
    close(mirrored, plain, 1e-5)


def test_what_convolutions_give_is_kept_and_little_else(monkeypatch, backwards, caplog):
    trained("convolutions", monkeypatch, 0, steps=1)
    operators, before = kept(backwards[-1])
    assert operators >= {"Convolution", "BatchNorm"}
    with caplog.at_level(logging.INFO, "hybridonnx"):
        trained("convolutions", monkeypatch, 1, steps=1)
    operators, after = kept(backwards[-1])
    assert "Convolution" in operators
    assert after < 0.75 * before
    (message,) = (m for m in caplog.messages if m.startswith("backward:"))
    held, total, again = (int(word.replace(",", "")) for word in message.split() if word[0].isdigit())
    assert held < total
    assert again >= 4


def test_pooling_is_not_undone_to_keep_what_is_larger(monkeypatch, backwards):
    trained("convolutions", monkeypatch, 1, steps=1)
    assert "Pooling" in kept(backwards[-1])[0]


def test_draws_are_never_made_again(monkeypatch):
    monkeypatch.setenv(SWITCH, "1")
    net = nn.HybridSequential()
    net.add(nn.Dense(40, in_units=8), nn.Dropout(0.5), nn.Activation("relu"), nn.Dropout(0.3))
    net.initialize(mx.init.One())
    net.hybridize()
    x = mx.nd.ones((6, 8))
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    # all units have one weight of ones, so that a row's gradient counts what its draws have left
    share = 1 / (0.5 * 0.7)
    expected = (y.asnumpy() > 0).sum(axis=1, keepdims=True) * share * np.ones((1, 8))
    np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-5)


def test_one_operator_is_mirrored_where_a_symbol_says_so(monkeypatch, backwards):
    monkeypatch.delenv(SWITCH, raising=False)

    def bound(**attrs):
        with mx.AttrScope(**attrs):
            hidden = mx.sym.tanh(mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=5, name="a") * 2)
        net = mx.sym.FullyConnected(mx.sym.exp(hidden), num_hidden=2, name="b")
        executor = net.simple_bind(mx.cpu(), x=(3, 4))
        rng = np.random.default_rng(1)
        for array in executor.arg_arrays:
            array[:] = rng.standard_normal(array.shape)
        for _ in range(3):  # from the second on in ONNX Runtime
            executor.forward(is_train=True)
            executor.backward(mx.nd.ones((3, 2)))
        return [g.asnumpy() for g in executor.grad_arrays]

    plain = bound()
    operators, before = kept(backwards[-1])
    assert "tanh" in operators
    mirrored = bound(force_mirroring="True")
    operators, after = kept(backwards[-1])
    assert "tanh" not in operators
    assert after <= before
    close(mirrored, plain, 1e-6)


def test_batches_of_any_size_mirror_too(monkeypatch):
    monkeypatch.setenv(SWITCH, "1")
    net = convolutions()
    net.initialize(mx.init.Xavier())
    rng = np.random.default_rng(2)
    batches = [mx.nd.array(rng.standard_normal((n, 6, 6, 6))) for n in (2, 5, 3, 7, 1)]

    def gradients():
        results = []
        for x in batches:
            x.attach_grad()
            with autograd.record(train_mode=False):
                y = net(x)
            y.backward()
            results.append(x.grad.asnumpy())
        return results

    eager = gradients()
    net.hybridize()
    close(gradients(), eager, 1e-4)


STEPS = {
    "relu": lambda F, x, y, layer: F.relu(x),
    "tanh": lambda F, x, y, layer: F.tanh(x),
    "square": lambda F, x, y, layer: F.square(x) * 0.3,
    "clip": lambda F, x, y, layer: F.clip(x, -0.7, 0.9),
    "elu": lambda F, x, y, layer: F.LeakyReLU(x, act_type="elu", slope=0.4),
    "add": lambda F, x, y, layer: x + y,
    "multiply": lambda F, x, y, layer: x * F.sigmoid(y),
    "broadcast": lambda F, x, y, layer: F.broadcast_mul(x, F.mean(y, axis=(2, 3), keepdims=True)),
    "divide": lambda F, x, y, layer: x / (F.abs(y) + 1.5),
    "softmax": lambda F, x, y, layer: F.softmax(x, axis=1) * 2 + x,
    "transpose": lambda F, x, y, layer: F.transpose(
        F.exp(F.transpose(-F.abs(x), (0, 2, 3, 1))), (0, 3, 1, 2)
    ),
    "halves": lambda F, x, y, layer: F.concat(*[F.relu(p) for p in F.split(x, 2, axis=1)], dim=1),
    "pool": lambda F, x, y, layer: F.Pooling(x, kernel=(3, 3), pad=(1, 1), pool_type="max") + y,
    "smaller": lambda F, x, y, layer: F.UpSampling(
        F.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="avg"), scale=2, sample_type="nearest"
    ),
    "dropout": lambda F, x, y, layer: F.Dropout(x, p=0.4),
    "convolution": lambda F, x, y, layer: layer(x),
    "norm": lambda F, x, y, layer: layer(x),
    "instance": lambda F, x, y, layer: layer(x),
    "dense": lambda F, x, y, layer: layer(x) * 0.5,
}
LAYERS = {
    "convolution": lambda: nn.Conv2D(4, 3, padding=1, in_channels=4),
    "norm": lambda: nn.BatchNorm(in_channels=4),
    "instance": lambda: nn.InstanceNorm(in_channels=4),
    "dense": lambda: nn.Dense(6, flatten=False, in_units=6),
}


class Random(mx.gluon.HybridBlock):
    """Steps that follow from a seed, each on two of the last values."""

    def __init__(self, seed):
        super().__init__()
        rng = np.random.default_rng(seed)
        self._steps = [str(step) for step in rng.choice(sorted(STEPS), size=rng.integers(4, 14))]
        self._places = rng.integers(1, 4, size=(len(self._steps), 2))
        with self.name_scope():
            for i, step in enumerate(self._steps):
                if step in LAYERS:
                    setattr(self, f"layer{i}", LAYERS[step]())

    def hybrid_forward(self, F, x):
        values = [x]
        for i, (step, places) in enumerate(zip(self._steps, self._places, strict=True)):
            one, other = (values[-min(place, len(values))] for place in places)
            values.append(STEPS[step](F, one, other, getattr(self, f"layer{i}", None)))
        return F.add_n(*values[1:])


def gradients_of(seed):
    mx.random.seed(seed)
    net = Random(seed)
    net.initialize(mx.init.Normal(0.5))
    net.hybridize()
    x = mx.nd.array(np.random.default_rng(seed + 1).standard_normal((3, 4, 6, 6)))
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    params = net.collect_params().values()
    return [y.asnumpy(), x.grad.asnumpy(), *(p.grad().asnumpy() for p in params if p.grad_req != "null")]


@pytest.mark.parametrize(
    "seed", [*range(20), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(20, 400))]
)
def test_random_networks(seed, monkeypatch):
    monkeypatch.setenv(SWITCH, "0")
    plain = gradients_of(seed)
    monkeypatch.setenv(SWITCH, "1")
    close(gradients_of(seed), plain, 1e-4)
    monkeypatch.setattr(partition, "_LARGE", 1 << 9)
    close(gradients_of(seed), plain, 1e-4)
