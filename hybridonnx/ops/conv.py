"""Convolution, transposed convolution, and the operators that are their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ..attrs import Ints
from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._convolution import Windows, convolve, convolve_data_grad, convolve_weight_grad, wide
from ._operator import Array, Operator, record
from ._registry import operator
from ._shapes import Dim, Shape, below, differ, show, sizes
from ._symbolic import Known
from ._windows import channels_last as channels_last
from ._windows import (
    dilated_window,
    from_first,
    per_axis,
    positions,
    require_floats,
    require_positive,
    require_rank,
    shape_from_first,
    shape_to_first,
    to_first,
)
from ._windows import extent as extent

_LAYOUTS = ("NCW", "NCHW", "NCDHW")
_Tune = Literal["None", "fastest", "limited_workspace", "off"]
_Layout = Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"]


@record
class _Window(Operator):
    """Windows that slide over the spatial axes, with a filter over the channels of each group.

    Attributes:
        kernel: The window's length on each of 1 to 3 spatial axes.
        stride: The step between windows on each axis; 1 if empty.
        dilate: The distance between a window's elements on each axis; 1 if empty.
        pad: How many zeros stand before and after the data on each axis; none if empty.
        num_filter: The number of the output's channels.
        num_group: Into how many groups the channels are split, each with filters of its own.
        layout: The axes' order, such as NCHW or NHWC; channels come second if None. The weight has its
            channel axis where the data has it.
        workspace: Accepted for MXNet's sake; without effect.
        no_bias: Whether there is no `bias`.
        cudnn_tune: Accepted for MXNet's sake; without effect.
        cudnn_off: Accepted for MXNet's sake; without effect.
    """

    kernel: Ints
    stride: Ints = ()
    dilate: Ints = ()
    pad: Ints = ()

    if TYPE_CHECKING:  # each operator has these in MXNet's order, after its own
        num_filter: int
        num_group: int = 1
        layout: _Layout | None = None

    def check(self) -> None:
        name = self.names[0]
        if not 1 <= len(self.kernel) <= 3:
            raise AttributeValueError(f"{name}: kernel must have 1, 2 or 3 axes, got {self.kernel}.")
        stride, dilate, pad = self.window()
        require_positive(name, kernel=self.kernel, stride=stride, dilate=dilate)
        require_positive(name, num_filter=self.num_filter, num_group=self.num_group)
        if any(p < 0 for p in pad):
            raise AttributeValueError(f"{name}: pad must not be negative, got {pad}.")
        if self.num_filter % self.num_group:
            raise AttributeValueError(
                f"{name}: num_filter must be a multiple of num_group {self.num_group}, got {self.num_filter}."
            )
        if self.layout is not None and len(self.layout) != len(self.kernel) + 2:
            raise AttributeValueError(
                f"{name}: a layout with {len(self.kernel)} spatial axes is required for kernel "
                f"{self.kernel}, got {self.layout}."
            )

    def window(self) -> tuple[Ints, Ints, Ints]:
        """Stride, dilation and padding of each axis."""
        return dilated_window(self.names[0], self.kernel, self.stride, self.dilate, self.pad)

    def windows(self) -> Windows:
        """The windows without regard to the data's sizes."""
        return Windows(self.kernel, *self.window(), self.num_group)

    def last(self) -> bool:
        """Whether the channels are the last axis, of the data and of the weight."""
        return channels_last(self.layout)

    def infer_input_dtypes(self, *dtypes: Any, **_: Any) -> Sequence[DType | None]:
        require_floats(self.names[0], *dtypes)
        return super().infer_input_dtypes(*dtypes)

    def channels(self, data: Shape) -> Dim:
        """How many channels the data has."""
        require_rank(self.names[0], data, self.kernel, self.layout or _LAYOUTS[len(self.kernel) - 1])
        count: Dim = shape_to_first(data, self.layout)[1]
        if count is not None and differ(count % self.num_group, 0):
            raise ShapeError(
                f"{self.names[0]}: a number of channels that num_group {self.num_group} divides is required, "
                f"got data {show(data)}."
            )
        return count

    def first(self, array: Array) -> Array:
        """An array with its channels moved to axis 1, in a dtype to compute in."""
        return wide(to_first(array, self.layout))

    def back(self, result: Array, like: Array) -> Array:
        """A result as the layout and the dtype of the inputs want it."""
        placed: Array = from_first(result, self.layout)
        return placed.astype(like.dtype, copy=False)

    def shared(self) -> dict[str, Any]:
        """The attributes that the gradients' operators have as well."""
        return {
            "kernel": self.kernel,
            "stride": self.stride,
            "dilate": self.dilate,
            "pad": self.pad,
            "num_filter": self.num_filter,
            "num_group": self.num_group,
            "layout": self.layout,
        }

    def products(
        self, narrow: str, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]
    ) -> int:
        """The multiplications: one filter's elements for each element of `narrow`, an input or the output."""
        shapes = dict(zip(self.input_names(), inputs, strict=True))
        return prod(shapes.get(narrow, outputs[0])) * prod(shapes["weight"][1:])

    def bias_gradient(self, F: Any, dy: Any) -> Any:
        """The bias' gradient."""
        return F.sum(dy, axis=(-1,) if self.last() else (1,), exclude=True)


