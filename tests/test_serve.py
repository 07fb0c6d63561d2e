"""The own server: answers are a bare session's, requests become batches, and strangers do it no harm."""

from __future__ import annotations

import gzip
import json
import random
import re
import signal
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import hybridonnx as mx
from hybridonnx.deploy.batcher import Batcher
from hybridonnx.gluon import nn
from tests import kserve_client as client
from tests.malformed_requests import malformed

INFER = "/v2/models/net/infer"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("models")
    mx.random.seed(5)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.GlobalAvgPool2D(), nn.Dense(6, prefix="scores_"))
    net.initialize(mx.init.Xavier())
    mx.onnx.export_model(net, path / "net.onnx", input_shapes=[("batch", 3, 8, 8)])
    return path


@pytest.fixture(scope="module")
def server(folder):
    limits = mx.deploy.Limits(request_bytes=1 << 20, json_bytes=1 << 19, rows=100, seconds=2.0)
    with mx.deploy.Server(folder / "net.onnx", port=0, limits=limits, threads=1, drain=0) as running:
        yield running


@pytest.fixture(scope="module")
def bare(folder):
    session = ort.InferenceSession(folder / "net.onnx", providers=["CPUExecutionProvider"])
    return lambda x: session.run(None, {"data": x})[0]


def drawn(rows, seed=0):
    return np.random.default_rng(seed).standard_normal((rows, 3, 8, 8)).astype(np.float32)


# ---- what is answered


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("rows", [1, 2, 7, 50])
def test_answers_are_those_of_a_bare_session(server, bare, rows, binary):
    (y,) = client.infer(server.address, "net", {"data": drawn(rows)}, binary).values()
    np.testing.assert_array_equal(y, bare(drawn(rows)))


def test_nested_data_and_outputs_by_name(server, bare):
    request = {
        "id": "seven",
        "inputs": [{"name": "data", "shape": [2, 3, 8, 8], "datatype": "FP32", "data": drawn(2).tolist()}],
        "outputs": [{"name": "scores_fwd_output", "parameters": {"binary_data": True}}],
    }
    status, headers, body = client.exchange(server.address, "POST", INFER, json.dumps(request).encode())
    assert (status, json.loads(body[: int(headers[client.LENGTH])])["id"]) == (200, "seven")
    np.testing.assert_array_equal(client.read(headers, body)["scores_fwd_output"], bare(drawn(2)))


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_requests(server, bare, encoding):
    import zlib

    body, headers = client.written({"data": drawn(3)})
    packed = gzip.compress(body) if encoding == "gzip" else zlib.compress(body)
    status, headers, body = client.exchange(
        server.address, "POST", INFER, packed, {**headers, "Content-Encoding": encoding}
    )
    assert status == 200
    np.testing.assert_array_equal(client.read(headers, body)["scores_fwd_output"], bare(drawn(3)))


def test_what_it_tells_of_itself(server):
    assert client.get(server.address, "/v2/health/live") == (200, {"live": True})
    assert client.get(server.address, "/v2/health/ready") == (200, {"ready": True})
    assert client.get(server.address, "/v2")[1]["name"] == "hybridonnx"
    for path in ("/v2/models/net", "/v2/models/net/versions/1"):
        assert client.get(server.address, path)[1] == {
            "name": "net",
            "versions": ["1"],
            "platform": "onnxruntime_onnx",
            "inputs": [{"name": "data", "datatype": "FP32", "shape": [-1, 3, 8, 8]}],
            "outputs": [{"name": "scores_fwd_output", "datatype": "FP32", "shape": [-1, 6]}],
        }
    assert client.get(server.address, "/v2/models/net/ready") == (200, {"name": "net", "ready": True})
    for path in ("/v2/models/other", "/v2/models/net/versions/2", "/v3", "/v2/models/net/infer/more"):
        status, said = client.get(server.address, path)
        assert (status, list(said)) == (404, ["error"])
    assert client.get(server.address, INFER)[0] == 405


