"""Names that are MXNet's own, and that code of users reads all the same."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd, sym
from hybridonnx.gluon.rnn import rnn_cell


def perceptron():
    layer = sym.FullyConnected(sym.BatchNorm(sym.var("data"), name="bn"), num_hidden=2, name="fc")
    return sym.SoftmaxOutput(layer, name="softmax")


def bound(module):
    module.bind([("data", (2, 3))], [("softmax_label", (2,))])
    module.init_params()
    return module


def test_trainers():
    net = gluon.nn.Dense(1, in_units=2)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    assert net.weight._trainer is trainer
    assert (trainer._kv_initialized, trainer._scale, trainer._distributed) == (False, 1.0, None)
    assert trainer._params_to_init == trainer._params == [net.bias, net.weight]
    with autograd.record():
        y = net(nd.ones((1, 2)))
    y.backward()
    trainer.step(1)
    assert (trainer._kv_initialized, trainer._params_to_init, trainer._distributed) == (True, [], False)
    assert trainer._updaters[0].optimizer is trainer._optimizer


def test_modules():
    module = mx.mod.Module(perceptron())
    assert (module._exec_group, module._updater, module._arg_params) == (None, None, None)
    bound(module)
    assert sorted(module._arg_params) == ["bn_beta", "bn_gamma", "fc_bias", "fc_weight"]
    assert sorted(module._aux_params) == ["bn_moving_mean", "bn_moving_var"]
    module.init_optimizer()
    assert isinstance(module._updater, mx.optimizer.Updater)
    assert (module._kvstore, module._update_on_kvstore, module._params_dirty) == (None, False, False)
    module.forward(mx.io.DataBatch([nd.ones((2, 3))], [nd.zeros((2,))]), is_train=True)
    module.backward()
    group = module._exec_group
    assert group.param_names == ["bn_gamma", "bn_beta", "fc_weight", "fc_bias"]
    assert [[x.shape for x in arrays] for arrays in group.param_arrays] == [[(3,)], [(3,)], [(2, 3)], [(2,)]]
    assert [[x.shape for x in arrays] for arrays in group.grad_arrays] == [[(3,)], [(3,)], [(2, 3)], [(2,)]]
    assert group.grad_arrays[2][0].asnumpy().shape == group.execs[0].grad_dict["fc_weight"].shape
    assert [part.stop for part, _ in group.data_arrays[0]] == [group.batch_size] == [2]
    assert group.label_arrays[0][0][1].shape == (2,)
    assert [x[0].shape for x in group.aux_arrays] == [(3,), (3,)]
    stored = bound(mx.mod.Module(perceptron()))
    stored.init_optimizer(kvstore=mx.kv.create("local"))
    assert stored._update_on_kvstore
    assert stored._updater is None


def test_bucketing_modules():
    module = mx.mod.BucketingModule(lambda key: (perceptron(), ("data",), ("softmax_label",)), 3)
    assert (module._curr_module, module._curr_bucket_key) == (None, None)
    bound(module)
    assert module._curr_module is module._buckets[3]
    assert module._curr_bucket_key == 3


def test_symbols_are_pickled():
    symbol = perceptron()
    for each in (symbol, sym.Group([symbol, symbol + 1])):
        again = pickle.loads(pickle.dumps(each))  # noqa: S301  (our own)
        assert again.tojson() == each.tojson()
        assert again.list_auxiliary_states() == each.list_auxiliary_states()


def test_constants_tell_their_values():
    constant = mx.init.Constant(nd.array([1, 2]))
    assert constant.dumps() == '["constant", {"value": [1.0, 2.0]}]'
    assert constant._kwargs == {"value": [1.0, 2.0]}
    again = mx.init.Constant(**constant._kwargs)
    x = nd.zeros((2,))
    again(mx.init.InitDesc("x_weight"), x)
    assert x.asnumpy().tolist() == [1, 2]
    constant._kwargs["value"] = 5
    assert constant.dumps() == '["constant", {"value": 5}]'


def test_executors_tell_their_symbol_and_memory():
    executor = perceptron().simple_bind(mx.cpu(), data=(4, 3))
    symbol = executor.get_optimized_symbol()
    assert symbol.tojson() == perceptron().tojson()
    assert symbol is not executor._symbol
    large = (sym.exp(sym.var("x")) * 2).simple_bind(mx.cpu(), x=(1024, 1024), grad_req="null")
    assert "\nTotal 8 MB allocated\n" in large.debug_str()


class _Counted(gluon.Block):
    """Its children's keys are their names, which hold counts of the process."""

    def __init__(self):
        super().__init__()
        for _ in range(2):
            layer = gluon.nn.Dense(2, in_units=2)
            self.register_child(layer, layer.name)

    def forward(self, x):
        for layer in self._children.values():
            x = layer(x)
        return x


