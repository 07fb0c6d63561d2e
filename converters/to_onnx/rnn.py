"""Lowerings of recurrent networks: ONNX's RNN, LSTM and GRU where they say it, else Scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError
from hybridonnx.ops.rnn import RNN, Packing, RNNGrad, RNNParamConcat, Weights

from ._arithmetic import nan_or_zero
from ._graph import Graph, Value
from ._recurrence import backward, forward
from ._registry import lowers
from ._symbolic_dims import count, known_size, sizes_of

_ORDER = {"lstm": [0, 3, 1, 2], "gru": [1, 0, 2]}
"""ONNX's gates as numbers of MXNet's."""
_TYPE = {"lstm": "LSTM", "gru": "GRU", "rnn_relu": "RNN", "rnn_tanh": "RNN"}


@lowers(RNNParamConcat)
def rnn_param_concat(g: Graph, op: RNNParamConcat, *data: Value) -> Value:
    return g.Identity(data[0]) if len(data) == 1 else g.Concat(*data, axis=op.dim)


# ---- what all of them take apart


def _weights(g: Graph, packing: Packing, vector: Value, inputs: int) -> list[list[Weights]]:
    """The parameters by layer and direction."""
    return [
        [
            Weights(
                *(p and g.Reshape(g.Slice(vector, [p.begin], [p.end], [0]), list(p.shape)) for p in parts)
            )
            for parts in layer
        ]
        for layer in packing.parts(inputs)
    ]


def _inside(g: Graph, data: Value, length: Value | None) -> Value | None:
    """(T, N, 1): whether a step is within its sequence."""
    if length is None:
        return None
    steps = g.Unsqueeze(count(g, sizes_of(data)[0]), [1, 2])
    inside: Value = g.Less(steps, g.Unsqueeze(g.Cast(length, np.int64), [0, 2]))
    return inside


def _each(g: Graph, state: Value | None, total: int) -> list[Value | None]:
    """The rows of a state, one for each layer and direction."""
    if state is None:
        return [None] * total
    return [g.Squeeze(row, [0]) for row in g.Split(state, total, axis=0)]


def _stacked(g: Graph, values: Sequence[Value]) -> Value:
    return g.Concat(*(g.Unsqueeze(v, [0]) for v in values), axis=0)


def _single(g: Graph, values: Sequence[Value], dtype: Any) -> list[Value]:
    """float16 as float32, in which ONNX Runtime has these operators."""
    return [g.Cast(v, np.float32) if v.dtype == np.float16 and dtype == np.float16 else v for v in values]


# ---- forward


@lowers(RNN)
def rnn(g: Graph, op: RNN, *inputs: Value) -> Any:
    dtype = inputs[0].dtype
    names = [*op.forward_inputs(), *["noise"] * op.draws()]
    arrays = dict(zip(names, _single(g, inputs, dtype), strict=True))
    x, lengths = arrays["data"], arrays.get("sequence_length")
    if x.shape is not None and x.shape[0] == 0:
        raise ConversionError(
            "RNN: at least one step is required, got none. ONNX Runtime gives wrong states then."
        )
    by_node = x.dtype == np.float32 and op.clip() is None and op.projection_size is None
    layer = _by_node if by_node else _by_scan
    per_layer: dict[str, list[Value]] = {name: [] for name in op.outputs}
    parts = [[v] if v is not None else [] for v in (arrays.get("state"), arrays.get("state_cell"))]
    states = [g.Split(v[0], op.num_layers, axis=0) if v else [None] * op.num_layers for v in parts]
    weights = _weights(g, op.packing(), arrays["parameters"], known_size(g, x, 2))
    for k, (w, h, c) in enumerate(zip(weights, *states, strict=True)):
        if k:
            per_layer["layers"].append(x)
            x = _dropped(g, op, x, arrays.get("noise"), k - 1, per_layer["mask"])
        x, h, c = layer(g, op, x, w, h, c, lengths)
        per_layer["state_output"].append(h)
        per_layer["statecell_output"] += [] if c is None else [c]
    results = {"output": x}
    for name in op.results()[1:]:
        results[name] = g.Concat(*per_layer[name], axis=0)
    results |= {name: _stacked(g, per_layer[name]) for name in op.between()}
    return tuple(g.Cast(results[name], dtype) for name in op.output_names() if name in results)


def _dropped(g: Graph, op: RNN, x: Value, noise: Value | None, k: int, masks: list[Value]) -> Value:
    """What goes into the next layer; the mask is remembered."""
    if not op.drops():
        return x
    if noise is None:
        masks.append(g.Full(g.shape_of(x), 1, x.dtype))
        return x
    draws = g.Squeeze(g.Slice(noise, [k], [k + 1], [0]), [0])
    masks.append(g.Cast(g.Less(draws, 1 - op.p), x.dtype) * (1 / (1 - op.p) if op.p < 1 else 0.0))
    return x * masks[-1]


def _by_node(
    g: Graph, op: RNN, x: Value, weights: list[Weights], h: Any, c: Any, lengths: Value | None
) -> tuple[Value, Value, Value | None]:
    """One layer in all directions as one node; parameters in ONNX's order, which is computed once."""
    kind = _TYPE[op.mode]
    w, r, b = (
        g.Concat(*(g.Unsqueeze(_ordered(g, op, v), [0]) for v in group), axis=0)
        for group in (
            [v.i2h_weight for v in weights],
            [v.h2h_weight for v in weights],
            [(v.i2h_bias, v.h2h_bias) for v in weights],
        )
    )
    way = "bidirectional" if op.bidirectional else "forward"
    attributes: dict[str, Any] = {"hidden_size": op.state_size, "direction": way}
    if kind == "GRU":
        attributes["linear_before_reset"] = 1
    if op.mode == "rnn_relu":
        attributes["activations"] = ["Relu"] * op.directions()
    counts = None if lengths is None else g.Cast(lengths, np.int32)
    inputs = [x, w, r, b, counts, h] + ([c] if kind == "LSTM" else [])
    outputs = g.node(kind, inputs, 3 if kind == "LSTM" else 2, attributes)
    if g.exact:
        outputs = _with_nan(g, outputs, x, [w, r, b], [h] if c is None else [h, c], _inside(g, x, lengths))
    y = g.Transpose(outputs[0], [0, 2, 1, 3])  # (T, D, N, H)
    last = outputs[2] if kind == "LSTM" else None
    if op.directions() == 1:
        return g.Squeeze(outputs[0], [1]), outputs[1], last
    return g.Reshape(y, [0, 0, -1]), outputs[1], last


