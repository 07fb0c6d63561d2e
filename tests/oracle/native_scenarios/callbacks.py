"""Callbacks: what they log and write."""

import contextlib
import io
import os

from ._training import Lines, RootLines, mlp, params, train_iter


def _fit(mx, rows=40, **kwargs):
    net = mlp(mx)
    arg_params, aux = params(mx, net, data=(4, 5))
    m = mx.mod.Module(net, logger=Lines().logger)
    kwargs.setdefault("num_epoch", 2)
    m.fit(train_iter(mx, rows), arg_params=arg_params, aux_params=aux, **kwargs)
    return m


def _param(mx, nbatch, metric=None, epoch=3):
    return mx.model.BatchEndParam(epoch=epoch, nbatch=nbatch, eval_metric=metric, locals=None)


def _metric(mx, total=1, count=4):
    metric = mx.metric.Accuracy()
    metric.sum_metric = metric.global_sum_metric = total
    metric.num_inst = metric.global_num_inst = count
    return metric


def params_of_callbacks(mx, show):
    p = _param(mx, 5)
    show(p._fields, p.epoch, p.nbatch, p.eval_metric, p.locals)


def speeds(mx, show):
    for options in ({}, {"frequent": 3}, {"frequent": 3, "auto_reset": False}):
        with RootLines() as log:
            _fit(mx, batch_end_callback=mx.callback.Speedometer(4, **options), eval_metric=["acc", "ce"])
        show(log.lines)


def speeds_by_hand(mx, show):
    meter = mx.callback.Speedometer(4, frequent=2)
    with RootLines() as log:
        for n in range(5):
            meter(_param(mx, n))
        for n in range(5):
            meter(_param(mx, n, _metric(mx)))
    show(log.lines, meter.batch_size, meter.frequent, meter.auto_reset)


def speeds_reset_metrics(mx, show):
    for auto_reset in (True, False):
        metric = _metric(mx)
        meter = mx.callback.Speedometer(4, 1, auto_reset)
        with RootLines():
            meter(_param(mx, 0, metric))
            meter(_param(mx, 1, metric))
        show(metric.num_inst, metric.global_num_inst)


def bars(mx, show):
    for total, length in ((10, 20), (7, 80), (3, 5)):
        bar = mx.callback.ProgressBar(total, length)
        with RootLines() as log, contextlib.redirect_stdout(io.StringIO()) as out:
            for n in range(total + 1):
                bar(_param(mx, n))
        show(log.lines, out.getvalue())


def train_metrics(mx, show):
    for options in ({"period": 4}, {"period": 3, "auto_reset": True}):
        with RootLines() as log:
            _fit(mx, batch_end_callback=mx.callback.log_train_metric(**options), eval_metric="ce")
        show(log.lines)
    with RootLines() as log:
        mx.callback.log_train_metric(1)(_param(mx, 0))
    show(log.lines)


def validation_metrics(mx, show):
    with RootLines() as log:
        _fit(
            mx,
            eval_data=train_iter(mx, 8),
            eval_end_callback=mx.callback.LogValidationMetricsCallback(),
            num_epoch=1,
        )
        mx.callback.LogValidationMetricsCallback()(_param(mx, 0))
    show(log.lines)


def checkpoints(mx, show):
    with RootLines() as log:
        _fit(mx, 8, epoch_end_callback=mx.callback.do_checkpoint(show.path("a"), period=2), num_epoch=4)
        m = _fit(mx, 8, epoch_end_callback=mx.callback.do_checkpoint(show.path("b"), period=0), num_epoch=2)
    show(log.lines, sorted(os.listdir(str(show.folder))))
    _, arguments, _ = mx.model.load_checkpoint(show.path("b"), 2)
    show(arguments["fc2_bias"], m.get_params()[0]["fc2_bias"])


def module_checkpoints(mx, show):
    net = mlp(mx)
    arg_params, aux = params(mx, net, data=(4, 5))
    m = mx.mod.Module(net, logger=Lines().logger)
    with RootLines() as log:
        m.fit(
            train_iter(mx, 8),
            arg_params=arg_params,
            aux_params=aux,
            num_epoch=2,
            epoch_end_callback=[
                mx.callback.module_checkpoint(m, show.path("a"), 1, True),
                mx.callback.module_checkpoint(m, show.path("b"), 2),
            ],
        )
    show(log.lines, sorted(os.listdir(str(show.folder))))