def test_blocks_whose_children_are_counted_are_saved_and_loaded(tmp_path):
    block, other = _Counted(), _Counted()
    assert [*block._children] != [*other._children]
    block.initialize()
    block.save(str(tmp_path / "b"))
    other.load(str(tmp_path / "b"))
    x = nd.ones((1, 2))
    np.testing.assert_array_equal(other(x).asnumpy(), block(x).asnumpy())


@pytest.mark.parametrize("merge", [None, True, False])
@pytest.mark.parametrize(("layout", "given"), [("NTC", None), ("TNC", None), ("TNC", "NTC"), ("NTC", "TNC")])
def test_cells_of_users_lay_sequences_out(layout, given, merge):
    """Whatever form a sequence has, its steps are the same; what comes has the form that is asked for."""
    x = np.arange(24, dtype="float32").reshape(2, 3, 4)  # N, T, C
    source = x if (given or layout) == "NTC" else x.swapaxes(0, 1)
    sequence, axis, F, batch = rnn_cell._format_sequence(3, nd.array(source), layout, merge, given)
    assert (axis, F, batch) == (layout.find("T"), nd, 2)
    if merge is False:
        sequence = nd.stack(*sequence, axis=axis)
    np.testing.assert_array_equal(sequence.asnumpy(), x if layout == "NTC" else x.swapaxes(0, 1))
    steps = [nd.array(x[:, i]) for i in range(3)]
    listed, *_ = rnn_cell._format_sequence(3, steps, layout, merge, given)
    assert isinstance(listed, list) != (merge is True)
    with pytest.raises(AssertionError, match="inputs are required"):
        rnn_cell._format_sequence(3, None, layout, merge)


def test_cells_of_users_begin_mask_and_reverse():
    lstm, rnn = gluon.rnn.LSTMCell(3, input_size=4), gluon.rnn.RNNCell(2)
    x = nd.array(np.arange(24).reshape(2, 3, 4), ctx=mx.cpu(1))
    states = rnn_cell._get_begin_state(lstm, nd, None, x, 2)
    assert [(s.shape, s.context) for s in states] == [((2, 3), mx.cpu(1))] * 2
    assert rnn_cell._get_begin_state(lstm, nd, states, x, 2) is states
    assert [i["shape"] for i in rnn_cell._cells_state_info([lstm, rnn], 5)] == [(5, 3), (5, 3), (5, 2)]
    assert [s.shape for s in rnn_cell._cells_begin_state([lstm, rnn], batch_size=5)] == [
        (5, 3),
        (5, 3),
        (5, 2),
    ]
    steps, lengths = [x[:, i] for i in range(3)], nd.array([1, 2], ctx=mx.cpu(1))
    kept = np.array([[1, 0, 0], [1, 1, 0]])[:, :, None] * x.asnumpy()
    for data in (x, steps):
        masked = rnn_cell._mask_sequence_variable_length(nd, data, 3, lengths, 1, True)
        np.testing.assert_array_equal(masked.asnumpy(), kept)
    backwards = [s.asnumpy() for s in rnn_cell._reverse_sequences(steps, 3, lengths)]
    for row, order in enumerate([[0, 1, 2], [1, 0, 2]]):
        np.testing.assert_array_equal([s[row] for s in backwards], x.asnumpy()[row][order])
    assert rnn_cell._reverse_sequences(steps, 3) == steps[::-1]


