"""A Symbol as a function on arrays, compiled by ONNX Runtime."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum, IntEnum
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from weakref import WeakSet

from .. import config
from .._collection import no_collection
from .._locks import new_lock, no_fork
from ..autograd.scopes import state
from ..context import Context, current_context, device_of
from ..dtypes import DType, container_of, is_bfloat16
from ..errors import ConversionError, MXNetError, without_places
from ..ndarray.ndarray import NDArray
from ..ndarray.np_shape import is_np_shape
from ..ndarray.watch import Watch
from ..ops import Array, Spec
from ..symbol.compose import Outputs
from ..symbol.graph import Entry, Node, fingerprint, topological
from ..symbol.infer import infer
from .blocks import block_size_on
from .chain import MOST_WHOLE, Chain, chained, cut_of
from .device_session import GraphOnDevice
from .forms import Form, Forms, Kept, Shapes, is_free, sizes_of, specs_of
from .magnitude import BoundedValues, bounded_values, is_bounded
from .measured import operators_of
from .model_cache import MODEL, WEIGHTS, Place
from .parts import MOST_NODES, Part
from .plan import Plan
from .session import EMPTY_ARRAYS_END_PROCESS, Session, exchanges

logger = logging.getLogger("hybridonnx")

_FREEZE_AFTER = 4
"""After so many calls without a write parameters are frozen, at first; each write afterwards doubles it."""
_FREEZE_AFTER_AT_MOST = 256
_NEVER = float("inf")
_WORTH_KEEPING = 0.02
"""Seconds from which on what a session was made of is kept for the next process."""
_MOST_WRITES = 2
"""Times that parameters may have changed: what changes more often does not come again."""
_MOST_BYTES = 1 << 26
"""Of inputs to compare a stored model with."""
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


class _Sizes(Enum):
    """What there is to know of the sizes in a graph."""

    FULL = 0
    """Every array has elements."""
    EMPTY = 1
    """Some have none."""
    ENDING = 2
    """Some have none, at which ONNX Runtime may end the process."""


class _Check(NamedTuple):
    """What inputs of some dtypes and shapes make of a graph."""

    sizes: _Sizes
    exchanges: bool
    """Whether ONNX Runtime has all values as arrays."""


class _Program(NamedTuple):
    """A session with what it is fed."""

    session: Any
    inputs: list[tuple[str, int]]
    """The inputs that it uses, and which of the arguments they are."""
    parameters: dict[str, Array]
    """The parameters that it takes as inputs."""


def _exchange(dtypes: Iterable[DType | None]) -> bool:
    """Whether ONNX Runtime has all values of these dtypes as arrays."""
    kinds = set(dtypes)
    if any(map(is_bfloat16, kinds)) and any(map(container_of, kinds)):
        return False
    return all(map(exchanges, kinds))


class _Unwritten:
    """A session that waits until it is stored."""

    def __init__(self, session: Session) -> None:
        self.session: Session | None = session
        """`None` once it is not wanted any more, as parameters change."""


_EINSUM = frozenset({"_npi_einsum", "_einsum"})
"""Operators at which every ONNX Runtime up to 1.32 may end if an array has no elements."""
_INLINE_LIMIT = 2
"""MXNet's own limit of operators; below it graphs of more are one node for `get_symbol`."""


class StoredGraph:
    """A lowered graph whose optimised model is stored: it is lowered only if somebody asks for more."""

    noise: ClassVar[Sequence[Any]] = ()

    def __init__(self, lower: Callable[[], Any]) -> None:
        self._lower = lower

    @cached_property
    def _lowered(self) -> Any:
        return self._lower()

    @property
    def message(self) -> bytes:
        """The model as protobuf's message."""
        message: bytes = self._lowered.message
        return message

    @property
    def model(self) -> Any:
        """The model."""
        return self._lowered.model

    @property
    def op_types(self) -> Sequence[str]:
        """The operators of its nodes."""
        op_types: Sequence[str] = self._lowered.op_types
        return op_types

    @property
    def parameters(self) -> Mapping[str, Spec]:
        """Those of its initializers that are parameters of the Symbol."""
        parameters: Mapping[str, Spec] = self._lowered.parameters
        return parameters

    @property
    def recipes(self) -> Mapping[str, Any]:
        """What makes the values of other initializers of these parameters."""
        recipes: Mapping[str, Any] = self._lowered.recipes
        return recipes


