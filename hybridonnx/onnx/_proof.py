"""Files proven before they take their place: compared with what they were made of, at several sizes."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from .._version import __version__
from ..converters.from_onnx import read
from ..converters.inspection import ONNX_VERSION, Declaration, Facts, facts
from ..errors import MXNetError
from ..ops import Array
from ..parity.difference import Difference, together
from ..parity.report import Parity, ParityError
from ..runtime.session import VERSION as RUNTIME_VERSION
from ..symbol.symbol import Symbol
from ._manifest import SCHEMA, Digest, Manifest, digest_of_file, manifest_path, source_digests

_FREE = (1, 7)
"""What sizes are tried at for which the caller has a number, but the file none."""
_OPTIONS = ("model", "inputs", "sizes", "samples", "seed", "layers", "tol", "isolated")
Compare: TypeAlias = Callable[..., Parity]
"""Takes the name of a file and what `verify` takes beside models."""


@dataclass(frozen=True)
class Proof:
    """How files are proven, and what their manifest says beside."""

    compare: Compare
    graph: Symbol
    arrays: Mapping[str, Array]
    shapes: Mapping[str, Sequence[int | str | None]]
    """The shapes that the caller gave, which may have numbers where the file has none."""
    options: Mapping[str, Any]
    export: Mapping[str, Any]
    """How the files were asked for."""
    sources: Sequence[str | os.PathLike[str]] = ()
    """The files that graph and parameters were read from."""
    what: str = "export_model"
    """Who writes the files, as errors say."""

    def __call__(self, path: Path, files: Sequence[Path]) -> tuple[Path, bytes]:
        """Compare a complete ONNX file, with that of its weights if there is one, with what it was made of.

        Returns:
            The manifest's name and content.

        Raises:
            ParityError: If it computes something else.
        """
        names = path.name, *(file.name for file in files[1:])
        return self.manifest(path, dict(zip(names, files, strict=True)), files[0], facts(read(files[0])))

    def manifest(
        self, path: Path, files: Mapping[str, Path], written: Any, known: Facts
    ) -> tuple[Path, bytes]:
        """Compare complete files with what they were made of.

        Args:
            path: The name that the first of them will have.
            files: Where they are, by the names that they will have.
            written: What is in them, as `verify` takes it.
            known: What the model, as ONNX, says of itself.

        Returns:
            The manifest's name and content.

        Raises:
            ParityError: If they compute something else.
        """
        proof = self._proof(path.name, written, known.inputs)
        manifest = Manifest(
            SCHEMA,
            {name: digest_of_file(file) for name, file in files.items()},
            {**source_digests(self.graph, self.arrays), "files": _by_name(self.sources)},
            {
                "opset": known.opsets.get("", 0),
                **self.export,
                "inputs": [_described(item) for item in known.inputs],
                "outputs": [_described(item) for item in known.outputs],
            },
            versions(),
            proof,
            _created(),
        )
        return manifest_path(path), f"{manifest.to_json()}\n".encode()

    def _proof(self, name: str, written: Any, inputs: Sequence[Declaration]) -> dict[str, Any]:
        """What is found out, as the manifest has it."""
        options = {key: value for key, value in self.options.items() if key != "tol"}
        if options.get("inputs") is None:
            options["sizes"] = {**self._known(inputs), **(options.get("sizes") or {})} or None
        try:
            report = self.compare(written, **options)
        except MXNetError as exc:
            exc.add_note(f"This was while the file {name} was proven; it was not written.")
            raise
        tol = self.options.get("tol")
        if not report.ok(tol):
            error = ParityError(
                f"{self.what}: a file that computes what the model does is required; {name} does not. "
                f"It was not written.\n{report}"
            )
            error.report = report
            raise error
        taken = [trial for trial in report.sizes if not trial.refusal]
        return {
            "ok": True,
            "verdict": report.verdict,
            "tolerance": tol,
            "samples": report.samples,
            "seed": int(options.get("seed", 0)),
            "inputs": "drawn" if options.get("inputs") is None else "given",
            "sizes": [trial.sizes for trial in taken],
            "refused": [trial.sizes for trial in report.sizes if trial.refusal],
            "outputs": _rows([report.outputs, *(trial.outputs for trial in taken)]),
            "call": _rows([report.call]),
            "notes": report.notes,
        }

    def _known(self, inputs: Sequence[Declaration]) -> dict[str, tuple[int, ...]]:
        """The sizes of the caller's shapes that the file leaves free, and what they are tried at as well.

        Axes that come first, batches and lengths, need none.
        """
        sizes = {}
        for item in inputs:
            shape = self.shapes.get(item.name, ())
            for axis, size in enumerate(item.shape or ()):
                number = shape[axis] if axis < len(shape) else None
                if axis and not isinstance(size, int) and isinstance(number, int | np.integer):
                    sizes[size or f"{item.name}_{axis}"] = tuple(dict.fromkeys((int(number), *_FREE)))
        return sizes


def checked_options(options: Any, what: str = "export_model") -> dict[str, Any]:
    """What a caller says of the proof.

    Raises:
        MXNetError: If it has a name that is none.
    """
    known = {} if options is True else dict(options)
    for name in known:
        if name not in _OPTIONS:
            near = get_close_matches(str(name), _OPTIONS, 1)
            raise MXNetError(
                f"{what}: verify: True, or some of {', '.join(_OPTIONS)}, is required, got {name!r}."
                f"{f' Did you mean {near[0]}?' if near else ''}"
            )
    return known


def versions() -> dict[str, str]:
    """What files are written and proven with."""
    return {
        "hybridonnx": __version__,
        "onnx": ONNX_VERSION,
        "onnxruntime": RUNTIME_VERSION,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _created() -> str | None:
    """The time that the environment says, so that what else is the same is so byte by byte."""
    text = os.environ.get("SOURCE_DATE_EPOCH", "")
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(text))) if text.isdigit() else None


def _by_name(paths: Sequence[str | os.PathLike[str]]) -> dict[str, Digest]:
    return {Path(path).name: digest_of_file(path) for path in paths}


def _described(item: Declaration) -> dict[str, Any]:
    return {"name": item.name, "dtype": item.dtype, "shape": item.shape}


def _rows(reports: Sequence[Sequence[Difference]]) -> list[dict[str, Any]]:
    """The worst of each value in all reports."""
    keys = ("name", "dtype", "verdict", "absolute", "relative", "ulps", "share")
    merged = [together(several) for several in zip(*reports, strict=True)]
    return [{key: getattr(item, key) for key in keys} for item in merged]
