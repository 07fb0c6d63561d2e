"""Containers, dense layers, dropout, embedding, normalization, and functions as layers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Unpack

import numpy as np

from ... import ndarray, symbol
from ...attrs import ShapeLike
from ...dtypes import DTypeLike
from ...initializer import InitializerLike
from ...typing import Tensor
from .._options import BlockOptions
from ..block import Block, indented
from ..hybrid_block import HybridBlock
from ..parameter import ParameterDict
from .activations import Activation

__all__ = [
    "BatchNorm",
    "BatchNormReLU",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "GroupNorm",
    "HybridLambda",
    "HybridSequential",
    "InstanceNorm",
    "Lambda",
    "LayerNorm",
    "Sequential",
]


# ---- containers


def _listed(block: Block) -> str:
    """The children of a container, a line for each."""
    lines = [f"  ({key}): {indented(repr(child))}" for key, child in block._children.items()]
    return f"{type(block).__name__}(\n" + "\n".join(lines) + "\n)"


def _part(block: Any, key: Any) -> Any:
    """One child of a container, or for a slice a container of several."""
    selection = list(block._children.values())[key]
    if not isinstance(selection, list):
        return selection
    part = type(block)(prefix=block._prefix)
    with part.name_scope():
        part.add(*selection)
    return part


class Sequential(Block):
    """Blocks that run one after the other."""

    is_container = True

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)

    def add(self, *blocks: Block) -> None:
        """Put blocks at the end."""
        for block in blocks:
            self.register_child(block)

    def forward(self, x: Tensor) -> Any:
        """The output of the last block."""
        for block in self._children.values():
            x = block(x)
        return x

    def __repr__(self) -> str:
        return _listed(self)

    def __getitem__(self, key: int | slice) -> Any:
        return _part(self, key)

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Block]:
        return iter(self._children.values())

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Compile each of the blocks by itself."""
        if self._children and all(isinstance(c, HybridBlock) for c in self._children.values()):
            warnings.warn(
                f"All children of this Sequential layer '{self.prefix}' are HybridBlocks. Consider using "
                "HybridSequential for the best performance.",
                stacklevel=2,
            )
        super().hybridize(active, **kwargs)


