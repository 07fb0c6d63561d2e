"""A prediction of many rows as a job: what is asked for, its shards, and what of it is done.

    results/part-00000.parquet             the outputs of a shard, with `source` and `row` of each row
    results/_bad/part-00000.jsonl          the rows of it that were set aside, if there are some
    results/_manifest/job.json             the model, the sources and the options
    results/_manifest/part-00000.json      written last: the shard is done, and these are its digests

Each file is written under a temporary name and takes its own at once, and a shard's bytes depend on the job
alone. So whoever is killed has done a shard or has not, and whoever comes after does what is not done.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from .._json import json_text
from ..errors import MXNetError
from ..formats.files import make_folder, open_to_read, write_atomically
from ..onnx.manifest import Digest, digest_of_file
from ..runtime.environment import environment
from .pixels import Pixels
from .prediction import Predictor
from .sources import Source
from .tables import arrow

__all__ = ["Job", "Shard", "ShardResult"]

_SCHEMA = 1
_MANIFEST, _BAD = "_manifest", "_bad"
_READERS = 8
"""Threads that read files for their digests."""
_LARGEST = 1 << 28
"""The most bytes that a file of the manifest may have."""


class Shard(NamedTuple):
    """Rows of a source that are predicted and written together."""

    number: int
    source: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"part-{self.number:05d}"


@dataclass(frozen=True)
class ShardResult:
    """What the manifest says of a shard that is done."""

    number: int
    rows: int
    """That were predicted."""
    bad: int
    """That were set aside."""
    bytes: int
    sha256: str
    """Of the outputs."""


@dataclass(frozen=True)
class Job:
    """What is predicted, and where to."""

    predictor: Predictor
    sources: Sequence[Source]
    folder: Path
    columns: Mapping[str, str]
    """By input the column that it is, where that is called otherwise."""
    pixels: Pixels = field(default_factory=Pixels)
    batch: int = 32
    """The rows that the model gets at once."""
    shard_rows: int = 1024
    skips: bool = False
    """Whether bad rows are set aside; otherwise they end the job."""

    @cached_property
    def shards(self) -> list[Shard]:
        """All of them, which do not depend on who does them."""
        places = [
            (source, start, min(start + self.shard_rows, item.rows))
            for source, item in enumerate(self.sources)
            for start in range(0, item.rows, self.shard_rows)
        ]
        return [Shard(number, *place) for number, place in enumerate(places)]

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(source.rows for source in self.sources)

    # ---- what is on the disk

    def path(self, shard: Shard) -> Path:
        """The file of a shard's outputs."""
        return self.folder / f"{shard.name}.parquet"

    def finish(
        self, shard: Shard, content: bytes, rows: int, bad: Sequence[Mapping[str, Any]]
    ) -> ShardResult:
        """Write a shard's outputs, and then that it is done.

        Args:
            shard: Which.
            content: The Parquet file.
            rows: How many it has.
            bad: The rows that were set aside.
        """
        result = ShardResult(shard.number, rows, len(bad), len(content), sha256(content).hexdigest())
        write_atomically(self.path(shard), [content])
        aside = self.folder / _BAD / f"{shard.name}.jsonl"
        if bad:
            make_folder(aside.parent)
            write_atomically(aside, [f"{json.dumps(row, ensure_ascii=False)}\n".encode() for row in bad])
        else:
            aside.unlink(missing_ok=True)
        write_atomically(self._entry(shard), [f"{json_text(asdict(result))}\n".encode()])
        return result

    def result(self, shard: Shard) -> ShardResult | None:
        """What the manifest says of a shard; `None` if it is not done."""
        values = _read(self._entry(shard))
        try:
            return None if values is None else ShardResult(**values)
        except TypeError:
            return None

    def checked(self, shard: Shard) -> ShardResult | None:
        """The same, `None` also if its file is another than the manifest's."""
        result, path = self.result(shard), self.path(shard)
        if result is None or result.number != shard.number or not path.is_file():
            return None
        return result if digest_of_file(path) == Digest(result.bytes, result.sha256) else None

    def begin(self, overwrite: bool) -> list[ShardResult]:
        """Make the folder, or go on in it.

        Args:
            overwrite: Whether the results of another job may go.

        Returns:
            What is done already.

        Raises:
            MXNetError: If the folder has other files, or those of another job.
        """
        place, wanted = self.folder / _MANIFEST / "job.json", self._identity()
        known = _read(place)
        if (
            known is None
            and self.folder.is_dir()
            and any(self.folder.iterdir())
            and not place.parent.is_dir()
        ):
            raise MXNetError(f"predict: an empty folder is required for the results, got {self.folder}.")
        if known is not None and known != wanted:
            if not overwrite:
                raise MXNetError(
                    f"predict: {self.folder} has the results of another job, whose "
                    f"{_difference(known, wanted)}. Another folder is required, or overwrite."
                )
            self._clear()
        make_folder(place.parent)
        write_atomically(place, [f"{json_text(wanted)}\n".encode()])
        with ThreadPoolExecutor(_READERS) as pool:
            results = [*pool.map(self.checked, self.shards)]
        return [result for result in results if result is not None]

    def _clear(self) -> None:
        """Remove the results of another job: what says that they are done goes first."""
        folders = (self.folder / _MANIFEST, "part-*.json"), (self.folder, "part-*.parquet")
        for folder, pattern in (*folders, (self.folder / _BAD, "part-*.jsonl")):
            for path in folder.glob(pattern):
                path.unlink()

    def _entry(self, shard: Shard) -> Path:
        return self.folder / _MANIFEST / f"{shard.name}.json"

    def _identity(self) -> dict[str, Any]:
        """All that a shard's bytes depend on."""
        files = [file for source in self.sources for file in source.files]
        with ThreadPoolExecutor(_READERS) as pool:
            digests = dict(zip(files, pool.map(digest_of_file, files), strict=True))
        model = self.predictor
        identity = {
            "schema": _SCHEMA,
            "model": {file.name: asdict(digest_of_file(file)) for file in model.files},
            "sources": [_described(source, digests) for source in self.sources],
            "inputs": {item.name: self.columns.get(item.name, item.name) for item in model.inputs},
            "outputs": [item.name for item in model.outputs],
            "keep": model.keep,
            "transform": model.transforms,
            "pixels": self.pixels._asdict(),
            "batch": self.batch,
            "shard_rows": self.shard_rows,
            "bad_rows": "skip" if self.skips else "stop",
            "versions": {**_versions(), "pyarrow": arrow().__version__},
        }
        result: dict[str, Any] = json.loads(json_text(identity))
        return result


