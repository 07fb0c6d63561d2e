"""Mistakes that MXNet refuses, by the type of its error, and what it takes although it might not."""

from __future__ import annotations

import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd, sym
from hybridonnx.errors import MXNetError
from hybridonnx.util import np_shape


@pytest.mark.parametrize("function", [nd.zeros, nd.ones, lambda shape: nd.full(shape, 3)])
def test_arrays_without_axes_are_numpys(function):
    with pytest.raises(MXNetError, match=r"at least one axis is required, got \(\)"):
        function(())
    with np_shape(True):
        assert function(()).shape == ()
    assert nd.empty(()).shape == ()


def test_open_sizes_that_nothing_tells():
    with pytest.raises(MXNetError, match=r"the graph around tells is required .* got \(\?, 2\)"):
        sym.zeros((0, 2)).eval()


@pytest.mark.parametrize("name", ["depth_to_space", "space_to_depth"])
def test_blocks_of_nothing(name):
    with pytest.raises(MXNetError, match=r"no size 0, .* got \(0, 4, 2, 2\)"):
        getattr(nd, name)(nd.empty((0, 4, 2, 2)), block_size=2)


def test_axes_to_broadcast_along():
    a, b = nd.ones((1, 2)), nd.ones((3, 2))
    with pytest.raises(MXNetError, match=r"one length, 1 or more, .* got \(\) and \(\)"):
        nd.broadcast_like(a, b, lhs_axes=(), rhs_axes=())
    assert nd.broadcast_like(a, b, lhs_axes=()).shape == (3, 2)
    assert nd.broadcast_like(a, b, lhs_axes=(0,)).shape == (3, 2)


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_classes_have_no_gradient(dtype):
    classes, weight = nd.array([0, 1], dtype=dtype), nd.ones((3, 2))
    classes.attach_grad()
    weight.attach_grad()
    with autograd.record():
        y = nd.Embedding(classes, weight, input_dim=3, output_dim=2)
    with pytest.raises(MXNetError, match="data holds indices and has no gradient"):
        y.backward()
    embedded = sym.Embedding(sym.var("data"), input_dim=3, output_dim=2, name="e")
    executor = embedded.simple_bind(mx.cpu(), grad_req={"e_weight": "write"}, data=(2,))
    executor.forward(is_train=True)
    executor.backward(nd.ones((2, 2)))
    assert executor.grad_dict["e_weight"].asnumpy().tolist() == [[2, 2], [0, 0], [0, 0]]


def test_values_of_row_sparse_parameters_are_asked_for_by_row():
    parameter = gluon.Parameter("w", shape=(3, 2), stype="row_sparse")
    parameter.initialize("ones")
    with pytest.raises(RuntimeError, match=r"Use row_sparse_data\(\)"):
        parameter.data()
    with pytest.raises(RuntimeError, match=r"Use list_row_sparse_data\(\)"):
        parameter.list_data()
    assert parameter.row_sparse_data(nd.array([0, 2])).indices.asnumpy().tolist() == [0, 2]


@pytest.mark.parametrize("index", [5, -4])
def test_points_out_of_bounds(index):
    with pytest.raises(IndexError, match=f"from -3 to 2 are required along axis 0, got {index}"):
        nd.gather_nd(nd.ones((3, 2)), nd.array([[index], [0]]))


class _Sum(gluon.HybridBlock):
    def hybrid_forward(self, F, a, b):
        return a + b


def test_arrays_and_symbols_do_not_mix():
    for inputs in ([nd.ones((2,)), sym.var("b")], [sym.var("a"), nd.ones((2,))]):
        with pytest.raises(ValueError, match="all NDArrays or all Symbols are required, got both"):
            _Sum()(*inputs)


def test_sizes_of_0_in_files_and_numpys_shapes():
    text = (sym.var("a", shape=(0, 2)) + 1).tojson()
    assert '"attrs": {"mxnet_version": ["int", 10901]}' in text
    with np_shape(True):
        unknown = sym.load_json(text)
        assert unknown.attr_dict()["a"] == {"__shape__": "[-1,2]"}
        assert unknown.infer_shape_partial()[0] == [(-1, 2)]
        empty = (sym.var("a", shape=(0, 2)) + 1).tojson()
        flags = '"attrs": {\n    "is_np_shape": ["int", 1], \n    "mxnet_version": ["int", 10901]\n  }'
        assert empty.endswith(flags + "\n}")
        assert sym.load_json(empty).infer_shape_partial()[0] == [(0, 2)]
    assert sym.load_json(empty).tojson() == empty.replace(flags, '"attrs": {"mxnet_version": ["int", 10901]}')


def test_results_of_users_code_that_fails():
    class Failing(mx.operator.CustomOp):
        def forward(self, **_):
            raise KeyError("mine")

    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, *_):
            return Failing()

    mx.operator.register("failing")(Prop)
    with pytest.raises(MXNetError, match="Custom: KeyError: 'mine'") as caught:
        nd.Custom(nd.ones((2,)), op_type="failing")
    assert isinstance(caught.value.__cause__, KeyError)
