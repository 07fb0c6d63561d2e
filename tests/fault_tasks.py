"""Calls that are interrupted, and made again: `python -m tests.fault_tasks SAMPLES SEED [TASK…]`.

A task is a function of a folder that makes a call; the call begins with all that its numbers depend on, so
that each gives the same ones. Cut short anywhere, it leaves the state of the thread as it was, and the next
call gives the numbers of one that was not cut short. What fails is printed.
"""

from __future__ import annotations

import gc
import io
import json
import os
import random
import sys
import tempfile
import threading
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np

import hybridonnx as mx
from hybridonnx import autograd, nd
from hybridonnx.gluon import nn, rnn
from tests.fault_writers import WRITERS, content, others
from tests.interrupts import Steps

TASKS = {}
DATA = np.random.default_rng(0).uniform(-1, 1, (8, 6)).astype("float32")
LABELS = np.arange(8) % 3


def task(make):
    """Register what makes a call for a folder."""
    TASKS[make.__name__] = make
    return make


def network(dropout=0.5):
    """A network whose numbers depend on the mode, on draws, and on states that training changes."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(5, in_units=6, activation="relu"), nn.BatchNorm(in_channels=5), nn.Dropout(dropout))
        net.add(nn.Dense(3, in_units=5))
    net.initialize()
    return net


def begin(net):
    """Set all values, and the seed, as they are at the beginning of every call."""
    rng = np.random.default_rng(1)
    for name, param in net.collect_params().items():
        values = (
            rng.uniform(0.5, 1.5, param.shape)
            if "var" in name or "gamma" in name
            else rng.normal(size=param.shape)
        )
        param.set_data(nd.array(values))
        param.zero_grad() if param.grad_req != "null" else None
    mx.random.seed(3)


def numbers(net, *arrays):
    return [x.asnumpy() for x in arrays] + [p.data().asnumpy() for p in net.collect_params().values()]


def predict(hybrid):
    def make(folder):
        net = network()

        def call():
            begin(net)
            if hybrid:
                net.hybridize()  # traced and compiled anew
            return [net(nd.array(DATA)).asnumpy(), net(nd.array(DATA[:3])).asnumpy()]

        return call

    return make


TASKS["predict_eagerly"] = predict(False)
TASKS["compile"] = predict(True)


def train(hybrid):
    def make(folder):
        net = network()
        trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
        trainer.save_states(f"{folder}/first.states")
        loss_function = mx.gluon.loss.SoftmaxCrossEntropyLoss()

        def call():
            begin(net)
            trainer.load_states(f"{folder}/first.states")
            if hybrid:
                net.hybridize()
            for _ in range(2):
                with autograd.record():
                    loss = loss_function(net(nd.array(DATA)), nd.array(LABELS))
                loss.backward()
                trainer.step(8)
            return numbers(net, loss, net(nd.array(DATA)))

        return call

    return make


TASKS["train_eagerly"] = train(False)
TASKS["train_compiled"] = train(True)


@task
def deferred(folder):
    """Parameters whose shapes the first input tells."""

    def call():
        mx.random.seed(3)
        net = nn.HybridSequential(prefix="net_")
        with net.name_scope():
            net.add(nn.Dense(4, activation="tanh"), nn.Dense(2))
        net.initialize(mx.init.Xavier())
        net.hybridize()
        return numbers(net, net(nd.array(DATA)))

    return call


@task
def deferred_once(folder):
    """The same block again after the first input was interrupted."""
    net = nn.HybridSequential(prefix="net_")
    net.add(nn.Dense(4, activation="tanh"), nn.Dense(2))

    def call():
        mx.random.seed(3)
        net.initialize(mx.init.One(), force_reinit=True)
        return [net(nd.array(DATA)).asnumpy()]

    return call


@task
def recurrent(folder):
    net = rnn.LSTM(4, input_size=6, prefix="lstm_")
    net.initialize()
    x = nd.array(DATA.reshape(2, 4, 6))

    def call():
        begin(net)
        net.hybridize()
        with autograd.record():
            out = net(x).sum()
        out.backward()
        return [out.asnumpy(), *(p.grad().asnumpy() for p in net.collect_params().values())]

    return call


@task
def loops(folder):
    def call():
        x, total = nd.array(DATA), nd.zeros((6,))
        x.attach_grad()
        with autograd.record():
            outputs, final = nd.contrib.foreach(lambda row, sum_: (row * sum_, sum_ + row), x, total)
            y = (outputs.sum() + final.sum()) * 2
        y.backward()
        return [outputs.asnumpy(), final.asnumpy(), x.grad.asnumpy()]

    return call


@task
def second_gradients(folder):
    def call():
        x = nd.array(DATA)
        x.attach_grad()
        with autograd.record():
            y = nd.tanh(x) * x
            (dx,) = autograd.grad(y, [x], create_graph=True)
            z = (dx * dx).sum()
        z.backward()
        return [dx.asnumpy(), x.grad.asnumpy()]

    return call


@task
def scopes(folder):
    """What a user's `with` blocks hold."""

    def call():
        mx.random.seed(5)
        with (
            mx.Context("cpu", 1),
            mx.name.Prefix("a_"),
            mx.AttrScope(__mood__="calm"),
            mx.util.np_shape(True),
        ):
            x = nd.random.normal(shape=(3, 4))
            with autograd.record(), autograd.pause(), autograd.train_mode():
                y = nd.Dropout(x, p=0.5)
            graph = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=2, name="fc")
        assert graph.name == "a_fc", graph.name
        assert x.context == mx.Context("cpu", 1)
        return [x.asnumpy(), y.asnumpy()]

    return call


