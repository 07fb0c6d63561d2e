"""Imports of softmax and its relatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridonnx.errors import ConversionError

from ._registry import imports
from ._sized import numbers
from .norm import flattened


def _hardmax(F: Any, x: Any, axis: int) -> Any:
    """1 at the first of the largest elements along `axis`, 0 elsewhere."""
    rank, shape = F.rank(x), F.shape(x)
    size = shape[axis]
    if size is None:
        raise ConversionError("Hardmax: a known size of its axis is required. Give the inputs' shapes.")
    sizes = tuple(-1 if i == axis % rank else 1 for i in range(rank))
    return F.argmax(x, axis=axis, keepdims=True) == F.reshape(numbers(F, size, F.dtype(x)), shape=sizes)


_KINDS: dict[str, Callable[[Any, Any, int], Any]] = {
    "Softmax": lambda F, x, axis: F.softmax(x, axis=axis),
    "LogSoftmax": lambda F, x, axis: F.log_softmax(x, axis=axis),
    "Hardmax": _hardmax,
}


def _kind(op_type: str, function: Callable[[Any, Any, int], Any]) -> None:
    @imports(op_type, versions=(1, 11))
    def of_matrix(F: Any, x: Any, *, axis: int = 1) -> Any:
        """The versions that work on a matrix of the axes before `axis` and those from it on."""
        rank = F.rank(x)
        shape = F.shape(x)
        axis = axis % rank if rank else 0
        if all(d == 1 for d in shape[axis + 1 :]):
            return function(F, x, axis)
        return F.reshape_like(function(F, flattened(F, x, axis), 1), x)

    @imports(op_type, versions=(13,))
    def along_axis(F: Any, x: Any, *, axis: int = -1) -> Any:
        """The version that works along one axis, as MXNet does."""
        return function(F, x, axis)


for _op_type, _function in _KINDS.items():
    _kind(_op_type, _function)
