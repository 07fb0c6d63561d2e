"""Cases of pooling."""

from itertools import product

import numpy as np

from hybridonnx.test_utils import Case, distinct

FLOATS = ("float32", "float64")


def pool(shape, kernel, **attributes):
    """Pooling of data without equal values."""
    case = Case("Pooling", [distinct(shape)], kernel=kernel, **attributes)
    return case.but(no=EMPTY) if _empty(shape, kernel, **attributes) else case


EMPTY = {"gradient": "a window without data has the lowest number as maximum, which drowns all differences"}


def _empty(shape, kernel, stride=(), pad=(), pool_type="max", pooling_convention="valid", **attributes):
    """Whether a maximum is over a window that lies outside the data."""
    if attributes.get("global_pool") or (pool_type, pooling_convention) != ("max", "full"):
        return False
    axes = zip(shape[2:], kernel, stride, pad or [0] * len(kernel), strict=True)
    return any(-(-(n + 2 * p - k) // s) * s >= n + p for n, k, s, p in axes)


def _windows(size, out, kernel, stride, pad):
    """For every index of the output, where its window lies in the data."""
    for index in product(*map(range, out)):
        start = [i * s - p for i, s, p in zip(index, stride, pad, strict=True)]
        yield (
            index,
            tuple(
                slice(max(a, 0), max(min(a + k, n), 0)) for a, k, n in zip(start, kernel, size, strict=True)
            ),
            [min(a + k, n + p) - a for a, k, n, p in zip(start, kernel, size, pad, strict=True)],
        )


def _count(cut, inside, include_pad):
    return max(int(np.prod(inside if include_pad else cut.shape[2:])), 1)


def grad_of(kind, kernel, stride, pad, include_pad=True):
    """The gradient of pooling as a loop over the windows."""

    def formula(dy, x):
        dx = np.zeros_like(x)
        for index, cut, inside in _windows(x.shape[2:], dy.shape[2:], kernel, stride, pad):
            head = dy[(..., *index)]
            part = x[(..., *cut)]
            if not part.size:
                continue
            if kind == "max":
                flat = part.reshape(*part.shape[:2], -1)
                one = np.arange(flat.shape[2]) == flat.argmax(2)[..., None]
                dx[(..., *cut)] += (one * head[..., None]).reshape(part.shape)
            else:
                share = head / (_count(part, inside, include_pad) if kind == "avg" else 1)
                dx[(..., *cut)] += share.reshape(*share.shape, *(1 for _ in kernel))
        return dx

    return formula


def pick_of(kernel, stride, pad, out):
    """What a maximum of data picks from values, as a loop over the windows."""

    def formula(values, x):
        y = np.zeros((*x.shape[:2], *out), values.dtype)
        for index, cut, _ in _windows(x.shape[2:], out, kernel, stride, pad):
            part, picked = (a[(..., *cut)].reshape(*x.shape[:2], -1) for a in (x, values))
            if part.size:
                y[(..., *index)] = np.take_along_axis(picked, part.argmax(2)[..., None], 2)[..., 0]
        return y

    return formula


def adjoints(shape, out, kernel, stride, pad, **attributes):
    """The gradients of max and mean pooling, and what max pooling's own gradient needs."""
    same = {"kernel": kernel, "stride": stride, "pad": pad, **attributes}
    dy = (*shape[:2], *out)
    include = attributes.get("count_include_pad", True)
    return [
        Case("_pool_grad", [dy, distinct(shape)], pool_type=kind, **same).but(
            formula=grad_of(kind, kernel, stride, pad, include)
        )
        for kind in ("max", "avg", "sum")
    ] + [Case("_pool_pick", [shape, distinct(shape)], **same).but(formula=pick_of(kernel, stride, pad, out))]


def _tied(dy):
    """Heads at the first corner of each of the four windows of 3 by 3."""
    y = np.zeros((1, 1, 4, 4), dy.dtype)
    y[..., :2, :2] = dy
    return y


SIZES = [  # kernel, stride, pad
    ((3, 3), (2, 2), (0, 0)),
    ((3, 3), (2, 2), (1, 1)),
    ((3, 2), (1, 1), (1, 0)),
    ((3, 2), (2, 3), (1, 1)),
    ((2, 2), (2, 2), (0, 0)),
    ((2, 2), (3, 3), (0, 0)),
    ((2, 2), (2, 2), (1, 1)),
    ((1, 1), (3, 3), (0, 0)),
    ((4, 4), (5, 5), (2, 2)),
    ((4, 3), (3, 1), (3, 2)),
]
SWEEP = [
    pool((2, 3, 7, 8), k, stride=s, pad=p, pool_type=kind, pooling_convention=convention)
    for k, s, p in SIZES
    for kind in ("max", "avg", "sum")
    for convention in ("valid", "full")
] + [
    pool(
        (2, 3, 7, 8),
        k,
        stride=s,
        pad=p,
        pool_type="avg",
        pooling_convention=convention,
        count_include_pad=False,
    )
    for k, s, p in SIZES
    for convention in ("valid", "full")
]
LP = [
    pool((2, 3, 7, 8), k, stride=s, pad=p, pool_type="lp", p_value=n, pooling_convention=convention)
    for k, s, p in (SIZES[0], SIZES[1], SIZES[5])
    for n in (1, 2, 3)
    for convention in ("valid", "full")
]
ROOT = "the cube root has no bounded slope where the sum of a window changes its sign"

CASES = [
    *SWEEP,
    *(c.but(grad_tol=1e-4) for c in LP),
    pool((2, 3, 6, 6), (2, 2)).but(dtypes=(*FLOATS, "float16")),
    pool((2, 3, 6, 6), (2, 2), pool_type="avg").but(dtypes=(*FLOATS, "float16")),
    pool((2, 3, 6, 6), (2, 2), pool_type="sum").but(dtypes=(*FLOATS, "float16")),
    pool((2, 3, 6, 6), (2, 2), pool_type="avg", count_include_pad=True),
    pool((2, 3, 6, 6), (6, 6), pool_type="max"),
    pool((2, 3, 5), (3,)),
    pool((2, 3, 7), (3,), stride=(2,), pool_type="avg", pooling_convention="full"),
    pool((2, 3, 8), (3,), stride=(2,), pad=(1,), pool_type="avg", pooling_convention="full"),
    pool((2, 3, 8), (3,), stride=(2,), pad=(1,), pool_type="max", layout="NCW"),
    *(
        pool((2, 3, 7), (k,), stride=(s,), pad=(0, 0, 0), pooling_convention="same", pool_type=kind)
        for k, s in ((3, 2), (2, 3), (4, 1))
        for kind in ("max", "avg")
    ),
    pool((1, 2, 5, 6, 4), (2, 3, 2), stride=(2, 1, 2)),
    pool((1, 2, 5, 6, 4), (2, 3, 2), stride=(2, 1, 2), pad=(1, 1, 0), pool_type="avg"),
    pool((1, 2, 5, 6, 4), (2, 3, 3), stride=(2, 2, 2), pool_type="avg", pooling_convention="full"),
    pool((1, 2, 5, 6, 4), (2, 2, 2), stride=(2, 2, 2), pad=(1, 0, 1), pooling_convention="full").but(
        dtypes=(*FLOATS, "float16")
    ),
    pool((1, 2, 5, 6, 4), (2, 2, 2), stride=(2, 2, 2), pool_type="sum", layout="NCDHW"),
    # over everything
    *(pool((2, 3, 5, 6), (1, 1), global_pool=True, pool_type=kind) for kind in ("max", "avg", "sum")),
    *(pool((2, 3, 5, 6), (2, 2), global_pool=True, pool_type="lp", p_value=n) for n in (1, 2, 3)),
    Case("Pooling", [distinct((2, 3, 5, 6))], global_pool=True),
    Case("Pooling", [distinct((2, 3, 5, 6))], global_pool=True, pool_type="avg").but(dtypes=FLOATS),
    pool((2, 3, 5, 6), (9, 9), global_pool=True, stride=(2, 2), pad=(1, 1), pooling_convention="full"),
    pool((2, 3, 5), (2,), global_pool=True, pool_type="avg"),
    pool((2, 3, 5), (2,), global_pool=True),
    pool((1, 2, 3, 4, 3), (2, 2, 2), global_pool=True, pool_type="avg", count_include_pad=False),
    pool((1, 2, 3, 4, 3), (2, 2, 2), global_pool=True),
    pool((2, 5, 6, 3), (2, 2), global_pool=True, pool_type="avg", layout="NHWC"),
    # channels last
    pool((2, 5, 6, 3), (3, 2), stride=(2, 2), layout="NHWC"),
    pool((2, 5, 6, 3), (3, 2), stride=(2, 2), pad=(1, 1), pool_type="avg", layout="NHWC"),
    pool((2, 7, 3), (2,), stride=(2,), layout="NWC"),
    pool((1, 4, 5, 4, 2), (2, 2, 2), pool_type="sum", layout="NDHWC"),
    Case("Pooling", [(0, 3, 6, 6)], kernel=(2, 2)).but(formula=lambda x: np.zeros((0, 3, 5, 5), x.dtype)),
    *(
        Case("Pooling", [(4, 3, 0)], global_pool=True, pool_type=kind).but(
            formula=lambda x: np.zeros((4, 3, 1), x.dtype)
        )
        for kind in ("avg", "sum")
    ),
    # the first of equal values has the gradient; differences cannot see it
    Case("Pooling", [np.ones((1, 1, 4, 4), np.float32)], kernel=(3, 3), stride=(1, 1)).but(
        no={"gradient": "all values are equal", "second": "all values are equal"}
    ),
    Case("_pool_grad", [(1, 1, 2, 2), np.ones((1, 1, 4, 4), np.float32)], kernel=(3, 3)).but(
        formula=lambda dy, x: _tied(dy),
        no={**dict.fromkeys(("gradient", "second"), "all values are equal")},
    ),
    Case("Pooling", [np.zeros((1, 1, 4, 4), np.float32)], kernel=(2, 2), pool_type="lp", p_value=2).but(
        no={"second": "the norm has a kink at 0"}
    ),
    *adjoints((2, 3, 7, 8), (3, 3), (3, 3), (2, 2), (0, 0)),
    *adjoints((2, 3, 7, 8), (4, 4), (3, 3), (2, 2), (1, 1)),
    *adjoints((2, 3, 6, 8), (3, 4), (2, 2), (2, 2), (0, 0)),
    *adjoints((2, 3, 7, 8), (4, 4), (3, 2), (2, 3), (1, 1), pooling_convention="full"),
    *adjoints((2, 3, 7, 8), (3, 3), (2, 2), (3, 3), (0, 0), pooling_convention="full"),
    *adjoints(
        (2, 3, 7, 8), (3, 3), (4, 4), (5, 5), (2, 2), pooling_convention="full", count_include_pad=False
    ),
    *adjoints((2, 3, 9), (4,), (3,), (2,), (0,)),
    *adjoints((1, 2, 4, 5, 4), (3, 3, 2), (2, 3, 2), (1, 2, 2), (0, 1, 0)),
    *(
        Case("_pool_grad", [(2, 3, 1, 1), distinct((2, 3, 5, 6))], pool_type=kind, global_pool=True).but(
            formula=grad_of(kind, (5, 6), (1, 1), (0, 0))
        )
        for kind in ("max", "avg", "sum")
    ),
    Case("_pool_pick", [(2, 3, 5, 6), distinct((2, 3, 5, 6))], global_pool=True).but(
        formula=pick_of((5, 6), (1, 1), (0, 0), (1, 1))
    ),
    Case(
        "_pool_grad", [(2, 3, 3, 3), distinct((2, 6, 6, 3))], kernel=(2, 2), stride=(2, 2), layout="NHWC"
    ).but(
        formula=lambda dy, x: np.moveaxis(
            grad_of("max", (2, 2), (2, 2), (0, 0))(np.moveaxis(dy, -1, 1), np.moveaxis(x, -1, 1)), 1, -1
        ),
    ),
]

CASES += [
    Case("Pooling_v1", [distinct((2, 3, 5, 6))], kernel=kernel, pool_type=kind, **attributes)
    for kind in ("max", "avg", "sum")
    for kernel, attributes in (
        ((2, 2), {}),
        ((3, 2), {"stride": (2, 2), "pad": (1, 1)}),
        ((3, 2), {"stride": (2, 1), "pad": (1, 0), "pooling_convention": "full"}),
        ((3, 3), {"stride": (3, 3), "pooling_convention": "full"}),
        ((2, 2), {"global_pool": True}),
    )
]
