# Written by scripts/stubs; do not edit.
from collections.abc import Mapping, Sequence
from typing import Literal
from ...attrs import ShapeLike
from ...dtypes import DTypeLike
from ...faces import Name
from ..np_symbol import _Symbol

def activation(
    data: _Symbol | None = None,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """One of five activation functions of each element, chosen by name."""
    ...
def arange_like(
    data: _Symbol | None = None,
    start: float = 0.0,
    step: float = 1.0,
    repeat: int = 1,
    ctx: str = '',
    axis: int | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """Numbers in steps from `start`, as many as `data` has elements or an axis of it is long."""
    ...
def batch_dot(
    lhs: _Symbol | None = None,
    rhs: _Symbol | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal['csr', 'default', 'row_sparse'] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The products of matrices that stand in the last two axes of two arrays, one for each batch index."""
    ...
def batch_flatten(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """`data` as a matrix, with all axes but the first made one."""
    ...
def batch_norm(
    data: _Symbol | None = None,
    gamma: _Symbol | None = None,
    beta: _Symbol | None = None,
    moving_mean: _Symbol | None = None,
    moving_var: _Symbol | None = None,
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
) -> _Symbol:
    """Each channel of `data` with mean 0 and variance 1 over the batch, times gamma plus beta."""
    ...
def cast(
    data: _Symbol | None = None,
    dtype: DTypeLike = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """`data` in another dtype, as C casts it."""
    ...
def constraint_check(
    input: _Symbol | None = None,
    msg: str = 'Constraint violated.',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """Whether all elements are true, which must be."""
    ...
def convolution(
    data: _Symbol | None = None,
    weight: _Symbol | None = None,
    bias: _Symbol | None = None,
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
) -> _Symbol:
    """N-D convolution of `data` with `weight`, then `bias` added to each channel."""
    ...
def deconvolution(
    data: _Symbol | None = None,
    weight: _Symbol | None = None,
    bias: _Symbol | None = None,
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
) -> _Symbol:
    """N-D transposed convolution of `data` with `weight`, then `bias` added to each channel."""
    ...
def dropout(
    data: _Symbol | None = None,
    p: float = 0.5,
    mode: Literal['always', 'training'] = 'training',
    axes: int | Sequence[int] = (),
    cudnn_off: bool | None = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """Elements set to zero at random with probability `p`, the others divided by 1 - p."""
    ...
def embedding(
    data: _Symbol | None = None,
    weight: _Symbol | None = None,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The rows of `weight` at the indices `data`."""
    ...
def erf(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The error function of each element."""
    ...
def erfinv(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The inverse of the error function at each element; infinite at -1 and 1, NaN outside of them."""
    ...
def fully_connected(
    data: _Symbol | None = None,
    weight: _Symbol | None = None,
    bias: _Symbol | None = None,
    num_hidden: int = ...,
    no_bias: bool = False,
    flatten: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """A fully connected layer: `data` times the transposed `weight`, plus `bias`."""
    ...
def gamma(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The gamma function of each element; infinite at 0, NaN at negative integers."""
    ...
def gammaln(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The logarithm of the gamma function's absolute value at each element."""
    ...
def gather_nd(
    data: _Symbol | None = None,
    indices: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The elements, or slices, of `data` at the points whose coordinates are the rows of `indices`."""
    ...
def layer_norm(
    data: _Symbol | None = None,
    gamma: _Symbol | None = None,
    beta: _Symbol | None = None,
    axis: int = -1,
    eps: float = 1e-05,
    output_mean_var: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """`data` with mean 0 and variance 1 along `axis`, times gamma plus beta."""
    ...
def leaky_relu(
    data: _Symbol | None = None,
    gamma: _Symbol | None = None,
    act_type: Literal['elu', 'gelu', 'leaky', 'prelu', 'rrelu', 'selu'] = 'leaky',
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """A rectifier that does not cut off negative elements but scales or bends them."""
    ...
def log_softmax(
    data: _Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The logarithm of the softmax of data / temperature along `axis`."""
    ...
def multibox_detection(
    cls_prob: _Symbol | None = None,
    loc_pred: _Symbol | None = None,
    anchor: _Symbol | None = None,
    clip: bool = True,
    threshold: float = 0.01,
    background_id: int = 0,
    nms_threshold: float = 0.5,
    force_suppress: bool = False,
    variances: float | Sequence[float] = (0.1, 0.1, 0.2, 0.2),
    nms_topk: int = -1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """What a single-shot detector detects: class, score and corners for each anchor that shows an object."""
    ...
def multibox_prior(
    data: _Symbol | None = None,
    sizes: float | Sequence[float] = (1.0,),
    ratios: float | Sequence[float] = (1.0,),
    clip: bool = False,
    steps: float | Sequence[float] = (-1.0, -1.0),
    offsets: float | Sequence[float] = (0.5, 0.5),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """Anchor boxes around each pixel of `data`, as corners; the image is the unit square."""
    ...
def multibox_target(
    anchor: _Symbol | None = None,
    label: _Symbol | None = None,
    cls_pred: _Symbol | None = None,
    overlap_threshold: float = 0.5,
    ignore_label: float = -1.0,
    negative_mining_ratio: float = -1.0,
    negative_mining_thresh: float = 0.5,
    minimum_negative_samples: int = 0,
    variances: float | Sequence[float] = (0.1, 0.1, 0.2, 0.2),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """What a single-shot detector is trained to predict for each anchor."""
    ...
def nonzero(
    x: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The indices of what is not zero, a row for each."""
    ...
def one_hot(
    indices: _Symbol | None = None,
    depth: int = ...,
    on_value: float = 1.0,
    off_value: float = 0.0,
    dtype: DTypeLike = 'float32',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """A vector for each of `indices` that has `on_value` at that index and `off_value` elsewhere."""
    ...
def pick(
    data: _Symbol | None = None,
    index: _Symbol | None = None,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal['clip', 'wrap'] = 'clip',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """One element of each row of `data` along `axis`, the one at `index`."""
    ...
def pooling(
    data: _Symbol | None = None,
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
) -> _Symbol:
    """The maximum, mean, sum or p-norm of each window of `data`."""
    ...
def relu(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """Each element that is positive, and 0 in place of the others, in mx.np."""
    ...
def reshape(
    a: _Symbol,
    newshape: ShapeLike | Sequence[int],
    reverse: bool = False,
    order: str = 'C',
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The elements in a shape that may be said in terms of the old one."""
    ...
def reshape_like(
    lhs: _Symbol | None = None,
    rhs: _Symbol | None = None,
    lhs_begin: int | None = None,
    lhs_end: int | None = None,
    rhs_begin: int | None = None,
    rhs_end: int | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The elements of `lhs`, in their order, in the shape of `rhs` or with some of its axes."""
    ...
def rnn(
    data: _Symbol | None = None,
    parameters: _Symbol | None = None,
    state: _Symbol | None = None,
    state_cell: _Symbol | None = None,
    sequence_length: _Symbol | None = None,
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
) -> _Symbol:
    """Layers of recurrent cells, in one direction or both, over the steps of sequences."""
    ...
def roi_pooling(
    data: _Symbol | None = None,
    rois: _Symbol | None = None,
    pooled_size: int | Sequence[int] = ...,
    spatial_scale: float = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The maximum of each bin of regions, whose corners are rounded to pixels."""
    ...
def sequence_mask(
    data: _Symbol | None = None,
    sequence_length: _Symbol | None = None,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """`data` with `value` in place of the steps after each sequence's length."""
    ...
def shape_array(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The sizes of `data`, as int64."""
    ...
def sigmoid(
    data: _Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """1 / (1 + exp(-x)) of each element x, in mx.np."""
    ...
def slice(
    data: _Symbol | None = None,
    begin: int | None | Sequence[int | None] = ...,
    end: int | None | Sequence[int | None] = ...,
    step: int | None | Sequence[int | None] | None = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The part `data[begin:end:step]`, along the first axes."""
    ...
def smooth_l1(
    data: _Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The smooth L1 loss of each element: a parabola near 0, a straight line beyond 1 / scalar ** 2."""
    ...
def softmax(
    data: _Symbol | None = None,
    length: _Symbol | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DTypeLike | None = None,
    use_length: bool | None = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """exp(data / temperature), divided by its sum along `axis`."""
    ...
def topk(
    data: _Symbol | None = None,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal['both', 'indices', 'mask', 'value'] = 'indices',
    is_ascend: bool = False,
    dtype: DTypeLike = 'float32',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> _Symbol:
    """The `k` largest, or smallest, elements of `data` along an axis, or their indices, or both."""
    ...
