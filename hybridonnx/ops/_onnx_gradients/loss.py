"""Gradients of losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._onnx_text import NodeText
from ._nodes import Nodes, composed


@composed("NegativeLogLikelihoodLoss")
def likelihood(
    g: Nodes, node: NodeText, y: Sequence[Any], scores: Any, target: Any, weight: Any = None
) -> Any:
    """The weighted scores of the targets."""
    return _loss(g, node, scores, target, weight)


@composed("SoftmaxCrossEntropyLoss")
def cross_entropy(
    g: Nodes, node: NodeText, y: Sequence[Any], scores: Any, target: Any, weight: Any = None
) -> tuple[Any, Any]:
    """The same of logarithms of the softmax, which are an output as well."""
    logarithms = g.LogSoftmax(scores, axis=1)
    return _loss(g, node, logarithms, target, weight), logarithms


def _loss(g: Nodes, node: NodeText, scores: Any, target: Any, weight: Any) -> Any:
    """By the reduction; what is ignored has weight 0."""
    reduction, ignored = node.attributes.get("reduction", "mean"), node.attributes.get("ignore_index")
    places = g.Cast(g.operand(target), to=7)
    weights = None
    if ignored is not None:
        valid = g.Not(g.Equal(places, ignored))
        places = g.Where(valid, places, np.array(0))
        weights = g.CastLike(valid, scores)
    if weight is not None:
        chosen = g.Gather(weight, places)
        weights = chosen if weights is None else g.Mul(weights, chosen)
    losses = g.Neg(g.Squeeze(g.GatherElements(scores, g.Unsqueeze(places, [1]), axis=1), [1]))
    if weights is not None:
        losses = g.Mul(losses, weights)
    if reduction == "none":
        return losses
    if reduction == "mean" and weights is None:
        return g.ReduceMean(losses, keepdims=0)
    total = g.ReduceSum(losses, keepdims=0)
    return g.Div(total, g.ReduceSum(weights, keepdims=0)) if reduction == "mean" else total
