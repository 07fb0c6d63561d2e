"""Modules of buckets, modules in a row, and modules written in Python."""

import os

import numpy as np

from ._training import Lines, RootLines, mlp, one_batch, params, train_iter


def _generator(mx, keys=None):
    def sym_gen(key):
        if keys is not None:
            keys.append(key)
        x = mx.sym.Embedding(mx.sym.var("data"), input_dim=10, output_dim=4, name="embed")
        x = mx.sym.FullyConnected(mx.sym.sum(x, axis=1), num_hidden=3, name="fc")
        return mx.sym.SoftmaxOutput(x, name="softmax"), ("data",), ("softmax_label",)

    return sym_gen


def _batch(mx, length, rows=4, seed=0):
    rng = np.random.RandomState(seed)
    return mx.io.DataBatch(
        [mx.nd.array(rng.randint(0, 10, (rows, length)))],
        label=[mx.nd.array(rng.randint(0, 3, (rows,)))],
        bucket_key=length,
        provide_data=[mx.io.DataDesc("data", (rows, length))],
        provide_label=[mx.io.DataDesc("softmax_label", (rows,))],
        pad=0,
    )


class _Buckets:
    """An iterator of batches of several lengths."""

    def __init__(self, mx, lengths):
        self.mx, self.lengths = mx, lengths
        self.default_bucket_key = max(lengths)
        first = _batch(mx, self.default_bucket_key)
        self.provide_data, self.provide_label = first.provide_data, first.provide_label
        self.batch_size = 4

    def __iter__(self):
        return iter([_batch(self.mx, n, seed=i) for i, n in enumerate(self.lengths)])

    def reset(self):
        pass


def _values(mx):
    return params(mx, _generator(mx)(5)[0], data=(4, 5))


def _buckets(mx, keys=None, **kwargs):
    log = Lines()
    m = mx.mod.BucketingModule(_generator(mx, keys), default_bucket_key=5, logger=log.logger, **kwargs)
    return m, log


def buckets_fit(mx, show):
    keys = []
    m, log = _buckets(mx, keys)
    arg_params, aux = _values(mx)
    m.fit(
        _Buckets(mx, [3, 5, 2, 3]),
        _Buckets(mx, [5, 4]),
        arg_params=arg_params,
        aux_params=aux,
        num_epoch=2,
        eval_metric="ce",
        optimizer_params={"learning_rate": 0.1, "momentum": 0.9},
    )
    show(log.lines, m.get_params()[0], sorted(set(keys)))
    show(m.score(_Buckets(mx, [5, 3]), "acc"))


def buckets_by_hand(mx, show):
    m, log = _buckets(mx)
    show(m.data_names, m.output_names, m.binded)
    m.bind([("data", (4, 5))], [("softmax_label", (4,))])
    show(m.data_shapes[0].shape, m.label_shapes[0].shape, m.output_shapes, m.symbol.list_arguments())
    m.init_params(None, *_values(mx))
    m.init_optimizer(optimizer_params={"learning_rate": 0.1})
    m.forward(_batch(mx, 3))
    show(m.data_shapes[0].shape, m.get_outputs())
    m.backward()
    m.update()
    m.forward(_batch(mx, 5), is_train=False)
    show(m.data_shapes[0].shape, m.get_outputs())
    m.switch_bucket(2, [("data", (4, 2))], [("softmax_label", (4,))])
    show(m.data_shapes[0].shape, m.params_initialized, m.optimizer_initialized)
    m.prepare(_batch(mx, 4))
    show(m.data_shapes[0].shape)
    m.bind([("data", (4, 5))], [("softmax_label", (4,))])
    show(log.lines)
    m.set_params(*_values(mx))
    m.forward_backward(_batch(mx, 4))
    m.update()
    show(m.get_params()[0], len(m.get_input_grads()) if m.inputs_need_grad else None)
    metric = mx.metric.create("ce")
    m.update_metric(metric, _batch(mx, 4).label)
    show(metric.get())


def buckets_early(mx, show):
    m, _ = _buckets(mx)
    batch = _batch(mx, 3)
    show.error(m.forward, batch)
    show.error(m.get_params)
    show.error(m.update)
    show.error(m.switch_bucket, 3, [("data", (4, 3))])
    show.error(m.init_optimizer)
    show.error(mx.mod.BucketingModule, _generator(mx))
    m.bind([("data", (4, 5))], [("softmax_label", (4,))])
    show.error(m.switch_bucket, 3, [("data", (4, 3))], [("softmax_label", (4,))])
    m.init_params(None, *_values(mx))
    m.forward(_batch(mx, 5))
    show(m.get_outputs())
    show.error(m.update)


