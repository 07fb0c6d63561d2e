"""Optimization with mx.np: steps from scratch beside the trainer's, momentum, schedules, surfaces."""

import math

import numpy as onp
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, lr_scheduler, np, npx
from mxnet.gluon import nn

npx.set_np()
features = np.array(draw("features", (60, 5), 1))
labels = np.dot(features, np.array([0.5, -1.0, 2.0, 0.0, 1.5])) + 0.1 * np.array(draw("noise", (60,), 1))


def init_states(kind, dim):
    count = {"sgd": 0, "momentum": 1, "adagrad": 1, "rmsprop": 1, "adadelta": 2, "adam": 2, "yogi": 2}[kind]
    return [[np.zeros((dim, 1) if k == 0 else (1,)) for _ in range(count)] for k in range(2)]


def sgd(p, states, h):
    p[:] -= h["lr"] * p.grad


def momentum(p, states, h):
    (v,) = states
    v[:] = h["momentum"] * v + p.grad
    p[:] -= h["lr"] * v


def adagrad(p, states, h):
    (s,) = states
    s[:] += np.square(p.grad)
    p[:] -= h["lr"] * p.grad / np.sqrt(s + 1e-6)


def rmsprop(p, states, h):
    (s,) = states
    s[:] = h["gamma"] * s + (1 - h["gamma"]) * np.square(p.grad)
    p[:] -= h["lr"] * p.grad / np.sqrt(s + 1e-6)


def adadelta(p, states, h):
    s, delta = states
    rho, eps = h["rho"], 1e-5
    s[:] = rho * s + (1 - rho) * np.square(p.grad)
    g = (np.sqrt(delta + eps) / np.sqrt(s + eps)) * p.grad
    p[:] -= g
    delta[:] = rho * delta + (1 - rho) * g * g


def adam(p, states, h):
    v, s = states
    v[:] = 0.9 * v + 0.1 * p.grad
    s[:] = 0.999 * s + 0.001 * np.square(p.grad)
    p[:] -= h["lr"] * (v / (1 - 0.9 ** h["t"])) / (np.sqrt(s / (1 - 0.999 ** h["t"])) + 1e-6)


def yogi(p, states, h):
    v, s = states
    v[:] = 0.9 * v + 0.1 * p.grad
    s[:] = s + 0.001 * np.sign(np.square(p.grad) - s) * np.square(p.grad)
    p[:] -= h["lr"] * (v / (1 - 0.9 ** h["t"])) / (np.sqrt(s / (1 - 0.999 ** h["t"])) + 1e-3)


def scratch(step, **hyper):
    w, b = np.array(draw("w", (5, 1), 0.01)), np.zeros(1)
    w.attach_grad()
    b.attach_grad()
    states, curve, h = init_states(step.__name__, 5), [], {"t": 0, **hyper}
    for k in range(12):
        X, y = features[k % 3 * 20 : k % 3 * 20 + 20], labels[k % 3 * 20 : k % 3 * 20 + 20]
        with autograd.record():
            l = ((np.dot(X, w) + b - y.reshape(-1, 1)) ** 2 / 2).mean()
        l.backward()
        h["t"] += 1
        for p, s in zip((w, b), states):
            step(p, s, h)
        curve.append(float(l))
    show(step.__name__, curve)


def concise(name, **hyper):
    net = nn.Dense(1)
    net.initialize(Seeded(0.01))
    trainer = gluon.Trainer(net.collect_params(), name, hyper)
    curve, loss = [], gluon.loss.L2Loss()
    for k in range(12):
        X, y = features[k % 3 * 20 : k % 3 * 20 + 20], labels[k % 3 * 20 : k % 3 * 20 + 20]
        with autograd.record():
            l = loss(net(X), y)
        l.backward()
        trainer.step(20)
        curve.append(float(l.mean()))
    show("trainer's " + name, curve)


scratch(sgd, lr=0.1)
scratch(momentum, lr=0.05, momentum=0.5)
scratch(adagrad, lr=0.1)
scratch(rmsprop, lr=0.01, gamma=0.9)
scratch(adadelta, rho=0.9)
scratch(adam, lr=0.05)
scratch(yogi, lr=0.05)
concise("sgd", learning_rate=0.1)
concise("sgd", learning_rate=0.05, momentum=0.9, wd=0.01)
concise("nag", learning_rate=0.05, momentum=0.9)
concise("adagrad", learning_rate=0.1)
concise("rmsprop", learning_rate=0.01, gamma1=0.9)
concise("adadelta", rho=0.9)
concise("adam", learning_rate=0.05)
concise("ftrl", learning_rate=0.5)


def trace(step, count=10):
    x1, x2, s1, s2, results = -5, -2, 0, 0, []
    for _ in range(count):
        x1, x2, s1, s2 = step(x1, x2, s1, s2)
        results.append((x1, x2))
    return onp.array(results)


show("descent", trace(lambda x1, x2, s1, s2: (x1 - 0.4 * 0.2 * x1, x2 - 0.4 * 4 * x2, 0, 0)))
x = np.arange(-2, 2, 0.5)
x.attach_grad()
with autograd.record():
    y = x * np.cos(np.pi * x)
y.backward()
show("slope", x.grad)
with autograd.record():
    z = np.exp(-(x**2)) + np.maximum(0.2 * x, x) + np.where(x > 0, np.sin(x), x**3)
z.backward()
show("another", x.grad)


class SquareRoot:
    def __init__(self, lr=0.1):
        self.lr = lr

    def __call__(self, num_update):
        return self.lr * pow(num_update + 1.0, -0.5)


class Cosine:
    def __init__(self, max_update, base_lr=0.1, final_lr=0):
        self.max_update, self.base_lr, self.final_lr = max_update, base_lr, final_lr

    def __call__(self, epoch):
        if epoch > self.max_update:
            return self.final_lr
        return (
            self.final_lr
            + (self.base_lr - self.final_lr) * (1 + math.cos(math.pi * epoch / self.max_update)) / 2
        )


for name, scheduler in (
    ("root", SquareRoot()),
    ("cosine", Cosine(6)),
    ("factor", lr_scheduler.FactorScheduler(step=2, factor=0.5, stop_factor_lr=0.01, base_lr=0.1)),
    ("steps", lr_scheduler.MultiFactorScheduler(step=[3, 6], factor=0.5, base_lr=0.1)),
    ("warm", lr_scheduler.CosineScheduler(8, warmup_steps=3, base_lr=0.3, final_lr=0.01)),
    ("poly", lr_scheduler.PolyScheduler(8, base_lr=0.3, pwr=1, warmup_steps=2, warmup_begin_lr=0.1)),
):
    show(name, [scheduler(t) for t in range(1, 10)])
    if isinstance(scheduler, lr_scheduler.LRScheduler):
        concise("sgd", learning_rate=0.1, lr_scheduler=scheduler)
