"""Sparse arrays: linear regression with csr data and row_sparse weights, Module and Gluon; embeddings."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, draw, show
from mxnet import autograd, gluon, nd

rng = np.random.RandomState(0)
dense = rng.normal(size=(60, 20)) * (rng.rand(60, 20) < 0.2)
target = dense.dot(rng.normal(size=20))
train_data = nd.array(dense).tostype("csr")
print(train_data.stype, train_data.shape)
show("matrix", [train_data.data.sum().asscalar(), train_data.indptr[-1].asscalar()])
show("rows", train_data[2:4].tostype("default").sum(axis=0))
show("dot", nd.sparse.dot(train_data, nd.ones((20, 2)))[:4])
back = nd.sparse.dot(train_data, nd.ones((60, 1)), transpose_a=True)
show("transposed", back.tostype("default"))

X = mx.sym.Variable("data", stype="csr")
Y = mx.symbol.Variable("lin_label")
weight = mx.symbol.Variable("weight", stype="row_sparse", shape=(20, 1))
bias = mx.symbol.Variable("bias", shape=(1,))
pred = mx.symbol.broadcast_add(mx.sym.sparse.dot(X, weight), bias)
lro = mx.symbol.LinearRegressionOutput(data=pred, label=Y, name="lro")
train_iter = mx.io.NDArrayIter(train_data, target, 20, last_batch_handle="discard", label_name="lin_label")
mod = mx.mod.Module(symbol=lro, data_names=["data"], label_names=["lin_label"])
mod.bind(data_shapes=train_iter.provide_data, label_shapes=train_iter.provide_label)
mod.init_params(initializer=Seeded(0.2))
for optimizer, parameters in (
    ("sgd", {"learning_rate": 0.05, "lazy_update": True}),
    ("adam", {"learning_rate": 0.05}),
):
    mod.init_optimizer(kvstore="local", optimizer=optimizer, optimizer_params=parameters, force_init=True)
    metric = mx.metric.create("MSE")
    curve = []
    for epoch in range(5):
        train_iter.reset()
        metric.reset()
        for batch in train_iter:
            mod.forward(batch, is_train=True)
            mod.update_metric(metric, batch.label)
            mod.backward()
            mod.update()
        curve.append(metric.get()[1])
    show(optimizer, curve)
show("weight", mod.get_params()[0]["weight"].tostype("default")[:5])


class LinearRegression(gluon.nn.Block):
    def __init__(self, in_features, **kwargs):
        super(LinearRegression, self).__init__(**kwargs)
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=(in_features, 1), stype="row_sparse", grad_stype="row_sparse"
            )

    def forward(self, x):
        rows = nd.array(np.unique(x.indices.asnumpy()), dtype="int64")
        return nd.sparse.dot(x, self.weight.row_sparse_data(rows))


net = LinearRegression(20, prefix="linear_")
net.initialize(Seeded(0.2))
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": 0.5})
loss = gluon.loss.L2Loss()
curve = []
for step in range(12):
    i = step % 3 * 20
    batch, y = train_data[i : i + 20], nd.array(target[i : i + 20])
    with autograd.record():
        l = loss(net(batch), y)
    l.backward()
    trainer.step(20)
    curve.append(l.mean().asscalar())
show("gluon", curve)
print(net.weight.grad().stype)

embedding = gluon.nn.Embedding(30, 4, sparse_grad=True)
embedding.initialize(Seeded(0.5))
for name, options in (
    ("sgd", {"learning_rate": 0.5, "momentum": 0.9}),
    ("adam", {"learning_rate": 0.1}),
    ("adagrad", {"learning_rate": 0.1}),
):
    trainer = gluon.Trainer(embedding.collect_params(), name, options)
    curve = []
    for step in range(6):
        tokens = nd.array(rng.randint(0, 30, (4, 3)))
        with autograd.record():
            l = (embedding(tokens).sum(axis=1) - 1).square().mean()
        l.backward()
        trainer.step(1)
        curve.append(l.asscalar())
    show("embedding " + name, curve)
grad = embedding.weight.grad()
print(
    grad.stype,
    sorted(grad.indices.asnumpy().tolist()) == sorted(set(tokens.asnumpy().ravel().astype(int).tolist())),
)
rsp = nd.sparse.row_sparse_array((draw("v", (3, 2), 1), [1, 4, 6]), shape=(8, 2))
show("retain", nd.sparse.retain(rsp, nd.array([4, 5])).tostype("default"))
show("norm", rsp.norm())
kv = mx.kv.create("local")
kv.init("w", rsp)
out = nd.sparse.zeros("row_sparse", (8, 2))
kv.row_sparse_pull("w", out=out, row_ids=nd.array([1, 6]))
show("pulled", out.tostype("default"))
added = nd.sparse.add(rsp, rsp)
print(added.stype)
show("sum", added.tostype("default").sum())
