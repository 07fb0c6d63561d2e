"""ONNX's RNN, LSTM and GRU with all their inputs and attributes, against ONNX Runtime."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from hybridonnx.converters import from_onnx
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.symbol.execute import execute

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
STEPS, BATCH, INPUTS, CELLS = 5, 3, 4, 6
WAYS = ("forward", "reverse", "bidirectional")


def arrays_of(kind, directions, lengths, states, bias, peepholes):
    """The parameters and the inputs of a node, by short names."""
    rng = np.random.RandomState(len(kind) + directions)
    rows = GATES[kind] * CELLS

    def draw(*shape: int) -> Any:
        return rng.uniform(-0.7, 0.7, shape).astype(np.float32)

    params = {"w": draw(directions, rows, INPUTS), "r": draw(directions, rows, CELLS)}
    params |= {"b": draw(directions, 2 * rows)} if bias else {}
    params |= {"p": draw(directions, 3 * CELLS)} if peepholes else {}
    feeds = {"x": draw(STEPS, BATCH, INPUTS)}
    feeds |= {"l": np.array([3, 5, 1], np.int32)} if lengths else {}
    feeds |= {"h": draw(directions, BATCH, CELLS)} if states else {}
    feeds |= {"c": draw(directions, BATCH, CELLS)} if states and kind == "LSTM" else {}
    return params, feeds


def model_of(kind, params, feeds, steps=STEPS, opset=14, **attributes):
    """A model of one node, whose parameters are initializers."""
    order = ("x", "w", "r", "b", "l", "h", "c", "p") if kind == "LSTM" else ("x", "w", "r", "b", "l", "h")
    names = [name if name in {**params, **feeds} else "" for name in order]
    outputs = ["y", "yh", "yc"] if kind == "LSTM" else ["y", "yh"]
    node = helper.make_node(kind, names, outputs, name="n", hidden_size=CELLS, **attributes)
    infos = []
    for name, a in feeds.items():
        shape = (steps, *a.shape[1:]) if name == "x" else a.shape
        infos.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), shape))
    graph = helper.make_graph(
        [node],
        "g",
        infos,
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(a, name) for name, a in params.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def compared(kind, way, lengths, states, bias, computed=False, peepholes=False, **attributes):
    """Check the import of a node; `computed` parameters are inputs. The operators that it became."""
    directions = 2 if way == "bidirectional" else 1
    params, feeds = arrays_of(kind, directions, lengths, states, bias, peepholes)
    if computed:
        params, feeds = {}, {**params, **feeds}
    model = model_of(kind, params, feeds, direction=way, **attributes)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    expected = session.run(None, feeds)
    imported = from_onnx.load(model)
    values = {name: NDArray(a) for name, a in {**imported.arrays, **feeds}.items()}
    outputs = execute(imported.symbol, values)
    for a, b in zip(outputs, expected, strict=True):
        np.testing.assert_allclose(a.asnumpy(), b, rtol=1e-4, atol=1e-5)
    return {node.op_name for node in imported.symbol.nodes() if not node.is_variable}, imported


@pytest.mark.parametrize(("lengths", "states", "bias"), list(product((False, True), repeat=3)))
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", GATES)
def test_usual_cells_become_one_operator(kind, way, lengths, states, bias):
    more = {"linear_before_reset": 1} if kind == "GRU" else {}
    operators, imported = compared(kind, way, lengths, states, bias, **more)
    assert "RNN" in operators
    assert set(imported.arrays) == {"w", "r", "b"} - set("" if bias else "b"), "they train under their names"
    operators, _ = compared(kind, way, lengths, states, bias, computed=True, **more)
    assert "RNN" in operators


SPECIAL = [
    ("GRU", {}),
    ("GRU", {"clip": 0.3}),
    ("GRU", {"activations": ["Sigmoid", "Relu"]}),
    ("LSTM", {"peepholes": True}),
    ("LSTM", {"clip": 0.3}),
    ("LSTM", {"activations": ["Sigmoid", "Softsign", "Relu"]}),
    ("LSTM", {"input_forget": 1}),
    ("RNN", {"activations": ["Softplus"]}),
]


@pytest.mark.parametrize("lengths", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kind", "special"), SPECIAL)
def test_special_cells_are_unrolled(kind, special, way, lengths):
    attributes = dict(special)
    if "activations" in attributes and way == "bidirectional":
        attributes["activations"] = attributes["activations"] * 2
    operators, _ = compared(kind, way, lengths, True, True, **attributes)
    assert "RNN" not in operators


def test_special_cells_of_any_number_of_steps_stay_what_they_are():
    params, feeds = arrays_of("GRU", 1, False, True, True, False)
    symbol = from_onnx.load(model_of("GRU", params, feeds, steps="T")).symbol
    assert [n.op_name for n in symbol.nodes() if not n.is_variable] == ["_onnx_GRU"]


def test_relu_is_a_mode_of_its_own():
    operators, imported = compared("RNN", "bidirectional", True, True, True, activations=["Relu", "Relu"])
    assert "RNN" in operators
    assert "rnn_relu" in imported.symbol.tojson()


def test_other_activations_stay_what_they_are():
    operators, _ = compared(
        "RNN", "forward", True, True, True, activations=["Affine"], activation_alpha=[2.0]
    )
    assert "_onnx_RNN" in operators
