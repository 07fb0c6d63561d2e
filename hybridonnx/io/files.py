"""Iterators over files: rows of CSV and LibSVM files, and MNIST's images."""

from __future__ import annotations

import logging
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..attrs import Ints, read
from ..dtypes import DTypeLike, native_dtype
from ..errors import DTypeError, FormatError, MXNetError, ShapeError, is_file, is_folder
from ..formats.files import PathLike, open_to_read
from ..formats.idx import read_idx
from ..ndarray.ndarray import NDArray
from ..ndarray.sparse import csr_matrix
from ..ops import Array
from .io import DataBatch, DataDesc, DataIter

__all__ = ["CSVIter", "LibSVMIter", "MNISTIter", "MXDataIter"]

logger = logging.getLogger("hybridonnx")


class MXDataIter(DataIter):
    """Batches of rows that are in memory; subclasses read them.

    What a batch lacks at the end is filled with the first rows if `round_batch`, and the next epoch begins
    behind these; else with what the batch before has in these rows.
    """

    def __init__(
        self,
        rows: int,
        batch_size: int,
        round_batch: bool = True,
        data_name: str = "data",
        label_name: str = "softmax_label",
    ) -> None:
        name = type(self).__name__
        size = read(name, "batch_size", int, batch_size)
        if size < 1:
            raise MXNetError(f"{name}: a batch_size above 0 is required, got {batch_size!r}.")
        super().__init__(size)
        self.data_name, self.label_name = data_name, label_name
        self._count, self._round = rows, read(name, "round_batch", bool, round_batch)
        self._at = self._overflow = self._pad = 0
        self._index = np.zeros(self.batch_size, np.int64)
        self.provide_data = self._described(self.data_name, self._data(self._index[:0]))
        self.provide_label = self._described(self.label_name, self._label(self._index[:0]))

    def _data(self, index: Array) -> NDArray:
        """The inputs of rows by number, (N, …)."""
        raise NotImplementedError(f"{type(self).__name__}: a subclass defines _data and _label.")

    def _label(self, index: Array) -> NDArray:
        """The labels of rows by number, (N, …)."""
        raise NotImplementedError(f"{type(self).__name__}: a subclass defines _data and _label.")

    def _described(self, name: str, array: NDArray) -> list[DataDesc]:
        return [DataDesc(name, (self.batch_size, *array.shape[1:]), array.dtype)]

    def reset(self) -> None:
        """Begin anew, behind the rows that filled the last batch if they did."""
        if not self._overflow:
            self._at = 0
        self._overflow = 0

    def iter_next(self) -> bool:
        """Go to the next batch; whether there is one."""
        if self._overflow or self._at >= self._count:
            return False
        stop = min(self._at + self.batch_size, self._count)
        size = stop - self._at
        self._index = self._index.copy()
        self._index[:size] = np.arange(self._at, stop)
        self._at, self._pad = stop, self.batch_size - size
        if self._pad and self._round:
            if self._pad > self._count:
                raise MXNetError(
                    f"{type(self).__name__}: rows enough to fill a batch of {self.batch_size} are required, "
                    f"got {self._count}."
                )
            self._index[size:] = np.arange(self._pad)
            self._at = self._overflow = self._pad
        return True

    def next(self) -> DataBatch:
        """The next batch; `StopIteration` at the end."""
        if not self.iter_next():
            raise StopIteration
        return DataBatch([self.getdata()], [self.getlabel()], self.getpad(), self.getindex())

    def getdata(self) -> NDArray:
        """The inputs of the present batch."""
        return self._data(self._index)

    def getlabel(self) -> NDArray:
        """The labels of the present batch."""
        return self._label(self._index)

    def getindex(self) -> Any:
        """The numbers of the present batch's rows."""
        return self._index.astype(np.uint64)

    def getpad(self) -> int:
        """How many rows at the end of the present batch are padding."""
        return self._pad


class CSVIter(MXDataIter):
    """Batches of rows of a CSV file, or of all files in a folder, each row in the shape `data_shape`.

    Labels come from `label_csv` in the shape `label_shape`, or are 0. `dtype` is float32, int32 or int64.
    The rows are read at once, into memory, so that `prefetch_buffer` and `ctx` have no effect; nor have
    others that MXNet ignores.
    """

    def __init__(
        self,
        data_csv: PathLike,
        data_shape: Sequence[int],
        batch_size: int,
        label_csv: PathLike | None = None,
        label_shape: Sequence[int] = (1,),
        round_batch: bool = True,
        prefetch_buffer: int = 4,
        ctx: str = "cpu",
        dtype: DTypeLike | None = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        **ignored: object,
    ) -> None:
        _log_ignored("CSVIter", ignored)
        kind = np.dtype(np.float32 if dtype is None else native_dtype(dtype))
        if kind not in (np.float32, np.int32, np.int64):
            raise DTypeError(f"CSVIter: float32, int32 or int64 is required as dtype, got {kind}.")
        self._rows = _table(data_csv, data_shape, kind)
        self._labels = np.zeros((len(self._rows), *_sizes(label_shape)), kind)
        if label_csv is not None and label_csv != "NULL":
            self._labels = _table(label_csv, label_shape, kind)
        if len(self._labels) < len(self._rows):
            raise ShapeError(
                f"CSVIter: a row of label_csv for each of {len(self._rows)} rows of data_csv is required, "
                f"got {len(self._labels)}."
            )
        if self._labels.shape[1:] == (1,):
            self._labels = self._labels[:, 0]
        super().__init__(len(self._rows), batch_size, round_batch, data_name, label_name)

    def _data(self, index: Array) -> NDArray:
        return NDArray(self._rows[index])

    def _label(self, index: Array) -> NDArray:
        return NDArray(self._labels[index])


