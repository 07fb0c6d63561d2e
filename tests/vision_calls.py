"""Random calls of detection, region and image operators, for real MXNet and for this project alike.

A call is drawn from its operator's name and a seed: attributes, sizes, ties, degenerate boxes, boxes outside
of the image. What MXNet gets wrong (tests/oracle/FACTS.md) is never drawn.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

SEEDS = range(6)
"""The seeds of the stored results."""
FURTHER = range(100, 140)
"""The seeds that are compared where real MXNet is at hand."""
FORWARD = ("contrib.RROIAlign", "contrib.ModulatedDeformableConvolution")
"""MXNet has no gradient of these on a CPU."""


class Call(NamedTuple):
    """An operator by its path in `nd`, its arrays in float32 and its attributes."""

    op: str
    arrays: list[np.ndarray]
    attributes: dict[str, Any]


class Dice:
    """Draws of one seed."""

    def __init__(self, *seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def one(self, *values: Any) -> Any:
        """One of the values."""
        return values[self.rng.integers(len(values))]

    def some(self, **attributes: tuple[Any, ...]) -> dict[str, Any]:
        """Some of the attributes, each with one of its values."""
        return {name: self.one(*values) for name, values in attributes.items() if self.rng.random() < 0.6}

    def normal(self, *shape: int) -> np.ndarray:
        """Normal draws, of which some are multiples of a half, so that there are ties."""
        x = self.rng.normal(0, 1, shape)
        return np.round(x * 2) / 2 if self.rng.random() < 0.3 else x

    def uniform(self, *shape: int) -> np.ndarray:
        """Uniform draws from [0, 1)."""
        return self.rng.random(shape)

    def boxes(self, *shape: int, center: bool = False) -> np.ndarray:
        """Boxes in the unit square and beside it, of which some have no size."""
        low = self.rng.uniform(0, 0.9, (*shape, 2))
        size = self.rng.uniform(0.02, 0.6, (*shape, 2)) * (self.rng.random((*shape, 1)) > 0.05)
        boxes = np.concatenate([low, size if center else low + size], -1)
        return np.round(boxes * 8) / 8 if self.rng.random() < 0.3 else boxes

    def regions(self, count: int, batch: int, height: int, width: int, scale: float) -> np.ndarray:
        """Regions (count, 5) of images, as far as outside of them."""
        low = self.rng.uniform(-0.3, 0.9, (count, 2))
        corners = np.concatenate([low, low + self.rng.uniform(0.05, 0.8, (count, 2))], 1)
        numbers = self.rng.integers(0, batch, (count, 1))
        return np.concatenate([numbers, corners * np.array([width, height] * 2) / scale], 1)


def _suppression(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    shape = dice.one((7,), (1, 9), (2, 12), (2, 2, 6))
    formats = {"in_format": dice.one("corner", "center"), "out_format": dice.one("corner", "center")}
    classes = {"id_index": dice.one(0, 0, -1), **dice.some(background_id=(-1, 0, 1))}
    score, box = dice.uniform(*shape, 1), dice.boxes(*shape, center=formats["in_format"] == "center")
    score = np.round(score * 8) / 8 if dice.one(True, False) else score
    label = dice.rng.integers(-1, 3, (*shape, 1))
    attributes = dice.some(
        overlap_thresh=(0.0, 0.3, 0.7, 1.0),
        valid_thresh=(0.0, 0.3, -1.0),
        topk=(-1, 3, 50, 0),
        force_suppress=(True, False, 1, "0"),
    )
    return [np.concatenate([label, score, box], -1)], {**formats, **classes, **attributes}


def _overlap(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    box_format = dice.one("corner", "center")
    shapes = dice.one((1,), (3,), (2, 3)), dice.one((1,), (4,), (2, 2))
    return [dice.boxes(*s, center=box_format == "center") for s in shapes], {"format": box_format}


def _matching(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    scores = dice.normal(*dice.one((), (2,), (2, 2)), dice.one(1, 3, 6), dice.one(1, 4))
    return [scores], {"threshold": dice.one(0.1, -0.5, 1e-12), **dice.some(is_ascend=(True, False))}


def _encoding(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    batch, anchors, objects = dice.one(1, 2), dice.one(1, 6), dice.one(1, 4)
    samples = dice.rng.integers(-1, 2, (batch, anchors))
    matches = dice.rng.integers(0, objects, (batch, anchors)) + dice.one(0, 0.7)
    boxes = [np.abs(dice.boxes(batch, n)) + [0, 0, 0.1, 0.1] for n in (anchors, objects)]
    return [samples, matches, *boxes, dice.normal(4), 0.1 + dice.uniform(4)], {}


def _decoding(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    attributes = dice.some(std0=(0.1, 2), std2=(0.2, "0.5"), clip=(-1, 0.3, 2.0), format=("corner", "center"))
    count = dice.one(1, 6)
    return [dice.normal(dice.one(1, 3), count, 4), dice.boxes(1, count)], attributes


def _prior(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    attributes = dice.some(
        sizes=((0.5,), [0.2, 0.7], "(1, 0.3)", 0.4),
        ratios=((1, 2, 0.5), [3.0], "(1,)"),
        clip=(True, 0),
        steps=((0.3, 0.2), (-1, -1), (0, 0.5)),
        offsets=((0.0, 1.0), (0.3, 0.7)),
    )
    return [dice.uniform(1, 1, dice.one(1, 3, 4), dice.one(1, 5))], attributes


def _target(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    batch, anchors, objects = dice.one(1, 2), dice.one(1, 5, 12), dice.one(1, 3)
    label = np.concatenate([dice.rng.integers(0, 3, (batch, objects, 1)), dice.boxes(batch, objects)], -1)
    for rows in label:
        rows[dice.rng.integers(0, objects + 2) :] = -1
    attributes = dice.some(
        overlap_threshold=(0.5, 0.1, 0, -1),
        ignore_label=(-1, 7.5),
        negative_mining_ratio=(0.5, -1),
        negative_mining_thresh=(1, 2),
        variances=((1, 1, 1, 1), (0.1, 0.2, 0.3, 0.4)),
    )
    return [dice.boxes(1, anchors) + [0, 0, 0.1, 0.1], label, dice.normal(batch, 4, anchors)], attributes


def _detection(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    batch, classes, anchors = dice.one(1, 2), dice.one(1, 2, 4), dice.one(1, 4, 12)
    attributes = dice.some(
        clip=(True, False),
        threshold=(0.01, 0.5, -2),
        nms_threshold=(0.1, 0.7, 0, 1.5),
        force_suppress=(True, False),
        variances=((1, 1, 1, 1), (0.1, 0.2, 0.3, 0.4)),
    )
    scores = dice.rng.permutation(batch * classes * anchors).reshape(batch, classes, anchors)
    return [scores / scores.size, dice.normal(batch, anchors * 4), dice.boxes(1, anchors)], attributes


def _proposals(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    return _proposed(dice, 1)


def _several_proposals(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    return _proposed(dice, dice.one(1, 3))


def _proposed(dice: Dice, batch: int) -> tuple[list[np.ndarray], dict[str, Any]]:
    scales, ratios, stride = dice.one((8.0,), (2.0, 4.0)), dice.one((1.0,), (0.5, 2)), dice.one(16, 8, 4)
    anchors, height, width = len(scales) * len(ratios), dice.one(1, 3, 5), dice.one(2, 4)
    sizes = [height * stride - dice.rng.integers(0, stride), width * stride, dice.one(1, 0.5, 2)]
    attributes = dice.some(
        rpn_pre_nms_top_n=(5, 20, 0),
        threshold=(0.3, 0.7, 1),
        rpn_min_size=(0, 4, 100),
        output_score=(True, False),
        iou_loss=(True, False),
    )
    fixed = {
        "scales": scales,
        "ratios": ratios,
        "feature_stride": stride,
        "rpn_post_nms_top_n": dice.one(1, 9),
    }
    scores = dice.uniform(batch, 2 * anchors, height, width)
    moves = dice.rng.normal(0, 0.3, (batch, 4 * anchors, height, width))
    return [scores, moves, np.array([sizes] * batch)], {**fixed, **attributes}


def _images(dice: Dice, channels: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Images, regions of them, and their scale."""
    batch, height, width, scale = dice.one(1, 2), dice.one(1, 5, 7), dice.one(2, 6), dice.one(1.0, 0.5, 0.3)
    rois = dice.regions(dice.one(1, 4), batch, height, width, scale)
    return dice.normal(batch, channels, height, width), rois, scale


