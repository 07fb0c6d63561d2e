"""Optimizers that MXNet keeps apart: `mx.optimizer.contrib.GroupAdaGrad`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ndarray.ndarray import NDArray
from ..ops import Array, steps
from .optimizer import Index, Optimizer, State, register

__all__ = ["GroupAdaGrad"]


@register
class GroupAdaGrad(Optimizer):
    """AdaGrad with one sum for each row of a weight (N, C): of the mean of the row's squares. No decay."""

    _lazy = True

    def __init__(self, eps: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The sum of each row, (N, 1)."""
        if weight.ndim != 2:
            raise AssertionError(f"GroupAdaGrad: a weight of two axes is required, got shape {weight.shape}.")
        return NDArray(np.zeros((weight.shape[0], 1), np.float32), weight.context)

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, history: Array) -> None:
        if wd:
            raise AssertionError(f"GroupAdaGrad: weight decay is not supported, got wd={wd}.")
        steps.group_adagrad(w, g, history, lr=lr, epsilon=self.float_stable_eps, **self._scaling())

    def _clips(self, bound: float) -> bool:
        return True
