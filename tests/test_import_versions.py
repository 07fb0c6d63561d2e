"""Imports of single ONNX nodes in all their versions: they compute what ONNX Runtime computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from hybridonnx import autograd, nd, onnx
from hybridonnx.converters import from_onnx
from hybridonnx.parity.verify import verify
from hybridonnx.symbol.execute import execute
from tests.runtimes import runnable

F32 = TensorProto.FLOAT


def model(op_type, shape, weights, opset, outputs=1, **attributes) -> Any:
    names = [f"w{i}" if w is not None else "" for i, w in enumerate(weights)]
    results = [f"y{i}" for i in range(outputs)]
    graph = helper.make_graph(
        [helper.make_node(op_type, ["x", *names], results, **attributes)],
        "test",
        [helper.make_tensor_value_info("x", F32, shape)],
        [helper.make_tensor_value_info(name, F32, None) for name in results],
        [numpy_helper.from_array(np.asarray(w), n) for w, n in zip(weights, names, strict=True) if n],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def weight(*shape, low=0.5, high=2.0):
    rng = np.random.default_rng(sum(shape) + len(shape))
    return rng.uniform(low, high, shape).astype(np.float32)


def batch(channels):
    return [weight(channels), weight(channels, low=-1), weight(channels, low=-1), weight(channels)]


def channels(count, **kwargs):
    return [weight(count), weight(count, low=-1)]


IMAGE = (2, 4, 5, 6)
NODES = [
    ("BatchNormalization", IMAGE, batch(4), (7, 9, 14, 15, 22), {"epsilon": 1e-3}),
    ("BatchNormalization", (3, 4), batch(4), (9, 15), {}),
    ("InstanceNormalization", IMAGE, channels(4), (6, 18, 22), {"epsilon": 1e-2}),
    ("GroupNormalization", IMAGE, channels(4), (21,), {"num_groups": 2}),
    ("LayerNormalization", IMAGE, channels(6), (17,), {}),
    ("LayerNormalization", IMAGE, channels(6)[:1], (17,), {"epsilon": 0.1}),
    ("LayerNormalization", IMAGE, [weight(5, 6), weight(5, 6)], (17,), {"axis": 2}),
    ("LayerNormalization", IMAGE, [weight(4, 5, 6), weight(4, 5, 6)], (17,), {"axis": -3}),
    ("LRN", IMAGE, [], (13,), {"size": 3, "alpha": 0.1, "beta": 0.6, "bias": 1.5}),
    ("LpNormalization", IMAGE, [], (13, 22), {"axis": 1}),
    ("LpNormalization", IMAGE, [], (13, 22), {"p": 1}),
    ("MeanVarianceNormalization", IMAGE, [], (13,), {}),
    ("Dropout", IMAGE, [], (7, 10), {"ratio": 0.3}),
    ("Dropout", IMAGE, [], (12, 13, 22), {}),
    ("Dropout", IMAGE, [np.float32(0.3), np.array(False)], (13,), {}),
    ("LeakyRelu", IMAGE, [], (6, 16), {}),
    ("LeakyRelu", IMAGE, [], (16,), {"alpha": 0.3}),
    ("PRelu", IMAGE, [weight(4, 1, 1)], (7, 9, 16), {}),
    ("PRelu", IMAGE, [weight(1, 4, 1, 1)], (16,), {}),
    ("PRelu", IMAGE, [weight(1)], (9, 16), {}),
    ("PRelu", IMAGE, [weight(1, 1, 1)], (16,), {}),
    ("PRelu", IMAGE, [weight(6)], (16,), {}),
    ("PRelu", IMAGE, [weight(4, 5, 6)], (16,), {}),
    ("PRelu", (2, 6, 6, 6), [weight(6)], (16,), {}),
    ("PRelu", (3, 4), [weight(4)], (16,), {}),
    ("PRelu", (3, 4, 5), [weight(4, 1)], (16,), {}),
    ("Elu", IMAGE, [], (6, 22), {"alpha": 0.7}),
    ("Selu", IMAGE, [], (6, 22), {}),
    ("Selu", IMAGE, [], (22,), {"alpha": 1.5, "gamma": 1.2}),
    ("Celu", IMAGE, [], (12,), {"alpha": 0.7}),
    ("Gelu", IMAGE, [], (20,), {}),
    ("Gelu", IMAGE, [], (20,), {"approximate": "tanh"}),
    ("Softplus", IMAGE, [], (13, 22), {}),
    ("Softsign", IMAGE, [], (13, 22), {}),
    ("ThresholdedRelu", IMAGE, [], (13, 22), {"alpha": 0.4}),
    ("HardSwish", IMAGE, [], (14, 22), {}),
    ("Mish", IMAGE, [], (18, 22), {}),
    *[
        (op_type, IMAGE, [], (7, 11, 13), attributes)
        for op_type in ("Softmax", "LogSoftmax", "Hardmax")
        for attributes in ({}, {"axis": 0}, {"axis": 1}, {"axis": 2}, {"axis": 3})
    ],
    ("Softmax", (5,), [], (13,), {"axis": -1}),
    ("EyeLike", (3, 5), [], (9, 22), {"k": 1}),
    ("Cast", IMAGE, [], (9, 13, 19, 21), {"to": F32}),
]
CASES = [
    pytest.param(op_type, shape, weights, opset, attributes, id=f"{op_type}-{opset}-{number}")
    for number, (op_type, shape, weights, opsets, attributes) in enumerate(NODES)
    for opset in opsets
]


@pytest.mark.parametrize(("op_type", "shape", "weights", "opset", "attributes"), CASES)
def test_node(op_type, shape, weights, opset, attributes):
    proto = model(op_type, shape, weights, opset, **attributes)
    imported = from_onnx.import_model(proto)
    report = verify(runnable(proto), imported, shapes={"x": shape})
    assert report.ok(2e-5), report


def test_scale_of_layer_normalization_is_broadcast(rng):
    """By the formula: ONNX Runtime 1.20 takes a scale of the normalized axes' size only."""
    scale, bias = weight(1), weight(1)
    symbol, arguments, states = from_onnx.import_model(
        model("LayerNormalization", IMAGE, [scale, bias], 17, axis=3)
    )
    x = rng.standard_normal(IMAGE).astype(np.float32)
    (y,) = execute(symbol, {"x": nd.array(x), **arguments, **states})
    expected = (x - x.mean(3, keepdims=True)) / np.sqrt(x.var(3, keepdims=True) + 1e-5) * scale + bias
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("op_type", "shape", "weights", "opset", "attributes", "name"),
    [
        ("BatchNormalization", IMAGE, batch(4), 15, {"training_mode": 1}, "_onnx_BatchNormalization"),
    ],
)
def test_what_mxnet_cannot_say_stays_what_it_is(op_type, shape, weights, opset, attributes, name):
    outputs = 3 if attributes.get("training_mode") else 1
    proto = model(op_type, shape, weights, opset, outputs, **attributes)
    symbol, arguments, states = from_onnx.import_model(proto)
    assert [n.op_name for n in symbol.nodes() if not n.is_variable] == [name]
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    (y,) = execute(symbol, {"x": nd.array(x), **arguments, **states})[:1]
    expected = next(iter(ReferenceEvaluator(proto).run(None, {"x": x})))
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_statistics_of_layer_normalization():
    proto = model("LayerNormalization", IMAGE, channels(6), 17, outputs=3)
    imported = from_onnx.import_model(proto)
    assert verify(proto, imported, shapes={"x": IMAGE}).ok(2e-5)


