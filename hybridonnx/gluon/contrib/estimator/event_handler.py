"""What is called at the events of a training loop: stops, metrics, logs, checkpoints, updates."""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Callable, Sequence
from math import inf, isnan
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ....errors import AttributeValueError
from ....formats.files import PathLike, make_folder
from ....metric import CompositeEvalMetric, EvalMetric, Loss

__all__ = [
    "BatchBegin",
    "BatchEnd",
    "CheckpointHandler",
    "EarlyStoppingHandler",
    "EpochBegin",
    "EpochEnd",
    "EventHandler",
    "GradientUpdateHandler",
    "LoggingHandler",
    "MetricHandler",
    "StoppingHandler",
    "TrainBegin",
    "TrainEnd",
    "ValidationHandler",
]

Metrics: TypeAlias = EvalMetric | Sequence[EvalMetric] | None


class EventHandler:
    """Anything that a training loop calls; those of a smaller `priority` come first, by default of 0."""


Handlers: TypeAlias = EventHandler | Sequence[EventHandler] | None


class TrainBegin(EventHandler):
    """Is called before training."""

    def train_begin(self, estimator: Any, *args: object, **kwargs: Any) -> Any:
        """Training begins."""


class TrainEnd(EventHandler):
    """Is called after training."""

    def train_end(self, estimator: Any, *args: object, **kwargs: Any) -> Any:
        """Training has ended."""


class EpochBegin(EventHandler):
    """Is called before each epoch."""

    def epoch_begin(self, estimator: Any, *args: object, **kwargs: Any) -> Any:
        """An epoch begins."""


class EpochEnd(EventHandler):
    """Is called after each epoch."""

    def epoch_end(self, estimator: Any, *args: object, **kwargs: Any) -> Any:
        """An epoch has ended; true ends training."""
        return False


class BatchBegin(EventHandler):
    """Is called before each batch."""

    def batch_begin(self, estimator: Any, *args: object, **kwargs: Any) -> Any:
        """A batch begins, `batch`."""


class BatchEnd(EventHandler):
    """Is called after each batch."""

    def batch_end(self, estimator: Any, *args: object, **kwargs: Any) -> Any:
        """A batch has ended: `batch`, `pred`, `label` and `loss` are there; true ends the epoch."""
        return False


