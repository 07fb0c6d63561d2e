"""`.params` files: arrays and their names, read from every version of MXNet, written as by 1.9.1.

    uint64 0x112, 0, count;  the arrays;  uint64 count of names;  for each name: uint64 length, UTF-8

What MXNet cannot hold is an extension, which docs/files.md describes: types of ONNX, by flags of our own.

An array says its encoding first: V2, V3 or V1 by a magic number; without one, the number is the count of axes
of the oldest encoding, V0. All numbers are little-endian. Files come from strangers: each length is compared
with what is left of the file before memory is asked for.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, BinaryIO, ClassVar, NoReturn, TypeAlias

import numpy as np

from ..dtypes import (
    EXTENSIONS,
    FLAGS,
    DType,
    converted,
    dtype_of_flag,
    flag_of,
    is_native,
    is_packed,
    name_of,
    packed,
    stored_bytes,
    strings,
    unpacked,
)
from ..errors import FormatError

Array: TypeAlias = np.ndarray[Any, DType]
Device: TypeAlias = tuple[int, int]
"""The kind of a device and its number: 1 is the CPU, 2 a GPU."""

CPU: Device = (1, 0)

_LIST = 0x112
_V1, _V2, _V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
_DENSE, _ROW_SPARSE, _CSR = 0, 1, 2
_MOST_AXES = 32
_SMALLEST_ARRAY = 20
_LENGTH = 8
"""Bytes of the length before a text."""
_INDEX_DTYPES = (np.dtype("int64"), np.dtype("int32"))


@dataclass(frozen=True, slots=True, eq=False)
class CSR:
    """A matrix `shape` whose row `i` has `data[indptr[i]:indptr[i + 1]]` in the columns `indices[...]`."""

    shape: tuple[int, ...]
    data: Array
    indptr: Array
    indices: Array

    stype: ClassVar[str] = "csr"


@dataclass(frozen=True, slots=True, eq=False)
class RowSparse:
    """An array `shape` whose rows `indices` are `data`, (len(indices), *shape[1:]), and the others zero."""

    shape: tuple[int, ...]
    data: Array
    indices: Array

    stype: ClassVar[str] = "row_sparse"


Value: TypeAlias = Array | CSR | RowSparse


# ---- reading


def read(file: BinaryIO, size: int, np_shape: bool = False) -> tuple[list[Value], list[str]]:
    """The arrays of a file of `size` bytes, each with memory of its own, and their names or no names.

    Arrays without axes are refused unless `np_shape`. Raises `FormatError`, naming the offset, for anything
    that is not such a file.
    """
    reader = _Reader(file, size)
    magic, reserved = reader.numbers("<QQ", "the header")
    if magic != _LIST or reserved:
        reader.fail(f"{_LIST:#x} and 0 at the start of a file of arrays", f"{magic:#x} and {reserved}", at=0)
    count = reader.count(_SMALLEST_ARRAY, "arrays")
    values = []
    for index in range(count):
        reader.where = f"array {index} of {count}"
        values.append(_value(reader, np_shape))
    reader.where = "names"
    names = _names(reader, count)
    if reader.left():
        reader.fail("the end of the file after the names", f"{reader.left()} more bytes")
    return values, names


def read_bytes(data: bytes, np_shape: bool = False) -> tuple[list[Value], list[str]]:
    """The same as `read`, from the bytes of a file."""
    return read(io.BytesIO(data), len(data), np_shape)


def read_one(data: bytes, np_shape: bool = False) -> Value:
    """The array of bytes that hold no more than it, as MXNet has them in a pickle."""
    reader = _Reader(io.BytesIO(data), len(data))
    reader.where = "the array"
    value = _value(reader, np_shape)
    if reader.left():
        reader.fail("the end of the bytes after the array", f"{reader.left()} more bytes")
    return value


class _Reader:
    """A file with its size, and the offset that is being read, for messages."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self.at = 0
        self.where = "header"

    def left(self) -> int:
        """The number of bytes not read yet."""
        return self._size - self.at

    def fail(self, required: str, got: str, at: int | None = None) -> NoReturn:
        """Raise `FormatError` for what is at `at`, or at the offset that is read next."""
        at = self.at if at is None else at
        raise FormatError(f"params file, byte {at}, {self.where}: {required} is required, got {got}.")

    def _need(self, count: int, what: str) -> None:
        if count > self.left():
            self.fail(f"{what} of {count} bytes", f"the end of the file after {self.left()}")

    def take(self, count: int, what: str) -> bytes:
        """The next `count` bytes."""
        self._need(count, what)
        data = self._file.read(count)
        self._advance(len(data), count)
        return data

    def numbers(self, layout: str, what: str) -> tuple[int, ...]:
        """The next numbers, in the notation of `struct`."""
        return struct.unpack(layout, self.take(struct.calcsize(layout), what))

    def count(self, smallest: int, what: str) -> int:
        """A number of items, each of `smallest` bytes at least."""
        at = self.at
        (count,) = self.numbers("<Q", f"the number of {what}")
        if count > self.left() // smallest:
            self.fail(f"a number of {what} that fits into {self.left()} bytes", str(count), at)
        return count

    def array(self, shape: tuple[int, ...], dtype: DType, what: str = "values") -> Array:
        """The next values, as a new array."""
        if dtype == strings:
            return self._strings(shape, what)
        size = stored_bytes(prod(shape), dtype)
        self._need(size, f"{what} of shape {shape} and dtype {dtype}")
        if is_packed(dtype):
            data = np.frombuffer(self.take(size, what), np.uint8)
            return unpacked(data, prod(shape), dtype).reshape(shape)
        array = np.empty(shape, dtype)
        at, memory, filled = self.at, array.reshape(-1).view(np.uint8).data, 0
        while filled < array.nbytes:
            got = self._file.readinto(memory[filled:])  # type: ignore[attr-defined]  # BinaryIO leaves it out
            if not got:
                break
            filled += got
        self._advance(filled, array.nbytes)
        if dtype == np.bool_ and array.view(np.uint8).max(initial=0) > 1:
            self.fail(f"{what} of bool as bytes of 0 and 1", "other bytes", at)
        return array

    def _strings(self, shape: tuple[int, ...], what: str) -> Array:
        """The next texts, each with its length before it."""
        count = prod(shape)
        self._need(count * _LENGTH, f"{what} of shape {shape} and of strings")
        array = np.empty(count, strings)
        for index in range(count):
            array[index] = self.text("a string")
        return array.reshape(shape)

    def text(self, what: str) -> str:
        """The next text: its length in bytes, then UTF-8."""
        length = self.count(1, f"bytes in {what}")
        at = self.at
        try:
            return self.take(length, what).decode()
        except UnicodeDecodeError as exc:
            self.fail(f"{what} in UTF-8", f"byte {exc.object[exc.start]:#x} in it", at + exc.start)

    def _advance(self, got: int, count: int) -> None:
        self.at += got
        if got < count:
            self.fail(f"{count - got} more bytes of a file of {self._size}", "fewer: it is being changed")


