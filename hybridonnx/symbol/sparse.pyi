# Written by scripts/stubs; do not edit.
from collections.abc import Mapping, Sequence
from typing import Literal
from ..dtypes import DTypeLike
from .symbol import Symbol

def ElementWiseSum(
    *args: Symbol | Sequence[Symbol],
    num_args: int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sum of any number of arrays of one shape."""
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
    """The rows of `weight` at the indices `data`."""
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
    """A fully connected layer: `data` times the transposed `weight`, plus `bias`."""
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
    """`data` as it is, whose gradient is that of half the squared difference to `label`."""
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
    """The sigmoid of `data`, whose gradient is that of the binary cross entropy with `label`."""
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
    """`data` as it is, whose gradient is that of the absolute difference to `label`."""
    ...
def abs(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The absolute value of each element."""
    ...
def adagrad_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    history: Symbol | None = None,
    lr: float = ...,
    epsilon: float = 1e-07,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """A step of AdaGrad (Duchi et al. 2011); of a row-sparse gradient in the rows that it stores."""
    ...
def adam_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mean: Symbol | None = None,
    var: Symbol | None = None,
    lr: float = ...,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-08,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """A step of Adam, without a correction of the averages' bias."""
    ...
def add_n(
    *args: Symbol | Sequence[Symbol],
    num_args: int | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sum of any number of arrays of one shape."""
    ...
def arccos(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The angle in [0, pi] whose cosine each element is; NaN outside of [-1, 1]."""
    ...
def arccosh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The inverse, from 0 up, of the hyperbolic cosine at each element; NaN below 1."""
    ...
def arcsin(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The angle in [-pi/2, pi/2] whose sine each element is; NaN outside of [-1, 1]."""
    ...
def arcsinh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The inverse of the hyperbolic sine at each element."""
    ...
def arctan(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The angle in (-pi/2, pi/2) whose tangent each element is."""
    ...
def arctanh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The inverse of the hyperbolic tangent at each element; NaN outside of [-1, 1]."""
    ...
def broadcast_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sum lhs + rhs of two arrays that broadcast."""
    ...
def broadcast_div(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The quotient lhs / rhs of two arrays that broadcast."""
    ...
def broadcast_minus(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The difference lhs - rhs of two arrays that broadcast."""
    ...
def broadcast_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The product lhs * rhs of two arrays that broadcast."""
    ...
def broadcast_plus(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sum lhs + rhs of two arrays that broadcast."""
    ...
def broadcast_sub(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The difference lhs - rhs of two arrays that broadcast."""
    ...
def cast_storage(
    data: Symbol | None = None,
    stype: Literal['csr', 'default', 'row_sparse'] = ...,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` in another storage type. In graphs all arrays are dense."""
    ...
def cbrt(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The cube root of each element, with its sign."""
    ...
def ceil(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The least integer not below each element."""
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
    """Each element moved to the nearer of two limits if it lies outside of them."""
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
    """The cosine of each element, in radians."""
    ...
def cosh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The hyperbolic cosine of each element."""
    ...
def degrees(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Each element, an angle in radians, in degrees."""
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
    """The product of two arrays, summed over the last axis of `lhs` and the first of `rhs`."""
    ...
def elemwise_add(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sum lhs + rhs of two arrays of one shape."""
    ...
def elemwise_div(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The quotient lhs / rhs of two arrays of one shape."""
    ...
def elemwise_mul(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The product lhs * rhs of two arrays of one shape, element by element."""
    ...
def elemwise_sub(
    lhs: Symbol | None = None,
    rhs: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The difference lhs - rhs of two arrays of one shape."""
    ...
def exp(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """e to the power of each element."""
    ...
def expm1(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """exp(x) - 1 of each element x, exact near 0 too."""
    ...
def fix(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Each element without its fraction, which is what `trunc` gives."""
    ...
def floor(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The greatest integer not above each element."""
    ...
def ftrl_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    z: Symbol | None = None,
    n: Symbol | None = None,
    lr: float = ...,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """A step of follow the regularized leader, by coordinate (McMahan et al. 2013)."""
    ...
def gamma(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The gamma function of each element; infinite at 0, NaN at negative integers."""
    ...
def gammaln(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The logarithm of the gamma function's absolute value at each element."""
    ...
def log(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The natural logarithm of each element."""
    ...
def log10(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The logarithm to base 10 of each element."""
    ...
def log1p(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """log(1 + x) of each element x, exact near 0 too."""
    ...
def log2(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The logarithm to base 2 of each element."""
    ...
def make_loss(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` as it is, whose gradient is 1, whatever that of the output."""
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
    """The mean of the elements along the axes; of integers truncated towards zero."""
    ...
def negative(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Each element times -1."""
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
    """The L1 or L2 norm of the elements along some axes."""
    ...
def radians(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Each element, an angle in degrees, in radians."""
    ...
def relu(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """Each element that is positive, and 0 in place of the others."""
    ...
def retain(
    data: Symbol | None = None,
    indices: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` with the rows that `indices` names, and zeros for the others."""
    ...
def rint(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The nearest integer to each element, halves rounded down, not to even."""
    ...
def round(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The nearest integer to each element, halves rounded away from zero."""
    ...
def rsqrt(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The reciprocal of the square root of each element."""
    ...
def sgd_mom_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    mom: Symbol | None = None,
    lr: float = ...,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """A step of gradient descent with momentum."""
    ...
def sgd_update(
    weight: Symbol | None = None,
    grad: Symbol | None = None,
    lr: float = ...,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """A step of gradient descent."""
    ...
def sigmoid(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """1 / (1 + exp(-x)) of each element x."""
    ...
def sign(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """-1, 0 or 1 by the sign of each element; 0 for NaN."""
    ...
def sin(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The sine of each element, in radians."""
    ...
def sinh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The hyperbolic sine of each element."""
    ...
def slice(
    data: Symbol | None = None,
    begin: int | None | Sequence[int | None] = ...,
    end: int | None | Sequence[int | None] = ...,
    step: int | None | Sequence[int | None] | None = (),
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The part `data[begin:end:step]`, along the first axes."""
    ...
def sqrt(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The square root of each element."""
    ...
def square(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The square of each element."""
    ...
def stop_gradient(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """`data` as it is, through which no gradient flows back."""
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
    """The sum of the elements along the axes; of bool whether any is true."""
    ...
def tan(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The tangent of each element, in radians."""
    ...
def tanh(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The hyperbolic tangent of each element."""
    ...
def trunc(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """The nearest integer to each element that is no farther from zero."""
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
    """`x` where `condition` is not 0, else `y`."""
    ...
def zeros_like(
    data: Symbol | None = None,
    *,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
    **kwargs: object,
) -> Symbol:
    """0 in the shape and dtype of `data`."""
    ...
