"""Operators written in Python: a softmax of one's own, with attributes, in nd, Gluon, and a Module."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd


class Softmax(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0].asnumpy()
        y = np.exp(x - x.max(axis=1).reshape((x.shape[0], 1)))
        y /= y.sum(axis=1).reshape((x.shape[0], 1))
        self.assign(out_data[0], req[0], mx.nd.array(y))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        l = in_data[1].asnumpy().ravel().astype(np.int64)
        y = out_data[0].asnumpy()
        y[np.arange(l.shape[0]), l] -= 1.0
        self.assign(in_grad[0], req[0], mx.nd.array(y))


@mx.operator.register("softmax")
class SoftmaxProp(mx.operator.CustomOpProp):
    def __init__(self):
        super(SoftmaxProp, self).__init__(need_top_grad=False)

    def list_arguments(self):
        return ["data", "label"]

    def list_outputs(self):
        return ["output"]

    def infer_shape(self, in_shape):
        data_shape = in_shape[0]
        label_shape = (in_shape[0][0],)
        output_shape = in_shape[0]
        return [data_shape, label_shape], [output_shape], []

    def infer_type(self, in_type):
        return in_type, [in_type[0]], []

    def create_operator(self, ctx, shapes, dtypes):
        return Softmax()


class Leaky(mx.operator.CustomOp):
    def __init__(self, slope):
        self.slope = slope

    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0]
        self.assign(out_data[0], req[0], mx.nd.where(x > 0, x, x * self.slope))
        self.assign(out_data[1], req[1], x > 0)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        positive = out_data[1]
        self.assign(in_grad[0], req[0], out_grad[0] * (positive + (1 - positive) * self.slope))


@mx.operator.register("leaky")
class LeakyProp(mx.operator.CustomOpProp):
    def __init__(self, slope="0.1"):
        super(LeakyProp, self).__init__(True)
        self._slope = float(slope)

    def list_arguments(self):
        return ["data"]

    def list_outputs(self):
        return ["output", "mask"]

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0], in_shape[0]], []

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Leaky(self._slope)


x = nd.array([[-2.0, 1, 3], [0.5, -1, -4]])
x.attach_grad()
with autograd.record():
    y, mask = nd.Custom(x, slope=0.2, op_type="leaky")
    z = (y * y).sum()
z.backward()
show("leaky", y)
show("mask", mask)
show("gradient", x.grad)


class Net(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Net, self).__init__(**kwargs)
        with self.name_scope():
            self.hidden = gluon.nn.Dense(8)
            self.out = gluon.nn.Dense(3)

    def hybrid_forward(self, F, x):
        h = F.Custom(self.hidden(x), op_type="leaky", slope=0.3, name="leaky")[0]
        return self.out(h)


rng = np.random.RandomState(0)
labels = rng.randint(0, 3, 60)
points = rng.normal(size=(3, 5))[labels] + rng.normal(0, 0.5, (60, 5))
for hybrid in (False, True):
    net = Net(prefix="net_")
    net.initialize(Seeded(0.3))
    if hybrid:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3})
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    curve = []
    for step in range(12):
        with autograd.record():
            l = loss(net(nd.array(points)), nd.array(labels))
        l.backward()
        trainer.step(60)
        curve.append(l.mean().asscalar())
    show("hybrid" if hybrid else "eager", curve)

data = mx.symbol.Variable("data")
fc1 = mx.symbol.FullyConnected(data=data, name="fc1", num_hidden=8)
act1 = mx.symbol.Activation(data=fc1, name="relu1", act_type="relu")
fc2 = mx.symbol.FullyConnected(data=act1, name="fc2", num_hidden=3)
mlp = mx.symbol.Custom(data=fc2, name="softmax", op_type="softmax")
print(mlp.list_arguments(), mlp.list_outputs())
train = mx.io.NDArrayIter(points, labels, 20)
mod = mx.mod.Module(mlp)
values = []
mod.fit(
    train,
    num_epoch=4,
    initializer=Seeded(0.3),
    optimizer_params={"learning_rate": 0.2, "momentum": 0.9},
    eval_metric="ce",
    batch_end_callback=lambda p: values.append(p.eval_metric.get()[1]),
)
show("module", values)
show("predicted", mod.predict(train)[:3])
