"""A variational autoencoder as a hybrid block, its noise given from outside."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd as ag
from mxnet import gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)
images = (np.kron(rng.rand(60, 4, 4), np.ones((1, 2, 2))) > 0.6).reshape(60, 64)
n_batch, n_latent = 20, 4
train_iter = mx.io.NDArrayIter(
    data={"data": images.astype("float32")}, label={"label": np.zeros(60)}, batch_size=n_batch
)


class VAE(gluon.HybridBlock):
    def __init__(
        self, n_hidden=24, n_latent=2, n_layers=1, n_output=64, batch_size=20, act_type="relu", **kwargs
    ):
        self.soft_zero = 1e-10
        self.n_latent = n_latent
        self.batch_size = batch_size
        self.output = None
        self.mu = None
        super(VAE, self).__init__(**kwargs)
        with self.name_scope():
            self.encoder = nn.HybridSequential(prefix="encoder")
            for i in range(n_layers):
                self.encoder.add(nn.Dense(n_hidden, activation=act_type))
            self.encoder.add(nn.Dense(n_latent * 2, activation=None))
            self.decoder = nn.HybridSequential(prefix="decoder")
            for i in range(n_layers):
                self.decoder.add(nn.Dense(n_hidden, activation=act_type))
            self.decoder.add(nn.Dense(n_output, activation="sigmoid"))

    def hybrid_forward(self, F, x, eps):
        h = self.encoder(x)
        mu_lv = F.split(h, axis=1, num_outputs=2)
        mu = mu_lv[0]
        lv = mu_lv[1]
        self.mu = mu
        z = mu + F.exp(0.5 * lv) * eps
        y = self.decoder(z)
        self.output = y
        KL = 0.5 * F.sum(1 + lv - mu * mu - F.exp(lv), axis=1)
        logloss = F.sum(x * F.log(y + self.soft_zero) + (1 - x) * F.log(1 - y + self.soft_zero), axis=1)
        loss = -logloss - KL
        return loss


for hybrid in (False, True):
    net = VAE(n_latent=n_latent, n_layers=2, batch_size=n_batch, act_type="softrelu", prefix="vae_")
    net.collect_params().initialize(Seeded(0.2))
    if hybrid:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    training_loss = []
    for epoch in range(5):
        epoch_loss = 0
        train_iter.reset()
        for n, batch in enumerate(train_iter):
            data = batch.data[0]
            eps = nd.array(draw("%d %d" % (epoch, n), (n_batch, n_latent), 1))
            with ag.record():
                loss = net(data, eps)
            loss.backward()
            trainer.step(data.shape[0])
            epoch_loss += nd.mean(loss).asscalar()
        training_loss.append(epoch_loss / (n + 1))
    show("hybrid" if hybrid else "eager", training_loss)
    show("made", net.decoder(nd.array(draw("z", (2, n_latent), 1)))[:, ::9])
