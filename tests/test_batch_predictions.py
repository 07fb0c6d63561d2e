"""Predictions of many rows: every row once, with the bytes of one undisturbed process, whatever happens."""

import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hybridonnx as mx
from hybridonnx.deploy.sources import sources_of
from hybridonnx.errors import FormatError
from tests.processes import children, command_of
from tests.small_model import write_model

ROWS = 230
BATCH = 16


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def data():
    return np.random.default_rng(0).standard_normal((ROWS, 3, 8, 8)).astype(np.float32)


def in_session(model, data, batch=BATCH, shard=50):
    """The outputs of a bare session, in the batches of a job."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(model), options)
    parts = []
    for first in range(0, len(data), shard):
        rows = data[first : first + shard]
        parts += [session.run(None, {"data": rows[i : i + batch]})[0] for i in range(0, len(rows), batch)]
    return np.concatenate(parts)


def results(folder):
    """The table in a folder, and its last column as an array."""
    table = pq.read_table(folder)
    column = table.column(table.column_names[-1]).combine_chunks()
    return table, getattr(column, "storage", column).flatten().to_numpy().reshape(len(table), -1)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).glob("*.parquet"))}


def tensors(array):
    """Arrow's own column of arrays."""
    return pa.FixedShapeTensorArray.from_numpy_ndarray(array)


def parquet(folder, data):
    folder.mkdir()
    for name, first, last in (("a", 0, 90), ("b", 90, ROWS)):
        table = pa.table({"pixels": tensors(data[first:last]), "id": np.arange(first, last)})
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=40)
    return folder, {"columns": {"data": "pixels"}, "keep": ["id"]}


def npz(folder, data):
    folder.mkdir()
    np.savez(folder / "rows.npz", data=data, id=np.arange(ROWS))
    return folder / "*.npz", {"keep": ["id"]}


def npy(folder, data):
    folder.mkdir()
    np.save(folder / "rows.npy", data)
    return folder / "rows.npy", {}


@pytest.mark.parametrize("kind", [parquet, npz, npy], ids=lambda kind: kind.__name__)
def test_rows_of_every_kind_of_file(model, data, tmp_path, kind):
    source, options = kind(tmp_path / "rows", data)
    report = mx.deploy.predict(
        model, source, tmp_path / "out", workers=1, batch=BATCH, shard_rows=50, **options
    )
    table, scores = results(tmp_path / "out")
    files = [data[:90], data[90:]] if kind is parquet else [data]
    expected = np.concatenate([in_session(model, rows) for rows in files])
    np.testing.assert_array_equal(scores, expected)
    assert (report.rows, report.bad, report.shards) == (ROWS, 0, 5)
    if "keep" in options:
        np.testing.assert_array_equal(table.column("id").to_numpy(), np.arange(ROWS))
    places = list(zip(table.column("source").to_pylist(), table.column("row").to_pylist(), strict=True))
    assert len({*places}) == ROWS


def images(folder, count=20):
    folder.mkdir()
    draws = np.random.default_rng(1)
    for i in range(count):
        pixels = mx.nd.array(draws.integers(0, 256, (10, 9 + i % 3, 3)), dtype="uint8")
        place = folder / f"class{i % 2}"
        place.mkdir(exist_ok=True)
        header = mx.recordio.IRHeader(0, 0.0, i, 0)
        _, content = mx.recordio.unpack(mx.recordio.pack_img(header, pixels, img_fmt=".png"))
        (place / f"{i:03d}.png").write_bytes(content)
    return folder


def expected_of_images(model, folder):
    """What a session gives for images that Pillow reads and MXNet's own resizing fits."""
    from PIL import Image

    rows = []
    for path in sorted(folder.rglob("*.png")):
        pixels = np.array(Image.open(io.BytesIO(path.read_bytes())).convert("RGB"))
        small = mx.image.imresize(mx.nd.array(pixels, dtype="uint8"), 8, 8).asnumpy()
        rows.append(((small / 255 - 0.5) / 0.25).astype(np.float32).transpose(2, 0, 1))
    return ort.InferenceSession(str(model)).run(None, {"data": np.stack(rows)})[0]


PIXELS = mx.deploy.Pixels(255.0, (0.5,), (0.25,))


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_stay_in_their_file_unless_it_is_compressed(tmp_path, write, order):
    wanted: dict[str, Any] = {
        "a": np.asarray(np.arange(30.0, dtype=np.float16).reshape(10, 3), order=order),
        "names_of_any_length": np.arange(10, dtype=np.int8),
        "none": np.empty((10, 0), np.float32),
    }
    write(tmp_path / "rows.npz", **wanted)
    (source,) = sources_of(tmp_path / "rows.npz")
    columns = source.read(list(wanted), 3, 9)
    for name, array in wanted.items():
        np.testing.assert_array_equal(columns[name], array[3:9], strict=True)
    assert isinstance(columns["a"], np.memmap) == (write is np.savez)


