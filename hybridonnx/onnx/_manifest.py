"""Manifests: what was proven of a model's files, kept beside them with their digests."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np

from .._json import json_text
from ..dtypes import name_of
from ..errors import FormatError
from ..formats.files import open_to_read
from ..ops import Array
from ..symbol.symbol import Symbol

SUFFIX = ".manifest.json"
SCHEMA = 1
"""The version of what manifests say; one that is read differently gets another."""
_LARGEST = 1 << 24
"""The most bytes that a manifest may have."""
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Digest:
    """A file's content, or that of several arrays."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a manifest says of a model."""

    manifest: int
    """The version of the form: 1."""
    files: Mapping[str, Digest]
    """The model's files by name: the ONNX file and weights beside it, or the symbol and its parameters."""
    source: Mapping[str, Any]
    """Digests of the `symbol` and its `parameters`, and of the `files` that they were read from."""
    export: Mapping[str, Any]
    """Inputs, outputs, opset, and how the file was asked for."""
    versions: Mapping[str, str]
    """What it was written and proven with."""
    proof: Mapping[str, Any]
    """The verdict, on what it rests, and the worst of each output."""
    created: str | None = None
    """When, if `SOURCE_DATE_EPOCH` said so."""

    @property
    def of_onnx(self) -> bool:
        """Whether the files are MXNet's, made of an ONNX file."""
        return self.export.get("format") == "MXNet"

    def source_files(self) -> list[str]:
        """The SHA-256 of each file that the model was read from."""
        files = self.source.get("files")
        items = files.values() if isinstance(files, Mapping) else ()
        return [str(item.get("sha256")) for item in items if isinstance(item, Mapping)]

    def to_json(self) -> str:
        """What the file has."""
        return json_text(self)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


# ---- digests


def digest_of_file(path: str | os.PathLike[str]) -> Digest:
    """A file's length and SHA-256."""
    value, size = hashlib.sha256(), 0
    with open_to_read(path) as file:
        while chunk := file.read(_CHUNK):
            value.update(chunk)
            size += len(chunk)
    return Digest(size, value.hexdigest())


def digest_of_symbol(symbol: Symbol) -> Digest:
    """That of the file that `symbol.save` writes."""
    text = symbol.tojson().encode()
    return Digest(len(text), hashlib.sha256(text).hexdigest())


def digest_of_arrays(arrays: Mapping[str, Array]) -> Digest:
    """One for all arrays: for each in the order of names its name, dtype and shape as JSON, and its bytes."""
    value, size = hashlib.sha256(), 0
    for name, array in sorted(arrays.items()):
        plain = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        value.update(json.dumps([name, name_of(array.dtype), list(array.shape)]).encode())
        value.update(plain.reshape(-1).view(np.uint8).data if plain.size else b"")
        size += array.nbytes
    return Digest(size, value.hexdigest())


def source_digests(symbol: Symbol, arrays: Mapping[str, Array]) -> dict[str, Digest]:
    """Those of a graph, and of the parameters that it has."""
    variables = set(symbol.list_inputs())
    used = {name: array for name, array in arrays.items() if name in variables}
    return {"symbol": digest_of_symbol(symbol), "parameters": digest_of_arrays(used)}


# ---- files


def manifest_path(path: str | os.PathLike[str]) -> Path:
    """The manifest of a model's file; a manifest's own name stays."""
    text = os.fspath(path)
    return Path(text if text.endswith(SUFFIX) else f"{text}{SUFFIX}")


def read_manifest(path: str | os.PathLike[str]) -> Manifest:
    """A manifest, which may come from anyone.

    Args:
        path: Its name, or that of the model's file.

    Returns:
        The manifest.

    Raises:
        MissingFileError: If it is not there.
        FormatError: If it is none, or one of a later version.
    """
    name = manifest_path(path)
    with open_to_read(name) as file:
        content = file.read(_LARGEST + 1)
    try:
        if len(content) > _LARGEST:
            raise FormatError(f"{_LARGEST} bytes at most are required.")
        return _parsed(json.loads(content))
    except (FormatError, ValueError, RecursionError) as exc:
        raise FormatError(f"{name}: a manifest of a model is required: {exc}") from None


