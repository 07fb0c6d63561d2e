"""Pooling: the maximum, mean, sum or norm of each window, and the operators that are its gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..attrs import Ints
from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._operator import Array, Operator, record
from ._registry import operator
from ._shapes import Dim, Shape, is_zero, show
from ._windows import (
    from_first,
    offsets,
    padded,
    per_axis,
    positions,
    require_floats,
    require_positive,
    require_rank,
    shape_to_first,
    to_first,
    total_extent,
)
from ._windows import shape_from_first as shape_from_first
from .pad import Pad

_LAYOUTS = ("NCW", "NCHW", "NCDHW")
_Layout = Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"]


class Placed(NamedTuple):
    """How windows lie on data of known spatial sizes."""

    size: Ints
    kernel: Ints
    stride: Ints
    pad: Ints
    out: Ints

    def reach(self) -> Ints:
        """The sizes of padded data: what the windows reach over, and at least the data itself."""
        ends = total_extent(self.out, self.kernel, self.stride, (1,) * len(self.kernel))
        return tuple(max(e, n + p) for e, n, p in zip(ends, self.size, self.pad, strict=True))

    def after(self) -> Ints:
        """The padding after the data that the windows need, negative where they leave some of it out."""
        ends = total_extent(self.out, self.kernel, self.stride, (1,) * len(self.kernel))
        return tuple(e - n - p for e, n, p in zip(ends, self.size, self.pad, strict=True))

    def counts(self, include_pad: bool) -> list[Array]:
        """By axis, how many elements a mean counts in each window: those of the data, or of the padded data.

        What a last window has beyond the padding is never counted.
        """
        counts = []
        for n, k, s, p, out in zip(*self, strict=True):
            start = np.arange(out) * s - p
            end = np.minimum(start + k, n + p)
            count = end - start if include_pad else np.minimum(end, n) - np.maximum(start, 0)
            counts.append(np.maximum(count, 1))  # an empty window's sum is 0, and so is its mean
        return counts

    def cuts(self) -> Iterator[Any]:
        """The indices of padded data at each position in the windows, in order."""
        return (cut for _, cut in offsets(self.kernel, self.stride, (1,) * len(self.kernel), self.out))


# ---- kernels on arrays with the channels in axis 1


def _slide(x: Array, at: Placed, fn: Callable[..., Array], outside: float) -> Array:
    """`fn` over the elements of each window, one axis after the other."""
    x = padded(x, at.pad, at.reach(), outside)
    for axis, (k, s, out) in enumerate(zip(at.kernel, at.stride, at.out, strict=True), 2):
        before = (slice(None),) * axis
        cuts = [x[(*before, slice(i, i + (out - 1) * s + 1, s))] for i in range(k)]
        x = cuts[0].copy()
        for cut in cuts[1:]:
            fn(x, cut, out=x)
    return x


def _spread(dy: Array, at: Placed) -> Array:
    """Each window's value added to all its elements."""
    for axis, (n, k, s) in enumerate(zip(at.reach(), at.kernel, at.stride, strict=True), 2):
        out = dy.shape[axis]
        result = np.zeros((*dy.shape[:axis], n, *dy.shape[axis + 1 :]), dy.dtype)
        for i in range(k):
            result[(*(slice(None),) * axis, slice(i, i + (out - 1) * s + 1, s))] += dy
        dy = result
    return _inside(dy, at)


def _inside(x: Array, at: Placed) -> Array:
    """Padded data without its padding."""
    cut: Any = (..., *(slice(p, p + n) for p, n in zip(at.pad, at.size, strict=True)))
    inner: Array = x[cut]
    return inner


def _lowest(dtype: DType) -> float:
    return float(np.finfo(dtype).min)


def _maxima(x: Array, at: Placed) -> Iterator[tuple[Any, Array]]:
    """For each position in the windows, where it has the window's maximum or a NaN; of several the first."""
    low = _lowest(x.dtype)
    top = _slide(x, at, np.fmax, low)
    x = padded(x, at.pad, at.reach(), low)
    free = np.ones(top.shape, np.bool_)
    for cut in at.cuts():
        hit = ~(x[cut] < top) & free
        free &= ~hit
        yield cut, hit


