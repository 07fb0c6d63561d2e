"""Models that stay open: called with arrays by name, as often as one likes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..converters.elements import dtype_of_type_string
from ..converters.from_onnx import read
from ..converters.inspection import Declaration, facts, weight_files
from ..converters.limits import Limit
from ..converters.to_onnx import arrays_by_name, data_names
from ..dtypes import DType
from ..errors import DTypeError, MissingFileError, MXNetError
from ..ndarray.files import load as load_arrays
from ..ndarray.ndarray import NDArray
from ..ops import Array, Spec
from ..parity.limits import symbol_limits
from ..runtime.compile import CompiledGraph
from ..runtime.session import ModelSession, Providers, Threads
from ..symbol.labels import label_shapes
from ..symbol.symbol import Symbol
from ..symbol.symbol import load as load_symbol
from ._native import parameters_beside
from .inspection import inspect


class OnnxModel:
    """An ONNX model in a session, as other programs run it.

    Args:
        source: A file, or its bytes.
        threads: Of the session; 0 for as many as ONNX Runtime likes.
        providers: ONNX Runtime's, by name or with options; those of the scope unless given.
    """

    def __init__(self, source: str | bytes, threads: int = 0, providers: Sequence[Any] = ()) -> None:
        content = facts(read(source))  # which says in words what is wrong, before ONNX Runtime sees it
        self.inputs, self.outputs = content.inputs, content.outputs
        with Providers(providers or Providers.current()):
            self._session = ModelSession(source, threads=threads)
        self._dtypes = {name: dtype_of_type_string(text) for name, (text, _) in self._session.inputs.items()}
        self.names = list(self._dtypes)
        """Of the inputs."""

    def __call__(self, arrays: Mapping[str, Array], outputs: Sequence[str] = ()) -> dict[str, Any]:
        """The outputs of these names, or all; numbers of another width than the model's are cast."""
        feeds = {name: cast(name, arrays[name], dtype) for name, dtype in self._dtypes.items()}
        names = list(outputs) or self._session.outputs
        return dict(zip(names, self._session(feeds, names), strict=True))


class NativeModel:
    """A graph of MXNet's with its parameters, compiled as a hybridized block is.

    Args:
        graph: The graph.
        parameters: Its parameters by name.
        threads: Of its sessions; 0 for as many as ONNX Runtime likes.
    """

    def __init__(self, graph: Symbol, parameters: Mapping[str, Array], threads: int = 0) -> None:
        self._graph, self._known, self._threads = graph, parameters, threads
        self._parameters = {
            name: NDArray(parameters[name]) for name in graph.list_inputs() if name in parameters
        }
        self.names = data_names(graph, parameters)
        """Of the inputs."""
        inner = {*self.names, *self._parameters}
        self.labels = [name for name in graph.list_inputs() if name not in inner]
        """Inputs that only training reads, which may be left out where their shapes are told by others."""
        dtypes = {array.dtype for array in parameters.values() if array.dtype.kind == "f"}
        self._dtype = next(iter(dtypes)) if len(dtypes) == 1 else None
        self._compiled: dict[tuple[str, ...], CompiledGraph] = {}

    @cached_property
    def _declarations(self) -> tuple[tuple[Declaration, ...], tuple[Declaration, ...]]:
        content = inspect(self._graph, self._parameters, count=False)
        return content.inputs, content.outputs

    @property
    def inputs(self) -> tuple[Declaration, ...]:
        """What it takes."""
        return self._declarations[0]

    @property
    def outputs(self) -> tuple[Declaration, ...]:
        """What it gives."""
        return self._declarations[1]

    def __call__(self, arrays: Mapping[str, Array], outputs: Sequence[str] = ()) -> dict[str, Array]:
        """The outputs of these names, or all; floating-point numbers are cast to the parameters' width."""
        feeds = {name: self._as_parameters(array) for name, array in arrays.items()}
        feeds |= self._zeros([name for name in self.labels if name not in feeds], feeds)
        names = tuple(feeds)
        with Threads(self._threads):
            compiled = self._compiled.get(names)
            if compiled is None:
                compiled = self._compiled[names] = CompiledGraph(self._graph, names, self._parameters)
            results = compiled([NDArray(array) for array in feeds.values()])
        values = dict(zip(self._graph.list_outputs(), results, strict=True))
        return {name: values[name].asnumpy() for name in outputs or values}

    def limits(self, inputs: Mapping[str, Spec]) -> Mapping[str, Sequence[Limit]]:
        """What numbers it takes, by the inputs' names, for inputs such as these."""
        known = {name: Spec(array.shape, array._data.dtype) for name, array in self._parameters.items()}
        return symbol_limits(self._graph, {**known, **inputs})

    def _as_parameters(self, array: Array) -> Array:
        """Floating-point numbers of the width that all parameters have, if they have one."""
        is_other = self._dtype is not None and array.dtype.kind == "f"
        return array.astype(self._dtype, copy=False) if is_other else array

    def _zeros(self, labels: Sequence[str], arrays: Mapping[str, Array]) -> dict[str, Array]:
        """Zeros for labels in the shapes that the inputs tell."""
        if not labels:
            return {}
        shapes = label_shapes(self._graph, labels, {name: array.shape for name, array in arrays.items()})
        unknown = [name for name in labels if name not in shapes]
        if unknown:
            raise MXNetError(
                f"run: an array for {', '.join(unknown)} is required, whose shape the other inputs do not "
                "tell; its values do not count."
            )
        return {name: np.zeros(shapes[name], np.float32) for name in labels}


def model_files(
    path: str | os.PathLike[str], params: str | os.PathLike[str] | None = None
) -> tuple[Path, ...]:
    """The files of a model: an ONNX file and those of its weights, or a symbol's and its parameters'.

    Args:
        path: The first of them.
        params: The parameters of a symbol, unless there is one file of them alone beside it.

    Raises:
        MissingFileError: If one is not there.
    """
    first = Path(path).absolute()
    files: tuple[Path, ...]
    if first.suffix == ".json":
        beside = parameters_beside(str(first)) if params is None else params
        files = first, Path(beside).absolute()
    elif params is not None:
        raise MXNetError(f"{first}: parameters are for MXNet's prefix-symbol.json, got {params} beside ONNX.")
    else:
        files = first, *(file.absolute() for file in weight_files(read(str(first))))
    for file in files:
        if not file.is_file():
            raise MissingFileError(f"{file}: a file of a model is required, got none.")
    return files


def open_model(
    files: Sequence[Path], threads: int = 0, providers: Sequence[Any] = ()
) -> OnnxModel | NativeModel:
    """The model of files as `model_files` gives them.

    Raises:
        MXNetError: If they are damaged; or if providers are asked for that a graph of MXNet's has not.
    """
    if files[0].suffix != ".json":
        return OnnxModel(str(files[0]), threads, providers)
    if providers:
        raise MXNetError(
            f"{files[0]}: an ONNX file is required for providers, got a graph of MXNet's. Export it first."
        )
    arrays = arrays_by_name(load_arrays(str(files[1])))
    return NativeModel(load_symbol(str(files[0])), arrays, threads)


def cast(name: str, array: Array, dtype: DType | None) -> Array:
    """An array as a model takes it.

    Raises:
        DTypeError: If numbers would be others, or of another kind.
    """
    if dtype is None or array.dtype == dtype:
        return array
    result = array.astype(dtype) if np.can_cast(array.dtype, dtype, "same_kind") else None
    if result is None or (dtype.kind in "iu" and not np.array_equal(result, array)):
        raise DTypeError(f"run: {dtype} is required of input {name}, got {array.dtype}. Cast it first.")
    return result
