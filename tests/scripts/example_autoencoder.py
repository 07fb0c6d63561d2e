"""Autoencoder, deep embedded clustering on its code, and a restricted Boltzmann machine."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)
kinds = rng.randint(0, 3, 60)
points = nd.array(rng.rand(3, 16)[kinds] + rng.normal(0, 0.05, (60, 16)))


class Autoencoder(gluon.HybridBlock):
    def __init__(self, sizes, **kwargs):
        super(Autoencoder, self).__init__(**kwargs)
        with self.name_scope():
            self.encoder = nn.HybridSequential("encoder_")
            with self.encoder.name_scope():
                for size in sizes[1:]:
                    self.encoder.add(nn.Dense(size, activation="tanh"))
            self.decoder = nn.HybridSequential("decoder_")
            with self.decoder.name_scope():
                for size in sizes[-2::-1]:
                    self.decoder.add(nn.Dense(size, activation="sigmoid" if size == sizes[0] else "tanh"))

    def hybrid_forward(self, F, x):
        z = self.encoder(x)
        return z, self.decoder(z)


net = Autoencoder([16, 10, 2])
net.initialize(Seeded(0.4))
net.hybridize()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
loss = gluon.loss.L2Loss()
curve = []
for epoch in range(12):
    for i in range(0, 60, 30):
        x = points[i : i + 30]
        with autograd.record():
            z, y = net(x)
            l = loss(y, x)
        l.backward()
        trainer.step(30)
    curve.append(l.mean().asscalar())
show("autoencoder", curve)
codes = net(points)[0]
mu = codes[:3].copy()
mu.attach_grad()
trainer = gluon.Trainer(net.encoder.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": 0.9})
curve = []
for step in range(10):
    with autograd.record():
        z = net.encoder(points)
        distance = ((z.expand_dims(1) - mu.expand_dims(0)) ** 2).sum(axis=2)
        q = 1.0 / (1.0 + distance)
        q = q / q.sum(axis=1, keepdims=True)
        weight = q.detach() ** 2 / q.detach().sum(axis=0, keepdims=True)
        p = weight / weight.sum(axis=1, keepdims=True)
        l = (p * (p / q).log()).sum(axis=1).mean()
    l.backward()
    trainer.step(1)
    mu -= 0.5 * mu.grad
    curve.append(l.asscalar())
show("clustering", curve)
show("sizes", nd.one_hot(q.argmax(axis=1), 3).sum(axis=0))

visible = points > 0.5
W = nd.array(draw("W", (16, 8), 0.1))
b, c = nd.zeros(16), nd.zeros(8)
errors = []
for epoch in range(12):
    h0 = nd.sigmoid(nd.dot(visible, W) + c)
    sample = h0 > nd.array(rng.rand(60, 8))
    v1 = nd.sigmoid(nd.dot(sample, W, transpose_b=True) + b)
    h1 = nd.sigmoid(nd.dot(v1, W) + c)
    W += 0.1 * (nd.dot(visible, h0, transpose_a=True) - nd.dot(v1, h1, transpose_a=True)) / 60
    b += 0.1 * (visible - v1).mean(axis=0)
    c += 0.1 * (h0 - h1).mean(axis=0)
    errors.append(nd.square(visible - v1).mean().asscalar())
show("boltzmann", errors)
energy = -nd.dot(visible, b) - nd.log(1 + nd.exp(nd.dot(visible, W) + c)).sum(axis=1)
show("free energy", energy[:5])

rec = mx.sym.Variable("data")
code = mx.sym.Activation(mx.sym.FullyConnected(rec, num_hidden=4, name="in"), act_type="sigmoid")
code = mx.sym.IdentityAttachKLSparseReg(code, sparseness_target=0.2, penalty=0.05, name="sparse")
out = mx.sym.LinearRegressionOutput(mx.sym.FullyConnected(code, num_hidden=16, name="out"), name="rec")
iterator = mx.io.NDArrayIter(points, points, 20, label_name="rec_label")
mod = mx.mod.Module(out, label_names=["rec_label"])
values = []
mod.fit(
    iterator,
    num_epoch=5,
    initializer=Seeded(0.4),
    eval_metric="mse",
    optimizer_params={"learning_rate": 0.1},
    batch_end_callback=lambda p: values.append(p.eval_metric.get()[1]),
)
show("sparse code", values)
