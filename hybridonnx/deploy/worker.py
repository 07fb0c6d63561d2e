"""What does shards of a job, in whatever process or machine it is put."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import MXNetError, ShapeError, without_places
from ..ndarray.ndarray import NDArray
from ..onnx.inspection import Declaration
from .job import Job, Shard, ShardResult
from .pixels import decode, picture
from .sources import Encoded
from .tables import parquet_bytes

__all__ = ["BadRowError", "ShardWorker"]

_PLACES = ("source", "row")
"""The columns that say where a row comes from."""
Rows = dict[int, dict[str, Any]]
"""The values of rows by column, by the rows' numbers."""
Part = tuple[list[int], dict[str, Any]]
"""The numbers of rows, and their outputs."""


class BadRowError(MXNetError):
    """A row that cannot be predicted, and ended a job."""


class ShardWorker:
    """Predicts shards of a job one after another: `worker(number)`."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._predictor = job.predictor
        self._inputs = {item.name: item for item in self._predictor.inputs}
        clashes = {*_PLACES} & {item.name for item in self._predictor.outputs}
        if clashes:
            raise MXNetError(
                f"predict: outputs that are not called {' or '.join(_PLACES)} are required, got "
                f"{min(clashes)}, which is a column of the results."
            )

    def __call__(self, number: int) -> ShardResult:
        """Predict a shard, write it, and note that it is done.

        Args:
            number: The shard's.

        Raises:
            BadRowError: If a row cannot be predicted, and the job does not set such rows aside.
            FileError: If a file cannot be read or written.
        """
        job = self._job
        shard = job.shards[number]
        source = job.sources[shard.source]
        bad: dict[int, str] = {}
        columns = self._read(shard)
        parts: list[Part] = []
        for start in range(shard.start, shard.stop, job.batch):
            numbers = range(start, min(start + job.batch, shard.stop))
            values = {
                name: column[start - shard.start : numbers.stop - shard.start]
                for name, column in columns.items()
            }
            parts += self._predicted(numbers, values, bad)
        if bad and not job.skips:
            row, reason = min(bad.items())
            raise BadRowError(
                f"predict: row {row} of {source.label(row)} cannot be predicted: {reason} Rows that can are "
                "required, or on_error='skip', which sets the others aside."
            )
        results = self._columns(shard, parts)
        aside = [
            {"source": source.label(row), "row": row, "reason": text} for row, text in sorted(bad.items())
        ]
        return job.finish(shard, parquet_bytes(results), len(results["row"]), aside)

    # ---- in

    def _read(self, shard: Shard) -> dict[str, Any]:
        """The columns of a shard that the model takes or that are kept."""
        names = {name: self._job.columns.get(name, name) for name in self._inputs}
        wanted = {**names, **{name: name for name in self._predictor.keep}}
        source = self._job.sources[shard.source]
        columns = source.read(list(dict.fromkeys(wanted.values())), shard.start, shard.stop)
        return {name: columns[column] for name, column in wanted.items()}

    def _rows(self, numbers: range, columns: Mapping[str, Any], bad: dict[int, str]) -> Rows:
        """Rows one by one, those that can be read; what is wrong with the others goes into `bad`."""
        rows: Rows = {}
        for i, row in enumerate(numbers):
            try:
                rows[row] = {
                    name: self._value(name, column[i]) if name in self._inputs else column[i]
                    for name, column in columns.items()
                }
            except MXNetError as exc:
                bad[row] = without_places(exc)
        return rows

    def _value(self, name: str, value: Any) -> Any:
        """A row of an input: images become arrays."""
        if value is None:
            raise MXNetError(f"{name}: a value is required, got none.")
        if isinstance(value, bytes):
            value = Encoded(value)
        if not isinstance(value, Encoded):
            return value
        item = self._inputs[name]
        data = decode(value.content, item, self._job.pixels)
        if name in self._predictor.transforms:
            return data.asnumpy()
        return picture(data, item, self._job.pixels)

    # ---- the model

    def _predicted(self, numbers: range, columns: Mapping[str, Any], bad: dict[int, str]) -> Iterator[Part]:
        """The outputs of a batch with the numbers of its rows; rows that are refused go into `bad`."""
        if all(_is_numbers(columns[name]) for name in self._inputs):
            try:
                results = self._predictor(columns)
            except MXNetError:  # one of the rows is at fault
                pass
            else:
                yield list(numbers), results
                return
        yield from self._predicted_rows(self._rows(numbers, columns, bad), bad)

    def _predicted_rows(self, rows: Rows, bad: dict[int, str]) -> Iterator[Part]:
        """The same of rows that were read one by one."""
        if not rows:
            return
        try:
            yield list(rows), self._outputs(rows)
            return
        except MXNetError as exc:
            if len(rows) == 1:
                bad[next(iter(rows))] = without_places(exc)
                return
            whole = exc
        good: Rows = {}
        count = len(bad)
        results = []
        for row, values in rows.items():
            results += list(self._predicted_rows({row: values}, bad))
            if row not in bad:
                good[row] = values
        if len(bad) > count:
            yield from self._predicted_rows(good, bad)
        elif isinstance(whole, ShapeError):  # rows of several shapes, each of which the model takes alone
            yield from results
        else:
            raise whole

    def _outputs(self, rows: Rows) -> dict[str, Any]:
        columns = {name: [values[name] for values in rows.values()] for name in next(iter(rows.values()))}
        return self._predictor(
            {name: _column(values, self._inputs.get(name)) for name, values in columns.items()}
        )

    # ---- out

    def _columns(self, shard: Shard, parts: Sequence[Part]) -> dict[str, Any]:
        """The columns that are written."""
        source = self._job.sources[shard.source]
        rows = [row for numbers, _ in parts for row in numbers]
        columns: dict[str, Any] = {
            "source": [source.label(row) for row in rows],
            "row": np.array(rows, np.int64),
        }
        if not parts:
            parts = [([], self._predictor({name: [] for name in (*self._inputs, *self._predictor.keep)}))]
        for name in parts[0][1]:
            columns[name] = _joined(name, [outputs[name] for _, outputs in parts])
        return columns


def _is_numbers(column: Any) -> bool:
    """Whether rows are one array of numbers already."""
    return isinstance(column, np.ndarray) and _is_number(column)


def _column(values: list[Any], item: Declaration | None) -> Any:
    """Rows as a predictor takes them; numbers of Python's get the dtype that the input has."""
    if item is None:  # what is kept is one array again if it was
        return (
            np.stack(values)
            if all(map(_is_number, values)) and len({*map(np.shape, values)}) == 1
            else values
        )
    if not values or isinstance(values[0], np.ndarray | NDArray | np.generic):
        return values
    return [np.asarray(value) for value in values]


def _is_number(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind not in "OSU"


def _joined(name: str, parts: Sequence[Any]) -> Any:
    """A column of several batches."""
    if not all(isinstance(part, np.ndarray) for part in parts):
        return [value for part in parts for value in part]
    if len({part.shape[1:] for part in parts}) > 1:
        raise ShapeError(
            f"predict: rows of one shape are required of output {name}, got "
            f"{' and '.join(str(shape) for shape in sorted({part.shape[1:] for part in parts})[:2])}."
        )
    return np.concatenate(parts)
