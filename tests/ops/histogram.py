"""Cases of histograms and of what they are for in quantization."""

import numpy as np

from hybridonnx.test_utils import Case, ints

NUMBERS = ("float32", "float64", "float16", "int32", "int64", "int8", "uint8")
VALUES = np.array([0.1, 0.5, 1.0, 0.0, -1, 2, 0.3, 0.3, np.nan, np.inf, -np.inf], np.float32)
TENTHS = np.arange(11) / 10
STRAYS = np.random.RandomState(2).standard_normal((3, 4, 5))


HISTOGRAMS = [
    Case("_histogram", [VALUES], bin_cnt=4, range=(0.0, 1.0)),
    Case("_histogram", [VALUES], bin_cnt=1, range=(-1.0, 0.3)),
    Case("_histogram", [VALUES, np.array([0, 0.3, 0.5, 1], np.float32)]),
    Case("_histogram", [VALUES, np.array([-1, 2], np.float32)]),
    Case("_histogram", [VALUES, np.array([0, 0.3, 0.3, 0.3, 2], np.float32)]),
    Case("_histogram", [VALUES, np.array([0, 0.3, 1, 1], np.float32)]),
    Case("_histogram", [TENTHS.astype(np.float32)], bin_cnt=10, range=(0.0, 1.0)),
    Case("_histogram", [TENTHS], bin_cnt=10, range=(0.0, 1.0)),
    Case("_histogram", [STRAYS], bin_cnt=7, range=(-1.7, 1.3)),
    Case("_histogram", [STRAYS, np.sort(STRAYS.ravel())[3:50:5]]),
    Case("_histogram", [(4, 3, 2)], bin_cnt=5, range=(-2.0, 3.0)).but(dtypes=NUMBERS),
    Case("_histogram", [ints((30,), 9, -3, "int32")], bin_cnt=4, range=(0.0, 1.0)),
    Case("_histogram", [ints((30,), 9, -3, "int32"), np.array([-2, 0, 1, 1, 4], np.int32)]),
    Case("_histogram", [ints((30,), 9, 0, "uint8")], bin_cnt=3, range=(2.0, 2.0)),
    Case("_histogram", [(0, 3), np.array([0, 0.5, 1], np.float32)]).but(
        formula=lambda x, bounds: (np.zeros(2, np.int64), bounds)
    ),
]


def counts(values, bins):
    """A histogram around 0, and its bounds."""
    end = np.abs(values).max()
    hist, edges = np.histogram(values, bins, (-end, end))
    return [hist.astype(np.float32), edges.astype(np.float32)]


RNG = np.random.RandomState(4)
NORMAL, HEAVY = RNG.standard_normal(4000), RNG.standard_cauchy(3000).clip(-50, 50)
KL = "_contrib_calibrate_entropy"
CALIBRATIONS = [
    Case(KL, counts(NORMAL, 401)),
    Case(KL, counts(NORMAL, 81), num_quantized_bins=15),
    Case(KL, counts(NORMAL, 80), num_quantized_bins=16),
    Case(KL, counts(NORMAL, 15), num_quantized_bins=15),
    Case(KL, counts(HEAVY, 801), num_quantized_bins=31),
    Case(KL, counts(np.array([0.0, 0.0, 0.1, 5.0]), 801), num_quantized_bins=31),
    Case(KL, [np.zeros(31, np.float32), np.arange(32, dtype=np.float32)], num_quantized_bins=7),
    Case(
        KL, [np.array([1, 2, 3, 4, 3, 2, 1], np.float32), TENTHS[:8].astype(np.float32)], num_quantized_bins=3
    ),
]

CASES = [*HISTOGRAMS, *(case.but(tol=5e-4) for case in CALIBRATIONS)]
