"""Graphs run where kernels are few: element types are computed in others, with the same numbers."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented as NoKernel

from hybridonnx import dtypes, nd
from hybridonnx import symbol as sym
from hybridonnx.converters import to_onnx
from hybridonnx.converters.opsets import signature
from hybridonnx.converters.to_onnx import _model
from hybridonnx.converters.to_onnx._graph import Graph, Value
from hybridonnx.converters.to_onnx._kernel_table import WITHOUT_KERNEL
from hybridonnx.converters.to_onnx._kernels import computed_in
from hybridonnx.converters.to_onnx._walk import Traced
from hybridonnx.dtypes import BY_NAME, as_dtype
from hybridonnx.errors import ConversionError
from hybridonnx.onnx import export_model
from hybridonnx.ops import Spec
from tests.runtimes import VERSION, plain, started, takes_empty_arrays

ROOT = Path(__file__).parents[1]
OLDEST = next(
    line.partition("==")[2]
    for line in (ROOT / ".ci" / "oldest.txt").read_text().splitlines()
    if line.startswith("onnxruntime==")
)


def probed() -> dict[tuple[str, str], list[str]]:
    """What the script finds in the installed ONNX Runtime, for the operators of the table."""
    spec = importlib.util.spec_from_file_location("kernels", ROOT / "scripts" / "_kernels.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.table()


def test_the_table_is_that_of_the_oldest_runtime():
    """In newer ones there may be more kernels, not fewer."""
    table = {key: names.split() for key, names in WITHOUT_KERNEL.items()}
    installed = probed()
    if VERSION == OLDEST:
        assert installed == table
    missing = {key: sorted(set(names) - set(table.get(key, ()))) for key, names in installed.items()}
    assert not {key: names for key, names in missing.items() if names}


# ---- integers and bool

INT8 = np.arange(-128, 128).astype(np.int8)
UINT8 = np.arange(256).astype(np.uint8)
BOOL = np.array([False, True])
PAIRS = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Max": np.maximum,
    "Min": np.minimum,
    "Equal": np.equal,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
}


def model_of(build: Any, *arrays: np.ndarray, opset: int = 18) -> Any:
    """The graph that `build` makes of inputs of these dtypes, as a model."""
    g = Graph(opset)
    inputs = {f"x{i}": Value(g, a.dtype, a.shape, f"x{i}") for i, a in enumerate(arrays)}
    y = build(g, *inputs.values())
    y.name = "y"
    shapes = {name: x.shape for name, x in {**inputs, "y": y}.items()}
    traced = Traced(g, [y], inputs, {}, [], ["y"], shapes, {}, {})
    recipes = _model._optimize(traced, {}, None)
    return _model._assemble(traced, True, {}, False, (), recipes).model


def run(build: Any, *arrays: np.ndarray, opset: int = 18) -> np.ndarray:
    """What ONNX Runtime gives for it."""
    feeds = {f"x{i}": a for i, a in enumerate(arrays)}
    (y,) = started(model_of(build, *arrays, opset=opset)).run(None, feeds)
    return y


@pytest.mark.parametrize("opset", [13, 18])
@pytest.mark.parametrize("values", [INT8, UINT8], ids=["int8", "uint8"])
@pytest.mark.parametrize("op_type", PAIRS)
def test_every_pair_of_small_integers(op_type, values, opset):
    a, b = values[:, None], values[None]
    got = run(lambda g, x, y: getattr(g, op_type)(x, y), a, b, opset=opset)
    expected = PAIRS[op_type](a, b)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("opset", [13, 18])
@pytest.mark.parametrize("values", [INT8, UINT8], ids=["int8", "uint8"])
@pytest.mark.parametrize(("name", "function"), [("_div", np.trunc), ("_mod", np.floor)])
def test_every_quotient_of_small_integers(name, function, values, opset):
    a, b = values[:, None], values[None]
    lhs, rhs = sym.var("lhs"), sym.var("rhs")
    graph = {"_div": sym.broadcast_div, "_mod": sym.broadcast_mod}[name](lhs, rhs)
    specs = {"lhs": Spec(a.shape, a.dtype), "rhs": Spec(b.shape, b.dtype)}
    lowered = to_onnx.lower(graph, specs, {}, opset=opset)
    (got,) = started(lowered.model).run(None, {"lhs": a, "rhs": b})
    wide, divisor = a.astype(np.int64), np.where(b == 0, 1, b).astype(np.int64)
    quotient = function(wide / divisor).astype(np.int64)
    expected = np.where(b == 0, 0, quotient if name == "_div" else wide - quotient * divisor)
    np.testing.assert_array_equal(got, expected.astype(values.dtype))


@pytest.mark.parametrize("values", [INT8, UINT8, BOOL], ids=["int8", "uint8", "bool"])
def test_choices_of_small_integers(values):
    condition = np.arange(len(values)) % 3 == 0
    got = run(lambda g, c, x, y: g.Where(c, x, y), condition, values, values[::-1].copy())
    np.testing.assert_array_equal(got, np.where(condition, values, values[::-1]))
    assert got.dtype == values.dtype


@pytest.mark.parametrize("values", [INT8, UINT8], ids=["int8", "uint8"])
def test_order_and_sums_of_small_integers(values):
    shuffled = np.random.default_rng(0).permutation(values).reshape(4, 64)
    got = run(lambda g, x: g.TopK(x, 5, axis=1)[0], shuffled)
    np.testing.assert_array_equal(got, -np.sort(-shuffled.astype(int), axis=1)[:, :5])
    assert got.dtype == values.dtype
    got = run(lambda g, x: g.ReduceSum(x, [1], keepdims=0), shuffled)
    np.testing.assert_array_equal(got, shuffled.sum(1, dtype=values.dtype))


def test_no_graph_changes_that_has_kernels():
    pairs = [np.ones(3, dtype) for dtype in ("float16", "float32", "float64", "int32", "int64")]
    for op_type in PAIRS:
        for x in pairs:
            nodes = model_of(lambda g, a, b, name=op_type: getattr(g, name)(a, b), x, x).graph.node
            assert [node.op_type for node in nodes] == [op_type]


def test_what_has_no_exact_substitute_stays():
    for op_type, dtype in (("Relu", "int64"), ("QuantizeLinear", "int32")):
        kind = signature(op_type, 18)
        assert computed_in(kind, {kind.input(0).type: BY_NAME[dtype]}) == {}
    with pytest.raises(ConversionError, match=r"Softmax: ONNX at opset 18 takes .* as input, got int8"):
        model_of(lambda g, x: g.Softmax(x), INT8)


@pytest.mark.parametrize("opset", [13, 18])
@pytest.mark.parametrize("op_type", ["Where", "Einsum", "TopK", "OneHot", "CumSum", "Unique"])
def test_no_fraction_becomes_an_integer(op_type, opset):
    """Where an opset's version does not have bfloat16."""
    kind = signature(op_type, opset)
    name = {"Unique": "T", "OneHot": "T3"}.get(op_type, "T")
    for dtype in map(as_dtype, dtypes.EXTENSIONS):
        other = computed_in(kind, {name: dtype}).get(name)
        if dtypes.name_of(dtype) == "bfloat16" and "bfloat16" not in kind.types[name]:
            assert other == np.float32
        elif dtype.kind not in "iu":
            assert other is None


