"""Different classes drawn from a Zipfian distribution, as sampled softmax takes them."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import ClassVar

import numpy as np

from ..attrs import Ints
from ..dtypes import DType
from ..errors import AttributeValueError, ShapeError
from ._operator import Array, Operator, Spec
from ._registry import operator
from ._shapes import Shape

_int64 = np.dtype("int64")


def _unique(rng: np.random.Generator, count: int, range_max: int) -> Array:
    """Classes that differ, in the order in which they were drawn first; then how many draws that took."""
    drawn = np.zeros(0, np.int64)
    while True:
        numbers = np.round(np.exp(rng.random(2 * count) * log(range_max))).astype(np.int64) - 1
        drawn = np.concatenate([drawn, numbers % range_max])
        first = np.sort(np.unique(drawn, return_index=True)[1])
        if len(first) >= count:
            return np.append(drawn[first[:count]], first[:count][-1:] + 1)


@operator("_sample_unique_zipfian")
class SampleUniqueZipfian(Operator):
    """Rows of classes that all differ, from a distribution in which low numbers are frequent.

    The logarithm of a class plus 1, before it is rounded, is uniform between 0 and that of `range_max`.

    Attributes:
        range_max: The number of classes.
        shape: The number of rows, and that of the classes drawn in each.

    Returns:
        output0: The classes, int64, in the given shape.
        output1: How many draws each row took, which meet a class again and again, int64, (rows,).

    ONNX: Slice and Squeeze of draws that a hybridized block is fed with; export is refused, as ONNX lacks the
    distribution.
    """

    inputs: ClassVar[tuple[str, ...]] = ()
    outputs: ClassVar[tuple[str, ...]] = ("output0", "output1")
    noise: ClassVar[str] = "other"
    not_differentiable: ClassVar[str] = "it draws at random"
    range_max: int
    shape: Ints | None = None

    def sizes(self) -> tuple[int, int]:
        """The number of rows, and that of the classes in each. Raises if the shape does not tell."""
        shape = self.shape or ()
        if len(shape) != 2 or min(shape) < 1:
            raise ShapeError(
                "_sample_unique_zipfian: a shape of two sizes, rows and classes in each, is required, got "
                f"{self.shape}."
            )
        if shape[1] > self.range_max:
            raise AttributeValueError(
                f"_sample_unique_zipfian: range_max of at least {shape[1]} is required, as that many classes "
                f"of a row differ, got {self.range_max}."
            )
        return shape[0], shape[1]

    def infer_shape(self) -> list[Shape]:
        rows, count = self.sizes()
        return [(rows, count), (rows,)]

    def infer_dtype(self) -> DType:
        return _int64

    def draw(self, rng: np.random.Generator, *inputs: Spec) -> Array:
        rows, count = self.sizes()
        return np.stack([_unique(rng, count, self.range_max) for _ in range(rows)])

    def noise_spec(self, outputs: Sequence[Spec], *inputs: Spec) -> Spec:
        rows, count = self.sizes()
        return Spec((rows, count + 1), _int64)

    def forward(self, noise: Array) -> tuple[Array, Array]:
        return noise[:, :-1], noise[:, -1]
