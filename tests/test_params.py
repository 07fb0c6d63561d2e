"""Files of arrays: the bytes that MXNet writes, read from all its versions, and damaged ones refused."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import struct
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import hybridonnx as mx
from hybridonnx.errors import FormatError, MissingFileError, MXNetError
from hybridonnx.formats import params
from tests import checkpoints

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "oracle" / "params"
FILES = json.loads((FOLDER / "files.json").read_text(encoding="utf-8"))
DATA = HERE / "data" / "params"


@pytest.fixture(scope="module")
def stored():
    with np.load(FOLDER / "values.npz") as archive:
        return dict(archive)


def values_of(stored, name):
    return [stored[f"{name}/{i}"] for i in range(len(FILES[name]["arrays"]))]


def loaded(name):
    with mx.util.np_shape(FILES[name]["np_shape"]):
        return mx.nd.load(str(FOLDER / name))


def listed(arrays):
    return list(arrays.values()) if isinstance(arrays, dict) else arrays


def array_of(about, value):
    """The array that MXNet saved, from its dense values."""
    return mx.nd.NDArray(value.copy()).tostype(about["stype"])


def saved(data, path, np_shape=False):
    with mx.util.np_shape(np_shape):
        mx.nd.save(path, data)
    return path.read_bytes()


# ---- the bytes that MXNet writes

WRITTEN = sorted(FILES.keys() - {"devices.params", "v0.params", "v1.params"})
KINDS = ("dtypes.params", "sparse.params", "v0.params", "v1.params", "np_shape.params", "nothing.params")


@pytest.mark.parametrize("name", FILES)
def test_reads_what_mxnet_reads(name, stored):
    about, arrays = FILES[name], loaded(name)
    assert type(arrays).__name__ == about["returns"]
    if about["returns"] == "dict":
        assert list(arrays) == [entry["name"] for entry in about["arrays"]]
    for entry, array, value in zip(about["arrays"], listed(arrays), values_of(stored, name), strict=True):
        assert (array.stype, np.dtype(array.dtype).name) == (entry["stype"], entry["dtype"])
        assert str(array.context) == entry["ctx"]
        assert array.shape == value.shape
        assert array.asnumpy().tobytes() == value.tobytes()


@pytest.mark.parametrize("name", WRITTEN)
def test_writes_what_mxnet_writes(name, stored, tmp_path):
    about = FILES[name]
    arrays = [array_of(*pair) for pair in zip(about["arrays"], values_of(stored, name), strict=True)]
    names = [entry["name"] for entry in about["arrays"]]
    data = dict(zip(names, arrays, strict=True)) if about["returns"] == "dict" else arrays
    assert saved(data, tmp_path / "made.params", about["np_shape"]) == (FOLDER / name).read_bytes()


@pytest.mark.parametrize("name", WRITTEN)
def test_writes_what_it_read(name, tmp_path):
    again = saved(loaded(name), tmp_path / "again.params", FILES[name]["np_shape"])
    assert again == (FOLDER / name).read_bytes()


def test_writes_where_arrays_were(tmp_path):
    arrays = [mx.nd.ones(2, ctx=mx.cpu(3)), mx.nd.ones(2, ctx=mx.cpu_pinned())]
    assert saved(arrays, tmp_path / "devices.params") == (FOLDER / "devices.params").read_bytes()


def test_views_are_written_as_they_look(tmp_path):
    x = mx.nd.arange(24).reshape((4, 6))
    views = [mx.nd.NDArray(x._data.T), mx.nd.NDArray(x._data[::2, ::-3]), x[1]]
    copies = [mx.nd.NDArray(v.asnumpy().copy()) for v in views]
    assert saved(views, tmp_path / "a") == saved(copies, tmp_path / "b")


@pytest.mark.parametrize("name", ["dtypes.params", "list.params", "v0.params"])
def test_loads_from_memory(name, stored):
    data = (FOLDER / name).read_bytes()
    for buffer in (data, bytearray(data), memoryview(data)):
        arrays = mx.nd.load_frombuffer(buffer)
        assert type(arrays).__name__ == FILES[name]["returns"]
        for array, value in zip(listed(arrays), values_of(stored, name), strict=True):
            assert array.asnumpy().tobytes() == value.tobytes()


WEIGHTS = [c for c in checkpoints.every() if "params" in c.manifest]


@pytest.mark.parametrize("checkpoint", WEIGHTS, ids=lambda c: c.folder.name)
def test_published_weights(checkpoint):
    arrays = mx.nd.load(checkpoint.folder / "model-0000.params")
    assert sorted(arrays) == sorted(entry["key"] for entry in checkpoint.manifest["params"])
    for entry in checkpoint.manifest["params"]:
        array = arrays[entry["key"]]
        assert (list(array.shape), np.dtype(array.dtype).name) == (entry["shape"], entry["dtype"])
        assert hashlib.sha256(array.asnumpy().tobytes()).hexdigest() == entry["sha256"]


def test_mxnets_own_legacy_file():
    arrays = mx.nd.load(DATA / "legacy_ndarray.v0")
    assert len(arrays) == 6
    for array in arrays:
        np.testing.assert_array_equal(array.asnumpy(), np.arange(128, dtype=np.float32))


# ---- what is handed out


@pytest.mark.parametrize("name", FILES)
def test_arrays_are_the_users(name, tmp_path):
    path = tmp_path / name
    path.write_bytes((FOLDER / name).read_bytes())
    with mx.util.np_shape(FILES[name]["np_shape"]):
        arrays = [x for x in listed(mx.nd.load(path)) if x.stype == "default"]
    before = [x.asnumpy() for x in arrays]
    path.write_bytes(b"")
    for x, values in zip(arrays, before, strict=True):
        assert x._data.flags.aligned
        assert x._data.flags.writeable
        assert x._data.flags.c_contiguous
        assert x.asnumpy().tobytes() == values.tobytes()
        x._data[...] = 1
    assert path.read_bytes() == b""


@pytest.mark.parametrize("name", ["dtypes.params", "list.params"])
def test_arrays_share_nothing(name):
    arrays = [x._data for x in listed(loaded(name)) if x.stype == "default"]
    for i, a in enumerate(arrays):
        assert not any(np.shares_memory(a, b) for b in arrays[i + 1 :])


def peak(action):
    tracemalloc.start()
    try:
        result = action()
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


def test_memory(tmp_path, rng):
    path = tmp_path / "large.params"
    data = {f"w{i}": mx.nd.NDArray(rng.random(1 << 18, dtype=np.float32)) for i in range(16)}
    used, _ = peak(lambda: mx.nd.save(path, data))
    assert used < 0.1 * path.stat().st_size
    used, _ = peak(lambda: mx.nd.load(path))
    assert used < 1.05 * path.stat().st_size
    content = path.read_bytes()
    used, _ = peak(lambda: mx.nd.load_frombuffer(content))
    assert used < 1.05 * path.stat().st_size


# ---- arguments


def test_one_array_is_saved_as_a_list(tmp_path):
    assert saved(mx.nd.ones(3), tmp_path / "a") == saved([mx.nd.ones(3)], tmp_path / "b")


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (3, ValueError),
        (None, ValueError),
        (np.ones(2), ValueError),
        ([3], TypeError),
        ({"a": np.ones(2)}, TypeError),
        ({3: mx.nd.ones(2)}, TypeError),
        ({"a\0b": mx.nd.ones(2)}, FormatError),
        ({"\ud800": mx.nd.ones(2)}, FormatError),
        ([mx.nd.array(3)], FormatError),
    ],
)
def test_what_cannot_be_saved_leaves_the_file(data, error, tmp_path):
    path = tmp_path / "a.params"
    path.write_bytes(b"before")
    with pytest.raises(error):
        mx.nd.save(path, data)
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["a.params"]


def test_sparse_arrays_are_not_saved_under_np_shape(tmp_path):
    with mx.util.np_shape(), pytest.raises(FormatError, match="csr"):
        mx.nd.save(tmp_path / "a", [mx.nd.ones((2, 2)).tostype("csr")])


def test_missing_file(tmp_path):
    with pytest.raises(MissingFileError) as caught:
        mx.nd.load(tmp_path / "none.params")
    assert isinstance(caught.value, MXNetError)
    assert isinstance(caught.value, FileNotFoundError)
    assert "none.params" in str(caught.value)


@pytest.mark.parametrize("fname", [3, None, b"a.params", io.BytesIO()])
def test_file_names(fname):
    with pytest.raises(TypeError, match="string"):
        mx.nd.load(fname)


@pytest.mark.parametrize("buf", [3, None, "text"])
def test_buffers(buf):
    with pytest.raises(TypeError, match="bytes"):
        mx.nd.load_frombuffer(buf)


def test_error_names_the_file(tmp_path):
    (tmp_path / "bad.params").write_bytes(b"PK\3\4")
    with pytest.raises(FormatError) as caught:
        mx.nd.load(tmp_path / "bad.params")
    assert "bad.params" in "".join(caught.value.__notes__)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    content = (FOLDER / "single.params").read_bytes()
    writer = subprocess.Popen(["cp", str(FOLDER / "single.params"), str(tmp_path / "pipe")])
    arrays = mx.nd.load(tmp_path / "pipe")
    assert writer.wait() == 0
    assert saved(arrays, tmp_path / "again") == content


# ---- NumPy's shape semantics


def test_np_shape_is_a_switch():
    assert not mx.util.is_np_shape()
    assert mx.util.set_np_shape(True) is False
    assert mx.util.set_np_shape(False) is True
    scope = mx.util.np_shape()
    with scope, mx.util.np_shape(False), scope:
        assert mx.util.is_np_shape()
    assert not mx.util.is_np_shape()
    assert mx.util.use_np_shape(mx.util.is_np_shape)()
    assert not mx.util.is_np_array()


def test_use_np_shape_of_a_class():
    @mx.util.use_np_shape
    class Net:
        def forward(self):
            return mx.util.is_np_shape()

    assert Net().forward()
    assert not mx.util.is_np_shape()


def test_arrays_without_axes_need_np_shape():
    with pytest.raises(FormatError, match="set_np_shape"):
        mx.nd.load(FOLDER / "np_shape.params")


def test_other_arrays_load_in_both_states(tmp_path):
    saved({"a": mx.nd.ones((2, 0)), "b": mx.nd.ones(3)}, tmp_path / "v3", np_shape=True)
    assert mx.nd.load(tmp_path / "v3")["a"].shape == (2, 0)
    with mx.util.np_shape():
        assert set(mx.nd.load(FOLDER / "v0.params")) == {"arg:first", "arg:second", "aux:third"}


# ---- damaged files

V1, V2, V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
FLOATS = struct.pack("<2f", 1, 2)


def i(*numbers):
    return struct.pack(f"<{len(numbers)}i", *numbers)


def q(*numbers):
    return struct.pack(f"<{len(numbers)}q", *numbers)


def sizes(*shape):
    return i(len(shape)) + q(*shape)


def magic(number):
    return struct.pack("<I", number)


def file(*arrays, names=(), count=None, listed=None):
    start = q(0x112, 0, len(arrays) if count is None else count)
    ends = [q(len(name)) + name for name in names]
    return start + b"".join(arrays) + q(len(names) if listed is None else listed) + b"".join(ends)


def dense(shape=(2,), flag=0, data=FLOATS, encoding=V2, storage=0):
    return magic(encoding) + i(storage) + sizes(*shape) + i(1, 0, flag) + data


def csr(ends=(0, 1, 2), columns=(0, 1), stored=2, shape=(2, 2), kind=6, flag=0):
    parts = np.array(ends, "<i8").tobytes() + np.array(columns, "<i8").tobytes()
    about = i(kind) + sizes(len(ends)) + i(kind) + sizes(len(columns))
    return (
        magic(V2) + i(2) + sizes(stored) + sizes(*shape) + i(1, 0, flag) + about + bytes(4 * stored) + parts
    )


def rows(indices=(0, 2), stored=(2, 2), shape=(3, 2)):
    data = bytes(4 * int(np.prod(stored))) + np.array(indices, "<i8").tobytes()
    about = i(6) + sizes(len(indices))
    return magic(V2) + i(1) + sizes(*stored) + sizes(*shape) + i(1, 0, 0) + about + data


HUGE = 1 << 62
FAULTS = {
    "nothing": (b"", 0, "16 bytes"),
    "another format": (b"PK\3\4" + bytes(60), 0, "0x112"),
    "text": (b'{"nodes": []}' * 9, 0, "0x112"),
    "reserved": (q(0x112, 1, 0, 0), 0, "0x112 and 0"),
    "big-endian": (struct.pack(">QQQ", 0x112, 0, 0), 0, "0x112"),
    "no count": (q(0x112, 0), 16, "number of arrays"),
    "more arrays than bytes": (file(dense(), count=4), 16, "a number of arrays"),
    "huge count": (file(dense(), count=HUGE), 16, "a number of arrays"),
    "negative count": (file(dense(), count=-1), 16, "a number of arrays"),
    "one array too few": (file(dense(), dense(), count=1), 64, "a number of names"),
    "one array too many": (file(dense(), names=[b"name" * 9], count=2), 80, "array 1 of 2"),
    "unknown encoding": (file(dense(encoding=0xF993FACB)), 24, "encoding"),
    "unknown small encoding": (file(magic(33) + bytes(200)), 24, "encoding"),
    "storage type": (file(dense(storage=3)), 28, "storage type"),
    "undefined storage type": (file(dense(storage=-1)), 28, "storage type"),
    "V3 sparse": (file(dense(encoding=V3, storage=2)), 28, "storage type 0"),
    "no array": (file(magic(V2) + i(0, 0), dense()), 32, "one axis at least"),
    "no array, V1": (file(magic(V1) + i(0), dense()), 24, "one axis at least"),
    "no array, V0": (file(i(0) + bytes(16), dense()), 24, "one axis at least"),
    "no array, V3": (file(magic(V3) + i(0, -1), dense()), 32, "no array"),
    "negative axes": (file(magic(V2) + i(0, -2), dense()), 32, "axes"),
    "many axes": (file(magic(V2) + i(0, 33) + bytes(300)), 32, "axes"),
    "axes of all the file": (file(magic(V2) + i(0, 1 << 30) + bytes(300)), 32, "axes"),
    "negative size": (file(dense((-2,))), 32, "sizes"),
    "two negative sizes": (file(dense((-1, -2))), 32, "sizes"),
    "overflowing shape": (file(dense((1 << 32, 1 << 32))), 32, "sizes"),
    "overflow next to zero": (file(dense((0, HUGE, HUGE), data=b"")), 32, "sizes"),
    "overflowing bytes": (file(dense((HUGE,), flag=1)), 32, "sizes"),
    "more values than bytes": (file(dense((1 << 40,))), 56, "end of the file"),
    "one value too many": (file(dense((5,))), 56, "values"),
    "overflowing V0": (file(struct.pack("<4I", 3, *[0xFFFFFFFF] * 3) + bytes(40)), 24, "sizes"),
    "large V0": (file(struct.pack("<3I", 2, 0xFFFFFFFF, 7) + bytes(40)), 48, "values"),
    "type flag": (file(dense(flag=13)), 52, "type flag"),
    "type flag of no type": (file(dense(flag=116)), 52, "128 float6_e3m2fn"),
    "bfloat16": (file(dense((7,), flag=12, data=bytes(5))), 56, "dtype bfloat16 of 14 bytes"),
    "more int4 than bytes": (file(dense((34,), flag=122, data=bytes(8))), 56, "dtype int4 of 17 bytes"),
    "many int2": (file(dense((1 << 40,), flag=126)), 56, "values of shape"),
    "many strings": (file(dense((1 << 40,), flag=108)), 56, "and of strings"),
    "strings without lengths": (file(dense((3,), flag=108, data=q(0))), 56, "and of strings"),
    "string too long": (file(dense((1,), flag=108, data=q(99))), 56, "bytes in a string"),
    "string of huge length": (file(dense((1,), flag=108, data=q(-1))), 56, "bytes in a string"),
    "string not UTF-8": (file(dense((1,), flag=108, data=q(2) + b"a\xff")), 65, "UTF-8"),
    "negative type flag": (file(dense(flag=-1)), 52, "type flag"),
    "bool": (file(dense((8,), flag=7, data=bytes([0, 1, 1, 2, 0, 0, 1, 1]))), 56, "bool"),
    "trailing byte": (file(dense()) + b"\0", 72, "end of the file"),
    "two files": (file(dense()) * 2, 72, "end of the file"),
    "fewer names": (file(dense(), dense(), names=[b"a"]), 104, "one for each of 2"),
    "more names": (file(dense(), names=[b"a", b"b"]), 64, "one for each of 1"),
    "name missing": (file(dense(), names=[b"a"])[:-9], 64, "number of names"),
    "long name": (file(dense())[:-8] + q(1, 99) + b"abc", 72, "bytes in a name"),
    "huge name": (file(dense())[:-8] + q(1, -1) + b"abc", 72, "bytes in a name"),
    "name not UTF-8": (file(dense(), names=[b"a\xff"]), 81, "UTF-8"),
    "name cut inside a character": (file(dense(), names=["µ".encode()[:1]]), 80, "UTF-8"),
    "same name twice": (file(dense(), dense(), names=[b"a", b"a"]), 129, "'a' again"),
    "csr of three axes": (file(csr(shape=(2, 1, 2))), 32, "matrix"),
    "csr rows": (file(csr(shape=(3, 2))), 32, "row ends"),
    "csr ends fall": (file(csr(ends=(0, 3, 2))), 32, "row ends"),
    "csr ends beyond": (file(csr(ends=(0, 1, 3))), 32, "row ends"),
    "csr ends before": (file(csr(ends=(0, 1, 1))), 32, "row ends"),
    "csr ends not from 0": (file(csr(ends=(1, 1, 2))), 32, "row ends"),
    "csr no ends": (file(csr(ends=())), 32, "row ends"),
    "csr column": (file(csr(columns=(0, 2))), 32, "column indices"),
    "csr negative column": (file(csr(columns=(0, -1))), 32, "column indices"),
    "csr column missing": (file(csr(columns=(0,))), 32, "column indices"),
    "csr index type": (file(csr(kind=1)), 32, "list of indices"),
    "csr index type flag": (file(csr(kind=13)), 76, "type flag"),
    "csr of an extension type": (file(csr(flag=9)), 32, "MXNet's own types"),
    "csr huge": (file(csr(shape=(HUGE, 2))), 44, "sizes"),
    "rows beyond": (file(rows((0, 3))), 32, "row indices"),
    "rows negative": (file(rows((-1, 2))), 32, "row indices"),
    "rows missing": (file(rows((0,))), 32, "data of shape"),
    "rows of another shape": (file(rows(stored=(2, 1))), 32, "data of shape"),
    "rows without axes": (file(rows(stored=(), shape=())), 32, "data of shape"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_damage_is_named(fault):
    data, at, text = FAULTS[fault]
    with pytest.raises(FormatError) as caught:
        mx.nd.load_frombuffer(data)
    assert f"byte {at}," in str(caught.value)
    assert text in str(caught.value)


def test_undamaged_pieces_load():
    arrays = [dense(), csr(), rows(), dense((2, 0), data=b""), dense((2,), flag=7, data=b"\1\0")]
    assert [x.shape for x in mx.nd.load_frombuffer(file(*arrays))] == [(2,), (2, 2), (3, 2), (2, 0), (2,)]


@pytest.mark.parametrize("name", KINDS)
def test_cut_anywhere(name):
    data = (FOLDER / name).read_bytes()
    for length in range(len(data)):
        with pytest.raises(FormatError):
            params.read_bytes(data[:length], np_shape=True)


@pytest.mark.parametrize("name", KINDS)
def test_flipped_bits(name, rng):
    """A changed file is read or refused: nothing else happens, and no memory is asked for that it has not."""
    data = (FOLDER / name).read_bytes()
    for _ in range(600):
        changed = bytearray(data)
        for bit in rng.integers(0, 8 * len(data), rng.integers(1, 4)):
            changed[bit // 8] ^= 1 << (bit % 8)
        try:
            params.read_bytes(bytes(changed), np_shape=True)
        except FormatError:
            continue


def test_huge_claims_cost_nothing():
    for name, (data, *_) in FAULTS.items():
        used, _ = peak(lambda data=data: refused(data))
        assert used < 200_000, name


def refused(data):
    with pytest.raises(FormatError):
        mx.nd.load_frombuffer(data)


def test_file_that_shrinks_while_it_is_read():
    data = (FOLDER / "list.params").read_bytes()
    for length in range(8, len(data) - 8, 5):
        with pytest.raises(FormatError):
            params.read(io.BytesIO(data[:length]), len(data))


# ---- interrupted writes

SAVE_ON = """
import sys
import numpy as np
import hybridonnx as mx
arrays = [mx.nd.NDArray(np.full(1 << 19, k, np.float32)) for k in (1, 2)]
mx.nd.save(sys.argv[1], {"w": arrays[0]})
print("ready", flush=True)
while True:
    for array in arrays:
        mx.nd.save(sys.argv[1], {"w": array})
