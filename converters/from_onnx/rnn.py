"""Imports of recurrent networks: MXNet's RNN where it says them, else cells unrolled over all steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridonnx.errors import ConversionError

from ._registry import imports

_MOST_STEPS = 4096
"""Longer sequences are not written step by step."""
_GATES = {"RNN": [0], "LSTM": [0, 2, 3, 1], "GRU": [1, 0, 2]}
"""MXNet's gates as numbers of ONNX's."""
_USUAL = {"RNN": ("Tanh",), "LSTM": ("Sigmoid", "Tanh", "Tanh"), "GRU": ("Sigmoid", "Tanh")}

Strings = tuple[str, ...]
Floats = tuple[float, ...]


@dataclass
class Layer:
    """An ONNX node with its inputs; sequences come first where it has layout 1."""

    F: Any
    kind: str
    x: Any
    w: Any
    r: Any
    b: Any
    lengths: Any
    h: Any
    c: Any = None
    peepholes: Any = None
    direction: str = "forward"
    layout: int = 0
    activations: Strings = ()
    scaled: Floats = ()
    """Parameters of activations."""
    clip: float | None = None
    linear_before_reset: int = 1
    input_forget: int = 0

    def __post_init__(self) -> None:
        if self.direction not in ("forward", "reverse", "bidirectional"):
            raise ConversionError(
                f"{self.kind}: direction forward, reverse or bidirectional is required, got {self.direction}."
            )
        shape = self.F.shape(self.r)
        if shape is None or None in shape:
            raise ConversionError(f"{self.kind}: R of known shape is required. Make it an initializer.")
        self.directions, _, self.cells = shape
        if self.layout:
            self.x = self.F.SwapAxis(self.x, dim1=0, dim2=1)
            self.h, self.c = (
                v if v is None else self.F.SwapAxis(v, dim1=0, dim2=1) for v in (self.h, self.c)
            )
        lengths = self.F.value(self.lengths) if self.lengths is not None else None
        if lengths is not None and np.all(lengths == self.F.shape(self.x)[0]):
            self.lengths = None
        if self.peepholes is not None and not np.any(self._known(self.peepholes, 1)):
            self.peepholes = None

    def special(self, activations: Strings, alpha: Floats, beta: Floats, clip: float | None) -> Layer:
        """The layer with what its cells have of their own."""
        self.activations = activations or _USUAL[self.kind] * self.directions
        self.scaled, self.clip = (*alpha, *beta), clip
        return self

    def _known(self, value: Any, otherwise: Any) -> Any:
        constant = self.F.value(value)
        return otherwise if constant is None else constant

    def mode(self) -> str:
        """MXNet's name for it, "" if it has none."""
        usual = self.clip is None and self.peepholes is None and not self.scaled
        if not usual or self.input_forget or (self.kind == "GRU" and not self.linear_before_reset):
            return ""
        if self.kind == "RNN":
            (name, *others) = set(self.activations)
            return "" if others else {"Tanh": "rnn_tanh", "Relu": "rnn_relu"}.get(name, "")
        same = self.activations == _USUAL[self.kind] * self.directions
        return self.kind.lower() if same else ""

    def zeros(self) -> Any:
        """A state of zeros."""
        batch = self.F.shape(self.x)[1] or 0  # 0: the data tells
        dtype = self.F.dtype(self.x) or np.dtype("float32")
        return self.F.zeros(shape=(self.directions, batch, self.cells), dtype=dtype.name)

    def turned(self, x: Any) -> Any:
        """Sequences (T, N, K) from their last step to their first."""
        if self.lengths is None:
            return self.F.SequenceReverse(x)
        return self.F.SequenceReverse(x, self.lengths, use_sequence_length=True)

    # ---- as MXNet's operator

    def by_operator(self, mode: str) -> tuple[Any, ...]:
        """The outputs of MXNet's RNN."""
        F = self.F
        inputs = {"data": self.turned(self.x) if self.direction == "reverse" else self.x}
        inputs |= {"parameters": self.parameters(), "state": self.zeros() if self.h is None else self.h}
        if mode == "lstm":
            inputs["state_cell"] = self.zeros() if self.c is None else self.c
        attributes: dict[str, Any] = {"bidirectional": True} if self.directions == 2 else {}
        if self.lengths is not None:
            inputs["sequence_length"] = self.lengths
            attributes["use_sequence_length"] = True
        y, *states = F.RNN(
            **inputs, state_size=self.cells, num_layers=1, mode=mode, state_outputs=True, **attributes
        )
        y = self.turned(y) if self.direction == "reverse" else y
        if self.directions == 1:
            return F.expand_dims(y, axis=1), *states
        split = F.Reshape(y, shape=(0, 0, -4, 2, -1))
        return F.transpose(split, axes=(0, 2, 1, 3)), *states

    def parameters(self) -> Any:
        """All parameters in MXNet's order, first the weights of all directions and then the biases."""
        F, rows = self.F, len(_GATES[self.kind]) * self.cells
        bias = self.b
        if bias is None:
            bias = F.zeros(shape=(self.directions, 2 * rows), dtype=(F.dtype(self.w) or np.dtype("f4")).name)
        weights = zip(*map(self._by_direction, (self.w, self.r)), strict=True)
        parts = [self._ordered(part) for pair in weights for part in pair]
        for one in self._by_direction(bias):
            parts += map(self._ordered, F.split(one, num_outputs=2, axis=1))
        return F.Concat(*parts, dim=0)

    def _by_direction(self, value: Any) -> list[Any]:
        """What each direction has of a parameter."""
        return [value] if self.directions == 1 else list(self.F.split(value, num_outputs=2, axis=0))

    def _ordered(self, value: Any) -> Any:
        """One direction's numbers as a vector, with the gates in MXNet's order."""
        order = _GATES[self.kind]
        if len(order) > 1:
            gates = self.F.split(value, num_outputs=len(order), axis=1)
            value = self.F.Concat(*[gates[i] for i in order], dim=1)
        return self.F.Reshape(value, shape=(-1,))

    # ---- step by step

    def unrolled(self) -> tuple[Any, ...]:
        """The outputs by a cell for each step and direction."""
        F = self.F
        steps = F.shape(self.x)[0]
        if steps is None or steps > _MOST_STEPS:
            raise ConversionError(
                f"{self.kind}: a fixed number of steps, {_MOST_STEPS} at most, is required with "
                f"{self._special()}, which is not in MXNet's RNN and is written step by step. Export the "
                "model with one."
            )
        directions = []
        for d in range(self.directions):
            backwards = self.direction == "reverse" or d == 1
            y, *states = self._one_way(d, self.turned(self.x) if backwards else self.x, steps)
            directions.append([self.turned(y) if backwards else y, *states])
        y, *states = zip(*directions, strict=True)
        return F.stack(*y, axis=1), *(F.stack(*s, axis=0) for s in states)

    def _special(self) -> str:
        if self.kind == "GRU" and not self.linear_before_reset:
            return "linear_before_reset=0"
        return "an activation, clip, peephole or input_forget that it has"

    def _one_way(self, d: int, x: Any, steps: int) -> list[Any]:
        F = self.F
        w, r = (self._row(v, d) for v in (self.w, self.r))
        wb, rb = (None, None) if self.b is None else F.split(self._row(self.b, d), num_outputs=2, axis=0)
        sums = _dense(F, x, w, wb)
        parts = F.split(sums, num_outputs=steps, axis=0, squeeze_axis=True)
        start = [self.h] if self.kind != "LSTM" else [self.h, self.c]
        states = [self._row(self.zeros() if v is None else v, d) for v in start]
        cell = Cell(self, d, r, rb)
        ys = []
        for t, part in enumerate([parts] if steps == 1 else parts):
            new = cell.step(part, states)
            y = new[0]
            if self.lengths is not None:
                inside = self._inside(t, y)
                states = [inside * n + (1 - inside) * s for n, s in zip(new, states, strict=True)]
                y = y * inside
            else:
                states = new
            ys.append(y)
        return [F.stack(*ys, axis=0), *states]

    def _inside(self, t: int, like: Any) -> Any:
        """1 for sequences that have a step `t`, (N, 1)."""
        dtype = (self.F.dtype(like) or np.dtype("float32")).name
        return self.F.expand_dims(self.F.Cast(self.lengths > t, dtype=dtype), axis=1)

    def _row(self, value: Any, d: int) -> Any:
        F = self.F
        if self.directions == 1:
            return F.Reshape(value, shape=(-3, -2))
        return F.Reshape(F.slice_axis(value, axis=0, begin=d, end=d + 1), shape=(-3, -2))

    # ---- results

    def results(self) -> tuple[Any, ...]:
        """Y, Y_h and Y_c as the layout has them."""
        mode = self.mode()
        y, *states = self.by_operator(mode) if mode else self.unrolled()
        if not self.layout:
            return y, *states
        F = self.F
        return F.transpose(y, axes=(2, 0, 1, 3)), *(F.SwapAxis(s, dim1=0, dim2=1) for s in states)


