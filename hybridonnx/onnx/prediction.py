"""One call of a model, in ONNX Runtime."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from ..converters.from_onnx import Source as OnnxSource
from ..converters.to_onnx import arrays_by_name, by_name
from ..errors import FormatError, MXNetError
from ..gluon.hybrid_block import HybridBlock
from ..ndarray.files import load as load_arrays
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..parity.isolation import Isolation, called, isolation_of
from ..symbol.symbol import Symbol, load_json
from ..symbol.symbol import load as load_symbol
from .inspection import is_symbol_file
from .models import Inputs, Parameters
from .open_models import NativeModel, OnnxModel

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
    model = OnnxModel(source)
    return model(_arrays(model.names, inputs))


def _run_symbol(graph: Symbol, inputs: Any, known: Mapping[str, Array]) -> dict[str, Array]:
    model = NativeModel(graph, known)
    return model(_arrays(model.names, inputs, model.labels))


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
