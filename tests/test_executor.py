"""Running graphs: `eval`, `bind`, `simple_bind` and executors. Expected values are MXNet's."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

import hybridonnx.symbol as sym
from hybridonnx import autograd, ops
from hybridonnx.context import cpu
from hybridonnx.errors import DTypeError, MXNetError, ShapeError
from hybridonnx.ndarray.creation import array, ones, zeros
from hybridonnx.symbol import executor as executors
from hybridonnx.symbol.execute import execute
from hybridonnx.symbol.executor import bind


@pytest.fixture
def product():
    return sym.var("a") * sym.var("b")


@pytest.fixture
def net():
    fc = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    return sym.SoftmaxOutput(sym.BatchNorm(fc, name="bn"), name="softmax")


def bound(symbol, grad_req="write", **values):
    """An executor on arrays of these values, with gradients that are ones before."""
    args = {name: array(value) for name, value in values.items()}
    return symbol.bind(cpu(), args, {name: ones(x.shape) for name, x in args.items()}, grad_req)


def as_lists(arrays):
    return {name: x if x is None else x.asnumpy().tolist() for name, x in arrays.items()}


# ---- evaluation


def test_eval(product):
    (y,) = product.eval(a=array([1, 2]), b=array([3, 4]))
    assert y.asnumpy().tolist() == [3, 8]
    assert sym.zeros((2,)).eval()[0].asnumpy().tolist() == [0, 0]
    with pytest.raises(ValueError, match="an array is required in args for b"):
        product.eval(a=array([1]))
    with pytest.raises(TypeError, match="an NDArray is required in args as a"):
        product.eval(a=np.ones(2), b=array([1, 2]))


def test_sizes_that_the_graph_tells():
    state = sym.zeros((0, 2)) + sym.var("x")
    assert state.eval(x=ones((3, 2)))[0].shape == (3, 2)


def test_outputs_of_variables_and_repeated_outputs():
    a = sym.var("a")
    outputs = sym.Group([a, a + 1, a]).eval(a=array([1]))
    assert [x.asnumpy().tolist() for x in outputs] == [[1], [2], [1]]


def test_intermediate_arrays_are_let_go(monkeypatch):
    alive: list[weakref.ref] = []
    most = 0

    def forward(self, data):
        nonlocal most
        output = data + 1
        most = max(most, sum(ref() is not None for ref in alive))
        alive.append(weakref.ref(output))
        return output

    relu = ops.find("relu")
    monkeypatch.setattr(relu, "forward", forward)
    chain = sym.var("x")
    for _ in range(10):
        chain = sym.relu(chain)
    assert chain.eval(x=zeros((1000,)))[0].asnumpy()[0] == 10
    assert most <= 2


def test_execution_is_recorded(product):
    a, b = array([1.0, 2]), array([3.0, 4])
    a.attach_grad()
    with autograd.record():
        (out,) = execute(product, {"a": a, "b": b})
    out.backward()
    assert a.grad is not None
    assert a.grad.asnumpy().tolist() == [3, 4]


def test_missing_arrays_are_named(product):
    with pytest.raises(MXNetError, match="an array is required for the variable b"):
        execute(product, {"a": ones((1,))})


def test_failing_operators_are_named():
    with pytest.raises(MXNetError) as caught:
        execute(sym.dot(sym.var("a"), sym.var("b"), name="d"), {"a": ones((2, 3)), "b": ones((2, 3))})
    assert str(caught.value).endswith(". In node d (dot of a, b).")


# ---- gradients


@pytest.mark.parametrize(
    ("grad_req", "a", "b"),
    [
        ("write", [4, 8], [3, 6]),
        ("add", [5, 9], [4, 7]),
        ("null", [1, 1], [1, 1]),
        (["add", "null"], [5, 9], [1, 1]),
        ({"b": "write"}, [1, 1], [3, 6]),
    ],
)
def test_requests(product, grad_req, a, b):
    executor = bound(product, grad_req, a=[3, 3], b=[4, 4])
    executor.forward(is_train=True)
    executor.backward(array([1, 2]))
    assert as_lists(executor.grad_dict) == {"a": a, "b": b}


def test_gradients_of_some_arguments(product):
    args = {"a": array([3, 3]), "b": array([4, 4])}
    executor = product.bind(cpu(), args, {"a": zeros((2,))})
    executor.forward(is_train=True)
    executor.backward([array([1, 2])])
    assert as_lists(executor.grad_dict) == {"a": [4, 8], "b": None}


def test_several_outputs():
    a = sym.var("a")
    executor = bound(sym.Group([a * 2, a * 3]), a=[1])
    executor.forward(is_train=True)
    executor.backward([array([5]), array([7])])
    assert as_lists(executor.grad_dict) == {"a": [31]}
    executor.backward([array([1]), array([0])])
    assert as_lists(executor.grad_dict) == {"a": [2]}
    with pytest.raises(MXNetError, match="2 gradients of outputs are required, got 1"):
        executor.backward(array([1]))


def test_what_outputs_do_not_depend_on_has_gradient_0():
    executor = bound(sym.Group([sym.var("a") * 2, sym.BlockGrad(sym.var("b"))]), a=[1], b=[1])
    executor.forward(is_train=True)
    executor.backward([array([1]), array([1])])
    assert as_lists(executor.grad_dict) == {"a": [2], "b": [0]}


@pytest.mark.parametrize("forward", [lambda e: None, lambda e: e.forward(is_train=False)])
def test_backward_needs_no_training(product, forward):
    executor = bound(product, a=[3], b=[4])
    forward(executor)
    executor.backward(array([2]))
    assert as_lists(executor.grad_dict) == {"a": [8], "b": [6]}


def test_the_callers_arrays_stay_off_the_tape(product):
    a = array([3.0])
    a.attach_grad()
    executor = product.bind(cpu(), {"a": a, "b": array([4])}, {"a": zeros((1,))})
    executor.forward(is_train=True)
    executor.backward(array([1]))
    assert a.grad is not None
    assert a.grad.asnumpy().tolist() == [0]
    assert as_lists(executor.grad_dict)["a"] == [4]


def test_states_are_updated_in_training(net):
    executor = net.simple_bind(cpu(), data=(4, 5))
    executor.arg_dict["data"][:] = np.arange(20).reshape(4, 5)
    executor.arg_dict["fc_weight"][:] = 1
    executor.forward()
    assert executor.aux_dict["bn_moving_mean"].asnumpy().tolist() == [0, 0, 0]
    executor.forward(is_train=True)
    np.testing.assert_allclose(executor.aux_dict["bn_moving_mean"].asnumpy(), [4.75] * 3, rtol=1e-6)


def test_losses_ignore_gradients_of_outputs(net):
    executor = net.simple_bind(cpu(), data=(4, 5))
    executor.forward(is_train=True, softmax_label=array([0, 1, 2, 0]))
    executor.backward()
    third = 1 / 3
    np.testing.assert_allclose(
        executor.grad_dict["bn_beta"].asnumpy(), [4 * third - 2, 4 * third - 1, 4 * third - 1], rtol=1e-5
    )


# ---- arrays


def test_arrays_are_shared(product):
    a = ones((2,))
    executor = product.bind(cpu(), [a, ones((2,))])
    assert executor.arg_arrays[0] is a
    a[:] = 7
    assert executor.forward()[0].asnumpy().tolist() == [7, 7]
    assert as_lists(executor.output_dict) == {executor._symbol.list_outputs()[0]: [7, 7]}
    executor.forward(a=np.array([2, 3]))
    assert a.asnumpy().tolist() == [2, 3]


def test_outputs_before_the_first_forward(net):
    executor = net.simple_bind(cpu(), data=(4, 5))
    assert [x.shape for x in executor.outputs] == [(4, 3)]


def test_repeated_names_are_refused_where_names_are_asked_for():
    a = sym.var("a")
    executor = sym.Group([a, a]).bind(cpu(), {"a": ones((1,))})
    assert len(executor.forward()) == 2
    with pytest.raises(ValueError, match="names must differ"):
        executor.output_dict  # noqa: B018


def test_calls_are_checked(product):
    executor = bound(product, a=[3, 3], b=[4, 4])
    with pytest.raises(TypeError, match="no argument is named 'c'"):
        executor.forward(c=ones((2,)))
    with pytest.raises(ShapeError, match=r"shape \(2,\) is required for a, got \(3,\)"):
        executor.forward(a=ones((3,)))
    with pytest.raises(ShapeError, match="Use broadcast_mul") as caught:
        product.bind(cpu(), [ones((2,)), ones((3,))])
    assert str(caught.value).count("In node") == 1
    with pytest.raises(ValueError, match="2 arrays are required in args, got 1"):
        product.bind(cpu(), [ones((2,))])
    with pytest.raises(MXNetError, match=r"one of write, add, null.*got 'zzz'"):
        product.simple_bind(cpu(), grad_req="zzz", a=(2,))


def test_simple_bind(product):
    executor = product.simple_bind(cpu(), a=(2,), type_dict={"a": "float16"})
    assert [x.dtype for x in executor.arg_arrays] == [np.float16] * 2
    assert as_lists(executor.grad_dict) == {"a": [0, 0], "b": [0, 0]}
    null = product.simple_bind(cpu(), grad_req={"a": "write"}, a=(2,))
    assert as_lists(null.grad_dict) == {"a": [0, 0], "b": None}
    with pytest.raises(ShapeError, match="shapes of a, b are required"):
        product.simple_bind(cpu())
    with pytest.raises(ShapeError, match="complete shapes of a, b are required"):
        product.simple_bind(cpu(), a=(0, 2))
    with pytest.raises(DTypeError):
        product.simple_bind(cpu(), a=(2,), type_dict={"a": "float16", "b": "float32"})
    with pytest.raises(MXNetError, match="no variable is named 'c'"):
        product.simple_bind(cpu(), a=(2,), type_dict={"c": "float32"})


def test_parameters_are_copied_by_name(net):
    executor = net.simple_bind(cpu(), data=(4, 5))
    executor.copy_params_from({"fc_bias": ones((3,))}, {"bn_moving_var": ones((3,))})
    assert executor.arg_dict["fc_bias"].asnumpy().tolist() == [1, 1, 1]
    assert executor.aux_dict["bn_moving_var"].asnumpy().tolist() == [1, 1, 1]
    executor.copy_params_from({"other": ones((3,))}, allow_extra_params=True)
    with pytest.raises(ValueError, match="no argument is named 'other'"):
        executor.copy_params_from({"other": ones((3,))})
    with pytest.raises(ValueError, match="no auxiliary state is named 'other'"):
        executor.copy_params_from({}, {"other": ones((3,))})
    with pytest.raises(ShapeError, match="required for fc_bias"):
        executor.copy_params_from({"fc_bias": ones((4,))})


def test_reshape_shares_what_keeps_its_shape(net):
    executor = net.simple_bind(cpu(), data=(4, 5))
    smaller = executor.reshape(data=(2, 5), softmax_label=(2,))
    assert smaller.arg_dict["fc_weight"] is executor.arg_dict["fc_weight"]
    assert smaller.forward()[0].shape == (2, 3)
    assert executor.reshape(data=(2, 5), partial_shaping=True).arg_dict["softmax_label"].shape == (2,)
    with pytest.raises(MXNetError, match=r"softmax_label would change.*partial_shaping=True"):
        executor.reshape(data=(2, 5))
    with pytest.raises(MXNetError, match=r"data would change.*allow_up_sizing=True"):
        executor.reshape(data=(8, 5), softmax_label=(8,))
    grown = executor.reshape(data=(8, 5), softmax_label=(8,), allow_up_sizing=True)
    assert grown.grad_dict["data"].shape == (8, 5)


def test_a_smaller_batch_has_the_first_values_of_the_larger_one():
    executor = (sym.var("x") * 2).simple_bind(cpu(), x=(4, 3))
    for x in (*executor.arg_arrays, *executor.grad_arrays):
        assert x is not None
        x[:] = array(np.arange(12).reshape(4, 3))
    smaller = executor.reshape(x=(2, 3))
    assert as_lists(smaller.arg_dict) == as_lists(smaller.grad_dict) == {"x": [[0, 1, 2], [3, 4, 5]]}
    smaller.arg_dict["x"][:] = 7
    assert executor.arg_dict["x"].asnumpy()[:, 0].tolist() == [7, 7, 6, 9]
    assert executor.reshape(x=(2, 5)).arg_dict["x"].asnumpy()[1].tolist() == [7, 6, 7, 8, 9]
    assert not executor.reshape(x=(5, 3), allow_up_sizing=True).arg_dict["x"].asnumpy().any()


@pytest.mark.parametrize("is_train", [False, True])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: sym.Dropout(x, p=0.5, mode="always"),
        lambda x: sym.Dropout(x, p=0.5),
        lambda x: x * sym.random.uniform(shape=(100,)),
    ],
)
def test_backward_has_the_draws_of_forward(function, is_train):
    executor = function(sym.var("x")).simple_bind(cpu(), x=(100,))
    executor.arg_dict["x"][:] = 1
    for _ in range(2):
        output = executor.forward(is_train=is_train)[0].asnumpy()
        executor.backward(ones((100,)))
        np.testing.assert_array_equal(executor.grad_dict["x"].asnumpy(), output)


def test_a_runner_computes_what_nobody_watches():
    a = sym.var("a")
    net, calls = a * a, []

    def run(values):
        calls.append((autograd.is_recording(), autograd.is_training()))
        return execute(net, values)

    args = {"a": array([3.0])}
    executor = bind(net, cpu(), args, {"a": zeros((1,))}, "write", None, run)
    for each in (executor, executor.reshape(a=(1,))):
        each.forward(is_train=True)
        each.backward()
        assert as_lists(each.grad_dict) == {"a": [6]}
        assert each.forward()[0].asscalar() == 9
    assert calls == [(True, True), (False, False)] * 2
    executor.set_monitor_callback(lambda name, x: None)
    assert executor.forward()[0].asscalar() == 9
    assert len(calls) == 4


def test_watchers_see_the_gradients_of_operators_inputs():
    """Names and order are MXNet's, on a perceptron of one layer: 13 with the four arguments."""
    layer = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    active = sym.Activation(layer, act_type="relu", name="act")
    executor = sym.SoftmaxOutput(active, name="softmax").simple_bind(cpu(), data=(2, 4))
    for x in executor.arg_arrays:
        x[:] = 0.5
    entries = {}
    executor.set_monitor_callback(lambda name, x: entries.update({name: x.asnumpy().copy()}))
    executor.forward(is_train=True)
    executor.backward()
    names = "fc_output act_output softmax_output softmax_backward_output0 softmax_backward_output1 "
    names += "act_backward_output fc_backward_output0 fc_backward_output1 fc_backward_output2"
    assert [*entries] == names.split()
    for i, name in enumerate(["data", "fc_weight", "fc_bias"]):
        gradient = executor.grad_dict[name].asnumpy()
        np.testing.assert_array_equal(entries[f"fc_backward_output{i}"], gradient)
    np.testing.assert_allclose(entries["act_backward_output"].sum(1), [0, 0], atol=1e-6)


