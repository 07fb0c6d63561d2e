"""Recurrent layers that run all steps in one operator."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Unpack

import numpy as np

from ... import ndarray, symbol
from ...dtypes import DTypeLike
from ...errors import RequirementError
from ...initializer import InitializerLike
from ...ndarray.ndarray import NDArray
from ...typing import Tensor
from .._options import BlockOptions
from ..hybrid_block import HybridBlock
from ..parameter import Parameter
from .rnn_cell import (
    BidirectionalCell,
    DropoutCell,
    GRUCell,
    HybridRecurrentCell,
    HybridSequentialRNNCell,
    LSTMCell,
    RNNCell,
)

__all__ = ["GRU", "LSTM", "RNN"]

_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
_KEY = re.compile(r"(l|r)(\d+)_(i2h|h2h|h2r)_(weight|bias)\Z")


class _RNNLayer(HybridBlock):
    """`num_layers` layers of recurrent cells over sequences (T, N, C), or (N, T, C) with layout NTC."""

    def __init__(
        self,
        hidden_size: int,
        num_layers: int,
        layout: str,
        dropout: float,
        bidirectional: bool,
        input_size: int,
        i2h_weight_initializer: InitializerLike,
        h2h_weight_initializer: InitializerLike,
        i2h_bias_initializer: InitializerLike,
        h2h_bias_initializer: InitializerLike,
        mode: str,
        projection_size: int | None,
        h2r_weight_initializer: InitializerLike,
        lstm_state_clip_min: float | None,
        lstm_state_clip_max: float | None,
        lstm_state_clip_nan: bool,
        dtype: DTypeLike,
        use_sequence_length: bool = False,
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(**kwargs)
        self._check(layout, mode)
        self._hidden_size, self._num_layers, self._layout = hidden_size, num_layers, layout
        self._dropout, self._dir, self._input_size = dropout, 2 if bidirectional else 1, input_size
        self._mode, self._projection_size = mode, projection_size or None
        self._clips = {
            "lstm_state_clip_min": lstm_state_clip_min,
            "lstm_state_clip_max": lstm_state_clip_max,
            "lstm_state_clip_nan": lstm_state_clip_nan,
        }
        self._dtype, self._use_sequence_length = dtype, use_sequence_length
        self._skips_states = False
        initializers = {
            "i2h_weight": i2h_weight_initializer,
            "h2h_weight": h2h_weight_initializer,
            "i2h_bias": i2h_bias_initializer,
            "h2h_bias": h2h_bias_initializer,
            "h2r_weight": h2r_weight_initializer,
        }
        for layer in range(num_layers):
            for side in "lr"[: self._dir]:
                for name, shape in self._shapes(layer).items():
                    self._register_param(f"{side}{layer}_{name}", shape, initializers[name], dtype)

    def _check(self, layout: str, mode: str) -> None:
        if layout not in ("TNC", "NTC"):
            raise AssertionError(f"{type(self).__name__}: layout TNC or NTC is required, got {layout!r}.")
        if mode not in _GATES:
            raise ValueError(
                f"{type(self).__name__}: activation relu or tanh is required, "
                f"got {mode.removeprefix('rnn_')!r}."
            )

    def _shapes(self, layer: int) -> dict[str, tuple[int, ...]]:
        """The shapes of the parameters of one direction of a layer."""
        rows, out = _GATES[self._mode] * self._hidden_size, self._outputs()
        shapes: dict[str, tuple[int, ...]] = {
            "i2h_weight": (rows, out * self._dir if layer else self._input_size),
            "h2h_weight": (rows, out),
            "i2h_bias": (rows,),
            "h2h_bias": (rows,),
        }
        if self._projection_size is not None:
            shapes["h2r_weight"] = (self._projection_size, self._hidden_size)
        return shapes

    def _outputs(self) -> int:
        """The number of channels that one direction gives."""
        return self._projection_size or self._hidden_size

    def _register_param(self, name: str, shape: tuple[int, ...], init: Any, dtype: Any) -> Parameter:
        param = self.params.get(name, shape=shape, init=init, allow_deferred_init=True, dtype=dtype)
        setattr(self, name, param)
        return param

    def __repr__(self) -> str:
        shape = self._reg_params["l0_i2h_weight"].shape
        parts = [
            f"{shape[1] if shape is not None and shape[1] else None} -> {self._hidden_size}",
            self._layout,
        ]
        parts += [f"num_layers={self._num_layers}"] if self._num_layers != 1 else []
        parts += [f"dropout={self._dropout}"] if self._dropout != 0 else []
        parts += ["bidirectional"] if self._dir == 2 else []
        return f"{type(self).__name__}({', '.join(parts)})"

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Parameters under the names that `save_parameters` has for them: those of single cells."""
        start = f"{prefix}." if prefix else ""
        parameters = {}
        for name, param in self._reg_params.items():
            match = _KEY.match(name)
            assert match is not None  # `__init__` made the names
            side, layer, kind, what = match.groups()
            cell = f"{side}_cell." if self._dir == 2 else ""
            parameters[f"{start}_unfused.{layer}.{cell}{kind}_{what}"] = param
        return parameters

    def cast(self, dtype: DTypeLike) -> None:
        """Give parameters and states another dtype."""
        super().cast(dtype)
        self._dtype = dtype

    def _unfuse(self) -> HybridSequentialRNNCell:
        """The layers as single cells with the same parameters, which take one step at a time."""
        for what, used in (
            ("projection_size", self._projection_size),
            ("state clipping", self._clips["lstm_state_clip_min"]),
        ):
            if used is not None:
                raise RequirementError(
                    f"{self.name}: cells have no {what}, got {used}. Step the layer itself."
                )
        stack = HybridSequentialRNNCell(prefix=self.prefix, params=self.params)
        with stack.name_scope():
            for layer in range(self._num_layers):
                cell = self._cell("l", layer)
                stack.add(cell if self._dir == 1 else BidirectionalCell(cell, self._cell("r", layer)))
                if self._dropout > 0 and layer != self._num_layers - 1:
                    stack.add(DropoutCell(self._dropout))
        return stack

    def _cell(self, side: str, layer: int) -> HybridRecurrentCell:
        """One direction of a layer as a cell; its parameters are found by name."""
        options: dict[str, Any] = {
            f"{kind}_{what}_initializer": self._reg_params[f"{side}{layer}_{kind}_{what}"].init
            for kind in ("i2h", "h2h")
            for what in ("weight", "bias")
        }
        options["input_size"] = self._shapes(layer)["i2h_weight"][1]
        options["prefix"] = f"{side}{layer}_"
        if self._mode == "lstm":
            return LSTMCell(self._hidden_size, **options)
        if self._mode == "gru":
            return GRUCell(self._hidden_size, **options)
        return RNNCell(self._hidden_size, activation=self._mode.removeprefix("rnn_"), **options)

    # ---- states

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """The shape of each state, which begins with layers and directions, its layout and its dtype."""
        rows = self._num_layers * self._dir
        return [self._state((rows, batch_size, self._outputs()))]

    def _state(self, shape: tuple[int, ...]) -> dict[str, Any]:
        return {"shape": shape, "__layout__": "LNC", "dtype": self._dtype}

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., object] = ndarray.zeros, **kwargs: object
    ) -> list[Any]:
        """First states: `func` is called with what `state_info` says and `kwargs`."""
        return [
            func(name=f"{self.prefix}h0_{i}", **{**info, **kwargs})
            for i, info in enumerate(self.state_info(batch_size))
        ]

    # ---- running

    def __call__(  # type: ignore[override]
        self,
        inputs: Tensor,
        states: Any = None,
        sequence_length: Tensor | None = None,
        **kwargs: object,
    ) -> Any:
        """The outputs, and if `states` are given the last states too."""
        if self._use_sequence_length != (sequence_length is not None):
            requirement = "is required" if self._use_sequence_length else "takes use_sequence_length=True"
            raise ValueError(f"{self.name}: sequence_length {requirement}, got {sequence_length!r}.")
        skips = states is None
        if skips != self._skips_states:
            self._skips_states = skips
            self._clear_cached_op()
        if states is None:
            if isinstance(inputs, NDArray):
                batch = inputs.shape[self._layout.find("N")] if inputs.ndim == 3 else 0
                states = self.begin_state(batch, ctx=inputs.context, dtype=inputs.dtype)
            else:
                states = self.begin_state(0, func=symbol.zeros)
        elif not isinstance(states, list | tuple):
            states = [states]
        arguments = (
            (inputs, list(states), sequence_length) if self._use_sequence_length else (inputs, list(states))
        )
        return super().__call__(*arguments)

    def _graph_of(self, count: int) -> tuple[list[symbol.Symbol], symbol.Symbol]:
        """With first states among the inputs if there are as many; else they are zeros in the graph."""
        if count <= 1 + self._use_sequence_length:
            variables = [symbol.var(name) for name in ("data", "sequence_length")[:count]]
            return variables, self(variables[0], None, *variables[1:])
        if self._skips_states:
            self._skips_states = False
            self._clear_cached_op()
        zero = NDArray(np.zeros(1, np.float32))
        return self._get_graph(zero, [zero] * len(self.state_info()), *[zero] * self._use_sequence_length)

    def _call_flat(self, inputs: list[NDArray]) -> Any:
        """With first states among the inputs if there are as many."""
        x, *rest = inputs
        lengths = [rest.pop()] if self._use_sequence_length else []
        return self(x, rest or None, *lengths)

    def hybrid_forward(
        self,
        F: ModuleType,
        inputs: Tensor,
        states: Sequence[Tensor],
        sequence_length: Tensor | None = None,
        **kwargs: Any,
    ) -> Any:
        """The outputs, with the last states if states were given."""
        swapped = F.swapaxes(inputs, dim1=0, dim2=1) if self._layout == "NTC" else inputs
        flat = [F.reshape(kwargs[name], shape=-1) for name in self._order()]
        tensors = {
            "data": swapped,
            "parameters": F._internal._rnn_param_concat(*flat, dim=0),
            **dict(zip(("state", "state_cell"), states, strict=False)),
        }
        if sequence_length is not None:
            tensors["sequence_length"] = sequence_length
        y, *last = F.RNN(
            **tensors,
            use_sequence_length=self._use_sequence_length,
            state_size=self._hidden_size,
            projection_size=self._projection_size,
            num_layers=self._num_layers,
            bidirectional=self._dir == 2,
            p=self._dropout,
            state_outputs=True,
            mode=self._mode,
            **self._clips,
        )
        y = F.swapaxes(y, dim1=0, dim2=1) if self._layout == "NTC" else y
        return y if self._skips_states else (y, last)

    def _order(self) -> list[str]:
        """The parameters' names as the operator has them: all weights, then all biases."""
        kinds = {"weight": ("i2h", "h2h", "h2r"), "bias": ("i2h", "h2h")}
        names = [
            f"{side}{layer}_{kind}_{what}"
            for what in ("weight", "bias")
            for layer in range(self._num_layers)
            for side in "lr"[: self._dir]
            for kind in kinds[what]
        ]
        return [name for name in names if name in self._reg_params]


