"""`mx.contrib`: words and vectors, the first autograd, loaders as iterators, scalars for TensorBoard."""

import sys
import types
from collections import Counter, namedtuple
from importlib import import_module

import numpy as np


def _text(mx):
    return [import_module(f"{mx.__name__}.contrib.text.{name}") for name in ("vocab", "embedding", "utils")]


def vocabularies(mx, show):
    vocab, _, _ = _text(mx)
    counts = Counter(["a", "b", "b", "c", "c", "c", "some_word$"])
    for kwargs in (
        {},
        {"most_freq_count": 2},
        {"min_freq": 2},
        {"reserved_tokens": ["<p>", "b"]},
        {"unknown_token": "b"},
        {"unknown_token": None},
        {"most_freq_count": 0},
        {"most_freq_count": 3, "reserved_tokens": ["<p>"]},
        {"most_freq_count": 2, "reserved_tokens": ["b"]},
    ):
        v = vocab.Vocabulary(counts, **kwargs)
        show(len(v), v.token_to_idx, v.idx_to_token, v.unknown_token, v.reserved_tokens)
    for kwargs in ({"min_freq": 0}, {"reserved_tokens": ["<unk>"]}, {"reserved_tokens": ["x", "x"]}):
        show.error(vocab.Vocabulary, counts, **kwargs)
    show.error(vocab.Vocabulary, {"a": 1})
    v = vocab.Vocabulary(counts)
    show(vocab.Vocabulary().idx_to_token, v.to_indices("c"), v.to_indices(["c", "zz"]), v.to_indices("zz"))
    show(v.to_tokens([0, 1]), v.to_tokens(2))
    show.error(v.to_tokens, 100)
    show.error(v.to_tokens, "a")


def counts(mx, show):
    _, _, utils = _text(mx)
    text = " Life is great ! \n life is good . \n"
    show(sorted(utils.count_tokens_from_str(text).items()))
    show(sorted(utils.count_tokens_from_str(text, to_lower=True).items()))
    before = Counter({"is": 3})
    after = utils.count_tokens_from_str("x_y_\n_x", "_", "\n", counter_to_update=before)
    show(sorted(after.items()), after is before)


def _file(show, name, text):
    path = show.path(name)
    with open(path, "w", encoding="utf8") as file:
        file.write(text)
    return path


_LINES = "a 0.1 0.2 0.3\nb 0.4 0.5 0.6\n<unk> 9 8 7\na 1 1 1\nshort 1\n"


def vectors(mx, show):
    vocab, embedding, _ = _text(mx)
    make = embedding.CustomEmbedding
    first = _file(show, "1", _LINES)
    e = make(first)
    show(len(e), e.vec_len, e.idx_to_token, e.token_to_idx, e.idx_to_vec, e.unknown_token, e.reserved_tokens)
    show(make(_file(show, "2", "3 2\nb 1 2\nc 3 4\n"), init_unknown_vec=mx.nd.ones).idx_to_vec)
    show(make(_file(show, "3", "b\t1\t2\nc\t3\t4\n"), elem_delim="\t").idx_to_vec)
    for i, text in enumerate(("a 0.1 0.2\nb 1 2 3\n", "a x y\n", "")):
        show.error(make, _file(show, f"bad{i}", text))
    show.error(make, show.path("nothing"))
    v = vocab.Vocabulary(Counter(["b", "b", "zz"]))
    kept = make(first, vocabulary=v)
    show(kept.idx_to_token, kept.idx_to_vec, kept.to_indices(["zz", "q"]))
    show(e.get_vecs_by_tokens("b"), e.get_vecs_by_tokens(["b", "B", "zz"]))
    show(e.get_vecs_by_tokens(["B", "b"], lower_case_backup=True))
    e.update_token_vectors("b", mx.nd.array([7, 7, 7]))
    e.update_token_vectors(["a", "<unk>"], mx.nd.array([[1, 1, 1], [2, 2, 2]]))
    show(e.idx_to_vec)
    show.error(e.update_token_vectors, "zz", mx.nd.array([7, 7, 7]))
    show.error(e.update_token_vectors, "b", mx.nd.array([7, 7]))
    show.error(e.update_token_vectors, ["a", "b"], [1, 2])
    both = embedding.CompositeEmbedding(v, [make(first), make(show.path("2"))])
    show(both.vec_len, both.idx_to_token, both.idx_to_vec)
    show(embedding.CompositeEmbedding(v, make(first)).idx_to_vec)


