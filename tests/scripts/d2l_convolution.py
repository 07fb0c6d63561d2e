"""Cross-correlation and pooling by loops, a kernel learned by gradient steps, and LeNet."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn


def corr2d(X, K):
    h, w = K.shape
    Y = nd.zeros((X.shape[0] - h + 1, X.shape[1] - w + 1))
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            Y[i, j] = (X[i : i + h, j : j + w] * K).sum()
    return Y


def pool2d(X, pool_size, mode="max"):
    p_h, p_w = pool_size
    Y = nd.zeros((X.shape[0] - p_h + 1, X.shape[1] - p_w + 1))
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            window = X[i : i + p_h, j : j + p_w]
            Y[i, j] = window.max() if mode == "max" else window.mean()
    return Y


class Conv2D(nn.Block):
    def __init__(self, kernel_size, **kwargs):
        super(Conv2D, self).__init__(**kwargs)
        self.weight = self.params.get("weight", shape=kernel_size)
        self.bias = self.params.get("bias", shape=(1,))

    def forward(self, x):
        return corr2d(x, self.weight.data()) + self.bias.data()


X = nd.ones((6, 8))
X[:, 2:6] = 0
K = nd.array([[1, -1]])
Y = corr2d(X, K)
show("edges", Y)
show("max", pool2d(nd.arange(16).reshape((4, 4)), (2, 2)))
show("average", pool2d(nd.arange(16).reshape((4, 4)), (2, 3), "avg"))
layer = Conv2D((2, 2))
layer.initialize(Seeded())
show("layer", layer(X))

conv2d = nn.Conv2D(1, kernel_size=(1, 2))
conv2d.initialize(Seeded(0.01))
X, Y = X.reshape((1, 1, 6, 8)), Y.reshape((1, 1, 6, 7))
curve = []
for i in range(10):
    with autograd.record():
        Y_hat = conv2d(X)
        l = (Y_hat - Y) ** 2
    l.backward()
    conv2d.weight.data()[:] -= 3e-2 * conv2d.weight.grad()
    curve.append(l.sum().asscalar())
show("kernel", curve)
show("weight", conv2d.weight.data())

rng = np.random.RandomState(0)
labels = rng.randint(0, 4, 48)
images = rng.normal(size=(4, 1, 20, 20))[labels] + rng.normal(0, 0.5, (48, 1, 20, 20))
net = nn.Sequential()
net.add(
    nn.Conv2D(channels=6, kernel_size=5, activation="sigmoid"),
    nn.MaxPool2D(pool_size=2, strides=2),
    nn.Conv2D(channels=16, kernel_size=5, activation="sigmoid"),
    nn.MaxPool2D(pool_size=2, strides=2),
    nn.Dense(40, activation="sigmoid"),
    nn.Dense(4),
)
net.initialize(Seeded(0.3))
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.9})
loss = gloss.SoftmaxCrossEntropyLoss()
curve = []
for epoch in range(6):
    for i in range(0, 48, 16):
        X, y = nd.array(images[i : i + 16]), nd.array(labels[i : i + 16])
        with autograd.record():
            l = loss(net(X), y).sum()
        l.backward()
        trainer.step(16)
        curve.append(l.asscalar())
show("lenet", curve)
