"""Columns as tables of Apache Arrow, in Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..dtypes import is_bfloat16
from ..errors import FormatError, RequirementError, ShapeError
from ..ops import Array

__all__ = ["arrow", "column_of", "parquet_bytes", "parquet_columns", "parquet_names", "parquet_rows"]


def arrow() -> Any:
    """Apache Arrow with its Parquet files.

    Raises:
        RequirementError: If it is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise RequirementError(
            'predict: the package pyarrow is required for Parquet files. pip install "hybridonnx[predict]".'
        ) from None
    return pyarrow


def parquet_bytes(columns: Mapping[str, Any]) -> bytes:
    """A Parquet file of columns, the same bytes for the same columns.

    Arrays of more than one axis become Arrow's tensors of a fixed shape, which other programs read as lists.
    """
    pa = arrow()
    table = pa.table({name: column_of(name, values) for name, values in columns.items()})
    sink = pa.BufferOutputStream()
    pa.parquet.write_table(table, sink, compression="zstd")
    content: bytes = sink.getvalue().to_pybytes()
    return content


def column_of(name: str, values: Any) -> Any:
    """Arrow's array of a row for each row.

    Raises:
        ShapeError: If rows are without elements, which Arrow has no column for.
    """
    pa = arrow()
    if not isinstance(values, np.ndarray) or values.dtype.kind in "OUS":
        return pa.array(list(values))
    if is_bfloat16(values.dtype):
        values = values.astype(np.float32)
    flat = pa.array(np.ascontiguousarray(values).reshape(-1))
    if values.ndim == 1:
        return flat
    shape = values.shape[1:]
    size = int(np.prod(shape))
    if not size:
        raise ShapeError(f"predict: rows with elements are required of {name}, got shape {shape}.")
    lists = pa.FixedSizeListArray.from_arrays(flat, size)
    if len(shape) == 1:
        return lists
    return pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(flat.type, shape), lists)


def parquet_rows(path: Path) -> int:
    """How many rows a Parquet file has.

    Raises:
        FormatError: If it is none.
    """
    return int(_opened(path).metadata.num_rows)


def parquet_names(path: Path) -> list[str]:
    """The columns of a Parquet file."""
    return list(_opened(path).schema_arrow.names)


def parquet_columns(path: Path, names: Sequence[str], start: int, stop: int) -> dict[str, Any]:
    """Rows of a Parquet file, by column: an array where all rows are of one shape, else a list.

    A row that is null, or has a null inside, is `None`.

    Raises:
        FormatError: If the file has no such columns, or cannot be read.
    """
    pa = arrow()
    file = _opened(path)
    missing = [name for name in names if name not in file.schema_arrow.names]
    if missing:
        raise FormatError(
            f"{path}: columns {', '.join(missing)} are required, got {', '.join(file.schema_arrow.names)}."
        )
    groups, first = _groups(file, start, stop)
    try:
        table = file.read_row_groups(groups, columns=list(names), use_threads=False)
    except (pa.ArrowException, OSError) as exc:
        raise FormatError(f"{path}: rows {start} to {stop} cannot be read: {exc}") from None
    table = table.slice(start - first, stop - start)
    return {name: _values(table.column(name).combine_chunks()) for name in names}


def _opened(path: Path) -> Any:
    pa = arrow()
    try:
        return pa.parquet.ParquetFile(path)
    except (pa.ArrowException, OSError) as exc:
        raise FormatError(f"{path}: a Parquet file is required: {exc}") from None


def _groups(file: Any, start: int, stop: int) -> tuple[list[int], int]:
    """The groups of rows that have some of these, and the number of the first row in them."""
    groups: list[int] = []
    first = row = 0
    for number in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(number).num_rows
        if row < stop and start < row + rows:
            first = first if groups else row
            groups.append(number)
        row += rows
    return groups, first


def _values(column: Any) -> Any:
    """A column's rows."""
    pa = arrow()
    if isinstance(column, pa.ChunkedArray):  # as combined columns of extension types may still be
        column = pa.concat_arrays(column.chunks) if column.num_chunks else column.chunk(0)
    kind = column.type
    if isinstance(kind, pa.FixedShapeTensorType) and not column.null_count:
        flat = column.storage.flatten()
        return _numbers(flat, (len(column), *kind.shape)) if not flat.null_count else list(_rows(column))
    if pa.types.is_fixed_size_list(kind) and not column.null_count:
        flat = column.flatten()
        if pa.types.is_primitive(kind.value_type) and not flat.null_count:
            return _numbers(flat, (len(column), kind.list_size))
    if pa.types.is_primitive(kind) and not pa.types.is_temporal(kind) and not column.null_count:
        return _numbers(column, (len(column),))
    return list(_rows(column))


def _numbers(flat: Any, shape: tuple[int, ...]) -> Array:
    array: Array = flat.to_numpy(zero_copy_only=False)
    return array.reshape(shape)


def _rows(column: Any) -> Iterator[Any]:
    """Each row as Python has it; lists of numbers as arrays, what has a null in it as `None`."""
    shape = getattr(column.type, "shape", None)
    for value in column.to_pylist() if shape is None else column.storage.to_pylist():
        if not isinstance(value, list):
            yield value
        elif _has_null(value):
            yield None
        else:
            array = np.asarray(value)
            yield array if shape is None else array.reshape(shape)


def _has_null(value: Any) -> bool:
    return value is None or (isinstance(value, list) and any(map(_has_null, value)))
