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

_FAILURES = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What ONNX's reference raises for values that do not fit, or operators that it lacks."""
_Run = Callable[[Sequence[Array]], list[Any]]
_MOST_SESSIONS = 512
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
        specs = tuple([Spec((None,) * a.ndim, a.dtype) for a in arrays])
        program = _program(model, specs)
        try:
            results = program.run(arrays)
        except MXNetError as exc:
            if not program.in_onnxruntime:
                raise
            results = _in_reference(model, arrays, exc)
        return [np.asarray(y) for y in results]

    def runs(self, model: str, inputs: Sequence[Spec]) -> bool:
        """Whether ONNX Runtime has a kernel for such inputs."""
        if any(spec.dtype is None or spec.shape is None for spec in inputs):
            return False
        return _program(model, tuple([Spec(_rank_alone(s.shape), s.dtype) for s in inputs])).in_onnxruntime


ENGINE = Nodes()


def _rank_alone(shape: Shape | None) -> Shape:
    return (None,) * len(shape or ())


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
    return _Program(_reference(model), False)


def _reference(model: str) -> _Run:
    """ONNX's own implementation."""
    from ..converters import onnx_nodes

    compute = onnx_nodes.reference(model)

    def run(arrays: Sequence[Array]) -> list[Any]:
        try:
            results: list[Any] = compute(arrays)
        except _FAILURES as exc:
            raise MXNetError(f"inputs that fit are required. ONNX's reference says: {exc}") from exc
        return results

    return run


def _in_reference(model: str, arrays: Sequence[Array], refusal: MXNetError) -> list[Any]:
    """What ONNX's reference gives for values that ONNX Runtime's kernel refuses, perhaps against ONNX."""
    try:
        return _reference(model)(arrays)
    except MXNetError:
        raise refusal from None


def _is_plain(spec: Spec) -> bool:
    dtype: DType | None = spec.dtype
    return dtype is not None and dtype.kind in _PLAIN and dtype.isbuiltin == 1
