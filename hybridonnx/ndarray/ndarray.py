"""The array: a NumPy array with a context, a place on the tape, and MXNet's methods."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ..autograd import Leaf, backward, state
from ..context import Context, as_context
from ..dtypes import DType, as_dtype
from ..errors import MXNetError
from ..ops._registry import Array
from ._namespace import F as _F


class NDArray:
    """An array of one dtype on one context."""

    __slots__ = ("__weakref__", "_ctx", "_data", "_entry", "_leaf")

    F: ClassVar[Any] = _F
    __array_priority__: ClassVar[float] = 1000.0
    stype: ClassVar[str] = "default"

    _data: Array
    _ctx: Context
    _entry: Any
    _leaf: Leaf | None

    def __init__(self, data: Array, ctx: Context | None = None) -> None:
        self._data = data
        self._ctx = as_context(ctx)
        self._entry = None
        self._leaf = None

    @classmethod
    def _on_tape(cls, data: Array, ctx: Context, entry: Any) -> Self:
        """An array over `data` itself, at the place `entry` of the tape."""
        made = cls.__new__(cls)
        made._data = data
        made._ctx = ctx
        made._entry = entry
        made._leaf = None
        return made

    # ---- what it is

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return self._data.shape

    @property
    def dtype(self) -> type[Any]:
        """The element type, as NumPy's scalar type."""
        kind: type[Any] = self._data.dtype.type
        return kind

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._data.size

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._data.ndim

    @property
    def context(self) -> Context:
        """The device that the array lives on."""
        return self._ctx

    ctx = context

    # ---- its values elsewhere

    def asnumpy(self) -> Array:
        """A copy as a NumPy array."""
        return self._data.copy()

    def copy(self) -> NDArray:
        """A copy."""
        copied: NDArray = _F._copy(self)
        return copied

    def astype(self, dtype: Any, copy: bool = True) -> NDArray:
        """The values as another dtype; the array itself if it has it already and `copy` is false."""
        wanted: DType = as_dtype(dtype)
        if not copy and wanted == self._data.dtype:
            return self
        cast: NDArray = _F.Cast(self, dtype=wanted.name)
        return cast

    # ---- gradients

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Make the array a variable with a zero gradient, no longer the result of what was recorded."""
        leaf = Leaf(NDArray(np.zeros_like(self._data), self._ctx), grad_req)
        self._leaf = leaf
        self._entry = None if grad_req == "null" else (leaf, 0)

    @property
    def grad(self) -> NDArray | None:
        """The gradient, if `attach_grad` was called."""
        return None if self._leaf is None else self._leaf.grad

    def detach(self) -> NDArray:
        """The same values, sharing memory, cut off from the tape."""
        return NDArray._on_tape(self._data, self._ctx, None)

    def backward(
        self, out_grad: NDArray | None = None, retain_graph: bool = False, train_mode: bool = True
    ) -> None:
        """Differentiate this array, and write the gradients of the variables that it depends on."""
        backward([self], [out_grad], retain_graph, train_mode)

    # ---- arithmetic

    def _in_place(self, result: NDArray) -> NDArray:
        if state.recording and self._entry is not None:
            raise MXNetError(
                "Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd. "
                "Compute a new array, or use autograd.pause()."
            )
        if result.shape != self.shape:
            raise MXNetError(
                f"in-place arithmetic: a result of shape {self.shape} is required, got {result.shape}."
            )
        self._data[...] = result._data
        return self

    def __neg__(self) -> NDArray:
        return _arithmetic(self, -1.0, "broadcast_mul", "_mul_scalar")

    def __abs__(self) -> NDArray:
        found: NDArray = _F.abs(self)
        return found

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError("The truth value of an NDArray with several elements is ambiguous.")
        return bool(self._data.reshape(-1)[0])

    __hash__ = object.__hash__


def _arithmetic(lhs: NDArray, rhs: Any, name: str, scalar_name: str) -> NDArray:
    """`lhs` and an array by operator `name`, or a number by `scalar_name`."""
    result: NDArray
    if isinstance(rhs, NDArray):
        result = getattr(_F, name)(lhs, rhs)
    elif isinstance(rhs, bool | int | float | np.number | np.bool_):
        result = getattr(_F, scalar_name)(lhs, scalar=rhs)
    elif isinstance(rhs, np.ndarray | list | tuple):
        result = getattr(_F, name)(lhs, NDArray(np.asarray(rhs, lhs._data.dtype, order="C"), lhs._ctx))
    else:
        result = NotImplemented
    return result


def _operator(name: str, scalar_name: str) -> Any:
    def method(self: NDArray, other: Any) -> NDArray:
        return _arithmetic(self, other, name, scalar_name)

    return method


def _in_place_operator(name: str, scalar_name: str) -> Any:
    def method(self: NDArray, other: Any) -> NDArray:
        return self._in_place(_arithmetic(self, other, name, scalar_name))

    return method


_OPERATORS = {
    "add": ("broadcast_add", "_plus_scalar", "_plus_scalar"),
    "sub": ("broadcast_sub", "_minus_scalar", "_rminus_scalar"),
    "mul": ("broadcast_mul", "_mul_scalar", "_mul_scalar"),
    "truediv": ("broadcast_div", "_div_scalar", "_rdiv_scalar"),
    "mod": ("broadcast_mod", "_mod_scalar", "_rmod_scalar"),
    "pow": ("broadcast_power", "_power_scalar", "_rpower_scalar"),
}
_COMPARISONS = {
    "eq": ("broadcast_equal", "_equal_scalar"),
    "ne": ("broadcast_not_equal", "_not_equal_scalar"),
    "gt": ("broadcast_greater", "_greater_scalar"),
    "ge": ("broadcast_greater_equal", "_greater_equal_scalar"),
    "lt": ("broadcast_lesser", "_lesser_scalar"),
    "le": ("broadcast_lesser_equal", "_lesser_equal_scalar"),
}
for _name, (_array, _scalar, _reversed) in _OPERATORS.items():
    setattr(NDArray, f"__{_name}__", _operator(_array, _scalar))
    setattr(NDArray, f"__r{_name}__", _operator(_array, _reversed))
    setattr(NDArray, f"__i{_name}__", _in_place_operator(_array, _scalar))
for _name, (_array, _scalar) in _COMPARISONS.items():
    setattr(NDArray, f"__{_name}__", _operator(_array, _scalar))
