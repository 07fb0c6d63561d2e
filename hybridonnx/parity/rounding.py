"""A graph on the kernels in float64, and how far from it rounding may lead.

Each operator runs on its inputs in float64, in their own dtype, and in float64 on inputs whose last bits are
changed at random. The last tells how much of a result cancels: for a sum of products it is the unit roundoff
times the root of the sum of their squares, which is how rounding adds up (Higham, Accuracy and Stability of
Numerical Algorithms, 2002, section 2.8). The run in its own dtype tells how much longer sums add to that. An
operator's own bound is a multiple of both.

What an operator inherits is measured as well: the graph runs in copies whose values were all moved by as much
as their bounds allow. Bounds by the rules of intervals grow with every layer until they allow anything; those
that are measured stay a small multiple of what rounding does, and hold for operators without a rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from ..context import cpu
from ..converters.quantization import Grid
from ..dtypes import DType
from ..errors import MXNetError
from ..ndarray.invoke import ReferenceKernels, invoke_all
from ..ndarray.ndarray import NDArray
from ..ops import Array, Operator, Spec
from ..symbol.execute import Operators
from ..symbol.graph import Entry, topological
from ..symbol.symbol import Symbol
from .difference import PART, unit_of

SAFETY = 10.0
"""An operator's own bound as a multiple of the rounding that was measured."""
INHERITED = 2.0
"""The bound of what is inherited as a multiple of how far copies went, whose values moved by whole bounds."""
COPIES = 4
CHANGES = 3
"""How often inputs are changed to see how much of a result cancels."""
BLOCK = 65_521
"""How many numbers are drawn at random; more than that are these again, from another place on."""
MOST = 64.0
"""How many times more than that a run in the operator's own dtype may show to be lost."""
PRODUCTS = (
    "dot",
    "batch_dot",
    "_linalg_gemm",
    "_linalg_gemm2",
    "_npi_dot",
    "_npi_matmul",
    "_npi_tensordot",
    "_npi_tensordot_int_axes",
    "_npi_einsum",
    "khatri_rao",
)
"""Operators that multiply matrices."""
APPROXIMATE = {
    **dict.fromkeys(("erf", "sigmoid", "softrelu", "tanh", "LogisticRegressionOutput"), 4e-7),
    **dict.fromkeys(("elu", "gelu", "selu", "RNN", "gamma", "gammaln", "softmax", "SoftmaxOutput"), 1e-6),
    **dict.fromkeys(("_contrib_fft", "_contrib_ifft", "_ctc_grad", "CTCLoss"), 1e-6),
    **dict.fromkeys(("_contrib_BilinearResize2D", "_contrib_ROIAlign", "_contrib_RROIAlign"), 2e-6),
    **dict.fromkeys(("_roi_align_grad", "_contrib_PSROIPooling", "_contrib_DeformablePSROIPooling"), 2e-6),
}
"""Operators and activations that ONNX Runtime computes by approximate formulas, or from rounded places: how
far off, of the largest value."""
NEAR_ONE = ("elu", "gammaln", "selu", "sigmoid", "softrelu", "LogisticRegressionOutput")
"""Those among them that are off by that much of 1 as well."""
BY_OTHERS = ("cbrt", "log10", "log2", "rcbrt")
"""Operators that ONNX says by others, so that integers among their results are rounded as well."""


class Border(NamedTuple):
    """What a value is in the second model, where both have it."""

    dtype: DType
    grid: Grid | None = None
    """The numbers that it can be, if it is quantized."""

    def rounded(self, x: Array) -> Array:
        """The value as the second model has it."""
        return rounded(x if self.grid is None else self.grid.rounded(x), self.dtype)


class Nearby(NamedTuple):
    """What a value should be where the values at the borders before it are right."""

    exact: Array
    bound: Array
    own: Array


@dataclass(frozen=True)
class Expectation:
    """What a value should be."""

    entry: Entry
    name: str
    exact: Array
    """In float64 where it is a floating-point number."""
    bound: Array
    """How far off each element may be by rounding; infinite where anything may come out."""
    own: Array
    """What the operator gives for the exact inputs in their own precision, and as right as the exact value:
    what holds only in that precision, as its largest number does, or which of two equals is picked."""
    nearby: Nearby
    """The same from the borders on; without borders from the inputs."""


@dataclass
class _Values:
    """A value on its way through the graph."""

    exact: Array
    copies: list[Array] = field(default_factory=list)
    """None where nothing is inherited; not a number where anything may come out."""

    def copy(self, k: int) -> Array:
        return self.copies[k] if self.copies else self.exact


