"""Modules that train: whole fits, single steps, optimizers, checkpoints, and what goes wrong."""

import os

import numpy as np

from ._training import Lines, RootLines, blobs, bound, convnet, mlp, one_batch, params, train_iter


def _epochs(show):
    def callback(epoch, symbol, arguments, states):
        show(epoch, sorted(arguments), sorted(states))
        show({k: arguments[k] for k in sorted(arguments)}, {k: states[k] for k in sorted(states)})

    return callback


def fit_mlp(mx, show):
    net, log = mlp(mx), Lines()
    arg_params, aux = params(mx, net, data=(4, 5))
    m = mx.mod.Module(net, logger=log.logger)
    m.fit(
        train_iter(mx),
        train_iter(mx, 12),
        optimizer_params={"learning_rate": 0.1},
        arg_params=arg_params,
        aux_params=aux,
        num_epoch=3,
        epoch_end_callback=_epochs(show),
    )
    show(log.lines, m.score(train_iter(mx), ["acc", "ce"]))
    show(m.predict(train_iter(mx)))


def fit_convnet(mx, show):
    net, log = convnet(mx), Lines()
    arg_params, aux = params(mx, net, data=(6, 2, 6, 6))
    m = mx.mod.Module(net, logger=log.logger)
    m.fit(
        train_iter(mx, 18, 6, (2, 6, 6)),
        train_iter(mx, 12, 6, (2, 6, 6)),
        eval_metric=["acc", "ce"],
        optimizer="sgd",
        optimizer_params=(("learning_rate", 0.05), ("momentum", 0.9), ("wd", 0.01)),
        arg_params=arg_params,
        aux_params=aux,
        num_epoch=3,
        epoch_end_callback=_epochs(show),
    )
    show(log.lines)


def fit_adam(mx, show):
    net, log = mlp(mx), Lines()
    arg_params, aux = params(mx, net, data=(4, 5))
    m = mx.mod.Module(net, logger=log.logger)
    m.fit(
        train_iter(mx),
        eval_metric="ce",
        optimizer="adam",
        optimizer_params={"learning_rate": 0.01, "wd": 0.1},
        arg_params=arg_params,
        aux_params=aux,
        begin_epoch=2,
        num_epoch=4,
        validation_metric="acc",
        eval_data=train_iter(mx, 8),
    )
    show(log.lines, *m.get_params())


def fit_partial_batches(mx, show):
    net, log = mlp(mx), Lines()
    arg_params, aux = params(mx, net, data=(4, 5))
    m = mx.mod.Module(net, logger=log.logger)
    m.fit(train_iter(mx, 10), train_iter(mx, 10), arg_params=arg_params, aux_params=aux, num_epoch=1)
    show(log.lines, m.get_params()[0]["fc2_bias"], m.score(train_iter(mx, 10), "acc"))


def fit_callbacks(mx, show):
    net, log = mlp(mx), Lines()
    arg_params, aux = params(mx, net, data=(4, 5))
    m = mx.mod.Module(net, logger=log.logger)

    def recorder(name):
        def callback(param):
            show(name, param.epoch, param.nbatch, param.eval_metric.get())
            show(isinstance(param.locals, dict), "self" in param.locals, param._fields)

        return callback

    m.fit(
        train_iter(mx, 8),
        train_iter(mx, 8),
        arg_params=arg_params,
        aux_params=aux,
        num_epoch=2,
        batch_end_callback=[recorder("batch"), recorder("again")],
        eval_batch_end_callback=recorder("eval batch"),
        eval_end_callback=recorder("eval"),
        epoch_end_callback=lambda *args: show(len(args), args[0], args[1] is m.symbol),
    )


def fit_again(mx, show):
    net, log = mlp(mx), Lines()
    arg_params, aux = params(mx, net, data=(4, 5))
    m = mx.mod.Module(net, logger=log.logger)
    fit = {"train_data": train_iter(mx, 8), "num_epoch": 1, "eval_metric": "ce"}
    m.fit(arg_params=arg_params, aux_params=aux, **fit)
    show.warned(m.fit, **fit)
    show(log.lines, m.get_params()[0]["fc2_bias"])
    show.warned(m.fit, arg_params=arg_params, aux_params=aux, force_init=True, force_rebind=True, **fit)
    show(log.lines, m.get_params()[0]["fc2_bias"])


