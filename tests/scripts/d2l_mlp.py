"""A multilayer perceptron from scratch and with Gluon, weight decay and dropout."""

import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn

rng = np.random.RandomState(1)
X = nd.array(rng.normal(size=(64, 20)))
y = nd.array((X.asnumpy() ** 2).sum(axis=1) > 20)
loss = gloss.SoftmaxCrossEntropyLoss()

W1, b1 = nd.array(draw("W1", (20, 16))), nd.zeros(16)
W2, b2 = nd.array(draw("W2", (16, 2))), nd.zeros(2)
params = [W1, b1, W2, b2]
for param in params:
    param.attach_grad()


def relu(X):
    return nd.maximum(X, 0)


def dropout(X, mask, drop_prob):
    assert 0 <= drop_prob <= 1
    keep_prob = 1 - drop_prob
    if keep_prob == 0:
        return X.zeros_like()
    return (mask < keep_prob) * X / keep_prob


curve = []
for step in range(20):
    mask = nd.array(rng.uniform(0, 1, (64, 16)))
    with autograd.record():
        H = dropout(relu(nd.dot(X, W1) + b1), mask, 0.25)
        l = loss(nd.dot(H, W2) + b2, y).mean()
    l.backward()
    for param in params:
        param -= 0.5 * param.grad
    curve.append(l.asscalar())
show("scratch", curve)


def penalty(w):
    return (w**2).sum() / 2


w, b = nd.array(draw("w", (20, 1), 1)), nd.zeros(shape=(1,))
target = nd.array(rng.normal(size=(64, 1)))
for p in (w, b):
    p.attach_grad()
curve = []
for step in range(15):
    with autograd.record():
        l = ((nd.dot(X, w) + b - target) ** 2 / 2).mean() + 0.1 * penalty(w)
    l.backward()
    for p in (w, b):
        p[:] = p - 0.1 * p.grad
    curve.append(l.asscalar())
show("decay from scratch", curve)
show("norm", w.norm().asscalar())

net = nn.Sequential()
net.add(nn.Dense(16, activation="relu"), nn.Dropout(0.0), nn.Dense(2))
net.initialize(Seeded())
trainer_w = gluon.Trainer(net.collect_params(".*weight"), "sgd", {"learning_rate": 0.3, "wd": 0.01})
trainer_b = gluon.Trainer(net.collect_params(".*bias"), "sgd", {"learning_rate": 0.3})
curve = []
for step in range(15):
    with autograd.record():
        l = loss(net(X), y)
    l.backward()
    trainer_w.step(64)
    trainer_b.step(64)
    curve.append(l.mean().asscalar())
show("two trainers", curve)
show("norm of weights", [p.data().norm().asscalar() for p in net.collect_params(".*weight").values()])
