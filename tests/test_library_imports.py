"""What published libraries import from MXNet is here, and private helpers do what libraries use them for."""

from __future__ import annotations

import json
from multiprocessing.pool import ThreadPool
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import gluon, nd, sym
from hybridonnx.gluon import block, loss, utils
from hybridonnx.gluon.data import dataloader
from hybridonnx.gluon.model_zoo import model_store
from tests.data.library_imports import resolve

LIBRARIES: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "data" / "library_imports.json").read_text(encoding="utf-8")
)
MISSING = {
    "base.NDArrayHandle": "there is no C library",
}
"""Names, or the beginnings of names, that are not here."""


def reason(name):
    parts = name.split(".")
    return next((MISSING[b] for i in range(len(parts)) if (b := ".".join(parts[: i + 1])) in MISSING), None)


def lost(name):
    try:
        resolve(f"hybridonnx.{name}")
    except (AttributeError, ImportError):
        return True
    return False


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_name_is_here(library):
    assert [name for name in LIBRARIES[library] if not reason(name) and lost(name)] == []


@pytest.mark.parametrize("beginning", MISSING)
def test_what_is_missing_is_missing(beginning):
    names = {name for names in LIBRARIES.values() for name in names}
    of_it = [name for name in names if name == beginning or name.startswith(f"{beginning}.")]
    if of_it and not any(map(lost, of_it)):
        pytest.fail(f"{beginning} is here now: remove it from MISSING")


def test_losses_of_libraries():
    class Squares(loss.Loss):
        def hybrid_forward(self, F, pred, label, sample_weight=None):
            difference = F.square(loss._reshape_like(F, label, pred) - pred)
            return F.mean(
                loss._apply_weighting(F, difference, self._weight, sample_weight), axis=0, exclude=True
            )

    pred, label, weight = nd.array([[1.0, 2], [3, 5]]), nd.array([1.0, 1, 1, 1]), nd.array([[1.0], [0.5]])
    for hybridized in (False, True):
        squares = Squares(2.0, 0)
        squares.hybridize(hybridized)
        np.testing.assert_allclose(squares(pred, label, weight).asnumpy(), [1, 10])
    with pytest.raises(AssertionError):
        loss._apply_weighting(nd, pred, "2")
    assert loss._apply_weighting(nd, pred) is pred


def test_nested_arrays_keep_their_gaps():
    a, b = nd.ones((1,)), nd.ones((2,))
    flat, form = block._flatten([a, None, (b, [a])], "input")
    assert (flat, form) == ([a, None, b, a], [0, -1, [0, [0]]])  # as MXNet gives it
    assert block._regroup(flat, form) == [a, None, [b, [a]]]
    x = sym.var("x")
    assert block._flatten([x, x], "input") == ([x, x], [0, 0])


def test_the_graph_of_a_block_is_where_libraries_look():
    net = gluon.nn.Dense(2)
    net.initialize()
    net.hybridize()
    assert net._cached_graph == ()  # as MXNet has it, before the first call and after a change
    net(nd.ones((1, 3)))
    inputs, out = net._cached_graph
    assert ([x.name for x in inputs], out.list_outputs()) == (["data"], [f"{net.name}_fwd_output"])
    net.hybridize()
    assert net._cached_graph == ()
    read = gluon.SymbolBlock(out, inputs[0], net.collect_params())
    assert read._cached_graph[1].list_outputs() == out.list_outputs()


def test_addresses_of_files(monkeypatch):
    monkeypatch.delenv("MXNET_GLUON_REPO", raising=False)
    assert utils._get_repo_url() == "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"
    monkeypatch.setenv("MXNET_GLUON_REPO", "https://example.org/gluon")
    assert utils._get_repo_file_url("data", "a.zip") == "https://example.org/gluon/data/a.zip"


def test_libraries_add_sums_of_their_models(monkeypatch, tmp_path):
    monkeypatch.setitem(model_store._model_sha1, "bert_small", "0123456789abcdef")
    assert model_store.short_hash("bert_small") == "01234567"
    (tmp_path / "bert_small.params").write_bytes(b"")
    assert model_store.get_model_file("bert_small", str(tmp_path)).endswith("bert_small.params")


class Alternating(dataloader._MultiWorkerIter):
    """Batches with one of two transforms in turn, as in a library's loader."""

    def _push_next(self):
        samples = next(self._iter, None)
        if samples is None:
            return
        arguments = (samples, self._sent_idx % 2)
        self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(self._worker_fn, arguments)
        self._sent_idx += 1


@pytest.mark.parametrize("prefetch", [0, 3])
def test_batches_of_a_pool_are_in_order(prefetch):
    rows = nd.arange(14).reshape((7, 2))
    sampler = gluon.data.BatchSampler(gluon.data.SequentialSampler(7), 3, "keep")

    def batch(samples, sign):
        return nd.stack(*[rows[i] for i in samples]) * (-1 if sign else 1)

    with ThreadPool(2) as pool:
        batches = Alternating(
            pool, None, sampler, worker_fn=batch, prefetch=prefetch, dataset=rows, pin_memory=True
        )
        assert len(batches) == 3
        signs = np.array([1, 1, 1, -1, -1, -1, 1])[:, None]
        parts = list(batches)
        assert [str(part.context) for part in parts] == ["cpu_pinned(0)"] * 3
        values = np.concatenate([part.asnumpy() for part in parts])
        np.testing.assert_array_equal(values, rows.asnumpy() * signs)
        plain = dataloader._MultiWorkerIter(
            pool,
            dataloader.default_mp_batchify_fn,
            sampler,
            worker_fn=dataloader._thread_worker_fn,
            dataset=rows,
        )
        np.testing.assert_array_equal(np.concatenate([part.asnumpy() for part in plain]), rows.asnumpy())
        dataloader._worker_initializer(rows)
        pickled = dataloader._MultiWorkerIter(pool, dataloader.default_mp_batchify_fn, sampler)
        np.testing.assert_array_equal(np.concatenate([part.asnumpy() for part in pickled]), rows.asnumpy())


def test_groups_of_types():
    assert isinstance(np.float32(1), mx.base.numeric_types)
    assert isinstance(np.int64(1), mx.base.integer_types)
    assert not isinstance(1.5, mx.base.integer_types)
    assert mx.base._as_list(3) == [3]
    assert mx.base.py_str(b"text") == "text"
