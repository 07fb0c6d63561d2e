"""`mx.contrib`: text, the first autograd, loaders as iterators and TensorBoard as in real MXNet."""

from __future__ import annotations

import sys
from typing import ClassVar

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.contrib import text
from tests import native_facts

SCENARIOS = [(m, name) for m in ("contributed", "variance") for name in native_facts.names(m, "older")]


@pytest.mark.parametrize(("module", "name"), SCENARIOS, ids=[".".join(s) for s in SCENARIOS])
def test_as_mxnet_shows(module, name, tmp_path):
    native_facts.check(module, name, tmp_path, "older")


def test_corrected_gradients_need_full_ones():
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    net = mx.sym.LinearRegressionOutput(x, mx.sym.var("label"))
    module = mx.contrib.svrg_optimization.svrg_module.SVRGModule(net, label_names=["label"], update_freq=1)
    data = mx.io.NDArrayIter(np.ones((4, 2)), np.ones(4), 2, label_name="label")
    module.bind(data.provide_data, data.provide_label)
    module.init_params()
    module.init_optimizer()
    module.forward_backward(next(data))
    with pytest.raises(mx.MXNetError, match="Call update_full_grads"):
        module.update()


def test_small_batches_are_filled_up_with_zeros():
    data = mx.gluon.data.ArrayDataset(np.ones((4, 2)), np.ones(4))
    *_, last = mx.contrib.io.DataLoaderIter(mx.gluon.data.DataLoader(data, 3), dtype="float64")
    assert last.data[0].asnumpy().tolist() == [[1, 1], [0, 0], [0, 0]]
    assert last.data[0].dtype == np.float64


def test_published_vectors_are_read_from_their_folder(tmp_path):
    for kind, name, make in (
        ("glove", "glove.6B.50d.txt", text.embedding.GloVe),
        ("fasttext", "wiki.simple.vec", text.embedding.FastText),
    ):
        with pytest.raises(FileNotFoundError, match="put it there"):
            make(name, embedding_root=str(tmp_path))
        (tmp_path / kind).mkdir()
        (tmp_path / kind / name).write_text("a 1 2\nb 3 4\n")
        vectors = make(name, embedding_root=str(tmp_path))
        assert vectors.get_vecs_by_tokens(["b", "?"]).asnumpy().tolist() == [[3, 4], [0, 0]]
        assert (
            text.embedding.create(kind, pretrained_file_name=name, embedding_root=str(tmp_path)).vec_len == 2
        )


def test_classes_of_users_are_registered_with_their_files(monkeypatch, tmp_path):
    """As MXNet's documentation of `register` has it."""
    own = {"glove", "fasttext"}
    classes = {name: cls for name, cls in text.embedding._classes.items() if name in own}
    monkeypatch.setattr(text.embedding, "_classes", classes)

    @text.embedding.register
    class OurVectors(text.embedding._TokenEmbedding):
        pretrained_file_name_sha1: ClassVar[dict[str, str]] = {
            "ours.50d.txt": "0" * 40,
            "ours.100d.txt": "1" * 40,
        }

    assert text.embedding.get_pretrained_file_names("ourvectors") == ["ours.50d.txt", "ours.100d.txt"]
    assert sorted(text.embedding.get_pretrained_file_names()) == ["fasttext", "glove", "ourvectors"]
    assert isinstance(text.embedding.create("OurVectors"), OurVectors)
    with pytest.raises(KeyError, match="glove, fasttext, ourvectors is required, got 'none'"):
        text.embedding.get_pretrained_file_names("none")


def test_reserved_words_have_vectors(tmp_path):
    (tmp_path / "v").write_text("b 1 2\n")
    kept = text.embedding.CustomEmbedding(str(tmp_path / "v"), reserved_tokens=["<p>"])
    assert kept.idx_to_token == ["<unk>", "<p>", "b"]
    assert kept.idx_to_vec.asnumpy().tolist() == [[0, 0], [0, 0], [1, 2]]


