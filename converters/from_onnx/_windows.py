"""What imports of windows share: what ONNX's padding attributes mean, and padding in MXNet's operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from hybridonnx.errors import ConversionError
from hybridonnx.ops.conv import extent

Ints = tuple[int, ...]


class Window(NamedTuple):
    """The windows of an ONNX node: by axis, their size, steps and the padding on both sides."""

    kernel: Ints
    stride: Ints
    dilate: Ints
    before: Ints
    after: Ints

    def spans(self) -> Ints:
        """How many elements each window spans."""
        return tuple(extent(k, d) for k, d in zip(self.kernel, self.dilate, strict=True))

    def even(self) -> bool:
        """Whether the padding is the same on both sides."""
        return self.before == self.after


def window(
    F: Any, x: Any, kernel: Sequence[int], strides: Ints, dilations: Ints, pads: Ints, auto_pad: str
) -> Window:
    """The windows on `x` that these attributes mean."""
    rank = len(kernel)
    if not 1 <= rank <= 3:
        raise ConversionError(f"MXNet has windows on 1, 2 or 3 axes, got kernel {tuple(kernel)}.")
    stride, dilate = strides or (1,) * rank, dilations or (1,) * rank
    pads = pads or (0,) * (2 * rank)
    unpadded = Window(tuple(kernel), stride, dilate, pads[:rank], pads[rank:])
    if auto_pad in ("NOTSET", ""):
        return unpadded
    if auto_pad == "VALID":
        return unpadded._replace(before=(0,) * rank, after=(0,) * rank)
    total = [_same(F, x, axis, unpadded) for axis in range(rank)]
    less, more = tuple(t // 2 for t in total), tuple(t - t // 2 for t in total)
    if auto_pad == "SAME_UPPER":
        return unpadded._replace(before=less, after=more)
    return unpadded._replace(before=more, after=less)


def _same(F: Any, x: Any, axis: int, w: Window) -> int:
    """The padding of both sides with which one window in `stride` elements fits."""
    span, stride = w.spans()[axis], w.stride[axis]
    if stride == 1:
        return span - 1
    size = sizes(F, x)[axis]
    return max((-(-size // stride) - 1) * stride + span - size, 0)


def sizes(F: Any, x: Any) -> Ints:
    """The sizes of `x` after the channels; they must be known."""
    shape = F.shape(x)
    if shape is None or None in shape[2:]:
        raise ConversionError(
            "known sizes after the channels are required for this padding. Fix the shapes of the inputs."
        )
    return tuple(d for d in shape[2:] if d is not None)


def padded(F: Any, x: Any, before: Sequence[int], after: Sequence[int], value: float = 0.0) -> Any:
    """`x` (N, C, *spatial) with padding; MXNet's Pad wants 4 or 5 axes."""
    if not any(before) and not any(after):
        return x
    if any(p < 0 for p in (*before, *after)):
        raise ConversionError(f"padding of at least 0 is required, got {before} and {after}.")
    single = len(before) == 1
    pairs = [p for pair in zip(before, after, strict=True) for p in pair]
    width = (0, 0, 0, 0, *((0, 0) if single else ()), *pairs)
    y = F.expand_dims(x, axis=2) if single else x
    y = F.Pad(y, mode="constant", pad_width=width, constant_value=value)
    return F.squeeze(y, axis=(2,)) if single else y
