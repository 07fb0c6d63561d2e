"""Files of records: the bytes that MXNet writes, and damaged ones refused."""

from __future__ import annotations

import io
import struct

import pytest

from hybridonnx.errors import FormatError
from hybridonnx.formats.recordio import RecordReader, encode

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
