"""Cases of single-shot detection."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case

# ---- inputs


def boxes(*shape, seed=0):
    """Corners in the unit square."""
    rng = np.random.RandomState(seed)
    low, size = rng.rand(*shape, 2) * 0.6, rng.rand(*shape, 2) * 0.5 + 0.05
    return np.concatenate([low, low + size], -1).astype(np.float32)


def labels(*numbers, most=4, width=5, seed=3):
    """As many objects as `numbers` says for each image."""
    rng = np.random.RandomState(seed)
    parts = [rng.randint(0, 3, (len(numbers), most, 1)), boxes(len(numbers), most, seed=seed)]
    label = np.concatenate([*parts, rng.rand(len(numbers), most, width - 5)], -1).astype(np.float32)
    for row, number in zip(label, numbers, strict=True):
        row[number:] = -1
    return label


# ---- anchors

PIXELS = (2, 3, 4, 5)
priors = [
    Case("_contrib_MultiBoxPrior", [PIXELS]),
    Case("_contrib_MultiBoxPrior", [PIXELS], sizes=(0.5, 0.25, 0.7), ratios=(2.0, 0.5, 3.0)),
    Case("_contrib_MultiBoxPrior", [PIXELS], sizes=(0.5,), ratios=(1.0, 2.0), clip=True),
    Case("_contrib_MultiBoxPrior", [PIXELS], sizes=(0.9, 0.3), clip=True),
    Case("_contrib_MultiBoxPrior", [PIXELS], steps=(0.3, 0.4), offsets=(0.1, 0.9)),
    Case("_contrib_MultiBoxPrior", [PIXELS], steps=(0.0, 0.4)),
    Case("_contrib_MultiBoxPrior", [PIXELS], offsets=(0.0, 1.0)),
    Case("_contrib_MultiBoxPrior", [(1, 1, 1, 1)], sizes=(0.1,), ratios=(0.5,)),
    Case("_contrib_MultiBoxPrior", [(0, 1, 1, 2)], sizes=(0.5,)).but(
        formula=lambda x: np.array([[[0.125, 0.25, 0.375, 0.75], [0.625, 0.25, 0.875, 0.75]]], np.float32)
    ),
    Case("_contrib_MultiBoxPrior", [(2, 1, 3, 2, 4)]),
]

# ---- targets


def target(label, anchors=12, **attributes):
    inputs = [boxes(1, anchors), label, (len(label), 3, anchors)]
    return Case("_contrib_MultiBoxTarget", inputs, **attributes)


def at_least_two(anchor, label, cls_pred):
    """Two negative anchors, though there is one positive and a ratio of 0.5: those least like background."""
    power = np.exp(cls_pred.astype(np.float64))
    order = np.argsort((power[:, 0] / power.sum(1))[0], kind="stable")
    classes = np.full((1, 3), -1, np.float32)
    classes[0, 2] = 5
    classes[0, [n for n in order if n != 2]] = 0
    mask = np.zeros((1, 12), np.float32)
    mask[0, 8:] = 1
    return np.zeros((1, 12), np.float32), mask, classes


APART = np.array([[[0, 0, 0.1, 0.1], [0.2, 0.2, 0.3, 0.3], [0.6, 0.6, 0.9, 0.9]]], np.float32)
ONE = np.array([[[4, 0.6, 0.6, 0.9, 0.9], [-1] * 5]], np.float32)
targets = [target(labels(4, 2), overlap_threshold=t) for t in (0.5, 0.2, 0.0, -1.0)]
targets += [target(labels(3, 1, 0), negative_mining_ratio=r) for r in (0.1, 1.0, 2.5)]
targets += [
    target(labels(2, 4), negative_mining_ratio=1.0, negative_mining_thresh=0.9, overlap_threshold=0.3),
    target(labels(2, 4), negative_mining_ratio=1.0, ignore_label=-7.0, variances=(1.0, 0.5, 0.3, 2.0)),
    target(labels(2), ignore_label=3.0),
    target(labels(0, 0)),
    target(labels(2, 3, width=7), overlap_threshold=0.3),
    target(labels(1, most=1), anchors=1),
    target(labels(5, most=5), anchors=2, overlap_threshold=0.1),
    # MXNet on a CPU reads minimum_negative_samples nowhere
    Case(
        "_contrib_MultiBoxTarget",
        [APART, ONE, (1, 3, 3)],
        negative_mining_ratio=0.5,
        minimum_negative_samples=2,
    ).but(formula=at_least_two),
    # MXNet refuses what has fewer candidates than the ratio asks for
    Case(
        "_contrib_MultiBoxTarget",
        [APART, ONE, (1, 3, 3)],
        negative_mining_ratio=2.0,
        minimum_negative_samples=9,
    ).but(formula=at_least_two),
]

# ---- detections

PROBABILITIES = np.random.RandomState(7).permutation(2 * 4 * 9).reshape(2, 4, 9).astype(np.float32) / 72
EQUAL = np.round(PROBABILITIES * 4) / 4


def detection(cls_prob=PROBABILITIES, spread=0.5, **attributes):
    batch, _, anchors = cls_prob.shape
    loc_pred = np.random.RandomState(8).standard_normal((batch, anchors * 4)) * spread
    inputs = [cls_prob, loc_pred.astype(np.float32), boxes(1, anchors)]
    return Case("_contrib_MultiBoxDetection", inputs, **attributes)


def best_two(cls_prob, loc_pred, anchor):
    """The two best of three objects, which do not overlap, with anchors as their boxes."""
    rows = np.full((1, 3, 6), -1, np.float32)
    for row, n in zip(rows[0], (1, 2), strict=False):
        row[:] = [cls_prob[0, 1:, n].argmax(), cls_prob[0, 1:, n].max(), *anchor[0, n]]
    return rows


THREE = np.array([[[0.5, 0.1, 0.3], [0.1, 0.8, 0.1], [0.4, 0.1, 0.6]]], np.float32)
UNKNOWN = np.linspace(-1, 1, 12, dtype=np.float32)[None]
UNKNOWN[0, 4:7] = np.nan
detections = [detection(nms_threshold=t) for t in (0.5, 0.1, 0.3, 1.0)]
detections += [detection(nms_threshold=t) for t in (0.0, -1.0, 1.5)]
detections += [
    detection(nms_threshold=0.3, force_suppress=f, clip=c) for f in (False, True) for c in (False, True)
]
detections += [detection(threshold=t, nms_threshold=0.2) for t in (0.0, 0.6, 0.9, 2.0)]
detections += [detection(EQUAL, nms_threshold=0.2, force_suppress=f) for f in (False, True)]
detections += [
    detection(background_id=2),
    detection(variances=(1.0, 0.3, 0.2, 0.4)),
    detection(nms_topk=0),
    detection(nms_topk=20),
    detection(PROBABILITIES[:1, :2]),
    detection(PROBABILITIES[:, :1]),
    detection(-3 * PROBABILITIES, threshold=-5.0, nms_threshold=0.3),
    *(Case("_contrib_MultiBoxDetection", [THREE, UNKNOWN, APART], clip=c) for c in (True, False)),
    # MXNet leaves objects beyond nms_topk in the order that they were in, some of them twice
    Case("_contrib_MultiBoxDetection", [THREE, np.zeros((1, 12), np.float32), APART], nms_topk=2).but(
        formula=best_two
    ),
]

CASES = [*priors, *targets, *detections]
