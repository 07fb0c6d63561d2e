"""Style transfer as an optimization of the input: executors, gram matrices as symbols, total variation."""

from collections import namedtuple

import mxnet as mx
import numpy as np
from _seeded import draw, show

ConvExecutor = namedtuple("ConvExecutor", ["executor", "data", "data_grad", "style", "content", "arg_dict"])


def features():
    x = mx.sym.Variable("data")
    style, content = [], []
    for i, filters in enumerate((4, 6, 6)):
        x = mx.symbol.Convolution(
            name="conv%d" % i,
            data=x,
            num_filter=filters,
            pad=(1, 1),
            kernel=(3, 3),
            stride=(1, 1),
            no_bias=False,
            workspace=1024,
        )
        x = mx.symbol.Activation(name="relu%d" % i, data=x, act_type="relu")
        style.append(x)
        x = mx.symbol.Pooling(
            name="pool%d" % i, data=x, pad=(0, 0), kernel=(2, 2), stride=(2, 2), pool_type="avg"
        )
    content.append(style[1])
    return mx.sym.Group(style), mx.sym.Group(content)


def style_gram(size, style):
    _, output_shapes, _ = style.infer_shape(data=(1, 3, size[0], size[1]))
    grams, scales = [], []
    for i in range(len(style.list_outputs())):
        shape = output_shapes[i]
        x = mx.sym.Reshape(style[i], target_shape=(int(shape[1]), int(np.prod(shape[2:]))))
        grams.append(mx.sym.FullyConnected(x, x, no_bias=True, num_hidden=shape[1]))
        scales.append(np.prod(shape[1:]) * shape[1])
    return mx.sym.Group(grams), scales


def get_loss(gram, content):
    losses = []
    for i in range(len(gram.list_outputs())):
        goal = mx.sym.Variable("target_gram_%d" % i)
        losses.append(mx.sym.sum(mx.sym.square(goal - gram[i])))
    goal = mx.sym.Variable("target_content")
    return mx.sym.Group(losses), mx.sym.sum(mx.sym.square(goal - content))


def get_executor(style, content, size):
    out = mx.sym.Group([style, content])
    arg_shapes, _, _ = out.infer_shape(data=(1, 3, size[0], size[1]))
    names = out.list_arguments()
    arg_dict = {n: mx.nd.array(draw(n, s, 0.3)) for n, s in zip(names, arg_shapes)}
    grad_dict = {"data": arg_dict["data"].copyto(mx.cpu())}
    executor = out.bind(ctx=mx.cpu(), args=arg_dict, args_grad=grad_dict, grad_req="write")
    return ConvExecutor(
        executor, arg_dict["data"], grad_dict["data"], executor.outputs[:-1], executor.outputs[-1], arg_dict
    )


def total_variation(img, weight):
    simg = mx.sym.Variable("img")
    skernel = mx.sym.Variable("kernel")
    channels = mx.sym.SliceChannel(simg, num_outputs=3)
    out = mx.sym.Concat(
        *[
            mx.sym.Convolution(
                data=channels[i],
                weight=skernel,
                num_filter=1,
                kernel=(3, 3),
                pad=(1, 1),
                no_bias=True,
                stride=(1, 1),
            )
            for i in range(3)
        ]
    )
    kernel = mx.nd.array(np.array([[0, -1, 0], [-1, 4, -1], [0, -1, 0]]).reshape((1, 1, 3, 3))) / 8.0
    return (out * weight).bind(mx.cpu(), args={"img": img, "kernel": kernel})


size = (16, 20)
style, content = features()
gram, scales = style_gram(size, style)
model = get_executor(gram, content, size)
model.data[:] = draw("style picture", (1, 3, *size), 1)
model.executor.forward()
style_array = [mx.nd.zeros(o.shape) for o in model.executor.outputs[:-1]]
for i in range(len(style_array)):
    model.executor.outputs[i].copyto(style_array[i])
model.data[:] = draw("content picture", (1, 3, *size), 1)
model.executor.forward()
content_array = model.executor.outputs[-1].copyto(mx.cpu())
show("grams", style_array[0])
style_loss, content_loss = get_loss(gram, content)
out = mx.sym.Group([style_loss, content_loss])
arg_dict = dict(model.arg_dict)
for i in range(len(style_array)):
    arg_dict["target_gram_%d" % i] = style_array[i]
arg_dict["target_content"] = content_array
grad_dict = {"data": mx.nd.empty((1, 3, *size))}
executor = out.bind(ctx=mx.cpu(), args=arg_dict, args_grad=grad_dict, grad_req="write")
grad_array = []
for i in range(len(style_array)):
    grad_array.append(mx.nd.ones((1,)) * (1.0 / scales[i]))
grad_array.append(mx.nd.ones((1,)) * 5)
img = mx.nd.array(draw("start", (1, 3, *size), 0.1))
lr = mx.lr_scheduler.FactorScheduler(step=5, factor=0.9)
optimizer = mx.optimizer.NAG(learning_rate=1e-3, wd=0.0001, momentum=0.95, lr_scheduler=lr)
state = optimizer.create_state(0, img)
tv = total_variation(img, 1e-2)
losses, norms = [], []
for _ in range(10):
    img.copyto(executor.arg_dict["data"])
    executor.forward(is_train=True)
    executor.backward(grad_array)
    losses.append(sum(float(o.asnumpy().sum()) for o in executor.outputs))
    gnorm = mx.nd.norm(grad_dict["data"]).asscalar()
    if gnorm > 50:
        grad_dict["data"][:] *= 50 / gnorm
    tv.forward()
    optimizer.update(0, img, grad_dict["data"] + tv.outputs[0], state)
    norms.append(float(gnorm))
show("losses", losses)
show("norms", norms)
show("picture", img[0, 0, 0])