class RNN(_RNNLayer):
    """Layers of plain cells: sequences (T, N, C) to (T, N, D H), with relu or tanh as `activation`."""

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        activation: str = "relu",
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        input_size: int = 0,
        dtype: DTypeLike = "float32",
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            f"rnn_{activation}",
            None,
            None,
            None,
            None,
            False,
            dtype,
            **kwargs,
        )


class LSTM(_RNNLayer):
    """Layers of cells with a long and a short memory: sequences (T, N, C) to (T, N, D H); two states."""

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        projection_size: int | None = None,
        h2r_weight_initializer: InitializerLike = None,
        state_clip_min: float | None = None,
        state_clip_max: float | None = None,
        state_clip_nan: bool = False,
        dtype: DTypeLike = "float32",
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            "lstm",
            projection_size,
            h2r_weight_initializer,
            state_clip_min,
            state_clip_max,
            state_clip_nan,
            dtype,
            **kwargs,
        )

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """The shapes of the outputs' state and the cells' state."""
        cells = self._state((self._num_layers * self._dir, batch_size, self._hidden_size))
        return [*super().state_info(batch_size), cells]


class GRU(_RNNLayer):
    """Layers of gated cells: sequences (T, N, C) to (T, N, D H)."""

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        dtype: DTypeLike = "float32",
        **kwargs: Unpack[BlockOptions],
    ) -> None:
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            "gru",
            None,
            None,
            None,
            None,
            False,
            dtype,
            **kwargs,
        )
