"""Nodes that have no gradient here though one exists, and what passes values on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._onnx_text import NodeText
from ._nodes import Nodes, is_value
from ._table import constant, gradient_of, refused

constant("its values are strings", "StringConcat", "StringNormalizer", "StringSplit", "RegexFullMatch")
constant("it counts or decodes", "TfIdfVectorizer", "ImageDecoder")

refused(
    "its branches or body would have to be differentiated; those that MXNet's control flow can say are",
    "If",
    "Loop",
    "Scan",
    "SequenceMap",
)
refused(
    "its steps are not known; with a fixed number of steps it is written as MXNet's operators",
    "GRU",
    "LSTM",
    "RNN",
)
refused("it runs step by step, for as many steps as its inputs have", "LinearAttention")
refused(
    "sequences and optional values are no arrays",
    "ConcatFromSequence",
    "Optional",
    "SequenceAt",
    "SequenceConstruct",
    "SequenceEmpty",
    "SequenceErase",
    "SequenceInsert",
    "SplitToSequence",
)


@gradient_of("OptionalGetElement")
def optional_element(g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], x: Any) -> Sequence[Any]:
    """Of an array the gradient as it is."""
    return (dy[0],)


@gradient_of("Range")
def arange(
    g: Nodes, node: NodeText, dy: Sequence[Any], y: Sequence[Any], start: Any, limit: Any, delta: Any
) -> Sequence[Any]:
    """To the start from all, to the step by the number of steps."""
    numbers = g.CastLike(g.Range(np.array(0), g.Size(dy[0]), np.array(1)), dy[0])
    of_start = g.ReduceSum(dy[0], keepdims=0)
    of_delta = g.ReduceSum(g.Mul(dy[0], numbers), keepdims=0)
    pairs = ((of_start, start), (None, limit), (of_delta, delta))
    return [g.as_shape_of(a, x) if is_value(x) and a is not None else None for a, x in pairs]
