"""Gluon beyond layers: metrics, hooks, states of Trainers, control flow, key-value stores, contexts."""

import os
import tempfile

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)
labels = nd.array(rng.randint(0, 3, 45))
points = nd.array(rng.normal(size=(3, 6))[labels.asnumpy().astype(int)] + rng.normal(0, 0.5, (45, 6)))
net = nn.HybridSequential(prefix="net_")
with net.name_scope():
    net.add(nn.Dense(12, activation="relu"), nn.LayerNorm(), nn.Dropout(0.0), nn.Dense(3))
net.initialize(Seeded(0.3))
print(net)
net.hybridize(static_alloc=True)
calls = []
handle = net[0].register_forward_hook(lambda block, inputs, output: calls.append(block.name))
metrics = mx.metric.CompositeEvalMetric()
for m in ("acc", mx.metric.TopKAccuracy(top_k=2), mx.metric.Loss(), mx.metric.NegativeLogLikelihood()):
    metrics.add(m)
trainer = gluon.Trainer(net.collect_params(), mx.optimizer.Adam(learning_rate=0.02))
loss = gluon.loss.SoftmaxCrossEntropyLoss()
curve = []
for epoch in range(5):
    metrics.reset()
    for i in range(0, 45, 15):
        with autograd.record():
            output = net(points[i : i + 15])
            l = loss(output, labels[i : i + 15])
        l.backward()
        trainer.step(15)
        metrics.get_metric(0).update(labels[i : i + 15], output)
        metrics.get_metric(1).update(labels[i : i + 15], output)
        metrics.get_metric(2).update(None, l)
        metrics.get_metric(3).update([labels[i : i + 15]], [output.softmax()])
    curve.append(metrics.get()[1])
nd.waitall()
show("metrics", curve)
print([name for name in metrics.get()[0]])
folder = tempfile.mkdtemp()
trainer.save_states(os.path.join(folder, "states"))
trainer.load_states(os.path.join(folder, "states"))
with autograd.record():
    l = loss(net(points), labels)
l.backward()
trainer.step(45)
show("after states", net[3].bias.data())

rnn = lambda data, state: (data + state[0], [data * state[0]])  # noqa: E731
outs, states = nd.contrib.foreach(rnn, nd.arange(6).reshape((3, 2)), [nd.ones(2)])
show("foreach", outs)
show("state", states[0])
outputs, variables = nd.contrib.while_loop(
    cond=lambda i, s: i <= 5,
    func=lambda i, s: ([i + s], [i + 1, s + i]),
    loop_vars=(nd.array([0.0]), nd.array([1.0])),
    max_iterations=10,
)
show("while", outputs[0][:6])
show("variables", [v.asscalar() for v in variables])
a, b = nd.array([1.0]), nd.array([2.0])
show("cond", nd.contrib.cond(a * b < 5, lambda: (a + 5) * (b + 5), lambda: (a - 5) * (b - 5)))


class Loop(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Loop, self).__init__(**kwargs)
        with self.name_scope():
            self.cell = gluon.rnn.GRUCell(4, input_size=3)

    def hybrid_forward(self, F, data, state):
        outputs, states = F.contrib.foreach(self.cell, data, [state])
        return outputs, states[0]


loop = Loop()
loop.initialize(Seeded(0.5))
x = nd.array(draw("x", (5, 2, 3), 1))
x.attach_grad()
for hybrid in (False, True):
    if hybrid:
        loop.hybridize()
    with autograd.record():
        outputs, state = loop(x, nd.zeros((2, 4)))
        l = (outputs**2).sum()
    l.backward()
    show("scan", l)
    show("scan gradient", x.grad[0])
    show("cell gradient", loop.cell.h2h_weight.grad().sum(axis=1))

kv = mx.kv.create("local")
kv.init(3, nd.ones((2, 3)) * 2)
out = nd.zeros((2, 3))
kv.pull(3, out=out)
show("pulled", out)
kv.push(3, [nd.ones((2, 3)), nd.ones((2, 3)) * 3])
kv.pull(3, out=out)
show("pushed", out)
kv.set_optimizer(mx.optimizer.SGD(learning_rate=0.1))
kv.push(3, nd.ones((2, 3)))
kv.pull(3, out=out)
show("updated", out)
kv = mx.kv.create("device")
kv.init(["a", "b"], [nd.ones(2)] * 2)
kv._set_updater(lambda key, value, stored: stored.__iadd__(value * 2))
kv.push(["a", "b"], [nd.ones(2), nd.ones(2) * 4])
outs = [nd.zeros(2), nd.zeros(2)]
kv.pull(["a", "b"], out=outs)
show("updater", nd.concat(*outs, dim=0))
print(kv.rank, kv.num_workers, kv.type)
with mx.Context(mx.cpu(1)):
    print(nd.zeros(1).context, mx.current_context())
print(
    mx.context.num_gpus(),
    mx.cpu() == mx.cpu(0),
    gluon.utils.split_data(nd.arange(7), 2, even_split=False)[1].shape,
)
total = gluon.utils.clip_global_norm([nd.ones(3), nd.ones(4) * 2], 2.0)
show("norm", total)
for name, metric, args in [
    ("pearson", mx.metric.PearsonCorrelation(), ([[1, 2, 3.0]], [[1.1, 2.3, 2.7]])),
    ("mcc", mx.metric.MCC(), ([[1, 0, 1, 1]], [[[0.2, 0.8], [0.7, 0.3], [0.6, 0.4], [0.1, 0.9]]])),
    ("perplexity", mx.metric.Perplexity(0), ([[1, 0, 1]], [[[0.2, 0.8], [0.7, 0.3], [0.6, 0.4]]])),
    ("mae", mx.metric.create("mae"), ([[1, 2, 3.0]], [[1.1, 2.3, 2.7]])),
    ("numpy", mx.metric.np(lambda label, pred: abs(label - pred).max()), ([[1, 2, 3.0]], [[1.1, 2.3, 2.7]])),
]:
    metric.update(*[[nd.array(v) for v in arg] for arg in args])
    show(name, metric.get()[1])
