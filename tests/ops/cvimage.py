"""Cases of what MXNet leaves to OpenCV."""

from itertools import product

import numpy as np

from hybridonnx.test_utils import Case, ints, uniform

FLOATS = uniform((5, 6, 3), 0, 255)
OF_SUMS = 4e-3
"""Sums by area are added up in another order by the export, so that halves are rounded otherwise."""
SIZES = [
    ((5, 6), (2, 3)),
    ((5, 6), (11, 9)),
    ((8, 6), (4, 3)),
    ((9, 6), (3, 2)),
    ((7, 9), (10, 3)),
    ((6, 5), (6, 4)),
]
"""Sizes before and after, among them a half and a third of both."""


def image(height, width, channels):
    return ints((height, width, channels), 256, dtype="uint8")


def resize(src, h, w, **attributes):
    summed = attributes.get("interp") == 3 and src.dtype == "uint8"
    return Case("_cvimresize", [src], w=w, h=h, **attributes).but(tol=OF_SUMS if summed else 1e-5)


def border(src, *margins, **attributes):
    sides = dict(zip(("top", "bot", "left", "right"), margins, strict=True))
    return Case("_cvcopyMakeBorder", [src], **sides, **attributes)


MISSING = {
    "formula": lambda *_: np.zeros((0, 0, 3), "uint8"),
    "no": dict.fromkeys(("forward", "infer", "inputs", "symbolic"), "there is no such image"),
}


CASES = [
    *(
        resize(image(*a, channels), *b, interp=interp)
        for interp, (a, b), channels in product(range(5), SIZES, (1, 3))
    ),
    *(resize(image(8, 6, c), *size) for c in (2, 4, 5) for size in ((4, 3), (5, 7))),
    resize(image(8, 6, 2), 4, 3, interp=3),
    *(resize(FLOATS, *size, interp=interp) for interp in range(5) for size in ((2, 3), (11, 9), (5, 2))),
    resize(FLOATS, 7, 4).but(dtypes=("float32", "float64")),
    resize(image(4, 5, 3), 4, 5),
    resize(image(1, 1, 1), 3, 2, interp=2),
    *(border(image(4, 5, 3), 1, 2, 3, 0, type=kind) for kind in range(5)),
    *(border(image(3, 2, 1), 7, 5, 6, 9, type=kind) for kind in range(5)),
    *(border(FLOATS, 1, 0, 2, 1, type=kind, value=1.5) for kind in range(5)),
    border(image(2, 3, 3), 1, 1, 1, 1, values=(1, 2.5, 300)),
    border(image(2, 3, 3), 1, 1, 1, 1, values=(5, 6), value=9),
    border(image(2, 3, 3), 1, 1, 1, 1, value=7.6),
    border(image(2, 3, 3), 0, 0, 0, 0),
    border(image(2, 3, 4), 0, 1, 1, 0, values=(1, 2, 3, 4)),
    border(image(1, 1, 2), 2, 2, 2, 2, type=4),
    border(ints((2, 3, 3), 999, -999, "int32"), 1, 0, 2, 1, value=-7),
    Case("_cvimdecode", [ints((8,), 256, dtype="uint8")]).but(**MISSING),
    Case("_cvimread", [], filename="missing.png", flag=0, to_rgb=False).but(**MISSING),
]
