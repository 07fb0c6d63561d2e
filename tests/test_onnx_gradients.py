"""Gradient rules of ONNX's own nodes: one for every operator or a reason, right on onnx's own cases."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from hybridonnx import autograd, gluon, sym
from hybridonnx.errors import MXNetError
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.onnx import import_to_gluon
from hybridonnx.ops import _onnx_gradients as rules
from hybridonnx.ops import find, onnx_name
from hybridonnx.ops._onnx_gradients import _table
from hybridonnx.ops._onnx_gradients._table import full_name
from tests import onnx_gradients as checks
from tests.runtimes import ONNX, RELEASE, takes_empty_arrays

OPERATORS = sorted({schema.name for schema in onnx.defs.get_all_schemas_with_history() if not schema.domain})
LEARNED = sorted(
    {
        full_name(schema.name, schema.domain)
        for schema in onnx.defs.get_all_schemas_with_history()
        if schema.domain == "ai.onnx.ml"
    }
)
OLD = [
    name
    for name, is_old in {
        "DeformConv": RELEASE < (1, 31),  # its place is taken by ONNX's reference, which computes in float32
        "Resize-11": ONNX < (1, 22),  # ONNX's reference fails without a region
    }.items()
    if is_old
]
"""What the installed packages compute too badly."""
WITH_RULES = [name for name in OPERATORS if name in _table.load_all() and name not in OLD]

WITHOUT = {
    "test_training_dropout_default": "the mask is no output",
    "test_training_dropout": "the mask is no output",
    "test_training_dropout_default_mask": "each run drops others",
    "test_training_dropout_mask": "each run drops others",
    "test_mvn": "onnx cannot infer the function that it defines, where axes are left out",
    "test_training_dropout_zero_ratio": "the mask is no output",
    "test_reduce_log_sum_empty_set": "the logarithm of nothing has no derivative",
}
"""Cases that fail, and why."""
WITHOUT_SECOND = {
    "test_convtranspose_group_2": "ONNX's reference, which has float64, refuses some convolutions in groups",
    "test_convtranspose_group_2_image_3": "as the case before",
}
"""Cases whose gradient of the gradient fails, and why."""


def test_every_operator_has_one_rule_or_one_reason():
    tables = (_table._RULES, _table._CONSTANT, _table._REFUSED)
    counts = {name: sum(name in table for table in tables) for name in (*OPERATORS, *LEARNED)}
    assert {name: count for name, count in counts.items() if count != 1} == {}
    if ONNX >= (1, 23):  # older ones lack some
        assert not {name for table in tables for name in table} - {*OPERATORS, *LEARNED}


@pytest.mark.parametrize("name", sorted(_table._REFUSED))
def test_what_has_no_rule_says_why(name):
    kind = find(onnx_name(name))
    assert not kind.not_differentiable
    reason = _table._REFUSED[name]
    assert reason[:1].islower()
    assert not reason.endswith(".")


def test_a_refusal_tells_the_reason_and_what_to_do():
    case = next(c for c in checks.cases_of("RNN") if c.name == "test_simple_rnn_defaults")
    node = checks.prepared(case, np.float32)
    with pytest.raises(
        MXNetError, match=r"_onnx_RNN: has no gradient rule, as its steps are not known.*BlockGrad"
    ):
        checks.gradients(node, checks.eager(node), node.heads())


@pytest.mark.parametrize("name", sorted(_table._CONSTANT))
def test_constants_give_no_gradient(name):
    kind = find(onnx_name(name))
    assert kind.not_differentiable
    assert kind.not_differentiable == rules.why_constant(name)


def _usable(name, inside=True):
    """The cases of an operator that have gradients."""
    nodes = []
    for case in checks.cases_of(name):
        if case.name in WITHOUT:
            continue
        try:
            nodes.append(checks.supported(case, inside))
        except checks.NotForThisError:
            continue
    return nodes


@cache
def _first(name):
    for case in checks.cases_of(name):
        if case.name not in WITHOUT:
            try:
                return checks.supported(case)
            except checks.NotForThisError:
                continue
    return None


def _node(name):
    node = _first(name)
    if node is None:
        pytest.skip("onnx has no case of this operator with a gradient")
    return node


@pytest.mark.parametrize("name", WITH_RULES)
def test_gradient(name):
    node = _node(name)
    checks.check(node, checks.eager(node))


@pytest.mark.parametrize("name", WITH_RULES[::4])
def test_compiled_gradient(name):
    node = _node(name)
    checks.check(node, checks.hybridized(node))


@pytest.mark.parametrize("name", WITH_RULES[1::4])
def test_second_gradient(name):
    node = _node(name)
    if node.dtype == np.float32:
        pytest.skip("float32 is too coarse for derivatives of derivatives")
    checks.check_second(node)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_RULES)
def test_every_case(name):
    for node in _usable(name):
        checks.check(node, checks.eager(node))


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_RULES)
def test_every_case_compiled(name):
    for node in _usable(name, inside=False):
        checks.check(node, checks.hybridized(node))


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_RULES)
def test_every_second_gradient(name):
    for node in _usable(name):
        if node.dtype == np.float64 and node.name not in WITHOUT_SECOND:
            checks.check_second(node)


# ---- what onnx's cases leave out


def numbers(*shape, low=-1.0, high=1.0, seed=3):
    return np.random.default_rng(seed).uniform(low, high, shape)


def single(*shape):
    """Numbers for operators that ONNX's reference has in part, and ONNX Runtime in float32 alone."""
    return numbers(*shape).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


