"""Kernels of recurrent layers: one layer in one direction, forward and backward through time.

A layer takes x (T, N, I) from states h (N, R) and c (N, H) to outputs (T, N, R): T steps, N sequences,
I inputs, H cells, R outputs, which are H unless they are projected. G is the number of gates. `inside`
(T, N, 1) is False beyond a sequence's length; there states stay as they are, and outputs are 0.

The backward pass needs nothing from the forward pass but its outputs: all gates follow from them at once.
What is left to do step by step is a linear recursion, whose coefficients `_Slopes` holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ._operator import Array

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
"""Mode to the number of gates: lstm has input, forget, new cell, output; gru has reset, update, new."""


# ---- parameters


class Weights(NamedTuple):
    """The parameters of one layer in one direction."""

    i2h_weight: Any
    """(G H, I)"""
    h2h_weight: Any
    """(G H, R)"""
    h2r_weight: Any
    """(R, H), `None` without projection"""
    i2h_bias: Any
    """(G H,)"""
    h2h_bias: Any
    """(G H,)"""


class Part(NamedTuple):
    """Where one parameter lies in the vector of all."""

    begin: int
    end: int
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Packing:
    """The order of parameters in one vector: all weights by layer and direction, then all biases."""

    gates: int
    cells: int
    projected: int | None
    layers: int
    directions: int

    def outputs(self) -> int:
        """R, the size of one direction's output."""
        return self.projected or self.cells

    def size(self, inputs: int) -> int:
        """The length of the vector for data of `inputs` channels."""
        rows, out = self.gates * self.cells, self.outputs()
        own = rows * (out + 2) + (out * self.cells if self.projected else 0)
        widths = inputs + (self.layers - 1) * self.directions * out
        return self.directions * (self.layers * own + rows * widths)

    def parts(self, inputs: int) -> list[list[Weights]]:
        """By layer and direction, a `Part` for each parameter."""
        rows, out = self.gates * self.cells, self.outputs()
        at = 0

        def part(*shape: int) -> Part:
            nonlocal at
            begin, at = at, at + int(np.prod(shape))
            return Part(begin, at, shape)

        weights = [
            [
                (part(rows, width), part(rows, out), part(out, self.cells) if self.projected else None)
                for _ in range(self.directions)
            ]
            for width in [inputs, *[self.directions * out] * (self.layers - 1)]
        ]
        return [[Weights(*w, part(rows), part(rows)) for w in layer] for layer in weights]

    def unpacked(self, vector: Array, inputs: int) -> list[list[Weights]]:
        """Views of the parameters in the vector, by layer and direction."""
        return [
            [Weights(*(p and vector[p.begin : p.end].reshape(p.shape) for p in w)) for w in layer]
            for layer in self.parts(inputs)
        ]


# ---- gates


class Clip(NamedTuple):
    """The limits of an lstm's cells."""

    low: float
    high: float
    stops_nan: bool

    def __call__(self, c: Array) -> Array:
        low, high = c.dtype.type(self.low), c.dtype.type(self.high)
        clipped: Array = np.fmin(np.fmax(c, low), high) if self.stops_nan else np.clip(c, low, high)
        return clipped

    def slope(self, c: Array) -> Array:
        """1 where a cell is within the limits."""
        slope: Array = ((c >= self.low) & (c <= self.high)).astype(c.dtype)
        return slope


def _sigmoid(a: Array) -> Array:
    half = a.dtype.type(0.5)
    sigmoid: Array = np.tanh(a * half) * half + half
    return sigmoid


def _lstm_gates(a: Array, cells: int) -> Array:
    """Sigmoids of the gates' sums (…, 4 H), tanh of the third. One tanh does it for all."""
    scale = np.repeat(np.array([0.5, 0.5, 1, 0.5], a.dtype), cells)
    gates: Array = np.tanh(np.multiply(a, scale, out=a), out=a)
    gates *= scale
    gates += 1 - scale
    return gates


def _quarters(gates: Array, cells: int) -> list[Array]:
    return [gates[..., k * cells : (k + 1) * cells] for k in range(4)]


def _product(x: Array, weight: Array) -> Array:
    """x (T, N, K) times the transposed weight (rows, K), as one product of matrices."""
    product: Array = x.reshape(-1, x.shape[-1]) @ weight.T
    return product.reshape(*x.shape[:-1], len(weight))


# ---- forward


class Run(NamedTuple):
    """How one layer runs in one direction."""

    mode: str
    cells: int
    backwards: bool = False
    clip: Clip | None = None

    def steps(self, count: int) -> Sequence[int]:
        """The steps in the order of the recursion."""
        return range(count)[::-1] if self.backwards else range(count)


