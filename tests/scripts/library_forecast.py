"""Forecasting as libraries write it: an LSTM whose states begin inside, distributions, quantiles."""

import math

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import HybridBlock, nn, rnn

rng = np.random.RandomState(0)
time = np.arange(60)
series = np.stack(
    [5 * a + 3 * np.sin(time / 4 + a) * a + rng.normal(0, 0.3, 60) for a in rng.uniform(0.5, 3, 16)]
)


def student_t(F, x, mu, sigma, nu):
    nu_half = nu / 2.0
    z = F.broadcast_div(F.broadcast_minus(x, mu), sigma)
    term = F.gammaln(nu_half + 0.5) - F.gammaln(nu_half) - 0.5 * F.log(math.pi * nu) - F.log(sigma)
    return term - (nu_half + 0.5) * F.log(1 + F.square(z) / nu)


class DeepAR(HybridBlock):
    def __init__(self, cells, layers, context, prediction, cardinality, **kwargs):
        super().__init__(**kwargs)
        self.context, self.prediction, self.cells, self.layers = context, prediction, cells, layers
        with self.name_scope():
            self.embedder = nn.Embedding(cardinality, 2)
            self.rnn = rnn.HybridSequentialRNNCell()
            for i in range(layers):
                cell = rnn.LSTMCell(hidden_size=cells)
                self.rnn.add(rnn.ResidualCell(cell) if i > 0 else cell)
            self.mu = nn.Dense(1, flatten=False)
            self.sigma = nn.Dense(1, flatten=False)
            self.nu = nn.Dense(1, flatten=False)

    def scale(self, F, past, observed):
        total = F.sum(F.abs(past) * observed, axis=1)
        count = F.sum(observed, axis=1)
        mean = total / F.maximum(count, 1.0)
        default = F.sum(total, axis=0) / F.maximum(F.sum(count, axis=0), 1.0)
        return F.where(count > 0, mean, F.broadcast_mul(default, F.ones_like(mean))).expand_dims(axis=1)

    def distribution(self, F, outputs):
        mu = self.mu(outputs).squeeze(axis=-1)
        sigma = F.Activation(self.sigma(outputs).squeeze(axis=-1), act_type="softrelu") + 1e-3
        nu = 2.0 + F.Activation(self.nu(outputs).squeeze(axis=-1), act_type="softrelu")
        return mu, sigma, nu

    def hybrid_forward(self, F, target, observed, cat, age):
        past = F.slice_axis(target, axis=1, begin=0, end=self.context)
        scale = self.scale(F, past, F.slice_axis(observed, axis=1, begin=0, end=self.context))
        scaled = F.broadcast_div(target, scale)
        length = self.context + self.prediction
        lags = [F.slice_axis(scaled, axis=1, begin=3 - lag, end=length - lag) for lag in (1, 2, 3)]
        lags = F.stack(*lags, axis=-1)
        static = F.concat(self.embedder(cat), F.log(scale), dim=1)
        static = F.repeat(F.expand_dims(static, axis=1), axis=1, repeats=length - 3)
        inputs = F.concat(
            lags, static, F.expand_dims(F.slice_axis(age, axis=1, begin=3, end=None), axis=-1), dim=-1
        )
        begin = self.rnn.begin_state(
            func=F.zeros, batch_size=inputs.shape[0] if isinstance(inputs, nd.NDArray) else 0
        )
        outputs, state = self.rnn.unroll(
            length - 3, inputs, begin_state=begin, layout="NTC", merge_outputs=True
        )
        mu, sigma, nu = self.distribution(F, outputs)
        nll = -student_t(F, F.slice_axis(scaled, axis=1, begin=3, end=None), mu, sigma, nu)
        nll = F.broadcast_add(nll, F.log(scale))
        weights = F.slice_axis(observed, axis=1, begin=3, end=None)
        return F.sum(nll * weights, axis=1) / F.maximum(F.sum(weights, axis=1), 1.0), mu


