# Written by scripts/stubs; do not edit.
from collections.abc import Mapping, Sequence
from typing import Literal
from ..dtypes import DTypeLike
from .symbol import Symbol

class OperatorMethods:
    __slots__ = ()
    def abs(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The absolute value of each element."""
        ...
    def arccos(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The angle in [0, pi] whose cosine each element is; NaN outside of [-1, 1]."""
        ...
    def arccosh(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The inverse, from 0 up, of the hyperbolic cosine at each element; NaN below 1."""
        ...
    def arcsin(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The angle in [-pi/2, pi/2] whose sine each element is; NaN outside of [-1, 1]."""
        ...
    def arcsinh(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The inverse of the hyperbolic sine at each element."""
        ...
    def arctan(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The angle in (-pi/2, pi/2) whose tangent each element is."""
        ...
    def arctanh(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The inverse of the hyperbolic tangent at each element; NaN outside of [-1, 1]."""
        ...
    def argmax(
        self,
        axis: int | None = None,
        keepdims: bool = False,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The index of the first maximum, or of the first NaN, along `axis`."""
        ...
    def argmax_channel(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The index of the first maximum along axis 1."""
        ...
    def argmin(
        self,
        axis: int | None = None,
        keepdims: bool = False,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The index of the first minimum, or of the first NaN, along `axis`."""
        ...
    def argsort(
        self,
        axis: int | None = -1,
        is_ascend: bool = True,
        dtype: DTypeLike = 'float32',
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The indices that put `data` in order along an axis."""
        ...
    def broadcast_axes(
        self,
        axis: int | Sequence[int] = (),
        size: int | Sequence[int] = (),
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """`data` with some axes of size 1 repeated."""
        ...
    def broadcast_like(
        self,
        rhs: Symbol | None = None,
        lhs_axes: int | Sequence[int] | None = None,
        rhs_axes: int | Sequence[int] | None = None,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """`lhs` with axes of size 1 repeated as long as those of `rhs`."""
        ...
    def broadcast_to(
        self,
        shape: int | Sequence[int] = (),
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """`data` with its axes of size 1 repeated to the sizes of `shape`."""
        ...
    def cbrt(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The cube root of each element, with its sign."""
        ...
    def ceil(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The least integer not below each element."""
        ...
    def clip(
        self,
        a_min: float = ...,
        a_max: float = ...,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """Each element moved to the nearer of two limits if it lies outside of them."""
        ...
    def cos(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The cosine of each element, in radians."""
        ...
    def cosh(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The hyperbolic cosine of each element."""
        ...
    def degrees(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """Each element, an angle in radians, in degrees."""
        ...
    def depth_to_space(
        self,
        block_size: int = ...,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """Channels of `data` that are C apart, moved into blocks of b by b pixels."""
        ...
    def exp(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """e to the power of each element."""
        ...
    def expm1(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """exp(x) - 1 of each element x, exact near 0 too."""
        ...
    def fix(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """Each element without its fraction, which is what `trunc` gives."""
        ...
    def flip(
        self,
        axis: int | Sequence[int] = ...,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """`data` with the order of its elements reversed along some axes."""
        ...
    def floor(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The greatest integer not above each element."""
        ...
    def log(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The natural logarithm of each element."""
        ...
    def log10(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The logarithm to base 10 of each element."""
        ...
    def log1p(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """log(1 + x) of each element x, exact near 0 too."""
        ...
    def log2(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The logarithm to base 2 of each element."""
        ...
    def log_softmax(
        self,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | None = False,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The logarithm of the softmax of data / temperature along `axis`."""
        ...
    def max(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The largest element along the axes, NaN if there is one; all that equal it receive its gradient."""
        ...
    def mean(
        self,
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
    def min(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The smallest element along the axes, NaN if there is one; all that equal it receive its gradient."""
        ...
    def nanprod(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The product of the elements along the axes that are not NaN."""
        ...
    def nansum(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The sum of the elements along the axes that are not NaN."""
        ...
    def norm(
        self,
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
    def one_hot(
        self,
        depth: int = ...,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: DTypeLike = 'float32',
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """A vector for each of `indices` that has `on_value` at that index and `off_value` elsewhere."""
        ...
    def ones_like(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """1 in the shape and dtype of `data`."""
        ...
    def pad(
        self,
        mode: Literal['constant', 'edge', 'reflect'] = ...,
        pad_width: int | Sequence[int] = ...,
        constant_value: float = 0.0,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """`data` with padding before and after its spatial axes."""
        ...
    def pick(
        self,
        index: Symbol | None = None,
        axis: int | None = -1,
        keepdims: bool = False,
        mode: Literal['clip', 'wrap'] = 'clip',
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """One element of each row of `data` along `axis`, the one at `index`."""
        ...
    def prod(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The product of the elements along the axes; of bool whether all are true."""
        ...
    def radians(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """Each element, an angle in degrees, in radians."""
        ...
    def rcbrt(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The reciprocal of the cube root of each element."""
        ...
    def reciprocal(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """1 divided by each element."""
        ...
    def relu(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """Each element that is positive, and 0 in place of the others."""
        ...
    def repeat(
        self,
        repeats: int = ...,
        axis: int | None = None,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """`data` with each element repeated, its copies beside each other."""
        ...
    def reshape_like(
        self,
        rhs: Symbol | None = None,
        lhs_begin: int | None = None,
        lhs_end: int | None = None,
        rhs_begin: int | None = None,
        rhs_end: int | None = None,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The elements of `lhs`, in their order, in the shape of `rhs` or with some of its axes."""
        ...
    def rint(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The nearest integer to each element, halves rounded down, not to even."""
        ...
    def round(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The nearest integer to each element, halves rounded away from zero."""
        ...
    def rsqrt(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The reciprocal of the square root of each element."""
        ...
    def shape_array(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The sizes of `data`, as int64."""
        ...
    def sigmoid(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """1 / (1 + exp(-x)) of each element x."""
        ...
    def sign(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """-1, 0 or 1 by the sign of each element; 0 for NaN."""
        ...
    def sin(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The sine of each element, in radians."""
        ...
    def sinh(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The hyperbolic sine of each element."""
        ...
    def size_array(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The number of elements of `data`, as int64."""
        ...
    def slice(
        self,
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
    def slice_axis(
        self,
        axis: int = ...,
        begin: int = ...,
        end: int | None = ...,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The part of `data` from `begin` to `end` along one axis."""
        ...
    def slice_like(
        self,
        shape_like: Symbol | None = None,
        axes: int | Sequence[int] = (),
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The first elements of `data` along some axes, as many as `shape_like` has there."""
        ...
    def softmax(
        self,
        length: Symbol | None = None,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | None = False,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """exp(data / temperature), divided by its sum along `axis`."""
        ...
    def softmin(
        self,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | None = False,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """exp(-data / temperature), divided by its sum along `axis`."""
        ...
    def sort(
        self,
        axis: int | None = -1,
        is_ascend: bool = True,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The elements of `data` in order along an axis."""
        ...
    def space_to_depth(
        self,
        block_size: int = ...,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """Blocks of b by b pixels of `data`, moved into channels that are C apart."""
        ...
    def split(
        self,
        num_outputs: int = ...,
        axis: int = 1,
        squeeze_axis: bool = False,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """`data` cut into equal parts along `axis`."""
        ...
    def sqrt(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The square root of each element."""
        ...
    def square(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The square of each element."""
        ...
    def sum(
        self,
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
    def swapaxes(
        self,
        dim1: int = 0,
        dim2: int = 0,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """`data` with two axes exchanged."""
        ...
    def take(
        self,
        indices: Symbol | None = None,
        axis: int = 0,
        mode: Literal['clip', 'raise', 'wrap'] = 'clip',
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The slices of `a` along `axis` at these `indices`."""
        ...
    def tan(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The tangent of each element, in radians."""
        ...
    def tanh(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The hyperbolic tangent of each element."""
        ...
    def tile(
        self,
        reps: int | Sequence[int] = ...,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """Copies of `data` beside each other along each axis."""
        ...
    def topk(
        self,
        axis: int | None = -1,
        k: int = 1,
        ret_typ: Literal['both', 'indices', 'mask', 'value'] = 'indices',
        is_ascend: bool = False,
        dtype: DTypeLike = 'float32',
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The `k` largest, or smallest, elements of `data` along an axis, or their indices, or both."""
        ...
    def trunc(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """The nearest integer to each element that is no farther from zero."""
        ...
    def zeros_like(
        self,
        *,
        name: str | None = None,
        attr: Mapping[str, str] | None = None,
        **kwargs: object,
    ) -> Symbol:
        """0 in the shape and dtype of `data`."""
        ...
