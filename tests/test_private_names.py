"""Names that are MXNet's own, and that code of users reads all the same."""

from __future__ import annotations

import pickle

import numpy as np

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd, sym


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
