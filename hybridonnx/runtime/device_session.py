"""Sessions whose inputs and outputs stay on a device: of an operator, a graph, a training step."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .._locks import new_lock, no_fork
from .._profile import profile
from .._threads import counts_references
from ..dtypes import tensor_dtype
from ..errors import ConversionError
from ..ops import Array, Noise, drawing, generator
from .device import Device, DeviceArray, bind, bind_output, received
from .failures import FAILURES, failed
from .measured import MeasuredSession, Operators
from .session import (
    _HELD_BY_POOL,
    StepSession,
    _references,
    _start,
    _title,
    options,
    value_of,
)
from .started import Started

_MOST_KEPT = 8
"""For how many combinations of shapes a session keeps outputs."""

logger = logging.getLogger("hybridonnx")


class _DeviceSession(Started):
    """A session between arrays of a device.

    `parameters` become initializers, which ONNX Runtime copies to the device once.
    """

    def __init__(
        self,
        device: Device,
        lowered: Any,
        settings: Callable[[], Any],
        parameters: Mapping[str, Array] | None = None,
        captures: bool = False,
    ) -> None:
        names = [name for name in lowered.parameters if name in (parameters or {})]
        held = [value_of((parameters or {})[name]) for name in names]

        def start(chosen: Any) -> Any:
            if names:
                chosen.add_external_initializers(names, held)
            return _start(lowered.message, chosen, providers=device.providers(captures))

        def recording() -> Any:
            chosen = settings()
            if not device.is_fake:
                chosen.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
            return chosen

        self._device = device
        self._start_with(start, recording)
        for kind, provider in () if device.is_fake else elsewhere(self._session, device):
            device.tell(kind, f"ONNX Runtime has no kernel of it in {device.provider}, but in {provider}.")
        self._measured = MeasuredSession(start, recording, lambda: lowered.model.graph)
        self._outputs = list(lowered.outputs)
        self.types = [output.type for output in self._session.get_outputs()]
        """ONNX's texts of the outputs' types."""
        dtypes = [tensor_dtype(text) for text in self.types]
        if any(dtype is None for dtype in dtypes):  # to NumPy None is float64
            raise ConversionError(f"arrays are required as outputs on {device}, got {', '.join(self.types)}.")
        self._dtypes: Sequence[Any] = dtypes

    def _run(self, session: Any, feeds: Mapping[str, Any]) -> list[DeviceArray]:
        """The outputs for inputs by name, of which those in NumPy's memory are copied to the device."""
        binding = session.io_binding()
        _bind_all(binding, feeds)
        for name in self._outputs:
            binding.bind_output(name, *self._device.place)
        self._device.run(session, binding, waits=bool(profile.sessions), captures=False)
        return received(self._device, binding, self._dtypes)

    def _watched(self, title: str, feeds: Mapping[str, Any], operators: Operators) -> list[DeviceArray]:
        """Run where the profiler may look on; errors name the operator."""
        try:
            with no_fork():
                if profile.sessions:
                    session = self._measured.begin(operators)
                    return profile.call("session", title, self._run, session, feeds)
                return self._run(self._session or self._restart(), feeds)
        except FAILURES as exc:
            raise failed(exc, self._measured.names(operators)) from exc


def elsewhere(session: Any, device: Device) -> list[tuple[str, str]]:
    """The kinds of nodes that other providers than a device's run, and these providers.

    Sizes and other numbers that say where values are, ONNX Runtime computes on the processor by intent: such
    nodes are no copies of values, and are left out.
    """
    assigned: Sequence[Any] = getattr(session, "get_provider_graph_assignment_info", list)()
    return sorted(
        {
            (node.op_type, part.ep_name)
            for part in assigned
            if part.ep_name != device.provider
            for node in part.get_nodes()
            if node.op_type not in _SIZES
        }
    )


_SIZES = frozenset({"Shape", "Size", "Gather", "Slice", "Concat", "Unsqueeze", "Squeeze", "Cast", "Range"})
"""What computes sizes, which ONNX Runtime keeps on the processor beside a GPU."""


def _bind_all(binding: Any, feeds: Mapping[str, Any]) -> None:
    for name, array in feeds.items():
        if isinstance(array, DeviceArray):
            bind(binding, name, array)
        else:
            binding.bind_cpu_input(name, array)


class OperatorOnDevice(_DeviceSession):
    """A session of one operator."""

    def __init__(self, device: Device, lowered: Any, names: Sequence[str]) -> None:
        super().__init__(device, lowered, _alone)
        self._inputs = [(name, i) for i, name in enumerate(names) if name in lowered.inputs]
        self._noise = lowered.noise
        self._views = [(self._outputs.index(name), shape) for name, shape in lowered.views.items()]

    def __call__(self, arrays: Sequence[Any], noise: Noise | None = None) -> list[Any] | None:
        """The outputs; `None` if ONNX Runtime refuses the values, of which the kernel may say more."""
        feeds = {name: arrays[i] for name, i in self._inputs}
        for part in self._noise:
            feeds[part.name] = np.asarray(part.of(noise), order="C")
        try:
            with no_fork():
                outputs = self._run(self._session or self._restart(), feeds)
        except FAILURES as exc:
            logger.debug("eager: %s", exc)
            return None
        for i, shape in self._views:
            outputs[i] = outputs[i].reshape(shape)
        return outputs

    def rest(self) -> None:
        """Let go of the session until the next call."""
        self._session = None