X = numbers(2, 3, 4)
IMAGE = numbers(1, 2, 4, 6)
BOXES = np.array([[0.3, -1.5, 5.2, 4.1], [2, 1, 2, 1], [4.5, 3.2, 9.7, 7.9]])
"""Regions within an image, of no size, and in part outside."""

VERSIONS = {
    "Add-7": (("Add", [X, numbers(3, 1)], 7), {}),
    "Mul-7": (("Mul", [X, numbers(4)], 7), {}),
    "Pow-7": (("Pow", [np.abs(X), numbers(3, 1)], 7), {}),
    "Pow-15-int": (("Pow", [X, ints(0, 1, 2, 3)], 15), {}),
    "PRelu-6": (("PRelu", [X, numbers(3)], 6), {}),
    "PRelu-16": (("PRelu", [X, numbers(3, 1)], 16), {}),
    "Clip-6": (("Clip", [X], 6), {"min": -0.5, "max": 0.4}),
    "Clip-13-low": (("Clip", [X, np.array(-0.2)], 13), {}),
    "Clip-13-crossed": (("Clip", [X, np.array(0.4), np.array(-0.3)], 13), {}),
    "Softmax-11": (("Softmax", [X], 11), {"axis": 1}),
    "LogSoftmax-11": (("LogSoftmax", [X], 11), {}),
    "Softmax-13": (("Softmax", [X], 13), {"axis": 1}),
    "ReduceSum-11": (("ReduceSum", [X], 11), {"axes": [0, 2], "keepdims": 0}),
    "ReduceMean-13": (("ReduceMean", [X], 13), {"axes": [-1]}),
    "ReduceMean-13-all": (("ReduceMean", [X], 13), {"keepdims": 0}),
    "ReduceL2-13": (("ReduceL2", [X], 13), {"axes": [1], "keepdims": 0}),
    "ReduceProd-18": (("ReduceProd", [X * (X > -0.5)], 18), {"keepdims": 0}),
    "ReduceSum-13-none": (("ReduceSum", [X, ints()], 13), {"noop_with_empty_axes": 1}),
    "Squeeze-11": (("Squeeze", [X[:, :1]], 11), {"axes": [1]}),
    "Unsqueeze-11": (("Unsqueeze", [X], 11), {"axes": [0, 2]}),
    "Split-11": (("Split", [X], 11, 2), {"axis": 2, "split": [1, 3]}),
    "Split-18": (("Split", [X], 18, 2), {"axis": -1, "num_outputs": 2}),
    "Slice-9": (("Slice", [X], 9), {"axes": [0, 2], "starts": [1, 0], "ends": [2, 3]}),
    "Slice-13-back": (("Slice", [X, ints(-1), ints(-100), ints(2), ints(-2)], 13), {}),
    "Pad-10": (("Pad", [X], 10), {"pads": [0, 1, 0, 0, 0, 2], "mode": "reflect"}),
    "Pad-10-cut": (("Pad", [X], 10), {"pads": [0, -1, 0, 1, 0, 2]}),
    "Pad-13-value": (("Pad", [X, ints(0, -1, 1, 0, 2, 0), np.array(0.5)], 13), {}),
    "Pad-19-wrap": (("Pad", [X, ints(0, 1, 1, 0, 2, 3)], 19), {"mode": "wrap"}),
    "Pad-18-axes": (("Pad", [X, ints(1, 2), np.array(0.5), ints(-1)], 18), {}),
    "Tile-13": (("Tile", [X, ints(2, 1, 3)], 13), {}),
    "Expand-13": (("Expand", [X[:1], ints(5, 2, 3, 4)], 13), {}),
    "TopK-9": (("TopK", [X], 9, 2), {"k": 2}),
    "TopK-11-least": (("TopK", [X, ints(2)], 11, 2), {"axis": 1, "largest": 0}),
    "Gather-13": (("Gather", [X, ints(2, -1, 0)], 13), {"axis": -2}),
    "Gather-13-one": (("Gather", [X, np.array(-2)], 13), {"axis": 2}),
    "Concat-13-one": (("Concat", [X], 13), {"axis": 0}),
    "Transpose-13": (("Transpose", [X], 13), {}),
    "Trilu-14": (("Trilu", [X, np.array(1)], 14), {"upper": 0}),
    "Dropout-7": (("Dropout", [X], 7), {}),
    "MatMul-vectors": (("MatMul", [numbers(4), numbers(4, seed=5)], 13), {}),
    "MatMul-left": (("MatMul", [numbers(3), X], 13), {}),
    "MatMul-right": (("MatMul", [X, numbers(4)], 13), {}),
    "MatMul-broadcast": (("MatMul", [numbers(5, 1, 3, 4), numbers(2, 4, 2)], 13), {}),
    "Gemm-transposed": (
        ("Gemm", [numbers(3, 2), numbers(4, 3), numbers(4)], 13),
        {"transA": 1, "transB": 1, "alpha": 0.5, "beta": 2.0},
    ),
    "Gemm-no-bias": (("Gemm", [numbers(2, 3), numbers(3, 4)], 13), {"alpha": 0.5}),
    "Einsum-diagonal": (("Einsum", [numbers(3, 3)], 12), {"equation": "ii->i"}),
    "Einsum-trace": (("Einsum", [numbers(2, 3, 3)], 12), {"equation": "bii->b"}),
    "Einsum-sums": (("Einsum", [numbers(2, 3), numbers(3, 4)], 12), {"equation": "ij,jk"}),
    "Einsum-alone": (("Einsum", [numbers(2, 3), numbers(3, 4)], 12), {"equation": "ij,jk->k"}),
    "Einsum-dots": (("Einsum", [numbers(2, 3, 4), numbers(2, 4, 5)], 12), {"equation": "...ij,...jk->...ik"}),
    "Conv-groups": (
        ("Conv", [single(2, 4, 7), single(6, 2, 3), single(6)], 11),
        {"group": 2, "strides": [2], "dilations": [2], "pads": [1, 2]},
    ),
    "Conv-same": (
        ("Conv", [single(1, 2, 4, 6), single(3, 2, 2, 3)], 11),
        {"auto_pad": "SAME_UPPER", "strides": [2, 3]},
    ),
    "Conv-3d": (("Conv", [single(1, 2, 4, 3, 5), single(2, 2, 2, 1, 3)], 11), {"strides": [1, 2, 1]}),
    "ConvTranspose-groups": (
        ("ConvTranspose", [single(2, 4, 5), single(4, 3, 3)], 11),
        {"group": 2, "strides": [2], "output_padding": [1], "pads": [1, 0], "dilations": [2]},
    ),
    "AveragePool-same": (
        ("AveragePool", [IMAGE], 11),
        {"kernel_shape": [2, 3], "auto_pad": "SAME_LOWER", "strides": [2, 2]},
    ),
    "AveragePool-ceil": (
        ("AveragePool", [IMAGE], 19),
        {
            "kernel_shape": [3, 2],
            "strides": [2, 3],
            "ceil_mode": 1,
            "pads": [1, 0, 0, 1],
            "count_include_pad": 1,
        },
    ),
    "MaxPool-1": (("MaxPool", [IMAGE], 1), {"kernel_shape": [2, 2], "strides": [1, 2]}),
    "MaxPool-dilated": (
        ("MaxPool", [IMAGE], 12),
        {"kernel_shape": [2, 2], "dilations": [2, 3], "ceil_mode": 1, "storage_order": 1},
    ),
    "LpPool-18": (("LpPool", [IMAGE], 18), {"kernel_shape": [2, 2], "dilations": [1, 2], "p": 3}),
    "GlobalLpPool": (("GlobalLpPool", [single(1, 2, 4, 6)], 11), {"p": 3}),
    "BatchNormalization-9": (
        ("BatchNormalization", [IMAGE, numbers(2), numbers(2), numbers(2), numbers(2, low=0.5)], 9),
        {},
    ),
    "BatchNormalization-15": (
        ("BatchNormalization", [IMAGE, numbers(2), numbers(2), numbers(2), numbers(2, low=0.5)], 15, 3),
        {"training_mode": 1},
    ),
    "GroupNormalization-18": (
        ("GroupNormalization", [numbers(2, 4, 3, 2), numbers(2), numbers(2)], 18),
        {"num_groups": 2},
    ),
    "LayerNormalization-axis": (("LayerNormalization", [X, numbers(3, 4), numbers(4)], 17, 3), {"axis": 1}),
    "LpNormalization-1": (("LpNormalization", [X], 1), {"p": 1, "axis": 1}),
    "LRN-13": (("LRN", [single(2, 5, 2, 2)], 13), {"size": 3, "alpha": 0.9}),
    "RoiAlign-max": (
        ("RoiAlign", [100 * numbers(2, 3, 6, 8), BOXES, ints(1, 0, 1)], 16),
        {"mode": "max", "output_height": 2, "output_width": 3},
    ),
    "RoiAlign-max-10": (
        ("RoiAlign", [100 * numbers(2, 3, 6, 8), BOXES, ints(1, 0, 1)], 10),
        {"mode": "max", "output_height": 3, "output_width": 2, "sampling_ratio": 2, "spatial_scale": 1.3},
    ),
    "Upsample-7": (("Upsample", [single(1, 2, 4, 6)], 7), {"scales": [1.0, 1.0, 2.0, 1.5]}),
    "Upsample-9-linear": (
        ("Upsample", [single(1, 2, 4, 6), np.array([1, 1, 2, 2], np.float32)], 9),
        {"mode": "linear"},
    ),
    "Resize-11": (
        ("Resize", [IMAGE, np.array([], np.float32), np.array([1, 1, 1.5, 0.6], np.float32)], 11),
        {"mode": "linear"},
    ),
    "Resize-19-cubic": (
        ("Resize", [IMAGE, None, None, ints(1, 2, 7, 3)], 19),
        {"mode": "cubic", "antialias": 1},
    ),
    "Resize-19-not-larger": (
        ("Resize", [IMAGE, None, None, ints(9, 8)], 19),
        {"mode": "linear", "axes": [2, 3], "keep_aspect_ratio_policy": "not_larger"},
    ),
    "Resize-18-not-smaller": (
        ("Resize", [IMAGE, None, None, ints(7, 3)], 18),
        {"mode": "cubic", "axes": [3, 2], "keep_aspect_ratio_policy": "not_smaller"},
    ),
    "Resize-19-not-smaller-nearest": (
        ("Resize", [IMAGE, None, None, ints(2, 3, 9, 8)], 19),
        {"nearest_mode": "ceil", "keep_aspect_ratio_policy": "not_smaller"},
    ),
    "GridSample-20": (
        ("GridSample", [IMAGE, numbers(1, 3, 2, 2, high=1.4)], 20),
        {"mode": "linear", "padding_mode": "reflection"},
    ),
    "CumSum-14": (("CumSum", [X, np.array(-1)], 14), {"exclusive": 1, "reverse": 1}),
    "CumProd-26": (("CumProd", [X * (X > -0.6), np.array(2)], 26), {}),
    "CumProd-26-back": (("CumProd", [X * (X > -0.6), np.array(1)], 26), {"exclusive": 1, "reverse": 1}),
    "ScatterElements-mul": (
        ("ScatterElements", [numbers(3, 3), ints(0, 0, 2).reshape(1, 3).repeat(2, 0), numbers(2, 3)], 18),
        {"reduction": "mul"},
    ),
    "ScatterND-max": (
        ("ScatterND", [numbers(4, 2), ints(1, 1, 3).reshape(3, 1), numbers(3, 2, seed=4)], 18),
        {"reduction": "max"},
    ),
    "Scatter-9": (("Scatter", [numbers(3, 3), ints(0, 1, 2).reshape(1, 3), numbers(1, 3)], 9), {"axis": 0}),
    "DFT-17": (("DFT", [numbers(1, 6, 2), ints(8).reshape(())], 17), {"axis": 1, "onesided": 0}),
    "DFT-20-half": (("DFT", [numbers(1, 7, 1), ints(5).reshape(()), np.array(-2)], 20), {"onesided": 1}),
    "DFT-17-inverse": (("DFT", [numbers(1, 5, 3, 2)], 17), {"axis": 2, "inverse": 1}),
    "Range-11": (("Range", [np.array(0.5), np.array(3.1), np.array(0.7)], 11), {}),
    "Mean-8": (("Mean", [X, numbers(4), numbers(3, 1)], 13), {}),
    "Max-13": (("Max", [X, numbers(4, seed=4), numbers(3, 1, seed=5)], 13), {}),
    "DepthToSpace-1": (("DepthToSpace", [numbers(1, 8, 2, 3)], 1), {"blocksize": 2}),
    "Col2Im-18": (
        ("Col2Im", [numbers(1, 8, 4), ints(5, 5), ints(2, 2)], 18),
        {"strides": [2, 2], "pads": [0, 0, 0, 0], "dilations": [2, 1]},
    ),
    "Softplus-far": (("Softplus", [np.array([-700.0, 0.0, 20.0])], 22), {}),
    "Elu-far": (("Elu", [np.array([-30.0, 800.0])], 22), {}),
}
"""Forms and opsets of operators beside those of onnx's cases."""


