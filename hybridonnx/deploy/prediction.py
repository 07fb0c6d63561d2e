"""A model that predicts: from arrays by the inputs' names to arrays by the outputs', a row for each row."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from .._locks import new_lock
from ..errors import MXNetError, ShapeError
from ..gluon.block import Block
from ..ndarray.ndarray import NDArray
from ..onnx.inspection import Declaration
from ..onnx.open_models import NativeModel, OnnxModel, model_files, open_model
from ..ops import Array
from ..typing import ArrayLike

__all__ = ["Predictor", "predictor"]

Transform: TypeAlias = Callable[[NDArray], Any]
"""What is done to one row of an input, as a gluon transform takes and gives it."""
Columns: TypeAlias = Mapping[str, ArrayLike]


class Predictor:
    """A function from a dict of arrays to a dict of arrays, of which every row is one sample.

    It can be pickled and opens its model where it is called, so it goes to other processes and machines as it
    is: `dataset.map_batches(Predictor, fn_constructor_args=("net.onnx",), concurrency=2)` in Ray Data.

    A size of the model's first axis that is fixed is kept to: rows are taken so many at a time, and the last
    ones are filled up with copies of the last row, whose outputs are dropped.

    Args:
        path: An ONNX file, or MXNet's `prefix-symbol.json`.
        params: The file of a symbol's parameters, unless there is one alone beside it.
        transform: What is done to each row of the only input, such as a `Compose` of gluon transforms; or
            that by the inputs' names.
        outputs: The names of the outputs that are wanted; all unless given.
        keep: Columns that are no inputs and come back as they are, such as an id.
        batch: The most rows that the model gets at once; 0 for all of a call.
        threads: Threads of a session; 0 for as many as ONNX Runtime likes.
        providers: ONNX Runtime's that run an ONNX file, by name or with options; the processor's unless
            given.

    Raises:
        MXNetError: If there is no such model, or it has no such outputs.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        params: str | os.PathLike[str] | None = None,
        *,
        transform: Transform | Mapping[str, Transform] | None = None,
        outputs: Sequence[str] = (),
        keep: Sequence[str] = (),
        batch: int = 0,
        threads: int = 0,
        providers: Sequence[Any] = (),
    ) -> None:
        if batch < 0 or threads < 0:
            raise MXNetError(
                f"predictor: batch and threads from 0 on are required, got {batch} and {threads}."
            )
        self.files: tuple[Path, ...] = model_files(path, params)
        """The model's file, and those of its weights."""
        self._options = threads, (*providers,)
        self._model: OnnxModel | NativeModel | None = None
        self._lock = new_lock()
        model = self._opened()
        self.inputs: tuple[Declaration, ...] = model.inputs
        """The inputs, with dtypes and shapes as far as the model tells them."""
        self.outputs = _chosen("outputs", outputs, model.outputs)
        """Those that it gives."""
        names = [item.name for item in self.inputs]
        self._transforms = _by_input(transform, names)
        self.keep = tuple(keep)
        """Columns that come back as they are."""
        clashes = [name for name in self.keep if name in {item.name for item in self.outputs}]
        if clashes:
            raise MXNetError(f"predictor: keep: columns that are no outputs are required, got {clashes[0]}.")
        fixed = {item.shape[0] for item in self.inputs if item.shape and isinstance(item.shape[0], int)}
        self.fixed_rows = max(fixed, default=0)
        """How many rows the model takes at once; 0 if that is free."""
        self._most = self.fixed_rows or batch

    @property
    def transforms(self) -> dict[str, str]:
        """What is done to the rows of each input, in words; a function is its name."""
        return {name: _described(transform) for name, transform in self._transforms.items()}

    def __call__(self, columns: Columns) -> dict[str, Array]:
        """The outputs for the inputs.

        Args:
            columns: Arrays, or lists of rows, by the inputs' names; of each as many rows.

        Raises:
            MXNetError: If a column is missing, or the model does not take such arrays.
            ShapeError: If columns have other numbers of rows, or a column's rows other shapes.
        """
        arrays = {item.name: self._input(item, columns) for item in self.inputs}
        rows = _rows(arrays)
        kept = {name: _column("keep", name, columns) for name in self.keep}
        if not rows:
            return {**kept, **{item.name: _empty(item) for item in self.outputs}}
        size = self._most or rows
        parts = [
            self._predicted({name: array[start : start + size] for name, array in arrays.items()})
            for start in range(0, rows, size)
        ]
        whole = parts[0] if len(parts) == 1 else _joined(parts)
        return {**kept, **whole}

    def _predicted(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """The outputs for at most as many rows as the model takes."""
        rows = _rows(arrays)
        missing = max(self.fixed_rows - rows, 0)
        if missing:
            arrays = {n: np.concatenate([a, np.repeat(a[-1:], missing, 0)]) for n, a in arrays.items()}
        results = self._opened()(arrays, [item.name for item in self.outputs])
        for name, array in results.items():
            if not isinstance(array, np.ndarray) or not array.ndim or len(array) != rows + missing:
                raise ShapeError(
                    f"predictor: a row for each of {rows + missing} rows is required of output {name}, got "
                    f"shape {np.shape(array)}. Name the outputs that have one in outputs."
                )
        return {name: array[:rows] for name, array in results.items()} if missing else results

    def _input(self, item: Declaration, columns: Columns) -> Array:
        values = _column("inputs", item.name, columns)
        transform = self._transforms.get(item.name)
        if transform is not None and len(values):
            values = [_plain(transform(NDArray(np.asarray(_plain(row))))) for row in values]
        return _stacked(item.name, values)

    def _opened(self) -> OnnxModel | NativeModel:
        """The model, opened by the first call in a process."""
        model = self._model
        if model is None:
            with self._lock:
                model = self._model
                if model is None:
                    model = self._model = open_model(self.files, *self._options)
        return model

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_model": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=new_lock())

    def __repr__(self) -> str:
        names = ", ".join(item.name for item in self.inputs)
        return f"Predictor({self.files[0]}: {names} -> {', '.join(item.name for item in self.outputs)})"


def predictor(path: str | os.PathLike[str], params: Any = None, **options: Any) -> Predictor:
    """A model as a function of a dict of arrays; the arguments are `Predictor`'s.

    Returns:
        The function.
    """
    return Predictor(path, params, **options)


def _described(transform: Transform) -> str:
    if isinstance(transform, Block):
        return repr(transform)
    kind = transform if hasattr(transform, "__qualname__") else type(transform)
    return f"{kind.__module__}.{kind.__qualname__}"


def _chosen(what: str, names: Sequence[str], declared: Sequence[Declaration]) -> tuple[Declaration, ...]:
    """The declarations of these names, in this order; all without names."""
    by_name = {item.name: item for item in declared}
    strange = [name for name in names if name not in by_name]
    if strange:
        raise MXNetError(
            f"predictor: {what}: some of {', '.join(by_name)} are required, got {', '.join(strange)}."
        )
    return tuple(by_name[name] for name in names) if names else tuple(declared)


def _by_input(transform: Any, names: Sequence[str]) -> dict[str, Transform]:
    if transform is None:
        return {}
    if callable(transform):
        if len(names) != 1:
            raise MXNetError(
                f"predictor: transform: a dict by the inputs {', '.join(names)} is required of a model with "
                "several, got one function."
            )
        return {names[0]: transform}
    strange = [name for name in transform if name not in names]
    if strange:
        raise MXNetError(
            f"predictor: transform: inputs among {', '.join(names)} are required, got {', '.join(strange)}."
        )
    return dict(transform)


def _column(what: str, name: str, columns: Columns) -> Any:
    if name not in columns:
        raise MXNetError(
            f"predictor: {what}: a column {name} is required, got {', '.join(map(str, columns)) or 'none'}."
        )
    value = columns[name]
    return value.asnumpy() if isinstance(value, NDArray) else value


def _plain(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, NDArray) else value


def _stacked(name: str, values: Any) -> Array:
    """Rows as one array."""
    if not isinstance(values, np.ndarray | list | tuple) or not getattr(values, "ndim", 1):
        raise ShapeError(f"predictor: an array or a list of rows is required of {name}, got one value.")
    array = values if isinstance(values, np.ndarray) and values.dtype != object else None
    if array is None:
        rows = [np.asarray(_plain(row)) for row in values]
        shapes = {row.shape for row in rows}
        if len(shapes) > 1:
            one, other = sorted(shapes)[:2]
            raise ShapeError(f"predictor: rows of one shape are required of {name}, got {one} and {other}.")
        array = np.stack(rows) if rows else np.empty(0)
    return array


def _rows(arrays: Mapping[str, Array]) -> int:
    counts = {name: len(array) for name, array in arrays.items()}
    if len({*counts.values()}) > 1:
        told = ", ".join(f"{count} of {name}" for name, count in counts.items())
        raise ShapeError(f"predictor: as many rows of each input are required, got {told}.")
    return next(iter(counts.values()), 0)


def _joined(parts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _empty(item: Declaration) -> Array:
    """The output for no rows; sizes that the model does not tell are 0."""
    sizes = [size if isinstance(size, int) else 0 for size in (item.shape or (0,))[1:]]
    return np.empty((0, *sizes), item.dtype or np.float32)