@dataclass
class _State:
    """A value from the inputs on, and from the borders on, which is the same object before the first one."""

    whole: _Values
    near: _Values
    dtype: DType

    def at_border(self, border: Border) -> _State:
        """The value at a border, where nothing was inherited: as the border has it if that is coarser."""
        exact, dtype = self.whole.exact, border.dtype
        if border.grid or (dtype != self.dtype and not 0 < unit_of(dtype) <= unit_of(self.dtype)):
            exact = _wide(border.rounded(exact))
        return replace(self, near=_Values(exact))


class Reference:
    """The exact values of a graph, and their bounds."""

    def __init__(self, symbol: Symbol, params: Mapping[str, Array], precision: DType | None = None) -> None:
        """Take a graph.

        Args:
            symbol: The graph.
            params: The values of its parameters.
            precision: The dtype whose rounding bounds are for, where that is coarser than a value's own.
        """
        self._unit = 0.0 if precision is None else unit_of(precision)
        self._nodes = sorted(topological(symbol.outputs), key=attrgetter("serial"))
        self._params = params
        self.outputs = symbol.outputs
        self._uses = Counter(entry for node in self._nodes for entry in node.inputs)

    def run(
        self, inputs: Mapping[str, Array], borders: Mapping[str, Border] | None = None, seed: int = 0
    ) -> Iterator[Expectation]:
        """Each value in the order of the nodes.

        Args:
            inputs: Arrays by the variables' names.
            borders: Names of values, inputs too, behind which `nearby` inherits nothing, and takes them so.
            seed: Of the changes at random.

        Yields:
            What each value should be, those of variables not among them.
        """
        noise = _Noise(seed)
        borders = {} if borders is None else borders
        uses = self._uses.copy()
        states: dict[Entry, _State] = {}
        arrays = {**self._params, **inputs}
        operator = Operators(self._nodes, lambda: {n: Spec(a.shape, a.dtype) for n, a in arrays.items()})
        for node in self._nodes:
            if node.is_variable:
                value = arrays[node.name]
                values = _Values(_wide(value))
                state = _State(values, values, value.dtype)
                if node.name in borders:
                    state = state.at_border(borders[node.name])
                states[Entry(node, 0)] = state
                continue
            with node.named(), np.errstate(all="ignore"):
                ends = [name in borders for name in node.output_names()]
                known = [states[entry] for entry in node.inputs]
                results = _results(operator(node), known, ends, noise, self._unit)
            names = node.output_names()
            for i, (whole, near) in enumerate(results):
                entry = Entry(node, i)
                state = _State(whole.values, near.values, whole.own.dtype)
                if i < len(names):
                    nearby = Nearby(near.values.exact, near.bound, near.own)
                    yield Expectation(entry, names[i], whole.values.exact, whole.bound, whole.own, nearby)
                    if names[i] in borders:
                        state = state.at_border(borders[names[i]])
                if uses[entry]:
                    states[entry] = state
            for entry in node.inputs:
                uses[entry] -= 1
                if not uses[entry]:
                    states.pop(entry, None)


class _Noise:
    """Numbers at random; large arrays have the same again, as to draw them takes longer than operators do."""

    def __init__(self, seed: int) -> None:
        self._rng = rng = np.random.default_rng(seed)
        self._bits = rng.uniform(0.5, 1, BLOCK) * rng.choice([-1.0, 1.0], BLOCK)
        self._shares = rng.uniform(-1, 1, BLOCK)

    def bits(self, shape: tuple[int, ...]) -> Array:
        """Numbers whose magnitudes are between a half and one, in an array of its own."""
        return self._repeated(self._bits, shape)

    def shares(self, shape: tuple[int, ...]) -> Array:
        """Numbers between -1 and 1, in an array of its own."""
        return self._repeated(self._shares, shape)

    def _repeated(self, block: Array, shape: tuple[int, ...]) -> Array:
        return np.resize(np.roll(block, self._rng.integers(BLOCK)), shape)


class _Result(NamedTuple):
    """An output of an operator."""

    values: _Values
    bound: Array
    own: Array


def _results(
    op: Operator, states: Sequence[_State], ends: Sequence[bool], noise: _Noise, unit: float
) -> list[tuple[_Result, _Result]]:
    """The outputs of an operator from the graph's inputs on, and from the borders on, which `ends` are."""
    step = _Step(op, [state.dtype for state in states], noise, unit)
    whole, near = [state.whole for state in states], [state.near for state in states]
    measured = step.measure([values.exact for values in whole])
    results = step.results(measured, whole)
    if all(a is b for a, b in zip(whole, near, strict=True)):
        return [(result, result) for result in results]
    if any(a.exact is not b.exact for a, b in zip(whole, near, strict=True)):
        measured = step.measure([values.exact for values in near])
    return list(zip(results, step.results(measured, near, ends), strict=True))


