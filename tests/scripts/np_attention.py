"""Attention with mx.np: masked softmax, additive and scaled scores, heads, a small transformer encoder."""

import math

import numpy as onp
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn, rnn

npx.set_np()


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return npx.softmax(X)
    shape = X.shape
    if valid_lens.ndim == 1:
        valid_lens = valid_lens.repeat(shape[1])
    else:
        valid_lens = valid_lens.reshape(-1)
    X = npx.sequence_mask(X.reshape(-1, shape[-1]), valid_lens, True, value=-1e6, axis=1)
    return npx.softmax(X).reshape(shape)


class AdditiveAttention(nn.Block):
    def __init__(self, num_hiddens, dropout, **kwargs):
        super(AdditiveAttention, self).__init__(**kwargs)
        self.W_k = nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_q = nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.w_v = nn.Dense(1, use_bias=False, flatten=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = np.expand_dims(queries, axis=2) + np.expand_dims(keys, axis=1)
        features = np.tanh(features)
        scores = np.squeeze(self.w_v(features), axis=-1)
        self.attention_weights = masked_softmax(scores, valid_lens)
        return npx.batch_dot(self.dropout(self.attention_weights), values)


class DotProductAttention(nn.Block):
    def __init__(self, dropout, **kwargs):
        super(DotProductAttention, self).__init__(**kwargs)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None):
        d = queries.shape[-1]
        scores = npx.batch_dot(queries, keys, transpose_b=True) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_lens)
        return npx.batch_dot(self.dropout(self.attention_weights), values)


def transpose_qkv(X, num_heads):
    X = X.reshape(X.shape[0], X.shape[1], num_heads, -1)
    X = X.transpose(0, 2, 1, 3)
    return X.reshape(-1, X.shape[2], X.shape[3])


def transpose_output(X, num_heads):
    X = X.reshape(-1, num_heads, X.shape[1], X.shape[2])
    X = X.transpose(0, 2, 1, 3)
    return X.reshape(X.shape[0], X.shape[1], -1)


class MultiHeadAttention(nn.Block):
    def __init__(self, num_hiddens, num_heads, dropout, use_bias=False, **kwargs):
        super(MultiHeadAttention, self).__init__(**kwargs)
        self.num_heads = num_heads
        self.attention = DotProductAttention(dropout)
        self.W_q = nn.Dense(num_hiddens, use_bias=use_bias, flatten=False)
        self.W_k = nn.Dense(num_hiddens, use_bias=use_bias, flatten=False)
        self.W_v = nn.Dense(num_hiddens, use_bias=use_bias, flatten=False)
        self.W_o = nn.Dense(num_hiddens, use_bias=use_bias, flatten=False)

    def forward(self, queries, keys, values, valid_lens):
        queries = transpose_qkv(self.W_q(queries), self.num_heads)
        keys = transpose_qkv(self.W_k(keys), self.num_heads)
        values = transpose_qkv(self.W_v(values), self.num_heads)
        if valid_lens is not None:
            valid_lens = valid_lens.repeat(self.num_heads, axis=0)
        output = self.attention(queries, keys, values, valid_lens)
        return self.W_o(transpose_output(output, self.num_heads))


class PositionalEncoding(nn.Block):
    def __init__(self, num_hiddens, dropout, max_len=100):
        super(PositionalEncoding, self).__init__()
        self.dropout = nn.Dropout(dropout)
        self.P = np.zeros((1, max_len, num_hiddens))
        X = np.arange(max_len).reshape(-1, 1) / np.power(10000, np.arange(0, num_hiddens, 2) / num_hiddens)
        self.P[:, :, 0::2] = np.sin(X)
        self.P[:, :, 1::2] = np.cos(X)

    def forward(self, X):
        X = X + self.P[:, : X.shape[1], :].as_in_ctx(X.ctx)
        return self.dropout(X)


