"""Recurrent cells whose inputs and states are images: all sums are convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from ....attrs import ShapeLike
from ....initializer import InitializerLike
from ....typing import Tensor
from ...block import Block
from ...parameter import ParameterDict
from ...rnn.rnn_cell import HybridRecurrentCell

__all__ = [
    "Conv1DGRUCell",
    "Conv1DLSTMCell",
    "Conv1DRNNCell",
    "Conv2DGRUCell",
    "Conv2DLSTMCell",
    "Conv2DRNNCell",
    "Conv3DGRUCell",
    "Conv3DLSTMCell",
    "Conv3DRNNCell",
]


def _per_axis(size: Any, axes: int) -> tuple[int, ...]:
    return (size,) * axes if isinstance(size, int) else tuple(size)


class _ConvCell(HybridRecurrentCell):
    """The parameters of a cell over images with `gates` gates, and its convolutions of input and state."""

    gates = 1
    axes = 2
    kind = "rnn"

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: ShapeLike,
        h2h_kernel: ShapeLike,
        i2h_pad: ShapeLike,
        i2h_dilate: ShapeLike,
        h2h_dilate: ShapeLike,
        i2h_weight_initializer: InitializerLike,
        h2h_weight_initializer: InitializerLike,
        i2h_bias_initializer: InitializerLike,
        h2h_bias_initializer: InitializerLike,
        conv_layout: str,
        activation: str | Block,
        prefix: str | None,
        params: ParameterDict | None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._hidden_channels = hidden_channels
        self._input_shape = tuple(input_shape)
        self._conv_layout = conv_layout
        self._activation = activation
        self._channel_axis = conv_layout.find("C")
        axes = self.axes
        kernel, dilate = _per_axis(h2h_kernel, axes), _per_axis(h2h_dilate, axes)
        if any(k % 2 == 0 for k in kernel):
            raise AssertionError(f"{type(self).__name__}: an odd h2h_kernel is required, got {h2h_kernel}.")
        self._windows = {
            "i2h": (_per_axis(i2h_kernel, axes), _per_axis(i2h_pad, axes), _per_axis(i2h_dilate, axes)),
            "h2h": (kernel, tuple(d * (k - 1) // 2 for k, d in zip(kernel, dilate, strict=True)), dilate),
        }
        rows = self.gates * hidden_channels
        parameters = {
            "i2h_weight": (self._weight(rows, self._channels(), "i2h"), i2h_weight_initializer),
            "h2h_weight": (self._weight(rows, hidden_channels, "h2h"), h2h_weight_initializer),
            "i2h_bias": ((rows,), i2h_bias_initializer),
            "h2h_bias": ((rows,), h2h_bias_initializer),
        }
        for name, (shape, init) in parameters.items():
            setattr(self, name, self.params.get(name, shape=shape, init=init, allow_deferred_init=True))

    def _alias(self) -> str:
        return f"conv_{self.kind}"

    def _channels(self) -> int:
        return self._input_shape[self._channel_axis - 1]

    def _weight(self, rows: int, channels: int, which: str) -> tuple[int, ...]:
        kernel = self._windows[which][0]
        return (rows, channels, *kernel) if self._channel_axis == 1 else (rows, *kernel, channels)

    def _state_shape(self) -> tuple[int, ...]:
        """The state without its first axis: what the input's convolution makes of its sizes."""
        at = self._channel_axis - 1
        spatial = [d for i, d in enumerate(self._input_shape) if i != at]
        out = [n + 2 * p - d * (k - 1) for n, k, p, d in zip(spatial, *self._windows["i2h"], strict=True)]
        return (*out[:at], self._hidden_channels, *out[at:])

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """The state is an image of `hidden_channels` channels."""
        return [{"shape": (batch_size, *self._state_shape()), "__layout__": self._conv_layout}]

    def __repr__(self) -> str:
        shape: Any = self._reg_params["i2h_weight"].shape
        sizes = f"{shape[self._channel_axis]} -> {shape[0]}"
        return f"{type(self).__name__}({sizes}, {self._activation}, {self._conv_layout})"

    def _sums(self, F: Any, i2h: tuple[Any, ...], h2h: tuple[Any, ...]) -> tuple[Any, ...]:
        """What the gates have of the input and of the state, each given with its weight and bias."""
        return tuple(
            F.Convolution(
                data=data,
                weight=weight,
                bias=bias,
                num_filter=self.gates * self._hidden_channels,
                kernel=self._windows[which][0],
                stride=(1,) * self.axes,
                pad=self._windows[which][1],
                dilate=self._windows[which][2],
                layout=self._conv_layout,
                name=f"{self._step_prefix()}{which}",
            )
            for which, (data, weight, bias) in (("i2h", i2h), ("h2h", h2h))
        )

    def _parts(self, F: Any, value: Any, name: str) -> Any:
        """The gates' parts of the channels."""
        return F.SliceChannel(
            value, num_outputs=self.gates, axis=self._channel_axis, name=f"{self._step_prefix()}{name}"
        )


