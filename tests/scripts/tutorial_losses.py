"""Losses: Gluon's on the same numbers, a block of one's own (contrastive), and symbols with MakeLoss."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.loss import Loss

pred, label = nd.array(draw("pred", (4, 5), 1)), nd.array(draw("label", (4, 5), 1))
classes, signs = nd.array([0, 3, 2, 4]), nd.array([1, -1, 1, 1])
binary = label > 0
weight = nd.array([[1.0], [2], [0], [0.5]])
losses = [
    ("l2", gluon.loss.L2Loss(), lambda: (pred, label, weight)),
    ("l1", gluon.loss.L1Loss(weight=2), lambda: (pred, label)),
    ("bce", gluon.loss.SigmoidBinaryCrossEntropyLoss(), lambda: (pred, binary)),
    ("bce of probabilities", gluon.loss.SigmoidBCELoss(from_sigmoid=True), lambda: (pred.sigmoid(), binary)),
    ("bce pos", gluon.loss.SigmoidBCELoss(), lambda: (pred, binary, None, nd.ones((1, 5)) * 3)),
    ("ce", gluon.loss.SoftmaxCrossEntropyLoss(), lambda: (pred, classes)),
    ("dense ce", gluon.loss.SoftmaxCELoss(sparse_label=False), lambda: (pred, label.softmax())),
    ("kl", gluon.loss.KLDivLoss(from_logits=False), lambda: (pred, label.softmax())),
    ("huber", gluon.loss.HuberLoss(rho=0.5), lambda: (pred, label)),
    ("hinge", gluon.loss.HingeLoss(), lambda: (pred, binary * 2 - 1)),
    ("squared hinge", gluon.loss.SquaredHingeLoss(margin=2), lambda: (pred, binary * 2 - 1)),
    ("logistic", gluon.loss.LogisticLoss(label_format="binary"), lambda: (pred, binary)),
    ("triplet", gluon.loss.TripletLoss(), lambda: (pred, label, pred[::-1])),
    ("poisson", gluon.loss.PoissonNLLLoss(), lambda: (pred, binary)),
    ("cosine", gluon.loss.CosineEmbeddingLoss(margin=0.1), lambda: (pred, label, signs)),
    ("sdml", gluon.loss.SDMLLoss(), lambda: (pred, label)),
]
for name, loss, args in losses:
    pred.attach_grad()
    with autograd.record():
        value = loss(*args())
    value.backward()
    show(name, value)
    show(name + " gradient", pred.grad[0])
ctc = gluon.loss.CTCLoss(layout="NTC")
logits, words = nd.array(draw("logits", (2, 6, 4), 1)), nd.array([[0, 1, -1], [2, 2, 1]])
logits.attach_grad()
with autograd.record():
    value = ctc(logits, words)
value.backward()
show("ctc", value)
show("ctc gradient", logits.grad[0, 0])
show("ctc lengths", ctc(logits, words, nd.array([5, 6]), nd.array([2, 3])))


class ContrastiveLoss(Loss):
    def __init__(self, margin=6.0, weight=None, batch_axis=0, **kwargs):
        super(ContrastiveLoss, self).__init__(weight, batch_axis, **kwargs)
        self.margin = margin

    def hybrid_forward(self, F, image1, image2, label):
        distances = image1 - image2
        distances_squared = F.sum(F.square(distances), 1, keepdims=True)
        euclidean_distances = F.sqrt(distances_squared + 0.0001)
        d = F.clip(self.margin - euclidean_distances, 0, self.margin)
        loss = (1 - label) * distances_squared + label * F.square(d)
        return F.mean(0.5 * loss)


class Siamese(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Siamese, self).__init__(**kwargs)
        with self.name_scope():
            self.cnn = nn.HybridSequential(prefix="")
            with self.cnn.name_scope():
                for i in range(2):
                    self.cnn.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm())
                self.cnn.add(nn.Dense(6))

    def hybrid_forward(self, F, input0, input1):
        return self.cnn(input0), self.cnn(input1)


rng = np.random.RandomState(0)
kinds = rng.normal(size=(3, 1, 8, 8))
first, second = rng.randint(0, 3, 24), rng.randint(0, 3, 24)
a = nd.array(kinds[first] + rng.normal(0, 0.2, (24, 1, 8, 8)))
b = nd.array(kinds[second] + rng.normal(0, 0.2, (24, 1, 8, 8)))
differ = nd.array(first != second).reshape((-1, 1))
model = Siamese()
model.initialize(Seeded(0.3))
model.hybridize()
contrast = ContrastiveLoss(margin=3.0)
trainer = gluon.Trainer(model.collect_params(), "adam", {"learning_rate": 0.01})
curve = []
for step in range(12):
    i = step % 2 * 12
    with autograd.record():
        out0, out1 = model(a[i : i + 12], b[i : i + 12])
        l = contrast(out0, out1, differ[i : i + 12])
    l.backward()
    trainer.step(12)
    curve.append(l.asscalar())
show("contrastive", curve)

data, target = mx.sym.Variable("data"), mx.sym.Variable("label")
fc = mx.sym.FullyConnected(data, name="fc", num_hidden=1)
cost = mx.sym.MakeLoss(mx.sym.sum(mx.sym.abs(mx.sym.reshape(fc, shape=(-1,)) - target)), grad_scale=0.5)
points = rng.normal(size=(32, 4))
iterator = mx.io.NDArrayIter(points, points.dot([1, -1, 2, 0.5]), 8, label_name="label")
mod = mx.mod.Module(mx.sym.Group([cost, mx.sym.BlockGrad(fc, name="pred")]), label_names=["label"])
mod.bind(iterator.provide_data, iterator.provide_label)
mod.init_params(Seeded(0.3))
mod.init_optimizer(optimizer_params={"learning_rate": 0.05, "rescale_grad": 1.0})
curve = []
for epoch in range(3):
    iterator.reset()
    for batch in iterator:
        mod.forward_backward(batch)
        mod.update()
        curve.append(mod.get_outputs()[0].asscalar())
show("make loss", curve)
