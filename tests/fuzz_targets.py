"""What is done with the bytes of strangers, by format, and the corpus of such bytes."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress
from math import prod
from pathlib import Path

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from hybridonnx.formats.recordio import RecordReader
from hybridonnx.ops import load_all

CORPUS = Path(__file__).resolve().parent / "data" / "fuzz"


def symbol_json(data: bytes) -> None:
    """Read a graph, ask what it has, and write it again."""
    net = mx.sym.load_json(data)
    net.list_arguments(), net.list_auxiliary_states(), net.list_outputs(), net.get_internals()
    text = net.tojson()
    assert mx.sym.load_json(text).tojson() == text, "what was written is read as another graph"
    net.infer_shape_partial(), net.infer_type_partial()


def params(data: bytes) -> None:
    """Read arrays, and use their values."""
    arrays = mx.nd.load_frombuffer(data)
    for array in arrays.values() if isinstance(arrays, dict) else arrays:
        if prod(array.shape) < 1 << 20:  # a sparse array may be too large to be dense
            array.tostype("default").asnumpy().sum()


def recordio(data: bytes) -> None:
    """Read records and their headers."""
    reader = RecordReader(io.BytesIO(data))
    while (record := reader.read()) is not None:
        mx.recordio.unpack(record)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "symbol_json": symbol_json,
    "params": params,
    "recordio": recordio,
}


def refuses_or_reads(name: str, data: bytes) -> None:
    """Run a target; only the framework's own errors are right."""
    with suppress(MXNetError):
        TARGETS[name](data)


def files(name: str) -> list[Path]:
    """The corpus of a format."""
    return sorted((CORPUS / name).iterdir())


load_all()  # so that no input is blamed for the time that imports take
