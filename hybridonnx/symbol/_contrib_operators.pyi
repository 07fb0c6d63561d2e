# Written by scripts/stubs; do not edit.
from collections.abc import Mapping, Sequence
from typing import Literal
from ..dtypes import DTypeLike
from .symbol import Symbol

def AdaptiveAvgPooling2D(
    data: Symbol | None = None,
    output_size: int | Sequence[int] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The means of images over as many about equal parts of height and width as the output has pixels."""
    ...
def BatchNormWithReLU(
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
    """`BatchNorm` of data, with 0 in place of negative results."""
    ...
def BilinearResize2D(
    data: Symbol | None = None,
    like: Symbol | None = None,
    height: int = 1,
    width: int = 1,
    scale_height: float | None = None,
    scale_width: float | None = None,
    mode: Literal['like', 'odd_scale', 'size', 'to_even_down', 'to_even_up', 'to_odd_down', 'to_odd_up'] = 'size',
    align_corners: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Images resized by bilinear interpolation, to a size or as large as others."""
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
    """Connectionist temporal classification: the loss of sequences whose labels are not aligned to steps."""
    ...
def DeformableConvolution(
    data: Symbol | None = None,
    offset: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    num_filter: int = ...,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    layout: Literal['NCDHW', 'NCHW', 'NCW'] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """2-D convolution whose windows' elements are moved by `offset` and read between pixels."""
    ...
def DeformablePSROIPooling(
    data: Symbol | None = None,
    rois: Symbol | None = None,
    trans: Symbol | None = None,
    spatial_scale: float = ...,
    output_dim: int = ...,
    group_size: int = ...,
    pooled_size: int = ...,
    part_size: int = 0,
    sample_per_part: int = 1,
    trans_std: float = 0.0,
    no_trans: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The mean of samples, read between pixels, in each bin of regions, which `trans` moves."""
    ...
def ModulatedDeformableConvolution(
    data: Symbol | None = None,
    offset: Symbol | None = None,
    mask: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    kernel: int | Sequence[int] = ...,
    stride: int | Sequence[int] = (),
    dilate: int | Sequence[int] = (),
    pad: int | Sequence[int] = (),
    num_filter: int = ...,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    im2col_step: int = 64,
    layout: Literal['NCDHW', 'NCHW', 'NCW'] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Deformable 2-D convolution whose windows' elements are multiplied by `mask`; around the data are zeros."""
    ...
def MultiBoxDetection(
    cls_prob: Symbol | None = None,
    loc_pred: Symbol | None = None,
    anchor: Symbol | None = None,
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
) -> Symbol:
    """What a single-shot detector detects: class, score and corners for each anchor that shows an object."""
    ...
def MultiBoxPrior(
    data: Symbol | None = None,
    sizes: float | Sequence[float] = (1.0,),
    ratios: float | Sequence[float] = (1.0,),
    clip: bool = False,
    steps: float | Sequence[float] = (-1.0, -1.0),
    offsets: float | Sequence[float] = (0.5, 0.5),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Anchor boxes around each pixel of `data`, as corners; the image is the unit square."""
    ...
def MultiBoxTarget(
    anchor: Symbol | None = None,
    label: Symbol | None = None,
    cls_pred: Symbol | None = None,
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
) -> Symbol:
    """What a single-shot detector is trained to predict for each anchor."""
    ...
def MultiProposal(
    cls_prob: Symbol | None = None,
    bbox_pred: Symbol | None = None,
    im_info: Symbol | None = None,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.7,
    rpn_min_size: int = 16,
    scales: float | Sequence[float] = (4.0, 8.0, 16.0, 32.0),
    ratios: float | Sequence[float] = (0.5, 1.0, 2.0),
    feature_stride: int = 16,
    output_score: bool = False,
    iou_loss: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The regions of several images that a net for region proposals thinks to show objects."""
    ...
def PSROIPooling(
    data: Symbol | None = None,
    rois: Symbol | None = None,
    spatial_scale: float = ...,
    output_dim: int = ...,
    pooled_size: int = ...,
    group_size: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The mean of each bin of regions, whose corners are rounded, in channels of the bin's own."""
    ...
def Proposal(
    cls_prob: Symbol | None = None,
    bbox_pred: Symbol | None = None,
    im_info: Symbol | None = None,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.7,
    rpn_min_size: int = 16,
    scales: float | Sequence[float] = (4.0, 8.0, 16.0, 32.0),
    ratios: float | Sequence[float] = (0.5, 1.0, 2.0),
    feature_stride: int = 16,
    output_score: bool = False,
    iou_loss: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The regions of one image that a net for region proposals thinks to show objects."""
    ...
def ROIAlign(
    data: Symbol | None = None,
    rois: Symbol | None = None,
    pooled_size: int | Sequence[int] = ...,
    spatial_scale: float = ...,
    sample_ratio: int = -1,
    position_sensitive: bool = False,
    aligned: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The mean of samples, read between pixels, in each bin of regions whose corners lie anywhere."""
    ...
def RROIAlign(
    data: Symbol | None = None,
    rois: Symbol | None = None,
    pooled_size: int | Sequence[int] = ...,
    spatial_scale: float = ...,
    sampling_ratio: int = -1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The mean of samples, read between pixels, in each bin of regions that are rotated."""
    ...
def SparseEmbedding(
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
    """The rows of `weight` at the indices `data`, whose gradient stores only these rows."""
    ...
def SyncBatchNorm(
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
    ndev: int = 1,
    key: str = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`BatchNorm` over the batches of several devices, of which there is one here."""
    ...
def allclose(
    a: Symbol | None = None,
    b: Symbol | None = None,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """1 if all elements of two arrays of one shape are close, that is |a - b| ≤ atol + rtol |b|, else 0."""
    ...
def arange_like(
    data: Symbol | None = None,
    start: float = 0.0,
    step: float = 1.0,
    repeat: int = 1,
    ctx: str = '',
    axis: int | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Numbers in steps from `start`, as many as `data` has elements or an axis of it is long."""
    ...
def bipartite_matching(
    data: Symbol | None = None,
    is_ascend: bool = False,
    threshold: float = ...,
    topk: int = -1,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Pairs of a row and a column of a matrix of scores, best pairs first, no row or column twice."""
    ...
def boolean_mask(
    data: Symbol | None = None,
    index: Symbol | None = None,
    axis: int = 0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Those rows of `data` for which `index` is not 0."""
    ...
def box_decode(
    data: Symbol | None = None,
    anchors: Symbol | None = None,
    std0: float = 1.0,
    std1: float = 1.0,
    std2: float = 1.0,
    std3: float = 1.0,
    clip: float = -1.0,
    format: Literal['center', 'corner'] = 'center',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The boxes, as corners, that predicted offsets from anchors stand for."""
    ...
def box_encode(
    samples: Symbol | None = None,
    matches: Symbol | None = None,
    anchors: Symbol | None = None,
    refs: Symbol | None = None,
    means: Symbol | None = None,
    stds: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """What a detector is trained to predict of boxes: offsets of the centers, and logarithms of the sizes."""
    ...
def box_iou(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    format: Literal['center', 'corner'] = 'corner',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Intersection over union of each box of `lhs` with each of `rhs`."""
    ...
def box_nms(
    data: Symbol | None = None,
    overlap_thresh: float = 0.5,
    valid_thresh: float = 0.0,
    topk: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = -1,
    background_id: int = -1,
    force_suppress: bool = False,
    in_format: Literal['center', 'corner'] = 'corner',
    out_format: Literal['center', 'corner'] = 'corner',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Non-maximum suppression: of boxes that overlap the one with the highest score stays."""
    ...
def box_non_maximum_suppression(
    data: Symbol | None = None,
    overlap_thresh: float = 0.5,
    valid_thresh: float = 0.0,
    topk: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = -1,
    background_id: int = -1,
    force_suppress: bool = False,
    in_format: Literal['center', 'corner'] = 'corner',
    out_format: Literal['center', 'corner'] = 'corner',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Non-maximum suppression: of boxes that overlap the one with the highest score stays."""
    ...
def calibrate_entropy(
    hist: Symbol | None = None,
    hist_edges: Symbol | None = None,
    num_quantized_bins: int = 255,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The threshold at which quantized values keep most of the information that a histogram has."""
    ...
def count_sketch(
    data: Symbol | None = None,
    h: Symbol | None = None,
    s: Symbol | None = None,
    out_dim: int = ...,
    processing_batch_size: int = 32,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The columns of data, each with its sign, added up in those columns that a hash says."""
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
    """Connectionist temporal classification: the loss of sequences whose labels are not aligned to steps."""
    ...
def dequantize(
    data: Symbol | None = None,
    min_range: Symbol | None = None,
    max_range: Symbol | None = None,
    out_type: DTypeLike = 'float32',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Integers of 8 bits as the numbers that they stand for."""
    ...
def div_sqrt_dim(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` divided by the square root of the size of its last axis, as attention scales its queries."""
    ...
def fft(
    data: Symbol | None = None,
    compute_size: int = 128,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The discrete Fourier transform of real numbers along the last axis."""
    ...
def gradientmultiplier(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` as it is, whose gradient is multiplied by `scalar`."""
    ...
def group_adagrad_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    history: Symbol | None = None,
    lr: float = ...,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    epsilon: float = 1e-05,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """A step of AdaGrad with one sum for each row; of a row-sparse gradient in the rows that it stores."""
    ...
def hawkesll(
    lda: Symbol | None = None,
    alpha: Symbol | None = None,
    beta: Symbol | None = None,
    state: Symbol | None = None,
    lags: Symbol | None = None,
    marks: Symbol | None = None,
    valid_length: Symbol | None = None,
    max_time: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The logarithm of the likelihood of the events of Hawkes processes, and their states at the end of time."""
    ...
def ifft(
    data: Symbol | None = None,
    compute_size: int = 128,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The real part of the inverse discrete Fourier transform along the last axis, times its length."""
    ...
def index_array(
    data: Symbol | None = None,
    axes: int | Sequence[int] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The index of each element of `data`, or some axes' part of it, as int64."""
    ...
def index_copy(
    old_tensor: Symbol | None = None,
    index_vector: Symbol | None = None,
    new_tensor: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`old_tensor` with the rows of `new_tensor` in place of those at `index_vector`."""
    ...
def interleaved_matmul_encdec_qk(
    queries: Symbol | None = None,
    keys_values: Symbol | None = None,
    heads: int = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """How well each query of a sequence fits another one's keys: their products, over the root of D."""
    ...
def interleaved_matmul_encdec_valatt(
    keys_values: Symbol | None = None,
    attention: Symbol | None = None,
    heads: int = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sums of another sequence's values, weighted by attention."""
    ...
def interleaved_matmul_selfatt_qk(
    queries_keys_values: Symbol | None = None,
    heads: int = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """How well each query of a sequence fits its keys: products of queries and keys, over the root of D."""
    ...
def interleaved_matmul_selfatt_valatt(
    queries_keys_values: Symbol | None = None,
    attention: Symbol | None = None,
    heads: int = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sums of a sequence's values, weighted by attention."""
    ...
def quadratic(
    data: Symbol | None = None,
    a: float = 0.0,
    b: float = 0.0,
    c: float = 0.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`a * x ** 2 + b * x + c` of each element x."""
    ...
def quantize(
    data: Symbol | None = None,
    min_range: Symbol | None = None,
    max_range: Symbol | None = None,
    out_type: DTypeLike = 'uint8',
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Numbers as integers of 8 bits, by a range that two arrays give."""
    ...
def quantize_asym(
    data: Symbol | None = None,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Numbers as uint8 by a scale and a shift, so that the whole of a range is used."""
    ...
def quantize_v2(
    data: Symbol | None = None,
    out_type: Literal['auto', 'int8', 'uint8'] = 'int8',
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Numbers as integers of 8 bits, by a calibrated range or by their own."""
    ...
def quantized_act(
    data: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
    act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Zero in place of negative integers."""
    ...
def quantized_batch_norm(
    data: Symbol | None = None,
    gamma: Symbol | None = None,
    beta: Symbol | None = None,
    moving_mean: Symbol | None = None,
    moving_var: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
    eps: float = 0.0010000000474974513,
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
    """Batch normalization of integers by the moving mean and variance, to int8 in a calibrated range."""
    ...
def quantized_concat(
    *data: Symbol | Sequence[Symbol],
    num_args: int | None = None,
    dim: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Arrays of integers one after the other along `dim`, brought to one range, which zero is in."""
    ...
def quantized_conv(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
    min_weight: Symbol | None = None,
    max_weight: Symbol | None = None,
    min_bias: Symbol | None = None,
    max_bias: Symbol | None = None,
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
    """Convolution of integers with int8 filters, plus `bias`, over 2 or 3 axes."""
    ...
def quantized_elemwise_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    lhs_min: Symbol | None = None,
    lhs_max: Symbol | None = None,
    rhs_min: Symbol | None = None,
    rhs_max: Symbol | None = None,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sum of two arrays of integers, each in its own range."""
    ...
def quantized_elemwise_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    lhs_min: Symbol | None = None,
    lhs_max: Symbol | None = None,
    rhs_min: Symbol | None = None,
    rhs_max: Symbol | None = None,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    enable_float_output: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The product of two arrays of int8, each in its own range."""
    ...
def quantized_embedding(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    min_weight: Symbol | None = None,
    max_weight: Symbol | None = None,
    input_dim: int = ...,
    output_dim: int = ...,
    dtype: DTypeLike = 'float32',
    sparse_grad: bool = False,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The rows of int8 numbers at the indices `data`."""
    ...
def quantized_flatten(
    data: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Integers as a matrix, with all axes but the first made one."""
    ...
def quantized_fully_connected(
    data: Symbol | None = None,
    weight: Symbol | None = None,
    bias: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
    min_weight: Symbol | None = None,
    max_weight: Symbol | None = None,
    min_bias: Symbol | None = None,
    max_bias: Symbol | None = None,
    num_hidden: int = ...,
    no_bias: bool = False,
    flatten: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """A fully connected layer on integers: `data` times the transposed `weight`, plus `bias`."""
    ...
def quantized_pooling(
    data: Symbol | None = None,
    min_data: Symbol | None = None,
    max_data: Symbol | None = None,
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
    """The maximum or the mean of each window of integers."""
    ...
def requantize(
    data: Symbol | None = None,
    min_range: Symbol | None = None,
    max_range: Symbol | None = None,
    out_type: Literal['auto', 'int8', 'uint8'] = 'int8',
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Sums of int32 as integers of 8 bits, by a calibrated range or by that of the sums."""
    ...
def round_ste(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Each element rounded as `round` does, through which the gradient passes unchanged."""
    ...
def sign_ste(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sign of each element, through which the gradient passes unchanged."""
    ...