@record
class _Forward(_Window):
    """A convolution or one of its gradients.

    Inputs:
        data: (N, C, *spatial), or (N, *spatial, C) with a layout such as NHWC.
        weight: (num_filter, C / num_group, *kernel), or (num_filter, *kernel, C / num_group).
        bias: (num_filter,); absent with `no_bias`.
        dy: (N, num_filter, *out), or (N, *out, num_filter): the gradient of the output.

    Returns:
        (N, num_filter, *out), or (N, *out, num_filter), where
        out = floor((n + 2 pad - dilate (kernel - 1) - 1) / stride) + 1.

    ONNX: Conv, with Transpose before and after it if the channels are last; of float64 Slice and MatMul.
    """

    saves: ClassVar[float] = 0.25

    def work(self, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
        return self.products("dy", inputs, outputs)

    def weight_shape(self, data: Shape) -> Shape:
        """The weight's shape: (num_filter, C / num_group, *kernel), or with the channels last."""
        count = self.channels(data)
        per_group = None if count is None else count // self.num_group
        return shape_from_first((self.num_filter, per_group, *self.kernel), self.layout)

    def convolved(self, data: Shape) -> Shape:
        """The shape of the convolution of `data`."""
        self.channels(data)
        n, _, *spatial = shape_to_first(data, self.layout)
        axes = zip(spatial, self.kernel, *self.window(), strict=True)
        out = [positions(self.names[0], d, extent(k, dil), s, p) for d, k, s, dil, p in axes]
        return shape_from_first((n, self.num_filter, *out), self.layout)


@operator("Convolution", "_npx_convolution")
class Convolution(_Forward):
    """N-D convolution of `data` with `weight`, then `bias` added to each channel.

    As everywhere in deep learning the kernel is not mirrored: this is a cross-correlation.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "weight", "bias")
    packs: ClassVar[tuple[str, ...]] = ("weight", "bias")
    num_filter: int
    num_group: int = 1
    workspace: int = 1024
    no_bias: bool = False
    cudnn_tune: _Tune | None = None
    cudnn_off: bool = False
    layout: _Layout | None = None

    def input_names(self) -> tuple[str, ...]:
        return self.inputs[: 2 if self.no_bias else 3]

    def infer_inputs(self, data: Shape | None, *others: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return (None, *others)
        return (data, self.weight_shape(data), (self.num_filter,))[: 1 + len(others)]

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The batch size, as first states of cells take it from what they are added to, and spatial sizes.

        These are told where the stride is 1; with others several sizes have the same output.
        """
        data, out = inputs[0], outputs[0]
        if not data or not out or len(data) != len(out):
            return inputs
        stride, dilate, pad = self.window()
        axes = zip(shape_to_first(out, self.layout)[2:], self.kernel, stride, dilate, pad, strict=True)
        spatial = [None if d is None or s > 1 else d + extent(k, dil) - 1 - 2 * p for d, k, s, dil, p in axes]
        first = shape_to_first(data, self.layout)
        sizes = [b if a is None else a for a, b in zip(first, (out[0], None, *spatial), strict=True)]
        return shape_from_first(tuple(sizes), self.layout), *inputs[1:]

    def infer_shape(self, data: Shape, *_: Shape) -> Shape:
        return self.convolved(data)

    def forward(self, data: Array, weight: Array, bias: Array | None = None) -> Array:
        y = convolve(self.windows(), self.first(data), self.first(weight))
        if bias is not None:
            y += wide(bias).reshape(-1, *(1 for _ in self.kernel))
        return self.back(y, data)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, weight: Any, bias: Any = None) -> Sequence[Any]:
        same = self.shared()
        grads = (F._conv_data_grad(dy, weight, data, **same), F._conv_weight_grad(dy, data, weight, **same))
        return grads if bias is None else (*grads, self.bias_gradient(F, dy))


