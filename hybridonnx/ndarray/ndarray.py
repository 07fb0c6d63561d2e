"""The array: a NumPy array with a context, a place on the tape, and MXNet's methods."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from types import ModuleType
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from ..autograd.gradients import backward
from ..autograd.scopes import state
from ..autograd.tape import Leaf
from ..context import Context, as_context, usable
from ..dtypes import DType, as_dtype
from ..errors import MXNetError, ShapeError
from ..ops import ARITHMETIC, COMPARISONS, FLUENT, Array, Operator, Overload, find, is_number
from .namespace import F as _F
from .watch import written


@cache
def _indexing() -> ModuleType:
    """The module of `get` and `put`, which imports this one."""
    from . import _indexing as module

    return module


@cache
def _invoke() -> Callable[..., Any]:
    """The function that runs operators, whose module imports this one."""
    from .invoke import invoke

    return invoke


def refuse_in_place() -> NoReturn:
    """Raise the error for a change that the tape could not see."""
    raise MXNetError(
        "Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd: "
        "gradients would be wrong. Compute a new array, or use autograd.pause()."
    )


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

    @property
    def writable(self) -> bool:
        """Whether the values may change."""
        return bool(self._data.flags.writeable)

    def __len__(self) -> int:
        return int(self._data.shape[0])

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
        op = _reshaping(shape, **kwargs)
        wanted = self._reshaped(op)
        if state.recording and self._entry is not None:
            reshaped: NDArray = _invoke()(op, (self,))
            reshaped._data = self._data.reshape(wanted)
            return reshaped
        return NDArray._on_tape(self._data.reshape(wanted), self._ctx, None)

    def _reshaped(self, op: Any) -> tuple[int, ...]:
        if not op.shape and self.size == 1:
            return ()
        wanted: tuple[int, ...] = op.infer_shape(self.shape)
        return wanted

    @property
    def T(self) -> NDArray:
        """A copy with the axes in reverse order."""
        turned: NDArray = _F.transpose(self)
        return turned

    def slice_assign(self, rhs: NDArray, begin: Any, end: Any, step: Any = None) -> NDArray:
        """Set the region from `begin` to `end` to `rhs`; returns the array itself."""
        steps = step or [None] * len(begin)
        self[tuple(slice(*bounds) for bounds in zip(begin, end, steps, strict=True))] = rhs
        return self

    def slice_assign_scalar(self, value: float, begin: Any, end: Any, step: Any = None) -> NDArray:
        """Set the region from `begin` to `end` to a number; returns the array itself."""
        return self.slice_assign(value, begin, end, step)  # type: ignore[arg-type]

    def split_v2(
        self, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False, **kwargs: Any
    ) -> Any:
        """Parts along an axis: so many equal ones, or ones that begin at the given indices."""
        from .arrangement import split_v2  # which imports this module

        return split_v2(self, indices_or_sections, axis, squeeze_axis, **kwargs)

    # ---- its values elsewhere

    def asnumpy(self) -> Array:
        """A copy as a NumPy array."""
        return self._data.copy()

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._data.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self._data.__dlpack_device__()

    def to_dlpack_for_read(self) -> Any:
        """The array's memory as a DLPack capsule."""
        return self._data.__dlpack__()

    to_dlpack_for_write = to_dlpack_for_read

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
            copied: NDArray = _F._copy(self)
            copied._ctx = usable(other)
            return copied
        if not isinstance(other, NDArray):
            raise TypeError(f"copyto: an NDArray or a Context is required, got {type(other).__name__}.")
        if other is self:
            raise MXNetError("copyto: another array than the source itself is required.")
        if other.shape != self.shape:
            raise ShapeError(f"copyto: a target of shape {self.shape} is required, got {other.shape}.")
        other[:] = self
        return other

    def as_in_context(self, context: Context) -> NDArray:
        """The array itself if it lives on `context`, else a copy there."""
        return self if self._ctx == context else self.copyto(context)

    as_in_ctx = as_in_context

    def as_nd_ndarray(self) -> NDArray:
        """The array itself: there is no other class of arrays."""
        return self

    def tostype(self, stype: str) -> NDArray:
        """A copy of another storage type, 'csr' or 'row_sparse', or of this one, 'default'."""
        if stype == "default":
            return self.copy()
        from .sparse import cast_storage  # which imports this module

        return cast_storage(self._data, stype, self._ctx)

    def copy(self) -> NDArray:
        """A copy."""
        copied: NDArray = _F._copy(self)
        return copied

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """What copies and other processes receive: values and context, nothing of the tape."""
        return None, {"_data": self._data, "_ctx": self._ctx, "_entry": None, "_leaf": None}

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
        if state.recording and (self._entry is not None or result._entry is not None):
            refuse_in_place()
        if result.shape != self.shape:
            raise ShapeError(
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
        if self.size > 1:
            raise ValueError("The truth value of an NDArray with multiple elements is ambiguous.")
        return bool(self._data.any())

    __hash__ = object.__hash__


def _reshaping(sizes: tuple[Any, ...], **kwargs: Any) -> Operator:
    """The operator that arguments of `reshape` ask for: sizes, one shape, or `shape` by name."""
    if len(sizes) == 1 and not hasattr(sizes[0], "__index__"):
        sizes = sizes[0]
    elif not sizes:
        sizes = kwargs.pop("shape", None)
    if sizes is None or kwargs.keys() - {"reverse"}:
        raise TypeError(f"reshape: a shape, and reverse, are required, got {', '.join(kwargs) or 'nothing'}.")
    return find("Reshape").make({"shape": tuple([operator.index(size) for size in sizes]), **kwargs})


def combine(lhs: NDArray, rhs: Any, name: str, scalar_name: str) -> NDArray:
    """`lhs` and an array by operator `name`, or a number by `scalar_name`."""
    result: NDArray
    if isinstance(rhs, NDArray):
        result = _invoke()(_made(name), (lhs, rhs))
    elif type(rhs) in (int, float) or is_number(rhs):
        result = _invoke()(_made_with(scalar_name, rhs) if rhs else with_number(scalar_name, rhs), (lhs,))
    else:
        raise TypeError(f"type {type(rhs)} not supported: an NDArray or a number is required; see nd.array.")
    return result


@cache
def _made(name: str) -> Operator:
    """The operator without attributes called `name`."""
    return find(name).make({})


def with_number(name: str, number: Any) -> Operator:
    """The operator `name` of an array and a number."""
    return find(name).make({"scalar": number})


_made_with = lru_cache(maxsize=1024)(with_number)
"""The same, kept: not for zeros, of which there are two that compare equal."""


def _operator(array_name: str, scalar_name: str) -> Any:
    def method(self: NDArray, other: Any) -> NDArray:
        return combine(self, other, array_name, scalar_name)

    return method


def _in_place_operator(forms: Overload) -> Any:
    def method(self: NDArray, other: Any) -> NDArray:
        return self._in_place(combine(self, other, forms.broadcasting, forms.scalar[0]))

    return method


def _method(name: str) -> Callable[..., Any]:
    def method(self: NDArray, *args: Any, **kwargs: Any) -> Any:
        return getattr(_F, name)(self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"The operator `{name}` on this array."
    return method


for _name, _forms in (ARITHMETIC | COMPARISONS).items():
    setattr(NDArray, f"__{_name}__", _operator(_forms.broadcasting, _forms.scalar[0]))
for _name, _forms in ARITHMETIC.items():
    setattr(NDArray, f"__r{_name}__", _operator(_forms.broadcasting, _forms.reflected[0]))
    if _name != "pow":  # `**=` makes a new array, as in MXNet
        setattr(NDArray, f"__i{_name}__", _in_place_operator(_forms))
for _name in FLUENT:
    if _name not in vars(NDArray):
        setattr(NDArray, _name, _method(_name))
