"""Operators on integers of 8 bits with ranges: what MXNet's quantized models are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, ClassVar, Literal

import numpy as np

from ..attrs import DTypeName
from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._convolution import convolve
from ._indices import within
from ._operator import Array
from ._quantization import (
    BYTES,
    FLOAT32,
    INT8,
    INT32,
    INT32_STEPS,
    RANGE,
    STEPS,
    UINT8,
    Calibrated,
    Quantized,
    over,
    product_size,
    require_dtype,
    rounded,
    rounded32,
    single,
    size_of,
    times,
    with_bias,
)
from ._registry import operator
from ._shapes import Shape, show, size, unify
from .conv import _Forward
from .dense import FullyConnected
from .join import Concat
from .pool import Pooling, _Pool

_LAYOUTS = (None, "NCHW", "NCDHW")


def _require_layout(owner: str, layout: str | None, axes: int) -> None:
    """Raise `AttributeValueError` unless the windows have 2 or 3 axes behind the channels, as in MXNet."""
    if layout not in _LAYOUTS or axes == 1:
        raise AttributeValueError(
            f"{owner}: layout NCHW or NCDHW and a kernel of 2 or 3 axes are required, got layout {layout}, "
            f"{axes} axes. Transpose the data, or compute in float32."
        )


@operator("_contrib_quantized_flatten")
class QuantizedFlatten(Quantized):
    """Integers as a matrix, with all axes but the first made one.

    Inputs:
        data: (N, *rest), int8 or uint8.
        min_data: (1,), the lower end of their range.
        max_data: (1,), its upper end.

    Returns:
        output: (N, the size of rest).

    ONNX: Flatten.
    """

    replaces: ClassVar[str] = "Flatten"
    inputs: ClassVar[tuple[str, ...]] = ("data", "min_data", "max_data")

    def result_shape(self, data: Shape) -> Shape:
        if not data:
            raise ShapeError("_contrib_quantized_flatten: at least one axis is required, got ().")
        return data[0], size(data[1:])

    def forward(self, data: Array, low: Array, high: Array) -> tuple[Array, ...]:
        return data.reshape(len(data), prod(data.shape[1:])).copy(), low.copy(), high.copy()


@operator("_contrib_quantized_act")
class QuantizedAct(Quantized):
    """Zero in place of negative integers.

    Inputs:
        data: int8 or uint8 in any shape.
        min_data: (1,), the lower end of their range.
        max_data: (1,), its upper end.

    Attributes:
        act_type: The function, of which only "relu" is possible.

    Returns:
        output: The shape and dtype of data, with its range.

    ONNX: Max.
    """

    replaces: ClassVar[str] = "Activation"
    inputs: ClassVar[tuple[str, ...]] = ("data", "min_data", "max_data")
    act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"]

    def check(self) -> None:
        if self.act_type != "relu":
            raise AttributeValueError(
                f"_contrib_quantized_act: act_type relu is required, got {self.act_type}. Dequantize before."
            )

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The data's shape is the output's."""
        return outputs[0], *inputs[1:]

    def forward(self, data: Array, low: Array, high: Array) -> tuple[Array, ...]:
        return np.maximum(data, data.dtype.type(0)), low.copy(), high.copy()


