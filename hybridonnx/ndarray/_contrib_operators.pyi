# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from typing import Literal, overload
from .ndarray import NDArray

def AdaptiveAvgPooling2D(
    data: NDArray,
    output_size: int | Sequence[int] = (),
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The means of images over as many about equal parts of height and width as the output has pixels."""
    ...
@overload
def BatchNormWithReLU(
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
    """`BatchNorm` of data, with 0 in place of negative results."""
    ...
@overload
def BatchNormWithReLU(
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
    """`BatchNorm` of data, with 0 in place of negative results."""
    ...
@overload
def BatchNormWithReLU(
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
    """`BatchNorm` of data, with 0 in place of negative results."""
    ...
def BilinearResize2D(
    data: NDArray,
    like: NDArray | None = None,
    height: int = 1,
    width: int = 1,
    scale_height: float | None = None,
    scale_width: float | None = None,
    mode: Literal['like', 'odd_scale', 'size', 'to_even_down', 'to_even_up', 'to_odd_down', 'to_odd_up'] = 'size',
    align_corners: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Images resized by bilinear interpolation, to a size or as large as others."""
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
    """Connectionist temporal classification: the loss of sequences whose labels are not aligned to steps."""
    ...
@overload
def SyncBatchNorm(
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
    ndev: int = 1,
    key: str = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """`BatchNorm` over the batches of several devices, of which there is one here."""
    ...
@overload
def SyncBatchNorm(
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
    ndev: int = 1,
    key: str = ...,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`BatchNorm` over the batches of several devices, of which there is one here."""
    ...
@overload
def SyncBatchNorm(
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
    ndev: int = 1,
    key: str = ...,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray | list[NDArray]:
    """`BatchNorm` over the batches of several devices, of which there is one here."""
    ...
def allclose(
    a: NDArray,
    b: NDArray,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 if all elements of two arrays of one shape are close, that is |a - b| ≤ atol + rtol |b|, else 0."""
    ...
def arange_like(
    data: NDArray,
    start: float = 0.0,
    step: float = 1.0,
    repeat: int = 1,
    ctx: str = '',
    axis: int | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Numbers in steps from `start`, as many as `data` has elements or an axis of it is long."""
    ...
def boolean_mask(
    data: NDArray,
    index: NDArray,
    axis: int = 0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Those rows of `data` for which `index` is not 0."""
    ...
def calibrate_entropy(
    hist: NDArray,
    hist_edges: NDArray,
    num_quantized_bins: int = 255,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """The threshold at which quantized values keep most of the information that a histogram has."""
    ...
def count_sketch(
    data: NDArray,
    h: NDArray,
    s: NDArray,
    out_dim: int,
    processing_batch_size: int = 32,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The columns of data, each with its sign, added up in those columns that a hash says."""
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
    """Connectionist temporal classification: the loss of sequences whose labels are not aligned to steps."""
    ...
def div_sqrt_dim(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` divided by the square root of the size of its last axis, as attention scales its queries."""
    ...
def fft(
    data: NDArray,
    compute_size: int = 128,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The discrete Fourier transform of real numbers along the last axis."""
    ...
def gradientmultiplier(
    data: NDArray,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` as it is, whose gradient is multiplied by `scalar`."""
    ...
def hawkesll(
    lda: NDArray,
    alpha: NDArray,
    beta: NDArray,
    state: NDArray,
    lags: NDArray,
    marks: NDArray,
    valid_length: NDArray,
    max_time: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> list[NDArray]:
    """The logarithm of the likelihood of the events of Hawkes processes, and their states at the end of time."""
    ...
def ifft(
    data: NDArray,
    compute_size: int = 128,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The real part of the inverse discrete Fourier transform along the last axis, times its length."""
    ...
def index_array(
    data: NDArray,
    axes: int | Sequence[int] | None = None,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The index of each element of `data`, or some axes' part of it, as int64."""
    ...
def index_copy(
    old_tensor: NDArray,
    index_vector: NDArray,
    new_tensor: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`old_tensor` with the rows of `new_tensor` in place of those at `index_vector`."""
    ...
def interleaved_matmul_encdec_qk(
    queries: NDArray,
    keys_values: NDArray,
    heads: int,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """How well each query of a sequence fits another one's keys: their products, over the root of D."""
    ...
def interleaved_matmul_encdec_valatt(
    keys_values: NDArray,
    attention: NDArray,
    heads: int,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sums of another sequence's values, weighted by attention."""
    ...
def interleaved_matmul_selfatt_qk(
    queries_keys_values: NDArray,
    heads: int,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """How well each query of a sequence fits its keys: products of queries and keys, over the root of D."""
    ...
def interleaved_matmul_selfatt_valatt(
    queries_keys_values: NDArray,
    attention: NDArray,
    heads: int,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sums of a sequence's values, weighted by attention."""
    ...
def quadratic(
    data: NDArray,
    a: float = 0.0,
    b: float = 0.0,
    c: float = 0.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`a * x ** 2 + b * x + c` of each element x."""
    ...
def round_ste(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Each element rounded as `round` does, through which the gradient passes unchanged."""
    ...
def sign_ste(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sign of each element, through which the gradient passes unchanged."""
    ...
