"""One ONNX Runtime session over a lowered graph, its parameters in place and its output buffers reused."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime as ort

from .. import config
from ..errors import MXNetError
from ..ops._generator import Drawing
from ..ops._registry import Array

_FREE = 2
"""References to a buffer that only the pool holds: the pool's list and the argument of getrefcount."""


def options() -> Any:
    """Session options: ONNX Runtime's own defaults, quiet, with the threads that the environment asks for."""
    made = ort.SessionOptions()
    made.log_severity_level = 4
    made.intra_op_num_threads = config.THREADS()
    return made


class Session:
    """Runs a lowered graph. `parameters` become initializers over their own memory, without a copy."""

    def __init__(self, lowered: Any, parameters: Mapping[str, Array], reuse_outputs: bool = False) -> None:
        settings = options()
        names = [name for name in lowered.parameters if name in parameters]
        self._held = [ort.OrtValue.ortvalue_from_numpy(parameters[name]) for name in names]
        if names:
            settings.add_external_initializers(names, self._held)
        try:
            self._session = ort.InferenceSession(
                lowered.model.SerializeToString(), settings, providers=["CPUExecutionProvider"]
            )
        except Exception as exc:
            raise MXNetError(f"ONNX Runtime does not accept the graph: {exc}") from exc
        self._run = self._session.run
        self.inputs: Sequence[str] = lowered.inputs
        self._outputs = list(lowered.outputs)
        self._noise = lowered.noise
        self._pool: list[list[Array]] | None = [] if reuse_outputs else None

    def __call__(self, feeds: dict[str, Array]) -> list[Array]:
        """The outputs for the inputs by name."""
        for noise in self._noise:
            with Drawing() as rng:
                feeds[noise.name] = np.ascontiguousarray(noise.op.draw(rng, *noise.specs))
        try:
            if self._pool is None:
                found: list[Array] = self._run(self._outputs, feeds)
                return found
            return self._run_into_pool(feeds, self._pool)
        except Exception as exc:
            raise MXNetError(f"ONNX Runtime could not run the graph: {exc}") from exc

    def _run_into_pool(self, feeds: dict[str, Array], pool: list[list[Array]]) -> list[Array]:
        """Run into buffers of an earlier call that nobody holds any more; the first call makes them."""
        try:
            buffers = pool.pop()
        except IndexError:
            buffers = []
        if not buffers or any(sys.getrefcount(b) > _FREE + 1 for b in buffers):
            found: list[Array] = self._run(self._outputs, feeds)
        else:
            binding = self._session.io_binding()
            for name, array in feeds.items():
                binding.bind_cpu_input(name, array)
            for name, buffer in zip(self._outputs, buffers, strict=True):
                binding.bind_output(name, "cpu", 0, buffer.dtype, buffer.shape, buffer.ctypes.data)
            self._session.run_with_iobinding(binding)
            found = list(buffers)
        pool.append(list(found))
        return found
