"""Where ONNX and MXNet differ at the edge: NaN, zero divisors, nothing to reduce, integers, bounds."""

from __future__ import annotations

import itertools

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import hybridonnx as mx
from hybridonnx.converters.opsets import newest
from hybridonnx.dtypes import as_dtype
from hybridonnx.errors import BoundsError, MXNetError
from hybridonnx.ndarray.ndarray import NDArray
from tests.runtimes import ONNX, plain

NEWEST = newest()

INF, NAN = np.inf, np.nan
EDGES = np.array([0.0, -0.0, 1.5, -1.5, 5, -5, INF, -INF, NAN], np.float32)
BOTH = pytest.mark.parametrize("hybrid", [False, True])


def model(op_type, inputs, opset=20, constants=(), sizes=None, **attributes):
    """A model of one node. `constants` are the numbers of inputs that are constants; `sizes` are declared."""
    names = [f"x{i}" for i in range(len(inputs))]
    infos, tensors = [], []
    for i, (name, array) in enumerate(zip(names, inputs, strict=True)):
        if i in constants:
            tensors.append(numpy_helper.from_array(array, name))
        else:
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            infos.append(
                helper.make_tensor_value_info(name, kind, array.shape if sizes is None else sizes[i])
            )
    node = helper.make_node(op_type, names, ["y"], **attributes)
    output = helper.make_empty_tensor_value_info("y")
    graph = helper.make_graph([node], "graph", infos, [output], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def run(proto, inputs, hybrid):
    block = mx.onnx.import_to_gluon(proto.SerializeToString())
    block.hybridize(hybrid)
    return block(*[NDArray(x.copy()) for x in inputs]).asnumpy()


def check(proto, inputs, expected, hybrid, tmp_path, **tolerance):
    """The numbers, also those of the model that is exported again."""
    np.testing.assert_allclose(run(proto, inputs, hybrid), expected, **tolerance)
    block = mx.onnx.import_to_gluon(proto.SerializeToString())
    shapes, types = [x.shape for x in inputs], [x.dtype for x in inputs]
    path = mx.onnx.export_model(block, str(tmp_path / "again.onnx"), input_shapes=shapes, in_types=types)
    again = plain(onnx.load(path))(list(inputs))[0]
    np.testing.assert_allclose(again, expected, **tolerance)
    assert again.dtype == expected.dtype


@BOTH
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_the_sign_of_nan(hybrid, dtype, tmp_path):
    x = EDGES.astype(dtype)
    expected = np.where(np.isnan(x), x, np.sign(x))
    check(model("Sign", [x]), [x], expected, hybrid, tmp_path)


BFLOAT16 = {
    "Sign": ({}, 1, 13),
    "Mod": ({"fmod": 0}, 2, 13),
    "Mod with the dividend's sign": ({"fmod": 1}, 2, 13),
    "MaxPool": ({"kernel_shape": [2, 2], "pads": [1, 1, 0, 0]}, 1, 22),
    "Celu": ({"alpha": 0.5}, 1, 28),
    "ThresholdedRelu": ({"alpha": 0.5}, 1, 22),
}


@BOTH
@pytest.mark.parametrize("name", BFLOAT16)
def test_bfloat16_is_the_rounded_result_of_float32(name, hybrid, rng):
    """ONNX Runtime has no kernels for it; ONNX's reference pads MaxPool's axes in pairs."""
    attributes, count, opset = BFLOAT16[name]
    op_type, dtype = name.split()[0], as_dtype("bfloat16")
    inputs = [rng.choice(EDGES, 200), rng.choice(EDGES, 200)][:count]
    if op_type == "MaxPool":
        inputs = [rng.normal(size=(1, 2, 5, 5)).astype(np.float32)]
    inputs = [x.astype(dtype).astype(np.float32) for x in inputs]
    wide = model(op_type, inputs, opset=min(opset, 20), **attributes)
    with np.errstate(invalid="ignore"):
        expected = np.mod(*inputs) if attributes.get("fmod") == 0 else plain(wide)(inputs)[0]
    proto = model(op_type, [x.astype(dtype) for x in inputs], opset=min(opset, NEWEST), **attributes)
    y = run(proto, [x.astype(dtype) for x in inputs], hybrid)
    assert y.dtype == dtype
    np.testing.assert_array_equal(y.astype(np.float32), expected.astype(dtype).astype(np.float32))


@BOTH
@pytest.mark.parametrize("alpha", [1.0, 0.5])
@pytest.mark.parametrize("shape", [(), (2, 3)])
def test_celu_keeps_the_shape(hybrid, alpha, shape, tmp_path, rng):
    """The definition that ONNX gives makes a vector of a number."""
    x = np.asarray(rng.normal(size=shape), np.float32)
    proto = model("Celu", [x], alpha=alpha)
    y = run(proto, [x], hybrid)
    assert y.shape == shape
    check(proto, [x], plain(proto)([x])[0], hybrid, tmp_path, rtol=1e-5, atol=1e-7)


@BOTH
def test_nothing_is_above_a_threshold_that_is_not_above(hybrid, tmp_path):
    proto = model("ThresholdedRelu", [EDGES], alpha=1.25)
    check(proto, [EDGES], plain(proto)([EDGES])[0], hybrid, tmp_path)


@BOTH
@pytest.mark.parametrize("fmod", [0, 1])
def test_remainders_of_any_two_numbers(hybrid, fmod, tmp_path):
    a, b = (np.array(v, np.float32) for v in zip(*itertools.product(EDGES, EDGES), strict=True))
    with np.errstate(invalid="ignore"):
        expected = np.fmod(a, b) if fmod else np.mod(a, b)
    check(model("Mod", [a, b], fmod=fmod), [a, b], expected, hybrid, tmp_path, rtol=1e-6)


@BOTH
@pytest.mark.parametrize("fmod", [0, 1])
@pytest.mark.parametrize("divisor", [0.0, -0.0, 2.0, -1.25])
def test_remainders_by_a_constant(hybrid, fmod, divisor, tmp_path):
    b = np.array(divisor, np.float32)
    with np.errstate(invalid="ignore"):
        expected = np.fmod(EDGES, b) if fmod else np.mod(EDGES, b)
    proto = model("Mod", [EDGES, b], constants=[1], fmod=fmod)
    check(proto, [EDGES], expected, hybrid, tmp_path, rtol=1e-6)


@BOTH
@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
@pytest.mark.parametrize(("op_type", "sign"), [("ReduceMax", -1), ("ReduceMin", 1)])
def test_extremes_of_nothing(hybrid, dtype, op_type, sign, tmp_path):
    x = np.zeros((2, 0, 3), dtype)
    limits = np.iinfo(dtype) if np.dtype(dtype).kind == "i" else None
    bound = sign * INF if limits is None else limits.min if sign < 0 else limits.max
    for axes, shape in (([1], (2, 3)), ([0, 1, 2], ())):
        expected = np.full(shape or (1,), bound, dtype)
        proto = model(op_type, [x, np.array(axes)], constants=[1], keepdims=0)
        np.testing.assert_array_equal(np.reshape(run(proto, [x], hybrid), expected.shape), expected)
    proto = model(op_type, [x, np.array([1])], constants=[1])
    check(proto, [x], np.full((2, 1, 3), bound, dtype), hybrid, tmp_path)


@BOTH
def test_the_logarithm_of_sums_of_what_is_infinite(hybrid, tmp_path):
    x = np.array([[-INF, -INF], [INF, 1], [-INF, 2], [100, 101], [NAN, 1]], np.float32)
    expected = np.array([[-INF], [INF], [2], [101.31326], [NAN]], np.float32)
    check(model("ReduceLogSumExp", [x, np.array([1])], constants=[1]), [x], expected, hybrid, tmp_path)
    nothing = np.zeros((2, 0), np.float32)
    proto = model("ReduceLogSumExp", [nothing, np.array([1])], constants=[1])
    check(proto, [nothing], np.full((2, 1), -INF, np.float32), hybrid, tmp_path)


FLOATING = {
    "ReduceMean": lambda x: x.mean(1, keepdims=True),
    "ReduceL2": lambda x: np.sqrt((x * x).sum(1, keepdims=True)),
    "ReduceLogSum": lambda x: np.log(x.sum(1, keepdims=True)),
    "ReduceLogSumExp": lambda x: np.log(np.exp(x).sum(1, keepdims=True)),
}
WRAPPING = {
    "ReduceSum": lambda x: x.sum(1, keepdims=True, dtype=x.dtype),
    "ReduceProd": lambda x: x.prod(1, keepdims=True, dtype=x.dtype),
    "ReduceL1": lambda x: abs(x).sum(1, keepdims=True, dtype=x.dtype),
    "ReduceSumSquare": lambda x: (x * x).sum(1, keepdims=True, dtype=x.dtype),
}


@BOTH
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("op_type", FLOATING)
def test_real_functions_of_integers_are_cut_off(hybrid, dtype, op_type, tmp_path):
    large = 2**30 if "Exp" not in op_type else 300  # whose sum is beyond int32
    x = np.array([[large, large, large, 17], [1, 2, 3, 5]], dtype)
    expected = FLOATING[op_type](x.astype(np.longdouble)).astype(dtype)
    proto = model(op_type, [x, np.array([1])], constants=[1])
    check(proto, [x], expected, hybrid, tmp_path, rtol=0, atol=0)


@BOTH
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("op_type", WRAPPING)
def test_sums_and_products_of_integers_are_exact_and_wrap(hybrid, dtype, op_type, tmp_path):
    """Above 2²⁴ and 2⁵³ float32 and float64 lose digits; ONNX Runtime saturates where these wrap."""
    odd, wide = (2**24 + 1, 2**30) if dtype == "int32" else (2**53 + 1, 2**62)
    x = np.array([[odd, 1, 1, -1], [wide, wide, 5, 1]], dtype)
    proto = model(op_type, [x, np.array([1])], constants=[1])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(run(proto, [x], hybrid), WRAPPING[op_type](x))


def test_arg_of_nan_is_its_index():
    """As in NumPy, by which onnx's own evaluator defines it; eager and hybridized alike."""
    x = np.array([[1, NAN, 3], [NAN, 1, NAN], [2, 1, 0]], np.float32)
    for name, last in itertools.product(("ArgMax", "ArgMin"), (0, 1)):
        best = getattr(np, name.lower())
        expected = 2 - best(x[:, ::-1], 1) if last else best(x, 1)
        proto = model(name, [x], axis=1, keepdims=0, select_last_index=last)
        for hybrid in (False, True):
            assert run(proto, [x], hybrid).tolist() == expected.tolist()


@BOTH
@pytest.mark.parametrize("size", [3, "N"])
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_indices_beyond_an_axis_are_refused(hybrid, size, dtype):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for axis in (1, -1):
        right, wrong = np.array([-3, 2, 0, -1], dtype), np.array([0, 3], dtype)
        sizes = [(2, size), ("M",)]
        proto = model("Gather", [x, right], sizes=sizes, axis=axis)
        np.testing.assert_array_equal(run(proto, [x, right], hybrid), x[:, right])
        for bad in (wrong, np.array([0, -4], dtype)):
            with pytest.raises(MXNetError, match=r"take: indices from|indices element out of data bounds"):
                run(proto, [x, bad], hybrid)
            with pytest.raises(Exception, match="indices element out of data bounds"):
                plain(proto)([x, bad])


@BOTH
@pytest.mark.parametrize("size", [3, "N"])
def test_constant_indices_beyond_an_axis_are_refused(hybrid, size):
    x = np.arange(3, dtype=np.float32)
    for indices in ([2, 0], [-1, 1, -3], [[0], [2]]):
        known = np.array(indices)
        proto = model("Gather", [x, known], constants=[1], sizes=[(size,), None])
        np.testing.assert_array_equal(run(proto, [x], hybrid), x[known])
    for indices in ([0, 3], [-4, 0]):
        proto = model("Gather", [x, np.array(indices)], constants=[1], sizes=[(size,), None])
        with pytest.raises((BoundsError, MXNetError), match="indices"):
            run(proto, [x], hybrid)
        if size == 3:
            with pytest.raises(
                BoundsError, match=r"indices from -3 to 2 are required along axis 0, got (3|-4)"
            ):
                mx.onnx.import_to_gluon(proto.SerializeToString())


def test_rows_that_indices_choose_are_trained():
    x, indices = np.ones((3, 2), np.float32), np.array([-1, 0, -1])
    block = mx.onnx.import_to_gluon(model("Gather", [x, indices]).SerializeToString())
    for hybrid in (False, True):
        block.hybridize(hybrid)
        data = NDArray(x.copy())
        data.attach_grad()
        with mx.autograd.record():
            y = block(data, NDArray(indices)) * 2
        y.backward()
        assert data.grad.asnumpy().tolist() == [[2, 2], [0, 0], [4, 4]]


@pytest.mark.skipif(ONNX < (1, 22), reason="the reference of older onnx fails without a region")
@BOTH
def test_corners_of_sizes_that_are_no_integers(hybrid):
    """ONNX places the corners by the exact size, here 2.4, ONNX Runtime by that of the result."""
    x = np.arange(1, 9, dtype=np.float32).reshape(1, 1, 2, 4)
    scales = np.array([1, 1, 0.6, 0.6], np.float32)
    options = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    proto = model("Resize", [x, np.zeros(0, np.float32), scales], constants=[1, 2], **options)
    y = run(proto, [x], hybrid)
    np.testing.assert_allclose(y, next(iter(ReferenceEvaluator(proto).run(None, {"x0": x}))), rtol=1e-6)
    assert y[0, 0, 0, 1] == pytest.approx(3.142857)


@BOTH
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("pads", [(0, 0, 0, 0), (1, 1, 1, 1), (0, 1, 1, 0)])
def test_the_largest_of_bytes(hybrid, dtype, pads, tmp_path, rng):
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max + 1, (1, 2, 5, 6)).astype(dtype)
    proto = model("MaxPool", [x], kernel_shape=(2, 3), strides=(1, 2), pads=pads)
    check(proto, [x], plain(proto)([x])[0], hybrid, tmp_path)


