"""Schedules of learning rates, in the library and by hand, with a Trainer and an optimizer."""

import math

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, lr_scheduler, nd, optimizer
from mxnet.gluon import nn

rng = np.random.RandomState(0)
X, y = nd.array(rng.normal(size=(60, 6))), nd.array(rng.randint(0, 3, 60))
loss = gluon.loss.SoftmaxCrossEntropyLoss()


class SquareRootScheduler:
    def __init__(self, lr=0.1):
        self.base_lr = lr

    def __call__(self, num_update):
        return self.base_lr * pow(num_update + 1.0, -0.5)


class CosineScheduler:
    def __init__(self, max_update, base_lr=0.01, final_lr=0, warmup_steps=0, warmup_begin_lr=0):
        self.base_lr_orig = base_lr
        self.max_update = max_update
        self.final_lr = final_lr
        self.warmup_steps = warmup_steps
        self.warmup_begin_lr = warmup_begin_lr
        self.max_steps = self.max_update - self.warmup_steps

    def get_warmup_lr(self, epoch):
        increase = (self.base_lr_orig - self.warmup_begin_lr) * float(epoch) / float(self.warmup_steps)
        return self.warmup_begin_lr + increase

    def __call__(self, epoch):
        if epoch < self.warmup_steps:
            return self.get_warmup_lr(epoch)
        if epoch <= self.max_update:
            span = (self.base_lr_orig - self.final_lr) / 2
            self.base_lr = self.final_lr + span * (
                1 + math.cos(math.pi * (epoch - self.warmup_steps) / self.max_steps)
            )
        return self.base_lr


def fit(title, trainer_of, per_epoch=None):
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dense(3))
    net.initialize(Seeded(0.5))
    trainer = trainer_of(net)
    curve, rates = [], []
    for epoch in range(6):
        for i in range(0, 60, 20):
            with autograd.record():
                l = loss(net(X[i : i + 20]), y[i : i + 20])
            l.backward()
            trainer.step(20)
            curve.append(l.mean().asscalar())
        rates.append(trainer.learning_rate)
        if per_epoch:
            trainer.set_learning_rate(per_epoch(epoch))
    show(title, curve)
    show(title + " rates", rates)


def scheduled(scheduler):
    return lambda net: gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 0.5, "lr_scheduler": scheduler}
    )


def plain(net):
    return gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3})


fit("constant", plain)
fit("square root", plain, SquareRootScheduler(lr=0.5))
fit("own cosine", plain, CosineScheduler(5, warmup_steps=2, base_lr=0.5, final_lr=0.01))
fit("factor", scheduled(lr_scheduler.FactorScheduler(step=4, factor=0.7, stop_factor_lr=0.1)))
fit("multi", scheduled(lr_scheduler.MultiFactorScheduler(step=[5, 11], factor=0.5, base_lr=0.4)))
fit("poly", scheduled(lr_scheduler.PolyScheduler(max_update=15, base_lr=0.5, pwr=2, final_lr=0.02)))
fit(
    "cosine",
    scheduled(
        lr_scheduler.CosineScheduler(15, base_lr=0.5, final_lr=0.01, warmup_steps=4, warmup_mode="linear")
    ),
)
fit("own in trainer", scheduled(SquareRootScheduler(lr=0.5)))
sgd = optimizer.SGD(
    learning_rate=0.4, momentum=0.5, wd=1e-3, lr_scheduler=lr_scheduler.FactorScheduler(5, 0.5)
)
fit("optimizer", lambda net: gluon.Trainer(net.collect_params(), sgd))
show("updates", sgd.num_update)
dense = nn.Dense(1)
dense.initialize()
try:
    scheduled(lr_scheduler.FactorScheduler(3))(dense).set_learning_rate(1)
except UserWarning as warning:
    print(type(warning).__name__)
