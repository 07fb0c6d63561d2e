"""Detection with mx.np: boxes, anchors, matching, suppression by hand, and a small SSD that trains."""

import numpy as onp
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn

npx.set_np()


def corner_to_center(boxes):
    x1, y1, x2, y2 = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
    return np.stack(((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1), axis=-1)


def center_to_corner(boxes):
    cx, cy, w, h = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
    return np.stack((cx - 0.5 * w, cy - 0.5 * h, cx + 0.5 * w, cy + 0.5 * h), axis=-1)


def anchors_of(data, sizes, ratios):
    height, width = data.shape[-2:]
    ctx, per_pixel = data.ctx, len(sizes) + len(ratios) - 1
    size, ratio = np.array(sizes, ctx=ctx), np.array(ratios, ctx=ctx)
    center_h = (np.arange(height, ctx=ctx) + 0.5) / height
    center_w = (np.arange(width, ctx=ctx) + 0.5) / width
    shift_x, shift_y = np.meshgrid(center_w, center_h)
    shift_x, shift_y = shift_x.reshape(-1), shift_y.reshape(-1)
    w = np.concatenate((size * np.sqrt(ratio[0]), sizes[0] * np.sqrt(ratio[1:]))) * height / width
    h = np.concatenate((size / np.sqrt(ratio[0]), sizes[0] / np.sqrt(ratio[1:])))
    sides = np.tile(np.stack((-w, -h, w, h)).T, (height * width, 1)) / 2
    centers = np.stack([shift_x, shift_y, shift_x, shift_y], axis=1).repeat(per_pixel, axis=0)
    return np.expand_dims(centers + sides, axis=0)


def iou(boxes1, boxes2):
    def area(boxes):
        return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])

    upper = np.maximum(boxes1[:, None, :2], boxes2[:, :2])
    lower = np.minimum(boxes1[:, None, 2:], boxes2[:, 2:])
    sides = (lower - upper).clip(min=0)
    inter = sides[:, :, 0] * sides[:, :, 1]
    return inter / (area(boxes1)[:, None] + area(boxes2) - inter)


def match(truth, anchors, threshold=0.5):
    jaccard = iou(anchors, truth)
    indices = np.argmax(jaccard, axis=1)
    matched = np.full((anchors.shape[0],), -1, dtype=np.int32)
    best = np.max(jaccard, axis=1)
    rows = np.nonzero(best >= threshold)[0]
    matched[rows] = indices[rows].astype("int32")
    for _ in range(truth.shape[0]):
        top = np.argmax(jaccard)
        box, anchor = (top % truth.shape[0]).astype("int32"), (top / truth.shape[0]).astype("int32")
        matched[anchor] = box
        jaccard[:, box] = -1
        jaccard[anchor, :] = -1
    return matched


def nms(boxes, scores, threshold):
    order, keep = scores.argsort()[::-1], []
    while order.size > 0:
        i = order[0]
        keep.append(i)
        if order.size == 1:
            break
        overlap = iou(boxes[i, :].reshape(-1, 4), boxes[order[1:], :].reshape(-1, 4)).reshape(-1)
        rows = np.nonzero(overlap <= threshold)[0]
        order = order[rows + 1]
    return np.array(keep, dtype=np.int32)


boxes = np.array([[0.1, 0.08, 0.52, 0.92], [0.55, 0.2, 0.9, 0.88]])
show("center", corner_to_center(boxes))
show("and back", center_to_corner(corner_to_center(boxes)) - boxes)
X = np.array(draw("X", (1, 3, 4, 6), 1))
made = anchors_of(X, [0.75, 0.5, 0.25], [1, 2, 0.5])
show("anchors", made[0, :7])
show("of the operator", npx.multibox_prior(X, sizes=[0.75, 0.5, 0.25], ratios=[1, 2, 0.5])[0, :7])
truth = np.array([[0, 0.1, 0.08, 0.52, 0.92], [1, 0.55, 0.2, 0.9, 0.88]])
anchors = np.array(
    [[0, 0.1, 0.2, 0.3], [0.15, 0.2, 0.4, 0.4], [0.63, 0.05, 0.88, 0.98], [0.66, 0.45, 0.8, 0.8]]
)
anchors = np.concatenate([anchors, np.array([[0.57, 0.3, 0.92, 0.9]])])
show("iou", iou(anchors, truth[:, 1:]))
print(match(truth[:, 1:], anchors).tolist())
labels = npx.multibox_target(
    np.expand_dims(anchors, 0), np.expand_dims(truth, 0), np.array(draw("cls", (1, 3, 5)))
)
for name, value in zip(("offsets", "mask", "classes"), labels):
    show(name, value)
