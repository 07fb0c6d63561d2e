"""Adversarial examples by signs of gradients, with Gluon and a Module; saliency; pruning and dense again."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)
labels = rng.randint(0, 3, 60)
images = nd.array(rng.rand(3, 1, 10, 10)[labels] + rng.normal(0, 0.2, (60, 1, 10, 10)))
labels = nd.array(labels)

net = nn.HybridSequential()
net.add(nn.Conv2D(4, 3, activation="tanh"), nn.MaxPool2D(), nn.Dense(12, activation="tanh"), nn.Dense(3))
net.initialize(Seeded(0.3))
net.hybridize(static_alloc=True, static_shape=True)
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
loss = gluon.loss.SoftmaxCrossEntropyLoss()


def train(steps, masks=None):
    curve = []
    for step in range(steps):
        i = step % 3 * 20
        with autograd.record():
            l = loss(net(images[i : i + 20]), labels[i : i + 20])
        l.backward()
        trainer.step(20)
        if masks:
            for name, mask in masks.items():
                param = net.collect_params()[name]
                param.set_data(param.data() * mask)
        curve.append(l.mean().asscalar())
    return curve


def accuracy(data):
    metric = mx.metric.Accuracy()
    metric.update(labels, net(data))
    return metric.get()[1]


show("training", train(15))
x = images.copy()
x.attach_grad()
with autograd.record():
    l = loss(net(x), labels)
l.backward()
show("gradient", x.grad[0, 0, :2])
attacked = [accuracy(images + eps * nd.sign(x.grad)) for eps in (0, 0.1, 0.2, 0.4)]
show("accuracies", attacked)
for step in range(3):
    with autograd.record():
        l = loss(net(x), labels)
    l.backward()
    x = nd.maximum(nd.minimum(x + 0.05 * nd.sign(x.grad), images + 0.2), images - 0.2)
    x.attach_grad()
    show("iterated %d" % step, l.mean())
saliency = nd.max(nd.abs(x.grad), axis=1)
show("saliency", saliency.sum())

masks = {}
for name, param in net.collect_params(".*weight").items():
    weight = param.data()
    count = int(weight.size * 0.5)
    threshold = nd.topk(weight.abs().reshape((-1,)), k=count, ret_typ="value")[-1]
    masks[name] = weight.abs() >= threshold
show("kept", [mask.mean().asscalar() for mask in masks.values()])
show("sparse training", train(9, masks))
show("zeros", [(net.collect_params()[name].data() == 0).mean().asscalar() for name in masks])
show("dense again", train(6))

data = mx.sym.Variable("data")
fc = mx.sym.FullyConnected(mx.sym.Flatten(data), name="fc1", num_hidden=10)
out = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.tanh(fc), name="fc2", num_hidden=3), name="softmax")
mod = mx.mod.Module(out)
iterator = mx.io.NDArrayIter(images, labels, 20)
mod.bind(iterator.provide_data, iterator.provide_label, inputs_need_grad=True)
mod.init_params(Seeded(0.2))
mod.init_optimizer(optimizer_params={"learning_rate": 0.2})
for epoch in range(4):
    iterator.reset()
    for batch in iterator:
        mod.forward_backward(batch)
        mod.update()
mod.forward_backward(batch)
gradient = mod.get_input_grads()[0]
show("module gradient", gradient[0, 0, :2])
noisy = mx.io.DataBatch([batch.data[0] + 0.15 * nd.sign(gradient)], batch.label)
mod.forward(noisy, is_train=False)
show("fooled", mod.get_outputs()[0][:3])
