"""Loaders at work beside training, and their workers when they are killed."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from multiprocessing import get_context
from multiprocessing.pool import ThreadPool
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd
from hybridonnx.gluon import nn
from hybridonnx.gluon.data import dataloader

FOREVER = 3600.0


class Rows:
    """Numbers, of which one is where the worker waits, or ends in some way."""

    def __init__(self, at=-1, end=None):
        self.at, self.end = at, end

    def __getitem__(self, i):
        if i == self.at:
            if isinstance(self.end, str):
                with open(self.end, "w") as file:
                    file.write(str(os.getpid()))
                os.rename(self.end, f"{self.end}.pid")
                time.sleep(FOREVER)
            os._exit(self.end)
        return np.float32(i)

    def __len__(self):
        return 24


def batches_of(rows, timeout=100.0):
    """A pool of two processes, and batches of four rows that they make, as loaders of libraries have them."""
    pool = get_context("spawn").Pool(2, dataloader._worker_initializer, (rows,))
    sampler = gluon.data.BatchSampler(gluon.data.SequentialSampler(len(rows)), 4)
    return pool, dataloader._MultiWorkerIter(
        pool, dataloader.default_mp_batchify_fn, sampler, prefetch=4, timeout=timeout
    )


def kill_where_it_waits(path):
    while not os.path.exists(f"{path}.pid"):
        time.sleep(0.01)
    with open(f"{path}.pid") as file:
        os.kill(int(file.read()), signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_worker_that_is_killed_is_told_with_its_batch(tmp_path):
    pool, batches = batches_of(Rows(9, str(tmp_path / "waits")))
    killer = threading.Thread(target=kill_where_it_waits, args=(tmp_path / "waits",))
    killer.start()
    with pool:
        assert [next(batches).asnumpy()[0] for _ in range(2)] == [0, 4]
        with pytest.raises(mx.MXNetError, match=r"batch 2 \(samples 8, 9, 10, 11\).*killed by SIGKILL"):
            next(batches)
        assert list(batches) == []
        processes = list(pool._pool)
    pool.join()
    killer.join()
    assert not any(process.is_alive() for process in processes)


def test_a_worker_that_ends_is_told_with_its_batch():
    pool, batches = batches_of(Rows(4, 5))
    with pool:
        assert next(batches).asnumpy().tolist() == [0, 1, 2, 3]
        with pytest.raises(mx.MXNetError, match=r"batch 1 \(samples 4, 5.*ended with exit code 5"):
            next(batches)


def test_workers_that_are_threads_and_batches_in_time():
    rows = nd.arange(12)
    sampler = gluon.data.BatchSampler(gluon.data.SequentialSampler(12), 4)
    dataloader._worker_initializer(rows)
    with ThreadPool(2) as pool:
        batches: Any = dataloader._MultiWorkerIter(pool, dataloader.default_mp_batchify_fn, sampler)
        assert [b.asnumpy().ravel().tolist() for b in batches] == np.arange(12).reshape(3, 4).tolist()


def train(batches, workers):
    """Train for so many batches, and give the last losses, and what there is of threads and files then."""
    mx.random.seed(3)
    rng = np.random.default_rng(3)
    x = rng.normal(size=(640, 8)).astype("float32")
    y = (x.sum(1) > 0).astype("float32")
    samples = gluon.data.ArrayDataset(x, y).transform_first(lambda row: row + rng.normal(size=8) * 0)
    loader = gluon.data.DataLoader(samples, 32, shuffle=True, num_workers=workers, last_batch="discard")
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="relu"), nn.Dropout(0.1), nn.Dense(2))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    loss_of.hybridize()
    losses: list[float] = []
    while len(losses) < batches:
        for rows, labels in loader:
            with autograd.record():
                loss = loss_of(net(rows.astype("float32")), labels)
            loss.backward()
            trainer.step(len(rows))
            losses.append(float(loss.mean().asscalar()))
    return losses


def test_training_beside_workers_is_as_without():
    np.testing.assert_array_equal(train(40, 0), train(40, 3))


@pytest.mark.slow
def test_training_beside_workers_for_ten_thousand_batches():
    before = threading.active_count()
    descriptors = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    losses = train(10_000, 3)
    assert len(losses) == 10_000
    assert np.mean(losses[-100:]) < 0.2 < np.mean(losses[:10])
    gc.collect()
    for thread in threading.enumerate():
        if thread.name.startswith("DataLoader"):
            thread.join(10)
    assert threading.active_count() <= before  # threads of tests before this one may have come to their end
    if descriptors:
        assert len(os.listdir("/proc/self/fd")) <= descriptors + 2
