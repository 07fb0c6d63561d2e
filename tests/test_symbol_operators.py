"""Every operator composed with nothing given: the inputs and outputs that MXNet makes, under its names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridonnx.ops import load_all
from hybridonnx.symbol.compose import call
from hybridonnx.symbol.symbol import Symbol

FACTS = json.loads((Path(__file__).parent / "oracle" / "operators.json").read_text())["operators"]
REFUSED = {("GridGenerator", 0), ("_contrib_quantized_batch_norm", 0), ("_split_v2", 0), ("moments", 0)}
"""What MXNet composes and cannot run, or runs and loses elements, and is refused here."""
DIFFER = {
    ("_np_roll", 0),  # the shift is required here
    ("_npi_average", 0),  # MXNet has one hidden output more, as in the two below
    ("_npi_dsplit", 0),  # MXNet takes indices that do not begin with 0 for one part less
    ("_npi_hsplit", 0),
    ("_npi_std", 0),
    ("_npi_var", 0),
}
"""What is composed otherwise, on purpose."""
NAMED_DATA = ("_cvcopyMakeBorder", "_cvimdecode", "_cvimresize", "_npi_multinomial")
"""Operators whose inputs MXNet lists by names, which are those here, and whose variables it calls data."""

CASES = [
    pytest.param(name, case, id=f"{name}-{i}")
    for name, fact in FACTS.items()
    if name in load_all() and not load_all()[name].variadic
    for i, case in enumerate(fact["composed"])
    if not case.get("refused") and case.get("creates_inputs", True)
    if (name, i) not in REFUSED | DIFFER and name not in NAMED_DATA
]


def names(listed):
    return [name.removeprefix("op_") for name in listed]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_composed(name, case):
    symbol = call(load_all()[name], "op", (), {**case["attrs"], "name": "op"}, Symbol)
    assert names(symbol.list_arguments()) == case["arguments"]
    assert names(symbol.list_auxiliary_states()) == case["auxiliary"]
    assert names(symbol.list_outputs()) == case["outputs"]
    assert symbol.nodes()[-1].counted() == case["total_outputs"]
