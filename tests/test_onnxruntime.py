"""What ONNX Runtime does to valid graphs, and the graphs written because of it: docs/onnxruntime.md."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, checker, helper, load, numpy_helper

import hybridonnx as mx
from hybridonnx.converters.to_onnx import lower
from hybridonnx.errors import MXNetError
from hybridonnx.ops import Spec
from hybridonnx.runtime import compile as compile_module
from hybridonnx.runtime import plan as plan_module
from hybridonnx.runtime import session as session_module
from hybridonnx.runtime.session import EMPTY_ARRAYS_END_PROCESS
from tests.runtimes import RELEASE

ROOT = Path(__file__).resolve().parents[1]
LEVELS = (0, 1, 99)
OPSETS = (13, 17, 18, 21)
PADDED = {"mode": "constant", "pad_width": (0, 0, 0, 0, 1, 1, 1, 1), "constant_value": 0}
X = mx.sym.var("x")


def run(model, feeds, level, **settings):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel(level)
    for name, value in settings.items():
        setattr(options, name, value)
    return ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"]).run(None, feeds)


def same(symbol, x, expected, opset=18, free=False, **more):
    """The symbol of x gives what is expected at every level."""
    feeds = {"x": x, **more}
    specs = {name: Spec((None, *a.shape[1:]) if free else a.shape, a.dtype) for name, a in feeds.items()}
    model = lower(symbol, specs, {}, opset=opset).model
    checker.check_model(model, full_check=True)
    for level in LEVELS:
        (y,) = run(model, feeds, level)
        np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6, err_msg=f"level {level}")
    return model


# ---- Pad before a pool


def minus_ones(*shape, dtype="float32"):
    return np.full(shape, -1, dtype)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("free", [False, True])
def test_zeros_around_a_max_pool(opset, dtype, free):
    y = mx.sym.Pooling(mx.sym.Pad(X, **PADDED), kernel=(2, 2), stride=(2, 2))
    same(y, minus_ones(2, 1, 4, 4, dtype=dtype), [[[[0, 0, 0], [0, -1, 0], [0, 0, 0]]]] * 2, opset, free)


def test_zeros_around_a_hybridized_max_pool():
    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.Pooling(F.Pad(x, **PADDED), kernel=(2, 2), stride=(2, 2))

    net = Net()
    net.hybridize()
    y = net(mx.nd.array(minus_ones(1, 1, 4, 4)))
    assert y.asnumpy().tolist() == [[[[0, 0, 0], [0, -1, 0], [0, 0, 0]]]]


@pytest.mark.parametrize("opset", OPSETS)
def test_zeros_that_a_mean_leaves_before_a_max_pool(opset):
    """The windows behind the data have mean 0, which must take part in the maximum."""
    mean = mx.sym.Pooling(
        X, pool_type="avg", kernel=(2, 2), stride=(2, 2), pad=(1, 1), pooling_convention="full"
    )
    maximum = mx.sym.Pooling(mean, kernel=(2, 2), stride=(2, 2))
    # means over padded windows of fives: a quarter of -1 in the corner, halves beside it, and -1 inside
    same(maximum, minus_ones(2, 1, 5, 5), [[[[-0.25, 0], [0, 0]]]] * 2, opset)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_zeros_as_wide_as_the_kernel(opset, kind):
    y = mx.sym.Pooling(mx.sym.Pad(X, **PADDED), kernel=(1, 1), pool_type=kind)
    same(y, minus_ones(1, 1, 2, 2), np.pad(minus_ones(1, 1, 2, 2), ((0, 0), (0, 0), (1, 1), (1, 1))), opset)


@pytest.mark.parametrize("between", ["identity", "Dropout", "BlockGrad"])
def test_zeros_with_something_between(between):
    """Which optimization takes away first."""
    y = mx.sym.Pooling(getattr(mx.sym, between)(mx.sym.Pad(X, **PADDED)), kernel=(2, 2), stride=(2, 2))
    same(y, minus_ones(1, 1, 2, 2), [[[[0, 0], [0, 0]]]])


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("width", [(0, 0, 0, 0, 1, 1, 1, 1), (0, 0, 0, 0, 0, 2, 1, 0)])
def test_zeros_between_transposes(opset, width, rng):
    """ONNX Runtime moves a Transpose past the Pad, and permutes the widths of all axes, named or not."""
    x = rng.standard_normal((1, 5, 6, 3)).astype("float32")
    padded = mx.sym.Pad(mx.sym.transpose(X, axes=(0, 3, 1, 2)), mode="constant", pad_width=width)
    y = mx.sym.transpose(mx.sym.Pooling(padded, kernel=(1, 1)), axes=(0, 2, 3, 1))
    pairs = np.array(width).reshape(4, 2)[[0, 2, 3, 1]]
    same(y, x, np.pad(x, pairs), opset)


@pytest.mark.parametrize("opset", OPSETS)
def test_zeros_around_a_weight(opset):
    w = mx.sym.var("w")
    y = mx.sym.Convolution(w, mx.sym.Pad(X, **PADDED), kernel=(3, 3), num_filter=1, no_bias=True)
    x = np.full((1, 1, 1, 1), 2, np.float32)
    same(y, x, [[[[10]]]], opset, w=np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3))


def test_zeros_around_a_convolution_are_its_own(tmp_path):
    """Where it is right, nothing keeps ONNX Runtime from doing it."""
    padded = mx.sym.Pad(X, **PADDED)
    y = mx.sym.Convolution(padded, mx.sym.ones((1, 1, 3, 3)), kernel=(3, 3), num_filter=1, no_bias=True)
    model = same(y, minus_ones(1, 1, 1, 1), [[[[-1]]]])
    path = tmp_path / "optimized.onnx"
    run(model, {"x": minus_ones(1, 1, 1, 1)}, 1, optimized_model_filepath=str(path))
    assert [node.op_type for node in load(path).graph.node] == ["Conv"]


# ---- other optimizations


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize(
    ("apply", "expected"),
    [
        (lambda x: 1 / (x + 1e-50), 1e50),
        (lambda x: 1 / (x - 1e-50), -1e50),
        (lambda x: ((x + 3) * (1 + 1e-12) - 3) * 1e12, 3),
        (lambda x: ((x + 3) / (1 - 1e-12) - 3) * 1e12, 3),
    ],
)
def test_numbers_that_float32_does_not_tell_from_0_and_1(apply, expected, opset):
    model = lower(apply(X), {"x": Spec((2,), np.dtype("float64"))}, {}, opset=opset).model
    for level in LEVELS:
        np.testing.assert_allclose(run(model, {"x": np.zeros(2)}, level)[0], expected, rtol=1e-3)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize(
    "apply",
    [
        lambda a, b: mx.sym.dot(a, b) / 3,
        lambda a, b: mx.sym.dot(a, b) * 0.1,
        lambda a, b: mx.sym.dot(a / 3, b) * 0.7,
        lambda a, b: mx.sym.dot(mx.sym.identity(mx.sym.dot(a, b)) / 7, b),
    ],
)
def test_multiples_of_products_in_float64(apply, opset, rng):
    a, b = rng.standard_normal((2, 5, 5))
    specs = {name: Spec((5, 5), np.dtype("float64")) for name in "xw"}
    model = lower(apply(X, mx.sym.var("w")), specs, {}, opset=opset).model
    exact = run(model, {"x": a, "w": b}, 0)[0]
    for level in LEVELS:
        np.testing.assert_allclose(run(model, {"x": a, "w": b}, level)[0], exact, rtol=1e-13)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("left", [False, True])
def test_product_with_a_reciprocal(left, dtype, opset):
    x = np.array([[0.5, 2.0, 4.0]], dtype)
    factors = [mx.sym.identity(mx.sym.exp(X)), 1 / X]
    y = mx.sym.elemwise_mul(*factors[:: -1 if left else 1])
    same(y, x, np.exp(x) / x, opset)
    same(y, x, np.exp(x) / x, opset, free=True)


def test_hybridized_gradient_that_multiplies_by_a_reciprocal():
    x = mx.nd.array([[0.5, 2.0, 4.0]])
    x.attach_grad()
    net = mx.gluon.nn.HybridLambda(lambda F, x: F.broadcast_mul(x, F.log(x)))
    net.hybridize()
    with mx.autograd.record():
        y = net(x)
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), np.log(x.asnumpy()) + 1, rtol=1e-6)


@pytest.mark.parametrize("opset", OPSETS)
def test_relu_before_clip_in_float64(opset):
    y = mx.sym.clip(mx.sym.relu(X), a_min=0, a_max=6)
    same(y, np.array([-1.0, 2.0, 7.0, np.nan]), [0, 2, 6, np.nan], opset)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("between", ["int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_truncated_numbers_as_bool(dtype, between, opset):
    """The integers between must not be left out, as up to version 1.25: 0.5 is true, the integer 0 is not."""
    y = mx.sym.Cast(mx.sym.BlockGrad(mx.sym.Cast(X, dtype=between)), dtype="bool")
    same(y, np.array([0, 0.3, 0.9, 1, 2.5], dtype), [False, False, False, True, True], opset)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axes", [(1, 0), (0, 2, 1), (2, 0, 1)])
def test_product_of_a_transposed_matrix_and_a_vector(axes, dtype, opset):
    x = np.arange(2 * 3 * 4, dtype=dtype).reshape((6, 4) if len(axes) == 2 else (2, 3, 4))
    turned = np.transpose(x, axes)
    v = np.arange(turned.shape[-1], dtype=dtype) - 1
    for y in (mx.sym.transpose(X, axes=axes), mx.sym.BlockGrad(mx.sym.transpose(X, axes=axes))):
        same(mx.sym.dot(y, mx.sym.var("v")), x, turned @ v, opset, v=v)


def test_hybridized_product_of_a_transposed_matrix_and_a_vector():
    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x, v):
            return F.dot(x, v, transpose_a=True)

    net = Net()
    net.hybridize()
    x, v = mx.nd.array([[1, 2, 3], [4, 5, 6]]), mx.nd.array([1, -1])
    assert net(x, v).asnumpy().tolist() == [-3, -3, -3]


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("shapes", [((2, 3, 4), (2, 5, 4)), ((1, 3, 4), (1, 5, 4))])
def test_product_with_a_transposed_matrix_in_float64(shapes, opset):
    x, w = (np.arange(np.prod(shape), dtype=np.float64).reshape(shape) for shape in shapes)
    y = mx.sym.batch_dot(X, mx.sym.var("w"), transpose_b=True)
    same(y, x, x @ np.swapaxes(w, 1, 2), opset, w=w)


@pytest.mark.parametrize(
    ("name", "attributes", "exact"),
    [
        ("sinh", {}, np.sinh),
        ("arcsinh", {}, np.arcsinh),
        ("arctanh", {}, np.arctanh),
        ("expm1", {}, np.expm1),
        ("log1p", {}, np.log1p),
        ("LeakyReLU", {"act_type": "elu", "slope": 1.0}, lambda x: np.where(x > 0, x, np.expm1(x))),
    ],
)
def test_digits_of_float64_near_0(name, attributes, exact):
    x = np.array([-1e-3, -1e-8, -1e-17, 1e-17, 1e-8, 1e-3])
    model = lower(getattr(mx.sym, name)(X, **attributes), {"x": Spec(x.shape, x.dtype)}, {}).model
    for level in LEVELS:
        np.testing.assert_allclose(run(model, {"x": x}, level)[0], exact(x), rtol=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_small_sigmoids(dtype):
    """The kernels have every digit of them, ONNX Runtime those of float64 as they are written."""
    x = np.array([-80, -30, -18, -5, 0, 5], dtype)
    expected = 1 / (1 + np.exp(-x.astype(np.float64)))
    for make in (mx.nd.sigmoid, lambda v: mx.nd.Activation(v, act_type="sigmoid")):
        y = make(mx.nd.array(x, dtype=dtype)).asnumpy()
        np.testing.assert_allclose(y, expected, rtol=1e-6 if dtype == "float32" else 1e-14)
    if dtype == "float64":
        model = lower(mx.sym.sigmoid(X), {"x": Spec(x.shape, x.dtype)}, {}).model
        np.testing.assert_allclose(run(model, {"x": x}, 99)[0], expected, rtol=1e-14)


def test_epsilon_of_a_normalization_in_float64():
    """An attribute of ONNX has float32's digits alone."""
    names = ("gamma", "beta", "moving_mean", "moving_var")
    y = mx.sym.BatchNorm(X, *[mx.sym.var(n) for n in names], eps=1e-3, fix_gamma=False)
    x = np.array([[1.0, -2.0, 3.0]])
    vectors = dict(zip(names, (np.ones(3), np.zeros(3), np.zeros(3), np.full(3, 1e-4)), strict=True))
    model = lower(y, {"x": Spec(x.shape, x.dtype)}, vectors).model
    np.testing.assert_allclose(run(model, {"x": x}, 99)[0], x / np.sqrt(1e-4 + 1e-3), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize(
    "move",
    [
        lambda y: mx.sym.slice(y, begin=(0,), end=(1,)),
        lambda y: mx.sym.reverse(y, axis=0),
        lambda y: mx.sym.transpose(y),
        lambda y: mx.sym.Reshape(y, shape=(-1,)),
    ],
)
def test_dequantized_bytes_that_move(move, dtype, opset):
    x = np.array([[-7, 100, 3], [-128, 5, 0]]).astype(dtype)
    ends = mx.sym.full((1,), -51.0), mx.sym.full((1,), 51.0)
    y = move(mx.sym.contrib.dequantize(X, *ends))
    want = {"slice": x[:1], "reverse": x[::-1], "transpose": x.T, "reshape": x.ravel()}
    expected = want[y.name.rstrip("0123456789")] * (0.4 if dtype == "int8" else 51 / 255.5)
    same(y, x, expected, opset)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("opset", OPSETS)
def test_products_of_bytes(dtype, opset):
    a, b = np.arange(12, dtype=dtype).reshape(3, 4), np.arange(20, dtype=dtype).reshape(4, 5)
    same(mx.sym.dot(X, mx.sym.var("b")), a, a @ b, opset, b=b)


def test_numbers_that_are_repeated_no_times():
    y = mx.sym.abs(mx.sym.broadcast_like(mx.sym.negative(X), mx.sym.var("like")))
    same(y, minus_ones(2, 1), np.zeros((2, 0)), like=np.zeros((2, 0), np.float32))


def test_means_of_no_images():
    x = np.zeros((0, 3, 5, 4), np.float32)
    same(mx.sym.contrib.AdaptiveAvgPooling2D(X, output_size=(3, 3)), x, np.zeros((0, 3, 3, 3)))


@pytest.mark.parametrize("shapes", [((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3, 0), (0, 4))])
def test_products_of_nothing(shapes):
    a, b = (np.zeros(shape, np.float32) for shape in shapes)
    same(mx.sym.dot(X, mx.sym.var("b")), a, a @ b, b=b)


def test_parts_of_bool():
    x, part = np.array([True, False, True]), np.array([False])
    y = mx.sym._internal._slice_assign(X, mx.sym.var("part"), begin=(0,), end=(1,))
    same(y, x, [False, False, True], part=part)


@pytest.mark.parametrize("make", [mx.sym.sigmoid, lambda x: mx.sym.Activation(x, act_type="sigmoid")])
def test_logarithm_of_a_sigmoid(make):
    x = np.array([-80, -30, -3, 0, 3, 30], np.float32)
    same(mx.sym.log(make(X)), x, -np.log1p(np.exp(-x.astype(np.float64))))


@pytest.mark.parametrize("shape", [(0, 5, 3), (2, 0, 3)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_beside_an_empty_axis(shape, keepdims):
    x = np.zeros(shape, np.float32)
    same(mx.sym.sum(X, axis=2, keepdims=keepdims), x, x.sum(2, keepdims=keepdims))


@pytest.mark.parametrize("shape", [(2, 3, 0), (0, 3, 4)])
def test_instance_normalization_of_nothing(shape):
    vectors = {"gamma": np.ones(3, np.float32), "beta": np.zeros(3, np.float32)}
    y = mx.sym.InstanceNorm(X, mx.sym.var("gamma"), mx.sym.var("beta"))
    same(y, np.zeros(shape, np.float32), np.zeros(shape), **vectors)


# ---- each fault is still there; what is done about it may go where a test fails


def model_of(nodes, feeds, constants, kind, rank):
    return helper.make_model(
        helper.make_graph(
            nodes,
            "fault",
            [
                helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
                for k, v in feeds.items()
            ],
            [helper.make_tensor_value_info("y", kind, [None] * rank)],
            [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()],
        ),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=8,
    )


ZEROS = {"pads": np.array([0, 0, 1, 1, 0, 0, 1, 1]), "zero": np.float32(0)}
AROUND = helper.make_node("Pad", ["x", "pads", "zero"], ["p"])
ONES = minus_ones(1, 1, 4, 4)


def pool(kind, kernel=2, **attributes):
    attributes |= {"kernel_shape": [kernel] * 2, "strides": [2, 2], "pads": [0, 0, 0, 0]}
    return helper.make_node(kind, ["p"], ["y"], **attributes)


CHANGED = {
    "zeros of a max pool": ([AROUND, pool("MaxPool")], {"x": ONES}, ZEROS),
    "zeros of a mean with ceil_mode": (
        [AROUND, pool("AveragePool", 3, ceil_mode=1, count_include_pad=1)],
        {"x": ONES},
        ZEROS | {"pads": np.array([0, 0, 0, 0, 0, 0, 2, 2])},
    ),
    "a transposed matrix and a vector": (
        [
            helper.make_node("Transpose", ["x"], ["t"], perm=[0, 1, 3, 2]),
            helper.make_node("MatMul", ["t", "v"], ["a"]),
            helper.make_node("Unsqueeze", ["a", "last"], ["y"]),
        ],
        {"x": np.arange(6, dtype=np.float32).reshape(1, 1, 2, 3)},
        {"v": np.array([1, -1], np.float32), "last": np.array([3])},
    ),
    "1e-50 is 0": (
        [
            helper.make_node("Abs", ["x"], ["a"]),
            helper.make_node("Add", ["a", "c"], ["b"]),
            helper.make_node("Reciprocal", ["b"], ["y"]),
        ],
        {"x": np.zeros(2)},
        {"c": np.float64(1e-50)},
    ),
    "1 + 1e-9 is 1": (
        [
            helper.make_node("Abs", ["x"], ["a"]),
            helper.make_node("Mul", ["a", "c"], ["b"]),
            helper.make_node("Neg", ["b"], ["y"]),
        ],
        {"x": np.ones(2)},
        {"c": np.float64(1 + 1e-9)},
    ),
    "a zero point of int8 that is left out": (
        [
            helper.make_node("Cast", ["x"], ["a"], to=TensorProto.INT8),
            helper.make_node("DequantizeLinear", ["a", "c"], ["b"]),
            helper.make_node("Transpose", ["b"], ["y"], perm=[1, 0]),
        ],
        {"x": np.full((2, 3), -1, np.float32)},
        {"c": np.float32(0.5)},
    ),
}
REFUSED = {
    "zeros as wide as the kernel": (
        [AROUND, pool("AveragePool", 1, count_include_pad=1)],
        {"x": ONES},
        ZEROS,
    ),
    "zeros of a weight": (
        [AROUND, helper.make_node("Conv", ["w", "p"], ["y"], pads=[0, 0, 0, 0])],
        {"x": ONES, "w": minus_ones(1, 1, 9, 9)},
        ZEROS,
    ),
    "Clip after Relu in float64": (
        [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Clip", ["a", "c", "d"], ["y"])],
        {"x": np.ones(2)},
        {"c": np.float64(-1), "d": np.float64(6)},
    ),
    "a reciprocal beside an Identity": (
        [
            helper.make_node("Exp", ["x"], ["a"]),
            helper.make_node("Identity", ["a"], ["b"]),
            helper.make_node("Div", ["c", "x"], ["r"]),
            helper.make_node("Mul", ["b", "r"], ["y"]),
        ],
        {"x": np.ones(2, np.float32)},
        {"c": np.float32(1)},
    ),
}


def fault(nodes, feeds, constants):
    kind = helper.np_dtype_to_tensor_dtype(feeds["x"].dtype)
    model = model_of(nodes, feeds, constants, kind, feeds["x"].ndim)
    checker.check_model(model)
    return model, feeds


since_1_28 = pytest.mark.skipif(RELEASE < (1, 28), reason="older ONNX Runtimes do not have the fault")
before_1_32 = pytest.mark.skipif(RELEASE >= (1, 32), reason="ONNX Runtime 1.32 has mended it")
MENDED_IN_1_32 = {"zeros of a max pool", "zeros of a mean with ceil_mode", "zeros as wide as the kernel"}


def is_mended(name):
    """Whether the installed ONNX Runtime no longer has a fault, which we go around for older ones."""
    return RELEASE >= (1, 32) and name in MENDED_IN_1_32


@pytest.mark.parametrize("name", CHANGED)
def test_optimizations_still_change(name):
    model, feeds = fault(*CHANGED[name])
    (right,), (wrong,) = (run(model, feeds, level) for level in (0, 99))
    assert np.array_equal(right, wrong) == is_mended(name)


@pytest.mark.parametrize("name", REFUSED)
def test_optimizations_still_refuse(name):
    model, feeds = fault(*REFUSED[name])
    run(model, feeds, 0)
    if is_mended(name):
        run(model, feeds, 99)
        return
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        run(model, feeds, 99)


def one_node(op_type, x, *constants, kind=TensorProto.FLOAT, rank=1, **attributes):
    stored = {f"c{i}": c for i, c in enumerate(constants)}
    node = helper.make_node(op_type, ["x", *stored], ["y"], **attributes)
    return run(model_of([node], {"x": x}, stored, kind, rank), {"x": x}, 0)[0]


@since_1_28
def test_int8_with_a_zero_point_is_still_refused_at_opset_21():
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "c", "z"], ["b"]),
        helper.make_node("Transpose", ["b"], ["y"], perm=[1, 0]),
    ]
    x = np.full((2, 3), -1, np.int8)
    model = model_of(nodes, {"x": x}, {"c": np.float32(0.5), "z": np.int8(0)}, TensorProto.FLOAT, 2)
    model.opset_import[0].version, model.ir_version = 21, 10
    assert run(model, {"x": x}, 0)[0].tolist() == [[-0.5, -0.5]] * 3
    with pytest.raises(Exception, match="does not match y_zero_point type"):
        run(model, {"x": x}, 99)


def test_expand_to_no_elements_is_still_left_out():
    nodes = [
        helper.make_node("Neg", ["x"], ["a"]),
        helper.make_node("Expand", ["a", "s"], ["b"]),
        helper.make_node("Neg", ["b"], ["y"]),
    ]
    feeds = {"x": minus_ones(2, 1)}
    model = model_of(nodes, feeds, {"s": np.array([2, 0])}, TensorProto.FLOAT, 2)
    assert [run(model, feeds, level)[0].shape for level in LEVELS] == [(2, 0), (2, 1), (2, 1)]


@before_1_32
def test_products_with_no_matrices_are_still_refused():
    x = np.zeros((0, 4, 5), np.float32)
    model = model_of(
        [helper.make_node("MatMul", ["a", "x"], ["y"])],
        {"x": x},
        {"a": minus_ones(3, 4)},
        TensorProto.FLOAT,
        3,
    )
    with pytest.raises(Exception, match="cannot broadcast"):
        run(model, {"x": x}, 0)


def test_sigmoid_still_ends_at_18():
    assert one_node("Sigmoid", np.array([-20], np.float32)).tolist() == [0]


def test_sigmoid_of_float64_still_loses_digits():
    y = one_node("Sigmoid", np.array([-30.0]), kind=TensorProto.DOUBLE)
    assert abs(y[0] / (1 / (1 + np.exp(30))) - 1) > 1e-4


@before_1_32
def test_reductions_of_nothing_still_mistake_negative_axes():
    nodes = [
        helper.make_node("ReduceSum", ["x", "axes"], ["sum"], keepdims=0),
        helper.make_node("Identity", ["sum"], ["same"]),
        helper.make_node("Add", ["same", "beside"], ["y"]),
    ]
    feeds, constants = {"x": np.zeros((0, 5, 3), np.float32)}, {"axes": [-1], "beside": np.zeros((1, 5), "f")}
    with pytest.raises(Exception, match="Add"):
        run(model_of(nodes, feeds, constants, TensorProto.FLOAT, 2), feeds, 0)


def test_where_still_has_no_bool():
    x = np.ones(2, bool)
    with pytest.raises(Exception, match="NOT_IMPLEMENTED"):
        one_node("Where", x, x, x, kind=TensorProto.BOOL)


EMPTY_INSTANCES = """
import numpy as np
from onnx import TensorProto, helper
from tests.test_onnxruntime import model_of, run
nodes = [
    helper.make_node("Slice", ["x", "zero", "zero", "two"], ["a"]),
    helper.make_node("InstanceNormalization", ["a", "one", "one"], ["y"]),
]
feeds = {"x": np.ones((2, 3, 4, 5), np.float32)}
constants = {"zero": [0], "two": [2], "one": np.ones(3, np.float32)}
run(model_of(nodes, feeds, constants, TensorProto.FLOAT, 4), feeds, 0)
"""


def test_instance_normalization_still_ends_the_process():
    done = subprocess.run([sys.executable, "-c", EMPTY_INSTANCES], capture_output=True, check=False)
    assert done.returncode < 0, done.stderr


NO_POSITIONS = """
import numpy as np
from onnx import TensorProto, helper
from tests.test_onnxruntime import model_of, run
nodes = [
    helper.make_node("Transpose", ["a"], ["rows"], perm=[1, 0, 2]),
    helper.make_node("MatMul", ["rows", "b"], ["y"]),
]
feeds = {"a": np.ones((0, 3, 2), np.float32), "b": np.ones((3, 2, 2), np.float32)}
run(model_of(nodes, feeds, {}, TensorProto.FLOAT, 3), feeds, 99)
"""


@before_1_32
def test_product_of_no_rows_behind_a_batch_axis_still_ends_the_process():
    done = subprocess.run([sys.executable, "-c", NO_POSITIONS], capture_output=True, check=False)
    assert done.returncode < 0, done.stderr


EMPTY_TOP = """
import numpy as np
from onnx import TensorProto, helper
from tests.test_onnxruntime import model_of, run
node = helper.make_node("TopK", ["x", "k"], ["y", "i"], axis=1)
feeds = {"x": np.ones((0, 4), np.float32)}
run(model_of([node], feeds, {"k": np.array([2])}, TensorProto.FLOAT, 2), feeds, 0)
"""


@pytest.mark.skipif(not EMPTY_ARRAYS_END_PROCESS, reason="newer ONNX Runtimes do not have the fault")
def test_arrays_without_elements_still_end_the_process():
    done = subprocess.run([sys.executable, "-c", EMPTY_TOP], capture_output=True, check=False)
    assert done.returncode < 0, done.stderr


def test_no_supported_runtime_without_the_fault_alone():
    """Else `EMPTY_ARRAYS_END_PROCESS` may go."""
    pins = (ROOT / ".ci" / "oldest.txt").read_text()
    assert re.search(r"onnxruntime==1\.(2[0-9]|30)\.", pins)


@pytest.fixture
def fragile(monkeypatch):
    """A runtime that arrays without elements end."""
    for module in (compile_module, plan_module):
        monkeypatch.setattr(module, "EMPTY_ARRAYS_END_PROCESS", True)


class Sums(mx.gluon.HybridBlock):
    """Two operators: a product of each element, and sums over the last axis."""

    def hybrid_forward(self, F, x):
        return F.sum(x * 3, axis=1)


@pytest.fixture
def sessions(monkeypatch):
    """The sessions that are made from now on."""
    made = []
    start = session_module._start
    monkeypatch.setattr(session_module, "_start", lambda *args: made.append(start(*args)) or made[-1])
    return made


def test_arrays_without_elements_go_to_kernels(fragile, sessions):
    net = Sums()
    net.hybridize()
    for shape in ((0, 3), (2, 0), (0, 3)):
        assert net(mx.nd.ones(shape)).asnumpy().tolist() == [0] * shape[0]
    assert not sessions
    assert net(mx.nd.ones((2, 3))).asnumpy().tolist() == [9, 9]
    assert len(sessions) == 1
    assert net(mx.nd.ones((0, 3))).shape == (0,)


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (2, 3)])
def test_gradients_of_arrays_without_elements_go_to_kernels(fragile, sessions, shape):
    net, x = Sums(), mx.nd.ones(shape)
    net.hybridize()
    x.attach_grad()
    with mx.autograd.record():
        y = net(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == np.full(shape, 3).tolist()
    assert bool(sessions) == (x.size > 0)


def test_training_graphs_that_are_refused_run_on_kernels(monkeypatch):
    """As of fixed sizes that an optimization does not bear."""

    def refuse(model, settings):
        raise MXNetError("ONNX Runtime does not accept the graph: as of today")

    monkeypatch.setattr(session_module, "_start", refuse)
    net, x = Sums(), mx.nd.ones((2, 3))
    net.hybridize()
    x.attach_grad()
    with mx.autograd.record():
        y = net(x)
    y.backward()
    assert y.asnumpy().tolist() == [9, 9]
    assert x.grad.asnumpy().tolist() == [[3, 3, 3]] * 2


# ---- what random chains have shown since


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_extremes_over_a_negative_axis_beside_one_of_size_0(name, keepdims):
    y = getattr(mx.sym, name)(X, axis=-1, keepdims=keepdims)
    same(y, np.zeros((0, 4, 3), "float32"), np.zeros((0, 4, 1) if keepdims else (0, 4)))


def test_softmax_of_lengths_over_nothing():
    x, length = mx.nd.array(np.ones((2, 0))), mx.nd.array([0, 0], dtype="int32")
    assert mx.nd.softmax(x, length, use_length=True).shape == (2, 0)


def test_picked_zeros_keep_their_sign():
    values = mx.nd.array(np.full((1, 1, 2, 2), -0.0))
    picked = mx.nd._internal._pool_pick(values, mx.nd.ones((1, 1, 2, 2)), kernel=(2, 2))
    assert np.signbit(picked.asnumpy()).all()


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_sorting_of_nothing(name):
    y = getattr(mx.sym, name)(X, axis=-1)
    same(y, np.zeros((3, 0, 4), "float32"), np.zeros((3, 0, 4), "float32"))


def test_col2im_of_one_dilated_axis_is_still_wrong():
    columns = np.ones((1, 4, 5), np.float32)
    node = helper.make_node("Col2Im", ["x", "size", "kernel"], ["y"], dilations=[2])
    model = model_of([node], {"x": columns}, {"size": [7], "kernel": [2]}, TensorProto.FLOAT, 3)
    (y,) = run(model, {"x": columns}, 0)
    assert y[0].tolist() != [[1, 1, 2, 2, 2, 1, 1]] * 2


@pytest.mark.parametrize(("dtype", "inverse"), [("float32", 0), ("float64", 1)])
def test_dft_still_loses_digits(dtype, inverse):
    x = np.random.RandomState(0).standard_normal((1, 1001, 1 + inverse)).astype(dtype)
    node = helper.make_node("DFT", ["x"], ["y"], axis=1, inverse=inverse)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    (y,) = run(model_of([node], {"x": x}, {}, kind, 3), {"x": x}, 0)
    complex_x = x[..., 0] + 1j * x[..., -1] * inverse
    expected = np.fft.ifft(complex_x) if inverse else np.fft.fft(complex_x)
    error = abs(y[..., 0] + 1j * y[..., 1] - expected).max() / abs(expected).max()
    assert error > {"float32": 1e-5, "float64": 1e-10}[dtype]


@since_1_28
def test_grid_sample_still_hides_nan():
    feeds = {"x": np.ones((1, 1, 2, 2), np.float32), "grid": np.full((1, 1, 1, 2), np.nan, np.float32)}
    node = helper.make_node("GridSample", ["x", "grid"], ["y"], align_corners=1, mode="bilinear")
    (y,) = run(model_of([node], feeds, {}, TensorProto.FLOAT, 4), feeds, 0)
    assert np.isfinite(y).all()


# ---- numbers beside columns


def number_ranks(model):
    """The number of axes of each constant of one element that arithmetic takes."""
    nodes = [node for node in model.graph.node if node.op_type in ("Add", "Mul", "Max")]
    names = {name for node in nodes for name in node.input}
    arrays = [numpy_helper.to_array(t) for t in model.graph.initializer if t.name in names]
    return [a.ndim for a in arrays if a.size == 1]


def test_numbers_beside_columns_have_as_many_axes():
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    columns = mx.sym.tanh(mx.sym.expand_dims(X, axis=2)) * 3 + 0.5
    assert number_ranks(same(columns, x, np.tanh(x)[:, :, None] * 3 + 0.5)) == [3, 3]
    assert number_ranks(same(columns, x, np.tanh(x)[:, :, None] * 3 + 0.5, free=True)) == [3, 3]


def test_numbers_beside_rows_and_reductions_have_no_axes():
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert number_ranks(same(mx.sym.tanh(X) * 3 + 0.5, x, np.tanh(x) * 3 + 0.5)) == [0, 0]
    sums = mx.sym.sum(X, axis=1, keepdims=True) + 0.5
    assert number_ranks(same(sums, x, x.sum(1, keepdims=True) + 0.5)) == [0]


@mx.util.use_np
class Scores(mx.gluon.HybridBlock):
    """What attention multiplies values by."""

    def hybrid_forward(self, F, x, y):
        return F.np.einsum("bhid,bhjd->bhij", x, y)


@mx.util.use_np
@pytest.mark.parametrize("recording", [False, True])
def test_sums_of_products_without_elements(recording):
    """ONNX Runtime's Einsum ends the process at these, of which the first size is free in a session."""
    net = Scores()
    net.hybridize()
    full = net(mx.np.ones((2, 2, 3, 4)), mx.np.ones((2, 2, 5, 4)))
    np.testing.assert_array_equal(full.asnumpy(), np.full((2, 2, 3, 5), 4))
    with mx.autograd.record() if recording else nullcontext():
        assert net(mx.np.zeros((0, 2, 3, 4)), mx.np.zeros((0, 2, 5, 4))).shape == (0, 2, 3, 5)
