"""What says that several threads may use it at once, used by many that begin at the same moment."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd, sym
from hybridonnx.gluon import nn

THREADS = 8
TRACED = ("/hybridonnx/", "/converters/", "/weakref", "/_weakrefset", "/collections/", "test_")
"""Parts of the names of files that are the library, or what it is made of."""
PART = 8
"""One of so many lines of the library, drawn by chance, lets another thread run before it."""


def stepping(seed: int) -> Any:
    """A function for `sys.settrace` that lets other threads run between lines of the library."""
    draws = random.Random(seed)

    def trace(frame: Any, event: str, arg: object) -> Any:
        if not any(part in frame.f_code.co_filename for part in TRACED):
            return None
        if not draws.randrange(PART):
            time.sleep(0)
        return trace

    return trace


def race(*functions: Callable[[], Any]) -> list[Any]:
    """What functions give that threads begin at one moment; the first error is raised."""
    barrier = threading.Barrier(len(functions))
    results: list[Any] = [None] * len(functions)
    errors: list[BaseException] = []

    def run(i: int) -> None:
        try:
            barrier.wait()
            sys.settrace(stepping(i))
            results[i] = functions[i]()
        except BaseException as exc:  # noqa: BLE001  (raised below)
            errors.append(exc)
        finally:
            sys.settrace(None)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def test_a_race_finds_what_is_lost():
    """The harness itself: what reads, and then writes, loses what others have written between."""
    count = [0]

    def add():
        for _ in range(50):
            before = count[0]
            count[0] = before + 1

    race(*[add] * THREADS)
    assert count[0] < 50 * THREADS


# ---- blocks


class Plain(gluon.Block):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.first, self.second = nn.Conv2D(4, 3), nn.Dense(5)

    def forward(self, x):
        return self.second(self.first(x))


def sequential(*layers):
    net = nn.HybridSequential()
    net.add(*layers)
    return net


BLOCKS = {
    "deferred": lambda: sequential(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Dense(5)),
    "known": lambda: sequential(nn.Conv2D(4, 3, in_channels=3), nn.Dense(5, in_units=144)),
    "plain": Plain,
}
X = nd.array(np.random.default_rng(3).normal(size=(2, 3, 8, 8)))
close = {"rtol": 1e-4, "atol": 1e-5}


@pytest.fixture(params=[1, pytest.param(30, marks=pytest.mark.slow)])
def rounds(request):
    return request.param


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("make", BLOCKS.values(), ids=BLOCKS)
def test_first_calls(make, hybrid, rounds):
    for _ in range(rounds):
        net = make()
        net.initialize()
        net.hybridize(hybrid)
        for found in race(*[lambda net=net: net(X).asnumpy()] * THREADS):
            np.testing.assert_allclose(found, net(X).asnumpy(), **close)


@pytest.mark.parametrize(
    ("name", "hybrid"),
    [
        ("deferred", True),
        ("plain", False),
        pytest.param("deferred", False, marks=pytest.mark.slow),
        pytest.param("plain", True, marks=pytest.mark.slow),
    ],
)
def test_calls_while_parameters_are_initialized_anew(name, hybrid, rounds):
    def call():
        return [net(X).asnumpy() for _ in range(3)]

    def train():
        for _ in range(2):
            with autograd.record():
                loss = net(X).sum()
            loss.backward()  # which raises if nothing was recorded

    def again():
        for _ in range(3):
            net.initialize(mx.init.Xavier(), force_reinit=True)

    for _ in range(rounds):
        net = BLOCKS[name]()
        net.initialize()
        net.hybridize(hybrid)
        race(*[call] * THREADS, train, again)
        found = net(X).asnumpy()
        net.hybridize(False)
        np.testing.assert_allclose(found, net(X).asnumpy(), **close)


def test_predictions_while_parameters_change(rounds):
    """Each is that of values which were there while it was computed, whatever a session has frozen."""
    net = nn.Dense(3, in_units=4, use_bias=False)
    net.initialize()
    net.hybridize()
    weight = net.weight
    weight.set_data(nd.zeros((3, 4)))
    begun = ended = 0

    def write():
        nonlocal begun, ended
        for value in range(1, 20 * rounds):
            begun = value
            weight.set_data(nd.full((3, 4), value))
            ended = value
            for _ in range(7):  # until it is frozen again
                net(nd.ones((1, 4)))

    def predict(rows):
        while ended < 20 * rounds - 1:
            least = ended
            found = net(nd.ones((rows, 4))).asnumpy()
            assert found.shape == (rows, 3)
            assert found.min() >= 4 * least
            assert found.max() <= 4 * begun

    race(write, *[lambda rows=rows: predict(rows) for rows in (1, 2, 3)])


def test_a_prediction_while_what_is_frozen_is_dropped(monkeypatch):
    """Between the notice of a write and the end of the session that was frozen before it."""
    net = nn.Dense(3, in_units=4, use_bias=False)
    net.initialize()
    net.hybridize()
    x, results = nd.ones((1, 4)), []
    net.weight.set_data(nd.ones((3, 4)))
    for _ in range(70):  # until it is frozen
        net(x)
    (graph,) = net._compiled.values()
    drop = graph._drop_frozen

    def slowly():
        thread = threading.Thread(target=lambda: results.append(net(x).asnumpy().max()))
        thread.start()
        thread.join(0.5)  # it waits, or else it has taken what is there
        drop()

    monkeypatch.setattr(graph, "_drop_frozen", slowly)
    net.weight.set_data(nd.full((3, 4), 2))
    assert net(x).asnumpy().max() == 8
    monkeypatch.undo()
    while not results:
        time.sleep(0.01)
    assert results == [8]


def test_writes_while_graphs_that_share_a_parameter_are_compiled(rounds):
    first = nn.Dense(3, in_units=4, use_bias=False)
    first.initialize()
    blocks = [first, *(nn.Dense(3, in_units=4, use_bias=False, params=first.params) for _ in range(3))]
    x = nd.ones((1, 4))

    def compile_anew(block):
        for _ in range(4 * rounds):
            block.hybridize()  # so that its watch on the weight ends, and another begins
            block(x)

    def write():
        for value in range(20 * rounds):
            first.weight.set_data(nd.full((3, 4), value))

    race(write, *[lambda block=block: compile_anew(block) for block in blocks])
    for value in (5, 6):
        first.weight.set_data(nd.full((3, 4), value))
        for block in blocks * 2:
            assert block(x).asnumpy().tolist() == [[4 * value] * 3]


def test_training_in_many_threads(rounds):
    """Networks of one structure share sessions; each thread gets what it gets alone."""

    def train(seed):
        rng = np.random.default_rng(seed)
        net = sequential(nn.Dense(6, in_units=5, activation="tanh"), nn.Dense(2, in_units=6))
        net.initialize()
        for p in net.collect_params().values():
            p.set_data(nd.array(rng.normal(size=p.shape)))
        net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
        losses = []
        for _ in range(2):
            x = nd.array(rng.normal(size=(int(rng.integers(1, 4)), 5)))
            with autograd.record():
                loss = (net(x) ** 2).sum()
            loss.backward()
            trainer.step(1)
            losses.append(loss.asscalar())
        return losses

    for _ in range(rounds):
        found = race(*[lambda seed=seed: train(seed) for seed in range(THREADS)])
        np.testing.assert_allclose(found, [train(seed) for seed in range(THREADS)], rtol=1e-5)


@pytest.mark.parametrize("hybrid", [False, True])
def test_gradients_that_threads_add(hybrid):
    net = nn.Dense(1, in_units=200, use_bias=False)
    net.initialize()
    net.hybridize(hybrid)
    net.collect_params().setattr("grad_req", "add")
    x = nd.array(np.arange(200.0)[None])

    def add():
        for _ in range(10):
            with autograd.record():
                y = net(x)
            y.backward()

    race(*[add] * THREADS)
    np.testing.assert_array_equal(net.weight.grad().asnumpy(), 10 * THREADS * x.asnumpy())


def test_models_from_files(tmp_path, rounds):
    net = sequential(nn.Conv2D(4, 3), nn.Dense(5))
    net.initialize()
    want = net(X).asnumpy()
    path, shapes = str(tmp_path / "m.onnx"), [("batch", 3, 8, 8)]
    mx.onnx.export_model(net, path, input_shapes=shapes)

    def work():
        block = gluon.SymbolBlock.imports(path, [])
        again = str(tmp_path / f"{threading.get_ident()}.onnx")
        return block(X).asnumpy(), mx.onnx.export_model(net, again, input_shapes=shapes)

    for _ in range(rounds):
        block = gluon.SymbolBlock.imports(path, [])
        for found in race(*[lambda block=block: block(X).asnumpy()] * THREADS):
            np.testing.assert_allclose(found, want, **close)
    for found, _ in race(*[work] * 3):
        np.testing.assert_allclose(found, want, **close)


# ---- draws, names, files, profiles


def test_draws():
    mx.random.seed(7)
    alone = [nd.random.uniform(shape=(3,)).asnumpy().tolist() for _ in range(20 * THREADS)]
    mx.random.seed(7)

    def draw():
        return [nd.random.uniform(shape=(3,)).asnumpy().tolist() for _ in range(20)]

    together = list(itertools.chain(*race(*[draw] * THREADS)))
    assert sorted(alone) == sorted(together)


def test_names_of_graphs():
    def compose():
        x = sym.var("x")
        out = sym.relu(sym.relu(x) + 1)
        rows, _ = sym.contrib.foreach(lambda a, s: (a + s, a + s), x, sym.zeros((1,)))
        assert rows.eval(x=nd.ones((2, 1)))[0].asnumpy().tolist() == [[1], [2]]
        return out.tojson()

    assert len(set(race(*[compose] * THREADS))) == 1  # each thread counts for itself


def test_records_by_key(tmp_path):
    path = str(tmp_path / "r.rec")
    records = {i: bytes([i]) * (i + 1) for i in range(40)}
    with mx.recordio.MXIndexedRecordIO(path[:-3] + "idx", path, "w") as file:
        for key, record in records.items():
            file.write_idx(key, record)
    reader = mx.recordio.MXIndexedRecordIO(path[:-3] + "idx", path, "r")
    dataset = gluon.data.RecordFileDataset(path)

    def read(seed):
        for key in np.random.default_rng(seed).permutation(40).tolist():
            assert reader.read_idx(key) == records[key]
            assert dataset[key] == records[key]

    race(*[lambda seed=seed: read(seed) for seed in range(THREADS)])


@pytest.mark.parametrize("workers", [0, 3])
def test_iterators_of_one_loader(workers):
    loader = gluon.data.DataLoader(list(range(50)), 4, num_workers=workers)
    for batches in race(*[lambda: [b.asnumpy().tolist() for b in loader]] * 4):
        assert list(itertools.chain(*batches)) == list(range(50))


def test_profiles():
    net = sequential(nn.Dense(3), nn.Dense(2))
    net.initialize()
    net.hybridize()
    x = nd.ones((1, 4))
    net(x)
    mx.profiler.set_config(aggregate_stats=True, profile_all=True, continuous_dump=False)
    mx.profiler.set_state("run")
    try:

        def work():
            for _ in range(5):
                net(x)
                nd.relu(x)

        race(*[work] * THREADS)
    finally:
        mx.profiler.set_state("stop")
    table = mx.profiler.dumps(reset=True)
    counts = {words[0]: words[1] for words in map(str.split, table.splitlines()) if len(words) == 6}
    assert (counts["relu"], counts["FullyConnected"]) == (str(5 * THREADS), str(10 * THREADS)), table


FIRST_USE = """
import sys, threading
sys.setswitchinterval(1e-6)
import hybridonnx as mx
barrier, errors = threading.Barrier(8), []