@pytest.mark.parametrize("depth", ["float32", "int32", "int64", "uint8"])
@pytest.mark.parametrize("indices", ["int64", "int32", "uint8", "float32"])
@pytest.mark.parametrize("values", ["int32", "int64", "float32", "bool", "uint8"])
def test_one_hot_of_any_types(indices, depth, values):
    """Kernels are of some combinations."""
    x = [np.array([0, 3, 1], indices), np.array(4, depth), np.array([1, 0], values)]
    (y,) = [run(lambda g, *x: g.OneHot(*x), *x)]
    assert y.dtype == values
    np.testing.assert_array_equal(y, np.where(np.eye(4)[[0, 3, 1]] > 0, x[2][1], x[2][0]))


# ---- float64


def test_float64_is_not_computed_in_float32():
    x = np.linspace(-0.9, 0.9, 7)
    with pytest.raises(ConversionError, match="no kernel of it for float64"):
        model_of(lambda g, x: g.Asin(x), x)


@pytest.mark.parametrize("batch", [2, pytest.param(0, marks=takes_empty_arrays)])
@pytest.mark.parametrize(
    ("size", "options"),
    [
        ((7,), {"kernel": (3,), "stride": (2,), "dilate": (2,), "pad": (1,)}),
        ((7, 6), {"kernel": (3, 2), "stride": (2, 1), "dilate": (1, 2), "pad": (1, 0)}),
        ((7, 6), {"kernel": (3, 3), "pad": (2, 2), "num_group": 4}),
        ((7, 6), {"kernel": (3, 3), "stride": (3, 2), "num_group": 2, "layout": "NHWC"}),
        ((2, 2), {"kernel": (1, 1), "no_bias": True}),
        ((5, 6, 4), {"kernel": (2, 3, 2), "stride": (1, 2, 1), "dilate": (1, 1, 2), "num_group": 2}),
    ],
)
def test_convolution_keeps_the_digits_of_float64(size, options, batch, rng, tmp_path):
    """With known sizes and with free ones."""
    last = "layout" in options
    channels = 4 // options.get("num_group", 1)
    kernel = (8, *options["kernel"], channels) if last else (8, channels, *options["kernel"])
    shapes = [(batch, *size, 4) if last else (batch, 4, *size), kernel, (8,)][: 3 - ("no_bias" in options)]
    arrays = [nd.array(rng.standard_normal(shape), dtype="float64") for shape in shapes]
    expected = nd.Convolution(*arrays, num_filter=8, **options).asnumpy()
    symbol = sym.Convolution(*map(sym.var, "xwb"[: len(arrays)]), num_filter=8, **options)
    params = dict(zip("wb", arrays[1:], strict=False))
    free = tuple(d if d == 4 and i in (1, len(size) + 1) else f"n{i}" for i, d in enumerate(shapes[0]))
    for shape in (shapes[0], free):
        export_model(symbol, params, [shape], "float64", str(tmp_path / "conv.onnx"), opset_version=13)
        (y,) = plain(onnx.load(tmp_path / "conv.onnx"))([arrays[0].asnumpy()])
        assert y.dtype == np.float64
        np.testing.assert_allclose(y, expected, rtol=1e-12, atol=1e-12)


