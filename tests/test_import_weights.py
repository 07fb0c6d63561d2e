"""Large weights of ONNX files, which are read where they lie instead of through protobuf."""

from __future__ import annotations

import mmap
import subprocess
import sys

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper, save_model
from onnx.reference import ReferenceEvaluator

import hybridonnx as mx
from hybridonnx.converters.from_onnx import _weights
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


_PEAK = """
import sys
from resource import RUSAGE_SELF, getrusage
import numpy as np
import hybridonnx as mx
from hybridonnx.converters import from_onnx

source = open(sys.argv[1], "rb").read() if "bytes" in sys.argv else sys.argv[1]
mx.onnx.import_to_gluon(sys.argv[2])  # what the import itself takes
before = getrusage(RUSAGE_SELF).ru_maxrss
net = mx.onnx.import_to_gluon(source)
print(getrusage(RUSAGE_SELF).ru_maxrss - before)
assert all(float(p.data()._data.max()) == 3 for p in net.collect_params().values())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts as Linux does")
@pytest.mark.parametrize("kind", ["file", "beside", "bytes"])
def test_an_import_takes_little_more_memory_than_the_weights(tmp_path, kind):
    """No copies beside the one that can be written to, and no gradients; weights beside a file stay there."""
    path, small, columns = tmp_path / "model.onnx", tmp_path / "small.onnx", 50_000
    model = product(names=("w",))
    weight = np.full((512, columns), 3, np.float32)
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(weight, "w"))
    save_model(model, str(path), save_as_external_data=kind == "beside", location="weights")
    save_model(product(), str(small))
    command = [sys.executable, "-c", _PEAK, str(path), str(small), kind]
    peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) << 10
    assert peak < (0.2 if kind == "beside" else 1.3) * weight.nbytes


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "uint64", "bool", "complex64"])
def test_parts_of_a_mapped_file_make_the_array(tmp_path, monkeypatch, dtype):
    """Contents at odd places, copied in parts that end within an element."""
    monkeypatch.setattr(_weights, "_PART", 4099)
    expected = np.random.default_rng(0).integers(0, 2, 9001).astype(dtype)
    content = expected.astype(expected.dtype.newbyteorder("<")).tobytes()
    for start in (0, 1, 4097):
        (tmp_path / "file").write_bytes(bytes(start) + content + b"more")
        with (tmp_path / "file").open("rb") as file:
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        got = _weights.copied(data[start : start + len(content)], len(expected), expected.dtype)
        assert got.dtype.isbuiltin == 1
        assert got.flags.writeable
        np.testing.assert_array_equal(got, expected)
