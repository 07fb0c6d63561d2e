"""Gradient descent and its close relatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._locks import no_fork
from ..ndarray.ndarray import NDArray
from ..ops import Array, drawing, generator, steps
from .optimizer import Index, Optimizer, State, register, zeros_like

__all__ = ["DCASGD", "NAG", "SGD", "SGLD", "Signum", "Test", "ccSGD"]


@register
class SGD(Optimizer):
    """Stochastic gradient descent, with momentum (Polyak 1964) unless it is 0.

        mom = momentum * mom - lr * (grad + wd * weight);  weight += mom

    With `lazy_update` a row-sparse gradient changes only the rows that it has.
    """

    aggregate_num = 4
    _state_before_master = True
    _elementwise = True

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.lazy_update = self._lazy = lazy_update

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The momentum, if there is any."""
        return zeros_like(weight) if self.momentum else None

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, mom: Array | None = None) -> None:
        descend(w, g, mom, self.momentum, lr=lr, wd=wd, **self._scaling())


def descend(w: Array, g: Array, mom: Array | None, momentum: float, **options: float) -> None:
    """One step along a gradient, with momentum if there is any."""
    if mom is None:
        steps.sgd(w, g, **options)
    else:
        steps.sgd_momentum(w, g, mom, momentum=momentum, **options)


@register
class ccSGD(SGD):  # noqa: N801  (MXNet's name)
    """The old name of `SGD`."""


@register
class NAG(Optimizer):
    """Nesterov's accelerated gradient, in the form of Sutskever et al. 2013 that needs one gradient.

    mom = momentum * mom - lr * (grad + wd * weight);  weight += momentum * mom - lr * (grad + wd * weight)
    """

    _state_before_master = True
    _elementwise = True

    def __init__(self, momentum: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self._lazy = not momentum

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The momentum, if there is any."""
        return zeros_like(weight) if self.momentum else None

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, mom: Array | None = None) -> None:
        if mom is None:
            steps.sgd(w, g, lr=lr, wd=wd, **self._scaling())
        else:
            steps.nesterov(w, g, mom, lr=lr, wd=wd, momentum=self.momentum, **self._scaling())


@register
class SGLD(Optimizer):
    """Stochastic gradient Langevin dynamics (Welling and Teh 2011): half a step, and noise of variance lr."""

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float) -> None:
        g = self._scaled(g)
        g += wd * w
        g *= -lr / 2
        w += g
        with no_fork(), drawing():
            w += math.sqrt(lr) * generator().standard_normal(w.shape, dtype=np.float32)

    def _clips(self, bound: float) -> bool:
        return True


@register
class DCASGD(Optimizer):
    """Delay-compensated SGD (Zheng et al. 2017): a gradient of old weights, corrected for their change since.

    mom = momentum * mom - lr * (grad + wd * weight + lamda * grad**2 * (weight - previous))
    """

    _elementwise = True

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.lamda = lamda

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The momentum, if there is any, and the weights before the last update."""
        return zeros_like(weight) if self.momentum else None, weight.copy()

    def _step(
        self, index: Any, w: Array, g: Array, lr: float, wd: float, mom: Array | None, previous: Array
    ) -> None:
        g = self._scaled(g)
        g += self.lamda * g * g * (w - previous) + wd * w
        g *= -lr
        if mom is not None:
            mom *= self.momentum
            mom += g
            g = mom
        previous[...] = w
        w += g

    def _clips(self, bound: float) -> bool:
        return True


@register
class Signum(Optimizer):
    """Steps of the same size in every direction (Bernstein et al. 2018): by the sign of the momentum.

        mom = momentum * mom - (1 - momentum) * (grad + wd * weight)
        weight = (1 - lr * wd_lh) * weight + lr * sign(mom)

    Without momentum, by the sign of the gradient, and `wd` is taken off the weights as `wd_lh` is.
    """

    _elementwise = True

    def __init__(
        self, learning_rate: float = 0.01, momentum: float = 0.9, wd_lh: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum
        self.wd_lh = wd_lh

    def create_state(self, index: Index, weight: NDArray) -> State:
        """The momentum, if there is any."""
        return zeros_like(weight) if self.momentum else None

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, mom: Array | None = None) -> None:
        if mom is None:
            steps.sign_descent(w, g, lr=lr, wd=wd)
            return
        options = {"momentum": self.momentum, "wd_lh": self.wd_lh, **self._scaling()}
        steps.signum(w, g, mom, lr=lr, wd=wd, **options)


@register
class Test(Optimizer):
    """Adds the gradient, for tests of what is around an optimizer; its state is the weight."""

    __test__ = False  # not pytest's

    _elementwise = True

    def create_state(self, index: Index, weight: NDArray) -> State:
        """Zeros until the first update."""
        return zeros_like(weight, np.float32)

    def _step(self, index: Any, w: Array, g: Array, lr: float, wd: float, state: Array) -> None:
        w += g * float(self.rescale_grad)
        state[...] = w