class _Measured(NamedTuple):
    """An output of an operator on exact values, and what the operator itself loses of it."""

    exact: Array
    """In float64."""
    value: Array
    """The same, but for what holds only in the operator's own precision."""
    own: Array
    bound: Array


class _Step:
    """One operator on exact values, on their copies, and on changed ones."""

    def __init__(self, op: Operator, dtypes: Sequence[DType], noise: _Noise, unit: float = 0.0) -> None:
        self._op, self._dtypes, self._noise, self._least = op, dtypes, noise, unit
        self._narrow = False

    def _unit(self, dtype: DType) -> float:
        """How coarse a dtype is, or the precision that bounds are for."""
        unit = unit_of(dtype)
        return max(unit, self._least) if unit else 0.0

    def measure(self, inputs: Sequence[Array]) -> list[_Measured]:
        """The outputs for exact inputs, with the operator's own bounds."""
        own = self._run(self._rounded(inputs))
        exact = self._exact(inputs, own)
        if self._op.draws():
            return [_Measured(x, x, y, np.full(x.shape, np.inf)) for x, y in zip(exact, own, strict=True)]
        changes = [
            self._exact([self._changed(x, t) for x, t in zip(inputs, self._dtypes, strict=True)], own)
            for _ in range(CHANGES)
        ]
        return [
            self._measured(exact[i], own[i], [change[i] for change in changes], inputs)
            for i in range(len(exact))
        ]

    def results(
        self, measured: Sequence[_Measured], inputs: Sequence[_Values], ends: Sequence[bool] = ()
    ) -> list[_Result]:
        """The outputs with what they inherit; nothing inherits from those that `ends` names."""
        if self._op.draws():  # nothing that is computed from it can be foretold
            lost = [_Values(m.value, [np.full(m.value.shape, np.nan)] * COPIES) for m in measured]
            return [_Result(x, m.bound, m.own) for x, m in zip(lost, measured, strict=True)]
        inherits = any(values.copies for values in inputs)
        own = [m.own for m in measured]
        copies = [
            self._exact([values.copy(k) for values in inputs], own) for k in range(COPIES if inherits else 0)
        ]
        last = [*ends, *[False] * len(measured)]
        return [self._result(m, [copy[i] for copy in copies], last[i]) for i, m in enumerate(measured)]

    def _run(self, arrays: Sequence[Array]) -> list[Array]:
        with ReferenceKernels():
            return [np.asarray(y._host) for y in invoke_all(self._op, [NDArray(a, cpu()) for a in arrays])]

    def _rounded(self, arrays: Sequence[Array]) -> list[Array]:
        return [rounded(x, dtype) for x, dtype in zip(arrays, self._dtypes, strict=True)]

    def _exact(self, arrays: Sequence[Array], own: Sequence[Array]) -> list[Array]:
        """In float64; in the inputs' own dtypes where the operator has no other."""
        if not self._narrow:
            try:
                return [_wide(y) for y in self._run(arrays)]
            except MXNetError:
                self._narrow = True
        return [_wide(y) for y in self._run(self._rounded(arrays))]

    def _changed(self, x: Array, dtype: DType) -> Array:
        """A value with its last bits changed, but for integers, which are exact wherever they come from."""
        if x.dtype.kind != "f" or not x.size:
            return x
        changed = self._noise.bits(x.shape)
        changed *= self._unit(dtype)
        changed += 1
        changed *= x
        np.copyto(changed, x, where=x == np.rint(x))
        return changed

    def _measured(
        self, exact: Array, own: Array, changes: Sequence[Array], inputs: Sequence[Array]
    ) -> _Measured:
        if exact.dtype.kind != "f":
            moved = [other != own for other in (exact, *changes)]
            return _Measured(exact, own, own, np.where(np.any(moved, axis=0), np.inf, 0.0))
        bound = self._own_bound(exact, own, changes, inputs)
        value = np.where(np.abs(_finite(_wide(own) - exact)) > bound, _wide(own), exact)
        return _Measured(exact, value, own, bound)

    def _result(self, measured: _Measured, copies: Sequence[Array], last: bool) -> _Result:
        exact, value, own, bound = measured
        if exact.dtype.kind != "f":
            flips = np.any([bound > 0, *(other != own for other in copies)], axis=0)
            return _Result(_Values(own, list(copies)), np.where(flips, np.inf, 0.0), own)
        total = bound + INHERITED * spread(exact, copies) if copies else bound
        if last:
            return _Result(_Values(value), total, own)
        kick = np.where(np.isfinite(bound), bound, 0)
        sources = copies or [value] * COPIES
        moved = [y + kick * self._noise.shares(y.shape) for y in sources]
        return _Result(_Values(value, moved), total, own)

    def _terms(self, size: int, inputs: Sequence[Array]) -> float:
        """About how many terms each element of an output of `size` elements adds up.

        What one after the other is added to loses with the root of their number (Higham, section 4.2).
        """
        name, sizes = self._op.names[0], [x.size for x in inputs]
        if name in PRODUCTS or name.startswith("_contrib_interleaved_matmul"):
            return float(np.sqrt(np.prod(sorted(sizes)[-2:], dtype=float) / max(size, 1)))
        if name == "RNN":
            return float(4 * (inputs[0].shape[-1] + inputs[2].shape[-1]))
        if name == "FullyConnected" or name.endswith("onvolution"):
            weight = next(x.shape for x in reversed(inputs) if x.ndim > 1)
            return float(np.prod(weight, dtype=float) / max(weight[1 if name == "Deconvolution" else 0], 1))
        return max(1.0, max(sizes, default=0) / max(size, 1))

    def _own_bound(
        self, exact: Array, own: Array, changes: Sequence[Array], inputs: Sequence[Array]
    ) -> Array:
        if not exact.size:
            return np.zeros(exact.shape)
        overflows = np.isfinite(exact) & ~np.isfinite(own)
        off, moved = _finite(_wide(own) - exact), spread(exact, changes)
        formula = getattr(self._op, "act_type", re.sub("^_np[ix]_", "", self._op.names[0]))
        certain = (off == 0) & (exact == np.rint(exact)) & (formula not in BY_OTHERS)
        size = np.where(np.isfinite(exact), np.abs(exact), 0)
        eps = self._unit(own.dtype)
        measured = moved + 0.5 * eps * size
        lost = min(_rms(off) / max(_rms(measured), 1e-300), MOST)
        growth = max(1.0, lost, 0.25 * np.sqrt(self._terms(exact.size, inputs)))
        bound = SAFETY * (growth * (np.where(certain, 0.0, moved) + 0.1 * eps * size) + 0.5 * eps * size)
        bound = np.where(certain & (moved == 0), 0.0, bound)
        relative = APPROXIMATE.get(formula, 0.0)
        if relative:
            largest = max(1.0 if formula in NEAR_ONE else 0.0, float(size.max()))
            bound = bound + relative * largest * eps / unit_of(np.dtype(np.float32))
        return np.where(overflows, np.inf, bound)


