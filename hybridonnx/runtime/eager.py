"""Eager operators that cost arithmetic: each runs in a session of its own, made of the operator's lowering.

A session serves one operator on inputs of certain dtypes, for all the shapes that its form fits. Kernels of
NumPy stay for small arrays, and for what is as fast there.

In Python, sessions have threads of their own: once a process has a pool for all, sessions without it are
refused, a user's as well. So sessions have none, but for those of large work, of which few are kept.

Of weights that stay as they are from call to call, ONNX Runtime makes what it computes faster with: each gets
a session that has them frozen in (`Freezing`).
"""

from __future__ import annotations

import logging
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from .. import config
from .._locks import new_lock, no_fork
from ..dtypes import tensor_dtype
from ..errors import ConversionError, MXNetError, without_places
from ..ndarray.watch import Watch
from ..ops import Array, Noise, Operator, Spec
from .arena import share
from .blocks import block_size_on
from .device import Device
from .device_session import OperatorOnDevice
from .failures import FAILURES
from .forms import Forms, is_free, specs_of
from .session import _start, exchanges, named, options, value_of
from .shared import identity
from .started import Started
from .traced import TracedKernel

logger = logging.getLogger("hybridonnx")

_MOST_SESSIONS = 1024
"""How many sessions are kept, of all operators: those that were made or asked for last."""
_MOST_WITH_THREADS = 64
_MOST_FROZEN = 512
_PATIENCE = 16
"""So many shapes have sessions of their own where these are faster; then one takes what comes."""
_WORTH_THREADS = 300_000.0
"""Nanoseconds that a session saves beside the kernel from which on it has threads."""
_FREEZE_AFTER = 8
"""After so many calls without a write weights are frozen, at first; each write afterwards doubles it."""
_NEVER = float("inf")


class EagerSession(Started):
    """A session of one operator, from arrays to arrays."""

    def __init__(
        self,
        lowered: Any,
        names: Sequence[str],
        in_threads: bool,
        weights: Mapping[str, weakref.ref[Array]] | None = None,
    ) -> None:
        """Start a session. `weights` become initializers over their own memory; it ends before they do."""
        model = lowered.message
        frozen = {name: array for name, array in (weights or {}).items() if name in lowered.parameters}

        def settings() -> Any:
            chosen = options(in_turn=True)
            share(chosen)
            if not in_threads:
                chosen.intra_op_num_threads = 1
            return chosen

        def start(settings: Any) -> Any:
            if frozen:
                arrays: Any = [array() for array in frozen.values()]
                settings.add_external_initializers([*frozen], [value_of(array) for array in arrays])
            return _start(model, settings)

        self._start_with(start, settings)
        self._inputs = [(name, i) for i, name in enumerate(names) if name in lowered.inputs]
        self._outputs = list(lowered.outputs)
        self.types = [output.type for output in self._session.get_outputs()]
        """ONNX's texts of the outputs' types."""
        self._has_long = any(text.endswith("int64)") for text in self.types)
        self._views = [(self._outputs.index(name), shape) for name, shape in lowered.views.items()]

    def __call__(self, arrays: Sequence[Array], noise: Noise | None = None) -> list[Array] | None:
        """The outputs; `None` if ONNX Runtime refuses the values, of which the kernel may say more."""
        feeds = {name: arrays[i] for name, i in self._inputs}
        try:
            with no_fork():
                session = self._session or self._restart()
                outputs: list[Array] = session.run(self._outputs, feeds)
        except FAILURES as exc:
            logger.debug("eager: %s", exc)
            return None
        for i, shape in self._views:
            outputs[i] = outputs[i].reshape(shape)
        return [named(y) for y in outputs] if self._has_long else outputs

    def rest(self) -> None:
        """Let go of the session, with its threads, until the next call."""
        self._session = None