def _pooling(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    images, rois, scale = _images(dice, dice.one(1, 2))
    return [images, rois], {"pooled_size": dice.one((2, 3), [1, 1], "(4, 2)"), "spatial_scale": scale}


def _aligned(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    images, rois, scale = _images(dice, dice.one(4, 8))
    attributes = dice.some(sample_ratio=(-1, 0, 1, 3), position_sensitive=(True,), aligned=(True,))
    return [images, rois], {"pooled_size": (2, 2), "spatial_scale": scale, **attributes}


def _rotated(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    images, rois, scale = _images(dice, 2)
    rois[:, 3:] -= rois[:, 1:3]
    angles = dice.rng.uniform(-200, 400, (len(rois), 1))
    attributes = {"pooled_size": dice.one((2, 3), (1, 2)), "spatial_scale": scale}
    return [images, np.concatenate([rois, angles], 1)], {**attributes, **dice.some(sampling_ratio=(1, 2, -1))}


def _by_position(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    output, bins, groups = dice.one(1, 2), dice.one(1, 3), dice.one(0, 2)
    images, rois, scale = _images(dice, output * (groups or bins) ** 2)
    attributes = {"spatial_scale": scale, "output_dim": output, "pooled_size": bins}
    return [images, rois], {**attributes, "group_size": groups} if groups else attributes


def _moved(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    output, bins, groups, parts = dice.one(1, 2), dice.one(1, 3), dice.one(1, 2), dice.one(0, 2)
    images, rois, scale = _images(dice, output * groups**2)
    attributes = {"spatial_scale": scale, "output_dim": output, "pooled_size": bins, "group_size": groups}
    attributes |= {"part_size": parts, **dice.some(sample_per_part=(2, 4), trans_std=(0, 0.1, 0.5))}
    if dice.one(True, False, False):
        return [images, rois], {**attributes, "no_trans": True}
    return [images, rois, dice.normal(len(rois), 2 * output, parts or bins, parts or bins)], attributes


def _deformed(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    return _convolved(dice, masked=False)


def _modulated(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    return _convolved(dice, masked=True)


def _convolved(dice: Dice, masked: bool) -> tuple[list[np.ndarray], dict[str, Any]]:
    batch, size, kernel = dice.one(1, 2), (dice.one(4, 6), 5), (dice.one(1, 3), dice.one(1, 2))
    stride, pad, dilate = (1, dice.one(1, 2)), (dice.one(0, 1), 1), (1, dice.one(1, 2))
    groups, moving = dice.one(1, 2), dice.one(1, 2)
    parts = zip(size, pad, dilate, kernel, stride, strict=True)
    out = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in parts]
    elements = moving * kernel[0] * kernel[1]
    arrays = [dice.normal(batch, 4, *size), dice.one(0.5, 3) * dice.normal(batch, 2 * elements, *out)]
    arrays += [dice.uniform(batch, elements, *out)] if masked else []
    arrays += [dice.normal(2 * groups, 4 // groups, *kernel)]
    attributes = {"kernel": kernel, "stride": stride, "pad": pad, "dilate": dilate, "num_filter": 2 * groups}
    attributes |= {"num_group": groups, "num_deformable_group": moving, "no_bias": dice.one(True, False)}
    return arrays + ([] if attributes["no_bias"] else [dice.normal(2 * groups)]), attributes


def _sampled(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    batch = dice.one(1, 2)
    grid = dice.rng.uniform(-1.3, 1.3, (batch, 2, dice.one(1, 4), 3)) * dice.one(1, 1, 1e12)
    return [dice.normal(batch, 2, dice.one(1, 2, 5), dice.one(2, 4)), grid], {}


def _transformed(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    batch, shape = dice.one(1, 2), dice.one((2, 3), [4, 2], "(3, 3)")
    loc = np.array([1, 0, 0, 0, 1, 0]) + 0.5 * dice.rng.normal(0, 1, (batch, 6))
    attributes = {"target_shape": shape, "transform_type": "affine", "sampler_type": "bilinear"}
    return [dice.normal(batch, 2, dice.one(2, 5), dice.one(2, 4)), loc], attributes


def _correlated(dice: Dice) -> tuple[list[np.ndarray], dict[str, Any]]:
    shape = (dice.one(1, 2), dice.one(1, 3), dice.one(5, 7), 6)
    attributes = dice.some(
        kernel_size=(1, 3),
        max_displacement=(0, 1, 2),
        stride1=(1, 2),
        stride2=(1, 2),
        is_multiply=(True, False),
    )
    return [dice.normal(*shape), dice.normal(*shape)], {"pad_size": dice.one(2, 3), **attributes}


DRAWS: dict[str, Callable[[Dice], tuple[list[np.ndarray], dict[str, Any]]]] = {
    "contrib.box_nms": _suppression,
    "contrib.box_iou": _overlap,
    "contrib.bipartite_matching": _matching,
    "contrib.box_encode": _encoding,
    "contrib.box_decode": _decoding,
    "contrib.MultiBoxPrior": _prior,
    "contrib.MultiBoxTarget": _target,
    "contrib.MultiBoxDetection": _detection,
    "contrib.Proposal": _proposals,
    "contrib.MultiProposal": _several_proposals,
    "ROIPooling": _pooling,
    "contrib.ROIAlign": _aligned,
    "contrib.RROIAlign": _rotated,
    "contrib.PSROIPooling": _by_position,
    "contrib.DeformablePSROIPooling": _moved,
    "contrib.DeformableConvolution": _deformed,
    "contrib.ModulatedDeformableConvolution": _modulated,
    "BilinearSampler": _sampled,
    "SpatialTransformer": _transformed,
    "Correlation": _correlated,
}


def drawn(op: str, seed: int) -> Call:
    """The call of an operator with a seed."""
    arrays, attributes = DRAWS[op](Dice(zlib.crc32(op.encode()), seed))
    return Call(op, [np.asarray(a, np.float32) for a in arrays], attributes)


def run(F: Any, call: Call, inputs: list[Any]) -> list[Any]:
    """The outputs of a call in `nd` or `sym`."""
    function = F
    for part in call.op.split("."):
        function = getattr(function, part)
    outputs = function(*inputs, **call.attributes)
    return list(outputs) if isinstance(outputs, list | tuple) else [outputs]


def results(mx: Any, call: Call, function: Callable[..., list[Any]] | None = None) -> dict[str, np.ndarray]:
    """Outputs, and for fixed head gradients the gradients, of a call or of what does the same."""
    inputs = [mx.nd.array(a) for a in call.arrays]
    differentiable = call.op not in FORWARD
    for x in inputs if differentiable else []:
        x.attach_grad()
    with mx.autograd.record():
        outputs = run(mx.nd, call, inputs) if function is None else function(*inputs)
    arrays = {f"out.{i}": y.asnumpy() for i, y in enumerate(outputs)}
    if differentiable:
        heads = [mx.nd.array(np.random.default_rng(i).normal(size=y.shape)) for i, y in enumerate(outputs)]
        mx.autograd.backward(outputs, heads)
        arrays |= {f"grad.{i}": x.grad.asnumpy() for i, x in enumerate(inputs)}
    return arrays


def every(mx: Any, seeds: range) -> Iterator[tuple[str, np.ndarray]]:
    """The results of all operators by `OP.SEED.KIND`."""
    for op in DRAWS:
        for seed in seeds:
            for kind, array in results(mx, drawn(op, seed)).items():
                yield f"{op}.{seed}.{kind}", array
