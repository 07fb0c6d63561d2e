"""Lowerings of the likelihood of Hawkes processes, as a Scan over the events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridonnx.ops.hawkes import HawkesLL, HawkesLLGrad

from ._elimination import zero, zeros_like
from ._graph import Graph, Value
from ._recurrence import scan
from ._registry import lowers
from ._symbolic_dims import count, sizes_of


class _Processes:
    """What the steps read; values that belong to samples are (N, 1), those of processes (N, K) or (K,)."""

    def __init__(self, g: Graph, inputs: Sequence[Value]) -> None:
        dtype = np.dtype(np.float32) if inputs[0].dtype == np.float16 else inputs[0].dtype
        wide = [v if v.dtype.kind == "i" else g.Cast(v, dtype) for v in inputs]
        self.g = g
        self.lda, self.alpha, self.beta, self.state, lags, marks = wide[:6]
        self.end = g.Unsqueeze(wide[7], [1])
        self.nothing = zeros_like(g, self.lda)
        self.time = zeros_like(g, self.end)
        processes = count(g, sizes_of(self.lda)[1])
        inside = g.Less(g.Cast(count(g, sizes_of(lags)[1]), dtype), g.Unsqueeze(wide[6], [1]))
        hits = g.And(g.Equal(g.Cast(g.Unsqueeze(marks, [2]), np.int64), processes), g.Unsqueeze(inside, [2]))
        lags = g.Where(inside, lags, zero(lags))
        self.steps = [g.Unsqueeze(g.Transpose(lags, [1, 0]), [2]), g.Transpose(hits, [1, 0, 2])]
        self.inside = g.Unsqueeze(g.Transpose(inside, [1, 0]), [2])

    def moved(self, b: Graph, state: Value, last: Value, time: Value, lag: Value, hit: Value) -> Any:
        """The next state, last times and time, and what a step is: the times since and the decays."""
        now = time + lag
        since = now - last
        decay = b.Exp(-(b.Where(hit, since, zero(since)) * self.beta))
        new = b.Where(hit, state * decay + 1.0, state)
        return [new, b.Where(hit, now, last), now], since, decay

    def missed(self, state: Value, since: Value, decay: Value) -> Value:
        """(N, K): the number of events to expect."""
        return since * self.lda + state * self.alpha * (1.0 - decay)

    def last_decay(self, last: Value) -> tuple[Value, Value]:
        """The times from the last events to the end, and the decays."""
        since = self.end - last
        return since, self.g.Exp(-(self.beta * since))


@lowers(HawkesLL)
def hawkesll(g: Graph, op: HawkesLL, *inputs: Value) -> tuple[Value, Value]:
    p = _Processes(g, inputs)

    def build(b: Graph, *values: Value) -> Sequence[Value]:
        state, last, time, total, lag, hit, inside = values
        states, since, decay = p.moved(b, state, last, time, lag, hit)
        intensity = b.Where(hit, state * p.alpha * p.beta * decay + p.lda, zero(state))
        logarithm = b.Log(b.Where(inside, b.ReduceSum(intensity, [1]), np.ones((), state.dtype)))
        missed = b.ReduceSum(b.Where(hit, p.missed(state, since, decay), zero(state)), [1])
        return [*states, total + logarithm - missed]

    states = [p.state, p.nothing, p.time, p.time]
    state, last, _, total = scan(g, build, states, [*p.steps, p.inside], 0, False)
    since, decay = p.last_decay(last)
    total = total - g.ReduceSum(p.missed(state, since, decay), [1])
    dtype = inputs[0].dtype
    return g.Cast(g.Squeeze(total, [1]), dtype), g.Cast(state * decay, dtype)


@lowers(HawkesLLGrad)
def hawkesll_grad(g: Graph, op: HawkesLLGrad, *inputs: Value) -> tuple[Value, ...]:
    p = _Processes(g, inputs[:8])

    def missed(b: Graph, s: Value, z: Value, d: Value, decay: Value) -> list[Value]:
        left = 1.0 - decay
        return [d, s * left, (z * left + s * d * decay) * p.alpha]

    def build(b: Graph, *values: Value) -> Sequence[Value]:
        state, last, time, slope, *parts, lag, hit = values
        states, d, decay = p.moved(b, state, last, time, lag, hit)
        brought = state * p.beta * decay
        by_beta = decay * p.alpha * (state + (slope - state * d) * p.beta)
        intensity = brought * p.alpha + p.lda
        slopes = [b.Reciprocal(intensity), brought / intensity, by_beta / intensity]
        changes = [a - m for a, m in zip(slopes, missed(b, state, slope, d, decay), strict=True)]
        parts = [q + b.Where(hit, change, zero(q)) for q, change in zip(parts, changes, strict=True)]
        return [*states, b.Where(hit, (slope - state * d) * decay, slope), *parts]

    states = [p.state, p.nothing, p.time, *[p.nothing] * 4]
    state, last, _, slope, *parts = scan(g, build, states, p.steps, 0, False)
    rest = missed(g, state, slope, *p.last_decay(last))
    dy = g.Cast(g.Unsqueeze(inputs[8], [1]), state.dtype)
    by_lda, *others = [g.Cast((q - m) * dy, inputs[0].dtype) for q, m in zip(parts, rest, strict=True)]
    return by_lda, *(g.ReduceSum(v, [0], keepdims=0) for v in others)