def test_metrics_and_statistics_count(server):
    def counted():
        _, _, text = client.exchange(server.address, "GET", "/metrics")
        (count,) = re.findall(r'hybridonnx_rows_total\{model="net"\} (\S+)', text.decode())
        return float(count)

    client.infer(server.address, "net", {"data": drawn(1)})
    before, told = counted(), client.get(server.address, "/v2/models/net/stats")[1]["model_stats"][0]
    client.infer(server.address, "net", {"data": drawn(5)})
    after = client.get(server.address, "/v2/models/net/stats")[1]["model_stats"][0]
    assert counted() - before == after["inference_count"] - told["inference_count"] == 5
    assert after["execution_count"] - told["execution_count"] == 1


def graph_of(path, kind, shape=("n", 3), outputs=1):
    info = onnx.helper.make_tensor_value_info
    number = {"string": onnx.TensorProto.STRING}.get(kind) or onnx.helper.np_dtype_to_tensor_dtype(
        np.dtype(kind)
    )
    node = onnx.helper.make_node("Identity", ["x"], ["y"])
    graph = onnx.helper.make_graph([node], "g", [info("x", number, shape)], [info("y", number, shape)])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)]), path)
    return path


KINDS = {
    "bool": np.array([[True, False, True]]),
    "uint8": np.array([[0, 255, 7]], np.uint8),
    "int32": np.array([[-(2**31), 2**31 - 1, 0]], np.int32),
    "int64": np.array([[-(2**63), 2**63 - 1, 0]], np.int64),
    "float16": np.array([[0.1, -65504, 6e-8]], np.float16),
    "float64": np.array([[0.1, 1e308, 5e-324]]),
    "string": np.array([["", "é漢", "x" * 300]], object),
}


def test_every_type_goes_there_and_back(tmp_path):
    models = {kind: graph_of(tmp_path / f"{kind}.onnx", kind) for kind in KINDS}
    models["scalar"] = graph_of(tmp_path / "scalar.onnx", "float32", ())
    with mx.deploy.Server(models, port=0, threads=1, drain=0) as running:
        for binary in (True, False):
            for kind, x in {**KINDS, "scalar": np.array(2.5, np.float32)}.items():
                (y,) = client.infer(running.address, kind, {"x": x}, binary).values()
                assert y.dtype == x.dtype
                np.testing.assert_array_equal(y, x)
            body, headers = client.written({"x": KINDS["float64"] * np.array([[np.inf, 1, 1]])}, binary)
            status, _, _ = client.exchange(running.address, "POST", "/v2/models/float64/infer", body, headers)
            assert status == (200 if binary else 400)


@pytest.mark.parametrize("shape", [None, (0, 3)])
def test_models_of_mxnet_are_served_if_they_tell_their_shapes(tmp_path, shape):
    x, w = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32), np.eye(3, dtype=np.float32)
    net = mx.sym.FullyConnected(mx.sym.var("data", shape=shape), mx.sym.var("w"), no_bias=True, num_hidden=3)
    net.save(str(tmp_path / "net-symbol.json"))
    mx.nd.save(str(tmp_path / "net-0000.params"), {"arg:w": mx.nd.array(w * 3)})
    if shape is None:
        with pytest.raises(
            mx.MXNetError, match="a model that tells its shapes is required, got none of data"
        ):
            mx.deploy.Server(tmp_path / "net-symbol.json")
        return
    with mx.deploy.Server({"native": tmp_path / "net-symbol.json"}, port=0, threads=1, drain=0) as running:
        assert client.get(running.address, "/v2/models/native")[1]["inputs"][0]["shape"] == [-1, 3]
        (y,) = client.infer(running.address, "native", {"data": x}).values()
    np.testing.assert_allclose(y, x * 3, rtol=1e-6)


def test_answers_are_sent_at_once(server):
    """Not in 40 ms, when the client has told of what came before: asyncio asks what a socket says it is."""
    assert server._socket.proto == socket.IPPROTO_TCP


# ---- batches


class Gate:
    """A model that waits until it may run, and notes the rows of its batches."""

    def __init__(self):
        self.open, self.begun, self.rows = threading.Event(), threading.Event(), []

    def __call__(self, arrays):
        self.begun.set()
        assert self.open.wait(30)
        self.rows.append(len(arrays["x"]))
        if (arrays["x"] < 0).any():
            raise mx.MXNetError("negative")
        return {"y": arrays["x"] * 2}


