"""Optimizers that scale each element's steps by the gradients it has had."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ndarray.ndarray import NDArray
from ..ops import Array
from .adam import follow, single
from .optimizer import Index, Optimizer, State, register, zeros_like

__all__ = ["FTML", "AdaDelta", "AdaGrad", "Ftrl", "RMSProp"]


@register
class AdaGrad(Optimizer):
    """AdaGrad (Duchi et al. 2011): weight -= lr * (grad / sqrt(sum of grad**2 + eps) + wd * weight)."""

    _lazy = True
    _elementwise = True

    def __init__(self, eps: float = 1e-7, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The sum of squares."""
        return zeros_like(weight, np.float32)

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, history: Array) -> None:
        g = self._scaled(g)
        history += g * g
        g /= np.sqrt(history + self.float_stable_eps)
        g += wd * w
        g *= lr
        w -= g

    def _clips(self, bound: float) -> bool:
        return True


@register
class AdaDelta(Optimizer):
    """AdaDelta (Zeiler 2012): steps in the units of the weights, from averages of the last squares of both.

    There is no learning rate. `wd` is taken off the weights as it is.
    """

    _elementwise = True

    def __init__(self, rho: float = 0.90, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rho, self.epsilon = rho, epsilon

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The averages of the squares of gradients and of steps."""
        return zeros_like(weight, np.float32), zeros_like(weight, np.float32)

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, grads: Array, steps: Array) -> None:
        g = self._scaled(g)
        follow(grads, g * g, self.rho, 1 - self.rho)
        g *= np.sqrt(steps + self.epsilon) / np.sqrt(grads + self.epsilon)
        follow(steps, g * g, self.rho, 1 - self.rho)
        g += wd * w
        w -= g

    def _clips(self, bound: float) -> bool:
        return True


@register
class RMSProp(Optimizer):
    """Steps divided by the root of the average square of the gradient (Tieleman and Hinton 2012).

    `centered` takes off the square of the average gradient, and adds momentum `gamma2` (Graves 2013).
    """

    _elementwise = True

    def __init__(
        self,
        learning_rate: float = 0.001,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1, self.gamma2, self.epsilon = gamma1, gamma2, epsilon
        self.centered, self.clip_weights = centered, clip_weights

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The average square; if centered, the average, and the momentum."""
        return tuple(zeros_like(weight, np.float32) for _ in range(3 if self.centered else 1))

    def _step(
        self, index: Any, w: Array, g: Array, lr: float, wd: float, square: Array, *more: Array
    ) -> None:
        g = self._scaled(g, wd, w)
        gamma1 = single(self.gamma1)
        follow(square, g * g, gamma1, 1 - gamma1)
        if not more:
            g *= lr
            g /= np.sqrt(square + self.epsilon)
            w -= g
        else:
            mean, delta = more
            follow(mean, g, gamma1, 1 - gamma1)
            delta *= self.gamma2
            delta -= lr * g / np.sqrt(square - mean * mean + self.epsilon)
            w += delta
        if self.clip_weights:
            np.clip(w, -self.clip_weights, self.clip_weights, out=w)


@register
class Ftrl(Optimizer):
    """Follow the regularized leader, by coordinate (McMahan et al. 2013): `lamda1` makes weights zero."""

    _elementwise = True

    def __init__(
        self, lamda1: float = 0.01, learning_rate: float = 0.1, beta: float = 1, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.lamda1, self.beta = lamda1, beta

    def create_state(self, index: Index, weight: NDArray) -> State:
        """z, and n, the sum of squares."""
        return zeros_like(weight, np.float32), zeros_like(weight, np.float32)

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, z: Array, n: Array) -> None:
        g = self._scaled(g)
        root = np.sqrt(n)
        n += g * g
        new_root = np.sqrt(n)
        z += g - (new_root - root) * w / lr
        shrunk = np.sign(z) * self.lamda1 - z
        w[...] = np.where(np.abs(z) > self.lamda1, shrunk / ((self.beta + new_root) / lr + wd), 0)


@register
class FTML(Optimizer):
    """Follow the moving leader (Zheng and Kwok 2017)."""

    _elementwise = True

    def __init__(
        self, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-8, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon

    def create_state(self, index: Index, weight: NDArray) -> State:
        """d, v and z of the paper."""
        return zeros_like(weight), zeros_like(weight), zeros_like(weight)

    def _step(
        self, index: Any, w: Array, g: Array, lr: float, wd: float, d: Array, v: Array, z: Array
    ) -> None:
        t = self._index_update_count[index]
        beta1, beta2 = single(self.beta1), single(self.beta2)
        g = self._scaled(g, wd, w)
        follow(v, g * g, beta2, 1 - beta2)
        new_d = (1 - beta1**t) / lr * (np.sqrt(v / (1 - beta2**t)) + self.epsilon)
        z *= beta1
        z += (1 - beta1) * g - (new_d - beta1 * d) * w
        d[...] = new_d
        np.divide(-z, d, out=w)
