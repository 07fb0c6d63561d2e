"""Cases of draws of different classes: their formulas take the draw as last argument."""

from hybridonnx.test_utils import Case

CASES = [
    Case("_sample_unique_zipfian", range_max=range_max, shape=shape).but(
        formula=lambda noise: (noise[:, :-1], noise[:, -1])
    )
    for range_max, shape in ((100, (2, 5)), (3, (1, 3)), (1, (2, 1)))
]
