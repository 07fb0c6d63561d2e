"""Linear regression with Gluon's data, layers, loss and Trainer."""

from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd
from mxnet.gluon import data as gdata
from mxnet.gluon import loss as gloss
from mxnet.gluon import nn

features = nd.array(draw("features", (120, 2), 1))
labels = nd.dot(features, nd.array([2, -3.4])) + 4.2 + nd.array(draw("noise", (120,), 0.01))
dataset = gdata.ArrayDataset(features, labels)
data_iter = gdata.DataLoader(dataset, 10, shuffle=False)

net = nn.Sequential()
net.add(nn.Dense(1))
net.initialize(Seeded(sigma=0.01))
loss = gloss.L2Loss()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.03})

for epoch in range(1, 6):
    for X, y in data_iter:
        with autograd.record():
            l = loss(net(X), y)
        l.backward()
        trainer.step(10)
    show("epoch %d" % epoch, loss(net(features), labels).mean())
dense = net[0]
show("weight", dense.weight.data())
show("bias", dense.bias.data())
show("gradient", dense.weight.grad())
