"""Attention of interleaved projections: free sizes, whole chains, and what is refused."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd, sym
from hybridonnx.converters import to_onnx
from hybridonnx.errors import AttributeValueError, DTypeError, ShapeError
from hybridonnx.ops import Spec, SymbolicDim

HEADS = 3


class SelfAttention(gluon.HybridBlock):
    """Scores, softmax and context."""

    def hybrid_forward(self, F, x):
        scores = F.contrib.interleaved_matmul_selfatt_qk(x, heads=HEADS)
        return F.contrib.interleaved_matmul_selfatt_valatt(x, F.softmax(scores), heads=HEADS)


class CrossAttention(gluon.HybridBlock):
    """The same from one sequence to another."""

    def hybrid_forward(self, F, queries, both):
        scores = F.contrib.interleaved_matmul_encdec_qk(queries, both, heads=HEADS)
        return F.contrib.interleaved_matmul_encdec_valatt(both, F.softmax(scores), heads=HEADS)


def attended(queries, keys, values):
    """Attention of arrays (positions, batch, heads, D) by NumPy."""
    scores = np.einsum("ibhd,jbhd->bhij", queries, keys) / np.sqrt(queries.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    context = np.einsum("bhij,jbhd->ibhd", weights, values)
    return context.reshape(*context.shape[:2], -1)


def expected(*arrays):
    if len(arrays) == 1:
        (x,) = arrays
        parts = x.reshape(*x.shape[:2], HEADS, 3, -1)
        return attended(*(parts[:, :, :, i] for i in range(3)))
    queries, both = arrays
    parts = both.reshape(*both.shape[:2], HEADS, 2, -1)
    return attended(queries.reshape(*queries.shape[:2], HEADS, -1), parts[:, :, :, 0], parts[:, :, :, 1])


def arrays_for(block, M, L, B, D=4):
    rng = np.random.default_rng(M + 10 * L + 100 * B)
    widths = [(L, 3)] if block is SelfAttention else [(M, 1), (L, 2)]
    return [rng.standard_normal((n, B, HEADS * parts * D)).astype("float32") for n, parts in widths]


BLOCKS = pytest.mark.parametrize("block", [SelfAttention, CrossAttention])


@BLOCKS
@pytest.mark.parametrize("names", [("L", "B"), ("L", 2), (5, "B")])
def test_exported_with_free_sizes(block, names):
    inputs = ["x"] if block is SelfAttention else ["x", "y"]
    L, B = names
    lengths = [L] if block is SelfAttention else [L, "K" if L == "L" else 6]
    widths = [a.shape[2] for a in arrays_for(block, 1, 1, 1)]
    specs = {
        name: Spec(
            tuple(SymbolicDim.named(d) if isinstance(d, str) else d for d in (length, B, width)),
            np.dtype("float32"),
        )
        for name, length, width in zip(inputs, lengths, widths, strict=True)
    }
    model = to_onnx.check(to_onnx.lower(block()(*map(sym.var, inputs)), specs, {}), {}).model
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for size in (1, 2, 7):
        batch = size if B == "B" else B
        M, length = (size, size + 1) if L == "L" else (5, 5 if block is SelfAttention else 6)
        arrays = arrays_for(block, M, length, batch)
        y = session.run(None, dict(zip(inputs, arrays, strict=True)))[0]
        np.testing.assert_allclose(y, expected(*arrays), rtol=1e-4, atol=1e-5)


@BLOCKS
def test_hybridized_as_by_numpy(block):
    net = block()
    net.hybridize()
    for M, L, B in ((3, 5, 2), (4, 4, 1), (1, 2, 3)):
        arrays = arrays_for(block, M, L, B)
        y = net(*map(nd.array, arrays)).asnumpy()
        np.testing.assert_allclose(y, expected(*arrays), rtol=1e-4, atol=1e-5)


@BLOCKS
def test_gradients_of_the_chain_are_those_of_its_parts(block):
    """Hybridized the gradients are graphs of ONNX Runtime; by reshapes and batch_dot they are kernels."""

    def plain(*xs):
        parts = [x.reshape((x.shape[0], x.shape[1], HEADS, -1, 4)) for x in xs]
        several = [p.slice_axis(axis=3, begin=i, end=i + 1) for p in parts for i in range(p.shape[3])]
        rows, keys, values = (p.squeeze(axis=3).transpose((1, 2, 0, 3)).reshape((-3, 0, 0)) for p in several)
        weights = nd.softmax(nd.batch_dot(rows, keys, transpose_b=True) / 2)
        context = nd.batch_dot(weights, values).reshape((-4, -1, HEADS, 0, 0))
        return context.transpose((2, 0, 1, 3)).reshape((0, 0, -3))

    net = block()
    net.hybridize()
    gradients = []
    for function in (net, plain):
        xs = [nd.array(a) for a in arrays_for(block, 3, 5, 2)]
        for x in xs:
            x.attach_grad()
        with autograd.record():
            y = function(*xs)
        y.backward(nd.array(np.cos(np.arange(y.size)).reshape(y.shape)))
        gradients.append([x.grad.asnumpy() for x in xs])
    for a, b in zip(*gradients, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_names():
    for operand in ("selfatt", "encdec"):
        for result in ("qk", "valatt"):
            for space in (nd.contrib, sym.contrib, mx.contrib.nd, mx.contrib.sym):
                assert callable(getattr(space, f"interleaved_matmul_{operand}_{result}"))


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (
            ShapeError,
            r"\(L, B, width\)",
            lambda c: c.interleaved_matmul_selfatt_qk(nd.ones((3, 12)), heads=2),
        ),
        (ShapeError, "heads", lambda c: c.interleaved_matmul_selfatt_qk(nd.ones((3, 2, 13)), heads=2)),
        (AttributeValueError, "heads", lambda c: c.interleaved_matmul_selfatt_qk(nd.ones((3, 2, 12)))),
        (
            AttributeValueError,
            "1 head",
            lambda c: c.interleaved_matmul_selfatt_qk(nd.ones((3, 2, 12)), heads=0),
        ),
        (
            ShapeError,
            r"\(4, 3, 3\)",
            lambda c: c.interleaved_matmul_selfatt_valatt(nd.ones((3, 2, 12)), nd.ones((5, 3, 3)), heads=2),
        ),
        (
            ShapeError,
            "equal shapes",
            lambda c: c.interleaved_matmul_encdec_qk(nd.ones((3, 2, 8)), nd.ones((5, 3, 16)), heads=2),
        ),
        (
            ShapeError,
            "twice as wide",
            lambda c: c.interleaved_matmul_encdec_qk(nd.ones((3, 2, 8)), nd.ones((5, 2, 12)), heads=2),
        ),
        (
            ShapeError,
            r"\(4, 3, 5\)",
            lambda c: c.interleaved_matmul_encdec_valatt(nd.ones((5, 2, 16)), nd.ones((4, 3, 4)), heads=2),
        ),
        (
            DTypeError,
            "int32",
            lambda c: c.interleaved_matmul_selfatt_qk(nd.ones((3, 2, 12), dtype="int32"), heads=2),
        ),
    ],
)
def test_what_does_not_fit_is_refused(error, message, call):
    with pytest.raises(error, match=message):
        call(nd.contrib)
