"""What is done with the bytes of strangers, by format, and the corpus of such bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import suppress
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

import hybridonnx as mx
from hybridonnx.errors import MXNetError
from hybridonnx.formats.recordio import RecordReader
from hybridonnx.ops import load_all
from tests.verdicts import Limits

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


def onnx(data: bytes) -> None:
    """Read a model every way that runs nothing of it."""
    mx.onnx.get_model_metadata(data)
    for entry in (mx.onnx.inspect, mx.onnx.import_model):
        with suppress(MXNetError):
            str(entry(data))


_MOST_ELEMENTS = 1 << 20
"""Of inputs that are compared: what a model does with many takes its own time."""


def verify(data: bytes) -> None:
    """Compare a model of small inputs with itself."""
    shapes = [shape for _, shape in mx.onnx.get_model_metadata(data)["input_tensor_data"]]
    if sum(prod(d for d in shape if isinstance(d, int)) for shape in shapes) > _MOST_ELEMENTS:
        return
    parity = mx.onnx.verify(data, data, layers=True)
    str(parity), parity.to_json()


def export(data: bytes) -> None:
    """Write a graph as ONNX, whose inputs have shapes in their attributes, and read what was written."""
    net = mx.sym.load_json(data)
    known = net.attr_dict()
    shapes = {name: _shape(known.get(name, {}).get("__shape__", "")) for name in net.list_inputs()}
    with TemporaryDirectory() as folder:
        path = mx.onnx.export_model(net, {}, shapes, onnx_file_path=f"{folder}/net.onnx")
        with suppress(MXNetError):
            mx.onnx.import_model(path)


def _shape(text: str) -> tuple[int, ...]:
    sizes = [int(word) for word in re.findall("[0-9]{1,2}", text)]
    return tuple(sizes[:6]) if text else (2, 3, 4, 4)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "symbol_json": symbol_json,
    "params": params,
    "recordio": recordio,
    "onnx": onnx,
    "verify": verify,
    "export": export,
}
_SECONDS = {"onnx": 10.0, "verify": 10.0, "export": 10.0}
_SLOW = 1.0
_EXTRA = 64 << 20


def limits_of(name: str, data: bytes) -> Limits:
    """How much processor time a file may take, more for each 100 kB, and memory."""
    seconds = _SECONDS.get(name, _SLOW) * max(1, len(data) / 1e5)
    return Limits(seconds, 2 * len(data) + _EXTRA, runs=name == "verify")


def refuses_or_reads(name: str, data: bytes) -> None:
    """Run a target; only the framework's own errors are right."""
    with suppress(MXNetError):
        TARGETS[name](data)


def files(name: str) -> list[Path]:
    """The corpus of a format."""
    return sorted((CORPUS / name).iterdir())


load_all()  # so that no input is blamed for the time that imports take
