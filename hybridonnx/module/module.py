"""`Module`: a symbol bound to shapes, with parameters and an optimizer, called with batches."""

from __future__ import annotations

import logging
import os
import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType, ModuleType
from typing import Any

from .. import autograd
from ..autograd.tape import GradReq
from ..checkpoint import load_checkpoint, write_checkpoint
from ..context import Context, as_context, cpu, device_of, share_memory
from ..dtypes import as_dtype
from ..errors import MXNetError, RequirementError
from ..formats.files import FileContent, write_atomically
from ..initializer import InitDesc, InitializerLike
from ..io import DataBatch, DataDesc, described
from ..io.io import DescribedBy
from ..kvstore import KVStore
from ..metric import EvalMetric
from ..monitor import Monitor
from ..ndarray.creation import arange, zeros_of
from ..ndarray.ndarray import NDArray
from ..ops import Spec, sizes
from ..optimizer.optimizer import Optimizer
from ..runtime.compile import CompiledGraph
from ..symbol.declared import constant_names
from ..symbol.executor import Executor, Runner, bind
from ..symbol.storage import StorageTypes
from ..symbol.symbol import Symbol
from ..typing import Arrays
from ._binding import (
    batch_size,
    bind_shapes,
    check_batch_sizes,
    check_names,
    contexts_of_groups,
    describe_inputs,
    gradient_requests,
)
from ._parameters import Parameters, as_array, checked
from ._training import Training, fetch_rows
from .base_module import RATE, UNIFORM, BaseModule, Groups, OptimizerParams, Params, ParamValues, RowIds
from .executor_group import DataParallelExecutorGroup
from .split_executor import SplitExecutor, split

__all__ = ["Module"]

_CPU = cpu()

_MOST_EXECUTORS = 8