@pytest.mark.parametrize("count", [1, 2, 7])
def test_what_comes_while_the_model_works_is_one_batch(count):
    gate = Gate()
    batcher = Batcher(gate, 8)
    first = batcher.submit({"x": np.ones((3, 2))})
    gate.begun.wait()
    others = [batcher.submit({"x": np.full((1, 2), i)}) for i in range(count)]
    gate.open.set()
    np.testing.assert_array_equal(first.result()["y"], np.full((3, 2), 2.0))
    for i, other in enumerate(others):
        np.testing.assert_array_equal(other.result()["y"], np.full((1, 2), 2.0 * i))
    batcher.close()
    assert gate.rows == [3, count]


def test_batches_are_of_one_form_and_no_larger_than_told():
    gate = Gate()
    batcher = Batcher(gate, 4)
    first = batcher.submit({"x": np.ones((1, 2))})
    gate.begun.wait()
    sizes = [(2, 2), (1, 5), (1, 2), (3, 2), (9, 2)]
    others = [batcher.submit({"x": np.ones(size)}) for size in sizes]
    gate.open.set()
    assert first.result()["y"].shape == (1, 2)
    assert [other.result()["y"].shape for other in others] == sizes
    batcher.close()
    assert gate.rows == [1, 3, 1, 3, 9]


def test_the_fault_of_a_request_is_that_of_no_other():
    gate = Gate()
    batcher = Batcher(gate, 8)
    first = batcher.submit({"x": np.ones((1, 2))})
    gate.begun.wait()
    others = [batcher.submit({"x": np.full((1, 2), x)}) for x in (1.0, -1.0, 2.0)]
    gate.open.set()
    assert first.result()["y"][0, 0] == 2
    assert others[0].result()["y"][0, 0] == 2
    assert others[2].result()["y"][0, 0] == 4
    with pytest.raises(mx.MXNetError, match="negative"):
        others[1].result()
    batcher.close()
    with pytest.raises(mx.MXNetError, match="got one that has ended"):
        batcher.submit({"x": np.ones((1, 2))})


@pytest.mark.parametrize("count", [1, 2, 7])
def test_requests_that_come_at_once_are_one_batch(folder, bare, count):
    batches = mx.deploy.Batches(count, delay=5.0)
    with (
        mx.deploy.Server(folder / "net.onnx", port=0, batches=batches, threads=1, drain=0) as running,
        ThreadPoolExecutor(count) as pool,
    ):
        begin = time.monotonic()
        asked = [
            pool.submit(client.infer, running.address, "net", {"data": drawn(1, i)}) for i in range(count)
        ]
        for i, answer in enumerate(asked):
            np.testing.assert_allclose(answer.result()["scores_fwd_output"], bare(drawn(1, i)), 1e-5, 1e-6)
        assert time.monotonic() - begin < 5  # a batch that is full does not wait
        (told,) = client.get(running.address, "/v2/models/net/stats")[1]["model_stats"]
    assert [(item["batch_size"], item["compute_infer"]["count"]) for item in told["batch_stats"]] == [
        (count, 1)
    ]


def test_rows_that_know_of_each_other_are_not_batched(tmp_path):
    mx.onnx.export_model(
        mx.sym.softmax(mx.sym.var("data"), axis=0, name="s"), {}, [("n", 4)], "float32", f"{tmp_path}/s.onnx"
    )
    server = mx.deploy.Server(tmp_path / "s.onnx", port=0, drain=0)
    assert server.models["s"].most == 0
    assert server.models["s"].fault == "output s_output gives other numbers for rows together than for each"
    server.stop()
    with pytest.raises(mx.MXNetError, match="whose first size is free are required for batches"):
        mx.deploy.Server(graph_of(tmp_path / "f.onnx", "float32", (2, 3)), batches=mx.deploy.Batches(4))


# ---- what is refused


