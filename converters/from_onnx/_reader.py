"""Reads ONNX files that may come from anyone: every length is checked before it is believed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TypeAlias

import numpy as np
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import IR_VERSION, GraphProto, ModelProto, TensorProto

from hybridonnx.dtypes import DType, is_packed, stored_bytes, strings
from hybridonnx.errors import ConversionError, FormatError, MXNetError, is_file
from hybridonnx.formats.files import open_to_read

from ..elements import Array, dtype_of
from ..opsets import newest, plain
from ..values import of_bytes, of_field
from ._folding import Budget
from ._places import short, shortened
from ._single_assignment import require_single_assignment
from ._validation import validate, validate_sizes
from ._weights import copied, split_weights

Source: TypeAlias = "str | os.PathLike[str] | bytes | ModelProto"

_LARGEST = (1 << 31) - 1
_MAPPED = 1 << 20
"""Files, and weights beside files, from so many bytes on are not read as a whole."""
_ALIGNED = 16
"""Weights beside a file are used where they lie if their place is a multiple of so many bytes."""
_NUMBER = re.compile("[0-9]{1,18}")
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a zip archive, such as PyTorch and Keras write"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file, such as Keras writes"),
    (b"\x80\x02", "a pickle, such as PyTorch writes"),
    (b"\x80\x04", "a pickle, such as PyTorch writes"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"\x12\x01\x00\x00", "an array list of MXNet; read it with nd.load"),
    (b"ORTM", "an ORT-format model; convert the ONNX file it was made from"),
    (b"{", "JSON; a symbol.json is read with sym.load"),
    (b"<", "a web page or XML; the download went wrong"),
    (b"version https://git-lfs", "a Git LFS pointer; fetch the file itself"),
)


class Model:
    """A parsed model and the folders that its external data must lie in."""

    def __init__(
        self, proto: ModelProto, folders: Sequence[Path], title: str, budget: Budget | None = None
    ) -> None:
        self.proto, self.folders, self.title = proto, folders, title
        self.opsets = {plain(item.domain): int(item.version) for item in proto.opset_import}
        self.weights: Mapping[str, memoryview] = {}
        """The contents of initializers that the message lacks, by name."""
        self._budget = budget

    @property
    def budget(self) -> Budget:
        """What may be computed of it before it runs."""
        if self._budget is None:
            self._budget = Budget(self.proto.ByteSize() + sum(map(len, self.weights.values())))
        return self._budget

    @property
    def opset(self) -> int:
        """The opset of ONNX's own operators."""
        return self.opsets.get("", 0)

    def array(self, tensor: TensorProto) -> Array:
        """The values of a tensor, wherever they are."""
        try:
            dtype = dtype_of(tensor.data_type)
        except MXNetError as exc:
            raise ConversionError(f"{self.title}: tensor {tensor.name or 'without a name'}: {exc}") from None
        validate_sizes(tensor)
        return self._elements(tensor, prod(tensor.dims), dtype).reshape(tuple(tensor.dims))

    def _elements(self, tensor: TensorProto, count: int, dtype: DType) -> Array:
        if dtype != strings and tensor.data_location == TensorProto.EXTERNAL:
            data = self._external(tensor, stored_bytes(count, dtype))
            return of_bytes(data, count, dtype) if is_packed(dtype) else data.view(dtype)
        if dtype != strings and tensor.HasField("raw_data"):
            content = tensor.raw_data  # each access copies it
            self._length(tensor, len(content), stored_bytes(count, dtype))
            return of_bytes(content, count, dtype)
        weight = self.weights.get(tensor.name) if dtype != strings and count else None
        if weight is not None and not _has_elements(tensor):
            self._length(tensor, len(weight), stored_bytes(count, dtype))
            return copied(weight, count, dtype)
        try:
            elements = of_field(tensor, count)
        except (OverflowError, UnicodeDecodeError) as exc:
            raise FormatError(f"{self.title}: tensor {tensor.name} is damaged: {exc}") from None
        if elements is None:
            raise FormatError(
                f"{self.title}: {count} elements are required in the field for {dtype} of tensor "
                f"{tensor.name}, got another number. The file is damaged or truncated."
            )
        return elements

    def _length(self, tensor: TensorProto, length: int, expected: int) -> None:
        if length != expected:
            raise FormatError(
                f"{self.title}: {expected} bytes are required for tensor {tensor.name}, got {length}. "
                "The file is damaged or truncated."
            )

    def _external(self, tensor: TensorProto, size: int) -> Array:
        entries = {item.key: item.value for item in tensor.external_data}
        path = self._beside(tensor.name, entries.get("location", ""))
        texts = (entries.get("offset") or "0", entries.get("length") or str(size))
        if not all(_NUMBER.fullmatch(text) for text in texts):
            raise FormatError(
                f"{self.title}: tensor {tensor.name} has an offset or a length that is no integer."
            )
        offset, length = map(int, texts)
        self._length(tensor, length, size)
        there = path.stat().st_size
        if offset < 0 or offset + size > there:
            raise FormatError(
                f"{self.title}: {path.name} with at least {offset + size} bytes is required for tensor "
                f"{tensor.name}, got {there}. The file is truncated."
            )
        self.budget.add_file(path, there)
        with open_to_read(path) as file:
            if size < _MAPPED or offset % _ALIGNED:
                return np.fromfile(file, np.uint8, size, offset=offset)
            return np.asarray(np.memmap(file, np.uint8, "c", offset, (size,)))  # writes stay in memory

    def _beside(self, name: str, location: str) -> Path:
        if not self.folders:
            raise FormatError(
                f"{self.title}: a file is required, because tensor {name} is in {location!r} beside it. "
                "Import by file name."
            )
        try:
            path = (self.folders[0] / location).resolve()
            path.exists()
        except (OSError, RuntimeError, ValueError):  # too long, links in a circle, a byte of 0
            path = Path(os.sep)
        if not location or not any(path.is_relative_to(folder) for folder in self.folders):
            raise FormatError(
                f"{self.title}: external data inside the model's folder is required, got {short(location)!r} "
                f"for tensor {short(name)}. Do not trust this file."
            )
        if not path.is_file():
            raise FormatError(f"{self.title}: {location!r}, which holds tensor {name}, is not there.")
        return path


