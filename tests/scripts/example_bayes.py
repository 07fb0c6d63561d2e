"""Bayes by backprop, metric learning with margins, Gaussian processes' linear algebra, and own optimizers."""

import math

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)
X = nd.array(rng.uniform(-1, 1, (48, 2)))
y = (X[:, 0] * X[:, 1] > 0).astype("float32")


def log_gaussian(x, mu, sigma):
    return -0.5 * np.log(2.0 * np.pi) - nd.log(sigma) - (x - mu) ** 2 / (2 * sigma**2)


def scale_mixture_prior(x):
    first = 0.75 * nd.exp(log_gaussian(x, nd.zeros(1), nd.array([1.0])))
    return nd.log(first + 0.25 * nd.exp(log_gaussian(x, nd.zeros(1), nd.array([0.1]))))


shapes = [(2, 8), (8,), (8, 2), (2,)]
mus = [nd.array(draw("mu%d" % i, s, 0.3)) for i, s in enumerate(shapes)]
rhos = [nd.array(draw("rho%d" % i, s, 0.1)) - 3 for i, s in enumerate(shapes)]
variational = mus + rhos
for p in variational:
    p.attach_grad()
trainer_states = [nd.zeros_like(p) for p in variational]
curve = []
for step in range(12):
    epsilons = [nd.array(draw("%d %d" % (step, i), s, 1)) for i, s in enumerate(shapes)]
    with autograd.record():
        sigmas = [nd.log(1.0 + nd.exp(rho)) for rho in rhos]
        weights = [mu + sigma * eps for mu, sigma, eps in zip(mus, sigmas, epsilons)]
        hidden = nd.relu(nd.dot(X, weights[0]) + weights[1])
        output = nd.dot(hidden, weights[2]) + weights[3]
        likelihood = nd.sum(nd.nansum(nd.one_hot(y, 2) * nd.log_softmax(output), axis=0, exclude=True))
        prior = sum(scale_mixture_prior(w).sum() for w in weights)
        posterior = sum(log_gaussian(w, mu, sigma).sum() for w, mu, sigma in zip(weights, mus, sigmas))
        l = 0.1 * (posterior - prior) - likelihood
    l.backward()
    for p, state in zip(variational, trainer_states):
        mx.nd.sgd_mom_update(p, p.grad, state, lr=0.003, momentum=0.9, wd=0.0, out=p)
    curve.append(l.asscalar())
show("bayes", curve)
show("signal to noise", [(nd.abs(m) / nd.log(1 + nd.exp(r))).mean().asscalar() for m, r in zip(mus, rhos)])


@mx.optimizer.register
class Lion(mx.optimizer.Optimizer):
    def __init__(self, beta1=0.9, beta2=0.99, **kwargs):
        super(Lion, self).__init__(**kwargs)
        self.beta1, self.beta2 = beta1, beta2

    def create_state(self, index, weight):
        return nd.zeros(weight.shape, weight.context, dtype=weight.dtype)

    def update(self, index, weight, grad, state):
        self._update_count(index)
        lr, wd = self._get_lr(index), self._get_wd(index)
        grad = grad * self.rescale_grad
        if self.clip_gradient is not None:
            grad = nd.clip(grad, -self.clip_gradient, self.clip_gradient)
        direction = nd.sign(self.beta1 * state + (1 - self.beta1) * grad)
        weight[:] = weight - lr * (direction + wd * weight)
        state[:] = self.beta2 * state + (1 - self.beta2) * grad


class MarginLoss(gluon.loss.Loss):
    def __init__(self, margin=0.2, beta=1.2, weight=None, batch_axis=0, **kwargs):
        super(MarginLoss, self).__init__(weight, batch_axis, **kwargs)
        self._margin = margin
        with self.name_scope():
            self.beta = self.params.get("beta", shape=(1,), init=mx.init.Constant(beta))

    def hybrid_forward(self, F, anchors, positives, negatives, beta):
        d_ap = F.sqrt(F.sum(F.square(positives - anchors), axis=1) + 1e-8)
        d_an = F.sqrt(F.sum(F.square(negatives - anchors), axis=1) + 1e-8)
        pos_loss = F.maximum(F.broadcast_sub(d_ap, beta) + self._margin, 0.0)
        neg_loss = F.maximum(F.broadcast_sub(beta, d_an) + self._margin, 0.0)
        pairs = F.sum((pos_loss > 0.0) + (neg_loss > 0.0))
        return F.broadcast_div(F.sum(pos_loss + neg_loss), F.maximum(pairs, 1.0))


kinds = rng.normal(size=(4, 10))
embed = nn.HybridSequential()
embed.add(nn.Dense(12, activation="relu"), nn.Dense(4), nn.HybridLambda(lambda F, x: F.L2Normalization(x)))
embed.initialize(Seeded(0.3))
margin = MarginLoss()
margin.initialize()
embed.hybridize()
margin.hybridize()
params = embed.collect_params()
params.update(margin.collect_params())
trainer = gluon.Trainer(params, "lion", {"learning_rate": 0.01, "wd": 0.01, "clip_gradient": 1.0})
curve = []
for step in range(12):
    who = rng.randint(0, 4, 16)
    triple = [kinds[who], kinds[who], kinds[(who + rng.randint(1, 4, 16)) % 4]]
    triple = [nd.array(v + rng.normal(0, 0.3, v.shape)) for v in triple]
    with autograd.record():
        l = margin(*[embed(v) for v in triple])
    l.backward()
    trainer.step(1)
    curve.append(l.asscalar())
show("margin", curve)
show("beta", margin.beta.data())
show("embedded", embed(nd.array(kinds)))

x = nd.array(np.sort(rng.uniform(-2, 2, 12))).reshape((-1, 1))
target = nd.sin(x * 2) + 0.1 * nd.array(rng.normal(size=(12, 1)))
log_params = nd.array([0.0, 0.0, -1.0])
log_params.attach_grad()
curve = []
for step in range(12):
    with autograd.record():
        length, variance, noise = nd.split(nd.exp(log_params), 3, axis=0)
        sq = (x - x.T) ** 2
        K = variance * nd.exp(-0.5 * nd.broadcast_div(sq, (length**2).reshape((1, 1))))
        K = K + nd.broadcast_mul(nd.eye(12), noise.reshape((1, 1)))
        L = nd.linalg.potrf(K)
        alpha = nd.linalg.trsm(L, target)
        nll = 0.5 * nd.square(alpha).sum() + nd.linalg.sumlogdiag(L).sum() + 6 * math.log(2 * math.pi)
    nll.backward()
    log_params -= 0.05 * nd.clip(log_params.grad, -3, 3)
    curve.append(nll.asscalar())
show("gaussian process", curve)
show("hyperparameters", log_params)
A = nd.array(draw("A", (2, 3, 5), 1))
Q, Lq = nd.linalg.gelqf(A)
show("gelqf", nd.linalg.gemm2(Lq, Q, transpose_a=True))
U, lam = nd.linalg.syevd(nd.linalg.syrk(A, transpose=False))
show("eigenvalues", lam)
show("determinant", nd.linalg.slogdet(nd.linalg.syrk(A) + nd.eye(3).expand_dims(0))[1])