@operator("Convolution_v1")
class ConvolutionV1(Convolution):
    """Convolution under the name that files of MXNet's first versions may have for it.

    ONNX: Conv.
    """

    layout: Literal["NCDHW", "NCHW", "NDHWC", "NHWC"] | None = None


@operator("_conv_data_grad")
class ConvDataGrad(_Forward):
    """The gradient of Convolution with respect to its data.

    Inputs:
        data: The convolution's data, of which only the shape matters.

    Returns:
        The shape of data.

    ONNX: Conv with the mirrored weight (Transpose, Reshape and MatMul make it), or ConvTranspose if the
        stride is not 1.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "weight", "data")
    num_filter: int
    num_group: int = 1
    layout: _Layout | None = None

    def infer_inputs(
        self, dy: Shape | None, weight: Shape | None, data: Shape | None
    ) -> Sequence[Shape | None]:
        if data is None:
            return dy, weight, data
        return self.convolved(data), self.weight_shape(data), data

    def infer_shape(self, dy: Shape, weight: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, weight: Array, data: Array) -> Array:
        shape = shape_to_first(data.shape, self.layout)
        return self.back(convolve_data_grad(self.windows(), self.first(dy), self.first(weight), shape), dy)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, weight: Any, data: Any) -> Sequence[Any]:
        same = self.shared()
        return (
            F.Convolution(dy, weight, no_bias=True, **same),
            F._conv_weight_grad(head, dy, weight, **same),
            None,
        )


@operator("_conv_weight_grad")
class ConvWeightGrad(_Forward):
    """The gradient of Convolution with respect to its weight.

    Inputs:
        weight: The convolution's weight, of which only the shape matters.

    Returns:
        The shape of weight.

    ONNX: Conv, which takes the windows apart, then MatMul with dy and ReduceSum over the batch.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "data", "weight")
    num_filter: int
    num_group: int = 1
    layout: _Layout | None = None

    def infer_inputs(
        self, dy: Shape | None, data: Shape | None, weight: Shape | None
    ) -> Sequence[Shape | None]:
        if data is None:
            return dy, data, weight
        return self.convolved(data), data, self.weight_shape(data)

    def infer_shape(self, dy: Shape, data: Shape, weight: Shape) -> Shape:
        return weight

    def forward(self, dy: Array, data: Array, weight: Array) -> Array:
        shape = shape_to_first(weight.shape, self.layout)
        return self.back(convolve_weight_grad(self.windows(), self.first(dy), self.first(data), shape), dy)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, data: Any, weight: Any) -> Sequence[Any]:
        same = self.shared()
        return (
            F.Convolution(data, dy, no_bias=True, **same),
            F._conv_data_grad(head, dy, data, **same),
            None,
        )


# ---- transposed convolution: the data gradient of a convolution from num_filter channels to the data's