def _has_elements(tensor: TensorProto) -> bool:
    """Whether a tensor has elements in one of its fields."""
    return any(field.name.endswith("_data") for field, _ in tensor.ListFields())


_MEMORY = "ONNX model: more memory is required than there is."
_TOO_LARGE = ("array is too big", "Maximum allowed", "negative dimensions")
"""How errors of NumPy begin that are about sizes no memory has."""


@contextmanager
def in_words(failed: str = "the file cannot be read") -> Iterator[None]:
    """Lets what a damaged file makes other code raise be an error that says so, and what `failed`."""
    try:
        yield
    except MXNetError as exc:
        exc.args = tuple(shortened(arg) if isinstance(arg, str) else arg for arg in exc.args)
        raise
    except OSError:
        raise
    except UnicodeDecodeError:  # protobuf reads texts when they are asked for
        raise FormatError(
            "ONNX model: text in UTF-8 is required, got other bytes. The file is damaged."
        ) from None
    except MemoryError:
        raise ConversionError(_MEMORY) from None
    except Exception as exc:
        text = short(" ".join(str(exc).split()))
        if text.startswith(_TOO_LARGE):
            raise ConversionError(_MEMORY) from None
        raise FormatError(
            f"ONNX model: {failed}; {type(exc).__name__}: {text} If ONNX's checker takes it, "
            "please report it."
        ) from exc


def read(source: Source, whole: bool = False) -> Model:
    """The model of a file, of a file's bytes, or one that is parsed already.

    Unless `whole`, the message lacks the contents of large initializers, which `Model.array` has.
    """
    if not isinstance(source, str | os.PathLike | bytes | ModelProto):
        kind = type(source).__name__
        raise TypeError(f"ONNX model: a file's name, its bytes or a ModelProto is required, got {kind}.")
    with in_words():
        return _checked(_model_of(source, whole))


def _model_of(source: Source, whole: bool) -> Model:
    if isinstance(source, ModelProto):
        return Model(source, (), "ONNX model")
    if isinstance(source, bytes):
        if not whole and len(source) >= _MAPPED:
            return _parted(memoryview(source), (), "ONNX model")
        return Model(_parse(source, "ONNX model"), (), "ONNX model")
    path = Path(source)
    if not is_file(path):
        there = "a folder" if path.is_dir() else "nothing"
        raise FormatError(f"{path}: an ONNX file is required, got {there}.")
    if path.stat().st_size > _LARGEST:
        raise FormatError(
            f"{path}: a file below 2 GB is required, got {path.stat().st_size} bytes. "
            "Larger models keep their weights in a file beside."
        )
    with open_to_read(path) as file:
        if not whole and path.stat().st_size >= _MAPPED:
            return _parted(memoryview(mmap(file.fileno(), 0, access=ACCESS_READ)), _folders(path), str(path))
        return Model(_parse(file.read(), str(path)), _folders(path), str(path))


