"""The way from blocks to the converters, which are loaded when a file asks for them."""

from __future__ import annotations

from typing import Any


def import_onnx(path: str) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """The graph of an ONNX file, with the values of its arguments and of its auxiliary states."""
    from ..converters import from_onnx

    found: tuple[Any, dict[str, Any], dict[str, Any]] = from_onnx.import_model(path)
    return found
