"""Lowerings of products of arrays as mx.np has them."""

from __future__ import annotations

from hybridonnx.ops.np_dense import Einsum, NumpyMatMul

from ._graph import Graph, Value
from ._registry import lowers


@lowers(Einsum)
def einsum(g: Graph, op: Einsum, *data: Value) -> Value:
    """One node, of arrays without the axes of size 1 that are repeated, of which ONNX infers wrong sizes.

    So a free size must not turn out to be 1 beside a larger one. ONNX Runtime's process may end at arrays
    without elements, whose sums are 0.
    """
    terms, right = op.terms()
    sizes = op.infer_shape(*(x.dims for x in data))
    fixed = [d for d in sizes if isinstance(d, int)]
    if any(0 in x.dims for x in data) and len(fixed) == len(sizes):
        return g.Expand(g.const(0, data[0].dtype), fixed)
    pairs = [pair for term, x in zip(terms, data, strict=True) for pair in zip(term, x.dims, strict=True)]
    wide = {letter for letter, size in pairs if size != 1}
    repeated = {letter for letter, size in pairs if size is not None and size > 1}
    for term, x in zip(terms, data, strict=True):
        if any(d is None and c in repeated for c, d in zip(term, x.dims, strict=True)):
            g.sizes(x)  # which asks for them
    letters, arrays = [], []
    for term, x in zip(terms, data, strict=True):
        ones = [i for i, (c, d) in enumerate(zip(term, x.dims, strict=True)) if d == 1 and c in wide]
        letters.append("".join(c for i, c in enumerate(term) if i not in ones))
        arrays.append(g.Squeeze(x, ones) if ones else x)
    return g.Einsum(*arrays, equation=f"{','.join(letters)}->{right}")


@lowers(NumpyMatMul)
def matmul(g: Graph, op: NumpyMatMul, a: Value, b: Value) -> Value:
    """One node, which knows vectors and broadcasts as NumPy does."""
    return g.MatMul(a, b)
