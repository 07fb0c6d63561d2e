"""Deformable convolutions, with the layers that compute their offsets."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any, ClassVar

from ....attrs import ShapeLike
from ....errors import AttributeValueError
from ....initializer import InitializerLike
from ....typing import Tensor
from ...hybrid_block import HybridBlock
from ...nn import Activation
from ...parameter import ParameterDict

__all__ = ["DeformableConvolution", "ModulatedDeformableConvolution"]


def _pair(size: Any) -> tuple[int, int]:
    first, second = (size, size) if isinstance(size, int) else size
    return first, second


class DeformableConvolution(HybridBlock):
    """A convolution of (N, C, H, W) each of whose elements has offsets, which another convolution computes.

    Args:
        channels: The channels of the output.
        kernel_size: The size of both windows.
        strides: Their strides.
        padding: Zeros around the input.
        dilation: The distance of a window's elements.
        groups: Parts of the channels that are convolved apart.
        num_deformable_group: Parts of the channels that have offsets of their own.
        layout: `"NCHW"`.
        use_bias: Whether the convolution has a bias.
        in_channels: The channels of the input; found at the first call where 0.
        activation: What is applied to the output.
        weight_initializer: Draws the weight.
        bias_initializer: Draws the bias.
        offset_weight_initializer: Draws the weight of the offsets.
        offset_bias_initializer: Draws the bias of the offsets.
        offset_use_bias: Whether the offsets have a bias.
        op_name: The operator; there is one alone.
        adj: Has no meaning here, as in MXNet.
        prefix: What names of parameters begin with.
        params: Parameters to share.

    Raises:
        ValueError: `layout` or `op_name` is something else.
    """

    _offsets: ClassVar[int] = 2
    """Numbers for each element of a window."""

    def __init__(
        self,
        channels: int,
        kernel_size: ShapeLike = (1, 1),
        strides: ShapeLike = (1, 1),
        padding: ShapeLike = (0, 0),
        dilation: ShapeLike = (1, 1),
        groups: int = 1,
        num_deformable_group: int = 1,
        layout: str = "NCHW",
        use_bias: bool = True,
        in_channels: int = 0,
        activation: str | None = None,
        weight_initializer: InitializerLike = None,
        bias_initializer: InitializerLike = "zeros",
        offset_weight_initializer: InitializerLike = "zeros",
        offset_bias_initializer: InitializerLike = "zeros",
        offset_use_bias: bool = True,
        op_name: str | None = None,
        adj: Any = None,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        kind = type(self).__name__
        if layout != "NCHW" or op_name not in (None, kind, self._operator):
            raise AttributeValueError(
                f"{kind}: layout NCHW and its own op_name are required, got {layout!r}, {op_name!r}."
            )
        self._channels, self._in_channels = channels, in_channels
        kernel = _pair(kernel_size)
        shared: dict[str, Any] = {
            "kernel": kernel,
            "stride": _pair(strides),
            "pad": _pair(padding),
            "dilate": _pair(dilation),
        }
        elements = num_deformable_group * math.prod(kernel)
        self._split, count = 2 * elements, self._offsets * elements
        shared |= {"num_group": groups, "layout": layout}
        self._offset_kwargs = {**shared, "num_filter": count, "no_bias": not offset_use_bias}
        self._kwargs = {**shared, "num_filter": channels, "no_bias": not use_bias}
        self._kwargs["num_deformable_group"] = num_deformable_group
        width = in_channels // groups
        self._make("offset_weight", (count, width, *kernel), offset_weight_initializer)
        self._make("offset_bias", (count,), offset_bias_initializer, offset_use_bias)
        self._make("deformable_conv_weight", (channels, width, *kernel), weight_initializer)
        self._make("deformable_conv_bias", (channels,), bias_initializer, use_bias)
        with self.name_scope():
            self.act = Activation(activation, prefix=f"{activation}_") if activation else None

    def _make(self, name: str, shape: tuple[int, ...], init: InitializerLike, there: bool = True) -> None:
        """A parameter, or nothing in its place."""
        made = self.params.get(name, shape=shape, init=init, allow_deferred_init=True) if there else None
        setattr(self, name, made)

    _operator = "DeformableConvolution"

    def _alias(self) -> str:
        return "deformable_conv"

    def hybrid_forward(
        self,
        F: ModuleType,
        x: Tensor,
        offset_weight: Tensor,
        deformable_conv_weight: Tensor,
        offset_bias: Tensor | None = None,
        deformable_conv_bias: Tensor | None = None,
    ) -> Any:
        """The output, computed with `F`."""
        bias = [] if offset_bias is None else [offset_bias]
        moves = F.Convolution(x, offset_weight, *bias, cudnn_off=True, **self._offset_kwargs)
        rest = [deformable_conv_weight] + ([] if deformable_conv_bias is None else [deformable_conv_bias])
        result = self._convolve(F, x, moves, rest)
        return result if self.act is None else self.act(result)

    def _convolve(self, F: Any, x: Any, moves: Any, rest: list[Any]) -> Any:
        return F.contrib.DeformableConvolution(x, moves, *rest, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        options = self._kwargs
        text = f"{self._in_channels or None} -> {self._channels}, kernel_size={options['kernel']}"
        text += f", stride={options['stride']}"
        defaults = {"padding": ("pad", (0, 0)), "dilation": ("dilate", (1, 1)), "groups": ("num_group", 1)}
        for name, (key, default) in defaults.items():
            if options[key] != default:
                text += f", {name}={options[key]}"
        if options["no_bias"]:
            text += ", bias=False"
        if self.act is not None:
            text += f", {self.act}"
        return f"{type(self).__name__}({text})"


class ModulatedDeformableConvolution(DeformableConvolution):
    """A `DeformableConvolution` whose offsets come with a weight each, from 0 to 2; same arguments."""

    _offsets = 3
    _operator = "ModulatedDeformableConvolution"

    def _alias(self) -> str:
        return "modulated_deformable_conv"

    def _convolve(self, F: Any, x: Any, moves: Any, rest: list[Any]) -> Any:
        offset = F.slice_axis(moves, axis=1, begin=0, end=self._split)
        mask = F.sigmoid(F.slice_axis(moves, axis=1, begin=self._split, end=None)) * 2
        return F.contrib.ModulatedDeformableConvolution(x, offset, mask, *rest, name="fwd", **self._kwargs)