class EncoderBlock(nn.Block):
    def __init__(self, num_hiddens, ffn, num_heads, dropout, **kwargs):
        super(EncoderBlock, self).__init__(**kwargs)
        self.attention = MultiHeadAttention(num_hiddens, num_heads, dropout)
        self.norm1, self.norm2 = nn.LayerNorm(), nn.LayerNorm()
        self.dense1 = nn.Dense(ffn, flatten=False, activation="relu")
        self.dense2 = nn.Dense(num_hiddens, flatten=False)

    def forward(self, X, valid_lens):
        Y = self.norm1(X + self.attention(X, X, X, valid_lens))
        return self.norm2(Y + self.dense2(self.dense1(Y)))


class Classifier(nn.Block):
    def __init__(self, vocab_size, num_hiddens, ffn, heads, layers, **kwargs):
        super(Classifier, self).__init__(**kwargs)
        self.num_hiddens = num_hiddens
        self.embedding = nn.Embedding(vocab_size, num_hiddens)
        self.position = PositionalEncoding(num_hiddens, 0)
        self.blks = nn.Sequential()
        for _ in range(layers):
            self.blks.add(EncoderBlock(num_hiddens, ffn, heads, 0))
        self.out = nn.Dense(2)

    def forward(self, X, valid_lens):
        X = self.position(self.embedding(X) * math.sqrt(self.num_hiddens))
        for blk in self.blks:
            X = blk(X, valid_lens)
        return self.out(X.mean(axis=1))


show("masked", masked_softmax(np.array(draw("scores", (2, 2, 4), 1)), np.array([2, 3])))
show("masked by row", masked_softmax(np.array(draw("scores", (2, 2, 4), 1)), np.array([[1, 3], [2, 4]])))
queries, keys = np.array(draw("queries", (2, 1, 20), 1)), np.ones((2, 10, 2))
values = np.arange(40).reshape(1, 10, 4).repeat(2, axis=0)
valid_lens = np.array([2, 6])
attention = AdditiveAttention(num_hiddens=8, dropout=0.1)
attention.initialize(Seeded(0.3))
show("additive", attention(queries, keys, values, valid_lens))
attention = DotProductAttention(dropout=0.5)
show("dot product", attention(np.array(draw("queries", (2, 1, 2), 1)), keys, values, valid_lens))

rng = onp.random.RandomState(0)
tokens = rng.randint(0, 12, (40, 6))
lengths = rng.randint(3, 7, 40)
labels = onp.array([(row[:n] == 3).any() or (row[:n] == 5).any() for row, n in zip(tokens, lengths)])
tokens, lengths, labels = np.array(tokens), np.array(lengths), np.array(labels.astype("float32"))
net = Classifier(12, 8, 12, 2, 2)
net.initialize(Seeded(0.3))
loss = gluon.loss.SoftmaxCrossEntropyLoss()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
curve = []
for step in range(12):
    i = step % 2 * 20
    with autograd.record():
        l = loss(net(tokens[i : i + 20], lengths[i : i + 20]), labels[i : i + 20])
    l.backward()
    trainer.step(20)
    curve.append(float(l.mean()))
show("transformer", curve)
show("weights", net.blks[0].attention.attention.attention_weights[0])

layer = rnn.GRU(6, num_layers=2)
layer.initialize(Seeded(0.3))
X = npx.one_hot(tokens[:3].T, 12)
state = layer.begin_state(batch_size=3)
Y, state = layer(X, state)
print(Y.shape, [s.shape for s in state])
show("gru", Y[-1])
lstm = rnn.LSTM(4, bidirectional=True)
lstm.initialize(Seeded(0.3))
dense = nn.Dense(12)
dense.initialize(Seeded(0.3))
params = {**lstm.collect_params(), **dense.collect_params()}
trainer = gluon.Trainer(params, "sgd", {"learning_rate": 0.5})
curve = []
for step in range(8):
    with autograd.record():
        Y = lstm(X)
        l = loss(dense(Y.reshape(-1, Y.shape[-1])), tokens[:3].T.reshape(-1)).mean()
    l.backward()
    norm = math.sqrt(sum((p.grad() ** 2).sum() for p in params.values()))
    if norm > 1:
        for p in params.values():
            p.grad()[:] *= 1 / norm
    trainer.step(1)
    curve.append(float(l))
show("lstm", curve)
