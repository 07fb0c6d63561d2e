"""The scripts of tests/scripts beside real MXNet: what a run of each takes, the first and later ones.

    python benchmarks/scripts.py --mxnet PYTHON [--rounds N] [--runs N] [--threads N] [NAME …]

A run of a script is its training from data to the last line, without the import of the framework. The first
run of a process contains what is compiled and loaded, later ones do not. They take turns, a process each.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "tests" / "scripts"
RUNNER = ROOT / "benchmarks" / "_scripts_run.py"
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "HYBRIDONNX_THREADS")
OURS = "hybridonnx"


def times(command, name, options):
    """Seconds of each run in a process; None if it fails."""
    environment = {**os.environ, **dict.fromkeys(VARIABLES, str(options.threads))}
    environment["MXNET_SUBGRAPH_BACKEND"] = "NONE"
    script = str(SCRIPTS / f"{name}.py")
    result = subprocess.run(
        [*command, str(RUNNER), script, str(options.runs)], env=environment, capture_output=True, text=True
    )
    return None if result.returncode else json.loads(result.stdout.splitlines()[-1])


def compare(name, commands, options):
    """By framework: the medians of first runs and of the quickest later ones."""
    rounds = {framework: [] for framework in commands}
    for _ in range(options.rounds):
        for framework, command in commands.items():
            rounds[framework].append(times(command, name, options))
    medians = {}
    for framework, taken in rounds.items():
        if None not in taken:
            later = [min(runs[1:] or runs) for runs in taken]
            medians[framework] = statistics.median(runs[0] for runs in taken), statistics.median(later)
    return medians


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="all scripts unless some are named")
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter that has MXNet 1.9.1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=3, help="of a script in each process")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of each framework")
    options = parser.parse_args()
    commands = {OURS: [sys.executable, "-W", "ignore", "-m", "hybridonnx", "run"]}
    if options.mxnet:
        commands["MXNet"] = [options.mxnet, "-W", "ignore"]
    print(f"  {'seconds':28}" + "".join(f"{name:>14} first, later" for name in commands) + "   ours / MXNet")
    ratios = []
    for name in options.names or sorted(path.stem for path in SCRIPTS.glob("[!_]*.py")):
        medians = compare(name, commands, options)
        cells = [
            f"{medians[f][0]:20.2f} {medians[f][1]:6.2f}" if f in medians else f"{'fails':>27}"
            for f in commands
        ]
        ratio = ""
        if len(medians) == 2:
            ratios.append(medians[OURS][1] / medians["MXNet"][1])
            ratio = f"{medians[OURS][0] / medians['MXNet'][0]:8.2f} {ratios[-1]:6.2f}"
        print(f"  {name:28}" + "".join(cells) + ratio, flush=True)
    if ratios:
        print(f"\n  median of the later runs' ratios: {statistics.median(ratios):.2f}")
    elif not options.mxnet:
        print("\nMXNet is left out: --mxnet PYTHON names an interpreter that has it.")


if __name__ == "__main__":
    main()
