"""Products of arrays as mx.np has them."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any, ClassVar

import numpy as np

from ..attrs import Ints
from ..errors import AttributeValueError, ShapeError
from . import dense  # what these are composed of
from ._composition import Composed, UnknownRankError
from ._operator import Array, Operator, Spec
from ._registry import operator
from ._shapes import Dim, Shape, axis_index, broadcast, differ, show, unify
from ._symbolic import same
from .np_reshape import in_front

__all__ = ["dense"]


def contracted(F: Any, a: Any, b: Any, a_axes: Sequence[int], b_axes: Sequence[int]) -> Any:
    """The product summed over pairs of axes: what is left of `a`, then of `b`."""
    if any(differ(a.shape[i], b.shape[j]) for i, j in zip(a_axes, b_axes, strict=True)):
        raise ShapeError(
            f"tensordot: equal sizes along axes {tuple(a_axes)} and {tuple(b_axes)} are required, got "
            f"{show(a.shape)} and {show(b.shape)}."
        )
    free_a = [i for i in range(a.ndim) if i not in a_axes]
    free_b = [j for j in range(b.ndim) if j not in b_axes]
    left = _ordered(F, a, [*free_a, *a_axes])
    right = _ordered(F, b, [*b_axes, *free_b])
    if len(a_axes) != 1:
        left = F._npx_reshape(left, newshape=(*(-2,) * len(free_a), -1 if a_axes else 1))
        right = F._npx_reshape(right, newshape=(-1 if b_axes else 1, *(-2,) * len(free_b)), reverse=True)
    product = F.dot(left, right)
    return product if free_a or free_b else F._npx_reshape(product, newshape=(-3,))


def _ordered(F: Any, x: Any, order: Sequence[int]) -> Any:
    return x if list(order) == list(range(x.ndim)) else F._np_transpose(x, axes=tuple(order))


@operator("_np_dot")
class NumpyDot(Composed):
    """The product of two arrays, summed over the last axis of `a` and the last but one of `b`.

    Inputs:
        a: Of any shape; without axes it is a factor.
        b: Of any shape; of a vector the only axis is summed over.

    Returns:
        The axes of a and b that are left.

    ONNX: MatMul; Mul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a", "b")
    takes_bool: ClassVar[bool] = False

    def compose(self, F: Any, *inputs: Any) -> Any:
        a, b = inputs
        if not a.ndim or not b.ndim:
            return F._npi_multiply(a, b)
        return contracted(F, a, b, [a.ndim - 1], [max(b.ndim - 2, 0)])


@operator("_npi_matmul")
class NumpyMatMul(Composed):
    """The products of matrices in the last two axes of arrays, whose other axes broadcast.

    Inputs:
        a: (*batch, M, K), or a vector (K,).
        b: (*batch, K, N), or a vector (K,).

    Returns:
        (*batch, M, N), without the axis that a vector lacks.

    ONNX: MatMul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a", "b")
    outputs: ClassVar[tuple[str, ...]] = ("out",)
    takes_bool: ClassVar[bool] = False

    def _infer(
        self, inputs: Sequence[Spec], outputs: Sequence[Spec]
    ) -> tuple[tuple[Spec, ...], tuple[Spec, ...]]:
        a, b = (spec.shape for spec in inputs)
        if a is None or b is None or len(a) < 2 or len(b) < 3:
            return super()._infer(inputs, outputs)
        if differ(a[-1], b[-2]):
            raise ShapeError(f"_npi_matmul: (M, K) and (K, N) are required, got {show(a)} and {show(b)}.")
        shape = (*broadcast("_npi_matmul", a[:-2], b[:-2]), a[-2], b[-1])
        (dtype, _) = self.infer_input_dtypes(*(spec.dtype for spec in inputs))
        return tuple(inputs), (Spec(unify("_npi_matmul", shape, *(o.shape for o in outputs)), dtype),)

    def forward(self, *inputs: Array) -> Array:
        return np.asarray(dense.matmul(*inputs))

    def compose(self, F: Any, *inputs: Any) -> Any:
        a, b = inputs
        if not a.ndim or not b.ndim:
            raise ShapeError("_npi_matmul: arrays with axes are required, got one without. Multiply instead.")
        if b.ndim <= 2:
            return contracted(F, a, b, [a.ndim - 1], [0])
        if a.ndim == 1:
            return contracted(F, a, b, [0], [b.ndim - 2])
        rank = max(a.ndim, b.ndim)
        a, b = (in_front(F, x, rank - x.ndim) for x in (a, b))
        return F.batch_dot(_batched(F, a, b), _batched(F, b, a))


def _batched(F: Any, x: Any, other: Any) -> Any:
    """`x` repeated along those axes before the last two where it is 1 and the other is not."""
    axes = [i for i in range(x.ndim - 2) if _repeats(x.shape[i], other.shape[i])]
    return F.broadcast_like(x, other, lhs_axes=tuple(axes), rhs_axes=tuple(axes)) if axes else x


def _repeats(size: Dim, other: Dim) -> bool:
    if isinstance(size, int) and isinstance(other, int):
        return size == 1 and other != 1
    if not same(size, other):
        raise UnknownRankError("sizes that may be 1 or not are not known")
    return False


@operator("_npi_tensordot_int_axes")
class NumpyTensorDotInt(Composed):
    """The product of two arrays, summed over the last axes of `a` and the first of `b`.

    Inputs:
        a: Of any shape.
        b: Of any shape.

    Attributes:
        axes: Over how many axes is summed.

    Returns:
        The axes of a and b that are left.

    ONNX: MatMul.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a", "b")
    takes_bool: ClassVar[bool] = False
    axes: int

    def compose(self, F: Any, *inputs: Any) -> Any:
        a, b = inputs
        if not 0 <= self.axes <= min(a.ndim, b.ndim):
            raise ShapeError(
                f"tensordot: {self.axes} axes are required of both, got {show(a.shape)}, {show(b.shape)}."
            )
        return contracted(F, a, b, range(a.ndim - self.axes, a.ndim), range(self.axes))


