"""Stores that several processes have in common: `mx.kv.create("dist_sync")` under `mpiexec` or `launch`.

Each worker keeps all arrays. What is pushed is summed over the workers, and each does the same with the sum,
so that what is stored stays equal; there are no servers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..formats.params import RowSparse
from ..ndarray.ndarray import BaseSparseNDArray, NDArray, from_stored
from ..ops import Array
from ..typing import Arrays
from .compression import Compression
from .store import Key, KVStore, added, grouped
from .workers import Workers, workers

__all__ = ["DistKVStore"]


class DistKVStore(KVStore):
    """Arrays by key, equal in all workers. A push is summed over the workers before it is stored or updates.

    All workers make the same calls in the same order; where one does not, all raise `MXNetError`. It is for
    one thread at a time.
    """

    def __init__(self, kind: str = "dist_sync") -> None:
        super().__init__(kind)
        self.workers: Workers = workers()
        """Those of this job."""
        self._compression: Compression | None = None
        self._rests: dict[Key, Array] = {}
        """What compression has not sent yet, by key."""

    @property
    def rank(self) -> int:
        """The number of this worker, from 0."""
        return self.workers.rank

    @property
    def num_workers(self) -> int:
        """The number of workers."""
        return self.workers.size

    def barrier(self) -> None:
        """Wait until all workers have come here."""
        self.workers.barrier()

    _barrier = barrier

    # ---- arrays

    def init(self, key: Key | Sequence[Key], value: Arrays | Sequence[Sequence[NDArray]]) -> None:
        """Store a new array, or one for each key of a list: that of the worker of rank 0, in all of them."""
        super().init(key, value)
        for k, _ in grouped(key, value):
            self.share(k, self._stored[k])

    def _complete(self, key: Key, total: NDArray) -> None:
        """Add what the other workers push for a key."""
        self.sum(key, total)

    def share(self, key: Key, array: NDArray, root: int = 0) -> None:
        """Write the array of one worker into those of the others."""
        if self.num_workers == 1:
            return
        if isinstance(array, BaseSparseNDArray):
            dense = array.tostype("default")
            self.share(key, dense, root)
            array._assign(dense)
            return
        values = np.array(array._host, order="C")
        self.workers.broadcast(_named(key), values, root)
        array._assign(NDArray(values, array.context))

    def sum(self, key: Key, array: NDArray) -> None:
        """Write the sum of the workers' arrays into each of them."""
        if self.num_workers == 1 and self._compression is None:
            return
        if isinstance(array, BaseSparseNDArray):
            array._assign(self._sum_of_stored(key, array))
            return
        values = np.array(array._host, order="C")
        if self._compression is None or values.dtype != np.float32:
            total = self.workers.sum(_named(key), values)
        else:
            total = self._compressed(key, values.reshape(-1), self._compression).reshape(values.shape)
        array._assign(NDArray(total, array.context))

    def _compressed(self, key: Key, values: Array, compression: Compression) -> Array:
        """The sum of flat arrays, which are sent in fewer bits."""
        self.workers.agree(f"{_named(key)}, {values.size} elements in {compression.kind}")
        total = np.empty_like(values)
        rest = self._rests.setdefault(key, np.zeros_like(values)) if compression.keeps_rest else None
        summing = compression.begin(self.workers, _named(key), values, total, rest)
        summing.finish()
        if summing.rest is not None:
            self._rests[key] = summing.rest
        return total

    def _sum_of_stored(self, key: Key, array: BaseSparseNDArray) -> NDArray:
        """The sum of sparse arrays, of which only what they store is sent."""
        stored = array.stored
        if not isinstance(stored, RowSparse):
            dense = array.tostype("default")
            self.sum(key, dense)
            return dense
        what = f"{_named(key)}, row_sparse of shape {array.shape}"
        indices = self.workers.gather(f"the rows of {what}", stored.indices.astype(np.int64).tobytes())
        values = self.workers.gather(what, np.ascontiguousarray(stored.data).tobytes())
        parts = []
        for rows, content in zip(indices, values, strict=True):
            numbers = np.frombuffer(content, stored.data.dtype)
            index = np.frombuffer(rows, np.int64)
            data = numbers.reshape(len(index), *array.shape[1:])
            parts.append(from_stored(RowSparse(array.shape, data.copy(), index.copy()), array.context))
        return added(parts)

    # ---- updates

    @property
    def compresses(self) -> bool:
        """Whether float32 arrays are sent in fewer bits."""
        return self._compression is not None

    def rests(self) -> dict[Key, Array]:
        """What compression has not sent yet, by key."""
        return dict(self._rests)

    def set_rests(self, rests: Mapping[Key, Array]) -> None:
        """Go on with what compression had not sent."""
        self._rests = dict(rests)

    def set_gradient_compression(self, compression_params: Mapping[str, object]) -> None:
        """Send float32 arrays in fewer bits.

        Args:
            compression_params: `{"type": "2bit", "threshold": 0.5}` sends for each element a threshold, its
                negative or nothing, and keeps the rest for the next push. `{"type": "fp16"}` sends float16,
                adds up in float32, and is of hybridonnx alone.

        Raises:
            MXNetError: They are others.
        """
        self._compression = Compression(compression_params)


def _named(key: Key) -> str:
    """A key for messages."""
    return f"key {key!r}"