class _Weights:
    """An operator's weights, and the session that has them frozen in once they have stayed for some calls."""

    def __init__(self, arrays: Sequence[Array], ended: Callable[[], object]) -> None:
        self.arrays = [weakref.ref(a, lambda _: ended()) for a in arrays]
        self.session: EagerSession | None = None
        self._watch = Watch(arrays, holds=False)
        in_order = all(array.flags.c_contiguous for array in arrays)  # else a session would have copies
        self._patience: float = _FREEZE_AFTER if in_order and not config.DETERMINISM() else _NEVER
        self._calls = 0

    def are(self, arrays: Sequence[Array]) -> bool:
        """Whether these are the weights."""
        return all(own() is array for own, array in zip(self.arrays, arrays, strict=True))

    def is_frozen(self) -> bool:
        """Whether there is a session, and the weights are those that it has."""
        return self.session is not None and not self._watch.dirty

    def have_stayed(self) -> bool:
        """Count a call, and say whether there were enough since the weights were written."""
        if self._watch.dirty:
            self.session = None
            if self._calls >= self._patience:
                self._patience *= 2
            self._calls = 0
            self._watch.dirty = False
        self._calls += 1
        return self._calls >= self._patience

    def rest(self) -> None:
        """Let go of the session, for as long as the weights are the same."""
        self.session, self._patience = None, _NEVER


class Freezing:
    """A session of an operator with any weights, and one for each weights that stay."""

    def __init__(
        self,
        session: EagerSession,
        places: Sequence[int],
        freeze: Callable[[Sequence[weakref.ref[Array]]], EagerSession],
        kept: _Latest,
        lock: Any,
    ) -> None:
        """Begin with the session for any weights, which are the inputs at `places`.

        `freeze` makes one of weights; `kept` has those of all operators that are kept, for who holds `lock`.
        """
        self.types = session.types
        self._session, self._places, self._freeze = session, places, freeze
        self._kept, self._lock = kept, lock
        self._by_first: dict[int, _Weights] = {}
        """By the id of their first array, which is alive."""

    def __call__(self, arrays: Sequence[Array], noise: Noise | None = None) -> list[Array] | None:
        """The outputs; `None` if ONNX Runtime refuses the values, of which the kernel may say more."""
        own = [arrays[i] for i in self._places]
        weights = self._by_first.get(id(own[0]))
        session: EagerSession | None = None
        if weights is not None and weights.is_frozen() and weights.are(own):
            session = weights.session
        return (session or self._settled(own))(arrays, noise)

    def _settled(self, own: Sequence[Array]) -> EagerSession:
        """The session for weights, made now if they have just stayed for long enough."""
        key = id(own[0])
        with no_fork(), self._lock:
            weights = self._by_first.get(key)
            if weights is None or not weights.are(own):
                self._drop(key)
                weights = self._by_first[key] = _Weights(own, lambda: self._drop(key))
            if not weights.have_stayed():
                return self._session
            try:
                weights.session = weights.session or self._freeze(weights.arrays)
            except MXNetError as exc:
                logger.debug("eager: %s", exc)
                weights.rest()
                return self._session
            self._kept.keep((self, key), weights)
            return weights.session

    def _drop(self, key: int) -> None:
        """Forget weights, of which an array ends."""
        with self._lock:
            self._by_first.pop(key, None)
            self._kept.pop((self, key), None)

    def rest(self) -> None:
        """Let go of the session for any weights, with its threads, until the next call."""
        self._session.rest()


AnySession: TypeAlias = EagerSession | Freezing | OperatorOnDevice | TracedKernel


