"""Training steps in Gluon: the same code for hybridonnx and for real MXNet.

python benchmarks/_training_gluon.py PACKAGE NETWORK, where training.py says when to run
"""

import importlib
import sys
from pathlib import Path

import _training_turns as turns


def tutorial(mx):
    """The sample's network. In MXNet's process its imports give MXNet."""
    sys.modules.setdefault("hybridonnx", mx)
    sys.modules.setdefault("hybridonnx.gluon", mx.gluon)
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "samples"))
    return importlib.import_module("tutorial_network").TutorialNetwork()


def language_model(mx):
    """Words of (T, N), and states, to scores of (T * N, words) and the next states."""

    class LanguageModel(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.embed = mx.gluon.nn.Embedding(turns.WORDS, turns.UNITS)
                self.drop = mx.gluon.nn.Dropout(turns.DROPOUT)
                self.lstm = mx.gluon.rnn.LSTM(
                    turns.UNITS, turns.LAYERS, dropout=turns.DROPOUT, input_size=turns.UNITS
                )
                self.decode = mx.gluon.nn.Dense(turns.WORDS, in_units=turns.UNITS)

        def hybrid_forward(self, F, words, h, c):
            hidden, states = self.lstm(self.drop(self.embed(words)), [h, c])
            return self.decode(self.drop(hidden).reshape((-1, turns.UNITS))), *states

    return LanguageModel()


def transformer(mx):
    """Four layers of an encoder over words of (T, N), to scores of (T * N, words)."""
    nn, units, heads, words = mx.gluon.nn, turns.ENCODER, turns.HEADS, turns.TOKENS

    class Layer(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.into = nn.Dense(3 * units, flatten=False, in_units=units)
                self.out = nn.Dense(units, flatten=False, in_units=units)
                self.wide = nn.Dense(4 * units, flatten=False, in_units=units, activation="relu")
                self.narrow = nn.Dense(units, flatten=False, in_units=4 * units)
                self.first, self.second = nn.LayerNorm(in_channels=units), nn.LayerNorm(in_channels=units)

        def hybrid_forward(self, F, x):
            qkv = self.into(x)
            scores = F.softmax(F.contrib.interleaved_matmul_selfatt_qk(qkv, heads=heads))
            mixed = F.contrib.interleaved_matmul_selfatt_valatt(qkv, scores, heads=heads)
            x = self.first(x + self.out(mixed))
            return self.second(x + self.narrow(self.wide(x)))

    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Embedding(words, units))
        for _ in range(4):
            net.add(Layer())
        net.add(nn.HybridLambda(lambda F, x: F.reshape(x, shape=(-3, 0))))
        net.add(nn.Dense(words, in_units=units))
    return net


NETWORKS = {
    "tutorial": tutorial,
    "resnet18": lambda mx: mx.gluon.model_zoo.vision.resnet18_v1(),
    "mobilenetv2": lambda mx: mx.gluon.model_zoo.vision.mobilenet_v2_1_0(),
    "lstm": language_model,
    "transformer": transformer,
}


class Training:
    """A hybridized network with its batch: `step()` trains once and gives the loss."""

    def __init__(self, mx, network):
        self.mx = mx
        mx.random.seed(0)
        self.net = NETWORKS[network](mx)
        self.net.initialize(mx.init.Xavier())
        self.loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
        self.net.hybridize(static_alloc=True)
        self.loss.hybridize(static_alloc=True)
        self.data, self.label = (mx.nd.array(a, dtype="float32") for a in turns.batch(network))
        self.states = []
        if network == "lstm":
            shape = (turns.LAYERS, turns.BATCH, turns.UNITS)
            self.states = [mx.nd.zeros(shape), mx.nd.zeros(shape)]
        self.net(self.data, *self.states)  # tells the shapes of all parameters
        options = {"learning_rate": turns.RATES[network], "momentum": turns.MOMENTUM}
        self.trainer = mx.gluon.Trainer(self.net.collect_params(), "sgd", options)

    def parameters(self):
        params = self.net.collect_params().values()
        return sum(p.data().size for p in params if p.grad_req != "null")

    def step(self):
        with self.mx.autograd.record():
            scores = self.net(self.data, *self.states)
            if self.states:
                scores, *states = scores
                self.states = [state.detach() for state in states]
            loss = self.loss(scores, self.label)
        loss.backward()
        self.trainer.step(self.label.size)
        return float(loss.mean().asscalar())

    def finish(self):
        self.mx.nd.waitall()


if __name__ == "__main__":
    package = importlib.import_module(sys.argv[1])
    training = Training(package, sys.argv[2])
    turns.take_turns(package.__version__, training.parameters(), training.step, training.finish)
