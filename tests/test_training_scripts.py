"""Training scripts with the import changed: real MXNet's losses and parameters, eagerly and hybridized."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import gluon
from hybridonnx.gluon import nn, rnn
from hybridonnx.runtime import plan as plans
from tests.devices import use
from tests.oracle.training_scripts._run import Run, blobs, scripts

FILE = Path(__file__).parent / "oracle" / "trained.npz"
MODULES = "convolution recurrent steps inputs structures architectures".split()
SCRIPTS = [
    (m, name)
    for m in MODULES
    for name in scripts(importlib.import_module(f"tests.oracle.training_scripts.{m}"))
]

TOLERANCE = 1e-5
LOOSER = {
    # Deep networks with batch normalization enlarge rounding, of which MXNet has its share: its first loss in
    # single precision is 1e-5 from that in double precision, and the difference grows from step to step.
    # Changes of the MobileNet's parameters in their last bit change its losses on the kernels by 7e-3.
    "convolution.zoo_mobilenet": 1e-2,
    "convolution.zoo_resnet": 1e-4,
}
EAGER_ONLY = {"convolution.zoo_mobilenet_in_double_precision"}
"""ONNX Runtime has convolutions in single precision only."""
STATISTICS = {
    # Moving statistics change in the forward pass here, in MXNet on the CPU in the backward pass, which does
    # not come to a detached generator or to frozen features. No loss depends on them, predictions do.
    "inputs.gan": {"parameter 4", "parameter 5", "made"},
    "structures.transfer_learning": {"parameter 5", "parameter 6", "prediction"},
}


@pytest.fixture(scope="module")
def expected():
    """What real MXNet leaves, by script and name."""
    numbers: dict[str, dict] = {}
    with np.load(FILE) as file:
        for key in file.files:
            script, name = key.rsplit(".", 1)
            numbers.setdefault(script, {})[name] = file[key]
    return numbers


@pytest.fixture
def kernels(monkeypatch):
    """The names of the operators that plans run on kernels."""
    names = set()
    run = plans._Kernel.__call__

    def counted(self, args, noise):
        names.add(self._node.op_name)
        return run(self, args, noise)

    monkeypatch.setattr(plans._Kernel, "__call__", counted)
    return names


def far(numbers, expected, tolerance):
    """The names of numbers that are not nearly equal: losses each, parameters by the largest."""
    assert numbers.keys() == expected.keys()
    apart = {}
    for key, value in expected.items():
        scale = np.abs(value) if key == "loss" else np.abs(value).max()
        apart[key] = float(np.max(np.abs(np.float32(numbers[key]) - value) / np.maximum(scale, 1e-6)))
    return {key: a for key, a in apart.items() if not a <= (tolerance if key == "loss" else 10 * tolerance)}


def ways(module, name):
    """A script to be run eagerly and hybridized."""
    title = f"{module}.{name}"
    eager = [pytest.param(module, name, False, id=f"{title}-eager")]
    return eager if title in EAGER_ONLY else [*eager, pytest.param(module, name, True, id=f"{title}-hybrid")]


ON_KERNELS = {
    "architectures.recommendations": {"Embedding"},
    "architectures.recommendations_by_momentum": {"Embedding"},
}
"""What may run on kernels: scripts whose gradients are row-sparse, which sessions do not give."""


@pytest.mark.parametrize(("module", "name", "hybrid"), [way for key in SCRIPTS for way in ways(*key)])
def test_as_in_mxnet(module, name, hybrid, expected, kernels, tmp_path):
    run = Run(mx, tmp_path, hybrid)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripts(importlib.import_module(f"tests.oracle.training_scripts.{module}"))[name](mx, run)
    title = f"{module}.{name}"
    others = far(run.numbers, expected[title], LOOSER.get(title, TOLERANCE))
    assert others.keys() == STATISTICS.get(title, set()), others
    assert kernels <= ON_KERNELS.get(title, set())


LOADING = {"steps.adam_with_schedule", "structures.imported_network", "structures.transfer_learning"}
"""Scripts that load parameters without a context: these are the processor's, in MXNet as well."""


@pytest.mark.parametrize(
    ("module", "name", "hybrid"),
    [
        pytest.param(*way.values, id=way.id, marks=[] if i % 4 == 0 else pytest.mark.slow)
        for i, way in enumerate(way for key in SCRIPTS for way in ways(*key) if ".".join(key) not in LOADING)
    ],
)
def test_on_a_device(module, name, hybrid, expected, kernels, tmp_path, monkeypatch):
    use(monkeypatch, 1)
    with mx.gpu(0):
        test_as_in_mxnet(module, name, hybrid, expected, kernels, tmp_path)


# ---- what real MXNet cannot tell


def dropped(hybrid):
    """Fifty steps of networks with dropout, and what they predict in between."""
    run = Run(mx, None, hybrid)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Conv1D(6, 3, in_channels=3, activation="relu"), nn.BatchNorm(in_channels=6))
        net.add(nn.Dropout(0.3, axes=(2,)), nn.HybridLambda(lambda F, x: F.transpose(x, (2, 0, 1))))
        net.add(rnn.GRU(5, 2, dropout=0.4, input_size=6), nn.HybridLambda(lambda F, x: x.mean(axis=0)))
        net.add(nn.Dropout(0.5), nn.Dense(3, in_units=5))
    run.ready(net)
    loss_of = run.fast(gluon.loss.SoftmaxCrossEntropyLoss())
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01, "epsilon": 1e-3})
    x, y = blobs(12, (3, 8), 3)
    mx.random.seed(3)
    for step in range(50):
        size = 12 if step % 5 else 7
        data, label = mx.nd.array(x[:size]), mx.nd.array(y[:size])
        with mx.autograd.record():
            loss = loss_of(net(data), label)
        loss.backward()
        trainer.step(size)
        run.loss(loss)
        if step % 10 == 9:
            run.show("prediction", *net(data).asnumpy().ravel())
    run.parameters(net)
    return run.numbers


