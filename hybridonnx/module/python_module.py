"""Modules written in Python: `PythonModule`, and `PythonLossModule` for the end of a sequence."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
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
from ..ndarray.creation import array
from ..ndarray.ndarray import NDArray
from ..optimizer.optimizer import Optimizer
from ..typing import ArrayLike, Arrays
from .base_module import RATE, UNIFORM, BaseModule, OptimizerParams, Params, ParamValues

__all__ = ["PythonLossModule", "PythonModule"]


class PythonModule(BaseModule):
    """A module without parameters. Subclasses define `_compute_output_shapes`, `forward` and `backward`."""

    def __init__(
        self,
        data_names: Sequence[str],
        label_names: Sequence[str] | None,
        output_names: Sequence[str],
        logger: logging.Logger | ModuleType = logging,
    ) -> None:
        super().__init__(logger)
        self._data_names = list(data_names)
        self._label_names = list(label_names or ())
        self._output_names = list(output_names)
        self._data_shapes: Any = None
        self._label_shapes: Any = None
        self._output_shapes: Any = None

    @property
    def data_names(self) -> list[str]:
        """The names of the inputs."""
        return self._data_names

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs."""
        return self._output_names

    @property
    def data_shapes(self) -> Any:
        """The inputs that are bound."""
        return self._data_shapes

    @property
    def label_shapes(self) -> Any:
        """The labels that are bound, `None` if there are none."""
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        """The names and shapes of the outputs."""
        return self._output_shapes

    def get_params(self) -> tuple[Params, Params]:
        """Nothing, by name."""
        return {}, {}

    def init_params(
        self,
        initializer: InitializerLike = UNIFORM,
        arg_params: ParamValues = None,
        aux_params: ParamValues = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Nothing: there are no parameters."""
        self.params_initialized = True

    def init_optimizer(
        self,
        kvstore: KVStore | str | None = "local",
        optimizer: Optimizer | str = "sgd",
        optimizer_params: OptimizerParams = RATE,
        force_init: bool = False,
    ) -> None:
        """Nothing: there are no parameters."""
        self.optimizer_initialized = True

    def update(self) -> None:
        """Nothing: there are no parameters."""

    def update_metric(
        self,
        eval_metric: EvalMetric,
        labels: Any,
        pre_sliced: bool = False,
    ) -> None:
        """Take the outputs of the last batch and its labels into a metric, if it takes labels."""
        if self._label_shapes is not None:
            eval_metric.update(labels[0] if pre_sliced else labels, self.get_outputs())

    def install_monitor(self, mon: Monitor) -> None:
        """Nothing: no executor computes."""

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
        """Take descriptions of inputs and labels."""
        if self._stays_bound(force_rebind):
            return
        if grad_req != "write":
            raise RequirementError(f"PythonModule.bind: grad_req='write' is required, got {grad_req!r}.")
        names = [described(d).name for d in data_shapes]
        if names != self._data_names:
            raise RequirementError(
                f"PythonModule.bind: shapes of {', '.join(self._data_names)} are required, "
                f"got {', '.join(names)}."
            )
        self.for_training, self.inputs_need_grad, self.binded = for_training, inputs_need_grad, True
        self._data_shapes, self._label_shapes = data_shapes, label_shapes
        self._output_shapes = self._compute_output_shapes()

    def _compute_output_shapes(self) -> list[Any]:
        """The names and shapes of the outputs."""
        self._undefined("_compute_output_shapes")


class PythonLossModule(PythonModule):
    """Gives its input on, and takes the gradient of a loss from `grad_func(scores, labels)`."""

    def __init__(
        self,
        name: str = "pyloss",
        data_names: Sequence[str] = ("data",),
        label_names: Sequence[str] = ("softmax_label",),
        logger: logging.Logger | ModuleType = logging,
        grad_func: Callable[[NDArray, NDArray], ArrayLike] | None = None,
    ) -> None:
        super().__init__(data_names, label_names, [f"{name}_output"], logger)
        if len(self._data_names) != 1 or len(self._label_names) != 1:
            raise RequirementError("PythonLossModule: one name of data and one of a label are required.")
        if grad_func is not None and not callable(grad_func):
            raise RequirementError(f"PythonLossModule: a function is required, got {grad_func!r}.")
        self._name = name
        self._scores: Any = None
        self._labels: Any = None
        self._scores_grad: NDArray | None = None
        self._grad_func = grad_func

    def _compute_output_shapes(self) -> list[Any]:
        first: DataDesc = described(self._data_shapes[0])
        return [(f"{self._name}_output", first.shape)]

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Keep the scores, and in training the labels."""
        self._scores = data_batch.data[0]
        if self.for_training if is_train is None else is_train:
            self._labels = data_batch.label[0]

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """The scores."""
        return [self._scores] if merge_multi_context else [[self._scores]]

    def backward(self, out_grads: Arrays | None = None) -> None:
        """Compute the gradient of the scores."""
        if out_grads is not None:
            raise RequirementError("PythonLossModule.backward: no out_grads are allowed, as it is a loss.")
        if not self.for_training:
            raise RequirementError("PythonLossModule.backward: a module bound for training is required.")
        self._backward_impl()

    def _backward_impl(self) -> None:
        """Set `_scores_grad`; subclasses may do it without `grad_func`."""
        if self._grad_func is None:
            self._undefined("grad_func or _backward_impl")
        grad = self._grad_func(self._scores, self._labels)
        self._scores_grad = grad if isinstance(grad, NDArray) else array(grad)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """The gradient of the scores."""
        return [self._scores_grad] if merge_multi_context else [[self._scores_grad]]
