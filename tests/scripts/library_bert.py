"""Language models as libraries write them: BERT with interleaved attention, LAMB, a stateful LSTM."""

import math

import mxnet as mx
import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import HybridBlock, nn, rnn

rng = np.random.RandomState(0)


class PositionwiseFFN(HybridBlock):
    def __init__(self, units, hidden_size, prefix=None, params=None):
        super().__init__(prefix=prefix, params=params)
        with self.name_scope():
            self.ffn_1 = nn.Dense(units=hidden_size, flatten=False, prefix="ffn_1_")
            self.activation = nn.GELU()
            self.ffn_2 = nn.Dense(units=units, flatten=False, prefix="ffn_2_")
            self.layer_norm = nn.LayerNorm(in_channels=units, epsilon=1e-12)

    def hybrid_forward(self, F, inputs):
        return self.layer_norm(self.ffn_2(self.activation(self.ffn_1(inputs))) + inputs)


class SelfAttention(HybridBlock):
    def __init__(self, units, heads, prefix=None, params=None):
        super().__init__(prefix=prefix, params=params)
        self._units, self._heads = units, heads
        with self.name_scope():
            self.qkv_weight = self.params.get("qkv_weight", shape=(3 * units, units))
            self.qkv_bias = self.params.get("qkv_bias", shape=(3 * units,), init="zeros")
            self.proj = nn.Dense(units, flatten=False, in_units=units, prefix="proj_")
            self.layer_norm = nn.LayerNorm(in_channels=units, epsilon=1e-12)

    def hybrid_forward(self, F, qkv, valid_len, qkv_weight, qkv_bias):
        steps = F.contrib.arange_like(qkv, axis=0)
        mask = F.broadcast_lesser(F.reshape(steps, (1, 1, -1)), F.reshape(valid_len, (-1, 1, 1)))
        ones = F.expand_dims(F.ones_like(steps), axis=-1)
        mask = F.broadcast_mul(ones, mask)
        mask = F.broadcast_axis(F.expand_dims(mask, axis=1), axis=1, size=self._heads)
        mask = F.reshape(mask, shape=(-1, 0, 0), reverse=True)
        proj = F.FullyConnected(
            data=qkv, weight=qkv_weight, bias=qkv_bias, num_hidden=3 * self._units, flatten=False
        )
        att_score = F.contrib.interleaved_matmul_selfatt_qk(proj, heads=self._heads)
        masked = F.where(mask, att_score, F.ones_like(att_score) * -1e4)
        weights = F.softmax(masked, axis=-1)
        context = F.contrib.interleaved_matmul_selfatt_valatt(proj, weights, heads=self._heads)
        return self.layer_norm(self.proj(context) + qkv)


class Encoder(HybridBlock):
    def __init__(self, vocab, units, hidden, heads, layers, max_length=10, **kwargs):
        super().__init__(**kwargs)
        self._units = units
        with self.name_scope():
            self.word_embed = nn.Embedding(vocab, units, prefix="word_embed_")
            self.position_weight = self.params.get("position_weight", shape=(max_length, units))
            self.layer_norm = nn.LayerNorm(in_channels=units)
            self.cells = nn.HybridSequential()
            with self.cells.name_scope():
                for i in range(layers):
                    self.cells.add(SelfAttention(units, heads, prefix="att%d_" % i))
                    self.cells.add(PositionwiseFFN(units, hidden, prefix="ffn%d_" % i))
            self.pooler = nn.Dense(units, activation="tanh", flatten=False)
            self.decoder = nn.Dense(vocab, flatten=False, params=self.word_embed.params)

    def hybrid_forward(self, F, inputs, valid_len, positions, position_weight):
        x = self.word_embed(inputs).swapaxes(0, 1)
        steps = F.contrib.arange_like(x, axis=0)
        x = F.broadcast_add(
            x,
            F.expand_dims(F.Embedding(steps, position_weight, input_dim=10, output_dim=self._units), axis=1),
        )
        x = self.layer_norm(x)
        for i, cell in enumerate(self.cells._children.values()):
            x = cell(x, valid_len) if i % 2 == 0 else cell(x)
        x = x.swapaxes(0, 1)
        first = F.reshape(F.slice_axis(x, axis=1, begin=0, end=1), (0, -1))
        batch_idx = F.broadcast_add(
            F.expand_dims(F.contrib.arange_like(positions, axis=0), 1), F.zeros_like(positions)
        )
        idx = F.stack(F.reshape(batch_idx, (-1,)), F.reshape(positions, (-1,)), axis=0)
        chosen = F.gather_nd(x, idx)
        return self.decoder(chosen), self.pooler(first)