@operator("_contrib_quantized_concat")
class QuantizedConcat(Quantized):
    """Arrays of integers one after the other along `dim`, brought to one range, which zero is in.

    Inputs:
        *data: Arrays of int8 or uint8 of one shape but along dim; then the ends of their ranges, (1,) each, a
            lower and an upper one for each array.

    Attributes:
        num_args: How many arrays are joined; a third of the inputs.
        dim: The axis that they are joined along; negative ones count from the last.

    Returns:
        output: The inputs' shape with the sum of their sizes along dim; uint8 if all are, else int8.

    ONNX: Mul, Round, Clip, Cast and Concat; Min and Max for the range.
    """

    replaces: ClassVar[str] = "Concat"
    variadic: ClassVar[str] = "num_args"
    inputs_each: ClassVar[int] = 3
    num_args: int
    dim: int = 1

    def check(self) -> None:
        self.joining()

    def joining(self) -> Concat:
        """The operator that joins what has one range."""
        return Concat.make({"num_args": self.num_args, "dim": self.dim})

    def input_names(self) -> tuple[str, ...]:
        names = [f"arg{i}" for i in range(self.num_args)]
        return *names, *(f"{name}_{end}" for name in names for end in ("min", "max"))

    def number_shapes(self, *shapes: Any) -> Sequence[Shape | None]:
        return self.joining().infer_inputs(*shapes)

    def result_shape(self, *shapes: Any) -> Shape:
        return self.joining().infer_shape(*shapes)

    def result_dtype(self, *dtypes: Any) -> DType | None:
        return _wider(*dtypes)

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        count = self.num_args
        lows, highs = inputs[count::2], inputs[count + 1 :: 2]
        dtype = _wider(*(x.dtype for x in inputs[:count])) or INT8
        (zero,) = single(0.0)
        low, high = np.minimum.reduce([zero, *lows]), np.maximum.reduce([zero, *highs])
        steps = over(np.float32(STEPS[dtype]), size_of(low, high))
        parts = []
        for x, *ends in zip(inputs[:count], lows, highs, strict=True):
            scale = over(steps, over(np.float32(STEPS[x.dtype]), size_of(*ends)))
            parts.append(rounded(times(x.astype(np.float32), scale), dtype))
        return np.concatenate(parts, self.dim), low, high


def _wider(*dtypes: DType | None) -> DType | None:
    """uint8 if all are, int8 if any is; None if that is not known."""
    if INT8 in dtypes:
        return INT8
    return None if None in dtypes else UINT8


# ---- elementwise


class _Pairwise(Calibrated, Quantized):
    """Two arrays of one shape.

    Inputs:
        lhs: int8 or uint8 in any shape.
        rhs: The same shape.
        lhs_min: (1,), the lower end of the range of lhs.
        lhs_max: (1,), its upper end.
        rhs_min: (1,), the lower end of the range of rhs.
        rhs_max: (1,), its upper end.

    Attributes:
        min_calib_range: The lower end of the output's range; without both ends the output is int32.
        max_calib_range: Its upper end.
    """

    sums: ClassVar[bool] = True
    inputs: ClassVar[tuple[str, ...]] = ("lhs", "rhs", "lhs_min", "lhs_max", "rhs_min", "rhs_max")

    def number_shapes(self, *shapes: Any) -> Sequence[Shape | None]:
        one = unify(self.names[0], *shapes)
        return one, one

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The shape of both is the output's."""
        return outputs[0], outputs[0], *inputs[2:]


@operator("_contrib_quantized_elemwise_add")
class QuantizedElemwiseAdd(_Pairwise):
    """The sum of two arrays of integers, each in its own range.

    Returns:
        output: int32, or with a calibrated range uint8 if both are, else int8. The range of int32 is the sum
            of the ranges' sizes.

    ONNX: Mul, Add, Round, Clip and Cast.
    """

    replaces: ClassVar[str] = "elemwise_add"
    min_calib_range: float | None = None
    max_calib_range: float | None = None

    def result_dtype(self, *dtypes: Any) -> DType | None:
        return _wider(*dtypes) if self.calibration() else INT32

    def forward(self, lhs: Array, rhs: Array, *ends: Array) -> tuple[Array, ...]:
        sizes = [size_of(*ends[:2]), size_of(*ends[2:])]
        dtype = self.result_dtype(lhs.dtype, rhs.dtype)
        if dtype is None or dtype == INT32:
            total = sizes[0] + sizes[1]
            factors = [
                over(times(np.float32(INT32_STEPS), s), total * np.float32(STEPS[x.dtype]))
                for x, s in zip((lhs, rhs), sizes, strict=True)
            ]
            return rounded32(_weighted(lhs, rhs, factors)), -total, total
        low, high = self.calibration()
        steps = over(np.float32(STEPS[dtype]), size_of(low, high))
        factors = [
            over(steps, over(np.float32(STEPS[x.dtype]), s)) for x, s in zip((lhs, rhs), sizes, strict=True)
        ]
        return rounded(_weighted(lhs, rhs, factors), dtype), low, high


def _weighted(lhs: Array, rhs: Array, factors: Sequence[Array]) -> Array:
    """The sum in float32 of two arrays times their factors."""
    a, b = (times(x.astype(np.float32), f) for x, f in zip((lhs, rhs), factors, strict=True))
    total: Array = a + b
    return total


