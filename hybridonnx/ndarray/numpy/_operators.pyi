# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from typing import Any, Literal, overload
from ...attrs import ShapeLike
from ...dtypes import DTypeLike
from ...faces import Axes, Name, Sections
from ..np_array import ndarray

@overload
def abs(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `abs` of each element."""
    ...
@overload
def abs(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `abs` of each element."""
    ...
@overload
def absolute(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `absolute` of each element."""
    ...
@overload
def absolute(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `absolute` of each element."""
    ...
@overload
def add(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `add` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def add(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `add` of two arrays that broadcast, or of an array and a number."""
    ...
def all(
    a: ndarray,
    axis: Axes = None,
    keepdims: bool = False,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """Whether all elements along some axes are not zero."""
    ...
def amax(
    a: ndarray,
    axis: Axes = None,
    keepdims: bool = False,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The largest element along some axes."""
    ...
def amin(
    a: ndarray,
    axis: Axes = None,
    keepdims: bool = False,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The smallest element along some axes."""
    ...
def any(
    a: ndarray,
    axis: Axes = None,
    keepdims: bool = False,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """Whether any element along some axes is not zero."""
    ...
def append(arr: ndarray, values: ndarray, axis: int | None = None) -> ndarray:
    """The values behind the array along an axis."""
    ...
def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: DTypeLike | None = None,
    ctx: object = None,
) -> ndarray:
    """Evenly spaced numbers from one up to but without another."""
    ...
@overload
def arccos(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `arccos` of each element."""
    ...
@overload
def arccos(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `arccos` of each element."""
    ...
@overload
def arccosh(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `arccosh` of each element."""
    ...
@overload
def arccosh(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `arccosh` of each element."""
    ...
@overload
def arcsin(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `arcsin` of each element."""
    ...
@overload
def arcsin(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `arcsin` of each element."""
    ...
@overload
def arcsinh(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `arcsinh` of each element."""
    ...
@overload
def arcsinh(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `arcsinh` of each element."""
    ...
@overload
def arctan(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `arctan` of each element."""
    ...
@overload
def arctan(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `arctan` of each element."""
    ...
@overload
def arctan2(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `arctan2` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def arctan2(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `arctan2` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def arctanh(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `arctanh` of each element."""
    ...
@overload
def arctanh(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `arctanh` of each element."""
    ...
def argmax(a: ndarray, axis: int | None = None, out: ndarray | None = None) -> ndarray:
    """The first index of the largest element along an axis."""
    ...
def argmin(a: ndarray, axis: int | None = None, out: ndarray | None = None) -> ndarray:
    """The first index of the smallest element along an axis."""
    ...
def argsort(a: ndarray, axis: int | None = -1, kind: str | None = None, order: object = None) -> ndarray:
    """The indices of the elements in ascending order along an axis."""
    ...
def around(x: ndarray, decimals: int = 0, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """The elements rounded to a number of decimals."""
    ...
def array_split(ary: ndarray, indices_or_sections: Sections, axis: int = 0) -> list[ndarray]:
    """Parts along an axis, so many of almost equal size, or ones that end at the given indices."""
    ...
@overload
def atleast_1d(ary: ndarray, /, *, out: ndarray | None = None, name: Name = None) -> ndarray:
    """With an axis, if there is none."""
    ...
@overload
def atleast_1d(*arys: ndarray, out: ndarray | None = None, name: Name = None) -> list[ndarray]:
    """With an axis, if there is none."""
    ...
@overload
def atleast_2d(ary: ndarray, /, *, out: ndarray | None = None, name: Name = None) -> ndarray:
    """With two axes at least."""
    ...
@overload
def atleast_2d(*arys: ndarray, out: ndarray | None = None, name: Name = None) -> list[ndarray]:
    """With two axes at least."""
    ...
@overload
def atleast_3d(ary: ndarray, /, *, out: ndarray | None = None, name: Name = None) -> ndarray:
    """With three axes at least."""
    ...
@overload
def atleast_3d(*arys: ndarray, out: ndarray | None = None, name: Name = None) -> list[ndarray]:
    """With three axes at least."""
    ...
@overload
def average(
    a: ndarray,
    axis: Axes = None,
    weights: ndarray | None = None,
    returned: Literal[False] = False,
    out: ndarray | None = None,
) -> ndarray:
    """The mean of the elements along some axes, perhaps with weights."""
    ...
@overload
def average(
    a: ndarray,
    axis: Axes = None,
    weights: ndarray | None = None,
    *,
    returned: Literal[True],
    out: ndarray | None = None,
) -> list[ndarray]:
    """The mean of the elements along some axes, perhaps with weights."""
    ...
def bincount(x: ndarray, weights: ndarray | None = None, minlength: int = 0) -> ndarray:
    """How often each integer from 0 up occurs, or the sum of the weights where it does."""
    ...
@overload
def bitwise_and(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `bitwise_and` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def bitwise_and(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `bitwise_and` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def bitwise_not(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `bitwise_not` of each element."""
    ...
@overload
def bitwise_not(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `bitwise_not` of each element."""
    ...
@overload
def bitwise_or(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `bitwise_or` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def bitwise_or(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `bitwise_or` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def bitwise_xor(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `bitwise_xor` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def bitwise_xor(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `bitwise_xor` of two arrays that broadcast, or of an array and a number."""
    ...
def blackman(M: int, dtype: DTypeLike = ..., ctx: object = None) -> ndarray:
    """The weights of the Blackman window."""
    ...
def broadcast_to(array: ndarray, shape: ShapeLike) -> ndarray:
    """Repeated to a shape, which may have more axes in front."""
    ...
@overload
def cbrt(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `cbrt` of each element."""
    ...
@overload
def cbrt(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `cbrt` of each element."""
    ...
@overload
def ceil(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `ceil` of each element."""
    ...
@overload
def ceil(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `ceil` of each element."""
    ...
def clip(a: ndarray, a_min: float | None, a_max: float | None, out: ndarray | None = None) -> ndarray:
    """The elements within limits."""
    ...
def column_stack(tup: Sequence[ndarray]) -> ndarray:
    """Arrays beside each other, vectors as columns."""
    ...
def concatenate(seq: Sequence[ndarray], axis: int | None = 0, out: ndarray | None = None) -> ndarray:
    """Arrays one after the other along an axis."""
    ...
def copy(a: ndarray, out: ndarray | None = None, name: Name = None) -> ndarray:
    """A copy."""
    ...
@overload
def copysign(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `copysign` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def copysign(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `copysign` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def cos(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `cos` of each element."""
    ...
@overload
def cos(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `cos` of each element."""
    ...
@overload
def cosh(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `cosh` of each element."""
    ...
@overload
def cosh(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `cosh` of each element."""
    ...
def cumsum(
    a: ndarray,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The sum of all elements up to each one along an axis."""
    ...
@overload
def deg2rad(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `deg2rad` of each element."""
    ...
@overload
def deg2rad(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `deg2rad` of each element."""
    ...
@overload
def degrees(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `degrees` of each element."""
    ...
@overload
def degrees(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `degrees` of each element."""
    ...
def delete(arr: ndarray, obj: ndarray | int | slice, axis: int | None = None) -> ndarray:
    """The array without the elements at the given indices, outside of autograd."""
    ...
def diag(array: ndarray, k: int = 0, out: ndarray | None = None, name: Name = None) -> ndarray:
    """A diagonal of a matrix, or a matrix of a diagonal."""
    ...
def diagflat(array: ndarray, k: int = 0, out: ndarray | None = None, name: Name = None) -> ndarray:
    """A matrix of all elements on a diagonal."""
    ...
def diagonal(
    a: ndarray,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The diagonals of matrices along two axes."""
    ...
def diff(
    a: ndarray,
    n: int = 1,
    axis: int = -1,
    prepend: object = None,
    append: object = None,
) -> ndarray:
    """The differences of elements that follow each other along an axis."""
    ...
@overload
def divide(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `divide` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def divide(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `divide` of two arrays that broadcast, or of an array and a number."""
    ...
def dot(a: ndarray, b: ndarray, out: ndarray | None = None, name: Name = None) -> ndarray:
    """The product, summed over the last axis of a and the last but one of b."""
    ...
def dsplit(ary: ndarray, indices_or_sections: Sections) -> list[ndarray]:
    """Parts along the third axis."""
    ...
def dstack(arrays: Sequence[ndarray]) -> ndarray:
    """Arrays behind each other."""
    ...
def ediff1d(
    ary: ndarray,
    to_end: ndarray | float | None = None,
    to_begin: ndarray | float | None = None,
) -> ndarray:
    """The differences of elements that follow each other in the array laid out flat, between others."""
    ...
def einsum(*operands: Any, **kwargs: Any) -> ndarray:
    """Products of arrays, summed over the axes whose letters the output lacks."""
    ...
def empty_like(
    prototype: ndarray,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    subok: bool = False,
    shape: ShapeLike | None = None,
) -> ndarray:
    """An array of another's shape whose values are still to be written; here zeros."""
    ...
@overload
def equal(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `equal` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def equal(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `equal` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def exp(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `exp` of each element."""
    ...
@overload
def exp(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `exp` of each element."""
    ...
def expand_dims(a: ndarray, axis: int) -> ndarray:
    """With a new axis of size 1."""
    ...
@overload
def expm1(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `expm1` of each element."""
    ...
@overload
def expm1(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `expm1` of each element."""
    ...
def eye(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = ..., **kwargs: Any) -> ndarray:
    """A matrix of ones on one diagonal and zeros elsewhere."""
    ...
@overload
def fabs(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `fabs` of each element."""
    ...
@overload
def fabs(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `fabs` of each element."""
    ...
@overload
def fix(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `fix` of each element."""
    ...
@overload
def fix(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `fix` of each element."""
    ...
def flip(m: ndarray, axis: Axes = None, out: ndarray | None = None) -> ndarray:
    """The elements reversed along some axes."""
    ...
def fliplr(m: ndarray) -> ndarray:
    """The columns in reverse order."""
    ...
def flipud(m: ndarray) -> ndarray:
    """The rows in reverse order."""
    ...
@overload
def floor(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `floor` of each element."""
    ...
@overload
def floor(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `floor` of each element."""
    ...
def full(
    shape: ShapeLike,
    fill_value: ndarray | float,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    ctx: object = None,
    out: ndarray | None = None,
) -> ndarray:
    """An array of one value, or of an array's that broadcasts."""
    ...
def full_like(
    a: ndarray,
    fill_value: float,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    ctx: object = None,
    out: ndarray | None = None,
) -> ndarray:
    """An array of one value with the shape of another."""
    ...
@overload
def greater(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `greater` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def greater(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `greater` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def greater_equal(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `greater_equal` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def greater_equal(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `greater_equal` of two arrays that broadcast, or of an array and a number."""
    ...
def hamming(M: int, dtype: DTypeLike = ..., ctx: object = None) -> ndarray:
    """The weights of the Hamming window."""
    ...
def hanning(M: int, dtype: DTypeLike = ..., ctx: object = None) -> ndarray:
    """The weights of the Hann window."""
    ...
def hsplit(ary: ndarray, indices_or_sections: Sections) -> list[ndarray]:
    """Parts along the second axis, or the only one."""
    ...
def hstack(arrays: Sequence[ndarray]) -> ndarray:
    """Arrays beside each other."""
    ...
@overload
def hypot(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `hypot` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def hypot(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `hypot` of two arrays that broadcast, or of an array and a number."""
    ...
def identity(n: int, dtype: DTypeLike | None = None, ctx: object = None) -> ndarray:
    """A square matrix of ones on the diagonal and zeros elsewhere."""
    ...
def indices(dimensions: Sequence[int], dtype: DTypeLike = ..., ctx: object = None) -> ndarray:
    """The indices of the elements of an array."""
    ...
def inner(a: ndarray, b: ndarray) -> ndarray:
    """The product, summed over the last axes."""
    ...
def insert(
    arr: ndarray,
    obj: ndarray | int | slice,
    values: ndarray | float,
    axis: int | None = None,
) -> ndarray:
    """The array with values before the given indices, outside of autograd."""
    ...
@overload
def invert(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `invert` of each element."""
    ...
@overload
def invert(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `invert` of each element."""
    ...
@overload
def isfinite(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `isfinite` of each element."""
    ...
@overload
def isfinite(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `isfinite` of each element."""
    ...
@overload
def isinf(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `isinf` of each element."""
    ...
@overload
def isinf(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `isinf` of each element."""
    ...
@overload
def isnan(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `isnan` of each element."""
    ...
@overload
def isnan(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `isnan` of each element."""
    ...
@overload
def isneginf(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `isneginf` of each element."""
    ...
@overload
def isneginf(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `isneginf` of each element."""
    ...
@overload
def isposinf(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `isposinf` of each element."""
    ...
@overload
def isposinf(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `isposinf` of each element."""
    ...
@overload
def lcm(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `lcm` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def lcm(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `lcm` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def ldexp(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `ldexp` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def ldexp(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `ldexp` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def less(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `less` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def less(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `less` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def less_equal(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `less_equal` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def less_equal(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
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
) -> ndarray:
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
) -> tuple[ndarray, float]:
    """A number of evenly spaced numbers between two bounds."""
    ...
@overload
def log(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `log` of each element."""
    ...
@overload
def log(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `log` of each element."""
    ...
@overload
def log10(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `log10` of each element."""
    ...
@overload
def log10(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `log10` of each element."""
    ...
@overload
def log1p(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `log1p` of each element."""
    ...
@overload
def log1p(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `log1p` of each element."""
    ...
@overload
def log2(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `log2` of each element."""
    ...
@overload
def log2(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `log2` of each element."""
    ...
@overload
def logical_not(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `logical_not` of each element."""
    ...
@overload
def logical_not(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
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
) -> ndarray:
    """Numbers whose logarithms are evenly spaced."""
    ...
def matmul(a: ndarray, b: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """The products of matrices in the last two axes."""
    ...
def max(
    a: ndarray,
    axis: Axes = None,
    keepdims: bool = False,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The largest element along some axes."""
    ...
@overload
def maximum(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `maximum` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def maximum(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `maximum` of two arrays that broadcast, or of an array and a number."""
    ...
def mean(
    a: ndarray,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
) -> ndarray:
    """The mean of the elements along some axes."""
    ...
def min(
    a: ndarray,
    axis: Axes = None,
    keepdims: bool = False,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The smallest element along some axes."""
    ...
@overload
def minimum(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `minimum` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def minimum(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `minimum` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def mod(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `mod` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def mod(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `mod` of two arrays that broadcast, or of an array and a number."""
    ...
def moveaxis(
    a: ndarray,
    source: Axes,
    destination: Axes,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """Some axes moved to other places."""
    ...
@overload
def multiply(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `multiply` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def multiply(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `multiply` of two arrays that broadcast, or of an array and a number."""
    ...
def nan_to_num(
    x: ndarray,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    **kwargs: object,
) -> ndarray:
    """The elements, with numbers in place of NaN and the infinities."""
    ...
@overload
def negative(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `negative` of each element."""
    ...
@overload
def negative(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `negative` of each element."""
    ...
def nonzero(a: ndarray) -> tuple[ndarray, ...]:
    """The indices of what is not zero, an array for each axis."""
    ...
@overload
def not_equal(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `not_equal` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def not_equal(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `not_equal` of two arrays that broadcast, or of an array and a number."""
    ...
def ones(
    shape: ShapeLike,
    dtype: DTypeLike | None = ...,
    order: str = 'C',
    ctx: object = None,
) -> ndarray:
    """An array of ones."""
    ...
def ones_like(
    a: ndarray,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    ctx: object = None,
    out: ndarray | None = None,
) -> ndarray:
    """Ones with the shape of another array."""
    ...
def outer(a: ndarray, b: ndarray) -> ndarray:
    """The products of each element of one with each of the other."""
    ...
def pad(
    x: ndarray,
    pad_width: Sequence[int] | Sequence[Sequence[int]] = (),
    mode: str = 'constant',
    **kwargs: object,
) -> ndarray:
    """The array with more elements before and after along its axes."""
    ...
def percentile(
    a: ndarray,
    q: ndarray | float,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool | None = None,
    interpolation: str = 'linear',
    keepdims: bool = False,
) -> ndarray:
    """The percentiles of the elements along some axes; of integers in float32."""
    ...
def polyval(p: ndarray, x: ndarray) -> ndarray:
    """The polynomial with coefficients `p`, the highest power's first, at `x`."""
    ...
@overload
def power(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `power` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def power(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `power` of two arrays that broadcast, or of an array and a number."""
    ...
def prod(
    a: ndarray,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    name: Name = None,
) -> ndarray:
    """The product of the elements along some axes."""
    ...
def product(
    a: ndarray,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    keepdims: bool = False,
    name: Name = None,
) -> ndarray:
    """The product of the elements along some axes."""
    ...
def quantile(
    a: ndarray,
    q: ndarray | float,
    axis: Axes = None,
    out: ndarray | None = None,
    overwrite_input: bool | None = None,
    interpolation: str = 'linear',
    keepdims: bool = False,
) -> ndarray:
    """The quantiles of the elements along some axes."""
    ...
@overload
def rad2deg(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `rad2deg` of each element."""
    ...
@overload
def rad2deg(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `rad2deg` of each element."""
    ...
@overload
def radians(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `radians` of each element."""
    ...
@overload
def radians(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `radians` of each element."""
    ...
def ravel(x: ndarray, order: str = 'C') -> ndarray:
    """The elements as one vector."""
    ...
@overload
def reciprocal(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `reciprocal` of each element."""
    ...
@overload
def reciprocal(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `reciprocal` of each element."""
    ...
@overload
def remainder(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `remainder` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def remainder(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `remainder` of two arrays that broadcast, or of an array and a number."""
    ...
def repeat(
    a: ndarray,
    repeats: int,
    axis: int | None = None,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """Each element repeated, along an axis or of the array laid out flat."""
    ...
def reshape(
    a: ndarray,
    newshape: ShapeLike,
    order: str = 'C',
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The elements in another shape, of which one size may be -1."""
    ...
@overload
def rint(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `rint` of each element."""
    ...
@overload
def rint(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `rint` of each element."""
    ...
def roll(
    a: ndarray,
    shift: Axes,
    axis: Axes = None,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The elements shifted along some axes; what leaves at the end comes in at the front."""
    ...
def rot90(m: ndarray, k: int = 1, axes: Sequence[int] = (0, 1)) -> ndarray:
    """Turned by quarters in the plane of two axes."""
    ...
def round(x: ndarray, decimals: int = 0, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """The elements rounded to a number of decimals."""
    ...
def round_(x: ndarray, decimals: int = 0, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """The elements rounded to a number of decimals."""
    ...
def row_stack(arrays: Sequence[ndarray], out: ndarray | None = None) -> ndarray:
    """Arrays one below the other."""
    ...
@overload
def sign(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `sign` of each element."""
    ...
@overload
def sign(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `sign` of each element."""
    ...
@overload
def sin(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `sin` of each element."""
    ...
@overload
def sin(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `sin` of each element."""
    ...
@overload
def sinh(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `sinh` of each element."""
    ...
@overload
def sinh(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `sinh` of each element."""
    ...
def sometrue(
    a: ndarray,
    axis: Axes = None,
    keepdims: bool = False,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """Whether any element along some axes is not zero."""
    ...
def sort(a: ndarray, axis: int | None = -1, kind: str | None = None, order: object = None) -> ndarray:
    """The elements in ascending order along an axis."""
    ...
def split(ary: ndarray, indices_or_sections: Sections, axis: int = 0) -> list[ndarray]:
    """Parts along an axis: so many equal ones, or ones that end at the given indices."""
    ...
@overload
def sqrt(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `sqrt` of each element."""
    ...
@overload
def sqrt(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `sqrt` of each element."""
    ...
@overload
def square(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `square` of each element."""
    ...
@overload
def square(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `square` of each element."""
    ...
def squeeze(a: ndarray, axis: Axes = None, out: ndarray | None = None, name: Name = None) -> ndarray:
    """Without axes of size 1."""
    ...
def stack(arrays: Sequence[ndarray], axis: int = 0, out: ndarray | None = None) -> ndarray:
    """Arrays of one shape along a new axis."""
    ...
def std(
    a: ndarray,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> ndarray:
    """The standard deviation of the elements along some axes."""
    ...
@overload
def subtract(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `subtract` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def subtract(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `subtract` of two arrays that broadcast, or of an array and a number."""
    ...
def sum(
    a: ndarray,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The sum of the elements along some axes."""
    ...
def swapaxes(a: ndarray, axis1: int, axis2: int) -> ndarray:
    """Two axes exchanged."""
    ...
def take(
    a: ndarray,
    indices: ndarray,
    axis: int | None = None,
    mode: str = 'raise',
    out: ndarray | None = None,
) -> ndarray:
    """The elements, or the slices along an axis, at indices."""
    ...
@overload
def tan(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `tan` of each element."""
    ...
@overload
def tan(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `tan` of each element."""
    ...
@overload
def tanh(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `tanh` of each element."""
    ...
@overload
def tanh(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `tanh` of each element."""
    ...
def tensordot(a: ndarray, b: ndarray, axes: int | Sequence[Axes] = 2) -> ndarray:
    """The product, summed over so many axes, or over pairs of axes."""
    ...
def tile(A: ndarray, reps: ShapeLike) -> ndarray:
    """Repeated so many times along each axis."""
    ...
def trace(
    a: ndarray,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The sums of the diagonals of matrices along two axes."""
    ...
def transpose(
    a: ndarray,
    axes: Sequence[int] | None = None,
    out: ndarray | None = None,
    name: Name = None,
) -> ndarray:
    """The axes in another order, reversed by default."""
    ...
def tril(m: ndarray, k: int = 0) -> ndarray:
    """Matrices with zeros above a diagonal."""
    ...
@overload
def true_divide(x1: float, x2: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `true_divide` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def true_divide(
    x1: ndarray | float,
    x2: ndarray | float,
    out: ndarray | None = None,
    **kwargs: object,
) -> ndarray:
    """NumPy's `true_divide` of two arrays that broadcast, or of an array and a number."""
    ...
@overload
def trunc(x: float, out: ndarray | None = None, **kwargs: object) -> Any:
    """NumPy's `trunc` of each element."""
    ...
@overload
def trunc(x: ndarray, out: ndarray | None = None, **kwargs: object) -> ndarray:
    """NumPy's `trunc` of each element."""
    ...
@overload
def unique(
    ar: ndarray,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = None,
) -> ndarray:
    """The different elements in ascending order, perhaps with where they are and how many there are."""
    ...
@overload
def unique(
    ar: ndarray,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """The different elements in ascending order, perhaps with where they are and how many there are."""
    ...
def var(
    a: ndarray,
    axis: Axes = None,
    dtype: DTypeLike | None = None,
    out: ndarray | None = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> ndarray:
    """The variance of the elements along some axes."""
    ...
def vdot(a: ndarray, b: ndarray) -> ndarray:
    """The sum of the products of the elements."""
    ...
def vsplit(ary: ndarray, indices_or_sections: Sections) -> list[ndarray]:
    """Parts along the first axis."""
    ...
def vstack(arrays: Sequence[ndarray], out: ndarray | None = None) -> ndarray:
    """Arrays one below the other."""
    ...
@overload
def where(condition: ndarray) -> tuple[ndarray, ...]:
    """One where a condition holds, else the other; of the condition alone the indices where it holds."""
    ...
@overload
def where(condition: ndarray, x: ndarray | float, y: ndarray | float) -> ndarray:
    """One where a condition holds, else the other; of the condition alone the indices where it holds."""
    ...
def zeros(
    shape: ShapeLike,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    ctx: object = None,
) -> ndarray:
    """An array of zeros."""
    ...
def zeros_like(
    a: ndarray,
    dtype: DTypeLike | None = None,
    order: str = 'C',
    ctx: object = None,
    out: ndarray | None = None,
) -> ndarray:
    """Zeros with the shape of another array."""
    ...
