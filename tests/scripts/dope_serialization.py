"""Arrays and networks in files; hybrid networks exported, their symbols looked at, read back."""

import json
import os
import tempfile

import mxnet as mx
from _seeded import Seeded, draw, show
from mxnet import gluon, nd
from mxnet.gluon import nn

folder = tempfile.mkdtemp()
path = lambda name: os.path.join(folder, name)  # noqa: E731
X = nd.ones((10, 10))
Y = nd.zeros((10, 10))
nd.save(path("single"), X)
nd.save(path("list"), [X, Y])
nd.save(path("dict"), {"X": X, "Y": Y, "half": X.astype("float16"), "int": nd.arange(5, dtype="int64")})
loaded = nd.load(path("single"))
print(type(loaded).__name__, len(loaded))
show("list", [a.sum().asscalar() for a in nd.load(path("list"))])
mydict = nd.load(path("dict"))
print(sorted((k, v.dtype.__name__, v.shape) for k, v in mydict.items()))


class Net(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Net, self).__init__(**kwargs)
        with self.name_scope():
            self.conv = nn.Conv2D(4, kernel_size=3)
            self.norm = nn.BatchNorm()
            self.fc1 = nn.Dense(8)
            self.fc2 = nn.Dense(3)

    def hybrid_forward(self, F, x):
        x = F.relu(self.norm(self.conv(x)))
        x = F.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max")
        x = F.relu(self.fc1(x))
        return self.fc2(x)


net = Net(prefix="net_")
net.initialize(Seeded(0.3))
x = nd.array(draw("x", (2, 1, 8, 8), 1))
before = net(x)
show("eager", before)
net.hybridize()
show("hybrid", net(x))
net.export(path("model"), epoch=7)
print(sorted(name for name in os.listdir(folder) if name.startswith("model")))
graph = json.load(open(path("model-symbol.json")))
print([node["op"] for node in graph["nodes"] if node["op"] != "null"])
print([node["name"] for node in graph["nodes"] if node["op"] == "null"])
sym, arg_params, aux_params = mx.model.load_checkpoint(path("model"), 7)
print(sym.list_arguments(), sym.list_auxiliary_states(), sym.list_outputs())
show("aux", aux_params["net_batchnorm0_running_var"])
again = gluon.SymbolBlock.imports(path("model-symbol.json"), ["data"], path("model-0007.params"))
show("imported", again(x))
net.save_parameters(path("net.params"))
print(sorted(nd.load(path("net.params"))))
other = Net(prefix="other_")
other.load_parameters(path("net.params"), ctx=mx.cpu())
show("other", other(x))
short = Net(prefix="short_")
short.fc2 = nn.Dense(5)
try:
    short.load_parameters(path("net.params"))
except AssertionError:
    print("shapes differ")
net.collect_params().save(path("old.params"), strip_prefix="net_")
renamed = Net(prefix="renamed_")
renamed.collect_params().load(path("old.params"), restore_prefix="renamed_")
show("renamed", renamed(x))
data = mx.sym.var("data")
traced = net(data)
internals = traced.get_internals()
print([name for name in internals.list_outputs() if name.endswith("_output")])
feature = gluon.SymbolBlock(
    internals[
        "net_fc1_fwd_output" if "net_fc1_fwd_output" in internals.list_outputs() else "net_dense0_fwd_output"
    ],
    data,
    params=net.collect_params(),
)
show("feature", feature(x))
print(traced.infer_shape(data=(2, 1, 8, 8))[1])
