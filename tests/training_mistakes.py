"""Mistakes in training with gluon, run with real MXNet and with this project, eager and hybridized."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tests.snippets import run


class Bench:
    """What the snippets use beside `mx`."""

    def __init__(self, mx: Any, hybrid: bool) -> None:
        self.mx, self.hybrid = mx, hybrid

    def ready(self, block: Any) -> Any:
        """The block, initialized, and hybridized if that is what is tried."""
        block.initialize()
        if self.hybrid:
            block.hybridize()
        return block

    def net(self, units: int = 3, inputs: int = 4, **options: Any) -> Any:
        """A network of one layer."""
        block = self.mx.gluon.nn.HybridSequential(prefix="net_")
        with block.name_scope():
            block.add(self.mx.gluon.nn.Dense(units, in_units=inputs, **options))
        return self.ready(block)

    def x(self, *shape: int, dtype: str = "float32") -> Any:
        """An array of small integers, stored as `dtype`."""
        count = int(np.prod(shape))
        return self.mx.nd.array((np.arange(count) % 3).reshape(shape), dtype=dtype)

    def loss(self, name: str, *arrays: Any, **options: Any) -> list[Any]:
        """The losses' shape and the gradient's, by a loss of gluon."""
        block = self.ready(getattr(self.mx.gluon.loss, name)(**options))
        arrays[0].attach_grad()
        with self.mx.autograd.record():
            value = block(*arrays)
        value.backward()
        return [list(value.asnumpy().shape), list(arrays[0].grad.asnumpy().shape)]

    def conv(self, **options: Any) -> Any:
        """A convolution over pictures."""
        return self.ready(self.mx.gluon.nn.Conv2D(2, 3, **options))

    def trainer(self, net: Any, name: str = "sgd", **options: Any) -> Any:
        """A trainer of all parameters."""
        return self.mx.gluon.Trainer(net.collect_params(), name, options)

    def recorded(self, net: Any, *arrays: Any) -> Any:
        """The mean of what a network gives, recorded."""
        with self.mx.autograd.record():
            return net(*arrays).mean()

    def step(self, net: Any, trainer: Any, data: Any, size: Any = 2, **options: Any) -> None:
        """One step of training."""
        self.recorded(net, data).backward()
        trainer.step(size, **options)


def norm_is_nan(b: Bench) -> list[Any]:
    """What clipping gives and warns of for gradients that are nan."""
    arrays = [b.mx.nd.array([1.0, float("nan")]), b.mx.nd.array([2.0])]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        norm = b.mx.gluon.utils.clip_global_norm(arrays, 1.0)
    return [str(norm), [w.category.__name__ for w in caught], [str(w.message)[:22] for w in caught]]


def trained_on_nan(b: Bench) -> list[Any]:
    """What weights are after a step by a loss that is nan: nothing stops it."""
    net = b.net()
    b.step(net, b.trainer(net, learning_rate=0.1), b.x(2, 4) / 0)
    return [bool(np.isnan(p.data().asnumpy()).any()) for p in net.collect_params().values()]


def metric_of_nan(b: Bench) -> list[Any]:
    """What metrics make of a loss and of predictions that are nan."""
    bad = b.mx.nd.array([1.0, float("nan")])
    mean, square = b.mx.metric.Loss(), b.mx.metric.MSE()
    mean.update(None, [bad])
    square.update([b.mx.nd.array([1.0, 2.0])], [bad])
    return [str(mean.get()[1]), str(square.get()[1])]


LOSSES = """
L2Loss L1Loss HuberLoss HingeLoss SquaredHingeLoss LogisticLoss SigmoidBCELoss KLDivLoss PoissonNLLLoss
""".split()

MISTAKES: dict[str, str | Callable[[Bench], Any]] = {
    # labels that do not fit
    **{f"{name}, other size": f"b.loss('{name}', b.x(2, 3), b.x(2, 4))" for name in LOSSES},
    **{f"{name}, other batch": f"b.loss('{name}', b.x(4, 3), b.x(2, 3))" for name in LOSSES},
    **{f"{name}, other shape": f"b.loss('{name}', b.x(2, 3), b.x(6))" for name in LOSSES},
    **{f"{name}, other dtype": f"b.loss('{name}', b.x(2, 3), b.x(2, 3, dtype='int32'))" for name in LOSSES},
    **{f"{name}, float64": f"b.loss('{name}', b.x(2, 3), b.x(2, 3, dtype='float64'))" for name in LOSSES},
    **{f"{name}, no label": f"b.loss('{name}', b.x(2, 3))" for name in LOSSES},
    "classes of another batch": "b.loss('SoftmaxCELoss', b.x(4, 3), b.x(2))",
    "classes with an axis": "b.loss('SoftmaxCELoss', b.x(4, 3), b.x(4, 1))",
    "classes in rows": "b.loss('SoftmaxCELoss', b.x(4, 3), b.x(4, 3))",
    "classes, int32": "b.loss('SoftmaxCELoss', b.x(4, 3), b.x(4, dtype='int32'))",
    "classes, int64": "b.loss('SoftmaxCELoss', b.x(4, 3), b.x(4, dtype='int64'))",
    "classes, float64": "b.loss('SoftmaxCELoss', b.x(4, 3), b.x(4, dtype='float64'))",
    "classes beyond": "b.loss('SoftmaxCELoss', b.x(2, 3), b.mx.nd.array([7, -1]))",
    "dense labels of other size": "b.loss('SoftmaxCELoss', b.x(4, 3), b.x(4, 2), sparse_label=False)",
    "dense labels of other batch": "b.loss('SoftmaxCELoss', b.x(4, 3), b.x(2, 3), sparse_label=False)",
    "one label for each row": "b.loss('SoftmaxCELoss', b.x(4, 3), b.x(4), sparse_label=False)",
    "weights of other size": "b.loss('L2Loss', b.x(4, 3), b.x(4, 3), b.x(4, 2))",
    "weights of other batch": "b.loss('L2Loss', b.x(4, 3), b.x(4, 3), b.x(2, 1))",
    "weights without axis": "b.loss('L2Loss', b.x(4, 3), b.x(4, 3), b.x(4))",
    "triplets of other size": "b.loss('TripletLoss', b.x(4, 3), b.x(4, 3), b.x(4, 2))",
    "triplets of other batch": "b.loss('TripletLoss', b.x(4, 3), b.x(2, 3), b.x(4, 3))",
    "cosine of other size": "b.loss('CosineEmbeddingLoss', b.x(4, 3), b.x(4, 2), b.x(4))",
    "cosine, label of other batch": "b.loss('CosineEmbeddingLoss', b.x(4, 3), b.x(4, 3), b.x(3))",
    "ctc of other batch": "b.loss('CTCLoss', b.x(2, 6, 5), b.x(3, 4))",
    "ctc with more labels than steps": "b.loss('CTCLoss', b.x(2, 3, 5), b.x(2, 4))",
    "ctc, label without axis": "b.loss('CTCLoss', b.x(2, 6, 5), b.x(2))",
    "ctc, scores without axis": "b.loss('CTCLoss', b.x(2, 6), b.x(2, 4))",
    "ctc, lengths of other batch": "b.loss('CTCLoss', b.x(2, 6, 5), b.x(2, 4), b.x(3))",
    "label is no array": "b.loss('L2Loss', b.x(2, 3), [[1, 2, 3], [4, 5, 6]])",
    "label is NumPy's": "b.loss('L2Loss', b.x(2, 3), np.ones((2, 3), 'float32'))",
    # parameters and shapes
    "not initialized": """
        n = b.mx.gluon.nn.Dense(3, in_units=4)
        n.hybridize(b.hybrid)
        b.recorded(n, b.x(2, 4))
    """,
    "not initialized, size unknown": """
        n = b.mx.gluon.nn.Dense(3)
        n.hybridize(b.hybrid)
        b.recorded(n, b.x(2, 4))
    """,
    "trainer of what is not initialized": "b.trainer(b.mx.gluon.nn.Dense(3, in_units=4))",
    "trainer of what waits for its size": """
        n = b.ready(b.mx.gluon.nn.Dense(3))
        b.step(n, b.trainer(n, learning_rate=0.1), b.x(2, 4))
        n.weight.shape
    """,
    "step before anything": "n = b.ready(b.mx.gluon.nn.Dense(3))\nb.trainer(n).step(1)",
    "gradient before anything": "b.ready(b.mx.gluon.nn.Dense(3)).weight.grad()",
    "another size of data": "n = b.net()\nn(b.x(2, 4))\nb.recorded(n, b.x(2, 5)).asnumpy()",
    "another size at once": "b.recorded(b.net(), b.x(2, 5)).asnumpy()",
    "another rank of data": "b.recorded(b.conv(in_channels=3), b.x(2, 3, 5)).asnumpy()",
    "other channels": "b.recorded(b.conv(in_channels=3), b.x(2, 4, 5, 5)).asnumpy()",
    "smaller than the kernel": "b.recorded(b.conv(), b.x(2, 3, 2, 2)).asnumpy()",
    "another dtype of data": "b.recorded(b.net(), b.x(2, 4, dtype='float64')).asnumpy()",
    "whole numbers as data": "b.recorded(b.net(), b.x(2, 4, dtype='int32')).asnumpy()",
    "too many inputs": "b.recorded(b.net(), b.x(2, 4), b.x(2, 4))",
    "no inputs": "b.recorded(b.net())",
    "a number as input": "b.recorded(b.net(), 3)",
    "NumPy's array as input": "b.recorded(b.net(), np.ones((2, 4), 'float32'))",
    "named inputs": "b.net()(x=b.x(2, 4))",
    # recording and the reverse sweep
    "backward outside of record": "b.net()(b.x(2, 4)).backward()",
    "backward of a loss outside of record": """
        y = b.net()(b.x(2, 4))
        b.mx.gluon.loss.L2Loss()(y, b.x(2, 3)).backward()
    """,
    "backward twice": "y = b.recorded(b.net(), b.x(2, 4))\ny.backward()\ny.backward()",
    "backward twice, kept": """
        n = b.net()
        y = b.recorded(n, b.x(2, 4))
        y.backward(retain_graph=True)
        y.backward()
        list(n[0].weight.grad().shape)
    """,
    "backward of what pause computed": """
        n = b.net()
        with b.mx.autograd.record():
            with b.mx.autograd.pause():
                y = n(b.x(2, 4))
        y.backward()
    """,
    "head gradient of another size": "b.recorded(b.net(), b.x(2, 4)).backward(b.x(3))",
    "head gradient of another dtype": "b.recorded(b.net(), b.x(2, 4)).backward(b.x(1, dtype='float64'))",
    "all gradients off": """
        n = b.net()
        n.collect_params().setattr('grad_req', 'null')
        b.recorded(n, b.x(2, 4)).backward()
    """,
    "gradient of what has none": """
        n = b.net()
        n.collect_params().setattr('grad_req', 'null')
        n[0].weight.grad()
    """,
    # trainers
    "step without backward": "b.trainer(b.net()).step(1)",
    "step without backward, ignored": """
        n = b.net()
        before = n[0].weight.data().asnumpy()
        b.trainer(n).step(1, ignore_stale_grad=True)
        bool((n[0].weight.data().asnumpy() == before).all())
    """,
    "step twice": """
        n = b.net()
        t = b.trainer(n, learning_rate=0.1)
        b.step(n, t, b.x(2, 4))
        t.step(2)
    """,
    "step of a layer that is not used": """
        n, other = b.net(), b.net()
        p = n.collect_params()
        t = b.mx.gluon.Trainer([*n.collect_params().values(), *other.collect_params().values()], 'sgd')
        b.step(n, t, b.x(2, 4))
    """,
    "unknown optimizer": "b.trainer(b.net(), 'sdg')",
    "unknown option": "b.trainer(b.net(), 'sgd', learnin_rate=0.1)",
    "optimizer of another type": "b.mx.gluon.Trainer(b.net().collect_params(), 3)",
    "optimizer class": "b.mx.gluon.Trainer(b.net().collect_params(), b.mx.optimizer.SGD)",
    "optimizer with options": """
        p = b.net().collect_params()
        b.mx.gluon.Trainer(p, b.mx.optimizer.SGD(), {'momentum': 0.9})
    """,
    "unknown store": "b.mx.gluon.Trainer(b.net().collect_params(), 'sgd', kvstore='nowhere').step(1)",
    "no parameters": "b.mx.gluon.Trainer([], 'sgd').step(1)",
    "parameters of another type": "b.mx.gluon.Trainer(b.net(), 'sgd')",
    "arrays as parameters": "b.mx.gluon.Trainer([b.x(2, 3)], 'sgd')",
    "batch size 0": "n = b.net()\nb.step(n, b.trainer(n), b.x(2, 4), 0)",
    "batch size is no number": "n = b.net()\nb.step(n, b.trainer(n), b.x(2, 4), '2')",
    "learning rate is no number": "n = b.net()\nb.step(n, b.trainer(n, learning_rate='fast'), b.x(2, 4))",
    "learning rate of a scheduler": """
        s = b.mx.lr_scheduler.FactorScheduler(2)
        t = b.trainer(b.net(), lr_scheduler=s)
        t.set_learning_rate(0.3)
    """,
    "gradient request": "b.mx.gluon.Parameter('w', grad_req='sometimes')",
    "gradient request of all": "b.net().collect_params().setattr('grad_req', 'sometimes')",
    "clipping nothing": "b.mx.gluon.utils.clip_global_norm([], 1.0)",
    # numbers that are none
    "norm that is nan": norm_is_nan,
    "training on nan": trained_on_nan,
    "metrics of nan": metric_of_nan,
}


def outcome(mx: Any, name: str, hybrid: bool) -> Any:
    """What a mistake gives: plain data, or the error."""
    bench, text = Bench(mx, hybrid), MISTAKES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if callable(text):
            return run("act()", act=partial(text, bench))
        lines = [line.removeprefix(" " * 8) for line in text.strip("\n").splitlines()]
        last = f"\n{lines[-1].strip()}" if len(lines) > 1 else lines[0]
        value = run("\n".join(lines[:-1]) + last, b=bench)
        if hasattr(value, "asnumpy"):
            value = list(value.shape)
        return [*value] if isinstance(value, tuple) else value