@operator("_contrib_quantized_elemwise_mul")
class QuantizedElemwiseMul(_Pairwise):
    """The product of two arrays of int8, each in its own range.

    Attributes:
        enable_float_output: Whether the output is the numbers that the products stand for, without a range.

    Returns:
        output: int32; int8 with a calibrated range, cut off towards zero; float32 with enable_float_output.

    ONNX: Mul and Cast; with a calibrated range Sign, Abs, Floor, Round and Clip too.
    """

    replaces: ClassVar[str] = "elemwise_mul"
    takes_uint8: ClassVar[bool] = False
    min_calib_range: float | None = None
    max_calib_range: float | None = None
    enable_float_output: bool = False

    def output_names(self) -> tuple[str, ...]:
        return self.outputs[:1] if self.enable_float_output else self.outputs

    def number_dtypes(self, *dtypes: Any) -> Sequence[DType | None]:
        for name, dtype in zip(self.inputs, dtypes, strict=False):
            require_dtype(self.names[0], name, dtype, (INT8,))
        return INT8, INT8

    def infer_shape(self, *shapes: Any) -> Shape | list[Shape]:
        return shapes[0] if self.enable_float_output else [shapes[0], RANGE, RANGE]

    def infer_dtype(self, *_: Any) -> DType | list[DType | None]:
        if self.enable_float_output:
            return FLOAT32
        return [INT8 if self.calibration() else INT32, FLOAT32, FLOAT32]

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The shape of both is the output's."""
        return outputs[0], outputs[0], *inputs[2:]

    def forward(self, lhs: Array, rhs: Array, *ends: Array) -> Array | tuple[Array, ...]:
        products = lhs.astype(np.int32) * rhs.astype(np.int32)
        limits = self.calibration()
        if not self.enable_float_output and not limits:
            total = product_size(INT8, *ends)
            return products, -total, total
        steps = [over(np.float32(STEPS[INT8]), size_of(*pair)) for pair in (ends[:2], ends[2:])]
        level = times(*steps)
        if self.enable_float_output:
            return times(products.astype(np.float32), over(np.float32(1), level))
        scale = over(over(np.float32(STEPS[INT8]), size_of(*limits)), level)
        return rounded(np.trunc(times(products.astype(np.float32), scale)), INT8), *limits


# ---- layers


@operator("_contrib_quantized_embedding")
class QuantizedEmbedding(Quantized):
    """The rows of int8 numbers at the indices `data`.

    Inputs:
        data: Indices of any shape and dtype, truncated towards zero and moved into [0, input_dim).
        weight: (input_dim, output_dim), int8.
        min_weight: (1,), the lower end of the range of weight.
        max_weight: (1,), its upper end.

    Attributes:
        input_dim: The number of rows, the vocabulary's size.
        output_dim: The length of each row.
        dtype: Accepted for MXNet's sake; without effect.
        sparse_grad: Accepted for MXNet's sake; without effect.

    Returns:
        output: (*data's shape, output_dim), with the range of weight.

    ONNX: Gather, with Clip.
    """

    replaces: ClassVar[str] = "Embedding"
    floating: ClassVar[tuple[str, ...]] = ("data",)
    inputs: ClassVar[tuple[str, ...]] = ("data", "weight", "min_weight", "max_weight")
    input_dim: int
    output_dim: int
    dtype: DTypeName = DTypeName("float32")
    sparse_grad: bool = False

    def infer_inputs(self, data: Shape | None, *_: Shape | None) -> Sequence[Shape | None]:
        return data, (self.input_dim, self.output_dim), RANGE, RANGE

    def infer_shape(self, data: Shape, *_: Shape) -> list[Shape]:
        return [(*data, self.output_dim), RANGE, RANGE]

    def infer_input_dtypes(self, data: Any, *others: Any) -> Sequence[DType | None]:
        for name, dtype, allowed in zip(self.inputs[1:], others, (INT8, FLOAT32, FLOAT32), strict=True):
            require_dtype(self.names[0], name, dtype, (allowed,))
        return data, INT8, FLOAT32, FLOAT32

    def infer_dtype(self, *_: Any) -> list[DType | None]:
        return [INT8, FLOAT32, FLOAT32]

    def forward(self, data: Array, weight: Array, low: Array, high: Array) -> tuple[Array, ...]:
        rows = np.take(weight, within(self.names[0], data, self.input_dim, "clip"), 0)
        return rows, low.copy(), high.copy()


