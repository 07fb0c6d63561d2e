"""How alike the patches of two arrays are, at many displacements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import AttributeValueError, ShapeError
from ._convolution import wide
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Dim, Shape, below, show, unify
from ._windows import require_positive


class _Correlation(Operator):
    """Products, or distances, of the patches of two arrays.

    Inputs:
        data1: (N, C, height, width).
        data2: The shape of data1.

    Attributes:
        kernel_size: The height and width of a patch, an odd number.
        max_displacement: How far a patch of data2 may be from that of data1, on each axis.
        stride1: The step between patches of data1.
        stride2: The step between displacements.
        pad_size: How many zeros stand around both arrays.
        is_multiply: Whether elements are multiplied; else it is their distance that counts.

    Returns:
        (N, D · D, height', width'), with D = 2 (max_displacement // stride2) + 1 displacements along each
        axis, those of rows first.
    """

    takes_ints = False
    inputs: ClassVar[tuple[str, ...]] = ("data1", "data2")
    if TYPE_CHECKING:  # each operator has these in MXNet's order
        kernel_size: int = 1
        max_displacement: int = 1
        stride1: int = 1
        stride2: int = 1
        pad_size: int = 0
        is_multiply: bool = True

    def check(self) -> None:
        name = self.names[0]
        require_positive(name, kernel_size=self.kernel_size, stride1=self.stride1, stride2=self.stride2)
        if self.kernel_size % 2 == 0:
            raise AttributeValueError(f"{name}: an odd kernel_size is required, got {self.kernel_size}.")
        if self.max_displacement < 0 or self.pad_size < 0:
            raise AttributeValueError(
                f"{name}: max_displacement and pad_size must not be negative, got {self.max_displacement} "
                f"and {self.pad_size}."
            )

    def displacements(self) -> range:
        """The displacements along an axis."""
        reach = self.max_displacement // self.stride2 * self.stride2
        return range(-reach, reach + 1, self.stride2)

    def correlated(self, data: Shape) -> Shape:
        """The shape of what the patches of two such arrays give."""
        name = self.names[0]
        if len(data) != 4:
            raise ShapeError(f"{name}: data of 4 axes (N, C, height, width) is required, got {show(data)}.")
        return (data[0], len(self.displacements()) ** 2, *map(self._count, data[2:]))

    def _count(self, size: Dim) -> Dim:
        """How many patches there are along an axis."""
        if size is None:
            return None
        margin = self.max_displacement + self.kernel_size // 2
        room = size + 2 * self.pad_size - 2 * margin
        if below(room, 1):
            raise ShapeError(
                f"{self.names[0]}: an axis of more than {2 * margin} with pad_size on both sides is "
                f"required, got {size} and {self.pad_size}. Use a larger pad_size."
            )
        return (room + self.stride1 - 1) // self.stride1


class Placement:
    """Where the elements of patches lie in the padded arrays of one size."""

    def __init__(self, op: _Correlation, data: Sequence[int]) -> None:
        self.pad, self.step, self.kernel = op.pad_size, op.stride1, op.kernel_size
        self.shape = (*data[:2], *(n + 2 * op.pad_size for n in data[2:]))
        counts: Any = op.correlated(tuple(data))[2:]
        self.counts: tuple[int, int] = counts
        self.displacements = [(y, x) for y in op.displacements() for x in op.displacements()]
        self.first = op.max_displacement
        self.divisor = op.kernel_size**2 * data[1]

    def padded(self, data: Array) -> Array:
        """An array with zeros around it."""
        p = self.pad
        return np.pad(wide(data), [(0, 0), (0, 0), (p, p), (p, p)])

    def inner(self, data: Array) -> Array:
        """A padded array without what was around it."""
        height, width = data.shape[2:]
        return np.ascontiguousarray(data[:, :, self.pad : height - self.pad, self.pad : width - self.pad])

    def cuts(self, dy: int, dx: int) -> Iterator[tuple[Any, Any]]:
        """For each element of a patch where it is in all patches of data1, and of data2 at a displacement."""
        for i in range(self.kernel):
            for j in range(self.kernel):
                y, x = self.first + i, self.first + j
                yield self._cut(y, x), self._cut(y + dy, x + dx)

    def _cut(self, y: int, x: int) -> Any:
        rows, columns = ((n - 1) * self.step + 1 for n in self.counts)
        return ..., slice(y, y + rows, self.step), slice(x, x + columns, self.step)

    def compared(self, compare: Callable[..., Array], *pairs: tuple[Array, Array]) -> Array:
        """The means over patches and channels of a function of the elements of pairs of arrays."""
        arrays = [(self.padded(a), self.padded(b)) for a, b in pairs]
        y = np.zeros((self.shape[0], len(self.displacements), *self.counts), arrays[0][0].dtype)
        for channel, (dy, dx) in enumerate(self.displacements):
            for first, second in self.cuts(dy, dx):
                elements = [v for a, b in arrays for v in (a[first], b[second])]
                y[:, channel] += compare(*elements).sum(1)
        return (y / max(self.divisor, 1)).astype(pairs[0][0].dtype, copy=False)


def sign(a: Array, b: Array) -> Array:
    """The slope of the distance in the first; of equal elements 1, as MXNet has it."""
    return np.where(a < b, -1, 1).astype(a.dtype)


@operator("Correlation")
class Correlation(_Correlation):
    """The means of products, or of distances, of the patches of two arrays at many displacements.

    ONNX: MatMul and Gather for each row of displacements; for distances Slice, Gather, Sub, Abs and
    ReduceSum.
    """

    kernel_size: int = 1
    max_displacement: int = 1
    stride1: int = 1
    stride2: int = 1
    pad_size: int = 0
    is_multiply: bool = True

    def counted(self) -> int:
        return 3

    def infer_inputs(self, data1: Shape | None, data2: Shape | None) -> Sequence[Shape | None]:
        both = unify("Correlation", data1, data2)
        return both, both

    def infer_shape(self, data1: Shape, data2: Shape) -> Shape:
        return self.correlated(data1)

    def forward(self, data1: Array, data2: Array) -> Array:
        compare = np.multiply if self.is_multiply else lambda a, b: abs(a - b)
        return Placement(self, data1.shape).compared(compare, (data1, data2))

    def gradient(self, F: Any, dy: Any, y: Any, data1: Any, data2: Any) -> Sequence[Any]:
        both: Sequence[Any] = F._correlation_grad(dy, data1, data2, **self.attributes())
        return both


@operator("_correlation_grad")
class CorrelationGrad(_Correlation):
    """The gradients of `Correlation` with respect to both its arrays.

    Inputs:
        dy: The gradient of its output.

    Returns:
        output0: The gradient of data1.
        output1: The gradient of data2.

    ONNX: Gather and MatMul for each row of displacements; for distances Slice, Gather, Where and ReduceSum.
    """

    inputs: ClassVar[tuple[str, ...]] = ("dy", "data1", "data2")
    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")
    kernel_size: int = 1
    max_displacement: int = 1
    stride1: int = 1
    stride2: int = 1
    pad_size: int = 0
    is_multiply: bool = True

    def infer_inputs(
        self, dy: Shape | None, data1: Shape | None, data2: Shape | None
    ) -> Sequence[Shape | None]:
        both = unify(self.names[0], data1, data2)
        return (dy if both is None else self.correlated(both)), both, both

    def infer_shape(self, dy: Shape, data1: Shape, data2: Shape) -> list[Shape]:
        return [data1, data2]

    def forward(self, dy: Array, data1: Array, data2: Array) -> tuple[Array, ...]:
        place = Placement(self, data1.shape)
        first, second = place.padded(data1), place.padded(data2)
        heads = wide(dy) / max(place.divisor, 1)
        sums = np.zeros_like(first), np.zeros_like(second)
        for channel, (y, x) in enumerate(place.displacements):
            head = heads[:, channel, None]
            for one, other in place.cuts(y, x):
                slopes = self._slopes(first[one], second[other])
                for total, cut, slope in zip(sums, (one, other), slopes, strict=True):
                    total[cut] += head * slope
        return tuple(place.inner(total).astype(dy.dtype, copy=False) for total in sums)

    def _slopes(self, a: Array, b: Array) -> tuple[Array, Array]:
        if self.is_multiply:
            return b, a
        slope = sign(a, b)
        return slope, -slope

    def gradient(self, F: Any, dy: Any, y: Any, head: Any, data1: Any, data2: Any) -> Sequence[Any]:
        same = self.attributes()
        if not self.is_multiply:
            return F._correlation_slope(*dy, data1, data2, **same), None, None
        d_head = F.Correlation(dy[0], data2, **same) + F.Correlation(data1, dy[1], **same)
        return d_head, *F._correlation_grad(head, *dy, **same)


@operator("_correlation_slope")
class CorrelationSlope(_Correlation):
    """The derivative of the distances of `Correlation` in the direction of two arrays.

    Inputs:
        step1: How data1 changes.
        step2: How data2 changes.

    ONNX: Slice, Gather, Sub, Where and ReduceSum for each row of displacements.
    """

    inputs: ClassVar[tuple[str, ...]] = ("step1", "step2", "data1", "data2")
    kernel_size: int = 1
    max_displacement: int = 1
    stride1: int = 1
    stride2: int = 1
    pad_size: int = 0
    is_multiply: bool = False

    def check(self) -> None:
        super().check()
        if self.is_multiply:
            raise AttributeValueError("_correlation_slope: is_multiply=False is required, got True.")

    def infer_inputs(self, *shapes: Shape | None) -> Sequence[Shape | None]:
        return (unify(self.names[0], *shapes),) * 4

    def infer_shape(self, step1: Shape, step2: Shape, data1: Shape, data2: Shape) -> Shape:
        return self.correlated(data1)

    def forward(self, step1: Array, step2: Array, data1: Array, data2: Array) -> Array:
        def compare(p: Array, q: Array, a: Array, b: Array) -> Array:
            return (p - q) * sign(a, b)

        return Placement(self, data1.shape).compared(compare, (step1, step2), (data1, data2))

    def gradient(self, F: Any, dy: Any, y: Any, *inputs: Any) -> Sequence[Any]:
        both: Sequence[Any] = F._correlation_grad(dy, *inputs[2:], **self.attributes())
        return *both, None, None
