"""`BucketingModule`: a module for each kind of batch, such as each length, over the same parameters."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from ..autograd.tape import GradReq
from ..checkpoint import load_params, write_checkpoint
from ..context import Context, cpu
from ..errors import FormatError, RequirementError
from ..formats.files import FileContent
from ..initializer import InitializerLike
from ..io import DataBatch, DataDesc
from ..io.io import DescribedBy
from ..kvstore import KVStore
from ..metric import EvalMetric
from ..monitor import Monitor
from ..ndarray.creation import array
from ..ndarray.files import content, load
from ..ndarray.ndarray import NDArray
from ..optimizer.optimizer import Optimizer
from ..symbol.symbol import Symbol
from ..symbol.symbol import load as load_symbol
from ..typing import Arrays
from .base_module import RATE, UNIFORM, BaseModule, Groups, OptimizerParams, Params, ParamValues, RowIds
from .module import Module

__all__ = ["BucketingModule"]

_CPU = cpu()

_Generator: TypeAlias = Callable[[Any], tuple[Symbol, Sequence[str] | None, Sequence[str] | None]]


class BucketingModule(BaseModule):
    """Modules by the `bucket_key` of batches, made by need of what `sym_gen(bucket_key)` gives.

    `sym_gen` gives a symbol, the names of its inputs and those of its labels. All modules use the parameters
    of the one for `default_bucket_key`, whose symbol has them all.
    """

    def __init__(
        self,
        sym_gen: _Generator,
        default_bucket_key: object = None,
        logger: logging.Logger | ModuleType = logging,
        context: Context | Sequence[Context] | None = _CPU,
        work_load_list: object = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Groups = None,
        compression_params: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(logger)
        if default_bucket_key is None:
            raise RequirementError("BucketingModule: a default_bucket_key is required.")
        self._sym_gen = sym_gen
        self._default_key = default_bucket_key
        self._options: dict[str, Any] = {
            "logger": logger,
            "context": context,
            "fixed_param_names": fixed_param_names,
            "state_names": state_names,
            "group2ctxs": group2ctxs,
            "compression_params": compression_params,
        }
        self._symbols: dict[Any, Symbol] = {}
        self._loaded: tuple[ParamValues, ParamValues] | None = None
        self._grad_req: Any = "write"
        self._monitors: list[Any] = []
        self._buckets: dict[Any, Module] = {}
        self._key = default_bucket_key
        self._make_module(default_bucket_key)  # so that wrong names raise now

    def _make_module(self, key: Any) -> Module:
        symbol, data_names, label_names = self._sym_gen(key)
        return Module(self._symbols.get(key, symbol), data_names, label_names, **self._options)

    # ---- what it is

    @property
    def _current(self) -> Module:
        return self._buckets[self._key]

    @property
    def _curr_module(self) -> Module | None:
        """MXNet's own name for the present bucket's module, which users' code reads."""
        return self._current if self.binded else None

    @property
    def _curr_bucket_key(self) -> Any:
        return self._key if self.binded else None

    @property
    def _default(self) -> Module:
        return self._buckets[self._default_key]

    @property
    def symbol(self) -> Any:
        """The present bucket's symbol."""
        self._require_bound("symbol")
        return self._current.symbol

    @property
    def data_names(self) -> Any:
        """The names of the inputs."""
        return self._current.data_names if self.binded else self._sym_gen(self._default_key)[1]

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs."""
        if self.binded:
            return self._current.output_names
        return self._sym_gen(self._default_key)[0].list_outputs()

    @property
    def data_shapes(self) -> list[DataDesc]:
        """The inputs of the present bucket."""
        self._require_bound("data_shapes")
        return self._current.data_shapes

    @property
    def label_shapes(self) -> list[DataDesc] | None:
        """The labels of the present bucket, `None` if there are none."""
        self._require_bound("label_shapes")
        return self._current.label_shapes

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """The names and shapes of the present bucket's outputs."""
        self._require_bound("output_shapes")
        return self._current.output_shapes

    # ---- binding

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
        """Take descriptions of the inputs and labels of the default bucket."""
        if shared_module is not None:
            raise RequirementError("BucketingModule.bind: shared_module=None is required.")
        if self._stays_bound(force_rebind):
            return
        params = self.get_params() if self.binded and self.params_initialized else self._loaded
        training = self._default if self.optimizer_initialized else None
        module = self._make_module(self._default_key)
        module.bind(data_shapes, label_shapes, for_training, inputs_need_grad, grad_req=grad_req)
        self._buckets, self._key, self._grad_req = {self._default_key: module}, self._default_key, grad_req
        self.for_training, self.inputs_need_grad, self.binded = for_training, inputs_need_grad, True
        for monitor in self._monitors:
            module.install_monitor(monitor)
        if params is not None:
            self.set_params(*params)
        if training is not None:
            module.borrow_optimizer(training)

    def switch_bucket(
        self,
        bucket_key: object,
        data_shapes: Sequence[DescribedBy],
        label_shapes: Sequence[DescribedBy] | None = None,
    ) -> None:
        """Go to a bucket, which is bound to these shapes if it is new."""
        self._require_bound("switch_bucket")
        if bucket_key not in self._buckets:
            module = self._make_module(bucket_key)
            module.bind(
                data_shapes,
                label_shapes,
                self.for_training,
                self.inputs_need_grad,
                shared_module=self._default,
                grad_req=self._grad_req,
            )
            for monitor in self._monitors:
                module.install_monitor(monitor)
            self._buckets[bucket_key] = module
        self._key = bucket_key

    def prepare(self, data_batch: DataBatch, sparse_row_id_fn: RowIds = None) -> None:
        """Bind the bucket of a batch, and fetch the rows that it needs; the present bucket stays."""
        self._require_params("prepare")
        before = self._key
        self._go_to(data_batch)
        self._current.prepare(data_batch, sparse_row_id_fn)
        self._key = before

    def _go_to(self, batch: Any) -> None:
        self.switch_bucket(batch.bucket_key, batch.provide_data, batch.provide_label)

    # ---- parameters

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
        if self._keeps_params("init_params", force_init):
            return
        self._default.init_params(initializer, arg_params, aux_params, allow_missing, True, allow_extra)
        self.params_initialized = True

    def set_params(
        self,
        arg_params: ParamValues,
        aux_params: ParamValues,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Take the values of parameters and auxiliary states by name."""
        if self._keeps_params("set_params", force_init):
            return
        self._default.set_params(arg_params, aux_params, allow_missing, True, allow_extra)
        self.params_initialized = True

    def get_params(self) -> tuple[Params, Params]:
        """Copies of the values of the parameters and of the auxiliary states, both by name."""
        if self._loaded is not None and not self.binded:
            args, states = self._loaded
            return {n: x.copy() for n, x in (args or {}).items()}, {
                n: x.copy() for n, x in (states or {}).items()
            }
        self._require_params("get_params")
        return self._default.get_params()

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """The values of the present bucket's states."""
        self._require_params("get_states")
        return self._current.get_states(merge_multi_context)

    def set_states(self, states: Sequence[Arrays] | None = None, value: float | None = None) -> None:
        """Set the present bucket's states."""
        self._require_params("set_states")
        self._current.set_states(states, value)

    # ---- batches

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch in its bucket."""
        self._require_params("forward")
        self._go_to(data_batch)
        self._current.forward(data_batch, is_train)

    def backward(self, out_grads: Arrays | None = None) -> None:
        """Compute the gradients of the last batch."""
        self._require_params("backward")
        self._current.backward(out_grads)

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """The outputs of the last batch."""
        self._require_params("get_outputs")
        return self._current.get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """The gradients of the last batch's inputs."""
        self._require_params("get_input_grads")
        self._require_input_grads("get_input_grads")
        return self._current.get_input_grads(merge_multi_context)

    def update_metric(
        self,
        eval_metric: EvalMetric,
        labels: Sequence[NDArray] | Mapping[str, NDArray],
        pre_sliced: bool = False,
    ) -> None:
        """Take the outputs of the last batch and its labels into a metric."""
        self._require_params("update_metric")
        self._current.update_metric(eval_metric, labels, pre_sliced)

    # ---- training

    def init_optimizer(
        self,
        kvstore: KVStore | str | None = "local",
        optimizer: Optimizer | str = "sgd",
        optimizer_params: OptimizerParams = RATE,
        force_init: bool = False,
    ) -> None:
        """Take an optimizer, or make one by name, for all buckets."""
        if self._keeps_optimizer(force_init):
            return
        self._default.init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        for module in self._buckets.values():
            module.borrow_optimizer(self._default)
        self.optimizer_initialized = True

    def update(self) -> None:
        """Update the parameters that the last batch's bucket has."""
        self._require_params("update")
        self._require_optimizer("update")
        self._current.update()

    def install_monitor(self, mon: Monitor) -> None:
        """Let a monitor watch all buckets."""
        self._require_bound("install_monitor")
        self._monitors.append(mon)
        for module in self._buckets.values():
            module.install_monitor(mon)

    # ---- files

    def save_checkpoint(self, prefix: str, epoch: int, remove_amp_cast: bool = False) -> None:
        """Write a `PREFIX-KEY-symbol.json` for each bucket, the keys as `PREFIX.buckets`, and parameters."""
        self._require_params("save_checkpoint")
        path, keys = os.fspath(prefix), np.array(list(self._buckets))
        if keys.dtype.kind not in "iu":
            raise TypeError(
                "BucketingModule.save_checkpoint: numbers, or tuples of as many numbers, are required as "
                f"bucket keys, got {list(self._buckets)}. save_params saves the parameters alone."
            )
        graphs: list[FileContent] = [
            (f"{path}-{key}-symbol.json", [module.symbol.tojson(remove_amp_cast).encode()])
            for key, module in self._buckets.items()
        ]
        buckets = f"{path}.buckets"
        graphs.append((buckets, content(buckets, array(keys, dtype=np.int32))))
        write_checkpoint(path, epoch, None, *self.get_params(), remove_amp_cast, *graphs)

    @staticmethod
    def load(
        prefix: str,
        epoch: int,
        sym_gen: _Generator | None = None,
        default_bucket_key: object = None,
        **kwargs: Any,
    ) -> BucketingModule:
        """A module of a checkpoint, to be bound yet.

        `sym_gen` tells the names, and makes the symbols of buckets that were not saved.
        """
        path = os.fspath(prefix)
        stored = load(f"{path}.buckets")
        if not isinstance(stored, list) or len(stored) != 1:
            raise FormatError(f"{path}.buckets: one array of bucket keys is required, got {stored!r:.80}.")
        keys = [tuple(k) if isinstance(k, list) else k for k in stored[0].asnumpy().tolist()]
        symbols = {key: load_symbol(f"{path}-{key}-symbol.json") for key in keys}
        params = load_params(prefix, epoch)
        return BucketingModule.load_dict(symbols, sym_gen, default_bucket_key, *params, **kwargs)

    @staticmethod
    def load_dict(
        sym_dict: Mapping[object, Symbol] | None = None,
        sym_gen: _Generator | None = None,
        default_bucket_key: object = None,
        arg_params: ParamValues = None,
        aux_params: ParamValues = None,
        **kwargs: Any,
    ) -> BucketingModule:
        """A module of symbols by key and of parameters, to be bound yet; see `load`."""
        if sym_gen is None:
            raise RequirementError("BucketingModule.load: sym_gen is required.")
        module = BucketingModule(sym_gen, default_bucket_key, **kwargs)
        module._symbols = dict(sym_dict or {})
        module._loaded = arg_params or {}, aux_params or {}
        module.params_initialized = True
        return module
