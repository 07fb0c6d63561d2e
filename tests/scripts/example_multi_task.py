"""Two tasks from one body: a Module with grouped outputs and a metric of one's own; the same with Gluon."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, show
from mxnet import autograd, gluon, nd

rng = np.random.RandomState(0)
digits = rng.randint(0, 6, 120)
points = (rng.normal(size=(6, 12))[digits] + rng.normal(0, 0.6, (120, 12))).astype("float32")


def build_network():
    data = mx.symbol.Variable("data")
    fc1 = mx.symbol.FullyConnected(data=data, name="fc1", num_hidden=16)
    act1 = mx.symbol.Activation(data=fc1, name="relu1", act_type="relu")
    fc2 = mx.symbol.FullyConnected(data=act1, name="fc2", num_hidden=12)
    act2 = mx.symbol.Activation(data=fc2, name="relu2", act_type="relu")
    sm1 = mx.symbol.SoftmaxOutput(
        data=mx.symbol.FullyConnected(act2, name="fc3", num_hidden=6), name="softmax1"
    )
    sm2 = mx.symbol.SoftmaxOutput(
        data=mx.symbol.FullyConnected(act2, name="fc4", num_hidden=2), name="softmax2"
    )
    return mx.symbol.Group([sm1, sm2])


class MultiIterator(mx.io.DataIter):
    def __init__(self, data_iter):
        super(MultiIterator, self).__init__()
        self.data_iter = data_iter
        self.batch_size = self.data_iter.batch_size

    @property
    def provide_data(self):
        return self.data_iter.provide_data

    @property
    def provide_label(self):
        provide_label = self.data_iter.provide_label[0]
        return [("softmax1_label", provide_label[1]), ("softmax2_label", provide_label[1])]

    def hard_reset(self):
        self.data_iter.hard_reset()

    def reset(self):
        self.data_iter.reset()

    def next(self):
        batch = self.data_iter.next()
        label = batch.label[0]
        return mx.io.DataBatch(data=batch.data, label=[label, label % 2], pad=batch.pad, index=batch.index)


class MultiAccuracy(mx.metric.EvalMetric):
    def __init__(self, num=None, output_names=None):
        self.num = num
        super(MultiAccuracy, self).__init__("multi-accuracy", output_names)

    def reset(self):
        self.num_inst = 0 if self.num is None else [0] * self.num
        self.sum_metric = 0.0 if self.num is None else [0.0] * self.num

    def update(self, labels, preds):
        mx.metric.check_label_shapes(labels, preds)
        if self.num is not None:
            assert len(labels) == self.num
        for i in range(len(labels)):
            pred_label = mx.nd.argmax_channel(preds[i]).asnumpy().astype("int32")
            label = labels[i].asnumpy().astype("int32")
            mx.metric.check_label_shapes(label, pred_label)
            self.sum_metric[i] += (pred_label.flat == label.flat).sum()
            self.num_inst[i] += len(pred_label.flat)

    def get(self):
        values = [x / y if y != 0 else float("nan") for x, y in zip(self.sum_metric, self.num_inst)]
        return ["%s_%d" % (self.name, i) for i in range(self.num)], values


train = MultiIterator(mx.io.NDArrayIter(points, digits, 20))
model = mx.mod.Module(
    context=mx.cpu(), symbol=build_network(), label_names=("softmax1_label", "softmax2_label")
)
values = []
model.fit(
    train_data=train,
    eval_data=train,
    num_epoch=4,
    optimizer_params=(("learning_rate", 0.1), ("momentum", 0.9), ("wd", 0.00001)),
    initializer=Seeded(0.3),
    eval_metric=MultiAccuracy(num=2),
    batch_end_callback=lambda p: values.append(p.eval_metric.get()[1]),
)
show("accuracies", values)
outputs = model.predict(train)
show("first", outputs[0][:2])
show("second", outputs[1][:2])


class MultiTask(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(MultiTask, self).__init__(**kwargs)
        with self.name_scope():
            self.shared = gluon.nn.HybridSequential()
            with self.shared.name_scope():
                self.shared.add(gluon.nn.Dense(16, activation="relu"), gluon.nn.Dense(12, activation="relu"))
            self.output1 = gluon.nn.Dense(6)
            self.output2 = gluon.nn.Dense(1)

    def hybrid_forward(self, F, x):
        y = self.shared(x)
        return self.output1(y), self.output2(y)


net = MultiTask()
net.initialize(Seeded(0.3))
net.hybridize()
ce, bce = gluon.loss.SoftmaxCELoss(), gluon.loss.SigmoidBCELoss()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
alpha = 0.7
curve = []
for epoch in range(3):
    for i in range(0, 120, 40):
        X, d = nd.array(points[i : i + 40]), nd.array(digits[i : i + 40])
        with autograd.record():
            out1, out2 = net(X)
            combined = alpha * ce(out1, d) + (1 - alpha) * bce(out2, d % 2)
        combined.backward()
        trainer.step(40)
        curve.append(combined.mean().asscalar())
show("gluon", curve)