def test_a_trainable_batch_norm():
    symbol, arguments, states = from_onnx.import_model(model("BatchNormalization", IMAGE, batch(4), 15))
    assert set(arguments) == {"w0", "w1"}
    assert set(states) == {"w2", "w3"}
    assert symbol.list_auxiliary_states() == ["w2", "w3"]
    x = nd.random.normal(shape=IMAGE)
    before = states["w2"].asnumpy()
    with autograd.train_mode():
        execute(symbol, {"x": x, **arguments, **states})
    after = states["w2"].asnumpy()
    np.testing.assert_allclose(after, before * 0.9 + x.asnumpy().mean((0, 2, 3)) * 0.1, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("op_type", "name"), [("RandomUniform", "uniform"), ("RandomNormal", "normal")])
@pytest.mark.parametrize("like", [False, True])
def test_random_nodes(op_type, name, like):
    proto = model(f"{op_type}Like", (200, 50), [], 18)
    if not like:
        proto.graph.node[0].CopyFrom(helper.make_node(op_type, [], ["y0"], shape=[200, 50]))
    symbol, arguments, states = from_onnx.import_model(proto)
    values = {"x": nd.zeros((200, 50))} if like else {}
    numbers = execute(symbol, {**values, **arguments, **states})[0].asnumpy()
    mean, deviation = (0.5, 12**-0.5) if name == "uniform" else (0.0, 1.0)
    assert numbers.shape == (200, 50)
    assert abs(numbers.mean() - mean) < 0.05
    assert abs(numbers.std() - deviation) < 0.05


