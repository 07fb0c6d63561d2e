"""Region proposals and pooling with symbols: Proposal, a target layer of one's own, ROIPooling, smooth L1."""

import mxnet as mx
import numpy as np
from _seeded import draw, show

CLASSES, ANCHORS = 3, 3


class Targets(mx.operator.CustomOp):
    def __init__(self, rois):
        super().__init__()
        self.rois = rois

    def forward(self, is_train, req, in_data, out_data, aux):
        rois, boxes = in_data[0].asnumpy(), in_data[1].asnumpy()[0]
        chosen = np.vstack(
            [rois[: self.rois - len(boxes)], np.hstack([np.zeros((len(boxes), 1)), boxes[:, :4]])]
        )
        labels, goals = np.zeros(self.rois), np.zeros((self.rois, 4 * CLASSES))
        weights = np.zeros_like(goals)
        for i, roi in enumerate(chosen):
            overlaps = [self.overlap(roi[1:], box) for box in boxes]
            best = int(np.argmax(overlaps))
            if overlaps[best] > 0.3:
                labels[i] = c = int(boxes[best, 4])
                goals[i, 4 * c : 4 * c + 4] = (boxes[best, :4] - roi[1:]) / 16
                weights[i, 4 * c : 4 * c + 4] = 1
        for k, value in enumerate((chosen, labels, goals, weights)):
            self.assign(out_data[k], req[k], mx.nd.array(value))

    @staticmethod
    def overlap(a, b):
        w = min(a[2], b[2]) - max(a[0], b[0]) + 1
        h = min(a[3], b[3]) - max(a[1], b[1]) + 1
        if w <= 0 or h <= 0:
            return 0.0
        areas = [(r[2] - r[0] + 1) * (r[3] - r[1] + 1) for r in (a, b)]
        return w * h / (sum(areas) - w * h)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        for k in range(len(in_grad)):
            self.assign(in_grad[k], req[k], 0)


@mx.operator.register("proposal_targets")
class TargetsProp(mx.operator.CustomOpProp):
    def __init__(self, rois="8"):
        super().__init__(need_top_grad=False)
        self.rois = int(rois)

    def list_arguments(self):
        return ["rois", "gt_boxes"]

    def list_outputs(self):
        return ["rois_output", "label", "bbox_target", "bbox_weight"]

    def infer_shape(self, in_shape):
        n = self.rois
        return in_shape, [(n, 5), (n,), (n, 4 * CLASSES), (n, 4 * CLASSES)]

    def create_operator(self, ctx, shapes, dtypes):
        return Targets(self.rois)


