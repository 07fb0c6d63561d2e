"""Arrays whose sizes are expressions of the model's free sizes, in MXNet's operators.

MXNet takes sizes from arrays: what repeats, cuts or counts by a free size is given an array that has it. A
*ruler* is an array of one axis that is made for its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import prod
from typing import Any

import numpy as np

from hybridonnx.dtypes import DType
from hybridonnx.errors import ConversionError
from hybridonnx.ops import Atom, Excess, Quotient, SymbolicDim, same

from ._result_sizes import Sizes
from ._vectors import Size

_COUNTS = frozenset({"float32", "float64", "int32", "int64"})
"""The dtypes that count as far as sizes go."""
_EXACT = 1 << 53
"""Integers up to here are attributes without loss."""


def ruler(F: Any, size: Size) -> Any:
    """An array of one axis that is as long as `size`; a `ConversionError` if no array tells."""
    text = str(size) if isinstance(size, int) else size.text
    if text not in F.rulers:
        F.rulers[text] = _new_ruler(F, size)
    return F.rulers[text]


def _new_ruler(F: Any, size: Size) -> Any:
    if isinstance(size, int):
        return F._ones(shape=(size,)) if size > 0 else _refuse(size)
    holder = F.holder(size)
    if holder is None:
        return _composed(F, size)
    x, axis = holder
    dtype = F.dtype(x)
    if dtype is None or dtype.kind == "b":
        x = F.Cast(x, dtype="float32")
    return F._contrib_arange_like(x, axis=axis)


def _composed(F: Any, size: SymbolicDim) -> Any:
    """The parts of a sum one after the other, without as many elements as are subtracted."""
    constant = size.terms.get((), 0)
    products = [(product, factor) for product, factor in size.terms.items() if product]
    if any(factor < 0 for _, factor in products) or products == [((size.name,), 1)]:
        _refuse(size)
    parts = [_multiple(F, product, factor) for product, factor in products]
    parts += [F.cast(ruler(F, constant), dtype="float32")] if constant > 0 else []
    whole = parts[0] if len(parts) == 1 else F.Concat(*parts, dim=0)
    return F.slice(whole, begin=(-constant,), end=(None,)) if constant < 0 else whole


def _multiple(F: Any, product: Sequence[Atom], factor: int) -> Any:
    result, *others = [F.cast(_of_atom(F, atom), dtype="float32") for atom in product]
    for other in others:
        table = F.broadcast_add(F.expand_dims(result, axis=1), F.expand_dims(other, axis=0))
        result = F.Reshape(table, shape=(-1,))
    return F.repeat(result, repeats=factor, axis=0) if factor > 1 else result


def _of_atom(F: Any, atom: Atom) -> Any:
    if isinstance(atom, Excess):
        return ruler(F, atom.size)  # what is dropped is no more than there is
    if isinstance(atom, Quotient):
        if not isinstance(atom.divisor, int):
            _refuse(atom.divisor)
        by = int(atom.divisor)
        return F.slice(ruler(F, atom.dividend), begin=(by - 1,), end=(None,), step=(by,))
    return ruler(F, SymbolicDim.named(atom))


def _refuse(size: Size) -> Any:
    raise ConversionError(f"a size that an array has is required, got {size}.")


def numbers(F: Any, count: Size, dtype: DType, start: int = 0, step: int = 1) -> Any:
    """`count` numbers from `start` on in a dtype."""
    if isinstance(count, int):
        if F.fits(count, dtype):
            return F.const(np.arange(count) * step + start, dtype)
        return F._arange(start=start, stop=start + count * step, step=step, dtype=dtype.name)
    holder = F.holder(count)
    x, axis = (ruler(F, count), 0) if holder is None else holder
    own = F.dtype(x)
    if own is None or own.name not in _COUNTS:
        x, axis = F.cast(ruler(F, count), dtype="float32"), 0
        own = F.dtype(x)
    if own == dtype or dtype.itemsize < 4:
        counted = F._contrib_arange_like(x, axis=axis, start=start, step=step)
        return counted if own == dtype else F.cast(counted, dtype=dtype.name)
    places = F.cast(F._contrib_arange_like(x, axis=axis), dtype=dtype.name)
    scaled = places if step == 1 else places * step
    return scaled if start == 0 else scaled + start


def full(F: Any, sizes: Sequence[Size], value: Any, dtype: DType) -> Any:
    """An array of these sizes with one value everywhere."""
    if all(isinstance(d, int) for d in sizes) and F.fits(prod(sizes), dtype):
        return F.const(np.full(tuple(sizes), value, dtype))
    ones = (1,) * len(sizes)
    if dtype.kind == "b" or dtype.name not in _COUNTS or abs(value) > _EXACT:
        element = F.const(np.full(ones, value, dtype))
    else:
        element = F._full(shape=ones, value=float(value), dtype=dtype.name)
    return repeated(F, element, ones, sizes)


def widened(F: Any, x: Any, rank: int) -> tuple[Any, Sizes]:
    """A value with axes of size 1 in front, and its sizes."""
    dims = F.dims(x)
    if dims is None:
        raise ConversionError("a value of known rank is required. Give the inputs' shapes in the model.")
    if dims == () and rank:
        return F.Reshape(x, shape=(1,) * rank), (1,) * rank
    for _ in range(rank - len(dims)):
        x = F.expand_dims(x, axis=0)
    return x, (*(1,) * (rank - len(dims)), *dims)


def repeated(F: Any, x: Any, own: Sizes, target: Sequence[Size | None]) -> Any:
    """`x`, whose sizes are `own`, with axes of size 1 repeated to `target`."""
    counts: dict[int, int] = {}
    free: list[tuple[int, Any, int]] = []
    for axis, (have, size) in enumerate(zip(own, target, strict=True)):
        if size is not None and same(have, size):
            continue
        if (
            size is None
            or same(size, 0)
            or not (same(have, 1) or (isinstance(size, int) and not isinstance(have, int)))
        ):
            raise ConversionError(
                f"an axis of size 1, or of the size {size} that it is repeated to, is required, got {have}."
            )
        if isinstance(size, int):
            counts[axis] = size
        else:
            like, place = F.holder(size) or (ruler(F, size), 0)
            free.append((axis, like, place))
    for _, group in groupby(free, lambda item: item[1].outputs[0]):
        axes, likes, places = zip(*group, strict=True)
        x = F.broadcast_like(x, likes[0], lhs_axes=axes, rhs_axes=places)
    codes = tuple(counts.get(axis, 0) for axis in range(len(own)))
    return F.broadcast_to(x, shape=codes) if counts else x


def first_part(F: Any, x: Any, axis: int, size: SymbolicDim) -> Any:
    """The first elements along an axis, which has no fewer."""
    holder = F.holder(size)
    if holder is not None and holder[1] == axis:
        return F.slice_like(x, holder[0], axes=(axis,))
    like = F.Reshape(ruler(F, size), shape=(*(1,) * axis, -1))
    return F.slice_like(x, like, axes=(axis,))
