"""One recurrent layer in one direction as ONNX nodes: hybridonnx/ops/_recurrence.py step by step, as Scan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hybridonnx.ops import Spec
from hybridonnx.ops.rnn import Clip, Run, Weights

from ._graph import END, Graph, Value


def scan(
    g: Graph,
    build: Callable[..., Sequence[Value]],
    states: Sequence[Value],
    steps: Sequence[Value],
    count: int,
    backwards: bool,
) -> tuple[Value, ...]:
    """The last `states`, and `count` values of every step.

    `build(b, *states, *values of one step)` gives the next states and the step's `count` values; the order of
    steps is the other one if `backwards`.
    """
    specs = [Spec(v.shape, v.dtype) for v in states]
    specs += [Spec(None if v.shape is None else v.shape[1:], v.dtype) for v in steps]
    way, body = int(backwards), g.body(specs, build)
    outputs = g.Scan(
        *states,
        *steps,
        outputs=len(states) + count,
        body=body,
        num_scan_inputs=len(steps),
        scan_input_directions=[way] * len(steps),
        scan_output_directions=[way] * count,
    )
    results: tuple[Value, ...] = outputs if isinstance(outputs, tuple) else (outputs,)
    for value, state in zip(results, states, strict=False):
        value.shape, value.dtype = state.shape, state.dtype
    length = None if steps[0].shape is None else steps[0].shape[0]
    for value, step in zip(results[len(states) :], body.results[len(states) :], strict=True):
        value.shape = None if step.shape is None else (length, *step.shape)
        value.dtype = step.dtype
    return results


def _clipped(b: Graph, clip: Clip | None, c: Value) -> Value:
    if clip is None:
        return c
    if clip.stops_nan:
        c = b.Where(b.IsNaN(c), np.asarray(clip.low, c.dtype), c)
    return b.Clip(c, clip.low, clip.high)


def _product(b: Graph, x: Value, weight: Value) -> Value:
    """x times the transposed weight."""
    return b.MatMul(x, b.Transpose(weight, [1, 0]))


# ---- forward


def forward(
    g: Graph, run: Run, x: Value, w: Weights, h: Value, c: Value | None, inside: Value | None
) -> tuple[Value, Value, Value | None]:
    """The outputs (T, N, R) and the last states, by a Scan."""
    sums = _product(g, x, w.i2h_weight) + w.i2h_bias
    if run.mode != "gru":
        sums = sums + w.h2h_bias
    across = g.Transpose(w.h2h_weight, [1, 0])
    states = [h] if c is None else [h, c]

    def build(b: Graph, *values: Value) -> Sequence[Value]:
        old, (a, *at) = values[: len(states)], values[len(states) :]
        new = _step(b, run, w, a, b.MatMul(old[0], across), old)
        if not at:
            return *new, b.Identity(new[0])
        masked = [b.Where(at[0], n, o) for n, o in zip(new, old, strict=True)]
        return *masked, b.Where(at[0], new[0], np.zeros((), x.dtype))

    steps = [sums] if inside is None else [sums, inside]
    *last, y = scan(g, build, states, steps, 1, run.backwards)
    return y, last[0], None if c is None else last[1]


def _step(b: Graph, run: Run, w: Weights, a: Value, across: Value, old: Sequence[Value]) -> list[Value]:
    if run.mode == "lstm":
        i, f, g, o = _lstm_gates(b, b.Add(a, across))
        cell = _clipped(b, run.clip, f * old[1] + i * g)
        new = o * b.Tanh(cell)
        return [new if w.h2r_weight is None else _product(b, new, w.h2r_weight), cell]
    if run.mode == "gru":
        _, z, n, _ = _gru_gates(b, a, b.Add(across, w.h2h_bias))
        return [n + z * (old[0] - n)]
    a = b.Add(a, across)
    return [b.Tanh(a) if run.mode == "rnn_tanh" else b.Relu(a)]


def _lstm_gates(b: Graph, sums: Value) -> tuple[Value, ...]:
    i, f, g, o = b.Split(sums, 4, axis=-1)
    return b.Sigmoid(i), b.Sigmoid(f), b.Tanh(g), b.Sigmoid(o)


def _gru_gates(b: Graph, sums: Value, across: Value) -> tuple[Value, ...]:
    """Reset, update and new gate, and the new gate's sum over h."""
    (r, z, n), (hr, hz, hn) = (b.Split(v, 3, axis=-1) for v in (sums, across))
    r, z = b.Sigmoid(r + hr), b.Sigmoid(z + hz)
    return r, z, b.Tanh(n + r * hn), hn


