"""A tagger: a conditional random field over a bidirectional LSTM, forward scores, Viterbi, items."""

import mxnet as mx
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import Block, nn, rnn

START, STOP = "<s>", "</s>"
tags = {"B": 0, "I": 1, "O": 2, START: 3, STOP: 4}


def argmax(vec):
    idx = nd.argmax(vec, axis=1)
    return int(idx.asscalar())


def log_sum_exp(vec):
    max_score = nd.max(vec).asscalar()
    return nd.log(nd.sum(nd.exp(vec - max_score))) + max_score


class Tagger(Block):
    def __init__(self, size, embed, hidden):
        super(Tagger, self).__init__()
        with self.name_scope():
            self.tagset_size = len(tags)
            self.hidden = hidden
            self.word_embeds = nn.Embedding(size, embed)
            self.lstm = rnn.LSTM(hidden // 2, num_layers=1, bidirectional=True)
            self.hidden2tag = nn.Dense(self.tagset_size)
            self.transitions = self.params.get(
                "crf_transition_matrix", shape=(self.tagset_size, self.tagset_size)
            )

    def init_hidden(self):
        return [nd.array(draw("h%d" % i, (2, 1, self.hidden // 2), 0.3)) for i in range(2)]

    def _forward_alg(self, feats):
        alphas = [[-10000.0] * self.tagset_size]
        alphas[0][tags[START]] = 0.0
        alphas = nd.array(alphas)
        for feat in feats:
            alphas_t = []
            for next_tag in range(self.tagset_size):
                emit_score = feat[next_tag].reshape((1, -1))
                trans_score = self.transitions.data()[next_tag].reshape((1, -1))
                alphas_t.append(log_sum_exp(alphas + trans_score + emit_score))
            alphas = nd.concat(*alphas_t, dim=0).reshape((1, -1))
        return log_sum_exp(alphas + self.transitions.data()[tags[STOP]])

    def _get_lstm_features(self, sentence):
        hidden = self.init_hidden()
        length = sentence.shape[0]
        embeds = self.word_embeds(sentence).reshape((length, 1, -1))
        out, hidden = self.lstm(embeds, hidden)
        return nd.split(
            self.hidden2tag(out.reshape((length, self.hidden))), num_outputs=length, axis=0, squeeze_axis=True
        )

    def _score_sentence(self, feats, tags_array):
        score = nd.array([0])
        tags_array = nd.concat(nd.array([tags[START]]), *tags_array, dim=0)
        for idx, feat in enumerate(feats):
            step = self.transitions.data()[
                int(tags_array[idx + 1].asscalar()), int(tags_array[idx].asscalar())
            ]
            score = score + step + feat[tags_array[idx + 1]]
        return (
            score
            + self.transitions.data()[tags[STOP], int(tags_array[int(tags_array.shape[0] - 1)].asscalar())]
        )

    def _viterbi_decode(self, feats):
        backpointers = []
        vvars = nd.full((1, self.tagset_size), -10000.0)
        vvars[0, tags[START]] = 0
        for feat in feats:
            bptrs, viterbi = [], []
            for next_tag in range(self.tagset_size):
                next_var = vvars + self.transitions.data()[next_tag]
                best = argmax(next_var)
                bptrs.append(best)
                viterbi.append(next_var[0, best])
            vvars = (nd.concat(*viterbi, dim=0) + feat).reshape((1, -1))
            backpointers.append(bptrs)
        terminal = vvars + self.transitions.data()[tags[STOP]]
        best = argmax(terminal)
        score, path = terminal[0, best], [best]
        for bptrs in reversed(backpointers):
            best = bptrs[best]
            path.append(best)
        start = path.pop()
        assert start == tags[START]
        path.reverse()
        return score, path

    def neg_log_likelihood(self, sentence, truth):
        feats = self._get_lstm_features(sentence)
        return self._forward_alg(feats) - self._score_sentence(feats, truth)

    def forward(self, sentence):
        return self._viterbi_decode(self._get_lstm_features(sentence))


data = [
    ("the wall street journal reported today that apple made money".split(), "B I I I O O O B O O".split()),
    ("tech is a school in georgia".split(), "B O O O O B".split()),
]
words = {}
for sentence, _ in data:
    for word in sentence:
        words.setdefault(word, len(words))
model = Tagger(len(words), 5, 4)
model.initialize(Seeded(0.4), ctx=mx.cpu())
trainer = gluon.Trainer(model.collect_params(), "sgd", {"learning_rate": 0.05, "wd": 1e-4})
score, path = model(nd.array([words[w] for w in data[0][0]]))
show("before", score)
print(path)
curve = []
for epoch in range(6):
    for sentence, truth in data:
        with autograd.record():
            inputs = nd.array([words[w] for w in sentence])
            targets = nd.array([tags[t] for t in truth])
            l = model.neg_log_likelihood(inputs, targets)
        l.backward()
        trainer.step(1)
        curve.append(l.asscalar())
show("likelihood", curve)
score, path = model(nd.array([words[w] for w in data[0][0]]))
show("after", score)
print(path)
show("transitions", model.transitions.data()[:3, :3])
