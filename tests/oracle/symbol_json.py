"""Writes json/*.json: -symbol.json files exactly as Apache MXNet 1.9.1 writes them.

Run it with the oracle environment's Python (mxnet 1.9.1, numpy 1.23.5):

    MXNET_SUBGRAPH_BACKEND=NONE python tests/oracle/symbol_json.py
"""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")

import mxnet as mx
from mxnet import gluon
from mxnet.gluon import nn

FOLDER = Path(__file__).resolve().parent / "json"


class Net(gluon.HybridBlock):
    """Two convolutions, two poolings, two dense layers, and a last layer written by hand."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.conv1 = nn.Conv2D(6, kernel_size=5)
            self.pool1 = nn.MaxPool2D(pool_size=2)
            self.conv2 = nn.Conv2D(16, kernel_size=5)
            self.pool2 = nn.MaxPool2D(pool_size=2)
            self.fc1 = nn.Dense(120)
            self.fc2 = nn.Dense(84)
            self.fc3_weight = self.params.get("fc3_weight", shape=(10, 84))

    def hybrid_forward(self, F, x, fc3_weight):
        x = self.pool1(F.relu(self.conv1(x)))
        x = self.pool2(F.relu(self.conv2(x)))
        x = x.reshape((0, -1))
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return F.dot(x, fc3_weight, transpose_b=True)


def exported(net, shape):
    net.initialize()
    net.hybridize()
    net(mx.nd.ones(shape))
    with tempfile.TemporaryDirectory() as folder:
        net.export(f"{folder}/net", epoch=1)
        return Path(f"{folder}/net-symbol.json").read_bytes()


def normalized():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            nn.Conv2D(4, 3, use_bias=False),
            nn.BatchNorm(),
            nn.Activation("relu"),
            nn.Dropout(0.3),
            nn.HybridLambda(lambda F, x: 2 * x - x / 1.5 + 1e-5),
            nn.GlobalAvgPool2D(),
            nn.Flatten(),
        )
    return exported(net, (2, 3, 8, 8))


def several_heads():
    data = mx.sym.var("data", shape=(0, 6), dtype="float32", lr_mult=2, __note__='a "quoted"\tπ\\n')
    parts = mx.sym.split(data, num_outputs=3, axis=1, name="parts")
    total = mx.sym.broadcast_add(parts[0], parts[2], name="total")
    fc = mx.sym.FullyConnected(parts[1], num_hidden=2, name="fc", ctx_group="dev1")
    group = mx.sym.Group([total, parts[1], mx.sym.SoftmaxOutput(fc, name="softmax"), data])
    return saved(group)


def loop():
    with mx.name.NameManager():
        rows, state = mx.sym.var("rows"), mx.sym.var("state")
        out, state = mx.sym.contrib.foreach(lambda row, s: (row + s, row * s), rows, state, name="loop")
    return saved(mx.sym.Group([out, state]))


def saved(symbol):
    with tempfile.TemporaryDirectory() as folder:
        symbol.save(f"{folder}/saved-symbol.json")
        return Path(f"{folder}/saved-symbol.json").read_bytes()


def main():
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "lenet-symbol.json").write_bytes(exported(Net(prefix="net0_"), (1, 3, 32, 32)))
    (FOLDER / "normalized-symbol.json").write_bytes(normalized())
    (FOLDER / "heads-symbol.json").write_bytes(several_heads())
    (FOLDER / "loop-symbol.json").write_bytes(loop())


if __name__ == "__main__":
    main()