def test_vectors_side_by_side_are_of_vectors(tmp_path):
    (tmp_path / "v").write_text("b 1 2\n")
    words, vectors = text.vocab.Vocabulary(), text.embedding.CustomEmbedding(str(tmp_path / "v"))
    make = text.embedding.CompositeEmbedding
    assert make(words, (vectors, vectors)).vec_len == 4
    for arguments, got in (((words, []), "got none"), ((words, [3]), "got int"), ((3, vectors), "got int")):
        with pytest.raises(AssertionError, match=got):
            make(*arguments)
    with pytest.raises(AssertionError, match="3 is no registered class"):
        text.embedding.create(3)


def test_delimiters_are_plain_text():
    assert text.utils.count_tokens_from_str("a*b.a", token_delim="*", seq_delim=".") == {"a": 2, "b": 1}


def test_tensorboard_needs_a_writer(monkeypatch, tmp_path):
    for package in ("mxboard", "tensorboardX", "torch", "torch.utils", "torch.utils.tensorboard"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(mx.MXNetError, match="pip install mxboard"):
        mx.contrib.tensorboard.LogMetricsCallback(str(tmp_path))


def line():
    """A module that learns three weights, with the rows and labels of its data."""
    x = np.random.RandomState(0).uniform(-1, 1, (12, 3)).astype("float32")
    y = x @ np.array([1, 2, -1.0])
    out = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, no_bias=True, name="fc")
    net = mx.sym.LinearRegressionOutput(out, mx.sym.var("label"))
    make = mx.contrib.svrg_optimization.svrg_module.SVRGModule
    module = make(net, label_names=["label"], update_freq=2)
    return module, mx.io.NDArrayIter(x, y, 4, label_name="label"), x, y


def test_full_gradients_are_computed_anew():
    module, data, x, y = line()
    batch = 4
    options = {"num_epoch": 5, "initializer": mx.init.Constant(0.1), "eval_metric": "mse"}
    module.fit(data, optimizer_params={"learning_rate": 0.1}, **options)

    parts = [(x[i : i + batch], y[i : i + batch]) for i in range(0, len(x), batch)]
    weight = np.full(3, 0.1)

    def gradient(w, part):
        return part[0].T @ (part[0] @ w - part[1]) / batch

    for epoch in range(5):
        if epoch % 2 == 0:
            copy = weight.copy()
            mean = np.mean([gradient(copy, part) for part in parts], axis=0)
        for part in parts:
            weight = weight - 0.1 * (gradient(weight, part) - gradient(copy, part) + mean)
    np.testing.assert_allclose(module.get_params()[0]["fc_weight"].asnumpy()[0], weight, rtol=1e-5)


def test_training_goes_on_at_any_epoch():
    """What begins between two epochs of full gradients has them first, wherever `begin_epoch` stands."""
    weights = []
    for begin in (0, 1):
        module, data, *_ = line()
        after = (mx.init.Constant(0.1), None, None, False, False, False, begin, begin + 1)
        rate = (("learning_rate", 0.1),)
        module.fit(data, None, "mse", None, None, "local", "sgd", rate, None, None, *after)
        weights.append(module.get_params()[0]["fc_weight"].asnumpy())
    np.testing.assert_array_equal(*weights)


def test_gradients_of_the_copy_are_those_of_the_last_batch():
    """At the parameters that were copied, only the mean of the full gradients is left of any batch."""
    module, data, x, y = line()
    module.bind(data.provide_data, data.provide_label)
    module.bind([("data", (2, 3))], [("label", (2,))])  # it is bound already
    assert module._mod_aux.data_shapes == module.data_shapes
    module.init_params(mx.init.Constant(0.1))
    module.init_optimizer(optimizer_params={"learning_rate": 0.1})
    module.update_full_grads(data)
    mean = x.T @ (x @ np.full(3, 0.1) - y) / 12
    first, second = list(data)[:2]
    module.forward(first, is_train=True)
    module.forward(second, is_train=False)
    module.backward()
    module.update()
    np.testing.assert_allclose(module.get_params()[0]["fc_weight"].asnumpy()[0], 0.1 - 0.1 * mean, rtol=1e-5)