@pytest.mark.parametrize("name", [name for name in VERSIONS if name not in OLD])
def test_forms(name):
    arguments, attributes = VERSIONS[name]
    node = checks.case_of(*arguments, **attributes)
    checks.check(node, checks.eager(node))


@pytest.mark.parametrize("name", list(VERSIONS)[::6])
def test_compiled_forms(name):
    arguments, attributes = VERSIONS[name]
    node = checks.case_of(*arguments, **attributes)
    checks.check(node, checks.hybridized(node))
    if node.dtype == np.float64:
        checks.check_second(node)


@pytest.mark.parametrize("equation", ["...ij,jk->...ik", "ij,...jk"])
def test_dots_of_one_term_alone(equation):
    """Which ONNX Runtime does not sum over."""
    shapes = [(2, 3, 4), (4, 5)] if equation.startswith(".") else [(3, 4), (2, 4, 5)]
    node = checks.case_of("Einsum", [numbers(*shape) for shape in shapes], 12, equation=equation)
    checks.check(node, checks.hybridized(node))
    checks.check_second(node)


ELEMENTWISE = {
    "Sigmoid": 13,
    "Tanh": 13,
    "Gelu": 20,
    "Mish": 18,
    "Softplus": 1,
    "Elu": 6,
    "HardSwish": 14,
    "Erf": 13,
    "Identity": 13,
    "Sqrt": 13,
    "Clip": 13,
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_arrays_without_axes(name):
    node = checks.case_of(name, [np.array(0.3)], ELEMENTWISE[name])
    for function in (checks.eager(node), checks.hybridized(node)):
        checks.check(node, function)


@pytest.mark.parametrize("name", ["Add", "Mul", "Div", "Pow", "Max", "Sum"])
def test_numbers_without_axes_broadcast(name):
    node = checks.case_of(name, [np.array(0.3), np.abs(X) + 0.4], 13)
    for function in (checks.eager(node), checks.hybridized(node)):
        checks.check(node, function)


HALVES = {
    "Gelu": (("Gelu", [X], 20), {}),
    "ReduceL2": (("ReduceL2", [X], 18), {"keepdims": 0}),
    "LayerNormalization": (("LayerNormalization", [X, numbers(4)], 17), {}),
    "Softmax": (("Softmax", [X], 13), {}),
    "MatMul": (("MatMul", [X, numbers(4, 2)], 13), {}),
    "Pad": (("Pad", [X, ints(0, 1, 1, 0, 2, 3)], 18), {"mode": "reflect"}),
    "Pad-constant": (("Pad", [X, ints(0, 1, -1, 0, 2, 3)], 18), {}),
    "AveragePool": (
        ("AveragePool", [IMAGE], 19),
        {"kernel_shape": [3, 2], "strides": [2, 3]},
    ),
    "GatherElements": (("GatherElements", [X[0], ints(1, 1, 2).reshape(1, 3)], 13), {}),
}


@pytest.mark.parametrize("name", HALVES)
def test_float16(name):
    """The dtype stays, and the numbers are those of float64 rounded."""
    (op_type, inputs, opset), attributes = HALVES[name]
    halves = [x.astype(np.float16) if x.dtype.kind == "f" else x for x in inputs]
    wide = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in halves]
    half, exact = (checks.case_of(op_type, x, opset, **attributes) for x in (halves, wide))
    heads = half.heads()
    for function in (checks.eager(half), checks.hybridized(half)):
        got = checks.gradients(half, function, heads)
        expected = checks.gradients(exact, checks.eager(exact), [h.astype(np.float64) for h in heads])
        for key, value in got.items():
            assert value.dtype == np.float16
            np.testing.assert_allclose(value, expected[key], rtol=1e-2, atol=1e-2)


