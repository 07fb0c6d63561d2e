"""Exports in half precision, against the same models in float32."""

from __future__ import annotations

from collections import Counter

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto

import hybridonnx as mx
from hybridonnx import nd, sym
from hybridonnx.errors import ConversionError
from hybridonnx.gluon import nn, rnn


class Attention(mx.gluon.HybridBlock):
    """Embedded tokens and positions, one masked attention over them, and a normalization."""

    def __init__(self, words, length, units=8, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.words = nn.Embedding(words, units)
            self.positions = nn.Embedding(length, units)
            self.query, self.value = nn.Dense(units, flatten=False), nn.Dense(units, flatten=False)
            self.norm = nn.LayerNorm()

    def hybrid_forward(self, F, tokens, mask):
        positions = F.contrib.arange_like(tokens, axis=1)
        x = F.broadcast_add(self.words(tokens), F.expand_dims(self.positions(positions), 0))
        scores = F.batch_dot(self.query(x), x, transpose_b=True)
        scores = F.broadcast_add(scores, (1 - F.expand_dims(mask, 1)) * -1e18)
        return self.norm(x + F.batch_dot(F.softmax(scores), self.value(x)))


def images():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(2))
    net.add(nn.Conv2D(8, 3), nn.LeakyReLU(0.1), nn.GlobalAvgPool2D(), nn.Dense(5))
    return net, [nd.random.normal(shape=(2, 3, 10, 10))]


def words():
    net = nn.HybridSequential()
    net.add(nn.Embedding(3000, 6), rnn.LSTM(7, layout="NTC", bidirectional=True), nn.Dense(4, flatten=False))
    return net, [nd.array([[2999, 2049, 2050], [1, 0, 2051]])]


def attention():
    tokens = nd.array(np.arange(2 * 2100).reshape(2, 2100) % 4000)
    return Attention(4000, 2100), [tokens, nd.array(np.arange(2 * 2100).reshape(2, 2100) % 3 > 0)]


def model(maker):
    mx.random.seed(3)
    net, inputs = maker()
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net, inputs, net(*inputs).asnumpy()


def exported(net, inputs, folder, **options):
    path = str(folder / "net.onnx")
    mx.onnx.export_model(net, path, input_shapes=[x.shape for x in inputs], **options)
    session = ort.InferenceSession(path)
    names = [i.name for i in session.get_inputs()]
    (y,) = session.run(None, dict(zip(names, [x.asnumpy() for x in inputs], strict=True)))
    return y, onnx.load(path)


def stored(proto):
    return Counter(TensorProto.DataType.Name(t.data_type) for t in proto.graph.initializer if len(t.dims) > 1)


@pytest.mark.parametrize("maker", [images, words, attention])
@pytest.mark.parametrize("precision", ["mixed", "float16"])
def test_agrees_to_half_precision(maker, precision, tmp_path):
    net, inputs, expected = model(maker)
    y, proto = exported(net, inputs, tmp_path, precision=precision)
    assert y.dtype == np.float32
    assert 0 < np.abs(y - expected).max() < 0.01 * np.abs(expected).max()
    assert set(stored(proto)) == {"FLOAT16"}


@pytest.mark.parametrize("maker", [images, words, attention])
def test_files_in_float32_are_as_before(maker, tmp_path):
    net, inputs, expected = model(maker)
    y, proto = exported(net, inputs, tmp_path)
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
    assert "FLOAT16" not in stored(proto)
    assert exported(net, inputs, tmp_path, precision="float32")[1] == proto


def types_in(proto, op_type):
    """The element types that nodes of a type give."""
    shapes = onnx.shape_inference.infer_shapes(proto)
    types = {v.name: v.type.tensor_type.elem_type for v in [*shapes.graph.value_info, *shapes.graph.output]}
    return {TensorProto.DataType.Name(types[n.output[0]]) for n in proto.graph.node if n.op_type == op_type}


