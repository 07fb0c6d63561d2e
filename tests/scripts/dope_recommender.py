"""Matrix factorization for ratings, and linear dynamical systems by a recurrent filter."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd

rng = np.random.RandomState(0)
users, items = rng.randint(0, 20, 200), rng.randint(0, 15, 200)
taste, kind = rng.normal(size=(20, 3)), rng.normal(size=(15, 3))
scores = (taste[users] * kind[items]).sum(axis=1)
train = gluon.data.DataLoader(
    gluon.data.ArrayDataset(users.astype("int32"), items.astype("int32"), scores.astype("float32")),
    batch_size=40,
    shuffle=False,
)


class MFBlock(gluon.Block):
    def __init__(self, max_users, max_items, num_emb, dropout_p=0.0):
        super(MFBlock, self).__init__()
        with self.name_scope():
            self.user_embeddings = gluon.nn.Embedding(max_users, num_emb)
            self.item_embeddings = gluon.nn.Embedding(max_items, num_emb)
            self.dropout = gluon.nn.Dropout(dropout_p)
            self.dense = gluon.nn.Dense(num_emb, activation="relu")

    def forward(self, users, items):
        a = self.user_embeddings(users)
        a = self.dense(a)
        b = self.item_embeddings(items)
        b = self.dense(b)
        predictions = self.dropout(a) * self.dropout(b)
        predictions = nd.sum(predictions, axis=1)
        return predictions


net = MFBlock(max_users=20, max_items=15, num_emb=8)
net.collect_params().initialize(Seeded(0.4), force_reinit=True)
loss_function = gluon.loss.L2Loss()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3, "wd": 1e-5, "momentum": 0.9})


def eval_net(data, net):
    acc = 0.0
    for user, item, score in data:
        predictions = net(user, item).reshape((-1, 1))
        acc += loss_function(predictions, score.reshape((-1, 1))).sum().asscalar()
    return acc / 200


for e in range(6):
    curve = []
    for user, item, score in train:
        with autograd.record():
            output = net(user, item)
            loss = loss_function(output, score)
        loss.backward()
        trainer.step(40)
        curve.append(loss.mean().asscalar())
    show("epoch %d" % e, curve + [eval_net(train, net)])

T, H, D = 12, 2, 1
A = nd.array([[0.9, 0.2], [-0.2, 0.9]])
g, sigma = nd.array([[1.0, 0.0]]), 0.3
states, observed = np.zeros(2) + 1, []
for t in range(T):
    states = A.asnumpy().dot(states) + 0.1 * rng.normal(size=2)
    observed.append(states[0] + 0.3 * rng.normal())
v = nd.array(observed)


def kalman(A, B, sigma):
    f, F = nd.zeros((H, 1)), nd.eye(H)
    log_p = []
    for t in range(T):
        f_h = nd.dot(A, f)
        F_hh = nd.linalg.gemm2(A, nd.linalg.gemm2(F, A, transpose_b=True)) + 0.01 * nd.eye(H)
        f_v = nd.dot(B, f_h)
        F_hv = nd.dot(F_hh, B, transpose_b=True)
        F_vv = nd.dot(B, F_hv) + nd.square(sigma)
        L = nd.linalg.potrf(F_vv)
        K = nd.dot(F_hv, nd.linalg.potri(L))
        delta = v[t].reshape((1, 1)) - f_v
        f = f_h + nd.dot(K, delta)
        F = F_hh - nd.dot(K, F_hv.T)
        F = (F + F.T) / 2
        scaled = nd.linalg.trsm(L, delta)
        log_p.append(-0.5 * (nd.square(scaled).sum() + nd.linalg.sumlogdiag(L) * 2 + np.log(2 * np.pi)))
    return nd.concat(*log_p, dim=0), f


params = [A, g, nd.array([[sigma + 0.5]])]
for p in params:
    p.attach_grad()
curve = []
for step in range(15):
    with autograd.record():
        log_p, f = kalman(*params)
        loss = -log_p.sum()
    loss.backward()
    for p in params:
        p -= 0.01 * nd.clip(p.grad, -2, 2)
    curve.append(loss.asscalar())
show("likelihood", curve)
show("filtered", f)
