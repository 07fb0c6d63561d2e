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
    with pytest.raises(mx.MXNetError, match="hybridonnx launch -n 2"):
        mx.kv.KVStoreServer(mx.kv.create()).run()


def test_a_new_key_has_one_array():
    """MXNet initializes a key with each of them, and refuses the second one."""
    x, y = mx.nd.zeros((2,)), mx.nd.ones((2,))
    for key, value in ((3, [x, y]), ([3, 3], [x, y])):
        with pytest.raises(mx.MXNetError, match="one array is required for key 3, got 2"):
            mx.kv.create().init(key, value)


def test_arrays_that_do_not_fit_are_not_written():
    store, narrow = mx.kv.create(), mx.nd.zeros((1, 3))
    store.init("w", mx.nd.ones((2, 3)))
    with pytest.raises(mx.MXNetError, match=r"pull: shape \(2, 3\) of key 'w' is required, got \(1, 3\)"):
        store.pull("w", out=narrow)
    assert not narrow.asnumpy().any()
    rows = mx.nd.zeros((4, 3)).tostype("row_sparse")
    store.pull("w", out=rows)  # which is passed over
    store.init("rows", mx.nd.ones((2, 3)).tostype("row_sparse"))
    with pytest.raises(mx.MXNetError, match=r"row_sparse_pull: shape \(2, 3\) of key 'rows' is required"):
        store.row_sparse_pull("rows", out=rows, row_ids=mx.nd.array([0]))
    assert rows.shape == (4, 3)


@pytest.mark.parametrize("rows", [[0, 2], [-1]])
def test_rows_that_are_not_there_are_refused(rows):
    store, weight = mx.kv.create(), mx.nd.ones((2, 3)).tostype("row_sparse")
    store.init("w", weight)
    with pytest.raises(IndexError, match="row_ids from 0 to 1 are required for 'w', got from"):
        store.row_sparse_pull("w", out=weight, row_ids=mx.nd.array(rows))
