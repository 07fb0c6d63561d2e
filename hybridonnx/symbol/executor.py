"""A symbol bound to arrays: `Executor`, and the functions behind `Symbol.bind` and `simple_bind`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from importlib import import_module
from math import prod
from typing import Any

from ..autograd.gradients import write_gradients
from ..autograd.scopes import pause, record
from ..autograd.tape import Leaf
from ..context import Context, as_context, share_memory
from ..dtypes import as_dtype
from ..errors import MXNetError, ShapeError, suggest
from ..ndarray.creation import array, zeros_of
from ..ndarray.ndarray import NDArray
from ..ops import Spec, show, sizes
from ..ops import known as known_shape
from ._variables import check_storage
from .compose import Outputs
from .execute import execute
from .graph import Entry
from .infer import Specs, infer, open_shape
from .storage import storage_types
from .watched import WatchedOperator, shown

__all__ = ["Executor"]


_REQUESTS = ("write", "add", "null")
_GROUP = "__ctx_group__"

Runner = Callable[[Mapping[str, NDArray]], list[NDArray]]
"""Computes a symbol's outputs from an array for each variable by name, and records if `autograd` does."""


class Executor:
    """A symbol, an array for each of its variables, and the outputs and gradients computed from them.

    The arrays are the caller's own: what is written into them is used by the next `forward`, and `backward`
    writes into the gradient arrays as `grad_req` says. The first call runs operator by operator, from the
    second on ONNX Runtime runs the graph; a `runner` runs all. It is for one thread at a time: bind the
    symbol for each.
    """

    def __init__(
        self,
        symbol: Any,
        ctx: Context | None,
        arguments: Sequence[NDArray],
        gradients: Sequence[NDArray | None],
        requests: Sequence[str],
        states: Sequence[NDArray],
        runner: Runner | None = None,
        groups: Mapping[str, Context] | None = None,
    ) -> None:
        self._symbol = symbol
        self._groups = groups or {}
        """The contexts of the nodes' groups, where outputs are said to be."""
        self._runner = runner
        self._calls = 0
        self._recorded_arrays: dict[str, NDArray] = {}
        """The arrays that gradients are for, as the tape has them."""
        self._ctx = as_context(ctx)
        self._names = symbol.list_arguments()
        self._state_names = symbol.list_auxiliary_states()
        self._requests = list(requests)
        self.arg_arrays = list(arguments)
        self.grad_arrays = list(gradients)
        self.aux_arrays = list(states)
        self._recorded: list[NDArray] | None = None
        self._outputs: list[NDArray] | None = None
        self._watcher: tuple[Callable[[str, NDArray], Any], bool] | None = None
        self._recorded_names: dict[Any, str] = {}
        """The names of the graph's nodes by those of the tape, while somebody watches."""

    def __repr__(self) -> str:
        return f"<Executor of {self._symbol!r}>"

    # ---- arrays by name

    @property
    def arg_dict(self) -> dict[str, NDArray]:
        """The arguments' arrays by name."""
        return _by_name(self._names, self.arg_arrays)

    @property
    def grad_dict(self) -> dict[str, NDArray | None]:
        """The arrays that receive gradients, by argument; `None` for arguments without one."""
        return _by_name(self._names, self.grad_arrays)

    @property
    def aux_dict(self) -> dict[str, NDArray]:
        """The auxiliary states' arrays by name."""
        return _by_name(self._state_names, self.aux_arrays)

    @property
    def output_dict(self) -> dict[str, NDArray]:
        """The outputs of the last `forward` by name."""
        return _by_name(self._symbol.list_outputs(), self.outputs)

    @property
    def outputs(self) -> list[NDArray]:
        """The outputs of the last `forward`; zeros before the first."""
        if self._outputs is None:
            values = self._values()
            specs = infer(self._symbol, {name: _spec(value) for name, value in values.items()})
            kinds = storage_types(self._symbol, specs, {n: x.stype for n, x in values.items()}, ()).outputs
            outputs = [specs[entry] for entry in self._symbol.outputs]
            self._outputs = [
                zeros_of(spec, self._ctx, kind) for spec, kind in zip(outputs, kinds, strict=True)
            ]
        return self._outputs

    def _values(self) -> dict[str, NDArray]:
        return dict(
            zip([*self._names, *self._state_names], [*self.arg_arrays, *self.aux_arrays], strict=True)
        )

    # ---- execution

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Compute the outputs, after copying arrays given by argument name into those that are bound."""
        arguments = self.arg_dict if kwargs else {}
        for name, value in kwargs.items():
            if name not in arguments:
                raise TypeError(f"Executor.forward: no argument is named {name!r}.{suggest(name, arguments)}")
            source = value if isinstance(value, NDArray) else array(value)
            _copy(name, source, arguments[name])
        self._recorded = None
        self._outputs = self._run(is_train, self._differentiates and (is_train or self._draws))
        return self._outputs

    @property
    def _differentiates(self) -> bool:
        return any(request != "null" for request in self._requests)

    @cached_property
    def _draws(self) -> bool:
        """Whether a prediction draws: `backward` then needs what was drawn."""
        nodes = self._symbol.nodes()
        return any(not node.is_variable and node.op.in_mode(False).draws() for node in nodes)

    def _run(self, is_train: bool, recording: bool) -> list[NDArray]:
        """The outputs as arrays of their own; when recording, they are saved for `backward`."""
        values = self._values()
        if recording:
            values = {name: self._on_tape(name, value) for name, value in values.items()}
        scope = record if recording else pause
        with scope(train_mode=is_train):
            outputs = self._computed(values)
        if recording:
            self._recorded = outputs
        elsewhere = self._ctx if self._groups else None
        return [
            _on(self._groups.get(entry.node.attrs.get(_GROUP, ""), elsewhere or y._ctx), y)
            for y, entry in zip(outputs, self._symbol.outputs, strict=True)
        ]

    def _on_tape(self, name: str, value: NDArray) -> NDArray:
        """The array of a variable as the tape has it: with the gradient that it is bound to, or none."""
        index = self._places.get(name, -1)
        gradient = None if index < 0 or self._requests[index] == "null" else self.grad_arrays[index]
        known = self._recorded_arrays.get(name) if value.stype == "default" else None
        if known is not None and known._data is value._data and known.grad is gradient:
            return known
        array = value.detach()
        if gradient is not None:
            array._leaf = Leaf(gradient, self._requests[index])
            array._entry = (array._leaf, 0)
        self._recorded_arrays[name] = array
        return array

    @cached_property
    def _places(self) -> dict[str, int]:
        """The numbers of the arguments by name."""
        return {name: i for i, name in enumerate(self._names)}

    def _computed(self, values: Mapping[str, NDArray]) -> list[NDArray]:
        if self._watcher is not None:
            return self._watched(values, *self._watcher)
        self._calls += 1
        if self._runner is None and self._calls > 1 and all(x.stype == "default" for x in values.values()):
            self._runner = _compiled(self._symbol, list(values), self._ctx)
        if self._runner is not None and values:
            return self._runner(values)
        return execute(self._symbol, values, self._ctx)

    def set_monitor_callback(
        self, callback: Callable[[str, NDArray], Any], monitor_all: bool = False
    ) -> None:
        """Show the outputs of every operator to `callback(name, array)`, with `monitor_all` its inputs too.

        `forward` then computes operator by operator, and `backward` shows the gradients of each operator's
        inputs: `NAME_backward_output`, with a number if there are several.
        """
        self._watcher = callback, monitor_all

    def _watched(
        self, values: Mapping[str, NDArray], callback: Callable[[str, NDArray], Any], monitor_all: bool
    ) -> list[NDArray]:
        """The outputs, after showing every operator's arrays."""
        nodes = self._symbol.nodes()
        entries = [Entry(node, i) for node in nodes for i in range(1 if node.is_variable else node.count())]
        arrays = dict(zip(entries, execute(Outputs(entries), values, self._ctx), strict=True))
        self._recorded_names = {
            x._entry[0]: entry.node.name
            for entry, x in arrays.items()
            if x._entry and not entry.node.is_variable
        }
        for node in [node for node in nodes if not node.is_variable]:
            for name, entry in shown(node, monitor_all):
                callback(name, arrays[entry].detach())
        return [arrays[entry] for entry in self._symbol.outputs]

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Compute the gradients of the arguments from those of the outputs, by default ones, of any dtype."""
        if self._recorded is None:
            self._run(is_train=False, recording=True)
        heads = self._recorded or []
        if out_grads is not None and not isinstance(out_grads, list | tuple | dict):
            out_grads = [out_grads]
        if isinstance(out_grads, dict):
            out_grads = [out_grads.get(name) for name in self._symbol.list_outputs()]
        if out_grads is not None and len(out_grads) < len(heads):
            raise MXNetError(
                f"Executor.backward: {len(heads)} gradients of outputs are required, got {len(out_grads)}."
            )
        for gradient, request in zip(self.grad_arrays, self._requests, strict=True):
            if gradient is not None and request == "write":
                gradient._clear()  # what the outputs do not depend on has none
        gradients = out_grads or [None] * len(heads)  # more than there are heads do not count
        known = [
            (head, None if gradient is None else gradient._near(head.context).astype(head.dtype, copy=False))
            for head, gradient in zip(heads, gradients, strict=False)
            if head._entry
        ]
        if known:
            operator = None if self._watcher is None else self._watched_operator
            write_gradients([h for h, _ in known], [g for _, g in known], True, is_train, operator)

    def _watched_operator(self, recorded: Any) -> Any:
        """The operator of a node of the tape, whose gradients are shown as they are computed."""
        name = self._recorded_names.get(recorded)
        if name is None or self._watcher is None:
            return recorded.op
        return WatchedOperator(recorded.op, name, self._watcher[0])

    # ---- other arrays

    def copy_params_from(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Copy arrays by name into those of the arguments and auxiliary states."""
        groups = (
            (arg_params, self.arg_dict, "argument"),
            (aux_params or {}, self.aux_dict, "auxiliary state"),
        )
        for params, targets, what in groups:
            for name, value in params.items():
                if name in targets:
                    _copy(name, value, targets[name])
                elif not allow_extra_params:
                    raise ValueError(
                        f"Executor.copy_params_from: no {what} is named {name!r}.{suggest(name, targets)} "
                        "allow_extra_params=True passes over others."
                    )

    def reshape(
        self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any
    ) -> Executor:
        """An executor for other shapes of the data, on the same memory where the arrays do not grow.

        So a smaller batch has the first values of the larger one. Without `partial_shaping` only the named
        arguments may change, and without `allow_up_sizing` they may not grow.
        """
        known = {name: Spec(open_shape(shape)) for name, shape in kwargs.items()}
        for name, value in self._values().items():
            spec = known.get(name)
            known[name] = Spec(spec.shape if spec else None, as_dtype(value.dtype))
        specs = _specs(self._symbol, infer(self._symbol, known), "Executor.reshape")
        arguments, gradients = [], []
        for name, spec, old, gradient in zip(
            self._names, specs[: len(self._names)], self.arg_arrays, self.grad_arrays, strict=True
        ):
            if spec.shape != old.shape:
                _may_change(name, spec, old, name in kwargs or partial_shaping, allow_up_sizing)
            arguments.append(_fitting(old, spec, self._ctx))
            gradients.append(None if gradient is None else _fitting(gradient, spec, self._ctx))
        states = [
            _fitting(old, spec, self._ctx)
            for old, spec in zip(self.aux_arrays, specs[len(self._names) :], strict=True)
        ]
        bound = arguments, gradients, self._requests, states
        return Executor(self._symbol, self._ctx, *bound, self._runner, self._groups)

    def get_optimized_symbol(self) -> Any:
        """The symbol that is executed, as a copy: what ONNX Runtime makes of it is no symbol."""
        return copy(self._symbol)

    def debug_str(self) -> str:
        """The graph as text for people, and how much memory all that operators compute takes."""
        known = {name: _spec(value) for name, value in self._values().items()}
        specs = infer(self._symbol, known, partial=True)
        computed = [spec for entry, spec in specs.items() if not entry.node.is_variable]
        size = sum(s.bytes({}) for s in computed if s.dtype and known_shape(s.shape))
        text: str = self._symbol.debug_str()
        return f"{text}Total {size >> 20} MB allocated\nTotal 0 TempSpace resource requested\n"


