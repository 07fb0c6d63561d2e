"""How ONNX's nodes in graphs run by themselves: in ONNX Runtime, or by ONNX's reference where that cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .. import config
from ..dtypes import DType
from ..errors import MXNetError
from ..ops import Array, Shape, Spec
from .session import ModelSession

_Run = Callable[[Sequence[Array]], list[Any]]
_MOST_SESSIONS = 512
_SHORT = 8
_PLAIN = frozenset("fiub")
"""The kinds of NumPy's own element types, which go through ONNX Runtime as they are."""


class _Program(NamedTuple):
    """A node ready to run on inputs of certain dtypes and ranks."""

    run: _Run
    in_onnxruntime: bool


class Nodes:
    """The engine of the operators `_onnx_<Operator>`."""

    def infer(self, model: str, inputs: Sequence[Spec]) -> list[Spec]:
        """All that can be known of a node's outputs from what is known of its inputs."""
        from ..converters import onnx_nodes

        return onnx_nodes.infer(model, inputs)

    def run(self, model: str, arrays: Sequence[Array]) -> list[Array]:
        """A node's outputs. Raises `MXNetError` with what the engine says if the values do not fit."""
        specs = tuple([_essential(a.shape, a.dtype) for a in arrays])
        program = _program(model, specs)
        try:
            results = program.run(arrays)
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            NotImplementedError,
            TypeError,
            ValueError,
        ) as exc:
            raise MXNetError(f"inputs that fit are required. ONNX's reference says: {exc}") from exc
        return [np.asarray(y) for y in results]

    def runs(self, model: str, inputs: Sequence[Spec]) -> bool:
        """Whether ONNX Runtime has a kernel for such inputs."""
        if any(spec.dtype is None or spec.shape is None for spec in inputs):
            return False
        return _program(model, tuple([_essential(s.shape or (), s.dtype) for s in inputs])).in_onnxruntime


ENGINE = Nodes()


def _essential(shape: Shape, dtype: DType | None) -> Spec:
    """What programs depend on: the rank, and the length of short vectors of integers.

    ONNX takes sizes of unknown length, in its inference of Resize, for none.
    """
    short = len(shape) == 1 and dtype is not None and dtype.kind == "i"
    return Spec(tuple(d if short and isinstance(d, int) and d <= _SHORT else None for d in shape), dtype)


@lru_cache(_MOST_SESSIONS)
def _program(model: str, specs: tuple[Spec, ...]) -> _Program:
    """The node for inputs of these dtypes and ranks."""
    from ..converters import onnx_nodes

    outputs = onnx_nodes.infer(model, specs)
    if all(map(_is_plain, (*specs, *outputs))):
        try:
            session = ModelSession(onnx_nodes.runnable(model, specs), threads=config.THREADS())
        except MXNetError:  # it has no such kernel
            pass
        else:
            names = list(session.inputs)
            return _Program(lambda arrays: session(dict(zip(names, arrays, strict=True))), True)
    return _Program(onnx_nodes.reference(model), False)


def _is_plain(spec: Spec) -> bool:
    dtype: DType | None = spec.dtype
    return dtype is not None and dtype.kind in _PLAIN and dtype.isbuiltin == 1
