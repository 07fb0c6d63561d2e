"""GluonCV: a model of each family."""

from __future__ import annotations

import gluoncv
import mxnet as mx
import numpy as np
from mxnet import gluon, nd

from tests.libraries.harness import Sample, model

SOFTMAX = gluon.loss.SoftmaxCrossEntropyLoss()


def image(*shape, seed=0):
    """Normalized images."""
    return nd.array(np.random.RandomState(seed).normal(size=shape).astype("float32"))


def classifier(name, shape=(2, 3, 64, 64), **options):
    net = gluoncv.model_zoo.get_model(name, classes=10, **options)
    net.initialize(mx.init.Xavier())
    label = nd.array([1, 2])
    return Sample(net, [image(*shape)], lambda y: SOFTMAX(y, label), free=(0,))


@model("resnet18_v1b")
def resnet() -> Sample:
    return classifier("resnet18_v1b")


@model("mobilenetv3_small")
def mobilenet() -> Sample:
    return classifier("mobilenetv3_small")