class CompiledGraph:
    """A Symbol with its parameters, called with the inputs' arrays.

    Sessions are cached by the inputs' dtypes and shapes, and the least recently used is dropped. Sizes that
    differ from call to call are left open where the graph allows it (`Forms`), the first axes at once where
    nothing trains. Every combination of shapes is checked when it first comes, as ONNX broadcasts where MXNet
    refuses. Parameters are frozen into a session. When one changes, the session is dropped, and the graph
    runs on one that takes the parameters as inputs until they have not changed for some calls. Calls from
    several threads at once are safe.
    """

    def __init__(
        self,
        symbol: Any,
        inputs: Sequence[str],
        parameters: Mapping[str, NDArray],
        static_alloc: bool = False,
        static_shape: bool = False,
        inline_limit: int = _INLINE_LIMIT,
        ctx: Context | None = None,
    ) -> None:
        self._symbol = symbol
        self._device = None if ctx is None else device_of(ctx)
        self._inputs = list(inputs)
        self._parameters = dict(parameters)
        self._arrays = {name: array._data for name, array in parameters.items()}
        self._static_alloc = static_alloc
        self._fixed_shapes = static_shape
        self._operators = sum(not node.is_variable for node in symbol.nodes())
        self._stays_whole = inline_limit < _INLINE_LIMIT and self._operators > inline_limit
        self._planned = False
        """Whether plans are needed for prediction too."""
        self._forms: dict[Any, Forms] = {}
        self._plans = Kept()
        self._fitted: dict[Any, Plan] = {}
        """The plans for shapes that came, with the sizes of these."""
        self._logged: set[str] = set()
        """The operators on kernels that were logged."""
        self._programs = Kept()
        self._checked: dict[Any, _Check] = {}
        """By the dtypes and shapes that fit."""
        self._known: dict[Any, _Program] = {}
        """The programs by these."""
        self._unwritten: WeakSet[_Unwritten] = WeakSet()
        self._bounded: BoundedValues | None = None
        """The values that are bounded with the present parameters, once that was asked for."""
        self._lock = new_lock()
        self._watch = Watch(self._arrays.values())
        self._calls_since_write = _FREEZE_AFTER_AT_MOST
        self._writes = 0
        self._freeze_after: float = _NEVER if config.DETERMINISM() else _FREEZE_AFTER

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
        mode = state.training, requires_grad
        key = (*mode, *[(x._data.dtype, x._data.shape) for x in args])
        with no_fork(), self._lock:
            if self._watch.dirty:  # a network that trains needs the memory
                self._drop_frozen()
            plan = self._fitted.get(key)
            if plan is not None and self._plans.used(plan.key) is not None:
                return plan
            plan = self._fitting_plan(mode, [x._data for x in args])
            if len(self._fitted) >= _MOST_SHAPES:
                self._fitted.clear()
            self._fitted[key] = plan
            return plan

    def _fitting_plan(self, mode: Any, arrays: Sequence[Array]) -> Plan:
        """A plan for these arrays, of a form that fits them."""
        shapes = [a.shape for a in arrays]
        sizes = self._check(tuple([(a.dtype, a.shape) for a in arrays])).sizes
        kind = (sizes, *mode, *[(a.dtype, a.ndim) for a in arrays])
        forms = self._forms_of(kind, shapes, False, learns=sizes is _Sizes.FULL)
        for form in forms.fitting(shapes):
            key = kind, form
            try:
                plan = self._plans.used(key) or self._make_plan(mode, form, arrays)
            except MXNetError as exc:
                if not is_free(form):
                    raise
                forms.refuse(form, without_places(exc))
                continue
            forms.accept(form)
            fitted = plan.at(self._specs(arrays)) if is_free(form) else plan
            fitted.key = key
            if self._plans.keep(key, plan, forms.reason):
                self._fitted.clear()
            return fitted
        raise AssertionError("a form of fixed sizes fits")

    @no_collection
    def _make_plan(self, mode: Any, form: Form, arrays: Sequence[Array]) -> Plan:
        training, requires_grad = mode
        if training and any(requires_grad):  # what parameters were frozen into is in use no longer
            self._drop_frozen()
        names = [*self._inputs, *self._parameters]
        specs = {**self._specs(arrays), **specs_of(form, self._inputs, [a.dtype for a in arrays])}
        requires_grad = requires_grad or (False,) * len(names)
        plan = Plan(
            self._symbol,
            names,
            specs,
            requires_grad,
            training,
            device=self._device,
            logged=self._logged,
            sizes=sizes_of(form, [a.shape for a in arrays]),
        )
        if self._stays_whole:
            plan.stay_whole()
        return plan

    def _specs(self, arrays: Sequence[Array]) -> dict[str, Spec]:
        """What is known of the inputs, which are these arrays, and of the parameters."""
        specs = {n: Spec(a.shape, a.dtype) for n, a in zip(self._inputs, arrays, strict=True)}
        specs.update((n, Spec(a.shape, a.dtype)) for n, a in self._arrays.items())
        return specs

    def _forms_of(self, kind: Any, shapes: Shapes, predicts: bool, learns: bool) -> Forms:
        """The forms for inputs of one kind."""
        forms = self._forms.get(kind)
        if forms is None:
            fixed = self._fixed_shapes
            forms = Forms(self._inputs, shapes, predicts and not fixed, learns and not fixed)
            self._forms[kind] = forms
        return forms

    # ---- parameters that change

    def _variant(self, arrays: Sequence[Array]) -> _Variant:
        """What the session of this call may take for granted."""
        if not self._may_freeze():
            return _Variant.OPEN
        bounded = self._bounded
        if self._device is not None:  # to look at the values would be to wait for them
            return _FROZEN
        if bounded is None:
            with no_fork(), self._lock:
                bounded = self._bounded = bounded_values(self._symbol, self._arrays, self._inputs)
        for i in bounded.inputs:
            if not is_bounded(arrays[i]):
                return _FROZEN
        return _BOUNDED if bounded.entries else _FROZEN

    def _may_freeze(self) -> bool:
        """Whether parameters may be frozen into the session of this call."""
        if not self._watch.dirty and self._calls_since_write >= self._freeze_after:
            return True
        with no_fork(), self._lock:
            if self._watch.dirty:
                self._writes += 1
                self._drop_frozen()
                if self._calls_since_write >= self._freeze_after:
                    self._freeze_after = min(2 * self._freeze_after, _FREEZE_AFTER_AT_MOST)
                self._calls_since_write = 0
                self._watch.dirty = False  # last, as other threads ask without the lock
            self._calls_since_write += 1
            return self._calls_since_write >= self._freeze_after

    def _drop_frozen(self) -> None:
        self._bounded = None
        for unwritten in self._unwritten:
            unwritten.session = None
        for programs in (self._programs, self._known):
            for key in [key for key in programs if key[0]]:
                del programs[key]

    # ---- sessions

    def _program(self, signature: Any, arrays: Sequence[Array]) -> _Program | None:
        """The program for arrays like these, made now if there is none; `None` if a plan has to run them."""
        with no_fork(), self._lock:
            sizes = self._check(signature[1:]).sizes
            # thousands of parameters as inputs of one session cost more than the plan's sessions do
            parted = signature[0] is _Variant.OPEN and self._operators > MOST_NODES
            if parted or sizes is _Sizes.ENDING:
                return None
            program = self._fitting_program(signature, arrays, sizes)
            if program is not None:
                if len(self._known) >= _MOST_SHAPES:
                    self._known.clear()
                self._known[signature] = program
            return program

    def _fitting_program(self, signature: Any, arrays: Sequence[Array], sizes: _Sizes) -> _Program | None:
        """A program for these arrays, of a form that fits them.

        Only first axes are free where arrays have no elements: nodes that fit any other size may refuse 0.
        """
        variant, *specs = signature
        kind = (sizes, *[(dtype, len(shape)) for dtype, shape in specs])
        shapes = [shape for _, shape in specs]
        forms = self._forms_of(kind, shapes, True, learns=sizes is _Sizes.FULL)
        for form in forms.fitting(shapes):
            key = variant, kind, form
            try:
                program = self._programs.used(key) or self._make_program(arrays, form, variant)
            except MXNetError as exc:
                if is_free(form):
                    forms.refuse(form, without_places(exc))
                    continue
                if not isinstance(exc, ConversionError):
                    raise
                logger.info("hybridize: ONNX Runtime cannot run the whole graph. %s", exc)
                self._planned = True
                return None
            if program is None:
                return None
            forms.accept(form)
            if self._programs.keep(key, program, forms.reason):
                self._known.clear()
            return program
        raise AssertionError("a form of fixed sizes fits")

    def _check(self, signature: Any) -> _Check:
        """What the values are like in the graph for inputs of these dtypes and shapes.

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
        sizes = _Sizes.FULL
        if any(0 in (spec.shape or ()) for spec in entries.values()):
            sizes = _Sizes.ENDING if self._ends_at_empty() else _Sizes.EMPTY
        check = _Check(sizes, _exchange(spec.dtype for spec in entries.values()))
        self._checked[signature] = check
        return check

    def _ends_at_empty(self) -> bool:
        """Whether arrays without elements may end the process where their sizes were free at lowering."""
        operators = {node.op_name for node in self._symbol.nodes()}
        return EMPTY_ARRAYS_END_PROCESS or not operators.isdisjoint(_EINSUM)

    @no_collection
    def _make_program(self, arrays: Sequence[Array], form: Form, variant: _Variant) -> _Program | None:
        """A session with its inputs, compiled now; `None` if its values cannot be the graph's."""
        place = self._place(arrays, form, variant)
        session: Session | GraphOnDevice | Chain | None = None
        if place is not None:
            session = place.open(lambda model: self._open(model, arrays, form, variant))
        if session is None:
            watch, begin = Watch(self._arrays.values()), time.perf_counter()
            session = self._make_session(arrays, form, variant)
            if place is not None and time.perf_counter() - begin > _WORTH_KEEPING:
                self._keep(place, session, arrays, watch)
        if session is None:
            return None
        inputs = [(name, i) for i, name in enumerate(self._inputs) if name in session.inputs]
        return _Program(session, inputs, {n: a for n, a in self._arrays.items() if n in session.inputs})

    def _make_session(
        self, arrays: Sequence[Array], form: Form, variant: _Variant
    ) -> Session | GraphOnDevice | Chain | None:
        """A session, compiled now; `None` if its values cannot be the graph's."""
        from ..converters import to_onnx

        if not self._check(tuple([(a.dtype, a.shape) for a in arrays])).exchanges:
            self._planned = True
            return None
        if is_free(form) and self._draws():
            raise ConversionError("what is drawn depends on the shapes.")
        session: Session | GraphOnDevice | Chain | None = (
            self._chain(to_onnx, arrays, form, variant) if variant else None
        )
        if session is None:
            parameters = self._values() if variant else {}
            lowered = self._lower(to_onnx, arrays, form, variant, parameters)
            session = self._start(lowered, parameters, self._symbol.nodes())
        return session

    # ---- sessions that other processes have made

    def _place(self, arrays: Sequence[Array], form: Form, variant: _Variant) -> Place | None:
        """Where this graph's optimised model is kept; `None` if it is not to be."""
        is_settled = variant and self._writes <= _MOST_WRITES and not self._fitted
        if self._device is not None or not is_settled or self._operators > MOST_WHOLE:
            return None
        if not all(node.is_variable or (node.is_known and not node.op.stateful) for node in self._nodes()):
            return None

        def parts() -> list[str]:
            specs = specs_of(form, self._inputs, [a.dtype for a in arrays])
            given = [f"{name} {spec.shape!r} {spec.dtype!r}" for name, spec in specs.items()]
            own = [f"{name} {a.shape} {a.dtype!r}" for name, a in self._arrays.items()]
            return [fingerprint(self._symbol.outputs), str(int(variant)), str(is_np_shape()), *given, *own]

        return Place.of(parts, self._arrays)

    def _nodes(self) -> Sequence[Node]:
        """Those of the graph and of all graphs inside of it."""
        nodes = list(self._symbol.nodes())
        for node in nodes:
            for body in node.subgraphs:
                nodes += topological(body.outputs)
        return nodes

    def _open(self, model: str, arrays: Sequence[Array], form: Form, variant: _Variant) -> Session:
        """The session of a stored model, or of the graph if ONNX Runtime refuses that."""

        def lower() -> Any:
            from ..converters import to_onnx

            return self._lower(to_onnx, arrays, form, variant, self._arrays)

        operators = partial(operators_of, self._symbol.nodes())
        return Session(StoredGraph(lower), self._arrays, self._static_alloc, operators, stored=model)

    def _keep(self, place: Place, session: Any, arrays: Sequence[Array], watch: Watch) -> None:
        """Store what a session was made of, unless it cannot be."""
        if not isinstance(session, Session) or not session.is_storable:
            return
        if sum(a.nbytes for a in arrays) > _MOST_BYTES:
            return
        given = dict(zip(self._inputs, arrays, strict=True))
        feeds = {name: given[name].copy() for name in session.inputs}
        unwritten = _Unwritten(session)
        self._unwritten.add(unwritten)

        def write(folder: Path) -> bool:
            model = unwritten.session
            return model is not None and model.store(str(folder / MODEL), WEIGHTS, feeds)

        place.keep(write, lambda: not watch.dirty and not self._fitted)

    def _chain(self, to_onnx: Any, arrays: Sequence[Array], form: Form, variant: _Variant) -> Chain | None:
        """The sessions of a large graph's parts; `None` if it is one session, as it cannot be cut.

        Parts do not know what other parts make known of their values, such as sizes that are constants there.
        """
        cut = cut_of(self._symbol) if self._operators > MOST_WHOLE else None
        if cut is None:
            return None
        inputs = specs_of(form, self._inputs, [a.dtype for a in arrays])
        values = self._values()

        def start(part: Part, finite: Collection[Entry]) -> Session | GraphOnDevice:
            entries = dict(zip(part.names, part.inputs, strict=True))
            own = {name: values[name] for name, e in entries.items() if self._is_parameter(e.node)}
            taken = {name: specs.get(e, Spec()) for name, e in entries.items() if name not in own}
            if any(spec.shape is None or spec.dtype is None for spec in taken.values()):
                raise ConversionError("shapes and dtypes are required of the values between its parts.")
            lowered = self._lowered(to_onnx, Outputs(part.results), taken, own, finite)
            return self._start(lowered, own, list(part.originals.values()), in_turn=True)

        try:
            specs = infer(Outputs(cut.outputs), {**self._specs(arrays), **inputs}, partial=True)
            return chained(cut, start, self._finite(variant))
        except MXNetError as exc:
            logger.info("hybridize: the graph is one session, as it cannot be cut. %s", without_places(exc))
            return None

    def _values(self) -> Mapping[str, Array]:
        """The parameters in NumPy's memory, in which they are but for those of a device."""
        if self._device is None:
            return self._arrays
        return {name: array._host for name, array in self._parameters.items()}

    def _start(
        self, lowered: Any, parameters: Mapping[str, Array], nodes: Sequence[Node], in_turn: bool = False
    ) -> Session | GraphOnDevice:
        """A session of this graph, or of a part."""
        operators = partial(operators_of, nodes)
        if self._device is None:
            return Session(lowered, parameters, self._static_alloc, operators, in_turn)
        settings = self._device, lowered, parameters, operators, self._static_alloc
        frozen = bool(parameters) or not self._arrays
        if self._static_alloc and self._fixed_shapes and frozen and not in_turn:
            try:
                return GraphOnDevice(*settings, captures=True)
            except MXNetError as exc:
                logger.info(
                    "hybridize: what runs on %s is no CUDA graph. %s", self._device, without_places(exc)
                )
        return GraphOnDevice(*settings)

    def _is_parameter(self, node: Node) -> bool:
        """Whether a variable is one, and no input."""
        return node.is_variable and node.name in self._arrays

    def _draws(self) -> bool:
        """Whether any operator draws in prediction; what it draws depends on the shapes."""
        nodes = self._symbol.get_internals().outputs
        return any(not node.is_variable and node.op.in_mode(False).draws() for node, _ in nodes)

    def _lower(
        self,
        to_onnx: Any,
        arrays: Sequence[Array],
        form: Form,
        variant: _Variant,
        parameters: Mapping[str, Array],
    ) -> Any:
        specs = specs_of(form, self._inputs, [a.dtype for a in arrays])
        if not variant:
            specs.update((name, Spec(a.shape, a.dtype)) for name, a in self._arrays.items())
        return self._lowered(to_onnx, self._symbol, specs, parameters, self._finite(variant))

    def _finite(self, variant: _Variant) -> Collection[Entry]:
        """The values that the session may take for finite."""
        bounded = self._bounded
        return bounded.entries if bounded is not None and variant is _Variant.BOUNDED else ()

    def _lowered(
        self,
        to_onnx: Any,
        symbol: Outputs,
        specs: Mapping[str, Spec],
        parameters: Mapping[str, Array],
        finite: Collection[Entry],
    ) -> Any:
        return to_onnx.lower(
            symbol,
            specs,
            parameters,
            embed=False,
            noise_inputs=True,
            local=to_onnx.Local(finite, block=block_size_on(self._device)),
            outputs=[f"output{i}" for i in range(len(symbol.outputs))],
        )
