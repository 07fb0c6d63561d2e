"""Arrays of a device as DLPack's capsules, and back, over the same memory.

The structures are those of DLPack's header (dmlc/dlpack, version 0).
"""

from __future__ import annotations

import ctypes
import itertools
import operator
import weakref
from typing import Any, NamedTuple

import numpy as np

from .._locks import new_lock
from ..dtypes import DType, as_dtype, is_bfloat16
from ..errors import MXNetError
from .session import _HELD_BY_POOL as _HELD_HERE
from .session import _references

_NAME, _USED = b"dltensor", b"used_dltensor"
CUDA, OTHER = 2, 12
"""DLPack's numbers of kinds of devices: NVIDIA's GPUs, and what only its owner knows, as one in play."""
_INT, _UINT, _FLOAT, _BFLOAT, _BOOL = 0, 1, 2, 4, 6
_CODES = {"i": _INT, "u": _UINT, "f": _FLOAT, "b": _BOOL}
_KINDS = {_INT: "i", _UINT: "u", _FLOAT: "f"}


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = (("tensor", _Tensor), ("manager", ctypes.c_void_p), ("deleter", _Deleter))

_api = ctypes.pythonapi
_new = _api.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_is_valid = _api.PyCapsule_IsValid
_is_valid.argtypes = (ctypes.c_void_p, ctypes.c_char_p)
_pointer = _api.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_char_p)
_rename = _api.PyCapsule_SetName
_rename.argtypes = (ctypes.py_object, ctypes.c_char_p)

_making = new_lock()
_lent: dict[int, tuple[Any, ...]] = {}
"""By the addresses of tensors that others have, what keeps them."""


def _return(managed: Any) -> None:
    """What DLPack calls the deleter of a tensor that was lent."""
    _lent.pop(ctypes.addressof(managed.contents), None)


_take_back = _Deleter(_return)


_capsules: list[Any] = []
"""Those that were made, until they are used or nobody else has them. A capsule could call Python code when it
ends, but that may be while an exception is on its way, which would be lost."""


def _sweep() -> None:
    """Take back what nobody can take out of a capsule any more."""
    references = _references(_capsules)
    left = []
    for made, holders in zip(_capsules, references, strict=True):
        if not _is_valid(id(made), _NAME):
            continue
        if holders > _HELD_HERE:
            left.append(made)
        else:
            _lent.pop(_pointer(id(made), _NAME), None)
    _capsules[:] = left


def capsule(array: Any, kind: int, number: int) -> Any:
    """A capsule over the memory of an array, which has an address, on a device of a kind and a number."""
    shape = (ctypes.c_int64 * max(len(array.shape), 1))(*array.shape)
    code = _BFLOAT if is_bfloat16(array.dtype) else _CODES[array.dtype.kind]
    managed = _Managed()
    managed.tensor = _Tensor(
        array.address,
        kind,
        number,
        len(array.shape),
        code,
        8 * array.dtype.itemsize,
        1,
        ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64)),
        None,
        0,
    )
    managed.deleter = _take_back
    address = ctypes.addressof(managed)
    _lent[address] = managed, shape, array
    made = _new(address, _NAME, None)
    with _making:
        _sweep()
        _capsules.append(made)
    return made


class Loan(NamedTuple):
    """Memory of somebody else."""

    kind: int
    """DLPack's number of the kind of device."""
    device: int
    address: int
    shape: tuple[int, ...]
    dtype: DType
    managed: Any

    def keeper(self) -> _Keeper:
        """What gives it back when it ends."""
        return _Keeper(self.managed)


def opened(source: Any) -> Loan | None:
    """What a capsule has; `None` if that is the processor's. Raises `MXNetError` if somebody has used it."""
    if not _is_valid(id(source), _NAME):
        raise MXNetError("from_dlpack: a DLPack capsule that nobody has used is required.")
    managed = _Managed.from_address(_pointer(id(source), _NAME))
    tensor = managed.tensor
    if tensor.device_type not in (CUDA, OTHER):
        return None
    shape = tuple(tensor.shape[: tensor.ndim])
    if tensor.strides and tuple(tensor.strides[: tensor.ndim]) != _strides(shape):
        raise MXNetError("from_dlpack: elements that follow one another are required of memory on a GPU.")
    begin = (tensor.data or 0) + tensor.byte_offset
    return Loan(tensor.device_type, tensor.device_id, begin, shape, _dtype(tensor), managed)


def use_up(source: Any) -> None:
    """Mark a capsule as used, so that nobody else gives its memory back."""
    _rename(source, _USED)


class _Keeper:
    """Memory of somebody else, given back at the end."""

    def __init__(self, managed: Any) -> None:
        weakref.finalize(self, managed.deleter, ctypes.pointer(managed))


def _dtype(tensor: Any) -> DType:
    if tensor.code == _BFLOAT and tensor.bits == 16:
        return as_dtype("bfloat16")
    if tensor.code == _BOOL and tensor.bits == 8:
        return np.dtype(bool)
    if tensor.lanes != 1 or tensor.code not in _KINDS or tensor.bits % 8:
        raise MXNetError(
            f"from_dlpack: integers or floating-point numbers are required, got type {tensor.code}."
        )
    return np.dtype(f"{_KINDS[tensor.code]}{tensor.bits // 8}")


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """How many elements lie between neighbours along each axis."""
    strides = [*itertools.accumulate(reversed(shape[1:]), operator.mul, initial=1)][::-1]
    return tuple(strides[: len(shape)])
