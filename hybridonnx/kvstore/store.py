"""The store of arrays by key of one process, which adds up what is pushed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import BoundsError, MXNetError, ShapeError
from ..formats.files import PathLike, open_to_read, write_atomically
from ..ndarray.ndarray import NDArray
from ..ndarray.sparse import gs_retain as retain
from ..optimizer.optimizer import Optimizer
from ..optimizer.updater import Updater, get_updater
from ..typing import Arrays
from .base import KVStoreBase, require_known

__all__ = ["KVStore"]

Key: TypeAlias = int | str


def added(arrays: list[NDArray]) -> NDArray:
    """The sum of arrays on any contexts, on that of the first."""
    first, *others = arrays
    total = first.copy()
    for other in others:
        if other.shape != first.shape:
            raise ShapeError(f"push: arrays of one shape are required, got {first.shape} and {other.shape}.")
        if other.stype != total.stype:  # beside a dense one the sum is dense
            total = total.tostype("default")
        total._accumulate(other)
    return total


class KVStore(KVStoreBase):
    """Arrays by key. A push adds up arrays and replaces the stored one, or updates it with the optimizer.

    It is for one thread at a time.
    """

    def __init__(self, kind: str = "local") -> None:
        self._kind = kind
        self._stored: dict[Key, NDArray] = {}
        self._updater: Callable[[Any, NDArray, NDArray], Any] | None = None

    @property
    def type(self) -> str:
        """The name it was created by."""
        return self._kind

    @property
    def rank(self) -> int:
        """The number of this worker: 0, as there is one alone."""
        return 0

    @property
    def num_workers(self) -> int:
        """The number of workers: 1."""
        return 1

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Whether it can update by an optimizer (`"optimizer"`), the one capability that is known: yes."""
        require_known(capability)
        return True

    # ---- arrays

    def init(self, key: Key | Sequence[Key], value: Arrays | Sequence[Sequence[NDArray]]) -> None:
        """Store a new array, or one for each key of a list."""
        for k, values in grouped(key, value):
            if k in self._stored:
                raise MXNetError(f"init: key {k!r} is initialized already.")
            if len(values) > 1:
                raise MXNetError(f"init: one array is required for key {k!r}, got {len(values)}.")
            kinds = {type(k), *map(type, self._stored)}
            if len(kinds) > 1:
                raise MXNetError(f"init: keys are either all numbers or all texts, got {k!r} besides others.")
            self._stored[k] = values[0].detach().copy()

    def push(
        self, key: Key | Sequence[Key], value: Arrays | Sequence[Sequence[NDArray]], priority: int = 0
    ) -> None:
        """Add up the arrays given for a key, and store the sum or update the stored array by it."""
        for k, values in grouped(key, value):
            stored = self._at(k)
            total = added(values)
            require_shape("push", k, stored, total)
            self._complete(k, total)
            if self._updater is not None:
                self._updater(k, total, stored)
            else:
                stored._assign(total)

    def _complete(self, key: Key, total: NDArray) -> None:
        """Add what others push for a key: nobody does."""

    def pull(
        self,
        key: Key | Sequence[Key],
        out: Arrays | Sequence[Sequence[NDArray]] | None = None,
        priority: int = 0,
        ignore_sparse: bool = True,
    ) -> None:
        """Copy what is stored into `out`: an array, or a list of them.

        Sparse ones are passed over with `ignore_sparse`: `row_sparse_pull` is for these.
        """
        if out is None:
            raise AssertionError("pull: out, an array to write, is required.")
        for k, outs in grouped(key, out):
            stored = self._at(k)
            for array in outs:
                if array.stype == "default" or not ignore_sparse:
                    require_shape("pull", k, stored, array)
                    array._assign(stored)

    def row_sparse_pull(
        self,
        key: Key | Sequence[Key],
        out: Arrays | Sequence[Sequence[NDArray]] | None = None,
        priority: int = 0,
        row_ids: NDArray | Sequence[NDArray] | None = None,
    ) -> None:
        """Copy the rows `row_ids` of what is stored into `out`, row-sparse arrays; of both a list each."""
        if out is None or row_ids is None:
            raise AssertionError("row_sparse_pull: out, an array to write, and row_ids are required.")
        targets = [(k, array) for k, outs in grouped(key, out) for array in outs]
        rows = _row_ids(row_ids, len(targets))
        for (k, array), indices in zip(targets, rows, strict=True):
            stored = self._at(k)
            for kind in (stored.stype, array.stype):
                if kind != "row_sparse":
                    raise MXNetError(f"row_sparse_pull: row_sparse is required, got {kind} for {k!r}.")
            require_shape("row_sparse_pull", k, stored, array)
            _require_rows(k, indices, stored.shape[0])
            array._assign(retain(stored, indices.reshape(-1)))

    def pushpull(
        self,
        key: Key | Sequence[Key],
        value: Arrays | Sequence[Sequence[NDArray]],
        out: Arrays | Sequence[Sequence[NDArray]] | None = None,
        priority: int = 0,
    ) -> None:
        """Push, then pull into `out`, or into what was pushed."""
        self.push(key, value, priority)
        self.pull(key, value if out is None else out, priority)

    def broadcast(
        self,
        key: Key | Sequence[Key],
        value: Arrays | Sequence[Sequence[NDArray]],
        out: Arrays | Sequence[Sequence[NDArray]] | None,
        priority: int = 0,
    ) -> None:
        """Store new arrays, and copy them into `out`."""
        self.init(key, value)
        self.pull(key, out, priority)

    def _at(self, key: Key) -> NDArray:
        if key not in self._stored:
            raise MXNetError(f"key {key!r} has not been inited. Call init first.")
        return self._stored[key]

    # ---- updates

    def set_updater(self, updater: Callable[[Key, NDArray, NDArray], object]) -> None:
        """Let pushes call `updater(key, pushed, stored)`, which writes the stored array."""
        if not callable(updater):
            raise TypeError(f"set_updater: a function is required, got {type(updater).__name__}.")
        self._updater = updater

    _set_updater = set_updater

    def set_optimizer(self, optimizer: Optimizer) -> None:
        """Let pushes be gradients that update the stored arrays."""
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"set_optimizer: an Optimizer is required, got {type(optimizer).__name__}.")
        self._updater = get_updater(optimizer)

    def set_gradient_compression(self, compression_params: Mapping[str, object]) -> None:
        """Refused: nothing is sent anywhere that compression would be for."""
        raise MXNetError(f"Gradient compression is not supported for this type of kvstore: {self._kind}.")

    def save_optimizer_states(self, fname: PathLike, dump_optimizer: bool = False) -> None:
        """Write the optimizer's states, as `Updater.get_states` gives them, as a file."""
        write_atomically(fname, [self.optimizer_states(dump_optimizer)])

    def optimizer_states(self, dump_optimizer: bool = False) -> bytes:
        """The content of the file that `save_optimizer_states` writes."""
        return self._optimizing().get_states(dump_optimizer)

    def load_optimizer_states(self, fname: PathLike) -> None:
        """Continue from the states of a file."""
        updater = self._optimizing()
        with open_to_read(fname) as file:
            updater.set_states(file.read())

    def _optimizing(self) -> Updater:
        if not isinstance(self._updater, Updater):
            raise AssertionError(
                "optimizer states: a store with an optimizer is required. Call set_optimizer."
            )
        return self._updater


