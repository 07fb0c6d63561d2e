"""Sentences in buckets, and language models that train on them."""

import contextlib
import io
import random

import numpy as np

from tests.oracle.native_scenarios._training import params

_WORDS = [["a", "b", "c"], ["b", "d"], ["a"] * 7, ["x", "y", "z", "a", "b"]]


def encoded(mx, show):
    encode = mx.rnn.encode_sentences
    show(*encode(_WORDS))
    show(*encode(_WORDS, start_label=1, invalid_label=0, invalid_key="\0"))
    show(*encode(_WORDS, invalid_label=2, start_label=1))
    known = {"a": 3, "b": 4}
    show(*encode([["a", "b"]], vocab=known))
    show.error(encode, _WORDS, vocab=known)
    show(*encode(_WORDS, vocab={"a": 3, "b": 4, "<u>": 9}, unknown_token="<u>"))
    show(*encode(_WORDS, vocab={"a": 3, "b": 4}, unknown_token="<u>"))


def _sentences(count=40, words=9, longest=12, seed=1):
    rng = np.random.RandomState(seed)
    return [[int(x) for x in rng.randint(1, words, rng.randint(2, longest))] for _ in range(count)]


def _quiet(fn, *args, **kwargs):
    with contextlib.redirect_stdout(io.StringIO()):
        return fn(*args, **kwargs)


def batches(mx, show):
    for kwargs in (
        {"buckets": [4, 8, 10]},
        {"buckets": [8, 4], "layout": "TN"},
        {},
        {"buckets": [4, 8], "dtype": "int32", "invalid_label": 0, "data_name": "d", "label_name": "l"},
    ):
        random.seed(3)
        np.random.seed(3)
        it = _quiet(mx.rnn.BucketSentenceIter, _sentences(), 3, **kwargs)
        show([repr(d) for d in it.provide_data + it.provide_label], it.default_bucket_key, it.buckets)
        for _ in range(2):
            for batch in it:
                show(batch.bucket_key, batch.pad, [repr(d) for d in batch.provide_data + batch.provide_label])
                show(batch.data, batch.label)
            it.reset()
    show.error(_quiet, mx.rnn.BucketSentenceIter, _sentences(), 3, buckets=[4], layout="XX")
    show.error(_quiet, mx.rnn.BucketSentenceIter, _sentences(), 100)


def _language_model(mx, stack, words=9, hidden=6):
    def generate(length):
        data, label = mx.sym.var("data"), mx.sym.var("softmax_label")
        embedded = mx.sym.Embedding(data=data, input_dim=words, output_dim=5, name="embed")
        stack.reset()
        outputs, _ = stack.unroll(length, inputs=embedded, merge_outputs=True)
        scores = mx.sym.FullyConnected(
            mx.sym.Reshape(outputs, shape=(-1, hidden)), num_hidden=words, name="pred"
        )
        net = mx.sym.SoftmaxOutput(
            scores, mx.sym.Reshape(label, shape=(-1,)), use_ignore=True, ignore_label=0, name="softmax"
        )
        return net, ("data",), ("softmax_label",)

    return generate


def _stack(mx, kind):
    if kind == "fused":
        return mx.rnn.FusedRNNCell(6, num_layers=2, mode="lstm", prefix="lm_")
    stack = mx.rnn.SequentialRNNCell()
    for i in range(2):
        stack.add(getattr(mx.rnn, kind)(6, prefix=f"lm_l{i}_"))
    return stack


def _train(mx, show, kind, optimizer):
    random.seed(5)
    np.random.seed(5)
    data = _quiet(mx.rnn.BucketSentenceIter, _sentences(60), 4, buckets=[4, 8, 12], invalid_label=0)
    generate = _language_model(mx, _stack(mx, kind))
    model = mx.mod.BucketingModule(generate, default_bucket_key=data.default_bucket_key)
    losses = []
    net = generate(data.default_bucket_key)[0]
    values = params(mx, net, data=(4, 12), softmax_label=(4, 12))
    model.fit(
        data,
        eval_data=data,
        eval_metric=mx.metric.Perplexity(0),
        kvstore="local",
        optimizer=optimizer[0],
        optimizer_params=optimizer[1],
        arg_params=values[0],
        aux_params=values[1],
        num_epoch=3,
        batch_end_callback=lambda p: losses.append(p.eval_metric.get()[1]),
        eval_end_callback=lambda p: losses.append(p.eval_metric.get()[1]),
    )
    show(losses)
    show(dict(sorted(model.get_params()[0].items())))


def language_model_of_lstm_cells(mx, show):
    _train(mx, show, "LSTMCell", ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 1e-5}))


def language_model_of_gru_cells(mx, show):
    _train(mx, show, "GRUCell", ("adam", {"learning_rate": 0.02}))


def language_model_of_a_fused_cell(mx, show):
    _train(mx, show, "fused", ("sgd", {"learning_rate": 0.5, "momentum": 0.9}))


def fused_cells_are_initialized(mx, show):
    cell = mx.rnn.FusedRNNCell(3, num_layers=2, bidirectional=True, prefix="f_", forget_bias=2.0)
    net, _ = cell.unroll(2, inputs=mx.sym.var("data"), layout="TNC", merge_outputs=True)
    module = mx.mod.Module(net, label_names=None)
    module.bind([("data", (2, 1, 4))])
    module.init_params(mx.init.Constant(0.25))
    show(module.get_params()[0])
    stack = mx.rnn.SequentialRNNCell()
    stack.add(mx.rnn.LSTMCell(2, prefix="a_", forget_bias=5.0))
    net, _ = stack.unroll(2, inputs=mx.sym.var("data"), layout="TNC", merge_outputs=True)
    module = mx.mod.Module(net, label_names=None)
    module.bind([("data", (2, 1, 4))])
    module.init_params(mx.init.Constant(0.25))
    show(module.get_params()[0])
