"""Linear regression with nothing but arrays and autograd."""

import random

import numpy as np
from _seeded import draw, show
from mxnet import autograd, nd

true_w, true_b = [2, -3.4], 4.2
features = nd.array(draw("features", (200, 2), 1))
labels = true_w[0] * features[:, 0] + true_w[1] * features[:, 1] + true_b
labels += nd.array(draw("noise", labels.shape, 0.01))


def data_iter(batch_size, features, labels):
    indices = list(range(len(features)))
    random.shuffle(indices)
    for i in range(0, len(indices), batch_size):
        j = nd.array(indices[i : min(i + batch_size, len(indices))])
        yield features.take(j), labels.take(j)


def linreg(X, w, b):
    return nd.dot(X, w) + b


def squared_loss(y_hat, y):
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2


def sgd(params, lr, batch_size):
    for param in params:
        param[:] = param - lr * param.grad / batch_size


random.seed(3)
w, b = nd.array(draw("w", (2, 1), 0.01)), nd.zeros(shape=(1,))
w.attach_grad()
b.attach_grad()
losses = []
for epoch in range(3):
    for X, y in data_iter(10, features, labels):
        with autograd.record():
            loss = squared_loss(linreg(X, w, b), y)
        loss.backward()
        sgd([w, b], 0.03, 10)
        losses.append(loss.mean().asscalar())
    print("epoch %d" % (epoch + 1))
    show("train", squared_loss(linreg(features, w, b), labels).mean().asnumpy())
show("losses", losses[::4])
show("w", w)
show("b", b)
assert isinstance(losses[0], np.float32)
