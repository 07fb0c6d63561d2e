"""Dense layers with weights of 4 or 8 bits: the formula, and networks that run, save and come back."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx import gluon
from hybridonnx.contrib.quantization import quantize_weights
from hybridonnx.gluon import nn
from hybridonnx.symbol.packing import Packing, packed

BITS = [4, 8]


def unpacked(integers: Any, scales: Any, bits: int, width: int) -> Any:
    """The weight that packed integers stand for."""
    whole = integers.astype(np.int64)
    if bits == 4:
        whole = np.stack([whole & 15, whole >> 4], axis=-1)
    rows = len(integers)
    whole = whole.reshape(rows, integers.shape[1], -1) - (1 << (bits - 1))
    return (whole * scales.reshape(rows, -1, 1)).reshape(rows, -1)[:, :width]


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("size", [16, 32, 128])
@pytest.mark.parametrize("width", [1, 16, 50, 129])
def test_each_weight_is_within_a_step(bits: int, size: int, width: int) -> None:
    weight = np.random.default_rng(width).standard_normal((7, width)).astype(np.float32)
    weight[3] = 0
    integers, scales = packed(weight, Packing(bits, size))
    blocks = -(-width // size)
    assert integers.shape == (7, blocks, size * bits // 8)
    assert scales.shape == (7 * blocks,)
    off = np.abs(unpacked(integers, scales, bits, width) - weight)
    steps = np.repeat(np.abs(scales.reshape(7, -1)), size, axis=1)[:, :width]
    assert (off <= steps + 1e-7).all()  # half of one, but for the largest of the other sign
    assert (off > 0.51 * steps).mean() < 0.03 + 2 / width
    largest = np.abs(weight) == np.abs(weight).max(axis=1, keepdims=True)
    assert (off[largest] <= 1e-6).all()


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("flatten", [True, False])
@pytest.mark.parametrize("use_bias", [True, False])
def test_a_dense_layer_is_the_formula(bits: int, flatten: bool, use_bias: bool) -> None:
    net = nn.Dense(9, flatten=flatten, use_bias=use_bias, prefix="dense_")
    net.initialize(mx.init.Uniform(1))
    x = mx.nd.random.normal(shape=(3, 5, 11))
    net(x)
    if use_bias:
        net.bias.set_data(mx.nd.arange(9))
    block = quantize_weights(net, bits, 16, data_shapes=[(3, 5, 11)], accuracy_level=1)
    params = {name: p.data().asnumpy() for name, p in block.collect_params().items()}
    assert "dense_weight" not in params
    width = 55 if flatten else 11
    weight = unpacked(params["dense_weight_quantize"], params["dense_weight_scale"], bits, width)
    rows = x.asnumpy().reshape((3, 55) if flatten else (3, 5, 11))
    expected = rows @ weight.T + (np.arange(9) if use_bias else 0)
    for active in (False, True):
        block.hybridize(active)
        np.testing.assert_allclose(block(x).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    near = net(x).asnumpy()
    assert np.abs(expected - near).max() < (0.2 if bits == 4 else 0.02) * np.abs(near).max()


class Encoder(gluon.HybridBlock):
    """A layer of attention over embedded words, and scores by the embedding's own weight."""

    def __init__(self) -> None:
        super().__init__(prefix="net_")
        with self.name_scope():
            self.words = nn.Embedding(40, 32)
            self.into, self.out = (
                nn.Dense(96, flatten=False, in_units=32),
                nn.Dense(32, flatten=False, in_units=32),
            )
            self.norm = nn.LayerNorm(in_channels=32)
            self.scores = nn.Dense(40, flatten=False, in_units=32, params=self.words.params)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = self.words(x)
        heads = self.into(y)
        weights = F.softmax(F.contrib.interleaved_matmul_selfatt_qk(heads, heads=4))
        y = self.norm(y + self.out(F.contrib.interleaved_matmul_selfatt_valatt(heads, weights, heads=4)))
        return self.scores(y)