def _with_nan(
    g: Graph,
    results: Sequence[Value],
    x: Value,
    weights: Sequence[Value],
    states: Sequence[Value],
    inside: Value | None,
) -> list[Value]:
    """The outputs (T, D, N, H) and last states (D, N, H) with NaN from the step on that reads one.

    ONNX Runtime's recurrent nodes clip the gates' sums, which turns NaN into a number. A file has the plain
    node.
    """
    reads = _read(g, x, [2])  # (T, N, 1)
    if inside is not None:
        reads = g.Where(inside, reads, np.zeros((), x.dtype))
    w, r, b = weights
    begin = _read(g, w, [1, 2]) + _read(g, r, [1, 2]) + _read(g, g.Unsqueeze(b, [2]), [1, 2])  # (D, 1, 1)
    for state in states:
        begin = begin + _read(g, state, [2])
    ways = known_size(g, weights[0], 0)
    steps = [g.Unsqueeze(g.CumSum(reads, np.int64(0), reverse=d), [1]) for d in range(ways)]
    at_step = g.Concat(*steps, axis=1) + g.Unsqueeze(begin, [0])
    if inside is not None:
        at_step = g.Where(g.Unsqueeze(inside, [1]), at_step, np.zeros((), x.dtype))
    at_end = begin + g.ReduceSum(reads, [0], keepdims=1)
    return [results[0] + at_step, *(v + at_end for v in results[1:])]


def _read(g: Graph, x: Value, axes: Sequence[int]) -> Value:
    """NaN where `x` has one along `axes`, which are kept, else 0."""
    return nan_or_zero(g, g.ReduceSum(x, axes, keepdims=1))


