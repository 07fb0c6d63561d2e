"""Imports of normalization."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError

from ._registry import ML, imports
from ._sized import full
from .reduce import SUBGRADIENT


def _required(op_type: str, what: str, got: Any, then: str) -> ConversionError:
    return ConversionError(f"{op_type}: {what} is required, got {got}. {then}")


@imports("BatchNormalization", versions=(1, 6, 7, 9))
def old_batch_normalization(
    F: Any,
    x: Any,
    scale: Any,
    b: Any,
    mean: Any,
    var: Any,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    spatial: int = 1,
    is_test: int = 0,
) -> Any:
    """The versions whose further outputs are for training alone."""
    if not spatial and F.rank(x) > 2:
        raise _required("BatchNormalization", "spatial=1", 0, "MXNet has no statistics for each element.")
    return batch_normalization(F, x, scale, b, mean, var, epsilon=epsilon, momentum=momentum)


@imports("BatchNormalization", versions=(14, 15))
def batch_normalization(
    F: Any,
    x: Any,
    scale: Any,
    b: Any,
    mean: Any,
    var: Any,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
) -> Any:
    """The same in MXNet, which would set gamma to 1 if it were not told to leave it."""
    if training_mode:
        raise _required("BatchNormalization", "training_mode=0", 1, "Export the model for inference.")
    if F.dtype(x) == np.float16:  # of which MXNet keeps statistics in float32
        wide = [F.Cast(v, dtype="float32") for v in (x, scale, b, mean, var)]
        return F.Cast(_by_arithmetic(F, epsilon, *wide), dtype="float16")
    return F.BatchNorm(x, scale, b, mean, var, eps=epsilon, momentum=momentum, fix_gamma=False)


def _by_arithmetic(F: Any, epsilon: float, x: Any, scale: Any, b: Any, mean: Any, var: Any) -> Any:
    shape = (1, -1) + (1,) * (F.rank(x) - 2)
    factor = scale * F.rsqrt(var + epsilon)
    shift = b - mean * factor
    return x * F.reshape(factor, shape=shape) + F.reshape(shift, shape=shape)


@imports("LayerNormalization", versions=(17,))
def layer_normalization(
    F: Any, x: Any, scale: Any, b: Any = None, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Any:
    """ONNX's goes over all axes from `axis` on, MXNet's over one."""
    rank, shape = F.rank(x), F.shape(scale)
    axis %= rank
    b = F.zeros_like(scale) if b is None else b
    axes = tuple(range(axis, rank))
    mean = F.mean(x, axis=axes, keepdims=True)
    inverse = F.rsqrt(F.mean(F.square(x - mean), axis=axes, keepdims=True) + epsilon)
    if axis == rank - 1 and shape is not None and len(shape) == 1 and shape == F.shape(x)[-1:]:
        return F.LayerNorm(x, scale, b, axis=-1, eps=epsilon), mean, inverse
    return (x - mean) * inverse * scale + b, mean, inverse


@imports("InstanceNormalization", versions=(1, 6, 22))
def instance_normalization(F: Any, x: Any, scale: Any, b: Any, *, epsilon: float = 1e-5) -> Any:
    """The same in MXNet."""
    return F.InstanceNorm(x, scale, b, eps=epsilon)


@imports("GroupNormalization", versions=(18,))
def group_normalization_of_groups(
    F: Any, x: Any, scale: Any, bias: Any, *, num_groups: int, epsilon: float = 1e-5
) -> Any:
    """The version with one scale for a group, as in MXNet."""
    return F.GroupNorm(x, scale, bias, num_groups=num_groups, eps=epsilon)


@imports("GroupNormalization", versions=(21,))
def group_normalization(
    F: Any, x: Any, scale: Any, bias: Any, *, num_groups: int, epsilon: float = 1e-5, stash_type: int = 1
) -> Any:
    """One scale for a channel comes after MXNet's, which has one for a group."""
    one, zero = (full(F, (num_groups,), value, F.dtype(x)) for value in (1, 0))
    y = F.GroupNorm(x, one, zero, num_groups=num_groups, eps=epsilon)
    shape = (1, -1) + (1,) * (F.rank(x) - 2)
    return y * F.reshape(scale, shape=shape) + F.reshape(bias, shape=shape)


