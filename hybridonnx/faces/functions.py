"""NumPy's functions: each takes what NumPy's takes and calls one operator, or a few."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NoReturn, TypeAlias, overload

import numpy as np

from ..attrs import ShapeLike
from ..dtypes import DTypeLike
from ..ops import is_number, sections
from .arguments import Axes, Name, V, axes_of, dtype_of, only_defaults, or_none, shape_of
from .overloads import NUMPY_OVERLOADS
from .selections import Selections

Sections: TypeAlias = int | Sequence[int]
"""How many equal parts, or the indices where parts end."""


class Functions(Selections[V]):
    """The functions of mx.np, on the values of one frontend."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"mx.np has no attribute {name!r}", name=name, obj=self)

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if name != "binary"]

    # ---- reductions

    def sum(
        self,
        a: V,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        initial: float | None = None,
        out: V | None = None,
        name: Name = None,
    ) -> V:
        """The sum of the elements along some axes."""
        return self._reduced("_np_sum", a, axis, dtype, keepdims, out, initial=initial, name=name)

    def prod(
        self,
        a: V,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: V | None = None,
        keepdims: bool = False,
        name: Name = None,
    ) -> V:
        """The product of the elements along some axes."""
        return self._reduced("_np_prod", a, axis, dtype, keepdims, out, name=name)

    product = prod

    def mean(
        self,
        a: V,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: V | None = None,
        keepdims: bool = False,
    ) -> V:
        """The mean of the elements along some axes."""
        return self._reduced("_npi_mean", a, axis, dtype, keepdims, out)

    def std(
        self,
        a: V,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: V | None = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> V:
        """The standard deviation of the elements along some axes."""
        return self._reduced("_npi_std", a, axis, dtype, keepdims, out, ddof=ddof)

    def var(
        self,
        a: V,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: V | None = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> V:
        """The variance of the elements along some axes."""
        return self._reduced("_npi_var", a, axis, dtype, keepdims, out, ddof=ddof)

    def max(
        self, a: V, axis: Axes = None, keepdims: bool = False, out: V | None = None, name: Name = None
    ) -> V:
        """The largest element along some axes."""
        return self._call("_np_max", a, axis=axes_of(axis), keepdims=keepdims, out=out, name=name)

    def min(
        self, a: V, axis: Axes = None, keepdims: bool = False, out: V | None = None, name: Name = None
    ) -> V:
        """The smallest element along some axes."""
        return self._call("_np_min", a, axis=axes_of(axis), keepdims=keepdims, out=out, name=name)

    amax, amin = max, min

    def any(
        self, a: V, axis: Axes = None, keepdims: bool = False, out: V | None = None, name: Name = None
    ) -> V:
        """Whether any element along some axes is not zero."""
        return self._call("_np_any", a, axis=axes_of(axis), keepdims=keepdims, out=out, name=name)

    def all(
        self, a: V, axis: Axes = None, keepdims: bool = False, out: V | None = None, name: Name = None
    ) -> V:
        """Whether all elements along some axes are not zero."""
        return self._call("_np_all", a, axis=axes_of(axis), keepdims=keepdims, out=out, name=name)

    sometrue = any

    def argmax(self, a: V, axis: int | None = None, out: V | None = None) -> V:
        """The first index of the largest element along an axis."""
        return self._call("_npi_argmax", a, axis=axis, keepdims=False, out=out)

    def argmin(self, a: V, axis: int | None = None, out: V | None = None) -> V:
        """The first index of the smallest element along an axis."""
        return self._call("_npi_argmin", a, axis=axis, keepdims=False, out=out)

    @overload
    def average(
        self,
        a: V,
        axis: Axes = None,
        weights: V | None = None,
        returned: Literal[False] = False,
        out: V | None = None,
    ) -> V: ...
    @overload
    def average(
        self,
        a: V,
        axis: Axes = None,
        weights: V | None = None,
        *,
        returned: Literal[True],
        out: V | None = None,
    ) -> list[V]: ...
    def average(
        self, a: V, axis: Axes = None, weights: V | None = None, returned: bool = False, out: V | None = None
    ) -> Any:
        """The mean of the elements along some axes, perhaps with weights."""
        same = {"axis": axes_of(axis), "returned": returned}
        if weights is None:
            return self._call("_npi_average", a, weighted=False, out=out, **same)
        return self._call("_npi_average", a, weights, out=out, **same)

    def cumsum(
        self,
        a: V,
        axis: int | None = None,
        dtype: DTypeLike | None = None,
        out: V | None = None,
        name: Name = None,
    ) -> V:
        """The sum of all elements up to each one along an axis."""
        return self._call("_np_cumsum", a, axis=axis, dtype=dtype_of(dtype), out=out, name=name)

    def _reduced(
        self,
        operator: str,
        a: V,
        axis: Axes,
        dtype: DTypeLike | None,
        keepdims: bool,
        out: V | None,
        **options: Any,
    ) -> V:
        same = {"axis": axes_of(axis), "dtype": dtype_of(dtype), "keepdims": keepdims}
        return self._call(operator, a, out=out, **same, **options)

    # ---- shapes

    def reshape(
        self, a: V, newshape: ShapeLike, order: str = "C", out: V | None = None, name: Name = None
    ) -> V:
        """The elements in another shape, of which one size may be -1."""
        return self._call("_np_reshape", a, newshape=shape_of(newshape), order=order, out=out, name=name)

    def ravel(self, x: V, order: str = "C") -> V:
        """The elements as one vector."""
        return self._call("_np_reshape", x, newshape=(-1,), order=order)

    def transpose(
        self, a: V, axes: Sequence[int] | None = None, out: V | None = None, name: Name = None
    ) -> V:
        """The axes in another order, reversed by default."""
        return self._call("_np_transpose", a, axes=axes_of(axes), out=out, name=name)

    def swapaxes(self, a: V, axis1: int, axis2: int) -> V:
        """Two axes exchanged."""
        return self._call("SwapAxis", a, dim1=axis1, dim2=axis2)

    def moveaxis(self, a: V, source: Axes, destination: Axes, out: V | None = None, name: Name = None) -> V:
        """Some axes moved to other places."""
        return self._call(
            "_np_moveaxis", a, source=axes_of(source), destination=axes_of(destination), out=out, name=name
        )

    def expand_dims(self, a: V, axis: int) -> V:
        """With a new axis of size 1."""
        return self._call("expand_dims", a, axis=axis)

    def squeeze(self, a: V, axis: Axes = None, out: V | None = None, name: Name = None) -> V:
        """Without axes of size 1."""
        return self._call("_np_squeeze", a, axis=axes_of(axis), out=out, name=name)

    def broadcast_to(self, array: V, shape: ShapeLike) -> V:
        """Repeated to a shape, which may have more axes in front."""
        return self._call("_npi_broadcast_to", array, shape=shape_of(shape))

    def flip(self, m: V, axis: Axes = None, out: V | None = None) -> V:
        """The elements reversed along some axes."""
        return self._call("_npi_flip", m, axis=axes_of(axis), out=out)

    def flipud(self, m: V) -> V:
        """The rows in reverse order."""
        return self.flip(m, 0)

    def fliplr(self, m: V) -> V:
        """The columns in reverse order."""
        return self.flip(m, 1)

    def roll(self, a: V, shift: Axes, axis: Axes = None, out: V | None = None, name: Name = None) -> V:
        """The elements shifted along some axes; what leaves at the end comes in at the front."""
        return self._call("_np_roll", a, shift=axes_of(shift), axis=axes_of(axis), out=out, name=name)

    def rot90(self, m: V, k: int = 1, axes: Sequence[int] = (0, 1)) -> V:
        """Turned by quarters in the plane of two axes."""
        return self._call("_npi_rot90", m, k=k, axes=tuple(axes))

    def tile(self, A: V, reps: ShapeLike) -> V:
        """Repeated so many times along each axis."""
        if not reps and reps != 0:
            return self.copy(A)
        return self._call("tile", A, reps=shape_of(reps))

    def repeat(
        self, a: V, repeats: int, axis: int | None = None, out: V | None = None, name: Name = None
    ) -> V:
        """Each element repeated, along an axis or of the array laid out flat."""
        return self._call("repeat", a, repeats=repeats, axis=axis, out=out, name=name)

    @overload
    def atleast_1d(self, ary: V, /, *, out: V | None = None, name: Name = None) -> V: ...
    @overload
    def atleast_1d(self, *arys: V, out: V | None = None, name: Name = None) -> list[V]: ...
    def atleast_1d(self, *arys: V, out: V | None = None, name: Name = None) -> Any:
        """With an axis, if there is none."""
        return self._call("_np_atleast_1d", *arys, out=out, name=name)

    @overload
    def atleast_2d(self, ary: V, /, *, out: V | None = None, name: Name = None) -> V: ...
    @overload
    def atleast_2d(self, *arys: V, out: V | None = None, name: Name = None) -> list[V]: ...
    def atleast_2d(self, *arys: V, out: V | None = None, name: Name = None) -> Any:
        """With two axes at least."""
        return self._call("_np_atleast_2d", *arys, out=out, name=name)

    @overload
    def atleast_3d(self, ary: V, /, *, out: V | None = None, name: Name = None) -> V: ...
    @overload
    def atleast_3d(self, *arys: V, out: V | None = None, name: Name = None) -> list[V]: ...
    def atleast_3d(self, *arys: V, out: V | None = None, name: Name = None) -> Any:
        """With three axes at least."""
        return self._call("_np_atleast_3d", *arys, out=out, name=name)

    # ---- joining and splitting

    def concatenate(self, seq: Sequence[V], axis: int | None = 0, out: V | None = None) -> V:
        """Arrays one after the other along an axis."""
        return self._call("_npi_concatenate", *seq, axis=axis, out=out)

    def stack(self, arrays: Sequence[V], axis: int = 0, out: V | None = None) -> V:
        """Arrays of one shape along a new axis."""
        return self._call("_npi_stack", *arrays, axis=axis, out=out)

    def vstack(self, arrays: Sequence[V], out: V | None = None) -> V:
        """Arrays one below the other."""
        return self._call("_npi_vstack", *arrays, out=out)

    row_stack = vstack

    def hstack(self, arrays: Sequence[V]) -> V:
        """Arrays beside each other."""
        return self._call("_npi_hstack", *arrays)

    def dstack(self, arrays: Sequence[V]) -> V:
        """Arrays behind each other."""
        return self._call("_npi_dstack", *arrays)

    def column_stack(self, tup: Sequence[V]) -> V:
        """Arrays beside each other, vectors as columns."""
        return self._call("_npi_column_stack", *tup)

    def append(self, arr: V, values: V, axis: int | None = None) -> V:
        """The values behind the array along an axis."""
        return self._call("_npi_concatenate", arr, values, axis=axis)

    def array_split(self, ary: V, indices_or_sections: Sections, axis: int = 0) -> list[V]:
        """Parts along an axis, so many of almost equal size, or ones that end at the given indices."""
        return self._parts("_split_v2", ary, indices_or_sections, axis)

    def split(self, ary: V, indices_or_sections: Sections, axis: int = 0) -> list[V]:
        """Parts along an axis: so many equal ones, or ones that end at the given indices."""
        shape = getattr(ary, "shape", None)
        if isinstance(indices_or_sections, int) and shape is not None and shape[axis] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
        return self._parts("_split_v2", ary, indices_or_sections, axis)

    def hsplit(self, ary: V, indices_or_sections: Sections) -> list[V]:
        """Parts along the second axis, or the only one."""
        return self._parts("_npi_hsplit", ary, indices_or_sections, 1)

    def vsplit(self, ary: V, indices_or_sections: Sections) -> list[V]:
        """Parts along the first axis."""
        return self.split(ary, indices_or_sections, 0)

    def dsplit(self, ary: V, indices_or_sections: Sections) -> list[V]:
        """Parts along the third axis."""
        return self._parts("_npi_dsplit", ary, indices_or_sections, 2)

    def _parts(self, name: str, ary: V, parts: Sections, axis: int) -> list[V]:
        ends = parts if isinstance(parts, int) else tuple(int(i) for i in parts)
        result: Any = self._call(name, ary, axis=axis, squeeze_axis=False, **sections(ends))
        return result if isinstance(result, list) or not hasattr(result, "asnumpy") else [result]

    # ---- choices

    @overload
    def where(self, condition: V) -> tuple[V, ...]: ...
    @overload
    def where(self, condition: V, x: V | float, y: V | float) -> V: ...
    def where(self, condition: V, x: V | float | None = None, y: V | float | None = None) -> Any:
        """One where a condition holds, else the other; of the condition alone the indices where it holds."""
        if x is None and y is None:
            return self.nonzero(condition)
        if is_number(x) and is_number(y):
            return self._call("_npi_where_scalar2", condition, x=float(x), y=float(y))
        if is_number(x):
            return self._call("_npi_where_lscalar", condition, y, scalar=float(x))
        if is_number(y):
            return self._call("_npi_where_rscalar", condition, x, scalar=float(y))
        return self._call("_npi_where", condition, x, y)

    def nonzero(self, a: V) -> tuple[V, ...]:
        """The indices of what is not zero, an array for each axis."""
        raise NotImplementedError

    def clip(self, a: V, a_min: float | None, a_max: float | None, out: V | None = None) -> V:
        """The elements within limits."""
        if a_min is None and a_max is None:
            raise ValueError("clip: a_min or a_max is required, got neither.")
        low, high = (-np.inf if a_min is None else a_min), (np.inf if a_max is None else a_max)
        return self._call("clip", a, a_min=float(low), a_max=float(high), out=out)

    def take(self, a: V, indices: V, axis: int | None = None, mode: str = "raise", out: V | None = None) -> V:
        """The elements, or the slices along an axis, at indices."""
        if axis is None:
            return self._call(
                "take", self._call("_npx_reshape", a, newshape=(-1,)), indices, axis=0, mode=mode, out=out
            )
        return self._call("take", a, indices, axis=axis, mode=mode, out=out)

    def sort(self, a: V, axis: int | None = -1, kind: str | None = None, order: object = None) -> V:
        """The elements in ascending order along an axis."""
        return self._call("sort", a, axis=axis, is_ascend=True)

    def argsort(self, a: V, axis: int | None = -1, kind: str | None = None, order: object = None) -> V:
        """The indices of the elements in ascending order along an axis."""
        return self._call("argsort", a, axis=axis, is_ascend=True, dtype="int64")

    def tril(self, m: V, k: int = 0) -> V:
        """Matrices with zeros above a diagonal."""
        return self._call("_npi_tril", m, k=k)

    def diag(self, array: V, k: int = 0, out: V | None = None, name: Name = None) -> V:
        """A diagonal of a matrix, or a matrix of a diagonal."""
        return self._call("_np_diag", array, k=k, out=out, name=name)

    def diagflat(self, array: V, k: int = 0, out: V | None = None, name: Name = None) -> V:
        """A matrix of all elements on a diagonal."""
        return self._call("_np_diagflat", array, k=k, out=out, name=name)

    def diagonal(
        self, a: V, offset: int = 0, axis1: int = 0, axis2: int = 1, out: V | None = None, name: Name = None
    ) -> V:
        """The diagonals of matrices along two axes."""
        return self._call("_np_diagonal", a, offset=offset, axis1=axis1, axis2=axis2, out=out, name=name)

    def trace(
        self, a: V, offset: int = 0, axis1: int = 0, axis2: int = 1, out: V | None = None, name: Name = None
    ) -> V:
        """The sums of the diagonals of matrices along two axes."""
        return self._call("_np_trace", a, offset=offset, axis1=axis1, axis2=axis2, out=out, name=name)

    def diff(self, a: V, n: int = 1, axis: int = -1, prepend: object = None, append: object = None) -> V:
        """The differences of elements that follow each other along an axis."""
        if prepend is not None or append is not None:
            raise NotImplementedError("diff: prepend and append of None are required. Concatenate before.")
        return self._call("_npi_diff", a, n=n, axis=axis)

    def pad(
        self,
        x: V,
        pad_width: Sequence[int] | Sequence[Sequence[int]] = (),
        mode: str = "constant",
        **kwargs: object,
    ) -> V:
        """The array with more elements before and after along its axes."""
        if not isinstance(pad_width, tuple | list):
            raise TypeError("`pad_width` must be tuple.")
        value: Any = kwargs.pop("constant_values", 0)
        reflect_type = kwargs.pop("reflect_type", "even")
        if kwargs or not is_number(value):
            raise NotImplementedError(
                f"pad: constant_values of one number is required, got {kwargs or value!r}."
            )
        widths = tuple(pad_width)
        if not hasattr(widths[0], "__len__"):
            widths = (widths,) * getattr(x, "ndim", 1)
        text = str(tuple((int(a), int(b)) for a, b in widths))
        same = {"constant_value": float(value), "reflect_type": reflect_type}
        return self._call("_npi_pad", x, pad_width=text, mode=mode, **same)

    def ediff1d(self, ary: V, to_end: V | float | None = None, to_begin: V | float | None = None) -> V:
        """The differences of elements that follow each other in the array laid out flat, between others."""
        arrays = [x for x in (to_begin, to_end) if x is not None and not is_number(x)]
        same: dict[str, Any] = {}
        for name, value in (("to_begin", to_begin), ("to_end", to_end)):
            plain = value is None or is_number(value)
            same |= {f"{name}_arr_given": not plain, f"{name}_scalar": or_none(value if plain else None)}
        return self._call("_npi_ediff1d", ary, *map(self._array, arrays), **same)

    # ---- products

    def dot(self, a: V, b: V, out: V | None = None, name: Name = None) -> V:
        """The product, summed over the last axis of a and the last but one of b."""
        return self._call("_np_dot", a, b, out=out, name=name)

    def matmul(self, a: V, b: V, out: V | None = None, **kwargs: object) -> V:
        """The products of matrices in the last two axes."""
        only_defaults("matmul", kwargs)
        return self._call("_npi_matmul", a, b, out=out)

    def tensordot(self, a: V, b: V, axes: int | Sequence[Axes] = 2) -> V:
        """The product, summed over so many axes, or over pairs of axes."""
        if isinstance(axes, int | np.integer):
            return self._call("_npi_tensordot_int_axes", a, b, axes=int(axes))
        if len(axes) != 2:
            raise ValueError("Axes must consist of two arrays.")
        of_a, of_b = map(axes_of, axes)
        return self._call("_npi_tensordot", a, b, a_axes_summed=of_a, b_axes_summed=of_b)

    def einsum(self, *operands: Any, **kwargs: Any) -> V:
        """Products of arrays, summed over the axes whose letters the output lacks."""
        subscripts, arrays = operands[0], operands[1:]
        optimize = int(bool(kwargs.get("optimize", False)))
        return self._call(
            "_npi_einsum", *arrays, subscripts=subscripts, optimize=optimize, out=kwargs.get("out")
        )

    def inner(self, a: V, b: V) -> V:
        """The product, summed over the last axes."""
        return self.tensordot(a, b, [-1, -1])

    def outer(self, a: V, b: V) -> V:
        """The products of each element of one with each of the other."""
        return self.tensordot(self.ravel(a), self.ravel(b), 0)

    def vdot(self, a: V, b: V) -> V:
        """The sum of the products of the elements."""
        return self.tensordot(self.ravel(a), self.ravel(b), 1)

    # ---- of each element

    def copy(self, a: V, out: V | None = None, name: Name = None) -> V:
        """A copy."""
        return self._call("_np_copy", a, out=out, name=name)

    def around(self, x: V, decimals: int = 0, out: V | None = None, **kwargs: object) -> V:
        """The elements rounded to a number of decimals."""
        return self._call("_npi_around", x, decimals=decimals, out=out)

    round = round_ = around

    def nan_to_num(
        self,
        x: V,
        copy: bool = True,
        nan: float = 0.0,
        posinf: float | None = None,
        neginf: float | None = None,
        **kwargs: object,
    ) -> V:
        """The elements, with numbers in place of NaN and the infinities."""
        return self._call("_npi_nan_to_num", x, copy=copy, nan=nan, posinf=posinf, neginf=neginf)

    def full_like(
        self,
        a: V,
        fill_value: float,
        dtype: DTypeLike | None = None,
        order: str = "C",
        ctx: object = None,
        out: V | None = None,
    ) -> V:
        """An array of one value with the shape of another."""
        return self._call("_npi_full_like", a, fill_value=fill_value, dtype=dtype_of(dtype), out=out)

    def zeros_like(
        self, a: V, dtype: DTypeLike | None = None, order: str = "C", ctx: object = None, out: V | None = None
    ) -> V:
        """Zeros with the shape of another array."""
        return self.full_like(a, 0, dtype, order, ctx, out)

    def ones_like(
        self, a: V, dtype: DTypeLike | None = None, order: str = "C", ctx: object = None, out: V | None = None
    ) -> V:
        """Ones with the shape of another array."""
        return self.full_like(a, 1, dtype, order, ctx, out)

    def empty_like(
        self,
        prototype: V,
        dtype: DTypeLike | None = None,
        order: str = "C",
        subok: bool = False,
        shape: ShapeLike | None = None,
    ) -> V:
        """An array of another's shape whose values are still to be written; here zeros."""
        if order != "C" or subok or shape is not None:
            raise NotImplementedError(
                "empty_like: order 'C', subok=False and shape=None are required, got "
                f"{order!r}, {subok} and {shape}. Use zeros for another shape."
            )
        return self.zeros_like(prototype, dtype)

    # ---- arrays of no arrays

    def zeros(
        self, shape: ShapeLike, dtype: DTypeLike | None = None, order: str = "C", ctx: object = None
    ) -> V:
        """An array of zeros."""
        return self._made("_npi_zeros", ctx, dtype or "float32", shape=shape_of(shape))

    def ones(
        self, shape: ShapeLike, dtype: DTypeLike | None = np.float32, order: str = "C", ctx: object = None
    ) -> V:
        """An array of ones."""
        return self._made("_npi_ones", ctx, dtype or "float32", shape=shape_of(shape))

    def full(
        self,
        shape: ShapeLike,
        fill_value: V | float,
        dtype: DTypeLike | None = None,
        order: str = "C",
        ctx: object = None,
        out: V | None = None,
    ) -> V:
        """An array of one value, or of an array's that broadcasts."""
        if not is_number(fill_value):
            filled = self._call("_npi_broadcast_to", fill_value, shape=shape_of(shape))
            return filled if dtype is None else self._call("Cast", filled, dtype=dtype_of(dtype))
        if dtype is None:
            dtype = "bool" if isinstance(fill_value, bool | np.bool_) else "float32"
        return self.full_like(self.zeros(shape, dtype, ctx=ctx), fill_value, out=out)

    def eye(
        self, N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = np.float32, **kwargs: Any
    ) -> V:
        """A matrix of ones on one diagonal and zeros elsewhere."""
        return self._made("_npi_eye", kwargs.get("ctx"), dtype, N=N, M=M, k=k)

    def identity(self, n: int, dtype: DTypeLike | None = None, ctx: object = None) -> V:
        """A square matrix of ones on the diagonal and zeros elsewhere."""
        return self._made("_npi_identity", ctx, dtype or "float32", shape=(n, n))

    def arange(
        self,
        start: float,
        stop: float | None = None,
        step: float = 1,
        dtype: DTypeLike | None = None,
        ctx: object = None,
    ) -> V:
        """Evenly spaced numbers from one up to but without another."""
        if stop is None:
            start, stop = 0, start
        return self._made("_npi_arange", ctx, dtype or "float32", start=start, stop=stop, step=step or 1)

    @overload
    def linspace(
        self,
        start: float,
        stop: float,
        num: int = 50,
        endpoint: bool = True,
        retstep: Literal[False] = False,
        dtype: DTypeLike | None = None,
        axis: int = 0,
        ctx: object = None,
    ) -> V: ...
    @overload
    def linspace(
        self,
        start: float,
        stop: float,
        num: int = 50,
        endpoint: bool = True,
        *,
        retstep: Literal[True],
        dtype: DTypeLike | None = None,
        axis: int = 0,
        ctx: object = None,
    ) -> tuple[V, float]: ...
    def linspace(
        self,
        start: float,
        stop: float,
        num: int = 50,
        endpoint: bool = True,
        retstep: bool = False,
        dtype: DTypeLike | None = None,
        axis: int = 0,
        ctx: object = None,
    ) -> Any:
        """A number of evenly spaced numbers between two bounds."""
        same = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
        numbers = self._made("_linspace", ctx, dtype or "float32", **same)
        return (numbers, (stop - start) / (num - endpoint)) if retstep else numbers

    def logspace(
        self,
        start: float,
        stop: float,
        num: int = 50,
        endpoint: bool = True,
        base: float = 10.0,
        dtype: DTypeLike | None = None,
        axis: int = 0,
        ctx: object = None,
    ) -> V:
        """Numbers whose logarithms are evenly spaced."""
        same = {"start": start, "stop": stop, "num": num, "endpoint": endpoint, "base": base}
        return self._made("_npi_logspace", ctx, dtype or "float32", **same)

    def indices(self, dimensions: Sequence[int], dtype: DTypeLike = np.int32, ctx: object = None) -> V:
        """The indices of the elements of an array."""
        return self._made("_npi_indices", ctx, dtype, dimensions=tuple(dimensions))

    def hanning(self, M: int, dtype: DTypeLike = np.float32, ctx: object = None) -> V:
        """The weights of the Hann window."""
        return self._made("_npi_hanning", ctx, dtype, M=M)

    def hamming(self, M: int, dtype: DTypeLike = np.float32, ctx: object = None) -> V:
        """The weights of the Hamming window."""
        return self._made("_npi_hamming", ctx, dtype, M=M)

    def blackman(self, M: int, dtype: DTypeLike = np.float32, ctx: object = None) -> V:
        """The weights of the Blackman window."""
        return self._made("_npi_blackman", ctx, dtype, M=M)

    def _made(self, name: str, ctx: object, dtype: DTypeLike, **attributes: object) -> V:
        place = {} if ctx is None else {"ctx": str(ctx)}
        return self._call(name, dtype=dtype_of(dtype), **place, **attributes)

    def binary(self, what: str, x1: V | float, x2: V | float, out: V | None = None) -> V:
        """An operator of two values, of which one may be a number."""
        forms = NUMPY_OVERLOADS[what]
        if is_number(x2):
            return self._call(forms.scalar, x1, scalar=x2, out=out)
        if is_number(x1):
            return self._call(forms.reflected, x2, scalar=x1, out=out)
        return self._call(forms.arrays, x1, x2, out=out)


# ---- functions of one value, and of two

_UNARY = {
    **{
        name: f"_npi_{name}"
        for name in (
            "absolute arccos arccosh arcsin arcsinh arctan arctanh bitwise_not cbrt ceil cos cosh degrees "
            "exp expm1 fix floor isfinite isinf isnan isneginf isposinf log log10 log1p log2 logical_not "
            "negative radians reciprocal rint sign sin sinh sqrt square tan tanh trunc"
        ).split()
    },
    "abs": "_npi_absolute",
    "fabs": "_npi_absolute",
    "invert": "_npi_bitwise_not",
    "rad2deg": "_npi_degrees",
    "deg2rad": "_npi_radians",
}
_BINARY = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "true_divide": "truediv",
    "mod": "mod",
    "remainder": "mod",
    "power": "pow",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "equal": "eq",
    "not_equal": "ne",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    **{name: name for name in ("maximum", "minimum", "arctan2", "hypot", "copysign", "ldexp", "lcm")},
}
_NUMBERS_ALONE: dict[str, Callable[..., Any]] = {
    "fix": np.fix,
    "abs": np.abs,
    "isposinf": np.isposinf,
    "isneginf": np.isneginf,
}


def _unary(name: str, target: str) -> Callable[..., Any]:
    def function(self: Functions[V], x: V, out: V | None = None, **kwargs: object) -> V:
        if is_number(x):
            number: V = _NUMBERS_ALONE.get(name, getattr(np, name))(x)
            return number
        only_defaults(name, kwargs)
        return self._call(target, x, out=out)

    return _described(function, name, "of each element")


def _binary(name: str, what: str) -> Callable[..., Any]:
    def function(
        self: Functions[V], x1: V | float, x2: V | float, out: V | None = None, **kwargs: object
    ) -> V:
        if is_number(x1) and is_number(x2):
            number: V = getattr(np, name)(x1, x2)
            return number
        only_defaults(name, kwargs)
        return self.binary(what, x1, x2, out)

    return _described(function, name, "of two arrays that broadcast, or of an array and a number")


def _described(function: Callable[..., Any], name: str, of: str) -> Callable[..., Any]:
    function.__name__ = name
    function.__qualname__ = f"Functions.{name}"
    function.takes_numbers = True  # type: ignore[attr-defined]
    function.__doc__ = f"NumPy's `{name}` {of}."
    return function


for _name, _target in _UNARY.items():
    setattr(Functions, _name, _unary(_name, _target))
for _name, _what in _BINARY.items():
    setattr(Functions, _name, _binary(_name, _what))
