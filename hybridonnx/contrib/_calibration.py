"""Calibration: what a network computes for some data, as the ranges that integers stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from ..context import Context
from ..ndarray import contrib
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..symbol.symbol import Group, Symbol

Ranges: TypeAlias = dict[str, tuple[float, float]]
"""The least and the largest value by the name of an output."""
_BINS = 8001
_VALUES = 255
"""How many values int8 has here; uint8 twice as many, and one."""


class Collector(Protocol):
    """What sees the outputs that are to be calibrated; its `min_max_dict` has the ranges in the end."""

    min_max_dict: Ranges
    include_layer: Any

    def collect(self, name: str, arr: NDArray) -> None:
        """See an output of one batch."""


class MinMaxCollector:
    """Keeps the least and the largest value of each output."""

    def __init__(self) -> None:
        self.min_max_dict: Ranges = {}
        self.include_layer: Any = None

    def collect(self, name: str, arr: NDArray) -> None:
        """See an output of one batch."""
        values = arr.asnumpy()
        low, high = float(values.min()), float(values.max())
        before = self.min_max_dict.get(name, (low, high))
        self.min_max_dict[name] = min(low, before[0]), max(high, before[1])

    def ranges(self, dtype: str) -> Ranges:
        """The range of each output."""
        return self.min_max_dict


class HistogramCollector:
    """Counts the values of each output in bins."""

    def __init__(self) -> None:
        self.hist_dict: dict[str, tuple[Array, Array, float, float, float]] = {}
        self.include_layer: Any = None

    def collect(self, name: str, arr: NDArray) -> None:
        """See an output of one batch."""
        values = arr.asnumpy()
        low, high = float(values.min()), float(values.max())
        bound = max(abs(low), abs(high))
        if name in self.hist_dict:
            self.hist_dict[name] = combine_histogram(self.hist_dict[name], values, low, high, bound)
        else:
            counts, edges = np.histogram(values, bins=_BINS, range=(-bound, bound))
            self.hist_dict[name] = counts, edges, low, high, bound

    def ranges(self, dtype: str) -> Ranges:
        """The range of each output that keeps most of the information of its histogram."""
        return {name: _best_range(histogram, dtype) for name, histogram in self.hist_dict.items()}


COLLECTORS = {"naive": MinMaxCollector, "entropy": HistogramCollector}
"""By `calib_mode`."""


def combine_histogram(
    old_hist: tuple[Array, Array, float, float, float],
    arr: Array,
    new_min: float,
    new_max: float,
    new_th: float,
) -> tuple[Array, Array, float, float, float]:
    """A histogram with more values in it, in more bins of the same width if they are beyond it.

    A histogram is the counts, the bins' edges, the least and the largest value, and the larger size of these.
    """
    counts, edges, low, high, bound = old_hist
    low, high = min(low, new_min), max(high, new_max)
    if new_th <= bound:
        more, _ = np.histogram(arr, bins=len(counts), range=(-bound, bound))
        return counts + more, edges, low, high, bound
    if not bound:
        more, edges = np.histogram(arr, bins=len(counts), range=(-new_th, new_th))
        more[len(more) // 2] += counts.sum()
        return more, edges, low, high, new_th
    width = 2 * bound / len(counts)
    aside = int((new_th - bound) // width + 1)
    bound += aside * width
    more, edges = np.histogram(arr, bins=len(counts) + 2 * aside, range=(-bound, bound))
    more[aside : aside + len(counts)] += counts
    return more, edges, low, high, bound


def _best_range(histogram: tuple[Array, Array, float, float, float], dtype: str) -> tuple[float, float]:
    counts, edges, low, _, bound = histogram
    positive = low >= 0 and dtype != "int8"
    values = 2 * _VALUES + 1 if positive else _VALUES
    if not bound:
        return 0.0, 0.0
    best, _ = contrib.calibrate_entropy(
        NDArray(counts.astype(np.float32)), NDArray(edges.astype(np.float32)), num_quantized_bins=values
    )
    threshold = float(best.asscalar())
    return (0.0 if positive else -threshold), threshold


def collect(
    sym: Symbol,
    params: Mapping[str, NDArray],
    collector: Collector,
    names: Sequence[str],
    batches: Iterable[Sequence[NDArray]],
    ctx: Context,
) -> None:
    """Show a collector the outputs that it asks for, batch by batch."""
    internals = sym.get_internals()
    known = internals.list_outputs()
    layers = [name for name in dict.fromkeys(collector.include_layer) if name in known]
    graph = Group([internals[name] for name in layers])
    needed = {*graph.list_inputs()}
    for arrays in batches:
        values = {**params, **dict(zip(names, arrays, strict=False))}
        states = {name: values[name] for name in graph.list_auxiliary_states()}
        args = {name: value for name, value in values.items() if name in needed and name not in states}
        for name, output in zip(layers, graph.bind(ctx, args, aux_states=states).forward(), strict=True):
            collector.collect(name, output)