@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize("kind", [None, "local", "device"])
def test_modules_of_users_update_by_stores(kind, devices):
    """SGD with momentum, two steps; a store sums the gradients of the devices, here 1 and 2."""
    weights = {"a": nd.array([1.0, 2]), "b": nd.array([[3.0]]), "fixed": nd.ones((1,))}
    contexts = [mx.cpu(i) for i in range(devices)]
    arrays = [[w.copyto(ctx) for ctx in contexts] for w in weights.values()]
    gradients = [[nd.full(w.shape, i + 1, ctx=c) for i, c in enumerate(contexts)] for w in weights.values()]
    gradients[2] = [None] * devices
    store, on_store = mx.model._create_kvstore(kind, devices, weights)
    assert (getattr(store, "type", None), on_store) == (
        (kind, True) if kind and devices > 1 else (None, False)
    )
    names = [*weights]
    optimizer = mx.optimizer.create("sgd", learning_rate=0.1, momentum=0.9)
    if store:
        mx.model._initialize_kvstore(store, arrays, weights, names, on_store)
        store.set_optimizer(optimizer)
    updater = mx.optimizer.get_updater(optimizer)
    for _ in range(2):
        if on_store:
            mx.model._update_params_on_kvstore(arrays, gradients, store, names)
        else:
            mx.model._update_params(arrays, gradients, updater, devices, store, names)
    for weight, each, gradient in zip(weights.values(), arrays, gradients, strict=True):
        for i, array in enumerate(each):
            total = 0 if gradient[0] is None else 3 if store else i + 1
            np.testing.assert_allclose(array.asnumpy(), weight.asnumpy() - 0.1 * total * (1 + 1.9), rtol=1e-5)


def test_stores_of_large_parameters_only_sum():
    large = {"a": nd.zeros((16 * 2**20 + 1,), dtype="int8")}
    store, on_store = mx.model._create_kvstore("local", 2, large)
    assert not on_store
    assert mx.model._create_kvstore(store, 1, {}) == (store, True)
    arrays, gradients = [[nd.ones(2), nd.ones(2)]], [[nd.ones(2), nd.full((2,), 3)]]
    mx.model._initialize_kvstore(store, arrays, {"b": nd.ones(2)}, ["b"], on_store)
    updater = mx.optimizer.get_updater(mx.optimizer.create("sgd", learning_rate=0.1))
    mx.model._update_params(arrays, gradients, updater, 2, store, ["b"])
    np.testing.assert_allclose([x.asnumpy() for x in arrays[0]], np.full((2, 2), 0.6), rtol=1e-6)
    with pytest.raises(TypeError, match="a KVStore, its name or None is required"):
        mx.model._create_kvstore(3, 2, {})


def test_iterators_take_other_labels():
    """As MXNet's own example of an SVM does it."""
    data = mx.io.NDArrayIter(np.arange(6, dtype="float32").reshape(3, 2), batch_size=2)
    data.label = mx.io._init_data(np.array([5, 6, 7, 8]), allow_empty=True, default_name="svm_label")
    assert data.provide_label == [("svm_label", (2,))]
    assert [b.label[0].asnumpy().tolist() for b in data] == [[5, 6], [7, 5]]
    data.data = mx.io._init_data({"b": nd.zeros((3,)), "a": np.ones(3)}, False, "data")
    assert [desc.name for desc in data.provide_data] == ["a", "b"]
    assert mx.io._init_data(None, True, "x") == []
    for wrong, error in ((None, AssertionError), (3, TypeError)):
        with pytest.raises(error):
            mx.io._init_data(wrong, False, "x")
    with pytest.raises(mx.MXNetError, match="3 rows are required, got 1"):
        data.label = mx.io._init_data(np.ones(1), True, "x")
