"""Operators one by one beside real MXNet: eagerly, hybridized, and with their gradients.

    python benchmarks/operators.py [--mxnet PYTHON] [--only TEXT] [--rounds N] [--seconds S]

Each package runs in a process of its own; they take turns. Shown are the least milliseconds of all turns, and
ratios to MXNet's, the worst first. A dash is a mode that MXNet or the workload does not have.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from _operators_workloads import WORKLOADS

HERE = Path(__file__).resolve().parent
OURS, MXNET = "hybridonnx", "mxnet"
MODES = "eager", "hybridized", "eager_gradient", "hybridized_gradient"
HEADS = "eager", "hybrid", "grad", "hybrid grad"


class Package:
    """A process that times operators of one package when it is told to."""

    def __init__(self, name, python, threads):
        self.name = name
        variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "HYBRIDONNX_THREADS")
        environment = {**os.environ, **dict.fromkeys(variables, str(threads))}
        environment["MXNET_SUBGRAPH_BACKEND"] = "NONE"
        self._command = [python, "-W", "ignore", str(HERE / "_operators_gluon.py"), name]
        self._environment = environment
        self._start()

    def _start(self):
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            self._command,
            env=self._environment,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.version = json.loads(self._process.stdout.readline())["version"]

    def time(self, **question):
        """Milliseconds, or the text of an error."""
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._start()
            return f"the process ended with code {self._process.wait()}"
        answer = json.loads(line)
        return answer.get("milliseconds", answer.get("error"))

    def close(self):
        self._process.stdin.close()
        self._process.wait()


def modes_of(workload):
    if workload.writes:
        return MODES[:1]
    return MODES if workload.gradients else MODES[:2]


def measure(packages, index, options):
    """For each mode, the least milliseconds by package; None where there are none."""
    table = {}
    for mode in modes_of(WORKLOADS[index]):
        least = dict.fromkeys(p.name for p in packages)
        for _ in range(options.rounds):
            for p in packages:
                time = p.time(index=index, mode=mode, seconds=options.seconds)
                if isinstance(time, str):
                    if options.errors:
                        print(f"{WORKLOADS[index].path} {mode} {p.name}: {time[:200]}")
                elif least[p.name] is None or time < least[p.name]:
                    least[p.name] = time
        table[mode] = least
    return table


def ratio(times):
    ours, theirs = times.get(OURS), times.get(MXNET)
    return ours / theirs if ours and theirs else 0.0


def label(workload):
    numbers = [str(v) for k, v in workload.attributes.items() if "ratio" in k or k == "transform_type"]
    shape = "x".join(map(str, workload.inputs[0].shape))
    return " ".join([workload.path.removeprefix("contrib.").removeprefix("_internal."), shape, *numbers])


def cell(times):
    if times is None or times.get(OURS) is None:
        return f"{'-':>26}"
    theirs = times.get(MXNET)
    right = f"{theirs:9.2f} {ratio(times):6.2f}" if theirs else f"{'-':>16}"
    return f"{times[OURS]:10.2f}{right}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter that has MXNet 1.9.1")
    parser.add_argument("--only", action="append", help="operators whose path holds this text")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each turn")
    parser.add_argument("--threads", type=int, default=1, help="of each package")
    parser.add_argument("--errors", action="store_true", help="show why a mode is missing")
    options = parser.parse_args()
    packages = [Package(OURS, sys.executable, options.threads)]
    if options.mxnet:
        packages.append(Package(MXNET, options.mxnet, options.threads))
    rows = []
    for index, workload in enumerate(WORKLOADS):
        if options.only and not any(text in workload.path for text in options.only):
            continue
        rows.append((label(workload), measure(packages, index, options)))
    rows.sort(key=lambda row: -max(map(ratio, row[1].values())))
    print(f"{'ms: ours, MXNet, ratio':48}" + "".join(f"{head:>26}" for head in HEADS))
    for name, table in rows:
        print(f"{name:48}" + "".join(cell(table.get(mode)) for mode in MODES), flush=True)
    for p in packages:
        p.close()


if __name__ == "__main__":
    main()
