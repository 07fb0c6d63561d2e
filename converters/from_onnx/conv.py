"""Imports of Conv, ConvTranspose and DeformConv."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from hybridonnx.errors import ConversionError

from ._registry import imports
from ._windows import Ints, Window, padded, sizes, window


def _weight(F: Any, w: Any) -> tuple[int, ...]:
    shape = F.shape(w)
    if shape is None or None in shape:
        raise ConversionError("a weight of known shape is required. Make it an initializer of the model.")
    return tuple(shape)


def _named(w: Window, pad: Ints) -> dict[str, Any]:
    """MXNet's attributes; dilation is left out where it is 1."""
    named = {"kernel": w.kernel, "stride": w.stride, "pad": pad}
    return {**named, "dilate": w.dilate} if set(w.dilate) != {1} else named


@imports("Conv", versions=(1, 11, 22))
def conv(
    F: Any,
    x: Any,
    w: Any,
    b: Any = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints = (),
    group: int = 1,
    kernel_shape: Ints = (),
    pads: Ints = (),
    strides: Ints = (),
) -> Any:
    filters, _, *kernel = _weight(F, w)
    at = window(F, x, kernel_shape or kernel, strides, dilations, pads, auto_pad)
    pad = at.before
    if not at.even():
        x, pad = padded(F, x, at.before, at.after), (0,) * len(pad)
    inputs = (x, w) if b is None else (x, w, b)
    return F.Convolution(*inputs, **_named(at, pad), num_filter=filters, num_group=group, no_bias=b is None)


@imports("ConvTranspose", versions=(1, 11, 22))
def conv_transpose(
    F: Any,
    x: Any,
    w: Any,
    b: Any = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints = (),
    group: int = 1,
    kernel_shape: Ints = (),
    output_padding: Ints = (),
    output_shape: Ints = (),
    pads: Ints = (),
    strides: Ints = (),
) -> Any:
    _, per_group, *kernel = _weight(F, w)
    at = window(F, x, kernel_shape or kernel, strides, dilations, pads, "NOTSET")
    more = output_padding or (0,) * len(at.kernel)
    at = _placed(F, x, at, more, output_shape[-len(at.kernel) :] if output_shape else (), auto_pad)
    inputs = (x, w) if b is None else (x, w, b)
    return _deconvolution(
        F, inputs, at, more, num_filter=per_group * group, num_group=group, no_bias=b is None
    )


def _placed(F: Any, x: Any, at: Window, more: Ints, output_shape: Ints, auto_pad: str) -> Window:
    """The windows with what output_shape and auto_pad cut off on both sides."""
    if output_shape:
        full = [
            (n - 1) * s + k + m for n, s, k, m in zip(sizes(F, x), at.stride, at.spans(), more, strict=True)
        ]
        total = [f - d for f, d in zip(full, output_shape, strict=True)]
    elif auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        total = [max(k + m - s, 0) for s, k, m in zip(at.stride, at.spans(), more, strict=True)]
    elif auto_pad == "VALID":
        total = [0] * len(more)
    else:
        return at
    half, rest = tuple(t // 2 for t in total), tuple(t - t // 2 for t in total)
    return (
        at._replace(before=half, after=rest)
        if auto_pad == "SAME_UPPER"
        else at._replace(before=rest, after=half)
    )


def _deconvolution(F: Any, inputs: Sequence[Any], at: Window, more: Ints, **named: Any) -> Any:
    """Deconvolution if it can cut off as much in front as behind, else one that cuts nothing, and slices."""
    adj = tuple(b - a + m for b, a, m in zip(at.before, at.after, more, strict=True))
    if all(0 <= a < s for a, s in zip(adj, at.stride, strict=True)) and min(at.before) >= 0:
        extra = {"adj": adj} if any(adj) else {}
        return F.Deconvolution(*inputs, **_named(at, at.before), **extra, **named)
    cut = [a - m for a, m in zip(at.after, more, strict=True)]
    adj = tuple(max(-c, 0) for c in cut)
    if min(at.before) < 0 or any(a >= s for a, s in zip(adj, at.stride, strict=True)):
        raise ConversionError(
            f"ConvTranspose: output_padding below strides {at.stride} and pads of at least 0 are required, "
            f"got output_padding {more}, pads {at.before} and {at.after}."
        )
    extra = {"adj": adj} if any(adj) else {}
    y = F.Deconvolution(*inputs, **_named(at, (0,) * len(cut)), **extra, **named)
    for axis, (begin, end) in enumerate(zip(at.before, cut, strict=True), 2):
        if begin or end > 0:
            y = F.slice_axis(y, axis=axis, begin=begin, end=-end if end > 0 else None)
    return y


@imports("DeformConv", versions=(19, 22))
def deform_conv(
    F: Any,
    x: Any,
    w: Any,
    offset: Any,
    b: Any = None,
    mask: Any = None,
    *,
    dilations: Ints = (),
    group: int = 1,
    kernel_shape: Ints = (),
    offset_group: int = 1,
    pads: Ints = (),
    strides: Ints = (),
) -> Any:
    """With a mask of ones if there is none, as MXNet's without a mask has no zeros behind the data."""
    filters, _, *kernel = _weight(F, w)
    at = window(F, x, kernel_shape or kernel, strides, dilations, pads, "NOTSET")
    sizes(F, x)  # raises if they are free, of which it is not exported again
    pad = at.before
    if not at.even():
        x, pad = padded(F, x, at.before, at.after), (0,) * len(pad)
    if mask is None:
        count = offset_group * prod(at.kernel)
        mask = F.ones_like(F.slice_axis(offset, axis=1, begin=0, end=count))
    inputs = (x, offset, mask, w) if b is None else (x, offset, mask, w, b)
    groups = {"num_group": group, "num_deformable_group": offset_group}
    return F._contrib_ModulatedDeformableConvolution(
        *inputs, **_named(at, pad), **groups, num_filter=filters, no_bias=b is None, im2col_step=1
    )
