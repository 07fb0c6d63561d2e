"""Arguments by name of the functions that make networks."""

from __future__ import annotations

from typing import TypedDict

from ....context import Context
from ..._options import BlockOptions


class Pretrained(TypedDict, total=False):
    """Where a network's parameters come from."""

    pretrained: bool
    """Whether to load them from a file; drawn when the network is initialized if not."""
    ctx: Context | list[Context]
    root: str
    """The folder of files."""


class ClassifierOptions(BlockOptions, total=False):
    """What every network takes."""

    classes: int
    """The number of scores."""


class ModelOptions(ClassifierOptions, Pretrained, total=False):
    """What the functions take whose networks have no options of their own."""


class ResNetOptions(ClassifierOptions, total=False):
    """What residual networks take."""

    thumbnail: bool
    """Whether images are small ones, such as 32 × 32."""


class ResNetModelOptions(ResNetOptions, Pretrained, total=False):
    """The same with where parameters come from."""


class DenseNetOptions(ClassifierOptions, total=False):
    """What DenseNets take."""

    bn_size: int
    """How many times the growth rate the inner layers are wide."""
    dropout: float


class DenseNetModelOptions(DenseNetOptions, Pretrained, total=False):
    """The same with where parameters come from."""


class VGGOptions(ClassifierOptions, total=False):
    """What VGG networks take."""

    batch_norm: bool


class VGGModelOptions(VGGOptions, Pretrained, total=False):
    """The same with where parameters come from."""