# ---- backward


@dataclass
class _Slopes:
    """What `_Slopes` of the kernels holds."""

    over: Value
    stays: Value | None = None
    out: Value | None = None
    to_cell: Value | None = None
    unclipped: Value | None = None
    forget: Value | None = None
    ratio: Value | None = None
    hidden: Value | None = None

    def steps(self) -> dict[str, Value]:
        """What the recursion reads at each step, by name."""
        names = ("over", "stays", "out", "to_cell", "unclipped", "forget", "ratio")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


class Back(NamedTuple):
    """The gradients of a layer's inputs and parameters."""

    dx: Value
    dh: Value
    dc: Value | None
    weights: Weights


def backward(
    g: Graph,
    run: Run,
    x: Value,
    w: Weights,
    h: Value,
    c: Value | None,
    inside: Value | None,
    y: Value,
    heads: tuple[Value, Value, Value | None],
) -> Back:
    """Gradients from those of the outputs and the last states, `heads`."""
    dy, dh, dc = heads
    before = _before(g, run, y, h, inside)
    slopes = _slopes(g, run, x, w, before, c, inside)
    if inside is not None:
        dy = _within(g, inside, dy)
    dhs, dcs, dh, dc = _recursion(g, run, w, slopes, dy, dh, dc)
    if inside is not None:
        dhs = _within(g, inside, dhs)
    du, dv = (_flat(g, v) for v in _sums(g, w, slopes, dhs, dcs))
    grads = Weights(
        g.Gemm(du, _flat(g, x), transA=1),
        g.Gemm(dv, _flat(g, before), transA=1),
        None if slopes.hidden is None else g.Gemm(_flat(g, dhs), _flat(g, slopes.hidden), transA=1),
        g.ReduceSum(du, [0], keepdims=0),
        g.ReduceSum(dv, [0], keepdims=0),
    )
    dx = g.Reshape(g.MatMul(du, w.i2h_weight), g.shape_of(x))
    return Back(dx, dh, dc, grads)


def _within(g: Graph, inside: Value, x: Value, outside: int = 0) -> Value:
    return g.Where(inside, x, np.asarray(outside, x.dtype))


def _flat(g: Graph, x: Value) -> Value:
    """(T, N, K) as (T N, K)."""
    return g.Flatten(x, axis=2)


def _before(g: Graph, run: Run, y: Value, h: Value, inside: Value | None) -> Value:
    """The state h that each step began with."""
    first = g.Unsqueeze(h, [0])
    if not run.backwards:
        return g.Concat(first, g.Slice(y, [0], [-1], [0]), axis=0)
    later = g.Slice(y, [1], [END], [0])
    if inside is not None:
        later = g.Where(g.Slice(inside, [1], [END], [0]), later, first)
    return g.Concat(later, first, axis=0)


def _slopes(
    g: Graph, run: Run, x: Value, w: Weights, before: Value, c: Value | None, inside: Value | None
) -> _Slopes:
    a = _product(g, x, w.i2h_weight) + w.i2h_bias
    b = _product(g, before, w.h2h_weight) + w.h2h_bias
    if run.mode == "lstm" and c is not None:
        return _lstm_slopes(g, run, w, _lstm_gates(g, a + b), c, inside)
    if run.mode == "gru":
        r, z, n, hn = _gru_gates(g, a, b)
        inner = (1 - z) * (1 - n * n)
        over = g.Concat(inner * hn * r * (1 - r), (before - n) * z * (1 - z), inner, axis=-1)
        slopes = _Slopes(over, stays=z, ratio=r)
    elif run.mode == "rnn_tanh":
        y = g.Tanh(a + b)
        slopes = _Slopes(1 - y * y)
    else:
        slopes = _Slopes(g.Cast(g.Greater(a + b, 0), x.dtype))
    if inside is not None:
        slopes.over = _within(g, inside, slopes.over)
        slopes.stays = _stays(g, inside, slopes.stays, x.dtype)
    return slopes


def _stays(g: Graph, inside: Value, stays: Value | None, dtype: Any) -> Value:
    """What of dh stays as it is: beyond the sequence's end all of it."""
    if stays is None:
        return g.Cast(g.Not(inside), dtype)
    return _within(g, inside, stays, 1)


