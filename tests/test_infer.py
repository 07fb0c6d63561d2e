"""Shapes and dtypes of graphs, forward and backward. Expected values are MXNet's."""

from __future__ import annotations

import time

import numpy as np
import pytest

import hybridonnx.symbol as sym
from hybridonnx.errors import DTypeError, MXNetError, ShapeError
from hybridonnx.ndarray.np_shape import set_np_shape
from hybridonnx.ops import Spec
from hybridonnx.symbol.graph import Entry
from hybridonnx.symbol.infer import infer

F16, F32, F64 = np.float16, np.float32, np.float64


@pytest.fixture
def a():
    return sym.var("a")


@pytest.fixture
def b():
    return sym.var("b")


@pytest.fixture
def net():
    fc = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    return sym.SoftmaxOutput(sym.BatchNorm(fc, name="bn"), name="softmax")


# ---- shapes


def test_parameters_follow_from_data(net):
    shapes = ([(4, 5), (3, 5), (3,), (3,), (3,), (4,)], [(4, 3)], [(3,), (3,)])
    assert net.infer_shape(data=(4, 5)) == shapes
    assert net.infer_shape((4, 5)) == shapes


def test_unknown_sizes_are_0(net):
    partial = ([(0, 5), (3, 5), (3,), (3,), (3,), (0,)], [(0, 3)], [(3,), (3,)])
    assert net.infer_shape_partial(data=(0, 5)) == partial
    assert net.infer_shape_partial(data=(-1, 5)) == partial
    assert net.infer_shape_partial() == ([()] * 6, [()], [()] * 2)
    with pytest.warns(UserWarning, match=r"Cannot decide shape.*\n\tdata: \(0, 5\)\n\tsoftmax_label: \(0,\)"):
        assert net.infer_shape(data=(0, 5)) == (None, None, None)


def test_partial_shapes_complete_each_other(a, b):
    assert (a + b).infer_shape(a=(2, 0), b=(0, 4)) == ([(2, 4), (2, 4)], [(2, 4)], [])
    assert (a + b).infer_shape(a=(2, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])


def test_shapes_run_backward(a, b):
    assert (sym.relu(sym.relu(a)) + b).infer_shape(b=(2, 3))[0] == [(2, 3), (2, 3)]
    assert (sym.zeros((2, 0)) + a).infer_shape(a=(2, 7)) == ([(2, 7)], [(2, 7)], [])


@pytest.mark.parametrize("flatten", [True, False])
def test_rows_run_backward_through_dense_layers(b, flatten):
    first = sym.zeros((0, 4))
    y = sym.FullyConnected(first, num_hidden=3, no_bias=True, flatten=flatten, name="fc") + b
    assert y.get_internals().infer_shape(b=(2, 3))[1] == [(2, 4), (3, 4), (2, 3), (2, 3), (2, 3)]


def test_batch_sizes_run_backward_through_convolutions(b):
    first = sym.zeros((0, 3, 6, 6))
    y = sym.Convolution(first, num_filter=2, kernel=(3, 3), stride=(2, 2), pad=(1, 1), no_bias=True) + b
    shapes = [(5, 3, 6, 6), (2, 3, 3, 3), (5, 2, 3, 3), (5, 2, 3, 3), (5, 2, 3, 3)]
    assert y.get_internals().infer_shape(b=(5, 2, 3, 3))[1] == shapes


def test_variables_tell_their_shape():
    plus = sym.var("q", shape=(2, 3)) + 1
    assert plus.infer_shape() == ([(2, 3)], [(2, 3)], [])
    assert plus.infer_shape(q=(5,)) == ([(5,)], [(5,)], [])
    assert (sym.var("q", shape=(2, 0)) + 1).infer_shape_partial()[0] == [(2, 0)]
    with pytest.raises(ShapeError, match="a shape such as") as caught:
        sym.var("q", __shape__="many").infer_shape()
    assert str(caught.value).endswith(". In node q (null).")


def test_sizes_may_stay_unknown(net):
    specs = infer(net, {"data": Spec((None, 5))})
    assert specs[net.outputs[0]] == Spec((None, 3), np.dtype(F32))
    assert specs[net.get_internals()["fc_weight"].outputs[0]].shape == (3, 5)


def test_hidden_outputs_are_inferred(net):
    specs = infer(net, {"data": Spec((4, 5))})
    node = next(node for node in net.nodes() if node.name == "bn")
    assert [specs[Entry(node, i)].shape for i in range(3)] == [(4, 3), (3,), (3,)]


def test_ranks_are_required(a, b):
    with pytest.raises(ShapeError, match="the shapes of a, b are required"):
        infer(a + b)
    assert infer(a + b, partial=True)[a.outputs[0]] == Spec()


# ---- errors


def test_the_node_is_told(a, b):
    with pytest.raises(ShapeError, match=r"got \(2, 3\) and \(2, 1\). Use broadcast_add") as caught:
        sym.elemwise_add(a, b, name="plus").infer_shape(a=(2, 3), b=(2, 1))
    place = "In node plus (elemwise_add) of a (2, 3) of unknown dtype, b (2, 1) of unknown dtype."
    assert str(caught.value).endswith(f". {place}")


def test_weights_that_do_not_fit(net):
    with pytest.raises(ShapeError, match=r"weight of shape \(3, 5\) is required, got \(3, 6\)"):
        net.infer_shape(data=(4, 5), fc_weight=(3, 6))


