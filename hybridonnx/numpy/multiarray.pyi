# Written by scripts/stubs; do not edit.
from . import (
    NAN as NAN, NINF as NINF, NZERO as NZERO, NaN as NaN, PINF as PINF, PZERO as PZERO, abs as abs, absolute
    as absolute, add as add, all as all, allclose as allclose, alltrue as alltrue, amax as amax, amin as amin,
    any as any, append as append, apply_along_axis as apply_along_axis, apply_over_axes as apply_over_axes,
    arange as arange, arccos as arccos, arccosh as arccosh, arcsin as arcsin, arcsinh as arcsinh, arctan as
    arctan, arctan2 as arctan2, arctanh as arctanh, argmax as argmax, argmin as argmin, argpartition as
    argpartition, argsort as argsort, argwhere as argwhere, around as around, array as array, array_equal as
    array_equal, array_equiv as array_equiv, array_split as array_split, atleast_1d as atleast_1d, atleast_2d
    as atleast_2d, atleast_3d as atleast_3d, average as average, bincount as bincount, bitwise_and as
    bitwise_and, bitwise_not as bitwise_not, bitwise_or as bitwise_or, bitwise_xor as bitwise_xor, blackman as
    blackman, bool as bool, bool_ as bool_, broadcast_arrays as broadcast_arrays, broadcast_to as
    broadcast_to, cbrt as cbrt, ceil as ceil, choose as choose, clip as clip, column_stack as column_stack,
    compress as compress, concatenate as concatenate, copy as copy, copysign as copysign, corrcoef as
    corrcoef, correlate as correlate, cos as cos, cosh as cosh, count_nonzero as count_nonzero, cov as cov,
    cumsum as cumsum, deg2rad as deg2rad, degrees as degrees, delete as delete, diag as diag,
    diag_indices_from as diag_indices_from, diagflat as diagflat, diagonal as diagonal, diff as diff, digitize
    as digitize, divide as divide, divmod as divmod, dot as dot, dsplit as dsplit, dstack as dstack, e as e,
    ediff1d as ediff1d, einsum as einsum, empty as empty, empty_like as empty_like, equal as equal,
    euler_gamma as euler_gamma, exp as exp, expand_dims as expand_dims, expm1 as expm1, extract as extract,
    eye as eye, fabs as fabs, finfo as finfo, fix as fix, flatnonzero as flatnonzero, flip as flip, fliplr as
    fliplr, flipud as flipud, float16 as float16, float32 as float32, float64 as float64, float_power as
    float_power, floor as floor, frexp as frexp, full as full, full_like as full_like, genfromtxt as
    genfromtxt, greater as greater, greater_equal as greater_equal, hamming as hamming, hanning as hanning,
    heaviside as heaviside, histogram as histogram, histogram2d as histogram2d, histogram_bin_edges as
    histogram_bin_edges, histogramdd as histogramdd, hsplit as hsplit, hstack as hstack, hypot as hypot, i0 as
    i0, identity as identity, in1d as in1d, indices as indices, inf as inf, inner as inner, insert as insert,
    int32 as int32, int64 as int64, int8 as int8, interp as interp, intersect1d as intersect1d, invert as
    invert, isclose as isclose, isfinite as isfinite, isin as isin, isinf as isinf, isnan as isnan, isneginf
    as isneginf, isposinf as isposinf, ix_ as ix_, lcm as lcm, ldexp as ldexp, less as less, less_equal as
    less_equal, lexsort as lexsort, linspace as linspace, log as log, log10 as log10, log1p as log1p, log2 as
    log2, logical_not as logical_not, logspace as logspace, matmul as matmul, max as max, maximum as maximum,
    may_share_memory as may_share_memory, mean as mean, meshgrid as meshgrid, min as min, min_scalar_type as
    min_scalar_type, minimum as minimum, mirr as mirr, mod as mod, modf as modf, moveaxis as moveaxis, msort
    as msort, multiply as multiply, nan as nan, nan_to_num as nan_to_num, nanargmax as nanargmax, nanargmin as
    nanargmin, nancumprod as nancumprod, nancumsum as nancumsum, nanmax as nanmax, nanmedian as nanmedian,
    nanmin as nanmin, nanpercentile as nanpercentile, nanprod as nanprod, nanquantile as nanquantile, ndarray
    as ndarray, ndim as ndim, negative as negative, newaxis as newaxis, nonzero as nonzero, not_equal as
    not_equal, npv as npv, ones as ones, ones_like as ones_like, outer as outer, packbits as packbits, pad as
    pad, partition as partition, percentile as percentile, pi as pi, piecewise as piecewise, poly as poly,
    polyadd as polyadd, polydiv as polydiv, polyfit as polyfit, polyint as polyint, polymul as polymul,
    polysub as polysub, polyval as polyval, positive as positive, power as power, ppmt as ppmt, prod as prod,
    product as product, promote_types as promote_types, ptp as ptp, pv as pv, quantile as quantile, rad2deg as
    rad2deg, radians as radians, rate as rate, ravel as ravel, real as real, reciprocal as reciprocal,
    remainder as remainder, repeat as repeat, reshape as reshape, resize as resize, result_type as
    result_type, rint as rint, roll as roll, rollaxis as rollaxis, roots as roots, rot90 as rot90, round as
    round, round_ as round_, row_stack as row_stack, searchsorted as searchsorted, select as select,
    set_printoptions as set_printoptions, setdiff1d as setdiff1d, setxor1d as setxor1d, shape as shape,
    shares_memory as shares_memory, sign as sign, signbit as signbit, sin as sin, sinh as sinh, size as size,
    sometrue as sometrue, sort as sort, spacing as spacing, split as split, sqrt as sqrt, square as square,
    squeeze as squeeze, stack as stack, std as std, subtract as subtract, sum as sum, swapaxes as swapaxes,
    take as take, take_along_axis as take_along_axis, tan as tan, tanh as tanh, tensordot as tensordot, tile
    as tile, trace as trace, transpose as transpose, trapz as trapz, tril as tril, tril_indices_from as
    tril_indices_from, trim_zeros as trim_zeros, triu_indices_from as triu_indices_from, true_divide as
    true_divide, trunc as trunc, uint8 as uint8, union1d as union1d, unique as unique, unpackbits as
    unpackbits, unravel_index as unravel_index, unwrap as unwrap, vander as vander, var as var, vdot as vdot,
    vsplit as vsplit, vstack as vstack, where as where, zeros as zeros, zeros_like as zeros_like,
)
