"""The first call of a hybridized block, in processes of their own: python benchmarks/start.py [--rounds N]

Each round starts five processes: two with an empty cache in turn, of which the second starts from what the
first has left, one without a cache, one without that has compiled another network before, and a bare session
of ONNX Runtime's of the same network. Shown are the medians of the first call's milliseconds, without imports
of the package and the reading of parameters.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NETWORKS = {
    "resnet18_v1": 224,
    "resnet50_v1": 224,
    "mobilenetv2_1.0": 224,
    "mobilenet0.25": 224,
    "squeezenet1.1": 224,
}
"""By name the size of the images."""

# ---- in each process


def image(size):
    import numpy as np

    return np.random.default_rng(0).standard_normal((1, 3, size, size)).astype("float32")


def write(name, folder):
    """The parameters of a network, and its ONNX file."""
    import hybridonnx as mx

    net = mx.gluon.model_zoo.vision.get_model(name)
    net.initialize(mx.init.Xavier())
    size = NETWORKS[name]
    net(mx.nd.zeros((1, 3, size, size)))
    net.save_parameters(f"{folder}/{name}.params")
    mx.onnx.export_model(net, f"{folder}/{name}.onnx", input_shapes=[("batch", 3, size, size)])


def block(name, folder):
    """The seconds of the first and the second call."""
    import hybridonnx as mx

    net = mx.gluon.model_zoo.vision.get_model(name)
    net.load_parameters(f"{folder}/{name}.params")
    net.hybridize()
    x = mx.nd.array(image(NETWORKS[name]))
    return seconds(lambda: net(x).asnumpy())


def later(name, folder):
    """The same where another network of such operators was compiled before."""
    import hybridonnx as mx

    other = mx.gluon.model_zoo.vision.get_model("mobilenet0.5")
    other.initialize(mx.init.Xavier())
    other.hybridize()
    other(mx.nd.zeros((1, 3, 224, 224))).asnumpy()
    return block(name, folder)


def bare(name, folder):
    """The seconds of a session's start and its first call, and of its second call."""
    import onnxruntime as ort

    x, sessions = image(NETWORKS[name]), []

    def call():
        if not sessions:
            sessions.append(ort.InferenceSession(f"{folder}/{name}.onnx"))
        return sessions[0].run(None, {sessions[0].get_inputs()[0].name: x})

    return seconds(call)


def seconds(call):
    times = []
    for _ in range(2):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


# ---- what starts them


def run(what, name, folder, cache):
    command = [sys.executable, __file__, "--process", what, name, folder]
    environ = {**os.environ, "HYBRIDONNX_CACHE": cache}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return json.loads(
        subprocess.run(command, env=environ, stdout=subprocess.PIPE, text=True, check=True).stdout
    )


def turn(name, folder, cache):
    """Seconds of a first call: a bare session's; without a cache, first and later; with an empty one, and
    with its entry."""
    place = str(Path(folder) / cache)
    kinds = [("bare", "0"), ("block", "0"), ("later", "0"), ("block", place), ("block", place)]
    return [run(what, name, folder, where)[0] for what, where in kinds]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--network", choices=NETWORKS, action="append")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    titles = [
        "Network",
        "bare session",
        "no cache",
        "later",
        "first process",
        "second",
        "second / first",
        "no cache / bare",
        "later / bare",
    ]
    print("| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
    for name in options.network or NETWORKS:
        with tempfile.TemporaryDirectory() as folder:
            run("write", name, folder, "0")
            turns = [turn(name, folder, f"cache{i}") for i in range(options.rounds)]
        cells = [f"{1000 * statistics.median(column):.0f}" for column in zip(*turns, strict=True)]
        for above, below in ((4, 3), (1, 0), (2, 0)):
            cells.append(f"{statistics.median(times[above] / times[below] for times in turns):.2f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--process"]:
        sys.stdout.write(
            json.dumps(
                {"write": write, "block": block, "later": later, "bare": bare}[sys.argv[2]](*sys.argv[3:])
            )
        )
    else:
        main()
