"""Counts of values by bins, and the threshold of quantized values that such counts suggest."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..attrs import Floats
from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, below, show, unify

_COUNTS = "counts do not change with small steps"


def _known_bins(bounds: Array, x: Array) -> Array:
    """The bin of each number between the first bound and the last: the bounds it has passed, less one.

    Stated so that bounds in disorder, which MXNet does not refuse, give the same counts in a file.
    """
    return np.minimum(np.searchsorted(np.sort(bounds), x, "right") - 1, len(bounds) - 2)


@operator("_histogram", "_npi_histogram")
class Histogram(Operator):
    """How many values lie in each bin, and the bins' bounds; a value on a bound belongs to the bin behind it.

    The last bin holds its upper bound as well. NaN and values outside of all bins are not counted.

    Inputs:
        data: Of any shape.
        bins: The bounds in ascending order, (B + 1,); absent with `bin_cnt`.

    Attributes:
        bin_cnt: The number of bins of one width, B; given together with `range`.
        range: The lowest and the highest bound.

    Returns:
        output0: The counts, int64, (B,).
        output1: The bounds, (B + 1,), in the dtype of data.

    ONNX: GreaterOrEqual, LessOrEqual, Cast and ReduceSum; with `bin_cnt` Floor, Gather and
        ScatterElements, below opset 16 Equal.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "bins")
    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")
    not_differentiable: ClassVar[str] = _COUNTS
    takes_bool: ClassVar[bool] = False
    bin_cnt: int | None = None
    range: Floats | None = None

    def input_names(self) -> tuple[str, ...]:
        return self.inputs[:1] if self.bin_cnt is not None else self.inputs

    def check(self) -> None:
        if (self.bin_cnt is None) != (self.range is None):
            raise AttributeValueError(
                "_histogram: bin_cnt and range are required together, or neither of them, got "
                f"bin_cnt={self.bin_cnt}, range={self.range}."
            )
        if self.bin_cnt is not None and self.bin_cnt < 1:
            raise AttributeValueError(f"_histogram: at least 1 bin is required, got bin_cnt={self.bin_cnt}.")
        ends = self.range or (0.0, 1.0)
        if len(ends) != 2 or not ends[0] <= ends[1]:
            raise AttributeValueError(
                f"_histogram: a range of two numbers is required, the lower one first, got {self.range}."
            )

    def infer_shape(self, data: Shape, bins: Shape | None = None) -> list[Shape]:
        if bins is None:
            count = self.bin_cnt or 0
            return [(count,), (count + 1,)]
        if len(bins) != 1 or below(bins[0], 2):
            raise ShapeError(f"_histogram: a vector of 2 or more bounds is required, got {show(bins)}.")
        return [(None if bins[0] is None else bins[0] - 1,), bins]

    def infer_dtype(self, data: DType | None, *_: DType | None) -> list[DType | None]:
        return [np.dtype("int64"), data]

    def ends(self) -> tuple[float, float]:
        """The lowest and the highest bound; where they are one, a half is added on either side."""
        low, high = self.range or (0.0, 1.0)
        return (low - 0.5, high + 0.5) if low == high else (low, high)

    def bounds(self, dtype: DType) -> Array:
        """The bounds of bins of one width."""
        (low, high), count = self.ends(), self.bin_cnt or 1
        steps = np.arange(count + 1)
        with np.errstate(invalid="ignore"):
            return np.asarray((high * steps + low * (count - steps)) / count).astype(dtype)

    def forward(self, data: Array, bins: Array | None = None) -> tuple[Array, Array]:
        x = data.ravel()
        if bins is None:
            bounds = self.bounds(data.dtype)
            indices = self._rounded_bins(bounds, x.astype(np.float64))
        else:
            bounds = bins.copy()
            indices = _known_bins(bounds, x[(x >= bounds[0]) & (x <= bounds[-1])])
        return np.bincount(indices, minlength=len(bounds) - 1).astype(np.int64), bounds

    def _rounded_bins(self, bounds: Array, x: Array) -> Array:
        """The bins by division, moved by at most one where rounding has put a number beyond a bound."""
        (low, high), count = self.ends(), len(bounds) - 1
        x = x[(x >= low) & (x <= high)]
        indices = np.minimum((x - low) * count / (high - low), count - 1).astype(np.int64)
        indices -= (x < bounds[indices]) & (indices != 0)
        indices += (x >= bounds[indices + 1]) & (indices != count - 1)
        return indices