@operator("_npi_tensordot")
class NumpyTensorDot(Composed):
    """The product of two arrays, summed over pairs of axes.

    Inputs:
        a: Of any shape.
        b: Of any shape.

    Attributes:
        a_axes_summed: The axes of a, negative ones counted from the last.
        b_axes_summed: The axis of b for each of them.

    Returns:
        The axes of a and b that are left.

    ONNX: MatMul, Transpose.
    """

    inputs: ClassVar[tuple[str, ...]] = ("a", "b")
    takes_bool: ClassVar[bool] = False
    a_axes_summed: Ints
    b_axes_summed: Ints

    def check(self) -> None:
        if len(self.a_axes_summed) != len(self.b_axes_summed):
            raise AttributeValueError(
                f"_npi_tensordot: an axis of b for each of a is required, got {self.a_axes_summed} and "
                f"{self.b_axes_summed}."
            )

    def compose(self, F: Any, *inputs: Any) -> Any:
        a, b = inputs
        a_axes = [axis_index("_npi_tensordot", i, a.ndim) for i in self.a_axes_summed]
        b_axes = [axis_index("_npi_tensordot", i, b.ndim) for i in self.b_axes_summed]
        return contracted(F, a, b, a_axes, b_axes)


# ---- Einstein's sums


@operator("_npi_einsum")
class NumpyEinsum(Composed):
    """Products of arrays, summed over the axes whose letters the output lacks.

    Inputs:
        *data: The arrays, of one dtype.

    Attributes:
        num_args: The number of arrays; counted in a call, so that it need not be given.
        subscripts: A letter for each axis, arrays apart by commas, then perhaps -> and the output's letters.
        optimize: Without effect on the result.

    Returns:
        The sizes of the output's letters.

    ONNX: Einsum.
    """

    variadic: ClassVar[str] = "num_args"
    takes_bool: ClassVar[bool] = False
    num_args: int
    subscripts: str = ""
    optimize: int = 0

    def terms(self) -> tuple[list[str], str]:
        """The letters of each array, and of the output."""
        text = "".join(self.subscripts.split())
        left, arrow, right = text.partition("->")
        terms = left.split(",")
        if len(terms) != self.num_args:
            raise AttributeValueError(
                f"_npi_einsum: letters for {self.num_args} arrays are required, got {self.subscripts!r}."
            )
        for term in (*terms, right):
            letters = term.replace("...", "", 1)
            if letters and not (letters.isascii() and letters.isalpha()):
                raise AttributeValueError(
                    f"_npi_einsum: letters and one ... for each array are required, got {self.subscripts!r}."
                )
        if not arrow:
            letters = left.replace(",", "").replace("...", "")
            single = sorted(c for c in set(letters) if letters.count(c) == 1)
            right = ("..." if "..." in left else "") + "".join(single)
        return terms, right

    def compose(self, F: Any, *inputs: Any) -> Any:
        terms, right = _without_dots(*self.terms(), [x.ndim for x in inputs])
        separate = [_diagonals(F, x, term) for x, term in zip(inputs, terms, strict=True)]
        letters = ",".join(term for _, term in separate)
        return F._einsum(*[x for x, _ in separate], equation=f"{letters}->{right}")


