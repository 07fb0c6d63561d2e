"""Classics: a Boltzmann machine, DQN, super resolution, activation maps, margins, spectral norms, LSTNet."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

# A restricted Boltzmann machine with fixed draws.
v = nd.array(draw("v", (12, 8), 1) > 0)
W, a, b = nd.array(draw("W", (8, 5), 0.1)), nd.zeros((8,)), nd.zeros((5,))
errors = []
for k in range(6):
    ph = nd.sigmoid(nd.dot(v, W) + b)
    h = ph > nd.array(np.abs(draw("uh%d" % k, (12, 5), 0.6)))
    pv = nd.sigmoid(nd.dot(h, W, transpose_b=True) + a)
    ph2 = nd.sigmoid(nd.dot(pv, W) + b)
    W += 0.5 / 12 * (nd.dot(v, ph, transpose_a=True) - nd.dot(pv, ph2, transpose_a=True))
    a += 0.5 * (v - pv).mean(axis=0)
    b += 0.5 * (ph - ph2).mean(axis=0)
    errors.append(((v - pv) ** 2).mean().asscalar())
show("boltzmann", errors)


# Deep Q-learning with a target network and Huber's loss.
def q_net():
    net = gluon.nn.Sequential()
    with net.name_scope():
        net.add(gluon.nn.Dense(16, activation="relu"), gluon.nn.Dense(3))
    net.initialize(Seeded(0.3))
    return net


dqn, target = q_net(), q_net()
trainer = gluon.Trainer(
    dqn.collect_params(),
    "RMSProp",
    {"learning_rate": 0.01, "gamma1": 0.95, "gamma2": 0.95, "epsilon": 0.01, "centered": True},
)
state, after = nd.array(draw("s", (10, 4), 1)), nd.array(draw("s2", (10, 4), 1))
action, reward = nd.array(np.arange(10) % 3), nd.array(draw("r", (10,), 1))
done = nd.array(np.arange(10) % 4 == 0)
huber, curve = gluon.loss.HuberLoss(), []
target(after), dqn(state)
for k in range(8):
    if k % 4 == 0:
        for p, q in zip(dqn.collect_params().values(), target.collect_params().values()):
            q.set_data(p.data())
    with autograd.record():
        q_sp = nd.max(target(after), axis=1) * (nd.ones((10,)) - done)
        q = nd.pick(dqn(state), action, 1)
        l = nd.mean(huber(q, reward + 0.9 * q_sp))
    l.backward()
    trainer.step(1)
    curve.append(l.asscalar())
show("dqn", curve)


# Super resolution by rearranged channels.
class SuperResolution(gluon.Block):
    def __init__(self, upscale_factor, **kwargs):
        super().__init__(**kwargs)
        self.upscale_factor = upscale_factor
        with self.name_scope():
            self.conv1 = nn.Conv2D(8, (5, 5), strides=(1, 1), padding=(2, 2))
            self.conv2 = nn.Conv2D(upscale_factor**2, (3, 3), strides=(1, 1), padding=(1, 1))

    def forward(self, x):
        x = nd.Activation(self.conv1(x), act_type="relu")
        x = self.conv2(x)
        f = self.upscale_factor
        x = nd.reshape(x, shape=(0, -4, -1, f**2, 0, 0))
        x = nd.reshape(x, shape=(0, 0, -4, f, f, 0, 0))
        x = nd.transpose(x, axes=(0, 1, 4, 2, 5, 3))
        x = nd.reshape(x, shape=(0, 0, -3, -3))
        return x


net, curve = SuperResolution(2), []
net.initialize(Seeded(0.2))
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
small, large = nd.array(draw("small", (3, 1, 6, 6), 1)), nd.array(draw("large", (3, 1, 12, 12), 1))
for _ in range(5):
    with autograd.record():
        l = gluon.loss.L2Loss()(net(small), large)
    autograd.backward([l])
    trainer.step(3)
    curve.append(l.mean().asscalar())
show("resolution", curve)
show("depth to space", nd.depth_to_space(nd.arange(16).reshape((1, 4, 2, 2)), 2))


# Class activation maps by gradients of an inner layer.
class Recording(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.conv, self.out = nn.Conv2D(4, 3, activation="relu"), nn.Dense(3)
        self.kept = None

    def forward(self, x):
        self.kept = self.conv(x)
        self.kept.attach_grad()
        return self.out(nd.Pooling(self.kept, kernel=(2, 2), stride=(2, 2), pool_type="avg"))


net = Recording()
net.initialize(Seeded(0.3))
image = nd.array(draw("cam", (1, 2, 8, 8), 1))
image.attach_grad()
with autograd.record(train_mode=False):
    out = net(image)
out.backward(nd.one_hot(out.argmax(axis=1), 3))
weights = net.kept.grad.mean(axis=(2, 3), keepdims=True)
show("activation map", nd.relu((weights * net.kept).sum(axis=1)))
show("input's", image.grad.sum())


# Distances with margins over all pairs of a batch.
class MarginLoss(gluon.loss.Loss):
    def __init__(self, margin=0.2, nu=0.0, weight=None, batch_axis=0, **kwargs):
        super(MarginLoss, self).__init__(weight, batch_axis, **kwargs)
        self._margin, self._nu = margin, nu

    def hybrid_forward(self, F, anchors, positives, negatives, beta_in, a_indices=None):
        beta = (
            beta_in
            if a_indices is None
            else F.pick(F.tile(F.reshape(beta_in, (1, -1)), reps=(6, 1)), a_indices)
        )
        beta_reg = F.sum(beta) * self._nu
        d_ap = F.sqrt(F.sum(F.square(positives - anchors), axis=1) + 1e-8)
        d_an = F.sqrt(F.sum(F.square(negatives - anchors), axis=1) + 1e-8)
        pos_loss = F.maximum(d_ap - beta + self._margin, 0.0)
        neg_loss = F.maximum(beta - d_an + self._margin, 0.0)
        pair_cnt = F.sum((pos_loss > 0.0) + (neg_loss > 0.0))
        loss = (F.sum(pos_loss + neg_loss) + beta_reg) / F.broadcast_maximum(pair_cnt, F.ones_like(pair_cnt))
        return gluon.loss._apply_weighting(F, loss, self._weight, None)


for hybrid in (False, True):
    embed = nn.HybridSequential()
    embed.add(
        nn.Dense(6, activation="tanh"), nn.HybridLambda(lambda F, x: F.L2Normalization(x, mode="instance"))
    )
    embed.initialize(Seeded(0.5))
    margin = MarginLoss(nu=0.1)
    beta = gluon.Parameter("beta", shape=(4,))
    beta.initialize(mx.init.Constant(1.2))
    if hybrid:
        embed.hybridize()
        margin.hybridize()
    t1 = gluon.Trainer(embed.collect_params(), "sgd", {"learning_rate": 0.5, "wd": 1e-3})
    t2 = gluon.Trainer([beta], "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    curve, triples = [], [nd.array(draw("t%d" % i, (6, 5), 1)) for i in range(3)]
    for _ in range(5):
        with autograd.record():
            l = margin(*[embed(t) for t in triples], beta.data(), nd.array([0, 1, 2, 3, 0, 1]))
        l.backward()
        t1.step(1)
        t2.step(1)
        curve.append(l.asscalar())
    show("margin hybrid" if hybrid else "margin", curve)
    show("beta", beta.data())


# Weights divided by their largest singular value.
class SNConv2D(gluon.Block):
    def __init__(self, filters, kernel, in_channels, iterations=1):
        super(SNConv2D, self).__init__()
        self.filters, self.kernel, self.iterations = filters, kernel, iterations
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(filters, in_channels, kernel, kernel))
            self.u = self.params.get("u", init=mx.init.Normal(), shape=(1, filters))

    def _spectral_norm(self):
        w = self.params.get("weight").data()
        w_mat = nd.reshape(w, [w.shape[0], -1])
        _u, _v = self.u.data(), None
        for _ in range(self.iterations):
            _v = nd.L2Normalization(nd.dot(_u, w_mat))
            _u = nd.L2Normalization(nd.dot(_v, w_mat.T))
        sigma = nd.sum(nd.dot(_u, w_mat) * _v)
        self.u.set_data(_u)
        return w / sigma if sigma.asscalar() != 0 else w

    def forward(self, x):
        return nd.Convolution(
            data=x,
            weight=self._spectral_norm(),
            kernel=(self.kernel,) * 2,
            num_filter=self.filters,
            no_bias=True,
        )


net = SNConv2D(3, 3, 2, 2)
net.initialize()
net.weight.set_data(nd.array(draw("snw", (3, 2, 3, 3), 1)))
net.u.set_data(nd.array(draw("snu", (1, 3), 1)))
with autograd.pause():
    show("normalized", net(image))
show("u", net.u.data())


# LSTNet: convolution, two recurrences, one of them over every third step, and an autoregression.
class LSTNet(nn.HybridBlock):
    def __init__(self, series, skip, window, **kwargs):
        super(LSTNet, self).__init__(**kwargs)
        self.series, self.skip, self.window = series, skip, window
        with self.name_scope():
            self.conv = nn.Conv1D(6, kernel_size=3, layout="NCW", activation="relu")
            self.dropout = nn.Dropout(0.0)
            self.rnn, self.skip_rnn = gluon.rnn.GRU(5, layout="TNC"), gluon.rnn.GRU(4, layout="TNC")
            self.fc, self.ar_fc = nn.Dense(series), nn.Dense(1)

    def hybrid_forward(self, F, x):
        c = self.dropout(self.conv(x.transpose((0, 2, 1))))
        r = self.rnn(c.transpose((2, 0, 1)))
        r = F.squeeze(F.slice_axis(r, axis=0, begin=-1, end=None), axis=0)
        skip_c = F.slice_axis(c, axis=2, begin=-(self.window - 2) // self.skip * self.skip, end=None)
        skip_c = F.reshape(skip_c, shape=(0, 0, -4, -1, self.skip))
        skip_c = F.reshape(F.transpose(skip_c, axes=(2, 0, 3, 1)), shape=(0, -3, -1))
        s = self.skip_rnn(skip_c)
        s = F.reshape(
            F.squeeze(F.slice_axis(s, axis=0, begin=-1, end=None), axis=0), shape=(-4, -1, self.skip, 0)
        )
        s = F.reshape(s, shape=(0, -1))
        fc = self.fc(F.concat(r, s, dim=1))
        ar = F.transpose(F.slice_axis(x, axis=1, begin=-4, end=None), axes=(0, 2, 1))
        ar = F.reshape(self.ar_fc(F.reshape(ar, shape=(-3, 0))), shape=(-1, self.series))
        return fc + ar


for hybrid in (False, True):
    net = LSTNet(3, 3, 11, prefix="lstnet_")
    net.initialize(Seeded(0.3))
    if hybrid:
        net.hybridize()
    trainer = gluon.Trainer(
        net.collect_params(),
        kvstore="local",
        optimizer="adam",
        optimizer_params={"learning_rate": 0.02, "clip_gradient": 10.0},
    )
    curve, series = [], nd.array(draw("series", (8, 11, 3), 1))
    for _ in range(5):
        with autograd.record():
            l = gluon.loss.L1Loss()(net(series), series[:, 0])
        l.backward()
        trainer.step(8)
        curve.append(l.mean().asscalar())
    show("lstnet hybrid" if hybrid else "lstnet", curve)
