# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from typing import Literal
from ..dtypes import DTypeLike
from .ndarray import NDArray

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
def broadcast_add(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`lhs` and `rhs` to an output; a subclass says whether they broadcast or have one shape."""
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
def broadcast_minus(
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
def broadcast_plus(
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
def degrees(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
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
def exp(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
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
def make_loss(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
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
def radians(
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
def trunc(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` of any shape to an output of the same shape."""
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
