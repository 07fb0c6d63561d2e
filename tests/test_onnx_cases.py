"""All test cases of onnx: eager, hybridized, saved and reloaded, exported again. A table names what fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from tests import onnx_case_table as table
from tests import onnx_cases

ROOT = Path(__file__).parents[1]
PARTS = 8


def scanned(tmp_path, *options):
    """The verdicts of a run of its own, as cases may take their process with them."""
    stored = table.stored_packages()
    if stored != table.packages():
        pytest.skip(f"the stored table is of {stored}, installed are {table.packages()}")
    out = str(tmp_path / "cases.json")
    command = [sys.executable, "-m", "tests.onnx_cases", out, "--quiet", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return table.read(out)


def require_no_surprises(results):
    lines = table.surprises(results)
    names = "|".join(sorted({line.split(",")[0] for line in lines}))
    command = f"python -m tests.onnx_cases OUT.json '^({names})$'"
    assert not lines, f"{len(lines)} verdicts, shown by {command}\n" + "\n".join(lines)


def test_a_sample_of_cases(tmp_path):
    results = scanned(tmp_path, "--sample", "150", "--modes", ",".join(table.OURS))
    assert len(results) == 150
    require_no_surprises(results)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_all_cases(tmp_path, part, record_property):
    results = scanned(tmp_path, "--part", f"{part}/{PARTS}")
    record_property("onnx_cases", table.rows(results))
    require_no_surprises(results)


def case(rtol=1e-3, atol=1e-7, name="test"):
    return onnx_cases.Case(name, "node", rtol, atol, onnx.ModelProto, lambda model: [])


@pytest.mark.parametrize(
    ("y", "target", "message"),
    [
        (np.ones(1, "f4"), np.float32(1), r"shape \(\) is expected, got \(1,\)"),
        (np.float32(1), np.ones(1, "f4"), r"shape \(1,\) is expected, got \(\)"),
        (np.ones(2, "f4"), np.ones(2, bool), "dtype bool is expected, got float32"),
        (np.ones(2, "i8"), np.ones(2, "i4"), "dtype int32 is expected, got int64"),
        (np.array([1, 2.5], "f4"), np.array([1, 2], "f4"), r"1 of 2 numbers differ, at \(1,\) 2.5 from 2"),
        (np.array([1, np.nan], "f4"), np.array([1, 2], "f4"), "1 of 2 numbers differ"),
        (np.array([1000]), np.array([1001]), "1 of 1 numbers differ"),
        (np.array(["a"], object), np.array(["b"], object), "1 of 1 numbers differ"),
        ([np.ones(1)], [np.ones(1), np.ones(1)], "2 items are expected, got 1"),
        (np.ones(1), None, "a NoneType is expected, got ndarray"),
        (None, np.ones(1), "an array is expected, got NoneType"),
        ([{1: np.float32(2)}], [{1: np.float32(3)}], r"output 0\[0\]\[1\]: 1 of 1 numbers differ"),
    ],
)
def test_what_differs_is_told(y, target, message):
    expected = onnx_cases.as_value(target)
    onnx_cases.compare([expected], [expected], case())
    with pytest.raises(AssertionError, match=message):
        onnx_cases.compare([y], [expected], case())


def test_drawn_numbers_are_compared_by_shape_and_dtype():
    drawn = case(name="test_bernoulli_seed")
    onnx_cases.compare([np.zeros(3)], [np.ones(3)], drawn)
    with pytest.raises(AssertionError, match="shape"):
        onnx_cases.compare([np.zeros(2)], [np.ones(3)], drawn)


def test_crashes_and_hangs_are_verdicts():
    program = """if True:
        import os, time
        from tests.case_processes import Job, run_jobs

        def work(job):
            actions = {"abort": os.abort, "exit": lambda: os._exit(3), "hang": lambda: time.sleep(60)}
            return actions.get(job.mode, lambda: f"done {job.case}")()

        jobs = [Job(i, mode) for i, mode in enumerate(["", "abort", "hang", "exit", ""])]
        print([text for _, text in run_jobs(jobs, work, 1, 0.5)])
    """
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    crashes = ["Crash: SIGABRT", "Timeout: more than 0.5 s", "Crash: exit status 3"]
    assert done.stdout.strip() == str(["done 0", *crashes, "done 4"]), done.stderr
