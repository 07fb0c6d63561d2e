"""Cases of region proposals."""

from __future__ import annotations

import numpy as np

from hybridonnx.test_utils import Case


def proposals(name="MultiProposal", batch=2, pixels=(4, 5), enlarged=1.0, spread=0.3, seed=0, **attributes):
    """Predictions with scores of which no two are alike; images end within the last pixels."""
    options = {"scales": (2.0, 4.0), "ratios": (0.5, 1.0), "feature_stride": 8, "rpn_post_nms_top_n": 12}
    options |= {"rpn_min_size": 4, **attributes}
    anchors = len(options["scales"]) * len(options["ratios"])
    rng, shape = np.random.RandomState(seed), (batch, 2 * anchors, *pixels)
    prob = rng.permutation(int(np.prod(shape))).reshape(shape) / np.prod(shape)
    pred = rng.standard_normal((batch, 4 * anchors, *pixels)) * spread
    stride = options["feature_stride"]
    info = [[pixels[0] * stride - 3 * n, pixels[1] * stride - 9 * n, enlarged] for n in range(batch)]
    inputs = [np.asarray(array, np.float32) for array in (prob, pred, info)]
    return Case(f"_contrib_{name}", inputs, **options)


CASES = [proposals(threshold=t) for t in (0.3, 0.5, 0.7, 0.95)]
CASES += [
    proposals(rpn_pre_nms_top_n=n, rpn_post_nms_top_n=m) for n, m in ((-1, 20), (0, 3), (6, 10), (30, 1))
]
CASES += [proposals(rpn_min_size=n, enlarged=e, spread=0.6) for n in (0, 8) for e in (0.5, 1.0, 2.0)]
CASES += [proposals(iou_loss=True, spread=s, output_score=o) for s in (0.5, 5.0) for o in (True, False)]
CASES += [
    proposals(output_score=True),
    proposals(scales=(1.0,), ratios=(2.0, 0.3, 1.0), feature_stride=5, threshold=0.6),
    proposals(batch=1, pixels=(1, 1), output_score=True),
    proposals(batch=3, pixels=(2, 7), seed=4, threshold=0.4, output_score=True),
    proposals("Proposal", 1, output_score=True),
    proposals("Proposal", 1, threshold=0.4, rpn_pre_nms_top_n=25, rpn_post_nms_top_n=30),
    proposals("Proposal", 1, (3, 2), iou_loss=True, spread=4.0, rpn_min_size=0),
    proposals(
        "Proposal", 1, (2, 2), scales=(4.0, 8.0, 16.0, 32.0), ratios=(0.5, 1.0, 2.0), feature_stride=16
    ),
]
