"""A language model over sentences of several lengths: BucketingModule and cells of symbols."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, show

rng = np.random.RandomState(0)
words = "the a cat dog bird sees hears likes big small red and then sleeps runs".split()
sentences = []
for _ in range(80):
    sentence = [words[i] for i in rng.randint(0, len(words), rng.randint(3, 11))]
    sentences.append(sentence[:2] + [sentence[1]] + sentence[2:])
buckets = [4, 8, 12]
encoded, vocab = mx.rnn.encode_sentences(sentences, invalid_label=0, start_label=1)
print(len(vocab), encoded[0])
np.random.seed(5)
import random  # noqa: E402

random.seed(5)
data_train = mx.rnn.BucketSentenceIter(encoded, 8, buckets=buckets, invalid_label=0)
print(data_train.default_bucket_key, data_train.provide_data, data_train.provide_label)


def train(title, make_cell, fused=False):
    stack = make_cell()

    def sym_gen(seq_len):
        data = mx.sym.Variable("data")
        label = mx.sym.Variable("softmax_label")
        embed = mx.sym.Embedding(data=data, input_dim=len(vocab) + 1, output_dim=8, name="embed")
        stack.reset()
        outputs, states = stack.unroll(seq_len, inputs=embed, merge_outputs=True, layout="NTC")
        pred = mx.sym.Reshape(outputs, shape=(-1, 12))
        pred = mx.sym.FullyConnected(data=pred, num_hidden=len(vocab) + 1, name="pred")
        label = mx.sym.Reshape(label, shape=(-1,))
        pred = mx.sym.SoftmaxOutput(data=pred, label=label, name="softmax", use_ignore=True, ignore_label=0)
        return pred, ("data",), ("softmax_label",)

    model = mx.mod.BucketingModule(
        sym_gen=sym_gen, default_bucket_key=data_train.default_bucket_key, context=mx.cpu()
    )
    curve, lengths = [], []
    np.random.seed(6)
    random.seed(6)
    data_train.reset()
    model.bind(data_train.provide_data, data_train.provide_label)
    model.init_params(Seeded(0.2))
    model.init_optimizer(
        optimizer="sgd", optimizer_params={"learning_rate": 0.5, "momentum": 0.9, "wd": 1e-5}
    )
    metric = mx.metric.Perplexity(0)
    for epoch in range(3):
        data_train.reset()
        metric.reset()
        for batch in data_train:
            model.forward(batch)
            model.update_metric(metric, batch.label)
            model.backward()
            model.update()
            curve.append(metric.get()[1])
            lengths.append(batch.bucket_key)
    show(title, curve)
    show(title + " buckets", lengths[:8])
    arg_params, aux_params = model.get_params()
    print(sorted(arg_params))
    show(title + " bias", arg_params["pred_bias"][:6])


def stacked():
    stack = mx.rnn.SequentialRNNCell()
    for i in range(2):
        stack.add(mx.rnn.LSTMCell(num_hidden=12, prefix="lstm_l%d_" % i))
    return stack


train("lstm", stacked)
train("gru", lambda: mx.rnn.GRUCell(num_hidden=12, prefix="gru_"))
train("fused", lambda: mx.rnn.FusedRNNCell(12, num_layers=1, mode="lstm", prefix="lstm_").unfuse())