class _Latest(OrderedDict[Any, Any]):
    """The sessions that were kept last, so many of them."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def keep(self, key: Any, session: AnySession | _Weights) -> None:
        """Add a session, or count it as the latest."""
        self[key] = session
        self.move_to_end(key)
        while len(self) > self._most:
            self.popitem(last=False)[1].rest()


class Operators:
    """The sessions of operators, on the processor or on a device."""

    def __init__(self, device: Device | None = None) -> None:
        self._device = device
        self._lock = new_lock()
        self._forms: dict[Any, Forms] = {}
        self._alone = _Latest(_MOST_SESSIONS)
        self._in_threads = _Latest(_MOST_WITH_THREADS)
        self._frozen = _Latest(_MOST_FROZEN)

    def session(
        self, op: Operator, inputs: Sequence[Spec], outputs: Sequence[Spec], saving: float
    ) -> AnySession:
        """The session for an operator on such inputs.

        `saving` is about how many nanoseconds faster than the kernel it is. Raises `MXNetError` if ONNX
        Runtime cannot run the operator.
        """
        if self._device is not None and op.traced:
            return TracedKernel(self._device, op)
        self._require(op, inputs, outputs)
        if op.subgraphs:  # which their names do not tell apart
            return self._make(op, inputs, outputs, False)
        names: Sequence[str] = op.input_names()
        dtypes: list[Any] = [spec.dtype for spec in inputs]
        shapes: Any = [spec.shape for spec in inputs]
        kind = *identity(op), *[(dtype, len(shape)) for dtype, shape in zip(dtypes, shapes, strict=True)]
        in_threads = saving >= _WORTH_THREADS
        sessions = self._in_threads if in_threads else self._alone
        with no_fork(), self._lock:
            forms = self._forms.get(kind)
            if forms is None:
                patience = _PATIENCE if op.specializes and self._device is None else 0
                forms = self._forms[kind] = Forms(names, shapes, predicts=False, patience=patience)
            for form in forms.fitting(shapes):
                try:
                    specs = list(specs_of(form, names, dtypes).values())
                    session = sessions.get((kind, form)) or self._make(op, specs, outputs, in_threads)
                except MXNetError as exc:
                    if not is_free(form):
                        raise
                    forms.refuse(form, without_places(exc))
                    continue
                forms.accept(form)
                sessions.keep((kind, form), session)
                return session
        raise AssertionError("a form of fixed sizes fits")

    def _require(self, op: Operator, inputs: Sequence[Spec], outputs: Sequence[Spec]) -> None:
        """Raise `MXNetError` for operators that are not to run in sessions."""
        reason = op.not_in_onnx
        if self._device is None and (op.stateful or op.subgraphs or (op.noise and op.draws())):
            reason = "it runs a graph, or draws."
        elif not all(exchanges(spec.dtype, shared=True) for spec in (*inputs, *outputs)):
            reason = "ONNX Runtime has no arrays of its dtypes."
        if reason:
            raise ConversionError(reason)

    def _make(
        self, op: Operator, inputs: Sequence[Spec], outputs: Sequence[Spec], in_threads: bool
    ) -> AnySession:
        """A session, compiled now."""
        from ..converters.to_onnx import Local, lower_operator

        names = op.input_names()
        local = Local(views=True, block=block_size_on(self._device))
        lowered = lower_operator(op, inputs, local=local, hidden=True)
        session: AnySession
        places = [i for i, name in enumerate(names) if name in op.packs]
        if self._device is not None:
            session = OperatorOnDevice(self._device, lowered, names)
        elif places:

            def freeze(weights: Sequence[weakref.ref[Array]]) -> EagerSession:
                by_name = {names[i]: array for i, array in zip(places, weights, strict=True)}
                values: Any = {name: array() for name, array in by_name.items()}
                lowered = lower_operator(op, inputs, local=Local(views=True), hidden=True, weights=values)
                return EagerSession(lowered, names, in_threads, by_name)

            open_session = EagerSession(lowered, names, in_threads)
            session = Freezing(open_session, places, freeze, self._frozen, self._lock)
        else:
            session = EagerSession(lowered, names, in_threads)
        own = [tensor_dtype(text) for text in session.types]
        if any(a is None or a != spec.dtype for a, spec in zip(own, outputs, strict=True)):
            raise ConversionError(f"outputs of {', '.join(session.types)} are others than the operator's.")
        return session


ENGINE = Operators()


@cache
def engine_of(device: Device | None) -> Operators:
    """The sessions of operators of a device; of the processor for `None`."""
    return ENGINE if device is None else Operators(device)
