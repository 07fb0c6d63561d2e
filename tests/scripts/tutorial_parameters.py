"""Parameters in training: accumulated gradients, frozen layers, multipliers, partial files, hooks, sizes."""

import os
import tempfile

import mxnet as mx
import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)
labels = rng.randint(0, 3, 50)
points = nd.array(rng.normal(size=(3, 6))[labels] + rng.normal(0, 0.5, (50, 6)))
labels = nd.array(labels)
loss = gluon.loss.SoftmaxCrossEntropyLoss()


def network(prefix, hybrid=True):
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(nn.Dense(8, activation="relu"), nn.BatchNorm(), nn.Dense(6, activation="tanh"), nn.Dense(3))
    net.initialize(Seeded(0.4))
    if hybrid:
        net.hybridize()
    return net


for hybrid in (False, True):
    net = network("net_", hybrid)
    net(points[:2])
    net.collect_params().setattr("grad_req", "add")
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2, "momentum": 0.9, "wd": 0.01})
    curve = []
    for step in range(5):
        net.collect_params().zero_grad()
        for part in range(2):
            i = part * 25
            with autograd.record():
                l = loss(net(points[i : i + 25]), labels[i : i + 25])
            l.backward()
            curve.append(l.mean().asscalar())
        trainer.step(50)
    show("accumulated", curve)
    show("running", net[1].running_mean.data())

net = network("net_")
net(points[:1])
net[0].collect_params().setattr("grad_req", "null")
net[2].weight.lr_mult = 0.1
net[2].collect_params(".*bias").setattr("wd_mult", 0)
net[3].weight.wd_mult = 5
before = net[0].weight.data().copy()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3, "wd": 0.02})
curve = []
for step in range(6):
    with autograd.record():
        l = loss(net(points), labels)
    l.backward()
    trainer.step(50)
    curve.append(l.mean().asscalar())
show("multipliers", curve)
show("frozen", (net[0].weight.data() - before).abs().sum())
show("norms", [p.data().norm().asscalar() for p in net.collect_params().values()])
net[0].collect_params().setattr("grad_req", "write")
trainer = gluon.Trainer(net.collect_params(), "nag", {"learning_rate": 0.05, "momentum": 0.9})
for size in (50, 7, 1, 33, 50):
    with autograd.record():
        l = loss(net(points[:size]), labels[:size])
    l.backward()
    trainer.step(size)
    show(
        "sizes %d" % size,
        [l.mean().asscalar(), loss(net(points[: 51 - size]), labels[: 51 - size]).mean().asscalar()],
    )

folder = tempfile.mkdtemp()
path = os.path.join(folder, "net.params")
net.save_parameters(path)
larger = nn.HybridSequential(prefix="larger_")
with larger.name_scope():
    for layer in (
        nn.Dense(8, activation="relu"),
        nn.BatchNorm(),
        nn.Dense(6, activation="tanh"),
        nn.Dense(3),
        nn.Dense(2),
    ):
        larger.add(layer)
larger.initialize(Seeded(0.4))
larger.load_parameters(path, allow_missing=True)
show("larger", larger(points[:2]))
smaller = larger[:3]
smaller.load_parameters(path, ignore_extra=True)
show("smaller", smaller(points[:2]))
for wrong, options in ((larger, {}), (smaller, {}), (smaller, {"allow_missing": True})):
    try:
        wrong.load_parameters(path, **options)
        print("loaded")
    except (AssertionError, ValueError):
        print("refused")
names = []
larger.apply(lambda block: names.append(block.name))
print(names)
seen = []
larger.hybridize(active=False)
for layer in larger:
    layer.register_forward_pre_hook(lambda block, args: seen.append(args[0].shape))
larger(points[:2])
print(seen)
larger.collect_params("larger_dense.*_weight").initialize(mx.init.Constant(0.1), force_reinit=True)
show("constant", larger(points[:2]))
print(larger[0].weight.grad_req, larger[0].weight.list_ctx(), larger[1].running_var.grad_req)
shared = gluon.ParameterDict("shared_")
weight = shared.get("weight", shape=(3, 6), init=Seeded(0.5))
one, two = (
    nn.Dense(3, params=shared, use_bias=False),
    nn.Dense(3, params=shared, use_bias=False),
)
shared.initialize()
with autograd.record():
    y = (one(points) * two(points)).sum()
y.backward()
print(one.weight is two.weight, shared.keys())
show("tied", weight.grad())
trainer = gluon.Trainer(shared, "sgd", {"learning_rate": 0.01})
trainer.step(50)
show("after", weight.data())
try:
    trainer.step(50)
except UserWarning as warning:
    print(type(warning).__name__)
trainer.step(50, ignore_stale_grad=True)
show("unchanged", weight.data().sum())
constant = gluon.Constant("const", nd.array([[1, 2], [3, 4]]))
constant.initialize()
show("const", constant.data())


class Scaled(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Scaled, self).__init__(**kwargs)
        with self.name_scope():
            self.scale = self.params.get("scale", shape=(1,), init=mx.init.One())
            self.shift = self.params.get_constant("shift", np.array([0.5]))

    def hybrid_forward(self, F, x, scale, shift):
        return F.broadcast_add(F.broadcast_mul(x, scale), shift)


scaled = Scaled()
scaled.initialize()
scaled.hybridize()
curve = []
trainer = gluon.Trainer(scaled.collect_params(), "sgd", {"learning_rate": 0.1})
for step in range(6):
    with autograd.record():
        l = ((scaled(points) - 2 * points) ** 2).mean()
    l.backward()
    trainer.step(1)
    curve.append(l.asscalar())
show("scaled", curve)
print(scaled)
