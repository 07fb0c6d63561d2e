"""Dropout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from ..attrs import Ints
from ..errors import AttributeValueError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, axis_indices


@operator("Dropout", "_npx_dropout")
class Dropout(Operator):
    """Elements set to zero at random with probability `p`, the others divided by 1 - p.

    So the expected value stays. Outside of training the data passes unchanged.

    Inputs:
        data: An array of any shape, of floating-point numbers.

    Attributes:
        p: The probability that an element becomes zero.
        mode: "training" to do it in training alone, "always" to do it in prediction too.
        axes: The axes along which one draw holds for all elements; each element has its own if empty.
        cudnn_off: Accepted for MXNet's sake; without effect.

    Returns:
        The shape of data.

    ONNX: in training Less and Cast of the noise, then Mul with data; in prediction nothing, or Identity.
    """

    outputs: ClassVar[tuple[str, ...]] = ("output", "mask")
    hidden: ClassVar[int] = 1
    elementwise: ClassVar[bool] = True
    mode_dependent: ClassVar[bool] = True
    noise: ClassVar[str] = "uniform"
    takes_ints: ClassVar[bool] = False
    p: float = 0.5
    mode: Literal["always", "training"] = "training"
    axes: Ints = ()
    cudnn_off: bool | None = False

    def check(self) -> None:
        if not 0 <= self.p <= 1:
            raise AttributeValueError(f"Dropout: p must lie in [0, 1], got {self.p}.")

    def check_shape(self, shape: Shape) -> None:
        self.shared(len(shape))

    def draws(self) -> bool:
        return self.p > 0 and (self.training or self.mode == "always")

    def shared(self, rank: int) -> tuple[int, ...]:
        """The axes along which one decision holds."""
        return axis_indices(self.names[0], self.axes, rank) if self.axes else ()

    def scale(self) -> float:
        """What the elements that stay are multiplied by."""
        return 1 / (1 - self.p) if self.p < 1 else 0.0

    def forward(self, data: Array, noise: Array | None = None) -> tuple[Array, ...]:
        shared = self.shared(data.ndim)
        first = tuple(slice(0, 1) if i in shared else slice(None) for i in range(data.ndim))
        if noise is None:
            return data, np.ones_like(data)
        mask = (noise[first] < 1 - self.p) * data.dtype.type(self.scale())
        return data * mask, np.broadcast_to(mask, data.shape)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (dy[0] * y[1] if self.draws() else dy[0],)