def _versions() -> dict[str, str]:
    known = environment()
    return {name: known[name] for name in ("hybridonnx", "ONNX Runtime", "NumPy")}


def _described(source: Source, digests: Mapping[Path, Digest]) -> dict[str, Any]:
    """A source, with one digest for all of its files."""
    value = sha256()
    for file in source.files:
        value.update(
            f"{file.name} {digests[file].bytes} {digests[file].sha256}\n".encode("utf-8", "surrogateescape")
        )
    return {"name": source.name, "files": len(source.files), "rows": source.rows, "sha256": value.hexdigest()}


def _read(path: Path) -> dict[str, Any] | None:
    """What a file of the manifest says; `None` if it is not there, or nothing that is understood."""
    if not path.is_file():
        return None
    with open_to_read(path) as file:
        content = file.read(_LARGEST)
    try:
        values = json.loads(content)
    except ValueError:
        return None
    return values if isinstance(values, dict) else None


def _difference(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The first thing in which two jobs differ, in words."""
    for key, value in wanted.items():
        if known.get(key) != value:
            if isinstance(value, dict) and isinstance(known.get(key), dict):
                return f"{key}: {_difference(known[key], value)}"
            return f"{key} is {_short(known.get(key))} instead of {_short(value)}"
    return "content is another"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"