scores = np.array([[0] * 5, [0.9, 0.8, 0.7, 0.1, 0.3], [0.1, 0.2, 0.3, 0.9, 0.6]])
near = np.array([[0.1, 0.08, 0.52, 0.92], [0.08, 0.2, 0.56, 0.95], [0.15, 0.3, 0.62, 0.91]])
near = np.concatenate([near, np.array([[0.55, 0.2, 0.9, 0.88], [0.5, 0.3, 0.85, 0.8]])])
print(nms(near, scores[1], 0.5).tolist())
show(
    "kept",
    npx.multibox_detection(
        np.expand_dims(scores, 0), np.zeros((1, 20)), np.expand_dims(near, 0), nms_threshold=0.5
    ),
)


class TinySSD(nn.Block):
    def __init__(self, classes, **kwargs):
        super().__init__(**kwargs)
        self.classes = classes
        for i in range(3):
            block = nn.Sequential()
            block.add(
                nn.Conv2D(4 + 2 * i, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(2)
            )
            setattr(self, "blk_%d" % i, block)
            setattr(self, "cls_%d" % i, nn.Conv2D(4 * (classes + 1), kernel_size=3, padding=1))
            setattr(self, "bbox_%d" % i, nn.Conv2D(4 * 4, kernel_size=3, padding=1))

    def forward(self, X):
        anchors, classes, offsets = [], [], []
        for i in range(3):
            X = getattr(self, "blk_%d" % i)(X)
            anchors.append(npx.multibox_prior(X, sizes=[0.2 + 0.2 * i, 0.3 + 0.2 * i], ratios=[1, 2, 0.5]))
            classes.append(npx.batch_flatten(getattr(self, "cls_%d" % i)(X).transpose(0, 2, 3, 1)))
            offsets.append(npx.batch_flatten(getattr(self, "bbox_%d" % i)(X).transpose(0, 2, 3, 1)))
        classes = np.concatenate(classes, axis=1)
        classes = classes.reshape(classes.shape[0], -1, self.classes + 1)
        return np.concatenate(anchors, axis=1), classes, np.concatenate(offsets, axis=1)


rng = onp.random.RandomState(0)
images, marks = rng.uniform(0, 0.2, (8, 3, 32, 32)).astype("float32"), onp.zeros((8, 1, 5), "float32")
for i in range(8):
    x, y, side = rng.randint(0, 16), rng.randint(0, 16), rng.randint(8, 16)
    images[i, i % 2, y : y + side, x : x + side] += 1
    marks[i, 0] = [i % 2, x / 32, y / 32, (x + side) / 32, (y + side) / 32]
images, marks = np.array(images), np.array(marks)
net = TinySSD(2)
net.initialize(Seeded(0.2))
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2, "wd": 5e-4})
cls_loss, bbox_loss = gluon.loss.SoftmaxCrossEntropyLoss(), gluon.loss.L1Loss()
curve, errors = [], []
for _ in range(6):
    with autograd.record():
        anchors, cls_preds, bbox_preds = net(images)
        labels, masks, targets = npx.multibox_target(anchors, marks, cls_preds.transpose(0, 2, 1))
        l = cls_loss(cls_preds, targets) + bbox_loss(bbox_preds * masks, labels * masks)
    l.backward()
    trainer.step(8)
    curve.append(float(l.mean()))
    errors.append(float(np.abs((labels - bbox_preds) * masks).sum()))
show("ssd", curve)
show("box errors", errors)
anchors, cls_preds, bbox_preds = net(images[:1])
output = npx.multibox_detection(npx.softmax(cls_preds).transpose(0, 2, 1), bbox_preds, anchors)
rows = [i for i, row in enumerate(output[0]) if row[0] != -1]
print(len(rows) > 0, output.shape)
show("detected", output[0, rows[0]])
