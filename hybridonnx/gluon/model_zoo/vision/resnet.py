"""Residual networks of He et al.: version 1 (2015), and version 2, which normalizes first (2016)."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Literal, Unpack, overload

from ....context import Context
from ....typing import Tensor
from ..._options import BlockOptions
from ...hybrid_block import HybridBlock
from ...nn.activations import Activation
from ...nn.basic_layers import BatchNorm, Dense, Flatten, HybridSequential
from ...nn.conv_layers import Conv2D, GlobalAvgPool2D, MaxPool2D
from ..model_store import CPU, ROOT, load
from ._classifier import Classifier, chain
from ._options import ResNetModelOptions, ResNetOptions

__all__ = [
    "BasicBlockV1",
    "BasicBlockV2",
    "BottleneckV1",
    "BottleneckV2",
    "ResNetV1",
    "ResNetV2",
    "get_resnet",
    "resnet18_v1",
    "resnet18_v2",
    "resnet34_v1",
    "resnet34_v2",
    "resnet50_v1",
    "resnet50_v2",
    "resnet101_v1",
    "resnet101_v2",
    "resnet152_v1",
    "resnet152_v2",
]

_BLOCKS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
"""By depth: blocks of each stage."""
_BASIC = (64, 64, 128, 256, 512)
_BOTTLENECK = (64, 256, 512, 1024, 2048)
"""Channels of the first convolution and of each stage; bottlenecks from 50 layers on."""
resnet_spec = {
    depth: ("basic_block", list(blocks), list(_BASIC))
    if depth < 50
    else ("bottle_neck", list(blocks), list(_BOTTLENECK))
    for depth, blocks in _BLOCKS.items()
}
"""By depth: the kind of block, blocks of each stage, channels, as MXNet's module has them."""


