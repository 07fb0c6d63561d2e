"""Operators of foreign domains that ONNX Runtime has: they run there, and go out again as they came in."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import hybridonnx as mx
from hybridonnx.errors import ConversionError
from tests.runtimes import started

MICROSOFT = "com.microsoft"


@pytest.fixture
def model(rng):
    nodes = [
        helper.make_node("FusedMatMul", ["x", "w"], ["a"], domain=MICROSOFT, alpha=0.5, transB=1),
        helper.make_node("BiasGelu", ["a", "b"], ["h"], domain=MICROSOFT),
        helper.make_node("Relu", ["h"], ["y"]),
    ]
    weights = {"w": rng.standard_normal((3, 4)), "b": rng.standard_normal(3)}
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])],
        [numpy_helper.from_array(w.astype(np.float32), name) for name, w in weights.items()],
    )
    imports = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=9)


@pytest.mark.parametrize("hybrid", [False, True])
def test_they_run(model, rng, hybrid):
    net = mx.onnx.import_to_gluon(model.SerializeToString())
    net.hybridize(hybrid)
    for n in (1, 5):
        x = rng.standard_normal((n, 4)).astype(np.float32)
        (expected,) = started(model).run(None, {"x": x})
        np.testing.assert_array_equal(net(mx.nd.array(x)).asnumpy(), expected)


def test_they_are_kept_in_files(model, rng, tmp_path):
    x = rng.standard_normal((2, 4)).astype(np.float32)
    (expected,) = started(model).run(None, {"x": x})
    net = mx.onnx.import_to_gluon(model.SerializeToString())
    files = net.export(str(tmp_path / "native"))
    again = mx.gluon.SymbolBlock.imports(files[0], ["x"], files[1])
    np.testing.assert_array_equal(again(mx.nd.array(x)).asnumpy(), expected)
    written = onnx.load(mx.onnx.export_model(net, str(tmp_path / "again.onnx"), input_shapes=[("n", 4)]))
    for before, after in zip(model.graph.node, written.graph.node, strict=True):
        assert (before.op_type, before.domain, list(before.attribute)) == (
            after.op_type,
            after.domain,
            list(after.attribute),
        )
    np.testing.assert_array_equal(started(written).run(None, {"x": x})[0], expected)


def test_others_are_refused_by_name(model):
    for node in model.graph.node[:2]:
        node.domain = "com.example"
    model.opset_import[1].domain = "com.example"
    with pytest.raises(ConversionError) as caught:
        mx.onnx.import_to_gluon(model.SerializeToString())
    assert "com.example.FusedMatMul: 1 x (a)" in str(caught.value)
    assert "com.example.BiasGelu: 1 x (h)" in str(caught.value)
