"""Arrays with MXNet's methods: dense ones, and those of sparse storage types.

No operator computes on sparse arrays as they are: whatever takes one gets its dense values. What of the
result is stored is told by the operator's rule, `Operator.stores`; without one the result is dense.
"""

from __future__ import annotations

import importlib
import operator
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial
from math import prod
from types import EllipsisType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .._lazy import lazy_package
from ..attrs import ShapeLike
from ..autograd.gradients import backward
from ..autograd.scopes import state
from ..autograd.tape import Leaf, Moved, TapeNode
from ..context import GPU, Context, as_context, cpu, device_of, share_memory, usable
from ..dtypes import NATIVE, DType, DTypeLike, as_dtype, is_bfloat16, name_of, native_dtype
from ..dtypes import converted as converted_values
from ..errors import DTypeError, MXNetError, ShapeError
from ..formats.params import CSR, RowSparse, Value, read_one
from ..ops import (
    ARITHMETIC,
    COMPARISONS,
    FLUENT,
    Array,
    FluentMethod,
    Operator,
    Overload,
    Pattern,
    Storage,
    find,
    is_number,
    mixing,
    sections,
)
from ._base import ArrayBase, refuse_in_place
from ._indexing import get, put
from ._storage import (
    added,
    check_order,
    checked,
    compressed,
    converted,
    expanded,
    no_values,
    pattern_of,
    stored_as,
)
from .derive import gradients
from .exchange import is_exchangeable
from .invoke import invoke, view
from .namespace import ARRAYS
from .namespace import F as _F
from .tapes import tape_gradients
from .watch import overwrite

if TYPE_CHECKING:
    from ._operator_methods import OperatorMethods  # a stub of what the end of this file adds
else:
    OperatorMethods = object

__all__ = ["NDArray"]

Operand: TypeAlias = "NDArray | float | np.number[Any] | np.bool_"
"""The other side of arithmetic with an array."""
Key: TypeAlias = "int | np.integer[Any] | slice | EllipsisType | NDArray | Array | Sequence[Any] | None"
"""An index: a number, a slice, `None` for a new axis, an array of indices, or a tuple of these."""


