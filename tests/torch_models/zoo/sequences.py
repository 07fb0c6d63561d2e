"""Networks for sequences, volumes, tables and graphs."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from tests.torch_models.registry import flags, floats, ints, model

WORDS = ints("N", "T", below=20)


# ---- one and three dimensions


@model("conv1d", x=floats("N", 4, "L"))
def conv_1d() -> nn.Module:
    return nn.Sequential(
        nn.Conv1d(4, 8, 5, padding=2),
        nn.BatchNorm1d(8),
        nn.ReLU(),
        nn.AvgPool1d(3, 2, 1),
        nn.Conv1d(8, 8, 3, padding=2, dilation=2),
        nn.GELU(),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
        nn.Linear(8, 3),
    )


@model("conv3d", x=floats("N", 2, 6, 8, 8))
def conv_3d() -> nn.Module:
    return nn.Sequential(
        nn.Conv3d(2, 4, 3, padding=1),
        nn.BatchNorm3d(4),
        nn.ReLU(),
        nn.MaxPool3d((1, 2, 2)),
        nn.Conv3d(4, 6, (3, 1, 1), (2, 1, 1), (1, 0, 0)),
        nn.ReLU(),
        nn.AvgPool3d(2),
        nn.Flatten(),
        nn.Linear(24, 3),
    )


@model("conv-transpose1d", x=floats("N", 4, "T"))
def conv_transpose_1d() -> nn.Module:
    return nn.Sequential(
        nn.ConvTranspose1d(4, 6, 4, 2, 1), nn.LeakyReLU(0.1), nn.ConvTranspose1d(6, 2, 3, 3, groups=2)
    )


@model("conv-transpose3d", x=floats("N", 2, 3, 4, 4))
def conv_transpose_3d() -> nn.Module:
    return nn.Sequential(nn.ConvTranspose3d(2, 4, 2, 2), nn.ReLU(), nn.Conv3d(4, 2, 1))


class Chomp(nn.Module):
    """A causal convolution: padded on both sides, and what looks ahead cut off."""

    def __init__(self, c_in: int, c_out: int, dilation: int) -> None:
        super().__init__()
        self.conv, self.cut = nn.Conv1d(c_in, c_out, 3, padding=2 * dilation, dilation=dilation), 2 * dilation
        self.conv = nn.utils.parametrizations.weight_norm(self.conv)
        self.way = nn.Conv1d(c_in, c_out, 1)

    def forward(self, x):
        return F.relu(F.relu(self.conv(x)[:, :, : -self.cut]) + self.way(x))


@model("tcn", x=floats("N", 3, "T"))
def tcn() -> nn.Module:
    return nn.Sequential(Chomp(3, 6, 1), Chomp(6, 6, 2), nn.Conv1d(6, 2, 1))


class WaveNet(nn.Module):
    """Gated causal convolutions; what each block skips is summed."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv1d(2, 6, 1)
        self.gates = nn.ModuleList([nn.Conv1d(6, 12, 2, dilation=d) for d in (1, 2, 4)])
        self.skips, self.last = nn.ModuleList([nn.Conv1d(6, 6, 1) for _ in range(3)]), nn.Conv1d(6, 4, 1)

    def forward(self, x):
        x, total = self.first(x), 0.0
        for gate, skip in zip(self.gates, self.skips, strict=True):
            filtered, opened = gate(F.pad(x, (gate.dilation[0], 0))).chunk(2, 1)
            y = torch.tanh(filtered) * torch.sigmoid(opened)
            total = total + skip(y)
            x = x + y
        return self.last(F.relu(total)).log_softmax(1)


model("wavenet", x=floats("N", 2, "T"))(WaveNet)


