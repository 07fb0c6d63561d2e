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
        """`data` of any shape to an output of the same shape."""
        ...
    def arccos(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def arccosh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def arcsin(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def arcsinh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def arctan(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def arctanh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def argmax(
        self,
        axis: int | None = None,
        keepdims: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The first place of the maximum of `data` along `axis`, or in all of it, in the dtype of `data`."""
        ...
    def argmax_channel(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The first place of the maximum of `data` (N, C, *rest) along C, in the dtype of `data`."""
        ...
    def argmin(
        self,
        axis: int | None = None,
        keepdims: bool = False,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The first place of the minimum of `data` along `axis`, or in all of it, in the dtype of `data`."""
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
        """The indices that sort `data` along `axis`."""
        ...
    def broadcast_axes(
        self,
        axis: int | Sequence[int] = (),
        size: int | Sequence[int] = (),
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with each of `axis`, of size 1, repeated to the size beside it in `size`."""
        ...
    def broadcast_like(
        self,
        rhs: NDArray,
        lhs_axes: int | Sequence[int] | None = None,
        rhs_axes: int | Sequence[int] | None = None,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`lhs` with axes of size 1 repeated as in `rhs`: all of them, or `lhs_axes` as `rhs_axes`."""
        ...
    def broadcast_to(
        self,
        shape: int | Sequence[int] = (),
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with its axes of size 1 repeated to the sizes of `shape`, in which 0 keeps a size."""
        ...
    def cbrt(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def ceil(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def clip(
        self,
        a_min: float,
        a_max: float,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` of any shape, with values above `a_max` made `a_max` and those below `a_min` made `a_min`."""
        ...
    def cos(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def cosh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def degrees(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def depth_to_space(
        self,
        block_size: int,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` (N, b·b·C, H, W) to (N, C, b·H, b·W), where b is `block_size`."""
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
        """The `k`-th diagonals of `data` as last axis, or a matrix with the vector `data` on its diagonal."""
        ...
    def exp(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def expand_dims(
        self,
        axis: int,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with a new axis of size 1 at `axis` of the result."""
        ...
    def expm1(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def fix(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def flatten(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` (N, *rest) to (N, size of rest)."""
        ...
    def flip(
        self,
        axis: int | Sequence[int],
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with the elements along each of `axis` in reverse order."""
        ...
    def floor(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def log(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def log10(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def log1p(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def log2(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
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
        """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
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
        """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
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
        """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
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
        """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
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
        """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
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
        """The L1 or L2 norm (`ord`) of `data` over `axis`, or over all axes."""
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
        """`on_value` at each of `indices` along a new last axis of size `depth`, `off_value` elsewhere."""
        ...
    def ones_like(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` of any shape to an output of the same shape."""
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
        """`data` (N, C, *spatial) of 4 or 5 axes with `pad_width` before and after each, filled by `mode`."""
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
        """The element of each row of `data` along `axis` that `index` (data's shape without it) says."""
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
        """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
        ...
    def radians(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def rcbrt(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def reciprocal(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def relu(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def repeat(
        self,
        repeats: int,
        axis: int | None = None,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with each element repeated `repeats` times along `axis`, or flattened first."""
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
        """`lhs` in the shape of `rhs`, or with its axes from lhs_begin to lhs_end replaced by rhs's."""
        ...
    def rint(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def round(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def rsqrt(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def shape_array(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The sizes of `data` as an int64 vector."""
        ...
    def sigmoid(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def sign(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def sin(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def sinh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def size_array(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The number of elements of `data`, as an int64 vector of length 1."""
        ...
    def slice(
        self,
        begin: int | None | Sequence[int | None],
        end: int | None | Sequence[int | None],
        step: int | None | Sequence[int | None] = (),
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data[begin:end:step]` along its first axes; None stands for an end of the axis."""
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
        """`data` from `begin` to `end` along `axis`; None is the end of the axis."""
        ...
    def slice_like(
        self,
        shape_like: NDArray,
        axes: int | Sequence[int] = (),
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """The first elements of `data` along `axes` (or all), as many as `shape_like` has there."""
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
        """exp(data / temperature) along `axis`, divided by its sum; with use_length only over the first `length`"""
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
        """exp(-data / temperature) along `axis`, divided by its sum."""
        ...
    def sort(
        self,
        axis: int | None = -1,
        is_ascend: bool = True,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` sorted along `axis`; the hidden output is the indices, int32."""
        ...
    def space_to_depth(
        self,
        block_size: int,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` (N, C, b·H, b·W) to (N, b·b·C, H, W), where b is `block_size`."""
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
        """`data` in `num_outputs` equal parts along `axis`, which goes with `squeeze_axis`."""
        ...
    def sqrt(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def square(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def squeeze(
        self,
        axis: int | Sequence[int] | None = None,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` without those of its axes that have size 1, or without `axis`."""
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
        """`data` reduced over `axis` (none: all axes); with `exclude` over all but those."""
        ...
    def swapaxes(
        self,
        dim1: int = 0,
        dim2: int = 0,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with the axes `dim1` and `dim2` exchanged."""
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
        """The parts of `a` along `axis` with these `indices`, whose axes take the place of `axis`."""
        ...
    def tan(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def tanh(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def tile(
        self,
        reps: int | Sequence[int],
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` repeated as a whole `reps` times along each axis, counted from the last."""
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
        """The `k` largest (or with `is_ascend` smallest) elements of `data` along `axis`; all if k is below 1."""
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
        """The `k` largest (or with `is_ascend` smallest) elements of `data` along `axis`; all if k is below 1."""
        ...
    def transpose(
        self,
        axes: int | Sequence[int] = (),
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` with its axes in the order `axes`, or reversed."""
        ...
    def trunc(self, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
    def zeros_like(
        self,
        *,
        out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None,
    ) -> NDArray:
        """`data` of any shape to an output of the same shape."""
        ...