class _ConvRNNCell(_ConvCell):
    """A plain cell."""

    def hybrid_forward(
        self,
        F: ModuleType,
        inputs: Tensor,
        states: Sequence[Tensor],
        i2h_weight: Tensor,
        h2h_weight: Tensor,
        i2h_bias: Tensor,
        h2h_bias: Tensor,
    ) -> Any:
        """One step."""
        i2h, h2h = self._sums(F, (inputs, i2h_weight, i2h_bias), (states[0], h2h_weight, h2h_bias))
        name = f"{self._step_prefix()}out"
        output = self._get_activation(F, i2h + h2h, self._activation, name=name)
        return output, [output]


class _ConvLSTMCell(_ConvCell):
    """A cell with input, forget and output gates."""

    gates = 4
    kind = "lstm"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Output and cell state."""
        return [*super().state_info(batch_size), *super().state_info(batch_size)]

    def hybrid_forward(
        self,
        F: ModuleType,
        inputs: Tensor,
        states: Sequence[Tensor],
        i2h_weight: Tensor,
        h2h_weight: Tensor,
        i2h_bias: Tensor,
        h2h_bias: Tensor,
    ) -> Any:
        """One step."""
        t = self._step_prefix()
        i2h, h2h = self._sums(F, (inputs, i2h_weight, i2h_bias), (states[0], h2h_weight, h2h_bias))
        i, f, c, o = self._parts(F, i2h + h2h, "slice")
        i, f, o = (
            F.Activation(part, act_type="sigmoid", name=f"{t}{name}")
            for part, name in ((i, "i"), (f, "f"), (o, "o"))
        )
        c = self._get_activation(F, c, self._activation, name=f"{t}c")
        cell = F.elemwise_add(f * states[1], i * c, name=f"{t}state")
        bent = self._get_activation(F, cell, self._activation)
        output = F.elemwise_mul(o, bent, name=f"{t}out")
        return output, [output, cell]


class _ConvGRUCell(_ConvCell):
    """A cell with reset and update gates."""

    gates = 3
    kind = "gru"

    def hybrid_forward(
        self,
        F: ModuleType,
        inputs: Tensor,
        states: Sequence[Tensor],
        i2h_weight: Tensor,
        h2h_weight: Tensor,
        i2h_bias: Tensor,
        h2h_bias: Tensor,
    ) -> Any:
        """One step."""
        t = self._step_prefix()
        i2h, h2h = self._sums(F, (inputs, i2h_weight, i2h_bias), (states[0], h2h_weight, h2h_bias))
        ir, iz, i = self._parts(F, i2h, "i2h_slice")
        hr, hz, h = self._parts(F, h2h, "h2h_slice")
        r = F.Activation(ir + hr, act_type="sigmoid", name=f"{t}r_act")
        z = F.Activation(iz + hz, act_type="sigmoid", name=f"{t}z_act")
        new = self._get_activation(F, i + r * h, self._activation, name=f"{t}h_act")
        output = F.elemwise_add((1.0 - z) * new, z * states[0], name=f"{t}out")
        return output, [output]


class Conv1DRNNCell(_ConvRNNCell):
    """A plain cell over (N, C, W)."""

    axes = 1

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: ShapeLike,
        h2h_kernel: ShapeLike,
        i2h_pad: ShapeLike = (0,),
        i2h_dilate: ShapeLike = (1,),
        h2h_dilate: ShapeLike = (1,),
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        conv_layout: str = "NCW",
        activation: str | Block = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv1DLSTMCell(_ConvLSTMCell):
    """A cell with input, forget and output gates over (N, C, W)."""

    axes = 1

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: ShapeLike,
        h2h_kernel: ShapeLike,
        i2h_pad: ShapeLike = (0,),
        i2h_dilate: ShapeLike = (1,),
        h2h_dilate: ShapeLike = (1,),
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        conv_layout: str = "NCW",
        activation: str | Block = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv1DGRUCell(_ConvGRUCell):
    """A cell with reset and update gates over (N, C, W)."""

    axes = 1

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: ShapeLike,
        h2h_kernel: ShapeLike,
        i2h_pad: ShapeLike = (0,),
        i2h_dilate: ShapeLike = (1,),
        h2h_dilate: ShapeLike = (1,),
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        conv_layout: str = "NCW",
        activation: str | Block = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv2DRNNCell(_ConvRNNCell):
    """A plain cell over (N, C, H, W)."""

    axes = 2

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: ShapeLike,
        h2h_kernel: ShapeLike,
        i2h_pad: ShapeLike = (0, 0),
        i2h_dilate: ShapeLike = (1, 1),
        h2h_dilate: ShapeLike = (1, 1),
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        conv_layout: str = "NCHW",
        activation: str | Block = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv2DLSTMCell(_ConvLSTMCell):
    """A cell with input, forget and output gates over (N, C, H, W)."""

    axes = 2

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: ShapeLike,
        h2h_kernel: ShapeLike,
        i2h_pad: ShapeLike = (0, 0),
        i2h_dilate: ShapeLike = (1, 1),
        h2h_dilate: ShapeLike = (1, 1),
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        conv_layout: str = "NCHW",
        activation: str | Block = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv2DGRUCell(_ConvGRUCell):
    """A cell with reset and update gates over (N, C, H, W)."""

    axes = 2

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: ShapeLike,
        h2h_kernel: ShapeLike,
        i2h_pad: ShapeLike = (0, 0),
        i2h_dilate: ShapeLike = (1, 1),
        h2h_dilate: ShapeLike = (1, 1),
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        conv_layout: str = "NCHW",
        activation: str | Block = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv3DRNNCell(_ConvRNNCell):
    """A plain cell over (N, C, D, H, W)."""

    axes = 3

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: ShapeLike,
        h2h_kernel: ShapeLike,
        i2h_pad: ShapeLike = (0, 0, 0),
        i2h_dilate: ShapeLike = (1, 1, 1),
        h2h_dilate: ShapeLike = (1, 1, 1),
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        conv_layout: str = "NCDHW",
        activation: str | Block = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv3DLSTMCell(_ConvLSTMCell):
    """A cell with input, forget and output gates over (N, C, D, H, W)."""

    axes = 3

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: ShapeLike,
        h2h_kernel: ShapeLike,
        i2h_pad: ShapeLike = (0, 0, 0),
        i2h_dilate: ShapeLike = (1, 1, 1),
        h2h_dilate: ShapeLike = (1, 1, 1),
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        conv_layout: str = "NCDHW",
        activation: str | Block = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            conv_layout,
            activation,
            prefix,
            params,
        )


class Conv3DGRUCell(_ConvGRUCell):
    """A cell with reset and update gates over (N, C, D, H, W)."""

    axes = 3

    def __init__(
        self,
        input_shape: tuple[int, ...],
        hidden_channels: int,
        i2h_kernel: ShapeLike,
        h2h_kernel: ShapeLike,
        i2h_pad: ShapeLike = (0, 0, 0),
        i2h_dilate: ShapeLike = (1, 1, 1),
        h2h_dilate: ShapeLike = (1, 1, 1),
        i2h_weight_initializer: InitializerLike = None,
        h2h_weight_initializer: InitializerLike = None,
        i2h_bias_initializer: InitializerLike = "zeros",
        h2h_bias_initializer: InitializerLike = "zeros",
        conv_layout: str = "NCDHW",
        activation: str | Block = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            input_shape,
            hidden_channels,
            i2h_kernel,
            h2h_kernel,
            i2h_pad,
            i2h_dilate,
            h2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            conv_layout,
            activation,
            prefix,
            params,
        )
