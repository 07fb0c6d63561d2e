"""`gluon.contrib`: layers, texts and samplers as in real MXNet."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.gluon.contrib import cnn
from hybridonnx.gluon.contrib.data import text
from tests import native_facts


@pytest.mark.parametrize("name", native_facts.names("layers", "older"))
def test_as_mxnet_shows(name, tmp_path):
    native_facts.check("layers", name, tmp_path, "older")


@pytest.mark.parametrize("kind", ["DeformableConvolution", "ModulatedDeformableConvolution"])
def test_hybridized_convolutions_train_alike(kind):
    x = mx.nd.array(np.random.RandomState(0).uniform(-1, 1, (1, 2, 5, 5)))
    results = []
    for hybridize in (False, True):
        net = getattr(cnn, kind)(
            3, kernel_size=(3, 3), padding=(1, 1), offset_weight_initializer=mx.init.Constant(0.1)
        )
        net.initialize(mx.init.Constant(0.2))
        if hybridize:
            net.hybridize()
        with mx.autograd.record():
            y = net(x)
        y.backward()
        results.append([y.asnumpy(), *(p.grad().asnumpy() for p in net.collect_params().values())])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_without_offsets_it_is_a_convolution():
    x = mx.nd.array(np.random.RandomState(0).uniform(-1, 1, (1, 2, 5, 5)))
    net = cnn.DeformableConvolution(3, kernel_size=(3, 3), in_channels=2)
    net.initialize()
    plain = mx.nd.Convolution(
        x, net.deformable_conv_weight.data(), net.deformable_conv_bias.data(), kernel=(3, 3), num_filter=3
    )
    np.testing.assert_allclose(net(x).asnumpy(), plain.asnumpy(), rtol=1e-5, atol=1e-6)
    net = cnn.ModulatedDeformableConvolution(3, kernel_size=(3, 3), in_channels=2)
    net.initialize()
    plain = mx.nd.Convolution(
        x, net.deformable_conv_weight.data(), net.deformable_conv_bias.data(), kernel=(3, 3), num_filter=3
    )
    np.testing.assert_allclose(net(x).asnumpy(), plain.asnumpy(), rtol=1e-5, atol=1e-6)


def test_other_layouts_are_refused():
    with pytest.raises(ValueError, match="layout NCHW"):
        cnn.DeformableConvolution(3, layout="NHWC")


def test_texts_are_read_from_the_published_archive(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"wikitext-2-v1\.zip"):
        text.WikiText2(root=tmp_path)
    with zipfile.ZipFile(tmp_path / "wikitext-2-v1.zip", "w") as archive:
        archive.writestr("wikitext-2/wiki.train.tokens", "a b \n c \n")
    words = text.WikiText2(root=tmp_path, seq_len=2)
    assert words.vocabulary.to_tokens(words[0][1].asnumpy().tolist()) == ["b", "<eos>"]
    assert len(words) == 2
