"""Output layers: SVMOutput, logistic and absolute regression, NCE loss for word vectors with a Module."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, show

rng = np.random.RandomState(0)
labels = rng.randint(0, 4, 100)
points = (rng.normal(size=(4, 8))[labels] + rng.normal(0, 0.8, (100, 8))).astype("float32")


def fit(title, output, label_name, label, metric, **options):
    iterator = mx.io.NDArrayIter(points, label, 20, label_name=label_name)
    mod = mx.mod.Module(output, label_names=[label_name])
    values = []
    mod.fit(
        iterator,
        num_epoch=4,
        initializer=Seeded(0.3),
        eval_metric=metric,
        optimizer_params={"learning_rate": 0.1, "wd": 0.001, **options},
        batch_end_callback=lambda p: values.append(p.eval_metric.get()[1]),
    )
    show(title, values)
    show(title + " weight", mod.get_params()[0]["last_weight"][0])


def scores(count):
    data = mx.symbol.Variable("data")
    hidden = mx.symbol.Activation(mx.symbol.FullyConnected(data, name="fc1", num_hidden=12), act_type="relu")
    return mx.symbol.FullyConnected(data=hidden, name="last", num_hidden=count)


fit("l2 svm", mx.symbol.SVMOutput(data=scores(4), name="svm"), "svm_label", labels, "acc")
l1 = mx.symbol.SVMOutput(
    data=scores(4), name="svm", use_linear=True, margin=0.5, regularization_coefficient=0.7
)
fit("l1 svm", l1, "svm_label", labels, "acc")
odd = (labels % 2).reshape((-1, 1)).astype("float32")
fit("logistic", mx.sym.LogisticRegressionOutput(scores(1), name="lro"), "lro_label", odd, "mse")
fit("absolute", mx.sym.MAERegressionOutput(scores(1), name="mae"), "mae_label", odd, "mae", momentum=0.5)
multi = mx.sym.SoftmaxOutput(
    scores(4), name="softmax", grad_scale=0.5, smooth_alpha=0.1, normalization="batch"
)
fit("smooth", multi, "softmax_label", labels, "ce", rescale_grad=1.0)


def nce_loss(data, label, label_weight, embed_weight, vocab_size, num_hidden):
    label_embed = mx.sym.Embedding(
        data=label, input_dim=vocab_size, weight=embed_weight, output_dim=num_hidden, name="label_embed"
    )
    data = mx.sym.Reshape(data=data, shape=(-1, 1, num_hidden))
    pred = mx.sym.broadcast_mul(data, label_embed)
    pred = mx.sym.sum(data=pred, axis=2)
    return mx.sym.LogisticRegressionOutput(data=pred, label=label_weight)


def word2vec(num_input, vocab_size, num_hidden):
    data = mx.symbol.Variable("data")
    label = mx.symbol.Variable("label")
    label_weight = mx.symbol.Variable("label_weight")
    embed_weight = mx.symbol.Variable("embed_weight")
    data_embed = mx.symbol.Embedding(
        data=data, input_dim=vocab_size, weight=embed_weight, output_dim=num_hidden, name="data_embed"
    )
    parts = mx.symbol.SliceChannel(data=data_embed, num_outputs=num_input, squeeze_axis=1, name="data_slice")
    hidden = parts[0]
    for i in range(1, num_input):
        hidden = hidden + parts[i]
    return nce_loss(hidden, label, label_weight, embed_weight, vocab_size, num_hidden)


context = rng.randint(0, 20, (80, 4))
target = np.concatenate([context[:, :1], rng.randint(0, 20, (80, 4))], axis=1)
positive = np.zeros((80, 5), "float32")
positive[:, 0] = 1
iterator = mx.io.NDArrayIter({"data": context}, {"label": target, "label_weight": positive}, 20)
mod = mx.mod.Module(word2vec(4, 20, 6), data_names=["data"], label_names=["label", "label_weight"])


class NceLoss(mx.metric.EvalMetric):
    def __init__(self):
        super(NceLoss, self).__init__("nce")

    def update(self, labels, preds):
        weight, pred = labels[1].asnumpy(), preds[0].asnumpy()
        self.sum_metric -= (weight * np.log(pred) + (1 - weight) * np.log(1 - pred)).sum()
        self.num_inst += len(pred)


values = []
mod.fit(
    iterator,
    num_epoch=4,
    optimizer="sgd",
    optimizer_params={"learning_rate": 0.3, "momentum": 0.9},
    initializer=Seeded(0.5),
    eval_metric=NceLoss(),
    batch_end_callback=lambda p: values.append(p.eval_metric.get()[1]),
)
show("nce", values)
