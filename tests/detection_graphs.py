"""Detection heads as torchvision's models are exported: what is selected depends on values."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

from tests.drafts import Draft

CLASSES = 3


def _columns(d, x, count=4):
    return [d.node("Gather", x, i, axis=1) for i in range(count)]


def _number(d, value):
    return d.const(value, "float32")


def _joined(d, columns):
    return d.node("Concat", *(d.node("Unsqueeze", c, [1]) for c in columns), axis=1)


def decoded(d, deltas, anchors):
    """Corners from offsets and logarithms of scales, relative to corners."""
    left, top, right, bottom = _columns(d, anchors)
    width, height = d.node("Sub", right, left), d.node("Sub", bottom, top)
    dx, dy, dw, dh = _columns(d, deltas)
    corners = []
    for start, size, shift, scale in ((left, width, dx, dw), (top, height, dy, dh)):
        middle = d.node("Add", start, d.node("Mul", size, _number(d, 0.5)))
        middle = d.node("Add", middle, d.node("Mul", shift, size))
        limited = d.node("Clip", scale, "", _number(d, 4.135))
        half = d.node("Mul", d.node("Mul", d.node("Exp", limited), size), _number(d, 0.5))
        corners.append((d.node("Sub", middle, half), d.node("Add", middle, half)))
    return _joined(d, [pair[i] for i in range(2) for pair in corners])


def inside(d, boxes, image):
    """Boxes cut off at the edges of the image."""
    limits = [d.node("Cast", d.size(image, axis), to=TensorProto.FLOAT) for axis in (3, 2, 3, 2)]
    low = [d.node("Max", x, _number(d, 0.0)) for x in _columns(d, boxes)]
    return _joined(d, [d.node("Min", x, limit) for x, limit in zip(low, limits, strict=True)])


def where(d, condition):
    """The indices where a condition holds."""
    return d.node("Squeeze", d.node("NonZero", condition), [0])


def first(d, values, most):
    """The best values, at most so many of them, and where they stand."""
    count = d.node("Concat", d.const([most]), d.node("Shape", values), axis=0)
    k = d.node("Reshape", d.node("ReduceMin", count, keepdims=0), [-1])
    return d.node("TopK", values, k, axis=0, outputs=2)


def suppressed(d, boxes, scores, labels, threshold=0.5):
    """What stays of the boxes of each class: the classes are set apart by offsets."""
    farthest = d.node("Add", d.node("ReduceMax", boxes, keepdims=0), _number(d, 1.0))
    offsets = d.node("Mul", d.node("Cast", labels, to=TensorProto.FLOAT), farthest)
    apart = d.node("Add", boxes, d.node("Unsqueeze", offsets, [1]))
    rows = d.node(
        "NonMaxSuppression",
        d.node("Unsqueeze", apart, [0]),
        d.node("Unsqueeze", scores, [0, 1]),
        d.const([2**63 - 1]),
        d.const([threshold], "float32"),
    )
    return d.node("Squeeze", d.node("Gather", rows, d.const([2]), axis=1), [1])


def one_stage():
    """RetinaNet's: the best of all scores over a threshold, their classes, boxes and suppression."""
    d = Draft(17, image=[1, 3, "H", "W"], logits=["A", CLASSES], deltas=["A", 4], anchors=["A", 4])
    scores = d.node("Reshape", d.node("Sigmoid", "logits"), [-1])
    chosen = where(d, d.node("Greater", scores, _number(d, 0.5)))
    values, places = first(d, d.node("Gather", scores, chosen), 20)
    indices = d.node("Gather", chosen, places)
    rows, labels = d.node("Div", indices, CLASSES), d.node("Mod", indices, CLASSES)
    boxes = decoded(d, d.node("Gather", "deltas", rows), d.node("Gather", "anchors", rows))
    boxes = inside(d, boxes, "image")
    keep = d.node("Slice", suppressed(d, boxes, values, labels), [0], [7], [0])
    return d.model(*(d.node("Gather", x, keep, axis=0) for x in (boxes, values, labels)))


def proposals():
    """The region proposals of Faster R-CNN: the best of each image, no small ones, suppression."""
    d = Draft(13, image=["N", 3, "H", "W"], logits=["N", "A"], deltas=["N", "A", 4], anchors=["A", 4])
    count = d.node("Concat", d.const([12]), d.node("Unsqueeze", d.size("logits", 1), [0]), axis=0)
    k = d.node("Reshape", d.node("ReduceMin", count, keepdims=0), [1])
    _, places = d.node("TopK", "logits", k, axis=1, outputs=2)
    index = d.node("Gather", places, 0, axis=0)
    score = d.node("Sigmoid", d.node("Gather", d.node("Gather", "logits", 0, axis=0), index))
    delta = d.node("Gather", d.node("Gather", "deltas", 0, axis=0), index)
    boxes = inside(d, decoded(d, delta, d.node("Gather", "anchors", index)), "image")
    left, top, right, bottom = _columns(d, boxes)
    large = d.node(
        "And",
        d.node("Greater", d.node("Sub", right, left), _number(d, 0.1)),
        d.node("Greater", d.node("Sub", bottom, top), _number(d, 0.1)),
    )
    keep = where(d, large)
    boxes, score = d.node("Gather", boxes, keep), d.node("Gather", score, keep)
    levels = d.node(
        "ConstantOfShape", d.node("Shape", score), value=helper.make_tensor("v", TensorProto.INT64, [1], [0])
    )
    keep = suppressed(d, boxes, score, levels, 0.7)
    best = d.node("Slice", keep, [0], d.node("Reshape", d.node("Min", d.size("logits", 1), 5), [1]), [0])
    return d.model(d.node("Gather", boxes, best), d.node("Gather", score, best))


def classes_of_images():
    """What SSD and YOLO have: all images and classes at once, as many boxes as there are, but at most 5."""
    d = Draft(18, logits=["N", "A", CLASSES], deltas=["N", "A", 4], anchors=["A", 4])
    boxes = d.node("Add", "anchors", d.node("Mul", "deltas", _number(d, 0.1)))
    scores = d.node("Transpose", d.node("Sigmoid", "logits"), perm=[0, 2, 1])
    most = d.node("Min", d.node("Unsqueeze", d.size("deltas", 1), [0]), [5])
    limits = [d.const([value], "float32") for value in (0.4, 0.5)]
    rows = d.node("NonMaxSuppression", boxes, scores, most, *limits)
    chosen = d.node("GatherND", boxes, d.node("Gather", rows, d.const([0, 2]), axis=1))
    count = d.node("Slice", d.node("Shape", rows), [0], [1])
    values = d.node("GatherND", scores, rows)
    best, places = d.node("TopK", values, d.node("Min", count, [3]), outputs=2)
    return d.model(rows, chosen, best, d.node("Gather", chosen, places), count)


HEADS = {head.__name__: head for head in (one_stage, proposals, classes_of_images)}


def inputs(model, sizes, seed=0, shift=0.0):
    """Random inputs; `shift` is added to the logits."""
    rng = np.random.default_rng(seed)
    shapes = {
        item.name: [
            sizes[d.dim_param] if d.dim_param else d.dim_value for d in item.type.tensor_type.shape.dim
        ]
        for item in model.graph.input
    }
    arrays = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    corner = rng.uniform(0, 20, (sizes["A"], 2))
    arrays["anchors"] = np.concatenate(
        [corner, corner + rng.uniform(4, 12, corner.shape)], 1, dtype=np.float32
    )
    arrays["logits"] += np.float32(shift)
    return arrays
