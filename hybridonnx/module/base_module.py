"""What all modules do with their forward, backward and update: fitting, scoring, predicting."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, NoReturn, TypeAlias

import numpy as np

from .. import metric as metrics
from ..autograd.tape import GradReq
from ..checkpoint import BatchEndParam
from ..context import Context, cpu
from ..errors import FormatError, RequirementError
from ..initializer import InitializerLike, Uniform
from ..io import DataBatch, DataDesc, DataIter
from ..io.io import DescribedBy
from ..kvstore import KVStore
from ..metric import EvalMetric, MetricLike
from ..monitor import Monitor
from ..ndarray.creation import array
from ..ndarray.files import load, save
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..optimizer.optimizer import Optimizer
from ..symbol.symbol import Symbol
from ..typing import Arrays

__all__ = ["BaseModule"]

Params: TypeAlias = dict[str, NDArray]
ParamValues: TypeAlias = Mapping[str, NDArray] | None
OptimizerParams: TypeAlias = Mapping[str, Any] | Iterable[tuple[str, Any]]
RowIds: TypeAlias = Callable[[Any], Mapping[str, NDArray]] | None
Groups: TypeAlias = Mapping[str, Context | Sequence[Context]] | Sequence[Mapping[str, Context] | None] | None
Callbacks: TypeAlias = Callable[..., object] | Sequence[Callable[..., object]] | None

UNIFORM = Uniform(0.01)
RATE = (("learning_rate", 0.01),)


class BaseModule:
    """Something with inputs, parameters and outputs that is bound to shapes, computes batches and may train.

    Subclasses define the properties and the methods that raise `NotImplementedError` here. A module is for
    one thread at a time.
    """

    def __init__(self, logger: logging.Logger | ModuleType = logging) -> None:
        self.logger = logger
        self.binded = False
        self.for_training = False
        self.inputs_need_grad = False
        self.params_initialized = False
        self.optimizer_initialized = False
        self._symbol: Symbol | None = None

    # ---- what it is

    @property
    def symbol(self) -> Any:
        """The symbol, if there is one."""
        return self._symbol

    @property
    def data_names(self) -> list[str]:
        """The names of the inputs."""
        self._undefined("data_names")

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs."""
        self._undefined("output_names")

    @property
    def data_shapes(self) -> list[DataDesc]:
        """The inputs that are bound."""
        self._undefined("data_shapes")

    @property
    def label_shapes(self) -> list[DataDesc] | None:
        """The labels that are bound, `None` if there are none."""
        self._undefined("label_shapes")

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """The names and shapes of the outputs."""
        self._undefined("output_shapes")

    def _undefined(self, what: str) -> NoReturn:
        raise NotImplementedError(f"{type(self).__name__}: a subclass of BaseModule defines {what}.")

    # ---- what subclasses do

    def bind(
        self,
        data_shapes: Sequence[DescribedBy],
        label_shapes: Sequence[DescribedBy] | None = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: BaseModule | None = None,
        grad_req: GradReq = "write",
    ) -> None:
        """Take descriptions of inputs and labels: `DataDesc`, or pairs of name and shape."""
        self._undefined("bind")

    def init_params(
        self,
        initializer: InitializerLike = UNIFORM,
        arg_params: ParamValues = None,
        aux_params: ParamValues = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Give the parameters values: those that are given, others by the initializer."""
        self._undefined("init_params")

    def get_params(self) -> tuple[Params, Params]:
        """The values of the parameters and of the auxiliary states, both by name."""
        self._undefined("get_params")

    def init_optimizer(
        self,
        kvstore: KVStore | str | None = "local",
        optimizer: Optimizer | str = "sgd",
        optimizer_params: OptimizerParams = RATE,
        force_init: bool = False,
    ) -> None:
        """Take an optimizer, or make one by name."""
        self._undefined("init_optimizer")

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch."""
        self._undefined("forward")

    def backward(self, out_grads: Arrays | None = None) -> None:
        """Compute the gradients of the last batch, from those of the outputs unless these are losses."""
        self._undefined("backward")

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """The outputs of the last batch."""
        self._undefined("get_outputs")

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """The gradients of the inputs."""
        self._undefined("get_input_grads")

    def update(self) -> None:
        """Update the parameters by their gradients."""
        self._undefined("update")

    def update_metric(
        self,
        eval_metric: EvalMetric,
        labels: Sequence[NDArray] | Mapping[str, NDArray],
        pre_sliced: bool = False,
    ) -> None:
        """Take the outputs of the last batch and its labels into a metric."""
        self._undefined("update_metric")

    def install_monitor(self, mon: Monitor) -> None:
        """Let a monitor watch what is computed."""
        self._undefined("install_monitor")

    def prepare(self, data_batch: DataBatch, sparse_row_id_fn: RowIds = None) -> None:
        """Nothing, as there is nothing to fetch before a batch; a `sparse_row_id_fn` warns."""
        if sparse_row_id_fn is not None:
            warnings.warn(f"sparse_row_id_fn is not invoked for {type(self).__name__}.", stacklevel=2)

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """The states that are kept between batches: none."""
        self._require_params("get_states")
        return []

    def set_states(self, states: Sequence[Arrays] | None = None, value: float | None = None) -> None:
        """Set the states that are kept between batches: there are none."""
        self._require_params("set_states")
        if states or value:
            raise RequirementError(f"{type(self).__name__}.set_states: there are no states here.")

    # ---- checks

    def _require_bound(self, what: str) -> None:
        if not self.binded:
            raise RequirementError(
                f"{type(self).__name__}.{what}: a bound module is required. Call bind first."
            )

    def _require_params(self, what: str) -> None:
        self._require_bound(what)
        if not self.params_initialized:
            raise RequirementError(
                f"{type(self).__name__}.{what}: parameters are required. "
                "Call set_params or init_params first."
            )

    def _require_optimizer(self, what: str) -> None:
        if not self.optimizer_initialized:
            raise RequirementError(
                f"{type(self).__name__}.{what}: an optimizer is required. Call init_optimizer first."
            )

    def _require_input_grads(self, what: str) -> None:
        if not self.inputs_need_grad:
            raise RequirementError(
                f"{type(self).__name__}.{what}: gradients of inputs are required. "
                "Bind with inputs_need_grad=True."
            )

    # ---- what stays as it is

    def _stays_bound(self, force_rebind: bool) -> bool:
        """Whether the module is bound and a call of `bind` is ignored, which is logged."""
        if not self.binded or force_rebind:
            return False
        self.logger.warning("Already bound, ignoring bind()")
        return True

    def _keeps_params(self, what: str, force_init: bool) -> bool:
        """Whether there are values and a call of `what` is ignored, with a warning; else it must be bound."""
        if self.params_initialized and not force_init:
            message = f"Parameters already initialized and force_init=False. {what} call ignored."
            warnings.warn(message, stacklevel=3)
            return True
        self._require_bound(what)
        return False

    def _keeps_optimizer(self, force_init: bool) -> bool:
        """Whether there is an optimizer and a call of `init_optimizer` is ignored, which is logged."""
        self._require_params("init_optimizer")
        if not self.optimizer_initialized or force_init:
            return False
        self.logger.warning("optimizer already initialized, ignoring...")
        return True

    # ---- parameters

    def set_params(
        self,
        arg_params: ParamValues,
        aux_params: ParamValues,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Take the values of parameters and auxiliary states by name."""
        self.init_params(
            None,
            arg_params,
            aux_params,
            allow_missing=allow_missing,
            force_init=force_init,
            allow_extra=allow_extra,
        )

    def save_params(self, fname: str) -> None:
        """Write the parameters as `arg:…` and `aux:…`."""
        arguments, states = self.get_params()
        values = {f"arg:{name}": value.as_in_context(cpu()) for name, value in arguments.items()}
        values |= {f"aux:{name}": value.as_in_context(cpu()) for name, value in states.items()}
        save(fname, values)

    def load_params(self, fname: str) -> None:
        """Set the parameters from such a file."""
        loaded = load(fname)
        kinds: dict[str, Params] = {"arg": {}, "aux": {}}
        for name, value in loaded.items() if isinstance(loaded, dict) else [("", x) for x in loaded]:
            kind, _, rest = name.partition(":")
            if kind not in kinds or not rest:
                raise FormatError(f"{fname}: names that start with arg: or aux: are required, got {name!r}.")
            kinds[kind][rest] = value
        self.set_params(kinds["arg"], kinds["aux"])

    # ---- batches

    def forward_backward(self, data_batch: DataBatch) -> None:
        """Compute the outputs of a batch in training, and the gradients."""
        self.forward(data_batch, is_train=True)
        self.backward()

    def score(
        self,
        eval_data: DataIter,
        eval_metric: MetricLike,
        num_batch: int | None = None,
        batch_end_callback: Callbacks = None,
        score_end_callback: Callbacks = None,
        reset: bool = True,
        epoch: int = 0,
        sparse_row_id_fn: RowIds = None,
    ) -> list[tuple[Any, Any]]:
        """The names and values of a metric over the batches of an iterator, rows of padding included."""
        self._require_params("score")
        if reset:
            eval_data.reset()
        eval_metric = _as_metric(eval_metric)
        eval_metric.reset()
        count = 0
        for nbatch, eval_batch in enumerate(eval_data):
            if nbatch == num_batch:
                break
            self.prepare(eval_batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(eval_batch, is_train=False)
            self._measure(eval_metric, eval_batch)
            _call(batch_end_callback, BatchEndParam(epoch, nbatch, eval_metric, locals()))
            count += 1
        _call(score_end_callback, BatchEndParam(epoch, count, eval_metric, locals()))
        values: list[tuple[Any, Any]] = eval_metric.get_name_value()
        return values

    def _measure(self, eval_metric: EvalMetric, batch: Any) -> None:
        if isinstance(batch, list):
            self.update_metric(eval_metric, [part.label for part in batch], pre_sliced=True)
        else:
            self.update_metric(eval_metric, batch.label)

    def iter_predict(
        self,
        eval_data: DataIter,
        num_batch: int | None = None,
        reset: bool = True,
        sparse_row_id_fn: RowIds = None,
    ) -> Iterator[tuple[list[NDArray], int, DataBatch]]:
        """The outputs, number and batch of each batch, without padding."""
        self._require_params("iter_predict")
        if reset:
            eval_data.reset()
        for number, batch in enumerate(eval_data):
            if number == num_batch:
                return
            self.prepare(batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(batch, is_train=False)
            pad = batch.pad or 0
            yield [y[: y.shape[0] - pad] for y in self.get_outputs()], number, batch

    def predict(
        self,
        eval_data: DataIter | NDArray | Array,
        num_batch: int | None = None,
        merge_batches: bool = True,
        reset: bool = True,
        always_output_list: bool = False,
        sparse_row_id_fn: RowIds = None,
    ) -> Any:
        """The outputs of an array, or of all batches of an iterator, one after another."""
        self._require_params("predict")
        if isinstance(eval_data, NDArray | np.ndarray):
            data = eval_data if isinstance(eval_data, NDArray) else array(eval_data)
            self.forward(DataBatch([data]), is_train=False)
            return self.get_outputs()[0]
        if not isinstance(eval_data, DataIter):
            raise ValueError(
                f"{type(self).__name__}.predict: an NDArray or a DataIter is required, "
                f"got {type(eval_data).__name__}."
            )
        parts = self.iter_predict(eval_data, num_batch, reset, sparse_row_id_fn)
        batches = [outputs for outputs, _, _ in parts]
        if not batches or not merge_batches:
            return batches
        merged = [
            array(np.concatenate([y.asnumpy() for y in parts]), dtype=parts[0].dtype)
            for parts in zip(*batches, strict=True)
        ]
        return merged[0] if len(merged) == 1 and not always_output_list else merged

    # ---- training

    def fit(
        self,
        train_data: DataIter,
        eval_data: DataIter | None = None,
        eval_metric: MetricLike = "acc",
        epoch_end_callback: Callbacks = None,
        batch_end_callback: Callbacks = None,
        kvstore: KVStore | str | None = "local",
        optimizer: Optimizer | str = "sgd",
        optimizer_params: OptimizerParams = RATE,
        eval_end_callback: Callbacks = None,
        eval_batch_end_callback: Callbacks = None,
        initializer: InitializerLike = UNIFORM,
        arg_params: ParamValues = None,
        aux_params: ParamValues = None,
        allow_missing: bool = False,
        force_rebind: bool = False,
        force_init: bool = False,
        begin_epoch: int = 0,
        num_epoch: int | None = None,
        validation_metric: MetricLike | None = None,
        monitor: Monitor | None = None,
        sparse_row_id_fn: RowIds = None,
    ) -> None:
        """Bind, initialize, and train from epoch `begin_epoch` until `num_epoch`; both count from 0.

        After each batch `batch_end_callback`, a function or a list of them, gets a `BatchEndParam`, and after
        each epoch `epoch_end_callback` the epoch, the symbol, the parameters and the auxiliary states. With
        `eval_data`, each epoch ends with a score by `validation_metric`, by default `eval_metric`.
        """
        if num_epoch is None:
            raise RequirementError(
                f"{type(self).__name__}.fit: num_epoch, the number of epochs, is required."
            )
        self.bind(train_data.provide_data, train_data.provide_label, True, force_rebind=force_rebind)
        if monitor is not None:
            self.install_monitor(monitor)
        self.init_params(initializer, arg_params, aux_params, allow_missing, force_init)
        self.init_optimizer(kvstore, optimizer, optimizer_params)
        eval_metric = _as_metric(eval_metric)
        validation_metric = eval_metric if validation_metric is None else validation_metric
        for epoch in range(begin_epoch, num_epoch):
            self._epoch(epoch, train_data, eval_metric, batch_end_callback, monitor, sparse_row_id_fn)
            _call(epoch_end_callback, epoch, self.symbol, *self._synchronized())
            if eval_data is not None:
                callbacks = eval_batch_end_callback, eval_end_callback
                values = self.score(eval_data, validation_metric, None, *callbacks, epoch=epoch)
                self._log(epoch, "Validation", values)
            train_data.reset()

    def _synchronized(self) -> tuple[Params, Params]:
        """The parameters and the auxiliary states; now also arrays that a store has updated have them."""
        params = self.get_params()
        self.set_params(*params)
        return params

    def _log(self, epoch: int, what: str, values: list[tuple[Any, Any]]) -> None:
        for name, value in values:
            self.logger.info("Epoch[%d] %s-%s=%f", epoch, what, name, value)

    def _epoch(
        self,
        epoch: int,
        train_data: Any,
        eval_metric: EvalMetric,
        batch_end_callback: Any,
        monitor: Any,
        sparse_row_id_fn: RowIds,
    ) -> None:
        """Train on all batches, and log the metric over them.

        Its values are read before the last callback, which may reset the metric, and the next batch is
        fetched before a callback, as in MXNet.
        """
        tic = time.time()
        eval_metric.reset()
        values: list[tuple[Any, Any]] = []
        batches = iter(train_data)
        data_batch = next(batches, None)
        if data_batch is None:
            raise RequirementError(
                f"{type(self).__name__}.fit: train_data with at least one batch is required, got none."
            )
        nbatch = 0
        while data_batch is not None:
            if monitor is not None:
                monitor.tic()
            self.forward_backward(data_batch)
            self.update()
            self._measure(eval_metric, data_batch)
            next_batch = next(batches, None)
            if next_batch is not None:
                self.prepare(next_batch, sparse_row_id_fn=sparse_row_id_fn)
            else:
                values = eval_metric.get_global_name_value()
            if monitor is not None:
                monitor.toc_print()
            _call(batch_end_callback, BatchEndParam(epoch, nbatch, eval_metric, locals()))
            data_batch = next_batch
            nbatch += 1
        self._log(epoch, "Train", values)
        self.logger.info("Epoch[%d] Time cost=%.3f", epoch, time.time() - tic)


def _as_metric(metric: Any) -> EvalMetric:
    return metric if isinstance(metric, EvalMetric) else metrics.create(metric)


def _call(callbacks: Any, *args: Any) -> None:
    """Call a function, each of a list of them, or none."""
    listed: Sequence[Callable[..., Any]] = (
        callbacks if isinstance(callbacks, list | tuple) else [callbacks] if callbacks is not None else []
    )
    for callback in listed:
        callback(*args)
