"""Every operator has every facet, and the schema that real MXNet's has. What is missing is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridonnx.attrs import coerce
from hybridonnx.converters.to_onnx._registry import find as find_lowering
from hybridonnx.ops import Operator, load_all
from tests.test_operators import FAMILIES

HERE = Path(__file__).resolve().parent
FACTS = json.loads((HERE / "oracle" / "operators.json").read_text(encoding="utf-8"))["operators"]
OPERATORS = {cls.names[0]: cls for cls in load_all().values()}
MISTOLD = {"_linspace": "MXNet describes the attributes of _arange here, but takes num"}
"""Operators of which MXNet's own listing is wrong."""
WITH_CASES = {load_all()[case.op] for cases in FAMILIES.values() for case in cases}


def defines(cls: type[Operator], facet: str) -> bool:
    return getattr(cls, facet) is not getattr(Operator, facet)


def every(names):
    return pytest.mark.parametrize("name", sorted(names))


@every(OPERATORS)
def test_facets(name):
    cls = OPERATORS[name]
    assert cls.__doc__, "a docstring is missing"
    assert defines(cls, "forward"), "forward is missing"
    assert defines(cls, "gradient") or cls.not_differentiable, "gradient, or why there is none, is missing"
    assert find_lowering(cls) or cls.not_in_onnx, "a lowering, or why there is none, is missing"
    assert cls in WITH_CASES, "a Case is missing"
    assert bool(cls.aux) == defines(cls, "updated"), "auxiliary states and how they change go together"


@every(OPERATORS)
def test_statements_are_not_contradicted(name):
    cls = OPERATORS[name]
    assert not (cls.not_in_onnx and find_lowering(cls)), "there is a lowering, and it says there is none"


@every(name for name in OPERATORS if name in FACTS and name not in MISTOLD)
def test_schema_is_mxnets(name):
    cls, facts = OPERATORS[name], FACTS[name]
    assert set(facts["aliases"]) == set(cls.names[1:]), "aliases differ"
    told = [n for n, kind in facts["inputs"]]
    if not cls.variadic and told:
        assert list(cls.inputs[: len(told)]) == told, "inputs differ"
    schema = cls.schema()
    wanted = [a[0] for a in facts["attributes"]]
    assert [a for a in schema if a in wanted] == wanted, f"attributes {wanted} in this order are required"
    for attribute, _, need, default in facts["attributes"]:
        ours = schema[attribute]
        assert ours.required == (need == "required"), f"{attribute}: required or not differs"
        if not ours.required and default is not None:
            same(attribute, ours, default)


def same(name, attribute, text):
    """Our default is the one that MXNet's text names."""
    ours = attribute.default
    text = text.strip("'")
    if isinstance(ours, float) and not isinstance(ours, bool):
        assert ours == pytest.approx(float(text), rel=1e-6), name
    elif text in ("", "<empty>"):
        assert ours in ("", None, ()), name
    elif text != "__undefined__":
        assert ours == coerce(attribute.kind, text) or str(ours) == text, (
            f"{name}: {text} is required, got {ours}"
        )


@every(name for name in OPERATORS if name not in FACTS)
def test_operators_that_mxnet_lacks_are_private(name):
    assert name.startswith("_"), "operators of our own begin with an underscore"
