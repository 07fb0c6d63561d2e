"""Runs models and checks of one library in this interpreter, and writes what happens to a file.

python -m tests.libraries.child LIBRARY KIND EVENTS RESULTS [ROW …]
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.libraries.harness import CHECKS, MODELS, REASONS, TOLERANCES

__all__ = ["NOWHERE", "Events", "main"]

NOWHERE = "-"


class Events:
    """The file of events: a JSON object in each line.

    A step that begins has no `state`; one that ends has `ok`, `failed`, `expected` (it fails as the reason
    says) or `needless` (it passes, and a reason says that it does not).
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, **event: Any) -> None:
        """Add an event."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")

    def run(self, row: str, step: str, function: Callable[[], str | None], reason: str | None = None) -> bool:
        """Whether a step passes."""
        self.write(row=row, step=step)
        start, trace = time.perf_counter(), ""
        try:
            text = function() or ""
            state = "needless" if reason else "ok"
        except Exception as exc:  # noqa: BLE001 - all that a step raises belongs in the table
            first = next(iter(str(exc).strip().splitlines()), "")
            text, state, trace = f"{type(exc).__name__}: {first}", "failed", traceback.format_exc()
            if reason:
                text, state = f"{reason} ({text})", "expected"
        seconds = round(time.perf_counter() - start, 2)
        self.write(row=row, step=step, state=state, text=text, seconds=seconds, trace=trace)
        return state in ("ok", "needless")


def main(library: str, kind: str, path: str, results: str, *rows: str) -> None:
    """Run a library's rows, or all.

    Args:
        library: The stem of its file.
        kind: `hybridonnx` or `mxnet`.
        path: The file of events.
        results: The folder of what real MXNet gives; NOWHERE for none.
        rows: Names of models and checks.
    """
    events = Events(Path(path))

    def load() -> None:
        import_module(f"tests.libraries.{module_name(library)}")

    if not events.run("", "import", load):
        return
    names = [*MODELS, *CHECKS]
    events.write(rows=names)
    unknown = sorted(set(rows) - set(names))
    if unknown:
        raise SystemExit(f"{library}: one of {', '.join(names)} is required, got {', '.join(unknown)}.")
    for name in rows or names:
        folder = Path(results) / file_name(name) if results != NOWHERE else None
        if kind == "mxnet":
            assert folder is not None
            run_with_mxnet(name, events, folder, stamp(library))
        elif name in MODELS:
            run_model(name, events, folder)
        else:
            run_check(name, events, folder)
        events.write(row=name, done=True)


def file_name(row: str) -> str:
    """A row's name as a folder's."""
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in row)


def stamp(library: str) -> str:
    """What stored results of a library depend on, in short."""
    here = Path(__file__).parent
    names = [f"{module_name(library)}.py", f"{library}.txt", "steps.py", "harness.py"]
    return hashlib.sha256(b"".join((here / name).read_bytes() for name in names)).hexdigest()


def module_name(library: str) -> str:
    """The stem of a library's module."""
    return library.replace("-", "_")


def run_model(name: str, events: Events, results: Path | None) -> None:
    """Take a model through all steps."""
    from tests.libraries import steps

    passed: set[str] = set()
    reasons: Mapping[str, str] = REASONS[name]
    with tempfile.TemporaryDirectory() as folder:
        trial = steps.Trial(MODELS[name], Path(folder), results)
        for step, function in steps.MODEL_STEPS.items():
            if not passed.issuperset(steps.NEEDS.get(step, ())) or (step == "mxnet" and results is None):
                continue
            if events.run(name, step, partial(function, trial), reasons.get(step)):
                passed.add(step)
            if step == "build" and step in passed:
                reasons = {**reasons, **trial.sample.skip}


def run_check(name: str, events: Events, results: Path | None) -> None:
    """Run a check, and compare its numbers with those of real MXNet."""
    from tests.libraries import steps

    numbers: dict[str, Any] = {}

    def run() -> None:
        numbers.update(steps.arrays(steps.seeded(CHECKS[name])))

    if events.run(name, "run", run, REASONS[name].get("run")) and results is not None:
        compare = partial(steps.compare_numbers, numbers, results, TOLERANCES[name])
        events.run(name, "mxnet", compare, REASONS[name].get("mxnet"))


def run_with_mxnet(name: str, events: Events, results: Path, wanted: str) -> None:
    """Leave what real MXNet makes of a row in a folder, unless it is there for the files as they are."""
    from tests.libraries import steps

    outcome = results / steps.OUTCOME
    if outcome.is_file() and json.loads(outcome.read_text(encoding="utf-8")).get("stamp") == wanted:
        return
    results.mkdir(parents=True, exist_ok=True)
    outcome.write_text(json.dumps({"state": "failed", "text": "MXNet's process ended"}), encoding="utf-8")
    if name in MODELS:
        trial = steps.Trial(MODELS[name], results)
        events.run(name, "mxnet", partial(steps.record_results, trial))
    else:
        events.run(name, "mxnet", partial(steps.record_numbers, CHECKS[name], results))
    event = json.loads(events.path.read_text(encoding="utf-8").splitlines()[-1])
    kept = {key: event[key] for key in ("state", "text", "seconds", "trace")}
    outcome.write_text(json.dumps({"stamp": wanted, **kept}), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
