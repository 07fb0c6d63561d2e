"""Whether the rows of a model know nothing of each other, so that those of several calls can be batched."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..converters.inspection import Declaration
from ..converters.limits import Limit, input_limits
from ..dtypes import as_dtype, is_bfloat16
from ..errors import MXNetError
from ..ops import Array, Spec, SymbolicDim
from ..parity.drawing import Draws
from ..parity.models import Runnable
from ..parity.sizes import dim
from .open_models import NativeModel, OnnxModel

_ROWS = 3
_NEAR = 1e-3
"""How far a row may be from the same row alone, relative to the largest number: products are summed in blocks
that depend on how many rows there are."""
_NEAR_HALF = 2e-2
"""The same of float16 and bfloat16."""


def rows_fault(
    model: OnnxModel | NativeModel,
    files: Sequence[Path],
    inputs: Sequence[Declaration] = (),
    sizes: Mapping[str, int] | None = None,
) -> str:
    """Why rows of a model may not be put together with those of others; nothing if they may.

    It is asked what it makes of some rows that are drawn, together and one by one.

    Args:
        model: The model, which runs.
        files: Its files.
        inputs: What it takes, where more is known than it says.
        sizes: What free sizes are taken for, by name; else the first of some that it takes.

    Returns:
        A reason, which begins like `its rows`.
    """
    declared = inputs or model.inputs
    firsts = [item.shape[0] if item.shape else 0 for item in declared]
    if not declared or any(isinstance(size, int) for size in firsts):
        return "the first size of each input is not free"
    try:
        runnable = _runnable(model, files, declared)
        draws = Draws(runnable, runnable, None, sizes)
    except MXNetError as exc:
        return str(exc).rstrip(".")
    names = {spec.shape[0] for spec in draws.specs.values() if spec.shape}
    if not all(isinstance(size, SymbolicDim) and len(size.names()) == 1 for size in names):
        return "the first size of an input is computed of others"
    rows = {name for size in names if isinstance(size, SymbolicDim) for name in size.names()}
    others = {d for spec in draws.specs.values() for d in (spec.shape or ())[1:]}
    if any(isinstance(d, SymbolicDim) and d.names() & rows for d in others):
        return "the first size of an input is that of another axis, too"
    return _tried(runnable, draws, rows)


def _tried(model: Runnable, draws: Draws, rows: set[str]) -> str:
    """What is found at the first sizes that the model takes."""
    said = ""
    for base in draws.free.bases():
        try:
            sample = draws.sample({**base, **dict.fromkeys(rows, _ROWS)}, 0)
            together = model.run(sample)
            alone = [
                model.run({name: array[i : i + 1] for name, array in sample.items()}) for i in range(_ROWS)
            ]
        except MXNetError as exc:
            said = said or str(exc).rstrip(".")
            continue
        return next(
            (
                f"output {name} {fault}"
                for name in together
                if (fault := _fault(together[name], [one[name] for one in alone]))
            ),
            "",
        )
    return f"it takes none of the sizes that were tried: {said}"


def _fault(together: Any, alone: Sequence[Any]) -> str:
    """What is wrong with an output of some rows, beside those of each."""
    arrays = (together, *alone)
    if not all(isinstance(array, np.ndarray) and array.ndim for array in arrays):
        return "has no rows"
    if len(together) != _ROWS or any(len(array) != 1 for array in alone):
        return f"has {len(together)} rows for {_ROWS}"
    one_by_one = np.concatenate(list(alone)) if len({a.shape for a in alone}) == 1 else None
    if one_by_one is None or one_by_one.shape != together.shape or not _near(together, one_by_one):
        return "gives other numbers for rows together than for each"
    return ""


def _near(a: Array, b: Array) -> bool:
    if a.dtype.kind not in "fcV":
        return bool(np.array_equal(a, b))
    half = is_bfloat16(a.dtype) or a.dtype == np.float16
    if a.dtype.kind == "V":
        a, b = a.astype(np.float32), b.astype(np.float32)
    finite = np.abs(a[np.isfinite(a)])
    unit = float(finite.max()) if finite.size else 0.0
    near = _NEAR_HALF if half else _NEAR
    return bool(np.allclose(a, b, rtol=near, atol=near * unit, equal_nan=True))


def _runnable(
    model: OnnxModel | NativeModel, files: Sequence[Path], declared: Sequence[Declaration]
) -> Runnable:
    """A model as what draws inputs takes it."""
    inputs = {
        item.name: Spec(
            tuple(dim(size, item.name, i) for i, size in enumerate(item.shape or ())), as_dtype(item.dtype)
        )
        for item in declared
    }
    if isinstance(model, NativeModel):
        limits = model.limits
    else:
        limits = partial(_limits_of_file, os.fspath(files[0]))
    return Runnable(inputs, model, _nothing, _nothing, limits, _nothing)


def _limits_of_file(path: str, inputs: Mapping[str, Spec]) -> Mapping[str, Sequence[Limit]]:
    shapes = {n: tuple(s if isinstance(s, int) else str(s) for s in i.shape or ()) for n, i in inputs.items()}
    return input_limits(path, shapes)


def _nothing() -> Any:
    return None