class NDArray(ArrayBase, OperatorMethods):
    """An array of one dtype on one context."""

    __slots__ = ()

    F: ClassVar[Any] = _F
    __array_priority__: ClassVar[float] = 1000.0
    stype: ClassVar[str] = "default"

    _derived = staticmethod(gradients)
    _known_gradients = staticmethod(tape_gradients)

    @classmethod
    def _as_recorded(cls, value: Value, ctx: Context, entry: Any) -> NDArray:
        """The array at `entry` of the tape, over the values that it keeps."""
        if isinstance(value, CSR | RowSparse):
            array = from_stored(value, ctx)
            array._entry = entry
            return array
        return NDArray._on_tape(value, ctx, entry)

    def _take(self, other: ArrayBase) -> None:
        if is_exchangeable(self, other):
            self._data = other._data
        else:
            self._assign(other)

    def _stored_as(self, storage: Storage) -> NDArray:
        return from_stored(stored_as(self._host, storage), self._ctx)

    # ---- what it is

    @property
    def writable(self) -> bool:
        """Whether the values may change."""
        return type(self._data) is not np.ndarray or self._data.flags.writeable

    def __len__(self) -> int:
        return int(self._data.shape[0])

    def __iter__(self) -> Iterator[NDArray]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"\n{self._host}\n<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self._ctx}>"

    def __float__(self) -> float:
        return float(self._number("float"))

    def __int__(self) -> int:
        return int(self._number("int"))

    def _number(self, kind: str) -> Any:
        if self.size != 1:
            raise TypeError(f"{kind}: an NDArray of one element is required, got one of shape {self.shape}.")
        return self.item()

    def __format__(self, spec: str) -> str:
        """The array as text; with a format, such as `.3f`, the only element in it."""
        return format(self.item(), spec) if spec and self.size == 1 else super().__format__(spec)

    # ---- parts of it

    def __getitem__(self, key: Key) -> NDArray:
        part: NDArray = get(self, key)
        return part

    def __setitem__(self, key: Key, value: ArrayLike) -> None:
        put(self, key, value)

    def reshape(self, *shape: ShapeLike, **kwargs: object) -> NDArray:
        """The same memory in another shape; the codes 0, -1, -2, -3, -4 are the operator's, `Reshape`."""
        sizes: Any = shape[0] if len(shape) == 1 else shape
        if type(sizes) is tuple and sizes and not kwargs:
            return self._viewed(*_reshaped(self._data.shape, *sizes))
        op: Any = _reshaping(shape, **kwargs)
        return self._viewed(op, _shape_of(op, self._data.shape))

    def _viewed(self, op: Operator, shape: Sequence[int]) -> NDArray:
        """The same memory in the shape that an operator gives it, which is recorded."""
        viewed: NDArray = view(op, self, self._data.reshape(shape))  # type: ignore[assignment]
        return viewed

    def _same_elements(self, name: str, inplace: bool, attributes: dict[str, Any], options: Any) -> NDArray:
        """What operator `name` gives, `inplace` over the same memory."""
        if not inplace:
            result: NDArray = getattr(_F, name)(self, **attributes, **options)
            return result
        op: Any = find(name).make(attributes)
        return self._viewed(op, op.infer_shape(self.shape))

    def squeeze(self, axis: ShapeLike | None = None, inplace: bool = False, **kwargs: Any) -> NDArray:
        """Without axes of size 1, all or those that are given; `inplace` over the same memory."""
        return self._same_elements("squeeze", inplace, {"axis": axis}, kwargs)

    def flatten(self, inplace: bool = False, **kwargs: Any) -> NDArray:
        """As a matrix, with all axes but the first made one; `inplace` over the same memory."""
        return self._same_elements("Flatten", inplace, {}, kwargs)

    def expand_dims(self, axis: int, inplace: bool = False, **kwargs: Any) -> NDArray:
        """With a new axis of size 1; `inplace` over the same memory."""
        return self._same_elements("expand_dims", inplace, {"axis": axis}, kwargs)

    @property
    def T(self) -> NDArray:
        """A copy with the axes in reverse order."""
        transposed: NDArray = _F.transpose(self)
        return transposed

    def slice_assign(
        self,
        rhs: NDArray,
        begin: Sequence[int | None],
        end: Sequence[int | None],
        step: Sequence[int | None] | None = None,
    ) -> NDArray:
        """Set the region from `begin` to `end` to `rhs`; returns the array itself."""
        steps = step or [None] * len(begin)
        self[tuple(slice(*bounds) for bounds in zip(begin, end, steps, strict=True))] = rhs
        return self

    def slice_assign_scalar(
        self,
        value: float,
        begin: Sequence[int | None],
        end: Sequence[int | None],
        step: Sequence[int | None] | None = None,
    ) -> NDArray:
        """Set the region from `begin` to `end` to a number; returns the array itself."""
        return self.slice_assign(value, begin, end, step)  # type: ignore[arg-type]

    def broadcast_to(self, shape: ShapeLike, **kwargs: Any) -> NDArray:
        """Broadcast to a shape, which may have more axes in front."""
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        ahead = len(sizes) - self.ndim
        array = self.reshape((1,) * ahead + self.shape) if ahead > 0 else self
        broadcast: NDArray = _F.broadcast_to(array, shape=sizes, **kwargs)
        return broadcast

    def broadcast_like(self, other: NDArray) -> NDArray:
        """Broadcast to the shape of another array."""
        return self.broadcast_to(other.shape)

    def split_v2(
        self,
        indices_or_sections: int | Sequence[int],
        axis: int = 0,
        squeeze_axis: bool = False,
        **kwargs: object,
    ) -> Any:
        """Parts along an axis: so many equal ones, or ones that begin at the given indices."""
        return _F._split_v2(
            self, axis=axis, squeeze_axis=squeeze_axis, **sections(indices_or_sections), **kwargs
        )

    # ---- its values elsewhere

    def wait_to_read(self) -> None:
        """Wait until the values are there, which those on the processor are as soon as the array is."""
        data: Any = self._data
        if type(data) is not np.ndarray:
            data.device.wait()

    wait_to_write = wait_to_read

    def copyto(self, other: NDArray | Context) -> NDArray:
        """Copy into another array, or into a new one on a context."""
        if isinstance(other, Context):
            return self._copied_to(usable(other))
        if not isinstance(other, NDArray):
            raise TypeError(f"copyto: an NDArray or a Context is required, got {type(other).__name__}.")
        if other is self:
            raise MXNetError("copyto: an array cannot be copied into itself.")
        if other.shape != self.shape:
            raise ShapeError(f"copyto: a target of shape {self.shape} is required, got {other.shape}.")
        if {self.stype, other.stype} == {"csr", "row_sparse"}:
            raise TypeError(f"copyto: a target of {self.stype} or default is required, got {other.stype}.")
        other[:] = self
        return other

    def _copied_to(self, context: Context) -> NDArray:
        """A copy on a context, which is recorded."""
        if share_memory(self._ctx, context):
            copied: NDArray = _F._copy(self)
            copied._ctx = context
            return copied
        moved: NDArray = self.dense(self.asnumpy(), context)  # type: ignore[assignment]
        if state.recording and self._entry is not None:
            moved._entry = (
                TapeNode(Moved(self._ctx), [self._entry], [self._recorded()], [moved._data], context),
                0,
            )
        return moved

    def as_in_context(self, context: Context) -> NDArray:
        """The array itself if it lives on `context`, else a copy there."""
        return self if self._ctx == context else self.copyto(context)

    as_in_ctx = as_in_context

    def _near(self, context: Context) -> NDArray:
        """The array itself if what runs on `context` takes it, else a copy there."""
        return self if share_memory(self._ctx, context) else self.copyto(context)

    def as_nd_ndarray(self) -> NDArray:
        """The array itself: there is no other class of arrays."""
        return self

    def as_np_ndarray(self) -> Any:
        """The same memory as an `mx.np.ndarray`, on the tape too."""
        return _np_array().as_np(self)

    def tostype(self, stype: str) -> NDArray:
        """A copy of another storage type, 'csr' or 'row_sparse', or of this one, 'default'."""
        cast: NDArray = _F.cast_storage(self, stype=stype)
        return cast

    def copy(self) -> NDArray:
        """A copy."""
        copied: NDArray = _F._copy(self)
        return copied

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """What copies and other processes receive: values and context, nothing of the tape."""
        return None, {"_data": self._data, "_ctx": self._ctx, "_origin": None, "_leaf": None}

    def __setstate__(self, state: tuple[None, dict[str, Any]] | dict[str, Any]) -> None:
        """Take what `__getstate__` gave, or what is in a pickle that MXNet wrote."""
        if isinstance(state, dict):
            value = read_one(bytes(state["handle"]), np_shape=self._as_numpy)
            state = from_stored(value, cpu()).__getstate__()
        for name, part in state[1].items():
            setattr(self, name, part)

    def astype(self, dtype: DTypeLike, copy: bool = True) -> NDArray:
        """The values as another dtype; the array itself if it has it already and `copy` is false."""
        target: DType = as_dtype(dtype)
        if not copy and target == self._data.dtype:
            return self
        if not (_has_operators(target) and _has_operators(self._data.dtype)):
            return self._as_extension(target)
        cast: NDArray = _F.Cast(self, dtype=target.name)
        return cast

    def _as_extension(self, target: DType) -> NDArray:
        """The values as another dtype, one of the two being none of MXNet's, so that no operator casts."""
        if state.recording and self._entry is not None:
            raise DTypeError(
                f"astype: one of MXNet's types is required while autograd records, got {self._data.dtype} as "
                f"{name_of(target)}, for which there are no gradients. Use autograd.pause() or detach()."
            )
        return self.dense(converted_values(self._host, target), self._ctx)  # type: ignore[return-value]

    # ---- gradients

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Make the array a variable with a zero gradient, no longer the result of what was recorded.

        The gradient is of the storage type `stype`, by default the array's.
        """
        if self._data.dtype.hasobject:
            raise DTypeError("attach_grad: an array of numbers is required, got one of strings.")
        kind, shape, dtype = stype or self.stype, self.shape, np.dtype(self.dtype)
        gradient: Any = partial(_zero_gradient, shape, dtype, self._ctx, self._as_numpy)
        if kind != "default":
            gradient = from_stored(no_values(kind, shape, dtype), self._ctx)
        leaf = Leaf(gradient, grad_req)
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
        return self.dense._on_tape(self._data, self._ctx, None)  # type: ignore[return-value]

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
        overwrite(self._data, self._fitting(result))
        return self

    def __neg__(self) -> NDArray:
        negated: NDArray = _F.negative(self)
        return negated

    def __abs__(self) -> NDArray:
        magnitude: NDArray = _F.abs(self)
        return magnitude

    def __bool__(self) -> bool:
        if self.size > 1:
            raise ValueError("The truth value of an NDArray with multiple elements is ambiguous.")
        return bool(self._host.any())

    __hash__ = object.__hash__


def _np_array() -> Any:
    """The module of `mx.np.ndarray`, which stands above this one."""
    return importlib.import_module(f"{__package__}.np_array")


@lru_cache(maxsize=4096, typed=True)
def _reshaped(data: tuple[int, ...], *sizes: Any) -> tuple[Operator, tuple[int, ...]]:
    """The operator that gives an array of a shape these sizes, and the shape that they mean."""
    op = _reshaping((sizes,))
    return op, _shape_of(op, data)


def _shape_of(op: Any, data: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that `reshape` gives an array."""
    shape: tuple[int, ...] = () if not op.shape and prod(data) == 1 else op.infer_shape(data)
    return shape


