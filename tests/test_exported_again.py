"""Imported models go out again, at the usual opset, and ONNX Runtime alone computes their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, defs, helper, parser

import hybridonnx as mx
from hybridonnx.errors import ConversionError
from tests.runtimes import evaluated, plain, takes_empty_arrays


def model(text: str, opset: int = 18) -> ModelProto:
    return parser.parse_model(f'<ir_version: 8, opset_import: ["": {opset}]> g {text}')


def agree(proto: ModelProto, inputs: list[Any], path: Any, shapes: Any = None, **options: Any) -> None:
    """Hold a model's block, eager and hybridized, and the block's file, to ONNX's reference."""
    (expected,) = evaluated(proto)(inputs)
    net = mx.onnx.import_to_gluon(proto.SerializeToString())
    for active in (False, True):
        net.hybridize(active)
        near(net(*[mx.nd.array(x, dtype=x.dtype) for x in inputs]).asnumpy(), expected)
    shapes, types = shapes or [x.shape for x in inputs], [x.dtype for x in inputs]
    mx.onnx.export_model(net, str(path / "again.onnx"), input_shapes=shapes, in_types=types, **options)
    again = onnx.load(path / "again.onnx")
    names = [info.name for info in proto.graph.input]
    feeds = [inputs[names.index(info.name)] for info in again.graph.input]
    near(plain(again)(feeds)[0], expected)


def near(y: Any, expected: Any) -> None:
    assert y.shape == expected.shape
    assert y.dtype == expected.dtype
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=2e-6)


def test_vectors_are_no_shapes(rng, tmp_path):
    """What ONNX follows as shapes: of (6, 1) and (5,) it says that they do not broadcast."""
    proto = model(
        "(float[6] x, float[5] y) => (float[6, 5] z) "
        "<int64[1] a = {1}> { column = Unsqueeze (x, a) z = Sub (column, y) }"
    )
    agree(proto, [rng.standard_normal(n).astype(np.float32) for n in (6, 5)], tmp_path)


@pytest.mark.parametrize("align_corners", [0, 1])
@pytest.mark.parametrize(
    ("theta", "size"),
    [((2, 2, 3), (4, 3)), ((1, 2, 3), (2, 5)), ((2, 3, 4), (3, 2, 4)), ((1, 3, 4), (2, 2, 2))],
)
def test_grid_of_known_sizes(theta, size, align_corners, rng, tmp_path):
    sizes = ",".join(map(str, (theta[0], 1, *size)))
    proto = model(
        f"(float[{','.join(map(str, theta))}] t) => (float[{','.join('abcde'[: len(size) + 2])}] y) "
        f"<int64[{len(size) + 2}] s = {{{sizes}}}> "
        f"{{ y = AffineGrid <align_corners = {align_corners}> (t, s) }}",
        20,
    )
    agree(proto, [rng.standard_normal(theta).astype(np.float32)], tmp_path, opset_version=13)


@pytest.mark.parametrize("align_corners", [0, 1])
@pytest.mark.parametrize("batch", [1, 3])
def test_grid_of_an_images_free_sizes(batch, align_corners, rng, tmp_path):
    proto = model(
        "(float[N,2,3] t, float[N,C,H,W] x) => (float[N,H,W,2] y) "
        f"{{ s = Shape (x) y = AffineGrid <align_corners = {align_corners}> (t, s) }}",
        20,
    )
    inputs = [rng.standard_normal(shape).astype(np.float32) for shape in ((batch, 2, 3), (batch, 2, 4, 3))]
    agree(proto, inputs, tmp_path, [("N", 2, 3), ("N", "C", "H", "W")])


@pytest.mark.parametrize("op_type", ["ReduceMax", "ReduceMin"])
@pytest.mark.parametrize("shape", [pytest.param((2, 0, 3), marks=takes_empty_arrays), (2, 4, 3), (0, 4, 3)])
@pytest.mark.parametrize("opset", [None, 20])
def test_any_and_all_of_flags(op_type, shape, opset, rng, tmp_path):
    """Of no elements as well, which ONNX Runtime's kernel of bool refuses."""
    proto = model(
        f"(bool[{','.join(map(str, shape))}] x, int64[1] a) => (bool[A,B] y) "
        f"{{ y = {op_type} <keepdims = 0> (x, a) }}",
        20,
    )
    inputs = [rng.uniform(size=shape) < 0.5, np.array([1])]
    reduce = np.any if op_type == "ReduceMax" else np.all
    np.testing.assert_array_equal(evaluated(proto)(inputs)[0], reduce(inputs[0], axis=1))
    agree(proto, inputs, tmp_path, opset_version=opset)


