"""What arrays of every storage type share below the operators: values, a context, an entry on the tape."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from ..autograd.tape import Leaf
from ..context import GPU, Context, as_context, device_of
from ..dtypes import DTypeLike
from ..errors import MXNetError
from ..ops import Array, Pattern, Storage
from .watch import overwrite, written


def refuse_in_place() -> NoReturn:
    """Raise the error for a change that the tape could not see."""
    raise MXNetError(
        "Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with autograd: "
        "gradients would be wrong. Compute a new array, or use autograd.pause()."
    )


class ArrayBase:
    """An array as operators see it."""

    __slots__ = ("__weakref__", "_ctx", "_data", "_leaf", "_origin")

    F: ClassVar[Any]
    """Every operator, as functions on arrays."""
    dense: ClassVar[type[ArrayBase]]
    """The class of what operators return, whatever they are called on: `NDArray`, which stands above them."""

    _as_numpy: ClassVar[bool] = False
    """Whether it is an `mx.np.ndarray`, so that single elements have no axes and bool picks elements."""

    _data: Array
    _ctx: Context
    _origin: Any
    """The entry of the tape that the array was computed by, differentiated or not."""
    _leaf: Leaf | None
    stype: ClassVar[str]
    """The storage type: default, csr or row_sparse."""

    def __init__(self, data: Array, ctx: Context | None = None) -> None:
        """Take values in NumPy's memory, of which a GPU gets a copy."""
        self._ctx = as_context(ctx)
        self._data = data if self._ctx.device_typeid != GPU else device_of(self._ctx).put(data)
        self._origin = None
        self._leaf = None

    @property
    def _entry(self) -> Any:
        """Where the array is on the tape: nowhere once that was differentiated, then it is a constant."""
        origin = self._origin
        return None if origin is None or origin[0].released else origin

    @_entry.setter
    def _entry(self, entry: Any) -> None:
        self._origin = entry

    @classmethod
    def _on_tape(cls, data: Array, ctx: Context, entry: Any) -> Self:
        """An array over `data` itself, at `entry` of the tape."""
        array = cls.__new__(cls)
        array._data = data
        array._ctx = ctx
        array._origin = entry
        array._leaf = None
        return array

    def _receive(self, value: Array, key: Any = ...) -> None:
        """Take new values into a region, by default all of it."""
        overwrite(self._data, value, key)

    # ---- what it stores

    def _pattern(self) -> Pattern | None:
        """Which elements are stored; `None` if all are."""
        return None

    def _stored_as(self, storage: Storage) -> ArrayBase:
        """The array with only these elements stored."""
        raise NotImplementedError

    def _recorded(self) -> Any:
        """The values as the tape keeps them."""
        return self._data

    def _assign(self, other: ArrayBase) -> None:
        """Take the values of an array of the same shape."""
        overwrite(self._data, self._fitting(other))

    def _take(self, other: ArrayBase) -> None:
        """Take the values of an array of the same shape, which is given up for it."""
        self._assign(other)

    def _memory(self) -> Any:
        """What owns the memory of the values."""
        owner = self._recorded()
        while isinstance(getattr(owner, "base", None), type(owner)):
            owner = owner.base
        return owner

    def _accumulate(self, other: ArrayBase) -> None:
        """Add the values of an array of the same shape."""
        if type(self._data) is np.ndarray:
            self._data[...] += self._fitting(other)
            written(self._data)
        else:
            total = self.dense._on_tape(self._data, self._ctx, None)
            source: Any = other
            self._assign(self.F._grad_add(total, source.as_in_context(self._ctx)))

    def _fitting(self, other: ArrayBase) -> Array:
        """The values of another array as this one takes them: those on a GPU only where it is on one."""
        return other._host if type(self._data) is np.ndarray else other._data

    def _clear(self) -> None:
        """Set all values to 0."""
        self._data[...] = 0
        if type(self._data) is np.ndarray:
            written(self._data)

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

    @property
    def _host(self) -> Array:
        """The values in NumPy's memory: the array's own, or a copy of what is on a GPU."""
        data: Any = self._data
        return data if type(data) is np.ndarray else data.host()

    def asnumpy(self) -> Array:
        """A copy as a NumPy array."""
        data: Any = self._data
        return data.copy() if type(data) is np.ndarray else data.host()

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._data.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self._data.__dlpack_device__()

    def to_dlpack_for_read(self) -> Any:
        """The array's memory as a DLPack capsule."""
        return self._data.__dlpack__()

    to_dlpack_for_write = to_dlpack_for_read

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return self._host.astype(dtype or self._data.dtype)

    def asscalar(self) -> Any:
        """The only element, as a NumPy number. Raises `ValueError` if there are several."""
        if self.size != 1:
            raise ValueError(f"The current array is not a scalar: it has shape {self.shape}.")
        return self._host.reshape(-1)[0]

    def item(self) -> Any:
        """The only element, as a Python number."""
        self.asscalar()
        return self._host.item()
