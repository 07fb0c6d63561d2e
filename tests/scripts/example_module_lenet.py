"""Symbolic training of images: LeNet and a residual net with fit, features, a monitor."""

import logging
import os
import tempfile

import mxnet as mx
import numpy as np
from _seeded import Seeded, show

logging.basicConfig(level=logging.CRITICAL)
rng = np.random.RandomState(0)
labels = rng.randint(0, 5, 96)
images = (rng.rand(5, 1, 16, 16)[labels] + rng.normal(0, 0.25, (96, 1, 16, 16))).astype("float32")
train = mx.io.NDArrayIter(images[:64], labels[:64], 16)
val = mx.io.NDArrayIter(images[64:], labels[64:], 16)


def lenet(num_classes=5):
    data = mx.symbol.Variable("data")
    conv1 = mx.symbol.Convolution(data=data, kernel=(5, 5), num_filter=6)
    tanh1 = mx.symbol.Activation(data=conv1, act_type="tanh")
    pool1 = mx.symbol.Pooling(data=tanh1, pool_type="max", kernel=(2, 2), stride=(2, 2))
    conv2 = mx.symbol.Convolution(data=pool1, kernel=(3, 3), num_filter=8)
    tanh2 = mx.symbol.Activation(data=conv2, act_type="tanh")
    pool2 = mx.symbol.Pooling(data=tanh2, pool_type="max", kernel=(2, 2), stride=(2, 2))
    flatten = mx.symbol.Flatten(data=pool2)
    fc1 = mx.symbol.FullyConnected(data=flatten, num_hidden=24)
    tanh3 = mx.symbol.Activation(data=fc1, act_type="tanh")
    fc2 = mx.symbol.FullyConnected(data=tanh3, num_hidden=num_classes)
    return mx.symbol.SoftmaxOutput(data=fc2, name="softmax")


def residual_unit(data, num_filter, stride, dim_match, name, bn_mom=0.9):
    bn1 = mx.sym.BatchNorm(data=data, fix_gamma=False, eps=2e-5, momentum=bn_mom, name=name + "_bn1")
    act1 = mx.sym.Activation(data=bn1, act_type="relu", name=name + "_relu1")
    conv1 = mx.sym.Convolution(
        data=act1,
        num_filter=num_filter,
        kernel=(3, 3),
        stride=stride,
        pad=(1, 1),
        no_bias=True,
        name=name + "_conv1",
    )
    bn2 = mx.sym.BatchNorm(data=conv1, fix_gamma=False, eps=2e-5, momentum=bn_mom, name=name + "_bn2")
    act2 = mx.sym.Activation(data=bn2, act_type="relu", name=name + "_relu2")
    conv2 = mx.sym.Convolution(
        data=act2,
        num_filter=num_filter,
        kernel=(3, 3),
        stride=(1, 1),
        pad=(1, 1),
        no_bias=True,
        name=name + "_conv2",
    )
    if dim_match:
        shortcut = data
    else:
        shortcut = mx.sym.Convolution(
            data=act1, num_filter=num_filter, kernel=(1, 1), stride=stride, no_bias=True, name=name + "_sc"
        )
    return conv2 + shortcut


def resnet():
    data = mx.sym.Variable(name="data")
    data = mx.sym.BatchNorm(data=data, fix_gamma=True, eps=2e-5, momentum=0.9, name="bn_data")
    body = mx.sym.Convolution(data=data, num_filter=6, kernel=(3, 3), pad=(1, 1), no_bias=True, name="conv0")
    for i, filters in enumerate((6, 8)):
        body = residual_unit(body, filters, (i + 1, i + 1), i == 0, name="stage%d_unit1" % (i + 1))
    bn1 = mx.sym.BatchNorm(data=body, fix_gamma=False, eps=2e-5, momentum=0.9, name="bn1")
    relu1 = mx.sym.Activation(data=bn1, act_type="relu", name="relu1")
    pool1 = mx.sym.Pooling(data=relu1, global_pool=True, kernel=(7, 7), pool_type="avg", name="pool1")
    fc1 = mx.sym.FullyConnected(data=mx.sym.Flatten(data=pool1), num_hidden=5, name="fc1")
    return mx.sym.SoftmaxOutput(data=fc1, name="softmax")


def fit(title, symbol, **options):
    values, folder = [], tempfile.mkdtemp()
    model = mx.mod.Module(context=mx.cpu(), symbol=symbol)
    train.reset()
    model.fit(
        train,
        begin_epoch=0,
        num_epoch=4,
        eval_data=val,
        eval_metric=["accuracy", mx.metric.CrossEntropy()],
        kvstore=mx.kvstore.create("local"),
        optimizer="sgd",
        optimizer_params={"learning_rate": 0.1, "momentum": 0.9, "wd": 1e-4, **options},
        initializer=mx.init.Mixed([".*conv.*weight", ".*"], [Seeded(0.2), Seeded(0.15)]),
        batch_end_callback=[mx.callback.Speedometer(16, 2), lambda p: values.append(p.eval_metric.get()[1])],
        epoch_end_callback=mx.callback.do_checkpoint(os.path.join(folder, "m"), 2),
        allow_missing=True,
        monitor=None,
    )
    show(title, values)
    show(title + " validation", [v for _, v in model.score(val, ["acc", "ce", mx.metric.TopKAccuracy(3)])])
    print(sorted(os.listdir(folder)))
    return model


fit("lenet", lenet())
scheduler = mx.lr_scheduler.MultiFactorScheduler(step=[8, 12], factor=0.1)
model = fit("resnet", resnet(), lr_scheduler=scheduler)
arg_params, aux_params = model.get_params()
show("moving mean", aux_params["bn1_moving_mean"])
show("gamma", arg_params["bn_data_gamma"])
internals = resnet().get_internals()
feature = internals[
    "flatten%d_output" % [int(n[7:-7]) for n in internals.list_outputs() if n.startswith("flatten")][0]
]
extractor = mx.mod.Module(feature, label_names=None)
extractor.bind(val.provide_data, for_training=False)
extractor.set_params(arg_params, aux_params, allow_missing=True, allow_extra=True)
show("features", extractor.predict(val)[:2])
new = mx.sym.FullyConnected(mx.sym.BlockGrad(feature), num_hidden=2, name="new")
tuned = mx.mod.Module(mx.sym.SoftmaxOutput(new, name="softmax"))
two = mx.io.NDArrayIter(images[:64], labels[:64] % 2, 16)
values = []
tuned.fit(
    two,
    num_epoch=3,
    arg_params=arg_params,
    aux_params=aux_params,
    allow_missing=True,
    initializer=Seeded(0.3),
    eval_metric="ce",
    batch_end_callback=lambda p: values.append(p.eval_metric.get()[1]),
)
show("fine-tuned", values)
monitored = mx.mod.Module(lenet())
monitored.bind(train.provide_data, train.provide_label)
monitored.init_params(Seeded(0.2))
monitor = mx.mon.Monitor(
    1, stat_func=lambda x: mx.nd.norm(x) / np.sqrt(x.size), pattern=".*output", sort=True
)
monitored.install_monitor(monitor)
train.reset()
monitor.tic()
monitored.forward(next(train), is_train=True)
for step, name, value in monitor.toc():
    show(name, [float(v) for v in value.replace("[", " ").replace("]", " ").split()])
