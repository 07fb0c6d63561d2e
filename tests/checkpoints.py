"""Published checkpoints of tests/data/checkpoints with their inputs and real MXNet's outputs."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent / "data" / "checkpoints"


@dataclass(frozen=True)
class Checkpoint:
    """One folder."""

    folder: Path

    @cached_property
    def manifest(self) -> dict[str, Any]:
        return json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))

    @cached_property
    def golden(self) -> dict[str, np.ndarray]:
        with np.load(self.folder / "golden.npz") as archive:
            return dict(archive)

    @property
    def symbol(self) -> str:
        return str(self.folder / "model-symbol.json")

    def params(self, scratch: Path) -> str:
        """The file of weights; drawn weights are written into `scratch`."""
        published = self.folder / "model-0000.params"
        if published.exists():
            return str(published)
        target = scratch / "model-0000.params"
        scale = self.manifest.get("weight_scale") or {}
        arrays = {f"arg:{k}": _weight(k, s, scale) for k, s in self.manifest["weight_shapes"].items()}
        arrays |= {f"aux:{k}": _weight(k, s, scale) for k, s in self.manifest["aux_shapes"].items()}
        target.write_bytes(_ndarray_file(arrays))
        return str(target)

    @property
    def inputs(self) -> dict[str, np.ndarray]:
        return {i["name"]: _input(i["gen"], i["shape"], i.get("seed", 0)) for i in self.manifest["inputs"]}

    @property
    def outputs(self) -> list[np.ndarray]:
        return [self.golden[f"output.{i}"] for i in range(len(self.manifest["outputs"]))]

    @property
    def internals(self) -> dict[str, np.ndarray]:
        """Stored values inside the graph, by output name."""
        return {i["name"]: self.golden[f"internal.{i['name']}"] for i in self.manifest.get("internals") or ()}


def every() -> list[Checkpoint]:
    """All folders."""
    return [Checkpoint(path.parent) for path in sorted(FOLDER.glob("*/manifest.json"))]


def _input(rule: str, shape: list[int], seed: int) -> np.ndarray:
    """The draw that a manifest calls `rule`."""
    rng = np.random.RandomState(seed)
    values: np.ndarray
    kind, _, number = rule.partition("*")
    if kind == "normal":
        values = rng.standard_normal(shape) * float(number or 1)
    elif rule == "zeros":
        values = np.zeros(shape)
    elif rule == "uniform01":
        values = rng.random_sample(shape)
    elif rule == "uniform255":
        values = np.floor(rng.random_sample(shape) * 256)
    elif rule == "counts":
        values = np.floor(rng.random_sample(shape) ** 8 * 4)
    elif rule.startswith("int"):
        low, high = rule[3:].split("-")
        values = rng.randint(int(low), int(high) + 1, size=shape)
    else:
        raise ValueError(rule)
    return np.ascontiguousarray(values.astype(np.float32))


def _weight(name: str, shape: list[int], scale: Mapping[str, float]) -> np.ndarray:
    """The weights that real MXNet had when the outputs of a published symbol were stored."""
    rng = np.random.RandomState(zlib.crc32(name.encode()))
    if name.endswith("gamma"):
        values = rng.uniform(0.8, 1.2, shape)
    elif name.endswith(("moving_var", "running_var")):
        values = rng.uniform(0.5, 1.5, shape)
    elif name.endswith(("moving_mean", "running_mean")):
        values = rng.standard_normal(shape) * 0.1
    elif name.endswith(("bias", "beta")):
        values = rng.standard_normal(shape) * 0.05
    else:
        fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else 1
        values = rng.standard_normal(shape) * np.sqrt(2.0 / max(fan_in, 1))
    values = values.astype(np.float32)
    for part, factor in scale.items():
        if part in name:
            values = (values * np.float32(factor)).astype(np.float32)
    return np.ascontiguousarray(values)


def _ndarray_file(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Float32 arrays as MXNet writes them, made without the code under test."""
    parts = [struct.pack("<QQQ", 0x112, 0, len(arrays))]
    for a in arrays.values():
        parts += [struct.pack("<IiI", 0xF993FAC9, 0, a.ndim), struct.pack(f"<{a.ndim}q", *a.shape)]
        parts += [struct.pack("<iii", 1, 0, 0), a.tobytes()]
    parts.append(struct.pack("<Q", len(arrays)))
    for name in arrays:
        parts += [struct.pack("<Q", len(name.encode())), name.encode()]
    return b"".join(parts)
