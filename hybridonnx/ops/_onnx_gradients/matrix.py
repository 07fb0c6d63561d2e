"""Gradients of products of matrices and of sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from .._onnx_text import NodeText
from ._nodes import Nodes, is_value
from ._table import constant, gradient_of

constant("it gives integers", "MatMulInteger", "ConvInteger", "QLinearMatMul", "QLinearConv")


@gradient_of("MatMul")
def matmul(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], a: Any, b: Any) -> Sequence[Any]:
    """Products with the other factor, transposed; a vector is a matrix of one row or one column."""
    ones = np.ones(2, np.int64)
    rank_a, rank_b = (g.Size(g.Shape(x)) for x in (a, b))
    rows, columns = (g.Slice(ones, [0], g.Reshape(g.Max(g.Sub(2, r), 0), [1])) for r in (rank_a, rank_b))
    left = g.Reshape(a, g.joined(rows, g.Shape(a)), allowzero=1)
    right = g.Reshape(b, g.joined(g.Shape(b), columns), allowzero=1)
    axes_of_y = g.Sub(g.Size(g.Shape(y[0])), g.Sub(g.Add(g.Min(rank_a, 2), g.Min(rank_b, 2)), 2))
    lead = g.Slice(g.Shape(y[0]), [0], g.Reshape(axes_of_y, [1]))
    head = g.Reshape(dy[0], g.joined(lead, g.sizes(left, -2, -1), g.sizes(right, -1)), allowzero=1)
    of_a = g.summed(g.MatMul(head, transposed(g, right)), left)
    of_b = g.summed(g.MatMul(transposed(g, left), head), right)
    return g.pinned(of_a, g.operand(a)), g.pinned(of_b, g.operand(b))


@gradient_of("Gemm")
def gemm(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], a: Any, b: Any, c: Any = None
) -> Sequence[Any]:
    """Products with the other factor, transposed where it was not."""
    attributes, head = node.attributes, dy[0]
    across_a, across_b = (int(bool(attributes.get(name, 0))) for name in ("transA", "transB"))
    alpha = float(attributes.get("alpha", 1.0))
    if across_a:
        of_a = g.Gemm(b, head, alpha=alpha, transA=across_b, transB=1)
    else:
        of_a = g.Gemm(head, b, alpha=alpha, transB=1 - across_b)
    if across_b:
        of_b = g.Gemm(head, a, alpha=alpha, transA=1, transB=across_a)
    else:
        of_b = g.Gemm(a, head, alpha=alpha, transA=1 - across_a)
    return of_a, of_b, None if c is None else g.back(head * attributes.get("beta", 1.0), c)


@gradient_of("Det")
def det(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any) -> Sequence[Any]:
    """The cofactors, which need a matrix that has an inverse."""
    scale = g.Unsqueeze(dy[0] * y[0], [-1, -2])
    return (g.Mul(scale, transposed(g, g.F._linalg_inverse(x))),)


def transposed(g: Nodes, x: Any) -> Any:
    """Matrices in the last two axes, transposed."""
    return g.Einsum(x, equation="...ij->...ji")


@gradient_of("Einsum")
def einsum(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], *data: Any) -> Sequence[Any]:
    """The same sum, in which the gradient stands for an operand."""
    terms, result = _terms(node.attributes["equation"])
    grads = []
    for i, x in enumerate(data):
        others = [k for k in range(len(data)) if k != i]
        operands = [dy[0], *(data[k] for k in others)]
        parts = [result, *(terms[k] for k in others)]
        target = terms[i]
        letters = target.replace("...", "")
        if any(letter not in "".join(parts) for letter in letters) or (
            "..." in target and "..." not in "".join(parts)
        ):
            operands.append(g.F.ones_like(g.operand(x)))
            parts.append(target)
        target = _apart(g, target, x, operands, parts)
        if "..." not in target and any("..." in part for part in parts):  # ONNX has dots in all or in none
            target = f"...{target}"
        grad = g.Einsum(*operands, equation=",".join(parts) + "->" + target)
        grads.append(g.back(grad, x))
    return grads


def _terms(equation: str) -> tuple[list[str], str]:
    """The letters of the operands and of the result."""
    left, arrow, result = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if not arrow:
        letters = [c for c in left if c.isalpha()]
        result = ("..." if "..." in left else "") + "".join(
            sorted(c for c in letters if letters.count(c) == 1)
        )
    return terms, result


def _apart(g: Nodes, target: str, x: Any, operands: list[Any], parts: list[str]) -> str:
    """The letters of an operand with repeated ones apart, and identity matrices between these."""
    unused = [c for c in ascii_letters if c not in "".join([target, *parts])]
    letters = list(target.replace("...", "."))
    for at, letter in enumerate(letters):
        if letter in letters[:at]:
            axis = at if "." not in letters[:at] else at - len(letters)
            size = g.Gather(g.Shape(x), np.array(axis))
            numbers = g.Range(np.array(0), size, np.array(1))
            operands.append(g.CastLike(g.OneHot(numbers, size, np.array([0, 1])), operands[0]))
            letters[at] = unused.pop()
            parts.append(letter + letters[at])
    return "".join(letters).replace(".", "...")


@gradient_of("DequantizeLinear")
def dequantize(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any, scale: Any, zero: Any = None
) -> Sequence[Any]:
    """To the scale: of the whole array, of an axis, or of blocks of one."""
    if not is_value(scale):
        return None, None, None
    slope = g.again(node, x, g.F.ones_like(scale), zero) * dy[0]
    axis, block = node.attributes.get("axis", 1), node.attributes.get("block_size", 0)
    shape = g.Shape(slope)
    if not block:  # of one axis alone, or of none
        before = g.Slice(shape, [0], [axis]) if axis else np.array([], np.int64)
        matrix = g.Reshape(slope, g.joined(g.ReduceProd(before, keepdims=1), [-1, 1]))
        rows = g.Reshape(
            matrix, g.joined(g.ReduceProd(before, keepdims=1), g.Shape(g.Reshape(scale, [-1])), -1)
        )
        return None, g.as_shape_of(g.ReduceSum(rows, [0, 2], keepdims=0), scale), None
    before = g.Slice(shape, [0], [axis]) if axis else np.array([], np.int64)
    pieces = g.joined(before, g.Gather(g.Shape(scale), [axis]), -1, g.Slice(shape, [axis + 1], [99]))
    return None, g.as_shape_of(g.ReduceSum(g.Reshape(slope, pieces), [axis + 1], keepdims=0), scale), None
