"""Imports of reductions and of Expand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hybridonnx.dtypes import is_floating
from hybridonnx.errors import ConversionError
from hybridonnx.ops import same, show

from ._registry import Const, Operand, imports
from ._sized import repeated, widened

Reduce = Callable[..., Any]

SUBGRADIENT = {"__subgradient__": "True"}
"""The gradient that PyTorch and other frameworks have where there is none, where MXNet has another."""


def _sum(F: Any, x: Any, **over: Any) -> Any:
    return F.sum(x, **over)


def _mean(F: Any, x: Any, **over: Any) -> Any:
    return _in_float64(F, x, lambda wide: F.mean(wide, **over))


def _max(F: Any, x: Any, **over: Any) -> Any:
    return _extreme(F, x, F.max, -1, over)


def _min(F: Any, x: Any, **over: Any) -> Any:
    return _extreme(F, x, F.min, 1, over)


def _extreme(F: Any, x: Any, reduce: Reduce, sign: int, over: dict[str, Any]) -> Any:
    """A maximum or minimum; of nothing the least or the largest number, which MXNet's refuse to give."""
    _require_elements(F, x, over["axis"])
    dtype = F.dtype(x)
    if dtype == np.bool_:
        return F.Cast(_extreme(F, F.Cast(x, dtype="uint8"), reduce, sign, over), dtype="bool")
    if not _is_of_nothing(F, x, over["axis"]):
        return reduce(x, **over, **SUBGRADIENT)
    zeros = F.sum(x, **over)
    if dtype is None or is_floating(dtype):
        return zeros + sign * math.inf
    least = zeros + float(np.iinfo(dtype).min)  # float64, which attributes are, holds it of any dtype
    if sign < 0:
        return least
    if dtype.kind == "i":
        return -1.0 - least
    if dtype.itemsize > 4:
        raise ConversionError(f"ReduceMin: an axis of size 1 or more is required for {dtype.name}, got 0.")
    return zeros + float(np.iinfo(dtype).max)


def _require_elements(F: Any, x: Any, axes: tuple[int, ...] | None) -> None:
    """Leave to ONNX's own node what may be of nothing: as many elements as there are of some values."""
    dims = F.dims(x)
    reduced = () if dims is None else dims if axes is None else tuple(dims[i] for i in axes)
    if any(map(F.depends_on_values, reduced)):
        raise ConversionError(
            f"sizes that follow from the inputs' are required to take an extreme over, got {show(reduced)}."
        )


def _is_of_nothing(F: Any, x: Any, axes: tuple[int, ...] | None) -> bool:
    """Whether a size of 0 is reduced."""
    shape = F.shape(x)
    return shape is not None and any(shape[i] == 0 for i in (range(len(shape)) if axes is None else axes))


def _in_float64(F: Any, x: Any, function: Callable[[Any], Any]) -> Any:
    """A function of real numbers, cut off to an integer for integers."""
    dtype = F.dtype(x)
    if dtype is None or dtype.kind == "f":
        return function(x)
    return F.Cast(function(F.Cast(x, dtype="float64")), dtype=dtype.name)


def _prod(F: Any, x: Any, **over: Any) -> Any:
    return F.prod(x, **over)


def _l1(F: Any, x: Any, **over: Any) -> Any:
    return F.sum(F.abs(x), **over)


def _l2(F: Any, x: Any, **over: Any) -> Any:
    return _in_float64(F, x, lambda wide: F.norm(wide, ord=2, **over, **SUBGRADIENT))


def _sum_square(F: Any, x: Any, **over: Any) -> Any:
    return F.sum(F.square(x), **over)


def _log_sum(F: Any, x: Any, **over: Any) -> Any:
    return _in_float64(F, x, lambda wide: F.log(F.sum(wide, **over)))


def _log_sum_exp(F: Any, x: Any, **over: Any) -> Any:
    return _in_float64(F, x, lambda wide: _shifted_log_sum_exp(F, wide, over))


def _shifted_log_sum_exp(F: Any, x: Any, over: dict[str, Any]) -> Any:
    """With the largest taken out, so that no exponential is infinite; an infinite one stays where it is."""
    _require_elements(F, x, over["axis"])
    if _is_of_nothing(F, x, over["axis"]):
        return F.log(F.sum(F.exp(x), **over))
    limit = float(np.finfo(F.dtype(x) or np.float32).max)

    def largest(keepdims: bool) -> Any:
        top = F.max(x, axis=over["axis"], keepdims=keepdims)
        return F.clip(top, a_min=-limit, a_max=limit)

    return F.log(F.sum(F.exp(F.broadcast_sub(x, largest(True))), **over)) + largest(over["keepdims"])


