"""A training step beside real MXNet and PyTorch: forward, loss, backward, and SGD with momentum.

    python benchmarks/training.py [--mxnet PYTHON] [--torch PYTHON] [--network NAME] [--rounds N] [--steps N]

Each framework runs in a process of its own; they take turns, the others waiting. Shown are medians over all
turns, and the first and last losses: the data is the same, what the networks start from is only alike. MXNet
and hybridonnx run hybridized, by the same code; PyTorch runs eagerly. `--profile` shows what ours spends its
time on.
"""

import argparse
import collections
import cProfile
import gc
import json
import os
import pstats
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
STEPS = {"tutorial": 50, "resnet18": 3, "mobilenetv2": 3, "lstm": 5, "transformer": 10}
"""By network: steps of a turn."""
WARM_UP = 3
OURS = "hybridonnx"


class Framework:
    """A process that trains one network when it is told to."""

    def __init__(self, name, python, script, *arguments, threads, warm_up=WARM_UP):
        self.name = name
        variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "HYBRIDONNX_THREADS")
        environment = {**os.environ, **dict.fromkeys(variables, str(threads))}
        environment["MXNET_SUBGRAPH_BACKEND"] = "NONE"
        command = [python, "-W", "ignore", str(HERE / script), *arguments]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True)
        answer = self._read()
        self.version, self.parameters = answer["version"], answer["parameters"]
        self.losses, self.times = [], []
        self.first = self._take(1)
        self._take(warm_up)

    def _read(self):
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended with code {self._process.wait()}.")
        return json.loads(line)

    def _take(self, steps):
        """Milliseconds of a step."""
        self._process.stdin.write(f"{steps}\n")
        self._process.stdin.flush()
        answer = self._read()
        self.losses += answer["losses"]
        self.memory = answer["memory"]
        """MiB that the process has had at most."""
        return answer["milliseconds"] / steps

    def turn(self, steps):
        time.sleep(0.2)  # until the threads of the one before rest
        self.times.append(self._take(steps))

    def median(self):
        return statistics.median(self.times)

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def start(network, options):
    """The frameworks whose interpreters are given."""
    threads = options.threads
    frameworks = [Framework(OURS, sys.executable, "_training_gluon.py", OURS, network, threads=threads)]
    if options.mxnet:
        script = "_training_gluon.py", "mxnet", network
        frameworks.append(Framework("MXNet", options.mxnet, *script, threads=threads))
    if options.torch:
        script = "_training_torch.py", network, str(threads)
        frameworks.append(Framework("PyTorch", options.torch, *script, threads=threads))
    return frameworks


def compare(network, options):
    """Print the table of one network."""
    frameworks = start(network, options)
    steps = options.steps or STEPS[network]
    for _ in range(options.rounds):
        for framework in frameworks:
            framework.turn(steps)
    counts = {f.parameters for f in frameworks}
    assert len(counts) == 1, f"the networks are not equal: {counts} parameters"
    print(f"\n{network}, {counts.pop():,} parameters; {options.rounds} rounds of {steps} steps\n")
    print(f"  {'':22}{'ms a step':>10}{'least':>9}{'most':>9}{'first':>9}{'ours is':>9}   loss")
    ours = frameworks[0].median()
    for f in frameworks:
        ratio = "" if f.name == OURS else f"{ours / f.median():.2f} x"
        times = f"{f.median():10.2f}{min(f.times):9.2f}{max(f.times):9.2f}{f.first:9.0f}"
        losses = f"{f.losses[0]:.4f} to {f.losses[-1]:.4f}"
        print(f"  {f.name + ' ' + f.version:22}{times}{ratio:>9}   {losses}", flush=True)
        f.close()


def profile(network, steps):
    """Print where our steps spend their time: by function, and in ONNX Runtime's sessions by operator."""
    import _training_gluon

    import hybridonnx

    with tempfile.TemporaryDirectory() as folder:
        os.environ["HYBRIDONNX_PROFILE"] = folder
        training = _training_gluon.Training(hybridonnx, network)
        for _ in range(WARM_UP):
            training.step()
        profiler = cProfile.Profile()
        profiler.enable()
        for _ in range(steps):
            training.step()
        profiler.disable()
        del training
        gc.collect()  # sessions write their profiles when they go
        print(f"\n{network}, {steps} steps")
        pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(8)
        for path in sorted(Path(folder).glob("*.json")):
            if path.stat().st_size:  # a session that is still there has written nothing
                show_session(json.loads(path.read_text()))


def show_session(events):
    """Print what the operators of a session take in each of its runs, unless it ran only to begin with."""
    runs = sum(event["name"] == "model_run" for event in events)
    if runs < WARM_UP:
        return
    times, nodes = collections.Counter(), collections.defaultdict(set)
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            operator = event["args"]["op_name"]
            times[operator] += event["dur"] / runs / 1000
            nodes[operator].add(event["name"])
    print(f"  a session of {sum(times.values()):.2f} ms a run: milliseconds, nodes")
    for operator, milliseconds in times.most_common(12):
        print(f"    {operator:28}{milliseconds:10.2f}{len(nodes[operator]):6}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter that has MXNet 1.9.1")
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter that has PyTorch")
    parser.add_argument("--network", choices=STEPS, action="append", help="all unless some are named")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, help="of each turn")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of each framework")
    parser.add_argument("--profile", action="store_true", help="show where ours spends its time instead")
    options = parser.parse_args()
    for network in options.network or STEPS:
        if options.profile:
            profile(network, options.steps or STEPS[network])
        else:
            compare(network, options)
    for name in ("mxnet", "torch"):
        if not (getattr(options, name) or options.profile):
            print(f"\n{name} is left out: --{name} PYTHON names an interpreter that has it.")


if __name__ == "__main__":
    main()
