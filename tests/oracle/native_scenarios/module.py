"""Modules for prediction: binding, parameters, batches, checkpoints."""

import hashlib

import numpy as np


def _net(mx):
    fc = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    return mx.sym.SoftmaxOutput(mx.sym.BatchNorm(fc, name="bn"), name="softmax")


def _values(mx):
    arguments = {
        "fc_weight": mx.nd.array(np.arange(8).reshape(2, 4) / 8),
        "fc_bias": mx.nd.array([0.5, -0.5]),
        "bn_gamma": mx.nd.ones((2,)),
        "bn_beta": mx.nd.array([0.25, 0]),
    }
    return arguments, {"bn_moving_mean": mx.nd.array([1, 2]), "bn_moving_var": mx.nd.array([1, 4])}


def _bound(mx, labels=True, **kwargs):
    module = mx.mod.Module(_net(mx), **kwargs)
    module.bind([("data", (3, 4))], [("softmax_label", (3,))] if labels else None, for_training=False)
    module.set_params(*_values(mx), allow_missing=True)
    return module


def _x(mx, rows=3):
    return mx.nd.array(np.arange(rows * 4).reshape(rows, 4) / 12)


def _batch(mx, rows=3):
    return mx.io.DataBatch([_x(mx, rows)], label=[mx.nd.zeros((rows,))])


def before_binding(mx, show):
    net = _net(mx)
    m = mx.mod.Module(net)
    show(m.data_names, m.label_names, m.output_names, m.symbol is net)
    show(m.binded, m.params_initialized, m.for_training, m.inputs_need_grad)
    show(mx.mod.Module is mx.module.Module)


def bound(mx, show):
    m = mx.mod.Module(_net(mx))
    m.bind([("data", (3, 4))], for_training=False)
    show(str(m.data_shapes), m.label_shapes, m.output_shapes, m.binded, m.for_training)
    m = mx.mod.Module(_net(mx))
    m.bind([mx.io.DataDesc("data", (3, 4))], [("softmax_label", (3,))])
    show(str(m.data_shapes), str(m.label_shapes), m.output_shapes, m.for_training)


def parameters(mx, show):
    m = mx.mod.Module(_net(mx))
    m.bind([("data", (3, 4))], for_training=False)
    arguments, states = _values(mx)
    some = {k: v for k, v in arguments.items() if k != "fc_bias"}
    show.error(m.set_params, some, states)
    show(m.params_initialized)
    m.set_params({**arguments, "other": mx.nd.zeros((1,))}, states)
    show(m.params_initialized)
    m.set_params(some, states, allow_missing=True)
    m.set_params({**some, "other": mx.nd.zeros((1,))}, states, allow_missing=True, allow_extra=True)
    show.error(m.set_params, {**some, "other": mx.nd.zeros((1,))}, states, allow_missing=True)
    show.warned(m.set_params, {"fc_bias": mx.nd.zeros((2,))}, states, True, False)
    show(*m.get_params())


def outputs(mx, show):
    m = _bound(mx)
    m.forward(_batch(mx))
    show(m.get_outputs(), m.get_outputs(merge_multi_context=False))
    m.forward(_batch(mx, 5))
    show(m.get_outputs(), str(m.data_shapes), str(m.label_shapes))
    m.forward(mx.io.DataBatch([_x(mx, 1).astype("float64")], label=[mx.nd.zeros((1,))]))
    show(m.get_outputs())


def without_labels(mx, show):
    m = _bound(mx, labels=False, label_names=None)
    m.forward(mx.io.DataBatch([_x(mx)]))
    show(m.get_outputs(), m.label_shapes)
    m = _bound(mx, labels=False)
    m.forward(mx.io.DataBatch([_x(mx)]))
    show(m.get_outputs(), m.label_shapes)


def reshaped(mx, show):
    m = _bound(mx)
    m.reshape([("data", (1, 4))], [("softmax_label", (1,))])
    show(str(m.data_shapes), m.output_shapes)
    m.forward(_batch(mx, 1))
    show(m.get_outputs())


def predictions(mx, show):
    m = _bound(mx)
    show(m.predict(_x(mx)))
    show(m.predict(np.zeros((3, 4))))
    rows = np.arange(28, dtype="float32").reshape(7, 4) / 12
    it = mx.io.NDArrayIter(rows, np.zeros(7), 3)
    show(m.predict(it), m.predict(it, always_output_list=True), m.predict(it, num_batch=2))
    show(m.predict(it, merge_batches=False))
    show([[len(ys), i, ys[0].shape, batch.pad] for ys, i, batch in m.iter_predict(it)])
    show.error(m.predict, [_x(mx)])


def several_inputs_and_outputs(mx, show):
    a, b = mx.sym.var("a"), mx.sym.var("b")
    net = mx.sym.Group(
        [mx.sym.broadcast_add(a, b, name="sum"), mx.sym.FullyConnected(a, num_hidden=1, name="fc")]
    )
    m = mx.mod.Module(net, data_names=["b", "a"], label_names=None)
    m.bind([("b", (2, 3)), ("a", (2, 3))], for_training=False)
    m.init_params(mx.init.One())
    m.forward(mx.io.DataBatch([mx.nd.ones((2, 3)), mx.nd.array([[1, 2, 3], [4, 5, 6]])]))
    show(m.output_names, m.output_shapes, m.get_outputs())
    it = mx.io.NDArrayIter({"a": np.ones((3, 3), "float32"), "b": np.zeros((3, 3), "float32")}, None, 2)
    show(m.predict(it))


def initialized(mx, show):
    m = mx.mod.Module(_net(mx))
    m.bind([("data", (3, 4))], [("softmax_label", (3,))])
    m.init_params(mx.init.One())
    show(*m.get_params())
    m.init_params(mx.init.Zero())
    show(m.get_params()[0]["fc_weight"])
    m.init_params(mx.init.Zero(), force_init=True)
    show(m.get_params()[0]["fc_weight"])


def checkpoints(mx, show):
    m, prefix = _bound(mx), show.path("net")
    m.save_checkpoint(prefix, 3)
    with open(prefix + "-symbol.json", "rb") as file:
        show(hashlib.sha256(file.read()).hexdigest())
    with open(prefix + "-0003.params", "rb") as file:
        show(hashlib.sha256(file.read()).hexdigest())
    again = mx.mod.Module.load(prefix, 3)
    show(again.params_initialized, again.binded, again.label_names)
    again.bind([("data", (2, 4))], for_training=False)
    again.forward(mx.io.DataBatch([_x(mx, 2)]))
    show(again.get_outputs(), *again.get_params())
    m.save_params(show.path("params"))
    show(sorted(mx.nd.load(show.path("params"))))
    again.load_params(show.path("params"))
    again.forward(mx.io.DataBatch([_x(mx, 2)]))
    show(again.get_outputs())


def names(mx, show):
    show.error(mx.mod.Module, _net(mx), data_names=("dat",))
    show(mx.mod.Module(_net(mx), label_names=None).label_names)
    show.error(mx.mod.Module(_net(mx)).bind, [("dat", (3, 4))], for_training=False)
    show.error(mx.mod.Module(_net(mx)).bind, [("data", (3, 4)), ("q", (3, 4))], for_training=False)
