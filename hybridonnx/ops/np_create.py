"""Arrays made from attributes alone as mx.np has them: sizes of 0 are sizes, and no axis need be there."""

from __future__ import annotations

from math import ceil
from typing import Any, ClassVar

import numpy as np

from ..attrs import DTypeName, Ints
from ..dtypes import DType, as_dtype
from ..errors import AttributeValueError, ShapeError
from ._operator import Array, Operator
from ._registry import operator
from ._shapes import Shape, show

_FLOAT32 = DTypeName("float32")


class Made(Operator):
    """An array that depends on attributes alone.

    Attributes:
        ctx: The device of the output, such as cpu(0); the current one if empty.
        dtype: The output's dtype.

    ONNX: a constant that holds the numbers; Identity of it if they are an output of the model.
    """

    inputs: ClassVar[tuple[str, ...]] = ()
    not_differentiable: ClassVar[str] = "it is constant"
    ctx: Any
    dtype: Any

    def infer_shape(self) -> Any:
        shape = self.sizes()
        if min(shape, default=0) < 0:
            raise ShapeError(f"{self.names[0]}: sizes of at least 0 are required, got {show(shape)}.")
        return shape

    def infer_dtype(self) -> DType:
        return as_dtype(self.dtype)

    def sizes(self) -> tuple[int, ...]:
        """The shape, before there are numbers: what asks for too many is refused without them."""
        raise NotImplementedError

    def made(self) -> Array:
        """The numbers."""
        raise NotImplementedError

    def forward(self) -> Array:
        return np.asarray(self.made()).astype(self.infer_dtype())


class Filled(Made):
    """An array of one number.

    Attributes:
        shape: The output's shape.

    Returns:
        shape.

    ONNX: ConstantOfShape.
    """

    shape: Any
    value: ClassVar[int]

    def infer_shape(self) -> Shape:
        shape: Shape = self.shape
        return shape

    def made(self) -> Array:
        return np.full(self.shape, self.value)


@operator("_npi_zeros")
class NumpyZeros(Filled):
    """An array of zeros, perhaps without axes."""

    value = 0
    shape: Ints = ()
    ctx: str = ""
    dtype: DTypeName = _FLOAT32


@operator("_npi_ones")
class NumpyOnes(Filled):
    """An array of ones, perhaps without axes."""

    value = 1
    shape: Ints = ()
    ctx: str = ""
    dtype: DTypeName = _FLOAT32


@operator("_npi_identity")
class NumpyIdentity(Made):
    """A square matrix of ones on the diagonal and zeros elsewhere.

    Attributes:
        shape: The number of rows, twice.

    Returns:
        shape.
    """

    shape: Ints = ()
    ctx: str = ""
    dtype: DTypeName = _FLOAT32

    def sizes(self) -> tuple[int, ...]:
        return self.shape[0], self.shape[1]

    def made(self) -> Array:
        return np.eye(self.shape[0], self.shape[1])


@operator("_npi_eye")
class NumpyEye(Made):
    """A matrix of ones on one diagonal and zeros elsewhere, with any number of columns.

    Attributes:
        N: The number of rows.
        M: The number of columns; None for as many as rows.
        k: The diagonal: 0 for the main one, positive above it, negative below.

    Returns:
        (N, M).
    """

    N: int
    M: int | None = None
    k: int = 0
    ctx: str = ""
    dtype: DTypeName = _FLOAT32

    def sizes(self) -> tuple[int, ...]:
        return self.N, self.N if self.M is None else self.M

    def made(self) -> Array:
        return np.eye(self.N, self.M, self.k)


@operator("_npi_arange")
class NumpyArange(Made):
    """Evenly spaced numbers from `start` up to but without `stop`, perhaps none.

    Attributes:
        start: The first number; without `stop` the end, and the first number is 0.
        stop: The number that is not reached.
        step: The difference between a number and the next one; it may be negative.
        repeat: How many times each number stands in the output, one after the other.
        infer_range: Only False.

    Returns:
        (n * repeat,), where n = ceil((stop - start) / step).
    """

    start: float
    stop: float | None = None
    step: float = 1.0
    repeat: int = 1
    infer_range: bool = False
    ctx: str = ""
    dtype: DTypeName = _FLOAT32

    def check(self) -> None:
        if not self.step or self.repeat < 1 or self.infer_range:
            raise AttributeValueError(
                "_npi_arange: a step that is not 0, repeat of at least 1 and infer_range=False are required, "
                f"got step={self.step}, repeat={self.repeat}, infer_range={self.infer_range}."
            )

    def ends(self) -> tuple[float, float]:
        """The first number, and the one that is not reached."""
        return (0.0, self.start) if self.stop is None else (self.start, self.stop)

    def count(self) -> int:
        """How many numbers there are, each once."""
        first, end = self.ends()
        return max(ceil((end - first) / self.step), 0)

    def sizes(self) -> tuple[int, ...]:
        return (self.count() * self.repeat,)

    def made(self) -> Array:
        dtype = self.infer_dtype()
        start, step = (np.asarray(v).astype(dtype) for v in (self.ends()[0], self.step))
        return np.repeat(np.asarray(start + np.arange(self.count()).astype(dtype) * step), self.repeat)


@operator("_npi_logspace")
class NumpyLogspace(Made):
    """Numbers whose logarithms are evenly spaced.

    Attributes:
        start: The logarithm of the first number.
        stop: That of the last one, or with `endpoint=False` of the one that would come next.
        num: How many numbers there are.
        endpoint: Whether `stop` is the last of them.
        base: The base of the logarithms.

    Returns:
        (num,).
    """

    start: float
    stop: float
    num: int
    endpoint: bool = True
    base: float = 10.0
    ctx: str = ""
    dtype: DTypeName = _FLOAT32

    def sizes(self) -> tuple[int, ...]:
        return (self.num,)

    def made(self) -> Array:
        return np.logspace(self.start, self.stop, self.num, self.endpoint, self.base)


@operator("_npi_indices")
class NumpyIndices(Made):
    """The indices of the elements of an array.

    Attributes:
        dimensions: The shape of that array.

    Returns:
        (the number of its axes, *dimensions).
    """

    dimensions: Ints
    dtype: DTypeName = DTypeName("int32")
    ctx: str = ""

    def sizes(self) -> tuple[int, ...]:
        return len(self.dimensions), *self.dimensions

    def made(self) -> Array:
        return np.indices(self.dimensions)


class Window(Made):
    """The weights of a window.

    Attributes:
        M: How many there are.

    Returns:
        (M,).
    """

    M: Any

    def sizes(self) -> tuple[int, ...]:
        return (max(self.M or 0, 0),)

    def made(self) -> Array:
        return np.asarray(self.numbers(int(self.M or 0)))

    def numbers(self, count: int) -> Array:
        """So many weights."""
        raise NotImplementedError


@operator("_npi_hanning")
class Hanning(Window):
    """The weights of the Hann window."""

    M: int | None = None
    ctx: str = ""
    dtype: DTypeName = _FLOAT32

    def numbers(self, count: int) -> Array:
        return np.hanning(count)


@operator("_npi_hamming")
class Hamming(Window):
    """The weights of the Hamming window."""

    M: int | None = None
    ctx: str = ""
    dtype: DTypeName = _FLOAT32

    def numbers(self, count: int) -> Array:
        return np.hamming(count)


@operator("_npi_blackman")
class Blackman(Window):
    """The weights of the Blackman window."""

    M: int | None = None
    ctx: str = ""
    dtype: DTypeName = _FLOAT32

    def numbers(self, count: int) -> Array:
        return np.blackman(count)
