"""A training that is killed goes on from `gluon.Checkpoint`, and ends with the same weights, bit for bit."""

import json
import random
import shutil
import time

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd
from hybridonnx.gluon import nn
from tests.worker_jobs import start

EXACT = {"MXNET_ENFORCE_DETERMINISM": "1"}
"""Results that do not depend on what ran before in a process."""


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    monkeypatch.setenv("MXNET_ENFORCE_DETERMINISM", "1")


def training(seed=3):
    mx.random.seed(seed)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(4), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(1))
    net.initialize()
    net.hybridize()
    x = np.random.default_rng(0).standard_normal((10, 3)).astype(np.float32)
    net(nd.array(x))
    schedule = mx.lr_scheduler.FactorScheduler(4, 0.5, base_lr=0.1)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"lr_scheduler": schedule})
    dataset = gluon.data.ArrayDataset(x, x.sum(1, keepdims=True))
    return net, trainer, gluon.data.DataLoader(dataset, 2, shuffle=True)


class Enough(Exception):  # noqa: N818
    """The training ends before its time."""


def run(folder, epochs=3, every=2, until=None, seed=3, keep=2):
    """The batches that were taken, and the weights."""
    net, trainer, loader = training(seed)
    checkpoint = gluon.Checkpoint(folder, net, trainer, keep)
    taken: list = []
    try:
        for epoch, number, (x, y) in checkpoint.batches(loader, epochs, every):
            if len(taken) == until:
                raise Enough
            with autograd.record():
                loss = gluon.loss.L2Loss()(net(x), y)
            loss.backward()
            trainer.step(2)
            taken.append((epoch, number, x.asnumpy().tolist()))
    except Enough:
        pass
    return taken, [p.data().asnumpy() for p in net.collect_params().values()]


@pytest.mark.parametrize("until", [2, 3, 4, 5, 9, 14])
def test_a_training_goes_on_at_its_place(tmp_path, until):
    taken, weights = run(tmp_path / "whole")
    before, _ = run(tmp_path / "parts", until=until)
    after, same = run(tmp_path / "parts", seed=99)
    assert [*before[: until // 2 * 2], *after] == taken
    assert [place[:2] for place in taken] == [(e, i) for e in range(3) for i in range(5)]
    for a, b in zip(weights, same, strict=True):
        np.testing.assert_array_equal(a, b)


def test_only_the_last_states_stay(tmp_path):
    run(tmp_path, every=1, keep=3)
    assert sorted(p.name for p in tmp_path.glob("step-*")) == [f"step-000000{n}" for n in (13, 14, 15)]
    assert run(tmp_path, every=1)[0] == []  # it was through
    assert len(run(tmp_path, epochs=4)[0]) == 5


def test_parameters_of_a_state_are_a_file_as_any_other(tmp_path):
    _, weights = run(tmp_path)
    net, _, _ = training()
    net.collect_params().load(str(tmp_path / "step-00000015" / "net.params"))
    for a, b in zip(weights, net.collect_params().values(), strict=True):
        np.testing.assert_array_equal(a, b.data().asnumpy())


@pytest.mark.parametrize("name", ["net.params", "trainer.states", "rank-0000.params"])
@pytest.mark.parametrize("fault", ["cut", "changed", "removed"])
def test_a_damaged_state_is_told(tmp_path, name, fault):
    run(tmp_path)
    path = tmp_path / "step-00000015" / name
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole[:-3] if fault == "cut" else whole)
    if fault == "removed":
        path.unlink()
    with pytest.raises(mx.MXNetError, match=f"Checkpoint: .*{name} is"):
        run(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"state": "../x", "workers": 1, "files": {}}', "\xff"])
def test_a_strange_list_of_files_is_told(tmp_path, text):
    run(tmp_path)
    (tmp_path / "latest").write_text(text)
    if text:
        with pytest.raises(mx.MXNetError, match=r"latest is not what was written"):
            run(tmp_path)


def test_other_numbers_of_workers_and_data_are_refused(tmp_path):
    run(tmp_path, until=3)
    latest = json.loads((tmp_path / "latest").read_text())
    (tmp_path / "latest").write_text(json.dumps(latest | {"workers": 2}))
    with pytest.raises(mx.MXNetError, match=r"as many workers as wrote .* are required, 2, got 1"):
        run(tmp_path)
    (tmp_path / "latest").write_text(json.dumps(latest))
    net, trainer, _ = training()
    with pytest.raises(mx.MXNetError, match="which has 2 batches or more, got fewer"):
        list(gluon.Checkpoint(tmp_path, net, trainer).batches([1], 3))


def job(folder, marks="", restarts=0):
    options = ["--restarts", str(restarts)]
    code, told, errors = start(2, "killed", folder, marks, options=options, environ=EXACT, timeout=300)
    assert code == 0, errors
    assert errors.count("has ended the job") == restarts, errors
    return told


def test_killed_workers_go_on_bit_for_bit(tmp_path):
    pytest.importorskip("mpi4py", reason="the extra mpi is not installed")
    first, second = job(tmp_path / "whole")
    assert first[:2] == second[:2]
    assert first != second  # moving statistics are each worker's own
    assert job(tmp_path / "killed", "1:4:0,0:11:1", restarts=2) == [first, second]


@pytest.mark.slow
def test_ten_kills_at_random(tmp_path):
    pytest.importorskip("mpi4py", reason="the extra mpi is not installed")
    seed = int(time.time())
    draw = random.Random(seed)
    steps = sorted(draw.sample(range(1, 23), 10))
    marks = [f"{draw.randrange(2)}:{step}:{attempt}" for attempt, step in enumerate(steps)]
    whole = job(tmp_path / "whole")
    assert job(tmp_path / "killed", ",".join(marks), restarts=10) == whole, (seed, marks)
    shutil.rmtree(tmp_path)
