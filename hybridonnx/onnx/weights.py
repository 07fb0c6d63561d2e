"""Weights that slow a model down or spoil its results: denormal numbers, infinities and NaN."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..converters.from_onnx import Source as OnnxSource
from ..converters.from_onnx import read
from ..converters.to_onnx import arrays_by_name
from ..errors import ConversionError
from ..ndarray.files import load as load_arrays
from ..ops import Array
from ..symbol.symbol import Symbol
from .inspection import is_symbol_file
from .models import Parameters

__all__ = ["OddWeights", "odd_weights"]


class OddWeights(NamedTuple):
    """How many of a parameter's numbers are odd, and in what way."""

    name: str
    size: int
    denormal: int
    """Smaller than what a processor computes with at full speed."""
    infinite: int
    nan: int

    def __str__(self) -> str:
        counts = {"denormal": self.denormal, "infinite": self.infinite, "NaN": self.nan}
        kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
        return f"{self.name}: {kinds} of {self.size} numbers"


def odd_weights(model: Symbol | OnnxSource, params: Parameters | None = None) -> list[OddWeights]:
    """Find the parameters that have denormal numbers, infinities or NaN, an ONNX file's one by one.

    Processors take many times as long for each operation on a denormal number. Weights that training drives
    to zero become such. Setting them to 0 changes results by less than the smallest normal number.

    Args:
        model: An ONNX file, its bytes or a ModelProto; or a Symbol, or the file of one, whose name ends with
            .json.
        params: The parameters of a Symbol by name, or the file of them.

    Returns:
        The parameters that have some, in the model's order.
    """
    if params is not None or isinstance(model, Symbol) or is_symbol_file(model):
        values = load_arrays(os.fspath(params)) if isinstance(params, str | os.PathLike) else params
        rows = (_counted(name, array) for name, array in arrays_by_name(values).items())
    else:
        rows = (_counted(name, array) for name, array in _of_onnx(model))
    return [row for row in rows if row.denormal or row.infinite or row.nan]


def _of_onnx(source: Any) -> Iterator[tuple[str, Array]]:
    model = read(source)
    for tensor in model.proto.graph.initializer:
        try:
            yield tensor.name, model.array(tensor)
        except ConversionError:  # of a type that NumPy lacks
            continue


def _counted(name: str, array: Array) -> OddWeights:
    if array.dtype not in (np.float32, np.float64):
        finite = np.isfinite(array) if array.dtype.kind == "f" else np.ones((), bool)
        nan = int(np.isnan(array).sum()) if array.dtype.kind == "f" else 0
        return OddWeights(name, array.size, 0, int((~finite).sum()) - nan, nan)
    sizes = np.abs(array)
    denormal = int(((sizes > 0) & (sizes < np.finfo(array.dtype).tiny)).sum())
    return OddWeights(name, array.size, denormal, int(np.isinf(array).sum()), int(np.isnan(array).sum()))
