"""A Symbol as a function on arrays, compiled by ONNX Runtime."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import partial
from typing import Any, NamedTuple

from .. import config
from .._locks import new_lock, no_fork
from ..autograd.scopes import state
from ..context import Context, current_context
from ..dtypes import container_of, is_bfloat16
from ..errors import ConversionError
from ..ndarray.ndarray import NDArray
from ..ndarray.watch import Watch
from ..ops import Array, Dim, Spec, SymbolicDim
from ..symbol.infer import infer
from .magnitude import BoundedValues, bounded_values, is_bounded
from .measured import operators_of
from .plan import Plan
from .session import EMPTY_ARRAYS_END_PROCESS

logger = logging.getLogger("hybridonnx")

_FREEZE_AFTER = 4
"""After so many calls without a write parameters are frozen, at first; each write afterwards doubles it."""
_FREEZE_AFTER_AT_MOST = 256
_MOST_SHAPES = 1024
"""How many combinations of shapes a graph remembers."""


class _Variant(IntEnum):
    """What a session takes for granted."""

    OPEN = 0
    """Nothing: parameters are inputs."""
    FROZEN = 1
    """That parameters stay as they are."""
    BOUNDED = 2
    """Also that inputs are bounded, so that some values cannot be NaN."""


_FROZEN, _BOUNDED = _Variant.FROZEN, _Variant.BOUNDED


class _Program(NamedTuple):
    """A session with what it is fed."""

    session: Any
    inputs: list[tuple[str, int]]
    """The inputs that it uses, and which of the arguments they are."""
    parameters: dict[str, Array]
    """The parameters that it takes as inputs."""


_EINSUM = frozenset({"_npi_einsum", "_einsum"})
"""Operators at which every ONNX Runtime up to 1.32 may end if an array has no elements."""
_INLINE_LIMIT = 2
"""MXNet's own limit of operators; below it graphs of more are one node for `get_symbol`."""