def _value(reader: _Reader, np_shape: bool) -> Value:
    at = reader.at
    (magic,) = reader.numbers("<I", "the encoding")
    if magic in (_V2, _V3):
        return _modern(reader, magic == _V3, np_shape)
    if magic == _V1:
        shape = _shape(reader)
    elif magic <= _MOST_AXES:
        shape = _fits(reader, reader.numbers(f"<{magic}I", "a shape"), at)
    else:
        reader.fail(f"an encoding V0, V1, V2 or V3 of at most {_MOST_AXES} axes", f"{magic:#x}", at)
    if not shape:
        reader.fail("an array of one axis at least", "none (0 axes)", at)
    return reader.array(shape, _header(reader))


def _modern(reader: _Reader, is_v3: bool, np_shape: bool) -> Value:
    at = reader.at
    (storage,) = reader.numbers("<i", "a storage type")
    if storage in (_ROW_SPARSE, _CSR) and not is_v3:
        return _sparse(reader, storage)
    if storage != _DENSE:
        allowed = "0 (dense)" if is_v3 else "0 (dense), 1 (row_sparse) or 2 (csr)"
        reader.fail(f"storage type {allowed}", str(storage), at)
    at = reader.at
    shape = _shape(reader)
    if not shape and not is_v3:
        reader.fail("an array of one axis at least", "none (0 axes)", at)
    if not shape and not np_shape:
        reader.fail(
            "NumPy's shape semantics for an array without axes: util.set_np_shape(True), or a block with "
            "util.np_shape(),",
            "MXNet's own semantics",
            at,
        )
    return reader.array(shape, _header(reader))


