"""SqueezeNets of Iandola et al. (2016): version 1.0 of the paper, and 1.1, which computes less."""

from __future__ import annotations

from typing import Unpack

from ....context import Context
from ..._options import BlockOptions
from ...contrib.nn.basic_layers import HybridConcurrent
from ...nn.activations import Activation
from ...nn.basic_layers import Dropout, Flatten, HybridSequential
from ...nn.conv_layers import AvgPool2D, Conv2D, MaxPool2D
from ..model_store import CPU, ROOT, load
from ._classifier import Classifier, chain
from ._options import ClassifierOptions, ModelOptions

__all__ = ["SqueezeNet", "squeezenet1_0", "squeezenet1_1"]

_STAGES = {
    "1.0": (
        (96, 7),
        ((16, 64), (16, 64), (32, 128)),
        ((32, 128), (48, 192), (48, 192), (64, 256)),
        ((64, 256),),
    ),
    "1.1": ((64, 3), ((16, 64),) * 2, ((32, 128),) * 2, ((48, 192),) * 2 + ((64, 256),) * 2),
}
"""By version: channels and kernel of the first convolution, then each stage's modules by their channels
when squeezed and, of both kernels, when expanded; a pooling stands before each stage."""


def _convolution(channels: int, kernel: int) -> HybridSequential:
    return chain(Conv2D(channels, kernel, padding=kernel // 2), Activation("relu"))


def _fire(squeezed: int, expanded: int) -> HybridSequential:
    """Few channels, then many: half of these by kernels of 1 × 1, half by those of 3 × 3."""
    first, joined = _convolution(squeezed, 1), HybridConcurrent(axis=1, prefix="")
    joined.add(_convolution(expanded, 1), _convolution(expanded, 3))
    return chain(first, joined)


class SqueezeNet(Classifier):
    """Modules that squeeze and expand the channels, for images (N, 3, 224, 224)."""

    def __init__(self, version: str, classes: int = 1000, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)
        if version not in _STAGES:
            raise AssertionError(f"SqueezeNet: version must be one of {list(_STAGES)}, got {version!r}.")
        (channels, kernel), *stages = _STAGES[version]
        with self.name_scope():
            self.features = chain(Conv2D(channels, kernel, 2), Activation("relu"))
            for stage in stages:
                self.features.add(MaxPool2D(3, 2, ceil_mode=True), *(_fire(*module) for module in stage))
            self.features.add(Dropout(0.5))
            self.output = chain(Conv2D(classes, 1), Activation("relu"), AvgPool2D(13), Flatten())


def get_squeezenet(
    version: str,
    pretrained: bool = False,
    ctx: Context | list[Context] = CPU,
    root: str = ROOT,
    **kwargs: Unpack[ClassifierOptions],
) -> SqueezeNet:
    """The SqueezeNet of version "1.0" or "1.1"."""
    net = SqueezeNet(version, **kwargs)
    return load(net, f"squeezenet{version}", ctx, root) if pretrained else net


def squeezenet1_0(**kwargs: Unpack[ModelOptions]) -> SqueezeNet:
    """SqueezeNet 1.0; the arguments are those of `SqueezeNet`, `pretrained`, `ctx` and `root`."""
    return get_squeezenet("1.0", **kwargs)


def squeezenet1_1(**kwargs: Unpack[ModelOptions]) -> SqueezeNet:
    """SqueezeNet 1.1; the arguments are those of `SqueezeNet`, `pretrained`, `ctx` and `root`."""
    return get_squeezenet("1.1", **kwargs)
