"""Rearrangements as NumPy has them, where no axis need be left."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

from ..attrs import Ints
from ..errors import AttributeValueError, ShapeError
from ._composition import Composed
from ._extents import Extent, complete, product, source_of
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, axis_index, axis_indices, differ, show, size, sizes
from .reshape import Squeeze, Transpose


@operator("_np_squeeze")
class NumpySqueeze(Squeeze):
    """`a` without axes of size 1, as NumPy has it: no axis need be left.

    Inputs:
        a: Of any shape.

    Attributes:
        axis: The axes that go, whose size must be 1; None: all of size 1.

    Returns:
        The shape of a without those axes.

    ONNX: Squeeze.
    """

    inputs = ("a",)

    def infer_shape(self, a: Shape) -> Shape:
        axes = self.removed(a)
        if axes is None:
            return None  # type: ignore[return-value]  # not even the rank is known
        return tuple(d for i, d in enumerate(a) if i not in axes)


# ---- shapes


class NumpyReshaping(Operator):
    """The elements of `a`, in their order, in another shape.

    Inputs:
        a: Of any shape.

    Attributes:
        newshape: The new shape.
        order: Only C: the last index changes fastest.

    Returns:
        The new shape.

    ONNX: Reshape.
    """

    cheap: ClassVar[bool] = True
    inputs: ClassVar[tuple[str, ...]] = ("a",)
    newshape: Any
    order: Any

    def check(self) -> None:
        if self.order != "C":
            raise AttributeValueError(
                f"{self.names[0]}: order 'C' is required, got {self.order!r}. Transpose before and after."
            )
        if self.newshape.count(-1) > 1:
            raise AttributeValueError(f"{self.names[0]}: at most one -1 is required, got {self.newshape}.")

    def extents(self, a: Shape) -> list[Extent]:
        """Each size of the result."""
        try:
            asked = self.asked(source_of(a))
            literal = [e for e in asked if e is not None and not e.free]
            if all(e.factor for e in literal):
                return complete(asked, a)
        except ShapeError as exc:
            raise ShapeError(f"{self.names[0]}: {exc}, for {show(a)} to {self.newshape}.") from None
        if None in asked or differ(size(a), 0):
            raise ShapeError(
                f"{self.names[0]}: {size(a)} elements are required, got {self.newshape} for {show(a)}."
            )
        return [e for e in asked if e is not None]

    def asked(self, source: Sequence[Extent]) -> list[Extent | None]:
        """The sizes as `newshape` says them, `None` for the one that is left over."""
        return [None if d == -1 else Extent(Fraction(d)) for d in self.newshape]

    def infer_shape(self, a: Shape) -> Shape:
        result = tuple(extent.value(a) for extent in self.extents(a))
        if differ(size(a), size(result)):
            raise ShapeError(
                f"{self.names[0]}: a shape of as many elements as {show(a)} is required, got {show(result)}."
            )
        return result

    def forward(self, a: Array) -> Array:
        return a.reshape(sizes(self.infer_shape(a.shape)))

    def gradient(self, F: Any, dy: Any, y: Any, a: Any) -> Sequence[Any]:
        return (F.reshape_like(dy, a),)


@operator("_np_reshape")
class NumpyReshape(NumpyReshaping):
    """The elements of `a` in a shape of as many elements.

    Attributes:
        newshape: The sizes, of which one may be -1 for what is left over.
    """

    newshape: Ints
    order: str = "C"

    def check(self) -> None:
        super().check()
        if any(d < -1 for d in self.newshape):
            raise AttributeValueError(f"_np_reshape: sizes and one -1 are required, got {self.newshape}.")


@operator("_npx_reshape", "_npi_reshape")
class NumpyxReshape(NumpyReshaping):
    """The elements of `a` in a shape that may be said in terms of the old one.

    Attributes:
        newshape: The sizes, in which -1 stands for what is left over, -2 keeps the next size, -3 leaves out
            the next one, which is 1, -4 keeps all further sizes, -5 merges the next two, and -6 splits the
            next one into the two numbers that follow.
        reverse: Whether sizes and codes are matched from the last axis on.
    """

    newshape: Ints
    reverse: bool = False
    order: str = "C"

    def check(self) -> None:
        if any(d < -6 for d in self.newshape):
            raise AttributeValueError(
                f"_npx_reshape: sizes and codes down to -6 are required, got {self.newshape}."
            )
        if self.order != "C":
            super().check()

    def asked(self, source: Sequence[Extent]) -> list[Extent | None]:
        tokens, codes = [], list(self.newshape)
        while codes:
            count = 3 if codes[0] == -6 else 1
            tokens.append(codes[:count])
            codes = codes[count:]
        if not self.reverse:
            return _read(tokens, list(source))
        mirrored = [[t[0], *t[1:][::-1]] for t in tokens[::-1]]
        return _read(mirrored, list(source[::-1]))[::-1]


def _read(tokens: Sequence[Sequence[int]], source: list[Extent]) -> list[Extent | None]:
    """The sizes that codes say, given those of the input from the side where reading begins."""
    result: list[Extent | None] = []
    for code, *parts in tokens:
        if code == -4:
            result += source
            source.clear()
        elif code >= -1:
            result.append(None if code == -1 else Extent(Fraction(code)))
            del source[:1]
        elif len(source) < 1 + (code == -5):
            raise ShapeError(f"an axis is required for each code, got none for {code}")
        elif code == -3:
            dropped = source.pop(0)
            if not dropped.free and dropped.factor != 1:
                raise ShapeError(f"a size of 1 is required for -3, got {dropped.factor}")
        elif code == -6:
            result += _split(source.pop(0), parts)
        else:
            result.append(product([source.pop(0), source.pop(0)]) if code == -5 else source.pop(0))
    return result


def _split(whole: Extent, parts: Sequence[int]) -> list[Extent]:
    if len(parts) != 2 or min(parts) < -1 or 0 in parts or list(parts) == [-1, -1]:
        raise ShapeError(f"two sizes, one of which may be -1, are required behind -6, got {tuple(parts)}")
    rest = Extent(whole.factor / max(parts), whole.free) if -1 in parts else None
    return [rest if rest and d == -1 else Extent(Fraction(d)) for d in parts]


# ---- order


@operator("_np_transpose")
class NumpyTranspose(Transpose):
    """`a` with its axes in another order, which negative numbers may say as well.

    Inputs:
        a: Of any shape.

    Attributes:
        axes: The axis of a that each of the output's is; None: all in reverse order.

    Returns:
        The sizes of a in that order.

    ONNX: Transpose.
    """

    inputs = ("a",)
    axes: Ints | None = None  # type: ignore[assignment]

    def order(self, rank: int) -> tuple[int, ...]:
        """The input's axis that each of the output's is."""
        if self.axes is None:
            return tuple(reversed(range(rank)))
        axes = tuple(axis_index("_np_transpose", axis, rank) for axis in self.axes)
        if sorted(axes) != list(range(rank)):
            raise ShapeError(f"_np_transpose: each of {rank} axes is required once, got {self.axes}.")
        return axes

    def gradient(self, F: Any, dy: Any, y: Any, a: Any) -> Sequence[Any]:
        if self.axes is None:
            return (F._np_transpose(dy),)
        axes = [axis % len(self.axes) for axis in self.axes]
        return (F._np_transpose(dy, axes=tuple(axes.index(i) for i in range(len(axes)))),)


class Rearranged(Composed):
    """The elements of an array in another order or shape.

    Inputs:
        data: Of any shape.
    """

    cheap: ClassVar[bool] = True


@operator("_np_moveaxis")
class NumpyMoveAxis(Rearranged):
    """`a` with some axes moved to other places, and the others in their order.

    Inputs:
        a: Of any shape.

    Attributes:
        source: The axes that move.
        destination: Where each of them goes.

    Returns:
        The sizes of a in the new order.

    ONNX: Transpose.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a",)
    source: Ints
    destination: Ints

    def check(self) -> None:
        if len(self.source) != len(self.destination):
            raise AttributeValueError(
                f"_np_moveaxis: as many axes in destination as in source are required, got {self.source} and "
                f"{self.destination}."
            )

    def compose(self, F: Any, *inputs: Any) -> Any:
        (a,) = inputs
        source = [axis_index("_np_moveaxis", i, a.ndim) for i in self.source]
        order = [i for i in range(a.ndim) if i not in source]
        for to, axis in sorted(
            (axis_index("_np_moveaxis", d, a.ndim), s) for d, s in zip(self.destination, source, strict=True)
        ):
            order.insert(to, axis)
        return F._np_transpose(a, axes=tuple(order))


