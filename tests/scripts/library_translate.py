"""Translation with symbols, by a Module: attention, label smoothing, beam search."""

import mxnet as mx
import numpy as np
from _seeded import Seeded, show

rng = np.random.RandomState(0)
PAD, BOS, EOS, vocab, length, batch = 0, 1, 2, 12, 6, 8
source = np.zeros((40, length))
lengths = rng.randint(2, length, 40)
target = np.zeros((40, length))
for row, n in enumerate(lengths):
    words = rng.randint(3, vocab, n)
    source[row, :n] = words
    target[row, :n] = words[::-1]
    target[row, n] = EOS
previous = np.concatenate([np.full((40, 1), BOS), target[:, :-1]], axis=1) * (
    np.arange(length) <= lengths[:, None]
)


def layer_norm(x, name):
    gamma, beta = mx.sym.Variable(name + "_gamma", shape=(8,)), mx.sym.Variable(name + "_beta", shape=(8,))
    return mx.sym.LayerNorm(x, gamma=gamma, beta=beta, axis=-1, eps=1e-6, name=name)


def attention(queries, memory, bias, prefix):
    def project(x, name):
        x = mx.sym.FullyConnected(x, num_hidden=8, no_bias=True, flatten=False, name=prefix + name)
        x = mx.sym.transpose(mx.sym.reshape(x, shape=(0, -1, 2, 4)), axes=(0, 2, 1, 3))
        return mx.sym.reshape(x, shape=(-3, -1, 4))

    q, k, v = project(queries, "q"), project(memory, "k"), project(memory, "v")
    logits = mx.sym.batch_dot(q * 4**-0.5, k, transpose_b=True)
    logits = mx.sym.broadcast_add(logits, bias)
    context = mx.sym.batch_dot(mx.sym.softmax(logits), v)
    context = mx.sym.reshape(context, shape=(-4, -1, 2, 0, 0))
    context = mx.sym.reshape(mx.sym.transpose(context, axes=(0, 2, 1, 3)), shape=(0, -1, 8))
    return mx.sym.FullyConnected(context, num_hidden=8, no_bias=True, flatten=False, name=prefix + "out")


def feed_forward(x, prefix):
    h = mx.sym.Activation(
        mx.sym.FullyConnected(x, num_hidden=16, flatten=False, name=prefix + "in"), act_type="relu"
    )
    return mx.sym.FullyConnected(h, num_hidden=8, flatten=False, name=prefix + "out")


def embedded(data, weight, positions, prefix):
    x = mx.sym.Embedding(data, weight=weight, input_dim=vocab, output_dim=8, name=prefix + "embed")
    return mx.sym.broadcast_add(x * 8**0.5, positions)


def network(train):
    data, lens, prev = mx.sym.Variable("source"), mx.sym.Variable("lengths"), mx.sym.Variable("prev")
    weight = mx.sym.Variable("shared_weight", shape=(vocab, 8))
    positions = mx.sym.Variable("positions_weight", shape=(length, 8))
    positions = mx.sym.expand_dims(mx.sym.BlockGrad(positions), axis=0)
    row = mx.sym.swapaxes(mx.sym.expand_dims(data * 0, 2), dim1=0, dim2=1)
    mask = mx.sym.SequenceMask(row, use_sequence_length=True, sequence_length=lens, value=-1e8)
    mask = mx.sym.transpose(mask, axes=(1, 2, 0))
    mask = mx.sym.reshape(
        mx.sym.broadcast_axis(mx.sym.expand_dims(mask, 1), axis=1, size=2), shape=(-3, 0, 0)
    )
    x = embedded(data, weight, positions, "source_")
    x = x + attention(layer_norm(x, "enc_pre"), layer_norm(x, "enc_pre_m"), mask, "enc_att_")
    memory = x + feed_forward(layer_norm(x, "enc_ff_pre"), "enc_ff_")
    auto = mx.sym.Variable("auto", shape=(1, length, length))
    y = embedded(prev, weight, positions, "target_")
    y = y + attention(
        layer_norm(y, "dec_pre"), layer_norm(y, "dec_pre_m"), mx.sym.BlockGrad(auto), "dec_self_"
    )
    y = y + attention(layer_norm(y, "dec_src"), memory, mask, "dec_src_")
    y = y + feed_forward(layer_norm(y, "dec_ff_pre"), "dec_ff_")
    y = mx.sym.reshape(y, shape=(-3, 0))
    logits = mx.sym.FullyConnected(y, weight=weight, num_hidden=vocab, no_bias=True, name="logits")
    if not train:
        return mx.sym.softmax(logits)
    label = mx.sym.reshape(mx.sym.Variable("label"), shape=(-1,))
    return mx.sym.SoftmaxOutput(
        logits,
        label,
        use_ignore=True,
        ignore_label=PAD,
        normalization="valid",
        smooth_alpha=0.1,
        name="softmax",
    )


auto = np.triu(np.full((1, length, length), -1e8), 1)
positions = np.array([[np.sin(t / 10 ** (i / 4)) for i in range(8)] for t in range(length)])
fixed = {"auto": mx.nd.array(auto), "positions_weight": mx.nd.array(positions)}
names = ["source", "lengths", "prev"]
train = mx.io.NDArrayIter({"source": source, "lengths": lengths, "prev": previous}, {"label": target}, batch)
module = mx.mod.Module(network(True), data_names=names, label_names=["label"], fixed_param_names=list(fixed))
module.bind(train.provide_data, train.provide_label)
module.init_params(Seeded(0.3), arg_params=fixed, allow_missing=True)
module.init_optimizer(
    kvstore="device",
    optimizer="adam",
    optimizer_params={"learning_rate": 0.02, "clip_gradient": 1.0, "rescale_grad": 1.0},
)
perplexity = mx.metric.Perplexity(PAD, output_names=["softmax_output"], label_names=["label"])
curve = []
for epoch in range(5):
    train.reset()
    perplexity.reset()
    for b in train:
        module.forward_backward(b)
        module.update()
        module.update_metric(perplexity, b.label)
        curve.append(perplexity.get()[1])
show("perplexity", curve)
arg_params, aux_params = module.get_params()
show("gamma", arg_params["enc_pre_gamma"])

infer = mx.mod.Module(network(False), data_names=names, label_names=None)
infer.bind([("source", (3, length)), ("lengths", (3,)), ("prev", (3, length))], for_training=False)
infer.set_params(arg_params, aux_params, allow_extra=True)


def beam(row, size=3):
    hypotheses, scores = np.full((size, length), PAD), np.array([0.0] + [-np.inf] * (size - 1))
    hypotheses[:, 0] = BOS
    src, n = mx.nd.array(np.repeat(source[row : row + 1], size, 0)), mx.nd.full((size,), lengths[row])
    for t in range(length - 1):
        infer.forward(mx.io.DataBatch([src, n, mx.nd.array(hypotheses)]), is_train=False)
        probabilities = infer.get_outputs()[0].reshape((size, length, vocab))[:, t]
        total = mx.nd.array(scores).expand_dims(1) + mx.nd.log(probabilities)
        values, indices = mx.nd.topk(total.reshape((1, -1)), k=size, ret_typ="both")
        indices = indices.asnumpy().astype(int)[0]
        hypotheses = hypotheses[indices // vocab]
        hypotheses[:, t + 1] = indices % vocab
        scores = values.asnumpy()[0]
    return hypotheses, scores


for row in range(3):
    hypotheses, scores = beam(row)
    print(hypotheses.tolist())
    show("scores", scores)
