"""Training loops of the first releases: executors of a symbol on several contexts, without a module."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from .context import Context
from .errors import MXNetError
from .io import DataBatch, DataIter
from .metric import EvalMetric
from .module.executor_group import DataParallelExecutorGroup
from .module.module import Module
from .module.split_executor import split as _split_input_slice
from .monitor import Monitor
from .ndarray.ndarray import NDArray
from .symbol.symbol import Symbol

__all__ = ["DataParallelExecutorGroup", "DataParallelExecutorManager", "_split_input_slice"]


class DataParallelExecutorManager:
    """A symbol bound to the shapes of an iterator's batches, each of which the contexts share.

    For each batch: `load_data_batch`, `forward`, `backward`, then change `param_arrays` by `grad_arrays`.
    """

    def __init__(
        self,
        symbol: Symbol,
        ctx: Sequence[Context],
        train_data: DataIter,
        arg_names: Sequence[str],
        param_names: Sequence[str],
        aux_names: Sequence[str],
        work_load_list: Sequence[float] | None = None,
        logger: logging.Logger | ModuleType | None = None,
        sym_gen: Callable[..., Any] | None = None,
    ) -> None:
        if sym_gen is not None:
            raise MXNetError(
                "DataParallelExecutorManager: sym_gen must be None; use mx.mod.BucketingModule for several "
                "lengths."
            )
        data, labels = train_data.provide_data, train_data.provide_label
        names = [[description[0] for description in each] for each in (data, labels)]
        self.symbol = symbol
        self.arg_names, self.param_names, self.aux_names = arg_names, param_names, aux_names
        self.ctx = ctx
        self._module = Module(
            symbol,
            names[0],
            [name for name in names[1] if name in symbol.list_arguments()],
            logger or logging,
            list(ctx),
            work_load_list,
            fixed_param_names=[name for name in arg_names if name not in param_names],
        )
        self._module.bind(data, labels)
        self._batch: DataBatch | None = None

    def install_monitor(self, monitor: Monitor) -> None:
        """Have a monitor see the results of all nodes.

        Args:
            monitor: The monitor.
        """
        self._module.install_monitor(monitor)

    def set_params(self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]) -> None:
        """Give the parameters values.

        Args:
            arg_params: Values by the parameters' names.
            aux_params: Values of auxiliary states by their names.
        """
        self._module.init_params(None, dict(arg_params), dict(aux_params), force_init=True, allow_extra=True)

    def copy_to(self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]) -> None:
        """Copy the parameters' values into arrays.

        Args:
            arg_params: Arrays by the parameters' names.
            aux_params: Arrays by the auxiliary states' names.
        """
        values, states = self._module.get_params()
        for arrays, sources in ((arg_params, values), (aux_params, states)):
            for name, array in arrays.items():
                if name in sources:
                    array[:] = sources[name].astype(array.dtype)

    @property
    def _group(self) -> DataParallelExecutorGroup:
        group = self._module._exec_group
        assert group is not None  # it is bound
        return group

    @property
    def param_arrays(self) -> list[list[NDArray]]:
        """The parameters, each with its arrays."""
        return self._group.param_arrays

    @property
    def grad_arrays(self) -> list[list[NDArray]]:
        """The parameters' gradients, each with its arrays."""
        return self._group.grad_arrays

    @property
    def aux_arrays(self) -> list[list[NDArray]]:
        """The auxiliary states, each with its arrays."""
        return self._group.aux_arrays

    def load_data_batch(self, data_batch: DataBatch) -> None:
        """Take a batch for what follows.

        Args:
            data_batch: The batch.
        """
        self._batch = data_batch

    def forward(self, is_train: bool = False) -> None:
        """Compute the outputs of the batch.

        Args:
            is_train: Whether `backward` follows.

        Raises:
            MXNetError: If no batch was loaded.
        """
        if self._batch is None:
            raise MXNetError(
                "DataParallelExecutorManager.forward: a batch is required; call load_data_batch."
            )
        self._module.forward(self._batch, is_train=is_train)

    def backward(self) -> None:
        """Compute the gradients."""
        self._module.backward()

    def update_metric(self, metric: EvalMetric, labels: Sequence[NDArray], pre_sliced: bool = False) -> None:
        """Add the outputs of the batch to a metric.

        Args:
            metric: The metric.
            labels: The labels of the batch.
            pre_sliced: Whether there is a list of labels for each context.
        """
        self._module.update_metric(metric, labels, pre_sliced)
