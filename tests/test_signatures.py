"""Functions of `nd` and `sym` and methods show the arguments that their calls take, and say what they do."""

from __future__ import annotations

import inspect
import json
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import hybridonnx as mx
from hybridonnx.ops import load_all
from hybridonnx.test_utils import Case
from tests.test_operators import FAMILIES

ROOT = Path(__file__).parents[1]
FACTS = json.loads((ROOT / "tests/oracle/operators.json").read_text(encoding="utf-8"))["operators"]
CASES = {case.op: case for cases in FAMILIES.values() for case in cases}
"""One call of each operator."""
DIFFER = {
    "_linspace": "MXNet describes the attributes of _arange here",
    "_npi_concatenate": "MXNet describes those of Concat here, and takes and writes axis",
}


def parameters(function):
    return list(inspect.signature(function).parameters.values())


def test_convolution_on_arrays():
    shown = {p.name: p.default for p in parameters(mx.nd.Convolution)}
    assert list(shown)[:4] == ["data", "weight", "bias", "kernel"]
    assert list(shown)[-2:] == ["out", "name"]
    assert shown["data"] is inspect.Parameter.empty
    assert shown["bias"] is None
    assert repr(shown["kernel"]) == "<required>"
    assert (shown["num_group"], shown["no_bias"], shown["out"]) == (1, False, None)
    assert str(inspect.signature(mx.nd.Convolution)).endswith("-> 'NDArray'")


def test_convolution_on_symbols():
    shown = {p.name: p.default for p in parameters(mx.sym.Convolution)}
    assert shown["data"] is None, "an input left out becomes a variable"
    assert list(shown)[-3:] == ["name", "attr", "kwargs"]


def test_variadic_operators_take_any_number():
    first, *others = parameters(mx.nd.concat)
    assert first.kind is first.VAR_POSITIONAL
    assert all(p.kind is p.KEYWORD_ONLY for p in others)
    assert "dim" in {p.name for p in others}


@pytest.mark.parametrize("op", sorted(op for op in CASES if not op.startswith("_")))
def test_calls_fit_the_signature(op):
    case: Case = CASES[op]
    cls = load_all()[op]
    inputs = [mx.nd.array(a) for a in case.arrays()]
    names = case.operator().input_names()
    for space, values in ((mx.nd, inputs), (mx.sym, [mx.sym.var(n) for n in names])):
        signature = inspect.signature(getattr(space, op))
        if cls.variadic or inspect.Parameter.VAR_POSITIONAL in {
            p.kind for p in signature.parameters.values()
        }:
            signature.bind(*values, **case.attributes)
        else:
            signature.bind(**dict(zip(names, values, strict=True)), **case.attributes)
        signature.bind(*values, **case.attributes, name="x")


@pytest.mark.parametrize("op", sorted(n for n in FACTS if n in load_all() and n not in DIFFER))
def test_arguments_are_mxnets_in_its_order(op):
    cls = load_all()[op]
    names = [p.name for p in parameters(getattr(mx.nd._internal, op))]
    facts = FACTS[op]
    inputs = [] if cls.variadic else [name for name, _ in facts["inputs"]]
    expected = [*inputs, *(a[0] for a in facts["attributes"])]
    assert [n for n in names if n in expected] == expected
    assert names[-2:] == ["out", "name"] or names[-3:] == ["out", "name", "kwargs"]


def test_the_number_of_inputs_may_be_left_to_the_call():
    a, b = mx.nd.ones((2, 1)), mx.nd.zeros((2, 2))
    assert mx.nd.concat(a, b, num_args=None).shape == (2, 3)


def test_unknown_arguments_are_not_shown():
    kinds = {p.kind for p in parameters(mx.nd.FullyConnected)}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    with pytest.raises(TypeError, match="num_hiden"):
        inspect.signature(mx.nd.FullyConnected).bind(1, 2, num_hiden=3)


@pytest.mark.parametrize("owner", [mx.nd.NDArray, mx.sym.Symbol])
def test_methods_show_the_operators_arguments(owner):
    names = [p.name for p in parameters(owner.sum)]
    assert names[:4] == ["self", "axis", "keepdims", "exclude"]
    assert owner.sum.__qualname__.endswith(".sum")


def test_help_shows_signature_and_sentence():
    text = pydoc.plain(pydoc.render_doc(mx.nd.FullyConnected))
    assert "FullyConnected(data: " in text
    assert inspect.getdoc(load_all()["FullyConnected"]).partition("\n")[0] in text


def test_help_of_a_method():
    text = pydoc.plain(pydoc.render_doc(mx.nd.NDArray.clip))
    assert "a_min" in text


def test_functions_say_where_they_are_found():
    assert mx.nd.relu.__module__ == "hybridonnx.ndarray"
    assert mx.nd.relu is mx.nd.relu
    assert mx.nd.contrib.AdaptiveAvgPooling2D.__module__ == "hybridonnx.ndarray.contrib"


def test_nothing_is_composed_before_it_is_asked_for():
    code = (
        "import hybridonnx as mx; from hybridonnx.ndarray.ndarray import NDArray; import sys; "
        "print('hybridonnx.ops.conv' in sys.modules, 'function' in type(vars(NDArray)['sum']).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
