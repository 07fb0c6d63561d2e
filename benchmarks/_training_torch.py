"""Training steps in PyTorch, of networks equal to Gluon's, or predictions of one row.

python benchmarks/_training_torch.py NETWORK THREADS [predict], where training.py or suite.py says when to run
"""

import sys

import _training_turns as turns
import torch
from torch import nn


def convolution(c_in, c_out, kernel, stride=1, groups=1, activation=None):
    layers = [
        nn.Conv2d(c_in, c_out, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(c_out),
    ]
    return layers + ([activation] if activation else [])


class Basic(nn.Module):
    """Two 3x3 convolutions, and a shortcut around them."""

    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.body = nn.Sequential(
            *convolution(c_in, c_out, 3, stride, activation=nn.ReLU(inplace=True)),
            *convolution(c_out, c_out, 3),
        )
        changes = stride != 1 or c_in != c_out
        self.shortcut = nn.Sequential(*(convolution(c_in, c_out, 1, stride) if changes else []))

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


class Bottleneck(nn.Module):
    """Wider by `times`, a 3x3 convolution of each channel, narrower; and a shortcut if nothing changes."""

    def __init__(self, c_in, c_out, times, stride):
        super().__init__()
        wide = c_in * times
        self.body = nn.Sequential(
            *convolution(c_in, wide, 1, activation=nn.ReLU6(inplace=True)),
            *convolution(wide, wide, 3, stride, wide, nn.ReLU6(inplace=True)),
            *convolution(wide, c_out, 1),
        )
        self.same = stride == 1 and c_in == c_out

    def forward(self, x):
        return self.body(x) + x if self.same else self.body(x)


class LanguageModel(nn.Module):
    """Words of (T, N), and states, to scores of (T * N, words) and the next states."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(turns.WORDS, turns.UNITS)
        self.drop = nn.Dropout(turns.DROPOUT)
        self.lstm = nn.LSTM(turns.UNITS, turns.UNITS, turns.LAYERS, dropout=turns.DROPOUT)
        self.decode = nn.Linear(turns.UNITS, turns.WORDS)

    def forward(self, words, h, c):
        hidden, states = self.lstm(self.drop(self.embed(words)), (h, c))
        return self.decode(self.drop(hidden).reshape(-1, turns.UNITS)), *states


class Transformer(nn.Module):
    """Four layers of an encoder over words of (T, N), to scores of (T * N, words)."""

    def __init__(self):
        super().__init__()
        units = turns.ENCODER
        self.embed = nn.Embedding(turns.TOKENS, units)
        layers = [nn.TransformerEncoderLayer(units, turns.HEADS, 4 * units, dropout=0) for _ in range(4)]
        self.layers = nn.Sequential(*layers)
        self.decode = nn.Linear(units, turns.TOKENS)

    def forward(self, words):
        return self.decode(self.layers(self.embed(words)).flatten(0, 1))


def tutorial():
    head = [nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)]
    dense = [nn.Linear(256, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10, bias=False)]
    return nn.Sequential(*head, nn.Flatten(), *dense)


def resnet18():
    layers = [*convolution(3, 64, 7, 2, activation=nn.ReLU(inplace=True)), nn.MaxPool2d(3, 2, 1)]
    c_in = 64
    for c_out, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Basic(c_in, c_out, stride), Basic(c_out, c_out, 1)]
        c_in = c_out
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


def mobilenetv2():
    layers, c_in = convolution(3, 32, 3, 2, activation=nn.ReLU6(inplace=True)), 32
    stages = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2))
    for times, c_out, count, stride in (*stages, (6, 320, 1, 1)):
        for i in range(count):
            layers.append(Bottleneck(c_in, c_out, times, 1 if i else stride))
            c_in = c_out
    layers += [*convolution(320, 1280, 1, activation=nn.ReLU6(inplace=True)), nn.AdaptiveAvgPool2d(1)]
    return nn.Sequential(*layers, nn.Conv2d(1280, 1000, 1, bias=False), nn.Flatten())


NETWORKS = {
    "tutorial": tutorial,
    "resnet18": resnet18,
    "mobilenetv2": mobilenetv2,
    "lstm": LanguageModel,
    "transformer": Transformer,
}


class Training:
    """A network with its batch: `step()` trains once and gives the loss."""

    def __init__(self, network):
        torch.manual_seed(0)
        self.net = NETWORKS[network]()
        for name, p in self.net.named_parameters():  # as Gluon's Xavier() does
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
            elif "bias" in name:
                nn.init.zeros_(p)
        self.loss = nn.CrossEntropyLoss()
        self.data, self.label = map(torch.from_numpy, turns.batch(network))
        self.states = []
        if network == "lstm":
            shape = (turns.LAYERS, turns.BATCH, turns.UNITS)
            self.states = [torch.zeros(shape), torch.zeros(shape)]
        self.optimizer = torch.optim.SGD(
            self.net.parameters(), lr=turns.RATES[network], momentum=turns.MOMENTUM
        )

    def step(self):
        self.optimizer.zero_grad()
        scores = self.net(self.data, *self.states)
        if self.states:
            scores, *states = scores
            self.states = [state.detach() for state in states]
        loss = self.loss(scores, self.label)
        loss.backward()
        self.optimizer.step()
        return loss.item()


class Prediction(Training):
    """The network with one row: `step()` predicts it."""

    def __init__(self, network):
        super().__init__(network)
        self.net.eval()
        self.data = self.data[:1]

    @torch.inference_mode()
    def step(self):
        return float(self.net(self.data).sum())


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[2]))
    training = (Prediction if "predict" in sys.argv[3:] else Training)(sys.argv[1])
    count = sum(p.numel() for p in training.net.parameters())
    turns.take_turns(torch.__version__, count, training.step)
