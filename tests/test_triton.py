"""Repositories for Triton: what is in them, and how a real Triton serves them (scripts/test --triton)."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx.gluon import nn
from hybridonnx.gluon.data.vision import transforms
from tests import kserve_client as client

PYTHON = os.environ.get("HYBRIDONNX_TRITON", "")
CLIENT = Path(__file__).with_name("triton_client.py")
USUAL = transforms.Compose([transforms.Resize(8), transforms.ToTensor(), transforms.Normalize(0.5, 0.25)])


def network():
    mx.random.seed(5)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.GlobalAvgPool2D(), nn.Dense(6, prefix="scores_"))
    net.initialize(mx.init.Xavier())
    net(mx.nd.zeros((1, 3, 8, 8)))
    return net


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "net.onnx"
    mx.onnx.export_model(network(), path, input_shapes=[("batch", 3, 8, 8)])
    return path


def config_of(repository, name="net"):
    return (repository / name / "config.pbtxt").read_text()


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# ---- what is written


def test_a_model_is_copied_beside_its_config(path, tmp_path):
    version = mx.deploy.triton(path, tmp_path, labels=["a", "b", "c", "d", "e", 'f "g" \\'], max_delay=0.002)
    assert Path(version) == tmp_path / "net/1"
    assert files_in(tmp_path) == ["net/1/model.onnx", "net/config.pbtxt", "net/labels.txt"]
    assert (tmp_path / "net/1/model.onnx").read_bytes() == path.read_bytes()
    assert (tmp_path / "net/labels.txt").read_text().splitlines()[5] == 'f "g" \\'
    config = config_of(tmp_path)
    for line in (
        'backend: "onnxruntime"',
        "max_batch_size: 32",
        "  dims: [ 3, 8, 8 ]",
        '  label_filename: "labels.txt"',
        "  max_queue_delay_microseconds: 2000",
        '  name: "rows_32"',
        "  kind: KIND_CPU",
    ):
        assert line in config.splitlines(), config


def test_versions_follow_each_other(path, tmp_path):
    for number in (1, 2):
        assert Path(mx.deploy.triton(path, tmp_path)).name == str(number)
    assert Path(mx.deploy.triton(path, tmp_path, version=7)).name == "7"
    assert Path(mx.deploy.triton(path, tmp_path)).name == "8"
    with pytest.raises(mx.MXNetError, match="a version from 1 on that is not there is required, got 2"):
        mx.deploy.triton(path, tmp_path, version=2)
    with pytest.raises(mx.MXNetError, match=r"the same content as before is required.*replace=True"):
        mx.deploy.triton(path, tmp_path, versions="all")
    mx.deploy.triton(path, tmp_path, versions="all", replace=True)
    assert "version_policy {\n  all {\n  }\n}" in config_of(tmp_path)
    assert sorted(item.name for item in (tmp_path / "net").iterdir()) == [
        "1",
        "2",
        "7",
        "8",
        "9",
        "config.pbtxt",
    ]


def test_transforms_become_an_ensemble(path, tmp_path):
    for expected in ("1", "2"):  # the transform stays, as it is the same
        version = mx.deploy.triton(path, tmp_path, transform=USUAL, input_shapes=("batch", 12, 10, 3))
        assert Path(version) == tmp_path / "net" / expected
    assert files_in(tmp_path) == [
        "net/config.pbtxt",
        "net_model/1/model.onnx",
        "net_model/2/model.onnx",
        "net_model/config.pbtxt",
        "net_transform/1/model.onnx",
        "net_transform/config.pbtxt",
    ]
    config = config_of(tmp_path)
    assert 'platform: "ensemble"' in config
    assert "data_type: TYPE_UINT8\n  dims: [ 12, 10, 3 ]" in config
    x = np.random.default_rng(0).integers(0, 256, (2, 12, 10, 3)).astype("uint8")
    (between,) = ort.InferenceSession(tmp_path / "net_transform/1/model.onnx").run(None, {"data": x})
    (y,) = ort.InferenceSession(tmp_path / "net_model/1/model.onnx").run(None, {"data": between})
    want = network()(mx.nd.stack(*[USUAL(mx.nd.array(row, dtype="uint8")) for row in x])).asnumpy()
    np.testing.assert_allclose(y, want, rtol=1e-4, atol=1e-5)


def test_nothing_is_written_where_a_part_does_not_go(path, tmp_path):
    mx.deploy.triton(path, tmp_path, "net_model", max_batch=4)
    before = files_in(tmp_path)
    with pytest.raises(mx.MXNetError, match=r"net_model/config\.pbtxt: the same content"):
        mx.deploy.triton(path, tmp_path, "net", transform=transforms.ToTensor())
    assert files_in(tmp_path) == before


def test_weights_beside_the_file_go_with_it(tmp_path):
    big = nn.HybridSequential()
    big.add(nn.Dense(64, in_units=64))
    big.initialize()
    mx.onnx.export_model(big, tmp_path / "big.onnx", input_shapes=[("batch", 64)], external_data=True)
    (tmp_path / "big.onnx.manifest.json").unlink(missing_ok=True)
    names = files_in(tmp_path)
    assert len(names) == 2
    mx.deploy.triton(tmp_path / "big.onnx", tmp_path / "repository")
    moved = tmp_path / "repository/big/1"
    assert len(files_in(moved)) == 2
    x = np.ones((2, 64), np.float32)
    (y,) = ort.InferenceSession(moved / "model.onnx").run(None, {"data": x})
    np.testing.assert_allclose(y, big(mx.nd.array(x)).asnumpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", ["block", "files"])
def test_other_models_are_exported(kind, tmp_path):
    net = network()
    if kind == "files":
        net.hybridize()
        net(mx.nd.zeros((1, 3, 8, 8)))
        model = net.export(str(tmp_path / "saved"))[0]
        mx.deploy.triton(model, tmp_path / "r", input_shapes=[("batch", 3, 8, 8)])
        name = "saved"
    else:
        name = "block"
        mx.deploy.triton(
            net, tmp_path / "r", name, input_shapes=[("batch", 3, 8, 8)], export={"verify": True}
        )
    x = np.random.default_rng(0).standard_normal((2, 3, 8, 8)).astype(np.float32)
    (y,) = ort.InferenceSession(tmp_path / "r" / name / "1/model.onnx").run(None, {"data": x})
    np.testing.assert_allclose(y, net(mx.nd.array(x)).asnumpy(), rtol=1e-4, atol=1e-5)


def test_rows_that_know_of_each_other_are_not_batched(tmp_path):
    graph = mx.sym.softmax(mx.sym.var("data"), axis=0, name="s")
    mx.onnx.export_model(graph, {}, [("n", 4)], "float32", f"{tmp_path}/s.onnx")
    mx.deploy.triton(tmp_path / "s.onnx", tmp_path / "r")
    config = config_of(tmp_path / "r", "s")
    assert "max_batch_size: 0" in config
    assert "dims: [ -1, 4 ]" in config
    assert "dynamic_batching" not in config
    with pytest.raises(mx.MXNetError, match="a model that treats rows one by one is required with preferred"):
        mx.deploy.triton(tmp_path / "s.onnx", tmp_path / "other", preferred=[4])
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"name": "../net"}, "a model's name of letters"),
        ({"backend": "tensorflow"}, "the backend onnxruntime or python is required, got 'tensorflow'"),
        ({"max_batch": 4, "preferred": [8]}, r"preferred sizes from 1 to max_batch are required, got \[8\]"),
        ({"instances": 0}, "instances from 1 on"),
        ({"labels": ["a\nb"]}, r"labels of one line each are required for scores_fwd_output, got 'a\\nb'"),
        ({"labels": {"other": ["a"]}}, "outputs among scores_fwd_output are required, got other"),
        ({"versions": "some"}, 'versions as a number, "all" or a list'),
        ({"version": 0}, "a version from 1 on"),
        ({"export": {"opset_version": 18}}, "a model that is no ONNX file is required with export"),
    ],
)
def test_options_that_do_not_suit_are_refused(path, tmp_path, options, said):
    with pytest.raises(mx.MXNetError, match=said):
        mx.deploy.triton(path, tmp_path / "r", **options)
    assert not (tmp_path / "r").exists() or not files_in(tmp_path / "r")


def test_the_command_writes_a_repository(path, tmp_path, monkeypatch, capsys):
    from hybridonnx.cli import main

    monkeypatch.chdir(tmp_path)
    shutil.copy(path, "net.onnx")
    assert (
        main(["convert", "net.onnx", "--to", "triton", "-o", "repository", "--backend", "python", "--json"])
        == 0
    )
    files = json.loads(capsys.readouterr().out)["files"]
    assert [str(Path(file).relative_to(tmp_path)) for file in files] == ["repository/net/1"]
    assert files_in(tmp_path / "repository/net") == ["1/model.onnx", "1/model.py", "config.pbtxt"]
    assert main(["convert", "net.onnx", "--backend", "python"]) == 2
    assert main(["convert", "net.onnx", "--to", "triton", "-o", "repository", "--opset", "18"]) == 2
    assert main(["convert", "net.onnx", "--to", "triton"]) == 2
    assert main(["convert", "net.onnx", "--to", "triton", "-o", "repository", "--precision", "float16"]) == 2


WRITE = """
import sys
import hybridonnx as mx
print("begun", flush=True)
while True:
    mx.deploy.triton(sys.argv[1], sys.argv[2], max_batch=4, backend="python")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills")