class CompiledGraph:
    """A Symbol with its parameters, called with the inputs' arrays.

    Sessions are cached by the inputs' dtypes and shapes, the batch size (first axis) left open where the
    graph allows it, and the least recently used is dropped. Every combination of shapes is checked when it
    first comes, as ONNX broadcasts where MXNet refuses. Parameters are frozen into a session. When one
    changes, the session is dropped, and the graph runs on one that takes the parameters as inputs until they
    have not changed for some calls. Calls from several threads at once are safe.
    """

    def __init__(
        self,
        symbol: Any,
        inputs: Sequence[str],
        parameters: Mapping[str, NDArray],
        static_alloc: bool = False,
        static_shape: bool = False,
        inline_limit: int = _INLINE_LIMIT,
    ) -> None:
        self._symbol = symbol
        self._inputs = list(inputs)
        self._parameters = dict(parameters)
        self._arrays = {name: array._data for name, array in parameters.items()}
        self._static_alloc = static_alloc
        self._fixed_shapes = static_shape
        operators = (
            sum(not node.is_variable for node in symbol.nodes()) if inline_limit < _INLINE_LIMIT else 0
        )
        self._stays_whole = operators > inline_limit
        self._planned = False
        """Whether plans are needed for prediction too."""
        self._plans: OrderedDict[Any, Plan] = OrderedDict()
        self._logged: set[str] = set()
        """The operators on kernels that were logged."""
        self._programs: OrderedDict[Any, _Program] = OrderedDict()
        self._checked: dict[Any, bool] = {}
        """The dtypes and shapes that fit, and whether ONNX Runtime may run on them."""
        self._known: dict[Any, _Program] = {}
        """The programs by these."""
        self._bounded: BoundedValues | None = None
        """The values that are bounded with the present parameters, once that was asked for."""
        self._lock = new_lock()
        self._watch = Watch(self._arrays.values())
        self._calls_since_write = _FREEZE_AFTER_AT_MOST
        self._freeze_after = _FREEZE_AFTER

    def __call__(self, args: Sequence[NDArray]) -> list[NDArray]:
        """All outputs, for the inputs in their order."""
        if state.recording or state.training or self._planned:
            return self._run_plan(args)
        arrays = [x._data for x in args]
        signature = (self._variant(arrays), *[(a.dtype, a.shape) for a in arrays])
        program = self._known.get(signature) or self._program(signature, arrays)
        if program is None:
            return self._run_plan(args)
        session, inputs, parameters = program
        feeds = {name: arrays[i] for name, i in inputs}
        if parameters:
            feeds.update(parameters)
        ctx = args[0]._ctx if args else self._context()
        return [NDArray._on_tape(y, ctx, None) for y in session(feeds)]

    def _context(self) -> Context:
        """Where the parameters are, and so the outputs of a graph without inputs."""
        return next((array.context for array in self._parameters.values()), None) or current_context()

    # ---- training, and graphs that ONNX Runtime cannot run as a whole

    def _run_plan(self, args: Sequence[NDArray]) -> list[NDArray]:
        return self._plan(args)(args if not self._arrays else [*args, *self._parameters.values()])

    def _plan(self, args: Sequence[NDArray]) -> Plan:
        """The plan for arrays like these in the present mode, made now if there is none."""
        requires_grad: tuple[bool, ...] = ()
        if state.recording:
            requires_grad = tuple([x._entry is not None for x in (*args, *self._parameters.values())])
        key = (state.training, requires_grad, *[(x._data.dtype, x._data.shape) for x in args])
        with no_fork(), self._lock:
            plan = self._plans.get(key)
            if plan is not None:
                self._plans.move_to_end(key)
                return plan
            names = [*self._inputs, *self._parameters]
            arrays = [*(x._data for x in args), *self._arrays.values()]
            specs = {n: Spec(a.shape, a.dtype) for n, a in zip(names, arrays, strict=True)}
            requires_grad = requires_grad or (False,) * len(names)
            plan = Plan(self._symbol, names, specs, requires_grad, state.training, logged=self._logged)
            if self._stays_whole:
                plan.stay_whole()
            self._plans[key] = plan
            while len(self._plans) > config.SESSIONS():
                self._plans.popitem(last=False)
            return plan

    # ---- parameters that change

    def _variant(self, arrays: Sequence[Array]) -> _Variant:
        """What the session of this call may take for granted."""
        if not self._may_freeze():
            return _Variant.OPEN
        bounded = self._bounded
        if bounded is None:
            with no_fork(), self._lock:
                bounded = self._bounded = bounded_values(self._symbol, self._arrays, self._inputs)
        for i in bounded.inputs:
            if not is_bounded(arrays[i]):
                return _FROZEN
        return _BOUNDED if bounded.inputs else _FROZEN

    def _may_freeze(self) -> bool:
        """Whether parameters may be frozen into the session of this call."""
        if not self._watch.dirty and self._calls_since_write >= self._freeze_after:
            return True
        with no_fork(), self._lock:
            if self._watch.dirty:
                self._watch.dirty = False
                self._drop_frozen()
                if self._calls_since_write >= self._freeze_after:
                    self._freeze_after = min(2 * self._freeze_after, _FREEZE_AFTER_AT_MOST)
                self._calls_since_write = 0
            self._calls_since_write += 1
            return self._calls_since_write >= self._freeze_after

    def _drop_frozen(self) -> None:
        self._bounded = None
        for programs in (self._programs, self._known):
            for key in [key for key in programs if key[0]]:
                del programs[key]

    # ---- sessions

    def _program(self, signature: Any, arrays: Sequence[Array]) -> _Program | None:
        """The program for arrays like these, made now if there is none; `None` if a plan has to run them."""
        with no_fork(), self._lock:
            if not self._check(signature[1:]):
                return None
            program = self._programs.get(self._key(signature)) or self._make_program(arrays, signature[0])
            if program is None:
                return None
            key = self._key(signature)  # shapes may have become fixed
            self._programs[key] = program
            self._programs.move_to_end(key)
            while len(self._programs) > config.SESSIONS():
                self._programs.popitem(last=False)
                self._known.clear()
            if len(self._known) >= _MOST_SHAPES:
                self._known.clear()
            self._known[signature] = program
            return program

    def _check(self, signature: Any) -> bool:
        """Whether ONNX Runtime may run on inputs of these dtypes and shapes.

        Raises, with the node's name, if they do not fit.
        """
        known = self._checked.get(signature)
        if known is not None:
            return known
        specs = {n: Spec(shape, dtype) for n, (dtype, shape) in zip(self._inputs, signature, strict=True)}
        specs.update((n, Spec(a.shape, a.dtype)) for n, a in self._arrays.items())
        entries = infer(self._symbol, specs, partial=True)
        if len(self._checked) >= _MOST_SHAPES:
            self._checked.clear()
        empty = any(0 in (spec.shape or ()) for spec in entries.values()) and self._ends_at_empty()
        self._checked[signature] = not empty
        return not empty

    def _ends_at_empty(self) -> bool:
        """Whether arrays without elements may end the process where their sizes were free at lowering."""
        operators = {node.op_name for node in self._symbol.nodes()}
        return EMPTY_ARRAYS_END_PROCESS or not operators.isdisjoint(_EINSUM)

    def _key(self, signature: Any) -> Any:
        variant, *specs = signature
        if self._fixed_shapes:
            return signature
        return (variant, *[(dtype, shape[1:] if shape else None) for dtype, shape in specs])

    def _make_program(self, arrays: Sequence[Array], variant: _Variant) -> _Program | None:
        session = self._compile(arrays, variant)
        if session is None:
            return None
        inputs = [(name, i) for i, name in enumerate(self._inputs) if name in session.inputs]
        return _Program(session, inputs, {n: a for n, a in self._arrays.items() if n in session.inputs})

    def _compile(self, arrays: Sequence[Array], variant: _Variant) -> Any:
        """Lower and compile; with fixed shapes if the lowering needs them."""
        from ..converters import to_onnx
        from .session import Session

        if not self._exchanges_all(arrays):
            self._planned = True
            return None
        if self._draws():
            self._fixed_shapes = True
        try:
            lowered = self._lower(to_onnx, arrays, variant)
        except ConversionError as exc:
            if isinstance(exc, to_onnx.NeedsShape) and not self._fixed_shapes:
                self._fixed_shapes = True
                return self._compile(arrays, variant)
            logger.info("hybridize: ONNX Runtime cannot run the whole graph. %s", exc)
            self._planned = True
            return None
        parameters, nodes = self._arrays if variant else {}, self._symbol.nodes()
        return Session(lowered, parameters, self._static_alloc, partial(operators_of, nodes))

    def _exchanges_all(self, arrays: Sequence[Array]) -> bool:
        """Whether ONNX Runtime has all values of the graph as arrays."""
        from .session import exchanges

        specs = {n: Spec(a.shape, a.dtype) for n, a in zip(self._inputs, arrays, strict=True)}
        specs.update((n, Spec(a.shape, a.dtype)) for n, a in self._arrays.items())
        dtypes = [s.dtype for s in infer(self._symbol, specs, partial=True).values()]
        if any(map(is_bfloat16, dtypes)) and any(map(container_of, dtypes)):
            return False
        return all(map(exchanges, dtypes))

    def _draws(self) -> bool:
        """Whether any operator draws in prediction; what it draws depends on the shapes."""
        nodes = self._symbol.get_internals().outputs
        return any(not node.is_variable and node.op.in_mode(False).draws() for node, _ in nodes)

    def _lower(self, to_onnx: Any, arrays: Sequence[Array], variant: _Variant) -> Any:
        fixed, bounded = self._fixed_shapes, self._bounded
        specs = {
            name: Spec(a.shape if fixed else _first_free(name, a.shape), a.dtype)
            for name, a in zip(self._inputs, arrays, strict=True)
        }
        if not variant:
            specs.update((name, Spec(a.shape, a.dtype)) for name, a in self._arrays.items())
        return to_onnx.lower(
            self._symbol,
            specs,
            self._arrays if variant else {},
            embed=False,
            noise_inputs=True,
            exact=True,
            finite=bounded.entries if bounded is not None and variant is _Variant.BOUNDED else (),
            outputs=[f"output{i}" for i in range(len(self._symbol.outputs))],
        )


def _first_free(name: str, shape: tuple[int, ...]) -> tuple[Dim, ...]:
    """The shape with its first size, if it has one, named."""
    return (SymbolicDim.named(f"{name}_0"), *shape[1:]) if shape else shape
