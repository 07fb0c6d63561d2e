"""`mx.np.ndarray`: an array with NumPy's methods, which may have no axes, and whose comparisons are bool."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from ..attrs import ShapeLike
from ..autograd.scopes import state
from ..context import GPU, Context, cpu, current_context, device_of
from ..dtypes import DTypeLike, as_dtype
from ..faces import NUMPY_OVERLOADS, Axes, Functions, Sections, method
from ..formats.params import CSR, RowSparse, Value
from ..ops import FLUENT, Array, Operator, find, is_number
from .invoke import invoke
from .ndarray import NDArray, from_stored
from .np_shape import is_np_array

if TYPE_CHECKING:
    from ._np_methods import NumpyMethods  # a stub of what this file adds
else:
    NumpyMethods = NDArray

_BINARY = ("add", "sub", "mul", "truediv", "mod", "pow", "and", "or", "xor")
_COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le")


@lru_cache(maxsize=4096, typed=True)
def _reshaped(data: tuple[int, ...], *sizes: Any) -> tuple[Operator, tuple[int, ...]]:
    """The operator that gives an array sizes, of which one may be -1, and the shape that these are."""
    op: Any = find("_np_reshape").make({"newshape": tuple(int(d) for d in sizes)})
    return op, op.infer_shape(data)


class ndarray(NumpyMethods):  # noqa: N801  (MXNet's name)
    """An array as NumPy has them: without axes if there is one number, bool if it is the result of a test."""

    __slots__ = ()
    dense: ClassVar[type[NDArray]]
    _as_numpy: ClassVar[bool] = True

    @classmethod
    def _as_recorded(cls, value: Value, ctx: Context, entry: Any) -> NDArray:
        if isinstance(value, CSR | RowSparse):
            return from_stored(value, ctx)
        return cls._on_tape(value, ctx, entry)

    # ---- what it is

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self._data.dtype

    def __repr__(self) -> str:
        data = self._host
        text = np.array2string(data, separator=", ", prefix="array(")
        if data.size == 0:
            text = f"[], shape={data.shape}"
        dtype = "" if data.dtype.name in ("float32", "bool") else f", dtype={data.dtype.name}"
        place = "" if self._ctx == cpu(0) else f", ctx={self._ctx}"
        return f"array({text}{dtype}{place})"

    def __str__(self) -> str:
        text = str(self._host)
        return text if self._ctx == cpu(0) else f"{text} @{self._ctx}"

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec and self.size == 1 else format(str(self), spec)

    def __len__(self) -> int:
        if not self._data.ndim:
            raise TypeError("len() of unsized object")
        return len(self._data)

    def __iter__(self) -> Iterator[ndarray]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        if self.size > 1:
            raise ValueError("The truth value of an ndarray with multiple elements is ambiguous.")
        return bool(self._host.any())

    def __float__(self) -> float:
        return float(self._only())

    def __int__(self) -> int:
        return int(self._only())

    def __index__(self) -> int:
        if self._data.ndim == 0 and self._data.dtype.kind in "iu":
            return int(self._host)
        raise TypeError("only integer scalar arrays can be converted to a scalar index")

    def __round__(self, ndigits: int = 0) -> ndarray:
        rounded: ndarray = call("_npi_around", self, decimals=ndigits)
        return rounded

    def __floor__(self) -> ndarray:
        rounded: ndarray = call("_npi_floor", self)
        return rounded

    def __ceil__(self) -> ndarray:
        rounded: ndarray = call("_npi_ceil", self)
        return rounded

    def __trunc__(self) -> ndarray:
        rounded: ndarray = call("_npi_trunc", self)
        return rounded

    def _only(self) -> Any:
        if self.size != 1:
            raise TypeError("only size-1 arrays can be converted to Python scalars")
        return self._host.reshape(())[()]

    def item(self, *args: int | tuple[int, ...]) -> Any:
        """An element as a Python number: the only one, one of the array laid out flat, or one at indices."""
        return self._host.item(*args)  # type: ignore[arg-type]

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        return self._host.tolist()

    __hash__ = object.__hash__

    # ---- as others

    def as_np_ndarray(self) -> ndarray:
        """The array itself."""
        return self

    def as_in_ctx(self, ctx: Context) -> ndarray:
        """The array itself if it lives on `ctx`, else a copy there."""
        moved: ndarray = self.as_in_context(ctx)
        return moved

    def as_nd_ndarray(self) -> NDArray:
        """The same memory as an `nd.NDArray`, on the tape too."""
        array = NDArray._on_tape(self._data, self._ctx, self._entry)
        array._leaf = self._leaf
        return array

    def copy(self, order: str = "C") -> ndarray:
        """A copy."""
        copied: ndarray = call("_np_copy", self)
        return copied

    def copyto(self, other: NDArray | Context) -> Any:
        """Copy into another array, or into a new one on a context."""
        if isinstance(other, NDArray) and not isinstance(other, ndarray):
            raise TypeError(f"copyto: an mx.np.ndarray or a Context is required, got {type(other).__name__}.")
        return super().copyto(other)

    def astype(  # type: ignore[override]
        self,
        dtype: DTypeLike,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> ndarray:
        """The values as another dtype; the array itself if it has it already and `copy` is false."""
        return super().astype(dtype, copy=bool(copy))  # type: ignore[return-value]

    def asscalar(self) -> NoReturn:
        """Refused, as in MXNet: arrays of mx.np have item."""
        raise AttributeError("mxnet.numpy.ndarray object has no attribute as_scalar")

    # ---- NumPy's methods

    def reshape(self, *args: Any, **kwargs: Any) -> ndarray:
        """The same memory in another shape."""
        order = kwargs.pop("order", "C")
        if order != "C" or kwargs.keys() - {"newshape"}:
            raise NotImplementedError(f"reshape: a shape and order 'C' are required, got {kwargs or order}.")
        newshape = kwargs.get("newshape", args[0] if len(args) == 1 else args)
        sizes = (newshape,) if hasattr(newshape, "__index__") else tuple(newshape)
        return self._viewed(*_reshaped(self._data.shape, *sizes))  # type: ignore[return-value]

    reshape_view = reshape

    def flatten(self, order: str = "C") -> ndarray:  # type: ignore[override]
        """A copy as a vector."""
        flat: ndarray = call("_np_reshape", self, newshape=(-1,), order=order)
        return flat

    def transpose(self, *axes: int | Sequence[int] | None) -> ndarray:  # type: ignore[override]
        """The axes in another order, reversed by default."""
        order = axes[0] if len(axes) == 1 and not hasattr(axes[0], "__index__") else axes
        return self._of("transpose", tuple(order) if order else None)

    @property
    def T(self) -> ndarray:
        """The axes in reverse order."""
        return self._of("transpose")

    def squeeze(self, axis: Axes = None) -> ndarray:  # type: ignore[override]
        """Without axes of size 1."""
        return self._of("squeeze", axis)

    def clip(self, min: float | None = None, max: float | None = None, out: ndarray | None = None) -> ndarray:  # type: ignore[override]
        """The elements within limits."""
        return self._of("clip", min, max, out=out)

    def broadcast_to(self, shape: ShapeLike, **_: object) -> ndarray:
        """Repeated to a shape."""
        return self._of("broadcast_to", shape)

    def broadcast_like(self, other: NDArray) -> ndarray:
        """Repeated to the shape of another array."""
        return self._of("broadcast_to", other.shape)

    def sum(  # type: ignore[override]
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: ndarray | None = None,
        keepdims: bool = False,
    ) -> ndarray:
        """The sum of the elements along some axes."""
        return self._of("sum", axis, dtype, keepdims, out=out)

    def max(self, axis: Axes = None, out: ndarray | None = None, keepdims: bool = False) -> ndarray:  # type: ignore[override]
        """The largest element along some axes."""
        return self._of("max", axis, keepdims, out=out)

    def min(self, axis: Axes = None, out: ndarray | None = None, keepdims: bool = False) -> ndarray:  # type: ignore[override]
        """The smallest element along some axes."""
        return self._of("min", axis, keepdims, out=out)

    def any(self, axis: Axes = None, out: ndarray | None = None, keepdims: bool = False) -> ndarray:
        """Whether any element along some axes is not zero."""
        return self._of("any", axis, keepdims, out=out)

    def all(self, axis: Axes = None, out: ndarray | None = None, keepdims: bool = False) -> ndarray:
        """Whether all elements along some axes are not zero."""
        return self._of("all", axis, keepdims, out=out)

    def nonzero(self) -> tuple[ndarray, ...]:
        """The indices of what is not zero, an array for each axis."""
        return tuple(ndarray(np.asarray(i, np.int64), self._ctx) for i in np.nonzero(self._host))

    def _of(self, name: str, *args: Any, **kwargs: Any) -> ndarray:
        result: ndarray = getattr(FUNCTIONS, name)(self, *args, **kwargs)
        return result

    # ---- arithmetic

    def __neg__(self) -> ndarray:
        negated: ndarray = call("_npi_multiply_scalar", self, scalar=-1)
        return negated

    def __abs__(self) -> ndarray:
        size: ndarray = call("_npi_absolute", self)
        return size

    def __invert__(self) -> ndarray:
        inverted: ndarray = call("_npi_bitwise_not", self)
        return inverted

    def __matmul__(self, other: ndarray) -> ndarray:
        product: ndarray = call("_npi_matmul", self, other)
        return product

    def __rmatmul__(self, other: ndarray) -> ndarray:
        product: ndarray = call("_npi_matmul", other, self)
        return product

    def __imatmul__(self, other: ndarray) -> ndarray:
        return self._in_place(self.__matmul__(other))  # type: ignore[return-value]

    # ---- NumPy's protocol

    __array_priority__: ClassVar[float] = 1000.0

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """The function of mx.np that NumPy's stands for, or NumPy's own on the values."""
        if method != "__call__":
            return NotImplemented
        function = getattr(FUNCTIONS, ufunc.__name__, None) or _into_out(by_numpy(ufunc))
        out = kwargs.pop("out", None)
        return function(*map(_plain, inputs), out=out[0] if isinstance(out, tuple) else out, **kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """The function of mx.np that NumPy's stands for, or NumPy's own on the values."""
        home = import_module(f"{__package__}.numpy{'.linalg' * ('linalg' in func.__module__)}")
        function = None if func.__name__ in _OF_NUMBERS else getattr(home, func.__name__, None)
        return (function or by_numpy(func))(*args, **kwargs)


ndarray.dense = ndarray
_OF_NUMBERS = ("linspace", "logspace")
"""Functions that make arrays of numbers, and only NumPy's of arrays."""


