"""`Module`: a symbol bound to shapes, with parameters and an optimizer, called with batches."""

from __future__ import annotations

import logging
import os
import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from .. import autograd
from ..context import Context, as_context
from ..dtypes import as_dtype
from ..errors import MXNetError, RequirementError, ShapeError, suggest
from ..initializer import InitDesc
from ..io import DataBatch, DataDesc, described
from ..metric import EvalMetric
from ..model import load_checkpoint, save_checkpoint
from ..ndarray.creation import array, zeros
from ..ndarray.ndarray import NDArray
from ..ops import Spec, known, show, without_symbols
from ..runtime.compile import CompiledGraph
from ..symbol.executor import Executor, bind
from ..symbol.graph import Entry
from ..symbol.infer import infer
from ..symbol.symbol import Symbol
from ._training import Training
from .base_module import RATE, UNIFORM, BaseModule, Given, OptimizerParams, Params

_MOST_EXECUTORS = 8


class Module(BaseModule):
    """A symbol whose variables are inputs (`data_names`), labels (`label_names`), states, and parameters.

    After `bind`, and `init_params` or `set_params`, `forward` takes batches of any size. Training and
    predictions run in ONNX Runtime; operators that ONNX cannot express run on their kernels, and so does
    everything while a monitor watches. Of several contexts the first computes whole batches.
    """

    def __init__(
        self,
        symbol: Symbol,
        data_names: Sequence[str] | None = ("data",),
        label_names: Sequence[str] | None = ("softmax_label",),
        logger: Any = logging,
        context: Context | Sequence[Context] | None = None,
        work_load_list: object = None,
        fixed_param_names: Sequence[str] | None = None,
        state_names: Sequence[str] | None = None,
        group2ctxs: object = None,
        compression_params: Any = None,
    ) -> None:
        super().__init__(logger)
        self._symbol: Symbol = symbol
        self._context = as_context(context[0] if isinstance(context, list | tuple) else context)
        self._data_names = list(data_names or ())
        self._label_names = list(label_names or ())
        self._state_names = list(state_names or ())
        self._fixed_names = list(fixed_param_names or ())
        self._check_names(self._data_names, "data_names", required=True)
        self._check_names(self._label_names, "label_names", required=False)
        self._check_names(self._state_names, "state_names", required=True)
        self._check_names(self._fixed_names, "fixed_param_names", required=True)
        given = {*self._data_names, *self._label_names, *self._state_names}
        self._param_names = [name for name in symbol.list_arguments() if name not in given]
        self._aux_names = symbol.list_auxiliary_states()
        self._compression_params = compression_params
        self._data_shapes: list[DataDesc] = []
        self._label_shapes: list[DataDesc] | None = None
        self._specs: dict[str, Spec] = {}
        self._output_shapes: list[tuple[int, ...]] = []
        self._params: Params = {}
        self._grads: Params = {}
        self._states: Params = {}
        self._requests: dict[str, str] = {}
        self._executors: OrderedDict[Any, Executor] = OrderedDict()
        self._compiled: CompiledGraph | None = None
        self._compiled_steps: CompiledGraph | None = None
        self._fed: Params = {}
        self._last: Executor | None = None
        self._outputs: list[NDArray] | None = None
        self._training: Training | None = None
        self._states_path: str | None = None
        self._monitors: list[Any] = []

    def _check_names(self, names: Sequence[str], what: str, required: bool) -> None:
        known_names = self._symbol.list_arguments()
        for name in names:
            if name not in known_names:
                told = (
                    f"Module: names of the symbol's arguments are required in {what}, got {name!r}."
                    f"{suggest(name, known_names)}"
                )
                if required:
                    raise ValueError(told)
                warnings.warn(told, stacklevel=3)

    @staticmethod
    def load(prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any) -> Module:
        """A module of a checkpoint, its parameters set; it is to be bound yet.

        The optimizer's states are read when the optimizer is made.
        """
        symbol, arguments, states = load_checkpoint(prefix, epoch)
        made = Module(symbol, **kwargs)
        made._params = {**arguments, **states}
        made.params_initialized = True
        if load_optimizer_states:
            made._states_path = _states_path(prefix, epoch)
        return made

    def save_checkpoint(
        self, prefix: str, epoch: int, save_optimizer_states: bool = False, remove_amp_cast: bool = True
    ) -> None:
        """Write `PREFIX-symbol.json`, `PREFIX-NNNN.params`, and `PREFIX-NNNN.states` if asked for."""
        arguments, states = self._values()
        save_checkpoint(prefix, epoch, self._symbol, arguments, states, remove_amp_cast)
        if save_optimizer_states:
            path = _states_path(prefix, epoch)
            self.save_optimizer_states(path)
            logging.info('Saved optimizer state to "%s"', path)

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
        data_shapes: Sequence[Any],
        label_shapes: Sequence[Any] | None = None,
        for_training: bool = True,
        inputs_need_grad: bool = False,
        force_rebind: bool = False,
        shared_module: Module | None = None,
        grad_req: Any = "write",
    ) -> None:
        """Take descriptions of inputs and labels: `DataDesc`, or pairs of name and shape.

        `shared_module` shares its parameters and their gradients. `grad_req` says what becomes of gradients
        of parameters, and of inputs if these need them: "write", "add" or "null", or such words by name.
        """
        if self._stays_bound(force_rebind):
            return
        if inputs_need_grad and not for_training:
            raise RequirementError("Module.bind: for_training=True is required for inputs_need_grad=True.")
        requests = self._requested(grad_req, for_training, inputs_need_grad)
        self._unbind()
        self.for_training = for_training
        self._take_shapes(data_shapes, label_shapes)
        self._requests, self.inputs_need_grad, self.binded = requests, inputs_need_grad, True
        if shared_module is not None:
            self._share(shared_module)
            if shared_module.optimizer_initialized:
                self.borrow_optimizer(shared_module)
        elif self.params_initialized:
            self._store(self._fitted(self._params, {}, "bind"))

    def _unbind(self) -> None:
        """Forget what depends on shapes; parameters stay."""
        self.binded, self._outputs, self._compiled, self._last = False, None, None, None
        self._compiled_steps = None
        self._executors.clear()
        self._grads, self._states, self._fed = {}, {}, {}

    def _requested(self, grad_req: Any, for_training: bool, inputs_need_grad: bool) -> dict[str, str]:
        """What to do with the gradient of each argument; words by name are for fixed parameters too."""
        names = self._symbol.list_arguments()
        wanted = {*self._param_names, *(self._data_names if inputs_need_grad else ())} - {*self._fixed_names}
        if isinstance(grad_req, str):
            found = dict.fromkeys(wanted, grad_req)
        elif isinstance(grad_req, Mapping):
            told = {name: word for name, word in grad_req.items() if name in names}
            found = {**dict.fromkeys(wanted, "write"), **told}
        elif not isinstance(grad_req, list | tuple):
            raise ValueError(
                "Module.bind: a word, a list of words or a dict of them by name is required as grad_req, "
                f"got {grad_req!r}."
            )
        elif len(grad_req) != len(names):
            raise RequirementError(
                f"Module.bind: a word for each of {', '.join(names)} is required in grad_req, "
                f"got {len(grad_req)}."
            )
        else:
            found = dict(zip(names, grad_req, strict=True))
        strange = [word for word in found.values() if word not in ("write", "add", "null")]
        if strange:
            raise MXNetError(f"Module.bind: write, add or null is required as grad_req, got {strange[0]!r}.")
        if not for_training:
            return {}
        return {name: word for name, word in found.items() if word != "null"}

    def _share(self, other: Module) -> None:
        """Use the parameters of another module, and their gradients."""
        if not (other.binded and other.params_initialized):
            raise RequirementError("Module.bind: a shared_module that is bound and initialized is required.")
        for name in (*self._param_names, *self._aux_names):
            held = other._params.get(name)
            if held is None and name not in other._open:
                raise RequirementError(f"Module.bind: shared_module has no parameter {name}.")
            if held is not None and held.shape != self._specs[name].shape:
                raise ShapeError(
                    f"Module.bind: shape {show(self._specs[name].shape)} is required for {name}, "
                    f"shared_module has {show(held.shape)}."
                )
        self._params, self._grads, self._open = other._params, other._grads, other._open
        self.params_initialized = True

    def reshape(self, data_shapes: Sequence[Any], label_shapes: Sequence[Any] | None = None) -> None:
        """Take other shapes; the parameters stay."""
        self._require_bound("reshape")
        self._take_shapes(data_shapes, label_shapes)

    def _take_shapes(self, data_shapes: Sequence[Any], label_shapes: Sequence[Any] | None) -> None:
        data = [described(d) for d in data_shapes]
        labels = [described(d) for d in label_shapes or ()]
        if sorted(d.name for d in data) != sorted(self._data_names):
            raise ValueError(
                f"Module: shapes of {', '.join(self._data_names)} are required as data_shapes, "
                f"got {', '.join(d.name for d in data) or 'none'}."
            )
        strange = [d.name for d in labels if d.name not in self._label_names]
        if strange:
            raise ValueError(
                f"Module: shapes of {', '.join(self._label_names) or 'no labels'} are possible in "
                f"label_shapes, got {strange[0]}."
            )
        if self.for_training:
            _check_batch_sizes([*data, *labels])
        data.sort(key=lambda d: self._data_names.index(d.name))
        specs, outputs = self._inferred(data, labels)
        self._data_shapes, self._label_shapes = data, labels or None
        self._specs, self._output_shapes = specs, outputs

    def _inferred(
        self, data: Sequence[DataDesc], labels: Sequence[DataDesc]
    ) -> tuple[dict[str, Spec], list[tuple[int, ...]]]:
        """The specs of all variables, and the outputs' shapes."""
        used = self._symbol.list_arguments()
        told = {d.name: Spec(tuple(d.shape), as_dtype(d.dtype)) for d in (*data, *labels) if d.name in used}
        if self.params_initialized and self.binded:
            own = (*self._param_names, *self._aux_names)
            held = {name: self._params[name] for name in own if name in self._params}
            told |= {name: Spec(x.shape, x._data.dtype) for name, x in held.items()}
        found = infer(self._symbol, told)
        variables = {n.name: found[Entry(n, 0)] for n in self._symbol.nodes() if n.is_variable}
        incomplete = [name for name, spec in variables.items() if not known(spec.shape)]
        if incomplete:
            raise ShapeError(f"Module: the shapes of {', '.join(incomplete[:10])} are required.")
        outputs = [found[entry].shape for entry in self._symbol.outputs]
        return variables, [tuple(d or 0 for d in without_symbols(shape) or ()) for shape in outputs]

    # ---- parameters

    _open: frozenset[str] = frozenset()
    """Parameters that were not given, such as labels: zeros, of the shape that a batch asks for."""

    def set_params(
        self,
        arg_params: Given,
        aux_params: Given,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Take the values of parameters and auxiliary states by name."""
        if self._keeps_params("set_params", force_init):
            return
        given = {**(arg_params or {}), **(aux_params or {})}
        if allow_missing and not allow_extra:
            self._refuse_extra(given)
        kept = self._params if allow_missing else {}
        self._store(self._fitted(given, kept, "set_params", allow_missing))

    def _refuse_extra(self, given: Mapping[str, NDArray]) -> None:
        names = [*self._param_names, *self._aux_names]
        extra = [name for name in given if name not in names]
        if extra:
            raise ValueError(
                f"Module.set_params: {extra[0]} is no parameter of the symbol.{suggest(extra[0], names)} "
                "allow_extra=True passes over others."
            )

    def _fitted(
        self, given: Mapping[str, NDArray], kept: Params, owner: str, allow_missing: bool = False
    ) -> Params:
        """The values that fit their shapes; others are left open if they may be missing."""
        found: Params = {}
        missing = set()
        labels = self._label_inputs()
        for name in (*self._param_names, *self._aux_names):
            if name in given:
                found[name] = self._checked(name, given[name], owner)
            elif name in kept:
                found[name] = kept[name]
            elif allow_missing or name in labels:
                missing.add(name)
            else:
                raise RuntimeError(
                    f"Module.{owner}: a value of the parameter {name} is required.{suggest(name, given)} "
                    "allow_missing=True passes over those that are missing."
                )
        self._open = frozenset(missing)
        return found

    def _label_inputs(self) -> set[str]:
        """The variables that only training uses."""
        found = set()
        for node in self._symbol.nodes():
            if not node.is_variable and node.op.labels:
                for entry, name in zip(node.inputs, node.op.input_names(), strict=False):
                    if entry.node.is_variable and name in node.op.labels:
                        found.add(entry.node.name)
        return found

    def _checked(self, name: str, given: Any, owner: str) -> NDArray:
        value = _as_array(given)
        if value.shape != self._specs[name].shape:
            raise ShapeError(
                f"Module.{owner}: shape {show(self._specs[name].shape)} is required for {name}, "
                f"got {show(value.shape)}."
            )
        return value

    def _store(self, values: Params) -> None:
        """Copy values into the parameters' arrays, which executors and other modules use as well."""
        for name, value in values.items():
            held, dtype = self._params.get(name), self._specs[name].dtype
            if held is None or held.shape != value.shape or held._data.dtype != dtype or not self.binded:
                self._params[name] = array(value, self._context, dtype)
                self._executors.clear()
                self._compiled = None
            elif held is not value:
                with autograd.pause():
                    held[:] = value.as_in_context(held.context)
        self.params_initialized = True

    def init_params(
        self,
        initializer: Any = UNIFORM,
        arg_params: Given = None,
        aux_params: Given = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Give the parameters values: those that are given, others by the initializer."""
        if self._keeps_params("init_params", force_init):
            return
        attributes = self._symbol.attr_dict()
        values: Params = {}
        for names, given in ((self._param_names, arg_params), (self._aux_names, aux_params)):
            for name in sorted(names):
                if given is not None and name in given:
                    values[name] = self._checked(name, given[name], "init_params")
                    continue
                if given is not None and not allow_missing:
                    raise RuntimeError(f"Module.init_params: a value of the parameter {name} is required.")
                if initializer is not None:
                    values[name] = self._zeros(name)
                    initializer(InitDesc(name, attributes.get(name)), values[name])
        self._store(self._fitted(values, self._params, "init_params", allow_missing=True))

    def get_params(self) -> tuple[Params, Params]:
        """Copies of the values of the parameters and of the auxiliary states, both by name."""
        arguments, states = self._values()
        return {n: x.copy() for n, x in arguments.items()}, {n: x.copy() for n, x in states.items()}

    def _values(self) -> tuple[Params, Params]:
        """The parameters and the auxiliary states by name, as they are."""
        if not self.params_initialized:
            self._require_params("get_params")
        told = {**{name: self._zeros(name) for name in self._open}, **self._params}
        arguments = {n: told[n] for n in self._param_names if n in told}
        return arguments, {n: told[n] for n in self._aux_names if n in told}

    def _zeros(self, name: str) -> NDArray:
        spec = self._specs[name]
        return zeros(spec.shape, self._context, spec.dtype)

    # ---- states

    def get_states(self, merge_multi_context: bool = True) -> list[Any]:
        """The values of the states."""
        self._require_params("get_states")
        found = [self._state(name).copy() for name in self._state_names]
        return found if merge_multi_context else [[x] for x in found]

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the states to arrays, alone or in a list each, or all of them to a number."""
        self._require_params("set_states")
        if (states is None) == (value is None):
            raise RequirementError("Module.set_states: either states or value is required.")
        if states is None:
            states = [value] * len(self._state_names)
        for name, given in zip(self._state_names, states, strict=True):
            self._state(name)[:] = given[0] if isinstance(given, list | tuple) else given

    def _state(self, name: str) -> NDArray:
        held = self._states.get(name)
        if held is None or held.shape != self._specs[name].shape:
            held = self._states[name] = self._zeros(name)
            self._executors.clear()
        return held

    # ---- batches

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch; one of other shapes than those bound changes what is bound."""
        self._require_params("forward")
        self._fed = self._taken(data_batch)
        if self.for_training if is_train is None else is_train:
            self._last = self._executor()
            self._outputs = self._last.forward(is_train=True, **self._fed)
        elif self._monitors:
            self._last = None
            self._outputs = self._executor().forward(is_train=False, **self._fed)
        else:
            self._last = None
            self._outputs = self._predicted()

    def _predicted(self) -> list[NDArray]:
        """The outputs without training, from ONNX Runtime if it can."""
        if self._compiled is None:
            own = (*self._param_names, *self._aux_names)
            held = {name: self._params[name] for name in own if name in self._params}
            names = [n.name for n in self._symbol.nodes() if n.is_variable and n.name not in held]
            self._inputs, self._compiled = names, CompiledGraph(self._symbol, names, held)
        given = {**{name: self._state(name) for name in self._state_names}, **self._fed}
        with autograd.predict_mode():
            return self._compiled([given[n] if n in given else self._zeros(n) for n in self._inputs])

    def _taken(self, batch: Any) -> Params:
        """The arrays of a batch by name, after binding to their shapes."""
        if not isinstance(getattr(batch, "data", None), list | tuple):
            raise TypeError(f"Module.forward: a DataBatch is required, got {type(batch).__name__}.")
        if len(batch.data) != len(self._data_names):
            raise ValueError(
                f"Module.forward: arrays for {', '.join(self._data_names)} are required, "
                f"got {len(batch.data)} arrays."
            )
        names = [described(d).name for d in batch.provide_data or ()]
        order = names if sorted(names) == sorted(self._data_names) else [d.name for d in self._data_shapes]
        given = {name: _as_array(x) for name, x in zip(order, batch.data, strict=True)}
        labels = [d for d in self._label_shapes or () if batch.label]
        given |= {d.name: _as_array(x) for d, x in zip(labels, batch.label or (), strict=False)}
        self._follow(given)
        return {name: self._cast(name, value) for name, value in given.items() if name in self._specs}

    def _follow(self, given: Params) -> None:
        """Bind to the shapes of a batch, if they are others. Labels that it does not have follow the data."""

        def described_again(bound: Sequence[DataDesc]) -> list[DataDesc]:
            return [
                DataDesc(d.name, given[d.name].shape if d.name in given else d.shape, d.dtype, d.layout)
                for d in bound
            ]

        data = described_again(self._data_shapes)
        labels = described_again([d for d in self._label_shapes or () if d.name in given])
        if data != self._data_shapes or (labels and labels != self._label_shapes):
            kept = self._label_shapes
            self._take_shapes(data, labels)
            if kept and not labels:
                self._label_shapes = [
                    DataDesc(d.name, self._specs[d.name].shape, d.dtype, d.layout)
                    for d in kept
                    if d.name in self._specs
                ]

    def _cast(self, name: str, value: NDArray) -> NDArray:
        dtype: Any = self._specs[name].dtype
        return value if value._data.dtype == dtype else value.astype(dtype)

    def _executor(self) -> Executor:
        """The executor for the shapes that are bound."""
        self._close()
        for name in self._state_names:
            self._state(name)
        key = tuple(
            self._specs[name].shape for name in (*self._data_names, *self._label_names) if name in self._specs
        )
        found = self._executors.pop(key, None) or self._made()
        self._executors[key] = found
        if len(self._executors) > _MOST_EXECUTORS:
            self._executors.popitem(last=False)
        return found

    def _close(self) -> None:
        """Make zeros of the parameters that were left open, but for labels, before they are trained."""
        opened = self._open - self._label_inputs() if self._open else self._open
        if opened:
            self._store({name: self._zeros(name) for name in opened})
            self._open -= opened

    def _made(self) -> Executor:
        """An executor with arrays of its own for inputs and labels, and the module's for everything else."""
        arguments = {n: self._argument(n) for n in self._symbol.list_arguments()}
        requests = {n: word for n, word in self._requests.items() if n not in self._open}
        gradients = {n: self._gradient(n) for n in requests}
        states = {n: self._params[n] for n in self._aux_names}
        words = {n: requests.get(n, "null") for n in arguments}
        made = bind(self._symbol, self._context, arguments, gradients, words, states, self._run)
        for monitor in self._monitors:
            monitor.install(made)
        return made

    def _run(self, values: Mapping[str, NDArray]) -> list[NDArray]:
        """The outputs in ONNX Runtime, with sessions for the shapes of all variables."""
        if self._compiled_steps is None:
            self._compiled_steps = CompiledGraph(self._symbol, list(values), {}, static_shape=True)
        return self._compiled_steps(list(values.values()))

    def _argument(self, name: str) -> NDArray:
        if name in self._state_names:
            return self._state(name)
        return (
            self._params[name] if name in self._param_names and name not in self._open else self._zeros(name)
        )

    def _gradient(self, name: str) -> NDArray:
        if name not in self._param_names:
            return self._zeros(name)
        if name not in self._grads:
            self._grads[name] = self._zeros(name)
        return self._grads[name]

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients of the last batch, from those of the outputs unless these are losses."""
        self._require_params("backward")
        if not self.for_training:
            raise RequirementError(
                "Module.backward: a module bound with for_training=True is required. Bind it again."
            )
        if self._outputs is None:
            raise RequirementError("Module.backward: outputs are required. Call forward first.")
        used = self._symbol.list_arguments()
        missing = [name for name in self._label_names if name in used and name not in self._fed]
        if missing and out_grads is None:
            raise RequirementError(
                f"Module.backward: the label {missing[0]} is required, which the last batch or the shapes "
                "that are bound lack. Give forward a DataBatch with a label."
            )
        if self._last is None:  # the outputs are those of a prediction
            self._last = self._executor()
            self._last.forward(is_train=False, **self._fed)
        self._last.backward(out_grads)

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """The outputs of the last batch; without merging each in a list, one for each context."""
        self._require_params("get_outputs")
        if self._outputs is None:
            raise MXNetError("Module.get_outputs: outputs are required. Call forward first.")
        return list(self._outputs) if merge_multi_context else [[y] for y in self._outputs]

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """The gradients of the inputs; without merging each in a list, one for each context."""
        self._require_params("get_input_grads")
        self._require_input_grads("get_input_grads")
        if self._last is None:
            raise RequirementError("Module.get_input_grads: gradients are required. Call backward first.")
        gradients = self._last.grad_dict
        found = [x if x is None else x.copy() for x in (gradients[name] for name in self._data_names)]
        return found if merge_multi_context else [[x] for x in found]

    def update_metric(self, eval_metric: EvalMetric, labels: Any, pre_sliced: bool = False) -> None:
        """Take the outputs of the last batch and its labels into a metric."""
        outputs = dict(zip(self.output_names, self.get_outputs(), strict=True))
        if pre_sliced:
            labels = labels[0]
        names = [d.name for d in self._label_shapes or ()]
        eval_metric.update_dict(dict(zip(names, labels or (), strict=False)), outputs)

    # ---- training

    def init_optimizer(
        self,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: OptimizerParams = RATE,
        force_init: bool = False,
    ) -> None:
        """Take an optimizer, or make one by name that divides gradients by the batch size.

        A `KVStore` keeps the weights and updates them; "local" and "device" are as good as `None`.
        """
        if self._keeps_optimizer(force_init):
            return
        self._close()
        self._training = Training(self._symbol, self._param_names, self._params, kvstore)
        self._training.optimize(optimizer, optimizer_params, self._batch_size(), self._compression_params)
        self.optimizer_initialized = True
        if self._states_path is not None:
            self.load_optimizer_states(self._states_path)
            self._states_path = None

    def _batch_size(self) -> int:
        return next((size for d in self._data_shapes if (size := _batch_size(d)) is not None), 1)

    def borrow_optimizer(self, shared_module: Module) -> None:
        """Update by the optimizer of another module, whose parameters are shared."""
        shared_module._require_optimizer("borrow_optimizer")
        self._training = shared_module._training
        self.optimizer_initialized = True

    @property
    def _optimizer(self) -> Any:
        return None if self._training is None else self._training.optimizer

    def update(self) -> None:
        """Update the parameters by their gradients."""
        self._require_params("update")
        self._require_optimizer("update")
        assert self._training is not None
        own = [n for n in self._param_names if n in self._grads and n in self._requests]
        self._training.update([(name, self._grads[name], self._params[name]) for name in own])

    def save_optimizer_states(self, fname: str) -> None:
        """Write the optimizer's states as a file of arrays; not MXNet's pickle."""
        self._require_optimizer("save_optimizer_states")
        assert self._training is not None
        self._training.save_states(fname)

    def load_optimizer_states(self, fname: str) -> None:
        """Continue from what `save_optimizer_states` wrote."""
        self._require_optimizer("load_optimizer_states")
        assert self._training is not None
        self._training.load_states(fname)

    def install_monitor(self, mon: Any) -> None:
        """Let a monitor watch what is computed; predictions run on an executor from now on."""
        self._require_bound("install_monitor")
        self._monitors.append(mon)
        for executor in self._executors.values():
            mon.install(executor)


def _check_batch_sizes(described_arrays: Sequence[DataDesc]) -> None:
    """Refuse inputs and labels of different numbers of rows."""
    sizes = [(d, size) for d in described_arrays if (size := _batch_size(d)) is not None]
    for d, size in sizes:
        if size != sizes[0][1]:
            raise RequirementError(
                f"Module: all data must have the same batch size: {sizes[0][1]} of {sizes[0][0].name}, "
                f"but {d.name} has shape {d.shape}."
            )


def _batch_size(d: DataDesc) -> int | None:
    axis = DataDesc.get_batch_axis(d.layout)
    return d.shape[axis] if 0 <= axis < len(d.shape) else None


def _states_path(prefix: str, epoch: int) -> str:
    return f"{os.fspath(prefix)}-{int(epoch):04d}.states"


def _as_array(value: Any) -> NDArray:
    return value if isinstance(value, NDArray) else array(value)