def forward(
    run: Run, x: Array, w: Weights, h: Array, c: Array | None, inside: Array | None
) -> tuple[Array, Array, Array | None]:
    """The outputs (T, N, R) and the last states."""
    sums = _product(x, w.i2h_weight)
    sums += w.i2h_bias
    across = np.ascontiguousarray(w.h2h_weight.T)
    if run.mode != "gru":
        sums += w.h2h_bias
    y = np.zeros((*x.shape[:2], h.shape[1]), x.dtype)
    for t in run.steps(len(x)):
        new, cell = _step(run, w, sums[t], h @ across, h, c)
        if inside is None:
            h, c = new, cell
            y[t] = h
        else:
            y[t] = np.where(inside[t], new, 0)
            h = np.where(inside[t], new, h)
            c = c if cell is None or c is None else np.where(inside[t], cell, c)
    return y, h, c


def _step(run: Run, w: Weights, a: Array, b: Array, h: Array, c: Array | None) -> tuple[Array, Array | None]:
    """One step's states from the sums `a` over x and `b` over h."""
    H = run.cells
    if run.mode == "lstm":
        i, f, g, o = _quarters(_lstm_gates(a + b, H), H)
        cell = f * c + i * g
        cell = cell if run.clip is None else run.clip(cell)
        new = o * np.tanh(cell)
        return (new if w.h2r_weight is None else new @ w.h2r_weight.T), cell
    if run.mode == "gru":
        b = b + w.h2h_bias
        rz = _sigmoid(a[:, : 2 * H] + b[:, : 2 * H])
        r, z = rz[:, :H], rz[:, H:]
        n = np.tanh(a[:, 2 * H :] + r * b[:, 2 * H :])
        return n + z * (h - n), None
    a = a + b
    return (np.tanh(a) if run.mode == "rnn_tanh" else np.maximum(a, 0)), None


# ---- backward


@dataclass
class _Slopes:
    """The coefficients of the recursion of dh and dc, backwards in time.

    dv, the gradient of the sums over h, is dh * over for each gate, in an lstm dc * over for three and
    dh * out for the last. Then dh becomes dv @ h2h_weight + dh * stays. In an lstm dc is first made
    (dc + dh * to_cell) * clip, and becomes dc * forget.
    """

    over: Array
    stays: Array | None = None
    out: Array | None = None
    to_cell: Array | None = None
    clip: Array | None = None
    forget: Array | None = None
    ratio: Array | None = None
    """For gru alone, of its last gate: what the sum over h is multiplied by."""
    hidden: Array | None = None
    """For projection: the outputs before it."""


class Back(NamedTuple):
    """The gradients of a layer's inputs; those of its parameters are written in place."""

    dx: Array
    dh: Array
    dc: Array | None


def backward(
    run: Run,
    x: Array,
    w: Weights,
    h: Array,
    c: Array | None,
    inside: Array | None,
    y: Array,
    heads: tuple[Array, Array, Array | None],
    grads: Weights,
) -> Back:
    """Gradients from those of the outputs and the last states, `heads`."""
    dy, dh, dc = heads
    before = _before(run, y, h, inside)
    slopes = _slopes(run, x, w, before, c, inside)
    if inside is not None:
        dy = np.where(inside, dy, 0)
    dhs, dcs, dh, dc = _recursion(run, w, slopes, dy, dh, dc)
    if inside is not None:
        dhs = np.where(inside, dhs, 0)
    du, dv = _sums(w, slopes, dhs, dcs)
    rows = du.shape[-1]
    du2, dv2 = du.reshape(-1, rows), dv.reshape(-1, rows)
    grads.i2h_weight[...] = du2.T @ x.reshape(-1, x.shape[2])
    grads.h2h_weight[...] = dv2.T @ before.reshape(-1, before.shape[2])
    grads.i2h_bias[...] = du2.sum(0)
    grads.h2h_bias[...] = dv2.sum(0)
    if slopes.hidden is not None:
        grads.h2r_weight[...] = dhs.reshape(-1, dhs.shape[2]).T @ slopes.hidden.reshape(-1, run.cells)
    return Back((du2 @ w.i2h_weight).reshape(x.shape), dh, dc)


def _before(run: Run, y: Array, h: Array, inside: Array | None) -> Array:
    """The state h that each step began with, (T, N, R)."""
    if not run.backwards:
        return np.concatenate([h[None], y[:-1]])
    later = y[1:] if inside is None else np.where(inside[1:], y[1:], h)
    return np.concatenate([later, h[None]])


