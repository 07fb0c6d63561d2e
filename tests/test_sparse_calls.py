"""Expressions on sparse arrays give what they give in real MXNet: values, types, and what is stored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from tests import sparse_calls as calls

STORED = json.loads((Path(__file__).parent / "oracle" / "sparse.json").read_text(encoding="utf-8"))


def check(name, array):
    """Compare with real MXNet."""
    ours, theirs = calls.described(array), STORED[name]
    values = ours.pop("values"), theirs["values"]
    assert ours == {key: value for key, value in theirs.items() if key != "values"}
    np.testing.assert_allclose(*values, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("text", calls.EXPRESSIONS)
def test_expressions(text):
    check(text, calls.evaluated(mx, text))


@pytest.mark.parametrize("text", calls.STATEMENTS)
def test_changes_in_place(text):
    check(text, calls.executed(mx, text))


@pytest.mark.parametrize("parts", calls.GRADIENTS, ids=calls.gradient_name)
def test_gradients(parts):
    check(calls.gradient_name(parts), calls.gradient(mx, *parts))


@pytest.mark.parametrize("text", calls.PULLS)
def test_stores(text):
    check(text, calls.executed(mx, text))


@pytest.mark.parametrize("parts", calls.TRAININGS, ids=calls.training_name)
def test_training(parts):
    check(calls.training_name(parts), calls.trained(mx, *parts))


def test_every_result_is_compared():
    names = {*calls.EXPRESSIONS, *calls.STATEMENTS, *calls.PULLS, *map(calls.gradient_name, calls.GRADIENTS)}
    assert names | set(map(calls.training_name, calls.TRAININGS)) == STORED.keys()
