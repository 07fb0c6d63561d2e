"""Steps of an optimizer for weights on devices: one session for all that one call updates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..context import device_of
from ..ndarray.ndarray import NDArray
from ..ndarray.watch import overwrite, written
from ..runtime.traced import Trace, Traced, Untraceable

Step = Callable[[Any, Any, Sequence[Any]], None]
"""Writes a weight and its states anew: `(weight, gradient, states)`, as NumPy has them or in a trace."""


class DeviceSteps:
    """Steps of weights on devices; those that are taken in a `with` block run together at its end."""

    def __init__(self, name: str) -> None:
        """Take the name of the optimizer."""
        self._name = name
        self._depth = 0
        self._traces: dict[Any, tuple[Trace, list[tuple[Any, Traced]]]] = {}

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, kind: object, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            traces, self._traces = self._traces, {}
            if kind is None:
                _run(traces.values())

    def take(self, weight: NDArray, grad: NDArray, rows: bool, states: Sequence[Any], step: Step) -> None:
        """Take the step of a weight; one that no graph says runs on the processor at once."""
        device = device_of(weight.context)
        arrays = [weight._data, *states]
        with self:
            trace, changes = self._traces.setdefault(device, (Trace(device), []))
            wide = [None if a is None else trace.array(a).astype(_wide(a.dtype)) for a in arrays]
            try:
                if rows:
                    raise Untraceable("The gradient is row-sparse.")
                g = trace.array(grad._data)
                step(wide[0], g.astype(_wide(g.dtype), copy=False), wide[1:])
            except Untraceable as exc:
                device.tell(self._name, str(exc))
                hosts: list[Any] = [None if a is None else a.host() for a in arrays]
                step(hosts[0], grad if rows else grad._host, hosts[1:])
                for array, values in zip(arrays, hosts, strict=True):
                    if array is not None:
                        overwrite(array, values)
                return
            changes += [
                (a, x.astype(a.dtype, copy=False)) for a, x in zip(arrays, wide, strict=True) if x is not None
            ]


def _run(traces: Iterable[tuple[Trace, Sequence[tuple[Any, Traced]]]]) -> None:
    """Compute the steps, and write weights and states."""
    for trace, changes in traces:
        for array, _ in changes:
            written(array)
        trace.write(changes)
        for array, _ in changes:
            written(array)


def _wide(dtype: Any) -> Any:
    return np.dtype(np.float32) if dtype == np.float16 else dtype
