"""Imports of the operators of training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridonnx.errors import ConversionError
from hybridonnx.name import current
from hybridonnx.symbol.cut import cut
from hybridonnx.symbol.gradient import gradients
from hybridonnx.symbol.symbol import Broadcasting

from ._registry import Named, imports


@imports("Gradient", versions=(1,), domain="ai.onnx.preview.training", stays=False)
def gradient(F: Any, *inputs: Any, xs: tuple[Named, ...], y: Named, zs: tuple[Named, ...] = ()) -> Any:
    """The derivatives of a value by others that it is computed from, as another part of the graph."""
    names = [*xs, *zs]
    if len(inputs) != len(names):
        raise ConversionError(
            f"Gradient: an input for each of {', '.join(names)}, which xs and zs name, is required, "
            f"got {len(inputs)}."
        )
    target, *sources = (_value(F, name) for name in (y, *names))
    if any(x.outputs != source.outputs for x, source in zip(inputs, sources, strict=True)):
        target, inputs = _moved(F, target, sources, inputs)
    variables = inputs[: len(xs)]
    results = gradients(target, [x.outputs[0] for x in variables])
    return [
        F.zeros_like(x) if dx is None else Broadcasting(dx.outputs)
        for x, dx in zip(variables, results, strict=True)
    ]


def _value(F: Any, name: str) -> Any:
    value = F.named(name)
    if value is None:
        raise ConversionError(
            f"Gradient: values that are computed before it are required as xs, y and zs, got {name!r}."
        )
    return value


def _moved(F: Any, target: Any, sources: Sequence[Any], inputs: Sequence[Any]) -> tuple[Any, tuple[Any, ...]]:
    """The same function at other values: a copy of what computes `target`, and what it is computed from."""
    places = tuple(F.identity(x) for x in inputs)  # one for each, as several may be one value
    variables = {s.outputs[0]: x.outputs[0].node for s, x in zip(sources, places, strict=True)}
    outputs, originals = cut(target.outputs, variables)
    for node in originals:
        node.name = current().get(None, node.op_name.lower())
    return Broadcasting(outputs), places
