"""Imports of bounding boxes."""

from __future__ import annotations

from typing import Any

from ._registry import Const, imports
from .reshape import ints


@imports("NonMaxSuppression", versions=(10, 11))
def non_max_suppression(
    F: Any,
    boxes: Any,
    scores: Any,
    max_output_boxes_per_class: Const | None = None,
    iou_threshold: Const | None = None,
    score_threshold: Const | None = None,
    *,
    center_point_box: int = 0,
) -> Any:
    """An operator of ours, as the number of boxes depends on values."""
    most = 0 if max_output_boxes_per_class is None else int(ints(max_output_boxes_per_class)[0])
    return F._non_max_suppression(
        boxes,
        scores,
        format="center" if center_point_box else "corner",
        most=most,
        iou_threshold=0.0 if iou_threshold is None else float(iou_threshold.item()),
        score_threshold=None if score_threshold is None else float(score_threshold.item()),
    )
