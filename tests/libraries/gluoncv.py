"""GluonCV: a model of each family, with its own losses and targets."""

from __future__ import annotations

from collections import OrderedDict

import gluoncv
import mxnet as mx
import numpy as np
from gluoncv.data.batchify import Pad, Stack, Tuple
from gluoncv.data.transforms.presets import ssd, yolo
from gluoncv.model_zoo import danet as danets
from gluoncv.model_zoo import get_model
from gluoncv.model_zoo import icnet as icnets
from gluoncv.model_zoo.action_recognition.actionrec_resnetv1b import ActionRecResNetV1b
from gluoncv.model_zoo.center_net.center_net import CenterNet
from gluoncv.model_zoo.center_net.deconv_dla import dla34_deconv
from gluoncv.model_zoo.center_net.deconv_resnet import resnet18_v1b_deconv, resnet18_v1b_deconv_dcnv2
from gluoncv.model_zoo.center_net.target_generator import CenterNetTargetGenerator
from mxnet import gluon, nd

from tests.libraries.harness import Sample, model

SOFTMAX = gluon.loss.SoftmaxCrossEntropyLoss()
L2 = gluon.loss.L2Loss()
CLASSES = ["cat", "dog", "boat"]
BOXES = np.array([[20, 30, 90, 100, 0], [60, 10, 120, 70, 2]], "float32")
NMS = ["NonMaxSuppression"]


def normal(*shape, seed=0):
    """Normalized images, or others that are like them."""
    return nd.array(np.random.RandomState(seed).normal(size=shape).astype("float32"))


def photograph(height=128, width=128):
    """An image of uint8."""
    y, x = np.mgrid[:height, :width]
    waves = [np.sin(x / 9 + c) * np.cos(y / (7 + c)) for c in range(3)]
    return nd.array(np.stack(waves, axis=2) * 100 + 128).astype("uint8")


def initialized(net):
    """The block with weights that keep the size of what goes through it, where it has none of its own."""
    weight = mx.init.Xavier("gaussian", "in", 2)
    for parameter in net.collect_params().values():
        kind = parameter.name.rpartition("_")[2]
        parameter.initialize(
            default_init={"weight": weight, "gamma": mx.init.One(), "var": mx.init.One()}.get(
                kind, mx.init.Zero()
            )
        )
    return net


def batch(prepare, padded=(), count=2):
    """Arrays of a batch of photographs as a transform prepares them; boxes of some are filled up."""
    samples = [prepare(photograph(), BOXES) for _ in range(count)]
    parts = [Pad(axis=0, pad_val=-1) if i in padded else Stack() for i in range(len(samples[0]))]
    return [x.as_in_context(mx.cpu()) for x in Tuple(*parts)(samples)]


def classifier(name, shape=(2, 3, 64, 64), **options):
    label = nd.array([1, 2])
    sample = {key: options.pop(key) for key in ("tolerance", "skip", "free") if key in options}
    net = initialized(get_model(name, classes=10, **options))
    return Sample(net, [normal(*shape)], lambda y: SOFTMAX(y, label), **{"free": (0,), **sample})


@model("resnet18_v1b")
def resnet() -> Sample:
    return classifier("resnet18_v1b")


@model("resnest14")
def resnest() -> Sample:
    return classifier("resnest14", pretrained=False)


@model("mobilenetv3_small")
def mobilenet() -> Sample:
    return classifier("mobilenetv3_small")


@model("se_resnext50_32x4d")
def se_resnext() -> Sample:
    return classifier("se_resnext50_32x4d", shape=(2, 3, 96, 96))


@model("shufflenet_v1")
def shufflenet() -> Sample:
    return classifier("shufflenet_v1", shape=(2, 3, 224, 224))


@model("hrnet_w18_small_v1_c")
def hrnet() -> Sample:
    return classifier("hrnet_w18_small_v1_c")


@model("dla34")
def dla() -> Sample:
    return classifier("dla34")


@model("cifar_wideresnet16_10")
def cifar() -> Sample:
    return classifier("cifar_wideresnet16_10", shape=(2, 3, 32, 32))


@model("cifar_residualattentionnet56")
def attention() -> Sample:
    return classifier("cifar_residualattentionnet56", shape=(2, 3, 32, 32))


