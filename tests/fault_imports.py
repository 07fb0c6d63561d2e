"""Imports that are interrupted, and begun again: `python -m tests.fault_imports TASK SAMPLES SEED`.

Each sample is a process that has loaded nothing of hybridonnx; it imports it, and makes a call of a task.
What fails is printed.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import traceback
from pathlib import Path

from tests.interrupts import Steps

BEFORE = (
    "cv2",
    "numpy",
    "onnx",
    "onnx.checker",
    "onnx.numpy_helper",
    "onnxruntime",
    "PIL.Image",
    "scipy.special",
)
"""Packages of others, in whose imports nothing is cut short."""


def first_call(name, folder):
    """Import hybridonnx, and make a call."""
    from tests import fault_tasks

    call = fault_tasks.TASKS[name](tempfile.mkdtemp(dir=folder))
    return [part.tolist() for part in call()]


def cut_short():
    raise KeyboardInterrupt("cut short")


def trial(name, at, folder):
    """The numbers of a call after one that was cut short at a step, and where that was."""
    steps = Steps(at, cut_short)
    try:
        with steps:
            first_call(name, folder)
    except KeyboardInterrupt:
        pass
    told = {"steps": steps.count, "where": steps.where}
    try:
        told["numbers"] = first_call(name, folder)
    except Exception as exc:  # noqa: BLE001
        told["fault"] = f"{type(exc).__name__}: {exc}\n{''.join(traceback.format_exception(exc)[-4:])}"
    return told


def in_a_process(name, at, folder):
    told = Path(folder, "told.json")
    pid = os.fork()
    if not pid:
        code = 1
        try:
            told.write_text(json.dumps(trial(name, at, folder)))
            code = 0
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
        finally:
            os._exit(code)
    if os.waitpid(pid, 0)[1]:
        return {"fault": "the process ended", "where": f"step {at}"}
    return json.loads(told.read_text())


def main(name, samples, seed):
    for package in BEFORE:
        try:
            __import__(package)
        except ImportError:
            continue
    rng, wrong = random.Random(f"{seed}{name}"), {}
    with tempfile.TemporaryDirectory() as folder:
        whole = in_a_process(name, -1, folder)
        for _ in range(int(samples)):
            at = rng.randrange(whole["steps"])
            told = in_a_process(name, at, folder)
            if told.get("numbers") != whole["numbers"]:
                wrong[told["where"]] = told.get("fault", "other numbers")
    print(f"{name}: {whole['steps']} steps, {len(wrong)} faults", file=sys.stderr)
    print(json.dumps(wrong, indent=1))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
