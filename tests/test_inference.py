"""A search over all operators: what real MXNet infers of inputs is inferred here (oracle/inference.json)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridonnx.symbol import load_json
from tests.inference_parts import chosen, completed, graph, parts
from tests.test_operators import FAMILIES

STORED = json.loads((Path(__file__).parent / "oracle" / "inference.json").read_text())
LESS = {
    "RNN": "MXNet counts the parameters for no features where their number is unknown",
    "_rnn_param_concat": "MXNet divides what is left of the output, and rounds down",
}
"""Operators of which less is inferred than MXNet does, and why."""


def missing(case, shapes, outputs, facts):
    """Sizes of inputs that MXNet infers and that are unknown here."""
    symbol = load_json(graph(case, outputs))
    for what, known in parts(shapes, outputs):
        ours = {**known, **completed(symbol, known)} if what in facts else {}
        for name, shape in facts.get(what, {}).items():
            sizes = ours.get(name, ())
            if len(sizes) != len(shape) or any(a == 0 < b for a, b in zip(sizes, shape, strict=True)):
                yield f"{case}, {what} known: {name} {tuple(shape)}, here {sizes}"
            elif any(a != b > 0 for a, b in zip(sizes, shape, strict=True)):
                yield f"{case}, {what} known: {name} {tuple(shape)}, another here: {sizes}"


@pytest.mark.parametrize("family", STORED)
def test_what_mxnet_infers_is_inferred(family):
    differences: dict[str, list[str]] = {}
    for case, shapes, outputs in chosen(FAMILIES[family]):
        facts = STORED[family].get(case.key(), {})
        differences.setdefault(case.operator().names[0], []).extend(missing(case, shapes, outputs, facts))
    wrong = [text for name, texts in differences.items() if name not in LESS for text in texts]
    assert not wrong, "\n".join(wrong[:20])
    assert all(texts for name, texts in differences.items() if name in LESS), "no longer less"
