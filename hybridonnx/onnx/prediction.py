"""One call of a model, in ONNX Runtime."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from ..converters.from_onnx import Source as OnnxSource
from ..converters.from_onnx import read
from ..converters.to_onnx import arrays_by_name, by_name, data_names
from ..converters.values import dtype_of_type_string
from ..dtypes import DType
from ..errors import DTypeError, FormatError, MXNetError
from ..gluon.hybrid_block import HybridBlock
from ..ndarray.files import load as load_arrays
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..parity.isolation import Isolation, called, isolation_of
from ..runtime.compile import CompiledGraph
from ..runtime.session import ModelSession
from ..symbol.labels import label_shapes
from ..symbol.symbol import Symbol, load_json
from ..symbol.symbol import load as load_symbol
from .inspection import is_symbol_file
from .models import Inputs, Parameters

__all__ = ["run"]


def run(
    model: Symbol | OnnxSource,
    inputs: Inputs,
    params: Parameters | None = None,
    *,
    isolated: bool | Isolation = False,
) -> dict[str, Array]:
    """Run a model once, and give its outputs by name.

    An ONNX model runs as other programs run it. A graph of MXNet's runs as a hybridized block does: in ONNX
    Runtime but for operators that ONNX lacks. Labels, which only training reads, need no arrays unless their
    shapes are told by nothing else.

    Args:
        model: An ONNX file, its bytes or a ModelProto; or a Symbol, or the file of one, whose name ends with
            .json.
        inputs: Arrays by the inputs' names or in their order, or one array. Numbers of another width than the
            model's are cast to its, if integers stay what they are.
        params: The parameters of a Symbol by name, or the file of them.
        isolated: Whether the model runs in a process of its own, with limits; for files of strangers.

    Returns:
        NumPy arrays by the outputs' names, in their order; of an ONNX model lists, dicts and `None` where its
        outputs are no tensors.

    Raises:
        IsolationError: If a process of its own was ended by a fault or at a limit.
        MXNetError: If an input is missing, or the model does not take arrays such as these.
        DTypeError: If an ONNX model takes another kind of numbers.
    """
    if isinstance(model, HybridBlock):
        raise MXNetError(
            f"run: an ONNX model or a Symbol is required, got {model.name}, which is a block. Call it."
        )
    limits = isolation_of(isolated)
    if is_symbol_file(model):
        model = load_symbol(model)
    if isinstance(model, Symbol):
        known = arrays_by_name(load_arrays(os.fspath(params)) if _is_path(params) else params)
        if limits is None:
            return _run_symbol(model, inputs, known)
        told = {"symbol": model.tojson(remove_amp_cast=False), "params": known}
        return _run_isolated(limits, told, inputs)
    source = _source(model)
    if limits is None:
        return _run_onnx(source, inputs)
    return _run_isolated(limits, {"source": source}, inputs)


def _is_path(value: Any) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(value, str | os.PathLike)


def _source(model: Any) -> str | bytes:
    """An ONNX model as a file or bytes."""
    if _is_path(model):
        return os.fspath(model)
    data: bytes = model if isinstance(model, bytes) else model.SerializeToString()
    return data


def _run_isolated(limits: Isolation, model: Mapping[str, Any], inputs: Any) -> dict[str, Array]:
    """The outputs of a model that runs in a process of its own."""
    if isinstance(inputs, Mapping):
        inputs = {name: _array(value) for name, value in inputs.items()}
    elif inputs is not None:
        inputs = [_array(value) for value in (inputs if isinstance(inputs, list | tuple) else [inputs])]
    results = called("run", f"{__name__}:serve", {**model, "inputs": inputs}, limits)
    if not isinstance(results, dict):
        raise FormatError("run: outputs by name are required of the model's process.")
    return results


def serve(request: dict[str, Any], ask: Any) -> dict[str, Any]:
    """Run a model as another process asks.

    Args:
        request: An ONNX model as `source`, or a graph as `symbol` with `params`; and `inputs`.
        ask: Asks the other process, which this does not.

    Returns:
        The outputs by name.
    """
    inputs = request["inputs"]
    if "source" in request:
        return _run_onnx(request["source"], inputs)
    return _run_symbol(load_json(request["symbol"]), inputs, request["params"])


def _run_onnx(source: str | bytes, inputs: Any) -> dict[str, Array]:
    read(source)  # which says in words what is wrong with a file, before ONNX Runtime sees it
    session = ModelSession(source)
    arrays = _arrays(list(session.inputs), inputs)
    feeds = {}
    for name, (text, _) in session.inputs.items():
        feeds[name] = _cast(name, arrays[name], dtype_of_type_string(text))
    return dict(zip(session.outputs, session(feeds), strict=True))


def _run_symbol(graph: Symbol, inputs: Any, known: Mapping[str, Array]) -> dict[str, Array]:
    names = data_names(graph, known)
    labels = [name for name in graph.list_inputs() if name not in known and name not in names]
    arrays = {n: _as_parameters(array, known) for n, array in _arrays(names, inputs, labels).items()}
    arrays |= _zeros(graph, [name for name in labels if name not in arrays], arrays)
    parameters = {name: NDArray(known[name]) for name in graph.list_inputs() if name in known}
    results = CompiledGraph(graph, list(arrays), parameters)([NDArray(array) for array in arrays.values()])
    return {name: y.asnumpy() for name, y in zip(graph.list_outputs(), results, strict=True)}


def _zeros(graph: Symbol, labels: Sequence[str], arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Zeros for labels, which only training reads, in the shapes that the inputs tell."""
    if not labels:
        return {}
    shapes = label_shapes(graph, labels, {name: array.shape for name, array in arrays.items()})
    unknown = [name for name in labels if name not in shapes]
    if unknown:
        raise MXNetError(
            f"run: an array for {', '.join(unknown)} is required, whose shape the other inputs do not tell; "
            "its values do not count."
        )
    return {name: np.zeros(shapes[name], np.float32) for name in labels}


def _arrays(names: Sequence[str], inputs: Any, others: Sequence[str] = ()) -> dict[str, Array]:
    """An array for each input, and for others that the caller gives."""
    values: Mapping[str, Any] = by_name(names, inputs, lambda value: not isinstance(value, list | tuple))
    missing, strangers = (
        [n for n in names if n not in values],
        [n for n in values if n not in (*names, *others)],
    )
    if missing or strangers:
        raise MXNetError(
            f"run: an array for each of the inputs {', '.join(names)} is required, got "
            f"{', '.join(values) or 'none'}."
        )
    return {name: _array(value) for name, value in values.items()}


def _array(value: Any) -> Array:
    return value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)


def _as_parameters(array: Array, parameters: Mapping[str, Array]) -> Array:
    """Floating-point numbers of the width that all parameters have, if they have one."""
    dtypes = list({parameter.dtype for parameter in parameters.values() if parameter.dtype.kind == "f"})
    is_other = array.dtype.kind == "f" and len(dtypes) == 1
    return array.astype(dtypes[0], copy=False) if is_other else array


def _cast(name: str, array: Array, dtype: DType | None) -> Array:
    """The array as the model takes it."""
    if dtype is None or array.dtype == dtype:
        return array
    cast = array.astype(dtype) if np.can_cast(array.dtype, dtype, "same_kind") else None
    if cast is None or (dtype.kind in "iu" and not np.array_equal(cast, array)):
        raise DTypeError(f"run: {dtype} is required of input {name}, got {array.dtype}. Cast it first.")
    return cast
