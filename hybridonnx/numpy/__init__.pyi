# Written by scripts/stubs; do not edit.
from . import (
    arrayprint, fallback, fallback_linalg, function_base, io, linalg, multiarray, random, stride_tricks,
    utils,
)
from ..ndarray.numpy import (
    abs, absolute, add, all, amax, amin, any, append, arange, arccos, arccosh, arcsin, arcsinh, arctan,
    arctan2, arctanh, argmax, argmin, argsort, around, array_split, atleast_1d, atleast_2d, atleast_3d,
    average, bincount, bitwise_and, bitwise_not, bitwise_or, bitwise_xor, blackman, broadcast_to, cbrt, ceil,
    clip, column_stack, concatenate, copy, copysign, cos, cosh, cumsum, deg2rad, degrees, delete, diag,
    diag_indices_from, diagflat, diagonal, diff, divide, dot, dsplit, dstack, ediff1d, einsum, empty_like,
    equal, exp, expand_dims, expm1, eye, fabs, fix, flip, fliplr, flipud, floor, full, full_like, greater,
    greater_equal, hamming, hanning, histogram, hsplit, hstack, hypot, identity, indices, inner, insert,
    invert, isfinite, isinf, isnan, isneginf, isposinf, lcm, ldexp, less, less_equal, linspace, log, log10,
    log1p, log2, logical_not, logspace, matmul, max, maximum, may_share_memory, mean, min, minimum, mod,
    moveaxis, multiply, nan_to_num, negative, nonzero, not_equal, ones, ones_like, outer, pad, percentile,
    polyval, power, prod, product, quantile, rad2deg, radians, ravel, reciprocal, remainder, repeat, reshape,
    resize, rint, roll, rot90, round, round_, row_stack, shape, shares_memory, sign, sin, sinh, sometrue,
    sort, split, sqrt, square, squeeze, stack, std, subtract, sum, swapaxes, take, tan, tanh, tensordot, tile,
    trace, transpose, tril, true_divide, trunc, unique, unravel_index, var, vdot, vsplit, vstack, where,
    zeros, zeros_like,
)
from .arrayprint import set_printoptions
from .creation import array, empty, ndarray
from .fallback import (
    allclose, alltrue, apply_along_axis, apply_over_axes, argpartition, argwhere, array_equal, array_equiv,
    choose, compress, corrcoef, correlate, count_nonzero, cov, digitize, divmod, extract, flatnonzero,
    float_power, frexp, heaviside, histogram2d, histogram_bin_edges, histogramdd, i0, in1d, interp,
    intersect1d, isclose, isin, ix_, lexsort, min_scalar_type, mirr, modf, msort, nanargmax, nanargmin,
    nancumprod, nancumsum, nanmax, nanmedian, nanmin, nanpercentile, nanprod, nanquantile, ndim, npv,
    packbits, partition, piecewise, poly, polyadd, polydiv, polyfit, polyint, polymul, polysub, positive,
    ppmt, promote_types, ptp, pv, rate, real, result_type, rollaxis, roots, searchsorted, select, setdiff1d,
    setxor1d, signbit, size, spacing, take_along_axis, trapz, tril_indices_from, trim_zeros,
    triu_indices_from, union1d, unpackbits, unwrap, vander,
)
from .function_base import meshgrid
from .io import genfromtxt
from .stride_tricks import broadcast_arrays
from .utils import (
    NAN, NINF, NZERO, NaN, PINF, PZERO, bool, bool_, e, euler_gamma, finfo, float16, float32, float64, inf,
    int32, int64, int8, nan, newaxis, pi, uint8,
)
__all__ = [
    "NAN", "NINF", "NZERO", "NaN", "PINF", "PZERO", "abs", "absolute", "add", "all", "allclose", "alltrue",
    "amax", "amin", "any", "append", "apply_along_axis", "apply_over_axes", "arange", "arccos", "arccosh",
    "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argpartition", "argsort",
    "argwhere", "around", "array", "array_equal", "array_equiv", "array_split", "arrayprint", "atleast_1d",
    "atleast_2d", "atleast_3d", "average", "bincount", "bitwise_and", "bitwise_not", "bitwise_or",
    "bitwise_xor", "blackman", "bool", "bool_", "broadcast_arrays", "broadcast_to", "cbrt", "ceil", "choose",
    "clip", "column_stack", "compress", "concatenate", "copy", "copysign", "corrcoef", "correlate", "cos",
    "cosh", "count_nonzero", "cov", "cumsum", "deg2rad", "degrees", "delete", "diag", "diag_indices_from",
    "diagflat", "diagonal", "diff", "digitize", "divide", "divmod", "dot", "dsplit", "dstack", "e", "ediff1d",
    "einsum", "empty", "empty_like", "equal", "euler_gamma", "exp", "expand_dims", "expm1", "extract", "eye",
    "fabs", "fallback", "fallback_linalg", "finfo", "fix", "flatnonzero", "flip", "fliplr", "flipud",
    "float16", "float32", "float64", "float_power", "floor", "frexp", "full", "full_like", "function_base",
    "genfromtxt", "greater", "greater_equal", "hamming", "hanning", "heaviside", "histogram", "histogram2d",
    "histogram_bin_edges", "histogramdd", "hsplit", "hstack", "hypot", "i0", "identity", "in1d", "indices",
    "inf", "inner", "insert", "int32", "int64", "int8", "interp", "intersect1d", "invert", "io", "isclose",
    "isfinite", "isin", "isinf", "isnan", "isneginf", "isposinf", "ix_", "lcm", "ldexp", "less", "less_equal",
    "lexsort", "linalg", "linspace", "log", "log10", "log1p", "log2", "logical_not", "logspace", "matmul",
    "max", "maximum", "may_share_memory", "mean", "meshgrid", "min", "min_scalar_type", "minimum", "mirr",
    "mod", "modf", "moveaxis", "msort", "multiarray", "multiply", "nan", "nan_to_num", "nanargmax",
    "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmedian", "nanmin", "nanpercentile", "nanprod",
    "nanquantile", "ndarray", "ndim", "negative", "newaxis", "nonzero", "not_equal", "npv", "ones",
    "ones_like", "outer", "packbits", "pad", "partition", "percentile", "pi", "piecewise", "poly", "polyadd",
    "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval", "positive", "power", "ppmt", "prod",
    "product", "promote_types", "ptp", "pv", "quantile", "rad2deg", "radians", "random", "rate", "ravel",
    "real", "reciprocal", "remainder", "repeat", "reshape", "resize", "result_type", "rint", "roll",
    "rollaxis", "roots", "rot90", "round", "round_", "row_stack", "searchsorted", "select",
    "set_printoptions", "setdiff1d", "setxor1d", "shape", "shares_memory", "sign", "signbit", "sin", "sinh",
    "size", "sometrue", "sort", "spacing", "split", "sqrt", "square", "squeeze", "stack", "std",
    "stride_tricks", "subtract", "sum", "swapaxes", "take", "take_along_axis", "tan", "tanh", "tensordot",
    "tile", "trace", "transpose", "trapz", "tril", "tril_indices_from", "trim_zeros", "triu_indices_from",
    "true_divide", "trunc", "uint8", "union1d", "unique", "unpackbits", "unravel_index", "unwrap", "utils",
    "vander", "var", "vdot", "vsplit", "vstack", "where", "zeros", "zeros_like",
]
