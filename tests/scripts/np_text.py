"""Words with mx.np: skip-gram with negative sampling, sentiment by recurrence and convolution, inference."""

import numpy as onp
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn, rnn

npx.set_np()
size = 16
rng = onp.random.RandomState(2)


def skip_gram(center, contexts_and_negatives, embed_v, embed_u):
    v, u = embed_v(center), embed_u(contexts_and_negatives)
    return npx.batch_dot(v, u.swapaxes(1, 2))


class SigmoidBCE(nn.Block):
    def __init__(self):
        super().__init__()
        self.loss = gluon.loss.SigmoidBCELoss()

    def forward(self, inputs, target, mask):
        return self.loss(inputs, target, mask)


net = nn.Sequential()
net.add(nn.Embedding(size, 6), nn.Embedding(size, 6))
net.initialize(Seeded(0.3))
print(skip_gram(np.ones((2, 1)), np.ones((2, 4)), *net).shape)
loss = gluon.loss.SigmoidBCELoss()
pred = np.array([[0.5] * 4] * 2)
label, mask = np.array([[1, 0, 1, 0]] * 2), np.array([[1, 1, 1, 1], [1, 1, 0, 0]])
show("masked", loss(pred, label, mask) / mask.sum(axis=1) * mask.shape[1])
center = np.array(rng.randint(0, size, (24, 1)))
context = np.array(rng.randint(0, size, (24, 6)))
mask = np.array((rng.rand(24, 6) > 0.2).astype("float32"))
label = np.array(onp.tile([1, 1, 0, 0, 0, 0], (24, 1)).astype("float32"))
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
curve = []
for _ in range(8):
    with autograd.record():
        pred = skip_gram(center, context, net[0], net[1])
        l = loss(pred.reshape(label.shape), label, mask) / mask.sum(axis=1) * mask.shape[1]
    l.backward()
    trainer.step(24)
    curve.append(float(l.mean()))
show("skip-gram", curve)
W = net[0].weight.data()
cos = np.dot(W, W[3]) / np.sqrt(np.sum(W * W, axis=1) * np.sum(W[3] * W[3]) + 1e-9)
topk = npx.topk(cos, k=4, ret_typ="indices").asnumpy().astype("int32")
print(topk.tolist())
show("similar", cos[np.array(topk)])


class BiRNN(nn.Block):
    def __init__(self, embed, hiddens, layers, **kwargs):
        super().__init__(**kwargs)
        self.embedding = nn.Embedding(size, embed)
        self.encoder = rnn.LSTM(hiddens, num_layers=layers, bidirectional=True, input_size=embed)
        self.decoder = nn.Dense(2)

    def forward(self, inputs):
        outputs = self.encoder(self.embedding(inputs.T))
        return self.decoder(np.concatenate((outputs[0], outputs[-1]), axis=1))


class TextCNN(nn.Block):
    def __init__(self, embed, kernel_sizes, channels, **kwargs):
        super().__init__(**kwargs)
        self.embedding, self.constant_embedding = nn.Embedding(size, embed), nn.Embedding(size, embed)
        self.dropout, self.decoder = nn.Dropout(0.0), nn.Dense(2)
        self.pool, self.convs = nn.GlobalMaxPool1D(), nn.Sequential()
        for c, k in zip(channels, kernel_sizes):
            self.convs.add(nn.Conv1D(c, k, activation="relu"))

    def forward(self, inputs):
        embeddings = np.concatenate((self.embedding(inputs), self.constant_embedding(inputs)), axis=2)
        embeddings = embeddings.transpose(0, 2, 1)
        encoding = np.concatenate(
            [np.squeeze(self.pool(conv(embeddings)), axis=-1) for conv in self.convs], axis=1
        )
        return self.decoder(self.dropout(encoding))


texts = np.array(rng.randint(0, size, (20, 7)))
marks = (texts.sum(axis=1) > 50).astype("float32")
for title, net in (("birnn", BiRNN(6, 5, 2)), ("textcnn", TextCNN(6, [2, 3], [4, 4]))):
    net.initialize(Seeded(0.3))
    if title == "textcnn":
        net.constant_embedding.weight.set_data(np.array(draw("glove", (size, 6), 0.3)))
        net.constant_embedding.collect_params().setattr("grad_req", "null")
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    ce, curve = gluon.loss.SoftmaxCrossEntropyLoss(), []
    for _ in range(8):
        with autograd.record():
            l = ce(net(texts), marks)
        l.backward()
        trainer.step(20)
        curve.append(float(l.mean()))
    show(title, curve)
    print(np.argmax(net(texts[:4]), axis=1).tolist())


def mlp(hiddens, flatten):
    net = nn.Sequential()
    net.add(nn.Dropout(0.0), nn.Dense(hiddens, activation="relu", flatten=flatten))
    net.add(nn.Dropout(0.0), nn.Dense(hiddens, activation="relu", flatten=flatten))
    return net


class Decomposable(nn.Block):
    def __init__(self, embed, hiddens, **kwargs):
        super().__init__(**kwargs)
        self.embedding = nn.Embedding(size, embed)
        self.f, self.g, self.h = mlp(hiddens, False), mlp(hiddens, False), mlp(hiddens, True)
        self.h.add(nn.Dense(3))

    def forward(self, X):
        premises, hypotheses = X
        A, B = self.embedding(premises), self.embedding(hypotheses)
        e = npx.batch_dot(self.f(A), self.f(B), transpose_b=True)
        beta = npx.batch_dot(npx.softmax(e), B)
        alpha = npx.batch_dot(npx.softmax(e.transpose([0, 2, 1])), A)
        V_A = self.g(np.concatenate([A, beta], axis=2)).sum(axis=1)
        V_B = self.g(np.concatenate([B, alpha], axis=2)).sum(axis=1)
        return self.h(np.concatenate([V_A, V_B], axis=1))


net = Decomposable(6, 8)
net.initialize(Seeded(0.3))
premises, hypotheses = np.array(rng.randint(0, size, (15, 5))), np.array(rng.randint(0, size, (15, 4)))
relations = np.array(rng.randint(0, 3, 15))
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
curve = []
for _ in range(6):
    with autograd.record():
        l = gluon.loss.SoftmaxCrossEntropyLoss()(net((premises, hypotheses)), relations)
    l.backward()
    trainer.step(15)
    curve.append(float(l.mean()))
show("inference", curve)