def fit_wants(mx, show):
    m = mx.mod.Module(mlp(mx), logger=Lines().logger)
    show.error(m.fit, train_iter(mx))
    show.error(m.fit, train_iter(mx), num_epoch=1, eval_metric="no such metric")
    m = mx.mod.Module(mlp(mx), logger=Lines().logger)
    show.error(m.fit, train_iter(mx), num_epoch=1, optimizer="no such optimizer")
    m = mx.mod.Module(mlp(mx), logger=Lines().logger)
    show.error(m.fit, train_iter(mx, label_name="other"), num_epoch=1)
    m = mx.mod.Module(mlp(mx), logger=Lines().logger)
    show.error(m.fit, train_iter(mx), num_epoch=1, arg_params={"fc1_weight": mx.nd.zeros((8, 5))})
    m = mx.mod.Module(mlp(mx), logger=Lines().logger)
    arg_params, _ = params(mx, mlp(mx), data=(4, 5))
    arg_params["fc1_weight"] = mx.nd.zeros((8, 6))
    show.error(m.fit, train_iter(mx), num_epoch=1, arg_params=arg_params)


def fixed_params(mx, show):
    net = mlp(mx)
    arg_params, aux = params(mx, net, data=(4, 5))
    m = mx.mod.Module(net, fixed_param_names=["fc1_weight", "fc1_bias"], logger=Lines().logger)
    m.fit(train_iter(mx, 8), arg_params=arg_params, aux_params=aux, num_epoch=1)
    show(m.get_params()[0])


def steps(mx, show):
    m = bound(mx)
    batch = one_batch(mx)
    for _ in range(3):
        m.forward_backward(batch)
        m.update()
        show(m.get_outputs()[0])
    show(m.get_params()[0])
    m.forward(batch, is_train=True)
    m.backward()
    m.update()
    m.forward(batch, is_train=False)
    show(m.get_outputs())


def input_grads(mx, show):
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    m = mx.mod.Module(net, label_names=None)
    m.bind([("data", (3, 2))], inputs_need_grad=True)
    m.init_params(mx.init.One())
    m.forward(mx.io.DataBatch([mx.nd.array([[1, 2], [3, 4], [5, 6]])]))
    show(m.inputs_need_grad, m.for_training)
    m.backward([mx.nd.array([[1, 2], [3, 4], [5, 6]])])
    show(m.get_input_grads(), m.get_input_grads(merge_multi_context=False))
    m.init_optimizer(optimizer_params={"learning_rate": 1.0})
    m.update()
    show(m.get_params()[0])
    plain = bound(mx)
    plain.forward_backward(one_batch(mx))
    show.error(plain.get_input_grads)


def grads_added(mx, show):
    m = bound(mx, grad_req="add")
    batch = one_batch(mx)
    m.forward_backward(batch)
    m.forward_backward(batch)
    m.update()
    show(m.get_params()[0])


def grad_requests(mx, show):
    m = bound(mx, grad_req={"fc1_bias": "null", "fc2_weight": "add"})
    for _ in range(2):
        m.forward_backward(one_batch(mx))
        m.update()
    show(m.get_params()[0])
    names = mlp(mx).list_arguments()
    m = bound(mx, grad_req=["null" if name == "fc1_bias" else "write" for name in names])
    m.forward_backward(one_batch(mx))
    m.update()
    show(m.get_params()[0])
    show.error(bound, mx, grad_req="nothing")


def two_losses(mx, show):
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    net = mx.sym.Group(
        [
            mx.sym.SoftmaxOutput(x, mx.sym.var("a_label"), name="a"),
            mx.sym.LinearRegressionOutput(x, mx.sym.var("b_label"), name="b"),
        ]
    )
    arg_params, aux = params(mx, net, data=(4, 5), a_label=(4,), b_label=(4, 3))
    xs, ys = blobs(8)
    it = mx.io.NDArrayIter(xs, {"a_label": ys, "b_label": xs[:, :3]}, 4)
    m, log = mx.mod.Module(net, label_names=["a_label", "b_label"]), Lines()
    m.logger = log.logger
    metric = mx.metric.CompositeEvalMetric(
        [
            mx.metric.Accuracy(output_names=["a_output"], label_names=["a_label"]),
            mx.metric.MSE(output_names=["b_output"], label_names=["b_label"]),
        ]
    )
    m.fit(it, arg_params=arg_params, aux_params=aux, eval_metric=metric, num_epoch=2)
    show(log.lines, m.get_params()[0])


def metrics(mx, show):
    m = bound(mx)
    batch = one_batch(mx)
    m.forward(batch, is_train=False)
    metric = mx.metric.create("ce")
    m.update_metric(metric, batch.label)
    show(metric.get())
    show(m.score(train_iter(mx, 10), "acc"), m.score(train_iter(mx, 10), ["acc", "ce"], num_batch=1))
    show.error(m.score, train_iter(mx, 10), 5)
    m.forward(one_batch(mx))


