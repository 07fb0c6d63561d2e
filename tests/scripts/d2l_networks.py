"""Small networks after AlexNet, VGG, NiN and GoogLeNet."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn


def alexnet():
    net = nn.Sequential()
    net.add(
        nn.Conv2D(8, kernel_size=5, strides=2, activation="relu"),
        nn.MaxPool2D(pool_size=3, strides=2),
        nn.Conv2D(12, kernel_size=3, padding=1, activation="relu"),
        nn.MaxPool2D(pool_size=3, strides=2),
        nn.Dense(24, activation="relu"),
        nn.Dropout(0),
        nn.Dense(4),
    )
    return net


def vgg_block(num_convs, num_channels):
    blk = nn.Sequential()
    for _ in range(num_convs):
        blk.add(nn.Conv2D(num_channels, kernel_size=3, padding=1, activation="relu"))
    blk.add(nn.MaxPool2D(pool_size=2, strides=2))
    return blk


def vgg(conv_arch):
    net = nn.Sequential()
    for num_convs, num_channels in conv_arch:
        net.add(vgg_block(num_convs, num_channels))
    net.add(nn.Dense(24, activation="relu"), nn.Dropout(0.0), nn.Dense(4))
    return net


def nin_block(num_channels, kernel_size, strides, padding):
    blk = nn.Sequential()
    blk.add(
        nn.Conv2D(num_channels, kernel_size, strides, padding, activation="relu"),
        nn.Conv2D(num_channels, kernel_size=1, activation="relu"),
        nn.Conv2D(num_channels, kernel_size=1, activation="relu"),
    )
    return blk


def nin():
    net = nn.Sequential()
    net.add(
        nin_block(8, kernel_size=5, strides=2, padding=0),
        nn.MaxPool2D(pool_size=3, strides=2),
        nin_block(4, kernel_size=3, strides=1, padding=1),
        nn.GlobalAvgPool2D(),
        nn.Flatten(),
    )
    return net


class Inception(nn.Block):
    def __init__(self, c1, c2, c3, c4, **kwargs):
        super(Inception, self).__init__(**kwargs)
        self.p1_1 = nn.Conv2D(c1, kernel_size=1, activation="relu")
        self.p2_1 = nn.Conv2D(c2[0], kernel_size=1, activation="relu")
        self.p2_2 = nn.Conv2D(c2[1], kernel_size=3, padding=1, activation="relu")
        self.p3_1 = nn.Conv2D(c3[0], kernel_size=1, activation="relu")
        self.p3_2 = nn.Conv2D(c3[1], kernel_size=5, padding=2, activation="relu")
        self.p4_1 = nn.MaxPool2D(pool_size=3, strides=1, padding=1)
        self.p4_2 = nn.Conv2D(c4, kernel_size=1, activation="relu")

    def forward(self, x):
        p1 = self.p1_1(x)
        p2 = self.p2_2(self.p2_1(x))
        p3 = self.p3_2(self.p3_1(x))
        p4 = self.p4_2(self.p4_1(x))
        return nd.concat(p1, p2, p3, p4, dim=1)


def googlenet():
    net = nn.Sequential()
    net.add(
        nn.Conv2D(8, kernel_size=7, strides=2, padding=3, activation="relu"),
        nn.MaxPool2D(pool_size=3, strides=2, padding=1),
        Inception(4, (3, 6), (2, 3), 3),
        Inception(4, (4, 8), (2, 4), 4),
        nn.GlobalAvgPool2D(),
        nn.Dense(4),
    )
    return net


rng = np.random.RandomState(0)
labels = rng.randint(0, 4, 32)
images = rng.normal(size=(4, 1, 28, 28))[labels] + rng.normal(0, 0.5, (32, 1, 28, 28))
loss = gloss.SoftmaxCrossEntropyLoss()
nets = [
    ("alexnet", alexnet(), 0.1, 0.05),
    ("vgg", vgg(((1, 4), (1, 8), (2, 8))), 0.15, 0.05),
    ("nin", nin(), 0.3, 0.1),
    ("googlenet", googlenet(), 0.2, 0.1),
]
for title, net, sigma, lr in nets:
    net.initialize(Seeded(sigma), ctx=None)
    X = nd.array(images[:1])
    for blk in net:
        X = blk(X)
        print(title, blk.name, "output shape:", X.shape)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": lr, "momentum": 0.9})
    curve = []
    for step in range(12):
        i = step % 2 * 16
        X, y = nd.array(images[i : i + 16]), nd.array(labels[i : i + 16])
        with autograd.record():
            l = loss(net(X), y)
        l.backward()
        trainer.step(16)
        curve.append(l.mean().asscalar())
    show(title, curve)
