"""`contrib.svrg_optimization`: weights and logs of modules that train with full gradients."""

from importlib import import_module

import numpy as np

from tests.oracle.native_scenarios._training import Lines


def _data(mx):
    rng = np.random.RandomState(0)
    x = rng.uniform(-1, 1, (12, 3)).astype("float32")
    return mx.io.NDArrayIter(x, (x @ np.array([1, 2, -1.0])).astype("float32"), 4, label_name="lin_label")


def _module(mx, **kwargs):
    make = import_module(f"{mx.__name__}.contrib.svrg_optimization.svrg_module").SVRGModule
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    net = mx.sym.LinearRegressionOutput(x, mx.sym.var("lin_label"), name="lin")
    return make(net, data_names=["data"], label_names=["lin_label"], **kwargs)


def steps(mx, show):
    m, data = _module(mx, update_freq=2), _data(mx)
    m.bind(data.provide_data, data.provide_label)
    m.init_params(mx.init.Constant(0.1))
    m.init_optimizer(optimizer="sgd", optimizer_params=(("learning_rate", 0.05),))
    m.update_full_grads(data)  # once alone: MXNet adds the last full gradients to the next
    for _ in range(3):
        data.reset()
        for batch in data:
            m.forward_backward(batch)
            m.update()
        show(dict(sorted(m.get_params()[0].items())))


def fits(mx, show):
    for epochs, optimizer, kvstore in ((2, "sgd", "local"), (3, "adam", None), (4, "sgd", "local")):
        log, calls = Lines(), []
        m = _module(mx, update_freq=epochs, logger=log.logger)
        m.fit(
            _data(mx),
            eval_data=_data(mx),
            eval_metric="mse",
            optimizer=optimizer,
            optimizer_params=(("learning_rate", 0.05),),
            num_epoch=epochs,
            kvstore=kvstore,
            initializer=mx.init.Constant(0.1),
            batch_end_callback=lambda p, calls=calls: calls.append(
                [p.epoch, p.nbatch, p.eval_metric.get()[1]]
            ),
        )
        show(log.lines, calls, dict(sorted(m.get_params()[0].items())))


def refusals(mx, show):
    for frequency in (None, 0, -1, "x"):
        show.error(_module, mx, update_freq=frequency)
    m, data = _module(mx, update_freq=1), _data(mx)
    show.error(m.update_full_grads, data)