@operator("_npi_flip")
class NumpyFlip(Rearranged):
    """`data` reversed along some axes, which negative numbers may say as well.

    Attributes:
        axis: The axes, negative ones counted from the last; None: all.

    Returns:
        The shape of data.

    ONNX: Slice, with steps of -1.
    """

    axis: Ints | None

    def compose(self, F: Any, *inputs: Any) -> Any:
        (data,) = inputs
        axes = axis_indices("_npi_flip", self.axis, data.ndim)
        return F.reverse(data, axis=axes) if data.ndim and axes else F._copy(data)


@operator("_np_roll")
class NumpyRoll(Rearranged):
    """`data` with its elements shifted along some axes; what leaves at the end comes in at the front.

    Attributes:
        shift: How far, for each axis.
        axis: The axes; None: data laid out flat.

    Returns:
        The shape of data.

    ONNX: Slice and Concat.
    """

    shift: Ints | None = None
    axis: Ints | None = None

    def check(self) -> None:
        if not self.shift:
            raise AttributeValueError("_np_roll: a shift is required, got none.")

    def compose(self, F: Any, *inputs: Any) -> Any:
        (data,) = inputs
        shifts = self.shift or ()
        if self.axis is None:
            flat = F._npx_reshape(data, newshape=(-1,)) if data.ndim != 1 else data
            return F.reshape_like(self._rolled(F, flat, 0, sum(shifts)), data)
        shifts = shifts * len(self.axis) if len(shifts) == 1 else shifts
        for axis, shift in zip(self.axis, shifts, strict=True):
            data = self._rolled(F, data, axis_index("_np_roll", axis, data.ndim), shift)
        return data if data is not inputs[0] else F._copy(data)

    def _rolled(self, F: Any, data: Any, axis: int, shift: int) -> Any:
        known = isinstance(data.shape[axis], int)
        shift = shift % (data.shape[axis] or 1) if known else shift
        if not shift:
            return F._copy(data)
        parts = [
            F.slice_axis(data, axis=axis, begin=-shift, end=None),
            F.slice_axis(data, axis=axis, begin=0, end=-shift),
        ]
        if known:
            return F.Concat(*parts, dim=axis)
        data.size_of(axis)  # a shift may be beyond a free size
        return data