@pytest.mark.parametrize("kills", [3, pytest.param(30, marks=pytest.mark.slow)])
def test_kills_leave_whole_versions(path, tmp_path, kills):
    draws = random.Random(kills)
    for _ in range(kills):
        command = [sys.executable, "-c", WRITE, str(path), str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "begun\n"
            time.sleep(draws.uniform(0.3, 1.0))
            process.kill()
        versions = [item for item in tmp_path.glob("net/*") if item.name.isdecimal()]
        for version in versions:
            assert files_in(version) == ["model.onnx", "model.py"]
            assert (version / "model.onnx").read_bytes() == path.read_bytes()
        assert not versions or "max_batch_size: 4" in config_of(tmp_path)
    mx.deploy.triton(path, tmp_path, max_batch=4, backend="python")
    assert {item.name for item in (tmp_path / "net").iterdir()} == {
        "config.pbtxt",
        *(str(number + 1) for number in range(len(versions) + 1)),
    }


# ---- what a real Triton makes of it

needs_triton = pytest.mark.skipif(
    not PYTHON, reason="Triton is in no environment: scripts/test --triton makes one"
)


@needs_triton
def test_configs_are_read_as_protobuf_reads_them(path, tmp_path):
    """By the schema that Triton's own client has, for the backend that the wheel of Triton lacks, too."""
    mx.deploy.triton(path, tmp_path, labels=['é"', "\\b", "c", "d", "e", "f"], preferred=[4, 8], gpus=[0, 1])
    mx.deploy.triton(
        path, tmp_path, "all", transform=USUAL, input_shapes=("batch", 12, 10, 3), versions=[1, 3]
    )
    configs = [str(tmp_path / name / "config.pbtxt") for name in ("net", "all", "all_model", "all_transform")]
    done = subprocess.run(
        [PYTHON, str(CLIENT), "configs", *configs], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    net, whole, model, transform = json.loads(done.stdout)
    assert net["dynamic_batching"]["preferred_batch_size"] == [4, 8]
    assert net["instance_group"] == [{"kind": "KIND_GPU", "count": 1, "gpus": [0, 1]}]
    assert [item["batch_size"] for item in net["model_warmup"]] == [1, 32]
    assert whole["version_policy"] == {"specific": {"versions": ["1", "3"]}}
    first, second = whole["ensemble_scheduling"]["step"]
    assert (first["model_name"], second["model_name"]) == (transform["name"], model["name"])
    assert second["input_map"]["data"] == first["output_map"][transform["output"][0]["name"]]


@contextmanager
def triton(repository, folder):
    """A real Triton that serves a repository, and its address."""
    site = Path(
        subprocess.run(
            [PYTHON, "-c", "import pytriton; print(pytriton.__path__[0])"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    )
    backend = shutil.copytree(site / "tritonserver/backends", folder / "backends")
    shutil.copy(
        site / "tritonserver/python_backend_stubs/3.11/triton_python_backend_stub", backend / "python"
    )
    libraries = subprocess.run(
        [PYTHON, "-c", "import sysconfig; print(sysconfig.get_config_var('LIBDIR'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    ports = free_ports(2)
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": f"{site.parent / 'nvidia_pytriton.libs'}:{libraries}",
        "PATH": f"{Path(PYTHON).parent}:{os.environ['PATH']}",
    }
    command = [str(site / "tritonserver/bin/tritonserver"), f"--model-repository={repository}"]
    command += [f"--backend-directory={backend}", "--allow-grpc=false", "--http-address=127.0.0.1"]
    command += [f"--http-port={ports[0]}", f"--metrics-port={ports[1]}"]
    with (
        open(folder / "log", "w") as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log) as process,
    ):
        try:
            address = f"127.0.0.1:{ports[0]}"
            wait_until_ready(process, address, folder / "log")
            yield address
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [item.getsockname()[1] for item in sockets]
    for item in sockets:
        item.close()
    return ports


def wait_until_ready(process, address, log):
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        try:
            if client.exchange(address, "GET", "/v2/health/ready")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.2)
    raise AssertionError(log.read_text()[-5000:])


@pytest.fixture(scope="module")
def served(path, tmp_path_factory):
    """The address of a Triton with some models, and of a server of ours with one of them."""
    folder = tmp_path_factory.mktemp("triton")
    repository = folder / "repository"
    common = {"backend": "python", "threads": 1}
    mx.deploy.triton(path, repository, "net", labels=list("abcdef"), max_delay=0.5, preferred=[7], **common)
    mx.deploy.triton(path, repository, "alone", max_batch=0, **common)
    mx.deploy.triton(
        path, repository, "pictures", transform=USUAL, input_shapes=("batch", 12, 10, 3), **common
    )
    for kind in KINDS:
        mx.deploy.triton(identity(folder / f"{kind}.onnx", kind), repository, **common)
    for value in (1, 2):
        mx.deploy.triton(
            table(folder / "table.onnx", value), repository, versions="all", max_delay=0.5, **common
        )
    (repository / "net" / ".scratch.begun").mkdir()  # what a writer in the middle of it has there
    with triton(repository, folder) as address:
        yield address


KINDS = {
    "bool": np.array([[True, False, True]]),
    "int64": np.array([[-(2**63), 2**63 - 1, 0]], np.int64),
    "float16": np.array([[0.1, -65504, 6e-8]], np.float16),
    "string": np.array([["", "é漢", "x" * 300]], object),
}


def identity(path, kind):
    number = {"string": onnx.TensorProto.STRING}.get(kind) or onnx.helper.np_dtype_to_tensor_dtype(
        np.dtype(kind)
    )
    node = onnx.helper.make_node("Identity", ["x"], ["y"])
    inputs, outputs = ([onnx.helper.make_tensor_value_info(name, number, ("n", 3))] for name in ("x", "y"))
    return saved(onnx.helper.make_graph([node], "g", inputs, outputs), path)


def table(path, value):
    """A model that takes indices below 5, and gives ten times of each, and `value`."""
    rows = onnx.numpy_helper.from_array(np.arange(5, dtype=np.float32) * 10 + value, "table")
    node = onnx.helper.make_node("Gather", ["table", "x"], ["y"])
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.INT64, ("n", 1))
    y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ("n", 1))
    return saved(onnx.helper.make_graph([node], "g", [x], [y], [rows]), path)


def saved(graph, path):
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)]), path)
    return path