def _reshaping(sizes: tuple[Any, ...], **kwargs: Any) -> Operator:
    """The operator that arguments of `reshape` ask for: sizes, one shape, or `shape` by name."""
    if len(sizes) == 1 and not hasattr(sizes[0], "__index__"):
        sizes = sizes[0]
    elif not sizes:
        sizes = kwargs.pop("shape", None)
    if sizes is None or kwargs.keys() - {"reverse"}:
        raise TypeError(f"reshape: a shape, and reverse, are required, got {', '.join(kwargs) or 'nothing'}.")
    return find("Reshape").make({"shape": tuple([operator.index(size) for size in sizes]), **kwargs})


def _has_operators(dtype: DType) -> bool:
    """Whether operators take arrays of a dtype."""
    return dtype in NATIVE or is_bfloat16(dtype)


def combine(lhs: NDArray, rhs: Any, name: str, scalar_name: str) -> NDArray:
    """`lhs` and an array by operator `name`, or a number by `scalar_name`."""
    result: NDArray
    if isinstance(rhs, NDArray):
        arrays: Sequence[Any] = (lhs, rhs)
        if mixing.rule is not None:
            arrays, _ = mixing.arguments(find(name), arrays, {})
        result = invoke(_operator(name), arrays)
    elif type(rhs) in (int, float) or is_number(rhs):
        result = invoke(_with_number(scalar_name, rhs) if rhs else with_number(scalar_name, rhs), (lhs,))
    else:
        raise TypeError(f"type {type(rhs)} not supported: an NDArray or a number is required; see nd.array.")
    return result


