"""Hybridized blocks beside bare ONNX Runtime sessions on the files that they export.

    python benchmarks/hybrid.py [ROUNDS]

Both run in this process, in turns; medians over all turns are shown, and export and import times.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime as ort

import hybridonnx as mx
from hybridonnx.gluon import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "samples"))
from tutorial_network import TutorialNetwork


class Residual(mx.gluon.HybridBlock):
    """Two 3x3 convolutions with batch normalization, and a shortcut around them."""

    def __init__(self, channels, stride, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(
                nn.Conv2D(channels, 3, stride, 1, use_bias=False),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.Conv2D(channels, 3, 1, 1, use_bias=False),
                nn.BatchNorm(),
            )
            self.shortcut = nn.HybridSequential()
            if stride != 1:
                self.shortcut.add(nn.Conv2D(channels, 1, stride, use_bias=False), nn.BatchNorm())

    def hybrid_forward(self, F, x):
        return F.relu(self.body(x) + self.shortcut(x))


def resnet18():
    """ResNet-18 for images of (N, 3, 224, 224)."""
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Conv2D(64, 7, 2, 3, use_bias=False), nn.BatchNorm(), nn.Activation("relu"))
        net.add(nn.MaxPool2D(3, 2, 1))
        for channels, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            net.add(Residual(channels, stride), Residual(channels, 1))
        net.add(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(1000))
    return net


def timed(function):
    start = time.perf_counter()
    function()
    return 1000 * (time.perf_counter() - start)


def compare(name, net, shape, rounds, calls):
    """Print the medians for one network."""
    net.initialize(mx.init.Xavier())
    x = mx.nd.random.normal(shape=shape)
    with tempfile.TemporaryDirectory() as folder:
        net.hybridize(static_alloc=True, static_shape=True)
        net(x)
        net.export(f"{folder}/net")
        path = f"{folder}/net.onnx"

        def export():
            mx.onnx.export_model(
                f"{folder}/net-symbol.json", f"{folder}/net-0000.params", [shape], np.float32, path
            )

        exports = [timed(export) for _ in range(5)]
        imports = [timed(lambda: mx.onnx.import_model(path)) for _ in range(5)]
        session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    feeds = {session.get_inputs()[0].name: x.asnumpy()}
    assert np.allclose(session.run(None, feeds)[0], net(x).asnumpy(), rtol=1e-4, atol=1e-4)
    runs = {"hybridized": lambda: net(x), "bare session": lambda: session.run(None, feeds)}
    for run in runs.values():
        for _ in range(calls):
            run()
    times = {label: [] for label in runs}
    for _ in range(rounds):
        for label, run in runs.items():
            times[label] += [timed(run) for _ in range(calls)]
    medians = {label: statistics.median(values) for label, values in times.items()}
    ours, bare = medians["hybridized"], medians["bare session"]
    print(f"{name}: hybridized {ours:.4f} ms, bare session {bare:.4f} ms, ", end="")
    print(f"{1000 * (ours - bare):+.1f} µs, ratio {ours / bare:.3f}; ", end="")
    print(f"export {statistics.median(exports):.0f} ms, import {statistics.median(imports):.0f} ms")


if __name__ == "__main__":
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    compare("tutorial network, batch 16", TutorialNetwork(), (16, 1, 28, 28), rounds, 200)
    compare("ResNet-18, batch 1, 224x224", resnet18(), (1, 3, 224, 224), rounds, 10)
