"""Modules on several contexts, which share each batch. Expected values are MXNet's."""

from __future__ import annotations

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import nd, sym

TWO = [mx.cpu(0), mx.cpu(1)]
ONE_WEIGHT = [[1.149, 0.947, 1.1692], [0.851, 1.053, 0.8308]]
ONE_VARIANCE = [0.9502, 0.9604, 0.9895]
WEIGHT = [[0.7522, 0.7502, 1.2499], [1.2478, 1.2498, 0.7501]]
MEAN = [0.1341, 0.0565, 0.0338]
VARIANCE = [0.9065, 0.928, 0.9781]


def module(contexts, size, **options):
    normalized = sym.BatchNorm(sym.var("data"), name="bn", fix_gamma=False)
    layer = sym.FullyConnected(normalized, num_hidden=2, name="fc")
    made = mx.mod.Module(sym.SoftmaxOutput(layer, name="softmax"), context=contexts, **options)
    made.bind([("data", (size, 3))], [("softmax_label", (size,))], inputs_need_grad=True)
    made.init_params(mx.init.One())
    made.init_optimizer(optimizer_params={"learning_rate": 1.0})
    return made


def batch(size):
    rng = np.random.RandomState(0)
    return mx.io.DataBatch([nd.array(rng.randn(size, 3))], [nd.array(rng.randint(0, 2, size))])


@pytest.mark.parametrize(
    ("contexts", "weight", "variance"), [(mx.cpu(), ONE_WEIGHT, ONE_VARIANCE), (TWO, WEIGHT, VARIANCE)]
)
def test_each_context_normalizes_its_part(contexts, weight, variance):
    trained = module(contexts, 4)
    trained.forward_backward(batch(4))
    trained.update()
    arguments, states = trained.get_params()
    np.testing.assert_allclose(arguments["fc_weight"].asnumpy(), weight, atol=1e-4)
    np.testing.assert_allclose(states["bn_moving_mean"].asnumpy(), MEAN, atol=1e-4)
    np.testing.assert_allclose(states["bn_moving_var"].asnumpy(), variance, atol=1e-4)


@pytest.mark.parametrize(("size", "loads", "rows"), [(5, None, [2, 3]), (8, [1, 3], [2, 6])])
@pytest.mark.parametrize("is_train", [False, True])
def test_outputs_come_from_each_context(size, loads, rows, is_train):
    split = module(TWO, size, work_load_list=loads)
    split.forward(batch(size), is_train=is_train)
    ((first, second),) = split.get_outputs(merge_multi_context=False)
    assert [first.shape, second.shape] == [(n, 2) for n in rows]
    assert [first.context, second.context] == TWO
    (whole,) = split.get_outputs()
    np.testing.assert_array_equal(np.concatenate([first.asnumpy(), second.asnumpy()]), whole.asnumpy())
    if is_train:
        split.backward()
        ((first, second),) = split.get_input_grads(merge_multi_context=False)
        assert [first.shape, second.shape] == [(n, 3) for n in rows]
        np.testing.assert_array_equal(second.asnumpy(), split.get_input_grads()[0].asnumpy()[rows[0] :])
        group = split._exec_group
        assert len(group.execs) == 2
        assert [part.stop - part.start for part, _ in group.data_arrays[0]] == rows


def test_batches_of_other_sizes_are_split_again():
    split = module(TWO, 4)
    for size in (6, 4, 6):
        split.forward_backward(batch(size))
        split.update()
        assert split.get_outputs()[0].shape == (size, 2)


def test_every_context_needs_a_part():
    with pytest.raises(
        ValueError, match=r"each of 5 contexts is required, got a batch of 4\. Too many slices"
    ):
        module([mx.cpu(i) for i in range(5)], 4)
    with pytest.raises(mx.MXNetError, match="each of 2 contexts is required in work_load_list, got 3"):
        module(TWO, 4, work_load_list=[1, 2, 3])


def test_gradients_of_outputs_are_split():
    product = sym.FullyConnected(sym.var("data"), num_hidden=2, no_bias=True, name="fc")
    made = mx.mod.Module(product, label_names=None, context=TWO)
    made.bind([("data", (4, 3))])
    made.init_params(mx.init.One())
    data, head = np.arange(12.0).reshape(4, 3), np.arange(8.0).reshape(4, 2)
    made.forward(mx.io.DataBatch([nd.array(data)], None), is_train=True)
    made.backward([nd.array(head)])
    np.testing.assert_allclose(made._exec_group.grad_arrays[0][0].asnumpy(), head.T @ data, rtol=1e-6)


def test_groups_of_nodes_have_contexts():
    with mx.AttrScope(ctx_group="one"):
        hidden = sym.FullyConnected(sym.var("data"), num_hidden=2, name="f1")
    with mx.AttrScope(ctx_group="two"):
        symbol = sym.FullyConnected(hidden, num_hidden=2, name="f2")
    contexts = {"one": mx.cpu(1), "two": mx.cpu(2)}
    executor = symbol.simple_bind(mx.cpu(0), data=(2, 3), group2ctx=contexts)
    expected = {"data": 1, "f1_weight": 1, "f1_bias": 1, "f2_weight": 2, "f2_bias": 2}
    for arrays in (executor.arg_dict, executor.grad_dict):
        assert {name: x.context.device_id for name, x in arrays.items()} == expected
    for x in executor.arg_arrays:
        x[:] = 1
    assert executor.forward(is_train=True)[0].context == mx.cpu(2)
    executor.backward(nd.ones((2, 2), ctx=mx.cpu(2)))
    assert executor.grad_dict["f1_weight"].asnumpy().tolist() == [[4] * 3] * 2
    bound = symbol.bind(mx.cpu(0), executor.arg_dict, group2ctx=contexts)
    assert bound.forward()[0].context == mx.cpu(2)
    assert symbol.simple_bind(mx.cpu(0), data=(2, 3)).forward()[0].context == mx.cpu(0)


def test_gradients_that_users_scale_in_place():  # the weights are real MXNet's
    net = mx.sym.SoftmaxOutput(
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="f"), name="softmax"
    )
    module = mx.mod.Module(net, context=[mx.cpu(0), mx.cpu(1)])
    module.bind([("data", (4, 2))], [("softmax_label", (4,))])
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={"learning_rate": 1.0, "rescale_grad": 1.0})
    batch = mx.io.DataBatch([mx.nd.arange(8).reshape((4, 2))], [mx.nd.ones(4)])
    module.forward_backward(batch)
    for arrays in module._exec_group.grad_arrays:
        for array in arrays:
            array[:] = array * 0.5
    module.update()
    weight = module.get_params()[0]["f_weight"].asnumpy()
    np.testing.assert_allclose(weight, [[-1, -5 / 3], [5, 19 / 3], [-1, -5 / 3]], rtol=1e-5)
