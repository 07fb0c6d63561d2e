# Written by scripts/stubs; do not edit.
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from ..dtypes import DTypeLike
from .symbol import Symbol

def Activation(
    data: Symbol | None = None,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape through a function; softrelu is log(1 + exp(x)), softsign x / (1 + |x|)."""
    ...
def BatchNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    moving_mean: Symbol | None = None,
    moving_var: Symbol | None = None,
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
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, C, *spatial) with each channel's mean 0 and variance 1, times gamma (C,) plus beta (C,)."""
    ...
def BatchNorm_v1(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    moving_mean: Symbol | None = None,
    moving_var: Symbol | None = None,
    eps: float = 0.001,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`BatchNorm` of data (N, C, *spatial), as old files call it."""
    ...
def BlockGrad(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def CTCLoss(
    data: Symbol | None = None,
    label: Symbol | None = None,
    data_lengths: Symbol | None = None,
    label_lengths: Symbol | None = None,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: Literal['first', 'last'] = 'first',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The losses (N,) of scores `data` (T, N, C), one of whose classes is blank, for `label` (N, L)."""
    ...
def Cast(
    data: Symbol | None = None,
    dtype: DTypeLike = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape as `dtype`, real numbers truncated towards zero to whole ones."""
    ...
def Concat(
    *data: Symbol | Sequence[Symbol],
    num_args: int | None = None,
    dim: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The inputs one after the other along `dim`."""
    ...
def Convolution(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
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
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Convolution of data (N, C, *spatial) with weight (num_filter, C / num_group, *kernel)."""
    ...
def Convolution_v1(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
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
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Convolution of data (N, C, *spatial) as files of MXNet's first versions may call it."""
    ...
def Crop(
    *data: Symbol | Sequence[Symbol],
    num_args: int | None = None,
    offset: int | Sequence[int] = (0, 0),
    h_w: int | Sequence[int] = (0, 0),
    center_crop: bool = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The first input (N, C, H, W) cropped to `h_w`, or to the height and width of the second."""
    ...
def Custom(
    *data: Symbol,
    op_type: str,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Any:
    """The arrays that an operator registered as `op_type` takes to those that it makes."""
    ...
def Deconvolution(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
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
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Transposed convolution of data (N, C, *spatial) with weight (C, num_filter / num_group, *kernel)."""
    ...
def Dropout(
    data: Symbol | None = None,
    p: float = 0.5,
    mode: Literal['always', 'training'] = 'training',
    axes: int | Sequence[int] = (),
    cudnn_off: bool | None = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape with a part p of its elements 0 and the others divided by 1 - p."""
    ...
def ElementWiseSum(
    *data: Symbol | Sequence[Symbol],
    num_args: int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sum of `num_args` arrays of one shape."""
    ...
def Embedding(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The rows of `weight` (input_dim, output_dim) at the indices `data`: (*data's shape, output_dim)."""
    ...
def Flatten(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, *rest) to (N, size of rest)."""
    ...
def FullyConnected(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    num_hidden: int = ...,
    no_bias: bool = False,
    flatten: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Data (N, ...) seen as (N, D), times weight (num_hidden, D) transposed, plus bias (num_hidden,)."""
    ...
def GroupNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    num_groups: int = 1,
    eps: float = 1e-05,
    output_mean_var: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, C, *spatial) with mean 0 and variance 1 in each of G = num_groups groups of channels, times"""
    ...
def InstanceNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    eps: float = 0.001,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, C, *spatial) with mean 0 and variance 1 in each channel of each instance, times gamma (C,)"""
    ...
def L2Normalization(
    data: Symbol | None = None,
    eps: float = 1e-10,
    mode: Literal['channel', 'instance', 'spatial'] = 'instance',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, C, *spatial) divided by the length of its vectors: sqrt(sum of squares + eps)."""
    ...
def LRN(
    data: Symbol | None = None,
    alpha: float = 0.0001,
    beta: float = 0.75,
    knorm: float = 2.0,
    nsize: int = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, C, *spatial) times (knorm + alpha / nsize * S) ** -beta, S the sum of the squares of the"""
    ...
def LayerNorm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    axis: int = -1,
    eps: float = 1e-05,
    output_mean_var: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with mean 0 and variance 1 along `axis` of size C, times gamma (C,) plus beta (C,)."""
    ...
def LeakyReLU(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    act_type: Literal['elu', 'gelu', 'leaky', 'prelu', 'rrelu', 'selu'] = 'leaky',
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, C, *spatial) where it is positive; where it is not, the data times a slope, or a curve."""
    ...
def LinearRegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, *) as it is, whose gradient is that of half the squared difference to `label`."""
    ...
def LogisticRegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sigmoid of `data` (N, *), whose gradient is that of the binary cross entropy with `label`."""
    ...
def MAERegressionOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, *) as it is, whose gradient is that of the absolute difference to `label`."""
    ...
def MakeLoss(
    data: Symbol | None = None,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: Literal['batch', 'null', 'valid'] = 'null',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape, unchanged; its gradient is `grad_scale`, whatever the gradient of the output."""
    ...
def Pad(
    data: Symbol | None = None,
    mode: Literal['constant', 'edge', 'reflect'] = ...,
    pad_width: int | Sequence[int] = ...,
    constant_value: float = 0.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, C, *spatial) of 4 or 5 axes with `pad_width` before and after each, filled by `mode`."""
    ...
def Pooling(
    data: Symbol | None = None,
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
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The maximum, mean, sum or p-norm of each window of data (N, C, *spatial)."""
    ...
def Pooling_v1(
    data: Symbol | None = None,
    kernel: int | Sequence[int] = (),
    pool_type: Literal['avg', 'max', 'sum'] = 'max',
    global_pool: bool = False,
    pooling_convention: Literal['full', 'valid'] = 'valid',
    stride: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Pooling of data (N, C, height, width) as MXNet's first versions do it."""
    ...
def RNN(
    data: Symbol | None = None,
    parameters: Symbol | None = None,
    state: Symbol | None = None,
    state_cell: Symbol | None = None,
    sequence_length: Symbol | None = None,
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
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (T, N, I) through layers of recurrent cells, from state (L D, N, R), to outputs (T, N, D R)."""
    ...
def Reshape(
    data: Symbol | None = None,
    shape: int | Sequence[int] = (),
    reverse: bool = False,
    target_shape: int | Sequence[int] = (),
    keep_highest: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape, its elements in order, to `shape`, in which codes up to 0 refer to data's sizes."""
    ...
def SVMOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    margin: float = 1.0,
    regularization_coefficient: float = 1.0,
    use_linear: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, K) as it is, whose gradient is that of hinge losses with classes `label` (N,), squared"""
    ...
def SequenceLast(
    data: Symbol | None = None,
    sequence_length: Symbol | None = None,
    use_sequence_length: bool = False,
    axis: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The last step of each sequence, as (N, *rest)."""
    ...
def SequenceMask(
    data: Symbol | None = None,
    sequence_length: Symbol | None = None,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with `value` in place of the steps after each sequence's length."""
    ...
def SequenceReverse(
    data: Symbol | None = None,
    sequence_length: Symbol | None = None,
    use_sequence_length: bool = False,
    axis: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (T, N, *rest) with the steps of each sequence in reverse order, those after it in place."""
    ...
def SliceChannel(
    data: Symbol | None = None,
    num_outputs: int = ...,
    axis: int = 1,
    squeeze_axis: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` in `num_outputs` equal parts along `axis`, which goes with `squeeze_axis`."""
    ...
def Softmax(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Literal['batch', 'null', 'valid'] = 'null',
    out_grad: bool = False,
    smooth_alpha: float = 0.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Softmax of `data`, whose gradient is that of the cross entropy with `label`, times grad_scale."""
    ...
def SoftmaxActivation(
    data: Symbol | None = None,
    mode: Literal['channel', 'instance'] = 'instance',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Softmax of `data` over its last axis (mode instance), or over axis 1 of (N, C, *spatial) (channel)."""
    ...
def SoftmaxOutput(
    data: Symbol | None = None,
    label: Symbol | None = None,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: Literal['batch', 'null', 'valid'] = 'null',
    out_grad: bool = False,
    smooth_alpha: float = 0.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Softmax of `data`, whose gradient is that of the cross entropy with `label`, times grad_scale."""
    ...
def SwapAxis(
    data: Symbol | None = None,
    dim1: int = 0,
    dim2: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with the axes `dim1` and `dim2` exchanged."""
    ...
def UpSampling(
    *data: Symbol | Sequence[Symbol],
    scale: int,
    num_filter: int = 0,
    sample_type: Literal['bilinear', 'nearest'],
    multi_input_mode: Literal['concat', 'sum'] = 'concat',
    num_args: int | None = None,
    workspace: int = 512,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Images (N, C, H, W) made `scale` times larger, by repetition or by a trained kernel `weight`."""
    ...
def abs(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def add_n(
    *data: Symbol | Sequence[Symbol],
    num_args: int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sum of `num_args` arrays of one shape."""
    ...
def amp_cast(
    data: Symbol | None = None,
    dtype: DTypeLike = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape as `dtype` if it holds real numbers, else unchanged."""
    ...
def amp_multicast(
    *data: Symbol | Sequence[Symbol],
    num_outputs: int | None = None,
    cast_narrow: bool = False,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The inputs, of any shapes, all in the widest real dtype among them (with cast_narrow the narrowest)."""
    ...
def arccos(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def arccosh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def arcsin(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def arcsinh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def arctan(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def arctanh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def argmax(
    data: Symbol | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The first place of the maximum of `data` along `axis`, or in all of it, in the dtype of `data`."""
    ...
def argmax_channel(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The first place of the maximum of `data` (N, C, *rest) along C, in the dtype of `data`."""
    ...
def argmin(
    data: Symbol | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The first place of the minimum of `data` along `axis`, or in all of it, in the dtype of `data`."""
    ...
def argsort(
    data: Symbol | None = None,
    axis: int | None = -1,
    is_ascend: bool = True,
    dtype: DTypeLike = 'float32',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The indices that sort `data` along `axis`."""
    ...
def batch_dot(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """lhs (*batch, M, K) and rhs (*batch, K, N) to (*batch, M, N), after transposing the last two axes."""
    ...
def batch_take(
    a: Symbol | None = None,
    indices: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The element of each row of `a` (N, C) that `indices`, N whole numbers of any shape, say."""
    ...
def broadcast_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_axes(
    data: Symbol | None = None,
    axis: int | Sequence[int] = (),
    size: int | Sequence[int] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with each of `axis`, of size 1, repeated to the size beside it in `size`."""
    ...
def broadcast_axis(
    data: Symbol | None = None,
    axis: int | Sequence[int] = (),
    size: int | Sequence[int] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with each of `axis`, of size 1, repeated to the size beside it in `size`."""
    ...
def broadcast_div(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_greater(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_greater_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_hypot(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_lesser(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_lesser_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_like(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    lhs_axes: int | Sequence[int] | None = None,
    rhs_axes: int | Sequence[int] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` with axes of size 1 repeated as in `rhs`: all of them, or `lhs_axes` as `rhs_axes`."""
    ...
def broadcast_logical_and(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_logical_or(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_logical_xor(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_maximum(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_minimum(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_minus(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_mod(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_not_equal(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_plus(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_power(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_sub(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def broadcast_to(
    data: Symbol | None = None,
    shape: int | Sequence[int] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with its axes of size 1 repeated to the sizes of `shape`, in which 0 keeps a size."""
    ...
def cast(
    data: Symbol | None = None,
    dtype: DTypeLike = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape as `dtype`, real numbers truncated towards zero to whole ones."""
    ...
def cbrt(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def ceil(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def choose_element_0index(
    data: Symbol | None = None,
    index: Symbol | None = None,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal['clip', 'wrap'] = 'clip',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The element of each row of `data` along `axis` that `index` (data's shape without it) says."""
    ...
def clip(
    data: Symbol | None = None,
    a_min: float = ...,
    a_max: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape, with values above `a_max` made `a_max` and those below `a_min` made `a_min`."""
    ...
def concat(
    *data: Symbol | Sequence[Symbol],
    num_args: int | None = None,
    dim: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The inputs one after the other along `dim`."""
    ...
def cos(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def cosh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def crop(
    data: Symbol | None = None,
    begin: int | None | Sequence[int | None] = ...,
    end: int | None | Sequence[int | None] = ...,
    step: int | None | Sequence[int | None] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data[begin:end:step]` along its first axes; None stands for an end of the axis."""
    ...
def ctc_loss(
    data: Symbol | None = None,
    label: Symbol | None = None,
    data_lengths: Symbol | None = None,
    label_lengths: Symbol | None = None,
    use_data_lengths: bool = False,
    use_label_lengths: bool = False,
    blank_label: Literal['first', 'last'] = 'first',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The losses (N,) of scores `data` (T, N, C), one of whose classes is blank, for `label` (N, L)."""
    ...
def cumsum(
    a: Symbol | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sums of `a` up to each element along `axis`; without one over all elements, as (size,)."""
    ...
def degrees(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def depth_to_space(
    data: Symbol | None = None,
    block_size: int = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, b·b·C, H, W) to (N, C, b·H, b·W), where b is `block_size`."""
    ...
def diag(
    data: Symbol | None = None,
    k: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The `k`-th diagonals of `data` as last axis, or a matrix with the vector `data` on its diagonal."""
    ...
def dot(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """lhs (*left, K) and rhs (K, *right) to (*left, *right); the product of two vectors is (1,)."""
    ...
def elemwise_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def elemwise_div(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def elemwise_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def elemwise_sub(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
    ...
def erf(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def erfinv(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def exp(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def expand_dims(
    data: Symbol | None = None,
    axis: int = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with a new axis of size 1 at `axis` of the result."""
    ...
def expm1(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def fix(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def flatten(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, *rest) to (N, size of rest)."""
    ...
def flip(
    data: Symbol | None = None,
    axis: int | Sequence[int] = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with the elements along each of `axis` in reverse order."""
    ...
def floor(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def gamma(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def gammaln(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def gather_nd(
    data: Symbol | None = None,
    indices: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The elements or parts of `data` at the points whose coordinates are the rows of `indices`."""
    ...
def hard_sigmoid(
    data: Symbol | None = None,
    alpha: float = 0.2,
    beta: float = 0.5,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`alpha * data + beta`, cut off at 0 and 1, for `data` of any shape."""
    ...
def identity(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def log(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def log10(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def log1p(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def log2(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def log_softmax(
    data: Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The logarithm of the softmax of data / temperature along `axis`."""
    ...
def logical_not(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def make_loss(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def max(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def max_axis(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def mean(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def min(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def min_axis(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def moments(
    data: Symbol | None = None,
    axes: int | Sequence[int] | None = None,
    keepdims: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The mean and the variance of `data` over `axes`."""
    ...
def nanprod(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def nansum(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def negative(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def norm(
    data: Symbol | None = None,
    ord: int = 2,
    axis: int | Sequence[int] | None = None,
    out_dtype: DTypeLike | None = None,
    keepdims: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The L1 or L2 norm (`ord`) of `data` over `axis`, or over all axes."""
    ...
def normal(
    loc: float = 0.0,
    scale: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the normal distribution with mean `loc` and deviation `scale`, of the given shape."""
    ...
def one_hot(
    indices: Symbol | None = None,
    depth: int = ...,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DTypeLike = 'float32',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`on_value` at each of `indices` along a new last axis of size `depth`, `off_value` elsewhere."""
    ...
def ones_like(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def pad(
    data: Symbol | None = None,
    mode: Literal['constant', 'edge', 'reflect'] = ...,
    pad_width: int | Sequence[int] = ...,
    constant_value: float = 0.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, C, *spatial) of 4 or 5 axes with `pad_width` before and after each, filled by `mode`."""
    ...
def pick(
    data: Symbol | None = None,
    index: Symbol | None = None,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal['clip', 'wrap'] = 'clip',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The element of each row of `data` along `axis` that `index` (data's shape without it) says."""
    ...
def prod(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def radians(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def random_exponential(
    lam: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the exponential distribution with mean 1 / lam, of the given shape."""
    ...
def random_gamma(
    alpha: float = 1.0,
    beta: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the gamma distribution with shape `alpha` and scale `beta`, of the given shape."""
    ...
def random_generalized_negative_binomial(
    mu: float = 1.0,
    alpha: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the negative binomial distribution with mean `mu` and dispersion `alpha`, of a shape."""
    ...
def random_negative_binomial(
    k: int = 1,
    p: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws of the failures before `k` successes of probability `p`, of the given shape."""
    ...
def random_normal(
    loc: float = 0.0,
    scale: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the normal distribution with mean `loc` and deviation `scale`, of the given shape."""
    ...
def random_poisson(
    lam: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the Poisson distribution with mean `lam`, of the given shape."""
    ...
def random_randint(
    low: int,
    high: int,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws of whole numbers from [low, high), of the given shape."""
    ...
def random_uniform(
    low: float = 0.0,
    high: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the uniform distribution on [low, high), of the given shape."""
    ...
def ravel_multi_index(
    data: Symbol | None = None,
    shape: int | Sequence[int] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The places in a flat array of points whose coordinates in `shape` are the rows of `data` (M, N)."""
    ...
def rcbrt(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def reciprocal(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def relu(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def repeat(
    data: Symbol | None = None,
    repeats: int = ...,
    axis: int | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with each element repeated `repeats` times along `axis`, or flattened first."""
    ...
def reshape(
    data: Symbol | None = None,
    shape: int | Sequence[int] = (),
    reverse: bool = False,
    target_shape: int | Sequence[int] = (),
    keep_highest: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape, its elements in order, to `shape`, in which codes up to 0 refer to data's sizes."""
    ...
def reshape_like(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`lhs` in the shape of `rhs`, or with its axes from lhs_begin to lhs_end replaced by rhs's."""
    ...
def reverse(
    data: Symbol | None = None,
    axis: int | Sequence[int] = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with the elements along each of `axis` in reverse order."""
    ...
def rint(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def round(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def rsqrt(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def sample_exponential(
    lam: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Exponential draws for each rate in `lam`: (*lam's shape, *shape)."""
    ...
def sample_gamma(
    alpha: Symbol | None = None,
    beta: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Gamma draws for each shape in `alpha` and scale in `beta`: (*alpha's shape, *shape)."""
    ...
def sample_generalized_negative_binomial(
    mu: Symbol | None = None,
    alpha: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Negative binomial draws for each mean in `mu` and dispersion in `alpha`: (*mu's shape, *shape)."""
    ...
def sample_multinomial(
    data: Symbol | None = None,
    shape: int | Sequence[int] = (),
    get_prob: bool = False,
    dtype: DTypeLike = 'int32',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`shape` draws of class numbers by each row of the probabilities `data` (*batch, K): (*batch, *shape)."""
    ...
def sample_negative_binomial(
    k: Symbol | None = None,
    p: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Negative binomial draws for each pair of elements of `k` and `p`: (*k's shape, *shape)."""
    ...
def sample_normal(
    mu: Symbol | None = None,
    sigma: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Normal draws for each pair of elements of `mu` and `sigma`: (*mu's shape, *shape)."""
    ...
def sample_poisson(
    lam: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Poisson draws for each mean in `lam`: (*lam's shape, *shape)."""
    ...
def sample_uniform(
    low: Symbol | None = None,
    high: Symbol | None = None,
    shape: int | Sequence[int] = (),
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Uniform draws on [low, high) for each pair of elements of `low` and `high`: (*low's shape, *shape)."""
    ...
def scatter_nd(
    data: Symbol | None = None,
    indices: Symbol | None = None,
    shape: int | Sequence[int] = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Zeros of `shape` with `data` written to the points of `indices`; of equal points the last counts."""
    ...
def shape_array(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sizes of `data` as an int64 vector."""
    ...
def shuffle(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, *) with its first axis in random order."""
    ...
def sigmoid(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def sign(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def sin(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def sinh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def size_array(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The number of elements of `data`, as an int64 vector of length 1."""
    ...
def slice(
    data: Symbol | None = None,
    begin: int | None | Sequence[int | None] = ...,
    end: int | None | Sequence[int | None] = ...,
    step: int | None | Sequence[int | None] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data[begin:end:step]` along its first axes; None stands for an end of the axis."""
    ...
def slice_axis(
    data: Symbol | None = None,
    axis: int = ...,
    begin: int = ...,
    end: int | None = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` from `begin` to `end` along `axis`; None is the end of the axis."""
    ...
def slice_like(
    data: Symbol | None = None,
    shape_like: Symbol | None = None,
    axes: int | Sequence[int] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The first elements of `data` along `axes` (or all), as many as `shape_like` has there."""
    ...
def smooth_l1(
    data: Symbol | None = None,
    scalar: float = 1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`(s·data)² / 2` where `|data| < 1/s²`, else `|data| - 0.5/s²`, with s = `scalar`; any shape."""
    ...
def softmax(
    data: Symbol | None = None,
    length: Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """exp(data / temperature) along `axis`, divided by its sum; with use_length only over the first `length`"""
    ...
def softmax_cross_entropy(
    data: Symbol | None = None,
    label: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The cross entropy of softmax(data), data (N, K), with classes `label` (N,), summed to shape (1,)."""
    ...
def softmin(
    data: Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """exp(-data / temperature) along `axis`, divided by its sum."""
    ...
def softsign(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def sort(
    data: Symbol | None = None,
    axis: int | None = -1,
    is_ascend: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` sorted along `axis`; the hidden output is the indices, int32."""
    ...
def space_to_depth(
    data: Symbol | None = None,
    block_size: int = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` (N, C, b·H, b·W) to (N, b·b·C, H, W), where b is `block_size`."""
    ...
def split(
    data: Symbol | None = None,
    num_outputs: int = ...,
    axis: int = 1,
    squeeze_axis: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` in `num_outputs` equal parts along `axis`, which goes with `squeeze_axis`."""
    ...
def sqrt(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def square(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def squeeze(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` without those of its axes that have size 1, or without `axis`."""
    ...
def stack(
    *data: Symbol | Sequence[Symbol],
    axis: int = 0,
    num_args: int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The inputs, all of one shape, along a new axis."""
    ...
def stop_gradient(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def sum(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def sum_axis(
    data: Symbol | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    exclude: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
    ...
def swapaxes(
    data: Symbol | None = None,
    dim1: int = 0,
    dim2: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with the axes `dim1` and `dim2` exchanged."""
    ...
def take(
    a: Symbol | None = None,
    indices: Symbol | None = None,
    axis: int = 0,
    mode: Literal['clip', 'raise', 'wrap'] = 'clip',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The parts of `a` along `axis` with these `indices`, whose axes take the place of `axis`."""
    ...
def tan(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def tanh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def tile(
    data: Symbol | None = None,
    reps: int | Sequence[int] = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` repeated as a whole `reps` times along each axis, counted from the last."""
    ...
def topk(
    data: Symbol | None = None,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal['both', 'indices', 'mask', 'value'] = 'indices',
    is_ascend: bool = False,
    dtype: DTypeLike = 'float32',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The `k` largest (or with `is_ascend` smallest) elements of `data` along `axis`; all if k is below 1."""
    ...
def transpose(
    data: Symbol | None = None,
    axes: int | Sequence[int] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with its axes in the order `axes`, or reversed."""
    ...
def trunc(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def uniform(
    low: float = 0.0,
    high: float = 1.0,
    shape: int | Sequence[int] | None = None,
    ctx: str = '',
    dtype: DTypeLike | None = 'None',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Draws from the uniform distribution on [low, high), of the given shape."""
    ...
def unravel_index(
    data: Symbol | None = None,
    shape: int | Sequence[int] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The coordinates in `shape`, as rows (M, N), of the places `data` (N,) in a flat array."""
    ...
def where(
    condition: Symbol | None = None,
    x: Symbol | None = None,
    y: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`x` where `condition` is not 0, else `y`; a vector as condition chooses between rows."""
    ...
def zeros_like(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
