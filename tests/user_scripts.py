"""Runs the scripts of tests/scripts, and compares what they print with what real MXNet makes them print.

python -m tests.user_scripts [NAME …]        # ours beside the stored lines: the largest difference of each
python -m tests.user_scripts --page          # writes docs/user_scripts.md from a run of all
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "scripts"
STORED = Path(__file__).parent / "oracle" / "user_scripts.json"
PAGE = ROOT / "docs" / "user_scripts.md"
INTRODUCTION = """# Scripts that run unchanged

Written for MXNet 1.9.1, in the manner of books, tutorials, examples and libraries, with `import mxnet`. Each
trains or computes with data and weights that its own lines make, and prints losses, metrics and results.
Real MXNet's lines are stored; this is how far those of `python -m hybridonnx run` are from them, relative to
the largest number of each line. Text has to be equal.
[Coming from MXNet](coming_from_mxnet.md) tells what differs by decision: here two
lines of `example_wgan`, moving statistics.

| Script | What it does | Lines | Median | Largest difference |
|---|---|---|---|---|""".split("\n")
NUMBERS = re.compile(r"([^:]+): ([-+.\deinfa ]+)")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "HYBRIDONNX_THREADS")
SECONDS = 300
WARNINGS = ("learning rate from ``lr_scheduler`` has been overwritten", "WARNING: discarded")
"""Of what MXNet prints; all else comes from the scripts."""


def names() -> list[str]:
    """The scripts."""
    return sorted(path.stem for path in FOLDER.glob("[!_]*.py"))


def lines(command: list[str], name: str, **variables: str) -> list[str]:
    """What a script prints; `command` starts it, in a folder of its own."""
    environment = {**os.environ, **dict.fromkeys(THREADS, "1"), **variables}
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [*command, str(FOLDER / f"{name}.py")],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    if result.returncode:
        raise RuntimeError(f"{name} ended with {result.returncode}:\n{result.stderr[-3000:]}")
    return [line for line in result.stdout.splitlines() if not line.startswith(WARNINGS)]


def ours(name: str) -> list[str]:
    """What a script prints with hybridonnx under MXNet's name."""
    return lines([sys.executable, "-W", "ignore", "-m", "hybridonnx", "run"], name, PYTHONPATH=str(ROOT))


def stored() -> dict[str, list[str]]:
    """What each script prints with real MXNet."""
    results: dict[str, list[str]] = json.loads(STORED.read_text(encoding="utf-8"))
    return results


def parsed(line: str) -> tuple[str, np.ndarray | None]:
    """The name and the numbers of a line; all of it and None if it has no numbers."""
    match = NUMBERS.fullmatch(line)
    try:
        return (match[1], np.array(match[2].split(), "float64")) if match else (line, None)
    except ValueError:
        return line, None


def difference(line: str, expected: str) -> float:
    """How far a line is from another one, relative to its largest number; infinite where words differ."""
    (name, values), (expected_name, numbers) = parsed(line), parsed(expected)
    if values is None or numbers is None or name != expected_name or values.shape != numbers.shape:
        return 0.0 if line == expected else np.inf
    finite = np.isfinite(numbers)
    if not np.array_equal(values[~finite], numbers[~finite], equal_nan=True):
        return np.inf
    if not finite.any():
        return 0.0
    away = np.abs(values[finite] - numbers[finite]).max() / max(np.abs(numbers[finite]).max(), 1e-6)
    return float(np.nan_to_num(away, nan=np.inf))


def differences(printed: list[str], expected: list[str]) -> list[tuple[float, str, str]]:
    """All lines with how far they are apart; a line that is missing is empty."""
    count = max(len(printed), len(expected))
    pairs = zip(printed + [""] * count, expected + [""] * count, range(count), strict=False)
    return [(difference(a, b), a, b) for a, b, _ in pairs]


def page(apart: dict[str, list[float]]) -> str:
    """The page of all scripts, by what the lines of each are apart."""
    rows = []
    for name, away in apart.items():
        link, middle = f"[{name}](../tests/scripts/{name}.py)", np.median(away)
        rows.append(f"| {link} | {about(name)} | {len(away)} | {middle:.0e} | {max(away):.0e} |")
    return "\n".join([*INTRODUCTION, *rows, ""])


def about(name: str) -> str:
    """What a script does, in its own words."""
    return ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))) or ""


def main() -> None:
    """Print how far each script is from MXNet, and what it takes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="all scripts unless some are named")
    parser.add_argument("--above", type=float, default=1e-4, help="show lines that are farther apart")
    parser.add_argument("--page", action="store_true", help="write the page of all scripts")
    options = parser.parse_args()
    expected, apart = stored(), {}
    for name in options.names or expected:
        start = time.perf_counter()
        try:
            rows = differences(ours(name), expected[name])
        except RuntimeError as exc:
            print(f"{name:32} {str(exc).splitlines()[-1][:160]}", flush=True)
            continue
        apart[name] = [away for away, _, _ in rows]
        print(f"{name:32} {max(apart[name]):.1e} {time.perf_counter() - start:5.1f} s", flush=True)
        for away, line, wanted in rows:
            if away > options.above:
                print(f"    {away:.1e}\n      ours  {line[:400]}\n      MXNet {wanted[:400]}")
    if options.page:
        PAGE.write_text(page(apart), encoding="utf-8")


if __name__ == "__main__":
    main()
