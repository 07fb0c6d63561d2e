"""The one place where commands compare models: all that they know of `mx.onnx.verify` and its result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ..onnx import inspection, models
from ._command import Answer
from ._models import Files, loaded

__all__ = ["compared"]


def compared(
    first: Files,
    second: Files | None,
    inputs: Mapping[str, Any] | str | None = None,
    shapes: Any = None,
    sizes: Mapping[str, int | Sequence[int]] | None = None,
    layers: bool = True,
    tolerance: float | None = None,
    html: str | None = None,
    **options: Any,
) -> Answer:
    """Compare two models, or one with what it is exported or imported as.

    Args:
        first: The files of a model, as `_models.parts` gives them.
        second: Those of another.
        inputs: Arrays by the inputs' names, or a file or folder of inputs; drawn where there are none.
        shapes: The shapes of inputs that are drawn; as the models say unless given.
        sizes: What free sizes are tried at, by name; 1, 2 and 7 unless given.
        layers: Whether to judge what is between inputs and outputs, too.
        tolerance: How far outputs may be apart; by what rounding can do unless given.
        html: A file that a page for a browser is written to, if it shall be.
        options: What else `verify` takes.

    Returns:
        The answer, which is yes if the models agree.
    """
    one, other = loaded(first), None if second is None else loaded(second)
    if other is None and isinstance(one, str):
        symbol, arguments, states = models.import_model(one)
        other = symbol, {**arguments, **states}
    wanted = _shapes(first, second, shapes) if not inputs or isinstance(inputs, str) else None
    report = models.verify(
        one, other, inputs or None, shapes=wanted, sizes=sizes or None, layers=layers, **options
    )
    agree = report.ok() if tolerance is None else report.ok(tolerance)
    if html is not None:
        report.to_html(html, tolerance)
    text = str(report)
    if tolerance is not None:
        text += f"\n{'all agree' if agree else 'not all agree'} within the tolerance of {tolerance:g}"
    return Answer(text, {**json.loads(report.to_json()), "ok": agree}, agree)


def _shapes(first: Files, second: Files | None, shapes: Any) -> Any:
    """The shapes of inputs: what is asked for, else what the models' files say."""
    if shapes:
        return shapes
    items = [item for files in (first, second) if files for item in _inputs(files)]
    known = {item.name: item.shape for item in reversed(items) if item.shape is not None}
    if not known and items:
        raise click.UsageError(
            f"the shapes of the inputs {', '.join(item.name for item in items)} are required, as in "
            f"--shape {items[0].name}=2,3,224,224, got none"
        )
    return known or None


def _inputs(files: Files) -> Sequence[inspection.Declaration]:
    return inspection.inspect(*files, count=False).inputs
