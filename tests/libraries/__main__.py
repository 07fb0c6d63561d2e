"""Runs published libraries under the switch, each in an environment of its own, and prints what happens.

python -m tests.libraries [LIBRARY[/ROW] …] [--json FILE] [--no-mxnet] [--trace]

Rows are models and checks, columns steps with their seconds. What fails without a written reason makes the
exit code 1. Real MXNet's results are kept until a library's files change. CONTRIBUTING.md tells more.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.libraries import environments
from tests.libraries.child import NOWHERE

STEPS = "import build eager train hybridize native onnx back tune run mxnet".split()
SECONDS = 600
"""For a step, unless --limit says another number."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "HYBRIDONNX_THREADS")
FAULTS = ("failed", "needless")
PLAIN_KERNELS = ("gluoncv",)
"""Libraries for which MXNet runs without oneDNN, by which gradients of 5-D weights cannot be read.

Elsewhere its RNN needs oneDNN to take states.
"""


@dataclass
class Outcome:
    """What became of a step: its state as in `child.Events`, what it says, seconds, and the traceback."""

    state: str
    text: str = ""
    seconds: float = 0.0
    trace: str = ""


@dataclass
class Report:
    """What became of a library: steps by row; the row without a name is the library's import."""

    library: str
    rows: dict[str, dict[str, Outcome]] = field(default_factory=dict)

    def add(self, row: str, step: str, outcome: Outcome) -> None:
        """Note what became of a step."""
        self.rows.setdefault(row, {})[step] = outcome

    def faults(self) -> list[tuple[str, str, Outcome]]:
        """What fails without a reason, or passes with one."""
        return [
            (row, step, outcome)
            for row, steps in self.rows.items()
            for step, outcome in steps.items()
            if outcome.state in FAULTS
        ]


def run(library: str, rows: Sequence[str], limit: float, with_mxnet: bool) -> Report:
    """Run a library's rows, or all, with MXNet first."""
    report, results = Report(library), None
    try:
        if with_mxnet and (python := environments.python(library, "mxnet")):
            results = environments.FOLDER / "results" / library
            command = [str(python), "-W", "ignore", "-m", "tests.libraries.child", library, "mxnet"]
            run_children(Report(library), command, results, rows, limit)
        python = environments.python(library, "hybridonnx")
    except environments.EnvironmentSetupError as exc:
        report.add("", "import", Outcome("failed", str(exc).splitlines()[0], trace=str(exc)))
        return report
    command = [str(python), "-W", "ignore", "-m", "hybridonnx", "run", "--old-numpy"]
    command += ["-m", "tests.libraries.child", library, "hybridonnx"]
    run_children(report, command, results, rows, limit)
    return report


def run_children(
    report: Report, command: list[str], results: Path | None, rows: Sequence[str], limit: float
) -> None:
    """Run rows in a process, and what is left of them in another one where it ends early."""
    left = list(rows)
    while True:
        names, finished = run_child(report, [*command], results, left, limit)
        left = [name for name in (left or names) if name not in finished]
        if not left or not finished:
            return


def run_child(
    report: Report, command: list[str], results: Path | None, rows: Sequence[str], limit: float
) -> tuple[list[str], set[str]]:
    """Run a process until it ends or a step takes too long; all rows, and those that are done with."""
    with tempfile.TemporaryDirectory() as folder:
        events, output, work = (Path(folder) / name for name in ("events", "output", "work"))
        events.touch()
        work.mkdir()
        variables = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONPATH": str(environments.ROOT)}
        variables["MXNET_SUBGRAPH_BACKEND"] = "NONE"
        if report.library in PLAIN_KERNELS:
            variables["MXNET_MKLDNN_ENABLED"] = "0"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [*command, str(events), str(results or NOWHERE), *rows],
                cwd=work,
                env=variables,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            late = wait(process, events, limit)
        lines = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
        tail = output.read_text(encoding="utf-8", errors="replace")[-3000:]
    why = f"more than {limit:.0f} s" if late else f"the process ended with {process.returncode}"
    return note_events(report, lines, Outcome("failed", why, trace=tail) if process.returncode else None)


def note_events(
    report: Report, events: Iterable[dict[str, Any]], end: Outcome | None
) -> tuple[list[str], set[str]]:
    """Note what became of steps; `end` is what became of one that was under way when the process failed."""
    names: list[str] = []
    finished: set[str] = set()
    begun: tuple[str, str] | None = ("", "import")
    for event in events:
        if "rows" in event:
            names = event["rows"]
        elif event.get("done"):
            finished.add(event["row"])
        else:
            place = event.pop("row"), event.pop("step")
            begun = None if "state" in event else place
            if "state" in event:
                report.add(*place, Outcome(**event))
    if end is not None and (begun or not finished):
        begun = begun or ("", "import")
        report.add(*begun, end)
        finished.update(filter(None, begun[:1]))
    return names, finished


def wait(process: subprocess.Popen[bytes], events: Path, limit: float) -> bool:
    """Wait for the end of a process; whether it was ended because a step took too long."""
    size, since = -1, time.monotonic()
    while process.poll() is None:
        time.sleep(0.1)
        if (now := events.stat().st_size) != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > limit:
            os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
            process.wait()
            return True
    return False


def table(reports: Iterable[Report]) -> str:
    """All rows, with the seconds of each step that passed."""
    rows = []
    for report in reports:
        for row, steps in report.rows.items():
            name = f"{report.library}/{row}" if row else f"{report.library} (import)"
            cells = [cell(steps[step]) if step in steps else "" for step in STEPS]
            rows.append([name, *cells])
    header = ["", *STEPS]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in [header, *rows]
    ]
    return "\n".join(lines)


def cell(outcome: Outcome) -> str:
    """A step in the table."""
    return (
        f"{outcome.seconds:.1f}"
        if outcome.state == "ok"
        else {"expected": "known"}.get(outcome.state, "FAILS")
    )


def notes(report: Report, trace: bool) -> list[str]:
    """What fails, and why."""
    lines = []
    for row, steps in report.rows.items():
        for step, outcome in steps.items():
            if outcome.state == "ok":
                continue
            word = {"needless": "passes, remove the reason: "}.get(outcome.state, "")
            lines.append(f"{report.library}/{row} {step}: {word}{outcome.text}")
            if trace and outcome.state == "failed":
                lines.append(outcome.trace)
    return lines


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="LIBRARY[/ROW]", help="all unless some are named")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all outcomes there")
    parser.add_argument("--no-mxnet", action="store_true", help="without the comparison with real MXNet")
    parser.add_argument("--trace", action="store_true", help="show tracebacks")
    parser.add_argument("--limit", type=float, default=SECONDS, help="seconds that a step may take")
    options = parser.parse_args()
    known = environments.libraries()
    wanted: dict[str, list[str]] = {}
    for name in options.names or known:
        library, _, row = name.partition("/")
        if library not in known:
            parser.error(f"one of {', '.join(known)} is required, got {library}.")
        wanted.setdefault(library, []).extend([row] if row else [])
    reports = []
    for library, rows in wanted.items():
        reports.append(run(library, rows, options.limit, not options.no_mxnet))
        print("\n".join(notes(reports[-1], options.trace)), flush=True)
    print(f"\n{table(reports)}")
    if options.json:
        options.json.write_text(
            json.dumps([asdict(report) for report in reports], indent=1), encoding="utf-8"
        )
    return int(any(report.faults() for report in reports))


if __name__ == "__main__":
    sys.exit(main())
