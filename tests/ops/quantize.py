"""Cases of conversions to and from quantized numbers."""

import numpy as np

from hybridonnx.test_utils import Case, ints, uniform


def ends(low, high):
    """A range as two arrays."""
    return [np.array([low], np.float32), np.array([high], np.float32)]


DATA = uniform((5, 60), -4, 4)
TIES = np.arange(-40, 40, dtype=np.float32).reshape(8, 10) / 16
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1e30, -1e30, 1e-40], np.float32)
SUMS = ints((4, 50), 10**6, -(10**6), "int32")
WIDE = ints((4, 50), 2**31 - 1, -(2**31) + 1, "int32")
BYTES = ints((3, 50), 128, -128, "int8")
UNSIGNED = ints((3, 50), 256, 0, "uint8")
SEVERAL = ((-3, 3), (-1, 3), (-5, 2), (0.1, 7.7), (-2.2, -1.1), (-0.3, 0.37))
CALIBRATED = ((-1.0, 2.5), (0.0, 2.0), (0.5, 1.0), (-3.0, -1.0))
CRASHES = {"oracle": "real MXNet ends with a segmentation fault"}
EMPTY = {"oracle": "MXNet takes a size of 0 for an unknown one"}
PASSES = {"oracle": "MXNet says int8 of the bytes of uint8"}


def asymmetric(low=None, high=None):
    """The formula of quantize_asym."""

    def formula(x):
        a, b = (x.min(), x.max()) if low is None else (low, high)
        scale = 255 / (float(b) - float(a))
        shift = 255 - b * scale
        y = np.clip(np.floor(x.astype(np.float64) * scale + shift + 0.5), 0, 255)
        return y.astype(np.uint8), np.array([scale], np.float32), np.array([shift], np.float32)

    return formula


def empty(*values, dtype="int8"):
    """A result without elements, and its range."""
    return lambda *_: (np.zeros((0, 3), dtype), *(np.array([v], np.float32) for v in values))


CASES = [
    *(Case("_contrib_quantize", [DATA, *ends(*r)], out_type=t) for r in SEVERAL for t in ("int8", "uint8")),
    Case("_contrib_quantize", [TIES, *ends(-2, 1)]),
    Case("_contrib_quantize", [TIES, *ends(-2, 1)], out_type="int8"),
    Case("_contrib_quantize", [SPECIAL, *ends(-2, 1)]),
    Case("_contrib_quantize", [SPECIAL, *ends(-2, 1)], out_type="int8"),
    Case("_contrib_quantize", [(2, 1, 3, 2, 2), *ends(-2, 1)], out_type="int8"),
    Case("_contrib_quantize", [(0, 3), *ends(-2, 1)], out_type="int8").but(formula=empty(-2, 2), no=EMPTY),
    *(
        Case("_contrib_quantize_v2", [DATA], out_type=t, min_calib_range=a, max_calib_range=b)
        for a, b in CALIBRATED
        for t in ("int8", "uint8", "auto")
    ),
    *(Case("_contrib_quantize_v2", [DATA], out_type=t) for t in ("int8", "uint8", "auto")),
    Case("_contrib_quantize_v2", [(7,)]),
    Case("_contrib_quantize_v2", [(1, 1)], out_type="uint8"),
    Case("_contrib_quantize_v2", [DATA], min_calib_range=-1.0),
    Case("_contrib_quantize_v2", [TIES], min_calib_range=-2.0, max_calib_range=1.0),
    Case("_contrib_quantize_v2", [SPECIAL], min_calib_range=-2.0, max_calib_range=1.0),
    Case("_contrib_quantize_v2", [SPECIAL], out_type="uint8", min_calib_range=-2.0, max_calib_range=1.0),
    Case("_contrib_quantize_v2", [np.zeros((2, 3), np.float32)]),
    Case("_contrib_quantize_v2", [BYTES]),
    Case("_contrib_quantize_v2", [BYTES], out_type="auto", min_calib_range=-2.0, max_calib_range=1.0),
    Case("_contrib_quantize_v2", [UNSIGNED], out_type="uint8"),
    Case("_contrib_quantize_v2", [UNSIGNED], out_type="uint8", min_calib_range=0.0, max_calib_range=1.0),
    Case("_contrib_quantize_v2", [UNSIGNED], out_type="auto").but(
        formula=lambda x: (x, *ends(0, 255.5)), no=PASSES
    ),
    Case("_contrib_quantize_v2", [(0, 3)], min_calib_range=-1.0, max_calib_range=1.0).but(
        formula=empty(-1, 1), no=EMPTY
    ),
    Case("_contrib_quantize_asym", [DATA]).but(formula=asymmetric(), no=CRASHES),
    Case("_contrib_quantize_asym", [DATA], min_calib_range=-1.0, max_calib_range=3.0).but(
        formula=asymmetric(-1.0, 3.0), no=CRASHES
    ),
    Case("_contrib_quantize_asym", [(2, 3, 4)], min_calib_range=0.0, max_calib_range=1.5).but(
        formula=asymmetric(0.0, 1.5), no=CRASHES
    ),
    *(Case("_contrib_dequantize", [x, *ends(*r)]) for r in SEVERAL for x in (BYTES, UNSIGNED)),
    Case("_contrib_dequantize", [ints((2, 1, 3), 128, -128, "int8"), *ends(-1, 1)], out_type="float32"),
    Case("_contrib_dequantize", [ints((0, 3), 128, -128, "int8"), *ends(-1, 1)]).but(
        formula=lambda x, a, b: x.astype(np.float32), no=EMPTY
    ),
    *(
        Case("_contrib_requantize", [x, *ends(*r)], out_type=t, min_calib_range=a, max_calib_range=b)
        for x, r in ((WIDE, (-3, 3)), (WIDE, (-1, 3)), (SUMS, (-900, 500)))
        for a, b in CALIBRATED[:3]
        for t in ("int8", "uint8", "auto")
    ),
    *(Case("_contrib_requantize", [x, *ends(*r)]) for x in (WIDE, SUMS) for r in SEVERAL),
    Case("_contrib_requantize", [SUMS, *ends(-3, 3)], out_type="uint8"),
    Case("_contrib_requantize", [SUMS, *ends(-3, 3)], out_type="auto"),
    Case("_contrib_requantize", [np.zeros((3, 2), np.int32), *ends(-3, 3)]),
    Case(
        "_contrib_requantize",
        [ints((0, 3), 9, 0, "int32"), *ends(-1, 1)],
        min_calib_range=-1.0,
        max_calib_range=2.0,
    ).but(formula=empty(-2, 2), no=EMPTY),
]