def test_calls_are_checked(net):
    with pytest.raises(MXNetError, match=r"no variable is named 'dat'.*Did you mean data"):
        net.infer_shape(dat=(4, 5))
    with pytest.raises(ValueError, match="either by position or by name"):
        net.infer_shape((4, 5), data=(4, 5))
    with pytest.raises(TypeError, match="a tuple is required as the shape of data, got 4"):
        net.infer_shape(data=4)
    with pytest.raises(MXNetError, match="6 arguments at most"):
        net.infer_shape(*[(1,)] * 7)


def test_missing_inputs_are_told(a):
    text = '{"nodes": [{"op": "FullyConnected", "name": "fc", "attrs": {"num_hidden": "3"}, "inputs": []}],'
    text += '"heads": [[0, 0, 0]], "attrs": {"mxnet_version": ["int", 10901]}}'
    with pytest.raises(MXNetError, match="inputs data, weight, bias are required, got 0 inputs"):
        sym.load_json(text).infer_shape()


# ---- dtypes


@pytest.mark.parametrize("dtype", [F32, F64])
def test_dtypes_follow_from_data(net, dtype):
    assert net.infer_type(data=dtype) == ([dtype] * 6, [dtype], [dtype] * 2)


def test_statistics_of_halves_are_floats(net):
    assert net.infer_type(data="float16") == ([F16, F16, F16, F32, F32, F16], [F16], [F32, F32])


def test_dtypes_run_backward(a):
    half = sym.var("b", dtype="float16")
    for y in (sym.relu(a), sym.sum(a), sym.reshape(a, shape=(1,)), sym.dot(a, a)):
        assert (y + half).infer_type() == ([F16, F16], [F16], [])


def test_unknown_dtypes(a, net):
    assert net.infer_type_partial() == ([None] * 6, [None], [None] * 2)
    assert sym.cast(a, dtype="int32").infer_type_partial() == ([None], [np.int32], [])
    with pytest.warns(UserWarning, match="Cannot decide type"):
        assert net.infer_type() == (None, None, None)


def test_unknown_dtypes_default_to_float32(a, b):
    specs = infer(a + b, {"a": Spec((2,)), "b": Spec((2,), np.dtype(F64))})
    assert specs[a.outputs[0]].dtype == F64
    alone = infer(sym.cast(a, dtype="int32"), {"a": Spec((2,))})
    assert alone[a.outputs[0]].dtype == F32


def test_variables_tell_their_dtype():
    assert (sym.var("q", dtype="float16") + 1).infer_type() == ([F16], [F16], [])
    assert (sym.var("q", dtype="float16") + 1).infer_type(q=F64) == ([F64], [F64], [])
    assert sym.var("q", __dtype__="-1").infer_type_partial() == ([None], [None], [])
    with pytest.raises(DTypeError, match="a flag among"):
        sym.var("q", __dtype__="99").infer_type_partial()


def test_dtypes_that_do_not_fit(net):
    with pytest.raises(DTypeError, match="inputs of one dtype"):
        net.infer_type(data="float16", fc_weight="float32")


# ---- speed


def test_long_graphs_take_seconds(a):
    variables = [sym.var(f"v{i}") for i in range(5000)]
    total = variables[0]
    for variable in variables[1:]:
        total = sym.relu(total + variable)
    start = time.process_time()
    assert total.infer_shape(v4999=(2, 3))[1] == [(2, 3)]
    assert len(infer(sym.Group([v * 2 for v in variables]), partial=True)) == 10000
    assert time.process_time() - start < 10


def test_numpy_shapes_have_sizes_of_0(a):
    before = set_np_shape(True)
    try:
        assert (a + 1).infer_shape(a=(0, 2)) == ([(0, 2)], [(0, 2)], [])
        assert (a + 1).infer_shape(a=()) == ([()], [()], [])
        assert (a + 1).infer_shape_partial(a=(-1, 2)) == ([(-1, 2)], [(-1, 2)], [])
        assert (a + 1).infer_shape_partial() == ([None], [None], [])
        with pytest.warns(UserWarning, match="sizes of -1 are unknown"):
            assert (a + 1).infer_shape(a=(-1, 2)) == (None, None, None)
    finally:
        set_np_shape(before)


@pytest.mark.parametrize(
    ("name", "options", "known", "inferred"),
    [
        ("_plus_scalar", {"scalar": 2}, {"r": "float16"}, {"x": "float16"}),
        ("_equal_scalar", {"scalar": 2}, {"r": "float64"}, {"x": "float64"}),
        ("norm", {}, {"r": "float64"}, {"x": "float64"}),
        ("sort", {}, {"r": "int32"}, {"x": "int32"}),
        ("SequenceMask", {"use_sequence_length": True}, {"x": "float16"}, {"y": "float16"}),
        ("SequenceMask", {"use_sequence_length": True}, {"x": "float16", "y": "int32"}, {"y": "int32"}),
        ("amp_cast", {"dtype": "float16"}, {"r": "float16"}, {"x": None}),
        ("one_hot", {"depth": 3}, {"r": "float32"}, {"x": None}),
    ],
)
def test_dtypes_of_inputs(name, options, known, inferred):
    """As real MXNet infers them, from what the output is added to."""
    variables = [sym.var(n) for n in "xy"[: 1 + name.startswith("Sequence")]]
    operator = getattr(sym, name, None) or getattr(sym._internal, name)
    symbol = operator(*variables, **options) + sym.var("r")
    arguments = symbol.infer_type_partial(**known)[0]
    dtypes = dict(zip(symbol.list_arguments(), arguments, strict=True))
    assert {n: dtypes[n] and np.dtype(dtypes[n]).name for n in inferred} == inferred
