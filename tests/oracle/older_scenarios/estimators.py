"""`gluon.contrib.estimator`: events in their order, logs, files, and what trained blocks hold."""

import os
import re
import warnings
from importlib import import_module

import numpy as np

from tests.oracle.native_scenarios._training import Lines


def _est(mx):
    return import_module(f"{mx.__name__}.gluon.contrib.estimator")


def _loader(mx, batch=4, **kwargs):
    rng = np.random.RandomState(0)
    x = rng.uniform(-1, 1, (12, 4)).astype("float32")
    y = (x.sum(axis=1) > 0).astype("float32")
    return mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(x, y), batch, **kwargs)


def _net(mx):
    net = mx.gluon.nn.Dense(2, in_units=4)
    net.initialize(mx.init.Constant(0.1))
    return net


class _Log(Lines):
    """Messages without times and folders."""

    def texts(self):
        lines = []
        for _, text, *_ in self.lines:
            text = re.sub(r"\d+\.\d{3}s", "SECONDS", re.sub(r"total \d+s", "total SECONDS", text))
            text = re.sub(r" at /\S+", " at FOLDER", text)
            text = text.replace("EarlyStoppingHanlder", "EarlyStoppingHandler")
            if "symbol file" in text or "graph is not saved" in text:
                text = "no graph"
            lines.append(text)
        self.lines.clear()
        return lines


def _make(mx, net=None, **kwargs):
    net = net or _net(mx)
    kwargs.setdefault("train_metrics", mx.metric.Accuracy())
    kwargs.setdefault("trainer", mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5}))
    estimator = _est(mx).Estimator(net, mx.gluon.loss.SoftmaxCrossEntropyLoss(), context=mx.cpu(), **kwargs)
    log = _Log()
    estimator.logger = log.logger
    return estimator, log


def _tracer(mx, calls):
    est = _est(mx)

    class Tracer(est.TrainBegin, est.TrainEnd, est.EpochBegin, est.EpochEnd, est.BatchBegin, est.BatchEnd):
        pass

    def define(event):
        def handle(self, estimator, *args, **kwargs):
            kinds = [
                [k, [part.shape for part in v] if k != "batch" else len(v)] for k, v in sorted(kwargs.items())
            ]
            calls.append([event, len(args), kinds])

        setattr(Tracer, event, handle)

    for event in ("train_begin", "train_end", "epoch_begin", "epoch_end", "batch_begin", "batch_end"):
        define(event)
    return Tracer()


def _weights(mx, estimator):
    return estimator.net.weight.data()


def _values(estimator):
    return [list(m.get()) for m in estimator.train_metrics + estimator.val_metrics]


def events(mx, show):
    calls = []
    e, log = _make(mx)
    e.fit(_loader(mx), val_data=_loader(mx, 6), epochs=2, event_handlers=[_tracer(mx, calls)])
    show(calls, log.texts(), _weights(mx, e), _values(e))
    calls.clear()
    e.evaluate(_loader(mx, 6), event_handlers=_tracer(mx, calls))
    show(calls, log.texts(), _values(e))


def batches(mx, show):
    est = _est(mx)
    e, log = _make(mx)
    e.fit(
        _loader(mx), batches=5, event_handlers=[est.LoggingHandler(log_interval=2, metrics=e.train_metrics)]
    )
    show(log.texts(), _weights(mx, e), e.max_epoch, e.max_batch)
    metrics = [mx.metric.Accuracy(), mx.metric.Loss("q")]
    e, log = _make(mx, train_metrics=metrics)
    e.fit(
        _loader(mx),
        val_data=_loader(mx, 12),
        batches=3,
        event_handlers=est.LoggingHandler(1, e.train_metrics),
    )
    show(log.texts(), _values(e), e.train_metrics[0] is metrics[0])