@task
def custom(folder):
    class Twice(autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, dy):
            return dy * 3

    def call():
        x = nd.array(DATA)
        x.attach_grad()
        with autograd.record():
            y = Twice()(x) * x
        y.backward()
        return [y.asnumpy(), x.grad.asnumpy()]

    return call


@task
def load(folder):
    first, net = network(), network()
    begin(first)
    first.save_parameters(f"{folder}/net.params")
    first.hybridize()
    first(nd.array(DATA))
    first.export(f"{folder}/net")

    def call():
        net.load_parameters(f"{folder}/net.params")
        _, arguments, _ = mx.model.load_checkpoint(f"{folder}/net", 0)
        block = mx.gluon.SymbolBlock.imports(
            f"{folder}/net-symbol.json", ["data"], f"{folder}/net-0000.params"
        )
        arrays = [arguments[name].asnumpy() for name in sorted(arguments)]
        return [net(nd.array(DATA)).asnumpy(), block(nd.array(DATA)).asnumpy(), *arrays]

    return call


@task
def import_onnx(folder):
    net = network()
    begin(net)
    mx.onnx.export_model(net, f"{folder}/m.onnx", input_shapes=[("batch", 6)])

    def call():
        block = mx.onnx.import_to_gluon(f"{folder}/m.onnx")
        block.hybridize()
        return [block(nd.array(DATA)).asnumpy()]

    return call


@task
def export_onnx(folder):
    net = network()

    def call():
        begin(net)
        mx.onnx.export_model(net, f"{folder}/m.onnx", input_shapes=[("batch", 6)], verify=True)
        assert mx.onnx.check_manifest(f"{folder}/m.onnx").ok()
        return [np.frombuffer(Path(folder, "m.onnx").read_bytes(), np.uint8)]

    return call


@task
def loader(folder):
    rows = mx.gluon.data.ArrayDataset(nd.array(DATA), nd.array(LABELS)).transform_first(
        lambda x: x + nd.random.normal(shape=6)
    )
    batches = mx.gluon.data.DataLoader(rows, 3, shuffle=True, num_workers=2)

    def call():
        mx.random.seed(4)
        return [part.asnumpy() for batch in batches for part in batch]

    return call


