"""Language models with rnn.RNN, GRU and LSTM layers, deep and bidirectional, and cells unrolled."""

import math

from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn

text = "so she sat down by the river and the river sang to her of stones and of the sea " * 6
idx_to_char = sorted(set(text))
char_to_idx = {char: i for i, char in enumerate(idx_to_char)}
corpus = nd.array([char_to_idx[char] for char in text])
vocab_size, num_hiddens, batch_size, num_steps = len(idx_to_char), 16, 8, 10
rows = corpus[: corpus.size // batch_size * batch_size].reshape((batch_size, -1))


class RNNModel(nn.Block):
    def __init__(self, rnn_layer, vocab_size, **kwargs):
        super(RNNModel, self).__init__(**kwargs)
        self.rnn = rnn_layer
        self.vocab_size = vocab_size
        self.dense = nn.Dense(vocab_size)

    def forward(self, inputs, state):
        X = nd.one_hot(inputs.T, self.vocab_size)
        Y, state = self.rnn(X, state)
        output = self.dense(Y.reshape((-1, Y.shape[-1])))
        return output, state

    def begin_state(self, *args, **kwargs):
        return self.rnn.begin_state(*args, **kwargs)


def grad_clipping(params, theta):
    norm = nd.array([0.0])
    for param in params:
        norm += (param.grad() ** 2).sum()
    norm = norm.sqrt().asscalar()
    if norm > theta:
        for param in params:
            param.grad()[:] *= theta / norm


def train(name, layer, hybridize=False):
    model = RNNModel(layer, vocab_size)
    model.initialize(Seeded())
    if hybridize:
        model.hybridize()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(model.collect_params(), "sgd", {"learning_rate": 1e2, "momentum": 0, "wd": 0})
    curve = []
    for epoch in range(4):
        l_sum, n = 0.0, 0
        state = model.begin_state(batch_size=batch_size)
        for i in range(0, rows.shape[1] - 1 - num_steps, num_steps):
            X, Y = rows[:, i : i + num_steps], rows[:, i + 1 : i + num_steps + 1]
            for s in state:
                s.detach()
            with autograd.record():
                (output, state) = model(X, state)
                y = Y.T.reshape((-1,))
                l = loss(output, y).mean()
            l.backward()
            grad_clipping(model.collect_params().values(), 1e-2)
            trainer.step(1)
            l_sum += l.asscalar() * y.size
            n += y.size
        curve.append(math.exp(l_sum / n))
    show(name, curve)
    for i, s in enumerate(state):
        show(f"{name} state {i}", s.mean(axis=(0, 1)))


train("rnn", rnn.RNN(num_hiddens))
train("relu", rnn.RNN(num_hiddens, activation="relu"))
train("gru", rnn.GRU(num_hiddens))
train("lstm", rnn.LSTM(num_hiddens))
train("deep", rnn.LSTM(num_hiddens, num_layers=2), hybridize=True)
train("bidirectional", rnn.GRU(8, num_layers=2, bidirectional=True))

cell = rnn.SequentialRNNCell()
cell.add(rnn.LSTMCell(6))
cell.add(rnn.ResidualCell(rnn.GRUCell(6)))
cell.add(rnn.BidirectionalCell(rnn.RNNCell(3), rnn.RNNCell(3)))
cell.initialize(Seeded(0.4))
X = nd.one_hot(rows[:3, :5], vocab_size)
for merge in (True, False):
    outputs, states = cell.unroll(5, X, layout="NTC", merge_outputs=merge)
    show("unrolled", outputs if merge else nd.stack(*outputs, axis=1))
outputs, states = cell.unroll(5, X, layout="NTC", merge_outputs=True, valid_length=nd.array([2, 5, 3]))
show("valid", outputs.mean(axis=2))
show("states", [s.mean().asscalar() for s in states])
