"""`.safetensors` files: there and back, the package's own files, damage, and the extra that is missing."""

from __future__ import annotations

import json
import struct
import sys

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.dtypes import BY_NAME
from hybridonnx.errors import FormatError, MissingFileError, MXNetError

numpy_format = pytest.importorskip("safetensors.numpy")


def file_bytes(header, data=b""):
    """A file's bytes."""
    text = json.dumps(header).encode() if isinstance(header, dict) else header
    return struct.pack("<Q", len(text)) + text + data


def test_there_and_back(tmp_path, rng):
    values = {name: mx.nd.array(rng.integers(0, 2, (2, 3)), dtype=name) for name in BY_NAME}
    values |= {"empty": mx.nd.NDArray(np.zeros((0, 3), np.float32)), "scalar": mx.nd.array(3)}
    path = tmp_path / "x.safetensors"
    mx.nd.save(path, values)
    arrays = mx.nd.load(str(path))
    assert set(arrays) == set(values)
    for name, value in values.items():
        assert arrays[name].dtype == value.dtype
        np.testing.assert_array_equal(arrays[name].asnumpy(), value.asnumpy())


def test_the_package_reads_and_writes_the_same(tmp_path):
    path = tmp_path / "x.safetensors"
    values = {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "a": np.ones(2, np.int64)}
    numpy_format.save_file(values, path, metadata={"format": "np"})
    arrays = mx.nd.load(path)
    np.testing.assert_array_equal(arrays["b"].asnumpy(), values["b"])
    mx.nd.save(path, arrays)
    np.testing.assert_array_equal(numpy_format.load_file(path)["a"], values["a"])


def test_loaded_arrays_can_be_written_to(tmp_path):
    path = tmp_path / "x.safetensors"
    mx.nd.save(path, {"x": mx.nd.ones((2,))})
    array = mx.nd.load(path)["x"]
    array[0] = 5
    assert array.asnumpy().tolist() == [5, 1]


def test_parameters_of_a_network(tmp_path):
    path = str(tmp_path / "net.safetensors")
    net, again = (mx.gluon.nn.Dense(2, in_units=3) for _ in range(2))
    net.initialize()
    net.save_parameters(path)
    again.load_parameters(path)
    x = mx.nd.ones((1, 3))
    np.testing.assert_array_equal(net(x).asnumpy(), again(x).asnumpy())


def test_names_are_required(tmp_path):
    for data in ([mx.nd.ones((1,))], mx.nd.ones((1,))):
        with pytest.raises(MXNetError, match="a dict of arrays by name is required"):
            mx.nd.save(tmp_path / "x.safetensors", data)


def test_sparse_arrays_are_refused(tmp_path):
    with pytest.raises(MXNetError, match="'s' of storage type csr"):
        mx.nd.save(tmp_path / "x.safetensors", {"s": mx.nd.ones((2, 2)).tostype("csr")})


ENTRY = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
DAMAGED = [
    b"",
    b"\x01",
    struct.pack("<Q", 1 << 62),
    file_bytes(b"{"),
    file_bytes(b"[]"),
    file_bytes({"x": ENTRY}),
    file_bytes({"x": {**ENTRY, "shape": [2]}}, b"1234"),
    file_bytes({"x": {**ENTRY, "shape": [1 << 62, 1 << 62]}}, b"1234"),
    file_bytes({"x": {**ENTRY, "data_offsets": [4, 0]}}, b"1234"),
    file_bytes({"x": {**ENTRY, "dtype": "F99"}}, b"1234"),
    file_bytes({"x": ENTRY, "y": ENTRY}, b"1234"),
    file_bytes({"x": ENTRY}, b"12345678"),
]


@pytest.mark.parametrize("data", DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_files_are_refused(tmp_path, data):
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        mx.nd.load(path)
    assert f"In file {path}." in caught.value.__notes__


def test_dtypes_that_there_are_not_are_refused(tmp_path):
    path = tmp_path / "x.safetensors"
    path.write_bytes(file_bytes({"x": {"dtype": "F4", "shape": [2], "data_offsets": [0, 1]}}, bytes(1)))
    with pytest.raises(FormatError, match="F4"):
        mx.nd.load(path)
    for dtype, value in (("string", "a"), ("int4", 1), ("complex128", 1)):
        with pytest.raises(FormatError, match=rf"dtypes that the format has are required, got {dtype}"):
            mx.nd.save(path, {"x": mx.nd.array([value], dtype=dtype)})


@pytest.mark.parametrize(
    ("name", "code", "data", "values"),
    [
        ("uint64", "U64", struct.pack("<2Q", 7, 1 << 63), [7, 1 << 63]),
        ("int16", "I16", struct.pack("<2h", 7, -2), [7, -2]),
        ("complex64", "C64", struct.pack("<4f", 1, -2, 0, 3), [1 - 2j, 3j]),
        ("bfloat16", "BF16", bytes.fromhex("c03f00c0"), [1.5, -2]),
        ("float8_e4m3fn", "F8_E4M3", bytes.fromhex("3cc0"), [1.5, -2]),
        ("float8_e5m2", "F8_E5M2", bytes.fromhex("3ec0"), [1.5, -2]),
    ],
)
def test_types_that_mxnet_lacks(tmp_path, name, code, data, values):
    path = tmp_path / "x.safetensors"
    path.write_bytes(file_bytes({"x": {"dtype": code, "shape": [2], "data_offsets": [0, len(data)]}}, data))
    x = mx.nd.load(path)["x"]
    assert np.dtype(x.dtype).name == name
    assert x.asnumpy().astype(complex if name == "complex64" else object).tolist() == values
    mx.nd.save(path, {"x": x})
    assert path.read_bytes().endswith(data)


def test_missing_files(tmp_path):
    with pytest.raises(MissingFileError):
        mx.nd.load(tmp_path / "x.safetensors")


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    path = tmp_path / "x.safetensors"
    for use in (lambda: mx.nd.load(path), lambda: mx.nd.save(path, {"x": mx.nd.ones((1,))})):
        with pytest.raises(MXNetError, match=r"pip install 'hybridonnx\[safetensors\]'"):
            use()
