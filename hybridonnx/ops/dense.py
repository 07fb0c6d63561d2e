"""Products of matrices: fully connected layers, dot, batch_dot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt, prod
from typing import Any, ClassVar, Literal

import numpy as np

from ..errors import ShapeError
from ._operator import Array, Operator, Spec, record
from ._registry import operator
from ._shapes import Dim, Shape, differ, show, size
from ._storage import Cells, Patterns, Rows, Storage, cells_of, storage_type, stored_columns

_Storage = Literal["None", "csr", "default", "row_sparse"]


def matmul(a: Array, b: Array) -> Array:
    """The matrix product; float16 is summed in float32."""
    if a.dtype == np.float16:
        product: Array = np.matmul(a.astype(np.float32), b.astype(np.float32))
        return product.astype(np.float16)
    product = np.matmul(a, b)
    return product


def multiplications(inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
    """How many a product of matrices makes: its three arrays have each of three sizes in two of them."""
    return isqrt(prod(map(prod, (*inputs[:2], outputs[0]))))


_SAVES = 0.03
"""Nanoseconds that a session saves for each multiplication. It takes as long as the kernel, but the kernel's
threads look for more work for milliseconds after, and keep the cores from the sessions that follow."""


@operator("FullyConnected", "_npx_fully_connected", "_sparse_FullyConnected")
class FullyConnected(Operator):
    """A fully connected layer: `data` times the transposed `weight`, plus `bias`.

    Inputs:
        data: (N, ...), seen as (N, D); without `flatten` (..., D).
        weight: (num_hidden, D).
        bias: (num_hidden,); absent with `no_bias`.

    Attributes:
        num_hidden: The number of outputs for each row.
        no_bias: Whether there is no `bias`.
        flatten: Whether all axes but the first are taken as one, not the last axis alone.

    Returns:
        (N, num_hidden), without `flatten` (..., num_hidden).

    ONNX: Gemm, after Flatten if data has more axes; without `flatten` MatMul and Add.
    """

    saves: ClassVar[float] = _SAVES
    inputs: ClassVar[tuple[str, ...]] = ("data", "weight", "bias")
    packs: ClassVar[tuple[str, ...]] = ("weight",)
    num_hidden: int
    no_bias: bool = False
    flatten: bool = True

    def check(self) -> None:
        if self.num_hidden < 1:
            raise ShapeError(f"FullyConnected: num_hidden must be positive, got {self.num_hidden}.")

    def input_names(self) -> tuple[str, ...]:
        return self.inputs[: 2 if self.no_bias else 3]

    def infer_inputs(self, data: Shape | None, *others: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return (None, *others)
        if not data:
            raise ShapeError("FullyConnected: data with at least 1 axis is required, got (). Reshape it.")
        width = size(data[1:]) if self.flatten else data[-1]
        return (data, (self.num_hidden, width), (self.num_hidden,))[: 1 + len(others)]

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The number of rows, as first states of cells take it from what they are added to."""
        data, out = inputs[0], outputs[0]
        if data is None or out is None or (len(data) < 2 and not self.flatten):  # one row has no such axis
            return inputs
        return (out[0] if data[0] is None else data[0], *data[1:]), *inputs[1:]

    def infer_shape(self, data: Shape, *_: Shape) -> Shape:
        return (data[0], self.num_hidden) if self.flatten else (*data[:-1], self.num_hidden)

    def work(self, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
        return multiplications(inputs, outputs)

    def forward(self, data: Array, weight: Array, bias: Array | None = None) -> Array:
        flat = data.reshape(len(data), prod(data.shape[1:])) if self.flatten else data
        y = matmul(flat, weight.T)
        return y if bias is None else y + bias

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, weight: Any, bias: Any = None) -> Sequence[Any]:
        if self.flatten:
            rows, flat = dy, F.reshape(data, shape=(0, -1))
        else:
            rows, flat = (F.reshape(a, shape=(-1, 0), reverse=True) for a in (dy, data))
        d_data = F.reshape_like(F.dot(rows, weight), data)
        d_weight = F.dot(rows, flat, transpose_a=True)
        return (d_data, d_weight) if bias is None else (d_data, d_weight, F.sum(rows, axis=0))


# ---- dot: the last axis of lhs against the first of rhs, or with a transpose the other way round


