"""Batches of data: `DataDesc`, `DataBatch`, and `NDArrayIter` over arrays in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

import numpy as np

from .._lazy import lazy_package
from ..dtypes import DTypeLike
from ..errors import AttributeValueError, MXNetError
from ..ndarray.creation import array
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..typing import ArrayLike

__all__ = ["DataBatch", "DataDesc", "DataIter", "NDArrayIter"]

DescribedBy: TypeAlias = "DataDesc | tuple[str, Sequence[int]]"
"""A description of an input, or its name and shape."""

_LAST = ("pad", "discard", "roll_over")


class _Named(NamedTuple):
    name: str
    shape: tuple[int, ...]


class DataDesc(_Named):
    """The name and shape of an input, to which it is equal as a pair, with its dtype and layout."""

    dtype: Any
    layout: str | None

    def __new__(
        cls, name: str, shape: Sequence[int], dtype: DTypeLike = np.float32, layout: str | None = "NCHW"
    ) -> DataDesc:
        desc = super().__new__(cls, name, tuple(shape))
        desc.dtype, desc.layout = dtype, layout
        return desc

    def __repr__(self) -> str:
        return f"DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]"

    @staticmethod
    def get_batch_axis(layout: str | None) -> int:
        """The axis of a layout that counts the batch: 0 if nothing is said, -1 if there is none."""
        return 0 if layout is None else layout.find("N")

    @staticmethod
    def get_list(
        shapes: Sequence[tuple[str, Sequence[int]]], types: Sequence[tuple[str, DTypeLike]] | None
    ) -> list[DataDesc]:
        """Descriptions from pairs of names and shapes, and perhaps of names and dtypes."""
        dtypes = dict(types) if types is not None else None
        return [
            DataDesc(name, shape) if dtypes is None else DataDesc(name, shape, dtypes[name])
            for name, shape in shapes
        ]


def described(desc: DescribedBy) -> DataDesc:
    """A description as it is, or from a pair of name and shape, with dtype and layout after them or not."""
    return desc if isinstance(desc, DataDesc) else DataDesc(*desc)


class DataBatch:
    """The arrays of one batch: inputs, labels, and how many rows at the end are `pad`ding."""

    def __init__(
        self,
        data: Sequence[NDArray],
        label: Sequence[NDArray] | None = None,
        pad: int | None = None,
        index: Sequence[int] | Array | None = None,
        bucket_key: object = None,
        provide_data: Sequence[DescribedBy] | None = None,
        provide_label: Sequence[DescribedBy] | None = None,
    ) -> None:
        for what, value in (("data", data), ("label", label)):
            if value is not None and not isinstance(value, list | tuple):
                raise TypeError(
                    f"DataBatch: a list of NDArrays is required as {what}, got {type(value).__name__}."
                )
        self.data: Any = data
        self.label: Any = label
        self.pad = pad
        self.index = index
        self.bucket_key = bucket_key
        self.provide_data = provide_data
        self.provide_label = provide_label

    def __str__(self) -> str:
        labels = None if not self.label else [x.shape for x in self.label]
        return f"{type(self).__name__}: data shapes: {[x.shape for x in self.data]} label shapes: {labels}"


class DataIter:
    """Batches one after another; `reset` begins anew.

    Subclasses define `iter_next` and the `get` methods, or `next`, and say what is in a batch: `provide_data`
    and `provide_label` are attributes that they set, or properties. An iterator is for one thread at a time.
    """

    provide_data: Any
    """The inputs of each batch, as a list of `DataDesc` or of pairs of name and shape."""
    provide_label: Any
    """The labels of each batch, in the same form."""

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> DataBatch:
        return self.next()

    def next(self) -> DataBatch:
        """The next batch; `StopIteration` at the end."""
        if not self.iter_next():
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad(), self.getindex())

    def reset(self) -> None:
        """Begin anew."""

    def iter_next(self) -> bool:
        """Go to the next batch; whether there is one."""
        return False

    def getdata(self) -> Any:
        """The inputs of the present batch."""

    def getlabel(self) -> Any:
        """The labels of the present batch."""

    def getindex(self) -> Any:
        """The numbers of the present batch's rows, if they are known."""

    def getpad(self) -> int | None:
        """How many rows at the end of the present batch are padding."""