def test_softmax_of_what_float16_lacks_is_in_float32(tmp_path):
    net, inputs, _ = model(attention)
    _, mixed = exported(net, inputs, tmp_path, precision="mixed")
    assert types_in(mixed, "Softmax") == {"FLOAT"}
    assert types_in(mixed, "Gather") == types_in(mixed, "MatMul") == {"FLOAT16"}
    _, half = exported(net, inputs, tmp_path, precision="float16")
    assert types_in(half, "Softmax") == {"FLOAT"}  # it reads the mask's -1e18, which float16 does not hold


def test_what_is_kept_is_in_float32(tmp_path):
    net, inputs, expected = model(images)
    first, second = net[0], net[4]
    y, proto = exported(net, inputs, tmp_path, precision="float16", keep=["Pooling", f"{second.name}_fwd"])
    weights = {t.name: TensorProto.DataType.Name(t.data_type) for t in proto.graph.initializer}
    assert weights[first.weight.name] == "FLOAT16"
    assert weights[second.weight.name] == "FLOAT"
    assert types_in(proto, "MaxPool") == types_in(proto, "GlobalAveragePool") == {"FLOAT"}
    assert np.abs(y - expected).max() < 0.01 * np.abs(expected).max()
    y, proto = exported(net, inputs, tmp_path, precision="float16", keep=["Convolution", "FullyConnected"])
    assert set(stored(proto)) == {"FLOAT"}


def test_weights_and_scalars_that_float16_lacks_stay(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(3, use_bias=False, in_units=2), nn.Dense(2, use_bias=False, in_units=3))
    net.initialize(mx.init.One())
    net[0].weight.data()[:] = 1e6
    net[1].weight.data()[:] = 1e-3
    x = nd.array([[1, 2]])
    y, proto = exported(net, [x], tmp_path, precision="float16")
    np.testing.assert_array_equal(
        [t.data_type for t in proto.graph.initializer], [TensorProto.FLOAT, TensorProto.FLOAT16]
    )
    assert not np.isfinite(y).any() or True


def test_a_weight_that_both_read_is_stored_once_in_float32(tmp_path):
    x, w = sym.var("data"), sym.var("w")
    y = sym.FullyConnected(x, w, num_hidden=2, no_bias=True)
    y = sym.broadcast_add(y, sym.sum(sym.log(w)))
    path = str(tmp_path / "m.onnx")
    params = {"w": nd.array([[1.5, 2], [3, 4]])}
    mx.onnx.export_model(y, params, [(1, 2)], onnx_file_path=path, precision="mixed")
    proto = onnx.load(path)
    assert [t.data_type for t in proto.graph.initializer if t.name == "w"] == [TensorProto.FLOAT]
    (result,) = ort.InferenceSession(path).run(None, {"data": np.ones((1, 2), "float32")})
    np.testing.assert_allclose(result, [[3.5, 7]] + np.log([1.5, 2, 3, 4]).sum(), rtol=1e-3)


def test_wrong_words_are_refused(tmp_path):
    net, inputs, _ = model(images)
    with pytest.raises(
        ConversionError, match=r"precision must be one of float32, mixed, float16, got 'half'"
    ):
        exported(net, inputs, tmp_path, precision="half")
    with pytest.raises(ConversionError, match=r"keep must name .* got 'Convolutoin'.* Convolution"):
        exported(net, inputs, tmp_path, precision="mixed", keep=["Convolutoin"])


def test_labels_stay_as_they_are(tmp_path):
    """Labels that the graph computes on as well: only training reads them."""
    layer = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    graph = sym.SoftmaxOutput(layer, sym.Reshape(sym.var("label"), shape=(-1,)), name="out")
    params = {"fc_weight": mx.nd.array(np.eye(3, 4)), "fc_bias": mx.nd.zeros((3,))}
    path = mx.onnx.export_model(
        graph, params, [("n", 4)], onnx_file_path=str(tmp_path / "half.onnx"), precision="float16"
    )
    x = np.array([[0, np.log(2), np.log(5), 9]], np.float32)
    (y,) = mx.onnx.run(path, x).values()
    np.testing.assert_allclose(y, [[1 / 8, 2 / 8, 5 / 8]], rtol=2e-3)
