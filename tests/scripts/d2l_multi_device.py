"""Training on two devices: parameters copied, gradients summed by hand, then by a Trainer; hybridize, too."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn
from mxnet.gluon import utils as gutils

rng = np.random.RandomState(0)
digits = rng.randint(0, 4, 64)
images = nd.array(rng.normal(size=(4, 1, 14, 14))[digits] + rng.normal(0, 0.5, (64, 1, 14, 14)))
digits = nd.array(digits)
ctx = [mx.cpu(0), mx.cpu(1)]
loss = gloss.SoftmaxCrossEntropyLoss()
shapes = {"W1": (6, 1, 3, 3), "b1": (6,), "W2": (8, 6, 3, 3), "b2": (8,), "W3": (32, 16), "b3": (16,)}
shapes.update({"W4": (16, 4), "b4": (4,)})
params = [nd.array(draw(n, s, 0.2)) if n[0] == "W" else nd.zeros(s) for n, s in shapes.items()]


def lenet(X, params):
    h1_conv = nd.Convolution(data=X, weight=params[0], bias=params[1], kernel=(3, 3), num_filter=6)
    h1_activation = nd.relu(h1_conv)
    h1 = nd.Pooling(data=h1_activation, pool_type="avg", kernel=(2, 2), stride=(2, 2))
    h2_conv = nd.Convolution(data=h1, weight=params[2], bias=params[3], kernel=(3, 3), num_filter=8)
    h2 = nd.Pooling(data=nd.relu(h2_conv), pool_type="avg", kernel=(2, 2), stride=(2, 2))
    h3 = nd.relu(nd.dot(nd.flatten(h2), params[4]) + params[5])
    return nd.dot(h3, params[6]) + params[7]


def get_params(params, ctx):
    new_params = [p.copyto(ctx) for p in params]
    for p in new_params:
        p.attach_grad()
    return new_params


def allreduce(data):
    for i in range(1, len(data)):
        data[0][:] += data[i].copyto(data[0].context)
    for i in range(1, len(data)):
        data[0].copyto(data[i])


def split_and_load(data, ctx):
    n, k = data.shape[0], len(ctx)
    m = n // k
    assert m * k == n, "# examples is not divided by # devices."
    return [data[i * m : (i + 1) * m].as_in_context(ctx[i]) for i in range(k)]


def train_batch(X, y, gpu_params, ctx, lr):
    gpu_Xs, gpu_ys = split_and_load(X, ctx), split_and_load(y, ctx)
    with autograd.record():
        ls = [loss(lenet(gpu_X, gpu_W), gpu_y) for gpu_X, gpu_y, gpu_W in zip(gpu_Xs, gpu_ys, gpu_params)]
    for l in ls:
        l.backward()
    for i in range(len(gpu_params[0])):
        allreduce([gpu_params[c][i].grad for c in range(len(ctx))])
    for param in gpu_params:
        for p in param:
            p[:] = p - lr * p.grad / X.shape[0]
    return sum(float(l.sum().asscalar()) for l in ls)


data = [nd.array([1, 2]).as_in_context(c) * (i + 1) for i, c in enumerate(ctx)]
allreduce(data)
print("after allreduce:", data)
gpu_params = [get_params(params, c) for c in ctx]
curve = []
for epoch in range(4):
    for i in range(0, 64, 16):
        curve.append(train_batch(images[i : i + 16], digits[i : i + 16], gpu_params, ctx, 0.2))
show("from scratch", curve)

net = nn.HybridSequential()
net.add(nn.Conv2D(6, 3, activation="relu"), nn.BatchNorm(), nn.AvgPool2D(), nn.Dense(16), nn.Dense(4))
net.initialize(init=Seeded(0.2), ctx=ctx)
net.hybridize()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.5})
curve = []
for epoch in range(3):
    for i in range(0, 64, 16):
        gpu_Xs = gutils.split_and_load(images[i : i + 16], ctx)
        gpu_ys = gutils.split_and_load(digits[i : i + 16], ctx)
        with autograd.record():
            ls = [loss(net(gpu_X), gpu_y) for gpu_X, gpu_y in zip(gpu_Xs, gpu_ys)]
        for l in ls:
            l.backward()
        trainer.step(16)
        curve.append(sum(float(l.sum().asscalar()) for l in ls))
    mx.nd.waitall()
show("concise", curve)
weight = net[0].weight
print([d.context for d in weight.list_data()])
show("apart", (weight.data(ctx[0]) - weight.data(ctx[1]).as_in_context(ctx[0])).abs().sum())
show("means", [m.mean().asscalar() for m in net[1].running_mean.list_data()])
try:
    weight.data(mx.cpu(3))
except RuntimeError as error:
    print("not on", error.args[0].count("cpu(3)") > 0)