@record
class _Transposed(_Window):
    """A transposed convolution or one of its gradients.

    Inputs:
        data: (N, C, *spatial), or (N, *spatial, C) with a layout such as NHWC.
        weight: (C, num_filter / num_group, *kernel), or (C, *kernel, num_filter / num_group).
        bias: (num_filter,); absent with `no_bias`.
        dy: (N, num_filter, *out), or (N, *out, num_filter): the gradient of the output.

    Attributes:
        stride: The distance on each axis of the output between the windows of adjacent elements; 1 if empty.
        pad: How much is cut off at each end of each axis; nothing if empty.
        adj: How much is added at the end of each axis, less than the stride; nothing if empty.
        target_shape: The output's spatial lengths; where not empty, `pad` and `adj` follow from them.

    Returns:
        (N, num_filter, *out), or (N, *out, num_filter), where out is target_shape or
        (n - 1) stride + dilate (kernel - 1) + 1 - 2 pad + adj.

    ONNX: ConvTranspose.
    """

    saves: ClassVar[float] = 0.25
    adj: Ints = ()
    target_shape: Ints = ()

    def work(self, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]]) -> int:
        return self.products("data", inputs, outputs)

    def check(self) -> None:
        super().check()
        if self.target():
            require_positive(self.names[0], target_shape=self.target())
            return
        adj, (stride, _, _) = self.adjustment(), self.window()
        if any(not 0 <= a < s for a, s in zip(adj, stride, strict=True)):
            raise AttributeValueError(
                f"{self.names[0]}: adj must be smaller than stride {stride} on each axis, got {adj}."
            )

    def adjustment(self) -> Ints:
        """What is added at the end of each axis."""
        return per_axis(self.names[0], "adj", self.adj, self.kernel, 0)

    def target(self) -> Ints:
        """The output's spatial sizes by `target_shape`, none if they follow from the data's."""
        if not any(self.target_shape):
            return ()
        return per_axis(self.names[0], "target_shape", self.target_shape, self.kernel, 0)

    def shared(self) -> dict[str, Any]:
        return {**super().shared(), "adj": self.adj, "target_shape": self.target_shape}

    def placed(self, spatial: Sequence[Dim]) -> tuple[tuple[Dim, ...], tuple[Dim, ...]]:
        """For data of these spatial sizes the padding of each axis and the output's sizes."""
        stride, dilate, pad = self.window()
        spans = [extent(k, d) for k, d in zip(self.kernel, dilate, strict=True)]
        full = [
            None if n is None else (n - 1) * s + span
            for n, s, span in zip(spatial, stride, spans, strict=True)
        ]
        if not self.target():
            axes = zip(full, pad, self.adjustment(), strict=True)
            return pad, tuple(None if f is None else f - 2 * p + a for f, p, a in axes)
        pads = [None if f is None else self._excess(f, t) for f, t in zip(full, self.target(), strict=True)]
        return tuple(pads), self.target()

    def _excess(self, full: Known, target: int) -> Known:
        """The padding that leaves `target` of `full`; if it is odd, the end keeps one more."""
        if below(full, target):
            raise ShapeError(
                f"{self.names[0]}: target_shape of at most {full} is possible with this data, got {target}."
            )
        return (full - target + 1) // 2

    def weight_shape(self, data: Shape) -> Shape:
        """The weight's shape: (C, num_filter / num_group, *kernel), or with the channels last."""
        per_group = self.num_filter // self.num_group
        return shape_from_first((self.channels(data), per_group, *self.kernel), self.layout)

    def spread(self, data: Shape) -> Shape:
        """The shape of the transposed convolution of `data`."""
        self.channels(data)
        n, _, *spatial = shape_to_first(data, self.layout)
        out = self.placed(spatial)[1]
        if any(below(d, 1) for d in out):
            raise ShapeError(f"{self.names[0]}: less pad is required for data {show(data)}, got {self.pad}.")
        return shape_from_first((n, self.num_filter, *out), self.layout)

    def windows_on(self, data: tuple[int, ...]) -> Windows:
        """The windows of the convolution that goes the other way, from the output to data of this shape."""
        stride, dilate, _ = self.window()
        pads = self.placed(shape_to_first(data, self.layout)[2:])[0]
        return Windows(self.kernel, stride, dilate, sizes(pads), self.num_group)


