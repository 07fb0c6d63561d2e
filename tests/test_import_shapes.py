"""ONNX nodes that reshape, cut, pad and choose: what the import computes against ONNX Runtime.

Exported operators use few of ONNX's attributes; these are the others.
"""

from __future__ import annotations

import numpy as np
import pytest
from onnx import helper, numpy_helper

from hybridonnx.converters import from_onnx
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.symbol.execute import execute

ort = pytest.importorskip("onnxruntime")

X = np.random.RandomState(0).standard_normal((2, 3, 4)).astype(np.float32)
CHOICE = np.random.RandomState(1).rand(2, 3, 4) > 0.5


def i(*values):
    return np.array(values, np.int64)


class Fed(np.ndarray):
    """An array that is an input of the model; plain arrays are constants."""


def fed(array):
    return np.asarray(array).view(Fed)


def model(op_type, *arrays, outputs=1, opset=18, free=False, nodes=(), inputs=None, **attributes):
    names = ["" if v is None else f"x{n}" for n, v in enumerate(arrays)]
    values = {n: v for n, v in zip(names, arrays, strict=True) if v is not None}
    infos = [
        helper.make_tensor_value_info(
            n, helper.np_dtype_to_tensor_dtype(v.dtype), ("N", *v.shape[1:]) if free and v.ndim else v.shape
        )
        for n, v in values.items()
        if isinstance(v, Fed)
    ]
    results = [f"y{n}" for n in range(outputs)]
    graph = helper.make_graph(
        [*nodes, helper.make_node(op_type, inputs or names, results, **attributes)],
        "graph",
        infos,
        [helper.make_empty_tensor_value_info(n) for n in results],
        [numpy_helper.from_array(v, n) for n, v in values.items() if not isinstance(v, Fed)],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return proto, {n: np.asarray(v) for n, v in values.items() if isinstance(v, Fed)}


def check(*args, **options):
    proto, inputs = model(*args, **options)
    session = ort.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = session.run(None, inputs)
    symbol, arguments, states = from_onnx.import_model(proto)
    values = {n: NDArray(v.copy()) for n, v in inputs.items()}
    got = [y.asnumpy() for y in execute(symbol, {**arguments, **states, **values})]
    for a, b in zip(got, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("shape", [(0, -1), (4, 6), (-1, 12), (24,)])
@pytest.mark.parametrize("free", [False, True])
def test_reshape(shape, free):
    check("Reshape", fed(X), i(*shape), free=free)


@pytest.mark.parametrize("tail", [(-1,), (4, 3), (12, 1)])
def test_reshape_to_a_computed_shape(tail):
    first = [
        helper.make_node("Shape", ["x0"], ["shape"]),
        helper.make_node("Gather", ["shape", "x1"], ["size"]),
        helper.make_node("Unsqueeze", ["size", "x2"], ["sizes"]),
        helper.make_node("Concat", ["sizes", "x3"], ["target"], axis=0),
    ]
    arrays = fed(X), np.array(0), i(0), i(*tail)
    check("Reshape", *arrays, nodes=first, inputs=["x0", "target"], free=True)


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1, -2])
def test_flatten(axis):
    check("Flatten", fed(X), axis=axis)


def test_axes_of_size_1():
    thin = fed(X[:1, :, None])
    check("Squeeze", thin, i(0, 2))
    check("Squeeze", thin)
    check("Squeeze", fed(X[:1, :1, :1]), i(0, 1, 2))
    check("Squeeze", thin, opset=11, axes=[0])
    for axes in (i(-1, 0), i(3, 1)):
        check("Unsqueeze", fed(X), axes)
    check("Unsqueeze", fed(X), opset=11, axes=[0, 2])
    check("Unsqueeze", fed(np.float32(3)), i(0, 1))


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
@pytest.mark.parametrize(
    ("shape", "pads"),
    [
        ((2, 3, 4), (0, 0, 1, 0, 0, 2)),
        ((2, 3, 4), (0, 1, 1, 0, 2, 2)),
        ((2, 3, 4), (1, 1, 1, 0, 1, 1)),
        ((2, 3, 4), (0, -1, 1, 0, 0, -2)),
        ((2, 3, 4, 2, 3), (0, 1, 0, 0, 0, 0, 1, 0, 0, 2)),
        ((2, 3, 4, 5), (0, 1, 0, 0, 0, 1, 0, 0)),
        ((4,), (1, 2)),
    ],
)
def test_pad(mode, shape, pads):
    check("Pad", fed(np.resize(X, shape)), i(*pads), mode=mode)


def test_pad_otherwise():
    check("Pad", fed(X), i(0, 0, 1, 0, 0, 2), np.float32(3), free=True)
    check("Pad", fed(X), i(1, -1, 1, 1), None, i(-1, 1))
    check("Pad", fed(X), opset=10, pads=[0, 0, 1, 0, 0, 2], value=2.0)
    check("Pad", fed(X.astype(np.int32)), i(0, 0, 1, 0, 0, 2), np.int32(7))


