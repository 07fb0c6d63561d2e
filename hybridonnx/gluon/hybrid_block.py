"""Blocks that are traced into a graph, which ONNX Runtime compiles."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from .. import ndarray, symbol
from .._collection import no_collection
from .._locks import no_fork
from ..context import Context
from ..dtypes import DTypeLike
from ..errors import AttributeValueError, DeferredInitializationError, MXNetError
from ..formats.files import write_together
from ..ndarray.files import content
from ..ndarray.ndarray import NDArray
from ..runtime.compile import CompiledGraph
from ..symbol.execute import execute
from ..symbol.graph import Entry
from ..symbol.infer import has_scalars
from ..symbol.symbol import Group, Symbol, var
from ..util import is_np_array, is_np_shape, np_shape
from ._parameter import making
from .block import Block
from .nested import Format, flatten, regroup
from .parameter import Constant, Parameter, ParameterDict

_TENSORS = (NDArray, Symbol)


class HybridBlock(Block):
    """A block whose `hybrid_forward(F, x, …, **params)` runs on arrays (F is `nd`) and on symbols (`sym`).

    After `hybridize()` it is traced once, and the graph runs in ONNX Runtime.
    """

    _onnx_outputs: Sequence[str] | None = None
    """What an ONNX file calls the outputs, if something else than the graph tells it."""

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix, params)
        self._active = False
        self._flags: dict[str, Any] = {}
        self._traced: tuple[list[Symbol], Symbol] | None = None
        self._in_format: Format | None = None
        self._out_format: Format | None = None
        self._compiled: dict[Context, CompiledGraph] = {}
        self._computed: list[Parameter] = []  # those that are inputs of the compiled graphs
        self._op_hooks: list[tuple[Callable[..., Any], bool]] = []
        self._parents: weakref.WeakSet[HybridBlock] = weakref.WeakSet()

    def __getstate__(self) -> dict[str, Any]:
        """What copies take over: not what was compiled, nor the blocks that this one is part of."""
        return {**self.__dict__, "_compiled": {}, "_traced": None, "_parents": ()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__dict__["_parents"] = weakref.WeakSet()
        for child in self._children.values():
            child._parents.add(self)  # type: ignore[attr-defined]

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if isinstance(value, HybridBlock | Parameter):
            self._changed()

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Add a child, which must be a HybridBlock too."""
        if not isinstance(block, HybridBlock):
            called = f" '{name}'" if name else ""
            raise ValueError(
                f"Children of HybridBlock must also be HybridBlock, but child{called} {block} of {self.name} "
                f"has type {type(block)}. If you are using Sequential, please try HybridSequential instead."
            )
        super().register_child(block, name)
        block._parents.add(self)
        self._changed()

    # ---- compiling

    def hybridize(
        self,
        active: bool = True,
        backend: str | None = None,
        clear: bool = True,
        static_alloc: bool = False,
        static_shape: bool = False,
        inline_limit: int = 2,
        forward_bulk_size: int | None = None,
        backward_bulk_size: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Compile the block at its next call, or with `active=False` stop doing so.

        `static_alloc` reuses output buffers that nobody holds any more; `static_shape` compiles for each
        input shape on its own, so that more is computed beforehand. With an `inline_limit` below 2 a graph of
        more operators than that is one node for `autograd.get_symbol`. The other options have no effect.
        """
        if backend is not None:
            raise MXNetError(
                f"hybridize: backend None is required, as graphs run in ONNX Runtime, got {backend!r}."
            )
        if static_shape and not static_alloc:
            raise AttributeValueError(
                "hybridize: static_alloc=True is required with static_shape=True, got False."
            )
        self._active = active
        self._flags = {
            "static_alloc": static_alloc,
            "static_shape": static_shape,
            "inline_limit": inline_limit,
        }
        self._clear_cached_op()
        for child in self._children.values():
            child.hybridize(active, **self._flags)

    def optimize_for(self, x: NDArray, *args: NDArray, backend: str | None = None, **kwargs: object) -> None:
        """Refused: there are no backends to choose from. `hybridize()` compiles with ONNX Runtime."""
        if not backend:
            raise ValueError(
                "optimize_for: a backend is required, got none. Use hybridize(), which needs none."
            )
        raise MXNetError(
            f"optimize_for: there is no backend {backend!r}. Use hybridize(), then call the block."
        )

    def register_op_hook(self, callback: Callable[..., object], monitor_all: bool = False) -> None:
        """Call `callback(name, operator, array)` for every operator's output when the block runs hybridized.

        With `monitor_all` also for the inputs, named as in fc1_weight. The graph then runs on the kernels.
        """
        super().register_op_hook(callback, monitor_all)
        self._op_hooks.append((callback, monitor_all))

    def _clear_cached_op(self) -> None:
        """Forget the trace and what was compiled."""
        self.__dict__["_traced"] = None
        self._parameters_replaced()

    def _changed(self) -> None:
        """Forget what was traced and compiled of this block, and of those that it is part of."""
        self._clear_cached_op()
        for parent in tuple(self._parents):
            parent._changed()

    def _parameters_replaced(self) -> None:
        """Forget what was compiled: a parameter has other arrays now."""
        self.__dict__["_compiled"] = {}

    def cast(self, dtype: DTypeLike) -> None:
        """Give all parameters another dtype."""
        self._changed()
        super().cast(dtype)

    # ---- tracing

    @property
    def _cached_graph(self) -> tuple[list[Symbol], Symbol] | tuple[()]:
        """The graph that was traced last, where libraries such as MXBoard look for it; empty before."""
        return self._traced or ()

    def _get_graph(self, *args: Any) -> tuple[list[Symbol], Symbol]:
        """The inputs' variables and the outputs as symbols, traced now if that was not done before."""
        with making, no_fork():
            return self._traced or self._trace(args)

    def _graph_of(self, count: int) -> tuple[list[Symbol], Symbol]:
        """The variables of so many inputs and the outputs as symbols, traced now if they were not before."""
        return self._get_graph(*[NDArray(np.zeros(1, np.float32))] * count)

    def _call_flat(self, inputs: list[NDArray]) -> Any:
        """The outputs for inputs in the order of their variables, whichever way they are nested in a call."""
        return self(*regroup(inputs, self._in_format or [0] * len(inputs)))

    def _trace(self, args: Sequence[Any]) -> tuple[list[Symbol], Symbol]:
        flat, self._in_format = flatten(list(args), "input")
        variables = [self._shown(var(name)) for name in self._input_names(len(flat))]
        params = {name: self._shown(param.var()) for name, param in self._reg_params.items()}
        with self.name_scope():
            out = self.hybrid_forward(symbol, *regroup(variables, self._in_format), **params)
        outputs, self._out_format = flatten(out, "output")
        self._traced = variables, Group(outputs)
        return self._traced

    def _input_names(self, count: int) -> list[str]:
        """What the variables of so many inputs are called."""
        return ["data"] if count == 1 else [f"data{i}" for i in range(count)]

    @staticmethod
    def _shown(value: Any) -> Any:
        """A symbol or an array as `hybrid_forward` sees it: one of mx.np while its semantics are on."""
        return value.as_np_ndarray() if is_np_array() else value

    def infer_shape(self, *args: NDArray | Symbol | None) -> None:
        """Complete the parameters' shapes for inputs like `args`."""
        inputs, out = self._get_graph(*args)
        flat = flatten(list(args), "input")[0]
        shapes = {input_name(v): x.shape for v, x in zip(inputs, flat, strict=True)}
        arguments, _, aux = out.infer_shape(**shapes)
        if arguments is None:
            raise ValueError(
                f"{self.name}: shapes of all parameters are required, and those of the inputs do not tell "
                "them. Give in_units, in_channels and the like."
            )
        known = dict(zip(out.list_arguments(), arguments, strict=True))
        known.update(zip(out.list_auxiliary_states(), aux, strict=True))
        for name, param in self.collect_params().items():
            if name in known:
                param.shape = known[name]

    def infer_type(self, *args: NDArray | Symbol | None) -> None:
        """Set the parameters' dtypes to what inputs like `args` ask for."""
        inputs, out = self._get_graph(*args)
        flat = flatten(list(args), "input")[0]
        types = {input_name(v): x.dtype for v, x in zip(inputs, flat, strict=True)}
        arguments, _, aux = out.infer_type(**types)
        known = dict(zip(out.list_arguments(), arguments, strict=True))
        known.update(zip(out.list_auxiliary_states(), aux, strict=True))
        for name, param in self.collect_params().items():
            if name in known:
                param.dtype = known[name]

    def _values(
        self, params: Mapping[str, Parameter] | ParameterDict, ctx: Context | None, args: Sequence[Any]
    ) -> dict[str, NDArray]:
        """The arrays of parameters of the block, initialized now if they wait for the inputs' shapes."""
        try:
            return {name: param._used(ctx) for name, param in params.items()}
        except DeferredInitializationError:
            self._finish_deferred(args)
            return {name: param._used(ctx) for name, param in params.items()}

    def _finish_deferred(self, args: Sequence[Any]) -> None:
        with making, no_fork():
            try:
                self.infer_shape(*args)
            except MXNetError as exc:
                raise ValueError(
                    f"Deferred initialization failed because shape cannot be inferred for {self.name}. {exc}"
                ) from exc
            for param in self.collect_params().values():
                param._finish_deferred_init()

    def _finish_known(self, graph: Symbol, shapes: Mapping[str, Sequence[int | None]]) -> None:
        """Initialize the parameters that wait for shapes, as far as inputs of free sizes tell them."""
        waiting = {name: p for name, p in self.collect_params().items() if p._deferred_init}
        if not waiting:
            return
        used = set(graph.list_inputs())
        unknown = -1 if is_np_shape() else 0
        inputs = {n: tuple(unknown if d is None else d for d in s) for n, s in shapes.items() if n in used}
        arguments, _, states = graph.infer_shape_partial(**inputs)
        known = dict(zip(graph.list_arguments(), arguments, strict=True))
        known.update(zip(graph.list_auxiliary_states(), states, strict=True))
        for name, param in waiting.items():
            if known.get(name) and all(size > 0 for size in known[name]):
                param.shape = known[name]
                param._finish_deferred_init()

    def _compile(self, ctx: Context, args: Sequence[Any]) -> CompiledGraph:
        """The compiled graph over the present arrays of the parameters on a context."""
        with making, no_fork(), no_collection:
            if ctx in self._compiled:
                return self._compiled[ctx]
            inputs, out = self._get_graph(*args)
            names = {*out.list_arguments(), *out.list_auxiliary_states()} - {input_name(v) for v in inputs}
            every = self.collect_params()
            params = {name: param for name, param in every.items() if name in names}
            self._computed = [param for param in params.values() if param._is_computed]
            if any(param._data is None for param in self._computed):
                self._finish_deferred(args)
            kept = {name: param for name, param in params.items() if not param._is_computed}
            arrays = self._values(kept, ctx, args)
            for param in params.values():
                param._users.add(self)
            self._warn_of_unused(inputs, out, [name for name in every if name not in params])
            feeds = [*map(input_name, inputs), *(param.name for param in self._computed)]
            compiled = CompiledGraph(out, feeds, arrays, **self._flags, ctx=ctx)
            self._compiled[ctx] = compiled
            return compiled

    def _warn_of_unused(self, inputs: Sequence[Symbol], out: Symbol, unused: Sequence[str]) -> None:
        """Warn of inputs, and of parameters, that nothing is computed from."""
        used = set(out.list_inputs())
        for i, variable in enumerate(inputs):
            if input_name(variable) not in used:
                warnings.warn(
                    f"The {i}-th input to HybridBlock is not used by any computation. Is this intended?",
                    stacklevel=6,
                )
        if unused:
            warnings.warn(
                f"Parameter {', '.join(unused)} is not used by any computation. Is this intended?",
                stacklevel=6,
            )

    def _call_compiled(self, ctx: Context, args: Sequence[Any]) -> Any:
        compiled = self._compiled.get(ctx) or self._compile(ctx, args)
        flat = args if self._in_format == [0] and len(args) == 1 else self._flat_inputs(ctx, args)
        if self._op_hooks:
            outputs = self._watched(ctx, flat)
        else:
            outputs = compiled([*flat, *(p.data(ctx) for p in self._computed)] if self._computed else flat)
        if is_np_array() or any(x._as_numpy for x in flat):
            outputs = [y.as_np_ndarray() for y in outputs]
        return outputs[0] if self._out_format == 0 else self._regrouped(outputs)

    def _flat_inputs(self, ctx: Context | None, args: Sequence[Any]) -> list[Any]:
        flat, form = flatten(list(args), "input")
        if form != self._in_format:
            raise ValueError(f"{self.name}: inputs nested as {self._in_format} are required, got {form}.")
        for x in flat:
            if ctx is not None and x.context != ctx:
                raise MXNetError(
                    f"{self.name}: inputs on one context are required, got {ctx} and {x.context}."
                )
        return flat

    def _regrouped(self, outputs: list[NDArray]) -> Any:
        assert self._out_format is not None
        return regroup(outputs, self._out_format)

    def _watched(self, ctx: Context, flat: Sequence[NDArray]) -> list[NDArray]:
        """The outputs, computed on the kernels and shown to the hooks operator by operator."""
        inputs, out = self._get_graph()
        every = out.get_internals()
        params = self.collect_params()
        values = {name: params[name]._used(ctx) for name in every.list_inputs() if name in params}
        values.update((input_name(v), x) for v, x in zip(inputs, flat, strict=True))
        arrays = dict(zip(every.outputs, execute(every, values), strict=True))
        for name, (node, output) in zip(every.list_outputs(), every.outputs, strict=True):
            if node.is_variable:
                continue
            for callback, monitor_all in self._op_hooks:
                if monitor_all and output == 0:
                    for role, entry in zip(node.op.input_names(), node.inputs, strict=True):
                        callback(f"{node.name}_{role}", node.op_name, arrays[entry])
                callback(name, node.op_name, arrays[Entry(node, output)])
        return [arrays[entry] for entry in out.outputs]

    def _graph_entry(self) -> dict[str, Any]:
        if self._traced is None:
            return {"hybridized": False}
        inputs, out = self._traced
        formats = {"in_format": self._in_format, "out_format": self._out_format}
        graphs = {"inputs": [v.tojson() for v in inputs], "symbol": out.tojson()}
        return {**formats, **graphs, "hybridized": True}

    # ---- running

    def forward(self, x: Any, *args: Any) -> Any:
        """Call `hybrid_forward` with the parameters, or the graph compiled from it."""
        first = x if isinstance(x, _TENSORS) else next(iter(_tensors([x, *args])), None)
        if args and len({isinstance(each, NDArray) for each in _tensors([x, *args])}) > 1:
            raise ValueError(
                f"{self.name}: inputs that are all NDArrays or all Symbols are required, got both."
            )
        if isinstance(first, NDArray):
            if self._active:
                return self._call_compiled(first.context, (x, *args))
            with first.context:
                params = self._values(self._reg_params, first.context, (x, *args))
                return self.hybrid_forward(ndarray, x, *args, **params)
        if not isinstance(first, Symbol):
            raise ValueError(
                f"{self.name}: inputs that are NDArrays or Symbols are required, got {type(x).__name__}. "
                "See mx.nd.array."
            )
        variables = {name: self._shown(param.var()) for name, param in self._reg_params.items()}
        with self.name_scope():
            return self.hybrid_forward(symbol, x, *args, **variables)

    def hybrid_forward(self, F: ModuleType, *args: Any, **kwargs: Any) -> Any:
        """The outputs, computed with `F`; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__}: hybrid_forward must be defined.")

    # ---- files

    def export(self, path: str, epoch: int = 0, remove_amp_cast: bool = True) -> tuple[str, str]:
        """Write `path-symbol.json` and `path-NNNN.params` in MXNet's formats; returns both names."""
        if self._traced is None:
            raise RuntimeError(
                "Please first call block.hybridize() and then run forward with this block at least once "
                "before calling export."
            )
        out = self._traced[1]
        symbol_file = f"{path}-symbol.json"
        params_file = f"{path}-{epoch:04d}.params"
        arguments, states = set(out.list_arguments()), set(out.list_auxiliary_states())
        values = {}
        for name, param in self.collect_params().items():
            if name in arguments:
                values[f"arg:{name}"] = param._reduce()
            elif name in states:
                values[f"aux:{name}"] = param._reduce()
        with np_shape(is_np_shape() or has_scalars(out.nodes())):
            graph = (symbol_file, [out.tojson(remove_amp_cast).encode()])
            write_together([(params_file, content(params_file, values)), graph])
        return symbol_file, params_file


def input_name(variable: Symbol) -> str:
    """The name of a variable."""
    return variable.list_outputs()[0]


def _tensors(items: Sequence[Any]) -> list[Any]:
    tensors: list[Any] = []
    for item in items:
        if isinstance(item, list | tuple):
            tensors += _tensors(item)
        elif isinstance(item, _TENSORS):
            tensors.append(item)
    return tensors


__all__ = ["Constant", "HybridBlock"]
