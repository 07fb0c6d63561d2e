"""BERT with mx.np: segments, masked words and next sentences, pretrained and then fine-tuned."""

import numpy as onp
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn

npx.set_np()
size, length, hiddens, heads = 20, 8, 12, 3


class MultiHead(nn.Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.query, self.key, self.value, self.out = (
            nn.Dense(hiddens, use_bias=True, flatten=False) for _ in range(4)
        )

    def split(self, X):
        X = X.reshape(X.shape[0], X.shape[1], heads, -1).transpose(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def forward(self, X, valid_lens):
        queries, keys, values = (self.split(dense(X)) for dense in (self.query, self.key, self.value))
        scores = npx.batch_dot(queries, keys, transpose_b=True) / np.sqrt(queries.shape[-1])
        shape = scores.shape
        lens = np.repeat(np.repeat(valid_lens, heads), shape[1])
        scores = npx.sequence_mask(scores.reshape(-1, shape[-1]), lens, True, value=-1e6, axis=1)
        Y = npx.batch_dot(npx.softmax(scores).reshape(shape), values)
        Y = Y.reshape(-1, heads, Y.shape[1], Y.shape[2]).transpose(0, 2, 1, 3)
        return self.out(Y.reshape(Y.shape[0], Y.shape[1], -1))


class Layer(nn.Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.attention, self.norm1, self.norm2 = MultiHead(), nn.LayerNorm(), nn.LayerNorm()
        self.inner, self.outer = nn.Dense(24, flatten=False), nn.Dense(hiddens, flatten=False)

    def forward(self, X, valid_lens):
        X = self.norm1(X + self.attention(X, valid_lens))
        return self.norm2(X + self.outer(npx.leaky_relu(self.inner(X), act_type="gelu")))


class Encoder(nn.Block):
    def __init__(self, layers, **kwargs):
        super().__init__(**kwargs)
        self.tokens, self.segments = nn.Embedding(size, hiddens), nn.Embedding(2, hiddens)
        self.position = self.params.get("pos_embedding", shape=(1, length, hiddens))
        self.layers = nn.Sequential()
        for _ in range(layers):
            self.layers.add(Layer())

    def forward(self, tokens, segments, valid_lens):
        X = self.tokens(tokens) + self.segments(segments)
        X = X + self.position.data(ctx=X.ctx)[:, : X.shape[1], :]
        for layer in self.layers:
            X = layer(X, valid_lens)
        return X


class Words(nn.Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.mlp = nn.Sequential()
        self.mlp.add(nn.Dense(hiddens, flatten=False, activation="relu"), nn.LayerNorm())
        self.mlp.add(nn.Dense(size, flatten=False))

    def forward(self, X, positions):
        count = positions.shape[1]
        batch = np.repeat(np.arange(0, X.shape[0]), count)
        return self.mlp(X[batch, positions.reshape(-1)].reshape((X.shape[0], count, -1)))


class Model(nn.Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.encoder, self.words = Encoder(2), Words()
        self.hidden, self.next = nn.Dense(hiddens, activation="tanh"), nn.Dense(2)

    def forward(self, tokens, segments, valid_lens, positions):
        X = self.encoder(tokens, segments, valid_lens)
        return X, self.words(X, positions), self.next(self.hidden(X[:, 0, :]))


rng = onp.random.RandomState(1)
tokens = rng.randint(4, size, (16, length))
tokens[:, 0] = 1
lengths = rng.randint(5, length + 1, 16)
segments = (onp.arange(length) >= 4).astype("int32") * onp.ones((16, 1), "int32")
positions = onp.stack([1 + rng.permutation(4)[:2] for _ in range(16)])
answers = onp.take_along_axis(tokens, positions, 1)
onp.put_along_axis(tokens, positions, 2, 1)
weights = onp.ones((16, 2), "float32")
weights[::3, 1] = 0
follows = answers[:, 0] % 2
arrays = [np.array(a, dtype="int32") for a in (tokens, segments, positions, answers, follows)]
tokens, segments, positions, answers, follows = arrays
lengths, weights = np.array(lengths, dtype="float32"), np.array(weights)
net = Model()
net.initialize(Seeded(0.2))
loss = gluon.loss.SoftmaxCELoss()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
curve, sentences = [], []
for _ in range(8):
    with autograd.record():
        _, words, follow = net(tokens, segments, lengths, positions)
        word_l = loss(words.reshape((-1, size)), answers.reshape(-1), weights.reshape((-1, 1)))
        word_l = word_l.sum() / (weights.sum() + 1e-8)
        follow_l = loss(follow, follows).mean()
        l = word_l + follow_l
    l.backward()
    trainer.step(1)
    curve.append(float(word_l))
    sentences.append(float(follow_l))
show("words", curve)
show("sentences", sentences)
show("encoded", net(tokens[:1], segments[:1], lengths[:1], positions[:1])[0][0, 0])


class Classifier(nn.Block):
    def __init__(self, bert, **kwargs):
        super().__init__(**kwargs)
        self.encoder, self.hidden = bert.encoder, bert.hidden
        self.output = nn.Dense(3)

    def forward(self, inputs):
        X = self.encoder(*inputs)
        return self.output(self.hidden(X[:, 0, :]))


classifier = Classifier(net)
classifier.output.initialize(Seeded(0.2), ctx=npx.cpu())
labels = np.array(rng.randint(0, 3, 16), dtype="float32")
trainer = gluon.Trainer(classifier.collect_params(), "adam", {"learning_rate": 0.005})
curve, right = [], []
for _ in range(6):
    with autograd.record():
        y_hat = classifier((tokens, segments, lengths))
        l = loss(y_hat, labels)
    l.backward()
    trainer.step(16)
    curve.append(float(l.mean()))
    right.append(float((y_hat.argmax(axis=1).astype(labels.dtype) == labels).astype(labels.dtype).sum()))
show("fine-tuned", curve)
show("right", right)
show("scaled", np.array(draw("s", (2, 3), 1)) / np.sqrt(3))
