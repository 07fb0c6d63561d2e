"""Imports of pooling."""

from __future__ import annotations

from typing import Any

from hybridonnx.dtypes import float32, lowest
from hybridonnx.errors import ConversionError

from ._registry import imports
from ._windows import Ints, Window, padded, sizes, window


def _placed(
    F: Any, x: Any, kernel: Ints, strides: Ints, dilations: Ints, pads: Ints, auto_pad: str, ceil: int
) -> tuple[Window, bool]:
    """The windows, and whether MXNet's convention "full" is what ceil_mode means here."""
    if set(dilations) - {1}:
        raise ConversionError(f"pooling: MXNet has no dilations, got {dilations}.")
    at = window(F, x, kernel, strides, (), pads, auto_pad)
    if not ceil or auto_pad not in ("NOTSET", ""):
        return at, False
    if at.even() and all(s + p <= k for s, p, k in zip(at.stride, at.before, at.kernel, strict=True)):
        return at, True
    # ONNX leaves out a last window that starts behind the data
    return at._replace(after=_reached(F, x, at)), False


def _reached(F: Any, x: Any, at: Window) -> Ints:
    """The padding behind with which the complete windows are those that ceil_mode counts."""
    after = []
    for n, k, s, b, a in zip(sizes(F, x), at.kernel, at.stride, at.before, at.after, strict=True):
        last = -(-(n + b + a - k) // s)
        last -= last * s >= n + b
        after.append(max(last * s + k - n - b, 0))
    return tuple(after)


def _named(at: Window, full: bool) -> dict[str, Any]:
    named = {"kernel": at.kernel, "stride": at.stride, "pad": at.before}
    return {**named, "pooling_convention": "full"} if full else named


def _bare(at: Window) -> Window:
    """The windows on data that is padded already."""
    none = (0,) * len(at.kernel)
    return at._replace(before=none, after=none)


def _fits(at: Window) -> bool:
    """Whether MXNet can pad by itself: the same on both sides, and less than the kernel."""
    return at.even() and all(p < k for p, k in zip(at.before, at.kernel, strict=True))


@imports("MaxPool", versions=(1, 8, 10, 11, 12, 22))
def max_pool(
    F: Any,
    x: Any,
    *,
    kernel_shape: Ints,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Ints = (),
    pads: Ints = (),
    storage_order: int = 0,
    strides: Ints = (),
) -> Any:
    """MXNet pools floating-point numbers, which bytes are exactly."""
    dtype = F.dtype(x)
    if dtype is not None and dtype.kind in "iu":
        x = F.Cast(x, dtype="float32")
    at, full = _placed(F, x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    if not _fits(at):
        x, at = padded(F, x, at.before, at.after, lowest(F.dtype(x) or float32)), _bare(at)
    y = F.Pooling(x, **_named(at, full), pool_type="max")
    return F.Cast(y, dtype=dtype.name) if dtype is not None and dtype.kind in "iu" else y


@imports("AveragePool", versions=(1, 7, 10, 11, 19, 22))
def average_pool(
    F: Any,
    x: Any,
    *,
    kernel_shape: Ints,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: Ints = (),
    pads: Ints = (),
    strides: Ints = (),
) -> Any:
    at, full = _placed(F, x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    if _fits(at):
        include = {} if count_include_pad or not any(at.before) else {"count_include_pad": False}
        return F.Pooling(x, **_named(at, full), pool_type="avg", **include)
    if count_include_pad and not ceil_mode:
        return F.Pooling(padded(F, x, at.before, at.after), **_named(_bare(at), False), pool_type="avg")
    original = window(F, x, kernel_shape, strides, (), pads, auto_pad)
    return _counted(F, x, at, original.after if count_include_pad else None)


def _counted(F: Any, x: Any, at: Window, after: Ints | None) -> Any:
    """The sum of each window over how much of it is data, or data and the padding of the node."""
    bare = _named(_bare(at), False)
    total = F.Pooling(padded(F, x, at.before, at.after), **bare, pool_type="sum")
    ones = F.ones_like(x)
    if after is None:
        ones = padded(F, ones, at.before, at.after)
    else:
        inside = tuple(min(a, b) for a, b in zip(after, at.after, strict=True))
        ones = padded(F, ones, at.before, inside, 1.0)
        ones = padded(
            F, ones, (0,) * len(inside), tuple(b - a for a, b in zip(inside, at.after, strict=True))
        )
    return total / F.Pooling(ones, **bare, pool_type="sum")


@imports("LpPool", versions=(2, 11, 18, 22))
def lp_pool(
    F: Any,
    x: Any,
    *,
    kernel_shape: Ints,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Ints = (),
    p: int = 2,
    pads: Ints = (),
    strides: Ints = (),
) -> Any:
    at, full = _placed(F, x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    if not _fits(at):
        x, at = padded(F, x, at.before, at.after), _bare(at)
    return _norm(F, x, p, **_named(at, full))


def _norm(F: Any, x: Any, p: int, **named: Any) -> Any:
    """The p-norm of windows; MXNet's odd powers keep their sign."""
    if p == 2:
        return F.Pooling(x, **named, pool_type="lp", p_value=2)
    if p in (1, 3):
        return F.Pooling(F.abs(x), **named, pool_type="lp", p_value=p)
    return F.Pooling(F.abs(x) ** p, **named, pool_type="sum") ** (1.0 / p)


def _everything(F: Any, x: Any) -> dict[str, Any]:
    rank = F.rank(x)
    if not 3 <= rank <= 5:
        raise ConversionError(f"global pooling: data with 3, 4 or 5 axes is required, got {rank}.")
    return {"kernel": (1,) * (rank - 2), "global_pool": True}


@imports("GlobalMaxPool", versions=(1, 22))
def global_max_pool(F: Any, x: Any) -> Any:
    return F.Pooling(x, **_everything(F, x), pool_type="max")


@imports("GlobalAveragePool", versions=(1, 22))
def global_average_pool(F: Any, x: Any) -> Any:
    return F.Pooling(x, **_everything(F, x), pool_type="avg")


@imports("GlobalLpPool", versions=(1,))
def global_lp_pool_of_float(F: Any, x: Any, *, p: float = 2.0) -> Any:
    """The version whose norm is no integer."""
    if not p.is_integer():
        raise ConversionError(f"GlobalLpPool: an integer is required as p, got {p}.")
    return global_lp_pool(F, x, p=int(p))


@imports("GlobalLpPool", versions=(2, 22))
def global_lp_pool(F: Any, x: Any, *, p: int = 2) -> Any:
    return _norm(F, x, p, **_everything(F, x))
