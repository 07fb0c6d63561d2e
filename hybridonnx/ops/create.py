"""Arrays made from attributes alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, isfinite
from typing import Any, ClassVar

import numpy as np

from ..attrs import DTypeName, Ints
from ..dtypes import FLAGS, DType, as_dtype, float32
from ..errors import AttributeValueError, ShapeError
from ._operator import Array, Operator, Spec
from ._registry import operator
from ._shapes import Shape, show

_CONSTANT = "it is constant"


def open_shape(shape: Ints | None) -> Shape | None:
    """A shape attribute of MXNet: 0 is a size, and no sizes at all a shape, that the graph around tells."""
    return tuple(d or None for d in shape) if shape else None


class _Shaped(Operator):
    """An array of one value in a shape that an attribute gives.

    Attributes:
        shape: The output's shape. In a symbol a length of 0 is open: what uses the array determines it.
        ctx: The device of the output, such as cpu(0); the current one if empty.
        dtype: The output's dtype.

    Returns:
        shape.

    ONNX: ConstantOfShape.
    """

    inputs: ClassVar[tuple[str, ...]] = ()
    not_differentiable: ClassVar[str] = _CONSTANT
    shape: Any
    dtype: Any
    ctx: str

    def infer_shape(self) -> Any:
        return [open_shape(self.shape)]

    def infer_dtype(self) -> DType | None:
        return as_dtype(self.dtype)

    def with_inferred_shape(self, outputs: Sequence[Spec]) -> Operator:
        this: Any = self
        op: Operator = replace(this, shape=outputs[0].shape)
        return op

    def full(self, value: float) -> Array:
        """An array of one value."""
        if not self.shape or not all(self.shape):
            raise ShapeError(
                f"{self.names[0]}: a shape with every size is required, got {show(open_shape(self.shape))}. "
                "Sizes of 0 can be left open in symbols only, where other inputs tell them."
            )
        dtype = self.infer_dtype()
        with np.errstate(invalid="ignore"):
            return np.full(self.shape, np.asarray(value).astype(dtype), dtype)


@operator("_zeros")
class Zeros(_Shaped):
    """An array of zeros."""

    shape: Ints = ()
    ctx: str = ""
    dtype: DTypeName = DTypeName("float32")

    def forward(self) -> Array:
        return self.full(0)


@operator("_ones")
class Ones(_Shaped):
    """An array of ones."""

    shape: Ints = ()
    ctx: str = ""
    dtype: DTypeName = DTypeName("float32")

    def forward(self) -> Array:
        return self.full(1)


@operator("_full", "_npi_full")
class Full(_Shaped):
    """An array that holds `value` everywhere.

    Attributes:
        value: The number, truncated towards zero if the dtype is one of integers.
    """

    shape: Ints | None = None
    ctx: str = ""
    dtype: DTypeName = DTypeName("float32")
    value: float

    def forward(self) -> Array:
        return self.full(self.value)


@operator("_zeros_without_dtype")
class ZerosWithoutDType(_Shaped):
    """An array of zeros whose dtype is left open or named by MXNet's number.

    Attributes:
        dtype: MXNet's number of a dtype, such as 0 for float32; float32 for -1.
    """

    shape: Ints | None = None
    ctx: str = ""
    dtype: int = -1

    def infer_dtype(self) -> DType | None:
        return FLAGS.get(self.dtype, float32)

    def forward(self) -> Array:
        return self.full(0)


# ---- sequences


@operator("_arange")
class Arange(Operator):
    """Evenly spaced numbers from `start` up to but without `stop`.

    As in MXNet the first number and the step are cast to the dtype before the numbers are computed.

    Attributes:
        start: The first number; without `stop` the end, and the first number is 0.
        stop: The number that is not reached.
        step: The difference between a number and the next one; it may be negative.
        repeat: How many times each number stands in the output, one after the other.
        infer_range: Whether, without `stop`, what uses the array in a symbol determines its length; the first
            number is then `start`.
        ctx: The device of the output, such as cpu(0); the current one if empty.
        dtype: The output's dtype.

    Returns:
        (n * repeat,), where n = ceil((stop - start) / step).

    ONNX: a constant that holds the numbers; Identity of it if they are an output of the model.
    """

    inputs: ClassVar[tuple[str, ...]] = ()
    not_differentiable: ClassVar[str] = _CONSTANT
    start: float
    stop: float | None = None
    step: float = 1.0
    repeat: int = 1
    infer_range: bool = False
    ctx: str = ""
    dtype: DTypeName = DTypeName("float32")

    def check(self) -> None:
        if self.repeat < 1:
            raise AttributeValueError(f"_arange: repeat of at least 1 is required, got {self.repeat}.")
        if self.step == 0 or (not self.open() and not self._leads()):
            raise AttributeValueError(
                "_arange: a step that leads from start to stop is required, got start="
                f"{self.bounds()[0]}, stop={self.bounds()[1]}, step={self.step}."
            )

    def open(self) -> bool:
        """Whether the graph around tells the length."""
        return self.infer_range and self.stop is None

    def bounds(self) -> tuple[float, float]:
        """The first number, and the one that is not reached."""
        return (0.0, self.start) if self.stop is None else (self.start, self.stop)

    def _leads(self) -> bool:
        first, end = self.bounds()
        steps = (end - first) / self.step
        return isfinite(steps) and ceil(steps) > 0

    def count(self) -> int:
        """How many different numbers there are."""
        first, end = self.bounds()
        return ceil((end - first) / self.step)

    def infer_shape(self) -> Shape:
        return (None if self.open() else self.count() * self.repeat,)

    def infer_dtype(self) -> DType:
        return as_dtype(self.dtype)

    def with_inferred_shape(self, outputs: Sequence[Spec]) -> Operator:
        length = (outputs[0].shape or (None,))[0]
        if not self.open() or length is None:
            return self
        return replace(self, stop=self.start + (ceil(length / self.repeat) - 0.5) * self.step)

    def of_length(self, length: int) -> Array:
        """The first `length` numbers. As in MXNet start and step become the dtype's before they are used."""
        dtype = self.infer_dtype()
        first = self.start if self.open() else self.bounds()[0]
        multiples = np.arange(length) // self.repeat
        start, step = (np.asarray(v).astype(dtype) for v in (first, self.step))
        return np.asarray(start + multiples.astype(dtype) * step, dtype)

    def forward(self) -> Array:
        if self.open():
            raise ShapeError("_arange: stop is required outside of symbols, got infer_range=True alone.")
        return self.of_length(self.count() * self.repeat)


