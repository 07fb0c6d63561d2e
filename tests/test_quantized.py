"""Quantized operators as networks of them: against float32, in files of all opsets, with extreme integers."""

from __future__ import annotations

import re

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

import hybridonnx.symbol as sym
from hybridonnx import nd
from hybridonnx.converters import from_onnx, to_onnx
from hybridonnx.errors import (
    AttributeValueError,
    DTypeError,
    MXNetError,
    ShapeError,
    UnknownOperatorError,
)
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ops import Spec, SymbolicDim, find
from hybridonnx.symbol.execute import execute

NAMES = (
    "dequantize quantize quantize_asym quantize_v2 quantized_act quantized_batch_norm quantized_concat "
    "quantized_conv quantized_elemwise_add quantized_elemwise_mul quantized_embedding quantized_flatten "
    "quantized_fully_connected quantized_pooling requantize"
).split()


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    assert callable(getattr(nd.contrib, name))
    assert callable(getattr(sym.contrib, name))


def test_the_operator_of_onednn_alone_says_why_it_is_absent():
    with pytest.raises(UnknownOperatorError, match="oneDNN alone has it"):
        find("_contrib_quantized_rnn")


# ---- a network


def parameters(rng):
    return {
        "w1": rng.standard_normal((8, 3, 3, 3)).astype(np.float32) / 5,
        "b1": rng.standard_normal(8).astype(np.float32) / 5,
        "w2": rng.standard_normal((5, 8)).astype(np.float32) / 3,
        "b2": rng.standard_normal(5).astype(np.float32) / 3,
    }


def in_float32():
    x = sym.Convolution(sym.var("x"), sym.var("w1"), sym.var("b1"), kernel=(3, 3), num_filter=8, pad=(1, 1))
    x = sym.Pooling(sym.relu(x), global_pool=True, kernel=(1, 1), pool_type="avg")
    return sym.FullyConnected(x, sym.var("w2"), sym.var("b2"), num_hidden=5)


def layer(function, x, names, **attributes):
    """A quantized layer, whose parameters are quantized in the graph, requantized."""
    parts = [sym.contrib.quantize_v2(sym.var(name), out_type="int8") for name in names]
    numbers = [x[0], *(p[0] for p in parts)]
    ranges = [x[1], x[2], *(p[i] for p in parts for i in (1, 2))]
    y = function(*numbers, *ranges, **attributes)
    return sym.contrib.requantize(*y, out_type="int8")


def quantized(out_type):
    x = sym.contrib.quantize_v2(sym.var("x"), out_type=out_type)
    c = sym.contrib
    x = layer(c.quantized_conv, x, ("w1", "b1"), kernel=(3, 3), num_filter=8, pad=(1, 1))
    x = c.quantized_pooling(
        *c.quantized_act(*x, act_type="relu"), global_pool=True, kernel=(1, 1), pool_type="avg"
    )
    x = layer(c.quantized_fully_connected, c.quantized_flatten(*x), ("w2", "b2"), num_hidden=5)
    return c.dequantize(*x)


def on_kernels(symbol, arrays):
    return [y.asnumpy() for y in execute(symbol, {name: NDArray(a) for name, a in arrays.items()})]


@pytest.mark.parametrize("out_type", ["int8", "uint8"])
def test_a_quantized_network_is_near_that_of_float32(rng, out_type):
    arrays = {**parameters(rng), "x": rng.uniform(0, 2, (4, 3, 9, 8)).astype(np.float32)}
    (expected,), (got,) = on_kernels(in_float32(), arrays), on_kernels(quantized(out_type), arrays)
    assert np.abs(got - expected).max() < 0.04 * np.abs(expected).max()


def session(symbol, specs, opset):
    model = to_onnx.check(to_onnx.lower(symbol, specs, {}, opset=opset), {}).model
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("out_type", ["int8", "uint8"])
@pytest.mark.parametrize("opset", [13, 18, 21])
def test_one_file_for_all_batches(rng, opset, out_type):
    weights, symbol = parameters(rng), quantized(out_type)
    specs = {name: Spec(a.shape, a.dtype) for name, a in weights.items()}
    specs["x"] = Spec((SymbolicDim.named("batch"), 3, 9, 8), np.dtype("float32"))
    run = session(symbol, specs, opset)
    for batch in (1, 2, 7):
        arrays = {**weights, "x": rng.uniform(-1, 2, (batch, 3, 9, 8)).astype(np.float32)}
        (expected,) = on_kernels(symbol, arrays)
        np.testing.assert_array_equal(run.run(None, arrays)[0], expected)


FREE = {
    "act": lambda c, x, e: c.quantized_act(x, *e[:2], act_type="relu"),
    "flatten": lambda c, x, e: c.quantized_flatten(x, *e[:2]),
    "concat": lambda c, x, e: c.quantized_concat(x, x, *e, num_args=2, dim=2),
    "add": lambda c, x, e: c.quantized_elemwise_add(x, x, *e),
    "mul": lambda c, x, e: c.quantized_elemwise_mul(x, x, *e),
    "max": lambda c, x, e: c.quantized_pooling(x, *e[:2], kernel=(2, 2)),
    "avg": lambda c, x, e: c.quantized_pooling(x, *e[:2], kernel=(2, 2), pool_type="avg", pad=(1, 1)),
}


