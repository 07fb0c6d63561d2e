"""Optimization algorithms from scratch beside Trainer's: momentum, AdaGrad, RMSProp, AdaDelta, Adam."""

import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn

data = np.random.RandomState(0).normal(size=(150, 5))
features = nd.array(data)
labels = nd.array(data.dot([1.0, -2, 3, 0.5, 0]) + 0.1 * data[:, 0] ** 2)


def sgd_momentum(params, states, hyperparams):
    for p, (v,) in zip(params, states):
        v[:] = hyperparams["momentum"] * v + hyperparams["lr"] * p.grad
        p[:] -= v


def adagrad(params, states, hyperparams):
    for p, (s,) in zip(params, states):
        s[:] += p.grad.square()
        p[:] -= hyperparams["lr"] * p.grad / (s + 1e-6).sqrt()


def rmsprop(params, states, hyperparams):
    gamma = hyperparams["gamma"]
    for p, (s,) in zip(params, states):
        s[:] = gamma * s + (1 - gamma) * p.grad.square()
        p[:] -= hyperparams["lr"] * p.grad / (s + 1e-6).sqrt()


def adadelta(params, states, hyperparams):
    rho = hyperparams["rho"]
    for p, (s, delta) in zip(params, states):
        s[:] = rho * s + (1 - rho) * p.grad.square()
        g = ((delta + 1e-5).sqrt() / (s + 1e-5).sqrt()) * p.grad
        p[:] -= g
        delta[:] = rho * delta + (1 - rho) * g * g


def adam(params, states, hyperparams):
    for p, (v, s) in zip(params, states):
        v[:] = 0.9 * v + 0.1 * p.grad
        s[:] = 0.999 * s + 0.001 * p.grad.square()
        v_bias_corr = v / (1 - 0.9 ** hyperparams["t"])
        s_bias_corr = s / (1 - 0.999 ** hyperparams["t"])
        p[:] -= hyperparams["lr"] * v_bias_corr / (s_bias_corr.sqrt() + 1e-6)
    hyperparams["t"] += 1


def train_scratch(trainer_fn, count, hyperparams):
    w, b = nd.array(draw("w", (5, 1), 0.01)), nd.zeros(1)
    w.attach_grad()
    b.attach_grad()
    states = [tuple(p.zeros_like() for _ in range(count)) for p in (w, b)]
    ls = []
    for i in range(0, 150, 10):
        with autograd.record():
            l = ((nd.dot(features[i : i + 10], w) + b - labels[i : i + 10].reshape((-1, 1))) ** 2 / 2).mean()
        l.backward()
        trainer_fn([w, b], states, hyperparams)
        ls.append(l.asscalar())
    show(trainer_fn.__name__ + " scratch", ls)


def train_gluon(name, hyperparams):
    net = nn.Sequential()
    net.add(nn.Dense(1))
    net.initialize(Seeded(sigma=0.01))
    loss = gloss.L2Loss()
    trainer = gluon.Trainer(net.collect_params(), name, hyperparams)
    ls = []
    for X, y in gluon.data.DataLoader(gluon.data.ArrayDataset(features, labels), 10):
        with autograd.record():
            l = loss(net(X), y)
        l.backward()
        trainer.step(10)
        ls.append(l.mean().asscalar())
    show(name, ls)


train_scratch(sgd_momentum, 1, {"lr": 0.02, "momentum": 0.5})
train_scratch(adagrad, 1, {"lr": 0.1})
train_scratch(rmsprop, 1, {"lr": 0.01, "gamma": 0.9})
train_scratch(adadelta, 2, {"rho": 0.9})
train_scratch(adam, 2, {"lr": 0.01, "t": 1})
for name, hyperparams in [
    ("sgd", {"learning_rate": 0.05, "momentum": 0.5}),
    ("nag", {"learning_rate": 0.05, "momentum": 0.9, "wd": 0.01}),
    ("adagrad", {"learning_rate": 0.1}),
    ("rmsprop", {"learning_rate": 0.01, "gamma1": 0.9}),
    ("rmsprop", {"learning_rate": 0.01, "gamma1": 0.9, "gamma2": 0.8, "centered": True}),
    ("adadelta", {"rho": 0.9}),
    ("adam", {"learning_rate": 0.01, "clip_gradient": 0.5}),
    ("adamax", {"learning_rate": 0.02}),
    ("nadam", {"learning_rate": 0.02}),
    ("ftrl", {"learning_rate": 0.5, "lamda1": 0.01}),
    ("ftml", {"learning_rate": 0.02}),
    ("signum", {"learning_rate": 0.01, "momentum": 0.9, "wd_lh": 0.01}),
    ("dcasgd", {"learning_rate": 0.05}),
    ("lbsgd", {"learning_rate": 0.05, "momentum": 0.5}),
    ("lamb", {"learning_rate": 0.01}),
    ("lars", {"learning_rate": 0.5}),
]:
    train_gluon(name, hyperparams)