class HybridSequential(HybridBlock):
    """HybridBlocks that run one after the other and are compiled as one."""

    is_container = True

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)

    def add(self, *blocks: HybridBlock) -> None:
        """Put blocks at the end."""
        for block in blocks:
            self.register_child(block)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The output of the last block."""
        for block in self._children.values():
            x = block(x)
        return x

    def __repr__(self) -> str:
        return _listed(self)

    def __getitem__(self, key: int | slice) -> Any:
        return _part(self, key)

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Block]:
        return iter(self._children.values())


# ---- dense layers and what goes with them


class Dense(HybridBlock):
    """`units` weighted sums: (N, …) to (N, units), or without `flatten` (…, C) to (…, units)."""

    def __init__(
        self,
        units: int,
        activation: str | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        dtype: DTypeLike = "float32",
        weight_initializer: InitializerLike = None,
        bias_initializer: InitializerLike = "zeros",
        in_units: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        self._flatten = flatten
        self._units = units
        self._in_units = in_units
        with self.name_scope():
            self.weight = self.params.get(
                "weight",
                shape=(units, in_units),
                init=weight_initializer,
                dtype=dtype,
                allow_deferred_init=True,
            )
            self.bias = (
                self.params.get(
                    "bias", shape=(units,), init=bias_initializer, dtype=dtype, allow_deferred_init=True
                )
                if use_bias
                else None
            )
            self.act = None if activation is None else Activation(activation, prefix=activation + "_")

    def hybrid_forward(self, F: ModuleType, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
        """The sums of `x`, and the activation of them."""
        y = F.FullyConnected(
            x,
            weight,
            bias,
            no_bias=bias is None,
            num_hidden=self._units,
            flatten=self._flatten,
            name="fwd",
        )
        return y if self.act is None else self.act(y)

    def __repr__(self) -> str:
        shape: Any = self.weight.shape
        return f"{type(self).__name__}({shape[1] or None} -> {shape[0]}, {self.act or 'linear'})"


class Dropout(HybridBlock):
    """Zeros a fraction `rate` of the elements while training; they are drawn once along `axes`."""

    def __init__(self, rate: float, axes: ShapeLike = (), **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)
        self._rate = rate
        self._axes = axes

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """`x` with elements dropped."""
        if self._rate > 0:
            return F.Dropout(x, p=self._rate, axes=self._axes, name="fwd", cudnn_off=False)
        return F.identity(x)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p = {self._rate}, axes={self._axes})"


class Embedding(HybridBlock):
    """Rows of a matrix (input_dim, output_dim) by their numbers: (…) to (…, output_dim)."""

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: DTypeLike = "float32",
        weight_initializer: InitializerLike = None,
        sparse_grad: bool = False,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {
            "input_dim": input_dim,
            "output_dim": output_dim,
            "dtype": dtype,
            "sparse_grad": sparse_grad,
        }
        self.weight = self.params.get(
            "weight",
            shape=(input_dim, output_dim),
            init=weight_initializer,
            dtype=dtype,
            allow_deferred_init=True,
            grad_stype="row_sparse" if sparse_grad else "default",
        )

    def hybrid_forward(self, F: ModuleType, x: Tensor, weight: Tensor) -> Any:
        """The rows that `x` names."""
        return F.Embedding(x, weight, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return "{}({input_dim} -> {output_dim}, {dtype})".format(type(self).__name__, **self._kwargs)


class Flatten(HybridBlock):
    """(N, …) to (N, product of the others)."""

    def __init__(self, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """`x` as a matrix."""
        return F.Flatten(x)

    def __repr__(self) -> str:
        return type(self).__name__


# ---- normalization


def _options_text(options: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in options.items())


class BatchNormBase(HybridBlock):
    """What the batch normalizations share."""

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        fuse_relu: bool = False,
        use_global_stats: bool = False,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        running_mean_initializer: InitializerLike = "zeros",
        running_variance_initializer: InitializerLike = "ones",
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs: dict[str, Any] = {
            "axis": axis,
            "eps": epsilon,
            "momentum": momentum,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
        }
        self.fuse_relu = fuse_relu
        if in_channels:
            self.in_channels = in_channels
        self.gamma = self._vector("gamma", in_channels, gamma_initializer, scale)
        self.beta = self._vector("beta", in_channels, beta_initializer, center)
        self.running_mean = self._statistic("running_mean", in_channels, running_mean_initializer)
        self.running_var = self._statistic("running_var", in_channels, running_variance_initializer)

    def _vector(self, name: str, size: int, init: Any, learned: bool) -> Any:
        return self.params.get(
            name,
            grad_req="write" if learned else "null",
            shape=(size,),
            init=init,
            allow_deferred_init=True,
            differentiable=learned,
        )

    def _statistic(self, name: str, size: int, init: Any) -> Any:
        return self.params.get(
            name,
            grad_req="null",
            shape=(size,),
            init=init,
            allow_deferred_init=True,
            differentiable=False,
        )

    def cast(self, dtype: DTypeLike) -> None:
        """Give the parameters another dtype; with float16 data they remain float32."""
        super().cast("float32" if np.dtype(dtype) == np.float16 else dtype)

    def hybrid_forward(
        self, F: ModuleType, x: Tensor, gamma: Tensor, beta: Tensor, running_mean: Tensor, running_var: Tensor
    ) -> Any:
        """`x` normalized by the batch's statistics when training, else by the running ones."""
        normalize = F.contrib.BatchNormWithReLU if self.fuse_relu else F.BatchNorm
        return normalize(x, gamma, beta, running_mean, running_var, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        channels = self.gamma.shape[0] or None
        return f"{type(self).__name__}({_options_text(self._kwargs)}, in_channels={channels})"


class BatchNorm(BatchNormBase):
    """Gives each channel, along `axis`, mean 0 and variance 1 over the batch, then scales and shifts it."""

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        running_mean_initializer: InitializerLike = "zeros",
        running_variance_initializer: InitializerLike = "ones",
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            axis,
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


class BatchNormReLU(BatchNormBase):
    """`BatchNorm` followed by a ReLU, in one operator."""

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        running_mean_initializer: InitializerLike = "zeros",
        running_variance_initializer: InitializerLike = "ones",
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            axis,
            momentum,
            epsilon,
            center,
            scale,
            True,
            use_global_stats,
            beta_initializer,
            gamma_initializer,
            running_mean_initializer,
            running_variance_initializer,
            in_channels,
            **kwargs,
        )


