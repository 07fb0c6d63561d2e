"""Import from ONNX beside `onnx.load` and other importers, and how the time grows with the graph.

    python benchmarks/importers.py [--torch PYTHON] [--mxnet PYTHON] [--rounds N]

One PYTHON is an interpreter with onnx2torch, the other with mxnet 1.9.1, numpy 1.23.5 and onnx 1.13.1. All
read the same files, in turns, each in a process of its own; shown are medians of the processor's time, which
others on the machine disturb less, ratios to `onnx.load`, and medians of the time on the clock. MXNet reads a
copy that lists the weights among the graph's inputs, as the first ONNX files did: its importer asks for that.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, load_model, numpy_helper, save_model

OPSET = 13
"""The newest that MXNet's importer and onnx2torch read alike."""
SIZES = (1000, 5000, 20000)
LONGEST = 10
"""Seconds after which an importer is not asked again."""
READ = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
{imports}
for line in sys.stdin:
    path = json.loads(line)
    start, busy = time.perf_counter(), time.process_time()
    try:
        model = {call}
        print("TIME", time.process_time() - busy, time.perf_counter() - start, flush=True)
        del model
    except Exception as exc:
        print("FAILED", type(exc).__name__, str(exc)[:100].replace("\\n", " "), flush=True)
"""
LOAD = READ.format(imports="import onnx", call="onnx.load(path)")
SYMBOL = READ.format(imports="import hybridonnx as mx", call="mx.onnx.import_model(path)")
BLOCK = READ.format(imports="import hybridonnx as mx", call="mx.onnx.import_to_gluon(path)")
TORCH = READ.format(imports="import onnx2torch", call="onnx2torch.convert(path)")
MXNET = READ.format(imports="from mxnet.contrib import onnx", call="onnx.import_model(path)")


class Reader:
    """A process that reads what it is told to."""

    def __init__(self, python, code):
        self._failed = set()
        self._slow = False
        self._process = subprocess.Popen(
            [python, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)} if python == sys.executable else None,
        )

    def time(self, path):
        """Seconds of one import, busy and on the clock; NaN if it fails or is slow, which is said once."""
        if self._slow or path in self._failed:
            return float("nan"), float("nan")
        self._process.stdin.write(json.dumps(path) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("TIME"):
                busy, clock = map(float, line.split()[1:])
                if clock > LONGEST:
                    self._slow = True
                    print(f"  an importer took {clock:.0f} s and is not asked again")
                return busy, clock
            if line.startswith("FAILED"):
                self._failed.add(path)
                print(f"  an importer: {line.strip()}")
                return float("nan"), float("nan")
        sys.exit(f"an importer ended with code {self._process.wait()} at {path}")

    def close(self):
        self._process.stdin.close()
        self._process.wait()


class Draft:
    """A model under construction."""

    def __init__(self, seed=0):
        self._random = np.random.default_rng(seed)
        self.nodes, self.tensors = [], []

    def const(self, value, dtype="int64"):
        name = f"c{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.array(value, dtype), name))
        return name

    def weight(self, *shape):
        return self.const(self._random.standard_normal(shape, np.float32), "float32")

    def node(self, op_type, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        sources = [x if isinstance(x, str) else self.const(x) for x in inputs]
        self.nodes.append(helper.make_node(op_type, sources, [name], **attributes))
        return name

    def save(self, path, shape, output, **options):
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
        results = [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)]
        graph = helper.make_graph(self.nodes, "graph", inputs, results, self.tensors)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=7)
        save_model(model, path, **options)


def chain(path, size):
    """A model of `size` nodes with a vector each for a quarter of them."""
    draft, x = Draft(), "x"
    for _ in range(size // 4):
        weight = draft.weight(8)
        x = draft.node(
            "Sub", draft.node("Mul", draft.node("Relu", draft.node("Add", x, weight)), weight), "x"
        )
    draft.save(path, ["N", 8], x)


def products(path, count=30, size=2048, **options):
    """A model of large weights and little else."""
    draft, x = Draft(), "x"
    for _ in range(count):
        x = draft.node("MatMul", x, draft.weight(size, size))
    draft.save(path, ["N", size], x, **options)


def encoder(path, layers=12, units=768, heads=12):
    """An encoder of the size of BERT-base with free sizes, its shapes computed as PyTorch's exporters do."""
    draft = Draft()

    def size(x, axis):
        return draft.node("Unsqueeze", draft.node("Gather", draft.node("Shape", x), axis), [0])

    def dense(x, count, width):
        return draft.node("Add", draft.node("MatMul", x, draft.weight(width, count)), draft.weight(count))

    def split(x):
        shape = draft.node("Concat", size(x, 0), size(x, 1), [heads], [units // heads], axis=0)
        return draft.node("Transpose", draft.node("Reshape", x, shape), perm=[0, 2, 1, 3])

    x = "x"
    for _ in range(layers):
        query, key, value = (split(dense(x, units, units)) for _ in range(3))
        scores = draft.node("MatMul", query, draft.node("Transpose", key, perm=[0, 1, 3, 2]))
        mixed = draft.node("MatMul", draft.node("Softmax", scores, axis=-1), value)
        back = draft.node("Transpose", mixed, perm=[0, 2, 1, 3])
        shape = draft.node("Concat", size(x, 0), size(x, 1), [units], axis=0)
        x = draft.node("Add", x, dense(draft.node("Reshape", back, shape), units, units))
        x = draft.node("Add", x, dense(draft.node("Relu", dense(x, 4 * units, units)), units, 4 * units))
    draft.save(path, ["N", "T", units], x)


def resnet(path):
    """ResNet-50 as ours is exported."""
    import hybridonnx as mx

    net = mx.gluon.model_zoo.vision.resnet50_v1()
    net.initialize()
    net(mx.nd.zeros((1, 3, 32, 32)))
    mx.onnx.export_model(net, path, input_shapes=[("N", 3, 224, 224)], opset_version=OPSET)


def list_weights(source, path):
    """A copy of a model whose weights are inputs too."""
    model = load_model(source)
    model.graph.input.extend(
        helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        for tensor in model.graph.initializer
    )
    save_model(model, path)


def medians(readers, paths, rounds):
    """Milliseconds of each, busy and on the clock, in turns."""
    times = {name: [] for name in readers}
    for _ in range(rounds + 1):
        for name, reader in readers.items():
            times[name].append([1000 * seconds for seconds in reader.time(paths[name])])
    return {
        name: [statistics.median(column) for column in zip(*values[1:], strict=True)]
        for name, values in times.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", metavar="PYTHON")
    parser.add_argument("--mxnet", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    readers = {"onnx.load": Reader(sys.executable, LOAD)}
    readers["import_model"] = Reader(sys.executable, SYMBOL)
    readers["import_to_gluon"] = Reader(sys.executable, BLOCK)
    if arguments.torch:
        readers["onnx2torch"] = Reader(arguments.torch, TORCH)
    if arguments.mxnet:
        readers["MXNet"] = Reader(arguments.mxnet, MXNET)
    with tempfile.TemporaryDirectory() as folder:
        beside = {"save_as_external_data": True, "location": "weights.bin"}
        writers = {
            "ResNet-50": resnet,
            "BERT-base, free sizes": encoder,
            "500 MB of weights": products,
            "500 MB beside the file": lambda path: products(path, **beside),
            **{f"{size} nodes": lambda path, size=size: chain(path, size) for size in SIZES},
        }
        for i, (title, write) in enumerate(writers.items()):
            path = Path(folder) / str(i) / "model.onnx"
            path.parent.mkdir()
            write(str(path))
            paths = dict.fromkeys(readers, str(path))
            if "MXNet" in readers:
                paths["MXNet"] = str(path.parent / "listed.onnx")
                list_weights(path, paths["MXNet"])
            times = medians(readers, paths, arguments.rounds)
            base = times["onnx.load"][0]
            parts = [
                f"{name} {busy:.0f} ms ({busy / base:.2f}; clock {clock:.0f})"
                for name, (busy, clock) in times.items()
            ]
            print(f"{title}: {', '.join(parts)}", flush=True)


if __name__ == "__main__":
    main()