class StoppingHandler(TrainBegin, BatchEnd, EpochEnd):
    """Ends training after a number of epochs, or of batches, which the loop has the last word on."""

    def __init__(self, max_epoch: int | None = None, max_batch: int | None = None) -> None:
        self.max_epoch = max_epoch
        self.max_batch = max_batch
        self.current_batch = 0
        self.current_epoch = 0
        self.stop_training = False

    def train_begin(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Begin to count."""
        self.max_epoch, self.max_batch = estimator.max_epoch, estimator.max_batch
        self.current_batch = self.current_epoch = 0
        self.stop_training = False  # MXNet's would end a second training after its first batch

    def batch_end(self, estimator: Any, *args: object, **kwargs: Any) -> bool:
        """Whether it was the last batch."""
        self.current_batch += 1
        if self.current_batch == self.max_batch:
            self.stop_training = True
        return self.stop_training

    def epoch_end(self, estimator: Any, *args: object, **kwargs: Any) -> bool:
        """Whether it was the last epoch."""
        self.current_epoch += 1
        if self.current_epoch == self.max_epoch:
            self.stop_training = True
        return self.stop_training


def listed(metrics: Metrics) -> list[Any]:
    """Metrics as a list, those of a composite one by one."""
    if isinstance(metrics, CompositeEvalMetric):
        return [each for metric in metrics.metrics for each in listed(metric)]
    if isinstance(metrics, EvalMetric):
        return [metrics]
    several: list[Any] = list(metrics or ()) if isinstance(metrics, list | tuple | None) else [metrics]
    if not all(isinstance(metric, EvalMetric) for metric in several):
        raise AttributeValueError(f"An EvalMetric, or a list of them, is required, got {metrics!r}.")
    return several


class MetricHandler(EpochBegin, BatchEnd):
    """Begins metrics anew with each epoch, and updates them with each batch."""

    def __init__(self, metrics: Metrics, priority: float = -1000) -> None:
        self.metrics = listed(metrics)
        self.priority = priority

    def epoch_begin(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Begin anew."""
        for metric in self.metrics:
            metric.reset()

    def batch_end(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Update: losses with the loss, others with labels and predictions."""
        for metric in self.metrics:
            if isinstance(metric, Loss):
                metric.update(None, kwargs["loss"])
            else:
                metric.update(kwargs["label"], kwargs["pred"])


class ValidationHandler(TrainBegin, BatchEnd, EpochEnd):
    """Evaluates after every `epoch_period` epochs, and every `batch_period` batches.

    Args:
        val_data: The loader to evaluate with.
        eval_fn: What evaluates, such as `estimator.evaluate`.
        epoch_period: After how many epochs; `None` for never.
        batch_period: After how many batches; `None` for never.
        priority: When it is called among the handlers of an event.
        event_handlers: Handlers of the evaluation's own events.
    """

    def __init__(
        self,
        val_data: Any,
        eval_fn: Callable[..., Any],
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        priority: float = -1000,
        event_handlers: Handlers = None,
    ) -> None:
        self.val_data = val_data
        self.eval_fn = eval_fn
        self.epoch_period = epoch_period
        self.batch_period = batch_period
        self.current_batch = 0
        self.current_epoch = 0
        self.priority = priority
        self.event_handlers = event_handlers

    def train_begin(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Begin to count."""
        self.current_batch = self.current_epoch = 0

    def batch_end(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Evaluate, if it is time."""
        self.current_batch += 1
        if self.batch_period and self.current_batch % self.batch_period == 0:
            self._evaluate(estimator)

    def epoch_end(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Evaluate, if it is time."""
        self.current_epoch += 1
        if self.epoch_period and self.current_epoch % self.epoch_period == 0:
            self._evaluate(estimator)

    def _evaluate(self, estimator: Any) -> None:
        self.eval_fn(
            val_data=self.val_data, batch_axis=estimator.batch_axis, event_handlers=self.event_handlers
        )


class LoggingHandler(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    """Logs times and metrics.

    Args:
        log_interval: `"epoch"`, or after how many batches.
        metrics: The metrics; where none is one of training, epochs are those of an evaluation.
        priority: When it is called among the handlers of an event, last if not given.

    Raises:
        ValueError: `log_interval` is something else.
    """

    def __init__(
        self, log_interval: int | str = "epoch", metrics: Metrics = None, priority: float = inf
    ) -> None:
        if not isinstance(log_interval, int) and log_interval != "epoch":
            raise AttributeValueError(
                f"LoggingHandler: log_interval must be epoch or an integer, got {log_interval!r}."
            )
        self.metrics = listed(metrics)
        self.batch_index = 0
        self.current_epoch = 0
        self.processed_samples = 0
        self.priority = priority
        self.log_interval = log_interval
        self.log_interval_time = 0.0

    def train_begin(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Log optimizer and learning rate."""
        self.train_start = time.time()
        trainer = estimator.trainer
        estimator.logger.info(
            "Training begin: using optimizer %s with current learning rate %.4f ",
            type(trainer.optimizer).__name__,
            trainer.learning_rate,
        )
        if estimator.max_epoch:
            estimator.logger.info("Train for %d epochs.", estimator.max_epoch)
        else:
            estimator.logger.info("Train for %d batches.", estimator.max_batch)
        self.current_epoch = self.batch_index = self.processed_samples = 0
        self.log_interval_time = 0.0

    def train_end(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Log the whole time."""
        start = f"Train finished using total {int(time.time() - self.train_start)}s "
        estimator.logger.info(self._line(f"{start}with {self.current_epoch} epochs. "))

    def _line(self, start: str) -> str:
        pairs = (metric.get() for metric in self.metrics)
        return (start + ", ".join(f"{name}: {value:.4f}" for name, value in pairs)).rstrip(", ")

    def batch_begin(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Begin to measure."""
        self.batch_start = time.time()

    def batch_end(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Log the metrics, if it is time."""
        if not isinstance(self.log_interval, int):
            return
        self.log_interval_time += time.time() - self.batch_start
        self.processed_samples += kwargs["batch"][0].shape[0]
        if self.batch_index % self.log_interval == 0:
            where = (
                f"[Epoch {self.current_epoch}][Batch {self.batch_index}][Samples {self.processed_samples}]"
            )
            seconds, self.log_interval_time = self.log_interval_time, 0.0
            estimator.logger.info(self._line(f"{where} time/interval: {seconds:.3f}s "))
        self.batch_index += 1

    def epoch_begin(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Log that it begins."""
        self.epoch_start = time.time()
        if any("training" in metric.name for metric in self.metrics):
            estimator.logger.info(
                "[Epoch %d] Begin, current learning rate: %.4f",
                self.current_epoch,
                estimator.trainer.learning_rate,
            )
        else:
            estimator.logger.info("Validation Begin")

    def epoch_end(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Log time and metrics."""
        seconds = time.time() - self.epoch_start
        estimator.logger.info(self._line(f"[Epoch {self.current_epoch}] Finished in {seconds:.3f}s, "))
        self.current_epoch += 1
        self.batch_index = 0


def _better(monitor: EvalMetric, mode: str, owner: str) -> Callable[[float, float], Any]:
    """Whether greater or less is better: by `mode`, or by the metric's name."""
    if mode not in ("auto", "min", "max"):
        warnings.warn(f"{owner}: mode must be auto, min or max, got {mode!r}; auto it is.", stacklevel=3)
        mode = "auto"
    if mode == "auto":
        name = str(monitor.get()[0]).lower()
        mode = "max" if any(word in name for word in ("acc", "f1", "mcc", "corr")) else "min"
    return np.greater if mode == "max" else np.less


_MONITOR = "one of estimator.train_metrics and estimator.val_metrics is required as monitor, got"


class CheckpointHandler(TrainBegin, BatchEnd, EpochEnd):
    """Saves parameters and the trainer's states, as `PREFIX-epoch0batch10.params` and `.states`.

    Args:
        model_dir: The folder, made if it is missing.
        model_prefix: What the files' names begin with.
        monitor: A metric of the loop, which tells the best model.
        verbose: Above 0, each checkpoint is logged.
        save_best: Whether the best model is saved as well, as `PREFIX-best`.
        mode: `"min"` or `"max"` of the metric is best; `"auto"` goes by its name.
        epoch_period: After how many epochs; `None` for never.
        batch_period: After how many batches; `None` for never.
        max_checkpoints: How many are kept, but for the best one.
        resume_from_checkpoint: Whether training goes on from the last checkpoint in the folder.

    Raises:
        ValueError: `save_best` without a metric.
    """

    def __init__(
        self,
        model_dir: PathLike,
        model_prefix: str = "model",
        monitor: EvalMetric | None = None,
        verbose: int = 0,
        save_best: bool = False,
        mode: str = "auto",
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        max_checkpoints: int = 5,
        resume_from_checkpoint: bool = False,
    ) -> None:
        self.monitor = monitor
        self.verbose = verbose
        self.model_dir = os.fspath(model_dir)
        self.model_prefix = model_prefix
        self.save_best = save_best
        self.epoch_period = epoch_period
        self.batch_period = batch_period
        self.current_batch = 0
        self.current_epoch = 0
        self.max_checkpoints = max_checkpoints
        self.resume_from_checkpoint = resume_from_checkpoint
        self.saved_checkpoints: list[str] = []
        self.trained_epoch = self.trained_batch = -1
        make_folder(self.model_dir)
        if save_best:
            if not isinstance(monitor, EvalMetric):
                raise AttributeValueError(f"CheckpointHandler: {_MONITOR} {monitor!r}.")
            self.monitor_op = _better(monitor, mode, "CheckpointHandler")

    def train_begin(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Begin to count, or go on from the last checkpoint."""
        self.current_epoch = self.current_batch = 0
        self.trained_epoch = self.trained_batch = -1
        if self.save_best:
            self.best = inf if self.monitor_op is np.less else -inf
        if self.resume_from_checkpoint:
            self._resume(estimator)

    def batch_end(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Save, if it is time; after the first batch the network's graph."""
        if self.current_batch == 0:
            self._save_symbol(estimator)
        if self.batch_period and (self.current_batch + 1) % self.batch_period == 0:
            self._save(estimator, self.current_batch + self.trained_batch + 1)
        self.current_batch += 1

    def epoch_end(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Save, if it is time."""
        if self.epoch_period and (self.current_epoch + 1) % self.epoch_period == 0:
            self._save(estimator, self.current_batch + max(self.trained_batch, 0))
        self.current_epoch += 1

    def _save(self, estimator: Any, batch: int) -> None:
        """Save a checkpoint, and the best model."""
        epoch = self.current_epoch + self.trained_epoch + 1
        name = f"{self.model_prefix}-epoch{epoch}batch{batch}"
        self._write(estimator, name)
        self._log(
            estimator,
            f"[Epoch {self.current_epoch}] CheckpointHandler: trained total {self.current_batch + 1} "
            f"batches, saving model at {self.model_dir} with prefix: {name}",
        )
        self.saved_checkpoints.append(name)
        if len(self.saved_checkpoints) > self.max_checkpoints:
            oldest = self.saved_checkpoints.pop(0)
            for ending in ("params", "states"):
                (Path(self.model_dir) / f"{oldest}.{ending}").unlink(missing_ok=True)
        if self.save_best:
            self._save_best(estimator)

    def _save_best(self, estimator: Any) -> None:
        assert self.monitor is not None  # the constructor asks for it
        name, value = self.monitor.get()
        start = f"[Epoch {self.current_epoch}] CheckpointHandler: {name}"
        if isnan(value):
            warnings.warn(
                f"CheckpointHandler: {name} has no value yet; is it a metric of the loop?", stacklevel=3
            )
        elif self.monitor_op(value, self.best):
            best = f"{self.model_prefix}-best"
            self._write(estimator, best)
            self._log(
                estimator,
                f"{start} improved from {self.best:0.5f} to {value:0.5f}, updating best model at "
                f"{self.model_dir} with prefix: {best}",
            )
            self.best = value
        else:
            self._log(
                estimator, f"{start} did not improve from {self.best:0.5f}, skipping updating best model"
            )

    def _log(self, estimator: Any, line: str) -> None:
        if self.verbose > 0:
            estimator.logger.info(line)

    def _write(self, estimator: Any, name: str) -> None:
        path = os.path.join(self.model_dir, name)
        estimator.trainer.save_states(f"{path}.states")
        estimator.net.save_parameters(f"{path}.params")  # last: where it is, `_resume` looks for both

    def _save_symbol(self, estimator: Any) -> None:
        """Write the network's graph, if it was traced."""
        path = os.path.join(self.model_dir, f"{self.model_prefix}-symbol.json")
        graph = getattr(estimator.net, "_traced", None)
        if graph:
            graph[1].save(path)
            return
        estimator.logger.info(
            "CheckpointHandler: the network's graph is not saved; as %s it is there once a HybridBlock is "
            "hybridized before training.",
            path,
        )

    def _resume(self, estimator: Any) -> None:
        """Load the last checkpoint, and train for what is left."""
        pattern = re.compile(rf"{re.escape(self.model_prefix)}-epoch(\d+)batch(\d+)\.params")
        matches = [m for m in map(pattern.fullmatch, os.listdir(self.model_dir)) if m]
        kind, most = ("epochs", "max_epoch") if estimator.max_epoch else ("batches", "max_batch")
        goal = getattr(estimator, most)
        if not matches:
            text = "No checkpoint found, training from scratch for"
            self._log(estimator, f"CheckpointHandler: {text} {goal} {kind}")
            return
        found = sorted((int(m[1]), int(m[2]), m[0].removesuffix(".params")) for m in matches)
        self.trained_epoch, self.trained_batch, name = found[-1]
        done = self.trained_epoch if kind == "epochs" else self.trained_batch
        if done >= goal - 1:
            raise AttributeValueError(
                f"CheckpointHandler: more than {done + 1} {kind} are required, which {name} has behind it, "
                f"got {goal}. To train anew, give resume_from_checkpoint=False."
            )
        setattr(estimator, most, goal - done - 1)
        path = os.path.join(self.model_dir, name)
        estimator.net.load_parameters(f"{path}.params", ctx=estimator.context)
        estimator.trainer.load_states(f"{path}.states")
        where = f"epoch {self.trained_epoch} batch {self.trained_batch}"
        text = f"Checkpoint resumed from {where}, continue to train for {getattr(estimator, most)} {kind} "
        self._log(estimator, f"CheckpointHandler: {text}")


class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    """Ends training when a metric has stopped getting better.

    Args:
        monitor: A metric of the loop.
        min_delta: What is less of a change than this is none.
        patience: How many epochs may pass without a better value.
        mode: `"min"` or `"max"` of the metric is best; `"auto"` goes by its name.
        baseline: The value that the first one must be better than.

    Raises:
        ValueError: `monitor` is no metric.
    """

    def __init__(
        self,
        monitor: EvalMetric,
        min_delta: float = 0,
        patience: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
    ) -> None:
        if not isinstance(monitor, EvalMetric):
            raise AttributeValueError(f"EarlyStoppingHandler: {_MONITOR} {monitor!r}.")
        self.monitor = monitor
        self.baseline = baseline
        self.patience = patience
        self.monitor_op = _better(monitor, mode, "EarlyStoppingHandler")
        self.min_delta = min_delta if self.monitor_op is np.greater else -min_delta
        self.wait = 0
        self.stopped_epoch = 0
        self.current_epoch = 0
        self.stop_training = False

    def train_begin(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Begin to count."""
        self.wait = self.stopped_epoch = self.current_epoch = 0
        self.stop_training = False
        worst = inf if self.monitor_op is np.less else -inf
        self.best = worst if self.baseline is None else self.baseline

    def epoch_end(self, estimator: Any, *args: object, **kwargs: Any) -> bool:
        """Whether it was enough."""
        name, value = self.monitor.get()
        if isnan(value):
            warnings.warn(
                f"EarlyStoppingHandler: {name} has no value; is it the loop's metric?", stacklevel=2
            )
        elif self.monitor_op(value - self.min_delta, self.best):
            self.best, self.wait = value, 0
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch, self.stop_training = self.current_epoch, True
        self.current_epoch += 1
        return self.stop_training

    def train_end(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Log that it was enough."""
        if self.stop_training:
            estimator.logger.info(
                "[Epoch %d] EarlyStoppingHandler: early stopping due to %s not improving",
                self.stopped_epoch,
                self.monitor.get()[0],
            )


class GradientUpdateHandler(BatchEnd):
    """Updates the parameters after each batch, before other handlers see it."""

    def __init__(self, priority: float = -2000) -> None:
        self.priority = priority

    def batch_end(self, estimator: Any, *args: object, **kwargs: Any) -> None:
        """Update, by the mean over the batch."""
        losses: Any = kwargs["loss"]
        losses = losses if isinstance(losses, Sequence) else [losses]
        estimator.trainer.step(sum(loss.shape[0] for loss in losses))