def test_free_sizes():
    """One hybridized block of nodes with computed operands, at several sizes."""
    x = sym.var("x")
    node = checks.case_of("Resize", [IMAGE, None, np.array([1, 1, 2, 1.5], np.float32)], 13, mode="linear")
    y = sym._onnx_Resize(x, **node.op.attributes())
    node = checks.case_of("ReduceL2", [IMAGE, ints(-1)], 18, keepdims=0)
    y = sym._onnx_ReduceL2(y, **node.op.attributes())
    node = checks.case_of("Trilu", [IMAGE], 14, upper=0)
    block = gluon.SymbolBlock([sym._onnx_Trilu(y, **node.op.attributes())], [x])
    grads = []
    for hybridize in (False, True):
        if hybridize:
            block.hybridize()
        for shape in ((1, 2, 4, 6), (3, 2, 5, 4), (2, 1, 1, 2)):
            data = NDArray(numbers(*shape))
            data.attach_grad()
            with autograd.record():
                z = block(data)
            z.backward(NDArray(numbers(*z.shape, seed=8)))
            grads.append(data.grad.asnumpy())
    for a, b in zip(grads[:3], grads[3:], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)


EMPTY = {
    "Gelu": (("Gelu", [X[:0]], 20), {}),
    "ReduceSum": (("ReduceSum", [X[:0]], 13), {}),
    "Pad": (("Pad", [X[:0], ints(0, 1, 0, 0, 0, 2)], 18), {"mode": "edge"}),
    "InstanceNormalization": (("InstanceNormalization", [IMAGE[:0], numbers(2), numbers(2)], 6), {}),
    "MatMul": (("MatMul", [X[:0], numbers(4, 2)], 13), {}),
    "Slice": (("Slice", [X, ints(1), ints(1), ints(0)], 13), {}),
    "GlobalAveragePool": (("GlobalAveragePool", [single(0, 2, 3)], 1), {}),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[takes_empty_arrays] * (name == "MatMul")) for name in EMPTY]
)
def test_arrays_without_elements(name):
    """Gradients of empty arrays are empty, and others are zero."""
    arguments, attributes = EMPTY[name]
    node = checks.case_of(*arguments, **attributes)
    for function in (checks.eager(node), checks.hybridized(node)):
        for key, grad in checks.gradients(node, function, node.heads()).items():
            assert grad.shape == node.arrays[key].shape
            assert not grad.any()


