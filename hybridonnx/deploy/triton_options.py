"""How Triton serves a model, and what the classes of its outputs are called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..errors import MXNetError, content_of

__all__ = ["Labels", "TritonOptions", "labels_of"]


@dataclass(frozen=True)
class TritonOptions:
    """How Triton serves a model."""

    backend: Literal["onnxruntime", "python"] = "onnxruntime"
    """What runs it: Triton's backend for ONNX Runtime, or its python backend with a model.py that needs numpy
    and onnxruntime in Triton's Python."""
    max_batch: int | None = None
    """The most rows that requests are put together to; 0 puts none together. Unless given it is 32 if the
    model is found to treat rows one by one, else 0."""
    preferred: Sequence[int] = ()
    """Sizes of batches that Triton does not wait beyond."""
    max_delay: float = 0.0
    """The longest time, in seconds, that a request waits for others."""
    instances: int = 1
    """How many copies of the model run at once."""
    gpus: Sequence[int] | None = None
    """The GPUs that they run on, each with so many; all of them for none in the list. On the processor unless
    given."""
    threads: int = 0
    """Threads of each; 0 for as many as ONNX Runtime likes."""
    warmup: bool | None = None
    """Whether Triton makes requests itself before the model is ready. Unless given it does if all sizes are
    known."""
    sizes: Mapping[str, int] | None = None
    """What free sizes are taken for when it is tried and warmed up, by name."""
    labels: Any = None
    """What the classes of the only output are called, in order, or a file with a line for each; or either by
    the outputs' names."""
    versions: int | str | Sequence[int] = 1
    """Which versions Triton serves: so many of the latest, "all", or a list of numbers."""
    version: int | None = None
    """The number of this version; the next free one unless given."""
    replace: bool = False
    """Whether a config of earlier versions may be replaced by another."""

    def require(self) -> None:
        """Refuse what cannot be meant.

        Raises:
            MXNetError: If an option is out of its range.
        """
        if self.backend not in ("onnxruntime", "python"):
            raise MXNetError(f"triton: the backend onnxruntime or python is required, got {self.backend!r}.")
        most = self.max_batch
        if (most is not None and most < 0) or self.max_delay < 0 or self.instances < 1 or self.threads < 0:
            raise MXNetError(
                "triton: max_batch, max_delay and threads from 0 on, and instances from 1 on, are required, "
                f"got {most}, {self.max_delay}, {self.threads} and {self.instances}."
            )
        if any(size < 1 or (most is not None and size > most) for size in self.preferred):
            raise MXNetError(
                f"triton: preferred sizes from 1 to max_batch are required, got {list(self.preferred)}."
            )


class Labels(NamedTuple):
    """What the classes of an output are called."""

    file: str
    content: bytes


def labels_of(given: Any, outputs: Sequence[str]) -> dict[str, Labels]:
    """The files of labels by the outputs' names."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        if len(outputs) != 1:
            raise MXNetError(
                f"triton: labels by the outputs {', '.join(outputs)} are required of a model with several, "
                "got one list."
            )
        given = {outputs[0]: given}
    strange = [name for name in given if name not in outputs]
    if strange:
        raise MXNetError(
            f"triton: labels: outputs among {', '.join(outputs)} are required, got {strange[0]}."
        )
    files = {name: "labels.txt" if len(given) == 1 else f"labels_{outputs.index(name)}.txt" for name in given}
    return {name: Labels(files[name], _lines(name, value)) for name, value in given.items()}


def _lines(name: str, value: Any) -> bytes:
    """A file of labels, a line for each."""
    if isinstance(value, str | os.PathLike):
        return content_of(value)
    texts = [str(text) for text in value]
    broken = [text for text in texts if not text or len(text.splitlines()) != 1]
    if broken or not texts:
        raise MXNetError(
            f"triton: labels of one line each are required for {name}, got {broken[0]!r}."
            if broken
            else f"triton: labels are required for {name}, got none."
        )
    return "".join(f"{text}\n" for text in texts).encode()
