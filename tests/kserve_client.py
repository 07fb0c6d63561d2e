"""A client of the protocol of KServe v2, made of Python's own HTTP alone, and our server in a process."""

from __future__ import annotations

import http.client
import json
import re
import socket
import subprocess
import sys
from contextlib import closing, contextmanager

import numpy as np

DATATYPES = {
    "bool": "BOOL",
    "uint8": "UINT8",
    "int32": "INT32",
    "int64": "INT64",
    "float16": "FP16",
    "float32": "FP32",
    "float64": "FP64",
    "object": "BYTES",
}
DTYPES = {datatype: dtype for dtype, datatype in DATATYPES.items()}
LENGTH = "Inference-Header-Content-Length"


@contextmanager
def server(path, *options):
    """Our server in a process of its own, with one thread, and its address."""
    words = ["serve", str(path), "--port", "0", "--threads", "1", "--json", *options]
    command = [sys.executable, "-m", "hybridonnx", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stderr:
                if found := re.search(r"at http://(\S+) until", line):
                    yield process, found[1]
                    return
            raise AssertionError("the server did not start")
        finally:
            process.kill()


def exchange(address, method, path, body=b"", headers=None):
    """The status, the headers and the body of an answer."""
    with closing(http.client.HTTPConnection(address, timeout=60)) as connection:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()


def get(address, path):
    """The status of an answer, and what its JSON says."""
    status, _, body = exchange(address, "GET", path)
    return status, json.loads(body)


def raw(array):
    """An array's bytes."""
    if array.dtype != object:
        return array.tobytes()
    texts = [text.encode() for text in array.reshape(-1)]
    return b"".join(len(text).to_bytes(4, "little") + text for text in texts)


def written(arrays, binary=True, **more):
    """A request's body and headers."""
    inputs, parts = [], []
    for name, array in arrays.items():
        item = {"name": name, "shape": list(array.shape), "datatype": DATATYPES[str(array.dtype)]}
        if binary:
            parts.append(raw(array))
            item["parameters"] = {"binary_data_size": len(parts[-1])}
        else:
            item["data"] = np.atleast_1d(array).tolist()
        inputs.append(item)
    told = {"inputs": inputs, "parameters": {"binary_data_output": binary}, **more}
    text = json.dumps(told).encode()
    return b"".join([text, *parts]), {LENGTH: str(len(text))} if binary else {}


def read(headers, body):
    """The outputs of an answer."""
    length = int(headers.get(LENGTH, len(body)))
    told, rest = json.loads(body[:length]), body[length:]
    outputs = {}
    for item in told["outputs"]:
        dtype, shape = np.dtype(DTYPES[item["datatype"]]), item["shape"]
        size = item.get("parameters", {}).get("binary_data_size")
        if size is None:
            outputs[item["name"]] = np.array(item["data"], dtype).reshape(shape)
            continue
        data, rest = rest[:size], rest[size:]
        outputs[item["name"]] = (
            texts(data) if item["datatype"] == "BYTES" else np.frombuffer(data, dtype)
        ).reshape(shape)
    assert not rest
    return outputs


def texts(data):
    """Texts behind their lengths."""
    found = []
    while data:
        size = int.from_bytes(data[:4], "little")
        found.append(data[4 : 4 + size].decode())
        data = data[4 + size :]
    return np.array(found, object)


def infer(address, model, arrays, binary=True, **more):
    """The outputs for some inputs."""
    body, headers = written(arrays, binary, **more)
    status, headers, body = exchange(address, "POST", f"/v2/models/{model}/infer", body, headers)
    assert status == 200, body
    return read(headers, body)


def status_of(address, data, half_closed=False):
    """The status of the answer to raw bytes; 0 if the connection ends without one."""
    host, port = address.rsplit(":", 1)
    with closing(socket.create_connection((host, int(port)), timeout=60)) as connection:
        try:
            connection.sendall(data)
            if half_closed:
                connection.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server has seen enough; its answer may be here
        try:
            begin = b""
            while len(begin) < 12:
                part = connection.recv(4096)
                if not part:
                    break
                begin += part
        except ConnectionResetError:
            return 0
    return int(begin[9:12]) if len(begin) >= 12 else 0