"""

SAVE_BEYOND_LIMIT = """
import resource, signal, sys
import hybridonnx as mx
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    mx.nd.save(sys.argv[1], mx.nd.ones(1_000_000))
except OSError as exc:
    print(type(exc).__name__)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("delay", [0.0, 0.004, 0.011, 0.05])
def test_killed_while_writing(delay, tmp_path):
    path = tmp_path / "a.params"
    process = subprocess.Popen(
        [sys.executable, "-c", SAVE_ON, str(path)], stdout=subprocess.PIPE, cwd=HERE.parent
    )
    assert process.stdout is not None
    with process.stdout as output:
        assert output.readline() == b"ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
    process.wait()
    values = mx.nd.load(path)["w"].asnumpy()
    assert values.shape == (1 << 19,)
    assert values[0] in (1, 2)
    assert (values == values[0]).all()


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_no_room_leaves_the_file(tmp_path):
    path = tmp_path / "a.params"
    path.write_bytes(b"before")
    done = subprocess.run(
        [sys.executable, "-c", SAVE_BEYOND_LIMIT, str(path)],
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "FileError\n"
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["a.params"]


# ---- with MXNet beside


@pytest.mark.oracle
@pytest.mark.parametrize("name", WRITTEN)
def test_mxnet_reads_it(name, oracle, tmp_path):
    arrays = loaded(name)
    saved(arrays, tmp_path / "a.params", FILES[name]["np_shape"])
    script = [oracle, str(HERE / "oracle" / "params.py"), str(tmp_path / "a.params")]
    done = subprocess.run(
        [*script, str(int(FILES[name]["np_shape"]))], capture_output=True, text=True, check=True
    )
    about = json.loads(done.stdout.splitlines()[-1])
    for entry, array in zip(about["arrays"], listed(arrays), strict=True):
        assert (entry["stype"], tuple(entry["shape"])) == (array.stype, array.shape)
        assert entry["sha256"] == hashlib.sha256(array.asnumpy().tobytes()).hexdigest()