@task
def fit(folder):
    graph = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    mod = mx.mod.Module(mx.sym.SoftmaxOutput(graph, name="softmax"))
    rows = mx.io.NDArrayIter(DATA, LABELS, 4, label_name="softmax_label")
    mod.bind(rows.provide_data, rows.provide_label)
    weights = {"fc_weight": nd.array(DATA[:3]), "fc_bias": nd.zeros((3,))}

    def call():
        rows.reset()
        mod.init_params(arg_params=weights, force_init=True)
        options = {"learning_rate": 0.1, "momentum": 0.9}
        mod.init_optimizer(None, "sgd", options, force_init=True)
        mod.fit(rows, num_epoch=1, force_init=False, kvstore=None)
        mod.save_checkpoint(f"{folder}/m", 1, save_optimizer_states=True)
        return [x.asnumpy() for x in mod.get_params()[0].values()]

    return call


@task
def estimator_fit(folder):
    from hybridonnx.gluon.contrib.estimator import CheckpointHandler, Estimator

    net = network()
    rows = mx.gluon.data.DataLoader(mx.gluon.data.ArrayDataset(nd.array(DATA), nd.array(LABELS)), 4)

    def call():
        begin(net)
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
        fitting = Estimator(net, mx.gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer)
        fitting.logger.setLevel("ERROR")
        fitting.fit(rows, epochs=2, event_handlers=[CheckpointHandler(folder)])
        return numbers(net)

    return call


@task
def profiled(folder):
    """What the profiler measures is written, and nothing of it stays behind."""
    net = network()

    def call():
        mx.profiler.set_config(filename=f"{folder}/profile.json", profile_all=True)
        mx.profiler.set_state("run")
        try:
            begin(net)
            net.hybridize()
            out = net(nd.array(DATA)).asnumpy()
        finally:
            mx.profiler.set_state("stop")
        mx.profiler.dump()
        assert json.loads(Path(folder, "profile.json").read_text())["traceEvents"]
        return [out]

    return call


@task
def diffed(folder):
    """Models are exported to a folder among those of the system."""
    graph = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    params = {"fc_weight": nd.array(DATA[:3]), "fc_bias": nd.zeros((3,))}
    mx.onnx.export_model(graph, params, [(2, 6)], onnx_file_path=f"{folder}/m.onnx")
    expected = str(mx.onnx.diff((graph, params), f"{folder}/m.onnx"))

    def call():
        before = set(os.listdir(tempfile.gettempdir()))
        assert str(mx.onnx.diff((graph, params), f"{folder}/m.onnx")) == expected
        left = [
            name for name in {*os.listdir(tempfile.gettempdir())} - before if "scratch.hybridonnx" in name
        ]
        assert not left, left
        return []

    return call


@task
def custom_operator(folder):
    @mx.operator.register("faults_square")
    class SquareProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Square()

    class Square(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0] * in_data[0])

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0])

    def call():
        x = nd.array(DATA)
        x.attach_grad()
        with autograd.record():
            y = nd.Custom(x, op_type="faults_square")
        y.backward()
        return [y.asnumpy(), x.grad.asnumpy()]

    return call


# ---- state


def state():
    """What a thread has in force."""
    from hybridonnx.gluon.block import _BlockScope
    from hybridonnx.gluon.hybrid_block import _tracing
    from hybridonnx.ops import _generator
    from hybridonnx.ops._mixing import mixing

    umask = os.umask(0o22)
    os.umask(umask)
    free = threading.Thread(target=lambda: freed.append((_is_free(_generator._lock), _is_free(_tracing))))
    freed: list[bool] = []
    free.start()
    free.join()
    return {
        "recording": autograd.is_recording(),
        "training": autograd.is_training(),
        "names": id(mx.name.current()),
        "attributes": mx.attribute.current().get(None),
        "context": str(mx.current_context()),
        "numpy": (mx.util.is_np_shape(), mx.util.is_np_array()),
        "block": _BlockScope.create(None, None, "a")[0].startswith("a"),
        "mixing": getattr(mixing._local, "paused", False),
        "generator": getattr(_generator._thread, "generator", None),
        "locks": freed[0],
        "umask": umask,
    }


