"""Fine-tuning: features that were trained before, a new output layer that learns ten times faster."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, init, nd
from mxnet.gluon import loss as gloss
from mxnet.gluon.model_zoo import vision as model_zoo

rng = np.random.RandomState(0)
labels = rng.randint(0, 2, 24)
images = rng.normal(size=(2, 3, 32, 32))[labels] + rng.normal(0, 1.0, (24, 3, 32, 32))
batches = [(nd.array(images[i : i + 8]), nd.array(labels[i : i + 8])) for i in range(0, 24, 8)]

pretrained_net = model_zoo.mobilenet_v2_0_25(classes=10)
pretrained_net.initialize(Seeded(0.2))
pretrained_net(batches[0][0])
print(pretrained_net.output)
finetune_net = model_zoo.mobilenet_v2_0_25(classes=2)
finetune_net.features = pretrained_net.features
finetune_net.output.initialize(Seeded(0.05))
finetune_net.output.collect_params().setattr("lr_mult", 10)
finetune_net.hybridize()


def train_fine_tuning(net, learning_rate):
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": learning_rate, "wd": 0.001})
    loss = gloss.SoftmaxCrossEntropyLoss()
    curve = []
    for epoch in range(3):
        for X, y in batches:
            with autograd.record(train_mode=False):
                l = loss(net(X), y)
            l.backward(train_mode=False)
            trainer.step(8)
            curve.append(l.mean().asscalar())
    return curve


show("fine-tuning", train_fine_tuning(finetune_net, 0.002))
show("norms", [p.data().norm().asscalar() for p in list(finetune_net.collect_params().values())[-4:]])

features = finetune_net.features
for param in features.collect_params().values():
    param.grad_req = "null"
head = gluon.nn.Dense(2)
head.initialize(init.Zero())
trainer = gluon.Trainer(head.collect_params(), "sgd", {"learning_rate": 0.1})
loss = gloss.SoftmaxCrossEntropyLoss()
curve = []
for step in range(8):
    X, y = batches[step % 3]
    embedding = features(X).flatten()
    with autograd.record():
        l = loss(head(embedding), y)
    l.backward()
    trainer.step(8)
    curve.append(l.mean().asscalar())
show("head", curve)