def _shape(reader: _Reader) -> tuple[int, ...]:
    at = reader.at
    (axes,) = reader.numbers("<i", "the number of axes")
    if not 0 <= axes <= _MOST_AXES:
        reader.fail(f"0 to {_MOST_AXES} axes", "no array (-1)" if axes == -1 else str(axes), at)
    return _fits(reader, reader.numbers(f"<{axes}q", "a shape"), at)


def _fits(reader: _Reader, shape: tuple[int, ...], at: int) -> tuple[int, ...]:
    # NumPy refuses such sizes next to a zero, too.
    if any(d < 0 for d in shape) or prod(d for d in shape if d) >= 1 << 59:
        reader.fail("sizes from 0 up to what memory can hold", str(shape), at)
    return shape


def _header(reader: _Reader) -> DType:
    """The dtype; the device before it says where the array was when it was saved."""
    reader.numbers("<ii", "a device")
    return _dtype(reader)


def _dtype(reader: _Reader) -> DType:
    at = reader.at
    (flag,) = reader.numbers("<i", "a type flag")
    dtype = dtype_of_flag(flag)
    if dtype is None:
        names = [*((number, dtype.name) for number, dtype in FLAGS.items())]
        names += [(number, name) for name, number in EXTENSIONS.items()]
        reader.fail(f"a type flag ({', '.join(f'{number} {name}' for number, name in names)})", str(flag), at)
    return dtype


def _sparse(reader: _Reader, storage: int) -> Value:
    at = reader.at
    stored, shape, dtype = _shape(reader), _shape(reader), _header(reader)
    if not is_native(dtype):
        reader.fail("one of MXNet's own types for a sparse array", name_of(dtype), at)
    layouts = [(_dtype(reader), _shape(reader)) for _ in range(2 if storage == _CSR else 1)]
    if any(kind not in _INDEX_DTYPES or len(sizes) != 1 for kind, sizes in layouts):
        reader.fail("a list of indices of dtype int64 or int32", str(layouts), at)
    data = reader.array(stored, dtype)
    parts = [reader.array(sizes, kind, "indices") for kind, sizes in layouts]
    array = CSR(shape, data, *parts) if storage == _CSR else RowSparse(shape, data, *parts)
    fault = find_fault(array)
    if fault:
        reader.fail(*fault, at)
    return array


def _names(reader: _Reader, count: int) -> list[str]:
    at = reader.at
    names: dict[str, None] = {}
    listed = reader.count(8, "names")
    if listed not in (0, count):
        reader.fail(f"no name or one for each of {count} arrays", str(listed), at)
    for _ in range(listed):
        at = reader.at + _LENGTH
        name = reader.text("a name")
        if name in names:
            reader.fail("a name for one array", f"{name!r} again", at)
        names[name] = None
    return list(names)


# ---- sparse arrays


def find_fault(value: CSR | RowSparse) -> tuple[str, str] | None:
    """What a sparse array must be and what it is instead, if the indices do not fit its shape and data."""
    return _csr_fault(value) if isinstance(value, CSR) else _row_sparse_fault(value)


def _csr_fault(value: CSR) -> tuple[str, str] | None:
    if len(value.shape) != 2 or value.data.ndim != 1:
        return "a matrix with a list of values", f"shape {value.shape} with values {value.data.shape}"
    rows, columns = value.shape
    ends, indices, stored = value.indptr, value.indices, len(value.data)
    if len(ends) != rows + 1 or ends[0] != 0 or ends[-1] != stored or (ends[1:] < ends[:-1]).any():
        return f"a list of row ends from 0 up to {stored} over {rows} rows", "another"
    if len(indices) != stored or not _within(indices, columns):
        return f"a list of {stored} column indices from 0 to {columns - 1}", "another"
    return None


