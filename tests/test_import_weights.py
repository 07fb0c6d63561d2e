"""Large weights of ONNX files, which are read where they lie instead of through protobuf."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper, save_model
from onnx.reference import ReferenceEvaluator

import hybridonnx as mx
from hybridonnx.converters.from_onnx._weights import split_weights
from hybridonnx.errors import MXNetError


def product(columns=20, names=("w",)):
    """A model that multiplies by a matrix."""
    tensors = [
        numpy_helper.from_array(
            np.random.default_rng(i).standard_normal((512, columns)).astype(np.float32), name
        )
        for i, name in enumerate(names)
    ]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 512])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        tensors,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], doc_string="kept")


@pytest.mark.parametrize("options", [{}, {"save_as_external_data": True, "location": "weights.bin"}])
def test_large_weights(tmp_path, options):
    path = tmp_path / "model.onnx"
    save_model(product(600), str(path), **options)
    net = mx.onnx.import_to_gluon(str(path))
    x = np.random.default_rng(9).standard_normal((2, 512)).astype(np.float32)
    (expected,) = ReferenceEvaluator(product(600)).run(None, {"x": x})
    np.testing.assert_allclose(net(mx.nd.array(x)).asnumpy(), expected, rtol=1e-4, atol=1e-4)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    (parameter,) = net.collect_params().values()
    parameter.data()[:] = 1.0
    assert net(mx.nd.ones((1, 512))).asnumpy().tolist() == [[512.0] * 600]
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_parts_make_the_whole():
    proto = product()
    light, weights = split_weights(memoryview(proto.SerializeToString()))
    again = ModelProto.FromString(light)
    assert list(weights) == ["w"]
    assert len(light) < 1000
    again.graph.initializer[0].raw_data = bytes(weights["w"])
    assert again == proto


@pytest.mark.parametrize("cut", [1, 7, 40, 5000, 30000])
def test_damaged_files_are_left_to_protobuf(tmp_path, cut):
    path = tmp_path / "model.onnx"
    path.write_bytes(product(600).SerializeToString()[:-cut])
    with pytest.raises(MXNetError):
        mx.onnx.import_model(str(path))


def test_a_wrong_length_is_told(tmp_path):
    proto = product(600)
    proto.graph.initializer[0].dims[1] = 601
    path = tmp_path / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    with pytest.raises(MXNetError, match="1230848 bytes are required for tensor w, got 1228800"):
        mx.onnx.import_model(str(path))


def test_a_name_that_two_weights_have_is_left_to_protobuf():
    assert split_weights(memoryview(product(names=("w", "w")).SerializeToString())) is None


def test_weights_of_one_memory_are_trained_apart():
    proto = product()
    proto.graph.node.insert(0, helper.make_node("Identity", ["w"], ["v"]))
    proto.graph.node.append(helper.make_node("MatMul", ["x", "v"], ["z"]))
    proto.graph.output.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, None))
    net = mx.onnx.import_to_gluon(proto.SerializeToString())
    places = {p.data()._data.__array_interface__["data"][0] for p in net.collect_params().values()}
    assert len(places) == len(net.collect_params())