class _Layer(Quantized):
    """Sums of products of data with int8 weights, plus an int8 bias.

    Inputs:
        min_data: (1,), the lower end of the range of data.
        max_data: (1,), its upper end.
        min_weight: (1,), the lower end of the range of weight.
        max_weight: (1,), its upper end.
        min_bias: (1,), the lower end of the range of bias; absent with `no_bias`, as max_bias is.
        max_bias: (1,), its upper end.
    """

    replaces_alone: ClassVar[bool] = True
    sums: ClassVar[bool] = True
    inputs: ClassVar[tuple[str, ...]] = (
        *("data", "weight", "bias"),
        *("min_data", "max_data", "min_weight", "max_weight", "min_bias", "max_bias"),
    )
    skips: ClassVar[Mapping[str, tuple[str, ...]]] = {"no_bias": ("bias", "min_bias", "max_bias")}

    def names_without(self, no_bias: bool) -> tuple[str, ...]:
        """The inputs' names."""
        return tuple(n for n in self.inputs if not no_bias or "bias" not in n)

    def number_dtypes(self, *dtypes: Any) -> Sequence[DType | None]:
        for name, dtype, allowed in zip(self.inputs, dtypes, (BYTES, (INT8,), (INT8,)), strict=False):
            require_dtype(self.names[0], name, dtype, allowed)
        return dtypes[0], *(INT8 for _ in dtypes[1:])

    def result_dtype(self, *_: Any) -> DType:
        return INT32

    def completed(self, sums: Array, inputs: Sequence[Array], behind: int) -> tuple[Array, ...]:
        """The sums with the bias, which has `behind` axes behind its own, and their range."""
        count = len(inputs) // 3
        data, ends = inputs[0], inputs[count:]
        if count == 3:
            bias = inputs[2].reshape(-1, *(1 for _ in range(behind)))
            sizes = [size_of(*ends[i : i + 2]) for i in (0, 2, 4)]
            sums = with_bias(sums, bias, data.dtype, sizes)
        total = product_size(data.dtype, *ends[:4])
        return sums, -total, total


@operator("_contrib_quantized_fully_connected")
class QuantizedFullyConnected(_Layer):
    """A fully connected layer on integers: `data` times the transposed `weight`, plus `bias`.

    Inputs:
        data: (N, ...), seen as (N, D), int8 or uint8; without `flatten` (..., D).
        weight: (num_hidden, D), int8.
        bias: (num_hidden,), int8; absent with `no_bias`.

    Attributes:
        num_hidden: The number of outputs for each row.
        no_bias: Whether there is no `bias`.
        flatten: Whether all axes but the first are taken as one, not the last axis alone.

    Returns:
        output: (N, num_hidden), without `flatten` (..., num_hidden), int32.

    ONNX: MatMulInteger of uint8; with a bias Mul, Cast, Add, Round and Clip in float32.
    """

    replaces: ClassVar[str] = "FullyConnected"
    num_hidden: int
    no_bias: bool = False
    flatten: bool = True

    def check(self) -> None:
        self.layer()

    def layer(self) -> FullyConnected:
        """The layer of floating-point numbers."""
        return FullyConnected.make(self.attributes())

    def input_names(self) -> tuple[str, ...]:
        return self.names_without(self.no_bias)

    def number_shapes(self, *shapes: Any) -> Sequence[Shape | None]:
        return self.layer().infer_inputs(*shapes)

    def result_shape(self, data: Shape, *_: Shape) -> Shape:
        return self.layer().infer_shape(data)

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        data, weight = inputs[:2]
        rows = data.reshape(len(data), prod(data.shape[1:])) if self.flatten else data
        sums = np.matmul(rows.astype(np.float64), weight.T.astype(np.float64)).astype(np.int32)
        return self.completed(sums, inputs, 0)


