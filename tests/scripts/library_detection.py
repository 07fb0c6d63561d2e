"""Detectors as libraries write them: outputs of YOLO, region proposals, ROIAlign, box coders, NMS."""

import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

rng = np.random.RandomState(0)


class YOLOOutput(gluon.HybridBlock):
    def __init__(self, num_class, anchors, stride, alloc_size=(8, 8), **kwargs):
        super(YOLOOutput, self).__init__(**kwargs)
        anchors = np.array(anchors).astype("float32")
        self._classes, self._stride = num_class, stride
        self._num_pred = 1 + 4 + num_class
        self._num_anchors = anchors.size // 2
        with self.name_scope():
            self.prediction = nn.Conv2D(self._num_pred * self._num_anchors, kernel_size=1)
            self.anchors = self.params.get_constant("anchor", anchors.reshape(1, 1, -1, 2))
            grid_x, grid_y = np.meshgrid(np.arange(alloc_size[1]), np.arange(alloc_size[0]))
            offsets = np.stack([grid_x, grid_y], axis=-1)[None, None]
            self.offsets = self.params.get_constant("offset", offsets.astype("float32"))

    def hybrid_forward(self, F, x, anchors, offsets):
        pred = self.prediction(x).reshape((0, self._num_anchors * self._num_pred, -1))
        pred = pred.transpose(axes=(0, 2, 1)).reshape((0, -1, self._num_anchors, self._num_pred))
        raw_box_centers = pred.slice_axis(axis=-1, begin=0, end=2)
        raw_box_scales = pred.slice_axis(axis=-1, begin=2, end=4)
        objness = pred.slice_axis(axis=-1, begin=4, end=5)
        class_pred = pred.slice_axis(axis=-1, begin=5, end=None)
        offsets = F.slice_like(offsets, x * 0, axes=(2, 3))
        offsets = offsets.reshape((1, -1, 1, 2))
        box_centers = F.broadcast_add(F.sigmoid(raw_box_centers), offsets) * self._stride
        box_scales = F.broadcast_mul(F.exp(raw_box_scales), anchors)
        confidence = F.sigmoid(objness)
        class_score = F.broadcast_mul(F.sigmoid(class_pred), confidence)
        wh = box_scales / 2.0
        bbox = F.concat(box_centers - wh, box_centers + wh, dim=-1)
        if autograd.is_training():
            return bbox.reshape((0, -1, 4)), raw_box_centers, raw_box_scales, objness, class_pred
        bboxes = F.tile(bbox, reps=(self._classes, 1, 1, 1, 1))
        scores = F.transpose(class_score, axes=(3, 0, 1, 2)).expand_dims(axis=-1)
        ids = F.broadcast_add(scores * 0, F.arange(0, self._classes).reshape((0, 1, 1, 1, 1)))
        detections = F.concat(ids, scores, bboxes, dim=-1)
        detections = F.reshape(detections.transpose(axes=(1, 0, 2, 3, 4)), (0, -1, 6))
        return F.contrib.box_nms(
            detections,
            overlap_thresh=0.45,
            valid_thresh=0.01,
            topk=20,
            id_index=0,
            score_index=1,
            coord_start=2,
        )


images = nd.array(rng.rand(4, 3, 16, 16))
targets = nd.array(rng.rand(4, 16, 2, 7))
body = nn.HybridSequential()
body.add(nn.Conv2D(6, 3, 2, 1, activation="relu"), nn.Conv2D(8, 3, 2, 1, activation="relu"))
head = YOLOOutput(2, [4, 4, 8, 6], 4)
for block in (body, head):
    block.initialize(Seeded(0.3))
sigmoid_ce = gluon.loss.SigmoidBinaryCrossEntropyLoss(from_sigmoid=False)
for hybrid in (False, True):
    if hybrid:
        body.hybridize()
        head.hybridize()
    params = body.collect_params()
    params.update(head.collect_params())
    trainer = gluon.Trainer(
        params, "sgd", {"learning_rate": 0.05, "momentum": 0.9, "wd": 5e-4}, kvstore="local"
    )
    curve = []
    for step in range(5):
        with autograd.record():
            bbox, centers, scales, objness, classes = head(body(images))
            obj = sigmoid_ce(objness, targets.slice_axis(axis=-1, begin=4, end=5) > 0.5)
            center = sigmoid_ce(centers, targets.slice_axis(axis=-1, begin=0, end=2))
            scale = nd.abs(scales - targets.slice_axis(axis=-1, begin=2, end=4)).mean(axis=(1, 2, 3))
            cls = sigmoid_ce(classes, targets.slice_axis(axis=-1, begin=5, end=None) > 0.5)
            l = obj + center + scale + cls
            autograd.backward([l])
        trainer.step(4)
        curve.append(l.mean().asscalar())
    show("yolo", curve)
    show("boxes", bbox[0, ::9])
    head.hybridize(hybrid)
    detections = head(body(images[:2]))
    show("detections", detections[:, :3])

rois = nd.array([[0, 1, 1, 9, 9], [1, 0, 4, 12, 15], [2, 3, 3, 7, 14]])
features = body(images).detach()
features.attach_grad()
with autograd.record():
    align = nd.contrib.ROIAlign(features, rois, pooled_size=(2, 2), spatial_scale=0.25, sample_ratio=2)
    pool = nd.ROIPooling(features, rois, pooled_size=(2, 2), spatial_scale=0.25)
    l = (align**2).sum() + pool.sum()
l.backward()
show("align", align.sum(axis=(2, 3)))
show("pool", pool.sum(axis=(2, 3)))
show("roi gradient", features.grad.sum(axis=(2, 3)))
boxes = nd.array([[[0.1, 0.1, 0.5, 0.5], [0.2, 0.3, 0.9, 0.8]]])
anchors = nd.array([[[0.1, 0.1, 0.4, 0.4], [0.0, 0.5, 0.5, 0.9], [0.3, 0.2, 1.0, 0.7]]])
iou = nd.contrib.box_iou(anchors[0], boxes[0])
show("iou", iou)
matches, scores = nd.contrib.bipartite_matching(iou.expand_dims(0), threshold=0.1)
show("matching", nd.concat(matches, scores, dim=1))
samples = nd.array([[1, -1, 1]])
encoded, masks = nd.contrib.box_encode(
    samples, nd.array([[0, 0, 1]]), anchors, boxes, nd.zeros(4), nd.ones(4) * 0.1
)
show("encoded", encoded)
show("decoded", nd.contrib.box_decode(encoded, anchors, 0.1, 0.1, 0.1, 0.1))
cls_prob = nd.softmax(nd.array(draw("rpn", (1, 2, 9, 4), 1)), axis=1).reshape((1, 6, 3, 4)[:1] + (-1, 3, 4))
rpn = nd.contrib.Proposal(
    cls_prob=cls_prob,
    bbox_pred=nd.array(draw("deltas", (1, 12, 3, 4), 0.1)),
    im_info=nd.array([[48, 64, 1.0]]),
    feature_stride=16,
    scales=(1,),
    ratios=(0.5, 1, 2),
    rpn_pre_nms_top_n=12,
    rpn_post_nms_top_n=5,
    threshold=0.7,
    rpn_min_size=4,
)
show("proposals", rpn)
show("upsampled", nd.UpSampling(features[:1, :2], scale=2, sample_type="nearest").sum(axis=(2, 3)))
show("bilinear", nd.contrib.BilinearResize2D(features[:1, :2], height=7, width=5)[0, 0])
