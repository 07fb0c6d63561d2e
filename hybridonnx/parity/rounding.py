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

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

import numpy as np

from ..dtypes import DType
from ..errors import MXNetError
from ..ndarray.invoke import invoke_all
from ..ndarray.ndarray import NDArray
from ..ops import Array
from ..symbol.graph import Entry, Node, topological
from ..symbol.symbol import Symbol
from .difference import unit_of

SAFETY = 10.0
"""An operator's own bound as a multiple of the rounding that was measured."""
INHERITED = 2.0
"""The bound of what is inherited as a multiple of how far copies went, whose values moved by whole bounds."""
COPIES = 4
CHANGES = 3
"""How often inputs are changed to see how much of a result cancels."""
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
    **dict.fromkeys(("_contrib_fft", "_contrib_ifft"), 1e-6),
    **dict.fromkeys(("_contrib_BilinearResize2D", "_contrib_ROIAlign", "_contrib_RROIAlign"), 2e-6),
    **dict.fromkeys(("_roi_align_grad", "_contrib_PSROIPooling", "_contrib_DeformablePSROIPooling"), 2e-6),
}
"""Operators and activations that ONNX Runtime computes by approximate formulas, or from rounded places: how
far off, of the largest value."""
NEAR_ONE = ("elu", "gammaln", "selu", "sigmoid", "softrelu", "LogisticRegressionOutput")
"""Those among them that are off by that much of 1 as well."""


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


@dataclass
class _State:
    """A value on its way through the graph."""

    exact: Array
    dtype: DType
    copies: list[Array] = field(default_factory=list)
    """None where nothing is inherited; not a number where anything may come out."""

    def copy(self, k: int) -> Array:
        return self.copies[k] if self.copies else self.exact


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
        self, inputs: Mapping[str, Array], borders: Mapping[str, DType] | None = None, seed: int = 0
    ) -> Iterator[Expectation]:
        """Each value in the order of the nodes.

        Args:
            inputs: Arrays by the variables' names.
            borders: Names of values at which nothing is inherited any more: what follows takes them rounded
                to this dtype, and counts its own rounding alone.
            seed: Of the changes at random.

        Yields:
            What each value should be, those of variables not among them.
        """
        rng = np.random.default_rng(seed)
        borders = {} if borders is None else borders
        uses = self._uses.copy()
        states: dict[Entry, _State] = {}
        for node in self._nodes:
            if node.is_variable:
                value = inputs[node.name] if node.name in inputs else self._params[node.name]
                states[Entry(node, 0)] = _State(_wide(value), value.dtype)
                continue
            with node.named(), np.errstate(all="ignore"):
                steps = _Step(node, [states[entry] for entry in node.inputs], rng, self._unit).results()
            names = node.output_names()
            for i, (state, bound, own) in enumerate(steps):
                entry = Entry(node, i)
                if i < len(names):
                    yield Expectation(entry, names[i], state.exact, bound, own)
                    if names[i] in borders:
                        state = _State(_wide(rounded(state.exact, borders[names[i]])), state.dtype)
                if uses[entry]:
                    states[entry] = state
            for entry in node.inputs:
                uses[entry] -= 1
                if not uses[entry]:
                    states.pop(entry, None)