def _slopes(run: Run, x: Array, w: Weights, before: Array, c: Array | None, inside: Array | None) -> _Slopes:
    a, b = _product(x, w.i2h_weight), _product(before, w.h2h_weight)
    a += w.i2h_bias
    b += w.h2h_bias
    if run.mode == "lstm":
        assert c is not None
        slopes = _lstm_slopes(run, w, _lstm_gates(a + b, run.cells), c, inside)
    elif run.mode == "gru":
        slopes = _gru_slopes(run, a, b, before)
    else:
        a += b
        slopes = _Slopes((a > 0).astype(a.dtype) if run.mode == "rnn_relu" else 1 - np.tanh(a) ** 2)
    if inside is None:
        return slopes
    slopes.over = np.where(inside, slopes.over, 0)
    slopes.stays = np.where(inside, 0 if slopes.stays is None else slopes.stays, 1).astype(x.dtype)
    if slopes.out is not None and slopes.to_cell is not None:
        slopes.out, slopes.to_cell = (np.where(inside, v, 0) for v in (slopes.out, slopes.to_cell))
    return slopes


def _gru_slopes(run: Run, a: Array, b: Array, before: Array) -> _Slopes:
    H = run.cells
    rz = _sigmoid(a[..., : 2 * H] + b[..., : 2 * H])
    r, z = rz[..., :H], rz[..., H:]
    n = np.tanh(a[..., 2 * H :] + r * b[..., 2 * H :])
    inner = (1 - z) * (1 - n * n)
    over = [inner * b[..., 2 * H :] * r * (1 - r), (before - n) * z * (1 - z), inner]
    return _Slopes(np.concatenate(over, axis=-1), stays=z, ratio=r)


def _lstm_slopes(run: Run, w: Weights, gates: Array, c: Array, inside: Array | None) -> _Slopes:
    i, f, g, o = _quarters(gates, run.cells)
    previous, cells = np.empty_like(i), np.empty_like(i)
    for t in run.steps(len(gates)):
        previous[t] = c
        cells[t] = raw = f[t] * c + i[t] * g[t]
        new = raw if run.clip is None else run.clip(raw)
        c = new if inside is None else np.where(inside[t], new, c)
    clip = None
    if run.clip is not None:
        clip = run.clip.slope(cells) if inside is None else np.where(inside, run.clip.slope(cells), 1)
        cells = run.clip(cells)
    bent = np.tanh(cells)
    over = [g * i * (1 - i), previous * f * (1 - f), i * (1 - g * g)]
    return _Slopes(
        np.concatenate(over, axis=-1),
        out=bent * o * (1 - o),
        to_cell=o * (1 - bent * bent),
        clip=clip,
        forget=f if inside is None else np.where(inside, f, 1).astype(f.dtype),
        hidden=None if w.h2r_weight is None else o * bent,
    )


def _recursion(
    run: Run, w: Weights, s: _Slopes, dy: Array, dh: Array, dc: Array | None
) -> tuple[Array, Array, Array, Array | None]:
    """dh and dc at each step, and before the first."""
    dhs = np.empty_like(dy)
    dcs = np.empty((*dy.shape[:2], run.cells), dy.dtype)
    times = s.over.shape[-1] // run.cells
    for t in run.steps(len(dy))[::-1]:
        dhs[t] = dh = dh + dy[t]
        inner = dh if w.h2r_weight is None else dh @ w.h2r_weight
        if s.to_cell is None or s.out is None or s.forget is None or dc is None:
            dv = np.tile(inner, times) * s.over[t]
            if s.ratio is not None:
                dv[:, 2 * run.cells :] *= s.ratio[t]
        else:
            dc = dc + inner * s.to_cell[t]
            dcs[t] = dc = dc if s.clip is None else dc * s.clip[t]
            dv = np.concatenate([np.tile(dc, 3) * s.over[t], inner * s.out[t]], axis=-1)
            dc = dc * s.forget[t]
        past = dv @ w.h2h_weight
        dh = past if s.stays is None else past + dh * s.stays[t]
    return dhs, dcs, dh, dc


def _sums(w: Weights, s: _Slopes, dhs: Array, dcs: Array) -> tuple[Array, Array]:
    """The gradients of the sums over x and over h at all steps."""
    inner = dhs if w.h2r_weight is None else dhs @ w.h2r_weight
    if s.out is not None:
        dv = np.concatenate([np.tile(dcs, 3) * s.over, inner * s.out], axis=-1)
        return dv, dv
    du = np.tile(inner, s.over.shape[-1] // inner.shape[-1]) * s.over
    if s.ratio is None:
        return du, du
    dv = du.copy()
    dv[..., 2 * s.ratio.shape[-1] :] *= s.ratio
    return du, dv
