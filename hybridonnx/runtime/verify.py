"""Parity of two models: both run on the same inputs, and every output that both have is compared."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ..converters.from_onnx import exposed
from ..converters.to_onnx import arrays_by_name, by_name, data_names, is_shape, model_bytes
from ..converters.values import dtype_of_type_string
from ..errors import ConversionError
from ..ndarray.ndarray import NDArray
from ..ops import Array, Spec
from ..symbol.execute import execute
from ..symbol.symbol import Symbol
from .session import ModelSession

Arrays: TypeAlias = dict[str, Array]


@dataclass(frozen=True)
class Difference:
    """How far one value of the second model is from the first's."""

    name: str
    shape: tuple[int, ...]
    absolute: float
    """The largest difference."""
    relative: float
    """The largest difference over the largest magnitude of the first model's value."""

    def ok(self, tol: float) -> bool:
        """Whether the relative difference is within `tol`; NaN is not."""
        return self.relative <= tol

    def __str__(self) -> str:
        return f"{self.name:<40} {self.shape!s:<20} {self.absolute:9.2e} {self.relative:9.2e}"


_TITLES = {"outputs": "output", "layers": "layer", "call": "own call"}


@dataclass(frozen=True)
class Parity:
    """How far two models are apart in their outputs, and in the layers in between that names tell apart."""

    outputs: tuple[Difference, ...]
    layers: tuple[Difference, ...] = ()
    call: tuple[Difference, ...] = ()
    """For a block, which may run in ONNX Runtime as well: its own call beside its graph on the kernels."""

    def ok(self, tol: float = 1e-4) -> bool:
        """Whether every output, those of a block's own call too, agrees within the relative tolerance."""
        return all(difference.ok(tol) for difference in (*self.outputs, *self.call))

    def first_divergence(self, tol: float = 1e-4) -> Difference | None:
        """The first layer, or else output, that does not agree."""
        every = (*self.layers, *self.outputs, *self.call)
        return next((difference for difference in every if not difference.ok(tol)), None)

    def __str__(self) -> str:
        lines: list[str] = []
        for attribute, title in _TITLES.items():
            rows = getattr(self, attribute)
            if rows:
                lines += ["", f"{title:<40} {'shape':<20} {'absolute':>9} {'relative':>9}", *map(str, rows)]
        worst = self.first_divergence()
        if worst is None:
            return "\n".join([*lines[1:], "all agree within 1e-4"])
        lines.append(f"first divergence: {worst.name}")
        if self.call:
            agrees = all(difference.ok(1e-4) for difference in self.call)
            lines.append(f"the block's own call {'agrees with' if agrees else 'differs from'} the kernels")
        return "\n".join(lines[1:])


@dataclass(frozen=True)
class Runnable:
    """A model of either kind: what it takes, and how to run it."""

    inputs: Mapping[str, Spec]
    """Shapes may be unknown or partly so."""
    run: Callable[[Arrays], Arrays]
    """Inputs by name to outputs by name, in order."""
    layers: Callable[[Arrays], Arrays] | None = field(default=None, compare=False)
    call: Callable[[Arrays], Arrays] | None = field(default=None, compare=False)
    """The same model's other way, if it has one."""


def verify(
    model: Any,
    other: Any = None,
    inputs: Any = None,
    *,
    shapes: Any = None,
    layers: bool = False,
    seed: int = 0,
) -> Parity:
    """Run two models on the same inputs and compare their outputs, in order.

    A model is an ONNX file (or its bytes, or a ModelProto), or a Symbol with parameters as a tuple. Without
    `other` a Symbol is compared with its own export. ONNX models run in plain ONNX Runtime, Symbols on the
    kernels. `inputs` gives arrays by name or in order; without it they are drawn, with the sizes of `shapes`
    where the models leave them open. With `layers` all values of equal names are compared as well.
    """
    first = runnable(model)
    second = first if other is None else runnable(other)
    arrays = _inputs(first, second, inputs, shapes, seed)
    if other is None:
        if not _is_symbol(model):
            raise ConversionError(
                "verify: two models, or a Symbol with its parameters, are required, got one."
            )
        second = _of_onnx(exported(model[0], arrays_by_name(list(model[1:])), arrays))
    renamed = _renamed(arrays, second)
    expected = first.run(arrays)
    outputs = _differences(expected, second.run(renamed))
    between = _layers(first, second, arrays, renamed) if layers else []
    call = [] if first.call is None else _differences(expected, first.call(arrays))
    return Parity(tuple(outputs), tuple(between), tuple(call))


