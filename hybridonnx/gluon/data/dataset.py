"""Collections of samples, and what can be made of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...formats.files import PathLike
from ...ndarray.ndarray import NDArray
from ...recordio import MXIndexedRecordIO
from .sampler import FilterSampler, Sampler, SequentialSampler

__all__ = ["ArrayDataset", "Dataset", "RecordFileDataset", "SimpleDataset"]


class Dataset:
    """Samples by index. Subclasses define `__getitem__` and `__len__`."""

    def __getitem__(self, idx: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: a subclass with __getitem__ is required.")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__}: a subclass with __len__ is required.")

    def filter(self, fn: Callable[..., object]) -> Dataset:
        """The samples for which `fn` is true; each is looked at once, now."""
        return _SampledDataset(self, FilterSampler(fn, self))

    def shard(self, num_shards: int, index: int) -> Dataset:
        """Part `index` of `num_shards` consecutive parts, of which the first may have one more."""
        if num_shards < 1 or not 0 <= index < num_shards:
            raise AssertionError(
                f"shard: an index from 0 and below the number of shards is required, got {index} of "
                f"{num_shards}."
            )
        each, more = divmod(len(self), num_shards)
        start = each * index + min(index, more)
        return _SampledDataset(self, SequentialSampler(each + (index < more), start))

    def take(self, count: int | None) -> Dataset:
        """The first `count` samples, all if it is None."""
        if count is not None and count < 0:
            raise ValueError(f"take: a count of 0 or more, or None, is required, got {count}.")
        size = len(self) if count is None else min(count, len(self))
        return _SampledDataset(self, SequentialSampler(size))

    def sample(self, sampler: Sampler) -> Dataset:
        """The samples that a sampler gives, in its order, which is asked for once, now."""
        if not isinstance(sampler, Sampler):
            raise TypeError(f"Invalid sampler type: {type(sampler)}. Expected gluon.data.Sampler instead.")
        return _SampledDataset(self, sampler)

    def transform(self, fn: Callable[..., object], lazy: bool = True) -> Dataset:
        """What `fn` makes of each sample, whenever it is asked for, or with `lazy=False` now and once.

        Samples that are tuples are several arguments.
        """
        transformed = _LazyTransformDataset(self, fn)
        if lazy:
            return transformed
        return SimpleDataset([transformed[i] for i in range(len(transformed))])

    def transform_first(self, fn: Callable[..., object], lazy: bool = True) -> Dataset:
        """The samples with `fn` applied to the first of their elements alone."""
        return self.transform(_First(fn), lazy)


class SimpleDataset(Dataset):
    """The elements of a list, or of anything that has a length and indices."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: int) -> Any:
        return self._data[idx]


class ArrayDataset(Dataset):
    """Tuples of the elements of several arrays or lists of one length; elements alone if there is but one."""

    def __init__(self, *args: Any) -> None:
        if not args:
            raise AssertionError("ArrayDataset: at least one array is required, got none.")
        self._length = len(args[0])
        self._data = []
        for i, data in enumerate(args):
            if len(data) != self._length:
                raise AssertionError(
                    f"ArrayDataset: all arrays must have the same length; array[0] has {self._length} while "
                    f"array[{i}] has {len(data)}."
                )
            is_line = isinstance(data, NDArray) and data.ndim == 1
            self._data.append(data.asnumpy() if is_line else data)

    def __getitem__(self, idx: int) -> Any:
        if len(self._data) == 1:
            return self._data[0][idx]
        return tuple(data[idx] for data in self._data)

    def __len__(self) -> int:
        return self._length


class RecordFileDataset(Dataset):
    """The records, as bytes, of a file x.rec with its index x.idx beside it."""

    def __init__(self, filename: PathLike) -> None:
        self.filename = os.fspath(filename)
        self.idx_file = os.path.splitext(self.filename)[0] + ".idx"
        self._record = MXIndexedRecordIO(self.idx_file, self.filename, "r")

    def __getitem__(self, idx: int) -> Any:
        return self._record.read_idx(self._record.keys[idx])

    def __len__(self) -> int:
        return len(self._record.keys)


class _SampledDataset(Dataset):
    """Some samples of another dataset."""

    def __init__(self, dataset: Dataset, sampler: Sampler) -> None:
        self._dataset = dataset
        self._indices = list(sampler)

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, idx: int) -> Any:
        return self._dataset[self._indices[idx]]


class _LazyTransformDataset(Dataset):
    """What a function makes of the samples of another dataset."""

    def __init__(self, data: Dataset, fn: Callable[..., object]) -> None:
        self._data = data
        self._fn = fn

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: int) -> Any:
        item = self._data[idx]
        return self._fn(*item) if isinstance(item, tuple) else self._fn(item)


class _First:
    """A function of the first argument; the others stay."""

    def __init__(self, fn: Callable[..., object]) -> None:
        self._fn = fn

    def __call__(self, x: Any, *args: Any) -> Any:
        return (self._fn(x), *args) if args else self._fn(x)
