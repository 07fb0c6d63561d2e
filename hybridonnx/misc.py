"""Schedules of learning rates of the first releases, by the count of iterations."""

from __future__ import annotations

import logging
import math
from abc import ABC, abstractmethod

__all__ = ["FactorScheduler", "LearningRateScheduler"]


class LearningRateScheduler(ABC):
    """The learning rate at an iteration; `base_lr` is where it starts."""

    def __init__(self) -> None:
        self.base_lr = 0.01

    @abstractmethod
    def __call__(self, iteration: int) -> float:
        """The learning rate at the iteration."""


class FactorScheduler(LearningRateScheduler):
    """A learning rate that is multiplied by `factor` after every `step` iterations."""

    def __init__(self, step: int, factor: float = 0.1) -> None:
        super().__init__()
        if step < 1:
            raise ValueError(f"FactorScheduler: a step of 1 or more is required, got {step}.")
        if factor >= 1.0:
            raise ValueError(f"FactorScheduler: a factor below 1 is required, got {factor}.")
        self.step = step
        self.factor = factor
        self.old_lr = self.base_lr
        self.init = False

    def __call__(self, iteration: int) -> float:
        if not self.init:
            self.init, self.old_lr = True, self.base_lr
        rate = self.base_lr * math.pow(self.factor, iteration // self.step)
        if rate != self.old_lr:
            self.old_lr = rate
            logging.info("At Iteration [%d]: Switch to new learning rate %.5f", iteration, rate)
        return rate