class Wav2Vec(nn.Module):
    """Features of a wave by strided convolutions, a place by a grouped one, and attention."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.norm = nn.Conv1d(1, 8, 5, 3, bias=False), nn.GroupNorm(8, 8)
        self.b, self.ln = nn.Conv1d(8, 8, 3, 2, bias=False), nn.LayerNorm(8)
        self.place = nn.utils.parametrizations.weight_norm(nn.Conv1d(8, 8, 4, padding=2, groups=2), dim=2)
        self.layer = nn.TransformerEncoderLayer(
            8, 2, 16, activation="gelu", batch_first=True, norm_first=True
        )
        self.out = nn.Linear(8, 5)

    def forward(self, wave):
        y = F.gelu(self.norm(self.a(wave.unsqueeze(1))))
        y = self.ln(F.gelu(self.b(y)).transpose(1, 2))
        y = y + F.gelu(self.place(y.transpose(1, 2))[..., :-1]).transpose(1, 2)
        return self.out(self.layer(y)).log_softmax(-1)


model("wav2vec", wave=floats("N", "L"))(Wav2Vec)


# ---- recurrent


class Recurrent(nn.Module):
    """A recurrent layer of any kind, its outputs and its states."""

    def __init__(self, kind, *args, **kwargs) -> None:
        super().__init__()
        self.rnn = kind(*args, **kwargs)

    def forward(self, x):
        y, state = self.rnn(x)
        return (y, *state) if isinstance(state, tuple) else (y, state)


TIME_MAJOR, BATCH_MAJOR = floats("T", "N", 4), floats("N", "T", 4)


@model("rnn-relu", x=TIME_MAJOR)
def rnn_relu() -> nn.Module:
    return Recurrent(nn.RNN, 4, 6, nonlinearity="relu")


@model("rnn-two-layers", x=BATCH_MAJOR)
def rnn_of_two_layers() -> nn.Module:
    return Recurrent(nn.RNN, 4, 6, 2, batch_first=True)


@model("lstm", x=TIME_MAJOR)
def lstm() -> nn.Module:
    return Recurrent(nn.LSTM, 4, 6)


@model("lstm-13", x=TIME_MAJOR, opset={"script": 13}, exporters=("script",))
def lstm_of_opset_13() -> nn.Module:
    return Recurrent(nn.LSTM, 4, 6)


@model("lstm-both-ways", x=BATCH_MAJOR)
def lstm_both_ways() -> nn.Module:
    return Recurrent(nn.LSTM, 4, 5, 2, batch_first=True, bidirectional=True)


@model("gru", x=TIME_MAJOR)
def gru() -> nn.Module:
    return Recurrent(nn.GRU, 4, 6)


@model("gru-both-ways", x=BATCH_MAJOR)
def gru_both_ways() -> nn.Module:
    return Recurrent(nn.GRU, 4, 5, 2, batch_first=True, bidirectional=True, bias=False)


# torch.export keeps the length of what is recurrent as it is: here the batch alone is free.
_LAYERS = {
    "rnn": lambda: Recurrent(nn.RNN, 4, 6, batch_first=True),
    "lstm": lambda: Recurrent(nn.LSTM, 4, 5, 2, bidirectional=True, batch_first=True),
    "gru": lambda: Recurrent(nn.GRU, 4, 6, batch_first=True),
}
for _name, _layer in _LAYERS.items():
    model(f"{_name}-of-one-length", x=floats("N", 6, 4), free=(True,), exporters=("dynamo",))(_layer)


class WithState(nn.Module):
    """A recurrent layer that takes its first state."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(4, 6, batch_first=True)

    def forward(self, x, h, c):
        y, (h, c) = self.rnn(x, (h, c))
        return y, h, c


model("lstm-with-state", x=BATCH_MAJOR, h=floats(1, "N", 6), c=floats(1, "N", 6))(WithState)


class Cells(nn.Module):
    """Steps of three cells, written out."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn, self.gru, self.lstm = nn.RNNCell(4, 5), nn.GRUCell(5, 5), nn.LSTMCell(5, 5)

    def forward(self, x):
        a = b = h = c = torch.zeros(x.size(1), 5)
        for t in range(3):
            a = self.rnn(x[t], a)
            b = self.gru(a, b)
            h, c = self.lstm(b, (h, c))
        return h, c


model("cells", x=floats(3, "N", 4))(Cells)


class Tagger(nn.Module):
    """Words to vectors, both ways through an LSTM, scores of tags for each word."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 6, padding_idx=0)
        self.rnn = nn.LSTM(6, 5, bidirectional=True, batch_first=True)
        self.out = nn.Linear(10, 4)

    def forward(self, words):
        return F.log_softmax(self.out(self.rnn(self.words(words))[0]), dim=-1)


model("tagger", words=WORDS)(Tagger)
model("tagger-of-one-length", words=ints("N", 6, below=20), free=(True,), exporters=("dynamo",))(Tagger)


