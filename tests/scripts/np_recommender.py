"""Recommenders with mx.np: factorization, AutoRec, ranking losses, NeuMF, Caser, factorization machines."""

import numpy as onp
from _seeded import Seeded, show
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn

npx.set_np()
users, items, rows = 12, 15, 60
rng = onp.random.RandomState(4)
user, item = rng.randint(0, users, rows), rng.randint(0, items, rows)
score = 3 + onp.sin(user) + onp.cos(item)
data = gluon.data.ArrayDataset(np.array(user), np.array(item), np.array(score, dtype="float32"))
batches = gluon.data.DataLoader(data, shuffle=False, last_batch="rollover", batch_size=20)


class MF(nn.Block):
    def __init__(self, factors, **kwargs):
        super().__init__(**kwargs)
        self.P = nn.Embedding(input_dim=users, output_dim=factors)
        self.Q = nn.Embedding(input_dim=items, output_dim=factors)
        self.user_bias, self.item_bias = nn.Embedding(users, 1), nn.Embedding(items, 1)

    def forward(self, user_id, item_id):
        P_u, Q_i = self.P(user_id), self.Q(item_id)
        b_u, b_i = self.user_bias(user_id), self.item_bias(item_id)
        outputs = (P_u * Q_i).sum(axis=1) + np.squeeze(b_u) + np.squeeze(b_i)
        return outputs.flatten()


class AutoRec(nn.Block):
    def __init__(self, hiddens, dropout=0.0):
        super().__init__()
        self.encoder = nn.Dense(hiddens, activation="sigmoid", use_bias=True)
        self.decoder = nn.Dense(users, use_bias=True)
        self.dropout = nn.Dropout(dropout)

    def forward(self, input):
        pred = self.decoder(self.dropout(self.encoder(input)))
        if autograd.is_training():
            return pred * np.sign(input)
        return pred


class BPRLoss(gluon.loss.Loss):
    def __init__(self, weight=None, batch_axis=0, **kwargs):
        super().__init__(weight=None, batch_axis=0, **kwargs)

    def forward(self, positive, negative):
        distances = positive - negative
        return -np.sum(np.log(npx.sigmoid(distances)), 0, keepdims=True)


class HingeRank(gluon.loss.Loss):
    def __init__(self, weight=None, batch_axis=0, **kwargs):
        super().__init__(weight=None, batch_axis=0, **kwargs)

    def forward(self, positive, negative, margin=1):
        distances = positive - negative
        return np.sum(np.maximum(-distances + margin, 0))


class NeuMF(nn.Block):
    def __init__(self, factors, hiddens, **kwargs):
        super().__init__(**kwargs)
        self.P, self.Q = nn.Embedding(users, factors), nn.Embedding(items, factors)
        self.U, self.V = nn.Embedding(users, factors), nn.Embedding(items, factors)
        self.mlp = nn.Sequential()
        for count in hiddens:
            self.mlp.add(nn.Dense(count, activation="relu", use_bias=True))
        self.prediction = nn.Dense(1, activation="sigmoid", use_bias=False)

    def forward(self, user_id, item_id):
        gmf = self.P(user_id) * self.Q(item_id)
        mlp = self.mlp(np.concatenate([self.U(user_id), self.V(item_id)], axis=1))
        return self.prediction(np.concatenate([gmf, mlp], axis=1))


class Caser(nn.Block):
    def __init__(self, factors, L=4, d=2, d_prime=3, **kwargs):
        super().__init__(**kwargs)
        self.P, self.Q = nn.Embedding(users, factors), nn.Embedding(items, factors)
        self.d_prime, self.d = d_prime, d
        self.conv_v = nn.Conv2D(d, (L, 1), in_channels=1)
        self.conv_h, self.max_pool = nn.Sequential(), nn.Sequential()
        for i in range(1, L + 1):
            self.conv_h.add(nn.Conv2D(d_prime, (i, factors), in_channels=1))
            self.max_pool.add(nn.MaxPool1D(L - i + 1))
        self.fc = nn.Dense(in_units=factors * d + d_prime * L, activation="relu", units=factors)
        self.Q_prime, self.b = nn.Embedding(items, factors * 2), nn.Embedding(items, 1)

    def forward(self, user_id, seq, item_id):
        embs = np.expand_dims(self.Q(seq), 1)
        user_emb = self.P(user_id)
        out_v = self.conv_v(embs)
        out_hs = []
        for conv, maxp in zip(self.conv_h, self.max_pool):
            t = maxp(np.squeeze(npx.relu(conv(embs)), axis=3))
            out_hs.append(np.squeeze(t, axis=2))
        out = np.concatenate([out_v.reshape(out_v.shape[0], -1), np.concatenate(out_hs, axis=1)], axis=1)
        z = self.fc(out)
        x = np.concatenate([z, user_emb], axis=1)
        q, b = np.squeeze(self.Q_prime(item_id)), np.squeeze(self.b(item_id))
        return (x * q).sum(1) + b


