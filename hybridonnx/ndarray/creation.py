"""Arrays from Python values, constants and sequences."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..attrs import ShapeLike
from ..context import Context, as_context, usable
from ..dtypes import DTypeLike, as_dtype, converted, float32, native_dtype, strings
from ..dtypes import zeros_of as zero_values
from ..errors import MXNetError
from ..ops import Array, Spec, sizes
from ._storage import from_scipy, is_scipy_csr, no_values
from .ndarray import NDArray, from_stored
from .np_shape import is_np_shape

__all__ = [
    "arange",
    "array",
    "empty",
    "eye",
    "from_dlpack",
    "from_numpy",
    "full",
    "linspace",
    "ones",
    "to_dlpack_for_read",
    "to_dlpack_for_write",
    "waitall",
    "zeros",
]


def array(source_array: ArrayLike, ctx: Context | None = None, dtype: DTypeLike | None = None) -> NDArray:
    """An array of the values of `source_array`, float32 unless it is an NDArray or `dtype` is given."""
    if isinstance(source_array, NDArray):
        copied = source_array.copyto(as_context(ctx))
        return copied if dtype is None else copied.astype(dtype, copy=False)
    if is_scipy_csr(source_array):
        return from_stored(from_scipy(source_array, dtype), _usable(ctx))
    value_dtype = as_dtype(dtype)
    if value_dtype.hasobject:
        return NDArray(_texts(source_array), _usable(ctx))
    try:
        with np.errstate(invalid="ignore"):  # what does not fit wraps, as in MXNet
            data = np.asarray(source_array).astype(value_dtype, order="C")
    except (ValueError, TypeError, OverflowError) as exc:
        raise TypeError(
            "source_array must be array like object: numbers in rows of one length are required, "
            f"got {type(source_array)}."
        ) from exc
    return NDArray(data, _usable(ctx))


def _texts(source: Any) -> Array:
    """An array of strings; NumPy's own text would end at a NUL."""
    return converted(source if isinstance(source, np.ndarray) else np.array(source, object), strings)


def _usable(ctx: Context | None) -> Context:
    return usable(as_context(ctx))


def _require_names(function: str, options: Mapping[str, object]) -> None:
    """Refuse options other than what symbols use: `name`, and attributes between double underscores."""
    for option in options:
        if option != "name" and not option.startswith("__"):
            raise MXNetError(f"{function}: an option that it has is required, got {option}.")


def _shape(shape: Any) -> tuple[int, ...]:
    sizes = (int(shape),) if isinstance(shape, int | np.integer) else tuple(int(d) for d in shape)
    if any(d < 0 for d in sizes):
        raise MXNetError(f"shape: sizes of at least 0 are required, got {sizes}.")
    return sizes


def _filled(
    make: Callable[..., Array],
    shape: ShapeLike,
    ctx: Context | None,
    dtype: DTypeLike | None,
    stype: str | None,
    out: NDArray | None,
) -> NDArray:
    sizes = _shape(shape)
    if not sizes and not is_np_shape():
        raise MXNetError("shape: at least one axis is required, got (). Without axes: util.np_shape(True).")
    if stype not in (None, "default"):
        return from_stored(no_values(stype, sizes, native_dtype(dtype)), as_context(ctx))
    kind = as_dtype(dtype)
    values = make(sizes, kind)
    return _into(NDArray(converted(values, kind) if kind.hasobject else values, _usable(ctx)), out)


def _into(array: NDArray, out: NDArray | None) -> NDArray:
    if out is None:
        return array
    out[:] = array
    return out


def zeros(
    shape: ShapeLike,
    ctx: Context | None = None,
    dtype: DTypeLike | None = None,
    stype: str | None = None,
    *,
    out: NDArray | None = None,
    **kwargs: object,
) -> NDArray:
    """An array of zeros; `dtype` is float32 unless given.

    What only symbols use, such as `name`, has no effect.
    """
    _require_names("zeros", kwargs)
    return _filled(zero_values, shape, ctx, dtype, stype, out)


def ones(
    shape: ShapeLike,
    ctx: Context | None = None,
    dtype: DTypeLike | None = None,
    stype: str | None = None,
    *,
    out: NDArray | None = None,
    **kwargs: object,
) -> NDArray:
    """An array of ones; `dtype` is float32 unless given.

    What only symbols use, such as `name`, has no effect.
    """
    _require_names("ones", kwargs)
    return _filled(np.ones, shape, ctx, dtype, stype, out)


def zeros_of(spec: Spec, ctx: Context | None, stype: str = "default") -> NDArray:
    """Zeros of the shape and dtype that inference found, in a storage type."""
    if spec.shape is None:
        raise MXNetError("zeros: a complete shape is required, got unknown.")
    if stype != "default":
        return zeros(sizes(spec.shape), ctx, spec.dtype, stype)
    return NDArray(zero_values(sizes(spec.shape), spec.dtype or float32), _usable(ctx))