class _Scaled(HybridBlock):
    """A normalization followed by a learned scale, gamma, and shift, beta."""

    gamma: Any
    beta: Any

    def _scale_and_shift(self, size: int, gamma: tuple[bool, Any], beta: tuple[bool, Any]) -> None:
        for name, (learned, init) in (("gamma", gamma), ("beta", beta)):
            parameter = self.params.get(
                name,
                grad_req="write" if learned else "null",
                shape=(size,),
                init=init,
                allow_deferred_init=True,
            )
            setattr(self, name, parameter)


class InstanceNorm(_Scaled):
    """Gives each channel, along `axis`, of each sample mean 0 and variance 1, then scales and shifts it."""

    def __init__(
        self,
        axis: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = False,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis = axis
        self._epsilon = epsilon
        self._scale_and_shift(in_channels, (scale, gamma_initializer), (center, beta_initializer))

    def hybrid_forward(self, F: ModuleType, x: Tensor, gamma: Tensor, beta: Tensor) -> Any:
        """`x` normalized."""
        if self._axis == 1:
            return F.InstanceNorm(x, gamma, beta, name="fwd", eps=self._epsilon)
        moved = x.swapaxes(1, self._axis)
        return F.InstanceNorm(moved, gamma, beta, name="fwd", eps=self._epsilon).swapaxes(1, self._axis)

    def __repr__(self) -> str:
        channels = self.gamma.shape[0]
        return f"{type(self).__name__}({_options_text(self._kwargs)}, in_channels={channels})"


class LayerNorm(_Scaled):
    """Gives each row along `axis` mean 0 and variance 1, then scales and shifts its elements."""

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        in_channels: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis = axis
        self._epsilon = epsilon
        self._center = center
        self._scale = scale
        self._scale_and_shift(in_channels, (scale, gamma_initializer), (center, beta_initializer))

    def hybrid_forward(self, F: ModuleType, data: Tensor, gamma: Tensor, beta: Tensor) -> Any:
        """`data` normalized."""
        return F.LayerNorm(data, gamma=gamma, beta=beta, axis=self._axis, eps=self._epsilon)

    def __repr__(self) -> str:
        channels = self.gamma.shape[0]
        return f"{type(self).__name__}({_options_text(self._kwargs)}, in_channels={channels})"


class GroupNorm(_Scaled):
    """Gives each of `num_groups` groups of channels mean 0 and variance 1, then scales and shifts it."""

    def __init__(
        self,
        num_groups: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = "zeros",
        gamma_initializer: InitializerLike = "ones",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._kwargs = {"eps": epsilon, "num_groups": num_groups, "center": center, "scale": scale}
        self._num_groups = num_groups
        self._epsilon = epsilon
        self._center = center
        self._scale = scale
        self._scale_and_shift(num_groups, (scale, gamma_initializer), (center, beta_initializer))

    def hybrid_forward(self, F: ModuleType, data: Tensor, gamma: Tensor, beta: Tensor) -> Any:
        """`data` normalized."""
        return F.GroupNorm(data, gamma=gamma, beta=beta, num_groups=self._num_groups, eps=self._epsilon)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_options_text(self._kwargs)})"


# ---- functions as layers


def _implementation(function: Any, *spaces: Any) -> Callable[..., Any] | None:
    """The function, or `None` for a name that all of the namespaces know."""
    if isinstance(function, str):
        if not all(hasattr(space, function) for space in spaces):
            where = "symbol/ndarray" if len(spaces) > 1 else "ndarray"
            raise AssertionError(f"Function name {function} is not found in {where}.")
        return None
    if callable(function):
        implementation: Callable[..., Any] = function
        return implementation
    raise ValueError(
        f"Unrecognized function in lambda: {function} of type {type(function)}. Give a function or its name."
    )


class Lambda(Block):
    """A function of arrays, or the name of an operator, as a block."""

    def __init__(self, function: str | Callable[..., object], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        self._func_impl = _implementation(function, ndarray) or getattr(ndarray, str(function))

    def forward(self, *args: Any) -> Any:
        """What the function returns."""
        return self._func_impl(*args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_impl.__name__})"


class HybridLambda(HybridBlock):
    """A function of F and arrays or symbols, or the name of an operator, as a block."""

    def __init__(self, function: str | Callable[..., object], prefix: str | None = None) -> None:
        super().__init__(prefix=prefix)
        implementation = _implementation(function, ndarray, symbol)
        self._func = implementation or (lambda F, *args: getattr(F, str(function))(*args))
        self._func_name = function if implementation is None else implementation.__name__

    def hybrid_forward(self, F: ModuleType, x: Tensor, *args: Any) -> Any:
        """What the function returns."""
        return self._func(F, x, *args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func_name})"
