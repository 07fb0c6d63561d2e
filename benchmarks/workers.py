"""Training by several processes beside one: python benchmarks/workers.py [--network resnet18] [--rounds 3]

Each round runs one worker, two that do not tell each other anything, two that sum gradients in the step
alone, and two that sum them while the backward pass goes on, each with one thread; the fastest step counts.
What is hidden of the communication is how much of what summing costs is gone with the overlap. The rest is a
simulation of many machines.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

STEPS, WARM = 10, 3
NETWORKS = ("resnet18", "transformer")
MODES = {
    "one worker": (1, "alone", "1"),
    "two, no sums": (2, "alone", "1"),
    "two, sums in the step": (2, "sums", "0"),
    "two, sums meanwhile": (2, "sums", "1"),
}

# ---- in each worker


def transformer(mx):
    """Four layers of an encoder over (T, N) words, as scores of (T, N, words)."""
    nn, units, heads, words = mx.gluon.nn, 256, 4, 1000

    class Layer(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.into = nn.Dense(3 * units, flatten=False, in_units=units)
                self.out = nn.Dense(units, flatten=False, in_units=units)
                self.wide = nn.Dense(4 * units, flatten=False, in_units=units, activation="relu")
                self.narrow = nn.Dense(units, flatten=False, in_units=4 * units)
                self.first, self.second = nn.LayerNorm(in_channels=units), nn.LayerNorm(in_channels=units)

        def hybrid_forward(self, F, x):
            qkv = self.into(x)
            scores = F.softmax(F.contrib.interleaved_matmul_selfatt_qk(qkv, heads=heads))
            mixed = F.contrib.interleaved_matmul_selfatt_valatt(qkv, scores, heads=heads)
            x = self.first(x + self.out(mixed))
            return self.second(x + self.narrow(self.wide(x)))

    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Embedding(words, units))
        for _ in range(4):
            net.add(Layer())
        net.add(nn.Dense(words, flatten=False, in_units=units))
    return net


def task(mx, network, rank):
    """A network, its loss, and a batch for a worker."""
    import numpy as np

    rng = np.random.default_rng(rank)
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    if network == "transformer":
        words = mx.nd.array(rng.integers(0, 1000, (64, 8)))
        return transformer(mx), loss, words, words
    images = mx.nd.array(rng.standard_normal((16, 3, 64, 64)).astype("float32"))
    return mx.gluon.model_zoo.vision.resnet18_v1(), loss, images, mx.nd.array(rng.integers(0, 1000, 16))


def work(network, mode):
    """Train, and print what a step takes, and when each bucket was complete."""
    import hybridonnx as mx
    from hybridonnx.kvstore import gradients

    kv = mx.kv.create("dist_sync")
    mx.random.seed(0)
    net, loss_function, x, y = task(mx, network, kv.rank)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    loss_function.hybridize()
    trainer = mx.gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 0.001}, kvstore=kv if mode == "sums" else None
    )
    took, begun, events = [], [], []
    begin = gradients._Bucket.begin

    def told(bucket, workers):
        events.append((time.perf_counter(), bucket.own.nbytes))
        begin(bucket, workers)

    gradients._Bucket.begin = told
    for step in range(WARM + STEPS):
        kv.barrier()
        events.clear()
        started = time.perf_counter()
        with mx.autograd.record():
            loss = loss_function(net(x), y)
        loss.backward()
        passed = time.perf_counter()
        trainer.step(len(x) * kv.num_workers)
        kv.barrier()  # so that each way waits for the slower worker
        if step >= WARM:
            took.append(time.perf_counter() - started)
            begun.append([(at - started, size) for at, size in events] + [(passed - started, 0)])
    first = took.index(min(took))
    if kv.rank == 0:
        found = {
            "step": min(took),
            "median": statistics.median(took),
            "begun": begun[first],
            "last": min(took),
        }
        sys.stdout.write(json.dumps(found) + "\n")


# ---- what starts them


def launch(network, name):
    workers, mode, overlap = MODES[name]
    environ = dict(os.environ, HYBRIDONNX_OVERLAP=overlap, HYBRIDONNX_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run(
        [sys.executable, "-m", "hybridonnx", "launch", "-n", str(workers), __file__, "work", network, mode],
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def measure(network, rounds):
    """Each mode's runs, in turns."""
    runs = {name: [] for name in MODES}
    for _ in range(rounds):
        for name in MODES:
            runs[name].append(launch(network, name))
    return runs


def report(network, runs):
    steps = {name: min(run["step"] for run in found) for name, found in runs.items()}
    one, free, late, early = steps.values()
    hidden = 1 - (early - free) / (late - free)
    cells = [f"{1000 * value:.0f}" for value in (one, free, late, early)]
    cells += [f"{2 * one / value:.2f}" for value in (free, late, early)] + [f"{100 * hidden:.0f} %"]
    print(f"| {network} | " + " | ".join(cells) + " |", flush=True)


# ---- many machines


LATENCY = {10: 30e-6, 100: 5e-6}
"""Seconds for which a message is on its way, by Gb/s."""
USABLE = 0.9
"""The share of a network's bits that are ours."""
ADDED = 4e9
"""Bytes of sums that a worker computes in a second."""
DELAY = 0.05
"""The share of its time by which the slowest of many workers is behind."""


def exchange(size, workers, rate, way):
    """Seconds that the sum of `size` bytes takes, by a ring or by a tree and back."""
    speed, latency = USABLE * rate * 1e9 / 8, LATENCY[rate]
    if way == "ring":
        part = size / workers
        return (workers - 1) * (2 * (latency + part / speed) + part / ADDED)
    rounds = (workers - 1).bit_length()
    return rounds * (2 * (latency + size / speed) + size / ADDED)


def simulated(run, workers, rate, way):
    """The seconds of a step: buckets go one after another, each once it is complete everywhere."""
    *buckets, (passed, _) = run["begun"]
    behind, free = 1 + DELAY, 0.0
    for at, size in buckets:
        free = max(free, at * behind) + exchange(size, workers, rate, way)
    return max(free, passed * behind) + update(run)


def update(run):
    """Seconds of the optimizer."""
    return run["alone"] - run["begun"][-1][0] if run["alone"] > run["begun"][-1][0] else 0.0


def simulate(network, runs):
    """Rows of what many workers reach of as many times one's speed."""
    run = min(runs["two, sums meanwhile"], key=lambda found: found["last"])
    alone = min(found["step"] for found in runs["one worker"])
    run = {**run, "alone": alone}
    scale = alone / max(run["last"], alone)  # two share a machine's memory here, and have one each there
    run["begun"] = [(at * scale, size) for at, size in run["begun"]]
    for workers in (8, 64, 512):
        cells = []
        for rate in (10, 100):
            for way in ("ring", "tree"):
                cells.append(f"{100 * alone / simulated(run, workers, rate, way):.0f} %")
        print(f"| {network} | {workers} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--network", choices=NETWORKS, action="append")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    titles = ["Network", "one, ms", "two, no sums", "sums in the step", "sums meanwhile"]
    titles += ["speed of two, no sums", "sums in the step", "sums meanwhile", "hidden"]
    print("| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
    found = {network: measure(network, options.rounds) for network in options.network or NETWORKS}
    for network, runs in found.items():
        report(network, runs)
    print(
        "\n| Network | machines | 10 Gb/s, ring | tree | 100 Gb/s, ring | tree |\n|---|---|---|---|---|---|"
    )
    for network, runs in found.items():
        simulate(network, runs)


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(*sys.argv[2:])
    else:
        main()
