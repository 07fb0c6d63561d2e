"""Semantic segmentation: a fully convolutional network whose transposed convolution begins bilinear."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, init, nd
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn

rng = np.random.RandomState(0)


def bilinear_kernel(in_channels, out_channels, kernel_size):
    factor = (kernel_size + 1) // 2
    if kernel_size % 2 == 1:
        center = factor - 1
    else:
        center = factor - 0.5
    og = np.ogrid[:kernel_size, :kernel_size]
    filt = (1 - abs(og[0] - center) / factor) * (1 - abs(og[1] - center) / factor)
    weight = np.zeros((in_channels, out_channels, kernel_size, kernel_size), dtype="float32")
    weight[range(in_channels), range(out_channels), :, :] = filt
    return nd.array(weight)


conv_trans = nn.Conv2DTranspose(3, kernel_size=4, padding=1, strides=2)
conv_trans.initialize(init.Constant(bilinear_kernel(3, 3, 4)))
X = nd.array(rng.rand(1, 3, 5, 6))
Y = conv_trans(X)
print(X.shape, Y.shape)
show("upsampled", Y[0, 0])

lazy = nn.Conv2DTranspose(3, kernel_size=4, padding=1, strides=2, weight_initializer=init.Bilinear())
lazy.initialize()
show("bilinear", lazy(X)[0, 1, :4])

colors = [[0, 0, 0], [128, 0, 0], [0, 128, 0]]
colormap2label = nd.zeros(256**3)
for i, colormap in enumerate(colors):
    colormap2label[(colormap[0] * 256 + colormap[1]) * 256 + colormap[2]] = i


def voc_label_indices(colormap, colormap2label):
    colormap = colormap.astype("int32")
    idx = (colormap[:, :, 0] * 256 + colormap[:, :, 1]) * 256 + colormap[:, :, 2]
    return colormap2label[idx]


features, labels = [], []
for _ in range(8):
    label = np.zeros((16, 20, 3), "uint8")
    y, x, kind = rng.randint(0, 8), rng.randint(0, 10), rng.randint(1, 3)
    label[y : y + 8, x : x + 9] = colors[kind]
    features.append(label.transpose(2, 0, 1) / 255.0 + rng.normal(0, 0.2, (3, 16, 20)))
    labels.append(voc_label_indices(nd.array(label, dtype="uint8"), colormap2label))
features, labels = nd.array(features), nd.stack(*labels)
show("pixels", [(labels == i).sum().asscalar() for i in range(3)])

net = nn.HybridSequential()
net.add(nn.Conv2D(8, 3, strides=2, padding=1, activation="relu"), nn.BatchNorm())
net.add(nn.Conv2D(8, 3, strides=2, padding=1, activation="relu"))
net.add(nn.Conv2D(3, kernel_size=1), nn.Conv2DTranspose(3, kernel_size=8, padding=2, strides=4))
net[-1].initialize(init.Constant(bilinear_kernel(3, 3, 8)))
net[:-1].initialize(init=Seeded(0.3))
loss = gloss.SoftmaxCrossEntropyLoss(axis=1)
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3, "wd": 1e-3})
curve = []
for step in range(16):
    i = step % 2 * 4
    with autograd.record():
        l = loss(net(features[i : i + 4]), labels[i : i + 4])
    l.backward()
    trainer.step(4)
    curve.append(l.mean().asscalar())
show("loss", curve)
pred = nd.argmax(net(features[:2]), axis=1)
show("right", (pred == labels[:2]).mean())
palette = nd.array(colors, dtype="uint8")
show("colours", palette[pred.astype("int32"), :].astype("float32").mean(axis=(1, 2)))
