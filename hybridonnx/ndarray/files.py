"""Arrays to and from files: `nd.save`, `nd.load`, `nd.imdecode`."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..context import cpu
from ..errors import AttributeValueError, MXNetError
from ..formats import safetensors
from ..formats.files import PathLike, open_to_read, write_atomically
from ..formats.params import Value, read, read_bytes, write
from ..ops import Array
from .ndarray import BaseSparseNDArray, NDArray, from_stored
from .np_shape import is_np_shape

__all__ = ["imdecode", "load", "load_frombuffer", "save"]

Loaded: TypeAlias = list[NDArray] | dict[str, NDArray]


def save(fname: PathLike, data: NDArray | list[NDArray] | dict[str, NDArray]) -> None:
    """Write one array, a list, or a dict of arrays by name as a `.params` file.

    A name that ends with .safetensors makes a file of that format, of a dict; it asks for that extra.
    """
    write_atomically(fname, content(fname, data))


def content(fname: PathLike, data: NDArray | list[NDArray] | dict[str, NDArray]) -> Iterable[Any]:
    """What `save` writes, piece by piece."""
    names, arrays = _listed(data)
    if _is_safetensors(fname):
        return [safetensors.write(_dense(names, arrays))]
    devices = [(x.context.device_typeid, x.context.device_id) for x in arrays]
    return write([_stored(x) for x in arrays], names, devices, is_np_shape())


def load(fname: PathLike) -> Loaded:
    """The arrays of a `.params` file on the CPU: a dict if the file has names, else a list.

    A name that ends with .safetensors is read as that format, a dict; it asks for that extra.
    Raises `FormatError` for anything that is not such a file, `MissingFileError` if there is none.
    """
    if not isinstance(fname, str | os.PathLike):
        raise TypeError(f"load: fname required to be a string, got {fname!r}.")
    if _is_safetensors(fname):
        return _noting(fname, lambda: _values_and_names(safetensors.read(fname)))
    with open_to_read(fname) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):  # a pipe tells its size at the end
            return load_frombuffer(file.read())
        return _noting(fname, lambda: read(file, status.st_size, is_np_shape()))


def load_frombuffer(buf: bytes) -> Loaded:
    """The same as `load`, from the bytes of a file."""
    if not isinstance(buf, bytes | bytearray | memoryview):
        raise TypeError(f"load_frombuffer: buf required to be bytes, got {type(buf).__name__}.")
    return _wrapped(*read_bytes(bytes(buf), is_np_shape()))


def imdecode(
    str_img: bytes | bytearray | memoryview,
    clip_rect: Sequence[int] = (0, 0, 0, 0),
    out: NDArray | None = None,
    index: int = 0,
    channels: int = 3,
    mean: NDArray | None = None,
) -> NDArray:
    """The image that a file's bytes are, as (channels, height, width) in float32, with 3 channels or 1.

    Of it the columns and rows from x0, y0 up to x1, y1 of `clip_rect`, unless all are 0, less `mean`. It goes
    into `out`, or where that has four axes into `out[index]`. Real MXNet 1.9.1 fails at every call.
    """
    if channels not in (1, 3):
        raise AttributeValueError(f"imdecode: 1 or 3 channels are required, got {channels}.")
    image = NDArray.F._cvimdecode(NDArray(np.frombuffer(str_img, np.uint8).copy()), flag=int(channels == 3))
    x0, y0, x1, y1 = clip_rect if any(clip_rect) else (0, 0, image.shape[1], image.shape[0])
    part = NDArray.F._image_crop(image, x=x0, y=y0, width=x1 - x0, height=y1 - y0)
    pixels: NDArray = NDArray.F.transpose(part, axes=(2, 0, 1)).astype("float32")
    if mean is not None:
        pixels = NDArray.F.broadcast_sub(pixels, mean)
    if out is None:
        return pixels
    out[index if out.ndim == 4 else slice(None)] = pixels
    return out


def _is_safetensors(fname: PathLike) -> bool:
    return os.fspath(fname).endswith(safetensors.ENDING)


def _values_and_names(arrays: dict[str, Array]) -> tuple[list[Value], list[str]]:
    return list(arrays.values()), list(arrays)


def _dense(names: list[str], arrays: list[NDArray]) -> dict[str, Array]:
    """The arrays by name, as .safetensors has them."""
    if len(names) != len(arrays):
        raise MXNetError(
            "save: a dict of arrays by name is required for a .safetensors file, got arrays without names."
        )
    sparse = [name for name, x in zip(names, arrays, strict=True) if isinstance(x, BaseSparseNDArray)]
    if sparse:
        raise MXNetError(
            f"save: dense arrays are required for a .safetensors file, got {sparse[0]!r} of storage type "
            f"{arrays[names.index(sparse[0])].stype}. Use tostype('default')."
        )
    return {name: x._host for name, x in zip(names, arrays, strict=True)}


def _noting(fname: PathLike, reading: Callable[[], tuple[list[Value], list[str]]]) -> Loaded:
    try:
        return _wrapped(*reading())
    except MXNetError as exc:
        exc.add_note(f"In file {os.fspath(fname)}.")
        raise


def _listed(data: Any) -> tuple[list[str], list[NDArray]]:
    if isinstance(data, NDArray):
        return [], [data]
    if not isinstance(data, dict | list | tuple):
        raise ValueError(
            "save: an NDArray, a list of NDArrays or a dict of NDArrays by name is required, "
            f"got {type(data).__name__}."
        )
    names = list(data) if isinstance(data, dict) else []
    arrays = list(data.values() if isinstance(data, dict) else data)
    strange = [x for x in names if not isinstance(x, str)] + [x for x in arrays if not isinstance(x, NDArray)]
    if strange:
        raise TypeError(f"save only accept dict str->NDArray or list of NDArray, got {strange[0]!r}.")
    return names, arrays


def _stored(array: NDArray) -> Value:
    return array.stored if isinstance(array, BaseSparseNDArray) else array._host


def _wrapped(values: list[Value], names: list[str]) -> Loaded:
    arrays = [from_stored(value, cpu()) for value in values]
    return dict(zip(names, arrays, strict=True)) if names else arrays