@cache
def _operator(name: str) -> Operator:
    """The operator without attributes called `name`."""
    return find(name).make({})


def with_number(name: str, number: Any) -> Operator:
    """The operator `name` of an array and a number."""
    return find(name).make({"scalar": number})


_with_number = lru_cache(maxsize=1024)(with_number)
"""The same, cached: not for zeros, of which there are two that compare equal."""


def _overload(array_name: str, scalar_name: str) -> Any:
    def method(self: NDArray, other: Any) -> NDArray:
        return combine(self, other, array_name, scalar_name)

    return method


def _in_place_overload(forms: Overload) -> Any:
    def method(self: NDArray, other: Any) -> NDArray:
        return self._in_place(combine(self, other, forms.broadcasting, forms.scalar[0]))

    return method


for _name, _forms in (ARITHMETIC | COMPARISONS).items():
    setattr(NDArray, f"__{_name}__", _overload(_forms.broadcasting, _forms.scalar[0]))
for _name, _forms in ARITHMETIC.items():
    setattr(NDArray, f"__r{_name}__", _overload(_forms.broadcasting, _forms.reflected[0]))
    if _name != "pow":  # `**=` makes a new array, as in MXNet
        setattr(NDArray, f"__i{_name}__", _in_place_overload(_forms))
for _name in FLUENT:
    if _name not in vars(NDArray):
        setattr(NDArray, _name, FluentMethod(_name, NDArray, ARRAYS))


