"""Gradients of attention and of what stands around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._onnx_text import NodeText
from ._nodes import Nodes, composed, is_value, rank_of
from ._table import gradient_of

_PROBABILITIES = 3
"""The mode in which Attention gives what its softmax gives."""
_MASKED = 2
"""The mode in which it gives the scores with the mask."""
_CAPPED = 1
"""The mode in which it gives the scores before the mask."""
_FOURTH = (True, False, False, True)
"""Which outputs it gives then."""


@gradient_of("Attention")
def attention(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], q: Any, k: Any, v: Any, *operands: Any
) -> Sequence[Any]:
    """From the probabilities, which the operator itself gives; heads of queries share those of keys."""
    mask, past_key, past_value = (*operands, None, None, None)[:3]
    head, of_key, of_value, more = (*dy, None, None, None)[:4]
    packed = _is_packed(node, q)
    key, value = (_with_past(g, node, x, past, packed) for x, past in ((k, past_key), (v, past_value)))

    def scores(mode: int) -> Any:
        return g.again(node, q, k, v, *operands, outputs=_FOURTH, qk_matmul_output_mode=mode)[3]

    p = scores(_PROBABILITIES)
    groups = g.joined(g.sizes(key, 0, 2), -1)
    p5, q5, head5 = (
        g.Reshape(x, g.joined(groups, g.sizes(x, 2)))
        for x in (p, _unpacked(g, q, p, packed), _unpacked(g, head, p, packed))
    )
    of_p = g.Einsum(head5, value, equation="bkgtd,bksd->bkgts")
    of_biased, of_scores = _of_scores(g, node, of_p, p5, more, scores)
    of_scores = _times_scale(g, node, of_scores, q5)
    of_q = _packed(g, g.Einsum(of_scores, key, equation="bkgts,bksd->bkgtd"), q, p, packed)
    of_key = _sum(g.Einsum(of_scores, q5, equation="bkgts,bkgtd->bksd"), of_key)
    of_value = _sum(g.Einsum(p5, head5, equation="bkgts,bkgtd->bksd"), of_value)
    of_k, of_past_key = _parts(g, of_key, k, past_key, packed)
    of_v, of_past_value = _parts(g, of_value, v, past_value, packed)
    return of_q, of_k, of_v, _of_mask(g, of_biased, mask, p), of_past_key, of_past_value, None


def _sum(a: Any, b: Any) -> Any:
    return a if b is None else a + b


def _of_scores(
    g: Nodes, node: NodeText, of_p: Any, p: Any, more: Any, scores: Callable[[int], Any]
) -> tuple[Any, Any]:
    """The gradients of the scores with the mask, and of the products.

    `more` is that of what the operator gives of them: products, capped ones, masked ones or probabilities.
    """
    parts: list[Any] = [None] * 4
    if more is not None:
        parts[node.attributes.get("qk_matmul_output_mode", 0)] = g.as_shape_of(more, p)
    of_p = _sum(of_p, parts[_PROBABILITIES])
    of_biased = _sum(g.Mul(p, g.Sub(of_p, g.ReduceSum(g.Mul(of_p, p), [-1]))), parts[_MASKED])
    result = _sum(of_biased, parts[_CAPPED])
    cap = node.attributes.get("softcap", 0.0)
    if cap:
        result = result * (1 - g.F.square(g.as_shape_of(scores(_CAPPED), p) / cap))
    return of_biased, _sum(result, parts[0])


def _times_scale(g: Nodes, node: NodeText, grad: Any, q: Any) -> Any:
    scale = node.attributes.get("scale")
    if scale is not None:
        return grad * scale
    return g.Div(grad, g.Sqrt(g.CastLike(g.Gather(g.Shape(q), np.array(-1)), grad)))


def _is_packed(node: NodeText, q: Any) -> bool:
    """Whether all heads stand in one axis."""
    rank = rank_of(q) or (node.ranks[0] if node.ranks else None)
    return rank == 3 if rank else "q_num_heads" in node.attributes


def _with_past(g: Nodes, node: NodeText, x: Any, past: Any, packed: bool) -> Any:
    """All keys or values, with their heads in an axis of their own."""
    if packed:
        x = g.Transpose(g.Reshape(x, [0, 0, node.attributes["kv_num_heads"], -1]), perm=(0, 2, 1, 3))
    return x if past is None else g.Concat(past, x, axis=2)


def _unpacked(g: Nodes, x: Any, p: Any, packed: bool) -> Any:
    """The heads of queries or outputs in an axis of their own."""
    if not packed:
        return x
    return g.Transpose(g.Reshape(x, g.joined(g.sizes(x, 0, 2), g.sizes(p, 1, 2), -1)), perm=(0, 2, 1, 3))


def _packed(g: Nodes, x: Any, like: Any, p: Any, packed: bool) -> Any:
    """Heads in groups as the queries have them."""
    if not packed:
        return g.F.reshape_like(x, like)
    apart = g.Reshape(x, g.joined(g.sizes(p, 0, 3), g.sizes(x, -1)))
    return g.F.reshape_like(g.Transpose(apart, perm=(0, 2, 1, 3)), like)


def _parts(g: Nodes, grad: Any, x: Any, past: Any, packed: bool) -> tuple[Any, Any]:
    """The gradients of keys or values, and of those before them."""
    of_past = None
    if past is not None:
        length = g.sizes(past, 2, 3)
        of_past = g.Slice(grad, [0], length, [2])
        grad = g.Slice(grad, length, [np.iinfo(np.int64).max], [2])
    return g.F.reshape_like(g.Transpose(grad, perm=(0, 2, 1, 3)) if packed else grad, x), of_past


def _of_mask(g: Nodes, grad: Any, mask: Any, p: Any) -> Any:
    """The gradient of a mask of numbers, which may be shorter than the keys."""
    if mask is None or not is_value(mask):
        return None
    scores = g.as_shape_of(grad, p)
    return g.back(g.F._cast_like(g.Slice(scores, [0], g.sizes(mask, -1), [-1]), mask), mask)


@composed("RotaryEmbedding")
def rotary_embedding(
    g: Nodes, node: NodeText, y: Sequence[Any], x: Any, cos: Any, sin: Any, positions: Any = None
) -> Any:
    """Pairs of elements turned by the angles of their positions."""
    attributes = node.attributes
    rank = rank_of(x) or (node.ranks[0] if node.ranks else None)
    packed = rank == 3 if rank else bool(attributes.get("num_heads", 0))
    size = attributes.get("rotary_embedding_dim", 0)
    end = [size or np.iinfo(np.int64).max]
    if packed:  # (batch, length, heads, size)
        apart = g.Reshape(x, [0, 0, attributes["num_heads"], -1])
    else:
        apart = g.Transpose(x, perm=(0, 2, 1, 3))
    turned, rest = g.Slice(apart, [0], end, [3]), g.Slice(apart, end, [np.iinfo(np.int64).max], [3])
    if positions is not None:
        cos, sin = (g.Gather(cache, positions) for cache in (cos, sin))
    cos, sin = (g.Unsqueeze(cache, [2]) for cache in (cos, sin))
    halves = [0, 0, 0, -1, 2] if attributes.get("interleaved", 0) else [0, 0, 0, 2, -1]
    axis = halves.index(2)
    pairs = g.Reshape(turned, halves)
    a, b = (g.Squeeze(part, [axis]) for part in g.Split(pairs, outputs=2, axis=axis, num_outputs=2))
    a, b = g.Sub(g.Mul(cos, a), g.Mul(sin, b)), g.Add(g.Mul(sin, a), g.Mul(cos, b))
    joined = g.Concat(g.Unsqueeze(a, [axis]), g.Unsqueeze(b, [axis]), axis=axis)
    result = g.Concat(g.as_shape_of(joined, turned), rest, axis=3)
    return g.as_shape_of(result, x) if packed else g.Transpose(result, perm=(0, 2, 1, 3))


@composed("CausalConvWithState")
def causal_conv(
    g: Nodes, node: NodeText, y: Sequence[Any], x: Any, weight: Any, bias: Any = None, past: Any = None
) -> tuple[Any, Any]:
    """Windows of the past and the input, and the last elements."""
    kept = g.Sub(g.sizes(weight, 2), 1)
    state = past if past is not None else g.zeros(g.joined(g.sizes(x, 0, 2), kept), x)
    data = g.Concat(state, x, axis=2)
    steps = g.Range(np.array(0), g.Gather(g.Shape(x), np.array(2)), np.array(1))
    offsets = g.Range(np.array(0), g.Gather(g.Shape(weight), np.array(2)), np.array(1))
    windows = g.Gather(data, g.Add(g.Unsqueeze(steps, [1]), offsets), axis=2)
    result = g.Einsum(windows, g.Squeeze(weight, [1]), equation="bctk,ck->bct")
    if bias is not None:
        result = g.Add(result, g.Unsqueeze(bias, [1]))
    if node.attributes.get("activation", "none") in ("silu", "swish"):
        result = g.Mul(result, g.Sigmoid(result))
    return result, g.Slice(data, g.sizes(x, 2), [np.iinfo(np.int64).max], [2])
