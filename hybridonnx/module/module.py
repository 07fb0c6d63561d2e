"""`Module` for prediction with checkpoints: bind, set parameters, feed batches."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from .. import autograd
from ..context import Context, as_context, cpu
from ..dtypes import as_dtype
from ..errors import FormatError, MXNetError, ShapeError, suggest
from ..initializer import InitDesc, Uniform
from ..io import DataBatch, DataDesc, DataIter, described
from ..model import load_checkpoint
from ..ndarray.creation import array, zeros
from ..ndarray.files import load, save
from ..ndarray.ndarray import NDArray
from ..ops._registry import Spec
from ..ops._shapes import known, show
from ..runtime.compile import CompiledGraph
from ..symbol._graph import Entry
from ..symbol.infer import infer
from ..symbol.symbol import Symbol

_Params = dict[str, NDArray]
_UNIFORM = Uniform(0.01)


class Module:
    """A symbol whose variables are inputs (`data_names`), labels (`label_names`), and parameters.

    After `bind`, and `set_params` or `init_params`, `forward` takes batches of any size. Graphs run in ONNX
    Runtime, those that ONNX cannot express on the kernels. Modules do not train: use `gluon.Trainer`, or an
    executor of `Symbol.simple_bind`.
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
        compression_params: object = None,
    ) -> None:
        self.symbol = symbol
        self.logger = logger
        self._context = as_context(context[0] if isinstance(context, list | tuple) else context)
        self.data_names = list(data_names or ())
        self.label_names = list(label_names or ())
        self.state_names = list(state_names or ())
        self._check_names(self.data_names, "data_names", required=True)
        self._check_names(self.label_names, "label_names", required=False)
        given = {*self.data_names, *self.label_names, *self.state_names}
        self._param_names = [name for name in symbol.list_arguments() if name not in given]
        self._aux_names = symbol.list_auxiliary_states()
        self.binded = self.params_initialized = self.for_training = False
        self.inputs_need_grad = self.optimizer_initialized = False
        self._data_shapes: list[DataDesc] = []
        self._label_shapes: list[DataDesc] | None = None
        self._specs: dict[str, Spec] = {}
        self._output_shapes: list[tuple[int, ...]] = []
        self._params: _Params = {}
        self._compiled: CompiledGraph | None = None
        self._outputs: list[NDArray] | None = None

    def _check_names(self, names: Sequence[str], what: str, required: bool) -> None:
        known_names = self.symbol.list_arguments()
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
        """A module of a checkpoint, its parameters set; it is to be bound yet."""
        if load_optimizer_states:
            _refuse("Module.load", "load_optimizer_states=False")
        symbol, arguments, states = load_checkpoint(prefix, epoch)
        made = Module(symbol, **kwargs)
        made._params = {**arguments, **states}
        made.params_initialized = True
        return made

    def save_checkpoint(
        self, prefix: str, epoch: int, save_optimizer_states: bool = False, remove_amp_cast: bool = True
    ) -> None:
        """Write `PREFIX-symbol.json` and `PREFIX-NNNN.params`."""
        if save_optimizer_states:
            _refuse("Module.save_checkpoint", "save_optimizer_states=False")
        self.symbol.save(f"{os.fspath(prefix)}-symbol.json", remove_amp_cast=remove_amp_cast)
        path = f"{os.fspath(prefix)}-{int(epoch):04d}.params"
        self.save_params(path)
        logging.info('Saved checkpoint to "%s"', path)

    # ---- what it is

    @property
    def output_names(self) -> list[str]:
        """The outputs' names."""
        return self.symbol.list_outputs()

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

    def _require_bound(self, what: str) -> None:
        if not self.binded:
            raise MXNetError(f"Module.{what}: a bound module is required. Call bind first.")

    def _require_params(self, what: str) -> None:
        self._require_bound(what)
        if not self.params_initialized:
            raise MXNetError(f"Module.{what}: parameters are required. Call set_params or init_params first.")

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
        """Take descriptions of inputs and labels: `DataDesc`, or pairs of name and shape."""
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        if inputs_need_grad:
            _refuse("Module.bind", "inputs_need_grad=False")
        self._take_shapes(data_shapes, label_shapes)
        self.for_training, self.binded = for_training, True
        if shared_module is not None and shared_module.params_initialized:
            self._params, self.params_initialized = shared_module._params, True
        if self.params_initialized:
            self._params = self._fitted(self._params, {}, "bind")

    def reshape(self, data_shapes: Sequence[Any], label_shapes: Sequence[Any] | None = None) -> None:
        """Take other shapes; the parameters stay."""
        self._require_bound("reshape")
        self._take_shapes(data_shapes, label_shapes)

    def _take_shapes(self, data_shapes: Sequence[Any], label_shapes: Sequence[Any] | None) -> None:
        data = [described(d) for d in data_shapes]
        labels = [described(d) for d in label_shapes or ()]
        if sorted(d.name for d in data) != sorted(self.data_names):
            raise ValueError(
                f"Module: shapes of {', '.join(self.data_names)} are required as data_shapes, "
                f"got {', '.join(d.name for d in data) or 'none'}."
            )
        strange = [d.name for d in labels if d.name not in self.label_names]
        if strange:
            raise ValueError(
                f"Module: shapes of {', '.join(self.label_names) or 'no labels'} are possible in "
                f"label_shapes, got {strange[0]}."
            )
        data.sort(key=lambda d: self.data_names.index(d.name))
        specs, outputs = self._inferred(data, labels)
        self._data_shapes, self._label_shapes = data, labels or None
        self._specs, self._output_shapes = specs, outputs

    def _inferred(
        self, data: Sequence[DataDesc], labels: Sequence[DataDesc]
    ) -> tuple[dict[str, Spec], list[tuple[int, ...]]]:
        """The specs of all variables, and the outputs' shapes."""
        used = self.symbol.list_arguments()
        told = {d.name: Spec(tuple(d.shape), as_dtype(d.dtype)) for d in (*data, *labels) if d.name in used}
        if self.params_initialized and self.binded:
            told |= {name: Spec(x.shape, x._data.dtype) for name, x in self._params.items()}
            for name in self._open:
                told.pop(name, None)
        found = infer(self.symbol, told)
        variables = {n.name: found[Entry(n, 0)] for n in self.symbol.nodes() if n.is_variable}
        incomplete = [name for name, spec in variables.items() if not known(spec.shape)]
        if incomplete:
            raise ShapeError(f"Module: the shapes of {', '.join(incomplete[:10])} are required.")
        outputs = [found[entry].shape for entry in self.symbol.outputs]
        return variables, [tuple(d or 0 for d in shape or ()) for shape in outputs]

    # ---- parameters

    _open: frozenset[str] = frozenset()
    """Parameters that were not given, such as labels: zeros, of the shape that a batch asks for."""

    def set_params(
        self,
        arg_params: Mapping[str, NDArray] | None,
        aux_params: Mapping[str, NDArray] | None,
        allow_missing: bool = False,
        force_init: bool = True,
        allow_extra: bool = False,
    ) -> None:
        """Take the values of parameters and auxiliary states by name."""
        self._require_bound("set_params")
        if self.params_initialized and not force_init:
            warnings.warn(
                "Parameters already initialized and force_init=False. set_params call ignored.", stacklevel=2
            )
            return
        given = {**(arg_params or {}), **(aux_params or {})}
        if allow_missing and not allow_extra:
            self._refuse_extra(given)
        kept = self._params if allow_missing else {}
        self._params = self._fitted(given, kept, "set_params", allow_missing)
        self.params_initialized, self._compiled = True, None

    def _refuse_extra(self, given: Mapping[str, NDArray]) -> None:
        names = [*self._param_names, *self._aux_names]
        extra = [name for name in given if name not in names]
        if extra:
            raise ValueError(
                f"Module.set_params: {extra[0]} is no parameter of the symbol.{suggest(extra[0], names)} "
                "allow_extra=True passes over others."
            )

    def _fitted(
        self, given: Mapping[str, NDArray], kept: _Params, owner: str, allow_missing: bool = False
    ) -> _Params:
        """Copies of the values, in the dtypes that are bound; zeros for those that may be missing."""
        found: _Params = {}
        missing = set()
        labels = self._label_inputs()
        for name in (*self._param_names, *self._aux_names):
            if name in given:
                found[name] = self._converted(name, given[name], owner)
            elif name in kept and name not in self._open:
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
        for node in self.symbol.nodes():
            if not node.is_variable and node.op.labels:
                for entry, name in zip(node.inputs, node.op.input_names(), strict=False):
                    if entry.node.is_variable and name in node.op.labels:
                        found.add(entry.node.name)
        return found

    def _converted(self, name: str, value: NDArray, owner: str) -> NDArray:
        spec = self._specs[name]
        if value.shape != spec.shape:
            raise ShapeError(
                f"Module.{owner}: shape {show(spec.shape)} is required for {name}, got {show(value.shape)}."
            )
        return array(value, self._context, spec.dtype)

    def init_params(
        self,
        initializer: Any = _UNIFORM,
        arg_params: Mapping[str, NDArray] | None = None,
        aux_params: Mapping[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_init: bool = False,
        allow_extra: bool = False,
    ) -> None:
        """Draw the parameters' values, but for those that are given."""
        self._require_bound("init_params")
        if self.params_initialized and not force_init:
            warnings.warn(
                "Parameters already initialized and force_init=False. init_params call ignored.", stacklevel=2
            )
            return
        attributes = self.symbol.attr_dict()
        values = {**(arg_params or {}), **(aux_params or {})}
        if arg_params is not None or aux_params is not None:
            missing = [n for n in (*self._param_names, *self._aux_names) if n not in values]
            if missing and not allow_missing:
                raise RuntimeError(f"Module.init_params: a value of the parameter {missing[0]} is required.")
        for name in (*self._param_names, *self._aux_names):
            if name not in values and initializer is not None:
                spec = self._specs[name]
                values[name] = zeros(spec.shape, self._context, spec.dtype)
                initializer(InitDesc(name, attributes.get(name)), values[name])
        self.set_params(values, None, allow_missing=True, allow_extra=True)

    def get_params(self) -> tuple[_Params, _Params]:
        """The values of the parameters and of the auxiliary states, both by name."""
        if not self.params_initialized:
            self._require_params("get_params")
        told = {**{name: self._zeros(name) for name in self._open}, **self._params}
        arguments = {n: told[n] for n in self._param_names if n in told}
        return arguments, {n: told[n] for n in self._aux_names if n in told}

    def save_params(self, fname: str) -> None:
        """Write the parameters as `arg:…` and `aux:…`."""
        arguments, states = self.get_params()
        values = {f"arg:{name}": value.as_in_context(cpu()) for name, value in arguments.items()}
        values |= {f"aux:{name}": value.as_in_context(cpu()) for name, value in states.items()}
        save(fname, values)

    def load_params(self, fname: str) -> None:
        """Set the parameters from such a file."""
        loaded = load(fname)
        kinds: dict[str, _Params] = {"arg": {}, "aux": {}}
        for name, value in loaded.items() if isinstance(loaded, dict) else [("", x) for x in loaded]:
            kind, _, rest = name.partition(":")
            if kind not in kinds or not rest:
                raise FormatError(f"{fname}: names that start with arg: or aux: are required, got {name!r}.")
            kinds[kind][rest] = value
        self.set_params(kinds["arg"], kinds["aux"])

    def _zeros(self, name: str) -> NDArray:
        spec = self._specs[name]
        return zeros(spec.shape, self._context, spec.dtype)

    # ---- prediction

    def forward(self, data_batch: DataBatch, is_train: bool | None = None) -> None:
        """Compute the outputs of a batch; one of other shapes than those bound changes what is bound."""
        self._require_params("forward")
        arrays = self._taken(data_batch)
        training = self.for_training if is_train is None else is_train
        compiled = self._compiled or self._compile()
        with autograd.train_mode() if training else autograd.predict_mode():
            self._outputs = compiled(arrays)

    def _compile(self) -> CompiledGraph:
        self._compiled = CompiledGraph(self.symbol, self._inputs(), self._params)
        return self._compiled

    def _inputs(self) -> list[str]:
        """The variables that every call gives: data, labels and what else is no parameter."""
        return [n.name for n in self.symbol.nodes() if n.is_variable and n.name not in self._params]

    def _taken(self, batch: Any) -> list[NDArray]:
        """The arrays of a batch in the order of the inputs, after binding to their shapes."""
        if not isinstance(getattr(batch, "data", None), list | tuple):
            raise TypeError(f"Module.forward: a DataBatch is required, got {type(batch).__name__}.")
        if len(batch.data) != len(self.data_names):
            raise ValueError(
                f"Module.forward: arrays for {', '.join(self.data_names)} are required, "
                f"got {len(batch.data)} arrays."
            )
        names = [described(d).name for d in batch.provide_data or ()]
        order = names if sorted(names) == sorted(self.data_names) else [d.name for d in self._data_shapes]
        given = {name: _as_array(x) for name, x in zip(order, batch.data, strict=True)}
        labels = [d for d in self._label_shapes or () if batch.label]
        given |= {d.name: _as_array(x) for d, x in zip(labels, batch.label or (), strict=False)}
        self._follow(given)
        values = {name: self._cast(name, value) for name, value in given.items() if name in self._specs}
        return [values[name] if name in values else self._zeros(name) for name in self._inputs()]

    def _follow(self, given: Mapping[str, NDArray]) -> None:
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

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """The outputs of the last batch; without merging each in a list, one for each context."""
        self._require_params("get_outputs")
        if self._outputs is None:
            raise MXNetError("Module.get_outputs: outputs are required. Call forward first.")
        return list(self._outputs) if merge_multi_context else [[y] for y in self._outputs]

    def iter_predict(
        self,
        eval_data: DataIter,
        num_batch: int | None = None,
        reset: bool = True,
        sparse_row_id_fn: object = None,
    ) -> Iterator[tuple[list[NDArray], int, DataBatch]]:
        """The outputs, number and batch of each batch, without padding."""
        self._require_params("iter_predict")
        if reset:
            eval_data.reset()
        for number, batch in enumerate(eval_data):
            if number == num_batch:
                return
            self.forward(batch, is_train=False)
            pad = batch.pad or 0
            yield [y[: y.shape[0] - pad] for y in self.get_outputs()], number, batch

    def predict(
        self,
        eval_data: Any,
        num_batch: int | None = None,
        merge_batches: bool = True,
        reset: bool = True,
        always_output_list: bool = False,
        sparse_row_id_fn: object = None,
    ) -> Any:
        """The outputs of an array, or of all batches of an iterator, one after another."""
        self._require_params("predict")
        if isinstance(eval_data, NDArray | np.ndarray):
            self.forward(DataBatch([_as_array(eval_data)]), is_train=False)
            return self.get_outputs()[0]
        if not isinstance(eval_data, DataIter):
            raise ValueError(
                f"Module.predict: an NDArray or a DataIter is required, got {type(eval_data).__name__}."
            )
        batches = [outputs for outputs, _, _ in self.iter_predict(eval_data, num_batch, reset)]
        if not batches or not merge_batches:
            return batches
        merged = [
            array(np.concatenate([y.asnumpy() for y in parts]), dtype=parts[0].dtype)
            for parts in zip(*batches, strict=True)
        ]
        return merged[0] if len(merged) == 1 and not always_output_list else merged

    # ---- training, which there is not

    def __getattr__(self, name: str) -> NoReturn:
        if name in _TRAINING:
            _refuse(f"Module.{name}", "prediction")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def prepare(self, data_batch: DataBatch, sparse_row_id_fn: object = None) -> None:
        """Nothing: there is nothing to fetch before a batch."""


_TRAINING = frozenset(
    "backward borrow_optimizer fit forward_backward get_input_grads init_optimizer install_monitor "
    "load_optimizer_states save_optimizer_states update".split()
)


def _refuse(owner: str, required: str) -> NoReturn:
    raise MXNetError(
        f"{owner}: {required} is required, as modules do not train. Train with gluon.Trainer, for "
        "instance on SymbolBlock.imports of the checkpoint, or with the executor of Symbol.simple_bind."
    )


def _as_array(value: Any) -> NDArray:
    return value if isinstance(value, NDArray) else array(value)