def _compiled(symbol: Any, names: Sequence[str], ctx: Context) -> Runner:
    """What runs a graph in ONNX Runtime, which stands above this module."""
    package = __package__.partition(".")[0]
    graph: Any = import_module(f"{package}.runtime.compile").CompiledGraph
    compiled = graph(symbol, names, {}, static_shape=True, ctx=ctx)
    return lambda values: compiled(list(values.values()))


def _on(ctx: Context, value: NDArray) -> NDArray:
    """The same values as an array that is on no tape, said to be on a context."""
    array = value.detach()
    if not share_memory(value.context, ctx):
        return array.as_in_context(ctx)
    array._ctx = ctx
    return array


def _spec(value: NDArray) -> Spec:
    return Spec(value.shape, as_dtype(value.dtype))


def _by_name(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(
            f"Executor: names must differ to be looked up, got {', '.join(twice)} several times. "
            "Use arg_arrays, aux_arrays or outputs, which are lists."
        )
    return dict(zip(names, values, strict=True))


def _copy(name: str, value: NDArray, target: NDArray) -> None:
    if value.shape != target.shape:
        raise ShapeError(
            f"Executor: shape {show(target.shape)} is required for {name}, got {show(value.shape)}. "
            "Use reshape for other shapes."
        )
    with pause():
        target[:] = value.as_in_context(target.context)


def _may_change(name: str, spec: Spec, old: NDArray, allowed: bool, may_grow: bool) -> None:
    message = f"Executor.reshape: the shape of {name} would change from {old.shape} to {spec.shape}."
    if not allowed:
        raise MXNetError(f"{message} Pass partial_shaping=True if that is intended.")
    if _count(spec) > old.size and not may_grow:
        raise MXNetError(f"{message} Pass allow_up_sizing=True to let it grow.")


def _count(spec: Spec) -> int:
    return prod(sizes(spec.shape or ()))


def _fitting(old: NDArray, spec: Spec, ctx: Context) -> NDArray:
    """The array itself, its first elements in another shape, or zeros if there are too few of them."""
    if spec.shape == old.shape:
        return old
    if _count(spec) > old.size or old.stype != "default":
        return zeros_of(spec._replace(dtype=as_dtype(old.dtype)), ctx, old.stype)
    first = old._data.reshape(-1)[: _count(spec)].reshape(sizes(spec.shape or ()))
    return NDArray._on_tape(first, old._ctx, None)


# ---- binding


def bind(
    symbol: Any,
    ctx: Context | None,
    args: Any,
    args_grad: Any,
    grad_req: Any,
    aux_states: Any,
    runner: Runner | None = None,
    groups: Mapping[str, Context] | None = None,
) -> Executor:
    """An executor on the given arrays, listed in order or by name."""
    names = symbol.list_arguments()
    arguments = _listed("args", names, args)
    gradients = _listed("args_grad", names, args_grad, missing=True)
    states = _listed("aux_states", symbol.list_auxiliary_states(), aux_states)
    requests = _requests(names, grad_req)
    requests = [r if g is not None else "null" for r, g in zip(requests, gradients, strict=True)]
    known = {
        name: _spec(value)
        for name, value in zip([*names, *symbol.list_auxiliary_states()], [*arguments, *states], strict=True)
    }
    infer(symbol, known)  # shapes that do not fit raise now, with the node's name
    return Executor(symbol, ctx, arguments, gradients, requests, states, runner, groups)


def simple_bind(
    symbol: Any,
    ctx: Context | None,
    grad_req: Any,
    type_dict: Mapping[str, Any] | None,
    shapes: Mapping[str, Any],
    groups: Mapping[str, Context] | None = None,
    storage: Mapping[str, str] | None = None,
) -> Executor:
    """An executor on new arrays of zeros, in the storage types that the variables say, or else `storage`."""
    names, state_names = symbol.list_arguments(), symbol.list_auxiliary_states()
    types = type_dict or {}
    for name in {**types, **(storage or {})}:
        if name not in names and name not in state_names:
            raise MXNetError(f"simple_bind: no variable is named {name!r}.{suggest(name, names)}")
    shapes = {name: shape for name, shape in shapes.items() if name in names or name in state_names}
    known = {
        name: Spec(
            open_shape(shapes[name]) if name in shapes else None,
            as_dtype(types[name]) if name in types else None,
        )
        for name in {**shapes, **types}
    }
    inferred = infer(symbol, known)
    specs = _specs(symbol, inferred, "simple_bind")
    requests = _requests(names, grad_req)
    asked = [name for name, request in zip(names, requests, strict=True) if request != "null"]
    for name, kind in (storage or {}).items():
        check_storage("simple_bind", name, kind)
    kinds = storage_types(symbol, inferred, storage or {}, asked)
    contexts = groups or {}
    variables = (*symbol._variables(False), *symbol._variables(True))
    arrays = [
        zeros_of(spec, contexts.get(node.attrs.get(_GROUP, ""), ctx), kinds.of(node.name))
        for spec, node in zip(specs, variables, strict=True)
    ]
    arguments, states = arrays[: len(names)], arrays[len(names) :]
    gradients = [
        None if request == "null" else zeros_of(_spec(value), value._ctx, kinds.of_gradient(name))
        for name, value, request in zip(names, arguments, requests, strict=True)
    ]
    return Executor(symbol, ctx, arguments, gradients, requests, states, groups=groups)


def _specs(symbol: Any, specs: Specs, owner: str) -> list[Spec]:
    """The complete specs of the arguments, then of the auxiliary states."""
    complete = [specs[Entry(node, 0)] for node in (*symbol._variables(False), *symbol._variables(True))]
    names = [*symbol.list_arguments(), *symbol.list_auxiliary_states()]
    missing = [n for n, spec in zip(names, complete, strict=True) if spec.shape is None or None in spec.shape]
    if missing:
        raise ShapeError(
            f"{owner}: complete shapes of {', '.join(missing[:10])} are required; nothing else tells them."
        )
    return complete


def _listed(what: str, names: Sequence[str], values: Any, missing: bool = False) -> list[Any]:
    """An array for each name, from a list in order or a dict; `missing` ones become `None`."""
    if values is None:
        values = {}
    if isinstance(values, Mapping):
        absent = [name for name in names if name not in values]
        if absent and not missing:
            raise ValueError(f"bind: an array is required in {what} for {', '.join(absent[:10])}.")
        values = [values.get(name) for name in names]
    arrays = list(values)
    if len(arrays) != len(names):
        raise ValueError(f"bind: {len(names)} arrays are required in {what}, got {len(arrays)}.")
    for name, value in zip(names, arrays, strict=True):
        if not isinstance(value, NDArray) and not (missing and value is None):
            raise TypeError(f"bind: an NDArray is required in {what} as {name}, got {type(value).__name__}.")
    return arrays


def _requests(names: Sequence[str], grad_req: Any) -> list[str]:
    """What to do with each argument's gradient, from one word for all, a list, or a dict."""
    if isinstance(grad_req, str):
        requests = [grad_req] * len(names)
    elif isinstance(grad_req, Mapping):
        requests = [grad_req.get(name, "null") for name in names]
    else:
        requests = list(grad_req)
    if len(requests) != len(names) or any(request not in _REQUESTS for request in requests):
        raise MXNetError(
            f"grad_req: one of {', '.join(_REQUESTS)}, or a list or dict of them for {len(names)} arguments, "
            f"is required, got {grad_req!r}."
        )
    return requests