def _plain(value: Any) -> Any:
    return value if not isinstance(value, np.ndarray) or value.ndim else value[()]


def as_np(array: Any) -> Any:
    """The same memory as an `mx.np.ndarray`, on the tape too."""
    if isinstance(array, ndarray) or not isinstance(array, NDArray):
        return array
    shown = ndarray._on_tape(array._data, array._ctx, array._entry)
    shown._leaf = array._leaf
    return shown


def by_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's on arrays of mx.np, whose results are such arrays."""

    def on_values(*args: Any, **kwargs: Any) -> Any:
        with _home(on_values.__name__, (*args, *kwargs.values())):
            result = _wrapped(function(*_values(args), **_values(kwargs)))
        if state.recording and _is_continuous(result):
            refuse_gradient(on_values.__name__, args, kwargs.values())
        return result

    on_values.__name__ = on_values.__qualname__ = getattr(function, "__name__", "function")
    with contextlib.suppress(ValueError):
        on_values.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    on_values.numpy_function = function  # type: ignore[attr-defined]
    on_values.__doc__ = f"NumPy's own `{on_values.__name__}`, outside of autograd."
    return on_values


def _home(name: str, values: Iterable[Any]) -> Context:
    """Where results of NumPy's are put: where the first array is, if that is a GPU, which is told."""
    for value in values:
        if isinstance(value, NDArray) and value.context.device_typeid == GPU:
            device_of(value.context).tell(name, "NumPy computes it.")
            return value.context
    return current_context()


