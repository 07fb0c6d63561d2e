"""Values that are no arrays at the boundary of graphs: lists, `None` and dicts outside, arrays inside.

A block has a `Boundary` only if its graph may have such values; the calls of others never come here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..context import Context, current_context
from ..dtypes import DType, container_of, name_of, tensor_dtype
from ..errors import RequirementError
from ..ndarray.ndarray import NDArray
from ..ops import enclosed, opened
from ..symbol.infer import stored_dtype
from ..symbol.symbol import Symbol


class Boundary:
    """Which inputs of a graph are no arrays, by position; outputs tell by themselves."""

    def __init__(self, names: Sequence[str], containers: Mapping[int, DType]) -> None:
        self._names = names
        self._containers = containers

    def enter(self, args: Sequence[Any]) -> list[Any]:
        """The arguments with arrays in place of lists, dicts and `None`, where the graph takes such."""
        if len(args) != len(self._names):
            return list(args)  # which whoever runs the graph refuses
        ctx = next(_contexts(args), None) or current_context()
        return [self._entered(index, value, ctx) for index, value in enumerate(args)]

    def _entered(self, index: int, value: Any, ctx: Context) -> Any:
        dtype = self._containers.get(index)
        if dtype is None or isinstance(value, Symbol):
            return value
        if isinstance(value, NDArray) and container_of(value._data.dtype):
            return value
        text = container_of(dtype)
        try:
            return NDArray(enclosed(_inside(text, value), dtype), ctx)
        except _MisfitError as exc:
            raise RequirementError(
                f"{self._names[index]}: a value of type {text} is required: {exc}."
            ) from None

    def leave(self, outputs: Any) -> Any:
        """The outputs with lists, dicts and `None` in place of the arrays that carry them."""
        if isinstance(outputs, list | tuple):
            return type(outputs)(map(self.leave, outputs))
        if isinstance(outputs, NDArray) and container_of(outputs._data.dtype):
            return _outside(opened(outputs._data), outputs.context)
        return outputs


class _MisfitError(Exception):
    """A value that is not of the type, as half a sentence."""


def _inside(text: str, value: Any) -> Any:
    """A user's value of a type, with NumPy's arrays in it, as kernels and ONNX Runtime have it."""
    kind, _, item = text.partition("(")
    item = item[:-1]
    if kind == "optional":
        return None if value is None else _inside(item, value)
    if kind == "seq":
        if not isinstance(value, list | tuple):
            raise _MisfitError(f"a list for {text}, got {_described(value)}")
        return [_inside(item, each) for each in value]
    if kind == "map":
        if not isinstance(value, dict):
            raise _MisfitError(f"a dict for {text}, got {_described(value)}")
        key, _, entry = item.partition(", ")
        inside = _inside if "(" in entry else _scalar
        return {_scalar(key, k): inside(entry, v) for k, v in value.items()}
    dtype = tensor_dtype(text)
    if not isinstance(value, NDArray) or value._data.dtype != dtype or container_of(value._data.dtype):
        raise _MisfitError(f"an NDArray of {name_of(dtype)}, got {_described(value)}")
    return value._data


def _scalar(name: str, value: Any) -> Any:
    """A key or value of a dict: text, or a number that the type holds."""
    dtype = tensor_dtype(f"tensor({name})")
    if isinstance(value, str) != dtype.hasobject or not isinstance(value, str | int | float | np.number):
        raise _MisfitError(f"{name_of(dtype)} in a dict, got {_described(value)}")
    if isinstance(value, str):
        return value
    if dtype.kind in "iu" and not float(value).is_integer():
        raise _MisfitError(f"{name_of(dtype)} in a dict, got {value!r}")
    return dtype.type(value).item()


def _outside(value: Any, ctx: Context) -> Any:
    if isinstance(value, np.ndarray):
        return NDArray(value, ctx)
    if isinstance(value, list):
        return [_outside(each, ctx) for each in value]
    if isinstance(value, dict):
        return {key: _outside(each, ctx) for key, each in value.items()}
    return value


def _described(value: Any) -> str:
    if isinstance(value, NDArray):
        return f"an NDArray of {name_of(value._data.dtype)}"
    return f"{repr(value)[:80]} of {type(value).__name__}"


def _contexts(values: Any) -> Iterator[Context]:
    """The contexts of the arrays among nested values."""
    if isinstance(values, NDArray):
        yield values.context
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _contexts(value)
    elif isinstance(values, dict):
        yield from _contexts(list(values.values()))


def boundary_of(graph: Symbol, inputs: Sequence[str]) -> Boundary | None:
    """The boundary of a graph with these inputs; `None` if none of its values can be a container.

    Variables tell by `__dtype__`; an operator that takes types of ONNX may give one.
    """
    containers = {}
    for node in graph.nodes():
        text = node.attrs.get("__dtype__", "") if node.is_variable and node.name in inputs else ""
        if "(" in text:
            dtype = stored_dtype(text)
            assert dtype is not None
            containers[list(inputs).index(node.name)] = dtype
    may_give = any(not n.is_variable and n.is_known and n.op.takes_extensions for n in graph.nodes())
    return Boundary(inputs, containers) if containers or may_give else None
