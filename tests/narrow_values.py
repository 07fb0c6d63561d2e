"""The cases of tests/ops with integers and float16 and float64 numbers in place of float32 ones.

Real MXNet's results for them are in oracle/narrow_values.npz, written by oracle/narrow_values.py.
"""

from __future__ import annotations

import importlib.util
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from hybridonnx.test_utils import Case

HERE = Path(__file__).resolve().parent

FAMILIES = ("binary", "reduce", "scalar", "scan", "unary")
ELEMENTWISE = ("binary", "scalar", "unary")
INTEGERS = ("int32", "int8", "uint8")
DTYPES = (*INTEGERS, "float16", "float64")
OF_ONE_OPERATOR = 2
"""How many cases of an operator are taken."""
LEFT_OUT = ("erfinv", "nanprod", "norm", "prod")
"""Integers beyond their dtype, and 0 as a factor: memory of floating-point registers; norms are a defect."""


def chosen() -> Iterator[tuple[str, Case]]:
    """The first cases of each operator that have float32 inputs alone, none large, with their family."""
    for family in FAMILIES:
        path = HERE / "ops" / f"{family}.py"
        spec = importlib.util.spec_from_file_location(f"ops_{family}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        count: dict[str, int] = {}
        for case in module.CASES:
            if count.get(case.op, 0) < OF_ONE_OPERATOR and _suits(case):
                count[case.op] = count.get(case.op, 0) + 1
                yield family, case


def _suits(case: Case) -> bool:
    arrays = case.arrays()
    return (
        case.formula is None
        and case.op not in LEFT_OUT
        and bool(arrays)
        and all(a.dtype == np.float32 and 0 < a.size < 100 and (abs(a) < 1e4).all() for a in arrays)
    )


def dtypes_of(family: str) -> tuple[str, ...]:
    """The dtypes that cases of a family are run with: MXNet's sums of float16 are float16 throughout."""
    return DTYPES if family in ELEMENTWISE else INTEGERS


def converted(case: Case, dtype: str) -> list[np.ndarray]:
    """The inputs in a dtype: small integers, none of them 0, which MXNet does not divide by."""
    arrays = case.arrays()
    if np.dtype(dtype).kind == "f":
        return [a.astype(dtype) for a in arrays]
    return [_integers(f"{case.op} {i}", a.shape, dtype, 1, 7) for i, a in enumerate(arrays)]


def heads(case: Case, outputs: list[np.ndarray]) -> list[np.ndarray]:
    """Head gradients for these outputs."""
    return [
        h if h.dtype.kind == "f" else _integers(f"{case.op} head {i}", h.shape, h.dtype.name, 1, 4)
        for i, h in enumerate(case.heads(outputs))
    ]


def _integers(seed: str, shape: tuple[int, ...], dtype: str, low: int, high: int) -> np.ndarray:
    """Integers of both signs, if the dtype has both."""
    rng = np.random.RandomState(zlib.crc32(seed.encode()))
    values = np.asarray(rng.randint(low, high, shape))
    return (values if dtype == "uint8" else values * rng.choice([-1, 1], shape)).astype(dtype)
