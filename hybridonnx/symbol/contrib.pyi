# Written by scripts/stubs; do not edit.
from collections.abc import Mapping, Sequence
from typing import Literal
from .symbol import Symbol

def AdaptiveAvgPooling2D(
    data: Symbol | None = None,
    output_size: int | Sequence[int] = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The means of images (N, C, H, W) over output_size equal parts of height and width."""
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
    """`BatchNorm` of data (N, C, *spatial), and of that what is positive."""
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
    """Images (N, C, H, W) resized by bilinear interpolation, to a size or as large as `like`."""
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
    """`BatchNorm` of data (N, C, *spatial) over the batches of `ndev` devices; here there is one."""
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
    """start, start + step, … in the shape of `data`, or as many as `axis` is long; each `repeat` times."""
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
    """Those rows of `data` (N, *rest) for which `index` (N,) is not 0."""
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
def gradientmultiplier(
    data: Symbol | None = None,
    scalar: float = 1.0,
    is_int: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape, unchanged; its gradient is multiplied by `scalar`."""
    ...
def index_array(
    data: Symbol | None = None,
    axes: int | Sequence[int] | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The index of each element of `data`, or its part along `axes`, as int64 (*data's shape, axes)."""
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
    """`old_tensor` with the rows of `new_tensor` in place of those with the indices of `index_vector`."""
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
    """`a * data² + b * data + c` for `data` of any shape."""
    ...
def round_ste(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
def sign_ste(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` of any shape to an output of the same shape."""
    ...