class _Step:
    """One operator on exact values, on their copies, and on changed ones."""

    def __init__(
        self, node: Node, inputs: Sequence[_State], rng: np.random.Generator, unit: float = 0.0
    ) -> None:
        self._op, self._inputs, self._rng, self._least = node.op, inputs, rng, unit
        self._narrow = False

    def _unit(self, dtype: DType) -> float:
        """How coarse a dtype is, or the precision that bounds are for."""
        unit = unit_of(dtype)
        return max(unit, self._least) if unit else 0.0

    def results(self) -> list[tuple[_State, Array, Array]]:
        """The states of the outputs, their bounds, and what they are in their own precision."""
        own = self._run([rounded(state.exact, state.dtype) for state in self._inputs])
        exact = self._exact([state.exact for state in self._inputs], own)
        if self._op.draws():
            return [_anything(x, y) for x, y in zip(exact, own, strict=True)]
        changes = [self._exact([self._changed(s) for s in self._inputs], own) for _ in range(CHANGES)]
        inherits = any(state.copies for state in self._inputs)
        copies = [
            self._exact([state.copy(k) for state in self._inputs], own)
            for k in range(COPIES if inherits else 0)
        ]
        return [
            (*self._result(exact[i], own[i], [c[i] for c in changes], [c[i] for c in copies]), own[i])
            for i in range(len(exact))
        ]

    def _run(self, arrays: Sequence[Array]) -> list[Array]:
        return [np.asarray(y._data) for y in invoke_all(self._op, [NDArray(a) for a in arrays])]

    def _exact(self, arrays: Sequence[Array], own: Sequence[Array]) -> list[Array]:
        """In float64; in the inputs' own dtypes where the operator has no other."""
        if not self._narrow:
            try:
                return [_wide(y) for y in self._run(arrays)]
            except MXNetError:
                self._narrow = True
        narrow = [rounded(a, state.dtype) for a, state in zip(arrays, self._inputs, strict=True)]
        return [_wide(y) for y in self._run(narrow)]

    def _changed(self, state: _State) -> Array:
        """A value with its last bits changed, but for integers, which are exact wherever they come from."""
        x = state.exact
        if x.dtype.kind != "f" or not x.size:
            return x
        bits = (
            self._unit(state.dtype)
            * self._rng.uniform(0.5, 1, x.shape)
            * self._rng.choice([-1.0, 1.0], x.shape)
        )
        return np.where(x == np.rint(x), x, x * (1 + bits))

    def _result(
        self, exact: Array, own: Array, changes: Sequence[Array], copies: Sequence[Array]
    ) -> tuple[_State, Array]:
        if exact.dtype.kind != "f":
            state = _State(own, own.dtype, list(copies))
            moved = [other != own for other in (exact, *changes, *copies)]
            return state, np.where(np.any(moved, axis=0), np.inf, 0.0)
        bound = self._own_bound(exact, own, changes)
        total = bound + INHERITED * _spread(exact, copies) if copies else bound
        exact = np.where(np.abs(_finite(_wide(own) - exact)) > bound, _wide(own), exact)
        state = _State(exact, own.dtype)
        kicks = (np.where(np.isfinite(bound), bound, 0) for _ in range(COPIES))
        sources = copies or [exact] * COPIES
        state.copies = [
            y + kick * self._rng.uniform(-1, 1, y.shape) for y, kick in zip(sources, kicks, strict=True)
        ]
        return state, total

    def _terms(self, size: int) -> float:
        """About how many terms each element of an output of `size` elements adds up.

        What one after the other is added to loses with the root of their number (Higham, section 4.2).
        """
        name, inputs = self._op.names[0], [state.exact for state in self._inputs]
        sizes = [x.size for x in inputs]
        if name in PRODUCTS or name.startswith("_contrib_interleaved_matmul"):
            return float(np.sqrt(np.prod(sorted(sizes)[-2:], dtype=float) / max(size, 1)))
        if name == "RNN":
            return float(4 * (inputs[0].shape[-1] + inputs[2].shape[-1]))
        if name == "FullyConnected" or name.endswith("onvolution"):
            weight = next(x.shape for x in reversed(inputs) if x.ndim > 1)
            return float(np.prod(weight, dtype=float) / max(weight[1 if name == "Deconvolution" else 0], 1))
        return max(1.0, max(sizes, default=0) / max(size, 1))

    def _own_bound(self, exact: Array, own: Array, changes: Sequence[Array]) -> Array:
        if not exact.size:
            return np.zeros(exact.shape)
        overflows = np.isfinite(exact) & ~np.isfinite(own)
        off, spread = _finite(_wide(own) - exact), _spread(exact, changes)
        certain = (off == 0) & (exact == np.rint(exact))
        size = np.where(np.isfinite(exact), np.abs(exact), 0)
        eps = self._unit(own.dtype)
        measured = spread + 0.5 * eps * size
        lost = min(_rms(off) / max(_rms(measured), 1e-300), MOST)
        growth = max(1.0, lost, 0.25 * np.sqrt(self._terms(exact.size)))
        bound = SAFETY * (growth * (np.where(certain, 0.0, spread) + 0.1 * eps * size) + 0.5 * eps * size)
        bound = np.where(certain & (spread == 0), 0.0, bound)
        formula = getattr(self._op, "act_type", self._op.names[0])
        relative = APPROXIMATE.get(formula, 0.0)
        if relative:
            largest = max(1.0 if formula in NEAR_ONE else 0.0, float(size.max()))
            bound = bound + relative * largest * eps / unit_of(np.dtype(np.float32))
        return np.where(overflows, np.inf, bound)


def _anything(exact: Array, own: Array) -> tuple[_State, Array, Array]:
    """A value that is drawn at random, as nothing computed from it can be foretold."""
    state = _State(exact, own.dtype, [np.full(exact.shape, np.nan)] * COPIES)
    return state, np.full(exact.shape, np.inf), own


def rounded(x: Array, dtype: DType) -> Array:
    """A value in a dtype."""
    with np.errstate(all="ignore"):
        return x.astype(dtype)


def _wide(x: Array) -> Array:
    return x.astype(np.float64) if x.dtype.kind in "fV" else x


def _finite(x: Array) -> Array:
    return np.where(np.isfinite(x), x, 0.0)


def _rms(x: Array) -> float:
    return float(np.sqrt(np.mean(np.square(x)))) if x.size else 0.0


def _spread(exact: Array, others: Sequence[Array]) -> Array:
    """How far other values are from the exact ones; half of what is usual in their row or column at least."""
    squares = np.zeros(exact.shape)
    lost = np.zeros(exact.shape, bool)
    for other in others:
        with np.errstate(all="ignore"):
            off = other - exact
        same = (other == exact) | (np.isnan(other) & np.isnan(exact))
        lost |= ~np.isfinite(off) & ~same
        squares += np.where(same | ~np.isfinite(off), 0.0, off) ** 2
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
    return np.where(lost, np.inf, np.sqrt(np.maximum(squares, 0.25 * usual)))