_MOST_CHANNELS = 1024
"""Windows of an even size are added channel by channel, up to so many."""


@imports("LRN", versions=(1, 13))
def lrn(F: Any, x: Any, *, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0) -> Any:
    """The same in MXNet, for an odd size; an even one, which engines refuse, has one channel more behind."""
    if size % 2:
        return F.LRN(x, alpha=alpha, beta=beta, knorm=bias, nsize=size)
    if size > _MOST_CHANNELS:
        raise ConversionError(f"LRN: an even size of at most {_MOST_CHANNELS} is required, got {size}.")
    dtype = F.dtype(x)
    wide = F.cast(x, dtype="float32") if dtype == np.float16 else x
    squares = F.square(wide)
    zeros = F.zeros_like(F.slice_axis(squares, axis=1, begin=0, end=1))
    padded = F.Concat(*[zeros] * (size // 2 - 1), squares, *[zeros] * (size // 2), dim=1)
    parts = [F.slice_axis(padded, axis=1, begin=i, end=i + 1 - size or None) for i in range(size)]
    y = wide / (F.add_n(*parts) * (alpha / size) + bias) ** beta
    return F.cast(y, dtype="float16") if dtype == np.float16 else y


@imports("LpNormalization", versions=(1, 22))
def lp_normalization(F: Any, x: Any, *, axis: int = -1, p: int = 2) -> Any:
    """Vectors of length 0 stay as they are."""
    length = F.norm(x, ord=p, axis=axis, keepdims=True, **SUBGRADIENT)
    return x / (length + (length == 0))


def flattened(F: Any, x: Any, axis: int) -> Any:
    """`x` as a matrix: the axes before `axis`, and those from it on."""
    shape = F.shape(x)
    after = () if shape is None else shape[axis:]
    if shape is None or None in after:
        raise ConversionError("known sizes are required. Give the inputs' shapes in the model.")
    return F.reshape(x, shape=(-1, prod(after)))


# ---- of ai.onnx.ml


@imports("Scaler", versions=(1,), domain=ML)
def scaler(F: Any, x: Any, *, offset: tuple[float, ...] = (), scale: tuple[float, ...] = ()) -> Any:
    """The distance from an offset by a scale, one for all or for each column."""
    shape, dtype = F.shape(x), F.dtype(x)
    columns = None if shape is None or len(shape) > 2 else shape[-1]
    if len(offset) != len(scale) or len(scale) not in (1, columns):
        raise _required(
            "Scaler",
            "an offset and a scale, one or as many as columns,",
            f"{len(offset)} and {len(scale)} for {columns} columns",
            "Give the inputs' shapes in the model.",
        )
    wide = "float64" if dtype == np.float64 else "float32"
    data = x if dtype == np.float32 else F.Cast(x, dtype=wide)
    before, by = (F.const(np.array(v, np.float32), wide) for v in (offset, scale))
    y = (data - before) * by
    return y if wide == "float32" else F.Cast(y, dtype="float32")


@imports("Normalizer", versions=(1,), domain=ML)
def normalizer(F: Any, x: Any, *, norm: str = "MAX") -> Any:
    """Rows by their maximum or norm; those where it is 0 stay."""
    if F.rank(x) > 2 or F.dtype(x) != np.float32:
        raise _required("Normalizer", "a matrix of float32", F.dtype(x), "Cast it.")
    lengths = {"MAX": F.max, "L1": partial(F.norm, ord=1), "L2": partial(F.norm, ord=2)}
    length = lengths[norm](x, axis=-1, keepdims=True, **SUBGRADIENT)
    return x / (length + (length == 0))