context, prediction = 10, 4
starts = rng.randint(0, 60 - context - prediction, 32)
windows = np.stack([series[i % 16, s : s + 14] for i, s in enumerate(starts)]).astype("float32")
observed = (rng.rand(32, 14) > 0.1).astype("float32")
age = np.log(2.0 + starts[:, None] + np.arange(14)).astype("float32")
kinds = (np.arange(32) % 16).astype("float32")
for hybrid in (False, True):
    net = DeepAR(8, 2, context, prediction, 16, prefix="deepar_")
    net.initialize(Seeded(0.2))
    if hybrid:
        net.hybridize()
    trainer = gluon.Trainer(
        net.collect_params(), "adam", {"learning_rate": 0.01, "wd": 1e-8, "clip_gradient": 10.0}
    )
    curve = []
    for step in range(8):
        i = step % 2 * 16
        batch = [nd.array(a[i : i + 16]) for a in (windows, observed, kinds, age)]
        with autograd.record():
            nll, mu = net(*batch)
            l = nll.mean()
        l.backward()
        trainer.step(1)
        curve.append(l.asscalar())
    show("hybrid" if hybrid else "eager", curve)
show("means", mu[0])


class Distributions(HybridBlock):
    def hybrid_forward(self, F, x, a, b):
        gaussian = -0.5 * F.log(2 * math.pi * F.square(b)) - F.square((x - a) / b) / 2
        gamma = a * F.log(b) - F.gammaln(a) + (a - 1) * F.log(x) - b * x
        beta = (a - 1) * F.log(x) + (b - 1) * F.log(1 - x) - F.gammaln(a) - F.gammaln(b) + F.gammaln(a + b)
        laplace = -F.log(2.0 * b) - F.abs((x - a) / b)
        counts = F.floor(x * 10)
        negative = F.gammaln(counts + 1 / a) - F.gammaln(counts + 1) - F.gammaln(1 / a) - F.log(1 + a * b) / a
        cdf = 0.5 * (1 + F.erf((x - a) / (b * math.sqrt(2))))
        quantile = a + b * math.sqrt(2) * F.erfinv(2 * x - 1)
        return F.stack(gaussian, gamma, beta, laplace, negative, cdf, quantile, axis=0)


x, a, b = (nd.array(np.abs(draw(n, (6,), 0.2)) % 0.5 + 0.2) for n in "xab")
blocks = Distributions()
for hybrid in (False, True):
    if hybrid:
        blocks.hybridize()
    for v in (x, a, b):
        v.attach_grad()
    with autograd.record():
        y = blocks(x, a, b)
    y.backward()
    show("densities", y)
    show("their gradients", nd.concat(x.grad, a.grad, b.grad, dim=0))


class Quantiles(HybridBlock):
    def __init__(self, quantiles, **kwargs):
        super().__init__(**kwargs)
        self.quantiles = quantiles
        with self.name_scope():
            self.mlp = nn.HybridSequential()
            self.mlp.add(nn.Dense(12, activation="relu"), nn.Dense(prediction * len(quantiles)))
            self.proj = nn.HybridLambda(lambda F, x: F.reshape(x, shape=(0, prediction, len(quantiles))))

    def hybrid_forward(self, F, past, future):
        scale = F.mean(F.abs(past), axis=1, keepdims=True)
        out = self.proj(self.mlp(F.broadcast_div(past, scale)))
        out = F.split(
            F.broadcast_mul(out, F.expand_dims(scale, -1)),
            axis=-1,
            num_outputs=len(self.quantiles),
            squeeze_axis=True,
        )
        losses = []
        for q, level in zip(out, self.quantiles):
            under = F.maximum(future - q, 0.0) * level
            losses.append(2 * F.mean(under + F.maximum(q - future, 0.0) * (1 - level), axis=1))
        return F.add_n(*losses) / len(self.quantiles)


net = Quantiles([0.1, 0.5, 0.9])
net.initialize(Seeded(0.3))
net.hybridize()
scheduler = mx.lr_scheduler.PolyScheduler(10, base_lr=0.02)
trainer = gluon.Trainer(net.collect_params(), "adam", {"lr_scheduler": scheduler})
curve = []
for step in range(10):
    i = step % 2 * 16
    with autograd.record():
        l = net(nd.array(windows[i : i + 16, :10]), nd.array(windows[i : i + 16, 10:]))
    l.backward()
    trainer.step(16)
    curve.append(l.mean().asscalar())
show("quantiles", curve)
