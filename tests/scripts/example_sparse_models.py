"""Factorization machine, wide and deep, and matrix factorization with Module and sparse gradients."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, show

rng = np.random.RandomState(0)
dense = (rng.rand(80, 24) < 0.2) * rng.uniform(0.5, 1.5, (80, 24))
clicked = (dense.dot(rng.normal(size=24)) + (dense[:, 0] * dense[:, 3]) > 0).astype("float32")
csr = mx.nd.array(dense).tostype("csr")


def factorization_machine(factor_size, num_features):
    x = mx.symbol.Variable("data", stype="csr")
    v = mx.symbol.Variable(
        "v", shape=(num_features, factor_size), stype="row_sparse", init=Seeded(0.2), lr_mult=1.5
    )
    w1_weight = mx.symbol.Variable("w1_weight", shape=(num_features, 1), stype="row_sparse")
    w1_bias = mx.symbol.Variable("w1_bias", shape=(1,))
    w1 = mx.symbol.broadcast_add(mx.symbol.sparse.dot(x, w1_weight), w1_bias)
    v_s = mx.symbol._internal._square_sum(data=v, axis=1, keepdims=True)
    x_s = mx.symbol.square(data=x)
    bd_sum = mx.sym.sparse.dot(x_s, v_s)
    w2 = mx.symbol.sparse.dot(x, v)
    w2_squared = 0.5 * mx.symbol.square(data=w2)
    w_all = mx.symbol.Concat(w1, w2_squared, dim=1)
    sum1 = mx.symbol.sum(data=w_all, axis=1, keepdims=True)
    sum2 = -0.5 * bd_sum
    model = sum1 + sum2
    y = mx.symbol.Variable("softmax_label")
    return mx.symbol.LogisticRegressionOutput(data=model, label=y)


def log_loss(label, pred):
    label, pred = label.ravel(), np.clip(pred.ravel(), 1e-7, 1 - 1e-7)
    return float(-(label * np.log(pred) + (1 - label) * np.log(1 - pred)).mean())


train = mx.io.NDArrayIter(csr, clicked, 20, label_name="softmax_label", last_batch_handle="discard")
mod = mx.mod.Module(symbol=factorization_machine(4, 24))
mod.bind(data_shapes=train.provide_data, label_shapes=train.provide_label)
mod.init_params(initializer=Seeded(0.2))
optimizer = mx.optimizer.create("adam", learning_rate=0.05, wd=0.0001, beta1=0.9, beta2=0.98, epsilon=1e-7)
mod.init_optimizer(kvstore="local", optimizer=optimizer)
metric = mx.metric.create([log_loss, "mse"])
curve = []
for epoch in range(5):
    train.reset()
    metric.reset()
    for batch in train:
        mod.forward(batch, is_train=True)
        mod.update_metric(metric, batch.label)
        mod.backward()
        mod.update()
    curve.append(metric.get()[1])
show("factorization machine", curve)
show("factors", mod.get_params()[0]["v"].tostype("default")[:3])


def wide_deep(num_linear, num_embed, cards):
    csr_data = mx.symbol.Variable("csr_data", stype="csr")
    label = mx.symbol.Variable("softmax_label")
    weight = mx.symbol.Variable("linear_weight", stype="row_sparse", shape=(num_linear, 2))
    bias = mx.symbol.Variable("linear_bias", shape=(2,))
    linear_out = mx.symbol.broadcast_add(mx.sym.sparse.dot(csr_data, weight), bias)
    dns_data = mx.symbol.Variable("dns_data")
    x = mx.symbol.slice(data=dns_data, begin=(0, 0), end=(None, len(cards)))
    embeds = mx.symbol.split(data=x, num_outputs=len(cards), squeeze_axis=1)
    features = []
    for i, card in enumerate(cards):
        embed_weight = mx.symbol.Variable("embed_%d_weight" % i, stype="row_sparse")
        features.append(
            mx.symbol.contrib.SparseEmbedding(
                data=embeds[i], weight=embed_weight, input_dim=card, output_dim=num_embed
            )
        )
    rest = mx.symbol.slice(data=dns_data, begin=(0, len(cards)), end=(None, None))
    hidden = mx.symbol.concat(*(features + [rest]), dim=1)
    hidden = mx.symbol.FullyConnected(data=hidden, num_hidden=8)
    hidden = mx.symbol.Activation(data=hidden, act_type="relu")
    deep_out = mx.symbol.FullyConnected(data=hidden, num_hidden=2)
    return mx.symbol.SoftmaxOutput(linear_out + deep_out, label, name="model")


columns = np.concatenate(
    [rng.randint(0, 5, (80, 1)), rng.randint(0, 7, (80, 1)), rng.normal(size=(80, 3))], axis=1
)
train = mx.io.NDArrayIter(
    {"csr_data": csr, "dns_data": columns}, {"softmax_label": clicked}, 20, last_batch_handle="discard"
)
mod = mx.mod.Module(
    wide_deep(24, 3, [5, 7]), data_names=["csr_data", "dns_data"], label_names=["softmax_label"]
)
mod.bind(data_shapes=train.provide_data, label_shapes=train.provide_label)
mod.init_params(Seeded(0.2))
mod.init_optimizer(optimizer="adam", optimizer_params={"learning_rate": 0.03})
metric = mx.metric.create(["acc", "ce"])
curve = []
for epoch in range(5):
    train.reset()
    metric.reset()
    for batch in train:
        mod.forward_backward(batch)
        mod.update()
        mod.update_metric(metric, batch.label)
    curve.append(metric.get()[1])
show("wide and deep", curve)


def matrix_factorization(factor_size, num_hidden, max_user, max_item, sparse):
    user, item = mx.symbol.Variable("user"), mx.symbol.Variable("item")
    score = mx.symbol.Variable("score")
    kind = {"stype": "row_sparse"} if sparse else {}
    user_weight = mx.symbol.Variable("user_weight", **kind)
    item_weight = mx.symbol.Variable("item_weight", **kind)
    embed = dict(output_dim=factor_size, sparse_grad=sparse)
    user = mx.symbol.Embedding(data=user, weight=user_weight, input_dim=max_user, **embed)
    item = mx.symbol.Embedding(data=item, weight=item_weight, input_dim=max_item, **embed)
    user = mx.symbol.FullyConnected(data=mx.symbol.Activation(user, act_type="relu"), num_hidden=num_hidden)
    pred = mx.symbol.sum_axis(data=user * item, axis=1)
    pred = mx.symbol.Flatten(data=pred)
    return mx.symbol.LinearRegressionOutput(data=pred, label=score)


users, items = rng.randint(0, 12, 100), rng.randint(0, 9, 100)
scores = (rng.normal(size=(12, 2))[users] * rng.normal(size=(9, 2))[items]).sum(axis=1)
for sparse in (True, False):
    train = mx.io.NDArrayIter({"user": users, "item": items}, {"score": scores}, 25)
    mod = mx.mod.Module(
        matrix_factorization(4, 4, 12, 9, sparse), data_names=["user", "item"], label_names=["score"]
    )
    values = []
    mod.fit(
        train,
        num_epoch=5,
        initializer=Seeded(0.5),
        optimizer="sgd",
        optimizer_params={"learning_rate": 0.3, "momentum": 0.9, "wd": 1e-4},
        eval_metric=mx.metric.RMSE(),
        batch_end_callback=lambda p: values.append(p.eval_metric.get()[1]),
    )
    show("sparse" if sparse else "dense", values)
