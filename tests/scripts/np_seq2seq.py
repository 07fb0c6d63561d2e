"""Translation with mx.np: encoder and decoder, attention, masked loss, greedy search and BLEU."""

import collections
import math

import numpy as onp
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn, rnn

npx.set_np()
size, steps, pad, bos, eos = 12, 5, 0, 1, 2


def pairs(count):
    rng = onp.random.RandomState(3)
    source, target = onp.zeros((count, steps), "int32"), onp.zeros((count, steps), "int32")
    lengths = rng.randint(2, steps, count)
    for i, n in enumerate(lengths):
        words = rng.randint(3, size, n)
        source[i, : n + 1] = [*words, eos]
        target[i, : n + 1] = [*words[::-1], eos]
    arrays = source, lengths + 1, target, lengths + 1
    return [np.array(a, dtype="int32") for a in arrays]


class Encoder(nn.Block):
    def __init__(self, embed, hiddens, layers, **kwargs):
        super().__init__(**kwargs)
        self.embedding = nn.Embedding(size, embed)
        self.rnn = rnn.GRU(hiddens, layers)

    def forward(self, X):
        X = self.embedding(X).swapaxes(0, 1)
        return self.rnn(X, self.rnn.begin_state(batch_size=X.shape[1], ctx=X.ctx))


class Decoder(nn.Block):
    def __init__(self, embed, hiddens, layers, **kwargs):
        super().__init__(**kwargs)
        self.embedding = nn.Embedding(size, embed)
        self.rnn = rnn.GRU(hiddens, layers)
        self.dense = nn.Dense(size, flatten=False)

    def init_state(self, encoded, lengths):
        return encoded[1]

    def forward(self, X, state):
        X = self.embedding(X).swapaxes(0, 1)
        context = np.broadcast_to(state[0][-1], (X.shape[0], state[0].shape[1], state[0].shape[2]))
        output, state = self.rnn(np.concatenate((X, context), 2), state)
        return self.dense(output).swapaxes(0, 1), state


class AttentionDecoder(Decoder):
    def __init__(self, embed, hiddens, layers, **kwargs):
        super().__init__(embed, hiddens, layers, **kwargs)
        self.W_q = nn.Dense(hiddens, use_bias=False, flatten=False)
        self.W_k = nn.Dense(hiddens, use_bias=False, flatten=False)
        self.w_v = nn.Dense(1, use_bias=False, flatten=False)

    def init_state(self, encoded, lengths):
        outputs, state = encoded
        return outputs.swapaxes(0, 1), state, lengths

    def attend(self, query, keys, lengths):
        features = np.tanh(np.expand_dims(self.W_q(query), 2) + np.expand_dims(self.W_k(keys), 1))
        scores = self.w_v(features).squeeze(-1)
        shape = scores.shape
        rows = scores.reshape(-1, shape[-1])
        masked = npx.sequence_mask(rows, lengths.repeat(shape[1]), True, value=-1e6, axis=1)
        self.weights = npx.softmax(masked).reshape(shape)
        return npx.batch_dot(self.weights, keys)

    def forward(self, X, state):
        outputs, hidden, lengths = state
        outs = []
        for x in self.embedding(X).swapaxes(0, 1):
            context = self.attend(np.expand_dims(hidden[0][-1], axis=1), outputs, lengths)
            x = np.concatenate((context, np.expand_dims(x, axis=1)), axis=-1)
            out, hidden = self.rnn(x.swapaxes(0, 1), hidden)
            outs.append(out)
        return self.dense(np.concatenate(outs, axis=0)).swapaxes(0, 1), [outputs, hidden, lengths]


class MaskedLoss(gluon.loss.SoftmaxCELoss):
    def forward(self, pred, label, lengths):
        weights = np.expand_dims(np.ones_like(label), axis=-1)
        weights = npx.sequence_mask(weights, lengths, True, axis=1)
        return super().forward(pred, label, weights)


def bleu(pred, label, k):
    score = math.exp(min(0, 1 - len(label) / max(len(pred), 1)))
    for n in range(1, min(k, len(pred), len(label)) + 1):
        grams = collections.Counter(tuple(label[i : i + n]) for i in range(len(label) - n + 1))
        matches = 0
        for i in range(len(pred) - n + 1):
            if grams[tuple(pred[i : i + n])] > 0:
                matches += 1
                grams[tuple(pred[i : i + n])] -= 1
        score *= math.pow(matches / (len(pred) - n + 1), math.pow(0.5, n))
    return score


def train(title, decoder):
    encoder = Encoder(8, 12, 2)
    nets = [encoder, decoder]
    for net in nets:
        net.initialize(Seeded(0.4), force_reinit=True)
    trainers = [gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02}) for net in nets]
    source, source_lengths, target, target_lengths = pairs(32)
    loss, curve = MaskedLoss(), []
    for _ in range(12):
        begin = np.array([bos] * 32, dtype="int32").reshape(-1, 1)
        forced = np.concatenate([begin, target[:, :-1]], 1)
        with autograd.record():
            state = decoder.init_state(encoder(source), source_lengths)
            y_hat, _ = decoder(forced, state)
            l = loss(y_hat, target, target_lengths)
        l.backward()
        for trainer in trainers:
            trainer.step(float(target_lengths.sum()))
        curve.append(float(l.sum() / target_lengths.sum()))
    show(title, curve)
    scores = []
    for i in range(3):
        state = decoder.init_state(encoder(source[i : i + 1]), source_lengths[i : i + 1])
        X, words = np.array([[bos]], dtype="int32"), []
        for _ in range(steps):
            Y, state = decoder(X, state)
            X = Y.argmax(axis=2).astype("int32")
            word = int(X.squeeze(axis=0).astype("int32").item())
            if word == eos:
                break
            words.append(word)
        scores.append(bleu(words, [int(w) for w in target[i, : int(target_lengths[i]) - 1]], 2))
    show(title + " bleu", scores)
    show(title + " scores", Y)


print(MaskedLoss()(np.ones((3, 4, 10)), np.ones((3, 4)), np.array([4, 2, 0])).shape)
show("masked loss", MaskedLoss()(np.array(draw("p", (3, 4, 10), 1)), np.ones((3, 4)), np.array([4, 2, 0])))
train("plain", Decoder(8, 12, 2))
attention = AttentionDecoder(8, 12, 2)
train("attention", attention)
show("weights", attention.weights)
