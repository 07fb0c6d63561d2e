"""Eager operators that cost arithmetic: each runs in a session of its own, made of the operator's lowering.

A session serves one operator on inputs of certain dtypes, for all the shapes that its form fits. Kernels of
NumPy stay for small arrays, and for what is as fast there.

In Python, sessions have threads of their own: once a process has a pool for all, sessions without it are
refused, a user's as well. So sessions have none, but for those of large work, of which few are kept.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

from .._locks import new_lock, no_fork
from ..dtypes import tensor_dtype
from ..errors import ConversionError, MXNetError, without_places
from ..ops import Array, Noise, Operator, Spec
from .device import Device
from .device_session import OperatorOnDevice
from .forms import Forms, is_free, specs_of
from .session import _FAILURES, _start, exchanges, named, options
from .shared import identity
from .started import Started
from .traced import TracedKernel

logger = logging.getLogger("hybridonnx")

_MOST_SESSIONS = 1024
"""How many sessions are kept, of all operators: those that were made or asked for last."""
_MOST_WITH_THREADS = 64
_WORTH_THREADS = 300_000.0
"""Nanoseconds that a session saves beside the kernel from which on it has threads."""


class EagerSession(Started):
    """A session of one operator, from arrays to arrays."""

    def __init__(self, lowered: Any, names: Sequence[str], in_threads: bool) -> None:
        model = lowered.model.SerializeToString()

        def settings() -> Any:
            chosen = options(in_turn=True)
            if not in_threads:
                chosen.intra_op_num_threads = 1
            return chosen

        self._start_with(lambda settings: _start(model, settings), settings)
        self._inputs = [(name, i) for i, name in enumerate(names) if name in lowered.inputs]
        self._outputs = list(lowered.outputs)
        self.types = [output.type for output in self._session.get_outputs()]
        """ONNX's texts of the outputs' types."""
        self._has_long = any(text.endswith("int64)") for text in self.types)

    def __call__(self, arrays: Sequence[Array], noise: Noise | None = None) -> list[Array] | None:
        """The outputs; `None` if ONNX Runtime refuses the values, of which the kernel may say more."""
        feeds = {name: arrays[i] for name, i in self._inputs}
        try:
            with no_fork():
                session = self._session or self._restart()
                outputs: list[Array] = session.run(self._outputs, feeds)
        except _FAILURES as exc:
            logger.debug("eager: %s", exc)
            return None
        return [named(y) for y in outputs] if self._has_long else outputs

    def rest(self) -> None:
        """Let go of the session, with its threads, until the next call."""
        self._session = None


AnySession: TypeAlias = EagerSession | OperatorOnDevice | TracedKernel


class _Latest(OrderedDict[Any, Any]):
    """The sessions that were kept last, so many of them."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def keep(self, key: Any, session: AnySession) -> None:
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
                forms = self._forms[kind] = Forms(names, shapes, predicts=False)
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
        from ..converters.to_onnx import lower_operator

        names = op.input_names()
        lowered = lower_operator(op, inputs, exact=True, hidden=True)
        session: AnySession
        if self._device is None:
            session = EagerSession(lowered, names, in_threads)
        else:
            session = OperatorOnDevice(self._device, lowered, names)
        own = [tensor_dtype(text) for text in session.types]
        if any(a is None or a != spec.dtype for a, spec in zip(own, outputs, strict=True)):
            raise ConversionError(f"outputs of {', '.join(session.types)} are others than the operator's.")
        return session


ENGINE = Operators()


@cache
def engine_of(device: Device | None) -> Operators:
    """The sessions of operators of a device; of the processor for `None`."""
    return ENGINE if device is None else Operators(device)
