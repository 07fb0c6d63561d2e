"""The Estimator: fit with metrics, validation, handlers of its own and of ours, stopping early."""

import logging
import os
import tempfile

import mxnet as mx
import numpy as np
from _seeded import Seeded, show
from mxnet import gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.contrib import estimator
from mxnet.gluon.contrib.estimator import CheckpointHandler, EarlyStoppingHandler, LoggingHandler
from mxnet.gluon.contrib.estimator.event_handler import BatchEnd, EpochEnd, TrainBegin, TrainEnd

logging.disable(logging.CRITICAL)
rng = np.random.RandomState(0)
labels = rng.randint(0, 4, 80)
points = (rng.normal(size=(4, 10))[labels] + rng.normal(0, 0.7, (80, 10))).astype("float32")
train_data = gluon.data.DataLoader(gluon.data.ArrayDataset(points[:60], labels[:60].astype("float32")), 20)
val_data = gluon.data.DataLoader(gluon.data.ArrayDataset(points[60:], labels[60:].astype("float32")), 20)


def network():
    net = nn.HybridSequential()
    net.add(nn.Dense(12, activation="relu"), nn.Dense(4))
    net.initialize(Seeded(0.3))
    return net


class LossRecordHandler(TrainBegin, TrainEnd, EpochEnd, BatchEnd):
    def __init__(self):
        super(LossRecordHandler, self).__init__()
        self.loss_history, self.batches = [], []

    def train_begin(self, estimator, *args, **kwargs):
        print("begin")

    def batch_end(self, estimator, *args, **kwargs):
        self.batches.append(kwargs["loss"][0].mean().asscalar())

    def epoch_end(self, estimator, *args, **kwargs):
        self.loss_history.append([metric.get()[1] for metric in estimator.train_metrics])

    def train_end(self, estimator, *args, **kwargs):
        print("end")


net = network()
loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3})
est = estimator.Estimator(
    net=net, loss=loss_fn, train_metrics=mx.metric.Accuracy(), trainer=trainer, context=mx.cpu()
)
recorder = LossRecordHandler()
est.fit(train_data=train_data, val_data=val_data, epochs=4, event_handlers=[recorder, LoggingHandler()])
show("batches", recorder.batches)
show("epochs", recorder.loss_history)
est.evaluate(val_data=val_data)
show("validation", [metric.get()[1] for metric in est.val_metrics])
print([metric.name for metric in est.train_metrics], [metric.name for metric in est.val_metrics])

folder = tempfile.mkdtemp()
net = network()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
est = estimator.Estimator(
    net=net, loss=loss_fn, train_metrics=[mx.metric.Accuracy(), mx.metric.TopKAccuracy(2)], trainer=trainer
)
checkpoint = CheckpointHandler(
    model_dir=folder, model_prefix="my_model", monitor=est.train_metrics[0], save_best=True, max_checkpoints=2
)
stopping = EarlyStoppingHandler(monitor=est.train_metrics[0], patience=1, mode="max")
recorder = LossRecordHandler()
est.fit(train_data, epochs=12, event_handlers=[checkpoint, stopping, recorder])
show("adam", recorder.batches)
print(sorted(name for name in os.listdir(folder) if name.endswith("params")))
best = network()
best.load_parameters(os.path.join(folder, "my_model-best.params"))
show("best", best(nd.array(points[:3])))
est = estimator.Estimator(network(), loss_fn, train_metrics=mx.metric.CrossEntropy())
est.fit(train_data, batches=4)
show("batches only", est.net(nd.array(points[:2])))