def _folders(path: Path) -> tuple[Path, ...]:
    """Where a file is and, if it is a link, as in caches of downloads, where it lies."""
    return path.parent.resolve(), path.resolve().parent


def _parted(data: memoryview, folders: Sequence[Path], title: str) -> Model:
    """The model of a file's contents, whose weights are read where they lie."""
    light, weights = split_weights(data) or (bytes(data), {})
    model = Model(_parse(light, title), folders, title)
    model.weights = weights
    return model


def _parse(data: bytes, title: str) -> ModelProto:
    if not data:
        raise FormatError(f"{title}: an ONNX model is required, got an empty file.")
    try:
        proto: ModelProto = ModelProto.FromString(data)
    except DecodeError:
        raise FormatError(f"{title}: an ONNX model is required, got {_guess(data)}.") from None
    if not proto.ir_version or not proto.HasField("graph"):
        raise FormatError(f"{title}: an ONNX model is required, got {_guess(data)}.")
    return proto


def _guess(data: bytes) -> str:
    for start, description in _SIGNATURES:
        if data.startswith(start):
            return description
    if data[:1] == b"\x08" and len(data) > 2 and data[1] < 64:
        return f"{len(data)} bytes that begin like one; the file is damaged or truncated"
    return f"{len(data)} bytes of something else"


def _checked(model: Model) -> Model:
    if not model.opsets:
        raise FormatError(f"{model.title}: the model has no opset. The file is truncated.")
    if model.opset > newest():
        raise ConversionError(
            f"{model.title}: opset {newest()} or older is required, got {model.opset}. "
            "Update the onnx package, or export the model with an older opset."
        )
    strange = [version for version in model.opsets.values() if not 0 < version < 1 << 31]
    if strange:
        raise FormatError(
            f"{model.title}: opsets from 1 on are required, got {strange[0]}. The file is damaged."
        )
    if not 0 < model.proto.ir_version <= IR_VERSION:
        raise ConversionError(
            f"{model.title}: version {IR_VERSION} of ONNX's format or an older one is required, got "
            f"{model.proto.ir_version}. Update the onnx package."
        )
    if any(isinstance(text, bytes) for text in _texts(model.proto.graph)):
        raise FormatError(
            f"{model.title}: names in UTF-8 are required, got other bytes. The file is damaged."
        )
    _require_outputs(model)
    if model.opset == 0 and any(not plain(node.domain) for node in model.proto.graph.node):
        raise FormatError(
            f"{model.title}: the model does not say the opset of its operators. The file is damaged."
        )
    validate(model.proto, model.title)
    require_single_assignment(model.proto, model.title)
    return model


def _require_outputs(model: Model) -> None:
    """Raise if the model gives nothing, or what it declares of an initializer is not so."""
    graph = model.proto.graph
    if not graph.output:
        raise FormatError(f"{model.title}: at least one output is required, got none.")
    declared = {info.name: info.type.tensor_type for info in graph.input}
    for tensor in graph.initializer:
        type_ = declared.get(tensor.name)
        if type_ is None:
            continue
        sizes = [d.dim_value for d in type_.shape.dim if d.HasField("dim_value")]
        known = type_.HasField("shape") and len(sizes) == len(type_.shape.dim)
        if (type_.elem_type or tensor.data_type) != tensor.data_type or (known and sizes != [*tensor.dims]):
            raise FormatError(
                f"{model.title}: initializer {short(tensor.name)} is required as it is declared, of type "
                f"{type_.elem_type} and shape {short(str(sizes))}, got type {tensor.data_type} and shape "
                f"{short(str([*tensor.dims]))}."
            )


def _texts(graph: GraphProto) -> Iterator[object]:
    """All names; protobuf gives those that are not UTF-8 as bytes."""
    for node in graph.node:
        yield from (node.op_type, node.domain, node.name, *node.input, *node.output)
        yield from (attribute.name for attribute in node.attribute)
    yield from (item.name for item in (*graph.initializer, *graph.input, *graph.output))