def test_product_of_unknown_rank(rng, tmp_path):
    proto = model(
        "(float[2,3] x, int64[rank] s) => (float[n,3] y) <float[3,3] w = {1,2,3,4,5,6,7,8,9}> "
        "{ r = Reshape (x, s) y = Gemm (r, w) }"
    )
    x = rng.standard_normal((2, 3)).astype(np.float32)
    agree(proto, [x, np.array([2, 3])], tmp_path, [(2, 3), ("rank",)])


def test_what_values_tell_alone_is_refused(tmp_path):
    proto = model(
        "(float[2,4] x, bool[2] c) => (float[2] y) "
        "{ rows = Compress <axis = 0> (x, c) row = Squeeze (rows) y = Transpose (row) }",
        17,
    )
    net = mx.onnx.import_to_gluon(proto.SerializeToString())
    path = str(tmp_path / "net.onnx")
    with pytest.raises(ConversionError, match="Values tell it, not the inputs' shapes") as info:
        mx.onnx.export_model(net, path, input_shapes=[(2, 4), (2,)], in_types=["float32", "bool"])
    assert str(info.value).count("In node") == 1


@pytest.mark.parametrize("given", ["constant", "constant, free", "input", "input, free"])
@pytest.mark.parametrize(
    ("allowzero", "shape", "target", "expected"),
    [
        (0, (0, 3), [0, 3], (0, 3)),
        (0, (0, 3), [-1, 3], (0, 3)),
        (0, (2, 0, 3), [2, 0], (2, 0)),
        (0, (2, 0, 3), [0, 0, 3], (2, 0, 3)),
        (0, (2, 3), [0, -1], (2, 3)),
        (1, (0, 3), [3, 0], (3, 0)),
        (1, (2, 0, 3), [0, 2, 3], (0, 2, 3)),
        (1, (0,), [0], (0,)),
    ],
)
def test_nothing_in_another_shape(allowzero, shape, target, expected, given, tmp_path):
    free = "free" in given
    sizes = [f"n{i}" for i in range(len(shape))] if free else shape
    text = f"(float[{','.join(map(str, sizes))}] x%s) => (float[{','.join('abc'[: len(target)])}] y) %s"
    inputs, shapes = [np.zeros(shape, np.float32)], [tuple(sizes)]
    if "input" in given:
        text %= f", int64[{len(target)}] s", ""
        inputs, shapes = [*inputs, np.array(target)], [*shapes, (len(target),)]
    else:
        text %= "", f"<int64[{len(target)}] s = {{{','.join(map(str, target))}}}>"
    proto = model(f"{text} {{ y = Reshape <allowzero = {allowzero}> (x, s) }}")
    assert evaluated(proto)(inputs)[0].shape == expected
    agree(proto, inputs, tmp_path, shapes)


@pytest.mark.skipif(defs.onnx_opset_version() < 28, reason="opset 28 is required")
@pytest.mark.parametrize("opset", [13, 18, 21])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_remainder_with_the_divisors_sign(dtype, opset, tmp_path):
    """Opset 28 has it of floating-point numbers, which none before has."""
    a = np.array([-7.5, 7.5, -7.5, 7.5, 0, 6, -6, np.nan, 3], dtype)
    b = np.array([2, -2, -2, 2, 3, -3, 3, 2, np.nan], dtype)
    kind = helper.np_dtype_to_tensor_dtype(a.dtype)
    infos = [helper.make_tensor_value_info(name, kind, [9]) for name in "aby"]
    graph = helper.make_graph([helper.make_node("Mod", ["a", "b"], ["y"])], "g", infos[:2], infos[2:])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=10)
    net = mx.onnx.import_to_gluon(proto.SerializeToString())
    path = str(tmp_path / "again.onnx")
    mx.onnx.export_model(net, path, opset_version=opset)
    results = [plain(onnx.load(path))([a, b])[0]]
    for active in (False, True):
        net.hybridize(active)
        results.append(net(mx.nd.array(a, dtype=dtype), mx.nd.array(b, dtype=dtype)).asnumpy())
    for y in results:
        np.testing.assert_array_equal(y, np.mod(a, b))


def test_gradients_of_log1p_that_came_back(tmp_path):
    """At 0 as well, where the branch that is not taken must not give NaN."""
    x = mx.nd.array([0.0, 1.0, 3.0, -0.5])
    data = mx.sym.var("data")
    file = str(tmp_path / "log1p.onnx")
    mx.onnx.export_model(mx.sym.log1p(data), {}, [x.shape], "float32", file)
    net = mx.onnx.import_to_gluon(file)
    x.attach_grad()
    with mx.autograd.record():
        y = net(x)
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [1, 0.5, 0.25, 2], rtol=1e-5)
