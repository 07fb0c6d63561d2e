"""Convolutions, transposed convolutions, poolings and padding."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Unpack

import numpy as np

from ...attrs import ShapeLike
from ...initializer import InitializerLike
from ...ops import find, without_symbols
from ...typing import Tensor
from .._options import BlockOptions
from ..hybrid_block import HybridBlock
from ..parameter import ParameterDict
from .activations import Activation

__all__ = [
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "ReflectionPad2D",
]

_CONVOLVED = (("NCW",), ("NCHW", "NHWC"), ("NCDHW", "NDHWC"))
_POOLED = (("NCW", "NWC"), ("NCHW", "NHWC"), ("NCDHW", "NDHWC"))
"""The layouts by the number of spatial axes."""


def _each(value: Any, rank: int) -> Any:
    """A number for each spatial axis, from one number or several."""
    return (value,) * rank if isinstance(value, int | float | np.number) else value


def _counted(name: str, value: Any, rank: int) -> Any:
    """`_each`, with the count checked."""
    value = _each(value, rank)
    if len(value) != rank:
        raise AssertionError(f"{name} must be a number or a list of {rank} ints, got {value!r}.")
    return value


# ---- convolutions


def _check_layout(layout: str, rank: int) -> None:
    known = _CONVOLVED[rank - 1]
    if layout not in known:
        raise AssertionError(
            f"Only supports {' and '.join(map(repr, known))} layout for now, got {layout!r}."
        )


class _Conv(HybridBlock):
    """What convolutions share: weight, bias and activation."""

    def __init__(
        self,
        channels: int,
        kernel_size: Sequence[int],
        strides: ShapeLike,
        padding: ShapeLike,
        dilation: ShapeLike,
        groups: int,
        layout: str,
        in_channels: int = 0,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: InitializerLike = None,
        bias_initializer: InitializerLike = "zeros",
        op_name: str = "Convolution",
        adj: ShapeLike | None = None,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        rank = len(kernel_size)
        self._channels = channels
        self._in_channels = in_channels
        self._op_name = op_name
        self._kwargs: dict[str, Any] = {
            "kernel": kernel_size,
            "stride": _each(strides, rank),
            "dilate": _each(dilation, rank),
            "pad": _each(padding, rank),
            "num_filter": channels,
            "num_group": groups,
            "no_bias": not use_bias,
            "layout": layout,
        }
        if adj is not None:
            self._kwargs["adj"] = adj
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=self._weight_shape(), init=weight_initializer, allow_deferred_init=True
            )
            self.bias = (
                self.params.get("bias", shape=(channels,), init=bias_initializer, allow_deferred_init=True)
                if use_bias
                else None
            )
            self.act = None if activation is None else Activation(activation, prefix=activation + "_")

    def _weight_shape(self) -> tuple[int, ...]:
        """The weight's shape, 0 for what only data can tell, as the operator infers it."""
        op = find(self._op_name).make(self._kwargs)
        data: list[int | None] = [None] * len(self._kwargs["layout"])
        data[self._kwargs["layout"].index("C")] = self._in_channels or None
        others = [None] * (len(op.input_names()) - 1)
        weight = op.infer_inputs(tuple(data), *others)[1]
        return tuple(d or 0 for d in without_symbols(weight) or ())

    def hybrid_forward(self, F: ModuleType, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
        """The convolution of `x`, and the activation of it."""
        inputs = (x, weight) if bias is None else (x, weight, bias)
        y = getattr(F, self._op_name)(*inputs, name="fwd", **self._kwargs)
        return y if self.act is None else self.act(y)

    def _alias(self) -> str:
        return "conv"

    def __repr__(self) -> str:
        kwargs = self._kwargs
        shape: Any = self.weight.shape
        rank = len(kwargs["kernel"])
        # The second axis and the first, even where those are not the channels, as in MXNet.
        text = f"{type(self).__name__}({shape[1] or None} -> {shape[0]}"
        text += f", kernel_size={kwargs['kernel']}, stride={kwargs['stride']}"
        for key, label, default in (("pad", "padding", (0,)), ("dilate", "dilation", (1,))):
            if kwargs[key] != default * rank:
                text += f", {label}={kwargs[key]}"
        if kwargs["num_group"] != 1:
            text += f", groups={kwargs['num_group']}"
        if self.bias is None:
            text += ", bias=False"
        return f"{text})" if self.act is None else f"{text}, {self.act})"


class Conv1D(_Conv):
    """Convolution of (N, C, W) with `channels` filters of `kernel_size`."""

    def __init__(
        self,
        channels: int,
        kernel_size: ShapeLike,
        strides: ShapeLike = 1,
        padding: ShapeLike = 0,
        dilation: ShapeLike = 1,
        groups: int = 1,
        layout: str = "NCW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: InitializerLike = None,
        bias_initializer: InitializerLike = "zeros",
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        _check_layout(layout, 1)
        super().__init__(
            channels,
            _counted("kernel_size", kernel_size, 1),
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            **kwargs,
        )


class Conv2D(_Conv):
    """Convolution of (N, C, H, W) with `channels` filters of `kernel_size`."""

    def __init__(
        self,
        channels: int,
        kernel_size: ShapeLike,
        strides: ShapeLike = (1, 1),
        padding: ShapeLike = (0, 0),
        dilation: ShapeLike = (1, 1),
        groups: int = 1,
        layout: str = "NCHW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: InitializerLike = None,
        bias_initializer: InitializerLike = "zeros",
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        _check_layout(layout, 2)
        super().__init__(
            channels,
            _counted("kernel_size", kernel_size, 2),
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            **kwargs,
        )


class Conv3D(_Conv):
    """Convolution of (N, C, D, H, W) with `channels` filters of `kernel_size`."""

    def __init__(
        self,
        channels: int,
        kernel_size: ShapeLike,
        strides: ShapeLike = (1, 1, 1),
        padding: ShapeLike = (0, 0, 0),
        dilation: ShapeLike = (1, 1, 1),
        groups: int = 1,
        layout: str = "NCDHW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: InitializerLike = None,
        bias_initializer: InitializerLike = "zeros",
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        _check_layout(layout, 3)
        super().__init__(
            channels,
            _counted("kernel_size", kernel_size, 3),
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            **kwargs,
        )


class _Transposed(_Conv):
    """What transposed convolutions share."""

    def __init__(
        self, rank: int, kernel_size: ShapeLike, output_padding: ShapeLike, layout: str, **kwargs: Any
    ) -> None:
        _check_layout(layout, rank)
        kernel = _counted("kernel_size", kernel_size, rank)
        self.outpad = _counted("output_padding", output_padding, rank)
        super().__init__(
            kernel_size=kernel, layout=layout, op_name="Deconvolution", adj=self.outpad, **kwargs
        )


class Conv1DTranspose(_Transposed):
    """What a convolution of (N, channels, W) does to its data, backwards: (N, C, W) to (N, channels, W)."""

    def __init__(
        self,
        channels: int,
        kernel_size: ShapeLike,
        strides: ShapeLike = 1,
        padding: ShapeLike = 0,
        output_padding: ShapeLike = 0,
        dilation: ShapeLike = 1,
        groups: int = 1,
        layout: str = "NCW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: InitializerLike = None,
        bias_initializer: InitializerLike = "zeros",
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            1,
            kernel_size,
            output_padding,
            layout,
            channels=channels,
            strides=strides,
            padding=padding,
            dilation=dilation,
            groups=groups,
            activation=activation,
            use_bias=use_bias,
            weight_initializer=weight_initializer,
            bias_initializer=bias_initializer,
            in_channels=in_channels,
            **kwargs,
        )


class Conv2DTranspose(_Transposed):
    """What a convolution of (N, channels, H, W) does to its data, backwards, from (N, C, H, W)."""

    def __init__(
        self,
        channels: int,
        kernel_size: ShapeLike,
        strides: ShapeLike = (1, 1),
        padding: ShapeLike = (0, 0),
        output_padding: ShapeLike = (0, 0),
        dilation: ShapeLike = (1, 1),
        groups: int = 1,
        layout: str = "NCHW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: InitializerLike = None,
        bias_initializer: InitializerLike = "zeros",
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            2,
            kernel_size,
            output_padding,
            layout,
            channels=channels,
            strides=strides,
            padding=padding,
            dilation=dilation,
            groups=groups,
            activation=activation,
            use_bias=use_bias,
            weight_initializer=weight_initializer,
            bias_initializer=bias_initializer,
            in_channels=in_channels,
            **kwargs,
        )


class Conv3DTranspose(_Transposed):
    """What a convolution of (N, channels, D, H, W) does to its data, backwards, from (N, C, D, H, W)."""

    def __init__(
        self,
        channels: int,
        kernel_size: ShapeLike,
        strides: ShapeLike = (1, 1, 1),
        padding: ShapeLike = (0, 0, 0),
        output_padding: ShapeLike = (0, 0, 0),
        dilation: ShapeLike = (1, 1, 1),
        groups: int = 1,
        layout: str = "NCDHW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: InitializerLike = None,
        bias_initializer: InitializerLike = "zeros",
        in_channels: int = 0,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            3,
            kernel_size,
            output_padding,
            layout,
            channels=channels,
            strides=strides,
            padding=padding,
            dilation=dilation,
            groups=groups,
            activation=activation,
            use_bias=use_bias,
            weight_initializer=weight_initializer,
            bias_initializer=bias_initializer,
            in_channels=in_channels,
            **kwargs,
        )


# ---- poolings


class _Pooling(HybridBlock):
    """What poolings share."""

    def __init__(
        self,
        pool_size: Sequence[int],
        strides: ShapeLike | None,
        padding: ShapeLike,
        ceil_mode: bool,
        global_pool: bool,
        pool_type: str,
        layout: str,
        count_include_pad: bool | None = None,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        rank = len(pool_size)
        self._kwargs: dict[str, Any] = {
            "kernel": pool_size,
            "stride": pool_size if strides is None else _each(strides, rank),
            "pad": _each(padding, rank),
            "global_pool": global_pool,
            "pool_type": pool_type,
            "layout": layout,
            "pooling_convention": "full" if ceil_mode else "valid",
        }
        if count_include_pad is not None:
            self._kwargs["count_include_pad"] = count_include_pad

    def _alias(self) -> str:
        return "pool"

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """The maximum or mean of each window of `x`."""
        return F.Pooling(x, name="fwd", **self._kwargs)

    def __repr__(self) -> str:
        return (
            "{}(size={kernel}, stride={stride}, padding={pad}, ceil_mode={}, global_pool={global_pool}, "
            "pool_type={pool_type}, layout={layout})"
        ).format(type(self).__name__, self._kwargs["pooling_convention"] == "full", **self._kwargs)


def _check_pooled(layout: str, rank: int) -> None:
    known = _POOLED[rank - 1]
    if layout not in known:
        raise AssertionError(
            f"Only {' and '.join(known)} layouts are valid for {rank}D Pooling, got {layout!r}."
        )


class _Windows(_Pooling):
    """A pooling of windows on `rank` axes."""

    def __init__(
        self,
        rank: int,
        pool_type: str,
        pool_size: ShapeLike,
        strides: ShapeLike | None,
        padding: ShapeLike,
        layout: str,
        ceil_mode: bool,
        count_include_pad: bool | None = None,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        _check_pooled(layout, rank)
        size = _counted("pool_size", pool_size, rank)
        super().__init__(
            size, strides, padding, ceil_mode, False, pool_type, layout, count_include_pad, **kwargs
        )


class MaxPool1D(_Windows):
    """The maximum of each window of (N, C, W)."""

    def __init__(
        self,
        pool_size: ShapeLike = 2,
        strides: ShapeLike | None = None,
        padding: ShapeLike = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(1, "max", pool_size, strides, padding, layout, ceil_mode, **kwargs)


class MaxPool2D(_Windows):
    """The maximum of each window of (N, C, H, W)."""

    def __init__(
        self,
        pool_size: ShapeLike = (2, 2),
        strides: ShapeLike | None = None,
        padding: ShapeLike = 0,
        layout: str = "NCHW",
        ceil_mode: bool = False,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(2, "max", pool_size, strides, padding, layout, ceil_mode, **kwargs)


class MaxPool3D(_Windows):
    """The maximum of each window of (N, C, D, H, W)."""

    def __init__(
        self,
        pool_size: ShapeLike = (2, 2, 2),
        strides: ShapeLike | None = None,
        padding: ShapeLike = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(3, "max", pool_size, strides, padding, layout, ceil_mode, **kwargs)


class AvgPool1D(_Windows):
    """The mean of each window of (N, C, W)."""

    def __init__(
        self,
        pool_size: ShapeLike = 2,
        strides: ShapeLike | None = None,
        padding: ShapeLike = 0,
        layout: str = "NCW",
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            1, "avg", pool_size, strides, padding, layout, ceil_mode, count_include_pad, **kwargs
        )


class AvgPool2D(_Windows):
    """The mean of each window of (N, C, H, W)."""

    def __init__(
        self,
        pool_size: ShapeLike = (2, 2),
        strides: ShapeLike | None = None,
        padding: ShapeLike = 0,
        ceil_mode: bool = False,
        layout: str = "NCHW",
        count_include_pad: bool = True,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            2, "avg", pool_size, strides, padding, layout, ceil_mode, count_include_pad, **kwargs
        )


class AvgPool3D(_Windows):
    """The mean of each window of (N, C, D, H, W)."""

    def __init__(
        self,
        pool_size: ShapeLike = (2, 2, 2),
        strides: ShapeLike | None = None,
        padding: ShapeLike = 0,
        ceil_mode: bool = False,
        layout: str = "NCDHW",
        count_include_pad: bool = True,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            3, "avg", pool_size, strides, padding, layout, ceil_mode, count_include_pad, **kwargs
        )


class _Global(_Pooling):
    """A pooling of one window that covers `rank` axes."""

    def __init__(self, rank: int, pool_type: str, layout: str, **kwargs: Unpack[BlockOptions]) -> None:
        _check_pooled(layout, rank)
        super().__init__((1,) * rank, None, 0, True, True, pool_type, layout, **kwargs)


class GlobalMaxPool1D(_Global):
    """The maximum of each channel: (N, C, W) to (N, C, 1)."""

    def __init__(self, layout: str = "NCW", **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(1, "max", layout, **kwargs)


class GlobalMaxPool2D(_Global):
    """The maximum of each channel: (N, C, H, W) to (N, C, 1, 1)."""

    def __init__(self, layout: str = "NCHW", **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(2, "max", layout, **kwargs)


class GlobalMaxPool3D(_Global):
    """The maximum of each channel: (N, C, D, H, W) to (N, C, 1, 1, 1)."""

    def __init__(self, layout: str = "NCDHW", **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(3, "max", layout, **kwargs)


class GlobalAvgPool1D(_Global):
    """The mean of each channel: (N, C, W) to (N, C, 1)."""

    def __init__(self, layout: str = "NCW", **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(1, "avg", layout, **kwargs)


class GlobalAvgPool2D(_Global):
    """The mean of each channel: (N, C, H, W) to (N, C, 1, 1)."""

    def __init__(self, layout: str = "NCHW", **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(2, "avg", layout, **kwargs)


class GlobalAvgPool3D(_Global):
    """The mean of each channel: (N, C, D, H, W) to (N, C, 1, 1, 1)."""

    def __init__(self, layout: str = "NCDHW", **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(3, "avg", layout, **kwargs)


class ReflectionPad2D(HybridBlock):
    """(N, C, H, W) with `padding` elements added on each side, mirrored without the outermost."""

    def __init__(self, padding: ShapeLike = 0, **kwargs: Unpack[BlockOptions]) -> None:
        super().__init__(**kwargs)
        widths = (0, 0, 0, 0, *(padding,) * 4) if isinstance(padding, int | float | np.number) else padding
        if len(widths) != 8:
            raise AssertionError(
                "ReflectionPad2D: one number, or a width before and after each of 4 axes is required, "
                f"got {padding!r}."
            )
        self._padding = widths

    def hybrid_forward(self, F: ModuleType, x: Tensor) -> Any:
        """`x` padded."""
        return F.pad(x, mode="reflect", pad_width=self._padding)
