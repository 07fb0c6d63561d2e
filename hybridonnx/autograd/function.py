"""Differentiable functions in user code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import MXNetError, ShapeError
from .gradients import as_list
from .scopes import pause, state
from .tape import TapeNode


class Function:
    """A differentiable function in user code: `forward(*arrays)` and `backward(*output_gradients)`."""

    not_differentiable = ""
    broadcasts = False
    index_inputs = ()
    ignores_head = False
    takes_no_head = False

    def __init__(self) -> None:
        self._saved: tuple[Any, ...] = ()
        self._used = False

    def save_for_backward(self, *args: Any) -> None:
        """Keep arrays for `backward`, which finds them in `saved_tensors`."""
        self._saved = args

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` saved."""
        return self._saved

    def forward(self, *inputs: Any) -> Any:
        """The outputs, computed from the inputs."""
        raise NotImplementedError(f"{type(self).__name__}: forward must be defined.")

    def backward(self, *output_grads: Any) -> Any:
        """The inputs' gradients, computed from the outputs'."""
        raise NotImplementedError(f"{type(self).__name__}: backward must be defined.")

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        """The sweep's question, answered by the user's `backward`."""
        gradients = as_list(self.backward(*dy) if isinstance(dy, tuple) else self.backward(dy))
        if len(gradients) != len(inputs):
            raise MXNetError(
                f"{type(self).__name__}.backward: one gradient for each of {len(inputs)} inputs is required, "
                f"got {len(gradients)}."
            )
        return [
            None if g is None else self._shaped(i, g, x)
            for i, (g, x) in enumerate(zip(gradients, inputs, strict=True))
        ]

    def _shaped(self, index: int, gradient: Any, x: Any) -> Any:
        if not hasattr(gradient, "_entry") or gradient.size != x.size:
            raise ShapeError(
                f"{type(self).__name__}.backward: an array of shape {x.shape} is required as gradient "
                f"{index}, got {getattr(gradient, 'shape', type(gradient).__name__)}."
            )
        return gradient if gradient.shape == x.shape else gradient.reshape(x.shape)

    def __call__(self, *inputs: Any) -> Any:
        if self._used:
            raise MXNetError(f"{type(self).__name__}: each Function object can be called once; make another.")
        self._used = True
        for x in inputs:
            if not hasattr(x, "_entry"):
                raise TypeError(
                    f"{type(self).__name__}: arrays are required as inputs, got {type(x).__name__}. "
                    "Pass other values to __init__."
                )
        with pause(train_mode=state.training):
            result = self.forward(*inputs)
        outputs = as_list(result)
        entries = [x._entry for x in inputs]
        if state.recording and any(entry is not None for entry in entries):
            arrays = [x._data for x in inputs]
            node = TapeNode(self, entries, arrays, [y._data for y in outputs], inputs[0].context)
            outputs = [type(y)._on_tape(y._data, node.ctx, (node, i)) for i, y in enumerate(outputs)]
        return type(result)(outputs) if isinstance(result, list | tuple) else outputs[0]