def _alone() -> Any:
    """Settings of a session without threads of its own."""
    settings = options(in_turn=True)
    settings.intra_op_num_threads = 1
    return settings


class GraphOnDevice(_DeviceSession):
    """A session of a graph that predicts.

    With `reuse_outputs` it writes into the outputs of the last call with such inputs, if nobody has them.
    With `captures`, for inputs of one shape, it is a CUDA graph, whose work begins as one.

    Raises:
        MXNetError: With `captures`, if the device lacks any of the nodes.
    """

    def __init__(
        self,
        device: Device,
        lowered: Any,
        parameters: Mapping[str, Array],
        operators: Operators = None,
        reuse_outputs: bool = False,
        captures: bool = False,
    ) -> None:
        super().__init__(device, lowered, options, parameters, captures)
        reuses = reuse_outputs and counts_references()
        self._kept: OrderedDict[Any, Any] | None = OrderedDict() if reuses and not captures else None
        """By the inputs' shapes the binding and the outputs of the last call."""
        self._captured: _Captured | None = None
        self._captures = captures
        self._lock = new_lock()
        self._operators = operators
        self.inputs: Sequence[str] = lowered.inputs
        """The names of the inputs that the graph uses."""
        self._title = _title("predict", lowered)
        self._noise = lowered.noise

    def __call__(self, feeds: dict[str, Any]) -> list[Any]:
        """The outputs for the inputs by name."""
        for noise in self._noise:
            if not noise.part:
                with no_fork(), drawing():
                    rng = generator()
                    drawn = noise.op.draw(rng, *noise.specs)
            feeds[noise.name] = np.asarray(noise.of(drawn), order="C")
        return self._watched(self._title, feeds, self._operators)

    def _run(self, session: Any, feeds: Mapping[str, Any]) -> list[DeviceArray]:
        if session is not self._session:  # the profiler's
            return super()._run(session, feeds)
        if self._captures:
            with self._lock:
                if self._captured is None:
                    outputs = super()._run(session, feeds)
                    self._captured = _Captured(self._device, session, feeds, self._outputs, outputs)
                return self._captured(feeds)
        if self._kept is None:
            return super()._run(session, feeds)
        key = tuple([array.shape for array in feeds.values()])
        binding, outputs = self._kept.pop(key, (None, []))
        if binding is not None and max(_references(outputs), default=0) <= _HELD_BY_POOL:
            _bind_all(binding, feeds)
            self._device.run(session, binding)
        else:
            outputs = super()._run(session, feeds)
            binding = session.io_binding()
            for name, array in zip(self._outputs, outputs, strict=True):
                bind_output(binding, name, array)
        self._kept[key] = binding, outputs
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return list(outputs)

    def forked(self) -> None:
        """Leave the session, and what is bound to it, to the process that started it."""
        super().forked()
        self._captured = None
        if self._kept is not None:
            self._kept.clear()


class _Captured:
    """What a CUDA graph reads and writes: the same memory each time."""

    def __init__(
        self,
        device: Device,
        session: Any,
        feeds: Mapping[str, Any],
        names: Sequence[str],
        outputs: Sequence[DeviceArray],
    ) -> None:
        """Bind memory for inputs like `feeds`, and that of outputs which nobody else has."""
        self._device, self._session, self._outputs = device, session, outputs
        self._inputs = {name: device.empty(array.shape, array.dtype) for name, array in feeds.items()}
        self._binding = session.io_binding()
        _bind_all(self._binding, self._inputs)
        for name, array in zip(names, outputs, strict=True):
            bind_output(self._binding, name, array)

    def __call__(self, feeds: Mapping[str, Any]) -> list[DeviceArray]:
        """The outputs, copied to memory of their own."""
        for name, array in feeds.items():
            self._inputs[name][...] = array
        self._device.run(self._session, self._binding)
        return [y.copy() for y in self._outputs]


class StepOnDevice(_DeviceSession):
    """A session of a step of training, or of its gradient."""

    def __init__(self, device: Device, lowered: Any) -> None:
        super().__init__(device, lowered, StepSession.options)
        self._title = _title("train", lowered)

    def __call__(self, feeds: Mapping[str, Any], operators: Operators = None) -> list[Any]:
        """The outputs for the inputs by name; `operators` is for the profiler, and for errors."""
        return self._watched(self._title, feeds, operators)
