"""Functions that mx.np takes from NumPy as they are: on the values, outside of autograd and of graphs."""

import numpy as _np

from ..ndarray.np_array import FUNCTIONS as _FUNCTIONS
from ..ndarray.np_array import by_numpy as _by_numpy

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
_RENAMED = {"in1d": "isin", "trapz": "trapezoid"}
"""What NumPy 2 calls otherwise."""
__all__ = [*_NAMES, *_RENAMED, "alltrue", "msort"]

for _name in _NAMES:
    globals()[_name] = _by_numpy(getattr(_np, _name))
for _name, _new in _RENAMED.items():
    globals()[_name] = _by_numpy(getattr(_np, _new, None) or getattr(_np, _name))


def alltrue(a: object, axis: int | None = None, out: object = None, keepdims: bool = False) -> object:
    """Whether all elements along an axis are not zero."""
    return _FUNCTIONS.all(a, axis, keepdims, out)


def msort(a: object) -> object:
    """The elements in ascending order along the first axis."""
    return _FUNCTIONS.sort(a, 0)