def npy_header(shape, kind="<f4"):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": kind, "fortran_order": False, "shape": shape})
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        npy_header((1 << 50,)),
        npy_header((4,)) + b"\0" * 15,
        npy_header((4,), "|O") + b"\0" * 64,
        b"\x93NUMPY\x03\x00" + npy_header((1,))[8:] + b"\0" * 4,
        b"no array",
    ],
    ids=["more than memory", "ends early", "objects", "another version", "no array"],
)
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_arrays_that_are_none_are_refused(tmp_path, content, compression):
    with zipfile.ZipFile(tmp_path / "rows.npz", "w", compression) as file:
        file.writestr("data.npy", content)
    with pytest.raises(FormatError, match="a file of NumPy's with numbers is required"):
        sources_of(tmp_path / "rows.npz")


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_damaged_arrays_are_refused(tmp_path, data, write):
    path = tmp_path / "rows.npz"
    write(path, data=data)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16
    path.write_bytes(content)
    with pytest.raises(FormatError, match="a whole file of NumPy's is required"):
        sources_of(path)


def test_images_in_folders(model, tmp_path):
    folder = images(tmp_path / "images")
    mx.deploy.predict(model, folder, tmp_path / "out", workers=1, keep=["label"], pixels=PIXELS)
    table, scores = results(tmp_path / "out")
    np.testing.assert_allclose(scores, expected_of_images(model, folder), rtol=1e-4, atol=1e-5)
    assert table.column("label").to_pylist() == ["class0"] * 10 + ["class1"] * 10
    assert table.column("source")[0].as_py() == "class0/000.png"


def test_records_of_images(model, tmp_path):
    folder = images(tmp_path / "images")
    writer = mx.recordio.MXRecordIO(str(tmp_path / "rows.rec"), "w")
    for i, path in enumerate(sorted(folder.rglob("*.png"))):
        writer.write(mx.recordio.pack(mx.recordio.IRHeader(0, float(i % 3), i, 0), path.read_bytes()))
    writer.close()
    mx.deploy.predict(
        model,
        tmp_path / "rows.rec",
        tmp_path / "out",
        workers=1,
        shard_rows=7,
        keep=["label", "id"],
        pixels=PIXELS,
    )
    table, scores = results(tmp_path / "out")
    np.testing.assert_allclose(scores, expected_of_images(model, folder), rtol=1e-4, atol=1e-5)
    assert table.column("id").to_pylist() == list(range(20))
    assert table.column("label").to_pylist() == [float(i % 3) for i in range(20)]


def test_images_in_a_column(model, tmp_path):
    folder = images(tmp_path / "images")
    encoded = [path.read_bytes() for path in sorted(folder.rglob("*.png"))]
    pq.write_table(pa.table({"image": encoded}), tmp_path / "rows.parquet")
    mx.deploy.predict(model, tmp_path / "rows.parquet", tmp_path / "out", workers=1, pixels=PIXELS)
    _, scores = results(tmp_path / "out")
    np.testing.assert_allclose(scores, expected_of_images(model, folder), rtol=1e-4, atol=1e-5)


def test_images_that_a_transform_fits(model, tmp_path):
    folder = images(tmp_path / "images")
    steps = mx.gluon.data.vision.transforms
    fit = steps.Compose([steps.Resize((8, 8)), steps.ToTensor(), steps.Normalize(0.5, 0.25)])
    predictor = mx.deploy.Predictor(model, transform=fit, threads=1)
    mx.deploy.predict(predictor, folder, tmp_path / "out", workers=1)
    _, scores = results(tmp_path / "out")
    np.testing.assert_allclose(scores, expected_of_images(model, folder), rtol=1e-4, atol=1e-5)


# ---- again, and by several


def run(model, data, folder, **options):
    rows = folder.parent / "rows.npz"
    if not rows.exists():
        np.savez(rows, data=data)
    options = {"workers": 1, "batch": BATCH, "shard_rows": 50, **options}
    return mx.deploy.predict(model, rows, folder, **options)


