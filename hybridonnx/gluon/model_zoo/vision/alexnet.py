"""AlexNet, as in "One weird trick for parallelizing convolutional neural networks" (Krizhevsky, 2014)."""

from __future__ import annotations

from typing import Unpack

from ....context import Context
from ..._options import BlockOptions
from ...nn.basic_layers import Dense, Dropout, Flatten
from ...nn.conv_layers import Conv2D, MaxPool2D
from ..model_store import CPU, ROOT, load
from ._classifier import Classifier, chain
from ._options import ClassifierOptions

__all__ = ["AlexNet", "alexnet"]

_STAGES = (
    ((64, 11, 4, 2),),
    ((192, 5, 1, 2),),
    ((384, 3, 1, 1), (256, 3, 1, 1), (256, 3, 1, 1)),
)
"""Convolutions by channels, kernel, stride and padding; each stage ends with a pooling."""


class AlexNet(Classifier):
    """Five convolutions and three dense layers, for images (N, 3, 224, 224)."""

    def __init__(self, classes: int = 1000, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = chain()
            for stage in _STAGES:
                for channels, kernel, stride, padding in stage:
                    self.features.add(Conv2D(channels, kernel, stride, padding, activation="relu"))
                self.features.add(MaxPool2D(3, 2))
            self.features.add(Flatten())
            for _ in range(2):
                self.features.add(Dense(4096, "relu"), Dropout(0.5))
            self.output = Dense(classes)


def alexnet(
    pretrained: bool = False,
    ctx: Context | list[Context] = CPU,
    root: str = ROOT,
    **kwargs: Unpack[ClassifierOptions],
) -> AlexNet:
    """AlexNet."""
    net = AlexNet(**kwargs)
    return load(net, "alexnet", ctx, root) if pretrained else net
