"""Manifests beside ONNX files: whether the files are still those that were proven."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .._json import fields_of, json_text
from ..errors import MXNetError, is_file
from ..parity.models import title
from ._manifest import Digest, Manifest, digest_of_file, manifest_path, read_manifest, source_digests
from ._native import Model, native

__all__ = ["Digest", "Manifest", "ManifestCheck", "check_manifest", "digest_of_file"]


@dataclass(frozen=True)
class ManifestCheck:
    """What a manifest says, and what is different now."""

    manifest: Manifest
    changes: tuple[str, ...] = ()
    """A sentence for each file, or part of the model, that is another one."""

    def ok(self) -> bool:
        """Whether everything is as it was proven."""
        return not self.changes

    def to_json(self) -> str:
        """All of it as JSON."""
        return json_text({"ok": self.ok(), **fields_of(self)})

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for name, digest in self.manifest.files.items():
            yield f"{name}: {digest.bytes} bytes, SHA-256 {digest.sha256}"
        yield str(self.manifest)
        yield from (f"CHANGED: {change}" for change in self.changes)
        if self.ok():
            yield "all is as it was proven"


def check_manifest(path: str | os.PathLike[str], model: Model | None = None) -> ManifestCheck:
    """Tell whether a model's files are byte by byte those that were proven.

    `export_model(…, verify=True)` writes the manifest beside them. It is no signature: who can change the
    files can change it too.

    Args:
        path: The ONNX file, or its manifest.
        model: What it should have been made of, which is checked as well: a HybridBlock, a Symbol and its
            parameters, or the files of both, as a tuple.

    Returns:
        What the manifest says and what has changed. Printed, it is some lines of text.

    Raises:
        MissingFileError: If there is no manifest.
        FormatError: If it is damaged, or of a later version.
    """
    manifest = read_manifest(path)
    folder = manifest_path(path).parent
    changes = [text for name, digest in manifest.files.items() if (text := _changed(folder / name, digest))]
    if model is not None:
        changes += _of_others(manifest, model)
    return ManifestCheck(manifest, tuple(changes))


def _changed(path: Path, required: Digest) -> str:
    """In what a file is another one, if it is."""
    if not is_file(path):
        return f"{path.name}: this file is required, and is not there."
    if path.stat().st_size != required.bytes:
        return f"{path.name}: {required.bytes} bytes are required, got {path.stat().st_size}."
    digest = digest_of_file(path)
    if digest == required:
        return ""
    return f"{path.name}: SHA-256 {required.sha256} is required, got {digest.sha256}."


def _of_others(manifest: Manifest, model: Model) -> Iterator[str]:
    """In what a model is not the one that files were made of."""
    parts = native(model)
    if parts is None and manifest.of_onnx and isinstance(model, str | os.PathLike):
        digest, required = digest_of_file(model), manifest.source_files()
        if required and digest.sha256 not in required:
            yield f"the ONNX file: SHA-256 {required[0]} is required, got {digest.sha256}."
        return
    if parts is None or parts.symbol is None:
        wanted = "an ONNX file" if manifest.of_onnx else "a HybridBlock"
        raise MXNetError(
            f"check_manifest: {wanted}, or a Symbol with its parameters as a tuple, is required as the "
            f"model, got {type(model).__name__ if parts is None else title(model)}."
        )
    recorded: Mapping[str, Mapping[str, str]] = manifest.source
    for part, digest in source_digests(parts.symbol, parts.arrays).items():
        if recorded[part]["sha256"] != digest.sha256:
            yield f"the {part}: SHA-256 {recorded[part]['sha256']} is required, got {digest.sha256}."
