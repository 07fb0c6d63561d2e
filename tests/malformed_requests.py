"""Requests that no server may answer: functions of an array to a body, headers, and what the error says."""

from __future__ import annotations

import gzip
import json
import zlib

from tests.kserve_client import LENGTH, written


def _changed(**changes):
    """A request whose only input is other than it should be."""

    def make(x):
        item = {"name": "data", "shape": list(x.shape), "datatype": "FP32", "data": x.ravel().tolist()}
        item.update({name: value(x) if callable(value) else value for name, value in changes.items()})
        return json.dumps({"inputs": [item]}).encode(), {}

    return make


def _binary(change):
    """A request in binary form whose document, or bytes, are changed."""

    def make(x):
        body, headers = written({"data": x})
        length = int(headers[LENGTH])
        told, data = json.loads(body[:length]), body[length:]
        told, data = change(told, data)
        text = json.dumps(told).encode()
        return text + data, {LENGTH: str(len(text))}

    return make


def _sized(size):
    def change(told, data):
        told["inputs"][0]["parameters"]["binary_data_size"] = size
        return told, data

    return _binary(change)


def _with(body, **headers):
    return lambda x: (body, {name.replace("_", "-"): value for name, value in headers.items()})


def _valid(x):
    return written({"data": x})[0]


def _document(**changes):
    def make(x):
        item = {"name": "data", "shape": list(x.shape), "datatype": "FP32", "data": x.ravel().tolist()}
        return json.dumps({"inputs": [item], **changes}).encode(), {}

    return make


