"""Several processes train as one does: `mx.kv.create("dist_sync")` and `hybridonnx launch`."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.cli import main
from hybridonnx.kvstore.compression import Compression
from tests.worker_jobs import STEPS, alone, start

pytest.importorskip("mpi4py", reason="the extra mpi is not installed")

ORACLE = Path(__file__).parent / "oracle"


def run(workers, job, *arguments, **options):
    code, told, errors = start(workers, job, *arguments, **options)
    assert code == 0, errors
    assert len(told) == workers, errors
    return told


@pytest.mark.parametrize("part", ["storing", "optimizing", "compressing"])
def test_a_store_gives_what_that_of_mxnet_gives(part):
    done = subprocess.run(
        [sys.executable, "-m", "hybridonnx", "launch", "-n", "2", str(ORACLE / "dist_store.py"), part],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    told = sorted(map(json.loads, done.stdout.splitlines()), key=lambda one: one["is"][1])
    assert told == json.loads((ORACLE / "dist_store.json").read_text())[part]


@pytest.mark.parametrize(
    ("optimizer", "on_store", "hybrid"),
    [
        ("sgd", "true", "hybrid"),
        ("adam", "false", "hybrid"),
        pytest.param("adam", "true", "eager", marks=pytest.mark.slow),
        pytest.param("sgd", "false", "eager", marks=pytest.mark.slow),
        pytest.param("rmsprop", "null", "hybrid", marks=pytest.mark.slow),
    ],
)
def test_losses_are_those_of_one_process_with_the_double_batch(optimizer, on_store, hybrid):
    first, second = run(2, "train", optimizer, on_store, hybrid)
    expected = alone("train", optimizer, "false", hybrid)
    assert first["weights"] == second["weights"]
    total = np.add(first["losses"], second["losses"])
    assert len(total) == STEPS
    np.testing.assert_allclose(total, expected["losses"], rtol=0, atol=1e-6 * max(expected["losses"]))
    for ours, theirs in zip(first["weights"], expected["weights"], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.slow
def test_three_workers_keep_equal_weights():
    told = run(3, "module")
    assert told[0] == told[1] == told[2]


def test_a_module_trains_as_with_one_process():
    first, second = run(2, "module")
    expected = alone("module")
    assert first == second
    for name, values in expected.items():
        np.testing.assert_allclose(first[name], values, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "on_store"),
    [("cpus", "true"), ("gpu", "true"), pytest.param("cpus", "false", marks=pytest.mark.slow)],
)
def test_devices_of_workers_share_a_batch(kind, on_store, monkeypatch):
    monkeypatch.setenv("HYBRIDONNX_FAKE_GPU", "1")
    first, second = run(2, "devices", kind, on_store)
    assert first == second
    assert all(one == first[0] for one in first)
    for ours, theirs in zip(first[0], alone("devices", "cpus", "true")[0], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("clip", ["clip", pytest.param("", marks=pytest.mark.slow)])
def test_the_manner_of_horovod(clip):
    first, second = run(2, "horovod", clip)
    assert first == second
    for ours, theirs in zip(first, alone("horovod", clip), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize(
    ("hybrid", "overlap"),
    [("hybrid", "1"), ("eager", "1"), pytest.param("hybrid", "0", marks=pytest.mark.slow)],
)
def test_gradients_are_sums_whatever_happens_before_the_step(hybrid, overlap):
    first, second = run(2, "irregular", hybrid, overlap)
    assert first["wrong"] == second["wrong"] == 0
    assert first["weights"] == second["weights"]
    assert len(first["begun"][0]) >= 3
    assert all(map(all, first["begun"][:3])) == (overlap == "1")  # before anything happens


def test_sums_begin_while_the_backward_pass_goes_on():
    for events in run(2, "staged", ""):
        assert events == [
            *("net_dense2_weight", "net_dense2_bias", "net_dense1_bias", "begin 0"),
            *("net_dense1_weight", "begin 1", "net_dense0_weight", "net_dense0_bias", "begin 2", "step"),
        ]


def test_rows_and_dtypes_are_summed():
    for told in run(2, "store"):
        assert told["rows"] == [[2, 4], [3, 4], [3, 4], [0, 0]]
        for dtype in ("float16", "float64", "int32", "uint8"):
            assert told[dtype] == [dtype, [[3] * 3] * 2]


@pytest.mark.parametrize("size", [1, 37])
def test_sums_of_two_bits_are_thresholds(size):
    first, second = run(2, "compressed", "2bit", size)
    assert first == second == two_bits(2, size)


@pytest.mark.slow
def test_sums_of_two_bits_of_many_workers_are_the_same():
    told = run(5, "compressed", "2bit", 37)  # beyond four each counts a part for all
    assert all(one == two_bits(5, 37) for one in told)


def two_bits(workers, size):
    """What MXNet documents: a threshold where gradient and rest reach it, and the rest for later."""
    rngs = [np.random.default_rng(rank) for rank in range(workers)]
    rests, sums = [np.zeros(size, np.float32) for _ in rngs], []
    for _ in range(4):
        total = np.zeros(size)
        for rank, rng in enumerate(rngs):
            rests[rank] = rests[rank] + rng.standard_normal(size).astype(np.float32)
            sent = np.where(rests[rank] >= 0.5, 0.5, np.where(rests[rank] <= -0.5, -0.5, 0))
            rests[rank] = (rests[rank] - sent).astype(np.float32)
            total += sent
        sums.append(total.tolist())
    return sums


def test_sums_in_float16_are_near():
    first, second = run(2, "compressed", "fp16", 50)
    rngs = [np.random.default_rng(rank) for rank in range(2)]
    exact = [sum(rng.standard_normal(50).astype(np.float32) for rng in rngs) for _ in range(4)]
    assert first == second
    assert not np.array_equal(first, exact)
    np.testing.assert_allclose(first, exact, rtol=2**-10, atol=2**-9)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (
            "kill",
            [
                "rank 1 (process",
                "has ended the job",
                "its last: after the gradients from key 'net_dense0_bias' on",
            ],
        ),
        ("raise", ["rank 1 of 2 on", "no more of this", "its last: an error that ended the job: ValueError"]),
        ("stop", ["rank 1 did not come", "net_dense0_bias", "within 1 seconds"]),
        pytest.param("hang", ["rank 1 did not come", "net_dense0_bias"], marks=pytest.mark.slow),
        pytest.param("exit", ["rank 1 did not come", "rank 1 has come to its end"], marks=pytest.mark.slow),
    ],
)
def test_a_worker_in_trouble_ends_the_job(kind, told):
    code, lines, errors = start(2, "trouble", kind, environ={"HYBRIDONNX_TIMEOUT": "1"}, timeout=30)
    assert code != 0
    assert not lines
    for text in told:
        assert text in errors


def test_a_job_is_started_again():
    code, told, errors = start(2, "trouble", "kill", options=["--restarts", "2"])
    assert (code, told) == (0, ["1", "1"]), errors
    assert "started again, 1 more times" in errors


def test_workers_that_do_not_do_the_same_are_told():
    code, _, errors = start(2, "disagree")
    assert code == 13
    assert "rank 0: key 'b', float32 of shape (2,), from rank 0; rank 1: key 'a'" in errors


def test_stores_without_waiting_are_refused():
    for kind in ("dist_async", "dist_device_async"):
        with pytest.raises(mx.MXNetError, match=r"need servers, which MPI has none of. Use 'dist_sync'"):
            mx.kv.create(kind)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"type": "1bit"}, "a type among 2bit, fp16 is required, got '1bit'"),
        ({"threshold": 1}, "a type among 2bit, fp16 is required, got None"),
        ({"type": "2bit", "threshold": 0}, "greater than 0 is required, got 0"),
        ({"type": "2bit", "threshold": "much"}, "greater than 0 is required, got 'much'"),
        ({"type": "2bit", "treshold": 1}, "Did you mean threshold"),
        ({"type": "fp16", "threshold": 1}, "type are required, got 'threshold'"),
    ],
)
def test_other_compression_is_refused(settings, message):
    with pytest.raises(mx.MXNetError, match=message):
        Compression(settings)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "the number of processes is required, as in -n 2."),
        (["-n", "two", "x.py"], 2, "a number is required after -n, got 'two'"),
        (["-n", "2"], 2, "a script is required"),
        (["-n", "2", "--hostfile", "nowhere", "x.py"], 3, "a file with names of machines is required"),
    ],
)
def test_wrong_options_of_launch(words, code, message, capsys):
    assert main(["launch", *words]) == code
    assert message in capsys.readouterr().err


def test_a_worker_that_waits_was_not_the_first_to_be_killed(tmp_path, capsys):
    """MPICH kills the others, too, and names the one that it happens to see first."""
    (tmp_path / "0").write_text("100 waiting for the gradients from key 'a' on")
    (tmp_path / "1").write_text("101 after the gradients from key 'b' on")
    tell = importlib.import_module("hybridonnx.kvstore.launch")._tell
    tell(str(tmp_path), b"PID 100 RUNNING AT here", 9)
    assert "rank 1 (process 101) has ended the job" in capsys.readouterr().err
    tell(str(tmp_path), b"PID 100 RUNNING AT here", 3)
    assert "rank 0 (process 100) has ended the job" in capsys.readouterr().err
