"""Imports of random operators; MXNet has one generator, so that seeds of single nodes are not kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elements import dtype_of
from ._registry import imports


def _like(F: Any, name: str, x: Any, dtype: int | None, **parameters: float) -> Any:
    """Draws in the shape of `x`, and its dtype or another."""
    own = F.dtype(x)
    target = own if dtype is None else dtype_of(dtype)
    if own != target:
        x = F.Cast(x, dtype=target.name)
    return getattr(F, name)(x, **parameters)


@imports("RandomUniform", versions=(1, 22))
def random_uniform(
    F: Any, *, shape: tuple[int, ...], low: float = 0.0, high: float = 1.0, dtype: int = 1, seed: float = 0
) -> Any:
    """The same in MXNet."""
    return F._random_uniform(low=low, high=high, shape=shape, dtype=dtype_of(dtype).name)


@imports("RandomNormal", versions=(1, 22))
def random_normal(
    F: Any, *, shape: tuple[int, ...], mean: float = 0.0, scale: float = 1.0, dtype: int = 1, seed: float = 0
) -> Any:
    """The same in MXNet."""
    return F._random_normal(loc=mean, scale=scale, shape=shape, dtype=dtype_of(dtype).name)


@imports("RandomUniformLike", versions=(1, 22))
def random_uniform_like(
    F: Any, x: Any, *, low: float = 0.0, high: float = 1.0, dtype: int | None = None, seed: float = 0
) -> Any:
    """The same in MXNet."""
    return _like(F, "_random_uniform_like", x, dtype, low=low, high=high)


@imports("RandomNormalLike", versions=(1, 22))
def random_normal_like(
    F: Any, x: Any, *, mean: float = 0.0, scale: float = 1.0, dtype: int | None = None, seed: float = 0
) -> Any:
    """The same in MXNet."""
    return _like(F, "_random_normal_like", x, dtype, loc=mean, scale=scale)


@imports("Multinomial", versions=(7, 22))
def multinomial(F: Any, x: Any, *, dtype: int = 6, sample_size: int = 1, seed: float = 0) -> Any:
    """ONNX's takes logarithms of probabilities, which need not sum to 1."""
    classes = F._sample_multinomial(F.softmax(x, axis=-1), shape=(sample_size,))
    return classes if dtype_of(dtype) == np.int32 else F.Cast(classes, dtype=dtype_of(dtype).name)
