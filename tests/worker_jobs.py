"""What workers do, for tests that start several: python -m tests.worker_jobs NAME ARGUMENT…

Each job prints a line of JSON, which begins with the rank.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import hybridonnx as mx
from hybridonnx import autograd, gluon, nd
from hybridonnx.gluon import nn

ROWS, STEPS = 16, 50
"""Rows that all workers have together, and steps of training."""
FOLDER = Path(__file__).parent.parent


def start(workers, job, *arguments, options=(), timeout=60, environ=None):
    """Start a job in several processes: its exit code, what the workers say by rank, and errors."""
    command = [sys.executable, "-m", "hybridonnx", "launch", "-n", str(workers), *options]
    environ = {**os.environ, "HYBRIDONNX_TIMEOUT": "20", "PYTHONPATH": str(FOLDER), **(environ or {})}
    done = subprocess.run(
        [*command, "-m", "tests.worker_jobs", job, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environ,
        check=False,
    )
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    return done.returncode, [value for _, value in sorted(told, key=lambda x: x[0])], done.stderr


def alone(job, *arguments):
    """What the job says in this process, as the only worker there is."""
    return JOBS[job](mx.kv.create("local"), *map(str, arguments))


def rows():
    """Data and labels for all workers."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((ROWS, 6)).astype(np.float32)
    return x, np.tanh(x.sum(1, keepdims=True)).astype(np.float32)


def own_rows(kv):
    """Those of a worker."""
    count = ROWS // kv.num_workers
    return [nd.array(part[kv.rank * count : (kv.rank + 1) * count]) for part in rows()]


def network(kv, hybrid=True, seed=7):
    """The same in each worker at first, for one seed."""
    mx.random.seed(seed)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(9, activation="tanh"), nn.Dense(5, activation="relu"), nn.Dense(1))
    net.initialize(mx.init.Xavier())
    if hybrid:
        net.hybridize()
    return net


def train(kv, optimizer, update_on_kvstore, hybrid):
    """The losses of steps of training, over the rows of all workers, and the weights at the end."""
    x, y = own_rows(kv)
    net = network(kv, hybrid == "hybrid")
    options = {"learning_rate": 0.02} | ({"momentum": 0.9} if optimizer == "sgd" else {})
    trainer = gluon.Trainer(
        net.collect_params(), optimizer, options, kvstore=kv, update_on_kvstore=json.loads(update_on_kvstore)
    )
    losses = []
    for _ in range(STEPS):
        with autograd.record():
            loss = gluon.loss.L2Loss()(net(x), y)
        loss.backward()
        trainer.step(ROWS)
        losses.append(float(loss.sum().asscalar()))
    return {"losses": losses, "weights": [p.data().asnumpy().tolist() for p in net.collect_params().values()]}


def horovod(kv, clip):
    """The weights after steps in which each worker counts its own rows."""
    x, y = rows()
    sampler = gluon.data.SplitSampler(ROWS, kv.num_workers, kv.rank, shuffle=False)
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(x, y), ROWS // kv.num_workers, sampler=sampler)
    net = network(kv, seed=kv.rank)
    net(nd.array(x))
    if kv.type == "local":
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, update_on_kvstore=False)
    else:
        gluon.broadcast_parameters(net.collect_params())
        trainer = gluon.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        assert (trainer.rank, trainer.num_workers) == (kv.rank, kv.num_workers)
    for _ in range(5):
        for data, labels in loader:
            with autograd.record():
                loss = gluon.loss.L2Loss()(net(data), labels)
            loss.backward()
            if clip == "clip":
                trainer.allreduce_grads()
                gluon.utils.clip_global_norm([p.grad() for p in net.collect_params().values()], 0.3)
                trainer.update(len(data))
            else:
                trainer.step(len(data))
    return [p.data().asnumpy().tolist() for p in net.collect_params().values()]


def killed(kv, folder, mark):
    """The weights of a training that goes on from checkpoints; a worker whose mark comes kills itself."""
    mx.random.seed(11 + kv.rank)
    x, y = rows()
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(9), nn.BatchNorm(), nn.Dropout(0.3), nn.Dense(1))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    net(nd.array(x))
    compression = {"type": "2bit", "threshold": 0.05} if kv.num_workers > 1 else None
    trainer = gluon.Trainer(
        net.collect_params(), "adam", {"learning_rate": 0.02}, kvstore=kv, compression_params=compression
    )
    sampler = gluon.data.SplitSampler(ROWS, kv.num_workers, kv.rank)
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(x, y), 2, sampler=sampler)
    checkpoint = gluon.Checkpoint(folder, net, trainer)
    for _, _, (data, labels) in checkpoint.batches(loader, epochs=6, every=3):
        with autograd.record():
            loss = gluon.loss.L2Loss()(net(data), labels)
        loss.backward()
        trainer.step(2 * kv.num_workers)
        attempt = os.environ.get("HYBRIDONNX_RESTART", "0")
        for rank, step, when in (word.split(":") for word in mark.split(",") if word):
            if (int(rank), int(step), when) == (kv.rank, checkpoint.step, attempt):
                os.kill(os.getpid(), signal.SIGKILL)
    return [p.data().asnumpy().astype(float).tolist() for p in net.collect_params().values()]


