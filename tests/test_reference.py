"""What the reference says of names: all of them, each described in one place."""

from __future__ import annotations

import zlib

import pytest

import hybridonnx as mx
from scripts import _reference
from scripts._reference import Part, entries, parts
from scripts._surface import modules

DOC = """The first sentence.

Code follows:

    net = f(x)

    net()

Args:
    data: Of any shape,
        or of none.
    *args: Others.

Returns:
    (N, C), as `data`.

Raises:
    ValueError: Without data.

ONNX: Conv, or: nothing.

The end.
"""


def test_parts_of_a_docstring():
    code = [part for part in parts(DOC) if part.kind == "code"]
    assert [part.text for part in code] == ["net = f(x)\n\nnet()"]
    assert [part for part in parts(DOC) if part.kind != "code"] == [
        Part("paragraph", "The first sentence."),
        Part("paragraph", "Code follows:"),
        Part("Args", "", (("data", "Of any shape, or of none."), ("*args", "Others."))),
        Part("Returns", "(N, C), as `data`."),
        Part("Raises", "", (("ValueError", "Without data."),)),
        Part("ONNX", "Conv, or: nothing."),
        Part("paragraph", "The end."),
    ]


@pytest.fixture(scope="module")
def everything():
    return {name: entries(module) for name, module in modules().items()}


def test_every_name_of_every_module_is_there(everything):
    for name, module in modules().items():
        assert {entry.path for entry in everything[name]} == {f"{name}.{n}" for n in module.__all__}


def test_what_is_described_elsewhere_is_described_there(everything):
    described = {entry.path for items in everything.values() for entry in items if not entry.same_as}
    elsewhere = [entry for items in everything.values() for entry in items if entry.same_as]
    assert not [entry for entry in elsewhere if entry.same_as not in described | modules().keys()]
    assert "hybridonnx.gluon.Trainer" in described
    assert "hybridonnx.gluon.trainer.Trainer" not in described


def test_an_operator_and_a_class():
    (dense,) = [entry for entry in entries(mx.gluon.nn) if entry.path.endswith(".Dense")]
    assert dense.kind == "class"
    assert dense.arguments is not None
    assert ("units", "") in dense.arguments
    assert ("use_bias", "True") in dense.arguments
    assert "hybridonnx.gluon.nn.Dense.hybrid_forward" in {member.path for member in dense.members}
    (relu,) = [entry for entry in entries(mx.nd) if entry.path == "hybridonnx.ndarray.relu"]
    assert relu.kind == "function"
    assert relu.arguments is not None
    assert relu.arguments[:2] == (("data", ""), ("*", ""))
    assert {"Inputs", "Returns", "ONNX"} <= {part.kind for part in relu.parts}


def test_names_in_an_inventory(tmp_path):
    lines = "a.B py:class 1 x.html#$ -\na.B.c py:method 1 x.html#$ -\n"
    header = b"# Sphinx inventory version 2\n# Project: p\n# Version: 1\n# compressed\n"
    (tmp_path / "objects.inv").write_bytes(header + zlib.compress(lines.encode()))
    assert _reference.listed(tmp_path / "objects.inv") == {"a.B", "a.B.c"}
