"""An optimizer over named parameters, with a store of their weights or without."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import kvstore as kv
from .. import optimizer as opt
from ..errors import RequirementError, suggest
from ..formats.files import open_to_read
from ..kvstore.distributed import DistKVStore
from ..ndarray.ndarray import NDArray
from ..optimizer.optimizer import Optimizer
from ..optimizer.updater import Updater, get_updater
from ..symbol.symbol import Symbol


class Training:
    """The optimizer of the parameters `names`, which it knows by number, and perhaps a store of them."""

    optimizer: Optimizer
    updater: Updater

    def __init__(
        self, symbol: Symbol, names: Sequence[str], params: Mapping[str, NDArray], kvstore: Any
    ) -> None:
        self._symbol = symbol
        self._names = list(names)
        self._indices = {name: i for i, name in enumerate(names)}
        self._params = params
        self.store = _as_store(kvstore)

    def optimize(self, optimizer: Any, options: Any, batch_size: int, compression: Any) -> None:
        """Take an optimizer, or make one by name, with `options`.

        That one divides gradients by the workers' batches, of `batch_size` each.
        """
        scale = 1.0 / (batch_size * (1 if self.store is None else self.store.num_workers))
        names: dict[Any, str] = dict(enumerate(self._names))
        if isinstance(optimizer, str):
            settings = {"rescale_grad": scale, **dict(_pairs(options))}
            self.optimizer = opt.create(optimizer, sym=self._symbol, param_idx2name=names, **settings)
        elif isinstance(optimizer, Optimizer):
            self.optimizer = optimizer
            if optimizer.rescale_grad != scale:
                warnings.warn(
                    f"Module.init_optimizer: the optimizer's rescale_grad is {optimizer.rescale_grad}, "
                    f"not {scale}, which makes gradients means over the batch. Is this intended?",
                    stacklevel=3,
                )
            if not optimizer.idx2name:
                optimizer.idx2name = names
        else:
            raise RequirementError(
                "Module.init_optimizer: an Optimizer or the name of one is required, "
                f"got {type(optimizer).__name__}."
            )
        self.updater = get_updater(self.optimizer)
        if self.store is not None:
            self._begin_storing(self.store, compression)

    def _begin_storing(self, store: kv.KVStore, compression: Any) -> None:
        if compression:
            store.set_gradient_compression(compression)
        for name in self._names:
            if name in self._params:
                store.init(name, self._params[name])
                store.pull(name, self._params[name])  # other workers may have had other ones
        store.set_optimizer(self.optimizer)

    def update(self, parts: Sequence[tuple[str, NDArray, NDArray]]) -> None:
        """Update weights, given as names, gradients and weights."""
        if self.store is not None:
            for name, grad, weight in parts:
                self.store.push(name, grad)
                self.store.pull(name, weight)
        elif parts:
            names, grads, weights = (list(part) for part in zip(*parts, strict=True))
            self.updater([self._index(name) for name in names], grads, weights)

    def _index(self, name: str) -> int:
        """Modules that borrow the optimizer may have parameters in another order, and others."""
        index = self._indices.get(name)
        if index is None:
            index = self._indices[name] = len(self._indices)
            self.optimizer.idx2name.setdefault(index, name)
        return index

    def get_states(self) -> bytes:
        """The optimizer's states, as files have them."""
        return self.updater.get_states() if self.store is None else self.store.optimizer_states()

    def load_states(self, fname: str) -> None:
        """Continue from states that were written."""
        if self.store is not None:
            self.store.load_optimizer_states(fname)
            return
        with open_to_read(fname) as file:
            self.updater.set_states(file.read())


def fetch_rows(store: kv.KVStore, rows: Any, weights: Mapping[str, NDArray]) -> set[str]:
    """Write rows of a store, indices by name, into row-sparse weights; the names of these."""
    if not isinstance(rows, Mapping):
        raise RequirementError(
            "Module.prepare: a dict of names and row indices is required of sparse_row_id_fn, "
            f"got {type(rows).__name__}."
        )
    fetched = set()
    for name, row_ids in rows.items():
        if name not in weights:
            raise ValueError(
                f"Module.prepare: names of parameters are required of sparse_row_id_fn, got {name!r}."
                f"{suggest(name, weights)}"
            )
        if weights[name].stype == "row_sparse":
            store.row_sparse_pull(name, weights[name], row_ids=row_ids)
            fetched.add(name)
        else:
            warnings.warn(
                f"{name}.stype is not 'row_sparse'. No need to perform row_sparse_pull.", stacklevel=3
            )
    return fetched


def _as_store(kvstore: Any) -> kv.KVStore | None:
    """A store that keeps the weights; that of one worker would have nothing to add up on one device."""
    if kvstore is None or isinstance(kvstore, kv.KVStore):
        return kvstore
    if not isinstance(kvstore, str):
        raise TypeError(
            "Module.init_optimizer: a KVStore, the name of one or None is required as kvstore, "
            f"got {type(kvstore).__name__}."
        )
    store = kv.create(kvstore)
    return store if isinstance(store, DistKVStore) else None


def _pairs(options: Any) -> Iterable[tuple[str, Any]]:
    return options.items() if isinstance(options, Mapping) else options
