"""Two models on a labelled set: what a metric says of both, and whose decisions changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import metric as metrics
from ..context import cpu
from ..errors import ConversionError, MXNetError, is_folder
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


class Batch(NamedTuple):
    """Some samples of a labelled set."""

    inputs: Arrays
    labels: Array
    added: int = 0
    """How many of the inputs' last rows make the batch full, and have no labels."""


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
    total, changed, added = 0, 0, 0
    changes: list[Change] = []
    for batch in counted(set_, lambda count, _: f"{count:,} samples", lambda batch: len(batch.labels)):
        labels = batch.labels
        outputs = [_output(run, which, batch, total) for run, which in ((first, "first"), (second, "second"))]
        for own, y in zip(both, outputs, strict=True):
            _update(own, labels, y)
        rows, a, b = _decisions(*outputs)
        changed += len(rows)
        for row in rows[: max(_FIRST - len(changes), 0)]:
            label = float(np.ravel(labels[row])[0])
            changes.append(Change(total + int(row), label, int(a[row]), int(b[row])))
        total += len(labels)
        added += batch.added
    (name, before), (_, after) = (own.get() for own in both)
    return Score(_text(metric, name), float(before), float(after), total, changed, tuple(changes), added)


def _output(run: Callable[[Arrays], Arrays], which: str, batch: Batch, start: int) -> Array:
    """The first output of a model, of the rows that have labels."""
    try:
        y = next(iter(run(batch.inputs).values()))
    except ConversionError:
        raise
    except MXNetError as exc:
        raise ConversionError(
            f"verify: samples that both models take are required, and the {which} model does not take "
            f"{_culprit(run, batch, start)}: {exc}"
        ) from exc
    return y[: len(y) - len(y) * batch.added // _rows_of(batch)] if batch.added else y


def _culprit(run: Callable[[Arrays], Arrays], batch: Batch, start: int) -> str:
    """The first sample that a model does not take by itself, or else all of the batch."""
    count, rows = len(batch.labels), _rows_of(batch)
    for row in range(count if rows == count + batch.added else 0):
        try:
            run(_picked(batch, np.full(rows, row)))
        except MXNetError:
            return f"sample {start + row}"
    return f"samples {start} to {start + count - 1}"


def _update(metric: metrics.EvalMetric, labels: Array, y: Array) -> None:
    try:
        metric.update([NDArray(labels, cpu())], [NDArray(np.asarray(y, np.float32), cpu())])
    except (MXNetError, ValueError, IndexError, TypeError, AssertionError) as exc:
        raise ConversionError(
            f"verify: a metric of outputs {y.shape} and labels {labels.shape} is required, "
            f"got {metric.name}, which does not take them: {exc}"
        ) from exc


def _decisions(first: Array, second: Array) -> tuple[Array, Array, Array]:
    """The rows that two outputs decide differently, and the decisions of both, if they have classes."""
    if not all(y.ndim > 1 and y.shape[1] > 1 for y in (first, second)):
        return np.zeros(0, int), np.zeros(0, int), np.zeros(0, int)
    a, b = (y.argmax(axis=1).reshape(len(y), -1) for y in (first, second))
    rows = np.flatnonzero((a != b).any(axis=1)) if a.shape == b.shape else np.arange(len(a))
    return rows, a[:, 0], b[:, 0]


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


def begun(batches: Iterator[Batch], count: int) -> tuple[list[Batch], Iterator[Batch]]:
    """The first `count` batches of a set, and all of them.

    Raises:
        ConversionError: If the set has no sample.
    """
    batches = (batch for batch in batches if len(batch.labels))
    head = list(islice(batches, count))
    if not head:
        raise ConversionError("verify: one labelled sample at least is required, got none.")
    return head, chain(head, batches)


def fitted(batch: Batch, rows: int | None) -> Iterator[Batch]:
    """A batch in parts of as many rows as the models take, with the last row again where there are fewer.

    Args:
        batch: The batch, which stays as it is if its samples are along another axis than the first.
        rows: How many rows the models take; any number if `None`.
    """
    count = len(batch.labels)
    if rows is None or rows == count or _rows_of(batch) != count:
        yield batch
        return
    for start in range(0, count, rows):
        places = np.arange(start, start + rows)
        labels = batch.labels[start : start + rows]
        yield Batch(_picked(batch, np.minimum(places, count - 1)), labels, rows - len(labels))


def _rows_of(batch: Batch) -> int:
    x = next(iter(batch.inputs.values()))
    return len(x) if x.ndim else 0


def _picked(batch: Batch, places: Array) -> Arrays:
    """The inputs of some samples; what has no row for each stays as it is."""
    rows = _rows_of(batch)
    return {name: x[places] if x.ndim and len(x) == rows else x for name, x in batch.inputs.items()}


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
        yield from _folder(path, specs, pixels) if is_folder(path) else _rows(loaded(path), specs)
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
    return Batch(dict(zip(names, values, strict=False)), values[len(names)])


def _split(arrays: Arrays, names: list[str]) -> Batch:
    others = [name for name in arrays if name not in names]
    label = next((name for name in (*_LABELS, *others) if name in others), None)
    missing = [name for name in names if name not in arrays]
    if (len(others) != 1 and label not in _LABELS) or label is None or missing:
        raise ConversionError(
            f"verify: arrays {', '.join(names)} and one with labels are required for a metric, got "
            f"{', '.join(arrays) or 'none'}."
        )
    return Batch({name: arrays[name] for name in names}, arrays[label])


def _rows(arrays: Arrays, specs: Mapping[str, Spec]) -> Iterator[Batch]:
    """Arrays of the whole set, cut into batches."""
    inputs, labels, _ = _split(arrays, list(specs))
    for name, x in inputs.items():
        if np.shape(x)[:1] != np.shape(labels)[:1]:
            raise ConversionError(
                f"verify: a label for each row is required, got labels {np.shape(labels)} for {name} "
                f"{np.shape(x)}."
            )
    count = batch_size(next(iter(specs.values())), _ROWS)
    for start in range(0, len(labels), count):
        part = slice(start, start + count)
        yield Batch({name: x[part] for name, x in inputs.items()}, labels[part])


def _folder(folder: Path, specs: Mapping[str, Spec], pixels: Pixels) -> Iterator[Batch]:
    items = classes_in(folder)
    if not items:
        raise ConversionError(f"verify: a folder of images for each class is required in {folder}, got none.")
    name, spec = input_of_images(specs)
    labels = np.array([label for _, label in items], np.float32)
    done = 0
    for x in batches([path for path, _ in items], spec, pixels, _ROWS):
        yield Batch({name: x}, labels[done : done + len(x)])
        done += len(x)
