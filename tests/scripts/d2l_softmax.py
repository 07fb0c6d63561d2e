"""Softmax regression from scratch, then with Gluon, on images of ten prototypes."""

import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn

rng = np.random.RandomState(0)
prototypes = rng.rand(10, 1, 8, 8)
digits = rng.randint(0, 10, 300)
images = (prototypes[digits] + rng.normal(0, 0.3, (300, 1, 8, 8))).astype("float32")
train = gluon.data.DataLoader(gluon.data.ArrayDataset(images[:240], digits[:240].astype("float32")), 32)
test = gluon.data.DataLoader(gluon.data.ArrayDataset(images[240:], digits[240:].astype("float32")), 32)

W, b = nd.array(draw("W", (64, 10), 0.01)), nd.zeros(10)
W.attach_grad()
b.attach_grad()


def softmax(X):
    X_exp = X.exp()
    return X_exp / X_exp.sum(axis=1, keepdims=True)


def net(X):
    return softmax(nd.dot(X.reshape((-1, 64)), W) + b)


def cross_entropy(y_hat, y):
    return -nd.pick(y_hat, y).log()


def evaluate_accuracy(data_iter, net):
    acc_sum, n = 0.0, 0
    for X, y in data_iter:
        y = y.astype("float32")
        acc_sum += (net(X).argmax(axis=1) == y).sum().asscalar()
        n += y.size
    return acc_sum / n


def sgd(params, lr, batch_size):
    for param in params:
        param[:] = param - lr * param.grad / batch_size


def train_ch3(net, loss, num_epochs, params=None, lr=None, trainer=None):
    for epoch in range(num_epochs):
        loss_sum, acc_sum, n = 0.0, 0.0, 0
        for X, y in train:
            with autograd.record():
                y_hat = net(X)
                l = loss(y_hat, y).sum()
            l.backward()
            if trainer is None:
                sgd(params, lr, X.shape[0])
            else:
                trainer.step(X.shape[0])
            loss_sum += l.asscalar()
            acc_sum += (y_hat.argmax(axis=1) == y).sum().asscalar()
            n += y.size
        show("epoch %d" % (epoch + 1), [loss_sum / n, acc_sum / n, evaluate_accuracy(test, net)])


train_ch3(net, cross_entropy, 4, [W, b], 0.3)
concise = nn.Sequential()
concise.add(nn.Dense(10))
concise.initialize(Seeded(0.01))
trainer = gluon.Trainer(concise.collect_params(), "sgd", {"learning_rate": 0.3})
train_ch3(concise, gloss.SoftmaxCrossEntropyLoss(), 4, trainer=trainer)