def _into_out(function: Callable[..., Any]) -> Callable[..., Any]:
    def with_out(*args: Any, out: ndarray | None = None, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if out is not None:
            out[...] = result
        return result if out is None else out

    return with_out


def refuse_gradient(name: str, *values: Any) -> None:
    """Raise ValueError if any array among the values is on the tape, which goes on only through operators."""
    for value in values:
        if isinstance(value, NDArray) and value._entry is not None and value._data.dtype.kind == "f":
            raise ValueError(
                f"{name}: arrays that need no gradient are required while recording, as NumPy computes it, "
                f"got one of shape {value.shape} that does. Use detach(), or autograd.pause()."
            )
        if isinstance(value, Iterable) and not isinstance(value, NDArray | np.ndarray | str):
            refuse_gradient(name, *value)


def _is_continuous(result: Any) -> bool:
    """Whether any number of a result changes with small changes of what it was made of."""
    if isinstance(result, tuple | list):
        return any(map(_is_continuous, result))
    return (
        isinstance(result, float | np.floating) or getattr(getattr(result, "dtype", None), "kind", "") == "f"
    )


def _values(value: Any) -> Any:
    if isinstance(value, NDArray):
        return value._host
    if isinstance(value, dict):
        return {key: _values(item) for key, item in value.items()}
    return type(value)(map(_values, value)) if type(value) in (list, tuple) else value


def _wrapped(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return ndarray(np.ascontiguousarray(value).reshape(value.shape))
    if isinstance(value, tuple):
        return tuple(map(_wrapped, value))
    return [_wrapped(item) for item in value] if isinstance(value, list) else value


def call(operator: str, /, *inputs: Any, out: Any = None, name: Any = None, **attributes: Any) -> Any:
    """An operator on arrays of mx.np, which have no `name`."""
    for x in inputs:
        if not isinstance(x, ndarray):
            raise TypeError(
                f"{operator}: arrays of mx.np are required, got {type(x).__name__}. Use mx.np.array."
            )
    cls = find(operator)
    if cls.variadic:
        attributes[cls.variadic] = cls.count_of(len(inputs))
    op = cls.make(attributes)
    result = invoke(op, inputs, out)
    return result if inputs else as_np(result)


class ArrayFunctions(Functions[ndarray]):
    """NumPy's functions on arrays."""

    def nonzero(self, a: ndarray) -> tuple[ndarray, ...]:
        """The indices of what is not zero, an array for each axis."""
        return a.nonzero()

    def _array(self, value: Any) -> Any:
        """An array of a list: of indices in int64."""
        if isinstance(value, NDArray):
            return value
        whole = np.asarray(_values(value)).dtype.kind in "iub"
        return array_of(value, "int64" if whole else None)

    def array_split(self, ary: ndarray, indices_or_sections: Sections, axis: int = 0) -> list[ndarray]:
        """Parts along an axis, so many of almost equal size, or ones that end at the given indices."""
        if isinstance(indices_or_sections, int):
            size, count = ary.shape[axis], indices_or_sections
            bounds = np.cumsum([size // count + (i < size % count) for i in range(count)])[:-1]
            return self._parts("_split_v2", ary, tuple(map(int, bounds)), axis)
        return super().array_split(ary, indices_or_sections, axis)


FUNCTIONS: Any = ArrayFunctions(call)


def _overload(what: str, reflected: bool = False, in_place: bool = False) -> Any:
    forms = NUMPY_OVERLOADS[what]

    def method(self: ndarray, other: ndarray | float) -> Any:
        if is_number(other):
            name = forms.reflected if reflected else forms.scalar
            result = call(name, self, scalar=other)
        elif isinstance(other, NDArray):
            result = call(forms.arrays, *((other, self) if reflected else (self, other)))
        else:
            raise TypeError(f"type {type(other)} not supported: an mx.np.ndarray or a number is required.")
        return self._in_place(result) if in_place else result

    return method


for _name in (*_BINARY, *_COMPARISONS):
    setattr(ndarray, f"__{_name}__", _overload(_name))
for _name in _BINARY:
    setattr(ndarray, f"__r{_name}__", _overload(_name, reflected=True))
    setattr(ndarray, f"__i{_name}__", _overload(_name, in_place=True))


for _name in (
    "argmax argmin argsort cumsum diag dot mean prod repeat round std swapaxes take var sort"
).split():
    setattr(ndarray, _name, method(FUNCTIONS, _name, "ndarray"))


class _Absent:
    """A method of `nd.NDArray` that `mx.np.ndarray` lacks."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise AttributeError(
            f"mxnet.numpy.ndarray object has no attribute {self._name}. "
            f"Use mx.np.{self._name} or mx.npx.{self._name}."
        )


for _name in FLUENT:
    if _name not in vars(ndarray):
        setattr(ndarray, _name, _Absent(_name))


def _shown_names(self: ndarray) -> list[str]:
    return [name for name in object.__dir__(self) if not isinstance(vars(ndarray).get(name), _Absent)]


ndarray.__dir__ = _shown_names  # type: ignore[method-assign, assignment]


def array_of(value: Any, dtype: DTypeLike | None = None, ctx: Context | None = None) -> ndarray:
    """An array of values: of NumPy's and MXNet's own dtypes as they are, of numbers and lists float32."""
    if isinstance(value, NDArray) and not isinstance(value, ndarray):
        raise ValueError(
            "array: an mx.np.ndarray, NumPy's, or numbers in lists are required, got an nd.NDArray. "
            "Use as_np_ndarray, which copies nothing."
        )
    if isinstance(value, ndarray):
        copied = value.copy() if ctx is None else value.copyto(ctx)
        return copied if dtype is None else copied.astype(dtype)
    plain = np.asarray(_values(value))
    if plain.dtype.kind not in "fiub":
        raise TypeError(f"array: numbers are required, got {type(value)}.")
    if dtype is None:
        dtype = plain.dtype if isinstance(value, np.ndarray | np.generic) else np.dtype("float32")
    data: Array = np.array(plain, dtype=as_dtype(dtype), order="C")
    return ndarray(data, ctx)


def shown(array: NDArray) -> NDArray:
    """An array as the present semantics have it: of mx.np while they are NumPy's."""
    return as_np(array) if is_np_array() else array
