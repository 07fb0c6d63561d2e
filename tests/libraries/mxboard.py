"""MXBoard: every kind of summary, read from the event file again."""

from __future__ import annotations

import os
import struct

os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"

import mxnet as mx
import numpy as np
from mxboard import SummaryWriter
from mxboard.proto import event_pb2
from mxnet import gluon, nd

from tests.libraries.harness import check


def values(folder):
    """The values of all summaries in a folder's event files, and the graphs."""
    found, graphs = [], []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if "tfevents" not in name or not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            data = file.read()
        while data:
            (size,) = struct.unpack("<Q", data[:8])
            event = event_pb2.Event.FromString(data[12 : 12 + size])
            data = data[16 + size :]
            found += [(event.step, value) for value in event.summary.value]
            graphs += [event.graph_def] if event.graph_def else []
    return found, graphs


def drawn(*shape, low=0.0, high=1.0):
    return nd.array(np.random.RandomState(0).uniform(low, high, shape).astype("float32"))


@check("scalars")
def scalars():
    with SummaryWriter("scalars", flush_secs=1, verbose=False) as writer:
        for i in range(5):
            writer.add_scalar("loss", 1 / (i + 1), i)
            writer.add_scalar("both", {"train": i, "valid": i * 2}, i)
            writer.add_scalar("array", nd.array([i]).asscalar(), i)
        writer.export_scalars("scalars.json")
    found, _ = values("scalars")
    assert os.path.getsize("scalars.json") > 0
    return {"steps": [step for step, _ in found], "values": [value.simple_value for _, value in found]}


@check("histograms")
def histograms():
    with SummaryWriter("histograms", verbose=False) as writer:
        writer.add_histogram("weight", drawn(50, low=-1), 1, bins=8)
        writer.add_histogram("default", drawn(50, low=-1), 1)
    found, _ = values("histograms")
    return {
        f"{name} {value.tag}": list(getattr(value.histo, name))
        for _, value in found
        for name in ("bucket", "bucket_limit")
    }


@check("images, sounds and texts")
def media():
    with SummaryWriter("media", verbose=False) as writer:
        writer.add_image("one", drawn(3, 8, 8), 0)
        writer.add_image("grid", drawn(5, 3, 8, 8), 0)
        writer.add_image("bytes", (drawn(8, 8) * 255).astype("uint8"), 0)
        writer.add_audio("tone", drawn(400, low=-1), 8000, 0)
        writer.add_text("word", "some text", 0)
    found, _ = values("media")
    sizes = [(v.image.height, v.image.width, len(v.image.encoded_image_string)) for _, v in found]
    return {"sizes": sizes, "sound": [v.audio.length_frames for _, v in found], "count": len(found)}


@check("embeddings and curves")
def curves():
    with SummaryWriter("curves", verbose=False) as writer:
        writer.add_embedding("rows", drawn(6, 4), labels=nd.arange(6), images=drawn(6, 3, 4, 4))
        writer.add_pr_curve("curve", nd.array([0, 1, 1, 0, 1]), drawn(5), 10, 0)
    found, _ = values("curves")
    files = [name for _, _, names in os.walk("curves") for name in names if "tfevents" not in name]
    return {"curve": list(found[0][1].tensor.float_val), "files": len(files)}


@check("graphs of networks", skip={"run": "MXBoard's protobuf files have no maps for protobuf 4"})
def graphs():
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Conv2D(4, 3), gluon.nn.BatchNorm(), gluon.nn.Activation("relu"), gluon.nn.Dense(2))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    net(drawn(1, 3, 8, 8))
    with SummaryWriter("graphs", verbose=False) as writer:
        writer.add_graph(net)
        writer.add_graph(net(mx.sym.var("data")))
    _, found = values("graphs")
    return {"count": len(found), "bytes": [len(graph) for graph in found]}


@check("summaries while training")
def training():
    net = gluon.nn.Dense(2, in_units=3)
    net.initialize(mx.init.One())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    with SummaryWriter("training", verbose=False) as writer:
        for i in range(3):
            with mx.autograd.record():
                loss = (net(drawn(4, 3)) ** 2).mean()
            loss.backward()
            for name, parameter in net.collect_params().items():
                writer.add_histogram(name.split("_", 1)[1], parameter.grad(), i, bins=4)
            trainer.step(1)
            writer.add_scalar("loss", loss.asscalar(), i)
    found, _ = values("training")
    return {
        "values": [value.simple_value for _, value in found],
        "tags": [len(value.tag) for _, value in found],
    }