def test_two_processes_write_the_same_bytes_as_one(model, data, tmp_path):
    run(model, data, tmp_path / "one")
    report = run(model, data, tmp_path / "two", workers=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert (report.shards, report.done) == (5, 0)


def test_a_second_call_does_what_is_missing_or_another(model, data, tmp_path):
    out = tmp_path / "out"
    run(model, data, out)
    before = contents(out)
    assert run(model, data, out).done == 5
    (out / "part-00001.parquet").write_bytes(b"other")
    (out / "part-00002.parquet").unlink()
    (out / "_manifest/part-00003.json").write_text("{")
    times = {path: path.stat().st_mtime_ns for path in out.glob("*.parquet")}
    assert run(model, data, out).done == 2
    assert contents(out) == before
    again = {path for path, stamp in times.items() if path.stat().st_mtime_ns != stamp}
    assert {path.name for path in again} == {"part-00001.parquet", "part-00003.parquet"}


def test_results_of_another_job_stay(model, data, tmp_path):
    out = tmp_path / "out"
    run(model, data, out)
    before = contents(out)
    with pytest.raises(mx.MXNetError, match="another job, whose batch is 16 instead of 8"):
        run(model, data, out, batch=8)
    (tmp_path / "rows.npz").unlink()
    with pytest.raises(mx.MXNetError, match="another job, whose sources"):
        run(model, data[:100] * 2, out)
    assert contents(out) == before
    report = run(model, data, out, overwrite=True)
    assert (report.rows, report.shards) == (100, 2)
    assert len(contents(out)) == 2


def test_a_folder_with_other_files_is_refused(model, data, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/part-00000.parquet").write_bytes(b"mine")
    with pytest.raises(mx.MXNetError, match="an empty folder is required"):
        run(model, data, tmp_path / "out", overwrite=True)
    assert (tmp_path / "out/part-00000.parquet").read_bytes() == b"mine"


# ---- bad rows


def test_bad_rows_end_the_job_or_are_set_aside(model, tmp_path):
    folder = images(tmp_path / "images")
    (folder / "class0/004.png").write_bytes(b"no image")
    (folder / "class1/007.png").write_bytes(b"")
    with pytest.raises(mx.MXNetError, match=r"row 2 of class0/004.png cannot be predicted"):
        mx.deploy.predict(model, folder, tmp_path / "out", workers=1, pixels=PIXELS)
    report = mx.deploy.predict(
        model, folder, tmp_path / "skip", workers=1, pixels=PIXELS, on_error="skip", shard_rows=15
    )
    assert (report.rows, report.bad) == (18, 2)
    table, scores = results(tmp_path / "skip")
    assert 2 not in table.column("row").to_pylist()
    lines = (tmp_path / "skip/_bad/part-00000.jsonl").read_text().splitlines()
    assert [json.loads(line)["source"] for line in lines] == ["class0/004.png", "class1/007.png"]
    (folder / "class0/004.png").unlink()
    (folder / "class1/007.png").unlink()
    np.testing.assert_allclose(scores, expected_of_images(model, folder), rtol=1e-4, atol=1e-5)


def test_missing_values_are_bad_rows(model, data, tmp_path):
    rows = [row.ravel().tolist() for row in data[:6]]
    rows[3], rows[4][5] = None, None
    table = pa.table({"data": pa.array(rows, pa.list_(pa.float32()))})
    pq.write_table(table, tmp_path / "rows.parquet")
    symbol = mx.sym.reshape(mx.sym.var("data"), shape=(-1, 3, 64)) * 2
    path = tmp_path / "flat.onnx"
    mx.onnx.export_model(symbol, {}, [("batch", 192)], onnx_file_path=path)
    report = mx.deploy.predict(path, tmp_path / "rows.parquet", tmp_path / "out", workers=1, on_error="skip")
    assert (report.rows, report.bad) == (4, 2)
    _, doubled = results(tmp_path / "out")
    np.testing.assert_array_equal(doubled, 2 * data[[0, 1, 2, 5]].reshape(4, 192))


def test_rows_that_the_model_refuses_do_not_spoil_their_batch(data, tmp_path):
    weight = np.random.default_rng(4).standard_normal((10, 3)).astype(np.float32)
    symbol = mx.sym.take(mx.sym.var("table"), mx.sym.var("data"), mode="raise")
    path = tmp_path / "take.onnx"
    mx.onnx.export_model(
        symbol, {"table": mx.nd.array(weight)}, [("batch",)], {"data": np.int64}, onnx_file_path=path
    )
    indices = np.array([1, 2, 99, 4, -50, 9])
    np.save(tmp_path / "rows.npy", indices)
    report = mx.deploy.predict(path, tmp_path / "rows.npy", tmp_path / "out", workers=1, on_error="skip")
    assert (report.rows, report.bad) == (4, 2)
    table, scores = results(tmp_path / "out")
    assert table.column("row").to_pylist() == [0, 1, 3, 5]
    np.testing.assert_array_equal(scores, weight[indices[[0, 1, 3, 5]]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "dask"}, "an engine of local, ray, spark"),
        ({"on_error": "ignore"}, "on_error of stop, skip"),
        ({"batch": 0}, "batch and shard_rows from 1"),
        ({"columns": {"data": "x"}}, "arrays x are required, got data"),
    ],
)
def test_options_that_do_not_fit(model, data, tmp_path, options, message):
    with pytest.raises(mx.MXNetError, match=message):
        run(model, data, tmp_path / "out", **options)


