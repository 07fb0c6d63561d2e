"""The gradients of variables, summed over workers: what a `Trainer` does before it updates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ndarray.ndarray import NDArray
from .distributed import DistKVStore


class GradientSums:
    """Sums the gradients of variables over the workers of a store, in place."""

    def __init__(self, store: DistKVStore) -> None:
        self._store = store

    def write(self, variables: Sequence[tuple[int, str, Sequence[NDArray]]]) -> None:
        """Write the sums into the gradients of the first copy of each variable.

        Who has not computed one since the last step adds nothing. What nobody has computed stays as it is.

        Args:
            variables: Keys, names, and the copies of a variable, in an order that all workers have.
        """
        fresh = np.array([all(x._fresh_grad for x in copies) for _, _, copies in variables], np.int8)
        anywhere = fresh.copy()
        names = [name for _, name, _ in variables]
        what = f"the gradients from key {names[0]!r} on" if names else "a step"
        self._store.workers.maximum(what, anywhere)
        for (_, name, copies), here, there in zip(variables, fresh, anywhere, strict=True):
            gradient = copies[0].grad
            if not there or gradient is None:
                continue
            if not here:
                gradient._clear()
            self._store.sum(name, gradient)
            for copy in copies:
                copy._fresh_grad = True
