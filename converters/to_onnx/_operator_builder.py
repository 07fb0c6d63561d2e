"""What opsets write differently, or ONNX writes awkwardly, in the form that lowerings use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from hybridonnx.dtypes import is_bfloat16

from ._nodes import Value

Ints: TypeAlias = Sequence[int] | Value
_float64 = np.dtype("float64")


class OperatorBuilder:
    """Mixin of `Graph`: operators whose arguments do not depend on the opset."""

    opset: int
    node: Callable[..., Any]
    const: Callable[..., Value]

    def Cast(self, x: Value, dtype: Any) -> Value:
        """`x` as `dtype`; `x` itself if it is that already."""
        if x.dtype == np.dtype(dtype):
            return x
        if x.constant is not None:
            return self.const(x.constant.astype(dtype))
        cast: Value = self.node("Cast", [x], attributes={"to": np.dtype(dtype)})
        return cast

    def Reshape(self, x: Value, shape: Ints, allowzero: int = 0) -> Value:
        """`x` in `shape`, which may hold one -1, and 0 for "as the input" (or with `allowzero` for none).

        Below opset 14 there is no `allowzero`: a size of 0 that only the run shows is then the input's.
        A shape that is a value, such as that of another value, holds sizes alone.
        """
        sizes = getattr(shape, "constant", None)
        if sizes is not None and 0 in sizes:
            return self.Full(shape, 0, x.dtype)
        attributes = {"allowzero": 1 if allowzero and self.opset >= 14 else None}
        return self.node("Reshape", [x, _ints(shape)], attributes=attributes)

    def Expand(self, x: Value, shape: Ints) -> Value:
        """`x` broadcast with `shape`."""
        return self.node("Expand", [x, _ints(shape)])

    def Tile(self, x: Value, repeats: Ints) -> Value:
        """`x` repeated along each axis."""
        return self.node("Tile", [x, _ints(repeats)])

    def Squeeze(self, x: Value, axes: Ints | None = None) -> Value:
        """`x` without `axes`, or without all axes of size 1; no axes at all leave it as it is."""
        if axes is None:
            return self.node("Squeeze", [x])
        return x if _none(axes) else self.node("Squeeze", [x, _ints(axes)])

    def Unsqueeze(self, x: Value, axes: Ints) -> Value:
        """`x` with new axes of size 1 at `axes` of the result."""
        return x if _none(axes) else self.node("Unsqueeze", [x, _ints(axes)])

    def Transpose(self, x: Value, perm: Sequence[int]) -> Value:
        """`x` with its axes in the order `perm`."""
        if list(perm) == list(range(len(perm))):
            return x
        return self.node("Transpose", [x], attributes={"perm": perm})

    def Concat(self, *inputs: Any, axis: int) -> Value:
        """The inputs one after the other along `axis`; lists are int64 constants."""
        if len(inputs) == 1 and not isinstance(inputs[0], list | tuple):
            return inputs[0]
        return self.node("Concat", list(inputs), attributes={"axis": axis})

    def Slice(
        self, x: Value, starts: Ints, ends: Ints, axes: Ints | None = None, steps: Ints | None = None
    ) -> Value:
        """`x[starts:ends:steps]` along `axes`, or the first ones."""
        optional = [None if i is None else _ints(i) for i in (axes, steps)]
        return self.node("Slice", [x, _ints(starts), _ints(ends), *optional])

    def Split(self, x: Value, parts: int | Sequence[int], axis: int = 0) -> tuple[Value, ...]:
        """`x` cut along `axis` into `parts` equal ones, or into parts of these sizes."""
        if isinstance(parts, int):
            if parts == 1:
                return (x,)
            if x.shape is not None and x.shape[axis] == 0:  # which ONNX Runtime takes for too small
                return self.Split(x, [0] * parts, axis)
            newer = {"num_outputs": parts} if self.opset >= 18 else {}
            return self.node("Split", [x], parts, {"axis": axis, **newer})
        sizes = list(parts)
        if len(sizes) == 1:
            return (x,)
        return self.node("Split", [x, sizes], len(sizes), {"axis": axis})

    def Pad(self, x: Value, pads: Ints, value: Any = 0.0, mode: str = "constant") -> Value:
        """`x` with `pads` before each axis, then after each, filled with `value` or by `mode`."""
        inputs = [x, _ints(pads)]
        if mode == "constant":
            fill = np.asarray(value, x.dtype) if isinstance(value, int | float) else value
            inputs.append(fill)
        return self.node("Pad", inputs, attributes={"mode": mode})

    def Clip(self, x: Value, min: Any = None, max: Any = None) -> Value:
        """`x` between `min` and `max`, each of them a number, a value or absent."""
        limits = [np.asarray(v, x.dtype) if isinstance(v, int | float) else v for v in (min, max)]
        return self.node("Clip", [x, *limits])

    def Where(self, condition: Any, x: Any, y: Any) -> Value:
        """`x` where the condition holds, else `y`; of bool by logic, as ONNX Runtime has no kernel for it."""
        if next(v for v in (x, y) if hasattr(v, "dtype")).dtype != np.bool_:
            return self.node("Where", [condition, x, y])
        chosen = self.node("And", [condition, x])
        return self.node("Or", [chosen, self.node("And", [self.node("Not", [condition]), y])])

    def TopK(
        self, x: Value, k: Any, axis: int = -1, largest: int = 1, sorted: int = 1
    ) -> tuple[Value, Value]:
        """The `k` largest (or smallest) along `axis`, and their int64 indices."""
        count = [k] if isinstance(k, int) else k
        if isinstance(count, list) and x.shape is not None and None not in x.shape:
            shape = [count[0] if i == axis % x.rank else d or 0 for i, d in enumerate(x.shape)]
            if 0 in shape:  # at which the process ended up to ONNX Runtime 1.25
                return self.Full(shape, 0, x.dtype), self.Full(shape, 0, np.int64)
        attributes = {"axis": axis, "largest": largest, "sorted": sorted}
        return self.node("TopK", [x, count], 2, attributes)

    def Full(self, shape: Ints, value: float, dtype: Any) -> Value:
        """An array of one value; it takes no room in the file, whatever its shape."""
        if is_bfloat16(np.dtype(dtype)):  # which the node gives from opset 20 on
            return self.Cast(self.Full(shape, value, np.float32), dtype)
        fill = np.array([value], dtype)
        return self.node("ConstantOfShape", [_ints(shape)], 1, {"value": fill})

    def Cos(self, x: Value) -> Value:
        """The cosine; in float64, of which ONNX Runtime 1.20 to 1.28 has no kernel, by the sine."""
        if x.dtype != _float64:
            return self.node("Cos", [x])
        half = self.node("Sin", [x * 0.5])
        return 1.0 - half * half * 2.0

    def Sigmoid(self, x: Value) -> Value:
        """The logistic function.

        In float64 as its formula: ONNX Runtime's node has the digits of 1 alone, and versions 1.20 to 1.28
        take it and a product with `x` for QuickGelu, of which they have no kernel for float64.
        """
        if x.dtype != _float64:
            return self.node("Sigmoid", [x])
        return self.node("Reciprocal", [self.node("Exp", [-x]) + 1.0])

    def ReduceSum(self, x: Value, axes: Sequence[int] | None = None, keepdims: int = 1) -> Value:
        """The sum over `axes`, or over all if `None`."""
        return self._reduce("ReduceSum", x, axes, keepdims, 13)

    def ReduceMean(self, x: Value, axes: Sequence[int] | None = None, keepdims: int = 1) -> Value:
        """The mean over `axes`, or over all if `None`."""
        return self._reduce("ReduceMean", x, axes, keepdims)

    def ReduceMax(self, x: Value, axes: Sequence[int] | None = None, keepdims: int = 1) -> Value:
        """The maximum over `axes`, or over all if `None`."""
        return self._reduce("ReduceMax", x, axes, keepdims)

    def ReduceMin(self, x: Value, axes: Sequence[int] | None = None, keepdims: int = 1) -> Value:
        """The minimum over `axes`, or over all if `None`."""
        return self._reduce("ReduceMin", x, axes, keepdims)

    def ReduceProd(self, x: Value, axes: Sequence[int] | None = None, keepdims: int = 1) -> Value:
        """The product over `axes`, or over all if `None`."""
        return self._reduce("ReduceProd", x, axes, keepdims)

    def ReduceL1(self, x: Value, axes: Sequence[int] | None = None, keepdims: int = 1) -> Value:
        """The sum of absolute values over `axes`, or over all if `None`."""
        return self._reduce("ReduceL1", x, axes, keepdims)

    def ReduceL2(self, x: Value, axes: Sequence[int] | None = None, keepdims: int = 1) -> Value:
        """The square root of the sum of squares over `axes`, or over all if `None`."""
        return self._reduce("ReduceL2", x, axes, keepdims)

    def ReduceSumSquare(self, x: Value, axes: Sequence[int] | None = None, keepdims: int = 1) -> Value:
        """The sum of squares over `axes`, or over all if `None`."""
        return self._reduce("ReduceSumSquare", x, axes, keepdims)

    def ReduceLogSum(self, x: Value, axes: Sequence[int] | None = None, keepdims: int = 1) -> Value:
        """The logarithm of the sum over `axes`, or over all if `None`."""
        return self._reduce("ReduceLogSum", x, axes, keepdims)

    def ReduceLogSumExp(self, x: Value, axes: Sequence[int] | None = None, keepdims: int = 1) -> Value:
        """The logarithm of the sum of exponentials over `axes`, or over all if `None`."""
        return self._reduce("ReduceLogSumExp", x, axes, keepdims)

    def _reduce(
        self, op_type: str, x: Value, axes: Sequence[int] | None, keepdims: int, since: int = 18
    ) -> Value:
        """A reduction; from opset `since` on the axes are an input, before they are an attribute."""
        if axes is not None and not len(axes):  # ONNX takes this for all axes
            return self._reduce(op_type, self.Unsqueeze(x, [0]), [0], 0, since)
        keep = {"keepdims": int(keepdims)}
        if axes is None:
            return self.node(op_type, [x], 1, keep)
        if x.shape is not None:  # ONNX Runtime mistakes negative ones where x has no elements
            axes = [axis % len(x.shape) for axis in axes]
        if self.opset >= since:
            return self.node(op_type, [x, list(axes)], 1, keep)
        return self.node(op_type, [x], 1, {"axes": tuple(axes), **keep})


def _ints(value: Any) -> Any:
    """Integers as a list, which becomes an int64 constant; values and arrays as they are."""
    if isinstance(value, np.ndarray):
        return value.astype(np.int64)
    return [int(v) for v in value] if isinstance(value, list | tuple | range) else value


def _none(axes: Any) -> bool:
    return isinstance(axes, list | tuple) and not axes
