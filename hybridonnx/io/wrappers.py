"""Iterators over other iterators: cut or lengthened, or fetched ahead by threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._threads import Threads, Work
from ..errors import RequirementError
from .io import DataBatch, DataDesc, DataIter, described

__all__ = ["PrefetchingIter", "ResizeIter"]


class _Wrapper(DataIter):
    """An iterator whose batches others make; subclasses set `current_batch` in `iter_next`."""

    current_batch: DataBatch | None = None

    def next(self) -> DataBatch:
        """The next batch; `StopIteration` at the end."""
        if not self.iter_next():
            raise StopIteration
        assert self.current_batch is not None
        return self.current_batch

    def getdata(self) -> Any:
        """The inputs of the present batch."""
        return self.current_batch and self.current_batch.data

    def getlabel(self) -> Any:
        """The labels of the present batch."""
        return self.current_batch and self.current_batch.label

    def getindex(self) -> Any:
        """The numbers of the present batch's rows, if they are known."""
        return self.current_batch and self.current_batch.index

    def getpad(self) -> int | None:
        """How many rows at the end of the present batch are padding."""
        return self.current_batch.pad if self.current_batch else None


class ResizeIter(_Wrapper):
    """Another iterator cut to `size` batches, or lengthened by beginning it anew."""

    def __init__(self, data_iter: DataIter, size: int, reset_internal: bool = True) -> None:
        super().__init__(data_iter.batch_size)
        self.data_iter, self.size, self.reset_internal = data_iter, size, reset_internal
        if hasattr(data_iter, "default_bucket_key"):
            self.default_bucket_key = data_iter.default_bucket_key
        self.provide_data, self.provide_label = data_iter.provide_data, data_iter.provide_label
        self.cur = 0

    def reset(self) -> None:
        """Begin anew, the other iterator as well unless told otherwise."""
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def iter_next(self) -> bool:
        """Go to the next batch; whether there is one."""
        if self.cur == self.size:
            return False
        try:
            self.current_batch = self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            self.current_batch = self.data_iter.next()
        self.cur += 1
        return True


class PrefetchingIter(_Wrapper):
    """Other iterators side by side, whose next batches threads fetch while one is worked on.

    `rename_data` and `rename_label` are lists of a dict for each iterator: other names by its own.
    """

    def __init__(
        self,
        iters: DataIter | Sequence[DataIter],
        rename_data: Sequence[Mapping[str, str]] | None = None,
        rename_label: Sequence[Mapping[str, str]] | None = None,
    ) -> None:
        self.iters: list[Any] = list(iters) if isinstance(iters, list | tuple) else [iters]
        self.n_iter = len(self.iters)
        if not self.iters:
            raise RequirementError("PrefetchingIter: an iterator or a list of them is required.")
        self.rename_data, self.rename_label = rename_data, rename_label
        super().__init__(self.provide_data[0].shape[0])
        self._threads = Threads(self.n_iter, "PrefetchingIter")
        self._coming: list[Work] = []
        self._fetch()

    def __del__(self) -> None:
        if "_threads" in vars(self):
            self._threads.end()

    def _fetch(self) -> None:
        self._coming = [self._threads.submit(next, it, None, repeats=False) for it in self.iters]

    @property
    def provide_data(self) -> list[DataDesc]:
        """The inputs of each batch."""
        return _renamed([it.provide_data for it in self.iters], self.rename_data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """The labels of each batch."""
        return _renamed([it.provide_label for it in self.iters], self.rename_label)

    def reset(self) -> None:
        """Begin anew."""
        for coming in self._coming:
            coming.end()  # what went wrong before does not matter
        for it in self.iters:
            it.reset()
        self._fetch()

    def iter_next(self) -> bool:
        """Go to the next batch; whether there is one."""
        results = [coming.result() for coming in self._coming]
        batches = [batch for batch in results if batch is not None]
        if not batches:
            return False
        if len(batches) < len(results) or len({batch.pad for batch in batches}) > 1:
            raise RequirementError(
                "PrefetchingIter: iterators of as many batches, with as much padding, are required."
            )
        self._fetch()
        self.current_batch = DataBatch(
            [x for batch in batches for x in batch.data],
            [x for batch in batches for x in batch.label or ()],
            batches[0].pad,
            batches[0].index,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )
        return True


def _renamed(provided: Sequence[Sequence[Any]], names: Sequence[Mapping[str, str]] | None) -> list[DataDesc]:
    """Descriptions one after another, under other names if some are given."""
    if names is None:
        return [described(d) for each in provided for d in each]
    return [
        DataDesc(new[d.name], d.shape, d.dtype, d.layout)
        for each, new in zip(provided, names, strict=True)
        for d in map(described, each)
    ]