@operator("_contrib_calibrate_entropy")
class CalibrateEntropy(Operator):
    """The threshold at which quantized values keep most of the information that a histogram has.

    For each number of bins around the middle the distribution that quantizing leaves of them is compared with
    what it was, values beyond counted at the ends. The least Kullback-Leibler divergence wins.

    Inputs:
        hist: The counts, (B,), B odd; the middle bin is around 0.
        hist_edges: The bounds of the bins, (B + 1,).

    Attributes:
        num_quantized_bins: How many values quantized numbers have.

    Returns:
        threshold: (1,), the upper bound of the bins that were chosen.
        divergence: (1,).

    ONNX: none; it is for the time before a model is quantized.
    """

    inputs: ClassVar[tuple[str, ...]] = ("hist", "hist_edges")
    outputs: ClassVar[tuple[str, ...]] = ("threshold", "divergence")
    not_differentiable: ClassVar[str] = _COUNTS
    not_in_onnx: ClassVar[str] = "it searches for the parameters of a quantized model"
    num_quantized_bins: int = 255

    def check(self) -> None:
        if self.num_quantized_bins < 1:
            raise AttributeValueError(
                "_contrib_calibrate_entropy: num_quantized_bins of at least 1 is required, got "
                f"{self.num_quantized_bins}."
            )

    def infer_shape(self, hist: Shape, hist_edges: Shape) -> list[Shape]:
        fewest = self.num_quantized_bins
        if len(hist) != 1 or len(hist_edges) != 1 or below(hist[0], fewest):
            raise ShapeError(
                f"_contrib_calibrate_entropy: a vector of {fewest} or more counts and one of bounds are "
                f"required, got {show(hist)} and {show(hist_edges)}."
            )
        unify(self.names[0], hist_edges, (None if hist[0] is None else hist[0] + 1,))
        return [(1,), (1,)]

    def forward(self, hist: Array, hist_edges: Array) -> tuple[Array, Array]:
        counts, middle = hist.astype(np.float64), len(hist) // 2
        best, threshold = np.inf, middle + self.num_quantized_bins // 2 + 1
        for half in range(self.num_quantized_bins // 2, middle + 1):
            start, stop = max(middle - half, 0), min(middle + half + 1, len(hist))
            divergence = _divergence(counts, start, stop, self.num_quantized_bins)
            if divergence < best:
                best, threshold = divergence, stop
        largest = float(np.finfo(np.float32).max)
        values = hist_edges[min(threshold, len(hist))], min(best, largest)
        first, second = (np.array([v]).astype(hist.dtype) for v in values)
        return first, second


def _divergence(counts: Array, start: int, stop: int, quantized: int) -> float:
    """The Kullback-Leibler divergence of some bins, and those beyond, from what quantizing leaves of them.

    As in MXNet the first of the bins is left out of what is quantized.
    """
    within = counts[start:stop].copy()
    original = within.copy()
    original[0] += counts[:start].sum()
    original[-1] += counts[stop:].sum()
    within[0] = 0
    width = len(within) // quantized
    groups = np.minimum(np.arange(len(within)) // width, quantized - 1)
    sums = np.bincount(groups, within)
    filled = np.bincount(groups, within != 0)
    means = np.divide(sums, filled, out=np.zeros_like(sums), where=filled > 0)
    p, q = _smoothed(original), _smoothed(np.where(original == 0, 0, means[groups]))
    if p is None or q is None:
        return np.inf
    return float((p * np.log(p / q)).sum())


def _smoothed(counts: Array, share: float = 1e-4) -> Array | None:
    """The distribution with a small share for each empty bin, at the cost of the others."""
    empty = counts == 0
    holes = int(empty.sum())
    others = len(counts) - holes
    cost = share * holes / max(others, 1)
    if not others or cost >= 1:
        return None
    smooth: Array = counts + np.where(empty, share, -cost)
    smooth /= smooth.sum()
    return smooth
