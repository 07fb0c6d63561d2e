"""Blocks and layers of one's own; parameters read, shared, initialized and saved."""

import os
import tempfile

from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, init, nd
from mxnet.gluon import nn


class MLP(nn.Block):
    def __init__(self, **kwargs):
        super(MLP, self).__init__(**kwargs)
        self.hidden = nn.Dense(16, activation="relu")
        self.output = nn.Dense(4)

    def forward(self, x):
        return self.output(self.hidden(x))


class MySequential(nn.Block):
    def add(self, block):
        self._children[block.name] = block

    def forward(self, x):
        for block in self._children.values():
            x = block(x)
        return x


class FancyMLP(nn.Block):
    def __init__(self, **kwargs):
        super(FancyMLP, self).__init__(**kwargs)
        self.rand_weight = self.params.get_constant("rand_weight", nd.array(draw("constant", (20, 20), 0.5)))
        self.dense = nn.Dense(20, activation="relu")

    def forward(self, x):
        x = self.dense(x)
        x = nd.relu(nd.dot(x, self.rand_weight.data()) + 1)
        x = self.dense(x)
        while x.norm().asscalar() > 1:
            x = x / 2
        if x.norm().asscalar() < 0.8:
            x = x * 10
        return x.sum()


class CenteredLayer(nn.Block):
    def forward(self, x):
        return x - x.mean()


class MyDense(nn.Block):
    def __init__(self, units, in_units, **kwargs):
        super(MyDense, self).__init__(**kwargs)
        self.weight = self.params.get("weight", shape=(in_units, units))
        self.bias = self.params.get("bias", shape=(units,))

    def forward(self, x):
        linear = nd.dot(x, self.weight.data()) + self.bias.data()
        return nd.relu(linear)


class MyInit(init.Initializer):
    def _init_weight(self, name, data):
        data[:] = nd.array(draw(name, data.shape, 10))
        data *= data.abs() >= 5


X = nd.array(draw("X", (2, 20), 1))
net = MLP()
net.initialize(Seeded())
show("mlp", net(X))
sequential = MySequential()
sequential.add(nn.Dense(16, activation="relu"))
sequential.add(nn.Dense(4))
sequential.initialize(Seeded())
show("sequential", sequential(X))
fancy = FancyMLP()
fancy.initialize(Seeded())
with autograd.record():
    y = fancy(X)
y.backward()
show("fancy", y)
show("fancy gradient", fancy.dense.weight.grad().norm())
nested = nn.Sequential()
nested.add(MLP(), nn.Dense(20), FancyMLP(), CenteredLayer())
nested.initialize(Seeded())
show("nested", nested(X))

print(net.hidden.params)
print(sorted(net.collect_params().keys()))
shared = nn.Dense(8, activation="relu")
tied = nn.Sequential()
tied.add(
    nn.Dense(8, activation="relu"), shared, nn.Dense(8, activation="relu", params=shared.params), nn.Dense(10)
)
tied.initialize(Seeded())
with autograd.record():
    y = tied(X).sum()
y.backward()
show("tied", (tied[1].weight.data() == tied[2].weight.data()).sum())
show("tied gradient", tied[1].weight.grad()[0])
tied[0].weight.initialize(init=MyInit(), force_reinit=True)
show("own initializer", tied[0].weight.data()[0])
tied.initialize(init=init.Constant(1), force_reinit=True)
show("constant", tied(X)[0])
tied[0].weight.set_data(tied[0].weight.data() + 1)
show("after set_data", tied(X)[0])

dense = MyDense(units=3, in_units=20)
dense.initialize(Seeded())
show("my dense", dense(X))
with tempfile.TemporaryDirectory() as folder:
    filename = os.path.join(folder, "mlp.params")
    net.save_parameters(filename)
    net2 = MLP()
    net2.load_parameters(filename)
    show("loaded", (net2(X) == net(X)).asnumpy())
    nd.save(os.path.join(folder, "xy"), {"x": X, "y": nd.ones(3)})
    stored = nd.load(os.path.join(folder, "xy"))
    show("stored", stored["x"][0])
    print(sorted(stored))
try:
    MLP().hidden.weight.data()
except (gluon.parameter.DeferredInitializationError, RuntimeError) as error:
    print(isinstance(error, RuntimeError))
