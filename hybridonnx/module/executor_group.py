"""What MXNet's modules keep in private attributes that users' code reads, in terms of the module."""

from __future__ import annotations

from typing import Any

from ..ndarray.ndarray import NDArray
from .split_executor import SplitExecutor

__all__ = ["DataParallelExecutorGroup"]


class DataParallelExecutorGroup:
    """The executors of a module, one for each context: `Module._exec_group`.

    Lists of arrays have a list for each array, with an item for each executor, or one that all of them share:
    parameters and their gradients, so that a loop that changes all items in place changes each array once.
    """

    def __init__(self, module: Any) -> None:
        self._module = module
        self.symbol = module.symbol
        self.contexts = module._contexts
        self.param_names = module._param_names
        self.aux_names = module._aux_names
        self.arg_names = module.symbol.list_arguments()
        self.fixed_param_names = module._fixed_names
        self.for_training = module.for_training
        self.inputs_need_grad = module.inputs_need_grad
        self.data_shapes = module._data_shapes
        self.label_shapes = module._label_shapes
        self.batch_size = module._batch_size()
        self.slices = module._slices() if module._splits() else [slice(0, self.batch_size)]

    @property
    def execs(self) -> list[Any]:
        """The executors for the shapes that are bound, one for each context."""
        executor = self._module._executor()
        return executor.parts if isinstance(executor, SplitExecutor) else [executor]

    def _arrays(self, kind: str, names: list[str]) -> list[list[NDArray]]:
        parts = [getattr(executor, kind) for executor in self.execs]
        several = [[arrays[name] for arrays in parts] for name in names if parts[0][name] is not None]
        return [list({_memory(array): array for array in arrays}.values()) for arrays in several]

    @property
    def param_arrays(self) -> list[list[NDArray]]:
        """The parameters."""
        return self._arrays("arg_dict", [n for n in self.arg_names if n in self.param_names])

    @property
    def grad_arrays(self) -> list[list[NDArray]]:
        """The parameters' gradients, of those that have some."""
        return self._arrays("grad_dict", [n for n in self.arg_names if n in self.param_names])

    @property
    def aux_arrays(self) -> list[list[NDArray]]:
        """The auxiliary states."""
        return self._arrays("aux_dict", self.aux_names)

    @property
    def data_arrays(self) -> list[list[tuple[slice, NDArray]]]:
        """The inputs, each with the part of the batch that it is."""
        return self._inputs([d.name for d in self._module._data_shapes])

    @property
    def label_arrays(self) -> list[list[tuple[slice, NDArray]]]:
        """The labels, in the same form."""
        return self._inputs(self._module._label_names)

    def _inputs(self, names: list[str]) -> list[list[tuple[slice, NDArray]]]:
        return [[*zip(self.slices, arrays, strict=True)] for arrays in self._arrays("arg_dict", names)]


def _memory(array: NDArray) -> int:
    """What arrays of several contexts have in common if they are one."""
    return id(array._data if array.stype == "default" else array)
