"""A quantized model beside one in floating-point numbers: how far off its own steps may put each value.

What is rounded to a step is off by half of it, and so is what inherits that. It is measured: in copies of the
model each rounded value moves by up to a step, and each of a third of the weights' elements by one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..converters.quantization import Grid, Quantization
from ..ops import Array
from .difference import ORDER, Difference, Verdict
from .models import Arrays, File
from .results import Layer, NodeFacts
from .rounding import spread

COPIES = 6
SAFETY = 4.0
"""The bound as a multiple of how far copies went, which is two to three times as far as rounding goes."""
MOST = 0.05
"""How much of a value may be beyond what its integers can say, root mean square, before that is a fault."""


class QuantizedFile(File):
    """A quantized ONNX model whose parts run in plain ONNX Runtime."""

    def __init__(self, quantization: Quantization) -> None:
        """Take the form of a model in which values can be compared."""
        super().__init__(quantization.model())
        self.grids: Mapping[str, Grid] = quantization.grids()
        """The numbers that values can be, where these are fixed."""
        self._added = quantization.added
        self._copies = [File(quantization.moved(seed)) for seed in range(COPIES)]

    def makers(self, wanted: Iterable[str], borders: Collection[str]) -> list[str]:
        """The file's own nodes between values and `borders`."""
        return [name for name in super().makers(wanted, borders) if name not in self._added]

    def facts(self, wanted: Iterable[str], borders: Collection[str]) -> tuple[NodeFacts, ...]:
        """What the file's own nodes between values and `borders` are."""
        return tuple(item for item in super().facts(wanted, borders) if item.name not in self._added)

    def parameters_of(self, wanted: Iterable[str], borders: Collection[str]) -> list[str]:
        """None, as what nodes take are integers and scales."""
        return []

    def allowed(self, given: Arrays, results: Arrays) -> Arrays:
        """How far off quantization may put values that are computed from others."""
        copies = [copy.part([*results], given) for copy in self._copies]
        exact = {name: np.asarray(x, np.float64) for name, x in results.items()}
        return {
            name: SAFETY * spread(x, [np.asarray(copy[name], np.float64) for copy in copies], least=1.0)
            for name, x in exact.items()
            if x.dtype.kind == "f"
        }


class Saturation:
    """What of a value is beyond the numbers that it can be."""

    def __init__(self, value: Array, grid: Grid, needed: tuple[float, float]) -> None:
        """Compare a value with its numbers.

        Args:
            value: What it should be.
            grid: The numbers that it can be.
            needed: The range outside of which no difference matters, as where only a relu follows.
        """
        low, high = grid.range()
        self._range = low, high
        wanted = np.clip(np.nan_to_num(value), *needed)
        beyond = wanted - np.clip(wanted, low, high)
        self.count = int((np.abs(beyond) > grid.scale / 2).sum())
        """The elements that are more than half a step beyond."""
        self._size = value.size
        norm = float(np.linalg.norm(wanted))
        self.share = float(np.linalg.norm(beyond)) / norm if norm and self.count else 0.0
        """How much of the value that is, root mean square."""

    def told(self, layer: Layer) -> Layer:
        """The layer of the value, with a note of what is beyond; at fault if that is much of it."""
        if not self.count:
            return layer
        verdict = (
            Verdict.FAULT if self.share > MOST else max(layer.own.verdict, Verdict.QUANTIZED, key=ORDER.index)
        )
        return replace(layer, own=replace(layer.own, note=str(self), verdict=verdict), saturated=self.count)

    def __str__(self) -> str:
        low, high = self._range
        return (
            f"{self.count:,} of {self._size:,} elements are beyond what its integers say, {low:.4g} to "
            f"{high:.4g}, by {self.share:.2g} of its size"
        )


def settled(outputs: tuple[Difference, ...], layers: Sequence[Layer]) -> tuple[Difference, ...]:
    """Outputs beyond what was measured are as quantized if all layers before them are, one by one.

    What saturates, and what adds up in many layers, is not in the measured bound.
    """
    if not layers or not all(layer.ok() for layer in layers):
        return outputs
    if all(layer.own.verdict is not Verdict.QUANTIZED and layer.step is None for layer in layers):
        return outputs
    note = "beyond what was measured of its steps, and each layer by itself is as quantized"
    return tuple(
        item
        if item.ok() or not np.isfinite(item.absolute)
        else replace(item, verdict=Verdict.QUANTIZED, note=note)
        for item in outputs
    )


def described(quantization: Quantization) -> str:
    """What a report says of a quantized model."""
    operators = ", ".join(f"{name} {count}" for name, count in sorted(quantization.operators.items()))
    bits = " and ".join(map(str, quantization.bits()))
    weights = f", weights of {bits} bits" if bits else ""
    return (
        f"the second model is quantized ({operators}{weights}): bounds are what its own steps allow, and a "
        "metric on labelled inputs decides"
    )


def unknown(names: Sequence[str]) -> str:
    """What a report says of operators whose steps are not known."""
    return f"the steps of {', '.join(names)} are not known, so that what they round may be told as a fault"