ArrayBase.dense = NDArray


# ---- sparse storage types


class BaseSparseNDArray(NDArray):
    """An array of a sparse storage type; it can be written as a whole."""

    __slots__ = ("stored",)

    stored: Any

    def __init__(self, stored: CSR | RowSparse, ctx: Context | None = None) -> None:
        self.stored = stored
        self._ctx = as_context(ctx)
        self._origin = None
        self._leaf = None

    # ---- what operators see

    @property
    def _data(self) -> Array:
        """The dense values, made anew by each use; read-only, so that no write to them is lost unnoticed."""
        dense = self._host
        if self._ctx.device_typeid == GPU:
            device: Array = device_of(self._ctx).put(dense)
            return device
        dense.flags.writeable = False
        return dense

    @_data.setter
    def _data(self, data: Array) -> NoReturn:
        self._refuse("new values in place")

    @property
    def _host(self) -> Array:
        return expanded(self.stored)

    def _receive(self, value: Array, key: Any = ...) -> None:
        dense: Any = expanded(self.stored)
        dense[key] = value if isinstance(value, np.ndarray) else value.host()
        self.stored = compressed(dense, self.stype)

    def _refuse(self, what: str) -> NoReturn:
        name = type(self).__name__
        raise MXNetError(
            f"{name}: an array of the storage type 'default' is required for {what}. Use tostype."
        )

    def __getitem__(self, key: Key) -> NDArray:
        return self.tostype("default")[key]

    def __setitem__(self, key: Key, value: ArrayLike) -> None:
        if not isinstance(key, slice) or key != slice(None):
            self._refuse("new values of a part")
        if state.recording and self._entry is not None:
            refuse_in_place()
        if isinstance(value, NDArray):
            if {self.stype, value.stype} == {"csr", "row_sparse"}:
                raise TypeError(f"indexing: {self.stype} or default is required, got {value.stype}.")
            source = value
        else:
            source = NDArray(np.asarray(value, self.dtype), cpu())
        if source.shape == self.shape:
            self._assign(source)
        else:
            self._assign_broadcast(source._host)

    def _assign_broadcast(self, data: Array) -> None:
        """Take values of another shape: all of them are stored."""
        try:
            every = np.broadcast_to(data.astype(self.dtype), self.shape)
        except ValueError:
            raise ShapeError(f"indexing: shape {self.shape} is required, got {data.shape}.") from None
        self.stored = self._full(every)

    def _full(self, data: Array) -> CSR | RowSparse:
        """Values of which all are stored."""
        raise NotImplementedError

    def _in_place(self, result: NDArray) -> NDArray:
        if state.recording and (self._entry is not None or result._entry is not None):
            refuse_in_place()
        if result.shape != self.shape:
            raise ShapeError(
                f"in-place arithmetic: a result of shape {self.shape} is required, got {result.shape}."
            )
        self._assign(result)
        return self

    # ---- what it stores

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        return None, {"stored": self.stored, "_ctx": self._ctx, "_origin": None, "_leaf": None}

    def _pattern(self) -> Pattern:
        return pattern_of(self.stored)

    def _recorded(self) -> Any:
        return self.stored

    def _assign(self, other: ArrayBase) -> None:
        if isinstance(other, BaseSparseNDArray) and other.stype == self.stype:
            self.stored = converted(other.stored, np.dtype(self.dtype))
        else:
            self.stored = compressed(other._host.astype(self.dtype), self.stype)

    def _accumulate(self, other: ArrayBase) -> None:
        self.stored = added(self.stored, other._host, other._pattern())

    def _clear(self) -> None:
        self.stored = no_values(self.stype, self.shape, np.dtype(self.dtype))

    def reshape(self, *shape: ShapeLike, **kwargs: object) -> NDArray:
        """Refused, as there is no memory that both could share."""
        self._refuse("another shape")

    # ---- what it is

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        shape: tuple[int, ...] = self.stored.shape
        return shape

    @property
    def dtype(self) -> type[Any]:
        """The element type, as NumPy's scalar type."""
        kind: type[Any] = self.stored.data.dtype.type
        return kind

    @property
    def size(self) -> int:
        """The number of elements, zeros included."""
        return int(np.prod(self.shape, dtype=object))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"\n<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self._ctx}>"

    @property
    def data(self) -> NDArray:
        """A copy of the stored values."""
        return NDArray(self.stored.data.copy(), self._ctx)

    @property
    def indices(self) -> NDArray:
        """A copy of the indices of the stored values: columns of a CSR matrix, rows otherwise."""
        return NDArray(self.stored.indices.copy(), self._ctx)

    def check_format(self, full_check: bool = True) -> None:
        """Raise `MXNetError` if indices do not fit or, with `full_check`, do not ascend."""
        checked(self.stored)
        if full_check:
            check_order(self.stored)

    # ---- its values elsewhere

    def asnumpy(self) -> Array:
        """The dense values as a new NumPy array."""
        return expanded(self.stored)

    def tostype(self, stype: str) -> NDArray:
        """The array itself or, for 'default', a dense one."""
        if stype == self.stype:
            return self
        if stype in ("csr", "row_sparse"):
            raise ValueError(f"cast_storage from {self.stype} to {stype} is not supported")
        return super().tostype(stype)

    def detach(self) -> NDArray:
        """The same values, cut off from the tape."""
        return type(self)(self.stored, self._ctx)

    def astype(self, dtype: DTypeLike, copy: bool = True) -> NDArray:
        """The values as another dtype, of the same storage type."""
        target = native_dtype(dtype)
        if not copy and target == self.stored.data.dtype:
            return self
        return type(self)(converted(self.stored, target), self._ctx)

    def copyto(self, other: NDArray | Context) -> NDArray:
        """Copy into an array, dense or of the same storage type, or into a new one of it on a context."""
        if isinstance(other, Context):
            return type(self)(converted(self.stored, self.stored.data.dtype), other)
        return super().copyto(other)


