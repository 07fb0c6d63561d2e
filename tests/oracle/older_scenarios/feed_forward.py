"""`mx.model.FeedForward`: training, predictions and scores, files, and what its logs say."""

import os

import numpy as np

from tests.oracle.native_scenarios._training import RootLines, mlp, params


def _data(rows=20, seed=0):
    rng = np.random.RandomState(seed)
    x = rng.uniform(-1, 1, (rows, 5)).astype("float32")
    return x, (x.sum(axis=1) > 0).astype("float32") + (x[:, 0] > 0.5)


def _values(mx):
    return params(mx, mlp(mx), data=(4, 5))


def _iter(mx, rows=20, batch=4, **kwargs):
    x, y = _data(rows)
    return mx.io.NDArrayIter(x, y, batch, **kwargs)


def _model(mx, **kwargs):
    arg, aux = _values(mx)
    options = {"num_epoch": 2, "learning_rate": 0.5, "momentum": 0.9, "arg_params": arg, "aux_params": aux}
    return mx.model.FeedForward(mlp(mx), ctx=mx.cpu(), **{**options, **kwargs})


def iterators(mx, show):
    with RootLines() as log:
        model = _model(mx)
        model.fit(_iter(mx), eval_data=_iter(mx), eval_metric=["acc", "ce"])
        show(log.lines)
    show(dict(sorted(model.arg_params.items())), model.aux_params)
    show(model.predict(_iter(mx)), model.score(_iter(mx)), model.score(_iter(mx), "ce", num_batch=2))
    outputs, data, label = model.predict(_iter(mx, rows=18), return_data=True)
    show(outputs.shape, data, label, model.predict(_iter(mx), num_batch=2).shape)


def epochs(mx, show):
    calls = []
    with RootLines() as log:
        model = _model(mx, num_epoch=3, epoch_size=3, begin_epoch=1)
        model.fit(
            _iter(mx),
            batch_end_callback=lambda p: calls.append([p.epoch, p.nbatch, p.eval_metric.get()[1]]),
            epoch_end_callback=lambda epoch, s, arg, aux: calls.append(
                [epoch, s.name, sorted(arg), sorted(aux)]
            ),
        )
        show(log.lines, calls)
    show(dict(sorted(model.arg_params.items())))


def arrays(mx, show):
    x, y = _data()
    model = _model(mx, num_epoch=3, numpy_batch_size=20, learning_rate=0.1)
    with RootLines() as log:
        model.fit(x, y, eval_data=(x, y))
        show([line[:2] for line in log.lines if "Epoch" in line[1]])
    show(dict(sorted(model.arg_params.items())))
    show(model.predict(x[:7]), model.predict(mx.nd.array(x[:7])).shape)
    show.error(model.fit, x)
    show.error(model.fit, x, y[:4])


def files(mx, show):
    model = _model(mx)
    model.fit(_iter(mx))
    model.save(show.path("net"))
    model.save(show.path("net"), 7)
    show(sorted(os.listdir(str(show.folder))))
    again = mx.model.FeedForward.load(show.path("net"), 2, ctx=mx.cpu(), num_epoch=3)
    show(
        again.begin_epoch, again.num_epoch, np.abs(again.predict(_iter(mx)) - model.predict(_iter(mx))).max()
    )
    again.fit(_iter(mx))
    show(again.symbol.list_arguments())


def made_at_once(mx, show):
    arg, aux = _values(mx)
    model = mx.model.FeedForward.create(
        mlp(mx), _iter(mx), num_epoch=1, learning_rate=0.2, arg_params=arg, aux_params=aux, optimizer="adam"
    )
    show(dict(sorted(model.arg_params.items())), model.score(_iter(mx)))


def extras(mx, show):
    arg, _ = _values(mx)
    arg["more"] = mx.nd.ones(3)
    show.error(_model(mx, arg_params=arg).fit, _iter(mx))
    model = _model(mx, arg_params=arg, allow_extra_params=True)
    model.fit(_iter(mx))
    show(sorted(model.arg_params))
    model = mx.model.FeedForward(mlp(mx), arg_params=_values(mx)[0], aux_params={})
    show(model.predict(_iter(mx)).shape, model.num_epoch, model.epoch_size, model.begin_epoch)
    show.error(model.fit, _iter(mx))


def no_data(mx, show):
    x, y = _data()
    show.error(_model(mx).fit, 3, 4)
    show.error(_model(mx).predict, [3])
    show.error(_model(mx).fit, x, y, eval_data=(x, y, 1))
    show.error(_model(mx).fit, x, y, eval_data=3)