def _ordered(g: Graph, op: RNN, parts: Any) -> Value:
    """The rows of a weight with ONNX's order of gates, or both biases so."""
    if isinstance(parts, tuple):
        return g.Concat(*(_ordered(g, op, part) for part in parts), axis=0)
    if op.mode not in _ORDER:
        return parts
    gates = g.Split(parts, len(_ORDER[op.mode]), axis=0)
    return g.Concat(*(gates[i] for i in _ORDER[op.mode]), axis=0)


def _by_scan(
    g: Graph, op: RNN, x: Value, weights: list[Weights], h: Any, c: Any, lengths: Value | None
) -> tuple[Value, Value, Value | None]:
    """One layer in all directions, a Scan for each."""
    count = op.directions()
    inside = _inside(g, x, lengths)
    runs = zip(op.runs(), weights, _each(g, h, count), _each(g, c, count), strict=True)
    results = [forward(g, run, x, w, first, cell, inside) for run, w, first, cell in runs if first]
    ys, hs, cs = zip(*results, strict=True)
    return g.Concat(*ys, axis=2), _stacked(g, hs), None if c is None else _stacked(g, cs)


# ---- backward


@lowers(RNNGrad)
def rnn_grad(g: Graph, op: RNNGrad, *inputs: Value) -> Any:
    dtype = inputs[0].dtype
    arrays = dict(zip(op.input_names(), _single(g, inputs, dtype), strict=True))
    data, total = arrays["data"], op.num_layers * op.directions()
    inside = _inside(g, data, arrays.get("sequence_length"))
    weights = _weights(g, op.packing(), arrays["parameters"], known_size(g, data, 2))
    states, cells, last, last_cells = (
        _each(g, arrays.get(name), total) for name in ("state", "state_cell", "d_state", "d_state_cell")
    )
    grads: list[list[Weights]] = []
    ends: list[tuple[Value, Value | None]] = []
    y, dy = arrays["output"], arrays["dy"]
    for k in range(op.num_layers)[::-1]:
        x, mask = _entering(g, arrays, k)
        at = slice(k * op.directions(), (k + 1) * op.directions())
        around = zip(op.runs(), weights[k], states[at], cells[at], last[at], last_cells[at], strict=True)
        ys, dys = (g.Split(v, op.directions(), axis=2) for v in (y, dy))
        entered = x if mask is None else x * mask
        backs = [
            backward(
                g, run, entered, w, h, c, inside, ys[d], (dys[d], _or_zeros(g, dh, h), _or_zeros(g, dc, c))
            )
            for d, (run, w, h, c, dh, dc) in enumerate(around)
            if h is not None
        ]
        grads.insert(0, [b.weights for b in backs])
        ends[:0] = [(b.dh, b.dc) for b in backs]
        dx = backs[0].dx if len(backs) == 1 else backs[0].dx + backs[1].dx
        y, dy = x, dx if mask is None else dx * mask
    results = [dy, _packed(g, grads), _stacked(g, [dh for dh, _ in ends])]
    results += [_stacked(g, [dc for _, dc in ends if dc is not None])] if op.mode == "lstm" else []
    return tuple(g.Cast(v, dtype) for v in results)


def _entering(g: Graph, arrays: dict[str, Value], k: int) -> tuple[Value, Value | None]:
    """What goes into a layer, before dropout, and dropout's mask."""
    if not k:
        return arrays["data"], None
    x, mask = (
        g.Squeeze(g.Slice(arrays[name], [k - 1], [k], [0]), [0]) if name in arrays else None
        for name in ("layers", "mask")
    )
    assert x is not None
    return x, mask


def _or_zeros(g: Graph, d: Value | None, state: Value | None) -> Any:
    return g.Full(g.shape_of(state), 0, state.dtype) if d is None and state is not None else d


def _packed(g: Graph, grads: list[list[Weights]]) -> Value:
    """Parameters' gradients in the order of the parameters."""
    flat = [w for layer in grads for w in layer]
    weights = [v for w in flat for v in w[:3] if v is not None]
    biases = [v for w in flat for v in w[3:]]
    return g.Concat(*(g.Reshape(v, [-1]) for v in weights), *biases, axis=0)
