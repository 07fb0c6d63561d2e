"""Containers that run blocks side by side, and further layers."""

from __future__ import annotations

from math import prod
from types import ModuleType
from typing import Any, Unpack

from .... import ndarray
from ....attrs import ShapeLike
from ....dtypes import DTypeLike
from ....initializer import InitializerLike
from ....typing import Tensor
from ..._options import BlockOptions
from ...block import Block
from ...hybrid_block import HybridBlock
from ...nn.basic_layers import BatchNormBase, HybridSequential, Sequential
from ...parameter import ParameterDict

__all__ = [
    "Concurrent",
    "HybridConcurrent",
    "Identity",
    "PixelShuffle1D",
    "PixelShuffle2D",
    "PixelShuffle3D",
    "SparseEmbedding",
    "SyncBatchNorm",
]


class Concurrent(Sequential):
    """Blocks that all receive the input; their outputs are joined along `axis`."""

    def __init__(
        self, axis: int = -1, prefix: str | None = None, params: ParameterDict | None = None
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def forward(self, x: Any) -> Any:
        """The outputs of all blocks, joined."""
        return ndarray.concat(*(block(x) for block in self._children.values()), dim=self.axis)


class HybridConcurrent(HybridSequential):
    """HybridBlocks that all receive the input; their outputs are joined along `axis`."""

    def __init__(
        self, axis: int = -1, prefix: str | None = None, params: ParameterDict | None = None
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The outputs of all blocks, joined."""
        return F.concat(*(block(x) for block in self._children.values()), dim=self.axis)


class Identity(HybridBlock):
    """The input itself: the short cut in a `HybridConcurrent`."""

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """`x`."""
        return x


class SparseEmbedding(Block):
    """Rows of a matrix (input_dim, output_dim) by their numbers. The matrix is stored densely here."""

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: DTypeLike = "float32",
        weight_initializer: InitializerLike = None,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs: dict[str, Any] = {
            "input_dim": input_dim,
            "output_dim": output_dim,
            "dtype": dtype,
            "sparse_grad": True,
        }
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            grad_stype="row_sparse",
            stype="row_sparse",
        )

    def forward(self, x: Any) -> Any:
        """The rows that `x` names."""
        return ndarray.Embedding(x, self.weight._values(x.context), name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return "{}({input_dim} -> {output_dim}, {dtype})".format(type(self).__name__, **self._kwargs)


class SyncBatchNorm(BatchNormBase):
    """`nn.BatchNorm` under the operator that shares statistics between devices. Here there is one device."""

    def __init__(
        self,
        in_channels: int = 0,
        num_devices: int | None = None,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        running_mean_initializer: InitializerLike = "zeros",
        running_variance_initializer: InitializerLike = "ones",
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            1,
            momentum,
            epsilon,
            center,
            scale,
            False,
            use_global_stats,
            beta_initializer,
            gamma_initializer,
            running_mean_initializer,
            running_variance_initializer,
            in_channels,
            **kwargs,
        )
        self._kwargs.pop("axis")
        self._kwargs.update(ndev=num_devices or 1, key=self.prefix)

    def hybrid_forward(
        self, F: ModuleType, x: Tensor, gamma: Tensor, beta: Tensor, running_mean: Tensor, running_var: Tensor
    ) -> Any:
        """`x` normalized by the batch's statistics when training, else by the running ones."""
        return F.contrib.SyncBatchNorm(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)


def _factors(factor: Any, rank: int) -> tuple[int, ...]:
    try:
        return (int(factor),) * rank
    except TypeError:
        factors = tuple(int(f) for f in factor)
    if len(factors) != rank:
        raise AssertionError(f"PixelShuffle{rank}D: {rank} factors are required, got {factors}.") from None
    return factors


class PixelShuffle1D(HybridBlock):
    """Moves channels into the width: (N, f C, W) to (N, C, f W)."""

    def __init__(self, factor: int) -> None:
        super().__init__()
        self._factor = int(factor)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """`x` with fewer channels and larger."""
        x = F.reshape(x, (0, -4, -1, self._factor, 0))
        x = F.transpose(x, (0, 1, 3, 2))
        return F.reshape(x, (0, 0, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factor})"


class PixelShuffle2D(HybridBlock):
    """Moves channels into height and width: (N, f g C, H, W) to (N, C, f H, g W)."""

    def __init__(self, factor: ShapeLike) -> None:
        super().__init__()
        self._factors = _factors(factor, 2)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """`x` with fewer channels and larger."""
        x = F.reshape(x, (0, -4, -1, prod(self._factors), 0, 0))
        x = F.reshape(x, (0, 0, -4, *self._factors, 0, 0))
        x = F.transpose(x, (0, 1, 4, 2, 5, 3))
        return F.reshape(x, (0, 0, -3, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors})"


class PixelShuffle3D(HybridBlock):
    """Moves channels into depth, height and width: (N, e f g C, D, H, W) to (N, C, e D, f H, g W)."""

    def __init__(self, factor: ShapeLike) -> None:
        super().__init__()
        self._factors = _factors(factor, 3)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """`x` with fewer channels and larger. No operator takes 8 axes, so they move one after the other."""
        depth, height, width = self._factors
        x = F.reshape(x, (0, -4, -1, prod(self._factors), 0, 0, 0))
        x = F.swapaxes(x, 2, 3)
        x = F.reshape(x, (0, 0, 0, -4, depth, height * width, 0, 0))
        x = F.reshape(x, (0, 0, -3, 0, 0, 0))
        x = F.swapaxes(x, 3, 4)
        x = F.reshape(x, (0, 0, 0, 0, -4, height, width, 0))
        x = F.reshape(x, (0, 0, 0, -3, 0, 0))
        x = F.swapaxes(x, 4, 5)
        return F.reshape(x, (0, 0, 0, 0, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors})"
