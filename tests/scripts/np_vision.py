"""Images with mx.np: transposed convolutions, bilinear kernels, DCGAN, style and content, devices."""

import numpy as onp
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn

npx.set_np()


def trans_conv(X, K):
    h, w = K.shape
    Y = np.zeros((X.shape[0] + h - 1, X.shape[1] + w - 1))
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            Y[i : i + h, j : j + w] += X[i, j] * K
    return Y


def bilinear_kernel(in_channels, out_channels, side):
    factor = (side + 1) // 2
    center = factor - 1 if side % 2 == 1 else factor - 0.5
    og = (np.arange(side).reshape(-1, 1), np.arange(side).reshape(1, -1))
    filt = (1 - np.abs(og[0] - center) / factor) * (1 - np.abs(og[1] - center) / factor)
    weight = np.zeros((in_channels, out_channels, side, side))
    weight[range(in_channels), range(out_channels), :, :] = filt
    return np.array(weight)


X = np.array([[0.0, 1.0], [2.0, 3.0]])
show("transposed", trans_conv(X, X))
conv = nn.Conv2DTranspose(1, kernel_size=2)
conv.initialize(init.Constant(X.reshape(1, 1, 2, 2)))
show("of the layer", conv(X.reshape(1, 1, 2, 2)))
conv = nn.Conv2DTranspose(3, kernel_size=4, padding=1, strides=2)
conv.initialize(init.Constant(bilinear_kernel(3, 3, 4)))
show("upsampled", conv(np.array(draw("image", (1, 3, 4, 5), 1))))

# Segmentation: every pixel has a class.
net = nn.HybridSequential()
net.add(
    nn.Conv2D(6, 3, strides=2, padding=1, activation="relu"),
    nn.BatchNorm(),
    nn.Conv2D(4, 3, strides=2, padding=1),
)
net.add(nn.Conv2D(3, kernel_size=1), nn.Conv2DTranspose(3, kernel_size=8, padding=2, strides=4))
net.initialize(Seeded(0.2))
net[-1].initialize(init.Constant(bilinear_kernel(3, 3, 8)), force_reinit=True)
net.hybridize()
images = np.array(draw("images", (6, 3, 16, 16), 1))
labels = (images.sum(axis=1) > 0).astype("float32") + (images[:, 0] > 1).astype("float32")
loss = gluon.loss.SoftmaxCrossEntropyLoss(axis=1)
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3, "wd": 1e-3})
curve, right = [], []
for _ in range(6):
    with autograd.record():
        y_hat = net(images)
        l = loss(y_hat, labels)
    l.backward()
    trainer.step(6)
    curve.append(float(l.sum()))
    right.append(float((y_hat.argmax(axis=1) == labels.astype("int64")).mean()))
show("segmentation", curve)
show("pixels", right)


class G_block(nn.Block):
    def __init__(self, channels, kernel_size=4, strides=2, padding=1, **kwargs):
        super().__init__(**kwargs)
        self.conv = nn.Conv2DTranspose(channels, kernel_size, strides, padding, use_bias=False)
        self.norm, self.activation = nn.BatchNorm(), nn.Activation("relu")

    def forward(self, X):
        return self.activation(self.norm(self.conv(X)))


class D_block(nn.Block):
    def __init__(self, channels, alpha=0.2, **kwargs):
        super().__init__(**kwargs)
        self.conv = nn.Conv2D(channels, 4, 2, 1, use_bias=False)
        self.norm, self.activation = nn.BatchNorm(), nn.LeakyReLU(alpha)

    def forward(self, X):
        return self.activation(self.norm(self.conv(X)))


generator, discriminator = nn.Sequential(), nn.Sequential()
generator.add(G_block(6, strides=1, padding=0), G_block(4))
generator.add(nn.Conv2DTranspose(3, kernel_size=4, strides=2, padding=1, use_bias=False, activation="tanh"))
discriminator.add(D_block(4), D_block(6), nn.Conv2D(1, kernel_size=4, use_bias=False))
for part in (generator, discriminator):
    part.initialize(Seeded(0.2))
trainers = [
    gluon.Trainer(n.collect_params(), "adam", {"learning_rate": 2e-3, "beta1": 0.5})
    for n in (generator, discriminator)
]
bce = gluon.loss.SigmoidBCELoss()
ones, zeros = np.ones((6,)), np.zeros((6,))
curve = []
for k in range(5):
    noise = np.array(draw("noise %d" % k, (6, 8, 1, 1), 1))
    with autograd.record():
        fake = generator(noise)
        loss_d = (bce(discriminator(images), ones) + bce(discriminator(fake.detach()), zeros)) / 2
    loss_d.backward()
    trainers[1].step(6)
    with autograd.record():
        loss_g = bce(discriminator(generator(noise)), ones)
    loss_g.backward()
    trainers[0].step(6)
    curve += [float(loss_d.sum()), float(loss_g.sum())]
show("dcgan", curve)
with autograd.train_mode():
    show("made", generator(noise)[0, 0, :2])


def gram(X):
    channels, n = X.shape[1], X.size // X.shape[1]
    X = X.reshape((channels, n))
    return np.dot(X, X.T) / (channels * n)


features = nn.Sequential()
features.add(
    nn.Conv2D(4, 3, padding=1, activation="relu"), nn.AvgPool2D(2), nn.Conv2D(6, 3, activation="relu")
)
features.initialize(Seeded(0.3))
content, style = np.array(draw("content", (1, 3, 8, 8), 1)), np.array(draw("style", (1, 3, 8, 8), 1))
wanted, gram_of_style = features(content), gram(features(style))


class Picture(nn.Block):
    def __init__(self, shape, **kwargs):
        super().__init__(**kwargs)
        self.weight = self.params.get("weight", shape=shape)

    def forward(self):
        return self.weight.data()


picture = Picture(content.shape)
picture.initialize(init.Constant(content))
trainer = gluon.Trainer(picture.collect_params(), "adam", {"learning_rate": 0.05})
curve = []
for _ in range(6):
    with autograd.record():
        X = picture()
        Y = features(X)
        l = np.square(Y - wanted).mean() + 100 * np.square(gram(Y) - gram_of_style).mean()
        l = l + 0.5 * (
            np.abs(X[:, :, 1:, :] - X[:, :, :-1, :]).mean() + np.abs(X[:, :, :, 1:] - X[:, :, :, :-1]).mean()
        )
    l.backward()
    trainer.step(1)
    curve.append(float(l))
show("style", curve)

devices = [npx.cpu(0), npx.cpu(1)]
net = nn.Sequential()
net.add(nn.Conv2D(4, 3, activation="relu"), nn.GlobalAvgPool2D(), nn.Dense(3))
net.initialize(Seeded(0.3), ctx=devices)
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
targets, curve = np.array(onp.arange(6) % 3, dtype="float32"), []
for _ in range(4):
    Xs, ys = gluon.utils.split_and_load(images, devices), gluon.utils.split_and_load(targets, devices)
    with autograd.record():
        ls = [gluon.loss.SoftmaxCrossEntropyLoss()(net(x), y) for x, y in zip(Xs, ys)]
    for l in ls:
        l.backward()
    trainer.step(6)
    npx.waitall()
    curve.append(sum(float(l.sum()) for l in ls))
show("devices", curve)
show("alike", net[0].weight.data(devices[0])[0, 0] - net[0].weight.data(devices[1])[0, 0])