data, im_info, gt = (mx.sym.Variable(n) for n in ("data", "im_info", "gt_boxes"))
rpn_label, rpn_target = mx.sym.Variable("label"), mx.sym.Variable("bbox_target")
rpn_weight = mx.sym.Variable("bbox_weight")
body = mx.sym.Convolution(data, kernel=(3, 3), stride=(4, 4), pad=(1, 1), num_filter=6, name="body1")
body = mx.sym.Activation(body, act_type="relu")
body = mx.sym.Convolution(body, kernel=(3, 3), stride=(4, 4), pad=(1, 1), num_filter=8, name="body2")
body = mx.sym.Activation(body, act_type="relu")
cls = mx.sym.Convolution(body, kernel=(1, 1), num_filter=2 * ANCHORS, name="rpn_cls_score")
bbox = mx.sym.Convolution(body, kernel=(1, 1), num_filter=4 * ANCHORS, name="rpn_bbox_pred")
reshaped = mx.sym.Reshape(cls, shape=(0, 2, -1, 0), name="rpn_cls_score_reshape")
rpn_prob = mx.sym.SoftmaxOutput(
    reshaped,
    label=rpn_label,
    multi_output=True,
    normalization="valid",
    use_ignore=True,
    ignore_label=-1,
    name="rpn_cls_prob",
)
loss = rpn_weight * mx.sym.smooth_l1(bbox - rpn_target, scalar=3.0, name="rpn_bbox_loss_")
rpn_loss = mx.sym.MakeLoss(loss, name="rpn_bbox_loss", grad_scale=1.0 / 8)
act = mx.sym.SoftmaxActivation(reshaped, mode="channel", name="rpn_cls_act")
act = mx.sym.Reshape(act, shape=(0, 2 * ANCHORS, -1, 0), name="rpn_cls_act_reshape")
rois = mx.sym.contrib.Proposal(
    cls_prob=act,
    bbox_pred=bbox,
    im_info=im_info,
    name="rois",
    feature_stride=16,
    scales=(1, 2, 4),
    ratios=(1,),
    rpn_pre_nms_top_n=20,
    rpn_post_nms_top_n=8,
    threshold=0.7,
    rpn_min_size=4,
)
group = mx.sym.Custom(rois=rois, gt_boxes=gt, op_type="proposal_targets", name="targets")
rois, label, target, weight = (group[i] for i in range(4))
pool = mx.sym.ROIPooling(body, rois, pooled_size=(2, 2), spatial_scale=1 / 16, name="roi_pool")
flat = mx.sym.Flatten(pool)
hidden = mx.sym.Activation(mx.sym.FullyConnected(flat, num_hidden=10, name="fc6"), act_type="relu")
cls_prob = mx.sym.SoftmaxOutput(
    mx.sym.FullyConnected(hidden, num_hidden=CLASSES, name="cls_score"),
    label=label,
    normalization="batch",
    name="cls_prob",
)
loss = weight * mx.sym.smooth_l1(
    mx.sym.FullyConnected(hidden, num_hidden=4 * CLASSES, name="bbox_pred") - target, scalar=1.0
)
bbox_loss = mx.sym.MakeLoss(loss, grad_scale=1.0 / 8, name="bbox_loss")
symbol = mx.sym.Group([rpn_prob, rpn_loss, cls_prob, bbox_loss, mx.sym.BlockGrad(label)])

H = W = 64
fh = fw = 4
shapes = [("data", (1, 3, H, W)), ("im_info", (1, 3)), ("gt_boxes", (1, 2, 5))]
labels = [
    ("label", (1, ANCHORS * fh, fw)),
    ("bbox_target", (1, 4 * ANCHORS, fh, fw)),
    ("bbox_weight", (1, 4 * ANCHORS, fh, fw)),
]
mod = mx.mod.Module(symbol, data_names=[n for n, _ in shapes], label_names=[n for n, _ in labels])
mod.bind(data_shapes=shapes, label_shapes=labels)
arg_shapes, _, _ = symbol.infer_shape(**dict(shapes + labels))
known = dict(zip(symbol.list_arguments(), arg_shapes))
params = {n: mx.nd.array(draw(n, known[n], 0.2)) for n in known if n not in dict(shapes + labels)}
mod.init_params(arg_params=params, aux_params={})
mod.init_optimizer(
    optimizer="sgd", optimizer_params={"learning_rate": 0.05, "momentum": 0.9, "rescale_grad": 1.0}
)
boxes = np.array([[4, 6, 30, 34, 1], [28, 20, 60, 50, 2]], "float32")
marks = (draw("marks", (1, ANCHORS * fh, fw), 1) > 0).astype("float32") - (
    draw("off", (1, ANCHORS * fh, fw), 1) > 1
)
batch = mx.io.DataBatch(
    data=[mx.nd.array(draw("image", (1, 3, H, W), 1)), mx.nd.array([[H, W, 1.0]]), mx.nd.array(boxes[None])],
    label=[
        mx.nd.array(marks),
        mx.nd.array(draw("t", labels[1][1], 0.5)),
        mx.nd.array(draw("u", labels[2][1], 1) > 0),
    ],
)
curves = {"rpn": [], "rpn boxes": [], "classes": [], "boxes": []}
for _ in range(6):
    mod.forward(batch, is_train=True)
    rpn, rpn_l, prob, box_l, label = [o.asnumpy() for o in mod.get_outputs()]
    curves["rpn"].append(
        -np.log(rpn.reshape(2, -1)[np.maximum(marks.ravel(), 0).astype(int), range(marks.size)]).mean()
    )
    curves["rpn boxes"].append(rpn_l.sum())
    curves["classes"].append(-np.log(prob[range(8), label.astype(int)]).mean())
    curves["boxes"].append(box_l.sum())
    mod.backward()
    mod.update()
for name, curve in curves.items():
    show(name, curve)
show("labels", label)
