"""Residual and densely connected networks, small; and their feature maps."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


class Residual(nn.Block):
    def __init__(self, num_channels, use_1x1conv=False, strides=1, **kwargs):
        super(Residual, self).__init__(**kwargs)
        self.conv1 = nn.Conv2D(num_channels, kernel_size=3, padding=1, strides=strides)
        self.conv2 = nn.Conv2D(num_channels, kernel_size=3, padding=1)
        if use_1x1conv:
            self.conv3 = nn.Conv2D(num_channels, kernel_size=1, strides=strides)
        else:
            self.conv3 = None
        self.bn1 = nn.BatchNorm()
        self.bn2 = nn.BatchNorm()

    def forward(self, X):
        Y = nd.relu(self.bn1(self.conv1(X)))
        Y = self.bn2(self.conv2(Y))
        if self.conv3:
            X = self.conv3(X)
        return nd.relu(Y + X)


def resnet_block(num_channels, num_residuals, first_block=False):
    blk = nn.Sequential()
    for i in range(num_residuals):
        if i == 0 and not first_block:
            blk.add(Residual(num_channels, use_1x1conv=True, strides=2))
        else:
            blk.add(Residual(num_channels))
    return blk


def resnet():
    net = nn.Sequential()
    net.add(nn.Conv2D(4, kernel_size=3, strides=1, padding=1), nn.BatchNorm(), nn.Activation("relu"))
    net.add(nn.MaxPool2D(pool_size=3, strides=2, padding=1))
    net.add(resnet_block(4, 2, first_block=True), resnet_block(8, 2))
    net.add(nn.GlobalAvgPool2D(), nn.Dense(3))
    return net


def conv_block(num_channels):
    blk = nn.Sequential()
    blk.add(nn.BatchNorm(), nn.Activation("relu"), nn.Conv2D(num_channels, kernel_size=3, padding=1))
    return blk


class DenseBlock(nn.Block):
    def __init__(self, num_convs, num_channels, **kwargs):
        super(DenseBlock, self).__init__(**kwargs)
        self.net = nn.Sequential()
        for _ in range(num_convs):
            self.net.add(conv_block(num_channels))

    def forward(self, X):
        for blk in self.net:
            Y = blk(X)
            X = nd.concat(X, Y, dim=1)
        return X


def transition_block(num_channels):
    blk = nn.Sequential()
    blk.add(nn.BatchNorm(), nn.Activation("relu"), nn.Conv2D(num_channels, kernel_size=1))
    blk.add(nn.AvgPool2D(pool_size=2, strides=2))
    return blk


def densenet():
    net = nn.Sequential()
    net.add(nn.Conv2D(6, kernel_size=3, padding=1), DenseBlock(2, 3), transition_block(6), DenseBlock(2, 3))
    net.add(nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Dense(3))
    return net


rng = np.random.RandomState(0)
labels = rng.randint(0, 3, 48)
images = rng.normal(size=(3, 1, 12, 12))[labels] + rng.normal(0, 0.7, (48, 1, 12, 12))
loss = gluon.loss.SoftmaxCrossEntropyLoss()
for title, net in (("resnet", resnet()), ("densenet", densenet())):
    net.initialize(Seeded(0.2))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05})
    curve = []
    for step in range(12):
        i = step % 3 * 16
        X, y = nd.array(images[i : i + 16]), nd.array(labels[i : i + 16])
        with autograd.record():
            l = loss(net(X), y)
        l.backward()
        trainer.step(16)
        curve.append(l.mean().asscalar())
    show(title, curve)
    show(title + " predicts", net(nd.array(images[:4])))
