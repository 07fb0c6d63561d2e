# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from typing import Literal, overload
from ...attrs import ShapeLike
from ...dtypes import DTypeLike
from ...faces import Name
from ..np_array import ndarray

def activation(
    data: ndarray,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'],
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """One of five activation functions of each element, chosen by name."""
    ...
def arange_like(
    data: ndarray,
    start: float = 0.0,
    step: float = 1.0,
    repeat: int = 1,
    ctx: str = '',
    axis: int | None = None,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Numbers in steps from `start`, as many as `data` has elements or an axis of it is long."""
    ...
def batch_dot(
    lhs: ndarray,
    rhs: ndarray,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = None,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The products of matrices that stand in the last two axes of two arrays, one for each batch index."""
    ...
def batch_flatten(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """`data` as a matrix, with all axes but the first made one."""
    ...
@overload
def batch_norm(
    data: ndarray,
    gamma: ndarray,
    beta: ndarray,
    moving_mean: ndarray,
    moving_var: ndarray,
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
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> list[ndarray]:
    """Each channel of `data` with mean 0 and variance 1 over the batch, times gamma plus beta."""
    ...
@overload
def batch_norm(
    data: ndarray,
    gamma: ndarray,
    beta: ndarray,
    moving_mean: ndarray,
    moving_var: ndarray,
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
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Each channel of `data` with mean 0 and variance 1 over the batch, times gamma plus beta."""
    ...
@overload
def batch_norm(
    data: ndarray,
    gamma: ndarray,
    beta: ndarray,
    moving_mean: ndarray,
    moving_var: ndarray,
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
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray | list[ndarray]:
    """Each channel of `data` with mean 0 and variance 1 over the batch, times gamma plus beta."""
    ...
def cast(
    data: ndarray,
    dtype: DTypeLike,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """`data` in another dtype, as C casts it."""
    ...
def constraint_check(
    input: ndarray,
    msg: str = 'Constraint violated.',
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Whether all elements are true, which must be."""
    ...
def convolution(
    data: ndarray,
    weight: ndarray,
    bias: ndarray | None = None,
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
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """N-D convolution of `data` with `weight`, then `bias` added to each channel."""
    ...
def deconvolution(
    data: ndarray,
    weight: ndarray,
    bias: ndarray | None = None,
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
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """N-D transposed convolution of `data` with `weight`, then `bias` added to each channel."""
    ...
def dropout(
    data: ndarray,
    p: float = 0.5,
    mode: Literal['always', 'training'] = 'training',
    axes: int | Sequence[int] = (),
    cudnn_off: bool | None = False,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Elements set to zero at random with probability `p`, the others divided by 1 - p."""
    ...
def embedding(
    data: ndarray,
    weight: ndarray,
    input_dim: int,
    output_dim: int,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool = False,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The rows of `weight` at the indices `data`."""
    ...
def erf(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The error function of each element."""
    ...
def erfinv(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The inverse of the error function at each element; infinite at -1 and 1, NaN outside of them."""
    ...
def fully_connected(
    data: ndarray,
    weight: ndarray,
    bias: ndarray | None = None,
    num_hidden: int = ...,
    no_bias: bool = False,
    flatten: bool = True,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """A fully connected layer: `data` times the transposed `weight`, plus `bias`."""
    ...
def gamma(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The gamma function of each element; infinite at 0, NaN at negative integers."""
    ...
def gammaln(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The logarithm of the gamma function's absolute value at each element."""
    ...
def gather_nd(
    data: ndarray,
    indices: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The elements, or slices, of `data` at the points whose coordinates are the rows of `indices`."""
    ...
@overload
def layer_norm(
    data: ndarray,
    gamma: ndarray,
    beta: ndarray,
    axis: int = -1,
    eps: float = 1e-05,
    *,
    output_mean_var: Literal[True],
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> list[ndarray]:
    """`data` with mean 0 and variance 1 along `axis`, times gamma plus beta."""
    ...
@overload
def layer_norm(
    data: ndarray,
    gamma: ndarray,
    beta: ndarray,
    axis: int = -1,
    eps: float = 1e-05,
    output_mean_var: Literal[False] = False,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """`data` with mean 0 and variance 1 along `axis`, times gamma plus beta."""
    ...
@overload
def layer_norm(
    data: ndarray,
    gamma: ndarray,
    beta: ndarray,
    axis: int = -1,
    eps: float = 1e-05,
    output_mean_var: bool = False,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray | list[ndarray]:
    """`data` with mean 0 and variance 1 along `axis`, times gamma plus beta."""
    ...
@overload
def leaky_relu(
    data: ndarray,
    gamma: ndarray | None = None,
    *,
    act_type: Literal['rrelu'],
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> list[ndarray]:
    """A rectifier that does not cut off negative elements but scales or bends them."""
    ...
@overload
def leaky_relu(
    data: ndarray,
    gamma: ndarray | None = None,
    act_type: Literal['elu', 'gelu', 'leaky', 'prelu', 'selu'] = 'leaky',
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """A rectifier that does not cut off negative elements but scales or bends them."""
    ...
def log_softmax(
    data: ndarray,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The logarithm of the softmax of data / temperature along `axis`."""
    ...
def multibox_detection(
    cls_prob: ndarray,
    loc_pred: ndarray,
    anchor: ndarray,
    clip: bool = True,
    threshold: float = 0.01,
    background_id: int = 0,
    nms_threshold: float = 0.5,
    force_suppress: bool = False,
    variances: float | Sequence[float] = (0.1, 0.1, 0.2, 0.2),
    nms_topk: int = -1,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """What a single-shot detector detects: class, score and corners for each anchor that shows an object."""
    ...
def multibox_prior(
    data: ndarray,
    sizes: float | Sequence[float] = (1.0,),
    ratios: float | Sequence[float] = (1.0,),
    clip: bool = False,
    steps: float | Sequence[float] = (-1.0, -1.0),
    offsets: float | Sequence[float] = (0.5, 0.5),
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Anchor boxes around each pixel of `data`, as corners; the image is the unit square."""
    ...
def multibox_target(
    anchor: ndarray,
    label: ndarray,
    cls_pred: ndarray,
    overlap_threshold: float = 0.5,
    ignore_label: float = -1.0,
    negative_mining_ratio: float = -1.0,
    negative_mining_thresh: float = 0.5,
    minimum_negative_samples: int = 0,
    variances: float | Sequence[float] = (0.1, 0.1, 0.2, 0.2),
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> list[ndarray]:
    """What a single-shot detector is trained to predict for each anchor."""
    ...
def nonzero(
    x: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The indices of what is not zero, a row for each."""
    ...
def one_hot(
    indices: ndarray,
    depth: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DTypeLike = 'float32',
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """A vector for each of `indices` that has `on_value` at that index and `off_value` elsewhere."""
    ...
def pick(
    data: ndarray,
    index: ndarray,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal['clip', 'wrap'] = 'clip',
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """One element of each row of `data` along `axis`, the one at `index`."""
    ...
def pooling(
    data: ndarray,
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
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The maximum, mean, sum or p-norm of each window of `data`."""
    ...
def relu(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Each element that is positive, and 0 in place of the others, in mx.np."""
    ...
def reshape(
    a: ndarray,
    newshape: ShapeLike | Sequence[int],
    reverse: bool = False,
    order: str = 'C',
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The elements in a shape that may be said in terms of the old one."""
    ...
def reshape_like(
    lhs: ndarray,
    rhs: ndarray,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The elements of `lhs`, in their order, in the shape of `rhs` or with some of its axes."""
    ...
@overload
def rnn(
    data: ndarray,
    parameters: ndarray,
    state: ndarray,
    state_cell: ndarray | None = None,
    sequence_length: ndarray | None = None,
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
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> list[ndarray]:
    """Layers of recurrent cells, in one direction or both, over the steps of sequences."""
    ...
@overload
def rnn(
    data: ndarray,
    parameters: ndarray,
    state: ndarray,
    state_cell: ndarray | None = None,
    sequence_length: ndarray | None = None,
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
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """Layers of recurrent cells, in one direction or both, over the steps of sequences."""
    ...
@overload
def rnn(
    data: ndarray,
    parameters: ndarray,
    state: ndarray,
    state_cell: ndarray | None = None,
    sequence_length: ndarray | None = None,
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
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray | list[ndarray]:
    """Layers of recurrent cells, in one direction or both, over the steps of sequences."""
    ...
def roi_pooling(
    data: ndarray,
    rois: ndarray,
    pooled_size: int | Sequence[int],
    spatial_scale: float,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The maximum of each bin of regions, whose corners are rounded to pixels."""
    ...
def sequence_mask(
    data: ndarray,
    sequence_length: ndarray | None = None,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """`data` with `value` in place of the steps after each sequence's length."""
    ...
def shape_array(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The sizes of `data`, as int64."""
    ...
def sigmoid(
    data: ndarray,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """1 / (1 + exp(-x)) of each element x, in mx.np."""
    ...
def slice(
    data: ndarray,
    begin: int | None | Sequence[int | None],
    end: int | None | Sequence[int | None],
    step: int | None | Sequence[int | None] | None = (),
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The part `data[begin:end:step]`, along the first axes."""
    ...
def smooth_l1(
    data: ndarray,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The smooth L1 loss of each element: a parabola near 0, a straight line beyond 1 / scalar ** 2."""
    ...
def softmax(
    data: ndarray,
    length: ndarray | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """exp(data / temperature), divided by its sum along `axis`."""
    ...
@overload
def topk(
    data: ndarray,
    axis: int | None = -1,
    k: int = 1,
    *,
    ret_typ: Literal['both'],
    is_ascend: bool = False,
    dtype: DTypeLike = 'float32',
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> list[ndarray]:
    """The `k` largest, or smallest, elements of `data` along an axis, or their indices, or both."""
    ...
@overload
def topk(
    data: ndarray,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal['indices', 'mask', 'value'] = 'indices',
    is_ascend: bool = False,
    dtype: DTypeLike = 'float32',
    *,
    out: ndarray | Sequence[ndarray] | None = None,
    name: str | None = None,
) -> ndarray:
    """The `k` largest, or smallest, elements of `data` along an axis, or their indices, or both."""
    ...