@pytest.mark.parametrize(("name", "request_of"), malformed().items(), ids=list(malformed()))
def test_malformed_requests_are_refused(server, name, request_of):
    body, headers, said = request_of(drawn(2))
    before = client.get(server.address, "/v2/models/net/stats")
    status, _, answer = client.exchange(server.address, "POST", INFER, body, headers)
    assert 400 <= status < 500, answer
    assert re.search(said, json.loads(answer)["error"]), answer
    assert client.get(server.address, "/v2/models/net/stats") == before  # the model never saw it


def head(more="", path=INFER):
    return f"POST {path} HTTP/1.1\r\nHost: x\r\n{more}\r\n".encode()


@pytest.mark.parametrize(
    ("data", "half_closed", "status"),
    [
        (b"\x00\x01\x02\x03\r\n\r\n", False, 400),
        (b"GET / HTTP/9\r\n\r\n", False, 400),
        (head("Content-Length: 9\r\n") + b"{", True, 400),
        (head("Content-Length: 9\r\n")[:-9], True, 400),
        (head("Content-Length: 9\r\n") + b"{", False, 408),
        (head("Content-Length: 99999999999\r\n"), False, 413),
        (head("Content-Length: -1\r\n"), False, 400),
        (head("Content-Length: 1" + "0" * 5000 + "\r\n"), False, 400),
        (head("Transfer-Encoding: chunked\r\n") + b"zz\r\n", False, 400),
        (head("Transfer-Encoding: chunked\r\n") + b"10000\r\n" + b" " * 65536 + b"\r\n10000\r\n", True, 400),
        (head("Transfer-Encoding: chunked\r\n") + (b"40000\r\n" + b" " * 0x40000 + b"\r\n") * 5, False, 413),
        (head("X: " + "x" * 100_000 + "\r\n"), False, 400),
        (head("Content-Length: 0\r\n"), True, 400),
        (head("Content-Length: 0\r\n", "/v2/models/%ff%00/infer"), False, 404),
        (head("Content-Length: 0\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"), False, 400),
    ],
)
def test_what_is_no_request_is_refused(server, data, half_closed, status):
    assert client.status_of(server.address, data, half_closed) == status
    assert client.get(server.address, "/v2/health/ready")[0] == 200


def test_half_closed_connections_get_their_answers(server):
    body, headers = client.written({"data": drawn(1)})
    lines = "".join(
        f"{name}: {value}\r\n" for name, value in {**headers, "Content-Length": len(body)}.items()
    )
    assert client.status_of(server.address, head(lines) + body, half_closed=True) == 200


def test_connections_without_a_request_end(folder, monkeypatch):
    from hybridonnx.deploy import http_server

    monkeypatch.setattr(http_server, "_GRACE", 0.1)
    limits = mx.deploy.Limits(seconds=0.3)
    with mx.deploy.Server(folder / "net.onnx", port=0, limits=limits, threads=1, drain=0) as running:
        for data in (b"", b"POST "):
            begin = time.monotonic()
            assert client.status_of(running.address, data) == 0
            assert time.monotonic() - begin < 10


def test_clients_that_do_not_read_keep_nothing(tmp_path, monkeypatch):
    """An answer of 40 MB is not read: its connection ends in time, and so does the server."""
    from hybridonnx.deploy import http_server

    monkeypatch.setattr(http_server, "_GRACE", 0.1)
    wide = mx.sym.broadcast_mul(mx.sym.var("data"), mx.sym.var("w"))
    params = {"w": mx.nd.ones((1, 100_000))}
    mx.onnx.export_model(wide, params, [("n", 1)], "float32", str(tmp_path / "wide.onnx"))
    limits = mx.deploy.Limits(seconds=0.5)
    with mx.deploy.Server(tmp_path / "wide.onnx", port=0, limits=limits, threads=1, drain=0) as running:
        body, headers = client.written({"data": np.ones((100, 1), np.float32)})
        told = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        data = head(f"{told}Content-Length: {len(body)}\r\n", "/v2/models/wide/infer") + body
        host, port = running.address.split(":")
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall(data)
            while not running.accepted:
                time.sleep(0.01)
            time.sleep(1.5)
            read = 0
            with suppress(ConnectionResetError):
                while part := connection.recv(1 << 20):
                    read += len(part)
            assert read < 40_000_000
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall(data)
            while running.accepted < 2:
                time.sleep(0.01)
            begin = time.monotonic()
            running.stop()
            assert time.monotonic() - begin < 10