def optimizers(mx, show):
    m = bound(mx, optimizer=False)
    show(m.optimizer_initialized)
    m.init_optimizer()
    show(m.optimizer_initialized, type(m._optimizer).__name__, m._optimizer.lr, m._optimizer.rescale_grad)
    show({str(k): v for k, v in m._optimizer.idx2name.items()}, m._optimizer.wd_mult)
    m = bound(mx, optimizer=False)
    m.init_optimizer(optimizer="adam", optimizer_params=(("learning_rate", 0.5), ("rescale_grad", 2.0)))
    show(type(m._optimizer).__name__, m._optimizer.lr, m._optimizer.rescale_grad)
    m = bound(mx, optimizer=False)
    sgd = mx.optimizer.SGD(learning_rate=0.25)
    show.warned(m.init_optimizer, optimizer=sgd)
    show(m._optimizer is sgd, sgd.rescale_grad, {str(k): v for k, v in sgd.idx2name.items()})
    m = bound(mx, optimizer=False)
    show.warned(m.init_optimizer, optimizer=mx.optimizer.SGD(rescale_grad=0.25))
    log = Lines()
    m = bound(mx, logger=log.logger)
    m.init_optimizer(optimizer="adam")
    show(log.lines, type(m._optimizer).__name__)
    m.init_optimizer(optimizer="adam", force_init=True)
    show(log.lines, type(m._optimizer).__name__)
    show.error(bound(mx, optimizer=False).init_optimizer, optimizer=3)
    show.error(bound(mx, optimizer=False).init_optimizer, optimizer_params={"rate": 3})


def stores(mx, show):
    for store in (None, "local", "device", mx.kv.create("local")):
        m = bound(mx, optimizer=False)
        m.init_optimizer(kvstore=store, optimizer_params={"learning_rate": 0.1, "momentum": 0.9})
        for _ in range(2):
            m.forward_backward(one_batch(mx))
            m.update()
        show(m.get_params()[0]["fc2_weight"])
    show.error(bound(mx, optimizer=False).init_optimizer, kvstore=3)


def schedules(mx, show):
    m = bound(mx, optimizer=False)
    schedule = mx.lr_scheduler.FactorScheduler(step=2, factor=0.5, base_lr=0.2)
    m.init_optimizer(optimizer_params={"learning_rate": 0.2, "lr_scheduler": schedule})
    for _ in range(5):
        m.forward_backward(one_batch(mx))
        m.update()
        show(m._optimizer.learning_rate, m._optimizer.num_update)
    show(m.get_params()[0]["fc2_weight"])


def multipliers(mx, show):
    x = mx.sym.FullyConnected(
        mx.sym.var("data"), mx.sym.var("fc_weight", lr_mult=0), mx.sym.var("fc_bias", wd_mult=3), num_hidden=3
    )
    net = mx.sym.SoftmaxOutput(x, name="softmax")
    m = mx.mod.Module(net)
    m.bind([("data", (4, 5))], [("softmax_label", (4,))])
    m.init_params(None, *params(mx, net, data=(4, 5)))
    m.init_optimizer(optimizer_params={"learning_rate": 0.1, "wd": 0.1})
    m.forward_backward(one_batch(mx))
    m.update()
    show(m.get_params()[0])


def initial_values(mx, show):
    net = mlp(mx)
    arg_params, _ = params(mx, net, data=(4, 5))
    some = {k: v for k, v in arg_params.items() if k != "fc1_bias"}

    def new():
        m = mx.mod.Module(net)
        m.bind([("data", (4, 5))], [("softmax_label", (4,))])
        return m

    show.error(new().init_params, mx.init.One(), some)
    m = new()
    m.init_params(mx.init.Constant(2), some, allow_missing=True)
    show(m.get_params()[0]["fc1_bias"], m.get_params()[0]["fc2_bias"])
    m = new()
    m.init_params(mx.init.One(), {**arg_params, "other": mx.nd.zeros((1,))}, allow_extra=True)
    show(sorted(m.get_params()[0]))
    m.init_params(mx.init.One(), {**arg_params, "other": mx.nd.zeros((1,))}, force_init=True)
    show.warned(m.init_params, mx.init.Zero())
    m.init_params(mx.init.One(), force_init=True)
    show(m.get_params()[0]["fc1_weight"], m.get_params()[0]["fc1_bias"])
    m = new()
    m.init_params(mx.init.One(), None, {})
    show(m.get_params()[0]["fc2_weight"])
    show.error(new().init_params, mx.init.One(), {**arg_params, "fc1_bias": mx.nd.zeros((3,))})


