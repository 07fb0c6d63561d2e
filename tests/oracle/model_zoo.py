"""Writes model_zoo.json: what the networks of real MXNet 1.9.1 look like, write and compute.

Run it with the oracle environment's Python:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/model_zoo.py

Large texts are there as SHA-256 sums. To read what is behind one, give the expression of the network:

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/model_zoo.py "vision.resnet50_v2()"

prints its parameters, its text and its symbol.json. Of three networks the symbol.json is kept in model_zoo/.
"""

import hashlib
import inspect
import json
import math
import os
import sys
import zlib
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx
import numpy as np
from mxnet.gluon.model_zoo import model_store, vision

FOLDER = Path(__file__).resolve().parent
WHOLE = ["alexnet", "squeezenet1.0", "resnet18_v1"]

NAMES = sorted(model_store._model_sha1)
NETWORKS = [f"vision.get_model({name!r})" for name in NAMES] + [
    "vision.get_model('resnet18_v1', classes=7, prefix='p_')",
    "vision.get_model('MobileNetV2_0.25', classes=7, prefix='p_')",
    "vision.get_model('densenet121', dropout=0.2)",
    "vision.get_mobilenet(0.3)",
    "vision.get_mobilenet_v2(0.3)",
    "vision.get_mobilenet_v2(1.4, classes=3)",
    "vision.get_resnet(2, 34, thumbnail=True)",
    "vision.get_vgg(11, batch_norm=True)",
    "vision.vgg13_bn(batch_norm=False)",
    "vision.DenseNet(8, 4, [2, 1], bn_size=2, dropout=0.3, classes=5)",
    "vision.ResNetV1(vision.BasicBlockV1, [1, 2], [8, 8, 16], thumbnail=True)",
    "vision.ResNetV1(vision.BottleneckV1, [1, 1], [8, 8, 32], classes=5)",
    "vision.ResNetV2(vision.BasicBlockV2, [2], [8, 16], classes=5)",
    "vision.ResNetV2(vision.BottleneckV2, [1, 1], [8, 8, 32], thumbnail=True)",
    "vision.VGG([1, 2], [4, 8], classes=5, batch_norm=True)",
    "vision.SqueezeNet('1.1', classes=5, prefix='')",
    "vision.BasicBlockV1(8, 2, downsample=True, in_channels=3)",
    "vision.BasicBlockV2(8, 2)",
    "vision.BottleneckV1(8, 2, True, prefix='b_')",
    "vision.BottleneckV2(8, 1, True)",
]

SIZES = {"densenet": 224, "inception": 299, "squeezenet": 224}
"""The smallest images that these networks take; the others get 64 × 64."""

MISTAKES = [
    "vision.get_model('resnet18')",
    "vision.get_model('resnet18_v1', foo=1)",
    "vision.get_resnet(3, 18)",
    "vision.get_resnet(1, 19)",
    "vision.SqueezeNet('1.2')",
    "vision.VGG([1], [1, 2])",
    "vision.ResNetV1(vision.BasicBlockV1, [1, 1], [8, 8])",
    "vision.get_mobilenet(0.3, pretrained=True)",
    "model_store.short_hash('foo')",
]


def size_of(name):
    """Height and width of the images for a network."""
    return next((size for start, size in SIZES.items() if name.startswith(start)), 64)


def values(name, shape):
    """The numbers of a parameter or of an image: weights scaled so that deep networks keep the range."""
    draw = np.random.RandomState(zlib.crc32(f"{name} {tuple(shape)}".encode()))
    low, high = (0.5, 1.5) if name.endswith(("gamma", "running_var")) else (-1.0, 1.0)
    scale = math.sqrt(6 / math.prod(shape[1:])) if name.endswith("weight") else 1.0
    return (scale * draw.uniform(low, high, shape)).astype(np.float32)


def network(text):
    """The network of an expression, with names numbered anew."""
    mx.name.NameManager._current.value = mx.name.NameManager()
    return eval(text)


def parameters(net):
    """A line for each parameter: name, shape, dtype, gradient, initializer."""
    lines = []
    for name, p in net.collect_params().items():
        init = p.init if isinstance(p.init, str) or p.init is None else p.init.dumps()
        lines.append(f"{name} {tuple(p.shape)} {np.dtype(p.dtype).name} {p.grad_req} {init}")
    return "\n".join(lines)


def texts(net):
    """What is compared by its sum."""
    return {
        "repr": repr(net),
        "params": parameters(net),
        "places": "\n".join(net._collect_params_with_prefix()),
        "symbol": net(mx.sym.var("data")).tojson(),
    }


def record(text):
    """The facts of one expression."""
    parts = texts(network(text))
    sums = {key: hashlib.sha256(value.encode()).hexdigest() for key, value in parts.items()}
    return {"nodes": len(json.loads(parts["symbol"])["nodes"]), **sums}


def predict(name):
    """The scores of one image, ten classes; what export writes is what the symbol's text is."""
    net = network(f"vision.get_model({name!r}, classes=10)")
    size = size_of(name)
    net.initialize()
    image = mx.nd.array(values("data", (1, 3, size, size)))
    net.hybridize()
    net(image)
    for key, param in net.collect_params().items():
        param.set_data(mx.nd.array(values(key, param.shape)))
    out = net(image).asnumpy()
    path = FOLDER / "exported"
    net.export(str(path))
    files = [path.with_name(f"exported{end}") for end in ("-symbol.json", "-0000.params")]
    exported = files[0].read_text()
    for file in files:
        file.unlink()
    assert exported == network(f"vision.get_model({name!r}, classes=10)")(mx.sym.var("data")).tojson()
    return [float(f"{v:.8g}") for v in out.ravel()]


def mistake(text):
    """The class of the error that an expression raises."""
    try:
        network(text)
    except Exception as exc:  # noqa: BLE001  (of any type)
        return type(exc).__name__
    raise SystemExit(f"{text}: raises nothing")


def main():
    """Write the files."""
    public = {n: f for n, f in vars(vision).items() if not n.startswith("_") and not inspect.ismodule(f)}
    home = str(Path.home())
    facts = {
        "names": NAMES,
        "hashes": {name: model_store.short_hash(name) for name in NAMES},
        "signatures": {n: str(inspect.signature(f)).replace(home, "~") for n, f in public.items()},
        "networks": {text: record(text) for text in NETWORKS},
        "scores": {name: predict(name) for name in NAMES},
        "mistakes": {text: mistake(text) for text in MISTAKES},
    }
    (FOLDER / "model_zoo.json").write_text(json.dumps(facts, indent=1) + "\n")
    for name in WHOLE:
        text = texts(network(f"vision.get_model({name!r})"))["symbol"]
        (FOLDER / "model_zoo" / f"{name}-symbol.json").write_text(text)


if len(sys.argv) > 1:
    print(*texts(network(sys.argv[1])).values(), sep="\n")
else:
    main()