_KINDS = {
    "nothing": (_with(b""), "JSON is required"),
    "bytes": (_with(bytes(range(256))), "JSON is required"),
    "cut": (lambda x: (_changed()(x)[0][:-50], {}), "JSON is required"),
    "cut binary": (_binary(lambda told, data: (told, data[:-1])), "binary_data_size up to"),
    "no binary": (_binary(lambda told, data: (told, b"")), "binary_data_size up to 0"),
    "more binary": (_binary(lambda told, data: (told, data + b"0")), "for all bytes is required, got 1 more"),
    "list": (_with(b"[]"), "an object of JSON is required, got list"),
    "null": (_with(b"null"), "an object of JSON is required"),
    "no inputs": (_with(b"{}"), "inputs: a list is required"),
    "inputs a number": (_with(b'{"inputs": 3}'), "inputs: a list is required, got int"),
    "inputs empty": (_with(b'{"inputs": []}'), "inputs: data are required, got no data"),
    "inputs of numbers": (_with(b'{"inputs": [1]}'), "inputs: an object"),
    "deep": (_with(b"[" * 100_000), "JSON of fewer levels"),
    "deep data": (_changed(data=json.loads("[" * 500 + "]" * 500)), "elements|shape"),
    "twice": (
        lambda x: (json.dumps({"inputs": 2 * json.loads(_changed()(x)[0])["inputs"]}).encode(), {}),
        "data twice",
    ),
    "other name": (_changed(name="image"), "names among data are required, got image"),
    "no name": (_changed(name=None), "names among data"),
    "name a list": (_changed(name=[]), "names among data"),
    "long name": (_changed(name="x" * 100_000), "names among data"),
    "other type": (_changed(datatype="FP64"), "FP32 is required of data, got FP64"),
    "no type": (_changed(datatype=None), "FP32 is required"),
    "odd type": (_changed(datatype={"a": 1}), "FP32 is required"),
    "no shape": (_changed(shape=None), "a shape as"),
    "shape a text": (_changed(shape="2,3,8,8"), "a shape as"),
    "axes": (_changed(shape=lambda x: [*x.shape, 1]), "a shape as"),
    "other size": (_changed(shape=lambda x: [len(x), 3, 8, 9]), "a shape as"),
    "no rows": (_changed(shape=[0, 3, 8, 8], data=[]), "sizes from 1 on"),
    "minus": (_changed(shape=[-1, 3, 8, 8]), "a shape as"),
    "fraction": (_changed(shape=[1.0, 3, 8, 8]), "a shape as"),
    "true": (_changed(shape=[True, 3, 8, 8]), "a shape as"),
    "huge shape": (_changed(shape=[2**30, 3, 8, 8]), "elements are required"),
    "huger shape": (_changed(shape=[10**4000, 3, 8, 8]), "a shape as"),
    "huge number": (
        _with(b'{"inputs": [{"name": "data", "shape": [1' + b"0" * 5000 + b"]}]}"),
        "JSON is required",
    ),
    "no data": (_changed(data=None), "a list is required as data"),
    "data a text": (_changed(data="x" * 1536), "a list is required as data"),
    "less data": (_changed(data=lambda x: x.ravel().tolist()[:-1]), "elements are required"),
    "ragged": (_changed(data=lambda x: [*x.tolist()[:-1], [1.0]]), "data of the shape|elements are required"),
    "texts": (_changed(data=lambda x: ["1"] * x.size), "numbers are required as data"),
    "nulls": (_changed(data=lambda x: [None] * x.size), "numbers are required as data"),
    "objects": (_changed(data=lambda x: [{}] * x.size), "numbers are required as data"),
    "bools": (_changed(data=lambda x: [True] * x.size), "numbers are required as data"),
    "too large": (_changed(data=lambda x: [1e300] * x.size), "numbers that FP32 has"),
    "larger than all": (_changed(data=lambda x: [10**400] * x.size), "numbers that FP32 has"),
    "NaN": (_changed(data=lambda x: [float("nan")] * x.size), "JSON has no NaN"),
    "infinity": (_changed(data=lambda x: [float("-inf")] * x.size), "JSON has no -Infinity"),
    "shared memory": (_changed(parameters={"shared_memory_region": "a"}), "got a shared_memory_region"),
    "parameters": (_changed(parameters=[]), "parameters: an object"),
    "both": (_sized(0), "bytes are required of data"),
    "size a text": (_sized("12"), "binary_data_size up to"),
    "size below 0": (_sized(-1), "binary_data_size up to"),
    "size true": (_sized(True), "binary_data_size up to"),
    "size huge": (_sized(10**100), "binary_data_size up to"),
    "length": (lambda x: (_valid(x), {LENGTH: "999999999"}), "JSON of at most|a number up to"),
    "length below 0": (lambda x: (_valid(x), {LENGTH: "-5"}), "JSON of at most|a number up to"),
    "length a word": (lambda x: (_valid(x), {LENGTH: "ten"}), "JSON of at most|a number up to"),
    "length short": (lambda x: (_valid(x), {LENGTH: "7"}), "JSON is required"),
    "no length": (lambda x: (_valid(x), {}), "JSON is required"),
    "other output": (_document(outputs=[{"name": "y"}]), "outputs: names among"),
    "outputs a text": (_document(outputs="y"), "outputs: a list"),
    "classification": (
        _document(outputs=[{"name": "scores_fwd_output", "parameters": {"classification": 2}}]),
        "got classification",
    ),
    "sequence": (_document(parameters={"sequence_id": 5}), "got a sequence_id"),
    "flag": (_document(parameters={"binary_data_output": 1}), "true or false is required"),
    "id": (_document(id=[1]), "id: a text"),
    "rows": (_changed(shape=[101, 3, 8, 8], data=lambda x: [0] * (101 * 192)), "sizes up to 100"),
    "much JSON": (_with(b" " * (1 << 19) + b"  "), "JSON of at most"),
    "much": (_with(b" " * (1 << 20) + b"  "), "a request of at most"),
    "bomb": (_with(gzip.compress(bytes(1 << 24)), Content_Encoding="gzip"), "a request of at most"),
    "no gzip": (_with(b"{}" * 50, Content_Encoding="gzip"), "data as content-encoding says"),
    "half gzip": (
        _with(gzip.compress(b" " * 9999)[:-6], Content_Encoding="gzip"),
        "the whole of the compressed",
    ),
    "behind gzip": (
        _with(zlib.compress(b"{}") + b"more", Content_Encoding="deflate"),
        "got more|got other data",
    ),
    "other encoding": (_with(b"{}", Content_Encoding="br"), "a content-encoding among"),
}


def malformed():
    """All of them by name."""

    def made(make, said):
        return lambda x: (*make(x), said)

    return {name: made(*kind) for name, kind in _KINDS.items()}
