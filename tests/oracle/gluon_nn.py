"""Writes gluon_nn.json and gluon_nn.npz: what the layers of real MXNet 1.9.1 look like and compute.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/gluon_nn.py

For each layer, written as an expression of `nn`, `cnn` (gluon.contrib.nn) and `mx`: its text before and after
initialization, its parameters, the symbol.json of the traced block, its output in predict mode, and if it
draws nothing its output and gradients in training mode. Values of parameters and inputs follow from name and
shape (`values`); head gradients are `values("head", shape)`. Mistakes are stored with the type of the error.
"""

import inspect
import json
import os
import re
import warnings
import zlib
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")
os.environ.setdefault("MXNET_MKLDNN_ENABLED", "0")
os.environ.setdefault("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "0")

import mxnet as mx
import numpy as np
from mxnet import autograd
from mxnet.gluon import nn
from mxnet.gluon.contrib import nn as cnn

FOLDER = Path(__file__).resolve().parent
DRAWS = ("Dropout(p = 0.",)
ONEDNN_ONLY = ("BatchNormReLU", "Conv3DTranspose")

LAYERS = {
    (2, 4): [
        "nn.Dense(3)",
        "nn.Dense(3, activation='relu')",
        "nn.Dense(3, activation='tanh', use_bias=False, in_units=4)",
        "nn.Dense(3, weight_initializer='normal', bias_initializer=mx.init.One(), prefix='fc_')",
        "nn.Dense(2, weight_initializer=mx.init.Xavier('gaussian', 'in', 2))",
        "nn.Flatten()",
        "nn.Dropout(0.5)",
        "nn.Dropout(0)",
        "nn.Dropout(0.3, axes=(1,))",
        "nn.BatchNorm()",
        "nn.BatchNorm(axis=-1, momentum=0.5, epsilon=0.001, center=False, scale=False)",
        "nn.BatchNorm(use_global_stats=True, in_channels=4, running_variance_initializer='zeros')",
        "nn.LayerNorm()",
        "nn.LayerNorm(axis=0, epsilon=0.1, center=False, scale=False, in_channels=2)",
        "nn.Lambda('relu')",
        "nn.Lambda(lambda x: x * 2)",
        "nn.HybridLambda('tanh')",
        "nn.HybridLambda(lambda F, x: F.relu(x) + 1)",
        "nn.Activation('relu')",
        "nn.Activation('sigmoid')",
        "nn.Activation('tanh')",
        "nn.Activation('softrelu')",
        "nn.Activation('softsign')",
        "nn.LeakyReLU(0.1)",
        "nn.PReLU()",
        "nn.PReLU(in_channels=4, alpha_initializer=mx.init.Constant(0.5))",
        "nn.ELU()",
        "nn.ELU(alpha=0.5)",
        "nn.SELU()",
        "nn.GELU()",
        "nn.Swish()",
        "nn.Swish(beta=2)",
        "cnn.Identity()",
    ],
    (2, 3, 4): [
        "nn.Dense(3)",
        "nn.Dense(3, flatten=False, activation='sigmoid')",
        "nn.Flatten()",
        "nn.LayerNorm(epsilon=0.01)",
        "nn.LayerNorm(axis=1)",
        "nn.InstanceNorm()",
        "nn.InstanceNorm(axis=2, scale=True, center=False, epsilon=0.01)",
        "nn.BatchNorm(axis=2)",
        "nn.PReLU(in_channels=3)",
        "cnn.PixelShuffle1D(3)",
        "nn.GroupNorm(num_groups=3)",
    ],
    (2, 4, 9): [
        "nn.Conv1D(3, 3)",
        "nn.Conv1D(6, 2, strides=2, padding=1, dilation=2, groups=2, activation='relu')",
        "nn.Conv1D(3, (1,), use_bias=False, in_channels=4)",
        "nn.Conv1DTranspose(3, 3)",
        "nn.Conv1DTranspose(2, 3, strides=2, padding=1, output_padding=1, groups=1, use_bias=False)",
        "nn.Conv1DTranspose(4, 2, dilation=2, groups=2, in_channels=4, activation='tanh')",
        "nn.MaxPool1D()",
        "nn.MaxPool1D(3, strides=2, padding=1, ceil_mode=True)",
        "nn.AvgPool1D(2, 1)",
        "nn.AvgPool1D(3, 2, 1, count_include_pad=False)",
        "nn.GlobalMaxPool1D()",
        "nn.GlobalAvgPool1D()",
        "nn.MaxPool1D(layout='NWC')",
    ],
    (2, 4, 6, 7): [
        "nn.Conv2D(3, 3)",
        "nn.Conv2D(3, (3, 2), strides=(2, 1), padding=(1, 0), dilation=(1, 2), activation='relu')",
        "nn.Conv2D(8, 3, padding=1, groups=4, use_bias=False)",
        "nn.Conv2D(4, kernel_size=1, in_channels=4, weight_initializer='zeros', bias_initializer='ones')",
        "nn.Conv2DTranspose(3, 3)",
        "nn.Conv2DTranspose(3, (4, 3), (2, 2), (1, 1), (1, 0), activation='relu')",
        "nn.Conv2DTranspose(4, 2, groups=2, in_channels=4, use_bias=False)",
        "nn.MaxPool2D()",
        "nn.MaxPool2D((3, 2), (2, 1), (1, 0), ceil_mode=True)",
        "nn.MaxPool2D(layout='NHWC')",
        "nn.AvgPool2D()",
        "nn.AvgPool2D(3, 2, 1, ceil_mode=True, count_include_pad=False)",
        "nn.GlobalMaxPool2D()",
        "nn.GlobalAvgPool2D()",
        "nn.GlobalAvgPool2D(layout='NHWC')",
        "nn.ReflectionPad2D(2)",
        "nn.ReflectionPad2D((0, 0, 0, 0, 1, 2, 3, 0))",
        "nn.BatchNorm()",
        "nn.BatchNorm(scale=False, center=False)",
        "nn.BatchNorm(axis=3, epsilon=0.01, gamma_initializer=mx.init.Uniform(1))",
        "nn.BatchNormReLU()",
        "nn.InstanceNorm(in_channels=4)",
        "nn.GroupNorm(num_groups=2)",
        "nn.GroupNorm(num_groups=4, epsilon=0.01, center=False, scale=False)",
        "nn.Dropout(0.5, axes=(2, 3))",
        "nn.PReLU(in_channels=4)",
        "cnn.PixelShuffle2D(2)",
        "cnn.PixelShuffle2D((1, 4))",
        "cnn.SyncBatchNorm(num_devices=1, in_channels=4)",
    ],
    (1, 8, 4, 3, 5): [
        "nn.Conv3D(2, 3)",
        "nn.Conv3D(4, (2, 1, 3), (1, 1, 2), (1, 0, 0), groups=2, activation='relu', use_bias=False)",
        "nn.Conv3DTranspose(2, 2, strides=2, output_padding=1)",
        "nn.MaxPool3D()",
        "nn.MaxPool3D((2, 3, 1), strides=1, padding=(1, 0, 0))",
        "nn.AvgPool3D(2, 1, 1)",
        "nn.GlobalMaxPool3D()",
        "nn.GlobalAvgPool3D()",
        "cnn.PixelShuffle3D(2)",
        "nn.BatchNorm()",
    ],
    "indices": [
        "nn.Embedding(10, 3)",
        "nn.Embedding(10, 3, weight_initializer='ones')",
        "nn.Embedding(10, 2, sparse_grad=True)",
    ],
}

MODELS = {
    "stacked": (
        (2, 3, 8, 8),
        """
net = nn.HybridSequential(prefix='net_')
with net.name_scope():
    net.add(nn.Conv2D(4, 3, padding=1), nn.BatchNorm(), nn.Activation('relu'), nn.MaxPool2D())
    net.add(nn.Conv2D(4, 3, use_bias=False), nn.BatchNorm(scale=False), nn.LeakyReLU(0.2))
    net.add(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(5, activation='relu'), nn.Dense(2))
""",
    ),
    "unscoped": (
        (2, 5),
        """
net = nn.HybridSequential()
net.add(nn.Dense(4, activation='relu'))
net.add(nn.Dense(3), nn.LayerNorm(), nn.GELU())
""",
    ),
    "nested": (
        (2, 4),
        """
net = nn.HybridSequential(prefix='')
with net.name_scope():
    inner = nn.HybridSequential()
    with inner.name_scope():
        inner.add(nn.Dense(4), nn.PReLU())
    net.add(inner, inner, nn.Dense(4, params=inner[0].params))
""",
    ),
    "concurrent": (
        (2, 4),
        """
net = cnn.HybridConcurrent(axis=1, prefix='c_')
with net.name_scope():
    net.add(nn.Dense(3), cnn.Identity(), nn.HybridLambda('relu'))
""",
    ),
    "eager": (
        (2, 4),
        """
net = nn.Sequential(prefix='e_')
with net.name_scope():
    net.add(nn.Dense(3), nn.Lambda(lambda x: x * 2))
both = cnn.Concurrent(axis=1, prefix='b_')
both.add(nn.Dense(2, prefix='last_'), nn.Dense(3, prefix='more_'))
net.add(both)
""",
    ),
}

MISTAKES = [
    "nn.Conv1D(4, 3, layout='NWC')",
    "nn.Conv2D(4, 3, layout='XXX')",
    "nn.Conv3D(4, 3, layout='XXX')",
    "nn.Conv2D(4, (3, 3, 3))",
    "nn.Conv2D(4, 'a')",
    "nn.Conv2D(4, 3.0)",
    "nn.Conv2D('a', 3)",
    "nn.Conv2D(4, 3, strides=(1, 1, 1))",
    "nn.Conv2D(4, 3, groups=3)",
    "nn.Conv2D(3, 3, groups=3, in_channels=5)",
    "nn.Conv1DTranspose(3, 3, output_padding=(1, 1))",
    "nn.Conv2DTranspose(3, 3, output_padding=(1,))",
    "nn.Conv3DTranspose(3, 3, output_padding=(1, 1))",
    "nn.MaxPool1D(layout='XX')",
    "nn.AvgPool2D(layout='XX')",
    "nn.GlobalAvgPool3D(layout='XX')",
    "nn.MaxPool2D((1, 2, 3))",
    "nn.MaxPool2D('a')",
    "nn.LeakyReLU(-1)",
    "nn.Lambda('foo')",
    "nn.Lambda(3)",
    "nn.HybridLambda('foo')",
    "nn.HybridLambda(3)",
    "nn.ReflectionPad2D((1, 2, 3, 4))",
    "nn.HybridSequential()[5]",
    "nn.HybridSequential().add(3)",
    "nn.HybridSequential().add(nn.Lambda('relu'))",
    "nn.Dense(3, foo=1)",
    "nn.Dense()",
    "nn.Dense(3, in_units=4, weight_initializer='foo').initialize()",
    "nn.Dense(3, in_units=4, bias_initializer='xavier').initialize()",
    "nn.Dense(3, in_units=4)(mx.nd.ones((2, 4)))",
]

REPRS = [
    "nn.Conv2D(4, 3, layout='NHWC')",
    "nn.Conv2D(4, 3, layout='NHWC', in_channels=2).weight",
    "nn.Conv3DTranspose(4, 3, layout='NDHWC', in_channels=2, groups=2).weight",
    "nn.Conv2DTranspose(4, 3, layout='NHWC')",
    "nn.Conv1D(4, 3, groups=2, in_channels=4)",
    "nn.MaxPool1D(strides=(1, 2, 3, 4))",
    "nn.MaxPool2D(strides=0)",
    "nn.Sequential()",
    "nn.HybridSequential()[0:2]",
    "cnn.Concurrent()",
    "cnn.HybridConcurrent()",
    "cnn.SyncBatchNorm(num_devices=2)",
    "cnn.SparseEmbedding(3, 4)",
    "nn.Dense('3')",
    "nn.Embedding(3, 4, dtype='float16')",
    "nn.Conv2D(3, 3).name",
    "nn.Conv2DTranspose(3, 3).name",
    "nn.MaxPool2D().prefix",
    "nn.AvgPool1D(count_include_pad=False)._kwargs",
    "nn.GlobalAvgPool2D()._kwargs",
    "nn.Conv2DTranspose(4, 3)._kwargs",
    "nn.Activation('sigmoid').name",
    "[p.grad_req for p in nn.BatchNorm(scale=False).params.values()]",
    "[p.grad_req for p in nn.BatchNorm(center=False).params.values()]",
    "[p.grad_req for p in nn.InstanceNorm().params.values()]",
    "[p.grad_req for p in nn.LayerNorm(scale=False, center=False).params.values()]",
    "[np.dtype(p.dtype).name for p in half(nn.BatchNorm(in_channels=3)).params.values()]",
    "[np.dtype(p.dtype).name for p in half(nn.Dense(3, in_units=3)).params.values()]",
    "[np.dtype(p.dtype).name for p in half(nn.LayerNorm(in_channels=3)).params.values()]",
    "[np.dtype(p.dtype).name for p in half(nn.HybridSequential(), nn.BatchNorm()).collect_params().values()]",
]


def half(block, *children):
    """The block, cast to float16."""
    block.add(*children) if children else None
    block.cast("float16")
    return block


def values(name, shape):
    """Float32 numbers that follow from the name and the shape; variances are positive."""
    draw = np.random.RandomState(zlib.crc32(f"{name} {tuple(shape)}".encode()))
    low, high = (0.5, 1.5) if name.endswith("var") else (-1.0, 1.0)
    return draw.uniform(low, high, shape).astype(np.float32)


def data_of(shape):
    """The input of a layer."""
    if shape == "indices":
        return mx.nd.array([[1, 0, 9], [3, 3, 1]])
    return mx.nd.array(values("data", shape))


def described(param):
    """What is written down of a parameter."""
    init = param.init if isinstance(param.init, str) or param.init is None else param.init.dumps()
    return [list(param.shape), np.dtype(param.dtype).name, param.grad_req, init]


def namespace():
    """What the expressions may use; block names are numbered anew."""
    mx.name.NameManager._current = type(mx.name.NameManager._current)()
    mx.name.NameManager._current.value = mx.name.NameManager()
    return {"nn": nn, "cnn": cnn, "mx": mx, "np": np, "half": half}


def record(key, net, shape, arrays):
    """The facts of one block; its arrays are put into `arrays` under names that begin with `key`."""
    fact = {"shape": shape, "repr": repr(net), "name": net.name}
    net.initialize()
    fact["params"] = {name: described(p) for name, p in net.collect_params().items()}
    x = data_of(shape)
    runs = not fact["repr"].startswith(ONEDNN_ONLY)
    net(x) if runs else [net.infer_shape(x), *(p._finish_deferred_init() for p in net.params.values())]
    fact["initialized"] = repr(net)
    fact["known"] = {name: list(p.shape) for name, p in net.collect_params().items()}
    if isinstance(net, mx.gluon.HybridBlock):
        fact["symbol"] = net(mx.sym.var("data")).tojson()
    if not runs:
        return fact
    for name, param in net.collect_params().items():
        param.set_data(mx.nd.array(values(name, param.shape)))
    arrays[f"{key}.out"] = net(x).asnumpy()
    if not any(draw in fact["repr"] for draw in DRAWS):
        train(key, net, x, shape, arrays)
    return fact


def train(key, net, x, shape, arrays):
    """Store the output and the gradients in training mode, and the statistics afterwards."""
    if shape != "indices":
        x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward(mx.nd.array(values("head", y.shape)))
    arrays[f"{key}.train.out"] = y.asnumpy()
    if shape != "indices":
        arrays[f"{key}.train.grad.data"] = x.grad.asnumpy()
    for name, param in net.collect_params().items():
        if param.grad_req == "null":
            arrays[f"{key}.train.value.{name}"] = param.data().asnumpy()
        else:
            arrays[f"{key}.train.grad.{name}"] = param.grad().asnumpy()


def mistake(text):
    """The class of the error that an expression raises."""
    try:
        eval(text, namespace())
    except Exception as exc:  # noqa: BLE001  (of any type)
        return type(exc).__name__
    raise SystemExit(f"{text}: raises nothing")


def signatures():
    """The parameters of each layer's constructor with defaults, objects as the names of their classes."""
    texts = {}
    for space in (nn, cnn):
        for name in dir(space):
            layer = getattr(space, name)
            if inspect.isclass(layer) and issubclass(layer, mx.gluon.Block) and "Block" not in name:
                text = str(inspect.signature(layer))
                texts[name] = re.sub(r"<[\w.]*?(\w+) object at \w+>", r"\1", text)
    return texts


def main():
    """Write both files."""
    warnings.simplefilter("ignore")
    arrays, layers, models = {}, {}, {}
    for shape, texts in LAYERS.items():
        for text in texts:
            key = f"{text} {shape}"
            layers[key] = {"layer": text, **record(key, eval(text, namespace()), shape, arrays)}
    for name, (shape, source) in MODELS.items():
        scope = namespace()
        exec(source, scope)
        models[name] = {"source": source, **record(name, scope["net"], shape, arrays)}
    facts = {
        "layers": layers,
        "models": models,
        "signatures": signatures(),
        "mistakes": {text: mistake(text) for text in MISTAKES},
        "reprs": {text: repr(eval(text, namespace())) for text in REPRS},
    }
    (FOLDER / "gluon_nn.json").write_text(json.dumps(facts, indent=1) + "\n")
    np.savez_compressed(FOLDER / "gluon_nn.npz", **arrays)


main()