def variables_with_initial_values(mx, show):
    w = mx.sym.var("w_weight", init=mx.init.Constant(0.5))
    net = mx.sym.FullyConnected(mx.sym.var("data"), w, num_hidden=2, name="fc")
    m = mx.mod.Module(net, label_names=None)
    m.bind([("data", (1, 3))])
    m.init_params(mx.init.One())
    show(m.get_params()[0])


def copies_of_params(mx, show):
    m = bound(mx)
    bias = m.get_params()[0]["fc1_bias"]
    before = bias.asnumpy().tolist()
    m.set_params({"fc1_bias": mx.nd.ones((8,))}, {}, allow_missing=True)
    show(m.get_params()[0]["fc1_bias"], m.get_params()[0]["fc2_bias"])
    show(before == m.get_params()[0]["fc1_bias"].asnumpy().tolist())


def checkpoints(mx, show):
    prefix = show.path("net")
    m = bound(mx)
    m.init_optimizer(optimizer="adam", force_init=True)
    m.forward_backward(one_batch(mx))
    m.update()
    with RootLines() as log:
        m.save_checkpoint(prefix, 7, save_optimizer_states=True)
    show(log.lines, sorted(os.listdir(str(show.folder))))
    again = mx.mod.Module.load(prefix, 7, load_optimizer_states=True)
    show(again.optimizer_initialized, again.params_initialized, again.binded)
    again.bind([("data", (4, 5))], [("softmax_label", (4,))])
    again.init_optimizer(optimizer="adam")
    plain = mx.mod.Module.load(prefix, 7)
    plain.bind([("data", (4, 5))], [("softmax_label", (4,))])
    plain.init_optimizer(optimizer="adam")
    for module in (m, again, plain):
        module.forward_backward(one_batch(mx))
        module.update()
        show(module.get_params()[0]["fc2_bias"])
    show.error(mx.mod.Module.load, prefix, 8)
    loaded = mx.model.load_checkpoint(prefix, 7)
    show(loaded[0].list_arguments(), sorted(loaded[1]), sorted(loaded[2]))


def continued(mx, show):
    prefix, log = show.path("net"), Lines()
    arg_params, aux = params(mx, mlp(mx), data=(4, 5))
    m = mx.mod.Module(mlp(mx), logger=log.logger)
    m.fit(
        train_iter(mx, 8),
        arg_params=arg_params,
        aux_params=aux,
        num_epoch=2,
        epoch_end_callback=mx.callback.do_checkpoint(prefix),
    )
    m = mx.mod.Module.load(prefix, 2, logger=log.logger)
    show.warned(m.fit, train_iter(mx, 8), begin_epoch=2, num_epoch=3)
    show(log.lines, m.get_params()[0]["fc2_bias"])
    symbol, arg_params, aux = mx.model.load_checkpoint(prefix, 2)
    m = mx.mod.Module(symbol, logger=log.logger)
    m.fit(train_iter(mx, 8), arg_params=arg_params, aux_params=aux, begin_epoch=2, num_epoch=3)
    show(m.get_params()[0]["fc2_bias"])


def optimizer_states(mx, show):
    path = show.path("states")
    m = bound(mx)
    m.init_optimizer(
        optimizer="sgd", optimizer_params={"momentum": 0.9, "learning_rate": 0.1}, force_init=True
    )
    m.forward_backward(one_batch(mx))
    m.update()
    m.save_optimizer_states(path)
    m.forward_backward(one_batch(mx))
    m.update()
    m.load_optimizer_states(path)
    m.forward_backward(one_batch(mx))
    m.update()
    show(m.get_params()[0]["fc2_bias"])
    show.error(bound(mx, optimizer=False).save_optimizer_states, path)
    show.error(bound(mx, optimizer=False).load_optimizer_states, path)
    show.error(m.load_optimizer_states, show.path("none"))


def borrowed(mx, show):
    m = bound(mx)
    other = mx.mod.Module(mlp(mx))
    other.bind([("data", (2, 5))], [("softmax_label", (2,))], shared_module=m)
    show(other.params_initialized, other.optimizer_initialized)
    other.borrow_optimizer(m)
    show(other.optimizer_initialized, other._optimizer is m._optimizer)
    other.forward_backward(one_batch(mx, 2))
    other.update()
    show(m._optimizer.num_update, other.get_params()[0]["fc2_bias"])
    m.forward(one_batch(mx), is_train=False)
    show(m.get_outputs()[0])
    show.error(mx.mod.Module(mlp(mx)).borrow_optimizer, bound(mx, optimizer=False))