@operator("_contrib_quantized_conv")
class QuantizedConv(_Layer, _Forward):
    """Convolution of integers with int8 filters, plus `bias`, over 2 or 3 axes.

    Inputs:
        data: (N, C, *spatial), int8 or uint8.
        weight: (num_filter, C, *kernel), int8.
        bias: (num_filter,), int8; absent with `no_bias`.

    Attributes:
        num_group: The number of groups, 1.
        layout: The axes' order, NCHW or NCDHW.

    Returns:
        output: (N, num_filter, *out), int32.

    ONNX: ConvInteger of uint8; with a bias Mul, Cast, Add, Round and Clip in float32.
    """

    replaces: ClassVar[str] = "Convolution"
    num_filter: int
    num_group: int = 1
    workspace: int = 1024
    no_bias: bool = False
    cudnn_tune: Literal["None", "fastest", "limited_workspace", "off"] | None = None
    cudnn_off: bool = False
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None

    def check(self) -> None:
        super().check()
        _require_layout(self.names[0], self.layout, len(self.kernel))
        if self.num_group != 1:
            raise AttributeValueError(
                f"_contrib_quantized_conv: num_group 1 is required, got {self.num_group}. Compute in float32."
            )

    def input_names(self) -> tuple[str, ...]:
        return self.names_without(self.no_bias)

    def infer_input_dtypes(self, *dtypes: Any, **_: Any) -> Sequence[DType | None]:
        return _Layer.infer_input_dtypes(self, *dtypes)

    def number_shapes(self, data: Shape | None, *others: Shape | None) -> Sequence[Shape | None]:
        if data is None:
            return (None, *others)
        return (data, self.weight_shape(data), (self.num_filter,))[: 1 + len(others)]

    def result_shape(self, data: Shape, *_: Shape) -> Shape:
        return self.convolved(data)

    def forward(self, *inputs: Array) -> tuple[Array, ...]:
        data, weight = (x.astype(np.float64) for x in inputs[:2])
        return self.completed(
            convolve(self.windows(), data, weight).astype(np.int32), inputs, len(self.kernel)
        )


@operator("_contrib_quantized_pooling")
class QuantizedPooling(Quantized, _Pool):
    """The maximum or the mean of each window of integers.

    Means are rounded to the nearest integer, even ones of two. Unless `count_include_pad` is False they
    divide by the kernel's size everywhere.

    Inputs:
        data: (N, C, *spatial) of 2 or 3 spatial axes, int8 or uint8.
        min_data: (1,), the lower end of their range.
        max_data: (1,), its upper end.

    Attributes:
        pool_type: What becomes of a window: "avg" its mean, "max" its maximum; others are not possible.
        layout: The order of the axes, NCHW or NCDHW.

    Returns:
        output: (N, C, *out) with the range of data, where out = floor((n + 2 pad - kernel) / stride) + 1,
            rounded up by "full"; 1 with global_pool.

    ONNX: MaxPool, or AveragePool, Mul, Round and Div; Cast before and after.
    """

    replaces: ClassVar[str] = "Pooling"
    inputs: ClassVar[tuple[str, ...]] = ("data", "min_data", "max_data")

    def check(self) -> None:
        _require_layout(self.names[0], self.layout, len(self.kernel))
        if self.pool_type not in ("avg", "max"):
            raise AttributeValueError(
                f"_contrib_quantized_pooling: pool_type avg or max is required, got {self.pool_type}. "
                "Dequantize before."
            )
        super().check()

    def infer_input_dtypes(self, *dtypes: Any, **_: Any) -> Sequence[DType | None]:
        return Quantized.infer_input_dtypes(self, *dtypes)

    def result_shape(self, data: Shape) -> Shape:
        if len(data) not in (4, 5):
            raise ShapeError(
                f"_contrib_quantized_pooling: data with 4 or 5 axes is required, got {show(data)}."
            )
        return self.pooled(data)

    def inner(self) -> Pooling:
        """The pooling of floating-point numbers that gives the maxima, or the sums."""
        return Pooling.make({**self.attributes(), "pool_type": "max" if self.pool_type == "max" else "sum"})

    def counts(self, data: Sequence[int]) -> Array:
        """How many numbers the mean of each window of data of this shape counts, to be broadcast."""
        at = self.placed(data)
        return np.asarray(prod(at.kernel) if self.counts_pad() else self.divisor(at), np.float32)

    def forward(self, data: Array, low: Array, high: Array) -> tuple[Array, ...]:
        y = self.inner().forward(data.astype(np.float32))
        if self.pool_type == "avg":
            y = np.rint(y / self.counts(data.shape))
        y = np.maximum(y, np.iinfo(data.dtype).min)  # of a window in the padding alone
        return y.astype(data.dtype), low.copy(), high.copy()