_REDUCTIONS: dict[str, tuple[Reduce, tuple[int, ...], tuple[int, ...]]] = {
    "ReduceSum": (_sum, (1, 11), (13,)),
    "ReduceMean": (_mean, (1, 11, 13), (18,)),
    "ReduceMax": (_max, (1, 11, 12, 13), (18, 20)),
    "ReduceMin": (_min, (1, 11, 12, 13), (18, 20)),
    "ReduceProd": (_prod, (1, 11, 13), (18,)),
    "ReduceL1": (_l1, (1, 11, 13), (18,)),
    "ReduceL2": (_l2, (1, 11, 13), (18,)),
    "ReduceSumSquare": (_sum_square, (1, 11, 13), (18,)),
    "ReduceLogSum": (_log_sum, (1, 11, 13), (18, 28)),
    "ReduceLogSumExp": (_log_sum_exp, (1, 11, 13), (18, 28)),
}
"""The function, the versions with the axes as an attribute, and those with the axes as an input."""


def _same(F: Any, x: Any) -> Any:
    return x


_WITHOUT_AXES: dict[Reduce, Reduce] = {
    _l1: lambda F, x: F.abs(x),
    _l2: lambda F, x: F.abs(x),
    _sum_square: lambda F, x: F.square(x),
    _log_sum: lambda F, x: F.log(x),
}
"""What is left of a reduction over no axes at all."""


def _reduction(
    onnx_type: str, function: Reduce, by_attribute: tuple[int, ...], by_input: tuple[int, ...]
) -> None:
    def reduced(F: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
        if not axes and not keepdims:
            F.rank(x)  # must be known: MXNet's result has an axis, unlike ONNX's
        return function(F, x, axis=axes or None, keepdims=keepdims)

    @imports(onnx_type, versions=by_attribute)
    def with_attribute(F: Any, x: Any, *, axes: tuple[int, ...] = (), keepdims: int = 1) -> Any:
        return reduced(F, x, tuple(axes), bool(keepdims))

    @imports(onnx_type, versions=by_input)
    def with_input(
        F: Any, x: Any, axes: Const = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
    ) -> Any:
        chosen = () if axes is None else tuple(int(axis) for axis in np.ravel(axes))
        if not chosen and noop_with_empty_axes:
            left: Reduce = _WITHOUT_AXES.get(function, _same)
            return left(F, x)
        return reduced(F, x, chosen, bool(keepdims))


for _type, (_function, _by_attribute, _by_input) in _REDUCTIONS.items():
    _reduction(_type, _function, _by_attribute, _by_input)


# ---- indices of extremes


@imports("ArgMax", versions=(1, 11, 12, 13))
def argmax(F: Any, x: Any, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Any:
    """MXNet gives the index in the dtype of the input, ONNX in int64."""
    return _index(F, x, "argmax", axis, bool(keepdims), bool(select_last_index))


@imports("ArgMin", versions=(1, 11, 12, 13))
def argmin(F: Any, x: Any, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Any:
    """MXNet gives the index in the dtype of the input, ONNX in int64."""
    return _index(F, x, "argmin", axis, bool(keepdims), bool(select_last_index))


def _index(F: Any, x: Any, name: str, axis: int, keepdims: bool, last: bool) -> Any:
    dtype = F.dtype(x)
    if dtype is not None and dtype.name in ("float16", "int8", "uint8"):  # they cannot hold the index
        x = F.Cast(x, dtype="float32")
    if not last:
        return F.Cast(getattr(F, name)(x, axis=axis, keepdims=keepdims), dtype="int64")
    shape = F.shape(x)
    size = None if shape is None else shape[axis]
    if size is None:
        raise ConversionError(
            f"{name}: a known size of axis {axis} is required for select_last_index, got {shape}. "
            "Give the inputs' shapes in the model."
        )
    from_end = getattr(F, name)(F.reverse(x, axis=(axis % F.rank(x),)), axis=axis, keepdims=keepdims)
    return F.Cast(size - 1 - from_end, dtype="int64")


# ---- broadcasting


@imports("Expand", versions=(8, 13))
def expand(F: Any, x: Any, shape: Operand) -> Any:
    """ONNX adds axes in front as well, and a size of 1 asks for nothing."""
    x, own = widened(F, x, len(shape))
    asked = (*(1,) * (len(own) - len(shape)), *shape)
    target = [d if same(size, 1) or _is_wide(d) else size for d, size in zip(own, asked, strict=True)]
    return repeated(F, x, own, target)


def _is_wide(size: Any) -> bool:
    """Whether an axis is of a size that nothing but itself and 1 fits."""
    return isinstance(size, int) and size > 1
