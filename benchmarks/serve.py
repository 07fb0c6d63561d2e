"""Requests over HTTP: how many a second, how long each takes, with batches and without, and of strangers.

    python benchmarks/serve.py [--seconds S] [--rounds N] [--clients N] [--model NAME]
    python benchmarks/serve.py --malformed 10000
    python benchmarks/serve.py --kills 20

Clients are threads of this process, each with a connection, and with the next request as soon as there is
an answer; requests have one row, as binary data. `hybridonnx serve` is a process of its own, with batches and
with `--batch 0`, and where HYBRIDONNX_TRITON names an interpreter that has nvidia-pytriton (use_triton of
scripts/_venv.sh) so does Triton, by its python backend. A loop of a bare session, in this process, of one row
at a time, is beside them. All take turns; shown are medians. With --malformed it is told what they are
answered, and how the server grows; with --kills, SIGTERM ends servers in the middle of it, and answers are
counted.
"""

import argparse
import json
import random
import signal
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import numpy as np
import onnxruntime as ort

import hybridonnx as mx
from hybridonnx.gluon import nn

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests import kserve_client as client
from tests import test_triton as real
from tests.malformed_requests import malformed

SHAPES = {"net": (3, 8, 8), "mlp": (784,), "resnet18_v1": (3, 64, 64)}
"""The models, and the shapes of their rows."""


def exported(name, folder):
    """A model as a file."""
    net = nn.HybridSequential()
    if name == "net":
        net.add(nn.Conv2D(4, 3, activation="relu"), nn.GlobalAvgPool2D(), nn.Dense(6, prefix="scores_"))
    elif name == "mlp":
        net.add(nn.Dense(2048, activation="relu"), nn.Dense(2048, activation="relu"), nn.Dense(10))
    else:
        net = mx.gluon.model_zoo.vision.get_model(name, classes=10)
    net.initialize(mx.init.Xavier())
    path = folder / f"{name}.onnx"
    mx.onnx.export_model(net, path, input_shapes=[("batch", *SHAPES[name])])
    return path


def ours(path, *options):
    """A server of ours, and its address."""
    return client.server(path, "--drain", "0", *options)


@contextmanager
def triton(path, folder, **options):
    """A real Triton, and its address."""
    folder.mkdir()
    mx.deploy.triton(path, folder / "repository", backend="python", threads=1, **options)
    with real.triton(folder / "repository", folder) as address:
        yield None, address


class Connection:
    """A connection that asks the same again and again."""

    def __init__(self, address, model, x):
        host, port = address.rsplit(":", 1)
        body, headers = client.written({"data": x})
        lines = [f"POST /v2/models/{model}/infer HTTP/1.1", "Host: x", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._request = "\r\n".join([*lines, "", ""]).encode() + body
        self._socket = socket.create_connection((host, int(port)))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._file = self._socket.makefile("rb")

    def ask(self):
        """The status of an answer, and its headers and body."""
        self._socket.sendall(self._request)
        status, headers = int(self._file.readline().split()[1]), {}
        while line := self._file.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        return status, headers, self._file.read(int(headers["content-length"]))

    def close(self):
        """End it."""
        self._file.close()
        self._socket.close()


def load(address, model, clients, seconds):
    """Requests a second, and the milliseconds of each."""
    times, end = [], time.perf_counter() + seconds

    def work(seed):
        x = np.random.default_rng(seed).standard_normal((1, *SHAPES[model])).astype(np.float32)
        with closing(Connection(address, model, x)) as connection:
            while (begin := time.perf_counter()) < end:
                status, _, _ = connection.ask()
                assert status == 200
                times.append((time.perf_counter() - begin) * 1e3)

    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(work, range(clients)))
    return len(times) / seconds, times