def _sizes(shape: Any) -> tuple[int, ...]:
    """A shape from its sizes, one size, or their text."""
    sizes: tuple[int, ...] = read("iterator", "shape", Ints, shape)
    return sizes


def _log_ignored(owner: str, options: Iterable[str]) -> None:
    """Say in the log which arguments have no effect: MXNet takes any, and tells nobody."""
    if options:
        logger.info("%s: %s without effect", owner, ", ".join(options))


def _files(path: PathLike) -> list[Path]:
    """A file, or the files of a folder by name."""
    whole = Path(path)
    return sorted(p for p in whole.iterdir() if is_file(p)) if is_folder(whole) else [whole]


def _lines(path: PathLike) -> Iterator[tuple[str, str]]:
    """The lines that are not empty, and the words for where they are."""
    for part in _files(path):
        with open_to_read(part) as file:
            for number, line in enumerate(file, 1):
                text = line.decode("utf-8", "replace").strip()
                if text:
                    yield f"{part}, line {number}", text


def _table(path: PathLike, shape: Sequence[int] | int, kind: Any) -> Array:
    """The rows of CSV files, each in a shape."""
    sizes = _sizes(shape)
    width = math.prod(sizes)
    rows = []
    for where, line in _lines(path):
        cells = line.split(",")
        if len(cells) != width:
            raise ShapeError(f"{where}: {width} values for the shape {sizes} are required, got {len(cells)}.")
        try:
            rows.append(np.array(cells, dtype=np.dtype("U")).astype(kind))
        except (ValueError, OverflowError) as exc:
            raise FormatError(f"{where}: numbers are required, got {line[:80]!r}.") from exc
    return np.array(rows, kind).reshape(len(rows), *sizes)


def _which_part(owner: str, num_parts: Any, part_index: Any) -> tuple[int, int]:
    """The number of parts, and which of them is meant."""
    count, index = read(owner, "num_parts", int, num_parts), read(owner, "part_index", int, part_index)
    if not 0 <= index < count:
        raise MXNetError(f"{owner}: a part_index below num_parts={count} is required, got {index}.")
    return count, index


