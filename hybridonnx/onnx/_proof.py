"""Files proven before they take their place: compared with what they were made of, at several sizes."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from .._version import __version__
from ..converters.from_onnx import read
from ..converters.inspection import ONNX_VERSION, Declaration, facts
from ..dtypes import as_dtype
from ..errors import MXNetError
from ..ops import Array, Spec
from ..parity.report import Difference, Parity, ParityError, Verdict, together
from ..runtime.session import VERSION as RUNTIME_VERSION
from ..symbol.infer import infer
from ..symbol.symbol import Symbol
from ._manifest import SCHEMA, Digest, Manifest, digest_of_file, manifest_path, source_digests

FREE = (1, 2, 7)
"""What each free size is proven at unless the caller says."""
_OTHERS = 2
"""What other free sizes are meanwhile, unless the caller's shapes say."""
_OPTIONS = ("model", "inputs", "sizes", "samples", "seed", "layers", "tol")
Compare: TypeAlias = Callable[..., Parity]
"""Takes the name of a file and what `verify` takes beside models."""
Sizes: TypeAlias = dict[str, int]


@dataclass(frozen=True)
class Proof:
    """How a file is proven, and what its manifest says beside."""

    compare: Compare
    graph: Symbol
    arrays: Mapping[str, Array]
    shapes: Mapping[str, Sequence[int | str | None]]
    """The shapes that the caller gave, whose numbers stand for free sizes."""
    options: Mapping[str, Any]
    export: Mapping[str, Any]
    """How the file was asked for."""
    sources: Sequence[str | os.PathLike[str]] = ()
    """The files that graph and parameters were read from."""

    def __call__(self, path: Path, files: Sequence[Path]) -> tuple[Path, bytes]:
        """Compare complete files, the model's first, with what they were made of.

        Returns:
            The manifest's name and content.

        Raises:
            ParityError: If they compute something else.
        """
        content = facts(read(files[0]))
        proof = self._proof(path.name, files[0], content.inputs)
        digests = [digest_of_file(file) for file in files]
        manifest = Manifest(
            SCHEMA,
            dict(zip((path.name, *(file.name for file in files[1:])), digests, strict=True)),
            {**source_digests(self.graph, self.arrays), "files": _by_name(self.sources)},
            {
                "opset": content.opsets.get("", 0),
                **self.export,
                "inputs": [_described(item) for item in content.inputs],
                "outputs": [_described(item) for item in content.outputs],
            },
            versions(),
            proof,
            _created(),
        )
        return manifest_path(path), f"{manifest.to_json()}\n".encode()

    def _proof(self, name: str, file: Path, inputs: Sequence[Declaration]) -> dict[str, Any]:
        """What is found out, as the manifest has it."""
        options = {key: self.options[key] for key in ("layers",) if key in self.options}
        samples, seed = int(self.options.get("samples", 1)), int(self.options.get("seed", 0))
        tol = self.options.get("tol")
        proven: list[Sizes] = []
        refused: list[Sizes] = []
        reports: list[Parity] = []
        if self.options.get("inputs") is not None:
            options["inputs"] = self.options["inputs"]
            reports.append(self._compared(name, file, {}, tol, samples=samples, **options))
        for sizes in [] if reports else self._sizes(inputs):
            shapes = _with_sizes(inputs, sizes)
            if not self._takes(shapes, inputs):
                refused.append(sizes)
                continue
            more = {"shapes": shapes, "samples": samples, "seed": seed, **options}
            reports.append(self._compared(name, file, sizes, tol, **more))
            proven.append(sizes)
        if not reports:
            raise MXNetError(
                f"export_model: verify: sizes that the model takes are required, got {_text(refused[0])} and "
                "others that it refuses. Name some, as in verify={'sizes': {'"
                + next(iter(refused[0]))
                + "': 224}}."
            )
        worst = max((report.verdict for report in reports), key=list(Verdict).index)
        return {
            "ok": True,
            "verdict": worst,
            "tolerance": tol,
            "samples": sum(report.samples for report in reports),
            "seed": seed,
            "inputs": "given" if "inputs" in options else "drawn",
            "sizes": proven,
            "refused": refused,
            "outputs": _rows([report.outputs for report in reports]),
            "call": _rows([report.call for report in reports]),
            "notes": list(dict.fromkeys(note for report in reports for note in report.notes)),
        }

    def _compared(self, name: str, file: Path, sizes: Sizes, tol: float | None, **options: Any) -> Parity:
        """The report for one choice of sizes, which must not tell of a fault."""
        at = f" with {_text(sizes)}" if sizes else ""
        try:
            report = self.compare(file, **options)
        except MXNetError as exc:
            exc.add_note(f"This was while the file {name} was proven{at}; it was not written.")
            raise
        if not report.ok(tol):
            error = ParityError(
                f"export_model: a file that computes what the model does is required; {name} does not{at}. "
                f"It was not written.\n{report}"
            )
            error.report = report
            raise error
        return report

    def _sizes(self, inputs: Sequence[Declaration]) -> Iterator[Sizes]:
        """Each free size at several numbers, the others at one."""
        free = dict.fromkeys(_free(inputs).values())
        wanted = dict(self.options.get("sizes") or {})
        strangers = [name for name in wanted if name not in free]
        if strangers:
            raise MXNetError(
                f"export_model: verify: names of free sizes are required, got {', '.join(strangers)}; there "
                f"are {', '.join(free) or 'none'}."
            )
        base = {**dict.fromkeys(free, _OTHERS), **self._known(inputs)}
        base |= {name: next(iter(_numbers(several))) for name, several in wanted.items()}
        tried: list[Sizes] = []
        for name in free:
            numbers = _numbers(wanted[name]) if name in wanted else (*FREE, base[name])
            tried += [{**base, name: number} for number in numbers]
        unique = {tuple(sizes.items()): sizes for sizes in tried or [{}]}
        yield from unique.values()

    def _known(self, inputs: Sequence[Declaration]) -> Sizes:
        """The numbers that the caller's shapes have for sizes that the file leaves free."""
        known = {}
        for (name, axis), size in _free(inputs).items():
            shape = self.shapes.get(name, ())
            if axis < len(shape) and isinstance(shape[axis], int | np.integer):
                known[size] = int(shape[axis])  # type: ignore[arg-type]
        return known

    def _takes(self, shapes: Mapping[str, tuple[int, ...]], inputs: Sequence[Declaration]) -> bool:
        """Whether inference lets the model have inputs of these shapes."""
        known = {name: Spec(array.shape, array.dtype) for name, array in self.arrays.items()}
        known |= {item.name: Spec(shapes[item.name], as_dtype(item.dtype)) for item in inputs}
        try:
            infer(self.graph, known, partial=True)
        except MXNetError:
            return False
        return True


