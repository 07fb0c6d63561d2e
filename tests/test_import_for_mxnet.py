"""Nodes of ONNX models that become operators that real MXNet has, so that it reads the files."""

from __future__ import annotations

import subprocess

import numpy as np
import onnx
import pytest
from onnx import defs, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import hybridonnx as mx
from hybridonnx import nd

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 7
NEWEST = defs.onnx_opset_version()
ML = "ai.onnx.ml"


def model(op_type, *inputs, constants=(), opset=NEWEST, **attributes):
    """A model of one node called `n`, of arrays, of which those at some places are constants."""
    names = [f"x{i}" for i in range(len(inputs))]
    fed = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for i, (name, a) in enumerate(zip(names, inputs, strict=True))
        if i not in constants
    ]
    stored = [numpy_helper.from_array(inputs[i], names[i]) for i in constants]
    domain = "" if defs.has(op_type) else ML
    node = helper.make_node(op_type, names, ["y"], name="n", domain=domain, **attributes)
    graph = helper.make_graph([node], "g", fed, [onnx.ValueInfoProto(name="y")], stored)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(ML, 3)]
    if opset < NEWEST:
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return helper.make_model(graph, opset_imports=opsets)


def fed(inputs, constants):
    return [a for i, a in enumerate(inputs) if i not in constants]


def one_hot(indices, depth, off, on, axis=-1):
    """What ONNX says: integers, of which negative ones count from the end, and others are nowhere."""
    whole = np.expand_dims(np.asarray(indices).astype(np.int64), axis)
    places = np.arange(depth).reshape([-1 if i == axis % whole.ndim else 1 for i in range(whole.ndim)])
    hit = (whole % depth == places) & (whole >= -depth) & (whole < depth)
    return np.where(hit, on, off)


LENGTHS = np.array([2, 3])
TURNED = np.stack([X[0, [1, 0, 2]], X[1, ::-1]])
PLACES = np.array([-0.5, 1.9, -1, -4.2, -5, 4, 3.5], np.float32)
VALUES = np.array([1.5, -2], np.float32)
CHOSEN = np.array([True, False, True])

MATRICES = X[:, :, :3]
BITS, MASKS = np.array([[5, -3, 100], [0, 1, -128]], np.int8), np.array([6, 3, -1], np.int8)

DEPTHS = np.arange(32, dtype=np.float32).reshape(1, 8, 2, 2)
SPACE = DEPTHS.reshape(1, 2, 2, 2, 2, 2).transpose(0, 3, 4, 1, 5, 2).reshape(1, 2, 4, 4)


def read(image, rows, columns):
    """Pixels between which a point lies by its distance, of an image with zeros around it."""
    y, x = np.floor(rows).astype(int), np.floor(columns).astype(int)
    result = 0
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        inside = (y + i >= 0) & (y + i < image.shape[1]) & (x + j >= 0) & (x + j < image.shape[2])
        pixels = image[:, np.clip(y + i, 0, image.shape[1] - 1), np.clip(x + j, 0, image.shape[2] - 1)]
        result = result + pixels * inside * (1 - abs(rows - y - i)) * (1 - abs(columns - x - j))
    return result