def empty(
    shape: ShapeLike, ctx: Context | None = None, dtype: DTypeLike | None = None, stype: str | None = None
) -> NDArray:
    """An array whose values nobody has set yet (they are zero)."""
    if stype not in (None, "default"):
        return zeros(shape, ctx, dtype, stype)
    return NDArray(zero_values(_shape(shape), as_dtype(dtype)), _usable(ctx))


def full(
    shape: ShapeLike,
    val: float,
    ctx: Context | None = None,
    dtype: DTypeLike | None = "float32",
    out: NDArray | None = None,
) -> NDArray:
    """An array of which every element is `val`."""
    return _filled(lambda sizes, kind: np.full(sizes, val, kind), shape, ctx, dtype, None, out)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: object = None,
    ctx: Context | None = None,
    dtype: DTypeLike | None = "float32",
) -> NDArray:
    """Numbers from `start` (0 if `stop` is not given) to below `stop` by `step`, each `repeat` times.

    A `dtype` of None is float64, as NumPy's.
    """
    if stop is None:
        start, stop = 0, start
    if (stop - start) * step <= 0:
        raise MXNetError(f"arange: a step that leads from {start} to {stop} is required, got {step}.")
    values = np.repeat(np.arange(start, stop, step), repeat)
    return NDArray(converted(values, as_dtype("float64" if dtype is None else dtype)), _usable(ctx))


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: Context | None = None,
    dtype: DTypeLike | None = "float32",
) -> NDArray:
    """`num` evenly spaced numbers from `start` to `stop`; a `dtype` of None is float64, as NumPy's."""
    values = np.linspace(start, stop, num, endpoint)
    return NDArray(converted(values, as_dtype("float64" if dtype is None else dtype)), _usable(ctx))


def eye(
    N: int,
    M: int = 0,
    k: int = 0,
    ctx: Context | None = None,
    dtype: DTypeLike | None = None,
    *,
    out: NDArray | None = None,
    **kwargs: object,
) -> NDArray:
    """An (N, M) matrix, square if M is 0, with ones on the diagonal `k` to the right of the main one."""
    _require_names("eye", kwargs)
    result = NDArray(np.eye(N, M or None, k, dtype=native_dtype(dtype)), _usable(ctx))
    return result if out is None else result.copyto(out)


def from_numpy(ndarray: Array, zero_copy: bool = True, array_cls: type[NDArray] = NDArray) -> NDArray:
    """An array over the memory of a NumPy array, which becomes read-only, or over a copy."""
    if zero_copy and not ndarray.flags.c_contiguous:
        raise ValueError("Only arrays with flags.c_contiguous == True are supported; pass zero_copy=False.")
    if as_dtype(ndarray.dtype).hasobject:
        return array_cls(converted(ndarray, strings), _usable(None))
    if not zero_copy:
        return array_cls(ndarray.copy(), _usable(None))
    if not ndarray.flags.writeable:
        return array_cls(ndarray, _usable(None))
    shared = np.asarray(_Writable(ndarray))
    ndarray.flags.writeable = False  # so that all changes are made here
    return array_cls(shared, _usable(None))


class _Capsule:
    """A DLPack capsule, as NumPy takes one: inside an object."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class _Writable:
    """The memory of an array that is marked as read-only without being so."""

    def __init__(self, array: Array) -> None:
        self._array = array
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}


@cache
def _tells_read_only() -> bool:
    """Whether NumPy marks only what is read-only; up to 2.1 at least it marks all that comes by DLPack."""
    return bool(np.from_dlpack(np.zeros(1)).flags.writeable)


def from_dlpack(dlpack: object) -> NDArray:
    """An array over the memory of a DLPack capsule, or of an object with one; a copy if it is read-only."""
    on_device = _taken(dlpack)
    if on_device is not None:
        return NDArray._on_tape(on_device, on_device.device.ctx, None)
    shared = np.from_dlpack(dlpack if hasattr(dlpack, "__dlpack__") else _Capsule(dlpack))
    as_dtype(shared.dtype)
    if not _tells_read_only():
        shared = np.asarray(_Writable(shared))
    usual = shared.flags.c_contiguous and shared.flags.writeable
    return NDArray(shared if usual else shared.copy(), _usable(None))


def _taken(dlpack: Any) -> Any:
    """What a capsule, or an object with one, has in the memory of a GPU; `None` if it is the processor's."""
    capsule = dlpack
    if hasattr(dlpack, "__dlpack__"):
        if dlpack.__dlpack_device__()[0] == _PROCESSOR:
            return None
        capsule = dlpack.__dlpack__()
    return import_module(f"{__package__.partition('.')[0]}.runtime.device").from_dlpack(capsule)


_PROCESSOR = 1
"""DLPack's number of this kind of device."""


def to_dlpack_for_read(data: NDArray) -> Any:
    """The array's memory as a DLPack capsule."""
    return data.to_dlpack_for_read()


to_dlpack_for_write = to_dlpack_for_read


def waitall() -> None:
    """Wait until all that was begun on GPUs is done; on the processor calls return when they are done."""
    module = sys.modules.get(f"{__package__.partition('.')[0]}.runtime.device")
    if module is not None:
        module.waitall()
