# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from typing import Any, Literal, NoReturn, overload
from ...attrs import ShapeLike
from ...dtypes import DTypeLike
from ...faces import Axes, Name, Sections
from ..np_symbol import _Symbol

@overload
def abs(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `abs` of each element."""
    ...
@overload
def abs(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `abs` of each element."""
    ...
@overload
def absolute(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `absolute` of each element."""
    ...
@overload
def absolute(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `absolute` of each element."""
    ...
@overload
def add(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `add` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def add(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `add` of two arrays that broadcast, or of an array and a number."""
    ...
def all(
    a: _Symbol,
    axis: Axes = None,
    keepdims: bool = False,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """Whether all elements along some axes are not zero."""
    ...
def amax(
    a: _Symbol,
    axis: Axes = None,
    keepdims: bool = False,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The largest element along some axes."""
    ...
def amin(
    a: _Symbol,
    axis: Axes = None,
    keepdims: bool = False,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The smallest element along some axes."""
    ...
def any(
    a: _Symbol,
    axis: Axes = None,
    keepdims: bool = False,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """Whether any element along some axes is not zero."""
    ...
def append(arr: _Symbol, values: _Symbol, axis: int | None = None) -> _Symbol:
    """The values behind the array along an axis."""
    ...
def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: DTypeLike | None = None,
    ctx: object = None,
) -> _Symbol:
    """Evenly spaced numbers from one up to but without another."""
    ...
@overload
def arccos(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `arccos` of each element."""
    ...
@overload
def arccos(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `arccos` of each element."""
    ...
@overload
def arccosh(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `arccosh` of each element."""
    ...
@overload
def arccosh(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `arccosh` of each element."""
    ...
@overload
def arcsin(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `arcsin` of each element."""
    ...
@overload
def arcsin(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `arcsin` of each element."""
    ...
@overload
def arcsinh(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `arcsinh` of each element."""
    ...
@overload
def arcsinh(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `arcsinh` of each element."""
    ...
@overload
def arctan(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `arctan` of each element."""
    ...
@overload
def arctan(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `arctan` of each element."""
    ...
@overload
def arctan2(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `arctan2` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def arctan2(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `arctan2` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def arctanh(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `arctanh` of each element."""
    ...
@overload
def arctanh(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `arctanh` of each element."""
    ...
def argmax(a: _Symbol, axis: int | None = None, out: _Symbol | None = None) -> _Symbol:
    """The first index of the largest element along an axis."""
    ...
def argmin(a: _Symbol, axis: int | None = None, out: _Symbol | None = None) -> _Symbol:
    """The first index of the smallest element along an axis."""
    ...
def argsort(a: _Symbol, axis: int | None = -1, kind: str | None = None, order: object = None) -> _Symbol:
    """The indices of the elements in ascending order along an axis."""
    ...
def around(x: _Symbol, decimals: int = 0, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """The elements rounded to a number of decimals."""
    ...
def array_split(ary: _Symbol, indices_or_sections: Sections, axis: int = 0) -> list[_Symbol]:
    """Parts along an axis, so many of almost equal size, or ones that end at the given indices."""
    ...
@overload
def atleast_1d(ary: _Symbol, /, *, out: _Symbol | None = None, name: Name = None) -> _Symbol:
    """With an axis, if there is none."""
    ...
@overload
def atleast_1d(*arys: _Symbol, out: _Symbol | None = None, name: Name = None) -> list[_Symbol]:
    """With an axis, if there is none."""
    ...
@overload
def atleast_2d(ary: _Symbol, /, *, out: _Symbol | None = None, name: Name = None) -> _Symbol:
    """With two axes at least."""
    ...
@overload
def atleast_2d(*arys: _Symbol, out: _Symbol | None = None, name: Name = None) -> list[_Symbol]:
    """With two axes at least."""
    ...
@overload
def atleast_3d(ary: _Symbol, /, *, out: _Symbol | None = None, name: Name = None) -> _Symbol:
    """With three axes at least."""
    ...
@overload
def atleast_3d(*arys: _Symbol, out: _Symbol | None = None, name: Name = None) -> list[_Symbol]:
    """With three axes at least."""
    ...
@overload
def average(
    a: _Symbol,
    axis: Axes = None,
    weights: _Symbol | None = None,
    returned: Literal[False] = False,
    out: _Symbol | None = None,
) -> _Symbol:
    """The mean of the elements along some axes, perhaps with weights."""
    ...
@overload
def average(
    a: _Symbol,
    axis: Axes = None,
    weights: _Symbol | None = None,
    *,
    returned: Literal[True],
    out: _Symbol | None = None,
) -> list[_Symbol]:
    """The mean of the elements along some axes, perhaps with weights."""
    ...
def bincount(x: _Symbol, weights: _Symbol | None = None, minlength: int = 0) -> _Symbol:
    """How often each integer from 0 up occurs, or the sum of the weights where it does."""
    ...
@overload
def bitwise_and(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `bitwise_and` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def bitwise_and(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `bitwise_and` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def bitwise_not(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `bitwise_not` of each element."""
    ...
@overload
def bitwise_not(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `bitwise_not` of each element."""
    ...
@overload
def bitwise_or(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `bitwise_or` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def bitwise_or(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `bitwise_or` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def bitwise_xor(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `bitwise_xor` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def bitwise_xor(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `bitwise_xor` of two arrays that broadcast, or of an array and a number."""
    ...
def blackman(M: int, dtype: DTypeLike = ..., ctx: object = None) -> _Symbol:
    """The weights of the Blackman window."""
    ...
def broadcast_to(array: _Symbol, shape: ShapeLike) -> _Symbol:
    """Repeated to a shape, which may have more axes in front."""
    ...
@overload
def cbrt(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `cbrt` of each element."""
    ...
@overload
def cbrt(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `cbrt` of each element."""
    ...
@overload
def ceil(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `ceil` of each element."""
    ...
@overload
def ceil(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `ceil` of each element."""
    ...
def clip(a: _Symbol, a_min: float | None, a_max: float | None, out: _Symbol | None = None) -> _Symbol:
    """The elements within limits."""
    ...
def column_stack(tup: Sequence[_Symbol]) -> _Symbol:
    """Arrays beside each other, vectors as columns."""
    ...
def concatenate(seq: Sequence[_Symbol], axis: int | None = 0, out: _Symbol | None = None) -> _Symbol:
    """Arrays one after the other along an axis."""
    ...
def copy(a: _Symbol, out: _Symbol | None = None, name: Name = None) -> _Symbol:
    """A copy."""
    ...
@overload
def copysign(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `copysign` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def copysign(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `copysign` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def cos(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `cos` of each element."""
    ...
@overload
def cos(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `cos` of each element."""
    ...
@overload
def cosh(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `cosh` of each element."""
    ...
@overload
def cosh(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `cosh` of each element."""
    ...
def cumsum(
    a: _Symbol,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The sum of all elements up to each one along an axis."""
    ...
@overload
def deg2rad(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `deg2rad` of each element."""
    ...
@overload
def deg2rad(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `deg2rad` of each element."""
    ...
@overload
def degrees(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `degrees` of each element."""
    ...
@overload
def degrees(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `degrees` of each element."""
    ...
def delete(arr: _Symbol, obj: _Symbol | int | slice, axis: int | None = None) -> _Symbol:
    """The array without the elements at the given indices, outside of autograd."""
    ...
def diag(array: _Symbol, k: int = 0, out: _Symbol | None = None, name: Name = None) -> _Symbol:
    """A diagonal of a matrix, or a matrix of a diagonal."""
    ...
def diag_indices_from(arr: _Symbol) -> _Symbol:
    """The indices of the main diagonal of an array whose axes have one size, a row for each axis."""
    ...
def diagflat(array: _Symbol, k: int = 0, out: _Symbol | None = None, name: Name = None) -> _Symbol:
    """A matrix of all elements on a diagonal."""
    ...
def diagonal(
    a: _Symbol,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The diagonals of matrices along two axes."""
    ...
def diff(
    a: _Symbol,
    n: int = 1,
    axis: int = -1,
    prepend: object = None,
    append: object = None,
) -> _Symbol:
    """The differences of elements that follow each other along an axis."""
    ...
@overload
def divide(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `divide` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def divide(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `divide` of two arrays that broadcast, or of an array and a number."""
    ...
def dot(a: _Symbol, b: _Symbol, out: _Symbol | None = None, name: Name = None) -> _Symbol:
    """The product, summed over the last axis of a and the last but one of b."""
    ...
def dsplit(ary: _Symbol, indices_or_sections: Sections) -> list[_Symbol]:
    """Parts along the third axis."""
    ...
def dstack(arrays: Sequence[_Symbol]) -> _Symbol:
    """Arrays behind each other."""
    ...
def ediff1d(
    ary: _Symbol,
    to_end: _Symbol | float | None = None,
    to_begin: _Symbol | float | None = None,
) -> _Symbol:
    """The differences of elements that follow each other in the array laid out flat, between others."""
    ...
def einsum(*operands: Any, **kwargs: Any) -> _Symbol:
    """Products of arrays, summed over the axes whose letters the output lacks."""
    ...
def empty_like(
    prototype: _Symbol,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    subok: bool = False,
    shape: ShapeLike | None = None,
) -> _Symbol:
    """An array of another's shape whose values are still to be written; here zeros."""
    ...
@overload
def equal(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `equal` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def equal(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `equal` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def exp(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `exp` of each element."""
    ...
@overload
def exp(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `exp` of each element."""
    ...
def expand_dims(a: _Symbol, axis: int) -> _Symbol:
    """With a new axis of size 1."""
    ...
@overload
def expm1(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `expm1` of each element."""
    ...
@overload
def expm1(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `expm1` of each element."""
    ...
def eye(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = ..., **kwargs: Any) -> _Symbol:
    """A matrix of ones on one diagonal and zeros elsewhere."""
    ...
@overload
def fabs(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `fabs` of each element."""
    ...
@overload
def fabs(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `fabs` of each element."""
    ...
@overload
def fix(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `fix` of each element."""
    ...
@overload
def fix(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `fix` of each element."""
    ...
def flip(m: _Symbol, axis: Axes = None, out: _Symbol | None = None) -> _Symbol:
    """The elements reversed along some axes."""
    ...
def fliplr(m: _Symbol) -> _Symbol:
    """The columns in reverse order."""
    ...
def flipud(m: _Symbol) -> _Symbol:
    """The rows in reverse order."""
    ...
@overload
def floor(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `floor` of each element."""
    ...
@overload
def floor(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `floor` of each element."""
    ...
def full(
    shape: ShapeLike,
    fill_value: _Symbol | float,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    ctx: object = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """An array of one value, or of an array's that broadcasts."""
    ...
def full_like(
    a: _Symbol,
    fill_value: float,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    ctx: object = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """An array of one value with the shape of another."""
    ...
@overload
def greater(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `greater` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def greater(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `greater` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def greater_equal(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `greater_equal` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def greater_equal(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `greater_equal` of two arrays that broadcast, or of an array and a number."""
    ...
def hamming(M: int, dtype: DTypeLike = ..., ctx: object = None) -> _Symbol:
    """The weights of the Hamming window."""
    ...
def hanning(M: int, dtype: DTypeLike = ..., ctx: object = None) -> _Symbol:
    """The weights of the Hann window."""
    ...
def histogram(
    a: _Symbol,
    bins: _Symbol | int = 10,
    range: tuple[float, float] | None = None,
    normed: bool | None = None,
    weights: _Symbol | None = None,
    density: bool | None = None,
) -> list[_Symbol]:
    """How many elements lie in each bin, and the bins' edges."""
    ...
def hsplit(ary: _Symbol, indices_or_sections: Sections) -> list[_Symbol]:
    """Parts along the second axis, or the only one."""
    ...
def hstack(arrays: Sequence[_Symbol]) -> _Symbol:
    """Arrays beside each other."""
    ...
@overload
def hypot(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `hypot` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def hypot(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `hypot` of two arrays that broadcast, or of an array and a number."""
    ...
def identity(n: int, dtype: DTypeLike | None = None, ctx: object = None) -> _Symbol:
    """A square matrix of ones on the diagonal and zeros elsewhere."""
    ...
def indices(dimensions: Sequence[int], dtype: DTypeLike = ..., ctx: object = None) -> _Symbol:
    """The indices of the elements of an array."""
    ...
def inner(a: _Symbol, b: _Symbol) -> _Symbol:
    """The product, summed over the last axes."""
    ...
def insert(
    arr: _Symbol,
    obj: _Symbol | int | slice,
    values: _Symbol | float,
    axis: int | None = None,
) -> _Symbol:
    """The array with values before the given indices, outside of autograd."""
    ...
@overload
def invert(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `invert` of each element."""
    ...
@overload
def invert(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `invert` of each element."""
    ...
@overload
def isfinite(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `isfinite` of each element."""
    ...
@overload
def isfinite(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `isfinite` of each element."""
    ...
@overload
def isinf(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `isinf` of each element."""
    ...
@overload
def isinf(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `isinf` of each element."""
    ...
@overload
def isnan(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `isnan` of each element."""
    ...
@overload
def isnan(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `isnan` of each element."""
    ...
@overload
def isneginf(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `isneginf` of each element."""
    ...
@overload
def isneginf(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `isneginf` of each element."""
    ...
@overload
def isposinf(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `isposinf` of each element."""
    ...
@overload
def isposinf(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `isposinf` of each element."""
    ...
@overload
def lcm(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `lcm` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def lcm(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `lcm` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def ldexp(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `ldexp` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def ldexp(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `ldexp` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def less(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `less` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def less(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `less` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def less_equal(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `less_equal` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def less_equal(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `less_equal` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    ctx: object = None,
) -> _Symbol:
    """A number of evenly spaced numbers between two bounds."""
    ...
@overload
def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: int = 0,
    ctx: object = None,
) -> tuple[_Symbol, float]:
    """A number of evenly spaced numbers between two bounds."""
    ...
@overload
def log(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `log` of each element."""
    ...
@overload
def log(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `log` of each element."""
    ...
@overload
def log10(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `log10` of each element."""
    ...
@overload
def log10(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `log10` of each element."""
    ...
@overload
def log1p(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `log1p` of each element."""
    ...
@overload
def log1p(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `log1p` of each element."""
    ...
@overload
def log2(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `log2` of each element."""
    ...
@overload
def log2(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `log2` of each element."""
    ...
@overload
def logical_not(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `logical_not` of each element."""
    ...
@overload
def logical_not(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `logical_not` of each element."""
    ...
def logspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    ctx: object = None,
) -> _Symbol:
    """Numbers whose logarithms are evenly spaced."""
    ...
def matmul(a: _Symbol, b: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """The products of matrices in the last two axes."""
    ...
def max(
    a: _Symbol,
    axis: Axes = None,
    keepdims: bool = False,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The largest element along some axes."""
    ...
@overload
def maximum(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `maximum` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def maximum(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `maximum` of two arrays that broadcast, or of an array and a number."""
    ...
def may_share_memory(a: _Symbol, b: _Symbol, max_work: int | None = None) -> NoReturn:
    """Refused: symbols hold no memory."""
    ...
def mean(
    a: _Symbol,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: _Symbol | None = None,
    keepdims: bool = False,
) -> _Symbol:
    """The mean of the elements along some axes."""
    ...
def min(
    a: _Symbol,
    axis: Axes = None,
    keepdims: bool = False,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The smallest element along some axes."""
    ...
@overload
def minimum(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `minimum` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def minimum(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `minimum` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def mod(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `mod` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def mod(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `mod` of two arrays that broadcast, or of an array and a number."""
    ...
def moveaxis(
    a: _Symbol,
    source: Axes,
    destination: Axes,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """Some axes moved to other places."""
    ...
@overload
def multiply(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `multiply` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def multiply(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `multiply` of two arrays that broadcast, or of an array and a number."""
    ...
def nan_to_num(
    x: _Symbol,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    **kwargs: object,
) -> _Symbol:
    """The elements, with numbers in place of NaN and the infinities."""
    ...
@overload
def negative(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `negative` of each element."""
    ...
@overload
def negative(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `negative` of each element."""
    ...
def nonzero(a: _Symbol) -> NoReturn:
    """Refused: how many elements are not zero is not known before there are values."""
    ...
@overload
def not_equal(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `not_equal` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def not_equal(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `not_equal` of two arrays that broadcast, or of an array and a number."""
    ...
def ones(
    shape: ShapeLike,
    dtype: DTypeLike | None = ...,
    order: str = 'C',
    ctx: object = None,
) -> _Symbol:
    """An array of ones."""
    ...
def ones_like(
    a: _Symbol,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    ctx: object = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Ones with the shape of another array."""
    ...
def outer(a: _Symbol, b: _Symbol) -> _Symbol:
    """The products of each element of one with each of the other."""
    ...
def pad(
    x: _Symbol,
    pad_width: Sequence[int] | Sequence[Sequence[int]] = (),
    mode: str = 'constant',
    **kwargs: object,
) -> _Symbol:
    """The array with more elements before and after along its axes."""
    ...
def percentile(
    a: _Symbol,
    q: _Symbol | float,
    axis: Axes = None,
    out: _Symbol | None = None,
    overwrite_input: bool | None = None,
    interpolation: str = 'linear',
    keepdims: bool = False,
) -> _Symbol:
    """The percentiles of the elements along some axes; of integers in float32."""
    ...
def polyval(p: _Symbol, x: _Symbol) -> _Symbol:
    """The polynomial with coefficients `p`, the highest power's first, at `x`."""
    ...
@overload
def power(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `power` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def power(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `power` of two arrays that broadcast, or of an array and a number."""
    ...
def prod(
    a: _Symbol,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: _Symbol | None = None,
    keepdims: bool = False,
    name: Name = None,
) -> _Symbol:
    """The product of the elements along some axes."""
    ...
def product(
    a: _Symbol,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: _Symbol | None = None,
    keepdims: bool = False,
    name: Name = None,
) -> _Symbol:
    """The product of the elements along some axes."""
    ...
def quantile(
    a: _Symbol,
    q: _Symbol | float,
    axis: Axes = None,
    out: _Symbol | None = None,
    overwrite_input: bool | None = None,
    interpolation: str = 'linear',
    keepdims: bool = False,
) -> _Symbol:
    """The quantiles of the elements along some axes."""
    ...
@overload
def rad2deg(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `rad2deg` of each element."""
    ...
@overload
def rad2deg(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `rad2deg` of each element."""
    ...
@overload
def radians(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `radians` of each element."""
    ...
@overload
def radians(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `radians` of each element."""
    ...
def ravel(x: _Symbol, order: str = 'C') -> _Symbol:
    """The elements as one vector."""
    ...
@overload
def reciprocal(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `reciprocal` of each element."""
    ...
@overload
def reciprocal(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `reciprocal` of each element."""
    ...
@overload
def remainder(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `remainder` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def remainder(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `remainder` of two arrays that broadcast, or of an array and a number."""
    ...
def repeat(
    a: _Symbol,
    repeats: int,
    axis: int | None = None,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """Each element repeated, along an axis or of the array laid out flat."""
    ...
def reshape(
    a: _Symbol,
    newshape: ShapeLike,
    order: str = 'C',
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The elements in another shape, of which one size may be -1."""
    ...
def resize(a: _Symbol, new_shape: ShapeLike) -> _Symbol:
    """The elements in another shape, repeated or cut off as it needs."""
    ...
@overload
def rint(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `rint` of each element."""
    ...
@overload
def rint(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `rint` of each element."""
    ...
def roll(
    a: _Symbol,
    shift: Axes,
    axis: Axes = None,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The elements shifted along some axes; what leaves at the end comes in at the front."""
    ...
def rot90(m: _Symbol, k: int = 1, axes: Sequence[int] = (0, 1)) -> _Symbol:
    """Turned by quarters in the plane of two axes."""
    ...
def round(x: _Symbol, decimals: int = 0, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """The elements rounded to a number of decimals."""
    ...
def round_(x: _Symbol, decimals: int = 0, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """The elements rounded to a number of decimals."""
    ...
def row_stack(arrays: Sequence[_Symbol], out: _Symbol | None = None) -> _Symbol:
    """Arrays one below the other."""
    ...
def shares_memory(a: _Symbol, b: _Symbol, max_work: int | None = None) -> NoReturn:
    """Refused: symbols hold no memory."""
    ...
@overload
def sign(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `sign` of each element."""
    ...
@overload
def sign(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `sign` of each element."""
    ...
@overload
def sin(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `sin` of each element."""
    ...
@overload
def sin(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `sin` of each element."""
    ...
@overload
def sinh(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `sinh` of each element."""
    ...
@overload
def sinh(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `sinh` of each element."""
    ...
def sometrue(
    a: _Symbol,
    axis: Axes = None,
    keepdims: bool = False,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """Whether any element along some axes is not zero."""
    ...
def sort(a: _Symbol, axis: int | None = -1, kind: str | None = None, order: object = None) -> _Symbol:
    """The elements in ascending order along an axis."""
    ...
def split(ary: _Symbol, indices_or_sections: Sections, axis: int = 0) -> list[_Symbol]:
    """Parts along an axis: so many equal ones, or ones that end at the given indices."""
    ...
@overload
def sqrt(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `sqrt` of each element."""
    ...
@overload
def sqrt(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `sqrt` of each element."""
    ...
@overload
def square(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `square` of each element."""
    ...
@overload
def square(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `square` of each element."""
    ...
def squeeze(a: _Symbol, axis: Axes = None, out: _Symbol | None = None, name: Name = None) -> _Symbol:
    """Without axes of size 1."""
    ...
def stack(arrays: Sequence[_Symbol], axis: int = 0, out: _Symbol | None = None) -> _Symbol:
    """Arrays of one shape along a new axis."""
    ...
def std(
    a: _Symbol,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: _Symbol | None = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> _Symbol:
    """The standard deviation of the elements along some axes."""
    ...
@overload
def subtract(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `subtract` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def subtract(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `subtract` of two arrays that broadcast, or of an array and a number."""
    ...
def sum(
    a: _Symbol,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The sum of the elements along some axes."""
    ...
def swapaxes(a: _Symbol, axis1: int, axis2: int) -> _Symbol:
    """Two axes exchanged."""
    ...
def take(
    a: _Symbol,
    indices: _Symbol,
    axis: int | None = None,
    mode: str = 'raise',
    out: _Symbol | None = None,
) -> _Symbol:
    """The elements, or the slices along an axis, at indices."""
    ...
@overload
def tan(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `tan` of each element."""
    ...
@overload
def tan(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `tan` of each element."""
    ...
@overload
def tanh(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `tanh` of each element."""
    ...
@overload
def tanh(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `tanh` of each element."""
    ...
def tensordot(a: _Symbol, b: _Symbol, axes: int | Sequence[Axes] = 2) -> _Symbol:
    """The product, summed over so many axes, or over pairs of axes."""
    ...
def tile(A: _Symbol, reps: ShapeLike) -> _Symbol:
    """Repeated so many times along each axis."""
    ...
def trace(
    a: _Symbol,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The sums of the diagonals of matrices along two axes."""
    ...
def transpose(
    a: _Symbol,
    axes: Sequence[int] | None = None,
    out: _Symbol | None = None,
    name: Name = None,
) -> _Symbol:
    """The axes in another order, reversed by default."""
    ...
def tril(m: _Symbol, k: int = 0) -> _Symbol:
    """Matrices with zeros above a diagonal."""
    ...
@overload
def true_divide(x1: float, x2: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `true_divide` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def true_divide(
    x1: _Symbol | float,
    x2: _Symbol | float,
    out: _Symbol | None = None,
    **kwargs: object,
) -> _Symbol:
    """NumPy's `true_divide` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def trunc(x: float, out: _Symbol | None = None, **kwargs: object) -> Any:
    """NumPy's `trunc` of each element."""
    ...
@overload
def trunc(x: _Symbol, out: _Symbol | None = None, **kwargs: object) -> _Symbol:
    """NumPy's `trunc` of each element."""
    ...
@overload
def unique(
    ar: _Symbol,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = None,
) -> _Symbol:
    """The different elements in ascending order, perhaps with where they are and how many there are."""
    ...
@overload
def unique(
    ar: _Symbol,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """The different elements in ascending order, perhaps with where they are and how many there are."""
    ...
def unravel_index(indices: _Symbol, shape: ShapeLike, order: str = 'C') -> _Symbol:
    """The index along each axis, as rows, of what has an index in the array laid out flat."""
    ...
def var(
    a: _Symbol,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: _Symbol | None = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> _Symbol:
    """The variance of the elements along some axes."""
    ...
def vdot(a: _Symbol, b: _Symbol) -> _Symbol:
    """The sum of the products of the elements."""
    ...
def vsplit(ary: _Symbol, indices_or_sections: Sections) -> list[_Symbol]:
    """Parts along the first axis."""
    ...
def vstack(arrays: Sequence[_Symbol], out: _Symbol | None = None) -> _Symbol:
    """Arrays one below the other."""
    ...
@overload
def where(condition: _Symbol) -> tuple[_Symbol, ...]:
    """One where a condition holds, else the other; of the condition alone the indices where it holds."""
    ...
@overload
def where(condition: _Symbol, x: _Symbol | float, y: _Symbol | float) -> _Symbol:
    """One where a condition holds, else the other; of the condition alone the indices where it holds."""
    ...
def zeros(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    ctx: object = None,
) -> _Symbol:
    """An array of zeros."""
    ...
def zeros_like(
    a: _Symbol,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    ctx: object = None,
    out: _Symbol | None = None,
) -> _Symbol:
    """Zeros with the shape of another array."""
    ...