def convolved(images, weight, offset, bias, mask):
    """Deformable convolution of windows of 3 x 3, padded by 1; numbers in halves, so that sums are exact."""
    n, _, height, width = images.shape
    moved = offset.reshape(n, 9, 2, height, width)
    result = np.zeros((n, len(weight), height, width))
    for at in range(n):
        for k in range(9):
            rows = np.arange(height)[:, None] - 1 + k // 3 + moved[at, k, 0]
            columns = np.arange(width) - 1 + k % 3 + moved[at, k, 1]
            pixels = read(images[at], rows, columns) * mask[at, k]
            result[at] += np.einsum("oc,chw->ohw", weight[:, :, k // 3, k % 3], pixels)
    return (result + bias[:, None, None]).astype(np.float32)


def halves(*shape):
    """Multiples of 0.5 from -3 to 3."""
    return (np.random.default_rng(sum(shape)).integers(-6, 7, shape) / 2).astype(np.float32)


MOVED = [halves(2, 2, 4, 5), halves(3, 2, 3, 3), halves(2, 18, 4, 5), halves(3), halves(2, 9, 4, 5)]
CONVOLVED = convolved(*MOVED)
CONVOLVED_WHOLE = convolved(*MOVED[:4], np.ones_like(MOVED[4]))

CASES = {
    "Einsum": (["_npi_einsum"], [X, X[0].T.copy()], (), {"equation": "bij , jk -> bik"}, X @ X[0].T),
    "Einsum in implicit mode": (
        ["_npi_einsum"],
        [X[0], X[1]],
        (),
        {"equation": "Zi,Ai"},
        np.einsum("Zi,Ai->AZ", X[0], X[1]),
    ),
    "Einsum of dots": (
        ["_npi_einsum"],
        [X[:, None, :2, :3], X[:1, :, :3]],
        (),
        {"equation": "...ij,...jk->...ik"},
        X[:, None, :2, :3] @ X[:1, :, :3],
    ),
    "Einsum of diagonals": (
        ["_npi_einsum"],
        [MATRICES],
        (),
        {"equation": "...ii->...i"},
        MATRICES.diagonal(axis1=1, axis2=2),
    ),
    "Einsum to a number": (["_npi_einsum"], [X], (), {"equation": "ijk->"}, X.sum()),
    "Einsum of integers": (
        ["_npi_einsum"],
        [np.array([1 << 40, 3]), np.array([5, -7])],
        (),
        {"equation": "i,j"},
        np.outer([1 << 40, 3], [5, -7]),
    ),
    "BitwiseAnd": (["_npi_bitwise_and"], [BITS, MASKS], (), {}, BITS & MASKS),
    "BitwiseOr": (["_npi_bitwise_or"], [BITS, MASKS], (), {}, BITS | MASKS),
    "BitwiseXor": (["_npi_bitwise_xor"], [BITS, MASKS], (), {}, BITS ^ MASKS),
    "BitwiseAnd of a number": (["_npi_bitwise_and_scalar"], [BITS, np.int8(-4)], (1,), {}, BITS & -4),
    "BitwiseXor of bytes": (
        ["_npi_bitwise_xor_scalar"],
        [BITS.view(np.uint8), np.uint8(200)],
        (1,),
        {},
        BITS.view(np.uint8) ^ 200,
    ),
    "BitwiseNot": (["_npi_bitwise_not"], [BITS], (), {}, ~BITS),
    "BitwiseNot of bytes": (["_npi_bitwise_not"], [BITS.view(np.uint8)], (), {}, ~BITS.view(np.uint8)),
    "NonZero": (["_npx_nonzero", "transpose"], [X], (), {}, np.array(np.nonzero(X))),
    "NonZero of bool": (["_npx_nonzero", "transpose"], [CHOSEN], (), {}, np.array([[0, 2]])),
    "NonZero of zeros": (["_npx_nonzero", "transpose"], [0 * X], (), {}, np.zeros((3, 0), np.int64)),
    "DeformConv": (["_contrib_ModulatedDeformableConvolution"], MOVED, (), {"pads": [1, 1, 1, 1]}, CONVOLVED),
    "DeformConv without a mask": (
        ["slice_axis", "ones_like", "_contrib_ModulatedDeformableConvolution"],
        MOVED[:4],
        (),
        {"pads": [1, 1, 1, 1]},
        CONVOLVED_WHOLE,
    ),
    "DepthToSpace": (["depth_to_space"], [DEPTHS], (), {"blocksize": 2}, SPACE),
    "SpaceToDepth": (["space_to_depth"], [SPACE], (), {"blocksize": 2}, DEPTHS),
    "SpaceToDepth in the other order": (
        ["Reshape", "transpose", "Reshape", "Reshape"],
        [SPACE],
        (),
        {"blocksize": 2, "mode": "CRD"},
        SPACE.reshape(1, 2, 2, 2, 2, 2).transpose(0, 1, 3, 5, 2, 4).reshape(1, 8, 2, 2),
    ),
    "DequantizeLinear": (
        None,
        [BITS, np.array([0.5, 2], np.float32), np.array([-4, 1], np.int8)],
        (1, 2),
        {"axis": 0},
        (BITS - np.array([[-4], [1]], np.float32)) * np.array([[0.5], [2]], np.float32),
    ),
    "Binarizer": (["_greater_scalar"], [X], (), {"threshold": 2.0}, (X > 2).astype(np.float32)),
    "ArrayFeatureExtractor": (["Reshape", "take"], [X, np.array([[3, 0]])], (1,), {}, X[..., [3, 0]]),
    "ArrayFeatureExtractor of a vector": (
        ["take", "expand_dims"],
        [X[0, 0], np.array([3, 0])],
        (),
        {},
        X[0, :1, [3, 0]].T,
    ),
    "FeatureVectorizer": (
        ["Cast", "expand_dims", "Concat"],
        [np.array([[3, 4]]), X[0, 0]],
        (),
        {"inputdimensions": [2, 4]},
        np.array([[3, 4, -7, -6, -5, -4]], np.float32),
    ),
    "Imputer": (
        ["broadcast_equal", "Reshape", "broadcast_like", "where"],
        [X[0]],
        (),
        {"imputed_value_floats": [1.0, 2, 3, 4], "replaced_value_float": -5.0},
        np.where(X[0] == -5, np.float32(3), X[0]),
    ),
    "Imputer of NaN": (
        None,
        [np.array([np.nan, 1], np.float32)],
        (),
        {"imputed_value_floats": [7.0], "replaced_value_float": float("nan")},
        np.array([7, 1], np.float32),
    ),
    "Imputer of integers": (
        None,
        [np.array([[1 << 60, 3]])],
        (),
        {"imputed_value_int64s": [-1], "replaced_value_int64": 1 << 60},
        np.array([[-1, 3]]),
    ),
    "Cast": (["Cast"], [X.astype(np.int64)], (), {"to": onnx.TensorProto.FLOAT}, X),
    "Cast to bool": (["_not_equal_scalar", "Cast"], [X], (), {"to": onnx.TensorProto.BOOL}, X != 0),
    "Compress": (
        ["SwapAxis", "_contrib_boolean_mask", "SwapAxis"],
        [X, CHOSEN],
        (),
        {"axis": 1},
        X[:, CHOSEN],
    ),
    "Compress of a constant": (["take"], [X, CHOSEN], (1,), {"axis": 1}, X[:, CHOSEN]),
    "ReverseSequence": (
        ["SwapAxis", "SequenceReverse", "SwapAxis"],
        [X, LENGTHS],
        (),
        {"batch_axis": 0, "time_axis": 1},
        TURNED,
    ),
    "ReverseSequence of time first": (
        ["SequenceReverse"],
        [X.transpose(1, 0, 2).copy(), LENGTHS],
        (),
        {},
        TURNED.transpose(1, 0, 2),
    ),
    "OneHot": (None, [PLACES, np.array(4), VALUES], (1, 2), {}, one_hot(PLACES, 4, *VALUES)),
    "OneHot of bytes": (
        None,
        [np.array([-1, 5, -100], np.int8), np.array([200.0], np.float32), VALUES],
        (1, 2),
        {"axis": 0},
        one_hot([-1, 5, -100], 200, *VALUES, axis=0),
    ),
}


def told(title):
    """What a case is, with the operator's name."""
    operators, inputs, constants, attributes, expected = CASES[title]
    return (
        model(title.split()[0], *inputs, constants=constants, **attributes),
        operators,
        fed(inputs, constants),
        expected,
    )


@pytest.mark.parametrize("title", CASES)
def test_nodes_become_operators_of_mxnet(title, tmp_path):
    """Eager, hybridized, and from MXNet's own files; as ONNX says."""
    proto, operators, arrays, expected = told(title)
    symbol = mx.onnx.import_model(proto)[0]
    made = [node.op_name for node in symbol.nodes() if not node.is_variable]
    assert not [name for name in made if name.startswith("_onnx_")]
    assert operators is None or made == operators
    net = mx.onnx.import_to_gluon(proto)
    net.hybridize()
    names = [f"x{i}" for i in range(len(arrays))]
    again = mx.gluon.SymbolBlock.imports(*_files(net, arrays, tmp_path, names))
    for block in (net, again):
        for hybrid in (True, False):
            block.hybridize(hybrid)
            y = block(*[nd.array(a, dtype=a.dtype) for a in arrays])
            assert y.dtype == expected.dtype
            np.testing.assert_array_equal(y.asnumpy(), expected)


def _files(net, arrays, folder, names):
    net(*[nd.array(a, dtype=a.dtype) for a in arrays])
    symbol, params = net.export(str(folder / "model"))
    return symbol, names, params


SCRIPT = """
import sys, numpy as np, mxnet as mx
for folder in sys.argv[1:]:
    arrays = np.load(folder + "/arrays.npz")
    names = [f"x{i}" for i in range(len(arrays.files))]
    net = mx.gluon.SymbolBlock.imports(folder + "/model-symbol.json", names, folder + "/model-0000.params")
    for hybridize in (False, True):
        net.hybridize(hybridize)
        y = net(*[mx.nd.array(arrays[name], dtype=arrays[name].dtype) for name in names])
        np.save(folder + f"/y{int(hybridize)}.npy", y.asnumpy())
"""


@pytest.mark.oracle
def test_mxnet_computes_the_same_from_the_files(oracle, tmp_path):
    """A size of 0 is one that is not known in MXNet's default mode."""
    titles = [title for title in CASES if CASES[title][-1].size]
    for i, title in enumerate(titles):
        proto, _, arrays, _ = told(title)
        folder = tmp_path / str(i)
        folder.mkdir()
        net = mx.onnx.import_to_gluon(proto)
        net.hybridize()
        names = [f"x{i}" for i in range(len(arrays))]
        _files(net, arrays, folder, names)
        np.savez(folder / "arrays.npz", **dict(zip(names, arrays, strict=True)))
    folders = [str(tmp_path / str(i)) for i in range(len(titles))]
    done = subprocess.run([oracle, "-W", "ignore", "-c", SCRIPT, *folders], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    for i, title in enumerate(titles):
        for y in (np.load(tmp_path / str(i) / f"y{hybrid}.npy") for hybrid in (0, 1)):
            np.testing.assert_array_equal(y, CASES[title][-1], err_msg=title)


# ---- operators as they were in opsets 1 to 5


P = np.abs(X) + 1
HINT = {"consumed_inputs": [0]}
ONE = halves(1, 2, 3)
WEIGHTS = {gates: (halves(1, 4 * gates, 3), halves(1, 4 * gates, 4)) for gates in (1, 3, 4)}
RNN, GRU, LSTM = (np.split(ONE[0] @ WEIGHTS[gates][0][0].T, gates, axis=1) for gates in (1, 3, 4))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


FIRST = {
    "Abs": ([X], HINT, np.abs(X)),
    "Ceil": ([X / 4], HINT, np.ceil(X / 4)),
    "Exp": ([X], HINT, np.exp(X)),
    "Floor": ([X / 4], HINT, np.floor(X / 4)),
    "Log": ([P], HINT, np.log(P)),
    "Neg": ([X], HINT, -X),
    "Reciprocal": ([P], HINT, 1 / P),
    "Relu": ([X], HINT, np.maximum(X, 0)),
    "Sigmoid": ([X], HINT, 1 / (1 + np.exp(-X))),
    "Sqrt": ([P], HINT, np.sqrt(P)),
    "Tanh": ([X], HINT, np.tanh(X)),
    "Clip": ([X], {"min": -2.0, "max": 5.0} | HINT, np.clip(X, -2, 5)),
    "Elu": ([X], {"alpha": 0.5} | HINT, np.where(X < 0, 0.5 * np.expm1(np.minimum(X, 0)), X)),
    "HardSigmoid": ([X], HINT, np.clip(0.2 * X + 0.5, 0, 1)),
    "LeakyRelu": ([X], HINT, np.where(X < 0, X / 100, X)),
    "PRelu": ([X, np.array([1, 2, 3], np.float32)], HINT, np.where(X < 0, X * [[1], [2], [3]], X)),
    "Selu": ([X], HINT, 1.0507 * np.where(X < 0, 1.6732 * np.expm1(np.minimum(X, 0)), X)),
    "Max": ([X, P], {"consumed_inputs": [0, 0]}, np.maximum(X, P)),
    "Min": ([X, P], {"consumed_inputs": [0, 0]}, np.minimum(X, P)),
    "Sum": ([X, P, X], {"consumed_inputs": [0, 0, 0]}, 2 * X + P),
    "Mean": ([X, P], {"consumed_inputs": [0, 0]}, (X + P) / 2),
    "Dropout": ([X], {"is_test": 1} | HINT, X),
    "InstanceNormalization": (
        [X, np.ones(3, np.float32), np.zeros(3, np.float32)],
        HINT,
        (X - X.mean(2, keepdims=True)) / np.sqrt(X.var(2, keepdims=True) + 1e-5),
    ),
    "BatchNormalization": (
        [X, *[np.array([1, 2, 3], np.float32)] * 4],
        {"is_test": 1, "consumed_inputs": [0, 0, 0, 1, 1]},
        (X - [[1], [2], [3]]) / np.sqrt(np.array([[1], [2], [3]]) + 1e-5) * [[1], [2], [3]] + [[1], [2], [3]],
    ),
    "Cast": ([X], {"to": "INT32"}, X),
    "Concat": ([X, X], {}, np.concatenate([X, X], 1)),
    "Gemm": ([X[0], X[1], X[0, :, 0]], {"transB": 1, "broadcast": 1}, X[0] @ X[1].T + X[0, :, 0]),
    "Pad": (
        [X[None]],
        {"paddings": [0, 0, 1, 0, 0, 0, 2, 1]},
        np.pad(X[None], [(0, 0), (0, 0), (1, 2), (0, 1)]),
    ),
    "Tile": ([X, np.float32([3]), np.float32([1])], {}, np.tile(X, (1, 3, 1))),
    "Upsample": ([X[None]], {"height_scale": 2.0, "width_scale": 3.0}, X[None].repeat(2, 2).repeat(3, 3)),
    "GlobalLpPool": ([X[None]], {"p": 2.0}, np.sqrt((X[None] ** 2).sum((2, 3), keepdims=True))),
    "RNN": ([ONE, *WEIGHTS[1]], {"hidden_size": 4, "output_sequence": 1}, np.tanh(RNN[0])[None, None]),
    "GRU": (
        [ONE, *WEIGHTS[3]],
        {"hidden_size": 4, "output_sequence": 1},
        ((1 - sigmoid(GRU[0])) * np.tanh(GRU[2]))[None, None],
    ),
    "LSTM": (
        [ONE, *WEIGHTS[4]],
        {"hidden_size": 4, "output_sequence": 1},
        (sigmoid(LSTM[1]) * np.tanh(sigmoid(LSTM[0]) * np.tanh(LSTM[3])))[None, None],
    ),
    "Reshape": ([X], {"shape": [0, -1]} | HINT, X.reshape(2, 12)),
}


CONSTANT = {"Tile", "RNN", "GRU", "LSTM"}
"""Operators whose second and third inputs are constants."""


@pytest.mark.parametrize("op_type", FIRST)
def test_the_first_versions_of_operators(op_type):
    """By formulas, as ONNX Runtime has opset 7 and newer ones alone."""
    inputs, attributes, expected = FIRST[op_type]
    constants = (1, 2) if op_type in CONSTANT else ()
    proto = model(op_type, *inputs, constants=constants, opset=1, **attributes)
    symbol = mx.onnx.import_model(proto)[0]
    assert not [node.op_name for node in symbol.nodes() if node.op_name.startswith("_onnx_")]
    net = mx.onnx.import_to_gluon(proto)
    for hybrid in (False, True):
        net.hybridize(hybrid)
        y = net(*[nd.array(a) for a in fed(inputs, constants)])
        np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-6)


# ---- what stays ONNX's own


@pytest.mark.parametrize("opset", sorted({11, NEWEST}))
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8"])
@pytest.mark.parametrize("shape", [(), (1,)])
def test_one_hot_of_a_computed_depth(shape, dtype, opset):
    """Of indices and depths of all dtypes, where ONNX Runtime has kernels of few combinations."""
    places = PLACES if dtype.startswith("f") else np.array([0, 3, 4, 1], dtype)
    depth = np.full(shape, 4, dtype)
    for of_indices, of_depth in ((dtype, dtype), (dtype, "int64"), ("int64", dtype)):
        inputs = [places.astype(of_indices), depth.astype(of_depth), VALUES]
        net = mx.onnx.import_to_gluon(model("OneHot", *inputs, constants=(2,), opset=opset))
        for hybrid in (False, True):
            net.hybridize(hybrid)
            y = net(*[nd.array(a, dtype=a.dtype) for a in inputs[:2]])
            np.testing.assert_array_equal(y.asnumpy(), one_hot(inputs[0], 4, *VALUES))


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("sizes", [(3,), ("N",)])
@pytest.mark.parametrize("constant", [False, True])
def test_conditions_need_not_be_as_long_as_the_axis(constant, sizes, hybrid):
    """ONNX takes what is missing for false; ONNX Runtime passes over what is beyond."""
    x = np.array([5, 6, 7], np.float32)
    for condition in ([True], [False, True], [True, False, True]):
        chosen = np.array(condition)
        proto = model("Compress", x, chosen, constants=(1,) if constant else (), axis=0, opset=11)
        proto.graph.input[0].CopyFrom(helper.make_tensor_value_info("x0", onnx.TensorProto.FLOAT, sizes))
        net = mx.onnx.import_to_gluon(proto)
        net.hybridize(hybrid)
        fed_arrays = [nd.array(x)] if constant else [nd.array(x), nd.array(chosen, dtype="bool")]
        (expected,) = ReferenceEvaluator(proto).run(None, {"x0": x} | ({} if constant else {"x1": chosen}))
        np.testing.assert_array_equal(net(*fed_arrays).asnumpy(), expected)