@operator("Deconvolution", "_npx_deconvolution")
class Deconvolution(_Transposed):
    """N-D transposed convolution of `data` with `weight`, then `bias` added to each channel.

    It goes from the output's shape of a convolution with the same window back to its input's, and is that
    convolution's gradient with respect to its data.
    """

    inputs: ClassVar[tuple[str, ...]] = ("data", "weight", "bias")
    packs: ClassVar[tuple[str, ...]] = ("weight", "bias")
    num_filter: int
    num_group: int = 1
    workspace: int = 512
    no_bias: bool = True
    cudnn_tune: _Tune | None = None
    cudnn_off: bool = False
    layout: _Layout | None = None

    def input_names(self) -> tuple[str, ...]:
        return self.inputs[: 2 if self.no_bias else 3]

    def infer_inputs(self, data: Shape | None, *others: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return (None, *others)
        return (data, self.weight_shape(data), (self.num_filter,))[: 1 + len(others)]

    def infer_shape(self, data: Shape, *_: Shape) -> Shape:
        return self.spread(data)

    def forward(self, data: Array, weight: Array, bias: Array | None = None) -> Array:
        shape = shape_to_first(self.spread(data.shape), self.layout)
        y = convolve_data_grad(self.windows_on(data.shape), self.first(data), self.first(weight), shape)
        if bias is not None:
            y += wide(bias).reshape(-1, *(1 for _ in self.kernel))
        return self.back(y, data)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any, weight: Any, bias: Any = None) -> Sequence[Any]:
        same = self.shared()
        grads = (
            F._deconv_data_grad(dy, weight, data, **same),
            F._deconv_weight_grad(dy, data, weight, **same),
        )
        return grads if bias is None else (*grads, self.bias_gradient(F, dy))


@operator("_deconv_data_grad")
class DeconvDataGrad(_Transposed):
    """The gradient of Deconvolution with respect to its data.

    Inputs:
        data: The transposed convolution's data, of which only the shape matters.

    Returns:
        The shape of data.

    ONNX: Conv.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "weight", "data")
    num_filter: int
    num_group: int = 1
    layout: _Layout | None = None

    def infer_inputs(
        self, dy: Shape | None, weight: Shape | None, data: Shape | None
    ) -> Sequence[Shape | None]:
        if data is None:
            return dy, weight, data
        return self.spread(data), self.weight_shape(data), data

    def infer_shape(self, dy: Shape, weight: Shape, data: Shape) -> Shape:
        return data

    def forward(self, dy: Array, weight: Array, data: Array) -> Array:
        out = shape_to_first(data.shape, self.layout)[2:]
        return self.back(convolve(self.windows_on(data.shape), self.first(dy), self.first(weight), out), dy)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, weight: Any, data: Any) -> Sequence[Any]:
        same = self.shared()
        return (
            F.Deconvolution(dy, weight, no_bias=True, **same),
            F._deconv_weight_grad(head, dy, weight, **same),
            None,
        )


@operator("_deconv_weight_grad")
class DeconvWeightGrad(_Transposed):
    """The gradient of Deconvolution with respect to its weight.

    Inputs:
        weight: The transposed convolution's weight, of which only the shape matters.

    Returns:
        The shape of weight.

    ONNX: Conv, which takes the windows of dy apart, then MatMul with data and ReduceSum over the batch.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "data", "weight")
    num_filter: int
    num_group: int = 1
    layout: _Layout | None = None

    def infer_inputs(
        self, dy: Shape | None, data: Shape | None, weight: Shape | None
    ) -> Sequence[Shape | None]:
        if data is None:
            return dy, data, weight
        return self.spread(data), data, self.weight_shape(data)

    def infer_shape(self, dy: Shape, data: Shape, weight: Shape) -> Shape:
        return weight

    def forward(self, dy: Array, data: Array, weight: Array) -> Array:
        shape = shape_to_first(weight.shape, self.layout)
        w = self.windows_on(data.shape)
        return self.back(convolve_weight_grad(w, self.first(data), self.first(dy), shape), dy)

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, data: Any, weight: Any) -> Sequence[Any]:
        same = self.shared()
        return (
            F.Deconvolution(data, dy, no_bias=True, **same),
            F._deconv_data_grad(head, dy, data, **same),
            None,
        )
