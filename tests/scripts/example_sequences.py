"""Sequences: sorting with a bidirectional LSTM, tagging names with masks, forecasting with skips (LSTNet)."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn

rng = np.random.RandomState(0)


def train(title, net, batches, loss_of, optimizer, options, epochs):
    trainer = gluon.Trainer(net.collect_params(), optimizer, options)
    curve = []
    for _ in range(epochs):
        for batch in batches:
            with autograd.record():
                l = loss_of(net, *batch)
            l.backward()
            trainer.step(batch[0].shape[0])
            curve.append(l.mean().asscalar())
    show(title, curve)


numbers = rng.randint(0, 10, (48, 5))
X, Y = nd.one_hot(nd.array(numbers), 10), nd.array(np.sort(numbers, axis=1))
sorter = nn.HybridSequential()
with sorter.name_scope():
    sorter.add(
        rnn.LSTM(hidden_size=16, num_layers=2, layout="NTC", bidirectional=True), nn.Dense(10, flatten=False)
    )
sorter.initialize(Seeded(0.3))
ce = gluon.loss.SoftmaxCrossEntropyLoss()
batches = [(X[i : i + 16], Y[i : i + 16]) for i in range(0, 48, 16)]
train("sort", sorter, batches, lambda net, x, y: ce(net(x), y), "adam", {"learning_rate": 0.02}, 5)
show("sorted", (sorter(X).argmax(axis=2) == Y).mean())

tokens, lengths = rng.randint(1, 20, (30, 7)), rng.randint(3, 8, 30)
tokens *= np.arange(7) < lengths[:, None]
tags = (tokens % 3) * (tokens > 0)


class Tagger(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Tagger, self).__init__(**kwargs)
        with self.name_scope():
            self.embed = nn.Embedding(20, 8)
            self.forward_cell = rnn.GRUCell(8)
            self.backward_cell = rnn.GRUCell(8)
            self.both = rnn.BidirectionalCell(self.forward_cell, self.backward_cell)
            self.out = nn.Dense(3, flatten=False)

    def hybrid_forward(self, F, x, lengths):
        outputs, _ = self.both.unroll(
            7, self.embed(x), layout="NTC", merge_outputs=True, valid_length=lengths
        )
        return self.out(outputs)


def masked(net, x, y, n):
    scores = net(x, n)
    mask = nd.SequenceMask(nd.ones((7, x.shape[0], 1)), n, use_sequence_length=True).swapaxes(0, 1)
    return ce(scores, y, mask)


tagger = Tagger()
tagger.initialize(Seeded(0.4))
batches = [[nd.array(a[i : i + 10]) for a in (tokens, tags, lengths)] for i in range(0, 30, 10)]
train("tags", tagger, batches, masked, "adam", {"learning_rate": 0.03}, 5)
metric = mx.metric.F1(average="micro")
for x, y, n in batches:
    scores = tagger(x, n)
    metric.update(
        [(y > 1).reshape((-1,))],
        [nd.stack(*[1 - scores.softmax()[:, :, 2], scores.softmax()[:, :, 2]], axis=2).reshape((-1, 2))],
    )
show("f1", metric.get()[1])

series = np.sin(np.arange(70)[:, None] * [0.3, 0.5, 0.7]) + 0.1 * rng.normal(size=(70, 3))
windows = np.stack([series[i : i + 12] for i in range(58)])
targets = series[12:70]


class LSTNet(gluon.HybridBlock):
    def __init__(self, series, conv, gru, skip, ar, **kwargs):
        super(LSTNet, self).__init__(**kwargs)
        self.skip, self.ar, self.series = skip, ar, series
        with self.name_scope():
            self.conv = nn.Conv1D(conv, kernel_size=3, layout="NCW", activation="relu")
            self.gru = rnn.GRU(gru, layout="TNC")
            self.skip_gru = rnn.GRU(4, layout="TNC")
            self.fc = nn.Dense(series)
            self.ar_fc = nn.Dense(1)

    def hybrid_forward(self, F, x):
        c = self.conv(F.transpose(x, axes=(0, 2, 1)))
        steps = F.transpose(c, axes=(2, 0, 1))
        last = F.squeeze(F.slice_axis(self.gru(steps), axis=0, begin=-1, end=None), axis=0)
        skipped = F.slice_axis(c, axis=2, begin=-4, end=None)
        skipped = F.transpose(F.reshape(skipped, shape=(0, 0, -4, 2, self.skip)), axes=(2, 0, 3, 1))
        skipped = F.reshape(skipped, shape=(0, -3, 0))
        skip_last = F.reshape(
            F.squeeze(F.slice_axis(self.skip_gru(skipped), axis=0, begin=-1, end=None), axis=0),
            shape=(-4, -1, self.skip, 0),
        )
        res = self.fc(F.concat(last, F.flatten(skip_last), dim=1))
        ar = F.transpose(F.slice_axis(x, axis=1, begin=-self.ar, end=None), axes=(0, 2, 1))
        ar = self.ar_fc(F.reshape(ar, shape=(-3, 0)))
        return res + F.reshape(ar, shape=(-1, self.series))


l1 = gluon.loss.L1Loss()
batches = [(nd.array(windows[i : i + 16]), nd.array(targets[i : i + 16])) for i in range(0, 48, 16)]
for hybrid in (False, True):
    lstnet = LSTNet(3, 6, 8, 2, 5, prefix="lstnet_")
    lstnet.initialize(Seeded(0.3))
    if hybrid:
        lstnet.hybridize()
    train("forecast", lstnet, batches, lambda net, x, y: l1(net(x), y), "adam", {"learning_rate": 0.02}, 4)
show("next", lstnet(nd.array(windows[-2:])))