def _without_dots(terms: Sequence[str], right: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """Terms with a letter for each axis that dots stand for, counted from the last of these."""
    counts = []
    for term, rank in zip(terms, ranks, strict=True):
        letters = len(term.replace("...", ""))
        counts.append(rank - letters)
        if rank < letters or (rank > letters and "..." not in term):
            raise ShapeError(f"einsum: {letters} axes are required for {term!r}, got {rank}.")
    most = max(counts, default=0)
    if most and "..." not in right:
        raise ShapeError(
            f"einsum: ... is required in the output, as it stands for {most} axes, got {right!r}."
        )
    unused = [c for c in ascii_letters if c not in "".join(terms)]
    if len(unused) < most:
        raise ShapeError(f"einsum: at most {len(ascii_letters)} letters are possible, got {most} axes more.")
    ahead = "".join(unused[:most])
    plain = [t.replace("...", ahead[most - n :]) for t, n in zip(terms, counts, strict=True)]
    return plain, right.replace("...", ahead)


def _diagonals(F: Any, x: Any, letters: str) -> tuple[Any, str]:
    """An array, and its letters, of which none comes twice: the diagonals along equal ones."""
    while repeated := [c for c in letters if letters.count(c) > 1]:
        a = letters.index(repeated[0])
        b = letters.index(repeated[0], a + 1)
        if differ(x.shape[a], x.shape[b]):
            raise ShapeError(f"einsum: one size is required for {repeated[0]!r}, got {show(x.shape)}.")
        x = F.diag(x, axis1=a, axis2=b)
        letters = "".join(c for i, c in enumerate(letters) if i not in (a, b)) + repeated[0]
    return x, letters


@operator("_einsum")
class Einsum(Operator):
    """Products of arrays, summed over the axes whose letters the output lacks; no term has a letter twice.

    Inputs:
        *data: The arrays.

    Attributes:
        num_args: The number of arrays.
        equation: A letter for each axis, arrays apart by commas, then -> and the output's letters.

    Returns:
        The sizes of the output's letters.

    ONNX: Einsum.
    """

    variadic: ClassVar[str] = "num_args"
    takes_bool: ClassVar[bool] = False
    broadcasts: ClassVar[bool] = True
    num_args: int
    equation: str

    def terms(self) -> tuple[list[str], str]:
        """The letters of the arrays, and of the output."""
        left, _, right = self.equation.partition("->")
        return left.split(","), right

    def infer_shape(self, *shapes: Shape) -> Shape:
        terms, right = self.terms()
        extents: dict[str, list[Dim]] = {}
        for term, shape in zip(terms, shapes, strict=True):
            if len(shape) != len(term):
                raise ShapeError(f"einsum: {len(term)} axes are required for {term!r}, got {show(shape)}.")
            for letter, extent in zip(term, shape, strict=True):
                extents.setdefault(letter, []).append(extent)
        missing = [c for c in right if c not in extents]
        if missing:
            raise ShapeError(f"einsum: letters of the arrays are required in the output, got {missing[0]!r}.")
        merged = {letter: self._merge(letter, sizes) for letter, sizes in extents.items()}
        return tuple(merged[c] for c in right)

    def _merge(self, letter: str, extents: Sequence[Dim]) -> Dim:
        """The one size of a letter, but for arrays that have 1 there."""
        try:
            return broadcast("einsum", *((extent,) for extent in extents))[0]
        except ShapeError:
            sizes = " and ".join(map(str, extents))
            raise ShapeError(f"einsum: one size is required for {letter!r}, got {sizes}.") from None

    def forward(self, *data: Array) -> Array:
        wide = np.float32 if data[0].dtype == np.float16 else data[0].dtype
        return np.asarray(
            np.einsum(self.equation, *(x.astype(wide, copy=False) for x in data), optimize=True)
        )

    def gradient(self, F: Any, dy: Any, y: Any, *data: Any) -> Sequence[Any]:
        terms, right = self.terms()
        gradients = []
        for i, x in enumerate(data):
            others = [(t, v) for j, (t, v) in enumerate(zip(terms, data, strict=True)) if j != i]
            letters = [right, *(t for t, _ in others), terms[i]]
            arrays = [dy, *(v for _, v in others), F.ones_like(x)]
            gradients.append(F._einsum(*arrays, equation=f"{','.join(letters)}->{terms[i]}"))
        return gradients
