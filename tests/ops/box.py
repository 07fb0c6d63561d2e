"""Cases of bounding boxes."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case, distinct, uniform

FLOATS = ("float32", "float64", "float16")
EXACT = dict.fromkeys(("gradient", "second"), "a step makes it another class")
TIED = dict.fromkeys(("gradient", "second"), "equal scores trade places")
COPIED = {"gradient": "MXNet copies the gradient past the conversion, as its text says"}


# ---- inputs


def boxes(*shape, seed=0, center=False, dtype="float32"):
    """Boxes in the unit square, some of which overlap."""
    rng = np.random.RandomState(seed)
    low, size = rng.rand(*shape, 2) * 0.6, rng.rand(*shape, 2) * 0.5 + 0.05
    parts = [low + 0.4, size] if center else [low, low + size]
    return np.concatenate(parts, -1).astype(dtype)


def rated(*shape, classes=3, seed=0, order="isb", center=False, dtype="float32", fraction=0.25):
    """Boxes with a class and a score, no two of them alike, in the order of the letters.

    The fraction of classes does not count, and keeps them what they are beside small steps.
    """
    rng = np.random.RandomState(seed + 100)
    score = (rng.permutation(int(np.prod(shape))).reshape(*shape, 1) + 1) / (np.prod(shape) + 2)
    label = rng.randint(0, classes, (*shape, 1)) + fraction
    parts = {"i": label, "s": score, "b": boxes(*shape, seed=seed, center=center), "x": rng.rand(*shape, 2)}
    return np.concatenate([parts[letter] for letter in order], -1).astype(dtype)


def nms(data, **attributes):
    return Case("_contrib_box_nms", [data], **attributes)


def looped(data, **attributes):
    return nms(data, **attributes)


# ---- suppression

EQUAL = rated(9, seed=3)
EQUAL[:, 1] = [0.5, 0.7, 0.5, 0.7, 0.5, 0.2, 0.2, 0.7, 0.5]
PADDED = rated(2, 9, fraction=0, seed=4)
PADDED[:, ::3, 0] = -1
NEGATIVE = rated(6, seed=5)
NEGATIVE[:3, 2:] -= 0.9


def converted(data):
    """The boxes with all of their corners as centers and sizes, best first; none overlaps another."""
    order = np.argsort(-data[:, 1])
    low, high = data[order, 2:4], data[order, 4:6]
    return np.concatenate([data[order, :2], (low + high) / 2, high - low], 1)


suppressions = [nms(rated(2, 12), overlap_thresh=t, id_index=0) for t in (0.0, 0.1, 0.3, 0.7, 1.0)]
suppressions += [
    nms(rated(2, 12), overlap_thresh=0.1, force_suppress=f, id_index=i)
    for f in (True, False)
    for i in (0, -1)
]
suppressions += [nms(rated(2, 12), overlap_thresh=0.2, topk=k, id_index=0) for k in (1, 5, 12, 40)]
suppressions += [nms(rated(2, 12), overlap_thresh=0.2, valid_thresh=v) for v in (-1.0, 0.4, 0.8, 2.0)]
suppressions += [
    nms(rated(2, 12, fraction=0), overlap_thresh=0.2, background_id=c, id_index=0, force_suppress=f).but(
        no=EXACT
    )
    for c in (0, 2)
    for f in (True, False)
]
suppressions += [  # rows of the class -1 hold no box, unless the background is another class
    nms(PADDED, id_index=0, overlap_thresh=0.4, force_suppress=f, background_id=c).but(no=EXACT)
    for f in (True, False)
    for c in (-1, 1)
]
suppressions += [
    nms(rated(12)),
    nms(rated(2, 3, 7), overlap_thresh=0.2, id_index=0, topk=5),
    nms(rated(1, 1)),
    nms(uniform((3, 9, 7)), overlap_thresh=0.2, valid_thresh=0.1),
    nms(uniform((3, 9, 7)), overlap_thresh=0.2, topk=4, id_index=0),
    nms(rated(2, 12, order="bsi"), coord_start=0, score_index=4, id_index=5, overlap_thresh=0.2),
    nms(rated(2, 12, order="sb"), coord_start=1, score_index=0, overlap_thresh=0.2, topk=7),
    nms(rated(2, 12, order="xsbi"), coord_start=3, score_index=2, id_index=7, overlap_thresh=0.2),
    nms(rated(3, 30, seed=1), overlap_thresh=0.45, valid_thresh=0.01, topk=20, id_index=0, background_id=1),
    nms(rated(3, 30, fraction=0), overlap_thresh=0.4, topk=20, id_index=0, background_id=1).but(no=EXACT),
    nms(rated(2, 12), topk=0, overlap_thresh=0.1, out_format="center"),
    nms(rated(2, 12, center=True), overlap_thresh=0.2, topk=0),
    Case("_contrib_box_non_maximum_suppression", [rated(5)], overlap_thresh=0.2),
]
suppressions += [nms(EQUAL, overlap_thresh=0.1, id_index=i).but(no=TIED) for i in (0, -1)]
suppressions += [
    looped(rated(2, 12, dtype=d), overlap_thresh=0.2, id_index=i, topk=9).but(dtypes=(d,))
    for d in ("float64", "float16")
    for i in (0, -1)
]
suppressions += [
    looped(
        rated(2, 12, center=True), overlap_thresh=0.2, in_format="center", out_format="center", id_index=0
    ),
    looped(rated(2, 12), overlap_thresh=1.5, id_index=0),
    looped(uniform((3, 9, 7)), overlap_thresh=0.1, in_format="center", out_format="center"),
    looped(rated(2, 12), overlap_thresh=-0.5, id_index=0),
    looped(rated(2, 12, center=True), overlap_thresh=0.2, in_format="center").but(no=COPIED),
    nms(rated(2, 12), overlap_thresh=0.2, out_format="center", topk=7).but(no=COPIED),
    # MXNet converts no box whose left is negative
    nms(NEGATIVE, overlap_thresh=1.0, out_format="center").but(formula=converted, no=COPIED),
    nms(np.zeros((2, 0, 6), np.float32)).but(formula=np.copy),
    nms(np.zeros((0, 4, 6), np.float32), topk=3).but(formula=np.copy),
]

BY_VALUES = {"infer": "the number of rows depends on values"}


def triples(boxes, scores, most=9, threshold=0.0, least=-np.inf):
    """Box after box of each batch element and class."""
    low, high = np.minimum(boxes[..., :2], boxes[..., 2:]), np.maximum(boxes[..., :2], boxes[..., 2:])
    result = []
    for n, c in np.ndindex(scores.shape[:2]):
        stays: list[int] = []
        for i in np.argsort(-scores[n, c], kind="stable"):
            if scores[n, c, i] > least and len(stays) < most:
                shares = [share(low[n, i], high[n, i], low[n, j], high[n, j]) for j in stays]
                stays += [i] * all(s <= threshold for s in shares)
        result += [[n, c, i] for i in stays]
    return np.array(result, np.int64).reshape(-1, 3)


def share(low, high, other_low, other_high):
    common = np.prod(np.maximum(np.minimum(high, other_high) - np.maximum(low, other_low), 0))
    return common / max(np.prod(high - low) + np.prod(other_high - other_low) - common, 1e-9)


def selected(data, formula, **attributes):
    inputs = [data, uniform((len(data), 2, data.shape[1]))]
    return Case("_non_max_suppression", inputs, **attributes).but(formula=formula, no=BY_VALUES)


def as_corners(data):
    return np.concatenate([data[..., :2] - data[..., 2:] / 2, data[..., :2] + data[..., 2:] / 2], -1)


selections = [
    selected(boxes(2, 9), lambda b, s, t=t, m=m: triples(b, s, m, t), most=m, iou_threshold=t)
    for t, m in ((0.0, 9), (0.3, 9), (0.3, 2), (1.0, 20), (0.5, 0))
]
selections += [
    selected(
        boxes(1, 9)[..., [2, 1, 0, 3]],
        lambda b, s: triples(b, s, 5, 0.2, 0.4),
        most=5,
        iou_threshold=0.2,
        score_threshold=0.4,
    ),
    selected(
        boxes(2, 9, center=True),
        lambda b, s: triples(as_corners(b), s, 9, 0.25),
        most=9,
        iou_threshold=0.25,
        format="center",
    ),
]

# ---- overlap

TOUCHING = np.array([[0, 0, 1, 1], [1, 0, 2, 1], [0.5, 0.5, 0.5, 2], [3, 3, 1, 1], [0, 0, 0, 0]], np.float32)
overlaps = [
    Case(
        "_contrib_box_iou",
        [boxes(*a, center=f == "center"), boxes(*b, seed=1, center=f == "center")],
        format=f,
    )
    for f in ("corner", "center")
    for a, b in (((3,), (4,)), ((2, 3), (4,)), ((3,), (2, 1, 4)), ((1,), (1,)))
]
overlaps += [
    Case("_contrib_box_iou", [uniform((3, 4)), uniform((2, 4))], format=f).but(dtypes=FLOATS)
    for f in ("corner", "center")
]
overlaps += [
    Case("_contrib_box_iou", [boxes(5), boxes(6)]),
    Case("_contrib_box_iou", [TOUCHING, TOUCHING]),
    Case("_contrib_box_iou", [np.zeros((0, 4), np.float32), boxes(3)]).but(
        formula=lambda a, b: np.zeros((0, 3), np.float32),
    ),
]

# ---- matching

STEPS = np.round(np.random.RandomState(0).rand(2, 4, 5), 1).astype(np.float32)


def greedy(data, threshold, is_ascend=False, topk=-1):
    """Pairs one after the other, of all that are sorted."""
    lead = data.shape[:-2]
    rows, cols = np.full(data.shape[:-1], -1.0), np.full((*lead, data.shape[-1]), -1.0)
    for n in np.ndindex(lead):
        order = np.argsort(data[n] if is_ascend else -data[n], axis=None, kind="stable")
        pairs = 0
        for r, c in zip(*np.unravel_index(order, data[n].shape), strict=True):
            fits = data[n][r, c] < threshold if is_ascend else data[n][r, c] > threshold
            if fits and rows[n][r] == cols[n][c] == -1 and pairs != topk:
                rows[n][r], cols[n][c], pairs = c, r, pairs + 1
    return rows.astype(data.dtype), cols.astype(data.dtype)


def matched(data, **attributes):
    return Case("_contrib_bipartite_matching", [data], **attributes)


matchings = [
    matched(uniform((2, 3, 4)), threshold=t, is_ascend=a) for t in (1e-12, 0.5) for a in (False, True)
]
matchings += [matched(STEPS, threshold=t, is_ascend=a) for t in (0.0, 0.3, 0.6) for a in (False, True)]
matchings += [
    matched(data, threshold=0.1) for data in (uniform((4, 3)), uniform((2, 1, 3, 3)), uniform((1, 1)), -STEPS)
]
matchings += [matched(uniform((2, 5, 3)), threshold=0.4).but(dtypes=FLOATS)]
matchings += [matched(distinct((2, 3, 4)), threshold=0.0, topk=k) for k in (-1, 0, 3, 10)]
matchings += [
    Case("_contrib_bipartite_matching", [np.zeros(shape, np.float32)], threshold=0.1).but(
        formula=lambda x: greedy(x, 0.1)
    )
    for shape in ((2, 0, 3), (2, 3, 0), (0, 3, 2), (1, 0, 3, 2))
]
# MXNet makes one pair more than topk
matchings += [
    matched(uniform((2, 4, 4)), threshold=0.1, topk=k, is_ascend=a).but(
        formula=lambda x, k=k, a=a: greedy(x, np.float32(0.1), a, k)
    )
    for k, a in ((1, False), (2, False))
]
matchings += [
    matched(uniform((2, 4, 4)), threshold=0.7, topk=2, is_ascend=True).but(
        formula=lambda x: greedy(x, np.float32(0.7), True, 2)
    ),
    matched(np.array([[[np.nan, 0.5], [0.2, np.nan]]], np.float32), threshold=0.1).but(
        formula=lambda x: greedy(x, 0.1)
    ),
]

# ---- offsets from anchors


def encoded(dtype="float32", means=(0.0, 0.0, 0.0, 0.0), stds=(0.1, 0.1, 0.2, 0.2)):
    samples = np.array([[1, 0, -1, 1, 0.4], [0, 1, 1, -1, 0.6]], dtype)
    matches = np.array([[0, 5, -1, 2, 0], [9, 1, 2, 0, 0]], dtype)
    arrays = [samples, matches, boxes(2, 5, dtype=dtype), boxes(2, 3, seed=1, dtype=dtype)]
    return Case("_contrib_box_encode", [*arrays, np.array(means, dtype), np.array(stds, dtype)]).but(
        dtypes=(dtype,), tol=4e-3 if dtype == "float16" else 1e-5
    )


encodings = [encoded(d) for d in FLOATS]
encodings += [encoded(means=(0.1, -0.2, 0.3, 0.4), stds=(1.0, 2.0, 0.5, 3.0))]
decodings = [
    Case("_contrib_box_decode", [(2, 5, 4), uniform((1, 5, 4))], format=f, clip=c, **stds).but(dtypes=FLOATS)
    for f in ("center", "corner")
    for c in (-1.0, 0.0, 0.2)
    for stds in ({}, {"std0": 0.1, "std1": 0.2, "std2": 0.3, "std3": 0.4})
]
UNKNOWN = boxes(2, 5, seed=2)
UNKNOWN[0, 1] = np.nan
decodings += [
    Case("_contrib_box_decode", [UNKNOWN, boxes(1, 5)], clip=c, format="corner").but(
        no=dict.fromkeys(("gradient", "second"), "differences with NaN")
    )
    for c in (-1.0, 0.2)
]

CASES = [*suppressions, *selections, *overlaps, *matchings, *encodings, *decodings]
