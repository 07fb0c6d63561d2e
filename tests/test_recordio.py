"""Files of records: the bytes that MXNet writes, and damaged ones refused."""

from __future__ import annotations

import copy
import io
import os
import pickle
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import hybridonnx as mx
from hybridonnx.errors import FormatError
from hybridonnx.formats.recordio import RecordReader, encode

ROOT = Path(__file__).resolve().parents[1]
M = bytes.fromhex("0a23d7ce")
BY_MXNET = {
    b"": "0a23d7ce00000000",
    b"a": "0a23d7ce0100000061000000",
    b"abcd": "0a23d7ce0400000061626364",
    M: "0a23d7ce000000200a23d7ce00000060",
    b"xxxx" + M + b"yy": "0a23d7ce04000020787878780a23d7ce0200006079790000",
    b"x" + M + b"yyy": "0a23d7ce08000000780a23d7ce797979",
    M + M: "0a23d7ce000000200a23d7ce000000400a23d7ce00000060",
    b"abcd" + M: "0a23d7ce04000020616263640a23d7ce00000060",
    M + b"q": "0a23d7ce000000200a23d7ce0100006071000000",
    b"12345678" + M + b"abcdefgh" + M + b"zz": (
        "0a23d7ce0800002031323334353637380a23d7ce0800004061626364656667680a23d7ce020000607a7a0000"
    ),
}
"""Records, and what MXNet 1.9.1 wrote for each."""


def records(data):
    reader = RecordReader(io.BytesIO(data))
    return list(iter(reader.read, None))


@pytest.mark.parametrize("record", BY_MXNET)
def test_writes_what_mxnet_writes(record):
    assert encode(record).hex() == BY_MXNET[record]


def test_reads_what_mxnet_wrote():
    assert records(bytes.fromhex("".join(BY_MXNET.values()))) == list(BY_MXNET)


def test_there_and_back(rng):
    payloads = []
    for length in range(60):
        record = bytearray(rng.bytes(length))
        for at in rng.integers(0, length + 1, 3):
            record[at : at + 4] = M
        payloads.append(bytes(record))
    assert records(b"".join(map(encode, payloads))) == payloads


def test_last_zeros_may_be_missing():
    assert records(encode(b"abc") + encode(b"a")[:-3]) == [b"abc", b"a"]


PARTS = encode(b"xxxx" + M + b"yyyy")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x", "header of a record of 8 bytes"),
        (b"garbage!" * 3, "begins with 0a23d7ce"),
        (M + struct.pack("<I", 4 << 29), "kind of part"),
        (M + struct.pack("<I", (1 << 29) - 1) + b"x", "end of the file after 1"),
        (PARTS[12:], "a later part"),
        (PARTS[:12], "header of a record"),
        (PARTS[:12] + encode(b"x"), "the beginning of another"),
        (PARTS[:12] + PARTS, "the beginning of another"),
    ],
)
def test_damage(data, text):
    with pytest.raises(FormatError, match=text):
        records(data)


def test_cut_anywhere():
    whole = b"".join(map(encode, BY_MXNET))
    for length in range(len(whole)):
        try:
            payloads = records(whole[:length])
        except FormatError:
            continue
        assert payloads == list(BY_MXNET)[: len(payloads)]


# ---- readers that several threads and processes have

COUNT = 400


@pytest.fixture
def numbered(tmp_path):
    """An indexed file whose record `i` is `i` bytes of `i`, and a reader of it."""
    with mx.recordio.MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "w") as file:
        for i in range(COUNT):
            file.write_idx(i, bytes([i % 256]) * i)
    with mx.recordio.MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "r") as file:
        yield file


class Rows(mx.gluon.data.Dataset):
    """Whether each record that a reader gives is its own."""

    def __init__(self, reader):
        self.reader = reader

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        return self.reader.read_idx(index) == bytes([index % 256]) * index


def test_workers_share_a_reader(numbered):
    for _ in range(3):
        batches = mx.gluon.data.DataLoader(Rows(numbered), 10, num_workers=4)
        assert sum(int(rows.asnumpy().sum()) for rows in batches) == COUNT


FORKED = """
import multiprocessing, sys
import hybridonnx as mx

keyed = mx.recordio.MXIndexedRecordIO("a.idx", "a.rec", "r")
plain = mx.recordio.MXRecordIO("a.rec", "r")
context = multiprocessing.get_context("fork")
answers = context.Queue()

def own(first):
    return all(keyed.read_idx(i) == bytes([i % 256]) * i for i in range(first, 400, 3))

def go_on():
    try:
        plain.read()
    except RuntimeError as exc:
        answers.put(str(exc))
    plain.reset()
    answers.put([len(plain.read()) for _ in range(3)])

assert own(0)
with context.Pool(3) as pool:
    assert pool.map(own, range(3), 1) == [True] * 3
plain.read()
process = context.Process(target=go_on)
process.start()
assert "a file opened in this process is required" in answers.get(timeout=60)
assert answers.get(timeout=60) == [0, 1, 2]
process.join()
assert len(plain.read()) == 1
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_forked_processes_read_on_their_own(numbered, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", FORKED], cwd=tmp_path, env=environment, check=True, timeout=120)


def test_readers_are_copied(numbered, tmp_path):
    for again in (pickle.loads(pickle.dumps(numbered)), copy.deepcopy(numbered)):  # noqa: S301  (our own)
        numbered.read_idx(9)
        assert (again.read(), again.read(), again.read_idx(300)) == (b"", b"\1", bytes([44]) * 300)
        again.close()
    with mx.recordio.MXRecordIO(tmp_path / "b.rec", "w") as writer:
        with pytest.raises(TypeError, match="a file that is read or closed is required"):
            pickle.dumps(writer)
        writer.write(b"a")
    assert not pickle.loads(pickle.dumps(writer)).is_open  # noqa: S301  (our own)
    assert (tmp_path / "b.rec").stat().st_size == 12
