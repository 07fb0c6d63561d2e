"""Modules: fit, predict, score, checkpoints, the steps one by one, several devices, a custom iterator."""

import logging
import os
import tempfile

import mxnet as mx
import numpy as np
from _seeded import Seeded, show

logging.getLogger().setLevel(logging.INFO)
rng = np.random.RandomState(0)
labels = rng.randint(0, 5, 160)
points = (rng.normal(size=(5, 16))[labels] + rng.normal(0, 0.6, (160, 16))).astype("float32")


def network():
    net = mx.sym.Variable("data")
    net = mx.sym.FullyConnected(net, name="fc1", num_hidden=16)
    net = mx.sym.Activation(net, name="relu1", act_type="relu")
    net = mx.sym.FullyConnected(net, name="fc2", num_hidden=5)
    return mx.sym.SoftmaxOutput(net, name="softmax")


train_iter = mx.io.NDArrayIter(points[:120], labels[:120], 20, shuffle=False)
val_iter = mx.io.NDArrayIter(points[120:], labels[120:], 15)
mod = mx.mod.Module(symbol=network(), context=mx.cpu(), data_names=["data"], label_names=["softmax_label"])
mod.bind(data_shapes=train_iter.provide_data, label_shapes=train_iter.provide_label)
mod.init_params(initializer=Seeded(0.3))
mod.init_optimizer(optimizer="sgd", optimizer_params=(("learning_rate", 0.1),))
metric = mx.metric.create("acc")
for epoch in range(4):
    train_iter.reset()
    metric.reset()
    for batch in train_iter:
        mod.forward(batch, is_train=True)
        mod.update_metric(metric, batch.label)
        mod.backward()
        mod.update()
    show("epoch %d %s" % (epoch, metric.get()[0]), metric.get()[1])

train_iter.reset()
folder = tempfile.mkdtemp()
prefix = os.path.join(folder, "mx_mlp")
mod = mx.mod.Module(symbol=network(), context=mx.cpu())
seen = []


def after_batch(param):
    if param.nbatch % 2 == 0:
        seen.append(param.eval_metric.get()[1])


losses = mx.metric.CompositeEvalMetric([mx.metric.CrossEntropy(), mx.metric.TopKAccuracy(top_k=2)])
mod.fit(
    train_iter,
    eval_data=val_iter,
    optimizer="adam",
    optimizer_params={"learning_rate": 0.02},
    initializer=Seeded(0.3),
    eval_metric=losses,
    num_epoch=5,
    batch_end_callback=[mx.callback.Speedometer(20, 2), after_batch],
    epoch_end_callback=mx.callback.do_checkpoint(prefix),
)
show("during fit", seen)
y = mod.predict(val_iter)
print(y.shape)
show("predicts", y[:3])
show("score", [value for _, value in mod.score(val_iter, ["mse", "acc"])])
print(sorted(os.listdir(folder)))
sym, arg_params, aux_params = mx.model.load_checkpoint(prefix, 3)
mod = mx.mod.Module(symbol=sym)
mod.bind(data_shapes=train_iter.provide_data, label_shapes=train_iter.provide_label, for_training=False)
mod.set_params(arg_params, aux_params)
show("third epoch", mod.score(val_iter, mx.metric.Accuracy())[0][1])
mod = mx.mod.Module.load(prefix, 3, False)
mod.fit(train_iter, num_epoch=5, begin_epoch=3, eval_metric="ce", optimizer_params={"learning_rate": 0.05})
show("continued", mod.score(val_iter, ["ce", "acc"])[0][1])
for pred, i, batch in mod.iter_predict(val_iter):
    show("batch %d" % i, pred[0].argmax(axis=1)[:5])

devices = mx.mod.Module(network(), context=[mx.cpu(0), mx.cpu(1)])
train_iter.reset()
devices.fit(
    train_iter,
    num_epoch=3,
    initializer=Seeded(0.3),
    optimizer_params={"learning_rate": 0.1, "momentum": 0.9},
    kvstore="device",
)
show("two devices", devices.score(val_iter, "ce")[0][1])


class SimpleIter(mx.io.DataIter):
    def __init__(
        self, data_names, data_shapes, data_gen, label_names, label_shapes, label_gen, num_batches=4
    ):
        super(SimpleIter, self).__init__()
        self._provide_data = list(zip(data_names, data_shapes))
        self._provide_label = list(zip(label_names, label_shapes))
        self.num_batches = num_batches
        self.data_gen = data_gen
        self.label_gen = label_gen
        self.cur_batch = 0

    def __iter__(self):
        return self

    def reset(self):
        self.cur_batch = 0

    def __next__(self):
        return self.next()

    @property
    def provide_data(self):
        return self._provide_data

    @property
    def provide_label(self):
        return self._provide_label

    def next(self):
        if self.cur_batch < self.num_batches:
            self.cur_batch += 1
            data = [mx.nd.array(g(d[1])) for d, g in zip(self._provide_data, self.data_gen)]
            label = [mx.nd.array(g(d[1])) for d, g in zip(self._provide_label, self.label_gen)]
            return mx.io.DataBatch(data, label)
        raise StopIteration


gen = np.random.RandomState(1)
data_iter = SimpleIter(
    ["data"],
    [(10, 16)],
    [lambda s: gen.uniform(-1, 1, s)],
    ["softmax_label"],
    [(10,)],
    [lambda s: gen.randint(0, 5, s)],
)
mod = mx.mod.Module(symbol=network())
mod.fit(data_iter, num_epoch=3, initializer=Seeded(0.3))
show("own iterator", mod.get_params()[0]["fc2_bias"])
mod = mx.mod.Module(symbol=network(), fixed_param_names=["fc1_weight"])
train_iter.reset()
mod.bind(train_iter.provide_data, train_iter.provide_label, inputs_need_grad=True)
mod.init_params(Seeded(0.3))
before = mod.get_params()[0]["fc1_weight"].asnumpy()
mod.init_optimizer(optimizer_params={"learning_rate": 0.5})
mod.forward_backward(next(train_iter))
mod.update()
show("fixed", abs(mod.get_params()[0]["fc1_weight"].asnumpy() - before).sum())
show("input gradients", mod.get_input_grads()[0][0])
show("outputs", mod.get_outputs()[0][0])
