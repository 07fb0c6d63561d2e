# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from typing import Literal
from ..dtypes import DTypeLike
from .ndarray import NDArray

def ElementWiseSum(
    *args: NDArray | Sequence[NDArray],
    num_args: int | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum of any number of arrays of one shape."""
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
    """The rows of `weight` at the indices `data`."""
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
    """A fully connected layer: `data` times the transposed `weight`, plus `bias`."""
    ...
def LinearRegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` as it is, whose gradient is that of half the squared difference to `label`."""
    ...
def LogisticRegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sigmoid of `data`, whose gradient is that of the binary cross entropy with `label`."""
    ...
def MAERegressionOutput(
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` as it is, whose gradient is that of the absolute difference to `label`."""
    ...
def abs(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The absolute value of each element."""
    ...
def adagrad_update(
    weight: NDArray,
    grad: NDArray,
    history: NDArray,
    lr: float,
    epsilon: float = 1e-07,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of AdaGrad (Duchi et al. 2011); of a row-sparse gradient in the rows that it stores."""
    ...
def adam_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of Adam, without a correction of the averages' bias."""
    ...
def add_n(
    *args: NDArray | Sequence[NDArray],
    num_args: int | None = None,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum of any number of arrays of one shape."""
    ...
def arccos(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The angle in [0, pi] whose cosine each element is; NaN outside of [-1, 1]."""
    ...
def arccosh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The inverse, from 0 up, of the hyperbolic cosine at each element; NaN below 1."""
    ...
def arcsin(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The angle in [-pi/2, pi/2] whose sine each element is; NaN outside of [-1, 1]."""
    ...
def arcsinh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The inverse of the hyperbolic sine at each element."""
    ...
def arctan(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The angle in (-pi/2, pi/2) whose tangent each element is."""
    ...
def arctanh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The inverse of the hyperbolic tangent at each element; NaN outside of [-1, 1]."""
    ...
def broadcast_add(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum lhs + rhs of two arrays that broadcast."""
    ...
def broadcast_div(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The quotient lhs / rhs of two arrays that broadcast."""
    ...
def broadcast_minus(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The difference lhs - rhs of two arrays that broadcast."""
    ...
def broadcast_mul(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The product lhs * rhs of two arrays that broadcast."""
    ...
def broadcast_plus(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum lhs + rhs of two arrays that broadcast."""
    ...
def broadcast_sub(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The difference lhs - rhs of two arrays that broadcast."""
    ...
def cast_storage(
    data: NDArray,
    stype: Literal['csr', 'default', 'row_sparse'],
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` in another storage type. In graphs all arrays are dense."""
    ...
def cbrt(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The cube root of each element, with its sign."""
    ...
def ceil(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The least integer not below each element."""
    ...
def clip(
    data: NDArray,
    a_min: float,
    a_max: float,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Each element moved to the nearer of two limits if it lies outside of them."""
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
    """The cosine of each element, in radians."""
    ...
def cosh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The hyperbolic cosine of each element."""
    ...
def degrees(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Each element, an angle in radians, in degrees."""
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
    """The product of two arrays, summed over the last axis of `lhs` and the first of `rhs`."""
    ...
def elemwise_add(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sum lhs + rhs of two arrays of one shape."""
    ...
def elemwise_div(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The quotient lhs / rhs of two arrays of one shape."""
    ...
def elemwise_mul(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The product lhs * rhs of two arrays of one shape, element by element."""
    ...
def elemwise_sub(
    lhs: NDArray,
    rhs: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The difference lhs - rhs of two arrays of one shape."""
    ...
def exp(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """e to the power of each element."""
    ...
def expm1(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """exp(x) - 1 of each element x, exact near 0 too."""
    ...
def fix(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Each element without its fraction, which is what `trunc` gives."""
    ...
def floor(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The greatest integer not above each element."""
    ...
def ftrl_update(
    weight: NDArray,
    grad: NDArray,
    z: NDArray,
    n: NDArray,
    lr: float,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of follow the regularized leader, by coordinate (McMahan et al. 2013)."""
    ...
def gamma(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The gamma function of each element; infinite at 0, NaN at negative integers."""
    ...
def gammaln(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The logarithm of the gamma function's absolute value at each element."""
    ...
def log(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The natural logarithm of each element."""
    ...
def log10(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The logarithm to base 10 of each element."""
    ...
def log1p(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """log(1 + x) of each element x, exact near 0 too."""
    ...
def log2(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The logarithm to base 2 of each element."""
    ...
def make_loss(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` as it is, whose gradient is 1, whatever that of the output."""
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
    """The mean of the elements along the axes; of integers truncated towards zero."""
    ...
def negative(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Each element times -1."""
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
    """The L1 or L2 norm of the elements along some axes."""
    ...
def radians(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Each element, an angle in degrees, in radians."""
    ...
def relu(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Each element that is positive, and 0 in place of the others."""
    ...
def retain(
    data: NDArray,
    indices: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` with the rows that `indices` names, and zeros for the others."""
    ...
def rint(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The nearest integer to each element, halves rounded down, not to even."""
    ...
def round(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The nearest integer to each element, halves rounded away from zero."""
    ...
def rsqrt(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The reciprocal of the square root of each element."""
    ...
def sgd_mom_update(
    weight: NDArray,
    grad: NDArray,
    mom: NDArray,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of gradient descent with momentum."""
    ...
def sgd_update(
    weight: NDArray,
    grad: NDArray,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """A step of gradient descent."""
    ...
def sigmoid(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """1 / (1 + exp(-x)) of each element x."""
    ...
def sign(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """-1, 0 or 1 by the sign of each element; 0 for NaN."""
    ...
def sin(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The sine of each element, in radians."""
    ...
def sinh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The hyperbolic sine of each element."""
    ...
def slice(
    data: NDArray,
    begin: int | None | Sequence[int | None],
    end: int | None | Sequence[int | None],
    step: int | None | Sequence[int | None] | None = (),
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The part `data[begin:end:step]`, along the first axes."""
    ...
def sqrt(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The square root of each element."""
    ...
def square(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The square of each element."""
    ...
def stop_gradient(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`data` as it is, through which no gradient flows back."""
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
    """The sum of the elements along the axes; of bool whether any is true."""
    ...
def tan(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The tangent of each element, in radians."""
    ...
def tanh(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The hyperbolic tangent of each element."""
    ...
def trunc(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The nearest integer to each element that is no farther from zero."""
    ...
def where(
    condition: NDArray,
    x: NDArray,
    y: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """`x` where `condition` is not 0, else `y`."""
    ...
def zeros_like(
    data: NDArray,
    *,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """0 in the shape and dtype of `data`."""
    ...
