"""Shapes of results that depend on values, such as Reshape's, from what is known of these values.

ONNX gives made-up names to such sizes; here they are expressions of the inputs' sizes wherever these say so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import TypeAlias

import numpy as np

from hybridonnx.errors import MXNetError
from hybridonnx.ops import SymbolicDim, UndecidedError, positive_part, same, smaller

from ._vectors import Call, Element, Size, exact, registering

Sizes: TypeAlias = tuple[Size | None, ...]
_Rule: TypeAlias = Callable[[Call], "Sequence[Sizes | None] | None"]
_RULES: dict[str, _Rule] = {}
_NEVER_FAR = 1 << 31
"""Limits from here on are beyond either end of any axis."""


_rule = registering(_RULES)


def depends_on_values(op_type: str) -> bool:
    """Whether the shape of an operator's result follows from values that are followed."""
    return op_type in _RULES


def result_sizes(call: Call) -> Sequence[Sizes | None]:
    """What follows of the shapes of a node's outputs."""
    try:
        return _RULES[call.node.op_type](call) or ()
    except (ArithmeticError, LookupError, TypeError, ValueError, MXNetError):
        return ()


def as_size(value: Element) -> Size | None:
    """An element as a size, `None` if it is none."""
    if isinstance(value, SymbolicDim):
        return value if value.least >= 0 else None
    return value if isinstance(value, int) and value >= 0 else None


def total(sizes: Sequence[Size | None]) -> Size | None:
    """The product of sizes; `None` if one is unknown."""
    product: Size = 1
    for size in sizes:
        if size is None:
            return None
        product = product * size
    return product


def _exact_quotient(dividend: Size | None, divisor: Size | None) -> Size | None:
    if dividend is None or divisor is None or same(divisor, 0):
        return None
    quotient = dividend // divisor
    return quotient if same(quotient * divisor, dividend) else None


# ---- targets that are inputs


def reshaped(dims: Sizes | None, items: Sequence[Element], zero_is_size: bool = False) -> Sizes:
    """The sizes of a reshaped value: an element of -1, or a single unknown one, follows from the others."""
    target: list[Size | None] = []
    for i, item in enumerate(items):
        if isinstance(item, int) and item == 0 and not zero_is_size:
            target.append(None if dims is None or i >= len(dims) else dims[i])
        else:
            target.append(as_size(item))
    unknown = [i for i, size in enumerate(target) if size is None]
    if len(unknown) == 1 and dims is not None:
        rest = [size for size in target if size is not None]
        target[unknown[0]] = _exact_quotient(total(dims), total(rest))
    return tuple(target)


@_rule("Reshape")
def _reshape(call: Call) -> Sequence[Sizes] | None:
    vector = call.vector(1)
    if vector is None:
        return None
    return [reshaped(call.dims[0], vector.items, bool(call.attribute("allowzero", 0)))]


def broadcast(a: Size | None, b: Size | None) -> Size | None:
    """The size of an axis that two sizes broadcast to, where it is one for all sizes."""
    if a is None or b is None:
        known = b if a is None else a
        return known if isinstance(known, int) and known != 1 else None
    if same(a, b) or same(b, 1):
        return a
    if same(a, 1):
        return b
    ints = [size for size in (a, b) if isinstance(size, int)]
    return ints[0] if ints else None


@_rule("Expand")
def _expand(call: Call) -> Sequence[Sizes] | None:
    dims, vector = call.dims[0], call.vector(1)
    if dims is None or vector is None:
        return None
    pairs = zip_longest(reversed(dims), map(as_size, reversed(vector.items)), fillvalue=1)
    return [tuple(broadcast(a, b) for a, b in pairs)[::-1]]


@_rule("ConstantOfShape")
def _constant_of_shape(call: Call) -> Sequence[Sizes] | None:
    vector = call.vector(0)
    return None if vector is None else [tuple(map(as_size, vector.items))]


@_rule("Range")
def _range(call: Call) -> Sequence[Sizes] | None:
    first, last, step = (None if v is None else v.items[0] for v in map(call.vector, range(3)))
    length = range_length(first, last, step)
    return None if length is None else [(length,)]


def range_length(first: Element, last: Element, step: Element) -> Size | None:
    """How many integers there are from `first` on before `last`."""
    first, last, step = map(exact, (first, last, step))
    if not isinstance(first, int | SymbolicDim) or not isinstance(last, int | SymbolicDim):
        return None
    if not isinstance(step, int) or step == 0:
        return None
    return _steps(last - first if step > 0 else first - last, abs(step))