@pytest.mark.parametrize("bits", BITS)
def test_a_transformer_runs_saves_exports_and_comes_back(bits: int, tmp_path: Any) -> None:
    net = Encoder()
    net.initialize(mx.init.Xavier())
    x = mx.nd.array(np.random.default_rng(0).integers(0, 40, (7, 2)))
    expected = net(x).asnumpy()
    block = quantize_weights(net, bits, calib_data=[x])
    kinds = {name: p.dtype for name, p in block.collect_params().items()}
    assert [name for name, dtype in kinds.items() if dtype == np.uint8] == [
        "net_dense0_weight_quantize", "net_dense1_weight_quantize"
    ]  # fmt: skip
    assert "net_embedding0_weight" in kinds  # which two layers share
    block.hybridize()
    y = block(x).asnumpy()
    assert 0 < np.sqrt(np.mean((y - expected) ** 2)) < (0.2 if bits == 4 else 0.02) * expected.std()
    block.export(str(tmp_path / "q"))
    again = gluon.SymbolBlock.imports(
        str(tmp_path / "q-symbol.json"), ["data"], str(tmp_path / "q-0000.params")
    )
    again.hybridize()
    np.testing.assert_array_equal(again(x).asnumpy(), y)
    path = mx.onnx.export_model(block, str(tmp_path / "m.onnx"), input_shapes=[("t", "n")])
    nodes = [node for node in onnx.load(path).graph.node if node.op_type == "MatMulNBits"]
    assert len(nodes) == 2
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(session.run(None, {"data": x.asnumpy()})[0], y)
    back = gluon.SymbolBlock.imports(path, ["data"])
    back.hybridize()
    np.testing.assert_array_equal(back(x).asnumpy(), y)


def test_what_is_excluded_stays() -> None:
    net = Encoder()
    net.initialize()
    options: list[dict[str, Any]] = [
        {"exclude_layers": ["net_dense0_fwd"]},
        {"exclude_layers_match": ["dense"]},
    ]
    for left, choice in zip((1, 0), options, strict=True):
        block = quantize_weights(net, data_shapes=[(7, 2)], **choice)
        assert sum(name.endswith("_quantize") for name in block.collect_params()) == left


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("level", [1, 4])
def test_verify_knows_their_steps(bits: int, level: int, tmp_path: Any) -> None:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(40, in_units=64, activation="relu"), nn.Dense(8, in_units=40))
    net.initialize(mx.init.Xavier())
    block = quantize_weights(net, bits, 16, data_shapes=[(1, 64)], accuracy_level=level)
    path = mx.onnx.export_model(block, str(tmp_path / "q.onnx"), input_shapes=[("n", 64)])
    assert mx.onnx.verify(net, path).verdict == "as quantized"
    parameter = block.collect_params()["net_dense1_weight_scale"]
    parameter.set_data(parameter.data() * 1.5)
    mx.onnx.export_model(block, path, input_shapes=[("n", 64)])
    report = mx.onnx.verify(net, path)
    assert report.verdict == "fault"
    assert f"weights of {bits} bits" in str(report)


def test_memory() -> None:
    net = nn.Dense(512, in_units=512, use_bias=False, prefix="dense_")
    net.initialize()
    for bits, part in ((4, 6.3), (8, 3.5)):
        params = quantize_weights(net, bits, data_shapes=[(1, 512)]).collect_params().values()
        assert sum(p.data().asnumpy().nbytes for p in params) * part < 512 * 512 * 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bits": 3}, "bits: one of 4, 8 is required, got 3"),
        ({"block_size": 24}, "block_size: one of 16, 32, 64, 128, 256 is required, got 24"),
        ({"accuracy_level": 7}, "accuracy_level: one of 0, 1, 2, 3, 4 is required, got 7"),
        ({"exclude_layers": "a"}, "exclude_layers: a list of names of layers is required"),
        ({"data_shapes": None}, "data_shapes: the shape of each input is required, got none"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    net = nn.Dense(2, in_units=3)
    net.initialize()
    with pytest.raises(ValueError, match=message):
        quantize_weights(net, **{"data_shapes": [(1, 3)], **options})


def test_gradients_are_refused_in_words() -> None:
    net = nn.Dense(2, in_units=3, prefix="dense_")
    net.initialize()
    block = quantize_weights(net, data_shapes=[(1, 3)])
    x = mx.nd.ones((1, 3))
    x.attach_grad()
    with mx.autograd.record():
        y = block(x)
    with pytest.raises(mx.MXNetError, match=r"_onnx_com\.microsoft\.MatMulNBits: has no gradient rule"):
        y.backward()