def _dense(F: Any, x: Any, weight: Any, bias: Any) -> Any:
    rows = F.shape(weight)[0]
    inputs = (x, weight) if bias is None else (x, weight, bias)
    return F.FullyConnected(*inputs, num_hidden=rows, no_bias=bias is None, flatten=False)


# ---- cells that MXNet's operator does not have


class Cell:
    """One step of a recurrent layer in MXNet's elementwise operators."""

    def __init__(self, layer: Layer, d: int, r: Any, bias: Any) -> None:
        self.layer, self.F, self.r, self.bias = layer, layer.F, r, bias
        count = len(_USUAL[layer.kind])
        self.functions = [self._function(d * count + i) for i in range(count)]
        self.peepholes = [None] * 3
        if layer.peepholes is not None:
            row = layer._row(layer.peepholes, d)
            self.peepholes = [self.F.expand_dims(p, axis=0) for p in self.F.split(row, num_outputs=3, axis=0)]

    def _function(self, i: int) -> Callable[[Any], Any]:
        layer, F, name = self.layer, self.F, self.layer.activations[i].lower()
        functions: dict[str, Callable[[Any], Any]] = {
            "sigmoid": F.sigmoid,
            "tanh": F.tanh,
            "relu": F.relu,
            "softsign": F.softsign,
            "softplus": lambda v: F.Activation(v, act_type="softrelu"),
        }
        if name not in functions or layer.scaled:
            raise ConversionError(
                f"{layer.kind}: activations {', '.join(map(str.title, functions))} without alpha and beta "
                f"are required, got {layer.activations[i]}. Replace the activation."
            )
        if (
            layer.clip is None or i % len(_USUAL[layer.kind]) == 2
        ):  # ONNX Runtime does not clip an lstm's cells
            return functions[name]
        limit: float = layer.clip
        return lambda v: functions[name](F.clip(v, a_min=-limit, a_max=limit))

    def _across(self, h: Any, part: slice = slice(None)) -> Any:
        """The sums over h, of some gates."""
        F, cells = self.F, self.layer.cells
        r, bias = self.r, self.bias
        if part != slice(None):
            at = {"begin": part.start * cells, "end": part.stop * cells}
            r = F.slice_axis(r, axis=0, **at)
            bias = bias if bias is None else F.slice_axis(bias, axis=0, **at)
        return _dense(F, h, r, bias)

    def step(self, sums: Any, states: Sequence[Any]) -> list[Any]:
        """The next states."""
        if self.layer.kind == "LSTM":
            return self._lstm(sums, *states)
        if self.layer.kind == "GRU":
            return [self._gru(sums, states[0])]
        return [self.functions[0](sums + self._across(states[0]))]

    def _lstm(self, sums: Any, h: Any, c: Any) -> list[Any]:
        f1, f2, f3 = self.functions
        i, o, f, n = self.F.split(sums + self._across(h), num_outputs=4, axis=1)
        pi, po, pf = self.peepholes
        i = f1(i if pi is None else i + pi * c)
        f = 1 - i if self.layer.input_forget else f1(f if pf is None else f + pf * c)
        cell = f * c + i * f2(n)
        o = f1(o if po is None else o + po * cell)
        return [o * f3(cell), cell]

    def _gru(self, sums: Any, h: Any) -> Any:
        f1, f2 = self.functions
        z, r, n = self.F.split(sums, num_outputs=3, axis=1)
        hz, hr = self.F.split(self._across(h, slice(0, 2)), num_outputs=2, axis=1)
        z, r = f1(z + hz), f1(r + hr)
        if self.layer.linear_before_reset:
            new = f2(n + r * self._across(h, slice(2, 3)))
        else:
            new = f2(n + self._across(r * h, slice(2, 3)))
        return (1 - z) * new + z * h


