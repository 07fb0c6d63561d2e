"""Lowerings of connectionist temporal classification: hybridonnx/ops/ctc.py step by step, as Scan."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hybridonnx.ops.ctc import NEVER, CTCGrad, CTCLoss

from ._graph import END, Graph, Value
from ._recurrence import scan
from ._registry import lowers
from ._symbolic_dims import count, sizes_of
from .softmax import log_softmax_of


class _Alignments:
    """What `Alignments` of the kernels holds, with the steps T, the batch N, and S = 2 L + 1 states."""

    def __init__(self, g: Graph, op: CTCLoss | CTCGrad, inputs: Sequence[Value]) -> None:
        arrays = dict(zip(op.forward_inputs(), inputs, strict=True))
        self.g, data = g, arrays["data"]
        self.scores = g.Cast(data, np.float32) if data.dtype == np.float16 else data
        label = _integers(g, arrays["label"])
        self.steps, _, self.classes = (g.Squeeze(g.size_of(data, i), [0]) for i in range(3))
        self.most = g.Squeeze(g.size_of(label, 1), [0])
        self.blank = g.const(np.array(0)) if op.blank_label == "first" else self.classes - 1
        if "label_lengths" in arrays:
            self.lengths = _integers(g, arrays["label_lengths"])
        else:
            padded = g.Cast(g.Equal(label, op.padding()), np.int64)
            before = g.Equal(g.CumSum(padded, np.array(1)), 0)
            self.lengths = g.ReduceSum(g.Cast(before, np.int64), [1], keepdims=0)
        if "data_lengths" in arrays:
            self.data_lengths = _integers(g, arrays["data_lengths"])
        else:
            self.data_lengths = g.Expand(self.steps, g.shape_of(self.lengths))
        self.within = g.Less(count(g, sizes_of(label)[1]), g.Unsqueeze(self.lengths, [1]))
        self.label = g.Where(self.within, label, self.blank)
        self.states = self._states()

    def _states(self) -> Value:
        """(N, S): the classes of the states."""
        g = self.g
        labels = g.Max(g.Min(self.label, self.classes - 1), np.array(0))
        blanks = g.Expand(self.blank, g.shape_of(labels))
        pairs = g.Concat(g.Unsqueeze(blanks, [2]), g.Unsqueeze(labels, [2]), axis=2)
        return g.Pad(g.Flatten(pairs, axis=1), [0, 0, 0, 1], self.blank)

    def any(self, truths: Value) -> Value:
        """(N,): whether one of (N, L) holds."""
        return self.g.Greater(self.g.ReduceSum(self.g.Cast(truths, np.int64), [1], keepdims=0), 0)

    @cached_property
    def wrong(self) -> Value:
        g = self.g
        absent = g.Or(g.Less(self.label, 0), g.GreaterOrEqual(self.label, self.classes))
        beyond = [
            g.Or(g.Less(value, 0), g.Greater(value, most))
            for value, most in ((self.data_lengths, self.steps), (self.lengths, self.most))
        ]
        return g.Or(g.Or(*beyond), self.any(absent))

    @cached_property
    def short(self) -> Value:
        g = self.g
        later, earlier = g.Slice(self.label, [1], [END], [1]), g.Slice(self.label, [0], [-1], [1])
        repeated = g.And(g.Equal(later, earlier), g.Slice(self.within, [1], [END], [1]))
        repeats = g.ReduceSum(g.Cast(repeated, np.int64), [1], keepdims=0)
        return g.Greater(self.lengths + repeats, self.data_lengths)

    @cached_property
    def inside(self) -> Value:
        """(T, N, 1)."""
        g = self.g
        steps = g.Unsqueeze(count(g, sizes_of(self.scores)[0]), [1, 2])
        return g.Less(steps, g.Unsqueeze(self.data_lengths, [0, 2]))

    @cached_property
    def positions(self) -> Value:
        """(S,): 0, 1, … of the states."""
        return count(self.g, sizes_of(self.states)[1])

    def chosen(self, where: Value) -> Value:
        """The logarithm 0 where a condition holds, else never."""
        return self.g.Where(where, np.float64(0), np.float64(NEVER))

    @cached_property
    def skips(self) -> Value:
        g = self.g
        earlier = g.Slice(g.Pad(self.states, [0, 2, 0, 0], self.blank), [0], [-2], [1])
        usual = g.Or(g.Equal(self.states, earlier), g.Equal(self.states, self.blank))
        return self.chosen(g.Not(usual))

    @cached_property
    def logs(self) -> Value:
        return log_softmax_of(self.g, self.scores, 2)

    @cached_property
    def emitted(self) -> Value:
        g = self.g
        shape = g.Concat(g.size_of(self.scores, 0), g.shape_of(self.states), axis=0)
        emissions = g.GatherElements(self.logs, g.Expand(g.Unsqueeze(self.states, [0]), shape), axis=2)
        return g.Max(g.Cast(emissions, np.float64), np.float64(NEVER))

    def forward(self, keep: bool) -> tuple[Value, ...]:
        """The state after the last step, and with `keep` that after every step (T, N, S)."""
        g, skips = self.g, self.skips

        def build(b: Graph, state: Value, emitted: Value, inside: Value) -> Sequence[Value]:
            before = b.Pad(state, [0, 2, 0, 0], NEVER)
            one, two = b.Slice(before, [1], [-1], [1]), b.Slice(before, [0], [-2], [1])
            new = b.Where(inside, _total(b, state, one, two + skips) + emitted, state)
            return [new, b.Identity(new)] if keep else [new]

        first = g.Expand(self.chosen(g.Equal(self.positions, 0)), g.shape_of(self.states))
        return scan(g, build, [first], [self.emitted, self.inside], int(keep), False)

    def backward(self) -> Value:
        """(T, N, S)."""
        g, ends = self.g, self.chosen(self.last)
        skips = g.Slice(g.Pad(self.skips, [0, 0, 0, 2], NEVER), [2], [END], [1])

        def build(b: Graph, state: Value, emitted: Value, inside: Value) -> Sequence[Value]:
            left = b.Pad(state + emitted, [0, 0, 0, 2], NEVER)
            none, one, two = (b.Slice(left, [i], [i - 2 or END], [1]) for i in range(3))
            new = b.Where(inside, _total(b, none, one, two + skips), ends)
            return new, b.Identity(state)

        return scan(g, build, [ends], [self.emitted, self.inside], 1, True)[1]

    @cached_property
    def last(self) -> Value:
        # no difference of ends and positions: ONNX's shape inference does not take one
        ends = self.g.Unsqueeze(self.lengths * 2, [1])
        return self.g.Or(self.g.Equal(self.positions, ends), self.g.Equal(self.positions + 1, ends))

    def total(self, state: Value) -> Value:
        g = self.g
        ends = g.Where(self.last, state, np.float64(NEVER))
        most = g.ReduceMax(ends, [1], keepdims=1)
        return g.Squeeze(most + g.Log(g.ReduceSum(g.Exp(ends - most), [1])), [1])

    def losses(self) -> Value:
        g, total = self.g, self.total(self.forward(keep=False)[0])
        losses = g.Where(g.Less(total, NEVER / 2), np.float64(np.inf), -total)
        return g.Where(self.wrong, np.float64(np.nan), g.Where(self.short, np.float64(0), losses))

    def occupied(self) -> Value:
        """(T, N, C)."""
        g = self.g
        last, ways = self.forward(keep=True)
        total = self.total(last)
        share = g.Exp(ways + self.backward() - g.Unsqueeze(total, [0, 2]))
        never = g.Unsqueeze(g.Less(total, NEVER / 2), [0, 2])
        share = g.Cast(g.Where(never, np.float64(0), share), self.scores.dtype)
        classes = count(g, sizes_of(self.scores)[2])
        hot = g.Cast(g.Equal(g.Unsqueeze(self.states, [2]), classes), share.dtype)  # (N, S, C)
        return g.Transpose(g.MatMul(g.Transpose(share, [1, 0, 2]), hot), [1, 0, 2])

    def gradient(self, dy: Value) -> Value:
        g, dtype = self.g, self.scores.dtype
        nothing = g.Or(g.Unsqueeze(self.short, [0, 2]), g.Not(self.inside))
        gradients = g.Where(nothing, np.zeros((), dtype), g.Exp(self.logs) - self.occupied())
        factor = g.Where(self.wrong, np.full((), np.nan, dtype), g.Cast(dy, dtype))
        return g.Cast(gradients * g.Unsqueeze(factor, [0, 2]), dy.dtype)


def _integers(g: Graph, x: Value) -> Value:
    return g.Cast(x, np.int64) if x.dtype.kind in "iu" else g.Cast(g.Floor(_wide(g, x) + 0.5), np.int64)


def _wide(g: Graph, x: Value) -> Value:
    return g.Cast(x, np.float32) if x.dtype == np.float16 else x


def _total(b: Graph, *logs: Value) -> Value:
    most = b.Max(*logs)
    return most + b.Log(b.Sum(*(b.Exp(v - most) for v in logs)))


@lowers(CTCLoss)
def ctc_loss(g: Graph, op: CTCLoss, *inputs: Value) -> Any:
    return g.Cast(_Alignments(g, op, inputs).losses(), inputs[0].dtype)


@lowers(CTCGrad)
def ctc_grad(g: Graph, op: CTCGrad, *inputs: Value) -> Any:
    *arrays, dy = inputs
    return _Alignments(g, op, arrays).gradient(dy)