def _renamed(arrays: Arrays, model: Runnable) -> Arrays:
    """The inputs of one model for another, which may call them differently."""
    if set(model.inputs) <= set(arrays):
        return arrays
    if len(model.inputs) != len(arrays):
        raise ConversionError(
            f"verify: models with the same inputs are required, got {', '.join(arrays)} for one and "
            f"{', '.join(model.inputs)} for the other."
        )
    return dict(zip(model.inputs, arrays.values(), strict=True))


def _differences(expected: Arrays, got: Arrays) -> list[Difference]:
    if len(expected) != len(got):
        raise ConversionError(
            "verify: models with the same number of outputs are required, "
            f"got {len(expected)} and {len(got)}."
        )
    pairs = zip(expected.items(), got.values(), strict=True)
    return [difference(name, a, b) for (name, a), b in pairs]


def difference(name: str, expected: Array, got: Array) -> Difference:
    """Compare two values. Values of other shapes, or not finite where the other is, differ infinitely."""
    if expected.shape != got.shape:
        return Difference(name, got.shape, float("inf"), float("inf"))
    if expected.size == 0:
        return Difference(name, got.shape, 0.0, 0.0)
    a, b = np.asarray(expected, np.float64), np.asarray(got, np.float64)
    odd = ~(np.isfinite(a) & np.isfinite(b))
    if not np.array_equal(a[odd], b[odd], equal_nan=True):
        return Difference(name, got.shape, float("inf"), float("inf"))
    a, b = np.where(odd, 0, a), np.where(odd, 0, b)
    gap, scale = float(np.abs(a - b).max()), float(np.abs(a).max())
    return Difference(name, got.shape, gap, gap / max(scale, 1e-6))


# ---- models of both kinds


def runnable(model: Any) -> Runnable:
    """Anything that `verify` takes."""
    if isinstance(model, Runnable):
        return model
    if _is_symbol(model):
        return of_symbol(model[0], arrays_by_name(list(model[1:])))
    if isinstance(model, str | os.PathLike | bytes) or hasattr(model, "SerializeToString"):
        return _of_onnx(model)
    raise ConversionError(
        "verify: an ONNX model, or a tuple of a Symbol and parameters, is required, "
        f"got {type(model).__name__}."
    )


def _is_symbol(model: Any) -> bool:
    return isinstance(model, tuple | list) and bool(model) and isinstance(model[0], Symbol)


def of_symbol(symbol: Symbol, params: Arrays) -> Runnable:
    """A Symbol with parameters, run on the kernels."""
    names = data_names(symbol, params)
    values = {name: NDArray(array) for name, array in params.items()}
    inner = symbol.get_internals()

    def runner(graph: Symbol) -> Callable[[Arrays], Arrays]:
        def run(inputs: Arrays) -> Arrays:
            shapes = {name: array.shape for name, array in inputs.items()}
            arrays = {**inputs, **label_zeros(symbol, [*values, *inputs], shapes)}
            outputs = execute(graph, {**values, **{name: NDArray(array) for name, array in arrays.items()}})
            return named(graph.list_outputs(), [y.asnumpy() for y in outputs])

        return run

    return Runnable({name: Spec() for name in names}, runner(symbol), runner(inner))


def label_zeros(symbol: Symbol, known: Sequence[str], shapes: Mapping[str, tuple[int, ...]]) -> Arrays:
    """Zeros for the variables without a value, which only training reads, by the inputs' shapes."""
    missing = [name for name in symbol.list_inputs() if name not in known]
    if not missing:
        return {}
    arguments, _, _ = symbol.infer_shape(**{n: s for n, s in shapes.items() if n in symbol.list_inputs()})
    inferred = dict(zip(symbol.list_arguments(), arguments, strict=True))
    return {name: np.zeros(inferred[name], np.float32) for name in missing}