def test_there_are_no_more_connections_than_told(folder, monkeypatch):
    from hybridonnx.deploy import http_server

    monkeypatch.setattr(http_server, "_SPARE", 0)
    limits = mx.deploy.Limits(requests=2)
    with (
        mx.deploy.Server(folder / "net.onnx", port=0, limits=limits, threads=1, drain=0) as running,
        ExitStack() as stack,
    ):
        host, port = running.address.split(":")
        for _ in range(4):
            stack.enter_context(socket.create_connection((host, int(port)), timeout=30))
        with socket.create_connection((host, int(port)), timeout=30) as more, suppress(ConnectionResetError):
            assert more.recv(1) == b""
        stack.close()
        assert client.get(running.address, "/v2/health/live")[0] == 200


def test_more_bytes_than_told_are_put_off(folder):
    limits = mx.deploy.Limits(all_bytes=2000)
    with mx.deploy.Server(folder / "net.onnx", port=0, limits=limits, threads=1, drain=0) as running:
        for rows, status in ((1, 200), (4, 503), (1, 200)):
            body, headers = client.written({"data": drawn(rows)})
            assert client.exchange(running.address, "POST", INFER, body, headers)[0] == status


def test_more_requests_than_told_are_put_off(folder):
    batches, limits = mx.deploy.Batches(2, delay=3.0), mx.deploy.Limits(requests=1)
    with (
        mx.deploy.Server(
            folder / "net.onnx", port=0, batches=batches, limits=limits, threads=1, drain=0
        ) as running,
        ThreadPoolExecutor(1) as pool,
    ):
        first = pool.submit(client.infer, running.address, "net", {"data": drawn(1)})
        while not running.accepted:
            time.sleep(0.01)
        body, headers = client.written({"data": drawn(1)})
        status, headers, _ = client.exchange(running.address, "POST", INFER, body, headers)
        assert (status, headers["Retry-After"]) == (503, "1")
        assert first.result()["scores_fwd_output"].shape == (1, 6)


def test_options_that_cannot_be_meant_are_refused(folder, monkeypatch):
    path = folder / "net.onnx"
    for options, said in (
        ({"limits": mx.deploy.Limits(rows=0)}, "rows greater than 0 is required, got 0"),
        ({"batches": mx.deploy.Batches(-1)}, "batch and delay from 0 on"),
        ({"models": {"a/b": path}}, "a model's name of letters.*got 'a/b'"),
        ({"models": {}}, "got none"),
        ({"models": folder / "no.onnx"}, "no.onnx"),
    ):
        with pytest.raises(mx.MXNetError, match=said):
            mx.deploy.Server(**{"models": path, **options})
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "hybridonnx.deploy.http_server", raising=False)
    monkeypatch.delattr("hybridonnx.deploy.http_server", raising=False)
    with pytest.raises(mx.MXNetError, match=r"uvicorn is required.*hybridonnx\[serve\]"):
        mx.deploy.Server(path)


def test_a_server_serves_once(folder):
    threads = threading.active_count()
    server = mx.deploy.Server(folder / "net.onnx", port=0, threads=1, drain=0)
    with server:
        address, port = server.address, int(server.address.rsplit(":", 1)[1])
        with (
            pytest.raises(mx.MXNetError, match="already in use"),
            mx.deploy.Server(folder / "net.onnx", port=port, threads=1),
        ):
            pass
    assert server.address == address
    with pytest.raises(mx.MXNetError, match="a server that has not ended is required"):
        server.start()
    with pytest.raises(mx.MXNetError, match=r"no\.onnx"):
        mx.deploy.Server({"net": folder / "net.onnx", "other": folder / "no.onnx"})
    mx.deploy.Server(folder / "net.onnx", port=0).stop()
    assert threading.active_count() <= threads


