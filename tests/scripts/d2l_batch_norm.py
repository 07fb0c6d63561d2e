"""Batch normalization from scratch and with Gluon, predictions between the steps."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


def batch_norm(X, gamma, beta, moving_mean, moving_var, eps, momentum):
    if not autograd.is_training():
        X_hat = (X - moving_mean) / nd.sqrt(moving_var + eps)
    else:
        assert len(X.shape) in (2, 4)
        if len(X.shape) == 2:
            mean = X.mean(axis=0)
            var = ((X - mean) ** 2).mean(axis=0)
        else:
            mean = X.mean(axis=(0, 2, 3), keepdims=True)
            var = ((X - mean) ** 2).mean(axis=(0, 2, 3), keepdims=True)
        X_hat = (X - mean) / nd.sqrt(var + eps)
        moving_mean = momentum * moving_mean + (1.0 - momentum) * mean
        moving_var = momentum * moving_var + (1.0 - momentum) * var
    Y = gamma * X_hat + beta
    return Y, moving_mean, moving_var


class BatchNorm(nn.Block):
    def __init__(self, num_features, num_dims, **kwargs):
        super(BatchNorm, self).__init__(**kwargs)
        shape = (1, num_features) if num_dims == 2 else (1, num_features, 1, 1)
        self.gamma = self.params.get("gamma", shape=shape)
        self.beta = self.params.get("beta", shape=shape)
        self.moving_mean = nd.zeros(shape)
        self.moving_var = nd.zeros(shape)

    def forward(self, X):
        if self.moving_mean.context != X.context:
            self.moving_mean = self.moving_mean.copyto(X.context)
            self.moving_var = self.moving_var.copyto(X.context)
        Y, self.moving_mean, self.moving_var = batch_norm(
            X, self.gamma.data(), self.beta.data(), self.moving_mean, self.moving_var, eps=1e-5, momentum=0.9
        )
        return Y


def scratch():
    net = nn.Sequential()
    net.add(
        nn.Conv2D(4, kernel_size=3),
        BatchNorm(4, num_dims=4),
        nn.Activation("sigmoid"),
        nn.MaxPool2D(pool_size=2, strides=2),
        nn.Dense(12),
        BatchNorm(12, num_dims=2),
        nn.Activation("sigmoid"),
        nn.Dense(4),
    )
    return net


def concise():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, kernel_size=3),
        nn.BatchNorm(),
        nn.Activation("sigmoid"),
        nn.MaxPool2D(pool_size=2, strides=2),
        nn.Dense(12),
        nn.BatchNorm(momentum=0.8, epsilon=1e-3),
        nn.Activation("sigmoid"),
        nn.Dense(4),
    )
    return net


rng = np.random.RandomState(0)
labels = rng.randint(0, 4, 48)
images = rng.normal(size=(4, 1, 12, 12))[labels] + rng.normal(0, 0.5, (48, 1, 12, 12))
train = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.array(images), nd.array(labels)), batch_size=16)
loss = gluon.loss.SoftmaxCrossEntropyLoss()


def fit(title, net):
    net.initialize(Seeded(0.3))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    curve, accuracy = [], []
    for epoch in range(4):
        for X, y in train:
            with autograd.record():
                l = loss(net(X), y)
            l.backward()
            trainer.step(16)
            curve.append(l.mean().asscalar())
        accuracy.append((net(nd.array(images)).argmax(axis=1) == nd.array(labels)).mean().asscalar())
    show(title, curve)
    show(title + " accuracy", accuracy)
    show(title + " outputs", net(nd.array(images[:2])))


net = scratch()
fit("scratch", net)
show("gamma", net[1].gamma.data().reshape((-1,)))
show("beta", net[1].beta.data().reshape((-1,)))
net = concise()
fit("concise", net)
show("running mean", net[1].running_mean.data())
show("running var", net[5].running_var.data())
net = concise()
net.hybridize()
fit("hybridized", net)
