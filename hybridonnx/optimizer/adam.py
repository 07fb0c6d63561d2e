"""Adam and what was made of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..ndarray.ndarray import NDArray
from ..ops import Array, steps
from .optimizer import Index, Optimizer, State, register, zeros_like

__all__ = ["Adam", "Adamax", "Nadam"]


def follow(average: Array, value: Array, beta: float, new: float) -> None:
    """Move a running average in place: `beta` of itself, and `new` of the value."""
    average *= beta
    average += new * value


@register
class Adam(Optimizer):
    """Adam (Kingma and Ba 2014), whose gradient includes the weights' decay.

    mean and var are running averages of grad and grad**2, their bias is corrected in the rate:
    weight -= lr * sqrt(1 - beta2**t) / (1 - beta1**t) * mean / (sqrt(var) + epsilon)
    """

    _elementwise = True

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.lazy_update = self._lazy = lazy_update

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The averages of the gradient and of its square."""
        return zeros_like(weight), zeros_like(weight)

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, mean: Array, var: Array) -> None:
        t = self._index_update_count[index]
        lr *= math.sqrt(1 - self.beta2**t) / (1 - self.beta1**t)
        options = {"beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon, **self._scaling()}
        steps.adam(w, g, mean, var, lr=lr, wd=wd, **options)


@register
class Adamax(Optimizer):
    """Adam with the largest absolute gradient, fading by beta2, in place of the root of the average square.

    Weights without any gradient yet stay as they are, while MXNet makes them nan.
    """

    _elementwise = True

    def __init__(
        self, learning_rate: float = 0.002, beta1: float = 0.9, beta2: float = 0.999, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2 = beta1, beta2

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The average of the gradient, and the largest one."""
        return zeros_like(weight), zeros_like(weight)

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, mean: Array, most: Array) -> None:
        t = self._index_update_count[index]
        g = self._scaled(g, wd, w)
        follow(mean, g, self.beta1, 1 - self.beta1)
        most *= self.beta2
        np.maximum(most, np.abs(g), out=most)
        step = np.divide(mean, most, out=np.zeros_like(w), where=most != 0)
        step *= lr / (1 - self.beta1**t)
        w -= step

    def _clips(self, bound: float) -> bool:
        return True


@register
class Nadam(Optimizer):
    """Adam with Nesterov's momentum (Dozat 2016), which grows with the schedule 1 - 0.5 * 0.96**(t * decay).

    As in MXNet the product of the schedule runs over the updates of all weights together.
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.schedule_decay = schedule_decay
        self.m_schedule = 1.0

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The averages of the gradient and of its square."""
        return zeros_like(weight), zeros_like(weight)

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, mean: Array, var: Array) -> None:
        t = self._index_update_count[index]
        now, after = self._momentum(t), self._momentum(t + 1)
        self.m_schedule *= now
        g = self._scaled(g, wd, w)
        follow(mean, g, self.beta1, 1 - self.beta1)
        follow(var, g * g, self.beta2, 1 - self.beta2)
        g *= (1 - now) / (1 - self.m_schedule)
        g += after / (1 - self.m_schedule * after) * mean
        w -= lr * g / (np.sqrt(var / (1 - self.beta2**t)) + self.epsilon)

    def _momentum(self, t: int) -> float:
        return float(self.beta1 * (1 - 0.5 * 0.96 ** (t * self.schedule_decay)))

    def _clips(self, bound: float) -> bool:
        return True
