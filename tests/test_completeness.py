"""Every operator has every facet, and the schema that real MXNet's has. What is missing is named."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from inspect import get_annotations
from pathlib import Path

import pytest
from onnx import AttributeProto, defs

from hybridonnx.attrs import coerce
from hybridonnx.converters.opsets import DEFAULT, newest
from hybridonnx.converters.to_onnx import lower_operator
from hybridonnx.converters.to_onnx._registry import find as find_lowering
from hybridonnx.errors import UnknownOperatorError
from hybridonnx.ops import Operator, Spec, absence, doc_of, find, load_all
from tests.test_operators import FAMILIES

NEWEST = newest()

HERE = Path(__file__).resolve().parent
FACTS = json.loads((HERE / "oracle" / "operators.json").read_text(encoding="utf-8"))["operators"]
OPERATORS = {cls.names[0]: cls for cls in load_all().values()}
MISTOLD = {
    "_linspace": "MXNet describes the attributes of _arange here, but takes num",
    "_npi_concatenate": "MXNet describes the attributes of Concat here, but takes axis",
}
"""Operators of which MXNet's own listing is wrong."""
APART = {"_linalg_det": {"_npi_det"}, "_linalg_slogdet": {"_npi_slogdet"}}
"""Aliases that are operators of their own here, without an axis for one matrix, as MXNet under np_shape."""
CASES = defaultdict(list)
for _case in (case for cases in FAMILIES.values() for case in cases):
    CASES[load_all()[_case.op]].append(_case)
SENTENCES = Counter(doc_of(cls).sentence for cls in OPERATORS.values())


def defines(cls: type[Operator], facet: str) -> bool:
    return getattr(cls, facet) is not getattr(Operator, facet)


def every(names):
    return pytest.mark.parametrize("name", sorted(names))


@every(FACTS)
def test_mxnets_operators_are_here_or_say_why_not(name):
    if load_all().keys().isdisjoint([name, *FACTS[name]["aliases"]]):
        assert absence(name), "it is neither here nor is there a reason in ops/_absent.py"
        with pytest.raises(UnknownOperatorError, match="is not here"):
            find(name)


@every(OPERATORS)
def test_facets(name):
    cls = OPERATORS[name]
    assert defines(cls, "forward"), "forward is missing"
    assert defines(cls, "gradient") or cls.not_differentiable, "gradient, or why there is none, is missing"
    assert find_lowering(cls) or cls.not_in_onnx, "a lowering, or why there is none, is missing"
    assert cls in CASES, "a Case is missing"
    assert bool(cls.aux) == defines(cls, "updated"), "auxiliary states and how they change go together"


@every(OPERATORS)
def test_statements_are_not_contradicted(name):
    cls = OPERATORS[name]
    assert not (cls.not_in_onnx and find_lowering(cls)), "there is a lowering, and it says there is none"


@every(OPERATORS)
def test_docstring(name):
    cls = OPERATORS[name]
    doc = doc_of(cls)
    assert re.fullmatch(r"[^\n]+\.", doc.sentence), "a first line of its own that is a sentence is missing"
    assert "training: " not in doc.sentence, "the docstring is the signature that dataclasses write"
    bases = [doc_of(base).sentence for base in cls.__mro__[1:] if issubclass(base, Operator)]
    assert doc.sentence not in bases, "the sentence is a base's"
    assert SENTENCES[doc.sentence] == 1, f"the sentence is another operator's too: {doc.sentence}"
    if cls.variadic:
        assert any(name.startswith("*") for name in doc.inputs), "no input stands for any number of them"
    else:
        assert list(doc.inputs) == list(cls.inputs), "documented inputs differ"
    assert list(doc.attributes) == list(cls.schema()), "documented attributes differ"
    entries = {**doc.inputs, **doc.attributes, "Returns": doc.returns, "ONNX": doc.onnx}
    unfinished = [name for name, text in entries.items() if not text.endswith(".")]
    assert not unfinished, f"entries that are missing, or are no sentence: {unfinished}"


def node_types(graph):
    """The ONNX operators of a graph, those of the subgraphs of its nodes included."""
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from node_types(attribute.g)


@every(OPERATORS)
def test_docstring_names_what_is_written(name):
    cls = OPERATORS[name]
    text = doc_of(cls).onnx
    named = {word for word in re.findall(r"[A-Z]\w+", text) if defs.has(word)}
    if not find_lowering(cls):
        assert text.startswith("none; "), "why there is none is missing"
        assert not named, "ONNX operators are named, and there is no lowering"
        return
    assert named, "no ONNX operator is named, and there is a lowering"
    missing = set(named)
    for case in CASES[cls]:
        specs = [Spec(array.shape, array.dtype) for array in case.arrays(case.dtypes[0])]
        for opset in (DEFAULT, NEWEST):
            if missing:
                missing.difference_update(
                    node_types(lower_operator(case.operator(), specs, opset=opset).model.graph)
                )
    assert not missing, f"ONNX operators that no Case is lowered to: {sorted(missing)}"


@every(name for name in OPERATORS if name in FACTS and name not in MISTOLD)
def test_schema_is_mxnets(name):
    cls, facts = OPERATORS[name], FACTS[name]
    assert set(facts["aliases"]) == set(cls.names[1:]) | APART.get(name, set()), "aliases differ"
    inputs = [n for n, kind in facts["inputs"]]
    if not cls.variadic and inputs:
        assert list(cls.inputs[: len(inputs)]) == inputs, "inputs differ"
    schema = cls.schema()
    names = [a[0] for a in facts["attributes"]]
    assert [a for a in schema if a in names] == names, f"attributes {names} in this order are required"
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


def test_no_attribute_is_called_what_classes_tell():
    """Its default would be what the class tells, as dataclasses take defaults from the class."""
    told = get_annotations(Operator).keys()
    for name, cls in load_all().items():
        assert not told & cls.schema().keys(), name
