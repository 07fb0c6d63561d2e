"""Gradient rules of ONNX's own nodes: one for every operator or a reason, right on onnx's own cases."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
import pytest

from hybridonnx.errors import MXNetError
from hybridonnx.ops import _onnx_gradients as rules
from hybridonnx.ops import find, onnx_name
from hybridonnx.ops._onnx_gradients import _table
from tests import onnx_gradients as checks

OPERATORS = sorted({schema.name for schema in onnx.defs.get_all_schemas_with_history() if not schema.domain})
WITH_RULES = [name for name in OPERATORS if name in _table.load_all()]

WITHOUT = {
    "test_training_dropout_default": "the mask is no output",
    "test_training_dropout": "the mask is no output",
    "test_training_dropout_default_mask": "each run drops others",
    "test_training_dropout_mask": "each run drops others",
    "test_mvn": "onnx cannot infer the function that it defines, where axes are left out",
    "test_roialign_mode_max": "MXNet has the adjoint of the mean alone",
    "test_dequantizelinear_e5m2": "rules do not read constants of float8",
}
"""Cases that fail, and why."""


def test_every_operator_has_one_rule_or_one_reason():
    tables = (_table._RULES, _table._CONSTANT, _table._REFUSED)
    counts = {name: sum(name in table for table in tables) for name in OPERATORS}
    assert {name: count for name, count in counts.items() if count != 1} == {}
    assert not {name for table in tables for name in table} - set(OPERATORS)


@pytest.mark.parametrize("name", sorted(_table._REFUSED))
def test_what_has_no_rule_says_why(name):
    kind = find(onnx_name(name))
    assert not kind.not_differentiable
    reason = _table._REFUSED[name]
    assert reason[:1].islower()
    assert not reason.endswith(".")


def test_a_refusal_tells_the_reason_and_what_to_do():
    case = next(c for c in checks.cases_of("RNN") if c.name == "test_simple_rnn_defaults")
    node = checks.prepared(case, np.float32)
    with pytest.raises(
        MXNetError, match=r"_onnx_RNN: has no gradient rule, as its steps are not known.*BlockGrad"
    ):
        checks.gradients(node, checks.eager(node), node.heads())


@pytest.mark.parametrize("name", sorted(_table._CONSTANT))
def test_constants_give_no_gradient(name):
    kind = find(onnx_name(name))
    assert kind.not_differentiable
    assert kind.not_differentiable == rules.why_constant(name)


def _usable(name, inside=True):
    """The cases of an operator that have gradients."""
    nodes = []
    for case in checks.cases_of(name):
        if case.name in WITHOUT:
            continue
        try:
            nodes.append(checks.supported(case, inside))
        except checks.NotForThisError:
            continue
    return nodes


@cache
def _first(name):
    for case in checks.cases_of(name):
        if case.name not in WITHOUT:
            try:
                return checks.supported(case)
            except checks.NotForThisError:
                continue
    return None


def _node(name):
    node = _first(name)
    if node is None:
        pytest.skip("onnx has no case of this operator with a gradient")
    return node


@pytest.mark.parametrize("name", WITH_RULES)
def test_gradient(name):
    node = _node(name)
    checks.check(node, checks.eager(node))


@pytest.mark.parametrize("name", WITH_RULES[::4])
def test_compiled_gradient(name):
    node = _node(name)
    checks.check(node, checks.hybridized(node))


@pytest.mark.parametrize("name", WITH_RULES[1::4])
def test_second_gradient(name):
    node = _node(name)
    if node.dtype == np.float32:
        pytest.skip("float32 is too coarse for derivatives of derivatives")
    checks.check_second(node)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_RULES)
def test_every_case(name):
    for node in _usable(name):
        checks.check(node, checks.eager(node))


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_RULES)
def test_every_case_compiled(name):
    for node in _usable(name, inside=False):
        checks.check(node, checks.hybridized(node))


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_RULES)
def test_every_second_gradient(name):
    for node in _usable(name):
        if node.dtype == np.float64:
            checks.check_second(node)