@operator("_contrib_quantized_batch_norm")
class QuantizedBatchNorm(Calibrated, Quantized):
    """Batch normalization of integers by the moving mean and variance, to int8 in a calibrated range.

    Inputs:
        data: (N, C, *rest), int8 or uint8.
        gamma: (C,), the factor of each channel, float32.
        beta: (C,), what is added to each channel.
        moving_mean: (C,), the mean of each channel.
        moving_var: (C,), the variance of each channel.
        min_data: (1,), the lower end of the range of data.
        max_data: (1,), its upper end.

    Attributes:
        eps: What is added to the variances.
        momentum: Accepted for MXNet's sake; without effect, as the states stay.
        fix_gamma: Whether gamma counts as 1.
        use_global_stats: Accepted for MXNet's sake; without effect.
        output_mean_var: Accepted for MXNet's sake; without effect.
        axis: The axis of the channels, 1.
        cudnn_off: Accepted for MXNet's sake; without effect.
        min_calib_range: The lower end of the output's range, required.
        max_calib_range: Its upper end, required.

    Returns:
        output: The shape of data, int8.

    ONNX: Mul, Add, Sqrt, Div, Round, Clip and Cast.
    """

    replaces: ClassVar[str] = "BatchNorm"
    floating: ClassVar[tuple[str, ...]] = ("gamma", "beta", "moving_mean", "moving_var")
    inputs: ClassVar[tuple[str, ...]] = (
        *("data", "gamma", "beta", "moving_mean", "moving_var"),
        *("min_data", "max_data"),
    )
    aux: ClassVar[tuple[str, ...]] = ("moving_mean", "moving_var")
    eps: float = 0.0010000000474974513
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    axis: int = 1
    cudnn_off: bool = False
    min_calib_range: float | None = None
    max_calib_range: float | None = None

    def check(self) -> None:
        super().check()
        if self.axis != 1:
            raise AttributeValueError(f"_contrib_quantized_batch_norm: axis 1 is required, got {self.axis}.")

    def infer_inputs(self, data: Shape | None, *others: Any) -> Sequence[Shape | None]:
        if data is None:
            return (None, *others[:4], RANGE, RANGE)
        if len(data) < 2:
            raise ShapeError(
                f"_contrib_quantized_batch_norm: data with 2 axes or more is required, got {show(data)}."
            )
        return (data, *((data[1],) for _ in range(4)), RANGE, RANGE)

    def infer_back(
        self, outputs: Sequence[Shape | None], inputs: Sequence[Shape | None]
    ) -> Sequence[Shape | None]:
        """The data's shape is the output's."""
        return outputs[0], *inputs[1:]

    def infer_shape(self, data: Shape, *_: Shape) -> list[Shape]:
        return [data, RANGE, RANGE]

    def infer_input_dtypes(self, data: Any, *others: Any) -> Sequence[DType | None]:
        require_dtype(self.names[0], "data", data)
        for name, dtype in zip(self.inputs[1:], others, strict=True):
            require_dtype(self.names[0], name, dtype, (FLOAT32,))
        return data, *(FLOAT32 for _ in others)

    def infer_dtype(self, *_: Any) -> list[DType | None]:
        return [INT8, FLOAT32, FLOAT32]

    def updated(self, F: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        """Quantized models are not trained."""
        return inputs[3], inputs[4]

    def forward(self, data: Array, *others: Array) -> tuple[Array, ...]:
        gamma, beta, mean, variance = others[:4]
        deviation = np.sqrt(variance + np.float32(self.eps))
        slope = over(np.ones_like(gamma) if self.fix_gamma else gamma, deviation)
        low, high = self.required_calibration()
        steps = over(np.float32(STEPS[INT8]), size_of(low, high))
        scale = times(times(slope, over(size_of(*others[4:]), np.float32(STEPS[data.dtype]))), steps)
        shift = times(beta - mean * slope, steps)
        along = (-1, *(1 for _ in data.shape[2:]))
        y = times(data.astype(np.float32), scale.reshape(along)) + shift.reshape(along)
        return rounded(y, INT8), low, high
