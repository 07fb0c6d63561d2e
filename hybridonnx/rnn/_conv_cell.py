"""Cells of symbols whose inputs and states are images: all sums are convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import symbol
from ..errors import RequirementError
from ..initializer import InitializerLike
from ..symbol.symbol import Symbol
from ._base_cell import Activation, BaseRNNCell, RNNParams
from ._gates import gru_step, lstm_step

_Pair = tuple[int, int]


def _leaky(data: Symbol, **kwargs: Any) -> Symbol:
    result: Symbol = symbol.LeakyReLU(data, act_type="leaky", slope=0.2, **kwargs)
    return result


class BaseConvRNNCell(BaseRNNCell):
    """What cells over images have in common: their parameters, and the convolutions of input and state.

    `input_shape` has the batch's size first, which does not matter. States have the size that the input's
    convolution gives; `h2h_kernel` is odd, so that the state's convolution keeps it.
    """

    _usual_prefix = ""

    def __init__(
        self,
        input_shape: Sequence[int],
        num_hidden: int,
        h2h_kernel: _Pair = (3, 3),
        h2h_dilate: _Pair = (1, 1),
        i2h_kernel: _Pair = (3, 3),
        i2h_stride: _Pair = (1, 1),
        i2h_pad: _Pair = (1, 1),
        i2h_dilate: _Pair = (1, 1),
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        activation: Activation = _leaky,
        prefix: str | None = None,
        params: RNNParams | None = None,
        conv_layout: str = "NCHW",
    ) -> None:
        super().__init__(self._usual_prefix if prefix is None else prefix, params)
        if any(size % 2 == 0 for size in h2h_kernel):
            raise RequirementError(f"{type(self).__name__}: an odd h2h_kernel is required, got {h2h_kernel}.")
        self._num_hidden = num_hidden
        self._input_shape = tuple(input_shape)
        self._conv_layout = conv_layout
        self._activation = activation
        pad = tuple(d * (k - 1) // 2 for k, d in zip(h2h_kernel, h2h_dilate, strict=True))
        self._windows: dict[str, dict[str, Any]] = {
            "i2h": {"kernel": i2h_kernel, "stride": i2h_stride, "pad": i2h_pad, "dilate": i2h_dilate},
            "h2h": {"kernel": h2h_kernel, "stride": (1, 1), "pad": pad, "dilate": h2h_dilate},
        }
        self._make_weights(
            i2h_weight={"init": i2h_weight_initializer},
            h2h_weight={"init": h2h_weight_initializer},
            i2h_bias={"init": i2h_bias_initializer},
            h2h_bias={"init": h2h_bias_initializer},
        )
        self._state_shape = self._size_state()

    def _size_state(self) -> tuple[int, ...]:
        """The state's shape, with 0 for the batch: what the input's convolution makes of its sizes."""
        attributes = {"num_filter": self._num_hidden, "layout": self._conv_layout, **self._windows["i2h"]}
        image = symbol.Convolution(symbol.var("data"), name="state", **attributes)
        return (0, *image.infer_shape(data=self._input_shape)[1][0][1:])

    @property
    def _num_gates(self) -> int:
        return len(self._gate_names)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The state is an image of `num_hidden` channels."""
        return [{"shape": self._state_shape, "__layout__": self._conv_layout}]

    @property
    def _axis(self) -> dict[str, int]:
        return {"axis": self._conv_layout.find("C")}

    def _sums(self, inputs: Any, state: Any, rows: int, name: str) -> tuple[Symbol, Symbol]:
        options: dict[str, Any] = {"num_filter": rows, "layout": self._conv_layout}
        return (
            symbol.Convolution(
                inputs, self._iW, self._iB, name=f"{name}i2h", **options, **self._windows["i2h"]
            ),
            symbol.Convolution(
                state, self._hW, self._hB, name=f"{name}h2h", **options, **self._windows["h2h"]
            ),
        )

    def _step(self, inputs: Any, state: Any) -> tuple[str, tuple[Symbol, Symbol]]:
        """What the names of the next step begin with, and its sums."""
        self._counter += 1
        name = f"{self._prefix}t{self._counter}_"
        return name, self._sums(inputs, state, self._num_gates * self._num_hidden, name)


class ConvRNNCell(BaseConvRNNCell):
    """A plain cell over images; names of its parameters begin with `ConvRNN_` where no prefix is given."""

    _usual_prefix = "ConvRNN_"

    @property
    def _gate_names(self) -> tuple[str, ...]:
        return ("",)

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """One step."""
        name, (i2h, h2h) = self._step(inputs, states[0])
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class ConvLSTMCell(BaseConvRNNCell):
    """An LSTM over images; names of its parameters begin with `ConvLSTM_` where no prefix is given."""

    _usual_prefix = "ConvLSTM_"

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Output and cell state, images both."""
        return [*super().state_info, *super().state_info]

    @property
    def _gate_names(self) -> list[str]:
        return ["_i", "_f", "_c", "_o"]

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """One step."""
        name, (i2h, h2h) = self._step(inputs, states[0])
        return lstm_step(self, i2h + h2h, states[1], self._activation, name, self._axis)


class ConvGRUCell(BaseConvRNNCell):
    """A GRU over images; names of its parameters begin with `ConvGRU_` where no prefix is given."""

    _usual_prefix = "ConvGRU_"

    @property
    def _gate_names(self) -> list[str]:
        return ["_r", "_z", "_o"]

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Any, list[Any]]:
        """One step."""
        name, sums = self._step(inputs, states[0])
        axis = self._axis if self._axis["axis"] != 1 else {}  # written into files where MXNet writes it
        return gru_step(self, sums, states[0], self._activation, name, axis)