def devices(kv, kind, update_on_kvstore):
    """The weights, on each device, of workers that have two devices each, or the GPU that they play."""
    os.environ["HYBRIDONNX_FAKE_GPU"] = "1"
    contexts = [mx.gpu(0)] if kind == "gpu" else [mx.cpu(0), mx.cpu(1)]
    mx.random.seed(7)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(9, activation="tanh", in_units=6), nn.Dense(1, in_units=9))
    net.initialize(mx.init.Xavier(), ctx=contexts)
    net.hybridize()
    options = {"learning_rate": 0.1, "momentum": 0.9}
    on_store = json.loads(update_on_kvstore)
    trainer = gluon.Trainer(net.collect_params(), "sgd", options, kvstore=kv, update_on_kvstore=on_store)
    x, y = own_rows(kv)
    for _ in range(5):
        parts = [gluon.utils.split_and_load(array, contexts) for array in (x, y)]
        with autograd.record():
            losses = [gluon.loss.L2Loss()(net(a), b) for a, b in zip(*parts, strict=True)]
        for loss in losses:
            loss.backward()
        trainer.step(ROWS)
    return [[p.data(c).asnumpy().tolist() for p in net.collect_params().values()] for c in contexts]


class Branching(gluon.HybridBlock):
    """A network of which a worker may leave out a part."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.leaves_out = False
        with self.name_scope():
            self.first, self.second = nn.Dense(8, in_units=6), nn.Dense(8, in_units=8)
            self.third, self.last = nn.Dense(8, in_units=8), nn.Dense(1, in_units=8)

    def forward(self, x):
        x = self.second(self.first(x))
        return self.last(x if self.leaves_out else self.third(x))


def irregular(kv, hybrid, overlap):
    """Whether gradients are the workers' sums, whatever these do between a backward pass and the step."""
    from hybridonnx.kvstore import gradients

    os.environ["HYBRIDONNX_OVERLAP"] = overlap
    gradients.BUCKET = 80
    mx.random.seed(7)
    net = Branching(prefix="net_")
    net.initialize(mx.init.Xavier())
    for part in net._children.values():
        part.hybridize(hybrid == "hybrid")
    params = list(net.collect_params().values())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01}, kvstore=kv)
    x, y = own_rows(kv)
    draw = np.random.default_rng(kv.rank)
    told: dict = {"wrong": 0, "begun": []}

    def backward():
        with autograd.record():
            loss = gluon.loss.L2Loss()(net(x), y)
        loss.backward()

    for step in range(24):
        net.leaves_out = bool(draw.integers(4) == 0) and step > 3
        backward()
        action = draw.integers(6) if step > 5 else 9
        if action == 0:
            backward()
        elif action == 1:
            gluon.utils.clip_global_norm([p.grad() for p in params], 1e-3)
        elif action == 2:
            params[0].zero_grad()
        elif action == 3:
            params[2].grad()[:] = 5
        elif action == 4:
            params[1].grad()._accumulate(params[1].grad())
        if trainer._sums is not None:
            told["begun"].append([b.pending is not None for b in trainer._sums._buckets])
        fresh = [p.data()._fresh_grad for p in params]
        own = [
            p.grad().asnumpy() if f else np.zeros(p.shape, "f") for p, f in zip(params, fresh, strict=True)
        ]
        others = [kv.workers.sum("expected", array.copy()) for array in own]
        anyone = kv.workers.sum("fresh", np.array(fresh, np.int32))
        before = [p.grad().asnumpy() for p in params]
        trainer.step(ROWS, ignore_stale_grad=True)
        for param, total, used, old in zip(params, others, anyone, before, strict=True):
            told["wrong"] += not np.array_equal(param.grad().asnumpy(), total if used else old)
    told["weights"] = [p.data().asnumpy().tolist() for p in params]
    return told


