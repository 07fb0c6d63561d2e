"""Functions of mx.np that choose, count and insert."""

from __future__ import annotations

from typing import Any, Generic, Literal, overload

from ..ops import is_number
from .arguments import Axes, Call, V, axes_of, or_none


class Selections(Generic[V]):
    """Functions of mx.np on the values of one frontend that choose by values or by indices."""

    def __init__(self, call: Call[V]) -> None:
        self._call = call

    def percentile(
        self,
        a: V,
        q: V | float,
        axis: Axes = None,
        out: V | None = None,
        overwrite_input: bool | None = None,
        interpolation: str = "linear",
        keepdims: bool = False,
    ) -> V:
        """The percentiles of the elements along some axes; of integers in float32."""
        if overwrite_input is not None:
            raise NotImplementedError("percentile: overwrite_input of None is required.")
        shares = [] if is_number(q) else [self._array(q)]
        same = {"axis": or_none(axes_of(axis)), "interpolation": interpolation, "keepdims": keepdims}
        scalar = "None" if shares else q
        return self._call("_npi_percentile", a, *shares, q_scalar=scalar, out=out, **same)

    def quantile(
        self,
        a: V,
        q: V | float,
        axis: Axes = None,
        out: V | None = None,
        overwrite_input: bool | None = None,
        interpolation: str = "linear",
        keepdims: bool = False,
    ) -> V:
        """The quantiles of the elements along some axes."""
        share: Any = (q if is_number(q) else self._array(q)) * 100
        return self.percentile(a, share, axis, out, overwrite_input, interpolation, keepdims)

    def polyval(self, p: V, x: V) -> V:
        """The polynomial with coefficients `p`, the highest power's first, at `x`."""
        return self._call("_npi_polyval", p, x)

    def bincount(self, x: V, weights: V | None = None, minlength: int = 0) -> V:
        """How often each integer from 0 up occurs, or the sum of the weights where it does."""
        if minlength < 0:
            raise ValueError(f"bincount: minlength of at least 0 is required, got {minlength}.")
        arrays = [] if weights is None else [weights]
        return self._call("_npi_bincount", x, *arrays, minlength=minlength, has_weights=bool(arrays))

    @overload
    def unique(
        self,
        ar: V,
        return_index: Literal[False] = False,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        axis: int | None = None,
    ) -> V: ...
    @overload
    def unique(
        self,
        ar: V,
        return_index: bool = False,
        return_inverse: bool = False,
        return_counts: bool = False,
        axis: int | None = None,
    ) -> Any: ...
    def unique(
        self,
        ar: V,
        return_index: bool = False,
        return_inverse: bool = False,
        return_counts: bool = False,
        axis: int | None = None,
    ) -> Any:
        """The different elements in ascending order, perhaps with where they are and how many there are."""
        asked = {"return_index": return_index, "return_inverse": return_inverse}
        several = return_index or return_inverse or return_counts
        result: Any = self._call("_npi_unique", ar, return_counts=return_counts, axis=or_none(axis), **asked)
        return tuple(result) if several else result

    def insert(self, arr: V, obj: V | int | slice, values: V | float, axis: int | None = None) -> V:
        """The array with values before the given indices, outside of autograd."""
        new = [] if is_number(values) else [self._array(values)]
        same: dict[str, Any] = {"axis": or_none(axis)} | ({} if new else {"val": values})
        if isinstance(obj, slice):
            return self._call("_npi_insert_slice", arr, *new, **same, **_range_of(obj))
        if is_number(obj):
            return self._call("_npi_insert_scalar", arr, *new, int_ind=obj, **same)
        return self._call("_npi_insert_tensor", arr, *new, self._array(obj), **same)

    def delete(self, arr: V, obj: V | int | slice, axis: int | None = None) -> V:
        """The array without the elements at the given indices, outside of autograd."""
        same = {"axis": or_none(axis)}
        if isinstance(obj, slice):
            return self._call("_npi_delete", arr, **same, **_range_of(obj))
        if is_number(obj):
            return self._call("_npi_delete", arr, int_ind=obj, **same)
        return self._call("_npi_delete", arr, self._array(obj), **same)

    def _array(self, value: Any) -> Any:
        """A value of the frontend for a list, where it has one."""
        return value


def _range_of(indices: slice) -> dict[str, Any]:
    """The attributes that tell a range of indices."""
    step = 1 if indices.step is None else indices.step
    return {"start": or_none(indices.start), "stop": or_none(indices.stop), "step": step}