def _steps(span: Size, step: int) -> Size:
    """How many steps fit into a span, the first at its beginning."""
    return positive_part((span + step - 1) // step)


@_rule("Tile")
def _tile(call: Call) -> Sequence[Sizes] | None:
    dims, vector = call.dims[0], call.vector(1)
    if dims is None or vector is None:
        return None
    return [tuple(total((d, as_size(r))) for d, r in zip(dims, vector.items, strict=True))]


# ---- parts


def position(place: Element, size: Size | None) -> Size | None:
    """Where a slice begins or ends, as a number from 0 to the size."""
    if not isinstance(place, int | SymbolicDim) or size is None:
        return 0 if isinstance(place, int) and place == 0 else None
    if isinstance(place, int) and abs(place) >= _NEVER_FAR:
        return size if place > 0 else 0
    low = place if isinstance(place, int) else place.least
    high = place if isinstance(place, int) else place.most
    if low >= 0:
        return smaller(place, size)
    if high < 0:
        return positive_part(place + size)
    return None


@_rule("Slice")
def _slice(call: Call) -> Sequence[Sizes] | None:
    dims = call.dims[0]
    if dims is None or call.opset < 10:
        return None
    starts, ends = call.vector(1), call.vector(2)
    if starts is None or ends is None:
        return None
    count = len(starts.items)
    axes = call.numbers(3) if call.has(3) else list(range(count))
    steps = call.numbers(4) if call.has(4) else [1] * count
    if axes is None or steps is None:
        return None
    result = list(dims)
    for axis, start, end, step in zip(axes, starts.items, ends.items, steps, strict=True):
        result[axis] = _sliced(dims[axis], start, end, step)
    return [tuple(result)]


def _sliced(size: Size | None, start: Element, end: Element, step: int) -> Size | None:
    if step < 1:
        return None
    try:
        first, last = position(start, size), position(end, size)
        return None if first is None or last is None else _steps(last - first, step)
    except UndecidedError:
        return None


@_rule("Split")
def _split(call: Call) -> Sequence[Sizes] | None:
    dims, count = call.dims[0], len(call.node.output)
    if dims is None:
        return None
    axis = call.attribute("axis", 0)
    size, vector = dims[axis], call.vector(1)
    parts: Sequence[Size | None]
    if vector is not None:
        parts = list(map(as_size, vector.items))
    elif size is None or call.has(1) or call.attribute("split") is not None:
        return None
    elif call.opset >= 18:
        each = -(-size // count)
        parts = [*[each] * (count - 1), as_size(size - each * (count - 1))]
    else:
        parts = [_exact_quotient(size, count) or size // count] * count
    axis %= len(dims)
    return [(*dims[:axis], part, *dims[axis + 1 :]) for part in parts]


# ---- sums and quotients


@_rule("Concat")
def _concat(call: Call) -> Sequence[Sizes] | None:
    dims = [d for d in call.dims if d is not None]
    if len(dims) < len(call.dims):
        return None
    axis = call.attribute("axis") % len(dims[0])
    parts = [d[axis] for d in dims]
    length = None if None in parts else sum(part for part in parts if part is not None)
    columns = zip(*dims, strict=True)
    result = [next((d for d in column if isinstance(d, int)), column[0]) for column in columns]
    return [(*result[:axis], length, *result[axis + 1 :])]


@_rule("Flatten")
def _flatten(call: Call) -> Sequence[Sizes] | None:
    dims, axis = call.dims[0], call.attribute("axis", 1)
    return None if dims is None else [(total(dims[:axis]), total(dims[axis:]))]


@_rule("Conv", "MaxPool", "AveragePool", "LpPool")
def _windows(call: Call) -> Sequence[Sizes] | None:
    dims = call.dims[0]
    is_conv = call.node.op_type == "Conv"
    weight = call.dims[1] if is_conv else None
    if (
        dims is None
        or (is_conv and weight is None)
        or call.attribute("auto_pad", b"NOTSET") != b"NOTSET"
        or call.attribute("ceil_mode", 0)
    ):
        return None
    spatial = dims[2:]
    N = len(spatial)
    kernel = call.attribute("kernel_shape") or (None if weight is None else weight[2:])
    strides, dilations = (call.attribute(name) or [1] * N for name in ("strides", "dilations"))
    pads = call.attribute("pads") or [0] * (2 * N)
    if kernel is None or None in kernel or None in spatial:
        return None
    channels = dims[1] if weight is None else weight[0]
    sizes = [
        (d + a + b - (k - 1) * dilation - 1) // stride + 1
        for d, k, stride, dilation, a, b in zip(
            spatial, kernel, strides, dilations, pads[:N], pads[N:], strict=True
        )
    ]
    result = (dims[0], channels, *sizes)
    return [result] * len(call.node.output)


@_rule("ConvTranspose")
def _transposed_windows(call: Call) -> Sequence[Sizes] | None:
    dims, weight = call.dims[:2]
    auto = call.attribute("auto_pad", b"NOTSET") != b"NOTSET" or call.attribute("output_shape") is not None
    if dims is None or weight is None or auto or None in (*dims[2:], *weight[1:]):
        return None
    N = len(dims) - 2
    strides, dilations = (call.attribute(name) or [1] * N for name in ("strides", "dilations"))
    pads, more = call.attribute("pads") or [0] * (2 * N), call.attribute("output_padding") or [0] * N
    sizes = [
        (d - 1) * stride + (k - 1) * dilation + 1 + extra - a - b
        for d, k, stride, dilation, extra, a, b in zip(
            dims[2:], weight[2:], strides, dilations, more, pads[:N], pads[N:], strict=True
        )
    ]
    return [(dims[0], total((weight[1], call.attribute("group", 1))), *sizes)]


# ---- more, and others


@_rule("Pad")
def _pad(call: Call) -> Sequence[Sizes] | None:
    dims, vector = call.dims[0], call.vector(1)
    if dims is None or vector is None:
        return None
    axes = call.numbers(3) if call.has(3) else list(range(len(dims)))
    if axes is None:
        return None
    result, half = list(dims), len(vector.items) // 2
    for axis, before, after in zip(axes, vector.items[:half], vector.items[half:], strict=True):
        whole = isinstance(before, int | SymbolicDim) and isinstance(after, int | SymbolicDim)
        size = dims[axis]
        result[axis] = as_size(size + before + after) if whole and size is not None else None  # type: ignore[operator]
    return [tuple(result)]


@_rule("Resize", "Upsample")
def _resize(call: Call) -> Sequence[Sizes] | None:
    dims, policy = call.dims[0], call.attribute("keep_aspect_ratio_policy", b"stretch")
    if dims is None or policy != b"stretch":
        return None
    at = 1 if call.node.op_type == "Upsample" or call.opset < 11 else 2
    axes = [axis % len(dims) for axis in call.attribute("axes", range(len(dims)))]
    scales, sizes = call.vector(at), call.vector(3)
    result = list(dims)
    if sizes is not None and sizes.items:
        for axis, item in zip(axes, sizes.items, strict=True):
            result[axis] = as_size(item)
    elif (
        scales is not None
        and scales.items
        and call.attribute("coordinate_transformation_mode") != b"tf_crop_and_resize"
    ):
        for axis, item in zip(axes, scales.items, strict=True):
            result[axis] = scaled(dims[axis], item)
    else:
        return None
    return [tuple(result)]


def scaled(size: Size | None, scale: Element) -> Size | None:
    """A size times a scale, rounded down."""
    if size is None or not isinstance(scale, int | float) or scale <= 0:
        return None
    if isinstance(size, int):
        return int(np.float32(size) * np.float32(scale))
    if float(scale).is_integer():
        return size * int(scale)
    part = 1 / scale
    return size // int(part) if part.is_integer() and int(part) & (int(part) - 1) == 0 else None


@_rule("AffineGrid")
def _grid(call: Call) -> Sequence[Sizes] | None:
    vector = call.vector(1)
    if vector is None:
        return None
    sizes = tuple(map(as_size, vector.items))
    return [(sizes[0], *sizes[2:], len(sizes) - 2)]


@_rule("TopK")
def _top(call: Call) -> Sequence[Sizes] | None:
    dims, vector = call.dims[0], call.vector(1)
    if dims is None or vector is None:
        return None
    axis = call.attribute("axis", -1) % len(dims)
    sizes = (*dims[:axis], as_size(vector.items[0]), *dims[axis + 1 :])
    return [sizes, sizes]


@_rule("OneHot")
def _one_hot(call: Call) -> Sequence[Sizes] | None:
    dims, vector = call.dims[0], call.vector(1)
    if dims is None or vector is None:
        return None
    axis = call.attribute("axis", -1) % (len(dims) + 1)
    return [(*dims[:axis], as_size(vector.items[0]), *dims[axis:])]
