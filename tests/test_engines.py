"""Ray and Spark do what one process does; their environment is one of `scripts/test --engines`."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from tests.processes import children
from tests.small_model import write_model

PYTHON = os.environ.get("HYBRIDONNX_ENGINES", "")
RUN = Path(__file__).with_name("engine_run.py")
ROWS, SHARD = 120, 20


def has(package):
    """Whether the environment of the engines has a package."""
    return bool(PYTHON) and subprocess.run([PYTHON, "-c", f"import {package}"], check=False).returncode == 0


@pytest.fixture(params=["ray", pytest.param("spark", marks=pytest.mark.slow)])
def engine(request):
    if not has({"ray": "ray", "spark": "pyspark"}[request.param]):
        pytest.skip(f"the engine is in no environment: scripts/test --engines={request.param} makes one")
    return request.param


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def rows(tmp_path):
    return drawn(tmp_path, ROWS)


def drawn(folder, count):
    path = folder / "rows.npz"
    np.savez(path, data=np.random.default_rng(0).standard_normal((count, 3, 8, 8)).astype(np.float32))
    return path


def start(engine, model, rows, folder, **options):
    arguments = [str(model), str(rows), str(folder), json.dumps({"shard_rows": SHARD, "batch": 8, **options})]
    return subprocess.Popen(
        [PYTHON, str(RUN), engine, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(engine, model, rows, folder, **options):
    process = start(engine, model, rows, folder, **options)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return json.loads(output)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).glob("*.parquet"))}


def finished(folder):
    """How many shards have their files."""
    return len(list(folder.glob("*.parquet")))


def test_two_workers_write_the_bytes_of_one_process(engine, model, rows, tmp_path):
    report = run(engine, model, rows, tmp_path / "many", workers=2)
    assert (report["rows"], report["bad"], report["shards"], report["done"]) == (ROWS, 0, 6, 0)
    run("local", model, rows, tmp_path / "one", workers=1)
    assert contents(tmp_path / "many") == contents(tmp_path / "one")
    (tmp_path / "many/part-00002.parquet").unlink()
    assert run(engine, model, rows, tmp_path / "many", workers=2)["done"] == 5
    assert contents(tmp_path / "many") == contents(tmp_path / "one")


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced(engine, model, rows, tmp_path):
    report = run(
        engine, model, rows, tmp_path / "many", workers=2, transform=["dies", str(tmp_path / "mark")]
    )
    assert (tmp_path / "mark").exists()
    assert report["rows"] == ROWS
    run("local", model, rows, tmp_path / "one", workers=1, transform=["dies", str(tmp_path / "mark")])
    assert contents(tmp_path / "many") == contents(tmp_path / "one")


@pytest.mark.slow
def test_bad_rows_end_the_job_or_are_set_aside(engine, model, tmp_path):
    data = np.random.default_rng(0).standard_normal((ROWS, 3, 8, 8)).astype(np.float32)
    data[77, 0, 0, 0] = 4711
    np.savez(tmp_path / "rows.npz", data=data)
    options = {"workers": 2, "transform": ["refuses"]}
    process = start(engine, model, tmp_path / "rows.npz", tmp_path / "stop", **options)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "row 77 of rows.npz cannot be predicted: this row is refused." in errors
    report = run(engine, model, tmp_path / "rows.npz", tmp_path / "skip", on_error="skip", **options)
    assert (report["rows"], report["bad"]) == (ROWS - 1, 1)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_kills_lose_and_double_nothing(engine, model, tmp_path):
    """The driver and what it started are killed at random, until the job comes to its end.

    How far a job is when it is killed counts in shards, of which there are 100, as machines differ in speed.
    """
    rows, draws, kills = drawn(tmp_path, 100 * SHARD), random.Random(3), 0
    options = {"workers": 2, "transform": ["slow"]}
    deadline = time.monotonic() + 500
    while time.monotonic() < deadline:
        process = start(engine, model, rows, tmp_path / "many", **options)
        more, pause = draws.randrange(25), draws.uniform(0, 0.5)
        shards = finished(tmp_path / "many") + more
        while process.poll() is None and time.monotonic() < deadline:
            if kills < 6 and finished(tmp_path / "many") >= shards:
                time.sleep(
                    pause if more else 10 * pause
                )  # without another shard it is killed while it starts
                break
            time.sleep(0.05)
        if process.poll() is None:
            victims = [process.pid, *children(process.pid)]
            os.kill(draws.choice(victims) if kills % 2 else process.pid, signal.SIGKILL)
            kills += 1
            time.sleep(0.5)
            os.killpg(process.pid, signal.SIGKILL)  # what the driver leaves behind
        process.communicate()
        if process.returncode == 0:
            break
    assert process.returncode == 0
    assert kills >= 3
    run("local", model, rows, tmp_path / "one", workers=1, transform=["slow"])
    assert contents(tmp_path / "many") == contents(tmp_path / "one")


@pytest.mark.parametrize(("engine", "package"), [("ray", "ray"), ("spark", "pyspark")])
def test_an_engine_that_is_not_here_is_named(engine, package, model, rows, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(mx.MXNetError, match=rf"{package} is required .*hybridonnx\[{engine}\]"):
        mx.deploy.predict(model, rows, tmp_path / "out", engine=engine, workers=1)