@operator("_npi_rot90")
class NumpyRot90(Rearranged):
    """`data` turned by quarters in the plane of two axes, from the first towards the second.

    Attributes:
        k: How many quarters.
        axes: The two axes.

    Returns:
        The shape of data, with the two sizes exchanged if k is odd.

    ONNX: Transpose and Slice.
    """

    k: int = 1
    axes: Ints | None = None

    def check(self) -> None:
        if self.axes is not None and len(self.axes) != 2:
            raise AttributeValueError(f"_npi_rot90: two axes are required, got {self.axes}.")

    def compose(self, F: Any, *inputs: Any) -> Any:
        (data,) = inputs
        a, b = (axis_index("_npi_rot90", i, data.ndim) for i in self.axes or (0, 1))
        if a == b:
            raise ShapeError(f"_npi_rot90: two different axes are required, got {self.axes}.")
        k = self.k % 4
        if k == 0:
            return F._copy(data)
        if k == 2:
            return F.reverse(data, axis=(a, b))
        order = list(range(data.ndim))
        order[a], order[b] = b, a
        if k == 1:
            return F._np_transpose(F.reverse(data, axis=(b,)), axes=tuple(order))
        return F.reverse(F._np_transpose(data, axes=tuple(order)), axis=(b,))


@operator("_npi_broadcast_to")
class NumpyBroadcastTo(Composed):
    """`array` repeated to a shape, which may have more axes in front.

    Inputs:
        array: Of a shape that broadcasts.

    Attributes:
        shape: The sizes.

    Returns:
        The shape.

    ONNX: Expand, Unsqueeze.
    """

    inputs: ClassVar[tuple[str, ...]] = ("array",)
    shape: Ints = ()

    def compose(self, F: Any, *inputs: Any) -> Any:
        (array,) = inputs
        ahead = len(self.shape) - array.ndim
        if ahead < 0:
            raise ShapeError(
                f"_npi_broadcast_to: at most {len(self.shape)} axes are required, got {show(array.shape)}."
            )
        if not self.shape:
            return F._copy(array)
        return F.broadcast_to(in_front(F, array, ahead), shape=self.shape)


