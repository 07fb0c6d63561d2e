"""Cases of padding, diagonals and cropping."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case

FLOATS = ("float32", "float64", "float16")
MODES = ("constant", "edge", "reflect")


def folded(mode: str, pad_width: tuple[int, ...]):
    """A formula of `_pad_grad`, element by element."""

    def formula(dy: np.ndarray, **_: object) -> np.ndarray:
        pairs = list(zip(pad_width[::2], pad_width[1::2], strict=True))
        shape = tuple(d - a - b for d, (a, b) in zip(dy.shape, pairs, strict=True))
        indices = np.arange(1, 1 + int(np.prod(shape))).reshape(shape)
        origin = np.pad(indices, pairs, mode)  # type: ignore[call-overload]
        sums = np.bincount(origin.ravel(), dy.ravel().astype(np.float64), indices.size + 1)
        return sums[1:].reshape(shape).astype(dy.dtype)

    return formula


WIDTHS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 3, 4, 3), (0, 0, 0, 0, 1, 2, 2, 1)),
    ((1, 2, 3, 4), (0, 0, 0, 0, 0, 0, 3, 0)),
    ((1, 2, 2, 3, 2), (0, 0, 0, 0, 1, 0, 1, 2, 0, 1)),
    ((1, 2, 3, 2), (0,) * 8),
]
pads = [Case("Pad", [s], mode=mode, pad_width=w) for mode in MODES for s, w in WIDTHS]
pads += [
    Case("Pad", [(2, 3, 4, 3)], mode="constant", pad_width=WIDTHS[0][1], constant_value=-1.5),
    *[
        Case("Pad", [(2, 3, 3, 4)], mode=m, pad_width=(0, 0, 0, 0, 1, 1, 2, 1)).but(dtypes=FLOATS)
        for m in MODES
    ],
    Case("Pad", [(1, 1, 2, 2)], mode="edge", pad_width=(0, 0, 0, 0, 3, 1, 0, 4)),
    Case("Pad", [(1, 1, 1, 3)], mode="edge", pad_width=(0, 0, 0, 0, 3, 3, 1, 0)),
]
for mode in MODES:
    for data, widths in WIDTHS:
        padded = tuple(d + a + b for d, a, b in zip(data, widths[::2], widths[1::2], strict=True))
        case = Case("_pad_grad", [padded], mode=mode, pad_width=widths)
        pads.append(case.but(formula=folded(mode, widths), dtypes=FLOATS[:2]))
pads += [
    Case("_pad_like", [(2, 3), (4, 5)]).but(formula=lambda x, like: np.pad(x, [(0, 2), (0, 2)])),
    Case("_pad_like", [(2, 3), (2, 3)]).but(formula=lambda x, like: x),
    Case("_pad_like", [(2, 3, 1), (2, 3, 4)]).but(
        formula=lambda x, like: np.pad(x, [(0, 0), (0, 0), (0, 3)])
    ),
]

diagonals = [Case("diag", [(3,)], k=k) for k in (0, 1, -2)]
diagonals += [Case("diag", [(3, 4)], k=k) for k in (0, 1, 3, -1, -2)]
diagonals += [
    Case("diag", [(3, 4)], k=4),
    Case("diag", [(3, 4)]).but(dtypes=(*FLOATS, "int32", "int64")),
    Case("diag", [(4,)]).but(dtypes=(*FLOATS, "int32", "int64")),
    Case("diag", [(2, 3, 4)]),
    Case("diag", [(2, 3, 4)], k=1),
    Case("diag", [(2, 3, 4)], axis1=1, axis2=2),
    Case("diag", [(2, 3, 4)], axis1=2, axis2=1, k=1),
    Case("diag", [(2, 3, 4)], axis1=-1, axis2=-2),
    Case("diag", [(2, 3, 2, 2)], axis1=0, axis2=2),
    Case("diag", [(2, 3, 2, 3)], axis1=1, axis2=3, k=-1),
    Case("_diag_grad", [(2,), (3, 4)], k=-1).but(
        formula=lambda dy, x: np.array([[0] * 4, [dy[0], 0, 0, 0], [0, dy[1], 0, 0]], dy.dtype)
    ),
    Case("_diag_grad", [(2, 3), (2, 3, 3)], axis1=1, axis2=2).but(
        formula=lambda dy, x: np.stack([np.diag(row) for row in dy])
    ),
    Case("_diag_grad", [(4, 2), (2, 4, 3)], axis1=2, axis2=0).but(
        formula=lambda dy, x: np.stack([np.diag(row)[:2] @ np.eye(2, 3) for row in dy], 1).astype(dy.dtype)
    ),
    Case("_diag_grad", [(4, 4), (3,)], k=1).but(formula=lambda dy, x: np.diag(dy, 1)),
]


def set_in(y: int, x: int):
    """A formula of `_crop_grad`."""

    def formula(dy: np.ndarray, data: np.ndarray) -> np.ndarray:
        (_, _, h, w), (_, _, height, width) = dy.shape, data.shape
        return np.pad(dy, [(0, 0), (0, 0), (y, height - h - y), (x, width - w - x)])

    return formula


crops = [
    Case("Crop", [(2, 3, 3, 4)], h_w=(2, 2)),
    Case("Crop", [(2, 3, 3, 4)], h_w=(2, 2), offset=(1, 2)),
    Case("Crop", [(1, 1, 3, 5)], h_w=(2, 2), center_crop=True),
    Case("Crop", [(1, 1, 3, 4), (1, 2, 2, 3)], offset=(1, 1)),
    Case("Crop", [(1, 1, 4, 6), (1, 2, 2, 3)], center_crop=True),
    Case("_crop_grad", [(1, 2, 2, 3), (1, 2, 3, 4)], offset=(1, 0)).but(formula=set_in(1, 0)),
    Case("_crop_grad", [(1, 2, 1, 2), (1, 2, 3, 4)], center_crop=True).but(formula=set_in(1, 1)),
]

CASES = [*pads, *diagonals, *crops]