def _same_shape_overload(forms: Overload, in_place: bool) -> Any:
    def method(self: BaseSparseNDArray, other: Any) -> NDArray:
        result = combine_same(self, other, forms)
        return self._in_place(result) if in_place else result

    return method


def combine_same(lhs: NDArray, rhs: Any, forms: Overload) -> NDArray:
    """As `combine`, but arrays of one shape by the operator for these, of which more stays sparse."""
    alike = isinstance(rhs, NDArray) and rhs.shape == lhs.shape
    return combine(lhs, rhs, forms.plain[0] if alike else forms.broadcasting, forms.scalar[0])


for _name, _forms in ARITHMETIC.items():
    setattr(BaseSparseNDArray, f"__{_name}__", _same_shape_overload(_forms, False))
    if _name != "pow":
        setattr(BaseSparseNDArray, f"__i{_name}__", _same_shape_overload(_forms, True))


class CSRNDArray(BaseSparseNDArray):
    """A matrix that stores the values of each row that are not zero, with their columns."""

    __slots__ = ()
    stype: ClassVar[str] = "csr"

    def __getitem__(self, key: Key) -> NDArray:
        if isinstance(key, int | np.integer) and -len(self) <= key < len(self):
            begin, end = int(key) % len(self), int(key) % len(self) + 1
        elif isinstance(key, slice) and key.step in (None, 1):
            begin, end, _ = key.indices(len(self))
        else:
            return super().__getitem__(key)
        part: NDArray = _F.slice(self, begin=(begin,), end=(max(begin, end),))
        return part

    def _full(self, data: Array) -> CSR:
        rows, columns = data.shape
        return CSR(
            data.shape,
            data.reshape(-1).copy(),
            np.arange(rows + 1, dtype=np.int64) * columns,
            np.tile(np.arange(columns, dtype=np.int64), rows),
        )

    @property
    def indptr(self) -> NDArray:
        """Where each row begins in `data` and `indices`, and the end: (rows + 1,)."""
        return NDArray(self.stored.indptr.copy(), self._ctx)

    def asscipy(self) -> Any:
        """The matrix as SciPy's, which has to be installed."""
        csr_matrix = importlib.import_module("scipy.sparse").csr_matrix
        csr = self.stored
        return csr_matrix((csr.data, csr.indices, csr.indptr), shape=csr.shape, dtype=csr.data.dtype)