def names(mx, show):
    gluon = mx.gluon
    for loss in (
        gluon.loss.SoftmaxCELoss(),
        gluon.loss.SigmoidBCELoss(),
        gluon.loss.L1Loss(),
        gluon.loss.L2Loss(),
    ):
        net = gluon.nn.Dense(2)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            e = _est(mx).Estimator(net, loss)
        show(len(caught), [m.name for m in e.train_metrics], [m.name for m in e.val_metrics])
        show(type(e.trainer.optimizer).__name__, e.trainer.learning_rate, [str(c) for c in e.context])
        show(e.val_net is net, e.val_loss is loss, e.logger.name, e.logger.level)
    both = mx.metric.CompositeEvalMetric([mx.metric.Accuracy(), mx.metric.MAE()])
    for kwargs in (
        {"train_metrics": both},
        {"val_metrics": mx.metric.MSE()},
        {"val_metrics": [mx.metric.MSE(), mx.metric.MAE()], "train_metrics": None},
    ):
        e, _ = _make(mx, **kwargs)
        show([m.name for m in e.train_metrics], [m.name for m in e.val_metrics])
    net = gluon.nn.Dense(2, in_units=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _est(mx).Estimator(net, gluon.loss.L2Loss(), initializer=mx.init.Constant(0.25))
    show(net.weight.data())


def refusals(mx, show):
    est, nn = _est(mx), mx.gluon.nn
    l2 = mx.gluon.loss.L2Loss()
    e, _ = _make(mx)
    data = _loader(mx)
    show.error(e.fit, data)
    show.error(e.fit, data, epochs=1, batches=2)
    show.error(e.fit, [1, 2], epochs=1)
    show.error(e.evaluate, [1, 2])
    show.error(e.fit, data, epochs=1, event_handlers=[3])
    stranger = est.LoggingHandler(metrics=[mx.metric.Accuracy()])
    show.error(e.fit, data, epochs=1, event_handlers=[stranger])
    show.error(est.LoggingHandler, log_interval="x")
    show.error(est.Estimator, nn.Dense(1), "x")
    show.error(est.Estimator, nn.Dense(1), l2, train_metrics="acc")
    show.error(est.Estimator, nn.Dense(1), l2, trainer="x")
    show.error(est.Estimator, nn.Dense(1), l2, context=[mx.cpu(0), "x"])
    show.error(est.Estimator, nn.Dense(1), l2, val_loss=3)
    show.error(_make, mx, batch_processor=3)
    show.error(est.EarlyStoppingHandler, "acc")
    show.error(est.CheckpointHandler, show.path("c"), save_best=True)
    show.error(est.CheckpointHandler, show.path("c"), save_best=True, monitor="acc")


def _files(show, folder):
    return sorted(os.listdir(show.path(folder)))


def checkpoints(mx, show):
    est = _est(mx)
    for i, kwargs in enumerate(
        (
            {"max_checkpoints": 2},
            {"batch_period": 2, "epoch_period": None},
            {"batch_period": 2},
            {"epoch_period": 2, "verbose": 0},
        )
    ):
        e, log = _make(mx)
        handler = est.CheckpointHandler(show.path(f"f{i}"), "m", **{"verbose": 1, **kwargs})
        e.fit(_loader(mx), epochs=4, event_handlers=[handler])
        show(log.texts(), _files(show, f"f{i}"), handler.saved_checkpoints, handler.current_epoch)
        show(handler.current_batch)
    e, log = _make(mx)
    e.net.hybridize()
    e.fit(_loader(mx), epochs=1, event_handlers=est.CheckpointHandler(show.path("h"), verbose=1))
    show(log.texts(), _files(show, "h"))
    show(mx.sym.load(show.path("h/model-symbol.json")).list_arguments()[0])


def best(mx, show):
    est = _est(mx)
    e, log = _make(mx)
    handler = est.CheckpointHandler(
        show.path("b"), "m", monitor=e.train_metrics[0], save_best=True, mode="max"
    )
    e.fit(_loader(mx), epochs=3, event_handlers=[handler])
    show(log.texts(), _files(show, "b"), handler.best, handler.monitor_op.__name__)
    again = _net(mx)
    again.load_parameters(show.path("b/m-best.params"))
    show(again.weight.data())


def resumed(mx, show):
    est = _est(mx)
    for most, kwargs in (
        ({"epochs": 2}, {}),
        ({"batches": 3}, {"batch_period": 1, "epoch_period": None}),
    ):
        folder = f"r{len(kwargs)}"
        e, _ = _make(mx)
        e.fit(_loader(mx), event_handlers=[est.CheckpointHandler(show.path(folder), "m", **kwargs)], **most)
        options = {"resume_from_checkpoint": True, "verbose": 1, **kwargs}
        longer = {key: value + 3 for key, value in most.items()}
        e, log = _make(mx)
        handler = est.CheckpointHandler(show.path(folder), "m", **options)
        e.fit(_loader(mx), event_handlers=[handler], **longer)
        show(log.texts(), _files(show, folder), e.max_epoch, e.max_batch, _weights(mx, e))
        show(handler.trained_epoch, handler.trained_batch)
        e, _ = _make(mx)
        handler = est.CheckpointHandler(show.path(folder), "m", **options)
        show.error(e.fit, _loader(mx), event_handlers=[handler], **most)
    e, log = _make(mx)
    handler = est.CheckpointHandler(show.path("none"), "m", resume_from_checkpoint=True, verbose=1)
    e.fit(_loader(mx), epochs=1, event_handlers=[handler])
    show(log.texts()[:3])


def stopped_early(mx, show):
    est = _est(mx)
    for kwargs in ({"patience": 1}, {"patience": 2, "min_delta": 0.1}, {"patience": 1, "baseline": 2.0}):
        e, log = _make(mx)
        handler = est.EarlyStoppingHandler(monitor=e.train_metrics[0], mode="max", **kwargs)
        e.fit(_loader(mx), epochs=8, event_handlers=[handler])
        show(log.texts() if handler.stopped_epoch else handler.stopped_epoch)
        show(handler.wait, handler.current_epoch, handler.stop_training, handler.best)
    e, log = _make(mx, train_metrics=mx.metric.Loss("q"))
    handler = est.EarlyStoppingHandler(monitor=e.train_metrics[0], mode="min", min_delta=0.02, patience=1)
    e.fit(_loader(mx), epochs=9, event_handlers=[handler])
    show(log.texts(), handler.monitor_op.__name__, handler.best, handler.min_delta)


def own_handlers(mx, show):
    est = _est(mx)
    e, log = _make(mx)
    validation = est.ValidationHandler(_loader(mx, 6), e.evaluate, epoch_period=2, batch_period=4)
    e.fit(_loader(mx), epochs=3, event_handlers=[validation])
    show(log.texts(), validation.current_batch, validation.current_epoch)
    e, log = _make(mx)
    handlers = [
        est.LoggingHandler(metrics=e.train_metrics, priority=-5000),
        est.MetricHandler(e.train_metrics),
        est.GradientUpdateHandler(),
        est.StoppingHandler(max_epoch=7),
    ]
    e.fit(_loader(mx), epochs=2, event_handlers=handlers)
    show(log.texts(), _weights(mx, e), handlers[-1].max_epoch)
    calls = []

    class Accumulate(est.GradientUpdateHandler):
        def batch_end(self, estimator, *args, **kwargs):
            calls.append(len(calls))
            if len(calls) % 3 == 0:
                super().batch_end(estimator, *args, **kwargs)

    e, _ = _make(mx)
    e.fit(_loader(mx), epochs=2, event_handlers=[Accumulate()])
    show(calls, _weights(mx, e))

    class Stop(est.BatchEnd, est.EpochEnd):
        def batch_end(self, estimator, *args, **kwargs):
            calls.append("batch")
            return calls.count("batch") == 2

        def epoch_end(self, estimator, *args, **kwargs):
            return "batch" in calls

    e, log = _make(mx)
    e.fit(_loader(mx), epochs=5, event_handlers=[Stop()])
    show(log.texts(), calls.count("batch"))


def processors(mx, show):
    est = _est(mx)
    calls = []

    class Processor(est.BatchProcessor):
        def fit_batch(self, estimator, batch, batch_axis=0):
            calls.append(["fit", len(batch), batch_axis])
            return super().fit_batch(estimator, batch, batch_axis)

        def evaluate_batch(self, estimator, batch, batch_axis=0):
            result = super().evaluate_batch(estimator, batch, batch_axis)
            calls.append(["evaluate", [[part.shape for part in parts] for parts in result]])
            return result

    other = _net(mx)
    e, log = _make(mx, batch_processor=Processor(), val_net=other, val_loss=mx.gluon.loss.SoftmaxCELoss())
    e.fit(_loader(mx), val_data=_loader(mx, 12), epochs=1)
    show(calls[:-1], log.texts(), len(calls[-1][1]))
