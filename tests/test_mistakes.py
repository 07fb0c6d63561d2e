"""Mistakes that MXNet refuses, by the type of its error, and what it takes although it might not."""

from __future__ import annotations

import numpy as np
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
        def forward(self, is_train, req, in_data, out_data, aux):
            raise KeyError("mine")

    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, *_):
            return Failing()

    mx.operator.register("failing")(Prop)
    with pytest.raises(MXNetError, match="Custom: KeyError: 'mine'") as caught:
        nd.Custom(nd.ones((2,)), op_type="failing")
    assert isinstance(caught.value.__cause__, KeyError)


# ---- what MXNet takes


def backward_of(symbol, heads, **types):
    """The gradient of x, an array of ones."""
    executor = symbol.simple_bind(mx.cpu(), x=(2, 3), type_dict=types or None)
    executor.forward(is_train=True)
    executor.backward(heads)
    return executor.grad_dict["x"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("head", ["float32", "float64", "int32"])
def test_executors_cast_gradients_of_outputs(dtype, head):
    gradient = backward_of(sym.var("x") * 2, nd.ones((2, 3), dtype=head), x=dtype)
    assert gradient.asnumpy().tolist() == [[2] * 3] * 2
    assert gradient.dtype.__name__ == dtype


def test_executors_pass_over_surplus_gradients_of_outputs():
    assert backward_of(sym.var("x") * 2, [nd.ones((2, 3))] * 3).asnumpy()[0, 0] == 2
    with pytest.raises(MXNetError, match="1 gradients of outputs are required, got 0"):
        backward_of(sym.var("x") * 2, [])
    with pytest.raises(AssertionError, match="1 head gradients are required, got 2"):
        autograd.backward([nd.ones((1,))], [nd.ones((1,))] * 2)


@pytest.mark.parametrize(
    "name", ["MakeLoss", "make_loss", "BlockGrad", "argmax", "one_hot", "LinearRegressionOutput"]
)
def test_gradients_that_do_not_count_have_any_shape(name):
    options = {"depth": 2} if name == "one_hot" else {}
    loss = getattr(sym, name)(sym.var("x"), **options)
    expected = [[float("oss" in name)] * 3] * 2
    assert backward_of(loss, [nd.ones((7,))]).asnumpy().tolist() == expected
    x = nd.zeros((2, 3))
    x.attach_grad()
    with autograd.record():
        y = nd.LinearRegressionOutput(x, x) if "Output" in name else getattr(nd, name)(x, **options)
    y.backward(nd.ones((7,)))
    assert x.grad.asnumpy().tolist() == expected
    with pytest.raises(MXNetError, match=r"of shape \(2, 3\) is required, got \(7,\)"):
        backward_of(sym.var("x") * 2, [nd.ones((7,))])


METHODS = {
    "squeeze": lambda x, **how: x.squeeze(0, **how),
    "flatten": lambda x, **how: x.flatten(**how),
    "expand_dims": lambda x, **how: x.expand_dims(1, **how),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_may_share_memory(name):
    x = nd.ones((1, 2))
    other = METHODS[name](x)
    shared = METHODS[name](x, inplace=True)
    assert shared.shape == other.shape
    other[:], shared[:] = 7, 5
    assert x.asnumpy().tolist() == [[5, 5]]
    x.attach_grad()
    with autograd.record():
        y = METHODS[name](x * 2, inplace=True) * 3
    y.backward()
    assert x.grad.asnumpy().tolist() == [[6, 6]]
    symbol = METHODS[name](sym.var("x"), inplace=True)
    assert symbol.infer_shape(x=(1, 2))[1] == [other.shape]
    assert "inplace" not in symbol.tojson()


def test_operators_without_attributes_take_any():
    assert nd.exp(nd.zeros((2,)), foo=1).asnumpy().tolist() == [1, 1]
    assert nd.zeros((2,)).exp(foo=1).asnumpy().tolist() == [1, 1]
    symbol = sym.exp(sym.var("a"), foo=2, name="e")
    assert symbol.attr_dict() == {"e": {"foo": "2"}}
    assert sym.load_json(symbol.tojson()).infer_shape(a=(2,))[1] == [(2,)]
    with pytest.raises(MXNetError, match="sum: has no attribute 'foo'"):
        nd.sum(nd.ones((2,)), foo=1)
    with pytest.raises(MXNetError, match="exp: has no input 'dat'; it has data"):
        sym.exp(dat=sym.var("a"))


def test_simple_bind_passes_over_other_shapes():
    assert [*(sym.var("a") * 2).simple_bind(mx.cpu(), a=(2,), other=(3,)).arg_dict] == ["a"]


def test_slices_without_steps():
    symbol = sym.slice(sym.var("a"), begin=(0,), end=(2,), step=None)
    assert symbol.infer_shape(a=(3, 4))[1] == [(2, 4)]
    x = nd.ones((3, 4))
    x.attach_grad()
    with autograd.record():
        y = nd.slice(x, begin=(1,), end=(3,), step=None)
    y.backward()
    assert x.grad.asnumpy()[:, 0].tolist() == [0, 1, 1]


@pytest.mark.parametrize("shuffle", [False, True])
def test_labels_beyond_the_data_do_not_count(shuffle):
    iterator = mx.io.NDArrayIter(np.arange(4), np.arange(6), batch_size=2, shuffle=shuffle)
    batches = [(batch.data[0].asnumpy().tolist(), batch.label[0].asnumpy().tolist()) for batch in iterator]
    assert sorted(row for data, _ in batches for row in data) == [0, 1, 2, 3]
    assert all(data == label for data, label in batches)


def test_batches_of_any_class():
    class Batch:
        def __init__(self, rows):
            self.data, self.label = [nd.ones((rows, 3))], [nd.zeros((rows,))]

    layer = sym.FullyConnected(sym.var("data"), num_hidden=2)
    module = mx.mod.Module(sym.SoftmaxOutput(layer, name="softmax"))
    module.bind([("data", (2, 3))], [("softmax_label", (2,))])
    module.init_params()
    for rows in (2, 5):
        module.forward(Batch(rows))
        assert module.get_outputs()[0].shape == (rows, 2)


@pytest.mark.parametrize(
    "key",
    [
        ([0, 1], (2, 3)),
        ((0, 1), (2, 3)),
        (slice(None), (0, 1)),
        (0, (0, 1)),
        (((0, 1), (2, 0)),),
        (range(2),),
    ],
)
def test_tuples_of_integers_are_indices(key):
    values = np.arange(12.0).reshape(3, 4)
    x = nd.array(values)
    as_lists = tuple(list(part) if isinstance(part, tuple | range) else part for part in key)
    np.testing.assert_array_equal(x[key].asnumpy(), values[as_lists])
    x[key] = 9
    values[as_lists] = 9
    np.testing.assert_array_equal(x.asnumpy(), values)


def test_the_index_of_the_only_element():
    with np_shape(True):
        assert nd.contrib.index_array(nd.ones(())).shape == (0,)
    assert nd.tile(nd.ones((2, 3)), reps=(0, 2)).shape == (0, 6)


@pytest.mark.parametrize(
    "options",
    [
        {"h_w": (6, 3), "center_crop": True},
        {"h_w": (2, 3), "offset": (-1, 0)},
        {"h_w": (2, 3), "offset": (4, 0)},
    ],
)
def test_crops_outside_of_the_image(options):
    with pytest.raises(MXNetError, match="a crop inside of"):
        nd.Crop(nd.ones((1, 1, 5, 5)), **options)


@pytest.mark.parametrize("count", [2, 4])
def test_means_of_other_channels(count):
    image = nd.ones((3, 2, 2))
    with pytest.raises(MXNetError, match="one for each of 3 channels"):
        nd.image.normalize(image, mean=tuple(range(count)), std=(1.0,) * count)
    assert nd.image.normalize(image).asnumpy().tolist() == image.asnumpy().tolist()


@pytest.mark.parametrize("axes", [(0,), (0, 1, 2), (0, 0), (1, -1)])
def test_a_turn_takes_two_axes(axes):
    with pytest.raises(MXNetError, match="two"):
        mx.np.rot90(mx.np.ones((2, 3)), 1, axes)
