"""Export to ONNX beside real MXNet's own exporter, and how the time grows with the graph.

    python benchmarks/export.py [--mxnet PYTHON] [--rounds N]

PYTHON is an interpreter with mxnet 1.9.1, numpy 1.23.5, onnx 1.13.1 and what they need. Both export the same
native files, in turns, each in a process of its own; shown are medians, and for ours the parts of the time.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SHAPES = {"resnet50": (1, 3, 224, 224), "bert": (1, 128)}
SIZES = (1000, 5000, 20000, 50000)
EXPORT = """
import json, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
import {package} as mx
export = {export}
for line in sys.stdin:
    prefix, shape = json.loads(line)
    start = time.perf_counter()
    try:
        export(prefix + "-symbol.json", prefix + "-0000.params", [tuple(shape)], np.float32, prefix + ".onnx")
        print("TIME", time.perf_counter() - start, flush=True)
    except Exception as exc:
        print("FAILED", type(exc).__name__, str(exc)[:100].replace("\\n", " "), flush=True)
"""
OURS = EXPORT.format(package="hybridonnx", export="mx.onnx.export_model")
MXNETS = EXPORT.format(package="mxnet", export="mx.onnx.export_model")


class Exporter:
    """A process that exports what it is told to."""

    def __init__(self, python, code):
        environment = {**os.environ, "MXNET_SUBGRAPH_BACKEND": "NONE"}
        self._process = subprocess.Popen(
            [python, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )

    def time(self, prefix, shape):
        """Seconds of one export."""
        self._process.stdin.write(json.dumps([prefix, shape]) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("TIME"):
                return float(line.split()[1])
            if line.startswith("FAILED"):
                print(f"  an exporter: {line.strip()}")
                return math.nan
        sys.exit(f"an exporter ended with code {self._process.wait()} at {prefix}")

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def bert(mx, layers=12, units=768, heads=12, length=128, words=30522):
    """The encoder of BERT-base as a Symbol of products and transposes."""
    sym = mx.sym
    width = units // heads

    def split(x):
        x = sym.reshape(x, shape=(0, 0, heads, width))
        return sym.reshape(sym.transpose(x, axes=(0, 2, 1, 3)), shape=(-1, length, width))

    def dense(x, count, name):
        return sym.FullyConnected(x, num_hidden=count, flatten=False, name=name)

    x = sym.Embedding(sym.var("data"), input_dim=words, output_dim=units, name="words")
    x = sym.broadcast_add(x, sym.var("positions", shape=(1, length, units)))
    for i in range(layers):
        query, key, value = (split(dense(x, units, f"l{i}_{part}")) for part in ("query", "key", "value"))
        weights = sym.softmax(sym.batch_dot(query, key, transpose_b=True) / width**0.5)
        y = sym.reshape(sym.batch_dot(weights, value), shape=(-1, heads, length, width))
        y = sym.reshape(sym.transpose(y, axes=(0, 2, 1, 3)), shape=(0, 0, -1))
        x = sym.LayerNorm(x + dense(y, units, f"l{i}_out"), name=f"l{i}_norm1")
        y = dense(sym.LeakyReLU(dense(x, 4 * units, f"l{i}_up"), act_type="gelu"), units, f"l{i}_down")
        x = sym.LayerNorm(x + y, name=f"l{i}_norm2")
    return x


def chain(mx, size):
    """A Symbol of `size` operators."""
    x = mx.sym.var("data")
    for i in range(size // 2):
        x = mx.sym.Activation(x + 1, act_type="relu", name=f"relu{i}")
    return x


def write(mx, symbol, prefix, shape):
    """Native files of a Symbol with parameters of all ones."""
    arguments, _, states = symbol.infer_shape(data=shape)
    named = dict(zip(symbol.list_arguments(), arguments, strict=True))
    aux = dict(zip(symbol.list_auxiliary_states(), states, strict=True))
    params = {f"arg:{name}": mx.nd.ones(size) for name, size in named.items() if name != "data"}
    params |= {f"aux:{name}": mx.nd.ones(size) for name, size in aux.items()}
    symbol.save(f"{prefix}-symbol.json")
    mx.nd.save(f"{prefix}-0000.params", params)


def in_turns(processes, rounds, seconds):
    """Milliseconds of each process in each round; before these all import what they need.

    A process that fails is not asked again: its times are nan.
    """
    times = {name: [] for name in processes}
    for _ in range(rounds + 1):
        for name, process in processes.items():
            has_failed = any(map(math.isnan, times[name]))
            times[name].append(math.nan if has_failed else 1000 * seconds(process))
    return {name: values[1:] for name, values in times.items()}


def medians(exporters, prefix, shape, rounds):
    """Milliseconds of each exporter, in turns."""
    times = in_turns(exporters, rounds, lambda exporter: exporter.time(prefix, shape))
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mxnet", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    import hybridonnx as mx

    data = mx.sym.var("data")
    resnet = mx.gluon.model_zoo.vision.resnet50_v1()
    resnet.initialize()
    resnet(mx.nd.zeros((1, 3, 32, 32)))
    exporters = {"hybridonnx": Exporter(sys.executable, OURS)}
    if arguments.mxnet:
        exporters["MXNet"] = Exporter(arguments.mxnet, MXNETS)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, symbol in (("resnet50", resnet(data)), ("bert", bert(mx))):
            prefix = str(folder / name)
            write(mx, symbol, prefix, SHAPES[name])
            result = medians(exporters, prefix, SHAPES[name], arguments.rounds)
            print(name, ", ".join(f"{who} {ms:.0f} ms" for who, ms in result.items()), flush=True)
        for size in SIZES:
            prefix = str(folder / f"chain{size}")
            write(mx, chain(mx, size), prefix, (1, 4))
            some = exporters if size <= 5000 else {"hybridonnx": exporters["hybridonnx"]}
            result = medians(some, prefix, (1, 4), 1)
            print(
                f"{size} nodes",
                ", ".join(f"{who} {1000 * ms / size:.0f} us a node" for who, ms in result.items()),
            )


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"{time.perf_counter() - start:.0f} s in all; NumPy {np.__version__}")