def buckets_checkpoints(mx, show):
    m, _ = _buckets(mx)
    m.bind([("data", (4, 5))], [("softmax_label", (4,))])
    m.init_params(None, *_values(mx))
    m.forward(_batch(mx, 3), is_train=False)
    with RootLines() as log:
        m.save_checkpoint(show.path("net"), 2)
    show(sorted(os.listdir(str(show.folder))), log.lines)
    show(mx.nd.load(show.path("net.buckets")))
    again = mx.mod.BucketingModule.load(show.path("net"), 2, sym_gen=_generator(mx), default_bucket_key=5)
    again.bind([("data", (4, 5))], [("softmax_label", (4,))], for_training=False)
    again.forward(_batch(mx, 3), is_train=False)
    show(again.get_outputs(), again.params_initialized)
    more = mx.mod.BucketingModule.load_dict(
        {5: _generator(mx)(5)[0]},
        sym_gen=_generator(mx),
        default_bucket_key=5,
        arg_params=_values(mx)[0],
        aux_params={},
    )
    more.bind([("data", (4, 5))], [("softmax_label", (4,))], for_training=False)
    more.forward(_batch(mx, 5), is_train=False)
    show(more.get_outputs())


def _layers(mx):
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=8, name="fc1")
    first = mx.sym.Activation(x, act_type="tanh", name="tanh1")
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc2")
    return first, mx.sym.SoftmaxOutput(x, name="softmax")


def _sequence(mx, log=None):
    first, second = _layers(mx)
    kwargs = {} if log is None else {"logger": log.logger}
    m = mx.mod.SequentialModule(**kwargs)
    m.add(mx.mod.Module(first, label_names=[]))
    m.add(mx.mod.Module(second), take_labels=True, auto_wiring=True)
    return m


def sequences_fit(mx, show):
    log = Lines()
    m = _sequence(mx, log)
    arg_params, aux = params(mx, mlp(mx), data=(4, 5))
    m.fit(
        train_iter(mx),
        train_iter(mx, 8),
        arg_params=arg_params,
        aux_params=aux,
        num_epoch=2,
        allow_missing=True,
    )
    show(log.lines)
    arguments, states = m.get_params()
    show({k: arguments[k] for k in sorted(arguments)}, states)
    show(m.score(train_iter(mx), "ce"), m.predict(train_iter(mx, 8)))


def sequences_by_hand(mx, show):
    m = _sequence(mx)
    show(m.data_names, m.output_names)
    m.bind([("data", (4, 5))], [("softmax_label", (4,))], inputs_need_grad=True)
    show([tuple(d) for d in (*m.data_shapes, *m.label_shapes)], m.output_shapes)
    arg_params, aux = params(mx, mlp(mx), data=(4, 5))
    m.init_params(None, arg_params, aux, allow_missing=True)
    m.forward(one_batch(mx), is_train=True)
    m.backward()
    show(m.get_outputs())
    m.init_optimizer(optimizer_params={"learning_rate": 0.1})
    m.update()
    show(m.get_params()[0]["fc1_bias"], m.get_params()[0]["fc2_bias"])


def sequences_refuse(mx, show):
    m = mx.mod.SequentialModule()
    show.error(m.add, mx.mod.Module(_layers(mx)[0], label_names=[]), no_such_key=True)
    show.error(_sequence(mx).forward, one_batch(mx))
    show.error(_sequence(mx).bind, [("data", (4, 5))], [("softmax_label", (4,))], shared_module=m)
    twice = mx.mod.SequentialModule()
    twice.add(mx.mod.Module(_layers(mx)[0], label_names=[]))
    twice.add(mx.mod.Module(_layers(mx)[0], label_names=[]), auto_wiring=True)
    twice.bind([("data", (4, 8))])
    show.error(twice.init_params)


def python_losses(mx, show):
    first = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    m = mx.mod.SequentialModule(logger=Lines().logger)
    m.add(mx.mod.Module(first, label_names=[]))
    m.add(
        mx.mod.PythonLossModule(grad_func=lambda scores, labels: scores - mx.nd.one_hot(labels, 3)),
        take_labels=True,
        auto_wiring=True,
    )
    arg_params, aux = params(mx, first, data=(4, 5))
    m.bind([("data", (4, 5))], [("softmax_label", (4,))])
    m.init_params(None, arg_params, aux, allow_missing=True)
    m.init_optimizer(optimizer_params={"learning_rate": 0.1})
    for _ in range(2):
        m.forward_backward(one_batch(mx))
        m.update()
    show(m.get_outputs(), m.get_params()[0], m.output_shapes)
    loss = mx.mod.PythonLossModule()
    show(loss.data_names, loss.output_names, loss.get_params(), loss.for_training)
    loss.bind([("data", (4, 3))], [("softmax_label", (4,))])
    show(str(loss.data_shapes), str(loss.label_shapes), loss.output_shapes)
    loss.forward(mx.io.DataBatch([mx.nd.ones((4, 3))], label=[mx.nd.zeros((4,))]))
    show(loss.get_outputs())
    show.error(loss.backward)
