"""`SequentialModule`: modules in a row, each of which takes the outputs of the one before."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from ..autograd.tape import GradReq
from ..errors import RequirementError
from ..initializer import InitializerLike
from ..io import DataBatch, DataDesc, described
from ..io.io import DescribedBy
from ..kvstore import KVStore
from ..metric import EvalMetric
from ..monitor import Monitor
from ..ndarray.ndarray import NDArray
from ..optimizer.optimizer import Optimizer
from ..typing import Arrays
from .base_module import RATE, UNIFORM, BaseModule, OptimizerParams, Params, ParamValues

__all__ = ["SequentialModule"]


class SequentialModule(BaseModule):
    """Modules in a row. `add` says of each whether it takes the labels, and whether names are to fit."""

    META_TAKE_LABELS = "take_labels"
    META_AUTO_WIRING = "auto_wiring"

    def __init__(self, logger: logging.Logger | ModuleType = logging) -> None:
        super().__init__(logger)
        self._modules: list[BaseModule] = []
        self._metas: list[dict[str, Any]] = []
        self._label_shapes: list[DataDesc] | None = None

    def add(self, module: BaseModule, **kwargs: bool) -> SequentialModule:
        """Add a module behind the others. It is to be bound then, with all others.

        `take_labels` gives it the labels; `auto_wiring` gives the outputs before it the names of its inputs.
        """
        for key in kwargs:
            if key not in (self.META_TAKE_LABELS, self.META_AUTO_WIRING):
                raise RequirementError(
                    f"SequentialModule.add: {self.META_TAKE_LABELS} or {self.META_AUTO_WIRING} is possible, "
                    f"got {key!r}."
                )
        self._modules.append(module)
        self._metas.append(kwargs)
        self.binded = self.params_initialized = self.optimizer_initialized = False
        return self

    # ---- what it is

    @property
    def data_names(self) -> list[str]:
        """The names of the first module's inputs."""
        return self._modules[0].data_names if self._modules else []

    @property
    def output_names(self) -> list[str]:
        """The names of the last module's outputs."""
        return self._modules[-1].output_names if self._modules else []

    @property
    def data_shapes(self) -> list[DataDesc]:
        """The first module's inputs."""
        self._require_bound("data_shapes")
        return self._modules[0].data_shapes

    @property
    def label_shapes(self) -> list[DataDesc] | None:
        """The labels that are bound, `None` if no module takes them."""
        self._require_bound("label_shapes")
        return self._label_shapes

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """The names and shapes of the last module's outputs."""
        self._require_bound("output_shapes")
        return self._modules[-1].output_shapes

    # ---- binding and parameters

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
        """Bind each module to the shapes of what the one before it gives."""
        if self._stays_bound(force_rebind):
            return
        if inputs_need_grad and not for_training:
            raise RequirementError("SequentialModule.bind: inputs_need_grad=True requires for_training=True.")
        if shared_module is not None:
            raise RequirementError("SequentialModule.bind: shared_module=None is required.")
        if not self._modules:
            raise RequirementError("SequentialModule.bind: a module is required, got none. Call add first.")
        shapes: list[DescribedBy] = list(data_shapes)
        has_labels = False
        for i, (module, meta) in enumerate(zip(self._modules, self._metas, strict=True)):
            labels = label_shapes if meta.get(self.META_TAKE_LABELS) else None
            has_labels = has_labels or labels is not None
            if meta.get(self.META_AUTO_WIRING):
                shapes = [*_renamed(shapes, module.data_names)]
            module.bind(shapes, labels, for_training, inputs_need_grad or i > 0, force_rebind, None, grad_req)
            shapes = [*module.output_shapes]
        self._label_shapes = [described(d) for d in label_shapes or ()] if has_labels else None
        self.for_training, self.inputs_need_grad, self.binded = for_training, inputs_need_grad, True

    def init_params(
        self,
        initializer: InitializerLike = UNIFORM,
        arg_params: ParamValues = None,
        aux_params: ParamValues = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Give the parameters of all modules values; their names must differ."""
        if self._keeps_params("init_params", force_init):
            return
        owners: dict[str, int] = {}
        for i, module in enumerate(self._modules):
            module.init_params(initializer, arg_params, aux_params, allow_missing, force_init, allow_extra)
            for name in [name for params in module.get_params() for name in params]:
                if owners.setdefault(name, i) != i:
                    raise RequirementError(
                        f"SequentialModule: names of parameters that differ are required, got {name!r} in "
                        f"module {i} and in module {owners[name]}."
                    )
        self.params_initialized = True

    def get_params(self) -> tuple[Params, Params]:
        """Copies of the values of all parameters and auxiliary states, both by name."""
        self._require_params("get_params")
        arguments: Params = {}
        states: Params = {}
        for module in self._modules:
            params = module.get_params()
            arguments.update(params[0])
            states.update(params[1])
        return arguments, states

    def init_optimizer(
        self,
        kvstore: KVStore | str | None = "local",
        optimizer: Optimizer | str = "sgd",
        optimizer_params: OptimizerParams = RATE,
        force_init: bool = False,
    ) -> None:
        """Make an optimizer for each module."""
        if self._keeps_optimizer(force_init):
            return
        for module in self._modules:
            module.init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        self.optimizer_initialized = True

    # ---- batches

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Compute a batch through all modules."""
        self._require_params("forward")
        batch = data_batch
        for i, module in enumerate(self._modules):
            module.forward(batch, is_train)
            if i + 1 < len(self._modules):
                batch = DataBatch(module.get_outputs(), data_batch.label, data_batch.pad, data_batch.index)

    def backward(self, out_grads: Arrays | None = None) -> None:
        """Compute the gradients of all modules, from the last to the first."""
        self._require_params("backward")
        for i, module in reversed(list(enumerate(self._modules))):
            module.backward(out_grads)
            if i:
                out_grads = module.get_input_grads()

    def update(self) -> None:
        """Update the parameters of all modules."""
        self._require_params("update")
        self._require_optimizer("update")
        for module in self._modules:
            module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """The last module's outputs."""
        self._require_params("get_outputs")
        return self._modules[-1].get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """The gradients of the first module's inputs."""
        self._require_params("get_input_grads")
        self._require_input_grads("get_input_grads")
        return self._modules[0].get_input_grads(merge_multi_context)

    def update_metric(
        self,
        eval_metric: EvalMetric,
        labels: Sequence[NDArray] | Mapping[str, NDArray],
        pre_sliced: bool = False,
    ) -> None:
        """Take in the outputs of each module that takes labels."""
        self._require_params("update_metric")
        for module, meta in zip(self._modules, self._metas, strict=True):
            if meta.get(self.META_TAKE_LABELS):
                module.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Monitor) -> None:
        """Let a monitor watch all modules."""
        self._require_bound("install_monitor")
        for module in self._modules:
            module.install_monitor(mon)


def _renamed(shapes: Sequence[Any], names: Sequence[str]) -> list[DataDesc]:
    """Descriptions under other names."""
    outputs = [described(d) for d in shapes]
    if len(outputs) != len(names):
        raise RequirementError(
            f"SequentialModule: {len(names)} outputs for {', '.join(names)} are required, got {len(outputs)}."
        )
    return [DataDesc(name, d.shape, d.dtype, d.layout) for name, d in zip(names, outputs, strict=True)]