def test_the_cosine_keeps_the_digits_of_float64():
    x = np.concatenate([np.linspace(-10, 10, 101), [1e6, 1e12, 1e-9, np.inf, np.nan]])
    with np.errstate(invalid="ignore"):
        expected = np.cos(x)
    np.testing.assert_allclose(run(lambda g, x: g.Cos(x), x), expected, rtol=0, atol=1e-15)


MATRICES = [((3, 2), (3, 4), (1, 0)), ((5, 3, 2), (5, 3, 4), (0, 2, 1)), ((3, 5, 2), (5, 3, 4), (1, 2, 0))]


@pytest.mark.parametrize(("left", "right", "perm"), MATRICES)
def test_float64_product_of_a_transposed_matrix(left, right, perm):
    a, b = (np.random.default_rng(0).standard_normal(shape) for shape in (left, right))
    for between in (lambda g, x: x, lambda g, x: g.Identity(x), lambda g, x: g.Expand(x, [1])):
        got = run(lambda g, x, y, f=between: g.MatMul(f(g, g.Transpose(x, perm)), y), a, b)
        np.testing.assert_allclose(got, a.transpose(perm) @ b, rtol=1e-13, atol=1e-14)


def test_float64_product_with_its_own_sigmoid():
    x = np.concatenate([np.linspace(-8, 8, 50), [-800.0, 800.0]])
    got = run(lambda g, x: x * g.Sigmoid(x), x)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(got, x / (1 + np.exp(-x)), rtol=1e-14, atol=1e-300)


@pytest.mark.skipif(VERSION != OLDEST, reason="newer ONNX Runtimes need not have the fault")
@pytest.mark.parametrize(
    "nodes",
    [
        [("Transpose", "x", "t"), ("MatMul", "t x", "y")],
        [("Sigmoid", "x", "s"), ("Mul", "x s", "y")],
        [("Cos", "x", "y")],
    ],
    ids=["FusedMatMul", "QuickGelu", "Cos"],
)
def test_the_plain_forms_do_not_start(nodes):
    """Where this fails, the form that is written instead in float64 is needed no longer."""
    graph = helper.make_graph(
        [helper.make_node(op_type, inputs.split(), [output]) for op_type, inputs, output in nodes],
        "plain",
        [helper.make_tensor_value_info("x", TensorProto.DOUBLE, [3, 3])],
        [helper.make_tensor_value_info("y", TensorProto.DOUBLE, [3, 3])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    with pytest.raises(NoKernel):
        started(model)
