"""What all classifying networks share."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ....typing import Tensor
from ...hybrid_block import HybridBlock
from ...nn.basic_layers import HybridSequential


class Classifier(HybridBlock):
    """`features` of images (N, 3, H, W), and `output`: from these the scores (N, classes)."""

    features: HybridSequential
    output: HybridBlock

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The scores, before any softmax."""
        return self.output(self.features(x))


def chain(*blocks: HybridBlock) -> HybridSequential:
    """Blocks one after the other, which keep the names that they have."""
    sequential = HybridSequential(prefix="")
    sequential.add(*blocks)
    return sequential
