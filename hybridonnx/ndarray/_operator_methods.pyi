# Written by scripts/stubs; do not edit.
from collections.abc import Sequence
from typing import Literal, overload
from ..dtypes import DTypeLike
from .ndarray import NDArray, Operand

class OperatorMethods:
    __slots__ = ()
    def __add__(self, other: Operand) -> NDArray: ...
    def __radd__(self, other: Operand) -> NDArray: ...
    def __iadd__(self, other: Operand) -> NDArray: ...
    def __sub__(self, other: Operand) -> NDArray: ...
    def __rsub__(self, other: Operand) -> NDArray: ...
    def __isub__(self, other: Operand) -> NDArray: ...
    def __mul__(self, other: Operand) -> NDArray: ...
    def __rmul__(self, other: Operand) -> NDArray: ...
    def __imul__(self, other: Operand) -> NDArray: ...
    def __truediv__(self, other: Operand) -> NDArray: ...
    def __rtruediv__(self, other: Operand) -> NDArray: ...
    def __itruediv__(self, other: Operand) -> NDArray: ...
    def __mod__(self, other: Operand) -> NDArray: ...
    def __rmod__(self, other: Operand) -> NDArray: ...
    def __imod__(self, other: Operand) -> NDArray: ...
    def __pow__(self, other: Operand) -> NDArray: ...
    def __rpow__(self, other: Operand) -> NDArray: ...
    def __ipow__(self, other: Operand) -> NDArray: ...
    def __eq__(self, other: object) -> NDArray: ...  # type: ignore[override]
    def __ne__(self, other: object) -> NDArray: ...  # type: ignore[override]
    def __gt__(self, other: Operand) -> NDArray: ...
    def __ge__(self, other: Operand) -> NDArray: ...
    def __lt__(self, other: Operand) -> NDArray: ...
    def __le__(self, other: Operand) -> NDArray: ...
    def __hash__(self) -> int: ...
    def abs(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The absolute value of each element."""
        ...
    def arccos(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The angle in [0, pi] whose cosine each element is; NaN outside of [-1, 1]."""
        ...
    def arccosh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The inverse, from 0 up, of the hyperbolic cosine at each element; NaN below 1."""
        ...
    def arcsin(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The angle in [-pi/2, pi/2] whose sine each element is; NaN outside of [-1, 1]."""
        ...
    def arcsinh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The inverse of the hyperbolic sine at each element."""
        ...
    def arctan(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The angle in (-pi/2, pi/2) whose tangent each element is."""
        ...
    def arctanh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The inverse of the hyperbolic tangent at each element; NaN outside of [-1, 1]."""
        ...
    def argmax(
        self,
        axis: int | None = None,
        keepdims: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The index of the first maximum, or of the first NaN, along `axis`."""
        ...
    def argmax_channel(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The index of the first maximum along axis 1."""
        ...
    def argmin(
        self,
        axis: int | None = None,
        keepdims: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The index of the first minimum, or of the first NaN, along `axis`."""
        ...
    def argsort(
        self,
        axis: int | None = -1,
        is_ascend: bool = True,
        dtype: DTypeLike = 'float32',
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The indices that put `data` in order along an axis."""
        ...
    def broadcast_axes(
        self,
        axis: int | Sequence[int] = (),
        size: int | Sequence[int] = (),
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with some axes of size 1 repeated."""
        ...
    def cbrt(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The cube root of each element, with its sign."""
        ...
    def ceil(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The least integer not below each element."""
        ...
    def clip(
        self,
        a_min: float,
        a_max: float,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Each element moved to the nearer of two limits if it lies outside of them."""
        ...
    def cos(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The cosine of each element, in radians."""
        ...
    def cosh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The hyperbolic cosine of each element."""
        ...
    def degrees(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Each element, an angle in radians, in degrees."""
        ...
    def depth_to_space(
        self,
        block_size: int,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Channels of `data` that are C apart, moved into blocks of b by b pixels."""
        ...
    def diag(
        self,
        k: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The `k`-th diagonals of matrices, or a matrix with the vector `data` on that diagonal."""
        ...
    def exp(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """e to the power of each element."""
        ...
    def expm1(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """exp(x) - 1 of each element x, exact near 0 too."""
        ...
    def fix(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Each element without its fraction, which is what `trunc` gives."""
        ...
    def flip(
        self,
        axis: int | Sequence[int],
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with the order of its elements reversed along some axes."""
        ...
    def floor(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The greatest integer not above each element."""
        ...
    def log(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The natural logarithm of each element."""
        ...
    def log10(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The logarithm to base 10 of each element."""
        ...
    def log1p(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """log(1 + x) of each element x, exact near 0 too."""
        ...
    def log2(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The logarithm to base 2 of each element."""
        ...
    def log_softmax(
        self,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | None = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The logarithm of the softmax of data / temperature along `axis`."""
        ...
    def max(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The largest element along the axes, NaN if there is one; all that equal it receive its gradient."""
        ...
    def mean(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The mean of the elements along the axes; of integers truncated towards zero."""
        ...
    def min(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The smallest element along the axes, NaN if there is one; all that equal it receive its gradient."""
        ...
    def nanprod(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The product of the elements along the axes that are not NaN."""
        ...
    def nansum(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The sum of the elements along the axes that are not NaN."""
        ...
    def norm(
        self,
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
    def one_hot(
        self,
        depth: int,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: DTypeLike = 'float32',
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """A vector for each of `indices` that has `on_value` at that index and `off_value` elsewhere."""
        ...
    def ones_like(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """1 in the shape and dtype of `data`."""
        ...
    def pad(
        self,
        mode: Literal['constant', 'edge', 'reflect'],
        pad_width: int | Sequence[int],
        constant_value: float = 0.0,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with padding before and after its spatial axes."""
        ...
    def pick(
        self,
        index: NDArray,
        axis: int | None = -1,
        keepdims: bool = False,
        mode: Literal['clip', 'wrap'] = 'clip',
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """One element of each row of `data` along `axis`, the one at `index`."""
        ...
    def prod(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The product of the elements along the axes; of bool whether all are true."""
        ...
    def radians(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Each element, an angle in degrees, in radians."""
        ...
    def rcbrt(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The reciprocal of the cube root of each element."""
        ...
    def reciprocal(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """1 divided by each element."""
        ...
    def relu(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """Each element that is positive, and 0 in place of the others."""
        ...
    def repeat(
        self,
        repeats: int,
        axis: int | None = None,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with each element repeated, its copies beside each other."""
        ...
    def reshape_like(
        self,
        rhs: NDArray,
        lhs_begin: int | None = None,
        lhs_end: int | None = None,
        rhs_begin: int | None = None,
        rhs_end: int | None = None,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The elements of `lhs`, in their order, in the shape of `rhs` or with some of its axes."""
        ...
    def rint(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The nearest integer to each element, halves rounded down, not to even."""
        ...
    def round(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The nearest integer to each element, halves rounded away from zero."""
        ...
    def rsqrt(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The reciprocal of the square root of each element."""
        ...
    def shape_array(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The sizes of `data`, as int64."""
        ...
    def sigmoid(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """1 / (1 + exp(-x)) of each element x."""
        ...
    def sign(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """-1, 0 or 1 by the sign of each element; 0 for NaN."""
        ...
    def sin(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The sine of each element, in radians."""
        ...
    def sinh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The hyperbolic sine of each element."""
        ...
    def size_array(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The number of elements of `data`, as int64."""
        ...
    def slice(
        self,
        begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None],
        step: int | None | Sequence[int | None] | None = (),
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The part `data[begin:end:step]`, along the first axes."""
        ...
    def slice_axis(
        self,
        axis: int,
        begin: int,
        end: int | None,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The part of `data` from `begin` to `end` along one axis."""
        ...
    def slice_like(
        self,
        shape_like: NDArray,
        axes: int | Sequence[int] = (),
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The first elements of `data` along some axes, as many as `shape_like` has there."""
        ...
    def softmax(
        self,
        length: NDArray | None = None,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | None = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """exp(data / temperature), divided by its sum along `axis`."""
        ...
    def softmin(
        self,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | None = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """exp(-data / temperature), divided by its sum along `axis`."""
        ...
    def sort(
        self,
        axis: int | None = -1,
        is_ascend: bool = True,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The elements of `data` in order along an axis."""
        ...
    def space_to_depth(
        self,
        block_size: int,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Blocks of b by b pixels of `data`, moved into channels that are C apart."""
        ...
    def split(
        self,
        num_outputs: int,
        axis: int = 1,
        squeeze_axis: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray | list[NDArray]:
        """`data` cut into equal parts along `axis`."""
        ...
    def sqrt(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The square root of each element."""
        ...
    def square(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The square of each element."""
        ...
    def sum(
        self,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        exclude: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The sum of the elements along the axes; of bool whether any is true."""
        ...
    def swapaxes(
        self,
        dim1: int = 0,
        dim2: int = 0,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with two axes exchanged."""
        ...
    def take(
        self,
        indices: NDArray,
        axis: int = 0,
        mode: Literal['clip', 'raise', 'wrap'] = 'clip',
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The slices of `a` along `axis` at these `indices`."""
        ...
    def tan(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The tangent of each element, in radians."""
        ...
    def tanh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The hyperbolic tangent of each element."""
        ...
    def tile(
        self,
        reps: int | Sequence[int],
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """Copies of `data` beside each other along each axis."""
        ...
    @overload
    def topk(
        self,
        axis: int | None = -1,
        k: int = 1,
        *,
        ret_typ: Literal['both'],
        is_ascend: bool = False,
        dtype: DTypeLike = 'float32',
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> list[NDArray]:
        """The `k` largest, or smallest, elements of `data` along an axis, or their indices, or both."""
        ...
    @overload
    def topk(
        self,
        axis: int | None = -1,
        k: int = 1,
        ret_typ: Literal['indices', 'mask', 'value'] = 'indices',
        is_ascend: bool = False,
        dtype: DTypeLike = 'float32',
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The `k` largest, or smallest, elements of `data` along an axis, or their indices, or both."""
        ...
    def transpose(
        self,
        axes: int | Sequence[int] = (),
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with its axes in another order."""
        ...
    def trunc(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """The nearest integer to each element that is no farther from zero."""
        ...
    def zeros_like(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """0 in the shape and dtype of `data`."""
        ...
