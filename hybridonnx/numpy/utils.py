"""Constants and types as NumPy names them."""

import builtins

import numpy as _np

__all__ = [
    "NAN",
    "NINF",
    "NZERO",
    "PINF",
    "PZERO",
    "NaN",
    "bool",
    "bool_",
    "e",
    "euler_gamma",
    "finfo",
    "float16",
    "float32",
    "float64",
    "inf",
    "int8",
    "int32",
    "int64",
    "nan",
    "newaxis",
    "pi",
    "uint8",
]

NAN = NaN = nan = _np.nan
PINF = inf = _np.inf
NINF = -_np.inf
PZERO, NZERO = 0.0, -0.0
e, pi, euler_gamma = _np.e, _np.pi, _np.euler_gamma
newaxis = None
bool = builtins.bool
bool_, float16, float32, float64 = _np.bool_, _np.float16, _np.float32, _np.float64
int8, int32, int64, uint8 = _np.int8, _np.int32, _np.int64, _np.uint8
finfo = _np.finfo
