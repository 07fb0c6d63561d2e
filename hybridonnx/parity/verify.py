"""Parity of two models: both run on the same inputs, and every output that both have is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from ..converters.to_onnx import arrays_by_name
from ..errors import ConversionError
from ..ops import Array
from ..runtime.environment import environment
from .inputs import samples_of
from .layers import compare
from .models import Arrays, Graph, Runnable, exported, is_symbol, label_zeros, of_onnx, runnable, title
from .report import Difference, Exact, Layer, Parity, Verdict, difference, together
from .rounding import Reference


def verify(
    model: Any,
    other: Any = None,
    inputs: Any = None,
    *,
    shapes: Any = None,
    layers: bool | None = None,
    samples: int = 1,
    seed: int = 0,
) -> Parity:
    """Run two models on the same inputs and judge every difference.

    A model is an ONNX file (or its bytes, or a ModelProto), or a Symbol with parameters as a tuple. Without
    `other` a Symbol is compared with its own export. ONNX models run in plain ONNX Runtime, Symbols on the
    kernels. `inputs` gives arrays by name or in order; without it `samples` are drawn, with the sizes of
    `shapes` where the models leave them open. Layers are compared if `layers` says so, and unless it says no
    also where an output is at fault.
    """
    first = runnable(model)
    second = first if other is None else runnable(other)
    drawn = samples_of(first, second, inputs, shapes, samples, seed)
    if other is None:
        if not is_symbol(model):
            raise ConversionError(
                "verify: two models, or a Symbol with its parameters, are required, got one."
            )
        second = of_onnx(exported(model[0], arrays_by_name(list(model[1:])), drawn[0]))
    report = _Comparison(first, second).run(drawn, layers)
    names = title(model), "its own export" if other is None else title(other)
    return replace(report, models=names, environment=environment())


_Expected: TypeAlias = tuple[Array, Exact]
"""The first model's own result, and what it should be."""


class _Comparison:
    """Two models."""

    def __init__(self, first: Runnable, second: Runnable) -> None:
        self._first, self._second = first, second
        self._notes: dict[str, None] = {}
        graph = first.reference()
        self._reference = None if graph is None else (graph, Reference(graph.symbol, graph.params))
        if graph is None:
            self._note(
                "the first model has operators that only ONNX Runtime knows: no bounds of rounding, its own "
                "float32 results are what is required, and ok(tol) decides"
            )

    def run(self, samples: Sequence[Arrays], layers: bool | None) -> Parity:
        """The report of all samples."""
        outputs: list[list[Difference]] = []
        calls: list[list[Difference]] = []
        for sample in samples:
            expected = self._expected(sample)
            outputs.append(_differences(expected, self._second.run(self._renamed(sample))))
            if self._first.call is not None:
                calls.append(_differences(expected, self._first.call(sample)))
        merged = _merged(outputs)
        inside: list[list[Layer]] = []
        if layers or (layers is None and any(d.verdict is Verdict.FAULT for d in merged)):
            inside = [self._layers(sample) for sample in samples]
        return Parity(
            merged, _merged_layers(inside), _merged(calls), samples=len(samples), notes=tuple(self._notes)
        )

    def _note(self, text: str) -> None:
        self._notes[text] = None

    def _expected(self, sample: Arrays) -> dict[str, _Expected]:
        """Each output of the first model by name."""
        own = self._first.run(sample)
        if self._reference is None:
            return {name: (y, Exact(y, np.inf)) for name, y in own.items()}
        graph, reference = self._reference
        inputs = _with_labels(graph, sample)
        ends = set(graph.symbol.outputs)
        ready = {
            item.entry: Exact(item.exact, item.bound) for item in reference.run(inputs) if item.entry in ends
        }
        ready |= {
            entry: Exact({**graph.params, **inputs}[entry.node.name], 0.0)
            for entry in ends
            if entry.node.is_variable
        }
        pairs = zip(own.items(), graph.symbol.outputs, strict=True)
        return {name: (y, ready[entry]) for (name, y), entry in pairs}

    def _layers(self, sample: Arrays) -> list[Layer]:
        if self._reference is None:
            return []
        inputs = _with_labels(self._reference[0], sample)
        return compare(self._reference, self._second.inside(), inputs, self._renamed(sample))

    def _renamed(self, arrays: Arrays) -> Arrays:
        """The inputs of the first model for the second, which may call them differently."""
        names = self._second.inputs
        if set(names) <= set(arrays):
            return arrays
        if len(names) != len(arrays):
            raise ConversionError(
                f"verify: models with the same inputs are required, got {', '.join(arrays)} for one and "
                f"{', '.join(names)} for the other."
            )
        return dict(zip(names, arrays.values(), strict=True))


def _with_labels(graph: Graph, sample: Arrays) -> Arrays:
    shapes = {name: array.shape for name, array in sample.items()}
    return {**sample, **label_zeros(graph.symbol, [*graph.params, *sample], shapes)}


def _differences(expected: Mapping[str, _Expected], got: Arrays) -> list[Difference]:
    if len(expected) != len(got):
        raise ConversionError(
            "verify: models with the same number of outputs are required, "
            f"got {len(expected)} and {len(got)}."
        )
    pairs = zip(expected.items(), got.values(), strict=True)
    return [difference(name, own, result, exact) for (name, (own, exact)), result in pairs]


def _merged(samples: Sequence[Sequence[Difference]]) -> tuple[Difference, ...]:
    return tuple(together(several) for several in zip(*samples, strict=True))


def _merged_layers(samples: Sequence[Sequence[Layer]]) -> tuple[Layer, ...]:
    by_name: dict[str, list[Layer]] = {}
    for layer in (layer for sample in samples for layer in sample):
        by_name.setdefault(layer.name, []).append(layer)
    return tuple(
        Layer(
            together([layer.own for layer in several]),
            together([layer.whole for layer in several if layer.whole is not None]),
            several[0].nodes,
            several[0].origins,
        )
        for several in by_name.values()
    )


def draw(model: Any, shapes: Any = None, seed: int = 0) -> Arrays:
    """Random inputs for a model, by name."""
    both = runnable(model)
    return samples_of(both, both, None, shapes, 1, seed)[0]
