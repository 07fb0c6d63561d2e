"""The kinds of models that `mx.onnx` takes; MXNet's are read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from ..converters.to_onnx import arrays_by_name
from ..errors import MissingFileError, MXNetError
from ..gluon.hybrid_block import HybridBlock
from ..ndarray.files import load as load_arrays
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..symbol.symbol import Symbol
from ..symbol.symbol import load as load_symbol
from ..typing import ArrayLike


class Message(Protocol):
    """A ModelProto."""

    def SerializeToString(self) -> bytes: ...


class Session(Protocol):
    """An open session of ONNX Runtime."""

    def get_inputs(self) -> Any: ...
    def run(self, output_names: Any, input_feed: Any) -> Any: ...


Model: TypeAlias = (
    HybridBlock
    | Symbol
    | Message
    | bytes
    | str
    | os.PathLike[str]
    | tuple[Any, ...]
    | list[Any]
    | Mapping[str, ArrayLike]
)
"""An ONNX file, its bytes or a ModelProto; a Symbol with parameters as a tuple, or the files of both; a
HybridBlock; a symbol.json with its parameters beside it; or parameters alone, by name or as a file."""

PARAMETERS = (".params", ".safetensors")
"""How the names of files of arrays end."""


class Native(NamedTuple):
    """A model in MXNet's operators."""

    symbol: Symbol | None
    """`None` where there are arrays alone."""
    arrays: dict[str, Array]


def native(model: Any) -> Native | None:
    """A model that is MXNet's, read; `None` if it is ONNX's."""
    if isinstance(model, HybridBlock):
        return _of_block(model)
    if isinstance(model, Symbol):
        return Native(model, {})
    if isinstance(model, Mapping):
        return Native(None, arrays_by_name(model))
    if isinstance(model, tuple | list) and model:
        return Native(
            _symbol(model[0]), arrays_by_name([_parameters(part) for part in model[1:] if part is not None])
        )
    if not isinstance(model, str | os.PathLike):
        return None
    path = os.fspath(model)
    if path.endswith(PARAMETERS):
        return Native(None, arrays_by_name(_parameters(path)))
    if path.endswith(".json"):
        return Native(load_symbol(path), arrays_by_name(_parameters(parameters_beside(path))))
    return None


def _of_block(net: HybridBlock) -> Native:
    _, graph = net._get_graph(NDArray(np.zeros(1, np.float32)))
    variables = set(graph.list_inputs())
    values = {name: param.data() for name, param in net.collect_params().items() if name in variables}
    return Native(graph, arrays_by_name(values))


def _symbol(part: Any) -> Symbol:
    if isinstance(part, Symbol):
        return part
    if isinstance(part, str | os.PathLike):
        return load_symbol(os.fspath(part))
    raise MXNetError(
        f"mx.onnx: a Symbol or its file is required before the parameters, got {type(part).__name__}."
    )


def _parameters(part: Any) -> Mapping[str, Any]:
    arrays = load_arrays(part) if isinstance(part, str | os.PathLike) else part
    if isinstance(arrays, list) and not arrays:  # a file without arrays does not tell whether they have names
        return {}
    if not isinstance(arrays, Mapping):
        raise MXNetError(f"mx.onnx: parameters by name are required, got {type(arrays).__name__}.")
    return arrays


def parameters_beside(path: str) -> str:
    """The only file of parameters beside a symbol's: `net-0000.params` of `net-symbol.json`."""
    prefix = Path(path.removesuffix(".json").removesuffix("-symbol"))
    there = sorted(prefix.parent.glob(f"{prefix.name}-[0-9][0-9][0-9][0-9].params"))
    if len(there) == 1:
        return os.fspath(there[0])
    if not there:
        raise MissingFileError(
            f"{path}: parameters in {prefix.name}-NNNN.params are required beside it, and there are none. "
            "Give both files as a tuple."
        )
    raise MXNetError(
        f"{path}: one file of parameters is required beside it, got {', '.join(p.name for p in there)}. "
        "Give both files as a tuple."
    )
