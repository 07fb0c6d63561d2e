"""A small convolutional network in a file, which tests predict rows (3, 8, 8) with."""

import hybridonnx as mx
from hybridonnx.gluon import nn


def write_model(folder):
    """Write it into a folder; its path."""
    path = folder / "net.onnx"
    mx.random.seed(5)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.GlobalAvgPool2D(), nn.Dense(6))
    net.initialize(mx.init.Xavier())
    mx.onnx.export_model(net, path, input_shapes=[("batch", 3, 8, 8)])
    return path