def _max_grad(dy: Array, x: Array, at: Placed) -> Array:
    """Each window's value given to the element that is its maximum."""
    dx = np.zeros(x.shape[:2] + at.reach(), dy.dtype)
    for cut, hit in _maxima(x, at):
        dx[cut] += np.where(hit, dy, 0)  # a product would be NaN where dy is infinite
    return _inside(dx, at)


def _max_pick(values: Array, x: Array, at: Placed) -> Array:
    """From each window of `values` the element where x has its maximum."""
    values = padded(values, at.pad, at.reach())
    y = np.zeros(x.shape[:2] + at.out, values.dtype)
    for cut, hit in _maxima(x, at):
        np.copyto(y, values[cut], where=hit)
    return y


def _global_top(x: Array) -> Array:
    """The index of the maximum among all of an image, (N, C, 1)."""
    flat = x.reshape(*x.shape[:2], prod(x.shape[2:]))
    return np.asarray(flat.argmax(axis=2))[..., None]


# ---- operators


@record
class _Pool(Operator):
    """The attributes that Pooling and its gradients have, and what follows from them.

    Inputs:
        data: (N, C, *spatial) of 1 to 3 spatial axes, or with the channels last as layout says.

    Attributes:
        kernel: The window's size on each spatial axis; without effect with global_pool.
        pool_type: What becomes of a window: "avg" its mean, "lp" its p-norm, "max" its maximum, "sum" its
            sum.
        global_pool: Whether one window covers the whole image.
        cudnn_off: Accepted for MXNet's sake; without effect.
        pooling_convention: Which windows count: "valid" those inside of the padded data, "full" a last
            partial one too, "same" the size divided by stride, rounded up, of them, for one axis and without
            pad.
        stride: The step between windows on each axis; 1 if empty.
        pad: How many elements are added on both sides of each axis, fewer than kernel; 0 if empty.
        p_value: The p of pool_type "lp": 1, 2 or 3. Odd powers keep their sign.
        count_include_pad: Whether a mean counts the padding, as zeros; None: it does.
        layout: The order of the axes, such as NCHW or NHWC; None: channels first.
    """

    kernel: Ints = ()
    pool_type: Literal["avg", "lp", "max", "sum"] = "max"
    global_pool: bool = False
    cudnn_off: bool = False
    pooling_convention: Literal["full", "same", "valid"] = "valid"
    stride: Ints = ()
    pad: Ints = ()
    p_value: int | None = None
    count_include_pad: bool | None = None
    layout: _Layout | None = None

    def check(self) -> None:
        if self.pool_type == "lp" and self.p_value not in (1, 2, 3):
            raise AttributeValueError(f"Pooling: p_value must be 1, 2 or 3 for lp, got {self.p_value}.")
        if self.global_pool:
            return
        if not 1 <= len(self.kernel) <= 3:
            raise AttributeValueError(
                f"Pooling: kernel must have 1, 2 or 3 axes unless global_pool is set, got {self.kernel}."
            )
        stride, pad = self.window()
        require_positive("Pooling", kernel=self.kernel, stride=stride)
        if any(not 0 <= p < k for p, k in zip(pad, self.kernel, strict=True)):
            raise AttributeValueError(
                f"Pooling: pad must not be negative and be smaller than kernel {self.kernel}, got {pad}."
            )
        if self.pooling_convention == "same" and len(self.kernel) != 1:
            raise AttributeValueError(
                f"Pooling: pooling_convention 'same' is possible with a kernel of 1 axis, got {self.kernel}. "
                "Use 'full' with pad."
            )
        if self.layout is not None and len(self.layout) != len(self.kernel) + 2:
            raise AttributeValueError(
                f"Pooling: a layout with {len(self.kernel)} spatial axes is required for kernel "
                f"{self.kernel}, got {self.layout}."
            )

    def window(self) -> tuple[Ints, Ints]:
        """Stride and padding of each axis."""
        stride = per_axis("Pooling", "stride", self.stride, self.kernel, 1)
        if self.pooling_convention == "same":
            if any(self.pad):
                raise AttributeValueError(
                    f"Pooling: pooling_convention 'same' is possible without pad, got {self.pad}."
                )
            return stride, (0,) * len(self.kernel)  # MXNet itself wants three zeros here
        return stride, per_axis("Pooling", "pad", self.pad, self.kernel, 0)

    def counts_pad(self) -> bool:
        """Whether a mean counts the padding's zeros."""
        return self.count_include_pad is not False

    def infer_input_dtypes(self, *dtypes: Any, **_: Any) -> Sequence[DType | None]:
        require_floats("Pooling", *dtypes)
        return super().infer_input_dtypes(*dtypes)

    def pooled(self, data: Shape) -> Shape:
        """The shape of what the windows of `data` give."""
        if self.global_pool:
            if not 3 <= len(data) <= 5:
                raise ShapeError(f"Pooling: data with 3, 4 or 5 axes is required, got {show(data)}.")
            n, c, *rest = shape_to_first(data, self.layout)
            if self.pool_type == "max" and any(map(is_zero, rest)):
                raise ShapeError(f"Pooling: an element to take the maximum of is required, got {show(data)}.")
            return shape_from_first((n, c, *(1 for _ in rest)), self.layout)
        require_rank("Pooling", data, self.kernel, self.layout or _LAYOUTS[len(self.kernel) - 1])
        n, c, *rest = shape_to_first(data, self.layout)
        return shape_from_first((n, c, *self._out(rest)), self.layout)

    def _out(self, spatial: Sequence[Dim]) -> list[Dim]:
        axes = zip(spatial, self.kernel, *self.window(), strict=True)
        if self.pooling_convention == "same":
            return [None if n is None else -(-n // s) for n, _, s, _ in axes]
        ceil = self.pooling_convention == "full"
        return [positions("Pooling", n, k, s, p, ceil) for n, k, s, p in axes]

    def placed(self, data: Sequence[int]) -> Placed:
        """How the windows lie on data of this shape."""
        size = shape_to_first(data, self.layout)[2:]
        if self.global_pool:
            return Placed(size, size, (1,) * len(size), (0,) * len(size), (1,) * len(size))
        out: Any = shape_to_first(self.pooled(tuple(data)), self.layout)[2:]
        return Placed(size, self.kernel, *self.window(), out)

    def divisor(self, at: Placed) -> Array:
        """How many elements the mean of each window counts, in the shape of the windows' positions."""
        count = np.ones((1,) * len(at.size))
        for axis, counts in enumerate(at.counts(self.counts_pad())):
            count = count * counts.reshape(-1, *(1,) * (len(at.size) - axis - 1))
        return count

    def first(self, array: Array) -> Array:
        """An array with its channels in axis 1, float16 as float32."""
        placed: Array = to_first(array, self.layout)
        return placed.astype(np.float32) if placed.dtype == np.float16 else placed

    def back(self, result: Array, like: Array) -> Array:
        """A result in the layout and the dtype of the inputs."""
        placed: Array = from_first(result, self.layout)
        return placed.astype(like.dtype, copy=False)


@operator("Pooling", "_npx_pooling")
class Pooling(_Pool):
    """The maximum, mean, sum or p-norm of each window of `data`.

    Padding is no part of a maximum, which is NaN if the window has one; in a sum, mean or norm it is zeros.

    Returns:
        (N, C, *out), where out = floor((n + 2 pad - kernel) / stride) + 1, rounded up by "full"; 1 with
        global_pool.

    ONNX: MaxPool, AveragePool (a sum: with Mul), LpPool, GlobalMaxPool or GlobalAveragePool.
    """

    cheap: ClassVar[bool] = True
    saves: ClassVar[float] = 2.0
    specializes: ClassVar[bool] = True

    def counted(self) -> int:
        has_workspace = self.pool_type == "max" and self.kernel and self.layout in (None, *_LAYOUTS)
        return 2 if has_workspace else 1

    def selects(self) -> bool:
        return self.pool_type == "max"

    def infer_shape(self, data: Shape) -> Shape:
        return self.pooled(data)

    def forward(self, data: Array) -> Array:
        x, at = self.first(data), self.placed(data.shape)
        if self.pool_type == "max":
            return self.back(self._windows(x, at, np.maximum, _lowest(data.dtype)), data)
        if self.pool_type == "lp":
            return self.back(self._norm(x, at), data)
        y = self._windows(x, at, np.add, 0.0)
        if self.pool_type == "avg":
            y /= self.divisor(at).astype(y.dtype)
        return self.back(y, data)

    def _windows(self, x: Array, at: Placed, fn: np.ufunc, outside: float) -> Array:
        if self.global_pool:
            y: Array = fn.reduce(x, axis=tuple(range(2, x.ndim)), keepdims=True)
            return y
        return _slide(x, at, fn, outside)

    def _norm(self, x: Array, at: Placed) -> Array:
        """The p-th root of the sum of p-th powers; odd powers keep their sign, as in MXNet."""
        if self.p_value == 1:
            return self._windows(x, at, np.add, 0.0)
        if self.p_value == 2:
            return np.sqrt(self._windows(x * x, at, np.add, 0.0))
        return np.cbrt(self._windows(x * x * x, at, np.add, 0.0))

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        if self.pool_type != "lp":
            return (F._pool_grad(dy, data, **self.attributes()),)
        same = {**self.attributes(), "pool_type": "sum"}
        if self.p_value == 1:
            return (F._pool_grad(dy, data, **same),)
        share = (y != 0) / (y + (y == 0))  # 1 / y, and 0 where the whole window is 0
        if self.p_value == 2:
            return (data * F._pool_grad(dy * share, data, **same),)
        return (data * data * F._pool_grad(dy * share * share, data, **same),)


@operator("Pooling_v1")
class PoolingV1(Operator):
    """The maximum, mean or sum of each window of images, as MXNet's first versions compute it.

    Padding is zeros, for a maximum as well, and a mean divides by the kernel's size at the edges too.

    Inputs:
        data: (N, C, height, width).

    Attributes:
        kernel: The height and width of a window; without effect with global_pool.
        pool_type: What becomes of a window: "avg" its mean, "max" its maximum, "sum" its sum.
        global_pool: Whether one window covers the whole image.
        pooling_convention: Which windows count: "valid" those inside of the padded data, "full" a last
            partial one too.
        stride: The step between windows on each axis; 1 if empty.
        pad: How many zeros are added on both sides of each axis; 0 if empty.

    Returns:
        (N, C, *out), where out = floor((n + 2 pad - kernel) / stride) + 1, rounded up by "full"; 1 with
        global_pool.

    ONNX: MaxPool, or AveragePool with Mul.
    """

    cheap: ClassVar[bool] = True
    kernel: Ints = ()
    pool_type: Literal["avg", "max", "sum"] = "max"
    global_pool: bool = False
    pooling_convention: Literal["full", "valid"] = "valid"
    stride: Ints = ()
    pad: Ints = ()

    def check(self) -> None:
        if not self.global_pool and len(self.kernel) != 2:
            raise AttributeValueError(
                f"Pooling_v1: kernel must have 2 axes unless global_pool is set, got {self.kernel}. "
                "Use Pooling for others."
            )
        stride = self.parts()[1].window()[0]
        if self.pooling_convention == "full" and any(
            s > k for s, k in zip(stride, self.kernel, strict=False)
        ):
            raise AttributeValueError(
                f"Pooling_v1: with pooling_convention 'full' stride must not be larger than kernel "
                f"{self.kernel}, got {stride}. Use Pooling."
            )

    def parts(self) -> tuple[Pad | None, Pooling, int]:
        """The padding before, the pooling, and what its results are divided by."""
        if self.global_pool:
            return None, Pooling(pool_type=self.pool_type, global_pool=True), 1
        window = {"pooling_convention": self.pooling_convention, "kernel": self.kernel, "stride": self.stride}
        if self.pool_type == "avg":
            return None, Pooling.make({**window, "pool_type": "sum", "pad": self.pad}), prod(self.kernel)
        if self.pool_type == "sum" or not any(self.pad):
            return None, Pooling.make({**window, "pool_type": self.pool_type, "pad": self.pad}), 1
        width = (0, 0, 0, 0, *(p for p in self.pad for _ in range(2)))
        return Pad(mode="constant", pad_width=width), Pooling.make({**window, "pool_type": "max"}), 1

    def infer_input_dtypes(self, *dtypes: Any, **_: Any) -> Sequence[DType | None]:
        require_floats("Pooling_v1", *dtypes)
        return super().infer_input_dtypes(*dtypes)

    def infer_shape(self, data: Shape) -> Shape:
        if len(data) != 4:
            raise ShapeError(f"Pooling_v1: data with 4 axes is required, got {show(data)}. Use Pooling.")
        before, pooling, _ = self.parts()
        return pooling.infer_shape(before.infer_shape(data) if before else data)

    def forward(self, data: Array) -> Array:
        before, pooling, divisor = self.parts()
        y = pooling.forward(before.forward(data) if before else data)
        return y / np.asarray(divisor, y.dtype) if divisor != 1 else y

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        before, pooling, divisor = self.parts()
        x = F.Pad(data, **before.attributes()) if before else data
        g = F._pool_grad(dy / divisor if divisor != 1 else dy, x, **pooling.attributes())
        return before.gradient(F, g, x, data) if before else (g,)


@operator("_pool_grad")
class PoolGrad(_Pool):
    """The gradient of `Pooling` with respect to its data, for a maximum, mean or sum.

    A maximum gives its gradient to the first of the elements that are equal to it.

    Inputs:
        dy: The gradient of Pooling's output, (N, C, *out).

    Returns:
        The shape of data.

    ONNX: ConvTranspose; of a maximum MaxPool with ScatterElements or MaxUnpool.
    """

    saves: ClassVar[float] = 5.0
    inputs: ClassVar[tuple[str, ...]] = ("dy", "data")

    def infer_inputs(self, dy: Shape | None, data: Shape | None) -> Sequence[Shape | None]:
        return (dy if data is None else self.pooled(data)), data

    def infer_shape(self, dy: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, data: Array) -> Array:
        heads, at = self.first(dy), self.placed(data.shape)
        if self.pool_type == "max":
            return self.back(self._max(heads, self.first(data), at), dy)
        if self.pool_type == "avg":
            heads = heads / self.divisor(at).astype(heads.dtype)
        if self.global_pool:
            return self.back(np.broadcast_to(heads, (*heads.shape[:2], *at.size)), dy)
        return self.back(_spread(heads, at), dy)

    def _max(self, dy: Array, x: Array, at: Placed) -> Array:
        if not self.global_pool:
            return _max_grad(dy, x, at)
        dx = np.zeros((*x.shape[:2], prod(at.size)), dy.dtype)
        np.put_along_axis(dx, _global_top(x), dy.reshape(*x.shape[:2], 1), axis=2)
        return dx.reshape(x.shape)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, data: Any) -> Sequence[Any]:
        if self.pool_type == "max":
            return F._pool_pick(dy, data, **self.attributes()), None
        return F.Pooling(dy, **self.attributes()), None


@operator("_pool_pick")
class PoolPick(_Pool):
    """From each window of `values` the element where `data` has its maximum.

    Inputs:
        values: An array of data's shape.

    Returns:
        (N, C, *out), as Pooling gives it.

    ONNX: MaxPool and Gather.
    """

    saves: ClassVar[float] = 5.0
    inputs: ClassVar[tuple[str, ...]] = ("values", "data")

    def infer_inputs(self, values: Shape | None, data: Shape | None) -> Sequence[Shape | None]:
        return (values if data is None else data), (data if values is None else values)

    def infer_shape(self, values: Shape, data: Shape) -> Shape:
        return self.pooled(data)

    def forward(self, values: Array, data: Array) -> Array:
        source, x, at = self.first(values), self.first(data), self.placed(data.shape)
        if not self.global_pool:
            return self.back(_max_pick(source, x, at), values)
        flat = source.reshape(*x.shape[:2], prod(at.size))
        y = np.take_along_axis(flat, _global_top(x), axis=2)
        return self.back(y.reshape(*x.shape[:2], *at.out), values)

    def gradient(self, F: Any, dy: Any, y: Any, values: Any, data: Any) -> Sequence[Any]:
        return F._pool_grad(dy, data, **self.attributes()), None
