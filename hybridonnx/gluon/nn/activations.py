"""Layers that apply a function to every element."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Unpack

from ... import initializer
from ...initializer import InitializerLike
from ...typing import Tensor
from .._options import BlockOptions
from ..hybrid_block import HybridBlock

__all__ = ["ELU", "GELU", "SELU", "Activation", "LeakyReLU", "PReLU", "Swish"]


class Activation(HybridBlock):
    """A function by name: relu, sigmoid, tanh, softrelu or softsign."""

    def __init__(self, activation: str, **kwargs: Unpack[BlockOptions]) -> None:
        self._act_type = activation
        super().__init__(**kwargs)

    def _alias(self) -> str:
        return self._act_type

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The function of `x`, of any shape."""
        return F.Activation(x, act_type=self._act_type, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._act_type})"


class LeakyReLU(HybridBlock):
    """x where it is positive, `alpha` times x elsewhere."""

    def __init__(self, alpha: float, **kwargs: Unpack[BlockOptions]) -> None:
        if alpha < 0:
            raise AssertionError(f"LeakyReLU: an alpha of at least 0 is required, got {alpha}.")
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The function of `x`, of any shape."""
        return F.LeakyReLU(x, act_type="leaky", slope=self._alpha, name="fwd")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._alpha})"


class PReLU(HybridBlock):
    """A leaky ReLU that learns its slope, one for all channels or one for each of `in_channels`."""

    def __init__(
        self,
        alpha_initializer: InitializerLike = initializer.Constant(0.25),  # noqa: B008  (never changed)
        in_channels: int = 1,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.alpha = self.params.get("alpha", shape=(in_channels,), init=alpha_initializer)

    def hybrid_forward(self, F: ModuleType, x: Tensor, alpha: Tensor) -> Any:
        """The function of `x`, whose channels are on axis 1."""
        return F.LeakyReLU(x, gamma=alpha, act_type="prelu", name="fwd")


class ELU(HybridBlock):
    """x where it is positive, `alpha` (exp(x) - 1) elsewhere."""

    def __init__(self, alpha: float = 1.0, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The function of `x`, of any shape."""
        return F.LeakyReLU(x, act_type="elu", slope=self._alpha)


class SELU(HybridBlock):
    """The ELU whose constants keep mean 0 and variance 1."""

    def __init__(self, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The function of `x`, of any shape."""
        return F.LeakyReLU(x, act_type="selu", name="fwd")


class GELU(HybridBlock):
    """x times the normal distribution's function of x."""

    def __init__(self, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The function of `x`, of any shape."""
        return F.LeakyReLU(x, act_type="gelu", name="fwd")


class Swish(HybridBlock):
    """x times the sigmoid of `beta` x."""

    def __init__(self, beta: float = 1.0, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)
        self._beta = beta

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The function of `x`, of any shape."""
        return x * F.sigmoid(self._beta * x, name="fwd")
