"""Networks that run eagerly, or hybridized, by the same code in hybridonnx and in real MXNet.

python benchmarks/_eager_gluon.py PACKAGE NETWORK predict|train|hybridized, where others say when to run
"""

import importlib
import math
import sys

import _training_turns as turns
import numpy as np

UNITS, HEADS, LENGTH, CELLS = 768, 12, 128, 4
"""The transformer: units, heads, words, and how many cells."""
IMAGES = {
    "digits": (64, 1, 8, 8),
    "lenet": (16, 1, 28, 28),
    "mobilenetv2": (1, 3, 224, 224),
    "resnet18": (1, 3, 224, 224),
    "densenet121": (1, 3, 224, 224),
    "resnet50": (1, 3, 224, 224),
    "inceptionv3": (1, 3, 299, 299),
}
CLASSES = 10


def lenet(mx):
    """The network of MXNet's first tutorial."""
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(20, 5, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(50, 5, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.Dense(500, activation="relu"),
        nn.Dense(CLASSES),
    )
    return net


def digits(mx):
    """The network of samples/train_digits.py, without its dropout."""
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    for channels, pool in ((16, False), (32, True), (64, True)):
        net.add(nn.Conv2D(channels, 3, padding=1, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
        if pool:
            net.add(nn.MaxPool2D())
    net.add(nn.Dense(64, activation="relu"), nn.Dense(10))
    return net


def transformer(mx):
    """Cells of attention and two dense layers, with norms behind them, on (1, LENGTH, UNITS)."""
    nn = mx.gluon.nn

    class Cell(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.take = nn.Dense(3 * UNITS, flatten=False, in_units=UNITS)
                self.give = nn.Dense(UNITS, flatten=False, in_units=UNITS)
                self.wide = nn.Dense(4 * UNITS, flatten=False, in_units=UNITS)
                self.gelu = nn.GELU()
                self.narrow = nn.Dense(UNITS, flatten=False, in_units=4 * UNITS)
                self.first, self.second = nn.LayerNorm(in_channels=UNITS), nn.LayerNorm(in_channels=UNITS)

        def hybrid_forward(self, F, x):
            heads = F.reshape(self.take(x), shape=(0, 0, 3, HEADS, -1)).transpose((2, 0, 3, 1, 4))
            parts = F.split(heads, num_outputs=3, axis=0, squeeze_axis=True)
            q, k, v = (F.reshape(part, shape=(-3, 0, 0)) for part in parts)
            scores = F.batch_dot(q, k, transpose_b=True) / math.sqrt(UNITS // HEADS)
            mixed = F.batch_dot(F.softmax(scores, axis=-1), v)
            mixed = F.reshape(mixed, shape=(-4, -1, HEADS, 0, 0)).transpose((0, 2, 1, 3))
            x = self.first(x + self.give(F.reshape(mixed, shape=(0, 0, -3))))
            return self.second(x + self.narrow(self.gelu(self.wide(x))))

    net = nn.HybridSequential()
    net.add(*[Cell() for _ in range(CELLS)])
    return net


class Run:
    """A network with its batch: `step()` runs it once."""

    def __init__(self, mx, network, mode):
        self.mx, self.trains = mx, mode == "train"
        mx.random.seed(0)
        zoo = mx.gluon.model_zoo.vision
        makers = {
            "digits": lambda: digits(mx),
            "lenet": lambda: lenet(mx),
            "mobilenetv2": lambda: zoo.mobilenet_v2_1_0(classes=CLASSES),
            "resnet18": lambda: zoo.resnet18_v1(classes=CLASSES),
            "densenet121": lambda: zoo.densenet121(classes=CLASSES),
            "resnet50": lambda: zoo.resnet50_v1(classes=CLASSES),
            "inceptionv3": lambda: zoo.inception_v3(classes=CLASSES),
            "transformer": lambda: transformer(mx),
            "lstm": lambda: mx.gluon.rnn.LSTM(turns.UNITS, 2, input_size=turns.UNITS),
        }
        self.net = makers[network]()
        self.net.initialize(mx.init.Xavier())
        shapes = {"transformer": (1, LENGTH, UNITS), "lstm": (turns.LENGTH, turns.BATCH, turns.UNITS)}
        shape = {**IMAGES, **shapes}[network]
        self.x = mx.nd.array(np.random.RandomState(0).standard_normal(shape).astype(np.float32))
        if mode == "hybridized":
            self.net.hybridize(static_alloc=True, static_shape=True)
        self.net(self.x).wait_to_read()
        self.trainer = mx.gluon.Trainer(self.net.collect_params(), "sgd", {"learning_rate": 1e-4})

    def step(self):
        if not self.trains:
            return float(self.net(self.x).sum().asscalar())
        with self.mx.autograd.record():
            loss = self.net(self.x).square().mean()
        loss.backward()
        self.trainer.step(1)
        return float(loss.asscalar())


if __name__ == "__main__":
    package, network, mode = sys.argv[1:]
    mx = importlib.import_module(package)
    run = Run(mx, network, mode)
    count = sum(math.prod(p.shape) for p in run.net.collect_params().values())
    turns.take_turns(mx.__version__, count, run.step, mx.nd.waitall)