def odd_lines(mx, show):
    _, embedding, _ = _text(mx)
    for i, text in enumerate(("\na 1 2\n", "7 \na 1 2\n", "a\nb 1 2\n", "a 1 2\n\n")):
        show.error(embedding.CustomEmbedding, _file(show, f"short{i}", text))
    named = embedding.CustomEmbedding(_file(show, "named", "a 1 2\nb 3 4\n"), unknown_token="a")
    show(named.idx_to_token, named.idx_to_vec)


def names(mx, show):
    _, embedding, _ = _text(mx)
    show(
        embedding.get_pretrained_file_names("glove"), sorted(embedding.get_pretrained_file_names("fasttext"))
    )
    show(sorted(embedding.get_pretrained_file_names()))
    show.error(embedding.get_pretrained_file_names, "x")
    show.error(embedding.create, "glove", pretrained_file_name="x")
    show.error(embedding.create, "customembedding", pretrained_file_path="x")

    @embedding.register
    class Mine(embedding._TokenEmbedding):
        pass

    show(len(embedding.create("MINE")), embedding.create("mine", unknown_token="?").idx_to_token)


def first_autograd(mx, show):
    ag = import_module(f"{mx.__name__}.contrib.autograd")

    def func(x, y):
        return x * y + mx.nd.Dropout(x, p=0.0)

    x, y = mx.nd.array([1.0, 2.0]), mx.nd.array([3.0, 4.0])
    gradients, loss = ag.grad_and_loss(func)(x, y)
    show(gradients, loss, ag.grad(func)(x, y), ag.grad(func, 1)(x, y), ag.grad(func, [0])(x, y))
    show(ag.grad_and_loss(lambda a: [a * 2, a * a])(x)[0])
    show.error(ag.grad(func), x, 2.0)
    dx = mx.nd.zeros((2,))
    ag.mark_variables([x], [dx])
    with ag.train_section():
        z = x * x
        show(mx.autograd.is_training(), mx.autograd.is_recording())
        with ag.test_section():
            show(mx.autograd.is_training(), mx.autograd.is_recording())
    ag.backward([z], [mx.nd.array([1.0, 10.0])], retain_graph=True)
    show(dx)
    ag.compute_gradient([z])
    show(dx, mx.autograd.is_training(), ag.set_is_training(True), ag.set_is_training(False))
    show.error(ag.backward, z)


def loaders(mx, show):
    cio = import_module(f"{mx.__name__}.contrib.io")
    x, y = np.arange(14.0).reshape(7, 2), np.arange(7)
    data = mx.gluon.data.ArrayDataset(x, y)
    it = cio.DataLoaderIter(mx.gluon.data.DataLoader(data, 3), label_name="l")
    show([repr(d) for d in it.provide_data + it.provide_label], it.batch_size)
    for _ in range(2):
        for batch in it:
            rows = 3 - batch.pad  # the others are memory that MXNet never wrote
            show(batch.data[0][:rows], batch.label[0][:rows], batch.pad, batch.index, batch.data[0].shape)
        it.reset()
    it = cio.DataLoaderIter(mx.gluon.data.DataLoader(data, 4, last_batch="discard"))
    show([batch.label for batch in it])


def scalars(mx, show):
    calls = []

    class Writer:
        def __init__(self, folder):
            calls.append(folder)

        def add_scalar(self, *args, **kwargs):
            calls.append([list(args), sorted(kwargs.items())])

    board = types.ModuleType("mxboard")
    board.SummaryWriter = Writer
    sys.modules["mxboard"] = board
    try:
        module = import_module(f"{mx.__name__}.contrib.tensorboard")
        metric = mx.metric.CompositeEvalMetric([mx.metric.Accuracy(), mx.metric.MSE()])
        metric.update([mx.nd.array([[1.0], [0.0]])], [mx.nd.array([[1.0], [1.0]])])
        param = namedtuple("P", "epoch nbatch eval_metric locals")(3, 4, metric, None)
        module.LogMetricsCallback("folder")(param)
        module.LogMetricsCallback("folder", prefix="train")(param)
        module.LogMetricsCallback("folder")(param._replace(eval_metric=None))
    finally:
        del sys.modules["mxboard"]
    show(calls)
