"""Lowerings of reductions as mx.np has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hybridonnx.ops.np_reduce import (
    NumpyAll,
    NumpyAny,
    NumpyArgMax,
    NumpyArgMin,
    NumpyMax,
    NumpyMean,
    NumpyMin,
    NumpyProd,
    NumpyReduction,
    NumpySum,
)

from ._arithmetic import any_along
from ._graph import Graph, Value
from ._registry import lowers
from .reduce import _arg, _nan_of_nothing, _over, _product, _sum

Reducer = Callable[[Value, Sequence[int], int], Value]


def _reduced(g: Graph, op: NumpyReduction, a: Value, function: Reducer) -> Value:
    """What a function of the axes gives in the dtype that is computed in."""
    axes = op.axes(a.rank)
    x = g.Cast(a, op.infer_dtype(a.dtype))
    if not axes:
        return g.Identity(x) if x is a else x
    return function(x, axes, int(op.keepdims))


@lowers(NumpySum)
def total(g: Graph, op: NumpySum, a: Value) -> Value:
    """One node, but for integers."""
    return _reduced(g, op, a, lambda x, axes, keepdims: _sum(g, x, axes, keepdims))


@lowers(NumpyProd)
def product(g: Graph, op: NumpyProd, a: Value) -> Value:
    """One node, but for integers."""
    return _reduced(g, op, a, lambda x, axes, keepdims: _product(g, x, axes, keepdims))


@lowers(NumpyMean)
def mean(g: Graph, op: NumpyMean, a: Value) -> Value:
    """NaN of nothing."""

    def of(x: Value, axes: Sequence[int], keepdims: int) -> Value:
        if x.dtype.kind != "f":
            return _over(g, _sum(g, x, axes, keepdims), x, axes)
        return _nan_of_nothing(g, g.ReduceMean(x, axes, keepdims=keepdims), x, axes)

    return _reduced(g, op, a, of)


def _extreme(g: Graph, op: NumpyReduction, a: Value, node: Callable[..., Value]) -> Value:
    def of(x: Value, axes: Sequence[int], keepdims: int) -> Value:
        if x.dtype.kind == "b":
            return g.via(np.int32, lambda y: node(y, axes, keepdims=keepdims), x)
        result = node(x, axes, keepdims=keepdims)
        if x.dtype.kind != "f":
            return result
        return g.Where(any_along(g, g.IsNaN(x), axes, keepdims), x.dtype.type(np.nan), result)

    return _reduced(g, op, a, of)


@lowers(NumpyMax)
def maximum(g: Graph, op: NumpyMax, a: Value) -> Value:
    """NaN if there is one, which ONNX Runtime may overlook."""
    return _extreme(g, op, a, g.ReduceMax)


@lowers(NumpyMin)
def minimum(g: Graph, op: NumpyMin, a: Value) -> Value:
    """NaN if there is one, which ONNX Runtime may overlook."""
    return _extreme(g, op, a, g.ReduceMin)


@lowers(NumpyAny)
def any_true(g: Graph, op: NumpyAny, data: Value) -> Value:
    """Whether there are any to count."""
    return _reduced(g, op, data, lambda x, axes, keepdims: _any(g, x, axes, keepdims))


@lowers(NumpyAll)
def all_true(g: Graph, op: NumpyAll, data: Value) -> Value:
    """Whether there are none that are false."""
    return _reduced(g, op, data, lambda x, axes, keepdims: g.Not(_any(g, g.Not(x), axes, keepdims)))


def _any(g: Graph, x: Value, axes: Sequence[int], keepdims: int) -> Value:
    """A sum, as that of nothing is 0, which the largest of nothing is not."""
    return g.Cast(g.ReduceSum(g.Cast(x, np.int32), axes, keepdims=keepdims), np.bool_)


@lowers(NumpyArgMax, NumpyArgMin)
def index_of_extreme(g: Graph, op: Any, data: Value) -> Value:
    """Without axis it is the index in the array laid out flat."""
    function = g.ArgMin if isinstance(op, NumpyArgMin) else g.ArgMax
    if op.axis is not None:
        return _arg(g, function, data, op.axis % data.rank, op.keepdims)
    index = _arg(g, function, g.Reshape(data, [-1]), 0, False)
    return g.Reshape(index, [1] * data.rank) if op.keepdims else index
