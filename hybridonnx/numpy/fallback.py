"""Functions that mx.np takes from NumPy as they are: on the values, outside of autograd and of graphs.

While recording, arrays that need a gradient are refused where the result would have one.
"""

from collections.abc import Callable as _Callable
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import NoReturn as _NoReturn

import numpy as _np

from ..ndarray.np_array import FUNCTIONS as _FUNCTIONS
from ..ndarray.np_array import by_numpy as _by_numpy
from ..ndarray.np_array import ndarray as _ndarray

if _TYPE_CHECKING:
    from ._numpy_functions import *  # noqa: F403  (a stub)

_NAMES = """
    allclose apply_along_axis apply_over_axes argpartition argwhere array_equal array_equiv choose
    compress corrcoef correlate count_nonzero cov digitize divmod extract flatnonzero float_power frexp
    heaviside histogram2d histogram_bin_edges histogramdd i0 interp intersect1d isclose isin ix_ lexsort
    min_scalar_type modf nanargmax nanargmin nancumprod nancumsum nanmax nanmedian nanmin nanpercentile
    nanprod nanquantile ndim packbits partition piecewise poly polyadd polydiv polyfit polyint polymul
    polysub positive promote_types ptp real result_type rollaxis roots searchsorted select setdiff1d
    setxor1d signbit size spacing take_along_axis tril_indices_from trim_zeros triu_indices_from union1d
    unpackbits unwrap vander
""".split()
_OF_THE_MODULE = ("nansum", "nanstd", "nanvar")
"""What mx.np itself does not show."""
_RENAMED = {"in1d": "isin", "trapz": "trapezoid"}
"""What NumPy 2 calls otherwise."""
_FINANCIAL = ("mirr", "npv", "ppmt", "pv", "rate")
"""What NumPy 1.20 gave up."""
__all__ = [*_NAMES, *_RENAMED, *_FINANCIAL, "alltrue", "msort"]


def _gone(name: str) -> _Callable[..., _NoReturn]:
    def refuse(*args: object, **kwargs: object) -> _NoReturn:
        raise RuntimeError(f"{name}: NumPy has it no more since 1.20. Use the package numpy_financial.")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"NumPy's `{name}` of before 1.20: it raises RuntimeError, as in MXNet."
    return refuse


for _name in (*_NAMES, *_OF_THE_MODULE):
    globals()[_name] = _by_numpy(getattr(_np, _name))
for _name, _new in _RENAMED.items():
    globals()[_name] = _by_numpy(getattr(_np, _new, None) or getattr(_np, _name))
for _name in (*_FINANCIAL, "pmt"):
    globals()[_name] = _gone(_name)


def alltrue(
    a: _ndarray, axis: int | None = None, out: _ndarray | None = None, keepdims: bool = False
) -> _ndarray:
    """Whether all elements along an axis are not zero."""
    result: _ndarray = _FUNCTIONS.all(a, axis, keepdims, out)
    return result


def msort(a: _ndarray) -> _ndarray:
    """The elements in ascending order along the first axis."""
    result: _ndarray = _FUNCTIONS.sort(a, 0)
    return result
