"""Models written to files: the weights go from their arrays to the file without a copy."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TypeAlias

from onnx import GraphProto, ModelProto, TensorProto

from hybridonnx.errors import ConversionError
from hybridonnx.formats.files import CLAIMED, claimed_file, remove_abandoned, staged_file, take_places

from ..elements import Array
from ..wire import begin
from ._model import PROTOBUF_LIMIT, Lowered, little, weight

_BEGINNING = bytes([ModelProto.IR_VERSION_FIELD_NUMBER << 3])
"""The first byte of a model, whose first field is a number."""
Chunk: TypeAlias = bytes | memoryview
Prove: TypeAlias = Callable[[Path, Sequence[Path]], tuple[Path, bytes]]
"""Takes the name that a model will have, and where its complete files are: the model under a temporary name,
and its weights if they are beside it. Gives the name and the content of a file that tells what it found."""


def save(
    lowered: Lowered,
    params: Mapping[str, Array],
    path: str | os.PathLike[str],
    beside: bool = False,
    prove: Prove | None = None,
) -> str:
    """Write the model to a file, and weights to one file beside it if asked, or above protobuf's limit.

    That file has a name of its own, which the model tells: until the model replaces an older one, the older
    one stays as it was with its weights, and two writers do not meet. Then the older weights are removed.
    What `prove` raises leaves everything as it was.
    """
    path = Path(path)
    needed = partial(_mentioned, path.parent)
    if weight(lowered) <= PROTOBUF_LIMIT and not (beside and lowered.parameters):
        _place(path, chunks(lowered, params), prove)
    else:
        if prove is not None:
            _require_own_folder(path)
        weights = (_view(params[name]) for name in lowered.parameters)
        with claimed_file(path.parent, f"{path.name}.", ".data", weights, needed) as name:
            _place(path, [_outside(lowered, name).SerializeToString()], prove, path.parent / name)
    pattern = re.escape(f"{path.name}.") + CLAIMED + r"\.data"
    remove_abandoned(path.parent, pattern, needed)
    return str(path)


def _require_own_folder(path: Path) -> None:
    """Refuse a link into another folder, where weights are not beside the file that it leads to."""
    if path.resolve().parent != path.parent.resolve():
        raise ConversionError(
            f"export_model: a file in the folder of its weights is required to prove it, got {path}, a link "
            f"to {path.resolve()}. Export to that name."
        )


def _place(path: Path, content: Iterable[Chunk], prove: Prove | None, *weights: Path) -> None:
    """Write the model's file; what proves it takes its place right after the model."""
    with staged_file(path, content) as model:
        if prove is None:
            model.take_place()
            return
        name, text = prove(path, [model.path, *weights])
        with staged_file(name, [text]) as manifest:
            take_places(model, manifest)


def _mentioned(folder: Path, name: str) -> bool:
    """Whether any model of a folder has its weights in the file `name`; a model may be a copy by any name."""
    return any(_contains(path, name.encode()) for path in folder.iterdir() if path.is_file())


def _contains(path: Path, text: bytes) -> bool:
    """Whether there is a text in a file, if that may be a model."""
    with path.open("rb") as file:
        if path.suffix != ".onnx" and file.read(1) != _BEGINNING:
            return False
        if not path.stat().st_size:  # nothing to map
            return False
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            return data.find(text) >= 0


def _outside(lowered: Lowered, location: str) -> ModelProto:
    """The model with the parameters in a file `location`, one after the other in their order."""
    model = ModelProto()
    model.CopyFrom(lowered.model)
    declared = {tensor.name: tensor for tensor in model.graph.initializer}
    offset = 0
    for name, spec in lowered.parameters.items():
        length = spec.bytes({})
        tensor = declared[name]
        del tensor.external_data[:]
        for key, value in (("location", location), ("offset", str(offset)), ("length", str(length))):
            tensor.external_data.add(key=key, value=value)
        offset += length
    return model


# ---- protobuf's wire format, in which a message is its fields one after the other


def chunks(lowered: Lowered, params: Mapping[str, Array]) -> Iterator[Chunk]:
    """The bytes of the model with the parameters inside, piece by piece."""
    model = ModelProto()
    model.CopyFrom(lowered.model)
    graph = GraphProto()
    graph.CopyFrom(model.graph)
    model.ClearField("graph")
    outside = [tensor for tensor in graph.initializer if tensor.name in lowered.parameters]
    inside = [tensor for tensor in graph.initializer if tensor.name not in lowered.parameters]
    del graph.initializer[:]
    graph.initializer.extend(inside)
    tensors = [_tensor(tensor, params[tensor.name]) for tensor in outside]
    head = graph.SerializeToString()
    size = len(head) + sum(len(chunk) for tensor in tensors for chunk in tensor)
    yield model.SerializeToString()
    yield begin(ModelProto.GRAPH_FIELD_NUMBER, size)
    yield head
    for tensor in tensors:
        yield from tensor


def _tensor(declared: TensorProto, array: Array) -> list[Chunk]:
    """The field of the graph that holds a tensor."""
    plain = TensorProto(name=declared.name, data_type=declared.data_type, dims=declared.dims)
    if declared.doc_string:
        plain.doc_string = declared.doc_string
    data = _view(array)
    head = plain.SerializeToString() + begin(TensorProto.RAW_DATA_FIELD_NUMBER, len(data))
    return [begin(GraphProto.INITIALIZER_FIELD_NUMBER, len(head) + len(data)), head, data]


def _view(array: Array) -> Chunk:
    return little(array).data.cast("B") if array.size and array.ndim else little(array).tobytes()
