"""Steps of AdamW and LAMB under the names and arguments of `nd.contrib`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from .ndarray import NDArray

Out: TypeAlias = NDArray | Sequence[NDArray] | None


def _scale(rescale_grad: NDArray | float, like: NDArray) -> NDArray:
    """The factor of gradients as an array of one element."""
    if isinstance(rescale_grad, NDArray):
        return rescale_grad
    return NDArray(np.full(1, rescale_grad, np.float32), like.context)


def _interleaved(*lists: Sequence[NDArray]) -> list[NDArray]:
    """The first arrays of all lists, then the second ones, and so on."""
    return [array for group in zip(*lists, strict=True) for array in group]


def adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    rescale_grad: NDArray | float,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: NDArray | None = None,
    name: str | None = None,
    **kwargs: object,
) -> NDArray:
    """A step of AdamW; `rescale_grad` is a number or an array of one element.

    Without effect on weights and states if it is 0, infinite or NaN.
    """
    constants = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "wd": wd, "clip_gradient": clip_gradient}
    arrays = (weight, grad, mean, var, _scale(rescale_grad, weight))
    new: NDArray = NDArray.F._adamw_update(*arrays, lr=lr, eta=eta, out=out, name=name, **constants, **kwargs)
    return new


def mp_adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    weight32: NDArray,
    rescale_grad: NDArray | float,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: NDArray | None = None,
    name: str | None = None,
    **kwargs: object,
) -> NDArray:
    """A step of AdamW by a copy of the weights in float32."""
    constants = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "wd": wd, "clip_gradient": clip_gradient}
    arrays = (weight, grad, mean, var, weight32, _scale(rescale_grad, weight))
    options: dict[str, Any] = {"out": out, "name": name, **constants, **kwargs}
    new: NDArray = NDArray.F._mp_adamw_update(*arrays, lr=lr, eta=eta, **options)
    return new


def multi_adamw_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    rescale_grad: NDArray | float,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Out = None,
    name: str | None = None,
    size: int = 0,
    **kwargs: object,
) -> Any:
    """Steps of AdamW for lists of weights; `size` is their number."""
    arrays = [*_interleaved(weights, grads, mean, var), _scale(rescale_grad, weights[0])]
    options = {"num_weights": size or len(weights), "lrs": lrs, "wds": wds, "etas": etas, **kwargs}
    return NDArray.F._multi_adamw_update(*arrays, out=out, name=name, **options)


def multi_mp_adamw_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    weights32: Sequence[NDArray],
    rescale_grad: NDArray | float,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Out = None,
    name: str | None = None,
    size: int = 0,
    **kwargs: object,
) -> Any:
    """Steps of AdamW for lists of weights, by copies of them in float32."""
    arrays = [*_interleaved(weights, grads, mean, var, weights32), _scale(rescale_grad, weights[0])]
    options = {"num_weights": size or len(weights), "lrs": lrs, "wds": wds, "etas": etas, **kwargs}
    return NDArray.F._multi_mp_adamw_update(*arrays, out=out, name=name, **options)


def multi_lamb_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Out = None,
    num_tensors: int = 0,
    **kwargs: object,
) -> Any:
    """Steps of LAMB for lists of weights; `num_tensors` is their number."""
    arrays = _interleaved(weights, grads, mean, var)
    rates = {"learning_rates": lrs, "wds": wds, "step_count": step_count}
    return NDArray.F._multi_lamb_update(
        *arrays, out=out, num_tensors=num_tensors or len(weights), **rates, **kwargs
    )


def multi_mp_lamb_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    weights32: Sequence[NDArray],
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Out = None,
    num_tensors: int = 0,
    **kwargs: object,
) -> Any:
    """Steps of LAMB for lists of weights, by copies of them in float32."""
    arrays = _interleaved(weights, grads, mean, var, weights32)
    rates = {"learning_rates": lrs, "wds": wds, "step_count": step_count}
    return NDArray.F._multi_mp_lamb_update(
        *arrays, out=out, num_tensors=num_tensors or len(weights), **rates, **kwargs
    )
