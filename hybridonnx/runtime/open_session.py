"""Sessions of ONNX Runtime that a user opened, with providers, threads and optimizations of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnxruntime as ort

from ..errors import MXNetError
from ..ops import Array
from .failures import FAILURES, sentence


def is_session(model: Any) -> bool:
    """Whether a model is an open session."""
    return isinstance(model, ort.InferenceSession)


def model_of(session: Any) -> str | bytes:
    """The file or the bytes that a session was opened with."""
    source: str | bytes | None = session._model_bytes or session._model_path
    if source is None:
        raise MXNetError("A session of a file or of bytes is required. Give the model itself.")
    return source


def run(session: Any, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs by name. Raises `MXNetError` for what ONNX Runtime raises."""
    try:
        outputs = session.run(None, dict(inputs))
    except FAILURES as exc:
        raise MXNetError(f"The session could not run the model: {sentence(exc)}") from exc
    return dict(zip([item.name for item in session.get_outputs()], outputs, strict=True))