@pytest.mark.parametrize("name", FREE)
def test_free_axes(rng, name):
    x, e = sym.var("x"), [sym.var(f"e{i}") for i in range(4)]
    symbol = sym.Group(list(FREE[name](sym.contrib, x, e)))
    read = [n for n in symbol.list_arguments() if n != "x"]
    ends = dict(zip(read, np.float32([[-1], [2], [-3], [1]]), strict=False))
    specs = {n: Spec((1,), np.dtype("float32")) for n in read}
    names = (SymbolicDim.named(n) for n in "nchw")
    run = session(symbol, {"x": Spec(tuple(names), np.dtype("int8")), **specs}, 18)
    for shape in ((1, 2, 7, 2), (7, 1, 2, 3), (2, 7, 3, 5)):
        arrays = {"x": rng.integers(-128, 128, shape).astype(np.int8), **ends}
        for a, b in zip(run.run(None, arrays), on_kernels(symbol, arrays), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("extremes", [(255, 127), (255, -128), (0, -128), (127, 127), (-128, -128)])
def test_sums_of_extreme_products_are_exact(extremes):
    """Kernels of uint8 times int8 saturate on processors without VNNI; the files have uint8 on both sides."""
    a, b = extremes
    dtype = "uint8" if a in (0, 255) else "int8"
    x, w = np.full((2, 700), a, dtype), np.full((3, 700), b, np.int8)
    ends = np.float32([[-1], [1], [-1], [1]])
    names = ["x", "w", "e0", "e1", "e2", "e3"]
    symbol = sym.contrib.quantized_fully_connected(*map(sym.var, names), num_hidden=3, no_bias=True)[0]
    arrays = dict(zip(names, (x, w, *ends), strict=True))
    run = session(symbol, {n: Spec(v.shape, v.dtype) for n, v in arrays.items()}, 18)
    read = [i.name for i in run.get_inputs()]
    assert (run.run(None, {n: arrays[n] for n in read})[0] == 700 * a * b).all()
    assert (on_kernels(symbol, arrays)[0] == 700 * a * b).all()


def test_a_layer_without_bias_takes_its_ranges_by_position():
    x, w = nd.array([[1, 2], [3, 4]], dtype="int8"), nd.array([[5, 6]], dtype="int8")
    low, high = nd.array([-127.0]), nd.array([127.0])
    ranges = {"min_data": low, "max_data": high, "min_weight": low, "max_weight": high}
    layer = nd.contrib.quantized_fully_connected
    for y, _, top in (
        layer(x, w, low, high, low, high, num_hidden=1, no_bias=True),
        layer(x, w, None, low, high, low, high, num_hidden=1, no_bias=True),
        layer(x, w, num_hidden=1, no_bias=True, **ranges),
    ):
        assert y.asnumpy().tolist() == [[17], [39]]
        assert top.asscalar() == 2.0**31


# ---- import


def nodes(op_type, x, weights, opset=21, **attributes):
    """A model of one node, of which `x` is the input."""
    names = [f"w{i}" if w is not None else "" for i, w in enumerate(weights)]
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    result = TensorProto.FLOAT if op_type == "DequantizeLinear" else TensorProto.INT32
    graph = helper.make_graph(
        [helper.make_node(op_type, ["x", *names], ["y"], **attributes)],
        "test",
        [helper.make_tensor_value_info("x", kind, x.shape)],
        [helper.make_tensor_value_info("y", result, None)],
        [numpy_helper.from_array(np.asarray(w), n) for w, n in zip(weights, names, strict=True) if n],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


U8 = np.arange(2 * 3 * 4 * 5, dtype=np.uint8).reshape(2, 3, 4, 5) * 2
SCALES = np.array([0.5, 2.0, 0.25], np.float32)
IMPORTED = {
    "scalar": ("DequantizeLinear", U8, [np.float32(0.5), np.uint8(128)], {}),
    "no zero": ("DequantizeLinear", U8.astype(np.int8), [np.float32(0.5)], {}),
    "axis": ("DequantizeLinear", U8, [SCALES, np.array([1, 128, 255], np.uint8)], {}),
    "last axis": ("DequantizeLinear", U8[..., :3], [SCALES], {"axis": -1}),
    "int32": ("DequantizeLinear", U8.astype(np.int32), [SCALES], {"axis": 1}),
    "matmul": ("MatMulInteger", U8, [U8[0, 0].T.copy(), np.uint8(7), np.uint8(200)], {}),
    "matmul columns": ("MatMulInteger", U8, [U8[0, 0].T.copy(), np.uint8(7), np.uint8([1, 2, 3, 4])], {}),
    "matmul plain": ("MatMulInteger", U8[0, 0], [U8[0, 1].T.copy()], {}),
    "conv": (
        "ConvInteger",
        U8,
        [U8[:, :, :3, :2].copy(), np.uint8(9), np.uint8(100)],
        {"pads": [1, 0, 2, 1]},
    ),
    "conv plain": ("ConvInteger", U8, [U8[:, :, :3, :2].copy()], {"strides": [2, 1]}),
}


@pytest.mark.parametrize("name", IMPORTED)
def test_import(name):
    op_type, x, weights, attributes = IMPORTED[name]
    model = nodes(op_type, np.ascontiguousarray(x), weights, **attributes)
    expected = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    result = from_onnx.import_model(model)
    arrays = {**{k: v.asnumpy() for d in result[1:] for k, v in d.items()}, "x": np.ascontiguousarray(x)}
    (y,) = on_kernels(result[0], arrays)
    np.testing.assert_array_equal(y, expected.run(None, {"x": np.ascontiguousarray(x)})[0])


# ---- refusals

ONE, TWO = nd.array([-1.0]), nd.array([1.0])
I8 = nd.zeros((2, 3, 4, 4), dtype="int8")
REFUSED = {
    "floats": (
        DTypeError,
        "data of int8 or uint8 is required, got float32",
        lambda c: c.dequantize(nd.ones(3), ONE, TWO),
    ),
    "float64": (DTypeError, "data of float32", lambda c: c.quantize(nd.ones(3, dtype="float64"), ONE, TWO)),
    "range": (ShapeError, "min_range of shape (1,)", lambda c: c.quantize(nd.ones(3), nd.ones(2), TWO)),
    "ranges of int8": (
        DTypeError,
        "min_data of float32",
        lambda c: c.quantized_flatten(I8, nd.zeros(1, dtype="int8"), TWO),
    ),
    "quantized as another": (
        DTypeError,
        "out_type int8 or auto",
        lambda c: c.quantize_v2(I8, out_type="uint8"),
    ),
    "limits": (
        AttributeValueError,
        "above max_calib_range 1.0, got 2.0",
        lambda c: c.quantize_v2(ONE, min_calib_range=2, max_calib_range=1),
    ),
    "nothing": (ShapeError, "data with elements", lambda c: c.quantize_v2(nd.zeros((0, 2)))),
    "no sums": (DTypeError, "data of int32", lambda c: c.requantize(I8, ONE, TWO)),
    "tanh": (
        AttributeValueError,
        "relu is required, got tanh",
        lambda c: c.quantized_act(I8, ONE, TWO, act_type="tanh"),
    ),
    "sum": (
        AttributeValueError,
        "avg or max is required, got sum",
        lambda c: c.quantized_pooling(I8, ONE, TWO, kernel=(2, 2), pool_type="sum"),
    ),
    "layout": (
        AttributeValueError,
        "got layout NHWC",
        lambda c: c.quantized_pooling(I8, ONE, TWO, kernel=(2, 2), layout="NHWC"),
    ),
    "1 axis": (AttributeValueError, "1 axes", lambda c: c.quantized_pooling(I8[0], ONE, TWO, kernel=(2,))),
    "3 axes": (ShapeError, "4 or 5 axes", lambda c: c.quantized_pooling(I8[0], ONE, TWO, kernel=(2, 2))),
    "groups": (
        AttributeValueError,
        "num_group 1 is required, got 2",
        lambda c: c.quantized_conv(
            I8, I8, ONE, TWO, ONE, TWO, kernel=(1, 1), num_filter=2, num_group=2, no_bias=True
        ),
    ),
    "uint8 product": (
        DTypeError,
        "lhs of int8",
        lambda c: c.quantized_elemwise_mul(I8.astype("uint8"), I8, ONE, TWO, ONE, TWO),
    ),
    "shapes": (ShapeError, "equal shapes", lambda c: c.quantized_elemwise_add(I8, I8[0], ONE, TWO, ONE, TWO)),
    "bias": (
        DTypeError,
        "bias of int8",
        lambda c: c.quantized_fully_connected(
            I8, nd.zeros((2, 48), dtype="int8"), nd.zeros(2), ONE, TWO, ONE, TWO, ONE, TWO, num_hidden=2
        ),
    ),
    "not calibrated": (
        AttributeValueError,
        "min_calib_range and max_calib_range",
        lambda c: c.quantized_batch_norm(I8, *[nd.ones(3)] * 4, ONE, TWO),
    ),
    "channels last": (
        AttributeValueError,
        "axis 1 is required, got 3",
        lambda c: c.quantized_batch_norm(
            I8, *[nd.ones(4)] * 4, ONE, TWO, axis=3, min_calib_range=-1, max_calib_range=1
        ),
    ),
    "a range too few": (
        MXNetError,
        "num_args is 2, but 5 inputs",
        lambda c: c.quantized_concat(I8, I8, ONE, TWO, ONE, num_args=2),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused(name):
    error, message, call = REFUSED[name]
    with pytest.raises(error, match=re.escape(message)):
        call(nd.contrib)


def test_scales_of_blocks_stay_a_node():
    model = nodes("DequantizeLinear", U8, [np.ones((2, 3, 2, 5), np.float32)], axis=2, block_size=2)
    symbol, _, _ = from_onnx.import_model(model)
    assert [node.op_name for node in symbol.nodes() if not node.is_variable] == ["_onnx_DequantizeLinear"]
