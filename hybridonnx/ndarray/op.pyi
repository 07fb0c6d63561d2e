# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from typing import Any, Literal, overload
from ..dtypes import DTypeLike
from .ndarray import NDArray

def Activation(
    data: NDArray,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'],
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape through a function; softrelu is log(1 + exp(x)), softsign x / (1 + |x|)."""
    ...
@overload
def BatchNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    *,
    output_mean_var: Literal[True],
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """`data` (N, C, *spatial) with each channel's mean 0 and variance 1, times gamma (C,) plus beta (C,)."""
    ...
@overload
def BatchNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: Literal[False] = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, C, *spatial) with each channel's mean 0 and variance 1, times gamma (C,) plus beta (C,)."""
    ...
@overload
def BatchNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray | list[NDArray]:
    """`data` (N, C, *spatial) with each channel's mean 0 and variance 1, times gamma (C,) plus beta (C,)."""
    ...
@overload
def BatchNorm_v1(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    *,
    output_mean_var: Literal[True],
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """`BatchNorm` of data (N, C, *spatial), as old files call it."""
    ...
@overload
def BatchNorm_v1(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: Literal[False] = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`BatchNorm` of data (N, C, *spatial), as old files call it."""
    ...
@overload
def BatchNorm_v1(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray | list[NDArray]:
    """`BatchNorm` of data (N, C, *spatial), as old files call it."""
    ...
def BlockGrad(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def CTCLoss(
    data: NDArray,
    label: NDArray,
    data_lengths: NDArray | None = None,
    label_lengths: NDArray | None = None,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: Literal['first', 'last'] = 'first',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The losses (N,) of scores `data` (T, N, C), one of whose classes is blank, for `label` (N, L)."""
    ...
def Cast(
    data: NDArray,
    dtype: DTypeLike,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape as `dtype`, real numbers truncated towards zero to whole ones."""
    ...
def Concat(
    *data: NDArray | Sequence[NDArray],
    num_args: int | None = None,
    dim: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The inputs one after the other along `dim`."""
    ...
def Convolution(
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    num_filter: int = ...,
    num_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    cudnn_tune: Literal['fastest', 'limited_workspace', 'off'] | None = None,
    cudnn_off: bool = False,
    layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC'] | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Convolution of data (N, C, *spatial) with weight (num_filter, C / num_group, *kernel)."""
    ...
def Convolution_v1(
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    num_filter: int = ...,
    num_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    cudnn_tune: Literal['fastest', 'limited_workspace', 'off'] | None = None,
    cudnn_off: bool = False,
    layout: Literal['NCDHW', 'NCHW', 'NDHWC', 'NHWC'] | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Convolution of data (N, C, *spatial) as files of MXNet's first versions may call it."""
    ...
def Crop(
    *data: NDArray | Sequence[NDArray],
    num_args: int | None = None,
    offset: int | Sequence[int] = (0, 0),
    h_w: int | Sequence[int] = (0, 0),
    center_crop: bool = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The first input (N, C, H, W) cropped to `h_w`, or to the height and width of the second."""
    ...
def Custom(
    *data: NDArray,
    op_type: str,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
    **kwargs: object,
) -> Any:
    """The arrays that an operator registered as `op_type` takes to those that it makes."""
    ...
def Deconvolution(
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    adj: int | Sequence[int] = (),
    target_shape: int | Sequence[int] = (),
    num_filter: int = ...,
    num_group: int = 1,
    workspace: int = 512,
    no_bias: bool = True,
    cudnn_tune: Literal['fastest', 'limited_workspace', 'off'] | None = None,
    cudnn_off: bool = False,
    layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC'] | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Transposed convolution of data (N, C, *spatial) with weight (C, num_filter / num_group, *kernel)."""
    ...
def Dropout(
    data: NDArray,
    p: float = 0.5,
    mode: Literal['always', 'training'] = 'training',
    axes: int | Sequence[int] = (),
    cudnn_off: bool | None = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape with a part p of its elements 0 and the others divided by 1 - p."""
    ...
def ElementWiseSum(
    *data: NDArray | Sequence[NDArray],
    num_args: int | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum of `num_args` arrays of one shape."""
    ...
def Embedding(
    data: NDArray,
    weight: NDArray,
    input_dim: int,
    output_dim: int,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The rows of `weight` (input_dim, output_dim) at the indices `data`: (*data's shape, output_dim)."""
    ...
def Flatten(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, *rest) to (N, size of rest)."""
    ...
def FullyConnected(
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    num_hidden: int = ...,
    no_bias: bool = False,
    flatten: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Data (N, ...) seen as (N, D), times weight (num_hidden, D) transposed, plus bias (num_hidden,)."""
    ...
@overload
def GroupNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    num_groups: int = 1,
    eps: float = 1e-05,
    *,
    output_mean_var: Literal[True],
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """`data` (N, C, *spatial) with mean 0 and variance 1 in each of G = num_groups groups of channels, times"""
    ...
@overload
def GroupNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    num_groups: int = 1,
    eps: float = 1e-05,
    output_mean_var: Literal[False] = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, C, *spatial) with mean 0 and variance 1 in each of G = num_groups groups of channels, times"""
    ...
@overload
def GroupNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    num_groups: int = 1,
    eps: float = 1e-05,
    output_mean_var: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray | list[NDArray]:
    """`data` (N, C, *spatial) with mean 0 and variance 1 in each of G = num_groups groups of channels, times"""
    ...
def InstanceNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    eps: float = 0.001,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, C, *spatial) with mean 0 and variance 1 in each channel of each instance, times gamma (C,)"""
    ...
def L2Normalization(
    data: NDArray,
    eps: float = 1e-10,
    mode: Literal['channel', 'instance', 'spatial'] = 'instance',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, C, *spatial) divided by the length of its vectors: sqrt(sum of squares + eps)."""
    ...
def LRN(
    data: NDArray,
    alpha: float = 0.0001,
    beta: float = 0.75,
    knorm: float = 2.0,
    nsize: int = ...,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, C, *spatial) times (knorm + alpha / nsize * S) ** -beta, S the sum of the squares of the"""
    ...
@overload
def LayerNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    axis: int = -1,
    eps: float = 1e-05,
    *,
    output_mean_var: Literal[True],
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """`data` with mean 0 and variance 1 along `axis` of size C, times gamma (C,) plus beta (C,)."""
    ...
@overload
def LayerNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    axis: int = -1,
    eps: float = 1e-05,
    output_mean_var: Literal[False] = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with mean 0 and variance 1 along `axis` of size C, times gamma (C,) plus beta (C,)."""
    ...
@overload
def LayerNorm(
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    axis: int = -1,
    eps: float = 1e-05,
    output_mean_var: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray | list[NDArray]:
    """`data` with mean 0 and variance 1 along `axis` of size C, times gamma (C,) plus beta (C,)."""
    ...
@overload
def LeakyReLU(
    data: NDArray,
    gamma: NDArray | None = None,
    *,
    act_type: Literal['rrelu'],
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """`data` (N, C, *spatial) where it is positive; where it is not, the data times a slope, or a curve."""
    ...
@overload
def LeakyReLU(
    data: NDArray,
    gamma: NDArray | None = None,
    act_type: Literal['elu', 'gelu', 'leaky', 'prelu', 'selu'] = 'leaky',
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, C, *spatial) where it is positive; where it is not, the data times a slope, or a curve."""
    ...
def LinearRegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, *) as it is, whose gradient is that of half the squared difference to `label`."""
    ...
def LogisticRegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sigmoid of `data` (N, *), whose gradient is that of the binary cross entropy with `label`."""
    ...
def MAERegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, *) as it is, whose gradient is that of the absolute difference to `label`."""
    ...
def MakeLoss(
    data: NDArray,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: Literal['batch', 'null', 'valid'] = 'null',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape, unchanged; its gradient is `grad_scale`, whatever the gradient of the output."""
    ...
def Pad(
    data: NDArray,
    mode: Literal['constant', 'edge', 'reflect'],
    pad_width: int | Sequence[int],
    constant_value: float = 0.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, C, *spatial) of 4 or 5 axes with `pad_width` before and after each, filled by `mode`."""
    ...
def Pooling(
    data: NDArray,
    kernel: int | Sequence[int] = (),
    pool_type: Literal['avg', 'lp', 'max', 'sum'] = 'max',
    global_pool: bool = False,
    cudnn_off: bool = False,
    pooling_convention: Literal['full', 'same', 'valid'] = 'valid',
    stride: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: Literal['NCDHW', 'NCHW', 'NCW', 'NDHWC', 'NHWC', 'NWC'] | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The maximum, mean, sum or p-norm of each window of data (N, C, *spatial)."""
    ...
def Pooling_v1(
    data: NDArray,
    kernel: int | Sequence[int] = (),
    pool_type: Literal['avg', 'max', 'sum'] = 'max',
    global_pool: bool = False,
    pooling_convention: Literal['full', 'valid'] = 'valid',
    stride: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Pooling of data (N, C, height, width) as MXNet's first versions do it."""
    ...
@overload
def RNN(
    data: NDArray,
    parameters: NDArray,
    state: NDArray,
    state_cell: NDArray | None = None,
    sequence_length: NDArray | None = None,
    state_size: int = ...,
    num_layers: int = ...,
    bidirectional: bool = False,
    mode: Literal['gru', 'lstm', 'rnn_relu', 'rnn_tanh'] = ...,
    p: float = 0.0,
    *,
    state_outputs: Literal[True],
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """`data` (T, N, I) through layers of recurrent cells, from state (L D, N, R), to outputs (T, N, D R)."""
    ...
@overload
def RNN(
    data: NDArray,
    parameters: NDArray,
    state: NDArray,
    state_cell: NDArray | None = None,
    sequence_length: NDArray | None = None,
    state_size: int = ...,
    num_layers: int = ...,
    bidirectional: bool = False,
    mode: Literal['gru', 'lstm', 'rnn_relu', 'rnn_tanh'] = ...,
    p: float = 0.0,
    state_outputs: Literal[False] = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (T, N, I) through layers of recurrent cells, from state (L D, N, R), to outputs (T, N, D R)."""
    ...
@overload
def RNN(
    data: NDArray,
    parameters: NDArray,
    state: NDArray,
    state_cell: NDArray | None = None,
    sequence_length: NDArray | None = None,
    state_size: int = ...,
    num_layers: int = ...,
    bidirectional: bool = False,
    mode: Literal['gru', 'lstm', 'rnn_relu', 'rnn_tanh'] = ...,
    p: float = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray | list[NDArray]:
    """`data` (T, N, I) through layers of recurrent cells, from state (L D, N, R), to outputs (T, N, D R)."""
    ...
def Reshape(
    data: NDArray,
    shape: int | Sequence[int] = (),
    reverse: bool = False,
    target_shape: int | Sequence[int] = (),
    keep_highest: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape, its elements in order, to `shape`, in which codes up to 0 refer to data's sizes."""
    ...
def SVMOutput(
    data: NDArray,
    label: NDArray,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, K) as it is, whose gradient is that of hinge losses with classes `label` (N,), squared"""
    ...
def SequenceLast(
    data: NDArray,
    sequence_length: NDArray | None = None,
    use_sequence_length: bool = False,
    axis: int = 0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The last step of each sequence, as (N, *rest)."""
    ...
def SequenceMask(
    data: NDArray,
    sequence_length: NDArray | None = None,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with `value` in place of the steps after each sequence's length."""
    ...
def SequenceReverse(
    data: NDArray,
    sequence_length: NDArray | None = None,
    use_sequence_length: bool = False,
    axis: int = 0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (T, N, *rest) with the steps of each sequence in reverse order, those after it in place."""
    ...
def SliceChannel(
    data: NDArray,
    num_outputs: int,
    axis: int = 1,
    squeeze_axis: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray | list[NDArray]:
    """`data` in `num_outputs` equal parts along `axis`, which goes with `squeeze_axis`."""
    ...
def Softmax(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Literal['batch', 'null', 'valid'] = 'null',
    out_grad: bool = False,
    smooth_alpha: float = 0.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Softmax of `data`, whose gradient is that of the cross entropy with `label`, times grad_scale."""
    ...
def SoftmaxActivation(
    data: NDArray,
    mode: Literal['channel', 'instance'] = 'instance',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Softmax of `data` over its last axis (mode instance), or over axis 1 of (N, C, *spatial) (channel)."""
    ...
def SoftmaxOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Literal['batch', 'null', 'valid'] = 'null',
    out_grad: bool = False,
    smooth_alpha: float = 0.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Softmax of `data`, whose gradient is that of the cross entropy with `label`, times grad_scale."""
    ...
def SwapAxis(
    data: NDArray,
    dim1: int = 0,
    dim2: int = 0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with the axes `dim1` and `dim2` exchanged."""
    ...
def UpSampling(
    *data: NDArray | Sequence[NDArray],
    scale: int,
    num_filter: int = 0,
    sample_type: Literal['bilinear', 'nearest'],
    multi_input_mode: Literal['concat', 'sum'] = 'concat',
    num_args: int | None = None,
    workspace: int = 512,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Images (N, C, H, W) made `scale` times larger, by repetition or by a trained kernel `weight`."""
    ...
def abs(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def add_n(
    *data: NDArray | Sequence[NDArray],
    num_args: int | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum of `num_args` arrays of one shape."""
    ...
def amp_cast(
    data: NDArray,
    dtype: DTypeLike,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape as `dtype` if it holds real numbers, else unchanged."""
    ...
def amp_multicast(
    *data: NDArray | Sequence[NDArray],
    num_outputs: int | None = None,
    cast_narrow: bool = False,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray | list[NDArray]:
    """The inputs, of any shapes, all in the widest real dtype among them (with cast_narrow the narrowest)."""
    ...
def arccos(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def arccosh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def arcsin(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def arcsinh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def arctan(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def arctanh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def argmax(
    data: NDArray,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The first place of the maximum of `data` along `axis`, or in all of it, in the dtype of `data`."""
    ...
def argmax_channel(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The first place of the maximum of `data` (N, C, *rest) along C, in the dtype of `data`."""
    ...
def argmin(
    data: NDArray,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The first place of the minimum of `data` along `axis`, or in all of it, in the dtype of `data`."""
    ...
def argsort(
    data: NDArray,
    axis: int | None = -1,
    is_ascend: bool = True,
    dtype: DTypeLike = 'float32',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The indices that sort `data` along `axis`."""
    ...
def batch_dot(
    lhs: NDArray,
    rhs: NDArray,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """lhs (*batch, M, K) and rhs (*batch, K, N) to (*batch, M, N), after transposing the last two axes."""
    ...
def batch_take(
    a: NDArray,
    indices: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The element of each row of `a` (N, C) that `indices`, N whole numbers of any shape, say."""
    ...
def broadcast_add(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_axes(
    data: NDArray,
    axis: int | Sequence[int] = (),
    size: int | Sequence[int] = (),
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with each of `axis`, of size 1, repeated to the size beside it in `size`."""
    ...
def broadcast_axis(
    data: NDArray,
    axis: int | Sequence[int] = (),
    size: int | Sequence[int] = (),
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with each of `axis`, of size 1, repeated to the size beside it in `size`."""
    ...
def broadcast_div(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_equal(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_greater(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_greater_equal(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_hypot(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_lesser(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_lesser_equal(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_like(
    lhs: NDArray,
    rhs: NDArray,
    lhs_axes: int | Sequence[int] | None = None,
    rhs_axes: int | Sequence[int] | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` with axes of size 1 repeated as in `rhs`: all of them, or `lhs_axes` as `rhs_axes`."""
    ...
def broadcast_logical_and(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_logical_or(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_logical_xor(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_maximum(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_minimum(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_minus(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_mod(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_mul(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_not_equal(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_plus(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_power(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_sub(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_to(
    data: NDArray,
    shape: int | Sequence[int] = (),
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with its axes of size 1 repeated to the sizes of `shape`, in which 0 keeps a size."""
    ...
def cast(
    data: NDArray,
    dtype: DTypeLike,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape as `dtype`, real numbers truncated towards zero to whole ones."""
    ...
def cbrt(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def ceil(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def choose_element_0index(
    data: NDArray,
    index: NDArray,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal['clip', 'wrap'] = 'clip',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The element of each row of `data` along `axis` that `index` (data's shape without it) says."""
    ...
def clip(
    data: NDArray,
    a_min: float,
    a_max: float,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape, with values above `a_max` made `a_max` and those below `a_min` made `a_min`."""
    ...
def concat(
    *data: NDArray | Sequence[NDArray],
    num_args: int | None = None,
    dim: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The inputs one after the other along `dim`."""
    ...
def cos(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def cosh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def crop(
    data: NDArray,
    begin: int | None | Sequence[int | None],
    end: int | None | Sequence[int | None],
    step: int | None | Sequence[int | None] = (),
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data[begin:end:step]` along its first axes; None stands for an end of the axis."""
    ...
def ctc_loss(
    data: NDArray,
    label: NDArray,
    data_lengths: NDArray | None = None,
    label_lengths: NDArray | None = None,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: Literal['first', 'last'] = 'first',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The losses (N,) of scores `data` (T, N, C), one of whose classes is blank, for `label` (N, L)."""
    ...
def cumsum(
    a: NDArray,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sums of `a` up to each element along `axis`; without one over all elements, as (size,)."""
    ...
def degrees(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def depth_to_space(
    data: NDArray,
    block_size: int,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, b·b·C, H, W) to (N, C, b·H, b·W), where b is `block_size`."""
    ...
def diag(
    data: NDArray,
    k: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The `k`-th diagonals of `data` as last axis, or a matrix with the vector `data` on its diagonal."""
    ...
def dot(
    lhs: NDArray,
    rhs: NDArray,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """lhs (*left, K) and rhs (K, *right) to (*left, *right); the product of two vectors is (1,)."""
    ...
def elemwise_add(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def elemwise_div(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def elemwise_mul(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def elemwise_sub(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def erf(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def erfinv(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def exp(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def expand_dims(
    data: NDArray,
    axis: int,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with a new axis of size 1 at `axis` of the result."""
    ...
def expm1(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def fix(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def flatten(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, *rest) to (N, size of rest)."""
    ...
def flip(
    data: NDArray,
    axis: int | Sequence[int],
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with the elements along each of `axis` in reverse order."""
    ...
def floor(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def gamma(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def gammaln(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def gather_nd(
    data: NDArray,
    indices: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The elements or parts of `data` at the points whose coordinates are the rows of `indices`."""
    ...
def hard_sigmoid(
    data: NDArray,
    alpha: float = 0.2,
    beta: float = 0.5,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`alpha * data + beta`, cut off at 0 and 1, for `data` of any shape."""
    ...
def identity(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def log(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def log10(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def log1p(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def log2(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def log_softmax(
    data: NDArray,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The logarithm of the softmax of data / temperature along `axis`."""
    ...
def logical_not(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def make_loss(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def max(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def max_axis(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def mean(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def min(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def min_axis(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def moments(
    data: NDArray,
    axes: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """The mean and the variance of `data` over `axes`."""
    ...
def nanprod(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def nansum(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def negative(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def norm(
    data: NDArray,
    ord: int = 2,
    axis: int | Sequence[int] | None = None,
    out_dtype: DTypeLike | None = None,
    keepdims: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The L1 or L2 norm (`ord`) of `data` over `axis`, or over all axes."""
    ...
def normal(
    loc: float = 0.0,
    scale: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the normal distribution with mean `loc` and deviation `scale`, of the given shape."""
    ...
def one_hot(
    indices: NDArray,
    depth: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DTypeLike = 'float32',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`on_value` at each of `indices` along a new last axis of size `depth`, `off_value` elsewhere."""
    ...
def ones_like(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def pad(
    data: NDArray,
    mode: Literal['constant', 'edge', 'reflect'],
    pad_width: int | Sequence[int],
    constant_value: float = 0.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, C, *spatial) of 4 or 5 axes with `pad_width` before and after each, filled by `mode`."""
    ...
def pick(
    data: NDArray,
    index: NDArray,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal['clip', 'wrap'] = 'clip',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The element of each row of `data` along `axis` that `index` (data's shape without it) says."""
    ...
def prod(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def radians(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def random_exponential(
    lam: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the exponential distribution with mean 1 / lam, of the given shape."""
    ...
def random_gamma(
    alpha: float = 1.0,
    beta: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the gamma distribution with shape `alpha` and scale `beta`, of the given shape."""
    ...
def random_generalized_negative_binomial(
    mu: float = 1.0,
    alpha: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the negative binomial distribution with mean `mu` and dispersion `alpha`, of a shape."""
    ...
def random_negative_binomial(
    k: int = 1,
    p: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws of the failures before `k` successes of probability `p`, of the given shape."""
    ...
def random_normal(
    loc: float = 0.0,
    scale: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the normal distribution with mean `loc` and deviation `scale`, of the given shape."""
    ...
def random_poisson(
    lam: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the Poisson distribution with mean `lam`, of the given shape."""
    ...
def random_randint(
    low: int,
    high: int,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws of whole numbers from [low, high), of the given shape."""
    ...
def random_uniform(
    low: float = 0.0,
    high: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the uniform distribution on [low, high), of the given shape."""
    ...
def ravel_multi_index(
    data: NDArray,
    shape: int | Sequence[int] | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The places in a flat array of points whose coordinates in `shape` are the rows of `data` (M, N)."""
    ...
def rcbrt(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def reciprocal(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def relu(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def repeat(
    data: NDArray,
    repeats: int,
    axis: int | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with each element repeated `repeats` times along `axis`, or flattened first."""
    ...
def reshape(
    data: NDArray,
    shape: int | Sequence[int] = (),
    reverse: bool = False,
    target_shape: int | Sequence[int] = (),
    keep_highest: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape, its elements in order, to `shape`, in which codes up to 0 refer to data's sizes."""
    ...
def reshape_like(
    lhs: NDArray,
    rhs: NDArray,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` in the shape of `rhs`, or with its axes from lhs_begin to lhs_end replaced by rhs's."""
    ...
def reverse(
    data: NDArray,
    axis: int | Sequence[int],
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with the elements along each of `axis` in reverse order."""
    ...
def rint(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def round(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def rsqrt(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def sample_exponential(
    lam: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Exponential draws for each rate in `lam`: (*lam's shape, *shape)."""
    ...
def sample_gamma(
    alpha: NDArray,
    beta: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Gamma draws for each shape in `alpha` and scale in `beta`: (*alpha's shape, *shape)."""
    ...
def sample_generalized_negative_binomial(
    mu: NDArray,
    alpha: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Negative binomial draws for each mean in `mu` and dispersion in `alpha`: (*mu's shape, *shape)."""
    ...
@overload
def sample_multinomial(
    data: NDArray,
    shape: int | Sequence[int] = (),
    *,
    get_prob: Literal[True],
    dtype: DTypeLike = 'int32',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """`shape` draws of class numbers by each row of the probabilities `data` (*batch, K): (*batch, *shape)."""
    ...
@overload
def sample_multinomial(
    data: NDArray,
    shape: int | Sequence[int] = (),
    get_prob: Literal[False] = False,
    dtype: DTypeLike = 'int32',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`shape` draws of class numbers by each row of the probabilities `data` (*batch, K): (*batch, *shape)."""
    ...
@overload
def sample_multinomial(
    data: NDArray,
    shape: int | Sequence[int] = (),
    get_prob: bool = False,
    dtype: DTypeLike = 'int32',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray | list[NDArray]:
    """`shape` draws of class numbers by each row of the probabilities `data` (*batch, K): (*batch, *shape)."""
    ...
def sample_negative_binomial(
    k: NDArray,
    p: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Negative binomial draws for each pair of elements of `k` and `p`: (*k's shape, *shape)."""
    ...
def sample_normal(
    mu: NDArray,
    sigma: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Normal draws for each pair of elements of `mu` and `sigma`: (*mu's shape, *shape)."""
    ...
def sample_poisson(
    lam: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Poisson draws for each mean in `lam`: (*lam's shape, *shape)."""
    ...
def sample_uniform(
    low: NDArray,
    high: NDArray,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Uniform draws on [low, high) for each pair of elements of `low` and `high`: (*low's shape, *shape)."""
    ...
def scatter_nd(
    data: NDArray,
    indices: NDArray,
    shape: int | Sequence[int],
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Zeros of `shape` with `data` written to the points of `indices`; of equal points the last counts."""
    ...
def shape_array(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sizes of `data` as an int64 vector."""
    ...
def shuffle(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, *) with its first axis in random order."""
    ...
def sigmoid(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def sign(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def sin(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def sinh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def size_array(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The number of elements of `data`, as an int64 vector of length 1."""
    ...
def slice(
    data: NDArray,
    begin: int | None | Sequence[int | None],
    end: int | None | Sequence[int | None],
    step: int | None | Sequence[int | None] = (),
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data[begin:end:step]` along its first axes; None stands for an end of the axis."""
    ...
def slice_axis(
    data: NDArray,
    axis: int,
    begin: int,
    end: int | None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` from `begin` to `end` along `axis`; None is the end of the axis."""
    ...
def slice_like(
    data: NDArray,
    shape_like: NDArray,
    axes: int | Sequence[int] = (),
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The first elements of `data` along `axes` (or all), as many as `shape_like` has there."""
    ...
def smooth_l1(
    data: NDArray,
    scalar: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`(s·data)² / 2` where `|data| < 1/s²`, else `|data| - 0.5/s²`, with s = `scalar`; any shape."""
    ...
def softmax(
    data: NDArray,
    length: NDArray | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """exp(data / temperature) along `axis`, divided by its sum; with use_length only over the first `length`"""
    ...
def softmax_cross_entropy(
    data: NDArray,
    label: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The cross entropy of softmax(data), data (N, K), with classes `label` (N,), summed to shape (1,)."""
    ...
def softmin(
    data: NDArray,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """exp(-data / temperature) along `axis`, divided by its sum."""
    ...
def softsign(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def sort(
    data: NDArray,
    axis: int | None = -1,
    is_ascend: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` sorted along `axis`; the hidden output is the indices, int32."""
    ...
def space_to_depth(
    data: NDArray,
    block_size: int,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` (N, C, b·H, b·W) to (N, b·b·C, H, W), where b is `block_size`."""
    ...
def split(
    data: NDArray,
    num_outputs: int,
    axis: int = 1,
    squeeze_axis: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray | list[NDArray]:
    """`data` in `num_outputs` equal parts along `axis`, which goes with `squeeze_axis`."""
    ...
def sqrt(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def square(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def squeeze(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` without those of its axes that have size 1, or without `axis`."""
    ...
def stack(
    *data: NDArray | Sequence[NDArray],
    axis: int = 0,
    num_args: int | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The inputs, all of one shape, along a new axis."""
    ...
def stop_gradient(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def sum(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def sum_axis(
    data: NDArray,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def swapaxes(
    data: NDArray,
    dim1: int = 0,
    dim2: int = 0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with the axes `dim1` and `dim2` exchanged."""
    ...
def take(
    a: NDArray,
    indices: NDArray,
    axis: int = 0,
    mode: Literal['clip', 'raise', 'wrap'] = 'clip',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The parts of `a` along `axis` with these `indices`, whose axes take the place of `axis`."""
    ...
def tan(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def tanh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def tile(
    data: NDArray,
    reps: int | Sequence[int],
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` repeated as a whole `reps` times along each axis, counted from the last."""
    ...
@overload
def topk(
    data: NDArray,
    axis: int | None = -1,
    k: int = 1,
    *,
    ret_typ: Literal['both'],
    is_ascend: bool = False,
    dtype: DTypeLike = 'float32',
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """The `k` largest (or with `is_ascend` smallest) elements of `data` along `axis`; all if k is below 1."""
    ...
@overload
def topk(
    data: NDArray,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal['indices', 'mask', 'value'] = 'indices',
    is_ascend: bool = False,
    dtype: DTypeLike = 'float32',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The `k` largest (or with `is_ascend` smallest) elements of `data` along `axis`; all if k is below 1."""
    ...
def transpose(
    data: NDArray,
    axes: int | Sequence[int] = (),
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with its axes in the order `axes`, or reversed."""
    ...
def trunc(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
def uniform(
    low: float = 0.0,
    high: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Draws from the uniform distribution on [low, high), of the given shape."""
    ...
def unravel_index(
    data: NDArray,
    shape: int | Sequence[int] | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The coordinates in `shape`, as rows (M, N), of the places `data` (N,) in a flat array."""
    ...
def where(
    condition: NDArray,
    x: NDArray,
    y: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`x` where `condition` is not 0, else `y`; a vector as condition chooses between rows."""
    ...
def zeros_like(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
    ...
