"""Detection: anchors, intersections over unions, targets with hard negatives, training of a tiny SSD, NMS."""

import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, contrib, gluon, nd
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn

rng = np.random.RandomState(0)


def scene():
    image = rng.uniform(0, 0.3, (3, 32, 32))
    x, y, w, h = rng.randint(0, 16), rng.randint(0, 16), rng.randint(8, 16), rng.randint(8, 16)
    kind = rng.randint(0, 2)
    image[kind, y : y + h, x : x + w] += 0.7
    return image, [kind, x / 32, y / 32, (x + w) / 32, (y + h) / 32]


scenes = [scene() for _ in range(16)]
images = nd.array([image for image, _ in scenes])
boxes = nd.array([[box] for _, box in scenes])

sizes = [[0.2, 0.272], [0.37, 0.447], [0.6, 0.7]]
ratios = [[1, 2, 0.5]] * 3
num_anchors = len(sizes[0]) + len(ratios[0]) - 1
num_classes = 2


def cls_predictor(num_anchors, num_classes):
    return nn.Conv2D(num_anchors * (num_classes + 1), kernel_size=3, padding=1)


def bbox_predictor(num_anchors):
    return nn.Conv2D(num_anchors * 4, kernel_size=3, padding=1)


def flatten_pred(pred):
    return pred.transpose((0, 2, 3, 1)).flatten()


def concat_preds(preds):
    return nd.concat(*[flatten_pred(p) for p in preds], dim=1)


def down_sample_blk(num_channels):
    blk = nn.Sequential()
    for _ in range(2):
        blk.add(nn.Conv2D(num_channels, kernel_size=3, padding=1))
        blk.add(nn.BatchNorm(in_channels=num_channels), nn.Activation("relu"))
    blk.add(nn.MaxPool2D(2))
    return blk


def blk_forward(X, blk, size, ratio, cls_predictor, bbox_predictor):
    Y = blk(X)
    anchors = contrib.ndarray.MultiBoxPrior(Y, sizes=size, ratios=ratio)
    return (Y, anchors, cls_predictor(Y), bbox_predictor(Y))


class TinySSD(nn.Block):
    def __init__(self, num_classes, **kwargs):
        super(TinySSD, self).__init__(**kwargs)
        self.num_classes = num_classes
        for i in range(3):
            setattr(self, "blk_%d" % i, down_sample_blk(6 + 2 * i) if i < 2 else nn.GlobalMaxPool2D())
            setattr(self, "cls_%d" % i, cls_predictor(num_anchors, num_classes))
            setattr(self, "bbox_%d" % i, bbox_predictor(num_anchors))

    def forward(self, X):
        anchors, cls_preds, bbox_preds = [None] * 3, [None] * 3, [None] * 3
        for i in range(3):
            X, anchors[i], cls_preds[i], bbox_preds[i] = blk_forward(
                X,
                getattr(self, "blk_%d" % i),
                sizes[i],
                ratios[i],
                getattr(self, "cls_%d" % i),
                getattr(self, "bbox_%d" % i),
            )
        return (
            nd.concat(*anchors, dim=1),
            concat_preds(cls_preds).reshape((0, -1, self.num_classes + 1)),
            concat_preds(bbox_preds),
        )


cls_loss = gloss.SoftmaxCrossEntropyLoss()
bbox_loss = gloss.L1Loss()


def calc_loss(cls_preds, cls_labels, bbox_preds, bbox_labels, bbox_masks):
    cls = cls_loss(cls_preds, cls_labels)
    bbox = bbox_loss(bbox_preds * bbox_masks, bbox_labels * bbox_masks)
    return cls + bbox


net = TinySSD(num_classes=2)
net.initialize(init=Seeded(0.2))
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "wd": 5e-4})
curve, errors = [], []
for step in range(12):
    i = step % 2 * 8
    X, Y = images[i : i + 8], boxes[i : i + 8]
    with autograd.record():
        anchors, cls_preds, bbox_preds = net(X)
        bbox_labels, bbox_masks, cls_labels = contrib.nd.MultiBoxTarget(
            anchors, Y, cls_preds.transpose((0, 2, 1))
        )
        l = calc_loss(cls_preds, cls_labels, bbox_preds, bbox_labels, bbox_masks)
    l.backward()
    trainer.step(8)
    curve.append(l.mean().asscalar())
    errors.append(1 - (cls_preds.argmax(axis=-1) == cls_labels).mean().asscalar())
    errors.append(((bbox_labels - bbox_preds) * bbox_masks).abs().mean().asscalar())
show("loss", curve)
show("errors", errors)
show("anchors", anchors[0, ::37])
show("labels", cls_labels.sum(axis=1))
mined = contrib.nd.MultiBoxTarget(
    anchors, Y, cls_preds.transpose((0, 2, 1)), negative_mining_ratio=3, negative_mining_thresh=0.5
)
show("mined", [(mined[2] == -1).sum().asscalar(), mined[1].sum().asscalar()])
cls_probs = cls_preds.softmax().transpose((0, 2, 1))
output = contrib.nd.MultiBoxDetection(cls_probs, bbox_preds, anchors, nms_threshold=0.4, threshold=0.2)
show("kept", (output[:, :, 0] >= 0).sum(axis=1))
show("first boxes", output[:2, :2])
show("iou", nd.contrib.box_iou(anchors[0, ::50], boxes[0, :, 1:], format="corner"))
