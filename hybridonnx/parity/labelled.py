"""Two models on a labelled set: what a metric says of both, and whose decisions changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from .. import metric as metrics
from ..errors import ConversionError
from ..ndarray.ndarray import NDArray
from ..ops import Array, Spec
from .inputs import as_array, loaded
from .models import Arrays
from .pictures import Pixels, batch_size, batches, classes_in, input_of_images
from .progress import counted
from .results import Change, Score

_ROWS = 16
"""Rows of a batch that is made of files."""
_FIRST = 10
"""So many changed decisions are named."""
_LABELS = ("label", "labels", "softmax_label", "y", "target")
Batch: TypeAlias = tuple[Arrays, Array]
"""Inputs by name, and labels."""


def score(
    first: Callable[[Arrays], Arrays],
    second: Callable[[Arrays], Arrays],
    set_: Iterable[Batch],
    metric: Any,
) -> Score:
    """Run both models over a labelled set, batch by batch.

    Args:
        first: Runs the first model.
        second: Runs the second one on the first one's inputs.
        set_: The batches.
        metric: A metric, its name, or "top1", "top5" and the like.
    """
    both = [_metric(metric), _metric(metric)]
    total, changed = 0, 0
    changes: list[Change] = []
    for inputs, labels in counted(set_, "{} samples", lambda batch: len(batch[1])):
        outputs = [next(iter(run(inputs).values())) for run in (first, second)]
        for own, y in zip(both, outputs, strict=True):
            own.update([NDArray(labels)], [NDArray(np.asarray(y, np.float32))])
        if all(y.ndim > 1 and y.shape[1] > 1 for y in outputs):
            a, b = (y.argmax(axis=1).reshape(len(y), -1) for y in outputs)
            rows = np.flatnonzero((a != b).any(axis=1)) if a.shape == b.shape else np.arange(len(a))
            changed += len(rows)
            for row in rows[: max(_FIRST - len(changes), 0)]:
                label = float(np.ravel(labels[row])[0])
                changes.append(Change(total + int(row), label, int(a[row][0]), int(b[row][0])))
        total += len(labels)
    if not total:
        raise ConversionError("verify: one labelled sample at least is required, got none.")
    (name, before), (_, after) = (own.get() for own in both)
    return Score(_text(metric, name), float(before), float(after), total, changed, tuple(changes))


def _metric(metric: Any) -> metrics.EvalMetric:
    if isinstance(metric, metrics.EvalMetric):
        own = deepcopy(metric)
        own.reset()
        return own
    if isinstance(metric, str) and metric.startswith("top") and metric[3:].isdigit() and int(metric[3:]):
        count = int(metric[3:])
        return metrics.Accuracy() if count == 1 else metrics.TopKAccuracy(top_k=count)
    try:
        return metrics.create(metric)
    except AssertionError as exc:
        raise ConversionError(f"verify: a metric, or a name such as top1, is required: {exc}") from None


def _text(metric: Any, name: Any) -> str:
    return metric if isinstance(metric, str) else str(name)


# ---- labelled sets


def labelled(inputs: Any, specs: Mapping[str, Spec], pixels: Pixels) -> Iterator[Batch]:
    """The batches of a labelled set.

    Args:
        inputs: A DataLoader or another iterable of data and labels, or of batches of `mx.io`; an `.npz` file
            with arrays by the inputs' names and one more; a folder of a folder of images for each class.
        specs: What the model takes, by name.
        pixels: What becomes of images.
    """
    names = list(specs)
    if isinstance(inputs, str | os.PathLike):
        path = Path(inputs)
        yield from _folder(path, specs, pixels) if path.is_dir() else _rows(loaded(path), specs)
    elif isinstance(inputs, Mapping):
        yield from _rows({name: as_array(value) for name, value in inputs.items()}, specs)
    elif inputs is None or hasattr(inputs, "asnumpy") or isinstance(inputs, np.ndarray):
        raise ConversionError("verify: inputs with labels are required for a metric, such as a DataLoader.")
    elif isinstance(inputs, tuple | list) and len(inputs) == len(names) + 1 and hasattr(inputs[0], "shape"):
        yield from _rows(
            {name: as_array(x) for name, x in zip([*names, "label"], inputs, strict=True)}, specs
        )
    else:
        for batch in inputs:
            yield _batch(batch, names)


def _batch(batch: Any, names: list[str]) -> Batch:
    if hasattr(batch, "data") and hasattr(batch, "label"):  # of mx.io, whose last rows may be the first again
        values = [as_array(value) for value in (*batch.data, *(batch.label or []))]
        batch = [x[: len(x) - (batch.pad or 0)] for x in values]
    if isinstance(batch, Mapping):
        arrays = {name: as_array(value) for name, value in batch.items()}
        return _split(arrays, names)
    if not isinstance(batch, list | tuple) or len(batch) <= len(names):
        got = len(batch) if isinstance(batch, list | tuple) else type(batch).__name__
        raise ConversionError(
            f"verify: batches of {', '.join(names)} and labels are required for a metric, got {got}."
        )
    values = [as_array(value) for value in batch]
    return dict(zip(names, values, strict=False)), values[len(names)]


def _split(arrays: Arrays, names: list[str]) -> Batch:
    others = [name for name in arrays if name not in names]
    label = next((name for name in (*_LABELS, *others) if name in others), None)
    missing = [name for name in names if name not in arrays]
    if (len(others) != 1 and label not in _LABELS) or label is None or missing:
        raise ConversionError(
            f"verify: arrays {', '.join(names)} and one with labels are required for a metric, got "
            f"{', '.join(arrays) or 'none'}."
        )
    return {name: arrays[name] for name in names}, arrays[label]


def _rows(arrays: Arrays, specs: Mapping[str, Spec]) -> Iterator[Batch]:
    """Arrays of the whole set, cut into batches."""
    inputs, labels = _split(arrays, list(specs))
    count = batch_size(next(iter(specs.values())), _ROWS)
    for start in range(0, len(labels), count):
        part = slice(start, start + count)
        yield {name: x[part] for name, x in inputs.items()}, labels[part]


def _folder(folder: Path, specs: Mapping[str, Spec], pixels: Pixels) -> Iterator[Batch]:
    items = classes_in(folder)
    if not items:
        raise ConversionError(f"verify: a folder of images for each class is required in {folder}, got none.")
    name, spec = input_of_images(specs)
    labels = np.array([label for _, label in items], np.float32)
    done = 0
    for x in batches([path for path, _ in items], spec, pixels, _ROWS):
        yield {name: x}, labels[done : done + len(x)]
        done += len(x)
