"""`mx.contrib`: text, the first autograd, loaders as iterators and TensorBoard as in real MXNet."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.contrib import text
from tests import native_facts


@pytest.mark.parametrize("name", native_facts.names("contributed", "older"))
def test_as_mxnet_shows(name, tmp_path):
    native_facts.check("contributed", name, tmp_path, "older")


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


def test_reserved_words_have_vectors(tmp_path):
    (tmp_path / "v").write_text("b 1 2\n")
    kept = text.embedding.CustomEmbedding(str(tmp_path / "v"), reserved_tokens=["<p>"])
    assert kept.idx_to_token == ["<unk>", "<p>", "b"]
    assert kept.idx_to_vec.asnumpy().tolist() == [[0, 0], [0, 0], [1, 2]]


def test_delimiters_are_plain_text():
    assert text.utils.count_tokens_from_str("a*b.a", token_delim="*", seq_delim=".") == {"a": 2, "b": 1}


def test_tensorboard_needs_a_writer(monkeypatch, tmp_path):
    for package in ("mxboard", "tensorboardX", "torch", "torch.utils", "torch.utils.tensorboard"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(mx.MXNetError, match="pip install mxboard"):
        mx.contrib.tensorboard.LogMetricsCallback(str(tmp_path))
