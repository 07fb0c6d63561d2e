"""Imports of the operators of training."""

from __future__ import annotations

from typing import Any

from hybridonnx.errors import ConversionError
from hybridonnx.symbol.gradient import gradients
from hybridonnx.symbol.symbol import Broadcasting

from ._registry import Named, imports


@imports("Gradient", versions=(1,), domain="ai.onnx.preview.training")
def gradient(F: Any, *inputs: Any, xs: tuple[str, ...], y: Named, zs: tuple[str, ...] = ()) -> Any:
    """The derivatives of a value by others that it is computed from, as another part of the graph."""
    names = [*xs, *zs]
    if len(inputs) != len(names) or any(F.name(x) != name for x, name in zip(inputs, names, strict=True)):
        raise ConversionError("Gradient: the values that xs and zs name are required as inputs, got others.")
    target = F.named(y)
    if target is None:
        raise ConversionError(f"Gradient: a value that is computed before is required as y, got {y}.")
    variables = inputs[: len(xs)]
    results = gradients(target, [x.outputs[0] for x in variables])
    return [
        F.zeros_like(x) if dx is None else Broadcasting(dx.outputs)
        for x, dx in zip(variables, results, strict=True)
    ]
