"""MobileNets of Howard et al. (2017), and those with linear bottlenecks of Sandler et al. (2018)."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Unpack

from ....context import Context
from ....typing import Tensor
from ..._options import BlockOptions
from ...hybrid_block import HybridBlock
from ...nn.activations import Activation
from ...nn.basic_layers import BatchNorm, Dense, Flatten, HybridSequential
from ...nn.conv_layers import Conv2D, GlobalAvgPool2D
from ..model_store import CPU, ROOT, load
from ._classifier import Classifier, chain
from ._options import ClassifierOptions, ModelOptions

__all__ = [
    "MobileNet",
    "MobileNetV2",
    "get_mobilenet",
    "get_mobilenet_v2",
    "mobilenet0_5",
    "mobilenet0_25",
    "mobilenet0_75",
    "mobilenet1_0",
    "mobilenet_v2_0_5",
    "mobilenet_v2_0_25",
    "mobilenet_v2_0_75",
    "mobilenet_v2_1_0",
]

_SEPARABLE = (
    (64, 1),
    (128, 2),
    (128, 1),
    (256, 2),
    (256, 1),
    (512, 2),
    *((512, 1),) * 5,
    (1024, 2),
    (1024, 1),
)
"""Channels and stride of each separable convolution of the first version."""

_BOTTLENECKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Expansion, channels, number and first stride of the bottlenecks of the second version."""


class RELU6(HybridBlock):
    """x, but at least 0 and at most 6."""

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """`x` within the limits."""
        return F.clip(x, 0, 6, name="relu6")


def _convolved(channels: int, kernel: int, stride: int = 1, groups: int = 1) -> list[HybridBlock]:
    """A convolution that keeps the size but for the stride, and its normalization."""
    return [Conv2D(channels, kernel, stride, kernel // 2, groups=groups, use_bias=False), BatchNorm()]


class LinearBottleneck(HybridBlock):
    """Widens `in_channels` by the factor `t`, convolves each channel, and narrows to `channels`."""

    def __init__(
        self, in_channels: int, channels: int, t: int, stride: int, **kwargs: Unpack[BlockOptions]
    ) -> None:
        super().__init__(**kwargs)
        self.use_shortcut = stride == 1 and in_channels == channels
        wide = in_channels * t
        with self.name_scope():
            self.out = HybridSequential()
            self.out.add(*_convolved(wide, 1), RELU6())
            self.out.add(*_convolved(wide, 3, stride, groups=wide), RELU6())
            self.out.add(*_convolved(channels, 1))

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The narrow channels, added to `x` where the shapes allow it."""
        out = self.out(x)
        return F.elemwise_add(out, x) if self.use_shortcut else out


class MobileNet(Classifier):
    """Convolutions by channel and across channels in turn, for images (N, 3, 224, 224)."""

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            channels = int(32 * multiplier)
            self.features = chain(*_convolved(channels, 3, 2), Activation("relu"))
            for width, stride in _SEPARABLE:
                self.features.add(*_convolved(channels, 3, stride, groups=channels), Activation("relu"))
                channels = int(width * multiplier)
                self.features.add(*_convolved(channels, 1), Activation("relu"))
            self.features.add(GlobalAvgPool2D(), Flatten())
            self.output = Dense(classes)


class MobileNetV2(Classifier):
    """Linear bottlenecks, for images (N, 3, 224, 224)."""

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)
        last = int(1280 * multiplier) if multiplier > 1 else 1280
        with self.name_scope():
            self.features = HybridSequential(prefix="features_")
            with self.features.name_scope():
                channels = int(32 * multiplier)
                self.features.add(*_convolved(channels, 3, 2), RELU6())
                for t, width, count, first in _BOTTLENECKS:
                    for stride in (first, *(1,) * (count - 1)):
                        before, channels = channels, int(width * multiplier)
                        self.features.add(LinearBottleneck(before, channels, t, stride))
                self.features.add(*_convolved(last, 1), RELU6(), GlobalAvgPool2D())
            self.output = HybridSequential(prefix="output_")
            with self.output.name_scope():
                self.output.add(Conv2D(classes, 1, use_bias=False, prefix="pred_"), Flatten())


def _version(multiplier: float) -> str:
    """The multiplier as it stands in the names of files: 1.0, 0.75, 0.5."""
    text = f"{multiplier:.2f}"
    return text[:-1] if text in ("1.00", "0.50") else text


def get_mobilenet(
    multiplier: float,
    pretrained: bool = False,
    ctx: Context | list[Context] = CPU,
    root: str = ROOT,
    **kwargs: Unpack[ClassifierOptions],
) -> MobileNet:
    """The MobileNet with `multiplier` times the channels."""
    net = MobileNet(multiplier, **kwargs)
    return load(net, f"mobilenet{_version(multiplier)}", ctx, root) if pretrained else net


def get_mobilenet_v2(
    multiplier: float,
    pretrained: bool = False,
    ctx: Context | list[Context] = CPU,
    root: str = ROOT,
    **kwargs: Unpack[ClassifierOptions],
) -> MobileNetV2:
    """The MobileNet v2 with `multiplier` times the channels."""
    net = MobileNetV2(multiplier, **kwargs)
    return load(net, f"mobilenetv2_{_version(multiplier)}", ctx, root) if pretrained else net


def mobilenet1_0(**kwargs: Unpack[ModelOptions]) -> MobileNet:
    """MobileNet; the arguments are those of `get_mobilenet`."""
    return get_mobilenet(1.0, **kwargs)


def mobilenet0_75(**kwargs: Unpack[ModelOptions]) -> MobileNet:
    """MobileNet with 3/4 of the channels; the arguments are those of `get_mobilenet`."""
    return get_mobilenet(0.75, **kwargs)


def mobilenet0_5(**kwargs: Unpack[ModelOptions]) -> MobileNet:
    """MobileNet with half of the channels; the arguments are those of `get_mobilenet`."""
    return get_mobilenet(0.5, **kwargs)


def mobilenet0_25(**kwargs: Unpack[ModelOptions]) -> MobileNet:
    """MobileNet with a quarter of the channels; the arguments are those of `get_mobilenet`."""
    return get_mobilenet(0.25, **kwargs)


def mobilenet_v2_1_0(**kwargs: Unpack[ModelOptions]) -> MobileNetV2:
    """MobileNet v2; the arguments are those of `get_mobilenet_v2`."""
    return get_mobilenet_v2(1.0, **kwargs)


def mobilenet_v2_0_75(**kwargs: Unpack[ModelOptions]) -> MobileNetV2:
    """MobileNet v2 with 3/4 of the channels; the arguments are those of `get_mobilenet_v2`."""
    return get_mobilenet_v2(0.75, **kwargs)


def mobilenet_v2_0_5(**kwargs: Unpack[ModelOptions]) -> MobileNetV2:
    """MobileNet v2 with half of the channels; the arguments are those of `get_mobilenet_v2`."""
    return get_mobilenet_v2(0.5, **kwargs)


def mobilenet_v2_0_25(**kwargs: Unpack[ModelOptions]) -> MobileNetV2:
    """MobileNet v2 with a quarter of the channels; the arguments are those of `get_mobilenet_v2`."""
    return get_mobilenet_v2(0.25, **kwargs)
