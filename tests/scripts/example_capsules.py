"""Capsules with routing by agreement, margin loss and reconstruction, as hybrid blocks."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)
labels = rng.randint(0, 3, 24)
images = rng.rand(3, 1, 10, 10)[labels] + rng.normal(0, 0.1, (24, 1, 10, 10))
images, labels = nd.array(images), nd.array(labels)


def squash(F, x, axis):
    norm = F.sum(F.square(x), axis=axis, keepdims=True)
    return F.broadcast_mul(F.broadcast_div(norm, 1 + norm), F.broadcast_div(x, F.sqrt(norm + 1e-9)))


class PrimaryCaps(gluon.HybridBlock):
    def __init__(self, dim, channels, **kwargs):
        super(PrimaryCaps, self).__init__(**kwargs)
        self.dim = dim
        with self.name_scope():
            self.conv = nn.Conv2D(dim * channels, 3, strides=2)

    def hybrid_forward(self, F, x):
        x = self.conv(x)
        x = F.transpose(F.reshape(x, shape=(0, -4, -1, self.dim, 0, 0)), axes=(0, 1, 3, 4, 2))
        return squash(F, F.reshape(x, shape=(0, -3, -2)).reshape((0, -3, -1)), 2)


class DigitCaps(gluon.HybridBlock):
    def __init__(self, inputs, outputs, dim_in, dim_out, routing=3, **kwargs):
        super(DigitCaps, self).__init__(**kwargs)
        self.outputs, self.inputs, self.routing = outputs, inputs, routing
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(1, inputs, outputs, dim_out, dim_in))

    def hybrid_forward(self, F, u, weight):
        u = F.expand_dims(F.expand_dims(u, 2), 2)
        u_hat = F.sum(F.broadcast_mul(u, weight), axis=-1)
        fixed = F.stop_gradient(u_hat)
        b = F.zeros_like(F.sum(fixed, axis=-1))
        for i in range(self.routing):
            c = F.softmax(b, axis=2)
            last = i == self.routing - 1
            s = F.sum(F.broadcast_mul(F.expand_dims(c, 3), u_hat if last else fixed), axis=1)
            v = squash(F, s, 2)
            if not last:
                b = b + F.sum(F.broadcast_mul(fixed, F.expand_dims(v, 1)), axis=-1)
        return v


class CapsNet(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(CapsNet, self).__init__(**kwargs)
        with self.name_scope():
            self.conv = nn.Conv2D(6, 3, activation="relu")
            self.primary = PrimaryCaps(4, 3)
            self.digits = DigitCaps(27, 3, 4, 6)
            self.decoder = nn.HybridSequential()
            self.decoder.add(nn.Dense(16, activation="relu"), nn.Dense(100, activation="sigmoid"))

    def hybrid_forward(self, F, x, y):
        v = self.digits(self.primary(self.conv(x)))
        lengths = F.sqrt(F.sum(F.square(v), axis=2) + 1e-9)
        masked = F.broadcast_mul(v, F.expand_dims(y, 2))
        return lengths, self.decoder(F.flatten(masked))


def margin_loss(F, y, lengths):
    present = F.square(F.maximum(0.0, 0.9 - lengths))
    absent = F.square(F.maximum(0.0, lengths - 0.1))
    return F.sum(y * present + 0.5 * (1 - y) * absent, axis=1)


for hybrid in (False, True):
    net = CapsNet(prefix="caps_")
    net.initialize(Seeded(0.25))
    if hybrid:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    curve = []
    for step in range(10):
        i = step % 2 * 12
        X, y = images[i : i + 12], nd.one_hot(labels[i : i + 12], 3)
        with autograd.record():
            lengths, rec = net(X, y)
            l = margin_loss(nd, y, lengths) + 0.05 * nd.sum(nd.square(rec - X.flatten()), axis=1)
        l.backward()
        trainer.step(12)
        curve.append(l.mean().asscalar())
    show("hybrid" if hybrid else "eager", curve)
    show("lengths", lengths[:3])