def staged(kv, uneven):
    """The order in which gradients are there, and sums begin, of a hybridized network of several buckets."""
    from hybridonnx.kvstore import gradients

    gradients.BUCKET = 40
    events: list[str] = []
    begin, complete = gradients._Bucket.begin, gradients._Slot.complete

    def told_begin(bucket, workers):
        events.append(f"begin {bucket.group}")
        begin(bucket, workers)

    def told_complete(slot):
        if not slot.is_done:
            events.append(slot.name)
        complete(slot)

    vars(gradients)["_Bucket"].begin, vars(gradients)["_Slot"].complete = told_begin, told_complete
    x, y = own_rows(kv)
    net = network(kv)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, kvstore=kv)
    for _ in range(3):
        with autograd.record():
            loss = gluon.loss.L2Loss()(net(x), y)
        events.clear()
        loss.backward()
        events.append("step")
        trainer.step(ROWS)
    return events


def module(kv):
    """The weights after epochs of `Module.fit`, as scripts of MXNet's have it."""
    x, y = own_rows(kv)
    data = mx.sym.var("data")
    hidden = mx.sym.tanh(mx.sym.FullyConnected(data, num_hidden=7, name="first"))
    out = mx.sym.FullyConnected(hidden, num_hidden=1, name="last")
    net = mx.sym.LinearRegressionOutput(out, mx.sym.var("lin_label"), name="lin")
    it = mx.io.NDArrayIter(x, y, batch_size=len(x), label_name="lin_label")
    mx.random.seed(kv.rank)
    mod = mx.mod.Module(net, label_names=["lin_label"])
    mod.fit(
        it,
        num_epoch=10,
        kvstore=kv,
        optimizer_params={"learning_rate": 0.05, "momentum": 0.9},
        eval_metric="mse",
    )
    return {name: array.asnumpy().tolist() for name, array in sorted(mod.get_params()[0].items())}


def trouble(kv, kind):
    """The worker of rank 1 gets into trouble in the third step."""
    x, y = own_rows(kv)
    net = network(kv)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, kvstore=kv)
    for step in range(4):
        with autograd.record():
            loss = gluon.loss.L2Loss()(net(x), y)
        loss.backward()
        if step == 2 and kv.rank == 1 and os.environ["HYBRIDONNX_RESTART"] == "0":
            if kind == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            elif kind == "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            elif kind == "hang":
                time.sleep(100)
            elif kind == "raise":
                raise ValueError("no more of this")
            elif kind == "exit":
                sys.exit(3)
        trainer.step(ROWS)
    return os.environ["HYBRIDONNX_RESTART"]


def store(kv):
    """Sums of what only some of MXNet's stores take."""
    rows = mx.nd.sparse.row_sparse_array(([[1.0, 2.0], [3.0, 4.0]], [0, kv.rank + 1]), shape=(4, 2))
    kv.init("rows", nd.zeros((4, 2)).tostype("row_sparse"))
    kv.push("rows", rows)
    fetched = mx.nd.sparse.zeros("row_sparse", (4, 2))
    kv.row_sparse_pull("rows", out=fetched, row_ids=nd.array([0, 1, 2, 3]))
    told = {"rows": fetched.asnumpy().tolist()}
    for dtype in ("float16", "float64", "int32", "uint8"):
        array = nd.ones((2, 3), dtype=dtype) * (kv.rank + 1)
        kv.init(dtype, array)
        kv.pushpull(dtype, array)
        told[dtype] = [str(array.asnumpy().dtype), array.asnumpy().tolist()]
    kv.barrier()
    return told


def compressed(kv, kind, size):
    """The sums of steps whose gradients are sent in fewer bits."""
    kv.set_gradient_compression({"type": kind})
    kv.init("c", nd.zeros((int(size),)))
    rng, sums = np.random.default_rng(kv.rank), []
    for _ in range(4):
        kv.push("c", nd.array(rng.standard_normal(int(size)).astype(np.float32)))
        out = nd.zeros((int(size),))
        kv.pull("c", out=out)
        sums.append(out.asnumpy().tolist())
    return sums


def disagree(kv):
    """Workers do not do the same."""
    kv.init("a" if kv.rank else "b", nd.ones((2,)))


JOBS = {
    f.__name__: f
    for f in (
        train,
        devices,
        horovod,
        killed,
        irregular,
        staged,
        module,
        trouble,
        store,
        compressed,
        disagree,
    )
}

if __name__ == "__main__":
    kv = mx.kv.create("dist_sync")
    told = JOBS[sys.argv[1]](kv, *sys.argv[2:])
    sys.stdout.write(f"{json.dumps([kv.rank, told])}\n")  # at once, as others write as well
