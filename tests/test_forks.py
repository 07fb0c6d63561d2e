"""A child of a process whose other threads were at work computes what the process would have computed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

SECONDS = 120
"""How long a script may take; a child that hangs takes forever."""

BEGIN = """
import logging, os, random, sys, threading, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import hybridonnx as mx
from hybridonnx import _locks
from hybridonnx.gluon import nn

x = mx.nd.array(np.random.default_rng(3).normal(size=(2, 3, 12, 12)))

def make(hybrid=True):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3), nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Dense(5))
    net.initialize()
    if hybrid:
        net.hybridize()
    return net

def predicts(net):
    found = net(x).asnumpy()
    net.hybridize(False)
    expected = net(x).asnumpy()
    net.hybridize()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)

def calls(net):
    for _ in range(3):
        net(x).asnumpy()

errors = []
threading.excepthook = lambda caught: errors.append(caught.exc_value)

def trains(net):
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    with mx.autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()
    trainer.step(2)
    with mx.autograd.record():
        assert ((net(x) ** 2).sum() < loss).asscalar()
    mx.nd.random.uniform(shape=(2,))

def child(work):
    # forks, and tells how the child ended, which exits as any program
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
    except BaseException:
        import traceback
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(3)
    sys.exit(7)

def end_of(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


def run(script: str, *arguments: object, threads: str = "1") -> str:
    """What a script prints; it fails if it does, and if it hangs, with the children that it left."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", BEGIN + script, *map(str, arguments)],
        cwd=Path(__file__).resolve().parents[1],
        env={**os.environ, "HYBRIDONNX_THREADS": threads},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        output, _ = process.communicate()
        pytest.fail(f"the script hangs; it printed:\n{output}")
    assert process.returncode == 0, output
    return output


MANY = """
rounds, seed = int(sys.argv[1]), int(sys.argv[2])
draws = random.Random(seed)
older = make()
older(x)
busy = done = 0
while done < rounds or (not busy and done < 20 * rounds):
    done += 1
    net, other = make(), make()
    def work():
        predicts(older); trains(older); predicts(other); predicts(net); trains(net)
    at_work = [threading.Thread(target=f, args=(net,)) for f in draws.sample([calls, trains, calls], 2)]
    for thread in at_work:
        thread.start()
    time.sleep(draws.random() * 0.15)
    pid = child(work)
    busy += any(thread.is_alive() for thread in at_work)
    assert end_of(pid) == 7
    for thread in at_work:
        thread.join()
    work()
assert not errors, errors
assert busy, "no thread was at work when the process forked"
"""


def test_forks_while_threads_trace_compile_and_run():
    run(MANY, 4, 1, threads="2")


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["0", "1", "2"])
@pytest.mark.parametrize("seed", [2, 3])
def test_many_forks_while_threads_trace_compile_and_run(threads, seed):
    run(MANY, 100, seed, threads=threads)


FIRST = """
net, other = make(), make()
thread = threading.Thread(target=lambda: (x.astype("bfloat16"), net(x)))
thread.start()
while not sys.argv[1] in sys.modules:  # so the thread is in the middle of an import
    time.sleep(0.0005)
pid = child(lambda: (predicts(other), predicts(net), trains(net)))
assert end_of(pid) == 7
thread.join()
predicts(net)
"""


def test_a_fork_while_a_thread_imports_the_converters():
    run(FIRST, "hybridonnx.converters.to_onnx._model")


@pytest.mark.slow
@pytest.mark.parametrize(
    "module",
    [
        "ml_dtypes",
        "onnxruntime",
        "hybridonnx.converters.to_onnx.conv",
        "hybridonnx.converters.to_onnx.pool",
        "hybridonnx.runtime.session",
    ],
)
def test_forks_while_a_thread_imports(module):
    run(FIRST, module)


INSIDE = """
class Slow(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        if F is mx.sym:
            inside.set()
            time.sleep(0.1)
        return x * 2

for _ in range(3):
    inside = threading.Event()
    net, other = Slow(), make()
    net.hybridize()
    thread = threading.Thread(target=net, args=(x,))
    thread.start()
    inside.wait()
    pid = child(lambda: (predicts(other), predicts(net)))
    assert end_of(pid) == 7
    thread.join()
"""


FROM_INSIDE = """
class Forks(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        if F is mx.sym:
            inside.set()
            while not waiting():
                time.sleep(0.001)
            pids.append(os.fork())
        return x * 2

def waiting():  # the other thread waits for this one
    frame = sys._current_frames()[thread.ident]
    return frame.f_code.co_name == "_compile"

_locks.PATIENCE = 5  # it must not even wait so long
net, other, pids, inside = Forks(), make(), [], threading.Event()
net.hybridize()
thread = threading.Thread(target=lambda: (inside.wait(), other(x)))
thread.start()
net(x)
predicts(net)
predicts(other) if pids[0] == 0 else thread.join()
if pids[0] == 0:
    sys.exit(7)
assert end_of(pids[0]) == 7
"""


TORN = """
class Slow(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        if F is mx.sym:
            inside.set()
            leave.wait()
        return x * 2

_locks.PATIENCE = 0.2
net, other, inside, leave = Slow(), make(), threading.Event(), threading.Event()
net.hybridize()
other(x)
thread = threading.Thread(target=net, args=(x,))
thread.start()
inside.wait()

def work():
    for block in (net, other):
        try:
            block(x)
        except mx.MXNetError as exc:
            assert "forked while no other thread traced" in str(exc)
        else:
            raise AssertionError("a child that may hang goes on")

assert end_of(child(work)) == 7
leave.set()
thread.join()
predicts(net)
assert end_of(child(lambda: predicts(net))) == 7
"""


def test_what_a_fork_waits_for():
    """For a thread that traces, but not for those that wait for the thread that forks, nor forever."""
    run(INSIDE + FROM_INSIDE + TORN)


POOL = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
net = make()
want = net(x).asnumpy()

def work(i):
    np.testing.assert_array_equal(net(x).asnumpy(), want)
    trains(make())
    return i

stop = threading.Event()
def serve():
    while not stop.is_set():
        np.testing.assert_array_equal(net(x).asnumpy(), want)
        make()(x)

threads = [threading.Thread(target=serve) for _ in range(3)]
for thread in threads:
    thread.start()
with ProcessPoolExecutor(4, multiprocessing.get_context("fork")) as pool:
    assert list(pool.map(work, range(8), timeout=100)) == list(range(8))
stop.set()
for thread in threads:
    thread.join()
"""


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "2"])
def test_pools_of_processes_while_threads_predict(threads):
    run(POOL, threads=threads)


THREADS_AHEAD = """
def slowly(i):
    time.sleep(0.01)
    return i + mx.nd.random.uniform(shape=(1,))

samples = mx.gluon.data.SimpleDataset(range(12)).transform(slowly)
loader = mx.gluon.data.DataLoader(samples, 2, num_workers=2)
again = mx.gluon.data.DataLoader(samples, 2, num_workers=2, auto_reload=True)
numbers = lambda batches: [b.asnumpy().tolist() for b in batches]
mx.random.seed(5)
want = numbers(loader)
mx.random.seed(5)
begun = iter(loader)
first = next(begun).asnumpy().tolist()
prefetch = mx.io.PrefetchingIter(mx.io.NDArrayIter(np.arange(8.0), None, 2))
rows = lambda: [b.data[0].asnumpy().tolist() for b in prefetch]

def work():
    assert [first, *numbers(begun)] == want  # those too that a thread was at when the process forked
    assert len(numbers(loader)) == len(numbers(again)) == 6
    prefetch.reset()
    assert rows() == [[0, 1], [2, 3], [4, 5], [6, 7]]

pid = child(work)
work()
assert end_of(pid) == 7
"""


def test_loaders_go_on_in_a_child():
    run(THREADS_AHEAD)