class _AtLeast(Composed):
    """Arrays with axes of size 1 where they have too few.

    Inputs:
        *arys: Of any shapes.

    Attributes:
        num_args: The number of arrays; counted in a call, so that it need not be given.

    Returns:
        As many arrays.

    ONNX: Unsqueeze; Identity.
    """

    variadic: ClassVar[str] = "num_args"
    num_args: Any

    def output_names(self) -> tuple[str, ...]:
        return tuple(f"output{i}" for i in range(self.num_args))

    def compose(self, F: Any, *inputs: Any) -> Any:
        return [self.lifted(F, x) for x in inputs]

    def lifted(self, F: Any, x: Any) -> Any:
        """One array with enough axes."""
        raise NotImplementedError


def in_front(F: Any, x: Any, count: int) -> Any:
    """`x` with so many more axes of size 1 in front."""
    for _ in range(count):
        x = F.expand_dims(x, axis=0)
    return x


def at_least(F: Any, x: Any, rank: int) -> Any:
    """`x` with axes in front, up to two in all; a third stands behind."""
    lifted = in_front(F, x, min(rank, 2) - x.ndim)
    return F.expand_dims(lifted, axis=2) if lifted.ndim < rank else lifted


@operator("_np_atleast_1d")
class AtLeast1d(_AtLeast):
    """Arrays with an axis of size 1 if they have none.

    ONNX: Unsqueeze; Identity.
    """

    num_args: int

    def lifted(self, F: Any, x: Any) -> Any:
        return at_least(F, x, 1)


@operator("_np_atleast_2d")
class AtLeast2d(_AtLeast):
    """Arrays with axes of size 1 in front if they have less than two."""

    num_args: int

    def lifted(self, F: Any, x: Any) -> Any:
        return at_least(F, x, 2)


@operator("_np_atleast_3d")
class AtLeast3d(_AtLeast):
    """Arrays with axes of size 1 in front and behind if they have less than three."""

    num_args: int

    def lifted(self, F: Any, x: Any) -> Any:
        return at_least(F, x, 3)


# ---- diagonals


@operator("_npi_tril")
class NumpyTril(Composed):
    """Matrices with zeros in place of what is above a diagonal.

    Inputs:
        data: (*batch, M, N), or a vector, which stands for a matrix of such rows.

    Attributes:
        k: The diagonal: 0 for the main one, positive above it.

    Returns:
        The shape of data.

    ONNX: Trilu.
    """

    k: int = 0

    def compose(self, F: Any, *inputs: Any) -> Any:
        (data,) = inputs
        if data.ndim == 1:
            data = F._npi_broadcast_to(data, shape=(data.size_of(0),) * 2)
        return F._triangle(data, lower=True, k=self.k)


