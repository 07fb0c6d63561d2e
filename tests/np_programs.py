"""Random programs of NumPy's functions, as texts that NumPy and mx.np both run."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

SMOOTH = (
    "np.tanh({x})",
    "np.sin({x})",
    "np.arctan({x})",
    "np.square({x})",
    "np.exp(-np.square({x}))",
    "np.log1p(np.square({x}))",
    "np.sqrt(np.square({x}) + 1)",
    "{x} * 2 - 0.5",
    "1 - {x}",
    "2 / (np.square({x}) + 1)",
    "np.negative({x})",
    "np.expand_dims({x}, {new})",
    "np.reshape({x}, -1)",
    "np.reshape({x}, {shape})",
    "np.transpose({x}, {order})",
    "np.ravel({x})",
    "np.sum({x}, axis={axis})",
    "np.sum({x}, axis={axes}, keepdims=True)",
    "np.mean({x}, axis={axis}, keepdims={keep})",
    "np.var({x}, axis={axes}, keepdims={keep})",
    "np.prod({x}, axis={axis})",
    "np.cumsum({x}, axis={axis})",
    "np.swapaxes({x}, {axis}, {other})",
    "np.moveaxis({x}, {axis}, {other})",
    "np.flip({x}, {axis})",
    "np.roll({x}, {small}, axis={axis})",
    "np.repeat({x}, 2, axis={axis})",
    "np.tile({x}, (2, 1))",
    "np.stack([{x}, {x} * 0.5], axis={new})",
    "np.concatenate([{x}, -{x}], axis={axis})",
    "np.split({x}, 2, axis={axis})[1]",
    "np.squeeze({x}[None], 0)",
    "np.tril({x}, {small})",
    "np.diff({x}, axis={axis})",
    "np.rot90({x}, {small})",
    "np.diagonal({x}, axis1=0, axis2=1)",
    "np.trace({x})",
    "np.pad({x}, ((1, 0),) * {rank})",
    "{x}[1:]",
    "{x}[-1]",
    "{x}[:, 1:]",
    "{x}[:, None]",
    "{x}.T",
    "{x} + {y}",
    "{x} - {y} * 0.5",
    "{x} * {y}",
    "{x} / (np.square({y}) + 1)",
    "np.hypot({x}, np.square({y}) + 1)",
    "np.arctan2({x}, np.square({y}) + 1)",
    "np.matmul({x}, np.swapaxes({x}, -1, -2))",
    "np.dot({x}, {y})",
    "np.tensordot({x}, {y}, axes=1)",
    "np.outer({x}, {y})",
    "np.inner({x}, {x})",
    "np.einsum('ij,kj->ik', {x}, {x})",
    "np.einsum('...i->...', {x})",
)
"""Texts with a gradient everywhere; `x` and `y` are values from before."""
KINKED = (
    "np.maximum({x}, {y})",
    "np.minimum({x}, 0.25)",
    "np.abs({x})",
    "np.where({x} > {y}, {x}, {y})",
    "np.max({x}, axis={axis})",
    "np.min({x}, axis={axes}, keepdims={keep})",
    "np.clip({x}, -0.5, 0.75)",
    "np.sort({x}, axis={axis})",
    "np.sign({x})",
    "np.std({x}, axis={axis})",
    "np.floor({x})",
    "np.rint({x} * 3)",
    "np.where(np.isfinite({x}), {x}, 1.0)",
)
"""Texts whose gradient jumps."""
_SIZES = (1, 2, 3, 4)
_MOST = 400
"""The most elements of a value."""


class Program:
    """Lines `name = text` over inputs, and the value of the last; some values are unused."""

    def __init__(self, seed: int, smooth: bool = False, length: int = 6) -> None:
        self._rng = rng = random.Random(seed)
        draw = np.random.RandomState(seed)
        self.inputs = {name: draw.uniform(-1, 1, self._shape()).astype("float32") for name in "ab"}
        self.lines: list[tuple[str, str]] = []
        texts = SMOOTH if smooth else SMOOTH + KINKED
        values: dict[str, Any] = dict(self.inputs)
        while len(self.lines) < length:
            text = self._filled(rng.choice(texts), values)
            if ("axis=" in text or "inner" in text) and not np.ndim(values[self._x]):
                continue  # NumPy takes axis 0 and the last axis of a number
            try:
                with np.errstate(all="ignore"):
                    value = eval(text, {"np": np, **values})
            except (ValueError, IndexError, TypeError, ZeroDivisionError):
                continue
            whole = np.asarray(value)
            if whole.size > _MOST or not whole.size or not np.abs(whole).max() < 50:
                continue
            name = f"v{len(self.lines)}"
            values[name] = value
            self.lines.append((name, text))

    def _shape(self) -> tuple[int, ...]:
        return tuple(self._rng.choice(_SIZES) for _ in range(self._rng.randint(1, 4)))

    def _filled(self, text: str, values: dict[str, Any]) -> str:
        rng = self._rng
        names = list(values)
        x, y = rng.choice(names[-2:]), rng.choice(names)
        self._x = x
        rank = np.ndim(values[x])
        axes = [rng.randrange(-rank, rank) for _ in range(2)] if rank else [0, 0]
        sizes = list(np.shape(values[x]))
        rng.shuffle(sizes)
        fields = {
            "x": x,
            "y": y,
            "axis": axes[0],
            "other": axes[1],
            "axes": rng.choice([None, axes[0], tuple(axes)]),
            "keep": rng.choice([True, False]),
            "new": rng.randint(-rank - 1, rank),
            "order": tuple(rng.sample(range(rank), rank)),
            "shape": rng.choice([tuple(sizes), (*sizes, 1), (-1, *sizes[1:])]),
            "small": rng.randint(-2, 2),
            "rank": rank,
        }
        return text.format(**fields)

    def __call__(self, np_: Any, inputs: dict[str, Any]) -> Any:
        """The last value, computed by a module with NumPy's functions."""
        values = dict(inputs)
        for name, text in self.lines:
            values[name] = eval(text, {"np": np_, **values})
        return values[self.lines[-1][0]]

    def __str__(self) -> str:
        shapes = {name: x.shape for name, x in self.inputs.items()}
        return "\n".join([f"{shapes}", *(f"{name} = {text}" for name, text in self.lines)])