def rounded(x: Array, dtype: DType) -> Array:
    """A value in a dtype."""
    with np.errstate(all="ignore"):
        return x.astype(dtype)


def _wide(x: Array) -> Array:
    return x.astype(np.float64, copy=False) if x.dtype.kind in "fV" else x


def _finite(x: Array) -> Array:
    return np.where(np.isfinite(x), x, 0.0)


def _rms(x: Array) -> float:
    return float(np.sqrt(np.mean(np.square(x)))) if x.size else 0.0


def spread(exact: Array, others: Sequence[Array], least: float = 0.5) -> Array:
    """How far other values are from the exact ones; a part of what is usual in a row or column at least."""
    squares = np.zeros(exact.shape)
    lost = np.zeros(exact.shape, bool)
    whole, sums, gone = exact.reshape(-1), squares.reshape(-1), lost.reshape(-1)
    for y in (np.broadcast_to(other, exact.shape).reshape(-1) for other in others):
        for start in range(0, y.size, PART):
            part = slice(start, start + PART)
            with np.errstate(all="ignore"):
                off = y[part] - whole[part]
            same = (y[part] == whole[part]) | (np.isnan(y[part]) & np.isnan(whole[part]))
            gone[part] |= ~np.isfinite(off) & ~same
            sums[part] += np.where(same | ~np.isfinite(off), 0.0, off) ** 2
    squares /= max(len(others), 1)
    usual = squares
    if squares.size > 1:
        axes = [k for k in range(squares.ndim) if squares.shape[k] > 1]
        means = [
            squares.mean(axis=tuple(j for j in range(squares.ndim) if j != k), keepdims=True) for k in axes
        ]
        usual = means[0]
        for mean in means[1:]:
            usual = np.minimum(usual, mean)
    return np.where(lost, np.inf, np.sqrt(np.maximum(squares, least**2 * usual)))