@operator("_linspace", "_npi_linspace")
class Linspace(Operator):
    """A number of evenly spaced numbers between two bounds.

    Attributes:
        start: The first number.
        stop: The last number, or with `endpoint=False` the one that would come next.
        num: How many numbers there are.
        endpoint: Whether `stop` is the last of them.
        ctx: The device of the output, such as cpu(0); the current one if empty.
        dtype: The output's dtype.

    Returns:
        (num,).

    ONNX: a constant that holds the numbers; Identity of it if they are an output of the model.
    """

    inputs: ClassVar[tuple[str, ...]] = ()
    not_differentiable: ClassVar[str] = _CONSTANT
    start: float
    stop: float
    num: int
    endpoint: bool = True
    ctx: str = ""
    dtype: DTypeName = DTypeName("float32")

    def check(self) -> None:
        if self.num < 0:
            raise AttributeValueError(f"_linspace: num of at least 0 is required, got {self.num}.")

    def infer_shape(self) -> Shape:
        return (self.num,)

    def infer_dtype(self) -> DType:
        return as_dtype(self.dtype)

    def forward(self) -> Array:
        return np.linspace(self.start, self.stop, self.num, self.endpoint).astype(self.infer_dtype())


@operator("_eye")
class Eye(Operator):
    """A matrix of ones on one diagonal and zeros elsewhere.

    Attributes:
        N: The number of rows.
        M: The number of columns; 0 for as many as rows.
        k: The diagonal: 0 for the main one, positive above it, negative below.
        ctx: The device of the output, such as cpu(0); the current one if empty.
        dtype: The output's dtype.

    Returns:
        (N, M).

    ONNX: a constant that holds the matrix; Identity of it if it is an output of the model.
    """

    inputs: ClassVar[tuple[str, ...]] = ()
    not_differentiable: ClassVar[str] = _CONSTANT
    N: int
    M: int = 0
    k: int = 0
    ctx: str = ""
    dtype: DTypeName = DTypeName("float32")

    def infer_shape(self) -> Shape:
        return (self.N, self.M or self.N)

    def infer_dtype(self) -> DType:
        return as_dtype(self.dtype)

    def forward(self) -> Array:
        return np.eye(self.N, self.M or self.N, self.k, self.infer_dtype())
