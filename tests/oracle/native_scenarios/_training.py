"""Nets, data and logs that scenarios of training share."""

import logging
import re

import numpy as np

_VALUE = r"=(-?\d+\.\d{6})(?=\t|$)"


class Lines(logging.Handler):
    """Keeps what a logger of its own is told, with times as words and metrics as numbers."""

    def __init__(self):
        super().__init__()
        self.lines = []
        self.logger = logging.Logger("scenario")
        self.logger.addHandler(self)

    def emit(self, record):
        text = re.sub(r"(Time cost=)[\d.e+-]+", r"\1SECONDS", record.getMessage())
        text = re.sub(r"(Speed: )[\d.]+( samples)", r"\1NUMBER\2", text)
        text = re.sub(r"'/[^']*/|\"/[^\"]*/", '"', text)
        self.lines.append([record.levelname, re.sub(_VALUE, "=VALUE", text)])
        self.lines[-1] += [float(value) for value in re.findall(_VALUE, text)]


class RootLines(Lines):
    """Keeps what the root logger is told while it is entered."""

    def __enter__(self):
        root = logging.getLogger()
        self.before = root.level, root.handlers[:]
        root.handlers[:] = [self]
        root.setLevel(logging.INFO)
        return self

    def __exit__(self, *_):
        root = logging.getLogger()
        root.setLevel(self.before[0])
        root.handlers[:] = self.before[1]


def mlp(mx):
    """Two layers and a softmax over three classes."""
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=8, name="fc1")
    x = mx.sym.Activation(x, act_type="tanh", name="tanh1")
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(x, num_hidden=3, name="fc2"), name="softmax")


def convnet(mx):
    """A convolution with batch normalization and pooling."""
    x = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, pad=(1, 1), name="conv")
    x = mx.sym.BatchNorm(x, fix_gamma=False, momentum=0.8, name="bn")
    x = mx.sym.Pooling(mx.sym.Activation(x, act_type="relu"), kernel=(2, 2), stride=(2, 2), pool_type="max")
    x = mx.sym.FullyConnected(mx.sym.flatten(x), num_hidden=3, name="fc")
    return mx.sym.SoftmaxOutput(x, name="softmax")


def params(mx, net, seed=0, **shapes):
    """Values of the parameters and of the auxiliary states, the same ones each time."""
    rng = np.random.RandomState(seed)
    sizes, _, states = net.infer_shape(**shapes)
    arg_params = {}
    for name, shape in zip(net.list_arguments(), sizes, strict=True):
        if name not in shapes and not name.endswith("label"):
            base = 1 if name.endswith("gamma") else 0
            arg_params[name] = mx.nd.array(base + rng.uniform(-0.5, 0.5, shape))
    aux = {
        name: mx.nd.array(np.full(shape, 1 if name.endswith("var") else 0))
        for name, shape in zip(net.list_auxiliary_states(), states, strict=True)
    }
    return arg_params, aux


def blobs(rows=24, shape=(5,), seed=1):
    """Rows of three classes, with the classes."""
    rng = np.random.RandomState(seed)
    y = np.arange(rows) % 3
    x = rng.normal(size=(rows,) + shape) + 0.8 * y.reshape((rows,) + (1,) * len(shape))
    return x.astype("float32"), y.astype("float32")


def train_iter(mx, rows=24, batch=4, shape=(5,), **kwargs):
    """An iterator over such rows."""
    return mx.io.NDArrayIter(*blobs(rows, shape), batch, **kwargs)


def one_batch(mx, rows=4, shape=(5,)):
    """One batch of them."""
    x, y = blobs(rows, shape)
    return mx.io.DataBatch([mx.nd.array(x)], label=[mx.nd.array(y)])


def bound(mx, rows=4, optimizer=True, values=True, logger=None, kwargs=None, **binding):
    """The small net, bound, with values and an optimizer unless told otherwise."""
    options = dict(kwargs or {})
    if logger is not None:
        options["logger"] = logger
    net = mlp(mx)
    module = mx.mod.Module(net, **options)
    module.bind([("data", (rows, 5))], [("softmax_label", (rows,))], **binding)
    if values:
        module.init_params(None, *params(mx, net, data=(rows, 5)))
    if optimizer and values:
        module.init_optimizer(optimizer_params={"learning_rate": 0.1})
    return module
