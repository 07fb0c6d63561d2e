"""`mx.kv`: stores that users write, as in real MXNet."""

from __future__ import annotations

import pytest

import hybridonnx as mx
from tests import native_facts


@pytest.mark.parametrize("name", native_facts.names("stores", "older"))
def test_as_mxnet_shows(name, tmp_path):
    native_facts.check("stores", name, tmp_path, "older")


def test_stores_that_cannot_update_are_not_asked_to():
    net = mx.gluon.nn.Dense(1, in_units=1)
    net.initialize()
    with pytest.raises(ValueError, match="TestStore cannot update"):
        mx.gluon.Trainer(
            net.collect_params(), "sgd", kvstore=mx.kv.create("teststore"), update_on_kvstore=True
        )


def test_there_are_no_servers():
    with pytest.raises(mx.MXNetError, match="one process"):
        mx.kv.KVStoreServer(mx.kv.create()).run()
