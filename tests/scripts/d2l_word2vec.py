"""Word vectors: skip-gram with negative samples, and a text CNN over embeddings of two kinds."""

import collections

import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn

text = """the cat sat on the mat the dog sat on the rug a cat and a dog ran to the tree
the bird sang in the tree a dog barked at the bird the cat slept on the rug""".replace("\n", " ").split()
counter = collections.Counter(text)
idx_to_token = sorted(counter, key=lambda t: (-counter[t], t))
token_to_idx = {t: i for i, t in enumerate(idx_to_token)}
corpus = [token_to_idx[t] for t in text]
rng = np.random.RandomState(0)
weights = np.array([counter[t] ** 0.75 for t in idx_to_token])


def examples(window, K):
    for i, center in enumerate(corpus):
        context = corpus[max(0, i - window) : i] + corpus[i + 1 : i + 1 + window]
        negatives = rng.choice(len(idx_to_token), K * len(context), p=weights / weights.sum())
        yield center, context, [int(n) for n in negatives if n not in context]


def batchify(data):
    max_len = max(len(c) + len(n) for _, c, n in data)
    centers, contexts_negatives, masks, labels = [], [], [], []
    for center, context, negative in data:
        cur_len = len(context) + len(negative)
        centers += [center]
        contexts_negatives += [context + negative + [0] * (max_len - cur_len)]
        masks += [[1] * cur_len + [0] * (max_len - cur_len)]
        labels += [[1] * len(context) + [0] * (max_len - len(context))]
    return (
        nd.array(centers).reshape((-1, 1)),
        nd.array(contexts_negatives),
        nd.array(masks),
        nd.array(labels),
    )


def skip_gram(center, contexts_and_negatives, embed_v, embed_u):
    v = embed_v(center)
    u = embed_u(contexts_and_negatives)
    return nd.batch_dot(v, u.swapaxes(1, 2))


all_examples = list(examples(2, 3))
data_iter = gluon.data.DataLoader(all_examples, 12, batchify_fn=batchify, num_workers=0)
loss = gloss.SigmoidBinaryCrossEntropyLoss()
net = nn.Sequential()
net.add(
    nn.Embedding(input_dim=len(idx_to_token), output_dim=8),
    nn.Embedding(input_dim=len(idx_to_token), output_dim=8),
)
net.initialize(Seeded(0.5), force_reinit=True)
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
curve = []
for epoch in range(5):
    for center, context_negative, mask, label in data_iter:
        with autograd.record():
            pred = skip_gram(center, context_negative, net[0], net[1])
            l = loss(pred.reshape(label.shape), label, mask) * mask.shape[1] / mask.sum(axis=1)
        l.backward()
        trainer.step(12)
        curve.append(l.mean().asscalar())
show("skip-gram", curve)


def similar_tokens(query_token, k, embed):
    W = embed.weight.data()
    x = W[token_to_idx[query_token]]
    cos = nd.dot(W, x) / (nd.sum(W * W, axis=1) * nd.sum(x * x) + 1e-9).sqrt()
    topk = nd.topk(cos, k=k + 1, ret_typ="indices").asnumpy().astype("int32")
    show("cosines", [cos[int(i)].asscalar() for i in topk[1:]])
    print([idx_to_token[i] for i in topk[1:]])


similar_tokens("cat", 3, net[0])


class TextCNN(nn.Block):
    def __init__(self, vocab, embed_size, kernel_sizes, num_channels, **kwargs):
        super(TextCNN, self).__init__(**kwargs)
        self.embedding = nn.Embedding(len(vocab), embed_size)
        self.constant_embedding = nn.Embedding(len(vocab), embed_size)
        self.dropout = nn.Dropout(0.0)
        self.decoder = nn.Dense(2)
        self.pool = nn.GlobalMaxPool1D()
        self.convs = nn.Sequential()
        for c, k in zip(num_channels, kernel_sizes):
            self.convs.add(nn.Conv1D(c, k, activation="relu"))

    def forward(self, inputs):
        embeddings = nd.concat(self.embedding(inputs), self.constant_embedding(inputs), dim=2)
        embeddings = embeddings.transpose((0, 2, 1))
        encoding = nd.concat(*[nd.flatten(self.pool(conv(embeddings))) for conv in self.convs], dim=1)
        return self.decoder(self.dropout(encoding))


reviews = nd.array(rng.randint(0, len(idx_to_token), (40, 9)))
sentiment = (reviews == token_to_idx["cat"]).sum(axis=1) > (reviews == token_to_idx["dog"]).sum(axis=1)
net = TextCNN(idx_to_token, 6, [2, 3, 4], [4, 4, 4])
net.initialize(Seeded(0.3))
net.constant_embedding.weight.set_data(draw("glove", (len(idx_to_token), 6), 1))
net.constant_embedding.collect_params().setattr("grad_req", "null")
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
loss = gloss.SoftmaxCrossEntropyLoss()
curve = []
for epoch in range(6):
    for i in range(0, 40, 20):
        with autograd.record():
            l = loss(net(reviews[i : i + 20]), sentiment[i : i + 20])
        l.backward()
        trainer.step(20)
        curve.append(l.mean().asscalar())
show("text cnn", curve)
show("constant", net.constant_embedding.weight.data().sum())
