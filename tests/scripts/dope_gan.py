"""Generative adversarial networks: points in a plane, then small images with transposed convolutions."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)
batch_size = 16
X = nd.array(rng.normal(size=(64, 2)))
data = nd.dot(X, nd.array([[1, 2], [-0.1, 0.5]])) + nd.array([1, 2])
train_data = mx.io.NDArrayIter({"data": data}, batch_size=batch_size)

netG = nn.Sequential()
with netG.name_scope():
    netG.add(nn.Dense(2))
netD = nn.Sequential()
with netD.name_scope():
    netD.add(nn.Dense(5, activation="tanh"), nn.Dense(3, activation="tanh"), nn.Dense(2))
loss = gluon.loss.SoftmaxCrossEntropyLoss()
netG.initialize(Seeded(0.02))
netD.initialize(Seeded(0.3))
trainerG = gluon.Trainer(netG.collect_params(), "adam", {"learning_rate": 0.01})
trainerD = gluon.Trainer(netD.collect_params(), "adam", {"learning_rate": 0.05})
real_label, fake_label = nd.ones(batch_size), nd.zeros(batch_size)
metric = mx.metric.Accuracy()
errors, accuracies = [], []
for epoch in range(6):
    train_data.reset()
    for i, batch in enumerate(train_data):
        data = batch.data[0]
        noise = nd.array(rng.normal(size=(batch_size, 2)))
        with autograd.record():
            real_output = netD(data)
            errD_real = loss(real_output, real_label)
            fake = netG(noise)
            fake_output = netD(fake.detach())
            errD_fake = loss(fake_output, fake_label)
            errD = errD_real + errD_fake
            errD.backward()
        trainerD.step(batch_size)
        metric.update([real_label], [real_output])
        metric.update([fake_label], [fake_output])
        with autograd.record():
            output = netD(fake)
            errG = loss(output, real_label)
            errG.backward()
        trainerG.step(batch_size)
        errors.append([nd.mean(errD).asscalar(), nd.mean(errG).asscalar()])
    accuracies.append(metric.get()[1])
    metric.reset()
show("errors", errors)
show("accuracies", accuracies)

netG = nn.Sequential()
for channels, kernel, stride, padding in ((8, 4, 1, 0), (4, 4, 2, 1)):
    netG.add(nn.Conv2DTranspose(channels, kernel, stride, padding, use_bias=False))
    netG.add(nn.BatchNorm(), nn.Activation("relu"))
netG.add(nn.Conv2DTranspose(1, 4, 2, 1, use_bias=False), nn.Activation("tanh"))
netD = nn.Sequential()
netD.add(nn.Conv2D(4, 4, 2, 1, use_bias=False), nn.LeakyReLU(0.2))
netD.add(nn.Conv2D(8, 4, 2, 1, use_bias=False), nn.BatchNorm(), nn.LeakyReLU(0.2))
netD.add(nn.Conv2D(1, 4, 1, 0, use_bias=False))
netG.initialize(Seeded(0.2))
netD.initialize(Seeded(0.2))
loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
trainerG = gluon.Trainer(netG.collect_params(), "adam", {"learning_rate": 0.005, "beta1": 0.5})
trainerD = gluon.Trainer(netD.collect_params(), "adam", {"learning_rate": 0.005, "beta1": 0.5})
images = nd.array(np.tanh(rng.normal(size=(32, 1, 16, 16)).cumsum(axis=2).cumsum(axis=3) / 5))
real_label, fake_label = nd.ones((8,)), nd.zeros((8,))


def facc(label, pred):
    pred = pred.ravel()
    label = label.ravel()
    return ((pred > 0) == label).mean()


metric = mx.metric.CustomMetric(facc)
errors = []
for step in range(10):
    real = images[step % 4 * 8 : step % 4 * 8 + 8]
    latent = nd.array(draw("latent %d" % step, (8, 6, 1, 1), 1))
    with autograd.record():
        output = netD(real).reshape((-1, 1))
        errD_real = loss(output, real_label)
        metric.update([real_label], [output])
        fake = netG(latent)
        output = netD(fake.detach()).reshape((-1, 1))
        errD_fake = loss(output, fake_label)
        errD = errD_real + errD_fake
        errD.backward()
        metric.update([fake_label], [output])
    trainerD.step(8)
    with autograd.record():
        fake = netG(latent)
        errG = loss(netD(fake).reshape((-1, 1)), real_label)
        errG.backward()
    trainerG.step(8)
    errors.append([nd.mean(errD).asscalar(), nd.mean(errG).asscalar()])
show("dcgan", errors)
show("dcgan accuracy", metric.get()[1])