def _of_onnx(model: Any) -> Runnable:
    if not isinstance(model, str | os.PathLike):
        source: str | bytes = model if isinstance(model, bytes) else model.SerializeToString()
        folder = ""
    elif Path(model).is_file():
        source, folder = os.fspath(model), os.fspath(Path(model).resolve().parent)
    else:
        raise ConversionError(f"verify: the ONNX file {model} does not exist.")
    session = ModelSession(source)

    def run(inputs: Arrays) -> Arrays:
        return named(session.outputs, session(inputs))

    def layers(inputs: Arrays) -> Arrays:
        data, weights = exposed(source)
        inner = ModelSession(data, folder, weights)
        return named(inner.outputs, inner(inputs))

    declared = {
        name: Spec(_sizes(shape), dtype_of_type_string(text))
        for name, (text, shape) in session.inputs.items()
    }
    return Runnable(declared, run, layers)


def exported(symbol: Symbol, params: Arrays, inputs: Arrays) -> bytes:
    """The ONNX model of a Symbol, for inputs of these shapes."""
    return model_bytes(
        symbol, params, {name: Spec(array.shape, array.dtype) for name, array in inputs.items()}
    )


# ---- inputs and layers


def draw(model: Any, shapes: Any = None, seed: int = 0) -> Arrays:
    """Random inputs for a model, by name."""
    both = runnable(model)
    return _inputs(both, both, None, shapes, seed)


def _inputs(first: Runnable, second: Runnable, inputs: Any, shapes: Any, seed: int) -> Arrays:
    names = list(first.inputs)
    if inputs is not None:
        by_input = by_name(names, inputs, _is_array)
        arrays = {name: _array(value) for name, value in by_input.items()}
        missing = [name for name in names if name not in arrays]
        if missing:
            raise ConversionError(f"verify: an array for each input is required, got none for {missing[0]}.")
        return arrays
    known = by_name(names, shapes, is_shape)
    rng = np.random.default_rng(seed)
    others = dict(zip(names, second.inputs.values(), strict=False))
    others.update(second.inputs)
    return {n: _draw(rng, n, known.get(n), first.inputs[n], others.get(n, Spec())) for n in names}


def _is_array(value: Any) -> bool:
    return not isinstance(value, list | tuple)


def _array(value: Any) -> Array:
    return value if isinstance(value, np.ndarray) else np.asarray(value.asnumpy())


def _draw(rng: np.random.Generator, name: str, size: Sequence[int] | None, a: Spec, b: Spec) -> Array:
    shape = next((known for known in (size, a.shape, b.shape) if known is not None), None)
    if shape is None:
        raise ConversionError(f"verify: a shape is required for input {name}. Give inputs, or shapes.")
    dtype = a.dtype or b.dtype or np.dtype(np.float32)
    sizes = tuple(2 if d is None else d for d in shape)
    if dtype.kind == "f":
        return np.asarray(rng.standard_normal(sizes), dtype)
    return np.asarray(rng.integers(0, 2, sizes), dtype)


def _layers(first: Runnable, second: Runnable, a: Arrays, b: Arrays) -> list[Difference]:
    if first.layers is None or second.layers is None:
        return []
    mine, theirs = first.layers(a), second.layers(b)
    return [difference(name, x, theirs[name]) for name, x in mine.items() if name in theirs and name not in a]


def named(names: Sequence[str], values: Sequence[Array]) -> Arrays:
    """Values by name; a name that was there gets a number."""
    arrays: Arrays = {}
    for name, value in zip(names, values, strict=True):
        key, number = name, 0
        while key in arrays:
            number += 1
            key = f"{name}_{number}"
        arrays[key] = value
    return arrays


def _sizes(shape: Sequence[Any]) -> tuple[int | None, ...]:
    return tuple(d if isinstance(d, int) else None for d in shape)