@pytest.mark.parametrize("constants", [(), (1,)])
def test_sizes_of_0_of_a_reshape(constants):
    x, shape = np.zeros((0, 3, 4), np.float32), np.array([3, 4, 0])
    proto = model("Reshape", [x, shape], constants=constants, allowzero=1)
    proto.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, (3, 4, 0)))
    fed = [a for i, a in enumerate((x, shape)) if i not in constants]
    for hybrid in (False, True):
        assert run(proto, fed, hybrid).shape == (3, 4, 0)


@BOTH
@pytest.mark.parametrize("op_type", ["GatherElements", "ScatterElements", "GatherND", "ScatterND"])
def test_elements_beyond_an_axis_are_refused(hybrid, op_type):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    right, wrong = np.array([[0, -1], [1, 2]]), np.array([[0, 3], [1, 2]])
    updates = {"ScatterElements": [np.ones((2, 2), np.float32)], "ScatterND": [np.ones(2, np.float32)]}
    options = {"axis": 1} if "Elements" in op_type else {}
    rest = updates.get(op_type, [])
    proto = model(op_type, [x, right, *rest], **options)
    np.testing.assert_array_equal(run(proto, [x, right, *rest], hybrid), plain(proto)([x, right, *rest])[0])
    with pytest.raises(
        MXNetError, match=r"indices from -3 to 2 are|out of data bounds|Out of range|invalid ind"
    ):
        run(proto, [x, wrong, *rest], hybrid)


@BOTH
def test_one_element_of_each_row_beyond_the_row_is_refused(hybrid):
    x, index = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([[1], [3]])
    with pytest.raises(MXNetError, match=r"indices from -3 to 2 are required|GatherElements"):
        run(model("GatherElements", [x, index], axis=1), [x, index], hybrid)


@BOTH
def test_the_last_of_several_elements_stays(hybrid):
    x, indices = np.zeros((2, 4), np.float32), np.array([[1, 3, 1], [2, 2, 2]])
    updates = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
    proto = model("ScatterElements", [x, indices, updates], axis=1)
    expected = np.array([[0, 3, 0, 2], [0, 0, 6, 0]], np.float32)
    np.testing.assert_array_equal(run(proto, [x, indices, updates], hybrid), expected)
