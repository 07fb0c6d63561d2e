"""Numbers for a model's inputs: as far as its graph tells, those that it is made for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, inf, prod
from typing import Any

import numpy as np

from ..converters.from_onnx import short
from ..converters.limits import Limit
from ..converters.to_onnx import by_name, is_shape
from ..dtypes import DType
from ..errors import ConversionError
from ..ops import Array, Spec, SymbolicDim
from .models import Arrays, Runnable
from .sizes import FreeSizes, declared, dim

_ONES = 0.75
"""The part of a mask that is 1."""
MOST_DRAWN = 1 << 28
"""So many elements are drawn at most: a file of some bytes may say that it takes any number."""
_MOST = 1 << 20
"""Where only one end of what may be drawn is known, the other one is not farther."""


class Draws:
    """Inputs for two models that are drawn: of any sizes, within what both take."""

    def __init__(
        self, first: Runnable, second: Runnable, shapes: Any, sizes: Mapping[str, Any] | None
    ) -> None:
        """Find out what the models take.

        Args:
            first: The model whose inputs they are called after.
            second: The other one, which may tell what the first does not.
            shapes: What the caller says of the shapes, by name or in order.
            sizes: What free sizes are to be tried at, by name.

        Raises:
            ConversionError: If nothing tells an input's shape.
        """
        self._others = names_of(second, first)
        self.specs = {name: _known(name, spec) for name, spec in specs_of(first, second, shapes).items()}
        self.free = FreeSizes("verify", self.specs, sizes)
        self._limits: dict[str, list[Limit]] = {name: [] for name in self.specs}
        for name, limits in first.limits(self.specs).items():
            self._limits.setdefault(name, []).extend(limits)
        back = {other: name for name, other in self._others.items()}
        if second is not first:
            theirs = {other: self.specs[name] for other, name in back.items()}
            for other, limits in second.limits(theirs).items():
                self._limits.setdefault(back.get(other, ""), []).extend(limits)
        self._narrow = {name: second.inputs[other].dtype for name, other in self._others.items()}

    def sample(self, sizes: Mapping[str, int], seed: int | Sequence[int]) -> Arrays:
        """An array for each input where free sizes are these."""
        rng = np.random.default_rng(seed)
        shapes = self.free.shapes(sizes)
        require_few("verify", shapes)
        known = {**sizes, **self._expressions(sizes)}
        sample: Arrays = {}
        for name, spec in self.specs.items():
            dtype = spec.dtype or np.dtype(np.float32)
            x = numbers(rng, f"verify: {name}", shapes[name], dtype, self._limits[name], known)
            narrow = self._narrow.get(name)
            if narrow is not None and narrow.kind in "fV" and narrow.itemsize < dtype.itemsize:
                x = x.astype(narrow).astype(dtype)
            sample[name] = x
        return sample

    def _expressions(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """The sizes that are expressions of names, by their texts."""
        dims = [d for spec in self.specs.values() for d in spec.shape or () if isinstance(d, SymbolicDim)]
        return {str(d): d.value(sizes) for d in dims}


def require_few(what: str, shapes: Mapping[str, Sequence[int]]) -> None:
    """Refuse to draw inputs that are too large together.

    Args:
        what: Who asks, as errors say.
        shapes: The shapes of the inputs by name.

    Raises:
        ConversionError: If they have more than 2^28 elements.
    """
    counts = {name: prod(shape) for name, shape in shapes.items()}
    if sum(counts.values()) > MOST_DRAWN:
        largest = max(counts, key=lambda name: counts[name])
        raise ConversionError(
            f"{what}: inputs are required, as at most {MOST_DRAWN:,} elements are drawn, and "
            f"{short(largest)} alone has {counts[largest]:,}. Give inputs, or shapes that are smaller."
        )


def names_of(second: Runnable, first: Runnable) -> dict[str, str]:
    """What the second model calls the first one's inputs: the same, or whatever is there in their order."""
    if set(second.inputs) <= set(first.inputs):
        return {name: name for name in second.inputs}
    return dict(zip(first.inputs, second.inputs, strict=False))


def specs_of(first: Runnable, second: Runnable, shapes: Any) -> dict[str, Spec]:
    """What the first model's inputs are: of a caller's shapes, completed by what both models say."""
    own, others = by_name(list(first.inputs), shapes, is_shape), names_of(second, first)
    result = {}
    for name, spec in first.inputs.items():
        other = second.inputs.get(others.get(name, ""), Spec())
        shape: Any = declared(own.get(name), declared(spec.shape, other.shape))
        sizes = None if shape is None else tuple(dim(size, name, i) for i, size in enumerate(shape))
        result[name] = Spec(sizes, spec.dtype or other.dtype)
    return result


def _known(name: str, spec: Spec) -> Spec:
    if spec.shape is None:
        raise ConversionError(f"verify: a shape is required for input {name}. Give inputs, or shapes.")
    return spec


def numbers(
    rng: np.random.Generator,
    name: str,
    shape: tuple[int, ...],
    dtype: DType,
    limits: Iterable[Limit] = (),
    sizes: Mapping[str, int] | None = None,
) -> Array:
    """An input that is drawn.

    Integers are within all limits; without any they are a mask, 0 and 1, whose rows begin with 1 and end with
    0, or any byte. Real numbers are normal draws, or uniform ones within limits, or integers where they are
    indices.

    Args:
        rng: What draws.
        name: What errors call the input.
        shape: Its shape.
        dtype: Its dtype.
        limits: What its elements may be.
        sizes: Free sizes, of which limits may tell.

    Raises:
        ConversionError: If nothing of the dtype can be drawn.
    """
    if dtype.hasobject or dtype.kind not in "biufV":
        raise ConversionError(f"{name}: inputs are required, as none of type {dtype} can be drawn.")
    known = list(limits)
    low, high = _within(known, sizes or {})
    whole = dtype.kind in "biu" or any(limit.whole for limit in known)
    if whole and (low, high) == (-inf, inf):
        return _plain(rng, shape, dtype)
    if (low, high) == (-inf, inf):
        return np.asarray(rng.standard_normal(shape)).astype(dtype)
    low, high = max(low, min(high, 0) - _MOST), min(high, max(low, 0) + _MOST)
    if not whole:
        return np.asarray(rng.uniform(low, high, shape)).astype(dtype)
    least, most = ceil(low - 1e-6), floor(high + 1e-6)
    if (least, most) == (0, 1):
        return _mask(rng, shape, dtype)
    return np.asarray(rng.integers(least, max(least, most) + 1, shape)).astype(dtype)


def _within(limits: Iterable[Limit], sizes: Mapping[str, int]) -> tuple[float, float]:
    """What all limits allow; one that leaves nothing of what those before it allow does not count."""
    least, most = -inf, inf
    for limit in sorted(limits, key=lambda limit: not limit.whole):
        low, high = limit.bounds(sizes)
        low, high = max(low, least), min(high, most)
        if low <= high:
            least, most = low, high
    return least, most


def _plain(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> Array:
    """Integers that nothing is known of."""
    if dtype.kind in "iu" and dtype.itemsize == 1:
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max + 1, shape).astype(dtype)
    return _mask(rng, shape, dtype)


def _mask(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType) -> Array:
    """Ones and zeros, of both some in each row, so that no row is masked, whichever of them is what masks."""
    mask = rng.uniform(size=shape) < _ONES
    if shape:
        mask[..., :1] = True
    if shape and shape[-1] > 1:
        mask[..., -1:] = False
    return np.asarray(mask).astype(dtype)