@record
class _Dot(Operator):
    """A product over one axis of each operand, or one of its gradients.

    Inputs:
        lhs: (*left, K), or (K, *left) with `transpose_a`.
        rhs: (K, *right), or (*right, K) with `transpose_b`.
        dy: (*left, *right), the gradient of the product.

    Attributes:
        transpose_a: Whether the first axis of lhs is summed over, not the last.
        transpose_b: Whether the last axis of rhs is summed over, not the first.

    ONNX: MatMul, or Gemm with a transpose; with Reshape where there are more than two axes.
    """

    saves: ClassVar[float] = _SAVES
    transpose_a: bool = False
    transpose_b: bool = False

    def work(self, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
        return multiplications(inputs, outputs)

    def product_shape(self, lhs: Shape, rhs: Shape) -> Shape:
        """The shape of dot(lhs, rhs)."""
        if not lhs or not rhs:
            raise ShapeError(f"dot: arrays of 1 or more axes are required, got {show(lhs)} and {show(rhs)}.")
        (left, a), (b, right) = self._left(lhs), self._right(rhs)
        if differ(a, b):
            raise ShapeError(
                f"dot: equal sizes are required of the {'first' if self.transpose_a else 'last'} axis of lhs "
                f"and the {'last' if self.transpose_b else 'first'} axis of rhs, "
                f"got {show(lhs)} and {show(rhs)}."
            )
        return (*left, *right) or (1,)

    def _left(self, lhs: Any) -> tuple[Any, Dim]:
        return (lhs[1:], lhs[0]) if self.transpose_a else (lhs[:-1], lhs[-1])

    def _right(self, rhs: Any) -> tuple[Dim, Any]:
        return (rhs[-1], rhs[:-1]) if self.transpose_b else (rhs[0], rhs[1:])

    def left_matrix(self, lhs: Array) -> Array:
        """lhs as (M, K)."""
        if self.transpose_a:
            return lhs.reshape(lhs.shape[0], prod(lhs.shape[1:])).T
        return lhs.reshape(prod(lhs.shape[:-1]), lhs.shape[-1])

    def right_matrix(self, rhs: Array) -> Array:
        """rhs as (K, N)."""
        if self.transpose_b:
            return rhs.reshape(prod(rhs.shape[:-1]), rhs.shape[-1]).T
        return rhs.reshape(rhs.shape[0], prod(rhs.shape[1:]))

    def transposes(self) -> dict[str, Any]:
        """The attributes that the gradients' operators have as well."""
        return {"transpose_a": self.transpose_a, "transpose_b": self.transpose_b}


def _of_product(op: Dot, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """The rows or columns that what a matrix stores contributes to, whatever the values."""
    lhs, rhs = patterns
    stored: Storage = None
    if isinstance(lhs, Cells) and not isinstance(rhs, Cells) and op.transpose_a and not op.transpose_b:
        stored = Rows((lhs.shape[1], *arrays[1].shape[1:]), stored_columns(lhs))
    elif isinstance(rhs, Cells) and lhs is None and arrays[0].ndim == 2 and not op.transpose_a:
        mask = np.zeros((len(arrays[0]), rhs.shape[1]), bool)
        mask[:, stored_columns(rhs)] = True
        stored = "csr" if op.transpose_b else cells_of(mask)
    asked = op.forward_stype
    if asked in (None, "None") or (stored is not None and storage_type(stored) == asked):
        return stored
    return None if asked == "default" else asked


def _of_gradient(op: DotRhsGrad, patterns: Patterns, arrays: Sequence[Array]) -> Storage:
    """The rows of `rhs` that what the matrix `lhs` stores is multiplied with."""
    lhs = patterns[1]
    if not isinstance(lhs, Cells) or op.transpose_a or op.transpose_b:
        return None
    return Rows(tuple(arrays[2].shape), stored_columns(lhs))


@operator("dot", "_sparse_dot")
class Dot(_Dot):
    """The product of two arrays, summed over the last axis of `lhs` and the first of `rhs`.

    Attributes:
        forward_stype: The storage type of the output; if None, it follows from those of the inputs.

    Returns:
        (*left, *right); (1,) for two vectors. Of lhs in csr: row_sparse with transpose_a, unless rhs is
        transposed or csr as well. Of rhs in csr: csr without transpose_a.
    """

    stores_anew = True
    stores = _of_product
    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs")
    forward_stype: _Storage | None = None

    def infer_shape(self, lhs: Shape, rhs: Shape) -> Shape:
        return self.product_shape(lhs, rhs)

    def stores_of_dense(self) -> bool:
        return self.forward_stype not in (None, "None", "default")

    def forward(self, lhs: Array, rhs: Array) -> Array:
        shape: Any = self.product_shape(lhs.shape, rhs.shape)
        return matmul(self.left_matrix(lhs), self.right_matrix(rhs)).reshape(shape)

    def kernel_for(self, lhs: Spec, rhs: Spec) -> Callable[..., Any]:  # type: ignore[override]
        plain = lhs.dtype in (np.float32, np.float64) and not (self.transpose_a or self.transpose_b)
        return np.ndarray.dot if plain and len(lhs.shape or ()) == len(rhs.shape or ()) == 2 else self.forward

    def gradient(self, F: Any, dy: Any, y: Any, lhs: Any, rhs: Any) -> Sequence[Any]:
        same = self.transposes()
        return F._dot_lhs_grad(dy, rhs, lhs, **same), F._dot_rhs_grad(dy, lhs, rhs, **same)


@operator("_dot_lhs_grad")
class DotLhsGrad(_Dot):
    """The gradient of dot with respect to its left operand.

    Inputs:
        lhs: The left operand, of which only the shape matters.

    Returns:
        The shape of lhs.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "rhs", "lhs")

    def infer_inputs(self, dy: Shape | None, rhs: Shape | None, lhs: Shape | None) -> Sequence[Shape | None]:
        return (dy if lhs is None or rhs is None else self.product_shape(lhs, rhs)), rhs, lhs

    def infer_shape(self, dy: Shape, rhs: Shape, lhs: Shape) -> Shape:
        return lhs

    def forward(self, dy: Array, rhs: Array, lhs: Array) -> Array:
        right = self.right_matrix(rhs)
        rows = dy.reshape(prod(self._left(lhs.shape)[0]), right.shape[1])
        result = matmul(right, rows.T) if self.transpose_a else matmul(rows, right.T)
        return result.reshape(lhs.shape)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, rhs: Any, lhs: Any) -> Sequence[Any]:
        same = self.transposes()
        return F.dot(dy, rhs, **same), F._dot_rhs_grad(head, dy, rhs, **same), None


@operator("_dot_rhs_grad")
class DotRhsGrad(_Dot):
    """The gradient of dot with respect to its right operand.

    Inputs:
        rhs: The right operand, of which only the shape matters.

    Returns:
        The shape of rhs.
    """

    stores = _of_gradient
    inputs: ClassVar[tuple[str, ...]] = ("dy", "lhs", "rhs")

    def infer_inputs(self, dy: Shape | None, lhs: Shape | None, rhs: Shape | None) -> Sequence[Shape | None]:
        return (dy if lhs is None or rhs is None else self.product_shape(lhs, rhs)), lhs, rhs

    def infer_shape(self, dy: Shape, lhs: Shape, rhs: Shape) -> Shape:
        return rhs

    def forward(self, dy: Array, lhs: Array, rhs: Array) -> Array:
        left = self.left_matrix(lhs)
        rows = dy.reshape(left.shape[0], prod(self._right(rhs.shape)[1]))
        result = matmul(rows.T, left) if self.transpose_b else matmul(left.T, rows)
        return result.reshape(rhs.shape)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, lhs: Any, rhs: Any) -> Sequence[Any]:
        same = self.transposes()
        return F.dot(lhs, dy, **same), F._dot_lhs_grad(head, dy, lhs, **same), None


@operator("batch_dot", "_npx_batch_dot")
class BatchDot(Operator):
    """The products of matrices that stand in the last two axes of two arrays, one for each batch index.

    Inputs:
        lhs: (*batch, M, K), or (*batch, K, M) with `transpose_a`; at least 3 axes.
        rhs: (*batch, K, N), or (*batch, N, K) with `transpose_b`.

    Attributes:
        transpose_a: Whether the matrices of lhs are transposed before.
        transpose_b: Whether the matrices of rhs are transposed before.
        forward_stype: Accepted for MXNet's sake; the output is dense.

    Returns:
        (*batch, M, N).

    ONNX: MatMul, after Transpose of what is to be transposed.
    """

    saves: ClassVar[float] = _SAVES
    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs")
    transpose_a: bool = False
    transpose_b: bool = False
    forward_stype: _Storage | None = None

    def infer_shape(self, lhs: Shape, rhs: Shape) -> Shape:
        if len(lhs) != len(rhs) or len(lhs) < 3:
            raise ShapeError(
                f"batch_dot: two arrays with the same number of axes, 3 or more, are required, "
                f"got {show(lhs)} and {show(rhs)}."
            )
        m, a = lhs[-2:][::-1] if self.transpose_a else lhs[-2:]
        b, n = rhs[-2:][::-1] if self.transpose_b else rhs[-2:]
        pairs = [*zip(lhs[:-2], rhs[:-2], strict=True), (a, b)]
        if any(differ(p, q) for p, q in pairs):
            raise ShapeError(
                f"batch_dot: equal batch axes and (M, K) against (K, N) are required, got {show(lhs)} and "
                f"{show(rhs)} with transpose_a={self.transpose_a}, transpose_b={self.transpose_b}."
            )
        return (*(q if p is None else p for p, q in pairs[:-1]), m, n)

    def work(self, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
        return prod(outputs[0]) * inputs[0][-2 if self.transpose_a else -1]

    def forward(self, lhs: Array, rhs: Array) -> Array:
        return matmul(
            lhs.swapaxes(-1, -2) if self.transpose_a else lhs,
            rhs.swapaxes(-1, -2) if self.transpose_b else rhs,
        )

    def gradient(self, F: Any, dy: Any, y: Any, lhs: Any, rhs: Any) -> Sequence[Any]:
        a, b = self.transpose_a, self.transpose_b
        if a:
            d_lhs = F.batch_dot(rhs, dy, transpose_a=b, transpose_b=True)
        else:
            d_lhs = F.batch_dot(dy, rhs, transpose_b=not b)
        if b:
            d_rhs = F.batch_dot(dy, lhs, transpose_a=True, transpose_b=a)
        else:
            d_rhs = F.batch_dot(lhs, dy, transpose_a=not a)
        return d_lhs, d_rhs
