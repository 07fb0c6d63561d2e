"""Normalization: over the batch, a layer, an instance, a group, a vector's length, neighbouring channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, ClassVar, Literal

import numpy as np

from ..attrs import Ints
from ..dtypes import DType, float32
from ..errors import AttributeValueError, ShapeError
from ._arithmetic import mean_of
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Dim, Shape, axis_index, axis_indices, differ, require_axes, show, unify
from ._slopes import computed_wide
from .along import along

_FLOAT16 = np.dtype("float16")


def _wide(data: Array) -> Array:
    """`data` in a dtype that sums of it fit in."""
    return data.astype(np.float32) if data.dtype == _FLOAT16 else data


def _moments(data: Array, axes: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """data - mean, mean and variance over `axes`, which stay with size 1."""
    mean = mean_of(data, axes)
    centred: Array = data - mean
    return centred, mean, mean_of(np.square(centred), axes)


def _affine(data: Array, scale: Array, shift: Array) -> Array:
    """data * scale + shift, in the memory of `data`."""
    data *= scale
    data += shift
    return data


@operator("_count")
class Count(Operator):
    """The number of elements of `data` that a reduction over `axis` takes to one, in the dtype of data.

    Inputs:
        data: An array of any shape, for its sizes.

    Attributes:
        axis: The axes of the reduction; all if empty.
        exclude: Whether the axes that `axis` does not name are those of the reduction.

    Returns:
        (1,).

    ONNX: Identity of a constant, where the sizes are known.
    """

    not_differentiable: ClassVar[str] = "it does not depend on the values"
    axis: Ints = ()
    exclude: bool = False

    def axes(self, rank: int) -> tuple[int, ...]:
        """The axes that are counted."""
        return axis_indices(self.names[0], self.axis, rank, self.exclude)

    def infer_shape(self, data: Shape) -> Shape:
        self.axes(len(data))
        return (1,)

    def forward(self, data: Array) -> Array:
        return np.array([np.prod([data.shape[i] for i in self.axes(data.ndim)])], data.dtype)


def _normalized_gradient(
    F: Any, dy: Any, stats: tuple[Any, Any], centred: Any, inverse: Any, over: dict[str, Any]
) -> Any:
    """The gradient of (centred * inverse, mean, inverse) with the gradients `dy` and `stats`.

    All but `dy` and `centred` have size 1 along the normalized axes, which `over` names for a mean.
    """
    count = F._count(centred, axis=over["axis"], exclude=over.get("exclude", False))
    d_mean = stats[0] / count - F.mean(dy, keepdims=True, **over) * inverse
    d_inverse = stats[1] / count + F.mean(dy * centred, keepdims=True, **over)
    return dy * inverse - centred * (d_inverse * inverse * inverse * inverse) + d_mean


# ---- over the batch

_BATCH_INPUTS = ("data", "gamma", "beta", "moving_mean", "moving_var")


class _OverBatch(Operator):
    """What the batch normalizations share. The output called var holds 1 / sqrt(variance + eps).

    When training, the moving statistics become momentum times themselves plus (1 - momentum) times the
    batch's.

    Inputs:
        data: (N, C, *spatial), or with the channels C at another `axis`.
        gamma: (C,), each channel's factor.
        beta: (C,), each channel's summand.
        moving_mean: (C,), the moving mean, which training changes.
        moving_var: (C,), the moving variance, which training changes.

    Attributes:
        eps: What is added to the variance before its root.
        momentum: How much of the moving statistics a training step keeps; the rest is the batch's.
        fix_gamma: Whether gamma counts as 1, whatever is stored in it.
        use_global_stats: Whether the moving statistics are used, and stay as they are, when training too.
        output_mean_var: Whether the outputs mean and var are shown.
        axis: The channels' axis; negative ones count from the last.
        cudnn_off: Accepted for MXNet's sake; without effect.
        min_calib_range: Accepted for MXNet's sake; without effect.
        max_calib_range: Accepted for MXNet's sake; without effect.

    Returns:
        output: The shape of data.
        mean: (C,), the mean that was subtracted; only with output_mean_var.
        var: (C,), 1 / sqrt(variance + eps); only with output_mean_var.
    """

    cheap: ClassVar[bool] = True
    gradient_saves: ClassVar[float] = 2.0
    inputs: ClassVar[tuple[str, ...]] = _BATCH_INPUTS
    aux: ClassVar[tuple[str, ...]] = _BATCH_INPUTS[3:]
    outputs: ClassVar[tuple[str, ...]] = ("output", "mean", "var")
    mode_dependent: ClassVar[bool] = True
    takes_ints: ClassVar[bool] = False
    takes_no_head: ClassVar[bool] = True
    initializers: ClassVar[Mapping[str, str]] = {"moving_mean": '["zero", {}]', "moving_var": '["one", {}]'}

    eps: float
    momentum: float
    fix_gamma: bool
    use_global_stats: bool
    output_mean_var: bool
    axis: int

    def visible(self) -> int:
        return 3 if self.output_mean_var else 1

    def of_batch(self) -> bool:
        """Whether the batch's own statistics are used, not the moving ones."""
        return self.training and not self.use_global_stats

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        data, *vectors = shapes
        owner = self.names[0]
        channels: Shape | None = None
        if data is not None:
            channels = (data[axis_index(owner, self.axis, len(data))],)
        for name, vector in zip(self.inputs[1:], vectors, strict=True):
            if vector is not None and len(vector) != 1:
                raise ShapeError(f"{owner}: {name} of shape (C,) is required, got {show(vector)}.")
            if vector is not None and channels is not None and differ(vector[0], channels[0]):
                raise ShapeError(
                    f"{owner}: {name} of shape {show(channels)} is required, got {show(vector)}; data has "
                    f"shape {show(data)} and the channels are on axis {self.axis}."
                )
            channels = unify(owner, channels, vector)
        return data, *[channels] * 4

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[0], *inputs[1:]

    def infer_shape(self, data: Shape, gamma: Shape, *_: Shape) -> list[Shape]:
        return [data, gamma, gamma]

    def infer_input_dtypes(self, *dtypes: DType | None) -> Sequence[DType | None]:
        data = dtypes[0]
        if data == _FLOAT16:  # statistics are kept in float32
            return data, *super().infer_input_dtypes(float32, *dtypes[1:])[1:]
        if data is None:
            return dtypes
        return super().infer_input_dtypes(*dtypes)

    def infer_dtype(self, data: DType | None, gamma: DType | None, *_: Any) -> list[DType | None]:
        return [data, gamma, gamma]

    def forward(
        self, data: Array, gamma: Array, beta: Array, moving_mean: Array, moving_var: Array
    ) -> tuple[Array, ...]:
        axis, x = axis_index(self.names[0], self.axis, data.ndim), _wide(data)
        mean, var = moving_mean, moving_var
        if self.of_batch():
            others = tuple(i for i in range(data.ndim) if i != axis)
            centred, mean, var = _moments(x, others)
            mean, var = mean.reshape(-1), var.reshape(-1)
        else:
            centred = x - along(mean, data.ndim, axis)
        inverse = (1 / np.sqrt(var + self.eps)).astype(x.dtype)
        scale = inverse if self.fix_gamma else gamma * inverse
        y = _affine(centred, along(scale, data.ndim, axis), along(beta, data.ndim, axis))
        return y.astype(data.dtype, copy=False), *self.statistics(mean, var, inverse)

    def statistics(self, mean: Array, var: Array, inverse: Array) -> tuple[Array, Array]:
        """The outputs beside the normalized data."""
        return mean.copy(), inverse

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        data, gamma, _, _, _ = inputs
        mean, inverse = y[1], y[2]
        wide = F._cast_like(data, mean)
        dout = F._cast_like(F.zeros_like(y[0]) if dy[0] is None else dy[0], mean)
        centred = F._scale_shift(wide, shift=-mean, axis=self.axis, no_scale=True)
        d_beta = F.sum(dout, axis=(self.axis,), exclude=True)
        d_gamma = F.sum(dout * centred, axis=(self.axis,), exclude=True) * inverse
        scale = inverse if self.fix_gamma else inverse * gamma
        dx = F._scale_shift(dout, scale, axis=self.axis, no_shift=True)
        if self.of_batch():
            # what flows back through mean and inverse is one multiple of `centred` and one shift per channel
            count = -F._count(wide, axis=(self.axis,), exclude=True)
            each = scale / count
            slope, shift = d_gamma * inverse * each, d_beta * each
            if dy[2] is not None:
                slope = slope + dy[2] * (inverse * inverse * inverse / count)
            if dy[1] is not None:
                shift = shift - dy[1] / count
            dx = dx + F._scale_shift(centred, slope, shift, axis=self.axis)
        return F._cast_like(dx, data), None if self.fix_gamma else d_gamma, d_beta, None, None

    def updated(self, F: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        moving_mean, moving_var = inputs[3:]
        if not self.of_batch():
            return moving_mean, moving_var
        var = self.batch_variance(F, y)
        keep, take = self.momentum, 1 - self.momentum
        return moving_mean * keep + y[1] * take, moving_var * keep + var * take

    def batch_variance(self, F: Any, y: Any) -> Any:
        """The batch's variance, from the outputs."""
        return F.relu(1 / (y[2] * y[2]) - self.eps)  # rounding must not make it negative


@operator("BatchNorm", "_npx_batch_norm")
class BatchNorm(_OverBatch):
    """Each channel of `data` with mean 0 and variance 1 over the batch, times gamma plus beta.

    When training, the statistics are the batch's and the moving ones follow them; else they are the moving
    ones. With fix_gamma (MXNet's default) gamma counts as 1, whatever is stored in it.

    ONNX: BatchNormalization.
    """

    saves: ClassVar[float] = 1.5
    eps: float = 1e-3
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    axis: int = 1
    cudnn_off: bool = False
    min_calib_range: float | None = None
    max_calib_range: float | None = None


@operator("_contrib_BatchNormWithReLU")
class BatchNormWithReLU(BatchNorm):
    """`BatchNorm` of data, with 0 in place of negative results.

    ONNX: BatchNormalization and Relu.
    """

    def counted(self) -> int:
        return 4

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        y, mean, inverse = super().forward(*inputs)
        return np.maximum(y, 0), mean, inverse

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        head = None if dy[0] is None else dy[0] * (y[0] > 0)
        return super().gradient(F, (head, dy[1], dy[2]), y, *inputs)


@operator("BatchNorm_v1")
class BatchNormV1(_OverBatch):
    """`BatchNorm` over axis 1, as old files call it.

    Inputs:
        data: (N, C, *spatial).

    ONNX: BatchNormalization.
    """

    saves: ClassVar[float] = 4.0
    axis: ClassVar[int] = 1  # type: ignore[misc]
    eps: float = 1e-3
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False


@operator("_contrib_SyncBatchNorm")
class SyncBatchNorm(_OverBatch):
    """`BatchNorm` over the batches of several devices, of which there is one here.

    Inputs:
        data: (N, C, *spatial).

    Attributes:
        output_mean_var: Whether the outputs mean and var are shown.
        ndev: The number of devices, which can only be 1.
        key: The layer's name among devices; without effect.

    Returns:
        var: (C,), the variance; only with output_mean_var.

    ONNX: BatchNormalization.
    """

    saves: ClassVar[float] = 4.0
    axis: ClassVar[int] = 1  # type: ignore[misc]
    eps: float = 1e-3
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    ndev: int = 1
    key: str

    def check(self) -> None:
        if self.ndev != 1:
            raise AttributeValueError(
                f"_contrib_SyncBatchNorm: ndev=1 is required, got {self.ndev}. "
                "Statistics are not exchanged between devices here."
            )

    def statistics(self, mean: Array, var: Array, inverse: Array) -> tuple[Array, Array]:
        return mean.copy(), var.copy()

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        inverse = F.rsqrt(y[2] + self.eps)
        d_inverse = None if dy[2] is None else -2 * dy[2] / (inverse * inverse * inverse)
        return super().gradient(F, (dy[0], dy[1], d_inverse), (y[0], y[1], inverse), *inputs)

    def batch_variance(self, F: Any, y: Any) -> Any:
        return y[2]


# ---- over a layer, an instance, a group


@operator("LayerNorm", "_npx_layer_norm")
class LayerNorm(Operator):
    """`data` with mean 0 and variance 1 along `axis`, times gamma plus beta.

    Inputs:
        data: An array with C elements along axis.
        gamma: (C,), a factor.
        beta: (C,), a summand.

    Attributes:
        axis: The axis that is normalized; negative ones count from the last.
        eps: What is added to the variance before its root.
        output_mean_var: Whether the outputs mean and std are shown.

    Returns:
        output: The shape of data.
        mean: The shape of data with 1 at axis; only with output_mean_var.
        std: sqrt(variance + eps), in the shape of mean; only with output_mean_var.

    ONNX: LayerNormalization; ReduceMean, Sub, Mul and Div for other axes than the last.
    """

    cheap: ClassVar[bool] = True
    saves: ClassVar[float] = 3.0
    gradient_saves: ClassVar[float] = 1.0
    inputs: ClassVar[tuple[str, ...]] = ("data", "gamma", "beta")
    outputs: ClassVar[tuple[str, ...]] = ("output", "mean", "std")
    takes_ints: ClassVar[bool] = False
    axis: int = -1
    eps: float = 1e-5
    output_mean_var: bool = False

    def visible(self) -> int:
        return 3 if self.output_mean_var else 1

    def infer_inputs(
        self, data: Shape | None, gamma: Shape | None, beta: Shape | None
    ) -> Sequence[Shape | None]:
        if data is None:
            return data, unify(self.names[0], gamma, beta), unify(self.names[0], gamma, beta)
        size = data[axis_index(self.names[0], self.axis, len(data))]
        return data, (size,), (size,)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        return outputs[0], *inputs[1:]

    def infer_shape(self, data: Shape, gamma: Shape, beta: Shape) -> list[Shape]:
        axis = axis_index(self.names[0], self.axis, len(data))
        stats = tuple(1 if i == axis else d for i, d in enumerate(data))
        return [data, stats, stats]

    def forward(self, data: Array, gamma: Array, beta: Array) -> tuple[Array, ...]:
        axis, x = axis_index(self.names[0], self.axis, data.ndim), _wide(data)
        centred, mean, var = _moments(x, (axis,))
        std = np.sqrt(var + x.dtype.type(self.eps))
        centred /= std
        y = _affine(centred, along(gamma, data.ndim, axis), along(beta, data.ndim, axis))
        return tuple(a.astype(data.dtype, copy=False) for a in (y, mean, std))

    @computed_wide
    def gradient(self, F: Any, dy: Any, y: Any, data: Any, gamma: Any, beta: Any) -> Sequence[Any]:
        inverse = 1 / y[2]
        centred = data - y[1]
        stats = dy[1], -dy[2] * y[2] * y[2]
        scaled = F._scale_shift(dy[0], gamma, axis=self.axis, no_shift=True)
        dx = _normalized_gradient(F, scaled, stats, centred, inverse, {"axis": (self.axis,)})
        d_gamma = F.sum(dy[0] * centred * inverse, axis=(self.axis,), exclude=True)
        return dx, d_gamma, F.sum(dy[0], axis=(self.axis,), exclude=True)


def _spatial(owner: str, data: Shape) -> tuple[int, ...]:
    """The axes after (N, C)."""
    if len(data) < 3:
        raise ShapeError(f"{owner}: data (N, C, *spatial) of at least 3 axes is required, got {show(data)}.")
    return tuple(range(2, len(data)))


@operator("InstanceNorm")
class InstanceNorm(Operator):
    """Each channel of each instance of `data` with mean 0 and variance 1, times gamma plus beta.

    Inputs:
        data: (N, C, *spatial).
        gamma: (C,), each channel's factor.
        beta: (C,), each channel's summand.

    Attributes:
        eps: What is added to the variance before its root.

    Returns:
        The shape of data.

    ONNX: InstanceNormalization.
    """

    cheap: ClassVar[bool] = True
    gradient_saves: ClassVar[float] = 2.5
    inputs: ClassVar[tuple[str, ...]] = ("data", "gamma", "beta")
    outputs: ClassVar[tuple[str, ...]] = ("output", "mean", "var")
    takes_ints: ClassVar[bool] = False
    hidden: ClassVar[int] = 2
    eps: float = 1e-3

    def infer_inputs(
        self, data: Shape | None, gamma: Shape | None, beta: Shape | None
    ) -> Sequence[Shape | None]:
        if data is None:
            return data, unify(self.names[0], gamma, beta), unify(self.names[0], gamma, beta)
        _spatial(self.names[0], data)
        return data, (data[1],), (data[1],)

    def infer_shape(self, data: Shape, gamma: Shape, beta: Shape) -> list[Shape]:
        stats = (*data[:2], *[1] * len(_spatial(self.names[0], data)))
        return [data, stats, stats]

    def forward(self, data: Array, gamma: Array, beta: Array) -> tuple[Array, ...]:
        x = _wide(data)
        centred, mean, var = _moments(x, _spatial(self.names[0], data.shape))
        inverse = 1 / np.sqrt(var + x.dtype.type(self.eps))
        y = _affine(centred, inverse * along(gamma, data.ndim, 1), along(beta, data.ndim, 1))
        return tuple(a.astype(data.dtype, copy=False) for a in (y, mean, inverse))

    @computed_wide
    def gradient(self, F: Any, dy: Any, y: Any, data: Any, gamma: Any, beta: Any) -> Sequence[Any]:
        centred = data - y[1]
        scaled = F._scale_shift(dy[0], gamma, no_shift=True)
        over = {"axis": (0, 1), "exclude": True}
        dx = _normalized_gradient(F, scaled, dy[1:], centred, y[2], over)
        d_gamma = F.sum(dy[0] * centred * y[2], axis=(1,), exclude=True)
        return dx, d_gamma, F.sum(dy[0], axis=(1,), exclude=True)


@operator("GroupNorm")
class GroupNorm(Operator):
    """Each group of channels of each instance of `data` with mean 0 and variance 1, times gamma plus beta.

    As in MXNet there is one number of gamma and beta for a group, not for a channel.

    Inputs:
        data: (N, C, *spatial).
        gamma: (num_groups,), each group's factor.
        beta: (num_groups,), each group's summand.

    Attributes:
        num_groups: The number of groups of neighbouring channels, which must divide C.
        eps: What is added to the variance before its root.
        output_mean_var: Whether the outputs mean and std are shown.

    Returns:
        output: The shape of data.
        mean: (N, num_groups); only with output_mean_var.
        std: (N, num_groups), sqrt(variance + eps); only with output_mean_var.

    ONNX: InstanceNormalization, with Reshape.
    """

    cheap: ClassVar[bool] = True
    gradient_saves: ClassVar[float] = 2.0
    inputs: ClassVar[tuple[str, ...]] = ("data", "gamma", "beta")
    outputs: ClassVar[tuple[str, ...]] = ("output", "mean", "std")
    takes_ints: ClassVar[bool] = False
    num_groups: int = 1
    eps: float = 1e-5
    output_mean_var: bool = False

    def visible(self) -> int:
        return 3 if self.output_mean_var else 1

    def check(self) -> None:
        if self.num_groups < 1:
            raise AttributeValueError(
                f"GroupNorm: num_groups of at least 1 is required, got {self.num_groups}."
            )

    def infer_inputs(
        self, data: Shape | None, gamma: Shape | None, beta: Shape | None
    ) -> Sequence[Shape | None]:
        return data, (self.num_groups,), (self.num_groups,)

    def infer_shape(self, data: Shape, gamma: Shape, beta: Shape) -> list[Shape]:
        _spatial(self.names[0], data)
        if data[1] is not None and (data[1] == 0 or differ(data[1] % self.num_groups, 0)):
            raise ShapeError(
                f"GroupNorm: channels divisible into num_groups={self.num_groups} are required, "
                f"got data {show(data)}."
            )
        stats: Shape = (data[0], self.num_groups)
        return [data, stats, stats]

    def forward(self, data: Array, gamma: Array, beta: Array) -> tuple[Array, ...]:
        groups = _wide(data).reshape(len(data), self.num_groups, prod(data.shape[1:]) // self.num_groups)
        centred, mean, var = _moments(groups, (2,))
        std = np.sqrt(var + groups.dtype.type(self.eps))
        centred /= std
        y = _affine(centred, gamma[:, None], beta[:, None])
        outputs = y.reshape(data.shape), mean[:, :, 0], std[:, :, 0]
        return tuple(a.astype(data.dtype, copy=False) for a in outputs)

    @computed_wide
    def gradient(self, F: Any, dy: Any, y: Any, data: Any, gamma: Any, beta: Any) -> Sequence[Any]:
        groups, dy_groups = (F.reshape(a, shape=(0, self.num_groups, -1)) for a in (data, dy[0]))
        mean, std, d_mean, d_std = (F.expand_dims(a, axis=2) for a in (*y[1:], *dy[1:]))
        inverse, centred = 1 / std, groups - mean
        scaled = F._scale_shift(dy_groups, gamma, no_shift=True)
        stats = d_mean, -d_std * std * std
        dx = _normalized_gradient(F, scaled, stats, centred, inverse, {"axis": (2,)})
        d_gamma = F.sum(dy_groups * centred * inverse, axis=(1,), exclude=True)
        return F.reshape_like(dx, data), d_gamma, F.sum(dy_groups, axis=(1,), exclude=True)


# ---- by length


@operator("L2Normalization")
class L2Normalization(Operator):
    """`data` divided by the length of its vectors: sqrt(sum of squares + eps).

    Inputs:
        data: (N, C, *spatial).

    Attributes:
        eps: What is added to the sum of squares before its root.
        mode: What a vector is: "instance" all elements of an instance, "channel" the channels at one
            position, "spatial" the positions of one channel.

    Returns:
        The shape of data.

    ONNX: Mul, ReduceSum, Sqrt and Div.
    """

    cheap: ClassVar[bool] = True
    outputs: ClassVar[tuple[str, ...]] = ("output", "norm")
    takes_ints: ClassVar[bool] = False
    hidden: ClassVar[int] = 1
    eps: float = 1e-10
    mode: Literal["channel", "instance", "spatial"] = "instance"

    def over(self) -> dict[str, Any]:
        """The axes of a vector, as a reduction takes them."""
        if self.mode == "channel":
            return {"axis": (1,)}
        return {"axis": (0,) if self.mode == "instance" else (0, 1), "exclude": True}

    def axes(self, data: Sequence[Dim]) -> tuple[int, ...]:
        """The axes of a vector."""
        if len(data) < 2 or (self.mode != "instance" and len(data) < 3):
            raise ShapeError(
                f"L2Normalization: data of at least {2 if self.mode == 'instance' else 3} axes is required "
                f"for mode={self.mode}, got {show(tuple(data))}."
            )
        over = self.over()
        return axis_indices(self.names[0], over["axis"], len(data), over.get("exclude", False))

    def infer_shape(self, data: Shape) -> list[Shape]:
        axes = self.axes(data)
        return [data, tuple(1 if i in axes else d for i, d in enumerate(data))]

    def forward(self, data: Array) -> tuple[Array, ...]:
        x = _wide(data)
        norm = np.sqrt(np.square(x).sum(self.axes(data.shape), keepdims=True) + x.dtype.type(self.eps))
        return (x / norm).astype(data.dtype, copy=False), norm.astype(data.dtype, copy=False)

    @computed_wide
    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        out, norm = y
        along = F.sum(dy[0] * out, keepdims=True, **self.over()) / norm
        return (dy[0] / norm + out * (dy[1] - along),)


# ---- by neighbouring channels


@operator("_channel_window_sum")
class ChannelWindowSum(Operator):
    """Each channel of `data` replaced by the sum of the channels around it.

    Inputs:
        data: (N, C, *spatial).

    Attributes:
        nsize: The odd number of channels that are summed, the channel itself in the middle; fewer at the
            ends.

    Returns:
        The shape of data.

    ONNX: Pad, Slice and Add.
    """

    elementwise: ClassVar[bool] = True
    nsize: int = 1

    def check(self) -> None:
        _require_odd("_channel_window_sum", self.nsize)

    def check_shape(self, shape: Shape) -> None:
        require_axes(self.names[0], shape, 2)

    def forward(self, data: Array) -> Array:
        return _window_sum(data, self.nsize)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        return (F._channel_window_sum(dy, nsize=self.nsize),)


def _require_odd(owner: str, nsize: int) -> None:
    if nsize < 1 or nsize % 2 == 0:
        raise AttributeValueError(f"{owner}: an odd nsize is required, got {nsize}.")


def _window_sum(data: Array, size: int) -> Array:
    channels = data.shape[1]
    total = data.copy()
    for k in range(1, min(size // 2 + 1, channels)):
        total[:, k:] += data[:, : channels - k]
        total[:, : channels - k] += data[:, k:]
    return total


@operator("LRN")
class LRN(Operator):
    """`data` times (knorm + alpha / nsize * S) ** -beta, S the sum of squares of the channels around.

    Inputs:
        data: (N, C, *spatial).

    Attributes:
        alpha: The factor of the mean of squares.
        beta: The exponent.
        knorm: What is added to that mean.
        nsize: The odd number of channels that are summed, the channel itself in the middle; fewer at the
            ends.

    Returns:
        The shape of data.

    ONNX: LRN.
    """

    outputs: ClassVar[tuple[str, ...]] = ("output", "tmp_norm")
    takes_ints: ClassVar[bool] = False
    hidden: ClassVar[int] = 1
    alpha: float = 1e-4
    beta: float = 0.75
    knorm: float = 2.0
    nsize: int

    def check(self) -> None:
        _require_odd("LRN", self.nsize)

    def infer_shape(self, data: Shape) -> list[Shape]:
        if len(data) < 2:
            raise ShapeError(f"LRN: data (N, C, *spatial) is required, got {show(data)}.")
        return [data, data]

    def forward(self, data: Array) -> tuple[Array, ...]:
        x = _wide(data)
        norm = self.knorm + (self.alpha / self.nsize) * _window_sum(np.square(x), self.nsize)
        y = x * norm**-self.beta
        return y.astype(data.dtype, copy=False), norm.astype(data.dtype, copy=False)

    def gradient(self, F: Any, dy: Any, y: Any, data: Any) -> Sequence[Any]:
        norm = y[1]
        power = norm**-self.beta
        d_norm = dy[1] - dy[0] * data * power / norm * self.beta
        window = F._channel_window_sum(d_norm, nsize=self.nsize)
        return (dy[0] * power + data * window * (2 * self.alpha / self.nsize),)
