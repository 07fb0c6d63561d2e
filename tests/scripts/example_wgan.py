"""A Wasserstein GAN: clipped weights, several steps of the critic for one of the generator."""

import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)
real = nd.array(np.stack([np.cos(rng.uniform(0, 6.28, 96)), np.sin(rng.uniform(0, 6.28, 96))], axis=1))
generator, critic = nn.HybridSequential(), nn.HybridSequential()
generator.add(nn.Dense(12, activation="relu"), nn.BatchNorm(), nn.Dense(2))
critic.add(nn.Dense(12, in_units=2), nn.LeakyReLU(0.2), nn.Dense(1, in_units=12))
for net in (generator, critic):
    net.initialize(Seeded(0.3))
    net.hybridize()
trainer_g = gluon.Trainer(generator.collect_params(), "rmsprop", {"learning_rate": 0.01, "epsilon": 1e-6})
trainer_c = gluon.Trainer(critic.collect_params(), "rmsprop", {"learning_rate": 0.01, "epsilon": 1e-6})
distances, steps = [], 0
for epoch in range(6):
    for k in range(3):
        for p in critic.collect_params().values():
            p.set_data(nd.clip(p.data(), -0.5, 0.5))
        noise = nd.array(draw("noise %d %d" % (epoch, k), (32, 4), 1))
        with autograd.record():
            fake = generator(noise).detach()
            l = -(critic(real[k * 32 : k * 32 + 32]).mean() - critic(fake).mean())
        l.backward()
        trainer_c.step(1)
        distances.append(-l.asscalar())
    with autograd.record():
        l = -critic(generator(noise)).mean()
    l.backward()
    trainer_g.step(1)
    distances.append(-l.asscalar())
show("wasserstein", distances)
show("made", generator(nd.array(draw("last", (4, 4), 1))))
show("statistics", generator[1].running_mean.data())
