"""The one place where commands compare models: all that they know of `mx.onnx.verify` and its result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..ndarray.files import load as load_arrays
from ..onnx import inspection, models
from ..symbol.symbol import load as load_symbol
from ._command import Answer
from ._models import Files

__all__ = ["compared"]

_FREE = 2
"""What free sizes are taken for."""


def compared(
    first: Files,
    second: Files | None,
    inputs: Mapping[str, Any] | None = None,
    shapes: Any = None,
    sizes: Mapping[str, int] | None = None,
    layers: bool = False,
    tolerance: float | None = None,
    seed: int = 0,
    html: str | None = None,
) -> Answer:
    """Compare two models, or one with what it is exported or imported as.

    Args:
        first: The files of a model, as `_models.parts` gives them.
        second: Those of another.
        inputs: Arrays by the inputs' names; drawn where there are none.
        shapes: The shapes of inputs that are drawn; as the models say unless given.
        sizes: What free sizes are taken for, by name; 2 unless given.
        layers: Whether to judge what is between inputs and outputs even if the outputs agree.
        tolerance: How far outputs may be apart; by what rounding can do unless given.
        seed: What inputs are drawn from.
        html: A file that a page for a browser is written to, if it shall be.

    Returns:
        The answer, which is yes if the models agree.
    """
    one, other = _loaded(first), None if second is None else _loaded(second)
    if other is None and isinstance(one, str):
        symbol, arguments, states = models.import_model(one)
        other = symbol, {**arguments, **states}
    wanted = None if inputs else _drawn(first, second, shapes, sizes or {})
    report = models.verify(one, other, inputs or None, shapes=wanted, layers=layers or None, seed=seed)
    agree = report.ok() if tolerance is None else report.ok(tolerance)
    if html is not None:
        report.to_html(html, tolerance)
    text = str(report)
    if tolerance is not None:
        text += f"\n{'all agree' if agree else 'not all agree'} within the tolerance of {tolerance:g}"
    return Answer(text, {**json.loads(report.to_json()), "ok": agree}, agree)


def _drawn(first: Files, second: Files | None, shapes: Any, sizes: Mapping[str, int]) -> Any:
    """The shapes of inputs that are drawn: what is asked for, else what the models' files say."""
    if isinstance(shapes, list):
        return [_numbers(f"input{i}", shape, sizes) for i, shape in enumerate(shapes)]
    known: dict[str, Sequence[int | str | None]] = dict(shapes or {})
    if not known:
        items = [item for files in (first, second) if files for item in _inputs(files)]
        known = {item.name: item.shape for item in reversed(items) if item.shape is not None}
    return {name: _numbers(name, shape, sizes) for name, shape in known.items()} or None


def _inputs(files: Files) -> Sequence[inspection.Declaration]:
    return inspection.inspect(*files, count=False).inputs


def _numbers(name: str, shape: Sequence[int | str | None], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """A shape with numbers for free sizes."""
    names = [f"{name}_{axis}" if size is None else size for axis, size in enumerate(shape)]
    return tuple(size if isinstance(size, int) else sizes.get(size, _FREE) for size in names)


def _loaded(files: Files) -> Any:
    """A model as `verify` takes it."""
    if len(files) == 1:
        return files[0]
    return load_symbol(str(files[0])), {} if files[1] is None else load_arrays(files[1])