class NDArrayIter(DataIter):
    """Batches of rows of arrays, given alone, in a list, or by name.

    `last_batch_handle` tells what becomes of the rows after the last full batch: "pad" fills the batch with
    the first rows, "discard" leaves them out, "roll_over" keeps them for the beginning of the next epoch.
    Shuffling draws from NumPy's global generator, as in MXNet.
    """

    def __init__(
        self,
        data: ArrayLike | Sequence[ArrayLike] | Mapping[str, ArrayLike] | None,
        label: ArrayLike | Sequence[ArrayLike] | Mapping[str, ArrayLike] | None = None,
        batch_size: int = 1,
        shuffle: bool = False,
        last_batch_handle: str = "pad",
        data_name: str = "data",
        label_name: str = "softmax_label",
        layout: str = "NCHW",
    ) -> None:
        super().__init__(batch_size)
        require_batches("NDArrayIter", batch_size, last_batch_handle)
        inputs, labels = _by_name(data, data_name, required=True), _by_name(label, label_name, required=False)
        self.shuffle, self.last_batch_handle, self.layout = shuffle, last_batch_handle, layout
        self.num_data = len(inputs[0][1])
        self._data, self._label = self._of_all_rows(inputs), self._of_all_rows(labels)
        self.idx = np.arange(self.num_data)
        self.cursor = -batch_size
        self._leftover: list[NDArray] | None = None
        self.reset()

    @property
    def provide_data(self) -> list[DataDesc]:
        """The inputs of each batch."""
        return self._described(self._data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """The labels of each batch."""
        return self._described(self._label)

    @property
    def data(self) -> list[tuple[str, NDArray]]:
        """The inputs by name, in the present order of rows."""
        return [(name, NDArray(rows.copy())) for name, rows in self._data]

    @data.setter
    def data(self, named: Sequence[tuple[str, ArrayLike]]) -> None:
        self._data = self._of_all_rows([(name, _as_rows(x)) for name, x in named])

    @property
    def label(self) -> list[tuple[str, NDArray]]:
        """The labels by name, in the present order of rows."""
        return [(name, NDArray(rows.copy())) for name, rows in self._label]

    @label.setter
    def label(self, named: Sequence[tuple[str, ArrayLike]]) -> None:
        self._label = self._of_all_rows([(name, _as_rows(x)) for name, x in named])

    def _of_all_rows(self, named: Sequence[tuple[str, Array]]) -> list[tuple[str, Array]]:
        """Arrays by name, as many rows of each as there are."""
        for name, rows in named:
            if len(rows) < self.num_data:
                raise MXNetError(
                    f"NDArrayIter: {self.num_data} rows are required, got {len(rows)} in {name}."
                )
        return [(name, rows[: self.num_data]) for name, rows in named]  # the rest does not count

    def _described(self, named: Sequence[tuple[str, Array]]) -> list[DataDesc]:
        return [
            DataDesc(name, (self.batch_size, *rows.shape[1:]), rows.dtype.type, self.layout)
            for name, rows in named
        ]

    def hard_reset(self) -> None:
        """Begin anew without the rows kept from the last epoch."""
        if self.shuffle:
            self._shuffle()
        self.cursor = -self.batch_size
        self._leftover = None

    def reset(self) -> None:
        """Begin anew, in another order if the rows are shuffled."""
        if self.shuffle:
            self._shuffle()
        left = self.num_data - self.cursor
        if self.last_batch_handle == "roll_over" and 0 < left < self.batch_size:
            self.cursor = -left - self.batch_size
        else:
            self.cursor = -self.batch_size
            self._leftover = None

    def _shuffle(self) -> None:
        np.random.shuffle(self.idx)
        self._data = [(name, rows[self.idx]) for name, rows in self._data]
        self._label = [(name, rows[self.idx]) for name, rows in self._label]

    def iter_next(self) -> bool:
        """Go to the next batch; whether there is one."""
        self.cursor += self.batch_size
        return self.cursor < self.num_data

    def next(self) -> DataBatch:
        """The next batch; `StopIteration` at the end."""
        if not self.iter_next():
            raise StopIteration
        data, label = self.getdata(), self.getlabel()
        if len(data[0]) < self.batch_size:
            if self.last_batch_handle == "roll_over":
                self._leftover = [*data, *label]
            raise StopIteration
        return DataBatch(data, label, self.getpad(), None)

    def getdata(self) -> list[NDArray]:
        """The inputs of the present batch."""
        return [self._rows(i, x) for i, (_, x) in enumerate(self._data)]

    def getlabel(self) -> list[NDArray]:
        """The labels of the present batch."""
        return [self._rows(len(self._data) + i, x) for i, (_, x) in enumerate(self._label)]

    def _rows(self, number: int, x: Array) -> NDArray:
        """The rows of the present batch; of the last they may be too few unless padded."""
        start, stop = self.cursor, self.cursor + self.batch_size
        if start < 0 and self._leftover is not None:
            return NDArray(np.concatenate([self._leftover[number].asnumpy(), x[:stop]]))
        if stop > self.num_data and self.last_batch_handle == "pad":
            return NDArray(x[np.arange(start, stop) % self.num_data])
        return NDArray(x[max(start, 0) : stop].copy())

    def getpad(self) -> int:
        """How many rows of the present batch are there for a second time."""
        if self.last_batch_handle == "pad":
            return max(self.cursor + self.batch_size - self.num_data, 0)
        if self.last_batch_handle == "roll_over" and -self.batch_size < self.cursor < 0:
            return -self.cursor
        return 0


def require_batches(owner: str, batch_size: object, last_batch_handle: str) -> None:
    """Refuse batches that no epoch would end with."""
    if not isinstance(batch_size, int | np.integer) or batch_size < 1:
        raise AttributeValueError(f"{owner}: a batch_size above 0 is required, got {batch_size!r}.")
    if last_batch_handle not in _LAST:
        raise AttributeValueError(
            f"{owner}: one of {', '.join(_LAST)} is required as last_batch_handle, got {last_batch_handle!r}."
        )


def _by_name(source: Any, name: str, required: bool) -> list[tuple[str, Array]]:
    """Arrays by name, sorted by it, from one array, a list of them, or a dict."""
    if source is None:
        source = []
    if isinstance(source, NDArray | np.ndarray):
        source = [source]
    if isinstance(source, list | tuple):
        names = [name] if len(source) == 1 else [f"_{i}_{name}" for i in range(len(source))]
        source = dict(zip(names, source, strict=True))
    usable = isinstance(source, Mapping) and all(isinstance(x, NDArray | np.ndarray) for x in source.values())
    if not usable or (required and not source):
        raise TypeError(
            "NDArrayIter: an array of NumPy or an NDArray, a list of them, or a dict of them by name is "
            f"required, got {type(source).__name__}."
        )
    listed = [(k, source[k]) for k in sorted(source)]
    return [(k, _as_rows(x)) for k, x in listed]


def _as_rows(x: ArrayLike) -> Array:
    return x.asnumpy() if isinstance(x, NDArray) else array(x).asnumpy()


def _init_data(data: Any, allow_empty: bool, default_name: str) -> list[tuple[str, NDArray]]:
    """Arrays by name, as scripts of MXNet set an iterator's `data` and `label`."""
    if data is None and not allow_empty:
        raise AssertionError("NDArrayIter: data is required, got None.")
    return [(name, NDArray(rows)) for name, rows in _by_name(data, default_name, not allow_empty)]


if not TYPE_CHECKING:
    _ELSEWHERE = """
CSVIter ImageDetRecordIter ImageRecordInt8Iter ImageRecordIter ImageRecordIter_v1 ImageRecordUInt8Iter
ImageRecordUInt8Iter_v1 LibSVMIter MNISTIter MXDataIter PrefetchingIter ResizeIter
""".split()
    """What MXNet's module has as well; the package knows where it is."""
    __getattr__, _ = lazy_package(__name__, single=dict.fromkeys(_ELSEWHERE, ".."))