@operator("_np_diag")
class NumpyDiag(Composed):
    """The `k`-th diagonal of a matrix, or a matrix with the vector `data` on that diagonal.

    Inputs:
        data: A matrix or a vector.

    Attributes:
        k: The diagonal: 0 for the main one, positive above it.

    Returns:
        A vector, or a square matrix.

    ONNX: Gather.
    """

    k: int = 0

    def compose(self, F: Any, *inputs: Any) -> Any:
        (data,) = inputs
        if data.ndim not in (1, 2):
            raise ShapeError(f"_np_diag: a vector or a matrix is required, got {show(data.shape)}.")
        return F.diag(data, k=self.k)


@operator("_np_diagflat")
class NumpyDiagFlat(Composed):
    """A matrix with all elements of an array on its `k`-th diagonal.

    Inputs:
        data: Of any shape.

    Attributes:
        k: The diagonal: 0 for the main one, positive above it.

    Returns:
        A square matrix.

    ONNX: Reshape and Gather.
    """

    k: int = 0

    def compose(self, F: Any, *inputs: Any) -> Any:
        return F.diag(F._npx_reshape(inputs[0], newshape=(-1,)), k=self.k)


class _OfDiagonals(Composed):
    """What the diagonals along two axes have.

    Inputs:
        data: Of at least two axes.

    Attributes:
        offset: The diagonal: 0 for the main one, positive above it.
        axis1: The axis of the rows.
        axis2: The axis of the columns.
    """

    offset: Any
    axis1: Any
    axis2: Any

    def diagonals(self, F: Any, data: Any) -> Any:
        """The diagonals along the last axis."""
        if data.ndim < 2:
            raise ShapeError(f"{self.names[0]}: at least two axes are required, got {show(data.shape)}.")
        return F.diag(data, k=self.offset, axis1=self.axis1, axis2=self.axis2)


@operator("_np_diagonal")
class NumpyDiagonal(_OfDiagonals):
    """The diagonals of matrices along two axes.

    Returns:
        The shape of data without the two axes, then the length of the diagonal.

    ONNX: Gather.
    """

    offset: int = 0
    axis1: int = 0
    axis2: int = 1

    def compose(self, F: Any, *inputs: Any) -> Any:
        return self.diagonals(F, inputs[0])


@operator("_np_trace")
class NumpyTrace(_OfDiagonals):
    """The sums of the diagonals of matrices along two axes.

    Returns:
        The shape of data without the two axes.

    ONNX: Gather and ReduceSum.
    """

    offset: int = 0
    axis1: int = 0
    axis2: int = 1

    def compose(self, F: Any, *inputs: Any) -> Any:
        return F._np_sum(self.diagonals(F, inputs[0]), axis=(-1,))


_MANY = 16
"""So many differences are more than most axes are long."""


@operator("_npi_diff")
class NumpyDiff(Composed):
    """The differences of elements that follow each other along an axis.

    Inputs:
        a: Of at least one axis.

    Attributes:
        n: How many times differences are taken.
        axis: The axis.

    Returns:
        The shape of a, with the axis shorter by n.

    ONNX: Slice and Sub.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a",)
    takes_bool: ClassVar[bool] = False
    n: int = 1
    axis: int = -1

    def compose(self, F: Any, *inputs: Any) -> Any:
        (a,) = inputs
        axis = axis_index("_npi_diff", self.axis, a.ndim)
        before = (None,) * axis  # slice_axis takes no axis of size 1
        times = self.n if self.n < _MANY else min(self.n, a.size_of(axis))  # then nothing is left
        for _ in range(times):
            ahead = F.slice(a, begin=(*before, 1), end=(*before, None))
            a = F._npi_subtract(ahead, F.slice(a, begin=(*before, 0), end=(*before, -1)))
        return a if self.n else F._copy(a)