def test_dropout_is_the_same_eagerly_and_hybridized(kernels):
    eager, hybrid = dropped(False), dropped(True)
    assert eager["loss"][-1] < 0.9 * eager["loss"][0]
    assert not far(hybrid, {key: np.float32(value) for key, value in eager.items()}, TOLERANCE)
    assert not kernels


def encoded(hybrid):
    """A variational autoencoder: a block of hybridized ones, which draws inside of the graph."""
    flags = {"static_alloc": True, "static_shape": True} if hybrid else {"active": False}

    class Code(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body = nn.Dense(8, in_units=6, activation="tanh")
                self.both = nn.Dense(4, in_units=8)

        def hybrid_forward(self, F, x):
            mean, spread = F.split(self.both(self.body(x)), 2, axis=1)
            z = mean + F.exp(0.5 * spread) * F.random.normal_like(mean)
            return z, 0.5 * F.sum(1 + spread - mean**2 - F.exp(spread), axis=1)

    class Encoder(gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.code, self.back = Code(), nn.Dense(6, in_units=2)

        def forward(self, x):
            z, divergence = self.code(x)
            return self.back(z), divergence

    run = Run(mx, None, False)
    net = run.ready(Encoder(prefix="encoder_"))
    net.hybridize(**flags)
    loss_of = gluon.loss.L2Loss()
    loss_of.hybridize(**flags)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01, "epsilon": 1e-3})
    x = mx.nd.array(blobs(10, (6,), 2)[0])
    mx.random.seed(8)
    for step in range(50):
        part = x if step % 3 else x[:4]
        with mx.autograd.record():
            y, divergence = net(part)
            loss = loss_of(y, part) - 0.1 * divergence
        loss.backward()
        trainer.step(len(part))
        run.loss(loss)
        if step % 10 == 9:
            run.show("prediction", *net(part)[0].asnumpy().ravel())
    run.parameters(net)
    return run.numbers


def test_draws_are_the_same_eagerly_and_hybridized(kernels):
    eager, hybrid = encoded(False), encoded(True)
    assert not far(hybrid, {key: np.float32(value) for key, value in eager.items()}, TOLERANCE)
    assert not kernels


def critic_loss(params, real, fake, between):
    """The loss of a critic with a penalty on its gradient, in NumPy."""
    first, first_bias, second, second_bias = params

    def hidden(x):
        return 1 / (1 + np.exp(-(x @ first.T + first_bias)))

    def score(x):
        return hidden(x) @ second.T + second_bias

    h = hidden(between)
    slope = (h * (1 - h) * second) @ first
    length = np.sqrt((slope**2).sum(1) + 1e-6)
    return score(fake).mean() - score(real).mean() + 10 * ((length - 1) ** 2).mean()


def slopes(function, params, step=1e-5):
    """The gradients of a function by differences."""
    gradients = [np.empty_like(p) for p in params]
    for p, g in zip(params, gradients, strict=True):
        for i in np.ndindex(p.shape):
            p[i] += step
            above = function(params)
            p[i] -= 2 * step
            g[i] = (above - function(params)) / (2 * step)
            p[i] += step
    return gradients


@pytest.mark.parametrize("hybrid", [False, True], ids=["eager", "hybrid"])
def test_a_penalty_on_gradients(hybrid, kernels):
    """Real MXNet drops a part of these gradients, and refuses them when hybridized."""
    run = Run(mx, None, hybrid)
    net = nn.HybridSequential(prefix="critic_")
    with net.name_scope():
        net.add(nn.Dense(8, activation="sigmoid", in_units=4), nn.Dense(1, in_units=8))
    run.ready(net)
    params = [p.data().asnumpy().astype(np.float64) for p in net.collect_params().values()]
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.02})
    real, fake = (blobs(12, (4,), 2, seed=seed)[0] for seed in (0, 5))
    shares = np.random.RandomState(2)
    expected = []
    for _ in range(20):
        share = shares.uniform(size=(12, 1))
        between = mx.nd.array(share * real + (1 - share) * fake)
        between.attach_grad()
        with mx.autograd.record():
            (slope,) = mx.autograd.grad(net(between), between, create_graph=True)
            length = (slope.square().sum(axis=1) + 1e-6).sqrt()
            loss = net(mx.nd.array(fake)).mean() - net(mx.nd.array(real)).mean()
            loss = loss + 10 * (length - 1).square().mean()
        loss.backward()
        trainer.step(1)
        run.loss(loss)
        data = real, fake, between.asnumpy().astype(np.float64)
        expected.append(critic_loss(params, *data))
        for p, g in zip(
            params, slopes(lambda values, data=data: critic_loss(values, *data), params), strict=True
        ):
            p -= 0.02 * g
    np.testing.assert_allclose(run.numbers["loss"], expected, rtol=TOLERANCE)
    assert not kernels
