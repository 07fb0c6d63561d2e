"""Lowerings of optimizers' steps without states."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.ops.update import LambUpdatePhase2, SGDUpdate, SignSGDUpdate

from ._graph import Graph, Value
from ._registry import lowers
from .unary import sign

_float32 = np.dtype("float32")


def single(number: Any) -> float:
    """A number as MXNet's operators have it, rounded to float32."""
    return float(np.float32(number))


def product(x: Value, a: float, b: float) -> float:
    """The product of two such numbers in the dtype of a value."""
    return float(x.dtype.type(single(a)) * x.dtype.type(single(b)))


def wide(g: Graph, x: Value) -> Value:
    """float16 in float32."""
    return g.Cast(x, _float32) if x.dtype == np.float16 else x


def scaled(g: Graph, op: Any, grad: Value) -> Value:
    """The rescaled and clipped gradient."""
    x = wide(g, grad) * single(op.rescale_grad)
    bound = single(op.clip_gradient)
    return g.Clip(x, -bound, bound) if bound >= 0 else x


@lowers(SGDUpdate)
def sgd_update(g: Graph, op: SGDUpdate, weight: Value, grad: Value) -> Value:
    """The decayed weights, less a share of the gradient."""
    if op.clip_gradient < 0:
        x = wide(g, grad)
        step = x * product(x, op.lr, op.rescale_grad)
    else:
        step = scaled(g, op, grad) * single(op.lr)
    return g.Cast(_decayed(op, wide(g, weight)) - step, weight.dtype)


def _decayed(op: Any, w: Value) -> Value:
    """The decayed weights."""
    result: Value = w * float(w.dtype.type(1) - w.dtype.type(product(w, op.lr, op.wd)))
    return result


@lowers(SignSGDUpdate)
def signsgd_update(g: Graph, op: SignSGDUpdate, weight: Value, grad: Value) -> Value:
    """The decayed weights, less the sign."""
    direction = sign(g, op, wide(g, grad))
    return g.Cast(_decayed(op, wide(g, weight)) - direction * single(op.lr), weight.dtype)


@lowers(LambUpdatePhase2)
def lamb_update_phase2(
    g: Graph, op: LambUpdatePhase2, weight: Value, direction: Value, r1: Value, r2: Value
) -> Value:
    """The rate is computed first, from one number each."""
    norm, length = wide(g, r1), wide(g, r2)
    if op.lower_bound >= 0:
        norm = g.Max(norm, g.const(single(op.lower_bound), norm.dtype))
    if op.upper_bound >= 0:
        norm = g.Min(norm, g.const(single(op.upper_bound), norm.dtype))
    zero = g.const(0, norm.dtype)
    plain = g.Or(g.Equal(norm, zero), g.Equal(length, zero))
    rate = g.Where(plain, g.const(single(op.lr), norm.dtype), norm * single(op.lr) / length)
    return g.Cast(wide(g, weight) - wide(g, direction) * rate, weight.dtype)
