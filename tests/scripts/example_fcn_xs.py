"""Segmentation with symbols: Crop, bilinear Deconvolution, an executor bound by hand, Load and Mixed."""

import mxnet as mx
import numpy as np
from _seeded import draw, show


def filter_map(kernel=1, stride=1, pad=0):
    return (stride, (kernel - stride) / 2 - pad)


def conv(data, name, filters, kernel=3, pad=1, stride=1, relu=True):
    out = mx.symbol.Convolution(
        data=data,
        kernel=(kernel, kernel),
        num_filter=filters,
        pad=(pad, pad),
        stride=(stride, stride),
        name=name,
    )
    return mx.symbol.Activation(data=out, act_type="relu", name="relu_" + name) if relu else out


def offset():
    return (5, 5)


def network(classes=3):
    data = mx.symbol.Variable(name="data")
    c1 = conv(data, "conv1_1", 4, pad=10)
    pool1 = mx.symbol.Pooling(data=c1, pool_type="max", kernel=(2, 2), stride=(2, 2), name="pool1")
    c2 = conv(pool1, "conv2_1", 6)
    pool2 = mx.symbol.Pooling(data=c2, pool_type="max", kernel=(2, 2), stride=(2, 2), name="pool2")
    score2 = conv(mx.symbol.Dropout(data=conv(pool2, "fc6", 8), p=0.0), "score_fr", classes, 1, 0, relu=False)
    big = mx.symbol.Deconvolution(
        data=score2, kernel=(4, 4), stride=(2, 2), num_filter=classes, name="score2", no_bias=True
    )
    score1 = conv(pool1, "score_pool1", classes, 1, 0, relu=False)
    score1c = mx.symbol.Crop(
        *[score1, mx.symbol.Crop(big, h_w=(12, 14), center_crop=True)], name="score_pool1c", center_crop=True
    )
    bigc = mx.symbol.Crop(*[big, score1c], name="score2c", offset=(0, 0))
    fused = bigc + score1c
    big = mx.symbol.Deconvolution(
        data=fused,
        kernel=(4, 4),
        stride=(2, 2),
        adj=(1, 1),
        num_filter=classes,
        name="bigscore",
        no_bias=True,
    )
    upscore = mx.symbol.Crop(*[big, data], offset=offset(), name="upscore")
    return mx.symbol.SoftmaxOutput(
        data=upscore,
        multi_output=True,
        use_ignore=True,
        ignore_label=255,
        name="softmax",
        normalization="valid",
    )


def bilinear(shape):
    weight = np.zeros(np.prod(shape), dtype="float32")
    f = np.ceil(shape[3] / 2.0)
    c = (2 * f - 1 - f % 2) / (2.0 * f)
    for i in range(weight.size):
        x, y = i % shape[3], (i // shape[3]) % shape[2]
        weight[i] = (1 - abs(x / f - c)) * (1 - abs(y / f - c))
    return mx.nd.array(weight.reshape(shape))


symbol = network()
shapes = {"data": (2, 3, 16, 20)}
arg_shapes, out_shapes, _ = symbol.infer_shape(**shapes)
print(dict(zip(symbol.list_arguments(), arg_shapes))["bigscore_weight"], out_shapes)
args, grads = {}, {}
for name, shape in zip(symbol.list_arguments(), arg_shapes):
    if name in ("score2_weight", "bigscore_weight"):
        args[name] = bilinear(shape)
    elif name.endswith("bias"):
        args[name] = mx.nd.zeros(shape)
    else:
        args[name] = mx.nd.array(draw(name, shape, 0.3))
    if name not in ("data", "softmax_label"):
        grads[name] = mx.nd.zeros(shape)
label = (args["data"].asnumpy().sum(axis=1) > 0).astype("float32") + (draw("second", (2, 16, 20)) > 0.1)
label[:, 0] = 255
args["softmax_label"][:] = label.reshape(args["softmax_label"].shape)
executor = symbol.bind(mx.cpu(), args=args, args_grad=grads, grad_req="write", aux_states={})
optimizer = mx.optimizer.create("sgd", learning_rate=0.5, momentum=0.9, wd=0.0005, rescale_grad=1.0)
updater = mx.optimizer.get_updater(optimizer)
curve = []
for _ in range(8):
    executor.forward(is_train=True)
    out = executor.outputs[0].asnumpy()
    executor.backward()
    for index, name in enumerate(sorted(grads)):
        updater(index, grads[name], args[name])
    valid = label != 255
    p = np.take_along_axis(out, np.where(valid, label, 0).astype("int64")[:, None], 1)[:, 0]
    curve.append(-np.log(p[valid] + 1e-9).mean())
show("segmentation", curve)
show("upsampling", args["bigscore_weight"][0, 0])
internals = symbol.get_internals()
executor = internals["score2c_output"].simple_bind(mx.cpu(), grad_req="null", **shapes)
executor.copy_params_from(args, {}, allow_extra_params=True)
show("inside", executor.forward(is_train=False, data=args["data"])[0][0, 0])
mixed = mx.init.Mixed(
    [".*score.*weight", "conv.*weight", ".*"], [mx.init.Bilinear(), mx.init.One(), mx.init.Zero()]
)
for name in ("bigscore_weight", "conv1_1_weight", "conv1_1_bias"):
    array = mx.nd.empty(args[name].shape)
    mixed(mx.init.InitDesc(name), array)
    show("initialized " + name, array[0])
loader = mx.init.Load({"arg:" + k: v for k, v in args.items()}, default_init=mx.init.Zero())
array = mx.nd.empty(args["fc6_weight"].shape)
loader("fc6_weight", array)
show("loaded", array[0, 0])
