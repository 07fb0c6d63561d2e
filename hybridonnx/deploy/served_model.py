"""A model as a server has it: what it takes and gives, its limits, and its batches."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from ..errors import MXNetError
from ..onnx.inspection import Declaration
from ..onnx.open_models import model_files, open_model
from ..onnx.rows import rows_fault
from .batcher import Batcher
from .datatypes import datatype_of
from .messages import RefusedError, Tensor
from .serve_options import BATCH, Batches, Limits

if TYPE_CHECKING:
    from .metrics import ModelMetrics


class ServedModel:
    """A model that answers requests.

    Args:
        name: What clients call it.
        path: An ONNX file, or MXNet's prefix-symbol.json, with the parameters beside it.
        batches: How requests are put together.
        limits: What is refused.
        metrics: Is told of what is done.
        threads: Of its session; 0 for as many as ONNX Runtime likes.
        providers: ONNX Runtime's; the processor's unless given.

    Raises:
        MXNetError: If there is no such model, or it does not tell what it takes.
    """

    def __init__(
        self,
        name: str,
        path: str | os.PathLike[str],
        batches: Batches,
        limits: Limits,
        metrics: ModelMetrics,
        threads: int = 0,
        providers: Sequence[Any] = (),
    ) -> None:
        self.name, self.metrics, self._limits = name, metrics, limits
        files = model_files(path)
        self._model = open_model(files, threads, providers)
        self._declared = {item.name: item for item in self._model.inputs}
        self.inputs = [_tensor(item) for item in self._model.inputs]
        """What it takes."""
        self.outputs = [_tensor(item) for item in self._model.outputs]
        """What it gives."""
        self.datatypes = {item.name: item.datatype for item in self.outputs}
        """Of the outputs."""
        self.kind = "onnx" if files[0].suffix != ".json" else "mxnet"
        """Whose files they are."""
        self.fault = "" if batches.most is not None else rows_fault(self._model, files, sizes=batches.sizes)
        """Why its rows are not batched."""
        self.most = batches.most if batches.most is not None else 0 if self.fault else BATCH
        """The most rows of a batch; 0 for no batches."""
        fixed = [item.name for item in (*self.inputs, *self.outputs) if item.shape[:1] != (-1,)]
        if self.most and (fixed or not self.inputs):
            raise MXNetError(
                "serve: inputs and outputs whose first size is free are required for batches, got "
                f"{', '.join(fixed) or 'no inputs'} of {name}. Give batch=0."
            )
        self._batcher = Batcher(self._model, self.most, batches.delay, batches.instances, metrics.batch_done)

    def submit(self, arrays: Mapping[str, Any]) -> Future[dict[str, Any]]:
        """The outputs for inputs, once they are there.

        Raises:
            RefusedError: If the sizes are more than the limits, or do not fit each other.
        """
        self._require_sizes(arrays)
        return self._batcher.submit(arrays)

    def close(self) -> None:
        """Answer what waits, and end."""
        self._batcher.close()

    def metadata(self) -> dict[str, Any]:
        """What it is, as the protocol says it."""
        return {
            "name": self.name,
            "versions": ["1"],
            "platform": "onnxruntime_onnx" if self.kind == "onnx" else "hybridonnx_mxnet",
            "inputs": [{**item._asdict(), "shape": list(item.shape)} for item in self.inputs],
            "outputs": [{**item._asdict(), "shape": list(item.shape)} for item in self.outputs],
        }

    def _require_sizes(self, arrays: Mapping[str, Any]) -> None:
        named: dict[str, int] = {}
        for name, array in arrays.items():
            shape = self._declared[name].shape or ()
            for axis, (declared, size) in enumerate(zip(shape, array.shape, strict=True)):
                if isinstance(declared, int):
                    continue
                most = self._limits.size if axis or not self.most else self._limits.rows
                if size > most:
                    raise RefusedError(
                        f"inputs: sizes up to {most} are required on axis {axis} of {name}, got {size}."
                    )
                if declared and named.setdefault(declared, size) != size:
                    raise RefusedError(
                        f"inputs: one size is required of all that is called {declared}, got "
                        f"{named[declared]} and {size} on axis {axis} of {name}."
                    )
        rows = {len(array) for array in arrays.values()} if self.most else set()
        if len(rows) > 1:
            raise RefusedError(f"inputs: as many rows of each are required, got {sorted(rows)}.")


def _tensor(item: Declaration) -> Tensor:
    if item.shape is None:
        raise MXNetError(
            f"serve: a model that tells its shapes is required, got none of {item.name}. Write it to ONNX: "
            "hybridonnx convert MODEL --shape."
        )
    shape = tuple(size if isinstance(size, int) else -1 for size in item.shape)
    if math.prod(shape) == 0:
        raise MXNetError(f"serve: sizes from 1 on are required of {item.name}, got {item.shape}.")
    return Tensor(item.name, datatype_of("serve", item), shape)
