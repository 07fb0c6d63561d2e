"""Training with a trainer, run with real MXNet and with this project."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tests.snippets import describe


def net_of(mx: Any, ctx: Any = None) -> Any:
    """A small network with the same weights each time."""
    rng = np.random.RandomState(7)
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Dense(8, activation="tanh", in_units=4), mx.gluon.nn.Dense(3, in_units=8))
    net.initialize(ctx=ctx)
    for _, param in sorted(net.collect_params().items()):
        param.set_data(mx.nd.array(rng.randn(*param.shape) * 0.5))
    return net


def batch(mx: Any, step: int, ctx: Any = None) -> tuple[Any, Any]:
    """Data and labels of a step."""
    rng = np.random.RandomState(step)
    return mx.nd.array(rng.randn(6, 4), ctx=ctx), mx.nd.array(rng.randint(0, 3, 6), ctx=ctx)


def losses(mx: Any, net: Any, trainer: Any, steps: Any = range(10)) -> list[float]:
    """Train for some steps."""
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    values = []
    for step in steps:
        data, label = batch(mx, step)
        with mx.autograd.record():
            loss = loss_of(net(data), label)
        loss.backward()
        trainer.step(data.shape[0])
        values.append(float(loss.mean().asscalar()))
    return values


TRAININGS: dict[str, tuple[str, dict[str, Any]]] = {
    "sgd": ("sgd", {"learning_rate": 0.5}),
    "momentum": ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 0.01}),
    "rescaled": ("sgd", {"learning_rate": 0.5, "rescale_grad": 0.5, "clip_gradient": 0.05}),
    "adam": ("adam", {"learning_rate": 0.05}),
    "lamb": ("lamb", {"learning_rate": 0.05, "wd": 0.1}),
    "lars": ("lars", {"learning_rate": 0.5, "momentum": 0.9, "eta": 0.1}),
    "rmsprop": ("rmsprop", {"learning_rate": 0.01, "centered": True}),
    "nadam": ("nadam", {"learning_rate": 0.01}),
}


def trained(mx: Any, name: str) -> Any:
    """The losses, and a weight after them."""
    optimizer, options = TRAININGS[name]
    net = net_of(mx)
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer, dict(options))
    return losses(mx, net, trainer), net[1].weight.data()


def scheduled(mx: Any) -> Any:
    """The rates that a scheduler gives."""
    net = net_of(mx)
    scheduler = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.4)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"lr_scheduler": scheduler})
    rows = [(losses(mx, net, trainer, [i]), trainer.learning_rate) for i in range(6)]
    return rows, trainer.optimizer.num_update


def multiplied(mx: Any) -> Any:
    """Parameters with multipliers of their own, one of them frozen."""
    net = net_of(mx)
    net[0].weight.lr_mult = 0.1
    net[1].weight.wd_mult = 3.0
    net[0].bias.grad_req = "null"
    options = {"learning_rate": 0.5, "wd": 0.1}
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", options)
    before = losses(mx, net, trainer)
    trainer.set_learning_rate(0.1)
    return before, losses(mx, net, trainer), [p.data() for _, p in sorted(net.collect_params().items())]


def continued(mx: Any, folder: Any) -> Any:
    """Training goes on from saved parameters and states."""
    net = net_of(mx)
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
    losses(mx, net, trainer, range(5))
    path = str(folder / "states")
    trainer.save_states(path)
    saved = [p.data().copy() for _, p in sorted(net.collect_params().items())]
    net = net_of(mx)
    for (_, param), value in zip(sorted(net.collect_params().items()), saved, strict=True):
        param.set_data(value)
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.7})
    trainer.load_states(path)
    return losses(mx, net, trainer, range(5, 10)), trainer.learning_rate, trainer.optimizer.num_update


def contexts(mx: Any, **options: Any) -> Any:
    """Two steps on two contexts."""
    both = [mx.cpu(0), mx.cpu(1)]
    net = mx.gluon.nn.Dense(1, in_units=2)
    net.initialize(mx.init.One(), ctx=both)
    trainer = mx.gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9}, **options
    )
    for _ in range(2):
        with mx.autograd.record():
            sums = [net(mx.nd.ones((1, 2), ctx=c) * (c.device_id + 1)).sum() for c in both]
        for value in sums:
            value.backward()
        trainer.step(2)
    allreduce = _outcome(trainer.allreduce_grads)
    return net.weight.list_data(), trainer.optimizer.num_update, allreduce


def _outcome(call: Any, *args: Any, **kwargs: Any) -> Any:
    """What a call gives, or its error."""
    try:
        return call(*args, **kwargs)
    except (Exception, UserWarning) as exc:  # noqa: BLE001  (of any type)
        return exc


def refused_steps(mx: Any) -> list[Any]:
    """Steps before the first pass, without a new gradient, and with strange batch sizes."""
    net = mx.gluon.nn.Dense(3)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd")
    outcomes = [_outcome(trainer.step, 1)]
    with mx.autograd.record():
        total = net(mx.nd.ones((2, 3))).sum()
    total.backward()
    outcomes += [_outcome(trainer.step, 2), _outcome(trainer.step, 2), _outcome(trainer.step, 2, True)]
    return [*outcomes, _outcome(trainer.step, 0), _outcome(trainer.step, "a"), trainer.optimizer.num_update]


def errors(mx: Any, folder: Any) -> list[Any]:
    """What trainers refuse."""
    params = net_of(mx).collect_params()
    Trainer = mx.gluon.Trainer
    scheduler = mx.lr_scheduler.FactorScheduler(3)
    return [
        *refused_steps(mx),
        _outcome(Trainer, 3, "sgd"),
        _outcome(Trainer, [3], "sgd"),
        _outcome(Trainer, {"a": 3}, "sgd"),
        _outcome(Trainer, params, "foo"),
        _outcome(Trainer, params, mx.optimizer.SGD(), {"learning_rate": 1}),
        _outcome(Trainer, params, "sgd", {"foo": 1}),
        _outcome(Trainer, mx.gluon.nn.Dense(3).collect_params(), "sgd"),
        _outcome(Trainer(params, "sgd", {"lr_scheduler": scheduler}).set_learning_rate, 3),
        _outcome(Trainer(params, "sgd").load_states, str(folder / "nothing")),
        _outcome(Trainer(params, "sgd").step, 1),
        _outcome(Trainer(params, "sgd").update, 1),
        _outcome(Trainer(params, "sgd").update, 1, ignore_stale_grad=True),
        [p.name for p in Trainer(params, "sgd")._params],
        Trainer(params, mx.optimizer.SGD(rescale_grad=3.0)).optimizer.rescale_grad,
    ]


def everything(mx: Any, folder: Any) -> dict[str, Any]:
    """All of this, described."""
    results = {f"trained {name}": trained(mx, name) for name in TRAININGS}
    results |= {"scheduled": scheduled(mx), "multiplied": multiplied(mx), "continued": continued(mx, folder)}
    for kvstore in ("device", None):
        results[f"contexts {kvstore}"] = contexts(mx, kvstore=kvstore)
        results[f"contexts {kvstore} False"] = contexts(mx, kvstore=kvstore, update_on_kvstore=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results["errors"] = errors(mx, folder)
    return {name: describe(value) for name, value in results.items()}