class Seq2Seq(nn.Module):
    """An encoder, and a decoder that looks at all of its outputs by additive attention."""

    def __init__(self) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(20, 6), nn.Embedding(18, 6)
        self.encoder, self.decoder = nn.GRU(6, 8, batch_first=True), nn.GRU(6, 8, batch_first=True)
        self.key, self.query, self.score = nn.Linear(8, 8), nn.Linear(8, 8, bias=False), nn.Linear(8, 1)
        self.out = nn.Linear(16, 18)

    def forward(self, source, target):
        memory, state = self.encoder(self.source(source))
        y, _ = self.decoder(self.target(target), state)
        score = self.score(torch.tanh(self.query(y).unsqueeze(2) + self.key(memory).unsqueeze(1))).squeeze(-1)
        return self.out(torch.cat([y, torch.bmm(score.softmax(-1), memory)], -1))


model("seq2seq", source=WORDS, target=ints("N", "S", below=18))(Seq2Seq)


class CRNN(nn.Module):
    """Columns of an image as a sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2d((4, 2)))
        self.rnn, self.out = nn.LSTM(24, 6, bidirectional=True), nn.Linear(12, 7)

    def forward(self, x):
        y = self.conv(x)
        n, c, h, w = y.shape
        y, _ = self.rnn(y.permute(3, 0, 1, 2).reshape(w, n, c * h))
        return self.out(y).log_softmax(2)


model("crnn", x=floats("N", 1, 16, "W"))(CRNN)


class ConvLSTM(nn.Module):
    """Three steps of an LSTM whose products are convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.gates = nn.Conv2d(2 + 3, 12, 3, padding=1)

    def forward(self, x):
        h = c = x.new_zeros(x.shape[0], 3, x.shape[3], x.shape[4])
        for t in range(3):
            i, f, o, g = torch.split(self.gates(torch.cat([x[:, t], h], 1)), 3, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return h


model("conv-lstm", x=floats("N", 3, 2, 8, 8))(ConvLSTM)


# ---- tables, words in bags, graphs


class FastText(nn.Module):
    """The mean of words' vectors."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        self.words, self.out = nn.EmbeddingBag(20, 6, mode=mode), nn.Linear(6, 4)

    def forward(self, words):
        return self.out(self.words(words))


@model("embedding-bag", words=WORDS)
def embedding_bag() -> nn.Module:
    return FastText("mean")


@model("embedding-bag-max", words=WORDS)
def embedding_bag_of_maxima() -> nn.Module:
    return FastText("max")


class TextCNN(nn.Module):
    """Convolutions of several widths over words, and the largest of each."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.out = nn.Embedding(20, 6), nn.Linear(12, 3)
        self.convs = nn.ModuleList([nn.Conv2d(1, 4, (k, 6)) for k in (2, 3, 4)])

    def forward(self, words):
        x = self.words(words).unsqueeze(1)
        ys = [F.relu(conv(x)).squeeze(3) for conv in self.convs]
        return self.out(torch.cat([y.amax(2) for y in ys], 1))


model("text-cnn", words=WORDS)(TextCNN)


class DeepFM(nn.Module):
    """Linear terms, products of pairs and a deep net over fields' vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("starts", torch.tensor([0, 10, 15]))
        self.first, self.second = nn.Embedding(25, 1), nn.Embedding(25, 4)
        self.deep = nn.Sequential(nn.Linear(12, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, fields):
        fields = fields + self.starts
        v = self.second(fields)
        pairs = 0.5 * (v.sum(1).pow(2) - v.pow(2).sum(1)).sum(1, keepdim=True)
        return torch.sigmoid(self.first(fields).sum(1) + pairs + self.deep(v.flatten(1))).squeeze(1)


model("deepfm", fields=ints("N", 3, below=5))(DeepFM)


class NCF(nn.Module):
    """Users and items, by product and by a net."""

    def __init__(self) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(12, 4), nn.Embedding(15, 4)
        self.users_too, self.items_too = nn.Embedding(12, 4), nn.Embedding(15, 4)
        self.net, self.out = nn.Sequential(nn.Linear(8, 6), nn.ReLU()), nn.Linear(10, 1)

    def forward(self, user, item):
        product = self.users(user) * self.items(item)
        deep = self.net(torch.cat([self.users_too(user), self.items_too(item)], -1))
        return torch.sigmoid(self.out(torch.cat([product, deep], -1))).view(-1)


model("ncf", user=ints("N", below=12), item=ints("N", below=15))(NCF)


class WideAndDeep(nn.Module):
    """Columns of numbers beside columns of categories."""

    def __init__(self) -> None:
        super().__init__()
        self.category, self.norm = nn.Embedding(7, 3), nn.BatchNorm1d(4)
        self.deep = nn.Sequential(nn.Linear(7, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 4), nn.ReLU())
        self.wide = nn.Linear(7 + 4, 2)

    def forward(self, numbers, category):
        wide = F.one_hot(category, 7).float()
        deep = self.deep(torch.cat([self.norm(numbers), self.category(category)], 1))
        return self.wide(torch.cat([wide, deep], 1)).softmax(1)


model("wide-and-deep", numbers=floats("N", 4), category=ints("N", below=7))(WideAndDeep)


class GraphConv(nn.Module):
    """What a node's neighbours say, summed into it by the edges' ends, over the number of edges."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 3)

    def forward(self, nodes, edges):
        source, target = edges[0], edges[1]
        degree = torch.ones(nodes.size(0)).index_add(0, target, torch.ones_like(target, dtype=torch.float32))
        x = F.relu(self.a(nodes))
        x = (x + torch.zeros_like(x).index_add(0, target, x[source])) / degree.unsqueeze(1)
        return self.b(x)


model("graph-conv", nodes=floats("T", 4), edges=ints(2, "L", below=6))(GraphConv)


class GraphAttention(nn.Module):
    """Weights of edges by a softmax over those that end in a node, with scatter."""

    def __init__(self) -> None:
        super().__init__()
        self.w, self.out = nn.Linear(4, 6, bias=False), nn.Linear(6, 2)
        self.left, self.right = nn.Parameter(torch.randn(6)), nn.Parameter(torch.randn(6))

    def forward(self, nodes, edges):
        x = self.w(nodes)
        score = F.leaky_relu((x @ self.left)[edges[0]] + (x @ self.right)[edges[1]], 0.2).clamp(-5, 5).exp()
        total = torch.zeros(nodes.size(0)).scatter_add(0, edges[1], score)
        weight = (score / (total[edges[1]] + 1e-6)).unsqueeze(1)
        index = edges[1].unsqueeze(1).expand(-1, 6)
        return self.out(torch.zeros_like(x).scatter_add(0, index, weight * x[edges[0]]))


model("graph-attention", nodes=floats("T", 4), edges=ints(2, "L", below=6))(GraphAttention)


class DenseGraph(nn.Module):
    """A graph by its adjacency matrix, normalized by degrees."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 6), nn.Linear(6, 3)

    def forward(self, nodes, adjacency):
        a = adjacency.float() + torch.eye(nodes.size(1))
        scale = a.sum(-1).rsqrt()
        a = scale.unsqueeze(-1) * a * scale.unsqueeze(-2)
        return torch.einsum("nij,njc->nic", a, self.b(F.relu(a @ self.a(nodes))))


model("dense-graph", nodes=floats("N", "T", 4), adjacency=flags("N", "T", "T"))(DenseGraph)


class PointNet(nn.Module):
    """A cloud of points, each by the same layers, and the largest of all."""

    def __init__(self) -> None:
        super().__init__()
        self.point = nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 12, 1))
        self.out = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 4))

    def forward(self, points):
        return self.out(torch.max(self.point(points.transpose(1, 2)), 2)[0])


model("pointnet", points=floats("N", "L", 3))(PointNet)


class MixtureOfExperts(nn.Module):
    """The two experts with the best scores, weighted."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.experts = nn.Linear(6, 4), nn.Parameter(torch.randn(4, 6, 5) * 0.3)

    def forward(self, x):
        score, index = torch.topk(self.gate(x), 2, dim=-1)
        weight = torch.zeros(x.size(0), 4).scatter(1, index, score.softmax(-1))
        return torch.einsum("ne,neo->no", weight, torch.einsum("ni,eio->neo", x, self.experts))


model("mixture-of-experts", x=floats("N", 6))(MixtureOfExperts)
