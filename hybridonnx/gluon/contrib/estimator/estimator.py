"""A training loop: `Estimator`."""

from __future__ import annotations

import copy
import logging
import sys
import warnings
from typing import Any

from ....context import Context, cpu, gpu, num_gpus
from ....errors import AttributeValueError
from ....initializer import InitializerLike
from ....metric import Loss as LossMetric
from ....typing import Contexts
from ...block import Block
from ...data import DataLoader
from ...loss import Loss
from ...trainer import Trainer
from .batch_processor import BatchProcessor
from .event_handler import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    GradientUpdateHandler,
    Handlers,
    LoggingHandler,
    MetricHandler,
    Metrics,
    StoppingHandler,
    TrainBegin,
    TrainEnd,
    ValidationHandler,
    listed,
)
from .utils import _check_handler_metric_ref, _suggest_metric_for_loss

__all__ = ["Estimator"]

_EVENTS = {
    "train_begin": TrainBegin,
    "epoch_begin": EpochBegin,
    "batch_begin": BatchBegin,
    "batch_end": BatchEnd,
    "epoch_end": EpochEnd,
    "train_end": TrainEnd,
}


class Estimator:
    """Trains a block, and evaluates it; handlers are called at each event.

    Args:
        net: The block.
        loss: A Gluon loss.
        train_metrics: Metrics of training; by default one that fits the loss, and the loss.
        val_metrics: Metrics of evaluations; by default those of training.
        initializer: Draws the parameters of a block that has no values yet.
        trainer: The trainer; by default SGD with a learning rate of 0.001.
        context: The context, or a list of them; by default all GPUs, or the CPU.
        val_net: The block that is evaluated, if it is another one.
        val_loss: The loss of evaluations, if it is another one.
        batch_processor: What computes a batch, a `BatchProcessor` or alike.

    Raises:
        ValueError: An argument is of another kind.
    """

    logger: Any = None

    def __init__(
        self,
        net: Block,
        loss: Loss,
        train_metrics: Metrics = None,
        val_metrics: Metrics = None,
        initializer: InitializerLike = None,
        trainer: Trainer | None = None,
        context: Contexts = None,
        val_net: Block | None = None,
        val_loss: Loss | None = None,
        batch_processor: BatchProcessor | None = None,
    ) -> None:
        self.net = net
        self.loss = _loss(loss)
        self._train_metrics, self._val_metrics = _metrics(
            self.loss, listed(train_metrics), listed(val_metrics)
        )
        self.val_net = net if val_net is None else val_net
        self.val_loss = self.loss if val_loss is None else _loss(val_loss)
        self.logger = logging.Logger(name="Estimator", level=logging.INFO)
        self.logger.addHandler(logging.StreamHandler(sys.stdout))
        self.context = _contexts(context)
        self._initialize(initializer)
        self.trainer = self._checked_trainer(trainer)
        self.batch_processor = BatchProcessor() if batch_processor is None else batch_processor
        if not all(hasattr(self.batch_processor, name) for name in ("fit_batch", "evaluate_batch")):
            raise AttributeValueError(
                "Estimator: a batch_processor with fit_batch and evaluate_batch is required, got "
                f"{batch_processor!r}."
            )
        self.max_epoch: int | None = None
        self.max_batch: int | None = None
        self.batch_axis = 0

    def _is_initialized(self) -> bool:
        """Whether all parameters have values, or will get them once their shapes are known."""
        for param in self.net.collect_params().values():
            try:
                param.list_ctx()
            except RuntimeError:
                return False
        return True

    def _initialize(self, initializer: InitializerLike) -> None:
        if not self._is_initialized():
            options: dict[str, Any] = {} if initializer is None else {"init": initializer}
            self.net.initialize(ctx=self.context, **options)
        elif initializer is not None:
            warnings.warn(
                "Estimator: the block has its values, and initializer is not used. To draw them anew, call "
                "net.initialize(init=..., force_reinit=True).",
                stacklevel=3,
            )

    def _checked_trainer(self, trainer: Any) -> Trainer:
        if trainer is None:
            warnings.warn(
                "Estimator: without a trainer it is SGD with a learning rate of 0.001.", stacklevel=3
            )
            return Trainer(self.net.collect_params(), "sgd", {"learning_rate": 0.001})
        if not isinstance(trainer, Trainer):
            raise AttributeValueError(f"Estimator: a gluon.Trainer is required, got {trainer!r}.")
        return trainer

    def _get_data_and_label(self, batch: Any, ctx: Any, batch_axis: int = 0) -> tuple[Any, Any]:
        parts: tuple[Any, Any] = self.batch_processor._get_data_and_label(batch, ctx, batch_axis)
        return parts

    @property
    def train_metrics(self) -> list[Any]:
        """The metrics of training."""
        return self._train_metrics

    @property
    def val_metrics(self) -> list[Any]:
        """The metrics of evaluations."""
        return self._val_metrics

    def evaluate(self, val_data: DataLoader, batch_axis: int = 0, event_handlers: Handlers = None) -> None:
        """Evaluate; `val_metrics` have the values after it.

        Args:
            val_data: A loader that gives pairs of data and labels.
            batch_axis: The axis of samples.
            event_handlers: Handlers of its epoch and batches, or one.

        Raises:
            ValueError: An argument is of another kind.
        """
        _require_loader(val_data)
        handlers = self._with_defaults(
            _handlers(event_handlers),
            (MetricHandler, lambda: MetricHandler(metrics=self.val_metrics)),
            (LoggingHandler, lambda: LoggingHandler(metrics=self.val_metrics)),
        )
        handlers.sort(key=_priority)
        self._call("epoch_begin", handlers)
        for batch in val_data:
            self._call("batch_begin", handlers, batch=batch)
            _, label, pred, loss = self.batch_processor.evaluate_batch(self, batch, batch_axis)
            self._call("batch_end", handlers, batch=batch, pred=pred, label=label, loss=loss)
        self._call("epoch_end", handlers)

    def fit(
        self,
        train_data: DataLoader,
        val_data: DataLoader | None = None,
        epochs: int | None = None,
        event_handlers: Handlers = None,
        batches: int | None = None,
        batch_axis: int = 0,
    ) -> None:
        """Train.

        Args:
            train_data: A loader that gives pairs of data and labels.
            val_data: A loader for evaluations after each epoch.
            epochs: How many epochs.
            event_handlers: Handlers, or one; what is not among them of updates, metrics, evaluations and logs
                is added.
            batches: How many batches, instead of `epochs`.
            batch_axis: The axis of samples.

        Raises:
            ValueError: An argument is of another kind, not just one of `epochs` and `batches` is given, or
                there are no batches to count.
        """
        _require_loader(train_data)
        if (not epochs) == (not batches):
            raise AttributeValueError(
                f"Estimator.fit: epochs or batches is required, and not both, got {epochs} and {batches}."
            )
        self.max_epoch, self.max_batch, self.batch_axis = epochs, batches, batch_axis
        handlers = self._training_handlers(val_data, _handlers(event_handlers))
        self._call("train_begin", handlers)
        while True:
            self._call("epoch_begin", handlers)
            batch = None
            for batch in train_data:
                self._call("batch_begin", handlers, batch=batch)
                _, label, pred, loss = self.batch_processor.fit_batch(self, batch, batch_axis)
                if self._call("batch_end", handlers, batch=batch, pred=pred, label=label, loss=loss):
                    break
            if self._call("epoch_end", handlers):
                break
            if batch is None and batches:
                raise AttributeValueError(
                    f"Estimator.fit: {batches} batches of train_data are required, got none in an epoch."
                )
        self._call("train_end", handlers)

    def _call(self, event: str, handlers: list[Any], **kwargs: Any) -> bool:
        """Call those whose event it is; whether one of them wants an end."""
        results = [
            getattr(handler, event)(self, **kwargs)
            for handler in handlers
            if isinstance(handler, _EVENTS[event])
        ]
        return any(results)

    def _training_handlers(self, val_data: Any, handlers: list[Any]) -> list[Any]:
        """The handlers of training in the order of their calls."""
        handlers.append(StoppingHandler(self.max_epoch, self.max_batch))
        defaults = [
            (GradientUpdateHandler, GradientUpdateHandler),
            (MetricHandler, lambda: MetricHandler(metrics=self.train_metrics)),
            (LoggingHandler, lambda: LoggingHandler(metrics=self.train_metrics)),
        ]
        if val_data is not None:
            defaults.insert(2, (ValidationHandler, lambda: ValidationHandler(val_data, self.evaluate)))
        handlers = self._with_defaults(handlers, *defaults)
        handlers.sort(key=_priority)
        return handlers

    def _with_defaults(self, handlers: list[Any], *defaults: Any) -> list[Any]:
        """The handlers, and each of the defaults of whose kind there is none."""
        complete = list(handlers)
        for kind, make in defaults:
            if not any(isinstance(handler, kind) for handler in handlers):
                complete.append(make())
        for handler in complete:
            _check_handler_metric_ref(handler, [*self.train_metrics, *self.val_metrics])
        return complete