class DeepFM(nn.Block):
    def __init__(self, dims, factors, hiddens, **kwargs):
        super().__init__(**kwargs)
        count = int(sum(dims))
        self.offsets = np.array([0, *onp.cumsum(dims)[:-1]], dtype="int32")
        self.embedding, self.fc = nn.Embedding(count, factors), nn.Embedding(count, 1)
        self.linear = nn.Dense(1, use_bias=True)
        self.mlp = nn.Sequential()
        for units in hiddens:
            self.mlp.add(
                nn.Dense(units, "relu", True, in_units=len(dims) * factors if units == hiddens[0] else 0)
            )
        self.mlp.add(nn.Dense(units=1))

    def forward(self, x):
        x = x + self.offsets
        embedded = self.embedding(x)
        square_of_sum = np.sum(embedded, axis=1) ** 2
        sum_of_square = np.sum(embedded**2, axis=1)
        deep = self.mlp(np.reshape(embedded, (-1, embedded.shape[1] * embedded.shape[2])))
        pairs = 0.5 * (square_of_sum - sum_of_square).sum(1, keepdims=True)
        return npx.sigmoid(self.linear(self.fc(x).sum(1)) + pairs + deep)


def fit(title, net, steps, loss_of, optimizer="adam", **options):
    net.initialize(Seeded(0.3), force_reinit=True)
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.02, **options})
    curve = []
    for _ in range(steps):
        with autograd.record():
            l = loss_of()
        l.backward()
        trainer.step(20)
        curve.append(float(l.mean()))
    show(title, curve)


mf, loss = MF(4), gluon.loss.L2Loss()
mf.initialize(Seeded(0.3))
trainer = gluon.Trainer(mf.collect_params(), "adam", {"learning_rate": 0.05, "wd": 1e-5})
curve = []
for _ in range(4):
    for u, i, s in batches:
        with autograd.record():
            l = loss(mf(u, i), s)
        l.backward()
        trainer.step(20)
        curve.append(float(l.mean()))
show("factorization", curve)
show("predicted", mf(np.array([3], dtype="int32"), np.array([5], dtype="int32")))
matrix = onp.zeros((items, users), "float32")
matrix[item, user] = score
matrix = np.array(matrix)
autorec = AutoRec(8)
fit("autorec", autorec, 8, lambda: loss(autorec(matrix), matrix))
show("filled", autorec(matrix[:1]))
u, p = np.array(user[:20]), np.array(item[:20])
n = np.array((item[:20] + 3) % items)
neumf = NeuMF(4, [8, 8])
bpr, hinge = BPRLoss(), HingeRank()
fit("neumf", neumf, 8, lambda: bpr(neumf(u, p), neumf(u, n)))
fit("hinge", neumf, 4, lambda: hinge(neumf(u, p), neumf(u, n)))
seq = np.array(rng.randint(0, items, (20, 4)))
caser = Caser(4)
fit("caser", caser, 6, lambda: bpr(caser(u, seq, p), caser(u, seq, n)), wd=1e-3)
features = np.array(onp.stack([user[:20], item[:20], (user + item)[:20] % 5], 1), dtype="int32")
clicks = np.array((score[:20] > 3).astype("float32"))
fm = DeepFM([users, items, 5], 4, [8, 6])
bce = gluon.loss.SigmoidBinaryCrossEntropyLoss(from_sigmoid=True)
fit("deepfm", fm, 8, lambda: bce(fm(features), clicks))
