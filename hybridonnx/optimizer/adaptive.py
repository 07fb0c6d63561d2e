"""Optimizers that scale each element's steps by the gradients it has had."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ndarray.ndarray import NDArray
from ..ops import Array, steps
from .adam import follow
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
        steps.adagrad(w, g, history, lr=lr, epsilon=self.float_stable_eps, wd=wd, **self._scaling())

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
        options: dict[str, Any] = {
            "lr": lr,
            "wd": wd,
            "gamma1": self.gamma1,
            "epsilon": self.epsilon,
            **self._scaling(),
        }
        options["clip_weights"] = self.clip_weights or -1.0
        if not more:
            steps.rmsprop(w, g, square, **options)
        else:
            steps.rmsprop_centered(w, g, square, *more, gamma2=self.gamma2, **options)


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

    def _by_rows(self, weight: NDArray) -> bool:
        return weight.stype == "row_sparse"

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, z: Array, n: Array) -> None:
        options = {"lamda1": self.lamda1, "beta": self.beta, **self._scaling()}
        steps.ftrl(w, g, z, n, lr=lr, wd=wd, **options)


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
        options = {"beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon, **self._scaling()}
        steps.ftml(w, g, d, v, z, lr=lr, t=t, wd=wd, **options)
