"""Networks and calls that run eagerly, beside real MXNet, and small calls beside NumPy.

    python benchmarks/eager.py [--mxnet PYTHON] [--network NAME] [--rounds N] [--calls]

Each framework runs in a process of its own; they take turns, the others waiting. Shown are medians over all
turns, and of the turns' ratios. `--calls` shows what a call of small arrays takes beyond NumPy's, recorded
and not.
"""

import argparse
import statistics
import sys
import time

import numpy as np
from training import OURS, Framework

STEPS = {
    "digits": 20,
    "lenet": 20,
    "mobilenetv2": 5,
    "resnet50": 3,
    "inceptionv3": 3,
    "transformer": 3,
    "lstm": 5,
}
"""By network: steps of a turn."""
MODES = ("predict", "train")
WARM_UP = 12
"""Steps before the first turn: weights that stay are frozen by then."""


def start(network, mode, options):
    """The frameworks whose interpreters are there."""
    packages = [(OURS, sys.executable, OURS)]
    if options.mxnet:
        packages.append(("MXNet", options.mxnet, "mxnet"))
    return [
        Framework(
            name, python, "_eager_gluon.py", package, network, mode, threads=options.threads, warm_up=WARM_UP
        )
        for name, python, package in packages
    ]


def compare(network, mode, options):
    """Print a line of the table."""
    frameworks = start(network, mode, options)
    for _ in range(options.rounds):
        for framework in frameworks:
            framework.turn(STEPS[network])
    times = [framework.median() for framework in frameworks]
    ratio = ""
    if options.mxnet:
        ours, theirs = (framework.times for framework in frameworks)
        ratio = f"{statistics.median(a / b for a, b in zip(ours, theirs, strict=True)):8.2f} x"
    losses = ", ".join(f"{framework.losses[0]:.5g}" for framework in frameworks)
    print(f"{network:14}{mode:10}" + "".join(f"{t:10.1f}" for t in times) + f"{ratio}   {losses}", flush=True)
    for framework in frameworks:
        framework.close()


def best(function, calls=2000, rounds=15):
    """Microseconds of a call, the least of several rounds."""
    function()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        times.append((time.perf_counter() - start) / calls)
    return 1e6 * min(times)


def small_calls():
    """Print what calls of small arrays take."""
    import hybridonnx as mx

    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    x, w = mx.nd.array(a), mx.nd.array(b)
    calls = {
        "x + x": (lambda: x + x, lambda: a + a),
        "x + 1": (lambda: x + 1, lambda: a + 1),
        "relu": (lambda: mx.nd.relu(x), lambda: np.maximum(a, 0)),
        "exp": (lambda: mx.nd.exp(x), lambda: np.exp(a)),
        "dot": (lambda: mx.nd.dot(x, w), lambda: a.dot(b)),
        "sum": (lambda: mx.nd.sum(x), lambda: a.sum()),
        "sum, axis": (lambda: mx.nd.sum(x, axis=1), lambda: a.sum(axis=1)),
        "concat": (lambda: mx.nd.concat(x, x, dim=0), lambda: np.concatenate([a, a])),
        "transpose": (lambda: x.T, lambda: a.T.copy()),
        "reshape": (lambda: x.reshape((3, 2)), lambda: a.reshape((3, 2))),
        "x[0]": (lambda: x[0], lambda: a[0]),
        "x[0:1]": (lambda: x[0:1], lambda: a[0:1]),
    }
    print(f"{'us over NumPy':16}{'a call':>10}{'recorded':>10}")
    for name, (ours, numpys) in calls.items():
        plain, numpy = best(ours), best(numpys)
        x.attach_grad()
        with mx.autograd.record():
            recorded = best(ours)
        x = mx.nd.array(a)
        print(f"{name:16}{plain - numpy:10.2f}{recorded - numpy:10.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mxnet", help="a Python that has MXNet 1.9.1")
    parser.add_argument("--network", choices=STEPS, action="append")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--calls", action="store_true", help="calls of small arrays alone")
    options = parser.parse_args()
    if options.calls:
        small_calls()
        return
    print(f"{'ms':24}{'ours':>10}" + (f"{'MXNet':>10}{'ratio':>10}" if options.mxnet else ""))
    for network in options.network or STEPS:
        for mode in MODES:
            compare(network, mode, options)


if __name__ == "__main__":
    main()
