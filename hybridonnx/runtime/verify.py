"""Parity of two models: both run on the same inputs, and every output that both have is compared."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnxruntime
from onnx import ModelProto

from hybridonnx.errors import ConversionError
from hybridonnx.ndarray.ndarray import NDArray
from hybridonnx.ops import Spec
from hybridonnx.symbol.execute import execute
from hybridonnx.symbol.symbol import Symbol

from .to_onnx._export import arrays_by_name, data_names
from .to_onnx._model import embedded, lower
from .values import Array, dtype_of_type_string

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


_HEAD = f"{{:<40}} {'shape':<20} {'absolute':>9} {'relative':>9}"


@dataclass(frozen=True)
class Parity:
    """What `verify` found: the outputs, and the layers in between if they can be told apart."""

    outputs: tuple[Difference, ...]
    layers: tuple[Difference, ...] = ()

    def ok(self, tol: float = 1e-4) -> bool:
        """Whether every output agrees within the relative tolerance."""
        return all(found.ok(tol) for found in self.outputs)

    def first_divergence(self, tol: float = 1e-4) -> Difference | None:
        """The first layer, or else output, that does not agree."""
        return next((found for found in (*self.layers, *self.outputs) if not found.ok(tol)), None)

    def __str__(self) -> str:
        lines = [f"{'output':<40} {'shape':<20} {'absolute':>9} {'relative':>9}", *map(str, self.outputs)]
        if self.layers:
            lines += [
                "",
                f"{'layer':<40} {'shape':<20} {'absolute':>9} {'relative':>9}",
                *map(str, self.layers),
            ]
        worst = self.first_divergence()
        lines.append(f"first divergence: {worst.name}" if worst else "all agree within 1e-4")
        return "\n".join(lines)


@dataclass(frozen=True)
class Runnable:
    """A model of either kind: what it takes, and how to run it."""

    inputs: Mapping[str, Spec]
    """Shapes may be unknown or partly so."""
    run: Callable[[Arrays], Arrays]
    """Inputs by name to outputs by name, in order."""
    layers: Callable[[Arrays], Arrays] | None = field(default=None, compare=False)


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
    drawn = _inputs(first, second, inputs, shapes, seed)
    if other is None:
        if not _is_symbol(model):
            raise ConversionError(
                "verify: two models, or a Symbol with its parameters, are required, got one."
            )
        second = _of_onnx(exported(model[0], arrays_by_name(list(model[1:])), drawn))
    renamed = (
        dict(zip(second.inputs, drawn.values(), strict=False)) if set(second.inputs) - set(drawn) else drawn
    )
    a, b = first.run(drawn), second.run(renamed)
    if len(a) != len(b):
        raise ConversionError(f"verify: models with as many outputs are required, got {len(a)} and {len(b)}.")
    outputs = [difference(name, x, y) for (name, x), y in zip(a.items(), b.values(), strict=True)]
    between = _layers(first, second, drawn, renamed) if layers else []
    return Parity(tuple(outputs), tuple(between))


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
    if isinstance(model, str | os.PathLike | bytes | ModelProto):
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

    def runner(what: Symbol) -> Callable[[Arrays], Arrays]:
        def run(inputs: Arrays) -> Arrays:
            given = {name: NDArray(array) for name, array in inputs.items()}
            found = execute(what, {**values, **given, **_labels(symbol, values, given)})
            return _named(what.list_outputs(), [y.asnumpy() for y in found])

        return run

    return Runnable({name: Spec() for name in names}, runner(symbol), runner(inner))


def _labels(
    symbol: Symbol, values: Mapping[str, NDArray], given: Mapping[str, NDArray]
) -> dict[str, NDArray]:
    """Zeros for the variables that only training reads."""
    known = {**values, **given}
    missing = [name for name in symbol.list_inputs() if name not in known]
    if not missing:
        return {}
    shapes = {name: array.shape for name, array in given.items()}
    arguments, _, _ = symbol.infer_shape(**shapes)
    told = dict(zip(symbol.list_arguments(), arguments, strict=True))
    return {name: NDArray(np.zeros(told[name], np.float32)) for name in missing}


def _of_onnx(model: Any) -> Runnable:
    source = model.SerializeToString() if isinstance(model, ModelProto) else model
    if not isinstance(source, bytes) and not Path(source).is_file():
        raise ConversionError(f"verify: an ONNX file is required, got {source}, which is not there.")

    def session(data: Any) -> onnxruntime.InferenceSession:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        data = data if isinstance(data, bytes) else os.fspath(data)
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])

    plain = session(source)

    def run(inputs: Arrays) -> Arrays:
        names = [o.name for o in plain.get_outputs()]
        return _named(names, plain.run(names, {i.name: inputs[i.name] for i in plain.get_inputs()}))

    def layers(inputs: Arrays) -> Arrays:
        exposed = _exposed(source)
        inner = session(exposed.SerializeToString())
        names = [o.name for o in inner.get_outputs()]
        return _named(names, inner.run(names, {i.name: inputs[i.name] for i in inner.get_inputs()}))

    declared = {i.name: Spec(_sizes(i.shape), dtype_of_type_string(i.type)) for i in plain.get_inputs()}
    return Runnable(declared, run, layers)


def _exposed(source: Any) -> ModelProto:
    """The model with every value of its graph as an output."""
    import onnx

    model = ModelProto.FromString(source) if isinstance(source, bytes) else onnx.load(source)
    there = {output.name for output in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in there:
                model.graph.output.add(name=name)
    return model


def exported(symbol: Symbol, params: Arrays, inputs: Arrays) -> bytes:
    """The ONNX model of a Symbol, for inputs of these shapes."""
    specs = {name: Spec(array.shape, array.dtype) for name, array in inputs.items()}
    lowered = embedded(lower(symbol, specs, params, embed=False), params)
    data: bytes = lowered.model.SerializeToString()
    return data


# ---- inputs and layers


def draw(model: Any, shapes: Any = None, seed: int = 0) -> Arrays:
    """Random inputs for a model, by name."""
    found = runnable(model)
    return _inputs(found, found, None, shapes, seed)


def _inputs(first: Runnable, second: Runnable, given: Any, shapes: Any, seed: int) -> Arrays:
    names = list(first.inputs)
    if given is not None:
        listed = given if isinstance(given, Mapping | list | tuple) else [given]
        by_name = listed if isinstance(listed, Mapping) else dict(zip(names, listed, strict=False))
        arrays = {name: _array(value) for name, value in by_name.items()}
        missing = [name for name in names if name not in arrays]
        if missing:
            raise ConversionError(f"verify: an array for each input is required, got none for {missing[0]}.")
        return arrays
    told = shapes if isinstance(shapes, Mapping) else dict(zip(names, shapes or [], strict=False))
    rng = np.random.default_rng(seed)
    others = dict(zip(names, second.inputs.values(), strict=False))
    return {n: _draw(rng, n, told.get(n), first.inputs[n], others.get(n, Spec())) for n in names}


def _array(value: Any) -> Array:
    return value if isinstance(value, np.ndarray) else np.asarray(value.asnumpy())


def _draw(rng: np.random.Generator, name: str, told: Sequence[int] | None, a: Spec, b: Spec) -> Array:
    shape = told or a.shape or b.shape
    if shape is None:
        raise ConversionError(f"verify: a shape is required for input {name}. Give inputs, or shapes.")
    dtype = a.dtype or b.dtype or np.dtype(np.float32)
    size = tuple(2 if d is None else d for d in shape)
    if dtype.kind == "f":
        return rng.standard_normal(size).astype(dtype)
    return rng.integers(0, 2, size).astype(dtype)


def _layers(first: Runnable, second: Runnable, a: Arrays, b: Arrays) -> list[Difference]:
    if first.layers is None or second.layers is None:
        return []
    mine, theirs = first.layers(a), second.layers(b)
    return [difference(name, x, theirs[name]) for name, x in mine.items() if name in theirs and name not in a]


def _named(names: Sequence[str], values: Sequence[Array]) -> Arrays:
    """Values by name; a name that was there gets a number."""
    found: Arrays = {}
    for name, value in zip(names, values, strict=True):
        key, number = name, 0
        while key in found:
            number += 1
            key = f"{name}_{number}"
        found[key] = value
    return found


def _sizes(shape: Sequence[Any]) -> tuple[int | None, ...]:
    return tuple(d if isinstance(d, int) else None for d in shape)
