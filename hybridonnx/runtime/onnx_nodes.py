"""How ONNX's nodes in graphs run by themselves: in ONNX Runtime, or by ONNX's reference where that cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from onnxruntime.capi import onnxruntime_pybind11_state as ort_state

from ..dtypes import DType, container, container_of, float32, is_bfloat16, strings, tensor_dtype
from ..errors import MXNetError
from ..ops import Array, Shape, Spec, enclosed, opened
from .session import ModelSession, Threads, exchanges

_FAILURES = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What ONNX's reference raises for values that do not fit, or operators that it lacks."""
_Run = Callable[[Sequence[Any]], list[Any]]
_MOST_SESSIONS = 512
_MOST_WITH_THREADS = 64
"""How many of them have threads of their own: those of models with few such nodes."""
_SHORT = 8


class _Program(NamedTuple):
    """A node ready to run on inputs of certain dtypes and ranks."""

    run: _Run
    in_onnxruntime: bool
    outputs: tuple[DType | None, ...]
    """The outputs' dtypes."""


class Nodes:
    """The engine of the operators `_onnx_<Operator>`."""

    def infer(self, model: str, inputs: Sequence[Spec]) -> list[Spec]:
        """All that can be known of a node's outputs from what is known of its inputs."""
        from ..converters import onnx_nodes

        specs = onnx_nodes.infer(model, inputs)
        if all(spec.dtype is not None for spec in specs) or any(spec.dtype is None for spec in inputs):
            return specs
        own = _program(model, tuple([_essential(s.shape, s.dtype) for s in inputs])).outputs
        return [s._replace(dtype=s.dtype or dtype) for s, dtype in zip(specs, own, strict=True)]

    def run(self, model: str, arrays: Sequence[Array]) -> list[Array]:
        """A node's outputs. Raises `MXNetError` with what the engine says if the values do not fit."""
        specs = tuple([_essential(a.shape, a.dtype) for a in arrays])
        program = _program(model, specs)
        values = [opened(a) if container_of(a.dtype) else a for a in arrays]
        try:
            results = program.run(values)
        except MXNetError as exc:
            if not program.in_onnxruntime:
                raise
            results = _in_reference(model, values, exc)
        return [_array(y, dtype) for y, dtype in zip(results, program.outputs, strict=True)]

    def knows(self, op_type: str, domain: str) -> bool:
        """Whether ONNX Runtime has an operator of this name."""
        return (domain, op_type) in _operators()

    def runs(self, model: str, inputs: Sequence[Spec]) -> bool:
        """Whether ONNX Runtime has a kernel for such inputs, whatever their values are."""
        from ..converters import onnx_nodes

        if any(spec.dtype is None for spec in inputs) or not onnx_nodes.takes_all_values(model):
            return False
        specs = tuple([_essential(s.shape, s.dtype) for s in inputs])
        return _program(onnx_nodes.without_values(model), specs).in_onnxruntime


ENGINE = Nodes()


def _essential(shape: Shape | None, dtype: DType | None) -> Spec:
    """What programs depend on: the rank, and the length of short vectors of integers.

    ONNX takes sizes of unknown length, in its inference of Resize, for none.
    """
    if shape is None:
        return Spec(None, dtype)
    short = len(shape) == 1 and dtype is not None and dtype.kind == "i"
    return Spec(tuple(d if short and isinstance(d, int) and d <= _SHORT else None for d in shape), dtype)


def _array(value: Any, dtype: DType | None) -> Array:
    """An output as an array: of strings, or one that carries a sequence and the like."""
    if container_of(dtype):
        assert dtype is not None
        return enclosed(value, dtype)
    array = np.asarray(value, object if dtype == strings else None)
    if dtype is not None and array.dtype != dtype:  # ONNX's reference may compute in another one
        return array.astype(dtype)
    return array


@lru_cache(_MOST_SESSIONS)
def _program(model: str, specs: tuple[Spec, ...]) -> _Program:
    """The node for inputs of these dtypes and ranks."""
    from ..converters import onnx_nodes

    outputs = tuple([spec.dtype for spec in onnx_nodes.infer(model, specs)])
    if onnx_nodes.is_as_onnx(model) and all(map(_may_exchange, (*[spec.dtype for spec in specs], *outputs))):
        try:
            several = _program.cache_info().currsize < _MOST_WITH_THREADS
            threads = Threads.current() if several else 1
            session = ModelSession(onnx_nodes.runnable(model, specs), threads=threads)
        except MXNetError:  # it has no such kernel
            pass
        else:
            names = list(session.inputs)
            types = [_dtype(text) for text in session.output_types]
            outputs = tuple([own or dtype for own, dtype in zip(outputs, types, strict=True)])
            return _Program(lambda values: session(dict(zip(names, values, strict=True))), True, outputs)
    run = _in_float32(model, (*[spec.dtype for spec in specs], *outputs)) or _reference(model)
    return _Program(run, False, outputs)


@cache
def _operators() -> frozenset[tuple[str, str]]:
    """The domains and names of all operators that ONNX Runtime has."""
    return frozenset((schema.domain, schema.name) for schema in ort_state.get_all_operator_schema())


def _dtype(text: str) -> DType:
    """The dtype of ONNX Runtime's text of a type."""
    return tensor_dtype(text) if text.startswith("tensor(") else container(text)


def _may_exchange(dtype: DType | None) -> bool:
    """Whether ONNX Runtime may take and give values of a dtype as a whole model's."""
    return (exchanges(dtype) and not is_bfloat16(dtype)) or bool(container_of(dtype))


def _in_float32(model: str, dtypes: Sequence[DType | None]) -> _Run | None:
    """A node of bfloat16 computed in float32 and rounded once, `None` for others.

    ONNX's reference rounds after each step, and some of its kernels know no bfloat16.
    """
    from ..converters import onnx_nodes

    if not any(map(is_bfloat16, dtypes)) or None in dtypes or any(map(container_of, dtypes)):
        return None
    wide = onnx_nodes.in_float32(model)
    if wide is None:
        return None

    def run(values: Sequence[Any]) -> list[Any]:
        return ENGINE.run(wide, [x.astype(float32) if is_bfloat16(x.dtype) else x for x in values])

    return run


@lru_cache(_MOST_SESSIONS)
def _reference(model: str) -> _Run:
    """ONNX's own implementation."""
    from ..converters import onnx_nodes

    try:
        compute = onnx_nodes.reference(model)
    except _FAILURES as exc:
        raise MXNetError(
            f"ONNX Runtime has no kernel for the node, and ONNX's reference says: {exc}"
        ) from exc

    def run(values: Sequence[Any]) -> list[Any]:
        try:
            with np.errstate(all="ignore"):  # infinities and NaN are results like others
                results: list[Any] = compute(values)
        except ImportError as exc:
            raise MXNetError(
                "a package that is not installed is required, as ONNX Runtime has no kernel for the node. "
                f"ONNX's reference says: {exc}. Install it with pip."
            ) from exc
        except _FAILURES as exc:
            raise MXNetError(f"inputs that fit are required. ONNX's reference says: {exc}") from exc
        return results

    return run


def _in_reference(model: str, values: Sequence[Any], refusal: MXNetError) -> list[Any]:
    """What ONNX's reference gives for values that ONNX Runtime's kernel refuses, perhaps against ONNX."""
    try:
        return _reference(model)(values)
    except MXNetError:
        raise refusal from None