def drawn(rows, seed=0):
    return np.random.default_rng(seed).standard_normal((rows, 3, 8, 8)).astype(np.float32)


def ask(address, folder, model, **arrays):
    """The outputs that tritonclient gets for requests, each an array of an .npz file."""
    np.savez(folder / "in.npz", **arrays)
    done = subprocess.run(
        [PYTHON, str(CLIENT), "infer", address, model, str(folder / "in.npz"), str(folder / "out.npz")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with np.load(folder / "out.npz") as file:
        return dict(file), json.loads(done.stdout)


@pytest.mark.slow
@needs_triton
@pytest.mark.parametrize("model", ["net", "alone"])
def test_answers_of_triton_are_those_of_a_bare_session(served, path, tmp_path, model):
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    requests = {f"r{rows}": drawn(rows) for rows in (1, 2, 7)}
    answers, _ = ask(served, tmp_path, model, **requests)
    for name, x in requests.items():
        np.testing.assert_allclose(answers[name], session.run(None, {"data": x})[0], rtol=1e-6, atol=1e-7)


@pytest.mark.slow
@needs_triton
def test_an_ensemble_transforms_and_predicts(served, path, tmp_path):
    x = np.random.default_rng(0).integers(0, 256, (3, 12, 10, 3)).astype("uint8")
    answers, _ = ask(served, tmp_path, "pictures", r=x)
    rows = [USUAL(mx.nd.array(row, dtype="uint8")) for row in x]
    want = network()(mx.nd.stack(*rows)).asnumpy()
    np.testing.assert_allclose(answers["r"], want, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@needs_triton
@pytest.mark.parametrize("count", [1, 2, 7])
def test_triton_puts_requests_together(served, tmp_path, count):
    before = batches(served)
    requests = {f"r{i}": drawn(1, i) for i in range(count)}
    answers, _ = ask(served, tmp_path, "net", together=np.array(1), **requests)
    assert len(answers) == count
    new = {size: times - before.get(size, 0) for size, times in batches(served).items()}
    assert {size: times for size, times in new.items() if times} == {count: 1}


def batches(address):
    (told,) = client.get(address, "/v2/models/net/stats")[1]["model_stats"]
    return {item["batch_size"]: item["compute_infer"]["count"] for item in told["batch_stats"]}


@pytest.mark.slow
@needs_triton
def test_labels_are_told(served, tmp_path):
    answers, told = ask(served, tmp_path, "net", classes=np.array(2), r=drawn(1))
    assert answers["r"].shape == (1, 2)
    _, index, label = answers["r"][0, 0].decode().split(":")
    assert (label, told["inputs"][0]["shape"]) == ("abcdef"[int(index)], [-1, 3, 8, 8])


@pytest.mark.slow
@needs_triton
@pytest.mark.parametrize("kind", KINDS)
def test_every_type_goes_through_triton(served, kind):
    (y,) = client.infer(served, kind, {"x": KINDS[kind]}).values()
    np.testing.assert_array_equal(y, KINDS[kind])


def looked_up(address, indices, version=""):
    """The status of a request for each of some indices, all at once, and what it gives."""

    def one(index):
        body, headers = client.written({"x": np.array([[index]])})
        path = f"/v2/models/table{version}/infer"
        status, headers, body = client.exchange(address, "POST", path, body, headers)
        return status, client.read(headers, body)["y"].item() if status == 200 else None

    with ThreadPoolExecutor(len(indices)) as pool:
        return list(pool.map(one, indices))


@pytest.mark.slow
@needs_triton
def test_all_versions_are_served(served):
    assert looked_up(served, [3], "/versions/1") == [(200, 31.0)]
    assert looked_up(served, [3], "/versions/2") == looked_up(served, [3]) == [(200, 32.0)]


@pytest.mark.slow
@needs_triton
@pytest.mark.parametrize("server", ["Triton", "ours"])
def test_the_fault_of_a_request_is_that_of_no_other(served, tmp_path, server):
    """One of three that are a batch asks for what is not in the table."""
    batches = mx.deploy.Batches(3, delay=0.5)
    path = table(tmp_path / "table.onnx", 2)
    with mx.deploy.Server(path, port=0, batches=batches, threads=1, drain=0) as running:
        address = served if server == "Triton" else running.address
        first, second, third = looked_up(address, [1, 77, 4])
    assert (first, third) == ((200, 12.0), (200, 42.0))
    assert second[0] in ((400, 500) if server == "Triton" else (400,))


@pytest.mark.slow
@needs_triton
@pytest.mark.parametrize("packed", ["", "gzip", "deflate"])
def test_tritons_client_is_ours(path, tmp_path, packed):
    """tritonclient asks the own server: metadata, health, binary data, statistics, compression."""
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    batches = mx.deploy.Batches(7, delay=5.0)
    with mx.deploy.Server(path, port=0, batches=batches, threads=1, drain=0) as server:
        requests = {f"r{i}": drawn(1, i) for i in range(7)}
        answers, told = ask(
            server.address, tmp_path, "net", together=np.array(1), packed=np.array(packed), **requests
        )
        (statistics,) = client.get(server.address, "/v2/models/net/stats")[1]["model_stats"]
    assert [item["batch_size"] for item in statistics["batch_stats"]] == [7]
    assert told["name"] == "net"
    for name, x in requests.items():
        np.testing.assert_allclose(answers[name], session.run(None, {"data": x})[0], rtol=1e-5, atol=1e-6)