class Module(BaseModule):
    """A symbol whose variables are inputs (`data_names`), labels (`label_names`), states, and parameters.

    After `bind`, and `init_params` or `set_params`, `forward` takes batches of any size. Training and
    predictions run in ONNX Runtime; operators that ONNX cannot express run on their kernels, and so does
    everything while a monitor watches. Several contexts share each batch in training, as `work_load_list`
    says, with the same parameters; states are not split. `group2ctxs` has contexts for the words that nodes
    have as their `ctx_group`: by word one context, or one for each of the module's, or a list of such dicts.
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
        group2ctxs: Groups = None,
        compression_params: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(logger)
        self._symbol: Symbol = symbol
        self._take_contexts(context, work_load_list)
        self._data_names = list(data_names or ())
        self._label_names = list(label_names or ())
        self._state_names = list(state_names or ())
        self._fixed_names = [*(fixed_param_names or ()), *constant_names(symbol.nodes())]
        check_names(symbol, self._data_names, "data_names", required=True)
        check_names(symbol, self._label_names, "label_names", required=False)
        check_names(symbol, self._state_names, "state_names", required=True)
        check_names(symbol, self._fixed_names, "fixed_param_names", required=True)
        inputs = {*self._data_names, *self._label_names, *self._state_names}
        self._param_names = [name for name in symbol.list_arguments() if name not in inputs]
        self._aux_names = symbol.list_auxiliary_states()
        self._compression_params = compression_params
        self._group2ctxs = group2ctxs
        self._groups: list[dict[str, Context]] = [{} for _ in self._contexts]
        """The contexts of the nodes' groups, for each of the contexts."""
        self._words = {name: words.get("ctx_group", "") for name, words in symbol.attr_dict().items()}
        self._data_shapes: list[DataDesc] = []
        self._label_shapes: list[DataDesc] | None = None
        self._specs: dict[str, Spec] = {}
        self._storage = StorageTypes({}, [], {}, False)
        self._output_shapes: list[tuple[int, ...]] = []
        self._parameters = Parameters(symbol, self._param_names, self._aux_names)
        self._states: Params = {}
        self._requests: dict[str, str] = {}
        self._executors: OrderedDict[Any, Executor | SplitExecutor] = OrderedDict()
        self._compiled: CompiledGraph | None = None
        self._compiled_steps: dict[Any, CompiledGraph] = {}
        self._batch: Params = {}
        """The arrays of the last batch by name."""
        self._last: Executor | SplitExecutor | None = None
        self._outputs: list[NDArray] | None = None
        self._training: Training | None = None
        self._states_path: str | None = None
        self._monitors: list[Any] = []

    def _take_contexts(self, context: Any, loads: Sequence[float] | None) -> None:
        listed = context if isinstance(context, list | tuple) else [context]
        self._contexts = [as_context(each) for each in listed]
        self._context = self._contexts[0]
        self._work_load_list = list(loads or [1] * len(listed))
        if len(self._work_load_list) != len(listed):
            raise RequirementError(
                f"Module: a number for each of {len(listed)} contexts is required in work_load_list, "
                f"got {len(self._work_load_list)}."
            )

    @staticmethod
    def load(prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any) -> Module:
        """A module of a checkpoint, its parameters set; it is to be bound yet.

        The optimizer's states are read when the optimizer is made.
        """
        symbol, arguments, states = load_checkpoint(prefix, epoch)
        module = Module(symbol, **kwargs)
        module._parameters.values = {**arguments, **states}
        module.params_initialized = True
        if load_optimizer_states:
            module._states_path = _states_path(prefix, epoch)
        return module

    def save_checkpoint(
        self, prefix: str, epoch: int, save_optimizer_states: bool = False, remove_amp_cast: bool = True
    ) -> None:
        """Write `PREFIX-symbol.json`, `PREFIX-NNNN.params`, and `PREFIX-NNNN.states` if asked for."""
        arguments, states = self._values()
        more: list[FileContent] = []
        if save_optimizer_states:
            more.append((_states_path(prefix, epoch), [self._checked_training().get_states()]))
        path = write_checkpoint(prefix, epoch, self._symbol, arguments, states, remove_amp_cast, *more)
        logging.info('Saved checkpoint to "%s"', path)
        for states_path, _ in more:
            logging.info('Saved optimizer state to "%s"', states_path)

    # ---- what it is

    @property
    def data_names(self) -> list[str]:
        """The names of the inputs."""
        return self._data_names

    @property
    def label_names(self) -> list[str]:
        """The names of the labels."""
        return self._label_names

    @property
    def state_names(self) -> list[str]:
        """The names of the states."""
        return self._state_names

    @property
    def output_names(self) -> list[str]:
        """The outputs' names."""
        return self._symbol.list_outputs()

    @property
    def data_shapes(self) -> list[DataDesc]:
        """The inputs that are bound."""
        self._require_bound("data_shapes")
        return self._data_shapes

    @property
    def label_shapes(self) -> list[DataDesc] | None:
        """The labels that are bound, `None` if there are none."""
        self._require_bound("label_shapes")
        return self._label_shapes

    @property
    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """The outputs' names and shapes."""
        self._require_bound("output_shapes")
        return list(zip(self.output_names, self._output_shapes, strict=True))

    # ---- binding

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
        """Take descriptions of inputs and labels: `DataDesc`, or pairs of name and shape.

        `shared_module` shares its parameters and their gradients. `grad_req` says what becomes of gradients
        of parameters, and of inputs if these need them: "write", "add" or "null", or such words by name.
        """
        if self._stays_bound(force_rebind):
            return
        if inputs_need_grad and not for_training:
            raise RequirementError("Module.bind: for_training=True is required for inputs_need_grad=True.")
        trained = {*self._param_names, *(self._data_names if inputs_need_grad else ())} - {*self._fixed_names}
        requests = gradient_requests(self._symbol, grad_req, trained)
        groups = contexts_of_groups(self._group2ctxs, len(self._contexts))
        self._unbind()
        self.for_training, self._groups = for_training, groups
        self._requests = requests if for_training else {}
        self._take_shapes(data_shapes, label_shapes)
        self.inputs_need_grad, self.binded = inputs_need_grad, True
        if shared_module is not None:
            self._share(shared_module)
            if shared_module.optimizer_initialized:
                self.borrow_optimizer(shared_module)
        elif self.params_initialized:
            values = {**self._parameters.values, **self._fetched()}
            self._store(self._parameters.fit(values, {}, self._specs, "bind"))

    def _unbind(self) -> None:
        """Forget what depends on shapes; parameters stay."""
        self.binded, self._outputs, self._compiled, self._last = False, None, None, None
        self._compiled_steps = {}
        self._executors.clear()
        self._parameters.grads, self._states, self._batch = {}, {}, {}

    def _share(self, other: Module) -> None:
        """Use the parameters of another module, and their gradients."""
        if not (other.binded and other.params_initialized):
            raise RequirementError("Module.bind: a shared_module that is bound and initialized is required.")
        self._parameters.share(other._parameters, self._specs)
        self.params_initialized = True

    def reshape(
        self, data_shapes: Sequence[DescribedBy], label_shapes: Sequence[DescribedBy] | None = None
    ) -> None:
        """Take other shapes; the parameters stay."""
        self._require_bound("reshape")
        self._take_shapes(data_shapes, label_shapes)

    def _take_shapes(self, data_shapes: Sequence[Any], label_shapes: Sequence[Any] | None) -> None:
        data, labels = describe_inputs(self._data_names, self._label_names, data_shapes, label_shapes)
        if self.for_training:
            check_batch_sizes([*data, *labels])
        params: Params = self._parameters.own() if self.params_initialized and self.binded else {}
        specs = {name: Spec(x.shape, as_dtype(x.dtype)) for name, x in params.items()}
        if self.for_training and self._splits():
            sizes_of_batches = [size for d in data if (size := batch_size(d)) is not None]
            split(sizes_of_batches[0] if sizes_of_batches else 1, self._work_load_list)
        binding = bind_shapes(self._symbol, data, labels, specs, self._requests)
        self._data_shapes, self._label_shapes, self._specs, self._storage, self._output_shapes = binding

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
        if self._keeps_params("set_params", force_init):
            return
        values = {**(arg_params or {}), **(aux_params or {})}
        if allow_missing and not allow_extra:
            self._parameters.refuse_extra(values)
        others = self._parameters.values if allow_missing else {}
        self._store(self._parameters.fit(values, others, self._specs, "set_params", allow_missing))

    def _store(self, values: Params) -> None:
        """Copy values into the parameters' arrays."""
        anew = not self.binded
        if self._parameters.store(values, self._specs, self._storage, self._zeros, anew):
            self._executors.clear()
            self._compiled = None
        self.params_initialized = True

    def init_params(
        self,
        initializer: InitializerLike = UNIFORM,
        arg_params: ParamValues = None,
        aux_params: ParamValues = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Give the parameters values: those of `arg_params` and `aux_params`, others by the initializer."""
        if self._keeps_params("init_params", force_init):
            return
        attributes = self._symbol.attr_dict()
        values: Params = {}
        for names, params in ((self._param_names, arg_params), (self._aux_names, aux_params)):
            for name in sorted(names):
                if params is not None and name in params:
                    values[name] = checked(name, params[name], self._specs, "init_params")
                    continue
                if params is not None and not allow_missing:
                    raise RuntimeError(f"Module.init_params: a value of the parameter {name} is required.")
                if initializer is not None:
                    values[name] = self._zeros(name)
                    init: Any = initializer
                    init(InitDesc(name, attributes.get(name)), values[name])
        others = self._parameters.values
        self._store(self._parameters.fit(values, others, self._specs, "init_params", allow_missing=True))

    def get_params(self) -> tuple[Params, Params]:
        """Copies of the values of the parameters and of the auxiliary states, both by name."""
        arguments, states = self._values()
        return {n: _on_host(x) for n, x in arguments.items()}, {n: _on_host(x) for n, x in states.items()}

    def _values(self) -> tuple[Params, Params]:
        """The parameters and the auxiliary states by name, as they are."""
        if not self.params_initialized:
            self._require_params("get_params")
        values = {name: self._zeros(name) for name in self._parameters.open}
        values |= self._parameters.values | self._fetched()
        arguments = {n: values[n] for n in self._param_names if n in values}
        return arguments, {n: values[n] for n in self._aux_names if n in values}

    def _fetched(self) -> Params:
        """All rows of the row-sparse parameters that a store has updated, from the store."""
        store, fetched = self._kvstore, {}
        if store is not None:
            for name in self._parameters.stale.intersection(self._param_names):
                fetched[name] = self._zeros(name)
                store.row_sparse_pull(
                    name, fetched[name], row_ids=arange(fetched[name].shape[0], dtype="int64")
                )
        return fetched

    def _zeros(self, name: str) -> NDArray:
        return zeros_of(self._specs[name], self._place(name), self._storage.of(name))

    def _place(self, name: str, index: int = 0) -> Context:
        """The context of a variable's array, for one of the contexts."""
        return self._in_group(self._words.get(name, ""), index)

    def _in_group(self, word: str, index: int) -> Context:
        """The context of the nodes that have a word as their `ctx_group`, for one of the contexts."""
        return self._groups[index].get(word, self._contexts[index])

    # ---- states

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """The values of the states."""
        self._require_params("get_states")
        states = [self._state(name).copy() for name in self._state_names]
        return states if merge_multi_context else [[x] for x in states]

    def set_states(self, states: Sequence[Arrays] | None = None, value: float | None = None) -> None:
        """Set the states to arrays, alone or in a list each, or all of them to a number."""
        self._require_params("set_states")
        if (states is None) == (value is None):
            raise RequirementError("Module.set_states: either states or value is required.")
        if states is None:
            states = [value] * len(self._state_names)  # type: ignore[list-item]
        for name, state in zip(self._state_names, states, strict=True):
            self._state(name)[:] = state[0] if isinstance(state, list | tuple) else state

    def _state(self, name: str) -> NDArray:
        state = self._states.get(name)
        if state is None or state.shape != self._specs[name].shape:
            state = self._states[name] = self._zeros(name)
            self._executors.clear()
        return state

    # ---- batches

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch; one of other shapes than those bound changes what is bound."""
        self._require_params("forward")
        self._batch = self._bound_arrays(data_batch)
        if self.for_training if is_train is None else is_train:
            self._last = self._executor()
            self._outputs = self._last.forward(is_train=True, **self._batch)
        elif self._monitors or self._storage.any_sparse or any(self._groups):
            self._last = None
            self._outputs = self._executor().forward(is_train=False, **self._batch)
        else:
            self._last = None
            self._outputs = self._predicted()

    def _predicted(self) -> list[NDArray]:
        """The outputs without training, from ONNX Runtime if it can."""
        if self._compiled is None:
            params = self._parameters.own()
            names = [n.name for n in self._symbol.nodes() if n.is_variable and n.name not in params]
            self._inputs, self._compiled = (
                names,
                CompiledGraph(self._symbol, names, params, ctx=self._contexts[0]),
            )
        values = {**{name: self._state(name) for name in self._state_names}, **self._batch}
        with autograd.predict_mode():
            return self._compiled(
                [(values[n] if n in values else self._zeros(n))._near(self._context) for n in self._inputs]
            )

    def _bound_arrays(self, batch: Any) -> Params:
        """The arrays of a batch by name, after binding to their shapes."""
        if not isinstance(getattr(batch, "data", None), list | tuple):
            raise TypeError(f"Module.forward: a DataBatch is required, got {type(batch).__name__}.")
        if len(batch.data) != len(self._data_names):
            raise ValueError(
                f"Module.forward: arrays for {', '.join(self._data_names)} are required, "
                f"got {len(batch.data)} arrays."
            )
        values = [as_array(x) for x in batch.data]
        arrays = {d.name: x for d, x in zip(self._described(batch, values), values, strict=True)}
        label = getattr(batch, "label", None) or ()  # a batch may be of a user's class that has data alone
        arrays |= {d.name: as_array(x) for d, x in zip(self._label_shapes or (), label, strict=False)}
        self._follow(arrays)
        return {name: self._cast(name, value) for name, value in arrays.items() if name in self._specs}

    def _described(self, batch: Any, values: Sequence[NDArray]) -> Sequence[DataDesc]:
        """The inputs in the order of a batch's arrays: that of binding, unless shapes change.

        A batch of other shapes is bound in the order that it describes itself, as in MXNet.
        """
        if [x.shape for x in values] != [tuple(d.shape) for d in self._data_shapes]:
            names = [described(d).name for d in getattr(batch, "provide_data", None) or ()]
            if sorted(names) == sorted(self._data_names):
                return sorted(self._data_shapes, key=lambda d: names.index(d.name))
        return self._data_shapes

    def _follow(self, arrays: Params) -> None:
        """Bind to the shapes of a batch, if they are others. Labels that it does not have follow the data."""

        def described_again(bound: Sequence[DataDesc]) -> list[DataDesc]:
            return [
                DataDesc(d.name, arrays[d.name].shape if d.name in arrays else d.shape, d.dtype, d.layout)
                for d in bound
            ]

        bound = {d.name: d for d in self._data_shapes}
        data = described_again([bound[name] for name in arrays if name in bound])
        labels = described_again([d for d in self._label_shapes or () if d.name in arrays])
        if data != self._data_shapes or (labels and labels != self._label_shapes):
            bound_labels = self._label_shapes
            self._take_shapes(data, labels)
            if bound_labels and not labels:
                self._label_shapes = [
                    DataDesc(d.name, sizes(self._specs[d.name].shape or ()), d.dtype, d.layout)
                    for d in bound_labels
                    if d.name in self._specs
                ]

    def _cast(self, name: str, value: NDArray) -> NDArray:
        dtype: Any = self._specs[name].dtype
        return value if as_dtype(value.dtype) == dtype else value.astype(dtype)

    def _executor(self) -> Executor | SplitExecutor:
        """The executor for the shapes that are bound."""
        self._close()
        for name in self._state_names:
            self._state(name)
        key = tuple(
            self._specs[name].shape for name in (*self._data_names, *self._label_names) if name in self._specs
        )
        executor = self._executors.pop(key, None)
        if executor is None:
            executor = self._make_split() if self._splits() else self._make_executor()
        self._executors[key] = executor
        if len(self._executors) > _MOST_EXECUTORS:
            self._executors.popitem(last=False)
        return executor

    def _close(self) -> None:
        """Make zeros of the parameters that were left open, but for labels, before they are trained."""
        params = self._parameters
        missing = params.open - params.labels() if params.open else params.open
        if missing:
            self._store({name: self._zeros(name) for name in missing})
            params.open -= missing

    def _splits(self) -> bool:
        return len(self._contexts) > 1 and not self._state_names

    def _slices(self) -> list[slice]:
        """The part of the batch for each context."""
        return split(self._batch_size(), self._work_load_list)

    def _make_split(self) -> SplitExecutor:
        """An executor for each context, with arrays of its own for inputs, labels and auxiliary states."""
        described_inputs = {d.name: d for d in (*self._data_shapes, *(self._label_shapes or ()))}
        inputs = {name: d for name, d in described_inputs.items() if name in self._specs}
        states = {name: self._parameters.values[name] for name in self._aux_names}
        slices, parts = self._slices(), []
        for i, rows in enumerate(slices):
            arrays = {
                name: zeros_of(
                    _part_of(self._specs[name], d, rows), self._place(name, i), self._storage.of(name)
                )
                for name, d in inputs.items()
            }
            own_states = {n: x.copyto(self._place(n, i)) for n, x in states.items()}
            parts.append(self._make_executor(i, arrays, own_states))
        return SplitExecutor(parts, slices, inputs, states)

    def _make_executor(
        self,
        index: int = 0,
        inputs: Mapping[str, NDArray] = MappingProxyType({}),
        own_states: Mapping[str, NDArray] | None = None,
    ) -> Executor:
        """An executor with arrays of its own for inputs and labels, and the module's for everything else.

        The arguments are for one of several contexts; all but the first add their gradients to what is there.
        """
        arguments = {
            n: inputs[n] if n in inputs else self._shared(self._argument(n), n, index)
            for n in self._symbol.list_arguments()
        }
        requests = {n: word for n, word in self._requests.items() if n not in self._parameters.open}
        gradients = {
            n: zeros_of(
                Spec(inputs[n].shape, as_dtype(inputs[n].dtype)),
                inputs[n].context,
                self._storage.of_gradient(n),
            )
            if n in inputs
            else self._shared(self._gradient(n), n, index)
            for n in requests
        }
        states = own_states or {n: self._parameters.values[n] for n in self._aux_names}
        words = {n: requests.get(n, "null") for n in arguments}
        if index and share_memory(self._contexts[0], self._contexts[index]):
            words = {n: "add" if w == "write" and n not in inputs else w for n, w in words.items()}
        ctx, groups = self._contexts[index], self._groups[index]
        runner = None if self._storage.any_sparse else self._runner(ctx)
        executor = bind(self._symbol, ctx, arguments, gradients, words, states, runner, groups)
        for monitor in self._monitors:
            monitor.install(executor)
        return executor

    def _shared(self, array: NDArray, name: str, index: int) -> NDArray:
        """The array of a variable, for another context its memory; for another device a copy."""
        place = self._place(name, index)
        if not index or array.stype != "default":
            return array
        if not share_memory(array.context, place):
            return array.copyto(place)
        return NDArray._on_tape(array._data, place, None)

    def _runner(self, ctx: Context) -> Runner | None:
        """What computes the outputs on a context: no method, as executors would keep what keeps them."""
        return partial(_run, self._symbol, self._compiled_steps, ctx)

    def _argument(self, name: str) -> NDArray:
        if name in self._state_names:
            return self._state(name)
        params = self._parameters
        has_value = name in self._param_names and name not in params.open
        return params.values[name] if has_value else self._zeros(name)

    def _gradient(self, name: str) -> NDArray:
        grads = self._parameters.grads
        if name in grads:
            return grads[name]
        gradient = zeros_of(self._specs[name], self._place(name), self._storage.of_gradient(name))
        if name in self._param_names:
            grads[name] = gradient
        return gradient

    def backward(self, out_grads: Arrays | None = None) -> None:
        """Compute the gradients of the last batch, from those of the outputs unless these are losses."""
        self._require_params("backward")
        if not self.for_training:
            raise RequirementError(
                "Module.backward: a module bound with for_training=True is required. Bind it again."
            )
        if self._outputs is None:
            raise RequirementError("Module.backward: outputs are required. Call forward first.")
        used = self._symbol.list_arguments()
        missing = [name for name in self._label_names if name in used and name not in self._batch]
        if missing and out_grads is None:
            raise RequirementError(
                f"Module.backward: the label {missing[0]} is required, which the last batch or the shapes "
                "that are bound lack. Give forward a DataBatch with a label."
            )
        if self._last is None:  # the outputs are those of a prediction
            self._last = self._executor()
            self._last.forward(is_train=False, **self._batch)
        self._last.backward(out_grads)

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """The outputs of the last batch; without merging each in a list, one for each context."""
        self._require_params("get_outputs")
        if self._outputs is None:
            raise MXNetError("Module.get_outputs: outputs are required. Call forward first.")
        if merge_multi_context:
            return list(self._outputs)
        if isinstance(self._last, SplitExecutor):
            return self._last.split_outputs()
        slices = self._slices() if self._splits() else [slice(None)]
        words = [entry.node.attrs.get("__ctx_group__", "") for entry in self._symbol.outputs]
        return [
            [y[rows].as_in_context(self._in_group(word, i)) for i, rows in enumerate(slices)]
            for word, y in zip(words, self._outputs, strict=True)
        ]

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """The gradients of the inputs; without merging each in a list, one for each context."""
        self._require_params("get_input_grads")
        self._require_input_grads("get_input_grads")
        if self._last is None:
            raise RequirementError("Module.get_input_grads: gradients are required. Call backward first.")
        if isinstance(self._last, SplitExecutor) and not merge_multi_context:
            return [[x.copy() for x in self._last.split_gradients(d.name)] for d in self._data_shapes]
        gradients = self._last.grad_dict
        copies = [x if x is None else x.copy() for x in (gradients[d.name] for d in self._data_shapes)]
        return copies if merge_multi_context else [[x] for x in copies]

    def update_metric(
        self,
        eval_metric: EvalMetric,
        labels: Any,
        pre_sliced: bool = False,
    ) -> None:
        """Take the outputs of the last batch and its labels into a metric."""
        outputs = dict(zip(self.output_names, self.get_outputs(), strict=True))
        if pre_sliced:
            labels = labels[0]
        names = [d.name for d in self._label_shapes or ()]
        eval_metric.update_dict(dict(zip(names, labels or (), strict=False)), outputs)

    def prepare(self, data_batch: DataBatch, sparse_row_id_fn: RowIds = None) -> None:
        """Fetch rows of row-sparse parameters, which a batch needs, from the store that updates them.

        `sparse_row_id_fn(data_batch)` gives the indices of the rows by the names of the parameters. Rows that
        are not named become zero here and stay as they are in the store. A module that updates its parameters
        itself has all of them, and warns.
        """
        self._require_bound("prepare")
        if sparse_row_id_fn is None:
            return
        if self._kvstore is None:
            warnings.warn(
                "Parameters are not updated in the KVStore. No need to call sparse_row_id_fn.", stacklevel=2
            )
            return
        weights = {n: x for n, x in self._parameters.values.items() if n in self._param_names}
        self._parameters.stale |= fetch_rows(self._kvstore, sparse_row_id_fn(data_batch), weights)

    # ---- training

    def init_optimizer(
        self,
        kvstore: KVStore | str | None = "local",
        optimizer: Optimizer | str = "sgd",
        optimizer_params: OptimizerParams = RATE,
        force_init: bool = False,
    ) -> None:
        """Take an optimizer, or make one by name that divides gradients by the batch size.

        A `KVStore` keeps the weights and updates them; "local" and "device" are as good as `None`.
        """
        if self._keeps_optimizer(force_init):
            return
        self._close()
        self._training = Training(self._symbol, self._param_names, self._parameters.values, kvstore)
        self._training.optimize(optimizer, optimizer_params, self._batch_size(), self._compression_params)
        self.optimizer_initialized = True
        if self._states_path is not None:
            self.load_optimizer_states(self._states_path)
            self._states_path = None

    def _batch_size(self) -> int:
        return next((size for d in self._data_shapes if (size := batch_size(d)) is not None), 1)

    def borrow_optimizer(self, shared_module: Module) -> None:
        """Update by the optimizer of another module, whose parameters are shared."""
        shared_module._require_optimizer("borrow_optimizer")
        self._training = shared_module._training
        self.optimizer_initialized = True

    # ---- names that users' code reads, though they are MXNet's own

    @property
    def _optimizer(self) -> Any:
        return None if self._training is None else self._training.optimizer

    @property
    def _updater(self) -> Any:
        return None if self._training is None or self._training.store else self._training.updater

    @property
    def _kvstore(self) -> KVStore | None:
        return None if self._training is None else self._training.store

    @property
    def _update_on_kvstore(self) -> bool | None:
        return None if self._training is None else self._training.store is not None

    @property
    def _arg_params(self) -> Params | None:
        return self._values()[0] if self.params_initialized else None

    @property
    def _aux_params(self) -> Params | None:
        return self._values()[1] if self.params_initialized else None

    @property
    def _params_dirty(self) -> bool:
        return False  # there is one copy of them

    @property
    def _exec_group(self) -> DataParallelExecutorGroup | None:
        return DataParallelExecutorGroup(self) if self.binded else None

    def update(self) -> None:
        """Update the parameters by their gradients."""
        self._require_params("update")
        self._require_optimizer("update")
        assert self._training is not None
        grads, values = self._parameters.grads, self._parameters.values
        names = [n for n in self._param_names if n in grads and n in self._requests]
        self._training.update([(name, grads[name], values[name]) for name in names])
        if self._training.store is not None:
            self._parameters.stale.update(name for name in names if values[name].stype == "row_sparse")

    def save_optimizer_states(self, fname: str) -> None:
        """Write the optimizer's states as a file of arrays; not MXNet's pickle."""
        write_atomically(fname, [self._checked_training().get_states()])

    def _checked_training(self) -> Training:
        self._require_optimizer("save_optimizer_states")
        assert self._training is not None
        return self._training

    def load_optimizer_states(self, fname: str) -> None:
        """Continue from what `save_optimizer_states` wrote, here or in MXNet."""
        self._require_optimizer("load_optimizer_states")
        assert self._training is not None
        self._training.load_states(fname)

    def install_monitor(self, mon: Monitor) -> None:
        """Let a monitor watch what is computed; predictions run on an executor from now on."""
        self._require_bound("install_monitor")
        self._monitors.append(mon)
        for executor in self._executors.values():
            for part in executor.parts if isinstance(executor, SplitExecutor) else [executor]:
                mon.install(part)


def _run(
    symbol: Symbol, steps: dict[Any, CompiledGraph], ctx: Context, values: Mapping[str, NDArray]
) -> list[NDArray]:
    """The outputs on a context, by its graph of `steps`, with sessions for the shapes of all variables."""
    graph = steps.get(device_of(ctx))
    if graph is None:
        graph = steps[device_of(ctx)] = CompiledGraph(symbol, list(values), {}, static_shape=True, ctx=ctx)
    return graph(list(values.values()))


def _on_host(x: NDArray) -> NDArray:
    return x.copyto(cpu())


def _part_of(spec: Spec, d: DataDesc, rows: slice) -> Spec:
    """What is known of a part of an input."""
    axis, shape = DataDesc.get_batch_axis(d.layout), spec.shape or ()
    return (
        spec if axis < 0 else spec._replace(shape=(*shape[:axis], rows.stop - rows.start, *shape[axis + 1 :]))
    )


def _states_path(prefix: str, epoch: int) -> str:
    return f"{os.fspath(prefix)}-{int(epoch):04d}.states"
