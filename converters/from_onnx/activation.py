"""Imports of activations with attributes or parameters."""

from __future__ import annotations

from math import isclose, pi, sqrt
from typing import Any

from hybridonnx.errors import ConversionError
from hybridonnx.ops.activation import SELU_ALPHA, SELU_SCALE

from ._registry import imports


@imports("LeakyRelu", versions=(1, 6, 16))
def leaky_relu(F: Any, x: Any, *, alpha: float = 0.01) -> Any:
    """The same in MXNet."""
    return F.LeakyReLU(x, act_type="leaky", slope=alpha)


@imports("Elu", versions=(1, 6, 22))
def elu(F: Any, x: Any, *, alpha: float = 1.0) -> Any:
    """The same in MXNet."""
    return F.LeakyReLU(x, act_type="elu", slope=alpha)


@imports("Celu", versions=(12, 28))
def celu(F: Any, x: Any, *, alpha: float = 1.0) -> Any:
    """Elu of the quotient, which ONNX's own definition computes with a vector, so that numbers become one."""
    if alpha == 1:
        return F.LeakyReLU(x, act_type="elu", slope=1.0)
    return F.LeakyReLU(x / alpha, act_type="elu", slope=1.0) * alpha


@imports("Selu", versions=(1,))
def rounded_selu(F: Any, x: Any, *, alpha: float = 1.6732, gamma: float = 1.0507) -> Any:
    """The version whose constants have five digits."""
    return selu(F, x, alpha=alpha, gamma=gamma)


@imports("Selu", versions=(6, 22))
def selu(F: Any, x: Any, *, alpha: float = SELU_ALPHA, gamma: float = SELU_SCALE) -> Any:
    """MXNet's has the usual constants."""
    if isclose(alpha, SELU_ALPHA, rel_tol=1e-6) and isclose(gamma, SELU_SCALE, rel_tol=1e-6):
        return F.LeakyReLU(x, act_type="selu")
    return F.LeakyReLU(x, act_type="elu", slope=alpha) * gamma


@imports("Gelu", versions=(20,))
def gelu(F: Any, x: Any, *, approximate: str = "none") -> Any:
    """MXNet's is the exact one."""
    if approximate == "none":
        return F.LeakyReLU(x, act_type="gelu")
    if approximate != "tanh":
        raise ConversionError(f"Gelu: approximate='none' or 'tanh' is required, got {approximate!r}.")
    inner = (x + x * x * x * 0.044715) * sqrt(2 / pi)
    return x * 0.5 * (F.tanh(inner) + 1)


@imports("Softplus", versions=(1, 22))
def softplus(F: Any, x: Any) -> Any:
    """MXNet's softrelu."""
    return F.Activation(x, act_type="softrelu")


@imports("ThresholdedRelu", versions=(10, 22))
def thresholded_relu(F: Any, x: Any, *, alpha: float = 1.0) -> Any:
    """MXNet has none: the input where it is above the threshold, and 0 elsewhere, at -inf and NaN too."""
    return F.where(x > alpha, x, F.zeros_like(x))


# ---- learned slopes


@imports("PRelu", versions=(1, 6))
def prelu_of_channels(F: Any, x: Any, slope: Any) -> Any:
    """The version whose slopes belong to channels, or all elements, as MXNet's do."""
    return F.LeakyReLU(x, slope, act_type="prelu")


@imports("PRelu", versions=(7, 9, 16))
def prelu(F: Any, x: Any, slope: Any) -> Any:
    """Slopes for channels are MXNet's own; others are arithmetic."""
    rank, shape = F.rank(x), F.shape(slope)
    channels = None if shape is None else _channels(shape, rank)
    if channels is None:
        return F.relu(x) - slope * F.relu(-x)
    gamma = slope if shape == channels else F.reshape(slope, shape=(-1,))
    return F.LeakyReLU(x, gamma, act_type="prelu")


def _channels(shape: tuple[int | None, ...], rank: int) -> tuple[int | None, ...] | None:
    """(C,) or (1,) if slopes of this shape belong to axis 1 or to all elements, else `None`."""
    if all(d == 1 for d in shape):
        return (1,)
    full = (1,) * (rank - len(shape)) + shape
    others = full[:1] + full[2:]
    return full[1:2] if len(full) == rank > 1 and all(d == 1 for d in others) else None