def checked_options(options: Any) -> dict[str, Any]:
    """What a caller says of the proof.

    Raises:
        MXNetError: If it has a name that is none.
    """
    known = {} if options is True else dict(options)
    for name in known:
        if name not in _OPTIONS:
            near = get_close_matches(str(name), _OPTIONS, 1)
            raise MXNetError(
                f"export_model: verify: True, or some of {', '.join(_OPTIONS)}, is required, got {name!r}."
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


# ---- sizes


def _free(inputs: Sequence[Declaration]) -> dict[tuple[str, int], str]:
    """The names of free sizes by input and axis; those without one are called by these."""
    return {
        (item.name, axis): f"{item.name}_{axis}" if size is None else size
        for item in inputs
        for axis, size in enumerate(item.shape or ())
        if not isinstance(size, int)
    }


def _with_sizes(inputs: Sequence[Declaration], sizes: Sizes) -> dict[str, tuple[int, ...]]:
    free = _free(inputs)
    return {
        item.name: tuple(
            size if isinstance(size, int) else sizes[free[item.name, axis]]
            for axis, size in enumerate(item.shape or ())
        )
        for item in inputs
    }


def _numbers(several: Any) -> tuple[int, ...]:
    """The numbers for a size, of which there may be one."""
    numbers = (several,) if isinstance(several, int | np.integer) else tuple(several)
    if not numbers or not all(isinstance(number, int | np.integer) and number >= 0 for number in numbers):
        raise MXNetError(f"export_model: verify: numbers are required for a free size, got {several!r}.")
    return tuple(map(int, numbers))


def _text(sizes: Sizes) -> str:
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())