def bare(path, model, seconds):
    """Rows a second of a session that gets one at a time."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(path), options)
    x, count, end = np.zeros((1, *SHAPES[model]), np.float32), 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        session.run(None, {"data": x})
        count += 1
    return count / seconds


def throughput(options):
    """The table of requests a second and their times."""
    print(f"{'model':14}{'server':16}{'requests/s':>12}{'p50 ms':>9}{'p99 ms':>9}{'rows a batch':>14}")
    for model in options.model or SHAPES:
        with tempfile.TemporaryDirectory() as text, ExitStack() as stack:
            folder = Path(text)
            path = exported(model, folder)
            servers = {"serve": ours(path), "serve, alone": ours(path, "--batch", "0")}
            if real.PYTHON:
                servers["Triton"] = triton(path, folder / "with")
                servers["Triton, alone"] = triton(path, folder / "without", max_batch=0)
            addresses = {name: stack.enter_context(server)[1] for name, server in servers.items()}
            turns = {name: [] for name in ("bare", *addresses)}
            for _ in range(options.rounds):
                turns["bare"].append((bare(path, model, options.seconds), [], 1.0))
                for name, address in addresses.items():
                    load(address, model, options.clients, 0.5)
                    before = done(address, model)
                    rate, times = load(address, model, options.clients, options.seconds)
                    rows, batches = (b - a for a, b in zip(before, done(address, model), strict=True))
                    turns[name].append((rate, times, rows / max(batches, 1)))
            for name, results in turns.items():
                rate = statistics.median(rate for rate, _, _ in results)
                cells = [
                    statistics.median(float(np.percentile(times, q)) for _, times, _ in results)
                    for q in (50, 99)
                    if results[0][1]
                ]
                shown = "".join(f"{cell:9.2f}" for cell in cells) or " " * 18
                size = statistics.median(size for _, _, size in results)
                print(f"{model:14}{name:16}{rate:12.0f}{shown}{size:14.1f}", flush=True)


def done(address, model):
    """How many rows a model has had, and in how many batches."""
    (told,) = client.get(address, f"/v2/models/{model}/stats")[1]["model_stats"]
    return told["inference_count"], told["execution_count"]


def strangers(count):
    """What malformed requests get, and how the server grows."""
    kinds = list(malformed().values())

    def one(address, seed):
        rng = random.Random(seed)
        body, headers, _ = rng.choice(kinds)(np.zeros((2, 3, 8, 8), np.float32))
        return client.exchange(address, "POST", "/v2/models/net/infer", body, headers)[0]

    with tempfile.TemporaryDirectory() as text:
        path = exported("net", Path(text))
        with ours(path, "--max-request", "1", "--max-rows", "100") as (process, address):
            with ThreadPoolExecutor(8) as pool:
                seen: Counter[int] = Counter()
                for at in range(0, count, max(count // 5, 1)):
                    numbers = range(at, min(at + max(count // 5, 1), count))
                    seen.update(pool.map(lambda seed: one(address, seed), numbers))
                    print(f"{sum(seen.values()):,}: {memory(process.pid)}", flush=True)
            print(dict(seen), "rows and batches that the model ran:", done(address, "net"))
            rate, times = load(address, "net", 8, 2.0)
            print(f"then {rate:.0f} requests/s, p99 {np.percentile(times, 99):.2f} ms")


def memory(pid):
    """What a process has in memory, and its threads and files."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return f"{lines['VmRSS'].strip()}, {lines['Threads'].strip()} threads, {files} files"


def kills(count):
    """Answers, and requests that servers took, which SIGTERM ends under load."""
    answered = taken = 0
    with tempfile.TemporaryDirectory() as text:
        path = exported("net", Path(text))
        for i in range(count):
            with ours(path) as (process, address):
                answers, broken = loaded_until_gone(process, address, i)
                output, _ = process.communicate()
                told = json.loads(output)["requests"]
            answered, taken = answered + answers, taken + told
            print(f"{i + 1}: {answers} answers, {told} taken, {broken} broken", flush=True)
    print(f"{answered:,} answers to {taken:,} requests that were taken")


def loaded_until_gone(process, address, seed):
    """How many whole answers clients get until the server is gone, and how many others."""
    counts, x = Counter(), np.zeros((1, *SHAPES["net"]), np.float32)

    def work():
        while process.poll() is None:
            try:
                with closing(Connection(address, "net", x)) as connection:
                    while True:
                        status, headers, body = connection.ask()
                        whole = status == 200 and client.read(
                            {client.LENGTH: headers[client.LENGTH.lower()]}, body
                        )
                        counts["answers" if whole else "broken"] += 1
                        if headers.get("connection") == "close":
                            break
            except (OSError, IndexError):  # nothing, not a byte of an answer
                time.sleep(0.001)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(random.Random(seed).uniform(0.5, 1.5))
    process.send_signal(signal.SIGTERM)
    for thread in threads:
        thread.join()
    return counts["answers"], counts["broken"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--model", choices=SHAPES, action="append")
    parser.add_argument("--malformed", type=int, default=0)
    parser.add_argument("--kills", type=int, default=0)
    options = parser.parse_args()
    if options.malformed:
        strangers(options.malformed)
    elif options.kills:
        kills(options.kills)
    else:
        throughput(options)


if __name__ == "__main__":
    main()