def _convolution(channels: int, kernel: int, stride: int = 1, in_channels: int = 0) -> Conv2D:
    return Conv2D(channels, kernel, stride, kernel // 2, use_bias=False, in_channels=in_channels)


# ---- blocks


class BasicBlockV1(HybridBlock):
    """Two convolutions of (N, in_channels, H, W), added to the input or to a strided projection of it."""

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        self.body = chain(
            _convolution(channels, 3, stride, in_channels),
            BatchNorm(),
            Activation("relu"),
            _convolution(channels, 3, 1, channels),
            BatchNorm(),
        )
        self.downsample = _projection(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The activation of the sum."""
        shortcut = x if self.downsample is None else self.downsample(x)
        return F.Activation(shortcut + self.body(x), act_type="relu")


class BottleneckV1(HybridBlock):
    """A 3 × 3 convolution of a quarter of the channels between two of 1 × 1, added to the input."""

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        narrow = channels // 4
        # The biases have no effect before a normalization. MXNet's files have them.
        self.body = chain(
            Conv2D(narrow, 1, stride),
            BatchNorm(),
            Activation("relu"),
            _convolution(narrow, 3, 1, narrow),
            BatchNorm(),
            Activation("relu"),
            Conv2D(channels, 1),
            BatchNorm(),
        )
        self.downsample = _projection(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The activation of the sum."""
        shortcut = x if self.downsample is None else self.downsample(x)
        return F.Activation(self.body(x) + shortcut, act_type="relu")


def _projection(channels: int, stride: int, in_channels: int) -> HybridSequential:
    return chain(_convolution(channels, 1, stride, in_channels), BatchNorm())


class BasicBlockV2(HybridBlock):
    """Two convolutions after normalization and activation, added to the input or a projection of it."""

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        self.bn1 = BatchNorm()
        self.conv1 = _convolution(channels, 3, stride, in_channels)
        self.bn2 = BatchNorm()
        self.conv2 = _convolution(channels, 3, 1, channels)
        self.downsample = _convolution(channels, 1, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The sum, which the next block normalizes."""
        first = F.Activation(self.bn1(x), act_type="relu")
        shortcut = x if self.downsample is None else self.downsample(first)
        second = F.Activation(self.bn2(self.conv1(first)), act_type="relu")
        return self.conv2(second) + shortcut


class BottleneckV2(HybridBlock):
    """A strided 3 × 3 convolution of a quarter of the channels between two of 1 × 1, added to the input."""

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        narrow = channels // 4
        self.bn1 = BatchNorm()
        self.conv1 = _convolution(narrow, 1)
        self.bn2 = BatchNorm()
        self.conv2 = _convolution(narrow, 3, stride, narrow)
        self.bn3 = BatchNorm()
        self.conv3 = _convolution(channels, 1)
        self.downsample = _convolution(channels, 1, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The sum, which the next block normalizes."""
        first = F.Activation(self.bn1(x), act_type="relu")
        shortcut = x if self.downsample is None else self.downsample(first)
        second = F.Activation(self.bn2(self.conv1(first)), act_type="relu")
        third = F.Activation(self.bn3(self.conv2(second)), act_type="relu")
        return self.conv3(third) + shortcut


# ---- networks

_Block = type[BasicBlockV1] | type[BottleneckV1] | type[BasicBlockV2] | type[BottleneckV2]


def _stem(channels: int, thumbnail: bool) -> list[HybridBlock]:
    """What stands before the stages: for small images a convolution alone."""
    if thumbnail:
        return [_convolution(channels, 3)]
    return [_convolution(channels, 7, 2), BatchNorm(), Activation("relu"), MaxPool2D(3, 2, 1)]


def _stages(block: _Block, layers: Sequence[int], channels: Sequence[int]) -> list[HybridBlock]:
    if len(layers) != len(channels) - 1:
        raise AssertionError(
            f"ResNet: channels must be one more than layers, the stem's first, got {channels} and {layers}."
        )
    return [_stage(block, count, channels[i], channels[i + 1], i + 1) for i, count in enumerate(layers)]


def _stage(block: _Block, count: int, before: int, channels: int, number: int) -> HybridSequential:
    stage = HybridSequential(prefix=f"stage{number}_")
    stride = 1 if number == 1 else 2
    with stage.name_scope():
        stage.add(block(channels, stride, channels != before, in_channels=before, prefix=""))
        for _ in range(count - 1):
            stage.add(block(channels, 1, False, in_channels=channels, prefix=""))
    return stage


class ResNetV1(Classifier):
    """Stages of blocks with activated sums, for images (N, 3, 224, 224), or with `thumbnail` small ones."""

    def __init__(
        self,
        block: type[BasicBlockV1] | type[BottleneckV1],
        layers: Sequence[int],
        channels: Sequence[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = chain(*_stem(channels[0], thumbnail))
            self.features.add(*_stages(block, layers, channels), GlobalAvgPool2D())
            self.output = Dense(classes, in_units=channels[-1])


class ResNetV2(Classifier):
    """Stages of blocks that normalize first, for images (N, 3, 224, 224), or with `thumbnail` small ones."""

    def __init__(
        self,
        block: type[BasicBlockV2] | type[BottleneckV2],
        layers: Sequence[int],
        channels: Sequence[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = chain(BatchNorm(scale=False, center=False), *_stem(channels[0], thumbnail))
            self.features.add(*_stages(block, layers, channels))
            self.features.add(BatchNorm(), Activation("relu"), GlobalAvgPool2D(), Flatten())
            self.output = Dense(classes, in_units=channels[-1])


@overload
def get_resnet(
    version: Literal[1],
    num_layers: int,
    pretrained: bool = False,
    ctx: Context | list[Context] = ...,
    root: str = ...,
    **kwargs: Unpack[ResNetOptions],
) -> ResNetV1: ...
@overload
def get_resnet(
    version: Literal[2],
    num_layers: int,
    pretrained: bool = False,
    ctx: Context | list[Context] = ...,
    root: str = ...,
    **kwargs: Unpack[ResNetOptions],
) -> ResNetV2: ...
def get_resnet(
    version: int,
    num_layers: int,
    pretrained: bool = False,
    ctx: Context | list[Context] = CPU,
    root: str = ROOT,
    **kwargs: Unpack[ResNetOptions],
) -> ResNetV1 | ResNetV2:
    """The residual network of version 1 or 2 with 18, 34, 50, 101 or 152 layers."""
    if num_layers not in _BLOCKS:
        raise AssertionError(
            f"Invalid number of layers: {num_layers!r}. Options are {', '.join(map(str, _BLOCKS))}."
        )
    if version not in (1, 2):
        raise AssertionError(f"Invalid resnet version: {version!r}. Options are 1 and 2.")
    layers, deep = _BLOCKS[num_layers], num_layers >= 50
    channels = _BOTTLENECK if deep else _BASIC
    net: ResNetV1 | ResNetV2
    if version == 1:
        net = ResNetV1(BottleneckV1 if deep else BasicBlockV1, layers, channels, **kwargs)
    else:
        net = ResNetV2(BottleneckV2 if deep else BasicBlockV2, layers, channels, **kwargs)
    return load(net, f"resnet{num_layers}_v{version}", ctx, root) if pretrained else net


def resnet18_v1(**kwargs: Unpack[ResNetModelOptions]) -> ResNetV1:
    """ResNet-18 version 1; the arguments are those of `ResNetV1`, `pretrained`, `ctx` and `root`."""
    return get_resnet(1, 18, **kwargs)


def resnet34_v1(**kwargs: Unpack[ResNetModelOptions]) -> ResNetV1:
    """ResNet-34 version 1; the arguments are those of `ResNetV1`, `pretrained`, `ctx` and `root`."""
    return get_resnet(1, 34, **kwargs)


def resnet50_v1(**kwargs: Unpack[ResNetModelOptions]) -> ResNetV1:
    """ResNet-50 version 1; the arguments are those of `ResNetV1`, `pretrained`, `ctx` and `root`."""
    return get_resnet(1, 50, **kwargs)


def resnet101_v1(**kwargs: Unpack[ResNetModelOptions]) -> ResNetV1:
    """ResNet-101 version 1; the arguments are those of `ResNetV1`, `pretrained`, `ctx` and `root`."""
    return get_resnet(1, 101, **kwargs)


def resnet152_v1(**kwargs: Unpack[ResNetModelOptions]) -> ResNetV1:
    """ResNet-152 version 1; the arguments are those of `ResNetV1`, `pretrained`, `ctx` and `root`."""
    return get_resnet(1, 152, **kwargs)


def resnet18_v2(**kwargs: Unpack[ResNetModelOptions]) -> ResNetV2:
    """ResNet-18 version 2; the arguments are those of `ResNetV2`, `pretrained`, `ctx` and `root`."""
    return get_resnet(2, 18, **kwargs)


def resnet34_v2(**kwargs: Unpack[ResNetModelOptions]) -> ResNetV2:
    """ResNet-34 version 2; the arguments are those of `ResNetV2`, `pretrained`, `ctx` and `root`."""
    return get_resnet(2, 34, **kwargs)


def resnet50_v2(**kwargs: Unpack[ResNetModelOptions]) -> ResNetV2:
    """ResNet-50 version 2; the arguments are those of `ResNetV2`, `pretrained`, `ctx` and `root`."""
    return get_resnet(2, 50, **kwargs)


def resnet101_v2(**kwargs: Unpack[ResNetModelOptions]) -> ResNetV2:
    """ResNet-101 version 2; the arguments are those of `ResNetV2`, `pretrained`, `ctx` and `root`."""
    return get_resnet(2, 101, **kwargs)


def resnet152_v2(**kwargs: Unpack[ResNetModelOptions]) -> ResNetV2:
    """ResNet-152 version 2; the arguments are those of `ResNetV2`, `pretrained`, `ctx` and `root`."""
    return get_resnet(2, 152, **kwargs)


resnet_net_versions = [ResNetV1, ResNetV2]
resnet_block_versions = [
    {"basic_block": BasicBlockV1, "bottle_neck": BottleneckV1},
    {"basic_block": BasicBlockV2, "bottle_neck": BottleneckV2},
]
"""The classes by version, and by kind of block."""
