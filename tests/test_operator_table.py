"""docs/operators.md and `get_operator_support`: both tell of each direction what the converters do."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, defs, helper

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from scripts import _operators

NEWEST = defs.onnx_opset_version()


def test_the_page_is_fresh():
    stored = _operators.STORED.read_text(encoding="utf-8")
    if _operators.MADE_WITH not in stored:
        pytest.skip(f"the page was made with another onnx than {onnx.__version__}")
    lines, fresh = stored.splitlines(), _operators.text().splitlines()
    difference = [f"- {x}" for x in lines if x not in set(fresh)] + [
        f"+ {x}" for x in fresh if x not in set(lines)
    ]
    assert lines == fresh, "run scripts/operators:\n" + "\n".join(difference[:40])


def test_every_operator_of_onnx_is_in_the_page():
    page = _operators.text()
    schemas = [schema for schema in defs.get_all_schemas() if not schema.deprecated]
    names = [f"{schema.domain}.{schema.name}".lstrip(".") for schema in schemas]
    assert not [name for name in names if f"| `{name}` |" not in page]


@pytest.mark.parametrize("opset", [7, 13, 18, None])
def test_names_of_imports_are_operators_of_that_opset(opset):
    names = mx.onnx.get_operator_support(opset, direction="import")
    assert names == sorted(set(names))
    assert {"Add", "Conv", "Gemm", "LSTM", "Relu"} <= set(names)
    for name in names:
        assert defs.get_schema(name, opset or NEWEST).name == name
    assert ("Gelu" in names) == (opset is None)  # since opset 20


@pytest.mark.parametrize("op_type", ["Abs", "Softplus", "Relu", "Round"])
def test_what_is_said_to_become_mxnets_does(op_type):
    assert op_type in mx.onnx.get_operator_support(18, "import")
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in "xy"]
    graph = helper.make_graph([helper.make_node(op_type, ["x"], ["y"])], "graph", value[:1], value[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    symbol, _, _ = mx.onnx.import_model(model)
    names = {node["op"] for node in json.loads(symbol.tojson())["nodes"]}
    assert not [name for name in names if name.startswith("_onnx_")]


def test_names_of_exports():
    names = mx.onnx.get_operator_support()
    assert names == mx.onnx.get_operator_support(direction="export")
    assert "Convolution" in names
    assert "_cvimread" not in names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"direction": "sideways"}, "direction 'export' or 'import' is required, got 'sideways'"),
        ({"opset_version": 0, "direction": "import"}, "a version from 1 to .* is required, got 0"),
        ({"opset_version": NEWEST + 1, "direction": "import"}, f"got {NEWEST + 1}"),
        ({"opset_version": np.float32(13), "direction": "import"}, "is required"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(MXNetError, match=message):
        mx.onnx.get_operator_support(**arguments)
