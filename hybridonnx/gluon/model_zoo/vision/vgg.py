"""VGG networks of "Very deep convolutional networks" (Simonyan and Zisserman, 2015), plain and normalized."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from ....context import Context
from ....initializer import Xavier
from ..._options import BlockOptions
from ...nn.activations import Activation
from ...nn.basic_layers import BatchNorm, Dense, Dropout
from ...nn.conv_layers import Conv2D, MaxPool2D
from ..model_store import CPU, ROOT, load
from ._classifier import Classifier, chain
from ._options import VGGModelOptions, VGGOptions

__all__ = [
    "VGG",
    "get_vgg",
    "vgg11",
    "vgg11_bn",
    "vgg13",
    "vgg13_bn",
    "vgg16",
    "vgg16_bn",
    "vgg19",
    "vgg19_bn",
]

_LAYERS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""By depth: convolutions of each stage."""
_CHANNELS = (64, 128, 256, 512, 512)
vgg_spec = {depth: (list(layers), list(_CHANNELS)) for depth, layers in _LAYERS.items()}
"""By depth: convolutions and channels of each stage, as MXNet's module has them."""


class VGG(Classifier):
    """Stages of 3 × 3 convolutions between poolings, and dense layers, for images (N, 3, 224, 224)."""

    def __init__(
        self,
        layers: Sequence[int],
        filters: Sequence[int],
        classes: int = 1000,
        batch_norm: bool = False,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        if len(layers) != len(filters):
            raise AssertionError(f"VGG: layers and filters must be as many, got {layers} and {filters}.")
        with self.name_scope():
            self.features = chain()
            for count, channels in zip(layers, filters, strict=True):
                for _ in range(count):
                    self._add_convolution(channels, batch_norm)
                self.features.add(MaxPool2D(strides=2))
            for _ in range(2):
                self.features.add(Dense(4096, "relu", weight_initializer="normal"), Dropout(0.5))
            self.output = Dense(classes, weight_initializer="normal")

    def _add_convolution(self, channels: int, batch_norm: bool) -> None:
        initial = Xavier(rnd_type="gaussian", factor_type="out", magnitude=2)
        self.features.add(Conv2D(channels, 3, padding=1, weight_initializer=initial))
        if batch_norm:
            self.features.add(BatchNorm())
        self.features.add(Activation("relu"))


def get_vgg(
    num_layers: int,
    pretrained: bool = False,
    ctx: Context | list[Context] = CPU,
    root: str = ROOT,
    **kwargs: Unpack[VGGOptions],
) -> VGG:
    """The VGG network with 11, 13, 16 or 19 layers."""
    if num_layers not in _LAYERS:
        raise ValueError(f"get_vgg: num_layers must be one of {list(_LAYERS)}, got {num_layers!r}.")
    net = VGG(_LAYERS[num_layers], _CHANNELS, **kwargs)
    name = f"vgg{num_layers}_bn" if kwargs.get("batch_norm") else f"vgg{num_layers}"
    return load(net, name, ctx, root) if pretrained else net


def vgg11(**kwargs: Unpack[VGGModelOptions]) -> VGG:
    """VGG-11; the arguments are those of `VGG`, `pretrained`, `ctx` and `root`."""
    return get_vgg(11, **kwargs)


def vgg13(**kwargs: Unpack[VGGModelOptions]) -> VGG:
    """VGG-13; the arguments are those of `VGG`, `pretrained`, `ctx` and `root`."""
    return get_vgg(13, **kwargs)


def vgg16(**kwargs: Unpack[VGGModelOptions]) -> VGG:
    """VGG-16; the arguments are those of `VGG`, `pretrained`, `ctx` and `root`."""
    return get_vgg(16, **kwargs)


def vgg19(**kwargs: Unpack[VGGModelOptions]) -> VGG:
    """VGG-19; the arguments are those of `VGG`, `pretrained`, `ctx` and `root`."""
    return get_vgg(19, **kwargs)


def vgg11_bn(**kwargs: Unpack[VGGModelOptions]) -> VGG:
    """VGG-11 with batch normalization; the arguments are those of `vgg11`."""
    kwargs["batch_norm"] = True
    return get_vgg(11, **kwargs)


def vgg13_bn(**kwargs: Unpack[VGGModelOptions]) -> VGG:
    """VGG-13 with batch normalization; the arguments are those of `vgg13`."""
    kwargs["batch_norm"] = True
    return get_vgg(13, **kwargs)


def vgg16_bn(**kwargs: Unpack[VGGModelOptions]) -> VGG:
    """VGG-16 with batch normalization; the arguments are those of `vgg16`."""
    kwargs["batch_norm"] = True
    return get_vgg(16, **kwargs)


def vgg19_bn(**kwargs: Unpack[VGGModelOptions]) -> VGG:
    """VGG-19 with batch normalization; the arguments are those of `vgg19`."""
    kwargs["batch_norm"] = True
    return get_vgg(19, **kwargs)
