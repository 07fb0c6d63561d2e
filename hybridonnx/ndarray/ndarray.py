"""The array: a NumPy array with a context, a place on the tape, and MXNet's methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any, ClassVar, Self

import numpy as np

from ..autograd import Leaf, backward, state
from ..context import Context, as_context
from ..dtypes import DType, as_dtype
from ..errors import MXNetError, ShapeError
from ..ops._registry import Array, Operator, find
from ._methods import FLUENT
from ._namespace import F as _F
from ._watch import written


def _indexing() -> ModuleType:
    """The module of `get` and `put`, which imports this one."""
    from . import _indexing as module

    return module


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

    def __len__(self) -> int:
        return len(self._data)

    def __iter__(self) -> Iterator[NDArray]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"\n{self._data}\n<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self._ctx}>"

    # ---- parts of it

    def __getitem__(self, key: Any) -> NDArray:
        found: NDArray = _indexing().get(self, key)
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        _indexing().put(self, key, value)

    def reshape(self, *shape: Any, **kwargs: Any) -> NDArray:
        """The same memory in another shape; the codes 0, -1, -2, -3, -4 are the operator's, `Reshape`."""
        wanted = kwargs.pop("shape", shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape)
        reverse = kwargs.pop("reverse", False)
        if kwargs or (not shape and not isinstance(wanted, list | tuple)):
            raise TypeError(f"reshape: takes a shape and reverse, got {kwargs or shape!r}.")
        reshaped: NDArray = _F.Reshape(self, shape=tuple(wanted), reverse=reverse)
        return self._sharing(reshaped)

    def reshape_view(self, *shape: Any) -> NDArray:
        """The same as `reshape`."""
        return self.reshape(*shape)

    def reshape_like(self, rhs: NDArray, **kwargs: Any) -> NDArray:
        """The same memory in the shape of another array."""
        reshaped: NDArray = _F.reshape_like(self, rhs, **kwargs)
        return self._sharing(reshaped)

    def _sharing(self, reshaped: NDArray) -> NDArray:
        reshaped._data = self._data.reshape(reshaped._data.shape)
        return reshaped

    @property
    def T(self) -> NDArray:
        """A copy with the axes in reverse order."""
        turned: NDArray = _F.transpose(self)
        return turned

    def slice_assign(self, rhs: NDArray, begin: Any, end: Any, step: Any = None) -> NDArray:
        """A copy in which the region from `begin` to `end` is `rhs`."""
        assigned: NDArray = _F._slice_assign(self, rhs, begin=begin, end=end, step=step or ())
        return assigned

    # ---- its values elsewhere

    def asnumpy(self) -> Array:
        """A copy as a NumPy array."""
        return self._data.copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self._data.astype(dtype or self._data.dtype)

    def asscalar(self) -> Any:
        """The only element, as a NumPy number. Raises `ValueError` if there are several."""
        if self.size != 1:
            raise ValueError(f"The current array is not a scalar: it has shape {self.shape}.")
        return self._data.reshape(-1)[0]

    def item(self) -> Any:
        """The only element, as a Python number."""
        return self.asscalar().item()

    def wait_to_read(self) -> None:
        """Nothing: the values are there as soon as the array is."""

    wait_to_write = wait_to_read

    def copyto(self, other: NDArray | Context) -> NDArray:
        """Copy into another array, or into a new one on a context."""
        if isinstance(other, Context):
            return NDArray(self._data.copy(), other)
        if other is self:
            raise MXNetError("copyto: another array than the source itself is required.")
        if not isinstance(other, NDArray):
            raise TypeError(f"copyto: an NDArray or a Context is required, got {type(other).__name__}.")
        if other.shape != self.shape:
            raise ShapeError(f"copyto: a target of shape {self.shape} is required, got {other.shape}.")
        other._data[...] = self._data
        written(other._data)
        return other

    def as_in_context(self, context: Context) -> NDArray:
        """The array itself if it lives on `context`, else a copy there."""
        return self if self._ctx == context else self.copyto(context)

    as_in_ctx = as_in_context

    def tostype(self, stype: str) -> NDArray:
        """The array itself for 'default', or a copy of another storage type: 'csr' or 'row_sparse'."""
        if stype == "default":
            return self
        from .sparse import cast_storage  # which imports this module

        return cast_storage(self._data, stype, self._ctx)

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

    @property
    def _fresh_grad(self) -> bool:
        """Whether the gradient was written since an update used it."""
        return self._leaf is not None and self._leaf.fresh

    @_fresh_grad.setter
    def _fresh_grad(self, fresh: bool) -> None:
        if self._leaf is not None:
            self._leaf.fresh = fresh

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
        written(self._data)
        return self

    def __neg__(self) -> NDArray:
        negated: NDArray = _F.negative(self)
        return negated

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
    from ._invoke import invoke  # which imports this module

    result: NDArray
    if isinstance(rhs, NDArray):
        result = invoke(_made(name), (lhs, rhs))
    elif isinstance(rhs, bool | int | float | np.number | np.bool_):
        result = invoke(find(scalar_name).make({"scalar": rhs}), (lhs,))
    else:
        raise TypeError(f"type {type(rhs)} not supported: an NDArray or a number is required; see nd.array.")
    return result


@cache
def _made(name: str) -> Operator:
    """The operator without attributes called `name`."""
    return find(name).make({})


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


def _method(name: str) -> Callable[..., Any]:
    def method(self: NDArray, *args: Any, **kwargs: Any) -> Any:
        return getattr(_F, name)(self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"The operator `{name}` on this array."
    return method


for _name in FLUENT:
    setattr(NDArray, _name, _method(_name))