def test_inputs_that_are_no_rows(model, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.txt").write_text("x")
    (tmp_path / "bad.parquet").write_text("x")
    np.savez(tmp_path / "uneven.npz", data=np.zeros(3), id=np.zeros(2))
    for source, message in (
        ("none", "a file, a folder or a pattern"),
        ("empty", "or images are required"),
        ("text.txt", "another kind"),
        ("bad.parquet", "a Parquet file is required"),
        ("uneven.npz", "arrays with as many rows"),
    ):
        with pytest.raises(mx.MXNetError, match=message):
            mx.deploy.predict(model, tmp_path / source, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# ---- kills


def command(model, tmp_path, *options):
    arguments = [
        str(model),
        "--input",
        str(tmp_path / "rows.npz"),
        "--output",
        str(tmp_path / "out"),
        *options,
    ]
    return [sys.executable, "-m", "hybridonnx", "predict", *arguments]


def killed_and_finished(model, data, tmp_path, kills, seed, *options):
    """Kill the command or one of its processes again and again, until it is done; how often it was killed."""
    np.savez(tmp_path / "rows.npz", data=data)
    draws, done = random.Random(seed), 0
    environment = {**os.environ, "HYBRIDONNX_THREADS": "1"}
    deadline = time.monotonic() + 550
    while time.monotonic() < deadline:
        process = subprocess.Popen(
            command(model, tmp_path, *options),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        while process.poll() is None and done < kills:
            time.sleep(draws.uniform(0.2, 2.5))
            others = [pid for pid in children(process.pid) if "spawn_main" in command_of(pid)]
            victim = draws.choice([process.pid, *others])
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                continue
            done += 1
            if victim == process.pid:
                break
        output, _ = process.communicate()
        if process.returncode == 0:
            return done
        assert process.returncode == -signal.SIGKILL, output.decode()
    raise AssertionError("the job did not come to its end")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("rows", "kills"), [(600, 3), pytest.param(10_000, 20, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_kills_lose_and_double_nothing(model, tmp_path, rows, kills):
    data = np.random.default_rng(6).standard_normal((rows, 3, 8, 8)).astype(np.float32)
    mx.deploy.predict  # noqa: B018  (loads what the children load, too)
    done = killed_and_finished(
        model, data, tmp_path, kills, 7, "--workers", "2", "--shard-rows", "20", "--batch", "1"
    )
    table, scores = results(tmp_path / "out")
    assert table.column("row").to_pylist() == list(range(rows))
    np.testing.assert_array_equal(scores, in_session(model, data, 1, 20))
    mx.deploy.predict(model, tmp_path / "rows.npz", tmp_path / "one", workers=1, shard_rows=20, batch=1)
    assert contents(tmp_path / "out") == contents(tmp_path / "one")
    assert done >= 1


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_process_that_always_dies_ends_the_job(model, data, tmp_path):
    np.savez(tmp_path / "rows.npz", data=data)
    script = f"""
import os, hybridonnx as mx
class Dies:
    def __call__(self, row):
        os.kill(os.getpid(), 9)
if __name__ == "__main__":
    predictor = mx.deploy.Predictor({str(model)!r}, transform=Dies())
    mx.deploy.predict(predictor, {str(tmp_path / "rows.npz")!r}, {str(tmp_path / "out")!r}, workers=2)
"""
    (tmp_path / "script.py").write_text(script)
    result = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False
    )
    assert re.search(r"5 died one after another, the\s+last with exit code -9 at part-00000", result.stderr)


def test_the_command(model, data, tmp_path):
    np.savez(tmp_path / "rows.npz", data=data)
    options = ("--workers", "1", "--shard-rows", "50", "--batch", str(BATCH), "--json")
    result = subprocess.run(command(model, tmp_path, *options), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["rows"], report["bad"], report["shards"], report["done"]) == (ROWS, 0, 5, 0)
    _, scores = results(tmp_path / "out")
    np.testing.assert_array_equal(scores, in_session(model, data))