class RowSparseNDArray(BaseSparseNDArray):
    """An array that stores those of its rows that are not zero, with their indices."""

    __slots__ = ()
    stype: ClassVar[str] = "row_sparse"

    def __getitem__(self, key: Key) -> NDArray:
        return self if isinstance(key, slice) and key == slice(None) else super().__getitem__(key)

    def _full(self, data: Array) -> RowSparse:
        return RowSparse(data.shape, data.copy(), np.arange(len(data), dtype=np.int64))

    def retain(self, row_ids: NDArray) -> NDArray:
        """The rows that are named, and zeros for the others."""
        retained: NDArray = _F._sparse_retain(self, row_ids)
        return retained


def _zero_gradient(shape: tuple[int, ...], dtype: DType, ctx: Context, as_numpy: bool) -> NDArray:
    """A dense gradient, of the face that its variable has."""
    gradient = NDArray(np.zeros(shape, dtype), ctx)
    return gradient.as_np_ndarray() if as_numpy else gradient


def from_stored(value: Value, ctx: Context) -> NDArray:
    """The array over stored values, as files have them."""
    if isinstance(value, CSR):
        return CSRNDArray(value, ctx)
    return RowSparseNDArray(value, ctx) if isinstance(value, RowSparse) else NDArray(value, ctx)


if not TYPE_CHECKING:
    _ELSEWHERE = """
add arange array concatenate divide empty equal eye from_dlpack from_numpy full greater
greater_equal histogram imdecode lesser lesser_equal linspace logical_and logical_or logical_xor
maximum minimum modulo moveaxis multiply not_equal onehot_encode ones power split_v2 subtract
to_dlpack_for_read to_dlpack_for_write true_divide waitall zeros
""".split()
    """What MXNet's module has as well; the package knows where it is."""
    __getattr__, _ = lazy_package(__name__, single=dict.fromkeys(_ELSEWHERE, ".."))
