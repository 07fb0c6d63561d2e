"""The list of models, and what an input of one looks like."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

SIZES = {
    "N": (2, 3),
    "T": (6, 9),
    "S": (5, 8),
    "L": (48, 64),
    "H": (16, 24),
    "W": (16, 20),
}
"""Sizes that a free file leaves open: at the first the model is exported, at the second it must run too."""

GRID = 128
"""Values are multiples of one part of this, so that the files pack well and float16 holds them."""

Axis = int | str


@dataclass(frozen=True)
class Input:
    """Shape, with the names of free sizes, and what the values are."""

    shape: tuple[Axis, ...]
    draw: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]

    def values(self, name: str, turn: int) -> torch.Tensor:
        """The same values at each run; `turn` is 0 for the first sizes and 1 for the second."""
        shape = tuple(SIZES[axis][turn] if isinstance(axis, str) else axis for axis in self.shape)
        return torch.from_numpy(
            self.draw(np.random.default_rng(zlib.crc32(f"{name} {turn}".encode())), shape)
        )


def floats(*shape: Axis, low: float | None = None, high: float = 1.0, dtype: str = "float32") -> Input:
    """Normal draws, or uniform ones from `low` to `high`."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        values = rng.standard_normal(shape) if low is None else rng.uniform(low, high, shape)
        return np.asarray(np.round(np.asarray(values) * GRID) / GRID).astype(dtype)

    return Input(shape, draw)


def ints(*shape: Axis, below: int, low: int = 0, dtype: str = "int64") -> Input:
    """Whole numbers from `low` up to but without `below`."""
    return Input(shape, lambda rng, shape: np.asarray(rng.integers(low, below, shape)).astype(dtype))


def flags(*shape: Axis) -> Input:
    """True or False; the first of each row is True."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        values = rng.uniform(size=shape) < 0.6
        values[..., :1] = True
        return values

    return Input(shape, draw)


@dataclass
class Model:
    """A model of the zoo."""

    name: str
    make: Callable[[], nn.Module]
    inputs: dict[str, Input]
    exporters: tuple[str, ...] = ("script", "dynamo")
    opset: dict[str, int] = field(default_factory=dict)
    """The opset by exporter, where it is not the usual one."""
    free: tuple[bool, ...] = (False, True)
    scripted: bool = False
    """Whether TorchScript compiles the source, which keeps loops and branches."""
    gradients: bool = True
    """Whether the gradients of the loss are stored."""
    tolerance: float = 1e-5


MODELS: dict[str, Model] = {}


def model(name: str, *, inputs: dict[str, Input] | None = None, **options: object) -> Callable:
    """Put the module that a class or function makes into the list, with keywords for inputs and options."""

    def register(make: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
        own = dict(inputs or {})
        rest = {}
        for key, value in options.items():
            if isinstance(value, Input):
                own[key] = value
            else:
                rest[key] = value
        if name in MODELS:
            raise ValueError(f"{name}: a name of its own is required for each model.")
        MODELS[name] = Model(name, make, own, **rest)
        return make

    return register


class Calls(nn.Module):
    """A module of a function without parameters."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: torch.Tensor) -> object:
        return self.function(*args)


def function(name: str, **options: object) -> Callable:
    """Put a function of the inputs into the list."""

    def register(call: Callable) -> Callable:
        model(name, **options)(lambda: Calls(call))
        return call

    return register


def build(entry: Model) -> nn.Module:
    """The module in its evaluation mode, with the same weights each time."""
    torch.manual_seed(zlib.crc32(entry.name.encode()))
    net = entry.make()
    with torch.no_grad():
        for name, value in net.state_dict(keep_vars=True).items():
            _set(name, value)
    return net.eval()


def _set(name: str, value: torch.Tensor) -> None:
    if not value.dtype.is_floating_point:
        return
    if name.endswith("running_mean"):
        value.normal_(0, 0.2)
    elif name.endswith("running_var"):
        value.uniform_(0.5, 1.5)
    elif isinstance(value, nn.Parameter):
        value.add_(torch.randn_like(value) * (0.1 if value.ndim <= 1 else 0.03))  # no two layers are alike
    value.copy_(torch.round(value.float() * GRID) / GRID + 0.0)