# ---- how it ends


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGTERM")
@pytest.mark.parametrize("drain", ["0", "0.5"])
def test_the_end_loses_no_request_that_was_taken(folder, bare, drain):
    """Clients ask all the time, on connections that stay and on new ones; each answer is whole and right."""
    with client.server(folder / "net.onnx", "--drain", drain) as (process, address):
        require_no_loss(process, address, bare(drawn(2)))


def require_no_loss(process, address, want):
    answers, stopped, broken = [], threading.Event(), []

    def ask(stays):
        import http.client

        connection = http.client.HTTPConnection(address, timeout=30)
        body, headers = client.written({"data": drawn(2)})
        while not stopped.is_set():
            try:
                connection.request("POST", INFER, body, headers)
                answer = connection.getresponse()
            except OSError:  # http.client's RemoteDisconnected is one: no byte of an answer came
                connection.close()
                if not stopped.wait(0.001) and process.poll() is not None:
                    return
                continue
            except http.client.HTTPException as exc:
                broken.append(exc)
                return
            answers.append((answer.status, answer.headers, answer.read()))
            if not stays:
                connection.close()

    threads = [threading.Thread(target=ask, args=(i % 2 == 0,)) for i in range(8)]
    for thread in threads:
        thread.start()
    while len(answers) < 100:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=30)
    stopped.set()
    for thread in threads:
        thread.join()
    assert (process.returncode, errors) == (0, "")
    assert not broken
    assert {status for status, _, _ in answers} == {200}
    for _, headers, body in answers:
        np.testing.assert_allclose(client.read(headers, body)["scores_fwd_output"], want, 1e-5, 1e-6)
    assert json.loads(output)["requests"] == len(answers)


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGTERM")
def test_while_it_ends_it_is_not_ready_and_still_answers(folder, bare):
    with client.server(folder / "net.onnx", "--drain", "60") as (process, address):
        process.send_signal(signal.SIGTERM)
        while client.get(address, "/v2/health/ready")[0] == 200:
            time.sleep(0.02)
        assert client.get(address, "/v2/health/live")[0] == 200
        assert client.exchange(address, "GET", "/v2")[1]["Connection"] == "close"
        (y,) = client.infer(address, "net", {"data": drawn(1)}).values()
        np.testing.assert_array_equal(y, bare(drawn(1)))
        process.send_signal(signal.SIGINT)  # who has seen enough
        assert process.wait(30) == 0


def test_a_command_that_cannot_serve_says_why(folder, capsys):
    from hybridonnx.cli import main

    assert main(["serve", f"a={folder}/net.onnx", f"a={folder}/net.onnx"]) == 2
    assert "a name for each model is required" in capsys.readouterr().err
    with mx.deploy.Server(folder / "net.onnx", port=0, threads=1, drain=0) as running:
        port = running.address.rsplit(":", 1)[1]
        assert main(["serve", f"{folder}/net.onnx", "--port", port]) == 3
    assert "already in use" in capsys.readouterr().err


# ---- many at once


@pytest.mark.parametrize("count", [400, pytest.param(10_000, marks=pytest.mark.slow)])
def test_many_malformed_requests_change_nothing(server, bare, count):
    draws, kinds = random.Random(count), list(malformed().values())
    before = client.get(server.address, "/v2/models/net/stats")
    threads, seen = threading.active_count(), set()

    def one(seed):
        rng = random.Random(seed)
        body, headers, _ = rng.choice(kinds)(drawn(rng.randint(1, 3)))
        if rng.random() < 0.3 and body:  # some of them changed once more
            place = rng.randrange(min(len(body), 300))
            body = body[:place] + bytes([rng.randrange(256)]) + body[place + 1 :]
        return client.exchange(server.address, "POST", INFER, body, headers)[0]

    with ThreadPoolExecutor(4) as pool:
        seen = set(pool.map(one, [draws.random() for _ in range(count)]))
    assert all(400 <= status < 500 for status in seen), seen
    assert client.get(server.address, "/v2/models/net/stats") == before
    assert threading.active_count() <= threads + 40  # those of the pool for large requests stay
    (y,) = client.infer(server.address, "net", {"data": drawn(2)}).values()
    np.testing.assert_array_equal(y, bare(drawn(2)))