_FORM = {
    "source": {"symbol": {"sha256": str}, "parameters": {"sha256": str}},
    "export": {
        "opset": int,
        "precision": str,
        "inputs": [{"name": str, "dtype": str, "shape": (list, NoneType)}],
        "outputs": [{"name": str, "dtype": str, "shape": (list, NoneType)}],
    },
    "versions": {},
    "proof": {"verdict": str, "samples": int, "seed": int, "sizes": [{}], "outputs": [{"name": str}]},
}
"""What is relied on, beside the files."""


def _parsed(data: Any) -> Manifest:
    _require(data, {"manifest": int}, "")
    if data["manifest"] != SCHEMA:
        raise FormatError(f"version {SCHEMA} is required, got {data['manifest']}. Update hybridonnx.")
    _require(data, {"files": {}, **_FORM}, "")
    files = {}
    for name, item in data["files"].items():
        _require(item, {"bytes": int, "sha256": str}, f"files.{name}")
        if re.search(r"[/\\:\0]", name) or name in ("", ".", ".."):
            raise FormatError(f"names of files beside it are required, got {name!r}.")
        files[name] = Digest(item["bytes"], item["sha256"])
    if not files:
        raise FormatError("one file at least is required, got none.")
    created = data.get("created")
    rest = {key: data[key] for key in _FORM}
    return Manifest(data["manifest"], files, **rest, created=None if created is None else str(created))


def _require(value: Any, form: Any, place: str) -> None:
    """Refuse what has another form: a table with such values, a list of such items, a type or several."""
    kinds: Any = form if isinstance(form, type | tuple) else type(form)
    if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is int):
        names = [kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
        required, got = " or ".join(names), type(value).__name__
        raise FormatError(f"{required} is required{f' at {place}' if place else ''}, got {got}.")
    if isinstance(form, list):
        for i, item in enumerate(value):
            _require(item, form[0], f"{place}[{i}]")
    elif isinstance(form, dict):
        for key, inner in form.items():
            where = f"{place}.{key}" if place else key
            if key not in value:
                raise FormatError(f"{where} is required, and is not there.")
            _require(value[key], inner, where)


# ---- as text


def _lines(manifest: Manifest) -> Iterator[str]:
    export, proof = manifest.export, manifest.proof
    yield f"opset {export['opset']}, {export['precision']}"
    for title in ("inputs", "outputs"):
        yield f"{title}: {', '.join(map(_declared, export[title]))}"
    yield f"written with {', '.join(f'{name} {version}' for name, version in manifest.versions.items())}"
    if manifest.created:
        yield f"created {manifest.created}"
    trials = sorted(proof["sizes"], key=lambda item: [*map(_number, item.values())])
    sizes = [", ".join(f"{name} = {size}" for name, size in item.items()) for item in trials]
    at = f" with {'; '.join(sizes)}" if any(sizes) else ""
    samples = f"{proof['samples']} sample{'' if proof['samples'] == 1 else 's'}"
    yield f"proven{at}: {samples}, seed {proof['seed']}, verdict {proof['verdict']}"
    yield f"{'output':<40} {'absolute':>9} {'relative':>9} {'ulps':>9} {'of bound':>9} verdict"
    for row in proof["outputs"]:
        numbers = [_number(row.get(key)) for key in ("absolute", "relative", "ulps", "share")]
        yield f"{row['name']:<40} {' '.join(f'{n:9.2e}' for n in numbers)} {row.get('verdict')}"


def _declared(item: Mapping[str, Any]) -> str:
    shape: Sequence[object] | None = item.get("shape")
    if shape is None:
        return f"{item['name']} {item['dtype']}"
    sizes = ", ".join("?" if size is None else str(size) for size in shape)
    return f"{item['name']} ({sizes}{',' if len(shape) == 1 else ''}) {item['dtype']}"


def _number(value: Any) -> float:
    """A number, which is a text where JSON lacks it."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return inf