def reshaped(mx, show):
    m = bound(mx)
    m.reshape([("data", (2, 5))], [("softmax_label", (2,))])
    m.forward_backward(one_batch(mx, 2))
    m.update()
    show(m.get_params()[0]["fc2_bias"], m._optimizer.rescale_grad)
    m.forward_backward(one_batch(mx, 3))
    m.update()
    show(m.get_params()[0]["fc2_bias"], str(m.data_shapes), str(m.label_shapes), m.output_shapes)


def rebound(mx, show):
    log = Lines()
    m = bound(mx, logger=log.logger)
    m.forward_backward(one_batch(mx))
    m.update()
    m.get_params()
    m.bind([("data", (2, 5))], [("softmax_label", (2,))])
    show(log.lines, m.data_shapes[0].shape)
    m.bind([("data", (2, 5))], [("softmax_label", (2,))], force_rebind=True)
    show(m.data_shapes[0].shape, m.params_initialized, m.optimizer_initialized)
    m.forward_backward(one_batch(mx, 2))
    m.update()
    show(m.get_params()[0]["fc2_bias"])
    m.bind([("data", (2, 5))], for_training=False, force_rebind=True)
    show(m.for_training)
    m.forward(one_batch(mx, 2))
    show(m.get_outputs())
    show.error(m.backward)


def states(mx, show):
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    net = mx.sym.Group([x + mx.sym.var("h"), mx.sym.BlockGrad(x)])
    m = mx.mod.Module(net, label_names=None, state_names=["h"])
    m.bind([("data", (1, 2))])
    m.init_params(mx.init.One())
    show(sorted(m.get_params()[0]), m.get_states(False))
    m.set_states(value=3)
    m.forward(mx.io.DataBatch([mx.nd.ones((1, 2))]))
    show(m.get_outputs(), m.get_states(merge_multi_context=False))
    m.set_states(states=[[mx.nd.array([[5, 6]])]])
    m.forward(mx.io.DataBatch([mx.nd.ones((1, 2))]))
    show(m.get_outputs(), m.get_states(False))


def too_early(mx, show):
    m = mx.mod.Module(mlp(mx))
    batch = one_batch(mx)
    show.error(m.init_params)
    show.error(m.init_optimizer)
    show.error(m.forward, batch)
    show.error(m.backward)
    show.error(m.update)
    show.error(m.get_outputs)
    show.error(m.get_input_grads)
    show.error(m.get_params)
    show.error(m.score, train_iter(mx), "acc")
    show.error(m.install_monitor, None)
    show.error(m.reshape, [("data", (4, 5))])
    m.bind([("data", (4, 5))], [("softmax_label", (4,))])
    show.error(m.forward, batch)
    show.error(m.init_optimizer)
    show.error(m.get_params)
    m.init_params()
    m.forward(batch)
    m.backward()
    show.error(m.update)


def wrong_batches(mx, show):
    m = bound(mx)
    x, y = blobs(4)
    nd = mx.nd.array
    show.error(m.forward_backward, mx.io.DataBatch([nd(x)], label=[nd(y.reshape(2, 2))]))
    show.error(bound(mx).forward_backward, mx.io.DataBatch([nd(x[:, :4])], label=[nd(y)]))
    show.error(bound(mx).forward_backward, mx.io.DataBatch([nd(blobs(5)[0])], label=[nd(y)]))
    show.error(bound(mx).forward_backward, mx.io.DataBatch([], label=[nd(y)]))
    show.error(bound(mx).forward_backward, nd(x))


def wrong_bindings(mx, show):
    show.error(mx.mod.Module(mlp(mx)).bind, [("data", (4, 5))], [("label", (4,))])
    show.error(mx.mod.Module(mlp(mx)).bind, [("data", (4, 5))], [("softmax_label", (3, 2, 1))])
    show.error(mx.mod.Module(mlp(mx)).bind, [("data", (4, 5))], for_training=False, inputs_need_grad=True)
    show.error(mx.mod.Module, mlp(mx), fixed_param_names=["nothing"])
    show.error(mx.mod.Module, mlp(mx), state_names=["nothing"])
    show.warned(mx.mod.Module, mlp(mx), label_names=["lable"])


def numpy_seeds(mx, show):
    np.random.seed(0)
    net = mlp(mx)
    arg_params, aux = params(mx, net, data=(4, 5))
    m = mx.mod.Module(net, logger=Lines().logger)
    m.fit(train_iter(mx, 12, shuffle=True), arg_params=arg_params, aux_params=aux, num_epoch=2)
    show(m.get_params()[0]["fc1_weight"])
