"""Networks with mx.np: layers of one's own, convolutions, batch normalization, residual blocks, hybridize."""

import numpy as onp
from _seeded import Seeded, show
from mxnet import autograd, context, gluon, init, np, npx
from mxnet.gluon import nn

npx.set_np()
rng = onp.random.RandomState(0)
labels = rng.randint(0, 3, 48)
images = np.array(
    rng.normal(size=(3, 1, 12, 12))[labels] + rng.normal(0, 0.6, (48, 1, 12, 12)), dtype="float32"
)
labels = np.array(labels, dtype="float32")
loss = gluon.loss.SoftmaxCrossEntropyLoss()


def train(title, net, steps=10, lr=0.1, sigma=0.2):
    net.initialize(Seeded(sigma), force_reinit=True)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": lr, "momentum": 0.5})
    curve = []
    for step in range(steps):
        i = step % 3 * 16
        with autograd.record():
            l = loss(net(images[i : i + 16]), labels[i : i + 16])
        l.backward()
        trainer.step(16)
        curve.append(float(l.mean()))
    show(title, curve)
    show(title + " predicts", net(images[:2]))


class MLP(nn.Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.hidden = nn.Dense(16, activation="relu")
        self.out = nn.Dense(3)

    def forward(self, X):
        return self.out(self.hidden(X))


class CenteredLayer(nn.Block):
    def forward(self, X):
        return X - X.mean()


class MyDense(nn.Block):
    def __init__(self, units, in_units, **kwargs):
        super().__init__(**kwargs)
        self.weight = self.params.get("weight", shape=(in_units, units))
        self.bias = self.params.get("bias", shape=(units,))

    def forward(self, x):
        linear = np.dot(x, self.weight.data(ctx=x.ctx)) + self.bias.data(ctx=x.ctx)
        return npx.relu(linear)


class Residual(nn.Block):
    def __init__(self, num_channels, use_1x1conv=False, strides=1, **kwargs):
        super().__init__(**kwargs)
        self.conv1 = nn.Conv2D(num_channels, kernel_size=3, padding=1, strides=strides)
        self.conv2 = nn.Conv2D(num_channels, kernel_size=3, padding=1)
        self.conv3 = nn.Conv2D(num_channels, kernel_size=1, strides=strides) if use_1x1conv else None
        self.bn1 = nn.BatchNorm()
        self.bn2 = nn.BatchNorm()

    def forward(self, X):
        Y = npx.relu(self.bn1(self.conv1(X)))
        Y = self.bn2(self.conv2(Y))
        if self.conv3:
            X = self.conv3(X)
        return npx.relu(Y + X)


class HybridNet(nn.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.hidden = nn.Dense(8)
        self.output = nn.Dense(3)

    def hybrid_forward(self, F, x):
        x = F.npx.relu(self.hidden(x))
        x = F.np.concatenate([x, F.np.tanh(x)], axis=1)
        return self.output(x)


train("mlp", MLP())
net = nn.Sequential()
net.add(nn.Flatten(), MyDense(8, 144), CenteredLayer(), nn.Dense(3))
train("own layers", net)
lenet = nn.Sequential()
lenet.add(nn.Conv2D(4, kernel_size=5, padding=2, activation="sigmoid"), nn.AvgPool2D(2, 2), nn.Conv2D(6, 3))
lenet.add(
    nn.BatchNorm(), nn.Activation("sigmoid"), nn.MaxPool2D(2, 2), nn.Dense(10, activation="tanh"), nn.Dense(3)
)
train("lenet", lenet)
resnet = nn.Sequential()
resnet.add(nn.Conv2D(4, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), Residual(4))
resnet.add(Residual(6, use_1x1conv=True, strides=2), nn.GlobalAvgPool2D(), nn.Dense(3))
train("resnet", resnet)
for hybrid in (False, True):
    net = HybridNet(prefix="net_")
    if hybrid:
        net.hybridize()
    train("hybrid" if hybrid else "eager", net)
K = np.array([[0.0, 1.0], [2.0, 3.0]])
X = np.arange(9).reshape(3, 3)


def corr2d(X, K):
    h, w = K.shape
    Y = np.zeros((X.shape[0] - h + 1, X.shape[1] - w + 1))
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            Y[i, j] = (X[i : i + h, j : j + w] * K).sum()
    return Y


show("correlation", corr2d(X, K))
dropout = nn.Dropout(0.5)
show("dropout", dropout(np.ones((2, 3))))
print(npx.cpu(), context.num_gpus() == npx.num_gpus(), images.ctx, len(net.collect_params().keys()))
net.initialize(init.Constant(1), force_reinit=True)
show("ones", net.output.bias.data())
