"""Checkpoints as MXNet's Module writes them."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import FormatError, MissingFileError
from tests import native_facts

FOLDER = Path(__file__).resolve().parent / "oracle" / "params"
PREFIX = FOLDER / "checkpoint"
"""Epoch 7 of it was written by MXNet."""


def test_load_checkpoint():
    symbol, arguments, states = mx.model.load_checkpoint(str(PREFIX), 7)
    assert symbol.list_arguments() == ["data", "bn_gamma", "bn_beta", "fc_weight", "fc_bias"]
    assert list(arguments) == ["fc_weight", "fc_bias", "bn_gamma", "bn_beta"]
    assert list(states) == ["bn_moving_mean", "bn_moving_var"] == symbol.list_auxiliary_states()
    assert arguments["fc_weight"].shape == (2, 3)
    np.testing.assert_array_equal(states["bn_moving_var"].asnumpy(), np.ones(3))


@pytest.mark.parametrize("prefix", [str, Path])
def test_save_checkpoint(prefix, tmp_path, caplog):
    with caplog.at_level(logging.INFO):
        mx.model.save_checkpoint(prefix(tmp_path / "again"), 7, *mx.model.load_checkpoint(prefix(PREFIX), 7))
    assert "again-0007.params" in caplog.text
    for ending in ("symbol.json", "0007.params"):
        assert (tmp_path / f"again-{ending}").read_bytes() == (FOLDER / f"checkpoint-{ending}").read_bytes()


def test_load_params():
    _, *expected = mx.model.load_checkpoint(PREFIX, 7)
    for arrays, kind in zip(mx.model.load_params(PREFIX, 7), expected, strict=True):
        assert list(arrays) == list(kind)
        for name, array in arrays.items():
            assert array.asnumpy().tobytes() == kind[name].asnumpy().tobytes()


def test_no_symbol(tmp_path):
    mx.model.save_checkpoint(tmp_path / "a", 12345, None, {"w": mx.nd.ones(2)}, {})
    assert [path.name for path in tmp_path.iterdir()] == ["a-12345.params"]
    arguments, states = mx.model.load_params(tmp_path / "a", 12345)
    assert list(arguments) == ["w"]
    assert states == {}
    with pytest.raises(MissingFileError, match=r"a-symbol\.json"):
        mx.model.load_checkpoint(tmp_path / "a", 12345)


def test_missing_epoch():
    with pytest.raises(MissingFileError, match=r"checkpoint-0008\.params"):
        mx.model.load_checkpoint(PREFIX, 8)


def test_names(tmp_path):
    one = mx.nd.ones(1)
    mx.nd.save(tmp_path / "a-0000.params", {"arg:w:b": one, "aux:m": one, "other:x": one, "arg:": one})
    arguments, states = mx.model.load_params(tmp_path / "a", 0)
    assert list(arguments) == ["w:b", ""]
    assert list(states) == ["m"]


@pytest.mark.parametrize("data", [{"0.weight": mx.nd.ones(1)}, [mx.nd.ones(1)]])
def test_no_checkpoint(data, tmp_path):
    mx.nd.save(tmp_path / "a-0000.params", data)
    with pytest.raises(FormatError, match=r"a-0000\.params: .*arg: or aux:.*load_parameters"):
        mx.model.load_params(tmp_path / "a", 0)


def test_empty(tmp_path, caplog):
    mx.nd.save(tmp_path / "a-0000.params", {})
    assert mx.model.load_params(tmp_path / "a", 0) == ({}, {})
    assert "is empty" in caplog.text


def test_epochs_are_numbers():
    with pytest.raises(ValueError, match="x"):
        mx.model.load_params(PREFIX, "x")


def test_batch_end_param():
    param = mx.model.BatchEndParam(epoch=1, nbatch=2, eval_metric=None, locals=None)
    assert param._fields == ("epoch", "nbatch", "eval_metric", "locals")
    assert param == (1, 2, None, None)


@pytest.mark.parametrize("name", native_facts.names("feed_forward", "older"))
def test_feed_forward_as_mxnet_shows(name, tmp_path):
    native_facts.check("feed_forward", name, tmp_path, "older")


def test_feed_forward_says_what_has_taken_its_place():
    net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2), name="softmax")
    with pytest.warns(DeprecationWarning, match="Module"):
        model = mx.model.FeedForward(net)
    with pytest.raises(TypeError, match="num_epoch is required"):
        model.fit(np.ones((4, 2)), np.zeros(4))
    with pytest.raises(AssertionError, match="epoch is required"):
        model.save("nowhere")