def _part_of_bytes(path: PathLike, num_parts: int, part_index: int) -> tuple[int, int]:
    """The first line of a part, and the one behind its last, as MXNet cuts files: at equal numbers of bytes.

    A line is in the part that its first byte is in. One that begins where a part does is in the part before,
    unless a file begins there.
    """
    starts, files, total = [], set(), 0
    for part in _files(path):
        files.add(total)
        with open_to_read(part) as file:
            for line in file:
                if line.strip():
                    starts.append(total)
                total += len(line)
    step = -(-total // num_parts)
    ends = (step * part_index, step * (part_index + 1))
    first, last = (
        bisect_left(starts, end) if end in files or end >= total else bisect_right(starts, end)
        for end in ends
    )
    return first, last


class MNISTIter(MXDataIter):
    """Batches of images (1, 28, 28) from IDX files, packed by gzip or not, as values from 0 to 1 (255/256).

    With `flat` they are (784,). The last batch is left out if it is not full. `shuffle` orders the images
    once, by `seed`; the order is not MXNet's. `prefetch_buffer`, `ctx`, `input_shape`
    and others that MXNet ignores have no effect.
    """

    def __init__(
        self,
        image: PathLike = "./train-images-idx3-ubyte",
        label: PathLike = "./train-labels-idx1-ubyte",
        batch_size: int = 128,
        shuffle: bool = True,
        flat: bool = False,
        seed: int = 0,
        silent: bool = False,
        num_parts: int = 1,
        part_index: int = 0,
        prefetch_buffer: int = 4,
        ctx: str = "cpu",
        dtype: DTypeLike | None = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        input_shape: object = None,
        **ignored: object,
    ) -> None:
        _log_ignored("MNISTIter", ignored)
        shuffle, flat = read("MNISTIter", "shuffle", bool, shuffle), read("MNISTIter", "flat", bool, flat)
        images, labels = read_idx(image, 3), read_idx(label, 1)
        if len(images) != len(labels):
            raise FormatError(
                f"{label}: a label for each of {len(images)} images is required, got {len(labels)}."
            )
        parts, index = _which_part("MNISTIter", num_parts, part_index)
        first, last = len(images) * index // parts, len(images) * (index + 1) // parts
        images, labels = images[first:last], labels[first:last]
        order = np.arange(len(images))
        if shuffle:
            np.random.RandomState(seed).shuffle(order)
        kind = np.dtype(np.float32 if dtype is None else native_dtype(dtype))
        self._images = images[order].reshape(len(images), -1) if flat else images[order][:, None]
        self._labels, self._kind = labels[order].astype(kind), kind
        super().__init__(len(images), batch_size, False, data_name, label_name)
        self._count -= self._count % self.batch_size
        if not read("MNISTIter", "silent", bool, silent):
            logger.info("MNISTIter: load %d images, shuffle=%d", len(images), shuffle)

    def _data(self, index: Array) -> NDArray:
        return NDArray((self._images[index] * np.float32(1 / 256)).astype(self._kind))

    def _label(self, index: Array) -> NDArray:
        return NDArray(self._labels[index])


class LibSVMIter(MXDataIter):
    """Batches of sparse rows, CSR matrices, from lines of a label and `column:value`, columns from 0.

    With `label_libsvm` the labels are sparse rows of that file, in the shape `label_shape`.
    `prefetch_buffer`, `ctx`, `dtype` and others that MXNet ignores have no effect.
    """

    def __init__(
        self,
        data_libsvm: PathLike,
        data_shape: Sequence[int],
        batch_size: int,
        label_libsvm: PathLike | None = None,
        label_shape: Sequence[int] = (1,),
        num_parts: int = 1,
        part_index: int = 0,
        round_batch: bool = True,
        prefetch_buffer: int = 4,
        ctx: str = "cpu",
        dtype: DTypeLike | None = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        **ignored: object,
    ) -> None:
        _log_ignored("LibSVMIter", ignored)
        self._rows = _Sparse(data_libsvm, data_shape)
        self._labels = None
        if label_libsvm is not None and label_libsvm != "NULL":
            self._labels = _Sparse(label_libsvm, label_shape)
            if len(self._labels.first) < len(self._rows.first):
                raise ShapeError(
                    f"LibSVMIter: a line of label_libsvm for each of {len(self._rows.first)} lines of "
                    f"data_libsvm is required, got {len(self._labels.first)}."
                )
        self._first, last = _part_of_bytes(data_libsvm, *_which_part("LibSVMIter", num_parts, part_index))
        super().__init__(last - self._first, batch_size, round_batch, data_name, label_name)

    def _data(self, index: Array) -> NDArray:
        return self._rows.matrix(index + self._first)

    def _label(self, index: Array) -> NDArray:
        if self._labels is None:
            return NDArray(self._rows.first[index + self._first])
        return self._labels.matrix(index + self._first)


class _Sparse:
    """The lines of LibSVM files: the first number of each, and its columns with their values."""

    def __init__(self, path: PathLike, shape: Sequence[int] | int) -> None:
        (self.width,) = _sizes(shape) if len(_sizes(shape)) == 1 else _refuse_rank(shape)
        first, self.columns, self.values = [], [], []
        for where, line in _lines(path):
            head, *cells = line.split()
            try:
                pairs = [cell.split(":") for cell in cells]
                first.append(float(head))
                columns = np.array([int(column) for column, _ in pairs], np.int64)
                self.values.append(np.array([float(value) for _, value in pairs], np.float32))
            except (ValueError, OverflowError) as exc:
                raise FormatError(
                    f"{where}: a label and pairs such as 3:0.5 are required, got {line[:80]!r}."
                ) from exc
            if columns.size and not (columns.min() >= 0 and columns.max() < self.width):
                raise ShapeError(
                    f"{where}: columns from 0 to {self.width - 1} are required, got {line[:80]!r}."
                )
            self.columns.append(columns)
        self.first = np.array(first, np.float32)

    def matrix(self, index: Array) -> NDArray:
        """The rows by number."""
        sizes = [len(self.columns[i]) for i in index]
        values = [self.values[i] for i in index] or [np.zeros(0, np.float32)]
        columns = [self.columns[i] for i in index] or [np.zeros(0, np.int64)]
        starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        parts = (np.concatenate(values), np.concatenate(columns), starts)
        return csr_matrix(parts, shape=(len(index), self.width), dtype=np.float32)


def _refuse_rank(shape: Any) -> tuple[int]:
    raise ShapeError(f"LibSVMIter: a shape of one axis is required for a row, got {tuple(shape)}.")
