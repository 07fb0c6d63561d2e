"""Loops, branches, and numbers of few bits."""

from __future__ import annotations

import torch
from torch import nn

from tests.torch_models.registry import floats, ints, model


class ScriptedLoop(nn.Module):
    """As many steps as the second input says."""

    def __init__(self) -> None:
        super().__init__()
        self.step = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        for _ in range(int(count)):
            x = torch.tanh(self.step(x)) + x
        return x


_SCRIPTED = {"scripted": True, "exporters": ("script",)}
model("scripted-loop", x=floats("N", 4), count=ints(low=3, below=4), **_SCRIPTED)(ScriptedLoop)


class ScriptedBranch(nn.Module):
    """One of two layers, by the input's sum."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 3), nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            y = self.a(x)
        else:
            y = torch.relu(self.b(x))
        return y * 2


model("scripted-branch", x=floats("N", 4), **_SCRIPTED)(ScriptedBranch)


class ScriptedScan(nn.Module):
    """A cell over the rows, whose outputs become one tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.Linear(7, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.zeros(x.size(1), 4)
        outputs: list[torch.Tensor] = []
        for t in range(x.size(0)):
            h = torch.tanh(self.cell(torch.cat([x[t], h], 1)))
            outputs.append(h)
        return torch.stack(outputs)


model("scripted-scan", x=floats("T", "N", 3), **_SCRIPTED)(ScriptedScan)


class ScriptedWhile(nn.Module):
    """Halves what it has until it is small."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        steps = 0
        while bool(x.abs().max() > 0.1) and steps < 20:
            x = x / 2
            steps += 1
        return x, torch.tensor(steps)


model("scripted-while", x=floats("N", 4), **_SCRIPTED)(ScriptedWhile)


class ScriptedNested(nn.Module):
    """A branch inside of a loop."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total = torch.zeros_like(x[:, 0])
        for i in range(x.size(1)):
            column = x[:, i]
            if bool(column.mean() > 0):
                total = total + column
            else:
                total = total * 0.5 - column
        return total


model("scripted-nested", x=floats("N", "T"), **_SCRIPTED)(ScriptedNested)


class Cond(nn.Module):
    """torch.cond between two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 3), nn.Linear(4, 3)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.a(x), lambda x: self.b(x).relu(), (x,))


model("cond", x=floats("N", 4), exporters=("dynamo",))(Cond)


class While(nn.Module):
    """A loop that ends by a count."""

    def forward(self, x):
        from torch._higher_order_ops.while_loop import while_loop

        start = torch.zeros((), dtype=torch.int64)
        return while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 0.5 + 1), (start, x))[1]


model("while", x=floats("N", 4), exporters=("dynamo",), gradients=False)(While)


class Scan(nn.Module):
    """A running sum with decay, by scan."""

    def forward(self, x):
        from torch._higher_order_ops.scan import scan

        def step(carry, row):
            new = carry * 0.5 + row
            return new, new.tanh()

        return scan(step, torch.zeros_like(x[0]), x, dim=0)


model("scan", x=floats(5, "N", 3), exporters=("dynamo",), gradients=False)(Scan)


class FakeQuantized(nn.Module):
    """Weights and activations rounded to eight bits, as training for them does."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.out = nn.Conv2d(3, 4, 3), nn.Linear(4, 3)
        self.register_buffer("scale", torch.tensor([0.01, 0.02, 0.015, 0.01]))
        self.register_buffer("zero", torch.zeros(4, dtype=torch.int32))

    def forward(self, x):
        x = torch.fake_quantize_per_tensor_affine(x, 0.03125, 128, 0, 255)
        w = torch.fake_quantize_per_channel_affine(self.conv.weight, self.scale, self.zero, 0, -128, 127)
        y = torch.relu(nn.functional.conv2d(x, w, self.conv.bias))
        y = torch.fake_quantize_per_tensor_affine(y, 0.0625, 0, 0, 255)
        return self.out(y.mean((2, 3)))


model("fake-quantized", x=floats("N", 3, 8, 8), gradients=False, tolerance=1e-4)(FakeQuantized)


class Greedy(nn.Module):
    """Four words, each the best one after the last, written out."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.cell, self.out = nn.Embedding(12, 6), nn.GRUCell(6, 8), nn.Linear(8, 12)

    def forward(self, word):
        h = torch.zeros(word.size(0), 8)
        chosen = []
        for _ in range(4):
            h = self.cell(self.words(word), h)
            word = self.out(h).argmax(-1)
            chosen.append(word)
        return torch.stack(chosen, 1), h


model("greedy", word=ints("N", below=12))(Greedy)
