"""Gluon's loaders as iterators for modules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import ndarray
from ..dtypes import DTypeLike
from ..io import DataDesc, DataIter
from ..ndarray.ndarray import NDArray

__all__ = ["DataLoaderIter"]


class DataLoaderIter(DataIter):
    """Iterates over a `gluon.data.DataLoader` that gives pairs of data and labels.

    The last batch, if it is smaller, is filled up with zeros, and its `pad` says with how many.

    Args:
        loader: The loader.
        data_name: The name of the inputs.
        label_name: The name of the labels.
        dtype: The element type that both are given in.
    """

    def __init__(
        self,
        loader: Any,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__()
        self._loader = loader
        self._iter: Iterator[Any] = iter(loader)
        data, label = next(self._iter)
        self.batch_size = data.shape[0]
        self.dtype = dtype
        self._data = [DataDesc(data_name, data.shape, dtype)]
        self._label = [DataDesc(label_name, label.shape, dtype)]
        self._current_batch: Any = None
        self.reset()

    @property
    def provide_data(self) -> list[DataDesc]:
        """The inputs of each batch."""
        return self._data

    @property
    def provide_label(self) -> list[DataDesc]:
        """The labels of each batch."""
        return self._label

    def reset(self) -> None:
        """Begin anew."""
        self._iter = iter(self._loader)

    def iter_next(self) -> bool:
        """Go to the next batch; whether there is one."""
        self._current_batch = next(self._iter, None)
        return self._current_batch is not None

    def _full(self, which: int) -> list[NDArray]:
        array = self._current_batch[which].astype(self.dtype)
        pad = self.getpad()
        if pad:
            array = ndarray.concat(array, ndarray.zeros((pad, *array.shape[1:]), dtype=self.dtype), dim=0)
        return [array]

    def getdata(self) -> list[NDArray]:
        """The inputs of the present batch."""
        return self._full(0)

    def getlabel(self) -> list[NDArray]:
        """The labels of the present batch."""
        return self._full(1)

    def getpad(self) -> int:
        """How many rows at the end of the present batch are filled up."""
        return int(self.batch_size - self._current_batch[0].shape[0])

    def getindex(self) -> None:
        """Nothing: loaders do not tell the numbers of their samples."""
