"""DenseNets of "Densely connected convolutional networks" (Huang et al., 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from ....context import Context
from ..._options import BlockOptions
from ...contrib.nn.basic_layers import HybridConcurrent, Identity
from ...hybrid_block import HybridBlock
from ...nn.activations import Activation
from ...nn.basic_layers import BatchNorm, Dense, Dropout, Flatten, HybridSequential
from ...nn.conv_layers import AvgPool2D, Conv2D, MaxPool2D
from ..model_store import CPU, ROOT, load
from ._classifier import Classifier, chain
from ._options import DenseNetModelOptions, DenseNetOptions

__all__ = ["DenseNet", "densenet121", "densenet161", "densenet169", "densenet201"]

_SIZES = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (64, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
}
"""By depth: channels of the first convolution, channels that a layer adds, layers of each stage."""
densenet_spec = {depth: (first, growth, list(layers)) for depth, (first, growth, layers) in _SIZES.items()}
"""The same, as MXNet's module has it."""


def _convolved(channels: int, kernel: int) -> list[HybridBlock]:
    """A convolution after normalization and activation."""
    return [BatchNorm(), Activation("relu"), Conv2D(channels, kernel, padding=kernel // 2, use_bias=False)]


def _layer(growth: int, bottleneck: int, dropout: float) -> HybridConcurrent:
    """The input, joined with `growth` channels made of it."""
    branch = [*_convolved(bottleneck * growth, 1), *_convolved(growth, 3)]
    if dropout:
        branch.append(Dropout(dropout))
    joined = HybridConcurrent(axis=1, prefix="")
    joined.add(Identity(), chain(*branch))
    return joined


def _stage(number: int, layers: int, growth: int, bottleneck: int, dropout: float) -> HybridSequential:
    stage = HybridSequential(prefix=f"stage{number}_")
    with stage.name_scope():
        stage.add(*(_layer(growth, bottleneck, dropout) for _ in range(layers)))
    return stage


class DenseNet(Classifier):
    """Stages in which each layer sees the outputs of all before it, for images (N, 3, 224, 224)."""

    def __init__(
        self,
        num_init_features: int,
        growth_rate: int,
        block_config: Sequence[int],
        bn_size: int = 4,
        dropout: float = 0,
        classes: int = 1000,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = chain(
                Conv2D(num_init_features, 7, 2, 3, use_bias=False),
                BatchNorm(),
                Activation("relu"),
                MaxPool2D(3, 2, 1),
            )
            channels = num_init_features
            for number, layers in enumerate(block_config, 1):
                self.features.add(_stage(number, layers, growth_rate, bn_size, dropout))
                channels += layers * growth_rate
                if number < len(block_config):
                    channels //= 2
                    self.features.add(chain(*_convolved(channels, 1), AvgPool2D(2, 2)))
            self.features.add(BatchNorm(), Activation("relu"), AvgPool2D(7), Flatten())
            self.output = Dense(classes)


def get_densenet(
    num_layers: int,
    pretrained: bool = False,
    ctx: Context | list[Context] = CPU,
    root: str = ROOT,
    **kwargs: Unpack[DenseNetOptions],
) -> DenseNet:
    """The DenseNet with 121, 161, 169 or 201 layers."""
    if num_layers not in _SIZES:
        raise ValueError(f"get_densenet: num_layers must be one of {list(_SIZES)}, got {num_layers!r}.")
    net = DenseNet(*_SIZES[num_layers], **kwargs)
    return load(net, f"densenet{num_layers}", ctx, root) if pretrained else net


def densenet121(**kwargs: Unpack[DenseNetModelOptions]) -> DenseNet:
    """DenseNet-121; the arguments are those of `DenseNet`, `pretrained`, `ctx` and `root`."""
    return get_densenet(121, **kwargs)


def densenet161(**kwargs: Unpack[DenseNetModelOptions]) -> DenseNet:
    """DenseNet-161; the arguments are those of `DenseNet`, `pretrained`, `ctx` and `root`."""
    return get_densenet(161, **kwargs)


def densenet169(**kwargs: Unpack[DenseNetModelOptions]) -> DenseNet:
    """DenseNet-169; the arguments are those of `DenseNet`, `pretrained`, `ctx` and `root`."""
    return get_densenet(169, **kwargs)


def densenet201(**kwargs: Unpack[DenseNetModelOptions]) -> DenseNet:
    """DenseNet-201; the arguments are those of `DenseNet`, `pretrained`, `ctx` and `root`."""
    return get_densenet(201, **kwargs)
