"""A module that trains with stochastic variance reduced gradients."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from inspect import signature
from types import ModuleType
from typing import Any

from ...autograd.tape import GradReq
from ...context import Context, cpu
from ...errors import AttributeValueError, MXNetError
from ...io import DataBatch
from ...io.io import DescribedBy
from ...module import Module
from ...ndarray.ndarray import NDArray
from ...symbol.symbol import Symbol

__all__ = ["SVRGModule"]

_CPU = cpu()


class SVRGModule(Module):
    """A `Module` whose gradients are corrected by those of a copy of its parameters.

    The copy is made every `update_freq` epochs, with the mean of its gradients over all batches. In each step
    the copy's gradient of the batch is subtracted, and that mean is added.

    Args:
        symbol: The network.
        data_names: The names of the inputs.
        label_names: The names of the labels.
        logger: What `fit` logs to.
        context: The context, or a list of them.
        work_load_list: How much of each batch each context gets.
        fixed_param_names: Parameters that do not train.
        state_names: Inputs that are states.
        group2ctxs: Contexts of groups of nodes.
        compression_params: How gradients are compressed, which no store here does.
        update_freq: After how many epochs the copy is made anew.

    Raises:
        TypeError: `update_freq` is no integer.
        ValueError: It is not positive.
    """

    def __init__(
        self,
        symbol: Symbol,
        data_names: Sequence[str] | None = ("data",),
        label_names: Sequence[str] | None = ("softmax_label",),
        logger: logging.Logger | ModuleType = logging,
        context: Context | Sequence[Context] | None = _CPU,
        work_load_list: Sequence[float] | None = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
        compression_params: Any = None,
        update_freq: int | None = None,
    ) -> None:
        if not isinstance(update_freq, int):
            raise TypeError(f"SVRGModule: an integer is required as update_freq, got {update_freq!r}.")
        if update_freq <= 0:
            raise AttributeValueError(f"SVRGModule: update_freq must be positive, got {update_freq}.")
        arguments: tuple[Any, ...] = (
            symbol, data_names, label_names, logger, context, work_load_list, fixed_param_names, state_names,
            group2ctxs, compression_params,
        )  # fmt: skip
        super().__init__(*arguments)
        self.update_freq = update_freq
        self._mod_aux = Module(*arguments)
        self._means: list[list[NDArray]] | None = None
        self._last_batch: DataBatch | None = None

    def bind(
        self,
        data_shapes: Sequence[DescribedBy],
        label_shapes: Sequence[DescribedBy] | None = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Any = None,
        grad_req: GradReq = "write",
    ) -> None:
        """Bind, as a `Module` does; the copy of the parameters as well."""
        stays = self.binded and not force_rebind
        super().bind(
            data_shapes, label_shapes, for_training, inputs_need_grad, force_rebind, shared_module, grad_req
        )
        if for_training and not stays:
            self._mod_aux.bind(data_shapes, label_shapes, force_rebind=True)

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Take other shapes; the parameters stay."""
        super().reshape(data_shapes, label_shapes)
        if self._mod_aux.binded:
            self._mod_aux.reshape(data_shapes, label_shapes)

    def update_full_grads(self, train_data: Any) -> None:
        """Copy the parameters, and compute their mean gradients over all batches of an iterator."""
        self._mod_aux.set_params(*self.get_params())
        sums: list[list[NDArray]] = []
        count = 0
        train_data.reset()
        for batch in train_data:
            self._mod_aux.forward(batch, is_train=True)
            self._mod_aux.backward()
            gradients = [[g.copy() for g in each] for each in _gradients(self._mod_aux)]
            for total, each in zip(sums, gradients, strict=bool(sums)):
                for a, b in zip(total, each, strict=True):
                    a += b
            sums = sums or gradients
            count += 1
        train_data.reset()
        if not count:
            raise MXNetError("SVRGModule.update_full_grads: batches are required, the iterator gave none.")
        self._means = [[total / count for total in each] for each in sums]

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch; those of the copy wait for `backward`."""
        super().forward(data_batch, is_train)
        self._last_batch = data_batch

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients of the last batch, and of the copy."""
        super().backward(out_grads)
        if self._means is not None:
            assert self._last_batch is not None  # it has outputs
            self._mod_aux.forward(self._last_batch, is_train=True)
            self._mod_aux.backward(out_grads)

    def update(self) -> None:
        """Correct the gradients, and update the parameters by them.

        Raises:
            MXNetError: There is no copy yet: `update_full_grads` was not called.
        """
        if self._means is None:
            raise MXNetError("SVRGModule.update: full gradients are required. Call update_full_grads.")
        for each, copies, means in zip(_gradients(self), _gradients(self._mod_aux), self._means, strict=True):
            for gradient, copied, mean in zip(each, copies, means, strict=True):
                gradient[:] = gradient - copied + mean
        super().update()

    def fit(self, train_data: Any, *args: Any, **kwargs: Any) -> None:
        """Train as `Module.fit` does, with full gradients first and in every `update_freq`-th epoch."""
        call = signature(Module.fit).bind(self, train_data, *args, **kwargs)
        epochs: Any = _Epochs(self, train_data, call.arguments.get("begin_epoch", 0))
        super().fit(epochs, *args, **kwargs)

    def prepare(self, data_batch: DataBatch, sparse_row_id_fn: Any = None) -> None:
        """Fetch rows of row-sparse parameters, as `Module.prepare` does, for the copy as well."""
        super().prepare(data_batch, sparse_row_id_fn)
        if self._mod_aux.params_initialized:
            self._mod_aux.prepare(data_batch, sparse_row_id_fn)


def _gradients(module: Module) -> list[list[Any]]:
    """The gradients of each parameter that trains, on each context."""
    group: Any = module._exec_group
    arrays = group.grad_arrays
    return [list(each) for each in arrays if each is not None and all(g is not None for g in each)]


class _Epochs:
    """An iterator, at the beginning of whose epochs a module computes full gradients when it is time."""

    def __init__(self, module: SVRGModule, data: Any, epoch: int) -> None:
        self._module = module
        self._data = data
        self._epoch = epoch

    def __iter__(self) -> Iterator[Any]:
        if self._module._means is None or self._epoch % self._module.update_freq == 0:
            self._module.update_full_grads(self._data)
        self._epoch += 1
        return iter(self._data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._data, name)