def _row_ids(row_ids: Any, count: int) -> list[NDArray]:
    """The indices for each of so many arrays."""
    rows = list(row_ids) if isinstance(row_ids, list | tuple) else [row_ids] * count
    if len(rows) != count:
        raise AssertionError(f"row_sparse_pull: {count} arrays of row_ids are required, got {len(rows)}.")
    return rows


def require_shape(owner: str, key: Key, stored: NDArray, array: NDArray) -> None:
    """Refuse an array of another shape than that of what is stored."""
    if array.shape != stored.shape:
        raise ShapeError(f"{owner}: shape {stored.shape} of key {key!r} is required, got {array.shape}.")


def _require_rows(key: Key, indices: NDArray, count: int) -> None:
    """Refuse indices of rows that are not there; MXNet reads memory behind the array."""
    numbers = indices._host
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise BoundsError(
            f"row_sparse_pull: row_ids from 0 to {count - 1} are required for {key!r}, got from "
            f"{numbers.min()} to {numbers.max()}."
        )


def grouped(key: Any, value: Any) -> Iterator[tuple[Key, list[NDArray]]]:
    """Each key with its arrays, of which there may be several."""
    if not isinstance(key, list | tuple):
        key, value = [key], [value]
    elif not isinstance(value, list | tuple) or len(key) != len(value):
        raise AssertionError(f"kvstore: as many values as keys are required, {len(key)}, got {value!r}.")
    groups: dict[Key, list[NDArray]] = {}
    for k, values in zip(key, value, strict=True):
        if not isinstance(k, int | str):
            raise AssertionError(f"kvstore: numbers or texts are required as keys, got {type(k).__name__}.")
        groups.setdefault(k, []).extend(values if isinstance(values, list | tuple) else [values])
    for k, arrays in groups.items():
        strange = [a for a in arrays if not isinstance(a, NDArray)]
        if strange or not arrays:
            raise AssertionError(f"kvstore: arrays are required for key {k!r}, got {strange[:1] or 'none'}.")
        yield k, arrays