def test_slice():
    check("Slice", fed(X), i(1), i(2**62))
    check("Slice", fed(X), i(-1, 3), i(-(2**62), 0), i(1, 2), i(-1, -2))
    check("Slice", fed(X), i(0, -3), i(1, -1), i(-3, -1), free=True)
    check("Slice", fed(X), i(5), i(-9), i(2), i(-1))
    check("Slice", fed(X), opset=9, starts=[1], ends=[3], axes=[2])


@pytest.mark.parametrize("indices", [i(0, 2), i(-1, 0), np.array(1), np.array(-1), i(0, 1)[None]])
@pytest.mark.parametrize("free", [False, True])
def test_gather(indices, free):
    check("Gather", fed(X), indices, axis=1)
    check("Gather", fed(X), fed(indices), axis=1)
    check("Gather", fed(X), indices % 2 - 1, axis=0, free=free)


def test_elements():
    rng = np.random.RandomState(2)
    for shape, axis in (((2, 3, 2), 2), ((2, 3, 1), -1), ((1, 2, 2), 0)):
        size = X.shape[axis]
        check("GatherElements", fed(X), rng.randint(-size, size, shape), axis=axis)
    indices, updates = i(0, 1, 0, 2).reshape(1, 1, 4).repeat(2, 0), rng.standard_normal((2, 1, 4))
    for reduction in ("none", "add"):
        arrays = fed(X), indices, fed(updates.astype(np.float32))
        check("ScatterElements", *arrays, axis=1, reduction=reduction)


@pytest.mark.parametrize(
    ("indices", "batch"),
    [
        (i(0, 2), 0),
        (i(0, 2, 1), 0),
        (np.array([[0, 2], [1, -1]]), 0),
        (np.array([[[0]], [[1]]]), 0),
        (np.array([[1], [2]]), 1),
        (np.array([[1, 0], [2, 3]]), 1),
        (np.array([[[1], [0]], [[2], [0]]]), 1),
    ],
)
def test_points(indices, batch):
    check("GatherND", fed(X), indices, batch_dims=batch)
    if batch == 0:
        updates = X[tuple(np.moveaxis(indices, -1, 0))] * np.float32(2)
        for reduction in ("none", "add"):
            check("ScatterND", fed(X), indices, fed(updates), reduction=reduction)


@pytest.mark.parametrize("op_type", ["ScatterElements", "ScatterND"])
@pytest.mark.parametrize("reduction", ["mul", "max", "min"])
def test_other_reductions(op_type, reduction):
    indices = np.zeros((1, 1, 1), np.int64)
    updates = X[:1, :1, :1] if op_type == "ScatterElements" else X[None, :1]
    check(op_type, fed(X), indices, fed(updates), reduction=reduction)


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot(axis):
    check("OneHot", fed(np.array([[0, 2], [-1, 1]])), np.array(3), np.array([-1, 2], np.float32), axis=axis)


def test_where():
    one = np.float32(3)
    for arrays in (
        (fed(CHOICE), fed(X), fed(-X)),
        (fed(CHOICE), fed(X), one),
        (fed(CHOICE[0, 0]), fed(X), fed(-X)),
        (fed(CHOICE[:, :, :1]), fed(X[:1]), fed(X[0, 0])),
        (fed(CHOICE[0]), one, np.float32(1)),
    ):
        check("Where", *arrays)
    check("Where", fed(CHOICE), fed(X), one, free=True)


def test_joined_and_split():
    check("Concat", fed(X), fed(X), axis=-1)
    check("Concat", fed(X), np.zeros((2, 0, 4), np.float32), axis=1)
    check("Split", fed(X), i(1, 2), outputs=2, axis=1)
    check("Split", fed(X), i(1, 0, 2), outputs=3, axis=1)
    check("Split", fed(X), outputs=2, axis=2, num_outputs=2)
    check("Split", fed(X), outputs=2, axis=1, num_outputs=2)
    check("Split", fed(X), outputs=3, axis=1, opset=11)
    check("Split", fed(X), outputs=2, axis=1, opset=11, split=[2, 1])


def test_sorted():
    for largest in (0, 1):
        check("TopK", fed(X), i(2), outputs=2, axis=1, largest=largest)
    check("TopK", fed(X), outputs=2, opset=9, k=2)


@pytest.mark.parametrize("free", [False, True])
def test_blocks_and_sizes(free):
    blocks = fed(np.resize(X, (2, 8, 2, 3)))
    for mode in ("DCR", "CRD"):
        check("DepthToSpace", blocks, blocksize=2, mode=mode, free=free)
    check("SpaceToDepth", fed(np.resize(X, (1, 2, 4, 6))), blocksize=2, free=free)
    check("Shape", fed(X), start=-3, end=-1, free=free)
    check("Size", fed(X), free=free)


def test_chosen_and_reversed():
    chosen = np.array([True, False, True])
    check("Compress", fed(X), chosen, axis=1)
    check("Compress", fed(X), chosen)
    check("Compress", fed(X), fed(chosen), axis=1)
    check("ReverseSequence", fed(X), i(1, 2, 2))
    check("ReverseSequence", fed(X), i(1, 3), time_axis=1, batch_axis=0)
