"""Lowerings of steps without states for many weights, and of what is measured of many arrays."""

from __future__ import annotations

import numpy as np

from hybridonnx.ops.multi_update import (
    AllFinite,
    MultiAllFinite,
    MultiLars,
    MultiSGDUpdate,
    MultiSumSq,
    PreloadedMultiSGDUpdate,
)

from ._graph import Graph, Value
from ._registry import lowers
from .update import product, scaled, single, wide

_float32 = np.dtype("float32")


@lowers(MultiSGDUpdate)
def multi_sgd_update(g: Graph, op: MultiSGDUpdate, *arrays: Value) -> tuple[Value, ...]:
    """Each weight plus its step, which is summed first."""
    results = []
    for lr, wd, (weight, grad) in zip(op.lrs, op.wds, op.groups(arrays), strict=True):
        if op.clip_gradient < 0:
            x = wide(g, grad)
            gain = x * product(x, lr, op.rescale_grad)
        else:
            gain = scaled(g, op, grad) * single(lr)
        w = wide(g, weight)
        step = w * -product(w, lr, wd) - gain if wd else -gain
        results.append(g.Cast(w + step, weight.dtype))
    return tuple(results)


@lowers(PreloadedMultiSGDUpdate)
def preloaded_multi_sgd_update(g: Graph, op: PreloadedMultiSGDUpdate, *arrays: Value) -> tuple[Value, ...]:
    """The same with rates and decays that are picked from arrays."""
    *_, lrs, wds = arrays
    results = []
    for i, (weight, grad) in enumerate(op.groups(arrays)):
        w, gradient = wide(g, weight), wide(g, grad)
        lr, wd = (g.Cast(g.Gather(x, np.int64(i), axis=0), w.dtype) for x in (lrs, wds))
        if op.clip_gradient < 0:
            gain = gradient * (lr * single(op.rescale_grad))
        else:
            gain = scaled(g, op, grad) * lr
        results.append(g.Cast(w - (w * (lr * wd) + gain), weight.dtype))
    return tuple(results)


@lowers(MultiSumSq)
def multi_sum_sq(g: Graph, op: MultiSumSq, *arrays: Value) -> Value:
    """A sum each, joined."""
    sums = [g.Cast(g.ReduceSumSquare(wide(g, x), keepdims=0), _float32) for x in arrays]
    return g.Concat(*(g.Reshape(s, [1]) for s in sums), axis=0)


def _strangers(g: Graph, x: Value) -> Value:
    """How many elements are not finite, (1,)."""
    x = wide(g, x)
    odd = g.Cast(g.Or(g.IsNaN(x), g.IsInf(x)), _float32)
    return g.Reshape(g.ReduceSum(odd, keepdims=0), [1])


def _finite(g: Graph, counts: Value) -> Value:
    return g.Cast(g.Equal(counts, g.const(0, _float32)), _float32)


@lowers(AllFinite)
def all_finite(g: Graph, op: AllFinite, data: Value) -> Value:
    """Whether none is infinite or NaN."""
    return _finite(g, _strangers(g, data))


@lowers(MultiAllFinite)
def multi_all_finite(g: Graph, op: MultiAllFinite, *arrays: Value) -> Value:
    """The same of all arrays."""
    counts = g.Concat(*(_strangers(g, x) for x in arrays), axis=0)
    return _finite(g, g.Reshape(g.ReduceSum(counts, keepdims=0), [1]))


@lowers(MultiLars)
def multi_lars(g: Graph, op: MultiLars, lrs: Value, weights: Value, grads: Value, wds: Value) -> Value:
    """The rates, and as they were where a norm is 0."""
    norms = [g.Sqrt(wide(g, x)) for x in (weights, grads)]
    rates = wide(g, lrs)
    divisor = norms[1] * single(op.rescale_grad) + wide(g, wds) * norms[0] + single(op.eps)
    zero = g.const(0, rates.dtype)
    both = g.And(g.Greater(norms[0], zero), g.Greater(norms[1], zero))
    return g.Cast(g.Where(both, rates * single(op.eta) * norms[0] / divisor, rates), lrs.dtype)