def _row_sparse_fault(value: RowSparse) -> tuple[str, str] | None:
    expected = (len(value.indices), *value.shape[1:])
    if not value.shape or value.data.shape != expected:
        return f"data of shape {expected}", f"shape {value.data.shape} for {value.shape}"
    if not _within(value.indices, value.shape[0]):
        return f"a list of row indices from 0 to {value.shape[0] - 1}", "another"
    return None


def _within(indices: Array, size: int) -> bool:
    return not len(indices) or bool(indices.min() >= 0 and indices.max() < size)


# ---- writing


def write(
    values: Sequence[Value],
    names: Sequence[str] = (),
    devices: Sequence[Device] = (),
    np_shape: bool = False,
) -> Iterator[bytes | Array]:
    """The bytes of a file as 1.9.1 writes it, in pieces: arrays are not copied if their memory is contiguous.

    Arrays without axes need `np_shape`, which MXNet, too, needs to read the file again.
    """
    if len({*names}) != len(names) or len(names) not in (0, len(values)):
        raise FormatError(
            f"params: {len(values)} different names or none are required, got {len(names)}, "
            f"{len({*names})} of them different."
        )
    yield struct.pack("<QQQ", _LIST, 0, len(values))
    for index, value in enumerate(values):
        yield from _pieces(value, devices[index] if devices else CPU, np_shape)
    yield struct.pack("<Q", len(names))
    for name in names:
        encoded = _encoded(name)
        yield struct.pack("<Q", len(encoded)) + encoded


def _pieces(value: Value, device: Device, np_shape: bool) -> Iterator[bytes | Array]:
    if isinstance(value, np.ndarray):
        _check_dense(value, np_shape)
        start = struct.pack("<Ii", _V3 if np_shape else _V2, _DENSE)
        yield start + _sizes(value.shape) + struct.pack("<iii", *device, flag_of(value.dtype))
        yield from _elements(value)
        return
    if np_shape:
        raise FormatError(
            "params: a dense array is required under NumPy's shape semantics, "
            f"got storage type {value.stype}. Save outside of util.np_shape()."
        )
    is_csr = isinstance(value, CSR)
    parts = [value.indptr, value.indices] if isinstance(value, CSR) else [value.indices]
    start = struct.pack("<Ii", _V2, _CSR if is_csr else _ROW_SPARSE)
    yield start + _sizes(value.data.shape) + _sizes(value.shape)
    yield struct.pack("<iii", *device, flag_of(value.data.dtype))
    yield b"".join(struct.pack("<i", flag_of(part.dtype)) + _sizes(part.shape) for part in parts)
    for part in (value.data, *parts):
        yield np.ascontiguousarray(part).reshape(-1).view(np.uint8)


def _elements(value: Array) -> Iterator[bytes | Array]:
    if value.dtype == strings:
        for text in converted(value, strings).flat:
            encoded = _utf8(text, "strings")
            yield struct.pack("<Q", len(encoded)) + encoded
    elif is_packed(value.dtype):
        yield packed(value)
    else:
        yield np.ascontiguousarray(value).reshape(-1).view(np.uint8)


def _check_dense(value: Array, np_shape: bool) -> None:
    if value.ndim == 0 and not np_shape:
        raise FormatError(
            "params: one axis at least is required, as MXNet could not read the file, got an array of "
            "shape (). Reshape it to (1,), or save within util.np_shape()."
        )


def _sizes(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f"<i{len(shape)}q", len(shape), *shape)


def _encoded(name: str) -> bytes:
    if "\0" in name:
        raise FormatError(f"params: names without NUL are required, as MXNet cuts them there, got {name!r}.")
    return _utf8(name, "names")


def _utf8(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise FormatError(f"params: {what} that UTF-8 can say are required, got {text!r}.") from None