def test_watchers_see_gradients_in_the_shape_of_the_inputs():
    total = sym.broadcast_add(sym.var("a"), sym.var("b"), name="s")
    executor = total.simple_bind(cpu(), a=(2, 1), b=(1, 3))
    shapes = {}
    executor.set_monitor_callback(lambda name, x: shapes.update({name: x.shape}), monitor_all=True)
    executor.forward(is_train=True)
    executor.backward(ones((2, 3)))
    assert shapes["s_backward_output0"] == shapes["a"] == shapes["s_lhs"] == (2, 1)
    assert shapes["s_backward_output1"] == shapes["b"] == (1, 3)


def test_executors_run_in_onnx_runtime_from_the_second_call_on(monkeypatch):
    made = []
    compiled = executors._compiled

    def counted(*args):
        made.append(args[1])
        return compiled(*args)

    monkeypatch.setattr(executors, "_compiled", counted)
    data = sym.var("data")
    out = sym.SoftmaxOutput(sym.FullyConnected(sym.tanh(data), num_hidden=3, name="fc"), name="softmax")
    bound = out.simple_bind(cpu(), data=(4, 5), softmax_label=(4,))
    for i, x in enumerate(bound.arg_arrays):
        x[:] = np.linspace(-1, i + 1, x.size).reshape(x.shape)
    for training in (False, True):
        results = []
        for _ in range(3):
            (y,) = bound.forward(is_train=training)
            bound.backward()
            results.append([y.asnumpy(), *(g.asnumpy() for g in bound.grad_arrays)])
        for again in results[1:]:
            for a, b in zip(again, results[0], strict=True):
                np.testing.assert_allclose(a, b, 1e-5, 1e-6)
    assert made == [["data", "fc_weight", "fc_bias", "softmax_label"]]
    bound.arg_dict["fc_bias"][:] = bound.arg_dict["fc_bias"] + 5
    (after,) = bound.forward()
    np.testing.assert_allclose(after.asnumpy(), results[0][0], 1e-5)  # as all classes have 5 more
    bound.arg_dict["fc_bias"][:] = [9, 0, 0]
    assert (bound.forward()[0].asnumpy()[:, 0] > 0.8).all()
    bound.grad_arrays[1] = zeros((3, 5))  # gradients go where they are bound to now
    bound.forward(is_train=True)
    bound.backward()
    assert bound.grad_dict["fc_weight"].asnumpy().any()