def use(i):
    try:
        barrier.wait()
        for name in names[i:] + names[:i]:
            eval(name)
        for name in ("adam", "nag"):
            mx.optimizer.create(name)
        mx.init.create("xavier"), mx.metric.create("acc")
        x = mx.nd.ones((2, 3, 4, 4))
        mx.nd.BatchNorm(x, *[mx.nd.ones((3,))] * 4), mx.nd.Pooling(x, kernel=(2, 2)), mx.nd.topk(x)
    except BaseException as exc:
        errors.append(exc)

names = ["mx.nd.relu", "mx.gluon.nn.Dense", "mx.sym.var", "mx.onnx.export_model", "mx.gluon.data.DataLoader",
         "mx.np.add", "mx.metric.Accuracy", "mx.io.NDArrayIter", "mx.mod.Module", "mx.npx.relu"]
threads = [threading.Thread(target=use, args=(i,)) for i in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
assert not errors, errors
"""


def test_first_use_of_names():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FIRST_USE],
        cwd=Path(__file__).resolve().parents[1],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("counts", [True, False])
def test_buffers_are_reused_only_where_references_are_counted(monkeypatch, counts):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: counts, raising=False)
    net = nn.Dense(1 << 16, in_units=2, use_bias=False)
    net.initialize()
    net.hybridize(static_alloc=True, static_shape=True)
    for _ in range(3):
        net(nd.ones((2, 2)))
    (graph,) = net._compiled.values()
    (program,) = graph._programs.values()
    assert bool(program.session._pool) is counts


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="a Python that has the lock")
def test_nothing_brings_the_lock_back(tmp_path):
    """Python takes its global lock again when a module is imported that does not say to do without."""
    code = (
        "import sys; from hybridonnx import autograd, gluon, nd, onnx;"
        "net = gluon.nn.Dense(2, in_units=3); net.initialize(); net.hybridize();"
        "tape = autograd.record(); tape.__enter__(); loss = net(nd.ones((1, 3))).sum(); loss.backward();"
        "onnx.export_model(net, input_shapes=[(1, 3)], onnx_file_path=sys.argv[1]);"
        "onnx.import_to_gluon(sys.argv[1]); sys.exit(sys._is_gil_enabled())"
    )
    path = str(tmp_path / "net.onnx")
    assert subprocess.run([sys.executable, "-c", code, path], timeout=120, check=False).returncode == 0