def test_one_array_for_two_inputs():
    node = checks.case_of("Mul", [X, X], 13)
    data = NDArray(X)
    data.attach_grad()
    with autograd.record():
        y = checks.eager(node)(data, data)
    y.backward()
    np.testing.assert_allclose(data.grad.asnumpy(), 2 * X)


def _computed_model():
    """A convolution of an image that is resized to sizes which an input gives, and a norm of all of it."""
    weight = numpy_helper.from_array(single(3, 2, 2, 2), "weight")
    nodes = [
        helper.make_node("Resize", ["x", "", "", "sizes"], ["large"], mode="linear"),
        helper.make_node("Conv", ["large", "weight"], ["y"], kernel_shape=[2, 2]),
        helper.make_node("ReduceL2", ["y", "axes"], ["norm"], keepdims=0),
    ]
    inputs = [
        helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 2, "h", "w"]),
        helper.make_tensor_value_info("sizes", onnx.TensorProto.INT64, [4]),
        helper.make_tensor_value_info("axes", onnx.TensorProto.INT64, [1]),
    ]
    outputs = [helper.make_tensor_value_info("norm", onnx.TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "computed", inputs, outputs, [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def test_an_imported_model_with_computed_operands_trains():
    """The weight's gradient is that of the formula, eagerly and hybridized, at two sizes."""
    block = import_to_gluon(_computed_model().SerializeToString())
    (weight,) = block.collect_params().values()
    for hybridize in (False, True):
        if hybridize:
            block.hybridize()
        for sizes in ((1, 2, 4, 6), (2, 2, 3, 5)):
            data = NDArray(single(sizes[0], 2, 3, 3))
            with autograd.record():
                norm = block(data, NDArray(ints(*sizes)), NDArray(ints(1)))
            norm.backward()
            eps, direction = 1e-2, single(3, 2, 2, 2)
            got = float(np.sum(weight.grad().asnumpy() * direction))
            values = []
            before = weight.data().asnumpy()
            for sign in (1, -1):
                weight.set_data(NDArray(before + sign * eps * direction))
                values.append(float(block(data, NDArray(ints(*sizes)), NDArray(ints(1))).asnumpy().sum()))
            weight.set_data(NDArray(before))
            assert abs(got - (values[0] - values[1]) / (2 * eps)) < 1e-2 * abs(got)


@pytest.mark.parametrize("hybridize", [False, True])
def test_what_was_made_an_integer_has_no_gradient(hybridize):
    """A float that goes through int64 is rounded towards zero, which is flat."""
    x = sym.var("x")
    whole = checks.case_of("Cast", [X], 13, to=onnx.TensorProto.INT64).op.attributes()
    back = checks.case_of("Cast", [X], 13, to=onnx.TensorProto.DOUBLE).op.attributes()
    y = sym._onnx_Cast(sym._onnx_Cast(x, **whole), **back)
    block = gluon.SymbolBlock([sym._onnx_Add(y, x, **checks.case_of("Add", [X, X], 13).op.attributes())], [x])
    if hybridize:
        block.hybridize()
    data = NDArray(X * 9)
    data.attach_grad()
    with autograd.record():
        z = block(data)
    z.backward()
    np.testing.assert_array_equal(data.grad.asnumpy(), np.ones_like(X))
