"""Checkpoints, and `FeedForward`: a network with its parameters, which modules have taken the place of."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from . import metric as metrics
from .callback import LogValidationMetricsCallback
from .checkpoint import BatchEndParam, load_checkpoint, load_params, save_checkpoint
from .context import Context, current_context
from .errors import ArgumentError, AttributeValueError, RequirementError
from .formats.files import PathLike
from .initializer import Initializer, Uniform
from .io import DataIter, NDArrayIter
from .kvstore import KVStore
from .kvstore.devices import create_kvstore as _create_kvstore  # noqa: F401  (modules of users take these)
from .kvstore.devices import initialize_kvstore as _initialize_kvstore  # noqa: F401
from .kvstore.devices import update_params as _update_params  # noqa: F401
from .kvstore.devices import update_params_on_kvstore as _update_params_on_kvstore  # noqa: F401
from .metric import MetricLike
from .module import Module
from .module.base_module import Callbacks
from .monitor import Monitor
from .ndarray.ndarray import NDArray
from .optimizer import Optimizer
from .symbol.symbol import Symbol
from .typing import ArrayLike

__all__ = ["BatchEndParam", "FeedForward", "load_checkpoint", "load_params", "save_checkpoint"]

_UNIFORM = Uniform(0.01)
_LOG = LogValidationMetricsCallback()


class FeedForward:
    """A network, trained and run on iterators or on arrays. Use `mx.mod.Module` in new code.

    Args:
        symbol: The network, with a loss at its end.
        ctx: The context, or a list of them.
        num_epoch: Training ends after this epoch.
        epoch_size: How many batches are an epoch; all of the iterator where not given.
        optimizer: An optimizer, or its name.
        initializer: Draws the parameters that have no values.
        numpy_batch_size: How many rows of an array are a batch.
        arg_params: Values of parameters.
        aux_params: Values of auxiliary states.
        allow_extra_params: Whether `arg_params` may have others; they are left out in any case.
        begin_epoch: Training begins with this epoch.
        kwargs: Options of the optimizer.
    """

    def __init__(
        self,
        symbol: Symbol,
        ctx: Context | Sequence[Context] | None = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: str | Optimizer = "sgd",
        initializer: Initializer = _UNIFORM,
        numpy_batch_size: int = 128,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_extra_params: bool = False,
        begin_epoch: int = 0,
        **kwargs: Any,
    ) -> None:
        warnings.warn("FeedForward: mx.mod.Module has taken its place.", DeprecationWarning, stacklevel=2)
        if not isinstance(symbol, Symbol):
            raise RequirementError(
                f"FeedForward: a Symbol is required, got {type(symbol).__name__}. For buckets, use "
                "mx.mod.BucketingModule."
            )
        self.symbol = symbol
        self.ctx = [ctx] if isinstance(ctx, Context) else list(ctx) if ctx else [current_context()]
        self.num_epoch = num_epoch
        self.epoch_size = epoch_size
        self.optimizer = optimizer
        self.initializer = initializer
        self.numpy_batch_size = numpy_batch_size
        self.arg_params = arg_params
        self.aux_params = aux_params
        self.allow_extra_params = allow_extra_params
        self.begin_epoch = begin_epoch
        self.kwargs = kwargs

    # ---- data

    def _iterator(self, X: DataIter | ArrayLike, y: ArrayLike | None, trains: bool) -> Any:
        """An iterator as it is, or one over arrays."""
        if not isinstance(X, np.ndarray | NDArray):
            if not hasattr(X, "provide_data"):
                raise ArgumentError(
                    f"FeedForward: an iterator or an array is required, got {type(X).__name__}."
                )
            return X
        if y is None:
            if trains:
                raise AttributeValueError("FeedForward.fit: y is required where X is an array.")
            y = np.zeros(X.shape[0])
        y = y.asnumpy() if isinstance(y, NDArray) else np.asarray(y)
        if y.ndim == 2 and y.shape[1] == 1:
            y = y.flatten()
        if y.ndim != 1 or len(y) != X.shape[0]:
            raise AttributeValueError(
                f"FeedForward: a label for each of {X.shape[0]} rows is required, got the shape {y.shape}."
            )
        rows = min(X.shape[0], self.numpy_batch_size)
        handling = "roll_over" if trains else "pad"
        return NDArrayIter(X, y, rows, shuffle=trains, last_batch_handle=handling)

    def _evaluation(self, eval_data: Any) -> Any:
        pair = isinstance(eval_data, tuple | list) and len(eval_data) == 2
        X, y = eval_data if pair else (eval_data, None)
        if X is None:
            return None
        if isinstance(X, list):
            X, y = np.array(X), np.array(y)
        return self._iterator(X, y, False)

    def _module(self, data: Any, trains: bool) -> Module:
        """A module with the parameters that are there; others are drawn, in training."""
        inputs = [desc[0] for desc in data.provide_data]
        labels = [desc[0] for desc in data.provide_label or ()]
        if not trains:
            known = {*inputs, *(self.arg_params or {})}
            labels = [name for name in self.symbol.list_arguments() if name not in known]
        module = Module(self.symbol, inputs, labels, context=self.ctx)
        module.bind(data.provide_data, data.provide_label if trains else None, for_training=trains)
        module.init_params(
            self.initializer, self.arg_params, self.aux_params, allow_missing=trains, allow_extra=True
        )
        return module

    # ---- predictions

    def predict(
        self,
        X: DataIter | ArrayLike,
        num_batch: int | None = None,
        return_data: bool = False,
        reset: bool = True,
    ) -> Any:
        """The network's outputs.

        Args:
            X: An iterator, or an array.
            num_batch: How many batches to run; all where not given.
            return_data: Whether to give inputs and labels as well.
            reset: Whether the iterator begins anew.

        Returns:
            A NumPy array, or a list of one for each output; with `return_data`, three of these.
        """
        data = self._iterator(X, None, False)
        if reset:
            data.reset()
        module = self._module(data, False)
        outputs: list[list[Any]] = [[] for _ in self.symbol.list_outputs()]
        inputs: list[list[Any]] = [[] for _ in data.provide_data]
        labels: list[list[Any]] = [[] for _ in data.provide_label or ()]
        for i, batch in enumerate(data):
            if num_batch is not None and i == num_batch:
                break
            module.forward(batch, is_train=False)
            rows = data.batch_size - (batch.pad or 0)
            parts = [(outputs, module.get_outputs())]
            if return_data:
                parts += [(inputs, batch.data), (labels, batch.label)]
            for kept, arrays in parts:
                for all_, array in zip(kept, arrays, strict=False):
                    all_.append(array[:rows].asnumpy())
        if not return_data:
            return _joined(outputs)
        return _joined(outputs), _joined(inputs), _joined(labels)

    def score(
        self,
        X: DataIter | ArrayLike,
        eval_metric: MetricLike = "acc",
        num_batch: int | None = None,
        batch_end_callback: Callbacks = None,
        reset: bool = True,
    ) -> Any:
        """The value of a metric over an iterator, or its first `num_batch` batches."""
        data = self._iterator(X, None, False)
        if reset:
            data.reset()
        module = self._module(data, False)
        metric = _metric(eval_metric)
        for i, batch in enumerate(data):
            if num_batch is not None and i == num_batch:
                break
            module.forward(batch, is_train=False)
            metric.update(batch.label, module.get_outputs())
            _call(batch_end_callback, BatchEndParam(0, i, metric, locals()))
        return metric.get()[1]

    # ---- training

    def fit(
        self,
        X: DataIter | ArrayLike,
        y: ArrayLike | None = None,
        eval_data: DataIter | Sequence[ArrayLike] | None = None,
        eval_metric: MetricLike = "acc",
        epoch_end_callback: Callbacks = None,
        batch_end_callback: Callbacks = None,
        kvstore: KVStore | str | None = "local",
        logger: logging.Logger | ModuleType | None = None,
        work_load_list: Sequence[float] | None = None,
        monitor: Monitor | None = None,
        eval_end_callback: Callbacks = _LOG,
        eval_batch_end_callback: Callbacks = None,
    ) -> None:
        """Train, on an iterator or on arrays; callbacks, metrics and stores are those of `Module.fit`.

        Raises:
            TypeError: `num_epoch` was not given, or `X` or `eval_data` is neither an iterator nor an array.
            ValueError: `y` does not fit.
        """
        if self.num_epoch is None:
            raise ArgumentError("FeedForward.fit: num_epoch is required, got None. Give it to FeedForward.")
        logger = logger or logging
        data, checks = self._iterator(X, y, True), self._evaluation(eval_data)
        metric = _metric(eval_metric)
        module = self._module(data, True)
        module.init_optimizer(kvstore, self.optimizer, self.kwargs)
        if monitor is not None:
            module.install_monitor(monitor)
        logger.info("Start training with %s", self.ctx)
        data.reset()
        for epoch in range(self.begin_epoch, self.num_epoch):
            start = time.time()
            self._epoch(epoch, module, data, metric, (batch_end_callback, monitor, logger))
            logger.info("Epoch[%d] Time cost=%.3f", epoch, time.time() - start)
            self.arg_params, self.aux_params = module.get_params()
            _call(epoch_end_callback, epoch, self.symbol, self.arg_params, self.aux_params)
            if checks is not None:
                _evaluate(epoch, module, checks, metric, eval_batch_end_callback, eval_end_callback)

    def _epoch(self, epoch: int, module: Module, data: Any, metric: Any, tools: tuple[Any, Any, Any]) -> None:
        """`epoch_size` batches, or what is left of the iterator, which begins anew at its end."""
        callback, monitor, logger = tools
        metric.reset()
        count = 0
        while True:
            for batch in data:
                if monitor is not None:
                    monitor.tic()
                module.forward_backward(batch)
                module.update()
                if monitor is not None:
                    monitor.toc_print()
                module.update_metric(metric, batch.label)
                count += 1
                _call(callback, BatchEndParam(epoch, count, metric, locals()))
                if count == self.epoch_size:
                    return
            logger.info("Epoch[%d] Resetting Data Iterator", epoch)
            data.reset()
            if self.epoch_size is None:
                return

    # ---- files

    def save(self, prefix: PathLike, epoch: int | None = None, remove_amp_cast: bool = True) -> None:
        """Write a checkpoint, by default of the last epoch."""
        epoch = self.num_epoch if epoch is None else epoch
        if epoch is None:
            raise RequirementError("FeedForward.save: epoch is required where there is no num_epoch.")
        save_checkpoint(
            prefix, epoch, self.symbol, self.arg_params or {}, self.aux_params or {}, remove_amp_cast
        )

    @staticmethod
    def load(
        prefix: PathLike, epoch: int, ctx: Context | Sequence[Context] | None = None, **kwargs: Any
    ) -> FeedForward:
        """The network of a checkpoint; training goes on with the epoch after it."""
        symbol, arguments, states = load_checkpoint(prefix, epoch)
        options: dict[str, Any] = {"arg_params": arguments, "aux_params": states, "begin_epoch": epoch}
        return FeedForward(symbol, ctx=ctx, **options, **kwargs)

    @staticmethod
    def create(
        symbol: Symbol,
        X: DataIter | ArrayLike,
        y: ArrayLike | None = None,
        ctx: Context | Sequence[Context] | None = None,
        num_epoch: int | None = None,
        epoch_size: int | None = None,
        optimizer: str | Optimizer = "sgd",
        initializer: Initializer = _UNIFORM,
        eval_data: DataIter | Sequence[ArrayLike] | None = None,
        eval_metric: MetricLike = "acc",
        epoch_end_callback: Callbacks = None,
        batch_end_callback: Callbacks = None,
        kvstore: KVStore | str | None = "local",
        logger: logging.Logger | ModuleType | None = None,
        work_load_list: Sequence[float] | None = None,
        eval_end_callback: Callbacks = _LOG,
        eval_batch_end_callback: Callbacks = None,
        **kwargs: Any,
    ) -> FeedForward:
        """A network that is trained at once, by the arguments of the class and of `fit`."""
        model = FeedForward(symbol, ctx, num_epoch, epoch_size, optimizer, initializer, **kwargs)
        model.fit(
            X,
            y,
            eval_data,
            eval_metric,
            epoch_end_callback,
            batch_end_callback,
            kvstore,
            logger,
            work_load_list,
            eval_end_callback=eval_end_callback,
            eval_batch_end_callback=eval_batch_end_callback,
        )
        return model


def _joined(parts: Sequence[Sequence[Any]]) -> Any:
    """The batches of each array as one; the array itself if there is one alone."""
    arrays = [np.concatenate(each) for each in parts]
    return arrays[0] if len(arrays) == 1 else arrays


def _metric(metric: Any) -> Any:
    return metric if isinstance(metric, metrics.EvalMetric) else metrics.create(metric)


def _call(callbacks: Any, *args: Any) -> None:
    """Call a function, or each of several, or none."""
    for callback in callbacks if isinstance(callbacks, Iterable) else [callbacks] if callbacks else ():
        callback(*args)


def _evaluate(
    epoch: int, module: Module, data: Any, metric: Any, batch_end_callback: Any, end_callback: Any
) -> None:
    """The metric over an iterator."""
    metric.reset()
    data.reset()
    count = 0
    for count, batch in enumerate(data):
        module.forward(batch, is_train=False)
        module.update_metric(metric, batch.label)
        _call(batch_end_callback, BatchEndParam(epoch, count, metric, locals()))
    _call(end_callback, BatchEndParam(epoch, count, metric, locals()))
    data.reset()