@model("re-id baseline")
def re_identification() -> Sample:
    class Baseline(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                base = gluoncv.model_zoo.resnet18_v1b(pretrained_base=False)
                self.features = gluon.nn.HybridSequential()
                for name in "conv1 bn1 relu maxpool layer1 layer2 layer3 layer4".split():
                    self.features.add(getattr(base, name))
                self.pool = gluon.nn.GlobalAvgPool2D()
                self.bottleneck = gluon.nn.BatchNorm(center=False)
                self.classes = gluon.nn.Dense(7, use_bias=False)

        def hybrid_forward(self, F, x):
            y = F.flatten(self.pool(self.features(x)))
            z = self.bottleneck(y)
            return self.classes(z), F.L2Normalization(z)

    label = nd.array([1, 2, 5])
    net = initialized(Baseline())
    return Sample(net, [normal(3, 3, 64, 32)], lambda y: SOFTMAX(y[0], label), free=(0,))


def scale(*predictors, share=0.1):
    """Make weights smaller or larger, so that scores are neither all 1 nor all alike, and boxes finite."""
    for block in predictors:
        for parameter in block.collect_params(".*weight").values():
            parameter.set_data(parameter.data() * share)


def ssd_sample(net, size, more=(), count=2, share=0.1):
    net = initialized(net)
    with mx.autograd.train_mode():
        anchors = net(nd.zeros((1, 3, size, size)), *more)[2]
    scale(net.class_predictors, net.box_predictors, share=share)
    image, classes, boxes = batch(ssd.SSDDefaultTrainTransform(size, size, anchors), count=count)
    loss = gluoncv.loss.SSDMultiBoxLoss()

    def total(y):
        return loss(y[0], y[1], classes, boxes)[0][0]

    return Sample(net, [image, *more], total, nodes=NMS)


@model("ssd_512_mobilenet1.0_custom")
def ssd_mobilenet() -> Sample:
    return ssd_sample(get_model("ssd_512_mobilenet1.0_custom", classes=CLASSES, pretrained_base=False), 256)


@model("ssd_512_resnet50_v1_custom")
def ssd_resnet() -> Sample:
    net = get_model("ssd_512_resnet50_v1_custom", classes=CLASSES, pretrained_base=False)
    return ssd_sample(net, 256, share=1e-3)


@model("yolo3_mobilenet0.25_custom")
def yolo3() -> Sample:
    net = initialized(get_model("yolo3_mobilenet0.25_custom", classes=CLASSES, pretrained_base=False))
    prepare = yolo.YOLO3DefaultTrainTransform(96, 96, net=net)
    inputs = batch(prepare, padded=[6])
    image, targets, boxes = inputs[0], inputs[1:6], inputs[6]
    return Sample(net, [image], lambda y: sum(y), train_inputs=[image, boxes, *targets], nodes=NMS)


def center_net_sample(base, share=0.02):
    heads = [("heatmap", 3, -2.19), ("wh", 2, 0.0), ("reg", 2, 0.0)]
    net = initialized(
        CenterNet(
            base,
            OrderedDict((name, {"num_output": count, "bias": bias}) for name, count, bias in heads),
            CLASSES,
            head_conv_channel=64,
            topk=40,
        )
    )
    targets = CenterNetTargetGenerator(3, 32, 32)(BOXES[:, :4] / 4, BOXES[:, 4])
    heat, wh, wh_mask, center, center_mask = (nd.array(x).expand_dims(0) for x in targets)
    image = normal(1, 3, 128, 128) * 0.02
    net(image)
    scale(net.heads, share=share)
    focal, l1 = gluoncv.loss.HeatmapFocalLoss(from_logits=True), gluoncv.loss.MaskedL1Loss()

    def loss(y):
        return focal(y[0], heat) + l1(y[1], wh, wh_mask) * 0.1 + l1(y[2], center, center_mask)

    return Sample(net, [image], loss)


@model("center_net_resnet18_v1b")
def center_net_resnet() -> Sample:
    return center_net_sample(resnet18_v1b_deconv(pretrained=False))


ON_GPUS = {"mxnet": "MXNet has the gradient of ModulatedDeformableConvolution on GPUs alone"}


@model("center_net_resnet18_v1b_dcnv2", skip=ON_GPUS)
def center_net_deformable() -> Sample:
    return center_net_sample(resnet18_v1b_deconv_dcnv2(pretrained=False))


@model("center_net_dla34")
def center_net_dla() -> Sample:
    return center_net_sample(dla34_deconv(pretrained=False), share=10)


def rcnn_sample(net, size=128, masks=False, share=1.0):
    """The training step of the library's own script, without its sampling of anchors."""
    net = initialized(net)
    image, boxes = normal(1, 3, size, size), nd.array(BOXES[None, :, :4])
    labels = nd.array(BOXES[None, :, 4:])
    net(image)
    scale(net.rpn, net.box_predictor, share=share)
    sigmoid = gluon.loss.SigmoidBinaryCrossEntropyLoss(from_sigmoid=False)
    huber = gluon.loss.HuberLoss()

    def loss(y):
        if masks:
            cls_pred, box_pred, mask_pred, _, _, _, rpn_score, rpn_box, _, classes, targets, weights, _ = y
        else:
            cls_pred, box_pred, _, _, _, rpn_score, rpn_box, _, classes, targets, weights, _ = y
        total = SOFTMAX(cls_pred, classes, (classes >= 0).expand_dims(-1)).mean()
        total = total + huber(box_pred, targets, weights).mean()
        total = total + sigmoid(rpn_score, rpn_score * 0).mean() + huber(rpn_box, rpn_box * 0).mean()
        return total + sigmoid(mask_pred, mask_pred * 0).mean() if masks else total

    return Sample(
        net,
        [image],
        loss,
        train_inputs=[image, boxes, labels],
        nodes=[*NMS, "RoiAlign"],
        skip={"mxnet": "the library draws the regions that it trains on"},
    )


SMALL = {"pretrained_base": False, "per_device_batch_size": 1}
FEW = {"rpn_test_pre_nms": 200, "rpn_test_post_nms": 40}


@model("faster_rcnn_resnet50_v1b_custom")
def faster_rcnn() -> Sample:
    return rcnn_sample(get_model("faster_rcnn_resnet50_v1b_custom", classes=CLASSES, **SMALL), 384)


@model("faster_rcnn_fpn_resnet50_v1b_coco")
def faster_rcnn_fpn() -> Sample:
    return rcnn_sample(get_model("faster_rcnn_fpn_resnet50_v1b_coco", **SMALL), share=0.01)


@model("mask_rcnn_resnet18_v1b_coco")
def mask_rcnn() -> Sample:
    return rcnn_sample(
        get_model("mask_rcnn_resnet18_v1b_coco", rcnn_max_dets=20, **SMALL, **FEW), 384, masks=True
    )


@model("mask_rcnn_fpn_resnet18_v1b_coco")
def mask_rcnn_fpn() -> Sample:
    return rcnn_sample(
        get_model("mask_rcnn_fpn_resnet18_v1b_coco", rcnn_max_dets=20, **SMALL, **FEW), masks=True, share=0.01
    )


def segmentation(net, size=64, loss=None):
    net = initialized(net)
    label = nd.array(np.random.RandomState(1).randint(-1, 21, (2, size, size)))
    loss = loss or gluoncv.loss.MixSoftmaxCrossEntropyLoss(aux=True, aux_weight=0.5)
    return Sample(net, [normal(2, 3, size, size)], lambda y: loss(*y, label), free=(0,))


PLAIN = {
    "dataset": "pascal_voc",
    "backbone": "resnet50",
    "pretrained_base": False,
    "base_size": 64,
    "crop_size": 64,
}


@model("fcn_resnet50_voc")
def fcn() -> Sample:
    return segmentation(gluoncv.model_zoo.get_fcn(**PLAIN))


@model("psp_resnet50_voc")
def pspnet() -> Sample:
    return segmentation(gluoncv.model_zoo.get_psp(**PLAIN))


@model("deeplab_resnet50_voc")
def deeplab() -> Sample:
    return segmentation(gluoncv.model_zoo.get_deeplab(**PLAIN))


@model("danet_resnet50")
def danet() -> Sample:
    return segmentation(danets.get_danet(**PLAIN), loss=gluoncv.loss.SegmentationMultiLosses())


@model("icnet_resnet50")
def icnet() -> Sample:
    options = {**PLAIN, "base_size": 128, "crop_size": 128}
    return segmentation(
        icnets.get_icnet(**options),
        128,
        gluoncv.loss.ICNetLoss(height=128, width=128, crop_size=128),
    )


@model("fastscnn")
def fastscnn() -> Sample:
    net = gluoncv.model_zoo.get_fastscnn(dataset="pascal_voc", aux=False, base_size=64, crop_size=64)
    return segmentation(net, 64, gluoncv.loss.MixSoftmaxCrossEntropyLoss(aux=False))


def pose(net, output=(17, 16, 16), seed=3):
    net = initialized(net)
    heat = normal(2, *output, seed=seed)
    return Sample(net, [normal(2, 3, 64, 64)], lambda y: L2(y, heat), free=(0,))


@model("simple_pose_resnet18_v1b")
def simple_pose_resnet() -> Sample:
    return pose(get_model("simple_pose_resnet18_v1b", pretrained_base=False))


@model("mobile_pose_mobilenet1.0")
def mobile_pose() -> Sample:
    return pose(get_model("mobile_pose_mobilenet1.0", pretrained_base=False))


@model("alpha_pose")
def alpha_pose() -> Sample:
    from gluoncv.model_zoo.alpha_pose.fast_pose import AlphaPose, FastSEResNet

    net = AlphaPose(FastSEResNet("resnet50"), 17, norm_layer=gluon.nn.BatchNorm, norm_kwargs={})
    return pose(net)


def action(name, shape, **options):
    label = nd.array([1])
    net = initialized(get_model(name, nclass=5, pretrained=False, pretrained_base=False, **options))
    return Sample(net, [normal(*shape)], lambda y: SOFTMAX(y, label).mean())


@model("resnet18_v1b for actions, 3 segments")
def tsn() -> Sample:
    label, net = nd.array([1]), ActionRecResNetV1b(18, 5, pretrained_base=False, num_segments=3)
    return Sample(initialized(net), [normal(3, 3, 64, 64)], lambda y: SOFTMAX(y, label))


@model("i3d_resnet50_v1_kinetics400")
def i3d() -> Sample:
    return action("i3d_resnet50_v1_kinetics400", (1, 3, 8, 64, 64))


@model("i3d_inceptionv1_kinetics400")
def i3d_inception() -> Sample:
    return action("i3d_inceptionv1_kinetics400", (1, 3, 16, 64, 64))


@model("slowfast_4x16_resnet50_kinetics400")
def slowfast() -> Sample:
    return action("slowfast_4x16_resnet50_kinetics400", (1, 3, 36, 64, 64))


@model("r2plus1d_resnet18_kinetics400")
def r2plus1d() -> Sample:
    label = nd.array([1])
    net = initialized(
        get_model("r2plus1d_resnet18_kinetics400", nclass=5, pretrained=False, pretrained_base=False)
    )
    return Sample(net, [normal(1, 3, 8, 64, 64)], lambda y: SOFTMAX(y, label))


@model("siamrpn_alexnet_v2_otb15")
def siamrpn() -> Sample:
    net = initialized(get_model("siamrpn_alexnet_v2_otb15", bz=2, is_train=True))
    inputs = [normal(2, 3, 127, 127), normal(2, 3, 255, 255, seed=1)]
    return Sample(net, inputs, lambda y: (y[0] ** 2).mean() + y[1].abs().mean())


@model("monodepth2_resnet18_kitti_stereo_640x192")
def depth() -> Sample:
    net = get_model("monodepth2_resnet18_kitti_stereo_640x192", pretrained_base=False)
    net.initialize(mx.init.Xavier(), force_reinit=True)

    def loss(y):
        parts = [(x - 0.3).square().mean() for x in y]
        return parts[0] + parts[1] + parts[2] + parts[3]

    return Sample(net, [normal(1, 3, 64, 96)], loss)


@model("monodepth2_resnet18_posenet_kitti_mono_640x192")
def depth_pose() -> Sample:
    net = get_model("monodepth2_resnet18_posenet_kitti_mono_640x192", pretrained_base=False)
    net.initialize(mx.init.Xavier(), force_reinit=True)
    return Sample(net, [normal(1, 6, 64, 96)], lambda y: y[0].square().mean() + y[1].square().mean())


@model("smot ssd_300_mobilenet0.25")
def smot() -> Sample:
    from gluoncv.model_zoo.smot import presets

    net = presets.ssd_300_mobilenet0_25_custom(classes=CLASSES, pretrained_base=False)
    tracked = [nd.array([[1, 5], [20, 30]]), nd.array([[0.5, 0.5], [0.25, 0.75]])]
    return ssd_sample(net, 300, tracked, count=1)
