"""Images: super resolution, stochastic depth, captchas with several labels, groups and other layers."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)
high = nd.array(np.kron(rng.rand(12, 1, 4, 4), np.ones((1, 1, 4, 4))) + rng.normal(0, 0.05, (12, 1, 16, 16)))
low = nd.Pooling(high, kernel=(2, 2), stride=(2, 2), pool_type="avg")


class SuperResolution(gluon.HybridBlock):
    def __init__(self, upscale_factor, **kwargs):
        super(SuperResolution, self).__init__(**kwargs)
        with self.name_scope():
            self.conv1 = nn.Conv2D(8, (5, 5), strides=(1, 1), padding=(2, 2), activation="relu")
            self.conv2 = nn.Conv2D(upscale_factor**2, (3, 3), padding=(1, 1))
        self.upscale_factor = upscale_factor

    def hybrid_forward(self, F, x):
        x = self.conv2(self.conv1(x))
        x = F.reshape(x, (0, -4, -1, self.upscale_factor**2, 0, 0))
        x = F.reshape(x, (0, 0, -4, self.upscale_factor, self.upscale_factor, 0, 0))
        x = F.transpose(x, (0, 1, 4, 2, 5, 3))
        return F.reshape(x, (0, 0, -3, -3))


class Residual(gluon.HybridBlock):
    def __init__(self, channels, **kwargs):
        super(Residual, self).__init__(**kwargs)
        with self.name_scope():
            self.body = nn.HybridSequential(prefix="")
            self.body.add(nn.Conv2D(channels, 3, padding=1, groups=2, use_bias=False), nn.BatchNorm())
            self.body.add(
                nn.Activation("relu"),
                nn.Conv2D(channels, 1, use_bias=False),
                nn.InstanceNorm(),
                nn.LeakyReLU(0.1),
            )

    def hybrid_forward(self, F, x, gate):
        return F.relu(x + F.broadcast_mul(gate, self.body(x)))


class StochasticDepth(gluon.HybridBlock):
    def __init__(self, depth, **kwargs):
        super(StochasticDepth, self).__init__(**kwargs)
        self.depth = depth
        with self.name_scope():
            self.stem = nn.Conv2D(6, 3, strides=2)
            for i in range(depth):
                self.register_child(Residual(6), "block%d" % i)
            self.heads = nn.HybridSequential()
            self.heads.add(nn.GlobalAvgPool2D(), nn.Dense(8))

    def hybrid_forward(self, F, x, gates):
        x = self.stem(x)
        for i in range(self.depth):
            x = self._children["block%d" % i](
                x, F.slice_axis(gates, axis=0, begin=i, end=i + 1).reshape((1, 1, 1, 1))
            )
        return F.reshape(self.heads(x), (-1, 2, 4))


def train(title, net, loss_of, batches, steps, options, optimizer="adam"):
    net.initialize(Seeded(0.2))
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), optimizer, options)
    curve = []
    for step in range(steps):
        batch = batches[step % len(batches)]
        with autograd.record():
            l = loss_of(net, step, *batch)
        l.backward()
        trainer.step(batch[0].shape[0])
        curve.append(l.mean().asscalar())
    show(title, curve)


l2 = gluon.loss.L2Loss()
net = SuperResolution(2)
train(
    "super resolution",
    net,
    lambda n, s, x, y: l2(n(x), y),
    [(low[:6], high[:6]), (low[6:], high[6:])],
    12,
    {"learning_rate": 0.01},
)
mse = nd.square(net(low) - high).mean().asscalar()
show("psnr", 10 * np.log10(1.0 / mse))

letters = rng.randint(0, 4, (24, 2))
glyphs = rng.rand(4, 12, 8)
captchas = np.concatenate([glyphs[letters[:, 0]], glyphs[letters[:, 1]]], axis=2)[:, None]
captchas = nd.array(captchas + rng.normal(0, 0.1, captchas.shape))
letters = nd.array(letters)
ce = gluon.loss.SoftmaxCrossEntropyLoss()
gates = nd.array(rng.rand(20, 3) < 0.7)
net = StochasticDepth(3)
batches = [(captchas[:12], letters[:12]), (captchas[12:], letters[12:])]
train("captcha", net, lambda n, s, x, y: ce(n(x, gates[s]), y), batches, 16, {"learning_rate": 0.2}, "sgd")
net(captchas, nd.ones(3) * 0.7)
right = (net(captchas, nd.ones(3) * 0.7).argmax(axis=2) == letters).min(axis=1)
show("right", right.mean())

others = nn.HybridSequential()
others.add(nn.Conv2D(6, 3, dilation=2, activation="relu"), nn.LayerNorm(axis=1), nn.ReflectionPad2D(1))
others.add(
    nn.Conv2D(6, 3, groups=3),
    nn.GroupNorm(num_groups=2),
    nn.Swish(),
    nn.MaxPool2D((3, 2), (2, 1), (1, 0), ceil_mode=True),
)
others.add(
    nn.Conv2DTranspose(4, 3, 2, 1, 1), nn.ELU(), nn.GELU(), nn.AvgPool2D(3, 2, 1, count_include_pad=False)
)
others.add(nn.HybridLambda(lambda F, x: F.L2Normalization(x, mode="channel")), nn.Flatten(), nn.Dense(4))
train("others", others, lambda n, s, x, y: ce(n(x), y[:, 0]), batches, 12, {"learning_rate": 0.01})
