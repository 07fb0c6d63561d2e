"""Inception v3 of "Rethinking the Inception architecture for computer vision" (Szegedy et al., 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

from ....context import Context
from ..._options import BlockOptions
from ...contrib.nn.basic_layers import HybridConcurrent
from ...hybrid_block import HybridBlock
from ...nn.activations import Activation
from ...nn.basic_layers import BatchNorm, Dense, Dropout, Flatten, HybridSequential
from ...nn.conv_layers import AvgPool2D, Conv2D, MaxPool2D
from ..model_store import CPU, ROOT, load
from ._classifier import Classifier, chain
from ._options import ClassifierOptions

__all__ = ["Inception3", "inception_v3", "make_aux"]

_Kernel = int | tuple[int, int]
_Convolution = tuple[int, _Kernel] | tuple[int, _Kernel, int]
"""Channels, kernel and stride. With a stride nothing is padded, else the size remains."""
_Step = _Convolution | Literal["average", "maximum"] | list[list[_Convolution]]
"""A convolution, a pooling, or two ways to go."""
_Branch = Sequence[_Step]


def _three_by_three(pooled: int) -> list[_Branch]:
    """Figure 5 of the paper, for maps of 35 × 35."""
    return [
        [(64, 1)],
        [(48, 1), (64, 5)],
        [(64, 1), (96, 3), (96, 3)],
        ["average", (pooled, 1)],
    ]


def _factorized(channels: int) -> list[_Branch]:
    """Figure 6 of the paper, for maps of 17 × 17."""
    c = channels
    return [
        [(192, 1)],
        [(c, 1), (c, (1, 7)), (192, (7, 1))],
        [(c, 1), (c, (7, 1)), (c, (1, 7)), (c, (7, 1)), (192, (1, 7))],
        ["average", (192, 1)],
    ]


_SPLIT: list[list[_Convolution]] = [[(384, (1, 3))], [(384, (3, 1))]]
_EXPANDED: list[_Branch] = [
    [(320, 1)],
    [(384, 1), _SPLIT],
    [(448, 1), (384, 3), _SPLIT],
    ["average", (192, 1)],
]
"""Figure 7 of the paper, for maps of 8 × 8."""

_MIXED: dict[str, list[_Branch]] = {
    "A1_": _three_by_three(32),
    "A2_": _three_by_three(64),
    "A3_": _three_by_three(64),
    "B_": [[(384, 3, 2)], [(64, 1), (96, 3), (96, 3, 2)], ["maximum"]],
    "C1_": _factorized(128),
    "C2_": _factorized(160),
    "C3_": _factorized(160),
    "C4_": _factorized(192),
    "D_": [[(192, 1), (320, 3, 2)], [(192, 1), (192, (1, 7)), (192, (7, 1)), (192, 3, 2)], ["maximum"]],
    "E1_": _EXPANDED,
    "E2_": _EXPANDED,
}


def _convolution(channels: int, kernel: _Kernel, stride: int = 1, padding: Any = 0) -> HybridSequential:
    return chain(
        Conv2D(channels, kernel, stride, padding, use_bias=False),
        BatchNorm(epsilon=0.001),
        Activation("relu"),
    )


def _padded(channels: int, kernel: _Kernel, stride: int = 1) -> HybridSequential:
    """The convolution in a branch."""
    if stride > 1:
        return _convolution(channels, kernel, stride)
    half = kernel // 2 if isinstance(kernel, int) else (kernel[0] // 2, kernel[1] // 2)
    return _convolution(channels, kernel, padding=half)


def _step(step: _Step) -> HybridBlock:
    if isinstance(step, str):
        return AvgPool2D(3, 1, 1) if step == "average" else MaxPool2D(3, 2)
    if isinstance(step, list):
        return _joined(step, "")
    return _padded(*step)


def _branch(steps: _Branch) -> HybridSequential:
    """The steps in a chain; those before two ways to go are a chain of their own."""
    if isinstance(steps[-1], list):
        return chain(_branch(steps[:-1]), _step(steps[-1]))
    return chain(*map(_step, steps))


def _joined(branches: Sequence[_Branch], prefix: str) -> HybridConcurrent:
    joined = HybridConcurrent(axis=1, prefix=prefix)
    with joined.name_scope():
        joined.add(*map(_branch, branches))
    return joined


def make_aux(classes: int) -> HybridSequential:
    """A classifier for the maps of 17 × 17 in the middle of the network, which training may add.

    Args:
        classes: The number of classes.

    Returns:
        A block that takes (N, C, 17, 17) to (N, classes).
    """
    out = HybridSequential(prefix="")
    out.add(AvgPool2D(5, 3), _convolution(128, 1), _convolution(768, 5), Flatten(), Dense(classes))
    return out


class Inception3(Classifier):
    """Branches with kernels of several sizes, joined again and again, for images (N, 3, 299, 299)."""

    def __init__(self, classes: int = 1000, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = chain(
                _convolution(32, 3, 2),
                _convolution(32, 3),
                _convolution(64, 3, padding=1),
                MaxPool2D(3, 2),
                _convolution(80, 1),
                _convolution(192, 3),
                MaxPool2D(3, 2),
                *(_joined(branches, prefix) for prefix, branches in _MIXED.items()),
                AvgPool2D(8),
                Dropout(0.5),
            )
            self.output = Dense(classes)


def inception_v3(
    pretrained: bool = False,
    ctx: Context | list[Context] = CPU,
    root: str = ROOT,
    **kwargs: Unpack[ClassifierOptions],
) -> Inception3:
    """Inception v3; further arguments are those of `Inception3`."""
    net = Inception3(**kwargs)
    return load(net, "inceptionv3", ctx, root) if pretrained else net