def _lstm_slopes(
    g: Graph, run: Run, w: Weights, gates: Sequence[Value], c: Value, inside: Value | None
) -> _Slopes:
    i, f, n, o = gates

    def build(b: Graph, c: Value, f: Value, new: Value, *at: Value) -> Sequence[Value]:
        raw = f * c + new
        cell = _clipped(b, run.clip, raw)
        return (b.Where(at[0], cell, c) if at else b.Identity(cell)), b.Identity(c), b.Identity(raw)

    steps = [f, i * n] if inside is None else [f, i * n, inside]
    _, previous, raw = scan(g, build, [c], steps, 2, run.backwards)
    cells = _clipped(g, run.clip, raw)
    unclipped = None if run.clip is None else g.Cast(g.Equal(raw, cells), c.dtype)
    bent = g.Tanh(cells)
    over = g.Concat(n * i * (1 - i), previous * f * (1 - f), i * (1 - n * n), axis=-1)
    slopes = _Slopes(over, None, bent * o * (1 - o), o * (1 - bent * bent), unclipped, f)
    if w.h2r_weight is not None:
        slopes.hidden = o * bent
    if inside is not None:
        slopes.over, slopes.out, slopes.to_cell = (
            _within(g, inside, v) for v in (slopes.over, bent * o * (1 - o), o * (1 - bent * bent))
        )
        slopes.forget = _within(g, inside, f, 1)
        slopes.stays = _stays(g, inside, None, c.dtype)
        slopes.unclipped = None if unclipped is None else _within(g, inside, unclipped, 1)
    return slopes


def _tiled(b: Graph, x: Value, times: int) -> Value:
    return b.Concat(*[x] * times, axis=-1)


def _recursion(
    g: Graph, run: Run, w: Weights, s: _Slopes, dy: Value, dh: Value, dc: Value | None
) -> tuple[Value, Value | None, Value, Value | None]:
    """dh and dc at each step, and before the first."""
    steps = s.steps()

    def build(b: Graph, *values: Value) -> Sequence[Value]:
        state, dy, rest = values[0], values[1 if dc is None else 2], values[2 if dc is None else 3 :]
        at = dict(zip(steps, rest, strict=True))
        dh = state + dy
        inner = dh if w.h2r_weight is None else b.MatMul(dh, w.h2r_weight)
        if dc is None:
            dv, cell, dcs = _step_back(b, run, inner, at), [], []
        else:
            now = values[1] + inner * at["to_cell"]
            now = now * at["unclipped"] if "unclipped" in at else now
            dv = b.Concat(_tiled(b, now, 3) * at["over"], inner * at["out"], axis=-1)
            cell, dcs = [now * at["forget"]], [b.Identity(now)]
        past = b.MatMul(dv, w.h2h_weight)
        return past + dh * at["stays"] if "stays" in at else past, *cell, b.Identity(dh), *dcs

    states = [dh] if dc is None else [dh, dc]
    results = scan(g, build, states, [dy, *steps.values()], len(states), not run.backwards)
    if dc is None:
        return results[1], None, results[0], None
    return results[2], results[3], results[0], results[1]


def _step_back(b: Graph, run: Run, inner: Value, at: dict[str, Value]) -> Value:
    """The gradient of one step's sums over h, in modes without cells."""
    if "ratio" not in at:
        return inner * at["over"]
    r, z, n = b.Split(at["over"], 3, axis=-1)
    return b.Concat(inner * r, inner * z, inner * n * at["ratio"], axis=-1)


def _sums(g: Graph, w: Weights, s: _Slopes, dhs: Value, dcs: Value | None) -> tuple[Value, Value]:
    """The gradients of the sums over x and over h at all steps."""
    inner = dhs if w.h2r_weight is None else g.MatMul(dhs, w.h2r_weight)
    if dcs is not None and s.out is not None:
        dv = g.Concat(_tiled(g, dcs, 3) * s.over, inner * s.out, axis=-1)
        return dv, dv
    if s.ratio is None:
        return inner * s.over, inner * s.over
    r, z, n = g.Split(s.over, 3, axis=-1)
    du = [inner * r, inner * z, inner * n]
    return g.Concat(*du, axis=-1), g.Concat(*du[:2], du[2] * s.ratio, axis=-1)
