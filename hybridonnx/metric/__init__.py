"""Numbers that say how good predictions are, collected over batches, under MXNet's names.

    metric = mx.metric.Accuracy()
    metric.update(labels, predictions)  # for each batch
    name, value = metric.get()

Every metric keeps two counts: the local one, which `reset_local` sets back (a log line after every hundred
batches), and the global one, which lasts until `reset`.
"""

from ._base import EvalMetric, alias, check_label_shapes, register
from ._classes import F1, MCC, PCC, Accuracy, TopKAccuracy
from ._composite import CompositeEvalMetric, MetricLike, create
from ._functions import Caffe, CustomMetric, Loss, Torch, np
from ._numbers import MAE, MSE, RMSE, PearsonCorrelation
from ._probabilities import CrossEntropy, NegativeLogLikelihood, Perplexity

__all__ = [
    "F1",
    "MAE",
    "MCC",
    "MSE",
    "PCC",
    "RMSE",
    "Accuracy",
    "Caffe",
    "CompositeEvalMetric",
    "CrossEntropy",
    "CustomMetric",
    "EvalMetric",
    "Loss",
    "MetricLike",
    "NegativeLogLikelihood",
    "PearsonCorrelation",
    "Perplexity",
    "TopKAccuracy",
    "Torch",
    "alias",
    "check_label_shapes",
    "create",
    "np",
    "register",
]


def __getattr__(name: str) -> object:
    """The module `ndarray`, which libraries take from here."""
    if name == "ndarray":
        from .. import ndarray

        return ndarray
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