# ---- ONNX's operators


@imports("RNN", versions=(1, 7, 14, 22))
def rnn(
    F: Any,
    x: Any,
    w: Any,
    r: Any,
    b: Any = None,
    sequence_lens: Any = None,
    initial_h: Any = None,
    *,
    activation_alpha: Floats = (),
    activation_beta: Floats = (),
    activations: Strings = (),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int = 0,
    layout: int = 0,
    output_sequence: int = 0,
) -> Any:
    layer = Layer(F, "RNN", x, w, r, b, sequence_lens, initial_h, direction=direction, layout=layout)
    return layer.special(activations, activation_alpha, activation_beta, clip).results()


@imports("GRU", versions=(1, 3, 7, 14, 22))
def gru(
    F: Any,
    x: Any,
    w: Any,
    r: Any,
    b: Any = None,
    sequence_lens: Any = None,
    initial_h: Any = None,
    *,
    activation_alpha: Floats = (),
    activation_beta: Floats = (),
    activations: Strings = (),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int = 0,
    layout: int = 0,
    output_sequence: int = 0,
    linear_before_reset: int = 0,
) -> Any:
    layer = Layer(F, "GRU", x, w, r, b, sequence_lens, initial_h, direction=direction, layout=layout)
    layer.linear_before_reset = linear_before_reset
    return layer.special(activations, activation_alpha, activation_beta, clip).results()


@imports("LSTM", versions=(1, 7, 14, 22))
def lstm(
    F: Any,
    x: Any,
    w: Any,
    r: Any,
    b: Any = None,
    sequence_lens: Any = None,
    initial_h: Any = None,
    initial_c: Any = None,
    p: Any = None,
    *,
    activation_alpha: Floats = (),
    activation_beta: Floats = (),
    activations: Strings = (),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int = 0,
    input_forget: int = 0,
    layout: int = 0,
    output_sequence: int = 0,
) -> Any:
    layer = Layer(F, "LSTM", x, w, r, b, sequence_lens, initial_h, initial_c, p, direction, layout)
    layer.input_forget = input_forget
    return layer.special(activations, activation_alpha, activation_beta, clip).results()
