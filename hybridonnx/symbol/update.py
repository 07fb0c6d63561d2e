"""Steps of AdamW under the names and arguments of `sym.contrib`."""

from __future__ import annotations

from typing import Any

from ..ops import find
from ._creation import full
from .compose import call
from .symbol import Symbol


def _step(name: str, arrays: dict[str, Any], rescale_grad: Any, attributes: dict[str, Any]) -> Symbol:
    scale = rescale_grad if isinstance(rescale_grad, Symbol) else full((1,), rescale_grad)
    attributes.pop("out", None)
    composed: Symbol = call(find(name), name, (), {**arrays, "rescale_grad": scale, **attributes}, Symbol)
    return composed


def adamw_update(
    weight: Symbol,
    grad: Symbol,
    mean: Symbol,
    var: Symbol,
    rescale_grad: Symbol | float,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: None = None,
    name: str | None = None,
    **kwargs: object,
) -> Symbol:
    """A step of AdamW; `rescale_grad` is a number or a symbol of one element."""
    arrays = {"weight": weight, "grad": grad, "mean": mean, "var": var}
    constants = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "wd": wd, "clip_gradient": clip_gradient}
    attributes = {"lr": lr, "eta": eta, "name": name, **constants, **kwargs}
    return _step("_adamw_update", arrays, rescale_grad, attributes)


def mp_adamw_update(
    weight: Symbol,
    grad: Symbol,
    mean: Symbol,
    var: Symbol,
    weight32: Symbol,
    rescale_grad: Symbol | float,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: None = None,
    name: str | None = None,
    **kwargs: object,
) -> Symbol:
    """A step of AdamW by a copy of the weights in float32."""
    arrays = {"weight": weight, "grad": grad, "mean": mean, "var": var, "weight32": weight32}
    constants = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "wd": wd, "clip_gradient": clip_gradient}
    attributes = {"lr": lr, "eta": eta, "name": name, **constants, **kwargs}
    return _step("_mp_adamw_update", arrays, rescale_grad, attributes)