tokens, lengths = rng.randint(1, 16, (24, 8)), rng.randint(4, 9, 24)
positions = np.stack([rng.randint(0, 4, 24), rng.randint(0, 4, 24)], axis=1)
wanted = np.take_along_axis(tokens, positions, axis=1)
masked = tokens.copy()
np.put_along_axis(masked, positions, 0, axis=1)
loss = gluon.loss.SoftmaxCELoss()
for hybrid in (False, True):
    net = Encoder(16, 8, 16, 2, 2, prefix="bert_")
    net.initialize(Seeded(0.3))
    if hybrid:
        net.hybridize(static_alloc=True)
    trainer = gluon.Trainer(
        net.collect_params(), "lamb", {"learning_rate": 0.02, "wd": 0.01}, update_on_kvstore=False
    )
    for _, v in net.collect_params(".*beta|.*gamma|.*bias").items():
        v.wd_mult = 0.0
    params = [p for p in net.collect_params().values() if p.grad_req != "null"]
    curve, norms = [], []
    for step in range(8):
        i = step % 2 * 12
        batch = [nd.array(a[i : i + 12], dtype="float32") for a in (masked, lengths, positions)]
        with autograd.record():
            scores, pooled = net(*batch)
            l = (
                loss(scores, nd.array(wanted[i : i + 12].reshape(-1))).mean()
                + 0.1 * nd.square(pooled - 0.5).mean()
            )
        l.backward()
        trainer.allreduce_grads()
        norms.append(gluon.utils.clip_global_norm([p.grad() for p in params], 1.0))
        trainer.update(1)
        curve.append(l.asscalar())
    show("hybrid" if hybrid else "eager", curve)
    show("norms", norms)
show("pooled", pooled[:2])


class StandardRNN(gluon.Block):
    def __init__(self, vocab, embed, hidden, layers, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.embedding = nn.HybridSequential()
            with self.embedding.name_scope():
                self.embedding.add(nn.Embedding(vocab, embed, weight_initializer=Seeded(0.4)))
            self.encoder = rnn.LSTM(hidden, layers, input_size=embed)
            self.decoder = nn.HybridSequential()
            with self.decoder.name_scope():
                self.decoder.add(nn.Dense(vocab, flatten=False, params=self.embedding[0].params))

    def begin_state(self, *args, **kwargs):
        return self.encoder.begin_state(*args, **kwargs)

    def forward(self, inputs, begin_state):
        encoded, state = self.encoder(self.embedding(inputs), begin_state)
        return self.decoder(encoded), state, encoded


def detach(hidden):
    if isinstance(hidden, (tuple, list)):
        return [detach(h) for h in hidden]
    return hidden.detach()


corpus = nd.array(rng.randint(0, 9, 200).repeat(2)[:320].reshape(4, 80).T)
model = StandardRNN(9, 8, 8, 2)
model.initialize(Seeded(0.3))
trainer = gluon.Trainer(model.collect_params(), "sgd", {"learning_rate": 5, "momentum": 0, "wd": 0})
curve = []
for epoch in range(2):
    hidden = model.begin_state(func=mx.nd.zeros, batch_size=4)
    for i in range(0, 78, 13):
        data, target = corpus[i : i + 13], corpus[i + 1 : i + 14]
        hidden = detach(hidden)
        with autograd.record():
            output, hidden, encoded = model(data, hidden)
            l = loss(output.reshape((-3, -1)), target.reshape((-1,)))
            activation = 0.01 * (encoded**2).mean() + 0.01 * ((encoded[1:] - encoded[:-1]) ** 2).mean()
            total = l.sum() / 13 + activation * 52
        total.backward()
        grads = [p.grad() for p in model.collect_params().values()]
        gluon.utils.clip_global_norm(grads, 0.25 * 4)
        trainer.step(4)
        curve.append(math.exp(l.mean().asscalar()))
show("language model", curve)