def _is_free(lock):
    """Whether this thread can have a lock."""
    if lock.acquire(timeout=1):
        lock.release()
        return True
    return False


# ---- trying


def write_task(name):
    """A writer as a task, whose files are looked at after each call."""

    def make(folder):
        write = WRITERS[name]()
        whole = {}
        for value in (1, 2):
            os.mkdir(f"{folder}/whole{value}")
            write(f"{folder}/whole{value}", value)
            whole[value] = content(f"{folder}/whole{value}")
        beside = len(others(f"{folder}/whole2"))
        target = f"{folder}/target"
        os.mkdir(target)
        write(target, 1)

        def look():
            now = content(target)
            lacks = {*whole[1]} - {*now} - ({"a.idx"} if name == "indexed_records" else set())
            assert not lacks, lacks
            for file, data in now.items():
                assert data in (whole[1][file], whole[2][file]), file

        def call():
            look()
            write(target, 2)
            assert content(target) == whole[2]
            assert len(others(target)) == beside, others(target)
            return []

        return call

    return make


def same(first, second):
    return len(first) == len(second) and all(
        a.shape == b.shape and np.array_equal(a, b, equal_nan=True)
        for a, b in zip(first, second, strict=True)
    )


def sample(call, at, kind, expected, before):
    """Interrupt a call at a step and make it again; what was wrong, or nothing."""

    def act():
        raise kind("cut short")

    steps = Steps(at, act)
    try:
        with steps:
            result = call()
    except kind:
        pass
    except Exception as exc:  # noqa: BLE001
        if not _comes_of(exc, kind):
            return steps.where, f"raised {type(exc).__name__}: {exc}"
    else:
        if not same(result, expected):
            return steps.where, "the interrupt was lost, and the numbers are others"
    gc.collect(0)
    if state() != before:
        return steps.where, f"the state: {[k for k, v in state().items() if v != before[k]]}"
    try:
        if not same(call(), expected):
            return steps.where, "the next call gives other numbers"
    except Exception as exc:  # noqa: BLE001
        trace = "".join(traceback.format_exception(exc)[-3:])
        return steps.where, f"the next call raised {type(exc).__name__}: {exc}\n{trace}"
    return None


def _comes_of(exc, kind):
    while exc is not None:
        if isinstance(exc, kind):
            return True
        exc = exc.__cause__ or exc.__context__
    return False


def attempt(name, samples, rng, kind=KeyboardInterrupt):
    """Samples of a task: how many there were, and what was wrong, by where it was cut short."""
    faults: dict[str, int] = {}
    make = TASKS.get(name) or write_task(name)
    with (
        tempfile.TemporaryDirectory() as folder,
        redirect_stdout(io.StringIO()),
        redirect_stderr(io.StringIO()),
    ):
        call = make(folder)
        expected = call()
        assert same(call(), expected), f"{name} gives other numbers each time"
        before = state()
        with (steps := Steps()):
            call()
        for _ in range(samples):
            at = rng.randrange(steps.count)
            fault = sample(call, at, kind, expected, before)
            if fault is not None:
                print(f"{name}, step {at}: {fault[0]}: {fault[1]}", file=sys.__stderr__, flush=True)
                faults.setdefault(f"{fault[0]}: {fault[1]}", at)
                if state() != before:  # which would make all others fail
                    break
                call = make(tempfile.mkdtemp(dir=folder))
                call()
    return steps.count, faults


def main(samples, seed, *names):
    wrong = {}
    for name in names or (*TASKS, *WRITERS):
        kind = MemoryError if name.startswith("memory:") else KeyboardInterrupt
        began = time.perf_counter()
        try:
            steps, faults = attempt(
                name.removeprefix("memory:"), int(samples), random.Random(f"{seed}{name}"), kind
            )
        except ImportError:
            continue
        if faults:
            wrong[name] = faults
            break  # what it has left may make all others fail, or wait forever
        print(
            f"{name}: {steps} steps, {len(faults)} faults, {time.perf_counter() - began:.1f} s",
            file=sys.stderr,
        )
    print(json.dumps(wrong, indent=1))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
