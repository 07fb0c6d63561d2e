"""The cases of tests/ops with NaN, infinities, zeros, large and tiny numbers among their inputs.

Real MXNet's results for some of them are in oracle/special_values.npz, written by oracle/special_values.py.
"""

from __future__ import annotations

import importlib.util
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hybridonnx.test_utils import Case, Draw

HERE = Path(__file__).resolve().parent

VALUES = {
    "nan": [np.nan],
    "inf": [np.inf],
    "ninf": [-np.inf],
    "zero": [-0.0, 0.0],
    "large": [1e12, -1e12],
    "tiny": [1e-40, -1e-40],
    "mixed": [np.nan, np.inf, -np.inf, -0.0, 1e-40, 0.0],
}
"""What the inputs get, by variant."""

INDICES = (
    "data_lengths",
    "index",
    "index_vector",
    "indices",
    "label",
    "label_lengths",
    "length",
    "matches",
    "sequence_length",
)
"""Inputs that hold integers, which no special value is."""
OF_INDICES = (
    *("Embedding", "_contrib_SparseEmbedding", "_contrib_quantized_embedding"),
    *("_ravel_multi_index", "_unravel_index"),
)
"""Operators whose `data` are such inputs."""


def cases() -> Iterator[tuple[str, Case]]:
    """Every case of tests/ops, with its family, except those that run Python code."""
    for path in sorted((HERE / "ops").glob("*.py")):
        if path.stem in ("custom", "scan"):
            continue
        spec = importlib.util.spec_from_file_location(f"ops_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield from ((path.stem, case) for case in module.CASES)


def by_operator() -> dict[str, list[Case]]:
    """The cases that take special values, by operator."""
    table: dict[str, list[Case]] = {}
    for _, case in cases():
        if sprinkled(case, "nan") is not None:
            table.setdefault(case.op, []).append(case)
    return table


def takes_special_values(case: Case, name: str, x: Any, array: np.ndarray) -> bool:
    """Whether any numbers may stand in an input: it holds no indices, and is floating-point."""
    if name in INDICES or (name == "data" and case.op in OF_INDICES):
        return False
    drawn = isinstance(x, Draw)
    return array.dtype.kind == "f" and array.size > 0 and not (drawn and (x.dtype or x.kind == "ints"))


def sprinkled(case: Case, variant: str, dtype: str = "float32") -> list[np.ndarray] | None:
    """The case's inputs, a sixth of them special values, the same at each call; `None` if none takes any."""
    arrays, op = case.arrays(dtype), case.operator()
    rng = np.random.RandomState(zlib.crc32(f"{case.key()} {variant}".encode()))
    takes = [
        takes_special_values(case, name, x, a)
        for name, x, a in zip(op.input_names(), case.inputs, arrays, strict=True)
    ]
    for array in (a for a, takes_special in zip(arrays, takes, strict=True) if takes_special):
        count = max(1, array.size // 6)
        with np.errstate(over="ignore", under="ignore"):  # float16 has neither 1e12 nor 1e-40
            values = np.resize(VALUES[variant], count).astype(array.dtype)
        array.reshape(-1)[rng.choice(array.size, count, replace=False)] = values
    return arrays if any(takes) else None


def stored_cases() -> Iterator[tuple[str, Case]]:
    """The cases whose results real MXNet has stored: at most three of an operator, none of them large."""
    counts: dict[str, int] = {}
    for family, case in cases():
        small = all(a.size <= 400 for a in case.arrays())
        if small and counts.get(case.op, 0) < 3 and sprinkled(case, "nan") is not None:
            counts[case.op] = counts.get(case.op, 0) + 1
            yield family, case


def disagreement(got: np.ndarray, expected: np.ndarray, tol: float = 1e-4) -> str:
    """How two results differ: not at all (empty), or in what is worst, from shape to value.

    "hidden": a number stands for NaN or an infinity; "spread": the reverse; "kind": NaN for an infinity, the
    reverse, or another sign; "value": a number differs by more than `tol` of the largest.
    """
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return "shape"
    a, b = got.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    if (np.isfinite(a) & ~finite).any():
        return "hidden"
    if (~np.isfinite(a) & finite).any():
        return "spread"
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return "kind"
    largest = abs(b[finite]).max(initial=1e-2)
    return "value" if (abs(a[finite] - b[finite]) > tol * largest).any() else ""