def _priority(handler: Any) -> float:
    priority: float = getattr(handler, "priority", 0)
    return priority


def _handlers(handlers: Any) -> list[Any]:
    several: list[Any] = (
        list(handlers) if isinstance(handlers, list | tuple) else [handlers] if handlers else []
    )
    if not all(isinstance(handler, EventHandler) for handler in several):
        raise AttributeValueError(f"Estimator: event_handlers must be EventHandlers, got {handlers}.")
    return several


def _require_loader(data: Any) -> None:
    if not isinstance(data, DataLoader):
        raise AttributeValueError(
            f"Estimator: a gluon.data.DataLoader is required, got {type(data).__name__}. Datasets such as "
            "ArrayDataset(x, y) go into one."
        )


def _loss(loss: Any) -> Any:
    if not isinstance(loss, Loss):
        raise AttributeValueError(f"Estimator: a gluon.loss.Loss is required, got {loss!r}.")
    return loss


def _contexts(context: Any) -> list[Context]:
    if not context:
        return [gpu(i) for i in range(num_gpus())] or [cpu()]
    contexts = list(context) if isinstance(context, list | tuple) else [context]
    if not all(isinstance(ctx, Context) for ctx in contexts):
        raise AttributeValueError(f"Estimator: a Context or a list of them is required, got {context!r}.")
    return contexts


def _metrics(loss: Any, train: list[Any], val: list[Any]) -> tuple[list[Any], list[Any]]:
    """The metrics of training and of evaluations, whose names say which they are."""
    if not train:
        fitting = _suggest_metric_for_loss(loss)
        train = [] if fitting is None else [fitting]
        train.append(LossMetric(loss.name.rstrip("0123456789")))
    if not val:
        val = [copy.deepcopy(metric) for metric in train]
    for kind, metrics in (("training", train), ("validation", val)):
        for metric in metrics:
            if kind not in metric.name:
                metric.name = f"{kind} {metric.name}"
    return train, val
