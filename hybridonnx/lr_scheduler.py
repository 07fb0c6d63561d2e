"""Learning rates by the number of updates, each with a warm-up: `mx.lr_scheduler.FactorScheduler(...)`."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence

__all__ = ["CosineScheduler", "FactorScheduler", "LRScheduler", "MultiFactorScheduler", "PolyScheduler"]

_log = logging.getLogger(__name__)


class LRScheduler:
    """A rate for each number of updates; subclasses define `__call__(num_update)`.

    During the first `warmup_steps` updates the rate grows from `warmup_begin_lr` to `base_lr` ("linear"), or
    is `warmup_begin_lr` ("constant").
    """

    def __init__(
        self,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        if not isinstance(warmup_steps, int):
            raise AssertionError(f"warmup_steps: an integer is required, got {warmup_steps!r}.")
        if warmup_begin_lr > base_lr:
            raise ValueError(
                f"Base lr has to be higher than warmup_begin_lr, got {base_lr} and {warmup_begin_lr}."
            )
        if warmup_steps < 0:
            raise ValueError(f"Warmup steps has to be positive or 0, got {warmup_steps}.")
        if warmup_mode not in ("linear", "constant"):
            raise ValueError(f"Supports only linear and constant modes of warmup, got {warmup_mode!r}.")
        self.base_lr = base_lr
        self.warmup_steps = warmup_steps
        self.warmup_final_lr = base_lr
        self.warmup_begin_lr = warmup_begin_lr
        self.warmup_mode = warmup_mode

    def get_warmup_lr(self, num_update: int) -> float:
        """The rate during the warm-up."""
        if num_update >= self.warmup_steps:
            raise AssertionError(
                f"get_warmup_lr: fewer than {self.warmup_steps} updates are required, got {num_update}."
            )
        if self.warmup_mode == "constant":
            return self.warmup_begin_lr
        rise = (self.warmup_final_lr - self.warmup_begin_lr) * num_update / self.warmup_steps
        return self.warmup_begin_lr + rise

    def __call__(self, num_update: int) -> float:
        """The rate after `num_update` updates."""
        raise NotImplementedError(f"{type(self).__name__}: a scheduler defines __call__(num_update).")


def _check_factor(factor: float) -> None:
    if factor > 1.0:
        raise ValueError(f"Factor must be no more than 1 to make lr reduce, got {factor}.")


def _check_step(step: int) -> None:
    if step < 1:
        raise ValueError(f"Schedule step must be greater or equal than 1 round, got {step}.")


class FactorScheduler(LRScheduler):
    """The rate times `factor` after every `step` updates, not below `stop_factor_lr`."""

    def __init__(
        self,
        step: int,
        factor: float = 1,
        stop_factor_lr: float = 1e-8,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        _check_step(step)
        _check_factor(factor)
        self.step = step
        self.factor = factor
        self.stop_factor_lr = stop_factor_lr
        self.count = 0

    def __call__(self, num_update: int) -> float:
        """The rate after `num_update` updates, which may not become fewer."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        while num_update > self.count + self.step:
            self.count += self.step
            self.base_lr *= self.factor
            if self.base_lr < self.stop_factor_lr:
                self.base_lr = self.stop_factor_lr
                _log.info("Update[%d]: the learning rate stays at %.5e", num_update, self.base_lr)
            else:
                _log.info("Update[%d]: the learning rate is now %.5e", num_update, self.base_lr)
        return self.base_lr


class MultiFactorScheduler(LRScheduler):
    """The rate times `factor` after each number of updates of the list `step`."""

    def __init__(
        self,
        step: list[int],
        factor: float = 1,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not isinstance(step, list) or not step:
            raise AssertionError(f"step: a list of numbers of updates is required, got {step!r}.")
        _check_increasing(step)
        _check_factor(factor)
        self.step = step
        self.cur_step_ind = 0
        self.factor = factor
        self.count = 0

    def __call__(self, num_update: int) -> float:
        """The rate after `num_update` updates, which may not become fewer."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        while self.cur_step_ind < len(self.step) and num_update > self.step[self.cur_step_ind]:
            self.count = self.step[self.cur_step_ind]
            self.cur_step_ind += 1
            self.base_lr *= self.factor
            _log.info("Update[%d]: the learning rate is now %.5e", num_update, self.base_lr)
        return self.base_lr


def _check_increasing(steps: Sequence[int]) -> None:
    for i, step in enumerate(steps):
        if i and step <= steps[i - 1]:
            raise ValueError(f"Schedule step must be an increasing integer list, got {steps!r}.")
        _check_step(step)


class _Falling(LRScheduler):
    """A rate that falls to `final_lr` until `max_update` updates, by the share of them that is done."""

    def __init__(
        self,
        max_update: int,
        base_lr: float,
        final_lr: float,
        warmup_steps: int,
        warmup_begin_lr: float,
        warmup_mode: str,
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not isinstance(max_update, int):
            raise AssertionError(f"max_update: an integer is required, got {max_update!r}.")
        if max_update < 1:
            raise ValueError(f"maximum number of updates must be strictly positive, got {max_update}.")
        self.base_lr_orig = self.base_lr
        self.max_update = max_update
        self.final_lr = final_lr
        self.max_steps = self.max_update - self.warmup_steps

    def _remaining(self, done: float) -> float:
        """The share of the fall that is still to come."""
        raise NotImplementedError

    def __call__(self, num_update: int) -> float:
        """The rate after `num_update` updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        if num_update <= self.max_update:
            remaining = self._remaining((num_update - self.warmup_steps) / self.max_steps)
            self.base_lr = self.final_lr + (self.base_lr_orig - self.final_lr) * remaining
        return self.base_lr


class PolyScheduler(_Falling):
    """The rate falls to `final_lr` until `max_update` updates, as a power of what remains of them."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        pwr: int = 2,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.power = pwr

    def _remaining(self, done: float) -> float:
        return float((1 - done) ** self.power)


class CosineScheduler(_Falling):
    """The rate falls to `final_lr` until `max_update` updates along a cosine (Loshchilov, Hutter 2016)."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)

    def _remaining(self, done: float) -> float:
        return (1 + math.cos(math.pi * done)) / 2
