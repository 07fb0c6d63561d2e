"""Imports of Gemm, MatMul, Einsum and LinearRegressor."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError
from hybridonnx.ops import same

from ._registry import ML, imports


@imports("Gemm", versions=(1, 6, 7, 9, 11, 13))
def gemm(
    F: Any,
    a: Any,
    b: Any,
    c: Any = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    broadcast: int = 0,
) -> Any:
    if alpha == 1.0 and not transA and (c is None or beta == 1.0):
        layer = _fully_connected(F, a, b, c, bool(transB))
        if layer is not None:
            return layer
    y = F.dot(a, b, transpose_a=bool(transA), transpose_b=bool(transB))
    y = y if alpha == 1.0 else y * alpha
    if c is None or beta == 0.0:
        return y
    return y + (c if beta == 1.0 else c * beta)


def _fully_connected(F: Any, a: Any, b: Any, c: Any, transposed: bool) -> Any:
    """A layer if the weight is one: (num_hidden, D), or a constant that is transposed."""
    shape = F.shape(b)
    if shape is None or shape[0 if transposed else 1] is None:
        return None
    hidden = shape[0 if transposed else 1]
    if not transposed:
        if F.value(b) is None:
            return None
        b = F.transpose(b)
    if c is None:
        return F.FullyConnected(a, b, num_hidden=hidden, no_bias=True)
    if F.shape(c) == (hidden,):
        return F.FullyConnected(a, b, c, num_hidden=hidden)
    return F.FullyConnected(a, b, num_hidden=hidden, no_bias=True) + c


@imports("MatMul", versions=(1, 9, 13))
def matmul(F: Any, a: Any, b: Any) -> Any:
    left, right = F.rank(a), F.rank(b)
    if left == 0 or right == 0:
        raise ConversionError("MatMul: inputs with at least one axis are required, got a scalar.")
    if right <= 2:
        return F.dot(a, b)
    if left == 1:
        return F.squeeze(_batched(F, F.expand_dims(a, axis=0), b, 2, right), axis=(-2,))
    return _batched(F, a, b, left, right)


def _batched(F: Any, a: Any, b: Any, left: int, right: int) -> Any:
    """batch_dot of stacks of matrices whose batch axes broadcast."""
    rank = max(left, right)
    dims = [list(F.dims(x) or (None,) * r) for x, r in ((a, left), (b, right))]
    for _ in range(rank - left):
        a = F.expand_dims(a, axis=0)
    for _ in range(rank - right):
        b = F.expand_dims(b, axis=0)
    one, two = ([1] * (rank - len(d)) + d for d in dims)
    for x, y in zip(one[:-2], two[:-2], strict=True):
        if None not in (x, y) and not (_is_one(x) or _is_one(y) or same(x, y)):
            raise ConversionError(f"MatMul: equal batch axes are required, or ones, got {x} and {y}.")
    wider = [i for i in range(rank - 2) if _is_one(one[i]) and not _is_one(two[i])]
    if wider:
        a = F.broadcast_like(a, b, lhs_axes=tuple(wider), rhs_axes=tuple(wider))
    wider = [i for i in range(rank - 2) if _is_one(two[i]) and not _is_one(one[i])]
    if wider:
        b = F.broadcast_like(b, a, lhs_axes=tuple(wider), rhs_axes=tuple(wider))
    return F.batch_dot(a, b)


def _is_one(size: Any) -> bool:
    """Whether a size is 1 in every run."""
    return isinstance(size, int) and size == 1


@imports("Einsum", versions=(12, 28))
def einsum(F: Any, *inputs: Any, equation: str) -> Any:
    """Letters as NumPy has them. A diagonal needs sizes that are known, as it is not exported without."""
    text = "".join(equation.split())
    for term, x in zip(text.partition("->")[0].split(","), inputs, strict=True):
        size = F.rank(x) - len(term.replace("...", ""))
        letters = term.replace("...", "." * size)
        shape = F.shape(x)
        if any(d is None and letters.count(c) > 1 for c, d in zip(letters, shape, strict=True) if c != "."):
            raise ConversionError(f"Einsum: known sizes are required along equal letters of {term!r}.")
    if len(inputs) > _MOST_FACTORS:
        raise ConversionError(f"Einsum: at most {_MOST_FACTORS} inputs are possible, got {len(inputs)}.")
    return F._npi_einsum(*inputs, subscripts=text)


_MOST_FACTORS = 15
"""How many arrays MXNet's einsum takes."""


@imports("LinearRegressor", versions=(1,), domain=ML)
def linear_regressor(
    F: Any,
    x: Any,
    *,
    coefficients: tuple[float, ...] = (),
    intercepts: tuple[float, ...] = (),
    post_transform: str = "NONE",
    targets: int = 1,
) -> Any:
    """A layer, whose weights train."""
    shape = F.shape(x)
    if shape is None or len(shape) != 2 or F.dtype(x) != np.float32 or post_transform != "NONE":
        raise ConversionError(
            "LinearRegressor: a matrix of float32 and post_transform NONE are required, got "
            f"{shape} {F.dtype(x)} and {post_transform}."
        )
    if not coefficients or targets < 1 or len(coefficients) % targets:
        raise ConversionError(
            f"LinearRegressor: as many coefficients for each of {targets} targets are required, got "
            f"{len(coefficients)} in all."
        )
    weight = F.weight("weight", np.array(coefficients, np.float32).reshape(targets, -1))
    if not intercepts:
        return F.FullyConnected(x, weight, num_hidden=targets, no_bias=True)
    return F.FullyConnected(x, weight, F.weight("bias", np.array(intercepts, np.float32)), num_hidden=targets)
