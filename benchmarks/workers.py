"""Training by several processes beside one: python benchmarks/workers.py [--network resnet18] [--rounds 3]

Each round runs one worker, and two whose steps take turns: those that do not tell each other anything, those
that sum gradients in the step alone, and those that sum them while the backward pass goes on. Each worker has
one thread; medians count. What is hidden of the communication is how much of what summing costs is gone with
the overlap. A part of the cost is work of the processor, copies and sums, which nothing hides where each core
computes: of the rest the overlap hides more. The last table is a simulation of many machines.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import _training_turns as turns
from _training_gluon import transformer

TURNS, WARM = 10, 3
NETWORKS = ("resnet18", "transformer")
WAYS = {"no sums": "0", "in the step": "0", "meanwhile": "1"}
"""The kinds of a step, and whether each sums while the backward pass goes on."""

# ---- in each worker


def task(mx, network, rank):
    """A network, its loss, and a batch for a worker."""
    import numpy as np

    rng = np.random.default_rng(rank)
    loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    if network == "transformer":
        words = mx.nd.array(rng.integers(0, turns.TOKENS, (turns.WIDTH, turns.TEXTS)))
        return transformer(mx), loss, words, words.reshape((-1,))
    images = mx.nd.array(rng.standard_normal((16, 3, 64, 64)).astype("float32"))
    return mx.gluon.model_zoo.vision.resnet18_v1(), loss, images, mx.nd.array(rng.integers(0, 1000, 16))


def work(network):
    """Train, and print what each kind of step takes, and when each bucket was complete."""
    import hybridonnx as mx
    from hybridonnx.kvstore import gradients

    kv = mx.kv.create("dist_sync")
    mx.random.seed(0)
    net, loss_function, x, y = task(mx, network, kv.rank)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    loss_function.hybridize()
    trainers = {
        sums: mx.gluon.Trainer(
            net.collect_params(), "sgd", {"learning_rate": 0.001}, kvstore=kv if sums else None
        )
        for sums in (False, True)
    }
    seconds, work, begins = ({way: [] for way in WAYS} for _ in range(3))
    events = []
    begin = gradients._Bucket.begin

    def record(bucket, workers):
        events.append((time.perf_counter(), bucket.own.nbytes))
        begin(bucket, workers)

    gradients._Bucket.begin = record
    for turn in range(WARM + TURNS):
        for way, overlap in WAYS.items():
            os.environ["HYBRIDONNX_OVERLAP"] = overlap
            kv.barrier()
            events.clear()
            start, start_of_work = time.perf_counter(), time.process_time()
            with mx.autograd.record():
                loss = loss_function(net(x), y)
            loss.backward()
            end = time.perf_counter()
            trainers[way != "no sums"].step(len(x) * kv.num_workers)
            spent = time.process_time() - start_of_work
            kv.barrier()  # so that each way waits for the slower worker
            if turn >= WARM:
                seconds[way].append(time.perf_counter() - start)
                work[way].append(spent)
                begins[way].append([(at - start, size) for at, size in events] + [(end - start, 0)])
    if kv.rank == 0:
        sys.stdout.write(json.dumps({"seconds": seconds, "work": work, "begins": begins}) + "\n")


# ---- what starts them


def launch(network, workers):
    environ = dict(os.environ, HYBRIDONNX_THREADS="1", OMP_NUM_THREADS="1")
    run = subprocess.run(
        [sys.executable, "-m", "hybridonnx", "launch", "-n", str(workers), __file__, "work", network],
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


def measure(network, rounds):
    """The turns of one worker, and of two: by way the seconds of all steps, and when buckets began."""
    runs = [(launch(network, 1), launch(network, 2)) for _ in range(rounds)]
    return [
        {
            key: {way: [step for run in column for step in run[key][way]] for way in WAYS}
            for key in ("seconds", "work", "begins")
        }
        for column in zip(*runs, strict=True)
    ]


def report(network, one, two):
    alone = statistics.median(one["seconds"]["no sums"])
    free, late, early = (statistics.median(two["seconds"][way]) for way in WAYS)
    turns = list(zip(*two["seconds"].values(), strict=True))
    cost = statistics.median(b - a for a, b, _ in turns)
    gain = statistics.median(b - c for _, b, c in turns)
    work = statistics.median(
        c - a for a, c in zip(two["work"]["no sums"], two["work"]["meanwhile"], strict=True)
    )
    cells = [f"{1000 * value:.0f}" for value in (alone, free, late, early)]
    cells += [f"{2 * alone / value:.2f}" for value in (free, late, early)] + [
        f"{1000 * work:.0f}",
        f"{100 * gain / cost:.0f} %",
    ]
    cells.append(f"{100 * gain / (cost - work):.0f} %" if work < cost else "all is work")
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


def simulated(step, workers, rate, way):
    """The seconds of a step: buckets go one after another, each once it is complete everywhere."""
    *buckets, (end, _) = step["begins"]
    behind, free = 1 + DELAY, 0.0
    for at, size in buckets:
        free = max(free, at * behind) + exchange(size, workers, rate, way)
    return max(free, end * behind) + max(step["alone"] - end, 0.0)  # the rest is the optimizer's


def simulate(network, one, two):
    """Rows of what many workers reach of as many times one's speed."""
    seconds = two["seconds"]["meanwhile"]
    fastest, alone = min(seconds), min(one["seconds"]["no sums"])
    scale = alone / max(fastest, alone)  # two share a machine's memory here, and have one each there
    begins = [(at * scale, size) for at, size in two["begins"]["meanwhile"][seconds.index(fastest)]]
    step = {"begins": begins, "alone": alone}
    for workers in (8, 64, 512):
        cells = []
        for rate in (10, 100):
            for way in ("ring", "tree"):
                cells.append(f"{100 * alone / simulated(step, workers, rate, way):.0f} %")
        print(f"| {network} | {workers} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--network", choices=NETWORKS, action="append")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    titles = ["Network", "one, ms", "two, no sums", "sums in the step", "sums meanwhile"]
    titles += [
        "speed of two, no sums",
        "sums in the step",
        "sums meanwhile",
        "work of sums, ms",
        "hidden",
        "of the rest",
    ]
    print("| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
    results = {}
    for network in options.network or NETWORKS:
        results[network] = measure(network, options.rounds)
        report(network, *results[network])
    print(
        "\n| Network | machines | 10 Gb/s, ring | tree | 100 Gb/s, ring | tree |\n|---|---|---|---|---|---|"
    )
    for network, result in results.items():
        simulate(network, *result)


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(*sys.argv[2:])
    else:
        main()