@pytest.mark.parametrize("size", [2, 4, 7, 8])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 6), (2, 6, 3), (2, 3, 4, 5)])
def test_response_normalization_over_any_number_of_channels(size, dtype, shape, rng):
    """By the formula: ONNX Runtime takes odd sizes of four axes, ONNX's reference mistakes the channels."""
    x = rng.standard_normal(shape).astype(dtype)
    proto = model("LRN", shape, [], 13, size=size, alpha=0.75, beta=0.5, bias=1.25)
    for info in (*proto.graph.input, *proto.graph.output):
        info.type.tensor_type.elem_type = helper.np_dtype_to_tensor_dtype(x.dtype)
    symbol, arguments, states = from_onnx.import_model(proto)
    (y,) = execute(symbol, {"x": nd.array(x, dtype=dtype), **arguments, **states})
    squares, sums = x.astype(np.float64) ** 2, np.zeros(shape)
    for c in range(shape[1]):
        sums[:, c] = squares[:, max(0, c - (size - 1) // 2) : c + size // 2 + 1].sum(1)
    expected = x / (1.25 + 0.75 / size * sums) ** 0.5
    assert np.dtype(y.dtype) == x.dtype
    np.testing.assert_allclose(
        y.asnumpy(), expected, rtol={"float16": 5e-3, "float32": 1e-5}.get(dtype, 1e-12)
    )


@pytest.mark.parametrize(
    ("op_type", "formula", "dtype"),
    [
        ("Add", np.add, "float32"),
        ("Sub", np.subtract, "float32"),
        ("Mul", np.multiply, "float32"),
        ("Div", np.divide, "float32"),
        ("Pow", np.power, "float32"),
        ("Greater", np.greater, "float32"),
        ("Less", np.less, "float32"),
        ("Equal", np.equal, "int32"),
        ("And", np.logical_and, "bool"),
        ("Or", np.logical_or, "bool"),
        ("Xor", np.logical_xor, "bool"),
    ],
)
def test_the_first_versions_begin_the_second_array_at_an_axis(op_type, formula, dtype):
    """No runtime reads them any longer."""
    a = (weight(2, 3, 4) * (3 if dtype == "int32" else 1)).astype(dtype)
    b = (weight(3) * (2 if dtype == "int32" else 1)).astype(dtype)
    if dtype == "bool":
        a, b = weight(2, 3, 4) > 1, weight(3) > 1
    expected = formula(a, b[:, None])
    kinds = [helper.np_dtype_to_tensor_dtype(x.dtype) for x in (a, b, expected)]
    infos = [
        helper.make_tensor_value_info(name, kind, shape)
        for name, kind, shape in zip("abc", kinds, (a.shape, b.shape, None), strict=True)
    ]
    node = helper.make_node(op_type, ["a", "b"], ["c"], axis=1, broadcast=1)
    graph = helper.make_graph([node], "graph", infos[:2], infos[2:])
    net = onnx.import_to_gluon(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 5)]))
    for active in (False, True):
        net.hybridize(active)
        result = net(nd.array(a, dtype=a.dtype), nd.array(b, dtype=b.dtype)).asnumpy()
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result, expected, rtol=1e-6)
