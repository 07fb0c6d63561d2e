"""Optimizers for large batches, whose rate depends on the norms of a layer's weights and gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ndarray.ndarray import NDArray
from ..ops import Array, steps
from ..typing import Arrays
from .optimizer import Index, Optimizer, State, each, register, zeros_like
from .sgd import descend

__all__ = ["LAMB", "LARS", "LBSGD"]


class _Measuring(Optimizer):
    """An optimizer that measures arrays: as in MXNet those of float16, not their copies, and in float16."""

    _whole: Array | None = None

    def _step_rows(self, grad: Any, index: Any, w: Array, lr: float, wd: float, state: list[Any]) -> None:
        self._whole = w
        super()._step_rows(grad, index, w, lr, wd, state)
        self._whole = None

    def _layer(self, w: Array) -> Array:
        """All weights, of which `w` may be the rows of a row-sparse gradient."""
        return w if self._whole is None else self._whole

    def _norm(self, index: Any, x: Array) -> float:
        return steps.norm(x.astype(np.float16) if index in self._copied else x)


@register
class LAMB(_Measuring):
    """LAMB (You et al. 2019): Adam's direction, as long as the layer's weights.

    step = mean / (sqrt(var) + epsilon) + wd * weight
    weight -= lr * (norm of weight, within the bounds) / (norm of step) * step
    """

    aggregate_num = 45

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        bias_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        self.bias_correction = bias_correction

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The averages of the gradient and of its square."""
        return zeros_like(weight), zeros_like(weight)

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, mean: Array, var: Array) -> None:
        direction = steps.lamb_direction(
            w,
            self._scaled(g),
            mean,
            var,
            beta1=self.beta1,
            beta2=self.beta2,
            epsilon=self.epsilon,
            t=self._index_update_count[index],
            bias_correction=self.bias_correction,
            wd=wd,
        )
        lower, upper = (-1.0 if bound is None else bound for bound in (self.lower_bound, self.upper_bound))
        lengths = {"weights": self._norm(index, w), "length": steps.norm(direction)}
        steps.lamb(w, direction, lr=lr, lower=lower, upper=upper, **lengths)


@register
class LARS(_Measuring):
    """LARS (You et al. 2017): SGD with momentum whose rate is in proportion to the layer's weights.

        rate = lr * eta * norm of weight / (norm of grad + wd * norm of weight + eps)

    except for biases, gammas and betas. `momentum_correction` scales the momentum when the rate changes
    (Goyal et al. 2017); the rate before is that of the last call of `update`, for one weight or for several.
    """

    aggregate_num = 4
    _state_before_master = True

    def __init__(
        self,
        momentum: float = 0.0,
        lazy_update: bool = True,
        eta: float = 0.001,
        eps: float = 0,
        momentum_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.momentum, self.momentum_correction = momentum, momentum_correction
        self.lazy_update = self._lazy = lazy_update
        self.eta, self.eps = eta, eps
        self.last_lr: float | None = None
        self.cur_lr: float | None = None

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The momentum, if there is any."""
        return zeros_like(weight) if self.momentum else None

    def _decays(self, name: str) -> bool:
        return name.endswith("_weight")

    def update(self, index: Index | Sequence[Index], weight: Arrays, grad: Arrays, state: State) -> None:
        """Update one weight, or each of a list of weights, and the states."""
        self._before = self.cur_lr
        super().update(index, weight, grad, state)

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, mom: Array | None = None) -> None:
        self.cur_lr = float(self.learning_rate)
        self.last_lr = self.cur_lr if self._before is None else self._before
        changed = self.momentum_correction and self.last_lr
        momentum = self.momentum * (self.cur_lr / self.last_lr if changed else 1.0)
        if not self.idx2name.get(index, "").endswith(("gamma", "beta", "bias")):
            lr *= self._trust(self._norm(index, self._layer(w)), self._norm(index, g) * self.rescale_grad, wd)
        descend(w, g, mom, momentum, lr=lr, wd=wd, **self._scaling())

    def _trust(self, weights: float, gradient: float, wd: float) -> float:
        """How large a step is right for the layer, in units of the gradient."""
        if not (weights > 0 and gradient > 0):
            return 1.0
        return self.eta * weights / (gradient + wd * weights + self.eps)


@register
class LBSGD(_Measuring):
    """SGD for large batches: of `batch_scale` gradients in a row, their rate grows to as much (Goyal 2017).

    `warmup_strategy` says how it grows: "linear", "power2", "sqrt", or "lars", by the norms of the layer's
    weights and gradient; with any other text it doesn't until the end of the warm-up.
    """

    _lazy = True

    def __init__(
        self,
        momentum: float = 0.0,
        multi_precision: bool = False,
        warmup_strategy: str = "linear",
        warmup_epochs: int = 5,
        batch_scale: int = 1,
        updates_per_epoch: int = 32,
        begin_epoch: int = 0,
        num_epochs: int = 60,
        **kwargs: Any,
    ) -> None:
        super().__init__(multi_precision=multi_precision, **kwargs)
        self.momentum = momentum
        self.warmup_strategy, self.warmup_epochs = warmup_strategy, warmup_epochs
        self.batch_scale, self.updates_per_epoch = batch_scale, updates_per_epoch
        self.init_updates = begin_epoch * updates_per_epoch
        self.num_epochs = num_epochs
        self.cumgrads: dict[Any, dict[str, Any]] = {}

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The momentum, if there is any."""
        return zeros_like(weight) if self.momentum else None

    def update(self, index: Index | Sequence[Index], weight: Arrays, grad: Arrays, state: State) -> None:
        """Update one weight, or each of a list of weights; the rate is that before the update is counted."""
        for i, w, g, own in each(index, weight, grad, state):
            lr = self._get_lr(i)
            self._update_count(i)
            sums = self.cumgrads.setdefault(i, {"num_cums": self.init_updates, "cum_grad": None})
            sums["num_cums"] += 1
            total = g if sums["cum_grad"] is None else sums["cum_grad"].as_in_context(g.context) + g
            if sums["num_cums"] % self.batch_scale:
                sums["cum_grad"] = total.copy()
            else:
                sums["cum_grad"] = None
                self._update_one(lr, self._get_wd(i), i, w, total / self.batch_scale, own)

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, mom: Array | None = None) -> None:
        lars = self.warmup_strategy == "lars"
        lr *= self._trust(self._layer(w), g, wd) if lars else self._growth(self.cumgrads[index]["num_cums"])
        descend(w, g, mom, self.momentum, lr=lr, wd=wd, **self._scaling())

    def _growth(self, count: int) -> float:
        """What multiplies the rate after so many gradients."""
        end = self.warmup_epochs * self.updates_per_epoch
        if count >= end:
            return float(self.batch_scale)
        part = count / end
        shares = {"linear": part, "power2": part * part, "sqrt": math.sqrt(part)}
        return 1 + (self.batch_scale - 1) * shares.get(self.warmup_strategy, 0.0)

    def _trust(self, w: Array, g: Array, wd: float) -> float:
        """The root of the ratio of squared norms, between 0.01 and 100."""
        weights, gradient = steps.norm(w) ** 2, steps.norm(g) ** 2
        return min(max(math.sqrt(weights / (gradient + wd * weights + 1e-18)), 0.01), 100.0)
